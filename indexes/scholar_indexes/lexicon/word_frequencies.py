"""The rarity of words in novels.

data/stem_frequencies.tsv has the stems of words (Snowball's Porter2) and in how many of a million
sentences of novels each stands; `scholar-lab train frequencies` counts them. A stem that is not in
it is rarer than all that are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "data" / "stem_frequencies.tsv"

RAREST = 5
"""Sentences of a million: rarer stems count as this."""


def rarity(stem: str) -> float:
    """Return the inverse document frequency of a stem: the logarithm of one sentence over the share
    of sentences that have it, from 0 to 12.2."""
    return math.log(1_000_000 / max(_frequencies().get(stem, 0), RAREST))


@cache
def _frequencies() -> Mapping[str, int]:
    """Return in how many of a million sentences each stem stands."""
    _, *lines = FILE.read_text("utf-8").splitlines()
    return {stem: int(count) for stem, count in (line.split("\t") for line in lines)}
