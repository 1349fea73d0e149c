"""The keys and the style sheet of the characters."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from scholar_tui.keys import bind

BINDINGS: list[BindingType] = [
    Binding(
        "enter", "open", "Open", show=False, tooltip="Read the first place where they are named"
    ),
    bind("search", "filter", "Search", "Show only those who have some words in their names"),
    bind("who", "who", "Who", "Ask who a description means"),
    bind(
        "passages",
        "find",
        "Passages",
        "Find passages in what this character says, or with them where they say nothing",
    ),
    bind("book", "book", "Book", "See the characters of another book"),
    bind("correct", "correct", "Correct", "Correct what was detected of somebody"),
    bind("undo", "undo", "Undo", "Take a correction back"),
    bind("copy", "copy", "Copy", "Copy what is marked below, with its source"),
    bind(
        "order",
        "order",
        "Order",
        "Order by how much they say, how often they are named, name or entrance",
    ),
    bind("view", "plots", "Plots", "Plot how often they are named, or how often they speak"),
    bind("quiz", "quiz", "Quiz", "Be quizzed on this book"),
    bind("clear_filters", "clear_filters", "Everybody", "Show everybody again"),
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
    Binding("right", "turn(1)", "Section on", show=False, tooltip="The next section"),
    Binding("left", "turn(-1)", "Section back", show=False, tooltip="The section before"),
    bind(
        "go_to",
        "partner",
        "Go to",
        "To the character with whom they speak here",
        show=False,
    ),
    bind("reload", "refresh", "Reload", "Read it again", show=False),
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
