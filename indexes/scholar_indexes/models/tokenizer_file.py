"""Open the tokenizer of a model."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer


def open_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer in the folder of a model, without padding or truncation; raises the
    errors of its library for a missing or broken file."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
