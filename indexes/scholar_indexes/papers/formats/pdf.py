"""Read the title and the abstract of a paper in PDF from the layout of its first page.

The title is the largest text; the abstract is the block below or after the word "Abstract", in
the same column, down to the next heading. On a page without that word, as is common in physics, the
abstract is between the authors and the introduction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers import ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl, pdf_lines
from scholar_indexes.papers.formats.pdf_lines import PdfLine
from scholar_indexes.sanitize import one_line

ALTERNATIVE = "give a PDF with text, or a BibTeX entry of the paper"
MIN_LETTERS = 40  # fewer on the first pages are a stamp on a scan, not a paper
MIN_TITLE_LETTERS = 8
MIN_ABSTRACT_WORDS = 25  # of a block without the heading of an abstract
MAX_ABSTRACT_LINES = 150

_SAME_TYPE = 0.08  # the relative difference of heights within one font size
_NEXT_LINE = 2.2  # in line heights: a larger gap above a line ends a paragraph

_HEADING = re.compile(
    r"(?i)\W{0,3}(?P<word>abstract|a b s t r a c t|summary)(?P<mark>\s?[.:—–-]+)?"
    r"(?:\s+|$|(?<=[.:—–-]))(?P<rest>.*)"
)
_INTRODUCTION = re.compile(
    r"(?i)\W*(?:(?:[01]|i)\s?[.:)]?\s*)?i\s?n\s?t\s?r\s?o\s?d\s?u\s?c\s?t\s?i\s?o\s?n\W*"
)
_FIRST_SECTION = re.compile(r"1\.?\s+[A-Z][^.]{2,60}")
_AFTERWARDS = re.compile(
    r"(?i)\W*(?:key\s?-?words?\b|index terms\b|general terms\b|categories and subject|ccs concepts"
    r"|acm reference format|additional key words|jel (?:class|codes?)|pacs\b|msc\b"
    r"|mathematics subject|article (?:info|history)|abbreviations\s*:"
    r"|correspond(?:ence|ing author)\s*[:(]|copyright|©|permission to make"
    r"|this work is licensed|preprint submitted|doi\s*:|https?://)"
)
_PART = re.compile(
    r"(?i)\W*(background|context|motivation|purpose|objectives?|aims?|methods?|methodology"
    r"|design|approach|results?|findings?|conclusions?|discussion|significance)\W*"
)
_BANNER = re.compile(
    r"(?i)\W*(?:proceedings of|journal of|international journal|transactions on|vol(?:ume|\.) ?\d"
    r"|contents lists|available online|research article|original (?:article|paper|research)"
    r"|open access|published as|under review|preprint|arxiv:)"
)
_NOT_A_TITLE = re.compile(r"(?i)untitled|microsoft word|\.(?:docx?|tex|dvi|pdf|indd|qxd|rtf|ps)$")
_ARXIV_STAMP = re.compile(r"arXiv:\s?(\S{1,40})")
_DOI = re.compile(r"\b10\.[0-9]{4,9}/[^\s\"<>]{1,200}")
_DATA_DOI = ("10.5281/", "10.6084/", "10.5061/", "10.7910/")  # data that a paper refers to
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
_FOOTNOTE_MARKS = " *∗⋆★†‡§¶"


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the one paper of a PDF: its title, its abstract, its DOI or arXiv id if printed.

    It has no sentences if no abstract is recognized in the layout. Raises NoPapers if the file
    is locked or broken, contains no text or no title, or exceeds the limits on time and memory.
    """
    label = one_line(name, 200)
    try:
        pages = pdf_lines.read(data)
    except pdf_lines.UnreadablePdf as why:
        raise NoPapers(f"{label} {why}; {ALTERNATIVE}") from why
    if sum(c.isalpha() for line in pages.lines for c in line.text) < MIN_LETTERS:
        raise NoPapers(f"{label} contains no text, only pictures of it; {ALTERNATIVE}")
    upright = [line for line in pages.lines if line.upright]
    title = find_title(upright, pages.title)
    if not title:
        raise NoPapers(f"{label} has no recognizable title; {ALTERNATIVE}")
    known = find_ids(pages.lines)
    item = {"type": "article", "title": title, "issued": {"raw": _year(known)}}
    yield csl.build_entry(item, find_abstract(upright), references=known, tex=False)


def find_title(lines: Sequence[PdfLine], claimed: str = "") -> str:
    """Return the title, empty if none is recognized.

    It is the claimed title, from the metadata, if the first page contains it, else the largest
    text above the abstract. lines are upright, in drawing order.
    """
    page = _first_page(lines)
    claimed = " ".join(claimed.split())
    if ids.title_key(claimed) and not _NOT_A_TITLE.search(claimed):
        printed = _letters(" ".join(line.text for line in page))
        if _letters(claimed) in printed:
            return claimed
    heading_index = _abstract_heading(page)
    blocks = _blocks(page[:heading_index] if heading_index else page)
    for block in sorted(blocks, key=lambda block: -block[0].height):
        text = _joined(block).strip(_FOOTNOTE_MARKS)
        if sum(c.isalpha() for c in text) >= MIN_TITLE_LETTERS and not _BANNER.match(text):
            return text[:500]
    return ""


def find_abstract(lines: Sequence[PdfLine]) -> str:
    """Return the abstract as one paragraph, empty if none is recognized.

    lines are upright, in drawing order; a cover sheet may come first.
    """
    for number in sorted({line.page for line in lines}):
        page = [line for line in lines if line.page == number]
        heading = _abstract_heading(page)
        if heading is not None:
            return _joined(_under(page, heading))
    return _joined(_before_introduction(_first_page(lines)))


def find_ids(lines: Sequence[PdfLine]) -> tuple[str, ...]:
    """Return the arXiv id in the margin of the first page and the one DOI printed on it, if any."""
    page = _first_page(lines)
    arxiv_ids = [
        stamp[1] for line in page if not line.upright and (stamp := _ARXIV_STAMP.search(line.text))
    ]
    dois = {
        f"doi:{match[0]}"
        for line in page
        if line.upright
        for match in _DOI.finditer(line.text)
        if not match[0].startswith(_DATA_DOI) and match[0][-1] not in "./-_"  # cut off
    }
    return ids.sort_ids(
        [*(f"arxiv:{arxiv_id}" for arxiv_id in arxiv_ids), *(dois if len(dois) == 1 else ())]
    )


def _year(known: Sequence[str]) -> str:
    """Return the year in an arXiv id, such as 2105.01234 or cs/9905012, else an empty text."""
    numbers = (paper_id.rpartition("/")[2] for paper_id in known if paper_id.startswith("arxiv:"))
    digits = next(numbers, "").removeprefix("arxiv:")[:2]
    return digits and f"{19 if digits > '90' else 20}{digits}"


def _first_page(lines: Sequence[PdfLine]) -> list[PdfLine]:
    first = min((line.page for line in lines), default=1)
    return [line for line in lines if line.page == first]


def _abstract_heading(page: Sequence[PdfLine]) -> int | None:
    """Return the index of the heading of the abstract: "Abstract" rather than "Summary"."""
    headings: dict[str, int] = {}
    text_height = _height(page)
    for n, line in enumerate(page):
        heading = _HEADING.fullmatch(line.text)
        if heading is None:
            continue
        runs_on = bool(heading["rest"])
        as_text = line.height <= text_height * (1 + 2 * _SAME_TYPE)
        if runs_on and not (as_text and (heading["mark"] or heading["rest"][0].isupper())):
            continue
        headings.setdefault(heading["word"].replace(" ", "").lower(), n)
    return headings.get("abstract", headings.get("summary"))


def _under(page: Sequence[PdfLine], n: int) -> list[PdfLine]:
    """Return the lines of the abstract whose heading is line n of a page."""
    heading = page[n]
    match = _HEADING.fullmatch(heading.text)
    block = [replace(heading, text=match["rest"])] if match and match["rest"] else []
    left, right = heading.left, heading.right
    for line in page[n + 1 :]:
        last = block[-1] if block else heading
        if _top_of_next_column(line, last, right, block):
            left, right = line.left, line.right
        elif not (_overlap(line, left, right) or _beside(line, heading, block)):
            continue  # another column, or a margin
        elif line.bottom > heading.top:
            continue  # the header of the page
        elif _ends_abstract(line, last, block) or len(block) == MAX_ABSTRACT_LINES:
            break
        block.append(_with_colon(line))
        left, right = min(left, line.left), max(right, line.right)
    return block


def _with_colon(line: PdfLine) -> PdfLine:
    """Return a line, with a colon added if it is the label of a section, such as "Methods"."""
    is_label = _PART.fullmatch(line.text) and line.text[-1].isalpha()
    return replace(line, text=f"{line.text}:") if is_label else line


def _beside(line: PdfLine, heading: PdfLine, block: Sequence[PdfLine]) -> bool:
    """Return True if the text begins on the line of its heading, which is in the margin."""
    level = abs(line.bottom - heading.bottom) < 0.6 * heading.height
    return not block and level and 0 <= line.left - heading.right < 6 * heading.height


def _top_of_next_column(
    line: PdfLine, last: PdfLine, right: float, block: Sequence[PdfLine]
) -> bool:
    """Return True if an unfinished sentence at the foot of its column continues on this line."""
    return (
        bool(block)
        and not last.text.endswith((".", "?", "!"))
        and line.left >= right
        and line.bottom > last.top + 2 * last.height
        and _same_type(line, last)
    )


def _ends_abstract(line: PdfLine, last: PdfLine, block: Sequence[PdfLine]) -> bool:
    """Return True if a line in the column of an abstract no longer belongs to it."""
    if _INTRODUCTION.fullmatch(line.text) or _FIRST_SECTION.fullmatch(line.text):
        return True
    begins_sentence = line.text.lstrip(" *•·∗")[:1].isupper() or not line.text[:1].isalpha()
    if begins_sentence and _AFTERWARDS.match(line.text):
        return True
    gap = last.bottom - line.top
    if not block:
        return gap > 3 * _NEXT_LINE * last.height
    body = median(line.height for line in block)
    return gap > _NEXT_LINE * last.height or abs(line.height - body) > 2 * _SAME_TYPE * body


def _before_introduction(page: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the longest block of prose above the introduction, empty without such a heading."""
    end = next((n for n, line in enumerate(page) if _INTRODUCTION.fullmatch(line.text)), 0)
    prose = [block for block in _blocks(page[:end]) if _is_prose(_joined(block))]
    return max(prose, key=lambda block: len(_joined(block)), default=[])


def _is_prose(text: str) -> bool:
    """Return True for sentences; in names and affiliations, most words begin with a capital."""
    words = _WORD.findall(text)
    capitals = sum(word[0].isupper() for word in words)
    return len(words) >= MIN_ABSTRACT_WORDS and capitals < 0.35 * len(words) and "." in text


def _blocks(lines: Sequence[PdfLine]) -> list[list[PdfLine]]:
    """Return runs of lines of the same font size, one below the other."""
    blocks: list[list[PdfLine]] = []
    for line in lines:
        last = blocks[-1][-1] if blocks else None
        if (
            last is not None
            and _same_type(line, last)
            and -last.height < last.bottom - line.top < last.height
            and _overlap(line, last.left, last.right)
        ):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _same_type(one: PdfLine, other: PdfLine) -> bool:
    return abs(one.height - other.height) <= _SAME_TYPE * max(one.height, other.height)


def _overlap(line: PdfLine, left: float, right: float) -> bool:
    return min(line.right, right) - max(line.left, left) > 0


def _height(lines: Sequence[PdfLine]) -> float:
    """Return the height of the running text: the median over letters."""
    heights = sorted((line.height, len(line.text)) for line in lines)
    half = sum(length for _, length in heights) / 2
    for height, length in heights:
        half -= length
        if half <= 0:
            return height
    return 0.0


def _joined(lines: Sequence[PdfLine]) -> str:
    """Return lines as one text, with words rejoined that were broken at the end of a line."""
    texts = [line.text.translate(_LIGATURES) for line in lines]
    known = {word.casefold() for text in texts for word in _WORD.findall(text)}
    out: list[str] = []
    for text in texts:
        if out and out[-1].endswith("-") and len(out[-1]) > 1 and text[:1].islower():
            broken = _broken_word(out[-1], text)
            out[-1] = out[-1] if _keeps_hyphen(*broken, known) else out[-1][:-1]
            out.append(text)
        else:
            out.extend([" ", text] if out else [text])
    return " ".join("".join(out).split())


def _broken_word(before: str, after: str) -> tuple[str, str]:
    first = before[:-1].rpartition(" ")[2]
    second = _WORD.match(after)
    return first.casefold(), second[0].casefold() if second else ""


def _keeps_hyphen(first: str, second: str, known: set[str]) -> bool:
    """Return True if "state-of-the-" and "art" belong together with the hyphen between them."""
    if not first[-1:].isalpha():
        return True  # "2019-" and "based"
    if first + second in known:
        return False
    return f"{first}-{second}" in known or "-" in first


def _letters(text: str) -> str:
    """Return only the letters and digits, folded, to find one text in another."""
    folded = unicodedata.normalize("NFKD", text.translate(_LIGATURES)).casefold()
    return "".join(c for c in folded if c.isalnum())
