"""What a novel says of its characters, read from its text: what is said, and of whom."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.answers import citing
from scholar_indexes.characters import automatic, described
from scholar_indexes.characters.automatic import Told
from scholar_indexes.characters.bank import SLOT, Proof
from scholar_indexes.characters.described import Account
from scholar_indexes.characters.wording import name_terms, words
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.speakers import quotes
from scholar_indexes.types import Book, Chapter, Character, Gender, Kind, Span

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
TOLD_BY = (*CAST, person(M, "Pip", narrator=True))


def told(text: str, cast: tuple[Character, ...] = CAST) -> list[tuple[str, str, str]]:
    """Who is told what, of which kind, in a text of one chapter."""
    body = Span(0, len(text))
    found = automatic.find(text, [body], quotes.find(text, [body]), cast)
    return sorted((cast[each.who].name, each.kind, each.text) for each in found)


# -- what is not said ----------------------------------------------------------------------


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
        pytest.param("Mr. Hale saw Robert. He married a tall widow.", id="one of two men"),
        pytest.param("Mr. Hale rose. His brother came. He married a widow.", id="another man"),
        pytest.param("Robert saw a tall man. He had a wooden leg.", id="a man who is not named"),
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
def test_what_is_not_said_of_one_character_for_a_fact_is_left(text: str) -> None:
    assert told(text + " A rose grew there; roses and a rose.") == []


def test_without_characters_nothing_is_told() -> None:
    assert automatic.find("Jane married.", [Span(0, 13)], [], ()) == []


def test_what_is_said_of_two_alike_tells_neither_apart() -> None:
    assert told("Jane loved music. Rose Dunn loved music.") == []


# -- what is said --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "who", "kind", "said"),
    [
        pytest.param("Mr. Hale, the clergyman, came in.", "Mr. Hale", "calling", "the clergyman",
                     id="an apposition"),
        pytest.param("They met Mr. Hale, a stern lawyer.", "Mr. Hale", "calling",
                     "the stern lawyer", id="an apposition at the end"),
        pytest.param("Jane was a stout, well-grown girl of fifteen, with a voice.", "Jane Marsh",
                     "trait", "the stout, well-grown girl of fifteen", id="a copula"),
        pytest.param("Jane was very tall.", "Jane Marsh", "trait", "the one who was very tall",
                     id="a lasting trait"),
        pytest.param("Robert was about fifteen years old.", "Robert Stone", "trait",
                     "the one who was about fifteen years old", id="an age"),
        pytest.param("Robert had a wooden leg.", "Robert Stone", "trait",
                     "the one who had a wooden leg", id="what somebody has"),
        pytest.param("Mr. Hale married Jane.", "Mr. Hale", "deed",
                     "the one who married {Jane Marsh}", id="a deed to another"),
        pytest.param("Mr. Hale had eloped with Rose Dunn.", "Mr. Hale", "deed",
                     "the one who had eloped with {Rose Dunn}", id="a deed before"),
        pytest.param("Robert took off his hat and killed a bear.", "Robert Stone", "deed",
                     "the one who killed a bear", id="a second deed"),
        pytest.param("Robert, with a light heart, inherited a mill.", "Robert Stone", "deed",
                     "the one who inherited a mill", id="past an aside"),
        pytest.param("There stood Robert, who had robbed a bank.", "Robert Stone", "deed",
                     "the one who had robbed a bank", id="a relative clause"),
        pytest.param("Robert was born in Dublin.", "Robert Stone", "deed",
                     "the one who was born in Dublin", id="what became of somebody"),
        pytest.param("Robert laughed. He had a wooden leg.", "Robert Stone", "trait",
                     "the one who had a wooden leg", id="a clear pronoun"),
        pytest.param("Robert was a tall man. He had a wooden leg.", "Robert Stone", "trait",
                     "the one who had a wooden leg", id="a pronoun behind what he is"),
        pytest.param("Mrs. Gale was Jane's aunt.", "Mrs. Gale", "relation",
                     "the aunt of {Jane Marsh}", id="a relative's name"),
        pytest.param("Jane came with her aunt, Mrs. Gale.", "Mrs. Gale", "relation",
                     "the aunt of {Jane Marsh}", id="her, who can be one"),
        pytest.param("Jane's uncle Robert came.", "Robert Stone", "relation",
                     "the uncle of {Jane Marsh}", id="a relative before the name"),
        pytest.param("Jane's uncle Robert came.", "Jane Marsh", "relation",
                     "the one whose uncle is {Robert Stone}", id="and the other way round"),
        pytest.param("“Mrs. Gale is Jane's aunt,” he said.", "Mrs. Gale", "relation",
                     "the aunt of {Jane Marsh}", id="a relation said aloud"),
        pytest.param("It rained; Grace was a nun of the abbey.", "Grace", "calling",
                     "the nun of the abbey", id="a name that is a word"),
    ],
)  # fmt: skip
def test_what_is_said_is_told(text: str, who: str, kind: str, said: str) -> None:
    assert (who, kind, said) in told(text)


def test_a_title_that_is_a_relation_is_the_name_and_not_told() -> None:
    found = told("Jane's aunt, Aunt Polly, baked a cake.")
    assert "Aunt Polly" not in [who for who, _, _ in found]


def test_the_narrator_is_named_where_the_book_says_me() -> None:
    found = told("I wept. Mrs. Gale taught me at night. My uncle Robert came.", TOLD_BY)
    assert ("Mrs. Gale", "deed", "the one who taught {Pip} at night") in found
    assert ("Robert Stone", "relation", "the uncle of {Pip}") in found


def test_whose_relative_somebody_is_can_come_from_places_that_agree() -> None:
    text = (
        "Rose Dunn smiled at Jane. She met her aunt, Mrs. Gale, there.\n\n"
        "Jane sighed. There was her aunt, Mrs. Gale, again."
    )
    assert ("Mrs. Gale", "relation", "the aunt of {Jane Marsh}") in told(text)


def test_the_same_said_twice_is_told_once_with_both_places() -> None:
    text = "Mr. Hale married Jane. It rained. Mr. Hale married Jane."
    (found,) = automatic.find(text, [Span(0, len(text))], [], CAST)
    assert [each.of(text) for each in found.passages] == ["Mr. Hale married Jane."] * 2


def test_a_passage_with_a_pronoun_goes_back_to_the_name() -> None:
    text = "Robert laughed. He had a wooden leg."
    (found,) = automatic.find(text, [Span(0, len(text))], [], CAST)
    assert [each.of(text) for each in found.passages] == [text]


def test_relations_and_rare_deeds_come_before_what_many_do() -> None:
    text = "Mr. Hale crossed the muddy lane. Mr. Hale was Jane's uncle. Mr. Hale married Jane."
    found = [each for each in automatic.find(text, [Span(0, len(text))], [], CAST) if each.who == 2]
    assert [each.text for each in found] == [
        "the uncle of {Jane Marsh}", "the one who married {Jane Marsh}",
        "the one who crossed the muddy lane",
    ]  # fmt: skip
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


PIECES = [
    "Jane", "Mr. Hale", "Rose", "Grace", "Robert", "Marsh", "Stone", "she", "he", "her", "his",
    "was", "had", "who", "married", "loved", "the", "a", "tall", "girl", "aunt", "clergyman", "of",
    "and", "with", "'s", ",", ";", ".", "?", "“", "”", "\n\n", "{", "}", "--", "not", "of fifteen",
    "wooden leg", "\x00", "é", "—", "_",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_passages_stand_in_the_text_and_names_do_not_stand_in_descriptions(
    pieces: list[str],
) -> None:
    text = " ".join(pieces)
    body = Span(0, len(text))
    for each in automatic.find(text, [body], quotes.find(text, [body]), CAST):
        of = CAST[each.who]
        outside = SLOT.sub(" ", each.text)
        assert name_terms((of.name, *of.aliases)).isdisjoint(words(outside))
        assert each.kind in automatic.KINDS
        assert each.passages
        for span in each.passages:
            assert 0 <= span.start < span.end <= len(text)
            assert "\n\n" not in span.of(text)
        others = set(SLOT.findall(each.text))
        assert others <= {one.name for one in CAST} - {of.name}


def test_a_sentence_without_end_is_read_in_parts() -> None:
    text = "Jane married Mr. Hale, " * 20_000
    found = automatic.find(text, [Span(0, len(text))], [], CAST)
    assert len(found) <= 2


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    body = Span(0, len(text))
    automatic.find(text, [body], quotes.find(text, [body]), CAST)


# -- what is kept --------------------------------------------------------------------------

TEXT = "Mr. Hale married Jane.\n\nRobert was born in Dublin."
KEPT = Account(
    CAST,
    (Told(2, "deed", "the one who married {Jane Marsh}", (Span(0, 22),), 2.5),
     Told(3, "deed", "the one who was born in Dublin", (Span(24, 50),), 1.9)),
)  # fmt: skip


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    described.save(tmp_path, "1 x", KEPT)
    assert described.load(tmp_path, "1 x", len(TEXT)) == KEPT
    assert [path.name for path in tmp_path.iterdir()] == [described.FILE]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda text: "", id="empty"),
        pytest.param(lambda text: text[: len(text) // 2], id="torn"),
        pytest.param(lambda text: "[" * 100_000, id="deep"),
        pytest.param(lambda text: "[1, 2]", id="something else"),
        pytest.param(lambda text: text.replace('"deed"', '"crime"'), id="an unknown kind"),
        pytest.param(lambda text: text.replace("[[0, 22]]", "[[0, 999]]"), id="a place outside"),
        pytest.param(lambda text: text.replace("[[0, 22]]", "[]"), id="no place"),
        pytest.param(lambda text: text.replace("[2, ", "[99, "), id="nobody's"),
        pytest.param(lambda text: text.replace('"1 x"', '"0 x"'), id="older rules"),
    ],
)
def test_what_is_damaged_or_older_is_made_anew(tmp_path: Path, spoil: object) -> None:
    described.save(tmp_path, "1 x", KEPT)
    file = tmp_path / described.FILE
    spoilt = spoil(file.read_text("utf-8"))  # type: ignore[operator]
    assert spoilt != file.read_text("utf-8")
    file.write_text(spoilt, "utf-8")
    assert described.load(tmp_path, "1 x", len(TEXT)) is None


def test_what_is_kept_is_json_that_names_its_version(tmp_path: Path) -> None:
    described.save(tmp_path, "1 x", KEPT)
    assert json.loads((tmp_path / described.FILE).read_text("utf-8"))["schema_version"] == 1


# -- as a bank -----------------------------------------------------------------------------

CHAPTER = Chapter(1, "", (), Kind.CHAPTER, Span(0, len(TEXT)), Span(0, len(TEXT)))
BOOK = Book("own-x", "X", "A. B.", "en", "x.txt", "0" * 64)


def test_a_bank_has_levels_locators_and_everybody_who_is_named() -> None:
    bank = described.as_bank(KEPT, citing(BOOK, TEXT, [CHAPTER]))
    assert [(each.name, [one.level for one in each.descriptions]) for each in bank] == [
        ("Jane Marsh", []), ("Mr. Hale", [2]), ("Robert Stone", [1]),
    ]  # fmt: skip
    (proof,) = bank[2].descriptions[0].evidence
    assert proof == Proof("own-x:1.2:0-26", "Robert was born in Dublin.")


def test_others_are_shown_by_a_name_that_has_no_word_of_ones_own() -> None:
    family = (person(F, "Jane Marsh", "Jane"), person(F, "Ann Marsh", "Ann"),
              person(M, "Mr. Marsh"))  # fmt: skip
    assert described.shown("the sister of {Ann Marsh}", family[0], family) == "the sister of Ann"
    assert described.shown("the child of {Mr. Marsh}", family[0], family) == (
        "the child of Mr. Marsh"
    )


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        pytest.param("Janet", NotThere, "perhaps Jane", id="the nearest"),
        pytest.param("Zebedee", NotThere, "there are Jane Marsh, Mrs. Gale", id="the first"),
        pytest.param("", NotThere, "there are Jane Marsh", id="no name"),
        pytest.param("Marsh", UsageError, "Jane Marsh; Ann Marsh", id="several"),
    ],
)
def test_a_name_that_means_nobody_or_several_is_said_so(
    name: str, error: type[Exception], said: str
) -> None:
    people = (*CAST, person(F, "Ann Marsh"))
    with pytest.raises(error, match=said):
        described.whom(people, name, "own-x")


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        pytest.param(Proof("own-x:1.2:0-26", "Robert was born in Dublin."), Span(24, 50),
                     id="at its locator"),
        pytest.param(Proof("own-x:7.9:0-26", "Robert was born in Dublin."), Span(24, 50),
                     id="elsewhere in another edition"),
        pytest.param(Proof("nonsense", "Robert was born in Dublin."), Span(24, 50),
                     id="a locator that is none"),
        pytest.param(Proof("own-x:1.2:0-26", "Robert was born in Cork."), None, id="nowhere"),
    ],
)  # fmt: skip
def test_a_passage_of_a_bank_is_found_where_it_stands(proof: Proof, expected: Span | None) -> None:
    assert described.proved(proof, TEXT, [CHAPTER]) == expected
