"""The keys and the style sheet of the characters."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from scholar_tui.keys import bind

BINDINGS: list[BindingType] = [
    Binding("enter", "open", "Open", show=False, tooltip="Read the first passage that names them"),
    bind("search", "filter", "Search", "Show only the characters with some words in their names"),
    bind("who", "who", "Who", "Find a character by description"),
    bind(
        "passages",
        "find",
        "Passages",
        "Find passages in this character's speech, or about them if they say nothing",
    ),
    bind("book", "book", "Book", "See the characters of another book"),
    bind("correct", "correct", "Correct", "Correct what was detected about a character"),
    bind("undo", "undo", "Undo", "Take a correction back"),
    bind("copy", "copy", "Copy", "Copy the item marked below, with its source"),
    bind(
        "order",
        "order",
        "Order",
        "Order by amount of speech, mentions, name or first appearance",
    ),
    bind("view", "plots", "Plots", "Plot how often they are named, or how often they speak"),
    bind("quiz", "quiz", "Quiz", "Take a quiz on this book"),
    bind("clear_filters", "clear_filters", "Everybody", "Show everybody again"),
    Binding(
        "1",
        "section(0)",
        "About",
        show=False,
        tooltip="Descriptions of them, with the passages",
    ),
    Binding("2", "section(1)", "With", show=False, tooltip="With whom they speak"),
    Binding("3", "section(2)", "Chapters", show=False, tooltip="The chapters they are in"),
    Binding("4", "section(3)", "Says", show=False, tooltip="Everything they say"),
    Binding("5", "section(4)", "Pairs", show=False, tooltip="All who speak with each other"),
    Binding("6", "section(5)", "Graph", show=False, tooltip="A drawing of who speaks with whom"),
    Binding("right", "turn(1)", "Next section", show=False, tooltip="The next section"),
    Binding("left", "turn(-1)", "Previous section", show=False, tooltip="The previous section"),
    bind(
        "go_to",
        "partner",
        "Go to",
        "Go to the character with whom they speak here",
        show=False,
    ),
    bind("reload", "refresh", "Reload", "Reload the characters", show=False),
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
        &.-graph {
            & DescriptionList { display: none; }
            & NetworkGraph { display: block; }
        }
        &.-high {
            & #about { height: 49%; }
            & #about:focus-within { height: 64%; }
            & #plot { display: block; height: 6; }
        }
        &.-high.-wide {
            & #about { layout: horizontal; }
            & #person { width: 1fr; height: 1fr; padding-right: 2; }
            & #name { height: auto; text-wrap: wrap; margin-bottom: 1; }
            & #plot { height: 1fr; max-height: 12; }
            & #known { width: 2fr; }
        }
        &.-drawing {
            & #list { height: 0; }
            & #about, & #about:focus-within { height: 1fr; }
            &.-high #person, & #person { display: none; }
        }
        &.-broad {
            & > #middle { layout: horizontal; }
            & #list { width: 1fr; }
            & #about, & #about:focus-within {
                width: 46%; height: 1fr; border-top: none; border-left: solid $panel;
            }
            & #about:focus-within { border-left: solid $primary; }
            & #list { height: 1fr; }
            &.-drawing #person { display: block; }
            & #name { height: auto; text-wrap: wrap; margin-bottom: 1; }
        }
        &.-empty {
            & > #empty { display: block; }
            & > #running, & > #middle { display: none; }
        }
    }
    """
