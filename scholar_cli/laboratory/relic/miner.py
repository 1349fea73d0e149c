"""Find the quotations of literary works in a critic.

A passage counts as quoted if a critic who names its author marks it as a quotation; its context is
prose of the critic that repeats nothing of it.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rapidfuzz import fuzz

from scholar_cli.laboratory.relic import quoted
from scholar_cli.laboratory.relic.critics import Critic, Quoting
from scholar_cli.laboratory.relic.quoted import AlignedSpan, MatchingBlock, WordRunIndex
from scholar_cli.laboratory.relic.relic_data import LONGEST, fold
from scholar_cli.laboratory.relic.texts import LiteraryWork, is_english
from scholar_indexes.books.formats import sources
from scholar_indexes.errors import NotABook
from scholar_indexes.quotations.words import grams, isin_sorted, number_words

CACHE_VERSION = 10
"""Increased with every change of the matches, so that no outdated match is read from the cache."""

SHORTEST, MOST = 10, 200
"""Words of a quotation."""

ALIKE = 85.0
"""The similarity, out of 100, from which a sentence counts as quoted whole."""

REPRINTS, SHARE, MUCH = 150, 0.1, 0.15
"""A critic with more than REPRINTS quotations of a work, or SHARE of its words, reprints it if
these are more than MUCH of the critic's own words."""

FEW, CLOSE, RETOLD = 40, 0.03, 0.65
"""A critic with more than FEW quotations of a work, more than CLOSE of its own words, retells it if
it marks less than RETOLD of them as quoted."""

MOSTLY = 0.55
"""A critic that quotes more than this share of its words has little of its own."""

AROUND = 1_500
"""Words within which a critic must name the quoted author or work, unless it names them twice as
often on average."""

LEAK, NEAR_LEAK, PASSAGE_LEAK, NEAR_WORDS = 8, 5, 4, 50
"""Words in a row that context may not share with the work, with the NEAR_WORDS around the passage,
and with the passage itself."""

FAR_WORDS, FEW_WORDS = 300, 12
"""Words around a passage that may not contain context of fewer than NEAR_LEAK words, nor, in
another spelling, context of at most FEW_WORDS."""

_REFERENCE = re.compile(
    r"\b(?:dictionary|(?:en)?cyclop\w+|anthology|handbook|concordance|gazetteer|"
    r"character sketches of|familiar quotations)\b",
    re.IGNORECASE,
)  # the paper excludes such titles (appendix A)


@dataclass(frozen=True, slots=True)
class MinedQuotation:
    """A window, with the ids of its work and its critic, and its offset in the critic."""

    work: str
    critic: str
    at: int
    start: int
    size: int
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.critic}-{self.at}"


@dataclass(frozen=True, slots=True)
class Matches:
    """The quotations of a critic, and the number of dropped ones by reason."""

    quotations: tuple[MinedQuotation, ...]
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Match:
    """Words [critic_start, critic_end) of a critic that are words [work_start, work_end) of a work.

    They cover its sentences [start, start + size); long is True if they continue after these.
    """

    work: int
    critic_start: int
    critic_end: int
    work_start: int
    work_end: int
    matched: int
    start: int
    size: int
    long: bool


class Miner:
    """An index of works that finds quotations of them by critics."""

    def __init__(self, works: Sequence[LiteraryWork], say: Callable[[str], None]) -> None:
        self._works = works
        self._say = say
        digest = hashlib.sha256()
        for work in works:
            digest.update(f"{work.id}\0{work.title}\0{work.author}\0{work.genre}\0".encode())
            digest.update(hashlib.sha256(work.text.encode("utf-8", "replace")).digest())
        self.sha256 = digest.hexdigest()

    @cached_property
    def _index(self) -> WordRunIndex:
        return WordRunIndex([work.words for work in self._works])

    @cached_property
    def copies(self) -> frozenset[int]:
        """The works that are other editions of an earlier one: it has most of their words, and
        is not much longer."""
        copies: set[int] = set()
        for number, work in enumerate(self._works):
            for other, share in sorted(self._index.shared(number).items()):
                as_long = len(work.words) > 0.5 * len(self._works[other].words)
                if other < number and other not in copies and share > 0.5 and as_long:
                    self._say(f"skipped {work.id}: it is the same work as {self._works[other].id}")
                    copies.add(number)
                    break
        return frozenset(copies)

    def matches(self, id: str, raw: bytes, title: str = "") -> Matches:
        """Return the quotations of one critic; title overrides the title in its header."""
        try:
            manuscript = sources.read(raw, id)
        except NotABook:
            return Matches((), {"critics that are no text": 1})
        if not is_english(manuscript.text, manuscript.language):
            return Matches((), {"critics not in English": 1})
        if _REFERENCE.search(title or manuscript.title):
            return Matches((), {"works of reference": 1})
        critic = Critic(id, manuscript.text)
        dropped: Counter[str] = Counter()
        by_work: dict[int, list[_Match]] = defaultdict(list)
        for match in self._unambiguous(self._candidates(critic), dropped):
            by_work[match.work].append(match)
        reprinted = self._reprinted(critic, by_work)
        quotations: list[MinedQuotation] = []
        for number, matches in by_work.items():
            if number in reprinted:
                dropped["edition or retelling"] += len(matches)
                continue
            for result in self._quotations(self._works[number], critic, matches):
                if isinstance(result, str):
                    dropped[result] += 1
                else:
                    quotations.append(result)
        return Matches(tuple(quotations), dict(dropped))

    def _candidates(self, critic: Critic) -> list[_Match]:
        matches: list[_Match] = []
        for chain in self._index.chains(critic.words):
            if chain.work in self.copies:
                continue
            work = self._works[chain.work]
            for group in quoted.groups(critic.words, critic.text, work.words, chain):
                match = _match_sentences(chain, group, work, critic)
                if match:
                    matches.append(match)
        return matches

    def _unambiguous(self, matches: Iterable[_Match], dropped: Counter[str]) -> Iterator[_Match]:
        """Yield the longest of the matches of the same words of a critic, unless another author's
        work matches nearly as many of them."""
        covering: dict[int, _Match] = {}
        longest: list[_Match] = []
        ambiguous: set[int] = set()
        for match in sorted(matches, key=lambda m: (-m.matched, m.critic_start, m.work)):
            places = range(match.critic_start, match.critic_end)
            rivals = {id(covering[at]): covering[at] for at in places if at in covering}
            if not rivals:
                longest.append(match)
                covering.update(dict.fromkeys(places, match))
            surname = self._works[match.work].surname
            ambiguous |= {
                key
                for key, rival in rivals.items()
                if self._works[rival.work].surname != surname
                and match.matched >= 0.6 * rival.matched
            }
        for match in sorted(longest, key=lambda match: match.critic_start):
            if id(match) in ambiguous:
                dropped["also in another author's work"] += 1
            else:
                yield match

    def _reprinted(self, critic: Critic, by_work: Mapping[int, Sequence[_Match]]) -> set[int]:
        """Return the works that a critic reprints or retells instead of quoting them."""
        own = len(critic.words)
        if sum(map(_matched_words, by_work.values())) > MOSTLY * own:
            return set(by_work)
        close = {
            number
            for number, matches in by_work.items()
            if len(matches) > FEW and _matched_words(matches) > CLOSE * own
        }
        reprinted = {
            number
            for number, matches in by_work.items()
            if self._is_reprint(critic, number, matches)
            or (number in close and _is_retold(critic, matches))
        }
        # a critic that retells one work retells others, though it marks more of them
        return reprinted | close if reprinted & close else reprinted

    def _is_reprint(self, critic: Critic, number: int, matches: Sequence[_Match]) -> bool:
        """Return True if a critic contains much of a work, which is much of the critic."""
        words = _matched_words(matches)
        is_much_of_work = len(matches) > REPRINTS or words > SHARE * len(self._works[number].words)
        return is_much_of_work and words > MUCH * len(critic.words)

    def _quotations(
        self, work: LiteraryWork, critic: Critic, matches: Sequence[_Match]
    ) -> Iterator[MinedQuotation | str]:
        """Yield the quotations of a work, and for any other match the reason for dropping it."""
        mentions = _author_mentions(work, critic)
        if not mentions:
            yield from ["author never named"] * len(matches)
            return
        throughout = len(mentions) * AROUND > 2 * len(critic.words)
        for match in matches:
            quoting = critic.quoting(match.critic_start, match.critic_end)
            nearest = bisect_left(mentions, match.critic_start)
            around = mentions[max(0, nearest - 1) : nearest + 1]
            if quoting is None:
                yield "in a note, a table or no chapter"
            elif not quoting.marked:
                yield "not marked as quoted"
            elif not throughout and all(abs(at - match.critic_start) > AROUND for at in around):
                yield "author not named near"
            else:
                yield self._with_context(work, critic, match, quoting) or "without context"

    def _with_context(
        self, work: LiteraryWork, critic: Critic, match: _Match, quoting: Quoting
    ) -> MinedQuotation | None:
        """Return a quotation with the critic's prose around it; None if there is no prose."""
        left, right = critic.around(quoting.span, self._leak_test(work, match))
        if match.long:
            right = ()
        if not any(len(sentence.split()) >= 4 for sentence in (*left, *right)):
            return None
        at = int(critic.words.starts[match.critic_start])
        return MinedQuotation(work.id, critic.id, at, match.start, match.size, left, right)

    def _leak_test(self, work: LiteraryWork, match: _Match) -> Callable[[str], bool]:
        """Return a test that is True for a sentence that repeats words of the work."""
        words = work.words
        near, far = (
            slice(max(0, match.work_start - margin), min(len(words), match.work_end + margin))
            for margin in (NEAR_WORDS, FAR_WORDS)
        )
        leaks = {
            size: np.unique(grams(words.numbers[near if size == NEAR_LEAK else far], size))
            for size in range(1, NEAR_LEAK + 1)
        }
        passage = np.unique(grams(words.numbers[match.work_start : match.work_end], PASSAGE_LEAK))
        surroundings = fold(work.text[words.starts[far.start] : words.ends[far.stop - 1]])

        def is_leak(sentence: str) -> bool:
            numbers = number_words(sentence).numbers
            size = min(NEAR_LEAK, len(numbers))
            if not size or isin_sorted(grams(numbers, size), leaks[size]).any():
                return True
            if isin_sorted(grams(numbers, PASSAGE_LEAK), passage).any():
                return True
            if PASSAGE_LEAK <= len(numbers) <= FEW_WORDS and (
                fuzz.partial_ratio(fold(sentence), surroundings) >= ALIKE
            ):
                return True
            run, covered = self._index.overlap(match.work, numbers)
            return run >= LEAK or 2 * covered >= len(numbers)

        return is_leak


def _matched_words(matches: Sequence[_Match]) -> int:
    return sum(match.matched for match in matches)


def _is_retold(critic: Critic, matches: Sequence[_Match]) -> bool:
    """Return True if too few of the matches are marked as quotations."""
    quotings = [critic.quoting(match.critic_start, match.critic_end) for match in matches]
    marked = sum(1 for quoting in quotings if quoting and quoting.marked)
    return marked < RETOLD * len(matches)


def _match_sentences(
    chain: AlignedSpan, group: Sequence[MatchingBlock], work: LiteraryWork, critic: Critic
) -> _Match | None:
    """Return the match of the sentences of a work that equal words cover; None if they cover too
    little of every sentence."""
    work_start, work_end = group[0].work_start, group[-1].work_start + group[-1].length
    critic_start, critic_end = group[0].critic_start, group[-1].critic_start + group[-1].length
    starts, ends = work.bounds
    first = int(np.searchsorted(ends, work_start, "right"))
    after = int(np.searchsorted(starts, work_end, "left"))
    while first < after and not _is_quoted(work, critic, group, first):
        first += 1
    while after > first and not _is_quoted(work, critic, group, after - 1):
        after -= 1
    if first >= after:
        return None
    chapters = work.sentences[first:after, 0]
    size = int(np.argmax(np.append(chapters, -1) != chapters[0]))
    lengths = np.cumsum((ends - starts)[first : first + size])
    size = min(size, LONGEST, int(np.searchsorted(lengths, MOST, "right")))
    if not size or lengths[size - 1] < SHORTEST:
        return None
    matched = sum(block.length for block in group)
    long = size < after - first
    if critic_end - chain.critic_start >= quoted.LONG:
        long = True
        critic_end, work_end = max(critic_end, chain.critic_end), max(work_end, chain.work_end)
        matched = max(matched, chain.matched)
    return _Match(
        chain.work, critic_start, critic_end, work_start, work_end, matched, first, size, long
    )


def _is_quoted(
    work: LiteraryWork, critic: Critic, group: Sequence[MatchingBlock], sentence: int
) -> bool:
    """Return True if a sentence is quoted whole, or long enough in part."""
    start, end = (int(bound[sentence]) for bound in work.bounds)
    inside = _clip(group, start, end)
    if not inside:
        return False
    lengths = [length for _, length in inside]
    equal, longest, length = sum(lengths), max(lengths), end - start
    if equal >= 0.8 * length or longest >= quoted.ENOUGH:
        return True
    if length < SHORTEST:
        return False
    if 2 * equal >= length and longest >= quoted.GRAM - 1:
        return True
    first, last = inside[0][0], inside[-1][0] + inside[-1][1] - 1
    in_critic = critic.text[int(critic.words.starts[first]) : int(critic.words.ends[last])]
    in_work = work.text[int(work.words.starts[start]) : int(work.words.ends[end - 1])]
    return fuzz.ratio(fold(in_critic), fold(in_work)) >= ALIKE


def _clip(group: Sequence[MatchingBlock], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of blocks in words [start, end) of the work: start in the critic, length."""
    return [
        (
            block.critic_start + max(0, start - block.work_start),
            min(end, block.work_start + block.length) - max(start, block.work_start),
        )
        for block in group
        if block.work_start < end and block.work_start + block.length > start
    ]


def _author_mentions(work: LiteraryWork, critic: Critic) -> list[int]:
    """Return the words at which a critic names a work's author, or the work; [] if it names neither
    the author nor, for a play or verse, the work."""
    spellings = {name for name in critic.names if _is_spelling(name, work.surname)}
    titles = critic.occurrences(work.short_title)
    if not spellings and not (work.is_verse and titles):
        return []
    names = [at for name in sorted(spellings) for at in critic.occurrences(name)]
    return sorted([*titles, *names])


def _is_spelling(name: str, surname: str) -> bool:
    """Return True if a name is a surname, or a long one spelled differently (Dostoievsky)."""
    return name == surname or (len(surname) >= 7 and fuzz.ratio(name, surname) >= ALIKE)
