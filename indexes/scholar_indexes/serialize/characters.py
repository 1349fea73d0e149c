"""The characters of a book as JSON records and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.characters.book_cast import other_names
from scholar_indexes.sanitize import one_line, visible_line
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import citation, quotation_to_markdown

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast, DescriptionsById
    from scholar_indexes.results import (
        ChapterPresence,
        CharacterProfile,
        CitedPassage,
        DescriptionResult,
    )

MAX_PARTNERS = 5
"""The most conversation partners in a row of the Markdown table."""

_HEADER = (
    "| Name | Gender | Says | Named | First | Also called | Speaks with |",
    "|---|---|---:|---:|---|---|---|",
)


def as_records(
    cast: BookCast, profiles: Iterable[CharacterProfile], descriptions: DescriptionsById | None
) -> list[dict[str, Any]]:
    """Return characters as JSON records; their descriptions are None without `descriptions`."""
    return [_character_record(cast, profile, descriptions) for profile in profiles]


def as_markdown(
    cast: BookCast, profiles: Sequence[CharacterProfile], descriptions: DescriptionsById | None
) -> str:
    """Return a Markdown table of characters, and then the descriptions of each."""
    book = cast.stored.book
    title = ", ".join(filter(None, map(one_line, (book.author, book.title))))
    lines = [f"# The characters of {escape_markdown(title)}", "", *_HEADER]
    lines += [_table_row(cast, profile) for profile in profiles]
    for profile in profiles:
        if descriptions and (own := descriptions.get(profile.character.id)):
            lines += ["", f"## {_escape(profile.character.name)}", ""]
            lines += [line for description in own for line in _description_lines(description)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _character_record(
    cast: BookCast, profile: CharacterProfile, descriptions: DescriptionsById | None
) -> dict[str, Any]:
    character = profile.character
    own = None if descriptions is None else descriptions.get(character.id, ())
    return {
        "schema_version": 1,
        "id": character.id,
        "name": one_line(character.name),
        "aliases": [one_line(alias) for alias in character.aliases],
        "gender": str(character.gender),
        "narrator": character.narrator,
        "narrates": list(profile.narrates),
        "book": {
            "id": profile.book.id,
            "title": one_line(profile.book.title),
            "author": one_line(profile.book.author),
        },
        "quotations": profile.quotations,
        "mentions": profile.mentions,
        "first": profile.first,
        "chapters": [_presence_record(cast, presence) for presence in profile.presences],
        "speaks_with": _partner_records(cast, character.id),
        "descriptions": None if own is None else [_description_record(item) for item in own],
    }


def _presence_record(cast: BookCast, presence: ChapterPresence) -> dict[str, Any]:
    chapters = {chapter.number: chapter for chapter in cast.chapters}
    chapter = chapters.get(presence.chapter)
    return {
        "number": presence.chapter,
        "title": one_line(chapter.title) if chapter else "",
        "printed": chapter.printed if chapter else "",
        "mentions": presence.mentions,
        "quotations": presence.quotations,
        "first": presence.first,
    }


def _partner_records(cast: BookCast, character_id: str) -> list[dict[str, Any]]:
    return [
        {
            "id": partner.character.id,
            "name": one_line(partner.character.name),
            "turns": exchange.turns,
            "chapters": list(exchange.chapters),
            "first": exchange.first,
        }
        for partner, exchange in cast.partners(character_id)
    ]


def _description_record(description: DescriptionResult) -> dict[str, Any]:
    return {
        "kind": description.kind,
        "text": one_line(description.text),
        "automatic": description.automatic,
        "passages": [_passage_record(description, passage) for passage in description.passages],
    }


def _passage_record(description: DescriptionResult, passage: CitedPassage) -> dict[str, Any]:
    return {
        "quote": visible_line(passage.text),
        "locator": passage.locator,
        "citation": citation(description.book, passage.chapter),
    }


def _table_row(cast: BookCast, profile: CharacterProfile) -> str:
    character = profile.character
    partners = ", ".join(
        f"{one_line(partner.character.name)} ({exchange.turns:,})"
        for partner, exchange in cast.partners(character.id)[:MAX_PARTNERS]
    )
    names = ", ".join(other_names(character))
    return (
        f"| {_escape(character.name)} | {character.gender} "
        f"| {profile.quotations:,} | {profile.mentions:,} "
        f"| `{profile.first}` | {_escape(names)} | {_escape(partners)} |"
    )


def _description_lines(description: DescriptionResult) -> Iterator[str]:
    automatic = ", automatic" if description.automatic else ""
    yield f"- **{_escape(description.text)}** ({description.kind}{automatic})"
    yield ""
    for passage in description.passages:
        cited = citation(description.book, passage.chapter)
        yield quotation_to_markdown(passage.text, cited, passage.locator)


def _escape(text: str) -> str:
    return escape_markdown(one_line(text))
