"""The dialog that exports what a screen shows."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

import docx
import pytest
from lxml import etree
from textual.widgets import OptionList

import screens
from scholar_indexes.paths import user_paths
from scholar_indexes.serialize.result_formats import PASSAGES, REFERENCES, formats
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation
from scholar_tui.screens.export import ExportScreen
from screens import at, close_boxes, notifications, scholar, screen_text, settled, until


async def export(pilot: screens.Pilot[None], path: Path, *more: str) -> None:
    if not isinstance(pilot.app.screen, ExportScreen):
        await pilot.press("ctrl+e")
        await settled(pilot)
    assert isinstance(pilot.app.screen, ExportScreen)
    pilot.app.screen.query_one("#path", screens.Input).value = str(path)
    await pilot.press(*more)
    await settled(pilot)


@pytest.mark.slow
async def test_an_export_into_a_missing_folder_is_reported_and_can_be_corrected(
    two_books: Path, tmp_path: Path
) -> None:
    async with at() as pilot:
        await export(pilot, tmp_path / "none" / "shelf.md", "ctrl+s")
        assert "there is no folder" in " ".join(screen_text(pilot).split())
        pilot.app.screen.query_one("#path", screens.Input).value = str(tmp_path / "shelf.md")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert (tmp_path / "shelf.md").exists()


def path_box(pilot: screens.Pilot[None]) -> screens.Input:
    return pilot.app.screen.query_one("#path", screens.Input)


def preview(pilot: screens.Pilot[None]) -> str:
    return str(pilot.app.screen.query_one("#beginning").render())


async def choose(pilot: screens.Pilot[None], label: str, below: int = 0) -> None:
    """Move to a format in the list of the dialog, or to a line below it."""
    formats = pilot.app.screen.query_one("#formats", OptionList)
    formats.focus()
    labels = [str(option.prompt).strip() for option in formats.options]
    formats.highlighted = labels.index(label) + below
    await settled(pilot)


async def test_exporting_nothing_is_refused(home: Path) -> None:
    async with at("find") as pilot:
        await pilot.press("escape", "ctrl+e")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, ExportScreen)
        assert "nothing to export" in notifications(pilot)[-1]


async def test_the_list_is_exported_to_an_offered_path_and_format(
    two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\ncp "$2" {tmp_path}/edited\n', "utf-8")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{editor} --wait")
    async with at(size=screens.SMALL) as pilot:
        # The chosen format sets the extension, even of an empty path.
        await pilot.press("ctrl+e")
        await settled(pilot)
        await choose(pilot, "JSON")
        assert path_box(pilot).value == str(tmp_path / "shelf.json")
        path_box(pilot).value = "notes.v2.json"
        await choose(pilot, "BibTeX")
        assert path_box(pilot).value == "notes.v2.bib"
        path_box(pilot).value = ""
        await choose(pilot, "Markdown")
        assert path_box(pilot).value == str(tmp_path / "shelf.md")
        await close_boxes(pilot)

        # A partly typed folder is completed.
        await pilot.press("ctrl+e", "enter")
        await settled(pilot)
        await export(pilot, tmp_path / "no", "end")
        await until(pilot, lambda: path_box(pilot)._suggestion == f"{tmp_path}/notes/")
        await pilot.press("right")
        assert path_box(pilot).value == f"{tmp_path}/notes/"
        await close_boxes(pilot)

        # An export opens in the user's editor.
        await export(pilot, tmp_path / "shelf.md", "ctrl+o")
        # A test has no terminal for the editor; the file exists anyway.
        assert (tmp_path / "edited").exists() or "could not be opened" in screen_text(pilot)
        assert (tmp_path / "shelf.md").exists()
        await close_boxes(pilot)

        # An export offers an unused path and reports where it was saved.
        (tmp_path / "shelf.md").write_text("mine", "utf-8")
        await pilot.press("ctrl+e")
        await settled(pilot)
        assert path_box(pilot).value == str(tmp_path / "shelf-2.md")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert notifications(pilot)[-1] == f"saved as {tmp_path / 'shelf-2.md'}"
        assert (tmp_path / "shelf.md").read_text("utf-8") == "mine"

        # A list is exported completely and replaces a file only after confirmation.
        path = tmp_path / "shelf.md"
        await export(pilot, path, "ctrl+s")
        assert path.read_text("utf-8") == "mine"
        assert "exists already" in screen_text(pilot)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert re.match(r"# Books\n\n2 books, \d{4}-\d\d-\d\d\.\n\n\| Title", path.read_text())
        assert [path.name for path in tmp_path.glob(".*.part")] == []

        # The message gives a relative path in full.
        await export(pilot, Path("mine.md"), "ctrl+s")
        assert notifications(pilot)[-1] == f"saved as {tmp_path / 'mine.md'}"

        # An export to a full disk is reported.
        def refuse(path: Path, data: bytes) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

        monkeypatch.setattr("scholar_indexes.storage.atomic.write_bytes", refuse)
        await export(pilot, two_books / "shelf.md", "ctrl+s")
        assert "full" in screen_text(pilot)
        assert not (two_books / "shelf.md").exists()


async def test_the_dialog_shows_the_beginning_of_a_file_and_remembers_the_last_choice(
    described_quay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved = [
        SavedQuotation(f"{screens.QUAY}:1.{n}", "", screens.QUAY, "", "", "", note=f"note {n}")
        for n in (1, 2)
    ]
    for quotation in saved:
        Bookmarks(user_paths().bookmarks).save(quotation)
    async with at("find", size=screens.SMALL) as pilot:
        await pilot.press("escape", "E", "ctrl+e")
        await settled(pilot)

        # Every format of the table for passages and for books is offered, and the beginning of
        # the file is shown, for Word as Markdown.
        offered = {option.prompt for option in pilot.app.screen.query_one(OptionList).options}
        for format in formats(PASSAGES, REFERENCES):
            label = f"  {format.label[0].upper()}{format.label[1:]}"
            assert label in offered
            await choose(pilot, label.strip())
            assert len(preview(pilot)) > 20, format
        await choose(pilot, "Word")
        assert "note 1" in preview(pilot)
        assert "Works Cited" in preview(pilot)

        # The citation style is chosen with the keyboard; formats without citations have none.
        await pilot.press("tab", "right", "right", "enter")
        await settled(pilot)
        assert "References" in preview(pilot)
        await pilot.press("shift+tab", "ctrl+s")
        await settled(pilot)
        assert notifications(pilot)[-1] == f"saved as {tmp_path / 'kept.docx'}"
        assert docx.Document(str(tmp_path / "kept.docx")).paragraphs[0].text == "kept"
        await pilot.press("ctrl+e")
        await settled(pilot)
        assert path_box(pilot).value == str(tmp_path / "kept-2.docx")
        assert "References" in preview(pilot)
        await choose(pilot, "RIS")
        assert pilot.app.screen.query_one("#style").disabled
        assert preview(pilot).startswith("TY  - BOOK")
        await close_boxes(pilot)

        # Another screen begins with Markdown; who speaks with whom is a graph and a picture.
        await pilot.press("f5")
        await settled(pilot)
        await pilot.press("ctrl+e")
        await settled(pilot)
        assert path_box(pilot).value.endswith("characters.md")
        for label, root in (("GraphML", "graphml"), ("SVG", "svg")):
            await choose(pilot, label)
            written = tmp_path / f"quay.{root}"
            await export(pilot, written, "ctrl+s")
            assert etree.parse(written).getroot().tag.endswith(f"}}{root}")
            await pilot.press("ctrl+e")
            await settled(pilot)
        await choose(pilot, "Who is together", below=2)
        assert "Who is together in" in preview(pilot)


async def test_from_a_box_the_list_is_exported_by_the_palette(described_quay: Path) -> None:
    async with at("reader", screens.QUAY) as pilot:
        for name in ("reader", "characters", "library"):
            await scholar(pilot).navigate(name)
            await settled(pilot)
            await pilot.press("slash", "a")
            await settled(pilot)
            assert isinstance(pilot.app.focused, screens.Input), name
            await pilot.press("ctrl+p", *"export")
            await until(pilot, lambda: "Save or edit what is listed" in screen_text(pilot))
            await settled(pilot)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, ExportScreen))
