"""Language models that answer GANDALF's questions, with the book and without it.

lm           the likelihood of the description where it stands after the name, as in the paper
             (section 5.3): "NAME is DESCRIPTION", per token of the description, since those of
             a name's ten choices differ in length
lm-book      the same after an excerpt of the book (section 5.2; there a Transformer-XL reads
             all of it)
chat         a model, here or on a server, that is asked to choose
chat-book    the same with an excerpt

An excerpt is as much of the book as the model reads at once, and at most MOST_TOKENS: for each
choice in turn the next of the paragraphs nearest to name and description by TF-IDF, until the
room is full, in the order of the book. All choices of a question see the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from scholar_cli.bench.gandalf import Novel, Scores, System
from scholar_cli.bench.gandalf_text import Paragraphs, of_novel, pairs
from scholar_indexes.characters.questions import Question
from scholar_indexes.errors import UsageError

if TYPE_CHECKING:
    from scholar_indexes.speakers.llm_backends import Backend

MOST_TOKENS = 8_192
"""Of a book at a time: a question takes minutes where a model reads more."""

SERVER_TOKENS = 3_072
"""What every server's model reads at once beside a question."""

LEAST_TOKENS = 16
"""A shorter rest of the room is left empty."""

MARGIN = 8
"""Tokens to spare: the parts of a text have a few more than the whole, or fewer."""


def likelihood(backend: Backend, *, with_book: bool) -> System:
    """The mean log-probability of each choice's description after its name.

    Raises UsageError for a server, which tells no likelihood of a given text.
    """
    from scholar_indexes.speakers.llm_backends import Local

    if not isinstance(backend, Local):
        raise UsageError("a server tells no likelihoods; ask it with --system chat or chat-book")

    def scored(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
        excerpt = _excerpts(novel, backend.count_tokens) if with_book else None
        found: list[Scores] = []
        for each in questions:
            told = [(f"\n\n{name} is", f" {description}") for name, description in pairs(each)]
            context = ""
            if excerpt is not None:
                longest = max(backend.count_tokens(lead + text) for lead, text in told)
                context = excerpt(each, _room(backend, longest))
            found.append(backend.likelihoods(context, told))
        return found

    return scored


def chat(backend: Backend, *, with_book: bool) -> System:
    """The choice that a model names; by lot where it names none."""

    def scored(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
        excerpt = _excerpts(novel, backend.count_tokens) if with_book else None
        found: list[Scores] = []
        for each in questions:
            room = _room(backend, backend.count_tokens(_prompt(novel, each, "")) + 64)
            prompt = _prompt(novel, each, excerpt(each, room) if excerpt else "")
            numbers = [str(at) for at in range(1, len(each.choices) + 1)]
            answer = backend.complete([{"role": "user", "content": prompt}], ["1"], numbers)
            found.append(_chosen(each, answer.text))
        return found

    return scored


def _chosen(question: Question, text: str) -> Scores:
    from scholar_indexes.speakers.llm_backends import said

    named = next((name for key, name, _ in said(text) if key == "1"), None)
    at = int(named) - 1 if named and named.isascii() and named.isdigit() else -1
    if not 0 <= at < len(question.choices):
        at = Random(question.id).randrange(len(question.choices))
    return [float(each == at) for each in range(len(question.choices))]


def _prompt(novel: Novel, question: Question, excerpt: str) -> str:
    asked = (
        f"Which character of the novel is this: {question.text}?"
        if question.kind == "desc2name"
        else f"Which of these describes {question.text}, a character of the novel?"
    )
    listed = "\n".join(f"{at}. {each}" for at, each in enumerate(question.choices, 1))
    told = f"Passages of a novel:\n\n{excerpt}\n\n" if excerpt else ""
    return (
        f"{told}{asked}\n\n{listed}\n\n"
        'Answer with a JSON object and nothing else: {"1": "NUMBER"}, '
        "where NUMBER is that of your choice."
    )


def _room(backend: Backend, taken: int) -> int:
    """Tokens that are left for an excerpt."""
    from scholar_indexes.speakers.llm_backends import Local

    reads = backend.max_tokens if isinstance(backend, Local) else 0
    if not reads:
        return SERVER_TOKENS
    return max(0, min(MOST_TOKENS, reads - taken - MARGIN))


def _excerpts(novel: Novel, count_tokens: Callable[[str], int]) -> Callable[[Question, int], str]:
    """A function from a question and a number of tokens to an excerpt of a novel."""
    paragraphs = of_novel(novel)
    index = Paragraphs(paragraphs)
    lengths: dict[int, int] = {}

    def tokens(at: int) -> int:
        if at not in lengths:
            lengths[at] = count_tokens(paragraphs[at] + "\n\n")
        return lengths[at]

    def excerpt(question: Question, room: int) -> str:
        cosines = [index.cosines(f"{name} {told}") for name, told in pairs(question)]
        orders = [np.argsort(-each, kind="stable") for each in cosines]
        kept: set[int] = set()
        for rank in range(len(paragraphs)):
            for order in orders:
                at = int(order[rank])
                if room < LEAST_TOKENS:
                    break
                if at not in kept and tokens(at) <= room:
                    kept.add(at)
                    room -= tokens(at)
            if room < LEAST_TOKENS:
                break
        return "\n\n".join(paragraphs[at] for at in sorted(kept))

    return excerpt
