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
    ids are its identifiers, scheme:value, the best first and never none; sentences are
    those of its abstract, each with the facet that the source itself gives it or None;
    line is where the record begins in its source, counting from 1 (0: not known); origin names the
    record in its source, so that it is known again when it is read again, empty where that cannot
    be told; collections are those that the source puts it into.
    """

    csl: Mapping[str, Any]
    ids: tuple[str, ...]
    sentences: tuple[tuple[str, Facet | None], ...]
    line: int = 0
    origin: str = ""
    collections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """A record that could not be read, and why, in words for a person.

    file is the name of the file that it is in, where several are read at once; line 0 of it is all
    of it.
    """

    line: int
    reason: str
    file: str = ""
