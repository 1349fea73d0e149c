"""What one critic quotes of which works.

A passage counts as quoted where a critic who names its author marks it as a quotation;
what is around it is prose of the critic that repeats nothing of it.
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

from scholar_cli.bench.relic_form import LONGEST, folded
from scholar_cli.train import quoted
from scholar_cli.train.critics import Critic, Quoting
from scholar_cli.train.quoted import Block, Chain, Index
from scholar_cli.train.texts import Work, is_english
from scholar_indexes.books import sources
from scholar_indexes.errors import NotABook

RULES = 10
"""Raised with every change of what is found, so that no old match is taken for a new one."""

SHORTEST, MOST = 10, 200
"""Words of a quotation."""

ALIKE = 85.0
"""Similarity, of 100, from which a sentence counts as quoted whole."""

REPRINTS, SHARE, MUCH = 150, 0.1, 0.15
"""A critic with more quotations of a work, or more of its words, reprints it where these are
MUCH of its own words."""

FEW, CLOSE, RETOLD = 40, 0.03, 0.65
"""A critic with more than FEW quotations of a work, CLOSE of its own words, retells it where
it marks less than RETOLD of them as quoted."""

MOSTLY = 0.55
"""A critic that quotes more than this share of its words has little of its own."""

AROUND = 1_500
"""Words within which a critic names the author or the work that is quoted, unless twice as
often on the whole."""

LEAK, NEAR_LEAK, PASSAGE_LEAK, NEAR_WORDS = 8, 5, 4, 50
"""Words in a row that context may not share with the work, with what stands so near to the
passage, and with the passage itself."""

FAR_WORDS, FEW_WORDS = 300, 12
"""Words around a passage in which context of less than NEAR_LEAK words may not stand, nor
context of at most FEW_WORDS in another spelling."""

_REFERENCE = re.compile(
    r"\b(?:dictionary|(?:en)?cyclop\w+|anthology|handbook|concordance|gazetteer|"
    r"character sketches of|familiar quotations)\b",
    re.IGNORECASE,
)  # the paper leaves out such titles (appendix A)


@dataclass(frozen=True, slots=True)
class Quotation:
    """A window, with the id of its work and where it starts in which critic."""

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
    """What a critic quotes, and how much was dropped for which reason."""

    quotations: tuple[Quotation, ...]
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """Words [here, to) of a critic that are words [there, last) of a work.

    They amount to its sentences [start, start + size); long is whether they go on.
    """

    work: int
    here: int
    to: int
    there: int
    last: int
    matched: int
    start: int
    size: int
    long: bool


class Miner:
    """What the works are, ready to be looked for in critics."""

    def __init__(self, works: Sequence[Work], say: Callable[[str], None]) -> None:
        self._works = works
        self._say = say
        digest = hashlib.sha256()
        for each in works:
            digest.update(f"{each.id}\0{each.title}\0{each.author}\0{each.genre}\0".encode())
            digest.update(hashlib.sha256(each.text.encode("utf-8", "replace")).digest())
        self.sha256 = digest.hexdigest()

    @cached_property
    def _index(self) -> Index:
        return Index([each.words for each in self._works])

    @cached_property
    def copies(self) -> frozenset[int]:
        """Works that stand in an earlier one and are as long: other editions of it."""
        copies: set[int] = set()
        for number, work in enumerate(self._works):
            for other, share in sorted(self._index.shared(number).items()):
                as_long = len(work.words) > 0.5 * len(self._works[other].words)
                if other < number and other not in copies and share > 0.5 and as_long:
                    self._say(f"left out {work.id}: it is the same work as {self._works[other].id}")
                    copies.add(number)
                    break
        return frozenset(copies)

    def matches(self, id: str, raw: bytes, title: str = "") -> Matches:
        """What one critic quotes; title where it is known better than from its header."""
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
        by_work: dict[int, list[_Found]] = defaultdict(list)
        for found in self._unambiguous(self._found(critic), dropped):
            by_work[found.work].append(found)
        reprinted = self._reprinted(critic, by_work)
        quotations: list[Quotation] = []
        for number, several in by_work.items():
            if number in reprinted:
                dropped["edition or retelling"] += len(several)
                continue
            for result in self._quotations(self._works[number], critic, several):
                if isinstance(result, str):
                    dropped[result] += 1
                else:
                    quotations.append(result)
        return Matches(tuple(quotations), dict(dropped))

    def _found(self, critic: Critic) -> list[_Found]:
        found: list[_Found] = []
        for chain in self._index.chains(critic.words):
            if chain.work in self.copies:
                continue
            work = self._works[chain.work]
            for group in quoted.groups(critic.words, critic.text, work.words, chain):
                each = _sentences_of(chain, group, work, critic)
                if each:
                    found.append(each)
        return found

    def _unambiguous(self, found: Iterable[_Found], dropped: Counter[str]) -> Iterator[_Found]:
        """The longest of what covers the same words of a critic, unless another author's
        work has nearly as many of them."""
        covered: dict[int, _Found] = {}
        taken: list[_Found] = []
        shared: set[int] = set()
        for each in sorted(found, key=lambda each: (-each.matched, each.here, each.work)):
            places = range(each.here, each.to)
            rivals = {id(covered[at]): covered[at] for at in places if at in covered}
            if not rivals:
                taken.append(each)
                covered.update(dict.fromkeys(places, each))
            surname = self._works[each.work].surname
            shared |= {
                key
                for key, rival in rivals.items()
                if self._works[rival.work].surname != surname
                and each.matched >= 0.6 * rival.matched
            }
        for each in sorted(taken, key=lambda each: each.here):
            if id(each) in shared:
                dropped["also in another author's work"] += 1
            else:
                yield each

    def _reprinted(self, critic: Critic, by_work: Mapping[int, Sequence[_Found]]) -> set[int]:
        """The works that a critic reprints or retells instead of quoting them."""
        words = {number: sum(each.matched for each in found) for number, found in by_work.items()}
        if sum(words.values()) > MOSTLY * len(critic.words):
            return set(by_work)
        closely: set[int] = set()
        reprinted: set[int] = set()
        for number, found in by_work.items():
            quotings = [critic.quoting(each.here, each.to) for each in found]
            marked = sum(1 for each in quotings if each and each.marked)
            if len(found) > FEW and words[number] > CLOSE * len(critic.words):
                closely.add(number)
                if marked < RETOLD * len(found):
                    reprinted.add(number)
            much = len(found) > REPRINTS or words[number] > SHARE * len(self._works[number].words)
            if much and words[number] > MUCH * len(critic.words):
                reprinted.add(number)
        # Who retells one work retells others, if with more marks.
        return reprinted | closely if reprinted & closely else reprinted

    def _quotations(
        self, work: Work, critic: Critic, found: Sequence[_Found]
    ) -> Iterator[Quotation | str]:
        """What a critic quotes of a work, and for anything else why it is none."""
        named = _named(work, critic)
        if not named:
            yield from ["author never named"] * len(found)
            return
        quotings = [critic.quoting(each.here, each.to) for each in found]
        throughout = len(named) * AROUND > 2 * len(critic.words)
        for each, quoting in zip(found, quotings, strict=True):
            nearest = bisect_left(named, each.here)
            around = named[max(0, nearest - 1) : nearest + 1]
            if quoting is None:
                yield "in a note, a table or no chapter"
            elif not quoting.marked:
                yield "not marked as quoted"
            elif not throughout and all(abs(at - each.here) > AROUND for at in around):
                yield "author not named near"
            else:
                yield self._with_context(work, critic, each, quoting) or "without context"

    def _with_context(
        self, work: Work, critic: Critic, found: _Found, quoting: Quoting
    ) -> Quotation | None:
        """A quotation with the critic's prose around it, where there is any."""
        words = work.words
        near, far = (
            slice(max(0, found.there - margin), min(len(words), found.last + margin))
            for margin in (NEAR_WORDS, FAR_WORDS)
        )
        leaks = {
            size: np.unique(quoted.grams(words.numbers[near if size == NEAR_LEAK else far], size))
            for size in range(1, NEAR_LEAK + 1)
        }
        passage = np.unique(quoted.grams(words.numbers[found.there : found.last], PASSAGE_LEAK))
        surroundings = folded(work.text[words.starts[far.start] : words.ends[far.stop - 1]])

        def is_leak(sentence: str) -> bool:
            said = quoted.words(sentence).numbers
            size = min(NEAR_LEAK, len(said))
            if not size or quoted.known(quoted.grams(said, size), leaks[size]).any():
                return True
            if quoted.known(quoted.grams(said, PASSAGE_LEAK), passage).any():
                return True
            if PASSAGE_LEAK <= len(said) <= FEW_WORDS and (
                fuzz.partial_ratio(folded(sentence), surroundings) >= ALIKE
            ):
                return True
            run, covered = self._index.stand_in(found.work, said)
            return run >= LEAK or 2 * covered >= len(said)

        left, right = critic.around(quoting.span, is_leak)
        if found.long:
            right = ()
        if not any(len(sentence.split()) >= 4 for sentence in (*left, *right)):
            return None
        at = int(critic.words.starts[found.here])
        return Quotation(work.id, critic.id, at, found.start, found.size, left, right)


def _sentences_of(
    chain: Chain, group: Sequence[Block], work: Work, critic: Critic
) -> _Found | None:
    """The sentences of a work that equal words amount to; None for too little of any."""
    there, last = group[0].there, group[-1].there + group[-1].length
    here, to = group[0].here, group[-1].here + group[-1].length
    starts, ends = work.bounds
    first = int(np.searchsorted(ends, there, "right"))
    after = int(np.searchsorted(starts, last, "left"))
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
    if to - chain.here >= quoted.LONG:
        long, to, last = True, max(to, chain.to), max(last, chain.last)
        matched = max(matched, chain.matched)
    return _Found(chain.work, here, to, there, last, matched, first, size, long)


def _is_quoted(work: Work, critic: Critic, group: Sequence[Block], sentence: int) -> bool:
    """Whether a sentence is quoted whole, or long enough in part."""
    start, end = (int(bound[sentence]) for bound in work.bounds)
    inside = [
        (block.here + max(0, start - block.there),
         min(end, block.there + block.length) - max(start, block.there))
        for block in group
        if block.there < end and block.there + block.length > start
    ]  # fmt: skip
    if not inside:
        return False
    equal, longest, length = sum(n for _, n in inside), max(n for _, n in inside), end - start
    if equal >= 0.8 * length or longest >= quoted.ENOUGH:
        return True
    if length < SHORTEST:
        return False
    if 2 * equal >= length and longest >= quoted.GRAM - 1:
        return True
    here, to = inside[0][0], inside[-1][0] + inside[-1][1]
    ours = critic.text[int(critic.words.starts[here]) : int(critic.words.ends[to - 1])]
    theirs = work.text[int(work.words.starts[start]) : int(work.words.ends[end - 1])]
    return fuzz.ratio(folded(ours), folded(theirs)) >= ALIKE


def _named(work: Work, critic: Critic) -> list[int]:
    """The words at which a critic names a work's author, or the work; none where it names
    neither the author nor, if it is a play or verse, the work."""
    spelled = {name for name in critic.names if _is_spelling(name, work.surname)}
    titles = critic.said(work.short_title)
    if not spelled and not (work.is_verse and titles):
        return []
    return sorted([*titles, *(at for name in sorted(spelled) for at in critic.said(name))])


def _is_spelling(name: str, surname: str) -> bool:
    """Whether a name is a surname, or a long one spelled differently (Dostoievsky)."""
    return name == surname or (len(surname) >= 7 and fuzz.ratio(name, surname) >= ALIKE)
