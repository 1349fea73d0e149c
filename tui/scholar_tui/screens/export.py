"""Exporting what a screen shows to a file, an editor or the clipboard."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.suggester import Suggester
from textual.widgets import Button, Input, Label, OptionList, RadioSet, Static
from textual.widgets.option_list import Option

from scholar_indexes.books.adding import source_parser
from scholar_indexes.errors import ScholarError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.results import CitationStyle
from scholar_indexes.sanitize import one_line, visible
from scholar_indexes.serialize.listings import ExportListing
from scholar_indexes.serialize.result_formats import Format, encoded
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress
from scholar_tui.screens.dialog import Dialog
from scholar_tui.widgets.toggles import RadioButton

if TYPE_CHECKING:
    from scholar_tui.screens.mode_screen import ModeScreen

T = TypeVar("T")

EDITORS = ("VISUAL", "EDITOR")

STYLES = {CitationStyle.MLA: "MLA", CitationStyle.CHICAGO: "Chicago", CitationStyle.APA: "APA"}

STYLE_CHOICE = "export.style"
"""The name under which the last citation style is remembered; a format is remembered for each
screen, with its heading."""

FIRST_ENTRIES, FIRST_LINES = 3, 60
"""The most entries and lines of a preview."""

PREVIEW, WRITE = "preview", "export"
"""The groups of the workers."""


class FolderSuggester(Suggester):
    """Suggestions that complete a folder."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        import asyncio

        paths = await asyncio.to_thread(source_parser.completions, value)
        return next((path for path in paths if path.startswith(value) and path[-1] == "/"), None)


class ExportScreen(Dialog[None]):
    """The dialog that exports what is shown, in one of its formats."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", tooltip="Export nothing"),
        Binding("ctrl+s", "save", "Save", tooltip="Write the file"),
        Binding("ctrl+o", "edit", "Edit", tooltip="Open it in $VISUAL or $EDITOR"),
        Binding("ctrl+y", "copy", "Copy", tooltip="Copy it to the clipboard"),
    ]
    DEFAULT_CSS = """
    ExportScreen #formats {
        width: 33; height: 100%; border: none; padding: 0; background: $surface;
        scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    ExportScreen #choice { height: 1fr; }
    ExportScreen #preview {
        width: 1fr; height: 100%; padding: 0 1; background: $panel; scrollbar-size-vertical: 1;
    }
    ExportScreen .row { height: 1; margin-top: 1; }
    ExportScreen .row Label { width: auto; margin-right: 1; color: $foreground-muted; }
    ExportScreen RadioSet { layout: horizontal; width: 1fr; height: 1; }
    ExportScreen #path { width: 1fr; }
    ExportScreen Button { margin-right: 1; min-width: 12; }
    ExportScreen #message { color: $error; height: auto; max-height: 3; }
    """

    def __init__(self, mode_screen: ModeScreen, listings: Sequence[ExportListing]) -> None:
        super().__init__()
        self._mode_screen = mode_screen
        self._choices = [(listing, format) for listing in listings for format in listing.formats]
        """The formats of each listing, in the order shown."""
        self._at = self._remembered()
        self._overwrite: Path | None = None
        self._suggested = ""

    def compose(self) -> ComposeResult:
        style = self._mode_screen.scholar.choice(STYLE_CHOICE) or CitationStyle.MLA
        with Vertical(classes="box"):
            with Horizontal(id="choice"):
                yield OptionList(*self._options(), id="formats", markup=False)
                with VerticalScroll(id="preview", can_focus=False):
                    yield Static("", id="beginning", markup=False)
            with Horizontal(classes="row"):
                yield Label("Citations", markup=False)
                with RadioSet(id="style", compact=True):
                    for name, label in STYLES.items():
                        yield RadioButton(label, value=name == style, id=f"as-{name}")
            with Horizontal(classes="row"):
                yield Label("File", markup=False)
                yield Input(
                    suggester=FolderSuggester(), select_on_focus=False, compact=True, id="path"
                )
            yield Static("", id="message", markup=False)
            with Horizontal(classes="row"):
                yield Button("Save ^S", id="save", variant="primary", compact=True)
                yield Button("Edit ^O", id="edit", compact=True)
                yield Button("Copy ^Y", id="copy", compact=True)

    def on_mount(self) -> None:
        formats = self.query_one("#formats", OptionList)
        formats.highlighted = formats.get_option_index(str(self._at))
        formats.focus()

    def _options(self) -> list[Option]:
        """Return the formats below the headings of their listings."""
        options: list[Option] = []
        for at, (listing, format) in enumerate(self._choices):
            if not at or self._choices[at - 1][0] is not listing:
                options.append(Option(listing.heading, disabled=True))
            label = f"  {format.label[0].upper()}{format.label[1:]}"
            options.append(Option(label, id=str(at)))
        return options

    @on(OptionList.OptionHighlighted, "#formats")
    def _follow(self, event: OptionList.OptionHighlighted) -> None:
        if event.option.id is None:
            return
        self._at = int(event.option.id)
        listing, format = self._choices[self._at]
        self.query_one("#style").disabled = not listing.has_citations(format)
        field = self.query_one("#path", Input)
        path = Path(field.value)
        if field.value == self._suggested or not path.name:
            field.value = self._suggest()
        else:
            field.value = str(path.with_suffix(format.suffix))
        self._show_preview()

    @on(RadioSet.Changed)
    def _show_preview(self) -> None:
        """Show the first entries as they will be written, or as Markdown if the file is binary."""
        listing, format = self._choices[self._at]
        shown = Format.MD if format.is_binary else format
        style = self._style

        def preview(progress: Progress) -> str:
            text = listing.write(shown, style, FIRST_ENTRIES)
            assert isinstance(text, str)
            lines = text.splitlines()
            more = ["", "…"] if listing.entries > FIRST_ENTRIES or len(lines) > FIRST_LINES else []
            return visible("\n".join([*lines[:FIRST_LINES], *more]))

        self._mode_screen.run_in_worker(
            preview,
            lambda text: self._tell("#beginning", text),
            on_error=lambda refusal: self._tell("#beginning", str(refusal)),
            group=PREVIEW,
        )

    @on(OptionList.OptionSelected)
    def _go_to_path(self) -> None:
        self.query_one("#path").focus()

    @on(Input.Submitted)
    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        self._write(lambda path: self.dismiss())

    @on(Button.Pressed, "#edit")
    def action_edit(self) -> None:
        """Save the file and open it in the user's editor; the screen waits until it is closed."""
        command = next((os.environ[name] for name in EDITORS if os.environ.get(name)), "")
        if command:
            self._write(lambda path: self._edit(command, path))
        else:
            self._say("no editor is set; set EDITOR, or save the file")

    def _edit(self, command: str, path: Path) -> None:
        try:
            with self.app.suspend():
                done = subprocess.run([*shlex.split(command), str(path)], check=False)
        except (OSError, ValueError, SuspendNotSupported) as refusal:
            self._say(f"saved, but {command} could not be opened: {refusal or 'not in a browser'}")
            return
        self.dismiss()
        if done.returncode:
            self._mode_screen.show_message(
                f"{command} exited with {done.returncode}", severity="warning"
            )

    @on(Button.Pressed, "#copy")
    def action_copy(self) -> None:
        listing, format = self._choices[self._at]
        style = self._style
        if format.is_binary:
            self._say(f"{format.label} cannot be copied; save the file")
            return

        def copy(text: str | bytes) -> None:
            self._mode_screen.copy(str(text), f"{listing.name} as {format.label}")
            self.dismiss()

        self._run(lambda progress: listing.write(format, style), copy)

    # -- inside ------------------------------------------------------------------------------

    def _write(self, then: Callable[[Path], object]) -> None:
        """Write the file atomically, and over an existing one only when asked twice; then report
        its full path, or show why it could not be written."""
        typed = Path(self.query_one("#path", Input).value.strip()).expanduser()
        path = Path.cwd() / typed
        if path.is_dir() or not typed.name:
            self._say(f"{path} is a folder; name a file in it")
            return
        if path.exists() and self._overwrite != path:
            self._overwrite = path
            self._say(f"{path} exists already; do it again to overwrite it")
            return
        listing, format = self._choices[self._at]
        style = self._style

        def write(progress: Progress) -> None:
            data = encoded(listing.write(format, style))
            try:
                with explain_write_errors(path.parent):
                    atomic.write_bytes(path, data)
            except FileNotFoundError:
                raise ScholarError(
                    f"there is no folder {path.parent}; name an existing one"
                ) from None

        def tell(_: None) -> None:
            self._mode_screen.show_message(f"saved as {path}")
            self._remember(style)
            then(path)

        self._run(write, tell)

    def _run(self, work: Callable[[Progress], T], on_result: Callable[[T], None]) -> None:
        """Do work that lasts, and show an error in the dialog."""
        self._mode_screen.run_in_worker(
            work,
            on_result,
            on_error=lambda refusal: self._say(str(refusal)),
            group=WRITE,
            lasting=True,
        )

    @property
    def _choice_name(self) -> str:
        return f"export.{self._mode_screen.NAME}"

    def _remembered(self) -> int:
        """Return the choice that was made last on this screen; otherwise the same format of
        something else, or the first."""
        heading, _, name = (self._mode_screen.scholar.choice(self._choice_name) or "").rpartition(
            "/"
        )
        same = [at for at, (_, format) in enumerate(self._choices) if format == name]
        exact = (at for at in same if self._choices[at][0].heading == heading)
        return next(chain(exact, same), 0)

    def _remember(self, style: CitationStyle) -> None:
        listing, format = self._choices[self._at]
        self._mode_screen.scholar.set_choice(self._choice_name, f"{listing.heading}/{format}")
        self._mode_screen.scholar.set_choice(STYLE_CHOICE, style)

    @property
    def _style(self) -> CitationStyle:
        return list(STYLES)[max(self.query_one(RadioSet).pressed_index, 0)]

    def _suggest(self) -> str:
        """Return the suggested path: a new file in the current folder, or in the home folder if
        the current one is not writable."""
        listing, format = self._choices[self._at]
        folder = Path.cwd() if os.access(Path.cwd(), os.W_OK) else Path.home()
        stem = _stem(listing.name)
        numbered = (f"{stem}-{number}{format.suffix}" for number in count(2))
        names = chain([f"{stem}{format.suffix}"], numbered)
        path = next(folder / name for name in names if not (folder / name).exists())
        self._suggested = str(path)
        return self._suggested

    def _say(self, line: str) -> None:
        self._tell("#message", one_line(line, 300))

    def _tell(self, selector: str, text: str) -> None:
        if self.is_attached:  # an answer may come after the dialog was closed
            self.query_one(selector, Static).update(text)


def _stem(name: str) -> str:
    """Return a name as the beginning of the name of a file."""
    words = "".join(sign if sign.isalnum() else "-" for sign in one_line(name, 50).lower())
    return "-".join(filter(None, words.split("-"))) or "scholar"
