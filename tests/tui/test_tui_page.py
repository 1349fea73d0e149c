"""The page: lines of any text, drawn only where visible, and exact positions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from scholar_indexes.emphasis import find_emphasis
from scholar_indexes.types import Span
from scholar_tui import themes
from scholar_tui.widgets.book_text import MEASURE, BookText, TextStyle
from scholar_tui.widgets.line_breaking import BrokenLines, break_lines, printable
from screens import draw

LETTERS = st.sampled_from(
    list("aaab e\n\n\t-—é漢字한ｱ\u0301\u0902\u200b😀👩\u200d\ufe0f\x07\x1b\u202e\r")
)
TEXTS = st.one_of(st.text(LETTERS, max_size=300), st.text(max_size=120))
WIDTHS = st.integers(2, 30)


def lines(text: str, width: int, within: Span | None = None) -> list[str]:
    starts, ends = break_lines(text, within or Span(0, len(text)), width)
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


@given(TEXTS, WIDTHS)
@example("\n\n", 5)
@example("word " * 50, 7)
@example("e\u0301" * 60, 10)
def test_every_character_is_in_one_line_or_is_white_space_at_a_break(text: str, width: int) -> None:
    starts, ends = break_lines(text, Span(0, len(text)), width)
    at = 0
    for start, end in zip(starts, ends, strict=True):
        assert not text[at:start].strip(" \t\n")
        assert start >= at
        assert end >= start
        at = end
    assert not text[at:].strip(" \t\n")


@given(TEXTS, WIDTHS)
@example("漢" * 40, 2)
@example("\x07\x1b" * 40, 5)
def test_no_line_is_wider_than_the_width(text: str, width: int) -> None:
    assert all(cell_len(printable(line)) <= width for line in lines(text, width))


@given(TEXTS, WIDTHS)
def test_the_line_breaks_of_a_text_stay(text: str, width: int) -> None:
    assert not any("\n" in line for line in lines(text, width))
    assert len(lines(text, width)) >= text.count("\n")


@given(TEXTS, WIDTHS, st.data())
def test_a_stretch_is_broken_as_if_it_were_the_text(
    text: str, width: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    within = Span(start, data.draw(st.integers(start, len(text))))
    assert lines(text, width, within) == lines(within.of(text), width)


@given(st.lists(st.sampled_from(["a", "to", "moon", "reading"]), max_size=60), st.integers(7, 30))
def test_words_are_broken_only_where_they_do_not_fit(words: list[str], width: int) -> None:
    assert " ".join(lines(" ".join(words), width)).split() == words


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        pytest.param("one two", 5, ["one", "two"], id="a blank"),
        pytest.param("well-known", 6, ["well-", "known"], id="a hyphen"),
        pytest.param("yes—no", 4, ["yes—", "no"], id="a dash"),
        pytest.param("abcdefg", 3, ["abc", "def", "g"], id="a long word"),
        pytest.param("a\n\nb", 9, ["a", "", "b"], id="a blank line"),
        pytest.param("漢字漢", 4, ["漢字", "漢"], id="wide"),
        pytest.param("e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"], id="combining"),
        pytest.param("漢", 1, ["漢"], id="wider than the line"),
    ],
)
def test_lines_break(text: str, width: int, expected: list[str]) -> None:
    assert lines(text, width) == expected


def test_control_characters_are_shown_as_signs_of_their_length() -> None:
    text = "".join(map(chr, (*range(32), *range(127, 160), 0x202E, 0x2067, 0xD800)))
    assert len(printable(text)) == len(text)
    assert set(printable(text)) == {"�", " "}
    assert printable("[bold]“naïve” 漢_字_") == "[bold]“naïve” 漢_字_"


class OnePage(App[None]):
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.THEMES[0].variables)

    def compose(self) -> ComposeResult:
        yield BookText(id="page")


@asynccontextmanager
async def page(
    text: str, size: tuple[int, int] = (60, 12)
) -> AsyncIterator[tuple[Pilot[None], BookText]]:
    app = OnePage()
    async with app.run_test(size=size) as pilot:
        app.animation_level = "none"
        shown_page = app.query_one(BookText)
        shown_page.show(text)
        shown_page.focus()
        await pilot.pause()
        yield pilot, shown_page


def drawn(page: BookText) -> list[str]:
    return [page.render_line(y).text.strip() for y in range(page.size.height)]


def numbered(paragraphs: int) -> str:
    """Return numbered paragraphs."""
    return "\n\n".join(
        f"Paragraph {number} begins. " + "Then it goes on for a while. " * 6
        for number in range(paragraphs)
    )


async def test_only_what_is_seen_is_drawn() -> None:
    text = numbered(15_000)  # about 600,000 words
    async with page(text) as (pilot, it):
        assert len(text.split()) > 600_000
        lines: list[int] = []
        render = it.render_line
        it.render_line = lambda y: (lines.append(y), render(y))[1]  # type: ignore[assignment]
        it.go_to(text.index("Paragraph 9000 "))
        await pilot.pause()
        draw(pilot.app)
        await pilot.press("pagedown")
        draw(pilot.app)
        assert lines
        assert len(lines) <= 6 * it.size.height


async def test_turning_the_page_keeps_a_line_in_sight() -> None:
    async with page(numbered(30)) as (pilot, it):
        before = drawn(it)
        await pilot.press("pagedown")
        assert drawn(it)[0] == before[-1]
        await pilot.press("pageup")
        assert drawn(it) == before


async def test_a_place_is_brought_to_the_top_or_near_the_middle() -> None:
    text = numbered(50)
    async with page(text) as (pilot, it):
        wanted = text.index("Paragraph 30 ")
        it.go_to(wanted)
        await pilot.pause()
        assert it.top == wanted
        assert drawn(it)[0].startswith("Paragraph 30 begins")
        it.go_to(wanted, middle=True)
        await pilot.pause()
        assert it.visible_span.start < wanted < it.visible_span.end
        assert not drawn(it)[0].startswith("Paragraph 30")


async def test_a_resized_page_keeps_its_place_however_often() -> None:
    text = numbered(200)
    async with page(text) as (pilot, it):
        wanted = text.index("Then it", text.index("Paragraph 120 "))
        it.go_to(wanted)
        await pilot.pause()
        for width in (40, 33, 71, 50, 29, 80, 60):
            await pilot.resize_terminal(width, 12)
            await pilot.pause()
            assert it.visible_span.start <= wanted < it.visible_span.end
        starts, _ = break_lines(text, Span(0, len(text)), min(MEASURE, 60 - 3))
        assert it.top == max(start for start in starts if start <= wanted)


async def test_scrolling_posts_a_message_with_the_new_top() -> None:
    moved: list[int] = []

    class TopListener(OnePage):
        def on_book_text_top_changed(self, event: BookText.TopChanged) -> None:
            moved.append(event.top)

    async with TopListener().run_test(size=(60, 12)) as pilot:
        it = pilot.app.query_one(BookText)
        it.show(text := numbered(30))
        it.go_to(text.index("Paragraph 9 "))
        await pilot.pause()
        await pilot.pause()
        assert moved[-1] == it.top == text.index("Paragraph 9 ")


async def test_another_text_begins_at_its_beginning_without_styles() -> None:
    async with page(numbered(30)) as (pilot, it):
        it.style_spans("found", [TextStyle(Span(0, 9), "found")])
        await pilot.press("end")
        it.show("short")
        await pilot.pause()
        assert (it.top, it.visible_span) == (0, Span(0, 5))
        assert drawn(it)[0] == "short"
        assert len({segment.style for segment in it.render_line(0) if segment.text.strip()}) == 1


async def test_an_empty_text_is_an_empty_page() -> None:
    async with page("") as (pilot, it):
        await pilot.press("pagedown", "end")
        assert (it.top, it.visible_span, it.selected) == (0, Span(0, 0), None)


async def test_controls_and_markup_are_drawn_as_text() -> None:
    async with page("[bold red]x[/] \x1b[31mred\x07 \u202eevil") as (_, it):
        assert drawn(it)[0] == "[bold red]x[/] �[31mred� �evil"


async def test_invisible_characters_are_drawn_as_signs() -> None:
    async with page("wi\u200bdow \U000e0069\U000e0067 a\u200db") as (_, it):
        assert drawn(it)[0] == "wi�dow �� a�b"


async def test_later_styles_cover_earlier_ones_exactly_on_their_spans() -> None:
    async with page("one two three") as (_, it):
        it.style_spans("speakers", [TextStyle(Span(0, 13), "speaker-1")])
        it.style_spans("found", [TextStyle(Span(4, 7), "found"), TextStyle(Span(0, 1), "found")])
        found_color = it.get_component_rich_style("page--found", partial=True).bgcolor
        spoken = it.get_component_rich_style("page--speaker-1", partial=True).color
        pieces = [(s.text, s.style) for s in it.render_line(0) if s.text.strip() and s.style]
        assert [text for text, style in pieces if style.bgcolor == found_color] == ["o", "two"]
        assert [text for text, style in pieces if style.color == spoken] == ["ne ", " three"]
        it.style_spans("found", ())
        assert all(s.style.bgcolor != found_color for s in it.render_line(0) if s.style)


async def test_a_style_can_cover_many_lines() -> None:
    text = "word " * 100
    async with page(text) as (_, it):
        it.style_spans("hit", [TextStyle(Span(5, 400), "hit")])
        hit = it.get_component_rich_style("page--hit", partial=True).bgcolor
        painted = "".join(
            segment.text
            for y in range(12)
            for segment in it.render_line(y)
            if segment.style and segment.style.bgcolor == hit
        )
        assert painted.replace(" ", "") == text[5:400].replace(" ", "")


async def test_a_mouse_selection_is_an_exact_span() -> None:
    text = "naïve 漢字 and e\u0301lan\n\nsecond paragraph"
    async with page(text) as (pilot, it):
        left = next(x for x in range(60) if it.render_line(0).text[x] == "n")
        await pilot.mouse_down(it, offset=(left + 6, 0))
        await pilot.hover(it, offset=(left + 8, 0))
        await pilot.mouse_up(it, offset=(left + 8, 0))
        assert it.selected is not None
        assert it.selected.of(text) == "漢字"
        await pilot.mouse_down(it, offset=(left, 0))
        await pilot.hover(it, offset=(left + 5, 2))
        await pilot.mouse_up(it, offset=(left + 5, 2))
        assert it.selected is not None
        assert it.selected.of(text) == text[: text.index(" paragraph")]


async def test_a_selection_that_begins_in_the_margin_begins_with_its_line() -> None:
    async with page("first line\n\nthird line", size=(100, 12)) as (pilot, it):
        await pilot.mouse_down(it, offset=(0, 0))
        await pilot.hover(it, offset=(1, 2))
        await pilot.mouse_up(it, offset=(1, 2))
        assert it.selected == Span(0, 12)


async def test_a_selection_that_leaves_the_page_ends_with_what_is_seen() -> None:
    async with page(numbered(300)) as (_, it):
        it.screen.selections = {it: Selection(Offset(3, 0), None)}
        assert it.selected == Span(3, it.visible_span.end)
        it.screen.selections = {it: Selection(None, None)}
        assert it.selected == it.visible_span


async def test_a_selection_outlives_a_resize() -> None:
    text = numbered(10)
    async with page(text) as (pilot, it):
        wanted = Span(text.index("goes on"), text.index("goes on") + 20)
        it.select(wanted)
        assert it.selected == wanted
        await pilot.resize_terminal(37, 12)
        await pilot.pause()
        assert it.selected == wanted
        it.select(None)
        assert it.selected is None


async def test_copied_text_has_no_control_characters() -> None:
    async with page("a\x1b[31mb\nc") as (_, it):
        it.select(Span(0, 9))
        assert it.screen.get_selected_text() == "a[31mb\nc"


async def test_two_clicks_select_a_word_and_three_a_paragraph() -> None:
    text = "Don't look—it is a well-known thing, and long enough to be broken into lines.\n\nNext."
    async with page(text, size=(40, 12)) as (pilot, it):
        row = next(y for y, line in enumerate(drawn(it)) if "well-known" in line)
        column = it.render_line(row).text.index("known")
        await pilot.double_click(it, offset=(column, row))
        assert it.selected is not None
        assert it.selected.of(text) == "well-known"
        await pilot.triple_click(it, offset=(column, row))
        assert it.selected is not None
        assert it.selected.of(text) == text.partition("\n")[0]


async def test_a_click_points_to_its_place() -> None:
    pointed: list[int] = []

    class ClickListener(OnePage):
        def on_book_text_place_clicked(self, event: BookText.PlaceClicked) -> None:
            pointed.append(event.position)

    async with ClickListener().run_test(size=(60, 12)) as pilot:
        it = pilot.app.query_one(BookText)
        it.show("one 漢 three")
        await pilot.pause()
        column = it.render_line(0).text.index("漢") + 3  # two cells wide
        await pilot.click(it, offset=(column, 0))
        assert pointed == ["one 漢 three".index("three")]


def styled(page: BookText, style: str) -> list[str]:
    """Return the texts drawn in a style, "italic" or "bold"."""
    return [
        segment.text
        for y in range(page.size.height)
        for segment in page.render_line(y)
        if segment.style and getattr(segment.style, style)
    ]


async def test_emphasis_is_drawn_as_styles_and_its_marks_are_not_drawn() -> None:
    async with page("I _did not_ say =so= of snake_case or ____.\n\n_Yes_") as (_, it):
        assert drawn(it)[0] == "I did not say so of snake_case or ____."
        assert drawn(it)[2] == "Yes"
        assert styled(it, "italic") == ["did not", "Yes"]
        assert styled(it, "bold") == ["so"]


async def test_italics_go_on_over_the_end_of_a_line_and_under_other_styles() -> None:
    text = "_one two three four five six seven eight nine ten_ eleven"
    async with page(text, size=(30, 12)) as (_, it):
        it.style_spans("hit", [TextStyle(Span(0, len(text)), "hit")])
        assert " ".join(line for line in drawn(it) if line) == text.replace("_", "")
        assert " ".join(styled(it, "italic")) == text.removeprefix("_").partition("_")[0]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        pytest.param(2, 5, "_did_", id="a word in italics"),
        pytest.param(0, 2, "I ", id="up to italics"),
        pytest.param(5, 8, " it", id="behind italics"),
        pytest.param(0, 8, "I _did_ it", id="more than italics"),
        pytest.param(3, 5, "id_", id="from within italics"),
    ],
)
async def test_a_mouse_selection_has_the_marks_of_its_words(
    first: int, last: int, expected: str
) -> None:
    text = "I _did_ it"
    async with page(text) as (_, it):
        it.screen.selections = {it: Selection(Offset(first, 0), Offset(last, 0))}
        assert it.selected is not None
        assert it.selected.of(text) == expected


@given(st.text(st.sampled_from("__= ab.\n"), max_size=40), WIDTHS)
@example("_a_=b=_c_ _d", 9)
def test_every_column_has_a_place_and_back(text: str, width: int) -> None:
    emphasis = find_emphasis(text)
    marks = {place for words in emphasis for place in (words.start, words.end - 1)}
    broken = BrokenLines.of(text, Span(0, len(text)), width, emphasis)
    for line in range(len(broken)):
        span = broken.span(line)
        shown = [at for at in range(span.start, span.end) if at not in marks]
        for column, at in enumerate(shown):
            assert broken.offset(at) == Offset(column, line)
            between = broken.position(Offset(column, line))
            assert all(place in marks for place in range(between, at))
        assert broken.position(Offset(len(shown), line)) <= span.end
