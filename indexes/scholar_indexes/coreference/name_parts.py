"""Split each name variant into title, given name and surname, by the usage of the whole book.

Other variants show which word is which: if there is a Rawdon Crawley, "Rawdon" is his given name,
and his wife's name in "Mrs. Rawdon".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scholar_indexes.coreference.name_variants import NameVariant, VariantStats
from scholar_indexes.lexicon import given_names, titles
from scholar_indexes.lexicon.capitalised import SURNAME_PARTICLES
from scholar_indexes.types import Gender

SURE = 2.0
"""The minimum log odds at which pronouns determine the gender."""

PATRONYMIC = re.compile(r"(?:[oe]vit?ch|[oe]vna|it?chna|[fmy]itch|nych)$")
"""The endings of patronymics: Ivanovitch, Petrovna, Ilyitch; but not Friedrich or Fitch."""

_RARELY_TITLED = 20
"""The ratio of the uses of a listed given name alone to those after "Mr." from which the title does
not make it a surname."""

_LISP = "th", "s"
_V_FOR_W = str.maketrans("vV", "wW")
"""Sounds that speakers replace in a name: Jaggerth, Veller."""

_ELISION = re.compile(r"(?<=[a-z])['’](?=[a-z])")
"""Sounds that speakers omit in a name: Em'ly, Dan'el."""


@dataclass(frozen=True, slots=True)
class NameParts:
    """The folded parts of a name variant, the title in its standard form.

    `is_husbands` is True if the given name is the husband's: Mrs. John Dashwood. `gender` is that
    of the given name, by list or else by the pronouns after it in the whole book.
    """

    title: str
    given: str
    surname: str
    is_husbands: bool = False
    gender: Gender = Gender.UNKNOWN


@dataclass(frozen=True, slots=True)
class ParsedName:
    """A name variant with its parts and its counts."""

    variant: NameVariant
    parts: NameParts
    stats: VariantStats


@dataclass(frozen=True, slots=True)
class _NameCounts:
    """Counts of folded words as surnames and as given names in a book, the pet forms of its given
    names, and the genders of names."""

    surnames: Counter[str]
    given: Counter[str]
    pet_forms: frozenset[str]
    genders: Mapping[str, Gender]


@dataclass(frozen=True, slots=True)
class GivenNameRule:
    """A rule that decides whether a single name after certain titles is a given name."""

    name: str
    applies: Callable[[str], bool]
    is_given: Callable[[int, int, bool], bool]
    """Takes its counts as a surname and as a given name elsewhere, and whether it is listed."""


GIVEN_NAME_RULES = (
    GivenNameRule(
        "after a rank: only where it is no surname",
        lambda title: title in titles.RANKED,
        lambda as_surname, as_given, listed: as_given > 0 and not as_surname,
    ),
    GivenNameRule(
        "after a title of given names: unless it is a surname",
        lambda title: title in titles.WITH_GIVEN_NAME,
        lambda as_surname, as_given, listed: listed or not as_surname,
    ),
    GivenNameRule(
        "after any other title: where it is rather a given name",
        bool,
        lambda as_surname, as_given, listed: as_given > as_surname or (listed and not as_surname),
    ),
    GivenNameRule(
        "without a title: where it is listed or seen as one",
        lambda title: True,
        lambda as_surname, as_given, listed: as_given >= as_surname and (listed or as_given > 0),
    ),
)
"""Rules for a name of one word, in the order in which they are tried."""


def parse_names(variants: Mapping[NameVariant, VariantStats]) -> list[ParsedName]:
    """Return the variants that are not descriptions, with their parts, the most frequent first."""
    counts = _count_names(variants)
    surnames = _surnames_by_given_names(variants)
    spelled, full = _spellings(variants), _without_elisions(variants)

    def parts_of(variant: NameVariant) -> NameParts:
        whole = _complete(_with_surname(variant, surnames), full)
        return _split(_spell(whole, spelled), counts)

    names = [
        ParsedName(variant, parts_of(variant), stats)
        for variant, stats in variants.items()
        if not variant.is_description
    ]
    names.sort(key=lambda name: -name.stats.count)
    return names


def surname_of(variant: NameVariant) -> str:
    """Return the last word with the particles before it, folded: "de bourgh"."""
    first = len(variant.words) - 1
    while first > 0 and variant.words[first - 1].lower() in SURNAME_PARTICLES:
        first -= 1
    return " ".join(variant.words[first:]).lower()


def given_name_of(variant: NameVariant) -> str:
    """Return the first word, folded, with the next one if it is "St."; "" for a surname alone."""
    if len(variant.words) == len(surname_of(variant).split()):
        return ""
    size = 2 if variant.words[0].lower() in titles.SAINTS else 1
    return " ".join(variant.words[:size]).lower()


def _count_names(variants: Mapping[NameVariant, VariantStats]) -> _NameCounts:
    """Return how often each folded word is a surname and a given name."""
    surnames, given_counts = Counter[str](), Counter[str]()
    nicknamed, titled, maiden = Counter[str](), Counter[str](), Counter[str]()
    bare = Counter[str]()
    for variant, stats in variants.items():
        if variant.is_description:
            continue
        given, surname = given_name_of(variant), surname_of(variant)
        bare[surname] += 0 if given or variant.title else stats.count
        if given:
            given_counts[given] += stats.count
            strange = surname in given_names.ALL and not _is_listed(given)
            (nicknamed if strange else surnames)[surname] += stats.count
        elif _is_before_surname(variant.title, surname):
            titled[surname] += stats.count
            maiden[surname] += stats.count if variant.title in titles.MAIDEN else 0
    # If there is a Joe Harper, "Joe" in Injun Joe is not a surname; nor is "Rawdon" in Mrs. Rawdon
    # if there is a Rawdon Crawley, nor "Hepzibah" in Miss Hepzibah if there is a Hepzibah Pyncheon.
    surnames.update({name: n for name, n in nicknamed.items() if not given_counts[name]})
    for name in maiden.keys() & given_counts.keys() - surnames.keys():
        titled[name] -= maiden[name]
    as_given = {name: count + bare[name] for name, count in given_counts.items()}
    surnames.update({name: n for name, n in titled.items() if n >= as_given.get(name, 1)})
    surnames.update(_count_after_titles(variants, given_counts, bare))
    pet_forms = _find_pet_forms(variants, given_counts)
    for name in pet_forms:
        del surnames[name]
    return _NameCounts(surnames, given_counts, pet_forms, _genders_of_names(variants))


def _find_pet_forms(
    variants: Mapping[NameVariant, VariantStats], given_counts: Mapping[str, int]
) -> frozenset[str]:
    """Return the folded names of one word, mostly spoken, that are pet forms of a given name."""
    counts, quoted = Counter[str](), Counter[str]()
    for variant, stats in variants.items():
        if len(variant.words) == 1 and not variant.is_description:
            counts[variant.folded[0]] += stats.count
            quoted[variant.folded[0]] += stats.quoted
    given = {*given_counts, *filter(_is_listed, counts)}
    surnames = {surname_of(variant) for variant in variants if given_name_of(variant)}
    return frozenset(
        name
        for name, count in counts.items()
        if name not in surnames
        and 2 * quoted[name] > count
        and any(given_names.is_pet_form(name, whole) for whole in given)
    )


def _count_after_titles(
    variants: Mapping[NameVariant, VariantStats],
    given_counts: Mapping[str, int],
    bare: Counter[str],
) -> dict[str, int]:
    """Return how often each name, unless it is a given name, follows a title of surnames; `bare`
    counts the names alone."""
    counts = Counter[str]()
    for variant, stats in variants.items():
        name = surname_of(variant)
        if titles.standard_form(variant.title) not in titles.WITH_SURNAME:
            continue
        if not given_name_of(variant) and not given_counts.get(name):
            counts[name] += stats.count
    return {
        name: count
        for name, count in counts.items()
        if not (_is_listed(name) and bare[name] > _RARELY_TITLED * count)
    }


def _is_before_surname(title: str, name: str) -> bool:
    """Return True if the title before a single name suggests a surname."""
    if titles.standard_form(title) in titles.RANKED:
        return True
    return bool(title) and title not in titles.WITH_GIVEN_NAME and not _is_listed(name)


def _surnames_by_given_names(
    variants: Mapping[NameVariant, VariantStats],
) -> dict[tuple[str, ...], str]:
    """Return the surnames by the two words before, if the second is a patronymic, or no name by
    itself: Lef Nicolaievitch Muishkin, Alan Breck Stewart."""
    alone = {variant.words[0] for variant in variants if len(variant.words) == 1}
    surnames: dict[tuple[str, ...], list[str]] = {}
    for variant in sorted(variants, key=lambda variant: variants[variant].count):
        if len(variant.words) == 3 and surname_of(variant) == variant.words[2].lower():
            surnames.setdefault(variant.words[:2], []).append(variant.words[2])
    return {
        words: last[-1]
        for words, last in surnames.items()
        if PATRONYMIC.search(words[1]) or (len(set(last)) == 1 and words[1] not in alone)
    }


def _with_surname(variant: NameVariant, surnames: Mapping[tuple[str, ...], str]) -> NameVariant:
    """Return a variant with the surname that its given name and patronymic have elsewhere."""
    surname = surnames.get(variant.words)
    return variant if surname is None else NameVariant(variant.title, (*variant.words, surname))


def _spellings(variants: Mapping[NameVariant, VariantStats]) -> dict[str, str]:
    """Return the usual spelling of the last words that only speakers pronounce otherwise: Jaggers
    for Jaggerth, Weller for Veller."""
    counts, quoted = Counter[str](), Counter[str]()
    for variant, stats in variants.items():
        counts[variant.words[-1]] += stats.count
        quoted[variant.words[-1]] += stats.quoted
    return {
        word: usual
        for word, count in counts.items()
        for usual in (word.translate(_V_FOR_W), word.replace(*_LISP))
        if quoted[word] == count and usual != word and counts[usual] > 3 * count
    }


def _without_elisions(variants: Iterable[NameVariant]) -> dict[str, str]:
    """Return the full spelling of words with an elision that occur in full too: Emily for Em'ly."""
    words = {word for variant in variants for word in variant.words}
    full = {}
    for word in filter(_ELISION.search, words):
        pattern = re.compile(_ELISION.sub("[a-z]{1,2}", word))
        spelled = [other for other in words if pattern.fullmatch(other)]
        if len(spelled) == 1:
            full[word] = spelled[0]
    return full


def _spell(variant: NameVariant, spelled: Mapping[str, str]) -> NameVariant:
    """Return a variant with its last word in the usual spelling."""
    *first, last = variant.words
    return NameVariant(variant.title, (*first, spelled.get(last, last)))


def _complete(variant: NameVariant, full: Mapping[str, str]) -> NameVariant:
    """Return a variant with its elisions in full."""
    return NameVariant(variant.title, tuple(full.get(word, word) for word in variant.words))


def _is_listed(name: str) -> bool:
    """Return True if a folded name is a listed given name: John, St. John, John-Paul."""
    first, _, second = name.partition(" ")
    return name.partition("-")[0] in given_names.ALL or (
        first in titles.SAINTS and second in given_names.ALL
    )


def _genders_of_names(variants: Mapping[NameVariant, VariantStats]) -> dict[str, Gender]:
    """Return the gender of each folded first word of names, by list or by pronouns."""
    log_odds: dict[str, float] = {}
    for variant, stats in variants.items():
        if titles.standard_form(variant.title) not in titles.WIVES:
            first = variant.words[0].lower()
            log_odds[first] = log_odds.get(first, 0.0) + stats.male_log_odds
    return {name: _gender_of_name(name, value) for name, value in log_odds.items()}


def _gender_of_name(name: str, log_odds: float) -> Gender:
    """Return the listed gender of a folded given name, or else that of its pronouns."""
    listed = given_names.gender(name)
    if listed is not Gender.UNKNOWN or abs(log_odds) < SURE:
        return listed
    return Gender.MALE if log_odds > 0 else Gender.FEMALE


def _split(variant: NameVariant, counts: _NameCounts) -> NameParts:
    """Return the parts of a variant; a single name is split by GIVEN_NAME_RULES."""
    title = titles.standard_form(variant.title)
    given, surname = given_name_of(variant), surname_of(variant)
    gender = counts.genders.get(given or surname, Gender.UNKNOWN)
    if given:
        return NameParts(title, given, surname, _is_husbands(title, gender), gender)
    as_surname, as_given = counts.surnames.get(surname, 0), counts.given.get(surname, 0)
    rule = next(rule for rule in GIVEN_NAME_RULES if rule.applies(title))
    listed = _is_listed(surname) or surname in counts.pet_forms
    if rule.is_given(as_surname, as_given, listed):
        return NameParts(title, surname, "", _is_husbands(title, gender), gender)
    return NameParts(title, "", surname)


def _is_husbands(title: str, gender: Gender) -> bool:
    """Return True if a given name after a wife's title is her husband's: Mrs. John Dashwood."""
    return title in titles.WIVES and gender is Gender.MALE
