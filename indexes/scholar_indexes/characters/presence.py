"""Who is where in a book: named, meant by a pronoun, speaking, or near."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.characters.retrieval import Reading
from scholar_indexes.characters.wording import name_gender
from scholar_indexes.speakers import given_names, mentions
from scholar_indexes.types import Character, Gender

if TYPE_CHECKING:
    from scholar_indexes.speakers.record import Dialogue

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

NEAR = 2
"""Sentences on either side of a mention in which its bearer is still near."""

CARRIED = 6
"""Sentences through which a pronoun may mean who was named last."""

_PRONOUNS = {
    "he": Gender.MALE, "him": Gender.MALE, "his": Gender.MALE, "himself": Gender.MALE,
    "she": Gender.FEMALE, "her": Gender.FEMALE, "hers": Gender.FEMALE, "herself": Gender.FEMALE,
}  # fmt: skip
_FIRST = frozenset("i me my mine myself".split())
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody a description may mean, by all names known."""

    name: str
    aliases: tuple[str, ...] = ()
    gender: Gender = Gender.UNKNOWN
    narrator: bool = False


def candidates(names: Sequence[str], cast: Sequence[Character]) -> list[Candidate]:
    """What a book's cast adds to bare names: other names, gender, who tells the story.

    Each of the cast belongs to the name it shares most with, if there is just one and none
    of their words contradict.
    """
    found: dict[int, list[Character]] = {}
    for each in cast:
        fits = [_fit(name, each) for name in names]
        best = max(fits, default=0)
        if best and fits.count(best) == 1:
            found.setdefault(fits.index(best), []).append(each)
    result = []
    for at, name in enumerate(names):
        own, figures = name_gender(name), found.get(at, [])
        known = next((of.gender for of in figures if of.gender is not Gender.UNKNOWN), own)
        aliases = [alias for of in figures for alias in (of.name, *of.aliases)]
        result.append(
            Candidate(
                name, tuple(dict.fromkeys((name, *aliases))),
                known if own is Gender.UNKNOWN else own, any(of.narrator for of in figures),
            )
        )  # fmt: skip
    return result


def _fit(name: str, of: Character) -> int:
    genders = {name_gender(name), of.gender} - {Gender.UNKNOWN}
    if len(genders) > 1:
        return 0
    bare = _bare(name)
    best = 0
    for alias in (of.name, *of.aliases):
        if mentions.words(alias) == mentions.words(name):
            return 6
        other = _bare(alias)
        if not bare or not other:
            continue
        if bare == other:
            best = max(best, 5)
        elif len(bare) > 1 and len(other) > 1:
            if bare[0] == other[0] and bare[-1] == other[-1]:
                best = max(best, 4)
        elif bare[0] == other[0] or given_names.alike(bare[0], other[0]):
            best = max(best, 3)
        elif bare[-1] == other[-1]:
            best = max(best, 2)
    return best


def _bare(name: str) -> tuple[str, ...]:
    return tuple(word for word in mentions.words(name) if word not in mentions.TITLES)


@dataclass(frozen=True, slots=True)
class Presence:
    """How much each candidate is in each sentence, (c, m) in [0, 1]: named there; meant by
    name or pronoun; saying it; near, in any of these ways."""

    named: Floats
    meant: Floats
    says: Floats
    near: Floats


def presence(reading: Reading, who: Sequence[Candidate], dialogue: Dialogue | None) -> Presence:
    """Where each candidate is in a book; who speaks is known from its dialogue, if there is
    one. Pronouns mean the last one of their gender named within CARRIED sentences."""
    cast = [
        Character(str(at), each.name, tuple(dict.fromkeys((each.name, *each.aliases))), each.gender)
        for at, each in enumerate(who)
    ]
    m, starts = len(reading), np.array([each.start for each in reading.spans], np.int64)
    named = np.zeros((len(who), m), np.float32)
    for mention in mentions.find(reading.text, cast):
        at = int(np.searchsorted(starts, mention.span.start, "right")) - 1
        if at >= 0 and mention.span.start < reading.spans[at].end:
            named[mention.who, at] = 1
    says = np.zeros_like(named)
    spoken = np.zeros(m, np.float32)
    if dialogue is not None:
        _speech(reading, who, dialogue, starts, says, spoken)
    meant = _meant(reading, who, named, spoken)
    around = np.maximum(meant, 0.7 * says)
    near = around.copy()
    for step in range(1, NEAR + 1):
        same = reading.chapters[step:] == reading.chapters[:-step]
        share = np.float32(1 - step / (NEAR + 2)) * same
        near[:, step:] = np.maximum(near[:, step:], around[:, :-step] * share)
        near[:, :-step] = np.maximum(near[:, :-step], around[:, step:] * share)
    return Presence(named, meant, says, near)


def _speech(
    reading: Reading, who: Sequence[Candidate], dialogue: Dialogue, starts: Ints,
    says: Floats, spoken: Floats,
) -> None:  # fmt: skip
    places = {}
    for at, each in enumerate(who):
        known = set(each.aliases)
        for character in dialogue.cast:
            if known.issuperset(character.aliases) or each.name in character.aliases:
                places[character.id] = at
    for quotation, said in zip(dialogue.quotations, dialogue.attributions, strict=True):
        at = places.get(said.speaker.id, -1) if said.speaker else -1
        for piece in quotation.pieces:
            first = max(int(np.searchsorted(starts, piece.start, "right")) - 1, 0)
            end = int(np.searchsorted(starts, piece.end, "left"))
            for row in range(first, end):
                span = reading.spans[row]
                shared = min(span.end, piece.end) - max(span.start, piece.start)
                share = shared / max(span.end - span.start, 1)
                if share > 0:
                    spoken[row] = min(1, spoken[row] + share)
                    if at >= 0:
                        says[at, row] = min(1, says[at, row] + share)


def _meant(reading: Reading, who: Sequence[Candidate], named: Floats, spoken: Floats) -> Floats:
    meant = named.copy()
    last: dict[Gender, tuple[int, int]] = {}
    narrators = [at for at, each in enumerate(who) if each.narrator]
    for row, span in enumerate(reading.spans):
        if row and reading.chapters[row] != reading.chapters[row - 1]:
            last.clear()
        there = np.flatnonzero(named[:, row])
        found = {word.lower() for word in _WORD.findall(span.of(reading.text))}
        if spoken[row] < 0.6:
            for gender in {_PRONOUNS[word] for word in found if word in _PRONOUNS}:
                if gender in last and row - last[gender][1] <= CARRIED:
                    at = last[gender][0]
                    meant[at, row] = max(meant[at, row], 0.6)
                    last[gender] = (at, row) if not len(there) else last[gender]
            if narrators and found & _FIRST:
                meant[narrators, row] = np.maximum(meant[narrators, row], 0.6)
        if spoken[row] < 0.6:
            for at in there.tolist():
                genders = (
                    [who[at].gender]
                    if who[at].gender is not Gender.UNKNOWN
                    else [Gender.MALE, Gender.FEMALE]
                )
                for gender in genders:
                    last[gender] = (at, row)
    return meant
