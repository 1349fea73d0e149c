"""A person's folder of Gutenberg texts: works, and criticism of them.

primary/ and criticism/ hold files <id>.txt, or primary.tar.xz and criticism.tar.xz do; a
catalog.csv (pgid, group, author, title, genre) may say what the files' own headers do not.
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

from scholar_cli.bench.relic_form import folded
from scholar_cli.train import quoted
from scholar_cli.train.quoted import Words
from scholar_indexes.books import sources
from scholar_indexes.books.chapters import divide
from scholar_indexes.books.passages import sentences
from scholar_indexes.errors import NotABook, NotThere, UsageError
from scholar_indexes.ingest import guessed
from scholar_indexes.types import Progress

Catalogue = Mapping[tuple[str, str], Mapping[str, str]]
Spans = NDArray[np.int32]

_FORENAMES_AFTER = re.compile(r";|\(|,? (?:jr|sr)\b", re.IGNORECASE)
_SUBTITLE = re.compile(r"[;:(]|, or\b|--|—| or,? ", re.IGNORECASE)


class Work:
    """A work: its text, its words, and its sentences once they are needed."""

    def __init__(self, id: str, title: str, author: str, genre: str, text: str) -> None:
        self.id, self.title, self.author, self.genre, self.text = id, title, author, genre, text
        self.words: Words = quoted.words(text)

    @cached_property
    def sentences(self) -> Spans:
        """Chapter, start and end (n, 3) of the sentences that a search finds."""
        rows = [
            (each.chapter, each.span.start, each.span.end)
            for each in sentences(self.text, divide(self.text))
        ]
        return np.array(rows, np.int32).reshape(-1, 3)

    @cached_property
    def bounds(self) -> tuple[Spans, Spans]:
        """The first word of every sentence, and the first word behind it."""
        starts = np.searchsorted(self.words.starts, self.sentences[:, 1])
        ends = np.searchsorted(self.words.starts, self.sentences[:, 2])
        return starts.astype(np.int32), ends.astype(np.int32)

    @cached_property
    def surname(self) -> str:
        """The last word of the first author's name, folded."""
        return (folded(_FORENAMES_AFTER.split(self.author)[0]).split() or [""])[-1]

    @property
    def short_title(self) -> str:
        return _SUBTITLE.split(self.title)[0].strip()

    @property
    def is_verse(self) -> bool:
        return "drama" in self.genre or "verse" in self.genre


def catalogue(texts: Path) -> Catalogue:
    """The rows of catalog.csv by group and id; none where there is no such file.

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
        raise UsageError(f"{path} lacks columns; it needs pgid, group, author, title")
    return {(row["group"], row["pgid"]): row for row in rows}


def works(
    texts: Path, rows: Catalogue, *, progress: Progress, say: Callable[[str], None]
) -> list[Work]:
    """The works of a folder, in the order of their ids; say hears of each that is left out.

    Raises NotThere where there is none.
    """
    total, found = count(texts, "primary"), []
    for done, (id, raw) in enumerate(files(texts, "primary")):
        progress("reading works", done, total)
        try:
            manuscript = sources.read(raw, id)
        except NotABook as refusal:
            say(f"left out {refusal}")
            continue
        row = rows.get(("primary", id), {})
        title = " ".join((row.get("title") or manuscript.title).split())
        author = " ".join((row.get("author") or manuscript.author).split())
        if not folded(title) or not folded(author):
            say(f"left out {id}: it names no title and author; add a row for it to catalog.csv")
        elif not is_english(manuscript.text, manuscript.language):
            say(f"left out {id}: {title} is not in English; put a translation in its place")
        else:
            genre = row.get("genre") or ""
            found.append(Work(id, title, author, genre.lower(), manuscript.text))
    progress("reading works", total, total)
    if not found:
        raise NotThere(f"{texts / 'primary'} holds no works that can be used; put <id>.txt there")
    return found


def files(texts: Path, group: str) -> Iterator[tuple[str, bytes]]:
    """The id and the bytes of every text of a group.

    Raises NotThere for a folder without the group, UsageError for a broken archive.
    """
    folder, packed = texts / group, texts / f"{group}.tar.xz"
    if folder.is_dir():
        for path in sorted(folder.glob("*.txt")):
            yield path.stem, path.read_bytes()
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
    """How many texts a group has; 0 where only unpacking would tell."""
    return len(list((texts / group).glob("*.txt")))


def is_english(text: str, language: str) -> bool:
    """Whether a text is English, by its source's own word or else by samples of it."""
    return (language or guessed(text)) == "en"
