"""Helpers for the reader: its parts, its lines about the book, and the bookmarks it writes."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, cast

from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from scholar_tui.screens.reader import ReaderScreen
from scholar_tui.widgets.book_text import BookText
from screens import LARGE, at


def open_reader(
    request: Any = None, size: tuple[int, int] = LARGE
) -> AbstractAsyncContextManager[Pilot[None]]:
    return at("reader", request, size)


def screen(pilot: Pilot[None]) -> ReaderScreen:
    return cast(ReaderScreen, pilot.app.screen_stack[0])


def page(pilot: Pilot[None]) -> BookText:
    return screen(pilot).query_one(BookText)


def line_text(pilot: Pilot[None], part: str) -> str:
    """Return the text of a line about the book."""
    content = screen(pilot).query_one(f"#{part}", Static).content
    return content.plain if isinstance(content, Content) else str(content)


def styled_texts(pilot: Pilot[None], coat: str) -> list[str]:
    """Return the texts covered by a layer of styles."""
    text = page(pilot).text
    return [style.span.of(text) for style in page(pilot).styles_of(coat)]


def first_words(pilot: Pilot[None]) -> str:
    it = page(pilot)
    return it.visible_span.of(it.text).strip()
