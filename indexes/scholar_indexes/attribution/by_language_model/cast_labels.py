"""The labels of the characters of a book in prompts for a language model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scholar_indexes.llm.untrusted_text import neutralize
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Character

_LONGEST_NAME = 80
_MOST_ALIASES = 20
_WORD = re.compile(r"[^\W_]+")


class CastLabels:
    """The labels of the characters in a prompt, and the characters of names in an answer.

    labels[n] is the unique label of character n, lines[n] its line in the prompt.
    """

    def __init__(self, cast: Sequence[Character]) -> None:
        self.labels = _unique_labels(cast)
        self.lines = [
            _describe(character, label) for character, label in zip(cast, self.labels, strict=True)
        ]
        self._exact = {label: index for index, label in enumerate(self.labels)}
        by_folded_name: dict[str, set[int]] = {}
        for index, character in enumerate(cast):
            names = (character.name, *character.aliases)
            for name in (*names, *map(_display_name, names)):
                self._exact.setdefault(name.strip(), index)
                by_folded_name.setdefault(_fold(name), set()).add(index)
        by_folded_name.pop("", None)
        self._folded = {
            name: indexes.pop() for name, indexes in by_folded_name.items() if len(indexes) == 1
        }

    def find(self, name: str) -> int | None:
        """Return the character with a name, compared exactly or else without case and punctuation.

        None if no character has the name, or several do.
        """
        character = self._exact.get(name.strip())
        return self._folded.get(_fold(name)) if character is None else character


def _unique_labels(cast: Sequence[Character]) -> tuple[str, ...]:
    labels: dict[str, None] = {}
    for character in cast:
        label = name = _first_name(character)
        count = 1
        while label in labels:
            count += 1
            label = f"{name} ({count})"
        labels[label] = None
    return tuple(labels)


def _describe(character: Character, label: str) -> str:
    """Return the line of a character in the prompt: its label and its other names."""
    first = _first_name(character)
    names = dict.fromkeys(map(_display_name, (character.name, *character.aliases)))
    others = [name for name in names if name and name != first][:_MOST_ALIASES]
    if character.narrator:
        others.append("the narrator, who says I")
    return f"{label}; {', '.join(others)}" if others else label


def _first_name(character: Character) -> str:
    """Return the name shown first: the character's name if it is an alias, else an alias."""
    name = character.name
    if character.aliases and name not in character.aliases:
        name = character.aliases[0]
    return _display_name(name) or "somebody"


def _display_name(name: str) -> str:
    return neutralize(one_line(name, _LONGEST_NAME)).strip()


def _fold(name: str) -> str:
    return " ".join(_WORD.findall(name.casefold()))
