"""What questions about a book's characters need of it, kept in the book's folder.

    who.npz     the people, where each of them is, the book's words, its sentences and tokens

It is made of the stored vectors, the text and the dialogue, and belongs to one version of all
that makes it: another's is made anew, as is a damaged one. Vectors are kept in whole numbers,
and are the same in the answer that made them.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.characters import people, solve
from scholar_indexes.characters.bank import Described
from scholar_indexes.characters.solve import (
    SIZES,
    Groundwork,
    LikeWords,
    Presence,
    Reading,
    Tokens,
    Words,
    from_whole,
    whole_numbers,
)
from scholar_indexes.places import writing
from scholar_indexes.types import Character, Gender, Progress, Span, silent

if TYPE_CHECKING:
    from scholar_indexes.encoder import Encoder
    from scholar_indexes.speakers.record import Dialogue
    from scholar_indexes.store import Neighbourhood

SCHEMA_VERSION = 3

FILE = "who.npz"

Array = NDArray[Any]
Rows = NDArray[np.int32]
"""Sentences as books.shelf has them, (m, 4): chapter, paragraph, start, end of each."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A book as a solver takes it, and who can be meant."""

    people: tuple[Character, ...]
    reading: Reading
    groundwork: Groundwork


class Spans(Sequence[Span]):
    """Where sentences stand, made only when one is looked at."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Span: ...
    @overload
    def __getitem__(self, at: slice) -> list[Span]: ...
    def __getitem__(self, at: int | slice) -> Span | list[Span]:
        if isinstance(at, slice):
            return [Span(start, end) for start, end in self._rows[at, 2:].tolist()]
        return Span(int(self._rows[at, 2]), int(self._rows[at, 3]))


def made_by(space: str, dialogue: str, bank: Sequence[Described]) -> str:
    """What is kept depends on beside the text, in one line: the vectors' space, how the
    dialogue was made, and the names of a bank."""
    names = json.dumps([[each.name, each.aliases, each.gender] for each in bank])
    digest = sha256(names.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{solve.RULES} {people.RULES} {space} {digest} {dialogue}"


def make(
    text: str,
    rows: Rows,
    stored: Neighbourhood,
    dialogue: Dialogue | None,
    bank: Sequence[Described],
    encoder: Encoder,
    label: str = "",
    progress: Progress = silent,
) -> Kept:
    """Read a book whose vectors are stored; its tokens are encoded again, which takes as long
    as adding it did."""
    listed = [Span(start, end) for start, end in rows[:, 2:].tolist()]
    vectors = from_whole(whole_numbers(stored.vectors))
    reading = _reading(text, rows, listed, vectors, stored.weights)
    everybody = people.of_book(text, dialogue, bank)
    candidates = list(map(people.candidate, everybody))
    made = solve.groundwork(reading, candidates, dialogue, encoder, label, progress)
    return Kept(everybody, reading, made)


def save(folder: Path, made_by: str, kept: Kept) -> None:
    """Write it whole, or not at all."""
    who = [[each.id, each.name, each.aliases, each.gender, each.narrator] for each in kept.people]
    head = {"schema_version": SCHEMA_VERSION, "made_by": made_by, "people": who}
    made = kept.groundwork
    arrays: dict[str, Array] = {
        "head": _bytes(json.dumps(head)),
        "vectors": whole_numbers(kept.reading.vectors),
        "weights": kept.reading.weights,
        "like vectors": made.like.vectors,
        "tokens": made.tokens.vectors,
        "token counts": made.tokens.counts.astype(np.int32),
        "token axes": made.tokens.axes,
        "token mean": made.tokens.mean,
        "token rarity": made.tokens.rarity,
    }
    for name, words in (("", made.words), ("like ", made.like.words)):
        arrays[f"{name}terms"] = _bytes("\n".join(words.terms))
        arrays[f"{name}rows"] = words.rows.astype(np.int32)
        arrays[f"{name}edges"] = words.edges.astype(np.int32)
        arrays[f"{name}lengths"] = words.lengths
    for size, each in made.lengths.items():
        arrays[f"windows {size}"] = each
    for one in fields(Presence):
        dense = getattr(made.presence, one.name)
        places = np.flatnonzero(dense)
        arrays[f"where {one.name}"] = places.astype(np.uint32)
        arrays[f"much {one.name}"] = dense.ravel()[places]
    with writing(folder):
        handle, unfinished = tempfile.mkstemp(prefix=".who-", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
            os.replace(unfinished, folder / FILE)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise


def load(folder: Path, made_by: str, text: str, rows: Rows) -> Kept | None:
    """What was kept; None where there is nothing of this making, or it is broken."""
    try:
        with open(folder / FILE, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            head = json.loads(arrays["head"].tobytes())
            if (head["schema_version"], head["made_by"]) != (SCHEMA_VERSION, made_by):
                return None
            return _unpacked(head, arrays, text, rows)
    except (
        OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError,
        MemoryError, NotImplementedError, RecursionError, struct.error, zlib.error,
        zipfile.BadZipFile,
    ):  # fmt: skip
        return None


def _unpacked(head: Any, arrays: Mapping[str, Array], text: str, rows: Rows) -> Kept:
    everybody = tuple(
        Character(str(id), str(name), tuple(map(str, aliases)), Gender(gender), bool(narrator))
        for id, name, aliases, gender, narrator in head["people"]
    )
    m, c = len(rows), len(everybody)
    vectors, weights = from_whole(arrays["vectors"]), arrays["weights"]
    reading = _reading(text, rows, Spans(rows), vectors, weights)
    lengths = {size: arrays[f"windows {size}"] for size in SIZES}
    words, like = (_words(arrays, name, reading) for name in ("", "like "))
    like_vectors = arrays["like vectors"]
    tokens = Tokens(
        arrays["tokens"], arrays["token counts"].astype(np.int64), arrays["token axes"],
        arrays["token mean"], arrays["token rarity"], reading.chapters,
    )  # fmt: skip
    there = {}
    for one in fields(Presence):
        dense = np.zeros(c * m, np.float32)
        dense[arrays[f"where {one.name}"]] = arrays[f"much {one.name}"]
        there[one.name] = dense.reshape(c, m)
    width, narrow = vectors.shape[1], len(tokens.mean)
    whole = (
        all(each.shape == (m,) for each in (*lengths.values(), weights, tokens.counts))
        and vectors.shape == (m, width)
        and all((each > 0).all() for each in lengths.values())
        and all(_fits(each, m) for each in (words, like))
        and like_vectors.shape == (len(like.terms), width)
        and tokens.vectors.shape == (int(tokens.counts.sum()), narrow)
        and tokens.vectors.dtype == like_vectors.dtype == np.int8
        and tokens.axes.shape == (width, narrow)
        and len(tokens.rarity) > 0
        and bool((tokens.counts >= 0).all())
    )
    if not whole:
        raise ValueError("arrays that do not fit together")
    like_words = LikeWords(like, like_vectors)
    made = Groundwork(Presence(**there), words, lengths, like_words, tokens)
    return Kept(everybody, reading, made)


def _words(arrays: Mapping[str, Array], name: str, reading: Reading) -> Words:
    terms = arrays[f"{name}terms"].tobytes().decode("utf-8").split("\n")
    return Words(
        {term: at for at, term in enumerate(terms)}, arrays[f"{name}rows"].astype(np.int64),
        arrays[f"{name}edges"].astype(np.int64), arrays[f"{name}lengths"], reading.chapters,
    )  # fmt: skip


def _fits(words: Words, m: int) -> bool:
    return (
        len(words.lengths) == m
        and len(words.edges) == len(words.terms) + 1
        and int(words.edges[-1]) == len(words.rows)
        and bool((np.diff(words.edges) >= 0).all())
        and (not len(words.rows) or bool(0 <= words.rows.min() <= words.rows.max() < m))
    )


def _reading(
    text: str, rows: Rows, spans: Sequence[Span], vectors: Array, weights: Array
) -> Reading:
    chapters, paragraphs = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    return Reading(text, spans, chapters, paragraphs, vectors, weights)


def _bytes(text: str) -> Array:
    return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
