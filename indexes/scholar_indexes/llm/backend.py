"""The interface of language models that answer with a name for each of several numbers.

Every backend answers with a JSON object of numbers and names: the speakers of quotations, the
passages at ranks, the options chosen for questions. A local model is constrained to
the names it was given; a server is asked to follow a JSON schema, and its answer is never trusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from scholar_indexes.types import Span

REASONING = "reasoning"
"""The first key of an answer that reasons in free text before it names anyone."""

Messages = Sequence[Mapping[str, str]]
"""A conversation: role and content of each message."""

# Every repetition is bounded, so that parsing is linear in the length of any answer.
_NAME_OF_NUMBER = re.compile(
    r"""["']?[<\[]?([0-9]{1,6})[>\]]?["']?\s{0,20}:\s{0,20}(?:"((?:[^"\\\n]|\\.)*)"|null\b)"""
)


@dataclass(frozen=True, slots=True)
class Completion:
    """The text a model generated; `finished` is False if it was cut off.

    `probabilities` holds, for each id with known token probabilities, the geometric mean of the
    probabilities of the tokens of its name.
    """

    text: str
    finished: bool = True
    probabilities: Mapping[str, float] = field(default_factory=dict)


class Backend(Protocol):
    """A language model; its name distinguishes its cached answers from another model's."""

    @property
    def name(self) -> str: ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text for this model, possibly an estimate."""
        ...

    def complete(
        self,
        messages: Messages,
        ids: Sequence[str],
        names: Sequence[str],
        *,
        thought_tokens: int = 0,
    ) -> Completion:
        """Return the answer to a conversation that asks for a name for each id.

        With thought_tokens the model may first write about that many tokens of free text
        under the key REASONING. Raises only errors of errors.py.
        """
        ...


def parse_answers(text: str) -> Iterator[tuple[str, str | None, Span]]:
    """Yield every id and name in an answer, and the span of the name; None for a null.

    The answer may be surrounded by other text, be in code fences, be cut off or have excess
    commas; a name that is cut off is skipped, since it could be the beginning of another.
    """
    for match in _NAME_OF_NUMBER.finditer(text):
        name = match[2]
        if name is not None:
            with suppress(ValueError):
                name = json.loads(f'"{name}"', strict=False)
        yield str(int(match[1])), name, Span(*match.span(2))


def parse_answer(answer: Completion, ids: Sequence[str]) -> dict[str, str | None]:
    """Return the names an answer gives for these ids; None for a null.

    Whatever can be parsed counts; of two names for an id, as a model that reasons in free
    text may give, the last.
    """
    expected = set(ids)
    return {number: name for number, name, _ in parse_answers(answer.text) if number in expected}
