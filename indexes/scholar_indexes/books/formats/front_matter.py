"""The metadata at the start of a Markdown file: a block of YAML between "---" and "---" or "...",
one of TOML between "+++" and "+++", or the title block of Pandoc."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scholar_indexes.guarded import parse_toml, parse_yaml

MAX_LINES, MAX_CHARS = 200, 20_000
"""The limits of a block, so that a text between two distant rules is not mistaken for one."""

_BLOCK = re.compile(
    rf"---[ \t]*\n(?P<yaml>(?:[^\n]*\n){{1,{MAX_LINES}}}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
_TOML = re.compile(rf"\+\+\+[ \t]*\n(?P<toml>(?:[^\n]*\n){{1,{MAX_LINES}}}?)\+\+\+[ \t]*(?:\n|\Z)")
_TITLE_BLOCK = re.compile(
    r"%[ \t](?P<title>[^\n]+)\n(?:%[ \t]?(?P<author>[^\n]*)\n)?(?:%[^\n]*\n)?"
)
_BOOK_FIELD = re.compile(r"(?m)^(?:title|author)[ \t]*:", re.IGNORECASE)
_NAMES = {"lang": "language", "authors": "author"}
"""Names of fields that differ from the names in a header."""


def split(text: str) -> tuple[list[str], str]:
    """Return the fields of the block at the start of a text, and the text after the block.

    Fields have the form of lines in Gutenberg's header ("title: The Moths"). Without a block,
    return no fields and the whole text. If a block with a title or an author is not valid YAML,
    for example because of a second colon in its title, its lines are the fields.
    """
    block = _BLOCK.match(text[:MAX_CHARS])
    if block is None:
        return _split_other(text)
    try:
        fields = parse_yaml(block["yaml"], MAX_CHARS)
    except ValueError:
        if not _BOOK_FIELD.search(block["yaml"]):
            return [], text
        return block["yaml"].splitlines(), text[block.end() :]
    if not isinstance(fields, Mapping):
        return [], text
    return _lines(fields), text[block.end() :]


def without_block(text: str) -> str:
    """Return a text with empty lines in place of the block at its start, so that lines keep their
    numbers."""
    _, rest = split(text)
    return "\n" * text.count("\n", 0, len(text) - len(rest)) + rest


def _split_other(text: str) -> tuple[list[str], str]:
    """Return the fields of a block of TOML or of a title block, and the text after it."""
    head = text[:MAX_CHARS]
    if title_block := _TITLE_BLOCK.match(head):
        return _lines(title_block.groupdict()), text[title_block.end() :]
    block = _TOML.match(head)
    if block is None:
        return [], text
    try:
        return _lines(parse_toml(block["toml"])), text[block.end() :]
    except ValueError:
        return [], text


def _lines(fields: Mapping[Any, Any]) -> list[str]:
    return [f"{_NAMES.get(name, name)}: {_text(value)}" for name, value in _named(fields)]


def _named(fields: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    return [(name.lower(), value) for name, value in fields.items() if isinstance(name, str)]


def _text(value: Any) -> str:
    """Return a value on one line: the items of a list, the name of an item with fields."""
    if isinstance(value, list):
        return "; ".join(filter(None, map(_item, value)))
    return _item(value)


def _item(value: Any) -> str:
    text = value.get("name") if isinstance(value, Mapping) else value
    return " ".join(text.split()) if isinstance(text, str) else ""
