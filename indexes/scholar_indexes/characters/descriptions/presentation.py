"""Presentation of descriptions: the character of a name, display texts, and located evidence."""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.books import locators
from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.books.verbatim import find_verbatim
from scholar_indexes.characters.descriptions.bank import SLOT, DescriptionEvidence
from scholar_indexes.characters.terms import name_terms, tokenize
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.types import Chapter, Character, Span

MAX_SUGGESTED_NAMES = 5
"""Names listed where no character has the name asked for, nor one like it."""


def find_character(characters: Sequence[Character], name: str, book_id: str) -> Character:
    """Return the character that a name means; raises NotThere naming the nearest or the first
    of the book, and UsageError naming all that it could mean."""
    from scholar_indexes.attribution import pipeline

    try:
        return pipeline.find_character(characters, name)
    except UsageError as ambiguity:
        raise UsageError(f"{ambiguity}; write one of these names") from None
    except NotThere as refusal:
        message = str(refusal).rpartition(";")[0]
        if ";" not in message:
            names = (character.name for character in characters[:MAX_SUGGESTED_NAMES])
            message += "; there are " + ", ".join(names)
        raise NotThere(f"{message}; all of them: scholar characters {book_id}") from None


def display_text(text: str, described: Character, characters: Sequence[Character]) -> str:
    """Return a description with names for the names in braces.

    A name that shares a word with those of the character described is replaced by one of its
    bearer's other names, where there is one that does not.
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
    """Return where a passage of a bank stands in a text: at its locator, or in another edition
    wherever its words do; None where they do not."""
    quote = " ".join(evidence.quote.split())
    span = _located_span(evidence.locator, text, chapters)
    if span and " ".join(span.of(text).split()) == quote:
        return span
    return next(find_verbatim(quote, text), None)


def _located_span(locator: str, text: str, chapters: Sequence[Chapter]) -> Span | None:
    """Return the span of a locator with a chapter, a paragraph and a span in it, if there is
    one."""
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
