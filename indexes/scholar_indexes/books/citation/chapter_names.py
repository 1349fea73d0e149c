"""The names of chapters in citations."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Chapter

FRONT_MATTER = "front matter"
"""The name of the text before the first chapter."""

_NUMBER = re.compile(r"[IVXLCDM]+|[0-9]+")
_WORDS = re.compile(r"[a-z]+")
_SONNETS = frozenset(("sonnet", "sonnets"))
_POEMS = frozenset(("poem", "poems", "poetical", "verse", "verses"))


def chapter_title(chapter: Chapter) -> str:
    """Return the title of a chapter, or FRONT_MATTER for the front matter, which has no title."""
    return chapter.title if chapter.number else FRONT_MATTER


def numeral_word(book_title: str) -> str:
    """Return the unit that a bare numeral counts in a book with this title: "sonnet", "chapter",
    or an empty string in a book of poems."""
    words = set(_WORDS.findall(book_title.casefold()))
    if words & _SONNETS:
        return "sonnet"
    return "" if words & _POEMS else "chapter"


def chapter_name(chapter: Chapter, book_title: str) -> str:
    """Return the name of a chapter in a citation: "ch. IV" or "sonnet IV" if its title is only a
    numeral, else its title."""
    return section_name(chapter.title, chapter.number, book_title)


def section_name(title: str, number: int, book_title: str) -> str:
    """Return the name of the chapter with a title and a section number; see chapter_name."""
    name = (one_line(title) or str(number)) if number else FRONT_MATTER
    if not _NUMBER.fullmatch(name):
        return name
    word = numeral_word(book_title)
    return " ".join(filter(None, ("ch." if word == "chapter" else word, name)))


def full_name(chapter: Chapter, book_title: str) -> str:
    """Return the name of a chapter, preceded by the headings above it: "Volume II, ch. IV"."""
    return full_section_name(chapter.part, chapter.title, chapter.number, book_title)


def full_section_name(part: Iterable[str], title: str, number: int, book_title: str) -> str:
    """Return the name of the chapter with these parts, title and section number; see full_name."""
    return ", ".join((*filter(None, map(one_line, part)), section_name(title, number, book_title)))
