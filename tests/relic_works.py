"""Small works in RELiC's form, made on the spot."""

from __future__ import annotations

import random
from pathlib import Path

from scholar_cli.laboratory.relic.relic_data import LONGEST, QuotationWindow, QuotedWork, write
from tiny_models import WORDS


def work(title: str, seed: int, *, quoted: int = 12, sentences: int = 60) -> QuotedWork:
    """Return a work of sentences of a few words; critics repeat a word of what they quote."""
    draw = random.Random(seed)
    texts = tuple(
        " ".join(draw.choices(WORDS, k=draw.randint(6, 12))) + "." for _ in range(sentences)
    )
    windows = []
    for number in range(quoted):
        size = draw.randint(1, LONGEST)
        start = draw.randrange(sentences - size)
        sentence = f"the critic says {' '.join(texts[start].split()[:4])}, and it was so"
        windows.append(
            QuotationWindow(
                f"{title}-{number}", ("it rained in the house", sentence), start, size, ("and why",)
            )
        )
    candidates = {size: tuple(range(sentences - size + 1)) for size in range(1, LONGEST + 1)}
    return QuotedWork(title, texts, tuple(windows), candidates)


def folder(path: Path) -> Path:
    """Write two works to train on, one to validate with and one to test; return the folder."""
    write(path, "train", [work("Rain", 1), work("Sea", 2), work("Unquoted", 3, quoted=0)])
    write(path, "val", [work("House", 4)])
    write(path, "test", [work("Ship", 5)])
    return path
