"""Make the bundled sample from Gutenberg's own files: header and licence off, compressed.

python -m scholar_cli.train.samples FOLDER     FOLDER holds 64317.txt, 1342.txt, 84.txt
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

from scholar_indexes import samples
from scholar_indexes.books import decoding, gutenberg


def make(folder: Path) -> None:
    for sample in samples.bundled():
        text, _ = decoding.decode((folder / f"{sample.gutenberg_id}.txt").read_bytes())
        lines = text.splitlines()
        _, start, end = gutenberg.frame(lines)
        body = "\n".join(lines[start:end]).strip("\n") + "\n"
        packed = lzma.compress(body.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
        samples.path(sample).write_bytes(packed)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
