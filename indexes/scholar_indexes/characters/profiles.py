"""Profiles of a book's characters: how often they are named, what they say, and where."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scholar_indexes.coreference import mentions
from scholar_indexes.results import ChapterPresence, CharacterProfile
from scholar_indexes.types import Character, Span

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.books.reading.open_book import OpenBook


class _Appearance(NamedTuple):
    """A mention of a character, or one of its quotations, in a chapter."""

    span: Span
    spoken: bool
    locator: str
    character: int
    chapter: int


def character_profiles(book: OpenBook, dialogue: Dialogue) -> list[CharacterProfile]:
    """Return the profiles of a book's characters, most quotations first. Linear in the text."""
    quotations = Counter(
        attribution.speaker.id
        for attribution in dialogue.attributions
        if attribution.speaker and attribution.is_speech
    )
    appearances: dict[int, list[_Appearance]] = defaultdict(list)
    for appearance in _appearances(book, dialogue):
        appearances[appearance.character].append(appearance)
    profiles = []
    for index, character in enumerate(dialogue.cast):
        mentioned = [item for item in appearances[index] if not item.spoken]
        profiles.append(
            CharacterProfile(
                book.book,
                character,
                len(mentioned),
                quotations[character.id],
                appearances[index][0].locator if appearances[index] else "",
                _presences(appearances[index]),
                _narrated_chapters(book, character),
            )
        )
    return sorted(
        profiles,
        key=lambda profile: (-profile.quotations, -profile.mentions, profile.character.name),
    )


def _appearances(book: OpenBook, dialogue: Dialogue) -> Iterator[_Appearance]:
    """Yield the mentions in text order, without the speech headings of a play, then the
    attributed quotations."""
    headings = _speech_headings(dialogue)
    for mention in mentions.find_mentions(book.text, dialogue.cast):
        at = bisect_right(headings, mention.span.start, key=lambda heading: heading.start) - 1
        if at >= 0 and mention.span.start < headings[at].end:
            continue
        if place := book.cite(mention.span):
            yield _Appearance(
                mention.span, False, place.locator, mention.character, place.chapter.number
            )
    indexes = {character.id: index for index, character in enumerate(dialogue.cast)}
    for quotation, attribution in zip(dialogue.quotations, dialogue.attributions, strict=True):
        if not attribution.speaker or not attribution.is_speech:
            continue
        if place := book.cite(quotation.span):
            index = indexes[attribution.speaker.id]
            yield _Appearance(quotation.span, True, place.locator, index, place.chapter.number)


def _speech_headings(dialogue: Dialogue) -> Sequence[Span]:
    """Return the speech headings of a play in text order; none for a novel."""
    if not dialogue.is_play:
        return ()
    return [attribution.evidence for attribution in dialogue.attributions if attribution.evidence]


def _narrated_chapters(book: OpenBook, character: Character) -> tuple[int, ...]:
    """Return the numbers of the chapters that a character narrates, in full or in part."""
    if not character.narrator:
        return ()
    return tuple(
        chapter.number
        for chapter in book.chapters
        if chapter.number
        and not (character.narrates and _tells_nothing_of(character, chapter.body))
    )


def _tells_nothing_of(narrator: Character, body: Span) -> bool:
    return all(
        stretch.end <= body.start or body.end <= stretch.start for stretch in narrator.narrates
    )


def _presences(appearances: Sequence[_Appearance]) -> tuple[ChapterPresence, ...]:
    """Return the chapters that a character appears in, in reading order."""
    chapters: dict[int, list[_Appearance]] = defaultdict(list)
    for appearance in appearances:
        chapters[appearance.chapter].append(appearance)
    presences = []
    for number, items in sorted(chapters.items()):
        spoken = sum(item.spoken for item in items)
        first = min(items, key=lambda item: item[:3])
        presences.append(ChapterPresence(number, len(items) - spoken, spoken, first.locator))
    return tuple(presences)
