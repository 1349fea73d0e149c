"""The style sheet of the app."""

from __future__ import annotations

from textual.color import Color

from scholar_tui.style_sheet import KeptStylesheet


def sheet(color: str) -> KeptStylesheet:
    styles = KeptStylesheet(variables={"ink": color})
    styles.add_source("Label { color: $ink; }", ("labels", ""))
    return styles


def test_styles_are_parsed_once_for_a_theme() -> None:
    styles = sheet("red")
    before = styles.rules[0]
    styles.set_variables({"ink": "red"})
    styles.add_source("Button { color: $ink; }", ("buttons", ""))
    styles.reparse()
    assert styles.rules[0] is before
    assert len(styles.rules) == 2


def test_styles_are_parsed_again_for_another_theme() -> None:
    styles = sheet("red")
    assert styles.rules[0].styles.color == Color.parse("red")
    styles.set_variables({"ink": "blue"})
    styles.reparse()
    assert styles.rules[0].styles.color == Color.parse("blue")
