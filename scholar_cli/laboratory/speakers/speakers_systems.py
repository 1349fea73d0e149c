"""The product's methods of attributing the quotations of a whole novel."""

from __future__ import annotations

from scholar_cli.laboratory.speakers.speakers_bench import System
from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.errors import UsageError
from scholar_indexes.models import registry
from scholar_indexes.paths import user_paths

METHODS = tuple(method for method in pipeline.METHODS if method != pipeline.LLM)


def select_system(method: str, model: str | None = None) -> System:
    """Return a method by its name; model is a name or a folder, used only by "trained".

    Raises UsageError for an unknown name, and the errors of registry.find.
    """
    if method not in METHODS:
        raise UsageError(f"{method!r} is not a method; choose from {', '.join(METHODS)}")
    files = (
        registry.find(model or pipeline.DEFAULT_MODEL, user_paths().models)
        if method == pipeline.TRAINED
        else None
    )

    def attribute(draft: BookDraft) -> Dialogue:
        return pipeline.attribute_book(draft.text, draft.chapters, method, files)

    return attribute
