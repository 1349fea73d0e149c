"""Automatic descriptions: the phrases found in a text, and the characters they describe."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.characters.descriptions import automatic
from scholar_indexes.characters.descriptions.bank import SLOT
from scholar_indexes.characters.folded_words import name_terms, tokenize
from scholar_indexes.types import Character, Gender, Span

F, M = Gender.FEMALE, Gender.MALE


def person(gender: Gender, *aliases: str, narrator: bool = False) -> Character:
    name = aliases[0]
    return Character(name.lower().replace(" ", "-"), name, aliases, gender, narrator)


CAST = (
    person(F, "Jane Marsh", "Jane"),
    person(F, "Mrs. Gale"),
    person(M, "Mr. Hale", "Hale"),
    person(M, "Robert Stone", "Robert"),
    person(F, "Grace"),
    person(F, "Rose Dunn", "Rose"),
    person(F, "Aunt Polly"),
)
CAST_WITH_NARRATOR = (*CAST, person(M, "Pip", narrator=True))


def antecedents_in(text: str, means: str) -> dict[int, int]:
    """Return the antecedent of every pronoun in a text: the character that `means` names."""
    character = next((row for row, member in enumerate(CAST) if means in member.aliases), None)
    if character is None:
        return {}
    pronouns = re.finditer(r"\b(?:he|she|his|her)\b", text, re.IGNORECASE)
    return {match.start(): character for match in pronouns}


def descriptions_in(
    text: str, cast: tuple[Character, ...] = CAST, means: str = ""
) -> list[tuple[str, str, str]]:
    """Return the descriptions in a text of one chapter: character, kind and phrase; its pronouns
    refer to the character that `means` names."""
    body = Span(0, len(text))
    descriptions = automatic.find_descriptions(
        text,
        [body],
        find_quotations(text, [body]),
        cast,
        antecedents=antecedents_in(text, means),
    )
    return sorted(
        (cast[description.character].name, description.kind, description.text)
        for description in descriptions
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("It rained on the sea all day.", id="nobody"),
        pytest.param("Jane was not a tall, handsome woman.", id="denied"),
        pytest.param("Jane never married Mr. Hale.", id="never"),
        pytest.param("Jane hardly loved music.", id="hardly"),
        pytest.param("Was it true that Jane married Mr. Hale?", id="asked"),
        pytest.param("If Jane married Mr. Hale, all was lost.", id="a condition"),
        pytest.param("Perhaps Jane married Mr. Hale.", id="perhaps"),
        pytest.param("Jane would have married Mr. Hale.", id="would have"),
        pytest.param("He said that Jane married Mr. Hale.", id="only reported"),
        pytest.param("Robert and Jane married in May.", id="of two together"),
        pytest.param("The sister of Jane married Mr. Hale.", id="of somebody of hers"),
        pytest.param("A letter from Jane delighted Mr. Hale.", id="of something of hers"),
        pytest.param("“Jane married a thief from the city,” said somebody.", id="a deed in speech"),
        pytest.param("Jane looked at Mr. Hale.", id="what everybody does"),
        pytest.param("Jane was the woman.", id="a woman, as every other"),
        pytest.param("Robert saw a tall man. He had a wooden leg.", id="he, whoever that is"),
        pytest.param("Jane loved it.", id="it, whatever that is"),
        pytest.param("Jane loved his", id="broken off"),
        pytest.param("Jane kissed the little, laughing", id="an adjective and no noun"),
        pytest.param("Jane, the maid, and Robert came.", id="perhaps a list"),
        pytest.param("They saw Jane, the cook and Robert.", id="surely a list"),
        pytest.param("Jane, her uncle, came.", id="an uncle is no woman"),
        pytest.param("Her aunt, Mrs. Gale, came.", id="nobody's aunt"),
        pytest.param("Robert inherited a high and comfortable house.", id="half of a phrase"),
        pytest.param("Robert came nearer and nearer.", id="half of a turn"),
        pytest.param("Jane praised Marsh honey.", id="her own name"),
        pytest.param("Rose early, the clergyman slept.", id="a word that is a name"),
        pytest.param("Jane kissed the [Illustration] man.", id="printed furniture"),
        pytest.param("Jane inherited {a house}.", id="braces of the text"),
    ],
)
def test_uncertain_statements_give_no_description(text: str) -> None:
    assert descriptions_in(text + " A rose grew there; roses and a rose.") == []


def test_without_characters_there_are_no_descriptions() -> None:
    assert automatic.find_descriptions("Jane married.", [Span(0, 13)], [], ()) == []


def test_a_phrase_true_of_two_characters_describes_neither() -> None:
    assert descriptions_in("Jane loved music. Rose Dunn loved music.") == []


@pytest.mark.parametrize(
    ("text", "name", "kind", "description"),
    [
        pytest.param(
            "Mr. Hale, the clergyman, came in.",
            "Mr. Hale",
            "calling",
            "the clergyman",
            id="an apposition",
        ),
        pytest.param(
            "They met Mr. Hale, a stern lawyer.",
            "Mr. Hale",
            "calling",
            "the stern lawyer",
            id="an apposition at the end",
        ),
        pytest.param(
            "Jane was a stout, well-grown girl of fifteen, with a voice.",
            "Jane Marsh",
            "trait",
            "the stout, well-grown girl of fifteen",
            id="a copula",
        ),
        pytest.param(
            "Jane was very tall.",
            "Jane Marsh",
            "trait",
            "the one who was very tall",
            id="a lasting trait",
        ),
        pytest.param(
            "Robert was about fifteen years old.",
            "Robert Stone",
            "trait",
            "the one who was about fifteen years old",
            id="an age",
        ),
        pytest.param(
            "Robert had a wooden leg.",
            "Robert Stone",
            "trait",
            "the one who had a wooden leg",
            id="what somebody has",
        ),
        pytest.param(
            "Mr. Hale married Jane.",
            "Mr. Hale",
            "deed",
            "the one who married {Jane Marsh}",
            id="a deed to another",
        ),
        pytest.param(
            "Mr. Hale had eloped with Rose Dunn.",
            "Mr. Hale",
            "deed",
            "the one who had eloped with {Rose Dunn}",
            id="a deed before",
        ),
        pytest.param(
            "Robert took off his hat and killed a bear.",
            "Robert Stone",
            "deed",
            "the one who killed a bear",
            id="a second deed",
        ),
        pytest.param(
            "Robert, with a light heart, inherited a mill.",
            "Robert Stone",
            "deed",
            "the one who inherited a mill",
            id="past an aside",
        ),
        pytest.param(
            "There stood Robert, who had robbed a bank.",
            "Robert Stone",
            "deed",
            "the one who had robbed a bank",
            id="a relative clause",
        ),
        pytest.param(
            "Robert was born in Dublin.",
            "Robert Stone",
            "deed",
            "the one who was born in Dublin",
            id="what became of somebody",
        ),
        pytest.param(
            "Mrs. Gale was Jane's aunt.",
            "Mrs. Gale",
            "relation",
            "the aunt of {Jane Marsh}",
            id="a relative's name",
        ),
        pytest.param(
            "Jane's uncle Robert came.",
            "Robert Stone",
            "relation",
            "the uncle of {Jane Marsh}",
            id="a relative before the name",
        ),
        pytest.param(
            "Jane's uncle Robert came.",
            "Jane Marsh",
            "relation",
            "the one whose uncle is {Robert Stone}",
            id="and the other way round",
        ),
        pytest.param(
            "“Mrs. Gale is Jane's aunt,” he said.",
            "Mrs. Gale",
            "relation",
            "the aunt of {Jane Marsh}",
            id="a relation said aloud",
        ),
        pytest.param(
            "It rained; Grace was a nun of the abbey.",
            "Grace",
            "calling",
            "the nun of the abbey",
            id="a name that is a word",
        ),
    ],
)
def test_phrases_of_the_text_become_descriptions(
    text: str, name: str, kind: str, description: str
) -> None:
    assert (name, kind, description) in descriptions_in(text)


def test_a_relation_in_a_name_is_no_description() -> None:
    descriptions = descriptions_in("Jane's aunt, Aunt Polly, baked a cake.")
    assert "Aunt Polly" not in [name for name, _, _ in descriptions]


def test_the_narrator_is_named_where_the_book_says_me() -> None:
    descriptions = descriptions_in(
        "I wept. Mrs. Gale taught me at night. My uncle Robert came.", CAST_WITH_NARRATOR
    )
    assert ("Mrs. Gale", "deed", "the one who taught {Pip} at night") in descriptions
    assert ("Robert Stone", "relation", "the uncle of {Pip}") in descriptions


def test_a_pronoun_describes_whom_it_means() -> None:
    text = "Mr. Hale saw Robert. He had a wooden leg. Jane came; she married his uncle, Mr. Hale."
    assert descriptions_in(text, means="Robert") == [
        ("Mr. Hale", "relation", "the uncle of {Robert Stone}"),
        ("Robert Stone", "relation", "the one whose uncle is {Mr. Hale}"),
        ("Robert Stone", "trait", "the one who had a wooden leg"),
    ]


def test_a_pronoun_counts_only_where_its_paragraph_names_whom_it_means() -> None:
    assert descriptions_in("Robert laughed.\n\nHe had a wooden leg.", means="Robert") == []


def test_a_pronoun_whose_gender_differs_from_its_character_is_left() -> None:
    assert descriptions_in("Jane laughed. He had a wooden leg.", means="Jane") == []


def test_a_list_behind_a_relative_is_no_name_of_the_relative() -> None:
    text = "Jane saw her aunt, Mrs. Gale, Rose Dunn, and Mr. Hale."
    assert descriptions_in(text, means="Jane") == []


@pytest.mark.parametrize(
    ("text", "is_clear"),
    [
        ("“Jane came with her aunt, Mrs. Gale,” said Robert.", True),
        ("Jane came. “There is her aunt, Mrs. Gale,” said Robert.", False),
    ],
)
def test_the_owner_of_a_relation_must_be_in_its_sentence(text: str, is_clear: bool) -> None:
    relation = ("Mrs. Gale", "relation", "the aunt of {Jane Marsh}")
    assert (relation in descriptions_in(text, means="Jane")) is is_clear


def test_the_same_of_several_speakers_is_believed_of_most() -> None:
    text = "“There is my aunt, Mrs. Gale.”\n\n" * 3
    body = Span(0, len(text))
    quotations = find_quotations(text, [body])
    descriptions = automatic.find_descriptions(text, [body], quotations, CAST, [0, 3, 0])
    assert "the aunt of {Jane Marsh}" in [description.text for description in descriptions]
    assert "the aunt of {Robert Stone}" not in [description.text for description in descriptions]


def test_a_repeated_phrase_is_one_description_with_both_places() -> None:
    text = "Mr. Hale married Jane. It rained. Mr. Hale married Jane."
    (description,) = automatic.find_descriptions(text, [Span(0, len(text))], [], CAST)
    assert [passage.of(text) for passage in description.passages] == ["Mr. Hale married Jane."] * 2


def test_a_passage_with_a_pronoun_goes_back_to_the_name() -> None:
    text = "Robert laughed. He had a wooden leg."
    antecedents = antecedents_in(text, "Robert")
    (description,) = automatic.find_descriptions(
        text, [Span(0, len(text))], [], CAST, antecedents=antecedents
    )
    assert [passage.of(text) for passage in description.passages] == [text]


def test_relations_come_before_events_of_a_life_and_deeds_of_a_moment_are_left_out() -> None:
    text = "Mr. Hale crossed the muddy lane. Mr. Hale married Jane. Mr. Hale was Jane's uncle."
    ranked = [
        description
        for description in automatic.find_descriptions(text, [Span(0, len(text))], [], CAST)
        if description.character == 2
    ]
    assert [description.text for description in ranked] == [
        "the uncle of {Jane Marsh}",
        "the one who married {Jane Marsh}",
    ]
    assert [description.score for description in ranked] == sorted(
        (description.score for description in ranked), reverse=True
    )


PIECES = [
    "Jane",
    "Mr. Hale",
    "Rose",
    "Grace",
    "Robert",
    "Marsh",
    "Stone",
    "she",
    "he",
    "her",
    "his",
    "was",
    "had",
    "who",
    "married",
    "loved",
    "the",
    "a",
    "tall",
    "girl",
    "aunt",
    "clergyman",
    "of",
    "and",
    "with",
    "'s",
    ",",
    ";",
    ".",
    "?",
    "“",
    "”",
    "\n\n",
    "{",
    "}",
    "--",
    "not",
    "of fifteen",
    "wooden leg",
    "\x00",
    "é",
    "—",
    "_",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_passages_are_in_the_text_and_names_are_not_in_descriptions(
    pieces: list[str],
) -> None:
    text = " ".join(pieces)
    body = Span(0, len(text))
    for description in automatic.find_descriptions(
        text, [body], find_quotations(text, [body]), CAST
    ):
        described = CAST[description.character]
        outside = SLOT.sub(" ", description.text)
        assert name_terms((described.name, *described.aliases)).isdisjoint(tokenize(outside))
        assert description.kind in automatic.KINDS
        assert description.passages
        for span in description.passages:
            assert 0 <= span.start < span.end <= len(text)
            assert "\n\n" not in span.of(text)
        others = set(SLOT.findall(description.text))
        assert others <= {character.name for character in CAST} - {described.name}


def test_a_sentence_without_end_is_read_in_parts() -> None:
    text = "Jane married Mr. Hale, " * 20_000
    descriptions = automatic.find_descriptions(text, [Span(0, len(text))], [], CAST)
    assert len(descriptions) <= 2


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    body = Span(0, len(text))
    automatic.find_descriptions(text, [body], find_quotations(text, [body]), CAST)
