"""Find: passages that the user accepts or rejects, and weak answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from find_screen import hits, screen, search_for, type_text
from scholar_indexes.arrays import Floats1d
from scholar_indexes.retrieval.rerankers.by_name import NAMED, NamedReranker
from scholar_indexes.retrieval.rerankers.cross_encoders import THOROUGH_MODEL
from scholar_indexes.retrieval.rereading import GROUP
from scholar_indexes.retrieval.second_stage import PassageInContext
from scholar_indexes.settings import THOROUGH
from scholar_indexes.types import Progress, silent
from scholar_tui.claim_query import ClaimQuery, parse_saved
from scholar_tui.controllers.hit_rows import APPROVED
from screens import at, scholar, screen_text, settled, until

pytestmark = pytest.mark.usefixtures("one_encoder")


class LatestFirst:
    """A re-ranker that prefers what it reads later. If it `pauses`, it waits with its second group
    of passages until it may continue."""

    name = THOROUGH_MODEL
    depth, context, is_slow = 24, 1, True

    def __init__(self) -> None:
        self.pauses = False
        self.has_paused, self.may_continue = threading.Event(), threading.Event()
        self.groups = 0

    def score(
        self, claim: str, passages: Sequence[PassageInContext], progress: Progress = silent
    ) -> Floats1d:
        if self.pauses and self.groups:
            self.has_paused.set()
            self.may_continue.wait()
        progress("reading", 0, len(passages))
        self.groups += 1
        return 1000 * (self.groups * GROUP + np.arange(len(passages), dtype=np.float32))


def locators(pilot: object) -> list[str]:
    results = screen(pilot).results  # type: ignore[arg-type]
    assert results is not None
    return [hit.item.locator for hit in results.hits]


async def test_marks_keep_passages_first_or_take_them_away_in_the_hybrid_ranking(
    two_books: Path,
) -> None:
    async with at("find") as pilot:
        # + moves a passage to the top and searches for similar ones.
        await search_for(pilot)
        await pilot.press("down", "down")
        liked = locators(pilot)[2]
        await pilot.press("plus")
        await until(pilot, lambda: locators(pilot)[0] == liked)
        await settled(pilot)
        assert hits(pilot).rows[0].remark.startswith(APPROVED)
        assert locators(pilot).count(liked) == 1
        assert "more like 1 passage" in screen_text(pilot)
        await pilot.press("home", "plus")
        await until(pilot, lambda: "more like" not in screen_text(pilot))
        await settled(pilot)

        # - removes a passage until F8 brings it back.
        await search_for(pilot)
        rejected = locators(pilot)[0]
        await pilot.press("minus")
        await until(pilot, lambda: rejected not in locators(pilot))
        await settled(pilot)
        assert "less like 1 passage" in screen_text(pilot)
        await pilot.press("f8")
        await until(pilot, lambda: locators(pilot)[0] == rejected)
        await settled(pilot)

        # For a nonsense claim, a message says that nothing supports it.
        await search_for(pilot, "zxcv qwer")
        assert "nothing supports it clearly" in screen_text(pilot)
        await scholar(pilot).navigate("find", {"claim": "the widow", "mode": "dense"})
        await settled(pilot)

        # Marks need the hybrid ranking.
        await until(pilot, lambda: bool(hits(pilot).rows))
        hits(pilot).focus()
        await pilot.press("plus")
        await until(pilot, lambda: "marks need a plain claim" in screen_text(pilot))


async def test_t_lets_the_large_model_rank_the_listed_passages(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def readers(pilot: object) -> list[str | None]:
        results = screen(pilot).results  # type: ignore[arg-type]
        return [hit.item.read_by for hit in results.hits] if results else []

    async with at("find") as pilot:
        # If the package of the model is missing, a message says how to get it, and the list stays.
        await search_for(pilot)
        before = locators(pilot)
        assert len(before) > GROUP
        hits(pilot).focus()
        await pilot.press("T")
        await until(pilot, lambda: "pip install ./indexes/scholar_thorough" in screen_text(pilot))
        await settled(pilot)
        assert locators(pilot) == before
        assert hits(pilot).has_focus

        # T ranks the passages of the list and no others, and T again undoes that.
        large = LatestFirst()
        monkeypatch.setitem(NAMED, THOROUGH, NamedReranker(lambda resources: large))
        await pilot.press("T")
        await until(pilot, lambda: set(readers(pilot)) == {THOROUGH_MODEL})
        await settled(pilot)
        assert locators(pilot) == before[::-1]
        assert "ranked by the large model" in screen_text(pilot)
        assert hits(pilot).has_focus
        await pilot.press("T")
        await settled(pilot)
        assert locators(pilot) == before
        assert "ranked by the large model" not in screen_text(pilot)

        # Ctrl+G stops the model: the passages that it has read come first, and the others follow.
        large.pauses, large.groups = True, 0
        await pilot.press("T")
        await until(pilot, large.has_paused.is_set)
        await pilot.press("ctrl+g")
        large.may_continue.set()
        await until(pilot, lambda: THOROUGH_MODEL in readers(pilot))
        await settled(pilot)
        assert locators(pilot) == [*before[:GROUP][::-1], *before[GROUP:]]
        assert f"{GROUP} ranked by the large model" in screen_text(pilot)


@pytest.mark.slow
async def test_marks_are_for_one_claim(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        rejected = locators(pilot)[0]
        await pilot.press("minus")
        await until(pilot, lambda: rejected not in locators(pilot))
        await pilot.press("slash", "end")
        await type_text(pilot, " s")
        await until(pilot, lambda: screen(pilot).results.query.claim.endswith(" s"))  # type: ignore[union-attr]
        await settled(pilot)
        assert "marked" not in screen_text(pilot)


def test_marks_are_not_remembered_for_the_next_session() -> None:
    query = ClaimQuery("a claim").with_mark("pg1:1.1", approved=True)
    assert parse_saved(query.to_json()) == ClaimQuery("a claim")


def test_a_mark_is_taken_back_by_the_same_key_and_changed_by_the_other() -> None:
    approved = ClaimQuery("a claim").with_mark("pg1:1.1", approved=True)
    assert approved.with_mark("pg1:1.1", approved=True) == ClaimQuery("a claim")
    assert approved.with_mark("pg1:1.1", approved=False).unlike == ("pg1:1.1",)
    assert approved.with_mark("pg1:1.1", approved=False).like == ()
