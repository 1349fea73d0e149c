"""Where a book names its characters."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
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
        "comrade young little poor dear big one the a an".split()
    )
)
"""Words that stand before a name and are no part of it, folded."""

HOUSEHOLD = frozenset(
    "nanny nurse cook mother father mamma mama papa mummy daddy granny grandmother grandfather "
    "grandmamma grandpapa".split()
)
"""Words that are somebody's name even in small letters, where nothing says whose or which."""

OWN = frozenset(
    "father mother uncle aunt brother sister grandfather grandmother cousin husband wife guardian "
    "master mistress lord lady".split()
)
"""Whom a narrator calls by what he or she is to them: "my aunt"."""

COURTESIES = frozenset("mademoiselle madame monsieur signorina signora signor".split())
"""Titles by which one who has them is called without a name or an article: "Mademoiselle"."""

_CALLED_ALONE = RANKS | COURTESIES
_ALONE = re.compile(
    rf"(?:\b[Tt]he\s+({'|'.join(sorted(RANKS))})"
    rf"|(?<![\"“‘'])(?<![,;]\s)\b({'|'.join(map(str.title, sorted(COURTESIES)))}))\b"
    r"(?!\s+(?:(?:de|du|des|la|von|di)\s+)*[A-Z])"
)

FEW = 4
"""How often somebody is named in a book whom a given name of several may mean."""

SELDOM = 4
"""A given name belongs to somebody else than the one who is listed by it where the other is so
many times less often called by other names."""

OFTEN = 20
"""Nobody is called by a given name more than so many times as often as by all others."""

CLOSE = 1_500
"""Characters between two names that stand in one place."""

_NOBODY = -1
_BEFORE_GIVEN = frozenset("young old little poor dear sir master".split())

_WHOSE = re.compile(
    r"(?:\b(?:an?|the|my|your|his|her|its|our|their|this|that|no|any|every|some|another|own|old|"
    r"young|dear|poor|good|new|as)|['’]s?|-)\s*$",
    re.IGNORECASE,
)
_ARTICLES = frozenset({"the", "a", "an"})
_SMALL = _ARTICLES | {"my"}
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
    full stop after an honorific or an initial may be there or not. A given name of several
    means one of them all through the book. Takes time linear in the text, however many
    characters there are.
    """
    known = dict(names(cast))
    shared = {word: owners for word, owners in _given(cast).items() if len(owners) > 1}
    listed = [known.get((word,), _NOBODY) for word in shared]
    known.update({(word,): mark for mark, word in enumerate(shared, len(cast))})
    found = list(_matches(text, known))
    places = _Places(found)
    meant = [
        *range(len(cast)),
        *(
            _meant(mark, who, owners, places)
            for mark, (who, owners) in enumerate(
                zip(listed, shared.values(), strict=True), len(cast)
            )
        ),
    ]
    settled = (Mention(each.span, meant[each.who]) for each in found)
    return [each for each in settled if each.who != _NOBODY]


def _given(cast: Sequence[Character]) -> Mapping[str, Mapping[int, bool]]:
    """For each given name those who have it, and whether they have any other name."""
    owners: dict[str, dict[int, bool]] = defaultdict(dict)
    families: set[str] = set()
    for who, character in enumerate(cast):
        several = [words(alias.partition(" - ")[0]) for alias in character.aliases]
        families.update(name[-1] for name in several if name[-2:-1] and name[-2] not in TITLES)
        for name in several:
            while name and name[0] in _BEFORE_GIVEN:
                name = name[1:]
            if name and name[0] not in TITLES and len(name[0]) > 2 and name[1:2] != ("s",):
                owners[name[0]][who] = any(each != name[:1] for each in several)
    return {name: several for name, several in owners.items() if name not in families}


class _Places:
    """Where everyone is named."""

    def __init__(self, found: Sequence[Mention]) -> None:
        self.all = [each.span.start for each in found]
        self.of: dict[int, list[int]] = defaultdict(list)
        for each in found:
            self.of[each.who].append(each.span.start)

    def company(self, name: int, who: int) -> float:
        """How much likelier somebody is named close to a name than close to any."""
        return self._near(self.of[name], who) / max(1e-9, self._near(self.all, who))

    def _near(self, places: Sequence[int], who: int) -> float:
        """The share of places that are CLOSE to where somebody is named."""
        mine, near = self.of[who], 0
        for place in places:
            at = bisect_left(mine, place - CLOSE)
            near += at < len(mine) and mine[at] <= place + CLOSE
        return near / max(1, len(places))


def _meant(name: int, listed: int, owners: Mapping[int, bool], places: _Places) -> int:
    """Whom a given name of several means alone; listed is the one who has it as an alias.

    One who has no other name is one of those who have. Of them it is the one who is seldom
    called anything else, where that one's other names stand closer to it: "Beaver" is not
    called "John" as well where there is another John, but George Osborne is George, however
    seldom there is a Lord George.
    """
    owners = {who: more for who, more in owners.items() if more} or owners
    if len(owners) == 1:
        return next(iter(owners))
    often = [who for who in owners if len(places.of[who]) >= FEW]
    who = min(often, key=lambda who: len(places.of[who]), default=listed)
    if listed not in owners:
        return who
    otherwise = len(places.of[who])
    seldom = otherwise * SELDOM <= len(places.of[listed]) and otherwise * OFTEN >= len(
        places.of[name]
    )
    closer = seldom and places.company(name, who) >= places.company(name, listed)
    return who if closer else listed


def with_titles(text: str, cast: Sequence[Character]) -> list[Mention]:
    """What find() finds, and the places where somebody is called by a title alone ("the count",
    "Mademoiselle"): the one of that title who was named last, or else is listed first."""
    found = find(text, cast)
    holders: dict[str, dict[int, None]] = defaultdict(dict)
    titles: dict[int, set[str]] = defaultdict(set)
    for who, character in enumerate(cast):
        for name in map(words, character.aliases):
            title = "doctor" if name[:1] == ("dr",) else name[0] if name else ""
            if title in _CALLED_ALONE and len(name) > 1:
                holders[title].setdefault(who)
                titles[who].add(title)
    merged: list[Mention] = []
    lately: dict[str, int] = {}
    at = 0
    for place in _ALONE.finditer(text):
        while at < len(found) and found[at].span.start <= place.start():
            merged.append(found[at])
            lately.update(dict.fromkeys(titles.get(found[at].who, ()), found[at].who))
            at += 1
        title = place[1] or place[2].lower()
        if title in holders and not (merged and merged[-1].span.end > place.start()):
            who = lately.get(title, next(iter(holders[title])))
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


def _matches(text: str, known: Mapping[Name, int]) -> Iterator[Mention]:
    by_word: dict[str, list[tuple[Name, int]]] = defaultdict(list)
    for name, who in sorted(known.items(), key=lambda each: -len(each[0])):
        by_word[name[0]].append((name, who))
    end = 0
    for first in _WORD.finditer(text):
        if first.start() < end:
            continue
        word = _folded(first.group())
        if word not in by_word or not (
            word in _SMALL or first.group()[0].isupper() or _at_home(text, word, first.start())
        ):
            continue
        for name, who in by_word[word]:
            if first.group() == "my" and not (len(name) == 2 and name[1] in OWN):
                continue
            stop = _reach(text, first.end(), name)
            if stop is not None:
                yield Mention(Span(first.start(), stop), who)
                end = stop
                break


def _at_home(text: str, word: str, at: int) -> bool:
    """Whether a word for somebody of the household stands where only a name can."""
    return word in HOUSEHOLD and _WHOSE.search(text, max(0, at - 24), at) is None


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
