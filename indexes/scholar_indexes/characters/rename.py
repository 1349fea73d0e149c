"""Other names for the characters of a book, so that nobody knows them from having read it.

After GANDALF (Carlsson et al. 2022, section 3.3 and appendix B): of every character's names
the terms are taken that unambiguously are a name, told apart as first and last names, and
each is given another name of its kind. The table is one per book; applied to the book, its
questions and their choices it changes them alike. Terms are found by exact match.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from operator import attrgetter
from random import Random
from typing import Protocol

from scholar_indexes.characters.bank import Described, Description
from scholar_indexes.errors import UsageError
from scholar_indexes.speakers import given_names
from scholar_indexes.speakers.evidence import NOT_NAMES, PARTICLES, RANKS, SUSPECT
from scholar_indexes.speakers.mentions import TITLES
from scholar_indexes.types import Character, Gender, Span

GENDERS = ("kept", "switched", "female", "male", "any")
"""What becomes of the gender of first names. "any" is the paper's own data set (section 4.7,
which minds first and last only), the others are its probes (section 7.1)."""

LOWER_PER_CAPITAL = 0.1
"""With more lower-case occurrences than this for each capitalised one, a term is a word of its
book. In their novels Temple, Ham, Flask, March and Silver have 0.01 to 0.04, Merry 0.09,
Bill 0.11, Rose 0.23, Grace 0.29 and Will 1.6."""

CLEARLY = 3
"""How many times more often a term must be the one than the other, if it is used as a first
name and as a last one."""

MOSTLY = 0.5
"""The share of "Mr. X" and the like in a term's occurrences that makes a last name of what
looks like a first one: Colonel Fitzwilliam, in spite of Fitzwilliam Darcy."""

AT_TIMES = 0.05
"""That share for a term of which nothing else is known: Starbuck, sometimes Mr. Starbuck."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_BARE = re.compile(r"(?<![^\W_])[^\W\d_]+(?:['’][^\W\d_]+)*(?![^\W_])")
_SUFFIXES = frozenset("s ll d ve re m".split())
"""What stands after an apostrophe without being part of a name, folded."""

_BEFORE_SURNAMES = frozenset(
    "mr mrs mister messrs mistress missis mistah dr doctor captain capt colonel col general gen "
    "major maj admiral professor prof lieutenant lieut lt sergeant sergt sgt inspector "
    "reverend rev revd monsieur mons m madame mme herr frau signor signora senor senora".split()
)
_BEFORE_FIRST_NAMES = frozenset("sir king queen prince princess dame don donna".split())
_WIVES = frozenset("mrs madame mme frau signora senora".split())
"""Before two names, the first is the husband's: Mrs. John Knightley."""

_OFFICES = frozenset(
    "abbess abbot ambassador apostle beadle cap'n cardinal chancellor chaplain citizen citizeness "
    "clerk collector consul curate elder farmer friar goodman goodwife goody "
    "governor landlord landlady magistrate mayor minister monsignor pastor parson pope priest "
    "prior secretary senator sheriff steward supervisor surveyor vicar warden widow".split()
)
_BEFORE_NAMES = RANKS | _OFFICES | _BEFORE_SURNAMES
_BESIDE = RANKS | TITLES | PARTICLES | _OFFICES | frozenset("jr sr esq ii iii iv".split())
"""Words beside names that are no part of them, folded."""

_ENDS = frozenset("of at from in with".split())
"""After these a name is told by something that is none: the Duke of Wellington."""

_NEVER = _BESIDE | NOT_NAMES | SUSPECT
"""Words that are capitalised whether a name or not, folded."""


class Named(Protocol):
    """Somebody with names: a bank's Described, a cast list's Character."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def gender(self) -> Gender: ...


class Part(StrEnum):
    """What a term is of a name."""

    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Term:
    """A word that means the bearer of a name and nothing else in its book.

    gender is that of those who have it as a first name, UNKNOWN of a last name.
    """

    text: str
    part: Part
    gender: Gender = Gender.UNKNOWN


@dataclass(frozen=True, slots=True)
class Names:
    """Names to give: first names of women and of men, and last names."""

    nationality: str
    female: tuple[str, ...]
    male: tuple[str, ...]
    last: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of the old text, and the stretch of the new one that stands for it."""

    old: Span
    new: Span


@dataclass(frozen=True, slots=True)
class Renamed:
    """A text under other names, and where it was changed, in order."""

    text: str
    changes: tuple[Change, ...]

    def new(self, old: Span) -> Span:
        """Where a span of the old text stands; a name cut in two is given whole."""
        return _moved(old, self.changes, attrgetter("old"), attrgetter("new"))

    def old(self, new: Span) -> Span:
        """Where a span of the new text stood; a name cut in two is given whole."""
        return _moved(new, self.changes, attrgetter("new"), attrgetter("old"))


@dataclass(frozen=True, slots=True)
class Table:
    """Which name stands for which in one book.

    terms are those replaced with the new names, left those that are not with the reason
    why; both are written as in the names of the characters.
    """

    nationality: str
    terms: Mapping[Term, str]
    left: Mapping[str, str]
    _forms: Mapping[str, str] = field(repr=False, compare=False)

    def apply(self, text: str) -> str:
        """A text of the book, or about it, under the new names.

        A term is replaced where it is a word of its own or has an apostrophe and a suffix
        after it, in its own case or in capitals; a last name in the plural too ("the
        Bennets"). Nothing else changes. Takes time linear in the text, however many
        terms there are.
        """
        return _BARE.sub(lambda found: self._new(found.group()), text)

    name = apply

    def apply_with_map(self, text: str) -> Renamed:
        """The same as apply, with what stands where."""
        pieces, changes, end, shift = list[str](), list[Change](), 0, 0
        for found in _BARE.finditer(text):
            old = found.group()
            new = self._new(old)
            if new == old:
                continue
            pieces += text[end : found.start()], new
            end = found.end()
            start = found.start() + shift
            changes.append(Change(Span(*found.span()), Span(start, start + len(new))))
            shift += len(new) - len(old)
        return Renamed("".join([*pieces, text[end:]]), tuple(changes))

    def character(self, of: Character) -> Character:
        """Somebody of a cast list under the new names; the id stays."""
        return replace(of, name=self.name(of.name), aliases=tuple(map(self.name, of.aliases)))

    def described(self, of: Described) -> Described:
        """Somebody of a bank under the new names; locators stay those of the old text."""
        return Described(
            self.name(of.name),
            tuple(map(self.name, of.aliases)),
            of.gender,
            tuple(map(self.description, of.descriptions)),
        )

    def description(self, of: Description) -> Description:
        """A description and its quotations under the new names; locators stay."""
        evidence = tuple(replace(each, quote=self.apply(each.quote)) for each in of.evidence)
        return replace(of, text=self.apply(of.text), evidence=evidence)

    def _new(self, word: str) -> str:
        known = self._forms.get(word)
        if known is not None:
            return known
        head, suffix = _parted(word)
        return self._forms.get(head, head) + suffix


def table(
    characters: Iterable[Named],
    text: str,
    seed: int,
    gender: str = "kept",
    nationality: str | Names | None = None,
) -> Table:
    """New names for the characters of a book, the same for the same arguments.

    text is the book's. All names are of one nationality, which the seed chooses unless it
    is given; Names of one's own do too, such as pooled() has. No new name is a word of the
    text or of the characters' names, and none is given twice. Where names run out, the
    rarest terms keep theirs. Raises UsageError for a gender or a nationality that is none.
    """
    if gender not in GENDERS:
        raise UsageError(f"{gender!r} is no choice of gender; choose one of {', '.join(GENDERS)}")
    if isinstance(nationality, str) and nationality not in nationalities():
        raise UsageError(
            f"{nationality!r} is no nationality with names; choose one of "
            + ", ".join(nationalities())
        )
    cast = list(characters)
    words = _words(text)
    known, left = _terms(cast, words)
    random = Random(f"{seed} {' '.join(sorted(each.text for each in known))}")
    taken = _taken(cast, words, known)
    if isinstance(nationality, Names):
        choices = [nationality]
    else:
        choices = list(packaged() if nationality is None else [_of_nationality(nationality)])
        random.shuffle(choices)
    tried = [(names, _given(known, names, taken, gender, random)) for names in choices]
    names, given = max(tried, key=lambda each: len(each[1]))
    for term in known:
        if term not in given:
            left[term.text] = f"no {names.nationality} name is left for it"
    counts = Counter(words)
    return Table(names.nationality, given, left, _forms(given, counts))


def terms(characters: Iterable[Named], text: str) -> tuple[list[Term], dict[str, str]]:
    """The unambiguous name terms of a book's characters, the most frequent in the text
    first, and those that are left alone with the reason (GANDALF, appendix B).

    Terms are the capitalised words of names and aliases without titles, particles and
    initials. Left alone is a word that is capitalised anyway (of address, months, peoples),
    one that is a word of the text (LOWER_PER_CAPITAL), and one that means different kinds
    of name: a first name of women and men, or a first name and a last one, unless the text
    clearly prefers one. Several characters may have a term in common, as families do.
    """
    return _terms(list(characters), _words(text))


def nationalities() -> list[str]:
    """Those that there are names of."""
    return [each.nationality for each in packaged()]


@cache
def packaged() -> tuple[Names, ...]:
    """The names that come with scholar, by nationality."""
    file = resources.files(__package__) / "nationalities.json"
    listed: dict[str, dict[str, str]] = json.loads(file.read_text("utf-8"))
    return tuple(
        Names(
            nationality,
            tuple(names["female"].split()),
            tuple(names["male"].split()),
            tuple(names["last"].split()),
        )
        for nationality, names in listed.items()
    )


def pooled(books: Iterable[tuple[Sequence[Named], str]]) -> Names:
    """The unambiguous names of the characters of many books, to be shuffled among them
    (GANDALF, section 4.7); each book is its characters and its text."""
    found = {term: None for cast, text in books for term in terms(cast, text)[0]}
    listed = sorted(found, key=lambda each: each.text)
    first = [each for each in listed if each.part is Part.FIRST]
    return Names(
        "pooled",
        tuple(each.text for each in first if each.gender is Gender.FEMALE),
        tuple(each.text for each in first if each.gender is Gender.MALE),
        tuple(each.text for each in listed if each.part is Part.LAST),
    )


def negated(bank: Sequence[Described], random: Random) -> Iterator[tuple[Described, Description]]:
    """Every description with another character's denied in it (GANDALF, section 7.1).

    Denied is a level 1 description of somebody of the same gender, as far as there is one,
    so that the denial does not give the gender away; the level stays. Evidence is that of
    what is affirmed.
    """
    denials = defaultdict[Gender, list[tuple[Described, str]]](list)
    for each in bank:
        for description in each.descriptions:
            if description.level == 1:
                denials[each.gender].append((each, description.text))
    everybody = [denial for several in denials.values() for denial in several]
    for each in bank:
        others = [text for who, text in denials[each.gender] if who.name != each.name] or [
            text for who, text in everybody if who.name != each.name
        ]
        if others:
            for description in each.descriptions:
                denied = f"{description.text}, and not {random.choice(others)}"
                yield each, replace(description, text=denied)


# Which words are names.


def _words(text: str) -> list[str]:
    """The words of a text in order, without what an apostrophe and a suffix add."""
    return [_parted(found)[0] for found in _WORD.findall(text)]


def _parted(word: str) -> tuple[str, str]:
    """A word and its suffix with the apostrophe: Gatsby, 's."""
    at = max(word.rfind("'"), word.rfind("’"))
    if at > 0 and word[at + 1 :].lower() in _SUFFIXES:
        return word[:at], word[at:]
    return word, ""


def _terms(cast: Sequence[Named], words: Sequence[str]) -> tuple[list[Term], dict[str, str]]:
    votes, bearers = _votes(cast)
    counts = Counter(words)
    kept, left = list[str](), dict[str, str]()
    for term in votes:
        if term.lower() in _NEVER:
            left[term] = "a word that is capitalised anyway"
        elif _is_word(term, counts):
            capitals, lower = _capitals(term, counts), counts[term.lower()]
            left[term] = f"a word of the book: {lower} times in lower case, {capitals} as a name"
        else:
            kept.append(term)
    kept.sort(key=lambda term: (-_capitals(term, counts), term))
    parts = _parts({term: votes[term] for term in kept}, words, counts)
    found = list[Term]()
    for term in kept:
        part = parts[term]
        if part is Part.LAST:
            found.append(Term(term, part))
        elif part is None:
            left[term] = "the first name of one and the last name of another"
        else:
            genders = bearers[term] - {Gender.UNKNOWN}
            if len(genders) != 1:
                by_list = _gender_of(term)
                if genders and by_list is Gender.UNKNOWN:
                    left[term] = "the first name of a woman and of a man"
                    continue
                genders = {by_list}
            found.append(Term(term, part, *genders))
    return found, left


def _votes(cast: Sequence[Named]) -> tuple[dict[str, Counter[Part]], dict[str, set[Gender]]]:
    """How often each term is first and last in the names, and the genders of who bears it.

    Where a term has a place in a longer name, its titles say nothing: Hareton Earnshaw is
    not a Mr. Hareton.
    """
    placed, titled = defaultdict[str, Counter[Part]](Counter), dict[str, Counter[Part]]()
    bearers = defaultdict[str, set[Gender]](set)
    for each in cast:
        for name in dict.fromkeys([each.name, *each.aliases]):
            title, found = _split(name)
            for at, term in enumerate(found):
                votes = titled.setdefault(term, Counter())
                if len(found) > 1:
                    placed[term][Part.LAST if at == len(found) - 1 else Part.FIRST] += 1
                elif part := _by_title(term, title):
                    votes[part] += 1
                if len(found) == 1 or not (at == len(found) - 1 or title in _WIVES):
                    bearers[term].add(each.gender)
    return {term: placed.get(term, votes) for term, votes in titled.items()}, bearers


def _split(name: str) -> tuple[str, list[str]]:
    """The title before a name, folded, and the words that may be its terms."""
    title, found = "", list[str]()
    for whole in _WORD.findall(name):
        word = _parted(whole)[0]
        folded = word.lower()
        if word in _ENDS:
            break
        if not found and folded in _BEFORE_NAMES:
            title = folded
        elif len(word) > 1 and word[0].isupper() and folded not in _BESIDE:
            found.append(word)
    return title, found


def _by_title(term: str, title: str) -> Part | None:
    """What a single word after a title is; None if that does not say."""
    given = _gender_of(term) is not Gender.UNKNOWN
    if title in _BEFORE_FIRST_NAMES or (title and given and title not in _BEFORE_SURNAMES):
        return Part.FIRST
    return Part.LAST if title and not given else None


def _is_word(term: str, counts: Mapping[str, int]) -> bool:
    lower = counts[term.lower()] if term.lower() != term else 0
    return lower > LOWER_PER_CAPITAL * _capitals(term, counts)


def _capitals(term: str, counts: Mapping[str, int]) -> int:
    return counts[term] + (counts[term.upper()] if term.upper() != term else 0)


def _gender_of(name: str) -> Gender:
    female, male = name.lower() in given_names.FEMALE, name.lower() in given_names.MALE
    if female == male:
        return Gender.UNKNOWN
    return Gender.FEMALE if female else Gender.MALE


def _parts(
    votes: Mapping[str, Counter[Part]], words: Sequence[str], counts: Mapping[str, int]
) -> dict[str, Part | None]:
    """First or last name: as the names have it unless the text clearly says otherwise.

    None of a term that the names have as both, when the text does not clearly prefer one.
    """
    listed = {term: next(iter(parts)) for term, parts in votes.items() if len(parts) == 1}
    last, first = Counter[str](), Counter[str]()
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in votes:
            if listed.get(after) is Part.LAST:
                first[word] += 1  # Linton Heathcliff, Mr. Frank Churchill
            elif before.lower() in _BEFORE_SURNAMES or listed.get(before) is Part.FIRST:
                last[word] += 1
    found = dict[str, Part | None]()
    for term, parts in votes.items():
        share = last[term] / max(1, _capitals(term, counts))
        if len(parts) == 2:
            clear = max(last[term], first[term]) > CLEARLY * min(last[term], first[term])
            found[term] = _likelier(last[term], first[term]) if clear else None
        elif listed.get(term) is Part.LAST:
            found[term] = Part.LAST
        elif listed.get(term) is Part.FIRST or _gender_of(term) is not Gender.UNKNOWN:
            found[term] = Part.LAST if share > MOSTLY else Part.FIRST
        else:
            found[term] = Part.LAST if share > AT_TIMES else Part.FIRST
    return found


def _likelier(last: int, first: int) -> Part:
    return Part.LAST if last > first else Part.FIRST


# Which names they are given.


def _taken(cast: Sequence[Named], words: Sequence[str], known: Sequence[Term]) -> set[str]:
    """What may not be given, folded: all words of the book and of its names."""
    names = " ".join(name for each in cast for name in (each.name, *each.aliases))
    plurals = [_plural(each.text) for each in known]
    return {each.casefold() for each in (*words, *_WORD.findall(names), *plurals)}


def _of_nationality(nationality: str) -> Names:
    return next(each for each in packaged() if each.nationality == nationality)


def _given(
    known: Sequence[Term], names: Names, taken: set[str], gender: str, random: Random
) -> dict[Term, str]:
    """A name for every term, as long as there are some."""
    free = {
        Gender.FEMALE: _free(names.female, taken, random),
        Gender.MALE: _free(names.male, taken, random),
        None: _free(names.last, taken, random),
    }
    used, found = set[str](), dict[Term, str]()
    for term in known:
        kind = None if term.part is Part.LAST else _wanted(term.gender, gender, random)
        while free[kind]:
            new = free[kind].pop()
            if new.casefold() not in used:
                used.add(new.casefold())
                found[term] = new
                break
    return found


def _free(names: Sequence[str], taken: set[str], random: Random) -> list[str]:
    free = [
        each for each in names
        if each.casefold() not in taken and _plural(each).casefold() not in taken
    ]  # fmt: skip
    random.shuffle(free)
    return free


def _wanted(of: Gender, gender: str, random: Random) -> Gender:
    """The gender of the new name."""
    if gender in (Gender.FEMALE, Gender.MALE):
        return Gender(gender)
    either = random.choice((Gender.FEMALE, Gender.MALE))
    if gender == "any" or of is Gender.UNKNOWN:
        return either
    other = Gender.MALE if of is Gender.FEMALE else Gender.FEMALE
    return other if gender == "switched" else of


def _forms(given: Mapping[Term, str], counts: Mapping[str, int]) -> dict[str, str]:
    """The words to replace, as they are written, and what stands for them."""
    found = {term.text: new for term, new in given.items()}
    for term, new in given.items():
        found.setdefault(term.text.upper(), new.upper())
    for term, new in given.items():
        plural = _plural(term.text)
        if term.part is Part.LAST and plural.lower() not in _NEVER and not _is_word(plural, counts):
            found.setdefault(plural, _plural(new))
            found.setdefault(plural.upper(), _plural(new).upper())
    return found


def _plural(name: str) -> str:
    return name + ("es" if name.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _moved(
    span: Span, changes: Sequence[Change], here: Callable[[Change], Span],
    there: Callable[[Change], Span],
) -> Span:  # fmt: skip
    """A span of one side on the other; where it cuts a name it grows to the whole of it."""

    def moved(at: int, end: bool) -> int:
        which = bisect_right(changes, at, key=lambda each: here(each).start) - 1
        if which < 0:
            return at
        old, new = here(changes[which]), there(changes[which])
        if at == old.start:
            return new.start
        if at < old.end:
            return new.end if end else new.start
        return at + new.end - old.end

    return Span(moved(span.start, False), moved(span.end, True))
