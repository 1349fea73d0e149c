"""Helpers for the papers screen: its list, its abstract, and the box that adds papers."""

from __future__ import annotations

from pathlib import Path

from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, Static

from scholar_tui.screens.papers import PapersScreen
from screens import scholar, settled

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"


BIBTEX = """
@article{lamp2020, title = {Lamps That Count M{\\"u}cken [bold]}, year = 2020, doi = {10.5555/lamp},
  author = {Ann Example and Ben M{\\"u}ller}, journal = {Annals of Moths},
  abstract = {Moths are counted by hand. We count moths with a lamp that weighs them.
    The lamp is right for nine moths in ten.}}
@article{broken2021, title = {No end to this
@article{moth2021, title = {Moths of the Fens}, year = 2021, doi = {10.5555/fens},
  abstract = {We walked the fens for a year. Forty kinds of moths were seen.}}
"""


def screen(pilot: Pilot[None]) -> PapersScreen:
    current = scholar(pilot).mode_screen
    assert isinstance(current, PapersScreen)
    return current


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each after the screen has reacted to the previous one."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def paste(pilot: Pilot[None], text: str) -> None:
    """Paste a text into the focused box, at its cursor."""
    pilot.app.post_message(Paste(text))
    await settled(pilot)


def listed_ids(pilot: Pilot[None]) -> list[str]:
    """Return the ids of the papers in the list."""
    return [row.stored.paper.id for row in screen(pilot).rows.rows]


def shown_id(pilot: Pilot[None]) -> str:
    """Return the id of the paper with the visible abstract."""
    paper = screen(pilot).abstract.paper
    return paper.id if paper else ""


def box_message(pilot: Pilot[None]) -> str:
    """Return the message in the box that adds papers."""
    return str(pilot.app.screen.query_one("#line", Static).content)


async def add(pilot: Pilot[None], source: str) -> None:
    """Add a source through the box, which stays open."""
    await press(pilot, "a")
    pilot.app.screen.query_one("#source", Input).value = source
    await press(pilot, "enter")


def write_file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)
