"""Plain text as Project Gutenberg ships it: taking the book out of its wrapping.

Around every book stand a header, a licence and credits, whose wording has changed
with the decades; within it stand captions and page numbers of the printed edition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholar_indexes.books.decoding import decode, plain
from scholar_indexes.books.manuscript import Manuscript
from scholar_indexes.books.wrapping import unwrap

__all__ = [
    "Header",
    "body",
    "clean",
    "decode",
    "frame",
    "is_wrapping",
    "language_code",
    "read",
    "without_notes",
]

_LINE = 200  # characters of a line looked at: markers are short, hostile lines are not
_TITLE_LINES = 12  # a title that runs over more lines than this is something else

_START = re.compile(
    r"\W*START OF (THE|THIS) PROJECT GUTENBERG|\W*END\W*THE SMALL PRINT", re.IGNORECASE
)
_SMALL_PRINT = re.compile(r"\W*START\W*THE SMALL PRINT", re.IGNORECASE)
_END = re.compile(
    r"\W*(THE )?END OF (THE |THIS )?PROJECT GUTENBERG\b"
    r"|\W*End of this Etext\b|\W*This is the end of the Project Gutenberg\b",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(Title|Author|Language|Editor|Translator|Release Date)\s*:\s*(.*)", re.I)
_NUMBER = re.compile(r"\[?\b(?:e-?book|e-?text)\s*#\s*(\d{1,6})\b", re.IGNORECASE)
_FIRST_LINE = re.compile(
    r"\W*(?:The )?Project Gutenberg(?:'s|’s)?(?: e-?(?:book|text))?(?: of|,)? (.{1,150})", re.I
)
_CREDIT = re.compile(
    r"[\W_]*(?:This )?(?:(?:e-?(?:text|book)|file|html version|text) (?:was |is )?)?"
    r"(?:produced|prepared|scanned|transcribed|typed|proofed|proofread|digitized|html version|"
    r"updated|reviewed|corrected|revised|created) (?:and \w+ )?(?:by|from|for)\b",
    re.IGNORECASE,
)
_ABOUT_THE_FILE = re.compile(
    r"https?://|www\.|@\w+\.|Project Gutenberg|Gutenberg-tm|Distributed Proofread|"
    r"This e-?(?:text|book)\b",
    re.IGNORECASE,
)
_TRANSCRIBER = re.compile(
    r"[\W_]*(?:transcriber|transcription|editor of this e)\w*['’]?s?['’]?"
    r"[\s_]*notes?\b",
    re.IGNORECASE,
)
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
_CAPTION = 3000  # characters: a bracket that is not closed within them is left alone
_HEAD = 60  # blocks at either end of a book among which credits are looked for
_SIGNED = re.compile(r"[\W_]*(?:written )?by[\s:]+([^\d,;]{3,60}?)[\W_]*", re.IGNORECASE)

_LANGUAGES = {
    "english": "en", "french": "fr", "german": "de", "italian": "it", "spanish": "es",
    "portuguese": "pt", "dutch": "nl", "latin": "la", "greek": "el", "finnish": "fi",
    "swedish": "sv", "danish": "da", "norwegian": "no", "polish": "pl", "russian": "ru",
    "hungarian": "hu", "czech": "cs", "catalan": "ca", "esperanto": "eo", "chinese": "zh",
    "japanese": "ja", "tagalog": "tl", "welsh": "cy", "irish": "ga", "icelandic": "is",
    "romanian": "ro", "hebrew": "he",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """What a Gutenberg header says; empty or None where it does not say."""

    title: str = ""
    author: str = ""
    language: str = ""
    gutenberg_id: int | None = None


def read(data: bytes) -> Manuscript:
    """The book in the bytes of a plain text, with or without Gutenberg's header."""
    characters, encoding = decode(data)
    lines = plain(characters).split("\n")
    header, lines = body(lines)
    blocks = clean(unwrap(without_notes(lines)))
    title, author = (header.title, header.author) if header.title else _title_page(blocks)
    return Manuscript(
        text="\n\n".join(blocks),
        title=title,
        author=author or header.author,
        language=header.language,
        gutenberg_id=header.gutenberg_id,
        encoding=encoding,
    )


def language_code(name: str) -> str:
    """The ISO 639-1 code of a language's English name or code, empty if unknown."""
    word = re.split(r"[\s,;/(_-]", name.strip().lower(), maxsplit=1)[0]
    return word if len(word) == 2 and word.isalpha() else _LANGUAGES.get(word, "")


def body(lines: Sequence[str]) -> tuple[Header, list[str]]:
    """What the header says, and the lines between header and footer."""
    header, start, end = frame(lines)
    return header, [line for line in lines[start:end] if not _END.match(line[:_LINE])]


def frame(lines: Sequence[str]) -> tuple[Header, int, int]:
    """What the header says, and where the body between header and footer starts and ends.

    Lines may be whole blocks, as they are in HTML.
    """
    start = _start(lines)
    said = [line for block in lines[: start or min(60, len(lines))] for line in block.split("\n")]
    return _header(said, trusted=start > 0), start, _end(lines, start)


def _start(lines: Sequence[str]) -> int:
    """The first line after the header, 0 where there is none."""
    start = 0
    for n, line in enumerate(lines[: max(600, len(lines) // 3)]):
        if "S" in line[:_LINE].upper() and _START.match(line[:_LINE]):
            start = n + 1
            if line.lstrip().startswith("***") and not line.rstrip().endswith("*"):
                # the marker names the book, and a long name runs over the line
                ends = (m for m in range(n + 1, min(n + 4, len(lines))) if "***" in lines[m][-9:])
                start = next(ends, n) + 1
    return start


def _end(lines: Sequence[str], start: int) -> int:
    """The line the footer begins on, or the number of lines."""
    ends = [n for n in range(start, len(lines)) if _END.match(lines[n][:_LINE])]
    tail = start + (len(lines) - start) * 2 // 3
    legal = (n for n in range(tail, len(lines)) if _SMALL_PRINT.match(lines[n][:_LINE]))
    last = next(legal, len(lines))
    for n in reversed(ends):
        if n < tail and n < last - 60:
            break
        if n < last and (last == len(lines) or last - n < 60):
            last = n
    return last


def _header(lines: Sequence[str], trusted: bool) -> Header:
    fields: dict[str, str] = {}
    number: int | None = None
    name = ""
    for n, line in enumerate(lines):
        short = line[:_LINE]
        found = _FIELD.match(short)
        if found and found[1].lower() not in fields:
            value = [found[2]]
            for more in lines[n + 1 : n + _TITLE_LINES]:
                if not more.startswith(" ") or not more.strip() or _FIELD.match(more.strip()):
                    break
                value.append(more[:_LINE])
            fields[found[1].lower()] = " ".join(" ".join(value).split())
        if number is None and (found_number := _NUMBER.search(short)):
            number = int(found_number[1])
        if not name and (first := _FIRST_LINE.match(short)):
            name = first[1]
    if not trusted and not name and not ("title" in fields and "author" in fields):
        return Header()
    title, author = fields.get("title", ""), fields.get("author", "")
    if not title and name:
        title, _, by = name.partition(", by ")
        author = author or by
    return Header(
        title=title.strip(" .,_"),
        author="" if author.lower() in ("anonymous", "various", "unknown") else author.strip(" ,"),
        language=language_code(fields.get("language", "")),
        gutenberg_id=number,
    )


def without_notes(lines: Sequence[str]) -> list[str]:
    """The lines without bracketed captions and notes about the file, and without page numbers.

    A caption may run over many lines; one that is never closed is left alone.
    """
    text = "\n".join(lines)
    closing = _brackets(text)
    out: list[str] = []
    done = 0
    for found in _PICTURE.finditer(text):
        close = closing.get(found.start(), -1)
        if found.start() < done or not 0 <= close - found.start() < _CAPTION:
            continue
        out.append(text[done : found.start()])
        done = close + 1
    out.append(text[done:])
    return _without_pages("".join(out).split("\n"))


def _brackets(text: str) -> dict[int, int]:
    """Where each opening square bracket is closed, for those that are."""
    closing: dict[int, int] = {}
    open_at: list[int] = []
    for found in _BRACKET.finditer(text):
        if found[0] == "[":
            open_at.append(found.start())
        elif open_at:
            closing[open_at.pop()] = found.start()
    return closing


def _without_pages(lines: Sequence[str]) -> list[str]:
    """The lines without page numbers, sewing up the paragraphs that they stood in."""
    out: list[str] = []
    for line in lines:
        if len(line) < 30 and _PAGE_ALONE.fullmatch(line):
            continue
        if ("[" in line or "{" in line) and _PAGE_INLINE.search(line):
            left = _PAGE_INLINE.sub(" ", line)
            if not left.strip():
                continue
            line = left.strip() if not line.startswith(" ") else left.rstrip()
        out.append(line)
    return out


def clean(blocks: Sequence[str]) -> list[str]:
    """The blocks without credits, notes about the file and blocks that say nothing."""
    out: list[str] = []
    for n, block in enumerate(blocks):
        if is_wrapping(block, n, len(blocks) - 1 - n):
            continue
        if out and _breaks_off(out[-1], block):
            out[-1] = f"{out[-1]} {block}"
        else:
            out.append(block)
    return out


def is_wrapping(block: str, before: int, after: int) -> bool:
    """Whether a block with so many before and after it is a credit, a note or an ornament.

    Credits and notes about the file stand near one of the two ends.
    """
    if not block.strip("*_-=~.# \n[]"):
        return True
    if (before >= _HEAD and after >= _HEAD // 2) or len(block) > 8 * _LINE:
        return False
    short = block[: 4 * _LINE]
    return any(sign(short) for sign in (_CREDIT.match, _ABOUT_THE_FILE.search, _TRANSCRIBER.match))


def _breaks_off(before: str, after: str) -> bool:
    """Whether a paragraph was cut in two by something that has been taken out."""
    return (
        len(before) > 160
        and before[-1:].isalpha()
        and after[:1].islower()
        and "\n" not in before
        and "\n" not in after
        and len(after) > 80
    )


def _title_page(blocks: Sequence[str]) -> tuple[str, str]:
    """Title and author as the first blocks give them, for texts without a header."""
    title = author = ""
    for block in blocks[:6]:
        for line in block.split("\n")[:6]:
            signed = _SIGNED.fullmatch(line[:_LINE])
            if signed:
                return title, signed[1].strip()
            if not title and len(line) <= 100 and line.rstrip()[-1:].isalnum():
                title = " ".join(line.split()).strip("_")
    return (title, author) if len(blocks[:1]) and title == blocks[0].strip() else ("", "")
