"""Systems that answer GANDALF's questions.

random       a lot by the question's id
tfidf        the paper's own (section 5.1): every choice makes a query of the name and
             the description; the answer is whose query is nearest to any paragraph
tfidf-named  the description alone, over the paragraphs that name the candidate
frequency    who is named most; says nothing of descriptions
solver       scholar's own (characters/solve.py)
lm, lm-book, chat, chat-book
             language models (gandalf_lm.py), where one is named
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from scholar_cli.bench import gandalf_lm
from scholar_cli.bench.gandalf import Novel, Scores, System
from scholar_cli.bench.gandalf_text import Paragraphs, of_novel, pairs
from scholar_indexes.characters.questions import Question
from scholar_indexes.characters.wording import name_terms, words
from scholar_indexes.encoder import Encoder
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.models import ModelFiles

if TYPE_CHECKING:
    from scholar_indexes.speakers.llm_backends import Backend

SYSTEMS = ("solver", "tfidf", "tfidf-named", "frequency", "random")
"""Those that are measured where none is named."""


def chosen(
    names: Sequence[str],
    encoder: Callable[[], Encoder],
    speakers: Callable[[], ModelFiles | None],
    backend: Callable[[], Backend] | None = None,
) -> dict[str, System]:
    """The systems of some names; raises NotThere for one that is none.

    encoder and speakers give the models of the solver, and are called only for it; backend
    gives the language model, once for all systems that need it. Raises UsageError for one
    of these where none is named.
    """
    model = cache(backend) if backend else _unnamed
    known: Mapping[str, Callable[[], System]] = {
        "solver": lambda: solver(encoder(), speakers()),
        "tfidf": lambda: tfidf,
        "tfidf-named": lambda: tfidf_named,
        "frequency": lambda: frequency,
        "random": lambda: by_lot,
        "lm": lambda: gandalf_lm.likelihood(model(), with_book=False),
        "lm-book": lambda: gandalf_lm.likelihood(model(), with_book=True),
        "chat": lambda: gandalf_lm.chat(model(), with_book=False),
        "chat-book": lambda: gandalf_lm.chat(model(), with_book=True),
    }
    missing = [each for each in names if each not in known]
    if missing:
        raise NotThere(f"there is no system {missing[0]!r}; choose from {', '.join(known)}")
    return {name: known[name]() for name in names}


def _unnamed() -> Backend:
    raise UsageError("a language model is needed; name one: --llm FOLDER, or --server URL for chat")


def by_lot(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """Scores by lot, the same for the same question."""
    found: list[Scores] = []
    for each in questions:
        lots = Random(each.id)
        found.append([lots.random() for _ in each.choices])
    return found


def frequency(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """How often the rarest word of each name is in the book; by lot among descriptions."""
    counts = Counter(words(novel.draft.text))
    found: list[Scores] = []
    for each, lots in zip(questions, by_lot(novel, questions), strict=True):
        if each.kind == "name2desc":
            found.append(lots)
        else:
            often = [
                min((counts[term] for term in name_terms([name])), default=0)
                for name in each.choices
            ]
            found.append(often)
    return found


def tfidf(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """The paper's baseline: the highest cosine of name and description with any paragraph."""
    index = Paragraphs(of_novel(novel))
    found: list[Scores] = []
    for each in questions:
        found.append([float(index.cosines(f"{one} {other}").max(initial=0.0))
                      for one, other in pairs(each)])  # fmt: skip
    return found


def tfidf_named(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """The highest cosine of the description with any paragraph that has a word of the name."""
    index = Paragraphs(of_novel(novel))
    found: list[Scores] = []
    for each in questions:
        scores = []
        for name, description in pairs(each):
            naming = index.having(name_terms([name]))
            scores.append(float(index.cosines(description)[naming].max(initial=0.0)))
        found.append(scores)
    return found


def solver(encoder: Encoder, speakers: ModelFiles | None) -> System:
    """scholar's own: one table of descriptions and characters for each book."""
    from scholar_indexes.characters import solve
    from scholar_indexes.errors import NoMatch
    from scholar_indexes.speakers import dialogue

    def scored(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
        draft = novel.draft
        method = dialogue.TRAINED if speakers else dialogue.SIEVE
        try:
            said = dialogue.read(draft.text, draft.chapters, method, speakers)
        except NoMatch:
            said = None
        names = sorted({name for each in questions for name, _ in pairs(each)})
        told = sorted({description for each in questions for _, description in pairs(each)})
        reading = solve.read(draft.text, draft.sentences, encoder)
        cast = solve.candidates(names, said.cast if said else ())
        table = solve.Solver(reading, cast, said, encoder).scores(told)
        row, column = {t: i for i, t in enumerate(told)}, {t: i for i, t in enumerate(names)}
        return [
            [float(table[row[description], column[name]]) for name, description in pairs(each)]
            for each in questions
        ]

    return scored
