"""What the wording of a question gives away, whoever knows the book or not.

Drawing wrong choices (questions.py) needs to know what words tell; query_only measures what
they tell all the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

from scholar_indexes.speakers import given_names
from scholar_indexes.types import Gender

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scholar_indexes.characters.questions import Question

    Floats = NDArray[np.float64]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_OWNED = re.compile(r"['’]s?$")

SMALL = frozenset(
    "mr mrs miss ms the of de la le du van von der and an or old young st in to".split()
)
"""Words of names that tell no name."""

FEMALE_WORDS = frozenset(
    "she her hers herself woman women girl girls lady mother mamma daughter sister wife widow "
    "aunt niece grandmother granddaughter goddaughter stepmother mistress maid maiden housemaid "
    "bride governess hostess landlady heiress duchess countess princess queen nun nurse actress "
    "housekeeper spinster matron widowed authoress abbess empress sempstress seamstress "
    "stewardess stepdaughter laundress murderess charwoman washerwoman schoolmistress mrs miss "
    "madam madame mademoiselle mum mama lass bridesmaid godmother fiancée".split()
)
MALE_WORDS = frozenset(
    "he his him himself man men boy boys gentleman gentlemen father papa son brother husband "
    "widower uncle nephew grandfather grandson godson stepfather stepson master lad fellow groom "
    "bridegroom landlord lord duke count prince king monk sir mr clergyman parson vicar curate "
    "priest bishop sailor seaman soldier officer captain colonel general lieutenant major "
    "admiral butler footman baronet earl baron knight squire bachelor schoolmaster nobleman "
    "tradesman fisherman coachman policeman seafarer harpooneer boatswain mate "
    "businessman swordsman minister fiancé".split()
)
"""Words that tell a gender in novels of before 1930."""

_FEMALE_TITLES = frozenset("mrs miss ms lady madame mademoiselle mme mlle aunt mother sister dame "
                           "nurse queen princess duchess countess frau".split())  # fmt: skip
_MALE_TITLES = frozenset("mr sir lord master captain colonel major general lieutenant father "
                         "brother uncle king prince duke count baron squire reverend dr doctor "
                         "professor monsieur herr admiral inspector sergeant bishop"
                         .split())  # fmt: skip
_OF_MAN, _OF_WOMAN = (
    frozenset("wife bride widow".split()),
    frozenset("husband bridegroom".split()),
)
_HEAD_ENDS = frozenset(
    "who whose whom which that to in of with for on by at from and than thanks only".split()
)
_MARRIED = frozenset("wife wives husband married marries marriage widow mother wedded".split())
_UNMARRIED = frozenset("unmarried spinster single maiden girl daughter bride".split())
_CALLINGS = (
    frozenset("dr doctor physician surgeon medical patient".split()),
    frozenset("captain ship vessel crew sea voyage commander".split()),
    frozenset("rev reverend father clergyman parson minister priest vicar preacher".split()),
    frozenset("colonel major general lieutenant sergeant officer soldier regiment".split()),
    frozenset("professor teacher scholar learned lecturer tutor".split()),
    frozenset("sir lady lord baronet knight noble aristocrat nobleman".split()),
    frozenset("aunt uncle niece nephew".split()),
    frozenset("judge magistrate governor".split()),
)


def words(text: str) -> list[str]:
    """The words of a text, folded, without the 's of an owner."""
    return list(_words(text))


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_OWNED.sub("", each) for each in _WORD.findall(text.casefold()))


def name_terms(names: Iterable[str]) -> frozenset[str]:
    """The words of names that tell a name or a rank: "Dr. Livesey" has dr and livesey."""
    return frozenset(each for name in names for each in words(name) if len(each) > 1) - SMALL


def gendered(text: str) -> bool:
    """Whether any word of a text tells anybody's gender."""
    found = set(words(text))
    return bool(found & FEMALE_WORDS or found & MALE_WORDS)


def told_gender(text: str) -> Gender:
    """The gender that a noun phrase tells of whom it stands for: by its first noun, by a
    wife or a husband, or by the first pronoun."""
    found = words(text)
    head = next((at for at, each in enumerate(found) if at and each in _HEAD_ENDS), len(found))
    if (told := _leaning(found[:head])) is not Gender.UNKNOWN:
        return told
    for owner, owned in pairwise(found):
        if owner == "whose" and owned in _OF_MAN | _OF_WOMAN:
            return Gender.MALE if owned in _OF_MAN else Gender.FEMALE
    for each in found:
        if each in ("she", "her", "herself", "he", "his", "him", "himself"):
            return Gender.FEMALE if each in FEMALE_WORDS else Gender.MALE
    return Gender.UNKNOWN


def name_gender(name: str) -> Gender:
    """The gender that a name tells by its title or its given name."""
    found = words(name)
    if found and found[0] in _FEMALE_TITLES | _MALE_TITLES:
        return Gender.FEMALE if found[0] in _FEMALE_TITLES else Gender.MALE
    return given_names.gender(found[0]) if found else Gender.UNKNOWN


def _leaning(found: Collection[str]) -> Gender:
    female = any(each in FEMALE_WORDS for each in found)
    if female == any(each in MALE_WORDS for each in found):
        return Gender.UNKNOWN
    return Gender.FEMALE if female else Gender.MALE


# -- what can be told without the book ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """What all the questions show together: how rare each word is, the logarithm of the texts
    over those that have it, and how often each choice is offered, by kind."""

    rarity: Mapping[str, float]
    offered: Mapping[tuple[str, str], int]


Feature = Callable[["Question", Seen], list[float]]


def _of_gender(question: Question, seen: Seen) -> list[float]:
    named = question.kind == "desc2name"
    asked = (told_gender if named else name_gender)(question.text)
    return [
        0.0 if Gender.UNKNOWN in (asked, told) else (1.0 if asked is told else -1.0)
        for told in map(name_gender if named else told_gender, question.choices)
    ]


def _of_most(question: Question, seen: Seen) -> list[float]:
    """How many of the choices are of one's own gender."""
    tell = name_gender if question.kind == "desc2name" else told_gender
    genders = [tell(each) for each in question.choices]
    return [genders.count(each) / len(genders) for each in genders]


def _of_names(question: Question, seen: Seen) -> list[float]:
    asked = name_terms([question.text])
    return [float(bool(asked & _capitals(each) or _capitals(question.text) & name_terms([each])))
            for each in question.choices]  # fmt: skip


def _of_rare_words(question: Question, seen: Seen) -> list[float]:
    asked = set(words(question.text))
    return [sum(seen.rarity.get(word, 0.0) for word in asked.intersection(words(each)))
            for each in question.choices]  # fmt: skip


def _of_likeness(question: Question, seen: Seen) -> list[float]:
    """Rare words shared with the other choices."""
    times = Counter(word for each in question.choices for word in set(words(each)))
    return [sum(seen.rarity.get(word, 0.0) for word in set(words(each)) if times[word] > 1)
            for each in question.choices]  # fmt: skip


def _of_length(question: Question, seen: Seen) -> list[float]:
    return [float(len(each)) for each in question.choices]


def _of_odd_length(question: Question, seen: Seen) -> list[float]:
    lengths = _of_length(question, seen)
    middle = sum(lengths) / len(lengths)
    return [abs(each - middle) for each in lengths]


def _of_capitals(question: Question, seen: Seen) -> list[float]:
    return [float(len(_capitals(each))) for each in question.choices]


def _of_neutrality(question: Question, seen: Seen) -> list[float]:
    return [float(gendered(each)) for each in question.choices]


def _of_calling(question: Question, seen: Seen) -> list[float]:
    asked = set(words(question.text))
    return [
        float(sum(bool(asked & each and each.intersection(words(choice))) for each in _CALLINGS))
        for choice in question.choices
    ]


def _of_marriage(question: Question, seen: Seen) -> list[float]:
    def married(name: str) -> float:
        return {"mrs": 1.0, "miss": -1.0}.get(next(iter(words(name)), ""), 0.0)

    def told(text: str) -> float:
        found = set(words(text))
        return float(bool(found & _MARRIED)) - float(bool(found & _UNMARRIED))

    if question.kind == "desc2name":
        return [told(question.text) * married(each) for each in question.choices]
    return [married(question.text) * told(each) for each in question.choices]


def _of_place(question: Question, seen: Seen) -> list[float]:
    return [float(at) for at in range(len(question.choices))]


def _of_offers(question: Question, seen: Seen) -> list[float]:
    """How seldom a choice is offered in all the questions: who is asked about as often as
    others but offered less is likelier to be asked about."""
    return [-math.log(seen.offered[question.kind, each]) for each in question.choices]


FEATURES: Mapping[str, Feature] = {
    "gender": _of_gender,
    "gender among the choices": _of_most,
    "names": _of_names,
    "rare words": _of_rare_words,
    "likeness": _of_likeness,
    "length": _of_length,
    "odd length": _of_odd_length,
    "capitals": _of_capitals,
    "neutrality": _of_neutrality,
    "calling": _of_calling,
    "marriage": _of_marriage,
    "place": _of_place,
    "offers": _of_offers,
}
"""What a guesser who has not read the book may go by, one number for each choice."""

WORDING = tuple(name for name in FEATURES if name != "offers")
"""What a question shows by itself, without the others."""


def query_only(
    questions: Sequence[Question], features: Collection[str] = WORDING, folds: int = 5
) -> float:
    """How often a guesser is right who sees the questions and not the book, in [0, 1].

    For each question it weighs the choices by some of FEATURES, with weights fitted on the
    questions of the other folds: a conditional logit (McFadden 1974), so that it finds by
    itself what gives answers away, in whichever direction. Equally good choices count by their
    share. Raises ValueError without questions.
    """
    import numpy as np

    if not questions:
        raise ValueError("no questions to guess at")
    tables = _tables(questions, features)
    fold = [int.from_bytes(sha256(each.id.encode()).digest()[:4], "big") % folds
            for each in questions]  # fmt: skip
    right = 0.0
    for held in set(fold):
        seen = [at for at in range(len(questions)) if fold[at] != held] or [*range(len(questions))]
        weights = _fitted([tables[at] for at in seen], [questions[at].answer for at in seen])
        for at in (at for at in range(len(questions)) if fold[at] == held):
            scores = np.round(tables[at] @ weights, 9)
            best = np.flatnonzero(scores == scores.max())
            right += float(questions[at].answer in best) / len(best)
    return right / len(questions)


def chance(questions: Sequence[Question]) -> float:
    """How often blind guessing is right."""
    return sum(1 / len(each.choices) for each in questions) / len(questions)


def _tables(questions: Sequence[Question], features: Collection[str]) -> list[Floats]:
    """The choices by features of each question, standardised within the question or, for the
    ones that are alike in it, nought; desc2name and name2desc have columns of their own."""
    import numpy as np

    offered = Counter((each.kind, choice) for each in questions for choice in each.choices)
    seen = Seen(_rarity(questions), offered)
    tables = []
    for each in questions:
        columns = [FEATURES[name](each, seen) for name in features]
        table = np.array(columns, dtype=np.float64).T
        spread = table.std(axis=0)
        table = (table - table.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
        blank = np.zeros_like(table)
        pair = (table, blank) if each.kind == "desc2name" else (blank, table)
        tables.append(np.concatenate(pair, axis=1))
    return tables


def _fitted(tables: Sequence[Floats], answers: Sequence[int], steps: int = 200) -> Floats:
    """The weights that make the answers likeliest, held small: sum of w² / 2 is the price."""
    import numpy as np

    weights = np.zeros(tables[0].shape[1])
    widest = max(len(each) for each in tables)
    stacked = np.zeros((len(tables), widest, len(weights)))
    there = np.zeros((len(tables), widest), dtype=bool)
    for at, table in enumerate(tables):
        stacked[at, : len(table)], there[at, : len(table)] = table, True
    chosen = stacked[np.arange(len(tables)), list(answers)].sum(axis=0)
    for _ in range(steps):
        scores = np.where(there, stacked @ weights, -np.inf)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        gradient = chosen - np.einsum("qc,qcf->f", odds, stacked) - weights
        weights = weights + gradient / len(tables)
    return weights


def _rarity(questions: Sequence[Question]) -> dict[str, float]:
    texts = {text for each in questions for text in (each.text, *each.choices)}
    seen = Counter(word for text in texts for word in set(words(text)))
    return {word: math.log(len(texts) / count) for word, count in seen.items()}


def _capitals(text: str) -> frozenset[str]:
    """The words of a text that begin with a capital."""
    return name_terms(each for each in _WORD.findall(text) if each[0].isupper())
