"""The speakers of the open book: their colours, the legend, and steps between quotations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from scholar_indexes.errors import NoMatch, ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress, Span
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen
from scholar_tui.widgets.book_text import SPEAKERS, TextStyle
from scholar_tui.widgets.emphasized import emphasized

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import (
        BookNavigator,
        QuotationCount,
        QuotationIndex,
    )
    from scholar_indexes.results import AttributedQuote
    from scholar_tui.screens.reader import ReaderScreen

COLOURS_CHOICE = "reader.colours"
"""The name of the remembered choice whether speakers are in colour."""

GROUP = "speakers"

SELECTED = "{} {} selected: y copies with the source, s keeps, e writes a note"
LOADING = "finding the speakers, which are then saved; read on meanwhile"


@dataclass(frozen=True, slots=True)
class _FoundSpeakers:
    """The quotations of a book, the styles of their speakers and of guesses, and the fingerprint
    of the applied corrections, None until the quotations are attributed again."""

    index: QuotationIndex
    speaker_styles: list[TextStyle]
    guess_styles: list[TextStyle]
    corrections: str | None


class SpeakerController:
    """Finds the speakers of the open book in a worker and shows them in colours."""

    def __init__(self, screen: ReaderScreen, access: BookmarkAccess) -> None:
        self._screen = screen
        self._access = access
        self._index: QuotationIndex | None = None
        self._speaker_styles: list[TextStyle] = []
        self._guess_styles: list[TextStyle] = []
        self._failure = ""
        """The reason why there are no speakers; empty while they may still come."""
        self._has_no_speakers = False
        self._is_coloured = True
        self.quote: AttributedQuote | None = None
        """The quotation that the user stepped to."""
        self._corrections: str | None = None
        """The fingerprint of the applied corrections; None until all quotations are attributed
        again."""

    def load_choice(self) -> None:
        """Load the choice whether speakers are in colour."""
        self._is_coloured = self._access.choice(COLOURS_CHOICE) != "off"

    def reset(self) -> None:
        """Forget the previous book."""
        self._index, self._failure, self._has_no_speakers = None, "", False
        self._speaker_styles, self._guess_styles, self._corrections = [], [], None
        self.deselect()

    def retry(self) -> None:
        """Find the speakers, unless there are known to be none or nothing has changed."""
        if not self._has_no_speakers:
            self._failure = ""
        reading = self._screen.reading
        if reading is None or self._index is None:
            self.load()
        elif self._corrections != self._screen.library.corrections.fingerprint(reading.book.id):
            self.update()

    def update(self) -> None:
        """Update the speakers after corrections to them, and keep the selected quotation: first
        with the earlier attributions, at once, then with all quotations attributed again."""
        self._find(attribute_again=False)

    def load(self) -> None:
        """Find the speakers, unless they are known or finding them failed."""
        if not self._index and not self._failure:
            self._find()

    def _find(self, *, attribute_again: bool = True) -> None:
        reading = self._screen.reading
        if reading is None:
            return
        library, book_id = self._screen.library, reading.book.id

        def find(progress: Progress) -> _FoundSpeakers:
            from scholar_indexes.books.reading.book_navigator import QuotationIndex

            corrections = library.corrections.fingerprint(book_id)
            quotes = library.speakers(book_id, progress=progress, attribute_again=attribute_again)
            index = QuotationIndex(quotes)
            applied = corrections if attribute_again else None
            return _FoundSpeakers(index, *quotation_styles(index), applied)

        def receive(speakers: _FoundSpeakers) -> None:
            self._receive(reading, speakers)
            if not attribute_again:
                self._find()

        self._screen.run_in_worker(
            find,
            receive,
            on_error=lambda refusal: self._fail(reading, refusal),
            group=GROUP,
        )
        self.show_legend()

    def quotes_within(self, span: Span) -> list[AttributedQuote]:
        """Return the quotations in a span; none while the speakers are unknown."""
        return self._index.within(span) if self._index else []

    @property
    def counts(self) -> dict[str, QuotationCount]:
        """The numbers of quotations and thoughts by speaker id; empty while the speakers are
        unknown."""
        return self._index.counts if self._index else {}

    def names_near(self, quote: AttributedQuote, count: int) -> list[str]:
        """Return the names of the speakers of the quotations before and after one, at most
        `count` on either side, the nearest first."""
        from scholar_indexes.books.reading.book_navigator import speaker_of

        quotes = self._index.quotes if self._index else []
        row = next((row for row, other in enumerate(quotes) if other == quote), 0)
        rows = range(max(0, row - count), min(len(quotes), row + count + 1))
        nearest = sorted(set(rows) - {row}, key=lambda other: abs(other - row))
        speakers = (speaker_of(quotes[other]) for other in nearest)
        return list(dict.fromkeys(speaker.name for speaker in speakers if speaker))

    def toggle_colours(self) -> None:
        self._is_coloured = not self._is_coloured
        self._apply_colours()
        self.show_legend()
        self._access.set_choice(COLOURS_CHOICE, "on" if self._is_coloured else "off")

    def show_legend(self, *_: object) -> None:
        """Show the names of the speakers in view, in their colours, after notes without another
        place."""
        muted = "$foreground-muted"
        if selected := self._screen.page.selected:
            words = len(selected.of(self._screen.page.text).split())
            content = Content.styled(SELECTED.format(words, "word" + "s" * (words != 1)), muted)
        elif self._failure:
            content = Content.styled(one_line(self._failure, 300), muted)
        elif self._index is None:
            content = Content.styled(LOADING, muted)
        elif not self._is_coloured:
            content = Content.styled("colours are off; v brings them back", muted)
        else:
            content = legend(self._index, self._screen.page.visible_span)
        notes = self._screen.annotations.notes_below(self._screen.page.visible_span)
        if notes.plain and not self._screen.page.selected:
            content = Content("   ").join([notes, content])
        line = self._screen.query_one("#legend", Static)
        if line.content != content:
            line.update(content, layout=False)
        self._screen.side.show()

    def cards(self, visible: Span) -> list[Content]:
        """Return a card for each speaker in a span, with counts there and in total."""
        from scholar_indexes.books.reading.book_navigator import count_quotations

        index = self._index
        if index is None:
            return []
        return [
            Content.assemble(
                (one_line(index.cast[who].name, 60), f"bold $speaker-{colour_number(index, who)}"),
                f"\n{_share_phrase(here, index.counts[who])} here",
                (_other_names(index, who), "$foreground-muted"),
            )
            for who, here in count_quotations(index.within(visible)).items()
        ]

    def step(self, by: int, *, same_speaker: bool) -> None:
        """Go to the next quotation or the previous one, of the same speaker if requested."""
        from scholar_indexes.books.reading.book_navigator import speaker_of

        index = self._require_index()
        if index is None:
            return
        current = speaker_of(self.quote) if self.quote and same_speaker else None
        character_id = current.id if current else None
        visible = self._screen.page.visible_span
        span = self.quote.quotation.span if self.quote else None
        if span is not None and self._screen.place.is_partly_in_view(span):
            start = span.start
        else:  # none yet, or the user has scrolled away from it
            start = visible.start - 1 if by > 0 else visible.end
        quote = index.next(start, speaker_id=character_id, back=by < 0)
        if quote is None:
            name = one_line(index.cast[character_id].name, 60) if character_id else "anyone"
            side = "after" if by > 0 else "before"
            self._screen.show_message(f"no quotation by {name} {side} this")
        else:
            self.select(quote)

    def select_at(self, position: int) -> None:
        """Select the quotation at a position, if there is one."""
        if self._index and (quote := self._index.at(position)):
            self.select(quote)

    def select(self, quote: AttributedQuote) -> None:
        """Show a quotation, its speaker and the evidence for the speaker."""
        assert self._index
        self._screen.page.select(None)
        self._screen.reading_position.jump_into_view(quote.quotation.span)
        self._show_quote(self._index, quote)

    def _show_quote(self, index: QuotationIndex, quote: AttributedQuote) -> None:
        self.quote = quote
        self._screen.refresh_bindings()
        self._style_quote()
        self._screen.show_below(describe_quote(index, quote))

    def deselect(self) -> None:
        self.quote = None
        self._screen.refresh_bindings()
        self._style_quote()
        self._screen.query_one("#message").display = False

    def choose_speaker(self) -> None:
        """Let the user choose a speaker, and go to their next quotation."""
        index = self._require_index()
        if index is None:
            return
        choices = [
            ChoiceItem(
                character_id,
                index.cast[character_id].name,
                count_phrase(count),
            )
            for character_id, count in index.counts.items()
        ]
        dialog = ChooseScreen("Quotations of", choices)
        self._screen.app.push_screen(dialog, self._go_to_speaker)

    def _go_to_speaker(self, chosen: list[str] | None) -> None:
        if not chosen or self._index is None:
            return
        start = self._screen.page.visible_span.start - 1
        quote = self._index.next(start, speaker_id=chosen[0]) or self._index.next(
            -1, speaker_id=chosen[0]
        )
        if quote:
            self.select(quote)

    def _require_index(self) -> QuotationIndex | None:
        """Return the index, or show why there is none."""
        if self._screen.reading and self._index is None:
            self._screen.show_message(self._failure or "still finding the speakers; wait a moment")
            if self._failure:
                self.retry()
        return self._index

    def _receive(self, reading: BookNavigator, speakers: _FoundSpeakers) -> None:
        if reading is not self._screen.reading:
            return
        if any(quote.book.sha256 != reading.book.sha256 for quote in speakers.index.quotes[:1]):
            self._screen.loader.reload(reading)
            return
        self._index, self._corrections = speakers.index, speakers.corrections
        self._speaker_styles, self._guess_styles = speakers.speaker_styles, speakers.guess_styles
        if self.quote is not None and (quote := self._index.at(self.quote.quotation.span.start)):
            self._show_quote(self._index, quote)
        self._apply_colours()
        self.show_legend()

    def _fail(self, reading: BookNavigator, refusal: ScholarError) -> None:
        if reading is not self._screen.reading:
            return
        self._failure = str(refusal)
        self._has_no_speakers = isinstance(refusal, NoMatch)
        if not self._has_no_speakers:
            self._screen.show_message(self._failure, severity="error")
        self.show_legend()

    def _apply_colours(self) -> None:
        is_shown = self._index is not None and self._is_coloured
        page = self._screen.page
        page.style_spans("speakers", self._speaker_styles if is_shown else [])
        page.style_spans("unsure", self._guess_styles if is_shown else [])

    def _style_quote(self) -> None:
        """Mark the selected quotation, and the words that identified its speaker."""
        evidence = self.quote.attribution.evidence if self.quote else None
        pieces = self.quote.quotation.pieces if self.quote else ()
        page = self._screen.page
        page.style_spans("quotation", [TextStyle(piece, "current") for piece in pieces])
        page.style_spans("cue", [TextStyle(evidence, "found")] if evidence else [])


def quotation_styles(index: QuotationIndex) -> tuple[list[TextStyle], list[TextStyle]]:
    """Return the styles of the quotations in the colours of their speakers, and the styles of the
    quotations whose speakers are guesses."""
    from scholar_indexes.books.reading.book_navigator import is_uncertain, speaker_of

    speaker_styles, guess_styles = [], []
    for quote in index.quotes:
        character = speaker_of(quote)
        for piece in quote.quotation.pieces:
            if character is not None:
                style = f"speaker-{colour_number(index, character.id)}"
                speaker_styles.append(TextStyle(piece, style))
            if is_uncertain(quote):
                guess_styles.append(TextStyle(piece, "unsure"))
    return speaker_styles, guess_styles


def colour_number(index: QuotationIndex, character_id: str) -> int:
    """Return the number of a character's colour: the most frequent speakers have one each, all
    others share the last."""
    return min(index.ranks[character_id], SPEAKERS - 1)


def count_phrase(count: QuotationCount) -> str:
    """Return the counts of a character in words: "116 quotations, 8 thoughts"."""
    counts = ((count.spoken, "quotation"), (count.thoughts, "thought"))
    return ", ".join(f"{number:,} {noun}{'s' * (number != 1)}" for number, noun in counts if number)


def _share_phrase(here: QuotationCount, count: QuotationCount) -> str:
    """Return the counts of a character at a place: "says 2 of 116, thinks 1 of 8"."""
    says, thinks = zip(here, count, strict=True)
    shares = (("says", *says), ("thinks", *thinks))
    return ", ".join(f"{verb} {part:,} of {whole:,}" for verb, part, whole in shares if part)


def _other_names(index: QuotationIndex, character_id: str) -> str:
    """Return a line with the other names of a character, empty if there are none."""
    character = index.cast[character_id]
    others = [one_line(name, 40) for name in character.aliases if name != character.name]
    return f"\nalso {', '.join(others[:6])}" if others else ""


def legend(index: QuotationIndex, visible: Span) -> Content:
    """Return the names of the speakers of a span, in the order in which they first speak."""
    from scholar_indexes.books.reading.book_navigator import is_uncertain, speaker_of

    quotes = index.within(visible)
    cast = {character.id: character for character in map(speaker_of, quotes) if character}
    parts: list[Content] = [
        Content.styled(
            f"■ {one_line(character.name, 30)}",
            f"$speaker-{colour_number(index, character.id)}",
        )
        for character in cast.values()
    ]
    if any(map(is_uncertain, quotes)):
        parts.append(Content.styled("unsure", "italic underline"))
    if not parts:
        return Content.styled("nobody speaks here", "$foreground-muted")
    return Content("   ").join(parts)


def describe_quote(index: QuotationIndex, quote: AttributedQuote) -> Content:
    """Return the speaker of a quotation, the confidence, and the words that decided it."""
    from scholar_indexes.books.reading.book_navigator import is_uncertain, speaker_of

    character = speaker_of(quote)
    form = quote.attribution.form
    if not form.has_speaker:
        return Content.assemble(
            (f"{form}: nobody says this", "bold"),
            f" · c names a speaker · {one_line(quote.locator)}",
        )
    if character is None:
        return Content.assemble(
            ("speaker unknown", "bold"), f" · c names them · {one_line(quote.locator)}"
        )
    cue = emphasized(quote.cue, limit=120)
    reason = ("by “", cue, "”") if cue else ("by turn-taking",)
    is_guess = is_uncertain(quote)
    confidence = f"{100 * quote.attribution.confidence:.0f} % sure"
    is_speech = quote.attribution.is_speech
    spoken, thoughts = index.counts[character.id]
    count = f"{spoken:,}" if is_speech else f"{thoughts:,} thought{'s' * (thoughts != 1)}"
    return Content.assemble(
        (one_line(character.name, 60), f"bold $speaker-{colour_number(index, character.id)}"),
        "" if is_speech else " · a thought",
        f" · {'a guess, ' * is_guess}{confidence}{' (c corrects it)' * is_guess} · ",
        *reason,
        f" · {index.number(quote):,} of {count} · {one_line(quote.locator)}",
    )
