"""What --ray says where Ray is not installed, and for what is no address."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Scholar, error_line
from scholar_indexes.cluster import session

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


@pytest.mark.parametrize("address", ["locals", "host", "host:", ":6379", "ray://host:10001", ""])
def test_what_is_no_address_is_a_usage_error(scholar: Scholar, source: Path, address: str) -> None:
    result = scholar("add", str(source), f"--ray={address}")
    assert error_line(result, 2).startswith("--ray takes local, or HOST:PORT")
