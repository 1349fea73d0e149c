"""The start of the quiz: the books, the due cards and the preferences."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, Select, Static

from scholar_indexes.books.reading.chapter_ranges import parse_range
from scholar_indexes.errors import UsageError
from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.quiz_lists import QuizBookList
from scholar_tui.widgets.toggles import Checkbox

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.overview import QuizOverview
    from scholar_indexes.characters.quiz.preferences import QuizPreferences


ALL_LEVELS = "1-4"


class QuizStart(Vertical):
    """The books with questions, the due cards, and the preferences."""

    DEFAULT_CSS = """
    QuizStart {
        & QuizBookList { text-wrap: nowrap; text-overflow: ellipsis; }
        & > #standing { height: auto; max-height: 6; padding: 0 2; margin-top: 1; }
        & > #limits { height: auto; padding: 0 2; display: none; }
        & > #limits.-set { display: block; }
        & > #choosing { height: 1fr; }
        & #books { width: 1fr; }
        & #wishes { width: 33; height: 100%; }
        & .wish { height: 1; margin-bottom: 1; }
        & .wish > Label { width: 14; color: $foreground-muted; }
        & .wish > Input, & .wish > Select { width: 1fr; background: $panel; }
        & .wish > Input:focus { background: $primary-muted; }
        & .wish > Checkbox { background: $background; }
        & .wish > Checkbox:focus { border: none !important; }
        & .wish > Select > SelectCurrent { background: $panel; }
        & .wish > Select:focus > SelectCurrent { border: none !important;
                                                 background: $primary-muted; }
    }
    """

    class LimitsChanged(Message):
        """The limits on the questions have changed."""

    def compose(self) -> ComposeResult:
        yield Static("", id="standing", markup=False)
        yield Static("", id="limits", markup=False)
        with Horizontal(id="choosing"):
            yield QuizBookList(id="books", classes="pane")
            with VerticalScroll(id="wishes", classes="pane", can_focus=False):
                with Horizontal(classes="wish"):
                    yield Label("Questions")
                    yield Input(
                        "10",
                        id="n",
                        type="integer",
                        max_length=3,
                        compact=True,
                        tooltip="How many questions, 1 to 200",
                    )
                with Horizontal(classes="wish"):
                    yield Label("Ask for")
                    yield Select(
                        [
                            ("both", "mixed"),
                            ("the name", "desc2name"),
                            ("the description", "name2desc"),
                        ],
                        value="mixed",
                        allow_blank=False,
                        id="kind",
                        compact=True,
                        tooltip="Names for a description, or descriptions for a name",
                    )
                with Horizontal(classes="wish"):
                    yield Label("Levels")
                    yield Input(
                        ALL_LEVELS,
                        id="levels",
                        restrict=r"[1-4,\- ]*",
                        max_length=9,
                        compact=True,
                        tooltip="How indirect: 1 is plain, 2 names "
                        "others, 3 and 4 describe them too",
                    )
                with Horizontal(classes="wish"):
                    yield Label("Up to chapter")
                    yield Input(
                        id="upto",
                        max_length=24,
                        compact=True,
                        placeholder="the end",
                        tooltip="Nothing from later chapters; f: as far as you read",
                    )
                with Horizontal(classes="wish"):
                    yield Label("Other names")
                    yield Checkbox(
                        "made up",
                        id="anonymize",
                        compact=True,
                        tooltip="Give everybody another name; the book must be on the shelf",
                    )
                with Horizontal(classes="wish"):
                    yield Label("Seed")
                    yield Input(
                        id="seed",
                        type="integer",
                        max_length=12,
                        valid_empty=True,
                        compact=True,
                        placeholder="any",
                        tooltip="The same number draws the same questions",
                    )

    @property
    def books(self) -> QuizBookList:
        return self.query_one(QuizBookList)

    def show(self, overview: QuizOverview, now: datetime, wanted: str | None) -> bool:
        """Show an overview, highlight the wanted book, and return True if it is listed."""
        self.query_one("#standing", Static).update(overview_content(overview, now))
        return self.books.show(overview, now, wanted)

    def show_preferences(self, preferences: QuizPreferences) -> None:
        """Write preferences into the fields."""
        from scholar_indexes.characters.quiz.preferences import format_levels

        self.query_one("#n", Input).value = str(preferences.n)
        self.query_one("#kind", Select).value = preferences.kind
        self.query_one("#levels", Input).value = format_levels(preferences.levels)
        self.query_one("#anonymize", Checkbox).value = preferences.anonymize
        seed = preferences.seed
        self.query_one("#seed", Input).value = "" if seed is None else str(seed)

    @property
    def limits(self) -> list[str]:
        """The active filters, in words: a kind, levels, the last chapter."""
        upto, levels = self.query_one("#upto", Input), self.query_one("#levels", Input).value
        kind = self.query_one("#kind", Select)
        asked = {"desc2name": "for the name", "name2desc": "for the description"}
        words = (
            asked.get(str(kind.value), ""),
            f"levels {levels.strip()}" if levels.strip() not in ("", ALL_LEVELS) else "",
            f"up to chapter {upto.value.strip()}" if upto.value.strip() else "",
        )
        return [limit for limit in words if limit]

    def clear_limits(self) -> None:
        """Reset the fields so that questions are about everything."""
        self.query_one("#kind", Select).value = "mixed"
        self.query_one("#levels", Input).value = ALL_LEVELS
        self.query_one("#upto", Input).value = ""

    @on(Input.Changed)
    @on(Select.Changed)
    def _show_limits(self) -> None:
        """Show the active filters, and the key that clears them."""
        line, limits = self.query_one("#limits", Static), self.limits
        muted = "$foreground-muted"
        line.update(
            Content.assemble(
                ("only ", muted),
                (one_line(" · ".join(limits), 120), "$accent bold"),
                ("  F8 clears this", muted),
            )
        )
        line.set_class(bool(limits), "-set")
        self.post_message(self.LimitsChanged())

    @property
    def preferences(self) -> QuizPreferences:
        """The preferences of the fields; raises UsageError for an invalid value."""
        from scholar_indexes.characters.quiz.preferences import (
            MAX_QUESTIONS,
            QuizPreferences,
            parse_levels,
        )

        count = self.query_one("#n", Input).value
        n = int(count) if count.isascii() and count.isdigit() else 0
        if not 1 <= n <= MAX_QUESTIONS:
            raise UsageError(
                f"{count or 'nothing'} is not a number of questions; write 1 to {MAX_QUESTIONS}"
            )
        seed = self.query_one("#seed", Input).value.strip()
        return QuizPreferences(
            n,
            str(self.query_one("#kind", Select).value),
            parse_levels(self.query_one("#levels", Input).value),
            self.query_one("#anonymize", Checkbox).value,
            _parse_integer(seed, "seed") if seed else None,
        )

    @property
    def last_chapter(self) -> str | None:
        """The last chapter that questions may be about, None for all; raises UsageError for an
        invalid value."""
        field = self.query_one("#upto", Input)
        text = "" if field.disabled else field.value.strip()
        if not text:
            return None
        parse_range(text)
        return text

    def show_last_chapter(self, chapter: str | None, *, is_single_book: bool) -> None:
        """Show the last chapter that questions may be about, which only a single book has."""
        field = self.query_one("#upto", Input)
        field.disabled = not is_single_book
        field.placeholder = "the end" if is_single_book else "one book only"
        field.value = (chapter or "") if is_single_book else ""


def _parse_integer(text: str, name: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a {name}; write a number, or nothing") from None


def overview_content(overview: QuizOverview, now: datetime) -> Content:
    """Return lines about the due cards and the last round, with their keys."""
    from scholar_indexes.serialize.quiz_text import count_phrase, due_phrase

    lines = [Content.styled(one_line(error), "$error") for error in overview.errors]
    due = overview.count_due(now)
    if due:
        key = ("  q", "bold $primary")
        lines.append(
            Content.assemble((count_phrase(due, "card"), "bold"), " due again", key, " starts")
        )
    elif overview.cards:
        next_due = due_phrase(overview.cards[0].due, now)
        lines.append(Content(f"Nothing is due; the next card is due {next_due}"))
    elif overview.stats is not None:
        lines.append(Content("No questions yet: choose a book and press Enter"))
    if last := overview.last_round:
        total = len(last.questions)
        state, effect = (
            (f"The last round, {last.name}: {last.right_count} of {total} right", "reviews it")
            if last.is_over
            else (f"You left {last.name} at question {last.position + 1} of {total}", "resumes")
        )
        lines.append(Content.assemble(state, ("  r", "bold $primary"), f" {effect}"))
    return Content("\n").join(lines)
