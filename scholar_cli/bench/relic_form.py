"""RELiC's own form: what critics wrote around the quotations of a work, as JSON.

A folder holds train.json, val.json and test.json, each (Thai et al. 2022, released
data):

    work -> {"quotes": {id: [left sentences, start, number of sentences, right sentences]},
             "sentences": [...],
             "candidates": {"1_sentence": [start, ...], ..., "5_sentence": [...]}}

A start is the number of a sentence of the work, from 0; a candidate of n sentences is
any run that begins at one of the starts listed for n.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_indexes.errors import NotThere, UsageError

SPLITS = ("train", "val", "test")
MASK = "[MASK]"
LONGEST = 5
"""Sentences of the longest candidate."""

CONTEXT = 4
"""Sentences of the critic that are kept on a side."""

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
class Window:
    """A missing quotation: sentences [start, start + size) of its work, and the critic's
    sentences before and after it, the nearest last on the left and first on the right."""

    id: str
    left: tuple[str, ...]
    start: int
    size: int
    right: tuple[str, ...]

    def sides(self, left: int, right: int) -> tuple[str, str]:
        """At most so many sentences before and after the quotation, the nearest."""
        before = self.left[max(0, len(self.left) - left) :]
        return " ".join(before), " ".join(self.right[:right])

    def claim(self, left: int, right: int) -> str:
        """So many sentences on either side with [MASK] between them (section 3.2)."""
        before, after = self.sides(left, right)
        return " ".join(each for each in (before, MASK, after) if each)


@dataclass(frozen=True, slots=True)
class Work:
    """A work, what is quoted of it, and where a candidate of n sentences may begin."""

    title: str
    sentences: tuple[str, ...]
    windows: tuple[Window, ...]
    candidates: dict[int, tuple[int, ...]]

    def text(self, start: int, size: int) -> str:
        return " ".join(self.sentences[start : start + size])


def read(folder: Path, split: str) -> tuple[Work, ...]:
    """The works of a split.

    Raises UsageError for a split that is none or a file that is not in RELiC's form
    (it names the work and the quotation), NotThere when the file is not there.
    """
    if split not in SPLITS:
        raise UsageError(f"there is no split {split!r}; choose one of {', '.join(SPLITS)}")
    path = folder / f"{split}.json"
    try:
        works = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; name a folder with train.json, val.json and test.json, or make "
            "one: scholar train mine TEXTS --out FOLDER"
        ) from None
    except (OSError, ValueError) as refusal:
        raise UsageError(f"{path} cannot be read as JSON; fetch or mine it again") from refusal
    if not isinstance(works, dict):
        raise UsageError(f"{path} is not in RELiC's form; it must map works to their quotes")
    return tuple(_work(path, title, work) for title, work in works.items())


def write(folder: Path, split: str, works: Iterable[Work]) -> None:
    """Write a split's file, whole or not at all."""
    form = {
        work.title: {
            "quotes": {
                each.id: [list(each.left), each.start, each.size, list(each.right)]
                for each in work.windows
            },
            "sentences": list(work.sentences),
            "candidates": {
                f"{size}_sentence": list(starts) for size, starts in work.candidates.items()
            },
        }
        for work in works
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{split}.json"
    unfinished = path.with_suffix(".json.part")
    unfinished.write_text(json.dumps(form, ensure_ascii=False), "utf-8")
    os.replace(unfinished, path)


def sha256(works: Iterable[Work]) -> str:
    """One hash of all texts and windows: equal hashes, equal queries."""
    digest = hashlib.sha256()
    for work in works:
        windows = [[each.left, each.start, each.size, each.right] for each in work.windows]
        digest.update(json.dumps([work.sentences, windows]).encode())
    return digest.hexdigest()


def split_of(author: str, title: str) -> str:
    """The split that RELiC has a work in; "train" for any that it does not hold out."""
    surname = (folded(author).split() or [""])[-1]
    begins = re.sub(r"^(?:the|an?) ", "", folded(title))
    for split, listed in (("test", _TEST), ("val", _VAL)):
        if begins.startswith(listed.get(surname, ())):
            return split
    return "train"


def folded(text: str) -> str:
    """Lower case, no accents, words parted by single spaces."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return " ".join(re.findall(r"[a-z0-9]+", plain))


def _work(path: Path, title: str, work: Any) -> Work:
    def broken(what: str) -> UsageError:
        return UsageError(f"{path}: {what} of {title!r}; mend the file, or mine it again")

    try:
        sentences = _texts(work["sentences"])
        candidates = {
            size: tuple(int(start) for start in work["candidates"][f"{size}_sentence"])
            for size in range(1, LONGEST + 1)
            if f"{size}_sentence" in work["candidates"]
        }
        windows = tuple(
            Window(str(key), _texts(left), int(start), int(size), _texts(right))
            for key, (left, start, size, right, *_) in work["quotes"].items()
        )
    except (KeyError, TypeError, ValueError, AttributeError) as strange:
        raise broken(f"cannot make out the quotes, sentences or candidates ({strange})") from None
    for size, starts in candidates.items():
        if starts and not 0 <= min(starts) <= max(starts) <= len(sentences) - size:
            raise broken(f"candidates of {size} sentences stand outside the {len(sentences)}")
    offered = {size: frozenset(starts) for size, starts in candidates.items()}
    for each in windows:
        if each.start not in offered.get(each.size, ()):
            raise broken(
                f"the quotation {each.id!r} ({each.size} sentences from {each.start}) is not among "
                "the candidates"
            )
    return Work(title, sentences, windows, candidates)


def _texts(listed: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(listed, str):
        raise TypeError("there is one text in place of a list of sentences")
    return tuple(str(each) for each in listed)
