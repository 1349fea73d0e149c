"""Train the model that says what the sentences of an abstract are for.

    papers -> sentence vectors -> (network, chain) -> model.safetensors, words.json, card.json

The papers are those of CSFCube (Mysore et al. 2021), or others in their form. Their labels are
a classifier's, with errors; only the papers that served as queries were corrected by hand. Those
are named by the annotations, are never trained on, and are measured apart. The rest fall into
parts by their title, so that two copies of a paper meet in one part. The model belongs to the
encoder whose vectors it learned from: another encoder needs another model. Minutes on a CPU.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from scholar_cli.bench import metrics, report
from scholar_indexes.encoder import Encoder, Floats2d
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.models import file_sha256
from scholar_indexes.papers import facets
from scholar_indexes.papers.facets import FACETS, LABELS, WEIGHTS, WORDS, FacetModel
from scholar_indexes.types import Facet, Progress, silent

TRAIN, VALIDATION, TEST, CORRECTED = "train", "validation", "test", "hand-corrected"

MERGED = {"objective": Facet.BACKGROUND}
"""Labels of the papers that are one of ours by another name (section 3.1 of the paper)."""

ENCODED_AT_ONCE = 2_048

Known = tuple["Labelled", Floats2d, Sequence[Sequence[int]]]
"""A paper, its vectors, and the rows of the phrases in each of its sentences."""

PARTS = ("vectors", "words", "places", "neighbours", "chain")
"""What a recipe can do without, to learn what each is worth."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what comes out, beside the data.

    least is in how many papers a phrase stands that is a cue; forgotten are the shares of a
    sentence's values, of its vector's and of its phrases that are hidden while learning. Of
    the share unread of the abstracts it learns the places alone, as it meets them in a language
    it does not know; of the share cut only a stretch, because no abstract here is shorter than
    three sentences and others are.
    """

    least: int = 20
    mixed: int = 48
    states: int = 32
    epochs: int = 9
    batch: int = 32
    learning_rate: float = 2e-3
    weight_decay: float = 1e-2
    forgotten: tuple[float, float, float] = (0.3, 0.2, 0.2)
    unread: float = 0.1
    cut: float = 0.2
    seed: int = 0
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled:
    """A paper whose sentences have facets, and the part of the data it belongs to."""

    id: str
    texts: tuple[str, ...]
    facets: tuple[Facet, ...]
    part: str

    @property
    def answers(self) -> list[int]:
        return [LABELS.index(each) for each in self.facets]


def train(
    papers: Path,
    encoder: Encoder,
    out: Path,
    recipe: Recipe | None = None,
    *,
    annotations: Path | None = None,
    choose: bool = False,
    said: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on a file of labelled papers, measure, and write a model folder; returns the card.

    papers is papers.jsonl or papers.jsonl.xz; annotations the file that names the query papers,
    and by default annotations.jsonl beside it, where there is one. With choose the model learns
    from the training papers and is measured on those for validation, to choose a recipe by;
    without, it learns from both and is measured on the test papers and the hand-corrected. said
    goes into the card. Raises UsageError when out holds a finished model, a line is no labelled
    paper, or the recipe does without what there is not; NotThere without the file, NoMatch when
    no papers are left to learn from.
    """
    recipe = recipe or Recipe()
    if (out / "card.json").exists():
        raise UsageError(f"{out} holds a finished model; give a new --out")
    if unknown := set(recipe.without) - set(PARTS):
        raise UsageError(f"{min(unknown)!r} is no part of the model: {', '.join(PARTS)}")
    found = read(papers, annotations)
    learned_from = (TRAIN,) if choose else (TRAIN, VALIDATION)
    vectors = encoded(found, encoder, progress)
    training = [at for at, each in enumerate(found) if each.part in learned_from]
    if not training:
        raise NoMatch(f"{papers} has no paper to learn from; give more labelled papers")
    began = time.monotonic()
    words, tensors = fit(
        [found[at] for at in training], [vectors[at] for at in training], recipe, progress
    )
    model = facets.assembled(out.name, encoder.space, words, tensors)
    seconds = round(time.monotonic() - began)
    scores = {}
    for part in (VALIDATION,) if choose else (TEST, CORRECTED):
        of_part = [at for at, each in enumerate(found) if each.part == part]
        if of_part:
            scores[part] = measured(
                [found[at] for at in of_part], [vectors[at] for at in of_part], model
            )
            say(f"{part}: {scores[part]}")
    learned = {
        "recipe": asdict(recipe),
        "papers": len(training),
        "sentences": sum(len(found[at].texts) for at in training),
        "data_sha256": sha256(found),
        "torch": torch.__version__,
        "commit": report.commit(),
        "seconds": seconds,
    }
    card = {**(said or {}), "training": learned, "scores": scores}
    return write(words, tensors, encoder.space, out, card)


# -- the papers ----------------------------------------------------------------------------


def read(papers: Path, annotations: Path | None = None) -> list[Labelled]:
    """The papers of a file, each with its part: of those that are not hand-corrected 8 in 10
    are for training, 1 for validation, 1 for the test.

    Another copy of a hand-corrected paper is in no part. Raises what train does.
    """
    beside = papers.parent / "annotations.jsonl"
    if annotations is None and beside.is_file():
        annotations = beside
    corrected: set[str] = set()
    if annotations is not None:
        corrected = {str(each["query_id"]) for _, each in _lines(annotations, ("query_id",))}
    rows = list(_lines(papers, ("paper_id", "title", "abstract")))
    copies = {_letters(row["title"]) for _, row in rows if str(row["paper_id"]) in corrected}
    found = []
    for number, row in rows:
        try:
            texts = tuple(str(each["text"]) for each in row["abstract"])
            named = tuple(_facet(each["facet"]) for each in row["abstract"])
        except (KeyError, TypeError, ValueError) as broken:
            raise UsageError(
                f"{papers}, line {number}: no labelled paper ({broken}); mend it"
            ) from None
        if not texts:
            continue
        title = _letters(row["title"])
        part = _part(title)
        if str(row["paper_id"]) in corrected:
            part = CORRECTED
        elif title in copies:
            part = ""
        found.append(Labelled(str(row["paper_id"]), texts, named, part))
    if not found:
        raise NoMatch(f"{papers} has no labelled sentence; give labelled papers")
    return found


def encoded(papers: Sequence[Labelled], encoder: Encoder, progress: Progress) -> list[Floats2d]:
    """The vectors of each paper's sentences."""
    texts = [text for each in papers for text in each.texts]
    parts = []
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        progress("encoding sentences", start, len(texts))
        parts.append(encoder.encode(texts[start : start + ENCODED_AT_ONCE]))
    edges = np.cumsum([0, *(len(each.texts) for each in papers)])
    whole = np.concatenate(parts)
    return [whole[start:end] for start, end in pairwise(edges)]


def sha256(papers: Sequence[Labelled]) -> str:
    """The hash of all texts, facets and parts."""
    digest = hashlib.sha256()
    for each in papers:
        digest.update(json.dumps([each.id, each.texts, each.facets, each.part]).encode())
    return digest.hexdigest()


def _lines(path: Path, keys: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        packed = path.read_bytes()
        text = (lzma.decompress(packed) if path.suffix == ".xz" else packed).decode("utf-8")
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; name a file of labelled papers") from None
    except (OSError, ValueError, lzma.LZMAError) as refusal:
        raise UsageError(f"{path} cannot be read ({refusal}); save it anew") from refusal
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not all(key in row for key in keys):
                raise ValueError(f"it needs {', '.join(keys)}")
        except (ValueError, TypeError, RecursionError) as broken:
            raise UsageError(f"{path}, line {number}: {broken}; mend it") from None
        yield number, row


def _facet(name: str) -> Facet:
    return MERGED.get(name) or Facet(name)


def _letters(title: object) -> str:
    return "".join(each for each in str(title).lower() if each.isalnum())


def _part(title: str) -> str:
    share = hashlib.sha256(title.encode()).digest()[0] / 256
    return TRAIN if share < 0.8 else VALIDATION if share < 0.9 else TEST


# -- the network ---------------------------------------------------------------------------


class Network(nn.Module):  # type: ignore[misc]
    """What facets.scored computes, for many abstracts at once and with a gradient.

    The parts a recipe does without are nought, and stay so.
    """

    def __init__(self, dimensions: int, phrases: int, recipe: Recipe) -> None:
        super().__init__()
        self.recipe = recipe
        self.on = {part: float(part not in recipe.without) for part in PARTS}
        self.vectors = nn.Linear(dimensions, recipe.mixed)
        self.places = nn.Linear(facets.PLACES, recipe.mixed, bias=False)
        self.nothing = phrases  # the row that stands for no phrase
        self.phrases = nn.EmbeddingBag(
            phrases + 1, recipe.mixed, mode="sum", padding_idx=self.nothing
        )
        nn.init.normal_(self.phrases.weight, std=0.02)
        with torch.no_grad():
            self.phrases.weight[self.nothing] = 0.0
        self.reader = nn.GRU(recipe.mixed, recipe.states, bidirectional=True, batch_first=True)
        self.scores = nn.Linear(recipe.mixed + 2 * recipe.states, len(LABELS))
        self.first = nn.Parameter(torch.zeros(len(LABELS)))
        self.follows = nn.Parameter(torch.zeros(len(LABELS), len(LABELS)))
        self.last = nn.Parameter(torch.zeros(len(LABELS)))

    def forward(
        self,
        vectors: torch.Tensor,
        phrases: torch.Tensor,
        places: torch.Tensor,
        there: torch.Tensor,
    ) -> torch.Tensor:
        """The scores (b, t, 4) of vectors (b, t, d), phrases (b, t, p), places (b, t, PLACES),
        where there (b, t) says which sentences are."""
        of_values, of_vectors, of_phrases = self.recipe.forgotten
        drop, texts = nn.functional.dropout, there.shape[0] * there.shape[1]
        kept = torch.rand(phrases.shape) >= of_phrases
        phrases = torch.where(kept, phrases, self.nothing)
        summed = self.phrases(phrases.view(texts, -1)).view(*there.shape, -1) / (1 - of_phrases)
        mixed = (
            self.vectors(self.on["vectors"] * facets.SPREAD * drop(vectors, of_vectors))
            + self.on["words"] * summed
            + self.on["places"] * self.places(places)
        )
        mixed = drop(torch.relu(mixed), of_values) * there[..., None]
        packed = nn.utils.rnn.pack_padded_sequence(
            mixed, there.sum(1), batch_first=True, enforce_sorted=False
        )
        context, _ = nn.utils.rnn.pad_packed_sequence(
            self.reader(packed)[0], batch_first=True, total_length=there.shape[1]
        )
        context = self.on["neighbours"] * drop(context, of_values)
        result: torch.Tensor = self.scores(torch.cat((mixed, context), -1))
        return result

    def loss(
        self, scores: torch.Tensor, there: torch.Tensor, answers: torch.Tensor
    ) -> torch.Tensor:
        """Minus the log-likelihood of the answers (b, t) in the chain, for each sentence."""
        first, follows, last = (
            self.on["chain"] * each for each in (self.first, self.follows, self.last)
        )
        lengths = there.sum(1)
        right = scores.gather(2, answers[..., None])[..., 0] * there
        steps = follows[answers[:, :-1], answers[:, 1:]] * there[:, 1:]
        final = answers[torch.arange(len(answers)), lengths - 1]
        path = first[answers[:, 0]] + right.sum(1) + steps.sum(1) + last[final]
        total = first + scores[:, 0]
        for at in range(1, scores.shape[1]):
            following = torch.logsumexp(total[:, :, None] + follows, 1) + scores[:, at]
            total = torch.where(there[:, at, None], following, total)
        return (torch.logsumexp(total + last, 1) - path).sum() / there.sum()

    def tensors(self) -> dict[str, NDArray[np.float16]]:
        """The weights by their names in a model, those of parts that are off nought."""
        reader, mixed = self.reader, self.recipe.mixed
        found = {
            "phrases": self.on["words"] * self.phrases.weight[:-1],
            "vectors": self.on["vectors"] * self.vectors.weight,
            "places": self.on["places"] * self.places.weight,
            "bias": self.vectors.bias,
            "scores": torch.cat(
                (self.scores.weight[:, :mixed],
                 self.on["neighbours"] * self.scores.weight[:, mixed:]), 1
            ),
            "score_bias": self.scores.bias,
            "first": self.on["chain"] * self.first,
            "follows": self.on["chain"] * self.follows,
            "last": self.on["chain"] * self.last,
        }  # fmt: skip
        for way, suffix in (("onward", ""), ("backward", "_reverse")):
            found |= {
                f"{way}.inputs": getattr(reader, f"weight_ih_l0{suffix}"),
                f"{way}.states": getattr(reader, f"weight_hh_l0{suffix}"),
                f"{way}.input_bias": getattr(reader, f"bias_ih_l0{suffix}"),
                f"{way}.state_bias": getattr(reader, f"bias_hh_l0{suffix}"),
            }
        return {key: each.detach().numpy().astype(np.float16) for key, each in found.items()}


def fit(
    papers: Sequence[Labelled],
    vectors: Sequence[Floats2d],
    recipe: Recipe,
    progress: Progress = silent,
) -> tuple[list[str], dict[str, NDArray[np.float16]]]:
    """The words that are cues and the tensors of a model."""
    torch.manual_seed(recipe.seed)
    draw = np.random.default_rng(recipe.seed)
    words = vocabulary(papers, recipe.least)
    rows = {word: row for row, word in enumerate(words)}
    known = [
        [sorted(rows[cue] for cue in facets.cues(text) if cue in rows) for text in each.texts]
        for each in papers
    ]
    network = Network(vectors[0].shape[1], len(words), recipe)
    phrases = [network.phrases.weight]
    others = [each for name, each in network.named_parameters() if name != "phrases.weight"]
    optimizer = torch.optim.AdamW(
        [
            {"params": others, "weight_decay": recipe.weight_decay},
            {"params": phrases, "weight_decay": 10 * recipe.weight_decay},  # most are rare
        ],
        lr=recipe.learning_rate,
    )
    batches = -(-len(papers) // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, recipe.learning_rate, recipe.epochs * batches + 1
    )
    network.train()
    for epoch in range(recipe.epochs):
        progress("training", epoch, recipe.epochs)
        for chosen in np.array_split(draw.permutation(len(papers)), batches):
            picked = [_varied(papers[at], vectors[at], known[at], recipe, draw) for at in chosen]
            given, there, answers = _padded(picked, network.nothing)
            loss = network.loss(network(*given, there), there, answers)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
    progress("training", recipe.epochs, recipe.epochs)
    return words, network.tensors()


def vocabulary(papers: Sequence[Labelled], least: int) -> list[str]:
    """The words and phrases that stand in at least so many papers, the commonest first."""
    counts = Counter(
        cue
        for each in papers
        for cue in set().union(*(facets.cues(text) for text in each.texts))
    )  # fmt: skip
    kept = [(-count, cue) for cue, count in counts.items() if count >= least]
    return [cue for _, cue in sorted(kept)]


def _varied(
    paper: Labelled,
    vectors: Floats2d,
    known: Sequence[Sequence[int]],
    recipe: Recipe,
    draw: np.random.Generator,
) -> Known:
    """A paper as it is, a stretch of it, or one that cannot be read."""
    n = len(paper.texts)
    if draw.random() < recipe.cut:
        start = int(draw.integers(n))
        end = int(draw.integers(start, n)) + 1
        paper = replace(paper, texts=paper.texts[start:end], facets=paper.facets[start:end])
        vectors, known = vectors[start:end], known[start:end]
    if draw.random() < recipe.unread:
        vectors, known = np.zeros_like(vectors), [()] * len(known)
    return paper, vectors, known


def _padded(
    papers: Sequence[Known], nothing: int
) -> tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor, torch.Tensor]:
    """A batch: vectors, phrases and places; which sentences are there; their facets."""
    most = max(len(each.texts) for each, _, _ in papers)
    longest = max(1, *(len(row) for _, _, rows in papers for row in rows))
    vectors = np.zeros((len(papers), most, papers[0][1].shape[1]), np.float32)
    phrases = np.full((len(papers), most, longest), nothing, np.int64)
    places = np.zeros((len(papers), most, facets.PLACES), np.float32)
    there = np.zeros((len(papers), most), np.bool_)
    answers = np.zeros((len(papers), most), np.int64)
    for at, (paper, own, known) in enumerate(papers):
        n = len(paper.texts)
        vectors[at, :n], there[at, :n], answers[at, :n] = own, True, paper.answers
        places[at, :n] = facets.places(paper.texts)
        for sentence, row in enumerate(known):
            phrases[at, sentence, : len(row)] = row
    given = (torch.from_numpy(vectors), torch.from_numpy(phrases), torch.from_numpy(places))
    return given, torch.from_numpy(there), torch.from_numpy(answers)


# -- how good it is ------------------------------------------------------------------------


def measured(
    papers: Sequence[Labelled], vectors: Sequence[Floats2d], model: FacetModel
) -> dict[str, Any]:
    """How often a model is right on papers, as figures does, from what facets.label says."""
    guesses = []
    for paper, own in zip(papers, vectors, strict=True):
        named, _ = facets.label(own, paper.texts, model)
        guesses.append([LABELS.index(each) for each in named])
    return figures([each.answers for each in papers], guesses)


def figures(answers: Sequence[Sequence[int]], guesses: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Accuracy, F1 of each facet and their mean, each with the bounds that hold it in 95 of
    100 resamples of the papers: [value, low, high]."""
    counts = np.zeros((len(answers), len(LABELS), len(LABELS)))
    for paper, pair in enumerate(zip(answers, guesses, strict=True)):
        np.add.at(counts[paper], tuple(map(np.asarray, pair)), 1)
    chance = np.random.default_rng(0)
    drawn = chance.integers(0, len(answers), (metrics.RESAMPLES, len(answers)))
    resampled = np.stack([_measures(counts[each].sum(axis=0)) for each in drawn])
    low, high = np.percentile(resampled, (2.5, 97.5), axis=0)
    bounds = np.stack([_measures(counts.sum(axis=0)), low, high], axis=1).round(4).tolist()
    names = ("accuracy", "macro_f1", *(f"f1_{each}" for each in LABELS))
    return {
        "papers": len(answers),
        "sentences": int(counts.sum()),
        **dict(zip(names, bounds, strict=True)),
    }


def _measures(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Accuracy, mean F1 and each F1 of counts (answer, guess); 0 for a facet that is neither."""
    hits = np.diag(counts)
    f1 = 2 * hits / np.maximum(counts.sum(axis=0) + counts.sum(axis=1), 1)
    return np.array([hits.sum() / counts.sum(), f1.mean(), *f1])


# -- the folder ----------------------------------------------------------------------------


def write(
    words: Sequence[str],
    tensors: Mapping[str, NDArray[np.float16]],
    space: str,
    out: Path,
    said: Mapping[str, Any],
) -> dict[str, Any]:
    """Write a model with its card, the card last; returns the card."""
    from safetensors.numpy import save_file

    out.mkdir(parents=True, exist_ok=True)
    save_file({key: np.ascontiguousarray(each) for key, each in tensors.items()}, out / WEIGHTS)
    text = json.dumps(list(words), ensure_ascii=False, separators=(",", ":"))
    (out / WORDS).write_text(text + "\n", "utf-8")
    name = out.resolve().name
    weights = file_sha256(out / WEIGHTS)
    card = {
        "name": name,
        "task": FACETS,
        "reads": space,
        "precision": "float16",
        "dimensions": len(LABELS),
        "max_tokens": 0,
        "pooling": "none",
        "space": f"{name}-{weights[:8]}",
        "weights_sha256": weights,
        "files": {each: file_sha256(out / each) for each in (WEIGHTS, WORDS)},
        **said,
    }
    unfinished = out / "card.json.part"
    unfinished.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")
    os.replace(unfinished, out / "card.json")
    return card
