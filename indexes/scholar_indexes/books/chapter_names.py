"""The names of chapters in citations."""

from __future__ import annotations

import re

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
    title = one_line(chapter_title(chapter)) or str(chapter.number)
    return f"ch. {title}" if _NUMBER.fullmatch(title) else title
