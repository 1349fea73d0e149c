"""The dialogue of a play, whose speech headings name the speakers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import capwords

from scholar_indexes.attribution.cast_list import (
    CastList,
    FullName,
    expand_headings,
    read_cast_list,
)
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.attribution.quotes.paragraphs import split_paragraphs, strip_span
from scholar_indexes.coreference.character_ids import new_id
from scholar_indexes.lexicon import given_names
from scholar_indexes.types import Attribution, Character, Quotation, QuoteKind, Span

OFTEN = 3
"""The minimum number of headings of a frequent speaker, by whom a play is recognized."""

SPEECHES = 8
SHARE = 0.3
"""The minimum number and share of paragraphs with such a heading in a play."""

_FIRST = r"(?:\d |I{1,3} |[A-Z]\. )?"
_TITLE = r"(?:(?:MRS?|DR|ST|CAPT|COL|SIR|LADY)\.? )?"
_CAPITALS = r"[A-Z][A-Z'’&, -]{0,40}[A-Z]"
_DIRECTION = r"(?:[ \t]*\n?[ \t]*[\[(][^\])]{0,160}[\])])?"
_HEADING = re.compile(
    rf"(?:(?P<capitals>{_FIRST}{_TITLE}{_CAPITALS}(?: and {_CAPITALS})?)"
    r"|_(?P<italics>[A-Z][\w'’ -]{0,30})\.?_"
    rf"|(?P<shortened>{_FIRST}[A-Z][a-z]+(?:\.? and [A-Z][a-z]+| [A-Z][a-z]*)?)(?=\.))"
    rf"(?:{_DIRECTION}[.:](?=[\s_—-]|$)|(?<=\._)(?=\s)|{_DIRECTION}[ \t]*(?=\n|$))[_ \t]*"
)
_NO_NAME = re.compile(
    r"(?:ACT|SCENE|PROLOGUE|EPILOGUE|INDUCTION|CURTAIN|END|FINIS|THE END|CONTENTS|DRAMATIS|CHAPTER"
    r"|[IVXLC]+$|PERSONS|CHARACTERS|BOOK|PART|CANTO|NOTES?|EXEUNT|EXIT|ENTER)\b",
    re.IGNORECASE,
)
_STAGE = re.compile(r"[\[(_]*(?:Enter|Exit|Exeunt|Re-enter|Curtain)\b|\[[^\]]*\]\W*$|\([^)]*\)\W*$")
_TOGETHER = re.compile(
    r"(?:ALL|BOTH|OMNES|SEVERAL|ALL THE \w+|.*(?:, | AND | & ).*)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Speech:
    """A speech: the name in its heading, the span of the heading and the paragraphs spoken."""

    name: str
    heading: Span
    paragraphs: tuple[Span, ...]


def read_play(text: str, bodies: Sequence[Span]) -> Dialogue | None:
    """Return the dialogue of a play, or None if the text is not a play.

    Every heading is the evidence for its speech, with confidence 1; a speech of several people
    together has no speaker. An abbreviated heading ("Ham.") gets its full name from the list of
    persons, if there is one in the bodies or before them. Takes time linear in the text.
    """
    paragraphs = [
        paragraph
        for body in bodies or (Span(0, len(text)),)
        for paragraph in split_paragraphs(text, body)
    ]
    headings = [_match_heading(text, paragraph) for paragraph in paragraphs]
    if not _is_play(headings):
        return None
    speeches = [
        speech for speech in _read_speeches(text, paragraphs, headings) if speech.paragraphs
    ]
    cast = _cast_of(speeches, read_cast_list(text, bodies))
    return Dialogue(
        tuple(dict.fromkeys(cast.values())),
        tuple(Quotation(speech.paragraphs) for speech in speeches),
        tuple(_attribution(speech, cast) for speech in speeches),
    )


def _match_heading(text: str, paragraph: Span) -> re.Match[str] | None:
    match = _HEADING.match(text, paragraph.start, paragraph.end)
    return None if match is None or _NO_NAME.match(_name(match)) else match


def _name(heading: re.Match[str]) -> str:
    name = heading["capitals"] or heading["italics"] or heading["shortened"]
    return capwords(" ".join(name.split()).rstrip("., "))


def _is_play(headings: Sequence[re.Match[str] | None]) -> bool:
    """Return True if enough paragraphs begin with the names of at least two frequent speakers."""
    counts = Counter(_name(heading) for heading in headings if heading)
    often = [count for count in counts.values() if count >= OFTEN]
    return len(often) > 1 and sum(often) >= max(SPEECHES, SHARE * len(headings))


def _read_speeches(
    text: str, paragraphs: Sequence[Span], headings: Sequence[re.Match[str] | None]
) -> Iterator[_Speech]:
    """Yield the speeches, which end at the next heading, stage direction ("Enter ...") or division.
    Bracketed directions are skipped."""
    heading: re.Match[str] | None = None
    spoken: list[Span] = []
    for paragraph, match in zip(paragraphs, headings, strict=True):
        words = paragraph.of(text)
        if heading and (match or _NO_NAME.match(words)):
            yield _to_speech(heading, spoken)
            heading, spoken = None, []
        if match:
            heading, spoken = match, strip_span(text, match.end(), paragraph.end)
        elif heading and not _STAGE.match(words):
            spoken.append(paragraph)
    if heading:
        yield _to_speech(heading, spoken)


def _to_speech(heading: re.Match[str], spoken: Sequence[Span]) -> _Speech:
    end = heading.start() + len(heading.group().rstrip(" \t_"))
    return _Speech(_name(heading), Span(heading.start(), end), tuple(spoken))


def _cast_of(speeches: Sequence[_Speech], cast_list: CastList) -> dict[str, Character]:
    """Return the characters by the names in their headings, in the order in which they first
    speak."""
    headings = dict.fromkeys(speech.name for speech in speeches if not _TOGETHER.match(speech.name))
    full_names = expand_headings(list(headings), cast_list)
    characters: dict[str, Character] = {}
    ids: set[str] = set()
    cast = {}
    for heading in headings:
        full_name = full_names.get(heading, FullName(heading, heading))
        if full_name.name not in characters:
            characters[full_name.name] = _character(full_name, ids)
        cast[heading] = characters[full_name.name]
    return cast


def _character(full_name: FullName, ids: set[str]) -> Character:
    """Return a new character, and add its id to `ids`, which are in use."""
    identifier = new_id(full_name.name, ids)
    ids.add(identifier)
    aliases = tuple(dict.fromkeys((full_name.name, full_name.short_name)))
    gender = given_names.gender(full_name.short_name.lower())
    return Character(identifier, full_name.name, aliases, gender)


def _attribution(speech: _Speech, cast: Mapping[str, Character]) -> Attribution:
    speaker = cast.get(speech.name)
    return Attribution(speaker, QuoteKind.EXPLICIT, speech.heading, 1.0 if speaker else 0.0)
