"""What a person keeps: places, claims, quotations, notes; nothing is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scholar_indexes import desk as desks
from scholar_indexes.desk import Clipping, Desk, Place
from scholar_indexes.errors import Busy, Damaged, NotThere, UsageError

KEPT = Clipping("pg1:2.3:0-9", "A lantern", "pg1", "Ann Example", "The Lamp", "ch. II", "light?")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "desk.sqlite"


@pytest.fixture
def desk(path: Path) -> Desk:
    return Desk(path)


def test_a_desk_that_is_no_database_is_said_and_left_as_it_is(path: Path) -> None:
    path.write_bytes(b"these are my notes" * 100)
    with pytest.raises(Damaged, match="move it away"):
        Desk(path).clippings()
    assert path.read_bytes() == b"these are my notes" * 100


def test_a_desk_that_another_program_holds_is_asked_for_again(path: Path, desk: Desk) -> None:
    desk.note_claim("first")
    with sqlite3.connect(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Busy, match="again"):
            Desk(path, timeout_s=0.05).note_claim("second")


def test_looking_at_an_empty_desk_makes_no_file(path: Path, desk: Desk) -> None:
    assert desk.place("pg1") is None
    assert desk.last_place() is None
    assert (desk.claims(), desk.collections(), desk.clippings()) == ([], [], [])
    assert desk.choice("theme") is None
    assert not path.exists()


def test_a_note_on_a_quotation_that_is_gone_is_refused(desk: Desk) -> None:
    kept = desk.keep(KEPT)
    desk.drop(kept.number)
    with pytest.raises(NotThere, match="no longer kept"):
        desk.annotate(kept.number, "late")


def test_a_collection_needs_a_name(desk: Desk) -> None:
    with pytest.raises(UsageError, match="name"):
        desk.keep(replace(KEPT, collection=" \n\x1b"))


def test_reading_goes_on_where_it_stopped_in_each_book(desk: Desk) -> None:
    desk.note_place(Place("pg1", "pg1:1.1", 0))
    desk.note_place(Place("pg2", "pg2:4.2", 700))
    desk.note_place(Place("pg1", "pg1:3.9", 5_000))
    assert desk.place("pg2") == Place("pg2", "pg2:4.2", 700)
    assert desk.last_place() == Place("pg1", "pg1:3.9", 5_000)


def test_the_last_claim_comes_first_and_none_comes_twice(desk: Desk) -> None:
    for claim in ("a", "b", "a  \n", " "):
        desk.note_claim(claim)
    assert desk.claims() == ["a", "b"]


def test_the_oldest_claims_are_forgotten(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "MOST_CLAIMS", 3)
    for claim in "abcde":
        desk.note_claim(claim)
    assert desk.claims() == ["e", "d", "c"]


def test_keeping_a_quotation_again_leaves_its_note(desk: Desk) -> None:
    first = desk.keep(KEPT)
    desk.annotate(first.number, "for chapter two")
    again = desk.keep(replace(KEPT, claim="another claim"))
    assert again.number == first.number
    assert (again.note, again.claim) == ("for chapter two", "light?")


def test_a_quotation_may_lie_in_two_collections(desk: Desk) -> None:
    desk.keep(KEPT)
    desk.keep(replace(KEPT, collection="essay"))
    assert desk.collections() == [("essay", 1), ("kept", 1)]
    assert [each.collection for each in desk.clippings()] == ["kept", "essay"]
    assert [each.collection for each in desk.clippings("essay")] == ["essay"]


def test_a_number_is_not_given_to_another_quotation_after_it_was_dropped(desk: Desk) -> None:
    first = desk.keep(KEPT)
    desk.drop(first.number)
    assert desk.keep(replace(KEPT, locator="pg1:9.9:0-3")).number > first.number


def test_what_was_kept_outlives_a_kill(path: Path) -> None:
    code = (
        "import sys, os, signal; from scholar_indexes.desk import *; from pathlib import Path\n"
        "d = Desk(Path(sys.argv[1])); d.keep(Clipping('l', 'q', 'b', 'a', 't', 'c'))\n"
        "d.note_place(Place('b', 'b:1.1', 3)); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    assert [each.quote for each in Desk(path).clippings()] == ["q"]
    assert Desk(path).last_place() == Place("b", "b:1.1", 3)
