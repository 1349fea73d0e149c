"""A sheet of the main characters of a book, in Markdown and HTML."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from scholar_indexes.books.citation.chapter_names import chapter_name
from scholar_indexes.characters.book_cast import other_names
from scholar_indexes.characters.solver.book_characters import MIN_OCCURRENCES
from scholar_indexes.emphasis import styled_line
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.html_page import html_line, html_page
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import citation, quotation_to_markdown
from scholar_indexes.serialize.quiz_text import count_phrase

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast, DescriptionsById
    from scholar_indexes.results import CharacterProfile, DescriptionResult

MAX_DESCRIPTIONS = 3
"""The most descriptions of one character on the sheet."""

AUTOMATIC_NOTE = (
    "Descriptions marked automatic were read from the book by a program and may be wrong."
)

_STYLE = """
body { font: 11pt/1.4 Georgia, "Times New Roman", serif; max-width: 42em; margin: 2em auto;
       padding: 0 1em; }
h1 { font-size: 1.4em; }
section { break-inside: avoid; page-break-inside: avoid; border-top: 1px solid #999; }
h2 { font-size: 1.1em; margin: .6em 0 .2em; }
dl { margin: 0; display: grid; grid-template-columns: 8em 1fr; }
dd { margin: 0; }
blockquote { margin: .2em 0 .4em 1em; font-size: .9em; }
@media print { body { margin: 0; max-width: none; } }
"""


@dataclass(frozen=True, slots=True)
class CharacterSheet:
    """The main characters of a book, the ones who say most first, and their descriptions by the id
    of the character."""

    cast: BookCast
    profiles: tuple[CharacterProfile, ...]
    descriptions: DescriptionsById

    @property
    def heading(self) -> str:
        """The heading of the sheet."""
        book = self.cast.stored.book
        source = ", ".join(filter(None, map(one_line, (book.author, book.title))))
        return f"The characters of {source}"

    def described(self, profile: CharacterProfile) -> list[DescriptionResult]:
        """Return the descriptions to show: written ones, or automatic ones if there are none."""
        own = self.descriptions.get(profile.character.id, ())
        written = [description for description in own if not description.automatic]
        return list(islice(written or own, MAX_DESCRIPTIONS))

    @property
    def has_automatic(self) -> bool:
        """True if a description on the sheet is automatic."""
        return any(item.automatic for profile in self.profiles for item in self.described(profile))


def make_sheet(cast: BookCast, descriptions: DescriptionsById, n: int) -> CharacterSheet:
    """Return a sheet of at most n characters who have a written description or are named or
    speak often enough to be distinguished."""
    main = [
        profile
        for profile in cast.profiles
        if profile.mentions + profile.quotations >= MIN_OCCURRENCES
        or any(not item.automatic for item in descriptions.get(profile.character.id, ()))
    ]
    return CharacterSheet(cast, tuple(main[:n]), descriptions)


def sheet_to_markdown(sheet: CharacterSheet) -> str:
    """Return a sheet of characters as Markdown."""
    lines = [f"# {_markdown(sheet.heading)}", ""]
    for profile in sheet.profiles:
        lines += [f"## {_markdown(profile.character.name)}", ""]
        lines += [f"- {label}: {_markdown(value)}" for label, value in _facts(sheet.cast, profile)]
        for description in sheet.described(profile):
            lines += ["", f"**{_markdown(description.text)}** ({_origin(description)})"]
            for quote, source, locator in _passages(description):
                lines += ["", quotation_to_markdown(quote, source, locator).rstrip()]
        lines.append("")
    if sheet.has_automatic:
        lines += [AUTOMATIC_NOTE, ""]
    return "\n".join(lines)


def sheet_to_html(sheet: CharacterSheet) -> str:
    """Return a sheet of characters as one HTML page."""
    body = [f"<h1>{html.escape(sheet.heading)}</h1>"]
    for profile in sheet.profiles:
        body += ["<section>", f"<h2>{_html(profile.character.name)}</h2>", "<dl>"]
        body += [
            f"<dt>{label}</dt><dd>{_html(value)}</dd>"
            for label, value in _facts(sheet.cast, profile)
        ]
        body.append("</dl>")
        body += map(_description_to_html, sheet.described(profile))
        body.append("</section>")
    if sheet.has_automatic:
        body.append(f"<p>{AUTOMATIC_NOTE}</p>")
    return html_page(sheet.heading, _STYLE, "\n".join(body))


def _facts(cast: BookCast, profile: CharacterProfile) -> Iterator[tuple[str, str]]:
    """Yield the label and the value of each fact about a character."""
    if names := other_names(profile.character):
        yield "Also called", ", ".join(names)
    yield "Gender", str(profile.character.gender)
    yield "Says", count_phrase(profile.quotations, "quotation")
    yield "Named", count_phrase(profile.mentions, "time")
    if profile.first:
        yield "First", _first_appearance(cast, profile)


def _first_appearance(cast: BookCast, profile: CharacterProfile) -> str:
    """Return the chapter, if known, and the locator of the first mention."""
    number = profile.presences[0].chapter if profile.presences else None
    names = (
        chapter_name(chapter, cast.stored.book.title)
        for chapter in cast.chapters
        if chapter.number == number
    )
    name = next(names, "")
    return f"{name} [{profile.first}]" if name else f"[{profile.first}]"


def _passages(description: DescriptionResult) -> Sequence[tuple[str, str, str]]:
    """Return the quote, the source and the locator of the first passage, if there is one."""
    return [
        (passage.text, citation(description.book, passage.chapter), passage.locator)
        for passage in description.passages[:1]
    ]


def _origin(description: DescriptionResult) -> str:
    return f"{description.kind}, automatic" if description.automatic else "written for this book"


def _description_to_html(description: DescriptionResult) -> str:
    passages = "".join(
        f"<blockquote>{html_line(styled_line(quote))}<br>"
        f"— {html_line(styled_line(source))} [{_html(locator)}]</blockquote>"
        for quote, source, locator in _passages(description)
    )
    return f"<p><b>{_html(description.text)}</b> ({_origin(description)})</p>{passages}"


def _markdown(text: str) -> str:
    return escape_markdown(one_line(text))


def _html(text: str) -> str:
    return html.escape(one_line(text))
