"""Characters that are kept apart: each separation rule at its edges, and whom a surname means."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scholar_indexes.coreference.clusters import CharacterCluster
from scholar_indexes.coreference.merge_case import (
    CERTAIN,
    GOES_BY_GIVEN_NAME,
    MergeCase,
    NamesOfBook,
    likeliest_bearer,
)
from scholar_indexes.coreference.name_parts import NameParts, ParsedName
from scholar_indexes.coreference.name_variants import NameVariant, VariantStats
from scholar_indexes.coreference.proximity import SCENE
from scholar_indexes.coreference.separation_rules import (
    GOES_BY_RANK,
    SEPARATION_RULES,
    YOUNG_OR_OLD,
    is_told_apart,
)
from scholar_indexes.lexicon import given_names
from scholar_indexes.types import Gender

APART = 2 * SCENE
"""Words between two names that are never in one scene."""


def positions(count: int, first: int = 0) -> list[int]:
    return [first + APART * number for number in range(count)]


def stats_of(count: int = 1, **counts: float) -> VariantStats:
    return VariantStats("", count=count, **counts)  # type: ignore[arg-type]


def variant_of(title: str, given: str, surname: str) -> NameVariant:
    return NameVariant(title, tuple(filter(None, (given, surname))))


def cluster_of(
    given: str = "", surname: str = "", title: str = "", stats: VariantStats | None = None
) -> CharacterCluster:
    cluster = CharacterCluster()
    cluster.add(
        variant_of(title, given, surname),
        NameParts(title, given, surname, gender=given_names.gender(given)),
        stats or stats_of(),
    )
    return cluster


def case_of(
    title: str = "mr",
    surname: str = "marsh",
    stats: VariantStats | None = None,
    bare: dict[str, VariantStats] | None = None,
    clusters: Sequence[CharacterCluster] = (),
    given: str = "",
) -> MergeCase:
    """Return the case of a title and a surname, in a book with the given names in `bare`."""
    parts = NameParts(title, given, surname, gender=given_names.gender(given))
    name = ParsedName(variant_of(title, given, surname), parts, stats or stats_of())
    return MergeCase(name, clusters, NamesOfBook(100_000, bare or {}, {}))


def rules_that_apply(case: MergeCase, cluster: CharacterCluster) -> list[str]:
    applying = [
        rule.name.partition(":")[0] for rule in SEPARATION_RULES if rule.applies(case, cluster)
    ]
    assert bool(applying) == is_told_apart(case, cluster)
    return applying


YOUNG = "a young one beside an old one"


@pytest.mark.parametrize(
    ("young_given", "young_title", "old_title", "expected"),
    [
        pytest.param(YOUNG_OR_OLD, YOUNG_OR_OLD - 1, 0, [YOUNG], id="often young Tom"),
        pytest.param(YOUNG_OR_OLD, YOUNG_OR_OLD, 0, [], id="both are young"),
        pytest.param(YOUNG_OR_OLD - 1, 0, 0, [], id="seldom young Tom"),
        pytest.param(0, 1, YOUNG_OR_OLD, [YOUNG], id="old Mr. Marsh, and a young one"),
        pytest.param(0, 0, YOUNG_OR_OLD, [], id="old Mr. Marsh, and no young one"),
        pytest.param(0, 1, YOUNG_OR_OLD - 1, [], id="seldom old"),
    ],
)
def test_a_young_one_is_not_his_father(
    young_given: int, young_title: int, old_title: int, expected: list[str]
) -> None:
    bare = {"thomas": stats_of(after_young=young_given)}
    stats = stats_of(after_young=young_title, after_old=old_title)
    case = case_of(stats=stats, bare=bare)
    assert rules_that_apply(case, cluster_of("thomas", "marsh")) == expected


@pytest.mark.parametrize(
    ("title", "log_odds", "is_other"),
    [
        pytest.param("mr", -CERTAIN, True, id="she is not Mr. Marsh"),
        pytest.param("mr", -CERTAIN + 0.1, False, id="perhaps she"),
        pytest.param("mr", CERTAIN, False, id="he may be Mr. Marsh"),
        pytest.param("mrs", CERTAIN, True, id="he is not Mrs. Marsh"),
        pytest.param("mrs", -CERTAIN, False, id="she may be Mrs. Marsh"),
        pytest.param("dr", CERTAIN, False, id="a title of both"),
    ],
)
def test_a_given_name_of_the_other_gender_is_somebody_else(
    title: str, log_odds: float, is_other: bool
) -> None:
    case = case_of(title, bare={"evelyn": stats_of(male_log_odds=log_odds)})
    rules = rules_that_apply(case, cluster_of("evelyn", "marsh"))
    assert rules == (["a given name of the other gender"] if is_other else [])


@pytest.mark.parametrize(
    ("title", "together", "is_other"),
    [
        pytest.param("mr", GOES_BY_GIVEN_NAME, True, id="often in one scene"),
        pytest.param("mr", GOES_BY_GIVEN_NAME - 1, False, id="less often"),
        pytest.param("miss", GOES_BY_GIVEN_NAME, False, id="Miss Marsh is called Ann too"),
    ],
)
def test_a_given_name_in_the_scenes_of_the_title_is_somebody_else(
    title: str, together: int, is_other: bool
) -> None:
    bare = {"ann": stats_of(positions=positions(together))}
    case = case_of(title, stats=stats_of(positions=positions(together, 5)), bare=bare)
    rules = rules_that_apply(case, cluster_of("ann", "marsh"))
    assert rules == (["a given name in the same scenes"] if is_other else [])


@pytest.mark.parametrize(
    ("elsewhere", "is_other"),
    [
        pytest.param(2 * GOES_BY_GIVEN_NAME, False, id="mostly in the same scenes"),
        pytest.param(3 * GOES_BY_GIVEN_NAME, True, id="mostly in others"),
    ],
)
def test_one_whose_two_names_share_scenes_but_no_sentences_is_one(
    elsewhere: int, is_other: bool
) -> None:
    far = APART * 1000
    ann = positions(GOES_BY_GIVEN_NAME) + positions(elsewhere, far)
    miss = positions(GOES_BY_GIVEN_NAME, 30) + positions(elsewhere, 2 * far)
    case = case_of("mr", stats=stats_of(positions=miss), bare={"ann": stats_of(positions=ann)})
    rules = rules_that_apply(case, cluster_of("ann", "marsh"))
    assert rules == (["a given name in the same scenes"] if is_other else [])


@pytest.mark.parametrize(
    ("title", "own_title", "given", "ranked", "is_other"),
    [
        pytest.param("judge", "", GOES_BY_GIVEN_NAME, GOES_BY_RANK, True, id="a rank alone"),
        pytest.param("judge", "judge", GOES_BY_GIVEN_NAME, GOES_BY_RANK, False, id="a shared rank"),
        pytest.param("mr", "", GOES_BY_GIVEN_NAME, GOES_BY_RANK, False, id="no rank"),
        pytest.param("judge", "", GOES_BY_GIVEN_NAME - 1, GOES_BY_RANK, False, id="seldom Ann"),
        pytest.param("judge", "", GOES_BY_GIVEN_NAME, GOES_BY_RANK - 1, False, id="seldom a rank"),
    ],
)
def test_a_character_called_by_given_name_is_not_one_with_a_rank(
    title: str, own_title: str, given: int, ranked: int, is_other: bool
) -> None:
    bare = {"clifford": stats_of(positions=positions(given))}
    stats = stats_of(positions=positions(ranked, APART * 100))
    rules = rules_that_apply(
        case_of(title, stats=stats, bare=bare), cluster_of("clifford", "marsh", own_title)
    )
    assert rules == (["a given name beside a rank"] if is_other else [])


@pytest.mark.parametrize(
    ("with_given", "bare_count", "with_title", "is_other"),
    [
        pytest.param(5, 5, 21, True, id="Mr. John Marsh and a more frequent Mr. Marsh"),
        pytest.param(5, 5, 20, False, id="not more than twice as frequent"),
        pytest.param(4, 5, 99, False, id="seldom Mr. John Marsh"),
        pytest.param(5, 4, 99, False, id="seldom John"),
    ],
)
def test_a_title_with_a_given_name_is_not_the_title_without(
    with_given: int, bare_count: int, with_title: int, is_other: bool
) -> None:
    bare = {"john": stats_of(bare_count, positions=positions(bare_count))}
    case = case_of(stats=stats_of(with_title), bare=bare)
    cluster = cluster_of("john", "marsh", "mr", stats_of(with_given))
    rules = rules_that_apply(case, cluster)
    assert rules == (["a title with and without the given name"] if is_other else [])


MAN = cluster_of("john", "marsh", "mr", stats_of(4))
OTHER_MAN = cluster_of("george", "marsh", "mr", stats_of(5))
WOMAN = cluster_of("ann", "marsh", "mrs", stats_of(9))


@pytest.mark.parametrize(
    ("bearers", "stats", "expected"),
    [
        pytest.param([WOMAN, MAN], stats_of(2), MAN, id="the man"),
        pytest.param([MAN, OTHER_MAN], stats_of(2), None, id="neither of two men"),
        pytest.param([MAN, OTHER_MAN], stats_of(6), OTHER_MAN, id="a name more frequent than all"),
        pytest.param([MAN, OTHER_MAN], stats_of(5), None, id="a name as frequent"),
        pytest.param(
            [cluster_of("george", "marsh", "mr", stats_of(6)), MAN],
            stats_of(2),
            "george",
            id="a man who is named half as often again",
        ),
        pytest.param([WOMAN], stats_of(2), WOMAN, id="the only one"),
        pytest.param([], stats_of(2), None, id="nobody"),
    ],
)
def test_a_surname_alone_means(
    bearers: list[CharacterCluster], stats: VariantStats, expected: CharacterCluster | str | None
) -> None:
    bearer = likeliest_bearer(bearers, stats)
    if isinstance(expected, str):
        assert bearer is not None
        assert bearer.given_name == expected
    else:
        assert bearer is expected


def test_without_a_man_a_surname_means_one_of_the_gender_of_its_pronouns() -> None:
    unknown = cluster_of("quill", "marsh", "", stats_of(9))
    woman = cluster_of("ann", "marsh", "mrs", stats_of(4))
    she = stats_of(2, male_log_odds=-CERTAIN)
    assert likeliest_bearer([unknown, woman], she) is woman
    assert likeliest_bearer([unknown, woman], stats_of(2)) is unknown


def bearers_of(
    surname: str, *clusters: CharacterCluster, count: int = 1, log_odds: float = 0.0
) -> list[str]:
    case = case_of("", surname, stats_of(count, male_log_odds=log_odds), clusters=clusters)
    return [cluster.given_name for cluster in case.bearers]


def test_a_surname_is_borne_whole_or_by_half_or_as_a_given_name() -> None:
    whole, half = cluster_of("ann", "marsh"), cluster_of("ben", "hill-marsh")
    given, none = cluster_of("marsh", "reed"), cluster_of("cy", "saltmarsh")
    assert bearers_of("marsh", half, whole, given, none) == ["ann"]
    assert bearers_of("marsh", half, given, none) == ["ben", "marsh"]
    assert bearers_of("marsh", none) == []


def test_pronouns_that_are_certain_leave_out_the_other_gender() -> None:
    man, woman = cluster_of("john", "marsh", "mr"), cluster_of("ann", "marsh", "mrs")
    assert bearers_of("marsh", man, woman) == ["john", "ann"]
    assert bearers_of("marsh", man, woman, log_odds=-CERTAIN) == ["ann"]
    assert bearers_of("marsh", man, woman, count=99, log_odds=CERTAIN - 0.1) == ["john", "ann"]


@pytest.mark.parametrize(
    ("title", "given", "cluster", "agrees"),
    [
        pytest.param("mr", "", cluster_of("ann", "marsh", "mrs"), False, id="another gender"),
        pytest.param(
            "mr", "ann", cluster_of("ann", "marsh", "mrs"), False, id="a title is more specific"
        ),
        pytest.param("", "john", cluster_of("", "marsh", "mrs"), False, id="by the given name"),
        pytest.param("mr", "", cluster_of("robin", "marsh"), True, id="no title yet"),
        pytest.param("mr", "", cluster_of("john", "marsh", "dr"), True, id="a plain title and one"),
        pytest.param("mr", "", cluster_of("john", "marsh", "sir"), False, id="a noble one"),
        pytest.param("captain", "", cluster_of("", "marsh", "colonel"), True, id="two of the army"),
        pytest.param("captain", "", cluster_of("", "marsh", "dr"), False, id="army and learning"),
        pytest.param("mrs", "", cluster_of("ann", "marsh", "miss"), True, id="a wife was a maid"),
        pytest.param("professor", "", cluster_of("ann", "marsh", "miss"), False, id="learned men"),
    ],
)
def test_a_title_agrees_with_the_titles_of_a_character(
    title: str, given: str, cluster: CharacterCluster, agrees: bool
) -> None:
    assert case_of(title, given=given).agrees(cluster) is agrees


def test_the_expected_gender_is_told_by_the_title_before_pronouns() -> None:
    he = stats_of(male_log_odds=CERTAIN)
    woman = cluster_of("ann", "marsh", "mrs")
    assert case_of("mrs", stats=he).agrees(woman)
    assert not case_of("", stats=he).agrees(woman)
    assert woman.gender is Gender.FEMALE
