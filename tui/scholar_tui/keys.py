"""The grammar of keys: the meaning of each key, the same on every screen that has the key.

Screens take their bindings from the table GRAMMAR; a letter that is not in it is never bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class KeyMeaning:
    """The keys of a meaning, as Textual names them, and the meaning in words."""

    keys: str
    meaning: str
    display: str = ""
    """The key as it is written, if Textual would write its name."""


GRAMMAR: dict[str, KeyMeaning] = {
    "add": KeyMeaning("a", "Add"),
    "repeat_missed": KeyMeaning("A", "Repeat missed questions"),
    "book": KeyMeaning("b", "Another book"),
    "this_book": KeyMeaning("B", "Only the book of this passage, or all books"),
    "correct": KeyMeaning("c", "Correct what is wrong here"),
    "delete": KeyMeaning("d,delete", "Delete"),
    "note": KeyMeaning("e", "Write a note"),
    "kept": KeyMeaning("E", "List the kept passages, with notes"),
    "filters": KeyMeaning("f", "Filters"),
    "later": KeyMeaning("D,shift+down", "Move this further down the list"),
    "clear_filters": KeyMeaning("f8", "Clear all filters, from a box too"),
    "go_to": KeyMeaning("g", "Go to a place, a person or a passage"),
    "highlight": KeyMeaning("H", "Choose the colour of a kept passage"),
    "history": KeyMeaning("h", "Earlier claims, or quiz results"),
    "details": KeyMeaning("i", "Details and reasons"),
    "index": KeyMeaning("I", "Repair the index"),
    "down": KeyMeaning("j,down", "The next line"),
    "up": KeyMeaning("k,up", "The previous line"),
    "page_on": KeyMeaning("J", "Scroll the page forward"),
    "page_back": KeyMeaning("K", "Scroll the page back"),
    "list_more": KeyMeaning("l", "List more"),
    "mark": KeyMeaning("m", "Mark"),
    "mark_before": KeyMeaning("M", "Mark the previous one"),
    "next": KeyMeaning("n", "The next match"),
    "previous": KeyMeaning("N", "The previous match"),
    "order": KeyMeaning("o", "Order"),
    "passages": KeyMeaning("p", "Find passages, or papers, for a claim"),
    "quiz": KeyMeaning("q", "Start a quiz"),
    "quiz_again": KeyMeaning("Q", "Repeat the whole quiz"),
    "resume": KeyMeaning("r", "Continue where you left off"),
    "reload": KeyMeaning("R", "Reload what is shown"),
    "keep": KeyMeaning("s", "Keep"),
    "collection": KeyMeaning("S", "Choose the collection"),
    "contents": KeyMeaning("t", "Table of contents"),
    "thorough": KeyMeaning("T", "Let the large model rank the passages listed"),
    "undo": KeyMeaning("u", "Undo"),
    "earlier": KeyMeaning("U,shift+up", "Move this further up the list"),
    "view": KeyMeaning("v", "Change the view"),
    "pin": KeyMeaning("V", "Pin a place next to the page"),
    "who": KeyMeaning("w", "Who: choose or find a person"),
    "stop": KeyMeaning("x", "Stop, or give up"),
    "copy": KeyMeaning("y", "Copy with the citation"),
    "copy_bibtex": KeyMeaning("Y", "Copy the BibTeX entry"),
    "search": KeyMeaning("slash", "Search in what is shown", "/"),
    "like": KeyMeaning("plus", "More like this", "+"),
    "unlike": KeyMeaning("minus", "Less like this", "-"),
    "part_before": KeyMeaning("left_square_bracket", "The previous chapter or collection", "["),
    "part_on": KeyMeaning("right_square_bracket", "The next chapter or collection", "]"),
    "kept_before": KeyMeaning("left_curly_bracket", "The previous kept passage", "{"),
    "kept_on": KeyMeaning("right_curly_bracket", "The next kept passage", "}"),
    "speaker_on": KeyMeaning("full_stop", "The next quotation of this speaker", "."),
    "speaker_before": KeyMeaning("comma", "The previous quotation of this speaker", ","),
    "quotation_on": KeyMeaning("greater_than_sign", "The next quotation", ">"),
    "quotation_before": KeyMeaning("less_than_sign", "The previous quotation", "<"),
    "help": KeyMeaning("question_mark", "Help, with all keys", "?"),
}
"""The meanings by name, ordered by key."""

MOVING = "Move and open"

GROUPS: dict[str, tuple[str, ...]] = {
    "Search": (
        *("search", "passages", "who", "filters", "clear_filters", "this_book", "list_more"),
        *("like", "unlike", "thorough", "history", "reload"),
    ),
    "Keep and copy": (
        *("keep", "note", "highlight", "collection", "kept", "undo", "delete"),
        *("earlier", "later", "mark", "mark_before"),
        *("copy", "copy_bibtex"),
    ),
    "Add and correct": ("add", "correct", "index", "stop"),
    "Show": ("details", "order", "view", "contents", "pin", "page_on", "page_back"),
    "Quiz": ("quiz", "quiz_again", "repeat_missed", "resume"),
    MOVING: (
        *("book", "go_to", "next", "previous", "up", "down", "part_on", "part_before"),
        *("kept_on", "kept_before", "speaker_on", "speaker_before"),
        *("quotation_on", "quotation_before", "help"),
    ),
}
"""The meanings by group, in the order of the help; keys without a meaning are in the last group."""

_GROUP_OF = {meaning: group for group, meanings in GROUPS.items() for meaning in meanings}


def bind(
    meaning: str,
    action: str,
    label: str,
    tooltip: str = "",
    *,
    show: bool = True,
    also: str = "",
    group: Binding.Group | None = None,
) -> Binding:
    """Return the binding of a meaning to an action; `also` adds keys other than letters.

    Its id is the name of the meaning. Raises KeyError for a meaning that is not in the grammar.
    """
    entry = GRAMMAR[meaning]
    return Binding(
        f"{entry.keys},{also}" if also else entry.keys,
        action,
        label,
        show=show,
        key_display=entry.display or None,
        tooltip=tooltip or entry.meaning,
        id=meaning,
        group=group,
    )


def group_of(binding: Binding) -> str:
    """Return the group of a binding in the help."""
    return _GROUP_OF.get(binding.id or "", MOVING)


def written(key: str) -> str:
    """Return a key as it is usually written: "Ctrl+E", "F2", "/"."""
    from textual.keys import format_key

    *modifiers, last = key.strip().split("+")
    name = "Enter" if last == "enter" else format_key(last) if last else "+"
    name = name.title() if len(name) > 1 else name
    return "+".join([*(modifier.title() for modifier in modifiers), name])
