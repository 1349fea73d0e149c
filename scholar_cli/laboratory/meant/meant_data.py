"""Claims that mean a character of a well-known novel without a name (docs/ranking.md).

claims.jsonl has one claim per line of JSON:

    {"gutenberg_id": "33", "claim", "phrase": "Hester's daughter", "names": ["Pearl"]}

names are the names that the character may have in the cast of the novel.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scholar_indexes.coreference.mentions import name_words
from scholar_indexes.types import Character, Span

FILE = Path(__file__).with_name("claims.jsonl")


@dataclass(frozen=True, slots=True)
class PhraseClaim:
    """A claim about a book, the span of a phrase in it, and the names of the character it means."""

    gutenberg_id: str
    claim: str
    span: Span
    names: tuple[str, ...]

    @property
    def book_id(self) -> str:
        """The id of the book in a library."""
        return f"pg{self.gutenberg_id}"

    def means(self, character: Character) -> bool:
        """Return True if a character of the book has one of the names."""
        wanted = set(map(name_words, self.names))
        return not wanted.isdisjoint(map(name_words, (character.name, *character.aliases)))


@cache
def load() -> tuple[PhraseClaim, ...]:
    """Return all claims."""
    records = map(json.loads, FILE.read_text("utf-8").splitlines())
    return tuple(
        PhraseClaim(
            record["gutenberg_id"],
            record["claim"],
            Span(start := record["claim"].index(record["phrase"]), start + len(record["phrase"])),
            tuple(record["names"]),
        )
        for record in records
    )
