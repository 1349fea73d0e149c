"""Fixtures of the screen tests: style sheets parsed once per run, encoders and homes."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from characters_screen import MILL, TALE, other_library
from command_line import CommandResult
from libraries import add_book, build_once
from remembered_styles import RememberedStyles
from scholar_indexes.models import engines
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import ModelFiles
from screens import CLOCK, LAMP, QUAY, draw_at_rest

TWO_PARTS = """
BOOK THE FIRST

Chapter 1

“It is late,” said Anna Bell. [bold]Nobody[/bold] answered \x1b[31m_her_.

{long}

Chapter 2

“It is early,” said Tom Reed. “And cold.”

{long}

BOOK THE SECOND

Chapter 1

“So it is,” said Anna Bell, “so it is.”

{long}
"""


@pytest.fixture(scope="session", autouse=True)
def style_sheets_are_parsed_once() -> Iterator[None]:
    """Let all apps share the parsed rules, which Textual parses again for every app.

    Rules are only read, and depend only on their source and the variables of the theme.
    """
    parse = Stylesheet._parse_rules
    rules: dict[tuple[Any, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, css: str, read_from: Any, *args: Any, **options: Any) -> Any:
        key = (css, read_from, args, *options.items(), *sheet._variables.items())
        if key not in rules:
            rules[key] = parse(sheet, css, read_from, *args, **options)
        return rules[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def styles_are_worked_out_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        RememberedStyles().install(patch.setattr)
        yield


@pytest.fixture(scope="session", autouse=True)
def screens_are_drawn_at_rest() -> Iterator[None]:
    """Draw a screen when a test reads it, not after every change."""
    with pytest.MonkeyPatch.context() as patch:
        draw_at_rest(patch.setattr)
        yield


@pytest.fixture(scope="session", autouse=True)
def garbage_is_searched_for_as_seldom_as_elsewhere() -> Iterator[None]:
    """Keep the thresholds of the tests; each app would set its own for the whole run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "set_threshold", lambda *thresholds: None)
        yield


@pytest.fixture(scope="session")
def encoders() -> dict[str, Encoder]:
    """Return the loaded encoders by model name."""
    return {}


@pytest.fixture
def one_encoder(encoders: dict[str, Encoder], monkeypatch: pytest.MonkeyPatch) -> None:
    """Load every encoder once for all tests with this fixture."""
    load = engines.load

    def load_once(model: ModelFiles, *options: Any) -> Encoder:
        if model.name not in encoders:
            encoders[model.name] = load(model, *options)
        return encoders[model.name]

    monkeypatch.setattr(engines, "load", load_once)


@pytest.fixture
def navigations(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """Record the screens and requests to open, without opening them."""
    ways: list[tuple[str, Any]] = []

    async def navigate(self: App[None], name: str, request: Any = None) -> None:
        ways.append((name, request))

    monkeypatch.setattr("scholar_tui.app.ScholarApp.navigate", navigate)
    return ways


def find_descriptions(home: Path, *book_ids: str) -> None:
    """Find the speakers of books and the descriptions of their characters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCHOLAR_HOME", str(home))
        library = other_library()
        for book_id in book_ids:
            library.characters.descriptions(library.characters.cast(book_id))


@pytest.fixture(scope="session")
def attributed_homes(
    small_library: Path, spoken: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Build homes with the small books, their speakers and descriptions already computed."""

    def build(folder: Path) -> None:
        homes = {"two_books": (small_library, (LAMP, CLOCK)), "quay": (spoken, (QUAY,))}
        for name, (home, books) in homes.items():
            shutil.copytree(home, folder / name)
            find_descriptions(folder / name, *books)

    folder = build_once(tmp_path_factory, "attributed", build)
    return {name: folder / name for name in ("two_books", "quay")}


@pytest.fixture
def two_books(attributed_homes: dict[str, Path], home: Path) -> Path:
    """Return this test's home with two small books, their speakers already computed."""
    shutil.copytree(attributed_homes["two_books"], home)
    return home


@pytest.fixture
def attributed_quay(attributed_homes: dict[str, Path], home: Path) -> Path:
    shutil.copytree(attributed_homes["quay"], home)
    return home


@pytest.fixture
def command(request: pytest.FixtureRequest) -> Callable[..., CommandResult]:
    """Return a function that runs a command line next to the screen: command("papers", "list")."""
    run: Callable[..., CommandResult] = request.getfixturevalue("scholar")
    return run


@pytest.fixture(scope="session")
def described_home(spoken: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a small book of dialogue and a book that describes its characters."""

    def build(folder: Path) -> None:
        home = folder / "home"
        shutil.copytree(spoken, home)
        add_book(home, folder / "mill.txt", TALE, "The Mill", "Ben Other")
        find_descriptions(home, QUAY, MILL)

    return build_once(tmp_path_factory, "described", build) / "home"


@pytest.fixture
def described_quay(described_home: Path, home: Path) -> Path:
    """Return this test's home with those books."""
    shutil.copytree(described_home, home)
    return home


@pytest.fixture(scope="session")
def two_part_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a book in two parts, to be copied."""
    long = "\n\n".join(
        f"Paragraph {n} of it. " + "The wind went on and on. " * 9 for n in range(12)
    )

    def build(folder: Path) -> None:
        text = TWO_PARTS.format(long=long)
        add_book(folder / "home", folder / "tale.txt", text, "A [red]Tale[/]")

    return build_once(tmp_path_factory, "tale", build) / "home"


@pytest.fixture
def two_parts(two_part_home: Path, home: Path) -> str:
    shutil.copytree(two_part_home, home)
    return next(path.name.rpartition(".")[0] for path in (home / "data" / "books").iterdir())
