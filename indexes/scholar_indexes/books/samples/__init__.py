"""The bundled sample: three novels, so that a first look needs no network.

Texts from Project Gutenberg, compressed, without its header and licence but otherwise
unchanged; they are in the public domain in the United States. `python -m
scholar_cli.laboratory.samples FOLDER` creates them from Gutenberg's files.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Sample:
    """A bundled book, and the year of its publication by Project Gutenberg."""

    gutenberg_id: int
    title: str
    author: str
    year: int


def bundled() -> tuple[Sample, ...]:
    return (
        Sample(64317, "The Great Gatsby", "F. Scott Fitzgerald", 2021),
        Sample(1342, "Pride and Prejudice", "Jane Austen", 1998),
        Sample(84, "Frankenstein; Or, The Modern Prometheus", "Mary Wollstonecraft Shelley", 1993),
    )


def path(sample: Sample) -> Path:
    return _HERE / f"pg{sample.gutenberg_id}.txt.xz"


def read(sample: Sample) -> bytes:
    return lzma.decompress(path(sample).read_bytes())


def origin(sample: Sample) -> str:
    return f"bundled sample, Project Gutenberg {sample.gutenberg_id}"
