"""Add an entry to the catalogue, as a new paper or merged with the paper it duplicates.

Every function runs in the transaction of the connection it is given.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from scholar_indexes.errors import UsageError
from scholar_indexes.papers import ids
from scholar_indexes.papers.catalog import origins
from scholar_indexes.papers.catalog.stored import (
    EntryOutcome,
    EntryOutcomeKind,
    decode_sentences,
    encode_sentences,
    item_language,
    item_title,
    parse_column,
)
from scholar_indexes.papers.duplicates import (
    MAX_YEARS_APART,
    WEAK_SCHEMES,
    Sentences,
    merge_abstracts,
    merge_items,
    records_agree,
    titles_match,
)
from scholar_indexes.papers.editing import PaperEdit, apply_edit
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats.csl import item_authors, item_year
from scholar_indexes.sanitize import one_line, safe

MAX_NAME_CHARS = 100
"""The most characters in a collection's name."""

MAX_SAME_TITLE = 200
"""The most papers of the same title that an entry is compared with."""

_MIN_INTEGER, _MAX_INTEGER = -(2**63), 2**63 - 1
_TABLES_BY_NUMBER = ("ids", "title_keys", "members")


def add_entry(db: sqlite3.Connection, entry: Entry, collection: int, revision: int) -> EntryOutcome:
    """Add an entry to a collection, as a new paper or merged with the papers it duplicates.

    An entry that is unchanged since it was last read from its source changes nothing. A changed
    one replaces its earlier version, except for fields that the user edited.
    """
    digest = origins.entry_digest(entry)
    known = origins.known_papers(db, entry.origin, digest, collection)
    if known:
        return _unchanged(db, known[0])
    previous = origins.previous_papers(db, entry.origin)
    collections = [collection, *(ensure_collection(db, name) for name in entry.collections)]
    earlier = [number for number in previous if _may_be(db, number, entry)]
    duplicates = list(dict.fromkeys([*earlier, *_find_duplicates(db, entry)]))
    if duplicates:
        outcome = _merge_entry(db, duplicates, entry, collections, revision, replaces=bool(earlier))
    else:
        number = _insert(db, entry, revision)
        _join_collections(db, number, collections)
        outcome = EntryOutcome(number, revision, EntryOutcomeKind.ADDED, bool(entry.sentences))
    origins.remember(db, entry.origin, digest, [outcome.number])
    return outcome


def ensure_collection(db: sqlite3.Connection, name: str) -> int:
    """Return the number of a collection, which is created if it does not exist."""
    if not name.strip() or name != one_line(name, MAX_NAME_CHARS):
        raise UsageError(
            f"a collection's name is one line of 1 to {MAX_NAME_CHARS} characters; choose another"
        )
    db.execute("INSERT OR IGNORE INTO collections (name) VALUES (?)", (name,))
    row = db.execute("SELECT number FROM collections WHERE name = ?", (name,)).fetchone()
    return int(row[0])


def edit_paper(db: sqlite3.Connection, number: int, edit: PaperEdit, revision: int) -> None:
    """Apply an edit to a paper; from now on its new title too identifies its duplicates."""
    item, sentences = apply_edit(*_content(db, number), edit)
    _rewrite(db, number, item, sentences, revision)
    if key := ids.title_key(item_title(item)):
        db.execute("INSERT OR IGNORE INTO title_keys VALUES (?, ?)", (key, number))


def unlist_paper(db: sqlite3.Connection, number: int) -> None:
    """Take a paper off the list; its ids are free for other papers from now on."""
    db.execute("UPDATE papers SET state = 'removing' WHERE number = ?", (number,))
    for table in _TABLES_BY_NUMBER:
        db.execute(f"DELETE FROM {table} WHERE number = ?", (number,))


def set_revision(db: sqlite3.Connection, number: int, revision: int) -> None:
    """Set the revision of a paper's last change."""
    db.execute("UPDATE papers SET revision = ? WHERE number = ?", (revision, number))


def _merge_entry(
    db: sqlite3.Connection,
    duplicates: Sequence[int],
    entry: Entry,
    collections: Sequence[int],
    revision: int,
    *,
    replaces: bool,
) -> EntryOutcome:
    """Merge an entry, and all papers that it shows to be duplicates, into the first of these;
    `replaces` is as in merge_items."""
    number, *others = duplicates
    old_revision = _revision(db, number)
    before = _snapshot(db, number)
    for other in others:
        _merge_papers(db, number, other, revision)
    item, sentences = _content(db, number)
    merged = (
        merge_items(item, dict(entry.csl), replaces=replaces, origin=entry.origin),
        merge_abstracts(item, sentences, entry.csl, entry.sentences, replaces=replaces),
    )
    if merged != (item, sentences):
        _rewrite(db, number, *merged, revision)
    _register_names(db, number, entry)
    if _join_collections(db, number, collections):
        set_revision(db, number, revision)
    is_changed = bool(others) or before != _snapshot(db, number)
    kind = EntryOutcomeKind.MERGED if is_changed else EntryOutcomeKind.UNCHANGED
    return EntryOutcome(number, max(old_revision, _revision(db, number)), kind, bool(merged[1]))


def _find_duplicates(db: sqlite3.Connection, entry: Entry) -> list[int]:
    """Return the papers that an entry describes, listed ones first, then by number."""
    strong_ids, weak_ids = _split_ids(entry)
    numbers = {number for name in strong_ids if (number := _number_of(db, name))}
    alike = [
        number
        for number in _same_key_or_title(db, entry, weak_ids)
        if number in numbers or records_agree(_content(db, number)[0], entry.csl)
    ]
    if not numbers.intersection(alike):
        numbers.update(alike[:1])
    rows = db.execute(
        f"SELECT number FROM papers WHERE number IN ({', '.join(map(str, numbers))})"
        " ORDER BY state = 'listed' DESC, number"
    )
    return [number for (number,) in rows]


def _may_be(db: sqlite3.Connection, number: int, entry: Entry) -> bool:
    """Return True if an entry may be a new version of a paper that its source gave before."""
    item = _content(db, number)[0]
    return titles_match(item_title(item), item_title(entry.csl)) or records_agree(item, entry.csl)


def _same_key_or_title(db: sqlite3.Connection, entry: Entry, weak_ids: Sequence[str]) -> list[int]:
    """Return the papers with a weak id and a similar title, then the papers with the same title."""
    title, year = item_title(entry.csl), item_year(entry.csl)
    numbers = [
        number
        for name in weak_ids
        if (number := _number_of(db, name))
        and titles_match(item_title(_content(db, number)[0]), title)
    ]
    if key := ids.title_key(title):
        years = (_MIN_INTEGER, _MAX_INTEGER)
        if year is not None:
            years = (year - MAX_YEARS_APART, year + MAX_YEARS_APART)
        rows = db.execute(
            "SELECT number FROM title_keys JOIN papers USING (number)"
            " WHERE key = ? AND (year IS NULL OR year BETWEEN ? AND ?)"
            " ORDER BY state = 'listed' DESC, number LIMIT ?",
            (key, *years, MAX_SAME_TITLE),
        )
        numbers += [number for (number,) in rows]
    return list(dict.fromkeys(numbers))


def _insert(db: sqlite3.Connection, entry: Entry, revision: int) -> int:
    item = merge_items({}, entry.csl, origin=entry.origin)
    row = db.execute(
        "INSERT INTO papers (state, revision, text_revision, id, title, year, language)"
        " VALUES ('adding', ?, ?, '', ?, ?, ?) RETURNING number",
        (revision, revision, item_title(item), item_year(item), item_language(item)),
    ).fetchone()
    number = int(row[0])
    db.execute(
        "INSERT INTO records (number, csl, sentences) VALUES (?, ?, ?)",
        (number, json.dumps(item), encode_sentences(entry.sentences)),
    )
    _register_names(db, number, entry)
    return number


def _rewrite(
    db: sqlite3.Connection,
    number: int,
    item: Mapping[str, Any],
    sentences: Sentences,
    revision: int,
) -> None:
    """Replace a paper's record; a changed text or year gives the paper the new revision.

    A changed text drops the predicted facets too.
    """
    old_item, old_sentences = _content(db, number)
    title, year = item_title(item), item_year(item)
    text_changed = (item_title(old_item), old_sentences) != (title, sentences)
    db.execute(
        "UPDATE records SET csl = ?, sentences = ?, facets = iif(?, '', facets) WHERE number = ?",
        (json.dumps(item), encode_sentences(sentences), text_changed, number),
    )
    db.execute(
        "UPDATE papers SET title = ?, year = ?, language = ? WHERE number = ?",
        (title, year, item_language(item), number),
    )
    if text_changed:
        db.execute("UPDATE papers SET text_revision = ? WHERE number = ?", (revision, number))
    if text_changed or item_year(old_item) != year:
        set_revision(db, number, revision)


def _register_names(db: sqlite3.Connection, number: int, entry: Entry) -> None:
    """Store an entry's ids and title key; papers.id becomes the best of all its ids."""
    strong_ids, weak_ids = _split_ids(entry)
    *names, title_id = [*strong_ids, *weak_ids]
    for name in names:
        db.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (name, number))
    known_ids = _ids_of(db, number)
    if not known_ids:
        db.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (title_id, number))
        known_ids = _ids_of(db, number)
    best = ids.sort_ids(known_ids)[0]
    db.execute("UPDATE papers SET id = ? WHERE number = ? AND id <> ?", (best, number, best))
    if key := ids.title_key(item_title(entry.csl)):
        db.execute("INSERT OR IGNORE INTO title_keys VALUES (?, ?)", (key, number))


def _merge_papers(db: sqlite3.Connection, number: int, other: int, revision: int) -> None:
    """Move everything that a duplicate has to the paper `number`, and unlist the duplicate."""
    item, sentences = _content(db, number)
    other_item, other_sentences = _content(db, other)
    merged_item = merge_items(item, other_item)
    abstract = merge_abstracts(item, sentences, other_item, other_sentences)
    _rewrite(db, number, merged_item, abstract, revision)
    for table in _TABLES_BY_NUMBER:
        db.execute(f"UPDATE OR IGNORE {table} SET number = ? WHERE number = ?", (number, other))
    unlist_paper(db, other)
    set_revision(db, number, revision)


def _unchanged(db: sqlite3.Connection, number: int) -> EntryOutcome:
    """Return the outcome of an entry that does not change its paper."""
    _, sentences = _content(db, number)
    kind = EntryOutcomeKind.UNCHANGED
    return EntryOutcome(number, _revision(db, number), kind, bool(sentences))


def _join_collections(db: sqlite3.Connection, number: int, collections: Sequence[int]) -> bool:
    """Put a paper into collections; return False if it was already in all of them."""
    cursor = db.executemany(
        "INSERT OR IGNORE INTO members VALUES (?, ?)",
        [(collection, number) for collection in dict.fromkeys(collections)],
    )
    return cursor.rowcount > 0


def _split_ids(entry: Entry) -> tuple[list[str], list[str]]:
    """Return an entry's strong ids, which identify one paper, and its weak ids, which may match
    several; the last weak id is a hash of title, year and authors."""
    known_ids = [name for name in map(safe, entry.ids) if name]
    strong_ids = [name for name in known_ids if not name.startswith(WEAK_SCHEMES)]
    weak_ids = [name for name in known_ids if name.startswith(WEAK_SCHEMES)]
    authors = " ".join(item_authors(entry.csl))
    description = f"{item_title(entry.csl)} {item_year(entry.csl)} {authors}"
    return strong_ids, [*weak_ids, ids.title_id(description)]


def _number_of(db: sqlite3.Connection, name: str) -> int | None:
    row = db.execute("SELECT number FROM ids WHERE id = ?", (name,)).fetchone()
    return int(row[0]) if row else None


def _ids_of(db: sqlite3.Connection, number: int) -> list[str]:
    rows = db.execute("SELECT id FROM ids WHERE number = ?", (number,))
    return [name for (name,) in rows]


def _revision(db: sqlite3.Connection, number: int) -> int:
    row = db.execute("SELECT revision FROM papers WHERE number = ?", (number,)).fetchone()
    return int(row[0])


def _content(db: sqlite3.Connection, number: int) -> tuple[dict[str, Any], Sentences]:
    item, sentences = db.execute(
        "SELECT csl, sentences FROM records WHERE number = ?", (number,)
    ).fetchone()
    return parse_column(item), decode_sentences(sentences)


def _snapshot(db: sqlite3.Connection, number: int) -> tuple[object, ...]:
    """Return everything stored about a paper, to compare it before and after a merge."""
    tables = (("ids", "id"), ("members", "collection"))
    rows = [
        db.execute(f"SELECT {column} FROM {table} WHERE number = ? ORDER BY 1", (number,))
        for table, column in tables
    ]
    return _content(db, number), *(cursor.fetchall() for cursor in rows)
