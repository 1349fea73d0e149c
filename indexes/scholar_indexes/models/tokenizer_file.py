"""Open the tokenizer of a model."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer


def open_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer in the folder of a model, which neither pads nor cuts texts; raises the
    errors of its library for a file that is missing or broken."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
