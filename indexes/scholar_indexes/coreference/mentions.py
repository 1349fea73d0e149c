"""Find where a book names its characters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon import closed_classes, person_nouns, titles
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.stopping import WORDS, checked
from scholar_indexes.types import Character, Span

OFTEN_NAMED = 4
"""The minimum number of mentions of a character to whom a shared given name may be reassigned."""

RARELY = 4
"""A shared given name passes from the listed character to another one whose own names occur at
least this many times less often than the listed one's."""

MOSTLY = 20
"""The maximum ratio of the uses of a given name to the uses of its bearer's other names."""

SCENE_CHARS = 1_500
"""The maximum number of characters between two names in one scene."""

Name = tuple[str, ...]
"""The folded words of a name."""

_NOBODY = -1
_SHORTEST_NAME = 3

_TITLES_ALONE = titles.RANKS | titles.COURTESIES
_TITLE_ALONE = re.compile(
    rf"(?:\b[Tt]he\s+({'|'.join(sorted(titles.RANKS))})"
    rf"|(?<![\"“‘'])(?<![,;]\s)\b({'|'.join(map(str.title, sorted(titles.COURTESIES)))}))\b"
    r"(?!\s+(?:(?:de|du|des|la|von|di)\s+)*[A-Z])"
)
_OWNED = re.compile(
    r"(?:\b(?:an?|the|my|your|his|her|its|our|their|this|that|no|any|every|some|another|own|old|"
    r"young|dear|poor|good|new|as)|['’]s?|-)\s*$",
    re.IGNORECASE,
)
_OWNED_CHARS = 24
_LOWERCASE_FIRST = closed_classes.ARTICLES | {"my"}
_NO_NAMES = titles.BEFORE_NAMES | words_of("name_particle")
"""Words of a name that are neither a given name nor a surname."""

_WORD = re.compile(r"[^\W_]+")
_GAP = re.compile(r"\s+|[-‐‑'’]")
_GAP_AFTER_STOP = re.compile(r"\.\s*|\s+|[-‐‑'’]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text, and the number of the character it means."""

    span: Span
    character: int


@dataclass(frozen=True, slots=True)
class _SharedName:
    """A given name that several characters share.

    `number` represents it among the characters until its bearer is known; `listed` is the character
    that has it as an alias or index entry; `owners` maps each character that has it to whether that
    character has any other name.
    """

    number: int
    listed: int
    owners: Mapping[int, bool]


class _Positions:
    """The text offsets at which each character is named."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        self.all = [mention.span.start for mention in mentions]
        self.by_character: dict[int, list[int]] = defaultdict(list)
        for mention in mentions:
            self.by_character[mention.character].append(mention.span.start)

    def affinity(self, name: int, character: int) -> float:
        """Return how many times likelier a character is named near a name than near any name."""
        near_name = self._near_share(self.by_character[name], character)
        return near_name / max(1e-9, self._near_share(self.all, character))

    def _near_share(self, positions: Sequence[int], character: int) -> float:
        """Return the share of positions with the character named within SCENE_CHARS."""
        named, near = self.by_character[character], 0
        for position in positions:
            at = bisect_left(named, position - SCENE_CHARS)
            near += at < len(named) and named[at] <= position + SCENE_CHARS
        return near / max(1, len(positions))


def find_mentions(text: str, cast: Sequence[Character]) -> list[Mention]:
    """Return all mentions of characters by name, in text order and without overlap.

    Names are the aliases and what index_names() adds; they are compared word by word, without
    accents, the longest first, and begin with a capital unless an article precedes. A full stop
    after an honorific or an initial is optional. A given name that several characters share means
    the same one throughout the book. Takes time linear in the text, however many characters there
    are. Descriptions that mean a character in one place are mentions there.
    """
    names = dict(index_names(cast))
    shared: dict[Name, _SharedName] = {}
    for word, owners in _owners_of_given_names(cast).items():
        if len(owners) > 1:
            number = len(cast) + len(shared)
            shared[word,] = _SharedName(number, names.get((word,), _NOBODY), owners)
    names.update({name: given.number for name, given in shared.items()})
    matches = list(match_names(text, names))
    positions = _Positions(matches)
    bearers = [*range(len(cast)), *(_resolve(given, positions) for given in shared.values())]
    mentions = (Mention(match.span, bearers[match.character]) for match in matches)
    named = [mention for mention in mentions if mention.character != _NOBODY]
    return _add_descriptions(named, cast) if any(one.described for one in cast) else named


def _add_descriptions(named: Sequence[Mention], cast: Sequence[Character]) -> list[Mention]:
    """Return the mentions by name and the descriptions that do not overlap them, in text order."""
    described = [
        Mention(place, number)
        for number, character in enumerate(cast)
        for place in character.described
    ]
    merged: list[Mention] = []
    for mention in sorted([*named, *described], key=lambda mention: mention.span):
        if not merged or mention.span.start >= merged[-1].span.end:
            merged.append(mention)
    return merged


def find_mentions_and_titles(text: str, cast: Sequence[Character]) -> list[Mention]:
    """Return the mentions of find_mentions() and the mentions by a title alone.

    "The count" and "Mademoiselle" mean the last named character with that title, or else the first
    in the cast.
    """
    mentions = find_mentions(text, cast)
    holders = _title_holders(cast)
    merged: list[Mention] = []
    latest: dict[str, int] = {}
    at = 0
    for match in checked(_TITLE_ALONE.finditer(text)):
        while at < len(mentions) and mentions[at].span.start <= match.start():
            merged.append(mentions[at])
            for title, characters in holders.items():
                if mentions[at].character in characters:
                    latest[title] = mentions[at].character
            at += 1
        title = match[1] or match[2].lower()
        # Not the title at the beginning of a name: "the Count of Monte Cristo".
        if title in holders and not (merged and merged[-1].span.end > match.start()):
            character = latest.get(title, next(iter(holders[title])))
            merged.append(Mention(Span(*match.span()), character))
    return merged + mentions[at:]


def index_names(cast: Sequence[Character]) -> Mapping[Name, int]:
    """Return every name in folded words, with the number of the character it means.

    The given name or surname of a longer alias is added if only one character has it. An alias of
    several characters goes to the first; so does a single name that is all another character is
    called ("Bounderby" with "Josiah Bounderby").
    """
    listed = _index_aliases(cast)
    owners: dict[str, set[int]] = defaultdict(set)
    for name, character in listed.items():
        if name[0] in closed_classes.ARTICLES:
            continue
        core = [word for word in name if word not in _NO_NAMES]
        for word in {*core[:1], *core[-1:]}:
            if len(word) >= _SHORTEST_NAME:
                owners[word].add(character)
    for word, characters in owners.items():
        if len(characters) == 1:
            listed.setdefault((word,), *characters)
    return listed


def name_words(name: str) -> Name:
    """Return the words of a name, folded and without accents."""
    return tuple(fold_text(match.group()) for match in _WORD.finditer(name))


def _alias_words(character: Character) -> list[Name]:
    """Return the words of a character's aliases, up to a dash."""
    return [name_words(alias.partition(" - ")[0]) for alias in character.aliases]


def _index_aliases(cast: Sequence[Character]) -> dict[Name, int]:
    """Return the aliases in folded words, with the character each means."""
    listed: dict[Name, int] = {}
    by_last_word: dict[str, int] = {}
    for number, character in enumerate(cast):
        names = [name for name in _alias_words(character) if name]
        only_single = all(len(name) == 1 for name in names)
        for name in names:
            if len(name) > 1:
                listed.setdefault(name, number)
                by_last_word.setdefault(name[-1], number)
            elif only_single:
                listed.setdefault(name, by_last_word.get(name[0], number))
            else:
                listed.setdefault(name, number)
    return listed


def _owners_of_given_names(cast: Sequence[Character]) -> Mapping[str, Mapping[int, bool]]:
    """Return the characters with each given name, and whether each has any other name."""
    owners: dict[str, dict[int, bool]] = defaultdict(dict)
    surnames: set[str] = set()
    for number, character in enumerate(cast):
        names = _alias_words(character)
        surnames.update(
            name[-1] for name in names if len(name) > 1 and name[-2] not in titles.BEFORE_NAMES
        )
        for name in map(_without_epithets, names):
            if _begins_with_given_name(name):
                owners[name[0]][number] = any(other != name[:1] for other in names)
    # If the word is a surname too, its use alone may mean yet another person.
    return {name: having for name, having in owners.items() if name not in surnames}


def _without_epithets(name: Name) -> Name:
    """Return a name without the epithets before it: young Tom."""
    while name and name[0] in titles.EPITHETS_BEFORE_GIVEN_NAMES:
        name = name[1:]
    return name


def _begins_with_given_name(name: Name) -> bool:
    """Return True if the first word of a name is neither a title nor a possessive: Tom's."""
    return (
        bool(name)
        and name[0] not in titles.BEFORE_NAMES
        and len(name[0]) >= _SHORTEST_NAME
        and name[1:2] != ("s",)
    )


def _resolve(name: _SharedName, positions: _Positions) -> int:
    """Return the character that a shared given name means when used alone.

    A listed character without any other name keeps it, even if a longer name begins with it:
    "Salim" and "Salim Khanum". Otherwise it goes to a character who is rarely called anything else,
    if that character's other names occur closer to it: "Beaver" is not also called "John" if there
    is another John, but George Osborne is George, however rare a Lord George is.
    """
    if not name.owners.get(name.listed, True):
        return name.listed
    owners = [owner for owner, has_other in name.owners.items() if has_other]
    if len(owners) == 1:
        return owners[0]
    named = positions.by_character
    often = [owner for owner in owners if len(named[owner]) >= OFTEN_NAMED]
    rarest = min(often, key=lambda owner: len(named[owner]), default=name.listed)
    if name.listed not in owners:
        return rarest
    otherwise = len(named[rarest])
    is_rare = otherwise * RARELY <= len(named[name.listed])
    is_possible = otherwise * MOSTLY >= len(named[name.number])
    if is_rare and is_possible:
        affinity = positions.affinity(name.number, rarest)
        if affinity >= positions.affinity(name.number, name.listed):
            return rarest
    return name.listed


def _title_holders(cast: Sequence[Character]) -> dict[str, dict[int, None]]:
    """Return the characters with each title that may be used alone, in the order of the cast."""
    holders: dict[str, dict[int, None]] = defaultdict(dict)
    for number, character in enumerate(cast):
        for name in map(name_words, character.aliases):
            title = "doctor" if name[:1] == ("dr",) else name[0] if name else ""
            if title in _TITLES_ALONE and len(name) > 1:
                holders[title].setdefault(number)
    return holders


@dataclass(slots=True)
class _NameTrie:
    """A node of a trie of names by their words: the nodes of the words that may follow, and the
    character of the name that ends here, if any."""

    character: int | None = None
    following: dict[str, _NameTrie] = field(default_factory=dict)


def match_names(text: str, names: Mapping[Name, int]) -> Iterator[Mention]:
    """Yield the mentions of names in text order, the longest at each position."""
    by_first_word = _build_trie(names).following
    end = 0
    for first in checked(_WORD.finditer(text), WORDS):
        if first.start() < end:
            continue
        word = fold_text(first.group())
        if word not in by_first_word or not _may_begin_name(text, word, first):
            continue
        mention = _longest_match(text, first, by_first_word[word])
        if mention is not None:
            yield mention
            end = mention.span.end


def _build_trie(names: Mapping[Name, int]) -> _NameTrie:
    """Return the root of the trie of names."""
    root = _NameTrie()
    for name, character in names.items():
        node = root
        for word in name:
            node = node.following.setdefault(word, _NameTrie())
        node.character = character
    return root


def _may_begin_name(text: str, word: str, match: re.Match[str]) -> bool:
    """Return True if a word is capitalised or may begin a name in lower case."""
    return (
        word in _LOWERCASE_FIRST
        or match.group()[0].isupper()
        or _is_household_name(text, word, match.start())
    )


def _longest_match(text: str, first: re.Match[str], node: _NameTrie) -> Mention | None:
    """Return the longest name that begins at a word, if any."""
    longest = None
    name: Name = (fold_text(first.group()),)
    last = first
    while True:
        is_kin = len(name) == 2 and name[1] in person_nouns.NARRATOR_KIN
        if node.character is not None and (is_kin or first.group() != "my"):
            longest = Mention(Span(first.start(), last.end()), node.character)
        following = _next_word(text, last, name[-1]) if node.following else None
        if following is None:
            return longest
        name += (fold_text(following.group()),)
        if name[-1] not in node.following:
            return longest
        last, node = following, node.following[name[-1]]


def _is_household_name(text: str, word: str, at: int) -> bool:
    """Return True if a word for a household member is used as a name, without a determiner."""
    if word not in person_nouns.HOUSEHOLD:
        return False
    return _OWNED.search(text, max(0, at - _OWNED_CHARS), at) is None


def _next_word(text: str, last: re.Match[str], folded: str) -> re.Match[str] | None:
    """Return the next word, if it may belong to the same name."""
    takes_stop = len(folded) == 1 or folded in titles.ABBREVIATED
    gap = (_GAP_AFTER_STOP if takes_stop else _GAP).match(text, last.end())
    return _WORD.match(text, gap.end()) if gap else None
