"""Find the book between the header and the footer of Project Gutenberg, and read the header.

The wording of both has changed over the decades.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from scholar_indexes.books.citation.contributors import divide_contributors, split_names
from scholar_indexes.types import NO_IMPRINT, Imprint

LINE = 200
"""The characters of a line that are examined: markers are short, hostile lines are not."""

SIGNED = re.compile(r"[\W_]*(?:written )?by[\s:]+([^\d,;]{3,60}?)[\W_]*", re.IGNORECASE)
"""The line below a title: "by Jane Austen"."""

_FOOTER_LINES = 60  # between the line that ends the book and the licence
_TITLE_LINES = 12  # a title with more lines than this is something else

_START = re.compile(r"\W*START OF (THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_SMALL_PRINT_END = re.compile(r"\W*END\W*THE SMALL PRINT", re.IGNORECASE)
_OLD_HEADER = re.compile(
    r"\W*(?:Welcome To The World of Free|(?:A )?Project Gutenberg (?:of )?(?:Australia|Canada)"
    r"|(?:A )?Distributed Proofreaders Canada|Faded Page e?Book)",
    re.IGNORECASE,
)
_HEADER_LINE = re.compile(
    r"\W*(?:Welcome To The World of Free|e?(?:Book|Text)s Readable By|These e-?(?:book|text)s|"
    r"Copyright laws are changing|This header should be|Please read the \W?legal|Corrected EDITION|"
    r"VERSIONS based on|This file (?:should be|was)|This e-?(?:text|book) (?:was|is)\b|"
    r"(?:A |The |To contact )?Project Gutenberg\b|Faded Page|Edition:|Character set|Posting Date|"
    r"Produced by|This work is in the|_?(?:Title|Author|Language|Release Date|Date)\b[\w ]{0,24}:)",
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
_LAST_PAGE = re.compile(
    r"\[(?:The )?End of .{1,100}\bby\b.{1,60}\]\s*$|This site is full of FREE ebooks"
    r"|About this digital edition\s*$",
    re.IGNORECASE,
)
"""The end of a text in other collections; a book may have such a line, as "[End of the letter by
Mr. Pool]", so only a few lines may follow."""

_LAST_LINES = 40
_WRAPPED_TITLE = 56  # a title line at least this long may have been wrapped
_ENDS = ",:;-—"
_ALTERNATIVE = re.compile(r"or,?\s+", re.I)
_GOES_ON = re.compile(r"(?:a[st]|by|for|from|in(?:to)?|of|on|to|with|and)\b")  # not "A" or "In"
_FIELD = re.compile(
    r"_?(Title|Author|Language|Editors?|Translators?|Release Date)\s*:_?\s*(.*)", re.I
)
_WITH_DATES = re.compile(r"(?<![^;])(\s?)([^,;()]{1,80}+), ([^,;()]{1,80}),? \(\d{4}[^();]{0,40}\)")
"""A name as catalogues write it: "Pool, Ann (1850-1920)"."""

_VOLUME = re.compile(r"\bVol(?:ume|\.)?\s*(?:[IVXLC]+|\d+)(?:\s*\(?of\s\w+\)?)?\.?$", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\b(?:Esq|Jr|Sr|etc)\.$")
_NUMBER = re.compile(r"\[?\b(?:e-?book|e-?text)\s*#\s*(\d{1,6})\b", re.IGNORECASE)
_RELEASED = re.compile(r"\s*((?:[A-Z][a-z]+,? )?(?:19|20)\d\d)\s*\[e-?text\b", re.IGNORECASE)
_FIRST_LINE = re.compile(
    r"\W*(?:The )?Project Gutenberg(?:'s|’s)?(?: e-?(?:book|text))?(?: of|,)? (.{1,150})", re.I
)

_LANGUAGES = {
    "eng": "en",
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


def language_code(name: str) -> str:
    """Return the ISO 639-1 code of a language's English name or code, empty if unknown."""
    word = re.split(r"[\s,;/(_-]", name.strip().lower(), maxsplit=1)[0]
    return word if len(word) == 2 and word.isalpha() else _LANGUAGES.get(word, "")


def split_header(lines: Sequence[str]) -> tuple[Header, list[str]]:
    """Return the header, and the lines between header and footer."""
    header, start, end = find_body(lines)
    return header, [line for line in lines[start:end] if not _END.match(line[:LINE])]


def find_body(lines: Sequence[str]) -> tuple[Header, int, int]:
    """Return the header, and the start and end of the body between header and footer.

    Lines may be entire blocks, as in HTML.
    """
    start = _find_start(lines)
    above = lines[: start or min(60, len(lines))]
    header = read_header([line for block in above for line in block.split("\n")], start > 0)
    marker_title = _first_group(_START_WITH_TITLE.match, above)
    header = replace(header, marker_title=marker_title.strip(" .,_"))
    return header, start, _find_end(lines, start)


def _find_start(lines: Sequence[str]) -> int:
    """Return the number of the first line after the header, 0 without a header."""
    start, has_start = 0, False
    for n, line in enumerate(lines[: max(600, len(lines) // 3)]):
        opening = line[:LINE]
        if n and _END.match(opening):
            break  # the small print of 2002 to 2004 is in the footer
        if _SMALL_PRINT_END.match(opening) and not has_start:
            start = n + 1
        elif "S" in opening.upper() and _START.match(opening):
            start, has_start = _end_of_start(lines, n), True
    return start or _end_of_old_header(lines)


def _end_of_start(lines: Sequence[str], n: int) -> int:
    """Return the number of the line after the marker of the start, which begins on line n."""
    line, last = lines[n], n
    if line.lstrip().startswith("***") and not line.rstrip().endswith("*"):
        # the marker has the title of the book, and a long title wraps
        following = range(n + 1, min(n + 4, len(lines)))
        last = next((end for end in following if "***" in lines[end][-9:]), n)
    return last + 1


def _end_of_old_header(lines: Sequence[str]) -> int:
    """Return the number of the line after a header without an end marker, 0 without a header."""
    if not any(_OLD_HEADER.match(line[:LINE]) for line in lines[:40]):
        return 0
    head = range(min(_HEADER_LINES, len(lines)))
    last = max((n for n in head if _HEADER_LINE.match(lines[n][:LINE])), default=0)
    return next((n for n in range(last, len(lines)) if not lines[n].strip()), last)


def _find_end(lines: Sequence[str], start: int) -> int:
    """Return the number of the first line of the footer, or the number of lines."""
    markers = _end_markers(lines, start)
    tail = start + (len(lines) - start) * 2 // 3
    small_print = (n for n in range(tail, len(lines)) if _SMALL_PRINT.match(lines[n][:LINE]))
    end = next(small_print, len(lines))
    for marker in reversed(markers):
        if marker < tail and marker < end - _FOOTER_LINES:
            break
        if marker < end and (end == len(lines) or end - marker < _FOOTER_LINES):
            end = marker
    return end


def _end_markers(lines: Sequence[str], start: int) -> list[int]:
    """Return the numbers of the lines that may begin the footer."""
    last_lines = len(lines) - _LAST_LINES
    return [
        n
        for n in range(start, len(lines))
        if _END.match(lines[n][:LINE]) or (n >= last_lines and _LAST_PAGE.match(lines[n][:LINE]))
    ]


def read_header(lines: Sequence[str], is_marked: bool) -> Header:
    """Return the header in the lines; empty without an end marker and without a title line."""
    fields = _read_fields(lines)
    number = _first_group(_NUMBER.search, lines)
    name = _first_group(_FIRST_LINE.match, lines)
    # Without a marker, a single line such as "Title: ..." may be part of the text.
    if not is_marked and not name and not fields.keys() >= {"title", "author"}:
        return Header()
    title, author = _title_and_author(fields, name, lines)
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


def _title_and_author(
    fields: Mapping[str, str], name: str, lines: Sequence[str]
) -> tuple[str, str]:
    """Return the title and the author: from fields, or else from the name of the text."""
    title, author = fields.get("title", ""), fields.get("author", "")
    if not title and name:
        title, _, author_of_name = name.rstrip("* ").partition(", by ")
        author = author or author_of_name or _author_below(lines)
    return title, _WITH_DATES.sub(r"\1\3 \2", author)


def _author_below(lines: Sequence[str]) -> str:
    """Return the author on the line below the title line, empty if there is none."""
    for line, following in pairwise(lines):
        if _FIRST_LINE.match(line[:LINE]):
            signed = SIGNED.fullmatch(following[:LINE])
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
    matches = (match(line[:LINE]) for line in lines)
    return next((line_match[1] for line_match in matches if line_match), "")


def _read_fields(lines: Sequence[str]) -> dict[str, str]:
    """Return the first value of each field, such as "title", with its continuation lines.

    Translators and editors, who may have one line each, are joined by semicolons.
    """
    fields: dict[str, str] = {}
    for n, line in enumerate(lines):
        field = _FIELD.match(line[:LINE])
        if field is None:
            continue
        more = takewhile(_continues_field, lines[n + 1 : n + _TITLE_LINES])
        continuation = [" ".join(line[:LINE].split()) for line in more]
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
    return any(joint in line[:LINE].lower() for line in lines)


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
