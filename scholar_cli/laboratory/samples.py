"""Make the bundled sample books from Gutenberg's files: without header and licence, compressed.

python -m scholar_cli.laboratory.samples FOLDER     FOLDER contains 64317.txt, 1342.txt, 84.txt
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

from scholar_indexes import decoding
from scholar_indexes.books import samples
from scholar_indexes.books.formats.gutenberg_header import find_body
from scholar_indexes.guarded import read_bytes


def make(folder: Path) -> None:
    """Write the bundled samples from the texts in a folder."""
    for sample in samples.bundled():
        text, _ = decoding.decode(read_bytes(folder / f"{sample.gutenberg_id}.txt"))
        lines = text.splitlines()
        _, start, end = find_body(lines)
        body = "\n".join(lines[start:end]).strip("\n") + "\n"
        packed = lzma.compress(body.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
        samples.path(sample).write_bytes(packed)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
