"""scholar-lab bench relic: find missing quotations, or have people find them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.laboratory.commands.bench_models import load_encoder, load_reranker, model_names
from scholar_cli.laboratory.commands.bench_reports import print_reports
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None)


@app.command()
def relic(
    data: Annotated[
        Path | None, typer.Option(help="A folder with train.json, val.json and test.json.")
    ] = None,
    split: Annotated[str, typer.Option(help="train, val or test.")] = "val",
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            help="random, bm25, rank_bm25, words, words-tfidf, "
            "dense, late, hybrid or cross; may be repeated.",
        ),
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="A model's name or folder; may be repeated.")
    ] = None,
    contexts: Annotated[
        list[str] | None, typer.Option("--context", help="Sentences before/after, such as 4/4.")
    ] = None,
    work: Annotated[str, typer.Option(help="Only works with these words in their title.")] = "",
    rerank: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The cross-encoder of the system cross.")
    ] = None,
    by_length: Annotated[
        bool, typer.Option("--by-length", help="Report each length of quotation too.")
    ] = False,
    paired_with: Annotated[
        str, typer.Option(help="Compare the others with this system, such as bm25.")
    ] = "",
    sheet: Annotated[
        Path | None,
        typer.Option(help="Write a form for people here instead: CSV, its key next to it."),
    ] = None,
    items: Annotated[int, typer.Option(min=1, max=10_000, help="Items in the form.")] = 200,
    rivals: Annotated[
        str, typer.Option(help="The system whose best other passages are the wrong answers.")
    ] = "bm25",
    beyond: Annotated[
        int, typer.Option(min=0, help="Only quotations that the --rivals system ranks below this.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed for drawing and ordering items.")] = 0,
    sheet_answers: Annotated[
        list[Path] | None,
        typer.Option(help="Score a filled-in form instead; may be repeated, once per person."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="The key of these forms, if it is not next to the first.")
    ] = None,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find missing quotations among all passages of their work, as in RELiC.

    With --sheet, people find them: each item of the form has three candidates for a quotation. To
    score a sentence-transformers model of your own, use --model FOLDER. Rankings of another program
    cannot be scored (only bench pdnc scores predictions).
    """
    from scholar_cli.laboratory.relic import relic_bench as bench_relic
    from scholar_cli.laboratory.relic import relic_systems, sheet_scores
    from scholar_cli.laboratory.relic.outcomes import table_row

    _check_options(
        writes_form=sheet is not None,
        scores_forms=bool(sheet_answers),
        compares=any((systems, contexts, by_length, paired_with)),
        draws=bool(beyond or rivals != "bm25"),
        has_key=key is not None,
    )
    if sheet_answers:
        reports = sheet_scores.score(sheet_answers, key)
        print_reports(reports, common.choose_format(format, json))
        return
    if data is None:
        raise UsageError("name quotations to find (--data) or forms to score (--sheet-answers)")
    load = partial(load_encoder, device, threads)
    rerank_with = partial(load_reranker, device, threads, rerank)
    if sheet is not None:
        row = _write_sheet(
            sheet,
            data,
            split=split,
            system=rivals,
            models=model_names(models),
            load=load,
            load_reranker=rerank_with,
            work=work,
            count=items,
            beyond=beyond,
            seed=seed,
        )
        render.print_rows([row], common.choose_format(format, json), tuple(row))
        return
    with common.progress() as progress:
        reports = bench_relic.run(
            data,
            split=split,
            systems=systems or relic_systems.MAIN,
            models=model_names(models),
            load=load,
            load_reranker=rerank_with,
            work=work,
            contexts=[bench_relic.parse_context(context) for context in contexts or ()]
            or bench_relic.CONTEXTS,
            by_length=by_length,
            paired_with=paired_with,
            progress=progress,
        )
    chosen = common.choose_format(format, json)
    brief = chosen in (Format.TABLE, Format.PLAIN, Format.MD)
    print_reports(reports, chosen, [table_row(report) for report in reports] if brief else None)


def _check_options(
    *, writes_form: bool, scores_forms: bool, compares: bool, draws: bool, has_key: bool
) -> None:
    """Raise UsageError for options of one task with another: to write a form, to score forms, or
    to compare systems."""
    conflicts = (
        (
            writes_form and scores_forms,
            "--sheet writes a form and --sheet-answers scores forms; give only one",
        ),
        (
            writes_form and compares,
            "a form takes its wrong answers from --rivals, with all of the context; leave out "
            "--system, --context, --by-length and --paired-with",
        ),
        (
            draws and not writes_form,
            "--rivals and --beyond are for a form; name its file with --sheet",
        ),
        (
            has_key and not scores_forms,
            "--key is for filled-in forms; name them with --sheet-answers",
        ),
    )
    for is_conflict, message in conflicts:
        if is_conflict:
            raise UsageError(message)


def _write_sheet(sheet: Path, data: Path, **options: Any) -> dict[str, str | int]:
    """Write a form and its key; return the row with their paths."""
    from scholar_cli.laboratory.relic import sheets

    sheets.check_new(sheet, sheets.key_path(sheet))  # before the ranking, which may take minutes
    with common.progress() as progress:
        drawn, key = sheets.draw_items(data, progress=progress, **options)
    sheets.write(sheet, drawn, key)
    return {"form": str(sheet), "key": str(sheets.key_path(sheet)), "items": len(drawn)}
