"""Whom a description may mean: the cast of a book, with what a description bank calls them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count

from scholar_indexes.characters import solve
from scholar_indexes.characters.bank import Described
from scholar_indexes.characters.solve import Candidate
from scholar_indexes.errors import UsageError
from scholar_indexes.search import CLAIM_CHARS
from scholar_indexes.speakers import mentions
from scholar_indexes.speakers.evidence import RANKS
from scholar_indexes.speakers.record import Dialogue
from scholar_indexes.types import Character, Gender
from scholar_indexes.untrusted import one_line

RULES = 3
"""Counts up when people are found in another way: what was kept by older rules is then made
anew."""

LEAST_NAMED = 5
"""Who is named and speaks more seldom than this in all is nobody to ask about, unless a bank
describes them: what a book tells of them is too little to weigh."""

MOST = 120
"""As many candidates as a question can be put to while somebody waits."""


def of_book(
    text: str, dialogue: Dialogue | None, bank: Sequence[Described] = ()
) -> tuple[Character, ...]:
    """The characters of a book who can be meant, those that are most in it first.

    Whom a bank describes is one of them whatever the cast says; where several of the cast are
    the same in the bank they become one, under the id of who of them says most and under all
    their names, and the bank's other names are added where they mean nobody else.
    """
    cast = dialogue.cast if dialogue else ()
    attributions = dialogue.attributions if dialogue else ()
    said = Counter(each.speaker.id for each in attributions if each.speaker)
    described, left = _merged(cast, bank, said)
    everybody = [*described, *left]
    named = Counter(each.who for each in mentions.find(text, everybody))
    often = [named[at] + said[each.id] for at, each in enumerate(everybody)]
    kept = [at for at, times in enumerate(often) if at < len(described) or times >= LEAST_NAMED]
    kept.sort(key=lambda at: (-often[at], at))
    return tuple(everybody[at] for at in kept[:MOST])


def described(description: str) -> str:
    """A description as one line; raises UsageError where it describes nobody."""
    words = " ".join(description[: 2 * CLAIM_CHARS].split())[:CLAIM_CHARS]
    if not solve.stems(words):
        raise UsageError(
            f"{one_line(words, 60)!r} describes nobody; say what they are or do, such as: "
            'scholar who "the sister who elopes with an officer"'
        )
    return words


def check_more_than_names(words: str, people: Sequence[Character], book_id: str) -> None:
    """Raise UsageError for a description that is somebody's name and nothing else."""
    named = mentions.find(words, people)
    rest = list(words)
    for each in named:
        rest[each.span.start : each.span.end] = " " * (each.span.end - each.span.start)
    if named and not solve.stems("".join(rest)):
        name = people[named[0].who].name
        raise UsageError(
            f"{one_line(words, 60)!r} is a name, which tells who it is; describe somebody, or "
            f"read about them: scholar describe {name!r} -b {book_id}"
        )


def candidate(of: Character) -> Candidate:
    """Somebody as the solver takes them."""
    return Candidate(of.name, of.aliases, of.gender, of.narrator)


def _merged(
    cast: Sequence[Character], bank: Sequence[Described], said: Counter[str]
) -> tuple[list[Character], list[Character]]:
    """Those of the bank with all names known, and those of the cast who are none of them."""
    figures, left = _figures(cast, bank)
    joined = [solve.candidates([of.name], own)[0] for of, own in zip(bank, figures, strict=True)]
    taken = Counter(
        mentions.words(alias)
        for names in [*(one.aliases for one in joined), *(each.aliases for each in left)]
        for alias in names
    )
    taken.update(mentions.words(alias) for each in bank for alias in each.aliases)
    found = []
    for one, of, own in zip(joined, bank, figures, strict=True):
        there = {mentions.words(alias) for alias in one.aliases}
        more = [
            alias
            for alias in of.aliases
            if mentions.words(alias) in there or taken[mentions.words(alias)] == 1
        ]
        first = max(own, key=lambda each: said[each.id], default=None)
        found.append(
            Character(
                first.id if first else _id(of.name, cast),
                of.name,
                tuple(dict.fromkeys((*one.aliases, *more))),
                one.gender if of.gender is Gender.UNKNOWN else of.gender,
                one.narrator,
            )
        )
    return found, left


def _figures(
    cast: Sequence[Character], bank: Sequence[Described]
) -> tuple[list[list[Character]], list[Character]]:
    """Who of a cast is whom of a bank, and who is nobody of it.

    A name that the bank has decides; where there is none, the words of names do, as
    solve.candidates takes them. Beside one who has the very name nobody else is the same who
    has words of a name that are none of theirs: where there is a Mrs. Bennet, Mary Bennet is
    another, and so is Miss Bennet.
    """
    figures: list[list[Character]] = [[] for _ in bank]
    whose = Counter(name for each in bank for name in _names((each.name, *each.aliases)))
    known = {
        name: at for at, each in enumerate(bank)
        for name in _names((each.name, *each.aliases)) if whose[name] == 1
    }  # fmt: skip
    unknown = []
    for each in cast:
        votes = Counter(known[name] for name in _names(each.aliases) if name in known)
        if votes:
            figures[votes.most_common(1)[0][0]].append(each)
        else:
            unknown.append(each)
    left = []
    joined = solve.candidates([each.name for each in bank], unknown)
    for each in unknown:
        fits = (set(one.aliases).issuperset((each.name, *each.aliases)) for one in joined)
        at = next((at for at, there in enumerate(fits) if there), None)
        if at is None or _titled_otherwise(each, bank[at]):
            left.append(each)
        else:
            figures[at].append(each)
    for at, of in enumerate(bank):
        same = [each for each in figures[at] if _names(each.aliases) & _names([of.name])]
        told = _words([of.name, *of.aliases, *(alias for each in same for alias in each.aliases)])
        others = [each for each in figures[at] if same and not _words(each.aliases) <= told]
        left += others
        figures[at] = [each for each in figures[at] if each not in others]
    return figures, [each for each in cast if each in left]


def _titled_otherwise(one: Character, other: Described) -> bool:
    """Whether both bear titles, and none in common: Miss Bennet and Mrs. Bennet."""
    theirs = _titles(one.aliases), _titles((other.name, *other.aliases))
    return all(theirs) and not theirs[0] & theirs[1]


def _titles(aliases: Iterable[str]) -> set[str]:
    return {word for alias in aliases for word in mentions.words(alias)} & RANKS


def _names(aliases: Iterable[str]) -> set[mentions.Name]:
    return set(map(mentions.words, aliases))


def _words(aliases: Iterable[str]) -> set[str]:
    """The words of names that are no titles."""
    return {word for alias in aliases for word in mentions.words(alias)} - mentions.TITLES


def _id(name: str, cast: Sequence[Character]) -> str:
    """An id that is nobody's in a cast."""
    there = {each.id for each in cast}
    plain = "-".join(mentions.words(name)) or "someone"
    return next(
        each for number in count(1)
        if (each := plain if number == 1 else f"{plain}-{number}") not in there
    )  # fmt: skip
