"""The boxes and buttons of the filters of a search."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Grid, Horizontal
from textual.widgets import Button, Input, Label


class FilterGrid(Grid):
    """Books, author, chapters, speaker, character and ranking, each with its label."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label("books")
            yield Button("all", id="books", compact=True, tooltip="Only some of the books")
        for name, placeholder, tooltip in (
            ("author", "any", "Only books whose author's name contains this"),
            (
                "chapters",
                "3 or 3-9",
                "Only these chapters: 3, 3-9, 3- or -9; 2.5 is volume 2, chapter 5; or section 3-9",
            ),
            ("speaker", "anyone", "Only what this character says"),
            ("about", "anyone", "Only passages with this character, by name or by pronoun"),
        ):
            with Horizontal():
                yield Label(name)
                yield Input(placeholder=placeholder, id=name, compact=True, tooltip=tooltip)
        with Horizontal():
            yield Label("ranking")
            yield Button("", id="mode", compact=True, tooltip="How passages are ranked")
