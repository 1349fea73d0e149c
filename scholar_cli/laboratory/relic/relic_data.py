"""RELiC's JSON format: the prose of critics around their quotations of a work.

A folder contains train.json, val.json and test.json, each (Thai et al. 2022, released
data):

    work -> {"quotes": {id: [left sentences, start, number of sentences, right sentences]},
             "sentences": [...],
             "candidates": {"1_sentence": [start, ...], ..., "5_sentence": [...]}}

A start is the number of a sentence of the work, from 0; the candidates of n sentences
begin at the starts listed for n.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_json
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import atomic

MAX_BYTES = 1 << 30
"""The largest file of a split that is read."""

SPLITS = ("train", "val", "test")
MASK = "[MASK]"
LONGEST = 5
"""Sentences of the longest candidate."""

CONTEXT = 4
"""Sentences of the critic on either side of a quotation, at most."""

WRITTEN = "written-"
"""The beginning of the ids of claims that nobody published (claims.written)."""

_TEST = {
    "austen": ("pride and prejudice", "persuasion"),
    "conrad": ("heart of darkness",),
    "fitzgerald": ("great gatsby", "tender is the night"),
}
_VAL = {
    "alcott": ("little women",),
    "austen": ("emma", "northanger abbey"),
    "bronte": ("agnes grey", "tenant of wildfell hall"),
    "cather": ("song of the lark",),
    "dickens": ("barnaby rudge", "hard times", "tale of two cities"),
    "lewis": ("arrowsmith", "babbitt", "main street"),
    "mansfield": ("garden party",),
    "stendhal": ("red and the black",),
    "stevenson": ("treasure island",),
    "tolstoy": ("anna karenina",),
    "wells": ("war of the worlds",),
    "wharton": ("ethan frome",),
}
"""RELiC's test and validation works, by surname and the beginning of their title."""


@dataclass(frozen=True, slots=True)
class QuotationWindow:
    """A missing quotation and the critic's sentences before and after it.

    The quotation is the sentences [start, start + size) of its work. The nearest sentence of
    the critic is the last of left and the first of right.
    """

    id: str
    left: tuple[str, ...]
    start: int
    size: int
    right: tuple[str, ...]

    @property
    def is_published(self) -> bool:
        """True if a critic published the claim; False for a written one."""
        return not self.id.startswith(WRITTEN)

    def sides(self, left: int, right: int) -> tuple[str, str]:
        """Return up to this many of the nearest sentences before and after the quotation."""
        before = self.left[max(0, len(self.left) - left) :]
        return " ".join(before), " ".join(self.right[:right])

    def claim(self, left: int, right: int) -> str:
        """Return up to this many sentences on each side, joined by [MASK] (section 3.2)."""
        before, after = self.sides(left, right)
        return " ".join(part for part in (before, MASK, after) if part)


@dataclass(frozen=True, slots=True)
class QuotedWork:
    """A work, its quotations, and the starts of its candidates by their number of sentences."""

    title: str
    sentences: tuple[str, ...]
    windows: tuple[QuotationWindow, ...]
    candidates: dict[int, tuple[int, ...]]

    def text(self, start: int, size: int) -> str:
        """Return the text of `size` sentences."""
        return " ".join(self.sentences[start : start + size])


def read(folder: Path, split: str) -> tuple[QuotedWork, ...]:
    """Return the works of a split.

    Raises UsageError for an unknown split or a file that is not in RELiC's format (it names the
    work and the quotation), NotThere if the file is missing.
    """
    if split not in SPLITS:
        raise UsageError(f"there is no split {split!r}; choose one of {', '.join(SPLITS)}")
    path = folder / f"{split}.json"
    try:
        works = read_json(path, MAX_BYTES)
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; name a folder with train.json, val.json and test.json, or make "
            "one: scholar-lab train mine TEXTS --out FOLDER"
        ) from None
    except (OSError, ValueError) as refusal:
        raise UsageError(
            f"{path} cannot be read as JSON ({one_line(str(refusal), 200)}); fetch or mine it again"
        ) from refusal
    if not isinstance(works, dict):
        raise UsageError(f"{path} is not in RELiC's format; it must map works to their quotes")
    return tuple(_work(path, title, work) for title, work in works.items())


def write(folder: Path, split: str, works: Iterable[QuotedWork]) -> None:
    """Write a split's file atomically."""
    contents = {
        work.title: {
            "quotes": {
                window.id: [list(window.left), window.start, window.size, list(window.right)]
                for window in work.windows
            },
            "sentences": list(work.sentences),
            "candidates": {
                f"{size}_sentence": list(starts) for size, starts in work.candidates.items()
            },
        }
        for work in works
    }
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write_text(folder / f"{split}.json", json.dumps(contents, ensure_ascii=False))


def sha256(works: Iterable[QuotedWork]) -> str:
    """Return one hash of all texts and windows."""
    digest = hashlib.sha256()
    for work in works:
        windows = [
            [window.left, window.start, window.size, window.right] for window in work.windows
        ]
        digest.update(json.dumps([work.sentences, windows]).encode())
    return digest.hexdigest()


def split_of(author: str, title: str) -> str:
    """Return RELiC's split of a work; "train" for any work that it does not hold out."""
    surname = (fold(author).split() or [""])[-1]
    title = re.sub(r"^(?:the|an?) ", "", fold(title))
    for split, titles in (("test", _TEST), ("val", _VAL)):
        if title.startswith(titles.get(surname, ())):
            return split
    return "train"


def fold(text: str) -> str:
    """Return a text in lower case, without accents, its words joined by single spaces."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return " ".join(re.findall(r"[a-z0-9]+", plain))


def _work(path: Path, title: str, work: Any) -> QuotedWork:
    """Return a work of the file at path; raises UsageError for one in another format."""

    def error(problem: str) -> UsageError:
        return UsageError(f"{path}: {problem} of {title[:60]!r}; fix the file, or mine it again")

    try:
        parsed = QuotedWork(
            title=title,
            sentences=_texts(work["sentences"]),
            candidates=_candidates(work),
            windows=_windows(work["quotes"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as refusal:
        why = one_line(str(refusal), 200)
        raise error(f"cannot read the quotes, sentences or candidates ({why})") from None
    sentences = len(parsed.sentences)
    for size, starts in parsed.candidates.items():
        if starts and not 0 <= min(starts) <= max(starts) <= sentences - size:
            raise error(f"candidates of {size} sentences are outside the {sentences}")
    starts_by_size = {size: frozenset(starts) for size, starts in parsed.candidates.items()}
    for window in parsed.windows:
        if window.start not in starts_by_size.get(window.size, ()):
            raise error(
                f"the quotation {window.id[:60]!r} ({window.size} sentences from {window.start}) "
                "is not among the candidates"
            )
    return parsed


def _candidates(work: Any) -> dict[int, tuple[int, ...]]:
    return {
        size: tuple(int(start) for start in work["candidates"][f"{size}_sentence"])
        for size in range(1, LONGEST + 1)
        if f"{size}_sentence" in work["candidates"]
    }


def _windows(quotes: Any) -> tuple[QuotationWindow, ...]:
    return tuple(
        QuotationWindow(str(key), _texts(left), int(start), int(size), _texts(right))
        for key, (left, start, size, right, *_) in quotes.items()
    )


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise TypeError("one string instead of a list of sentences")
    return tuple(str(value) for value in values)
