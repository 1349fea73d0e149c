"""Parse a single line as a heading, without its context.

A heading that numbers its division ("CHAPTER IV. The Storm", "Book the First", "XII.",
"3—A Walk") is parsed to a HeadingMark; so is a conventional heading of a division without
a number ("PREFACE", "FOOTNOTES"). scholar_indexes.books.segmentation.outline decides, over
the whole book, which of the marks are headings of this book.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from scholar_indexes.books.segmentation.numerals import (
    ORDINALS,
    parse_arabic,
    parse_roman,
    parse_spelled,
)

_LONGEST_HEADING = 320  # characters
_LONGEST_TITLE = 160  # the title after a bare numeral is never longer than this
_LONGEST_CLOSING = 60  # characters of a line with "The End" or "Contents"
_LONGEST_UNNUMBERED = 90
_MAX_NUMERAL = 9  # characters


class HeadingRank(IntEnum):
    """The level of a heading in its book, outermost first."""

    VOLUME = 1
    PART = 2
    BOOK = 3
    ACT = 4
    CHAPTER = 5
    NUMERAL = 6


_RANKS = {
    "volume": HeadingRank.VOLUME,
    "vol": HeadingRank.VOLUME,
    "tome": HeadingRank.VOLUME,
    "part": HeadingRank.PART,
    "phase": HeadingRank.PART,
    "epoch": HeadingRank.PART,
    "period": HeadingRank.PART,
    "narrative": HeadingRank.BOOK,
    "division": HeadingRank.PART,
    "book": HeadingRank.BOOK,
    "act": HeadingRank.ACT,
}
_CHAPTERS = (
    "chapter chap chapitre letter stave canto scene adventure tale story sonnet fable essay "
    "lecture sermon dialogue fit fytte sketch elegy ode eclogue idyl idyll night evening "
    "episode lesson meditation section"
)
CHAPTER_WORDS = frozenset(_CHAPTERS.split())
"""The keywords of chapters and of their equivalents in other books."""

OUTER_WORDS = frozenset(_RANKS)
"""The keywords of divisions that contain chapters."""

_RANKS |= dict.fromkeys(CHAPTER_WORDS, HeadingRank.CHAPTER)
_INNER_WORDS = frozenset(("chapter", "chap", "scene"))
"""The keywords of chapters that may follow the keyword of their part on one line."""

TITLE = "title"
"""The keyword of a heading that is only a title."""

_WRITTEN_OUT = {"vol": "Volume", "chap": "Chapter"}

_FRONT = frozenset(
    {
        "contents",
        "table of contents",
        "list of illustrations",
        "illustrations",
        "dedication",
        "dramatis personae",
        "persons represented",
        "persons of the play",
        "list of characters",
        "errata",
        "etymology",
    }
)
_PREFACE_OPENINGS = (
    "preface",
    "introduction",
    "introductory",
    "foreword",
    "prologue",
    "prelude",
    "proem",
    "author's note",
    "author's preface",
    "author's introduction",
    "general preface",
    "to the reader",
    "editor's preface",
    "editor's note",
    "editor's introduction",
    "translator's preface",
    "translator's note",
    "prefatory note",
    "introductory note",
    "bibliographical note",
    "custom-house",
)
_CLOSE_OPENINGS = (
    "epilogue",
    "conclusion",
    "postscript",
    "finale",
    "l'envoi",
    "envoi",
    "afterword",
    "interlude",
    "induction",
)
_BACK_OPENINGS = (
    "appendix",
    "footnotes",
    "footnote",
    "notes",
    "endnotes",
    "index",
    "glossary",
    "advertisements",
    "advertisement",
    "bibliography",
    "errata",
    "corrigenda",
    "transcriber's note",
    "transcriber's notes",
    "addenda",
    "addendum",
)

_UNNUMBERED = (
    ("preface", _PREFACE_OPENINGS),
    ("close", _CLOSE_OPENINGS),
    ("back", _BACK_OPENINGS),
)
"""Keywords of headings without a number, each with the words that begin such headings."""

_ARTICLES = ("the ", "THE ", "The ", "No. ", "NO. ", "no. ")  # before a number, in this order
_EDGES = " \t*_=~.:;,-–—|#()[]"
_NUMERAL_END = re.compile(r"[.:)\]]?(?:\s*(?:--?|[–—])\s*|\s+|$)")
_TOKEN = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?\.?|\d+")
_COMPOUND = re.compile(r"\d{1,2}\.([IVXLC]+)\.?", re.IGNORECASE)
_ENDING = re.compile(
    r"[\W_]*(?:the end|finis|end of (?:the )?(?:\w+ ){0,3}\w+)[\W_]*", re.IGNORECASE
)
_CONTENTS = re.compile(r"[\W_]*(?:table of )?contents\b.{0,40}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HeadingMark:
    """A line parsed as a heading.

    word is its keyword in lower case, "" for a bare numeral; form is how its number is
    written ("roman", "arabic titled"); number is None for headings without one and -1 for
    "the last"; label is the heading without its title ("Chapter IV") and title the rest.
    """

    rank: HeadingRank
    word: str
    form: str
    number: int | None
    label: str
    title: str

    @property
    def key(self) -> tuple[str, int | None, str]:
        """A key that is equal for an entry of a table of contents and the heading it lists."""
        return (self.word, self.number, "" if self.number is not None else self.label.lower())

    @property
    def is_unnumbered(self) -> bool:
        """True for a conventional heading without a number, such as a preface."""
        return self.word in ("front", "preface", "close", "back")

    @property
    def is_outer(self) -> bool:
        """True for a division that contains chapters, such as a part."""
        return self.rank < HeadingRank.CHAPTER


def parse_heading(line: str) -> HeadingMark | None:
    """Return the mark of a line that reads as a heading, or None."""
    if len(line) > _LONGEST_HEADING:
        return None
    text = line.strip(_EDGES)
    if not text or text[:1].islower():
        return None
    unnumbered = None if line.lstrip().startswith("[") else _parse_unnumbered(text)
    return _parse_keyword(text) or unnumbered or _parse_numeral(line.strip(" \t_*=[]"))


def find_inner_heading(line: str) -> int:
    """Return the offset of a chapter heading that follows the heading of its part on one line.

    An example is "ACT III. SCENE I. A room". Return 0 for other lines, such as a reference
    ("Act III, Scene I").
    """
    mark = parse_heading(line)
    if mark is None or not mark.is_outer or not mark.title:
        return 0
    for token in _TOKEN.finditer(line):
        if token[0].lower().rstrip(".") not in _INNER_WORDS:
            continue
        before, after = line[: token.start()].rstrip(), line[token.start() :]
        outer, inner = parse_heading(before), parse_heading(after)
        is_reference = before.endswith(",") or outer is None or outer.title
        return 0 if is_reference or inner is None or inner.number is None else token.start()
    return 0


def is_ending(line: str) -> bool:
    """Return True if a line only announces an end, such as "The End"."""
    return len(line) <= _LONGEST_CLOSING and bool(_ENDING.fullmatch(line))


def is_contents(line: str) -> bool:
    """Return True if a line is the heading of a table of contents."""
    return len(line) <= _LONGEST_CLOSING and bool(_CONTENTS.fullmatch(line))


def is_division_name(line: str) -> bool:
    """Return True if a line is only the name of a division, such as "Contents"."""
    plain = _plain(line.strip(_EDGES))
    return plain in _FRONT or any(plain in openings for _, openings in _UNNUMBERED)


def is_signed(line: str) -> bool:
    """Return True if a line names an author, as title pages do."""
    return line.lstrip(" _*").lower().startswith(("by ", "by_ ", "translated ", "edited ", "with "))


def _parse_keyword(text: str) -> HeadingMark | None:
    """Parse a heading with a keyword before its number, or after an ordinal."""
    words = _TOKEN.findall(text[:120])
    if not words:
        return None
    first = words[0].lower().rstrip(".")
    if first in _RANKS:
        return _parse_keyword_first(first, text)
    skip = 1 if first == "the" else 0
    if len(words) > skip + 1 and words[skip].lower() in ORDINALS:
        word = words[skip + 1].lower().rstrip(".")
        if word in _RANKS or word == "epilogue":
            return _parse_ordinal_first(word, words[skip].lower(), text)
    return None


def _parse_ordinal_first(word: str, ordinal: str, text: str) -> HeadingMark | None:
    """Parse "The Second Epoch", "FIRST PERIOD", "Second Epilogue"."""
    end = text.lower().index(word, text.lower().index(ordinal)) + len(word)
    label, rest = text[:end], text[end:]
    if rest[:1].isalpha() or not _can_follow_number(rest, text):
        return None
    number = parse_spelled([ordinal])
    if number is None:
        return None
    rank = HeadingRank.PART if word == "epilogue" else _RANKS[word]
    return HeadingMark(rank, word, "first", number[0], recase(label), recase(_strip_title(rest)))


@dataclass(frozen=True, slots=True)
class _Number:
    """A number after a keyword: how it is written, its value and the text after it."""

    form: str
    value: int
    rest: str


def _parse_keyword_first(word: str, text: str) -> HeadingMark | None:
    """Parse "Chapter IV", "Book the First", "Letter the Last", "Chapter 2.III"."""
    after = text[len(word) :]
    rest = after.lstrip(". ")
    if after[:1].isalpha() or rest == after:
        return None
    for article in _ARTICLES:
        if rest.startswith(article):
            rest = rest[len(article) :].lstrip()
    number = _parse_number(rest)
    if number is None or not _can_follow_number(number.rest, text):
        return None
    label = text[: len(text) - len(number.rest)].strip(_EDGES)
    if word in _WRITTEN_OUT:
        full = _WRITTEN_OUT[word]
        label = full + label[len(word) :].lstrip(".")
        word = full.lower()
    title = recase(_strip_title(number.rest))
    return HeadingMark(_RANKS[word], word, number.form, number.value, recase(label), title)


def _parse_number(text: str) -> _Number | None:
    """Parse the number at the start of a text, in any form."""
    if text.lower().startswith("last"):
        return _Number("last", -1, text[4:])
    compound = _COMPOUND.match(text)
    if compound:
        value = parse_roman(compound[1])
        return _Number("compound", value, text[compound.end() :]) if value else None
    token = _TOKEN.match(text)
    if not token:
        return None
    bare = token[0].rstrip(".")
    value = parse_arabic(bare)
    if value is not None:
        return _Number("arabic", value, text[len(bare) :])
    value = parse_roman(bare)
    if value is not None and (bare.isupper() or bare.islower()):
        return _Number("roman", value, text[len(bare) :])
    return _parse_spelled_number(text)


def _parse_spelled_number(text: str) -> _Number | None:
    words = text[:80].replace("--", "  ").replace("—", " ").split()
    number = parse_spelled(words)
    if number is None:
        return None
    value, used = number
    end = 0
    for word in words[:used]:
        end = text.index(word, end) + len(word)
    while end and not text[end - 1].isalnum():
        end -= 1
    return _Number("spelled", value, text[end:])


def _can_follow_number(rest: str, text: str) -> bool:
    """Return True if the text after a number can be a title, not the rest of a sentence."""
    if not rest.strip(_EDGES):
        return True
    if rest[0] in ".:—–-;)]_*":
        return "continued" not in rest.lower()[:16] or len(rest) > 20
    if rest[0] == ",":
        return "continued" not in rest.lower() and not rest.lstrip(", ")[:1].islower()
    if rest.startswith(("  ", "\t")) or rest.lstrip()[:1] in ("-", "—", "–"):
        return True
    opening = rest.lstrip(" \"'“‘_([")[:1]
    opens_title = opening.isupper() or opening.isdigit()
    return rest[0] == " " and opens_title and len(text) <= _LONGEST_TITLE


def _strip_title(rest: str) -> str:
    """Return a title without the punctuation that separates it from a number."""
    return rest.strip(" \t*_=~:;,-–—|#[]").lstrip(".) ").strip(" *_-–—")


def _parse_numeral(text: str) -> HeadingMark | None:
    """Parse a bare numeral, with or without a title: "XII.", "3—A Walk"."""
    end = 0
    while end < min(len(text), _MAX_NUMERAL) and text[end].isalnum():
        end += 1
    numeral = text[:end]
    number, form = parse_arabic(numeral), "arabic"
    if number is None and numeral.isupper():
        number, form = parse_roman(numeral), "roman"
    joint = _NUMERAL_END.match(text, end)
    if not number or not joint:
        return None
    rest = text[joint.end() :]
    title = _strip_title(rest)
    if title and numeral in ("L", "C", "D", "M"):
        return None  # an initial
    if rest and not _can_be_title(rest, title, joint[0], form):
        return None
    kind = form + (" titled" if title else "")
    return HeadingMark(HeadingRank.NUMERAL, "", kind, number, numeral, recase(title))


def _can_be_title(rest: str, title: str, joint: str, form: str) -> bool:
    """Return True if the text after a bare numeral is a title: "I. Old Moodie" but not "I do"."""
    if len(rest) > _LONGEST_TITLE or not (title[:1].isupper() or title[:1] in "“\"'‘_("):
        return False
    if joint == " ":
        in_capitals = rest == rest.upper() or (len(rest) <= 80 and _is_capitalized(rest))
        return in_capitals and form == "roman"  # "I The Old House" but not the speaker "1 Clown"
    return form != "arabic" or joint not in ("-", " - ")


def _parse_unnumbered(text: str) -> HeadingMark | None:
    """Parse a conventional heading such as "Preface" or "Transcriber's Notes"."""
    if len(text) > _LONGEST_UNNUMBERED or text[-1:] in ',;!?"”':
        return None
    if text.lower().startswith(("footnote ", "footnote:")):
        return None  # a single note, not the section of notes
    plain = _plain(text)
    if plain in _FRONT:
        return HeadingMark(HeadingRank.CHAPTER, "front", "", None, recase(text), "")
    for word, openings in _UNNUMBERED:
        for opening in openings:
            if plain.startswith(opening) and _can_follow_opening(plain[len(opening) :], text):
                return HeadingMark(HeadingRank.CHAPTER, word, "", None, recase(text), "")
    return None


def _plain(text: str) -> str:
    """Return a heading in the form of the word lists, without a leading "The"."""
    return " ".join(text.lower().replace("’", "'").split()).removeprefix("the ")


def _can_follow_opening(rest: str, text: str) -> bool:
    """Return True if a line with this text after "Preface" or similar can be a heading."""
    if not rest.strip(_EDGES):
        return True
    if rest[0].isalpha():
        return False
    return text == text.upper() or rest[0] in ".:—-" or _is_capitalized(text)


_SMALL_WORDS = frozenset(
    "a an and as at by but for from in into of on or the to with nor upon de la du von".split()
)


def _is_capitalized(text: str) -> bool:
    """Return True if every word except the small ones begins with a capital."""
    words = [word.strip("_*\"'“”‘’(),.:;!?-—") for word in text.split()]
    return all(not word or not word[0].islower() or word in _SMALL_WORDS for word in words)


def is_title_like(line: str) -> bool:
    """Return True if a line looks like a title: in capitals or in title case."""
    text = line.strip(" *_")
    if not 0 < len(text) <= 120 or not any(char.isalpha() for char in text):
        return False
    if text == text.upper():
        return True
    return _is_capitalized(text) and text[-1] not in ",;"


def recase(text: str) -> str:
    """Return a heading in capitals in title case; any other heading in its own case."""
    text = " ".join(text.split()).strip("_* ")
    letters = [char for char in text if char.isalpha()]
    if text != text.upper() or len(letters) < 2:
        return text
    return " ".join(_recase_word(word, n == 0) for n, word in enumerate(text.split(" ")))


def _recase_word(word: str, is_first: bool) -> str:
    bare = word.strip("_*\"'“”‘’(),.:;!?-—[]")
    is_initials = 1 < len(bare) <= 5 and "." in bare
    if is_initials or parse_roman(bare) is not None:
        return word
    if not is_first and bare.lower() in _SMALL_WORDS:
        return word.lower()
    letters = []
    is_opening = True
    for char in word:
        letters.append(char if is_opening else char.lower())
        is_opening = char in '-—–("“‘_' or (is_opening and not char.isalpha())
    return "".join(letters)
