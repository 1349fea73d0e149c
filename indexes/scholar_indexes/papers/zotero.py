"""Read the library of Zotero, zotero.sqlite in its data folder (Zotero 5 to 7).

Attachments, items in the trash, and items that are not papers are skipped. A paper's collections
are their paths in Zotero, "Thesis/Chapter 2"; the paths of a group begin with its name.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.catalog.merging import MAX_NAME_CHARS
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats.zotero_items import PARTS, TYPES, ZoteroItem, build_entry
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.sqlite_copy import is_sqlite, open_copy

FILE_NAME = "zotero.sqlite"

_TABLES = frozenset(
    "items itemTypesCombined itemData itemDataValues fieldsCombined creators creatorTypes "
    "itemCreators tags itemTags itemNotes deletedItems collections collectionItems "
    "libraries".split()
)
_MAX_DEPTH = 20

_ITEMS = """
SELECT itemID, typeName, libraryID, key FROM items
JOIN itemTypesCombined USING (itemTypeID)
WHERE itemID NOT IN (SELECT itemID FROM deletedItems)
AND libraryID NOT IN (SELECT libraryID FROM libraries WHERE type = 'feed')
ORDER BY itemID
"""
_FIELD_VALUES = """
SELECT itemID, fieldName, value FROM itemData
JOIN fieldsCombined USING (fieldID) JOIN itemDataValues USING (valueID)
"""
_CREATORS = """
SELECT itemID, creatorType, firstName, lastName, fieldMode FROM itemCreators
JOIN creators USING (creatorID) JOIN creatorTypes USING (creatorTypeID)
ORDER BY itemID, orderIndex
"""
_TAGS = """
SELECT itemID, name FROM itemTags JOIN tags USING (tagID) ORDER BY itemID, itemTags.type, name
"""
_NOTES = """
SELECT parentItemID, note FROM itemNotes WHERE parentItemID IS NOT NULL
AND itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY parentItemID, itemID
"""
_MEMBERS = "SELECT itemID, collectionID FROM collectionItems ORDER BY itemID, orderIndex"
_COLLECTIONS = "SELECT collectionID, collectionName, parentCollectionID, libraryID FROM collections"


@dataclass(frozen=True, slots=True)
class ZoteroLibrary:
    """The papers of a library, and the numbers of items of other types, by Zotero's names."""

    records: tuple[Entry | UnreadableEntry, ...]
    others: Mapping[str, int]


def find_library(source: str) -> Path | None:
    """Return the file of a Zotero library, given the file or its folder; None for anything
    else."""
    try:
        path = Path(source).expanduser()
        if path.is_dir():
            path = path / FILE_NAME
            return path if path.is_file() else None
        return path if path.is_file() and (path.name == FILE_NAME or is_sqlite(path)) else None
    except (OSError, RuntimeError, ValueError):  # too long for a name, or no such home folder
        return None


def read(path: Path) -> ZoteroLibrary:
    """Return the papers of a library; Zotero may be running.

    Raises NoPapers for a file that is not a library, and the errors of open_copy.
    """
    if path.stat().st_size and not is_sqlite(path):
        raise NoPapers(f"{path} is not a Zotero library: not an SQLite file; name zotero.sqlite")
    with open_copy(path) as db:
        if missing := sorted(_TABLES - _table_names(db)):
            raise NoPapers(
                f"{path} is not a Zotero library: it has no table {missing[0]}; name the "
                f"{FILE_NAME} in the folder that Zotero's settings call its data directory"
            )
        return _read(db, str(path.resolve()))


def _read(db: sqlite3.Connection, origin: str) -> ZoteroLibrary:
    tables = _table_names(db)
    rows = db.execute(_ITEMS).fetchall()
    fields: dict[int, dict[str, str]] = defaultdict(dict)
    for item, name, value in db.execute(_FIELD_VALUES):
        fields[item][name] = str(value)
    creators = defaultdict(list)
    for item, kind, first, last, mode in db.execute(_CREATORS):
        creators[item].append((kind, "" if mode == 1 else first or "", last or ""))
    tags = _by_item(db, _TAGS)
    notes = _by_item(db, _NOTES)
    groups = _groups(db, tables)
    collections = _collection_names(db, tables, groups)
    records: list[Entry | UnreadableEntry] = []
    others: Counter[str] = Counter()
    for item, kind, library, key in rows:
        if kind not in TYPES:
            others.update([] if kind in PARTS else [kind])
            continue
        record = ZoteroItem(
            kind,
            fields[item],
            creators[item],
            tags.get(item, []),
            notes.get(item, []),
            origin=f"{origin}#{library}/{key}",
            collections=tuple(collections.get(item) or groups.get(library, [])),
        )
        records.append(_with_name(build_entry(record), str(key)))
    return ZoteroLibrary(tuple(records), dict(others.most_common()))


def _with_name(record: Entry | UnreadableEntry, key: str) -> Entry | UnreadableEntry:
    """Return a record; the reason of an unreadable one gets the key of the item."""
    if isinstance(record, UnreadableEntry):
        return UnreadableEntry(0, f"the item {one_line(key, 20)}: {record.reason}")
    return record


def _by_item(db: sqlite3.Connection, query: str) -> dict[int, list[str]]:
    """Return the texts that a query of (item, text) yields, by item."""
    texts: dict[int, list[str]] = defaultdict(list)
    for item, text in db.execute(query):
        if text:
            texts[item].append(str(text))
    return texts


def _collection_names(
    db: sqlite3.Connection, tables: frozenset[str], groups: Mapping[int, list[str]]
) -> dict[int, list[str]]:
    """Return the paths of the collections of each item, without those in the trash."""
    deleted: set[int] = set()
    if "deletedCollections" in tables:  # since Zotero 7
        deleted = {row[0] for row in db.execute("SELECT collectionID FROM deletedCollections")}
    collections = {row[0]: row[1:] for row in db.execute(_COLLECTIONS) if row[0] not in deleted}
    paths: dict[int, str] = {}
    for collection, (_, _, library) in collections.items():
        names: list[str] = []
        number: int | None = collection
        while number in collections and len(names) < _MAX_DEPTH:
            name, number, _ = collections[number]
            names.append(str(name))
        if number is None:  # a collection in a deleted one is deleted too
            paths[collection] = _path([*groups.get(library, []), *reversed(names)])
    members: dict[int, list[str]] = defaultdict(list)
    for item, collection in db.execute(_MEMBERS):
        if path := paths.get(collection):
            members[item].append(path)
    return members


def _groups(db: sqlite3.Connection, tables: frozenset[str]) -> dict[int, list[str]]:
    """Return the name of the group of each group library, in a list."""
    if "groups" not in tables:
        return {}
    rows = db.execute("SELECT libraryID, name FROM groups")
    return {library: [path] for library, name in rows if (path := _path([str(name)]))}


def _path(names: list[str]) -> str:
    return one_line("/".join(names), MAX_NAME_CHARS).strip()


def _table_names(db: sqlite3.Connection) -> frozenset[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(str(name) for (name,) in rows)
