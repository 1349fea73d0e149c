"""Claims and criticism that were written for passages of novels that may train.

The critics that can be mined wrote a century ago, and no corpus has the seven words that
a person types at a prompt. So passages were drawn at random from novels of the training
split, and a language model read each and wrote what a student might ask that it answers,
or the prose of a modern article around it, avoiding the passage's own words.
written.jsonl.xz holds one object per line, a claim being left sentences without right:

    {"gutenberg_id": 76, "passage": "...", "left": ["Jim's ignorance of history"], "right": []}
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scholar_cli.bench.relic_form import LONGEST, Window

FILE = Path(__file__).with_name("written.jsonl.xz")


class Written(NamedTuple):
    """What was written about a passage, which is given as it reads."""

    gutenberg_id: int
    passage: str
    left: Sequence[str]
    right: Sequence[str]


def windows(gutenberg_id: int, sentences: Sequence[str]) -> tuple[Window, ...]:
    """What was written about a work as RELiC's windows, where the passage is one to five
    whole sentences of it; what is not found there is left out."""
    listed = _written().get(gutenberg_id, ())
    if not listed:
        return ()
    letters = [_letters(each) for each in sentences]
    edges = [0]
    for each in letters:
        edges.append(edges[-1] + len(each))
    starts = {edge: row for row, edge in enumerate(edges[:-1])}
    ends = {edge: row for row, edge in enumerate(edges)}
    whole = "".join(letters)
    found = []
    for number, about in enumerate(listed):
        wanted = _letters(about.passage)
        at = whole.find(wanted)
        first, end = starts.get(at), ends.get(at + len(wanted))
        if first is not None and end is not None and 0 < end - first <= LONGEST:
            name = f"written-{gutenberg_id}-{number}"
            found.append(Window(name, tuple(about.left), first, end - first, tuple(about.right)))
    return tuple(found)


def pack(lines: Iterable[Written], path: Path = FILE) -> None:
    """Write the file that windows reads."""
    with lzma.open(path, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        for each in lines:
            file.write(json.dumps(each._asdict(), ensure_ascii=False) + "\n")


@cache
def _written() -> dict[int, list[Written]]:
    by_work: dict[int, list[Written]] = {}
    with lzma.open(FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            each = Written(**json.loads(line))
            by_work.setdefault(each.gutenberg_id, []).append(each)
    return by_work


def _letters(text: str) -> str:
    return "".join(each for each in text.lower() if each.isalnum())
