"""Quotation attribution by a language model.

After Michel, Epure, Hennequin and Cerisara, "Evaluating LLMs for Quotation Attribution in
Literary Texts: A Case Study of LLaMa3" (section 4 and appendix A): the model is given a chapter
in long chunks with numbered quotations and a list of the characters and their names, and it
names a speaker for each number, in order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from scholar_indexes.attribution.by_language_model.cast_labels import CastLabels
from scholar_indexes.attribution.by_language_model.chunks import (
    CHUNK_TOKENS,
    OVERLAP_TOKENS,
    Chunk,
    divide,
)
from scholar_indexes.attribution.by_language_model.prompt import build_prompt, mark_quotations
from scholar_indexes.errors import UsageError
from scholar_indexes.llm.answer_cache import AnswerCache
from scholar_indexes.llm.backend import Backend, parse_answer
from scholar_indexes.types import (
    Attribution,
    Character,
    Progress,
    Quotation,
    QuoteKind,
    Span,
    silent,
)

UNSURE = 0.5
"""The confidence of an answer about which nothing else is known."""


class Strategy(StrEnum):
    """The choice of an answer for a quotation that is in two chunks (appendix A).

    An answer that names no character of the cast is ignored.
    """

    FIRST = "first"  # the first answer counts
    INCREMENTAL = "incremental"  # the model is shown its earlier answer and may correct it


@dataclass(frozen=True, slots=True)
class Vote:
    """The index of the character named in an answer; `probability` is None if unknown."""

    character: int
    probability: float | None


def attribute(
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    chapters: Sequence[Span],
    backend: Backend,
    *,
    strategy: Strategy = Strategy.INCREMENTAL,
    answers: Path | None = None,
    chunk_tokens: int = CHUNK_TOKENS,
    overlap_tokens: int = OVERLAP_TOKENS,
    thought_tokens: int = 0,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> list[Attribution]:
    """Return an attribution for each quotation, in the order given.

    A quotation has no speaker if the model omits it, even when asked again, or names no
    character of the cast, or if it begins outside the chapters. The kind is always IMPLICIT
    and there is no evidence: the caller finds both. The confidence is the geometric mean of
    the probabilities of the name's tokens if the backend knows them; else the share of the
    quotation's chunks that agree on its speaker, UNSURE for a single chunk; 0 without a
    speaker.

    Every answer is added to the file `answers` at once, one line of JSON each, under a hash
    of the model, the strategy and the question, so that the same call continues an
    interrupted one. `thought_tokens` lets the model reason in free text first, as the paper
    does, in about that many tokens per chunk. `say` is called with one line for each chunk
    with a problem.

    Raises UsageError for an overlap that is not smaller than a chunk, ScholarError if
    `answers` cannot be read or written, and the errors of backend.complete; earlier answers
    are then in `answers`.
    """
    if not 0 <= overlap_tokens < chunk_tokens:
        raise UsageError(f"chunks of {chunk_tokens} tokens cannot overlap by {overlap_tokens}")
    chunks = divide(
        text,
        chapters,
        quotations,
        backend.count_tokens,
        chunk_tokens=chunk_tokens,
        overlap_tokens=overlap_tokens,
    )
    questioner = _Questioner(
        backend, CastLabels(cast), strategy, AnswerCache(answers), thought_tokens
    )
    votes: dict[int, list[Vote]] = {}
    for number, chunk in enumerate(chunks if cast else (), 1):
        progress("attributing", number - 1, len(chunks))
        earlier = {}
        if strategy is Strategy.INCREMENTAL:
            earlier = {
                index: votes[index][-1].character for index in chunk.quotations if index in votes
            }
        answered, problem = questioner.ask(text, chunk, quotations, earlier)
        for index, vote in answered.items():
            votes.setdefault(index, []).append(vote)
        if problem:
            say(f"part {number} of {len(chunks)}: {problem}")
    progress("attributing", len(chunks), len(chunks))
    return [_decide(votes.get(index, []), strategy, cast) for index in range(len(quotations))]


class _Questioner:
    """Asks a backend for the speakers of a chunk, or takes its answers from a cache."""

    def __init__(
        self,
        backend: Backend,
        cast: CastLabels,
        strategy: Strategy,
        cache: AnswerCache,
        thought_tokens: int,
    ) -> None:
        self._backend = backend
        self._cast = cast
        self._strategy = strategy
        self._cache = cache
        self._thought_tokens = thought_tokens

    def ask(
        self,
        text: str,
        chunk: Chunk,
        quotations: Sequence[Quotation],
        earlier: Mapping[int, int],
    ) -> tuple[dict[int, Vote], str]:
        """Return the votes for the quotations of a chunk, and the problems with the answer.

        Votes and `earlier`, the characters named before, are keyed by the indexes of quotations.
        """
        marked_text = mark_quotations(text, chunk, quotations)
        ids = [str(number) for number in range(1, len(chunk.quotations) + 1)]
        names = {
            number: self._cast.labels[earlier[index]]
            for number, index in zip(ids, chunk.quotations, strict=True)
            if index in earlier
        }
        votes = self._complete(marked_text, ids, names, again=False)
        missing = [number for number in ids if number not in votes]
        if missing:
            votes |= self._complete(marked_text, missing, names, again=True)
        known = {
            chunk.quotations[int(number) - 1]: vote
            for number, vote in votes.items()
            if vote is not None
        }
        return known, _describe_problems(ids, missing, votes)

    def _complete(
        self, marked_text: str, ids: Sequence[str], earlier: Mapping[str, str], *, again: bool
    ) -> dict[str, Vote | None]:
        """Return the votes in an answer, None for each that names no character of the cast."""
        messages = build_prompt(
            marked_text,
            self._cast.lines,
            ids,
            earlier,
            again=again,
            reasoning=self._thought_tokens > 0,
        )
        key = _hash(
            self._backend.name,
            self._strategy,
            [dict(message) for message in messages],
            list(ids),
            self._cast.labels,
            self._thought_tokens,
        )
        answer = self._cache.get(key)
        if answer is None:
            answer = self._backend.complete(
                messages, ids, self._cast.labels, thought_tokens=self._thought_tokens
            )
            self._cache.add(key, self._backend.name, answer)
        votes: dict[str, Vote | None] = {}
        for number, name in parse_answer(answer, ids).items():
            character = None if name is None else self._cast.find(name)
            probability = answer.probabilities.get(number)
            votes[number] = None if character is None else Vote(character, probability)
        return votes


def _describe_problems(
    ids: Sequence[str], missing: Sequence[str], votes: Mapping[str, Vote | None]
) -> str:
    """Return the problems with the answers for a chunk, or "".

    `missing` are the ids that the first answer omitted.
    """
    problems = []
    if missing:
        still = sum(number not in votes for number in ids)
        second = (
            f"and {still} when asked again; they have no speaker"
            if still
            else "but none when asked again"
        )
        problems.append(f"the answer omitted {len(missing)} of {len(ids)} quotations, {second}")
    unknown = sum(vote is None for vote in votes.values())
    if unknown:
        problems.append(
            f"the answer names nobody in the cast for {unknown} of {len(ids)} quotations"
        )
    return "; ".join(problems)


def _decide(votes: Sequence[Vote], strategy: Strategy, cast: Sequence[Character]) -> Attribution:
    """Return the attribution of a quotation from the votes of its chunks, in order."""
    if not votes:
        return Attribution(None, QuoteKind.IMPLICIT, None, 0.0)
    counted = votes[0 if strategy is Strategy.FIRST else -1]
    agreement = sum(vote.character == counted.character for vote in votes) / len(votes)
    confidence = agreement if len(votes) > 1 else UNSURE
    if counted.probability is not None:
        confidence = min(1.0, max(0.0, counted.probability))
    return Attribution(cast[counted.character], QuoteKind.IMPLICIT, None, confidence)


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
