"""Finding the stretches of a novel that someone speaks aloud.

A quotation mark may open, close or be an apostrophe, and its neighbours say which with
some likelihood only. So each paragraph gets that reading of all its marks together that
costs least, found as Viterbi (1967) has it: a mark costs what it looks unlike, and
quotations that are not closed, or that stand in one another, have a price. Which marks a
book quotes with is counted first, over its whole text.

Positions are characters of the text, half-open. Everything takes time linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from scholar_indexes.speakers.mentions import ABBREVIATED
from scholar_indexes.types import Quotation, Span


class Convention(StrEnum):
    """How a book marks speech: the marks of the outer quotation, whatever is inside."""

    DOUBLE = "double"  # "Yes," “Yes,”
    DOUBLED = "doubled"  # ``Yes,'' ‘‘Yes,’’
    SINGLE = "single"  # 'Yes,' ‘Yes,’ `Yes,'
    GUILLEMETS = "guillemets"  # «Yes,» »Yes,«
    DASH = "dash"  # --Yes, a paragraph that begins with a dash
    NONE = "none"


DASHES = 5
"""Where dashes mark speech, one paragraph in so many or more begins with one."""

# What an unlikely reading costs. Only differences matter; about 3 is something that an
# editor would mend.
NEVER = 9.0
REOPENED = 3.5
"""A quotation opens where the one before was not closed."""

NESTED = 3.0
"""A quotation stands inside another one with the same marks."""

UNCLOSED = 3.5
UNCLOSED_NEXT = 1.5
"""A paragraph ends inside a quotation, and the next one does not begin with a mark, or does."""

FAR = 200
"""Characters of narration, at most, that interrupt a quotation without ending it."""

PHRASE = 4
LONG = 8
"""Words, at least, in a phrase that goes on with a quotation, and in a sentence."""


def find(text: str, within: Sequence[Span] = ()) -> list[Quotation]:
    """Every quotation that a character speaks, in text order and without overlap.

    within limits the search to some spans, such as the bodies of chapters, in text order;
    the convention is that of the whole text all the same. Paragraphs are parted by blank
    lines. Pieces stay within a paragraph, without their marks and without white space
    around them. A short interruption by the narrator leaves the pieces one quotation, and
    so does a new paragraph that begins with an opening mark while the last one was not
    closed. A quotation inside another is part of it. One that is never closed ends with
    its paragraph.
    """
    manner = convention(text)
    if manner is Convention.NONE:
        return []
    return [
        quotation
        for region in within or (Span(0, len(text)),)
        for quotation in _quotations(text, list(_paragraphs(text, region)), manner)
    ]


def convention(text: str) -> Convention:
    """The manner in which a whole book marks speech.

    Quotations inside quotations have other marks, so the mark that comes first in a
    paragraph is the outer one; each paragraph has one vote.
    """
    votes: Counter[Convention] = Counter()
    count = 0
    for paragraph in _paragraphs(text, Span(0, len(text))):
        count += 1
        votes[_vote(text, paragraph)] += 1
    del votes[Convention.NONE]
    dashes = votes.pop(Convention.DASH, 0)
    best, most = max(votes.items(), key=lambda vote: vote[1], default=(Convention.NONE, 0))
    if dashes > most and dashes * DASHES >= count:
        return Convention.DASH
    return best


def _quotations(text: str, paragraphs: Sequence[Span], manner: Convention) -> list[Quotation]:
    if manner is Convention.DASH:
        return [each for paragraph in paragraphs for each in _dashed(text, paragraph)]
    marks = [_marks(text, each, manner) for each in paragraphs]
    found: list[Quotation] = []
    held: list[Span] = []  # of a quotation that the next paragraph goes on with
    for number, paragraph in enumerate(paragraphs):
        follows = number + 1 < len(marks) and _begins(marks[number + 1])
        pieces: list[_Piece] = []
        for piece in _pieces(text, paragraph, marks[number], follows):
            if _spoken(text, paragraph, piece, pieces[-1:]):
                pieces.append(piece)
        groups = _grouped(text, pieces)
        if held and not (groups and groups[0][0].begins):
            found.append(Quotation(tuple(held)))
            held = []
        for group in groups:
            held += [each.span for each in group]
            if not (follows and group is groups[-1] and group[-1].unclosed):
                found.append(Quotation(tuple(held)))
                held = []
    return found


# --- Paragraphs and their votes -----------------------------------------------------------

_BLOCK = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_WORD = r"[^\W_]"
_FIRST_MARKS = (
    (re.compile(r"[\"“”„‟]"), Convention.DOUBLE),
    (re.compile(r"[«»]"), Convention.GUILLEMETS),
    (re.compile(r"``|''|‘‘|’’"), Convention.DOUBLED),
)
_SINGLE_OPENS = re.compile(r"(?:(?<=[\s(\[_—–―-])|^)['‘`](?=[_\"“]{0,2}([^\W\d_]+))")
_SINGLE_CLOSES = re.compile(rf"[.,;:!?…—–-][_\"”]{{0,2}}['’](?!{_WORD})")
_DASH_OPENS = re.compile(rf"(?:[—–―]+|--+)[ \xa0]?(?=['’‘]?{_WORD})")


def _paragraphs(text: str, within: Span) -> Iterator[Span]:
    """The blocks between blank lines, without outer white space."""
    for found in _BLOCK.finditer(text, within.start, within.end):
        yield from _stripped(text, found.start(), found.end())


def _stripped(text: str, start: int, end: int) -> list[Span]:
    """The range without outer white space, if anything is left."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [Span(start, end)] if start < end else []


def _vote(text: str, paragraph: Span) -> Convention:
    start, end = paragraph.start, paragraph.end
    if _DASH_OPENS.match(text, start, end):
        return Convention.DASH
    vote = Convention.NONE
    for pattern, manner in _FIRST_MARKS:
        if mark := pattern.search(text, start, end):
            vote, end = manner, mark.start()
    for mark in _SINGLE_OPENS.finditer(text, start, end):
        if mark.group(1).lower() not in _CLIPPED_BEFORE:
            if text[mark.start()] == "‘" or _SINGLE_CLOSES.search(text, mark.end(), paragraph.end):
                return Convention.SINGLE
            break
    return vote


# --- Marks, and what each reading of them costs -------------------------------------------


class _Mark(NamedTuple):
    """A quotation mark, and what it costs to take it for each thing it may be.

    inside and outside are the costs of no mark of this kind at all (an apostrophe, a
    misprint) within a quotation and out of one.
    """

    start: int
    end: int
    opens: float
    closes: float
    inside: float
    outside: float
    begins: bool  # its paragraph


_Costs: TypeAlias = tuple[float, float, float, float]
"""opens, closes, inside, outside."""

_DOUBLE_MARKS = re.compile(r"[\"“”„‟]|``|''|‘‘|’’")
_SINGLE_MARKS = re.compile(rf"(?<!{_WORD})['’‘`]|['’‘`](?!{_WORD})")
_GUILLEMETS = re.compile(r"[«»]")
_LETTERS = re.compile(r"[^\W\d_]*")

_SEEN_THROUGH = "_\"“”„‟'‘’`«»"
_BRACKETS = "([{"
_STOPS = ".,;:!?…)]}"
_DASHED = "-—–―"
_VOWELS = frozenset("aeiouAEIOU")

_CLIPPED_BEFORE = frozenset(
    "tis tisn twas twasn twere tweren twill twould twouldn twon t em un ud ull n s d ll ve re m "
    "cause bout round till til neath gainst mid midst mongst twixt tween pon cept scuse spose "
    "spect deed stead fraid fore way low ere er im is e is ad ave as ow eard ome ouse".split()
)
"""Words that are written with an apostrophe before them."""

_CLIPPED_AFTER = frozenset("o th an wi t d ol i ha wha tha lo fo mo po gi ta fa ca wa".split())
"""Words that are written with an apostrophe after them."""

_OFTEN_CLIPPED = ("s", "x", "z", "in")
"""Ends of words before an apostrophe: the dogs' bones, goin' home."""


def _marks(text: str, paragraph: Span, manner: Convention) -> list[_Mark]:
    pattern = {Convention.SINGLE: _SINGLE_MARKS, Convention.GUILLEMETS: _GUILLEMETS}.get(
        manner, _DOUBLE_MARKS
    )
    found = []
    for match in pattern.finditer(text, paragraph.start, paragraph.end):
        start, end = match.span()
        before = _neighbour(text, start - 1, -1, paragraph)
        after = _neighbour(text, end, 1, paragraph)
        if manner is Convention.SINGLE:
            costs = _single(text, paragraph, start, before, after)
        else:
            costs = _double(match.group(), before, after, manner)
        begins = start - paragraph.start < 3 and not text[paragraph.start : start].strip("_ ")
        found.append(_Mark(start, end, *costs, begins))
    return found


def _neighbour(text: str, at: int, step: int, paragraph: Span) -> str:
    """The character beside a mark, seen through italics and other marks; "" where none is."""
    for _ in range(3):
        if not paragraph.start <= at < paragraph.end:
            break
        if text[at] not in _SEEN_THROUGH:
            return text[at]
        at += step
    return ""


def _is_blank(neighbour: str) -> bool:
    return not neighbour or neighbour.isspace()


def _double(mark: str, before: str, after: str, manner: Convention) -> _Costs:
    """The costs of a mark that is never an apostrophe."""
    opens, closes, inside, outside = _by_shape(before, after)
    if len(mark) == 2 and manner is Convention.DOUBLE:  # apostrophes that met, more likely
        return opens + 1, closes, 1.0, 0.0
    if mark in "“„‟``‘‘":
        return 0.0, max(closes, 1.0) if opens > closes else NEVER, inside, outside
    if mark in "”’’":
        return max(opens, 1.5) if closes > opens else NEVER, 0.0, inside, 2.0
    if mark in "«»" and _is_blank(before) == _is_blank(after):  # spaced as in French
        return (0.0, 2.0, 4.0, 4.0) if mark == "«" else (2.0, 0.0, 4.0, 4.0)
    return opens, closes, inside, outside


def _by_shape(before: str, after: str) -> _Costs:
    """The costs of a mark that looks the same on both sides, from its neighbours."""
    if not before:
        return 0.0, NEVER, 4.0, 4.0
    if not after:
        return 4.0, 0.0, 4.0, 2.0
    if before.isspace() and after.isspace():
        return 1.0, 1.0, 2.0, 2.0
    if before.isspace() or before in _BRACKETS:
        return 0.0, 3.0, 4.0, 4.0
    if after.isspace() or after in _STOPS:
        return 4.0, 0.0, 4.0, 2.0
    if before in _DASHED:
        return 0.5, 1.0, 3.0, 3.0
    if after in _DASHED:
        return 1.0, 0.5, 3.0, 3.0
    return 0.5, 0.5, 3.0, 3.0


def _single(text: str, paragraph: Span, start: int, before: str, after: str) -> _Costs:
    """The costs of a mark that may be an apostrophe."""
    mark = text[start]
    dashed = before != "" and before in _DASHED
    if (_is_blank(before) or before in _BRACKETS or dashed) and not (
        _is_blank(after) or after in _STOPS
    ):
        opens, neither = _leading(text, paragraph, start, after)
        if mark == "’":
            opens, neither = opens + 4.0, 0.0
        elif mark != "'":
            neither += 1.5
        return opens, 1.0 if dashed else 5.0, neither, neither
    if _is_blank(before) and _is_blank(after):
        return 1.5, 1.5, 1.0, 1.0
    if mark in "‘`":
        return 3.0, NEVER, 0.5, 0.5
    closes, neither = _trailing(text, paragraph, start, before, after)
    return NEVER, closes, neither, min(neither, 2.0)


def _leading(text: str, paragraph: Span, start: int, after: str) -> tuple[float, float]:
    """What it costs that the mark before a word opens a quotation, or is an apostrophe.

    Quotations open after punctuation and with a capital, mostly; a dropped letter is an
    h or one of some words.
    """
    at = start - 1
    while at >= paragraph.start and text[at].isspace() and start - at < 4:
        at -= 1
    runs_on = at >= paragraph.start and text[at].isalnum()
    opens = 0.0 if not runs_on else 0.5 if after.isupper() else 1.5
    word = _LETTERS.match(text, start + 1, paragraph.end)
    if after.isdigit() or (word and word.group().lower() in _CLIPPED_BEFORE):
        return opens + 1.5, 0.0
    neither = 3.0
    if after in _VOWELS:
        neither = 2.0 if after.isupper() else 1.0
    if at < paragraph.start:
        neither += 2.0
    elif not runs_on:
        neither += 1.0
    return opens, neither


def _trailing(
    text: str, paragraph: Span, start: int, before: str, after: str
) -> tuple[float, float]:
    """What it costs that the mark after a word closes a quotation, or is an apostrophe."""
    if not after or not before.isalnum():
        return 0.0, 4.0
    at = start
    while at > paragraph.start and text[at - 1].isalpha() and start - at < 12:
        at -= 1
    word = text[at:start].lower()
    if word in _CLIPPED_AFTER:
        return 2.0, 0.0
    return 2.0 if after.isspace() else 1.0, 0.5 if word.endswith(_OFTEN_CLIPPED) else 2.5


# --- The cheapest reading -----------------------------------------------------------------


class _Piece(NamedTuple):
    """A quoted stretch, and where its opening mark stands."""

    span: Span
    opened: int
    begins: bool  # its paragraph
    unclosed: bool  # at the end of its paragraph


_Turns: TypeAlias = "tuple[_Turns, bool, int] | None"
"""The turns of a reading, newest first: those before, whether it opens, and its mark."""

_Path: TypeAlias = tuple[float, _Turns]


def _begins(marks: Sequence[_Mark]) -> bool:
    """Whether a paragraph begins with an opening mark."""
    return bool(marks) and marks[0].begins and marks[0].opens <= marks[0].outside


def _cheapest(marks: Sequence[_Mark], unclosed: float) -> list[tuple[bool, int]]:
    """The reading of a paragraph's marks that costs least: (opens, mark) in text order.

    Two openings in a row mean that the first was never closed. Of equal costs the reading
    with fewer quotations stays.
    """
    out: _Path = (0.0, None)
    inside: _Path = (float("inf"), None)
    deep: _Path = (float("inf"), None)  # in a quotation inside a quotation
    for number, mark in enumerate(marks):
        outs = (
            (out[0] + mark.outside, out[1]),
            (inside[0] + mark.closes, (inside[1], False, number)),
        )
        insides = (
            (inside[0] + mark.inside, inside[1]),
            (deep[0] + mark.closes, deep[1]),
            (out[0] + mark.opens, (out[1], True, number)),
            (inside[0] + mark.opens + REOPENED, (inside[1], True, number)),
        )
        deeps = (
            (deep[0] + mark.inside, deep[1]),
            (inside[0] + mark.opens + NESTED, inside[1]),
        )
        out, inside, deep = min(outs, key=_cost), min(insides, key=_cost), min(deeps, key=_cost)
    ends = (out, (inside[0] + unclosed, inside[1]), (deep[0] + unclosed + NESTED, deep[1]))
    turn = min(ends, key=_cost)[1]
    turns = []
    while turn is not None:
        turns.append(turn[1:])
        turn = turn[0]
    return turns[::-1]


def _cost(path: _Path) -> float:
    return path[0]


def _pieces(text: str, paragraph: Span, marks: Sequence[_Mark], follows: bool) -> Iterator[_Piece]:
    """The quoted stretches of a paragraph without their marks and outer white space.

    follows says that the next paragraph begins with an opening mark.
    """
    turns = _cheapest(marks, UNCLOSED_NEXT if follows else UNCLOSED)
    for place, (opens, number) in enumerate(turns):
        if opens:
            mark = marks[number]
            last = place + 1 == len(turns)
            end = paragraph.end if last else marks[turns[place + 1][1]].start
            for span in _stripped(text, mark.end, end):
                yield _Piece(span, mark.start, mark.begins, last)


# --- What is speech, and what belongs together --------------------------------------------

_AROUND = " \t\r\n\xa0" + _SEEN_THROUGH
_FINISHED = frozenset(".!?")
_ENDS = frozenset(".!?…-—–")
_EXCLAIMS = frozenset("!?")
_VERBS = (
    "(?:said|says?|saying|cr(?:y|ied|ies|ying)|answer(?:s|ed|ing)?|exclaim(?:s|ed|ing)?"
    "|repl(?:y|ied|ies|ying)|add(?:s|ed|ing)?|ask(?:s|ed|ing)?|whisper(?:s|ed|ing)?"
    "|murmur(?:s|ed|ing)?|mutter(?:s|ed|ing)?|shout(?:s|ed|ing)?|call(?:s|ed|ing) out"
    "|beg[ai]n(?:s|ning)?|repeat(?:s|ed|ing)?|return(?:s|ed|ing)?|continu(?:es|ed|ing)"
    "|remark(?:s|ed|ing)?|observ(?:es|ed|ing)|[ei]nquir(?:es|ed|ing)|demand(?:s|ed|ing)?"
    "|declar(?:es|ed|ing)|respond(?:s|ed|ing)?|resum(?:es|ed|ing)|interrupt(?:s|ed|ing)"
    "|quoth|went on|goes on)"
)
_SAYING = re.compile(rf"\b{_VERBS}$", re.IGNORECASE)
_NAME_SAYS = re.compile(
    r"(?!(?:He|She|They|It|We|Then|And|But|So|Here)\b)"
    rf"[^\W\d_]+\.?(?:\s+[A-Z]{_WORD}*)?\s+{_VERBS}\b"
)
_SENTENCE_ENDS = re.compile(rf"(\b{_WORD}*|)[.!?]+[)\"'”’_]*\s+[(\"'“‘_]*[A-Z]")
_LEAD = 40


def _spoken(text: str, paragraph: Span, piece: _Piece, before: Sequence[_Piece]) -> bool:
    """Whether a quoted stretch is speech; before holds the last one that was, if any.

    Punctuation or a verb of speech leads up to speech. What runs on from the narration
    without either is a title or a word that is named, unless it is a whole sentence or
    goes on with what was just said.
    """
    lead = text[max(paragraph.start, piece.opened - _LEAD) : piece.opened].rstrip(_AROUND)
    if not lead or not lead[-1].isalnum():
        return True
    said = piece.span.of(text)
    words = len(said.split(maxsplit=LONG))
    last = said.rstrip("_")[-1:]
    if said.lstrip(_AROUND)[:1].isupper():
        return last in _EXCLAIMS or words >= LONG or bool(_SAYING.search(lead))
    return words >= PHRASE and last in _ENDS and bool(before) and _together(text, before[0], piece)


def _grouped(text: str, pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    groups: list[list[_Piece]] = []
    for piece in pieces:
        if groups and _together(text, groups[-1][-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _together(text: str, before: _Piece, after: _Piece) -> bool:
    """Whether two pieces of a paragraph are one quotation that was interrupted.

    As PDNC has it (Vishnubhotla et al. 2022), they are two where narration with a sentence
    of its own parts them, or where nothing does.
    """
    if after.opened - before.span.end > FAR:
        return False
    between = text[before.span.end : after.opened].lstrip(_AROUND)
    if not between:
        return False
    finished = before.span.of(text).rstrip(_AROUND)[-1:] in _FINISHED
    if finished and between[0].isupper() and not _NAME_SAYS.match(between):
        return False
    return all(each.group(1).lower() in ABBREVIATED for each in _SENTENCE_ENDS.finditer(between))


# --- Dashes -------------------------------------------------------------------------------

_NAME = rf"(?:(?:M(?:r|rs|essrs)|Dr|St|Rev|Capt|Col)\.\s+)?[A-Z]{_WORD}*(?:\s+[A-Z]{_WORD}*)*"
_SUBJECT = (
    rf"(?:he|she|I|they|it|we|(?:[a-z]+\s+)?{_NAME}|(?:the|a|an|his|her|my)(?:\s+{_WORD}+){{1,3}}?)"
)
_TAG = re.compile(
    rf"(?<=[,!?;:…—-])\s+(?:{_SUBJECT}\s+{_VERBS}|{_VERBS}\s+{_SUBJECT})\b"
    rf"[^.!?,:]*(?:,\s+(?:{_WORD}+\s+)?{_WORD}{{2,}}ing\b[^.!?,:]*)*[.!?,:]*"
)


def _dashed(text: str, paragraph: Span) -> list[Quotation]:
    """What is spoken in a paragraph that begins with a dash: all but the narrator's tags.

    A tag follows a punctuation mark other than a full stop and has a verb of speech beside
    its subject. Speech goes on after it, but not with a participle ("he said, rising").
    """
    opening = _DASH_OPENS.match(text, paragraph.start, paragraph.end)
    if not opening:
        return []
    pieces: list[Span] = []
    start = opening.end()
    for tag in _TAG.finditer(text, start, paragraph.end):
        pieces += _stripped(text, start, tag.start())
        start = tag.end()
    pieces += _stripped(text, start, paragraph.end)
    return [Quotation(tuple(pieces))] if pieces else []
