"""The keys and the style sheet of the reader."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from scholar_tui.keys import bind

BINDINGS: list[BindingType] = [
    bind(
        "search",
        "search",
        "Search",
        "Search the whole book; case matters only if you type capitals",
    ),
    bind(
        "clear_filters",
        "clear_filters",
        "Clear",
        "Clear the search, and the quotation you stepped to",
    ),
    bind(
        "go_to",
        "go_to",
        "Go to",
        "Go to a chapter, a paragraph, a locator, a title or a percentage of the book",
    ),
    bind("contents", "outline", "Contents", "Show the chapters, or hide them"),
    bind("keep", "keep", "Keep", "Keep the selected or marked text in the collection"),
    bind("note", "note", "Note", "Write a note on it, which keeps it too"),
    bind("highlight", "highlight", "Colour", "Give it a colour, which keeps it too", show=False),
    bind("copy", "copy", "Copy", "Copy the selected or marked text with its source"),
    bind("book", "book", "Book", "Read another book of the shelf"),
    bind("kept", "annotations", "Kept", "List the kept passages, with notes"),
    bind("who", "who", "Who", "Choose the speaker whose quotations to step through"),
    bind("passages", "passages", "Passages", "Find passages in this book", show=False),
    bind("next", "match(1)", "Next match", "The next match", show=False),
    bind("previous", "match(-1)", "Previous match", "The previous match", show=False),
    bind(
        "collection",
        "collection",
        "Collection",
        "Keep it in another collection, or a new one",
        show=False,
    ),
    bind("kept_on", "annotation(1)", "Next kept", show=False),
    bind("kept_before", "annotation(-1)", "Previous kept", show=False),
    bind(
        "speaker_on",
        "speaker(1)",
        "Next of speaker",
        "The next quotation of this speaker, with the evidence",
        show=False,
    ),
    bind("speaker_before", "speaker(-1)", "Previous of speaker", show=False),
    bind(
        "quotation_on",
        "quotation(1)",
        "Next quotation",
        "The next quotation, whoever speaks",
        show=False,
    ),
    bind(
        "quotation_before",
        "quotation(-1)",
        "Previous quotation",
        "The previous quotation, whoever speaks",
        show=False,
    ),
    bind("correct", "correct", "Correct", "Correct the speaker of the quotation", show=False),
    bind("undo", "undo", "Undo", "Take a correction back", show=False),
    bind("view", "colours", "Colours", "Colours of speakers on or off", show=False),
    bind("mark", "mark(1)", "Mark next", "Mark the next paragraph", show=False),
    bind("mark_before", "mark(-1)", "Mark previous", "Mark the previous paragraph", show=False),
    bind("part_on", "chapter(1)", "Next chapter", "The next chapter", show=False),
    bind(
        "part_before",
        "chapter(-1)",
        "Previous chapter",
        "The beginning of the chapter, and then the previous chapter",
        show=False,
    ),
    Binding(
        "backspace",
        "back",
        "Back",
        show=False,
        tooltip="Back to where you were before the last jump",
    ),
    bind(
        "pin",
        "pin",
        "Pin",
        "Pin this place next to the page, from 160 columns; or unpin it, from there",
        show=False,
    ),
    Binding(
        "space,pagedown",
        "scroll('page_down')",
        "Page down",
        show=False,
        tooltip="Turn the page; its last line comes to the top",
    ),
    Binding("pageup", "scroll('page_up')", "Page up", show=False, tooltip="Turn back"),
    bind("down", "scroll('scroll_down')", "Line down", "One line down", show=False),
    bind("up", "scroll('scroll_up')", "Line up", "One line up", show=False),
    Binding("home", "edge(True)", "Beginning", show=False, tooltip="Beginning of the book"),
    Binding("end", "edge(False)", "End", show=False, tooltip="End of the book"),
    Binding(
        "escape",
        "leave",
        "Back",
        show=False,
        tooltip="From the search or the outline to the page; then unmark everything",
    ),
]

CSS = """
    ReaderScreen {
        #running { height: 1; background: $surface; color: $foreground-muted; padding: 0 1; }
        #where { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        #count { width: auto; padding: 0 1; color: $accent; }
        #place { width: auto; }
        #outline { width: 34; max-width: 45%; display: none; }
        &.-wide #outline, &.-broad #outline { display: block; }
        #side { width: 29%; display: none; border-left: solid $panel; }
        #side:focus-within { border-left: solid $primary; }
        #notes { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
        #pinned, #second { display: none; }
        #pinned { height: 1; padding: 0 1; background: $panel; }
        #second { height: 2fr; }
        &.-broad #side { display: block; }
        &.-pinned #notes { height: auto; max-height: 45%; }
        &.-pinned #pinned, &.-pinned #second { display: block; }
        #sheet { width: 1fr; background: $surface; }
        #page { height: 1fr; }
        #message {
            height: auto; max-height: 2; padding: 0 1; background: $panel; display: none;
            text-overflow: ellipsis;
        }
        #legend { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #seek { height: 1; display: none; background: $panel; }
        #seek Label { width: auto; padding: 0 0 0 1; color: $accent; }
        #sought { border: none; height: 1; width: 1fr; padding: 0 1; background: $panel; }
        #empty { height: 1fr; display: none; }
        &.-empty #empty { display: block; }
        &.-empty #page, &.-empty #legend, &.-empty #running, &.-empty #outline { display: none; }
        &.-empty #side { display: none; }
    }
    """
