"""What is a heading, looking at one block of a text and at nothing around it.

A heading that counts its division ("CHAPTER IV. The Storm", "Book the First", "XII.",
"3—A Walk") is read as a Mark; so are the headings that every book uses for the
divisions it does not count ("PREFACE", "FOOTNOTES"). Whether a mark is one of this
book's headings is for the whole book to tell, in scholar_indexes.books.chapters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from scholar_indexes.books.numerals import ORDINALS, arabic, roman, spelled

_LINE = 320  # characters of a block looked at; no heading is longer
_LONG_TITLE = 160  # a bare numeral is not followed by more title than this


class Rank(IntEnum):
    """How far out a heading stands in its book, outermost first."""

    VOLUME = 1
    PART = 2
    BOOK = 3
    ACT = 4
    CHAPTER = 5
    NUMERAL = 6


_RANKS = {
    "volume": Rank.VOLUME,
    "vol": Rank.VOLUME,
    "tome": Rank.VOLUME,
    "part": Rank.PART,
    "phase": Rank.PART,
    "epoch": Rank.PART,
    "period": Rank.PART,
    "narrative": Rank.BOOK,
    "division": Rank.PART,
    "book": Rank.BOOK,
    "act": Rank.ACT,
}
_CHAPTERS = (
    "chapter chap chapitre letter stave canto scene adventure tale story sonnet fable essay "
    "lecture sermon dialogue fit fytte sketch elegy ode eclogue idyl idyll night evening "
    "episode lesson meditation section"
)
_RANKS |= dict.fromkeys(_CHAPTERS.split(), Rank.CHAPTER)
_WRITTEN_OUT = {"vol": "Volume", "chap": "Chapter"}

_FRONT = frozenset({"contents", "table of contents", "list of illustrations", "illustrations",
                    "dedication", "dramatis personae", "persons represented", "persons of the play",
                    "list of characters", "errata", "etymology"})  # fmt: skip
_PREFACES = ("preface", "introduction", "introductory", "foreword", "prologue", "prelude", "proem",
             "author's note", "author's preface", "author's introduction", "general preface",
             "to the reader", "editor's preface", "editor's note", "editor's introduction",
             "translator's preface", "translator's note", "prefatory note", "introductory note",
             "bibliographical note", "the custom-house")  # fmt: skip
_CLOSES = ("epilogue", "conclusion", "postscript", "finale", "l'envoi", "envoi", "afterword",
           "interlude", "induction")  # fmt: skip
_BACK = ("appendix", "footnotes", "footnote", "notes", "endnotes", "index", "glossary",
         "advertisements", "advertisement", "bibliography", "errata", "corrigenda",
         "transcriber's note", "transcriber's notes", "addenda", "addendum")  # fmt: skip

_EDGES = " \t*_=~.:;,-–—|#()[]"
_NUMERAL_END = re.compile(r"[.:)\]]?(?:\s*(?:--?|[–—])\s*|\s+|$)")
_TOKEN = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?\.?|\d+")
_COMPOUND = re.compile(r"\d{1,2}\.([IVXLC]+)\.?", re.IGNORECASE)
_ENDING = re.compile(
    r"[\W_]*(?:the end|finis|end of (?:the )?(?:\w+ ){0,3}\w+)[\W_]*", re.IGNORECASE
)
_CONTENTS = re.compile(r"[\W_]*(?:table of )?contents\b.{0,40}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """What one block says as a heading.

    word is its keyword in small letters, "" for a bare numeral, "roman" and so on in
    form; number counts it, None for headings that are not counted and -1 for "the
    last"; label is the heading without its title ("Chapter IV") and title the rest.
    """

    rank: Rank
    word: str
    form: str
    number: int | None
    label: str
    title: str

    @property
    def key(self) -> tuple[str, int | None, str]:
        return (self.word, self.number, "" if self.number is not None else self.label.lower())

    @property
    def uncounted(self) -> bool:
        return self.word in ("front", "preface", "close", "back")


def read(line: str) -> Mark | None:
    """The mark a line makes as a heading, None where it reads as anything else."""
    if len(line) > _LINE:
        return None
    text = line.strip(_EDGES)
    if not text or text[:1].islower():
        return None
    said = None if line.lstrip().startswith("[") else _uncounted(text)
    return _keyword(text) or said or _numeral(line.strip(" \t_*=[]"))


def is_ending(line: str) -> bool:
    """Whether a line says no more than that something ends here."""
    return len(line) <= 60 and bool(_ENDING.fullmatch(line))


def is_contents(line: str) -> bool:
    """Whether a line heads a table of contents."""
    return len(line) <= 60 and bool(_CONTENTS.fullmatch(line))


def is_signed(line: str) -> bool:
    """Whether a line names an author, as title pages do."""
    return line.lstrip(" _*").lower().startswith(("by ", "by_ ", "translated ", "edited ", "with "))


def _keyword(text: str) -> Mark | None:
    words = _TOKEN.findall(text[:120])
    if not words:
        return None
    first = words[0].lower().rstrip(".")
    if first in _RANKS:
        return _counted(first, text)
    skip = 1 if first == "the" else 0
    if len(words) > skip + 1 and words[skip].lower() in ORDINALS:
        word = words[skip + 1].lower().rstrip(".")
        if word in _RANKS or word == "epilogue":
            return _ordinal_first(word, words[skip].lower(), text)
    return None


def _ordinal_first(word: str, ordinal: str, text: str) -> Mark | None:
    """ "The Second Epoch", "FIRST PERIOD", "Second Epilogue"."""
    at = text.lower().index(word, text.lower().index(ordinal)) + len(word)
    rest = text[at:]
    if rest[:1].isalpha() or not _may_follow(rest, text):
        return None
    found = spelled([ordinal])
    rank = Rank.PART if word == "epilogue" else _RANKS[word]
    label = text[:at]
    return found and Mark(rank, word, "first", found[0], recase(label), recase(_title(rest)))


def _counted(word: str, text: str) -> Mark | None:
    rest = text[len(word) :].lstrip(". ")
    if text[len(word) : len(word) + 1].isalpha() or len(rest) == len(text) - len(word):
        return None
    for article in ("the ", "THE ", "The ", "No. ", "NO. ", "no. "):
        if rest.startswith(article):
            rest = rest[len(article) :].lstrip()
    if rest.lower().startswith("last"):
        return _mark(word, "last", -1, text, rest[4:])
    compound = _COMPOUND.match(rest)
    if compound:
        value = roman(compound[1])
        return _mark(word, "compound", value, text, rest[compound.end() :]) if value else None
    token = _TOKEN.match(rest)
    if not token:
        return None
    bare = token[0].rstrip(".")
    value = arabic(bare)
    if value is not None:
        return _mark(word, "arabic", value, text, rest[len(bare) :])
    value = roman(bare)
    if value is not None and (bare.isupper() or bare.islower()):
        return _mark(word, "roman", value, text, rest[len(bare) :])
    pieces = rest[:80].replace("--", "  ").replace("—", " ").split()
    found = spelled(pieces)
    if found is None:
        return None
    value, used = found
    end = 0
    for piece in pieces[:used]:
        end = rest.index(piece, end) + len(piece)
    while end and not rest[end - 1].isalnum():
        end -= 1
    return _mark(word, "spelled", value, text, rest[end:])


def _mark(word: str, form: str, number: int, text: str, rest: str) -> Mark | None:
    if not _may_follow(rest, text):
        return None
    label = text[: len(text) - len(rest)].strip(_EDGES)
    for short, full in _WRITTEN_OUT.items():
        if word == short:
            label = full + label[len(short) :].lstrip(".")
            word = full.lower()
    return Mark(_RANKS[word], word, form, number, recase(label), recase(_title(rest)))


def _may_follow(rest: str, text: str) -> bool:
    """Whether what stands after the number can be a title, or is a sentence running on."""
    if not rest.strip(_EDGES):
        return True
    if rest[0] in ".:—–-;)]_*":
        return "continued" not in rest.lower()[:16] or len(rest) > 20
    if rest[0] == ",":
        return "continued" not in rest.lower() and not rest.lstrip(", ")[:1].islower()
    if rest.startswith(("  ", "\t")) or rest.lstrip()[:1] in ("-", "—", "–"):
        return True
    opening = rest.lstrip(" \"'“‘_([")[:1]
    return rest[0] == " " and (opening.isupper() or opening.isdigit()) and len(text) <= 160


def _title(rest: str) -> str:
    return rest.strip(" \t*_=~:;,-–—|#[]").lstrip(".) ").strip(" *_-–—")


def _numeral(text: str) -> Mark | None:
    end = 0
    while end < min(len(text), 9) and text[end].isalnum():
        end += 1
    number, form = arabic(text[:end]), "arabic"
    if number is None and text[:end].isupper():
        number, form = roman(text[:end]), "roman"
    if not number:
        return None
    joint = _NUMERAL_END.match(text, end)
    if not joint:
        return None
    rest = text[joint.end() :]
    title = _title(rest)
    if title and text[:end] in ("L", "C", "D", "M"):
        return None  # an initial
    if rest and not _may_be_title(rest, title, joint[0], form):
        return None
    kind = form + (" titled" if title else "")
    return Mark(Rank.NUMERAL, "", kind, number, text[:end], recase(title))


def _may_be_title(rest: str, title: str, joint: str, form: str) -> bool:
    """Whether what stands after a bare numeral is a title: "I. Old Moodie" but not "I do"."""
    if len(rest) > _LONG_TITLE or not (title[:1].isupper() or title[:1] in "“\"'‘_("):
        return False
    if joint == " ":
        titled = rest == rest.upper() or (len(rest) <= 80 and _is_title(rest))
        return titled and form == "roman"  # "I The Old House" but not the speaker "1 Clown"
    return form != "arabic" or joint not in ("-", " - ")


def _uncounted(text: str) -> Mark | None:
    if len(text) > 90 or text[-1:] in ',;!?"”':
        return None
    if text.lower().startswith("footnote ") or text.lower().startswith("footnote:"):
        return None  # one note, not the notes
    plain = " ".join(text.lower().replace("’", "'").split())
    if plain in _FRONT:
        return Mark(Rank.CHAPTER, "front", "", None, recase(text), "")
    shouted = text == text.upper()
    for word, openings in (("preface", _PREFACES), ("close", _CLOSES), ("back", _BACK)):
        for opening in openings:
            if not plain.startswith(opening):
                continue
            rest = plain[len(opening) :]
            if not rest.strip(_EDGES) or (
                not rest[0].isalpha() and (shouted or rest[0] in ".:—-" or _is_title(text))
            ):
                return Mark(Rank.CHAPTER, word, "", None, recase(text), "")
    return None


_SMALL_WORDS = "a an and as at by but for from in into of on or the to with nor upon de la du von"
_SMALL = frozenset(_SMALL_WORDS.split())


def _is_title(text: str) -> bool:
    """Whether every word but the small ones opens with a capital."""
    words = [word.strip("_*\"'“”‘’(),.:;!?-—") for word in text.split()]
    return all(not w or not w[0].islower() or w in _SMALL for w in words)


def is_title_like(line: str) -> bool:
    """Whether a line reads as a title: shouted, or in capitals and small letters as titles are."""
    text = line.strip(" *_")
    if not 0 < len(text) <= 120 or not any(c.isalpha() for c in text):
        return False
    if text == text.upper():
        return True
    return _is_title(text) and text[-1] not in ",;"


def recase(text: str) -> str:
    """A shouted heading in the capitals of a title; any other heading as it stands."""
    text = " ".join(text.split()).strip("_* ")
    letters = [c for c in text if c.isalpha()]
    if text != text.upper() or len(letters) < 2:
        return text
    return " ".join(_recase_word(word, n == 0) for n, word in enumerate(text.split(" ")))


def _recase_word(word: str, opens: bool) -> str:
    bare = word.strip("_*\"'“”‘’(),.:;!?-—[]")
    if roman(bare) is not None or (len(bare) > 1 and bare.count(".") >= 1 and len(bare) <= 5):
        return word
    if not opens and bare.lower() in _SMALL:
        return word.lower()
    out = []
    capital = True
    for c in word:
        out.append(c if capital else c.lower())
        capital = c in '-—–("“‘_' or (capital and not c.isalpha())
    return "".join(out)
