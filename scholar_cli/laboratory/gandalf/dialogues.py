"""The dialogue and the people of a novel, as found by the product."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.books.adding.ingest import BookDraft
    from scholar_indexes.coreference.people import People
    from scholar_indexes.models.registry import ModelFiles


def find_dialogue(
    draft: BookDraft, speakers: ModelFiles | None
) -> tuple[Dialogue | None, People | None]:
    """Return the dialogue and the people of a novel; both are None if nobody speaks.

    Without a speaker model, the sieve attributes quotations, and people are None.
    """
    from scholar_indexes.attribution import pipeline
    from scholar_indexes.attribution.people import find_people
    from scholar_indexes.coreference.resolver import model as resolver
    from scholar_indexes.errors import NoMatch
    from scholar_indexes.models import registry
    from scholar_indexes.paths import user_paths

    method = pipeline.TRAINED if speakers else pipeline.SIEVE
    try:
        dialogue = pipeline.attribute_book(draft.text, draft.chapters, method, speakers)
    except NoMatch:
        return None, None
    if speakers is None:
        return dialogue, None
    files = registry.find(resolver.DEFAULT_MODEL, user_paths().models)
    return dialogue, find_people(draft.text, dialogue, resolver.load(files)).mentions
