"""Load claims as people type them, with passages of their book that were read and graded.

docs/ranking.md describes who wrote and graded them, and the guides. graded.jsonl.xz has one object
per line; a passage is given by its first and last words, which are enough to find it in the text of
the book:

    {"id": "1023-04", "gutenberg_id": 1023, "part": "train", "kind": "symbol",
     "claim": "fog as a symbol of confusion", "words": ["mist", ...], "imagined": "...",
     "passages": [["Fog everywhere.", "the heart of the fog.", 3], ...]}
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("graded.jsonl.xz")

TRAIN, DEV = "train", "dev"
PARTS = (TRAIN, DEV)
"""The parts, by work: for training, and for choosing settings."""

QUOTED, SUPPORTS, TOUCHES, NEITHER = 3, 2, 1, 0
"""The grades: quotable, supports the claim, touches it, neither."""


class GradedPassage(NamedTuple):
    """A passage by its first and last words, which are the same if it is short, and its grade."""

    first: str
    last: str
    grade: int


class GradedClaim(NamedTuple):
    """A claim about a book with graded passages.

    `words` may occur in passages that support it, and `imagined` is such a passage, made up; both
    were written without the book, to pool passages by.
    """

    id: str
    gutenberg_id: int
    part: str
    kind: str
    claim: str
    words: Sequence[str]
    imagined: str
    passages: Sequence[GradedPassage]


@cache
def load(path: Path = FILE) -> tuple[GradedClaim, ...]:
    """Return all graded claims."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return tuple(_parse(json.loads(line)) for line in file)


def _parse(record: dict[str, Any]) -> GradedClaim:
    passages = tuple(GradedPassage(*passage) for passage in record.pop("passages"))
    return GradedClaim(**record, passages=passages)
