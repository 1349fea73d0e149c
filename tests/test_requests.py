"""Every front end has the options of `find`, `add` and `speakers`, and a request out of bounds is
refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields

import click
import pytest
import typer

from scholar_cli.commands import add, find, speakers
from scholar_cli.server.journeys import Journeys
from scholar_indexes.books.adding import source_parser
from scholar_indexes.errors import UsageError
from scholar_indexes.requests import (
    ALL,
    AddRequest,
    FindRequest,
    SpeakersRequest,
    describe,
    parse_depth,
    parse_sentences,
)
from scholar_tui.claim_query import ClaimQuery

RENAMED = {"chapters": "chapter", "fold": "no_fold"}
"""Fields that front ends have under another name."""


def names_of(request: type) -> set[str]:
    return {field.name for field in fields(request)}


@pytest.mark.parametrize(
    ("command", "request_class", "plural"),
    [
        pytest.param(find.find, FindRequest, {}, id="find"),
        pytest.param(add.add, AddRequest, {"source": "sources"}, id="add"),
        pytest.param(speakers.speakers, SpeakersRequest, {"book": "books"}, id="speakers"),
    ],
)
def test_the_command_line_has_an_option_for_every_field(
    command: Callable[..., None], request_class: type, plural: dict[str, str]
) -> None:
    renamed = {**RENAMED, **plural}
    options = inspect.signature(command).parameters
    assert {renamed.get(name, name) for name in names_of(request_class)} <= options.keys()


@pytest.mark.parametrize(
    ("journey", "request_class", "private"),
    [
        pytest.param(Journeys.find, FindRequest, set(), id="find"),
        # A model may be a folder, and a client must not read the user's files.
        pytest.param(Journeys.speakers, SpeakersRequest, {"model"}, id="speakers"),
    ],
)
def test_the_servers_have_a_parameter_for_every_field(
    journey: Callable[..., object], request_class: type, private: set[str]
) -> None:
    parameters = inspect.signature(journey).parameters
    asked = names_of(request_class) - private
    assert {"chapter" if name == "chapters" else name for name in asked} <= parameters.keys()


def test_the_screen_asks_with_a_request() -> None:
    assert issubclass(ClaimQuery, FindRequest)
    assert names_of(ClaimQuery) == names_of(FindRequest)
    with pytest.raises(UsageError, match="choose from"):
        ClaimQuery("a claim", n=0)


def test_a_line_of_the_screen_has_every_option_of_add() -> None:
    # The screen shows what a line would add while it is typed.
    for name in names_of(AddRequest) - {"source", "dry_run"}:
        is_flag = getattr(AddRequest(), name) is False
        typed = f"1342 --{name}" if is_flag else f"1342 --{name} 'a b'"
        [request] = source_parser.read(typed).requests
        assert request == AddRequest("1342", **{name: True if is_flag else "a b"})  # type: ignore[arg-type]
        assert source_parser.line(request) == typed


@pytest.mark.parametrize(
    ("app", "request_class"),
    [(find.app, FindRequest), (add.app, AddRequest), (speakers.app, SpeakersRequest)],
    ids=["find", "add", "speakers"],
)
def test_help_and_bounds_come_from_the_fields(app: typer.Typer, request_class: type) -> None:
    options = {option.name: option for option in typer.main.get_command(app).params}
    for name in names_of(request_class) - {"claim", "fold", "source", "book"}:
        option, described = options[RENAMED.get(name, name)], describe(request_class, name)
        assert option.help.startswith(described.help), name
        if isinstance(option.type, click.IntRange | click.FloatRange):
            assert (option.type.min, option.type.max) == (described.least, described.most)


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


@pytest.mark.parametrize(
    "values",
    [{"min_confidence": 1.5}, {"method": "telepathy"}, {"method": "sieve", "model": "pdnc-turns"}],
    ids=str,
)
def test_speakers_that_cannot_be_found_so_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"choose from|for --method trained"):
        SpeakersRequest("emma", **values)  # type: ignore[arg-type]


def test_an_empty_filter_excludes_nothing() -> None:
    assert FindRequest("a", author=" ", chapters="", speaker=None) == FindRequest("a")
    assert SpeakersRequest("a", chapters=" ", speaker="") == SpeakersRequest("a")


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
