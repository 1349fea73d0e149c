"""Citations of books: MLA 9, Chicago 17 and APA 7, and items for reference managers.

A book of Project Gutenberg is cited by the page of its ebook; an edition in print, where the user
names one, by its publisher and year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scholar_indexes.results import CitationStyle
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.results import CitedPlace
    from scholar_indexes.types import Book, Chapter, Imprint

PROJECT_GUTENBERG = "Project Gutenberg"

_PARTICLES = frozenset("af da de del der di du la le van von zu".split())
_SUFFIXES = frozenset(("jr.", "jr", "sr.", "sr", "ii", "iii", "iv"))
_SEVERAL = re.compile(r";|,? and | & ")
_INITIAL = re.compile(r"[^\W\d_][\w'’]*\.?")
_NUMBERED = re.compile(r"(?:(?P<part>[^.]+)\.)?(?P<number>\d+)")


class Name(NamedTuple):
    """A person's name; `given` is empty for a name that is not divided."""

    given: str
    family: str

    @property
    def natural(self) -> str:
        return f"{self.given} {self.family}".strip()

    @property
    def inverted(self) -> str:
        """The name as a list by surnames has it."""
        words = self.family.split()
        if len(words) > 1 and words[-1].lower() in _SUFFIXES:
            return f"{' '.join(words[:-1])}, {self.given}, {words[-1]}"
        return f"{self.family}, {self.given}" if self.given else self.family

    @property
    def surname(self) -> str:
        words = self.family.split()
        has_suffix = len(words) > 1 and words[-1].lower() in _SUFFIXES
        return " ".join(words[:-1]) if has_suffix else self.family

    @property
    def initials(self) -> str:
        """The initials of the given names, "F. S."; a hyphen stays between two."""
        parts = (
            "-".join(f"{match[0][0]}." for match in map(_INITIAL.match, word.split("-")) if match)
            for word in self.given.split()
        )
        return " ".join(filter(None, parts))


class Citation(NamedTuple):
    """A citation: what stands in the text or in a note, and the entry of the bibliography."""

    in_text: str
    entry: str


def split_name(name: str) -> Name:
    """Return a name, written "First Last" or "Last, First", in its two parts."""
    name = one_line(name).strip()
    family, comma, given = name.partition(", ")
    if comma and given.lower() not in _SUFFIXES:
        return Name(given, family)
    words = name.replace(",", "").split()
    if len(words) < 2:
        return Name("", name)
    first = len(words) - (2 if words[-1].lower() in _SUFFIXES and len(words) > 2 else 1)
    while first > 1 and words[first - 1] in _PARTICLES:
        first -= 1
    return Name(" ".join(words[:first]), " ".join(words[first:]))


def names(people: str) -> list[Name]:
    """Return the names of several people, which stand between semicolons or "and"."""
    return [split_name(part) for part in _SEVERAL.split(people) if part.strip()]


def csl_item(place: CitedPlace) -> dict[str, Any]:
    """Return a book as a CSL-JSON item."""
    item = book_item(place.book, place.imprint)
    if place.edition is not None:
        item["publisher"] = place.edition.publisher
        item["issued"] = {"date-parts": [[place.edition.year]]}
        item |= {"publisher-place": place.edition.city} if place.edition.city else {}
        item.pop("URL", None)
    return item


def book_item(book: Book, imprint: Imprint | None = None) -> dict[str, Any]:
    """Return a stored book as a CSL-JSON item."""
    item: dict[str, Any] = {"id": book.id, "type": "book", "title": one_line(book.title)}
    people = {"author": names(book.author)}
    if imprint is not None:
        people |= {
            "translator": [split_name(name) for name in imprint.translators],
            "editor": [split_name(name) for name in imprint.editors],
        }
    for role, listed in people.items():
        if listed:
            item[role] = [
                {"family": name.family, "given": name.given}
                if name.given
                else {"literal": name.family}
                for name in listed
            ]
    if book.language:
        item["language"] = book.language
    if imprint is not None and imprint.year is not None:
        item["issued"] = {"date-parts": [[imprint.year]]}
    if book.id.startswith("pg"):
        item["publisher"] = PROJECT_GUTENBERG
        item["URL"] = f"https://www.gutenberg.org/ebooks/{book.id[2:]}"
    return item


def cite(place: CitedPlace, style: CitationStyle, *, italics: str = "") -> Citation:
    """Return the citation of a place in a style; `italics` stand around the title."""
    title = one_line(place.title if style is CitationStyle.APA else place.book.title)
    return _STYLES[style](place, f"{italics}{title}{italics}")


def _mla(place: CitedPlace, title: str) -> Citation:
    authors = names(place.book.author)
    cited = place.page or _chapter(place.chapter, "ch. ")
    separator = " " if place.page else ", "
    shown = _surnames(authors, "and") or title
    in_text = f"({shown}{separator}{cited})" if cited else f"({shown})"
    contributors = [
        f"{role} {_series([split_name(name).natural for name in people], 'and')}"
        for role, people in (
            ("translated by", place.imprint.translators),
            ("edited by", place.imprint.editors),
        )
        if people
    ]
    publisher, year, address = _published(place)
    address = address.removeprefix("https://")
    container = _capital(_join(", ", *contributors, publisher, year, address))
    parts = (_mla_authors(authors), title, container)
    return Citation(in_text, _join(" ", *map(_sentence, parts)))


def _chicago(place: CitedPlace, title: str) -> Citation:
    authors = names(place.book.author)
    publisher, year, address = _published(place)
    city = place.edition.city if place.edition else ""
    imprint = _join(", ", f"{city}: {publisher}" if city else publisher, year)
    cited = place.page or _chapter(place.chapter, "chap. ")
    translators = _series([split_name(name).natural for name in place.imprint.translators], "and")
    editors = _series([split_name(name).natural for name in place.imprint.editors], "and")
    roles = [f"trans. {translators}" if translators else "", f"ed. {editors}" if editors else ""]
    head = _join(", ", _series([name.natural for name in authors], "and"), title, *roles)
    note = _join(", ", f"{head} ({imprint})" if imprint else head, cited, address)
    entry = _join(
        " ",
        _sentence(_chicago_authors(authors)),
        _sentence(title),
        f"Translated by {_sentence(translators)}" if translators else "",
        f"Edited by {_sentence(editors)}" if editors else "",
        _sentence(imprint),
        _sentence(address),
    )
    return Citation(_sentence(note), entry)


def _apa(place: CitedPlace, title: str) -> Citation:
    authors = names(place.book.author)
    publisher, year, address = _published(place)
    year = year or "n.d."
    cited = _pages(place.page) if place.page else _chapter(place.chapter, "Chapter ")
    in_text = f"({_join(', ', _surnames(authors, '&') or title, year, cited)})"
    translators = [split_name(name) for name in place.imprint.translators]
    listed = _series([f"{name.initials} {name.family}".strip() for name in translators], "&")
    if listed:
        title = f"{title} ({listed}, Trans.)"
    people = [_join(", ", name.family, name.initials) for name in authors]
    head = _series(people, "&", before_last=True)
    dated = f"({year})."
    parts = (_sentence(head), dated, _sentence(title)) if head else (_sentence(title), dated)
    return Citation(in_text, _join(" ", *parts, _sentence(publisher), address))


_STYLES = {
    CitationStyle.MLA: _mla,
    CitationStyle.CHICAGO: _chicago,
    CitationStyle.APA: _apa,
}


def _published(place: CitedPlace) -> tuple[str, str, str]:
    """Return the publisher, the year and the address of what is cited; each may be empty."""
    if place.edition is not None:
        return place.edition.publisher, str(place.edition.year), ""
    item = book_item(place.book, place.imprint)
    year = place.imprint.year
    return item.get("publisher", ""), "" if year is None else str(year), item.get("URL", "")


def _mla_authors(authors: Sequence[Name]) -> str:
    if len(authors) > 2:
        return f"{authors[0].inverted}, et al."
    return _join(", and ", *(_inverted_first(authors)))


def _chicago_authors(authors: Sequence[Name]) -> str:
    return _series(_inverted_first(authors), "and", before_last=True)


def _inverted_first(authors: Sequence[Name]) -> list[str]:
    return [name.natural if number else name.inverted for number, name in enumerate(authors)]


def _surnames(authors: Sequence[Name], conjunction: str) -> str:
    """Return the surnames of authors as they are cited in a text."""
    if len(authors) > 2:
        return f"{authors[0].surname} et al."
    return _series([name.surname for name in authors], conjunction)


def _pages(pages: str) -> str:
    """Return pages as APA abbreviates them: "p. 180", "pp. 12–15"."""
    return f"{'p.' if pages.isalnum() else 'pp.'} {pages}"


def _chapter(chapter: Chapter | None, word: str) -> str:
    """Return a chapter as a citation names it: by its number and those of the parts above it."""
    if chapter is None or not chapter.number:
        return ""
    numbered = _NUMBERED.fullmatch(chapter.printed)
    if numbered is None:
        return one_line(chapter.printed or chapter.title)
    part = one_line(chapter.part[-1]) if numbered["part"] and chapter.part else ""
    return _join(", ", part, f"{word}{numbered['number']}")


def _series(items: Sequence[str], conjunction: str, *, before_last: bool = False) -> str:
    """Return "a", "a and b" or "a, b, and c"; `before_last` asks for a comma between two too."""
    if len(items) < 2:
        return "".join(items)
    comma = "," if len(items) > 2 or before_last else ""
    return f"{', '.join(items[:-1])}{comma} {conjunction} {items[-1]}"


def _sentence(text: str) -> str:
    """Return a text with a full stop, unless it ends with a mark of its own."""
    return text if not text or text.rstrip('*_"”').endswith((".", "?", "!")) else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join(separator: str, *parts: str) -> str:
    return separator.join(filter(None, parts))
