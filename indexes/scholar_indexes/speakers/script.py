"""A book as the speaker model reads it: names and quotation marks become marks of its own.

The model cannot know that "Mrs. Bennet" and "the girl's mother" are one, nor learn the
names of a novel it has not seen. So every name is replaced by the number of its character
within the window, with the character's gender; a quotation opens with a mark that asks who
speaks, or says so where that is known already; and long speeches and stretches of narration
are shortened, so that a window holds more of a conversation.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.speakers.mentions import Mention
from scholar_indexes.types import Character, Gender, Quotation

Ints = NDArray[np.int64]
Tokenize = Callable[[Sequence[str]], list[list[int]]]

SLOTS = 32
"""Characters that a window can tell apart."""

GENDERS = (Gender.FEMALE, Gender.MALE, Gender.UNKNOWN)
_UNKNOWN = 2

FREQUENT = 5
RECENT = 15
"""Characters that a window lists beforehand: those named most in the book, and those named
last before it."""

SPEECH = (24, 12)
NARRATION = (24, 64)
"""Tokens kept of the beginning and the end of a longer speech, or paragraph without speech."""

LONGEST = 240
"""Tokens of one paragraph that stay together."""

LEAD = 160
"""Tokens before its first quotation that a window begins with, at most."""

DOUBLINGS = 9
"""Distances told apart: 1, 2 to 3, 4 to 7 tokens, and so on."""

STEPS = 2 * (2 * DOUBLINGS + 1) + FREQUENT + RECENT + 3
"""Ways in which a name can stand to a quotation."""

# What a token of the script is: a word piece, or one of these with a number in the low bits.
_BITS = 24
_OPEN, _CLOSE, _NAME = (kind << _BITS for kind in (1, 2, 3))

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_MARKS = "\"'“”‘’«»`_ \n\t"
_NARRATOR = re.compile(r"\b(?:I|me|myself)\b")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The numbers of the marks, which follow the word pieces.

    [CLS] and [SEP] are the encoder's own; cut stands where something was left out.
    """

    first: int
    last: int
    words: int

    @property
    def size(self) -> int:
        return self.words + 4 + SLOTS * (len(GENDERS) + 1)

    @property
    def asked(self) -> int:
        return self.words

    @property
    def close(self) -> int:
        return self.words + 1

    @property
    def paragraph(self) -> int:
        return self.words + 2

    @property
    def cut(self) -> int:
        return self.words + 3

    @property
    def names(self) -> int:
        """The first of SLOTS times three: a character, and its gender."""
        return self.words + 4

    @property
    def said(self) -> int:
        """The first of SLOTS: the opening of a quotation whose speaker is known."""
        return self.names + SLOTS * len(GENDERS)


@dataclass(frozen=True, slots=True)
class Window:
    """Some paragraphs as token numbers, ids (t,).

    asked holds the positions of opening marks, closed those of their closing marks and
    quoted their quotations' numbers (p,); named holds the positions of names (m,), slots their
    characters' places in characters, and steps (p, m) how each name stands to each mark.
    """

    ids: Ints
    asked: Ints
    closed: Ints
    quoted: Ints
    named: Ints
    slots: Ints
    steps: Ints
    characters: tuple[int, ...]


def steps(asked: Ints, closed: Ints, named: Ints, spoken: NDArray[np.bool_], offset: int) -> Ints:
    """How names (m,) stand to opening marks (p,), as numbers below STEPS (p, m).

    Doubling distances before the opening mark and after the closing one, and inside; each for
    names in narration and for those that are spoken; and the places of the list that a window
    begins with, which are those below offset.
    """
    before, after = asked[:, None] - named, named - closed[:, None]
    far = np.maximum(np.maximum(before, after), 1)
    doubled = np.minimum(np.log2(far).astype(np.int64), DOUBLINGS - 1)
    found = np.where(before > 0, doubled, np.where(after > 0, DOUBLINGS + doubled, 2 * DOUBLINGS))
    found = found + spoken * (2 * DOUBLINGS + 1)
    listed = 2 * (2 * DOUBLINGS + 1) + np.minimum(named, FREQUENT + RECENT + 2)
    return np.where(named < offset, listed, found)


class Script:
    """The whole book in paragraphs of tokens, made once; windows are cut from it.

    mentions are the places of names; narration's "I" counts as one of the narrator's.
    """

    def __init__(
        self,
        text: str,
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
        mentions: Sequence[Mention],
        tokenize: Tokenize,
        vocabulary: Vocabulary,
    ) -> None:
        self.vocabulary = vocabulary
        self.genders = np.array([GENDERS.index(each.gender) for each in cast], np.int64)
        marks = _marks(text, quotations, cast, mentions)
        self.paragraphs = _paragraphs(text, marks, tokenize, vocabulary)
        self.lengths = np.array([len(each) for each in self.paragraphs], np.int64)
        self.quoted = [each[each >> _BITS == 1] & ((1 << _BITS) - 1) for each in self.paragraphs]
        named = [each[each >> _BITS == 3] & ((1 << _BITS) - 1) for each in self.paragraphs]
        self._order = np.concatenate(named) if named else np.zeros(0, np.int64)
        self._until = np.cumsum([len(each) for each in named])
        counts = np.bincount(self._order, minlength=len(cast))
        self._frequent = [int(who) for who in np.argsort(-counts, kind="stable") if counts[who]]

    def window(
        self,
        first: int,
        end: int,
        known: Mapping[int, int],
        draw: np.random.Generator | None = None,
        hidden: NDArray[np.bool_] | None = None,
    ) -> Window:
        """Paragraphs [first, end) with a list of characters before them.

        known gives the speakers of quotations that are not asked for. For training, the
        characters get their slots by chance with draw, and hidden are those whose gender
        is not told.
        """
        v = self.vocabulary
        genders = self.genders if hidden is None else np.where(hidden, _UNKNOWN, self.genders)
        body = np.concatenate([*self.paragraphs[first:end], np.zeros(0, np.int64)])
        kind, value = body >> _BITS, body & ((1 << _BITS) - 1)
        inside = dict.fromkeys(value[kind == 3].tolist())
        inside.update(dict.fromkeys(known[q] for q in value[kind == 1].tolist() if q in known))
        recent = self._recent(first)
        listed = [*self._frequent[:FREQUENT], *recent]
        characters = list(dict.fromkeys([*inside, *listed]))[:SLOTS]
        places = np.arange(SLOTS) if draw is None else draw.permutation(SLOTS)
        slot_of = np.full(len(self.genders) + 1, -1, np.int64)
        slot_of[characters] = places[: len(characters)]
        name_of = v.names + slot_of[:-1] * len(GENDERS) + genders

        head = [*(name_of[who] for who in self._frequent[:FREQUENT] if slot_of[who] >= 0), v.last]
        head += [*(name_of[who] for who in recent if slot_of[who] >= 0), v.last]
        ids = body.copy()
        ids[kind == 2] = v.close
        is_name = (kind == 3) & (slot_of[np.where(kind == 3, value, -1)] >= 0)
        ids[kind == 3] = v.cut  # a character too many
        ids[is_name] = name_of[value[is_name]]
        opening = np.flatnonzero(kind == 1)
        said = np.array([slot_of[known.get(q, -1)] for q in value[opening].tolist()], np.int64)
        ids[opening] = np.where(said >= 0, v.said + said, v.asked)
        ids = np.concatenate([[v.first], head, ids, [v.last]]).astype(np.int64)
        offset = 1 + len(head)
        named = np.flatnonzero((ids >= v.names) & (ids < v.said))
        asked = opening[said < 0] + offset
        closing = np.flatnonzero(np.append(kind == 2, True))
        closed = closing[np.searchsorted(closing, opening[said < 0])] + offset
        spoken = np.cumsum(
            np.concatenate([np.zeros(offset, np.int64), (kind == 1) * 1 - (kind == 2) * 1, [0]])
        )
        by_slot = np.full(SLOTS, -1, np.int64)
        by_slot[places[: len(characters)]] = np.arange(len(characters))
        return Window(
            ids, asked, closed, value[opening[said < 0]], named,
            by_slot[(ids[named] - v.names) // len(GENDERS)],
            steps(asked, closed, named, spoken[named] > 0, offset), tuple(characters),
        )  # fmt: skip

    def cut(self, most: int, room: int = 0, stride: int = 0) -> Iterator[tuple[int, int]]:
        """Windows [first, end) of paragraphs with at most so many tokens.

        Each begins where the one before ends, or stride tokens after its beginning, and not
        further than LEAD before its first quotation; room is how much the first one holds.
        """
        room = room or most
        quoted = np.array([len(each) > 0 for each in self.quoted], np.bool_)
        first, count = 0, len(self.lengths)
        while first < count:
            left = int(quoted[first:].argmax()) if quoted[first:].any() else -1
            if left < 0:
                return
            lead = np.cumsum(self.lengths[first : first + left][::-1])[::-1]
            first += int((lead > LEAD).sum())
            end = first
            while end < count and (self.lengths[end] <= room or end == first):
                room -= int(self.lengths[end])
                end += 1
            yield first, end
            if end == count:
                return
            reached = np.cumsum(self.lengths[first:end])
            ahead = int(np.searchsorted(reached, stride) + 1) if stride else end - first
            first, room = first + min(ahead, end - first), most

    def _recent(self, paragraph: int) -> list[int]:
        """The characters named last before a paragraph, the very last first."""
        at = int(self._until[paragraph - 1]) if paragraph else 0
        found: dict[int, None] = {}
        for who in self._order[max(0, at - 300) : at][::-1].tolist():
            found[who] = None
            if len(found) == RECENT:
                break
        return list(found)


def _marks(
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    mentions: Sequence[Mention],
) -> list[tuple[int, int, int]]:
    """What is replaced: start, end and token, in order and without overlap."""
    pieces = sorted(
        (piece.start, piece.end, number)
        for number, quotation in enumerate(quotations)
        for piece in quotation.pieces
    )
    edges = [edge for start, end, _ in pieces for edge in (start, end)]
    marks = [(start, start, _OPEN | number) for start, _, number in pieces]
    marks += [(end, end, _CLOSE | number) for _, end, number in pieces]
    for mention in mentions:
        at = bisect_left(edges, mention.span.end)
        if at == bisect_left(edges, mention.span.start + 1):  # not across the edge of a speech
            marks.append((mention.span.start, mention.span.end, _NAME | mention.who))
    narrator = next((n for n, each in enumerate(cast) if each.narrator), None)
    if narrator is not None:
        taken = {mention.span.start for mention in mentions}
        for found in _NARRATOR.finditer(text):
            outside = bisect_left(edges, found.start() + 1) % 2 == 0
            if outside and found.start() not in taken:
                marks.append((found.start(), found.end(), _NAME | narrator))
    return sorted(marks, key=lambda each: (each[0], each[1], each[2] >> _BITS != 2))


def _paragraphs(
    text: str,
    marks: Sequence[tuple[int, int, int]],
    tokenize: Tokenize,
    vocabulary: Vocabulary,
) -> list[Ints]:
    pieces: list[str] = []
    plans: list[list[int]] = []  # a mark, or -1 for the next piece
    at = 0
    for block in _PARAGRAPH.finditer(text):
        plan: list[int] = []
        start = block.start()
        while at < len(marks) and marks[at][0] < block.end() + (marks[at][2] >> _BITS == 2):
            first, end, mark = marks[at]
            at += 1
            if first < start:
                if mark >> _BITS != 3:
                    plan.append(mark)  # what opens or closes between paragraphs
                continue
            plan.append(-1)
            pieces.append(text[start:first].strip(_MARKS))
            plan.append(mark)
            start = end
        plan.append(-1)
        pieces.append(text[start : block.end()].strip(_MARKS))
        plans.append(plan)
    tokens = iter(tokenize(pieces))
    paragraphs = []
    for plan in plans:
        whole: list[int] = []
        speech: int | None = None
        silent = True
        for mark in plan:
            if mark < 0:
                whole += next(tokens)
                continue
            kind = mark >> _BITS
            whole.append(mark)
            if kind == 1:
                speech, silent = len(whole), False
            elif kind == 2:
                if speech is not None:
                    whole[speech:-1] = _shortened(whole[speech:-1], SPEECH, vocabulary.cut)
                speech = None
        if speech is not None:  # goes on in the next paragraph
            whole[speech:] = _shortened(whole[speech:], SPEECH, vocabulary.cut)
        if silent:
            whole = _shortened(whole, NARRATION, vocabulary.cut)
        whole.append(vocabulary.paragraph)
        paragraphs += [
            np.array(whole[cut : cut + LONGEST], np.int64) for cut in range(0, len(whole), LONGEST)
        ]
    return paragraphs


def _shortened(tokens: list[int], kept: tuple[int, int], cut: int) -> list[int]:
    first, last = kept
    if len(tokens) <= first + last + 1:
        return tokens
    return [*tokens[:first], cut, *tokens[-last:]]
