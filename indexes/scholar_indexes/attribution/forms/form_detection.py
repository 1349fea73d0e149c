"""The form of each quotation: speech, thought, or text that nobody in the scene says.

A quotation is speech unless a rule says otherwise. The rules favour precision over recall: speech
that is mistaken for something else loses its speaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scholar_indexes.attribution.cues.surroundings import (
    QUOTATION_EDGES,
    Surroundings,
    find_surroundings,
)
from scholar_indexes.attribution.forms import layout, patterns
from scholar_indexes.stopping import checked
from scholar_indexes.types import Attribution, Quotation, QuotationForm, QuoteKind, Span

_WRITTEN = frozenset({QuotationForm.LETTER, QuotationForm.SIGN, QuotationForm.TITLE})

_SHORT = 7
"""The most words in a title, and in a mentioned word or phrase."""

_CAPITALISED = 4
"""The most words in a mentioned phrase that begins with a capital letter."""

_LEAD = 160
_TAIL = 100
"""The number of characters of narration read before a quotation and after it."""

_CONVERSATION = 130
"""The most characters of narration between two turns of an inner conversation."""

_CLAUSES = 80
"""The number of characters before a quotation in which a verb of speech is a cue."""

_INNER_MARKS = frozenset("\"'“‘")
_AFTER = tuple(".;)")
_ENDS_OF_SENTENCE = ".!?:"
_EXCLAIMS = "!?"
_ENDS_OF_SPEECH = ".!?…-—–:;"
_CLAUSE = re.compile(r"[^,.;:!?—]*")


def find_forms(
    text: str, quotations: Sequence[Quotation], chapters: Sequence[Span] = ()
) -> list[QuotationForm]:
    """Return the form of each quotation.

    `quotations` are in text order; `chapters` are the bodies of chapters, which may begin with an
    epigraph. Takes time linear in the text.
    """
    surroundings = find_surroundings(text, quotations)
    heads = layout.chapter_heads(chapters, quotations)
    readings = [_Reading(text, quotation, surroundings) for quotation in checked(quotations)]
    forms = [
        QuotationForm.VERSE
        if number in heads and layout.is_epigraph(text, reading.quotation, heads[number])
        else reading.form()
        for number, reading in enumerate(checked(readings))
    ]
    for number, reading in enumerate(readings):
        if reading.is_inner_voice:
            for turn in _turns_around(readings, number):
                forms[turn] = QuotationForm.THOUGHT
    return forms


def with_forms(
    attributions: Sequence[Attribution], forms: Sequence[QuotationForm]
) -> list[Attribution]:
    """Return the attributions with their forms, without a speaker if the form has none."""
    return [
        replace(attribution, form=form)
        if form.has_speaker
        else Attribution(None, QuoteKind.IMPLICIT, None, 0.0, form)
        for attribution, form in zip(attributions, forms, strict=True)
    ]


class _Reading:
    """A quotation with the narration around it, as the patterns read it."""

    def __init__(
        self, text: str, quotation: Quotation, surroundings: Mapping[Span, Surroundings]
    ) -> None:
        self.quotation = quotation
        self._text = text
        pieces = quotation.pieces
        before = surroundings[pieces[0]].before
        lead = Span(max(before.start, before.end - _LEAD), before.end).of(text)
        self._lead = " ".join(lead.rstrip(QUOTATION_EDGES).split())
        self._tails = [(piece, self._tail(surroundings[piece].after)) for piece in pieces]
        self.is_inner_voice = self._matches_inner_voice()

    def form(self) -> QuotationForm:
        """Return the form that the first matching rule gives."""
        if form := self._match_tails():
            return form
        if self.has_speech_tag():
            return QuotationForm.SPEECH
        form = self._match_lead() or self._match_layout()
        if form in _WRITTEN and self._is_read_aloud():
            return QuotationForm.SPEECH
        return form or QuotationForm.SPEECH

    def has_speech_tag(self) -> bool:
        """Return True if "said Ann" or "she replied" follows a piece."""
        return any(patterns.SPEECH_TAG.match(tail) for _, tail in self._tails)

    def has_cue(self) -> bool:
        """Return True if a verb of speech is in the narration before or after the quotation."""
        return self.has_speech_tag() or self._has_speech_before()

    def _has_speech_before(self) -> bool:
        return bool(patterns.SPEECH_VERB.search(self._lead[-_CLAUSES:]))

    def _is_read_aloud(self) -> bool:
        """Return True if written text is read to others: the narration says so, or the reader
        quotes it and continues with words of his own."""
        first = self._text[self.quotation.span.start]
        return first in _INNER_MARKS or bool(patterns.READ_ALOUD.search(self._lead))

    def _tail(self, after: Span) -> str:
        behind = Span(after.start, min(after.end, after.start + _TAIL)).of(self._text)
        return " ".join(behind.lstrip(QUOTATION_EDGES + ",-—–").split())

    def _matches_inner_voice(self) -> bool:
        lead, tail = patterns.INNER_VOICE
        return bool(
            lead.pattern.search(self._lead)
            or any(tail.pattern.match(behind) for _, behind in self._tails)
        )

    def _match_tails(self) -> QuotationForm | None:
        for piece, tail in self._tails:
            if not tail or patterns.ALOUD.search(_first_clause(tail)):
                continue
            begins_sentence = tail[0].isupper() and piece.of(self._text).rstrip("_")[-1:] == "."
            for row in patterns.TAIL:
                if row.pattern.match(tail) and (row.begins_sentence or not begins_sentence):
                    return row.form if self._suits(row.form) else None
        return None

    def _match_lead(self) -> QuotationForm | None:
        for row in patterns.LEAD:
            if row.pattern.search(self._lead):
                return row.form if self._suits(row.form) else None
        speaks_of_verse = patterns.POEM.search(self._lead) and not patterns.SUNG.search(self._lead)
        if speaks_of_verse and layout.is_set_as_verse(self._text, self.quotation):
            return QuotationForm.VERSE
        return None

    def _match_layout(self) -> QuotationForm | None:
        if self._has_speech_before():
            return None
        if layout.is_letter(self._text, self.quotation):
            return QuotationForm.LETTER
        return QuotationForm.WORD if self._is_fragment() else None

    def _suits(self, form: QuotationForm) -> bool:
        """Return True if a quotation may have a form; a title and a word are short."""
        if form not in (QuotationForm.TITLE, QuotationForm.WORD):
            return True
        words = self._short_words()
        if form is QuotationForm.TITLE or not words:
            return bool(words)
        return words[-1][-1] not in _EXCLAIMS and not self._has_speech_before()

    def _short_words(self) -> list[str]:
        """Return the words of a quotation of one piece, none if it is long."""
        if len(self.quotation.pieces) > 1:
            return []
        words = self.quotation.of(self._text).strip("_").split(maxsplit=_SHORT)
        return words if len(words) <= _SHORT else []

    def _is_fragment(self) -> bool:
        """Return True for a few words within a sentence of the narration that has no cue."""
        words = self._short_words()
        tail = self._tails[-1][1]
        if not words or words[-1][-1] in _ENDS_OF_SPEECH or not self._is_within_sentence():
            return False
        if words[0][0].isupper():
            is_phrase = words[-1][-1] != "," and len(words) <= _CAPITALISED
            return is_phrase and tail[:1].islower()
        return tail[:1].islower() or tail[:1] in _AFTER

    def _is_within_sentence(self) -> bool:
        """Return True if the sentence continues after a quotation without a verb of speech."""
        if not self._lead or self._lead[-1] in _ENDS_OF_SENTENCE:
            return False
        return patterns.SPEECH_VERB.search(_first_clause(self._tails[-1][1])) is None


def _first_clause(tail: str) -> str:
    match = _CLAUSE.match(tail)
    return match.group() if match else ""


def _turns_around(readings: Sequence[_Reading], number: int) -> Iterator[int]:
    """Yield a quotation and the turns around it of the same inner conversation: none has a cue of
    its own, and little narration comes between them."""
    yield number
    for step in (-1, 1):
        turn = number + step
        while 0 <= turn < len(readings) and not readings[turn].has_cue():
            spans = sorted(readings[index].quotation.span for index in (turn, turn - step))
            if spans[1].start - spans[0].end > _CONVERSATION:
                break
            yield turn
            turn += step
