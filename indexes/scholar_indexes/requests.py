"""The requests of the front ends to the library, with one description of every field.

The command line, the screen, the HTTP API and MCP take the help and the bounds of their options
from here, so that each can ask what the others can (tests/test_requests.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, get_type_hints

from scholar_indexes.errors import UsageError

MOST_SENTENCES = 5
"""Sentences of a passage, at most."""

ALL = -1
"""The depth at which the second stage reads a whole book."""


class Mode(StrEnum):
    """The ranking of passages: by meaning and words, by meaning, or by words."""

    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


class SpeakerMethod(StrEnum):
    """The way to find speakers: a trained model, a language model, rules, or the nearest name."""

    TRAINED = "trained"
    LLM = "llm"
    SIEVE = "sieve"
    NEAREST = "nearest"


class Order(StrEnum):
    """The order of an answer: best first, or book by book as in the text."""

    SCORE = "score"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """The help of a field, the bounds of a number, and the maximum length of a text."""

    help: str
    least: float | None = None
    most: float | None = None
    max_chars: int = 200


Chapters = Annotated[
    str | None,
    FieldSpec(
        "Only these chapters, by printed number: 3, III, 3-9, act 3, or 2.5 for chapter 5 of "
        "volume 2.",
        max_chars=100,
    ),
]
Speaker = Annotated[str | None, FieldSpec("Only the words of this character.")]


@dataclass(frozen=True, slots=True)
class FindRequest:
    """A claim and how to search for it. None and empty filters exclude nothing.

    Raises UsageError for values out of bounds.
    """

    claim: Annotated[
        str,
        FieldSpec(
            "A claim about a book, a question, or prose with [MASK] in place of a quotation.",
            max_chars=20_000,
        ),
    ] = ""
    books: Annotated[
        Sequence[str], FieldSpec("Only this book: an id, a locator or part of a title.")
    ] = ()
    author: Annotated[str | None, FieldSpec("Only books whose author's name contains this.")] = None
    chapters: Chapters = None
    speaker: Speaker = None
    about: Annotated[
        Sequence[str],
        FieldSpec(
            "Only passages with this character, who is also meant by 'her cousin' in the claim. "
            "nobody: such phrases mean nobody."
        ),
    ] = ()
    n: Annotated[int, FieldSpec("The number of passages.", least=1, most=1000)] = 10
    mode: Annotated[Mode, FieldSpec("Rank by meaning and words, by meaning, or by words.")] = (
        Mode.HYBRID
    )
    sentences: Annotated[
        tuple[int, int], FieldSpec("The length of a passage in sentences: 2 or 1-5.")
    ] = (1, MOST_SENTENCES)
    order: Annotated[Order, FieldSpec("Best first, or in the order of the text.")] = Order.SCORE
    context: Annotated[int, FieldSpec("Sentences of context on either side.", least=0, most=50)] = 1
    fold: Annotated[bool, FieldSpec("Fold passages next to a better one into it.")] = True
    like: Annotated[
        Sequence[str], FieldSpec("Prefer passages similar to the one at this locator.")
    ] = ()
    unlike: Annotated[
        Sequence[str], FieldSpec("Avoid passages similar to the one at this locator.")
    ] = ()
    min_support: Annotated[
        float | None,
        FieldSpec(
            "Only passages that support the claim with at least this probability.", least=0, most=1
        ),
    ] = None
    wait: Annotated[
        bool,
        FieldSpec("First find the people of the book with most hits, which can take minutes."),
    ] = False
    rerank: Annotated[
        str | None,
        FieldSpec(
            "The model that reads the best passages again: auto, thorough, none, llm, or a name; "
            "default: the setting."
        ),
    ] = None
    depth: Annotated[
        int | None,
        FieldSpec("The number of passages it reads, or all of one book.", least=1, most=10_000),
    ] = None

    def __post_init__(self) -> None:
        for name in ("books", "like", "unlike"):
            object.__setattr__(self, name, tuple(getattr(self, name) or ()))
        _strip_texts(self, "author", "chapters", "speaker")
        about = (self.about,) if isinstance(self.about, str) else self.about or ()
        object.__setattr__(self, "about", tuple(about))
        object.__setattr__(self, "mode", _choice(Mode, "mode", self.mode))
        object.__setattr__(self, "order", _choice(Order, "order", self.order))
        shortest, longest = self.sentences
        object.__setattr__(self, "sentences", (shortest, longest))
        if not 1 <= shortest <= longest <= MOST_SENTENCES:
            raise UsageError(
                f"a passage has 1 to {MOST_SENTENCES} sentences, not {shortest}-{longest}; "
                "write 2 or 1-5"
            )
        _check_bounds(self, FindRequest, "n", "context", "min_support")
        if self.depth != ALL:
            _check_bounds(self, FindRequest, "depth", more=", or all")


@dataclass(frozen=True, slots=True)
class AddRequest:
    """A book to add; None means that the source, or the setting, decides."""

    source: Annotated[
        str,
        FieldSpec("A Gutenberg number such as 1342, a Gutenberg URL, a file, or -."),
    ] = ""
    title: Annotated[str | None, FieldSpec("The title of the book.")] = None
    author: Annotated[str | None, FieldSpec("The author of the book.")] = None
    language: Annotated[
        str | None, FieldSpec("The language of the book, such as en; overrides detection.")
    ] = None
    encoding: Annotated[
        str | None,
        FieldSpec("The encoding of a text or a page, such as cp437; overrides detection."),
    ] = None
    mirror: Annotated[str | None, FieldSpec("Use this Gutenberg mirror: a URL or a folder.")] = None
    refresh: Annotated[bool, FieldSpec("Fetch and add the book again.")] = False
    dry_run: Annotated[bool, FieldSpec("Show what would be added; store nothing.")] = False


@dataclass(frozen=True, slots=True)
class SpeakersRequest:
    """A book whose quotations are wanted with their speakers. None excludes nothing.

    Raises UsageError for values out of bounds, and for a model that the method does not use.
    """

    book: Annotated[str, FieldSpec("A book: its id, or part of its title.")] = ""
    chapters: Chapters = None
    speaker: Speaker = None
    min_confidence: Annotated[
        float, FieldSpec("Only speakers with at least this confidence.", least=0, most=1)
    ] = 0.0
    method: Annotated[SpeakerMethod | None, FieldSpec("How to find speakers.")] = None
    model: Annotated[str | None, FieldSpec("For --method trained: a model name or folder.")] = None

    def __post_init__(self) -> None:
        _strip_texts(self, "chapters", "speaker")
        if self.method is not None:
            object.__setattr__(self, "method", _choice(SpeakerMethod, "method", self.method))
        _check_bounds(self, SpeakersRequest, "min_confidence")
        if self.model and self.method not in (None, SpeakerMethod.TRAINED):
            raise UsageError(
                "--model is for --method trained; leave out --model, or use that method"
            )


def parse_sentences(text: str) -> tuple[int, int]:
    """Return the shortest and the longest passage of a range such as "2" or "1-5", in sentences.

    Raises UsageError for another form; FindRequest checks the bounds.
    """
    shortest, _, longest = text.partition("-")
    try:
        return int(shortest), int(longest or shortest)
    except ValueError:
        raise UsageError(f"{text!r} is not a length of passages; write 2 or 1-5") from None


def parse_depth(text: str) -> int:
    """Return the depth written as a number or "all"; raises UsageError for another form."""
    if text == "all":
        return ALL
    if not text.isdecimal():
        raise UsageError(f"{text!r} is not a depth; write a number of passages, or all")
    return int(text)


@cache
def describe(request: type, name: str) -> FieldSpec:
    """Return the help and the bounds of a field of a request."""
    description: FieldSpec = get_type_hints(request, include_extras=True)[name].__metadata__[0]
    return description


def _strip_texts(request: object, *names: str) -> None:
    """Strip texts of a request that is being made; empty ones become None."""
    for name in names:
        object.__setattr__(request, name, (getattr(request, name) or "").strip() or None)


def _check_bounds(request: object, kind: type, *names: str, more: str = "") -> None:
    """Raise UsageError for a number of a request out of the bounds that its class describes;
    `more` names another value."""
    for name in names:
        value, bounds = getattr(request, name), describe(kind, name)
        if value is not None and not (bounds.least or 0) <= value <= (bounds.most or value):
            raise UsageError(
                f"{name} is {value}; choose from {bounds.least} to {bounds.most}{more}"
            )


def _choice(kind: type[StrEnum], name: str, value: str) -> StrEnum:
    try:
        return kind(value)
    except ValueError:
        raise UsageError(f"{name} is {value!r}; choose from {', '.join(kind)}") from None
