"""Mentions, the features of their pairs, and the chains that they form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.resolver import mention_table
from scholar_indexes.coreference.resolver.chains import form_chains
from scholar_indexes.coreference.resolver.mention_table import (
    COMMON,
    FEATURE_OFFSETS,
    FEATURE_SIZES,
    FEMALE,
    FIRST_SINGULAR,
    MALE,
    NAME,
    NOBODY,
    PERSON,
    MentionTable,
    build_table,
    find_head,
    pair_features,
)
from scholar_indexes.coreference.resolver.model import CoreferenceModel, FoundMentions
from scholar_indexes.coreference.resolver.words import TokenizedText, split_words
from scholar_indexes.types import Character, Gender, Span

TEXT = (
    "Mr. Hale met the mother of Anne Marsh. She bowed to him. "
    "The mother of Anne laughed; Mr. Hale laughed. Mr. Lennox, I saw him."
)
CAST = (
    Character("hale", "Mr. Hale", ("Mr. Hale",), Gender.MALE),
    Character("lennox", "Mr. Lennox", ("Mr. Lennox",), Gender.MALE),
    Character("anne", "Anne Marsh", ("Anne Marsh", "Anne"), Gender.FEMALE),
)


def words_of(text: str) -> TokenizedText:
    return split_words(text, [Span(0, len(text))], [])


def table_of(text: str, *phrases: str) -> MentionTable:
    """Return the table of phrases, each after the previous one or inside it."""
    words = words_of(text)
    spans: list[tuple[int, int]] = []
    start = 0
    for phrase in phrases:
        start = text.index(phrase, start)
        located = words.locate(Span(start, start + len(phrase)))
        assert located is not None, phrase
        spans.append(located)
    names = mentions.find_mentions(text, CAST)
    return build_table(words, spans, [PERSON] * len(spans), CAST, names)


def test_a_text_without_mentions_has_an_empty_table() -> None:
    table = build_table(words_of(""), [], [])
    assert len(table) == 0
    assert pair_features(table, np.zeros(0, int), np.zeros(0, int)).shape == (0, 9)


def test_mentions_know_their_kind_their_gender_and_whom_they_name() -> None:
    table = table_of(TEXT, "Mr. Hale", "the mother of Anne Marsh", "Anne Marsh", "She", "him", "I")
    assert table.kind.tolist() == [NAME, COMMON, NAME, FEMALE, MALE, FIRST_SINGULAR]
    assert table.gender.tolist() == [2, 1, 1, 1, 2, 0]
    assert table.character.tolist() == [0, NOBODY, 2, NOBODY, NOBODY, NOBODY]


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        pytest.param("the old lady", "lady", id="the last word"),
        pytest.param("the mother of Anne", "mother", id="before of"),
        pytest.param("a man who laughed", "man", id="before a clause"),
        pytest.param("she", "she", id="a pronoun"),
    ],
)
def test_a_head_is_what_a_phrase_is_about(phrase: str, head: str) -> None:
    words = words_of(phrase)
    assert words.words[find_head(words, 0, len(words) - 1)] == head


def feature(table: MentionTable, name: str, later: int, earlier: int) -> int:
    column = list(FEATURE_SIZES).index(name)
    row = pair_features(table, np.array([later]), np.array([earlier]))[0, column]
    return int(row - FEATURE_OFFSETS[column])


def test_features_describe_what_two_mentions_share() -> None:
    phrases = ("Mr. Hale", "the mother of Anne Marsh", "Anne Marsh", "The mother of Anne")
    table = table_of(TEXT, *phrases, "Mr. Hale", "Mr. Lennox")
    assert feature(table, "strings", 4, 0) == 1  # the same text
    assert feature(table, "strings", 3, 1) == 2  # the same head
    assert feature(table, "strings", 3, 2) == 3  # a word in common
    assert feature(table, "characters", 4, 0) == 2  # the same character
    assert feature(table, "characters", 5, 0) == 3  # another character
    assert feature(table, "nesting", 2, 1) == 1
    assert feature(table, "nesting", 4, 1) == 0


@given(st.lists(st.sampled_from("He she I Anne Hale the man of , .".split()), max_size=14))
def test_every_feature_has_a_row_of_its_own(tokens: list[str]) -> None:
    words = words_of(" ".join(tokens))
    spans = [(word, last) for word in range(len(words)) for last in (len(words) - 1, word)]
    spans = sorted(set(spans), key=lambda span: (span[0], -span[1]))
    table = build_table(words, spans, [PERSON] * len(spans))
    later, earlier = np.tril_indices(len(spans), -1)
    rows = pair_features(table, later, earlier) - FEATURE_OFFSETS
    assert (rows >= 0).all()
    assert (rows < list(FEATURE_SIZES.values())).all()


def model_that_likes(**liked: int) -> CoreferenceModel:
    """Return a model that scores a pair by the number of the given feature values that it has."""
    heads = {
        "bilinear.weight": np.zeros((1, 1), np.float32),
        "later.weight": np.zeros((1, 1), np.float32),
        "earlier.weight": np.zeros((1, 1), np.float32),
        "later.bias": np.zeros(1, np.float32),
        "earlier.bias": np.zeros(1, np.float32),
        "features.weight": np.zeros((sum(FEATURE_SIZES.values()), 1), np.float32),
        "pair.weight": np.ones((1, 1), np.float32),
        "pair.bias": np.full(1, -0.5, np.float32),
    }
    for name, value in liked.items():
        heads["features.weight"][FEATURE_OFFSETS[list(FEATURE_SIZES).index(name)] + value] = 1
    return CoreferenceModel(
        lambda ids, mask, types: np.zeros((*ids.shape, 1), np.float32),
        lambda words: [[1] for _ in words],
        heads,
        marks=(0, 0),
        max_tokens=64,
    )


def chains_of(table: MentionTable, model: CoreferenceModel) -> list[int]:
    spans = list(zip(table.first.tolist(), table.last.tolist(), strict=True))
    mentions_of_table = FoundMentions(
        spans, table.entity_class, np.ones(len(table)), np.zeros((len(table), 1), np.float32)
    )
    return form_chains(model, table, mentions_of_table).tolist()


def test_mentions_without_an_antecedent_are_chains_of_their_own() -> None:
    table = table_of(TEXT, "Mr. Hale", "the mother of Anne Marsh", "Anne Marsh")
    assert chains_of(table, model_that_likes()) == [0, 1, 2]


def test_a_mention_joins_the_chain_of_its_best_antecedent() -> None:
    table = table_of(TEXT, "Mr. Hale", "the mother of Anne Marsh", "Mr. Hale")
    assert chains_of(table, model_that_likes(strings=1)) == [0, 1, 0]


def test_no_chain_has_two_characters_or_two_genders() -> None:
    table = table_of(TEXT, "Mr. Hale", "the mother of Anne Marsh", "She", "him", "Mr. Lennox")
    chains = chains_of(table, model_that_likes(nesting=0))
    for chain in set(chains):
        rows = [row for row, number in enumerate(chains) if number == chain]
        assert len({int(table.character[row]) for row in rows} - {NOBODY}) <= 1
        assert len({int(table.gender[row]) for row in rows} - {0}) <= 1


def test_a_name_finds_its_character_however_far_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scholar_indexes.coreference.resolver.chains.WINDOW", 1)
    table = table_of(TEXT, "Mr. Hale", "the mother", "Anne Marsh", "She", "him", "Mr. Hale")
    chains = chains_of(table, model_that_likes(characters=2))
    assert chains[5] == chains[0]


def test_the_head_of_a_description_is_compared_in_small_letters() -> None:
    table = table_of("The Mother saw the mother.", "The Mother", "the mother")
    assert table.head[0] == table.head[1]
    assert mention_table.find_head(words_of("The Mother"), 0, 1) == 1
