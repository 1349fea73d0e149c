"""The tags of notes: words with a # before them, as in Obsidian."""

from __future__ import annotations

import re

_TAG = re.compile(r"(?<![\w#&/])#([^\W\d_][\w/-]*)")


def tags_of(note: str) -> list[str]:
    """Return the tags of a note in lower case, each once, in order.

    >>> tags_of("#Irony, and more #free-indirect speech; no tag: a#b, #1, C#")
    ['irony', 'free-indirect']
    """
    return list(dict.fromkeys(tag.casefold() for tag in _TAG.findall(note)))
