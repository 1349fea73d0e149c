"""Fit the weights of the solver (scholar_indexes/characters/solve.py) on description banks.

    banks and novels -> questions -> features -> conditional logit -> weights.json

The weights are few, and stand beside the solver in a file that says how they were made. How good
they are is told by leaving one book out at a time. A minute a novel, most of it to encode it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from scholar_cli.bench.report import commit
from scholar_indexes import ingest
from scholar_indexes.characters import questions as asking
from scholar_indexes.characters import solve
from scholar_indexes.characters.bank import Described
from scholar_indexes.characters.questions import KINDS, LEVELS, Question
from scholar_indexes.characters.solve import ALONE, FEATURES, NAMED, Solver
from scholar_indexes.encoder import Encoder
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models import ModelFiles
from scholar_indexes.speakers import dialogue
from scholar_indexes.types import Progress, silent

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

LATER = 2
"""The levels above this describe others by descriptions; what those mean is learned below it."""


LIMITS = (
    "English novels and this encoder. The books named here were fitted on, and what is weighed was "
    "chosen on them; among all of a book's people, not ten choices, it is right more seldom."
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what comes out, beside the data: the weight of the squares, and
    how much it counts to choose among descriptions beside choosing among characters."""

    ridge: float = 0.03
    among_descriptions: float = 0.5
    steps: int = 60
    seed: int = 7


@dataclass(frozen=True)
class Asked:
    """A book's questions: each description once, its level, whose it is among the candidates
    (d,), and whom it names beside (d, c)."""

    name: str
    solver: Solver
    questions: Sequence[Question]
    descriptions: Sequence[str]
    levels: Ints
    right: Ints
    barred: NDArray[np.bool_]


def asked(
    name: str,
    raw: bytes,
    bank: Sequence[Described],
    encoder: Encoder,
    speakers: ModelFiles | None,
    seed: int = 7,
) -> Asked:
    """The questions that a bank gives about a novel, with its solver."""
    draft = ingest.draft(ingest.Source(raw, f"{name}.txt", None), language="en")
    method = dialogue.TRAINED if speakers else dialogue.SIEVE
    try:
        said = dialogue.read(draft.text, draft.chapters, method, speakers)
    except NoMatch:
        said = None
    questions = asking.make(bank, name, None, seed, tell=lambda line: None)
    whose: dict[str, tuple[str, int]] = {}
    for each in questions:
        told = (
            [(each.text, each.character)]
            if each.kind == "desc2name"
            else list(zip(each.choices, each.names, strict=True))
        )
        for text, character in told:
            whose.setdefault(text, (character, each.level))
    names = sorted({character for character, _ in whose.values()})
    solver = Solver(
        solve.read(draft.text, draft.sentences, encoder),
        solve.candidates(names, said.cast if said else ()), said, encoder,
    )  # fmt: skip
    right = np.array([names.index(character) for character, _ in whose.values()], np.int64)
    barred = solver.named(list(whose)) > 0
    barred[np.arange(len(right)), right] = False
    levels = np.array([level for _, level in whose.values()], np.int64)
    return Asked(name, solver, questions, list(whose), levels, right, barred)


def run(
    banks: Mapping[str, Sequence[Described]],
    texts: Mapping[str, bytes],
    encoder: Encoder,
    speakers: ModelFiles | None,
    out: Path,
    recipe: Recipe = Recipe(),
    *,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fit the weights on novels, by name, and write them to out with all that made them.

    Returns what is written: "weights" and "weights alone" by feature, the recipe, the hashes of
    texts and banks, and the scores (see learned). Raises NoMatch for fewer than two books, and
    UsageError for an out that is there, or in no folder.
    """
    if out.exists() or not out.parent.is_dir():
        wrong = "is there already" if out.exists() else "is in a folder that is not there"
        raise UsageError(f"{out} {wrong}; name a new file")
    if len(banks) < 2:
        raise NoMatch("weights are fitted on two books or more; name more: -b BOOK -b BOOK")
    books = []
    for done, (name, bank) in enumerate(banks.items()):
        progress(f"reading {name}", done, len(banks))
        books.append(asked(name, texts[name], bank, encoder, speakers, recipe.seed))
    made = {
        "made_by": "scholar train characters " + " ".join(f"-b {name}" for name in banks),
        "limits": LIMITS,
        "training": {
            "recipe": asdict(recipe), "encoder": encoder.space,
            "speakers": speakers.space if speakers else "", "commit": commit(),
            "books": {
                each.name: {
                    "descriptions": len(each.descriptions), "questions": len(each.questions),
                    "text_sha256": sha256(texts[each.name]).hexdigest(),
                    "bank_sha256": digest(banks[each.name]),
                }
                for each in books
            },
        },
        **learned(books, recipe, progress),
    }  # fmt: skip
    unfinished = out.with_name(out.name + ".part")
    unfinished.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
    os.replace(unfinished, out)
    return made


def digest(bank: Sequence[Described]) -> str:
    """The SHA-256 of a bank, whatever file it was read from."""
    text = json.dumps([asdict(each) for each in bank], ensure_ascii=False, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def learned(books: Sequence[Asked], recipe: Recipe, progress: Progress = silent) -> dict[str, Any]:
    """The weights by feature, rounded, and "scores": accuracy by kind and level, and of each
    book, with each book answered by the weights of the others."""
    plain = [each.solver.features_alone(each.descriptions) for each in books]
    simple = [np.flatnonzero(each.levels <= LATER) for each in books]

    def alone(those: Sequence[int]) -> Floats:
        data = [_part(books[at], plain[at], simple[at]) for at in those]
        return fit(data, replace(recipe, among_descriptions=0))

    everyone = range(len(books))
    full = []
    for at, book in enumerate(books):
        progress(f"weighing {book.name}", at, len(books))
        weights = alone([other for other in everyone if other != at])
        full.append(book.solver.features(book.descriptions, weights.tolist()))
    progress("weighing", len(books), len(books))
    tables = {}
    for at, book in enumerate(books):
        data = [_part(books[other], full[other]) for other in everyone if other != at]
        tables[book.name] = scored(book, full[at], fit(data, recipe))
    by_book = {each.name: accuracy([each], tables) for each in books}
    return {
        "scores": {
            "left out one by one": accuracy(books, tables),
            **{name: {kind: of[kind] for kind in KINDS if kind in of}
               for name, of in by_book.items()},
        },
        "weights alone": _named(ALONE, alone(everyone)),
        "weights": _named(FEATURES, fit([_part(books[at], full[at]) for at in everyone], recipe)),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """What is learned from: features (d, c, f), who is right (d,), who is barred (d, c), and
    the levels (d,), within which descriptions compete."""

    features: Floats
    right: Ints
    barred: NDArray[np.bool_]
    levels: Ints


def fit(parts: Sequence[Part], recipe: Recipe) -> Floats:
    """The weights of a conditional logit (McFadden 1974) with a ridge, (f,).

    A description is to choose its character, and a character its description among those of
    one level, both by how likely descriptions mean characters.
    """
    data = [
        (torch.tensor(each.features), torch.tensor(each.right), torch.tensor(each.barred), each)
        for each in parts
    ]
    weights = torch.zeros(parts[0].features.shape[2], requires_grad=True)
    n = sum(len(each.right) for each in parts)
    search = torch.optim.LBFGS([weights], max_iter=recipe.steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        search.zero_grad()
        total = torch.zeros(())
        for features, right, barred, part in data:
            table = torch.where(barred, torch.tensor(NAMED), features @ weights)
            likely = torch.log_softmax(table, 1)
            total = total - likely[torch.arange(len(right)), right].sum()
            if recipe.among_descriptions:
                total = total + recipe.among_descriptions * _among(likely, part)
        total = total / n + recipe.ridge * (weights**2).sum()
        total.backward()
        return total

    search.step(loss)
    found: Floats = weights.detach().numpy()
    return found


def _among(likely: torch.Tensor, part: Part) -> torch.Tensor:
    total = torch.zeros(())
    for level in np.unique(part.levels):
        rows = np.flatnonzero(part.levels == level)
        right = torch.tensor(part.right[rows])
        chosen = likely[torch.tensor(rows)].clamp(min=-12)[:, right]
        same = (right[:, None] == right[None]) & ~torch.eye(len(rows), dtype=torch.bool)
        chosen = torch.where(same, torch.tensor(NAMED), chosen)
        total = total - torch.log_softmax(chosen, 0).diagonal().sum()
    return total


def scored(book: Asked, features: Floats, weights: Floats) -> Floats:
    """The logarithm of how likely each description means each candidate, (d, c)."""
    table = np.where(book.barred, np.float32(NAMED), features @ weights)
    middle = table - table.max(axis=1, keepdims=True)
    found: Floats = middle - np.log(np.exp(middle).sum(axis=1, keepdims=True))
    return found


def accuracy(books: Sequence[Asked], tables: Mapping[str, Floats]) -> dict[str, float]:
    """The share of questions answered rightly, by kind, and by kind and level."""
    right: dict[str, list[bool]] = {}
    for book in books:
        table = tables[book.name]
        row = {text: at for at, text in enumerate(book.descriptions)}
        column = {each.name: at for at, each in enumerate(book.solver.who)}
        for each in book.questions:
            pairs = (
                [(each.text, name) for name in each.choices]
                if each.kind == "desc2name"
                else [(text, each.text) for text in each.choices]
            )
            scores = [table[row[text], column[name]] for text, name in pairs]
            hit = int(np.argmax(scores)) == each.answer
            for key in (each.kind, f"{each.kind} {each.level}"):
                right.setdefault(key, []).append(hit)
    keys = [key for kind in KINDS for key in (kind, *(f"{kind} {level}" for level in LEVELS))]
    return {key: round(float(np.mean(right[key])), 4) for key in keys if key in right}


def _part(book: Asked, features: Floats, rows: Ints | None = None) -> Part:
    at = np.arange(len(book.right)) if rows is None else rows
    return Part(features[at], book.right[at], book.barred[at], book.levels[at])


def _named(names: Sequence[str], weights: Floats) -> dict[str, float]:
    return {name: round(float(each), 3) for name, each in zip(names, weights, strict=True)}
