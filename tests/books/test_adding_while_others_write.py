"""Adding and indexing books while other programs write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from command_line import make_book_text
from scholar_indexes.errors import UsageError
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.results import AddOutcome
from scholar_indexes.types import Progress

FERRYMAN, SENTENCES = "own-ferryman", 120


def once_encoded(do: Callable[[], object]) -> Progress:
    """Return a progress callback that calls `do` once, when the sentences of a book are encoded."""
    done_at: list[int] = []

    def progress(label: str, done: int, total: int) -> None:
        if label.startswith("encoding") and 0 < done == total and not done_at:
            done_at.append(done)
            do()

    return progress


def take_the_lock_at_once() -> None:
    """Take the write lock as another program would; raises Timeout if it is held."""
    with FileLock(user_paths().write_lock, timeout=0):
        pass


def write_papers(path: Path, *titles: str) -> str:
    records = ({"title": title, "abstract": [f"We count {title}."]} for title in titles)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return str(path)


def passages() -> int:
    return Library.of_user().index.state().table.rows


def test_another_program_may_write_while_a_book_is_encoded(home: Path, source: Path) -> None:
    encoded = []

    def take_lock() -> None:
        take_the_lock_at_once()
        encoded.append(passages())

    library = Library.of_user()
    library.add(str(source), progress=once_encoded(take_lock))
    table = library.index.state().table.name
    for again in (
        lambda progress: library.index.rebuild(progress),
        lambda progress: library.add(str(source), progress=progress),
    ):
        library.catalog.forget_space(table)
        again(once_encoded(take_lock))
        assert library.index.state().missing == ()
    assert len(encoded) == 3
    assert passages() == SENTENCES


@pytest.mark.parametrize("refresh", [False, True])
def test_a_book_that_another_adds_while_it_is_encoded_is_there_already(
    home: Path, source: Path, refresh: bool
) -> None:
    first, second = Library.of_user(), Library.of_user()
    progress = once_encoded(lambda: first.add(str(source)))
    assert second.add(str(source), refresh=refresh, progress=progress).outcome is AddOutcome.ALREADY
    assert [stored.book.id for stored in second.books.all()] == [FERRYMAN]
    assert passages() == SENTENCES


def test_a_book_whose_id_another_text_gets_while_it_is_encoded_is_refused(
    home: Path, source: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text(make_book_text("lamplighter", 1, 3), "utf-8")
    first, second = Library.of_user(), Library.of_user()
    progress = once_encoded(lambda: first.add(str(other), title="ferryman"))
    with pytest.raises(UsageError, match="with another text"):
        second.add(str(source), progress=progress)
    assert second.catalog.unfinished() == []
    assert passages() == 12


def test_a_book_that_another_removes_while_it_is_encoded_again_is_added(
    home: Path, source: Path
) -> None:
    first, second = Library.of_user(), Library.of_user()
    first.add(str(source))
    source.write_text(make_book_text("smuggler"), "utf-8")
    progress = once_encoded(lambda: first.books.remove(FERRYMAN))
    added = second.add(str(source), refresh=True, progress=progress)
    assert added.outcome is AddOutcome.ADDED
    assert passages() == SENTENCES


def test_a_book_that_another_removes_while_the_index_is_filled_up_stays_removed(
    home: Path, source: Path
) -> None:
    first, second = Library.of_user(), Library.of_user()
    first.add(str(source))
    second.catalog.forget_space(second.index.state().table.name)
    rebuilt = second.index.rebuild(once_encoded(lambda: first.books.remove(FERRYMAN)))
    assert rebuilt.encoded == rebuilt.left_out == ()
    assert second.books.all() == []
    assert passages() == 0


def test_passages_that_a_table_has_lost_are_written_again(home: Path, source: Path) -> None:
    library = Library.of_user()
    library.add(str(source))
    library.passages.table.delete(library.books.all()[0].edition)
    assert [book.id for book in library.index.rebuild().encoded] == [FERRYMAN]
    assert passages() == SENTENCES


def test_papers_are_encoded_without_their_lock_and_with_what_another_adds_meanwhile(
    home: Path, tmp_path: Path
) -> None:
    first, second = Library.of_user().papers, Library.of_user().papers
    theirs = write_papers(tmp_path / "theirs.jsonl", "moths", "bats")
    ours = write_papers(tmp_path / "ours.jsonl", "moths", "owls")
    outcomes = []

    def add_theirs(label: str, done: int, total: int) -> None:
        if not outcomes:
            outcomes.append(None)
            with FileLock(user_paths().papers_lock, timeout=0):
                pass
            outcomes.append(first.add(theirs))

    report = second.add(ours, progress=add_theirs)
    assert (report.added, report.unchanged) == (1, 1)
    assert sorted(stored.paper.title for stored in second.catalog.papers()) == [
        "bats",
        "moths",
        "owls",
    ]
    assert second.check() == "3 papers"
