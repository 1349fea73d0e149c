"""Recognize the signs of notes and the page numbers in the markup of a page.

They are no words of the book: "water<sup>1</sup>" is the word "water".
"""

from __future__ import annotations

import re

from lxml import etree

from scholar_indexes.books.formats import style_sheets
from scholar_indexes.note_anchors import MARKS, RAISED

RAISED_BY_SHEET = "data-raised"
"""The attribute that marks the elements that style sheets raise; without a link, a sign of a note
among these is next to its word: the numbers of chapters may be raised too."""

EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"

_LONGEST = 16  # characters; a longer text is no sign
_NUMBER = rf"(?:\d{{1,4}}|[{RAISED}]{{1,4}})"
_SIGN = re.compile(
    rf"[\[({{]?\s*(?:(?:notes?|fn|n)\.?\s*)?(?:{_NUMBER}|{MARKS}|[a-z]|[ivxlc]{{1,6}})"
    r"\s*[\])}]?\.?",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    rf"\[\s*(?:{_NUMBER}|{MARKS}|[A-Za-z])\s*\]|\(\s*(?:{_NUMBER}|{MARKS})\s*\)"
)
_PLAIN = re.compile(rf"[\[(]?(?:{_NUMBER}|{MARKS})[\])]?")
_LIST = re.compile(
    rf"(?:{_NUMBER}|{MARKS})(?:(?:\s*[,;–-]\s*|\s+)(?:{_NUMBER}|{MARKS}|[a-z](?!\w)))*"
)
"""Several raised signs: "1,2", "3–5", "1, a", but not "1st"."""

FRACTION_BARS = ("/", "⁄")
_LETTER = re.compile(r"[a-z]")
_AFTER_WORD = re.compile(r"(?<![\w.])[a-z]{4,}$")  # not the start of an abbreviation, as in "wo^d"
_NOTE_FILE = re.compile(r"note|anm|(?<![a-z])(?:fn|en)(?![a-z])", re.IGNORECASE)
"""A part of the address of a file of notes: "notes.xhtml", "fn12.html"."""

_LONGEST_ADDRESS = 200
_BACK = re.compile(r"[^\w]*")

_REFERENCE_KINDS = frozenset({"noteref", "doc-noteref", "annoref"})
_BACK_KINDS = frozenset({"backlink", "doc-backlink", "referrer"})
_NOTE_KINDS = frozenset({"footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"})
_NOTE_CLASSES = frozenset({"sidenote", "side-note", "marginnote", "marginalia"})
_REFERENCE_NAME = re.compile(
    r"(?:foot|end)?note[-_]?(?:ref(?:erence)?|anchor|call|link|mark(?:er)?)|fn[-_]?(?:ref|anchor)"
    r"|[-_](?:ftn|edn)ref|(?:ftn|edn)[-_]?ref",
    re.IGNORECASE,
)
"""The names of classes and ids of references: footnote-ref, FNanchor_1_1, _ftnref1."""

_SUPERSCRIPT = frozenset({"sup", "super", "superscript", "supr"})
_POWER = re.compile(r"(?:^|[^\w'’])(?:[^\W\d_]|[ckm]m|mc|ft)$|\d$")
"""The end of a text whose next superscript is an exponent: "10", "x", "km"."""

_ION = re.compile(r"(?:^|[^\w'’])[A-Z][a-z]?\d{0,2}$")
"""The end of a text whose next raised plus is a charge: "Na", "NH4"."""

_YEAR = re.compile(r"\b1\d{3}$|\b20\d\d$")

_NUMBER_CLASSES = frozenset(
    {"pagenum", "pageno", "page-number", "pgnum", "page_number", "pagenumber"}
    | {"linenum", "linenumber", "line-number", "lineno"}
)
_BREAK_CLASSES = frozenset(
    {"pagebreak", "page-break", "page_break", "pb", "page", "pg", "folio", "ln"}
)
"""Classes of page and line numbers that other elements may have too: a heading after a page break,
a link to a page, a last name."""

_BREAK_KINDS = frozenset({"pagebreak", "doc-pagebreak"})
_INLINE = frozenset({"a", "b", "em", "i", "small", "span", "sub", "sup"})
_PAGE_NAME = re.compile(r"(?:page|pg|p)[-_.]?([\divxlc]{1,6})", re.IGNORECASE)
_PAGE_TEXT = re.compile(
    r"[\[({]?\s*(?:p(?:age|g)?\.?\s*)?([\divxlc]{1,6})\s*[\])}]?", re.IGNORECASE
)
_LONGEST_PAGE = 24  # characters; a longer text is a part of the book with a wrong mark


def kinds(element: etree._Element) -> set[str]:
    """Return the kinds of an element of an EPUB or a web page: its epub:type and its role."""
    named = element.get(EPUB_TYPE) or element.get("epub:type") or ""
    return {*named.lower().split(), *(element.get("role") or "").lower().split()}


def classes(element: etree._Element) -> set[str]:
    """Return the classes of an element in lower case."""
    return set((element.get("class") or "").lower().split())


def is_note_sign(element: etree._Element, before: str) -> bool:
    """Return True for the sign that refers to a note, or leads back from one.

    `before` is the text of the block up to the element; without it, a number is the label of a
    note or an entry of a list, which is kept.
    """
    if element.tag not in ("a", "sup", "span", "noteref", "small"):
        return False
    text = short_text(element, _LONGEST)
    if not text:
        return False
    if _BACK_KINDS & kinds(element):
        return _BACK.fullmatch(text) is not None
    if _is_reference(element):
        return _SIGN.fullmatch(text) is not None
    if _is_superscript(element):
        is_far = element.get(RAISED_BY_SHEET) is not None and before[-1:].isspace()
        if is_far and not _has_link(element):
            return False
        return _is_superscript_sign(element, text, before)
    return element.tag == "a" and _is_linked_sign(element, text, before)


def is_note(element: etree._Element) -> bool:
    """Return True for the text of a footnote or a sidenote."""
    return bool(_NOTE_KINDS & kinds(element) or _NOTE_CLASSES & classes(element))


def is_page_number(element: etree._Element) -> bool:
    """Return True for the number of a printed page or line."""
    if element.tag == "pagenum":
        return True
    if _NUMBER_CLASSES & classes(element) or _BREAK_KINDS & kinds(element):
        return short_text(element, _LONGEST_PAGE) is not None
    is_break = _is_break(element)
    name = _PAGE_NAME.fullmatch(element.get("id") or element.get("name") or "")
    if not (is_break or name):
        return False
    number = _PAGE_TEXT.fullmatch(short_text(element, _LONGEST_PAGE) or "")
    if number is None:
        return False
    return _is_named(name, number[1]) or (is_break and number[0] != "I")  # the pronoun


def _is_break(element: etree._Element) -> bool:
    """Return True for an element with the class of a page break that is no link."""
    is_inline = element.tag in _INLINE and not element.get("href")
    return is_inline and bool(_BREAK_CLASSES & classes(element))


def _is_named(name: re.Match[str] | None, number: str) -> bool:
    """Return True if the name of an element has the number that is its text."""
    return name is not None and name[1].lower() == number.lower()


def short_text(element: etree._Element, longest: int) -> str | None:
    """Return the text of an element without white space around it, None if it is longer."""
    text = ""
    for piece in element.itertext():
        text = (text + piece).lstrip()
        if len(text.rstrip()) > longest:
            return None
    return text.strip()


def _is_reference(element: etree._Element) -> bool:
    if element.tag == "noteref" or _REFERENCE_KINDS & kinds(element):
        return True
    names = [*classes(element), element.get("id") or "", element.get("name") or ""]
    return element.tag == "a" and any(map(_REFERENCE_NAME.match, names))


def _is_superscript(element: etree._Element) -> bool:
    if element.tag == "sup" or _SUPERSCRIPT & classes(element):
        return True
    if element.get(RAISED_BY_SHEET) is not None:
        return True
    if style_sheets.RAISING.search((element.get("style") or "")[:500]):
        return True
    children = list(element)
    return (
        element.tag == "a"
        and len(children) == 1
        and not (element.text or "").strip()
        and not (children[0].tail or "").strip()
        and _is_superscript(children[0])
    )


def _is_superscript_sign(element: etree._Element, text: str, before: str) -> bool:
    """Return True for a raised sign of a note: no exponent, and not the end of "M^r" or "1st"."""
    before = before.rstrip()
    if not before:
        return False
    is_link = _has_link(element)
    if not is_link and (element.tail or "")[:1] in FRACTION_BARS:
        return False
    if _LETTER.fullmatch(text):
        return is_link or (text in "abc" and _AFTER_WORD.search(before) is not None)
    if not is_link and _may_be_exponent(text, before):
        return before.endswith((" I", " a")) or before in ("I", "a")
    return any(form.fullmatch(text) for form in (_PLAIN, _BRACKETED, _LIST))


def _has_link(element: etree._Element) -> bool:
    """Return True for a link, and for an element with one inside."""
    return element.tag == "a" or element.find(".//a") is not None


def _may_be_exponent(text: str, before: str) -> bool:
    """Return True for a number after a letter or a number that is not a year, and for a charge."""
    if text[:1] == "+":
        return _ION.search(before) is not None or _POWER.search(before) is not None
    is_after_base = _POWER.search(before) is not None and not _YEAR.search(before)
    return is_after_base and text[:1].isdigit()


def _is_linked_sign(element: etree._Element, text: str, before: str) -> bool:
    """Return True for a sign without a mark: in brackets, or a number next to the word."""
    address = element.get("href") or ""
    if not address or not before.strip():
        return False
    if "#" in address and _BRACKETED.fullmatch(text):
        return True
    if "#" not in address and not _NOTE_FILE.search(address[-_LONGEST_ADDRESS:]):
        return False  # "Psalm 23:4"
    return not before[-1].isspace() and before[-1] not in "-–—([/" and bool(_PLAIN.fullmatch(text))
