"""The lines of a PDF's first pages, read by PDFium in a separate process.

    python -m scholar_indexes.papers.formats.pdf_lines < paper.pdf > lines.json

PDFs are untrusted input, and PDFium is native code: in a separate process it can neither exceed its
limits on memory and time nor crash the caller.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from scholar_indexes.guarded import parse_json

MAX_PAGES = 2
MAX_CHARS = 40_000  # of one page; a printed page has some 5,000
MAX_BYTES = 256 * 1024 * 1024
TIME_S = 20
MEMORY_BYTES = 1024 * 1024 * 1024

_WIDE_GAP = 1.4  # in letter heights: wider than a space of justified text, so it is a gutter
_UNLOCKED, _LOCKED, _BROKEN = 0, 3, 4


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line of text: page counts from 1; left, right, bottom and top are in points from the
    page's lower left corner, height is the font size; upright is False for rotated text.
    """

    page: int
    text: str
    height: float
    left: float
    right: float
    bottom: float
    top: float
    upright: bool = True


@dataclass(frozen=True, slots=True)
class PdfPages:
    """The lines of the first pages in drawing order, and the title in the metadata."""

    lines: tuple[PdfLine, ...]
    title: str


class UnreadablePdf(Exception):
    """A PDF that gives no lines; the message is the end of a sentence, "paper.pdf ..."."""


def read(data: bytes, *, time_s: float = TIME_S) -> PdfPages:
    """Return the first pages of the PDF in data. Raises UnreadablePdf."""
    if len(data) > MAX_BYTES:
        raise UnreadablePdf(f"is larger than {MAX_BYTES // 2**20} MiB")
    # -P: files in the current folder must not be imported as libraries
    command = [sys.executable, "-P", "-m", __name__]
    try:
        child = subprocess.run(
            command, input=data, capture_output=True, timeout=time_s, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnreadablePdf(f"takes more than {time_s:g} s to read") from None
    except OSError as error:
        raise UnreadablePdf(f"cannot be read in a separate process ({error.strerror})") from error
    if child.returncode == _LOCKED:
        raise UnreadablePdf("is locked with a password")
    if child.returncode == _BROKEN:
        raise UnreadablePdf("is a broken PDF")
    if child.returncode != _UNLOCKED:
        raise UnreadablePdf("cannot be read within the limits on memory and time")
    try:
        answer = parse_json(child.stdout)
        return PdfPages(tuple(PdfLine(**line) for line in answer["lines"]), answer["title"])
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadablePdf("cannot be read") from error


def _main() -> int:
    """Run the separate process: PDF in, JSON out, and an exit code for the error."""
    data = sys.stdin.buffer.read()
    _limit_this_process()
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(data) as document:
            pages = PdfPages(tuple(_lines(document)), _claimed_title(document))
    except pypdfium2.PdfiumError as error:
        return _LOCKED if "password" in str(error).lower() else _BROKEN
    sys.stdout.buffer.write(json.dumps(asdict(pages)).encode("ascii"))
    return _UNLOCKED


def _limit_this_process() -> None:
    """Limit memory and processor time, if the system can."""
    try:
        import resource
    except ImportError:  # Windows: the caller's timeout is the limit
        return
    limits = (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, TIME_S),
        (resource.RLIMIT_CORE, 0),
    )
    for what, most in limits:
        _, hard = resource.getrlimit(what)
        ceiling = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(what, (ceiling, ceiling))
        except (ValueError, OSError):  # the system knows the limit but does not allow it
            continue


def _claimed_title(document: Any) -> str:
    title: str = document.get_metadata_dict().get("Title") or ""
    return title[:1000]


def _lines(document: Any) -> Iterator[PdfLine]:
    for number in range(min(len(document), MAX_PAGES)):
        page = document[number]
        yield from _lines_of_page(page.get_textpage(), number + 1)


@dataclass(slots=True)
class _Letter:
    char: str
    left: float
    bottom: float
    right: float
    top: float
    height: float  # the font size, since two fonts of one size have different boxes
    upright: bool
    drawn: bool  # False for the blanks and line breaks that PDFium infers


def _lines_of_page(text: Any, page: int) -> Iterator[PdfLine]:
    """Yield runs of letters up to a line break, a wide gap or a change of rotation."""
    run: list[_Letter] = []
    for letter in _letters(text):
        if letter.char in "\r\n":
            yield from _line(run, page)
            run = []
            continue
        last = next((letter for letter in reversed(run) if letter.drawn), None)
        if last is not None and letter.drawn and _is_apart(last, letter):
            yield from _line(run, page)
            run = []
        run.append(letter)
    yield from _line(run, page)


def _letters(text: Any) -> Iterator[_Letter]:
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    for n in range(min(text.count_chars(), MAX_CHARS)):
        code = raw.FPDFText_GetUnicode(text, n)
        # PDFium writes the hyphen at the end of a line as U+0002 or U+FFFE
        char = "-" if code in (0x02, 0xFFFE, 0xAD) else chr(code)
        drawn = raw.FPDFText_IsGenerated(text, n) != 1 and char not in "\r\n"
        left, bottom, right, top = text.get_charbox(n, loose=True)
        angle = raw.FPDFText_GetCharAngle(text, n)
        upright = abs(angle) < 0.1 or abs(angle - 6.2832) < 0.1
        height = raw.FPDFText_GetFontSize(text, n)
        if raw.FPDFText_GetMatrix(text, n, matrix):
            height *= math.hypot(matrix.c, matrix.d)
        yield _Letter(char, left, bottom, right, top, height, upright, drawn)


def _is_apart(last: _Letter, letter: _Letter) -> bool:
    if last.upright != letter.upright:
        return True
    if not letter.upright:
        return False
    gap = max(letter.left - last.right, last.left - letter.right)
    return gap > _WIDE_GAP * max(last.height, letter.height, 1.0)


def _line(run: list[_Letter], page: int) -> Iterator[PdfLine]:
    drawn = [letter for letter in run if letter.drawn and not letter.char.isspace()]
    words = "".join(letter.char for letter in run).split()
    if not drawn or not words:
        return
    yield PdfLine(
        page=page,
        text=" ".join(words),
        height=_type_height(drawn),
        left=min(letter.left for letter in drawn),
        right=max(letter.right for letter in drawn),
        bottom=min(letter.bottom for letter in drawn),
        top=max(letter.top for letter in drawn),
        upright=drawn[0].upright,
    )


def _type_height(letters: list[_Letter]) -> float:
    """Return the font size of a line: the 90th percentile of its letters.

    With small capitals the large letters count, and a single large bracket of a formula does not.
    """
    heights = sorted(letter.height for letter in letters if letter.char.isalpha())
    heights = heights or sorted(letter.height for letter in letters)
    return heights[int(0.9 * (len(heights) - 1))]


if __name__ == "__main__":
    sys.exit(_main())
