"""Separate the name variants of persons from the names of places, families and other things."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scholar_indexes.coreference.name_evidence import collect_variants
from scholar_indexes.coreference.name_parts import given_name_of, surname_of
from scholar_indexes.coreference.name_variants import DEFINITE, NameVariant, VariantStats
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel
from scholar_indexes.lexicon import capitalised, given_names, person_nouns, titles

MAX_VARIANTS = 1_000
"""The maximum number of name variants merged, the most frequent ones; no known novel has this many,
and merging takes quadratic time."""

_MONSIEURS = 4
"""The minimum number of names that begin with "M." in a book in which it is a title."""

_OFFICES = titles.OFFICES | titles.PERSONAL | person_nouns.CALLINGS | {"chief"}
"""Words that after a noble title are no name: Lord Mayor."""

_WEIGHTS = {
    "bias": -1.1,
    "speaking": 1.2,
    "acting": 4.4,
    "addressed": 1.1,
    "owning": 4.7,
    "after_locative": -3.3,
    "after_directional": -0.7,
    "after_article": -0.8,
    "given_name": 1.4,
    "place": -2.0,
    "doubtful": -1.1,
    "titled": 1.3,
    "several_words": 0.6,
}
"""The weights of a logistic regression on name variants of 22 novels labelled from LitBank's
entities (Bamman et al. 2019); the novels used to evaluate casts are not among them."""

_SHARES = (
    "speaking",
    "acting",
    "addressed",
    "owning",
    "after_locative",
    "after_directional",
    "after_article",
)
"""Counts of VariantStats whose share of all occurrences is a feature."""


@dataclass(frozen=True, slots=True)
class VariantInBook:
    """A name variant and its counts; how often its last word follows a title, and is written
    without a capital."""

    variant: NameVariant
    stats: VariantStats
    titled: int
    uncapitalised: int = 0

    @property
    def last_word(self) -> str:
        """The last word, folded."""
        return self.variant.words[-1].lower()

    @property
    def is_active(self) -> bool:
        """True if the name speaks, acts or is addressed anywhere."""
        return self.stats.speaking + self.stats.acting + self.stats.addressed > 0

    @property
    def is_listed(self) -> bool:
        """True if the first word is a listed given name."""
        return self.variant.folded[0] in given_names.ALL

    @property
    def only_opens_speech(self) -> bool:
        """True if the name does nothing but begin sentences in speech."""
        stats = self.stats
        return (
            stats.speaking + stats.acting == 0
            and stats.quoted >= 0.9 * stats.count
            and stats.opening >= max(0.5 * stats.count, 0.9 * stats.addressed)
        )

    def acts_in(self, share: float) -> bool:
        """Return True if the name speaks or acts at this share of its places, at least once."""
        return self.stats.speaking + self.stats.acting >= max(1, share * self.stats.count)


@dataclass(frozen=True, slots=True)
class PersonRule:
    """A rule that decides whether certain name variants mean a person."""

    name: str
    applies: Callable[[VariantInBook], bool]
    is_person: Callable[[VariantInBook], bool]


PERSON_RULES = (
    PersonRule(
        "a description is judged elsewhere",
        lambda name: name.variant.is_description,
        lambda name: True,
    ),
    PersonRule(
        "Mr., Mrs. and Miss are said of persons only",
        lambda name: name.variant.title in ("mr", "mrs", "miss"),
        lambda name: True,
    ),
    PersonRule(
        "a title alone: Lord Mayor",
        lambda name: (
            name.variant.title in titles.NOBLE and _OFFICES.issuperset(name.variant.folded)
        ),
        lambda name: False,
    ),
    PersonRule(
        "other titles are, unless of a place or a god",
        lambda name: bool(name.variant.title),
        lambda name: (
            name.last_word not in capitalised.DOUBTFUL_NAMES
            and (name.is_active or name.last_word not in capitalised.PLACE_ENDINGS)
        ),
    ),
    PersonRule(
        "Gower Street does nothing",
        lambda name: (
            len(name.variant.words) > 1
            and name.last_word in capitalised.PLACE_ENDINGS
            and not name.is_active
        ),
        lambda name: False,
    ),
    PersonRule(
        "who has just spoken: “...,” said Owl Eyes",
        lambda name: (
            name.stats.cued > 0.05 * name.stats.count
            and name.last_word not in capitalised.DOUBTFUL_NAMES
        ),
        lambda name: True,
    ),
    PersonRule(
        "an exclamation only opens sentences: Halloa!",
        lambda name: not (name.is_listed or name.titled) and name.only_opens_speech,
        lambda name: False,
    ),
    PersonRule(
        "a house or a people after an article: the Boar, an Italian",
        lambda name: (
            name.stats.after_article > name.stats.count / 2
            and not (name.titled or (name.stats.speaking > 0 and name.acts_in(0.05)))
            and (name.uncapitalised > 0 or name.stats.owning <= max(20, 0.25 * name.stats.count))
        ),
        lambda name: False,
    ),
    PersonRule(
        "a common word: Time",
        lambda name: (
            len(name.variant.words) == 1
            and name.uncapitalised > name.stats.count
            and not (name.is_listed or name.titled)
            and not (name.acts_in(0.05) and name.stats.speaking + name.stats.addressed > 0)
        ),
        lambda name: False,
    ),
    PersonRule(
        "who is nearly always addressed by the name is a narrator",
        lambda name: (
            name.stats.addressed >= max(5, 0.6 * name.stats.count)
            and name.last_word not in capitalised.DOUBTFUL_NAMES
        ),
        lambda name: True,
    ),
    PersonRule(
        "the surroundings decide, a single one only clearly",
        lambda name: True,
        lambda name: person_log_odds(name) > (0 if name.stats.count > 1 or name.titled else 0.5),
    ),
)
"""Rules in the order in which they are tried."""


def collect_person_names(novel: TokenizedNovel) -> dict[NameVariant, VariantStats]:
    """Return the name variants of a novel that mean a person, the most frequent first."""
    variants = _with_monsieur(collect_variants(novel, given_names.ALL))
    titled, endings = Counter[str](), Counter[str]()
    for variant, stats in variants.items():
        endings[variant.words[-1]] += stats.count
        if variant.title and not variant.is_description:
            titled[variant.words[-1]] += stats.count
    persons = {
        variant: stats
        for variant, stats in variants.items()
        if not _is_family(variant, stats, endings)
        and is_person(_in_book(novel, variant, stats, titled))
    }
    persons |= _full_names_of(persons, variants)
    ranked = sorted(persons.items(), key=lambda item: -item[1].count)
    return dict(ranked[:MAX_VARIANTS])


def _in_book(
    novel: TokenizedNovel, variant: NameVariant, stats: VariantStats, titled: Mapping[str, int]
) -> VariantInBook:
    """Return a name variant with the counts of its last word in the book."""
    last = variant.words[-1]
    return VariantInBook(variant, stats, titled[last], novel.counts[last.lower()])


def is_person(name: VariantInBook) -> bool:
    """Return True if a name variant means a person by the first rule that applies."""
    rule = next(rule for rule in PERSON_RULES if rule.applies(name))
    return rule.is_person(name)


def person_log_odds(name: VariantInBook) -> float:
    """Return the log odds that an untitled name means a person, given its contexts."""
    folded = name.variant.folded
    has_several_words = len(folded) > 1
    is_place = (folded[-1] in capitalised.PLACE_ENDINGS and not name.titled) or (
        has_several_words and folded[0] in capitalised.PLACE_BEGINNINGS
    )
    features = {
        "bias": 1.0,
        "given_name": float(folded[0] in given_names.ALL),
        "place": float(is_place),
        "doubtful": float(not capitalised.DOUBTFUL_NAMES.isdisjoint(folded)),
        "titled": float(name.titled > 0),
        "several_words": float(has_several_words),
    }
    for share in _SHARES:
        features[share] = math.sqrt(getattr(name.stats, share) / (name.stats.count + 2))
    return sum(_WEIGHTS[feature] * value for feature, value in features.items())


def _with_monsieur(
    variants: Mapping[NameVariant, VariantStats],
) -> dict[NameVariant, VariantStats]:
    """Return the variants with "M." as a title, if too many have it for an initial."""
    french = {variant for variant in variants if not variant.title and variant.words[0] == "M"}
    is_title = len(french) >= _MONSIEURS
    return {
        NameVariant("m", variant.words[1:]) if is_title and variant in french else variant: stats
        for variant, stats in variants.items()
    }


def _full_names_of(
    persons: Mapping[NameVariant, VariantStats], variants: Mapping[NameVariant, VariantStats]
) -> dict[NameVariant, VariantStats]:
    """Return the variants whose given name and surname both belong to persons: if Huckleberry and
    Huck Finn are persons, so is Huckleberry Finn."""
    single = {" ".join(variant.folded) for variant in persons if not given_name_of(variant)}
    surnames = {
        surname_of(variant)
        for variant in persons
        if variant.title not in ("", DEFINITE) or given_name_of(variant)
    }
    return {
        variant: stats
        for variant, stats in variants.items()
        if given_name_of(variant) in single
        and surname_of(variant) in surnames
        and variant.folded[-1] not in capitalised.PLACE_ENDINGS
    }


def _is_family(variant: NameVariant, stats: VariantStats, endings: Mapping[str, int]) -> bool:
    """Return True if a name means several people of one surname: the Musgroves, the Miss
    Steeles."""
    last = variant.words[-1]
    if not last.endswith("s") or last.lower() in given_names.ALL:
        return False
    singulars = [last[:-1], last[:-2]] if last.endswith("es") else [last[:-1]]
    mostly_after_article = stats.after_article > stats.count / 2
    is_given_name = any(singular.lower() in given_names.ALL for singular in singulars)
    if is_given_name and not mostly_after_article:
        return False  # Mr. Williams
    most = max(endings.get(singular, 0) for singular in singulars)
    return most > 2 * endings[last] or (most > 1 and mostly_after_article)
