"""Many books in one command: when the indexes are updated, and what a failure or Ctrl-C leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Scholar, succeeded
from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.storage import lance_table
from scholar_indexes.storage.write_lock import WriteLock
from scholar_indexes.types import silent


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a long text and two short ones; at most three sentences may be outside the indexes."""
    monkeypatch.setattr(lance_table, "MOST_OUTSIDE", 3)
    paths = []
    for name, sentences in (("long", 120), ("gale", 12), ("calm", 12)):
        path = tmp_path / f"{name}.txt"
        lines = (f"In {name} number {number} the rain fell." for number in range(sentences))
        path.write_text("\n\n".join(lines), "utf-8")
        paths.append(str(path))
    return paths


def outside() -> int | None:
    return Library.of_user().index.state().table.unindexed["text"]


def test_the_indexes_are_renewed_once_after_the_last_book(home: Path, sources: list[str]) -> None:
    library = Library.of_user()
    with library.books.adder.adding_many():
        for source in sources:
            library.add(source, language="en")
        assert outside() == 24
    assert outside() == 0


def test_books_before_one_that_cannot_be_added_are_indexed(
    scholar: Scholar, home: Path, sources: list[str]
) -> None:
    result = scholar("add", *sources, "nothing.txt", "--language", "en")
    assert result.exit_code != 0
    assert "nothing.txt" in result.stderr
    assert outside() == 0


@pytest.mark.parametrize(
    ("options", "outcome"),
    [([], "added"), (["--dry-run"], "would be added")],
    ids=["add", "dry run"],
)
def test_books_after_one_that_cannot_be_added_are_added(
    scholar: Scholar,
    home: Path,
    sources: list[str],
    tmp_path: Path,
    options: list[str],
    outcome: str,
) -> None:
    (tmp_path / "empty.txt").touch()
    result = scholar(
        *("add", "nothing.txt", sources[1], str(tmp_path / "empty.txt"), sources[2], "--json"),
        *("--language", "en", *options),
    )
    assert result.exit_code == 1
    assert [(book["id"], book["outcome"]) for book in result.json] == [
        ("own-gale", outcome),
        ("own-calm", outcome),
    ]
    absent, empty, total = result.stderr.splitlines()
    assert absent.startswith("not added: ")
    assert "nothing.txt" in absent
    assert "empty.txt is empty" in empty
    assert total.startswith("scholar: 2 of 4 books could not be added (see above)")


def test_the_first_failure_ends_the_command_if_no_book_can_be_added(
    scholar: Scholar, home: Path, sources: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "0.2")
    with WriteLock(user_paths().write_lock, 0, print).held(silent):
        result = scholar("add", *sources, "--language", "en")
    assert result.exit_code == 3
    assert f"not added: {sources[1]} and 1 more" in result.stderr
    assert result.stderr.count(" is writing") == 2


def test_ctrl_c_does_not_wait_for_the_indexes_and_the_next_book_renews_them(
    home: Path, sources: list[str]
) -> None:
    library = Library.of_user()

    def add_two_of_three() -> None:
        with library.books.adder.adding_many():
            for source in sources[:2]:
                library.add(source, language="en")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_two_of_three()
    assert outside() == 12
    library.add(sources[2], language="en")
    assert outside() == 0


def test_a_dry_run_of_many_books_does_not_wait_for_a_writer(
    scholar: Scholar, home: Path, sources: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "0.2")
    with WriteLock(user_paths().write_lock, 0, print).held(silent):
        succeeded(scholar("add", *sources, "--dry-run", "--language", "en"))


def test_an_error_within_the_block_is_the_one_that_is_raised(home: Path) -> None:
    library = Library.of_user()
    with pytest.raises(ScholarError, match=r"nothing\.txt"), library.books.adder.adding_many():
        library.add("nothing.txt")
