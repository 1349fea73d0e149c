"""Patterns of the narration around a quotation that nobody says aloud; each is a row of a table.

All of them expect single spaces for white space. `LEAD` patterns end at the opening mark, `TAIL`
patterns begin after a closing mark, without the marks themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scholar_indexes.lexicon import verbs
from scholar_indexes.types import QuotationForm


@dataclass(frozen=True, slots=True)
class FormPattern:
    """The form of a quotation if the pattern matches, and an example of its narration, in which Q
    stands for the quotation."""

    form: QuotationForm
    pattern: re.Pattern[str]
    example: str
    begins_sentence: bool = False  # it may begin a sentence after a quotation with a full stop


_SELF = r"(?:him|her|my|it|them|our|your)sel(?:f|ves)"
_NAME = r"(?:(?:Mr|Mrs|Dr|St|Capt|Col)\.? )?[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,2}"
_NOUN = r"(?:the|this|that|my|his|her|our|poor|old|little|young|a|an|one|some) [\w’' -]{2,30}?"
_THINKER = rf"(?:I|he|she|they|we|{_NAME}|{_NOUN})"
_THOUGHT = r"(?:thought|thinks|reflected|wondered|pondered)"
_HOW = rf"(?: (?!that\b|of\b|it\b|so\b)(?:\w+ly|again|at last|to {_SELF}|within {_SELF}|then))*"
_INNER = (
    r"(?:will|conscience|heart|soul|brain|mind|instinct|reason|pride|despair"
    r"|(?:inner|inward|still,? small) voice"
    r"|(?:voice|spirit|[Ss]omething) (?:within|inside|in (?:his|her|my) (?:head|heart|mind|soul)))"
)
_SAID = r"(?:said|says?|saying|cried|whispered|murmured|told|asked|answered|replied|urged|came)"
_WORD = r"[\w’'-]+"
_REST = (
    r"(?:(?!\b(?:said|says|saying|asked|cried|answered|replied|added|began|exclaimed|repeated)\b)"
    r"[^.!?;]){0,60}"
)
_TO_POINT = rf"{_REST}[,:—-]+"

_PRINTED = (
    r"(?:inscription|placard|notice|sign-?board|door-?plate|name-?plate|brass plate|label|headline"
    r"|superscription|epitaph|tombstone|legend)"
)
_WRITING = (
    r"(?:letter|note|telegram|message|despatch|card|advertisement|paragraph|postscript|document"
    r"|inscription|placard|notice|will|entry)"
)

LEAD = (
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(rf"\b{_THOUGHT}{_HOW}[,:—-]+$"),
        "He looked after her and thought, Q",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(rf"\b(?:thinking|reflecting) (?:to|within) {_SELF}[,:—-]*$"),
        "She went home, thinking to herself, Q",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(
            r"\b(?:thought|idea|reflection) (?:\w+ )?(?:struck|occurred to|came to|crossed"
            r"|flashed|darted|entered|rushed)\b[^.!?:]{0,60}[.:!,—-]+$"
        ),
        "On the way another idea struck him. Q",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(
            rf"\b{_INNER} (?:of |in )?(?:him |her |me )?"
            rf"(?:kept |seemed to |had )?(?:{_SAID}|say)"
            r"(?: to (?:him|her|me|them)| him| her| me)?[,:—-]+$"
        ),
        "Something inside of me kept saying, Q",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(
            r"\b(?:as (?:if|though) to (?:say|ask)|as much as to say"
            r"|seem(?:s|ed|ing) to (?:say|ask)"
            r"|(?:look|glance|gesture|smile|nod|shrug|expression) (?:that|which) "
            r"(?:plainly |clearly )?(?:said|meant|says))[,:—-]*$"
        ),
        "He winked, as much as to say, Q",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(
            r"\b(?:long(?:ed|ing)|want(?:ed|ing)|wish(?:ed|ing)|expected|would have liked|meant"
            r"|without|about)(?: (?:him|her|them|me))?"
            r" (?:to (?:\w+ ){0,4}(?:say|ask|cry|answer|reply)|saying)[,:—-]*$"
        ),
        "He longed to ask: Q",
    ),
    FormPattern(
        QuotationForm.LETTER,
        re.compile(
            r"(?:^|[.!?] )(?:(?!\b(?:said|spoke|spoken|speech)\b)[^.!?])*"
            r"\b(?:ran|runs|read|reads|went|wrote|was|were|written|telegraphed|wired) "
            r"(?:(?:simply|somewhat|only) )?(?:thus|as follows|in th(?:is|ese) \w+)"
            r"[^.!?]{0,20}[:.,—-]+$"
        ),
        "It ran thus:--Q",
    ),
    FormPattern(
        QuotationForm.LETTER,
        re.compile(
            rf"\b{_WRITING} (?:from \w+ |only |merely |simply |itself )?"
            rf"(?:ran|runs|read|reads|said|says|contained|stated|bore){_TO_POINT}$"
        ),
        "The telegram said: Q",
    ),
    FormPattern(
        QuotationForm.LETTER,
        re.compile(
            r"\b(?:the following|read (?:these|the|this)) (?:\w+ )?"
            rf"(?:lines?|letter|note|message|telegram|notice|paragraph|inscription)s?{_TO_POINT}$"
        ),
        "Emma cut the string and read the following lines:--Q",
    ),
    FormPattern(
        QuotationForm.LETTER,
        re.compile(rf"\b(?:wrote|scribbled|scrawled|jotted)\b{_REST}[,:—-]+$"),
        "She sat down hastily and wrote: Q",
    ),
    FormPattern(
        QuotationForm.LETTER,
        re.compile(
            r"\b(?:written|headed|signed|postmarked|(?:addressed|directed) (?:it |this )?to)"
            r"[,:—-]*$"
        ),
        "It was headed, Q",
    ),
    FormPattern(
        QuotationForm.SIGN,
        re.compile(
            r"\b(?:inscribed|engraved|painted|printed|carved|stamped|pasted|chalked|lettered)"
            rf"\b{_REST}$"
        ),
        "On the board was painted in white letters, Q",
    ),
    FormPattern(
        QuotationForm.SIGN,
        re.compile(
            rf"\b(?:the|an?|its|his|her|this|that) (?:\w+ )?{_PRINTED}\b{_REST}[,:—-]*$"
            rf"|\bsign (?:on|over|above)\b{_REST}$"
        ),
        "I saw a sign on it, Q",
    ),
    FormPattern(
        QuotationForm.TITLE,
        re.compile(
            r"\b(?:entitled|(?:song|hymn|ballad|book|novel|poem|play|pamphlet|tune|picture|chapter)"
            r"(?: of| called| named)?),?$"
        ),
        "He played the air of a street-song, Q",
    ),
    FormPattern(
        QuotationForm.WORD,
        re.compile(
            r"\b(?:the (?:\w+ )?(?:word|phrase|term|expression|epithet|monosyllable)|so-called"
            r"|the (?:name|title|appellation) of|known as|spoken of as)[,:]?$"
        ),
        "He rose at the word, Q and left.",
    ),
)

TAIL = (
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(rf"{_THOUGHT} {_THINKER}\b"),
        "Q thought Stepan Arkadyevitch, as he went upstairs.",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(rf"{_THINKER}(?: had| \w+ly)? {_THOUGHT}{_HOW}(?:[,.;:—-]|$| as\b)"),
        "Q he thought suddenly.",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(
            rf"(?:{_WORD} ){{0,3}}?"
            r"(?:said|cried|asked|exclaimed|added|repeated|replied|argued|reasoned)"
            rf"(?: {_WORD}){{0,3}}? (?:inwardly|mentally|within {_SELF}"
            r"|in (?:his|her|my|their) (?:own )?(?:mind|heart|thoughts|soul))\b"
            rf"|(?:{_WORD} ){{0,3}}?(?:inwardly|mentally) (?:said|cried|asked|exclaimed|added)\b"
        ),
        "Q he said within himself.",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(rf"{_SAID} (?:the|his|her|my|a|an|some|that) (?:\w+ )?{_INNER}\b"),
        "Q said his will in him.",
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(
            rf"(?:So|Thus) {_THINKER} (?:had )?(?:thought|decided|reflected|reasoned|mused)\b"
        ),
        "Q So he reasoned in the night.",
        True,
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(
            r"(?:(?:With|At) (?:this|that|which|these) (?:reflection|thought)"
            r"|(?:This|That|Such|These) (?:was|were) [^.!?]{0,30}(?:thoughts|reflections)\b)"
        ),
        "Q This was the subject-matter in his thoughts.",
        True,
    ),
    FormPattern(
        QuotationForm.THOUGHT,
        re.compile(r"passed (?:internally|through (?:his|her|my) mind)\b"),
        "Q passed internally.",
    ),
    FormPattern(
        QuotationForm.WORD,
        re.compile(r"as (?:\w+ ){1,3}(?:would|used to) (?:have )?(?:say|said|call|called|put)\b"),
        "Q as Homais would have said,",
    ),
)

INNER_VOICE = (LEAD[3], TAIL[3])
"""The patterns of an inner voice, which may carry on a conversation."""

READ_ALOUD = re.compile(
    r"\b(?:aloud|read(?:ing)? out|(?:began|begun|continued|proceeded) (?:to read|reading)"
    r"|read(?:ing)?(?: \w+){0,3} to (?:him|her|them|us|me|the)"
    r"|read (?:him|her|them|us|me))\b"
)
"""Words of the narration that show that written text is spoken after all."""

SUNG = re.compile(
    r"\b(?:s[aiu]ngs?|singing|recit(?:es?|ed|ing)|chant(?:s|ed|ing)|humm(?:ed|ing)|repeat(?:s|ed|ing)"
    r"|quot(?:es?|ed|ing)|murmur(?:s|ed|ing)|declaim(?:s|ed|ing)|spouted)\b"
)
"""Words of the narration that show that verse is spoken."""

POEM = re.compile(
    r"\b(?:poems?|lines|verses?|stanzas?|epitaph|inscription|couplet|motto|poet)\b", re.IGNORECASE
)
"""Words of the narration that mention verse."""

ALOUD = re.compile(r"\b(?:aloud|out loud)\b")
"""Words of the narration that show that a thought is spoken."""

_SPEECH = "|".join(
    sorted((verbs.SPEECH | verbs.SPEECH_GOING_ON) - {"mused", "wondered", "pondered"})
)

SPEECH_VERB = re.compile(rf"\b(?:{_SPEECH})\b")

SPEECH_TAG = re.compile(
    rf"(?:(?:{_SPEECH}) {_THINKER}\b|{_THINKER} (?:had )?(?:\w+ly )?(?:{_SPEECH})\b)"
)
"""A verb of speech next to its subject, after a quotation."""
