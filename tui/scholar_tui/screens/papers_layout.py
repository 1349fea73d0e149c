"""The keys and the style sheets of the papers."""

from __future__ import annotations

from textual.binding import Binding, BindingType

_ALIKE = Binding.Group("Alike", compact=True)

BINDINGS: list[BindingType] = [
    Binding(
        "slash",
        "filter",
        "Filter",
        key_display="/",
        tooltip="Show the papers that have some words in title, authors, year or venue",
    ),
    Binding("f", "claim", "Find", tooltip="Find papers that answer a claim or a question"),
    Binding(
        "b",
        "alike('background')",
        "Background",
        group=_ALIKE,
        tooltip="Papers alike in background",
    ),
    Binding("m", "alike('method')", "Method", group=_ALIKE, tooltip="Papers alike in method"),
    Binding("r", "alike('result')", "Result", group=_ALIKE, tooltip="Papers alike in result"),
    Binding("w", "alike('')", "Whole", group=_ALIKE, tooltip="Papers alike altogether"),
    Binding(
        "enter",
        "follow",
        "Follow",
        show=False,
        tooltip="Papers like this one, or like the chosen sentences of its abstract",
    ),
    Binding(
        "space",
        "choose",
        "Sentence",
        show=False,
        tooltip="Choose sentences of the abstract to ask with; enter asks",
    ),
    Binding("backspace", "back", "Back", tooltip="Back to the list before"),
    Binding(
        "escape",
        "leave",
        "Out",
        show=False,
        tooltip="Out of a box or the abstract, then back to the list before",
    ),
    Binding(
        "a", "add", "Add", show=False, tooltip="Add papers from a file, or fetch one by its id"
    ),
    Binding("c", "collection", "Collection", show=False, tooltip="Choose a collection"),
    Binding(
        "t",
        "years",
        "Years",
        show=False,
        tooltip="Only papers of some years: 2015, 2015- or 2010-2014",
    ),
    Binding("n", "step(1)", "Next", show=False, tooltip="The next paper of the list"),
    Binding("p", "step(-1)", "Previous", show=False, tooltip="The paper before in the list"),
    Binding(
        "y",
        "copy",
        "Copy",
        show=False,
        tooltip="Copy the citation; in the abstract, the sentence with it",
    ),
    Binding("Y", "copy_bibtex", "Copy BibTeX", show=False, tooltip="Copy the BibTeX entry"),
    Binding("delete,d", "remove", "Remove", show=False, tooltip="Remove the paper, after asking"),
    Binding(
        "R",
        "rebuild",
        "Rebuild",
        show=False,
        tooltip="Make the index of papers anew, after damage or for another model",
    ),
]

CSS = """
    PapersScreen {
        #top { height: 3; }
        .label { display: none; width: auto; padding: 0 0 0 1; color: $foreground-muted; }
        #top Input, .pane { border-title-color: $foreground-muted; }
        .pane:focus, .pane:focus-within { border-title-color: $primary; }
        #claim { width: 1fr; }
        #years { width: 20; }
        #years.-invalid { color: $error; }
        #trail { height: 1; padding: 0 1; color: $foreground-muted; display: none;
                 text-wrap: nowrap; text-overflow: ellipsis; }
        #middle { height: 1fr; }
        #left { width: 9fr; min-width: 30; border-subtitle-color: $accent; }
        #abstract { width: 11fr; border-subtitle-color: $foreground; }
        #filter { display: none; background: $panel; }
        #filter:focus, #filter.-used { display: block; }
        #papers { height: 1fr; }
        #pairs { display: none; height: 34%; min-height: 7;
                 border-subtitle-color: $foreground-muted; }
        &.-found #pairs, &.-found #trail { display: block; }
        &.-narrow {
            #left { width: 2fr; }
            #abstract { width: 3fr; }
        }
        &.-short {
            #top { height: 1; background: $panel; }
            .label { display: block; }
            #years { width: 14; }
        }
    }
    """

OVERRIDING_CSS = """
    PapersScreen {
        .pane { padding: 0; }
        #filter { height: 1; border: none; padding: 0 1; }
        &.-short #top Input { height: 1; border: none; padding: 0 1; background: $panel; }
        &.-short #top Input:focus { background: $surface; }
    }
    """
"""Rules that win over those of the application."""
