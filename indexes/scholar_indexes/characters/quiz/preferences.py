"""A user's preferences for questions, as the Quiz screen stores them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass

from scholar_indexes.characters.quiz.questions import KINDS, LEVELS
from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import parse_json

MAX_QUESTIONS = 200
"""The most questions of a round."""

_LEVEL_RANGE = re.compile(r"\s*([1-4])(?:\s*-\s*([1-4]))?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class QuizPreferences:
    """The settings of the questions to ask; without a seed the questions differ each time."""

    n: int = 10
    kind: str = "mixed"
    levels: tuple[int, ...] = LEVELS
    anonymize: bool = False
    seed: int | None = None

    def to_json(self) -> str:
        """Return the preferences as text for from_json."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | None) -> QuizPreferences:
        """Return the preferences that to_json wrote; the defaults if they cannot be read."""
        try:
            values = parse_json(text or "{}")
            preferences = cls(**values | {"levels": tuple(values.get("levels", LEVELS))})
            return preferences if preferences._is_valid() else cls()
        except (ValueError, TypeError, AttributeError):
            return cls()

    def _is_valid(self) -> bool:
        checks = (
            type(self.n) is int and 1 <= self.n <= MAX_QUESTIONS,
            self.kind in ("mixed", *KINDS),
            bool(self.levels) and set(self.levels) <= set(LEVELS),
            isinstance(self.anonymize, bool),
            self.seed is None or type(self.seed) is int,
        )
        return all(checks)


def parse_levels(text: str) -> tuple[int, ...]:
    """Return the levels in "2", "1-3" or "1,3"; raises UsageError for any other text."""
    levels = [level for part in text.split(",") for level in parse_level_range(part, text)]
    return tuple(sorted(set(levels)))


def parse_level_range(text: str, context: str | None = None) -> range:
    """Return the levels in "2" or "1-3"; raises UsageError, quoting context, for other text."""
    match = _LEVEL_RANGE.fullmatch(text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if last < first:
        shown = (text if context is None else context)[:40]
        raise UsageError(f"{shown!r} is not a level; write 1, 2, 3, 4 or a range such as 1-2")
    return range(first, last + 1)


def format_levels(levels: Collection[int]) -> str:
    """Return levels as text that parse_levels reads."""
    ordered = sorted(levels)
    if len(ordered) > 1 and ordered[-1] - ordered[0] == len(ordered) - 1:
        return f"{ordered[0]}-{ordered[-1]}"
    return ",".join(map(str, ordered))
