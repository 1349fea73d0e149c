"""Training of the coreference model on annotated books and novels.

    books (LitBank), novels (PDNC) -> network
    network -> model.onnx (quantized), heads.safetensors, tokenizer.json, config.json, card.json

With folds, the books of each fold are resolved by a model that was trained on the others and
exported in the same way as the final one; the scores are in the card. A model takes about fifteen
minutes on one core. A run that was stopped keeps the models that it finished.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from torch.nn import functional

from scholar_cli.laboratory import report
from scholar_cli.laboratory.encoder_export import original, write_graph
from scholar_cli.laboratory.litbank import litbank_data
from scholar_cli.laboratory.litbank.litbank_bench import score_books
from scholar_cli.laboratory.litbank.litbank_data import TokenizedBook
from scholar_cli.laboratory.litbank.litbank_systems import resolve_by_model
from scholar_cli.laboratory.litbank.network import (
    CoreferenceNetwork,
    CoreferenceSettings,
    to_tensor,
)
from scholar_cli.laboratory.litbank.samples import (
    AnnotatedText,
    LabelledSpan,
    annotate_book,
    annotate_novel,
    draw_novel_parts,
    draw_parts,
    split_folds,
)
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc import pdnc_data
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.quantization import PRECISION
from scholar_indexes.arrays import Ints1d
from scholar_indexes.coreference.resolver.mention_table import (
    ENTITY_CLASSES,
    FEATURE_SIZES,
    build_table,
)
from scholar_indexes.coreference.resolver.model import (
    HEADS,
    MENTION_PROBABILITY,
    START_LOGIT,
    candidate_spans,
    load,
)
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models.encoder import marks
from scholar_indexes.models.registry import COREFERENCE, file_sha256, find, read_card
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

GRADIENT_NORM = 1.0
WRONG_SPANS = 1 / 3
"""The number of spans wrongly detected as mentions that are trained to have no antecedent, as a
share of the number of right mentions."""

NEVER = -1e4
"""A score lower than the score of any pair."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """A folder of books in LitBank's format and optionally a folder of novels in PDNC's format,
    some of them held out. The folds of `splits` (PDNC's splits.json) determine which novels are
    held out from a fold in addition to its books."""

    books: Path
    novels: Path | None = None
    held_out: Sequence[str] = ()
    splits: Path | None = None


def train(
    data: TrainingData,
    out: Path,
    settings: CoreferenceSettings | None = None,
    *,
    folds: int = 0,
    processes: int = 1,
    base: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Train on annotated books and novels and write a model folder; return the card.

    `folds` above 1 cross-validates the settings over the books, with models in a folder next to
    `out`. `processes` models are trained at once, each on one core. Raises UsageError if out
    contains a finished model, NoMatch if no book is annotated, and what the readers of both formats
    raise.
    """
    settings = settings or CoreferenceSettings()
    if _is_finished(out):
        raise UsageError(f"{out} contains a finished model; give a new --out")
    books = _read_annotated(data.books)
    fold_jobs = _plan_folds(data, books, out, folds) if folds > 1 else []
    jobs = [_TrainingJob(out, ()), *fold_jobs]
    waiting = [job for job in jobs if not _is_finished(job.out)]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        running = [pool.submit(_run, job, data, settings, base or original()) for job in waiting]
        for job in as_completed(running):
            say(job.result())
    card = read_card(out / "card.json")
    if fold_jobs:
        card["scores"] = score_folds(books, fold_jobs, say)
        _write_card(out, card)
    return card


@dataclass(frozen=True, slots=True)
class _TrainingJob:
    """A model to train: its folder, and the names of the books and novels held out from it."""

    out: Path
    held_out: Sequence[str]
    held_out_novels: Sequence[str] = ()


def _plan_folds(
    data: TrainingData, books: Sequence[TokenizedBook], out: Path, folds: int
) -> list[_TrainingJob]:
    """Return the models of a cross-validation, in a folder next to `out`."""
    held_out = split_folds([book.name for book in books], folds)
    novels = [test for _, test in pdnc.read_folds(data.splits)] if data.splits else []
    folder = out.parent / f"{out.name}-folds"
    pairs = zip_longest(held_out, novels[:folds], fillvalue=())
    return [
        _TrainingJob(folder / str(number), names, tests)
        for number, (names, tests) in enumerate(pairs, 1)
    ]


def _run(job: _TrainingJob, data: TrainingData, settings: CoreferenceSettings, base: Path) -> str:
    """Train a model in its own process; return a line about the result."""
    torch.set_num_threads(1)
    start = time.monotonic()
    books = [book for book in _read_annotated(data.books) if book.name not in job.held_out]
    novels = [novel for novel in _read_novels(data) if novel.name not in job.held_out_novels]
    network = fit(
        list(map(annotate_book, books)), settings, base, list(map(annotate_novel, novels))
    )
    provenance = {
        "recipe": settings.card_fields(),
        "books": len(books),
        "novels": [novel.name for novel in novels],
        "held_out": [*job.held_out, *data.held_out, *job.held_out_novels],
        "data_sha256": litbank_data.sha256(books),
        "novels_sha256": pdnc_data.sha256(novels),
        "torch": torch.__version__,
        "commit": report.commit(),
        "seconds": round(time.monotonic() - start),
    }
    write_model(network, base, job.out, {"training": provenance})
    return f"{job.out} was trained on {len(books)} books in {provenance['seconds']} s"


def _read_novels(data: TrainingData) -> list[AnnotatedNovel]:
    if data.novels is None:
        return []
    return [novel for novel in pdnc_data.read(data.novels) if novel.name not in data.held_out]


def score_folds(
    books: Sequence[TokenizedBook],
    jobs: Sequence[_TrainingJob],
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Return the scores of books, each resolved by the model that it was held out from."""
    models = {
        name: load(find(str(job.out), job.out.parent)) for job in jobs for name in job.held_out
    }
    start = time.perf_counter()
    answers = [resolve_by_model(models[book.name], book.sentences) for book in books]
    seconds = time.perf_counter() - start
    sha256 = litbank_data.sha256(books)
    reports = score_books(books, answers, "cross-validated", seconds, sha256)
    for scored in reports:
        say(f"{scored.split}: {_headline(scored.metrics)}")
    return {scored.split: dict(scored.metrics) for scored in reports}


def _read_annotated(data: Path) -> list[TokenizedBook]:
    books = [book for book in litbank_data.read(data) if book.mentions is not None]
    if not books:
        raise NoMatch(f"{data} has no annotated books for training")
    return books


def _headline(metrics: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in metrics.items() if "f1" in name)


def fit(
    texts: Sequence[AnnotatedText],
    settings: CoreferenceSettings,
    base: Path,
    novels: Sequence[AnnotatedText] = (),
    progress: Progress = silent,
) -> CoreferenceNetwork:
    """Return a network trained on texts and on parts of novels."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    tokenizer = open_tokenizer(base)
    ends = marks(tokenizer.token_to_id, base.name)
    network = CoreferenceNetwork(base, settings)
    parts = settings.whole + (1 - settings.whole) * settings.parts
    steps = round(settings.epochs * (len(texts) * parts + settings.novel_parts * bool(novels)))
    optimizer, schedule = _optimizer(network, settings, steps)
    network.train()
    done = 0
    for _ in range(settings.epochs):
        epoch = draw_parts(texts, rng, whole=settings.whole, parts=settings.parts)
        epoch += draw_novel_parts(novels, rng, settings.novel_parts)
        rng.shuffle(epoch)
        for part in epoch:
            progress("training", done, steps)
            with torch.autocast("cpu", torch.bfloat16):
                loss = text_loss(network, part, tokenize(tokenizer, part, ends), ends)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), GRADIENT_NORM)
            optimizer.step()
            schedule.step()
            done += 1
    progress("training", steps, steps)
    network.eval()
    return network


def _optimizer(
    network: CoreferenceNetwork, settings: CoreferenceSettings, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    encoder = [weight for weight in network.encoder.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(
        [
            {"params": encoder, "lr": settings.encoder_rate},
            {"params": [*network.heads.parameters()], "lr": settings.head_rate},
        ],
        weight_decay=settings.weight_decay,
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / settings.warmup, max(0.02, 1 - step / steps))
    )
    return optimizer, schedule


def text_loss(
    network: CoreferenceNetwork,
    text: AnnotatedText,
    ids: Sequence[Sequence[int]],
    ends: tuple[int, int],
) -> torch.Tensor:
    """Return the loss of a text per mention: for the first words of mentions, the classes of spans,
    and antecedents. If only some mentions are known, it is the loss for antecedents."""
    vectors = network.word_vectors(text.text.words, ids, ends)
    if not text.complete:
        return _antecedent_loss(network, text, vectors, text.mentions) / max(1, len(text.mentions))
    right = {(mention.first, mention.last): mention.entity_class for mention in text.mentions}
    start_scores = network.start_scores(vectors)
    begins = torch.zeros(len(text))
    begins[[first for first, _ in right]] = 1
    start_loss = functional.binary_cross_entropy_with_logits(start_scores, begins, reduction="sum")
    likely = np.flatnonzero((start_scores.detach() > START_LOGIT).numpy())
    starts = np.union1d(likely, [first for first, _ in right]).astype(np.int64)
    first, last = candidate_spans(starts, text.text.words.sentence_ends[starts])
    class_scores = network.class_scores(vectors, to_tensor(first), to_tensor(last))
    classes = [right.get(span, 0) for span in zip(first.tolist(), last.tolist(), strict=True)]
    class_loss = functional.cross_entropy(class_scores, to_tensor(classes), reduction="sum")
    wrong = _wrong_mentions(first, last, class_scores.detach(), classes, len(right))
    mentions = sorted([*text.mentions, *wrong], key=lambda mention: (mention.first, -mention.last))
    antecedent_loss = _antecedent_loss(network, text, vectors, mentions)
    return (start_loss + class_loss + antecedent_loss) / max(1, len(right))


def _wrong_mentions(
    first: Ints1d, last: Ints1d, scores: torch.Tensor, classes: Sequence[int], right: int
) -> list[LabelledSpan]:
    """Return spans that the network wrongly detects as mentions, each a separate chain."""
    odds = scores.softmax(1)
    taken = ((1 - odds[:, 0]) > MENTION_PROBABILITY).nonzero().squeeze(1).tolist()
    guesses = (odds[:, 1:].argmax(1) + 1).tolist()
    wrong = [at for at in taken if not classes[at]][: int(right * WRONG_SPANS)]
    return [LabelledSpan(int(first[at]), int(last[at]), guesses[at], f"wrong {at}") for at in wrong]


def _antecedent_loss(
    network: CoreferenceNetwork,
    text: AnnotatedText,
    vectors: torch.Tensor,
    mentions: Sequence[LabelledSpan],
) -> torch.Tensor:
    """Return the marginal loss of all right antecedents (Lee et al. 2017).

    If only some mentions are known, the loss is over mentions with a known antecedent: the others
    may have an unknown one.
    """
    mentions = sorted(mentions, key=lambda mention: (mention.first, -mention.last))
    if len(mentions) < 2:
        return vectors.sum() * 0
    first = to_tensor([mention.first for mention in mentions])
    last = to_tensor([mention.last for mention in mentions])
    table = build_table(
        text.text.words,
        [(mention.first, mention.last) for mention in mentions],
        [mention.entity_class for mention in mentions],
        text.text.cast,
        text.text.names,
    )
    scores = network.antecedent_scores(network.mention_vectors(vectors, first, last), table)
    numbers: dict[str, int] = {}
    chains = to_tensor([numbers.setdefault(mention.chain, len(numbers)) for mention in mentions])
    before = torch.ones(len(mentions), len(mentions), dtype=torch.bool).tril(-1)
    right = (chains[:, None] == chains[None]) & before
    new = ~right.any(1, keepdim=True)
    none = torch.full((len(mentions), 1), 0.0 if text.complete else NEVER)
    scores = torch.cat([none, scores.masked_fill(~before, NEVER)], dim=1)
    best = scores.masked_fill(~torch.cat([new, right], dim=1), NEVER).logsumexp(1)
    losses = scores.logsumexp(1) - best
    if not text.complete:
        losses = losses.masked_fill(new.squeeze(1), 0.0)
    loss: torch.Tensor = losses.sum()
    return loss


def write_model(
    network: CoreferenceNetwork, base: Path, out: Path, card_fields: dict[str, Any]
) -> dict[str, Any]:
    """Write the files of a model; return its card."""
    out.mkdir(parents=True, exist_ok=True)
    width = write_graph(network.encoder, open_tokenizer(base), out / "model.onnx", token_types=True)
    save_file(network.head_tensors(), out / HEADS)
    for file in ("tokenizer.json", "config.json"):
        shutil.copyfile(base / file, out / file)
    files = {
        file: file_sha256(out / file)
        for file in ("model.onnx", HEADS, "tokenizer.json", "config.json")
    }
    card = {
        "name": out.name,
        "task": COREFERENCE,
        "precision": PRECISION,
        "classes": list(ENTITY_CLASSES),
        "features": dict(FEATURE_SIZES),
        "dimensions": width,
        "max_tokens": network.encoder.config.max_position_embeddings,
        "pooling": "none",
        "space": f"{out.name}-{files['model.onnx'][:8]}",
        "weights_sha256": files["model.onnx"],
        "files": files,
        **card_fields,
    }
    _write_card(out, card)
    return card


def _is_finished(out: Path) -> bool:
    """Return True if a folder contains a finished model; its card is written last."""
    return (out / "card.json").is_file()


def _write_card(out: Path, card: Mapping[str, Any]) -> None:
    text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
    atomic.write_text(out / "card.json", text)


def tokenize(tokenizer: Tokenizer, text: AnnotatedText, ends: tuple[int, int]) -> list[list[int]]:
    words = list(text.text.words.words)
    encoded = tokenizer.encode_batch(words, add_special_tokens=False)
    return [encoding.ids or [ends[1]] for encoding in encoded]
