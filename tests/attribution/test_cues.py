"""Cues of quotations: explicit, with a pronoun, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution.cues.cue_detection import NO_CUE, Cue, find_cues
from scholar_indexes.attribution.cues.noun_phrases import (
    DESCRIPTION_ENDS,
    DescriptionEnd,
    parse_description,
)
from scholar_indexes.attribution.cues.patterns import (
    AHEAD_RULES,
    BEHIND_RULES,
    FINISHED_AHEAD_RULES,
    AheadRule,
    BehindRule,
    match_ahead,
    match_behind,
)
from scholar_indexes.attribution.cues.subjects import SUBJECT_RULES, SubjectRule, VerbClause
from scholar_indexes.attribution.cues.tokens import NarrationReader
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.vocatives import find_vocatives
from scholar_indexes.lexicon.verbs import SPEECH, WEAK_SPEECH
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
"""Text like the narration of novels, with some arbitrary characters."""


def read(text: str) -> tuple[str, list[Quotation]]:
    """Return a text without its | marks, and the quotations between them; ‖ joins two pieces."""
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
    """Return the first quotation's cue, and its words."""
    plain, quotations = read(text)
    cues = find_cues(plain, quotations, cast, mentions.find_mentions(plain, cast))[0]
    return cues, cues.span.of(plain) if cues.span else ""


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
        pytest.param("“|No,‖” said Jane, “|never.|”", "Jane", "said Jane", id="between the pieces"),
        pytest.param("Jane replied, “|No.|”", "Jane", "Jane replied", id="before"),
        pytest.param("Jane cried:\n\n“|No.|”", "Jane", "Jane cried", id="the paragraph before"),
        pytest.param(
            "Elizabeth, smiling, cried: “|No.|”",
            "Elizabeth",
            "Elizabeth, smiling, cried",
            id="a participle between",
        ),
        pytest.param(
            "Jane, when she had read it, said, “|No.|”",
            "Jane",
            "Jane, when she had read it, said",
            id="a clause between",
        ),
        pytest.param(
            "Mr. Darcy drew his chair towards her, and said, “|No.|”",
            "Mr. Darcy",
            "Mr. Darcy drew his chair towards her, and said",
            id="the second verb",
        ),
        pytest.param(
            "When Jane had done, Elizabeth said: “|No.|”",
            "Elizabeth",
            "Elizabeth said",
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
            "Jane could not help saying, “|No.|”",
            "Jane",
            "Jane could not help saying",
            id="could not help saying",
        ),
        pytest.param("Jane looked at him: “|No.|”", "Jane", "Jane", id="only the colon says so"),
        pytest.param(
            "“|No,|” Jane shook her head.", "Jane", "Jane shook", id="only the comma says so"
        ),
        pytest.param("“|No,|” said Mrs. Long.", None, "said Mrs. Long", id="not in the cast"),
    ],
)
def test_a_name_and_a_verb_of_speech_are_explicit(text: str, name: str | None, words: str) -> None:
    match, cue_text = cue(text)
    assert match.kind is QuoteKind.EXPLICIT
    assert (match.character is None) == (name is None)
    if name is not None:
        assert match.character is not None
        assert name in CAST[match.character].aliases
    assert cue_text == words


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
        pytest.param(
            "She looked up at Darcy and said, “|No.|”",
            F,
            "She looked up at Darcy and said",
            id="the object is a name",
        ),
        pytest.param("“|No,|” said I.", U, "said I", id="an I who is not in the cast"),
        pytest.param("“|No,|” was his reply.", M, "his reply", id="his reply"),
        pytest.param("Jane heard him say, “|No.|”", M, "him say", id="heard him say"),
        pytest.param("'|No,|' said she.", F, "said she", id="behind a single mark"),
        pytest.param("She said, ‘|No.|’", F, "She said", id="ahead of a single mark"),
    ],
)
def test_a_pronoun_or_a_description_is_anaphoric(text: str, gender: Gender, words: str) -> None:
    match, cue_text = cue(text)
    assert (match.kind, match.character, match.gender) == (QuoteKind.ANAPHORIC, None, gender)
    assert cue_text == words


@pytest.mark.parametrize("text", ["“|No,|” said I.", "“|No,|” I answered.", "I said: “|No.|”"])
def test_the_narrators_i_is_anaphoric_and_known(text: str) -> None:
    match, _ = cue(text, (*CAST, WATSON))
    assert (match.kind, match.character, match.gender) == (QuoteKind.ANAPHORIC, len(CAST), M)
    assert match.subject is not None
    assert match.subject.of(text.replace("|", "")) == "I"


def test_a_description_in_the_cast_is_anaphoric_and_known() -> None:
    match, cue_text = cue("“|No,|” said the old man.")
    assert (match.kind, match.character, cue_text) == (QuoteKind.ANAPHORIC, 4, "said the old man")


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
    match, _ = cue(text, cast)
    assert match.kind is QuoteKind.ANAPHORIC
    assert (None if match.character is None else cast[match.character].id) == expected


def test_a_name_that_several_have_means_the_one_named_most_and_of_that_gender() -> None:
    match, _ = cue("Jane, Jane and Elizabeth. “|No,|” said Miss Bennet. Jane left.")
    assert match.character == 1
    match, _ = cue("Jane, Jane and Elizabeth. “|No,|” said Bennet. Jane left.")
    assert match.character == 1


def test_the_words_before_a_speech_count_before_the_words_after_it() -> None:
    match, cue_text = cue("Jane said: “|No;|” and Elizabeth answered: “Yes.”")
    assert (match.character, cue_text) == (1, "Jane said")


def test_every_quotation_has_a_cue_in_the_order_given() -> None:
    plain, quotations = read("“|No,|” said Jane.\n\n“|Yes.|”\n\n“|Why?|” asked Darcy.")
    backwards = quotations[::-1]
    cues = find_cues(plain, backwards, CAST, mentions.find_mentions(plain, CAST))
    assert [cue.character for cue in cues] == [3, None, 1]


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
def test_vocatives_are_distinguished_from_names_talked_about(speech: str, names: list[int]) -> None:
    plain, quotations = read(f"“|{speech}|”")
    assert find_vocatives(plain, quotations[0], mentions.find_mentions(plain, CAST)) == names


def test_vocatives_outside_the_pieces_do_not_count() -> None:
    plain, quotations = read("“|Well,‖” said Jane, “|Darcy, come.|”")
    assert find_vocatives(plain, quotations[0], mentions.find_mentions(plain, CAST)) == [3]


def test_the_verbs_come_in_all_their_forms() -> None:
    assert {"begged", "begging", "cried", "cries", "crying", "hissed", "hisses"} <= SPEECH
    assert {"said", "says", "told", "whispering", "agreed", "agreeing", "argued"} <= SPEECH
    assert {"went", "nodded", "smiling", "shrugged", "thought"} <= WEAK_SPEECH
    assert not SPEECH & WEAK_SPEECH
    assert len(SPEECH) > 1_000


@given(SPOKEN, st.lists(st.tuples(st.integers(0, 120), st.integers(1, 30)), max_size=6))
def test_any_text_has_cues_whose_spans_are_in_it(text: str, places: list[tuple[int, int]]) -> None:
    quotations = [
        Quotation((Span(start, min(start + length, len(text))),))
        for start, length in places
        if start < len(text)
    ]
    cast = (*CAST, WATSON)
    named = mentions.find_mentions(text, cast)
    cues = find_cues(text, quotations, cast, named)
    assert len(cues) == len(quotations)
    for quotation, cue in zip(quotations, cues, strict=True):
        assert (cue.span is None) == (cue.kind is QuoteKind.IMPLICIT)
        if cue.span is not None:
            assert 0 <= cue.span.start < cue.span.end <= len(text)
        assert cue.character is None or 0 <= cue.character < len(cast)
        assert set(find_vocatives(text, quotation, named)) <= set(range(len(cast)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(" \n\n ", id="white space"),
        pytest.param("said " * 4_000, id="one verb for ever"),
        pytest.param("Jane, " * 4_000, id="one name for ever"),
        pytest.param("\n" * 80_000, id="line breaks"),
        pytest.param("’" * 40_000, id="quotation marks"),
    ],
)
def test_long_and_empty_texts_are_read(text: str) -> None:
    quotations = [Quotation((Span(at, at + 1),)) for at in range(0, len(text) - 1, 1_000)]
    assert len(find_cues(text, quotations, CAST, mentions.find_mentions(text, CAST))) == len(
        quotations
    )


def reader_of(narration: str) -> NarrationReader:
    return NarrationReader.of(narration, mentions.find_mentions(narration, CAST), CAST)


SUBJECTS = {
    "antecedent of a relative clause": ("Jane, who at last | said", "Jane"),
    "object of perception": ("Jane heard him | say", "him"),
    "adjacent name": ("Jane at last | said", "Jane"),
    "adjacent pronoun": ("then she | said", "she"),
    "name that several have": ("then Bennet | said", "Bennet"),
    "adjacent description": ("then the tall lady | said", "the tall lady"),
    "subject of the clause": ("Jane, with a smile, | said", "Jane"),
}


@pytest.mark.parametrize("rule", SUBJECT_RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_the_subject_of_its_example_before_later_rules(rule: SubjectRule) -> None:
    example, expected = SUBJECTS[rule.name]
    text = example.replace("| ", "")
    reader = reader_of(text)
    tokens = reader.tokenize(Span(0, len(text)))
    verb = next(n for n, token in enumerate(tokens) if token.start == example.index("|"))
    last = verb - 1
    while tokens[last].is_word and tokens[last].is_adverbial:
        last -= 1
    clause = VerbClause(reader, tokens, verb, 0, last)
    first, subject = next(
        (other, subject) for other in SUBJECT_RULES if (subject := other.find(clause)) is not None
    )
    assert (first.name, subject.span.of(text)) == (rule.name, expected)


BEHIND = {
    "verb before subject": ("said Jane.", "said Jane", True),
    "subject before verb": ("Jane smiled and said.", "Jane smiled", True),
    "noun of speech": ("was Jane's answer.", "Jane's answer", True),
    "person behind a comma": ("Jane on her knees.", "Jane", False),
}
AHEAD = {
    "verb of speech": ("Elizabeth, smiling, cried:", "Elizabeth, smiling, cried", True),
    "noun of speech": ("Then came Jane's voice:", "Jane's voice", True),
    "subject before a leading mark": ("Jane looked at him:", "Jane", False),
    "sentence that says someone speaks": ("Jane protested.", "Jane protested", False),
}


@pytest.mark.parametrize("rule", BEHIND_RULES, ids=lambda rule: rule.name)
def test_each_pattern_behind_a_quotation_matches_its_example(rule: BehindRule) -> None:
    text, words, is_sure = BEHIND[rule.name]
    match = match_behind(reader_of(text), Span(0, len(text)), ",")
    assert match is not None
    assert (match.span.of(text), match.is_sure) == (words, is_sure)


@pytest.mark.parametrize("rule", [*AHEAD_RULES, *FINISHED_AHEAD_RULES], ids=lambda rule: rule.name)
def test_each_pattern_ahead_of_a_quotation_matches_its_example(rule: AheadRule) -> None:
    text, words, is_sure = AHEAD[rule.name]
    match = match_ahead(reader_of(text), Span(0, len(text)))
    assert match is not None
    assert (match.span.of(text), match.is_sure) == (words, is_sure)


DESCRIPTIONS = {
    "mark": "the old man, a sailor",
    "function word": "the old man with a stick",
    "verb of speech": "the old man said it",
    "weak verb": "the old man nodded",
    "pronoun": "the old man he knew",
    "verb or adverb by its ending": "the old man limped away",
}


@pytest.mark.parametrize("rule", DESCRIPTION_ENDS, ids=lambda rule: rule.name)
def test_each_end_of_a_description_ends_its_example(rule: DescriptionEnd) -> None:
    text = DESCRIPTIONS[rule.name]
    tokens = NarrationReader.of(text, [], ()).tokenize(Span(0, len(text)))
    phrase = parse_description(tokens, 0)
    assert phrase is not None
    assert phrase.span.of(text) == "the old man"
