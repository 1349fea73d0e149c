"""Training of the weights of the solver (scholar_indexes/characters/solver) on description banks.

    banks and novels -> questions -> features -> conditional logit -> weights.json

weights.json is next to the solver and includes its provenance. The weights are evaluated by leaving
one book out at a time. Training takes a minute per novel, most of it for encoding the text.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from scholar_cli.laboratory import outputs
from scholar_cli.laboratory.gandalf.dialogues import find_dialogue
from scholar_cli.laboratory.gandalf.paragraphs import choice_pairs
from scholar_cli.laboratory.report import commit
from scholar_indexes.arrays import Floats, Ints
from scholar_indexes.books.adding import ingest
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.quiz.bank_format import bank_record
from scholar_indexes.characters.quiz.questions import (
    KINDS,
    LEVELS,
    QuizQuestion,
    generate_questions,
)
from scholar_indexes.characters.solver.character_candidates import candidates_from_names
from scholar_indexes.characters.solver.sentence_vectors import encode_book
from scholar_indexes.characters.solver.solver import NAMED_SCORE, Solver
from scholar_indexes.characters.solver.weights import BASE_FEATURES, FEATURES
from scholar_indexes.errors import NoMatch
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

MAX_BASE_LEVEL = 2
"""The highest level for fitting the base weights. Higher levels refer to other characters by
descriptions, which the base weights resolve."""

MIN_LOG_PROBABILITY = -12
"""The minimum to which log-probabilities are clamped when descriptions compete for a character."""

LIMITS = (
    "English novels and this encoder. The books named here were fitted on, and what is weighed was "
    "chosen on them; among all of a book's people, not ten choices, it is right more seldom."
)


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """The hyperparameters: the L2 penalty (ridge), the weight of the loss over descriptions
    relative to the loss over characters, the optimizer's steps, and the seed."""

    ridge: float = 0.03
    among_descriptions: float = 0.5
    steps: int = 60
    seed: int = 7


@dataclass(frozen=True)
class BookQuestions:
    """The questions about a book, and its distinct descriptions (d) and candidates (c).

    levels (d,) are the levels of the descriptions, right (d,) the candidate of each, and barred
    (d, c) is True for the other candidates that a description names.
    """

    name: str
    solver: Solver
    questions: Sequence[QuizQuestion]
    descriptions: Sequence[str]
    levels: Ints
    right: Ints
    barred: NDArray[np.bool_]


def prepare_book(
    name: str,
    raw: bytes,
    bank: Sequence[DescribedCharacter],
    encoder: Encoder,
    speakers: ModelFiles | None,
    seed: int = 7,
) -> BookQuestions:
    """Return all questions of a bank about a novel, with the novel's solver."""
    draft = ingest.parse_draft(ingest.BookSource(raw, f"{name}.txt", None), language="en")
    dialogue, people = find_dialogue(draft, speakers)
    questions = generate_questions(bank, name, None, seed, tell=lambda line: None)
    labels = _label_descriptions(questions)
    names = sorted({character for character, _ in labels.values()})
    solver = Solver(
        encode_book(draft.text, draft.sentences, encoder),
        candidates_from_names(names, dialogue.cast if dialogue else ()),
        dialogue,
        encoder,
        people=people,
    )
    right = np.array([names.index(character) for character, _ in labels.values()], np.int64)
    barred = solver.named(list(labels)) > 0
    barred[np.arange(len(right)), right] = False
    levels = np.array([level for _, level in labels.values()], np.int64)
    return BookQuestions(name, solver, questions, list(labels), levels, right, barred)


def _label_descriptions(questions: Sequence[QuizQuestion]) -> dict[str, tuple[str, int]]:
    """Return the character and the level of each description in the questions."""
    labels: dict[str, tuple[str, int]] = {}
    for question in questions:
        if question.kind == "desc2name":
            pairs = [(question.text, question.character)]
        else:
            pairs = list(zip(question.choices, question.names, strict=True))
        for text, character in pairs:
            labels.setdefault(text, (character, question.level))
    return labels


def run(
    banks: Mapping[str, Sequence[DescribedCharacter]],
    texts: Mapping[str, bytes],
    encoder: Encoder,
    speakers: ModelFiles | None,
    out: Path,
    settings: SolverSettings = SolverSettings(),
    *,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train the weights on novels, by name, and write them to out with their provenance.

    Returns the written content: "weights" and "weights alone" by feature, the settings, the hashes
    of texts and banks, and the scores (see train). Raises NoMatch for fewer than two books, and
    UsageError if out exists or its folder does not.
    """
    outputs.check_new_file(out)
    if len(banks) < 2:
        raise NoMatch("weights are fitted on two books or more; give more: -b BOOK -b BOOK")
    books = []
    for done, (name, bank) in enumerate(banks.items()):
        progress(f"reading {name}", done, len(banks))
        books.append(prepare_book(name, texts[name], bank, encoder, speakers, settings.seed))
    content = {
        "made_by": "scholar-lab train characters " + " ".join(f"-b {name}" for name in banks),
        "limits": LIMITS,
        "training": {
            "recipe": asdict(settings),
            "encoder": encoder.space,
            "speakers": speakers.space if speakers else "",
            "commit": commit(),
            "books": {
                book.name: {
                    "descriptions": len(book.descriptions),
                    "questions": len(book.questions),
                    "text_sha256": sha256(texts[book.name]).hexdigest(),
                    "bank_sha256": hash_bank(banks[book.name]),
                }
                for book in books
            },
        },
        **train(books, settings, progress),
    }
    atomic.write_text(out, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return content


def hash_bank(bank: Sequence[DescribedCharacter]) -> str:
    """Return the SHA-256 of a bank, independent of its file."""
    records = list(map(bank_record, bank))
    text = json.dumps(records, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def train(
    books: Sequence[BookQuestions], settings: SolverSettings, progress: Progress = silent
) -> dict[str, Any]:
    """Return the weights by feature, rounded, and "scores": the accuracy by kind and level over
    all books, and by kind for each book, with each book answered by the weights of the others."""
    base_sets = [_base_training_set(book) for book in books]
    training_sets = []
    for number, book in enumerate(books):
        progress(f"fitting weights for {book.name}", number, len(books))
        base_weights = fit_base(_leave_out(base_sets, number), settings)
        features = book.solver.features(book.descriptions, base_weights.tolist())
        training_sets.append(_training_set(book, features))
    progress("fitting weights", len(books), len(books))
    tables = {}
    for number, book in enumerate(books):
        weights = fit(_leave_out(training_sets, number), settings)
        tables[book.name] = log_probabilities(book, training_sets[number].features, weights)
    return {
        "scores": _scores(books, tables),
        "weights alone": _round_weights(BASE_FEATURES, fit_base(base_sets, settings)),
        "weights": _round_weights(FEATURES, fit(training_sets, settings)),
    }


def _leave_out(training_sets: Sequence[SolverTrainingSet], number: int) -> list[SolverTrainingSet]:
    return [*training_sets[:number], *training_sets[number + 1 :]]


def _scores(
    books: Sequence[BookQuestions], tables: Mapping[str, Floats]
) -> dict[str, dict[str, float]]:
    scores = {"left out one by one": accuracy(books, tables)}
    for book in books:
        of_book = accuracy([book], tables)
        scores[book.name] = {kind: of_book[kind] for kind in KINDS if kind in of_book}
    return scores


@dataclass(frozen=True, slots=True)
class SolverTrainingSet:
    """Training data of one book: features (d, c, f), the right candidate of each description
    (d,), the barred candidates (d, c), and the levels (d,), within which descriptions compete."""

    features: Floats
    right: Ints
    barred: NDArray[np.bool_]
    levels: Ints


def _training_set(
    book: BookQuestions, features: Floats, rows: Ints | None = None
) -> SolverTrainingSet:
    """Return the training set of the given descriptions of a book (default: all)."""
    selected = np.arange(len(book.right)) if rows is None else rows
    return SolverTrainingSet(
        features[selected], book.right[selected], book.barred[selected], book.levels[selected]
    )


def _base_training_set(book: BookQuestions) -> SolverTrainingSet:
    rows = np.flatnonzero(book.levels <= MAX_BASE_LEVEL)
    return _training_set(book, book.solver.base_features(book.descriptions), rows)


def fit_base(training_sets: Sequence[SolverTrainingSet], settings: SolverSettings) -> Floats:
    """Return the weights of the base features, fitted by choosing among characters only."""
    return fit(training_sets, replace(settings, among_descriptions=0))


def fit(training_sets: Sequence[SolverTrainingSet], settings: SolverSettings) -> Floats:
    """Return the weights (f,) of a conditional logit (McFadden 1974) with an L2 penalty.

    The loss is the cross-entropy of each description's character, and of each character's
    description among the descriptions of its level.
    """
    data = [
        (
            torch.tensor(examples.features),
            torch.tensor(examples.right),
            torch.tensor(examples.barred),
            examples,
        )
        for examples in training_sets
    ]
    weights = torch.zeros(training_sets[0].features.shape[2], requires_grad=True)
    n = sum(len(examples.right) for examples in training_sets)
    optimizer = torch.optim.LBFGS([weights], max_iter=settings.steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = torch.zeros(())
        for features, right, barred, examples in data:
            scores = torch.where(barred, torch.tensor(NAMED_SCORE), features @ weights)
            log_probability = torch.log_softmax(scores, 1)
            total = total - log_probability[torch.arange(len(right)), right].sum()
            if settings.among_descriptions:
                among = _description_loss(log_probability, examples)
                total = total + settings.among_descriptions * among
        total = total / n + settings.ridge * (weights**2).sum()
        total.backward()
        return total

    optimizer.step(loss)
    fitted: Floats = weights.detach().numpy()
    return fitted


def _description_loss(log_probability: torch.Tensor, examples: SolverTrainingSet) -> torch.Tensor:
    """Return the cross-entropy of the right description of each character among the descriptions
    of one level, without others of the same character."""
    total = torch.zeros(())
    for level in np.unique(examples.levels):
        rows = np.flatnonzero(examples.levels == level)
        right = torch.tensor(examples.right[rows])
        scores = log_probability[torch.tensor(rows)].clamp(min=MIN_LOG_PROBABILITY)[:, right]
        same = (right[:, None] == right[None]) & ~torch.eye(len(rows), dtype=torch.bool)
        scores = torch.where(same, torch.tensor(NAMED_SCORE), scores)
        total = total - torch.log_softmax(scores, 0).diagonal().sum()
    return total


def log_probabilities(book: BookQuestions, features: Floats, weights: Floats) -> Floats:
    """Return the log-probability that each description means each candidate, (d, c)."""
    scores = np.where(book.barred, np.float32(NAMED_SCORE), features @ weights)
    shifted = scores - scores.max(axis=1, keepdims=True)
    table: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return table


def accuracy(books: Sequence[BookQuestions], tables: Mapping[str, Floats]) -> dict[str, float]:
    """Return the accuracy by kind, and by kind and level; tables are the log-probabilities of each
    book."""
    hits: defaultdict[str, list[bool]] = defaultdict(list)
    for book in books:
        for question, hit in zip(book.questions, _hits(book, tables[book.name]), strict=True):
            hits[question.kind].append(hit)
            hits[f"{question.kind} {question.level}"].append(hit)
    keys = [key for kind in KINDS for key in (kind, *(f"{kind} {level}" for level in LEVELS))]
    return {key: round(float(np.mean(hits[key])), 4) for key in keys if key in hits}


def _hits(book: BookQuestions, table: Floats) -> Iterator[bool]:
    """Yield for each question True if its right choice has the best score."""
    rows = {text: row for row, text in enumerate(book.descriptions)}
    columns = {candidate.name: column for column, candidate in enumerate(book.solver.candidates)}
    for question in book.questions:
        scores = [table[rows[text], columns[name]] for name, text in choice_pairs(question)]
        yield int(np.argmax(scores)) == question.answer


def _round_weights(names: Sequence[str], weights: Floats) -> dict[str, float]:
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
