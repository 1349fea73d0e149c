"""Around the questions: where one chooses what to be asked, and where one sees how it went."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Checkbox, Input, Label, OptionList, Select, Static
from textual.widgets.option_list import Option

from scholar_indexes.errors import UsageError
from scholar_indexes.untrusted import one_line
from scholar_tui.widgets.asking import RIGHT, WRONG

if TYPE_CHECKING:
    from scholar_indexes.characters.history import Score
    from scholar_indexes.characters.quiz import Quizzed
    from scholar_indexes.characters.rounds import Round, Standing, Wishes

ALL = "all"
"""The row that means every book of the shelf; others are "book-" and the book's id."""

DAYS = 14
"""Days that are looked ahead."""

_BAR = 20
_LABEL = 26

_LIST_CSS = """
    $NAME {
        height: 1fr; background: $background; scrollbar-size-vertical: 1;
        & > .option-list--option-highlighted { background: $panel; color: $foreground; }
        &:focus > .option-list--option-highlighted {
            background: $primary-muted; color: $foreground; text-style: none;
        }
        &:ansi > .option-list--option-highlighted { background: ansi_bright_black; }
        &:ansi:focus > .option-list--option-highlighted { background: $primary; }
    }
"""


class Books(OptionList):
    """What can be asked about."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Begin",
                tooltip="Begin a round about this book, or about the marked ones"),
        Binding("space", "mark", "Mark", show=False,
                tooltip="Mark the book, to be asked about several"),
    ]  # fmt: skip
    DEFAULT_CSS = _LIST_CSS.replace("$NAME", "Books")

    class Marked(Message):
        """A mark was set or taken away."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self._about: Standing | None = None
        self._rows: list[tuple[str, Content]] = []
        self.marks: list[str] = []

    @property
    def book(self) -> str | None:
        """The id of the book that is highlighted; None for all of them."""
        option = self.highlighted_option
        return option.id.removeprefix("book-") if option and option.id not in (None, ALL) else None

    def show(self, about: Standing, now: datetime, wanted: str | None) -> bool:
        """List the books, and go to the one wanted; whether it is there."""
        before = self.highlighted_option and self.highlighted_option.id
        self._about = about
        self.marks = [each for each in self.marks if any(each == b.book_id for b in about.books)]
        shelved = [each for each in about.books if each.book_id in about.shelf]
        others = [each for each in about.books if each.book_id not in about.shelf]
        rows: list[Option | None] = []
        if about.books:
            rows.append(Option(_all_of(shelved), ALL))
        for heading, group in (("On the shelf", shelved), ("Not on the shelf", others)):
            if group:
                rows.append(Option(Content.styled(heading, "bold $secondary"), disabled=True))
                rows += [self._row(each, about, now) for each in group]
        self.set_options(rows)
        for id in (f"book-{wanted}" if wanted else None, before, ALL):
            if id and id in self._id_to_option:
                self.highlighted = self.get_option_index(id)
                break
        return wanted is None or f"book-{wanted}" in self._id_to_option

    def action_mark(self) -> None:
        book, at = self.book, self.highlighted
        if book is None or at is None or self._about is None:
            return
        if book in self.marks:
            self.marks.remove(book)
        else:
            self.marks.append(book)
        quizzed = next(each for each in self._about.books if each.book_id == book)
        row = self._row(quizzed, self._about, datetime.now().astimezone())
        self.replace_option_prompt_at_index(at, row.prompt)
        self.post_message(self.Marked())
        self.action_cursor_down()

    def _row(self, each: Quizzed, about: Standing, now: datetime) -> Option:
        title, author = about.titled(each.book_id)
        parts = []
        if due := about.due(now, each.book_id):
            parts.append(f"{due} due")
        score = about.stats and about.stats.by_book.get(each.book_id)
        if score:
            parts.append(f"{_percent(score).strip()} of {score.asked}")
        if each.automatic:
            parts.append("automatic")
        if each.own:
            parts.append("your own")
        parts.append(one_line(author))
        marked = "● " if each.book_id in self.marks else "  "
        return Option(
            Content.assemble(
                (marked, "bold $accent"), one_line(title),
                ("  " + " · ".join(filter(None, parts)), "dim"),
            ),
            f"book-{each.book_id}",
        )  # fmt: skip


def _all_of(shelved: Sequence[Quizzed]) -> Content:
    written = sum(not each.automatic for each in shelved)
    what = f"{written} of the shelf" if written else "the three that come with scholar"
    return Content.assemble("  All books", (f"  {what}", "dim"))


class Start(Vertical):
    """What can be asked, what is due, and how to ask."""

    DEFAULT_CSS = """
    Start {
        & Books { text-wrap: nowrap; text-overflow: ellipsis; }
        & > #standing { height: auto; max-height: 6; padding: 0 2; margin-top: 1; }
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

    def compose(self) -> ComposeResult:
        yield Static("", id="standing", markup=False)
        with Horizontal(id="choosing"):
            yield Books(id="books", classes="pane")
            with VerticalScroll(id="wishes", classes="pane", can_focus=False):
                with Horizontal(classes="wish"):
                    yield Label("Questions")
                    yield Input("10", id="n", type="integer", max_length=3, compact=True,
                                tooltip="How many questions, 1 to 200")  # fmt: skip
                with Horizontal(classes="wish"):
                    yield Label("Ask for")
                    yield Select(
                        [("both", "mixed"), ("the name", "desc2name"),
                         ("what is said", "name2desc")],
                        value="mixed", allow_blank=False, id="kind", compact=True,
                        tooltip="Names for a description, or descriptions for a name",
                    )  # fmt: skip
                with Horizontal(classes="wish"):
                    yield Label("Levels")
                    yield Input("1-4", id="levels", restrict=r"[1-4,\- ]*", max_length=9,
                                compact=True, tooltip="How roundabout: 1 is plain, 2 names "
                                "others, 3 and 4 describe them too")  # fmt: skip
                with Horizontal(classes="wish"):
                    yield Label("Up to chapter")
                    yield Input(
                        id="upto",
                        type="integer",
                        max_length=6,
                        valid_empty=True,
                        compact=True,
                        placeholder="the end",
                        tooltip="Nothing of later chapters; u: as far as you read",
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
                    yield Input(id="seed", type="integer", max_length=12, valid_empty=True,
                                compact=True, placeholder="any",
                                tooltip="The same number draws the same questions")  # fmt: skip

    @property
    def books(self) -> Books:
        return self.query_one(Books)

    def show(self, about: Standing, now: datetime, wanted: str | None) -> bool:
        """Show where somebody stands; whether the book that is wanted is there."""
        self.query_one("#standing", Static).update(standing_said(about, now))
        return self.books.show(about, now, wanted)

    def wish(self, wishes: Wishes) -> None:
        """Show what somebody likes to be asked."""
        from scholar_indexes.characters.rounds import levels_said

        self.query_one("#n", Input).value = str(wishes.n)
        self.query_one("#kind", Select).value = wishes.kind
        self.query_one("#levels", Input).value = levels_said(wishes.levels)
        self.query_one("#anonymize", Checkbox).value = wishes.anonymize
        self.query_one("#seed", Input).value = "" if wishes.seed is None else str(wishes.seed)

    def wishes(self) -> Wishes:
        """What is wished; raises UsageError for what makes no sense."""
        from scholar_indexes.characters import rounds

        said = self.query_one("#n", Input).value
        n = int(said) if said.isascii() and said.isdigit() else 0
        if not 1 <= n <= rounds.MOST:
            raise UsageError(f"{said or 'nothing'} is no number of questions; write 1 to "
                             f"{rounds.MOST}")  # fmt: skip
        seed = self.query_one("#seed", Input).value.strip()
        return rounds.Wishes(
            n, str(self.query_one("#kind", Select).value),
            rounds.levels(self.query_one("#levels", Input).value),
            self.query_one("#anonymize", Checkbox).value,
            _whole(seed, "seed") if seed else None,
        )  # fmt: skip

    @property
    def upto(self) -> int | None:
        """The last chapter that may be told of, None for all; raises UsageError as wishes."""
        field = self.query_one("#upto", Input)
        said = "" if field.disabled else field.value.strip()
        if not said:
            return None
        if (chapter := _whole(said, "chapter")) < 1:
            raise UsageError(f"{said} is no chapter; write 1 or more, or nothing")
        return chapter

    def tell_up_to(self, chapter: str | None, *, one_book: bool) -> None:
        """Show up to which chapter may be told, where one book is asked about."""
        field = self.query_one("#upto", Input)
        field.disabled = not one_book
        field.placeholder = "the end" if one_book else "one book only"
        field.value = (chapter or "") if one_book else ""


def _whole(said: str, what: str) -> int:
    try:
        return int(said)
    except ValueError:
        raise UsageError(f"{said!r} is no {what}; write a number, or nothing") from None


def standing_said(about: Standing, now: datetime) -> Content:
    """What is due and what was left, and which keys lead there."""
    from scholar_indexes.characters.rounds import numbered, when

    lines = [Content.styled(one_line(each), "$error") for each in about.refusals]
    due = about.due(now)
    if due:
        key = ("  d", "bold $primary")
        lines.append(Content.assemble((numbered(due, "card"), "bold"),
                                      " due again", key, " asks"))  # fmt: skip
    elif about.cards:
        lines.append(
            Content(f"Nothing is due; the next card comes {when(about.cards[0].due, now)}")
        )
    elif about.stats is not None:
        lines.append(Content("Nothing was asked yet: choose a book and press Enter"))
    if last := about.last:
        total = len(last.questions)
        said, does = (
            (f"The last round, {last.name}: {last.right} of {total} right", "looks back")
            if last.over
            else (f"You left {last.name} at question {last.at + 1} of {total}", "goes on")
        )
        lines.append(Content.assemble(said, ("  r", "bold $primary"), f" {does}"))
    return Content("\n").join(lines)


class Results(OptionList):
    """The questions of a round that is over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Look", tooltip="Look at this question and its passages again"),
        Binding("o", "screen.open", "Open", show=False, tooltip="Open its passage in the reader"),
        Binding("s", "screen.figures", "Stats", show=False, tooltip="See how you do"),
    ]
    DEFAULT_CSS = _LIST_CSS.replace("$NAME", "Results")


class Summary(Vertical):
    """How a round went: what was missed first, and when everything is asked again."""

    DEFAULT_CSS = """
    Summary {
        & > #score { height: auto; padding: 0 2; margin-top: 1; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static("", id="score", markup=False)
        yield Results(id="results", classes="pane", markup=False)

    def show(self, of: Round, dues: Sequence[datetime | None], due: int, now: datetime) -> None:
        """Show a round that is over; dues are when its questions are asked again."""
        from scholar_indexes.characters import rounds

        order = sorted(range(len(of.given)), key=lambda at: of.given[at].right)
        lines = [Content.assemble((one_line(of.name), "bold"), ": ", _bar(of.right, len(of.given)),
                                  (f" {of.right} of {len(of.given)} right", "bold"))]  # fmt: skip
        missed = len(of.missed)
        if missed:
            lines.append(Content.assemble(f"{missed} missed", ("  a", "bold $primary"),
                                          " asks them again"))  # fmt: skip
        else:
            lines.append(Content("Nothing was missed."))
        if due:
            lines.append(Content.assemble(rounds.numbered(due, "card"), " due in all",
                                          ("  d", "bold $primary"), " asks"))  # fmt: skip
        if of.seed is not None:
            lines.append(Content.styled(f"drawn with seed {of.seed}", "$foreground-muted"))
        self.query_one("#score", Static).update(Content("\n").join(lines))
        results = self.query_one(Results)
        results.set_options(
            Option(_result(of, at, dues[at], now), f"question-{at}") for at in order
        )
        results.highlighted = 0 if order else None
        results.focus()

    @property
    def at(self) -> int | None:
        """The index of the question that is highlighted."""
        option = self.query_one(Results).highlighted_option
        return int(option.id.removeprefix("question-")) if option and option.id else None


def _result(of: Round, at: int, due: datetime | None, now: datetime) -> Content:
    from scholar_indexes.characters.rounds import asks, when

    question, given = of.questions[at], of.given[at]
    mark = (f"{RIGHT} ", "bold $success") if given.right else (f"{WRONG} ", "bold $error")
    lines = [one_line(question.choices[question.answer])]
    if not given.right:
        said = "nothing" if given.chosen is None else one_line(question.choices[given.chosen])
        lines.append(f"you said: {said}")
    if due is not None:
        lines.append(f"due again {when(due, now)}")
    return Content.assemble(
        mark, (asks(question), "bold"), *(("\n" + line, "dim") for line in lines)
    )


class Figures(VerticalScroll, can_focus=True):
    """How somebody does, and what comes."""

    DEFAULT_CSS = """
    Figures {
        padding: 1 2; scrollbar-size-vertical: 1;
        & > #columns { height: auto; }
        & Static { width: 1fr; height: auto; }
    }
    """

    def compose(self) -> ComposeResult:
        with Container(id="columns"):
            yield Static("", id="shares", markup=False)
            yield Static("", id="coming", markup=False)

    def show(self, about: Standing, now: datetime) -> None:
        self.query_one("#shares", Static).update(shares_said(about))
        self.query_one("#coming", Static).update(coming_said(about, now))
        self.scroll_home(animate=False)


def shares_said(about: Standing) -> Content:
    """Shares of right answers by book, level and kind, and who is missed most."""
    from scholar_indexes.characters.rounds import numbered, weakest

    figures = about.stats
    if figures is None or not figures.total.asked:
        return Content(
            "Nothing was asked yet. Esc leads back; choose a book there, and Enter asks."
        )
    kinds = {"desc2name": "the name asked", "name2desc": "what is said"}
    lines = [
        Content.styled("Right answers", "bold $secondary"), _row("all", figures.total),
        *(_row(about.titled(book)[0], score) for book, score in figures.by_book.items()),
        _heading("By level"),
        *(_row(f"level {level}", score) for level, score in figures.by_level.items()),
        _heading("By kind"),
        *(_row(kinds.get(kind, kind), score) for kind, score in figures.by_kind.items()),
        _heading("In a row"),
        Content(f"{numbered(figures.days, 'day')} with an answer · "
                f"{figures.streak} right now, {figures.longest} at most"),
    ]  # fmt: skip
    if figures.retention is not None:
        lines.append(Content(f"{100 * figures.retention:.0f} % of what was known on an earlier day "
                             "was known again"))  # fmt: skip
    if figures.recall is not None:
        lines.append(Content(f"{100 * figures.recall:.0f} % of {numbered(figures.cards, 'card')} "
                             "would be known now"))  # fmt: skip
    if missed := weakest(figures):
        lines.append(_heading("Missed most"))
        lines += [
            Content.assemble(
                one_line(who),
                (f"  {times} of {asked} · {one_line(about.titled(book)[0])}", "dim"),
            )
            for (book, who), times, asked in missed
        ]
    return Content("\n").join(lines)


def coming_said(about: Standing, now: datetime) -> Content:
    """How many cards come back on each of the next days, a bar for each."""
    from scholar_indexes.characters.rounds import coming

    counts = coming(about.cards, now, DAYS)
    if not about.cards:
        return Content("")
    most = max(counts) or 1
    lines = [Content.styled("Due in the coming days", "bold $secondary")]
    for at, count in enumerate(counts):
        day = now + timedelta(days=at)
        name = "today" if at == 0 else f"{day:%a} {day.day:>2}"
        length = -(-count * _BAR // most)
        lines.append(Content.assemble(f"{name:<8}", ("█" * length, "$primary"),
                                      f" {count}" if count else ("·", "dim")))  # fmt: skip
    later = len(about.cards) - sum(counts)
    if later:
        lines.append(Content.styled(f"later   {later}", "dim"))
    return Content("\n").join(lines)


def _heading(text: str) -> Content:
    return Content.styled(f"\n{text}", "bold $secondary")


def _row(label: str, score: Score) -> Content:
    name = one_line(label)
    name = name if len(name) <= _LABEL else name[: _LABEL - 1] + "…"
    return Content.assemble(
        f"{name:<{_LABEL}} ", _bar(score.right, score.asked),
        f" {_percent(score)}", (f"  {score.right} of {score.asked}", "dim"),
    )  # fmt: skip


def _percent(score: Score) -> str:
    return f"{100 * score.share:3.0f} %"


def _bar(part: int, whole: int) -> Content:
    length = round(_BAR * part / whole) if whole else 0
    return Content.assemble(("█" * length, "$success"), ("░" * (_BAR - length), "dim"))
