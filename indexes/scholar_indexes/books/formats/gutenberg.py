"""Read plain text from Project Gutenberg, without the boilerplate around the book.

Every book is surrounded by a header, a licence and credits, whose wording has changed over
the decades; inside it are captions and page numbers of the printed edition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from scholar_indexes.books.citation.contributors import divide_contributors, split_names
from scholar_indexes.books.formats import front_matter
from scholar_indexes.books.formats.line_wrapping import unwrap
from scholar_indexes.books.manuscript import Manuscript
from scholar_indexes.books.segmentation import scene_breaks
from scholar_indexes.books.segmentation.headings import is_division_name
from scholar_indexes.decoding import decode, plain
from scholar_indexes.types import NO_IMPRINT, Imprint

__all__ = [
    "Header",
    "decode",
    "drop_boilerplate",
    "find_body",
    "is_boilerplate",
    "language_code",
    "read",
    "split_header",
    "strip_notes",
]

_LINE = 200  # characters of a line that are examined: markers are short, hostile lines are not
_FOOTER_LINES = 60  # between the line that ends the book and the licence
_TITLE_LINES = 12  # a title with more lines than this is something else

_START = re.compile(r"\W*START OF (THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_SMALL_PRINT_END = re.compile(r"\W*END\W*THE SMALL PRINT", re.IGNORECASE)
_OLD_HEADER = re.compile(r"\W*Welcome To The World of Free", re.IGNORECASE)
_HEADER_LINE = re.compile(
    r"\W*(?:Welcome To The World of Free|e?(?:Book|Text)s Readable By|These e-?(?:book|text)s|"
    r"Copyright laws are changing|This header should be|Please read the \W?legal|Corrected EDITION|"
    r"VERSIONS based on|This file (?:should be|was)|This e-?(?:text|book) (?:was|is)\b|"
    r"(?:The )?Project Gutenberg\b|Edition:|Character set|Posting Date|Produced by|"
    r"Title:|Author:|Language:|Release Date)",
    re.IGNORECASE,
)
"""Lines of a header, for one without an end marker."""

_HEADER_LINES = 160  # the most lines of a header without an end marker
_START_WITH_TITLE = re.compile(
    r"\W*START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT),? ([^*\s].{0,149}?)\s*\*+$",
    re.IGNORECASE,
)
_SMALL_PRINT = re.compile(r"\W*START\W*THE SMALL PRINT", re.IGNORECASE)
_END = re.compile(
    r"\W*(THE )?END OF (THE |THIS )?PROJECT GUTENBERG\b"
    r"|\W*End of this Etext\b|\W*This is the end of the Project Gutenberg\b",
    re.IGNORECASE,
)
_WRAPPED_TITLE = 56  # a title line at least this long may have been wrapped
_ENDS = ",:;-—"
_ALTERNATIVE = re.compile(r"or,?\s+", re.I)
_GOES_ON = re.compile(r"(?:a[st]|by|for|from|in(?:to)?|of|on|to|with|and)\b")  # not "A" or "In"
_FIELD = re.compile(r"(Title|Author|Language|Editors?|Translators?|Release Date)\s*:\s*(.*)", re.I)
_VOLUME = re.compile(r"\bVol(?:ume|\.)?\s*(?:[IVXLC]+|\d+)(?:\s*\(?of\s\w+\)?)?\.?$", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\b(?:Esq|Jr|Sr|etc)\.$")
_NUMBER = re.compile(r"\[?\b(?:e-?book|e-?text)\s*#\s*(\d{1,6})\b", re.IGNORECASE)
_RELEASED = re.compile(r"\s*((?:[A-Z][a-z]+,? )?(?:19|20)\d\d)\s*\[e-?text\b", re.IGNORECASE)
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
    r"Project Gutenberg|Gutenberg-tm|Distributed Proofread|This e-?(?:text|book)\b", re.IGNORECASE
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
    r"has|are|were)|italics?|underscores?|ASCII|UTF-8|HTML|e-?text|e-?book|proofread\w*|transcri\w+|"
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
_SIGNED = re.compile(r"[\W_]*(?:written )?by[\s:]+([^\d,;]{3,60}?)[\W_]*", re.IGNORECASE)

_LANGUAGES = {
    "english": "en",
    "french": "fr",
    "german": "de",
    "italian": "it",
    "spanish": "es",
    "portuguese": "pt",
    "dutch": "nl",
    "latin": "la",
    "greek": "el",
    "finnish": "fi",
    "swedish": "sv",
    "danish": "da",
    "norwegian": "no",
    "polish": "pl",
    "russian": "ru",
    "hungarian": "hu",
    "czech": "cs",
    "catalan": "ca",
    "esperanto": "eo",
    "chinese": "zh",
    "japanese": "ja",
    "tagalog": "tl",
    "welsh": "cy",
    "irish": "ga",
    "icelandic": "is",
    "romanian": "ro",
    "hebrew": "he",
}


@dataclass(frozen=True, slots=True)
class Header:
    """The fields of a Gutenberg header; empty or None if missing.

    marker_title is the title, in capitals and possibly truncated, in the line between header
    and book.
    """

    title: str = ""
    author: str = ""
    language: str = ""
    gutenberg_id: int | None = None
    imprint: Imprint = NO_IMPRINT
    marker_title: str = ""


def read(data: bytes) -> Manuscript:
    """Return the book in the bytes of a plain text, with or without Gutenberg's header."""
    characters, encoding = decode(data)
    fields, text = front_matter.split(plain(characters))
    header, lines = split_header(text.split("\n"))
    if fields:
        header = _read_header(fields, is_marked=True)
    blocks, ornaments = drop_boilerplate(unwrap(strip_notes(lines)))
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


def language_code(name: str) -> str:
    """Return the ISO 639-1 code of a language's English name or code, empty if unknown."""
    word = re.split(r"[\s,;/(_-]", name.strip().lower(), maxsplit=1)[0]
    return word if len(word) == 2 and word.isalpha() else _LANGUAGES.get(word, "")


def split_header(lines: Sequence[str]) -> tuple[Header, list[str]]:
    """Return the header, and the lines between header and footer."""
    header, start, end = find_body(lines)
    return header, [line for line in lines[start:end] if not _END.match(line[:_LINE])]


def find_body(lines: Sequence[str]) -> tuple[Header, int, int]:
    """Return the header, and the start and end of the body between header and footer.

    Lines may be entire blocks, as in HTML.
    """
    start = _find_start(lines)
    above = lines[: start or min(60, len(lines))]
    header = _read_header([line for block in above for line in block.split("\n")], start > 0)
    marker_title = _first_group(_START_WITH_TITLE.match, above)
    header = replace(header, marker_title=marker_title.strip(" .,_"))
    return header, start, _find_end(lines, start)


def _find_start(lines: Sequence[str]) -> int:
    """Return the number of the first line after the header, 0 without a header."""
    start, has_start = 0, False
    for n, line in enumerate(lines[: max(600, len(lines) // 3)]):
        opening = line[:_LINE]
        if n and _END.match(opening):
            break  # the small print of 2002 to 2004 is in the footer
        if _SMALL_PRINT_END.match(opening) and not has_start:
            start = n + 1
        elif "S" in opening.upper() and _START.match(opening):
            start, has_start = n + 1, True
            if line.lstrip().startswith("***") and not line.rstrip().endswith("*"):
                # the marker has the title of the book, and a long title wraps
                following = range(n + 1, min(n + 4, len(lines)))
                start = next((end for end in following if "***" in lines[end][-9:]), n) + 1
    return start or _end_of_old_header(lines)


def _end_of_old_header(lines: Sequence[str]) -> int:
    """Return the number of the line after a header without an end marker, 0 without a header."""
    if not any(_OLD_HEADER.match(line[:_LINE]) for line in lines[:40]):
        return 0
    head = range(min(_HEADER_LINES, len(lines)))
    last = max((n for n in head if _HEADER_LINE.match(lines[n][:_LINE])), default=0)
    return next((n for n in range(last, len(lines)) if not lines[n].strip()), last)


def _find_end(lines: Sequence[str], start: int) -> int:
    """Return the number of the first line of the footer, or the number of lines."""
    markers = [n for n in range(start, len(lines)) if _END.match(lines[n][:_LINE])]
    tail = start + (len(lines) - start) * 2 // 3
    small_print = (n for n in range(tail, len(lines)) if _SMALL_PRINT.match(lines[n][:_LINE]))
    end = next(small_print, len(lines))
    for marker in reversed(markers):
        if marker < tail and marker < end - _FOOTER_LINES:
            break
        if marker < end and (end == len(lines) or end - marker < _FOOTER_LINES):
            end = marker
    return end


def _read_header(lines: Sequence[str], is_marked: bool) -> Header:
    """Return the header in the lines; empty without an end marker and without a title line."""
    fields = _read_fields(lines)
    number = _first_group(_NUMBER.search, lines)
    name = _first_group(_FIRST_LINE.match, lines)
    # Without a marker, a single line such as "Title: ..." may be part of the text.
    if not is_marked and not name and not fields.keys() >= {"title", "author"}:
        return Header()
    title, author = fields.get("title", ""), fields.get("author", "")
    if not title and name:
        title, _, author_of_name = name.partition(", by ")
        author = author or author_of_name or _author_below(lines)
    people = divide_contributors(author)
    if people.translators or people.editors:
        author = "; ".join(people.authors)
    return Header(
        title=_without_end(title),
        author=author.strip(" ,") if people.authors else "",
        language=language_code(fields.get("language", "")),
        gutenberg_id=int(number) if number else None,
        imprint=Imprint(
            translators=(*split_names(fields.get("translator", "")), *people.translators),
            editors=(*split_names(fields.get("editor", "")), *people.editors),
            year=_year(fields.get("release date") or _first_group(_RELEASED.match, lines)),
        ),
    )


def _author_below(lines: Sequence[str]) -> str:
    """Return the author on the line below the title line, empty if there is none."""
    for line, following in pairwise(lines):
        if _FIRST_LINE.match(line[:_LINE]):
            signed = _SIGNED.fullmatch(following[:_LINE])
            return signed[1] if signed else ""
    return ""


def _without_end(title: str) -> str:
    """Return a title without punctuation around it, except for the full stop of "Esq."."""
    stripped = title.strip(" .,_")
    return f"{stripped}." if _ABBREVIATION.search(title) else stripped


def _year(date: str) -> int | None:
    """Return the year of a date, or None if it has no year since 1970."""
    match = re.search(r"\b(?:19[789]|20\d)\d\b", date)
    return int(match[0]) if match else None


def _first_group(match: Callable[[str], re.Match[str] | None], lines: Sequence[str]) -> str:
    """Return the first group of the first match in the lines, empty if there is none."""
    matches = (match(line[:_LINE]) for line in lines)
    return next((line_match[1] for line_match in matches if line_match), "")


def _read_fields(lines: Sequence[str]) -> dict[str, str]:
    """Return the first value of each field, such as "title", with its continuation lines.

    Translators and editors, who may have one line each, are joined by semicolons.
    """
    fields: dict[str, str] = {}
    for n, line in enumerate(lines):
        field = _FIELD.match(line[:_LINE])
        if field is None:
            continue
        more = takewhile(_continues_field, lines[n + 1 : n + _TITLE_LINES])
        continuation = [" ".join(line[:_LINE].split()) for line in more]
        value = " ".join(field[2].split())
        name = field[1].lower()
        join = _JOIN.get(name.removesuffix("s"), " ".join)
        if name == "title" and _is_wrapped((value, *continuation), lines):
            join = " ".join
        value = join((value, *continuation)).strip()
        name = name.removesuffix("s") if name in ("translators", "editors") else name
        if name not in fields:
            fields[name] = value
        elif name in ("translator", "editor"):
            fields[name] += f"; {value}"
    return fields


def _is_wrapped(title: Sequence[str], lines: Sequence[str]) -> bool:
    """Return True if a header has the lines of a title on one line elsewhere: they are wrapped."""
    if len(title) < 2:
        return False
    joint = " ".join(title[0].split()[-1:] + title[1].split()[:2]).lower()
    return any(joint in line[:_LINE].lower() for line in lines)


def _join_title(lines: Sequence[str]) -> str:
    """Return a title joined with its subtitle, which a header has on separate lines.

    Examples are "Jane Eyre: An Autobiography" and "Frankenstein; or, The Modern Prometheus". A
    line continues the title unchanged if that is long enough to have been wrapped, or if the
    line begins with a preposition.
    """
    title = lines[0]
    for line in lines[1:]:
        if alternative := _ALTERNATIVE.match(line):
            title = f"{title.rstrip(_ENDS)}; or, {line[alternative.end() :]}"
        elif _VOLUME.search(title) and not line.lower().startswith("with "):
            title = f"{title.rstrip(f'.{_ENDS}')}: {line[:1].upper()}{line[1:]}"
        elif len(title) >= _WRAPPED_TITLE or title[-1:] in _ENDS or _GOES_ON.match(line):
            title = f"{title} {line}"
        else:
            title = f"{title.rstrip('.')}: {line[:1].upper()}{line[1:]}"
    return title


def _join_names(lines: Sequence[str]) -> str:
    """Return the people that a header lists on separate lines, joined by semicolons."""
    names = lines[0]
    for before, line in pairwise(lines):
        is_wrapped = len(before) >= _WRAPPED_TITLE or before.endswith((",", ";", "&", " and"))
        goes_on = is_wrapped or line[:1].islower() or line[:1] in "&("
        names = f"{names} {line}" if goes_on else f"{names}; {line}"
    return names


_JOIN: dict[str, Callable[[Sequence[str]], str]] = {
    "title": _join_title,
    "author": _join_names,
    "editor": _join_names,
    "translator": _join_names,
}
"""The function that joins the lines of a field, for fields not joined with spaces."""


def _continues_field(line: str) -> bool:
    """Return True if an indented line belongs to the field above it."""
    return line.startswith(" ") and bool(line.strip()) and not _FIELD.match(line.strip())


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
        if not _TRANSCRIBER.match(blocks[n][: 4 * _LINE]):
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
    if (before >= _CREDIT_BLOCKS and after >= _CREDIT_BLOCKS // 2) or len(block) > 8 * _LINE:
        return False
    opening = block[: 4 * _LINE]
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
        signed = _SIGNED.fullmatch(line[:_LINE])
        if signed:
            return title, signed[1].strip()
        if is_division_name(line):
            continue
        if not title and len(line) <= 100 and line[-1:].isalnum():
            title = " ".join(line.split()).strip("_")
    return (title, "") if len(blocks[:1]) and title == blocks[0].strip() else ("", "")
