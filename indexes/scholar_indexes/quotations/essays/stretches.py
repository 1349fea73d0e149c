"""The readable text of an essay, as its format leaves it, with the place of every character."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """A paragraph of readable text; `offsets` say where each character stands in the source (n,).

    `is_block` is True for a block quotation: all of it is quoted.
    """

    text: str
    offsets: Sequence[int]
    is_block: bool = False


class StretchBuilder:
    """Collects the characters of a stretch."""

    def __init__(self, *, is_block: bool = False) -> None:
        self.is_block = is_block
        self._parts: list[str] = []
        self._offsets: list[int] = []

    def add(self, text: str, offset: int) -> None:
        """Add a text that stands in the source as it is."""
        self._parts.append(text)
        self._offsets += range(offset, offset + len(text))

    def put(self, text: str, offset: int) -> None:
        """Add a text for something else that stands at an offset."""
        self._parts.append(text)
        self._offsets += [offset] * len(text)

    def build(self) -> Stretch:
        return Stretch("".join(self._parts), tuple(self._offsets), self.is_block)


def filled(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return the stretches that are not empty."""
    return [stretch for stretch in stretches if stretch.text.strip()]
