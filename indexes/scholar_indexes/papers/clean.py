"""Convert a title or an abstract with markup to plain text.

    raw -> tags -> entities -> LaTeX -> plain text

Everything here takes time linear in the text and never raises.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from scholar_indexes.decoding import plain
from scholar_indexes.papers import latex

MAX_CHARS = 200_000
"""Longer texts are cut; no abstract is as long as this."""

_MAX_ACCENTS = 8
_SPECIAL = re.compile(r"[<&\\$`{}~'\-\x00-\x1f\x7f-\xa0\xad\u0300-\U0010ffff]")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]{0,31})([^<>]*)>|<!(?:--[^<>]*--|\[CDATA\[|[^<>]*)>")
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_SCRIPT = re.compile(
    r"<(?:\w{1,10}:)?(su[bp]|inf)>([^<>]{1,30})</(?:\w{1,10}:)?(?:su[bp]|inf)>", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_NESTED_AMPERSANDS = re.compile(r"&(?:amp;)+")
_ORDINAL = frozenset(["st", "nd", "rd", "th", "®", "™", "*", "†", "‡"])

_DROPPED = frozenset(["script", "style", "annotation", "annotation-xml", "graphic"])
_BLOCKS = frozenset(
    "abstract address article blockquote br caption center dd disp-formula div dl dt h1 h2 h3 h4 "
    "h5 h6 hr li list list-item ol p pre sec section table tbody td th thead title tr ul "
    "abstracttext body html head".split()
)
_INLINE = frozenset(
    "a abbr alternatives b big bold cite code del dfn em ext-link fn font i img inf "
    "inline-formula inline-graphic ins inter-ref italic kbd label label1 list-label mark math "
    "mfenced mfrac mi mn mo monospace mover mpadded mphantom mroot mrow ms mspace msqrt mstyle "
    "msub msubsup msup mtable mtd mtext mtr munder munderover named-content overline q roman s "
    "samp sans-serif sc scp semantics small span strike strong styled-content sub sup tex-math tt "
    "u underline var xref xml".split()
)


def plain_text(value: object) -> str:
    """Return a string or a number as one line of text, empty for other values."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, int) and abs(value) > 10**18:
        return ""
    return to_text(str(value), tex=False)


def to_text(raw: str, tex: bool | None = None) -> str:
    """Return one line without markup: tags, entities and LaTeX are rendered.

    tex is True if the text is LaTeX (as in BibTeX) and False if it is not; None is for
    mixed sources, where text that looks like LaTeX is treated as LaTeX. An angle bracket
    that begins no known tag ("p < 0.05") is kept.

    >>> to_text("<i>p</i> &lt; 0.05 and O($n^2$)")
    'p < 0.05 and O(n²)'
    """
    if len(raw) < 1_000 and not _SPECIAL.search(raw):
        return " ".join(raw.split())
    return " ".join(_remove_markup(raw, tex).split())


def to_lines(raw: str, tex: bool | None = None) -> tuple[str, ...]:
    """Return the plain text of each line or block ("<p>", "<title>") that has text."""
    lines = (" ".join(line.split()) for line in _remove_markup(raw, tex).split("\n"))
    return tuple(line for line in lines if line)


def _remove_markup(raw: str, tex: bool | None) -> str:
    result = plain(raw[:MAX_CHARS])
    if "<" in result:
        result = _remove_tags(result)
    if "&" in result:
        result = _NESTED_AMPERSANDS.sub("&", result)
        result = plain(_ENTITY.sub(lambda match: html.unescape(match[0]), result))
        if "<" in result:  # markup that was escaped as a whole
            result = _remove_tags(result)
    if tex or (tex is None and latex.looks_like_latex(result)):
        result = plain(latex.to_text(result))
    return _compose(result)


def _compose(text: str) -> str:
    """Return the text in NFC, with at most eight accents on a letter."""
    if text.isascii():
        return text
    chars: list[str] = []
    height = 0
    for c in text:  # NFC takes quadratic time in the accents of a letter
        height = height + 1 if unicodedata.combining(c) else 0
        if height <= _MAX_ACCENTS:
            chars.append(c)
    return unicodedata.normalize("NFC", "".join(chars))


def _remove_tags(marked: str) -> str:
    """Return a text without the tags of HTML, JATS and MathML."""
    marked = _SCRIPT.sub(_script, _CDATA.sub("", marked))
    dropped = _DROPPED | {"math"} if "tex-math" in marked else _DROPPED  # same formula twice
    return "".join(_text_outside_tags(marked, dropped))


def _text_outside_tags(marked: str, dropped: frozenset[str]) -> Iterator[str]:
    """Yield the text between tags, with a line feed for each tag of a block."""
    unclosed: set[str] = set()
    position = 0
    while tag := _TAG.search(marked, position):
        yield marked[position : tag.start()]
        position = tag.end()
        if tag[2] is None:  # a comment or a declaration
            continue
        name, tail = tag[2].lower().rpartition(":")[2], tag[3].strip()
        if tail not in ("", "/") and "=" not in tail:  # "a <b and c> d" is not markup
            yield tag[0]
        elif name in dropped:
            close = f"</{tag[2]}"
            if tag[1] or tail.endswith("/") or close in unclosed:
                continue
            end = marked.find(close, position)
            if end < 0:
                # Not searched for again: many unclosed tags would take quadratic time.
                unclosed.add(close)
            else:
                position = end
        elif name in _BLOCKS:
            yield "\n"
        elif name not in _INLINE:
            yield tag[0]
    yield marked[position:]


def _script(match: re.Match[str]) -> str:
    inside = match[2]
    if inside.strip().lower() in _ORDINAL:
        return inside
    if match[1].lower() == "sup":
        return latex.superscript(inside)
    small = latex.subscript(inside)
    return small if not small.startswith("_") else inside
