"""From LaTeX to readable Unicode, for titles and abstracts.

The symbols are those of pylatexenc. Its parser is not used: it recurses, takes "5% better" for
a comment, and needs milliseconds for an abstract. A title or an abstract is no program, so
here one pass over the tokens is enough; nothing is ever read, run or defined.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache

MAX_DEPTH = 64
"""Braces nested deeper than this are taken for text of the innermost group."""

_TEX = re.compile(r"\\[A-Za-z\"'`^~=.(){}%$&#_\[\]]|\$[^$]+\$|``")
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]+)\*?|\\(?P<sign>.)|(?P<mark>[{}$^_~])|(?P<ligature>---?|``|''|`)"
    r"|(?P<text>[^\\{}$^_~`'-]+|.)",
    re.DOTALL,
)
_BLANKS = re.compile(r"\s*")
_MAX_OPTION_CHARS = 200

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306",
    ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323",
    "c": "\u0327", "k": "\u0328", "b": "\u0331", "not": "\u0338",
    "grave": "\u0300", "acute": "\u0301", "hat": "\u0302", "widehat": "\u0302",
    "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0304", "breve": "\u0306",
    "dot": "\u0307", "ddot": "\u0308", "check": "\u030c", "vec": "\u20d7",
}  # fmt: skip
_OWN_SYMBOLS = {
    "textbraceleft": "{", "textbraceright": "}", "lbrace": "{", "rbrace": "}",
    "textasciicircum": "^", "textasciitilde": "~", "textasciigrave": "`", "textbar": "|",
    "textless": "<", "textgreater": ">", "textunderscore": "_", "textdollar": "$",
    "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "sim": "~", "cdot": "·", "ast": "*",
    "percent": "%", "newline": " ", "item": " ", "par": " ", "quad": " ", "qquad": " ",
    "mid": "|", "vert": "|", "Vert": "‖", "lvert": "|", "rvert": "|", "colon": ":",
    "prime": "′", "setminus": "∖", "star": "*", "dag": "†", "S": "§", "P": "¶", "slash": "/",
}  # fmt: skip
_SIGNS = {
    ",": " ", ";": " ", ":": " ", ">": " ", " ": " ", "\n": " ", "\t": " ", "\\": " ",
    "!": "", "/": "", "-": "", "@": "", "|": "‖",
}  # fmt: skip
_ARGUMENTS_DROPPED = {
    **dict.fromkeys(
        "cite citep citet citealp citealt citeauthor citeyear parencite textcite autocite nocite "
        "ref eqref autoref cref Cref pageref label vspace hspace footnote footnotetext "
        "footnotemark input include includegraphics begin end usepackage documentclass "
        "bibliography bibliographystyle color textcolor colorbox href hyperref pagestyle "
        "selectlanguage foreignlanguage thanks index InputIfFileExists openin openout read write "
        "verbatiminput lstinputlisting".split(),
        1,
    ),
    **dict.fromkeys("setlength addtolength setcounter newcommand renewcommand".split(), 2),
}
_SILENT = frozenset(
    "em it bf rm sc sf sl tt tiny scriptsize footnotesize small normalsize large Large LARGE huge "
    "Huge normalfont bfseries itshape scshape upshape slshape ttfamily sffamily rmfamily mdseries "
    "noindent protect left right middle big Big bigg Bigg bigl bigr Bigl Bigr displaystyle "
    "textstyle scriptstyle limits nolimits centering relax xspace maketitle hfill linebreak "
    "nobreak allowbreak newblock boldmath nonumber hline hskip vskip def let csname endcsname "
    "ensuremath text mathrm cal frenchspacing sloppy today".split()
)
_RAISED = dict(zip("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾", strict=True))
_LOWERED = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))
_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘"}
_DOTLESS = {"ı": "i", "ȷ": "j"}


def looks_like_latex(text: str) -> bool:
    """Whether a text of unknown kind has a LaTeX command, maths or quotation mark in it."""
    return _TEX.search(text) is not None


def raised(text: str) -> str:
    """A superscript: raised digits where Unicode has them, else ^ and the text.

    >>> raised("-3"), raised("n"), raised("n-1")
    ('⁻³', '^n', '^(n-1)')
    """
    if text and all(c in _RAISED for c in text):
        return "".join(_RAISED[c] for c in text)
    return f"^{_bracketed(text)}" if text else ""


def lowered(text: str) -> str:
    """A subscript: lowered digits where Unicode has them, else _ and the text."""
    if text and all(c in _LOWERED for c in text):
        return "".join(_LOWERED[c] for c in text)
    return f"_{_bracketed(text)}" if text else ""


@dataclass(slots=True)
class _Group:
    """What stands between two braces: what is read of it, and who waits for its next atom."""

    parts: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)

    def put(self, atom: str, whole: bool = False) -> None:
        """Append an atom; whole says that it is a group, and so an argument of any command."""
        while self.waiting:
            command = self.waiting.pop()
            if command == "drop":
                if whole:
                    return
            elif command == "over":
                self.parts.append(f"{_bracketed(atom)}/")
                self.waiting.append("under")
                return
            else:
                atom = _apply(command, atom)
        self.parts.append(atom)

    def last(self) -> str:
        return self.parts[-1][-1:] if self.parts else ""


def to_text(source: str) -> str:
    """What a reader would see, on one pass in linear time; never raises.

    Dollars enclose maths only in pairs that look like it, so that prices survive; a
    percent sign is one, as in BibTeX. An unknown command with an argument is that
    argument, and one without is its name.
    """
    symbols = _symbols()
    dollars = _dollars(source)
    groups = [_Group()]
    excess = 0  # braces open beyond MAX_DEPTH
    maths = False
    position = 0
    while position < len(source):
        token = _TOKEN.match(source, position)
        if token is None:  # a backslash at the very end
            break
        position = token.end()
        group = groups[-1]
        match token.lastgroup:
            case "word":
                word = token["word"]
                position = _command(word, source, position, group, maths, symbols)
            case "sign":
                sign = token["sign"]
                if sign in "()[]":
                    maths = sign in "(["
                elif sign in _ACCENTS:
                    group.waiting.append(_ACCENTS[sign])
                else:
                    group.put(_SIGNS.get(sign, sign))
            case "mark":
                mark = token["mark"]
                if mark == "{":
                    if len(groups) > MAX_DEPTH:
                        excess += 1
                    else:
                        groups.append(_Group())
                elif mark == "}":
                    if excess:
                        excess -= 1
                    elif len(groups) > 1:
                        groups.pop()
                        groups[-1].put("".join(group.parts), whole=True)
                elif mark == "$" and token.start() in dollars:
                    maths = dollars[token.start()]
                elif mark in "^_" and maths:
                    group.waiting.append("raise" if mark == "^" else "lower")
                elif mark == "~":
                    tied = position < len(source) and not source[position].isspace()
                    joins = group.last().isalnum() or group.last() in list(".,;:)]")
                    group.put(" " if tied and joins else "~")
                else:
                    group.put(mark)
            case "ligature":
                ligature = token["ligature"]
                group.put(ligature if maths else _LIGATURES[ligature])
            case _:
                position = _plain(token["text"], source, token.start(), group)
    while len(groups) > 1:  # braces that are never closed
        inner = groups.pop()
        groups[-1].put("".join(inner.parts), whole=True)
    return "".join(groups[0].parts)


def _command(
    word: str, source: str, position: int, group: _Group, maths: bool, symbols: dict[str, str]
) -> int:
    """Take a \\word; returns where to read on."""
    after = _BLANKS.match(source, position).end()  # type: ignore[union-attr]  # matches anything
    following = source[after : after + 1]
    if word in symbols:
        value, before = symbols[word], group.last()
        if not maths:
            group.put(value)
            return after if value.isalpha() and value < "\u0370" else position  # Stra\ss e
        if value.isalpha():
            name = value.isascii() and len(value) > 1
            group.put(f" {value}" if name and before.isalnum() else value)  # n\log n
            return position
        group.put(value)
        return position if before.isspace() else after  # "a\leq b" is a≤b
    if word in _ACCENTS:
        group.waiting.append(_ACCENTS[word])
        return after
    if word in _ARGUMENTS_DROPPED:
        if following in ("{", "["):
            group.waiting.extend(["drop"] * _ARGUMENTS_DROPPED[word])
            return after
        return position
    if word in ("frac", "dfrac", "tfrac", "nicefrac", "sfrac"):
        group.waiting.append("over")
        return after
    if word in ("sqrt", "textsuperscript", "textsubscript"):
        group.waiting.append({"sqrt": "root", "textsuperscript": "raise"}.get(word, "lower"))
        return after
    if word in _SILENT or following == "{":
        return after
    group.put(word)
    return position


def _plain(text: str, source: str, start: int, group: _Group) -> int:
    """Take a stretch of ordinary characters; returns where to read on."""
    if not group.waiting:
        group.put(text)
        return start + len(text)
    inner = text.lstrip()
    if not inner:
        return start + len(text)
    begin = start + len(text) - len(inner)
    if inner[0] == "[":  # \cite[p.~3]{x}, \sqrt[3]{x}
        close = source.find("]", begin, begin + _MAX_OPTION_CHARS)
        if close >= 0:
            return close + 1
    group.put(inner[0])
    return begin + 1


def _apply(command: str, atom: str) -> str:
    match command:
        case "raise":
            return raised(atom)
        case "lower":
            return lowered(atom)
        case "root":
            return f"√{_bracketed(atom)}"
        case "under":
            return _bracketed(atom)
    if not atom or atom[0].isspace():
        return atom
    first = _DOTLESS.get(atom[0], atom[0])
    return unicodedata.normalize("NFC", first + command) + atom[1:]


def _bracketed(text: str) -> str:
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _dollars(source: str) -> dict[int, bool]:
    """The dollars that enclose maths: where they stand, and whether maths begins there."""
    if "$" not in source:
        return {}
    places = [found.start() for found in re.finditer(r"\\.|\$", source, re.DOTALL)
              if source[found.start()] == "$"]  # fmt: skip
    marks: dict[int, bool] = {}
    runs: list[tuple[int, int]] = []  # "$$" is one mark
    for place in places:
        if runs and place == runs[-1][1] and runs[-1][1] - runs[-1][0] == 1:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    at = 0
    while at + 1 < len(runs):
        (start, open_end), (close, end) = runs[at], runs[at + 1]
        if _is_maths(source[open_end:close], source[end : end + 1]):
            marks.update(dict.fromkeys(range(start, open_end), True))
            marks.update(dict.fromkeys(range(close, end), False))
            at += 2
        else:
            at += 1
    return marks


def _is_maths(inside: str, after: str) -> bool:
    """Whether dollars around a text are maths (the rule of Pandoc's tex_math_dollars)."""
    if any(sign in inside for sign in "\\^_"):
        return bool(inside.strip())
    return bool(inside) and inside == inside.strip() and not after.isdigit()


@cache
def _symbols() -> dict[str, str]:
    """Every command that stands for characters and takes no argument."""
    from pylatexenc.latex2text import get_default_latex_context_db  # slow to load

    found: dict[str, str] = {}
    for spec in get_default_latex_context_db().iter_macro_specs():
        value = spec.simplify_repl
        if isinstance(value, str) and "%" not in value and spec.macroname.isalpha():
            found.setdefault(spec.macroname, value)
    for name in (*_ACCENTS, *_ARGUMENTS_DROPPED, *_SILENT):
        found.pop(name, None)
    return found | _OWN_SYMBOLS
