"""The statistics of the quiz: shares of right answers, and the cards due on the next days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.overview import QuizOverview
    from scholar_indexes.characters.quiz.statistics import AnswerCount, Stats

DAYS_AHEAD = 14
BAR_WIDTH = 20
LABEL_WIDTH = 26

KIND_LABELS = {"desc2name": "for the name", "name2desc": "for the description"}


class QuizStatistics(VerticalScroll, can_focus=True):
    """Shares of right answers, and the cards due on the next days."""

    DEFAULT_CSS = """
    QuizStatistics {
        padding: 1 2; scrollbar-size-vertical: 1;
        & > #columns { height: auto; }
        & Static { width: 1fr; height: auto; }
    }
    """

    def compose(self) -> ComposeResult:
        with Container(id="columns"):
            yield Static("", id="shares", markup=False)
            yield Static("", id="coming", markup=False)

    def show(self, overview: QuizOverview, now: datetime) -> None:
        self.query_one("#shares", Static).update(shares_content(overview))
        self.query_one("#coming", Static).update(due_cards_content(overview, now))
        self.scroll_home(animate=False)


def shares_content(overview: QuizOverview) -> Content:
    """Return the shares of right answers by book, level and kind, and the most missed
    characters."""
    stats = overview.stats
    if stats is None or not stats.overall.count:
        return Content(
            "No questions yet. Esc goes back; choose a book there, and Enter starts a round."
        )
    return Content("\n").join(
        [
            *_score_lines(overview, stats),
            *_memory_lines(stats),
            *_most_missed_lines(overview, stats),
        ]
    )


def _score_lines(overview: QuizOverview, stats: Stats) -> Iterator[Content]:
    yield Content.styled("Right answers", "bold $secondary")
    yield _score_line("all", stats.overall)
    for book_id, score in stats.by_book.items():
        yield _score_line(overview.title_and_author(book_id)[0], score)
    yield _heading("By level")
    for level, score in stats.by_level.items():
        yield _score_line(f"level {level}", score)
    yield _heading("By kind")
    for kind, score in stats.by_kind.items():
        yield _score_line(KIND_LABELS.get(kind, kind), score)


def _memory_lines(stats: Stats) -> Iterator[Content]:
    from scholar_indexes.serialize.quiz_text import count_phrase

    yield _heading("In a row")
    yield Content(
        f"{count_phrase(stats.days_in_a_row, 'day')} with an answer · "
        f"{stats.streak} right answers now, {stats.longest_streak} at most"
    )
    if stats.retention is not None:
        yield Content(
            f"{100 * stats.retention:.0f} % of what was known on an earlier day was known again"
        )
    if stats.recall is not None:
        yield Content(
            f"{100 * stats.recall:.0f} % of {count_phrase(stats.cards, 'card')} would be known now"
        )


def _most_missed_lines(overview: QuizOverview, stats: Stats) -> Iterator[Content]:
    from scholar_indexes.characters.quiz.statistics import most_missed

    missed = most_missed(stats)
    if missed:
        yield _heading("Missed most")
    for (book_id, character), score in missed:
        title = one_line(overview.title_and_author(book_id)[0])
        wrong = (f"  {score.wrong} of {score.count} · {title}", "dim")
        yield Content.assemble(one_line(character), wrong)


def due_cards_content(overview: QuizOverview, now: datetime) -> Content:
    """Return the number of cards due on each of the next days with a bar."""
    from scholar_indexes.characters.quiz.overview import due_counts

    counts = due_counts(overview.cards, now, DAYS_AHEAD)
    if not overview.cards:
        return Content("")
    highest = max(counts) or 1
    lines = [Content.styled("Due in the coming days", "bold $secondary")]
    for offset, count in enumerate(counts):
        day = now + timedelta(days=offset)
        name = "today" if offset == 0 else f"{day:%a} {day.day:>2}"
        length = -(-count * BAR_WIDTH // highest)
        lines.append(
            Content.assemble(
                f"{name:<8}", ("█" * length, "$primary"), f" {count}" if count else ("·", "dim")
            )
        )
    later = len(overview.cards) - sum(counts)
    if later:
        lines.append(Content.styled(f"later   {later}", "dim"))
    return Content("\n").join(lines)


def share_bar(part: int, whole: int) -> Content:
    """Return a bar filled to the given share."""
    length = round(BAR_WIDTH * part / whole) if whole else 0
    return Content.assemble(("█" * length, "$success"), ("░" * (BAR_WIDTH - length), "dim"))


def _heading(text: str) -> Content:
    return Content.styled(f"\n{text}", "bold $secondary")


def _score_line(label: str, score: AnswerCount) -> Content:
    name = one_line(label)
    name = name if len(name) <= LABEL_WIDTH else name[: LABEL_WIDTH - 1] + "…"
    return Content.assemble(
        f"{name:<{LABEL_WIDTH}} ",
        share_bar(score.right, score.count),
        f" {100 * score.share:3.0f} %",
        (f"  {score.right} of {score.count}", "dim"),
    )
