"""How a novel says who speaks: explicitly, with a pronoun, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.speakers import cues, mentions
from scholar_indexes.speakers.cues import NO_CUE, SPEECH, WEAK, Cue
from scholar_indexes.types import Character, Gender, Quotation, QuoteKind, Span

F, M, U = Gender.FEMALE, Gender.MALE, Gender.UNKNOWN

CAST = (
    Character("elizabeth", "Elizabeth Bennet", ("Elizabeth Bennet", "Elizabeth", "Lizzy"), F),
    Character("jane", "Jane Bennet", ("Jane Bennet", "Jane"), F),
    Character("mr-bennet", "Mr. Bennet", ("Mr. Bennet",), M),
    Character("darcy", "Fitzwilliam Darcy", ("Mr. Darcy", "Darcy"), M),
    Character("old-man", "The Old Man", ("The Old Man",), M),
)
WATSON = Character("watson", "Dr. Watson", ("Dr. Watson", "Watson"), M, narrator=True)

SPOKEN = st.lists(
    st.sampled_from(list("aI.,;:!?—-'\"“”‘’ \n_()"))
    | st.sampled_from(
        ["said ", "Jane", " he ", "her ", "Mr. ", " Darcy", "\n\n", " replied ", "'s ", "the old "]
    )
    | st.characters(codec="utf-8"),
    max_size=120,
).map("".join)
"""Narration as novels have it, and a little of everything else."""


def read(text: str) -> tuple[str, list[Quotation]]:
    """A text without its | and the quotations between them; ‖ joins two pieces into one."""
    plain, pieces, joined, start = "", [], [], None
    for letter in text:
        if letter not in "|‖":
            plain += letter
        elif start is None:
            start = len(plain)
        else:
            pieces.append(Span(start, len(plain)))
            joined.append(letter == "‖")
            start = None
    quotations: list[Quotation] = []
    carry: list[Span] = []
    for piece, goes_on in zip(pieces, joined, strict=True):
        carry.append(piece)
        if not goes_on:
            quotations.append(Quotation(tuple(carry)))
            carry = []
    return plain, quotations


def cue(text: str, cast: tuple[Character, ...] = CAST) -> tuple[Cue, str]:
    """The first quotation's cue, and its words."""
    plain, quotations = read(text)
    found = cues.find(plain, quotations, cast, mentions.find(plain, cast))[0]
    return found, found.span.of(plain) if found.span else ""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("“|Who is it?|”", id="nothing around"),
        pytest.param("“|Who is it?|” Jane smiled at Mr. Darcy.", id="somebody does something"),
        pytest.param("“|Who is it?|” Elizabeth said nothing.", id="says nothing"),
        pytest.param("“|Who is it?|” Elizabeth did not answer.", id="does not answer"),
        pytest.param("“|Who is it?|” The answer was slow in coming.", id="a noun, not a verb"),
        pytest.param("Jane and Mr. Darcy walked on.\n\n“|Who is it?|”", id="a paragraph before"),
        pytest.param("DARCY SAID IT\n\n“|Who is it?|”", id="a heading before"),
        pytest.param("“|Who is it?|”\n\n“No one,” said Jane.", id="the next speech's cue"),
        pytest.param("“|No.|” It rained, which Jane said was a pity.", id="a clause that hangs"),
        pytest.param("Mr. Bennet replied that he had not. “|But it is.|”", id="indirect speech"),
    ],
)
def test_nothing_says_who_speaks(text: str) -> None:
    assert cue(text) == (NO_CUE, "")


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        pytest.param("“|No,|” said Elizabeth.", "Elizabeth", "said Elizabeth", id="inverted"),
        pytest.param("“|No,|” Elizabeth said.", "Elizabeth", "Elizabeth said", id="straight"),
        pytest.param("“|No!|” cried Mr. Bennet.", "Mr. Bennet", "cried Mr. Bennet", id="a title"),
        pytest.param(
            "“|No,‖” said Jane, “|never.|”", "Jane", "said Jane", id="between the pieces"
        ),
        pytest.param("Jane replied, “|No.|”", "Jane", "Jane replied", id="before"),
        pytest.param("Jane cried:\n\n“|No.|”", "Jane", "Jane cried", id="the paragraph before"),
        pytest.param(
            "Elizabeth, smiling, cried: “|No.|”", "Elizabeth", "Elizabeth, smiling, cried",
            id="a participle between",
        ),
        pytest.param(
            "Jane, when she had read it, said, “|No.|”", "Jane",
            "Jane, when she had read it, said", id="a clause between",
        ),
        pytest.param(
            "Mr. Darcy drew his chair towards her, and said, “|No.|”", "Mr. Darcy",
            "Mr. Darcy drew his chair towards her, and said", id="the second verb",
        ),
        pytest.param(
            "When Jane had done, Elizabeth said: “|No.|”", "Elizabeth", "Elizabeth said",
            id="after a clause of another",
        ),
        pytest.param("“|No,|” said Jane to Elizabeth.", "Jane", "said Jane", id="not to whom"),
        pytest.param("Turning to Jane, Darcy said, “|No.|”", "Darcy", "Darcy said", id="turning"),
        pytest.param("“|No,|” said poor Jane.", "Jane", "said poor Jane", id="an epithet"),
        pytest.param("“|No,|” then said Jane.", "Jane", "said Jane", id="an adverb first"),
        pytest.param("“|No,|” Jane at last replied.", "Jane", "Jane at last replied", id="adverbs"),
        pytest.param("“|No?|” Jane went on.", "Jane", "Jane went", id="went on"),
        pytest.param("“|No,|” put in Jane.", "Jane", "put in Jane", id="put in"),
        pytest.param("“|No,|” smiled Jane.", "Jane", "smiled Jane", id="smiled, inverted"),
        pytest.param("“|No,|” was Jane's answer.", "Jane", "Jane's answer", id="a noun of speech"),
        pytest.param(
            "Jane could not help saying, “|No.|”", "Jane", "Jane could not help saying",
            id="could not help saying",
        ),
        pytest.param("Jane looked at him: “|No.|”", "Jane", "Jane", id="only the colon says so"),
        pytest.param(
            "“|No,|” Jane shook her head.", "Jane", "Jane shook", id="only the comma says so"
        ),
        pytest.param("“|No,|” said Mrs. Long.", None, "said Mrs. Long", id="not in the cast"),
    ],
)  # fmt: skip
def test_a_name_and_a_verb_of_speech_are_explicit(text: str, name: str | None, words: str) -> None:
    found, said = cue(text)
    assert found.kind is QuoteKind.EXPLICIT
    assert (found.who is None) == (name is None)
    if name is not None:
        assert found.who is not None
        assert name in CAST[found.who].aliases
    assert said == words


@pytest.mark.parametrize(
    ("text", "gender", "words"),
    [
        pytest.param("“|No,|” said he.", M, "said he", id="said he"),
        pytest.param("“|No,|” she replied.", F, "she replied", id="she replied"),
        pytest.param("“|No?|” she added quietly.", F, "she added", id="after a question"),
        pytest.param("“|No,|” they cried.", U, "they cried", id="several"),
        pytest.param("“|No,|” cried his wife.", F, "cried his wife", id="a kinswoman"),
        pytest.param("“|No,|” said Jane's father.", M, "said Jane's father", id="of somebody"),
        pytest.param("“|No,|” said the tall lady.", F, "said the tall lady", id="a description"),
        pytest.param("“|No,|” a gentleman answered.", M, "a gentleman answered", id="straight"),
        pytest.param("She looked up at Darcy and said, “|No.|”", F,
                     "She looked up at Darcy and said", id="the object is a name"),
        pytest.param("“|No,|” said I.", U, "said I", id="an I who is not in the cast"),
        pytest.param("“|No,|” was his reply.", M, "his reply", id="his reply"),
        pytest.param("Jane heard him say, “|No.|”", M, "him say", id="heard him say"),
    ],
)  # fmt: skip
def test_a_pronoun_or_a_description_is_anaphoric(text: str, gender: Gender, words: str) -> None:
    found, said = cue(text)
    assert (found.kind, found.who, found.gender) == (QuoteKind.ANAPHORIC, None, gender)
    assert said == words


@pytest.mark.parametrize("text", ["“|No,|” said I.", "“|No,|” I answered.", "I said: “|No.|”"])
def test_the_narrators_i_is_anaphoric_and_known(text: str) -> None:
    found, _ = cue(text, (*CAST, WATSON))
    assert found == Cue(QuoteKind.ANAPHORIC, found.span, len(CAST), M)


def test_a_description_in_the_cast_is_anaphoric_and_known() -> None:
    found, said = cue("“|No,|” said the old man.")
    assert (found.kind, found.who, said) == (QuoteKind.ANAPHORIC, 4, "said the old man")


WIFE = Character("mrs-bennet", "Mrs. Bennet", ("Mrs. Bennet",), F)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("“|Go, Mr. Bennet,|” said his lady.", "mrs-bennet", id="called in the speech"),
        pytest.param("Mr. Bennet rose. “|Go,|” cried his wife.", "mrs-bennet", id="named before"),
        pytest.param("Mrs. Bennet sat. “|No,|” said her husband.", "mr-bennet", id="a husband"),
        pytest.param("Mr. Darcy rose. “|Go,|” cried his wife.", None, id="not in the book"),
        pytest.param("“|Go,|” cried his wife.", None, id="nobody before"),
        pytest.param("Mr. Bennet rose. “|Go,|” cried his aunt.", None, id="another relation"),
    ],
)
def test_a_wife_or_a_husband_is_known_by_whose_she_or_he_is(
    text: str, expected: str | None
) -> None:
    cast = (*CAST, WIFE)
    found, _ = cue(text, cast)
    assert found.kind is QuoteKind.ANAPHORIC
    assert (None if found.who is None else cast[found.who].id) == expected


def test_a_name_that_several_have_means_the_one_named_most_and_of_that_gender() -> None:
    found, _ = cue("Jane, Jane and Elizabeth. “|No,|” said Miss Bennet. Jane left.")
    assert found.who == 1
    found, _ = cue("Jane, Jane and Elizabeth. “|No,|” said Bennet. Jane left.")
    assert found.who == 1


def test_the_words_before_a_speech_count_before_those_behind_it() -> None:
    found, said = cue("Jane said: “|No;|” and Elizabeth answered: “Yes.”")
    assert (found.who, said) == (1, "Jane said")


def test_every_quotation_has_a_cue_in_the_order_given() -> None:
    plain, quotations = read("“|No,|” said Jane.\n\n“|Yes.|”\n\n“|Why?|” asked Darcy.")
    backwards = quotations[::-1]
    found = cues.find(plain, backwards, CAST, mentions.find(plain, CAST))
    assert [each.who for each in found] == [3, None, 1]


@pytest.mark.parametrize(
    ("speech", "names"),
    [
        pytest.param("I saw Jane and Elizabeth.", [], id="talked about"),
        pytest.param("Jane is here.", [], id="a subject"),
        pytest.param("I want to see Mr. Darcy.", [], id="an object"),
        pytest.param("I met him, Darcy, the proudest of men.", [], id="explained within"),
        pytest.param("Darcy, the proudest of men, left.", [], id="explained"),
        pytest.param("Jane, who is here, knows.", [], id="a clause about her"),
        pytest.param("Well, Jane, who is it from?", [1], id="within"),
        pytest.param("Jane, will you come?", [1], id="before a verb"),
        pytest.param("Jane, and Darcy, left.", [], id="listed"),
        pytest.param("Lizzy, come here.", [0], id="first"),
        pytest.param("Come here, Lizzy!", [0], id="last"),
        pytest.param("My dear Mr. Bennet, have you heard?", [2], id="my dear"),
        pytest.param("Jane! Lizzy! Jane!", [1, 0], id="several, each once"),
    ],
)
def test_vocatives_are_told_from_names_talked_about(speech: str, names: list[int]) -> None:
    plain, quotations = read(f"“|{speech}|”")
    assert cues.vocatives(plain, quotations[0], mentions.find(plain, CAST)) == names


def test_vocatives_outside_the_pieces_do_not_count() -> None:
    plain, quotations = read("“|Well,‖” said Jane, “|Darcy, come.|”")
    assert cues.vocatives(plain, quotations[0], mentions.find(plain, CAST)) == [3]


def test_the_verbs_come_in_all_their_forms() -> None:
    assert {"begged", "begging", "cried", "cries", "crying", "hissed", "hisses"} <= SPEECH
    assert {"said", "says", "told", "whispering", "agreed", "agreeing", "argued"} <= SPEECH
    assert {"went", "nodded", "smiling", "shrugged", "thought"} <= WEAK
    assert not SPEECH & WEAK
    assert len(SPEECH) > 1_000


@settings(max_examples=300, deadline=None)
@given(SPOKEN, st.lists(st.tuples(st.integers(0, 120), st.integers(1, 30)), max_size=6))
def test_any_text_has_cues_whose_spans_are_in_it(text: str, places: list[tuple[int, int]]) -> None:
    quotations = [
        Quotation((Span(start, min(start + length, len(text))),))
        for start, length in places
        if start < len(text)
    ]
    cast = (*CAST, WATSON)
    named = mentions.find(text, cast)
    found = cues.find(text, quotations, cast, named)
    assert len(found) == len(quotations)
    for quotation, each in zip(quotations, found, strict=True):
        assert (each.span is None) == (each.kind is QuoteKind.IMPLICIT)
        if each.span is not None:
            assert 0 <= each.span.start < each.span.end <= len(text)
        assert each.who is None or 0 <= each.who < len(cast)
        assert set(cues.vocatives(text, quotation, named)) <= set(range(len(cast)))


@pytest.mark.parametrize(
    "text", ["", " \n\n ", "said " * 50_000, "Jane, " * 50_000, "\n" * 200_000, "’" * 100_000]
)
def test_long_and_empty_texts_are_read(text: str) -> None:
    quotations = [Quotation((Span(at, at + 1),)) for at in range(0, len(text) - 1, 1_000)]
    assert len(cues.find(text, quotations, CAST, mentions.find(text, CAST))) == len(quotations)
