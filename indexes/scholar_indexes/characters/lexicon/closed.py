"""Closed classes: the words that hold a sentence together, and those that say nothing alone."""

from __future__ import annotations

from scholar_indexes.types import Gender

ARTICLES = frozenset({"the", "a", "an"})
POSSESSIVE = frozenset("his her my".split())
DETERMINERS = frozenset(
    "the a an his her my their its our your this that these those some any each every both no "
    "another all many several few two three four five six seven eight nine ten".split()
)
PREPOSITIONS = frozenset(
    "of in at on to with from for by into upon about against among around behind beside besides "
    "between beyond down during near off out over round through throughout toward towards under up "
    "within without across along above below past like despite opposite onto".split()
)
BOUNDS = frozenset(
    "and but or nor when while whilst because if than though although before after until till "
    "where whereas who which whom whose that lest since unless as so yet whenever wherever "
    "whereupon".split()
)
"""Words with which another clause or member begins."""

HEDGES = frozenset(
    "if unless whether perhaps perchance maybe suppose supposing would could might should may must "
    "seemingly apparently possibly probably dreamed dreamt dream imagined fancied pretended hoped "
    "feared wished expected lest".split()
)
"""Words behind which what is told may not be so."""

NEGATIONS = frozenset("not no never nothing nobody none neither nor cannot n't nowhere".split())
DOUBTS = frozenset("hardly scarcely barely almost nearly seldom rarely".split())
"""Words that nearly deny a verb beside them."""

UNRESOLVED = frozenset(
    "he she i you we they it him them us me its their our your mine yours theirs ours hers this "
    "that these those there here such so one ones others other latter former same what whatever "
    "everything anything something all both each either who whom which whose thus themselves "
    "ourselves myself itself yourself another".split()
)
"""Words that mean what only the sentence around them tells."""

SUBJECTS = frozenset("i he she it they we you there this these those such".split())
"""Words that are the subject of a new clause."""

PRONOUNS = {"he": Gender.MALE, "she": Gender.FEMALE}
OWNED = {"his": Gender.MALE, "her": Gender.FEMALE}
AUXILIARIES = frozenset(
    "was were is are am be been being had has have did does do could would should might may must "
    "shall will can cannot".split()
)
ADVERBS = frozenset(
    "then now always once often soon also even still ever already again therefore however too just "
    "afterwards sometimes instantly straightway thereupon presently".split()
)
DEGREES = frozenset(
    "very rather quite extremely remarkably exceedingly uncommonly naturally decidedly "
    "particularly wonderfully singularly somewhat".split()
)
NUMBERS = frozenset(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty "
    "forty fifty sixty seventy eighty ninety".split()
)
SMALL = (
    DETERMINERS | PREPOSITIONS | BOUNDS | AUXILIARIES | ADVERBS | DEGREES
    | frozenset("one who whose".split())
)  # fmt: skip
"""Words that tell nobody apart."""
