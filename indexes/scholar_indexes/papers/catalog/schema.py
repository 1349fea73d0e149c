"""The SQLite schema of the catalogue of papers.

A paper's state is "adding" until its vectors are stored, "listed" after that, and "removing"
until its vectors are deleted. Every call that changes papers is one revision: papers.revision is
the revision of a paper's last change, papers.text_revision the revision of the last change to its
title or abstract, spaces.stored the revision up to which a vector space has all vectors.

origins has a row for every file and every record of a file that papers were read from: a digest of
its content, and the numbers of these papers as a JSON list.
"""

from __future__ import annotations

import re

SCHEMA_VERSION = 2

_ORIGINS = """CREATE TABLE origins (
    origin TEXT PRIMARY KEY, digest TEXT NOT NULL, papers TEXT NOT NULL
) WITHOUT ROWID"""

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

STATEMENTS = [*re.split(r";\n(?=CREATE|INSERT|$)", _SCHEMA), _ORIGINS]
"""The statements that create the tables, in order."""

UPGRADES = {1: [_ORIGINS]}
"""The statements that upgrade the tables of a version to the next one."""
