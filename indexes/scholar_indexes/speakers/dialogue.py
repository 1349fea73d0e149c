"""From a book to who says what in it: the steps of `speakers`, in order.

text -> quotations -> characters -> attribution
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.speakers.record import Dialogue
from scholar_indexes.types import Attribution, Chapter, Character, Kind, Progress, Span, silent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scholar_indexes.models import ModelFiles
    from scholar_indexes.speakers.llm_backends import Backend

TRAINED, SIEVE, NEAREST, LLM = METHODS = ("trained", "sieve", "nearest", "llm")

DEFAULT = TRAINED
"""How speakers are found unless a person says otherwise."""

DEFAULT_MODEL = "pdnc-turns"

RULES = 6
"""Counts up when quotations, characters or cues are found in another way: what was kept by
older rules is then made anew."""


def made_by(method: str, model: ModelFiles | None, backend: Backend | None) -> str:
    """What a dialogue depends on beside the text, in one line that begins with the method.

    Raises UsageError for a method that is none.
    """
    if method not in METHODS:
        raise UsageError(f"{method!r} is no method; choose one of {', '.join(METHODS)}")
    if method == LLM and backend is None:
        raise UsageError("a language model is needed; name one: --llm FOLDER or --server URL")
    using = model.weights_sha256 if model else backend.name if backend else ""
    return f"{method} {RULES} {using}".strip()


def read(
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
    """What is said in a book and by whom; raises NoMatch when nobody speaks.

    answers is where a language model's answers are kept, so that a run that was
    interrupted goes on.
    """
    from scholar_indexes.speakers import cues, mentions, names, quotes

    bodies = [each.body for each in chapters if each.kind is Kind.CHAPTER]
    work = _only(text, bodies)
    progress("finding quotations", 0, 0)
    quotations = quotes.find(work, bodies)
    if not quotations:
        raise NoMatch("nobody speaks in this book: it has no quotations that look like speech")
    progress("finding characters", 0, 0)
    cast = names.find(work, quotations)
    said: list[Attribution]
    if method == TRAINED:
        from scholar_indexes.speakers import attribute

        assert model is not None
        said = attribute.load(model)(work, quotations, cast, progress)
    elif method == LLM:
        from scholar_indexes.speakers import llm

        assert backend is not None
        answered = llm.attribute(
            work, quotations, cast, bodies, backend, answers=answers, say=say, progress=progress
        )
        # A language model says who, the narration how one can see it.
        found = cues.find(work, quotations, cast, mentions.with_titles(work, cast))
        said = [
            replace(each, kind=cue.kind, evidence=cue.span)
            for each, cue in zip(answered, found, strict=True)
        ]
    else:
        from scholar_indexes.speakers import sieve

        said = (sieve.attribute if method == SIEVE else sieve.nearest)(work, quotations, cast)
    return Dialogue(tuple(cast), tuple(quotations), tuple(said))


def named(cast: Sequence[Character], name: str) -> Character:
    """The character whom a name means: an alias, or words of just one character's aliases.

    Raises NotThere naming the nearest when there is none, UsageError when it could be
    several.
    """
    from difflib import get_close_matches

    from scholar_indexes.speakers.mentions import words

    wanted = words(name)
    if wanted:
        for exact in (
            [each for each in cast if each.id == name or words(each.name) == wanted],
            [each for each in cast if any(words(alias) == wanted for alias in each.aliases)],
            [each for each in cast if any(_has(words(alias), wanted) for alias in each.aliases)],
        ):
            if len(exact) > 1:
                several = "; ".join(each.name for each in exact[:5])
                raise UsageError(f"{name!r} could be several characters: {several}")
            if exact:
                return exact[0]
    near = get_close_matches(name, [alias for each in cast for alias in each.aliases], 3, 0.6)
    hint = f"; perhaps {' or '.join(near)}" if near else ""
    raise NotThere(f"no character is called {name[:80]!r}{hint}; see: scholar characters BOOK")


def sentences_said(
    dialogue: Dialogue, speaker: Character, sentences: NDArray[np.int32]
) -> Iterator[int]:
    """The numbers of sentences of which a character says at least half.

    sentences is (n, 4): chapter, paragraph, start, end of each, in text order.
    """
    import numpy as np

    pieces = [
        piece
        for quotation, said in zip(dialogue.quotations, dialogue.attributions, strict=True)
        if said.speaker == speaker
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


def _has(name: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a name has the wanted words, one after the other."""
    return any(
        tuple(name[at : at + len(wanted)]) == tuple(wanted)
        for at in range(len(name) - len(wanted) + 1)
    )


def _only(text: str, bodies: Sequence[Span]) -> str:
    """The text with blanks for everything outside some spans, so that places stay."""
    parts, at = [], 0
    for body in bodies:
        parts += [re.sub(r"[^\n]", " ", text[at : body.start]), body.of(text)]
        at = body.end
    return "".join([*parts, re.sub(r"[^\n]", " ", text[at:])]) if bodies else text
