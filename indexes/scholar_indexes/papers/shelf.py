"""Which papers this machine holds.

One SQLite file, read without opening LanceDB. A paper is listed only once its vectors are
stored, and it disappears from the list before they are removed; what an interrupted
command leaves behind stands here as "adding" or "removing" and is cleared away by the next
one that writes.

Every call of add is one revision. A paper bears the revision that changed it last, and a
vector space the one up to which its vectors are stored, so what waits for vectors is what
came after that: papers just added, papers whose text or collections changed, or all of
them for a new model.

    while batch := papers.waiting(space):
        (encode what is new of it, write it into the index)
        papers.record(space, batch[-1].revision, facets)
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import unicodedata
from collections.abc import Collection as Some
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.papers import ids
from scholar_indexes.papers.duplicates import (
    WEAK_SCHEMES,
    YEARS_APART,
    Sentences,
    agree,
    merged,
    richer,
    same_title,
)
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats.csl import item_authors, item_venue, item_year
from scholar_indexes.sqlite_file import SqliteFile
from scholar_indexes.types import Facet, Paper, Progress, silent
from scholar_indexes.untrusted import one_line, safe

SCHEMA_VERSION = 1

DEFAULT_COLLECTION = "papers"

BATCH = 1_000
"""Entries to add, and papers to encode, at a time: bounds memory."""

MAX_NAME_CHARS = 100
MAX_TITLE_CHARS = 1_000

NEAR = 5
"""Papers that are suggested where none was found."""

_LOOKED_AT = 200
_PAGE = 500
_VARIABLES = 500
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1

_SCHEMA = """
CREATE TABLE papers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('adding', 'listed', 'removing')),
    revision INTEGER NOT NULL, text_revision INTEGER NOT NULL,
    id TEXT NOT NULL, title TEXT NOT NULL, year INTEGER, language TEXT NOT NULL,
    added TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
CREATE INDEX papers_by_revision ON papers (revision);
CREATE INDEX unlisted_papers ON papers (number) WHERE state <> 'listed';
CREATE TABLE records (
    number INTEGER PRIMARY KEY REFERENCES papers (number) ON DELETE CASCADE,
    csl TEXT NOT NULL, sentences TEXT NOT NULL, facets TEXT NOT NULL DEFAULT ''
);
CREATE TABLE ids (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL REFERENCES papers (number) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX ids_of_papers ON ids (number);
CREATE TABLE title_keys (
    key TEXT NOT NULL,
    number INTEGER NOT NULL REFERENCES papers (number) ON DELETE CASCADE,
    PRIMARY KEY (key, number)
) WITHOUT ROWID;
CREATE INDEX title_keys_of_papers ON title_keys (number);
CREATE TABLE collections (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
CREATE TABLE members (
    collection INTEGER NOT NULL REFERENCES collections (number),
    number INTEGER NOT NULL REFERENCES papers (number) ON DELETE CASCADE,
    PRIMARY KEY (collection, number)
) WITHOUT ROWID;
CREATE INDEX collections_of_papers ON members (number);
CREATE TABLE revisions (latest INTEGER NOT NULL);
INSERT INTO revisions VALUES (0);
CREATE TABLE spaces (space TEXT PRIMARY KEY, stored INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE titles USING fts5 (
    title, content='papers', content_rowid='number', tokenize='unicode61 remove_diacritics 2'
);
CREATE TRIGGER title_added AFTER INSERT ON papers BEGIN
    INSERT INTO titles (rowid, title) VALUES (new.number, new.title); END;
CREATE TRIGGER title_gone AFTER DELETE ON papers BEGIN
    INSERT INTO titles (titles, rowid, title) VALUES ('delete', old.number, old.title); END;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON papers BEGIN
    INSERT INTO titles (titles, rowid, title) VALUES ('delete', old.number, old.title);
    INSERT INTO titles (rowid, title) VALUES (new.number, new.title); END;
"""

_COLUMNS = (
    "number, revision, text_revision, id, title, year, language, added, csl, sentences, facets"
)
_NAMED_BY = ("ids", "title_keys", "members")

_KEPT = f"SELECT {_COLUMNS} FROM papers JOIN records USING (number) WHERE "


class What(StrEnum):
    """What became of an entry."""

    ADDED = "added"
    MERGED = "merged"  # it said more of a paper that was there
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one entry: which paper it is, and whether an abstract of it is known.

    revision is the paper's, after the entry.
    """

    number: int
    revision: int
    what: What
    abstract: bool


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a batch of entries, in their order."""

    outcomes: tuple[Outcome, ...]
    revision: int

    def count(self, what: What) -> int:
        return sum(each.what is what for each in self.outcomes)

    @property
    def without_abstract(self) -> int:
        """Different papers of the batch of which no abstract is known."""
        return len({each.number for each in self.outcomes if not each.abstract})


@dataclass(frozen=True, slots=True)
class Kept:
    """A paper on the shelf.

    number is its own for ever. revision is that of its last change, text_revision that of
    the last change of its title or abstract: vectors stored at or after that one are still
    right. given holds one facet per sentence where the source gave it; paper.facets has
    those and, once they are known, the predicted ones. csl is the CSL-JSON item without the
    abstract; collections are names; added is UTC.
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

    @property
    def text(self) -> str:
        """Title and abstract."""
        return "\n".join(each for each in (self.paper.title, *self.paper.sentences) if each)


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of papers; number is what the index knows it by."""

    number: int
    name: str
    papers: int


class Papers:
    """The list of papers in one SQLite file, made on first use.

    Raises Damaged when the file is not such a list, and Busy when another program holds it
    for longer than timeout_s.
    """

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._path = path
        self._file = SqliteFile(
            path, re.split(r";\n(?=CREATE|INSERT|$)", _SCHEMA), SCHEMA_VERSION,
            "the list of papers", "move it away, then add your papers again", timeout_s,
        )  # fmt: skip
        self._connection = self._file.connection

    # -- asking ----------------------------------------------------------------------------

    def paper(self, reference: str) -> Kept:
        """The listed paper meant by any of its ids, a citation key, its number ("12" or
        "#12") or an unambiguous piece of its title.

        Raises NotThere, with near ones, when there is none, and UsageError naming them when
        there are several.
        """
        asked = one_line(reference)[: ids.MAX_REFERENCE_CHARS]
        if not self._path.exists():
            raise NotThere(f"there is no paper {asked!r}; add some: scholar papers add FILE")
        with self._connection() as db:
            numbers = _meant(db, asked)
            if len(numbers) == 1:
                return next(self._kept(db, f"number = {numbers[0]}"))
            if numbers:
                several = _named(db, numbers[:NEAR])
                raise UsageError(f"{asked!r} could be several papers; give an id: {several}")
            near = _named(db, _near(db, asked))
        raise NotThere(
            f"there is no paper {asked!r}; "
            + (f"near ones are: {near}" if near else "see: scholar papers list")
        )

    def numbered(self, numbers: Iterable[int]) -> dict[int, Kept]:
        """The listed papers among some numbers."""
        found: dict[int, Kept] = {}
        wanted = [int(each) for each in numbers]
        if not self._path.exists():
            return found
        with self._connection() as db:
            for first in range(0, len(wanted), _VARIABLES):
                among = ", ".join(map(str, wanted[first : first + _VARIABLES]))
                for each in self._kept(db, f"state = 'listed' AND number IN ({among})"):
                    found[each.number] = each
        return found

    def papers(
        self,
        collection: str | None = None,
        years: tuple[int | None, int | None] = (None, None),
        offset: int = 0,
        limit: int | None = None,
    ) -> Iterator[Kept]:
        """Listed papers in the order of their adding, a page in memory at a time.

        years is an inclusive range, None for open; a paper without a year is in none but the
        open one. Papers that are added meanwhile may come or not. Raises NotThere for a
        collection that is not there.
        """
        if not self._path.exists():
            return
        with self._connection() as db:
            source, condition = _listed(self._collection(db, collection), years)
        last, left = 0, sys.maxsize if limit is None else limit
        while left > 0:
            with self._connection() as db:
                numbers = [
                    row[0] for row in db.execute(
                        f"SELECT number FROM {source} WHERE {condition} AND number > ?"
                        " ORDER BY number LIMIT ? OFFSET ?", (last, min(_PAGE, left), offset),
                    )
                ]  # fmt: skip
                among = ", ".join(map(str, numbers))
                page = list(self._kept(db, f"number IN ({among}) ORDER BY number"))
            if not numbers:
                return
            yield from page
            last, left, offset = numbers[-1], left - len(numbers), 0

    def matching(
        self,
        words: str,
        collection: str | None = None,
        years: tuple[int | None, int | None] = (None, None),
        limit: int | None = None,
        progress: Progress = silent,
    ) -> list[Kept]:
        """The first listed papers that have all of some words, or pieces of them, in title,
        authors, year, venue or id; case and accents do not matter. Raises what papers does.
        """
        sought = folded(words).split()
        if not sought:
            return list(self.papers(collection, years, limit=limit))
        if not self._path.exists():
            return []
        with self._connection() as db:
            source, condition = _listed(self._collection(db, collection), years)
        last, looked, found = 0, 0, list[int]()
        while limit is None or len(found) < limit:
            with self._connection() as db:
                rows = db.execute(
                    f"SELECT number, id, title, year, csl FROM {source} JOIN records USING (number)"
                    f" WHERE {condition} AND number > ? ORDER BY number LIMIT ?",
                    (last, BATCH),
                ).fetchall()
            if not rows:
                break
            last, looked = rows[-1][0], looked + len(rows)
            progress("looking through papers", looked, 0)
            try:
                found += [row[0] for row in rows if _has(row[1:], sought)]
            except (ValueError, TypeError, KeyError, AttributeError) as damage:
                raise self._file.damage(str(damage)) from damage
        kept = self.numbered(found[:limit])
        return [kept[number] for number in found[:limit] if number in kept]

    def empty(self) -> bool:
        """Whether no paper is listed; at once, however many there are."""
        if not self._path.exists():
            return True
        with self._connection() as db:
            found = db.execute("SELECT 1 FROM papers WHERE state = 'listed' LIMIT 1").fetchone()
        return found is None

    def count(
        self,
        collection: str | None = None,
        years: tuple[int | None, int | None] = (None, None),
    ) -> int:
        """How many papers would give."""
        if not self._path.exists():
            return 0
        with self._connection() as db:
            source, condition = _listed(self._collection(db, collection), years)
            return int(db.execute(f"SELECT count(*) FROM {source} WHERE {condition}").fetchone()[0])

    def collections(self) -> list[Collection]:
        """Every collection by name, with how many listed papers it has."""
        if not self._path.exists():
            return []
        with self._connection() as db:
            counted = (
                "SELECT count(*) FROM members JOIN papers USING (number)"
                " WHERE collection = collections.number AND state = 'listed'"
            )
            if not db.execute("SELECT 1 FROM papers WHERE state <> 'listed'").fetchone():
                counted = "SELECT count(*) FROM members WHERE collection = collections.number"
            rows = db.execute(f"SELECT number, name, ({counted}) FROM collections ORDER BY name")
            return [Collection(*row) for row in rows]

    def collection_numbers(self, names: Iterable[str] | None = None) -> dict[str, int]:
        """What the index knows collections by: some, or all of them. Raises NotThere for a name
        that no collection has."""
        if not self._path.exists():
            if names is None:
                return {}
            raise NotThere("there are no papers yet; add some: scholar papers add FILE")
        with self._connection() as db:
            if names is None:
                return dict(db.execute("SELECT name, number FROM collections").fetchall())
            return {name: self._collection(db, name) or 0 for name in names}

    def items(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """CSL-JSON items of listed papers for an export, in the order of their numbers given;
        each bears its abstract."""
        kept = self.numbered(numbers)
        return [exported(kept[number]) for number in numbers if number in kept]

    def waiting(self, space: str, limit: int = BATCH) -> list[Kept]:
        """The next papers whose vectors a space has to store, by revision: about limit, at
        least one whole revision. Empty when it has them all."""
        if not self._path.exists():
            return []
        with self._connection() as db:
            stored = _stored(db, space)
            behind = "revision > ? AND state <> 'removing'"
            rows = db.execute(
                f"SELECT revision FROM papers WHERE {behind} ORDER BY revision LIMIT ?",
                (stored, limit + 1),
            ).fetchall()
            if not rows:
                return []
            last = rows[-1][0]
            if len(rows) > limit and last > rows[0][0]:
                last -= 1
            return list(
                self._kept(
                    db, f"{behind} AND revision <= ? ORDER BY revision, number", stored, last
                )
            )

    def unfinished(self) -> list[int]:
        """The papers that an interrupted command left half added or half removed."""
        if not self._path.exists():
            return []
        with self._connection() as db:
            rows = db.execute("SELECT number FROM papers WHERE state <> 'listed' ORDER BY number")
            return [row[0] for row in rows]

    # -- changing --------------------------------------------------------------------------

    def add(self, entries: Iterable[Entry], collection: str = DEFAULT_COLLECTION) -> Added:
        """Take a batch of entries, about BATCH of them, in one transaction.

        An entry of a paper that is there is merged with it. What is new is not listed before
        record.
        """
        with self._connection(change=True) as db:
            into = _make_collection(db, collection)
            revision = int(db.execute(
                "UPDATE revisions SET latest = latest + 1 RETURNING latest").fetchone()[0]
            )  # fmt: skip
            outcomes = tuple(_take(db, entry, into, revision) for entry in entries)
        return Added(outcomes, revision)

    def record(
        self, space: str, revision: int, facets: Mapping[int, Sequence[Facet]] | None = None
    ) -> None:
        """List what waited up to a revision: its vectors are stored in a space. facets has
        those of the sentences of some papers, by number."""
        with self._connection(change=True) as db:
            for number, each in (facets or {}).items():
                db.execute(
                    "UPDATE records SET facets = ? WHERE number = ?",
                    ("".join(facet[0] for facet in each), number),
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

    def forget_space(self, space: str) -> None:
        """Note that a space holds nothing any more: everything waits for it."""
        with self._connection(change=True) as db:
            db.execute("DELETE FROM spaces WHERE space = ?", (space,))

    def unlist(self, numbers: Some[int]) -> None:
        """Take papers off the list; their vectors may go after that."""
        with self._connection(change=True) as db:
            for number in numbers:
                _unlist(db, int(number))

    def forget(self, numbers: Some[int]) -> None:
        """Drop unlisted papers whose vectors are gone."""
        with self._connection(change=True) as db:
            db.executemany(
                "DELETE FROM papers WHERE number = ? AND state <> 'listed'",
                [(int(number),) for number in numbers],
            )

    def leave(self, numbers: Some[int], collection: str) -> list[int]:
        """Take papers out of one collection; returns those that were in no other and are off
        the list now."""
        with self._connection(change=True) as db:
            out_of = self._collection(db, collection)
            latest = "SELECT latest FROM revisions"
            db.execute("UPDATE revisions SET latest = latest + 1")
            gone = []
            for number in numbers:
                left = db.execute(
                    "DELETE FROM members WHERE collection = ? AND number = ?", (out_of, number)
                ).rowcount
                others = db.execute("SELECT 1 FROM members WHERE number = ?", (number,)).fetchone()
                if left and not others:
                    gone.append(number)
                    _unlist(db, number)
                elif left:
                    db.execute(
                        f"UPDATE papers SET revision = ({latest}) WHERE number = ?", (number,)
                    )
        return gone

    # -- below -----------------------------------------------------------------------------

    def _kept(self, db: sqlite3.Connection, condition: str, *values: object) -> Iterator[Kept]:
        for row in db.execute(_KEPT + condition, values).fetchall():
            number = row[0]
            known = ids.best(
                each for (each,) in db.execute("SELECT id FROM ids WHERE number = ?", (number,))
            )
            collections = tuple(
                name for name, in db.execute(
                    "SELECT name FROM members JOIN collections"
                    " ON collections.number = collection WHERE members.number = ? ORDER BY name",
                    (number,),
                )
            )  # fmt: skip
            try:
                yield _read(row, known, collections)
            except (ValueError, TypeError, KeyError, AttributeError) as damage:
                raise self._file.damage(str(damage)) from damage

    def _collection(self, db: sqlite3.Connection, name: str | None) -> int | None:
        if name is None:
            return None
        row = db.execute("SELECT number FROM collections WHERE name = ?", (name,)).fetchone()
        if row:
            return int(row[0])
        names = [
            each for (each,) in db.execute("SELECT name FROM collections ORDER BY name LIMIT 20")
        ]
        there = f"there are: {', '.join(names)}" if names else "add papers first"
        raise NotThere(f"there is no collection {one_line(name, MAX_NAME_CHARS)!r}; {there}")


def exported(kept: Kept) -> dict[str, Any]:
    """A paper as a CSL-JSON item with its abstract."""
    item = dict(kept.csl)
    if kept.paper.sentences:
        item["abstract"] = " ".join(kept.paper.sentences)
    return item


# -- one entry ---------------------------------------------------------------------------------


def _take(db: sqlite3.Connection, entry: Entry, collection: int, revision: int) -> Outcome:
    same = _same(db, entry)
    if not same:
        number = _insert(db, entry, revision)
        _join(db, number, collection)
        return Outcome(number, revision, What.ADDED, bool(entry.sentences))
    number = same[0]
    before = db.execute("SELECT revision FROM papers WHERE number = ?", (number,)).fetchone()[0]
    told = _told(db, number)
    changed = False
    for other in same[1:]:
        _unite(db, number, other, revision)
        changed = True
    item, sentences = _content(db, number)
    together = merged(item, dict(entry.csl)), richer(sentences, entry.sentences)
    if together != (item, sentences):
        _rewrite(db, number, *together, revision)
    _name(db, number, entry)
    if _join(db, number, collection):
        db.execute("UPDATE papers SET revision = ? WHERE number = ?", (revision, number))
    changed = changed or told != _told(db, number)
    what = What.MERGED if changed else What.UNCHANGED
    now = db.execute("SELECT revision FROM papers WHERE number = ?", (number,)).fetchone()[0]
    return Outcome(number, max(before, now), what, bool(together[1]))


def _same(db: sqlite3.Connection, entry: Entry) -> list[int]:
    """The papers that an entry is of: the one to keep first, then those that turn out to be
    the same as it."""
    strong, weak = _split(entry)
    found = {number for each in strong if (number := _bearer(db, each))}
    alike = [
        number
        for number in _titled_alike(db, entry, weak)
        if number in found or agree(_content(db, number)[0], entry.csl)
    ]
    if not found.intersection(alike):
        found.update(alike[:1])
    rows = db.execute(
        f"SELECT number FROM papers WHERE number IN ({', '.join(map(str, found))})"
        " ORDER BY state = 'listed' DESC, number"
    )
    return [number for (number,) in rows]


def _titled_alike(db: sqlite3.Connection, entry: Entry, weak: Sequence[str]) -> list[int]:
    """The papers that an entry's title, or its key and title, may mean."""
    title, year = _title(entry.csl), item_year(entry.csl)
    alike = [
        number
        for each in weak
        if (number := _bearer(db, each)) and same_title(_title(_content(db, number)[0]), title)
    ]
    if key := ids.title_key(title):
        near = (_SMALLEST, _LARGEST) if year is None else (year - YEARS_APART, year + YEARS_APART)
        rows = db.execute(
            "SELECT number FROM title_keys JOIN papers USING (number)"
            " WHERE key = ? AND (year IS NULL OR year BETWEEN ? AND ?)"
            " ORDER BY state = 'listed' DESC, number LIMIT ?",
            (key, *near, _LOOKED_AT),
        )
        alike += [number for (number,) in rows]
    return list(dict.fromkeys(alike))


def _bearer(db: sqlite3.Connection, name: str) -> int | None:
    """The paper of an id."""
    row = db.execute("SELECT number FROM ids WHERE id = ?", (name,)).fetchone()
    return int(row[0]) if row else None


def _insert(db: sqlite3.Connection, entry: Entry, revision: int) -> int:
    item = merged({}, entry.csl)
    number = int(db.execute(
        "INSERT INTO papers (state, revision, text_revision, id, title, year, language)"
        " VALUES ('adding', ?, ?, '', ?, ?, ?) RETURNING number",
        (revision, revision, _title(item), item_year(item), _language(item)),
    ).fetchone()[0])  # fmt: skip
    db.execute(
        "INSERT INTO records (number, csl, sentences) VALUES (?, ?, ?)",
        (number, json.dumps(item), _written(entry.sentences)),
    )
    _name(db, number, entry)
    return number


def _rewrite(
    db: sqlite3.Connection, number: int, item: Mapping[str, Any], sentences: Sentences,
    revision: int,
) -> None:  # fmt: skip
    """Replace what is known of a paper; a new text or year is a new revision of it."""
    old, old_sentences = _content(db, number)
    title, year = _title(item), item_year(item)
    retold = (_title(old), old_sentences) != (title, sentences)
    db.execute(
        "UPDATE records SET csl = ?, sentences = ?, facets = iif(?, '', facets) WHERE number = ?",
        (json.dumps(item), _written(sentences), retold, number),
    )
    db.execute(
        "UPDATE papers SET title = ?, year = ?, language = ? WHERE number = ?",
        (title, year, _language(item), number),
    )
    if retold:
        db.execute("UPDATE papers SET text_revision = ? WHERE number = ?", (revision, number))
    if retold or item_year(old) != year:
        db.execute("UPDATE papers SET revision = ? WHERE number = ?", (revision, number))


def _name(db: sqlite3.Connection, number: int, entry: Entry) -> None:
    """Note an entry's ids and title; the paper's own id is the best it has."""
    strong, weak = _split(entry)
    *named, last = [*strong, *weak]
    for each in named:
        db.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (each, number))
    of = "SELECT id FROM ids WHERE number = ?"
    if not (known := db.execute(of, (number,)).fetchall()):
        db.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (last, number))
        known = db.execute(of, (number,)).fetchall()
    best = ids.best(each for (each,) in known)
    db.execute("UPDATE papers SET id = ? WHERE number = ? AND id <> ?", (best[0], number, best[0]))
    if key := ids.title_key(_title(entry.csl)):
        db.execute("INSERT OR IGNORE INTO title_keys VALUES (?, ?)", (key, number))


def _unite(db: sqlite3.Connection, number: int, other: int, revision: int) -> None:
    """Give one paper everything that another has, which is the same; the other goes."""
    (item, sentences), (others_item, others_sentences) = _content(db, number), _content(db, other)
    _rewrite(db, number, merged(item, others_item), richer(sentences, others_sentences), revision)
    for table in _NAMED_BY:
        db.execute(f"UPDATE OR IGNORE {table} SET number = ? WHERE number = ?", (number, other))
    _unlist(db, other)
    db.execute("UPDATE papers SET revision = ? WHERE number = ?", (revision, number))


def _unlist(db: sqlite3.Connection, number: int) -> None:
    """Take a paper off the list; its ids are free for another."""
    db.execute("UPDATE papers SET state = 'removing' WHERE number = ?", (number,))
    for table in _NAMED_BY:
        db.execute(f"DELETE FROM {table} WHERE number = ?", (number,))


def _join(db: sqlite3.Connection, number: int, collection: int) -> bool:
    """Put a paper into a collection; False when it was there."""
    return bool(db.execute(
        "INSERT OR IGNORE INTO members VALUES (?, ?)", (collection, number)
    ).rowcount)  # fmt: skip


def _make_collection(db: sqlite3.Connection, name: str) -> int:
    if not name.strip() or name != one_line(name, MAX_NAME_CHARS):
        raise UsageError(
            f"a collection's name is one line of 1 to {MAX_NAME_CHARS} characters; choose another"
        )
    db.execute("INSERT OR IGNORE INTO collections (name) VALUES (?)", (name,))
    row = db.execute("SELECT number FROM collections WHERE name = ?", (name,)).fetchone()
    return int(row[0])


def _split(entry: Entry) -> tuple[list[str], list[str]]:
    """An entry's ids: those that name one paper, and those that may name several, of which
    the last is made of all that is known."""
    known = [each for each in map(safe, entry.ids) if each]
    strong = [each for each in known if not each.startswith(WEAK_SCHEMES)]
    weak = [each for each in known if each.startswith(WEAK_SCHEMES)]
    people = " ".join(item_authors(entry.csl))
    return strong, [*weak, ids.title_id(f"{_title(entry.csl)} {item_year(entry.csl)} {people}")]


def _told(db: sqlite3.Connection, number: int) -> tuple[object, ...]:
    """All that is known of a paper, to see whether an entry says more."""
    return (
        _content(db, number),
        *(
            db.execute(
                f"SELECT {column} FROM {table} WHERE number = ? ORDER BY 1", (number,)
            ).fetchall()
            for table, column in (("ids", "id"), ("members", "collection"))
        ),
    )


def _content(db: sqlite3.Connection, number: int) -> tuple[dict[str, Any], Sentences]:
    item, sentences = db.execute(
        "SELECT csl, sentences FROM records WHERE number = ?", (number,)
    ).fetchone()
    return json.loads(item), _sentences(sentences)


def _sentences(written: str) -> Sentences:
    return tuple((text, Facet(facet) if facet else None) for text, facet in json.loads(written))


def _written(sentences: Sentences) -> str:
    return json.dumps([[text, facet] for text, facet in sentences])


def _language(item: Mapping[str, Any]) -> str:
    language = item.get("language")
    return one_line(language, 35) if isinstance(language, str) else ""


def _title(item: Mapping[str, Any]) -> str:
    title = item.get("title")
    return one_line(title, MAX_TITLE_CHARS) if isinstance(title, str) else ""


# -- finding -----------------------------------------------------------------------------------


def _stored(db: sqlite3.Connection, space: str) -> int:
    row = db.execute("SELECT stored FROM spaces WHERE space = ?", (space,)).fetchone()
    return int(row[0]) if row else 0


def _listed(collection: int | None, years: tuple[int | None, int | None]) -> tuple[str, str]:
    """The tables and the condition of listed papers."""
    source = "papers" if collection is None else "members JOIN papers USING (number)"
    conditions = ["state = 'listed'"]
    if collection is not None:
        conditions.append(f"collection = {collection}")
    first, last = years
    if first is not None:
        conditions.append(f"year >= {int(first)}")
    if last is not None:
        conditions.append(f"year <= {int(last)}")
    return source, " AND ".join(conditions)


def _meant(db: sqlite3.Connection, reference: str) -> list[int]:
    """The listed papers that a reference may mean, some more than NEAR at most."""
    for each in (ids.canonical(reference), ids.key(reference)):
        rows = db.execute(
            "SELECT number FROM ids JOIN papers USING (number)"
            " WHERE ids.id = ? AND state = 'listed'", (each,),
        ).fetchall()  # fmt: skip
        if rows:
            return [rows[0][0]]
    number = reference.removeprefix("#")
    if re.fullmatch(r"[0-9]{1,18}", number):
        rows = db.execute(
            "SELECT number FROM papers WHERE number = ? AND state = 'listed'", (int(number),)
        ).fetchall()
        if rows:
            return [rows[0][0]]
    rows = db.execute(
        "SELECT number FROM title_keys JOIN papers USING (number)"
        " WHERE key = ? AND state = 'listed' LIMIT ?",
        (ids.title_key(reference), NEAR + 1),
    ).fetchall()
    words = re.findall(r"[^\W_]+", reference)
    if not rows and words:
        rows = _titled(db, [f'"{" ".join(words)}" *'], " ", NEAR + 1)
    return [row[0] for row in rows]


def _titled(db: sqlite3.Connection, phrases: Sequence[str], joint: str, limit: int) -> list[Any]:
    """Listed papers by phrases in the language of FTS5, the first that are met."""
    if not phrases:
        return []
    return db.execute(
        "SELECT number FROM titles JOIN papers ON papers.number = titles.rowid"
        " WHERE titles MATCH ? AND state = 'listed' LIMIT ?",
        (joint.join(phrases), limit),
    ).fetchall()


def _has(row: Sequence[Any], sought: Sequence[str]) -> bool:
    """Whether a paper's id, title, year, authors and venue have all the folded words."""
    *parts, csl = row
    item = json.loads(csl)
    said = folded(" ".join(map(str, (*parts, *item_authors(item), item_venue(item)))))
    return all(each in said for each in sought)


def folded(text: str) -> str:
    """A text without case and accents."""
    if text.isascii():
        return text.casefold()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in apart if not unicodedata.combining(each))


def _near(db: sqlite3.Connection, reference: str) -> list[int]:
    """Listed papers with an id or a title like a reference, the most alike first.

    A bounded number is looked at: ids next to it in their order, and titles that have the
    beginnings of its longest words.
    """
    from difflib import SequenceMatcher

    asked = ids.canonical(reference) or reference.casefold()
    looked: dict[int, list[str]] = {}
    guesses = [asked] if ":" in asked else [asked, f"key:{asked}"]
    for guess in guesses:
        for order in (">= ? ORDER BY id", "< ? ORDER BY id DESC"):
            for name, number in db.execute(
                f"SELECT id, number FROM ids WHERE id {order} LIMIT ?", (guess, _LOOKED_AT // 4)
            ):
                looked.setdefault(number, []).append(name)
    words = sorted(set(re.findall(r"[^\W_]{3,}", reference)), key=len, reverse=True)[:3]
    begun = [f'"{word[:4]}" *' for word in words]
    titled = _titled(db, begun, " AND ", _LOOKED_AT) or _titled(db, begun, " OR ", _LOOKED_AT)
    for (number,) in titled:
        looked.setdefault(number, [])
    scores: dict[int, float] = {}
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(asked[:200])
    for number, names in looked.items():
        row = db.execute(
            "SELECT title FROM papers WHERE number = ? AND state = 'listed'", (number,)
        ).fetchone()
        for each in (*names, row[0].casefold()) if row else ():
            matcher.set_seq1(each[:200])
            if matcher.real_quick_ratio() > 0.5 and matcher.quick_ratio() > 0.5:
                scores[number] = max(scores.get(number, 0), matcher.ratio())
    likely = sorted(scores, key=lambda each: (-scores[each], each))
    return [number for number in likely if scores[number] > 0.5][:NEAR]


def _named(db: sqlite3.Connection, numbers: Sequence[int]) -> str:
    """Some papers by id and the beginning of their title, as one line."""
    names = []
    for number in numbers:
        name, title = db.execute(
            "SELECT id, title FROM papers WHERE number = ?", (number,)
        ).fetchone()
        names.append(f"{name} ({title[:57]}...)" if len(title) > 60 else f"{name} ({title})")
    return ", ".join(names)


_FACET_OF = {facet[0]: facet for facet in Facet}


def _read(row: Sequence[Any], known: tuple[str, ...], collections: tuple[str, ...]) -> Kept:
    (number, revision, text_revision, best, title, year, language, added, csl, sentences,
     predicted) = row  # fmt: skip
    item = json.loads(csl)
    told = _sentences(sentences)
    given = tuple(facet for _, facet in told)
    facets = tuple(_FACET_OF[each] for each in predicted) or tuple(
        facet or Facet.OTHER for facet in given
    )
    if len(facets) != len(told):
        raise ValueError(f"paper {number} has {len(told)} sentences and {len(facets)} facets")
    paper = Paper(
        best,
        title,
        tuple(text for text, _ in told),
        facets,
        tuple(item_authors(item)),
        year,
        item_venue(item),
        known,
    )
    return Kept(number, revision, text_revision, paper, given, item, language, collections, added)
