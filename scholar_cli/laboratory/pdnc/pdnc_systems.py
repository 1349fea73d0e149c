"""The systems for quotation attribution that bench pdnc compares, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc.pdnc_bench import System
from scholar_indexes.attribution import sieve
from scholar_indexes.attribution import trained as attribute
from scholar_indexes.attribution.by_language_model import attributor
from scholar_indexes.attribution.by_language_model.attributor import Strategy
from scholar_indexes.attribution.by_language_model.chunks import CHUNK_TOKENS
from scholar_indexes.attribution.pipeline import (
    DEFAULT_MODEL,
    LLM,
    METHODS,
    NEAREST,
    SIEVE,
    TRAINED,
)
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.errors import UsageError
from scholar_indexes.llm import backends
from scholar_indexes.models import registry
from scholar_indexes.paths import user_paths
from scholar_indexes.types import Attribution, Character, Quotation, Span

if TYPE_CHECKING:
    from scholar_indexes.llm.backend import Backend

SINGLE = "single"
"""The strategy of one question for each quotation."""

STRATEGIES = (*Strategy, SINGLE)

_CHARS_PER_TOKEN = 4


def select_systems(
    names: Sequence[str],
    *,
    model: str | None = None,
    splits: Path | None = None,
    language_model: str | None = None,
    server: str | None = None,
    device: str = "auto",
    strategy: str = Strategy.INCREMENTAL,
    chunk_tokens: int | None = None,
) -> Callable[[str], Mapping[str, System]]:
    """Return a function from a novel's name to the systems to measure, by name.

    With splits, the trained system of a novel is from the fold that tests it; strategy (one of
    STRATEGIES) and chunk_tokens (default: the paper's) are for the language model. Raises
    UsageError for an unknown name or strategy, or splits without a model.
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"{strategy!r} is not a strategy; choose from {', '.join(STRATEGIES)}")
    for name in names:
        if name not in METHODS:
            raise UsageError(f"{name!r} is not a system; choose from {', '.join(METHODS)}")
    if splits and not model:
        raise UsageError("splits need the models of the folds; give their folder: --model FOLDER")
    folds = pdnc.read_folds(splits) if splits else []
    backend: Backend | None = None
    if LLM in names:
        backend = backends.choose_backend(language_model, server, device=device)

    @cache
    def trained(name: str) -> System:
        return attribute.load(registry.find(name, user_paths().models))

    def systems_of(novel: str) -> Mapping[str, System]:
        return {name: select(name, novel) for name in names}

    def select(name: str, novel: str) -> System:
        if name == TRAINED:
            return trained(
                _model_of_novel(novel, model, folds) if folds else model or DEFAULT_MODEL
            )
        if name == LLM:
            assert backend is not None
            if strategy == SINGLE:
                return _prompted_singly(backend, chunk_tokens or CHUNK_TOKENS)
            return _prompted(backend, Strategy(strategy), chunk_tokens or CHUNK_TOKENS)
        return {SIEVE: sieve.attribute, NEAREST: sieve.attribute_nearest}[name]

    return systems_of


def _model_of_novel(
    novel: str, model: str | None, folds: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> str:
    """Return the model of the fold that tests a novel."""
    for number, (_, test) in enumerate(folds):
        if novel in test:
            return f"{model}/folds/{number}"
    raise UsageError(f"no fold tests {novel}; choose others with --novel")


def _prompted(backend: Backend, strategy: Strategy, chunk_tokens: int) -> System:
    """Return the system of a language model; a quarter of a chunk is in the next one too, as in the
    paper."""

    def system(
        text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
    ) -> Sequence[Attribution]:
        bodies = [chapter.span for chapter in divide(text)]
        return attributor.attribute(
            text,
            quotations,
            cast,
            bodies,
            backend,
            strategy=strategy,
            chunk_tokens=chunk_tokens,
            overlap_tokens=chunk_tokens // 4,
        )

    return system


def _prompted_singly(backend: Backend, context_tokens: int) -> System:
    """Return the system of a language model that is asked about one quotation at a time, with about
    context_tokens of the text around it, half before and half after.

    Michel et al. (section 4) compare with such questions, by Su et al. (2023).
    """
    reach = context_tokens * _CHARS_PER_TOKEN // 2

    def system(
        text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
    ) -> Sequence[Attribution]:
        bodies = [chapter.span for chapter in divide(text)]
        attributions = []
        for quotation in quotations:
            contexts = [_surroundings(text, quotation.span, body, reach) for body in bodies]
            attributions += attributor.attribute(
                text,
                [quotation],
                cast,
                [context for context in contexts if context is not None],
                backend,
                chunk_tokens=len(text),
                overlap_tokens=0,
            )
        return attributions

    return system


def _surroundings(text: str, span: Span, body: Span, reach: int) -> Span | None:
    """Return a span and `reach` characters on each side, in whole words and inside a chapter; None
    if the span begins outside it."""
    if not body.start <= span.start < body.end:
        return None
    start, end = body.start, body.end
    if span.start - reach > start:
        start = max(text.find(" ", span.start - reach, span.start), span.start - reach)
    if span.end + reach < end:
        end = max(text.rfind(" ", span.end, span.end + reach), span.end)
    return Span(start, end)
