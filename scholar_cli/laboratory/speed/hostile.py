"""Measurement of texts made to be slow, whose time should grow linearly with their length."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from scholar_cli.laboratory.speed.command_speed import SpeedFigure
from scholar_indexes.types import Chapter, ChapterKind, Span

Work = Callable[[str], object]

_BOOK = "“Yes,” said Anna. “No!” cried Tom.\n\n" * 3

_CHAPTERS = {
    "one line of letters": "a" * 5_000_000,
    "one line of spaces": " " * 5_000_000,
    "one line of numerals": "I " * 2_500_000,
    "one line of keywords": "CHAPTER " * 600_000,
    "a numeral in every block": "I\n\n" * 20_000,
    "one chapter repeated": "CHAPTER I\n\n" * 12_000,
    "one preface repeated": "PREFACE\n\n" * 12_000,
    "contents repeated": "CONTENTS\n\nI\n\n" * 10_000,
    "blank lines": "\n" * 3_000_000,
}

_FORMS = {
    "salutations": "“" + "MY DEAR " * 20_000 + "”\n\n",
    "narration": "He thought" + " and wrote" * 20_000 + ": “Yes.”\n\n",
    "a signature": "“Yours" + ", " * 50_000 + "”" + "\n" * 50_000,
    "inner voices": "“Why?” said his will.\n\n" * 5_000,
}

_SENTENCES = {
    **{
        f"{unit!r} repeated": "He " + unit * (40_000 // len(unit)) for unit in ('"', "“", "a.", "(")
    },
    "two megabytes in a line": "No. " + "the rain fell and " * 110_000,
}

_LINES = {f"{unit!r} repeated": unit * 80_000 for unit in ("a", "word ", "\n", "漢", "e\u0301")}


def run() -> Iterator[SpeedFigure]:
    """Yield the seconds for each text, as they are measured."""
    parts: dict[str, tuple[dict[str, str], Work, float]] = {
        "chapters": (_CHAPTERS, _divide, 3),
        "forms of quotations": (_FORMS, _find_forms, 3),
        "sentences": (_SENTENCES, _read_sentences, 6),
        "plays": (_plays(), _read_play, 3),
        "speakers": ({"a thousand names": _novel()}, _attribute, 60),
        "lines of a page": (_LINES, _break_lines, 3),
    }
    for part, (texts, work, most) in parts.items():
        for name, text in texts.items():
            began = time.process_time()
            work(text)
            seconds = time.process_time() - began
            what = f"{part}: {name}"
            yield SpeedFigure(what, seconds, "s", f"under {most:g}", seconds < most)


def _divide(text: str) -> object:
    from scholar_indexes.books.segmentation.chapters import divide

    return divide(text)


def _find_forms(text: str) -> object:
    from scholar_indexes.attribution.forms.form_detection import find_forms
    from scholar_indexes.attribution.quotes.quote_detection import find_quotations

    whole = _BOOK + text
    return find_forms(whole, find_quotations(whole), [Span(0, len(whole))])


def _read_sentences(text: str) -> object:
    from scholar_indexes.books.segmentation.sentences import paragraph_spans, sentence_spans

    paragraphs = paragraph_spans(text, Span(0, len(text)))
    return sum(1 for paragraph in paragraphs for _ in sentence_spans(text, paragraph))


def _read_play(text: str) -> object:
    from scholar_indexes.attribution.plays import read_play

    return read_play(text, [Span(0, len(text))])


def _attribute(text: str) -> object:
    from scholar_indexes.attribution import pipeline

    body = Span(0, len(text))
    chapter = Chapter(1, "Chapter 1", (), ChapterKind.CHAPTER, body, body)
    return pipeline.attribute_book(text, [chapter], pipeline.SIEVE)


def _break_lines(text: str) -> object:
    from scholar_tui.widgets.line_breaking import break_lines

    return break_lines(text, Span(0, len(text)), 76)


def _plays() -> dict[str, str]:
    """Return texts with five thousand possible headings of a play."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    listed = "".join(f"Na{chr(97 + n % 26)}{'me' * (n // 26)}, a lord.\n" for n in range(300))
    return {
        "names": "".join(f"A{'a' * (n % 9)}{chr(97 + n % 26)} came in.\n\n" for n in range(5_000)),
        "no headings": "".join(f"{'A' * 30}{n}. It is late.\n\n" for n in range(5_000)),
        "a list of persons": f"PERSONS REPRESENTED.\n\n{listed}\nACT I.\n\n"
        + "".join(f"Na{chr(97 + n % 26)}{'me' * (n // 26 % 20)}. Go.\n\n" for n in range(5_000)),
        "a cast": "".join(
            f"SPEAKER {letters[n % 26]}{letters[n // 26 % 26]}. Go.\n\n" for n in range(5_000)
        ),
    }


def _novel() -> str:
    """Return a novel in which a thousand people speak."""
    endings = ("dan", "fer", "gis", "kel", "lom", "mur", "nap", "pos", "rud", "tiv")
    names = (
        f"{first}{vowel}{last}{ending}"
        for first in "BDFGHJKLMN"
        for vowel in "aeiou"
        for last in "rl"
        for ending in endings
    )
    return "".join(
        f"“It is late,” said Mr. {name}.\n\nMr. {name} rose. Mr. {name} left.\n\n" for name in names
    )
