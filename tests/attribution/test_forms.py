"""Forms of quotations that are not speech: thoughts, letters, signs, verse, words."""

from __future__ import annotations

import pytest

from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.forms import patterns
from scholar_indexes.attribution.forms.form_detection import find_forms
from scholar_indexes.attribution.forms.patterns import FormPattern
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.types import Chapter, ChapterKind, QuotationForm, Span

SPEECH, THOUGHT, LETTER = QuotationForm.SPEECH, QuotationForm.THOUGHT, QuotationForm.LETTER
VERSE, WORD = QuotationForm.VERSE, QuotationForm.WORD

BOOK = "“Yes,” said Anna. “No!” cried Tom.\n\n" * 3

LETTER_TEXT = (
    "“MY DEAR TOM,--I am to come to town on Monday, and hope to find you well.\n\n"
    "“Yours sincerely,\n\n“ANNA WREN.”"
)


def forms_of(text: str, chapters: tuple[Span, ...] = ()) -> list[QuotationForm]:
    """Return the forms of the quotations in a text at the end of a book."""
    whole = BOOK + text
    quotations = find_quotations(whole)
    forms = find_forms(whole, quotations, chapters)
    return [
        form
        for quotation, form in zip(quotations, forms, strict=True)
        if quotation.span.start >= len(BOOK)
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("“Come in,” said Anna, thinking of home.", id="she thinks and speaks"),
        pytest.param("“Come in.” He thought it over and left.", id="a thought after speech"),
        pytest.param("“Come in!” thought Anna aloud.", id="thought aloud"),
        pytest.param("“He is ill,” she said to herself.", id="said to herself"),
        pytest.param("“He is ill,” said a voice in the crowd.", id="somebody's voice"),
        pytest.param("“My dear Tom, how are you?”", id="a vocative is no salutation"),
        pytest.param("“My dear fellow--my dear, good fellow!”", id="a vocative and a dash"),
        pytest.param("He read the note aloud to them: “Come at once.”", id="a note read aloud"),
        pytest.param(
            "She wrote a line, and then she asked: “Is it late?”", id="she writes, speaks"
        ),
        pytest.param("He paid no notice, and went on, “It is late.”", id="a verb, not a notice"),
        pytest.param("She sang these lines:\n\n“Row, row,\nThe boat.”", id="a song"),
        pytest.param("“Yes” she said.", id="a missing comma"),
        pytest.param("He answered in one breath, “yes”, and left.", id="an answer of a word"),
        pytest.param("“But--” he began, “it is late.”", id="an interrupted speech"),
    ],
)
def test_spoken_quotations_are_speech(text: str) -> None:
    assert set(forms_of(text)) == {SPEECH}


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=row.example) for row in (*patterns.LEAD, *patterns.TAIL)],
)
def test_each_pattern_gives_the_form_of_its_example(row: FormPattern) -> None:
    has_lead = not row.example.startswith("Q")
    is_short = row.form in (WORD, QuotationForm.TITLE)
    quoted = "“Poor Tom,”" if is_short else "“I was never there, it is certain,”"
    narration = row.example.replace("Q", quoted)
    assert forms_of(narration if has_lead else f"{BOOK}{narration}")[-1] == row.form


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param(
            "It was, as he would have expressed it, “nuts” to him to see this.", WORD, id="a word"
        ),
        pytest.param(
            "They were, in her view, “not quite ladies,” and kept out.", WORD, id="a phrase"
        ),
        pytest.param(f"Tom had a letter from Anna.\n\n{LETTER_TEXT}", LETTER, id="a letter"),
        pytest.param(LETTER_TEXT, LETTER, id="a letter that nothing leads to"),
        pytest.param("“Is she gone?” thought Tom. “I hope not.”", THOUGHT, id="in two pieces"),
        pytest.param(
            "On the slab were cut these lines of a poem:\n\n“Stay, passer-by,\nAnd weep.”",
            VERSE,
            id="verse",
        ),
    ],
)
def test_unspoken_quotations_have_another_form(text: str, form: QuotationForm) -> None:
    assert forms_of(text) == [form]


def test_the_turns_of_a_conversation_within_somebody_are_thoughts() -> None:
    text = (
        "“She is gone.”\n\n“She is not.”\n\n“You must go on,” said his will.\n\nHe felt tired.\n\n"
        "“Why?”\n\nThe door opened, and Anna came in with the lamp and the letters of the day, and "
        "all the children behind her, who were to say good night to him.\n\n“Good night.”"
    )
    assert forms_of(text) == [THOUGHT] * 4 + [SPEECH]


@pytest.mark.parametrize(
    ("head", "form"),
    [
        pytest.param("“To every heart its hour.”\n          OLD SONG.", VERSE, id="with a source"),
        pytest.param("“To every heart\nIts hour.”", VERSE, id="lines of verse"),
        pytest.param("“It is late, I must go,” said Anna.", SPEECH, id="speech"),
        pytest.param("“It is late, and I must go.”", SPEECH, id="speech without a cue"),
    ],
)
def test_an_epigraph_is_told_from_speech_at_the_head_of_a_chapter(
    head: str, form: QuotationForm
) -> None:
    text = f"\n\nTHE SECOND DAY\n\n{head}\n\nTom came home late, and nobody was up."
    assert forms_of(text, (Span(len(BOOK), len(BOOK) + len(text)),)) == [form]


def test_a_thought_keeps_its_thinker_and_a_letter_has_no_speaker() -> None:
    text = BOOK + "“Is she gone?” thought Tom.\n\nTom read as follows:\n\n“Come at once.”\n\n"
    body = Span(0, len(text))
    chapter = Chapter(1, "Chapter 1", (), ChapterKind.CHAPTER, body, body)
    dialogue = pipeline.attribute_book(text, [chapter], pipeline.SIEVE)
    thought, letter = dialogue.attributions[-2:]
    assert thought.speaker is not None
    assert (thought.speaker.name, thought.form) == ("Tom", THOUGHT)
    assert (letter.speaker, letter.confidence, letter.form) == (None, 0.0, LETTER)
    assert {attribution.form for attribution in dialogue.attributions[:-2]} == {SPEECH}
