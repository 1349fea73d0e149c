"""Being asked who is who, and told what the book says.

    Start -> begin, due or go on -> Asking (an answer is kept, then told) -> Summary -> Start

A round is kept on the desk when it begins and its answers in the history as they are given, so
that a killed terminal goes on at the very question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import ContentSwitcher, Footer, Input, OptionList

from scholar_indexes.characters import rounds
from scholar_indexes.characters.rounds import Round, Standing, Wishes
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.types import Book, Progress
from scholar_tui.screens.journey import Journey, Listing
from scholar_tui.widgets.asking import KEYS, Asking, Choices, Proofs
from scholar_tui.widgets.masthead import Masthead
from scholar_tui.widgets.quizzes import Books, Figures, Results, Start, Summary

if TYPE_CHECKING:
    from scholar_indexes.characters.history import Outcome
    from scholar_indexes.characters.questions import Question
    from scholar_indexes.library import Library

WISHES, ROUND, UPTO = "quiz-wishes", "quiz-round", "quiz-upto-{}"
"""The choices of the desk in which this screen remembers."""

_VIEWS = {
    "begin": ("start",),
    "due": ("start", "summary", "figures"),
    "resume": ("start",),
    "figures": ("start", "summary"),
    "up_to_my_place": ("start",),
    "answer": ("asking",),
    "next": ("asking",),
    "open": ("asking", "summary"),
    "missed": ("summary",),
    "same": ("summary",),
}


class Phase(Enum):
    """How far the question has come that is in front."""

    ASKED = "asked"
    KEEPING = "an answer is being kept"
    UNKEPT = "an answer could not be kept"
    TOLD = "told"


class QuizScreen(Journey):
    """Questions about the characters of books."""

    NAME = "quiz"
    ABOUT = (
        "Choose a book and press Enter to be asked who is who. Answer with the keys 1 to 0, the "
        "arrows or the mouse; then you see what the book says, and o opens that passage in the "
        "reader. Every answer is kept at once, and what you missed comes back when it is due. A "
        "round that you leave, or that a closed terminal ends, goes on with r. With “Up to "
        "chapter” nothing is told of what you have not read yet."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "answer(0)", "Answer", key_display="1-0",
                tooltip="Answer with the choice of that number; 0 is the tenth"),
        *(Binding(key, f"answer({at})", show=False) for at, key in enumerate(KEYS) if at),
        Binding("p", "answer(-1)", "Pass", tooltip="Say that you do not know"),
        Binding("enter,space", "next", "Next",
                tooltip="Go to the next question, or keep an answer again"),
        Binding("o", "open", "Open", tooltip="Open the passage in the reader; F7 leads back"),
        Binding("d", "due", "Due", tooltip="Be asked what is due again"),
        Binding("r", "resume", "Go on", tooltip="Go on with the round that was left"),
        Binding("a", "missed", "Missed", tooltip="Ask again what was missed"),
        Binding("w", "same", "All again", show=False,
                tooltip="Ask all questions of this round again"),
        Binding("s", "figures", "Stats", tooltip="See how you do, and what comes"),
        Binding("u", "up_to_my_place", "To my place", show=False,
                tooltip="Tell nothing after the chapter where you stopped reading"),
        Binding("escape", "back", "Back",
                tooltip="Go back; a round that is left can be gone on with"),
    ]  # fmt: skip
    DEFAULT_CSS = """
    QuizScreen > ContentSwitcher { height: 1fr; }
    QuizScreen.-narrow Asking {
        & > #body { layout: vertical; }
        & #after { display: none; }
        &.-told #after, &.-unkept #after { display: block; }
        &.-unkept #after { height: auto; max-height: 6; }
        &.-told Choices { height: auto; max-height: 50%; }
        &.-told Choice.-other { display: none; }
        &.-told #after { margin-top: 1; }
    }
    QuizScreen.-wide Asking {
        & > #body { layout: horizontal; }
        & #after { width: 2fr; margin-left: 1; border-left: solid $panel; padding-left: 1; }
        & Choices { width: 3fr; }
    }
    QuizScreen.-narrow Figures > #columns { layout: vertical; }
    QuizScreen.-wide Figures > #columns { layout: horizontal; }
    QuizScreen.-wide Figures #coming { margin-left: 4; width: 44; }
    QuizScreen.-narrow Figures #coming { margin-top: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._standing: Standing | None = None
        self._round: Round | None = None
        self._phase = Phase.TOLD
        self._at = 0
        self._chosen: int | None = None
        self._reviewing = False
        self._wanted: str | None = None
        self._sent = False
        self._before_figures = "start"
        self._told_of_desk = False

    def compose(self) -> ComposeResult:
        yield Masthead(self.NAME)
        with ContentSwitcher(initial="start"):
            yield Start(id="start")
            yield Asking(id="asking")
            yield Summary(id="summary")
            yield Figures(id="figures")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Start).wish(Wishes.from_json(self._remembered(WISHES)))

    # -- coming and going --------------------------------------------------------------------

    def arrive(self, errand: Any) -> None:
        if errand is not None:
            self._wanted, self._sent = str(errand).partition(":")[0], True
            self._reviewing = False
            self._to("start")
        elif self._standing is None and self._wanted is None:
            self._wanted = self.scholar.book
        if self._view == "start":
            self._look()
            if errand is not None or self.focused is None:
                self.query_one(Books).focus()

    def action_back(self) -> None:
        """From a field to the list, from everything else to where it was come from."""
        if self._view == "start":
            self.query_one(Books).focus()
        elif self._view == "asking" and self._reviewing:
            self._sum_up()
        elif self._view == "figures" and self._before_figures == "summary":
            self._to("summary")
            self.query_one(Results).focus()
        else:
            self._to_start()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back" and self.is_mounted:
            return self._view != "start" or not isinstance(self.focused, Books)
        views = _VIEWS.get(action)
        if views is None:
            return True
        if not self.is_mounted or self._view not in views:
            return False
        if action == "answer":
            at = parameters[0]
            return (
                self._phase in (Phase.ASKED, Phase.UNKEPT)
                and isinstance(at, int) and at < len(self._question.choices)
            )  # fmt: skip
        if action == "next":
            return self._phase in (Phase.TOLD, Phase.UNKEPT)
        if action == "open":
            return self._view == "summary" or self.query_one(Asking).locator is not None
        if action == "resume":
            return self._standing is not None and self._standing.last is not None
        if action == "missed":
            return self._round is not None and bool(self._round.missed)
        return True

    @property
    def _view(self) -> str:
        return self.query_one(ContentSwitcher).current or "start"

    def _to(self, view: str) -> None:
        if self._view != view:
            self.query_one(ContentSwitcher).current = view
        self.refresh_bindings()

    def _to_start(self) -> None:
        self._reviewing = False
        self._to("start")
        self.query_one(Books).focus()
        self._look()

    # -- where one stands --------------------------------------------------------------------

    def _look(self, then: Callable[[], None] | None = None) -> None:
        """Look up what can be asked and what is due, and show it."""
        library = self.library
        kept = self._remembered(ROUND)

        def work(progress: Progress) -> Standing:
            shelf = {each.book.id: (each.book.title, each.book.author) for each in library.books()}
            return rounds.standing(library.quiz, shelf, kept, datetime.now(UTC))

        self.ask(work, partial(self._stands, then), group="standing")

    def _stands(self, then: Callable[[], None] | None, standing: Standing) -> None:
        self._standing = self._with_round(standing)
        if then is not None:
            then()
        elif self._view == "start":
            wanted, self._wanted = self._wanted, None
            there = self.query_one(Start).show(self._standing, self._now, wanted)
            sent, self._sent = self._sent, False
            if sent and not there:
                self.tell(
                    f"{wanted} has no descriptions to ask about; put it on the shelf (F2), or "
                    f"write some: scholar quiz import FILE -b {wanted}",
                    severity="warning",
                )
        self.refresh_bindings()

    def _with_round(self, standing: Standing) -> Standing:
        """The round that is known here counts, where the desk has another or none; where it is
        the same one, the history knows best how far it came."""
        here, kept = self._round, standing.last
        if here is not None and (kept is None or kept.begun != here.begun or kept.at < here.at):
            return replace(standing, last=here)
        return standing

    @property
    def _now(self) -> datetime:
        return datetime.now().astimezone()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if isinstance(event.option_list, Books):
            self._show_upto()

    def on_books_marked(self) -> None:
        self._show_upto()

    def _show_upto(self) -> None:
        book = self._one_book()
        upto = self._remembered(UPTO.format(book)) if book else None
        self.query_one(Start).tell_up_to(upto, one_book=book is not None)

    def _one_book(self) -> str | None:
        books = self.query_one(Books)
        if books.marks:
            return books.marks[0] if len(books.marks) == 1 else None
        return books.book

    def action_up_to_my_place(self) -> None:
        from scholar_indexes.books import locators

        book = self._one_book()
        try:
            place = self.desk.place(book) if book else None
            chapter = locators.parse(place.locator).chapter if place else None
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            return
        if book is None:
            self.tell("choose one book; every book has chapters of its own")
        elif not chapter:
            self.tell("you have not read in this book yet; write the chapter, or read in it (F4)")
        else:
            self.query_one(Start).tell_up_to(str(chapter), one_book=True)

    # -- remembering -------------------------------------------------------------------------

    def _remembered(self, name: str) -> str | None:
        try:
            return self.desk.choice(name)
        except ScholarError as refusal:
            self._tell_of_desk(refusal)
            return None

    def _remember(self, name: str, value: str) -> None:
        try:
            self.desk.choose(name, value)
        except ScholarError as refusal:
            self._tell_of_desk(refusal)

    def _tell_of_desk(self, refusal: ScholarError) -> None:
        if not self._told_of_desk:
            self.tell(str(refusal), severity="error")
        self._told_of_desk = True

    # -- beginning ---------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if isinstance(event.option_list, Books):
            self._begin_chosen()
        elif isinstance(event.option_list, Results):
            self._review()
        elif isinstance(event.option_list, Proofs):
            self.run_worker(self.action_open(), exclusive=True, group="opening")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._begin_chosen()

    def _begin_chosen(self) -> None:
        books = self.query_one(Books)
        if self._standing is None or not books.option_count:
            return
        chosen = list(books.marks) or ([books.book] if books.book else [])
        titles = [self._standing.titled(each)[0] for each in chosen]
        if len(chosen) == 1 and chosen[0] in self._standing.shelf:
            self.scholar.book = chosen[0]
        self._begin(rounds.names(titles) or "All books", chosen, due=False)

    def action_due(self) -> None:
        self._begin("What is due", (), due=True)

    def _begin(self, name: str, books: Sequence[str], *, due: bool) -> None:
        """Make questions, and ask the first."""
        start, library, now = self.query_one(Start), self.library, datetime.now(UTC)
        try:
            wishes, upto = start.wishes(), start.upto
        except UsageError as wrong:
            self.tell(str(wrong), severity="error")
            return
        self._remember(WISHES, wishes.as_json())
        if len(books) == 1:
            self._remember(UPTO.format(books[0]), "" if upto is None else str(upto))
        if upto is not None and not due:
            name += f", up to chapter {upto}"
        seed = int(now.timestamp()) if wishes.seed is None else wishes.seed

        def work(progress: Progress) -> Round:
            progress("making questions", 0, 0)
            asked = library.quiz.questions(
                books, n=wishes.n, seed=seed, kind=wishes.kind, levels=wishes.levels,
                upto=None if due else upto, anonymize=wishes.anonymize and not due,
                due=now if due else None,
            )  # fmt: skip
            if not asked:
                raise NoMatch(_nothing_due(library, now))
            return rounds.begun(name, asked, now, None if due else seed)

        self.ask(work, self._started, group="questions")

    def action_missed(self) -> None:
        if self._round is not None:
            self._again(f"Missed: {self._round.name.removeprefix('Missed: ')}", self._round.missed)

    def action_same(self) -> None:
        if self._round is not None:
            self._again(self._round.name, self._round.questions)

    def _again(self, name: str, asked: Sequence[Question]) -> None:
        self._started(rounds.again(name, asked, datetime.now(UTC)))

    def _started(self, begun: Round) -> None:
        self._round = begun
        self._remember(ROUND, rounds.as_json(begun))
        self._ask_next()

    def action_resume(self) -> None:
        if self._standing is None or self._standing.last is None:
            return
        if self._phase is Phase.KEEPING:
            self.tell("your last answer is still being kept; go on in a moment")
            return
        self._round = self._standing.last
        if self._round.over:
            self._sum_up()
        else:
            self._ask_next()

    # -- asking ------------------------------------------------------------------------------

    @property
    def _question(self) -> Question:
        assert self._round is not None
        return self._round.questions[self._at]

    def _title(self) -> str:
        book_id = self._question.book_id
        return self._standing.titled(book_id)[0] if self._standing else book_id

    def _ask_next(self) -> None:
        assert self._round is not None
        self._at, self._phase, self._reviewing = self._round.at, Phase.ASKED, False
        self._to("asking")
        self.query_one(Asking).ask(self._round, self._at, self._title())
        self.refresh_bindings()

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self._give(message.at)

    def action_answer(self, at: int) -> None:
        self._give(None if at < 0 else at)

    def _give(self, chosen: int | None) -> None:
        """Keep an answer; only then is told whether it was right."""
        if self._round is None or self._phase not in (Phase.ASKED, Phase.UNKEPT):
            return
        question, library = self._question, self.library
        self._phase, self._chosen = Phase.KEEPING, chosen
        self.query_one(Asking).pending(chosen)
        self.refresh_bindings()

        def work(progress: Progress) -> Outcome:
            return library.quiz.history.answered(question, chosen, datetime.now(UTC))

        where = self._round.begun, self._at
        self.ask(
            work, partial(self._kept, where, chosen), refused=partial(self._unkept, where),
            group="keeping an answer", lasting=True,
        )  # fmt: skip

    def _kept(self, where: tuple[datetime, int], chosen: int | None, outcome: Outcome) -> None:
        if self._round is None or where != (self._round.begun, self._round.at):
            return  # another round was begun meanwhile; the answer is in the history
        self._round, self._phase = self._round.answered(chosen), Phase.TOLD
        if self._view == "asking" and not self._reviewing:
            self._tell_answer(rounds.when(outcome.due, self._now), again=False)
        else:
            self._look()

    def _unkept(self, where: tuple[datetime, int], refusal: ScholarError) -> None:
        line = str(refusal).replace("run the same command again", "answer again")
        if self._round is None or where != (self._round.begun, self._at):
            self.tell(f"the last answer was not kept: {line}", severity="error")
            return
        self._phase = Phase.UNKEPT
        self.query_one(Asking).unkept(line)
        self.refresh_bindings()
        if self._view != "asking":
            self.tell(f"the last answer was not kept: {line}", severity="error")

    def _tell_answer(self, due: str, *, again: bool) -> None:
        assert self._round is not None
        more = "back to the summary" if again else "see how it went"
        if not again and not self._round.over:
            more = "next question"
        self.query_one(Asking).tell(
            self._round, self._at, self._round.given[self._at], self._title(), due, more,
            again=again,
        )  # fmt: skip
        self.refresh_bindings()

    def action_next(self) -> None:
        if self._phase is Phase.UNKEPT:
            self._give(self._chosen)
        elif self._round is not None and self._phase is Phase.TOLD:
            if self._reviewing or self._round.over:
                self._sum_up()
            else:
                self._ask_next()

    async def action_open(self) -> None:
        """Open the passage that is looked at in the reader."""
        locator = self._locator()
        if locator is None:
            self.tell("no passage is given for this description")
            return
        book_id = locator.partition(":")[0]
        try:
            there = self.library.catalog.with_id(book_id)
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            return
        if there is None:
            title = self._standing.titled(book_id)[0] if self._standing else book_id
            self.tell(
                f"{title} is not on the shelf; add it there (F2): "
                f"{book_id.removeprefix('pg')}, and come back with F7"
            )
            return
        self.tell("F7 leads back to the question")
        await self.scholar.go("reader", locator)

    def _locator(self) -> str | None:
        if self._view == "asking":
            return self.query_one(Asking).locator
        at = self.query_one(Summary).at
        proofs = self._round.questions[at].evidence if self._round and at is not None else ()
        return proofs[0].locator if proofs else None

    # -- afterwards --------------------------------------------------------------------------

    def _sum_up(self) -> None:
        """Show how the round went, with when everything comes again."""
        at = self._at if self._reviewing else None
        self._reviewing = False
        self._look(partial(self._show_summary, at))

    def _show_summary(self, at: int | None) -> None:
        if self._round is None or self._standing is None or not self._round.over:
            return
        now, summary = self._now, self.query_one(Summary)
        self._to("summary")
        summary.show(self._round, rounds.dues(self._round, self._standing.cards),
                     self._standing.due(now), now)  # fmt: skip
        if at is not None:
            results = self.query_one(Results)
            results.highlighted = results.get_option_index(f"question-{at}")

    def _review(self) -> None:
        at = self.query_one(Summary).at
        if self._round is None or at is None or self._standing is None:
            return
        self._at, self._phase, self._reviewing = at, Phase.TOLD, True
        due = rounds.dues(self._round, self._standing.cards)[at]
        self._to("asking")
        self._tell_answer(rounds.when(due, self._now) if due else "", again=True)

    def action_figures(self) -> None:
        self._before_figures = self._view
        self._look(self._show_figures)

    def _show_figures(self) -> None:
        if self._standing is None:
            return
        self._to("figures")
        figures = self.query_one(Figures)
        figures.show(self._standing, self._now)
        figures.focus()
        for line in self._standing.refusals:
            self.tell(line, severity="error")

    def listing(self) -> Listing | None:
        if self._round is None or self._standing is None:
            return None
        import json

        from scholar_indexes import records

        titles = {each: self._standing.titled(each) for each in self._round.books}
        known: dict[str, Book] = {}
        with suppress(ScholarError):
            known = {each.book.id: each.book for each in self.library.books()}
        return Listing(
            "quiz",
            {
                "md": rounds.as_markdown(self._round, titles),
                "json": json.dumps(rounds.as_records(self._round), ensure_ascii=False, indent=2)
                + "\n",
                "bib": records.bibtex(
                    known.get(each) or Book(each, *titles[each], "", "", "")
                    for each in self._round.books
                ),
            },
        )


def _nothing_due(library: Library, now: datetime) -> str:
    """Why no question was made of what is due."""
    if count := len(library.quiz.history.due(now)):
        cards = rounds.numbered(count, "card")
        return f"{cards} due, but the descriptions are no longer there; add their books again (F2)"
    return "nothing is due; choose a book and press Enter to be asked something new"
