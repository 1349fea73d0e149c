"""Mining what critics quote of literary works, in RELiC's own form.

As Thai et al. 2022 do it (section 2.1 and appendix A), from a folder of Gutenberg texts
(scholar_cli.train.texts). A passage counts as quoted where a critic who names its author
marks it as a quotation; what is around it is prose of the critic that repeats nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz

from scholar_cli.bench import relic_form
from scholar_cli.bench.relic_form import LONGEST, Window, folded
from scholar_cli.train import quoted
from scholar_cli.train import texts as folder_of_texts
from scholar_cli.train.critics import Critic, Quoting
from scholar_cli.train.quoted import Block, Chain, Index
from scholar_cli.train.texts import Work
from scholar_indexes.books import sources
from scholar_indexes.errors import NoMatch, NotABook, NotThere
from scholar_indexes.types import Progress

RULES = 7
"""Raised with every change of what is found, so that no old match is taken for a new one."""

SHORTEST, MOST = 10, 200
"""Words of a quotation."""

ALIKE = 85.0
"""Similarity, of 100, from which a sentence counts as quoted whole."""

REPRINTS, SHARE = 150, 0.1
"""A critic with more quotations of a work, or more of its words, may reprint or retell it."""

MOSTLY = 0.55
"""A critic that quotes more than this share of its words has little of its own."""

FEW, RETOLD, CLOSE, MUCH = 40, 0.65, 0.03, 0.15
"""A critic with more than FEW passages of a work, CLOSE of its own words, retells it if it
marks less than RETOLD of them as quoted; with MUCH of its own words it reprints it."""

PER_PAIR = 60
"""Quotations of one work by one critic: no critic shall outweigh all others."""

AROUND = 1_500
"""Words within which a critic names the author or the work that is quoted, unless twice as
often on the whole."""

LEAK, NEAR_LEAK, PASSAGE_LEAK, NEAR_WORDS = 8, 5, 4, 50
"""Words in a row that context may not share with the work, with what stands so near to the
passage, and with the passage itself."""

FAR_WORDS = 300
"""Words around a passage in which context of less than NEAR_LEAK words may not stand."""

SEED = 0

_REFERENCE = re.compile(
    r"\b(?:dictionary|(?:en)?cyclop\w+|anthology|handbook|concordance|gazetteer|"
    r"character sketches of|familiar quotations)\b",
    re.IGNORECASE,
)  # the paper leaves out such titles (appendix A)


@dataclass(frozen=True, slots=True)
class Mined:
    """What was mined: windows by split, and what was left out by reason."""

    folder: Path
    critics: int
    works: int
    windows: Mapping[str, int]
    dropped: Mapping[str, int]


def mine(texts: Path, out: Path, *, progress: Progress, say: Callable[[str], None]) -> Mined:
    """Write train.json, val.json and test.json of what the critics in a folder quote.

    Matches are kept in out/matched, one file a critic, so that a run that was interrupted
    goes on where it stopped; the same texts give the same files. say hears in one line of
    every text that is left out. Raises UsageError for a file that cannot be read, NotThere
    for texts that are missing, and NoMatch where nothing is quoted.
    """
    rows = folder_of_texts.catalogue(texts)
    works = folder_of_texts.works(texts, rows, progress=progress, say=say)
    found, dropped, critics = _matched(texts, out, works, rows, progress, say)
    kept = _drawn(_once(found, dropped), dropped)
    if not kept:
        raise NoMatch(
            f"no critic in {texts} quotes a work in it; add criticism of these works, or these "
            "critics' works"
        )
    windows = _written(out, works, kept, progress)
    quoted_works = len({each.work for each in kept})
    return Mined(out, critics, quoted_works, windows, dict(dropped.most_common()))


@dataclass(frozen=True, slots=True)
class _Quotation:
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
class _Matches:
    """What a critic quotes, and how much was dropped for which reason."""

    quotations: tuple[_Quotation, ...]
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


def _matched(
    texts: Path,
    out: Path,
    works: Sequence[Work],
    rows: folder_of_texts.Catalogue,
    progress: Progress,
    say: Callable[[str], None],
) -> tuple[list[_Quotation], Counter[str], int]:
    """What every critic quotes, stored or found; what was dropped; how many critics."""
    total, critics = folder_of_texts.count(texts, "criticism"), 0
    found: list[_Quotation] = []
    dropped: Counter[str] = Counter()
    miner = _Miner(works, say)
    for id, raw in folder_of_texts.files(texts, "criticism"):
        progress("critics", critics, total)
        title = rows.get(("criticism", id), {}).get("title") or ""
        key = hashlib.sha256(f"{RULES} {miner.sha256} {title} ".encode() + raw).hexdigest()
        path = out / "matched" / f"{id}-{key[:16]}.json"
        matches = _stored(path)
        if matches is None:
            matches = miner.matches(id, raw, title)
            _store(path, matches)
        found += matches.quotations
        dropped.update(matches.dropped)
        critics += 1
    progress("critics", critics, total)
    if not critics:
        raise NotThere(f"{texts / 'criticism'} holds no criticism; put texts <id>.txt there")
    return found, dropped, critics


class _Miner:
    """What the works are, ready to be looked for in critics."""

    def __init__(self, works: Sequence[Work], say: Callable[[str], None]) -> None:
        self._index = Index([each.words for each in works])
        self._works = works
        self._copies = self._copied(say)
        digest = hashlib.sha256()
        for each in works:
            digest.update(f"{each.id}\0{each.title}\0{each.author}\0{each.genre}\0".encode())
            digest.update(hashlib.sha256(each.text.encode("utf-8", "replace")).digest())
        self.sha256 = digest.hexdigest()

    def _copied(self, say: Callable[[str], None]) -> frozenset[int]:
        """Works that stand in an earlier one and are as long: other editions of it."""
        copies: set[int] = set()
        for number, work in enumerate(self._works):
            for other, share in self._index.shared(number).items():
                longer = len(self._works[other].words)
                alike = share > 0.5 and len(work.words) > 0.5 * longer
                if alike and other < number and other not in copies:
                    say(f"left out {work.id}: it is the same work as {self._works[other].id}")
                    copies.add(number)
                    break
        return frozenset(copies)

    def matches(self, id: str, raw: bytes, title: str = "") -> _Matches:
        """What one critic quotes; title where it is known better than from its header."""
        try:
            manuscript = sources.read(raw, id)
        except NotABook:
            return _Matches((), {"critics that are no text": 1})
        if not folder_of_texts.is_english(manuscript.text, manuscript.language):
            return _Matches((), {"critics not in English": 1})
        if _REFERENCE.search(title or manuscript.title):
            return _Matches((), {"works of reference": 1})
        critic = Critic(id, manuscript.text)
        dropped: Counter[str] = Counter()
        by_work: dict[int, list[_Found]] = defaultdict(list)
        for found in self._unambiguous(self._found(critic), dropped):
            by_work[found.work].append(found)
        quoted_words = sum(each.matched for several in by_work.values() for each in several)
        share = quoted_words / max(1, len(critic.words))
        quotations: list[_Quotation] = []
        for number, several in by_work.items():
            for result in self._quotations(self._works[number], critic, several, share):
                if isinstance(result, str):
                    dropped[result] += 1
                else:
                    quotations.append(result)
        return _Matches(tuple(quotations), dict(dropped))

    def _found(self, critic: Critic) -> list[_Found]:
        found: list[_Found] = []
        for chain in self._index.chains(critic.words):
            if chain.work in self._copies:
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

    def _quotations(
        self, work: Work, critic: Critic, found: Sequence[_Found], share: float
    ) -> Iterator[_Quotation | str]:
        """What a critic quotes of a work, and for anything else why it is none.

        share is how much of the critic's words are words of any work.
        """
        named = _named(work, critic)
        if not named:
            yield from ["author never named"] * len(found)
            return
        quotings = [critic.quoting(each.here, each.to) for each in found]
        marked = sum(1 for each in quotings if each and each.marked)
        if _is_reprint(work, critic, found, marked, share):
            yield from ["edition or retelling"] * len(found)
            return
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
    ) -> _Quotation | None:
        """A quotation with the critic's prose around it, where there is any."""
        numbers, near, far = work.words.numbers, NEAR_WORDS, FAR_WORDS
        nearby = numbers[max(0, found.there - near) : found.last + near]
        leaks = {
            size: np.unique(
                quoted.grams(numbers[max(0, found.there - far) : found.last + far], size)
            )
            for size in range(1, NEAR_LEAK)
        }
        leaks[NEAR_LEAK] = np.unique(quoted.grams(nearby, NEAR_LEAK))
        passage = np.unique(quoted.grams(numbers[found.there : found.last], PASSAGE_LEAK))

        def is_leak(sentence: str) -> bool:
            said = quoted.words(sentence).numbers
            size = min(NEAR_LEAK, len(said))
            if not size or quoted.known(quoted.grams(said, size), leaks[size]).any():
                return True
            if quoted.known(quoted.grams(said, PASSAGE_LEAK), passage).any():
                return True
            run, covered = self._index.stand_in(found.work, said)
            return run >= LEAK or 2 * covered >= len(said)

        left, right = critic.around(quoting.span, is_leak)
        if found.long:
            right = ()
        if not any(len(sentence.split()) >= 4 for sentence in (*left, *right)):
            return None
        at = int(critic.words.starts[found.here])
        return _Quotation(work.id, critic.id, at, found.start, found.size, left, right)


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
    if chain.to - chain.here > quoted.LONG:
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


def _is_reprint(
    work: Work, critic: Critic, found: Sequence[_Found], marked: int, share: float
) -> bool:
    """Whether a critic reprints or retells a work instead of quoting it.

    marked counts what is marked as quoted; share is how much of the critic's words are
    words of any work.
    """
    words = sum(each.matched for each in found)
    retold = marked < RETOLD * len(found) and words > CLOSE * len(critic.words)
    if len(found) > REPRINTS or words > SHARE * len(work.words):
        return retold or words > MUCH * len(critic.words) or share > MOSTLY
    return share > MOSTLY or (retold and len(found) > FEW)


def _once(quotations: Iterable[_Quotation], dropped: Counter[str]) -> list[_Quotation]:
    """Each quotation, and what is said about it, once."""
    seen: set[tuple[str, ...]] = set()
    kept: list[_Quotation] = []
    for each in sorted(quotations, key=lambda each: (each.critic, each.at, each.work)):
        nearest = (folded(" ".join(each.left[-1:])), folded(" ".join(each.right[:1])))
        keys = {(each.work, str(each.start), str(each.size), *nearest)}
        if sum(len(side.split()) for side in nearest) >= SHORTEST:
            keys.add(("", "", "", *nearest))  # fewer words are said twice without a reprint
        if seen & keys:
            dropped["duplicate"] += 1
        else:
            seen |= keys
            kept.append(each)
    return kept


def _drawn(quotations: Iterable[_Quotation], dropped: Counter[str]) -> list[_Quotation]:
    """At most PER_PAIR quotations of one work by one critic."""
    pairs: dict[tuple[str, str], list[_Quotation]] = defaultdict(list)
    for each in quotations:
        pairs[each.work, each.critic].append(each)
    kept: list[_Quotation] = []
    for (work, critic), several in sorted(pairs.items()):
        if len(several) > PER_PAIR:
            dropped["more than enough by one critic"] += len(several) - PER_PAIR
            several = random.Random(f"{SEED} {work} {critic}").sample(several, PER_PAIR)
        kept += sorted(several, key=lambda each: each.at)
    return kept


def _written(
    out: Path, works: Sequence[Work], quotations: Iterable[_Quotation], progress: Progress
) -> dict[str, int]:
    """Write the three files; how many windows each of them has."""
    by_work: dict[str, list[_Quotation]] = defaultdict(list)
    for each in quotations:
        by_work[each.work].append(each)
    by_split: dict[str, list[Work]] = {split: [] for split in relic_form.SPLITS}
    for work in works:
        if work.id in by_work:
            by_split[relic_form.split_of(work.author, work.title)].append(work)
    counted = Counter(f"{work.title} ({work.author})" for work in works)
    windows: dict[str, int] = {}
    for done, (split, several) in enumerate(by_split.items()):
        progress("writing", done, len(by_split))
        formed = []
        for work in several:
            title = f"{work.title} ({work.author})"
            title = f"{title} [{work.id}]" if counted[title] > 1 else title
            formed.append(_formed(work, title, by_work[work.id]))
        relic_form.write(out, split, formed)
        windows[split] = sum(len(each.windows) for each in formed)
    progress("writing", len(by_split), len(by_split))
    return windows


def _formed(work: Work, title: str, quotations: Iterable[_Quotation]) -> relic_form.Work:
    chapters = work.sentences[:, 0]
    numbers = list(range(len(chapters)))
    candidates = {
        size: tuple(compress(numbers, chapters[: len(chapters) - size + 1] == chapters[size - 1 :]))
        for size in range(1, LONGEST + 1)
    }
    return relic_form.Work(
        title,
        tuple(" ".join(work.text[start:end].split()) for _, start, end in work.sentences.tolist()),
        tuple(Window(each.id, each.left, each.start, each.size, each.right) for each in quotations),
        candidates,
    )


def _stored(path: Path) -> _Matches | None:
    """A critic's matches of an earlier run; None where there are none that can be read."""
    try:
        form = json.loads(path.read_text("utf-8"))
        quotations = tuple(
            _Quotation(work, critic, at, start, size, tuple(left), tuple(right))
            for work, critic, at, start, size, left, right in form["quotations"]
        )
        return _Matches(quotations, form["dropped"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store(path: Path, matches: _Matches) -> None:
    """Write a critic's matches, whole or not at all."""
    quotations = [
        [each.work, each.critic, each.at, each.start, each.size, each.left, each.right]
        for each in matches.quotations
    ]
    form = {"quotations": quotations, "dropped": dict(matches.dropped)}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(form, ensure_ascii=False), "utf-8")
    os.replace(unfinished, path)
