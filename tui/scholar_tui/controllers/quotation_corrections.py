"""Corrections to the speaker of the quotation that the user stepped to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from scholar_indexes.attribution.corrections.kinds import Correction, NewCharacter, SpeakerOf
from scholar_indexes.errors import UsageError
from scholar_tui.controllers.correcting import CorrectionController
from scholar_tui.controllers.quotation_colours import count_phrase
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen
from scholar_tui.widgets.emphasized import emphasized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholar_indexes.books.reading.book_navigator import QuotationCount
    from scholar_indexes.results import AttributedQuote
    from scholar_indexes.types import Character
    from scholar_tui.screens.reader import ReaderScreen

NEAR = 12
"""The number of quotations before and after one whose speakers are offered first."""


class QuotationCorrectionController:
    """Asks for the speaker of a quotation, and makes the correction."""

    def __init__(self, screen: ReaderScreen) -> None:
        self._screen = screen
        self._corrections = CorrectionController(screen, self._update)

    def choose_speaker(self) -> None:
        """Let the user choose the speaker of the quotation that they stepped to."""
        quote = self._screen.speakers.quote
        if quote is None:
            self._screen.show_message("first step to a quotation with > or <, or click on it")
            return
        self._screen.run_in_worker(
            lambda progress: self._screen.library.corrections.cast(quote.book.id, progress),
            lambda cast: self._ask(quote, cast),
            group="naming a speaker",
            opens_box=True,
        )

    def undo(self) -> None:
        """Let the user choose a correction to take back."""
        if self._screen.reading is not None:
            self._corrections.choose_undo(self._screen.reading.book.id)

    def _ask(self, quote: AttributedQuote, cast: Sequence[Character]) -> None:
        choices = self._choices(quote, cast)
        known = {choice.value for choice in choices}

        def take(chosen: list[str] | None) -> None:
            if not chosen:
                return
            (name,) = chosen
            try:
                corrections: list[Correction] = [] if name in known else [NewCharacter(name)]
                corrections.append(SpeakerOf(quote.locator, name))
            except UsageError as refusal:
                self._screen.show_message(str(refusal), severity="error")
            else:
                self._corrections.add(quote.book.id, *corrections)

        title = Content.assemble("Who says “", emphasized(quote.text, limit=60), "”")
        self._screen.app.push_screen(
            ChooseScreen(title, choices, new="someone who is not in the list"), take
        )

    def _choices(self, quote: AttributedQuote, cast: Sequence[Character]) -> list[ChoiceItem]:
        """Return all characters: first the speakers near a quotation, then by amount of speech."""
        speakers = self._screen.speakers
        ranks = {name: rank for rank, name in enumerate(speakers.names_near(quote, NEAR))}
        counts = speakers.counts

        def order(character: Character) -> tuple[int, int, int]:
            spoken, thoughts = counts.get(character.id, (0, 0))
            return ranks.get(character.name, len(ranks)), -spoken, -thoughts

        return [
            ChoiceItem(character.name, character.name, _detail(counts.get(character.id)))
            for character in sorted(cast, key=order)
        ]

    def _update(self, book_id: str, _: str) -> None:
        reading = self._screen.reading
        if reading is not None and reading.book.id == book_id:
            self._screen.speakers.update()


def _detail(count: QuotationCount | None) -> str:
    return count_phrase(count) if count else "no quotations yet"
