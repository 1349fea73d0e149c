"""PDF pages with text at chosen positions."""

from __future__ import annotations

import io
from collections.abc import Iterator

from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats import pdf
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
    """A page with text at chosen positions; y decreases as lines are set."""

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


def lines(*texts: str, page: int = 1, height: float = 10) -> Iterator[PdfLine]:
    for n, text in enumerate(texts):
        yield PdfLine(page, text, height, 72, 300, 600 - 12 * n, 600 - 12 * n + height)
