"""Quotations aligned with a text: their positions in it, and their changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.quotations import alignment, changes, quoted_words
from scholar_indexes.quotations.alignment import Alignment, Step
from scholar_indexes.quotations.words import number_book_words, number_words
from scholar_indexes.results import ChangeKind, QuotationStatus
from scholar_indexes.types import Span

TEXT = (
    "Then he rose. It is a truth universally acknowledged, that a single man in possession of a "
    "good fortune, must be in want of a wife. However little known the feelings of such a man may "
    "be to-day, his favourite colour is grey."
)
Change = tuple[str, str, str]


def compare(quotation: str, text: str = TEXT) -> tuple[str, QuotationStatus, list[Change]]:
    """Return the aligned part of the text, the status of the quotation, and its changes."""
    quoted, words = quoted_words.read(quotation), number_book_words(text)
    spans = [Span(*ends) for ends in zip(words.starts.tolist(), words.ends.tolist(), strict=True)]
    letters = [span.of(text).casefold() for span in spans]
    aligned = alignment.align(quoted, words.numbers, letters)
    assert aligned is not None
    aligned = alignment.keep_to_paragraphs(aligned, alignment.paragraph_numbers(text, spans))
    described = changes.describe(quoted, aligned.steps, text, spans)
    exact = text[spans[aligned.start].start : spans[aligned.end - 1].end]
    listed = [(str(change.kind), change.quoted, change.original) for change in described]
    for change in described:
        assert change.span.of(quotation) == change.quoted
    return exact, changes.status(described), listed


@pytest.mark.parametrize(
    "quotation",
    [
        "a truth universally acknowledged",
        "A TRUTH, universally — acknowledged!",
        "a truth univer-\nsally acknowledged",
        "_a truth_ ‘universally’ acknowledged",
    ],
)
def test_marks_capitals_and_line_ends_leave_a_quotation_verbatim(quotation: str) -> None:
    exact, status, described = compare(quotation)
    assert exact == "a truth universally acknowledged"
    assert (status, described) == (QuotationStatus.VERBATIM, [])


def test_a_word_with_or_without_its_hyphen_is_the_same() -> None:
    assert compare("such a man may be today, his")[1:] == (QuotationStatus.VERBATIM, [])


def test_an_ellipsis_replaces_omitted_words() -> None:
    exact, status, described = compare("a truth … that a single man … must be in want")
    assert exact.startswith("a truth universally")
    assert exact.endswith("must be in want")
    assert status is QuotationStatus.ELIDED
    assert described == [
        ("elided", "…", "universally acknowledged"),
        ("elided", "…", "in possession of a good fortune"),
    ]


def test_an_ellipsis_may_replace_nothing() -> None:
    assert compare("It is a truth … universally acknowledged")[1] is QuotationStatus.VERBATIM


@pytest.mark.parametrize(
    ("quotation", "change"),
    [
        ("that a [very] single man in possession", ("bracketed", "very", "")),
        ("that a [rich] man in possession", ("bracketed", "rich", "single")),
        ("such a man [is] to-day", ("bracketed", "is", "may be")),
        ("a truth universally acknowledge[s]", ("bracketed", "acknowledge[s]", "acknowledged")),
    ],
)
def test_words_in_brackets_are_no_alteration(quotation: str, change: Change) -> None:
    _, status, described = compare(quotation)
    assert (status, described) == (QuotationStatus.ELIDED, [change])


@pytest.mark.parametrize(
    ("quotation", "change"),
    [
        ("his favorite colour is grey", ("spelling", "favorite", "favourite")),
        ("his favourite colour is gray", ("spelling", "gray", "grey")),
        ("a truth universaliy acknowledged", ("letters", "universaliy", "universally")),
        ("that a single horse in possession", ("words", "horse", "man")),
        ("that a single hors[e] in possession", ("words", "hors[e]", "man")),
        ("that a very single man in possession", ("added", "very", "")),
        ("that a man in possession of a good", ("omitted", "", "single")),
        ("It is a truth that a single man", ("omitted", "", "universally acknowledged")),
    ],
)
def test_an_alteration_is_named(quotation: str, change: Change) -> None:
    _, status, described = compare(quotation)
    assert (status, described) == (QuotationStatus.ALTERED, [change])


def test_a_first_and_a_last_word_that_are_wrong_belong_to_the_place() -> None:
    exact, _, described = compare("However little known the thoughts")
    assert exact == "However little known the feelings"
    assert [kind for kind, _, _ in described] == [ChangeKind.WORDS]


CHAPTERS = "He slept at last.\n\nCHAPTER V\n\nIt was on a dreary night that I saw it.\n\nHe fled."


@pytest.mark.parametrize("words", ["So", "He says that", "As the narrator then tells us,"])
def test_words_before_the_opening_of_a_chapter_are_added_ones(words: str) -> None:
    exact, status, [(_, added, original)] = compare(f"{words} it was on a dreary night", CHAPTERS)
    assert exact == "It was on a dreary night"
    assert status is QuotationStatus.ALTERED
    assert (words.rstrip(","), original) == (added, "")


def test_words_behind_the_end_of_a_paragraph_are_added_ones() -> None:
    exact, _, [change] = compare("on a dreary night that I saw it, she writes", CHAPTERS)
    assert exact == "on a dreary night that I saw it"
    assert change[1:] == ("she writes", "")


def test_single_words_of_several_paragraphs_stay_where_they_are() -> None:
    equal = {0: 0, 5: 1, 10: 2}
    steps = tuple(
        Step(word, word + 1, equal[word], equal[word] + 1, is_equal=True)
        if word in equal
        else Step(word, word + 1, sum(at < word for at in equal), sum(at < word for at in equal))
        for word in range(11)
    )
    aligned = Alignment(0, 3, 0.3, steps)
    assert alignment.keep_to_paragraphs(aligned, [0, 1, 2]) == aligned


def test_a_quotation_over_two_paragraphs_has_both() -> None:
    exact, status, _ = compare("a dreary night that I saw it. He fled", CHAPTERS)
    assert exact.endswith("saw it.\n\nHe fled")
    assert status is QuotationStatus.VERBATIM


def test_a_quotation_without_words_is_not_aligned() -> None:
    words = number_words(TEXT)
    assert alignment.align(quoted_words.read("…"), words.numbers, ["x"] * len(words)) is None


WORDS = st.lists(st.sampled_from("the sea was grey and old men wept by it".split()), max_size=30)


@given(WORDS, st.data())
def test_words_of_a_text_are_verbatim_wherever_they_are_cut_from(
    words: list[str], data: st.DataObject
) -> None:
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(first + 1, len(words)))
    quotation = " ".join(words[first:end])
    exact, status, described = compare(quotation, " ".join(words))
    assert (exact, status, described) == (quotation, QuotationStatus.VERBATIM, [])


@given(WORDS, st.lists(WORDS.filter(bool), max_size=6))
def test_any_two_texts_can_be_compared(quotation: list[str], text: list[list[str]]) -> None:
    words = [word for paragraph in text for word in paragraph]
    paragraphs = [number for number, paragraph in enumerate(text) for _ in paragraph]
    quoted = quoted_words.read(" … ".join(quotation))
    aligned = alignment.align(quoted, number_words(" ".join(words)).numbers, words)
    if aligned is None:
        return
    assert 0 <= aligned.similarity <= 1
    for compared in (aligned, alignment.keep_to_paragraphs(aligned, paragraphs)):
        assert 0 <= compared.start < compared.end <= len(words)
        read = [place for step in compared.steps for place in range(step.quoted, step.quoted_end)]
        assert read == list(range(len(quoted)))
        edges = [edge for step in compared.steps for edge in (step.start, step.end)]
        assert edges == sorted(edges)


VERSE = (
    "What men or gods are these?\nWhat pipes and timbrels? What wild ecstasy? 10\n\n2.\n\n"
    "Heard melodies are sweet, but those unheard\n  Are sweeter; therefore play on 15"
)


@pytest.mark.parametrize(
    "quotation",
    [
        "What wild ecstasy? / Heard melodies are sweet",
        "What wild ecstasy? 10\n\n2.\n\nHeard melodies are sweet",
    ],
)
def test_numbers_that_an_editor_put_into_verse_change_nothing(quotation: str) -> None:
    assert compare(quotation, VERSE)[1:] == (QuotationStatus.VERBATIM, [])


def test_other_numbers_in_verse_are_changes() -> None:
    changed = compare("What wild ecstasy? 30 Heard melodies are sweet", VERSE)
    assert changed[2] == [("added", "30", "")]


NOTED = """\
She came down to the mill,[1] and the yard stood under water¹ to the
height of a boot. She said nothing[A] for a while,* and then she called out.

[1] A mill of the older kind, with a wheel.

[Footnote A: Or very little.]

* So the first edition has it.

Her brother{2} did not answer [12] at once.
"""


@pytest.mark.parametrize(
    "quotation",
    [
        "came down to the mill, and the yard stood",
        "came down to the mill,[1] and the yard stood",
        "under water to the height of a boot",
        "She said nothing for a while, and then she called",
        "then she called out. Her brother did not answer at once",
        "A mill of the older kind, with a wheel",
        "Or very little",
    ],
)
def test_a_quotation_that_is_right_but_for_notes_is_verbatim(quotation: str) -> None:
    _, status, _ = compare(quotation, NOTED)
    assert status is QuotationStatus.VERBATIM
