"""The themes of the screen: dark, light, high contrast, and sixteen colours."""

from __future__ import annotations

from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

DARK, LIGHT, CONTRAST, SIXTEEN = "scholar-dark", "scholar-light", "scholar-contrast", "scholar-16"


def _speakers(*colours: str) -> dict[str, str]:
    return {f"speaker-{at}": colour for at, colour in enumerate(colours)}


def _marks(background: str, **colours: str) -> dict[str, str]:
    """Return the colours of kept passages, and their tints on a background."""
    tints = {
        f"mark-{name}-muted": Color.parse(background).blend(Color.parse(colour), 0.3).hex
        for name, colour in colours.items()
    }
    return {f"mark-{name}": colour for name, colour in colours.items()} | tints


THEMES = (
    Theme(
        DARK,
        primary="#8fb8de",
        secondary="#c3a6d8",
        accent="#e0b36a",
        warning="#e0b36a",
        error="#e58a8a",
        success="#9cc99a",
        foreground="#dcd7cc",
        background="#16181c",
        surface="#1c1f24",
        panel="#262a31",
        dark=True,
        variables=_speakers(
            "#8fb8de",
            "#e0b36a",
            "#9cc99a",
            "#d89ac0",
            "#7fd0c4",
            "#d98f6a",
            "#b3a6f0",
            "#c8cf72",
            "#e58a8a",
            "#9fb0b8",
        )
        | _marks("#1c1f24", yellow="#e6d36a", blue="#8fb8de", pink="#e08fc0", orange="#e08a55"),
    ),
    Theme(
        LIGHT,
        primary="#23527c",
        secondary="#6b3f86",
        accent="#8a5a00",
        warning="#8a5a00",
        error="#a02020",
        success="#2c6b2f",
        foreground="#22252b",
        background="#f7f3ea",
        surface="#fdfaf3",
        panel="#ece6d8",
        dark=False,
        variables=_speakers(
            "#23527c",
            "#8a5a00",
            "#2c6b2f",
            "#9a2f73",
            "#0f6f66",
            "#a3431a",
            "#5140a8",
            "#5f6410",
            "#a02020",
            "#4c5d66",
        )
        | _marks("#fdfaf3", yellow="#8a6d00", blue="#23527c", pink="#9a2f73", orange="#a3431a")
        | {"text-disabled": "#6b675e"},
    ),
    Theme(
        CONTRAST,
        primary="#66ccff",
        secondary="#ff99ff",
        accent="#ffff00",
        warning="#ffff00",
        error="#ff6666",
        success="#66ff66",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#1a1a1a",
        dark=True,
        text_alpha=1.0,
        variables=_speakers(
            "#66ccff",
            "#ffff00",
            "#66ff66",
            "#ff99ff",
            "#00ffff",
            "#ffaa55",
            "#bbaaff",
            "#ddff55",
            "#ff8888",
            "#cccccc",
        )
        | _marks("#000000", yellow="#ffff00", blue="#66ccff", pink="#ff99ff", orange="#ffaa55")
        | {"foreground-muted": "#d0d0d0", "text-muted": "#d0d0d0"},
    ),
    Theme(
        SIXTEEN,
        primary="ansi_bright_blue",
        secondary="ansi_cyan",
        accent="ansi_green",
        warning="ansi_yellow",
        error="ansi_red",
        success="ansi_green",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        dark=True,
        ansi=True,
        variables=BUILTIN_THEMES["ansi-dark"].variables
        | {
            "border-blurred": "ansi_bright_black",
            "input-cursor-background": "ansi_default",
            "input-cursor-foreground": "ansi_default",
            "input-cursor-text-style": "reverse",
            "mark-yellow": "ansi_yellow",
            "mark-blue": "ansi_bright_blue",
            "mark-pink": "ansi_magenta",
            "mark-orange": "ansi_red",
            "mark-yellow-muted": "ansi_bright_black",
            "mark-blue-muted": "ansi_blue 50%",
            "mark-pink-muted": "ansi_magenta 50%",
            "mark-orange-muted": "ansi_red 50%",
        }
        | _speakers(
            "ansi_bright_blue",
            "ansi_yellow",
            "ansi_green",
            "ansi_magenta",
            "ansi_cyan",
            "ansi_bright_red",
            "ansi_bright_magenta",
            "ansi_bright_green",
            "ansi_red",
            "ansi_white",
        ),
    ),
)
