"""PDFs that contain no paper or never end, and the text of PDF lines."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption

from pdf_pages import BODY, TITLE, Sheet, abstract, acl, lines, one
from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.formats import pdf, pdf_lines
from scholar_indexes.papers.formats.pdf_lines import PdfLine


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
        pytest.param(scan, "contains no text, only pictures of it", id="a scan"),
        pytest.param(banner_alone, "has no recognizable title", id="a banner alone"),
    ],
)
def test_a_pdf_without_a_paper_is_refused_with_what_to_give_instead(
    data: Callable[[], bytes], why: str
) -> None:
    with pytest.raises(NoPapers, match=f"^paper.pdf {why}.*; give a PDF with text, or a BibTeX"):
        list(pdf.read(data(), "paper.pdf"))


def test_the_name_of_a_file_cannot_reach_the_terminal_raw() -> None:
    with pytest.raises(NoPapers) as refused:
        list(pdf.read(b"", "a\x1b[2J\n.pdf"))
    assert str(refused.value).isprintable()


def endless() -> bytes:
    """Return a page whose content takes hours to draw."""
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


def test_a_pdf_is_read_without_the_libraries_of_the_current_folder(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pypdfium2.py").write_text("raise SystemExit(9)")
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert one(acl()).csl["title"] == TITLE


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
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
