"""Running heads and page numbers of a text with a form feed between pages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.formats import gutenberg
from scholar_indexes.books.formats.page_edges import without_edges

TREES = ("alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "oak")


def body(at: int) -> str:
    """Return the lines of a page, which differ from those of the others."""
    tree = TREES[at]
    return (
        f"the geese went to the {tree} again\nand the man who kept the {tree} sat there\n"
        f"and told nobody of the {tree} that it had"
    )


def pages(heads: Sequence[str] = (), feet: Sequence[str] = ()) -> str:
    """Return pages with a line above or below each."""
    count = max(len(heads), len(feet))
    heads, feet = heads or [""] * count, feet or [""] * count
    texts = zip(heads, map(body, range(count)), feet, strict=True)
    return "\f".join(f"{head}\n\n{text}\n\n\n{foot}\n" for head, text, foot in texts)


@pytest.mark.parametrize(
    ("heads", "feet"),
    [
        pytest.param([], "1 2 3 4".split(), id="numbers"),
        pytest.param([], ["- 7 -", "- 8 -", "", "- 10 -"], id="numbers in dashes"),
        pytest.param([], "xi xii xiii 1 2 3".split(), id="Roman numerals"),
        pytest.param(["[11]", "[12]", "[13]"], [], id="numbers at the top"),
        pytest.param(
            [
                "12 THE GEESE",
                "A WAY | 13",
                "14 THE GEESE",
                "A WAY | 15",
                "16 THE GEESE",
                "A WAY | 17",
            ],
            [],
            id="heads with numbers",
        ),
        pytest.param(
            ["GEESE", "Ann Pool"] * 3, [f"Page {n} of 6" for n in range(1, 7)], id="heads in turn"
        ),
        pytest.param(["THE GEESE\n1", "THE GEESE\n2", "THE GEESE\n3"], [], id="two lines"),
        pytest.param(["THE GEESE"] * 3, ["From a library"] * 3, id="heads and feet"),
    ],
)
def test_heads_and_numbers_of_pages_are_removed(heads: list[str], feet: list[str]) -> None:
    text = pages(heads, feet)
    expected = [word for at in range(text.count("\f") + 1) for word in body(at).split()]
    assert without_edges(text).split() == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a page\n1\nand\n2\nanother\n3\n", id="no pages"),
        pytest.param(pages(["THE GEESE", "THE GEESE"], ["1", "2"]), id="two pages"),
        pytest.param(pages(["1805 was wet", "", "in 1807", "of 1812", "he was 3"]), id="years"),
        pytest.param(pages(["“Yes.”", "", "", "“Yes.”", "", "", "“Yes.”"]), id="far apart"),
        pytest.param(pages(["Chapter 1", "Chapter 2", "", "Chapter 3"]), id="chapters"),
        pytest.param(pages(["THE GEESE " * 9] * 3), id="long lines"),
    ],
)
def test_other_lines_at_the_edges_of_pages_are_kept(text: str) -> None:
    assert without_edges(text) == text


def test_the_first_line_that_names_a_chapter_is_kept() -> None:
    lines = without_edges(pages(["Chapter 1"] * 3 + ["Chapter 2"] * 3)).split("\n")
    assert [line for line in lines if "Chapter" in line] == ["Chapter 1", "Chapter 2"]


def test_paragraphs_continue_on_the_next_page() -> None:
    text = (
        "It was in the wet and dark morn-\n\n1\n\fing of a long and cold day that\n"
        "he rose.\nThen he went down to the geese,\n\n2\n\fNobody saw him go. It rained then\n"
        "on the water and the long roofs.\n\n3\n\fThe next day he came home again\n\n4\n"
    )
    assert without_edges(text).strip().split("\n\n") == [
        "It was in the wet and dark morn-\ning of a long and cold day that\nhe rose.",
        "Then he went down to the geese,\nNobody saw him go. It rained then\n"
        "on the water and the long roofs.\nThe next day he came home again",
    ]
    assert "dark morning" in gutenberg.read(text.encode()).text


WORDS = st.lists(st.sampled_from([*TREES, "12", "Ann."]), min_size=4, max_size=40)


@given(st.lists(WORDS, min_size=4, max_size=8, unique_by=tuple), st.integers(1, 300))
def test_no_word_of_the_text_is_lost_between_pages(texts: list[list[str]], first: int) -> None:
    bodies = [f"page-{TREES[at]} {' '.join(words)} end" for at, words in enumerate(texts)]
    text = "\f".join(f"THE HEAD {first + at}\n\n{body}\n" for at, body in enumerate(bodies))
    assert without_edges(text).split() == " ".join(bodies).split()
