"""The casts of whole novels, and the evidence for each speaker, compared with stored answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from golden_answers import CheckGolden, digest
from scholar_indexes.attribution import features, pipeline
from scholar_indexes.attribution.cues.cue_detection import find_cues
from scholar_indexes.attribution.features import BookFeatures
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.cast import detect_cast

GATSBY, PRIDE = 64317, 1342

MOST = 25
"""The number of characters of a book stored by name; all of them share one hash."""

EVERY = 100
"""The number of quotations whose cues share one hash."""


@pytest.mark.parametrize("number", [GATSBY, PRIDE])
def test_characters_and_cues_are_unchanged(
    sample_draft: Callable[[int], BookDraft], golden: CheckGolden, number: int
) -> None:
    draft = sample_draft(number)
    text, bodies, sections = pipeline.divide_book(draft.text, draft.chapters)
    quotations = find_quotations(text, bodies)
    cast = detect_cast(text, quotations, sections)
    cues = find_cues(text, quotations, cast, mentions.find_mentions(text, cast))
    answers: dict[str, Any] = {
        "characters": [
            [character.name, character.gender.value, "; ".join(character.aliases)]
            for character in cast[:MOST]
        ],
        "numbers": [len(cast), sum(character.narrator for character in cast)],
        "all characters": digest(
            [(character.id, character.aliases, character.gender.value) for character in cast]
        ),
        "cues": [
            [
                cues[first].kind.value,
                cues[first].span.of(text) if cues[first].span else "",
                digest(
                    [
                        (cue.kind.value, cue.span, cue.character, cue.gender.value)
                        for cue in cues[first : first + EVERY]
                    ]
                ),
            ]
            for first in range(0, len(cues), EVERY)
        ],
    }
    golden(f"cast_pg{number}", answers)


def test_the_features_of_candidates_have_the_means_that_they_had(
    sample_draft: Callable[[int], BookDraft], golden: CheckGolden
) -> None:
    draft = sample_draft(GATSBY)
    text, bodies, sections = pipeline.divide_book(draft.text, draft.chapters)
    quotations = find_quotations(text, bodies)
    sieve = Sieve(text, quotations, detect_cast(text, quotations, sections))
    rows = features.extract_features(BookFeatures(sieve), features.guess_by_rules(sieve))
    answers: dict[str, Any] = {"candidates": [len(rows.characters), len(rows.order)]}
    for name, columns in features.GROUPS.items():
        means = rows.values[:, columns].mean(axis=0)
        answers[name] = [round(float(mean), 4) for mean in means]
    answers["from the quotation before"] = [
        round(float(mean), 4) for mean in rows.between.mean(axis=0)
    ]
    golden("turn_features", answers)
