"""What every test gets: a home of its own, and the shared texts where there are any."""

from __future__ import annotations

import os
import shutil
import signal
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from front_door import TALK, Said, prose, scholar_process, well

SHARED = Path(os.environ.get("SCHOLAR_SHARED") or Path(__file__).parents[2] / "shared")


def pytest_configure() -> None:
    """A run started in the background ignores Ctrl-C, and so would the processes it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty SCHOLAR_HOME, and no setting or proxy of the person who runs the tests."""
    proxies = {"http_proxy", "https_proxy", "all_proxy"}
    for name in list(os.environ):
        if name.startswith("SCHOLAR_") or name.lower() in proxies:
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("SCHOLAR_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def shared_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with primary/ and criticism/: raw Gutenberg texts, named by their number."""
    packed = SHARED / "data" / "gutenberg"
    if not (packed / "primary.tar.xz").is_file():
        pytest.skip(f"the shared Gutenberg texts are not in {packed}")
    folder = tmp_path_factory.mktemp("gutenberg")
    for name in ("primary", "criticism"):
        with tarfile.open(packed / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def scholar(home: Path) -> Callable[..., Said]:
    """Run a command line in this process: scholar("find", "a claim", stdin="...")."""
    from typer.testing import CliRunner

    from scholar_cli.main import app

    def run(*args: str, stdin: str | bytes | None = None) -> Said:
        result = CliRunner().invoke(app, args, input=stdin, prog_name="scholar")
        return Said(result.exit_code, result.stdout_bytes.decode(), result.stderr_bytes.decode())

    return run


@pytest.fixture(scope="session")
def first_find(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """A home in which `find` was the first command ever typed, and what it said."""
    folder = tmp_path_factory.mktemp("sample") / "home"
    claim = "symbols of Gatsby's wealth"
    return folder, scholar_process(folder, "find", claim, "--format", "json")


@pytest.fixture
def sample(first_find: tuple[Path, Said], home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home with the bundled sample that all tests share; do not write to it."""
    monkeypatch.setenv("SCHOLAR_HOME", str(first_find[0]))
    return first_find[0]


@pytest.fixture(scope="session")
def small_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two small books, to be copied."""
    folder = tmp_path_factory.mktemp("small")
    for name, author in (("lamplighter", "Ann Example"), ("clockmaker", "Ben Other")):
        (folder / f"{name}.txt").write_text(prose(name), "utf-8")
        title = f"The {name.title()}"
        well(scholar_process(
            folder / "home", "add", str(folder / f"{name}.txt"), "--title", title,
            "--author", author,
        ))  # fmt: skip
    return folder / "home"


@pytest.fixture
def shelf(small_library: Path, home: Path) -> Path:
    """This test's home with two small books in it."""
    shutil.copytree(small_library, home)
    return home


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a small book of much talk, to be copied."""
    folder = tmp_path_factory.mktemp("spoken")
    (folder / "quay.txt").write_text(TALK, "utf-8")
    well(scholar_process(
        folder / "home", "add", str(folder / "quay.txt"), "--title", "The Quay",
        "--author", "Ann Example", "--language", "en",
    ))  # fmt: skip
    return folder / "home"


@pytest.fixture
def quay(spoken: Path, home: Path) -> Path:
    """This test's home with that book."""
    shutil.copytree(spoken, home)
    return home
