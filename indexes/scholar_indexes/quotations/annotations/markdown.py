"""Passages with notes in Markdown that scholar exported, also as an Obsidian note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from scholar_indexes.errors import UsageError
from scholar_indexes.quotations.annotations.found_notes import FoundNote
from scholar_indexes.storage.bookmarks import COLOURS

_PROPERTIES = re.compile(r"---\n(?:(?!---\n).*\n)*---\n")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PLACE = re.compile(r"[A-Za-z0-9][\w-]*:[\d.:-]+", re.ASCII)
_COLOUR = re.compile(rf" · ({'|'.join(COLOURS)})\s*$")
_CALLOUT = re.compile(r"\[!quote\]")
_BLOCK_ID = re.compile(r"\^([\w-]+?)-(\d+)-(\d+)(?:-(\d+)-(\d+))?", re.ASCII)


def read(text: str) -> list[FoundNote]:
    """Return the passages of a Markdown text, each with the paragraphs up to the next one; raises
    UsageError for a text without passages that have a place."""
    tokens = MarkdownIt("commonmark").parse(_without_properties(text))
    top = [at for at, token in enumerate(tokens) if not token.level and token.nesting >= 0]
    blocks = [tokens[start:end] for start, end in pairwise([*top, len(tokens)])]
    notes = list(_notes(blocks))
    if not notes:
        raise UsageError("it is text without passages that scholar exported")
    return notes


def _without_properties(text: str) -> str:
    """Return a note with empty lines for the properties between two lines of dashes at its
    beginning."""
    match = _PROPERTIES.match(text)
    return "\n" * match[0].count("\n") + text[match.end() :] if match else text


def _notes(blocks: Sequence[Sequence[Token]]) -> Iterator[FoundNote]:
    claim, note = "", None
    for block in blocks:
        kind = block[0].type
        if kind == "paragraph_open" and note is not None:
            note = _with_paragraph(note, _source(block[1]))
            continue
        if note is not None and note.locator:
            yield note
        note = None
        if kind == "heading_open":
            claim = _unescaped(block[1].content) if block[0].tag == "h2" else claim
        elif kind == "blockquote_open":
            note = replace(_passage(block), claim=claim)
    if note is not None and note.locator:
        yield note


def _passage(block: Sequence[Token]) -> FoundNote:
    """Return the passage of a block quotation, which has its place in its last paragraph, or in the
    block identifier below it."""
    paragraphs = [token for token in block if token.type == "inline"]
    label = f"line {(block[0].map or [0])[0] + 1}"
    if paragraphs and _CALLOUT.match(paragraphs[0].content):
        title, _, first = paragraphs[0].content.partition("\n")
        rest = [first, *(part.content for part in paragraphs[1:])]
        return FoundNote(label, _words("\n".join(rest)), colour=_colour_of(title))
    source = paragraphs[-1] if paragraphs else Token("inline", "", 0)
    codes = [part.content for part in source.children or () if part.type == "code_inline"]
    place = next(filter(_PLACE.fullmatch, codes), "")
    quote = "\n".join(part.content for part in paragraphs[:-1])
    return FoundNote(label, _words(quote), colour=_colour_of(source.content), locator=place)


def _with_paragraph(note: FoundNote, paragraph: str) -> FoundNote:
    """Return a passage with one more paragraph of its note, or with its block identifier."""
    if not note.locator and (match := _BLOCK_ID.fullmatch(paragraph)):
        book, chapter, number, *span = match.groups()
        within = f":{span[0]}-{span[1]}" if span[0] else ""
        return replace(note, locator=f"{book}:{chapter}.{number}{within}")
    return replace(note, note=f"{note.note}\n\n{paragraph}".strip())


def _colour_of(line: str) -> str:
    match = _COLOUR.search(line)
    return match[1] if match else ""


def _source(inline: Token) -> str:
    return _unescaped(inline.content)


def _words(source: str) -> str:
    """Return a quotation without its marks of emphasis."""
    return _unescaped(re.sub(r"(?<!\\)\*+", "", source))


def _unescaped(source: str) -> str:
    return _ESCAPED.sub(r"\1", source)
