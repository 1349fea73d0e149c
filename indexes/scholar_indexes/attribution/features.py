"""Features for and against each candidate speaker of each quotation.

The evidence follows rule-based attribution since O'Keefe et al. 2012 and Muzny et al. 2017: the
words next to the quotation, names in the narration and their distances, vocatives, the gender
of pronouns, how often a candidate is named and speaks in the book; and, also since O'Keefe, the
similarity of a quotation to a candidate's others. The speakers of other quotations are guesses, so
features are extracted again from better guesses. The speakers of nearby turns are not features:
scholar_indexes.attribution.linear_chain decides all turns together.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.attribution import salience, speaker_language
from scholar_indexes.attribution.cues.cue_detection import Cue
from scholar_indexes.attribution.name_roles import find_roles
from scholar_indexes.attribution.presence import Presence
from scholar_indexes.attribution.sieve import APART, SHARE_RIGHT, Sieve
from scholar_indexes.stopping import checked
from scholar_indexes.types import Gender, QuoteKind

BACK, AHEAD = 40, 8
"""The number of names in the narration examined before and after a quotation."""

TURNS = 12
"""The number of turns on each side whose guessed speakers are candidates."""

MOST = 40
"""The maximum number of candidates of one quotation."""

RARELY_DESCRIBED = 12
"""The number of mentions from which a character known only by a description may also be another
character: the bishop is Dr. Proudie, but the turnkey is nobody else."""

SURE = 0.9
"""The minimum probability of a guess that counts as an example of its speaker's language."""

READ = 3_000
"""The most characters between a name and a quotation that are read for sentences and pronouns."""

_NOBODY = -1

_SENTENCE = re.compile(r"[.!?][”’\"]?\s")
_PRONOUN = {Gender.FEMALE: re.compile(r"\b[Ss]he\b"), Gender.MALE: re.compile(r"\b[Hh]e\b")}


@dataclass(frozen=True, slots=True)
class Guesses:
    """A guess at the speaker of each quotation, as an index in the cast (-1 for nobody), and the
    probability that it is right."""

    speakers: Sequence[int]
    probabilities: Sequence[float]


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """The candidates of all quotations: one row of values (r, FEATURES) and the index of a
    character (r,) for each; quotation n has the rows [edges[n], edges[n + 1]).

    `order` (n,) holds the quotations with candidates, in reading order, and `between`
    (n, BETWEEN) the transition features of each of them from the previous one.
    """

    values: NDArray[np.float32]
    characters: NDArray[np.int64]
    edges: NDArray[np.int64]
    order: NDArray[np.int64]
    between: NDArray[np.float32]


def guess_by_rules(sieve: Sieve) -> Guesses:
    """Return the decisions of the sieve as guesses."""
    return Guesses(
        [_NOBODY if mention is None else mention.character for mention in sieve.decisions],
        [SHARE_RIGHT[rule] for rule in sieve.rules],
    )


def extract_features(book: BookFeatures, guesses: Guesses) -> CandidateRows:
    """Return the candidates of every quotation with their features, in time linear in the book."""
    dialogue = _GuessedDialogue(book, guesses)
    count = len(book.sieve.quotations)
    values = [np.zeros((0, FEATURES), np.float32)] * count
    characters: list[list[int]] = [[]] * count
    order, between = [], []
    for number in checked(chain.from_iterable(book.sieve.turns)):
        context = book.context(number)
        candidates = dialogue.candidates(context)
        if candidates:
            characters[number] = candidates
            values[number] = dialogue.rows(context, candidates)
            order.append(number)
            between.append(context.between)
    return CandidateRows(
        np.concatenate([np.zeros((0, FEATURES), np.float32), *values]),
        np.array(list(chain.from_iterable(characters)), np.int64),
        np.cumsum([0, *map(len, characters)]),
        np.array(order, np.int64),
        np.array(between, np.float32).reshape(len(order), BETWEEN),
    )


class BookFeatures:
    """Features that do not depend on guesses at speakers, computed once for all rounds."""

    def __init__(self, sieve: Sieve) -> None:
        self.sieve = sieve
        self.addressees = [frozenset(characters) for characters in sieve.vocatives]
        self.genders = [character.gender for character in sieve.cast]
        starts = [paragraph.start for paragraph in sieve.paragraphs]
        self.paragraph_of = [
            bisect_right(starts, mention.span.start) - 1 for mention in sieve.narrated
        ]
        self.mention_counts = Counter(mention.character for mention in sieve.narrated)
        self.rarely_described = self._find_rarely_described()
        self.log_most = math.log1p(max(self.mention_counts.values(), default=1))
        by_count = [character for character, _ in self.mention_counts.most_common()]
        self.rank = {character: rank for rank, character in enumerate(by_count)}
        self.main_characters = by_count[:3]
        self.cue_counts = Counter(
            cue.character for cue in sieve.cues if cue.kind is QuoteKind.EXPLICIT
        )
        self.roles = [find_roles(sieve.text, mention) for mention in checked(sieve.narrated)]
        self.narration = salience.Narration(sieve, self.roles)
        self.scenes = list(accumulate(self.narration.opens_scene))
        self.presence = Presence(sieve, self.scenes)
        self.met = self._find_met()
        self.conversations = self._number_conversations()
        self.stays = self._find_stays()
        self.words = [
            speaker_language.count_words(quotation.of(sieve.text))
            for quotation in checked(sieve.quotations)
        ]
        self.naming = self._find_naming()
        self._contexts: dict[int, _QuotationContext] = {}

    def context(self, number: int) -> _QuotationContext:
        """Return a quotation and its surroundings, which are read once."""
        if number not in self._contexts:
            self._contexts[number] = _QuotationContext(self, number)
        return self._contexts[number]

    def _find_rarely_described(self) -> set[int]:
        """Return the characters without a name who appear in a scene or two: "the turnkey"."""
        return {
            index
            for index, character in enumerate(self.sieve.cast)
            if (self.mention_counts[index] < RARELY_DESCRIBED or not character.aliases)
            and not character.narrator
            and all(alias.islower() for alias in character.aliases)
        }

    def _find_met(self) -> Mapping[int, set[int]]:
        """Return the characters named in the narration of each scene."""
        met: defaultdict[int, set[int]] = defaultdict(set)
        for mention, paragraph in zip(self.sieve.narrated, self.paragraph_of, strict=True):
            met[self.scenes[paragraph]].add(mention.character)
        return met

    def _number_conversations(self) -> list[int]:
        """Return the number of the conversation of each turn, ascending."""
        breaks = (self.sieve.count_gap(turn) > APART for turn in range(len(self.sieve.turns) - 1))
        return list(accumulate(breaks, initial=0))

    def _find_stays(self) -> Mapping[int, set[int]]:
        """Return the conversations of each rarely described character: those in which or just
        before or after which the narration describes the character."""
        sieve = self.sieve
        ends = [sieve.quotations[turn[-1]].span.end for turn in sieve.turns]
        stays: defaultdict[int, set[int]] = defaultdict(set)
        for mention, paragraph in zip(sieve.narrated, self.paragraph_of, strict=True):
            if mention.character not in self.rarely_described:
                continue
            following = bisect_left(ends, mention.span.start)
            is_cue = (
                following > 0 and paragraph == sieve.last_paragraphs[sieve.turns[following - 1][-1]]
            )
            turns = (following - 1,) if is_cue else (following - 1, following)
            stays[mention.character].update(
                self.conversations[turn] for turn in turns if 0 <= turn < len(ends)
            )
        return stays

    def _find_naming(self) -> list[frozenset[int]]:
        """Return the characters named between the beginning and the end of each quotation."""
        sieve = self.sieve
        starts = [mention.span.start for mention in sieve.mentions]
        naming = []
        for quotation in sieve.quotations:
            first, end = (
                bisect_left(starts, edge) for edge in (quotation.span.start, quotation.span.end)
            )
            naming.append(frozenset(mention.character for mention in sieve.mentions[first:end]))
        return naming

    def addressed_in(self, turn: int) -> frozenset[int]:
        """Return the characters who are addressed by name in a turn."""
        if not 0 <= turn < len(self.sieve.turns):
            return frozenset()
        return frozenset().union(*(self.addressees[number] for number in self.sieve.turns[turn]))

    def asks(self, turn: int) -> bool:
        """Return True if a turn ends in a question."""
        if not 0 <= turn < len(self.sieve.turns):
            return False
        end = self.sieve.quotations[self.sieve.turns[turn][-1]].span.end
        return "?" in self.sieve.text[end - 2 : end]


class _GuessedDialogue:
    """Features that follow from the guesses at speakers."""

    def __init__(self, book: BookFeatures, guesses: Guesses) -> None:
        self.book = book
        known = [
            speaker if probability >= SURE else _NOBODY
            for speaker, probability in zip(guesses.speakers, guesses.probabilities, strict=True)
        ]
        self.language = speaker_language.SpeakerLanguage(book.words, book.naming, known)
        self.salience = salience.track_salience(
            book.narration, guesses.speakers, guesses.probabilities
        )
        self.speakers = [
            {guesses.speakers[number] for number in turn if guesses.speakers[number] >= 0}
            for turn in book.sieve.turns
        ]

    def candidates(self, context: _QuotationContext) -> list[int]:
        """Return the characters named, speaking or addressed near a quotation, the cue's character,
        and the main characters; only the cue's character if it is rarely described."""
        book, cue = self.book, context.cue
        if cue.character in book.rarely_described and not context.says_i:
            return [cue.character]
        around = self.speakers[max(0, context.turn - TURNS) : context.turn + TURNS + 1]
        candidates = dict.fromkeys(() if cue.character is None else (cue.character,))
        candidates |= dict.fromkeys(list(context.before)[:12])
        candidates |= dict.fromkeys(context.after)
        candidates |= dict.fromkeys(chain.from_iterable(around))
        candidates |= dict.fromkeys([*context.addressed_before, *context.addressed_after])
        candidates |= dict.fromkeys(book.main_characters)
        if context.narrator is not None:
            candidates[context.narrator] = None
        return [character for character in candidates if context.may_stay(character)][:MOST]

    def rows(self, context: _QuotationContext, candidates: Sequence[int]) -> NDArray[np.float32]:
        """Return the features of the candidates of a quotation (c, FEATURES)."""
        rows = np.empty((len(candidates), FEATURES), np.float32)
        rows[:, :EVIDENCE] = [context.evidence(character) for character in candidates]
        rows[:, EVIDENCE:COMMON] = list(self._guessed(context, candidates))
        rows[:, COMMON:] = context.common
        return rows

    def _guessed(
        self, context: _QuotationContext, candidates: Sequence[int]
    ) -> Iterator[list[float]]:
        """Yield the features of each candidate that depend on the guesses."""
        of_quotation = _QuotationSalience(context, self.salience[context.number])
        for character in candidates:
            likeness = self.language.likeness(context.number, character)
            yield [*likeness, *of_quotation.features(character)]


class _QuotationSalience:
    """The salience of the characters where a quotation begins, and in the sentences near it."""

    def __init__(self, context: _QuotationContext, state: salience.SalienceState) -> None:
        self._context, self._slots = context, state.slots
        self._genders = context.book.genders
        self._fadings = [(shares, self._by_gender(shares)) for shares in (state.near, state.far)]
        gender = context.cue.gender
        self._referents: salience.Shares = (
            {}
            if gender is Gender.UNKNOWN
            else salience.resolve_pronoun(state.near, self._genders, gender)
        )
        self._best_referent = max(self._referents.values(), default=1.0)

    def _by_gender(self, shares: salience.Shares) -> Mapping[Gender, tuple[float, float]]:
        """Return the sum and the greatest of the shares of each gender."""
        candidates: dict[Gender, list[float]] = {}
        for character, share in shares.items():
            candidates.setdefault(self._genders[character], []).append(share)
        return {gender: (sum(every), max(every)) for gender, every in candidates.items()}

    def features(self, character: int) -> Iterator[float]:
        """Yield the features of a candidate."""
        gender, context = self._genders[character], self._context
        for shares, of_gender in self._fadings:
            share = shares.get(character, 0.0)
            total, most = of_gender.get(gender, (0.0, 1.0))
            yield share
            yield share / total if share else 0.0
            yield share >= most
        referent = self._referents.get(character, 0.0)
        yield referent
        yield referent >= self._best_referent
        for slot in self._slots:
            yield slot.shares.get(character, 0.0) if slot else 0.0
        yield character in context.book.met[context.scene]
        is_cue = context.cue.character == character
        yield is_cue and context.says_i
        yield is_cue and context.cue.kind is QuoteKind.ANAPHORIC and not context.says_i


class _QuotationContext:
    """One quotation and its surroundings, whoever speaks."""

    def __init__(self, book: BookFeatures, number: int) -> None:
        sieve = book.sieve
        self.book, self.sieve, self.number = book, sieve, number
        self.cue: Cue = sieve.cues[number]
        self.span = sieve.quotations[number].span
        self.turn = sieve.turn_of[number]
        self.first, self.last = sieve.first_paragraphs[number], sieve.last_paragraphs[number]
        self._locate_mentions()
        self.addressed_before = book.addressed_in(self.turn - 1)
        self.addressed_after = book.addressed_in(self.turn + 1)
        self.addressed_earlier = book.addressed_in(self.turn - 2)
        self.gaps = {step: self._gap(step) for step in (-1, 1, -2, 2)}
        self.scene = book.scenes[self.first]
        self.narrator = book.narration.narrators.at(self.span.start)
        cue_words = self.cue.span.of(sieve.text).lower().split() if self.cue.span else []
        self.says_i = "i" in cue_words
        self.says_pronoun = "he" in cue_words or "she" in cue_words
        self.common = np.array(list(self._common()), np.float32)
        self.between = np.concatenate([self.common, np.array(list(self._between()), np.float32)])
        self._evidence: dict[int, NDArray[np.float32]] = {}

    def _locate_mentions(self) -> None:
        """Find the nearest mention of each character before and after the quotation."""
        sieve, narrated, starts = self.sieve, self.sieve.narrated, self.sieve.narrated_starts
        start = bisect_left(starts, self.span.start)
        self.before: dict[int, int] = {}
        for index in range(start - 1, max(-1, start - 1 - BACK), -1):
            self.before.setdefault(narrated[index].character, index)
        self.order = {character: rank for rank, character in enumerate(self.before)}
        self.after: dict[int, int] = {}
        for index in range(start, min(len(narrated), start + AHEAD)):
            self.after.setdefault(narrated[index].character, index)
        self.nearest = start - 1
        self.recent = Counter(mention.character for mention in narrated[max(0, start - 10) : start])
        low = bisect_left(starts, sieve.paragraphs[self.first].start)
        high = bisect_left(starts, sieve.paragraphs[self.last].end)
        self.in_paragraph = {mention.character for mention in narrated[low:high]}

    def may_stay(self, character: int) -> bool:
        """Return False for a rarely described character who is not in this conversation."""
        if character not in self.book.rarely_described:
            return True
        return self.book.conversations[self.turn] in self.book.stays[character]

    def evidence(self, character: int) -> NDArray[np.float32]:
        """Return the features of a candidate that do not depend on guesses (EVIDENCE,)."""
        if character not in self._evidence:
            self._evidence[character] = np.array(list(self._own(character)), np.float32)
        return self._evidence[character]

    def _own(self, character: int) -> Iterator[float]:
        """Yield the features of one candidate."""
        sieve, book, cue = self.sieve, self.book, self.cue
        explicit = cue.kind is QuoteKind.EXPLICIT
        yield from (
            explicit and cue.character == character,
            explicit and cue.character not in (None, character),
            explicit and cue.character is None,
            not explicit and cue.character == character,
            not explicit and cue.character not in (None, character),
        )
        gender = sieve.cast[character].gender
        is_gendered = cue.gender is not Gender.UNKNOWN
        yield from (
            is_gendered and gender is cue.gender,
            is_gendered and gender is Gender.UNKNOWN,
            is_gendered and gender not in (cue.gender, Gender.UNKNOWN),
            gender is Gender.FEMALE,
            gender is Gender.MALE,
        )
        yield from self._named_before(character)
        yield from self._named_after(character)
        yield from (
            self.in_paragraph == {character},
            character in self.in_paragraph and len(self.in_paragraph) > 1,
            min(self.recent[character], 5) / 5,
            character in book.addressees[self.number],
            character in sieve.named_in[self.number],
            character in self.addressed_before,
            character in self.addressed_after,
            character in self.addressed_earlier,
            bool(self.addressed_before) and character not in self.addressed_before,
            math.log1p(book.mention_counts[character]) / book.log_most,
            book.rank.get(character, MOST) == 0,
            book.rank.get(character, MOST) < 4,
            math.log1p(book.cue_counts[character]) / 5,
            character == self.narrator,
        )

    def _named_before(self, character: int) -> Iterator[float]:
        at = self.before.get(character)
        if at is None:
            # As many features as below; 1.2 is a name 49,000 characters away.
            yield from (0, 1.2, *[0] * 22)
            return
        mention, rank = self.sieve.narrated[at], self.order[character]
        apart = self.first - self.book.paragraph_of[at]
        opens = self.sieve.is_subject(mention)
        yield from (
            1,
            math.log1p(self.span.start - mention.span.start) / 9,
            rank == 0,
            rank == 1,
            rank == 2,
            rank > 2,
            apart == 0,
            apart == 1,
            apart == 2,
            3 <= apart < 6,
            opens,
            opens and apart == 0,
            opens and apart == 1,
        )
        role = self.book.roles[at]
        between = self.sieve.text[mention.span.end : self.span.start][: READ + 1]
        near = len(between) <= READ
        sentences = len(_SENTENCE.findall(between)) if near else 9
        pronoun = _PRONOUN.get(self.sieve.cast[character].gender)
        pronouns = len(pronoun.findall(between)) if near and pronoun else 0
        yield from (
            *role,
            min(sentences, 9) / 9,
            sentences == 0,
            sentences == 1,
            min(pronouns, 4) / 4,
            apart == 0 and role[1],
            apart == 0 and role[2],
            apart == 0 and at == self.nearest,
        )

    def _named_after(self, character: int) -> Iterator[float]:
        at = self.after.get(character)
        if at is None:
            yield from (0, 1.2, *[0] * 13)
            return
        mention = self.sieve.narrated[at]
        apart = self.book.paragraph_of[at] - self.last
        opens = self.sieve.is_subject(mention)
        yield from (
            1,
            math.log1p(abs(mention.span.start - self.span.end)) / 9,
            apart <= 0,
            apart == 1,
            apart == 2,
            opens,
            opens and apart <= 0,
        )
        role = self.book.roles[at]
        between = self.sieve.text[self.span.end : mention.span.start][: READ + 1]
        yield from (
            *role,
            len(between) <= READ and len(_SENTENCE.findall(between)) <= 1,
            apart <= 0 and role[1],
            apart <= 0 and role[2],
            apart <= 0 and role[3],
        )

    def _common(self) -> Iterator[float]:
        """Yield the features of the quotation, the same for all candidates."""
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
        narration = self.book.narration
        for subject in narration.slots[self.number]:
            yield subject is not None
            yield subject is not None and narration.is_name(subject)
        for step in (-1, 1):
            yield self._scene(self.turn + step) != self.scene
        yield self.says_pronoun
        yield self.says_i

    def _between(self) -> Iterator[float]:
        """Yield the transition features from the previous quotation, except the common ones."""
        yield self.sieve.turns[self.turn][0] != self.number
        gap = self.gaps[-1]
        yield from (gap == 0, gap == 1, gap == 2, gap == 3, gap > 3)

    def _scene(self, turn: int) -> int:
        if not 0 <= turn < len(self.sieve.turns):
            return -1
        return self.book.scenes[self.sieve.first_paragraphs[self.sieve.turns[turn][0]]]

    def _gap(self, step: int) -> int:
        """Return the largest gap, in paragraphs, between consecutive turns up to another turn."""
        sieve = self.sieve
        first, last = sorted((self.turn, self.turn + step))
        if first < 0 or last >= len(sieve.turns):
            return 99
        return max(sieve.count_gap(turn) for turn in range(first, last))


def _groups(sizes: Mapping[str, int]) -> dict[str, slice]:
    ends = accumulate(sizes.values())
    return {
        name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)
    }


GROUPS = _groups(
    {
        "cues": 5,  # the words next to the quotation
        "gender": 5,
        "names": (13 + 11) + (7 + 8) + 3,  # in the narration before, after and around
        "calls": 6,  # who is addressed by name
        "book": 5,  # who is named and speaks most
        "voices": speaker_language.LIKENESS,
        "focus": 6 + 2 + salience.SLOTS + 1 + 2,  # whom the narration is about
        "quotation": 3 + 8 + 5 + 2 * salience.SLOTS + 2 + 2,  # the same for all its candidates
    }
)
"""The columns of each kind of evidence."""

FEATURES = max(columns.stop for columns in GROUPS.values())
"""The number of values of a row."""

EVIDENCE, COMMON = GROUPS["voices"].start, GROUPS["quotation"].start
"""The columns at which the features that follow from guesses begin, and those of the quotation."""

BETWEEN = GROUPS["quotation"].stop - GROUPS["quotation"].start + 6
"""The number of values that relate a quotation to the previous one."""
