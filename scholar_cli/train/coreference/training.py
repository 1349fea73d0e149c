"""Train the coreference model on books in LitBank's form, and write its folder.

    books -> network -> model.onnx (int8), heads.safetensors, tokenizer.json, card.json

With folds, the books are divided, and each fold is resolved by a model that was trained on the
others and exported as the final one is; the scores are in the card. A model takes about fifteen
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
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from torch.nn import functional

from scholar_cli.bench import report
from scholar_cli.bench.litbank import data as litbank_data
from scholar_cli.bench.litbank.data import TokenizedBook
from scholar_cli.bench.litbank.run import score_books
from scholar_cli.bench.litbank.systems import resolve_by_model
from scholar_cli.train.coreference.network import (
    CoreferenceNetwork,
    CoreferenceSettings,
    to_tensor,
)
from scholar_cli.train.coreference.samples import (
    AnnotatedText,
    Stretch,
    annotate,
    draw_stretches,
    split_folds,
)
from scholar_cli.train.export import original, write_graph
from scholar_indexes.arrays import Ints1d
from scholar_indexes.coreference.resolver.mention_table import (
    ENTITY_CLASSES,
    FEATURE_SIZES,
    build_table,
)
from scholar_indexes.coreference.resolver.model import (
    HEADS,
    MAX_MENTION_WORDS,
    MENTION_PROBABILITY,
    START_LOGIT,
    load,
)
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models.encoder import marks
from scholar_indexes.models.registry import COREFERENCE, file_sha256, find
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

GRADIENT_NORM = 1.0
WRONG_SPANS = 1 / 3
"""Of the spans that the network takes for mentions wrongly, as many as this share of the right ones
learn to have no antecedent."""

NEVER = -1e4
"""A score that no pair has."""


def train(
    data: Path,
    out: Path,
    settings: CoreferenceSettings | None = None,
    *,
    folds: int = 0,
    processes: int = 1,
    base: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Train on all annotated books of a folder and write a model folder; return the card.

    `folds` above 1 cross-validates the settings, by models in a folder beside `out`. So many
    models are trained at once as there are `processes`, each on one core. Raises UsageError if
    out holds a finished model, NoMatch if no book is annotated, and what litbank.data.read raises.
    """
    settings = settings or CoreferenceSettings()
    if _is_finished(out):
        raise UsageError(f"{out} holds a finished model; give a new --out")
    books = _read_annotated(data)
    names = [book.name for book in books]
    held_out = split_folds(names, folds) if folds > 1 else []
    folder = out.parent / f"{out.name}-folds"
    jobs = [_Job(folder / str(number), names) for number, names in enumerate(held_out, 1)]
    jobs.append(_Job(out, []))
    waiting = [job for job in jobs if not _is_finished(job.out)]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        running = [pool.submit(_run, job, data, settings, base or original()) for job in waiting]
        for job in as_completed(running):
            say(job.result())
    card = _read_card(out)
    if held_out:
        card["scores"] = score_folds(books, jobs[:-1], say)
        _write_card(out, card)
    return card


@dataclass(frozen=True, slots=True)
class _Job:
    """A model to train: its folder, and the names of the books that it does not see."""

    out: Path
    held_out: Sequence[str]


def _run(job: _Job, data: Path, settings: CoreferenceSettings, base: Path) -> str:
    """Train a model in a process of its own; return what was done."""
    torch.set_num_threads(1)
    start = time.monotonic()
    books = [book for book in _read_annotated(data) if book.name not in job.held_out]
    network = fit([annotate(book) for book in books], settings, base)
    provenance = {
        "recipe": settings.card_fields(),
        "books": len(books),
        "held_out": list(job.held_out),
        "data_sha256": litbank_data.sha256(books),
        "torch": torch.__version__,
        "commit": report.commit(),
        "seconds": round(time.monotonic() - start),
    }
    write_model(network, base, job.out, {"training": provenance})
    return f"{job.out} was trained on {len(books)} books in {provenance['seconds']} s"


def score_folds(
    books: Sequence[TokenizedBook],
    jobs: Sequence[_Job],
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Return the scores of books, each resolved by the model that did not see it."""
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
        raise NoMatch(f"{data} has no annotated books to learn from")
    return books


def _headline(metrics: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in metrics.items() if "f1" in name)


def fit(
    texts: Sequence[AnnotatedText],
    settings: CoreferenceSettings,
    base: Path,
    progress: Progress = silent,
) -> CoreferenceNetwork:
    """Return a network trained on some texts."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    tokenizer = _tokenizer(base)
    ids = {text.name: _tokenize(tokenizer, text) for text in texts}
    ends = marks(tokenizer.token_to_id, base.name)
    network = CoreferenceNetwork(base, settings)
    steps = round(
        len(texts) * settings.epochs * (settings.whole + (1 - settings.whole) * settings.parts)
    )
    optimizer, schedule = _optimizer(network, settings, steps)
    network.train()
    done = 0
    for _ in range(settings.epochs):
        for stretch in draw_stretches(texts, rng, whole=settings.whole, parts=settings.parts):
            progress("training", done, steps)
            with torch.autocast("cpu", torch.bfloat16):
                loss = stretch_loss(network, stretch, ids[stretch[0].name], ends)
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


def stretch_loss(
    network: CoreferenceNetwork,
    stretch: Stretch,
    ids: Sequence[Sequence[int]],
    ends: tuple[int, int],
) -> torch.Tensor:
    """Return the loss of a stretch for each of its mentions: of words where mentions begin, of
    classes of spans, and of antecedents, all right ones together (Lee et al. 2017)."""
    text, begin, end = stretch
    vectors = network.word_vectors(text.words, ids, begin, end, ends)
    right = {
        (first - begin, last - begin): value
        for (first, last), value in text.mentions.items()
        if first >= begin and last < end
    }
    start_scores = network.start_scores(vectors)
    begins = torch.zeros(end - begin)
    begins[[first for first, _ in right]] = 1
    start_loss = functional.binary_cross_entropy_with_logits(start_scores, begins, reduction="sum")
    likely = np.flatnonzero((start_scores.detach() > START_LOGIT).numpy())
    starts = np.union1d(likely, [first for first, _ in right]).astype(np.int64)
    first, last = _candidate_spans(text, begin, end, starts)
    class_scores = network.class_scores(vectors, to_tensor(first), to_tensor(last))
    classes = [
        right.get(span, (0, ""))[0] for span in zip(first.tolist(), last.tolist(), strict=True)
    ]
    class_loss = functional.cross_entropy(class_scores, to_tensor(classes), reduction="sum")
    wrong = _wrong_mentions(first, last, class_scores.detach(), classes, len(right))
    mentions = sorted(
        [(*span, entity_class, chain) for span, (entity_class, chain) in right.items()] + wrong,
        key=lambda mention: (mention[0], -mention[1]),
    )
    loss = start_loss + class_loss
    if len(mentions) > 1:
        loss = loss + _antecedent_loss(network, text, begin, vectors, mentions)
    return loss / max(1, len(right))


def _candidate_spans(
    text: AnnotatedText, begin: int, end: int, starts: Ints1d
) -> tuple[Ints1d, Ints1d]:
    """Return all spans that begin with some words and are short enough, counted from `begin`."""
    limit = np.minimum(text.words.sentence_ends[starts + begin], end) - begin
    lengths = np.minimum(limit - starts, MAX_MENTION_WORDS)
    first = np.repeat(starts, lengths)
    return first, first + np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _wrong_mentions(
    first: Ints1d, last: Ints1d, scores: torch.Tensor, classes: Sequence[int], right: int
) -> list[tuple[int, int, int, str]]:
    """Return spans that the network takes for mentions wrongly, each a chain of its own."""
    odds = scores.softmax(1)
    taken = ((1 - odds[:, 0]) > MENTION_PROBABILITY).nonzero().squeeze(1).tolist()
    guesses = (odds[:, 1:].argmax(1) + 1).tolist()
    wrong = [at for at in taken if not classes[at]][: int(right * WRONG_SPANS)]
    return [(int(first[at]), int(last[at]), guesses[at], f"wrong {at}") for at in wrong]


def _antecedent_loss(
    network: CoreferenceNetwork,
    text: AnnotatedText,
    begin: int,
    vectors: torch.Tensor,
    mentions: Sequence[tuple[int, int, int, str]],
) -> torch.Tensor:
    first = to_tensor([mention[0] for mention in mentions])
    last = to_tensor([mention[1] for mention in mentions])
    table = build_table(
        text.words,
        [(begin + start, begin + end) for start, end, _, _ in mentions],
        [entity_class for _, _, entity_class, _ in mentions],
        text.text.cast,
        text.text.names,
    )
    scores = network.antecedent_scores(network.mention_vectors(vectors, first, last), table)
    numbers: dict[str, int] = {}
    chains = to_tensor([numbers.setdefault(chain, len(numbers)) for *_, chain in mentions])
    before = torch.ones(len(mentions), len(mentions), dtype=torch.bool).tril(-1)
    right = (chains[:, None] == chains[None]) & before
    none = torch.zeros(len(mentions), 1)
    scores = torch.cat([none, scores.masked_fill(~before, NEVER)], dim=1)
    right = torch.cat([~right.any(1, keepdim=True), right], dim=1)
    best = scores.masked_fill(~right, NEVER).logsumexp(1)
    loss: torch.Tensor = (scores.logsumexp(1) - best).sum()
    return loss


def write_model(
    network: CoreferenceNetwork, base: Path, out: Path, card_fields: dict[str, Any]
) -> dict[str, Any]:
    """Write the files of a model; return its card."""
    out.mkdir(parents=True, exist_ok=True)
    width = write_graph(network.encoder, out / "model.onnx", token_types=True)
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
        "precision": "int8 weights per output channel, dynamic int8 activations",
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
    """Return True if a model is there; its card is written last."""
    return (out / "card.json").is_file()


def _read_card(out: Path) -> dict[str, Any]:
    card: dict[str, Any] = json.loads((out / "card.json").read_text("utf-8"))
    return card


def _write_card(out: Path, card: Mapping[str, Any]) -> None:
    text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
    atomic.write_text(out / "card.json", text)


def _tokenizer(base: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _tokenize(tokenizer: Tokenizer, text: AnnotatedText) -> list[list[int]]:
    unknown = marks(tokenizer.token_to_id, text.name)[1]
    return [
        encoding.ids or [unknown]
        for encoding in tokenizer.encode_batch(list(text.words.words), add_special_tokens=False)
    ]
