"""The dialogs of the screen of papers: the source of new ones, the collection, and the
confirmation before a paper is removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from scholar_indexes.papers.catalog.store import DEFAULT_COLLECTION
from scholar_indexes.papers.formats import KNOWN
from scholar_indexes.sanitize import one_line
from scholar_tui.job_queue import Job, Lane
from scholar_tui.keys import bind
from scholar_tui.screens.dialog import Dialog
from scholar_tui.widgets.toggles import Checkbox

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.stored import PaperCollection
    from scholar_tui.app import ScholarApp


@dataclass(frozen=True, slots=True)
class PaperSource:
    """The source of papers to add, and the collection to which they are added."""

    name: str
    collection: str
    references: bool


class AddPapersScreen(Dialog[None]):
    """Asks for a file or an id, and shows the outcome."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", tooltip="Close this; adding continues"),
    ]
    DEFAULT_CSS = """
    AddPapersScreen {
        #message { height: auto; max-height: 8; margin: 1 0 0 0; }
        #message Static { width: 1fr; }
        Horizontal { height: auto; margin: 1 0 0 0; }
        Button { margin: 0 1 0 0; }
        Checkbox { border: none; padding: 0; background: transparent; }
        .title { text-style: bold; }
        .hint { width: 1fr; margin: 0 0 1 0; }
        Input { border-title-color: $foreground-muted; }
    }
    """

    def __init__(
        self, collection: str | None, offline: bool, add: Callable[[PaperSource], str | None]
    ) -> None:
        """`add` starts to add a source, or returns the reason why not."""
        super().__init__()
        self._collection = collection or DEFAULT_COLLECTION
        self._offline = offline
        self._add = add

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label("Add papers", classes="title")
            yield Label(
                f"A file ({KNOWN}), a folder of them, zotero.sqlite, or an id (arxiv:1810.04805, "
                "doi:10…, s2:…, openalex:W…, pmid:…)",
                classes="hint",
            )
            yield Input(placeholder="~/library.bib", id="source")
            yield Input(self._collection, placeholder=DEFAULT_COLLECTION, id="into")
            yield Checkbox("and the papers it cites (for an id)", id="references")
            with VerticalScroll(id="message", can_focus=False):
                yield Static(
                    "offline: only papers fetched before are available by id"
                    if self._offline
                    else "",
                    id="line",
                    markup=False,
                )
            with Horizontal():
                yield Button("Add", variant="primary", id="add", compact=True)
                yield Button("Close", id="close", compact=True)

    def on_mount(self) -> None:
        self.query_one("#source", Input).border_title = "from"
        self.query_one("#into", Input).border_title = "into the collection"
        cast("ScholarApp", self.app).jobs.changed.subscribe(self, self._show_job)

    def on_input_submitted(self) -> None:
        self._start()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "add":
            self._start()
        else:
            self.dismiss()

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show the outcome of a source."""
        self._busy = False
        self.query_one("#line", Static).update(Content("\n".join(map(one_line, lines))))

    _busy = False

    def _start(self) -> None:
        source = PaperSource(
            self.query_one("#source", Input).value.strip(),
            self.query_one("#into", Input).value.strip() or DEFAULT_COLLECTION,
            self.query_one("#references", Checkbox).value,
        )
        if not source.name:
            self.show_lines(["write the name of a file, or an id"])
            self.query_one("#source", Input).focus()
            return
        refusal = self._add(source)
        self.show_lines([refusal or f"adding {source.name}…"])
        self._busy = refusal is None

    def _show_job(self, progressed: Job | None) -> None:
        """Show the progress of adding papers."""
        if self._busy and progressed and progressed.lane is Lane.PAPERS:
            done, total = progressed.done, progressed.total
            share = f" {done:,} of {total:,}" if total else f" {done:,}" if done else ""
            line = f"{one_line(progressed.message, 60)}{share}"
            self.query_one("#line", Static).update(Content(line))


class ChooseCollectionScreen(Dialog[str | None]):
    """Asks for a collection; "" means all papers, None leaves it as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", tooltip="Leave it as it is"),
        bind("down", "down", "Down", "To the next collection", show=False),
        bind("up", "up", "Up", "To the previous collection", show=False),
    ]
    DEFAULT_CSS = """
    ChooseCollectionScreen {
        OptionList { height: auto; max-height: 16; background: $surface; }
        OptionList, OptionList:focus { border: none; }
        .title { text-style: bold; }
    }
    """

    def __init__(
        self, collections: Sequence[PaperCollection], papers: int, current: str | None
    ) -> None:
        super().__init__()
        self._names = ["", *(collection.name for collection in collections)]
        self._lines = [
            f"All papers  {papers:,}",
            *(f"{one_line(collection.name)}  {collection.papers:,}" for collection in collections),
        ]
        self._here = self._names.index(current) if current in self._names else 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label("Show the papers of", classes="title")
            yield OptionList(*(Option(Content(line)) for line in self._lines))

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._here

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._names[event.option_index])


class RemovePaperScreen(Dialog[str | None]):
    """Asks whether to remove a paper: "everywhere", "here" (from one collection), or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "dismiss(None)", "Keep it", tooltip="Leave it as it is"),
        Binding("y", "dismiss('everywhere')", "Remove", tooltip="Remove the paper"),
        Binding("o", "out", "Take out", tooltip="Remove it from this collection only"),
        Binding(
            "left,up", "app.focus_previous", "Previous", show=False, tooltip="The previous button"
        ),
        Binding("right,down", "app.focus_next", "Next", show=False, tooltip="The next button"),
    ]
    DEFAULT_CSS = """
    RemovePaperScreen {
        Horizontal { height: auto; margin: 1 0 0 0; }
        Button { margin: 0 1 0 0; }
    }
    """

    def __init__(self, title: str, collection: str | None) -> None:
        super().__init__()
        self._title = title
        self._collection = collection

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Content(f"Remove “{one_line(self._title, 200)}” from your papers?"))
            with Horizontal():
                yield Button("n Keep it", id="keep", compact=True)
                yield Button("y Remove", id="everywhere", variant="error", compact=True)
                if self._collection:
                    name = one_line(self._collection, 20)
                    yield Button(Content(f"o Take out of {name}"), id="here", compact=True)

    def on_mount(self) -> None:
        self.query_one("#keep").focus()

    def action_out(self) -> None:
        if self._collection:
            self.dismiss("here")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(None if event.button.id == "keep" else event.button.id)
