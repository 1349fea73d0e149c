"""Read Markdown: its paragraphs without code and URLs, with block quotations marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from scholar_indexes import stopping
from scholar_indexes.books.formats import front_matter
from scholar_indexes.quotations.essays.stretches import Stretch, StretchBuilder, raised

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_SKIPPED = frozenset(("code_inline", "html_inline", "image"))
_INTERRUPTED = ["paragraph", "reference", "blockquote", "list", "table"]
"""The blocks whose rules check at every line whether another block begins there."""

_BREAKS = frozenset(("softbreak", "hardbreak"))
_SUPERSCRIPT = re.compile(r"<(/?)sup(?:\s[^<>]*)?>", re.IGNORECASE)

_LEFT_OUT = "\u2e31"
"""Replaces text that is not read; punctuation, like note signs, so that emphasis ends before it."""

_READ = re.compile(f"[^{_LEFT_OUT}]+")
_SIGNS = re.compile(
    r"^(?P<block>(?: {0,3}>)+ {0,3})\[![\w-]+\][^\n]*"
    r"|(?P<note>\[\^[^\[\]\s]{1,60}\]:?)"
    r"|\^(?P<raised>\d{1,4})\^",
    re.MULTILINE,
)
"""Signs that CommonMark does not have: the first lines of callouts ("> [!quote] title"), note signs
and superscripts."""


_UNPRINTED = re.compile(
    r"(?P<kept>^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:[^\n]*\n)*? {0,3}(?P=fence)|`[^`\n]+`)"
    r"|%%[^\n]*?%%|^%%[ \t]*\n(?:[^\n]*\n){1,200}?%%"
    r"|\{--[^\n]*?--\}|\{>>[^\n]*?<<\}|\{~~[^\n]*?~>|~~\}|\{\+\+|\+\+\}|\{==|==\}"
    r"|[ \t]?\[[^\[\]\n]{0,100}(?<![\w])@\w[^\[\]\n]{0,200}\]"
    r"|!?\[\[(?:[^\[\]|\n]{1,200}\|)?(?P<link>[^\[\]|\n]{1,200})\]\]",
    re.MULTILINE,
)
"""Comments of Obsidian, deletions and comments of CriticMarkup, citations of Pandoc and the
brackets of links between notes; code is kept, since it may look like these."""

_LINE_BLOCK = re.compile(r"(?:(?<=\n\n)|\A)(?:\|(?: [^\n]*)?(?:\n|\Z)(?: +\S[^\n]*(?:\n|\Z))*)+")
_TABLE = re.compile(r"(?m)^[|\s:-]*-[|\s:-]*$|\|\s*$")


def _read_unprinted(match: re.Match[str]) -> str:
    """Return the replacement of what is not printed, of the same length."""
    if match["kept"]:
        return match[0]
    start, end = match.span("link")
    if start >= 0 and not match[0].startswith("!"):
        before, after = start - match.start(), match.end() - end
        return _LEFT_OUT * before + match["link"] + _LEFT_OUT * after
    return re.sub(r"[^\n]", _LEFT_OUT, match[0])


def _read_line_block(match: re.Match[str]) -> str:
    """Return the lines of a line block of Pandoc as a block quotation, but not those of a table."""
    if _TABLE.search(match[0]):
        return match[0]
    return re.sub(r"(?m)^\|", ">", match[0])


def read(text: str) -> Iterator[Stretch]:
    """Yield the paragraphs, headings and cells of a Markdown text."""
    from markdown_it import MarkdownIt

    text = _SIGNS.sub(_read_sign, _UNPRINTED.sub(_read_unprinted, text))
    text = _LINE_BLOCK.sub(_read_line_block, text)
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    depth = 0
    parser = MarkdownIt("commonmark").enable("table")
    parser.inline.ruler.before("text", "stop", _stop)
    parser.block.ruler.before("code", "stop", _stop_block, {"alt": _INTERRUPTED})
    parser.core.ruler.after("normalize", "stop_lines", _stop_lines)
    parser.core.ruler.before("text_join", "stop_joining", _stop_joining)
    for token in stopping.checked(parser.parse(_without_front_matter(text))):
        depth += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.type == "inline" and token.map is not None:
            yield _read_inline(token, lines, starts, is_block=depth > 0)


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
    return f"{_LEFT_OUT}{raised(match['raised'])}{_LEFT_OUT}"


def _without_front_matter(text: str) -> str:
    """Return a text with the YAML block at its beginning replaced by empty lines."""
    _, rest = front_matter.split(text)
    return "\n" * text.count("\n", 0, len(text) - len(rest)) + rest


def _read_inline(
    token: Token, lines: Sequence[str], starts: Sequence[int], *, is_block: bool
) -> Stretch:
    """Return the text of a paragraph; its characters are looked up in the lines of the source."""
    first, end = token.map or (0, 0)
    source = "\n".join(lines[first:end])
    builder, at = StretchBuilder(is_block=is_block), 0
    for child in stopping.checked(token.children or ()):
        if child.type in _SKIPPED:
            at = max(at, source.find(child.content, at) + len(child.content))
            if tag := _SUPERSCRIPT.fullmatch(child.content):
                builder.is_raised = not tag[1]
            else:
                builder.put(" ", starts[first] + at)
        elif child.type in _BREAKS:
            at = max(at, source.find("\n", at) + 1)
            builder.put("\n", starts[first] + at - 1)
        elif child.type == "text":
            at = _add_text(builder, child.content, source, at, starts[first])
    return builder.build()


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
