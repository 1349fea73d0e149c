"""A cache of a language model's answers in a file of JSON lines."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

from scholar_indexes.attribution.llm.backend import Completion
from scholar_indexes.errors import ScholarError
from scholar_indexes.guarded import parse_json

MAX_BYTES = 1 << 30
"""The largest file that is read."""


class AnswerCache:
    """Answers by their keys, in a file or, without a path, in memory.

    Lines of the file that are damaged are ignored. Raises ScholarError where the file cannot
    be read or written.
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
        """Keep the answer of a model; it is in the file when this returns."""
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
        """Return the lines of the file, which is created and ends with a line end afterwards."""
        if self._path is None:
            return []
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab+") as file:
                if file.seek(0, os.SEEK_END) > MAX_BYTES:
                    raise OSError(errno.EFBIG, f"it is larger than {MAX_BYTES >> 20} MiB")
                file.seek(0)
                lines = file.read().split(b"\n")
                if lines[-1]:
                    file.write(b"\n")
        except OSError as error:
            raise self._file_error(error) from error
        return lines

    def _file_error(self, error: OSError) -> ScholarError:
        return ScholarError(
            f"answers cannot be kept in {self._path} ({error.strerror or error}); "
            "make room there or name another file"
        )
