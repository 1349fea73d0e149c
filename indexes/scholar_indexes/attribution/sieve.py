"""Quotation attribution by rules: the nearest name, and a sieve.

The sieve follows Muzny, Fang, Chang and Jurafsky 2017 ("A Two-stage Sieve Approach for
Quote Attribution", section 4): from the quotation to a mention of its speaker, from the
mention to the character, each by rules in turn. scholar_indexes.attribution.cues replaces their
patterns over parsed sentences, and a rule for pronouns their coreference system; turn-taking
considers later turns as well as earlier ones.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import chain
from operator import itemgetter

from scholar_indexes.attribution import speeches
from scholar_indexes.attribution.cues.cue_detection import Cue, find_cues
from scholar_indexes.attribution.cues.surroundings import REACH, split_paragraphs
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.coreference.quoted_text import QuotedText
from scholar_indexes.coreference.vocatives import find_vocatives
from scholar_indexes.stopping import checked
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

APART = 3
"""The most paragraphs from one turn to the next within an interrupted conversation."""

FAR = 20
"""The number of turns over which two speakers are assumed to alternate."""

BACK = 60
"""The number of preceding mentions considered for a pronoun."""

_LONGEST = 40  # the most quotations of one turn

_OPENING = re.compile(
    r"(?:[.!?:;,\"”'’_(—-]|\b(?:and|but|then|as|so))\s*(?:the\s+)?$", re.IGNORECASE
)


class SieveRule(StrEnum):
    """The rules that decide, in the order they are tried."""

    NAMED = "named"  # a verb of speech and a name
    LISTED = "listed"  # "I said" by the narrator; a description that the cast lists
    ADDRESSED = "addressed"  # the previous turn addresses the speaker by name
    PRONOUN = "pronoun"  # a verb of speech and a pronoun or a description
    TOGETHER = "together"  # another quotation of the paragraph has a speaker
    SINGLE = "single"  # the only name in the paragraph's narration
    TURNS = "turns"  # two speakers take turns: A B A B
    FINAL = "final"  # the last name in the narration before
    LOOSE = "loose"  # turns across an interruption
    MAJORITY = "majority"  # the most frequent speaker nearby
    NEAREST = "nearest"  # the nearest name
    NOBODY = "nobody"  # nothing is known


SHARE_RIGHT = {
    SieveRule.NAMED: 0.98,
    SieveRule.LISTED: 0.90,
    SieveRule.ADDRESSED: 0.78,
    SieveRule.PRONOUN: 0.72,
    SieveRule.TOGETHER: 0.50,
    SieveRule.SINGLE: 0.79,
    SieveRule.TURNS: 0.78,
    SieveRule.FINAL: 0.62,
    SieveRule.LOOSE: 0.46,
    SieveRule.MAJORITY: 0.44,
    SieveRule.NEAREST: 0.17,
    SieveRule.NOBODY: 0.0,
}
"""Accuracy of each rule, over the quotations of PDNC's 25 novels that it decides. The rules
were made with these novels, so accuracy on others is a little lower."""

NEAREST_RIGHT = {QuoteKind.EXPLICIT: 0.85, QuoteKind.ANAPHORIC: 0.29, QuoteKind.IMPLICIT: 0.32}
"""Accuracy of the nearest name on these novels, by the kind of cue."""


def attribute_nearest(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> list[Attribution]:
    """Attribute each quotation to the name nearest to it in the narration, before or after it.

    Distance is counted in characters from the nearest piece; of two equally near names the
    later is taken. The speaker is None if the narration names none of the cast.
    """
    found_mentions = mentions.find_mentions(text, cast)
    narrated = _exclude_speech(quotations, found_mentions)
    starts = [mention.span.start for mention in narrated]
    cues = find_cues(text, quotations, cast, found_mentions)
    return [
        _to_attribution(
            _find_nearest(quotation, narrated, starts), cue, cast, NEAREST_RIGHT[cue.kind]
        )
        for quotation, cue in zip(quotations, cues, strict=True)
    ]


def attribute(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> list[Attribution]:
    """Return an attribution by the sieve for each quotation, in order.

    The speaker is None if the book names nobody. `evidence` is the cue, the name or the speech
    that decided; `confidence` is the share of PDNC's quotations that the deciding rule gets
    right.
    """
    return [
        _to_attribution(mention, cue, cast, SHARE_RIGHT[rule])
        for mention, rule, cue in decide(text, quotations, cast)
    ]


def decide(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> list[tuple[Mention | None, SieveRule, Cue]]:
    """Return for each quotation the deciding mention of its speaker, the rule, and the cue.

    Takes time linear in the text and the quotations.
    """

    def decide_speeches(
        whole_speeches: Sequence[Quotation],
    ) -> list[tuple[Mention | None, SieveRule, Cue]]:
        sieve = Sieve(text, whole_speeches, cast)
        sieve.run()
        return list(zip(sieve.decisions, sieve.rules, sieve.cues, strict=True))

    return speeches.attribute_speeches(text, quotations, decide_speeches)


def _to_attribution(
    mention: Mention | None, cue: Cue, cast: Sequence[Character], confidence: float
) -> Attribution:
    if mention is None:
        return Attribution(None, cue.kind, None, 0.0)
    return Attribution(cast[mention.character], cue.kind, mention.span, confidence)


def _exclude_speech(
    quotations: Sequence[Quotation], found_mentions: Sequence[Mention]
) -> list[Mention]:
    """Return the mentions in the narration."""
    quoted = QuotedText(quotations)
    return [mention for mention in found_mentions if not quoted.covers(mention.span.start)]


def _find_named(
    quotation: Quotation, found_mentions: Sequence[Mention], starts: Sequence[int]
) -> set[int]:
    """Return the characters named in a quotation."""
    return {
        mention.character
        for piece in quotation.pieces
        for mention in found_mentions[
            bisect_left(starts, piece.start) : bisect_left(starts, piece.end)
        ]
    }


def _find_nearest(
    quotation: Quotation, narrated: Sequence[Mention], starts: Sequence[int]
) -> Mention | None:
    """Return the mention nearest to a piece of the quotation."""
    candidates: list[tuple[int, Mention]] = []
    for piece in quotation.pieces:
        index = bisect_left(starts, piece.end)
        candidates += [
            (mention.span.start - piece.end, mention) for mention in narrated[index : index + 1]
        ]
        candidates += [
            (piece.start - mention.span.end, mention)
            for mention in narrated[max(0, index - 1) : index]
        ]
    return min(candidates, key=itemgetter(0))[1] if candidates else None


class Sieve:
    """The quotations of a text in reading order, with the speakers decided so far.

    A turn is the quotations of one paragraph, by their numbers. `decisions` holds for each
    quotation a mention of its speaker, `rules` the rule that decided; `narrated` are the
    mentions outside speech, and `named_in` the characters named in each quotation.
    """

    def __init__(
        self, text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
    ) -> None:
        self.text = text
        self.cast = cast
        self.quotations = quotations
        self.mentions = mentions.find_mentions_and_titles(text, cast)
        self.cues = find_cues(text, quotations, cast, self.mentions)
        self.vocatives = [
            find_vocatives(text, quotation, self.mentions) for quotation in checked(quotations)
        ]
        self.named_in = self._find_named_in()
        self.narrated = _exclude_speech(quotations, self.mentions)
        self.narrated_starts = [mention.span.start for mention in self.narrated]
        self.paragraphs = split_paragraphs(text) or [Span(0, len(text))]
        self.first_paragraphs, self.last_paragraphs = self._locate_paragraphs()
        self.turns = self._find_turns()
        self.turn_of = {n: number for number, turn in enumerate(self.turns) for n in turn}
        self.decisions: list[Mention | None] = [None] * len(quotations)
        self.rules = [SieveRule.NOBODY] * len(quotations)

    def _find_named_in(self) -> list[set[int]]:
        """Return the characters named in each quotation, who seldom speak it."""
        starts = [mention.span.start for mention in self.mentions]
        return [_find_named(quotation, self.mentions, starts) for quotation in self.quotations]

    def _locate_paragraphs(self) -> tuple[list[int], list[int]]:
        """Return the paragraphs in which each quotation begins and ends."""
        starts = [paragraph.start for paragraph in self.paragraphs]
        spans = [quotation.span for quotation in self.quotations]
        return (
            [max(0, bisect_right(starts, span.start) - 1) for span in spans],
            [max(0, bisect_left(starts, span.end) - 1) for span in spans],
        )

    def _find_turns(self) -> list[list[int]]:
        quotations = self.quotations
        order = sorted(range(len(quotations)), key=lambda n: quotations[n].span)
        return list(_group_turns(order, self.first_paragraphs))

    def run(self) -> None:
        """Apply the rules in turn, each to the quotations that are still undecided."""
        rules: tuple[tuple[SieveRule, Callable[[int], Mention | None]], ...] = (
            (SieveRule.NAMED, self.match_name),
            (SieveRule.LISTED, self.match_listed),
            (SieveRule.ADDRESSED, self.match_vocative),
            (SieveRule.PRONOUN, self.match_pronoun),
            (SieveRule.TOGETHER, self.match_paragraph),
            (SieveRule.SINGLE, self.match_only_name),
            (SieveRule.TURNS, self.match_alternation),
            (SieveRule.FINAL, self.match_last_name),
            (SieveRule.LOOSE, self.match_interrupted_alternation),
            (SieveRule.MAJORITY, self.match_majority),
            (SieveRule.NEAREST, self.match_nearest),
        )
        for rule, match in rules:
            for n in checked(chain.from_iterable(self.turns)):
                if self.decisions[n] is None and (mention := match(n)) is not None:
                    self.decisions[n], self.rules[n] = mention, rule

    def match_name(self, n: int) -> Mention | None:
        """Return the name of an explicit cue."""
        return self.match_listed(n) if self.cues[n].kind is QuoteKind.EXPLICIT else None

    def match_listed(self, n: int) -> Mention | None:
        """Return the character that a cue of any kind identifies."""
        cue = self.cues[n]
        if cue.character is None or cue.span is None:
            return None
        return Mention(cue.span, cue.character)

    def match_vocative(self, n: int) -> Mention | None:
        """Return the character whom the previous turn addresses by name."""
        turn = self.turn_of[n]
        if not self.is_near(turn, turn - 1, 2):
            return None
        excluded = self.named_in[n] | self.find_speakers(turn - 1, 2)
        for before in reversed(self.turns[turn - 1]):
            for character in reversed(self.vocatives[before]):
                if character not in excluded and self.fits(character, self.cues[n].gender):
                    return Mention(self.quotations[before].span, character)
        return None

    def match_pronoun(self, n: int) -> Mention | None:
        """Return the nearest character whom the pronoun fits and who did not speak just before.

        Candidates are names in the narration before the pronoun, and speakers before it and
        after it, the latter at twice their distance.
        """
        cue = self.cues[n]
        if cue.gender is Gender.UNKNOWN or cue.span is None:
            return None
        start = cue.span.start
        end = bisect_left(self.narrated_starts, start)
        recent = self.narrated[max(0, end - BACK) : end]
        subject = self._find_subject_in_paragraph(n, recent, cue.gender)
        if subject is not None:
            return subject
        turn = self.turn_of[n]
        near = [(start - mention.span.start, mention) for mention in recent]
        near += self._find_speakers_around(turn, start)
        excluded = self.named_in[n] | self.find_speakers(turn - 1, 1)
        fitting = [
            (self.cast[mention.character].gender is not cue.gender, distance, mention.span, mention)
            for distance, mention in near
            if mention.character not in excluded and self.fits(mention.character, cue.gender)
        ]
        return min(fitting)[-1] if fitting else None

    def _find_subject_in_paragraph(
        self, n: int, recent: Sequence[Mention], gender: Gender
    ) -> Mention | None:
        """Return the last subject of a gender named in the paragraph."""
        begin = self.paragraphs[self.first_paragraphs[n]].start
        for mention in reversed(recent):
            if mention.span.start < begin:
                return None
            is_subject = self.cast[mention.character].gender is gender and self.is_subject(mention)
            if is_subject and mention.character not in self.named_in[n]:
                return mention
        return None

    def _find_speakers_around(self, turn: int, start: int) -> Iterator[tuple[int, Mention]]:
        """Yield the distance from a position and the speaker of each nearby turn."""
        for other in range(turn - 10, turn + 5):
            speaker = self.find_speaker(other) if self.is_near(turn, other, APART) else None
            if speaker is not None and other != turn:
                distance = start - self.quotations[self.turns[other][0]].span.start
                yield (distance if distance > 0 else -2 * distance, speaker)

    def match_paragraph(self, n: int) -> Mention | None:
        """Return the speaker of another quotation of the paragraph, by preference one before."""
        turn = self.turns[self.turn_of[n]]
        index = turn.index(n)
        others = (*reversed(turn[:index]), *turn[index + 1 :])
        known = (self.decisions[other] for other in others)
        return next((mention for mention in known if mention is not None), None)

    def match_only_name(self, n: int) -> Mention | None:
        """Return the only character named in the narration of the paragraph, as a subject."""
        paragraph = self.paragraphs[self.first_paragraphs[n]]
        narrated = self.find_narrated(paragraph, self.quotations[n].span)
        if len({mention.character for mention in narrated}) != 1 or not self.is_subject(
            narrated[0]
        ):
            return None
        return narrated[0]

    def match_alternation(self, n: int) -> Mention | None:
        """Return the speaker an even number of turns away, if no narration comes between."""
        turn = self.turn_of[n]
        neighbours = self.find_speakers(turn - 1, 1) | self.find_speakers(turn + 1, -1)
        excluded = self.named_in[n] | neighbours
        for step in range(2, FAR, 2):
            for other in (turn - step, turn + step):
                is_near = self.is_near(turn, other, 1)
                speaker = self.find_speaker(other, before_turns=True) if is_near else None
                if speaker is not None and speaker.character not in excluded:
                    return speaker
        return None

    def match_last_name(self, n: int) -> Mention | None:
        """Return the last subject named in a paragraph of narration before the quotation."""
        turn, paragraph = self.turn_of[n], self.first_paragraphs[n]
        if paragraph == 0 or self.is_near(turn, turn - 1, 1):
            return None
        narrated = self.find_narrated(self.paragraphs[paragraph - 1], self.quotations[n].span)
        subjects = [mention for mention in narrated if self.is_subject(mention)]
        return subjects[-1] if subjects and subjects[-1].character not in self.named_in[n] else None

    def match_interrupted_alternation(self, n: int) -> Mention | None:
        """Return the speaker of two turns before or two turns later."""
        turn = self.turn_of[n]
        excluded = self.named_in[n] | self.find_speakers(turn - 1, APART)
        for other in (turn - 2, turn + 2):
            speaker = self.find_speaker(other) if self.is_near(turn, other, APART) else None
            if speaker is not None and speaker.character not in excluded:
                return speaker
        return None

    def match_majority(self, n: int) -> Mention | None:
        """Return the most frequent speaker nearby, except the last one."""
        turn = self.turn_of[n]
        excluded = self.named_in[n] | self.find_speakers(turn - 1, APART)
        around = [
            speaker
            for other in range(turn - 6, turn + 7)
            if (speaker := self.find_speaker(other)) is not None
            and speaker.character not in excluded
        ]
        if not around:
            return None
        character, _ = Counter(mention.character for mention in around).most_common(1)[0]
        return next(mention for mention in around if mention.character == character)

    def match_nearest(self, n: int) -> Mention | None:
        """Return the nearest name of the narration."""
        return _find_nearest(self.quotations[n], self.narrated, self.narrated_starts)

    def find_speaker(self, turn: int, *, before_turns: bool = False) -> Mention | None:
        """Return the speaker of a turn if known; `before_turns` excludes results of alternation."""
        if not 0 <= turn < len(self.turns):
            return None
        for n in self.turns[turn]:
            mention = self.decisions[n]
            if mention is not None and not (before_turns and self.rules[n] is SieveRule.TURNS):
                return mention
        return None

    def find_speakers(self, turn: int, gap: int) -> set[int]:
        """Return the speaker of a turn that is within `gap` paragraphs of the next one, or of the
        previous one if `gap` is negative."""
        other = turn + (1 if gap > 0 else -1)
        speaker = self.find_speaker(turn) if self.is_near(other, turn, abs(gap)) else None
        return set() if speaker is None else {speaker.character}

    def is_near(self, turn: int, other: int, gap: int) -> bool:
        """Return True if each turn from one to the other is within `gap` paragraphs of the next."""
        if not 0 <= other < len(self.turns):
            return False
        first, last = sorted((turn, other))
        return all(self.count_gap(number) <= gap for number in range(first, last))

    def count_gap(self, turn: int) -> int:
        """Return the number of paragraphs from a turn to the next one."""
        following = self.first_paragraphs[self.turns[turn + 1][0]]
        return following - self.last_paragraphs[self.turns[turn][-1]]

    def fits(self, character: int, gender: Gender) -> bool:
        """Return True unless a character is known to be of another gender."""
        return gender is Gender.UNKNOWN or self.cast[character].gender in (gender, Gender.UNKNOWN)

    def find_narrated(self, paragraph: Span, speech: Span) -> Sequence[Mention]:
        """Return the mentions in a paragraph's narration within REACH of a speech."""
        start = max(paragraph.start, speech.start - REACH)
        end = min(paragraph.end, speech.end + REACH)
        starts = self.narrated_starts
        return self.narrated[bisect_left(starts, start) : bisect_left(starts, end)]

    def is_subject(self, mention: Mention) -> bool:
        """Return True if a name is at the beginning of its clause, like most subjects."""
        start = max(0, mention.span.start - 12)
        before = self.text[start : mention.span.start]
        return start == 0 or _OPENING.search(before) is not None or "\n\n" in before


def _group_turns(order: Sequence[int], paragraphs: Sequence[int]) -> Iterator[list[int]]:
    """Yield the quotations of each paragraph together, at most _LONGEST of them."""
    turn: list[int] = []
    for n in order:
        if turn and (paragraphs[n] != paragraphs[turn[-1]] or len(turn) == _LONGEST):
            yield turn
            turn = []
        turn.append(n)
    if turn:
        yield turn
