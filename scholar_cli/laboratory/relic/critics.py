"""Extract the prose of a critic around a quotation: clean sentences that repeat none of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scholar_cli.laboratory.relic.relic_data import fold
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.books.segmentation.sentences import SEARCHED, paragraph_spans, sentence_spans
from scholar_indexes.quotations.words import WordSequence, grams, number_words
from scholar_indexes.types import Span

MAX_SENTENCES = 4
MAX_EXAMINED = 8
"""Sentences on a side that are used, and that are examined, at most."""

MIN_FRAGMENT = 3
"""Words of a part of a sentence before or after a quotation, at least."""

VERSE = 120
"""Characters of the longest line of verse."""

INSIDE = 1500
"""Characters between a quotation mark and the words known to be quoted, at most."""

SPEAKER, STRAY = 3, 12
"""Words before an extract in its paragraph, at most: the name of its speaker, and any words if a
colon above introduces it."""

_OPENS = "“\"‘'«"
_CLOSES = "”\"’'»"
_PAIRS = (("“", "”"), ("«", "»"), ('"', '"'))
_OPENED = re.compile(r"(?:[“«‘]|(?<![^\s(\[—_-])[\"'])[_\[(.…*\s—-]*$")
_CLOSED = re.compile(
    r"[\s_\])}.,;:!?…*—-]*(?:[”»]|\"(?![^\W_]))[_\])},.;!?]*"
    r"|[_\])}.,;:!?…*-]*[’'](?![^\W_])[_\])},.;!?]*"
)
_LED = re.compile(r"(?:[:,]\s?[-–—]+|[:—]|--)[\s_]*$")
_SINGLE_OPENS = re.compile(
    r"(?:^|(?<=[\s(—-]))[‘'](?!t(?:is|was|were|will)\b|em\b)(?=[^\W_])[^‘’'.;:!?]{0,40}$"
)
_SINGLE_CLOSES = re.compile(r"[^‘’'.;:!?]{0,40}[.,;:!?]?[’'](?![^\W_])[.,;!?]?")
_AROUND = " \n_[(.…,;:!?-—*=~"
_NUMERAL = r"(?:\d+|[ivxlc]+)"
_PLACE = (
    r"(?:pp?|pages?|chaps?|chapters?|ch|vols?|volumes?|books?|bk|acts?|sc|scenes?|cantos?|"
    r"lines?|ll?|stanzas?|st|sections?|sect|letters?|part|nos?|see|ibid|id|and|of|the)"
)
_CITATION = re.compile(
    rf"\s*[(\[](?:\s*(?:{_PLACE}\b|{_NUMERAL}\b)[.,;:\s–—-]*)+[)\]]", re.IGNORECASE
)
_PLACED = re.compile(
    r"\s*[(\[][^()\[\]\n]{0,60}\b(?:[ivxlc]+|act [ivx\d]+)=?[.,]=? ?(?:sc\w*\.? ?)?"
    r"(?:\d+|[ivxlc]+\b)[^()\[\]\n]{0,60}[)\]]",
    re.IGNORECASE,
)
_NOTE_MARK = re.compile(
    r"\s?\[(?:\d{1,4}|[A-Za-z]|\*+|(?:Footnote|Note|Sidenote|Illustration)\b[^\]]*)\]"
    r"|\{\w{1,5}\}|(?<=[\w.,;:!?”\"’'])[*†‡§]+|(?<=[a-z.,;:!?”\"’'])\(\d{1,2}\)"
)
_NOTE = re.compile(r"\s*(?:\[?\(?(?:\d{1,4}|[A-Z*†‡§])[\])]|[*†‡§]|\[?(?:Foot)?notes?\b)", re.I)
_LISTED = re.compile(r"(?:[.\s]{4,}|, ?)\d{1,4}(?:[,–-] ?\d{1,4})*\.?$")
_LEFTOVER = re.compile(
    r"gutenberg|transcriber|https?:|www\.|\bfootnote\b|\bibid\b|\billustration[:\]]", re.I
)
_SPOKEN = re.compile(r"[“\"][‘']")
"""The start of direct speech within a longer quotation."""

_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Quoting:
    """The span of a quotation in its critic, and whether it is marked as one."""

    span: Span
    marked: bool


class Critic:
    """A critic's text, its words, and its prose."""

    def __init__(self, id: str, text: str) -> None:
        self.id = id
        self._original = text
        self.text = text = _blank_marks(text)
        self.words: WordSequence = number_words(text)
        self._bodies = [
            chapter.body for chapter in divide(self._original) if chapter.kind in SEARCHED
        ]
        self._split: dict[Span, tuple[Span, ...]] = {}
        self._paragraphs: dict[Span, tuple[Span, ...]] = {}

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that are written with a capital, folded."""
        capital = set(re.findall(r"[^\W\d_a-z][^\W\d_]+", self.text))
        return frozenset(word for name in capital for word in fold(name).split())

    def occurrences(self, phrase: str) -> list[int]:
        """Return the numbers of the words at which a phrase starts in this text."""
        numbers = number_words(phrase).numbers
        if not len(numbers):
            return []
        runs = grams(self.words.numbers, len(numbers))
        return np.flatnonzero(runs == grams(numbers, len(numbers))[0]).tolist()

    def body(self, at: int) -> Span | None:
        """Return the body of the chapter around a character; None outside chapters."""
        n = bisect_right(self._bodies, at, key=lambda body: body.start) - 1
        if n < 0 or at >= self._bodies[n].end:
            return None
        return self._bodies[n]

    def paragraph(self, at: int) -> Span | None:
        """Return the paragraph around a character; None outside chapters."""
        body = self.body(at)
        if body is None:
            return None
        return next((span for span in self._paragraphs_in(body) if span.end > at), None)

    def quoting(self, first: int, to: int) -> Quoting | None:
        """Return the quotation that words [first, to) are part of; None in a table, a note, or
        outside chapters.

        Its span includes its quotation marks, and the changes and omissions between them and the
        words.
        """
        start, end = int(self.words.starts[first]), int(self.words.ends[to - 1])
        above, below = self.paragraph(start), self.paragraph(end - 1)
        if above is None or below is None or self._is_note(above) or self._is_table(above):
            return None
        return self._quoting(start, end, above, below)

    def _quoting(self, start: int, end: int, above: Span, below: Span) -> Quoting:
        """Return the quotation of characters [start, end), from one paragraph to another."""
        before, after = self.text[above.start : start], self.text[end : below.end]
        begin, opened = (0, True) if self._is_verse(above) else _opening(before)
        finish, closed = (len(after), True) if self._is_verse(below) else _closing(after)
        marked = opened or closed or _LED.search(before) is not None
        ahead = len(before.split())
        if not marked and ahead <= STRAY and self._is_led(above):
            begin, marked = 0, True
        elif not marked and max(ahead, len(after.split())) <= SPEAKER:
            begin, finish, marked = 0, len(after), True
        return Quoting(Span(above.start + begin, end + finish), marked)

    def around(
        self, span: Span, leaks: Callable[[str], bool]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the clean sentences before and after a quotation, the nearest last and first."""
        left = _usable(self._before(span.start), leaks)
        right = _usable(self._after(span.end), leaks)
        return tuple(reversed(left)), tuple(right)

    def _before(self, start: int) -> Iterator[str]:
        body = self.body(start)
        if body is None:
            return
        above = [span for span in self._paragraphs_in(body) if span.start < start]
        for paragraph in reversed(above):
            if paragraph.end < start and not self._is_prose(paragraph):
                continue
            for sentence in reversed(self._sentences(paragraph)):
                if sentence.end <= start:
                    yield _clean(sentence.of(self.text))
                elif sentence.start < start:
                    yield _clean(self.text[sentence.start : start].rstrip(" _" + _OPENS))

    def _after(self, end: int) -> Iterator[str]:
        body = self.body(end - 1)
        if body is None:
            return
        for paragraph in self._paragraphs_in(body):
            if paragraph.end <= end or (paragraph.start >= end and not self._is_prose(paragraph)):
                continue
            for sentence in self._sentences(paragraph):
                if sentence.start >= end:
                    yield _clean(sentence.of(self.text))
                elif sentence.end > end:
                    yield _clean(self.text[end : sentence.end].lstrip(_CLOSES + _AROUND))

    def _paragraphs_in(self, body: Span) -> tuple[Span, ...]:
        if body not in self._paragraphs:
            self._paragraphs[body] = tuple(paragraph_spans(self.text, body))
        return self._paragraphs[body]

    def _sentences(self, paragraph: Span) -> tuple[Span, ...]:
        if paragraph not in self._split:
            self._split[paragraph] = tuple(sentence_spans(self.text, paragraph))
        return self._split[paragraph]

    def _is_note(self, paragraph: Span) -> bool:
        return _NOTE.match(self._original, paragraph.start, paragraph.end) is not None

    def _is_verse(self, paragraph: Span) -> bool:
        return "\n" in paragraph.of(self.text)

    def _is_led(self, paragraph: Span) -> bool:
        """Return True if the text above a paragraph ends with a colon or a dash."""
        above = self.text[max(0, paragraph.start - 10) : paragraph.start]
        return _LED.search(above) is not None

    def _is_table(self, paragraph: Span) -> bool:
        """Return True if a paragraph has several lines, some longer than verse: columns."""
        lines = paragraph.of(self.text).split("\n")
        return len(lines) > 1 and max(map(len, lines)) > VERSE

    def _is_prose(self, paragraph: Span) -> bool:
        """Return True if a paragraph is the critic's prose: no verse, table, heading or note."""
        text = paragraph.of(self.text)
        if self._is_verse(paragraph) or self._is_note(paragraph) or _LISTED.search(text):
            return False
        return len(text) > 60 or text.rstrip("_*'\"”’ )]").endswith((".", "!", "?", ":", ",", "-"))


def _opening(before: str) -> tuple[int, bool]:
    """Return the offset at which a quotation begins in the text of its paragraph before its first
    known word, and whether a mark opens it there."""
    if _OPENED.search(before):
        return len(before.rstrip(_OPENS + "_[(.…*- \n")), True
    for opens, closes in _PAIRS:
        at = before.rfind(opens)
        # Straight marks open and close in turn.
        opened = before.count(opens) % 2 == 1 if opens == closes else closes not in before[at:]
        if opened and at >= 0 and len(before) - at <= INSIDE:
            return at, True
    changed = _SINGLE_OPENS.search(before)
    if changed:
        return changed.start(), True
    return len(before.rstrip("_[(.…*- \n")), False


def _closing(after: str) -> tuple[int, bool]:
    """Return the offset at which a quotation ends in the text of its paragraph after its last
    known word, and whether a mark closes it there."""
    closing = _CLOSED.match(after)
    if closing:
        return closing.end(), True
    for opens, closes in _PAIRS:
        at = after.find(closes)
        closed = after.count(closes) % 2 == 1 if opens == closes else opens not in after[:at]
        if closed and 0 <= at <= INSIDE:
            return at + 1, True
    changed = _SINGLE_CLOSES.match(after)
    return (changed.end(), True) if changed else (0, False)


def _usable(sentences: Iterable[str], leaks: Callable[[str], bool]) -> list[str]:
    """Return the first MAX_SENTENCES proper sentences that leak nothing of the work."""
    usable: list[str] = []
    for number, sentence in enumerate(sentences, 1):
        if _is_sentence(sentence, nearest=number == 1) and not leaks(sentence):
            usable.append(sentence)
        if len(usable) == MAX_SENTENCES or number == MAX_EXAMINED:
            break
    return usable


def _is_sentence(text: str, nearest: bool) -> bool:
    words = text.split()
    shortest = MIN_FRAGMENT if nearest else 2
    if len(words) < shortest or _LEFTOVER.search(text) or _SPOKEN.match(text):
        return False
    letters = len(_LETTER.findall(text))
    if not any(len(word) > 3 and word.strip(".,;:").islower() for word in words):
        return False  # "iv. iii.", "Mr. Pickwick."
    return letters >= 0.6 * len(text.replace(" ", "")) and not text.isupper()


def _blank_marks(text: str) -> str:
    """Return a text with spaces for note marks and for references in brackets, such as "(p. 34)",
    which would split sentences and reveal passages; all offsets stay the same."""
    for pattern in (_NOTE_MARK, _CITATION, _PLACED):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


def _clean(text: str) -> str:
    """Return a sentence without emphasis marks."""
    text = " ".join(text.replace("_", "").replace("=", "").split())
    return re.sub(r" +([,.;:!?])", r"\1", text)
