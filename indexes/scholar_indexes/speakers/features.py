"""What speaks for and against each candidate speaker of each quotation, as numbers.

The evidence is that of rule-based attribution since O'Keefe et al. 2012 and Muzny et al. 2017:
the words beside the quotation, names in the narration and how far away they stand, names
that are called out, the gender of pronouns, who is named and who speaks most in the book; and,
since O'Keefe too, how alike a quotation is to what else somebody says. Who says what else is a
guess, so features are made again with better guesses. Who takes the turns around is no evidence
here: scholar_indexes.speakers.turns decides them together.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.speakers import focus, voices
from scholar_indexes.speakers.cues import Cue
from scholar_indexes.speakers.mentions import Mention
from scholar_indexes.speakers.sieve import SHARE_RIGHT, Sieve
from scholar_indexes.types import Gender, QuoteKind

BACK, AHEAD = 40, 8
"""Names in the narration looked at before and behind a quotation."""

TURNS = 12
"""Turns on either side whose speakers, as far as guessed, are candidates."""

MOST = 40
"""Candidates of one quotation, at most."""

SURE = 0.9
"""A guess that is likelier than this tells how its speaker talks."""

READ = 3_000
"""Characters between a name and a quotation that are read for sentences and pronouns, at most."""

_NOBODY = -1

_SENTENCE = re.compile(r"[.!?][”’\"]?\s")
_PRONOUN = {Gender.FEMALE: re.compile(r"\b[Ss]he\b"), Gender.MALE: re.compile(r"\b[Hh]e\b")}
_OBJECT = re.compile(
    r"\b(?:to|at|of|with|for|from|by|up|upon|towards?|on|about|after|beside|before|near|than|like|and)"
    r"\W{1,3}$",
    re.IGNORECASE,
)
_OWNER = re.compile(r"['’]s?\b")
_VERB = re.compile(
    r"(?:,? (?:and|who|then|only|also|still|had|was|did|could|would|[a-z]{1,12}ly)\b){0,4},? "
    r"[a-z]{0,12}(?:d|t|w|gan|ook|aid|ew|ose|ave|oke|s)\b"
)
_CLAUSE = re.compile(r"(?:[.!?][”’\"]?|\n|;|,|—)\s*$")


@dataclass(frozen=True, slots=True)
class Guesses:
    """Who is thought to say each quotation, as places in the cast (-1 nobody), and how
    likely each is right."""

    who: Sequence[int]
    sure: Sequence[float]


@dataclass(frozen=True, slots=True)
class Rows:
    """The candidates of all quotations: one row of values (r, FEATURES) and a place in the
    cast (r,) for each; those of quotation n are rows [edges[n], edges[n + 1]).

    order (n,) are the quotations that have candidates, as they are read, and between
    (n, BETWEEN) tells how each of them goes on from the one before.
    """

    values: NDArray[np.float32]
    who: NDArray[np.int64]
    edges: NDArray[np.int64]
    order: NDArray[np.int64]
    between: NDArray[np.float32]


def first_guesses(sieve: Sieve) -> Guesses:
    """What the rules say."""
    return Guesses(
        [_NOBODY if each is None else each.who for each in sieve.said],
        [SHARE_RIGHT[stage] for stage in sieve.stages],
    )


def rows(book: Book, guesses: Guesses) -> Rows:
    """The candidates of every quotation with their features; takes time linear in the book."""
    talk = _Talk(book, guesses)
    count = len(book.sieve.quotations)
    values = [np.zeros((0, FEATURES), np.float32)] * count
    who: list[list[int]] = [[]] * count
    order, between = [], []
    for number in (number for turn in book.sieve.turns for number in turn):
        scene = _Scene(talk, number)
        candidates = scene.candidates()
        if candidates:
            who[number] = candidates
            values[number] = np.array(list(scene.rows(candidates)), np.float32)
            order.append(number)
            between.append(list(scene.between()))
    return Rows(
        np.concatenate([np.zeros((0, FEATURES), np.float32), *values]),
        np.array([each for several in who for each in several], np.int64),
        np.cumsum([0, *map(len, who)]),
        np.array(order, np.int64),
        np.array(between, np.float32).reshape(len(order), BETWEEN),
    )


class Book:
    """What all quotations share, whoever says them; made once for all rounds."""

    def __init__(self, sieve: Sieve) -> None:
        self.sieve = sieve
        self.called = [frozenset(each) for each in sieve.vocatives]
        self.genders = [each.gender for each in sieve.cast]
        begins = [each.start for each in sieve.blocks]
        self.block_of = [bisect_right(begins, each.span.start) - 1 for each in sieve.told]
        self.named = Counter(each.who for each in sieve.told)
        self.most = math.log1p(max(self.named.values(), default=1))
        self.rank = {who: at for at, (who, _) in enumerate(self.named.most_common())}
        self.cued = Counter(
            cue.who for cue in sieve.cues if cue.who is not None and cue.kind is QuoteKind.EXPLICIT
        )
        self.narrator = next((n for n, each in enumerate(sieve.cast) if each.narrator), None)
        self.roles = [role(sieve.text, each) for each in sieve.told]
        self.narration = focus.Narration(sieve, self.roles)
        self.scenes = list(accumulate(self.narration.scenes))
        self.met: defaultdict[int, set[int]] = defaultdict(set)
        for mention, block in zip(sieve.told, self.block_of, strict=True):
            self.met[self.scenes[block]].add(mention.who)
        self.words = [voices.words(each.of(sieve.text)) for each in sieve.quotations]
        starts = [each.span.start for each in sieve.named_at]
        self.naming = [
            frozenset(
                mention.who
                for mention in sieve.named_at[
                    bisect_left(starts, each.span.start) : bisect_left(starts, each.span.end)
                ]
            )
            for each in sieve.quotations
        ]

    def calls(self, turn: int) -> frozenset[int]:
        """Who is called by name in a turn."""
        if not 0 <= turn < len(self.sieve.turns):
            return frozenset()
        return frozenset().union(*(self.called[each] for each in self.sieve.turns[turn]))

    def asks(self, turn: int) -> bool:
        """Whether a turn ends in a question."""
        if not 0 <= turn < len(self.sieve.turns):
            return False
        end = self.sieve.quotations[self.sieve.turns[turn][-1]].span.end
        return "?" in self.sieve.text[end - 2 : end]


class _Talk:
    """What follows from who is thought to say each quotation."""

    def __init__(self, book: Book, guesses: Guesses) -> None:
        self.book = book
        known = [
            speaker if sure >= SURE else _NOBODY
            for speaker, sure in zip(guesses.who, guesses.sure, strict=True)
        ]
        self.voices = voices.Voices(book.words, book.naming, known)
        self.seen = focus.seen(book.narration, guesses.who, guesses.sure)
        self.turns = [
            {guesses.who[each] for each in turn if guesses.who[each] >= 0}
            for turn in book.sieve.turns
        ]


class _Scene:
    """One quotation and what stands around it."""

    def __init__(self, talk: _Talk, number: int) -> None:
        book, sieve = talk.book, talk.book.sieve
        self.talk, self.book, self.sieve, self.number = talk, book, sieve, number
        self.cue: Cue = sieve.cues[number]
        self.span = sieve.quotations[number].span
        self.turn = sieve.turn_of[number]
        self.first, self.last = sieve.first[number], sieve.last[number]
        start = bisect_left(sieve.starts, self.span.start)
        self.before: dict[int, int] = {}
        for at in range(start - 1, max(-1, start - 1 - BACK), -1):
            self.before.setdefault(sieve.told[at].who, at)
        self.order = {who: rank for rank, who in enumerate(self.before)}
        self.after: dict[int, int] = {}
        for at in range(start, min(len(sieve.told), start + AHEAD)):
            self.after.setdefault(sieve.told[at].who, at)
        self.nearest = start - 1
        self.lately = Counter(each.who for each in sieve.told[max(0, start - 10) : start])
        low = bisect_left(sieve.starts, sieve.blocks[self.first].start)
        high = bisect_left(sieve.starts, sieve.blocks[self.last].end)
        self.here = {each.who for each in sieve.told[low:high]}
        around = talk.turns[max(0, self.turn - TURNS) : self.turn + TURNS + 1]
        self.around = [who for turn in around for who in turn]
        self.called_before, self.called_after = book.calls(self.turn - 1), book.calls(self.turn + 1)
        self.gaps = {step: self._gap(step) for step in (-1, 1, -2, 2)}
        self.seen = talk.seen[number]
        self.scene = book.scenes[self.first]
        self.focus = [(each, self._by_gender(each)) for each in (self.seen.near, self.seen.far)]
        self.meant: focus.Shares = {}
        if self.cue.gender is not Gender.UNKNOWN:
            self.meant = focus.fitting(self.seen.near, book.genders, self.cue.gender)
        said = self.cue.span.of(sieve.text).lower().split() if self.cue.span else []
        self.says_i, self.says_pronoun = "i" in said, "he" in said or "she" in said

    def rows(self, candidates: Sequence[int]) -> Iterator[list[float]]:
        common = list(self._common())
        for who in candidates:
            yield [*self._own(who), *common]

    def candidates(self) -> list[int]:
        """Who may be the speaker: those named near by, those who speak near by, those who
        are called, whom the cue names, and those the book is about."""
        book = self.book
        found = dict.fromkeys(() if self.cue.who is None else (self.cue.who,))
        found |= dict.fromkeys(list(self.before)[:12])
        found |= dict.fromkeys(self.after)
        found |= dict.fromkeys(self.around)
        found |= dict.fromkeys([*self.called_before, *self.called_after])
        found |= dict.fromkeys(who for who, _ in book.named.most_common(3))
        if book.narrator is not None:
            found[book.narrator] = None
        return list(found)[:MOST]

    def _own(self, who: int) -> Iterator[float]:
        """What is true of one candidate."""
        talk, sieve, book, cue = self.talk, self.sieve, self.book, self.cue
        explicit = cue.kind is QuoteKind.EXPLICIT
        yield from (
            explicit and cue.who == who,
            explicit and cue.who not in (None, who),
            explicit and cue.who is None,
            not explicit and cue.who == who,
            not explicit and cue.who not in (None, who),
        )
        gender = sieve.cast[who].gender
        told = cue.gender is not Gender.UNKNOWN
        yield from (
            told and gender is cue.gender,
            told and gender is Gender.UNKNOWN,
            told and gender not in (cue.gender, Gender.UNKNOWN),
            gender is Gender.FEMALE,
            gender is Gender.MALE,
        )
        yield from self._named_before(who)
        yield from self._named_after(who)
        yield from (
            self.here == {who},
            who in self.here and len(self.here) > 1,
            min(self.lately[who], 5) / 5,
            who in book.called[self.number],
            who in sieve.unlike[self.number],
            who in self.called_before,
            who in self.called_after,
            who in book.calls(self.turn - 2),
            bool(self.called_before) and who not in self.called_before,
            math.log1p(book.named[who]) / book.most,
            book.rank.get(who, MOST) == 0,
            book.rank.get(who, MOST) < 4,
            math.log1p(book.cued[who]) / 5,
            who == book.narrator,
        )
        yield from talk.voices.likeness(self.number, who)
        yield from self._in_focus(who)

    def _in_focus(self, who: int) -> Iterator[float]:
        """How far the narration is about one candidate where the quotation begins, and whether
        the sentences beside it are."""
        gender = self.book.genders[who]
        for shares, of_gender in self.focus:
            share = shares.get(who, 0.0)
            every = of_gender.get(gender, ())
            yield share
            yield share / sum(every) if share else 0.0
            yield share >= max(every, default=1.0)
        meant = self.meant.get(who, 0.0)
        yield meant
        yield meant >= max(self.meant.values(), default=1.0)
        for slot in self.seen.slots:
            yield slot.shares.get(who, 0.0) if slot else 0.0
        yield who in self.book.met[self.scene]
        yield self.cue.who == who and self.says_i
        yield self.cue.who == who and self.cue.kind is QuoteKind.ANAPHORIC and not self.says_i

    def _named_before(self, who: int) -> Iterator[float]:
        at = self.before.get(who)
        if at is None:
            yield from (0, 1.2, *[0] * 22)
            return
        mention, rank = self.sieve.told[at], self.order[who]
        apart = self.first - self.book.block_of[at]
        opens = self.sieve.opens(mention)
        yield from (
            1,
            math.log1p(self.span.start - mention.span.start) / 9,
            rank == 0, rank == 1, rank == 2, rank > 2,
            apart == 0, apart == 1, apart == 2, 3 <= apart < 6,
            opens, opens and apart == 0, opens and apart == 1,
        )  # fmt: skip
        role = self.book.roles[at]
        between = self.sieve.text[mention.span.end : self.span.start][: READ + 1]
        near = len(between) <= READ
        sentences = len(_SENTENCE.findall(between)) if near else 9
        pronoun = _PRONOUN.get(self.sieve.cast[who].gender)
        pronouns = len(pronoun.findall(between)) if near and pronoun else 0
        yield from (
            *role, min(sentences, 9) / 9, sentences == 0, sentences == 1, min(pronouns, 4) / 4,
            apart == 0 and role[1], apart == 0 and role[2], apart == 0 and at == self.nearest,
        )  # fmt: skip

    def _named_after(self, who: int) -> Iterator[float]:
        at = self.after.get(who)
        if at is None:
            yield from (0, 1.2, *[0] * 13)
            return
        mention = self.sieve.told[at]
        apart = self.book.block_of[at] - self.last
        opens = self.sieve.opens(mention)
        yield from (
            1,
            math.log1p(abs(mention.span.start - self.span.end)) / 9,
            apart <= 0, apart == 1, apart == 2,
            opens, opens and apart <= 0,
        )  # fmt: skip
        role = self.book.roles[at]
        between = self.sieve.text[self.span.end : mention.span.start][: READ + 1]
        yield from (
            *role, len(between) <= READ and len(_SENTENCE.findall(between)) <= 1,
            apart <= 0 and role[1], apart <= 0 and role[2], apart <= 0 and role[3],
        )  # fmt: skip

    def _common(self) -> Iterator[float]:
        """What is true of the quotation, whoever says it."""
        yield from (self.cue.kind is kind for kind in QuoteKind)
        for gap in self.gaps.values():
            yield min(gap, 4) / 4
            yield gap == 1
        yield from (
            self.gaps[-1] == 0,
            len(self.sieve.turns[self.turn]) > 1,
            math.log1p(self.span.end - self.span.start) / 8,
            self.book.asks(self.turn),
            self.book.asks(self.turn - 1),
        )
        for slot in self.seen.slots:
            yield slot is not None
            yield slot is not None and slot.named
        for step in (-1, 1):
            yield self._scene(self.turn + step) != self.scene
        yield self.says_pronoun
        yield self.says_i

    def between(self) -> Iterator[float]:
        """How the quotation goes on from the one before."""
        yield from self._common()
        yield self.sieve.turns[self.turn][0] != self.number
        gap = self.gaps[-1]
        yield from (gap == 0, gap == 1, gap == 2, gap == 3, gap > 3)

    def _by_gender(self, shares: focus.Shares) -> Mapping[Gender, Sequence[float]]:
        found: dict[Gender, list[float]] = {}
        for who, share in shares.items():
            found.setdefault(self.book.genders[who], []).append(share)
        return found

    def _scene(self, turn: int) -> int:
        if not 0 <= turn < len(self.sieve.turns):
            return -1
        return self.book.scenes[self.sieve.first[self.sieve.turns[turn][0]]]

    def _gap(self, step: int) -> int:
        """The most paragraphs between one turn and the next on the way to another."""
        sieve = self.sieve
        first, last = sorted((self.turn, self.turn + step))
        if first < 0 or last >= len(sieve.turns):
            return 99
        return max(
            sieve.first[sieve.turns[each + 1][0]] - sieve.last[sieve.turns[each][-1]]
            for each in range(first, last)
        )


def role(text: str, mention: Mention) -> tuple[bool, bool, bool, bool]:
    """Whether a name owns something, is an object, has a verb behind it, opens its clause."""
    before = text[max(0, mention.span.start - 24) : mention.span.start]
    behind = text[mention.span.end : mention.span.end + 60]
    owner = _OWNER.match(behind) is not None
    return (
        owner,
        _OBJECT.search(before) is not None,
        not owner and _VERB.match(behind) is not None,
        not owner and (not before.strip() or _CLAUSE.search(before) is not None),
    )


def _groups(sizes: Mapping[str, int]) -> dict[str, slice]:
    ends = accumulate(sizes.values())
    return {
        name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)
    }


GROUPS = _groups(
    {
        "cues": 5,  # what the words beside the quotation say
        "gender": 5,
        "names": (13 + 11) + (7 + 8) + 3,  # in the narration before, behind and around
        "calls": 6,  # who is called by name
        "book": 5,  # who is named and speaks most
        "voices": voices.LIKENESS,
        "focus": 6 + 2 + focus.SLOTS + 1 + 2,  # whom the narration is about
        "quotation": 3 + 8 + 5 + 2 * focus.SLOTS + 2 + 2,  # the same for all its candidates
    }
)
"""Where in a row the evidence of each kind stands."""

FEATURES = max(each.stop for each in GROUPS.values())
"""How many values a row has."""

BETWEEN = GROUPS["quotation"].stop - GROUPS["quotation"].start + 6
"""How many values tell how a quotation goes on from the one before."""
