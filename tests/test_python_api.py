"""The Python API: the examples of its page, and its methods for the commands."""

from __future__ import annotations

import doctest
import gc
import re
import weakref
from operator import attrgetter
from pathlib import Path

from command_line import Scholar, succeeded
from scholar_cli.main import COMMANDS
from scholar_indexes.library import Library
from scholar_indexes.results import CitationStyle
from scholar_indexes.serialize import citations, concordance, quotations
from scholar_indexes.serialize.evidence import evidence_record
from scholar_indexes.serialize.passages import extract_record

PAGE = Path(__file__).parents[1] / "docs" / "programs.md"

WITHOUT_METHOD = {"tui", "mcp", "serve", "config", "doctor", "demo", "completion"}
"""Front ends, and commands about the program itself."""


def test_the_examples_give_what_the_page_says(sample: Path) -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 15
    assert result.failed == 0


def test_every_journey_has_its_method() -> None:
    section = PAGE.read_text("utf-8").partition("## From Python")[2]
    rows = re.findall(r"^\| (`.+?) \| (.+) \|$", section, re.MULTILINE)
    named = {command.split()[0] for row, _ in rows for command in re.findall(r"`([^`]+)`", row)}
    assert named == set(COMMANDS) - WITHOUT_METHOD
    library = Library.of_user()
    for _, methods in rows:
        for name in re.findall(r"`(?!serialize)([a-z_.]+)`", methods):
            attrgetter(name)(library)  # raises AttributeError for a name that does not exist


def test_the_api_gives_what_the_commands_print(scholar: Scholar, sample: Path) -> None:
    library = Library.of_user()
    claim, quote, place = "a proud man", "it is a truth universaly acknowledged", "pg1342:1.1"

    def printed(*arguments: str) -> object:
        return succeeded(scholar(*arguments, "--json")).json

    hits = library.find(claim, n=3)
    records = [evidence_record(rank, hit) for rank, hit in enumerate(hits, 1)]
    assert printed("find", claim, "-n", "3") == records
    [places] = library.locate([quote])
    assert printed("locate", quote) == [quotations.located_record(quote, places)]
    assert printed("show", place, "--context", "0") == extract_record(library.show(place))
    [cited] = library.cite([place])
    assert printed("cite", place) == [citations.cited_record(cited, CitationStyle.MLA)]
    lines = map(concordance.line_record, library.concordance.lines("truth", books=["pride"]))
    assert printed("kwic", "truth", "-b", "pride") == list(lines)
    counted = library.concordance.frequencies("truth")
    frequencies = [concordance.frequency_record(part) for part in counted]
    assert printed("kwic", "truth", "--frequency", "book") == frequencies


def test_a_library_that_is_let_go_has_no_files_open(sample: Path) -> None:
    """Services with circular references would keep the files of an index open until the next
    garbage collection, and a disk could not be unmounted."""
    library = Library.of_user()
    library.find("a proud man", n=1)
    library.cite(["pg1342:1.1"])
    index = weakref.ref(library.passages)
    gc.disable()
    try:
        del library
        assert index() is None
    finally:
        gc.enable()
