"""Ordered tables of the rules by which a name joins a character; a new rule is a new row.

The rules of a pass are tried in order. The first that decides gives the character that the name
joins, or that it begins a new one or belongs to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from scholar_indexes.coreference import proximity
from scholar_indexes.coreference.clusters import CharacterCluster, clear_winner
from scholar_indexes.coreference.merge_case import Decision, MergeCase, Outcome, likeliest_bearer
from scholar_indexes.coreference.separation_rules import is_told_apart
from scholar_indexes.lexicon import given_names, titles
from scholar_indexes.types import Gender

SOMEWHAT = 2.0
"""The least ratio of a character's mentions to others' with the same given name, to get it."""

WIDELY = 5
"""The least ratio of the uses of a bearer's other title to the uses of a rare title."""

RARELY = 10
"""The least ratio of the uses of a name to the mentions of a character who is hardly ever called
anything else, or by the name with a surname."""

OFTEN_NAMED = 5
"""The minimum uses of a given name with a surname to decide whom it means alone."""

NEARLY_ALWAYS = 20
"""The least ratio of the mentions of a character to those by full name, to go by the given name."""

OFTEN_AS_MISS = 4
"""The minimum uses of "Miss" with a given name that tell a younger sister from the eldest."""

GOES_BY_BOTH = 20
"""The minimum uses of each of two names in the narration by which a character may go."""

OFTEN_NOBLE = 0.2
"""The minimum share of noble titles among the mentions of a noble person by full name."""


@dataclass(frozen=True, slots=True)
class MergeRule:
    """A row of the tables below: a name, what it joins, and the function that decides a case."""

    name: str
    joins: str
    decide: Callable[[MergeCase], Decision]


def _join_same_full_name(case: MergeCase) -> Decision:
    if not case.same_given_name:
        return Outcome.UNDECIDED
    return clear_winner(case.same_given_name) or Outcome.NEW


def _join_like_full_name(case: MergeCase) -> Decision:
    # Sir Thomas Bertram's son is Tom Bertram.
    alike = [
        cluster
        for cluster in case.clusters
        if cluster.is_husbands_name == case.parts.is_husbands
        and all(_are_alike(case.parts.given, name) for name in _whole_names(cluster))
        and case.agrees(cluster)
        and not (case.parts.title in titles.NOBLE or _is_noble(cluster))
    ]
    return clear_winner(alike) or Outcome.UNDECIDED


def _whole_names(cluster: CharacterCluster) -> list[str]:
    """Return the given names of a character, without initials if there are others."""
    whole = [name for name in cluster.given_names if len(name) > 1]
    return whole or list(cluster.given_names)


def _is_noble(cluster: CharacterCluster) -> bool:
    """Return True if a character is often named with a noble title."""
    return sum(cluster.titles[title] for title in titles.NOBLE) > OFTEN_NOBLE * cluster.count


def _join_same_title(case: MergeCase) -> Decision:
    for cluster in case.clusters:
        if case.parts.title in cluster.titles and not cluster.given_names:
            return cluster
    return Outcome.UNDECIDED


def _join_wife_by_husbands_name(case: MergeCase) -> Decision:
    if case.parts.title not in titles.WIVES:
        return Outcome.UNDECIDED
    wives = [
        cluster
        for cluster in case.clusters
        if cluster.is_husbands_name and case.parts.title in cluster.titles
    ]
    if not wives:
        return Outcome.UNDECIDED
    only = len(wives) == 1 and wives[0].count >= 0.3 * case.stats.count
    return wives[0] if only else Outcome.NEW


def _join_only_married_woman(case: MergeCase) -> Decision:
    if case.parts.title not in titles.WIVES:
        return Outcome.UNDECIDED
    maids = _maids_of_family(case)
    women = [
        cluster
        for cluster in case.clusters
        if cluster.given_name
        and case.agrees(cluster)
        and cluster.gender is Gender.FEMALE
        and cluster not in maids
    ]
    if len(women) == 1 and not _are_two(case, women[0]):
        return women[0]
    return _find_in_scenes(case) or Outcome.NEW


def _is_rare(case: MergeCase, cluster: CharacterCluster) -> bool:
    """Return True if a title is frequent and a character is hardly ever called anything else: Mrs.
    Proudie is not her daughter Olivia."""
    return case.stats.count >= GOES_BY_BOTH and RARELY * _weight(case, cluster) < case.stats.count


def _weight(case: MergeCase, cluster: CharacterCluster) -> int:
    """Return the number of mentions of a character, by the given name alone too."""
    return cluster.count + sum(stats.count for stats in case.book.bare_names_of(cluster))


def _are_two(case: MergeCase, cluster: CharacterCluster) -> bool:
    """Return True if the narration often uses both a name and a character's full name, and in few
    scenes together."""
    full = sorted(chain(*(stats.positions for stats in cluster.variants.values())))
    bare = sum(len(stats.positions) for stats in case.book.bare_names_of(cluster))
    rare, frequent = sorted((full, case.stats.positions), key=len)
    return (
        len(rare) >= GOES_BY_BOTH
        and bare < len(full)
        and 5 * proximity.count_close(rare, frequent, proximity.SCENE) < len(rare)
    )


def _find_in_scenes(case: MergeCase) -> CharacterCluster | None:
    """Return the only married woman of the family in the scenes of a name, not in its sentences."""
    women = [
        cluster
        for cluster in case.clusters
        if cluster.given_name and cluster.gender is Gender.FEMALE and case.agrees(cluster)
        if case.book.is_in_scenes(cluster, case.stats) and not _is_rare(case, cluster)
    ]
    return women[0] if len(women) == 1 else None


def _maids_of_family(case: MergeCase) -> list[CharacterCluster]:
    """Return the characters with the surname and no wife's title, if the family has a "Miss"."""
    family = [cluster for cluster in case.clusters if cluster.surname == case.parts.surname]
    if all(titles.MAIDEN.isdisjoint(cluster.titles) for cluster in family):
        return []
    return [cluster for cluster in family if titles.WIVES.isdisjoint(cluster.titles)]


def _join_full_name_of_title(case: MergeCase) -> Decision:
    if case.parts.title in titles.KINDRED:
        return Outcome.UNDECIDED  # Aunt Norris is Mrs. Norris; nieces would use a given name
    ranked = [cluster for cluster in case.clusters if case.parts.title in cluster.titles]
    if case.parts.title in titles.RANKED and len(ranked) == 1:
        return ranked[0]
    bearers = _bearers_in_full(case)
    if not bearers:
        return Outcome.UNDECIDED
    if all(given_names.stands_for(bearers[0].given_name, one.given_name) for one in bearers):
        return clear_winner(bearers) or Outcome.NEW  # William Dobbin, not once Bill Dobbin
    by_surname = _eldest_sisters if case.parts.title in titles.MAIDEN else _who_go_by_surname
    likely = by_surname(case, bearers) or bearers
    return clear_winner(likely, weight=partial(_weight, case)) or Outcome.NEW


def _bearers_in_full(case: MergeCase) -> list[CharacterCluster]:
    """Return the characters with a full name that no separation rule keeps apart from a title and
    surname; those known by an initial only if there are no others."""
    fitting = [
        cluster
        for cluster in case.clusters
        if cluster.given_name and case.agrees(cluster) and not is_told_apart(case, cluster)
    ]
    return [cluster for cluster in fitting if len(cluster.given_name) > 1] or fitting


def _who_go_by_surname(
    case: MergeCase, bearers: Sequence[CharacterCluster]
) -> list[CharacterCluster]:
    """Return the bearers of a man's title and surname who are not nearly always called by the given
    name alone: Mr. Yorke is Hiram Yorke, not his son Martin."""
    return [
        one
        for one in bearers
        if one.count >= OFTEN_NAMED and _weight(case, one) < NEARLY_ALWAYS * one.count
    ]


def _eldest_sisters(case: MergeCase, sisters: Sequence[CharacterCluster]) -> list[CharacterCluster]:
    """Return the sisters who are never "Miss" with a given name, if others are: Miss Bennet is
    Jane, since her sister is Miss Elizabeth."""
    as_miss = [case.book.count_as_miss(sister) for sister in sisters]
    if max(as_miss, default=0) < OFTEN_AS_MISS:
        return []
    return [
        sister
        for sister, count in zip(sisters, as_miss, strict=True)
        if count == 0 and _weight(case, sister) >= OFTEN_NAMED
    ]


def _join_far_more_frequent_title(case: MergeCase) -> Decision:
    others = [
        cluster
        for cluster in case.clusters
        if not cluster.given_names
        and case.agrees(cluster)
        and (cluster.count > WIDELY * case.stats.count or _is_by_office(case, cluster))
    ]
    return clear_winner(others) or Outcome.UNDECIDED


def _is_by_office(case: MergeCase, cluster: CharacterCluster) -> bool:
    """Return True if either title is an office or of kin: Parson Thirdly, Mr. Thirdly."""
    by_office = titles.OFFICES | titles.KINDRED
    return case.parts.title in by_office or by_office.issuperset(cluster.titles)


def _join_titled_prince(case: MergeCase) -> Decision:
    titled = [
        cluster for cluster in case.agreeing_given_names if case.parts.title in cluster.titles
    ]
    if case.parts.title not in titles.PRINCELY or not titled:
        return Outcome.UNDECIDED
    return clear_winner(titled, SOMEWHAT) or Outcome.NEW


def _join_same_given_name(case: MergeCase) -> Decision:
    winner = clear_winner(case.agreeing_given_names, SOMEWHAT) or _usual_bearer(case)
    if winner is None:
        return Outcome.UNDECIDED
    given = case.parts.given
    if winner.given_names[given] * RARELY < case.stats.count:
        # A full name that occurs once may be two names side by side: "Rodya, Pyotr Petrovitch".
        formal = given_names.FORMAL.get(given, frozenset())
        fuller = [one for one in _fuller_names(case) if not formal.isdisjoint(one.given_names)]
        return clear_winner(list(dict.fromkeys([winner, *fuller]))) or winner
    return winner


def _usual_bearer(case: MergeCase) -> CharacterCluster | None:
    """Return the bearer of a given name who is named with it and a surname far more often than any
    other: John is John Silver, not John Trelawney."""

    def weight(cluster: CharacterCluster) -> int:
        return cluster.given_names[case.parts.given]

    usual = clear_winner(case.agreeing_given_names, weight=weight)
    return usual if usual is not None and weight(usual) >= OFTEN_NAMED else None


def _join_commoner_of_given_name(case: MergeCase) -> Decision:
    if not case.agreeing_given_names:
        return Outcome.UNDECIDED
    commoners = [
        cluster
        for cluster in case.agreeing_given_names
        if titles.PRINCELY.isdisjoint(cluster.titles)
    ]
    if case.parts.title or not commoners:
        return Outcome.NEW
    return clear_winner(commoners, SOMEWHAT) or Outcome.NEW


def _join_short_form(case: MergeCase) -> Decision:
    return clear_winner(_fuller_names(case)) or Outcome.UNDECIDED


def _fuller_names(case: MergeCase) -> list[CharacterCluster]:
    """Return the clusters whose given name a name may be short for."""
    # Lord Henry is called Harry only in speech.
    spoken = case.stats.quoted > case.stats.count / 2
    return [
        cluster
        for cluster in case.clusters
        if cluster.is_husbands_name == case.parts.is_husbands
        and any(_is_short_for(case.parts.given, name, spoken) for name in cluster.given_names)
        and case.agrees(cluster)
        and (_is_part(case, cluster) or not case.book.stands_beside(cluster, case.stats))
        and (spoken or titles.NOBLE.isdisjoint(cluster.titles))
    ]


def _is_short_for(short: str, name: str, spoken: bool) -> bool:
    """Return True if a given name is a short form of another, listed or mostly spoken."""
    return given_names.stands_for(short, name) or (spoken and given_names.is_pet_form(short, name))


def _is_part(case: MergeCase, cluster: CharacterCluster) -> bool:
    """Return True if a name is the first part of a character's given name: Elizabeth-Jane."""
    return any(name.partition("-")[0] == case.parts.given for name in cluster.given_names)


def _begin_unborne_surname(case: MergeCase) -> Decision:
    return Outcome.UNDECIDED if case.bearers else Outcome.NEW


def _leave_shared_surname(case: MergeCase) -> Decision:
    return Outcome.UNDECIDED if case.only_likeliest else Outcome.NOBODY


def _join_other_than_given_name(case: MergeCase) -> Decision:
    bearer = case.only_likeliest
    if bearer is None or not proximity.are_side_by_side(
        case.book.bare_names_of(bearer), case.stats
    ):
        return Outcome.UNDECIDED
    others = [cluster for cluster in case.bearers if not case.book.goes_by_given_name(cluster)]
    return likeliest_bearer(others, case.stats) or Outcome.NEW


def _join_likeliest_bearer(case: MergeCase) -> Decision:
    return case.only_likeliest or Outcome.UNDECIDED


FULL_NAME_RULES = (
    MergeRule(
        "same full name",
        "a given name and a surname to who has both: Mr. John Smith, John Smith",
        _join_same_full_name,
    ),
    MergeRule(
        "like full name",
        "a short form or an initial with the surname to the full name: Lizzy Bennet",
        _join_like_full_name,
    ),
)

TITLE_RULES = (
    MergeRule(
        "same title",
        "a title and a surname to another spelling of the title: Dr. Watson, Doctor Watson",
        _join_same_title,
    ),
    MergeRule(
        "wife by her husband's name",
        "Mrs. Dashwood to the only Mrs. John Dashwood, unless she is rare",
        _join_wife_by_husbands_name,
    ),
    MergeRule(
        "only married woman",
        "Mrs. Dalloway to the only woman of a full name who may be married",
        _join_only_married_woman,
    ),
    MergeRule(
        "full name of a title",
        "Mr. Darcy to the full name that no separation rule keeps apart: Fitzwilliam Darcy",
        _join_full_name_of_title,
    ),
    MergeRule(
        "far more frequent title",
        "a rare title, or an office, to one with another title: Squire Trelawney, Parson Thirdly",
        _join_far_more_frequent_title,
    ),
)

GIVEN_NAME_RULES = (
    MergeRule(
        "prince by his title",
        "a noble title and a given name to one of that title: Prince Andrew",
        _join_titled_prince,
    ),
    MergeRule(
        "same given name",
        "a given name to the one who has it, or is named far more often: Elizabeth",
        _join_same_given_name,
    ),
    MergeRule(
        "commoner of a given name",
        "a bare given name of several to the one without a noble title: Nicholas Rostov",
        _join_commoner_of_given_name,
    ),
    MergeRule(
        "short form",
        "a short form to the given name it stands for: Lizzy",
        _join_short_form,
    ),
)

SURNAME_RULES = (
    MergeRule(
        "surname that nobody bears",
        "nothing: the surname is all that its bearer is called",
        _begin_unborne_surname,
    ),
    MergeRule(
        "surname that several share",
        "nothing: the surname is given to nobody",
        _leave_shared_surname,
    ),
    MergeRule(
        "other than who goes by the given name",
        "a surname to another of the family than the one it stands beside: Paul and Morel",
        _join_other_than_given_name,
    ),
    MergeRule(
        "likeliest bearer",
        "a surname to the man who bears it, or the most frequent one: Darcy",
        _join_likeliest_bearer,
    ),
)

MARRIAGE = MergeRule(
    "woman who marries",
    "the full names of a woman before and after marriage: Grace Melbury, Grace Fitzpiers",
    lambda case: Outcome.UNDECIDED,
)
"""Joins clusters, not names, once all full names are known; see AliasMerger._join_marriages."""

BRIDE = MergeRule(
    "bride",
    "a wife's title and surname to the woman whom it follows: Miss Brooke is Mrs. Casaubon",
    lambda case: Outcome.UNDECIDED,
)
"""Joins clusters too; see brides."""

PATRONYMICS = MergeRule(
    "given name and patronymic",
    "a given name and a patronymic to its only bearer with a surname: Parfen Semionovitch",
    lambda case: Outcome.UNDECIDED,
)
"""Joins clusters too; see AliasMerger._join_patronymics."""

NEW_CHARACTER = MergeRule(
    "new character", "nothing: no rule finds a character for the name", lambda case: Outcome.NEW
)
"""The last rule of every pass."""

RULES = (
    *FULL_NAME_RULES,
    MARRIAGE,
    PATRONYMICS,
    *TITLE_RULES,
    *GIVEN_NAME_RULES,
    *SURNAME_RULES,
    BRIDE,
    NEW_CHARACTER,
)
"""All rules in the order in which they are tried."""


def _are_alike(first: str, second: str) -> bool:
    """Return True if two given names may be one person's: an initial, or short for one name."""
    if len(first) == 1 or len(second) == 1:
        return first[0] == second[0]
    listed = first in given_names.ALL and second in given_names.ALL
    return given_names.alike(first, second) or (
        not listed and given_names.is_shortened(first, second)
    )
