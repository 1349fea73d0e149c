"""The dialog that finds a character by a description."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Label, OptionList, Static

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_tui.messages import STOPPED
from scholar_tui.screens.dialog import Dialog
from scholar_tui.widgets import character_items
from scholar_tui.widgets.description_list import DescriptionItem, DescriptionList
from scholar_tui.widgets.screen_header import describe_progress

if TYPE_CHECKING:
    from scholar_indexes.results import LikelyCharacter
    from scholar_indexes.types import Book, Character, Hit
    from scholar_tui.screens.mode_screen import ModeScreen

HINT = (
    "Say what they are or do, such as: the sister who elopes with an officer. "
    "The first question about a book finds its characters, which are then saved."
)

WHO = "who"
"""The group of the work."""


class DescriptionSearchScreen(Dialog["Character | str | None"]):
    """A dialog that finds a character by a description; returns it, or the locator of a passage."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", tooltip="Back to the characters"),
        Binding(
            "enter",
            "take",
            "Ask",
            show=False,
            tooltip="Ask; or go to the marked character or passage",
        ),
        Binding("down", "move(1)", "Next", show=False, tooltip="The next result"),
        Binding("up", "move(-1)", "Previous", show=False, tooltip="The previous result"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]  # noqa: RUF012
    DEFAULT_CSS = """
    DescriptionSearchScreen.-low DescriptionList { max-height: 10; }
    DescriptionSearchScreen DescriptionList {
        height: auto; max-height: 20; background: $surface; display: none;
        &.-some { display: block; }
        & > .option-list--option-highlighted { background: $primary-muted; }
    }
    DescriptionSearchScreen #message { height: auto; max-height: 5; }
    DescriptionSearchScreen #message.-wrong { color: $error; }
    """

    def __init__(self, mode_screen: ModeScreen, book: Book) -> None:
        super().__init__()
        self._mode_screen, self._book = mode_screen, book
        self._asked = ""
        self._found: list[Character] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label(f"Who was that, in {one_line(self._book.title, 48)}?", markup=False)
            yield Input(placeholder="the sister who elopes with an officer", id="description")
            yield DescriptionList(id="likely")
            yield Static(HINT, id="message", classes="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(".box").styles.width = 92
        self.query_one(DescriptionList).can_focus = False
        self.query_one(Input).focus()
        self.watch(self.app, "progress", self._show_progress, init=False)

    def on_unmount(self) -> None:
        if self._mode_screen.cancel_work(WHO):
            self._mode_screen.show_message(STOPPED)

    def _show_progress(self, progress: tuple[str, int, int]) -> None:
        line = describe_progress(*progress, self._mode_screen.scholar.remaining)
        if line and self._is_searching:
            self._say(f"{line} · Esc stops, and keeps finished parts")

    async def on_key(self) -> None:
        """Do nothing: bindings handle all keys, and none reaches the screen below."""

    @on(Input.Changed)
    def _changed(self) -> None:
        if not self._asked:
            self._say(HINT)

    @on(Input.Submitted)
    def action_take(self) -> None:
        """Ask a new question, or take the marked item."""
        words = one_line(self.query_one(Input).value)
        item = self.query_one(DescriptionList).cursor_item
        if words == self._asked and item is not None:
            self._take(item)
        elif words != self._asked or not self._is_searching:
            self._ask(words)

    def action_move(self, by: int) -> None:
        items = self.query_one(DescriptionList)
        if items.items:
            items.highlighted = ((items.highlighted or 0) + by) % len(items.items)

    @on(OptionList.OptionSelected)
    def _clicked(self) -> None:
        if (item := self.query_one(DescriptionList).cursor_item) is not None:
            self._take(item)

    # -- inside ------------------------------------------------------------------------------

    @property
    def _is_searching(self) -> bool:
        return self._mode_screen.is_working(WHO)

    def _ask(self, words: str) -> None:
        from scholar_indexes.characters.solver.parsing import normalize_description

        library, book_id = self._mode_screen.library, self._book.id
        self._offer([])
        try:
            normalize_description(words)
        except ScholarError as refusal:
            self._asked = ""
            self._refuse("", refusal)
            return
        self._asked = words
        self._say("searching the book …")
        self._mode_screen.run_in_worker(
            lambda progress: library.who(words, book_id, progress=progress),
            partial(self._answer, words),
            on_error=partial(self._refuse, words),
            group=WHO,
        )

    def _answer(self, words: str, hits: list[Hit[LikelyCharacter]]) -> None:
        if not self.is_attached or words != self._asked:
            return
        self._found = [hit.item.character for hit in hits]
        self._offer(character_items.likely_characters(hits))
        self._say("Enter goes to the character or to the passage; or ask something else")

    def _refuse(self, words: str, refusal: ScholarError) -> None:
        if self.is_attached and words == self._asked:
            self._asked = ""
            self._say(str(refusal), wrong=True)

    def _offer(self, items: list[DescriptionItem]) -> None:
        shown = self.query_one(DescriptionList)
        shown.show(items)
        shown.set_class(bool(items), "-some")

    def _take(self, item: DescriptionItem) -> None:
        if item.locator:
            self.dismiss(item.locator)
        else:
            self.dismiss(
                next(character for character in self._found if character.id == item.character_id)
            )

    def _say(self, line: str, *, wrong: bool = False) -> None:
        static = self.query_one("#message", Static)
        static.set_class(wrong, "-wrong")
        static.update(one_line(line, 400))
