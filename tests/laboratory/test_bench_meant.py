"""The benchmark of the referents of phrases in claims, and the fit of its weights."""

from __future__ import annotations

import numpy as np
import pytest

from command_line import Scholar, error_line
from scholar_cli.laboratory.meant import meant_bench, meant_data
from scholar_cli.laboratory.meant.meant_bench import MeasuredBook
from scholar_cli.laboratory.meant.meant_data import PhraseClaim
from scholar_indexes.coreference.people import BookPeople, People, SentencePeople
from scholar_indexes.coreference.roles import BookRoles
from scholar_indexes.retrieval.phrases import PhraseResolver
from scholar_indexes.retrieval.readings import NameIndex
from scholar_indexes.types import Character, Gender, Span

CAST = (
    Character("ann", "Ann", ("Ann",), Gender.FEMALE),
    Character("tom", "Tom", ("Tom",), Gender.MALE),
    Character("curate", "the curate", ("the curate",), Gender.MALE),
)


def read_book(text: str) -> MeasuredBook:
    """Return a book in which names, and "her" for Ann, are found by plain string search."""
    words = {"Ann": 0, "her ": 0, "Tom": 1, "the curate": 2}
    places = sorted(
        (at, at + len(word.strip()), character)
        for word, character in words.items()
        for at in range(len(text))
        if text.startswith(word, at)
    )
    starts, ends, characters = np.array(places, np.int64).T
    nowhere = People(*(np.zeros(0, np.int64) for _ in range(3)))
    people = BookPeople(CAST, People(starts, ends, characters), nowhere)
    present = SentencePeople(CAST, np.arange(len(starts)), characters)
    resolver = PhraseResolver(present, BookRoles(text, people))
    return MeasuredBook(present, NameIndex(present), resolver)


BOOK = read_book("Tom, her brother, rode by. Ann sat. the curate read. " * 6)


def ask(claim: str, phrase: str, *names: str, by_roles: bool = True) -> str:
    start = claim.index(phrase)
    asked = PhraseClaim("1", claim, Span(start, start + len(phrase)), names)
    return meant_bench.outcome(BOOK, asked, by_roles=by_roles)


@pytest.mark.parametrize(
    ("names", "expected"), [(("Tom",), meant_bench.RIGHT), (("the curate",), meant_bench.WRONG)]
)
def test_a_phrase_is_taken_rightly_or_wrongly(names: tuple[str, ...], expected: str) -> None:
    claim = "Ann's brother rides"
    assert ask(claim, "Ann's brother", *names) == expected
    assert ask(claim, "Ann's brother", *names, by_roles=False) == meant_bench.LEFT


def test_a_phrase_of_which_the_book_says_nothing_is_left_alone() -> None:
    assert ask("Ann's godson rides", "Ann's godson", "Tom") == meant_bench.LEFT


def test_a_description_that_is_a_name_needs_no_roles() -> None:
    assert ask("the curate reads", "the curate", "the curate", by_roles=False) == meant_bench.RIGHT


def test_the_packaged_claims_have_their_phrases_and_names() -> None:
    claims = meant_data.load()
    assert len(claims) >= 60
    assert len({claim.gutenberg_id for claim in claims}) == 20
    assert all(claim.span.end <= len(claim.claim) and claim.names for claim in claims)


def test_a_library_without_the_novels_is_told_what_to_do(lab: Scholar) -> None:
    assert "scholar index people" in error_line(lab("bench", "meant"), 4)
    assert "scholar index people" in error_line(lab("train", "phrases", "--out", "w.json"), 4)
