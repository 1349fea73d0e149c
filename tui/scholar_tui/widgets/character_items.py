"""The details of a character as items of a list, each with its locator and its copied text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from scholar_indexes.books.citation.chapter_names import chapter_name, full_name
from scholar_indexes.characters.book_cast import BookCast, other_names
from scholar_indexes.sanitize import one_line, visible_line
from scholar_indexes.serialize.passages import citation
from scholar_tui.widgets.description_list import DescriptionItem
from scholar_tui.widgets.emphasized import emphasized, quotation_marks
from scholar_tui.widgets.line_breaking import fit_to_width
from scholar_tui.widgets.plot import horizontal_bar

if TYPE_CHECKING:
    from scholar_indexes.characters.conversations import Exchange
    from scholar_indexes.results import (
        AttributedQuote,
        CharacterProfile,
        CitedPassage,
        DescriptionResult,
        LikelyCharacter,
    )
    from scholar_indexes.types import Book, Chapter, Hit

KINDS = {
    "description": "written for this book",
    "relation": "relation",
    "calling": "calling",
    "motif": "motif",
    "trait": "trait",
    "deed": "deed",
}
"""The kinds of descriptions, as they are shown."""

SHOWN = 320
"""The number of characters shown of a passage; the book has the rest."""

NAME, PAIR, BAR = 24, 32, 12
"""The widths of a name, of two names and of a bar, in cells."""

SURE = 0.5
"""An attribution with a lower confidence is shown as a guess."""


def summary(cast: BookCast, profile: CharacterProfile) -> Content:
    """Return the name of a character, and how much they say and are named."""
    character = profile.character
    speakers = [other for other in cast.profiles if other.quotations]
    rank = speakers.index(profile) + 1 if profile in speakers else 0
    says = "no quotations"
    if rank:
        says = f"says {profile.quotations:,} ({_th(rank)} of {len(speakers):,})"
    thoughts = sum(not quote.attribution.is_speech for quote in cast.quotes_by(character.id))
    if thoughts:
        says += f", thinks {thoughts:,}"
    parts = [
        _narration(cast, profile) if character.narrator else "",
        says,
        f"named {_times(profile.mentions)}",
        f"in {len(profile.presences):,} of {_several(len(cast.chapters), 'chapter')}",
    ]
    return Content.assemble(
        (one_line(character.name, 100), "bold $primary"), "  ", " · ".join(filter(None, parts))
    )


def _narration(cast: BookCast, profile: CharacterProfile) -> str:
    if len(profile.narrates) in (0, len(cast.chapters)):
        return "the narrator"
    return f"narrates in {len(profile.narrates):,} of {_several(len(cast.chapters), 'chapter')}"


def descriptions(
    profile: CharacterProfile, descriptions_read: Sequence[DescriptionResult]
) -> list[DescriptionItem]:
    """Return the names of a character, and then the descriptions with their passages."""
    character, book = profile.character, profile.book
    first = profile.first or next((presence.first for presence in profile.presences), "")
    names = ", ".join([one_line(character.name), *other_names(character)])
    items = [
        DescriptionItem(
            Content.assemble(
                ("called ", "$foreground-muted"),
                names,
                (f"  first at {short_locator(first)}" if first else "", "$foreground-muted"),
            ),
            first,
            f"{names} — {_titled(book)}",
            "the names",
        )
    ]
    for description in descriptions_read:
        kind = KINDS.get(description.kind, description.kind)
        kind += ", automatic" if description.automatic else ""
        passages = [_cited(book, passage) for passage in description.passages]
        items.append(
            DescriptionItem(
                Content.assemble(
                    (one_line(description.text), "bold"), (f"  {kind}", "$foreground-muted")
                ),
                description.passages[0].locator if description.passages else "",
                "\n".join(
                    [
                        f"{one_line(character.name)}: {one_line(description.text)} ({kind})",
                        *passages,
                    ]
                ),
                "the description with its passages",
            )
        )
        items += [passage_item(book, passage) for passage in description.passages]
    return items


def passage_item(book: Book, cited: CitedPassage) -> DescriptionItem:
    """Return a passage with its source."""
    before, after = quotation_marks(cited.text)
    return DescriptionItem(
        Content.assemble(
            f"  {before}",
            emphasized(cited.text, limit=SHOWN),
            f"{after} ",
            (
                f"{full_name(cited.chapter, book.title)}, {short_locator(cited.locator)}",
                "$foreground-muted",
            ),
        ),
        cited.locator,
        _cited(book, cited),
        "the passage with its source",
    )


def conversations(cast: BookCast, profile: CharacterProfile) -> list[DescriptionItem]:
    """Return the characters with whom a character speaks."""
    partners = cast.partners(profile.character.id)
    most = max((exchange.turns for _, exchange in partners), default=0)
    return [
        _conversation(fit_to_width(partner.character.name, NAME), profile, partner, exchange, most)
        for partner, exchange in partners
    ]


def all_conversations(cast: BookCast, profile: CharacterProfile) -> list[DescriptionItem]:
    """Return all pairs of characters who speak with each other, most turns first; the pairs of one
    character are bold."""
    profiles = {member.character.id: member for member in cast.profiles}
    most = max((exchange.turns for exchange in cast.exchanges), default=0)
    items = []
    for exchange in cast.exchanges:
        first, second = (profiles[speaker] for speaker in exchange.between)
        if second is profile:
            first, second = second, first
        names = f"{one_line(first.character.name)} – {one_line(second.character.name)}"
        style = "bold" if first is profile else ""
        shown = Content.styled(fit_to_width(names, PAIR), style)
        items.append(_conversation(shown, first, second, exchange, most))
    return items


def _conversation(
    shown: str | Content,
    profile: CharacterProfile,
    partner: CharacterProfile,
    exchange: Exchange,
    most: int,
) -> DescriptionItem:
    """Return a conversation under the name that is shown; `most` are the most turns of one."""
    name, other = (one_line(speaker.character.name) for speaker in (profile, partner))
    where, turns = _several(len(exchange.chapters), "chapter"), _several(exchange.turns, "turn")
    return DescriptionItem(
        Content.assemble(
            shown,
            " ",
            horizontal_bar(exchange.turns, most, BAR),
            f" {turns}",
            (
                f" in {len(exchange.chapters)} ch., from {short_locator(exchange.first)}",
                "$foreground-muted",
            ),
        ),
        exchange.first,
        f"{name} and {other}: {turns} in {where}, first at [{exchange.first}] — "
        f"{_titled(profile.book)}",
        "the conversation",
        partner.character.id,
    )


def chapters(cast: BookCast, profile: CharacterProfile) -> list[DescriptionItem]:
    """Return the chapters that a character is in."""
    titles = {chapter.number: chapter for chapter in cast.chapters}
    most = max(
        (presence.mentions + presence.quotations for presence in profile.presences), default=0
    )
    name = one_line(profile.character.name)
    items = []
    width = max((len(chapter.printed) for chapter in cast.chapters), default=0)
    for presence in profile.presences:
        chapter = titles[presence.chapter]
        counts = f"named {presence.mentions:,}, says {presence.quotations:,}"
        items.append(
            DescriptionItem(
                Content.assemble(
                    (f"{chapter.printed:>{width}} " if width else "", "$foreground-muted"),
                    fit_to_width(_called(chapter, cast.stored.book.title), NAME),
                    " ",
                    horizontal_bar(presence.mentions + presence.quotations, most, BAR),
                    f" {counts}",
                ),
                presence.first,
                f"{name}: {counts} — {citation(profile.book, chapter)} [{presence.first}]",
                "the chapter's numbers",
            )
        )
    return items


def quotations(quotes: Sequence[AttributedQuote]) -> list[DescriptionItem]:
    """Return what a character says, in reading order."""
    items = []
    for quote in quotes:
        attribution = quote.attribution
        guess = (
            f", a guess ({100 * attribution.confidence:.0f} %)"
            if attribution.confidence < SURE
            else ""
        )
        thought = "" if attribution.is_speech else ", a thought"
        speaker = one_line(attribution.speaker.name) if attribution.speaker else ""
        source = citation(quote.book, quote.chapter)
        items.append(
            DescriptionItem(
                Content.assemble(
                    "“",
                    emphasized(quote.text, limit=SHOWN),
                    "” ",
                    (f"{short_locator(quote.locator)}{thought}{guess}", "$foreground-muted"),
                ),
                quote.locator,
                f"“{visible_line(quote.text)}”\n— {speaker}, in {source} [{quote.locator}]",
                "the quotation with its source",
            )
        )
    return items


def likely_characters(hits: Sequence[Hit[LikelyCharacter]]) -> list[DescriptionItem]:
    """Return the characters that a description may mean, with the passages that support it."""
    items = []
    for rank, hit in enumerate(hits, 1):
        answer = hit.item
        percent = "<1 %" if hit.score < 0.01 else f"{100 * hit.score:.0f} %"
        items.append(
            DescriptionItem(
                Content.assemble(
                    (f"{rank}. {one_line(answer.character.name)}", "bold"), f"  {percent}"
                ),
                character_id=answer.character.id,
            )
        )
        items += [passage_item(answer.book, passage) for passage in answer.passages]
    return items


def short_locator(locator: str) -> str:
    """Return a locator as chapter and paragraph."""
    return ".".join(locator.partition(":")[2].partition(":")[0].split(".")[:2])


def _cited(book: Book, cited: CitedPassage) -> str:
    source = citation(book, cited.chapter)
    before, after = quotation_marks(cited.text)
    return f"{before}{visible_line(cited.text)}{after}\n— {source} [{cited.locator}]"


def _titled(book: Book) -> str:
    return ", ".join(filter(None, (one_line(book.author), one_line(book.title))))


def _called(chapter: Chapter, book_title: str) -> str:
    return one_line(" · ".join((*chapter.part, chapter_name(chapter, book_title))))


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _times(count: int) -> str:
    return _several(count, "time")


def _th(rank: int) -> str:
    ending = (
        "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    )
    return f"{rank:,}{ending}"
