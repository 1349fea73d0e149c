"""Speakers in the reader: colours, a legend, steps from quotation to quotation."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from characters_screen import MILL, open_characters, part_text
from libraries import add_book
from reader_screen import first_words, line_text, open_reader, page, screen, styled_texts
from scholar_indexes.errors import NoMatch
from scholar_indexes.library import Library
from scholar_indexes.types import Progress
from scholar_tui.screens.dialogs import ChooseScreen
from screens import LAMP, QUAY, SMALL, notifications, scholar, screen_text, settled, until

BROAD = (180, 40)


async def test_quotations_have_the_colours_of_their_speakers_and_a_legend(
    attributed_quay: Path,
) -> None:
    async with open_reader(QUAY) as pilot:
        text = page(pilot).text
        styles = {style.span.of(text): style.style for style in page(pilot).styles_of("speakers")}
        ann = styles["It was raining when the ship left,"]
        hale = styles["Why did you stay?"]
        assert ann != hale
        assert styles["I stood on the quay all night."] == ann
        assert styles["You might have come to my house,"] == hale
        assert "■ Elizabeth Marsh" in line_text(pilot, "legend")
        assert "■ Mr. Hale" in line_text(pilot, "legend")
        await pilot.press("v")
        assert styled_texts(pilot, "speakers") == []
        assert "colours are off" in line_text(pilot, "legend")
    async with open_reader(QUAY) as pilot:
        assert "colours are off" in line_text(pilot, "legend")
        await pilot.press("v")
        assert styled_texts(pilot, "speakers") != []


async def test_a_guess_is_marked_unsure(
    attributed_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_indexes.books.reading import book_navigator as books

    monkeypatch.setattr(books, "UNSURE", 1.1)
    async with open_reader(QUAY) as pilot:
        assert styled_texts(pilot, "unsure") == styled_texts(pilot, "speakers") != []
        assert line_text(pilot, "legend").endswith("unsure")
        await pilot.press("full_stop")
        assert "a guess" in line_text(pilot, "message")


async def test_one_steps_through_the_quotations_of_a_speaker(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        # Keys step through the quotations of a speaker.
        await pilot.press("full_stop")
        message = line_text(pilot, "message")
        assert message.startswith("Elizabeth Marsh · ")
        assert "% sure · by “said Elizabeth Marsh” · 1 of" in message
        assert styled_texts(pilot, "quotation")[0] == "It was raining when the ship left,"
        assert styled_texts(pilot, "cue") == ["said Elizabeth Marsh"]
        await pilot.press("full_stop")
        assert "Elizabeth" in line_text(pilot, "message")
        assert styled_texts(pilot, "quotation")[0].startswith("Because nobody")
        await pilot.press("comma", "greater_than_sign")
        assert line_text(pilot, "message").startswith("Mr. Hale")
        await pilot.press("comma")
        assert notifications(pilot)[-1] == "no quotation by Mr. Hale before this"
        await pilot.press("less_than_sign")
        assert "It was raining" in styled_texts(pilot, "quotation")[0]
        await pilot.press("escape")
        assert styled_texts(pilot, "quotation") == []
        await pilot.press("escape", "home")
        await settled(pilot)

        # One key clears the chosen speaker.
        await pilot.press("full_stop")
        assert styled_texts(pilot, "quotation")
        await pilot.press("f8")
        await settled(pilot)
        assert styled_texts(pilot, "quotation") == []
        assert not pilot.app.screen.query_one("#message").display
        await pilot.press("escape", "home")
        await settled(pilot)

        # A speaker is chosen from the list of all.
        await pilot.press("w")
        assert isinstance(pilot.app.screen, ChooseScreen)
        assert "quotation" in screen_text(pilot)
        await pilot.press(*"hale", "enter")
        await settled(pilot)
        assert line_text(pilot, "message").startswith("Mr. Hale")
        await pilot.press("escape", "home")
        await settled(pilot)

        # A click on a quotation shows its speaker.
        it = page(pilot)
        row = next(y for y in range(it.size.height) if "Why did you" in it.render_line(y).text)
        await pilot.click(it, offset=(it.render_line(row).text.index("did"), row))
        await settled(pilot)
        assert line_text(pilot, "message").startswith("Mr. Hale")


async def test_nothing_about_a_book_stays_when_another_is_opened_or_it_is_removed(
    described_quay: Path,
) -> None:
    async with open_reader(QUAY) as pilot:
        # The next book shows neither the speaker nor the search of the last one.
        await pilot.press("slash", *"ship", "enter")
        await settled(pilot)
        await pilot.press("full_stop")
        assert line_text(pilot, "message").startswith("Elizabeth Marsh")
        assert line_text(pilot, "count").startswith("“ship”")
        await scholar(pilot).navigate("reader", MILL)
        await settled(pilot)
        assert not screen(pilot).query_one("#message").display
        assert line_text(pilot, "count") == ""
        assert styled_texts(pilot, "quotation") == styled_texts(pilot, "found") == []

        # A removed book has no quotations to step to.
        await pilot.press("full_stop")
        scholar(pilot).library.books.remove(MILL)
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert "was taken off the shelf" in screen_text(pilot)
        await pilot.press("full_stop")
        assert not screen(pilot).query_one("#message").display


async def test_reading_goes_on_while_speakers_are_found_and_leaving_ends_that(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let, ended = threading.Event(), threading.Event()

    def slow(self: Library, reference: str, *, progress: Progress, **_: object) -> None:
        try:
            while not let.wait(0.01):
                progress("finding speakers", 1, 2)
        except BaseException:
            ended.set()
            raise
        raise NoMatch("nobody speaks in this book")

    monkeypatch.setattr(Library, "speakers", slow)
    from screens import app

    made = app("reader", LAMP)
    async with made.run_test(size=SMALL, notifications=True) as pilot:
        try:
            await until(pilot, lambda: "finding the speakers" in line_text(pilot, "legend"))
            await until(pilot, lambda: page(pilot).max_scroll_y > 0 and page(pilot)._wanted is None)
            await pilot.press("space", "full_stop")
            await until(pilot, lambda: page(pilot).top > 0)
            assert notifications(pilot)[-1] == "still finding the speakers; wait a moment"
            await pilot.press("g", "2", "enter")
            await until(pilot, lambda: first_words(pilot).startswith("CHAPTER 2"))
            await pilot.press("f3")
            await until(pilot, ended.is_set)
        finally:
            let.set()


THOUGHTS = """
Chapter 1

“It is late,” said Anna Bell. Anna Bell was a tall woman, and the sister of Tom Reed.

“He is gone for good,” thought Anna Bell.

“It is not late,” said Tom Reed. Tom Reed was a miller by trade.

“I shall never see him again,” thought Anna Bell.

“It is dark,” said Anna Bell. Anna Bell lit the lamp and wept.
"""


@pytest.mark.slow
async def test_read_and_people_count_speech_the_same_way_and_thoughts_apart(
    home: Path, tmp_path: Path
) -> None:
    add_book(home, tmp_path / "late.txt", THOUGHTS, "Late", "Ben Other")
    async with open_reader("own-late", BROAD) as pilot:
        assert "says 2 of 2, thinks 2 of 2 here" in screen_text(pilot)
        await pilot.press("w")
        await settled(pilot)
        assert "Anna Bell  2 quotations, 2 thoughts" in screen_text(pilot)
        assert "Tom Reed  1 quotation " in screen_text(pilot)
        await pilot.press(*"anna", "enter")
        await settled(pilot)
        numbers = []
        for _ in range(4):
            numbers.append(line_text(pilot, "message").split(" · ")[-2])
            await pilot.press("full_stop")
            await settled(pilot)
        assert numbers == ["1 of 2", "1 of 2 thoughts", "2 of 2 thoughts", "2 of 2"]
    async with open_characters("own-late") as pilot:
        assert "says 2 (1st of 2), thinks 2" in part_text(pilot, "name")
