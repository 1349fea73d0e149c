"""Load claims and criticism that were written for passages of training novels.

The critics that can be mined wrote a century ago, and no corpus has claims as short as users type
at a prompt. So passages were drawn at random from novels of the training split, and a language
model read each and wrote a student's question that it answers, or the prose of a modern article
around it, avoiding the passage's own words. written.jsonl.xz has one object per line; a claim has
left sentences and no right ones:

    {"gutenberg_id": 76, "passage": "...", "left": ["Jim's ignorance of history"], "right": []}
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from scholar_cli.laboratory.relic.relic_data import LONGEST, WRITTEN, QuotationWindow

FILE = Path(__file__).with_name("written.jsonl.xz")


class WrittenClaim(NamedTuple):
    """Claims or criticism about a passage, which is quoted verbatim."""

    gutenberg_id: int
    passage: str
    left: Sequence[str]
    right: Sequence[str]


def windows(gutenberg_id: int, sentences: Sequence[str]) -> tuple[QuotationWindow, ...]:
    """Return the claims and criticism about a work as RELiC's windows.

    Passages that are not one to five whole sentences of the work are skipped.
    """
    claims = load().get(gutenberg_id, ())
    if not claims:
        return ()
    letters = [_letters(sentence) for sentence in sentences]
    edges = [0, *accumulate(map(len, letters))]
    starts = {edge: row for row, edge in enumerate(edges[:-1])}
    ends = {edge: row for row, edge in enumerate(edges)}
    whole = "".join(letters)
    written_windows = []
    for number, claim in enumerate(claims):
        passage = _letters(claim.passage)
        at = whole.find(passage)
        first, end = starts.get(at), ends.get(at + len(passage))
        if first is not None and end is not None and 0 < end - first <= LONGEST:
            name = f"{WRITTEN}{gutenberg_id}-{number}"
            written_windows.append(
                QuotationWindow(name, tuple(claim.left), first, end - first, tuple(claim.right))
            )
    return tuple(written_windows)


def pack(lines: Iterable[WrittenClaim], path: Path = FILE) -> None:
    """Write the file that `windows` reads."""
    with lzma.open(path, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        for line in lines:
            file.write(json.dumps(line._asdict(), ensure_ascii=False) + "\n")


@cache
def load() -> dict[int, list[WrittenClaim]]:
    """Return all claims and criticism, by the Gutenberg number of the work."""
    by_work: dict[int, list[WrittenClaim]] = {}
    with lzma.open(FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            claim = WrittenClaim(**json.loads(line))
            by_work.setdefault(claim.gutenberg_id, []).append(claim)
    return by_work


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
