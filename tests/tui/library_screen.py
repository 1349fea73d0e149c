"""Helpers for the library screen: its table, its jobs, and the box that adds books."""

from __future__ import annotations

from textual.pilot import Pilot
from textual.widgets import Input, Static

from scholar_tui.screens.library import LibraryScreen
from scholar_tui.widgets.book_table import BookTable
from scholar_tui.widgets.job_list import JobList
from scholar_tui.widgets.key_bar import KeyBar
from screens import draw, settled


def screen(pilot: Pilot[None]) -> LibraryScreen:
    current = pilot.app.screen_stack[0]
    assert isinstance(current, LibraryScreen)
    return current


def book_table(pilot: Pilot[None]) -> BookTable:
    return screen(pilot).query_one(BookTable)


def job_list(pilot: Pilot[None]) -> JobList:
    return screen(pilot).query_one(JobList)


def no_jobs_left(pilot: Pilot[None]) -> bool:
    return not job_list(pilot).jobs


def box_message(pilot: Pilot[None]) -> str:
    """Return the message in the box that adds a book."""
    return str(pilot.app.screen.query_one("#message", Static).content)


async def paste(pilot: Pilot[None], text: str) -> None:
    """Paste a text into the focused box."""
    box = pilot.app.screen.focused
    assert isinstance(box, Input)
    box.insert_text_at_cursor(text)
    await settled(pilot)


def footer(pilot: Pilot[None]) -> str:
    draw(pilot.app)
    return " ".join(label.description for label in pilot.app.screen.query_one(KeyBar).labels)
