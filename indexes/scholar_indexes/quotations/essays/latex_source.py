"""Prepare the source of LaTeX: blank what is not printed, and expand the author's own macros.

pylatexenc reads LaTeX, but does not expand the macros that a document defines.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from scholar_indexes.stopping import checked

_UNPRINTED = re.compile(
    r"\\[\\%]|%[^\n]*"
    r"|(?P<verbatim>\\(?:verb|lstinline|mintinline\s?\{\w{1,30}\})\*?"
    r"(?P<mark>[^\sa-zA-Z*{\[])[^\n]{0,1000}?(?P=mark))"
    r"|\\begin\s?\{(?P<environment>comment|verbatim\*?|[BL]?Verbatim|lstlisting|minted"
    r"|filecontents\*?)\}"
    r"|(?P<condition>\\if(?:false(?![a-zA-Z])| ?0(?=\s)))"
    r"|(?P<length>\\(?:setlength|addtolength|settowidth|settoheight)\s{0,9}"
    r"\{?\s?\\[a-zA-Z@]{1,40}\s?\}?\s{0,9}\{[^{}]{0,500}\}"
    r"|\\(?:par(?:indent|skip)|(?:left|right|baseline|line|[hv])skip)\s?"
    r"(?:=?\s?-?[\d.]{1,9}(?:\s?(?:pt|em|ex|cm|mm|in|\\[a-zA-Z]{1,40}))?|=\s?\\[a-zA-Z]{1,40}))"
    r"|(?P<end>\\end\s?\{document\})"
)
_CONDITIONS = re.compile(
    r"%[^\n]*|\\(?:(?P<open>if(?:x|num|dim|odd|cat|case|true|false|defined|csname|[hvm]mode|inner)?)"
    r"|(?P<close>fi)|(?P<other>else))(?![a-zA-Z])"
)
_DEFINITION = re.compile(
    r"\\(?P<kind>(?:re)?new(?:command|environment)|providecommand|DeclareRobustCommand"
    r"|(?:New|Renew|Provide|Declare)Document(?:Command|Environment)|[gex]?def(?=\s?\\))"
    r"\*?\s{0,9}\{?\s{0,9}\\?(?P<name>[a-zA-Z]{1,60})\*?\s{0,9}\}?"
    r"(?P<parameters>(?:\s{0,9}\[[^\[\]\n]{0,200}\]|#\d"
    r"|(?<=\})\{[mMoOsdDtRr+!{}\- ]{0,40}\}(?=\s{0,9}\{)){0,9})"
)
_CALL = re.compile(
    r"\\(?:(?P<edge>begin|end)\s?\{(?P<environment>[a-zA-Z]{1,60})\*?\}"
    r"|(?P<name>[a-zA-Z]{1,60})\*?[ \t]*)"
)
_PARAMETER = re.compile(r"#([1-9])")
_COMMAND_LAST = re.compile(r"\\[a-zA-Z]+\Z")
_GROUP_START = re.compile(r"\s{0,9}\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_OPTION = re.compile(r"\s{0,9}\[([^\[\]]{0,300})\]")

LONGEST_ARGUMENT = 10_000
"""The maximum number of characters of an argument, or of the body of a macro."""

MOST_PASSES = 3
"""The maximum depth to which macros that use other macros are expanded."""

MOST_UNCLOSED = 20
"""The number of arguments that are not closed after which no others are searched for."""

MOST_GROWTH = 2
"""The maximum size of the expanded source, as a multiple of the source."""


class Source(NamedTuple):
    """A source as it is read, and the place of each of its characters in the file."""

    text: str
    places: Sequence[int]


class Macro(NamedTuple):
    """The body of a macro, its number of arguments in braces, and whether an optional argument in
    square brackets precedes these."""

    body: str
    arguments: int
    has_option: bool


Macros = Mapping[str, Macro]
"""Macros by their names; ">name" and "<name" are the beginning and the end of an environment."""

NO_MACROS: Macros = {}

_TEXT_AFTER = {
    1: "textcolor colorbox foreignlanguage raisebox scalebox rotatebox",
    2: "fcolorbox resizebox",
}
_NOTHING = {
    1: "color pagecolor selectlanguage setstretch index sindex glsadd sout st deleted phantom "
    "hphantom vphantom flagverse pagestyle thispagestyle pdfbookmark vskip "
    "attrib attribution qauthor quotesource sourceatright poemlines",
    2: "fontsize addtolength setcounter addtocounter rule",
    3: "discretionary addcontentsline",
}
PACKAGES: Macros = {
    **{
        name: Macro(f"#{count + 2}", count + 1, True)
        for count, names in _TEXT_AFTER.items()
        for name in names.split()
    },
    **{name: Macro("", count, True) for count, names in _NOTHING.items() for name in names.split()},
    "replaced": Macro("#2", 2, True),
    "qitem": Macro(r"\begin{quote}#1\end{quote}", 2, False),
}
"""Macros of packages whose arguments are not all printed: the last, or none."""


def printed(text: str) -> str:
    """Return a source with spaces for code, false conditions and the text after the document."""
    return _blank(text, _unprinted(text))


def macros_of(text: str) -> Macros:
    """Return the macros that a source defines."""
    return _macros(printed(text))[0]


def prepare(text: str, known: Container[str], others: Macros = NO_MACROS) -> Source:
    """Return a source without what is not printed (comments, code, false conditions and the text
    after the document), its macros and the `others` expanded, except known names."""
    text = printed(text)
    own, spans = _macros(text)
    macros = {
        name: macro for name, macro in {**others, **own}.items() if name.lstrip("<>") not in known
    }
    macros = {**PACKAGES, **macros}
    source = Source(_blank(text, spans), range(len(text)))
    limit = MOST_GROWTH * len(text)
    for _ in range(MOST_PASSES):
        expanded = _expand(source, macros, limit)
        if expanded is None:
            break
        source = expanded
    return source


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text with spaces for some of its parts."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], " " * (end - start)]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _unprinted(text: str) -> list[tuple[int, int]]:
    """Return the spans of a source that are not printed."""
    spans: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    at = 0
    body = re.search(r"\\begin\s?\{document\}", text)
    while match := _UNPRINTED.search(text, at):
        at = match.end()
        if match["verbatim"] or match["length"]:
            spans.append(match.span())
        elif match["end"]:
            if body and body.start() < match.start():
                spans.append((match.end(), len(text)))
                break
        elif (name := match["environment"] or match["condition"]) and name not in unclosed:
            end = _end_of(text, at, match["environment"])
            if end is None:
                unclosed.add(name)
            else:
                spans.append((match.start(), end))
                at = end
    return spans


def _end_of(text: str, at: int, environment: str | None) -> int | None:
    """Return the end of an environment, or of a false condition."""
    if environment:
        closing = f"\\end{{{environment}}}"
        end = text.find(closing, at)
        return None if end < 0 else end + len(closing)
    depth = 0
    for match in checked(_CONDITIONS.finditer(text, at)):
        if not depth and (match["close"] or match["other"]):
            return match.end()
        depth += bool(match["open"]) - bool(match["close"])
    return None


def _macros(text: str) -> tuple[dict[str, Macro], list[tuple[int, int]]]:
    """Return the macros that a source defines, and the spans of their definitions."""
    macros: dict[str, Macro] = {}
    spans = []
    at = unclosed = 0
    while unclosed < MOST_UNCLOSED and (match := _DEFINITION.search(text, at)):
        at = match.end()
        bodies = []
        is_environment = match["kind"].lower().endswith("environment")
        for _ in range(1 + is_environment):
            if (body := _group(text, at)) is not None:
                bodies.append(text[body[0] : body[1]])
                at = body[1] + 1
        unclosed += not bodies
        if bodies:
            count, has_option = _count(match["parameters"])
            edges = (">", "<") if is_environment else ("",)
            names = [edge + match["name"] for edge in edges]
            for name, body_text, number in zip(names, bodies, (count, 0), strict=False):
                macros[name] = Macro(body_text, number, has_option)
            spans.append((match.start(), at))
    return macros, spans


def _count(parameters: str) -> tuple[int, bool]:
    """Return the number of arguments in braces, of "[2][so]", "#1#2" or "{o m}", and whether an
    optional one precedes them."""
    if "#" in parameters:
        return parameters.count("#"), False
    if parameters.lstrip().startswith("{"):
        return parameters.count("m"), parameters.lstrip("{ ")[:1] in ("o", "O")
    options = re.findall(r"\[([^\]]*)\]", parameters)
    first = options[0].strip() if options else ""
    number = int(first) if first.isdecimal() else 0
    has_option = len(options) > 1
    return max(0, min(9, number) - has_option), has_option


def _group(text: str, at: int) -> tuple[int, int] | None:
    """Return the span within the braces that follow a position, None if there are none."""
    start = _GROUP_START.match(text, at)
    if start is None:
        return None
    depth = 1
    for brace in _BRACE.finditer(text, start.end(), start.end() + LONGEST_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return start.end(), brace.start()
    return None


def _expand(source: Source, macros: Mapping[str, Macro], limit: int) -> Source | None:
    """Return a source with its macros expanded once, None if nothing changes or if it would be too
    large."""
    parts: list[str] = []
    places: list[int] = []
    at, is_changed, unclosed = 0, False, 0

    def copy(start: int, end: int) -> None:
        parts.append(source.text[start:end])
        places.extend(source.places[start:end])

    for match in checked(_CALL.finditer(source.text)):
        edge = {"begin": ">", "end": "<"}.get(match["edge"] or "", "")
        macro = macros.get(edge + (match["environment"] or match["name"]))
        if macro is None or match.start() < at or len(places) > limit:
            continue
        if unclosed >= MOST_UNCLOSED:
            break
        call = _arguments(source.text, match.end(), macro)
        if call is None:
            unclosed += _GROUP_START.match(source.text, match.end()) is not None
            continue
        arguments, end = call
        copy(at, match.start())
        body = _with_arguments(macro, arguments, source, match.start())
        separator = _separator(macro, source.text[end : end + 1])
        parts.append(body.text + separator)
        places += [*body.places, *([source.places[match.start()]] * len(separator))]
        at, is_changed = end, True
    copy(at, len(source.text))
    return Source("".join(parts), places) if is_changed and len(places) <= limit + 1 else None


def _separator(macro: Macro, following: str) -> str:
    """Return what keeps the command at the end of a macro apart from the next word."""
    return "{}" if following.isalpha() and _COMMAND_LAST.search(macro.body) else ""


def _with_arguments(
    macro: Macro, arguments: Sequence[tuple[int, int]], source: Source, at: int
) -> Source:
    """Return the body of a macro with the spans of its arguments filled in; the rest of the body
    has the place of the call, at the position `at` of the source."""
    parts: list[str] = []
    places: list[int] = []
    for piece in _pieces(macro.body):
        if not isinstance(piece, int):
            parts.append(piece)
            places.extend([source.places[at]] * len(piece))
        elif piece < len(arguments):
            start, end = arguments[piece]
            parts.append(source.text[start:end])
            places.extend(source.places[start:end])
    return Source("".join(parts), places)


def _arguments(text: str, at: int, macro: Macro) -> tuple[list[tuple[int, int]], int] | None:
    """Return the spans of the arguments of a macro, and the position after them."""
    option = _OPTION.match(text, at)
    arguments: list[tuple[int, int]] = []
    if macro.has_option:
        arguments.append(option.span(1) if option else (at, at))
    if option and macro.arguments:
        at = option.end()
    for _ in range(macro.arguments):
        argument = _group(text, at)
        if argument is None:
            return None
        arguments.append(argument)
        at = argument[1] + 1
    return arguments, at


def _pieces(body: str) -> Iterator[str | int]:
    """Yield the parts of a macro: texts, and the indices of its arguments."""
    for at, piece in enumerate(_PARAMETER.split(body)):
        yield int(piece) - 1 if at % 2 else piece
