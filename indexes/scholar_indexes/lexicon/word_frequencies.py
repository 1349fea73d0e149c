"""The rarity of words in novels.

data/stem_frequencies.tsv lists the stems of words (Snowball's Porter2) and the number of sentences
in a million from novels that contain each; `scholar-lab train frequencies` counts them. A stem that
is not listed is rarer than all that are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from scholar_indexes.lexicon import stemming

FILE = Path(__file__).parent / "data" / "stem_frequencies.tsv"

RAREST = 5
"""The minimum number of sentences in a million; rarer stems count as this."""


def rarity(stem: str) -> float:
    """Return the inverse document frequency of a stem: the logarithm of one over the share of
    sentences that contain it, from 0 to 12.2."""
    return math.log(1_000_000 / max(_frequencies().get(stem, 0), RAREST))


def is_listed(word: str, least: int = RAREST) -> bool:
    """Return True for a word, in lower case, with a stem that is in at least this many sentences in
    a million."""
    return _frequencies().get(stemming.stem(word), 0) >= least


@cache
def _frequencies() -> Mapping[str, int]:
    """Return the number of sentences in a million that contain each stem."""
    _, *lines = FILE.read_text("utf-8").splitlines()
    return {stem: int(count) for stem, count in (line.split("\t") for line in lines)}
