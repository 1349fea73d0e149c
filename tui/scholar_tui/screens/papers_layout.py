"""The keys and the style sheets of the papers."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from scholar_tui.keys import bind

_ALIKE = Binding.Group("Similar", compact=True)

BINDINGS: list[BindingType] = [
    bind(
        "search",
        "filter",
        "Search",
        "Show the papers with some words in title, authors, year or venue",
    ),
    bind(
        "passages",
        "claim",
        "Ask",
        "Find papers for a claim or a question; Tab goes to the facet to search in",
    ),
    Binding(
        "1",
        "alike('background')",
        "Background",
        group=_ALIKE,
        tooltip="Papers similar in background",
    ),
    Binding("2", "alike('method')", "Method", group=_ALIKE, tooltip="Papers similar in method"),
    Binding("3", "alike('result')", "Result", group=_ALIKE, tooltip="Papers similar in result"),
    Binding("4", "alike('')", "Overall", group=_ALIKE, tooltip="Papers similar overall"),
    bind("add", "add", "Add", "Add papers from a file, or fetch one by its id"),
    Binding(
        "enter",
        "follow",
        "Follow",
        show=False,
        tooltip="Papers similar to this one, or to the chosen sentences of its abstract",
    ),
    bind(
        "mark",
        "choose",
        "Sentence",
        "Choose sentences of the abstract to search with; Enter searches",
        show=False,
        also="space",
    ),
    Binding("backspace", "back", "Back", tooltip="Back to the previous list"),
    Binding(
        "escape",
        "leave",
        "Out",
        show=False,
        tooltip="Out of a box or the abstract, then back to the previous list",
    ),
    bind("collection", "collection", "Collection", "Choose a collection"),
    bind("filters", "years", "Years", "Only papers of some years: 2015, 2015- or 2010-2014"),
    bind(
        "clear_filters",
        "clear_filters",
        "Clear filters",
        "Show the papers of all collections and years, and search in all facets",
    ),
    bind("copy", "copy", "Copy", "Copy the citation; in the abstract, the sentence with it"),
    bind("copy_bibtex", "copy_bibtex", "BibTeX", "Copy the BibTeX entry", show=False),
    bind("next", "step(1)", "Next", "The next paper of the list", show=False),
    bind("previous", "step(-1)", "Previous", "The previous paper of the list", show=False),
    bind("delete", "remove", "Delete", "Remove the paper, after asking", show=False),
    bind(
        "index",
        "rebuild",
        "Index",
        "Rebuild the index of papers, after damage or for another model",
        show=False,
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
        #facet { width: 18; height: 1; margin: 1 1 0 1; }
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
            #facet { margin: 0 1; }
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
"""Rules that override the rules of the application."""
