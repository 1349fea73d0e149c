"""Fixtures of the tests of screens: style sheets that are parsed once a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


@pytest.fixture(scope="session", autouse=True)
def style_sheets_are_parsed_once() -> Iterator[None]:
    """Let all apps share the parsed rules, of which Textual makes new ones for every app.

    Rules are only read, and depend on nothing but their source and the variables of the theme.
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
