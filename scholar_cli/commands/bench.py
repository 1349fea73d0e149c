"""scholar bench: measure what scholar promises."""

from __future__ import annotations

from dataclasses import asdict
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


@app.command()
def windows(
    data: Annotated[
        Path, typer.Option(help="A folder of primary works, criticism and catalog.csv.")
    ],
    split: Annotated[str, typer.Option(help="train to choose by, held to report.")] = "train",
    books: Annotated[int, typer.Option(min=1, max=200, help="How many quoted novels.")] = 8,
    queries: Annotated[int, typer.Option(min=1, max=1000, help="Quotations of each.")] = 40,
    seed: Annotated[int, typer.Option(help="Which quotations are drawn.")] = 0,
    systems: Annotated[list[str] | None, typer.Option("--system", help="Only these.")] = None,
    threads: Annotated[int, typer.Option(min=0, help="0 for one per core.")] = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Compare ways to store and score windows, on quotations found in criticism."""
    from scholar_cli.bench import windows as bench_windows

    with common.progress() as progress:
        reports = bench_windows.run(
            data, split=split, books=books, queries=queries, seed=seed, systems=systems or (),
            threads=threads, say=common.say, progress=progress,
        )  # fmt: skip
    rows = [each.row() for each in reports]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    records = [asdict(each) for each in reports]
    chosen = common.chosen_format(format, json)
    render.rows(records if chosen in (Format.JSON, Format.JSONL) else rows, chosen, columns)
