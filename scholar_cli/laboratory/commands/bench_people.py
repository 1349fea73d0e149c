"""scholar-lab bench: measure the attribution of speech and the resolution of people in novels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.book_command import BookCommand
from scholar_cli.laboratory.commands.bench_reports import print_reports
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.result_formats import Format

if TYPE_CHECKING:
    from scholar_cli.laboratory.report import Report

app = typer.Typer(rich_markup_mode=None)


@app.command()
def pdnc(
    data: Annotated[Path, typer.Option(help="A folder of novels in PDNC's format.")],
    systems: Annotated[
        list[str] | None, typer.Option("--system", help="trained, sieve, nearest or llm.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The speaker model of trained: a name or folder.")
    ] = None,
    splits: Annotated[
        Path | None,
        typer.Option(help="Folds as in PDNC's splits.json: MODEL/folds/<n> answers fold n."),
    ] = None,
    novels: Annotated[
        list[str] | None, typer.Option("--novel", help="Only this novel; may be repeated.")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="Write the answers of the first system to this file.")
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The language model: a folder, or a server's model name.")
    ] = None,
    server: Annotated[str | None, typer.Option(help="An OpenAI-compatible server.")] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="Of two answers of llm: first, or incremental (corrected); or single: one "
            "quotation per question."
        ),
    ] = "incremental",
    chunk_tokens: Annotated[
        int | None,
        typer.Option(min=256, help="Tokens of the novel in a prompt of llm; default: 4096."),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            help="Score these answers instead: BookNLP's files, or JSON lines of "
            '{"novel", "quote_id", "speaker"}, as --run writes them.'
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="From the raw text: find quotations and characters too.")
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Attribute the quotations of annotated novels, as in PDNC."""
    from scholar_cli.laboratory.pdnc import pdnc_bench as bench_pdnc
    from scholar_cli.laboratory.pdnc import pdnc_systems

    if predictions is not None:
        is_prompted = strategy != "incremental" or chunk_tokens is not None
        if any((raw, systems, model, splits, llm, server, run, is_prompted)):
            raise UsageError(
                "--predictions are already answers; leave out --system, --model, --splits, --llm, "
                "--server, --strategy, --chunk-tokens, --run and --raw"
            )
        reports = _score_predictions(data, predictions, novels or ())
        print_reports(reports, common.choose_format(format, json))
        return
    systems_of = pdnc_systems.select_systems(
        systems or ("trained",),
        model=model,
        splits=splits,
        language_model=llm,
        server=server,
        device=common.open_library().settings.device,
        strategy=strategy,
        chunk_tokens=chunk_tokens,
    )
    with common.progress() as progress:
        if raw:
            from scholar_cli.laboratory.pdnc import raw as pdnc_raw

            reports = pdnc_raw.run(data, systems_of, only=novels or (), progress=progress)
        else:
            reports = bench_pdnc.run(
                data, systems_of, only=novels or (), out=run, progress=progress
            )
    print_reports(reports, common.choose_format(format, json))


def _score_predictions(data: Path, predictions: Path, only: Sequence[str]) -> list[Report]:
    """Return the reports of another program's answers, for the novels that it covers."""
    from scholar_cli.laboratory.pdnc import pdnc_bench as bench_pdnc
    from scholar_cli.laboratory.pdnc import pdnc_data
    from scholar_cli.laboratory.pdnc import predictions as pdnc_predictions

    novels = bench_pdnc.select_novels(pdnc_data.read(data), only)
    aligned = pdnc_predictions.read(predictions, novels, common.say)
    return pdnc_predictions.score(novels, aligned)


@app.command()
def speakers(
    texts: Annotated[Path, typer.Option(help="A folder with primary/<number>.txt.")],
    parts: Annotated[
        list[str] | None, typer.Option("--part", help="dev or test; default: both.")
    ] = None,
    books: common.BooksOption = None,
    method: Annotated[str, typer.Option(help="trained, sieve or nearest.")] = "trained",
    model: Annotated[
        str | None, typer.Option(help="The speaker model of trained: a name or folder.")
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Attribute the quotations of annotated chapters from the raw text of their novels."""
    from scholar_cli.laboratory.speakers import speakers_bench as bench_speakers
    from scholar_cli.laboratory.speakers import speakers_data, speakers_systems

    with common.progress() as progress:
        reports = bench_speakers.run(
            texts,
            speakers_data.select(speakers_data.read(), parts or (), books or ()),
            speakers_systems.select_system(method, model),
            method,
            progress=progress,
        )
    print_reports(reports, common.choose_format(format, json))


@app.command()
def casts(
    texts: Annotated[Path | None, typer.Option(help="A folder with primary/<number>.txt.")] = None,
    parts: Annotated[
        list[str] | None, typer.Option("--part", help="dev or test; default: both.")
    ] = None,
    books: common.BooksOption = None,
    data: Annotated[
        Path | None, typer.Option(help="A folder of novels in PDNC's format to measure too.")
    ] = None,
    list_characters: Annotated[
        bool, typer.Option("--list", help="Print each main character with its errors.")
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Measure how many main characters of whole novels are found whole, split or merged."""
    from scholar_cli.laboratory.casts import casts_bench as bench_casts
    from scholar_cli.laboratory.casts import casts_data

    if texts is None and data is None:
        raise UsageError("name a folder of novels: --texts TEXTS or --data PDNC")
    selected = casts_data.select(casts_data.read(), parts or (), books or ())
    with common.progress() as progress:
        scores = bench_casts.score_novels(texts, selected, data, progress=progress)
    chosen = common.choose_format(format, json)
    if list_characters:
        rows = [character.row() for novel in scores for character in novel.characters]
        render.print_rows(rows, chosen, list(rows[0]) if rows else [])
    else:
        print_reports(bench_casts.to_reports(scores), chosen)


@app.command()
def who(
    texts: Annotated[Path, typer.Option(help="A folder with primary/<number>.txt.")],
    data: Annotated[
        Path | None, typer.Option(help="Another file of descriptions, as JSON lines.")
    ] = None,
    books: common.BooksOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find the characters that descriptions from memory mean, from the raw text of a novel."""
    from scholar_cli.laboratory.who import who_bench as bench_who
    from scholar_cli.laboratory.who import who_data

    file = data or who_data.FILE
    descriptions = who_data.select(who_data.read(file), books or ())
    library = common.open_library()
    with common.progress() as progress:
        reports = bench_who.run(
            texts,
            descriptions,
            bench_who.ask_library(library.places, library.settings),
            model=library.settings.model,
            data_sha256=who_data.sha256(file),
            progress=progress,
        )
    print_reports(reports, common.choose_format(format, json))


@app.command()
def litbank(
    data: Annotated[Path, typer.Option(help="A folder of books in LitBank's format.")],
    systems: Annotated[
        list[str] | None, typer.Option("--system", help="model, sieve or names; may be repeated.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A coreference model by name or folder.")
    ] = None,
    books: Annotated[
        list[str] | None, typer.Option("--book", "-b", help="Only this book; may be repeated.")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="A folder for <book>/coref.conll of the first system.")
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find the mentions of people in annotated books, and which of them mean the same person."""
    from scholar_cli.laboratory.litbank import litbank_bench as bench_litbank
    from scholar_cli.laboratory.litbank import litbank_systems

    with common.progress() as progress:
        reports = bench_litbank.run(
            data,
            litbank_systems.select_systems(systems or (), model),
            only=books or (),
            out=run,
            progress=progress,
        )
    print_reports(reports, common.choose_format(format, json))


@app.command()
def evidence(
    data: Annotated[Path, typer.Option(help="A folder of novels in PDNC's format.")],
    splits: Annotated[
        Path, typer.Option(help="Folds for cross-validation, as in PDNC's splits.json.")
    ],
    folds: Annotated[
        list[int] | None, typer.Option("--fold", min=0, help="Only this fold; may be repeated.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--without", help="Only this kind of evidence; may be repeated."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of training.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed for drawing quotations.")] = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Train the speaker model without one kind of evidence at a time, to measure its worth.

    Seven minutes for each kind and fold of PDNC on one core; only annotated novels are used.
    """
    common.check_training_packages()
    from scholar_cli.laboratory.pdnc import ablation
    from scholar_cli.laboratory.pdnc.turn_scorers import TurnScorerSettings

    with common.progress() as progress:
        reports = ablation.measure(
            data,
            splits,
            TurnScorerSettings(rounds=rounds, seed=seed),
            folds=folds or (),
            kinds=kinds or (),
            progress=progress,
        )
    print_reports(reports, common.choose_format(format, json))


@app.command()
def memorisation(
    data: Annotated[Path, typer.Option(help="A folder of novels in PDNC's format.")],
    llm: Annotated[
        str | None, typer.Option(help="The language model: a folder, or a server's model name.")
    ] = None,
    server: Annotated[str | None, typer.Option(help="An OpenAI-compatible server.")] = None,
    novels: Annotated[
        list[str] | None, typer.Option("--novel", help="Only this novel; may be repeated.")
    ] = None,
    passages: Annotated[
        int, typer.Option(min=1, max=10_000, help="Passages per kind and novel, at most.")
    ] = 100,
    k: Annotated[
        float, typer.Option("--k", min=1, max=100, help="Percentage of tokens for Min-K%.")
    ] = 20,
    seed: Annotated[int, typer.Option(help="Seed for drawing passages.")] = 0,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Test whether a language model has memorised novels, or their annotation.

    Corrupted-speaker guessing, name cloze, and Min-K% of the annotation (models on this machine).
    """
    from scholar_cli.laboratory.pdnc import memorisation as bench_memorisation
    from scholar_indexes.llm import backends

    backend = backends.choose_backend(llm, server, device=common.open_library().settings.device)
    with common.progress() as progress:
        reports = bench_memorisation.run(
            data, backend, only=novels or (), seed=seed, most=passages, k=k, progress=progress
        )
    print_reports(reports, common.choose_format(format, json))


@app.command()
def impact(
    memorisation: Annotated[Path, typer.Option(help="The output of `bench memorisation --json`.")],
    accuracy: Annotated[
        Path | None, typer.Option(help="The output of `bench pdnc --json`.")
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV with a column novel and one for each corpus."),
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="The system to test, if the run has several.")
    ] = None,
    later: Annotated[
        list[str] | None,
        typer.Option(
            help="A novel annotated later; may be repeated; default: PDNC's second release."
        ),
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Test whether memorisation explains accuracy, novel by novel.

    Rank correlations, and Student's tests: of the most and least memorised novels, and of later
    novels and earlier ones matched by propensity score. With --counts, memorisation is correlated
    with how often a corpus has passages of a novel.
    """
    from scholar_cli.laboratory.pdnc import impact as bench_impact

    if accuracy is None and counts is None:
        raise UsageError("give figures to compare memorisation with: --accuracy, --counts, or both")
    memorised = bench_impact.read_run(memorisation, "memorisation")
    tests = []
    if counts is not None:
        tests += bench_impact.correlate_counts(memorised, bench_impact.read_counts(counts))
    if accuracy is not None:
        tests += bench_impact.compute(
            bench_impact.read_run(accuracy, "pdnc", system),
            memorised,
            frozenset(later) if later else bench_impact.SECOND_RELEASE,
        )
    rows = [test.row() for test in tests]
    render.print_rows(rows, common.choose_format(format, json), list(rows[0]))


@app.command()
def meant(
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Measure how phrases of claims ("her cousin") are resolved in the novels of the library.

    Only novels of dev with known people count (scholar index people).
    """
    from scholar_cli.laboratory.meant import meant_bench as bench_meant
    from scholar_cli.laboratory.meant import meant_data

    library = common.open_library()
    with common.progress() as progress:
        reports = bench_meant.run(library, meant_data.load(), progress)
    print_reports(reports, common.choose_format(format, json))


@app.command(cls=BookCommand)
def annotate(
    book: common.BookArgument,
    out: Annotated[Path, typer.Option(help="A new folder for the tables in PDNC's format.")],
    with_answers: Annotated[
        bool, typer.Option("--with-answers", help="Fill in scholar's answers, for correction.")
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Write the quotations of a novel as tables in which you fill in the speakers.

    Then `scholar-lab bench pdnc --data OUT` measures how well each system attributes them.
    """
    from scholar_cli.laboratory.pdnc import annotation

    library = common.open_library()
    with common.progress() as progress:
        library.books.add_sample_once(progress)
        stored = library.books.get(book)
        quotes = library.speakers(stored.book.id, progress=progress)
        cast = [
            profile.character
            for profile in library.characters.cast(stored.book.id, progress).profiles
        ]
    count = annotation.write_form(
        out, stored.book, library.books.open(stored).text, cast, quotes, with_answers=with_answers
    )
    common.say(
        f"write the speakers into {out / 'quotation_info.csv'}, by their names in "
        f"{out / 'character_info.csv'}"
    )
    row = {"folder": str(out), "quotations": count, "characters": len(cast)}
    render.print_rows([row], common.choose_format(format, json), list(row))


@app.command()
def agreement(
    one: Annotated[Path, typer.Argument(help="An annotated novel in PDNC's format.")],
    other: Annotated[Path, typer.Argument(help="The same novel by another reader.")],
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Measure how far two readers of a novel agree on the speakers: share, and Cohen's kappa."""
    from scholar_cli.laboratory.pdnc import annotation, pdnc_data

    result = annotation.agree(pdnc_data.read_novel(one), pdnc_data.read_novel(other))
    row = {
        "quotations": result.quotations,
        "same": round(result.same, 4),
        "kappa": round(result.kappa, 4),
    }
    render.print_rows([row], common.choose_format(format, json), list(row))
