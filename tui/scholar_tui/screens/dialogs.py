"""The dialogs for a choice from a list, and for a note."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line, safe
from scholar_tui.screens.dialog import Dialog
from scholar_tui.widgets.emphasized import emphasized, quotation_marks

if TYPE_CHECKING:
    from scholar_tui.change_queue import QueuedChange

MOST_SHOWN = 500

LONGEST_LABEL = 90
"""The maximum number of characters of a quotation in a list to choose from."""

LONGEST_NOTE = 36
"""The maximum number of characters of a note before a quotation, visible on 80 columns."""

KEPT_WITHIN_S = 2.0
"""The maximum seconds that the dialog for a note stays open until the note is saved."""

NOTE_HINT = "Ctrl+S saves it, Escape leaves it"


@dataclass(frozen=True, slots=True)
class ChoiceItem:
    """Something to choose: its value, its label, and a detail, which is searched too if
    `matches_detail`; `is_quotation` means that the label is text of a book, after the user's note
    on it."""

    value: str
    label: str
    detail: str = ""
    is_quotation: bool = False
    note: str = ""
    matches_detail: bool = True

    def matches(self, words: Iterable[str]) -> bool:
        """Return True if the texts of the item contain all words, which are in lower case."""
        searched = (self.note, self.label, self.detail if self.matches_detail else "")
        text = " ".join(searched).casefold()
        return all(word in text for word in words)

    def name_rank(self, name: str) -> int:
        """Return 0 if the label is a name in lower case, 1 if it begins with it, else 2."""
        own_name = one_line(self.label).casefold()
        if self.is_quotation or not name or not own_name.startswith(name):
            return 2
        return 0 if own_name == name else 1


class ChooseScreen(Dialog[list[str] | None]):
    """A dialog with a list to choose from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", tooltip="Choose nothing"),
        Binding("enter", "choose", "Choose", tooltip="Take the marked items, or else this one"),
        Binding("down", "move(1)", "Next", show=False, tooltip="The next one"),
        Binding("up", "move(-1)", "Previous", show=False, tooltip="The previous one"),
        Binding(
            "tab",
            "mark",
            "Mark",
            show=False,
            tooltip="Mark this one, if several may be chosen",
        ),
    ]
    DEFAULT_CSS = """
    ChooseScreen > .box { height: auto; }
    ChooseScreen OptionList {
        height: auto; max-height: 14; border: none; padding: 0; background: $surface;
        scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
        & > .option-list--option-highlighted { background: $primary-muted; color: $foreground; }
    }
    """

    def __init__(
        self,
        title: str | Content,
        choices: Sequence[ChoiceItem],
        *,
        marked: Iterable[str] | None = None,
        new: str = "",
        hint: str = "",
    ) -> None:
        """`marked` are the values already chosen, None if only one may be; `new` describes a name
        that is not in the list ("a new collection"), if one may be created."""
        super().__init__()
        self._title, self._choices, self._new, self._hint = title, choices, new, hint
        self._several = marked is not None
        self._marked = dict.fromkeys(marked or ())
        self._shown: list[ChoiceItem] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label(self._title, markup=False)
            yield Input(placeholder="type to narrow the list", id="words")
            yield OptionList(id="choices", markup=False)
            yield Static(self._hint, classes="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one("#choices").can_focus = False
        self._narrow("")
        self.query_one(Input).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "mark" or self._several

    @on(Input.Changed)
    def _narrowed(self, changed: Input.Changed) -> None:
        self._narrow(changed.value)

    @on(Input.Submitted)
    def action_choose(self) -> None:
        choice = self._here
        if self._marked:
            self.dismiss(list(self._marked))
        elif choice is not None:
            self.dismiss([choice.value])

    @on(OptionList.OptionSelected)
    def _clicked(self, selected: OptionList.OptionSelected) -> None:
        if self._several:
            self._toggle(self._shown[selected.option_index])
        else:
            self.dismiss([self._shown[selected.option_index].value])

    def action_move(self, by: int) -> None:
        choices = self.query_one(OptionList)
        if self._shown:
            choices.highlighted = ((choices.highlighted or 0) + by) % len(self._shown)

    def action_mark(self) -> None:
        if self._here is not None:
            self._toggle(self._here)

    @property
    def _here(self) -> ChoiceItem | None:
        at = self.query_one(OptionList).highlighted
        return None if at is None or at >= len(self._shown) else self._shown[at]

    def _toggle(self, choice: ChoiceItem) -> None:
        if choice.value in self._marked:
            del self._marked[choice.value]
        else:
            self._marked[choice.value] = None
        at = self._shown.index(choice)
        self.query_one(OptionList).replace_option_prompt_at_index(at, self._drawn(choice))

    def _narrow(self, words: str) -> None:
        wanted = words.casefold().split()
        matching = [choice for choice in self._choices if choice.matches(wanted)]
        typed = " ".join(wanted)
        self._shown = sorted(matching, key=lambda choice: choice.name_rank(typed))[:MOST_SHOWN]
        name = one_line(words, 80)
        if self._new and name and all(choice.value != name for choice in self._choices):
            self._shown.append(ChoiceItem(name, name, self._new))
        choices = self.query_one(OptionList)
        choices.set_options(Option(self._drawn(choice)) for choice in self._shown)
        choices.highlighted = 0 if self._shown else None

    def _drawn(self, choice: ChoiceItem) -> Content:
        mark = ("● " if choice.value in self._marked else "○ ") if self._several else ""
        detail = (one_line(choice.detail), "$foreground-muted")
        if choice.is_quotation:
            return Content.assemble((mark, "$accent"), _drawn_quotation(choice, detail))
        return Content.assemble((mark, "$accent"), one_line(choice.label), "  ", detail)


def _drawn_quotation(choice: ChoiceItem, detail: tuple[str, str]) -> Content:
    """Return the note, the detail and then the quotation, of which as much is seen as fits."""
    note = one_line(choice.note)
    if len(note) > LONGEST_NOTE:
        note = note[: LONGEST_NOTE - 1].rstrip() + "…"
    before, after = quotation_marks(choice.label)
    return Content.assemble(
        (f"{note}  " if note else "", "bold"),
        detail,
        "  " if choice.detail else "",
        before,
        emphasized(choice.label, limit=LONGEST_LABEL),
        after,
    )


class NoteScreen(Dialog[None]):
    """The dialog for a note, which is saved however the dialog is closed, except by Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Without priority, since the keys must not overtake what was typed before them.
        Binding(
            "ctrl+s",
            "save",
            "Save",
            tooltip="Save the note as it is now; the keys of other screens and Ctrl+Q do so too",
        ),
        Binding(
            "escape",
            "leave",
            "Back",
            tooltip="Leave the note as it was; a second Escape discards what was written",
        ),
    ]
    DEFAULT_CSS = """
    NoteScreen TextArea { height: 10; border: round $panel; }
    NoteScreen TextArea:focus { border: round $primary; }
    NoteScreen #of { color: $foreground-muted; max-height: 4; margin-bottom: 1; }
    """

    def __init__(
        self, quote: str, note: str, keep: Callable[[str], QueuedChange], written: str | None = None
    ) -> None:
        """`keep` queues the note, or raises ScholarError; `written` is a note not saved yet."""
        super().__init__()
        self._quote, self._note, self._keep = quote, safe(note).strip(), keep
        self._warned = False
        self._area = TextArea(self._note if written is None else written)
        self._is_thrown_away = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label("Note", markup=False)
            yield Static(emphasized(self._quote, limit=240), id="of", markup=False)
            yield self._area
            yield Static(NOTE_HINT, id="message", classes="hint", markup=False)

    def on_mount(self) -> None:
        self._area.move_cursor(self._area.document.end)
        self._area.focus()

    def on_unmount(self) -> None:
        """Save what the box had not read yet when the app closed it, and the whole note when the
        program is ended from outside, such as by closing a browser tab."""
        if self._is_thrown_away or self._written == self._note:
            return
        try:
            self._keep(self._written)
        except ScholarError as refusal:
            self.app.notify(f"the note is not saved: {refusal}", severity="error", markup=False)

    async def keep_writing(self) -> bool:
        if self._written == self._note:
            return True
        if is_kept := await self._save():
            line = "the note is saved" if self._note else "the note was emptied"
            self.notify(line, markup=False)
        return is_kept

    async def action_save(self) -> None:
        if await self._save():
            self.dismiss()

    def action_leave(self) -> None:
        if self._warned or self._written == self._note:
            self._is_thrown_away = True
            self.dismiss()
        else:
            self._warn("this is not saved yet: Ctrl+S saves it, Escape again discards it")

    @on(TextArea.Changed)
    def _forget_warning(self) -> None:
        self._warned = False
        self.query_one("#message", Static).update(NOTE_HINT)

    @property
    def _written(self) -> str:
        return self._area.text.strip()

    async def _save(self) -> bool:
        """Save the note and return True, or show why that failed. A note that another program
        blocks is saved later."""
        note = self._written
        try:
            refusal = await self._keep(note).refusal(KEPT_WITHIN_S)
        except ScholarError as error:
            refusal = error
        if refusal:
            self._warn(f"this is not saved: {refusal}. Escape discards it")
            return False
        self._note = note
        return True

    def _warn(self, line: str) -> None:
        self._warned = True
        self.query_one("#message", Static).update(one_line(line, 400))


class GoToScreen(Dialog[str | None]):
    """A dialog for a place in a book, which describes the place while the user types."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", tooltip="Stay where you are"),
    ]
    DEFAULT_CSS = """
    GoToScreen #means { height: auto; max-height: 4; color: $foreground-muted; }
    GoToScreen #means.-wrong { color: $error; }
    """

    def __init__(self, describe: Callable[[str], str | Content]) -> None:
        """`describe` returns the description of a place, or raises ScholarError."""
        super().__init__()
        self._describe = describe

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label("Go to", markup=False)
            yield Input(placeholder="12, chapter 2.5, a title, 50%, 3.4, pg1342:3.4")
            yield Static(
                "a chapter's number or title, a percentage of the book, or a locator",
                id="means",
                markup=False,
            )

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _preview(self, event: Input.Changed) -> None:
        if event.value.strip():
            try:
                self._say(self._describe(event.value))
            except ScholarError as refusal:
                self._say(str(refusal))

    @on(Input.Submitted)
    def _go(self, event: Input.Submitted) -> None:
        try:
            self._describe(event.value)
        except ScholarError as refusal:
            self._say(str(refusal), wrong=True)
        else:
            self.dismiss(event.value)

    def _say(self, line: str | Content, *, wrong: bool = False) -> None:
        means = self.query_one("#means", Static)
        means.set_class(wrong, "-wrong")
        means.update(one_line(line, 240) if isinstance(line, str) else line)
