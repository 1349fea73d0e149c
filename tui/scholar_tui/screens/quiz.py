"""Quiz: questions about the characters of books, and the passages that support the answers.

start -> questions of a round (each answer is saved, then shown) -> summary -> start
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.widgets import ContentSwitcher, Input, OptionList

from scholar_indexes.characters.quiz.overview import QuizOverview
from scholar_indexes.characters.quiz.rounds import Round
from scholar_indexes.errors import ScholarError
from scholar_indexes.serialize.listings import ExportListing
from scholar_tui.controllers.bookmark_access import BookmarkAccess, ReportPolicy
from scholar_tui.controllers.quiz_answers import QuizAnswerController
from scholar_tui.controllers.quiz_overview import QuizOverviewController
from scholar_tui.controllers.quiz_preferences import QuizPreferencesController
from scholar_tui.controllers.quiz_rounds import QuizRoundController
from scholar_tui.screens import quiz_layout
from scholar_tui.screens.mode_screen import ModeScreen
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.question_view import AnswerChoices, EvidenceList, QuestionView
from scholar_tui.widgets.quiz_lists import QuizBookList, RoundResults
from scholar_tui.widgets.quiz_start import QuizStart
from scholar_tui.widgets.quiz_statistics import QuizStatistics
from scholar_tui.widgets.quiz_summary import RoundSummary
from scholar_tui.widgets.screen_header import ScreenHeader

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.questions import QuizQuestion
    from scholar_tui.navigation import NavigationRequest


class QuizScreen(ModeScreen):
    """Questions about the characters of books."""

    NAME = "quiz"
    ABOUT = (
        "Choose a book and press Enter for a quiz on its characters. Answer with the keys 1 to 0, "
        "the arrows or the mouse; then you see the passage in the book, and g opens it in the "
        "reader. Every answer is saved at once, and missed questions come back when they are due. "
        "A round that you leave, or that a closed terminal ends, continues with r. “Up to "
        "chapter” reveals nothing that you have not read yet. c excludes a question that is wrong "
        "or badly put for good."
    )
    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {
        "The books to choose from": QuizBookList,
        "The choices of a question: by their keys, with the arrows and Enter, or with the mouse": (
            AnswerChoices
        ),
        "The passages that support an answer": EvidenceList,
        "The questions of a round that is over": RoundResults,
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = quiz_layout.BINDINGS
    DEFAULT_CSS = quiz_layout.CSS

    def __init__(self) -> None:
        super().__init__()
        self._wanted_book: str | None = None
        """The id of the book to highlight once the overview is loaded."""
        self._is_book_requested = False
        """True if the wanted book was given to ScholarApp.navigate."""
        self._view_before_statistics = "start"
        bookmark_access = BookmarkAccess(self, ReportPolicy.FIRST)
        self._overview = QuizOverviewController(self, bookmark_access)
        self._preferences = QuizPreferencesController(self, bookmark_access)
        self._answers = QuizAnswerController(self, self._overview)
        self._rounds = QuizRoundController(
            self, bookmark_access, self._overview, self._preferences, self._answers
        )

    def compose(self) -> ComposeResult:
        yield ScreenHeader(self.NAME)
        with ContentSwitcher(initial="start"):
            yield QuizStart(id="start")
            yield QuestionView(id="asking")
            yield RoundSummary(id="summary")
            yield QuizStatistics(id="figures")
        yield KeyBar()

    def on_mount(self) -> None:
        self._preferences.restore()

    @property
    def view(self) -> str:
        """The id of the view that is shown."""
        return self.query_one(ContentSwitcher).current or "start"

    @property
    def current_round(self) -> Round | None:
        return self._answers.current_round

    @property
    def question(self) -> QuizQuestion:
        """The question that is shown."""
        return self._answers.question

    @property
    def overview(self) -> QuizOverview | None:
        """The overview that was loaded last."""
        return self._overview.overview

    def activate(self, request: NavigationRequest | None) -> None:
        if request is not None:
            self._wanted_book, self._is_book_requested = str(request).partition(":")[0], True
            self._answers.is_reviewing = False
            self.show_view("start")
        elif self.overview is None and self._wanted_book is None:
            self._wanted_book = self.scholar.current_book
        if self.view == "start":
            self.reload_start()
            if request is not None or self.focused is None:
                self.query_one(QuizBookList).focus()

    def show_view(self, view: str) -> None:
        """Show the view with that id."""
        if self.view != view:
            self.query_one(ContentSwitcher).current = view
        self.refresh_bindings()

    def reload_start(self) -> None:
        """Load the overview again, and show it if the start is shown."""
        self._overview.load(self._show_start)

    def _show_start(self, overview: QuizOverview) -> None:
        if self.view != "start":
            return
        wanted, self._wanted_book = self._wanted_book, None
        is_requested, self._is_book_requested = self._is_book_requested, False
        is_listed = self.query_one(QuizStart).show(overview, datetime.now().astimezone(), wanted)
        if is_requested and not is_listed:
            self.show_message(
                f"{wanted} has no descriptions to ask about; put it on the shelf (F2), or "
                f"write some: scholar quiz import FILE {wanted}",
                severity="warning",
            )

    def action_back(self) -> None:
        """Go from a field to the books, and from another view to the previous one."""
        if self.view == "start":
            self.query_one(QuizBookList).focus()
        elif self.view == "asking" and self._answers.is_reviewing:
            self._answers.show_summary()
        elif self.view == "figures" and self._view_before_statistics == "summary":
            self.show_view("summary")
            self.query_one(RoundResults).focus()
        else:
            self._answers.is_reviewing = False
            self.show_view("start")
            self.query_one(QuizBookList).focus()
            self.reload_start()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back" and self.is_mounted:
            return self.view != "start" or not isinstance(self.focused, QuizBookList)
        views = quiz_layout.VIEWS_BY_ACTION.get(action)
        if views is None:
            return True
        return self.is_mounted and self.view in views and self._can_run(action, parameters)

    def _can_run(self, action: str, parameters: tuple[object, ...]) -> bool:
        match action:
            case "answer":
                return self._answers.accepts(parameters[0])
            case "next":
                return self._answers.can_continue
            case "bad":
                return self._answers.can_mark_bad
            case "open":
                return self.view == "summary" or self._answers.locator is not None
            case "resume":
                return self.overview is not None and self.overview.last_round is not None
            case "clear_filters":
                return bool(self.query_one(QuizStart).limits)
            case "missed":
                return self.current_round is not None and bool(self.current_round.missed_questions)
        return True

    @on(OptionList.OptionHighlighted, "QuizBookList")
    @on(QuizBookList.BooksMarked)
    def _restore_last_chapter(self) -> None:
        self._preferences.restore_last_chapter()

    def action_up_to_my_place(self) -> None:
        self._preferences.limit_to_reading_position()

    @on(QuizStart.LimitsChanged)
    def _offer_to_clear(self) -> None:
        self.refresh_bindings()

    def action_clear_filters(self) -> None:
        self._preferences.clear_limits()
        self.query_one(QuizBookList).focus()

    @on(OptionList.OptionSelected, "QuizBookList")
    @on(Input.Submitted)
    def _start_chosen(self) -> None:
        self._rounds.start_chosen()

    def action_due(self) -> None:
        self._rounds.start_due()

    def action_missed(self) -> None:
        self._rounds.repeat_missed()

    def action_same(self) -> None:
        self._rounds.repeat()

    def action_resume(self) -> None:
        self._rounds.resume()

    @on(AnswerChoices.Chosen)
    def _answer_chosen(self, event: AnswerChoices.Chosen) -> None:
        self._answers.answer(event.index)

    def action_answer(self, choice: int) -> None:
        self._answers.answer(None if choice < 0 else choice)

    def action_bad(self) -> None:
        self._answers.mark_bad()

    def action_next(self) -> None:
        self._answers.go_on()

    @on(OptionList.OptionSelected, "RoundResults")
    def _review(self) -> None:
        self._answers.review()

    @on(OptionList.OptionSelected, "EvidenceList")
    async def action_open(self) -> None:
        """Open the passage of the question in the reader."""
        locator = self._answers.locator
        if locator is None:
            self.show_message("no passage is given for this description")
            return
        book_id = locator.partition(":")[0]
        try:
            stored = self.library.catalog.with_id(book_id)
        except ScholarError as refusal:
            self.show_message(str(refusal), severity="error")
            return
        if stored is None:
            self.show_message(
                f"{self._overview.title(book_id)} is not on the shelf; add it there (F2): "
                f"{book_id.removeprefix('pg')}, and come back with F7"
            )
            return
        self.show_message("F7 leads back to the question")
        await self.scholar.navigate("reader", locator)

    def action_figures(self) -> None:
        self._view_before_statistics = self.view
        self._overview.load(self._show_statistics)

    def _show_statistics(self, overview: QuizOverview) -> None:
        self.show_view("figures")
        statistics = self.query_one(QuizStatistics)
        statistics.show(overview, datetime.now().astimezone())
        statistics.focus()
        for line in overview.errors:
            self.show_message(line, severity="error")

    def exports(self) -> list[ExportListing]:
        from scholar_tui.exporting import export_quiz_round

        if self.current_round is None or self.overview is None:
            return []
        return export_quiz_round(self.library, self.current_round, self.overview)
