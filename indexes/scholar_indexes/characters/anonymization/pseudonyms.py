"""Choose other names for the characters of a book, so that its readers do not recognise them.

After GANDALF (Carlsson et al. 2022, section 3.3 and appendix B): every unambiguous term of the
characters' names is replaced by another name of its kind, first or last. One mapping per book
applies to its text, its questions and their choices.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random

from scholar_indexes.characters.anonymization.mapping import NameMapping
from scholar_indexes.characters.anonymization.unambiguous_terms import (
    NEVER_TERMS,
    WORD,
    Named,
    NamePart,
    Term,
    find_terms,
    is_common_word,
    select_terms,
    split_words,
)
from scholar_indexes.errors import UsageError
from scholar_indexes.types import Gender

GENDERS = ("kept", "switched", "female", "male", "any")
"""The treatments of the gender of first names. "any" is used in the data set of the paper (section
4.7, which distinguishes only first and last names), the others in its probes (section 7.1)."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names to assign: first names of women and of men, and last names."""

    nationality: str
    female: tuple[str, ...]
    male: tuple[str, ...]
    last: tuple[str, ...]


def map_names(
    characters: Iterable[Named],
    text: str,
    seed: int,
    gender: str = "kept",
    nationality: str | Names | None = None,
) -> NameMapping:
    """Return new names for the characters of a book, the same for the same arguments.

    text is the text of the book. All names are of one nationality, drawn with the seed unless it
    is given as a name or as Names, such as pool_names returns. No new name is a word of the text
    or of the characters' names, and none is used twice. If names run out, the rarest terms keep
    their old names. Raises UsageError for an unknown gender or nationality.
    """
    if gender not in GENDERS:
        raise UsageError(f"{gender!r} is not a gender option; choose one of {', '.join(GENDERS)}")
    if isinstance(nationality, str) and nationality not in nationalities():
        raise UsageError(
            f"{nationality!r} is not a nationality with names; choose one of "
            + ", ".join(nationalities())
        )
    cast = list(characters)
    words = split_words(text)
    terms, left = select_terms(cast, words)
    random = Random(f"{seed} {' '.join(sorted(term.text for term in terms))}")
    taken = _taken_words(cast, words, terms)
    options = _name_lists(nationality, random)
    assigned = [(names, _assign(terms, names, taken, gender, random)) for names in options]
    names, new_names = max(assigned, key=lambda option: len(option[1]))
    for term in terms:
        if term not in new_names:
            left[term.text] = f"no {names.nationality} name is left for it"
    forms = _word_forms(new_names, Counter(words))
    return NameMapping(names.nationality, new_names, left, forms)


def nationalities() -> list[str]:
    """Return the nationalities of the packaged names."""
    return [names.nationality for names in packaged_names()]


@cache
def packaged_names() -> tuple[Names, ...]:
    """Return the names that come with scholar, by nationality."""
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


def pool_names(books: Iterable[tuple[Sequence[Named], str]]) -> Names:
    """Return the unambiguous names of the characters of many books, to be shuffled among them
    (GANDALF, section 4.7); a book is given as its characters and its text."""
    terms = {term for cast, text in books for term in find_terms(cast, text)[0]}
    return Names(
        "pooled",
        _texts(terms, NamePart.FIRST, Gender.FEMALE),
        _texts(terms, NamePart.FIRST, Gender.MALE),
        _texts(terms, NamePart.LAST, Gender.UNKNOWN),
    )


def _texts(terms: Iterable[Term], part: NamePart, gender: Gender) -> tuple[str, ...]:
    return tuple(sorted(term.text for term in terms if term.part is part and term.gender is gender))


def _name_lists(nationality: str | Names | None, random: Random) -> list[Names]:
    if isinstance(nationality, Names):
        return [nationality]
    names = [names for names in packaged_names() if nationality in (None, names.nationality)]
    random.shuffle(names)
    return names


def _taken_words(cast: Sequence[Named], words: Sequence[str], terms: Sequence[Term]) -> set[str]:
    """Return the case-folded words of the book and of its names, which cannot be new names."""
    names = " ".join(name for character in cast for name in (character.name, *character.aliases))
    plurals = [_plural(term.text) for term in terms]
    return {word.casefold() for word in (*words, *WORD.findall(names), *plurals)}


def _assign(
    terms: Sequence[Term], names: Names, taken: set[str], gender: str, random: Random
) -> dict[Term, str]:
    """Return a new name for each term, until the names run out."""
    free = {
        Gender.FEMALE: _free_names(names.female, taken, random),
        Gender.MALE: _free_names(names.male, taken, random),
        None: _free_names(names.last, taken, random),
    }
    used, new_names = set[str](), dict[Term, str]()
    for term in terms:
        kind = None if term.part is NamePart.LAST else _new_gender(term.gender, gender, random)
        while free[kind]:
            name = free[kind].pop()
            if name.casefold() not in used:
                used.add(name.casefold())
                new_names[term] = name
                break
    return new_names


def _free_names(names: Sequence[str], taken: set[str], random: Random) -> list[str]:
    free = [
        name
        for name in names
        if name.casefold() not in taken and _plural(name).casefold() not in taken
    ]
    random.shuffle(free)
    return free


def _new_gender(old: Gender, gender: str, random: Random) -> Gender:
    """Return the gender of a new name; always draws, unless it is fixed for all names."""
    if gender in (Gender.FEMALE, Gender.MALE):
        return Gender(gender)
    drawn = random.choice((Gender.FEMALE, Gender.MALE))
    if gender == "any" or old is Gender.UNKNOWN:
        return drawn
    other = Gender.MALE if old is Gender.FEMALE else Gender.FEMALE
    return other if gender == "switched" else old


def _word_forms(new_names: Mapping[Term, str], counts: Mapping[str, int]) -> dict[str, str]:
    """Return the words to replace, as they are written, and their replacements."""
    forms = {term.text: name for term, name in new_names.items()}
    for term, name in new_names.items():
        forms.setdefault(term.text.upper(), name.upper())
    for term, name in new_names.items():
        plural = _plural(term.text)
        is_word = plural.lower() in NEVER_TERMS or is_common_word(plural, counts)
        if term.part is NamePart.LAST and not is_word:
            forms.setdefault(plural, _plural(name))
            forms.setdefault(plural.upper(), _plural(name).upper())
    return forms


def _plural(name: str) -> str:
    return name + ("es" if name.endswith(("s", "x", "z", "ch", "sh")) else "s")
