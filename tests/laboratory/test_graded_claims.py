"""The packaged claims and their graded passages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scholar_cli.laboratory.claims import claims_bench, graded, judged
from scholar_indexes.errors import UsageError

KEPT_FOR_CHECKS = {
    *(64317, 84, 1260, 345, 174, 145, 160, 974, 2701, 768, 1400, 110, 76, 217, 2946, 6688),
    *(1342, 105, 219, 158, 786, 98, 514, 120, 4517),
}
"""Works of independent tests, and of the sixty judged claims."""


def test_parts_have_works_of_their_own_and_none_is_kept_for_checks() -> None:
    works = {
        part: {claim.gutenberg_id for claim in graded.load() if claim.part == part}
        for part in graded.PARTS
    }
    assert {claim.part for claim in graded.load()} == set(graded.PARTS)
    assert works[graded.TRAIN].isdisjoint(works[graded.DEV])
    assert KEPT_FOR_CHECKS.isdisjoint(works[graded.TRAIN] | works[graded.DEV])
    assert len(works[graded.TRAIN]) >= 80
    assert len(works[graded.DEV]) == 20


def test_claims_are_as_long_as_people_type_them() -> None:
    assert all(3 <= len(claim.claim.split()) <= 14 for claim in graded.load())
    assert max(Counter(claim.id for claim in graded.load()).values()) == 1


def test_passages_have_grades_and_words_to_find_them_by() -> None:
    for claim in graded.load():
        assert claim.passages
        assert {passage.grade for passage in claim.passages} <= {0, 1, 2, 3}
        assert all(passage.first and passage.last for passage in claim.passages)


def test_a_part_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="train or dev"):
        judged.read_graded("test")


def test_graded_claims_are_measured_by_their_own_best_grade() -> None:
    assert {claim.best for claim in judged.read_graded("dev")} == {graded.QUOTED}


@pytest.mark.shared
def test_every_graded_passage_is_in_its_book(shared_texts: Path) -> None:
    number = 36
    work = claims_bench.read_work(
        (shared_texts / "primary" / f"{number}.txt").read_bytes(), str(number)
    )
    passages = [
        passage
        for claim in graded.load()
        if claim.gutenberg_id == number
        for passage in claim.passages
    ]
    assert passages
    assert all(work.finder.find(passage) for passage in passages)
