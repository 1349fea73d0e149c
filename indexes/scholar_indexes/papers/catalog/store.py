"""The catalogue of papers in one SQLite file, read without opening LanceDB.

A paper is listed once its vectors are stored, and is taken off the list before they are
removed; papers left behind by an interrupted command are in the state "adding" or "removing" until
the next command that writes.

A paper has the revision of its last change, a vector space the revision up to which its vectors
are stored. Papers of a later revision are pending: new papers, papers whose text or collections
changed, or all papers for a new model.

    while batch := catalog.pending(space):
        (encode the texts that changed, write their vectors into the index)
        catalog.mark_indexed(space, batch[-1].revision, facets)
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.folding import fold_text
from scholar_indexes.papers import ids
from scholar_indexes.papers.catalog import origins
from scholar_indexes.papers.catalog.lookup import (
    MAX_SUGGESTIONS,
    YearRange,
    contains_terms,
    describe,
    find_numbers,
    listed_papers,
    suggest,
)
from scholar_indexes.papers.catalog.merging import (
    MAX_NAME_CHARS,
    add_entry,
    edit_paper,
    ensure_collection,
    set_revision,
    unlist_paper,
)
from scholar_indexes.papers.catalog.schema import SCHEMA_VERSION, STATEMENTS, UPGRADES
from scholar_indexes.papers.catalog.stored import (
    COLUMNS,
    AddedPapers,
    PaperCollection,
    StoredPaper,
    csl_item,
    encode_facets,
    stored_paper,
)
from scholar_indexes.papers.editing import PaperEdit
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats.csl import item_tags
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.sqlite import SqliteFile
from scholar_indexes.types import Facet, Progress, silent

DEFAULT_COLLECTION = "papers"

BATCH_SIZE = 1_000
"""Entries to add, and papers to encode, at a time: bounds memory."""

_PAGE_SIZE = 500
_MAX_NUMBERS = 500
_MAX_NAMED_COLLECTIONS = _MAX_NAMED_TAGS = 20
_DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, KeyError, AttributeError)
_ALL_YEARS: YearRange = (None, None)


class PaperCatalog:
    """The catalogue of papers in one SQLite file, created on first use.

    Methods that read return nothing if there is no file. Raises Damaged if the file is not such a
    catalogue, and Busy if another program locks it for longer than `timeout_s`.
    """

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._file = SqliteFile(
            path,
            STATEMENTS,
            SCHEMA_VERSION,
            "the list of papers",
            timeout_s=timeout_s,
            upgrades=UPGRADES,
        )
        self._connection = self._file.connection

    def check(self) -> None:
        """Read the whole file. Raises Damaged if it is damaged or lost."""
        self._file.check()
        for _ in self.papers():
            pass

    def replace_if_damaged(self) -> str:
        """Start a new list if this one is damaged or lost; see SqliteFile.replace_if_damaged."""
        return self._file.replace_if_damaged(self.check)

    def paper(self, reference: str) -> StoredPaper:
        """Return the listed paper of a reference: any of its ids, a citation key, its number
        ("12" or "#12") or an unambiguous phrase of its title.

        Raises NotThere, suggesting similar ones, if there is none, and UsageError naming them if
        there are several.
        """
        shown = one_line(reference)[: ids.MAX_REFERENCE_CHARS]
        if not self._file.is_begun:
            raise NotThere(f"there is no paper {shown!r}; add some: scholar papers add FILE")
        with self._connection() as db:
            numbers = find_numbers(db, shown)
            if len(numbers) == 1:
                return next(self._read_papers(db, f"number = {numbers[0]}"))
            if numbers:
                choices = describe(db, numbers[:MAX_SUGGESTIONS])
                raise UsageError(f"{shown!r} could be several papers; give an id: {choices}")
            suggestions = describe(db, suggest(db, shown))
        hint = f"similar ones: {suggestions}" if suggestions else "see: scholar papers list"
        raise NotThere(f"there is no paper {shown!r}; {hint}")

    def by_number(self, numbers: Iterable[int]) -> dict[int, StoredPaper]:
        """Return the listed papers among the given numbers, by number."""
        wanted = [int(number) for number in numbers]
        if not self._file.is_begun:
            return {}
        papers: dict[int, StoredPaper] = {}
        with self._connection() as db:
            for start in range(0, len(wanted), _MAX_NUMBERS):
                page = ", ".join(map(str, wanted[start : start + _MAX_NUMBERS]))
                condition = f"state = 'listed' AND number IN ({page})"
                papers |= {stored.number: stored for stored in self._read_papers(db, condition)}
        return papers

    def papers(
        self,
        collection: str | None = None,
        years: YearRange = _ALL_YEARS,
        offset: int = 0,
        limit: int | None = None,
    ) -> Iterator[StoredPaper]:
        """Yield listed papers in the order they were added, with one page in memory at a time.

        A paper without a year is only in the open range of years. Papers added meanwhile
        may be missing. Raises NotThere for an unknown collection.
        """
        if not self._file.is_begun:
            return
        with self._connection() as db:
            tables, condition = listed_papers(self._collection(db, collection), years)
        last_number, remaining = 0, sys.maxsize if limit is None else limit
        while remaining > 0:
            with self._connection() as db:
                rows = db.execute(
                    f"SELECT number FROM {tables} WHERE {condition} AND number > ?"
                    " ORDER BY number LIMIT ? OFFSET ?",
                    (last_number, min(_PAGE_SIZE, remaining), offset),
                ).fetchall()
                numbers = ", ".join(str(number) for (number,) in rows)
                page = list(self._read_papers(db, f"number IN ({numbers}) ORDER BY number"))
            if not rows:
                return
            yield from page
            last_number, remaining, offset = rows[-1][0], remaining - len(rows), 0

    def search(
        self,
        words: str,
        collection: str | None = None,
        years: YearRange = _ALL_YEARS,
        limit: int | None = None,
        progress: Progress = silent,
    ) -> list[StoredPaper]:
        """Return the first listed papers that contain all the words, or parts of words, in title,
        authors, year, venue, tags, note or id; case and accents do not matter. Raises as `papers`.
        """
        terms = fold_text(words).split()
        if not terms:
            return list(self.papers(collection, years, limit=limit))
        numbers = list(islice(self._scan(terms, collection, years, progress), limit))
        papers = self.by_number(numbers)
        return [papers[number] for number in numbers if number in papers]

    def is_empty(self) -> bool:
        """Return True if no paper is listed, in constant time."""
        if not self._file.is_begun:
            return True
        with self._connection() as db:
            row = db.execute("SELECT 1 FROM papers WHERE state = 'listed' LIMIT 1").fetchone()
        return row is None

    def count(self, collection: str | None = None, years: YearRange = _ALL_YEARS) -> int:
        """Return the number of papers that `papers` yields."""
        if not self._file.is_begun:
            return 0
        with self._connection() as db:
            tables, condition = listed_papers(self._collection(db, collection), years)
            row = db.execute(f"SELECT count(*) FROM {tables} WHERE {condition}").fetchone()
            return int(row[0])

    def collections(self) -> list[PaperCollection]:
        """Return all collections, sorted by name, with the number of their listed papers."""
        if not self._file.is_begun:
            return []
        with self._connection() as db:
            size = (
                "SELECT count(*) FROM members JOIN papers USING (number)"
                " WHERE collection = collections.number AND state = 'listed'"
            )
            if not db.execute("SELECT 1 FROM papers WHERE state <> 'listed'").fetchone():
                size = "SELECT count(*) FROM members WHERE collection = collections.number"
            rows = db.execute(f"SELECT number, name, ({size}) FROM collections ORDER BY name")
            return [PaperCollection(*row) for row in rows]

    def collection_numbers(self, names: Iterable[str] | None = None) -> dict[str, int]:
        """Return the numbers that identify the given collections (default: all) in the index.
        Raises NotThere for an unknown name."""
        if not self._file.is_begun:
            if names is None:
                return {}
            raise NotThere("there are no papers yet; add some: scholar papers add FILE")
        with self._connection() as db:
            if names is None:
                return dict(db.execute("SELECT name, number FROM collections").fetchall())
            return {name: self._collection(db, name) or 0 for name in names}

    def check_tag(self, tag: str) -> None:
        """Raise NotThere, naming existing tags, if no listed paper has the tag."""
        tags: dict[str, str] = {}
        for paper in self.papers():
            if paper.has_tag(tag):
                return
            tags |= {known.casefold(): known for known in item_tags(paper.csl)}
        named = ", ".join(name for _, name in sorted(tags.items())[:_MAX_NAMED_TAGS])
        hint = f"existing tags: {named}" if named else "add tags: scholar papers edit --tag"
        raise NotThere(f"no paper has the tag {one_line(tag, MAX_NAME_CHARS)!r}; {hint}")

    def csl_items(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """Return the CSL-JSON items, with abstracts, of the listed papers among the given
        numbers, in this order."""
        papers = self.by_number(numbers)
        return [csl_item(papers[number]) for number in numbers if number in papers]

    def pending(self, space: str, limit: int = BATCH_SIZE) -> list[StoredPaper]:
        """Return the next papers whose vectors are missing from a space, by revision: about
        `limit`, at least one whole revision. Empty if none is missing."""
        if not self._file.is_begun:
            return []
        with self._connection() as db:
            row = db.execute("SELECT stored FROM spaces WHERE space = ?", (space,)).fetchone()
            stored = int(row[0]) if row else 0
            condition = "revision > ? AND state <> 'removing'"
            revisions = db.execute(
                f"SELECT revision FROM papers WHERE {condition} ORDER BY revision LIMIT ?",
                (stored, limit + 1),
            ).fetchall()
            if not revisions:
                return []
            last = revisions[-1][0]
            if len(revisions) > limit and last > revisions[0][0]:
                last -= 1  # not all papers of the last revision are among the rows
            page = f"{condition} AND revision <= ? ORDER BY revision, number"
            return list(self._read_papers(db, page, stored, last))

    def count_pending(self, space: str) -> int:
        """Return the number of listed papers that are pending for a space."""
        if not self._file.is_begun:
            return 0
        with self._connection() as db:
            row = db.execute(
                "SELECT count(*) FROM papers WHERE state = 'listed' AND revision >"
                " coalesce((SELECT stored FROM spaces WHERE space = ?), 0)",
                (space,),
            ).fetchone()
            return int(row[0])

    def unfinished(self) -> list[int]:
        """Return the papers that an interrupted command left half added or half removed."""
        if not self._file.is_begun:
            return []
        with self._connection() as db:
            rows = db.execute("SELECT number FROM papers WHERE state <> 'listed' ORDER BY number")
            return [number for (number,) in rows]

    def add(self, entries: Iterable[Entry], collection: str = DEFAULT_COLLECTION) -> AddedPapers:
        """Add a batch of entries, about BATCH_SIZE of them, in one transaction.

        An entry of a known paper is merged with it. New papers are listed by `mark_indexed`.
        """
        with self._connection(change=True) as db:
            number = ensure_collection(db, collection)
            revision = _next_revision(db)
            outcomes = tuple(add_entry(db, entry, number, revision) for entry in entries)
        return AddedPapers(outcomes, revision)

    def foresee(
        self, entries: Iterable[Entry], collection: str = DEFAULT_COLLECTION
    ) -> list[StoredPaper]:
        """Return the papers whose title or abstract `add` would set, as it would leave them; the
        catalogue does not change."""
        with self._connection(change=True) as db:
            number = ensure_collection(db, collection)
            revision = _next_revision(db)
            for entry in entries:
                add_entry(db, entry, number, revision)
            condition = "text_revision = ? ORDER BY number"
            papers = list(self._read_papers(db, condition, revision))
            db.execute("ROLLBACK")
            db.execute("BEGIN")  # the connection ends with a commit
        return papers

    def papers_of_file(self, origin: str, digest: str, collection: str) -> list[int]:
        """Return the papers that a file gave when it was read with this digest; none if one of
        them is no longer listed in the collection; see `remember_file`."""
        if not self._file.is_begun:
            return []
        with self._connection() as db:
            row = db.execute("SELECT number FROM collections WHERE name = ?", (collection,))
            number = row.fetchone()
            return origins.known_papers(db, origin, digest, int(number[0])) if number else []

    def remember_file(self, origin: str, digest: str, numbers: Iterable[int]) -> None:
        """Store which papers a file with this digest gives."""
        with self._connection(change=True) as db:
            origins.remember(db, origin, digest, list(numbers))

    def edit(self, number: int, edit: PaperEdit) -> None:
        """Change a listed paper; it is pending if its title, abstract or year changed."""
        with self._connection(change=True) as db:
            edit_paper(db, number, edit, _next_revision(db))

    def mark_indexed(
        self, space: str, revision: int, facets: Mapping[int, Sequence[Facet]] | None = None
    ) -> None:
        """List the papers up to a revision, whose vectors a space now has. `facets` are the
        predicted facets of the sentences of papers, by number."""
        with self._connection(change=True) as db:
            for number, predicted in (facets or {}).items():
                db.execute(
                    "UPDATE records SET facets = ? WHERE number = ?",
                    (encode_facets(predicted), number),
                )
            db.execute(
                "INSERT INTO spaces VALUES (?, ?)"
                " ON CONFLICT (space) DO UPDATE SET stored = max(stored, excluded.stored)",
                (space, revision),
            )
            db.execute(
                "UPDATE papers SET state = 'listed' WHERE state = 'adding' AND revision <= ?",
                (revision,),
            )

    def forget_spaces(self) -> None:
        """Record that no space has vectors any more: all papers are pending for each."""
        with self._connection(change=True) as db:
            db.execute("DELETE FROM spaces")

    def unlist(self, numbers: Iterable[int]) -> None:
        """Take papers off the list; their vectors may be removed afterwards."""
        with self._connection(change=True) as db:
            for number in numbers:
                unlist_paper(db, int(number))

    def purge(self, numbers: Iterable[int]) -> None:
        """Delete unlisted papers whose vectors have been removed."""
        with self._connection(change=True) as db:
            db.executemany(
                "DELETE FROM papers WHERE number = ? AND state <> 'listed'",
                [(int(number),) for number in numbers],
            )

    def remove_from_collection(self, numbers: Iterable[int], collection: str) -> list[int]:
        """Take papers out of a collection; unlist and return the papers that are in no other."""
        with self._connection(change=True) as db:
            collection_number = self._collection(db, collection)
            revision, unlisted = _next_revision(db), []
            for number in numbers:
                removed = db.execute(
                    "DELETE FROM members WHERE collection = ? AND number = ?",
                    (collection_number, number),
                ).rowcount
                if not removed:
                    continue
                if db.execute("SELECT 1 FROM members WHERE number = ?", (number,)).fetchone():
                    set_revision(db, number, revision)
                else:
                    unlisted.append(number)
                    unlist_paper(db, number)
        return unlisted

    def _scan(
        self, terms: Sequence[str], collection: str | None, years: YearRange, progress: Progress
    ) -> Iterator[int]:
        """Yield the listed papers that contain all folded terms."""
        if not self._file.is_begun:
            return
        with self._connection() as db:
            tables, condition = listed_papers(self._collection(db, collection), years)
        last_number, scanned = 0, 0
        while True:
            with self._connection() as db:
                rows = db.execute(
                    f"SELECT number, id, title, year, csl FROM {tables} JOIN records USING (number)"
                    f" WHERE {condition} AND number > ? ORDER BY number LIMIT ?",
                    (last_number, BATCH_SIZE),
                ).fetchall()
            if not rows:
                return
            last_number, scanned = rows[-1][0], scanned + len(rows)
            progress("looking through papers", scanned, 0)
            try:
                numbers = [row[0] for row in rows if contains_terms(row[1:], terms)]
            except _DAMAGE as error:
                raise self._file.damage(str(error)) from error
            yield from numbers

    def _read_papers(
        self, db: sqlite3.Connection, condition: str, *values: object
    ) -> Iterator[StoredPaper]:
        """Yield the papers that meet a WHERE condition, with their ids and collections."""
        query = f"SELECT {COLUMNS} FROM papers JOIN records USING (number) WHERE {condition}"
        for row in db.execute(query, values).fetchall():
            known_ids = db.execute("SELECT id FROM ids WHERE number = ?", (row[0],))
            collections = db.execute(
                "SELECT name FROM members JOIN collections"
                " ON collections.number = collection WHERE members.number = ? ORDER BY name",
                (row[0],),
            )
            try:
                yield stored_paper(
                    row,
                    ids.sort_ids(identifier for (identifier,) in known_ids),
                    tuple(name for (name,) in collections),
                )
            except _DAMAGE as error:
                raise self._file.damage(str(error)) from error

    def _collection(self, db: sqlite3.Connection, name: str | None) -> int | None:
        """Return the number of a collection, None without a name. Raises NotThere."""
        if name is None:
            return None
        row = db.execute("SELECT number FROM collections WHERE name = ?", (name,)).fetchone()
        if row:
            return int(row[0])
        rows = db.execute(
            "SELECT name FROM collections ORDER BY name LIMIT ?", (_MAX_NAMED_COLLECTIONS,)
        )
        names = ", ".join(existing for (existing,) in rows)
        hint = f"existing ones: {names}" if names else "add papers first"
        raise NotThere(f"there is no collection {one_line(name, MAX_NAME_CHARS)!r}; {hint}")


def _next_revision(db: sqlite3.Connection) -> int:
    row = db.execute("UPDATE revisions SET latest = latest + 1 RETURNING latest").fetchone()
    return int(row[0])
