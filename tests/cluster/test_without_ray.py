"""The errors of --ray if Ray is not installed, and for an invalid address."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Scholar, error_line
from scholar_indexes.books.adding.ingest import BookSource
from scholar_indexes.cluster import session, work
from scholar_indexes.errors import ScholarError

COMMANDS = (("add",), ("index", "rebuild"), ("index", "people"))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_the_extra_one_line_says_how_to_install_it(
    scholar: Scholar,
    two_books: Path,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    monkeypatch.setattr(session, "_PACKAGES", ("a_package_that_is_nowhere",))
    sources = [str(source)] if command == ("add",) else []
    result = scholar(*command, *sources, "--ray", "local")
    assert error_line(result, 2).endswith("run: pip install 'scholar-cli[cluster]'")
    assert len(scholar("books", "list", "--json").ids) == 2


def test_an_unexpected_error_of_a_file_does_not_stop_the_others() -> None:
    source = BookSource(None, "odd.txt", None)  # type: ignore[arg-type]
    result = work.read_draft(work.ReadRequest(source))
    assert isinstance(result, ScholarError)
    assert str(result).startswith("odd.txt: ")
    assert "this should not happen" in str(result)


@pytest.mark.parametrize("address", ["locals", "host", "host:", ":6379", "ray://host:10001", ""])
def test_an_invalid_cluster_address_is_a_usage_error(
    scholar: Scholar, source: Path, address: str
) -> None:
    result = scholar("add", str(source), f"--ray={address}")
    assert error_line(result, 2).startswith("--ray takes local, or HOST:PORT")
