"""Titles and abstracts out of PDFs, laid out as publishers lay them out."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats import pdf, pdf_lines
from scholar_indexes.papers.formats.pdf_lines import PdfLine

TITLE = "Counting Tides by Ear: Hydrophones as Cheap Gauges"
ABSTRACT = (
    "Harbours pay dearly for tide gauges. We hang one cheap microphone under a pier and listen. "
    "The pitch of lapping water falls as the tide rises, and a regression on forty minutes of "
    "sound gives the level. Over a year in three harbours the error stays below nine centimetres."
)
BODY = (
    "Sea level has been measured by floats in wells for two hundred years, and the wells are "
    "what a small harbour cannot afford to dig. Others have used pressure, radar and cameras. "
) * 4
BOLD, PLAIN = "Helvetica-Bold", "Times-Roman"


class Sheet:
    """A page on which type is set where a test wants it; y falls as lines are set."""

    def __init__(self, **settings: object) -> None:
        self._file = io.BytesIO()
        self.canvas = Canvas(self._file, pagesize=(612, 792), **settings)

    def set(
        self, x: float, y: float, text: str, size: float = 10, font: str = PLAIN, width: float = 0
    ) -> float:
        """Set a text, broken to a width, from a first baseline; return the baseline after it."""
        for line in simpleSplit(text, font, size, width) if width else [text]:
            self.canvas.setFont(font, size)
            self.canvas.drawString(x, y, line)
            y -= 1.2 * size
        return y

    def centre(self, y: float, text: str, size: float, font: str = BOLD) -> float:
        self.canvas.setFont(font, size)
        self.canvas.drawCentredString(306, y, text)
        return y - 1.2 * size

    def bytes(self) -> bytes:
        self.canvas.showPage()
        self.canvas.save()
        return self._file.getvalue()


def one(data: bytes) -> Entry:
    (entry,) = pdf.read(data, "paper.pdf")
    assert isinstance(entry, Entry)
    return entry


def abstract(entry: Entry) -> str:
    return " ".join(sentence for sentence, _ in entry.sentences)


# Refusals


def broken_pdf() -> bytes:
    return acl()[: len(acl()) // 2].replace(b"obj", b"bjo")


def locked() -> bytes:
    sheet = Sheet(encrypt=StandardEncryption("secret", canPrint=0))
    sheet.set(72, 700, BODY, width=400)
    return sheet.bytes()


def scan() -> bytes:
    sheet = Sheet()
    sheet.canvas.rect(72, 72, 400, 600, fill=1)
    sheet.set(72, 30, "Scanned 1998")
    return sheet.bytes()


def banner_alone() -> bytes:
    sheet = Sheet()
    sheet.set(72, 700, "Journal of Tides and Harbours, a quarterly of the Society", 20)
    return sheet.bytes()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(lambda: b"", "is a broken PDF", id="nothing"),
        pytest.param(lambda: b"%PDF-1.7\n", "is a broken PDF", id="a header alone"),
        pytest.param(lambda: b"Not a PDF at all", "is a broken PDF", id="no PDF"),
        pytest.param(broken_pdf, "is a broken PDF", id="cut off and damaged"),
        pytest.param(locked, "is locked with a password", id="encrypted"),
        pytest.param(scan, "holds no text, only pictures of it", id="a scan"),
        pytest.param(banner_alone, "has no title that can be told", id="a banner alone"),
    ],
)
def test_what_gives_no_paper_says_what_to_give_instead(data: Callable[[], bytes], why: str) -> None:
    with pytest.raises(NoPapers, match=f"^paper.pdf {why}.*; give a PDF with text, or a BibTeX"):
        list(pdf.read(data(), "paper.pdf"))


def test_the_name_of_a_file_cannot_reach_the_terminal_raw() -> None:
    with pytest.raises(NoPapers) as refused:
        list(pdf.read(b"", "a\x1b[2J\n.pdf"))
    assert str(refused.value).isprintable()


def endless() -> bytes:
    """Return a page whose content draws itself for hours."""
    form = b"q 1 0 0 1 0 0 cm " + b"/F Do " * 200 + b"Q"
    parts = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>"]
    parts.append(
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</XObject<</F 5 0 R>>>>>>"
    )
    parts.append(b"<</Length %d>>stream\n%s\nendstream" % (len(form), form))
    for n in range(5, 13):
        inner = b"/Resources<</XObject<</F %d 0 R>>>>" % (n + 1)
        parts.append(
            b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]%s/Length %d>>stream\n%s\nendstream"
            % (inner, len(form), form)
        )
    return assembled(parts)


def assembled(parts: list[bytes]) -> bytes:
    out = b"%PDF-1.7\n"
    places = []
    for n, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (n, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(parts) + 1
    out_end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + out_end


def test_a_pdf_that_never_ends_is_ended() -> None:
    with pytest.raises(pdf_lines.UnreadablePdf, match="takes more than 1 s to read"):
        pdf_lines.read(endless(), time_s=1)


def test_a_pdf_is_read_without_the_libraries_of_the_folder_one_stands_in(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pypdfium2.py").write_text("raise SystemExit(9)")
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert one(acl()).csl["title"] == TITLE


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_a_damaged_pdf_is_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(acl())
    for _ in range(chance.randrange(1, 40)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        entry = one(bytes(data[: chance.randrange(len(data) // 2, len(data) + 1)]))
    except NoPapers:
        return
    assert entry.ids
    abstract(entry).encode()


# Layouts


def acl() -> bytes:
    """Set two columns, the abstract narrower than its own."""
    sheet = Sheet()
    sheet.centre(730, TITLE, 14.3)
    sheet.centre(700, "Ada Example and Ben Other", 12, PLAIN)
    sheet.centre(685, "University of Somewhere", 12, PLAIN)
    sheet.canvas.setFont(BOLD, 12)
    sheet.canvas.drawCentredString(180, 650, "Abstract")
    y = sheet.set(89, 632, ABSTRACT, width=180)
    y = sheet.set(72, y - 14, "1 Introduction", 12, BOLD)
    sheet.set(72, y - 4, BODY, 11, width=220)
    sheet.set(72, 90, "Code is at https://example.org/tides", 8)
    sheet.set(318, 650, BODY, 11, width=220)
    return sheet.bytes()


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
    """Set a heading that runs into the text after a blank, and no second column."""
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
    """Set the heading beside its text."""
    sheet = Sheet()
    sheet.set(72, 730, TITLE, 16)
    sheet.set(72, 690, "Abstract", 10, BOLD)
    y = sheet.set(130, 690, ABSTRACT, width=400)
    sheet.set(72, y - 20, "Introduction", 12, BOLD)
    return sheet.bytes()


def cover_sheet() -> bytes:
    """Set a repository's sheet in front, the abstract on the second page."""
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
    """Set type of size one, made large by the page's matrix, as many programs write it."""
    sheet = Sheet()
    for size, y, text in ((16, 740, TITLE), (10, 700, "Abstract")):
        sheet.canvas.saveState()
        sheet.canvas.transform(size, 0, 0, size, 72, y)
        sheet.set(0, 0, text, 1)
        sheet.canvas.restoreState()
    sheet.set(72, 684, ABSTRACT, width=450)
    return sheet.bytes()


def mixed_fonts() -> bytes:
    """Set one size of type in fonts whose boxes differ in height."""
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


# Identifiers


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


# Words


def lines(*texts: str, page: int = 1, height: float = 10) -> Iterator[PdfLine]:
    for n, text in enumerate(texts):
        yield PdfLine(page, text, height, 72, 300, 600 - 12 * n, 600 - 12 * n + height)


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        pytest.param(["a hydro-", "phone hears"], "a hydrophone hears", id="a broken word"),
        pytest.param(["state-of-the-", "art gear"], "state-of-the-art gear", id="a chain"),
        pytest.param(
            ["low-", "cost gear; low-cost"], "low-cost gear; low-cost", id="hyphened elsewhere"
        ),
        pytest.param(["the 2019-", "based set"], "the 2019-based set", id="after a number"),
        pytest.param(["from Paris-", "London"], "from Paris- London", id="before a name"),
        pytest.param(["an eﬃcient ﬁt"], "an efficient fit", id="ligatures"),
        pytest.param(["-", "a"], "- a", id="a lone dash"),
    ],
)
def test_words_broken_at_the_end_of_a_line_are_made_whole(texts: list[str], joined: str) -> None:
    abstract = pdf.find_abstract([*lines("Abstract", *texts)])
    assert abstract == joined


@pytest.mark.parametrize(
    "following",
    [
        "1 Introduction",
        "I. INTRODUCTION",
        "I NTRODUCTION",
        "Introduction",
        "Keywords: tides",
        "Key words tides",
        "Index Terms—tides",
        "CCS CONCEPTS",
        "ACM Reference Format:",
        "© 2021 The Authors",
        "Copyright 2021",
        "1 Sea Level and Sound",
        "Article history:",
    ],
)
def test_an_abstract_ends_before(following: str) -> None:
    assert pdf.find_abstract([*lines("Abstract", "We listen.", following, "More.")]) == "We listen."


@pytest.mark.parametrize(
    "following",
    [
        "keywords of a text",
        "introduction of gauges",
        "correspondence between both",
        "1 million samples.",
        "copyright law",
        "Keywordless search",
        "Introduction of gauges was slow.",
    ],
)
def test_an_abstract_goes_on_with(following: str) -> None:
    abstract = pdf.find_abstract([*lines("Abstract", "We listen to the", following, "More.")])
    assert abstract == f"We listen to the {following} More."


@pytest.mark.parametrize(
    "heading", ["Abstract", "ABSTRACT", "A B S T R A C T", "Abstract:", "Summary", "— Abstract —"]
)
def test_an_abstract_is_headed_by(heading: str) -> None:
    assert pdf.find_abstract([*lines(heading, "We listen.")]) == "We listen."


@pytest.mark.parametrize(
    "text", ["Abstract interpretation is old.", "Abstracts are short.", "Summary of the work"]
)
def test_a_sentence_that_begins_with_the_word_is_no_heading(text: str) -> None:
    assert pdf.find_abstract([*lines(text, "We listen.")]) == ""


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.builds(
            PdfLine,
            page=st.integers(1, 2),
            text=st.one_of(
                st.text(min_size=1, max_size=40),
                st.sampled_from(
                    ["Abstract", "Abstract. We", "1 Introduction", "-", "Methods", "a-"]
                ),
            ),
            height=st.floats(0, 50),
            left=st.floats(-10, 600),
            right=st.floats(-10, 600),
            bottom=st.floats(-10, 800),
            top=st.floats(-10, 800),
            upright=st.booleans(),
        ),
        max_size=30,
    )
)
def test_any_lines_at_all_give_a_title_an_abstract_and_ids(page: list[PdfLine]) -> None:
    words = {c for line in page for c in line.text if c.isalnum()}
    assert {c for c in pdf.find_abstract(page) if c.isalnum()} <= words | set("fistl")
    assert len(pdf.find_title(page, "Claimed by the file")) <= 500
    assert all(re.match(r"(doi|arxiv):", item_id) for item_id in pdf.find_ids(page))
