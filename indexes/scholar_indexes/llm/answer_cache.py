"""A cache of a language model's answers in a file of JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

from scholar_indexes.errors import ScholarError
from scholar_indexes.guarded import TooLarge, parse_json, read_bytes
from scholar_indexes.llm.backend import Completion

MAX_BYTES = 1 << 30
"""The size of the largest file that is read."""


class AnswerCache:
    """Answers by their keys, in a file or, without a path, in memory.

    Damaged lines of the file are ignored. Raises ScholarError if the file cannot be read or
    written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._answers: dict[str, Completion] = {}
        for line in self._read_lines():
            try:
                row = parse_json(line)
                probabilities = {str(key): float(value) for key, value in row["chances"].items()}
                answer = Completion(str(row["text"]), bool(row["whole"]), probabilities)
                self._answers[str(row["key"])] = answer
            except (ValueError, KeyError, TypeError, AttributeError):
                continue

    def get(self, key: str) -> Completion | None:
        return self._answers.get(key)

    def add(self, key: str, model: str, answer: Completion) -> None:
        """Store the answer of a model; it is in the file when this returns."""
        self._answers[key] = answer
        if self._path is None:
            return
        row = {
            "key": key,
            "model": model,
            "text": answer.text,
            "whole": answer.finished,
            "chances": dict(answer.probabilities),
        }
        try:
            with self._path.open("ab") as file:
                file.write(json.dumps(row).encode("ascii") + b"\n")
        except OSError as error:
            raise self._file_error(error) from error

    def _read_lines(self) -> list[bytes]:
        """Return the lines of the file; create it if it is missing, and end its last line."""
        if self._path is None:
            return []
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
            lines = read_bytes(self._path, MAX_BYTES).split(b"\n")
            if lines[-1]:
                with self._path.open("ab") as file:
                    file.write(b"\n")
        except (OSError, TooLarge) as error:
            raise self._file_error(error) from error
        return lines

    def _file_error(self, error: OSError | TooLarge) -> ScholarError:
        reason = getattr(error, "strerror", None) or error
        return ScholarError(
            f"answers cannot be stored in {self._path} ({reason}); "
            "make room there or choose another file"
        )
