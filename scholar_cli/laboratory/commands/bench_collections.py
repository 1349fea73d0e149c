"""scholar-lab bench: describe collections, or have people describe one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.laboratory.commands.bench_reports import print_reports
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None)


@app.command()
def statistics(
    folder: Annotated[
        Path, typer.Argument(help="A folder in the form of RELiC, CSFCube or GANDALF.")
    ],
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Describe a collection by the statistics that its paper prints: sizes, lengths, sources."""
    from scholar_cli.laboratory import collection_statistics

    reports = collection_statistics.describe(folder)
    print_reports(reports, common.choose_format(format, json), collection_statistics.rows(reports))


@app.command()
def kinds(
    data: Annotated[
        Path | None, typer.Option(help="A folder with train.json, val.json and test.json.")
    ] = None,
    split: Annotated[str, typer.Option(help="train, val or test.")] = "val",
    work: Annotated[str, typer.Option(help="Only works with these words in their title.")] = "",
    form: Annotated[Path | None, typer.Option(help="The form to write: CSV.")] = None,
    items: Annotated[int, typer.Option(min=1, max=10_000, help="Items in the form.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed for drawing items.")] = 0,
    answers: Annotated[
        list[Path] | None,
        typer.Option(help="Score a filled-in form instead; may be repeated, once per person."),
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Write a form in which people name the kinds of quotations, as in RELiC, or score it.

    The kinds are claim, paraphrase and other: the quotation is evidence for a claim, or supports a
    paraphrase of the plot, or neither.
    """
    from scholar_cli.laboratory.relic import quotation_kinds

    chosen = common.choose_format(format, json)
    if answers and data is None and form is None:
        print_reports(quotation_kinds.score(answers), chosen)
        return
    if answers or data is None or form is None:
        raise UsageError("name quotations and a form to write (--data, --form), or only --answers")
    count = len(quotation_kinds.write(form, data, split=split, work=work, count=items, seed=seed))
    row = {"form": str(form), "items": count}
    render.print_rows([row], chosen, tuple(row))
