"""Passages with notes in Markdown that scholar exported, also as an Obsidian note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from scholar_indexes.books.formats import front_matter
from scholar_indexes.errors import UsageError
from scholar_indexes.quotations.annotations.found_notes import FoundNote
from scholar_indexes.storage.bookmarks import COLOURS

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PLACE = re.compile(r"[A-Za-z0-9][\w-]*:[\d.:-]+", re.ASCII)
_COLOUR = re.compile(rf" · ({'|'.join(COLOURS)})\s*$")
_CALLOUT = re.compile(r"\[!quote\]")
_BLOCK_ID = re.compile(r"\^([\w-]+?)-(\d+)-(\d+)(?:-(\d+)-(\d+))?$", re.ASCII | re.MULTILINE)


def read(text: str) -> list[FoundNote]:
    """Return the passages of a Markdown text, each with the note that follows it; raises UsageError
    for a text without passages."""
    text = front_matter.without_block(text)
    tokens = MarkdownIt("commonmark").parse(text)
    top = [at for at, token in enumerate(tokens) if not token.level and token.nesting >= 0]
    blocks = [tokens[start:end] for start, end in pairwise([*top, len(tokens)])]
    notes = list(_notes(blocks, text.split("\n")))
    if not notes:
        raise UsageError("it is text without passages that scholar exported")
    return notes


def _notes(blocks: Sequence[Sequence[Token]], lines: Sequence[str]) -> Iterator[FoundNote]:
    """Yield the passages of a text. A note is everything up to the next passage, or to the next
    heading of a claim or of the works cited."""
    claim, note = "", None
    for block in blocks:
        if block[0].tag in ("h1", "h2"):
            claim = _unescaped(block[1].content) if block[0].tag == "h2" else claim
            passage = None
        elif block[0].type != "blockquote_open" or (passage := _passage(block)) is None:
            note = note and _with_block(note, _source(block, lines))
            continue
        if note is not None:
            yield note
        note = passage and replace(passage, claim=claim)
    if note is not None:
        yield note


def _passage(block: Sequence[Token]) -> FoundNote | None:
    """Return the passage of a block quotation, which has its place in its last paragraph, or in the
    block identifier below it; None for another block quotation."""
    paragraphs = [token for token in block if token.type == "inline"]
    label = f"line {(block[0].map or [0])[0] + 1}"
    if paragraphs and _CALLOUT.match(paragraphs[0].content):
        title, _, first = paragraphs[0].content.partition("\n")
        rest = [first, *(part.content for part in paragraphs[1:])]
        return FoundNote(label, _words("\n".join(rest)), colour=_colour_of(title))
    place = _place_in(paragraphs[-1]) if paragraphs else None
    if place is None:
        return None
    quote = "\n".join(part.content for part in paragraphs[:-1])
    colour = _colour_of(paragraphs[-1].content)
    return FoundNote(label, _words(quote), colour=colour, locator=place)


def _place_in(paragraph: Token) -> str | None:
    """Return the first locator that is marked as code in a paragraph."""
    codes = (part.content for part in paragraph.children or () if part.type == "code_inline")
    return next(filter(_PLACE.fullmatch, codes), None)


def _with_block(note: FoundNote, source: str) -> FoundNote:
    """Return a passage with one more block of its note, which the block identifier may begin."""
    if not note.locator and not note.note and (match := _BLOCK_ID.match(source)):
        book, chapter, number, *span = match.groups()
        within = f":{span[0]}-{span[1]}" if span[0] else ""
        note = replace(note, locator=f"{book}:{chapter}.{number}{within}")
        source = source[match.end() :]
    return replace(note, note=f"{note.note}\n\n{source}".strip())


def _source(block: Sequence[Token], lines: Sequence[str]) -> str:
    """Return the lines of a block, which are escaped unless they are code."""
    first, end = block[0].map or (0, 0)
    source = "\n".join(lines[first:end]).strip()
    return source if block[0].type in ("fence", "code_block") else _unescaped(source)


def _colour_of(line: str) -> str:
    match = _COLOUR.search(line)
    return match[1] if match else ""


def _words(source: str) -> str:
    """Return a quotation without its marks of emphasis."""
    return _unescaped(re.sub(r"(?<!\\)\*+", "", source))


def _unescaped(source: str) -> str:
    return _ESCAPED.sub(r"\1", source)
