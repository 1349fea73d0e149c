"""Who says a quotation, by rules: the name nearest to it, and a sieve.

The sieve follows Muzny, Fang, Chang and Jurafsky 2017 ("A Two-stage Sieve Approach for
Quote Attribution", section 4): from the quotation to a mention of its speaker, from the
mention to the character, each by rules in turn. Their patterns over parsed sentences are
those of scholar_indexes.speakers.cues here, their coreference system is a rule for pronouns,
and turn-taking looks at what follows as well as at what goes before.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from scholar_indexes.speakers import cues, mentions, speeches
from scholar_indexes.speakers.cues import Cue
from scholar_indexes.speakers.mentions import Mention
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

APART = 3
"""Paragraphs from one turn to the next within a conversation that is interrupted."""

FAR = 20
"""Turns over which two speakers are taken to alternate."""

BACK = 60
"""Mentions that a pronoun looks back over."""

_LONGEST = 40  # quotations of one paragraph that are taken together

_OPENING = re.compile(
    r"(?:[.!?:;,\"”'’_(—-]|\b(?:and|but|then|as|so))\s*(?:the\s+)?$", re.IGNORECASE
)


class Stage(StrEnum):
    """The rule that decides, in the order they are tried."""

    NAMED = "named"  # a verb of speech and a name
    LISTED = "listed"  # "I said" of the narrator; a description that the cast lists
    ADDRESSED = "addressed"  # the speech before addresses the speaker by name
    PRONOUN = "pronoun"  # a verb of speech and a pronoun or a description
    TOGETHER = "together"  # another quotation of the paragraph tells
    SINGLE = "single"  # the only name in the paragraph's narration
    TURNS = "turns"  # two speakers take turns: A B A B
    FINAL = "final"  # the last name of the narration before
    LOOSE = "loose"  # turns over an interruption
    MAJORITY = "majority"  # who speaks most around
    NEAREST = "nearest"  # the nearest name
    NOBODY = "nobody"  # nothing is known


SHARE_RIGHT = {
    Stage.NAMED: 0.98,
    Stage.LISTED: 0.90,
    Stage.ADDRESSED: 0.78,
    Stage.PRONOUN: 0.72,
    Stage.TOGETHER: 0.50,
    Stage.SINGLE: 0.79,
    Stage.TURNS: 0.78,
    Stage.FINAL: 0.62,
    Stage.LOOSE: 0.46,
    Stage.MAJORITY: 0.44,
    Stage.NEAREST: 0.17,
    Stage.NOBODY: 0.0,
}
"""How often a stage is right, over the quotations of PDNC's 25 novels that it decides. The rules
were made with these novels, so others go a little worse."""

NEAREST_RIGHT = {QuoteKind.EXPLICIT: 0.85, QuoteKind.ANAPHORIC: 0.29, QuoteKind.IMPLICIT: 0.32}
"""How often the nearest name is right there, by the kind of cue."""


def nearest(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> list[Attribution]:
    """The name nearest to each quotation in the narration, before it or behind it.

    Distance is counted in characters from the nearest piece; of two as near the one behind
    is taken. Nobody where the narration names none of the cast.
    """
    found = mentions.find(text, cast)
    told = _told(quotations, found)
    starts = [each.span.start for each in told]
    answers = []
    for quotation, cue in zip(quotations, cues.find(text, quotations, cast, found), strict=True):
        mention = _nearest(quotation, told, starts)
        answers.append(_answer(mention, cue, cast, NEAREST_RIGHT[cue.kind]))
    return answers


def attribute(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> list[Attribution]:
    """Who says each quotation by the sieve, in their order; nobody where the book names none.

    evidence is the cue, the name or the speech that decided; confidence is the share of
    PDNC's quotations that the deciding stage gets right.
    """
    return [
        _answer(mention, cue, cast, SHARE_RIGHT[stage])
        for mention, stage, cue in decide(text, quotations, cast)
    ]


def decide(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> list[tuple[Mention | None, Stage, Cue]]:
    """For each quotation what decided and whom it means, by which stage, and the cue.

    Takes time linear in the text and the quotations.
    """

    def decided(whole: Sequence[Quotation]) -> list[tuple[Mention | None, Stage, Cue]]:
        sieve = Sieve(text, whole, cast)
        sieve.run()
        return list(zip(sieve.said, sieve.stages, sieve.cues, strict=True))

    return speeches.answered(text, quotations, decided)


def _answer(
    mention: Mention | None, cue: Cue, cast: Sequence[Character], share: float
) -> Attribution:
    if mention is None:
        return Attribution(None, cue.kind, None, 0.0)
    return Attribution(cast[mention.who], cue.kind, mention.span, share)


def _told(quotations: Sequence[Quotation], found: Sequence[Mention]) -> list[Mention]:
    """The mentions outside of speech."""
    pieces = sorted({piece for each in quotations for piece in each.pieces})
    starts = [piece.start for piece in pieces]
    ends: list[int] = []
    for piece in pieces:
        ends.append(max(piece.end, ends[-1] if ends else 0))
    told = []
    for mention in found:
        at = bisect_right(starts, mention.span.start) - 1
        if at < 0 or ends[at] <= mention.span.start:
            told.append(mention)
    return told


def _named(quotation: Quotation, found: Sequence[Mention], starts: Sequence[int]) -> set[int]:
    """Who is named in a quotation."""
    return {
        each.who
        for piece in quotation.pieces
        for each in found[bisect_left(starts, piece.start) : bisect_left(starts, piece.end)]
    }


def _nearest(
    quotation: Quotation, told: Sequence[Mention], starts: Sequence[int]
) -> Mention | None:
    best: tuple[int, Mention] | None = None
    for piece in quotation.pieces:
        at = bisect_left(starts, piece.end)
        near = [(each.span.start - piece.end, each) for each in told[at : at + 1]]
        near += [(piece.start - each.span.end, each) for each in told[max(0, at - 1) : at]]
        for distance, mention in near:
            if best is None or distance < best[0]:
                best = distance, mention
    return best[1] if best else None


class Sieve:
    """The quotations of a text in reading order, and what is known of their speakers.

    A turn is the quotations of one paragraph, by their numbers. said holds for each
    quotation what decided it and whom that means.
    """

    def __init__(
        self, text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
    ) -> None:
        self.named_at = found = mentions.with_titles(text, cast)
        starts = [each.span.start for each in found]
        self.text = text
        self.cast = cast
        self.quotations = quotations
        self.cues = cues.find(text, quotations, cast, found)
        self.vocatives = [cues.vocatives(text, each, found) for each in quotations]
        # Few people name themselves.
        self.unlike = [_named(each, found, starts) for each in quotations]
        self.told = _told(quotations, found)
        self.starts = [each.span.start for each in self.told]
        self.blocks = cues.blocks(text) or [Span(0, len(text))]
        begins = [each.start for each in self.blocks]
        self.first = [max(0, bisect_right(begins, q.span.start) - 1) for q in quotations]
        self.last = [max(0, bisect_left(begins, q.span.end) - 1) for q in quotations]
        order = sorted(range(len(quotations)), key=lambda n: quotations[n].span)
        self.turns = list(_turns(order, self.first))
        self.turn_of = {n: number for number, turn in enumerate(self.turns) for n in turn}
        self.said: list[Mention | None] = [None] * len(quotations)
        self.stages = [Stage.NOBODY] * len(quotations)

    def run(self) -> None:
        rules: tuple[tuple[Callable[[int], Mention | None], Stage], ...] = (
            (self.named, Stage.NAMED),
            (self.listed, Stage.LISTED),
            (self.addressed, Stage.ADDRESSED),
            (self.pronoun, Stage.PRONOUN),
            (self.together, Stage.TOGETHER),
            (self.single, Stage.SINGLE),
            (self.alternate, Stage.TURNS),
            (self.final, Stage.FINAL),
            (self.loose, Stage.LOOSE),
            (self.majority, Stage.MAJORITY),
            (self.closest, Stage.NEAREST),
        )
        for rule, stage in rules:
            for turn in self.turns:
                for n in turn:
                    if self.said[n] is None and (mention := rule(n)) is not None:
                        self.said[n], self.stages[n] = mention, stage

    def named(self, n: int) -> Mention | None:
        cue = self.cues[n]
        if cue.who is None or cue.span is None or cue.kind is not QuoteKind.EXPLICIT:
            return None
        return Mention(cue.span, cue.who)

    def listed(self, n: int) -> Mention | None:
        cue = self.cues[n]
        return None if cue.who is None or cue.span is None else Mention(cue.span, cue.who)

    def addressed(self, n: int) -> Mention | None:
        """Whom the speech before addresses by name."""
        turn = self.turn_of[n]
        if not self.near(turn, turn - 1, 2):
            return None
        barred = self.unlike[n] | self.speakers(turn - 1, 2)
        for before in reversed(self.turns[turn - 1]):
            for who in reversed(self.vocatives[before]):
                if who not in barred and self.fits(who, self.cues[n].gender):
                    return Mention(self.quotations[before].span, who)
        return None

    def pronoun(self, n: int) -> Mention | None:
        """The nearest one whom the pronoun fits and who did not speak just before.

        Names in narration before the pronoun count, and speakers before and, twice as far
        away, behind it.
        """
        cue = self.cues[n]
        if cue.gender is Gender.UNKNOWN or cue.span is None:
            return None
        turn, at = self.turn_of[n], cue.span.start
        index = bisect_left(self.starts, at)
        recent = self.told[max(0, index - BACK) : index]
        for each in reversed(recent):
            if each.span.start < self.blocks[self.first[n]].start:
                break
            sure = self.cast[each.who].gender is cue.gender and self.opens(each)
            if sure and each.who not in self.unlike[n]:
                return each
        near = [(at - each.span.start, each) for each in recent]
        for other in range(turn - 10, turn + 5):
            known = self.speaker(other) if self.near(turn, other, APART) else None
            if known is not None and other != turn:
                distance = at - self.quotations[self.turns[other][0]].span.start
                near.append((distance if distance > 0 else -2 * distance, known))
        barred = self.unlike[n] | self.speakers(turn - 1, 1)
        fitting = [
            (self.cast[each.who].gender is not cue.gender, distance, each.span, each)
            for distance, each in near
            if each.who not in barred and self.fits(each.who, cue.gender)
        ]
        return min(fitting)[-1] if fitting else None

    def together(self, n: int) -> Mention | None:
        """Another quotation of the paragraph whose speaker is known, the nearest before."""
        turn = self.turns[self.turn_of[n]]
        at = turn.index(n)
        others = [*reversed(turn[:at]), *turn[at + 1 :]]
        return next((known for each in others if (known := self.said[each]) is not None), None)

    def single(self, n: int) -> Mention | None:
        """The only one named in the narration of the paragraph, as a subject."""
        named = self.between(self.blocks[self.first[n]], self.quotations[n].span)
        if len({each.who for each in named}) != 1 or not self.opens(named[0]):
            return None
        return named[0]

    def alternate(self, n: int) -> Mention | None:
        """Who speaks an even number of turns away, where nothing comes between."""
        turn = self.turn_of[n]
        barred = self.unlike[n] | self.speakers(turn - 1, 1) | self.speakers(turn + 1, -1)
        for step in range(2, FAR, 2):
            for other in (turn - step, turn + step):
                known = self.speaker(other, sure=True) if self.near(turn, other, 1) else None
                if known is not None and known.who not in barred:
                    return known
        return None

    def final(self, n: int) -> Mention | None:
        """The last one named as a subject where a paragraph of narration goes before."""
        turn, place = self.turn_of[n], self.first[n]
        if place == 0 or self.near(turn, turn - 1, 1):
            return None
        block = self.blocks[place - 1]
        named = [each for each in self.between(block, self.quotations[n].span) if self.opens(each)]
        return named[-1] if named and named[-1].who not in self.unlike[n] else None

    def loose(self, n: int) -> Mention | None:
        """Who spoke two turns before, or speaks two turns later."""
        turn = self.turn_of[n]
        barred = self.unlike[n] | self.speakers(turn - 1, APART)
        for other in (turn - 2, turn + 2):
            known = self.speaker(other) if self.near(turn, other, APART) else None
            if known is not None and known.who not in barred:
                return known
        return None

    def majority(self, n: int) -> Mention | None:
        """Who speaks most around, but for the one who spoke last."""
        turn = self.turn_of[n]
        barred = self.unlike[n] | self.speakers(turn - 1, APART)
        around = [
            known
            for other in range(turn - 6, turn + 7)
            if (known := self.speaker(other)) is not None and known.who not in barred
        ]
        if not around:
            return None
        who, _ = Counter(each.who for each in around).most_common(1)[0]
        return next(each for each in around if each.who == who)

    def closest(self, n: int) -> Mention | None:
        return _nearest(self.quotations[n], self.told, self.starts)

    def speaker(self, turn: int, sure: bool = False) -> Mention | None:
        """Who speaks in a turn, as far as is known; sure leaves out what turn-taking told."""
        if not 0 <= turn < len(self.turns):
            return None
        for n in self.turns[turn]:
            known = self.said[n]
            if known is not None and not (sure and self.stages[n] is Stage.TURNS):
                return known
        return None

    def speakers(self, turn: int, gap: int) -> set[int]:
        """Who speaks in a turn that is so near to the next one, or to the last when gap < 0."""
        other = turn + (1 if gap > 0 else -1)
        known = self.speaker(turn) if self.near(other, turn, abs(gap)) else None
        return set() if known is None else {known.who}

    def near(self, turn: int, other: int, gap: int) -> bool:
        """Whether from turn to turn there are at most so many paragraphs."""
        if not 0 <= other < len(self.turns):
            return False
        first, last = sorted((turn, other))
        return all(
            self.first[self.turns[each + 1][0]] - self.last[self.turns[each][-1]] <= gap
            for each in range(first, last)
        )

    def fits(self, who: int, gender: Gender) -> bool:
        return gender is Gender.UNKNOWN or self.cast[who].gender in (gender, Gender.UNKNOWN)

    def between(self, block: Span, speech: Span) -> Sequence[Mention]:
        """The names in a paragraph's narration not too far from a speech."""
        start = max(block.start, speech.start - cues.REACH)
        end = min(block.end, speech.end + cues.REACH)
        return self.told[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

    def opens(self, mention: Mention) -> bool:
        """Whether a name stands where a subject does, at the beginning of its clause."""
        start = max(0, mention.span.start - 12)
        before = self.text[start : mention.span.start]
        return start == 0 or _OPENING.search(before) is not None or "\n\n" in before


def _turns(order: Sequence[int], place: Sequence[int]) -> Iterator[list[int]]:
    """The quotations of one paragraph together, a few of them at most."""
    turn: list[int] = []
    for n in order:
        if turn and (place[n] != place[turn[-1]] or len(turn) == _LONGEST):
            yield turn
            turn = []
        turn.append(n)
    if turn:
        yield turn
