"""Read a folder of Gutenberg texts: works, and criticism of them.

primary/ and criticism/, or primary.tar.xz and criticism.tar.xz, contain files <id>.txt; a
catalog.csv (pgid, group, author, title, genre) may complete the headers of the files.
"""

from __future__ import annotations

import csv
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scholar_cli.laboratory.relic.relic_data import fold
from scholar_indexes.books.adding.ingest import guess_language
from scholar_indexes.books.formats import sources
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.books.segmentation.sentences import chapter_sentences
from scholar_indexes.errors import NotABook, NotThere, UsageError
from scholar_indexes.guarded import read_bytes
from scholar_indexes.quotations.words import WordSequence, number_words
from scholar_indexes.types import Progress

Catalogue = Mapping[tuple[str, str], Mapping[str, str]]
Spans = NDArray[np.int32]

_FORENAMES_AFTER = re.compile(r";|\(|,? (?:jr|sr)\b", re.IGNORECASE)
_SUBTITLE = re.compile(r"[;:(]|, or\b|--|—| or,? ", re.IGNORECASE)


class LiteraryWork:
    """A work: its text, its words, and its sentences, which are split on demand."""

    def __init__(self, id: str, title: str, author: str, genre: str, text: str) -> None:
        self.id, self.title, self.author, self.genre, self.text = id, title, author, genre, text
        self.words: WordSequence = number_words(text)

    @cached_property
    def sentences(self) -> Spans:
        """Chapter, start and end (n, 3) of the searchable sentences."""
        rows = [
            (sentence.chapter, sentence.span.start, sentence.span.end)
            for sentence in chapter_sentences(self.text, divide(self.text))
        ]
        return np.array(rows, np.int32).reshape(-1, 3)

    @cached_property
    def bounds(self) -> tuple[Spans, Spans]:
        """The first word of every sentence, and the first word after it."""
        starts = np.searchsorted(self.words.starts, self.sentences[:, 1])
        ends = np.searchsorted(self.words.starts, self.sentences[:, 2])
        return starts.astype(np.int32), ends.astype(np.int32)

    @cached_property
    def surname(self) -> str:
        """The last word of the first author's name, folded."""
        return (fold(_FORENAMES_AFTER.split(self.author)[0]).split() or [""])[-1]

    @property
    def short_title(self) -> str:
        """The title without its subtitle."""
        return _SUBTITLE.split(self.title)[0].strip()

    @property
    def is_verse(self) -> bool:
        return "drama" in self.genre or "verse" in self.genre


def catalogue(texts: Path) -> Catalogue:
    """Return the rows of catalog.csv by group and id; {} without such a file.

    Raises UsageError for a file that cannot be read or lacks columns.
    """
    path = texts / "catalog.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, csv.Error) as refusal:
        raise UsageError(f"{path} cannot be read; save it as CSV in UTF-8") from refusal
    if rows and not {"pgid", "group", "author", "title"} <= rows[0].keys():
        raise UsageError(f"{path} is missing columns; it needs pgid, group, author, title")
    return {(row["group"], row["pgid"]): row for row in rows}


def works(
    texts: Path, rows: Catalogue, *, progress: Progress, say: Callable[[str], None]
) -> list[LiteraryWork]:
    """Return the works of a folder, ordered by id; say is called for each that is skipped.

    Raises NotThere if there are none.
    """
    total = count(texts, "primary")
    usable: list[LiteraryWork] = []
    for done, (id, raw) in enumerate(files(texts, "primary")):
        progress("reading works", done, total)
        try:
            manuscript = sources.read(raw, id)
        except NotABook as refusal:
            say(f"skipped {refusal}")
            continue
        row = rows.get(("primary", id), {})
        title = " ".join((row.get("title") or manuscript.title).split())
        author = " ".join((row.get("author") or manuscript.author).split())
        if not fold(title) or not fold(author):
            say(f"skipped {id}: it names no title and author; add a row for it to catalog.csv")
        elif not is_english(manuscript.text, manuscript.language):
            say(f"skipped {id}: {title} is not in English; replace it with a translation")
        else:
            genre = row.get("genre") or ""
            usable.append(LiteraryWork(id, title, author, genre.lower(), manuscript.text))
    progress("reading works", total, total)
    if not usable:
        raise NotThere(f"{texts / 'primary'} contains no usable works; put <id>.txt there")
    return usable


def files(texts: Path, group: str) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the bytes of every text of a group.

    Raises NotThere for a folder without the group, UsageError for a broken archive.
    """
    folder, packed = texts / group, texts / f"{group}.tar.xz"
    if folder.is_dir():
        for path in sorted(folder.glob("*.txt")):
            yield path.stem, read_bytes(path)
    elif packed.is_file():
        try:
            with tarfile.open(packed, "r|xz") as archive:
                for member in archive:
                    if member.name.endswith(".txt") and (file := archive.extractfile(member)):
                        yield Path(member.name).stem, file.read()
        except (tarfile.TarError, OSError, EOFError) as broken:
            raise UsageError(f"{packed} cannot be unpacked; fetch it again") from broken
    else:
        raise NotThere(
            f"{texts} has neither {group}/ nor {group}.tar.xz; name a folder of Gutenberg texts "
            "with primary/ and criticism/"
        )


def count(texts: Path, group: str) -> int:
    """Return the number of texts of a group; 0 if they are in an archive."""
    return len(list((texts / group).glob("*.txt")))


def is_english(text: str, language: str) -> bool:
    """Return True if a text is English, by the language of its source or else by samples of it."""
    return (language or guess_language(text)) == "en"
