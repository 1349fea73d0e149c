"""Cache files in the folder of a book: data derived from its text, which can be derived again.

A cache file contains a JSON record after its hash, or one with numpy arrays in an .npz archive,
which has checksums. The record has the schema version of the file and a cache key, one line that
names what the content depends on besides the text: versions of algorithms, models, other data. A
file with another version or key counts as absent, and so does a damaged one.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scholar_indexes.guarded import parse_json, read_bytes
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage import sealed_json
from scholar_indexes.storage.atomic import atomic_file, write_bytes
from scholar_indexes.types import Character, Gender, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scholar_indexes.arrays import AnyArray


T = TypeVar("T")

_HEAD = "head"
"""The array of an .npz file that contains the bytes of its JSON record."""

_DAMAGE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""The exceptions that reading a damaged file, or parsing its content, may raise."""


@dataclass(frozen=True, slots=True)
class DerivedFile:
    """A cache file and the schema version and cache key under which its content is valid.

    The methods that save raise ScholarError if the file cannot be written.
    """

    path: Path
    schema_version: int
    cache_key: str

    def save_record(self, record: Mapping[str, Any]) -> None:
        """Write a JSON file atomically; `record` must not have a schema_version or made_by."""
        with explain_write_errors(self.path.parent):
            write_bytes(self.path, sealed_json.dump({**self._header(), **record}))

    def save_arrays(self, record: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
        """Write an .npz file with a JSON record atomically; no array may be named "head"."""
        import numpy as np

        # An array of bytes, because numpy stores text in four bytes per character.
        head = text_array(json.dumps({**self._header(), **record}))
        with (
            explain_write_errors(self.path.parent),
            atomic_file(self.path) as temporary,
            temporary.open("wb") as file,
        ):
            np.savez(file, allow_pickle=False, **{_HEAD: head}, **arrays)

    def load_record(self, parse: Callable[[Mapping[str, Any]], T]) -> T | None:
        """Return the result of `parse` for the record.

        None if the file is absent or damaged, has another version or key, or parse cannot
        read the record: parse may raise any error that a malformed value causes.
        """
        try:
            record = sealed_json.load(read_bytes(self.path), required=False)
            return parse(record) if self._is_valid(record) else None
        except _DAMAGE:
            return None

    def load_arrays(
        self, parse: Callable[[Mapping[str, Any], Mapping[str, AnyArray]], T]
    ) -> T | None:
        """Return the result of `parse` for the record and the arrays; None as in load_record."""
        import numpy as np

        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                record = parse_json(arrays[_HEAD].tobytes())
                return parse(record, arrays) if self._is_valid(record) else None
        except _DAMAGE:
            return None

    def _header(self) -> dict[str, Any]:
        return {"schema_version": self.schema_version, "made_by": self.cache_key}

    def _is_valid(self, record: Any) -> bool:
        return all(record[name] == value for name, value in self._header().items())


def text_array(text: str) -> NDArray[np.uint8]:
    """Return the UTF-8 bytes of a text as an array."""
    import numpy as np

    return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)


def character_record(character: Character) -> list[Any]:
    """Return a character as a list for JSON; see parse_character."""
    return [
        character.id,
        character.name,
        list(character.aliases),
        character.gender,
        character.narrator,
        [[stretch.start, stretch.end] for stretch in character.narrates],
        [[place.start, place.end] for place in character.described],
    ]


def parse_character(record: Any) -> Character:
    """Return the character that character_record wrote.

    Raises TypeError or ValueError for anything else.
    """
    character_id, name, aliases, gender, narrator, narrates, described = record
    return Character(
        str(character_id),
        str(name),
        tuple(map(str, aliases)),
        Gender(gender),
        bool(narrator),
        tuple(Span(int(start), int(end)) for start, end in narrates),
        tuple(Span(int(start), int(end)) for start, end in described),
    )
