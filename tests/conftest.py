"""Fixtures of all tests: a home for every test, the shared texts, small libraries."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import signal
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import astuple
from functools import cache
from itertools import count
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import hypothesis
import pytest

from command_line import (
    DIALOGUE_BOOK,
    CommandResult,
    invoke,
    invoke_in_home,
    invoke_lab,
    make_book_text,
    run_process,
    succeeded,
)
from libraries import add_book, build_once, load_models_once, read_unchanged_files_once
from mirror_server import ARXIV_PATH, MirrorServer, body
from remembered_answers import RememberedAnswers, remember_answers

if TYPE_CHECKING:
    from scholar_indexes.books.adding.ingest import BookDraft

PAPERS = Path(__file__).parent / "data" / "papers.jsonl"
ARXIV_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/abs/1810.00001v1</id><published>2018-10-01T00:00:00Z</published>
<title>Lamps That Count Moths</title><author><name>Ann Example</name></author>
<summary>Moths are counted by hand. We count them with a lamp.</summary></entry></feed>"""
SHARED = Path(os.environ.get("SCHOLAR_SHARED") or Path(__file__).parents[2] / "shared")


# A busy machine must not fail a test, so no example has a deadline. `make test` tries the same few
# examples each time; `make test-all` (--hypothesis-profile many) draws more, new ones each time.
hypothesis.settings.register_profile(
    "few", deadline=None, max_examples=25, derandomize=True, database=None
)
hypothesis.settings.register_profile("many", deadline=None)
hypothesis.settings.load_profile("few")

_folder_numbers = count()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the answers of tests/golden to tests/data/golden instead of comparing them",
    )


def pytest_configure() -> None:
    """Handle Ctrl-C, which a background run and the processes it starts would ignore; and a
    hang-up if it is ignored (nohup), which the run itself still survives."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda _number, _frame: None)
    gc.set_threshold(50_000, 20, 100)  # GC took a quarter of the time of collecting tests


def pytest_collection_finish() -> None:
    """Keep later garbage collections away from the tests and modules, which all stay."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Collect garbage once and freeze the rest; pytest collects five times, seconds per worker."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder of this test.

    It replaces pytest's own fixture, which lists the folders of all earlier tests for each test:
    half of the time of a small one.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}-{next(_folder_numbers)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Set an empty SCHOLAR_HOME, without the settings and proxies of the developer."""
    proxies = {"http_proxy", "https_proxy", "all_proxy"}
    for name in list(os.environ):
        if name.startswith("SCHOLAR_") or name.lower() in proxies:
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("SCHOLAR_HOME", str(folder))
    return folder


@pytest.fixture(scope="session", autouse=True)
def _models_are_loaded_and_asked_once(
    remembered_answers: RememberedAnswers,
) -> Iterator[None]:
    """Share models among all libraries of a process, as long as the model files are the same.

    Nearly every test opens a library of its own, and a model takes longer to load than most tests
    take. Most of them also use the same few books, and get the answers that were computed for the
    same batch before.
    """
    from scholar_indexes.models import cross_encoder, onnx_encoder

    with pytest.MonkeyPatch.context() as patch:
        load_models_once(patch.setattr)
        read_unchanged_files_once(patch.setattr)
        for module in (onnx_encoder, cross_encoder):
            remembering = remember_answers(module.open_session, remembered_answers)
            patch.setattr(module, "open_session", remembering)
        yield


@pytest.fixture(scope="session")
def remembered_answers() -> RememberedAnswers:
    return RememberedAnswers()


@pytest.fixture
def no_remembered_answers(remembered_answers: RememberedAnswers) -> Iterator[None]:
    """Let models compute every batch, for tests of concurrent or repeated computation."""
    remembered_answers.in_use = False
    yield
    remembered_answers.in_use = True


@pytest.fixture(scope="session")
def shared_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with primary/: raw Gutenberg texts, named by their number."""
    packed = SHARED / "data" / "gutenberg" / "primary.tar.xz"
    if not packed.is_file():
        pytest.skip(f"there are no shared Gutenberg texts in {packed}")

    def unpack(folder: Path) -> None:
        with tarfile.open(packed) as archive:
            # Python 3.11.0 to 3.11.3 have no extraction filters.
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(folder, **safe)

    return build_once(tmp_path_factory, "gutenberg", unpack)


@pytest.fixture(scope="session")
def sample_draft() -> Callable[[int], BookDraft]:
    """Return a function that reads a bundled book by its number, once."""
    from scholar_indexes.books import samples
    from scholar_indexes.books.adding import ingest

    by_number = {sample.gutenberg_id: sample for sample in samples.bundled()}

    @cache
    def read(number: int) -> BookDraft:
        sample = by_number[number]
        return ingest.parse_draft(
            ingest.BookSource(samples.read(sample), samples.origin(sample), number)
        )

    return read


@pytest.fixture
def scholar(home: Path) -> Callable[..., CommandResult]:
    """Run a command line in this process: scholar("find", "a claim", stdin="...")."""
    return invoke


@pytest.fixture
def lab(home: Path) -> Callable[..., CommandResult]:
    """Run a command line of the laboratory in this process: lab("bench", "relic")."""
    return invoke_lab


def _find_first(folder: Path) -> None:
    claim = "symbols of Gatsby's wealth"
    answer = run_process(folder / "home", "find", claim, "--format", "json")
    (folder / "answer.json").write_text(json.dumps(astuple(answer)), "utf-8")
    succeeded(run_process(folder / "home", "index", "people", "-b", "gatsby"))


@pytest.fixture(scope="session", autouse=True)
def _sample_is_begun(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Build the sample during the first tests, so that not all workers wait for it at once."""
    is_first = os.environ.get("PYTEST_XDIST_WORKER") == "gw0"
    if not is_first or not any("first_find" in item.fixturenames for item in request.session.items):
        yield
        return
    tmp_path_factory.getbasetemp()  # made here, since two threads must not make it at once
    building = Thread(target=build_once, args=(tmp_path_factory, "sample", _find_first))
    building.start()
    yield
    building.join()


@pytest.fixture(scope="session")
def first_find(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CommandResult]:
    """Return a home in which `find` was the first command ever run, and its result; the people of
    one of its books are known."""

    folder = build_once(tmp_path_factory, "sample", _find_first)
    return folder / "home", CommandResult(*json.loads((folder / "answer.json").read_text("utf-8")))


@pytest.fixture
def sample(
    first_find: tuple[Path, CommandResult], home: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return the home with the bundled sample that all tests share; do not write to it."""
    monkeypatch.setenv("SCHOLAR_HOME", str(first_find[0]))
    return first_find[0]


@pytest.fixture
def own_sample(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the home with the bundled sample, to be written to."""
    copy = tmp_path / "own"
    shutil.copytree(sample, copy)
    monkeypatch.setenv("SCHOLAR_HOME", str(copy))
    return copy


@pytest.fixture(scope="session")
def small_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with two small books, to be copied."""

    def build(folder: Path) -> None:
        for name, author in (("lamplighter", "Ann Example"), ("clockmaker", "Ben Other")):
            book = folder / f"{name}.txt"
            book.write_text(make_book_text(name), "utf-8")
            names = ("--title", f"The {name.title()}", "--author", author)
            succeeded(invoke_in_home(folder / "home", "add", str(book), *names))

    return build_once(tmp_path_factory, "small", build) / "home"


@pytest.fixture
def two_books(small_library: Path, home: Path) -> Path:
    """Return this test's home with two small books in it."""
    shutil.copytree(small_library, home)
    return home


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return the path of a book of 120 sentences that is not in the library."""
    path = tmp_path / "ferryman.txt"
    path.write_text(make_book_text("ferryman"), "utf-8")
    return path


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a small book that is mostly dialogue, to be copied."""

    def build(folder: Path) -> None:
        add_book(folder / "home", folder / "quay.txt", DIALOGUE_BOOK, "The Quay")

    return build_once(tmp_path_factory, "spoken", build) / "home"


@pytest.fixture(scope="session")
def dozen_papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a dozen papers, to be copied."""

    def build(folder: Path) -> None:
        succeeded(invoke_in_home(folder / "home", "papers", "add", str(PAPERS)))

    return build_once(tmp_path_factory, "papers", build) / "home"


@pytest.fixture
def papers_home(dozen_papers: Path, home: Path) -> Path:
    """Return this test's home with a dozen papers."""
    shutil.copytree(dozen_papers, home)
    return home


@pytest.fixture
def arxiv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MirrorServer]:
    """Serve one paper, arxiv:1810.00001, in place of arXiv."""
    from scholar_indexes.papers import web_services

    with MirrorServer(tmp_path / "arxiv") as server:
        server.script(ARXIV_PATH, body(ARXIV_FEED.encode()))
        bases = {**web_services.BASES, "arxiv": server.url("/api/query")}
        monkeypatch.setattr(web_services, "BASES", bases)
        monkeypatch.setattr(web_services, "PAUSE_S", 0.0)
        yield server


@pytest.fixture
def quay(spoken: Path, home: Path) -> Path:
    """Return this test's home with the book that is mostly dialogue."""
    shutil.copytree(spoken, home)
    return home
