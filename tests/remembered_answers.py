"""Answers of models to batches that earlier tests have computed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from libraries import files_key

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles

Arrays = list[NDArray[Any]]

MOST_BYTES = 64 << 20

_session_numbers = count()


class RememberedAnswers:
    """The outputs of models by their exact inputs: the most recently used, 64 MiB at most."""

    def __init__(self) -> None:
        self.in_use = True
        self._outputs: OrderedDict[object, Arrays] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: object) -> Arrays | None:
        """Return copies of the outputs, or None if they are not known."""
        with self._lock:
            if not self.in_use or key not in self._outputs:
                return None
            self._outputs.move_to_end(key)
            return [output.copy() for output in self._outputs[key]]

    def add(self, key: object, outputs: Arrays) -> None:
        with self._lock:
            if key in self._outputs:
                return
            self._outputs[key] = [output.copy() for output in outputs]
            self._bytes += sum(output.nbytes for output in outputs)
            while self._bytes > MOST_BYTES:
                _, oldest = self._outputs.popitem(last=False)
                self._bytes -= sum(output.nbytes for output in oldest)


class RememberingSession:
    """A session of ONNX Runtime that computes a batch once."""

    def __init__(self, session: Any, answers: RememberedAnswers) -> None:
        self._session = session
        self._number = next(_session_numbers)
        self._answers = answers

    def run(self, names: list[str] | None, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
        """Return the outputs of these names, or all of them."""
        key = (
            self._number,
            names and tuple(names),
            *(
                (name, np.shape(array), np.asarray(array).tobytes())
                for name, array in inputs.items()
            ),
        )
        outputs = self._answers.get(key)
        if outputs is None:
            outputs = self._session.run(names, inputs)
            self._answers.add(key, outputs)
        return outputs


def remember_answers(open_session: Callable[..., Any], answers: RememberedAnswers) -> Any:
    """Return a function like `open_session`, which opens one session for the same files; each
    session computes a batch once."""
    opened: dict[tuple[object, ...], tuple[RememberingSession, Any]] = {}

    def open_remembering(model: ModelFiles) -> tuple[RememberingSession, Any]:
        key = files_key(model)
        if key not in opened:
            session, tokenizer = open_session(model)
            opened[key] = (RememberingSession(session, answers), tokenizer)
        return opened[key]

    return open_remembering
