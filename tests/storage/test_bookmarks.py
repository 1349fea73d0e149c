"""Bookmarks: positions, claims, quotations and notes; nothing is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scholar_indexes.errors import Busy, Damaged, NotThere, UsageError
from scholar_indexes.storage import bookmarks as desks
from scholar_indexes.storage.bookmarks import Bookmarks, ReadingPosition, SavedQuotation

KEPT = SavedQuotation(
    "pg1:2.3:0-9", "A lantern", "pg1", "Ann Example", "The Lamp", "ch. II", "light?"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bookmarks.sqlite"


@pytest.fixture
def bookmarks(path: Path) -> Bookmarks:
    return Bookmarks(path)


def test_a_file_that_is_no_database_is_reported_and_left_as_it_is(path: Path) -> None:
    path.write_bytes(b"these are my notes" * 100)
    with pytest.raises(Damaged, match="doctor --repair"):
        Bookmarks(path).quotations()
    assert path.read_bytes() == b"these are my notes" * 100


def test_a_locked_database_is_a_busy_error(path: Path, bookmarks: Bookmarks) -> None:
    bookmarks.record_claim("first")
    with sqlite3.connect(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Busy, match="again"):
            Bookmarks(path, timeout_s=0.05).record_claim("second")


def test_reading_an_empty_database_makes_no_file(path: Path, bookmarks: Bookmarks) -> None:
    assert bookmarks.position("pg1") is None
    assert bookmarks.last_position() is None
    assert (bookmarks.claims(), bookmarks.collections(), bookmarks.quotations()) == ([], [], [])
    assert bookmarks.choice("theme") is None
    assert not path.exists()


def test_a_note_on_a_quotation_that_is_gone_is_refused(bookmarks: Bookmarks) -> None:
    quotation = bookmarks.save(KEPT)
    bookmarks.delete(quotation.number)
    with pytest.raises(NotThere, match="no longer kept"):
        bookmarks.annotate(quotation.number, "late")


def test_a_collection_needs_a_name(bookmarks: Bookmarks) -> None:
    with pytest.raises(UsageError, match="name"):
        bookmarks.save(replace(KEPT, collection=" \n\x1b"))


def test_reading_goes_on_where_it_stopped_in_each_book(bookmarks: Bookmarks) -> None:
    bookmarks.record_position(ReadingPosition("pg1", "pg1:1.1", 0))
    bookmarks.record_position(ReadingPosition("pg2", "pg2:4.2", 700))
    bookmarks.record_position(ReadingPosition("pg1", "pg1:3.9", 5_000))
    assert bookmarks.position("pg2") == ReadingPosition("pg2", "pg2:4.2", 700)
    assert bookmarks.last_position() == ReadingPosition("pg1", "pg1:3.9", 5_000)


def test_the_last_claim_comes_first_and_none_comes_twice(bookmarks: Bookmarks) -> None:
    for claim in ("a", "b", "a  \n", " "):
        bookmarks.record_claim(claim)
    assert bookmarks.claims() == ["a", "b"]


def test_the_oldest_claims_are_forgotten(
    bookmarks: Bookmarks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "MOST_CLAIMS", 3)
    for claim in "abcde":
        bookmarks.record_claim(claim)
    assert bookmarks.claims() == ["e", "d", "c"]


def test_keeping_a_quotation_again_leaves_its_note(bookmarks: Bookmarks) -> None:
    first = bookmarks.save(KEPT)
    bookmarks.annotate(first.number, "for chapter two")
    again = bookmarks.save(replace(KEPT, claim="another claim"))
    assert again.number == first.number
    assert (again.note, again.claim) == ("for chapter two", "light?")


def test_two_notes_that_are_too_long_for_one_are_refused_and_left_as_they_are(
    bookmarks: Bookmarks,
) -> None:
    half = "a" * (desks.MAX_NOTE_CHARS // 2)
    bookmarks.save(replace(KEPT, note=half))
    with pytest.raises(UsageError, match="shorten"):
        bookmarks.restore(replace(KEPT, note="b" * len(half)))
    assert [saved.note for saved in bookmarks.quotations()] == [half]


@pytest.mark.parametrize(
    ("new", "both"),
    [("", "old"), ("old", "old"), ("new", "new\n\nold"), ("bold", "bold\n\nold")],
    ids=["no new note", "the same note", "another note", "letters of it"],
)
def test_a_quotation_that_is_saved_again_gets_its_old_note_back(
    bookmarks: Bookmarks, new: str, both: str
) -> None:
    old = bookmarks.save(replace(KEPT, note="old"))
    bookmarks.delete(old.number)
    bookmarks.save(replace(KEPT, note=new))
    bookmarks.restore(old)
    assert [saved.note for saved in bookmarks.quotations()] == [both]


def test_a_quotation_may_lie_in_two_collections(bookmarks: Bookmarks) -> None:
    bookmarks.save(KEPT)
    bookmarks.save(replace(KEPT, collection="essay"))
    assert bookmarks.collections() == [("essay", 1), ("kept", 1)]
    assert [clipping.collection for clipping in bookmarks.quotations()] == ["kept", "essay"]
    assert [clipping.collection for clipping in bookmarks.quotations("essay")] == ["essay"]


def test_a_number_is_not_given_to_another_quotation_after_it_was_dropped(
    bookmarks: Bookmarks,
) -> None:
    first = bookmarks.save(KEPT)
    bookmarks.delete(first.number)
    assert bookmarks.save(replace(KEPT, locator="pg1:9.9:0-3")).number > first.number


def test_a_quotation_that_was_deleted_is_restored_at_its_place_with_its_time(
    bookmarks: Bookmarks,
) -> None:
    first = bookmarks.save(replace(KEPT, kept="2001-02-03T04:05:06Z"))
    second = bookmarks.save(replace(KEPT, locator="pg1:9.9:0-3"))
    bookmarks.delete(first.number)
    bookmarks.restore(first)
    assert bookmarks.quotations() == [first, second]


def test_a_restored_quotation_takes_no_number_of_another(bookmarks: Bookmarks) -> None:
    other = bookmarks.save(KEPT)
    restored = bookmarks.restore(replace(KEPT, locator="pg1:9.9:0-3", number=other.number))
    assert bookmarks.quotations() == [other, restored]


def numbers(bookmarks: Bookmarks, *locators: str) -> list[int]:
    """Save a passage at each locator; return their numbers."""
    return [bookmarks.save(replace(KEPT, locator=locator)).number for locator in locators]


def places(bookmarks: Bookmarks) -> str:
    return " ".join(saved.locator for saved in bookmarks.quotations("kept"))


def test_a_passage_that_is_gone_cannot_be_moved_or_moved_past(bookmarks: Bookmarks) -> None:
    first, second = numbers(bookmarks, "a", "b")
    elsewhere = bookmarks.save(replace(KEPT, collection="essay")).number
    for number, neighbour in ((first, elsewhere), (elsewhere, first), (first, first), (99, first)):
        with pytest.raises(NotThere, match="no longer in the collection"):
            bookmarks.reorder(number, neighbour, after=True)
    bookmarks.delete(second)
    with pytest.raises(NotThere, match="no longer in the collection"):
        bookmarks.reorder(first, second, after=True)
    assert places(bookmarks) == "a"


def test_passages_are_moved_and_new_ones_come_last(path: Path, bookmarks: Bookmarks) -> None:
    a, b, _, d = numbers(bookmarks, "a", "b", "c", "d")
    bookmarks.reorder(d, b, after=False)
    Bookmarks(path).reorder(a, b, after=True)
    assert places(bookmarks) == "d b a c"
    numbers(bookmarks, "e", "a")
    assert places(bookmarks) == "d b a c e"


@pytest.mark.parametrize(
    ("imported", "order"),
    [
        ("b a", "b a"),
        ("x y", "b a x y"),
        ("x b y a z", "x b y a z"),
        ("a x b", "b a x"),
        ("b x x a x", "b x a"),
    ],
    ids=["all saved", "all new", "both", "in another order", "twice"],
)
def test_imported_passages_come_after_the_ones_that_they_follow(
    bookmarks: Bookmarks, imported: str, order: str
) -> None:
    a, b = numbers(bookmarks, "a", "b")
    bookmarks.reorder(b, a, after=False)
    bookmarks.merge(replace(KEPT, locator=locator) for locator in imported.split())
    assert places(bookmarks) == order


def test_a_passage_that_was_moved_and_deleted_is_restored_at_its_place(
    bookmarks: Bookmarks,
) -> None:
    a, b, c = numbers(bookmarks, "a", "b", "c")
    bookmarks.reorder(c, a, after=False)
    gone = bookmarks.quotations("kept")[1]
    bookmarks.delete(gone.number)
    bookmarks.reorder(b, c, after=True)
    bookmarks.restore(gone)
    assert places(bookmarks) == "c a b"


@pytest.mark.parametrize("colour", ["Yellow", "mauve", "yellow; DROP TABLE", "\x1b[31m"])
def test_an_unknown_colour_is_refused_and_never_stored(bookmarks: Bookmarks, colour: str) -> None:
    saved = bookmarks.save(replace(KEPT, colour=colour))
    with pytest.raises(UsageError, match="yellow, blue, pink, orange"):
        bookmarks.set_colour(saved.number, colour)
    assert [kept.colour for kept in bookmarks.quotations()] == [""]


def test_a_colour_is_set_taken_away_and_restored_with_its_passage(bookmarks: Bookmarks) -> None:
    saved = bookmarks.save(KEPT)
    bookmarks.set_colour(saved.number, "pink")
    (pink,) = bookmarks.quotations()
    bookmarks.delete(pink.number)
    with pytest.raises(NotThere, match="no longer kept"):
        bookmarks.set_colour(pink.number, "blue")
    bookmarks.save(KEPT)
    assert bookmarks.restore(pink).colour == "pink"
    bookmarks.set_colour(bookmarks.quotations()[0].number, "")
    assert [kept.colour for kept in bookmarks.quotations()] == [""]


def test_saved_passages_survive_a_kill(path: Path) -> None:
    code = (
        "import sys, os, signal; from pathlib import Path\n"
        "from scholar_indexes.storage.bookmarks import *\n"
        "bookmarks = Bookmarks(Path(sys.argv[1]))\n"
        "bookmarks.save(SavedQuotation('l', 'q', 'b', 'a', 't', 'c'))\n"
        "bookmarks.record_position(ReadingPosition('b', 'b:1.1', 3))\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    assert [clipping.quote for clipping in Bookmarks(path).quotations()] == ["q"]
    assert Bookmarks(path).last_position() == ReadingPosition("b", "b:1.1", 3)


def test_quotations_that_move_one_behind_another_keep_their_notes(bookmarks: Bookmarks) -> None:
    numbers = {
        place: bookmarks.save(replace(KEPT, locator=place, note=f"on {place}")).number
        for place in ("pg1:1.1", "pg1:2.1", "pg1:9.1")
    }
    bookmarks.move(
        [
            (numbers["pg1:1.1"], "pg1:2.1", "ch. II"),
            (numbers["pg1:2.1"], "pg1:3.1", "ch. III"),
            (numbers["pg1:9.1"], "pg1:3.1", "ch. III"),
        ]
    )
    moved = [(saved.locator, saved.note) for saved in bookmarks.quotations()]
    assert moved == [
        ("pg1:2.1", "on pg1:1.1"),
        ("pg1:3.1", "on pg1:2.1"),
        ("pg1:9.1", "on pg1:9.1"),
    ]
