"""scholar-lab train: train the models of speakers and of people, and fit the weights of `who`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from scholar_cli.commands import common

app = typer.Typer(rich_markup_mode=None)


@app.command()
def speakers(
    data: Annotated[Path, typer.Option(help="A folder of novels in PDNC's format.")],
    out: Annotated[Path, typer.Option(help="The folder of the model.")],
    splits: Annotated[
        Path | None, typer.Option(help="Folds for cross-validation, as in PDNC's splits.json.")
    ] = None,
    hold_out: Annotated[
        list[str] | None, typer.Option("--hold-out", help="A novel to hold out; may be repeated.")
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option(help="A folder of Gutenberg texts: novels to train on without annotation."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing quotations.")] = 0,
    threads: common.ThreadsOption = 0,
) -> None:
    """Train the model that attributes speech; ten minutes, and each fold as long, on one core."""
    common.check_training_packages()
    from scholar_cli.laboratory.pdnc import speaker_training, turn_scorers
    from scholar_indexes.models.processor import count_cores

    with common.progress() as progress:
        card = speaker_training.train_model(
            data,
            out,
            turn_scorers.TurnScorerSettings(seed=seed),
            splits=splits,
            hold_out=hold_out or (),
            texts=texts,
            processes=threads or count_cores(),
            say=common.say,
            progress=progress,
        )
    common.say(f"{out} contains {card['name']}; to use it: scholar speakers -b BOOK --model {out}")


@app.command()
def coreference(
    data: Annotated[Path, typer.Option(help="A folder of books in LitBank's format.")],
    out: Annotated[Path, typer.Option(help="The folder of the model.")],
    novels: Annotated[
        Path | None, typer.Option(help="A folder of novels in PDNC's format to train on too.")
    ] = None,
    hold_out: Annotated[
        list[str] | None, typer.Option("--hold-out", help="A novel to hold out; may be repeated.")
    ] = None,
    splits: Annotated[
        Path | None, typer.Option(help="Novels excluded from folds, as in PDNC's splits.json.")
    ] = None,
    folds: Annotated[
        int, typer.Option(min=0, help="First cross-validate over this number of folds.")
    ] = 0,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the books.")] = None,
    seed: Annotated[
        int, typer.Option(help="Seed for the initial weights and for drawing books.")
    ] = 0,
    threads: common.ThreadsOption = 0,
) -> None:
    """Train the coreference model; fifteen minutes per fold on one core."""
    common.check_training_packages()
    from scholar_cli.laboratory.litbank import people_training
    from scholar_cli.laboratory.litbank.network import CoreferenceSettings
    from scholar_cli.laboratory.litbank.people_training import TrainingData
    from scholar_indexes.models.processor import count_cores

    settings = CoreferenceSettings(seed=seed)
    if epochs is not None:
        settings = replace(settings, epochs=epochs)
    card = people_training.train(
        TrainingData(data, novels, tuple(hold_out or ()), splits),
        out,
        settings,
        folds=folds,
        processes=threads or count_cores(),
        say=common.say,
    )
    common.say(
        f"{out} contains {card['name']}; to measure it: scholar-lab bench litbank --model {out}"
    )


@app.command()
def characters(
    out: Annotated[Path, typer.Option(help="The file for the weights, such as weights.json.")],
    books: common.BooksOption = None,
    texts: Annotated[
        Path | None, typer.Option(help="Texts of the books: a folder of <number>.txt.")
    ] = None,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    seed: Annotated[int, typer.Option(help="Which questions are drawn.")] = 7,
    threads: common.ThreadsOption = 0,
) -> None:
    """Fit the weights that find a described character, on description banks; a minute per novel."""
    common.check_training_packages()
    from scholar_cli.laboratory.gandalf import gandalf_data
    from scholar_cli.laboratory.who import solver_training
    from scholar_indexes.attribution import pipeline
    from scholar_indexes.models import registry

    library = common.open_library(model=model, device=device, threads=threads)
    banks = library.quiz.banks(books or ())
    book_texts = gandalf_data.find_texts(
        banks, texts, lambda book: library.books.get_open(book).text
    )
    banks_with_texts = gandalf_data.select_with_texts(
        banks, book_texts, named=bool(books), tell=common.say
    )
    with common.progress() as progress:
        weights = solver_training.run(
            banks_with_texts,
            {name: text.encode() for name, text in book_texts.items()},
            library.passages.encoder,
            registry.find(pipeline.DEFAULT_MODEL, library.places.models),
            out,
            solver_training.SolverSettings(seed=seed),
            progress=progress,
        )
    scores = weights["scores"]["left out one by one"]
    shown = ", ".join(f"{name} {100 * score:.1f}" for name, score in scores.items())
    common.say(f"each book, by weights fitted on the others: {shown}")
    common.say(f"{out} contains the weights; replace characters/solver/weights.json with it")
