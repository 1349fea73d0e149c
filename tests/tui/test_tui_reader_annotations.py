"""Selections, kept passages and notes in the reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.style import Style
from textual.color import Color
from textual.pilot import Pilot
from textual.widgets import TextArea

from reader_screen import line_text, open_reader, page, screen, styled_texts
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation
from scholar_indexes.types import Span
from scholar_tui import themes
from screens import LARGE, QUAY, SMALL, notifications, scholar, screen_text, settled

HUSH = f"{QUAY}:2.3:1-5"
WIDE = (158, 40)


def bookmarks() -> Bookmarks:
    return Bookmarks(user_paths().bookmarks)


def keep(locator: str, note: str = "", collection: str = "kept", quote: str = "words") -> None:
    bookmarks().save(
        SavedQuotation(
            locator,
            quote,
            locator.partition(":")[0],
            "Ann",
            "The Quay",
            "1",
            note=note,
            collection=collection,
        )
    )


def drawn(pilot: Pilot[None], text: str) -> str:
    """Return the line of the page that contains a text."""
    shown = page(pilot)
    lines = (shown.render_line(y).text for y in range(shown.size.height))
    return next(line for line in lines if text in line)


async def test_selected_text_can_be_read_in_every_theme(attributed_quay: Path) -> None:
    async with open_reader(QUAY, SMALL) as pilot:
        shown = page(pilot)
        start = shown.text.index("raining")
        shown.select(Span(start, start + 7))
        for theme in themes.THEMES:
            pilot.app.theme = theme.name
            await settled(pilot)
            (style,) = {
                segment.style
                for y in range(shown.size.height)
                for segment in shown.render_line(y)
                if segment.text == "raining"
            }
            assert style is not None, theme.name
            assert style.reverse or style.color != style.bgcolor, theme.name
            if theme.name != themes.SIXTEEN:
                colours = [Color.from_rich_color(colour) for colour in (style.color, style.bgcolor)]
                contrasts = {colour.get_contrast_text() for colour in colours}
                assert len(contrasts) == 2, theme.name


async def test_a_note_is_kept_of_selected_text_and_of_nothing_when_it_is_left(
    attributed_quay: Path,
) -> None:
    async with open_reader(QUAY) as pilot:
        # A cancelled note keeps nothing.
        await pilot.press("m", "e")
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert bookmarks().quotations() == []
        assert styled_texts(pilot, "kept") == []
        await pilot.press("escape", "escape")
        await settled(pilot)

        # The actions for selected text are shown.
        before = line_text(pilot, "legend")
        start = page(pilot).text.index("the ship")
        page(pilot).select(Span(start, start + 8))
        await settled(pilot)
        assert line_text(pilot, "legend").startswith("2 words selected: y copies")
        await pilot.press("e")
        await settled(pilot)
        pilot.app.screen.query_one(TextArea).text = "leaves without him"
        await pilot.press("ctrl+s")
        await settled(pilot)
        (saved,) = bookmarks().quotations()
        assert (saved.quote, saved.note) == ("the ship", "leaves without him")
        await pilot.press("escape")
        await settled(pilot)
        assert line_text(pilot, "legend") == f"✎ leaves without him   {before}"


async def test_kept_passages_are_tinted_and_marked_next_to_their_notes(
    attributed_quay: Path,
) -> None:
    keep(HUSH, note="an order, not a wish: " + "and more of it " * 4)
    keep(f"{QUAY}:2.1:0-20")
    async with open_reader(f"{QUAY}:2", WIDE) as pilot:
        assert [text[:4] for text in styled_texts(pilot, "kept")] == ["“The", "Hush"]
        assert drawn(pilot, "Hush").split()[0] == "✎"
        assert "an order" in drawn(pilot, "Hush")
        assert drawn(pilot, "The letter is").split()[0].startswith("▎")
    async with open_reader(f"{QUAY}:2", SMALL) as pilot:
        assert drawn(pilot, "Hush").startswith("✎")
        assert line_text(pilot, "legend").startswith("✎ an order")


@pytest.mark.slow
async def test_a_note_is_shown_below_a_page_that_has_no_room_beside_it(
    attributed_quay: Path,
) -> None:
    keep(HUSH, note="an order, not a wish")
    async with open_reader(f"{QUAY}:2", SMALL) as pilot:
        assert line_text(pilot, "legend").startswith("✎ an order, not a wish   ■ ")
        await pilot.press("v")
        await settled(pilot)
        assert line_text(pilot, "legend").startswith("✎ an order, not a wish   colours are off")
        await pilot.resize_terminal(*WIDE)
        await settled(pilot)
        assert "an order" not in line_text(pilot, "legend")
        assert "an order" in screen_text(pilot)


async def test_a_mark_in_colour_is_seen_in_every_theme_and_without_colours(
    attributed_quay: Path,
) -> None:
    keep(f"{QUAY}:2.1:0-20")
    async with open_reader(f"{QUAY}:2", SMALL) as pilot:
        # A colour that is given up changes nothing, and "no colour" takes it away.
        await pilot.press("right_curly_bracket", "H", "escape")
        await settled(pilot)
        assert [saved.colour for saved in bookmarks().quotations()] == [""]
        for choice, colour in (("pink", "pink"), ("no", ""), ("blue", "blue")):
            await pilot.press("H")
            await settled(pilot)
            await pilot.press(*choice, "enter")
            await settled(pilot)
            assert [saved.colour for saved in bookmarks().quotations()] == [colour]
        assert [text[:4] for text in styled_texts(pilot, "kept")] == ["“The"]
        await pilot.press("escape", "left_curly_bracket", "right_curly_bracket")
        await settled(pilot)
        assert line_text(pilot, "message") == "kept in blue: no note; e writes one"
        await pilot.press("escape")

        # The letter in the margin is in the colour, and the text can be read on its tint.
        assert drawn(pilot, "The letter is").startswith("b “The")
        for theme in themes.THEMES:
            pilot.app.theme = theme.name
            await settled(pilot)
            shown = page(pilot)
            strips = [shown.render_line(y) for y in range(shown.size.height)]
            strip = next(strip for strip in strips if "The letter is" in strip.text)
            sign, tinted = (
                next(segment.style or Style() for segment in strip if segment.text.startswith(text))
                for text in ("b", "“")
            )
            assert sign.color != tinted.color, theme.name
            assert tinted.bgcolor != sign.bgcolor, theme.name

        # The list of the kept passages is narrowed by the name of the colour.
        await pilot.press("E")
        await settled(pilot)
        await pilot.press(*"pink")
        await settled(pilot)
        assert "letter" not in screen_text(pilot)
        await pilot.press("ctrl+u", *"blue", "enter")
        await settled(pilot)
        assert line_text(pilot, "message").startswith("kept in blue")

        # A passage that was not kept is kept with its colour.
        await pilot.press("escape", "m", "H")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert [saved.colour for saved in bookmarks().quotations()] == ["blue", "yellow"]


async def test_a_kept_paragraph_is_the_same_passage_by_either_of_its_locators(
    attributed_quay: Path,
) -> None:
    keep(f"{QUAY}:2.1")
    async with open_reader(QUAY, SMALL) as pilot:
        await pilot.press("right_curly_bracket", "H")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("s")
        await settled(pilot)
        assert [(saved.locator, saved.colour) for saved in bookmarks().quotations()] == [
            (f"{QUAY}:2.1", "yellow")
        ]


@pytest.mark.parametrize(("size", "signs"), [(SMALL, "✎"), (LARGE, "b✎")])
async def test_a_note_on_a_mark_in_colour_names_the_colour(
    attributed_quay: Path, size: tuple[int, int], signs: str
) -> None:
    keep(HUSH, note="an order")
    bookmarks().set_colour(1, "blue")
    async with open_reader(f"{QUAY}:2", size) as pilot:
        assert drawn(pilot, "Hush").strip().startswith(signs)
        assert line_text(pilot, "legend").startswith("blue ✎ an order   ■ ")


async def test_marks_that_overlap_are_each_in_their_colour(attributed_quay: Path) -> None:
    for span, colour in (("0-10", ""), ("5-20", "pink"), ("8-12", "blue"), ("15-30", "pink")):
        keep(f"{QUAY}:2.1:{span}")
        bookmarks().set_colour(bookmarks().quotations()[-1].number, colour)
    async with open_reader(f"{QUAY}:2", SMALL) as pilot:
        tints = page(pilot).styles_of("kept")
        begin = tints[0].span.start
        assert [
            (style.style, style.span.start - begin, style.span.end - begin) for style in tints
        ] == [("kept", 0, 10), ("kept-pink", 10, 30)]


async def test_keys_go_from_one_kept_passage_to_the_next_and_back(attributed_quay: Path) -> None:
    async with open_reader(QUAY, SMALL) as pilot:
        await pilot.press("right_curly_bracket")
        assert notifications(pilot)[-1].startswith("nothing is kept from this book")
        keep(HUSH, note="an order")
        keep(f"{QUAY}:1.1", collection="rain")
        await scholar(pilot).navigate("library")
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        await pilot.press("right_curly_bracket")
        await settled(pilot)
        assert line_text(pilot, "message") == "kept in “rain”: no note; e writes one"
        await pilot.press("right_curly_bracket")
        await settled(pilot)
        assert styled_texts(pilot, "hit") == ["Hush"]
        assert line_text(pilot, "message") == "kept: an order"
        await pilot.press("right_curly_bracket")
        assert notifications(pilot)[-1] == "nothing is kept after this point"
        await pilot.press("left_curly_bracket")
        await settled(pilot)
        assert line_text(pilot, "message").startswith("kept in “rain”")


async def test_the_note_on_a_kept_passage_is_edited_not_replaced(attributed_quay: Path) -> None:
    keep(HUSH, note="an order", collection="essay")
    async with open_reader(QUAY, SMALL) as pilot:
        await pilot.press("right_curly_bracket", "e")
        await settled(pilot)
        assert pilot.app.screen.query_one(TextArea).text == "an order"
        pilot.app.screen.query_one(TextArea).text = "a plea"
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert [(q.collection, q.note) for q in bookmarks().quotations()] == [("essay", "a plea")]


async def test_a_note_and_the_beginning_of_a_long_passage_are_both_in_sight(
    attributed_quay: Path,
) -> None:
    note = "what the weather has to do with those who wait, and with those who sail"
    keep(HUSH, note=note, quote="Hush, said the old man, " + "and again he said hush " * 9)
    keep(f"{QUAY}:1.1", quote="It was raining")
    keep("pg999:1.1", note="of another book")
    async with open_reader(QUAY, LARGE) as pilot:
        await pilot.press("E")
        await settled(pilot)
        for size in (LARGE, SMALL):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            shown = screen_text(pilot)
            assert "what the weather has to do with tho…  “Hush, said the old" in shown, size
            assert "“It was raining”" in shown, size

        # The notes of this book only are a list for navigation.
        assert "Kept from The Quay" in shown
        assert "of another book" not in shown
        await pilot.press(*"weather", "enter")
        await settled(pilot)
        assert styled_texts(pilot, "hit") == ["Hush"]


async def test_a_kept_place_that_the_book_no_longer_has_is_left_out(attributed_quay: Path) -> None:
    keep(f"{QUAY}:99.1", note="gone")
    keep(f"{QUAY}:1.1:0-5")
    keep(f"{QUAY}:1.1:3-9")
    async with open_reader(QUAY, SMALL) as pilot:
        assert len(styled_texts(pilot, "kept")) == 1
        assert screen(pilot).reading is not None
