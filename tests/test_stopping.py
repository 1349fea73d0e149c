"""Long work checks often enough whether its answer is still wanted.

The work between two checks is measured in function calls, of which even a slow processor makes far
more than a hundred thousand in a second.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from scholar_indexes import stopping
from scholar_indexes.attribution import features, pipeline
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.quotations.essays import reading
from scholar_indexes.quotations.essays.stretches import SEARCHED
from scholar_indexes.results import EssayFormat
from scholar_indexes.types import Chapter, ChapterKind, Span

MOST_CALLS = 30_000
"""The maximum of calls between two checks while an essay is read."""

MOST_CALLS_OF_A_NOVEL = 80_000
"""The same for the attribution of a chapter, where names are merged in one step."""


def longest_stretch(work: Callable[[], object]) -> int:
    """Return the largest number of function calls that some work makes without a check."""
    calls, most = 0, 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls, most
        if event in ("call", "c_call"):
            calls += 1
            most = max(most, calls)

    def check() -> None:
        nonlocal calls
        calls = 0

    with stopping.stopped_by(check):
        sys.setprofile(count)
        try:
            work()
        finally:
            sys.setprofile(None)
    return most


def test_a_check_comes_before_each_item_or_every_n_items() -> None:
    asked: list[str] = []
    with stopping.stopped_by(lambda: asked.append("check")):
        for item in stopping.checked("ab"):
            asked.append(item)
        for item in stopping.checked("cdefg", 2):
            asked.append(item)
    assert asked == ["check", "a", "check", "b", *"check c d check e f check g".split()]


UNITS = {
    "lines": "word\n",
    "paragraphs": "word\n\n",
    "words": "word ",
    "straight marks": '"a ',
    "single marks": "'a ",
    "curly marks": "‘a ",
    "quotations": "“a b” ",
    "signs of notes": "x¹ ",
    "commands and tags": "\\emph{a} <b>b</b> ",
    "links": "[a](b) ",
    "quoted lines": "> a\n",
    "items": "- a\n",
    "rows": "|a|b|\n",
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("format", [it for it in EssayFormat if it is not EssayFormat.WORD])
def test_an_essay_of_one_thing_for_ever_can_be_stopped(format: EssayFormat, unit: str) -> None:
    text = unit * 4_000
    reading.quotations_of_text("a", format)  # modules imported once do not count
    assert longest_stretch(lambda: reading.quotations_of_text(text, format)) < MOST_CALLS


def test_a_paragraph_without_a_mark_is_searched_in_parts() -> None:
    checks = []
    with stopping.stopped_by(lambda: checks.append(1)):
        reading.quotations_of_text("a" * 2_000_000, EssayFormat.PLAIN)
    assert len(checks) > 2_000_000 // SEARCHED * 2, "for quotation marks, and for notes"


@pytest.mark.parametrize("mark", ["“", '"', "'"])
@pytest.mark.parametrize("before", [199_990, 200_000, 200_010])
def test_a_mark_at_the_edge_of_a_part_is_found(mark: str, before: int) -> None:
    closing = "”" if mark == "“" else mark
    text = "a " * (before // 2) + f"{mark}the light{closing} and 'twas so"
    quotations = reading.quotations_of_text(text, EssayFormat.PLAIN)
    assert [quotation.text for quotation in quotations] == ["the light"]


def novel() -> tuple[str, Chapter]:
    """Return a chapter in which a hundred people speak."""
    names = [
        f"{a}{e}{b}{c}" for a in "BDFGH" for e in "aeiou" for b in "rl" for c in ("dan", "fer")
    ]
    text = "".join(
        f"“It is late,” said Mr. {name}.\n\nMr. {name} rose. He saw Mr. {name} in the town.\n\n"
        for name in names * 6
    )
    body = Span(0, len(text))
    return text, Chapter(1, "Chapter 1", (), ChapterKind.CHAPTER, body, body)


def test_the_attribution_of_a_chapter_can_be_stopped_at_every_step() -> None:
    text, chapter = novel()

    def work() -> object:
        return pipeline.attribute_book(text, [chapter], pipeline.SIEVE)

    work()  # files read and patterns compiled once do not count
    assert longest_stretch(work) < MOST_CALLS_OF_A_NOVEL
    quotations = find_quotations(text)
    cast = detect_cast(text, quotations)

    def extract() -> None:
        sieve = Sieve(text, quotations, cast)
        sieve.run()
        book = features.BookFeatures(sieve)
        features.extract_features(book, features.guess_by_rules(sieve))

    assert longest_stretch(extract) < MOST_CALLS_OF_A_NOVEL
