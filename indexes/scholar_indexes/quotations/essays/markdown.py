"""Read Markdown: its paragraphs without code and URLs, with block quotations marked.

A block of HTML is read as HTML, and a fenced div of Pandoc by its name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from scholar_indexes import stopping
from scholar_indexes.books.formats import front_matter
from scholar_indexes.quotations.essays import html
from scholar_indexes.quotations.essays.stretches import Stretch, StretchBuilder, raised
from scholar_indexes.quotations.essays.word import QUOTE_STYLE

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_SKIPPED = frozenset(("code_inline", "html_inline", "image"))
_INTERRUPTED = ["paragraph", "reference", "blockquote", "list", "table"]
"""The blocks whose rules check at every line whether another block begins there."""

_DELETED = frozenset(("s_open", "s_close", "del", "s", "strike"))
_QUOTES = ("”", "“")
_BREAKS = frozenset(("softbreak", "hardbreak"))
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>sup|q|del|s|strike|cite|footer)(?:\s[^<>]*)?>", re.IGNORECASE
)
_PREFORMATTED = re.compile(r"\s*<pre(?![\w-])", re.IGNORECASE)
_BLOCKQUOTE = re.compile(r"<(?P<end>/?)blockquote(?![\w-])", re.IGNORECASE)

_QUOTED_LINE = re.compile(r"(?m)^(?: {0,3}>)+")
_LEFT_OUT = "\u2e31"
"""Replaces text that is not read; punctuation, like note signs, so that emphasis ends before it."""

_READ = re.compile(f"[^{_LEFT_OUT}]+")
_SIGNS = re.compile(
    r"^(?P<block>(?: {0,3}>)+ {0,3})\[![\w-]+\][^\n]*"
    r"|(?P<note>\[\^[^\[\]\s]{1,60}\]:?)"
    r"|\^(?P<raised>\d{1,4})\^|(?P<number>&\#(?:12[89]|1[345]\d);)",
    re.MULTILINE,
)
"""Signs that CommonMark does not have: the first lines of callouts ("> [!quote] title"), note
signs, superscripts and numbers of Windows-1252."""

_TEX_STYLES = "emph|text(?:it|bf|sc|sf|tt|sl|up|rm)?|underline|mbox|textquote|enquote"
_TEX_GLUED = "[lc]?dots|textellipsis|footnotemark|newline|linebreak|newpage|pagebreak|q?quad"
_QUOTE_TAGS = r"(?i:(?:block|pull)?quote|epigraph|verse)\b[^{}\n]*\}{0,2}[ \t]*$"
_UNPRINTED = re.compile(
    r"(?P<kept>^ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(?:[^\n]*\n)*? {0,3}(?P=fence)|`[^`\n]+`)"
    r"|%%[^\n]*?%%|^%%[ \t]*\n(?:[^\n]*\n){1,200}?%%"
    r"|\{--[^\n]*?--\}|\{>>[^\n]*?<<\}|\{~~[^\n]*?~>|~~\}|\{\+\+|\+\+\}|\{==|==\}"
    r"|[ \t]?\[[^\[\]\n]{0,100}(?<![\w])@\w[^\[\]\n]{0,200}\]"
    r"|(?<![\w@/.:-])-?@[a-zA-Z][\w:.#$%&+?~/-]{0,100}(?<=\w)(?:[ \t]\[[^\[\]\n]{1,200}\](?!\())?"
    r"|!?\[\[(?:[^\[\]|\n]{1,200}\|)?(?P<link>[^\[\]|\n]{1,200})\]\]"
    r"|(?P<div>^(?: {0,3}>)* {0,3}:{3,}(?P<name>[^\n]*)$)"
    rf"|(?P<tag>^ {{0,3}}(?:(?i:#\+begin_)|\{{%-? *|\{{\{{[<%] *)(?P<quote>{_QUOTE_TAGS})"
    rf"|^ {{0,3}}(?:(?i:#\+end_)|\{{%-? *end|\{{\{{[<%] */ *)(?:{_QUOTE_TAGS}))"
    r"|\[(?P<span>[^\[\]\n]{1,200})\]\{[.#:][^{}\n]{0,200}\}|\{[.#][^{}\n]{0,200}\}"
    r"|(?<=[ \t])\^[\w-]{1,60}$|\{%[^\n]{0,200}?%\}|\{\{[<%][^\n]{0,200}?[>%]\}\}"
    rf"|(?<!\\)\\(?:{_TEX_STYLES})\{{(?P<styled>[^{{}}\n]{{1,200}})\}}"
    r"|(?<!\\)\\[a-zA-Z]{2,30}\*?(?:\[[^\[\]\n]{0,100}\])?(?:\{[^{}\n]{0,200}\})+"
    rf"|(?<![\\\w:])\\[a-zA-Z]{{2,30}}\*?(?:\[[^\[\]\n]{{0,100}}\])?|(?<!\\)\\(?:{_TEX_GLUED})\b",
    re.MULTILINE,
)
"""Comments and marks of blocks of Obsidian, deletions and comments of CriticMarkup, citations and
attributes of Pandoc, the brackets of links between notes, the fences of divs, tags of Logseq and
site generators, and commands of TeX, but not "and\\or"; code is kept, as it may look like these."""

_INLINE_NOTE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(?:[^\n]*\n)*? {0,3}(?P=fence)|`[^`\n]+`"
    r"|(?<!\\)\^\[(?P<note>(?:[^\[\]\n]|\n(?!\n)|\[[^\[\]\n]{0,200}\]){1,4000})\]",
    re.MULTILINE,
)
"""A note of Pandoc in the text, "^[so]", or code, which may look like one."""

_LINE_BLOCK = re.compile(r"(?:(?<=\n\n)|\A)(?:\|(?: [^\n]*)?(?:\n|\Z)(?: +\S[^\n]*(?:\n|\Z))*)+")
_ADMONITION = re.compile(
    r"^(?:!!!|\?\?\?\+?)[ \t]+(?:quote|cite)\b[^\n]*\n(?: {4}[^\n]*\n|\n)*(?: {4}[^\n]*)?",
    re.MULTILINE,
)
"""A quotation of MkDocs: "!!! quote", a title, and indented paragraphs."""

_QUOTING_FENCE = re.compile(r"\{(?:epigraph|(?:block|pull)-?quote|highlights)\}")
"""The directives of MyST that look like code and are quotations."""

_TABLE = re.compile(r"(?m)^[|\s:-]*-[|\s:-]*$|\|\s*$")


def _read_unprinted(match: re.Match[str]) -> str:
    """Return the replacement of what is not printed, of the same length."""
    stopping.check()
    if match["kept"]:
        return match[0]
    if match["tag"]:
        return " " * len(match[0])
    if match["div"]:
        return re.sub("[^>]", " ", match[0])
    kept = next((name for name in ("link", "span", "styled") if match[name] is not None), "link")
    start, end = match.span(kept)
    if start >= 0 and match[0].startswith(("\\enquote", "\\textquote")):
        return _LEFT_OUT * (start - match.start() - 1) + f"“{match[kept]}”"
    if start >= 0 and not match[0].startswith("!"):
        before, after = start - match.start(), match.end() - end
        return _LEFT_OUT * before + match[kept] + _LEFT_OUT * after
    return re.sub(r"[^\n]", _LEFT_OUT, match[0])


def _quoting_divs(text: str) -> Iterator[int]:
    """Yield the start and the end of each fenced div or pair of tags for quotations, in order; a
    fence without a name closes a div."""
    opened: list[bool] = []
    for match in stopping.checked(_UNPRINTED.finditer(text)):
        if not match["div"] and not match["tag"]:
            continue
        was_quoting = any(opened)
        if name := (match["name"] or match["quote"] or "").strip(" \t:"):
            opened.append(QUOTE_STYLE.search(name) is not None)
        elif opened:
            opened.pop()
        if any(opened) != was_quoting:
            yield match.end()


def _read_line_block(match: re.Match[str]) -> str:
    """Return a line block of Pandoc as a block quotation, and a table as it is."""
    if _TABLE.search(match[0]):
        return match[0]
    return re.sub(r"(?m)^\|", ">", match[0])


def _read_admonition(match: re.Match[str]) -> str:
    """Return a quotation of MkDocs as a block quotation, of the same length."""
    title, _, body = match[0].partition("\n")
    return " " * len(title) + "\n" + re.sub(r"(?m)^ {4}", ">   ", body)


def read(text: str) -> Iterator[Stretch]:
    """Yield the paragraphs, headings, cells and notes of a Markdown text in order."""
    notes = [match for match in _INLINE_NOTE.finditer(text) if match["note"]]
    if not notes:
        yield from _read(text)
        return
    stretches = list(_read(_INLINE_NOTE.sub(_read_note, text)))
    for note in notes:
        stretches += [
            replace(stretch, offsets=[note.start("note") + at for at in stretch.offsets])
            for stretch in _read(note["note"])
        ]
    yield from sorted(stretches, key=lambda stretch: next(iter(stretch.offsets), 0))


def _read_note(match: re.Match[str]) -> str:
    """Return the replacement of a note in the text, of the same length."""
    return re.sub(r"[^\n]", _LEFT_OUT, match[0]) if match["note"] else match[0]


def _read(text: str, *, is_fenced: bool = False) -> Iterator[Stretch]:
    div_edges = list(_quoting_divs(text))
    text = _SIGNS.sub(_read_sign, _UNPRINTED.sub(_read_unprinted, text))
    text = _ADMONITION.sub(_read_admonition, _LINE_BLOCK.sub(_read_line_block, text))
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    depth = 0
    for token in stopping.checked(_parser().parse(front_matter.without_block(text))):
        depth += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.map is None:
            continue
        start = starts[token.map[0]]
        is_block = depth > 0 or bisect_right(div_edges, start) % 2 == 1
        if token.type == "inline":
            source = "\n".join(lines[slice(*token.map)])
            yield _ParagraphReader(source, start, is_block=is_block).read(token.children or [])
        elif token.type == "html_block" and not _PREFORMATTED.match(token.content):
            source = "\n".join(lines[slice(*token.map)])
            yield from _moved(_read_html(source, is_quoted=is_block), start)
            depth += _nesting(source)
        elif _QUOTING_FENCE.match(token.info) and not is_fenced:
            first, last = token.map
            source = "\n".join(lines[first + 1 : last - 1])
            for stretch in _moved(_read(source, is_fenced=True), starts[first + 1]):
                yield replace(stretch, is_block=True)


def _read_html(source: str, *, is_quoted: bool) -> Iterator[Stretch]:
    """Yield the paragraphs of a block of HTML; in a quotation, its lines begin with ">"."""
    if is_quoted:
        source = _QUOTED_LINE.sub(lambda mark: " " * len(mark[0]), source)
    return html.read(source, is_quoted=is_quoted)


def _nesting(source: str) -> int:
    """Return the number of block quotations that HTML opens, without those it closes."""
    return sum(-1 if tag["end"] else 1 for tag in _BLOCKQUOTE.finditer(source))


def _parser() -> MarkdownIt:
    """Return a parser that can be stopped."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.inline.ruler.before("text", "stop", _stop)
    parser.block.ruler.before("code", "stop", _stop_block, {"alt": _INTERRUPTED})
    parser.core.ruler.after("normalize", "stop_lines", _stop_lines)
    parser.core.ruler.before("text_join", "stop_joining", _stop_joining)
    return parser


def _stop(state: StateInline, silent: bool) -> bool:
    """Stop reading a text that is no longer wanted: a rule that never matches."""
    stopping.check()
    return False


def _stop_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Do the same at every line."""
    stopping.check()
    return False


class _Source(str):
    """A text that checks on every search whether it is still wanted."""

    __slots__ = ()

    def find(self, *sought: Any) -> int:
        stopping.check()
        return super().find(*sought)


class _Tokens(list["Token"]):
    """Tokens that check on every access whether they are still wanted."""

    def __getitem__(self, at: Any) -> Any:
        stopping.check()
        return super().__getitem__(at)


def _stop_lines(state: StateCore) -> None:
    """Let the parser be stopped while it splits a text into lines."""
    state.src = _Source(state.src)


def _stop_joining(state: StateCore) -> None:
    """Let the parser be stopped while it joins the pieces of the text of a paragraph."""
    for token in state.tokens:
        if token.children:
            token.children = _Tokens(token.children)


def _read_sign(match: re.Match[str]) -> str:
    """Return the replacement of a sign, of the same length, so that offsets stay valid."""
    if match["block"]:
        return match["block"] + _LEFT_OUT * (len(match[0]) - len(match["block"]))
    if match["note"]:
        return _LEFT_OUT * len(match[0])
    if match["number"]:
        return unescape(match["number"]).ljust(len(match[0]), _LEFT_OUT)
    return f"{_LEFT_OUT}{raised(match['raised'])}{_LEFT_OUT}"


def _moved(stretches: Iterable[Stretch], start: int) -> Iterator[Stretch]:
    """Yield the paragraphs of a part of a text that begins at a position."""
    for stretch in stretches:
        yield replace(stretch, offsets=[start + offset for offset in stretch.offsets])


class _ParagraphReader:
    """The text of a paragraph so far; its characters are looked up in its source, which begins at
    the offset `start`."""

    def __init__(self, source: str, start: int, *, is_block: bool) -> None:
        self._source = source
        self._start = start
        self._at = 0  # the place in the source after the last token
        self._deletions = 0
        self._builder = StretchBuilder(is_block=is_block)

    def read(self, children: Sequence[Token]) -> Stretch:
        """Return the text of the tokens of the paragraph."""
        sources = _links_to_sources(children) if self._builder.is_block else ()
        for number, child in enumerate(stopping.checked(children)):
            if number in sources:
                self._put("()"[child.nesting < 0])
            if child.type in _DELETED:
                self._delete(is_start=child.type == "s_open")
            elif child.type in _SKIPPED:
                self._read_skipped(child)
            elif child.type in _BREAKS:
                self._pass("\n")
                self._builder.put("\n", self._start + self._at - 1)
            elif child.type == "text":
                self._read_text(child.content)
        return self._builder.build()

    def _read_skipped(self, token: Token) -> None:
        """Read a tag, code or picture, of which only a sign is kept."""
        self._pass(token.content)
        tag = _TAG.fullmatch(token.content) if token.type == "html_inline" else None
        name = tag["name"].lower() if tag else ""
        is_start = bool(tag and not tag["end"])
        if name in _DELETED or (name in html.SOURCES and self._builder.is_block):
            self._delete(is_start=is_start)
        elif name == "sup":
            self._builder.is_raised = is_start
        else:
            self._put(_QUOTES[is_start] if name == "q" else " ")

    def _read_text(self, content: str) -> None:
        if self._deletions:
            self._pass(content)
        else:
            self._at = _add_text(self._builder, content, self._source, self._at, self._start)

    def _delete(self, *, is_start: bool) -> None:
        """Enter or leave deleted text."""
        self._deletions = max(0, self._deletions + (1 if is_start else -1))

    def _put(self, text: str) -> None:
        self._builder.put(text, self._start + self._at)

    def _pass(self, content: str) -> None:
        """Move behind a text in the source."""
        self._at = max(self._at, self._source.find(content, self._at) + len(content))


def _links_to_sources(children: Sequence[Token]) -> Sequence[int]:
    """Return the indices of the first and the last token of a link at the end of a block quotation,
    after other text; the link is read as if it were in parentheses."""
    if not children or children[-1].type != "link_close":
        return ()
    opening = max(n for n, child in enumerate(children) if child.type == "link_open")
    return (opening, len(children) - 1) if opening else ()


def _add_text(builder: StretchBuilder, content: str, source: str, at: int, offset: int) -> int:
    """Add a text that follows in the source after a position; return the position after it."""
    start = source.find(content, at)
    if start >= 0:
        for match in _READ.finditer(content):
            builder.add(match[0], offset + start + match.start())
        return start + len(content)
    for letter in content:  # an entity or an escaped mark is written differently
        place = source.find(letter, at)
        at = place + 1 if 0 <= place < at + 12 else at
        builder.put("" if letter == _LEFT_OUT else letter, offset + max(0, at - 1))
    return at
