"""Where a book names its characters."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholar_indexes.types import Character, Span

ABBREVIATED = frozenset(
    "mr mrs messrs dr rev revd st capt col gen lieut lt maj sergt sgt prof hon mme mlle "
    "mons".split()
)
"""Words before a name that may end in a full stop, folded."""

RANKS = frozenset(
    "count countess duke duchess baron baroness marquis marquise marchioness prince princess king "
    "queen emperor colonel captain general lieutenant major sergeant admiral professor doctor "
    "inspector constable squire judge bishop".split()
)
"""Titles by which one who has them is called without a name: "the count"."""

TITLES = (
    ABBREVIATED
    | RANKS
    | frozenset(
        "miss misses master mister mistress missis madam madame ma'am mademoiselle monsieur sir "
        "lady lord dame reverend father mother brother sister uncle aunt auntie cousin grandmother "
        "grandfather granny nurse cook saint signor signora signorina herr frau don donna old "
        "young little poor dear big the a an".split()
    )
)
"""Words that stand before a name and are no part of it, folded."""

_RANKED = re.compile(rf"\b[Tt]he\s+({'|'.join(sorted(RANKS))})\b(?!\s+[A-Z])")
_ARTICLES = frozenset({"the", "a", "an"})
_PARTICLES = frozenset("of de du des la le von van der den di da".split())
_WORD = re.compile(r"[^\W_]+")
_GAP = re.compile(r"\s+|[-‐‑'’]")
_STOP_GAP = re.compile(r"\.\s*|\s+|-")

Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text, and the number of the character it means."""

    span: Span
    who: int


def find(text: str, cast: Sequence[Character]) -> list[Mention]:
    """Every place where a character is named, in text order and without overlap.

    Names are the aliases and what names() adds; they are compared word by word, without
    accents, the longest first, and begin with a capital where no article goes before. A
    full stop after an honorific or an initial may be there or not. Takes time linear in
    the text, however many characters there are.
    """
    by_word: dict[str, list[tuple[Name, int]]] = defaultdict(list)
    for name, who in names(cast).items():
        by_word[name[0]].append((name, who))
    for several in by_word.values():
        several.sort(key=lambda each: -len(each[0]))
    return list(_matches(text, by_word))


def with_ranks(text: str, cast: Sequence[Character]) -> list[Mention]:
    """What find() finds, and the places where somebody is called by rank alone ("the count"):
    the one of that rank who was named last, or else is listed first."""
    found = find(text, cast)
    holders: dict[str, dict[int, None]] = defaultdict(dict)
    for who, character in enumerate(cast):
        for name in map(words, character.aliases):
            rank = "doctor" if name[:1] == ("dr",) else name[0] if name else ""
            if rank in RANKS and len(name) > 1:
                holders[rank].setdefault(who)
    merged: list[Mention] = []
    lately: dict[str, int] = {}
    ranks = {who: rank for rank, several in holders.items() for who in several}
    at = 0
    for place in _RANKED.finditer(text):
        while at < len(found) and found[at].span.start <= place.start():
            merged.append(found[at])
            if found[at].who in ranks:
                lately[ranks[found[at].who]] = found[at].who
            at += 1
        rank = place[1]
        if rank in holders and not (merged and merged[-1].span.end > place.start()):
            who = lately.get(rank, next(iter(holders[rank])))
            merged.append(Mention(Span(*place.span()), who))
    return merged + list(found[at:])


def names(cast: Sequence[Character]) -> Mapping[Name, int]:
    """Every name in folded words, and the character it means.

    A single given name or surname of a longer alias is added where only one character has
    it; where an alias stands for several characters, the first of them has it, and so it
    has a single name that is all another is called ("Bounderby" beside "Josiah Bounderby").
    """
    listed: dict[Name, int] = {}
    longer: dict[str, int] = {}
    for who, character in enumerate(cast):
        known = [name for alias in character.aliases if (name := words(alias.partition(" - ")[0]))]
        single = all(len(name) == 1 for name in known)
        for name in known:
            if len(name) == 1:
                listed.setdefault(name, longer.get(name[0], who) if single else who)
            else:
                listed.setdefault(name, who)
                longer.setdefault(name[-1], who)
    parts: dict[str, set[int]] = defaultdict(set)
    for name, who in listed.items():
        bare = [word for word in name if word not in TITLES and word not in _PARTICLES]
        if name[0] not in _ARTICLES:
            for word in {*bare[:1], *bare[-1:]}:
                if len(word) > 2:
                    parts[word].add(who)
    for word, owners in parts.items():
        if len(owners) == 1:
            listed.setdefault((word,), *owners)
    return listed


def words(name: str) -> Name:
    """The words of a name, folded and without accents."""
    return tuple(_folded(found.group()) for found in _WORD.finditer(name))


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFD", word.casefold())
    return "".join(each for each in plain if not unicodedata.combining(each))


def _matches(text: str, by_word: Mapping[str, Sequence[tuple[Name, int]]]) -> Iterator[Mention]:
    end = 0
    for first in _WORD.finditer(text):
        if first.start() < end:
            continue
        word = _folded(first.group())
        if word not in by_word or not (word in _ARTICLES or first.group()[0].isupper()):
            continue
        for name, who in by_word[word]:
            stop = _reach(text, first.end(), name)
            if stop is not None:
                yield Mention(Span(first.start(), stop), who)
                end = stop
                break


def _reach(text: str, at: int, name: Name) -> int | None:
    """Where a name whose first word ends at a place ends; None when it is another one."""
    for before, wanted in pairwise(name):
        short = len(before) == 1 or before in ABBREVIATED
        gap = (_STOP_GAP if short else _GAP).match(text, at)
        found = _WORD.match(text, gap.end()) if gap else None
        if found is None or _folded(found.group()) != wanted:
            return None
        at = found.end()
    return at
