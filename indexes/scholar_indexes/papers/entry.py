"""A paper as a source describes it, before it is stored.

    source -> formats -> Entry -> facets -> Paper

The bibliographic record is a CSL-JSON item (citationstyles.org), which every format is
read into and written from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scholar_indexes.types import Facet


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a source.

    csl is its CSL-JSON item without the abstract, its texts cleaned of HTML and LaTeX;
    ids are its identifiers, scheme:value, at least one, the best first; sentences are the
    sentences of its abstract, each with the facet given by the source, or None; line is the
    line where the record begins in its source, from 1 (0: not known); origin identifies the record
    in its source, to recognize it when it is read again (empty: not known); collections are the
    ones that the source puts it into.
    """

    csl: Mapping[str, Any]
    ids: tuple[str, ...]
    sentences: tuple[tuple[str, Facet | None], ...]
    line: int = 0
    origin: str = ""
    collections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """A record that could not be read, and the reason, to show to the user.

    file is the name of its file if several are read at once; line 0 is the entire file. is_lost is
    False for a fault of a record that was read nevertheless.
    """

    line: int
    reason: str
    file: str = ""
    is_lost: bool = True
