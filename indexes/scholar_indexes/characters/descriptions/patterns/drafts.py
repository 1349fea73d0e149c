"""Draft descriptions, and the rendering of tokens as their text."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from scholar_indexes.characters.descriptions.bank import SLOT
from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import Token
from scholar_indexes.characters.folded_words import tokenize
from scholar_indexes.types import Span

RELATION, CALLING, MOTIF, TRAIT, DEED = "relation", "calling", "motif", "trait", "deed"

MOTIF_START = "the one often mentioned with"
"""The words before the nouns of a motif."""

_UNPRINTABLE = re.compile(r"[\"“”«»_*\[\](){}<>|=\\/]|--|\d")
"""Marks that a description cannot contain: quotations, emphasis, notes."""

_UNPRINTABLE_NAME = re.compile(r"\{[^{}]*[{<>|\\][^{}]*\}")

_OPEN, _CLOSE = "\x00", "\x01"
"""Placeholders for the braces of names until the text is checked for other braces."""


@dataclass(frozen=True, slots=True)
class DraftDescription:
    """A noun phrase for a character, an index in the cast, with others' names in braces."""

    character: int
    kind: str
    text: str
    weight: float
    passages: tuple[Span, ...] = ()


def reveals_name(draft: DraftDescription, own_terms: Set[str]) -> bool:
    """Return True if a description has a term of its character's names, or a name that cannot
    be shown."""
    outside = SLOT.sub(" ", draft.text)
    return not own_terms.isdisjoint(tokenize(outside)) or bool(_UNPRINTABLE_NAME.search(draft.text))


def render(sentence: TokenizedSentence, first: int, end: int, described: int) -> str:
    """Return the text of the tokens from `first` up to `end`, names in braces.

    Returns an empty string if they name the character described, or cannot be shown.
    """
    tokens = sentence.tokens[first:end]
    if any(token.kind == "name" and token.character == described for token in tokens):
        return ""
    parts = []
    position = tokens[0].start if tokens else 0
    for token in tokens:
        parts += [sentence.novel.text[position : token.start], _render_token(sentence, token)]
        position = token.end
    line = " ".join("".join(parts).split())
    return "" if _UNPRINTABLE.search(line) else line.replace(_OPEN, "{").replace(_CLOSE, "}")


def _render_token(sentence: TokenizedSentence, token: Token) -> str:
    """Return the text of a token; for "me" and "my" of a named narrator, the name."""
    novel = sentence.novel
    if token.kind == "name":
        return _mark_name(novel.cast[token.character].name)
    narrator = novel.narrator_at(token.start) if token.word in ("me", "my") else None
    if narrator is not None:
        return _mark_name(novel.cast[narrator].name) + "’s" * (token.word == "my")
    return novel.text[token.start : token.end]


def _mark_name(name: str) -> str:
    return f"{_OPEN}{name}{_CLOSE}"
