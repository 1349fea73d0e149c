"""Helpers for the quiz screen: descriptions to draw from, and answering questions."""

from __future__ import annotations

import json
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from scholar_indexes.characters.quiz.history import History
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_tui.screens.quiz import QuizScreen
from scholar_tui.widgets.question_view import KEYS
from screens import LAMP, scholar, screen_text, settled, until

NAMES = (
    "Ann Ashe",
    "Bess Birch",
    "Cora Cole",
    "Dora Dell",
    "Ella Elm",
    "Flora Frost",
    "Grace Gay",
    "Hester Hill",
    "Ida Inch",
    "Jane Jay",
    "Kate Kerr",
    "Lucy Lake",
)


THINGS = (
    "bees",
    "goats",
    "silence",
    "accounts",
    "watch",
    "geese",
    "secrets",
    "roses",
    "bread",
    "maps",
    "owls",
    "debts",
)


def describe(
    home: Path, book_id: str = LAMP, people: int = 12, chapter: int = 1, first: str = NAMES[0]
) -> None:
    """Save descriptions of characters, with the first paragraph of a chapter as evidence."""
    names = [first, *NAMES[1:people]]
    rows = []
    for at_, (name, thing) in enumerate(zip(names, THINGS, strict=False)):
        proof = {"locator": f"{book_id}:{chapter}.1:0-30", "quote": f"so {thing} were kept"}
        other = names[at_ - 1]
        rows.append(
            {
                "name": name,
                "gender": "female",
                "descriptions": [
                    {"level": 1, "text": f"the one who keeps {thing}", "evidence": [proof]},
                    {
                        "level": 2,
                        "text": f"the one who lends {thing} to {{{other}}}",
                        "evidence": [proof],
                    },
                ],
            }
        )
    folder = home / "data" / "descriptions"
    folder.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(json.dumps(row) for row in rows)
    (folder / f"{book_id}.jsonl").write_text(lines, "utf-8")


def screen(pilot: Pilot[None]) -> QuizScreen:
    current = scholar(pilot).mode_screen
    assert isinstance(current, QuizScreen)
    return current


def flowed_text(pilot: Pilot[None]) -> str:
    """Return the text on the screen without its line breaks."""
    return " ".join(screen_text(pilot).split())


def question(pilot: Pilot[None]) -> QuizQuestion:
    return screen(pilot).question


def history(home: Path) -> History:
    return History(home / "data" / "quiz.sqlite", print)


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each after the screen has reacted to the previous one."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def answer(pilot: Pilot[None], *, right: bool) -> QuizQuestion:
    """Answer the current question and return it."""
    current = question(pilot)
    choice = current.answer if right else (current.answer + 1) % len(current.choices)
    await press(pilot, KEYS[choice])
    return current


def fill_in(pilot: Pilot[None], **fields: str) -> None:
    for name, value in fields.items():
        screen(pilot).query_one(f"#{name}", Input).value = value


async def begin(pilot: Pilot[None], n: int = 3, **fields: str) -> None:
    """Start a round about the chosen book."""
    fill_in(pilot, n=str(n), seed="5", **fields)
    await press(pilot, "enter")
    await until(pilot, lambda: "1/" in screen_text(pilot))
