"""The training pairs of a retriever."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relic_works
from scholar_cli.laboratory.claims import written
from scholar_cli.laboratory.claims.written import WrittenClaim
from scholar_cli.laboratory.relic import pairs
from scholar_cli.laboratory.relic.relic_data import QuotationWindow

WORK = relic_works.work("Rain", 1)
UNQUOTED = relic_works.work("Sea", 2, quoted=0)


def test_the_same_step_draws_the_same_batch_and_another_step_another() -> None:
    first = pairs.batch([WORK, UNQUOTED], 16, 0.3, seed=1, step=5)
    assert first == pairs.batch([WORK, UNQUOTED], 16, 0.3, seed=1, step=5)
    assert first != pairs.batch([WORK, UNQUOTED], 16, 0.3, seed=1, step=6)


def test_a_work_that_nobody_quotes_still_gives_pairs() -> None:
    _, drawn = pairs.batch([UNQUOTED], 64, 0.2, seed=1, step=1)
    assert len(drawn) == pairs.MIN_OWN
    assert all(pair.left or pair.right for pair in drawn)


def test_a_batch_has_no_more_pairs_than_were_asked_for() -> None:
    assert len(pairs.batch([WORK], 8, 0.5, seed=1, step=1)[1]) == 8


def test_a_critic_without_the_drawn_side_is_taken_with_the_other() -> None:
    window = QuotationWindow("1", (), 3, 1, ("what follows is all there is",))
    for seed in range(30):
        drawn = pairs.quotation_pair(window, random.Random(seed))
        assert "follows" in drawn.left + drawn.right


def test_a_short_claim_is_a_clause_next_to_the_quotation() -> None:
    window = QuotationWindow(
        "1",
        ("Far away.", "He is cruel to his dog, as all can see; yes:"),
        0,
        1,
        ("So it goes on.",),
    )
    drawn = {pairs.short_claim(window, random.Random(seed)) for seed in range(30)}
    assert drawn == {"He is cruel to his dog", "as all can see", "So it goes on"}


def test_a_window_without_a_clause_of_fitting_length_has_no_short_claim() -> None:
    assert pairs.short_claim(QuotationWindow("1", ("He says:",), 0, 1, ()), random.Random(1)) == ""


@given(st.integers(0, 10_000))
def test_a_passage_never_holds_what_its_claim_was_made_from(seed: int) -> None:
    drawn = pairs.neighbour_pair(WORK, random.Random(seed))
    hidden = set(range(drawn.hidden_start, drawn.hidden_end))
    passage = set(range(drawn.start, drawn.start + drawn.size))
    revealed = {
        row
        for row, text in enumerate(WORK.sentences)
        if row in hidden - passage and text in f"{drawn.left} {drawn.right}"
    }
    assert drawn.left or drawn.right
    assert revealed == hidden - passage
    assert passage <= set(range(len(WORK.sentences)))


def test_a_written_passage_is_found_in_its_work(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = ("It rained.", "He was sad—", "so he left.", "The end.")
    listed = [
        WrittenClaim(7, "HE WAS SAD -- so he left", ["grief"], ["and so on"]),
        WrittenClaim(7, "was sad, so he left", ["begins inside a sentence"], []),
        WrittenClaim(7, "nowhere to be found", ["lost"], []),
        WrittenClaim(8, "It rained.", ["another work"], []),
    ]
    monkeypatch.setattr(written, "load", lambda: {7: listed[:3], 8: listed[3:]})
    (window,) = written.windows(7, sentences)
    assert (window.start, window.size, window.left, window.right) == (
        1,
        2,
        ("grief",),
        ("and so on",),
    )


@pytest.mark.slow
def test_packaged_pairs_are_about_training_works_and_repeat_no_passage() -> None:
    held = {
        1342,
        105,
        219,
        64317,
        158,
        121,
        917,
        767,
        969,
        786,
        98,
        514,
        1399,
        120,
        36,
        4517,
        44,
        543,
        1156,
    }
    lines = [claim for claims in written.load().values() for claim in claims]
    assert len(lines) > 3_000
    assert not held & {line.gutenberg_id for line in lines}
    for line in lines:
        prose = " ".join([*line.left, *line.right])
        assert line.left
        assert not runs(prose, 6) & runs(line.passage, 6), prose


def runs(text: str, size: int) -> set[tuple[str, ...]]:
    words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}
