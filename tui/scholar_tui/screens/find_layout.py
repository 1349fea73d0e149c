"""The texts, the keys and the style sheet of the search for a claim."""

from __future__ import annotations

from enum import Enum, auto

from textual.binding import Binding, BindingType

from scholar_tui.keys import bind

HINT = """Write a claim, such as
    the creature is lonely because nobody will look at it
and the passages that support it are listed here, best first.

↑ brings back earlier claims, Ctrl+R lists them all.
Esc leaves this box; then f narrows the search, and E shows what you have kept."""

NOTHING_FOUND = (
    "Nothing was found. Try other words, fewer filters (F8 clears them), or dense ranking."
)

LETTER_ACTIONS = frozenset(
    {
        *("read", "keep", "drop", "collection", "note", "why", "copy", "undo", "claim", "filters"),
        *("this_book", "books", "more", "kept", "collect", "move", "scroll", "history"),
        *("approve", "reject", "again", "thorough", "reorder", "highlight"),
    }
)
"""Actions on plain letters, which go to a box while the user types in it."""


class Needed(Enum):
    """The condition of an action: a highlighted row, the list of kept passages, or the search with
    or without a highlighted hit or results."""

    ROW = auto()
    SAVED = auto()
    SEARCH = auto()
    HIT = auto()
    RESULTS = auto()


NEEDED = {
    **dict.fromkeys(("read", "note", "copy", "why", "move"), Needed.ROW),
    **dict.fromkeys(("drop", "collect", "reorder", "highlight"), Needed.SAVED),
    **dict.fromkeys(("books", "this_book", "more", "thorough"), Needed.SEARCH),
    **dict.fromkeys(("keep", "approve", "reject"), Needed.HIT),
    "again": Needed.RESULTS,
}
"""The conditions of actions; the others are always possible."""

BINDINGS: list[BindingType] = [
    Binding("enter", "read", "Read", tooltip="Open the passage in the reader"),
    bind("keep", "keep", "Keep", "Keep the passage in the collection, or remove it"),
    bind("delete", "drop", "Delete", "Remove the passage from the collection"),
    bind("note", "note", "Note", "Write a note on the passage, which keeps it too"),
    bind("copy", "copy", "Copy", "Copy the quotation with its source to the clipboard"),
    bind(
        "filters",
        "filters",
        "Filters",
        "Show the filters, or hide them; among the kept passages, choose a colour or a #tag",
    ),
    bind("kept", "kept", "Kept", "Switch between the hits and the kept passages"),
    bind("details", "why", "Why", "Show why it is ranked here, or when and for what it was kept"),
    bind("search", "claim", "Claim", "Write another claim"),
    bind("book", "books", "Books", "Choose the books to search in"),
    bind(
        "this_book",
        "this_book",
        "This book",
        "Search only the book of this passage, or all books again",
        show=False,
    ),
    bind("clear_filters", "clear_filters", "Clear filters", "Search without any filter"),
    bind(
        "collection",
        "collection",
        "Collection",
        "Choose or create the collection for kept passages",
        show=False,
    ),
    bind("highlight", "highlight", "Colour", "Choose the colour of the kept passage", show=False),
    bind(
        "earlier",
        "reorder(-1)",
        "Move up",
        "Move the kept passage further up in its collection",
        show=False,
    ),
    bind(
        "later",
        "reorder(1)",
        "Move down",
        "Move the kept passage further down in its collection",
        show=False,
    ),
    bind("undo", "undo", "Undo", "Bring back the passage dropped last", show=False),
    bind("list_more", "more", "More", "List more passages", show=False),
    bind("reload", "again", "Search again", "Search for the claim again", show=False),
    bind(
        "like",
        "approve",
        "More like it",
        "Search for more like this passage, or undo that",
        show=False,
    ),
    bind(
        "unlike",
        "reject",
        "Less like it",
        "Search for less like this passage, or undo that",
        show=False,
    ),
    bind(
        "thorough",
        "thorough",
        "Thorough",
        "Let the large model rank the passages listed here, or undo that",
        show=False,
    ),
    bind(
        "part_before",
        "collect(-1)",
        "Previous collection",
        "The previous collection of kept passages",
        show=False,
    ),
    bind(
        "part_on",
        "collect(1)",
        "Next collection",
        "The next collection of kept passages",
        show=False,
    ),
    bind("next", "move(1)", "Next", "The next passage", show=False),
    bind("previous", "move(-1)", "Previous", "The previous passage", show=False),
    bind("page_on", "scroll(1)", "Page down", show=False),
    bind("page_back", "scroll(-1)", "Page up", show=False),
    bind("history", "history", "History", "List earlier claims", show=False),
    Binding(
        "escape",
        "back",
        "Back",
        show=False,
        tooltip="From a box to the list, from the kept passages to the hits",
    ),
]

CSS = """
    FindScreen {
        #summary { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        ClaimBox, .half {
            border-title-color: $foreground; border-subtitle-color: $foreground-muted;
        }
        .half:focus-within, ClaimBox:focus { border-title-color: $primary; }
        #summary:hover { background: $panel; }
        #filters {
            display: none; height: auto; padding: 0 1; grid-gutter: 0 2;
            grid-size: 5; grid-columns: 20 1fr 18 1fr 18; grid-rows: 1;
        }
        &.-narrow #filters { grid-size: 3; grid-columns: 1fr 1fr 1fr; }
        &.-filters #filters { display: block; }
        #filters Horizontal { height: 1; }
        #filters Label { color: $foreground-muted; padding-right: 1; }
        #filters Input, #filters Button { width: 1fr; height: 1; background: $panel; }
        #filters Input { padding: 0; }
        #filters Input:focus { background: $primary-muted; }
        #filters Button {
            min-width: 4; color: $foreground; text-align: left; content-align: left middle;
        }
        #filters .-set { color: $accent; text-style: bold; }
        #halves { height: 1fr; layout: horizontal; }
        .half { border: round $panel; padding: 0 1; }
        .half:focus-within { border: round $primary; }
        #left { width: 44%; }
        #right { width: 1fr; }
        &.-narrow #halves { layout: vertical; }
        &.-narrow #left, &.-narrow #right {
            width: 100%; border: none; border-top: solid $panel;
            padding: 0 1;
        }
        &.-narrow #left:focus-within, &.-narrow #right:focus-within {
            border-top: solid $primary;
        }
        &.-narrow #left { height: 45%; }
        &.-narrow HitStrips { max-height: 1; }
        &.-nothing HitStrips, &.-kept HitStrips { display: none; }
        &.-narrow #right { height: 1fr; }
        #passage { background: $background; height: 1fr; }
        #nothing { height: 1fr; overflow-y: auto; }
        #nothing #message { height: auto; }
        #nothing.-refused #message { color: $error; }
        #nothing Button { margin: 0 2; padding: 0 1; display: none; }
        &.-nothing #right { display: none; }
        &.-nothing #left { width: 100%; height: 1fr; }
        #nothing.-empty Button { display: block; }
        #why { height: auto; max-height: 70%; display: none; border-top: solid $panel; }
        &.-why #why, #why.-trouble { display: block; }
        #why.-trouble { color: $error; }
        &.-broad {
            #left { width: 36%; }
            #right { layout: horizontal; }
            &.-nothing #left { width: 100%; }
            #passage { width: 1fr; }
            #why {
                display: block; width: 34%; height: 1fr; max-height: 100%; margin-left: 1;
                padding: 0 1; border-top: none; border-left: solid $panel; overflow-y: auto;
            }
        }
        &.-kept ClaimBox, &.-kept #summary, &.-kept #filters { display: none; }
    }
    """
