"""Characters, their quotations and descriptions, and corrections to them as records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scholar_indexes.sanitize import one_line, visible_line
from scholar_indexes.serialize.passages import book_reference, chapter_reference, citation

if TYPE_CHECKING:
    from scholar_indexes.results import (
        AttributedQuote,
        CharacterProfile,
        CitedPassage,
        CorrectionStatus,
        DescriptionResult,
        LikelyCharacter,
    )
    from scholar_indexes.types import Character, Hit

QUOTATION_COLUMNS = (
    "speaker",
    "confidence",
    "kind",
    "quote",
    "locator",
    "book",
    "chapter",
    "chapter_title",
    "form",
    "chapter_printed",
)
"""The columns of quotations in CSV."""

PROFILE_COLUMNS = ("name", "gender", "quotations", "mentions", "first", "aliases")


def quotation_record(quote: AttributedQuote) -> dict[str, Any]:
    """Return a quotation with its speaker as a record; quote is one line."""
    attribution = quote.attribution
    speaker, evidence = attribution.speaker, attribution.evidence
    return {
        "schema_version": 1,
        "speaker": speaker and {"id": speaker.id, "name": speaker.name},
        "confidence": round(attribution.confidence, 4),
        "kind": str(attribution.kind),
        "cue": visible_line(quote.cue),
        "quote": visible_line(quote.text),
        "book": book_reference(quote.book),
        "chapter": chapter_reference(quote.chapter),
        "paragraph": quote.paragraph,
        "start": quote.quotation.span.start,
        "end": quote.quotation.span.end,
        "pieces": [[piece.start, piece.end] for piece in quote.quotation.pieces],
        "evidence": evidence and [evidence.start, evidence.end],
        "locator": quote.locator,
        "form": str(attribution.form),
    }


def profile_record(profile: CharacterProfile) -> dict[str, Any]:
    """Return a character with its counts as a record."""
    character = profile.character
    return {
        "schema_version": 1,
        **_character_reference(character),
        "narrator": character.narrator,
        "narrates": list(profile.narrates),
        "quotations": profile.quotations,
        "mentions": profile.mentions,
        "first": profile.first,
    }


def correction_record(status: CorrectionStatus) -> dict[str, Any]:
    """Return a correction as a record; `applied` is False if `problem` says why not."""
    return {
        "schema_version": 1,
        "number": status.number,
        "kind": status.kind,
        "correction": status.text,
        "applied": not status.problem,
        "problem": status.problem,
        "note": status.note,
    }


def likely_character_record(
    rank: int, hit: Hit[LikelyCharacter], *, explain: bool = False
) -> dict[str, Any]:
    """Return a character that a description may mean as a record; each quote is one line."""
    likely = hit.item
    record = {
        "schema_version": 1,
        "rank": rank,
        "probability": round(hit.score, 4),
        **_character_reference(likely.character),
        "book": book_reference(likely.book),
        "passages": [
            {
                "quote": visible_line(cited.text),
                **_position(cited),
                "locator": cited.locator,
                "citation": citation(likely.book, cited.chapter),
            }
            for cited in likely.passages
        ],
    }
    if explain:
        record["explain"] = [
            {"why": reason.why, "weight": round(reason.weight, 3)} for reason in likely.reasons
        ]
    return record


def description_record(description: DescriptionResult) -> dict[str, Any]:
    """Return a description of a character as a record; each quote is one line."""
    return {
        "schema_version": 1,
        "character": _character_reference(description.character),
        "kind": description.kind,
        "text": one_line(description.text),
        "automatic": description.automatic,
        "book": book_reference(description.book),
        "passages": [
            {
                "quote": visible_line(cited.text),
                "locator": cited.locator,
                **_position(cited),
                "citation": citation(description.book, cited.chapter),
            }
            for cited in description.passages
        ],
    }


def _character_reference(character: Character) -> dict[str, Any]:
    return {
        "id": character.id,
        "name": character.name,
        "aliases": list(character.aliases),
        "gender": str(character.gender),
    }


def _position(cited: CitedPassage) -> dict[str, Any]:
    return {
        "chapter": chapter_reference(cited.chapter),
        "paragraph": cited.paragraph,
        "start": cited.span.start,
        "end": cited.span.end,
    }
