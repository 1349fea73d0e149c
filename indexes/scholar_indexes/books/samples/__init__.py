"""The bundled sample: three novels, so that a first look needs no network.

Texts of Project Gutenberg without its header and licence, compressed, otherwise as they
are; they are in the public domain in the United States. `python -m
scholar_cli.train.samples FOLDER` makes them from the files of Gutenberg.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Sample:
    gutenberg_id: int
    title: str
    author: str


def bundled() -> tuple[Sample, ...]:
    return (
        Sample(64317, "The Great Gatsby", "F. Scott Fitzgerald"),
        Sample(1342, "Pride and Prejudice", "Jane Austen"),
        Sample(84, "Frankenstein; Or, The Modern Prometheus", "Mary Wollstonecraft Shelley"),
    )


def path(sample: Sample) -> Path:
    return _HERE / f"pg{sample.gutenberg_id}.txt.xz"


def read(sample: Sample) -> bytes:
    return lzma.decompress(path(sample).read_bytes())


def origin(sample: Sample) -> str:
    return f"bundled sample, Project Gutenberg {sample.gutenberg_id}"
