"""The names of chapters in citations."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Chapter

FRONT_MATTER = "front matter"
"""The name of what stands before the first chapter."""

_NUMBER = re.compile(r"[IVXLCDM]+|[0-9]+")


def chapter_title(chapter: Chapter) -> str:
    """Return the title of a chapter, or the name of the front matter, which has no title."""
    return chapter.title if chapter.number else FRONT_MATTER


def chapter_name(chapter: Chapter) -> str:
    """Return a chapter as a citation has it: "ch. IV" for a numbered one, else its title."""
    return section_name(chapter.title, chapter.number)


def section_name(title: str, number: int) -> str:
    """Return the name of the chapter with a title and a number in its locators; see
    chapter_name."""
    name = (one_line(title) or str(number)) if number else FRONT_MATTER
    return f"ch. {name}" if _NUMBER.fullmatch(name) else name


def full_name(part: Iterable[str], title: str, number: int) -> str:
    """Return the name of a chapter after the headings above it: "Volume II, ch. IV"."""
    return ", ".join((*filter(None, map(one_line, part)), section_name(title, number)))
