"""Systems that answer GANDALF's questions.

random       random scores, seeded by the question's id
tfidf        the paper's baseline (section 5.1): every choice is a query of the name and the
             description; the answer is the query with the highest cosine to any paragraph
tfidf-named  the description as query, over the paragraphs that name the candidate
frequency    the frequency of the candidate's name; ignores descriptions
solver       scholar's own (scholar_indexes/characters/solver)
lm, lm-total, lm-book, lm-book-total, chat, chat-book
             language models (see language_models), if one is given
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from scholar_cli.laboratory.gandalf import language_models
from scholar_cli.laboratory.gandalf.gandalf_bench import QuestionedNovel, Scores, System
from scholar_cli.laboratory.gandalf.paragraphs import ParagraphIndex, choice_pairs, split_paragraphs
from scholar_indexes.characters.folded_words import name_terms, tokenize
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import ModelFiles

if TYPE_CHECKING:
    from scholar_indexes.llm.backend import Backend

SYSTEMS = ("solver", "tfidf", "tfidf-named", "frequency", "random")
"""The systems that are measured by default."""


def load_systems(
    names: Sequence[str],
    encoder: Callable[[], Encoder],
    speakers: Callable[[], ModelFiles | None],
    backend: Callable[[], Backend] | None = None,
) -> dict[str, System]:
    """Return the systems with the given names; raise NotThere for an unknown name.

    encoder and speakers load the models of the solver, and are called only for it; backend loads
    the language model, once for all systems that need it. Raises UsageError if one of them is
    selected without backend.
    """
    model = cache(backend) if backend else _require_backend
    factories: Mapping[str, Callable[[], System]] = {
        "solver": lambda: solver(encoder(), speakers()),
        "tfidf": lambda: tfidf,
        "tfidf-named": lambda: tfidf_named,
        "frequency": lambda: frequency,
        "random": lambda: random_scores,
        "lm": lambda: language_models.likelihood(model(), with_book=False),
        "lm-total": lambda: language_models.likelihood(model(), with_book=False, total=True),
        "lm-book": lambda: language_models.likelihood(model(), with_book=True),
        "lm-book-total": lambda: language_models.likelihood(model(), with_book=True, total=True),
        "chat": lambda: language_models.chat(model(), with_book=False),
        "chat-book": lambda: language_models.chat(model(), with_book=True),
    }
    unknown = [name for name in names if name not in factories]
    if unknown:
        raise NotThere(f"{unknown[0]!r} is not a system; choose from {', '.join(factories)}")
    return {name: factories[name]() for name in names}


def _require_backend() -> Backend:
    raise UsageError("a language model is needed; give one: --llm FOLDER, or --server URL for chat")


def random_scores(novel: QuestionedNovel, questions: Sequence[QuizQuestion]) -> list[Scores]:
    """Return random scores, always the same for a question."""
    scores: list[Scores] = []
    for question in questions:
        generator = Random(question.id)
        scores.append([generator.random() for _ in question.choices])
    return scores


def frequency(novel: QuestionedNovel, questions: Sequence[QuizQuestion]) -> list[Scores]:
    """Return the count of the rarest word of each name in the book; random scores for
    descriptions."""
    counts = Counter(tokenize(novel.draft.text))
    scores: list[Scores] = []
    for question, fallback in zip(questions, random_scores(novel, questions), strict=True):
        if question.kind == "name2desc":
            scores.append(fallback)
        else:
            scores.append([_name_count(name, counts) for name in question.choices])
    return scores


def _name_count(name: str, counts: Mapping[str, int]) -> int:
    return min((counts[term] for term in name_terms([name])), default=0)


def tfidf(novel: QuestionedNovel, questions: Sequence[QuizQuestion]) -> list[Scores]:
    """Return the highest cosine of name and description with any paragraph."""
    index = ParagraphIndex(split_paragraphs(novel))
    return [
        [
            float(index.cosines(f"{name} {description}").max(initial=0.0))
            for name, description in choice_pairs(question)
        ]
        for question in questions
    ]


def tfidf_named(novel: QuestionedNovel, questions: Sequence[QuizQuestion]) -> list[Scores]:
    """Return the highest cosine of the description with any paragraph that has a word of the
    name."""
    index = ParagraphIndex(split_paragraphs(novel))

    def score(name: str, description: str) -> float:
        is_named = index.contains_any(name_terms([name]))
        return float(index.cosines(description)[is_named].max(initial=0.0))

    return [
        [score(name, description) for name, description in choice_pairs(question)]
        for question in questions
    ]


def solver(encoder: Encoder, speakers: ModelFiles | None) -> System:
    """Return scholar's own system, which scores a book's descriptions and characters together."""
    from scholar_cli.laboratory.gandalf.dialogues import find_dialogue
    from scholar_indexes.characters.solver.character_candidates import candidates_from_names
    from scholar_indexes.characters.solver.sentence_vectors import encode_book
    from scholar_indexes.characters.solver.solver import Solver

    def score(novel: QuestionedNovel, questions: Sequence[QuizQuestion]) -> list[Scores]:
        draft = novel.draft
        dialogue, people = find_dialogue(draft, speakers)
        pairs = [choice_pairs(question) for question in questions]
        names = sorted({name for choices in pairs for name, _ in choices})
        descriptions = sorted({description for choices in pairs for _, description in choices})
        candidates = candidates_from_names(names, dialogue.cast if dialogue else ())
        book = encode_book(draft.text, draft.sentences, encoder)
        solver = Solver(book, candidates, dialogue, encoder, people=people)
        table = solver.scores(descriptions)
        rows = {description: row for row, description in enumerate(descriptions)}
        columns = {name: column for column, name in enumerate(names)}
        return [
            [float(table[rows[description], columns[name]]) for name, description in choices]
            for choices in pairs
        ]

    return score
