"""Quotations: which stretches are spoken, in all the ways that books mark them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scholar_cli.laboratory.pdnc import spans
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.attribution.quotes.conventions import Convention, detect_convention
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.books import samples
from scholar_indexes.books.formats import sources
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.types import ChapterKind, Quotation, Span

NOVEL = st.text(
    st.sampled_from("aAsS  \n\n.,!?…:;—-\"'“”‘’`«»_()0\t\u00a0") | st.characters(codec="utf-8"),
    max_size=300,
)
"""Text like that in novels, with some arbitrary characters."""

DOUBLE_BOOK = '"Yes," said Anna. "No!" cried Tom.\n\n' * 3
SINGLE_BOOK = "'Yes,' said Anna. 'No!' cried Tom.\n\n" * 3
CURLY_BOOK = "‘Yes,’ said Anna. ‘No!’ cried Tom.\n\n" * 3
DASH_BOOK = "—Yes, said Anna.\n\n—No!\n\n" * 3


def read(text: str, book: str = "") -> list[list[str]]:
    """Return the pieces of each quotation in a text at the end of a book."""
    whole = book + text
    return [
        [" ".join(piece.of(whole).split()) for piece in quotation.pieces]
        for quotation in find_quotations(whole)
        if quotation.span.start >= len(book)
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(" \n\t\n ", id="only white space"),
        pytest.param('"', id="one mark"),
        pytest.param('""', id="nothing between marks"),
        pytest.param('"  "', id="a blank between marks"),
        pytest.param("’Tis late.", id="an apostrophe before a word"),
        pytest.param("'Tis late, and the dogs' bones are gone.", id="straight apostrophes"),
        pytest.param("Rock 'n' roll, o' the '90s, and James' hat.", id="all sorts of apostrophes"),
        pytest.param("He left -- at once -- and she wept.", id="dashes inside a sentence"),
        pytest.param("HAMLET. To be, or not to be.\n\nOPHELIA. My lord!", id="a play"),
        pytest.param("Tyger Tyger, burning bright,\nIn the forests of the night;", id="a poem"),
    ],
)
def test_a_text_in_which_nobody_is_quoted_has_no_quotations(text: str) -> None:
    assert find_quotations(text) == []


@pytest.mark.parametrize(
    ("paragraph", "after"),
    [
        pytest.param('"Yes, he said, and left.', "She wept.", id="the paragraph ends it"),
        pytest.param('"Yes, he said, and left.', "", id="the book ends with it"),
        pytest.param("“Yes, he said, and left.", "She wept. He did not.”", id="closed too late"),
        pytest.param("“Yes, he said, and left.", "Chapter 2\n\n“No,” she said.", id="a heading"),
    ],
)
def test_a_quotation_that_is_never_closed_ends_with_its_paragraph(
    paragraph: str, after: str
) -> None:
    assert read(f"{paragraph}\n\n{after}")[0] == ["Yes, he said, and left."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('"Yes, he said. "No," she said.', ["Yes, he said.", "No,"], id="straight"),
        pytest.param("“Yes, he said. “No,” she said.", ["Yes, he said.", "No,"], id="curly"),
        pytest.param('Yes," he said. "No," she said.', ["No,"], id="the opening mark is missing"),
        pytest.param('"Yes," he said." "No."', ["Yes,", "No."], id="one mark too many"),
        pytest.param("”Yes,“ he said.", ["Yes,"], id="curly the wrong way round"),
        pytest.param('"Yes, " he said. " No."', ["Yes,", "No."], id="blanks on both sides"),
        pytest.param('"But " he began, " I--"', ["But", "I--"], id="blanks where dashes were"),
    ],
)
def test_wrong_marks_harm_only_their_neighbours(text: str, expected: list[str]) -> None:
    assert [piece for pieces in read(text) for piece in pieces] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('"Go," he said.', [["Go,"]], id="straight double"),
        pytest.param("“Go,” he said.", [["Go,"]], id="curly double"),
        pytest.param("'Go,' he said.", [["Go,"]], id="straight single"),
        pytest.param("‘Go,’ he said.", [["Go,"]], id="curly single"),
        pytest.param("`Go,' he said.", [["Go,"]], id="grave accent"),
        pytest.param("``Go,'' he said.", [["Go,"]], id="as typeset by TeX"),
        pytest.param("''Go,'' he said.", [["Go,"]], id="doubled straight"),
        pytest.param("‘‘Go,’’ he said.", [["Go,"]], id="doubled curly"),
        pytest.param("«Go,» he said.", [["Go,"]], id="guillemets"),
        pytest.param("« Go, » he said.", [["Go,"]], id="guillemets with blanks"),
        pytest.param("»Go,« he said.", [["Go,"]], id="guillemets inwards"),
        pytest.param("_“Go,”_ he said. “_No._”", [["Go,", "_No._"]], id="italics"),
        pytest.param('He said, "Go."', [["Go."]], id="after the tag"),
        pytest.param('He said--"Go"--and left.', [["Go"]], id="between dashes"),
        pytest.param('("Go," he said.)', [["Go,"]], id="in brackets"),
        pytest.param('"Why?" said he.\n\n"No."', [["Why?"], ["No."]], id="two paragraphs"),
        pytest.param('"Go\nnow,"\nhe said.', [["Go now,"]], id="hard-wrapped"),
        pytest.param('He said,\n"Go." Then\n"Now!"', [["Go."], ["Now!"]], id="broken at the mark"),
        pytest.param('"One,"\n \t\n"two."', [["One,"], ["two."]], id="a line of blanks parts"),
        pytest.param('"Yes.""No."', [["Yes."], ["No."]], id="nothing between"),
        pytest.param('"I was--" "You were?"', [["I was--"], ["You were?"]], id="broken off"),
    ],
)
def test_quotations_are_found_in_every_manner(text: str, expected: list[list[str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("'Don't, o' my heart,' said he.", ["Don't, o' my heart,"], id="don't, o'"),
        pytest.param("'It's the dogs' bones,' said he.", ["It's the dogs' bones,"], id="dogs'"),
        pytest.param("''Tis late,' said he.", ["'Tis late,"], id="'tis first, marked"),
        pytest.param("'Tis late,' said he.", ["Tis late,"], id="'tis first, one mark for two"),
        pytest.param("'I saw 'em go,' said he.", ["I saw 'em go,"], id="'em"),
        pytest.param("'Well, 'Arry, 'ow are you?'", ["Well, 'Arry, 'ow are you?"], id="dropped h"),
        pytest.param("'I'm goin' 'ome,' said he.", ["I'm goin' 'ome,"], id="goin' 'ome"),
        pytest.param("'Rock 'n' roll,' said he.", ["Rock 'n' roll,"], id="'n'"),
        pytest.param("'In '76,' said he.", ["In '76,"], id="a year"),
        pytest.param("'Yes' said he, 'I go.'", ["Yes", "I go."], id="no comma before the mark"),
        pytest.param("'Yes', said he, 'I go'.", ["Yes", "I go"], id="logical punctuation"),
        pytest.param(
            "'I know it,' he said; 'th' road's bad.'",
            ["I know it,", "th' road's bad."],
            id="th' inside",
        ),
        pytest.param(
            "'He said, \"Go!\" and left,' said she.",
            ['He said, "Go!" and left,'],
            id="double inside",
        ),
        pytest.param("'\"Go!\" he said.'", ['"Go!" he said.'], id="double inside at the edge"),
        pytest.param("The dogs' bones. 'Yes,' said he.", ["Yes,"], id="dogs' before"),
        pytest.param("She saw 'em. 'Yes,' said he.", ["Yes,"], id="'em before"),
    ],
)
@pytest.mark.parametrize("curly", [False, True], ids=["straight", "curly"])
def test_apostrophes_are_no_single_quotation_marks(
    text: str, expected: list[str], curly: bool
) -> None:
    book = CURLY_BOOK if curly else SINGLE_BOOK
    if curly:
        text, expected = curled(text), [curled(quotation, inside=True) for quotation in expected]
    assert [piece for pieces in read(text, book) for piece in pieces] == expected


def curled(text: str, inside: bool = False) -> str:
    """Return text with curly single marks: opening ones first and after ", ", "; " or ". "."""
    out = list(text)
    for at, mark in enumerate(text):
        if mark == "'":
            opens = not inside and (
                at == 0 or (text[at - 2] in ",;." and text[at + 1 : at + 2] in ("I", "Y", "t"))
            )
            out[at] = "‘" if opens else "’"
    return "".join(out)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("\"He said, 'Go!' and left.\"", ["He said, 'Go!' and left."], id="American"),
        pytest.param("“He said, ‘Go!’ and left.”", ["He said, ‘Go!’ and left."], id="curly"),
        pytest.param("“‘Go!’ he said.”", ["‘Go!’ he said."], id="at the edge"),
        pytest.param("“He said, “Go!” and left.”", ["He said, “Go!” and left."], id="same marks"),
        pytest.param("«He said “Go!” and left.»", ["He said “Go!” and left."], id="guillemets"),
    ],
)
def test_a_quotation_inside_another_is_part_of_it(text: str, expected: list[str]) -> None:
    assert read(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('"Go," he said, "now."', [["Go,", "now."]], id="in the middle of a sentence"),
        pytest.param('"Go," he said. "Now!"', [["Go,", "Now!"]], id="between sentences"),
        pytest.param('"Go!" he cried. "Now!"', [["Go!", "Now!"]], id="after an exclamation"),
        pytest.param('"Go!" Mrs. Lane cried. "Now!"', [["Go!", "Now!"]], id="a name speaks"),
        pytest.param('"Go," said Mr. Lane. "Now!"', [["Go,", "Now!"]], id="Mr. ends no sentence"),
        pytest.param('"I"--she rose--"will go."', [["I", "will go."]], id="a gesture"),
        pytest.param('"Go." He rose. "Now!"', [["Go."], ["Now!"]], id="a sentence between"),
        pytest.param('"Go," he said. He rose. "Now!"', [["Go,"], ["Now!"]], id="a tag and more"),
        pytest.param('"Go." "Why?"', [["Go."], ["Why?"]], id="two speakers"),
    ],
)
def test_an_interrupted_quotation_is_one(text: str, expected: list[list[str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('"One.\n\n"Two."', [["One.", "Two."]], id="two paragraphs"),
        pytest.param('"One.\n\n"Two.\n\n"Three."', [["One.", "Two.", "Three."]], id="three"),
        pytest.param('He said: "One.\n\n"Two."', [["One.", "Two."]], id="beginning inside one"),
        pytest.param('"One.\n\n"Two," he said, "three."', [["One.", "Two,", "three."]], id="tag"),
        pytest.param('"One."\n\n"Two."', [["One."], ["Two."]], id="closed, so two"),
        pytest.param('"One.\n\nHe rose.\n\n"Two."', [["One."], ["Two."]], id="narration parts"),
        pytest.param('"One.\n\n"Two.', [["One.", "Two."]], id="never closed"),
        pytest.param(
            "‘The dogs’ chain broke.\n\n‘They ran.’",
            [["The dogs’ chain broke.", "They ran."]],
            id="an owner in the first",
        ),
        pytest.param("‘One.\n\n‘“Two,” she said.’", [["One.", "“Two,” she said."]], id="British"),
    ],
)
def test_a_speech_of_several_paragraphs_is_one(text: str, expected: list[list[str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        pytest.param('He had read "Emma" twice.', False, id="a title"),
        pytest.param('He called it "a disgrace," as before.', False, id="a phrase"),
        pytest.param('She had become simply "Bohemian."', False, id="the last word"),
        pytest.param('The word "cat" is short.', False, id="a word"),
        pytest.param('A cry of "Fire!" was heard.', True, id="a cry"),
        pytest.param('He said "Good evening" and left.', True, id="after a verb of speech"),
        pytest.param('He wrote: "Emma" and left.', True, id="after a colon"),
        pytest.param('"Emma" was all he said.', True, id="at the beginning"),
        pytest.param(
            'He began with "I have something to tell you, all of you here."',
            True,
            id="a whole sentence",
        ),
    ],
)
def test_titles_and_mentioned_words_are_not_speech(text: str, spoken: bool) -> None:
    assert bool(read(text, DOUBLE_BOOK)) == spoken


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("—Yes.", ["Yes."], id="nothing else"),
        pytest.param("— Yes, said he.", ["Yes,"], id="a tag"),
        pytest.param("--Yes, he said, come in.", ["Yes,", "come in."], id="a tag in the middle"),
        pytest.param("—Yes, said Mr. Lane. Come in!", ["Yes,", "Come in!"], id="a tag and a stop"),
        pytest.param("—Yes, said uncle Charles.", ["Yes,"], id="an uncle"),
        pytest.param("—Yes, Tom said, rising from his chair.", ["Yes,"], id="a participle"),
        pytest.param("—You said you would, Tom.", ["You said you would, Tom."], id="no tag"),
    ],
)
def test_a_dash_may_begin_a_quotation(text: str, expected: list[str]) -> None:
    assert read(text, DASH_BOOK) == [expected]


def test_a_dash_is_narration_in_a_book_with_quotation_marks() -> None:
    assert read("—He left, said the letter.", DOUBLE_BOOK) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", Convention.NONE, id="nothing"),
        pytest.param("He left.", Convention.NONE, id="narration"),
        pytest.param("'Tis late. The dogs' bones.", Convention.NONE, id="apostrophes"),
        pytest.param(DOUBLE_BOOK, Convention.DOUBLE, id="double"),
        pytest.param(SINGLE_BOOK, Convention.SINGLE, id="single"),
        pytest.param(CURLY_BOOK, Convention.SINGLE, id="curly single"),
        pytest.param(DASH_BOOK, Convention.DASH, id="dashes"),
        pytest.param("``Yes,'' he said.", Convention.DOUBLED, id="doubled"),
        pytest.param("«Yes,» he said.", Convention.GUILLEMETS, id="guillemets"),
        pytest.param("\"He said, 'Go,' and left.\"", Convention.DOUBLE, id="single inside double"),
        pytest.param("'He said, \"Go,\" and left.'", Convention.SINGLE, id="double inside single"),
        pytest.param("‘One.\n\n‘“Two,” she said.", Convention.SINGLE, id="single is not closed"),
        pytest.param(SINGLE_BOOK + '"Yes."\n\n', Convention.SINGLE, id="most paragraphs decide"),
        pytest.param("—Yes.\n\n" + "He left.\n\n" * 9, Convention.NONE, id="a single dash"),
    ],
)
def test_the_mark_that_comes_first_in_paragraphs_is_the_books(
    text: str, expected: Convention
) -> None:
    assert detect_convention(text) is expected


def test_the_search_stays_within_the_spans_it_is_given() -> None:
    text = '"One," he said.\n\n"Two," he said.\n\n"Three," he said.'
    quotations = find_quotations(text, [Span(text.index('"Two'), text.index('"Three'))])
    assert [quotation.of(text) for quotation in quotations] == ["Two,"]


def test_the_convention_is_the_books_even_within_a_span() -> None:
    text = DOUBLE_BOOK + "'Go,' he said."
    assert find_quotations(text, [Span(len(DOUBLE_BOOK), len(text))]) == []


def test_a_speech_does_not_go_on_in_the_next_span() -> None:
    text = '"One.\n\n"Two."'
    cut = text.index('"Two')
    assert len(find_quotations(text)) == 1
    assert len(find_quotations(text, [Span(0, cut), Span(cut, len(text))])) == 2


@given(NOVEL)
@example("“‘")
@example("'\n\n''")
def test_pieces_of_any_text_are_trimmed_apart_and_in_order(text: str) -> None:
    sound(text, find_quotations(text))


@given(NOVEL, st.lists(st.integers(0, 300), max_size=6))
def test_pieces_lie_within_the_spans(text: str, cuts: list[int]) -> None:
    bounds = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    regions = [Span(*pair) for pair in pairwise(bounds)][::2]
    quotations = find_quotations(text, regions)
    if regions:
        sound(text, quotations)
        assert all(
            any(region.start <= q.span.start and q.span.end <= region.end for region in regions)
            for q in quotations
        )


@settings(max_examples=25)
@given(st.text(st.sampled_from("aA .,'\"“‘’\n-"), min_size=1, max_size=30), st.integers(50, 400))
def test_long_repetitive_text_is_read_as_soundly(text: str, times: int) -> None:
    sound(text * times, find_quotations(text * times))


WORDS = st.lists(st.sampled_from("Yes no well Tom I am here don't".split()), min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=1, max_size=8), st.sampled_from(['""', "“”", "''", "‘’", "«»"]))
def test_well_marked_dialogue_is_found_whole(speeches: list[list[str]], marks: str) -> None:
    sentences = [" ".join(words).capitalize() + "." for words in speeches]
    if marks == "‘’":
        sentences = [sentence.replace("'", "’") for sentence in sentences]
    text = "\n\n".join(f"{marks[0]}{sentence}{marks[1]}" for sentence in sentences)
    assert [quotation.of(text) for quotation in find_quotations(text)] == sentences


def sound(text: str, quotations: list[Quotation]) -> None:
    pieces = [piece for quotation in quotations for piece in quotation.pieces]
    assert all(quotation.pieces for quotation in quotations)
    assert all(before.end <= after.start for before, after in pairwise(pieces))
    for piece in pieces:
        quoted_text = piece.of(text)
        assert 0 <= piece.start < piece.end <= len(text)
        assert quoted_text == quoted_text.strip()
        assert "\n\n" not in quoted_text


@pytest.mark.parametrize(
    ("title", "least", "share"),
    [
        pytest.param("The Great Gatsby", 1_000, (0.2, 0.3), id="Gatsby"),
        pytest.param("Pride and Prejudice", 1_200, (0.4, 0.5), id="Pride and Prejudice"),
    ],
)
def test_the_bundled_novels_hold_their_dialogue(
    title: str, least: int, share: tuple[float, float]
) -> None:
    sample = next(book for book in samples.bundled() if book.title == title)
    manuscript = sources.read(samples.read(sample), title)
    chapters = divide(manuscript.text, manuscript.headings)
    quotations = find_quotations(
        manuscript.text,
        [chapter.body for chapter in chapters if chapter.kind is ChapterKind.CHAPTER],
    )
    sound(manuscript.text, quotations)
    spoken = sum(len(quotation.of(manuscript.text)) for quotation in quotations) / len(
        manuscript.text
    )
    assert len(quotations) > least
    assert share[0] < spoken < share[1]


def test_the_first_words_of_pride_and_prejudice_are_her_ladys() -> None:
    text = (
        "“My dear Mr. Bennet,” said his lady to him one day, “have you heard that\n"
        "Netherfield Park is let at last?”\n\nMr. Bennet replied that he had not.\n"
    )
    assert read(text) == [
        ["My dear Mr. Bennet,", "have you heard that Netherfield Park is let at last?"]
    ]


def novel(text: str, *quotations: tuple[Span, ...]) -> AnnotatedNovel:
    annotated = tuple(Quotation(pieces) for pieces in quotations)
    return AnnotatedNovel("A", text, (), (), annotated, (), ())


TRUE = novel("x" * 100, (Span(0, 10), Span(20, 30)), (Span(40, 60),))


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        pytest.param([], (0, 0, 0), id="nothing is found"),
        pytest.param([(Span(70, 80),)], (0, 0, 0), id="something else is found"),
        pytest.param([(Span(0, 10), Span(20, 30)), (Span(40, 60),)], (1, 1, 1), id="all"),
        pytest.param(
            [(Span(0, 10),), (Span(20, 30),), (Span(40, 60),)],
            (1, 1, 2 / 5),
            id="grouped otherwise",
        ),
        pytest.param(
            [(Span(0, 10), Span(20, 30)), (Span(40, 50),)], (2 / 3, 1, 1 / 2), id="half of one"
        ),
        pytest.param(
            [(Span(0, 10), Span(20, 30)), (Span(40, 49),)],
            (2 / 3, 2 / 3, 1 / 2),
            id="less than half of one",
        ),
        pytest.param([(Span(0, 10), Span(20, 30))], (4 / 5, 4 / 5, 2 / 3), id="one is missing"),
    ],
)
def test_f1_of_pieces_of_overlap_and_of_whole_quotations(
    predicted: list[tuple[Span, ...]], expected: tuple[float, float, float]
) -> None:
    counts = spans.compare([Quotation(pieces) for pieces in predicted], TRUE)
    units = ("piece", "piece_overlap", "quotation")
    assert tuple(counts[unit].f1 for unit in units) == pytest.approx(expected)


def test_precision_counts_what_is_found_and_recall_what_is_annotated() -> None:
    counts = spans.compare([Quotation((Span(40, 60),)), Quotation((Span(70, 80),))], TRUE)
    assert counts["piece"].precision == pytest.approx(1 / 2)
    assert counts["piece"].recall == pytest.approx(1 / 3)


@pytest.mark.parametrize("span", [Span(1, 4), Span(0, 7), Span(1, 6)], ids=str)
def test_white_space_italics_and_dashes_at_the_edges_do_not_count(span: Span) -> None:
    text = "_Yes-- "
    counts = spans.compare([Quotation((span,))], novel(text, (Span(0, 6),)))
    assert counts["quotation"].f1 == 1


def test_counts_of_several_novels_are_added() -> None:
    single = spans.compare([Quotation((Span(40, 60),))], TRUE)
    both = spans.add_up([single, single])
    assert both["piece"].right == 2 * single["piece"].right
    assert both["piece"].true == 6
    assert spans.add_up([]) == {}
