"""Legible text in every theme, on terminals of sixteen colours, and without colours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.color import Color
from textual.pilot import Pilot

from scholar_tui import themes
from scholar_tui.navigation import SCREENS
from screens import CLOCK, SMALL, at, close_boxes, draw, scholar, settled

LEAST_CONTRAST = 3.0
"""The ratio that WCAG 2 requires of large text and of the parts of a user interface."""

XTERM = TerminalTheme(
    (0, 0, 0),
    (229, 229, 229),
    [
        *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0)),
        *((0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)),
    ],
    [
        *((127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0)),
        *((92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255)),
    ],
)
"""The sixteen colours of xterm."""


def colours(style: Style) -> tuple[Color, Color]:
    """Return the colour of a text and the colour behind it."""
    behind = style.bgcolor or RichColor.default()
    text = style.color or RichColor.default()
    pair = (
        Color.from_rich_color(text, XTERM, foreground=True, ansi=False),
        Color.from_rich_color(behind, XTERM, foreground=False, ansi=False),
    )
    return pair[::-1] if style.reverse else pair


def luminance(colour: Color) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = (value / 255 for value in colour.rgb)
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@cache
def contrast(style: Style) -> float:
    lighter, darker = sorted(map(luminance, colours(style)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


LINES = ("separator", "guides", "edge")
"""The endings of the names of parts that are lines, not text."""


def drawn(pilot: Pilot[None]) -> Iterator[tuple[str, Style]]:
    """Yield the texts of the screen with their styles, except the ones that a box dims."""
    draw(pilot.app)
    front = pilot.app.screen
    boxes = front.query(".box, #--container") if front.is_modal else [front]
    region = boxes[0].region
    for strip in front._compositor.render_strips()[region.y : region.bottom]:
        for text, style, _ in strip.crop(region.x, region.right):
            if style:
                yield text, style


def marked(pilot: Pilot[None]) -> str:
    """Return the texts that are marked by a style, not by a colour."""
    return " ".join(
        text for text, style in drawn(pilot) if style.reverse or (style.bold and style.underline)
    )


def illegible(pilot: Pilot[None]) -> set[tuple[str, str]]:
    """Return the texts on the screen that have too little contrast, with their styles."""
    return {
        (text.strip(), str(style))
        for text, style in drawn(pilot)
        if any(map(str.isalnum, text)) and contrast(style) < LEAST_CONTRAST
    }


def illegible_parts(pilot: Pilot[None]) -> set[tuple[str, str, str]]:
    """Return the parts of widgets whose text would have too little contrast, with their styles."""
    return {
        (type(widget).__name__, part, str(style))
        for widget in pilot.app.screen.query("*")
        for part in widget._get_component_classes()
        if not any(line in part for line in LINES)
        and (style := widget.get_component_rich_style(part)).color
        and contrast(style) < LEAST_CONTRAST
    }


async def visited(pilot: Pilot[None]) -> AsyncIterator[str]:
    """Go to each screen, then open boxes, and yield their names."""
    for name in SCREENS:
        await scholar(pilot).navigate(name, CLOCK if name in ("reader", "characters") else None)
        await settled(pilot)
        yield name
    for name, screen, keys in (
        ("help", "library", ["f1"]),
        ("palette", "library", ["ctrl+p"]),
        ("adding", "library", ["a"]),
        ("removing", "library", ["d"]),
        ("exporting", "library", ["ctrl+e"]),
        ("choosing", "reader", ["b"]),
        ("a note", "reader", ["m", "e"]),
        ("adding papers", "papers", ["a"]),
    ):
        await scholar(pilot).navigate(screen)
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
        assert len(pilot.app.screen_stack) == 2, name
        yield name
        await close_boxes(pilot)


ALL = [theme.name for theme in themes.THEMES]


@pytest.mark.parametrize(
    ("no_color", "chosen"),
    [
        pytest.param(False, ALL, id="in colour"),
        # Greys are as light as the colours they replace.
        pytest.param(True, [themes.SIXTEEN, themes.LIGHT], id="NO_COLOR"),
    ],
)
async def test_every_text_of_every_screen_can_be_read(
    two_books: Path, monkeypatch: pytest.MonkeyPatch, no_color: bool, chosen: list[str]
) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    async with at(size=SMALL) as pilot:
        async for name in visited(pilot):
            for theme in chosen:
                pilot.app.theme = theme
                await settled(pilot)
                assert not illegible(pilot), (name, theme)
                if name in SCREENS:  # boxes are not open while the theme changes
                    assert not illegible_parts(pilot), (name, theme)


async def test_the_cursor_and_the_open_screen_are_visible_without_colours(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with at(size=SMALL) as pilot:
        pilot.app.theme = themes.SIXTEEN
        await settled(pilot)
        assert "Library" in marked(pilot)
        assert "The Lamplighter" in marked(pilot)
        for key in ("f4", "b"):
            await pilot.press(key)
            await settled(pilot)
        assert "(this one)" in marked(pilot)
