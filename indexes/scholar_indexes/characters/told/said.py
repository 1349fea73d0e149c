"""A description in the making, and how words of a novel are shown in it."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from scholar_indexes.characters.bank import SLOT
from scholar_indexes.characters.told.sentences import Sentence
from scholar_indexes.characters.wording import words
from scholar_indexes.types import Span

RELATION, CALLING, TRAIT, DEED = "relation", "calling", "trait", "deed"

_ODD = re.compile(r"[\"“”«»_*\[\](){}<>|=\\/]|--|\d")
"""What a description cannot hold: quotations, emphasis, notes."""

_ODD_NAME = re.compile(r"\{[^{}]*[{<>|\\][^{}]*\}")

_OPEN, _CLOSE = "\x00", "\x01"
"""Braces, while braces of the text are still to be found."""


@dataclass(frozen=True, slots=True)
class Said:
    """Who, a place in the cast, is described by a noun phrase with others' names in braces."""

    who: int
    kind: str
    text: str
    weight: float
    passages: tuple[Span, ...] = ()


def gives_away(said: Said, own: Set[str]) -> bool:
    """Whether a description has a word of the names it stands for, or a name in it cannot be
    shown."""
    outside = SLOT.sub(" ", said.text)
    return not own.isdisjoint(words(outside)) or bool(_ODD_NAME.search(said.text))


def shown(sentence: Sentence, first: int, end: int, who: int) -> str:
    """The tokens from a place up to another as they read, names in braces; empty where they
    name who they are said of, or cannot be shown."""
    of = sentence.novel
    parts = []
    at = sentence.tokens[first].start
    for token in sentence.tokens[first:end]:
        parts.append(of.text[at : token.start])
        if token.kind == "name":
            if token.who == who:
                return ""
            parts.append(_in_braces(of.cast[token.who].name))
        elif token.word in ("me", "my") and of.narrator is not None:
            parts.append(_in_braces(of.cast[of.narrator].name) + ("’s" * (token.word == "my")))
        else:
            parts.append(of.text[token.start : token.end])
        at = token.end
    line = " ".join("".join(parts).split())
    return "" if _ODD.search(line) else line.replace(_OPEN, "{").replace(_CLOSE, "}")


def _in_braces(name: str) -> str:
    return f"{_OPEN}{name}{_CLOSE}"
