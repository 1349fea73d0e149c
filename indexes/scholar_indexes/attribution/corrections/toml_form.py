"""Corrections as TOML: an array of tables for each kind, under comments that explain them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any

from scholar_indexes.attribution.corrections.kinds import KINDS, Correction, kind_of
from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import parse_toml, shown
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Book, Character

MAX_CHARS = 1_000_000
"""The maximum length of a file, in characters."""

MAX_VALUE_CHARS = 500

_EXPLANATION = """\
# Lines that begin with # are comments. To correct something, write such a table below, without
# the #. You may use any name of a character. An empty file removes all corrections.
# Every table may have a note = "...", for your reason.
#
# Two or more characters are the same person, who is called by the first name:
#   [[merge]]
#   names = ["Elizabeth Bennet", "Lizzy"]
#
# A name belongs to another person; without "to", to a person who is not in the list:
#   [[split]]
#   name = "Miss Bennet"
#   to = "Jane Bennet"
#
# A person is not in the list; if you know no name, give a description = "..." instead:
#   [[character]]
#   name = "Mrs. Reynolds"
#   aliases = ["the housekeeper"]
#   gender = "female"
#
# A character is called by another name:
#   [[rename]]
#   name = "Mr. Darcy"
#   to = "Fitzwilliam Darcy"
#
# A place, a ship or an exclamation was mistaken for a person:
#   [[not_a_person]]
#   name = "Pemberley"
#
# The gender of a character is female, male or unknown:
#   [[gender]]
#   name = "Hill"
#   gender = "female"
#
# A character is the "I" of the book, or of some sections, numbered as in locators (pg768:4 is
# section 4; "scholar books info" lists them):
#   [[narrator]]
#   name = "Ellen Dean"
#   sections = "4-9"
#
# A quotation is said by a character; copy its locator from "scholar speakers". Its first words
# are added, by which it is found if the book is replaced by another edition:
#   [[quotation]]
#   locator = "pg1342:1.2:1-75"
#   speaker = "Mrs. Bennet"
"""

_KEYS = {"quotation": "locator"}
"""Keys that differ from the names of their fields."""

_LISTS = ("names", "aliases")
"""Keys of lists of strings."""

_OLD_KEYS = {("narrator", "chapters"): "sections"}
"""Keys in files of an earlier version, with the keys that replace them."""

_BOOK = "book"


def dumps(book: Book, corrections: Sequence[Correction], cast: Sequence[Character] = ()) -> str:
    """Return a file of a book's corrections; the characters `cast` are listed in comments."""
    title, count = one_line(book.title, 200), len(cast)
    lines = [f"# Corrections to the characters of {title} ({book.id})", "#"]
    lines += _EXPLANATION.splitlines()
    lines += ["#", f"# The {count} characters as they are now:"] * bool(cast)
    lines += [f"#   {_describe(character)}" for character in cast]
    lines += ["", f"{_BOOK} = {_quote(book.id)}"]
    return "\n".join(lines) + "\n" + dumps_tables(corrections)


def dumps_tables(corrections: Sequence[Correction]) -> str:
    """Return the tables of corrections, without comments and the id of a book."""
    tables = (
        "\n".join(["", f"[[{kind_of(correction)}]]", *_write_fields(correction), ""])
        for correction in corrections
    )
    return "".join(tables)


def loads(text: str, book_id: str) -> tuple[Correction, ...]:
    """Return the corrections of a file in its order, without duplicates; inline lists, which have
    no headings, come first.

    Raises UsageError, with the line, for an invalid file or the file of another book.
    """
    if len(text) > MAX_CHARS:
        raise UsageError(f"the file is longer than {MAX_CHARS:,} characters; shorten it")
    try:
        document = parse_toml(text, MAX_CHARS)
    except ValueError as error:
        raise UsageError(f"this is not TOML: {_with_place(error, text)}; correct it") from None
    _check_book(document.pop(_BOOK, book_id), book_id)
    for name in document:
        if name not in KINDS:
            from rapidfuzz import fuzz, process

            near = process.extractOne(name, list(KINDS), scorer=fuzz.ratio, score_cutoff=60)
            kinds = near[0] if near else " or ".join(KINDS)
            raise UsageError(f"{name[:40]!r} is not a kind of correction; write {kinds}")
    corrections = [
        entry for kind in KINDS for entry in _read_kind(kind, document.get(kind, []), text)
    ]
    corrections.sort(key=lambda entry: entry[0])
    return tuple(dict.fromkeys(correction for _, correction in corrections))


def _with_place(error: ValueError, text: str) -> str:
    """Return the message of a syntax error, with line and column even at the end of the file."""
    lines = text.rstrip().split("\n")
    end = f"(at line {len(lines)}, column {len(lines[-1]) + 1}, the end)"
    return one_line(str(error).replace("(at end of document)", end), 200)


def _check_book(named: Any, book_id: str) -> None:
    if named != book_id:
        other = one_line(named, 80) if isinstance(named, str) else shown(named)
        raise UsageError(
            f"these are corrections of {other}, not of {book_id}; "
            f"to use them anyway, remove the line that begins with {_BOOK}"
        )


def _read_kind(kind: str, tables: Any, text: str) -> Iterator[tuple[int, Correction]]:
    """Yield the corrections of one kind, each after its line number in the file, 0 if unknown."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{kind} is not a list of tables; write [[{kind}]], with two brackets")
    lines = _header_lines(kind, text)
    if len(lines) != len(tables):
        lines = [0] * len(tables)
    for line, table in zip(lines, tables, strict=True):
        try:
            yield line, _read_table(kind, table)
        except UsageError as error:
            place = f"line {line}, " if line else ""
            raise UsageError(f"{place}[[{kind}]]: {error}") from None


def _header_lines(kind: str, text: str) -> list[int]:
    """Return the numbers of the lines with the heading of a table of a kind."""
    heading = re.compile(rf"\s*\[\[\s*{kind}\s*\]\]")
    return [number for number, line in enumerate(text.split("\n"), 1) if heading.match(line)]


def _read_table(kind: str, table: Mapping[str, Any]) -> Correction:
    known = {_key(field): field for field in fields(KINDS[kind])}
    table = _rename_keys(kind, table)
    for key in table:
        if key not in known:
            raise UsageError(f"{key[:40]!r} is unknown; write {', '.join(known)}")
    values = {}
    for key, field in known.items():
        if key in table:
            values[field.name] = _read_value(key, table[key], is_list=field.name in _LISTS)
        elif field.default is MISSING:
            raise UsageError(f"{key} is missing; write {key} = ...")
    return KINDS[kind](**values)


def _rename_keys(kind: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a table with new keys in place of old ones; raises UsageError if it has both."""
    renamed: dict[str, Any] = {}
    for key, value in table.items():
        name = _OLD_KEYS.get((kind, key), key)
        if name in renamed:
            raise UsageError(f"{name} is given twice, once by its old name; remove one")
        renamed[name] = value
    return renamed


def _read_value(key: str, value: Any, *, is_list: bool) -> Any:
    """Return a value as a one-line string, or a list as a tuple of them."""
    if is_list:
        if not isinstance(value, list):
            raise UsageError(f'{key} must be a list; write {key} = ["A", "B"]')
        return tuple(_read_value(key, item, is_list=False) for item in value)
    # Users write sections = 4 without quotes; in Python, true is an integer too.
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise UsageError(f'{key} must be a string; write {key} = "..."')
    value = one_line(value)
    if len(value) > MAX_VALUE_CHARS:
        raise UsageError(f"{key} is longer than {MAX_VALUE_CHARS} characters; shorten it")
    if not value and key != "note":
        raise UsageError(f"{key} is empty; write a value, or remove the line")
    return value


def _write_fields(correction: Correction) -> Iterator[str]:
    for field in fields(correction):
        value = getattr(correction, field.name)
        if value == field.default:
            continue
        if isinstance(value, tuple):
            yield f"{_key(field)} = [{', '.join(map(_quote, value))}]"
        else:
            yield f"{_key(field)} = {_quote(value)}"


def _key(field: Field[Any]) -> str:
    return _KEYS.get(field.name, field.name)


def _quote(value: str) -> str:
    """Return a TOML string, which is a JSON string except for the delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _describe(character: Character) -> str:
    others = [alias for alias in character.aliases if alias != character.name]
    facts = [character.gender.value, *(["narrator"] if character.narrator else [])]
    also = f"; also {', '.join(others)}" if others else ""
    return one_line(f"{character.name} ({', '.join(facts)}){also}")
