"""scholar-lab bench: measure faceted search of papers on contrast sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.laboratory.commands.bench_reports import print_reports
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None)


@app.command()
def contrast(
    part: Annotated[str, typer.Option(help="dev to choose settings, test to report.")] = "test",
    data: Annotated[
        Path | None, typer.Option(help="Another file of contrast sets, as JSON lines.")
    ] = None,
    list_sets: Annotated[
        bool, typer.Option("--list", help="Print how many pairs of each set are in order.")
    ] = False,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Rank papers similar in one facet against papers of the same topic, as in a user's library."""
    from scholar_cli.laboratory.contrast import contrast_bench as bench_contrast
    from scholar_cli.laboratory.contrast import contrast_data

    file = data or contrast_data.FILE
    sets = [contrast for contrast in contrast_data.read(file) if contrast.part == part]
    library = common.open_library(device=device, threads=threads)
    with common.progress() as progress:
        reports, scored = bench_contrast.run(
            sets,
            bench_contrast.rank_with_library(library.places, library.settings),
            model=library.settings.papers_model,
            data_sha256=contrast_data.sha256(file),
            progress=progress,
        )
    chosen = common.choose_format(format, json)
    if list_sets:
        rows = bench_contrast.set_rows(scored)
        render.print_rows(rows, chosen, list(rows[0]))
        return
    print_reports(reports, chosen)
