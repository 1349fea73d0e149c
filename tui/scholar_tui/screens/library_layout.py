"""The keys and the style sheet of the library."""

from __future__ import annotations

from textual.binding import Binding, BindingType

BINDINGS: list[BindingType] = [
    Binding("enter", "read", "Read", tooltip="Read on where reading stopped"),
    Binding("a", "add", "Add", tooltip="Add a book by number, address, file or title"),
    Binding("s", "sample", "Sample", tooltip="Add the three bundled books"),
    Binding(
        "slash",
        "filter",
        "Filter",
        key_display="/",
        tooltip="Show only the books that have some words",
    ),
    Binding("f", "find", "Find", tooltip="Find passages in this book"),
    Binding("p", "people", "People", show=False, tooltip="See the characters of this book"),
    Binding("q", "quiz", "Quiz", show=False, tooltip="Be quizzed on this book"),
    Binding("x", "cancel", "Cancel", tooltip="Stop what is being added, or put a failure away"),
    Binding(
        "i",
        "look_in",
        "Chapters",
        show=False,
        tooltip="See all that is known of this book, and read from any of its chapters",
    ),
    Binding(
        "o",
        "order",
        "Order",
        show=False,
        tooltip="Order by author, title, size, when added or when read",
    ),
    Binding(
        "d,delete",
        "remove",
        "Remove",
        show=False,
        tooltip="Take this book off the shelf, once you have confirmed it",
    ),
    Binding(
        "b",
        "build",
        "Index",
        show=False,
        tooltip="Index the books that searches do not find yet, and mend the index",
    ),
    Binding(
        "r",
        "refresh",
        "Refresh",
        show=False,
        tooltip="Look at the shelf again, for what other programs have changed",
    ),
    Binding("c", "copy", "Copy", show=False, tooltip="Copy this book's BibTeX entry"),
    Binding("escape", "back", "Back", show=False, tooltip="Back to the list, and all of it"),
]

CSS = """
    LibraryScreen {
        & > #middle { height: 1fr; }
        & #left { width: 1fr; }
        & #notice { height: auto; padding: 0 1; color: $warning; display: none; }
        & #notice.-some { display: block; }
        & BookFilter { display: none; }
        & BookFilter.-some { display: block; }
        & #empty { height: 1fr; display: none; }
        & #line, & #more {
            height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #about { width: 44; padding: 0 1; border-left: solid $panel; }
        & #about:focus-within { border-left: solid $primary; }
        &.-wide #line { display: none; }
        &.-narrow #about { display: none; }
        &.-narrow.-in #about { display: block; width: 1fr; border-left: none; }
        &.-narrow.-in #left { display: none; }
        &.-empty #empty { display: block; }
        &.-empty BookTable { display: none; }
        &.-empty #line, &.-empty #more { display: none; }
        &.-empty #about { display: none; }
    }
    """
