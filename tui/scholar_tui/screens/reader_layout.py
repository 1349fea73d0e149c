"""The keys and the style sheet of the reader."""

from __future__ import annotations

from textual.binding import Binding, BindingType

BINDINGS: list[BindingType] = [
    Binding(
        "slash",
        "search",
        "Search",
        key_display="/",
        tooltip="Search the whole book; capitals count only where you type some",
    ),
    Binding("n", "match(1)", "Next match", show=False, tooltip="The next match"),
    Binding("N", "match(-1)", "Match before", show=False, tooltip="The match before"),
    Binding(
        "g",
        "go_to",
        "Go to",
        tooltip="Go to a chapter, a paragraph, a locator, a title or a share of the book",
    ),
    Binding("o", "outline", "Outline", tooltip="Show the chapters, or hide them"),
    Binding("y", "copy", "Copy", tooltip="Copy what is selected or marked with its source"),
    Binding(
        "s",
        "keep",
        "Keep",
        show=False,
        tooltip="Keep what is selected or marked in the collection",
    ),
    Binding(
        "S",
        "collection",
        "Collection…",
        show=False,
        tooltip="Keep it in another collection, or a new one",
    ),
    Binding("e", "note", "Note", show=False, tooltip="Write a note on it, which keeps it too"),
    Binding(
        "right_curly_bracket",
        "annotation(1)",
        "Kept on",
        show=False,
        key_display="}",
        tooltip="The next passage that was kept",
    ),
    Binding(
        "left_curly_bracket",
        "annotation(-1)",
        "Kept back",
        show=False,
        key_display="{",
        tooltip="The passage before that was kept",
    ),
    Binding("E", "annotations", "Notes", show=False, tooltip="List what was kept, with the notes"),
    Binding(
        "full_stop",
        "speaker(1)",
        "Speaker on",
        show=False,
        key_display=".",
        tooltip="The next quotation of this speaker, with what says so",
    ),
    Binding(
        "comma",
        "speaker(-1)",
        "Speaker back",
        show=False,
        key_display=",",
        tooltip="The quotation of this speaker before",
    ),
    Binding(
        "greater_than_sign",
        "quotation(1)",
        "Quotation on",
        show=False,
        key_display=">",
        tooltip="The next quotation, whoever speaks",
    ),
    Binding(
        "less_than_sign",
        "quotation(-1)",
        "Quotation back",
        show=False,
        key_display="<",
        tooltip="The quotation before, whoever speaks",
    ),
    Binding("w", "who", "Who", show=False, tooltip="Choose whose quotations to step through"),
    Binding(
        "c", "correct", "Correct", show=False, tooltip="Say whose the quotation is you stepped to"
    ),
    Binding("u", "undo", "Undo", show=False, tooltip="Take a correction back"),
    Binding("l", "colours", "Colours", show=False, tooltip="Colours of speakers on or off"),
    Binding("J", "mark(1)", "Mark on", show=False, tooltip="Mark the next paragraph"),
    Binding("K", "mark(-1)", "Mark back", show=False, tooltip="Mark the paragraph before"),
    Binding(
        "right_square_bracket",
        "chapter(1)",
        "Chapter on",
        show=False,
        key_display="]",
        tooltip="The next chapter",
    ),
    Binding(
        "left_square_bracket",
        "chapter(-1)",
        "Chapter back",
        show=False,
        key_display="[",
        tooltip="The beginning of the chapter, and then the chapter before",
    ),
    Binding(
        "backspace",
        "back",
        "Back",
        show=False,
        tooltip="Back to where you were before the last jump",
    ),
    Binding(
        "v",
        "pin",
        "Pin",
        show=False,
        tooltip="Pin this place beside the page, from 160 columns on; or unpin it, from there",
    ),
    Binding("b", "book", "Book", show=False, tooltip="Read another book of the shelf"),
    Binding(
        "space,pagedown",
        "scroll('page_down')",
        "Page down",
        show=False,
        tooltip="Turn the page; its last line comes to the top",
    ),
    Binding("pageup", "scroll('page_up')", "Page up", show=False, tooltip="Turn back"),
    Binding("j,down", "scroll('scroll_down')", "Line down", show=False, tooltip="A line on"),
    Binding("k,up", "scroll('scroll_up')", "Line up", show=False, tooltip="A line back"),
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
