"""Split each name variant into title, given name and surname, by the usage of the whole book.

Other variants show which word is which: if there is a Rawdon Crawley, "Rawdon" is his given name,
and his wife's name in "Mrs. Rawdon".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

from scholar_indexes.coreference.name_variants import NameVariant, VariantStats
from scholar_indexes.lexicon import given_names, titles
from scholar_indexes.lexicon.capitalised import SURNAME_PARTICLES
from scholar_indexes.types import Gender

SURE = 2.0
"""The minimum log odds at which pronouns determine the gender."""

PATRONYMIC = re.compile(r"(?:[oe]vit?ch|[oe]vna|it?chna|[fmy]itch|nych)$")
"""The endings of patronymics: Ivanovitch, Petrovna, Ilyitch; but not Friedrich or Fitch."""


@dataclass(frozen=True, slots=True)
class NameParts:
    """The folded parts of a name variant, the title in its standard form.

    `is_husbands` is True if the given name is the husband's: Mrs. John Dashwood.
    """

    title: str
    given: str
    surname: str
    is_husbands: bool = False


@dataclass(frozen=True, slots=True)
class ParsedName:
    """A name variant with its parts and its counts."""

    variant: NameVariant
    parts: NameParts
    stats: VariantStats


@dataclass(frozen=True, slots=True)
class _NameCounts:
    """Counts of folded words as surnames and as given names in a book, and the men's names."""

    surnames: Counter[str]
    given: Counter[str]
    men: Set[str]


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
    surnames = _surnames_of_patronymics(variants)
    names = [
        ParsedName(variant, _split(_with_surname(variant, surnames), counts), stats)
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
    nicknamed, titled = Counter[str](), Counter[str]()
    for variant, stats in variants.items():
        if variant.is_description:
            continue
        given, surname = given_name_of(variant), surname_of(variant)
        if given:
            given_counts[given] += stats.count
            strange = surname in given_names.ALL and not _is_listed(given)
            (nicknamed if strange else surnames)[surname] += stats.count
        elif _is_before_surname(variant.title, surname):
            titled[surname] += stats.count
    # If there is a Joe Harper, "Joe" in Injun Joe is not a surname; nor is "Rawdon" in Mrs. Rawdon
    # if there is a Rawdon Crawley.
    surnames.update({name: n for name, n in nicknamed.items() if not given_counts[name]})
    surnames.update({name: n for name, n in titled.items() if n >= given_counts[name]})
    surnames.update(_count_after_titles(variants, given_counts))
    return _NameCounts(surnames, given_counts, _names_of_men(variants))


def _count_after_titles(
    variants: Mapping[NameVariant, VariantStats], given_counts: Mapping[str, int]
) -> Counter[str]:
    """Return how often each name, unless it is a given name, follows a title of surnames."""
    counts = Counter[str]()
    for variant, stats in variants.items():
        name = surname_of(variant)
        if titles.standard_form(variant.title) not in titles.WITH_SURNAME:
            continue
        if not given_name_of(variant) and not given_counts.get(name):
            counts[name] += stats.count
    return counts


def _is_before_surname(title: str, name: str) -> bool:
    """Return True if the title before a single name suggests a surname."""
    if titles.standard_form(title) in titles.RANKED:
        return True
    return bool(title) and title not in titles.WITH_GIVEN_NAME and not _is_listed(name)


def _surnames_of_patronymics(
    variants: Mapping[NameVariant, VariantStats],
) -> dict[tuple[str, ...], str]:
    """Return the surnames of Russian names by the two words before: Lef Nicolaievitch Muishkin."""
    return {
        variant.words[:2]: variant.words[2]
        for variant in sorted(variants, key=lambda variant: variants[variant].count)
        if len(variant.words) == 3 and PATRONYMIC.search(variant.words[1])
    }


def _with_surname(variant: NameVariant, surnames: Mapping[tuple[str, ...], str]) -> NameVariant:
    """Return a variant with the surname that its given name and patronymic have elsewhere."""
    surname = surnames.get(variant.words)
    return variant if surname is None else NameVariant(variant.title, (*variant.words, surname))


def _is_listed(name: str) -> bool:
    """Return True if a folded name is a listed given name: John, St. John."""
    first, _, second = name.partition(" ")
    return name in given_names.ALL or (first in titles.SAINTS and second in given_names.ALL)


def _names_of_men(variants: Mapping[NameVariant, VariantStats]) -> set[str]:
    """Return the folded first words of men's names, by list or by pronouns."""
    log_odds: dict[str, float] = {}
    for variant, stats in variants.items():
        if titles.standard_form(variant.title) not in titles.WIVES:
            first = variant.words[0].lower()
            log_odds[first] = log_odds.get(first, 0.0) + stats.male_log_odds
    return {
        name
        for name, value in log_odds.items()
        if given_names.gender(name) is Gender.MALE
        or (given_names.gender(name) is Gender.UNKNOWN and value >= SURE)
    }


def _split(variant: NameVariant, counts: _NameCounts) -> NameParts:
    """Return the parts of a variant; a single name is split by GIVEN_NAME_RULES."""
    title = titles.standard_form(variant.title)
    given, surname = given_name_of(variant), surname_of(variant)
    if given:
        return NameParts(title, given, surname, _is_husbands(title, given, counts))
    as_surname, as_given = counts.surnames.get(surname, 0), counts.given.get(surname, 0)
    rule = next(rule for rule in GIVEN_NAME_RULES if rule.applies(title))
    if rule.is_given(as_surname, as_given, _is_listed(surname)):
        return NameParts(title, surname, "", _is_husbands(title, surname, counts))
    return NameParts(title, "", surname)


def _is_husbands(title: str, given: str, counts: _NameCounts) -> bool:
    """Return True if a given name after a wife's title is her husband's: Mrs. John Dashwood."""
    is_mans = given in counts.men or given_names.gender(given) is Gender.MALE
    return title in titles.WIVES and is_mans
