"""Quotations of novels in books about them, to measure a search with.

A small miner for `scholar bench windows` alone: exact matches of eight words, joined,
with whole sentences of the critic's prose on either side. Mining as RELiC does it
(fuzzy matches, ellipses, brackets, all of its files) is another piece of work.

The data is a folder of Gutenberg texts with catalog.csv (pgid, group, author, title,
genre) and primary/ and criticism/, unpacked or as .tar.xz, with files <pgid>.txt.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
import tarfile
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection as Among
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.books import sources
from scholar_indexes.books.chapters import divide
from scholar_indexes.books.passages import sentences
from scholar_indexes.errors import NoMatch, NotABook, NotThere, UsageError
from scholar_indexes.types import Progress, Sentence, Span, silent

SPLITS = ("train", "held")
"""Novels to choose constants by, and RELiC's validation novels to report on."""

GRAM = 8
SHORTEST, LONGEST = 10, 130
"""Words of a quotation, as RELiC's candidates have them."""

GAP_HERE, GAP_THERE = 40, 60
"""Words between two matches, in the critic and in the work, that still join them."""

EDITION_QUOTATIONS = 150
EDITION_SHARE = 0.1
"""A critic with more quotations of a work, or more of its words, reprints it."""

STRETCH = 4_096
"""Words compared at a time; a longer match is found in parts that are joined."""

PER_PAIR = 20
"""Quotations of one work by one critic: no critic shall outweigh all others."""

PER_AUTHOR = 2
"""Works of one author: half of what critics of this kind quote is by Dickens."""

NEAR_GRAM = 5
NEAR_WORDS = 50
"""Context that shares so many words with the passage around the quotation repeats it."""

CONTEXT = 4
CONTEXT_WORDS = 6
"""Sentences kept on a side; the nearest one before has at least so many words."""

_TEST = {
    "austen": ("pride and prejudice", "persuasion"),
    "conrad": ("heart of darkness",),
    "fitzgerald": ("great gatsby", "tender is the night"),
}
_HELD = {
    "alcott": ("little women",),
    "austen": ("emma", "northanger abbey"),
    "bronte": ("agnes grey", "tenant of wildfell hall"),
    "cather": ("song of the lark",),
    "dickens": ("barnaby rudge", "hard times", "tale of two cities"),
    "lewis": ("arrowsmith", "babbitt", "main street"),
    "mansfield": ("garden party",),
    "stendhal": ("red and the black",),
    "stevenson": ("treasure island",),
    "tolstoy": ("anna karenina",),
    "wells": ("war of the worlds",),
    "wharton": ("ethan frome",),
}
"""RELiC's test and validation works, by surname and the beginning of their title."""

_WORD = re.compile(r"[^\W_]+")
_Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Work:
    """A novel: its text, and its sentences in reading order."""

    id: str
    title: str
    author: str
    text: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Quotation:
    """Where a work is quoted, and the critic's whole sentences on either side."""

    work_id: str
    critic_id: str
    span: Span
    left: tuple[str, ...]
    right: tuple[str, ...]

    def context(self, left: int, right: int) -> str:
        """The nearest sentences on either side as one query."""
        return " ".join((*self.left[len(self.left) - min(left, len(self.left)) :],
                         *self.right[:right]))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Collection:
    """Works, and what critics quote of them."""

    works: tuple[Work, ...]
    quotations: tuple[Quotation, ...]

    @property
    def sha256(self) -> str:
        """One hash of all texts and contexts: equal hashes, equal queries."""
        digest = hashlib.sha256()
        for work in self.works:
            digest.update(hashlib.sha256(work.text.encode()).digest())
        for each in self.quotations:
            said = [each.work_id, each.span.start, each.span.end, each.left, each.right]
            digest.update(json.dumps(said).encode())
        return digest.hexdigest()


def split_of(author: str, title: str) -> str:
    """ "test" and "held" for RELiC's test and validation works, "train" for any other."""
    surname = _surname(author)
    begins = re.sub(r"^(?:the|an?) ", "", _folded(title))
    for split, listed in (("test", _TEST), ("held", _HELD)):
        if begins.startswith(listed.get(surname, ())):
            return split
    return "train"


def collect(
    data: Path,
    *,
    split: str = "train",
    books: int = 8,
    queries: int = 40,
    seed: int = 0,
    progress: Progress = silent,
) -> Collection:
    """At most so many novels of a split, with at most so many quotations of each.

    Novels that are quoted often enough are drawn by chance, at most PER_AUTHOR of an
    author. The same folder and seed give the same collection. Raises UsageError for a
    folder or split that is none, NotThere for files that are missing, and NoMatch
    where nothing is quoted.
    """
    if split not in SPLITS:
        raise UsageError(f"there is no split {split!r}; choose {' or '.join(SPLITS)}")
    rows = _catalogue(data)
    authors = {
        row["pgid"]: row
        for row in rows
        if row["group"] == "primary" and row["genre"] == "novel"
        and split_of(row["author"], row["title"]) == split
    }  # fmt: skip
    listed = {row["pgid"] for row in rows if row["group"] == "criticism"}
    vocabulary: dict[str, int] = {}
    works = dict(_texts(data, "primary", authors, vocabulary, progress))
    critics = dict(_texts(data, "criticism", listed, vocabulary, progress))
    found = _quoted(works, critics, authors, vocabulary, seed)
    chosen = _drawn(found, authors, books, 2 * queries, seed)
    if not chosen:
        raise NoMatch(f"nothing in {data} quotes a novel of the split {split}; try another folder")
    contexts = _Contexts(critics)
    kept = []
    for done, (pgid, matches) in enumerate(chosen):
        progress("contexts", done, len(chosen))
        work = works[pgid]
        with_context = [
            Quotation(pgid, match.critic, Span(work.starts[match.there], work.ends[match.last]),
                      *context)
            for match in matches
            if (context := contexts.around(match, work))
        ]  # fmt: skip
        if len(with_context) > queries:
            with_context = random.Random(f"{seed} {pgid}").sample(with_context, queries)
        kept += sorted(with_context, key=lambda each: (each.span, each.critic_id))
    whole = tuple(
        Work(pgid, authors[pgid]["title"], authors[pgid]["author"], works[pgid].text,
             works[pgid].sentences())
        for pgid, _ in chosen
    )  # fmt: skip
    return Collection(whole, tuple(kept))


@dataclass(frozen=True, slots=True)
class _Text:
    """A text and its words: the number of each, and where it starts and ends."""

    text: str
    numbers: NDArray[np.int64]
    starts: Sequence[int]
    ends: Sequence[int]

    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(sentences(self.text, divide(self.text)))


@dataclass(frozen=True, slots=True)
class _Match:
    """Words [here, to] of a critic are words [there, last] of a work, but for gaps."""

    critic: str
    here: int
    to: int
    there: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.there + 1


def _catalogue(data: Path) -> list[dict[str, str]]:
    path = data / "catalog.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError) as refusal:
        raise UsageError(
            f"{path} cannot be read; name a folder of Gutenberg texts with catalog.csv"
        ) from refusal
    if not rows or not {"pgid", "group", "author", "title", "genre"} <= rows[0].keys():
        raise UsageError(f"{path} lacks columns; it needs pgid, group, author, title, genre")
    return rows


def _texts(
    data: Path, group: str, wanted: Among[str], vocabulary: dict[str, int], progress: Progress
) -> Iterator[tuple[str, _Text]]:
    """The texts of a group by number; what cannot be read as a book is passed over."""
    for done, (pgid, raw) in enumerate(_files(data, group, wanted)):
        progress(f"reading {group}", done, len(wanted))
        try:
            text = sources.read(raw, pgid).text
        except NotABook:
            continue
        numbers, starts, ends = array("q"), array("q"), array("q")
        for word in _WORD.finditer(text):
            numbers.append(vocabulary.setdefault(word[0].lower(), len(vocabulary)))
            starts.append(word.start())
            ends.append(word.end())
        yield pgid, _Text(text, np.array(numbers, np.int64), starts, ends)


def _files(data: Path, group: str, wanted: Among[str]) -> Iterator[tuple[str, bytes]]:
    folder, packed = data / group, data / f"{group}.tar.xz"
    if folder.is_dir():
        for path in sorted(folder.glob("*.txt")):
            if path.stem in wanted:
                yield path.stem, path.read_bytes()
    elif packed.is_file():
        try:
            with tarfile.open(packed, "r|xz") as archive:
                for member in archive:
                    pgid = Path(member.name).stem
                    if pgid in wanted and (file := archive.extractfile(member)):
                        yield pgid, file.read()
        except (tarfile.TarError, OSError, EOFError) as broken:
            raise UsageError(f"{packed} cannot be unpacked; fetch it again") from broken
    else:
        raise NotThere(f"{data} has neither {group}/ nor {group}.tar.xz; name another folder")


def _grams(numbers: NDArray[np.int64], size: int) -> _Hashes:
    """A hash of every run of so many words; unsigned arithmetic wraps around."""
    count = len(numbers) - size + 1
    hashes = np.zeros(max(count, 0), np.uint64)
    for offset in range(size if count > 0 else 0):
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes += numbers[offset : offset + count].astype(np.uint64) + np.uint64(1)
    return hashes


def _among(hashes: _Hashes, known: _Hashes) -> NDArray[np.bool_]:
    """Which hashes are among known ones, which ascend."""
    if not len(known):
        return np.zeros(len(hashes), np.bool_)
    at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    found: NDArray[np.bool_] = known[at] == hashes
    return found


def _quoted(
    works: Mapping[str, _Text],
    critics: Mapping[str, _Text],
    authors: Mapping[str, Mapping[str, str]],
    vocabulary: Mapping[str, int],
    seed: int,
) -> dict[str, list[_Match]]:
    """For each work what is quoted of it, each passage and critic's choice once."""
    by_critic = {pgid: _grams(critic.numbers, GRAM) for pgid, critic in critics.items()}
    quotable = np.unique(np.concatenate([np.zeros(0, np.uint64), *by_critic.values()]))
    places: dict[int, tuple[str, int] | None] = {}
    for pgid, work in works.items():
        hashes = _grams(work.numbers, GRAM)
        for at in np.flatnonzero(_among(hashes, quotable)):
            # What stands in two places says nothing about which one is quoted.
            gram = int(hashes[at])
            places[gram] = None if gram in places else (pgid, int(at))
    known = np.array(sorted(gram for gram, place in places.items() if place), np.uint64)

    surnames = {pgid: _surname(authors[pgid]["author"]) for pgid in works}
    words = list(vocabulary)
    found: dict[str, list[_Match]] = defaultdict(list)
    for critic_id, critic in critics.items():
        hashes = by_critic[critic_id]
        hits = [(int(at), places[int(hashes[at])]) for at in np.flatnonzero(_among(hashes, known))]
        joined = _joined(list(_matches(critic_id, critic, works, hits)))
        named = {_folded(words[number]) for number in np.unique(critic.numbers)} if joined else ()
        for pgid, matches in joined.items():
            share = sum(match.length for match in matches) / len(works[pgid].numbers)
            if (
                surnames[pgid] not in named
                or len(matches) > EDITION_QUOTATIONS
                or share > EDITION_SHARE
            ):
                continue
            fitting = [match for match in matches if SHORTEST <= match.length <= LONGEST]
            if len(fitting) > PER_PAIR:
                fitting = random.Random(f"{seed} {pgid} {critic_id}").sample(fitting, PER_PAIR)
            found[pgid] += fitting
    return found


def _matches(
    critic_id: str,
    critic: _Text,
    works: Mapping[str, _Text],
    hits: Iterable[tuple[int, tuple[str, int] | None]],
) -> Iterator[tuple[str, _Match]]:
    """Equal words of a critic and a work, as many as follow one another."""
    behind = 0
    for here, place in hits:
        if here < behind or place is None:
            continue
        pgid, there = place
        ours = critic.numbers[here : here + STRETCH]
        theirs = works[pgid].numbers[there : there + STRETCH]
        room = min(len(ours), len(theirs))
        different = np.flatnonzero(ours[:room] != theirs[:room])
        length = int(different[0]) if len(different) else room
        if length >= GRAM:
            yield pgid, _Match(critic_id, here, here + length - 1, there, there + length - 1)
            behind = here + length


def _joined(matches: Sequence[tuple[str, _Match]]) -> dict[str, list[_Match]]:
    """Matches that follow one another closely in both texts become one, work by work."""
    joined: dict[str, list[_Match]] = defaultdict(list)
    for pgid, match in matches:
        if joined[pgid]:
            last = joined[pgid][-1]
            if (
                0 < match.here - last.to <= GAP_HERE
                and 0 < match.there - last.last <= GAP_THERE
            ):  # fmt: skip
                joined[pgid][-1] = _Match(match.critic, last.here, match.to, last.there, match.last)
                continue
        joined[pgid].append(match)
    return joined


def _drawn(
    found: Mapping[str, list[_Match]],
    authors: Mapping[str, Mapping[str, str]],
    books: int,
    enough: int,
    seed: int,
) -> list[tuple[str, list[_Match]]]:
    """Works with enough quotations first, by chance among equals."""
    order = sorted(pgid for pgid, matches in found.items() if matches)
    random.Random(seed).shuffle(order)
    order.sort(key=lambda pgid: -min(len(found[pgid]), enough))
    drawn: list[str] = []
    of_author: Counter[str] = Counter()
    for pgid in order:
        surname = _surname(authors[pgid]["author"])
        if of_author[surname] < PER_AUTHOR and len(drawn) < books:
            of_author[surname] += 1
            drawn.append(pgid)
    return [(pgid, found[pgid]) for pgid in sorted(drawn)]


class _Contexts:
    """The sentences of critics around their quotations, divided once per critic."""

    def __init__(self, critics: Mapping[str, _Text]) -> None:
        self._critics = critics
        self._divided: dict[str, tuple[Sentence, ...]] = {}
        self._grams: dict[int, frozenset[int]] = {}

    def around(
        self, match: _Match, work: _Text
    ) -> tuple[tuple[str, ...], tuple[str, ...]] | None:  # fmt: skip
        """Whole sentences of the same chapter before and after that repeat nothing of
        the work; None where there is too little before."""
        critic = self._critics[match.critic]
        if match.critic not in self._divided:
            self._divided[match.critic] = critic.sentences()
        divided = self._divided[match.critic]
        start, end = critic.starts[match.here], critic.ends[match.to]
        before = bisect_right(divided, start, key=lambda each: each.span.end)
        after = bisect_left(divided, end, key=lambda each: each.span.start)
        inside = divided[before:after]
        if not inside:
            return None
        near = work.numbers[max(0, match.there - NEAR_WORDS) : match.last + 1 + NEAR_WORDS]
        repeats = frozenset(_grams(near, NEAR_GRAM).tolist())
        if id(work) not in self._grams:
            self._grams[id(work)] = frozenset(_grams(work.numbers, GRAM).tolist())

        def clean(at: int, chapter: int) -> str | None:
            sentence = divided[at]
            if sentence.chapter != chapter:
                return None
            first = bisect_left(critic.starts, sentence.span.start)
            last = bisect_left(critic.starts, sentence.span.end)
            numbers = critic.numbers[first:last]
            if not self._grams[id(work)].isdisjoint(_grams(numbers, GRAM).tolist()):
                return None
            if not repeats.isdisjoint(_grams(numbers, NEAR_GRAM).tolist()):
                return None
            return " ".join(sentence.span.of(critic.text).split())

        def kept(positions: Iterable[int], chapter: int) -> list[str]:
            found = (clean(at, chapter) for at in positions)
            return [sentence for sentence in found if sentence]

        left = kept(range(max(0, before - CONTEXT), before), inside[0].chapter)
        right = kept(range(after, min(len(divided), after + CONTEXT)), inside[-1].chapter)
        if not left or len(left[-1].split()) < CONTEXT_WORDS:
            return None
        return tuple(left), tuple(right)


def _surname(author: str) -> str:
    """The last word of a name, without accents: "charlotte brontë" is a bronte."""
    return (_folded(author).split() or [""])[-1]


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return " ".join(re.findall(r"[a-z0-9]+", plain))
