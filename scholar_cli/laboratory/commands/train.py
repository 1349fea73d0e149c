"""scholar-lab train: train the models on texts of your own."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from scholar_cli.commands import common
from scholar_cli.laboratory.commands import train_people
from scholar_indexes.errors import UsageError
from scholar_indexes.settings import DEFAULT_RERANKER, NO_RERANKER, THOROUGH

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
app.add_typer(train_people.app)


@app.callback()
def train() -> None:
    """Mine quotations, train the models that scholar uses, and export them."""


@app.command()
def mine(
    texts: Annotated[Path, typer.Argument(help="A folder with primary/*.txt and criticism/*.txt.")],
    out: Annotated[Path, typer.Option(help="The folder for train.json, val.json and test.json.")],
) -> None:
    """Find the passages that critics quote from the works they write about."""
    if importlib.util.find_spec("rapidfuzz") is None:
        from scholar_indexes.errors import ConfigError

        raise ConfigError("mining needs rapidfuzz; run: pip install 'scholar-cli[lab]'")
    from scholar_cli.laboratory.relic import mining

    with common.progress() as progress:
        mined = mining.mine(texts, out, progress=progress, say=common.say)
    windows = ", ".join(f"{split} {count}" for split, count in mined.windows.items())
    common.say(f"{mined.critics} critics, {mined.works} quoted works; windows: {windows}")
    for reason, count in mined.dropped.items():
        common.say(f"dropped, {reason}: {count}")
    common.say(f"next: scholar-lab train retriever --data {out} --out MODEL")


@app.command()
def retriever(
    data: Annotated[Path, typer.Option(help="A folder with train.json and val.json.")],
    out: Annotated[Path, typer.Option(help="The folder of the model; a started run is resumed.")],
    base: Annotated[
        Path | None, typer.Option(help="A sentence-transformers folder; default: MiniLM-L6.")
    ] = None,
    device: common.DeviceOption = None,
    separate: Annotated[
        bool, typer.Option("--separate", help="Separate towers for claims and passages.")
    ] = False,
    steps: Annotated[int | None, typer.Option(min=1, help="Number of training batches.")] = None,
    batch: Annotated[int | None, typer.Option(min=4, help="Pairs per batch.")] = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing pairs.")] = 0,
    threads: common.ThreadsOption = 0,
) -> None:
    """Train the encoder of claims and passages; about an hour on two cores."""
    common.check_training_packages()
    from scholar_cli.laboratory import encoder_export
    from scholar_cli.laboratory.relic import retriever_training as retriever
    from scholar_cli.laboratory.relic.retriever_training import RetrieverSettings
    from scholar_indexes.models import torch_encoder

    chosen = torch_encoder.chosen(device or "auto")
    settings = retriever.with_options(
        RetrieverSettings.defaults(chosen), shared=not separate, steps=steps, batch=batch, seed=seed
    )
    with common.progress() as progress:
        card = retriever.train(
            data,
            out,
            base or encoder_export.original(),
            settings,
            device=chosen,
            threads=threads,
            say=common.say,
            progress=progress,
        )
    common.say(
        f"{out} contains the model of step {card['training']['best_step']}; to make it smaller: "
        f"scholar-lab train export {out} --out SMALL; "
        "to use it: scholar index rebuild --model SMALL"
    )


@app.command()
def claims(
    out: Annotated[Path, typer.Option(help="The folder of the model; a started run is resumed.")],
    scores: Annotated[
        Path | None, typer.Option(help="A large model's scores, from train scores.")
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="The folder of Gutenberg texts that were scored.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="A folder with train.json and val.json, for graded claims.")
    ] = None,
    model: common.ModelOption = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the graded claims.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing passages.")] = 0,
    threads: common.ThreadsOption = 0,
) -> None:
    """Fine-tune the encoder on short claims: scores, then claims about the library's books.

    An hour on two cores for the scores, two for the graded claims. An interrupted run resumes from
    its last checkpoint, in OUT.
    """
    _check_scores(scores, texts)
    common.check_training_packages()
    from scholar_cli.laboratory.claims import claims_training
    from scholar_cli.laboratory.claims.graded_training import GradedRetrieverSettings
    from scholar_cli.laboratory.claims.soft_training import SoftSettings

    settings = GradedRetrieverSettings(seed=seed)
    if epochs is not None:
        settings = replace(settings, epochs=epochs)
    library = common.open_library(model=model, threads=threads)
    with common.progress() as progress:
        card = claims_training.train(
            library,
            out,
            scores=scores,
            texts=texts,
            data=data,
            soft=SoftSettings(seed=seed),
            settings=settings,
            threads=threads,
            say=common.say,
            progress=progress,
        )
    common.say(f"{out} contains {card['name']}; to use it: scholar index rebuild --model {out}")


@app.command()
def facets(
    out: Annotated[Path, typer.Option(help="The folder of the model.")],
    data: Annotated[
        Path | None,
        typer.Option(
            help="papers.jsonl or papers.jsonl.xz with labels; "
            "default: only the short abstracts that come with scholar."
        ),
    ] = None,
    annotations: Annotated[
        Path | None, typer.Option(help="The file naming query papers; default: next to the data.")
    ] = None,
    model: common.ModelOption = None,
    seed: Annotated[int, typer.Option(help="Seed for the initial weights.")] = 0,
    threads: common.ThreadsOption = 0,
) -> None:
    """Train the model that labels sentences of an abstract by facet; minutes on two cores."""
    common.check_training_packages()
    from scholar_cli.laboratory.facets import facet_data, facet_training
    from scholar_cli.laboratory.facets.model import OWN_SETTINGS, FacetModelSettings

    settings = common.open_library().settings
    library = common.open_library(model=model or settings.papers_model, threads=threads)
    encoder = library.passages.encoder
    with common.progress() as progress:
        card = facet_training.train(
            data,
            encoder,
            out,
            replace(FacetModelSettings() if data else OWN_SETTINGS, seed=seed),
            annotations=annotations,
            short=facet_data.read_short_abstracts(),
            say=common.say,
            progress=progress,
        )
    common.say(f"{out} contains {card['name']}")


@app.command("method-map")
def method_map(
    out: Annotated[Path, typer.Option(help="The folder of the map.")],
    model: common.ModelOption = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing the topics of each method.")] = 1,
    threads: common.ThreadsOption = 0,
) -> None:
    """Estimate the map that compares papers by method; seconds."""
    from scholar_cli.laboratory.contrast import method_map_training

    settings = common.open_library().settings
    library = common.open_library(model=model or settings.papers_model, threads=threads)
    encoder = library.passages.encoder
    card = method_map_training.train(encoder, out, seed=seed)
    common.say(f"{out} contains {card['name']}; replace weights/method-map with it")


@app.command()
def ranking(
    out: Annotated[Path, typer.Option(help="The file for the weights, such as weights.json.")],
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
) -> None:
    """Fit the weights by which find ranks, on graded claims about the books of the library."""
    common.check_training_packages()
    from scholar_cli.laboratory.claims import fusion_training

    library = common.open_library(device=device, threads=threads)
    with common.progress() as progress:
        weights = fusion_training.run(library, out, progress=progress)
    held_out = weights["scores"]["held_out_works"]
    common.say(
        f"nDCG@10 of {held_out['claims']} claims, by weights fitted on other books: "
        f"{held_out['ndcg@10']:.3f}"
    )
    common.say(f"{out} contains the weights; replace retrieval/weights.json with it")


@app.command()
def phrases(
    out: Annotated[Path, typer.Option(help="The file, such as phrase_weights.json.")],
    threads: common.ThreadsOption = 0,
) -> None:
    """Fit the weights that resolve "her cousin" in a claim, on claims about the library's books."""
    common.check_training_packages()
    from scholar_cli.laboratory.meant import phrases_training

    library = common.open_library(threads=threads)
    with common.progress() as progress:
        weights = phrases_training.run(library, out, progress=progress)
    held_out = weights["scores"]["held_out_books"]
    for least, counts in held_out.items():
        common.say(
            f"of {weights['scores']['phrases']} phrases, at likelihood {least} or more, by weights "
            f"fitted on other books: {counts['right']} right, {counts['wrong']} wrong"
        )
    common.say(f"{out} contains the weights; replace retrieval/phrase_weights.json with it")


@app.command()
def frequencies(
    texts: Annotated[Path, typer.Argument(help="A folder with primary/<number>.txt.")],
    out: Annotated[Path, typer.Option(help="The file, such as stem_frequencies.tsv.")],
) -> None:
    """Count the frequencies of words in novels, which weight the words of claims; two minutes."""
    from scholar_cli.laboratory.claims import frequencies as counting

    with common.progress() as progress:
        sentences = counting.run(texts, out, progress)
    common.say(f"{out} contains the stems of {sentences:,} sentences; put it into lexicon/data")


@app.command()
def reranker(
    scores: Annotated[Path, typer.Option(help="A teacher's scores, from train scores.")],
    texts: Annotated[Path, typer.Option(help="A folder with primary/, the works of the scores.")],
    out: Annotated[Path, typer.Option(help="The folder of the model; a started run is resumed.")],
    base: Annotated[
        str, typer.Option(help="The encoder or second stage to start from.")
    ] = DEFAULT_RERANKER,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps on the scores.")] = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing windows.")] = 0,
    threads: common.ThreadsOption = 0,
) -> None:
    """Train the second stage of find on the scores of the large model; an hour on two cores."""
    common.check_training_packages()
    from scholar_cli.laboratory.claims import reranker as training
    from scholar_indexes.models import registry
    from scholar_indexes.paths import user_paths

    with common.progress() as progress:
        training.run(
            registry.find(base, user_paths().models),
            scores,
            texts,
            out,
            steps=steps,
            seed=seed,
            threads=threads,
            say=common.say,
            progress=progress,
        )
    common.say(f"{out} contains the model; to use it: scholar find CLAIM --rerank {out}")


@app.command()
def teacher(
    base: Annotated[
        Path,
        typer.Option(help="A folder with all-mpnet-base-v2, or a file of weights to export."),
    ],
    scores: Annotated[
        Path, typer.Option(help="A file of scores, with the windows to read for each claim.")
    ],
    texts: Annotated[Path, typer.Option(help="A folder with primary/, the scored works.")],
    out: Annotated[Path, typer.Option(help="The folder of the model.")],
    device: common.DeviceOption = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing passages.")] = 0,
) -> None:
    """Train the large model of --rerank thorough, on written and graded claims.

    Minutes on a GPU, days on two cores. An interrupted run resumes from its last checkpoint, in
    OUT.
    """
    common.check_training_packages()
    from scholar_cli.laboratory.claims import teacher as training

    with common.progress() as progress:
        card = training.run(
            base,
            scores,
            texts,
            out,
            device=device or "auto",
            seed=seed,
            say=common.say,
            progress=progress,
        )
    common.say(f"{out} contains {card['name']}; to use it: scholar find CLAIM --rerank {out}")


@app.command()
def scores(
    texts: Annotated[Path, typer.Option(help="A folder with primary/, the works to score.")],
    out: Annotated[Path, typer.Option(help="The file of scores; a started one is continued.")],
    model: common.ModelOption = None,
    teacher: Annotated[
        str, typer.Option(metavar="MODEL", help="The model that scores.")
    ] = THOROUGH,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
) -> None:
    """Score windows of works with the large model, for train reranker and train teacher.

    Some thousands of windows an hour on two cores; you can stop it at any time.
    """
    from scholar_cli.laboratory.claims.teacher import scores as scoring
    from scholar_indexes.models.cross_encoder import CrossEncoder

    library = common.open_library(model=model, device=device, threads=threads)
    reader = library.search.rerankers.get(teacher)
    if not isinstance(reader, CrossEncoder):
        raise UsageError(f"{teacher} gives no scores; name thorough, or a model folder")
    with common.progress() as progress:
        claims = scoring.run(texts, out, library.passages.encoder, reader, progress)
    common.say(f"{out} has the scores of {claims} claims")


@app.command()
def support(
    out: Annotated[Path, typer.Option(help="The file for the scales, such as support.json.")],
    threads: common.ThreadsOption = 0,
) -> None:
    """Fit the likelihood that a passage with some score supports a claim; half an hour."""
    from scholar_cli.laboratory.claims import support_training

    one = common.open_library(rerank=NO_RERANKER, threads=threads)
    two = common.open_library(rerank=DEFAULT_RERANKER, threads=threads)
    with common.progress() as progress:
        content = support_training.run(one, two, out, progress)
    for stages, figures in content["scores"].items():
        notices = ", ".join(f"{name} {share:.0%}" for name, share in figures["notices"].items())
        common.say(f"{stages}: answered with the notice: {notices}")
    common.say(f"{out} contains the scales; replace retrieval/support.json with it")


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="A folder that training wrote.")],
    out: Annotated[Path, typer.Option(help="The folder for model.onnx and its card.")],
    name: Annotated[str | None, typer.Option(help="The name of the model.")] = None,
) -> None:
    """Quantize a trained encoder, so that it is small and fast and needs no torch."""
    from scholar_cli.laboratory import encoder_export

    card = encoder_export.export(folder, out, name or out.resolve().name)
    common.say(f"{out} contains {card['name']}; to use it: scholar find CLAIM --model {out}")


def _check_scores(scores: Path | None, texts: Path | None) -> None:
    """Raise UsageError unless scores and the texts that they are about are given together."""
    if (scores is None) != (texts is None):
        raise UsageError("--scores and --texts go together; give both, or neither")
