"""Statistics of questions in GANDALF's form (Carlsson et al. 2022): Tables 1 and 2, Figure 2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.gandalf import gandalf_data
from scholar_cli.laboratory.gandalf.gandalf_bench import QuestionedNovel
from scholar_cli.laboratory.gandalf.gandalf_data import GandalfData
from scholar_cli.laboratory.gandalf.paragraphs import choice_pairs
from scholar_cli.laboratory.report import Report, Value, commit
from scholar_indexes.books.segmentation.sentences import sentence_spans
from scholar_indexes.characters.folded_words import tokenize
from scholar_indexes.characters.quiz.questions import LEVELS
from scholar_indexes.types import Span

BENCH = "gandalf statistics"
BOOKS = "books"
"""The part with the statistics of the books; the others are the levels, and all descriptions."""


@dataclass(frozen=True, slots=True)
class BookSize:
    """A book's number of sentences and of words, and its distinct words."""

    sentences: int
    words: int
    vocabulary: frozenset[str]


def describe(folder: Path) -> list[Report]:
    """Return a report for the descriptions of each level, for all of them, and for the books, with
    the words of each book. Raises the errors of gandalf_data.read, and NotABook for a text that is
    not a book."""
    data = gandalf_data.read(folder)
    of_level = {
        f"level {level}": {
            (question.book_id, question.shown_description)
            for question in data.questions
            if question.level == level
        }
        for level in LEVELS
    }
    of_level["all"] = set().union(*of_level.values())
    reports = [
        _report(
            data,
            part,
            len(descriptions),
            describe_texts([text for _, text in sorted(descriptions)]),
        )
        for part, descriptions in of_level.items()
        if descriptions
    ]
    sizes = {name: _measure(name, raw) for name, raw in data.texts.items()}
    words: dict[str, Sequence[Value]] = {
        "id": [f"words of {name}" for name in sizes],
        "count": [size.words for size in sizes.values()],
    }
    figures = _describe_books(data, list(sizes.values()))
    return [*reports, _report(data, BOOKS, len(sizes), figures, words)]


def describe_texts(texts: Collection[str]) -> dict[str, float]:
    """Return the number of descriptions, their mean sentences and words, and the distinct words of
    all of them (Table 1)."""
    words = [tokenize(text) for text in texts]
    return {
        "descriptions": len(texts),
        "sentences": metrics.mean([len(list(_sentences(text))) for text in texts]),
        "words": metrics.mean([len(of_text) for of_text in words]),
        "distinct_words": len({word for of_text in words for word in of_text}),
    }


def _sentences(text: str) -> Iterator[Span]:
    return sentence_spans(text, Span(0, len(text)))


def _measure(name: str, raw: bytes) -> BookSize:
    draft = QuestionedNovel(name, raw).draft
    words = tokenize(draft.text)
    return BookSize(len(draft.sentences), len(words), frozenset(words))


def _describe_books(data: GandalfData, sizes: Sequence[BookSize]) -> dict[str, float]:
    characters: defaultdict[str, set[str]] = defaultdict(set)
    for question in data.questions:
        characters[question.book_id].update(name for name, _ in choice_pairs(question))
    counts = [len(names) for names in characters.values()]
    return {
        "books": len(sizes),
        "characters": sum(counts),
        "characters_of_a_book": metrics.mean(counts),
        "characters_max": max(counts),
        "characters_min": min(counts),
        "sentences": metrics.mean([size.sentences for size in sizes]),
        "words": metrics.mean([size.words for size in sizes]),
        "distinct_words": len(frozenset[str]().union(*(size.vocabulary for size in sizes))),
    }


def _report(
    data: GandalfData,
    part: str,
    n: int,
    figures: Mapping[str, float],
    listed: Mapping[str, Sequence[Value]] | None = None,
) -> Report:
    return Report(BENCH, part, "", figures, n, 0.0, "", data.sha256, commit(), listed or {})
