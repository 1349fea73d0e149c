"""The layout of Find: keys in boxes, small terminals, rows, and text of books."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets import Input

from command_line import make_book_text
from find_screen import COINS, bookmarks, hits, page, screen, search_for, type_text
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.settings import Settings
from scholar_tui.controllers import hit_page
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.hit_list import HitRow, clip_lines, row_lines
from screens import LARGE, SMALL, at, screen_text, settled, until

pytestmark = pytest.mark.usefixtures("one_encoder")


async def test_letters_are_written_in_a_box_and_act_in_the_list(two_books: Path) -> None:
    async with at("find") as pilot:
        await type_text(pilot, "snwycfxbmdu")
        assert screen(pilot).query_one(ClaimBox).value == "snwycfxbmdu"
        await until(pilot, lambda: bool(hits(pilot).rows))
        await pilot.press("escape", "f", "tab")
        assert isinstance(screen(pilot).focused, Input)
        await type_text(pilot, "scm")
        assert screen(pilot).query_one("#author", Input).value == "scm"
        assert bookmarks().quotations() == []


async def test_a_small_terminal_shows_the_list_above_the_page(two_books: Path) -> None:
    async with at("find", {"claim": COINS}, size=SMALL) as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        await settled(pilot)
        left, right = screen(pilot).query_one("#left"), screen(pilot).query_one("#right")
        assert left.region.bottom <= right.region.y
        assert page(pilot).size.height >= 6
        (hit,) = page(pilot).styles_of("hit")
        assert page(pilot).visible_span.start <= hit.span.start < page(pilot).visible_span.end
        assert hits(pilot).rows[0].quote.split(".")[0][:40] in screen_text(pilot)
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert left.region.right <= right.region.x


async def test_a_strip_shows_where_in_each_book_the_hits_are(two_books: Path) -> None:
    async with at("find", size=LARGE) as pilot:
        await search_for(pilot)
        drawn = screen_text(pilot)
        titles = {hit.item.book.title for hit in screen(pilot).results.hits}  # type: ignore[union-attr]
        strips = [line for line in drawn.splitlines() if "▁▁" in line]
        assert len(strips) == len(titles) == 2
        assert sum("◆" in line for line in strips) == 1
        # The mark follows the cursor; a small terminal shows the book of the hit under it.
        await pilot.resize_terminal(*SMALL)
        seen = set()
        for _ in hits(pilot).rows:
            await settled(pilot)
            (strip,) = (line for line in screen_text(pilot).splitlines() if "▁▁" in line)
            assert "◆" in strip
            seen.add(strip)
            await pilot.press("n")
        assert len(seen) > 2
        # The kept passages have no strip, since it is of the hits.
        await pilot.press("s", "E")
        await settled(pilot)
        assert "▁▁" not in screen_text(pilot)


async def test_markup_and_escapes_in_a_book_are_shown_as_text(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(make_book_text("\x1b[31mred [bold]lamplighter[/]", 1, 3), "utf-8")
    library = Library(user_paths(), Settings())
    library.add(str(path), title="[bold]Odd[/bold] \x1b[31m", author="[u]Who")
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("s", "i", "f", "enter")
        await pilot.pause()
        assert "[bold]Odd[/bold]" in screen_text(pilot)
        await pilot.press("escape")
        assert "[bold]Odd[/bold]" in screen_text(pilot)
        await pilot.press("escape", "escape", "E")
        await settled(pilot)
        assert "[bold]lamplighter[/]" in screen_text(pilot)
        assert "\x1b" not in screen_text(pilot)


@pytest.mark.parametrize(
    ("text", "width", "most", "lines"),
    [
        ("one two three", 7, 3, ["one two", "three"]),
        ("one two three", 7, 1, ["one…"]),
        ("one two three", 8, 1, ["one two…"]),
        ("onetwothree", 5, 1, ["onet…"]),
        ("", 5, 2, [""]),
        ("戰爭與和平", 4, 1, ["戰…"]),
    ],
)
def test_a_quotation_is_clipped_at_a_word(
    text: str, width: int, most: int, lines: list[str]
) -> None:
    assert clip_lines(text, width, most) == lines


def row_texts(row: HitRow, width: int) -> list[str]:
    return ["".join(text for text, _ in line) for line in row_lines(row, width)]


def test_no_line_of_a_row_is_wider_than_the_list() -> None:
    row = HitRow(1000, "wörter 戰爭與和平 " * 30, "Title, " * 20, "●", "a note " * 20)
    lines = row_texts(row, 30)
    assert len(lines) == 5
    assert max(map(cell_len, lines)) <= 30


@pytest.mark.parametrize("width", [12, 16, 30, 80])
def test_a_remark_is_before_the_citation_if_there_is_room(width: int) -> None:
    row = HitRow(1, "wörter " * 30, "Title, Chapter 3", "●", remark="verbatim · +12 nearby")
    lines = row_texts(row, width)
    assert max(map(cell_len, lines)) <= width
    assert ("+12 nearby Title" in lines[-1]) == (width > 50)


def test_a_row_shows_italics_of_its_quotation_even_where_it_begins_within_them() -> None:
    row = HitRow(1, "so_ he said. I _did not_ go", "Title", before="It is _not ", after=" on.")
    assert row_texts(row, 20)[:2] == ["  1 so he said. I", "    did not go"]
    pieces = [piece for line in row_lines(row, 20) for piece in line]
    assert [text for text, style in pieces if style == "italic"] == ["so", "did not"]


async def test_the_screen_needs_none_of_what_is_slow_to_import(home: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; import scholar_tui.screens.find; "
        "print([n for n in ('numpy', 'lancedb', 'torch', 'onnxruntime', 'spacy') "
        "if n in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_a_spot_in_a_chapter_has_its_paragraphs_around_it() -> None:
    from scholar_indexes.types import Span

    text = "One.\n\nTwo, and two.\n\nThree.\n"
    body = Span(0, len(text))
    at_two: Callable[[Span], str] = lambda hit: hit_page.paragraphs_around(text, body, hit).of(text)  # noqa: E731
    assert at_two(Span(6, 9)) == "Two, and two."
    assert at_two(Span(12, 24)) == "Two, and two.\n\nThree."
