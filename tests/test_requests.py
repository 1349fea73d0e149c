"""Every front end has all options of `find`, and a request out of bounds is refused."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest
import typer

from scholar_cli.commands import find
from scholar_cli.server.journeys import Journeys
from scholar_indexes.errors import UsageError
from scholar_indexes.requests import ALL, FindRequest, describe, parse_depth, parse_sentences
from scholar_tui.claim_query import ClaimQuery

NAMES = {field.name for field in fields(FindRequest)}

RENAMED = {"chapters": "chapter", "fold": "no_fold"}
"""Fields that the command line has under another name."""


def test_the_command_line_has_an_option_for_every_field() -> None:
    options = inspect.signature(find.find).parameters
    assert {RENAMED.get(name, name) for name in NAMES} <= options.keys()


def test_the_servers_have_a_parameter_for_every_field() -> None:
    parameters = inspect.signature(Journeys.find).parameters
    assert {"chapter" if name == "chapters" else name for name in NAMES} <= parameters.keys()


def test_the_screen_asks_with_a_request() -> None:
    assert issubclass(ClaimQuery, FindRequest)
    assert {field.name for field in fields(ClaimQuery)} == NAMES


def test_help_and_bounds_come_from_the_fields() -> None:
    command = typer.main.get_command(find.app)
    for option in command.params:
        name = next((own for own, other in RENAMED.items() if other == option.name), option.name)
        if name in NAMES - {"claim", "fold"}:
            assert option.help.startswith(describe(name).help), name
    n = next(option for option in command.params if option.name == "n")
    assert (n.type.min, n.type.max) == (describe("n").least, describe("n").most)


@pytest.mark.parametrize(
    "values",
    [
        {"n": 0},
        {"n": 1001},
        {"context": -1},
        {"min_support": 1.5},
        {"depth": 0},
        {"sentences": (0, 3)},
        {"sentences": (3, 2)},
        {"mode": "telepathy"},
        {"order": "none"},
    ],
    ids=str,
)
def test_a_value_out_of_bounds_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"choose from|1 to 5 sentences"):
        FindRequest("a claim", **values)  # type: ignore[arg-type]


def test_an_empty_filter_excludes_nothing() -> None:
    assert FindRequest("a", author=" ", chapters="", speaker=None) == FindRequest("a")


def test_one_character_may_be_given_as_a_name() -> None:
    assert FindRequest("a", about="Emma") == FindRequest("a", about=["Emma"])


@pytest.mark.parametrize(("text", "depth"), [("all", ALL), ("24", 24)])
def test_a_depth_is_a_number_or_all(text: str, depth: int) -> None:
    assert parse_depth(text) == depth


@pytest.mark.parametrize("text", ["", "some", "-3", "2.5"])
def test_another_depth_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write a number of passages, or all"):
        parse_depth(text)


@pytest.mark.parametrize(("text", "sentences"), [("2", (2, 2)), ("1-5", (1, 5))])
def test_lengths_of_passages_are_a_number_or_a_range(text: str, sentences: tuple[int, int]) -> None:
    assert parse_sentences(text) == sentences


@pytest.mark.parametrize("text", ["", "long", "two-five"])
def test_other_lengths_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write 2 or 1-5"):
        parse_sentences(text)
