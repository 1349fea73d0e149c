"""The values that the shell completes: books and characters.

A completion is fast and never fails: values that are not known yet are not offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.library import Library


BOOK_ARGUMENTS = "book_arguments"
"""The name of the hidden arguments of a command that shows --book (book_command)."""


def complete_books(incomplete: str) -> list[tuple[str, str]]:
    """Return the ids that start with the typed text, with their titles, and such titles."""
    try:
        books = _library().books.all()
    except Exception:  # a completion must never print a failure into the prompt
        return []
    titles = {stored.book.id: one_line(stored.book.title) for stored in books}
    completions = [(id_, title) for id_, title in titles.items() if id_.startswith(incomplete)]
    if incomplete:
        completions += ((title, "") for title in _continue(incomplete, titles.values()))
    return completions


def complete_speakers(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the speakers in the books on the command line, if they are already known."""
    names = (
        attribution.speaker.name
        for dialogue in _known_dialogues(ctx)
        for attribution in dialogue.attributions
        if attribution.speaker is not None
    )
    return _continue(incomplete, names)


def complete_characters(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the characters of the books on the command line, if they are already known."""
    names = (character.name for dialogue in _known_dialogues(ctx) for character in dialogue.cast)
    return _continue(incomplete, names)


def _known_dialogues(ctx: typer.Context) -> Iterator[Dialogue]:
    try:
        library = _library()
        for reference in _named_books(ctx):
            if dialogue := library.attribution.kept_dialogue(library.books.get_open(reference)):
                yield dialogue
    except Exception:  # a completion must never print a failure into the prompt
        return


def _named_books(ctx: typer.Context) -> Sequence[str]:
    """Return the books of -b, and the arguments of a command whose arguments are books.

    Arguments are not assigned to their parameters yet while an option lacks its value.
    """
    arguments_are_books = any(one.name == BOOK_ARGUMENTS for one in ctx.command.params)
    return [*(ctx.params["books"] or ()), *(ctx.args if arguments_are_books else ())]


def _library() -> Library:
    """Return the user's library, without its messages."""
    from scholar_indexes.library import Library

    return Library.of_user()


def _continue(incomplete: str, names: Iterable[str]) -> list[str]:
    """Return the names that start with the typed text, ignoring case, once each.

    Their beginnings are spelled as typed, because Typer drops all others.
    """
    length = len(incomplete)
    return [
        incomplete + name[length:]
        for name in dict.fromkeys(names)
        if name[:length].casefold() == incomplete.casefold()
    ]
