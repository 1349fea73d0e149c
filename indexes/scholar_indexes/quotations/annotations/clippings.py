"""Highlights and notes of a Kindle, in the file "My Clippings.txt" that it keeps.

Pride and Prejudice (Jane Austen)
- Your Highlight on page 12 | Location 150-152 | Added on Monday, 1 January 2024 10:00:00

It is a truth universally acknowledged
==========
"""

from __future__ import annotations

import re
from dataclasses import replace

from scholar_indexes.errors import UsageError
from scholar_indexes.quotations.annotations.found_notes import FoundNote

SEPARATOR = "=========="

_NOTE = re.compile(r"^- .*?\b(?:note|notiz|nota|notitie)\b", re.IGNORECASE)
"""The second line of a note, in English, German, French, Spanish, Italian, Portuguese, Dutch."""

_AUTHOR = re.compile(r"\([^()]*\)$")
_NUMBERS = re.compile(r"\d+(?:-\d+)?")


def read(text: str) -> list[FoundNote]:
    """Return the highlights in a text, each with the notes on it; raises UsageError for a text
    without any. A note is on the highlight that ends where the note is."""
    notes: list[FoundNote] = []
    ends: dict[tuple[str, str], int] = {}
    comments: list[tuple[str, str, str]] = []
    for number, entry in enumerate(text.split(SEPARATOR), 1):
        lines = entry.strip("\ufeff\r\n ").splitlines()
        words = "\n".join(lines[2:]).strip()
        if len(lines) < 3 or not lines[1].startswith("- ") or not words:
            continue  # a bookmark has no words
        title = _AUTHOR.sub("", lines[0].rstrip()).strip()
        place = _place(lines[1])
        if _NOTE.match(lines[1]):
            comments.append((title, place, words))
        else:
            ends[title, place.rpartition("-")[2]] = len(notes)
            notes.append(FoundNote(f"clipping {number}", words, title=title))
    if not notes:
        raise UsageError("it has clippings without highlights")
    for title, place, comment in comments:
        at = ends.get((title, place.rpartition("-")[2]))
        if at is None:
            notes.append(FoundNote(f"the note “{comment[:40]}”", "", comment, title=title))
        else:
            notes[at] = replace(notes[at], note=f"{notes[at].note}\n\n{comment}".strip())
    return notes


def _place(line: str) -> str:
    """Return the location, or else the page, of a clipping: the last number before its date."""
    parts = line.split("|")
    numbers = _NUMBERS.findall("|".join(parts[: max(len(parts) - 1, 1)]))
    return numbers[-1] if numbers else ""
