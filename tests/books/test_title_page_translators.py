"""The translators whom a title page names."""

from __future__ import annotations

import pytest

from scholar_indexes.books.citation.contributors import title_page_translators

BODY = "\n\nThey walked on. It was late.\n"


@pytest.mark.parametrize(
    "page",
    [
        "A NOVEL\n\nBy Jo Fox",
        "A NOVEL\n\nWith a preface\ntranslated by Ann Ash",
        "A NOVEL\n\nwith an Introduction and\nTranslated by Ann Ash",
        "A NOVEL\n\nWITH AN INTRODUCTION\n\nTRANSLATED BY ANN ASH",
        "A NOVEL\n\nwith a preface translated by Ann Ash",
        "A NOVEL\n\nPREFACE\n\nTranslated by Ann Ash",
        "TALES\n\nCHAPTER I.\n\nTranslated by Ann Ash",
        "TALES\n\nThe Lady\n\nTranslated by Ann Ash\n\nThe Sea\n\nTranslated by Bo Lee",
        "TALES\n\nTranslated by Various Hands",
        "TALES\n\nTranslated by the Author",
        "TALES\n\nTranslated by Order of the King",
        f"A NOVEL\n\n{'He spoke of a prince. ' * 200}\n\nTranslated by Ann Ash",
    ],
    ids=[
        "no translator",
        "a preface on the line above",
        "two things on the line above",
        "an introduction in the paragraph above",
        "a preface on the same line",
        "below the heading of a preface",
        "below the heading of a chapter",
        "a translator of each tale",
        "no names",
        "the author",
        "no person",
        "far from the title page",
    ],
)
def test_a_translator_of_only_a_part_is_not_the_translator(page: str) -> None:
    assert title_page_translators(page + BODY) == ()


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("ANNA\n\nby Leo Tolstoy\n\nTranslated by Constance Garnett", ("Constance Garnett",)),
        ("THE GAMBLER\n\nBy\n\nA. B.\n\nTranslated by C. J. Hogarth", ("C. J. Hogarth",)),
        (
            "SWANN'S WAY\n\nTranslated From The French By C. K. Scott Moncrieff\n\nNEW YORK",
            ("C. K. Scott Moncrieff",),
        ),
        ("A NOVEL\nBY JO FOX\nTRANSLATED BY C. K. SCOTT ASH", ("C. K. Scott Ash",)),
        (
            "The Brothers\n\nTranslated from the Russian of\n\nFyodor Dostoyevsky\n\nby Ann Ash",
            ("Ann Ash",),
        ),
        ("A NOVEL\n\n_Translated into English by Ann Ash, M.A._", ("Ann Ash",)),
        ("A NOVEL\n\nTranslated by Louise and Aylmer Maude.", ("Louise Maude", "Aylmer Maude")),
        ("VOLUME II.\n\nTranslated by Ann Ash", ("Ann Ash",)),
        ("A NOVEL\n\nTranslated by Ann Ash\n\nPREFACE\n\nTRANSLATED BY ANN ASH", ("Ann Ash",)),
    ],
    ids=[
        "a line of its own",
        "initials",
        "from a language",
        "in capitals",
        "from a language, of an author",
        "a degree",
        "two",
        "of a volume",
        "the same twice",
    ],
)
def test_a_line_of_the_title_page_names_the_translators(page: str, names: tuple[str, ...]) -> None:
    assert title_page_translators(page + BODY) == names
