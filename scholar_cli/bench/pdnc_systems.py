"""The systems that attribute quotations, by name, as bench pdnc compares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_cli.bench import pdnc
from scholar_cli.bench.pdnc import System
from scholar_indexes import models
from scholar_indexes.books.chapters import divide
from scholar_indexes.errors import UsageError
from scholar_indexes.places import places
from scholar_indexes.speakers import attribute, llm, llm_backends, sieve
from scholar_indexes.speakers.dialogue import DEFAULT_MODEL, LLM, METHODS, NEAREST, SIEVE, TRAINED
from scholar_indexes.types import Attribution, Character, Quotation

if TYPE_CHECKING:
    from scholar_indexes.speakers.llm_backends import Backend


def chosen(
    names: Sequence[str],
    *,
    model: str | None = None,
    splits: Path | None = None,
    language_model: str | None = None,
    server: str | None = None,
    device: str = "auto",
) -> Callable[[str], Mapping[str, System]]:
    """For a novel's name, the systems to ask by their names.

    With splits the trained system of a novel is that of the fold that tests it. Raises
    UsageError for a name that is none, or splits without a model.
    """
    for name in names:
        if name not in METHODS:
            raise UsageError(f"{name!r} is no system; choose from {', '.join(METHODS)}")
    if splits and not model:
        raise UsageError("the models of folds are needed; name their folder: --model FOLDER")
    folds = pdnc.folds(splits) if splits else []
    backend: Backend | None = None
    if LLM in names:
        backend = llm_backends.chosen(language_model, server, device=device)

    @cache
    def trained(name: str) -> System:
        return attribute.load(models.find(name, places().models))

    def of(novel: str) -> Mapping[str, System]:
        found: dict[str, System] = {}
        for name in names:
            if name == TRAINED:
                of_fold = [n for n, (_, test) in enumerate(folds) if novel in test]
                if folds and not of_fold:
                    raise UsageError(f"no fold tests {novel}; leave it out with --novel")
                tested = f"{model}/folds/{of_fold[0]}" if folds else model or DEFAULT_MODEL
                found[name] = trained(tested)
            elif name == LLM:
                assert backend is not None
                found[name] = _prompted(backend)
            else:
                found[name] = {SIEVE: sieve.attribute, NEAREST: sieve.nearest}[name]
        return found

    return of


def _prompted(backend: Backend) -> System:
    def system(
        text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
    ) -> Sequence[Attribution]:
        bodies = [each.span for each in divide(text)]
        return llm.attribute(text, quotations, cast, bodies, backend)

    return system
