"""From a title or an abstract as services and files have it to text that a person reads.

    raw -> tags -> entities -> LaTeX -> plain text

Everything here takes time linear in the text and never raises.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from scholar_indexes.books.decoding import plain
from scholar_indexes.papers import latex

MAX_CHARS = 200_000
"""What follows in a longer text is left out: no abstract is a fifth of a novel."""

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


def text(raw: str, tex: bool | None = None) -> str:
    """One line without markup: tags, entities and LaTeX as a reader would see them.

    tex says whether the text is LaTeX for certain (as in BibTeX) or not at all; None
    is for sources that mix, where LaTeX is what looks like it. An angle bracket that
    begins no known tag ("p < 0.05") stays.

    >>> text("<i>p</i> &lt; 0.05 and O($n^2$)")
    'p < 0.05 and O(n²)'
    """
    if len(raw) < 1_000 and not _SPECIAL.search(raw):
        return " ".join(raw.split())
    return " ".join(_unmarked(raw, tex).split())


def lines(raw: str, tex: bool | None = None) -> tuple[str, ...]:
    """The same, one string for each line or block ("<p>", "<title>") that has text."""
    found = (" ".join(line.split()) for line in _unmarked(raw, tex).split("\n"))
    return tuple(line for line in found if line)


def _unmarked(raw: str, tex: bool | None) -> str:
    result = plain(raw[:MAX_CHARS])
    if "<" in result:
        result = _without_tags(result)
    if "&" in result:
        result = _NESTED_AMPERSANDS.sub("&", result)
        result = plain(_ENTITY.sub(lambda found: html.unescape(found[0]), result))
        if "<" in result:  # markup that was escaped as a whole
            result = _without_tags(result)
    if tex or (tex is None and latex.looks_like_latex(result)):
        result = plain(latex.to_text(result))
    return _composed(result)


def _composed(text: str) -> str:
    """Letters and their accents as one character; of a tower of accents, the first eight."""
    if text.isascii():
        return text
    kept: list[str] = []
    height = 0
    for c in text:  # normalising takes the square of a tower's height in time
        height = height + 1 if unicodedata.combining(c) else 0
        if height <= _MAX_ACCENTS:
            kept.append(c)
    return unicodedata.normalize("NFC", "".join(kept))


def _without_tags(marked: str) -> str:
    """A text without the tags of HTML, JATS and MathML."""
    marked = _SCRIPT.sub(_script, _CDATA.sub("", marked))
    dropped = _DROPPED | {"math"} if "tex-math" in marked else _DROPPED  # two ways to say one
    return "".join(_outside(marked, dropped))


def _outside(marked: str, dropped: frozenset[str]) -> Iterator[str]:
    """What is between the tags, with a line feed for each that parts blocks."""
    unclosed: set[str] = set()
    position = 0
    while found := _TAG.search(marked, position):
        yield marked[position : found.start()]
        position = found.end()
        if found[2] is None:  # a comment or a declaration
            continue
        name, tail = found[2].lower().rpartition(":")[2], found[3].strip()
        if tail not in ("", "/") and "=" not in tail:  # "a <b and c> d" is no markup
            yield found[0]
        elif name in dropped:
            close = f"</{found[2]}"
            if found[1] or tail.endswith("/") or close in unclosed:
                continue
            end = marked.find(close, position)
            if end < 0:
                unclosed.add(close)
            else:
                position = end
        elif name in _BLOCKS:
            yield "\n"
        elif name not in _INLINE:
            yield found[0]
    yield marked[position:]


def _script(found: re.Match[str]) -> str:
    inside = found[2]
    if inside.strip().lower() in _ORDINAL:
        return inside
    if found[1].lower() == "sup":
        return latex.raised(inside)
    small = latex.lowered(inside)
    return small if not small.startswith("_") else inside
