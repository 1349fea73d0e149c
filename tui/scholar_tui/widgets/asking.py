"""A question with its choices, and what the book says once it is answered."""

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

from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.characters.bank import Proof
    from scholar_indexes.characters.questions import Question
    from scholar_indexes.characters.rounds import Given, Round

KEYS = "1234567890"
"""The keys of the first ten choices, in their order."""

MOST_MARKS = 40
"""A longer round shows its progress in figures alone."""

RIGHT, WRONG, PENDING = "✓", "✗", "…"


class Choice(Horizontal):
    """One choice: its key, and what it says."""

    ALLOW_SELECT = False

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at
        self._said = ""
        self._key = Static("", classes="key", markup=False)
        self._text = Static("", classes="said", markup=False)

    def compose(self) -> ComposeResult:
        yield self._key
        yield self._text

    def say(self, text: str) -> None:
        """Show another choice, unmarked."""
        self._said = one_line(text)
        self.remove_class("-right", "-wrong", "-other", "-here")
        self.mark(" ", "")

    def mark(self, mark: str, meaning: str) -> None:
        """Show a sign before the choice, and what it means in words behind it."""
        key = KEYS[self.at] if self.at < len(KEYS) else "·"
        self._key.update(f"{mark} {key}")
        words = f"  — {meaning}" if meaning else ""
        self._text.update(Content.assemble(self._said, (words, "italic")))


class Choices(VerticalScroll):
    """The choices of a question: by their keys, with the arrows and Enter, or with the mouse."""

    class Chosen(Message):
        """A choice was made."""

        def __init__(self, at: int) -> None:
            self.at = at
            super().__init__()

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Choice before", show=False, tooltip="Go to the choice before"),
        Binding("down", "move(1)", "Next choice", show=False, tooltip="Go to the next choice"),
        Binding("home", "move(-999)", "First choice", show=False, tooltip="Go to the first choice"),
        Binding("end", "move(999)", "Last choice", show=False, tooltip="Go to the last choice"),
        Binding("enter", "choose", "Answer", show=False, tooltip="Answer with this choice"),
    ]

    DEFAULT_CSS = """
    Choices {
        height: 1fr; scrollbar-size-vertical: 1;
        & > Choice {
            height: auto; padding: 0 1;
            & > .key { width: 5; color: $primary; text-style: bold; }
            & > .said { width: 1fr; }
        }
        & > Choice:hover { background: $primary-muted; }
        & > Choice.-right { color: $success; text-style: bold; }
        & > Choice.-wrong { color: $error; text-style: bold; }
        & > Choice.-right > .key { color: $success; }
        & > Choice.-wrong > .key { color: $error; }
        & > Choice.-other, & > Choice.-other > .key { color: $foreground-muted; }
        &.-open:focus > Choice.-here { background: $primary; color: $background; }
        &.-open:focus > Choice.-here > .key { color: $background; }
        & > Choice.-absent { display: none; }
    }
    """

    here: reactive[int] = reactive(0, init=False)
    """The index of the choice that Enter takes."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[Choice] = []
        self._count = 0

    def offer(self, texts: Sequence[str]) -> None:
        """Show choices to be made."""
        missing = [Choice(at) for at in range(len(self._rows), len(texts))]
        if missing:
            self._rows += missing
            self.mount_all(missing)
        for row in self._rows:
            row.set_class(row.at >= len(texts), "-absent")
            if row.at < len(texts):
                row.say(texts[row.at])
        self._count = len(texts)
        self.add_class("-open")
        self.set_reactive(Choices.here, 0)
        self._rows[0].add_class("-here")
        self.scroll_home(animate=False)

    def pending(self, chosen: int | None) -> None:
        """Show which choice was made, while it is not known whether it is right."""
        self.remove_class("-open")
        if chosen is not None:
            self._rows[chosen].mark(PENDING, "")

    def tell(self, answer: int, chosen: int | None) -> None:
        """Show which choice is right, and which was made."""
        self.remove_class("-open")
        for row in self._rows[: self._count]:
            row.set_class(row.at == answer, "-right")
            row.set_class(row.at == chosen != answer, "-wrong")
            row.set_class(row.at not in (answer, chosen), "-other")
            if row.at == answer:
                row.mark(RIGHT, "right" if chosen == answer else "the right one")
            elif row.at == chosen:
                row.mark(WRONG, "your answer")
        first = min(answer, answer if chosen is None else chosen)
        self.call_after_refresh(self._bring, first)

    def watch_here(self, old: int, new: int) -> None:
        if max(old, new) < self._count:
            self._rows[old].remove_class("-here")
            self._rows[new].add_class("-here")
            self._bring(new)

    def action_move(self, by: int) -> None:
        self.here = min(max(self.here + by, 0), max(self._count - 1, 0))

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self.here))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in ("move", "choose") or self.has_class("-open")

    def on_click(self, event: Click) -> None:
        over = event.widget
        row = (
            next((each for each in over.ancestors_with_self if isinstance(each, Choice)), None)
            if over
            else None
        )
        if row is not None and self.has_class("-open"):
            self.here = row.at
            self.action_choose()

    def _bring(self, at: int) -> None:
        if at < len(self._rows):
            self.scroll_to_widget(self._rows[at], animate=False, immediate=True)


class Proofs(OptionList, inherit_bindings=False):
    """The passages that bear an answer out; Enter is left to whoever shows them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "cursor_down", "Next passage", show=False,
                tooltip="Go to the next passage"),
        Binding("up", "cursor_up", "Passage before", show=False,
                tooltip="Go to the passage before"),
        Binding("pagedown", "page_down", "Page down", show=False, tooltip="Go down a page"),
        Binding("pageup", "page_up", "Page up", show=False, tooltip="Go up a page"),
        Binding("home", "first", "First passage", show=False, tooltip="Go to the first passage"),
        Binding("end", "last", "Last passage", show=False, tooltip="Go to the last passage"),
    ]  # fmt: skip

    DEFAULT_CSS = """
    Proofs {
        height: 1fr; border: none; padding: 0; background: $background;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background-tint: transparent; }
        & > .option-list--option { padding: 0 1 1 1; }
        & > .option-list--option-highlighted, &:focus > .option-list--option-highlighted {
            background: $panel; color: $foreground; text-style: none;
        }
        &:ansi > .option-list--option-highlighted { background: $primary; }
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._shown: tuple[Proof, ...] = ()

    def show(self, proofs: Sequence[Proof]) -> None:
        self._shown = tuple(proofs)
        self.set_options(
            Option(Content.assemble(
                f"“{one_line(each.quote)}”\n", (one_line(each.locator), "$foreground-muted"),
            ))
            for each in proofs
        )  # fmt: skip
        self.highlighted = 0 if proofs else None

    @property
    def locator(self) -> str | None:
        """Where the passage stands that is highlighted."""
        return None if self.highlighted is None else self._shown[self.highlighted].locator


class Asking(Vertical):
    """One question of a round, before and after its answer."""

    DEFAULT_CSS = """
    Asking {
        padding: 0 1;
        & > #where { height: 1; text-wrap: nowrap; text-overflow: ellipsis;
                     color: $foreground-muted; }
        & > #asked { height: auto; max-height: 8; margin: 1 0; padding: 0 1; text-style: bold; }
        & #after { height: 1fr; }
        & #verdict { height: auto; padding: 0 1; }
        & #verdict.-unkept { color: $error; }
        & #keys { height: auto; padding: 0 1; color: $foreground-muted; }
        & #proofs { margin-top: 1; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static("", id="where", markup=False)
        yield Static("", id="asked", markup=False)
        with Container(id="body"):
            yield Choices(id="choices")
            with Vertical(id="after"):
                yield Static("", id="verdict", markup=False)
                yield Proofs(id="proofs")
                yield Static("", id="keys", markup=False)

    def ask(self, of: Round, at: int, title: str) -> None:
        """Show a question that is to be answered."""
        self._head(of, at, title)
        self.remove_class("-told", "-unkept")
        self.query_one(Choices).offer(of.questions[at].choices)
        self._say(progress(of, at))
        self._keys("1 to 0, or ↑ ↓ and Enter: answer\np: I do not know\nEsc: leave; r goes on")
        self.query_one(Proofs).show(())
        self.query_one(Choices).focus()

    def pending(self, chosen: int | None) -> None:
        """Show that an answer is being kept."""
        self.query_one(Choices).pending(chosen)

    def unkept(self, line: str) -> None:
        """Say that an answer could not be kept."""
        self.add_class("-unkept")
        self._say(Content(f"Your answer is not kept yet: {one_line(line)}\nEnter keeps it again."))
        self.query_one("#verdict").add_class("-unkept")
        self._keys("")

    def tell(
        self, of: Round, at: int, given: Given, title: str, due: str, more: str, *, again: bool
    ) -> None:
        """Show whether an answer was right, and what the book says; due says when it is asked
        again, more what Enter does, and again that the question was not shown just now."""
        from scholar_indexes.characters.rounds import asks

        question = of.questions[at]
        self._head(of, at, title)
        self.query_one("#asked", Static).update(Content(asks(question)))
        if again:
            self.query_one(Choices).offer(question.choices)
        self.remove_class("-unkept")
        self.add_class("-told")
        self.query_one(Choices).tell(question.answer, given.chosen)
        comes = f" Due again {due}." if due else ""
        self._say(Content.assemble(verdict(question, given), comes, "\n", progress(of, at)))
        proofs = self.query_one(Proofs)
        proofs.show(question.evidence)
        proofs.display = bool(question.evidence)
        told = "" if question.evidence else "No passage is given for this description.\n"
        told += f"Enter: {more}"
        self._keys(told + (" · o: open the passage in the book" if question.evidence else ""))
        (proofs if question.evidence else self.query_one(Choices)).focus()

    @property
    def locator(self) -> str | None:
        """Where the passage stands that is looked at."""
        return self.query_one(Proofs).locator if self.has_class("-told") else None

    def _head(self, of: Round, at: int, title: str) -> None:
        from scholar_indexes.characters.rounds import asks

        question = of.questions[at]
        self.query_one("#where", Static).update(
            Content.assemble(
                (f"{at + 1}/{len(of.questions)}", "bold $primary"),
                f"  {where(question, title)}",
                f" · {of.right} of {of.at} right" if of.at else "",
            )
        )
        self.query_one("#asked", Static).update(Content(asks(question)))

    def _say(self, what: Content) -> None:
        said = self.query_one("#verdict", Static)
        said.update(what)
        said.remove_class("-unkept")

    def _keys(self, text: str) -> None:
        keys = self.query_one("#keys", Static)
        keys.update(text)
        keys.display = bool(text)


def where(question: Question, title: str) -> str:
    """What a question is about, and what is to be known of it before it is answered."""
    parts = [one_line(title), f"level {question.level}"]
    if question.automatic:
        parts.append("automatic description, may be wrong")
    if len(question.choices) < len(KEYS):
        parts.append(f"only {len(question.choices)} choices")
    return " · ".join(parts)


def verdict(question: Question, given: Given) -> Content:
    """Whether an answer was right, in a sign, a word and a colour; and who it is."""
    if given.right:
        return Content.styled(f"{RIGHT} Right.", "bold $success")
    said = "Not answered" if given.chosen is None else "Wrong"
    if question.kind != "desc2name":
        return Content.styled(f"{WRONG} {said}.", "bold $error")
    who = one_line(question.choices[question.answer])
    return Content.assemble((f"{WRONG} {said}:", "bold $error"), " it is ", (who, "bold"), ".")


def progress(of: Round, at: int) -> Content:
    """How each question of a round went so far; at is the one that is looked at."""
    if len(of.questions) > MOST_MARKS:
        return Content("")
    return Content(" ").join([
        Content.styled(*(
            (RIGHT, "$success") if given.right else (WRONG, "$error")
        )) for given in of.given
    ] + [
        Content.styled("▸" if number == at else "·", "$foreground-muted")
        for number in range(of.at, len(of.questions))
    ])  # fmt: skip
