"""Write the SQLite file of a Zotero library, with the tables of Zotero 7."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE version (schema TEXT PRIMARY KEY, version INT NOT NULL);
CREATE TABLE libraries (
    libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT NOT NULL,
    filesEditable INT NOT NULL, version INT NOT NULL DEFAULT 0,
    storageVersion INT NOT NULL DEFAULT 0, lastSync INT NOT NULL DEFAULT 0,
    archived INT NOT NULL DEFAULT 0);
CREATE TABLE groups (
    groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE REFERENCES libraries (libraryID),
    name TEXT NOT NULL, description TEXT NOT NULL, version INT NOT NULL);
CREATE TABLE itemTypes (
    itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT, display INT DEFAULT 1);
CREATE TABLE itemTypesCombined (
    itemTypeID INT NOT NULL PRIMARY KEY, typeName TEXT NOT NULL, display INT NOT NULL DEFAULT 1,
    custom INT NOT NULL);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE fieldsCombined (
    fieldID INT NOT NULL PRIMARY KEY, fieldName TEXT NOT NULL, label TEXT, fieldFormatID INT,
    custom INT NOT NULL);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE items (
    itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL,
    dateAdded TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    dateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    libraryID INT NOT NULL REFERENCES libraries (libraryID), key TEXT NOT NULL,
    version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (
    itemID INT REFERENCES items (itemID), fieldID INT REFERENCES fieldsCombined (fieldID),
    valueID REFERENCES itemDataValues (valueID), PRIMARY KEY (itemID, fieldID));
CREATE TABLE itemNotes (
    itemID INTEGER PRIMARY KEY REFERENCES items (itemID),
    parentItemID INT REFERENCES items (itemID), note TEXT, title TEXT);
CREATE TABLE itemAttachments (
    itemID INTEGER PRIMARY KEY REFERENCES items (itemID),
    parentItemID INT REFERENCES items (itemID), linkMode INT, contentType TEXT, charsetID INT,
    path TEXT, syncState INT DEFAULT 0, storageModTime INT, storageHash TEXT,
    lastProcessedModificationTime INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (
    itemID INT NOT NULL REFERENCES items (itemID), tagID INT NOT NULL REFERENCES tags (tagID),
    type INT NOT NULL, PRIMARY KEY (itemID, tagID));
CREATE TABLE creators (
    creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT,
    UNIQUE (lastName, firstName, fieldMode));
CREATE TABLE itemCreators (
    itemID INT NOT NULL REFERENCES items (itemID),
    creatorID INT NOT NULL REFERENCES creators (creatorID),
    creatorTypeID INT NOT NULL DEFAULT 1, orderIndex INT NOT NULL DEFAULT 0,
    PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex), UNIQUE (itemID, orderIndex));
CREATE TABLE collections (
    collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL,
    parentCollectionID INT DEFAULT NULL REFERENCES collections (collectionID),
    clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    libraryID INT NOT NULL REFERENCES libraries (libraryID), key TEXT NOT NULL,
    version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE collectionItems (
    collectionID INT NOT NULL REFERENCES collections (collectionID),
    itemID INT NOT NULL REFERENCES items (itemID), orderIndex INT NOT NULL DEFAULT 0,
    PRIMARY KEY (collectionID, itemID));
CREATE TABLE deletedItems (
    itemID INTEGER PRIMARY KEY REFERENCES items (itemID),
    dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
CREATE TABLE deletedCollections (
    collectionID INTEGER PRIMARY KEY REFERENCES collections (collectionID),
    dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
"""

ITEM_TYPES = (
    "annotation artwork attachment audioRecording bill blogPost book bookSection case "
    "conferencePaper dataset dictionaryEntry document email encyclopediaArticle film forumPost "
    "journalArticle letter magazineArticle manuscript newspaperArticle note patent preprint "
    "presentation report standard thesis webpage"
).split()
FIELDS = (
    "title abstractNote publicationTitle bookTitle proceedingsTitle conferenceName publisher "
    "university institution repository archiveID thesisType reportType reportNumber genre place "
    "date volume issue pages series journalAbbreviation language DOI ISSN ISBN url accessDate "
    "archive archiveLocation libraryCatalog callNumber rights extra shortTitle citationKey "
    "websiteTitle PMID PMCID"
).split()
CREATOR_TYPES = "author editor translator bookAuthor seriesEditor contributor presenter".split()

MY_LIBRARY, FEED, GROUP = 1, 2, 3


class ZoteroDatabase:
    """A library that tests write to as Zotero does, one item at a time."""

    def __init__(self, path: Path, *, journal: str = "delete") -> None:
        """Make a new library; with the journal "wal", changes stay in its log, next to the file,
        until the connection is closed."""
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute(f"PRAGMA journal_mode = {journal}")
        self.db.execute("PRAGMA wal_autocheckpoint = 0")
        self.db.executescript(SCHEMA)
        self.db.execute("INSERT INTO version VALUES ('userdata', 123)")
        for library, kind in ((MY_LIBRARY, "user"), (FEED, "feed"), (GROUP, "group")):
            self.db.execute(
                "INSERT INTO libraries VALUES (?, ?, 1, 1, 0, 0, 0, 0)", (library, kind)
            )
        self.db.execute("INSERT INTO groups VALUES (77, ?, 'Moth Lab', '', 1)", (GROUP,))
        for number, name in enumerate(ITEM_TYPES, 1):
            self.db.execute("INSERT INTO itemTypes VALUES (?, ?, NULL, 1)", (number, name))
            self.db.execute("INSERT INTO itemTypesCombined VALUES (?, ?, 1, 0)", (number, name))
        for number, name in enumerate(FIELDS, 1):
            self.db.execute("INSERT INTO fields VALUES (?, ?, NULL)", (number, name))
            self.db.execute(
                "INSERT INTO fieldsCombined VALUES (?, ?, ?, NULL, 0)", (number, name, name)
            )
        self.db.executemany(
            "INSERT INTO creatorTypes VALUES (?, ?)", list(enumerate(CREATOR_TYPES, 1))
        )

    def add(
        self,
        kind: str,
        creators: Sequence[tuple[str, str, str]] = (),
        *,
        tags: Sequence[str] = (),
        notes: Sequence[str] = (),
        library: int = MY_LIBRARY,
        fields: Mapping[str, str] | None = None,
        **values: str,
    ) -> int:
        """Add an item with creators of (kind, first, last), fields, tags and child notes."""
        self.db.execute("SAVEPOINT item")
        item = self._new_item(kind, library)
        for name, value in {**(fields or {}), **values}.items():
            self.set(item, name, value)
        for order, (role, first, last) in enumerate(creators):
            mode = int(not first)
            self.db.execute(
                "INSERT OR IGNORE INTO creators (firstName, lastName, fieldMode) VALUES (?, ?, ?)",
                (first, last, mode),
            )
            creator = self._one(
                "SELECT creatorID FROM creators WHERE firstName = ? AND lastName = ?", first, last
            )
            role_number = CREATOR_TYPES.index(role) + 1
            self.db.execute(
                "INSERT INTO itemCreators VALUES (?, ?, ?, ?)", (item, creator, role_number, order)
            )
        for tag in tags:
            self.tag(item, tag)
        for note in notes:
            child = self._new_item("note", library)
            self.db.execute("INSERT INTO itemNotes VALUES (?, ?, ?, '')", (child, item, note))
        self.db.execute("RELEASE item")
        return item

    def attach(self, parent: int | None, path: str) -> int:
        """Add a PDF to an item, or as a standalone item."""
        item = self._new_item("attachment", MY_LIBRARY)
        self.set(item, "title", "Full Text PDF")
        self.db.execute(
            "INSERT INTO itemAttachments (itemID, parentItemID, linkMode, contentType, path)"
            " VALUES (?, ?, 0, 'application/pdf', ?)",
            (item, parent, path),
        )
        return item

    def set(self, item: int, field: str, value: str) -> None:
        """Set a field of an item."""
        self.db.execute("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", (value,))
        number = self._one("SELECT valueID FROM itemDataValues WHERE value = ?", value)
        row = (item, FIELDS.index(field) + 1, number)
        self.db.execute("INSERT OR REPLACE INTO itemData VALUES (?, ?, ?)", row)

    def tag(self, item: int, name: str) -> None:
        self.db.execute("INSERT OR IGNORE INTO tags (name) VALUES (?)", (name,))
        number = self._one("SELECT tagID FROM tags WHERE name = ?", name)
        self.db.execute("INSERT INTO itemTags VALUES (?, ?, 0)", (item, number))

    def collect(
        self, name: str, *items: int, parent: int | None = None, library: int = MY_LIBRARY
    ) -> int:
        """Make a collection of the items, and return its number."""
        cursor = self.db.execute(
            "INSERT INTO collections (collectionName, parentCollectionID, libraryID, key)"
            " VALUES (?, ?, ?, ?)",
            (name, parent, library, f"C{name[:7]:_<7}"),
        )
        for item in items:
            self.db.execute(
                "INSERT INTO collectionItems VALUES (?, ?, 0)", (cursor.lastrowid, item)
            )
        return int(cursor.lastrowid or 0)

    def trash(self, item: int) -> None:
        self.db.execute("INSERT INTO deletedItems (itemID) VALUES (?)", (item,))

    def close(self) -> None:
        self.db.close()

    def _new_item(self, kind: str, library: int) -> int:
        number = int(self._one("SELECT coalesce(max(itemID), 0) + 1 FROM items"))
        row = (number, ITEM_TYPES.index(kind) + 1, library, f"K{number:07}")
        self.db.execute(
            "INSERT INTO items (itemID, itemTypeID, libraryID, key) VALUES (?, ?, ?, ?)", row
        )
        return number

    def _one(self, query: str, *values: Any) -> Any:
        return self.db.execute(query, values).fetchone()[0]


LAMPS = {
    "title": "Lamps That Count <i>Moths</i>",
    "abstractNote": "Moths are counted by hand. We count them with a lamp that weighs them. "
    "The lamp is right for nine moths in ten.",
    "publicationTitle": "Journal of Lamps",
    "date": "2020-03-00 March 2020",
    "volume": "7",
    "pages": "1–12",
    "DOI": "10.5555/LAMP",
    "extra": "Citation Key: example2020lamps\nPMID: 123456\nPublisher: Lamp Press",
}
AUTHORS = (("author", "Ann", "Example"), ("author", "", "Society for Moths"))


def fill(database: ZoteroDatabase) -> dict[str, int]:
    """Add the contents of a well-used library: papers, a book, a preprint, skipped items."""
    lamps = database.add(
        "journalArticle",
        AUTHORS,
        fields=LAMPS,
        tags=["insects", "to read, soon"],
        notes=[
            "<h1>Lamps</h1><p>Ask <b>Ben</b> about the lamp &amp; the weights.</p>",
            "<p>Two.</p>",
        ],
    )
    preprint = database.add(
        "preprint",
        [("author", "Ben", "Other")],
        title="Moths of the Fens",
        abstractNote="We walked the fens for a year. Forty kinds of moths were seen.",
        repository="arXiv",
        archiveID="arXiv:2105.01234",
        date="2021-05-03 2021-05-03",
    )
    chapter = database.add(
        "bookSection",
        [("author", "Cy", "Third"), ("editor", "Di", "Fourth"), ("bookAuthor", "Eve", "Fifth")],
        title="A Chapter Without an Abstract on Beetles",
        bookTitle="Beetles",
        date="0000-00-00 forthcoming",
    )
    page = database.add("webpage", title="Moths - Wikipedia", websiteTitle="Wikipedia")
    trashed = database.add("journalArticle", title="Thrown Away, and Still in the File")
    database.trash(trashed)
    database.attach(lamps, "storage:lamps.pdf")
    database.attach(None, "storage:alone.pdf")
    database.add("report", title="An Item of a Feed That Nobody Chose", library=FEED)
    shared = database.add("thesis", title="Lamps and Weights in the Field", library=GROUP)
    thesis = database.collect("Thesis", lamps)
    database.collect("Chapter 2", lamps, preprint, parent=thesis)
    gone = database.collect("Gone", lamps)
    database.db.execute("INSERT INTO deletedCollections (collectionID) VALUES (?)", (gone,))
    return {
        "lamps": lamps,
        "preprint": preprint,
        "chapter": chapter,
        "page": page,
        "shared": shared,
    }


def write_library(folder: Path) -> Path:
    """Return the file of a filled library in a folder; no program has it open."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(ZoteroDatabase(folder / "zotero.sqlite")) as database:
        fill(database)
    return folder / "zotero.sqlite"
