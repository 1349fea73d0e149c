"""Exporting the list of a screen to a file, an editor or the clipboard."""

from __future__ import annotations

import os
import shlex
import subprocess
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.suggester import Suggester
from textual.widgets import Button, Input, Label, RadioSet, Static

from scholar_indexes.books.adding import source_parser
from scholar_indexes.errors import ScholarError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.serialize.listings import ExportListing
from scholar_indexes.serialize.result_formats import Format
from scholar_indexes.storage import atomic
from scholar_tui.screens.dialog import Dialog
from scholar_tui.widgets.toggles import RadioButton

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp

EDITORS = ("VISUAL", "EDITOR")


class FolderSuggester(Suggester):
    """Suggestions that complete a folder."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        import asyncio

        paths = await asyncio.to_thread(source_parser.completions, value)
        return next((path for path in paths if path.startswith(value) and path[-1] == "/"), None)


class ExportScreen(Dialog[None]):
    """The dialog that exports what is listed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", tooltip="Export nothing"),
        Binding("ctrl+s", "save", "Save", tooltip="Write the file"),
        Binding("ctrl+o", "edit", "Edit", tooltip="Open it in $VISUAL or $EDITOR"),
        Binding("ctrl+y", "copy", "Copy", tooltip="Copy it to the clipboard"),
    ]
    DEFAULT_CSS = """
    ExportScreen RadioSet { layout: horizontal; width: 100%; height: 3; }
    ExportScreen Horizontal { height: auto; margin-top: 1; }
    ExportScreen Button { margin-right: 1; min-width: 12; }
    ExportScreen #message { color: $error; height: auto; }
    """

    def __init__(self, listing: ExportListing) -> None:
        super().__init__()
        self._listing = listing
        self._texts = listing.formats
        self._overwrite: Path | None = None
        self._suggested = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label(f"Export {one_line(self._listing.name, 50)}", markup=False)
            with RadioSet(id="format"):
                for at, format in enumerate(self._texts):
                    yield RadioButton(format.label, value=not at, id=f"as-{format}")
            yield Label("Write it to (right completes a folder)", classes="hint", markup=False)
            yield Input(
                self._suggest(next(iter(self._texts))),
                suggester=FolderSuggester(),
                select_on_focus=False,
                id="path",
            )
            yield Static("", id="message", markup=False)
            with Horizontal():
                yield Button("Save ^S", id="save", variant="primary")
                yield Button("Edit ^O", id="edit")
                yield Button("Copy ^Y", id="copy")

    def on_mount(self) -> None:
        self.query_one("#path", Input).focus()

    @on(RadioSet.Changed)
    def _follow(self, chosen: RadioSet.Changed) -> None:
        field = self.query_one("#path", Input)
        path = Path(field.value)
        if field.value == self._suggested or not path.name:
            field.value = self._suggest(self._format)
        else:
            field.value = str(path.with_suffix(self._format.suffix))

    @on(Input.Submitted)
    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        if path := self._saved():
            self._app.show_message(f"saved as {path}")
            self.dismiss()

    @on(Button.Pressed, "#edit")
    def action_edit(self) -> None:
        """Save the file and open it in the user's editor; the screen waits until it is closed."""
        command = next((os.environ[name] for name in EDITORS if os.environ.get(name)), "")
        if not command:
            self._say("no editor is set; set EDITOR, or save the file")
            return
        if (path := self._saved()) is None:
            return
        try:
            with self.app.suspend():
                done = subprocess.run([*shlex.split(command), str(path)], check=False)
        except (OSError, ValueError, SuspendNotSupported) as refusal:
            self._say(f"saved, but {command} could not be opened: {refusal or 'not in a browser'}")
            return
        self._app.show_message(f"saved as {path}")
        self.dismiss()
        if done.returncode:
            self._app.show_message(f"{command} exited with {done.returncode}", severity="warning")

    @on(Button.Pressed, "#copy")
    def action_copy(self) -> None:
        self._app.copy(self._text, one_line(self._listing.name, 50))
        self.dismiss()

    # -- inside ------------------------------------------------------------------------------

    def _saved(self) -> Path | None:
        """Write the file atomically, and over an existing one only when asked twice; return its
        full path, or show why it could not be written and return None."""
        typed = Path(self.query_one("#path", Input).value.strip()).expanduser()
        path = Path.cwd() / typed
        if path.is_dir() or not typed.name:
            self._say(f"{path} is a folder; name a file in it")
            return None
        if path.exists() and self._overwrite != path:
            self._overwrite = path
            self._say(f"{path} exists already; do it again to overwrite it")
            return None
        try:
            with explain_write_errors(path.parent):
                atomic.write_text(path, self._text)
        except FileNotFoundError:
            self._say(f"there is no folder {path.parent}; name an existing one")
        except ScholarError as refusal:
            self._say(str(refusal))
        else:
            return path
        return None

    @property
    def _app(self) -> ScholarApp:
        return cast("ScholarApp", self.app)

    @property
    def _format(self) -> Format:
        chosen = max(self.query_one(RadioSet).pressed_index, 0)
        return list(self._texts)[chosen]

    @property
    def _text(self) -> str:
        return safe(self._texts[self._format])

    def _suggest(self, format: Format) -> str:
        """Return the suggested path: a new file in the current folder, or in the home folder if
        the current one is not writable."""
        folder = Path.cwd() if os.access(Path.cwd(), os.W_OK) else Path.home()
        stem = self._stem
        numbered = (f"{stem}-{number}{format.suffix}" for number in count(2))
        names = chain([f"{stem}{format.suffix}"], numbered)
        path = next(folder / name for name in names if not (folder / name).exists())
        self._suggested = str(path)
        return self._suggested

    @property
    def _stem(self) -> str:
        words = "".join(
            sign if sign.isalnum() else "-" for sign in one_line(self._listing.name, 50).lower()
        )
        return "-".join(filter(None, words.split("-"))) or "scholar"

    def _say(self, line: str) -> None:
        self.query_one("#message", Static).update(one_line(line, 300))
