"""Presentation of descriptions: characters by name, display texts, and located evidence."""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.books.citation import locators
from scholar_indexes.books.reading.verbatim import find_verbatim
from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.characters.descriptions.bank import SLOT, DescriptionEvidence
from scholar_indexes.characters.folded_words import name_terms, tokenize
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.types import Chapter, Character, Span

MAX_SUGGESTED_NAMES = 5
"""The number of names that an error lists if no character has a similar name."""


def find_character(characters: Sequence[Character], name: str, book_id: str) -> Character:
    """Return the character that a name means; raises NotThere with the most similar names or the
    first ones of the book, and UsageError with all names that it could mean."""
    from scholar_indexes.attribution import pipeline

    try:
        return pipeline.find_character(characters, name)
    except UsageError as ambiguity:
        raise UsageError(f"{ambiguity}; write one of these names") from None
    except NotThere as refusal:
        message = str(refusal).rpartition(";")[0]
        if ";" not in message:
            names = (character.name for character in characters[:MAX_SUGGESTED_NAMES])
            message += "; the first are " + ", ".join(names)
        raise NotThere(f"{message}; all of them: scholar characters {book_id}") from None


def display_text(text: str, described: Character, characters: Sequence[Character]) -> str:
    """Return a description with names to display for the names in braces.

    A name that shares a word with the names of the character described is replaced by another
    name of its bearer that does not, if there is one.
    """
    own_terms = name_terms((described.name, *described.aliases))
    names_of = {character.name: (character.name, *character.aliases) for character in characters}

    def distinct_name(name: str) -> str:
        distinct = (
            alias
            for alias in names_of.get(name, (name,))
            if own_terms.isdisjoint(tokenize(alias)) and alias[0].isupper()
        )
        return next(distinct, name)

    return SLOT.sub(lambda slot: distinct_name(slot[1]), text)


def locate_evidence(
    evidence: DescriptionEvidence, text: str, chapters: Sequence[Chapter]
) -> Span | None:
    """Return the span of a bank's passage in a text: at its locator or, in another edition,
    where its words first occur; None if they do not."""
    quote = " ".join(evidence.quote.split())
    span = _located_span(evidence.locator, text, chapters)
    if span and " ".join(span.of(text).split()) == quote:
        return span
    return next(find_verbatim(quote, text), None)


def _located_span(locator: str, text: str, chapters: Sequence[Chapter]) -> Span | None:
    """Return the span of a locator that has a chapter, a paragraph and a span, if the text has
    it."""
    try:
        place = locators.parse(locator)
    except ScholarError:
        return None
    chapter = next((chapter for chapter in chapters if chapter.number == place.chapter), None)
    if chapter is None or not place.paragraph or not place.span:
        return None
    blocks = list(paragraph_spans(text, chapter.body))
    if place.paragraph > len(blocks):
        return None
    start = blocks[place.paragraph - 1].start
    return Span(start + place.span.start, start + place.span.end)
