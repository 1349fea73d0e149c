"""The catalogue of Project Gutenberg, searchable without a network.

update reads the catalogue published by a mirror into a database with a full-text index;
search and lookup only read that database, and report how to create it if it is missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scholar_indexes.books.citation.contributors import split_names
from scholar_indexes.errors import Busy, Damaged, NotThere, RetryLater, ScholarError
from scholar_indexes.folding import fold_text
from scholar_indexes.storage.atomic import atomic_file
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    import sqlite3
    from gzip import GzipFile

    from scholar_indexes.net.client import Announce, Fetched, Fetcher


MAX_DOWNLOAD_BYTES = 64 * 2**20
MAX_CATALOG_BYTES = 512 * 2**20

_MAX_LINE_BYTES = 2**20
_MAX_FIELD_CHARS = 131_072  # the limit of csv itself is set for the whole process
_MAX_WORDS = 32  # SQLite refuses expressions much deeper than this
_SCHEMA = 2
_COLUMNS = ("Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects")
_SHELVES = "Bookshelves"
_TEXT = "Text"
_TABLES = """
    CREATE TABLE book (
        id INTEGER PRIMARY KEY, title TEXT, authors TEXT, language TEXT, issued TEXT, subjects TEXT,
        shelves TEXT, kind TEXT
    );
    CREATE VIRTUAL TABLE words USING fts5 (
        title, authors, subjects, content='book', content_rowid='id', prefix='2 3',
        tokenize='unicode61 remove_diacritics 2'
    );
"""
_FIELDS = "book.id, book.title, book.authors, book.language, book.issued, book.subjects"
_LATER_FIELDS = {1: ("''", "'Text'"), 2: ("book.shelves", "book.kind")}
"""The columns for the bookshelves and the type of a text, by schema version; the first has only
texts and no shelves."""

_Row = tuple[int, str, str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One text of the catalogue.

    authors are as catalogued ("Austen, Jane, 1775-1817", separated by "; "), see
    display_author; language is one or more ISO 639 codes ("en", "en; fr"); issued is the date
    of release, YYYY-MM-DD; kind is "Text", "Sound" or similar, and only texts can be read.
    """

    gutenberg_id: int
    title: str
    authors: str
    language: str
    issued: str
    subjects: tuple[str, ...]
    bookshelves: tuple[str, ...] = ()
    kind: str = _TEXT


def urls(mirrors: Iterable[str]) -> list[str]:
    """Return the address of the catalogue on each mirror."""
    return [f"{mirror.rstrip('/')}/cache/epub/feeds/pg_catalog.csv.gz" for mirror in mirrors]


def update(
    fetcher: Fetcher,
    path: Path,
    urls: Sequence[str],
    *,
    refresh: bool = True,
    announce: Announce,
    progress: Progress = silent,
) -> int:
    """Download the catalogue from the first address that has it and index it at path.

    Returns the number of texts. An existing database stays until the new one is complete.
    Raises the errors of fetching, Damaged if the download is not the catalogue, and Busy if
    another process is updating it.
    """
    with _held(path):
        fetched = _download(fetcher, urls, refresh, announce, progress)
        try:
            return _index(path, fetched.path, True, announce, progress)
        except Damaged:
            fetcher.forget(fetched.url)
            raise


def read_feed(path: Path, feed: Path, *, announce: Announce, progress: Progress = silent) -> int:
    """Index a local copy of the catalogue, gzipped or not, at path; otherwise like update."""
    with _held(path):
        return _index(path, feed, _is_packed(feed), announce, progress)


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold the lock of the database at path; raises Busy if another process holds it."""
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Busy(
            "another scholar is updating the Gutenberg catalogue; "
            "run the same command again when it is done"
        ) from None
    try:
        yield
    finally:
        lock.release()


def _index(path: Path, feed: Path, packed: bool, announce: Announce, progress: Progress) -> int:
    count, skipped = _build(path, feed, packed, progress)
    if skipped:
        announce(f"{skipped} invalid rows of the catalogue were skipped")
    return count


def search(
    path: Path,
    query: str,
    *,
    language: str | None = None,
    author: str | None = None,
    limit: int = 20,
) -> list[CatalogEntry]:
    """Return the texts with every word of a query in title, authors or subjects, best first.

    The last word of query and of author may be a prefix. A word weighs most in a title, then
    in an author's name (BM25); ties are in order of number. Case, accents and punctuation do
    not matter. Raises NotThere without a catalogue, Damaged if it is broken.
    """
    terms = _terms(query) + [f"authors : {term}" for term in _terms(author or "")]
    if not terms or limit < 1:
        return []
    rows = _ask(
        path,
        """
        FROM words JOIN book ON book.id = words.rowid
        WHERE words MATCH :match AND {kind} = 'Text' AND (:language = '' OR
            instr('; ' || lower(book.language) || ';', '; ' || :language || ';'))
        ORDER BY bm25(words, 10.0, 6.0, 1.0), book.id LIMIT :limit
        """,
        {
            "match": " AND ".join(terms),
            "language": (language or "").strip().lower().encode("ascii", "replace").decode(),
            "limit": min(limit, 2**31),
        },
    )
    return [_entry(row) for row in rows]


def entries(path: Path) -> list[CatalogEntry]:
    """Return all entries of the catalogue, by number.

    Raises the errors of search, and Damaged for a database without bookshelves.
    """
    return [_entry(row) for row in _ask(path, "FROM book ORDER BY id", {}, oldest=_SCHEMA)]


def lookup(path: Path, gutenberg_id: int) -> CatalogEntry | None:
    """Return the text with a number, or None; raises the errors of search."""
    number = gutenberg_id if 0 < gutenberg_id < 2**31 else 0
    rows = _ask(path, "FROM book WHERE id = :id AND {kind} = 'Text'", {"id": number})
    return _entry(rows[0]) if rows else None


def display_author(authors: str) -> str:
    """Return catalogued names in natural order: "Austen, Jane, 1775-1817" as "Jane Austen".

    Several are separated by "; ". Dates, parentheses and most titles are dropped; editors,
    translators and illustrators are included, with their roles, only if there is no one else.
    """
    people = [person for part in authors.split(";") if (person := part.strip())]
    writers = [person for person in people if "[" not in person]
    return "; ".join(_natural_name(person) for person in writers or people)


def respelled(title: str, author: str, entry: CatalogEntry) -> tuple[str, str]:
    """Return title and author of a text in the spelling of the catalogue, if they match.

    The accents and the leading article of a title are taken from the catalogue: My Ántonia,
    The House of Mirth; so is an author with the same surname, or one that the text omits.
    """
    catalogued = _WORD.findall(entry.title)
    accented = {fold_text(word): word for word in catalogued if not word.isascii()}
    spelled = _WORD.sub(lambda word: accented.get(fold_text(word[0]), word[0]), title)
    words = list(map(fold_text, _WORD.findall(title)))
    begins_alike = words == list(map(fold_text, catalogued[1 : len(words) + 1]))
    if words and begins_alike and catalogued[0] in ("The", "A", "An"):
        spelled = f"{catalogued[0]} {spelled}"
    listed = display_author(entry.authors)
    surnames = {fold_text(person.partition(",")[0]) for person in entry.authors.split(";")}
    known = set(_WORD.findall(fold_text(author)))
    is_same = not known or any(known >= set(surname.split()) for surname in surnames)
    return spelled, listed if is_same and split_names(listed) else author


_WORD = re.compile(r"[\w'’-]*\w")
_BEFORE_NAME = {"sir", "lady", "lord", "dame", "mrs.", "mrs", "dr.", "rev."}
_AFTER_NAME = {"jr.", "jr", "sr.", "sr", "ii", "iii", "iv"}
_ROLE = re.compile(r"\s*\[([^\]]*)\]?")
_DATES = re.compile(r"[0-9]|^\??-|\bBCE?\b|^(?:active|born|died)\b")


def _natural_name(person: str) -> str:
    """Return a catalogued name in natural order, followed by the person's roles."""
    surname, others = _split_catalogued(person)
    before = [part for part in others if part.lower() in _BEFORE_NAME]
    after = [part for part in others if part.lower() in _AFTER_NAME]
    given = next((part for part in others if part not in before and part not in after), "")
    if surname in given.split():
        surname = ""  # "Byron, George Gordon Byron, Baron"
    name = " ".join(filter(None, [*before, given, surname, *after]))
    roles = [role.lower() for role in _ROLE.findall(person) if role]
    return f"{name} ({', '.join(roles)})" if roles else name


def _split_catalogued(person: str) -> tuple[str, list[str]]:
    """Return the surname of a catalogued name, and its other parts without dates."""
    person = re.sub(r"\s*\([^)]*\)?", "", _ROLE.sub("", person))
    parts = [part for piece in person.split(",") if (part := piece.strip())]
    others = [part for part in parts[1:] if not _DATES.search(part)]
    return "".join(parts[:1]), others


def _download(
    fetcher: Fetcher, urls: Sequence[str], refresh: bool, announce: Announce, progress: Progress
) -> Fetched:
    trouble: NotThere | RetryLater = NotThere("no address was given for the Gutenberg catalogue")
    for url in urls:
        try:
            return fetcher.get(
                url,
                max_bytes=MAX_DOWNLOAD_BYTES,
                refresh=refresh,
                announce=announce,
                progress=progress,
            )
        except (NotThere, RetryLater) as error:
            trouble = error
            if url != urls[-1]:
                announce(f"{error}; trying the next mirror")
    raise trouble


def _build(path: Path, source: Path, packed: bool, progress: Progress) -> tuple[int, int]:
    """Index the catalogue in source at path; return the numbers of texts and skipped rows."""
    import gzip
    import sqlite3
    import zlib

    skipped = 0
    try:
        with (
            gzip.open(source) if packed else source.open("rb") as file,
            atomic_file(path) as temporary,
            closing(sqlite3.connect(temporary)) as database,
        ):
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            database.executescript(_TABLES)
            for done, row in enumerate(_rows(file), start=1):
                if isinstance(row, tuple):
                    database.execute(
                        "INSERT OR REPLACE INTO book VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row
                    )
                else:
                    skipped += row
                if done % 5000 == 0:
                    progress("reading the catalogue", done, 0)
            database.execute("INSERT INTO words(words) VALUES ('rebuild')")
            database.execute(f"PRAGMA user_version = {_SCHEMA}")
            database.commit()
            count: int = database.execute(
                "SELECT count(*) FROM book WHERE kind = 'Text'"
            ).fetchone()[0]
            if count == 0:
                raise _not_the_catalog("it lists no texts")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _not_the_catalog("it is not a complete gzip file") from error
    except (OSError, sqlite3.Error) as error:
        raise ScholarError(
            f"the Gutenberg catalogue cannot be written to {path} ({error}); "
            "make room there and run: scholar catalog update"
        ) from error
    return count, skipped


def _is_packed(feed: Path) -> bool:
    with feed.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _rows(file: IO[bytes] | GzipFile) -> Iterator[_Row | int]:
    """Yield the entries of a catalogue as rows of the table book, and 1 for each skipped row."""
    import csv

    rows = csv.reader(_lines(file))
    header = _read_header(rows)
    at = [header.index(column) for column in _COLUMNS]
    shelves_at = header.index(_SHELVES) if _SHELVES in header else None
    # Not a for loop, which would end at the first csv.Error.
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error:
            cells = []
        if len(cells) != len(header) or max(map(len, cells)) > _MAX_FIELD_CHARS:
            yield 1
            continue
        shelves = "" if shelves_at is None else _tidy(cells[shelves_at])
        yield _row([_tidy(cells[i]) for i in at], shelves) or 1


def _read_header(rows: Iterator[list[str]]) -> list[str]:
    """Return the names of the columns; raises an error unless all of _COLUMNS are there."""
    import csv

    try:
        header = next(rows, [])
    except csv.Error as error:
        raise _not_the_catalog(f"it is not a table: {error}") from error
    if not set(_COLUMNS) <= set(header):
        raise _not_the_catalog(f"its columns are not {', '.join(_COLUMNS)}")
    return header


def _row(cells: Sequence[str], shelves: str) -> _Row | None:
    """Return the row of the cells of _COLUMNS; None without a number or a title."""
    number, kind, issued, title, language, authors, subjects = cells
    if not re.fullmatch(r"[1-9][0-9]{0,8}", number) or not title:
        return None
    return int(number), title, authors, language, issued, subjects, shelves, kind


def _lines(file: IO[bytes] | GzipFile) -> Iterator[str]:
    """Yield the lines of a file; raise Damaged if it unpacks to more than MAX_CATALOG_BYTES."""
    taken = 0
    while line := file.readline(_MAX_LINE_BYTES):
        if taken == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        taken += len(line)
        if taken > MAX_CATALOG_BYTES:
            raise _not_the_catalog("it is far too large")
        yield line.decode("utf-8", "replace")


def _tidy(field: str) -> str:
    """Return a field on one line, composed (NFC), without control characters."""
    words = unicodedata.normalize("NFC", field).split()
    return "".join(c for c in " ".join(words) if c.isprintable())


def _not_the_catalog(why: str) -> Damaged:
    return Damaged(
        f"the file is not the Gutenberg catalogue ({why}); "
        "run: scholar catalog update, and if that fails again, try another mirror"
    )


def _terms(query: str) -> list[str]:
    """Return the words of a query as FTS5 strings, the last one as a prefix."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", query))[:_MAX_WORDS]
    return [f'"{word}"' for word in words[:-1]] + [f'"{word}"*' for word in words[-1:]]


def _ask(
    path: Path, condition: str, values: dict[str, str | int], *, oldest: int = 1
) -> list[_Row]:
    """Return the rows that meet a condition, from a database with at least the schema `oldest`.

    {kind} in the condition is replaced by the column of the type.
    """
    import sqlite3

    if not path.exists():
        raise NotThere("the Gutenberg catalogue is missing; run: scholar catalog update")
    try:
        with closing(_open(path)) as database:
            (schema,) = database.execute("PRAGMA user_version").fetchone()
            if oldest <= schema <= _SCHEMA:
                shelves, kind = _LATER_FIELDS[schema]
                fields = f"SELECT {_FIELDS}, {shelves}, {kind} "
                return list(database.execute(fields + condition.format(kind=kind), values))
    except sqlite3.DatabaseError as error:
        raise Damaged(
            f"the Gutenberg catalogue in {path} cannot be read; run: scholar catalog update"
        ) from error
    raise Damaged(
        f"the Gutenberg catalogue in {path} has another version; run: scholar catalog update"
    )


def _open(path: Path) -> sqlite3.Connection:
    import sqlite3

    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _entry(row: _Row) -> CatalogEntry:
    number, title, authors, language, issued, subjects, shelves, kind = row
    return CatalogEntry(
        number, title, authors, language, issued, _split(subjects), _split(shelves), kind
    )


def _split(headings: str) -> tuple[str, ...]:
    return tuple(heading for part in headings.split(";") if (heading := part.strip()))
