"""The file formats of description banks, shared by exports and imports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.errors import ScholarError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage import atomic

Banks = Mapping[str, Sequence[DescribedCharacter]]
"""Banks by book id."""

COLUMNS = ("book", "character", "aliases", "gender", "level", "description", "locator", "quote")

ALIAS_SEPARATOR = "; "


def bank_record(character: DescribedCharacter) -> dict[str, Any]:
    """Return a character of a bank as the JSON object of its line."""
    return {
        "name": character.name,
        "aliases": list(character.aliases),
        "gender": character.gender.value,
        "descriptions": [
            {
                "level": description.level,
                "text": description.text,
                "evidence": [
                    {"locator": proof.locator, "quote": proof.quote}
                    for proof in description.evidence
                ],
            }
            for description in character.descriptions
        ],
    }


def bank_to_jsonl(characters: Iterable[DescribedCharacter]) -> str:
    """Return a bank as JSON lines."""
    records = map(bank_record, characters)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def write_files(
    folder: Path,
    files: Mapping[Path, bytes],
    write: Callable[[Mapping[Path, bytes]], None] = atomic.write_files,
) -> None:
    """Write the files of a folder atomically, all or none."""
    try:
        with explain_write_errors(folder):
            write(files)
    except OSError as refusal:
        raise ScholarError(
            f"{refusal.filename} cannot be written ({refusal.strerror}); choose another place"
        ) from refusal
