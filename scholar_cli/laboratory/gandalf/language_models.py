"""Language models that answer GANDALF's questions, with and without the book.

lm           the log-probability of the description after the name, "NAME is DESCRIPTION", per token
             of the description, because the choices of name2desc differ in length
lm-total     the same for the whole description, as in the paper (section 5.3)
lm-book, lm-book-total
             these two after an excerpt of the book (section 5.2; there a Transformer-XL reads
             all of it)
chat         a local model or a server's, prompted to choose
chat-book    the same with an excerpt

An excerpt has as much of the book as fits into the context window, at most MAX_CONTEXT_TOKENS: for
each choice in turn the next of the paragraphs nearest to name and description by TF-IDF, until the
token budget is used up. Paragraphs are in the order of the book. All choices of a question share
one excerpt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from scholar_cli.laboratory.gandalf.gandalf_bench import QuestionedNovel, Scores, System
from scholar_cli.laboratory.gandalf.paragraphs import ParagraphIndex, choice_pairs, split_paragraphs
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.errors import UsageError

if TYPE_CHECKING:
    from scholar_indexes.llm.backend import Backend

MAX_CONTEXT_TOKENS = 8_192
"""The maximum number of tokens of a book in one prompt; with more, a question takes minutes."""

SERVER_CONTEXT_TOKENS = 3_072
"""The number of tokens that any server's model accepts in one prompt in addition to a question."""

MIN_PARAGRAPH_TOKENS = 16
"""A smaller remaining token budget is not used."""

TOKEN_MARGIN = 8
"""Spare tokens: the token counts of the parts of a text may not add up to the whole text's."""

ANSWER_TOKENS = 64
"""Tokens reserved for the answer of a chat model."""


def likelihood(backend: Backend, *, with_book: bool, total: bool = False) -> System:
    """Return a system that scores a choice by the log-probability of its description after its
    name: the mean over its tokens, or their total.

    Raises UsageError for a server, which does not report the likelihood of a given text.
    """
    from scholar_indexes.llm.local_model import LocalModel

    if not isinstance(backend, LocalModel):
        raise UsageError("a server reports no likelihoods; use --system chat or chat-book")

    def score(novel: QuestionedNovel, questions: Sequence[QuizQuestion]) -> list[Scores]:
        excerpts = ExcerptBuilder(novel, backend.count_tokens) if with_book else None
        scores: list[Scores] = []
        for question in questions:
            texts = [
                (f"\n\n{name} is", f" {description}")
                for name, description in choice_pairs(question)
            ]
            context = ""
            if excerpts is not None:
                longest = max(backend.count_tokens(prefix + text) for prefix, text in texts)
                context = excerpts.build(question, _excerpt_budget(backend, longest))
            logs_of_texts = backend.continuation_log_probabilities(context, texts)
            scores.append([_log_probability(logs, total) for logs in logs_of_texts])
        return scores

    return score


def _log_probability(logs: Sequence[float], total: bool) -> float:
    """Return the total or the mean of the log-probabilities of tokens; -inf for no tokens."""
    if not logs:
        return -math.inf
    return math.fsum(logs) if total else math.fsum(logs) / len(logs)


def chat(backend: Backend, *, with_book: bool) -> System:
    """Return a system that prompts a model to choose; the choice is random if it names none."""

    def score(novel: QuestionedNovel, questions: Sequence[QuizQuestion]) -> list[Scores]:
        excerpts = ExcerptBuilder(novel, backend.count_tokens) if with_book else None
        scores: list[Scores] = []
        for question in questions:
            prompt_tokens = backend.count_tokens(_prompt(question, "")) + ANSWER_TOKENS
            budget = _excerpt_budget(backend, prompt_tokens)
            prompt = _prompt(question, excerpts.build(question, budget) if excerpts else "")
            numbers = [str(number) for number in range(1, len(question.choices) + 1)]
            answer = backend.complete([{"role": "user", "content": prompt}], ["1"], numbers)
            scores.append(_parse_choice(question, answer.text))
        return scores

    return score


def _parse_choice(question: QuizQuestion, text: str) -> Scores:
    """Return 1 for the choice that an answer names, 0 for the others."""
    from scholar_indexes.llm.backend import parse_answers

    number = next((name for key, name, _ in parse_answers(text) if key == "1"), None)
    chosen = int(number) - 1 if number and number.isascii() and number.isdigit() else -1
    if not 0 <= chosen < len(question.choices):
        chosen = Random(question.id).randrange(len(question.choices))
    return [float(choice == chosen) for choice in range(len(question.choices))]


def _prompt(question: QuizQuestion, excerpt: str) -> str:
    sentence = (
        f"Which character of the novel is this: {question.text}?"
        if question.kind == "desc2name"
        else f"Which of these describes {question.text}, a character of the novel?"
    )
    choices = "\n".join(f"{number}. {choice}" for number, choice in enumerate(question.choices, 1))
    passages = f"Passages of a novel:\n\n{excerpt}\n\n" if excerpt else ""
    return (
        f"{passages}{sentence}\n\n{choices}\n\n"
        'Answer with a JSON object and nothing else: {"1": "NUMBER"}, '
        "where NUMBER is that of your choice."
    )


def _excerpt_budget(backend: Backend, used: int) -> int:
    """Return the maximum number of tokens of an excerpt in a prompt with `used` other tokens."""
    from scholar_indexes.llm.local_model import LocalModel

    context_size = backend.max_tokens if isinstance(backend, LocalModel) else 0
    if not context_size:
        return SERVER_CONTEXT_TOKENS
    return max(0, min(MAX_CONTEXT_TOKENS, context_size - used - TOKEN_MARGIN))


class ExcerptBuilder:
    """Builds excerpts of a novel that fit a number of tokens."""

    def __init__(self, novel: QuestionedNovel, count_tokens: Callable[[str], int]) -> None:
        self._paragraphs = split_paragraphs(novel)
        self._index = ParagraphIndex(self._paragraphs)
        self._count_tokens = count_tokens
        self._lengths: dict[int, int] = {}

    def build(self, question: QuizQuestion, budget: int) -> str:
        """Return the paragraphs nearest to the choices of a question, in the order of the book,
        with at most budget tokens."""
        selected: set[int] = set()
        for number in self._ranked(question):
            if budget < MIN_PARAGRAPH_TOKENS:
                break
            if number not in selected and self._length(number) <= budget:
                selected.add(number)
                budget -= self._length(number)
        return "\n\n".join(self._paragraphs[number] for number in sorted(selected))

    def _ranked(self, question: QuizQuestion) -> Iterator[int]:
        """Yield the nearest paragraph of each choice, then the second of each, and so on."""
        rankings = [
            np.argsort(-self._index.cosines(f"{name} {description}"), kind="stable")
            for name, description in choice_pairs(question)
        ]
        for numbers in zip(*rankings, strict=True):
            yield from map(int, numbers)

    def _length(self, number: int) -> int:
        if number not in self._lengths:
            self._lengths[number] = self._count_tokens(self._paragraphs[number] + "\n\n")
        return self._lengths[number]
