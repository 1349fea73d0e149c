"""Titles and abstracts extracted from PDFs in the layouts of publishers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from reportlab.lib.utils import simpleSplit

from pdf_pages import ABSTRACT, BODY, BOLD, PLAIN, TITLE, Sheet, abstract, acl, one


def ieee() -> bytes:
    """Set a run-in heading with a dash, in bold."""
    sheet = Sheet()
    sheet.set(72, 770, "IEEE TRANSACTIONS ON LISTENING, VOL. 3, NO. 2, MAY 2021", 7)
    sheet.centre(730, "Counting Tides by Ear:", 24, PLAIN)
    sheet.centre(702, "Hydrophones as Cheap Gauges", 24, PLAIN)
    sheet.centre(670, "Ada Example, Member, IEEE, and Ben Other", 11, PLAIN)
    y = sheet.set(48, 630, f"Abstract—{ABSTRACT}", 9, BOLD, width=252)
    y = sheet.set(48, y - 8, "Index Terms—hydrophones, sea level, regression", 9, BOLD)
    y = sheet.set(120, y - 12, "I. INTRODUCTION", 10)
    sheet.set(48, y - 2, BODY, width=252)
    sheet.set(312, 630, BODY, width=252)
    return sheet.bytes()


def elsevier() -> bytes:
    """Set a journal's name larger than the title, and two blocks side by side."""
    sheet = Sheet()
    sheet.canvas.setTitle(TITLE)
    sheet.centre(750, "Contents lists available at ExampleDirect", 8, PLAIN)
    sheet.centre(725, "Coastal Acoustics and Engineering", 20)
    sheet.set(48, 680, TITLE, 15)
    sheet.set(48, 655, "Ada Example a,*, Ben Other b", 12)
    sheet.set(48, 620, "A R T I C L E   I N F O", 9)
    sheet.set(220, 620, "A B S T R A C T", 9)
    sheet.set(48, 600, "Keywords:", 8)
    sheet.set(48, 588, "Hydrophone", 8)
    sheet.set(48, 576, "Tide gauge", 8)
    sheet.set(220, 600, ABSTRACT, 8, width=340)
    y = sheet.set(48, 500, "1. Introduction", 10, BOLD)
    sheet.set(48, y - 8, BODY, width=240)
    sheet.set(312, 500, BODY, width=240)
    return sheet.bytes()


def springer() -> bytes:
    """Set a run-in heading followed by a blank, in a single column."""
    sheet = Sheet()
    sheet.set(72, 740, "Counting Tides by Ear: Hydrophones", 17, BOLD)
    sheet.set(72, 719, "as Cheap Gauges*", 17, BOLD)
    sheet.set(72, 690, "Ada Example1 · Ben Other2", 10, BOLD)
    y = sheet.set(72, 650, f"Abstract {ABSTRACT}", width=440)
    y = sheet.set(72, y - 10, "Keywords Hydrophones · Sea level", width=440)
    sheet.set(72, y - 20, "1 Introduction", 12, BOLD)
    return sheet.bytes()


def revtex() -> bytes:
    """Set an abstract without a heading."""
    sheet = Sheet()
    sheet.centre(730, TITLE, 12)
    sheet.centre(706, "Ada Example and Ben Other", 10, PLAIN)
    sheet.centre(694, "Department of Listening, University of Somewhere, 12345 Town", 9, PLAIN)
    sheet.centre(680, "(Dated: 3 May 2021)", 9, PLAIN)
    y = sheet.set(100, 656, ABSTRACT, 9.5, width=410)
    sheet.set(120, y - 20, "I. INTRODUCTION", 9, BOLD)
    sheet.set(54, y - 40, BODY, width=240)
    sheet.set(318, y - 20, BODY, width=240)
    return sheet.bytes()


def acm() -> bytes:
    """Set an abstract from the foot of one column to the head of the next."""
    sheet = Sheet()
    sheet.centre(730, TITLE, 18)
    sheet.centre(700, "Ada Example", 12, PLAIN)
    lines = simpleSplit(ABSTRACT, PLAIN, 9, 240)
    sheet.set(54, 118, "ABSTRACT", 11, BOLD)
    for n, line in enumerate(lines[:4]):
        sheet.set(54, 104 - 11 * n, line, 9)
    for n, line in enumerate(lines[4:]):
        sheet.set(318, 660 - 11 * n, line, 9)
    sheet.set(318, 580, "CCS CONCEPTS", 11, BOLD)
    sheet.set(318, 566, "• Hardware → Sensor applications and deployments.", 9)
    return sheet.bytes()


def row_by_row() -> bytes:
    """Draw both columns in turn, line by line, as some typesetters do."""
    sheet = Sheet()
    sheet.centre(730, TITLE, 14)
    left = [
        "Abstract",
        *simpleSplit(ABSTRACT, PLAIN, 10, 220),
        "1. Introduction",
        "Sea level rises.",
    ]
    right = simpleSplit(BODY, PLAIN, 10, 220)
    for n, (one_line, other) in enumerate(zip(left, right, strict=False)):
        sheet.set(72, 640 - 12 * n, one_line)
        sheet.set(318, 640 - 12 * n, other)
    return sheet.bytes()


def margin_heading() -> bytes:
    """Set the heading in the margin next to its text."""
    sheet = Sheet()
    sheet.set(72, 730, TITLE, 16)
    sheet.set(72, 690, "Abstract", 10, BOLD)
    y = sheet.set(130, 690, ABSTRACT, width=400)
    sheet.set(72, y - 20, "Introduction", 12, BOLD)
    return sheet.bytes()


def cover_sheet() -> bytes:
    """Set a repository's cover sheet first, and the abstract on the second page."""
    sheet = Sheet()
    sheet.set(72, 740, "This is the author's version of an accepted article", 10)
    sheet.set(72, 690, TITLE, 16)
    sheet.set(72, 650, "Ada Example. Deposited by the University of Somewhere.", 10)
    sheet.canvas.showPage()
    sheet.set(72, 740, TITLE, 16)
    sheet.set(72, 700, "Abstract", 12, BOLD)
    y = sheet.set(72, 680, ABSTRACT, width=450)
    sheet.set(72, y - 20, "Introduction", 12, BOLD)
    return sheet.bytes()


@pytest.mark.parametrize(
    "layout",
    [acl, ieee, elsevier, springer, revtex, acm, row_by_row, margin_heading, cover_sheet],
)
def test_title_and_abstract_are_found(layout: Callable[[], bytes]) -> None:
    entry = one(layout())
    assert entry.csl["title"] == TITLE
    assert abstract(entry) == ABSTRACT
    assert [facet for _, facet in entry.sentences] == [None] * 4
    assert entry.ids[0].startswith("title:")


def test_a_structured_abstract_keeps_its_labels() -> None:
    sheet = Sheet()
    sheet.set(72, 740, TITLE, 16)
    y = sheet.set(72, 700, "Abstract", 12, BOLD)
    for label, text in (
        ("Background", "Harbours pay dearly for tide gauges."),
        ("Methods", "We hang one cheap microphone under a pier."),
        ("Results", "The error stays below nine centimetres."),
    ):
        y = sheet.set(72, y - 8, label, 10, BOLD)
        y = sheet.set(72, y, text, width=450)
    sheet.set(72, y - 20, "Introduction", 12, BOLD)
    assert one(sheet.bytes()).sentences == (
        ("Harbours pay dearly for tide gauges.", "background"),
        ("We hang one cheap microphone under a pier.", "method"),
        ("The error stays below nine centimetres.", "result"),
    )


def scaled() -> bytes:
    """Set text at size 1, scaled up by the page's matrix, as many programs do."""
    sheet = Sheet()
    for size, y, text in ((16, 740, TITLE), (10, 700, "Abstract")):
        sheet.canvas.saveState()
        sheet.canvas.transform(size, 0, 0, size, 72, y)
        sheet.set(0, 0, text, 1)
        sheet.canvas.restoreState()
    sheet.set(72, 684, ABSTRACT, width=450)
    return sheet.bytes()


def mixed_fonts() -> bytes:
    """Set text of one size in fonts whose bounding boxes differ in height."""
    sheet = Sheet()
    sheet.set(72, 740, TITLE, 13)
    sheet.set(72, 700, "Abstract", 10, BOLD)
    fonts = ("Times-Roman", "Courier", "Helvetica-Oblique", "Times-BoldItalic")
    for n, sentence in enumerate(ABSTRACT.split(". ")):
        sheet.set(72, 686 - 12 * n, sentence + "." * (n < 3), 10, fonts[n])
    return sheet.bytes()


@pytest.mark.parametrize("typed", [scaled, mixed_fonts])
def test_the_size_of_type_is_what_is_seen(typed: Callable[[], bytes]) -> None:
    entry = one(typed())
    assert entry.csl["title"] == TITLE
    assert abstract(entry) == ABSTRACT


def test_without_an_abstract_there_is_a_title_alone() -> None:
    sheet = Sheet()
    sheet.set(72, 740, TITLE, 16)
    sheet.set(72, 700, BODY, width=450)
    entry = one(sheet.bytes())
    assert entry.csl["title"] == TITLE
    assert entry.sentences == ()


@pytest.mark.parametrize(
    ("claimed", "title"),
    [
        pytest.param(TITLE, TITLE, id="the title"),
        pytest.param(TITLE.upper(), TITLE.upper(), id="the title in capitals"),
        pytest.param(
            "Microsoft Word - tides_final3.doc", "A Large Banner Here", id="a file's name"
        ),
        pytest.param(
            "Coastal Acoustics 12 (2021) 1-9", "A Large Banner Here", id="not on the page"
        ),
        pytest.param("", "A Large Banner Here", id="nothing"),
    ],
)
def test_the_title_a_file_claims_counts_when_the_page_agrees(claimed: str, title: str) -> None:
    sheet = Sheet()
    sheet.canvas.setTitle(claimed)
    sheet.set(72, 760, "A Large Banner Here", 22)
    sheet.set(72, 700, TITLE, 16)
    sheet.set(72, 650, BODY, width=450)
    assert one(sheet.bytes()).csl["title"] == title


def stamped(stamp: str, footer: str = "") -> bytes:
    sheet = Sheet()
    sheet.set(72, 740, TITLE, 16)
    sheet.set(72, 700, BODY, width=450)
    sheet.set(72, 40, footer, 8)
    sheet.canvas.rotate(90)
    sheet.set(200, -30, stamp, 20)
    return sheet.bytes()


@pytest.mark.parametrize(
    ("stamp", "footer", "expected"),
    [
        pytest.param("arXiv:2105.01234v2 [cs.SD]", "", ("arxiv:2105.01234",), id="arXiv"),
        pytest.param("arXiv:cs/0105012v1 3 May 2001", "", ("arxiv:cs/0105012",), id="old arXiv"),
        pytest.param("", "https://doi.org/10.1234/Tides.21", ("doi:10.1234/tides.21",), id="a DOI"),
        pytest.param(
            "arXiv:2105.01234v2",
            "doi:10.1234/tides.21",
            ("doi:10.1234/tides.21", "arxiv:2105.01234"),
            id="both",
        ),
        pytest.param("", "10.1234/a1 and 10.1234/b2", (), id="two DOIs name no one paper"),
        pytest.param("", "Data: https://doi.org/10.5281/zenodo.12", (), id="a DOI of data"),
        pytest.param("", "https://doi.org/10.1145/3292500.", (), id="a DOI that goes on"),
    ],
)
def test_printed_identifiers_are_kept(stamp: str, footer: str, expected: tuple[str, ...]) -> None:
    entry = one(stamped(stamp, footer))
    assert entry.csl["title"] == TITLE
    assert tuple(i for i in entry.ids if not i.startswith("title:")) == expected


def test_the_year_of_an_arxiv_paper_is_that_of_its_number() -> None:
    assert one(stamped("arXiv:2105.01234v2")).csl["issued"] == {"date-parts": [[2021]]}
    assert one(stamped("arXiv:cs/9905012")).csl["issued"] == {"date-parts": [[1999]]}
