"""The keys and the style sheet of the characters."""

from __future__ import annotations

from textual.binding import Binding, BindingType

BINDINGS: list[BindingType] = [
    Binding(
        "enter", "open", "Open", show=False, tooltip="Read the first place where they are named"
    ),
    Binding(
        "1",
        "section(0)",
        "Told",
        show=False,
        tooltip="What the book tells of them, and the passages that say so",
    ),
    Binding("2", "section(1)", "Speaks with", show=False, tooltip="With whom they speak"),
    Binding("3", "section(2)", "Chapters", show=False, tooltip="The chapters they are in"),
    Binding("4", "section(3)", "Says", show=False, tooltip="Everything they say"),
    Binding("right,l", "turn(1)", "Section on", show=False, tooltip="The next section"),
    Binding("left,h", "turn(-1)", "Section back", show=False, tooltip="The section before"),
    Binding(
        "slash",
        "filter",
        "Filter",
        key_display="/",
        tooltip="Show only those who have some words in their names",
    ),
    Binding("w", "who", "Who", tooltip="Ask who a description means"),
    Binding("f", "find", "Find", tooltip="Find passages in what this character says"),
    Binding("b", "book", "Book", tooltip="See the characters of another book"),
    Binding(
        "o",
        "order",
        "Order",
        show=False,
        tooltip="Order by how much they say, how often they are named, name or entrance",
    ),
    Binding("y", "copy", "Copy", show=False, tooltip="Copy what is marked below, with its source"),
    Binding("q", "quiz", "Quiz", show=False, tooltip="Be quizzed on this book"),
    Binding(
        "m",
        "plots",
        "Plots",
        show=False,
        tooltip="Plot how often they are named, or how often they speak",
    ),
    Binding(
        "t",
        "partner",
        "To them",
        show=False,
        tooltip="To the character with whom they speak here",
    ),
    Binding("c", "correct('choose')", "Fix", tooltip="Correct what was detected of somebody"),
    Binding(
        "M",
        "correct('merge')",
        "Same as",
        show=False,
        tooltip="Say that this is the same character as another one",
    ),
    Binding("N", "correct('rename')", "New name", show=False, tooltip="Call them otherwise"),
    Binding(
        "X",
        "correct('remove')",
        "Nobody",
        show=False,
        tooltip="Say that this is not a person, but a place, a ship or a cry",
    ),
    Binding("S", "correct('set_gender')", "Gender", show=False, tooltip="Say she or he"),
    Binding(
        "I",
        "correct('set_narrator')",
        "Narrator",
        show=False,
        tooltip="Say that they are the “I” of the book, or of some chapters",
    ),
    Binding("u", "undo", "Undo", show=False, tooltip="Take a correction back"),
    Binding("r", "refresh", "Refresh", show=False, tooltip="Read it again"),
    Binding(
        "escape", "back", "Back", show=False, tooltip="Back to the list, and then to everybody"
    ),
]

CSS = """
    CharactersScreen {
        & > #running { height: 1; background: $surface; color: $foreground-muted; padding: 0 1; }
        & #where { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        & #count { width: auto; padding-left: 1; color: $accent; }
        & CharacterFilter { display: none; padding: 0 1; background: $panel; }
        & CharacterFilter.-some { display: block; }
        & > #empty { height: 1fr; display: none; }
        & #none { height: 1fr; display: none; }
        &.-none #none { display: block; }
        &.-none CharacterTable { height: 1; }
        & > #middle { height: 1fr; layout: vertical; }
        & #list { height: 1fr; }
        & #about { height: 12; border-top: solid $panel; padding: 0 1; }
        & #about:focus-within { height: 15; border-top: solid $primary; }
        & #person { height: auto; }
        & #name { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & #plot { display: none; }
        & #known { height: 1fr; }
        &.-high {
            & #about { height: 49%; }
            & #about:focus-within { height: 64%; }
            & #plot { display: block; height: 6; }
        }
        &.-high.-wide {
            & #about { layout: horizontal; }
            & #person { width: 2fr; height: 1fr; padding-right: 2; }
            & #name { height: auto; text-wrap: wrap; margin-bottom: 1; }
            & #plot { height: 1fr; max-height: 12; }
            & #known { width: 3fr; }
        }
        &.-broad {
            & > #middle { layout: horizontal; }
            & #list { width: 1fr; }
            & #about, & #about:focus-within {
                width: 46%; height: 1fr; border-top: none; border-left: solid $panel;
            }
            & #about:focus-within { border-left: solid $primary; }
            & #name { height: auto; text-wrap: wrap; margin-bottom: 1; }
        }
        &.-empty {
            & > #empty { display: block; }
            & > #running, & > #middle { display: none; }
        }
    }
    """
