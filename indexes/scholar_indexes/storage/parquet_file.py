"""Tables as Parquet files, written in groups of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.storage.atomic import atomic_file


def write_parquet(
    path: Path, columns: Mapping[str, str], groups: Iterable[Sequence[Mapping[str, Any]]]
) -> int:
    """Write rows to a Parquet file, group by group; return their number.

    `columns` gives the type of each column by its name in Arrow ("string", "int32"). The file is
    written completely, or the old one remains. Raises UsageError if the path is not a file,
    ScholarError if it cannot be written, and what `groups` raises.
    """
    import pyarrow
    from pyarrow import parquet

    path = path.resolve()  # a link stays a link, and its target is replaced
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file; name a file: --out quotations.parquet")
    schema = pyarrow.schema(
        [(name, pyarrow.type_for_alias(alias)) for name, alias in columns.items()]
    )
    written = 0
    try:
        with atomic_file(path) as temporary, parquet.ParquetWriter(temporary, schema) as writer:
            for rows in groups:
                writer.write_table(pyarrow.Table.from_pylist(list(rows), schema))
                written += len(rows)
    except OSError as refusal:
        reason = refusal.strerror or refusal
        raise ScholarError(f"{path} cannot be written ({reason}); name another file") from refusal
    return written
