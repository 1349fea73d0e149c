"""scholar bench: measure what scholar promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure speed and quality."""


@app.command()
def speed(
    books: Annotated[int, typer.Option(min=3, max=1000, help="How many books to add.")] = 20,
    runs: Annotated[int, typer.Option(min=1, max=50, help="Runs of each short command.")] = 5,
    texts: Annotated[Path | None, typer.Option(help="A folder of *.txt to add as books.")] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Time start-up, a cold question and adding books, as ratios within one run."""
    from scholar_cli.bench import speed as bench_speed

    figures = []
    for each in bench_speed.run(books, runs, texts):
        common.say(f"{each.what}: {each.measured:.2f} {each.unit}")
        figures.append(
            {
                "what": each.what, "measured": round(each.measured, 3), "unit": each.unit,
                "wanted": each.wanted,
                "kept": None if each.kept is None else ("yes" if each.kept else "NO"),
            }
        )  # fmt: skip
    render.rows(
        figures, common.chosen_format(format, json), ("what", "measured", "unit", "wanted", "kept")
    )
