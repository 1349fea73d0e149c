"""Detection of the cue of each quotation: "said Mr. Bennet", "cried his wife", or nothing.

The kinds of cue follow Muzny, Fang, Chang and Jurafsky 2017 ("A Two-stage Sieve
Approach for Quote Attribution", section 3), as the Project Dialogism Novel Corpus annotates
them: explicit with a name, anaphoric with a pronoun or a description, implicit without
either. There is no parser here: the narration on both sides of each piece of a quotation is
read as tokens, and tables of patterns find the verb of speech and its subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholar_indexes.attribution.cues.patterns import CueMatch, match_ahead, match_behind
from scholar_indexes.attribution.cues.spouses import SpouseResolver
from scholar_indexes.attribution.cues.surroundings import (
    QUOTATION_EDGES,
    Surroundings,
    find_surroundings,
)
from scholar_indexes.attribution.cues.tokens import NarrationReader
from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.stopping import checked
from scholar_indexes.types import Character, Gender, Quotation, QuoteKind, Span


@dataclass(frozen=True, slots=True)
class Cue:
    """Evidence in the narration for the speaker of a quotation.

    `span` covers its words, from subject to verb. `character` is an index in the cast: for an
    explicit cue, of the character named, None if the name is not in the cast; for an anaphoric
    cue, of the narrator ("I said") or a character that the cast lists by that description ("said
    the old man"). `gender` is the gender of the character, the pronoun or the noun. `subject` is
    the name, the pronoun or the description without the verb.
    """

    kind: QuoteKind
    span: Span | None
    character: int | None
    gender: Gender
    subject: Span | None = None


NO_CUE = Cue(QuoteKind.IMPLICIT, None, None, Gender.UNKNOWN)


def find_cues(
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    mentions: Sequence[Mention],
) -> list[Cue]:
    """Return the cue of each quotation, in their order.

    `mentions` are in text order. A verb of speech takes precedence over mere punctuation; of
    several, the one before the quotation, then the first one after a piece. Takes time linear
    in the text and the number of quotations.
    """
    reader = NarrationReader.of(text, mentions, cast)
    surroundings = find_surroundings(text, quotations)
    spouses = SpouseResolver.of(text, cast, mentions)
    return [
        _resolve_spouse(_find_cue(reader, quotation, surroundings), quotation, spouses)
        for quotation in checked(quotations)
    ]


def _find_cue(
    reader: NarrationReader, quotation: Quotation, surroundings: Mapping[Span, Surroundings]
) -> Cue:
    unsure = None
    for match in _find_matches(reader, quotation, surroundings):
        if match.is_sure:
            return _to_cue(match, reader)
        unsure = unsure or match
    return _to_cue(unsure, reader) if unsure else NO_CUE


def _find_matches(
    reader: NarrationReader, quotation: Quotation, surroundings: Mapping[Span, Surroundings]
) -> Iterator[CueMatch]:
    """Yield the matches before the quotation and after each of its pieces."""
    ahead = match_ahead(reader, surroundings[quotation.pieces[0]].before)
    if ahead:
        yield ahead
    for piece in quotation.pieces:
        last_character = piece.of(reader.text).rstrip(QUOTATION_EDGES)[-1:]
        behind = match_behind(reader, surroundings[piece].after, last_character)
        if behind:
            yield behind


def _to_cue(match: CueMatch, reader: NarrationReader) -> Cue:
    subject = match.subject
    kind = QuoteKind.EXPLICIT if subject.is_named else QuoteKind.ANAPHORIC
    known = None if subject.character is None else reader.cast[subject.character].gender
    gender = subject.gender if known is None else known
    return Cue(kind, match.span, subject.character, gender, subject.span)


def _resolve_spouse(cue: Cue, quotation: Quotation, spouses: SpouseResolver) -> Cue:
    if cue.span is None or cue.character is not None:
        return cue
    spouse = spouses.resolve(cue.span, cue.gender, quotation)
    return cue if spouse is None else replace(cue, character=spouse)
