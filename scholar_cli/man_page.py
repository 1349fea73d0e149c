"""The manual page scholar(1), generated from the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scholar_cli.command_reference import EXIT_CODES, CommandEntry, entries

NAME = "find passages, check and cite quotations, and identify speakers in your books"

VARIABLES = {
    "SCHOLAR_HOME": "the folder for everything that scholar stores, instead of the user folders",
    "SCHOLAR_MODEL, SCHOLAR_OFFLINE, ...": "any setting listed by scholar config show",
    "SCHOLAR_DEBUG": "show the traceback of an unexpected error",
    "NO_COLOR": "print without colours",
}


def page() -> str:
    """Return the page in man(7) macros."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield '.TH SCHOLAR 1 "" scholar "User Commands"'
    yield from (".SH NAME", f"scholar \\- {_escape(NAME)}")
    yield from (".SH SYNOPSIS", ".B scholar", ".I COMMAND", "[OPTIONS] [ARGUMENTS]")
    yield ".SH DESCRIPTION"
    yield "Results go to standard output, messages and progress to standard error."
    yield from (".SH COMMANDS", *(line for entry in entries() for line in _command(entry)))
    yield from (".SH EXIT STATUS", *_list({str(code): text for code, text in EXIT_CODES.items()}))
    yield from (".SH ENVIRONMENT", *_list(VARIABLES))


def _command(entry: CommandEntry) -> Iterator[str]:
    yield f".SS {_escape(entry.path)}"
    for paragraph in re.split(r"\n\s*\n", entry.help):
        yield from (".PP", _escape(" ".join(paragraph.split())))
    if entry.usage:
        yield from (".PP", f"\\fB{_escape(entry.usage)}\\fR")
    yield from _list(dict(entry.parameters))


def _list(texts: dict[str, str]) -> Iterator[str]:
    """Yield a list of terms with their descriptions."""
    for term, text in texts.items():
        yield from (".TP", f"\\fB{_escape(term)}\\fR", _escape(text) or "\\&")


def _escape(text: str) -> str:
    """Escape text so that roff prints it as it is, without escapes or a request at its start."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
