"""The pipeline from a book to its attributed quotations.

text -> quotations -> characters -> attribution
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.types import (
    Attribution,
    Chapter,
    ChapterKind,
    Character,
    Progress,
    Quotation,
    Span,
    silent,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scholar_indexes.coreference.sections import Section
    from scholar_indexes.llm.backend import Backend
    from scholar_indexes.models.registry import ModelFiles

TRAINED, SIEVE, NEAREST, LLM = METHODS = ("trained", "sieve", "nearest", "llm")

DEFAULT = TRAINED
"""The method if the user chooses none."""

DEFAULT_MODEL = "pdnc-turns"

AttributionMethod: TypeAlias = Callable[
    [str, Sequence[Quotation], Sequence[Character]], Sequence[Attribution]
]
"""A function from a text, its quotations and its characters to an attribution of each quotation."""

_NO_LINE_END = re.compile(r"[^\n]")

SHORTEST_BEGINNING = 3
"""The minimum number of letters of an abbreviated name."""

CACHE_VERSION = 17
"""Increased when the rules for quotations, characters or cues change, so that dialogues cached
under older rules are recomputed."""


def cache_key(method: str, model: ModelFiles | None, backend: Backend | None) -> str:
    """Return a key of all that a dialogue depends on, except the text: one line, the method first.

    Raises UsageError for an unknown method and for "llm" without a language model.
    """
    if method not in METHODS:
        raise UsageError(f"{method!r} is not a method; choose one of {', '.join(METHODS)}")
    if method == LLM and backend is None:
        raise UsageError("a language model is needed; choose one: --llm FOLDER or --server URL")
    using = model.weights_sha256 if model else backend.name if backend else ""
    return f"{method} {CACHE_VERSION} {using}".strip()


def attribute_book(
    text: str,
    chapters: Sequence[Chapter],
    method: str,
    model: ModelFiles | None = None,
    backend: Backend | None = None,
    *,
    answers: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> Dialogue:
    """Return the dialogue of a book; the dialogue of a play is read from its speech headings,
    whatever the method. Raises NoMatch for verse and for a book without quotations.

    `answers` is the file that caches a language model's answers, so that an interrupted run
    continues where it stopped.
    """
    from scholar_indexes.attribution.forms.form_detection import find_forms, with_forms
    from scholar_indexes.attribution.plays import read_play
    from scholar_indexes.attribution.quotes.quote_detection import find_quotations
    from scholar_indexes.attribution.unnamed_speakers import add_unnamed, without_silent
    from scholar_indexes.attribution.verse import is_verse
    from scholar_indexes.coreference.cast import detect_cast

    whole_text = text
    text, bodies, sections = divide_book(text, chapters)
    progress("finding quotations", 0, 0)
    if play := read_play(whole_text, bodies):
        return play
    if is_verse(text, bodies):
        raise NoMatch(
            "this book is verse, and speakers are found only in prose and plays; "
            "to search it, run: scholar find CLAIM -b BOOK"
        )
    quotations = find_quotations(text, bodies)
    if not quotations:
        raise NoMatch("nobody speaks in this book: it has no quotations that look like speech")
    progress("finding characters", 0, 0)
    cast = add_unnamed(text, quotations, detect_cast(text, quotations, sections))
    attribute: AttributionMethod
    if method == LLM:
        attribute = partial(_attribute_by_llm, backend, bodies, answers, say, progress)
    else:
        attribute = _quick_method(method, model, progress)
    # Letters are attributed too and lose their speakers afterwards: as narration they mislead more.
    forms = find_forms(text, quotations, bodies)
    attributions = with_forms(attribute(text, quotations, cast), forms)
    cast = without_silent(cast, attributions)
    return Dialogue(tuple(cast), tuple(quotations), tuple(attributions))


def attribute_to_cast(
    text: str,
    chapters: Sequence[Chapter],
    detected: Dialogue,
    cast: Sequence[Character],
    method: str,
    model: ModelFiles | None = None,
    progress: Progress = silent,
) -> Dialogue:
    """Return the quotations of a dialogue attributed to another cast than the detected one, by
    any method but "llm"."""
    from scholar_indexes.attribution.forms.form_detection import with_forms

    text, _, _ = divide_book(text, chapters)
    attribute = _quick_method(method, model, progress)
    forms = [attribution.form for attribution in detected.attributions]
    attributions = with_forms(attribute(text, detected.quotations, cast), forms)
    return Dialogue(tuple(cast), detected.quotations, tuple(attributions))


def _quick_method(method: str, model: ModelFiles | None, progress: Progress) -> AttributionMethod:
    """Return the function of a method that takes seconds: any but "llm"."""
    if method == TRAINED:
        return partial(_attribute_by_model, model, progress)
    return _rule_based(method)


def _attribute_by_model(
    model: ModelFiles | None,
    progress: Progress,
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
) -> Sequence[Attribution]:
    from scholar_indexes.attribution import trained

    assert model is not None
    return trained.load(model)(text, quotations, cast, progress)


def _attribute_by_llm(
    backend: Backend | None,
    bodies: Sequence[Span],
    answers: Path | None,
    say: Callable[[str], None],
    progress: Progress,
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
) -> Sequence[Attribution]:
    """Return the speakers a language model names, with the kinds and evidence of the cues."""
    from scholar_indexes.attribution.by_language_model import attributor
    from scholar_indexes.attribution.cues.cue_detection import find_cues
    from scholar_indexes.coreference import mentions

    assert backend is not None
    attributions = attributor.attribute(
        text, quotations, cast, bodies, backend, answers=answers, say=say, progress=progress
    )
    cues = find_cues(text, quotations, cast, mentions.find_mentions_and_titles(text, cast))
    return [
        replace(attribution, kind=cue.kind, evidence=cue.span)
        for attribution, cue in zip(attributions, cues, strict=True)
    ]


def _rule_based(method: str) -> AttributionMethod:
    from scholar_indexes.attribution import sieve

    return {SIEVE: sieve.attribute, NEAREST: sieve.attribute_nearest}[method]


def find_character(cast: Sequence[Character], name: str) -> Character:
    """Return the character with a name: an alias, or words of only one character's aliases, of
    which the last may be abbreviated.

    Raises NotThere with similar names if there is none, UsageError if it could be several.
    """
    from scholar_indexes.coreference.mentions import name_words

    words = name_words(name)
    for is_match in _NAME_RULES if words else ():
        matches = [character for character in cast if is_match(character, name, words)]
        if len(matches) > 1:
            candidates = "; ".join(character.name for character in matches[:5])
            raise UsageError(f"{name!r} could be several characters: {candidates}")
        if matches:
            return matches[0]
    raise NotThere(
        f"no character is called {name[:80]!r}{_suggest_names(cast, name)}; "
        "see: scholar characters BOOK"
    )


def _is_name(character: Character, name: str, words: Sequence[str]) -> bool:
    """Return True if the name is the id or the main name of the character."""
    from scholar_indexes.coreference.mentions import name_words

    return character.id == name or name_words(character.name) == words


def _is_alias(character: Character, name: str, words: Sequence[str]) -> bool:
    from scholar_indexes.coreference.mentions import name_words

    return any(name_words(alias) == words for alias in character.aliases)


def _is_part_of_alias(character: Character, name: str, words: Sequence[str]) -> bool:
    from scholar_indexes.coreference.mentions import name_words

    return any(_contains(name_words(alias), words) for alias in character.aliases)


def _is_beginning_of_alias(character: Character, name: str, words: Sequence[str]) -> bool:
    """Return True if an alias has the words, the last of them abbreviated: "Mr Ben"."""
    from scholar_indexes.coreference.mentions import name_words

    *whole, last = words
    return len(last) >= SHORTEST_BEGINNING and any(
        len(alias) == len(words)
        and list(alias[: len(whole)]) == whole
        and alias[-1].startswith(last)
        for alias in map(name_words, character.aliases)
    )


_NAME_RULES: Sequence[Callable[[Character, str, Sequence[str]], bool]] = (
    _is_name,
    _is_alias,
    _is_part_of_alias,
    _is_beginning_of_alias,
)
"""The ways in which a name and its words may mean a character, the strictest first."""


def _suggest_names(cast: Sequence[Character], name: str) -> str:
    from rapidfuzz import fuzz, process

    aliases = dict.fromkeys(alias for character in cast for alias in character.aliases)
    matches = process.extract(
        name, list(aliases), scorer=fuzz.ratio, processor=str.casefold, limit=3, score_cutoff=60
    )
    similar = [alias for alias, _, _ in matches]
    return f"; perhaps {' or '.join(similar)}" if similar else ""


def find_sentences_of(
    dialogue: Dialogue, speaker: Character, sentences: NDArray[np.int32]
) -> Iterator[int]:
    """Yield the numbers of the sentences of which a character says at least half.

    sentences is (n, 4): chapter, paragraph, start, end of each, in text order.
    """
    import numpy as np

    pieces = [
        piece
        for quotation, attribution in zip(dialogue.quotations, dialogue.attributions, strict=True)
        if attribution.speaker == speaker
        for piece in quotation.pieces
    ]
    shared = np.zeros(len(sentences), np.int64)
    starts, ends = np.asarray(sentences[:, 2]), np.asarray(sentences[:, 3])
    for piece in pieces:
        first = int(np.searchsorted(ends, piece.start, "right"))
        last = int(np.searchsorted(starts, piece.end, "left"))
        shared[first:last] += np.minimum(ends[first:last], piece.end) - np.maximum(
            starts[first:last], piece.start
        )
    yield from np.flatnonzero(2 * shared >= ends - starts).tolist()


def _contains(name: Sequence[str], words: Sequence[str]) -> bool:
    """Return True if the words occur in the name, one after the other."""
    return any(
        tuple(name[start : start + len(words)]) == tuple(words)
        for start in range(len(name) - len(words) + 1)
    )


def divide_book(text: str, chapters: Sequence[Chapter]) -> tuple[str, list[Span], list[Section]]:
    """Return the text of a book with everything outside its chapters replaced by spaces, which
    keeps offsets; the spans of the chapters without their headings; and the sections with their
    narrators.
    """
    from scholar_indexes.coreference.sections import divide

    bodies = [chapter.body for chapter in chapters if chapter.kind is ChapterKind.CHAPTER]
    return _blank_outside(text, bodies), bodies, divide(text, bodies)


def _blank_outside(text: str, bodies: Sequence[Span]) -> str:
    """Return the text with everything outside the spans replaced by spaces."""
    if not bodies:
        return text
    parts, end = [], 0
    for body in bodies:
        parts += [_NO_LINE_END.sub(" ", text[end : body.start]), body.of(text)]
        end = body.end
    return "".join([*parts, _NO_LINE_END.sub(" ", text[end:])])
