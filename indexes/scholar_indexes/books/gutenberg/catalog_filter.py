"""Filters of Gutenberg's catalogue: `language=en subject="science fiction"`.

A filter is one or more terms of the form field=value, all of which must match; a value with
spaces is quoted. A value matches if one of the field's headings (a subject, an author, a
language) has all of its words, in any order, regardless of case and accents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
from scholar_indexes.errors import UsageError
from scholar_indexes.folding import fold_text
from scholar_indexes.sanitize import one_line

FIELDS: dict[str, Callable[[CatalogEntry], Iterable[str]]] = {
    "language": lambda entry: entry.language.split(";"),
    "subject": lambda entry: entry.subjects,
    "author": lambda entry: entry.authors.split(";"),
    "title": lambda entry: (entry.title,),
    "bookshelf": lambda entry: entry.bookshelves,
    "type": lambda entry: (entry.kind,),
}
"""The headings of an entry that a value is matched against, by field."""

_TERM = re.compile(r"""\s*([^\s="']+)\s*=\s*(?:"([^"]*)"|'([^']*)'(?=\s|$)|([^\s"]\S*))(?=\s|$)""")


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """The terms that an entry must match: fields, and the words of their values."""

    terms: tuple[tuple[str, frozenset[str]], ...]

    def matches(self, entry: CatalogEntry) -> bool:
        """Return True if an entry matches every term."""
        return all(
            any(words <= _words(heading) for heading in FIELDS[field](entry))
            for field, words in self.terms
        )


def parse(text: str) -> CatalogFilter:
    """Return the parsed filter, restricted to texts unless it has a type; raises UsageError."""
    terms, end = [], 0
    while text[end:].strip():
        term = _TERM.match(text, end)
        if term is None:
            raise UsageError(
                f"{one_line(text[end:], 60)!r} is not a catalogue filter; write field=value, "
                f'as in language=en author="Jane Austen"; fields: {", ".join(FIELDS)}'
            )
        field = term[1].casefold()
        if field not in FIELDS:
            raise UsageError(
                f"the catalogue has no field {one_line(field, 40)!r}; fields: {', '.join(FIELDS)}"
            )
        words = _words(next(value for value in term.groups()[1:] if value is not None))
        if not words:
            raise UsageError(f"{one_line(term[0], 60).strip()} has no word to match; add one")
        terms.append((field, words))
        end = term.end()
    if not terms:
        raise UsageError(f"a catalogue filter needs field=value; fields: {', '.join(FIELDS)}")
    if all(field != "type" for field, _ in terms):
        terms.append(("type", frozenset({"text"})))
    return CatalogFilter(tuple(terms))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", fold_text(text)))
