"""Divide a novel by its headings into sections that are told by one narrator each.

A section begins at each chapter and at each heading that names a narrator: "Dr. Seward's Diary",
"The Story Continued by Marian Halcombe", "Evelina to the Rev. Mr. Villars".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholar_indexes.books.segmentation import headings
from scholar_indexes.stopping import checked
from scholar_indexes.types import Span

_LONGEST_HEADING = 160
_CHARACTERS_BEFORE_FIRST = 2 * _LONGEST_HEADING
"""The number of characters before the first chapter that are searched for headings."""

_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_WORD = re.compile(r"[^\W\d_]+")
_SPEECH_MARK = re.compile(r"[\"“”]")
_SUBTITLE = re.compile(r"--|—|\(|\[|,")
_SMALL_IN_HEADINGS = frozenset(
    "from with begun continued resumed concluded told written kept related narrated".split()
)
_SHORTEST_CAPITALIZED = 4

_DOCUMENT = (
    r"(?:diary|journal|narrative|story|statement|account|letter|deposition|testimony|evidence|"
    r"confession|memorandum|report|tale|relation|history|memoirs?|note|telegram|chronicle)"
)
_OWN_DOCUMENT = r"(?:diary|journal|narrative|statement|deposition|testimony|evidence|confession)"
"""Documents whose "of" names the author; "the story of" names the subject."""

_TOLD = r"(?:begun|continued|resumed|concluded|told|written|kept|related|narrated|contributed)"
_NAME = r"(?P<name>[^,;:(\[]{3,60}?)"
_PATTERNS = (
    re.compile(rf"^{_NAME}['’]s?\s+(?:\w+\s+){{0,2}}{_DOCUMENT}\b", re.IGNORECASE),
    re.compile(
        r"^(?:(?i:letter|telegram|note)s?\b[\s,.:]*)?(?:[ivxlcIVXLC\d]+[.,:]?\s+)?(?i:from\s+)?"
        rf"{_NAME}\s+(?i:to)\s+(?i:the\s+|his\s+|her\s+)?(?:(?i:same)\b|[A-Z])"
    ),
    re.compile(
        rf"\b(?:{_DOCUMENT}\b(?:\s+(?:is|was))?(?:\s+{_TOLD})?,?\s+(?:by|from)|{_OWN_DOCUMENT}\s+of)"
        rf"\s+{_NAME}(?:[,;:(\[]|$)",
        re.IGNORECASE,
    ),
    re.compile(rf"^{_TOLD}\s+by\s+{_NAME}(?:[,;:(\[]|$)", re.IGNORECASE),
    re.compile(rf"^{_NAME},?\s+(?:in\s+continuation|continues)\b", re.IGNORECASE),
)
"""The forms of headings that name a narrator."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a novel, and the narrator's name as in the heading, or ""."""

    span: Span
    narrator_name: str


def divide(text: str, bodies: Sequence[Span]) -> list[Section]:
    """Return the sections of a novel in order, without overlap.

    `bodies` are the chapters without their headings, which come before and between them; if there
    are none, the chapters are found by the headings in the text.
    """
    regions = bodies or _find_bodies(text)
    edges = {body.start: "" for body in regions}
    edges |= _find_named_headings(text, regions)
    positions = sorted({*edges, *(body.end for body in regions)})
    sections, pending = [], ""
    for start, end in pairwise(positions):
        name = edges.get(start, "") or pending
        if _is_within(start, regions) and text[start:end].strip():
            sections.append(Section(Span(start, end), name))
            pending = ""
        else:
            pending = name  # a heading between two chapters belongs to the next one
    return sections


def _find_bodies(text: str) -> list[Span]:
    """Return the spans between the headings of a text."""
    marks = [
        match
        for match in checked(_PARAGRAPH.finditer(text))
        if len(match.group()) <= _LONGEST_HEADING and headings.parse_heading(match.group())
    ]
    starts = [0, *(match.end() for match in marks)]
    ends = [*(match.start() for match in marks), len(text)]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def _find_named_headings(text: str, bodies: Sequence[Span]) -> dict[int, str]:
    """Return the names of narrators in headings, by the position at which the heading ends."""
    if not bodies:
        return {}
    start = max(0, bodies[0].start - _CHARACTERS_BEFORE_FIRST)
    start = text.find("\n\n", start, bodies[0].start) if start else 0
    matches = _PARAGRAPH.finditer(text, max(start, 0), bodies[-1].end)
    paragraphs = (match for match in checked(matches) if len(match.group()) <= _LONGEST_HEADING)
    return {
        match.end(): name for match in paragraphs for name in parse_narrator_heading(match.group())
    }


def _is_within(position: int, bodies: Sequence[Span]) -> bool:
    index = bisect_right(bodies, position, key=lambda body: body.start) - 1
    return index >= 0 and position < bodies[index].end


def parse_narrator_heading(paragraph: str) -> Iterator[str]:
    """Yield the name of the narrator if the paragraph is a heading that names one."""
    heading = " ".join(paragraph.replace("_", " ").strip(" \n[](){}=*").split())
    if not _is_heading_style(heading):
        return
    for pattern in _PATTERNS:
        match = pattern.search(heading)
        name = match["name"].strip(" .") if match else ""
        if any(map(str.isupper, name)) and not name.lower().startswith("the end"):
            yield name
            return


def _is_heading_style(line: str) -> bool:
    """Return True if all longer words of a line are capitalised and it contains no speech."""
    words = _WORD.findall(_SUBTITLE.split(line)[0])
    return not _SPEECH_MARK.search(line) and all(
        word[0].isupper() or len(word) < _SHORTEST_CAPITALIZED or word.lower() in _SMALL_IN_HEADINGS
        for word in words
    )
