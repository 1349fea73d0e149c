"""scholar-lab bench: measure speed and quality."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.laboratory.commands import (
    bench_collections,
    bench_papers,
    bench_people,
    bench_relic,
    bench_speed,
)
from scholar_cli.laboratory.commands.bench_models import (
    load_encoder,
    model_names,
    one_model,
    resolve_model,
)
from scholar_cli.laboratory.commands.bench_reports import print_reports, with_queries
from scholar_indexes.serialize.result_formats import Format

if TYPE_CHECKING:
    from scholar_indexes.library import Library

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def bench(
    per_query: Annotated[
        bool, typer.Option("--per-query", help="Add the scores of every query to JSON of quality.")
    ] = False,
) -> None:
    """Measure speed and quality."""
    with_queries.set(per_query)


app.add_typer(bench_speed.app)
app.add_typer(bench_people.app)
app.add_typer(bench_papers.app)
app.add_typer(bench_relic.app)
app.add_typer(bench_collections.app)


@app.command()
def windows(
    data: Annotated[Path, typer.Option(help="A folder with train.json, val.json and test.json.")],
    split: Annotated[
        str, typer.Option(help="train to choose settings, val or test to report.")
    ] = "train",
    books: Annotated[int, typer.Option(min=1, max=200, help="Number of quoted works.")] = 8,
    queries: Annotated[int, typer.Option(min=1, max=1000, help="Quotations per work.")] = 40,
    seed: Annotated[int, typer.Option(help="Seed for drawing works and quotations.")] = 0,
    systems: Annotated[list[str] | None, typer.Option("--system", help="A system to run.")] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="A model's name or folder; may be repeated.")
    ] = None,
    threads: common.ThreadsOption = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Compare ways to store and score windows on missing quotations of works."""
    from scholar_cli.laboratory.relic import window_bench as bench_windows
    from scholar_indexes.paths import user_paths

    with common.progress() as progress:
        reports = bench_windows.run(
            data,
            split=split,
            books=books,
            queries=queries,
            seed=seed,
            systems=systems or (),
            models=[resolve_model(model) for model in model_names(models)],
            pulled=user_paths().models,
            threads=threads,
            say=common.say,
            progress=progress,
        )
    print_reports(reports, common.choose_format(format, json))


@app.command()
def csfcube(
    data: Annotated[
        Path,
        typer.Option(help="A folder with papers.jsonl (or .jsonl.xz) and annotations.jsonl."),
    ],
    run: Annotated[
        Path | None, typer.Option(help="Write the first system's rankings here, as JSON lines.")
    ] = None,
    systems: Annotated[
        list[str] | None, typer.Option("--system", help="A system, such as bm25; may be repeated.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="A model's name or folder; may be repeated.")
    ] = None,
    predicted: Annotated[
        bool, typer.Option("--predicted", help="Use predicted facet labels instead of the data's.")
    ] = False,
    by_sentences: Annotated[
        bool,
        typer.Option("--by-sentences", help="Query with the facet's sentences, without its label."),
    ] = False,
    whole: Annotated[
        bool, typer.Option("--whole", help="Rank the whole collection, not only the judged papers.")
    ] = False,
    folds: Annotated[
        Path | None, typer.Option(help="A JSON file of folds to report too, with their mean.")
    ] = None,
    paired_with: Annotated[str, typer.Option(help="Compare with this system, such as bm25.")] = "",
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Rank papers by similarity to a paper in one facet, as in CSFCube.

    To score a sentence-transformers model of your own, use --model FOLDER. Rankings of another
    program cannot be scored (only bench pdnc scores predictions).
    """
    from scholar_cli.laboratory.csfcube import csfcube_bench as bench_csfcube
    from scholar_cli.laboratory.csfcube import csfcube_systems
    from scholar_indexes.models import registry

    library = common.open_library(device=device, threads=threads)
    named = models or [library.settings.papers_model]
    encoder = partial(load_encoder, device, threads)
    label = None
    if predicted:
        facet_model = registry.find(library.papers.models.facets_name, library.places.models)
        label = bench_csfcube.predicted_labeller(encoder(named[0]), facet_model)
    with common.progress() as progress:
        reports = bench_csfcube.run_benchmark(
            data,
            systems=systems or csfcube_systems.SYSTEMS,
            models=named,
            load=encoder,
            label=label,
            by_sentences=by_sentences,
            whole=whole,
            folds=folds,
            paired_with=paired_with,
            out=run,
            say=common.say,
            progress=progress,
        )
    chosen = common.choose_format(format, json)
    brief = chosen in (Format.TABLE, Format.PLAIN, Format.MD)
    print_reports(
        reports, chosen, [bench_csfcube.table_row(report) for report in reports] if brief else None
    )


@app.command()
def pool(
    data: Annotated[
        Path, typer.Option(help="A folder with queries.jsonl, corpus.jsonl and qrels.jsonl.")
    ],
    run: Annotated[Path, typer.Option(help="The file to write the rankings to, as JSON lines.")],
    system: Annotated[str, typer.Option(help="hybrid, dense, bm25 or random.")] = "hybrid",
    model: common.ModelOption = None,
    rerank: Annotated[
        str, typer.Option(metavar="MODEL", help="The reranker: a model, llm, or none.")
    ] = "none",
    llm: Annotated[
        str | None, typer.Option(help="For --rerank llm: a folder, or a server's model name.")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server, such as http://localhost:8080.")
    ] = None,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Rank each query's own pool of passages, and measure the rankings of judged queries."""
    from scholar_cli.laboratory.relic import pool_bench as bench_pool

    library = common.open_library(
        rerank=rerank, device=device, threads=threads, llm=llm, llm_server=server
    )
    with common.progress() as progress:
        report = bench_pool.run(
            data,
            run,
            system=system,
            model=model_names([model] if model else None)[0],
            load=partial(load_encoder, device, threads),
            reranker=library.search.rerankers.get(),
            progress=progress,
        )
    common.say(f"the rankings are in {run}")
    print_reports([report], common.choose_format(format, json))


@app.command()
def claims(
    texts: Annotated[
        Path | None, typer.Option(help="A folder with primary/<number>.txt; default: the library.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="A file of judged claims, as JSON lines; default: the graded claims."),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(help="train or dev (default) of the graded claims, or a part of --data."),
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="A model's name or folder; may be repeated.")
    ] = None,
    rerank: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The second stage: a model, or none.")
    ] = None,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Search whole works for short claims, and measure the judged results.

    The library is searched as by `scholar find`; with --texts the works are indexed for each model,
    without their people.
    """
    from scholar_cli.laboratory.claims import claims_bench as bench_claims
    from scholar_cli.laboratory.claims import judged
    from scholar_indexes.errors import UsageError

    asked = judged.choose(data, part)
    with common.progress() as progress:
        if texts is None:
            library = common.open_library(
                model=one_model(models), rerank=rerank, device=device, threads=threads
            )
            reports = bench_claims.run_library(asked, library, say=common.say, progress=progress)
            print_reports(reports, common.choose_format(format, json))
            return
        if rerank is not None:
            raise UsageError("--rerank is for the library; leave out --texts")
        reports = bench_claims.run(
            asked,
            texts,
            models=model_names(models),
            load=partial(load_encoder, device, threads),
            say=common.say,
            progress=progress,
        )
    print_reports(reports, common.choose_format(format, json))


@app.command()
def feedback(
    data: Annotated[
        Path | None,
        typer.Option(help="A file of judged claims, as JSON lines; default: the graded claims."),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(help="train or dev (default) of the graded claims, or a part of --data."),
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Mark the first good passages for judged claims, and measure how the others move."""
    from scholar_cli.laboratory.claims import feedback_bench as bench_feedback
    from scholar_cli.laboratory.claims import judged

    asked = judged.choose(data, part)
    library = common.open_library()
    with common.progress() as progress:
        reports = bench_feedback.run(asked, library, say=common.say, progress=progress)
    print_reports(reports, common.choose_format(format, json))


@app.command()
def remembered(
    count: Annotated[int, typer.Option("-n", min=3, max=10_000, help="Number of fragments.")] = 120,
    books: Annotated[int, typer.Option(min=1, help="Number of books to draw from.")] = 30,
    seed: Annotated[int, typer.Option(help="Seed for drawing fragments.")] = 7,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find half-remembered words of books in the library, searching all of them."""
    from scholar_cli.laboratory.quotations import remembered_bench as bench_remembered

    library = common.open_library()
    with common.progress() as progress:
        fragments = bench_remembered.draw_fragments(library, count, books, seed)
        reports = bench_remembered.run(library, fragments, progress)
    print_reports(reports, common.choose_format(format, json))


@app.command()
def locate(
    count: Annotated[
        int, typer.Option("-n", min=10, max=100_000, help="Number of quotations.")
    ] = 1000,
    books: Annotated[int, typer.Option(min=1, help="Number of books to draw from.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed for drawing quotations.")] = 7,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Locate quotations that were cut from books of the library and damaged in ten ways."""
    from scholar_cli.laboratory.quotations import locate_bench as bench_locate

    library = common.open_library()
    with common.progress() as progress:
        cut = bench_locate.draw(library, count, books, seed)
        reports = bench_locate.run(library, cut, progress)
    print_reports(reports, common.choose_format(format, json))


@app.command()
def gandalf(
    data: Annotated[
        Path | None, typer.Option(help="A folder with questions.jsonl and <book>.txt.")
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option("--system", help="solver, tfidf or lm-book; may be repeated."),
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="Write the answers of the first system to this file.")
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The language model: a folder, or a server's model name.")
    ] = None,
    server: Annotated[str | None, typer.Option(help="An OpenAI-compatible server.")] = None,
    api_key: Annotated[
        str | None, typer.Option(envvar="SCHOLAR_API_KEY", help="The API key of that server.")
    ] = None,
    make: Annotated[
        Path | None, typer.Option(help="Write questions from the description banks here instead.")
    ] = None,
    books: common.BooksOption = None,
    texts: Annotated[
        Path | None, typer.Option(help="Texts for --make: a folder of <number>.txt.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", "--n", min=1, max=100_000, help="Questions per book.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing questions and names.")] = 0,
    rep: Annotated[
        bool, typer.Option("--rep", help="Also write the questions with other names.")
    ] = False,
    probes: Annotated[
        list[str] | None,
        typer.Option("--probe", help="Also a variant: shuffled, switched, negated or swedish."),
    ] = None,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Answer ten-way questions about characters, as in GANDALF, or write such questions."""
    from scholar_cli.laboratory.gandalf import gandalf_bench as bench_gandalf
    from scholar_cli.laboratory.gandalf import gandalf_data, gandalf_systems
    from scholar_indexes.attribution import pipeline
    from scholar_indexes.errors import UsageError
    from scholar_indexes.llm import backends
    from scholar_indexes.models import registry

    if (data is None) == (make is None):
        raise UsageError("name a folder of questions to answer (--data) or to write (--make)")
    library = common.open_library(device=device)
    chosen = common.choose_format(format, json)
    if make is not None:
        variants = [*([gandalf_data.REP] if rep else []), *(probes or ())]
        rows = _generate_questions(library, books or (), texts, make, seed, n, variants)
        render.print_rows(rows, chosen, ("folder", "questions"))
        return
    assert data is not None
    systems_of = gandalf_systems.load_systems(
        systems or gandalf_systems.SYSTEMS,
        lambda: load_encoder(device, threads, model_names([model] if model else None)[0]),
        lambda: registry.find(pipeline.DEFAULT_MODEL, library.places.models),
        lambda: backends.choose_backend(
            llm, server, api_key=api_key, device=library.settings.device
        ),
    )
    with common.progress() as progress:
        reports = bench_gandalf.run(data, systems_of, out=run, progress=progress)
    if run is not None:
        common.say(f"the answers of {next(iter(systems_of))} are in {run}")
    brief = chosen in (Format.TABLE, Format.PLAIN, Format.MD)
    print_reports(reports, chosen, bench_gandalf.rows(reports) if brief else None)


def _generate_questions(
    library: Library,
    books: Sequence[str],
    texts: Path | None,
    out: Path,
    seed: int,
    n: int | None,
    variants: Sequence[str],
) -> list[dict[str, str | int]]:
    """Write questions from the description banks; return the number in each folder as rows."""
    from scholar_cli.laboratory.gandalf import gandalf_data

    banks = library.quiz.banks(books)
    book_texts = gandalf_data.find_texts(
        banks, texts, lambda book: library.books.get_open(book).text
    )
    counts = gandalf_data.generate(
        gandalf_data.select_with_texts(banks, book_texts, named=bool(books), tell=common.say),
        book_texts,
        out,
        seed=seed,
        n=n,
        variants=variants,
        named=bool(books),
        tell=common.say,
    )
    return [{"folder": str(folder), "questions": count} for folder, count in counts.items()]
