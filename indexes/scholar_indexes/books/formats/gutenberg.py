"""Read plain text from Project Gutenberg, without the boilerplate around the book.

Inside a book are captions and page numbers of the printed edition, and the credits and notes of its
transcribers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from scholar_indexes.books.formats import front_matter, line_hyphens, page_edges
from scholar_indexes.books.formats.gutenberg_header import LINE, SIGNED, read_header, split_header
from scholar_indexes.books.formats.line_wrapping import respaced, unwrap
from scholar_indexes.books.manuscript import Manuscript
from scholar_indexes.books.segmentation import scene_breaks
from scholar_indexes.books.segmentation.headings import is_division_name
from scholar_indexes.decoding import decode, plain, with_entities

_CREDIT = re.compile(
    r"[\W_]*(?:This )?(?:(?:e-?(?:text|book)|file|html version|text) (?:was |is )?)?"
    r"(?:produced|prepared|scanned|transcribed|typed|proofed|proofread|digitized|html version|"
    r"updated|reviewed|corrected|revised|created) (?:and \w+ )?(?:by|from|for)\b",
    re.IGNORECASE,
)
_ABOUT_THE_FILE = re.compile(
    r"Project Gutenberg|Gutenberg-tm|Distributed Proofread|This e-?(?:text|book)\b"
    r"|Exported from Wikisource",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\S*(?:https?://|www\.|@\w+\.)\S*", re.IGNORECASE)
_FILE_WORDS = re.compile(
    r"gutenberg|pgdp|archive\.org|hathi|google|e-?texts?\b|e-?books?\b|html|\bimages?\b|scan|"
    r"transcri|proofread|\bfiles?\b|download|volunteer|e-?mail|digiti[sz]",
    re.IGNORECASE,
)
_WITH_ADDRESS = 12  # words; a longer paragraph with an address is prose unless it has _FILE_WORDS
_TRANSCRIBER = re.compile(
    r"[\W_]*(?:transcriber|transcription|editor of this e)\w*['’]?s?['’]?"
    r"[\s_]*notes?(?![^\W_])",
    re.IGNORECASE,
)
_ABOUT_THE_TEXT = re.compile(
    r"\b(?:typographical|typos?|misprints?|punctuation|hyphenat\w+|spellings?|footnotes? (?:have|"
    r"has|are|were)|italics?|underscores?|small[- ]cap\w*|boldface|in bold|displays bold|"
    r"superscript\w*|ASCII|UTF-8|HTML|e-?text|e-?book|proofread\w*|transcri\w+|"
    r"scan(?:ned|s)?|errors? (?:have|has|were|was)|original (?:text|edition|book|scan))\b",
    re.IGNORECASE,
)
_NOTE_BLOCKS = 30  # the most blocks of a transcriber's note
_PAGE_INLINE = re.compile(
    r" ?(?:\[(?:Pg\.?|Page|p\.) ?[0-9ivxlc]{1,6}\]|\{(?:p\. ?)?\d{1,4}\}) ?", re.IGNORECASE
)
_PAGE_ALONE = re.compile(
    r"\s*(?:\[\d{1,4}\]|(?:p\.|pg\.?|page) ?\d{1,4}\.?|-+ ?\d{1,4} ?-+)\s*", re.IGNORECASE
)
_PICTURE = re.compile(
    r"\[_?(?:illustrations?|frontispiece|picture|decoration|ornament)\b|"
    r"\[_?transcriber['’]?s?['’]? note|\[_?project gutenberg",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[\[\]]")
_CAPTION = 3000  # characters: a bracket that is not closed within this length is kept
_CREDIT_BLOCKS = 60  # blocks at either end of a book that are searched for credits


def read(data: bytes) -> Manuscript:
    """Return the book in the bytes of a plain text, with or without Gutenberg's header."""
    characters, encoding = decode(data)
    characters = with_entities(characters)
    characters = page_edges.without_edges(line_hyphens.with_signs(characters))
    fields, text = front_matter.split(plain(characters))
    header, lines = split_header(respaced(text.split("\n")))
    if fields:
        header = read_header(fields, is_marked=True)
    blocks, ornaments = drop_boilerplate(unwrap(line_hyphens.marked(strip_notes(lines))))
    title, author = (header.title, header.author) if header.title else _read_title_page(blocks)
    return Manuscript(
        text="\n\n".join(blocks),
        title=title or header.marker_title,
        author=author or header.author,
        language=header.language,
        gutenberg_id=header.gutenberg_id,
        encoding=encoding,
        imprint=header.imprint,
        breaks=scene_breaks.between_blocks(blocks, ornaments),
    )


def strip_notes(lines: Sequence[str]) -> list[str]:
    """Return the lines without page numbers and without bracketed captions and file notes.

    A caption may have many lines; one that is never closed is kept.
    """
    text = "\n".join(lines)
    closings = _match_brackets(text)
    pieces: list[str] = []
    end = 0
    for note in _PICTURE.finditer(text):
        closing = closings.get(note.start(), -1)
        if note.start() < end or not 0 <= closing - note.start() < _CAPTION:
            continue
        pieces.append(text[end : note.start()])
        end = closing + 1
    pieces.append(text[end:])
    return _strip_page_numbers("".join(pieces).split("\n"))


def _match_brackets(text: str) -> dict[int, int]:
    """Return the offset of the closing square bracket for the offset of each opening one."""
    closings: dict[int, int] = {}
    openings: list[int] = []
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "[":
            openings.append(bracket.start())
        elif openings:
            closings[openings.pop()] = bracket.start()
    return closings


def _strip_page_numbers(lines: Sequence[str]) -> list[str]:
    """Return the lines without page numbers, so that no paragraph is split by one."""
    kept_lines: list[str] = []
    for line in lines:
        if len(line) < 30 and _PAGE_ALONE.fullmatch(line):
            continue
        if ("[" in line or "{" in line) and _PAGE_INLINE.search(line):
            rest = _PAGE_INLINE.sub(_space_for_page, line)
            if not rest.strip():
                continue
            line = rest.strip() if not line.startswith(" ") else rest.rstrip()
        kept_lines.append(line)
    return kept_lines


def _space_for_page(number: re.Match[str]) -> str:
    """Return the space for a page number, none within a word: "morn[Pg 2]ing"."""
    text, (start, end) = number.string, number.span()
    is_in_word = text[start - 1 : start].isalpha() and text[end : end + 1].islower()
    return "" if is_in_word and number[0].strip() == number[0] else " "


def drop_boilerplate(blocks: Sequence[str]) -> tuple[list[str], dict[int, str]]:
    """Return the blocks without credits, file notes and ornaments, and the ornaments of scene
    breaks by the number of the following block."""
    book_blocks: list[str] = []
    ornaments: dict[int, str] = {}
    noted = _bodies_of_notes(blocks)
    for n, block in enumerate(blocks):
        if n in noted:
            continue
        if is_boilerplate(block, n, len(blocks) - 1 - n):
            if printed := scene_breaks.ornament(block):
                ornaments.setdefault(len(book_blocks), printed)
        elif book_blocks and _is_split(book_blocks[-1], block):
            book_blocks[-1] = f"{book_blocks[-1]} {block}"
            ornaments.pop(len(book_blocks), None)
        else:
            book_blocks.append(block)
    return book_blocks, ornaments


def _bodies_of_notes(blocks: Sequence[str]) -> set[int]:
    """Return the numbers of the blocks that a transcriber's note at either end has below its
    heading: those about the file at the beginning, all that follow at the end."""
    noted: set[int] = set()
    ends = {*range(min(_CREDIT_BLOCKS, len(blocks)))}
    tail = range(max(0, len(blocks) - _NOTE_BLOCKS), len(blocks))
    for n in sorted({*ends, *tail}):
        if not _TRANSCRIBER.match(blocks[n][: 4 * LINE]):
            continue
        if n in tail and n > len(blocks) // 2 and not any(map(is_division_name, blocks[n + 1 :])):
            noted.update(range(n, len(blocks)))
        else:
            about = takewhile(
                lambda at: _ABOUT_THE_TEXT.search(blocks[at][:800]), _after(n, blocks)
            )
            noted.update(about)
    return noted


def _after(n: int, blocks: Sequence[str]) -> range:
    return range(n + 1, min(n + 1 + _NOTE_BLOCKS, len(blocks)))


def is_boilerplate(block: str, before: int, after: int) -> bool:
    """Return True if a block is a credit, file note or ornament.

    `before` and `after` count the blocks around it: credits and file notes occur near one of
    the two ends.
    """
    if not block.strip("*_-=~.# \n[]"):
        return True
    if (before >= _CREDIT_BLOCKS and after >= _CREDIT_BLOCKS // 2) or len(block) > 8 * LINE:
        return False
    opening = block[: 4 * LINE]
    tests = (_CREDIT.match, _ABOUT_THE_FILE.search, _TRANSCRIBER.match)
    return any(test(opening) for test in tests) or _gives_address(opening)


def _gives_address(text: str) -> bool:
    """Return True for a web or mail address with few words, or with words about files."""
    if not _ADDRESS.search(text):
        return False
    few = len(_ADDRESS.sub(" ", text).split()) < _WITH_ADDRESS
    return few or _FILE_WORDS.search(text) is not None


def _is_split(before: str, after: str) -> bool:
    """Return True if two blocks are one paragraph split by something that was removed."""
    return (
        len(before) > 160
        and before[-1:].isalpha()
        and after[:1].islower()
        and "\n" not in before
        and "\n" not in after
        and len(after) > 80
    )


def _read_title_page(blocks: Sequence[str]) -> tuple[str, str]:
    """Return title and author from the first blocks, for texts without a header."""
    title = ""
    lines = (line.rstrip() for block in blocks[:6] for line in block.split("\n")[:6])
    for line in takewhile(lambda line: not line.endswith((":", ":_")), lines):  # a list of books
        signed = SIGNED.fullmatch(line[:LINE])
        if signed:
            return title, signed[1].strip()
        if is_division_name(line):
            continue
        if not title and len(line) <= 100 and line[-1:].isalnum():
            title = " ".join(line.split()).strip("_")
    return (title, "") if len(blocks[:1]) and title == blocks[0].strip() else ("", "")
