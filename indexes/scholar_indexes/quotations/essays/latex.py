"""Read LaTeX: its paragraphs without commands, with quoting environments and commands marked.

This is a token scanner, not a parser: a document that does not compile is read as far as possible.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from scholar_indexes import stopping
from scholar_indexes.quotations.essays import latex_source
from scholar_indexes.quotations.essays.character_tables import by_arguments, pairs
from scholar_indexes.quotations.essays.latex_source import NO_MACROS, Macros
from scholar_indexes.quotations.essays.stretches import Stretch, StretchBuilder, raised
from scholar_indexes.quotations.essays.word import QUOTE_STYLE

_TOKEN = re.compile(
    # after a comment, an empty line still ends the paragraph
    r"(?P<comment>%[^\n]*(?:\n[ \t]*(?!\n))?)"
    r"|\\(?P<edge>begin|end)\s*\{(?P<environment>[^{}\n]*)\}"
    r"|\\(?P<accent>[`'^\"~=.]|[cvuHrkdb](?![a-zA-Z]))\s*\{?\\?(?P<letter>[a-zA-Z])\}?"
    r"|\\textsuperscript\s*\{(?P<raised>\d{1,4})\}"
    r"|\\(?P<command>[a-zA-Z]+)\*?[ \t]*"
    r"|(?P<line>\\\\[*!>]?(?:\[-?[\d.]{1,9}\s?(?:pt|em|ex|cm|mm|in|\\[a-zA-Z]{1,30})\])?)"
    r"|(?P<math>\$\$.*?\$\$|\$[^$\n]*\$|\\\(.{0,2000}?\\\)|\\\[.{0,2000}?\\\])"
    r"|(?P<escaped>\\[^a-zA-Z])"
    r"|(?P<break>\n[ \t]*(?:\n[ \t]*)+)"
    r"|(?P<open>\{)|(?P<close>\})"
    r"|(?P<mark>``|''|`|---|--|~|\"[`'<>]|,,(?=\w)|<<|>>|\"[-=](?=[^\W\d_])|&)"
    r"|(?P<text>[^\\%$\n{}`'~\"&<>,-]+|.|\n)",
    re.DOTALL,
)
_MARKS = {
    **pairs(
        """
        `` “   '' ”   ` ‘   --- —   -- –   "` „   "' “   "< «   "> »   ,, „   << «   >> »   "= -
        """
    ),
    '"-': "",
    "~": " ",
    "&": " ",
}
_ESCAPED = {
    **dict.fromkeys(("\\-", "\\/", "\\!", "\\@"), ""),
    **dict.fromkeys(("\\,", "\\;", "\\:", "\\\n"), " "),
}
_ACCENTS = dict(
    zip(
        "`'^~=.\"cvuHrkdb",
        "\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u0327\u030c\u0306\u030b\u030a\u0328\u0323\u0331",
        strict=True,
    )
)
"""The combining characters of the commands for accents."""

_LETTERS = {
    **pairs(
        """
        ldots … dots … textellipsis … elide … textemdash — textendash –
        ae æ oe œ AE Æ OE Œ ss ß o ø l ł aa å AA Å O Ø L Ł i ı th þ TH Þ dh ð DH Ð
        textquoteleft ‘ textquoteright ’ textquotedblleft “ textquotedblright ” lq ‘ rq ’
        glq ‚ grq ‘ glqq „ grqq “ flq ‹ frq › flqq « frqq » og « fg »
        guillemetleft « guillemetright » guillemotleft « guillemotright »
        guilsinglleft ‹ guilsinglright › quotedblbase „ quotesinglbase ‚
        textquotesingle ' textquotedbl " dq "
        """
    ),
    **dict.fromkeys("quad space thinspace enspace nobreakspace xspace".split(), " "),
    "newline": "\n",
    "par": "\n",
}
_QUOTING = by_arguments(
    "enquote textquote blockquote say epigraph uv dictum",
    """
    textcquote blockcquote foreignquote hyphenquote foreigntextquote foreignblockquote
    hyphentextquote hyphenblockquote hybridblockquote
    """,
    """
    foreigntextcquote foreignblockcquote hyphentextcquote hyphenblockcquote hybridblockcquote
    """,
)
"""Commands whose last argument is a quotation, and how many arguments precede it."""

_BLOCKS = by_arguments(
    "quote quotation displayquote verse blockquote quoting",
    "displaycquote foreigndisplayquote hyphendisplayquote addmargin",
    "foreigndisplaycquote hyphendisplaycquote adjustwidth",
)
"""Environments of block quotations, and how many arguments they have."""
_SKIPPED_ENVIRONMENTS = frozenset(
    """
    equation align gather multline eqnarray math displaymath verbatim lstlisting tikzpicture
    """.split()
)
_ARGUMENTS_OF_ENVIRONMENTS = _BLOCKS | by_arguments(
    "",
    "tabular longtable minipage spacing otherlanguage multicols",
    "tabularx tabulary list wrapfigure",
)
"""Environments, and how many arguments they have before their text."""
_RIGHT = "flushright"
"""The environment with the source of a block quotation."""

_TO_THE_RIGHT = frozenset(("hfill", "raggedleft", _RIGHT))
"""Commands before the source of a block quotation."""

_TRACKED = _SKIPPED_ENVIRONMENTS | {_RIGHT}

_WITHOUT_TEXT = frozenset(
    """
    ref pageref eqref autoref cref label url href includegraphics input include usepackage
    documentclass bibliography bibliographystyle addbibresource hspace vspace setlength
    newcommand renewcommand graphicspath hypersetup
    """.split()
)
_ARGUMENTS = re.compile(r"(?:\s{0,9}\[[^\]]{0,300}\])*\s{0,9}(?:\{[^{}]{0,2000}\})?")
_OPTIONS = re.compile(
    r"(?:\s{0,9}\[(?:[.,;:!?]|\{(?:[^{}]|\{[^{}]{0,200}\}){0,300}\})?\]"
    r"|\s{0,9}\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,300}\](?!\w)"
    r"|\s{0,9}\[(?:\\[a-zA-Z@]{1,40}|[^\[\]=\d]{0,80}[=\d][^\[\]]{0,200})\])+"
)
_ARGUMENT = re.compile(r"\s{0,9}\{(?:[^{}]|\{[^{}]{0,200}\}){0,300}\}")
_SOURCES = re.compile(
    r"(?:\[(?:[^\[\]{}]|\{[^{}]{0,200}\}){4,300}\]"
    r"|\{(?!\\(?:em|it|sl|sc|small|large|footnotesize|\w{1,9}(?:shape|series|family))(?![a-zA-Z]))"
    r"(?:[^{}]|\{[^{}]{0,200}\}){0,300}\}(?!\s{0,9}\\end\s?\{))+"
)
"""The arguments of an environment that is not known, directly behind its name: no group with a
font, and not all of the text."""

_NOTES = frozenset(
    "footnote endnote footnotetext endnotetext sidenote marginpar marginnote thanks todo".split()
)
_BRACKETS = {"textins": ("[", "]"), "textelp": (" [", "]")}
"""Commands for the writer's own words in a quotation, and what encloses these."""

_KNOWN = frozenset((*_LETTERS, *_QUOTING, *_BLOCKS, *_NOTES, *_BRACKETS, *_WITHOUT_TEXT))

DEEPEST = 50
"""The maximum depth of nested environments that is tracked."""


@dataclass
class _Reader:
    """The current paragraph and its surroundings: the open braces (with what is put at their end),
    the environments, and, for each open note, the number of braces before it and the paragraph that
    continues after it."""

    builder: StretchBuilder = field(default_factory=StretchBuilder)
    braces: list[str] = field(default_factory=list)
    environments: list[str] = field(default_factory=list)
    notes: list[tuple[int, StretchBuilder]] = field(default_factory=list)
    enclosed: tuple[str, str] = ("", "")
    opens_note: bool = False

    @property
    def is_block(self) -> bool:
        is_quoted = any(map(_is_block, self.environments))
        return is_quoted and not self.notes and _RIGHT not in self.environments

    @property
    def is_skipped(self) -> bool:
        return any(name.rstrip("*") in _SKIPPED_ENVIRONMENTS for name in self.environments)

    def begins_source(self, command: str) -> bool:
        """Return True for a command before the source of a block quotation."""
        return command in _TO_THE_RIGHT and self.is_block and bool(self.builder)

    def finish(self) -> Stretch:
        """Return the paragraph, and begin another."""
        stretch = self.builder.build()
        self.builder = StretchBuilder(is_block=self.is_block)
        return stretch

    def enter_note(self) -> None:
        """Begin the paragraph of a note."""
        self.notes.append((len(self.braces), self.builder))
        self.builder = StretchBuilder()

    @property
    def is_behind_note(self) -> bool:
        """True if the brace of the last opened note is closed."""
        return bool(self.notes) and len(self.braces) <= self.notes[-1][0]

    def leave_note(self) -> Stretch:
        """Return the paragraph of a note, and continue the one that contains it."""
        stretch = self.builder.build()
        _, self.builder = self.notes.pop()
        return stretch


def read(text: str, macros: Macros = NO_MACROS) -> Iterator[Stretch]:
    """Yield the paragraphs of a document, or of a part of one, each before its notes; the text
    before its \\begin{document} is skipped. `macros` are defined in other files."""
    source = latex_source.prepare(text, _KNOWN, macros)
    place = source.places.__getitem__
    stretches = (
        Stretch(stretch.text, tuple(map(place, stretch.offsets)), stretch.is_block)
        for stretch in _paragraphs(source.text)
        if stretch.text
    )
    yield from sorted(stretches, key=lambda stretch: stretch.offsets[0])


def _is_block(environment: str) -> bool:
    """Return True for an environment of block quotations, by its name if it is not a known one."""
    return environment.rstrip("*") in _BLOCKS or bool(QUOTE_STYLE.search(environment))


def _paragraphs(text: str) -> Iterator[Stretch]:
    """Yield the paragraphs as they end."""
    body = re.search(r"\\begin\s*\{document\}", text)
    reader, at = _Reader(), body.end() if body else 0
    while at < len(text) and (match := _TOKEN.match(text, at)):
        stopping.check()
        at = match.end()
        if match["edge"]:
            yield reader.finish()
            _enter_or_leave(reader, match["edge"], match["environment"])
            reader.builder.is_block = reader.is_block
            if match["edge"] == "begin":
                at = _skip_arguments_of(text, at, match["environment"].rstrip("*"))
        elif match["break"]:
            yield reader.finish()
        elif match["command"]:
            at = _read_command(reader, match["command"], text, match.start(), at)
        else:
            _read_token(reader, match)
            if reader.is_behind_note:
                yield reader.leave_note()
    while reader.notes:
        yield reader.leave_note()
    yield reader.finish()


def _enter_or_leave(reader: _Reader, edge: str, environment: str) -> None:
    is_known = _is_block(environment) or environment.rstrip("*") in _TRACKED
    if edge == "begin" and is_known and len(reader.environments) < DEEPEST:
        reader.environments.append(environment)
    elif environment in reader.environments:
        while reader.environments.pop() != environment:
            pass


def _read_command(reader: _Reader, name: str, text: str, start: int, at: int) -> int:
    """Read a command; return the position after it and its arguments that are not text."""
    if name in _WITHOUT_TEXT or ("cite" in name.lower() and name not in _QUOTING):
        arguments = _ARGUMENTS.match(text, at)
        return arguments.end() if arguments else at
    if reader.begins_source(name):
        reader.builder.put("\n— ", start)
        return at
    if name in _LETTERS:
        reader.builder.put(_LETTERS[name], start)
        return at + 2 if text.startswith("{}", at) else at
    if name in ("textelp", "textdel"):
        reader.builder.put("[…]", start)
        if name == "textdel" or text.startswith("{}", at):
            return _skip_arguments(text, at, 1)
    reader.enclosed = _BRACKETS.get(name, ("“", "”") if name in _QUOTING else ("", ""))
    reader.opens_note = name in _NOTES
    return _skip_arguments(text, at, _QUOTING.get(name, 0))


def _skip_arguments_of(text: str, at: int, environment: str) -> int:
    """Return the position after the arguments of an environment."""
    if environment not in _ARGUMENTS_OF_ENVIRONMENTS and QUOTE_STYLE.search(environment):
        sources = _SOURCES.match(text, at)
        at = sources.end() if sources else at
    return _skip_arguments(text, at, _ARGUMENTS_OF_ENVIRONMENTS.get(environment, 0))


def _skip_arguments(text: str, at: int, count: int) -> int:
    """Return the position after options in square brackets and `count` arguments in braces."""
    for _ in range(count + 1):
        if options := _OPTIONS.match(text, at):
            at = options.end()
        if count and (argument := _ARGUMENT.match(text, at)):
            at, count = argument.end(), count - 1
    return at


def _read_token(reader: _Reader, match: re.Match[str]) -> None:
    """Read a token that is neither a command nor the edge of an environment."""
    if match["open"] or match["close"]:
        # Braces are counted in skipped parts too, or the end of these would not be found.
        _read_brace(reader, match)
    elif match["text"] and not reader.is_skipped:
        reader.builder.add(match["text"], match.start())
    elif not reader.is_skipped and (printed := _printed(match)) is not None:
        reader.builder.put(printed, match.start())


def _read_brace(reader: _Reader, match: re.Match[str]) -> None:
    """Read a brace, which begins or ends an argument."""
    if match["close"]:
        # An essay need not be valid LaTeX: a brace too many closes nothing.
        reader.builder.put(reader.braces.pop() if reader.braces else "", match.start())
        return
    if reader.opens_note:
        reader.enter_note()
        reader.opens_note = False
    before, after = reader.enclosed
    reader.braces.append(after)
    reader.builder.put(before, match.start())
    reader.enclosed = ("", "")


def _printed(match: re.Match[str]) -> str | None:
    """Return the characters that a token prints; None for a comment."""
    if match["letter"]:
        return unicodedata.normalize("NFC", match["letter"] + _ACCENTS[match["accent"]])
    if match["raised"]:
        return raised(match["raised"])
    if match["escaped"]:
        return _ESCAPED.get(match[0], match[0][1])
    if match["line"]:
        return "\n"
    if match["math"]:
        return " "
    return _MARKS[match["mark"]] if match["mark"] else None
