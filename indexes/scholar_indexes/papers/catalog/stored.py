"""The papers, collections and outcomes that the catalogue returns, and their form in its rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from scholar_indexes.guarded import parse_json
from scholar_indexes.papers.duplicates import Sentences, said_by_sources
from scholar_indexes.papers.formats.csl import item_tags, item_venue, listed_authors
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Facet, Paper

MAX_TITLE_CHARS = 1_000
MAX_LANGUAGE_CHARS = 35

COLUMNS = (
    "number, revision, text_revision, id, title, year, language, added, csl, sentences, facets"
)
"""The columns that stored_paper reads, from papers joined with records."""

_FACET_BY_INITIAL = {facet[0]: facet for facet in Facet}


class EntryOutcomeKind(StrEnum):
    """The effects that an entry may have on the catalogue."""

    ADDED = "added"
    MERGED = "merged"  # it added something to a known paper
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class EntryOutcome:
    """The result of adding one entry: the number of its paper, and the paper's new revision."""

    number: int
    revision: int
    kind: EntryOutcomeKind
    has_abstract: bool


@dataclass(frozen=True, slots=True)
class AddedPapers:
    """The results of adding a batch of entries, in their order, and the batch's revision."""

    outcomes: tuple[EntryOutcome, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class StoredPaper:
    """A paper of the catalogue.

    number never changes and is never reused. revision is the revision of the last change,
    text_revision the revision of the last change to title or abstract: vectors stored at or after
    it are up to date. given has one item per sentence: the facet given by the source, or None.
    paper.facets has these and, once known, the predicted ones. csl is the CSL-JSON item without
    the abstract; collections are names; added is in UTC.
    """

    number: int
    revision: int
    text_revision: int
    paper: Paper
    given: tuple[Facet | None, ...]
    csl: Mapping[str, Any]
    language: str
    collections: tuple[str, ...]
    added: str

    def has_tag(self, tag: str) -> bool:
        """Return True if the paper has a tag, ignoring case."""
        return tag.strip().casefold() in (known.casefold() for known in item_tags(self.csl))

    @property
    def text(self) -> str:
        """The title and the abstract, with one line for the title and for each sentence."""
        return "\n".join(line for line in (self.paper.title, *self.paper.sentences) if line)


@dataclass(frozen=True, slots=True)
class PaperCollection:
    """A named set of papers; number identifies it in the index, papers is its size."""

    number: int
    name: str
    papers: int


def csl_item(stored: StoredPaper) -> dict[str, Any]:
    """Return a paper as a CSL-JSON item with its abstract."""
    item = said_by_sources(stored.csl)
    if stored.paper.sentences:
        item["abstract"] = " ".join(stored.paper.sentences)
    return item


def item_title(item: Mapping[str, Any]) -> str:
    """Return the title of a CSL-JSON item as one line, empty without one."""
    title = item.get("title")
    return one_line(title, MAX_TITLE_CHARS) if isinstance(title, str) else ""


def item_language(item: Mapping[str, Any]) -> str:
    """Return the language code of a CSL-JSON item, empty without one."""
    language = item.get("language")
    return one_line(language, MAX_LANGUAGE_CHARS) if isinstance(language, str) else ""


def parse_column(column: str) -> Any:
    """Return the JSON value of a column. Raises sqlite3.DatabaseError, as for other damage to the
    file, if it is not JSON."""
    try:
        return parse_json(column)
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"a column is not JSON: {error}") from error


def encode_sentences(sentences: Sentences) -> str:
    """Return sentences and their facets as the JSON of the column "sentences"."""
    return json.dumps([[text, facet] for text, facet in sentences])


def decode_sentences(column: str) -> Sentences:
    """Return the sentences and facets that `encode_sentences` wrote."""
    return tuple((text, Facet(facet) if facet else None) for text, facet in parse_column(column))


def encode_facets(facets: Sequence[Facet]) -> str:
    """Return predicted facets as the column "facets": one initial per sentence."""
    return "".join(facet[0] for facet in facets)


def stored_paper(
    row: Sequence[Any], ids: tuple[str, ...], collections: tuple[str, ...]
) -> StoredPaper:
    """Return the paper in a row of COLUMNS, with its ids and the names of its collections.

    Raises ValueError, TypeError, KeyError or AttributeError for a damaged row.
    """
    number, revision, text_revision, best_id, title, year, language, added, csl, texts, initials = (
        row
    )
    item = parse_column(csl)
    sentences = decode_sentences(texts)
    given = tuple(facet for _, facet in sentences)
    facets = tuple(_FACET_BY_INITIAL[initial] for initial in initials) or tuple(
        facet or Facet.OTHER for facet in given
    )
    if len(facets) != len(sentences):
        raise ValueError(f"paper {number} has {len(sentences)} sentences and {len(facets)} facets")
    paper = Paper(
        best_id,
        title,
        tuple(text for text, _ in sentences),
        facets,
        listed_authors(item),
        year,
        item_venue(item),
        ids,
    )
    return StoredPaper(
        number, revision, text_revision, paper, given, item, language, collections, added
    )
