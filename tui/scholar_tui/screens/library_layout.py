"""The keys and the style sheet of the library."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from scholar_tui.keys import bind

BINDINGS: list[BindingType] = [
    Binding("enter", "read", "Read", tooltip="Continue where reading stopped"),
    Binding("enter", "sample", "Sample", tooltip="Add the three bundled books"),
    bind("add", "add", "Add", "Add a book by number, address, file or title"),
    bind("search", "filter", "Search", "Show only the books with some words in title or author"),
    bind("passages", "find", "Passages", "Find passages in this book"),
    bind("resume", "resume", "Resume", "Continue the book that was read last"),
    bind("stop", "cancel", "Cancel", "Stop an addition, or dismiss a failure"),
    bind("clear_filters", "clear_filters", "All books", "Show all books again"),
    bind("quiz", "quiz", "Quiz", "Take a quiz on this book", show=False),
    bind(
        "details",
        "look_in",
        "Details",
        "Show all details of this book, and read from any of its chapters",
        show=False,
    ),
    bind(
        "order",
        "order",
        "Order",
        "Order by author, title, size, when added or when read",
        show=False,
    ),
    bind(
        "delete",
        "remove",
        "Delete",
        "Remove this book from the shelf, after confirmation",
        show=False,
    ),
    bind(
        "index",
        "build",
        "Index",
        "Index the books that searches do not find yet, and repair the index",
        show=False,
    ),
    bind(
        "reload",
        "refresh",
        "Reload",
        "Reload the shelf, for changes by other programs",
        show=False,
    ),
    bind("copy_bibtex", "copy", "BibTeX", "Copy this book's BibTeX entry", show=False),
    Binding("escape", "back", "Back", show=False, tooltip="Back to the list, then to all books"),
]

CSS = """
    LibraryScreen {
        & > #middle { height: 1fr; }
        & > #resume { height: 1; padding: 0 1; background: $surface; display: none;
                      text-wrap: nowrap; text-overflow: ellipsis; }
        & > #resume.-some { display: block; }
        & > #resume:hover { background: $panel; }
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
