"""Profiles of a book's characters: how often they are named, what they say, and where."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scholar_indexes.coreference import mentions
from scholar_indexes.results import ChapterPresence, CharacterProfile
from scholar_indexes.types import Character, Span

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.books.reading.open_book import OpenBook


class Appearance(NamedTuple):
    """A mention of a character, or one of its quotations, in a paragraph of a chapter."""

    span: Span
    spoken: bool
    locator: str
    character: Character
    chapter: int
    paragraph: int


def character_profiles(
    book: OpenBook, dialogue: Dialogue, known: Iterable[Appearance] | None = None
) -> list[CharacterProfile]:
    """Return the profiles of a book's characters, most quotations first; `known` are their
    appearances, found if None. Linear in the text."""
    quotations = Counter(
        attribution.speaker.id
        for attribution in dialogue.attributions
        if attribution.speaker and attribution.is_speech
    )
    by_character: defaultdict[str, list[Appearance]] = defaultdict(list)
    for appearance in appearances(book, dialogue) if known is None else known:
        by_character[appearance.character.id].append(appearance)
    profiles = []
    for character in dialogue.cast:
        present = by_character[character.id]
        mentioned = [item for item in present if not item.spoken]
        profiles.append(
            CharacterProfile(
                book.book,
                character,
                len(mentioned),
                quotations[character.id],
                present[0].locator if present else "",
                _presences(present),
                _narrated_chapters(book, character),
            )
        )
    return sorted(
        profiles,
        key=lambda profile: (-profile.quotations, -profile.mentions, profile.character.name),
    )


def appearances(book: OpenBook, dialogue: Dialogue) -> Iterator[Appearance]:
    """Yield the mentions in text order, without the speech headings of a play, then the
    attributed quotations."""
    headings = _speech_headings(dialogue)
    for mention in mentions.find_mentions(book.text, dialogue.cast):
        at = bisect_right(headings, mention.span.start, key=lambda heading: heading.start) - 1
        if at < 0 or mention.span.start >= headings[at].end:
            character = dialogue.cast[mention.character]
            yield from _place(book, mention.span, character, spoken=False)
    for quotation, attribution in zip(dialogue.quotations, dialogue.attributions, strict=True):
        if attribution.speaker and attribution.is_speech:
            yield from _place(book, quotation.span, attribution.speaker, spoken=True)


def _place(
    book: OpenBook, span: Span, character: Character, *, spoken: bool
) -> Iterator[Appearance]:
    """Yield the appearance at a span, if it is in a chapter."""
    if cited := book.cite(span):
        yield Appearance(
            span, spoken, cited.locator, character, cited.chapter.number, cited.paragraph
        )


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


def _presences(appearances: Sequence[Appearance]) -> tuple[ChapterPresence, ...]:
    """Return the chapters that a character appears in, in reading order."""
    chapters: dict[int, list[Appearance]] = defaultdict(list)
    for appearance in appearances:
        chapters[appearance.chapter].append(appearance)
    presences = []
    for number, items in sorted(chapters.items()):
        spoken = sum(item.spoken for item in items)
        first = min(items, key=lambda item: item[:3])
        presences.append(ChapterPresence(number, len(items) - spoken, spoken, first.locator))
    return tuple(presences)
