"""Paragraphs and sentences: where they begin and end, and that no text is lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.books import samples
from scholar_indexes.books.formats import sources
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.books.segmentation.sentences import (
    MAX_SENTENCE_CHARS,
    MAX_WORD_CHARS,
    SEARCHED,
    chapter_sentences,
    paragraph_spans,
    sentence_spans,
)
from scholar_indexes.types import Chapter, ChapterKind, Span

LITERARY = st.text(
    st.sampled_from("aAbB  \n\n.!?…:;,—-\"'“”‘’()[]_*0\t\u00a0\u200be\u0301")
    | st.characters(codec="utf-8"),
    max_size=300,
)
"""Text like that in novels, with some arbitrary characters."""


def whole(text: str) -> Span:
    return Span(0, len(text))


def read(text: str) -> list[str]:
    """Return the sentences of a text that is one paragraph."""
    return [span.of(text) for span in sentence_spans(text, whole(text))]


def squeezed(text: str) -> str:
    return "".join(text.split())


def body(text: str, number: int = 1, kind: ChapterKind = ChapterKind.CHAPTER) -> Chapter:
    return Chapter(number, str(number), (), kind, whole(text), whole(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(" \n\t ", [], id="only white space"),
        pytest.param("Rain.", ["Rain."], id="one word"),
        pytest.param("Rain", ["Rain"], id="one word without a stop"),
        pytest.param("I.", ["I."], id="one letter"),
        pytest.param("* * *", ["* * *"], id="a row of stars"),
        pytest.param("  He left.  ", ["He left."], id="outer white space"),
        pytest.param("He left. She wept.", ["He left.", "She wept."], id="two"),
        pytest.param("He left.\nShe wept.", ["He left.", "She wept."], id="over a line break"),
        pytest.param("He\nleft. She wept.", ["He\nleft.", "She wept."], id="a line break inside"),
        pytest.param("What?! No!!! Yes.", ["What?!", "No!!!", "Yes."], id="several stops"),
        pytest.param("Oh! how happy he was!", ["Oh! how happy he was!"], id="oh! goes on"),
        pytest.param("the year 1815. He left.", ["the year 1815.", "He left."], id="a year"),
    ],
)
def test_plain_sentences_end_at_their_stops(text: str, expected: list[str]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("“Go,” he said. “Now.”", ["“Go,” he said.", "“Now.”"], id="two speeches"),
        pytest.param("“Go,” he said, “now.”", ["“Go,” he said, “now.”"], id="interrupted"),
        pytest.param("“Why?” said he.", ["“Why?” said he."], id="a tag after a question"),
        pytest.param('"Why?" said he. "No."', ['"Why?" said he.', '"No."'], id="straight"),
        pytest.param("“What?!” he cried.", ["“What?!” he cried."], id="a tag after two stops"),
        pytest.param("“Well . . .” he said.", ["“Well . . .” he said."], id="a tag after dots"),
        pytest.param(
            "“Stop!” Tom began.", ["“Stop!”", "Tom began."], id="a name begins a sentence"
        ),
        pytest.param("“I—” he began. “No—”", ["“I—” he began.", "“No—”"], id="broken off"),
        pytest.param("“He said, ‘Why?’” said she.", ["“He said, ‘Why?’” said she."], id="nested"),
        pytest.param(
            "‘He said “Go.” Then left.’ She wept.",
            ["‘He said “Go.”", "Then left.’", "She wept."],
            id="nested the British way",
        ),
        pytest.param("(He left.) She wept.", ["(He left.)", "She wept."], id="parentheses"),
        pytest.param("[He left.] She wept.", ["[He left.]", "She wept."], id="brackets"),
        pytest.param("_Why?_ said he. _No._", ["_Why?_ said he.", "_No._"], id="italics"),
        pytest.param("«Quoi?» dit-il. Oui.", ["«Quoi?» dit-il.", "Oui."], id="guillemets"),
        pytest.param("“Wait … ” He left.", ["“Wait … ”", "He left."], id="a closing mark apart"),
        pytest.param("“Yes.”“No.”", ["“Yes.”", "“No.”"], id="speeches without a space"),
        pytest.param("“Yes.”—the man left.", ["“Yes.”—the man left."], id="a dash after speech"),
        pytest.param("“Yes.”—“No.”", ["“Yes.”—“No.”"], id="speeches joined by a dash"),
    ],
)
def test_closing_marks_and_tags_stay_with_what_they_close(text: str, expected: list[str]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Mr. and Mrs. Bennet met Dr. Watson.",
        "We met J. B. Smith at St. James's.",
        "Lady C. de B. called on M. de Villefort.",
        "At 10 a.m. we left, i.e. too late.",
        "Capt. Hook, Lieut. Osborne and Col. Fitzwilliam rode out.",
        "Mme. Bovary and Mlle. Rouault wept.",
        "It cost $3.50 at 12:30 precisely.",
        "Rev. Mr. Collins wrote to Messrs. Gardiner.",
    ],
)
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert read(text + " He left.") == [text, "He left."]


@pytest.mark.parametrize("dots", ["...", "…", ". . .", "....", ". . . .", "…."])
@pytest.mark.parametrize("word", ["then", "Then"])
@pytest.mark.parametrize("space", [" ", ""])
def test_an_ellipsis_of_any_manner_is_a_boundary(dots: str, word: str, space: str) -> None:
    first = f"He waited{space}{dots}"
    assert read(f"{first} {word} he left.") == [first, f"{word} he left."]


@pytest.mark.parametrize("mark", [":", ";"])
def test_colons_and_semicolons_are_boundaries_as_in_relic(mark: str) -> None:
    text = f"It rained{mark} we left{mark} Tom stayed."
    assert read(text) == [f"It rained{mark}", f"we left{mark}", "Tom stayed."]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("... and then he left.", id="leading dots"),
        pytest.param("… and then he left.", id="leading ellipsis"),
        pytest.param("“… and then,” he said.", id="inside a quotation"),
        pytest.param("He left … …", id="trailing ellipses"),
        pytest.param("He left. …", id="an ellipsis after a stop"),
    ],
)
def test_dots_without_a_word_are_no_sentence_of_their_own(text: str) -> None:
    assert read(text) == [text]


def test_verse_is_one_paragraph_whose_lines_do_not_end_sentences() -> None:
    text = (
        "Tyger Tyger, burning bright,\n  In the forests of the night;\nWhat hand dared? What eye?"
    )
    assert read(text) == [
        "Tyger Tyger, burning bright,\n  In the forests of the night;",
        "What hand dared?",
        "What eye?",
    ]


def test_a_stretch_without_a_stop_is_broken_at_a_space() -> None:
    text = "word " * 1_000 + "end"
    sentences = read(text)
    assert len(sentences) == 3
    assert all(len(sentence) <= MAX_SENTENCE_CHARS for sentence in sentences)
    assert " ".join(sentences) == text


def test_a_stretch_of_lines_without_a_stop_is_broken_between_lines() -> None:
    text = "\n".join(["one-two-three"] * 500)
    sentences = read(text)
    assert "\n".join(sentences) == text
    assert len(sentences) > 1


def test_paragraphs_are_parted_by_blank_lines_only() -> None:
    text = "\n\none\ntwo\n\n\n  three  \n\nfour"
    assert [span.of(text) for span in paragraph_spans(text, whole(text))] == [
        "one\ntwo",
        "three",
        "four",
    ]


def test_paragraphs_stay_inside_the_span_they_are_asked_for() -> None:
    text = "one\n\ntwo three\n\nfour"
    assert [span.of(text) for span in paragraph_spans(text, Span(5, 8))] == ["two"]


@pytest.mark.parametrize("kind", list(ChapterKind))
def test_only_the_work_and_its_prefaces_are_searched(kind: ChapterKind) -> None:
    assert bool(list(chapter_sentences("He left.", [body("He left.", kind=kind)]))) == (
        kind in SEARCHED
    )


def test_sentences_carry_their_chapter_and_count_paragraphs_from_one() -> None:
    text = "One. Two.\n\nThree."
    sentences = [
        (sentence.chapter, sentence.paragraph, sentence.span.of(text))
        for sentence in chapter_sentences(text, [body(text, 7)])
    ]
    assert sentences == [(7, 1, "One."), (7, 1, "Two."), (7, 2, "Three.")]


@given(LITERARY)
def test_sentences_of_any_text_tile_its_paragraphs(text: str) -> None:
    tiles(text, [body(text)])


@settings(max_examples=25)
@given(st.text(st.sampled_from("a .\n“"), min_size=1, max_size=40), st.integers(50, 400))
def test_sentences_of_long_repetitive_text_tile_its_paragraphs(text: str, times: int) -> None:
    tiles(text * times, [body(text * times)])


@pytest.mark.slow
@pytest.mark.parametrize("sample", samples.bundled(), ids=lambda sample: sample.title)
def test_sentences_of_the_bundled_books_tile_their_paragraphs(sample: samples.Sample) -> None:
    manuscript = sources.read(samples.read(sample), "sample")
    chapters = divide(manuscript.text, manuscript.headings)
    tiles(manuscript.text, chapters)
    sentences = [
        sentence.span.of(manuscript.text)
        for sentence in chapter_sentences(manuscript.text, chapters)
    ]
    assert len(sentences) > 3_000
    assert not [sentence for sentence in sentences if sentence[0] in "”)]}"]
    assert not [sentence for sentence in sentences if not any(map(str.isalnum, sentence))]


def tiles(text: str, chapters: list[Chapter]) -> None:
    """Check that the sentences cover every character of each paragraph except white space."""
    sentences = list(chapter_sentences(text, chapters))
    spans = [sentence.span for sentence in sentences]
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert all(0 < len(span.of(text)) <= MAX_SENTENCE_CHARS for span in spans)
    assert all(span.of(text) == span.of(text).strip() for span in spans)
    held: dict[tuple[int, int], list[Span]] = {}
    for sentence in sentences:
        held.setdefault((sentence.chapter, sentence.paragraph), []).append(sentence.span)
    expected = {
        (chapter.number, number): paragraph
        for chapter in chapters
        if chapter.kind in SEARCHED
        for number, paragraph in enumerate(paragraph_spans(text, chapter.body), 1)
    }
    assert list(held) == list(expected)
    for place, inside in held.items():
        paragraph = expected[place]
        assert paragraph.start <= inside[0].start
        assert inside[-1].end <= paragraph.end
        between = "".join(span.of(text) for span in inside)
        assert squeezed(between) == squeezed(paragraph.of(text))


@pytest.mark.slow
def test_a_line_of_two_megabytes_is_read() -> None:
    text = "No. " + "the rain fell and " * 110_000
    count = sum(
        1
        for paragraph in paragraph_spans(text, whole(text))
        for _ in sentence_spans(text, paragraph)
    )
    assert count > len(text) // MAX_SENTENCE_CHARS


def test_a_word_longer_than_any_is_broken_so_that_the_tokenizer_stays_fast() -> None:
    assert [len(piece) for piece in read("x" * (2 * MAX_WORD_CHARS + 1))] == [200, 200, 1]
