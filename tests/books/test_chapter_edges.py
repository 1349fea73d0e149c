"""The text before the first heading of a book and after its last words."""

from __future__ import annotations

import pytest

from divided_texts import LONG, PROSE, book, titles
from scholar_indexes.books.manuscript import Heading
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.types import Chapter, ChapterKind, Span

TWO_LONG = LONG + "\n\n" + LONG
FOUR = book("CHAPTER I", "CHAPTER II", "CHAPTER III", "CHAPTER IV")


def opening(chapters: tuple[Chapter, ...]) -> list[tuple[str, ChapterKind]]:
    """Return the divisions before Chapter I."""
    kinds = [(chapter.title, chapter.kind) for chapter in chapters[1:]]
    return kinds[: next(n for n, (title, _) in enumerate(kinds) if title.lower() == "chapter i")]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param("THE MOTHS\n\nBy Ann Example\n\n" + PROSE, [], id="a short note"),
        pytest.param(
            "THE MOTHS\n\nBy Ann Example\n\n" + TWO_LONG,
            [("", ChapterKind.CHAPTER)],
            id="the work begins under its own title",
        ),
        pytest.param(
            "THE MOTHS\n\nBy Ann Example\n\nLondon\n\nA WORD ABOUT LAMPS\n\n" + TWO_LONG,
            [("A Word About Lamps", ChapterKind.PREFACE)],
            id="a preface has a title",
        ),
        pytest.param(
            "THE MOTHS\n\nBy Ann Example\n\nLondon\n\nA WORD ABOUT LAMPS\n\n[By the editor]\n\n"
            + TWO_LONG,
            [("A Word About Lamps", ChapterKind.PREFACE)],
            id="a remark between them",
        ),
        pytest.param(
            "THE MOTHS\n\nLondon\n\nTHE MOTHS\n\n" + TWO_LONG,
            [("", ChapterKind.CHAPTER)],
            id="the title of the book again is none",
        ),
        pytest.param(
            "THE MOTHS\n\nLondon\n\nAnd so it is told\nby many people\nin many ways\n\n" + TWO_LONG,
            [("", ChapterKind.CHAPTER)],
            id="three lines are no title",
        ),
        pytest.param(
            "THE MOTHS\n\nLondon\n\nMy Lord,\n\n" + TWO_LONG, [], id="a letter to a patron"
        ),
        pytest.param(
            "THE MOTHS\n\nDEDICATION\n\nTo the lamp\n\n" + TWO_LONG, [], id="a dedication"
        ),
        pytest.param(
            "THE MOTHS\n\n" + PROSE + "\n\n" + "Moths;\n\n" * 900,
            [],
            id="a list with a word of prose",
        ),
    ],
)
def test_a_long_opening_is_the_work_or_a_preface_and_a_short_one_is_neither(
    before: str, expected: list[tuple[str, ChapterKind]]
) -> None:
    text = before + "\n\n" + FOUR
    chapters = divide(text)
    assert opening(chapters) == expected
    assert all(chapter.part == () for chapter in chapters)
    if expected:
        body = chapters[1].body.of(text).removeprefix("[By the editor]\n\n")
        assert body == TWO_LONG


@pytest.mark.parametrize(
    ("after", "title"),
    [
        pytest.param(
            "THE END\n\nWORKS BY THE SAME HAND\n\n" + PROSE * 4,
            "WORKS BY THE SAME HAND",
            id="under a title",
        ),
        pytest.param(
            "FINIS.\n\nWORKS BY THE SAME HAND\n\n" + PROSE * 4, "WORKS BY THE SAME HAND", id="finis"
        ),
        pytest.param(
            "_THE END._\n\nWORKS BY THE SAME HAND\n\n" + PROSE * 4,
            "WORKS BY THE SAME HAND",
            id="in italics",
        ),
        pytest.param("THE END\n\n" + PROSE * 4, "", id="a long line is no title"),
        pytest.param("THE END\n\nWORKS BY THE SAME HAND\n\n" + PROSE, None, id="too short"),
        pytest.param("THE END\n\nWORKS BY THE SAME HAND\n\n" + LONG * 3, None, id="another work"),
        pytest.param(
            "END OF PART ONE\n\nWORKS BY THE SAME HAND\n\n" + PROSE * 4,
            None,
            id="the end of a part",
        ),
        pytest.param(
            "END OF VOL. I.\n\n" + PROSE + "\n\nTHE END\n\nWORKS BY THE SAME HAND\n\n" + PROSE * 4,
            "WORKS BY THE SAME HAND",
            id="after another end",
        ),
    ],
)
def test_text_after_the_end_is_a_division_if_it_is_long_enough(
    after: str, title: str | None
) -> None:
    text = FOUR + "\n\n" + after
    chapters = divide(text)
    assert titles(chapters, ChapterKind.BACK) == ([] if title is None else [title])
    assert titles(chapters)[:4] == ["Chapter I", "Chapter II", "Chapter III", "Chapter IV"]
    if title is not None:
        assert chapters[-1].body.of(text) == (PROSE * 4).strip()
        assert chapters[-1].part == ()
        assert chapters[-2].body.of(text).startswith(PROSE[:20])


def test_an_end_before_the_last_chapter_closes_nothing() -> None:
    text = book("CHAPTER I", "CHAPTER II") + "\n\nTHE END\n\n" + book("CHAPTER III", "CHAPTER IV")
    chapters = divide(text)
    assert titles(chapters, ChapterKind.BACK) == []
    assert chapters[2].body.of(text) == LONG


def spans_of(text: str, *lines: str) -> list[Heading]:
    return [Heading(Span(text.index(line), text.index(line) + len(line)), 2) for line in lines]


def test_only_marked_headings_count_if_there_are_enough() -> None:
    text = book("CHAPTER I", "CHAPTER II", "CHAPTER III", "CHAPTER IV", "CHAPTER V")
    marked = spans_of(text, "CHAPTER I\n", "CHAPTER III", "CHAPTER V")
    assert titles(divide(text, marked)) == ["Chapter I", "Chapter III", "Chapter V"]
    # Two are too few to go by.
    assert len(titles(divide(text, marked[:2]))) == 5


def test_marks_inside_other_blocks_are_passed_over() -> None:
    text = PROSE + "\n\n" + book("CHAPTER I", "CHAPTER II", "CHAPTER III")
    marked = spans_of(text, "bright cold", "CHAPTER I\n", "CHAPTER II\n", "CHAPTER III")
    assert titles(divide(text, marked)) == ["Chapter I", "Chapter II", "Chapter III"]


def test_nothing_but_white_space_is_one_chapter_without_a_body() -> None:
    front, only = divide(" \n\n ")
    assert (front.kind, only.kind, only.title) == (ChapterKind.FRONT, ChapterKind.CHAPTER, "")
    assert only.body.of(" \n\n ") == ""
