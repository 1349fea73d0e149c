"""Parse a description of a character.

"the sister of the man who elopes" -> the outer description "the sister of someone",
                                      the embedded one "the man who elopes", the head "sister"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholar_indexes.characters.solver.content_words import content_stems
from scholar_indexes.claims import CLAIM_CHARS
from scholar_indexes.coreference import mentions
from scholar_indexes.errors import UsageError
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Character

_EMBEDDED = re.compile(
    r"(?<=\s)(?:the|an?)\s(?:[^\W\d_][\w'’-]*,?\s){1,7}?"
    r"(?:(?:of|for|by|with|to|from|on|in|about|after|under|through)\s)?(?:who|whom|whose)\b"
)
_AFTER_HEAD = re.compile(
    r"\b(?:who|whom|whose|that|which|of|in|with|to|for|from|at|on|by|about|and|is|has)\b|,"
)
_ARTICLE = re.compile(r"(?:the|a|an|one)\s+", re.IGNORECASE)
_GENERIC_HEADS = words_of("anyone")
_FIRST_EMBEDDED = 4
"""The first position where an embedded description can begin: after the outer one's article."""


@dataclass(frozen=True, slots=True)
class ParsedDescription:
    """A description and its parts: the whole text, the outer description of the character
    sought, and the descriptions of other characters that are embedded in it."""

    text: str
    outer: str
    inner: tuple[str, ...]


def parse_description(text: str) -> ParsedDescription:
    """Split a description from the descriptions of other characters embedded in it."""
    starts = []
    position = _FIRST_EMBEDDED
    while (match := _EMBEDDED.search(text, position)) is not None:
        starts.append(match.start())
        position = match.end()
    if not starts:
        return ParsedDescription(text, text, ())
    inner = tuple(text[start:end].strip(" ,") for start, end in pairwise([*starts, len(text)]))
    return ParsedDescription(text, text[: starts[0]] + "someone", inner)


def head_noun_phrase(text: str) -> str:
    """Return the noun phrase that a description begins with, without its article ("maiden
    aunt"); empty for "person" and similar nouns."""
    head = _AFTER_HEAD.split(_ARTICLE.sub("", text, count=1), maxsplit=1)[0].strip()
    return head if set(head.lower().split()) - _GENERIC_HEADS else ""


def normalize_description(description: str) -> str:
    """Return a description as one line of at most CLAIM_CHARS characters; raise UsageError for
    one without content words."""
    line = " ".join(description[: 2 * CLAIM_CHARS].split())[:CLAIM_CHARS]
    if not content_stems(line):
        raise UsageError(
            f"{one_line(line, 60)!r} describes nobody; say what they are or do, such as: "
            'scholar who "the sister who elopes with an officer"'
        )
    return line


def check_not_a_name(description: str, characters: Sequence[Character], book_id: str) -> None:
    """Raise UsageError for a description that consists of a character's name."""
    named = mentions.find_mentions(description, characters)
    rest = list(description)
    for mention in named:
        span = mention.span
        rest[span.start : span.end] = " " * (span.end - span.start)
    if named and not content_stems("".join(rest)):
        name = characters[named[0].character].name
        raise UsageError(
            f"{one_line(description, 60)!r} is a name, not a description; describe the character, "
            f"or read about it: scholar describe {name!r} {book_id}"
        )
