"""Convert LaTeX in titles and abstracts to readable Unicode.

The symbols come from pylatexenc. Its parser is not used: it recurses, reads the "% better" of "5%
better" as a comment, and takes milliseconds per abstract. Titles and abstracts define no macros, so
one pass over the tokens is enough; nothing is ever executed, and no file is read.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache

MAX_DEPTH = 64
"""Deeper braces are ignored: their text belongs to the innermost group."""

_TEX = re.compile(r"\\[A-Za-z\"'`^~=.(){}%$&#_\[\]]|\$[^$]+\$|``")
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]+)\*?|\\(?P<sign>.)|(?P<mark>[{}$^_~])|(?P<ligature>---?|``|''|`)"
    r"|(?P<text>[^\\{}$^_~`'-]+|.)",
    re.DOTALL,
)
_BLANKS = re.compile(r"\s*")
_MAX_OPTION_CHARS = 200

_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
    "not": "\u0338",
    "grave": "\u0300",
    "acute": "\u0301",
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "bar": "\u0304",
    "breve": "\u0306",
    "dot": "\u0307",
    "ddot": "\u0308",
    "check": "\u030c",
    "vec": "\u20d7",
}
_OWN_SYMBOLS = {
    "textbraceleft": "{",
    "textbraceright": "}",
    "lbrace": "{",
    "rbrace": "}",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textasciigrave": "`",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textunderscore": "_",
    "textdollar": "$",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "BibTeX": "BibTeX",
    "sim": "~",
    "cdot": "·",
    "ast": "*",
    "percent": "%",
    "newline": " ",
    "item": " ",
    "par": " ",
    "quad": " ",
    "qquad": " ",
    "mid": "|",
    "vert": "|",
    "Vert": "‖",
    "lvert": "|",
    "rvert": "|",
    "colon": ":",
    "prime": "′",
    "setminus": "∖",
    "star": "*",
    "dag": "†",
    "S": "§",
    "P": "¶",
    "slash": "/",
}
_SIGNS = {
    ",": " ",
    ";": " ",
    ":": " ",
    ">": " ",
    " ": " ",
    "\n": " ",
    "\t": " ",
    "\\": " ",
    "!": "",
    "/": "",
    "-": "",
    "@": "",
    "|": "‖",
}
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
_ARGUMENT_COMMANDS = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "nicefrac", "sfrac"), "over"),
    "sqrt": "root",
    "textsuperscript": "raise",
    "textsubscript": "lower",
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
    """Return True if a text contains a LaTeX command, maths or quotation mark."""
    return _TEX.search(text) is not None


def superscript(text: str) -> str:
    """Return a superscript: raised digits where Unicode has them, else ^ and the text.

    >>> raised("-3"), raised("n"), raised("n-1")
    ('⁻³', '^n', '^(n-1)')
    """
    if text and all(c in _RAISED for c in text):
        return "".join(_RAISED[c] for c in text)
    return f"^{_bracketed(text)}" if text else ""


def subscript(text: str) -> str:
    """Return a subscript: lowered digits where Unicode has them, else _ and the text."""
    if text and all(c in _LOWERED for c in text):
        return "".join(_LOWERED[c] for c in text)
    return f"_{_bracketed(text)}" if text else ""


@dataclass(slots=True)
class _Group:
    """A group in braces: the text read so far, and the commands that wait for an argument."""

    parts: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)

    def append(self, atom: str, is_group: bool = False) -> None:
        """Append an atom, as the argument of the waiting commands; a group may be dropped."""
        while self.waiting:
            command = self.waiting.pop()
            if command == "drop":
                if is_group:
                    return
            elif command == "over":
                self.parts.append(f"{_bracketed(atom)}/")
                self.waiting.append("under")
                return
            else:
                atom = _apply(command, atom)
        self.parts.append(atom)

    def last_char(self) -> str:
        """Return the last character, empty at the beginning."""
        return self.parts[-1][-1:] if self.parts else ""


def to_text(source: str) -> str:
    """Return LaTeX as the text that a reader would see, in linear time; never raises.

    Dollar signs enclose maths only in pairs that look like it, so that prices survive; a percent
    sign is literal, as in BibTeX. An unknown command gives its argument, or without one its
    name.
    """
    return _Converter(source).convert()


class _Converter:
    """One pass over the tokens of a LaTeX source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._position = 0
        self._groups = [_Group()]
        self._unopened = 0  # braces open beyond MAX_DEPTH
        self._in_maths = False
        self._dollars = _find_maths_dollars(source)
        self._symbols = _symbols()

    def convert(self) -> str:
        """Return the text of the whole source."""
        handlers = {
            "word": self._read_command,
            "sign": self._read_sign,
            "mark": self._read_mark,
            "ligature": self._read_ligature,
            "text": self._read_text,
        }
        while self._position < len(self._source):
            token = _TOKEN.match(self._source, self._position)
            if token is None:  # a backslash at the very end
                break
            self._position = token.end()
            handlers[token.lastgroup or "text"](token)
        while len(self._groups) > 1:  # braces that are never closed
            self._close_group()
        return "".join(self._groups[0].parts)

    @property
    def _group(self) -> _Group:
        return self._groups[-1]

    def _close_group(self) -> None:
        group = self._groups.pop()
        self._group.append("".join(group.parts), is_group=True)

    def _read_sign(self, token: re.Match[str]) -> None:
        sign = token["sign"]
        if sign in "()[]":
            self._in_maths = sign in "(["
        elif sign in _ACCENTS:
            self._group.waiting.append(_ACCENTS[sign])
        else:
            self._group.append(_SIGNS.get(sign, sign))

    def _read_mark(self, token: re.Match[str]) -> None:
        mark = token["mark"]
        if mark in "{}":
            self._read_brace(mark)
        elif mark == "$" and token.start() in self._dollars:
            self._in_maths = self._dollars[token.start()]
        elif mark in "^_" and self._in_maths:
            self._group.waiting.append("raise" if mark == "^" else "lower")
        elif mark == "~":
            self._read_tie()
        else:
            self._group.append(mark)

    def _read_brace(self, brace: str) -> None:
        if brace == "{":
            if len(self._groups) > MAX_DEPTH:
                self._unopened += 1
            else:
                self._groups.append(_Group())
        elif self._unopened:
            self._unopened -= 1
        elif len(self._groups) > 1:
            self._close_group()

    def _read_tie(self) -> None:
        """Read ~ as a space between two words, and as itself elsewhere."""
        following = self._source[self._position : self._position + 1]
        before = self._group.last_char()
        follows_word = before.isalnum() or (before != "" and before in ".,;:)]")
        is_tie = following != "" and not following.isspace() and follows_word
        self._group.append(" " if is_tie else "~")

    def _read_ligature(self, token: re.Match[str]) -> None:
        ligature = token["ligature"]
        self._group.append(ligature if self._in_maths else _LIGATURES[ligature])

    def _read_text(self, token: re.Match[str]) -> None:
        """Read ordinary characters; a waiting command takes the first one."""
        text, group = token["text"], self._group
        if not group.waiting:
            group.append(text)
            return
        argument = text.lstrip()
        if not argument:
            return
        start = token.end() - len(argument)
        if argument[0] == "[":  # \cite[p.~3]{x}, \sqrt[3]{x}
            close = self._source.find("]", start, start + _MAX_OPTION_CHARS)
            if close >= 0:
                self._position = close + 1
                return
        group.append(argument[0])
        self._position = start + 1

    def _read_command(self, token: re.Match[str]) -> None:
        """Read a \\word: as a symbol, a command with arguments, or an unknown name."""
        word = token["word"]
        after_blanks = _BLANKS.match(self._source, self._position).end()  # type: ignore[union-attr]
        following = self._source[after_blanks : after_blanks + 1]
        if word in self._symbols:
            self._read_symbol(self._symbols[word], after_blanks)
        elif word in _ARGUMENTS_DROPPED:
            if following in ("{", "["):
                self._group.waiting.extend(["drop"] * _ARGUMENTS_DROPPED[word])
                self._position = after_blanks
        elif word in _ACCENTS or word in _ARGUMENT_COMMANDS:
            self._group.waiting.append(_ACCENTS.get(word) or _ARGUMENT_COMMANDS[word])
            self._position = after_blanks
        elif word in _SILENT or following == "{":
            self._position = after_blanks
        else:
            self._group.append(word)

    def _read_symbol(self, symbol: str, after_blanks: int) -> None:
        """Append a symbol; blanks after it belong to the command, as in TeX, if the symbol
        is a letter of a word (Stra\\ss e) or an operator without a blank before it in maths."""
        before = self._group.last_char()
        if not self._in_maths:
            self._group.append(symbol)
            if symbol.isalpha() and symbol < "\u0370":
                self._position = after_blanks
        elif symbol.isalpha():
            is_name = symbol.isascii() and len(symbol) > 1
            self._group.append(f" {symbol}" if is_name and before.isalnum() else symbol)  # n\log n
        else:
            self._group.append(symbol)
            if not before.isspace():  # "a\leq b" is a≤b
                self._position = after_blanks


def _apply(command: str, atom: str) -> str:
    """Return an atom as the argument of a waiting command or combining accent."""
    match command:
        case "raise":
            return superscript(atom)
        case "lower":
            return subscript(atom)
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


def _find_maths_dollars(source: str) -> dict[int, bool]:
    """Return the positions of dollar signs that enclose maths, with True where maths begins."""
    if "$" not in source:
        return {}
    places = [
        token.start()
        for token in re.finditer(r"\\.|\$", source, re.DOTALL)
        if source[token.start()] == "$"
    ]
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
    """Return True if dollars around a text mark maths, by the rule of Pandoc's tex_math_dollars."""
    if any(sign in inside for sign in "\\^_"):
        return bool(inside.strip())
    return bool(inside) and inside == inside.strip() and not after.isdigit()


@cache
def _symbols() -> dict[str, str]:
    """Return the characters for every command that stands for characters and takes no argument."""
    from pylatexenc.latex2text import get_default_latex_context_db  # slow to load

    symbols: dict[str, str] = {}
    for spec in get_default_latex_context_db().iter_macro_specs():
        value = spec.simplify_repl
        if isinstance(value, str) and "%" not in value and spec.macroname.isalpha():
            symbols.setdefault(spec.macroname, value)
    for name in (*_ACCENTS, *_ARGUMENTS_DROPPED, *_SILENT):
        symbols.pop(name, None)
    return symbols | _OWN_SYMBOLS
