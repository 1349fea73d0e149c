"""A question with its choices, and its evidence once it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.emphasized import emphasized
from scholar_tui.widgets.line_breaking import truncate_to_width, wrap_lines

if TYPE_CHECKING:
    from scholar_indexes.characters.descriptions.bank import DescriptionEvidence
    from scholar_indexes.characters.quiz.questions import QuizQuestion
    from scholar_indexes.characters.quiz.rounds import Round, RoundAnswer

KEYS = "1234567890"
"""The keys of the first ten choices, in order."""

KEY_WIDTH = 5
"""The cells of a choice's mark and key."""

MAX_MARKS = 40
"""The number of questions up to which the progress of a round is shown with marks."""

RIGHT, WRONG, PENDING = "✓", "✗", "…"


class ChoiceRow(Horizontal):
    """One choice with its key."""

    ALLOW_SELECT = False

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index
        self._label = ""
        self._lines: list[str] = []
        self._width = 0
        self._key = Static("", classes="key", markup=False)
        self._text = Static("", classes="label", markup=False)

    def compose(self) -> ComposeResult:
        yield self._key
        yield self._text

    def show(self, text: str) -> None:
        """Show another choice without a mark."""
        self._label = one_line(text)
        self._lines, self._width = [], 0
        self.remove_class("-right", "-wrong", "-other", "-here")
        self.mark(" ", "")

    def count_lines(self, width: int) -> int:
        """Return the number of lines that the whole choice takes in `width` cells."""
        if width != self._width:
            self._lines, self._width = wrap_lines(self._label, width - KEY_WIDTH), width
        return max(len(self._lines), 1)

    def fit(self, lines: int) -> None:
        """Show the choice in at most `lines` lines, with an ellipsis if it is cut."""
        text = self._label
        if len(self._lines) > lines:
            text = truncate_to_width(
                " ".join(self._lines[:lines]) + "…", (self._width - KEY_WIDTH) * lines - 2
            )
            text = text if text.endswith("…") else f"{text}…"
        if self._text.content != text:
            self._text.update(Content(text))

    def mark(self, mark: str, meaning: str) -> None:
        """Show a mark before the choice, and its meaning in words after it."""
        key = KEYS[self.index] if self.index < len(KEYS) else "·"
        self._key.update(f"{mark} {key}")
        words = f"  — {meaning}" if meaning else ""
        self._text.update(Content.assemble(self._label, (words, "italic")))


class AnswerChoices(VerticalScroll):
    """The choices of a question: by their keys, with the arrows and Enter, or with the mouse."""

    class Chosen(Message):
        """A choice was made."""

        def __init__(self, index: int) -> None:
            self.index = index
            super().__init__()

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "up", "move(-1)", "Previous choice", show=False, tooltip="Go to the previous choice"
        ),
        Binding("down", "move(1)", "Next choice", show=False, tooltip="Go to the next choice"),
        Binding("home", "move(-999)", "First choice", show=False, tooltip="Go to the first choice"),
        Binding("end", "move(999)", "Last choice", show=False, tooltip="Go to the last choice"),
        Binding("enter", "choose", "Answer", show=False, tooltip="Answer with this choice"),
    ]

    DEFAULT_CSS = """
    AnswerChoices {
        height: 1fr; scrollbar-size-vertical: 1;
        & > ChoiceRow {
            height: auto; padding: 0 1;
            & > .key { width: 5; color: $primary; text-style: bold; }
            & > .label { width: 1fr; }
        }
        & > ChoiceRow:hover { background: $primary-muted; }
        & > ChoiceRow.-right { color: $success; text-style: bold; }
        & > ChoiceRow.-wrong { color: $error; text-style: bold; }
        & > ChoiceRow.-right > .key { color: $success; }
        & > ChoiceRow.-wrong > .key { color: $error; }
        & > ChoiceRow.-other, & > ChoiceRow.-other > .key { color: $foreground-muted; }
        &.-open:focus > ChoiceRow.-here { background: $primary; color: $background; }
        &.-open:focus > ChoiceRow.-here > .key { color: $background; }
        & > ChoiceRow.-absent { display: none; }
    }
    """

    cursor: reactive[int] = reactive(0, init=False)
    """The index of the choice that Enter selects."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[ChoiceRow] = []
        self._count = 0

    def offer(self, texts: Sequence[str]) -> None:
        """Show choices to choose from."""
        missing = [ChoiceRow(index) for index in range(len(self._rows), len(texts))]
        if missing:
            self._rows += missing
            self.mount_all(missing)
        for row in self._rows:
            row.set_class(row.index >= len(texts), "-absent")
            if row.index < len(texts):
                row.show(texts[row.index])
        self._count = len(texts)
        self.add_class("-open")
        self.set_reactive(AnswerChoices.cursor, 0)
        self._rows[0].add_class("-here")
        self.scroll_home(animate=False)
        self.call_after_refresh(self._fit)

    def show_pending(self, chosen: int | None) -> None:
        """Mark the chosen one while the answer is being saved."""
        self.remove_class("-open")
        if chosen is not None:
            self._rows[chosen].mark(PENDING, "")

    def show_answer(self, answer: int, chosen: int | None) -> None:
        """Mark the right choice and the chosen one."""
        self.remove_class("-open")
        for row in self._rows[: self._count]:
            row.set_class(row.index == answer, "-right")
            row.set_class(row.index == chosen != answer, "-wrong")
            row.set_class(row.index not in (answer, chosen), "-other")
            if row.index == answer:
                row.mark(RIGHT, "right" if chosen == answer else "the right one")
            elif row.index == chosen:
                row.mark(WRONG, "your answer")
        first = min(answer, answer if chosen is None else chosen)
        self.call_after_refresh(self._show_choice, first)

    def watch_cursor(self, old: int, new: int) -> None:
        if max(old, new) < self._count:
            self._rows[old].remove_class("-here")
            self._rows[new].add_class("-here")
            self._fit()
            self.call_after_refresh(self._show_choice, new)

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Shorten the longest choices if not all fit; the one at the cursor stays whole."""
        if not self.has_class("-open") or not self.size.height:
            return
        rows = self._rows[: self._count]
        width = self.size.width - 2
        counts = [row.count_lines(width) for row in rows]
        room = self.size.height - counts[self.cursor]
        others = counts[: self.cursor] + counts[self.cursor + 1 :]
        most = next((most for most in range(max(counts), 1, -1) if _total(others, most) <= room), 1)
        for row in rows:
            row.fit(counts[row.index] if row.index == self.cursor else most)

    def action_move(self, by: int) -> None:
        self.cursor = min(max(self.cursor + by, 0), max(self._count - 1, 0))

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self.cursor))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in ("move", "choose") or self.has_class("-open")

    def on_click(self, event: Click) -> None:
        widgets = event.widget.ancestors_with_self if event.widget else []
        row = next((widget for widget in widgets if isinstance(widget, ChoiceRow)), None)
        if row is not None and self.has_class("-open"):
            self.cursor = row.index
            self.action_choose()

    def _show_choice(self, index: int) -> None:
        if index < len(self._rows):
            self.scroll_to_widget(self._rows[index], animate=False, immediate=True)


def _total(counts: Sequence[int], most: int) -> int:
    """Return the number of lines of choices that take at most `most` lines each."""
    return sum(min(count, most) for count in counts)


class EvidenceList(OptionList, inherit_bindings=False):
    """The passages that support an answer; the screen handles Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "down", "cursor_down", "Next passage", show=False, tooltip="Go to the next passage"
        ),
        Binding(
            "up", "cursor_up", "Previous passage", show=False, tooltip="Go to the previous passage"
        ),
        Binding("pagedown", "page_down", "Page down", show=False, tooltip="Go down a page"),
        Binding("pageup", "page_up", "Page up", show=False, tooltip="Go up a page"),
        Binding("home", "first", "First passage", show=False, tooltip="Go to the first passage"),
        Binding("end", "last", "Last passage", show=False, tooltip="Go to the last passage"),
    ]

    DEFAULT_CSS = """
    EvidenceList {
        height: 1fr; border: none; padding: 0; background: $background;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background-tint: transparent; }
        & > .option-list--option { padding: 0 1 1 1; }
        & > .option-list--option-highlighted, &:focus > .option-list--option-highlighted {
            background: $panel; color: $foreground; text-style: none;
        }
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._passages: tuple[DescriptionEvidence, ...] = ()

    def show(self, passages: Sequence[DescriptionEvidence]) -> None:
        self._passages = tuple(passages)
        self.set_options(
            Option(
                Content.assemble(
                    "“",
                    emphasized(passage.quote),
                    "”\n",
                    (one_line(passage.locator), "$foreground-muted"),
                )
            )
            for passage in passages
        )
        self.highlighted = 0 if passages else None

    @property
    def locator(self) -> str | None:
        """The locator of the highlighted passage."""
        return None if self.highlighted is None else self._passages[self.highlighted].locator


class QuestionView(Vertical):
    """A question of a round, before and after its answer."""

    DEFAULT_CSS = """
    QuestionView {
        padding: 0 1;
        & > #where { height: 1; text-wrap: nowrap; text-overflow: ellipsis;
                     color: $foreground-muted; }
        & > #question { height: auto; max-height: 8; margin: 1 0; padding: 0 1; text-style: bold; }
        & #after { height: 1fr; }
        & #verdict { height: auto; padding: 0 1; }
        & #verdict.-unsaved { color: $error; }
        & #keys { height: auto; padding: 0 1; color: $foreground-muted; }
        & #proofs { margin-top: 1; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static("", id="where", markup=False)
        yield Static("", id="question", markup=False)
        with Container(id="body"):
            yield AnswerChoices(id="choices")
            with Vertical(id="after"):
                yield Static("", id="verdict", markup=False)
                yield EvidenceList(id="proofs")
                yield Static("", id="keys", markup=False)

    def show_question(self, quiz_round: Round, position: int, title: str) -> None:
        """Show a question to answer."""
        self._show_heading(quiz_round, position, title)
        self.remove_class("-answered", "-unsaved")
        self._choices.offer(quiz_round.questions[position].choices)
        self._show_verdict(progress_marks(quiz_round, position))
        self._show_keys(
            "1 to 0, or ↑ ↓ and Enter: answer\nx: I do not know\n"
            "c: a bad question, not asked again\nEsc: leave; r resumes"
        )
        self._evidence.show(())
        self._choices.focus()

    def show_pending(self, chosen: int | None) -> None:
        """Show that an answer is being saved."""
        self._choices.show_pending(chosen)

    def show_save_failure(self, line: str) -> None:
        """Show that an answer could not be saved, with the reason."""
        self.add_class("-unsaved")
        self._show_verdict(
            Content(f"Your answer is not saved yet: {one_line(line)}\nEnter tries again.")
        )
        self.query_one("#verdict").add_class("-unsaved")
        self._show_keys("")

    def show_answer(
        self,
        quiz_round: Round,
        position: int,
        title: str,
        due: str,
        next_step: str,
        *,
        is_review: bool,
    ) -> None:
        """Show whether an answer was right, and the passages that support it.

        `due` is the time when the question is due again, `next_step` is the action of Enter, and
        `is_review` is True if the question was not shown just before.
        """
        question, answer = quiz_round.questions[position], quiz_round.answers[position]
        self._show_heading(quiz_round, position, title)
        if is_review:
            self._choices.offer(question.choices)
        self.remove_class("-unsaved")
        self.add_class("-answered")
        self._choices.show_answer(question.answer, answer.chosen)
        due_note = f" Due again {due}." if due else ""
        marks = progress_marks(quiz_round, position)
        self._show_verdict(Content.assemble(verdict_text(question, answer), due_note, "\n", marks))
        self._evidence.show(question.evidence)
        self._evidence.display = bool(question.evidence)
        if question.evidence:
            self._show_keys(f"Enter: {next_step} · g: open the passage in the book")
            self._evidence.focus()
        else:
            self._show_keys(f"No passage is given for this description.\nEnter: {next_step}")
            self._choices.focus()

    @property
    def locator(self) -> str | None:
        """The locator of the highlighted passage, once the question is answered."""
        return self._evidence.locator if self.has_class("-answered") else None

    @property
    def _choices(self) -> AnswerChoices:
        return self.query_one(AnswerChoices)

    @property
    def _evidence(self) -> EvidenceList:
        return self.query_one(EvidenceList)

    def _show_heading(self, quiz_round: Round, position: int, title: str) -> None:
        from scholar_indexes.serialize.quiz_text import question_sentence

        question = quiz_round.questions[position]
        self.query_one("#where", Static).update(
            Content.assemble(
                (f"{position + 1}/{len(quiz_round.questions)}", "bold $primary"),
                f"  {question_heading(question, title)}",
                f" · {quiz_round.right_count} of {quiz_round.position} right"
                if quiz_round.position
                else "",
            )
        )
        self.query_one("#question", Static).update(Content(question_sentence(question)))

    def _show_verdict(self, content: Content) -> None:
        static = self.query_one("#verdict", Static)
        static.update(content)
        static.remove_class("-unsaved")

    def _show_keys(self, text: str) -> None:
        keys = self.query_one("#keys", Static)
        keys.update(text)
        keys.display = bool(text)


def question_heading(question: QuizQuestion, title: str) -> str:
    """Return the title of the book, the level, and warnings about a question."""
    parts = [one_line(title), f"level {question.level}"]
    if question.automatic:
        parts.append("automatic description, may be wrong")
    if len(question.choices) < len(KEYS):
        parts.append(f"only {len(question.choices)} choices")
    return " · ".join(parts)


def verdict_text(question: QuizQuestion, answer: RoundAnswer) -> Content:
    """Return the verdict on an answer as a mark, a word and a colour, with the right name."""
    if answer.right:
        return Content.styled(f"{RIGHT} Right.", "bold $success")
    outcome = "Not answered" if answer.chosen is None else "Wrong"
    if question.kind != "desc2name":
        return Content.styled(f"{WRONG} {outcome}.", "bold $error")
    name = one_line(question.choices[question.answer])
    return Content.assemble((f"{WRONG} {outcome}:", "bold $error"), " it is ", (name, "bold"), ".")


def progress_marks(quiz_round: Round, position: int) -> Content:
    """Return a mark for each question of a round; the question at `position` is current."""
    if len(quiz_round.questions) > MAX_MARKS:
        return Content("")
    return Content(" ").join(
        [
            Content.styled(*((RIGHT, "$success") if answer.right else (WRONG, "$error")))
            for answer in quiz_round.answers
        ]
        + [
            Content.styled("▸" if number == position else "·", "$foreground-muted")
            for number in range(quiz_round.position, len(quiz_round.questions))
        ]
    )
