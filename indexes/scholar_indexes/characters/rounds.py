"""A round of questions: begun, left, gone on with, looked back on.

    begun -> as_json (kept) ... from_json -> resumed(round, history.answers()) -> Round

What was answered is in the history alone, so a round that was killed stands where its last
answer was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from scholar_indexes import records
from scholar_indexes.characters import questions as forms
from scholar_indexes.characters.questions import KINDS, LEVELS, Question
from scholar_indexes.errors import Damaged, ScholarError, UsageError
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.characters.history import Answer, Card, Stats
    from scholar_indexes.characters.quiz import Quiz, Quizzed

MOST = 200
"""Questions of a round."""

_MOST_JSON_CHARS = 16 * 1024**2


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody likes to be asked; without a seed it is something else each time."""

    n: int = 10
    kind: str = "mixed"
    levels: tuple[int, ...] = LEVELS
    anonymize: bool = False
    seed: int | None = None

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | None) -> Wishes:
        """As as_json wrote it; what cannot be read is as if nothing had been wished."""
        try:
            said = json.loads(text or "{}")
            made = cls(**said | {"levels": tuple(said.get("levels", LEVELS))})
            sound = (
                type(made.n) is int and 1 <= made.n <= MOST
                and made.kind in ("mixed", *KINDS)
                and set(made.levels) <= set(LEVELS) and made.levels
                and isinstance(made.anonymize, bool)
                and (made.seed is None or type(made.seed) is int)
            )  # fmt: skip
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls()
        return made if sound else cls()


@dataclass(frozen=True, slots=True)
class Given:
    """An answer: the index of a choice, None for none."""

    chosen: int | None
    right: bool


@dataclass(frozen=True, slots=True)
class Round:
    """Questions to be asked one after the other, and what was answered to the first of them.

    begun is UTC and names the round; seed is what its questions were drawn with, None for
    those that were not drawn.
    """

    name: str
    begun: datetime
    questions: tuple[Question, ...]
    given: tuple[Given, ...] = ()
    seed: int | None = None

    @property
    def at(self) -> int:
        """The index of the question that comes next."""
        return len(self.given)

    @property
    def over(self) -> bool:
        return self.at >= len(self.questions)

    @property
    def right(self) -> int:
        return sum(each.right for each in self.given)

    @property
    def missed(self) -> tuple[Question, ...]:
        """The questions that were not answered right."""
        pairs = zip(self.questions, self.given, strict=False)
        return tuple(question for question, given in pairs if not given.right)

    @property
    def books(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.book_id for each in self.questions))

    def answered(self, chosen: int | None) -> Round:
        """This round with an answer to the question that came next."""
        right = chosen == self.questions[self.at].answer
        return replace(self, given=(*self.given, Given(chosen, right)))


def begun(name: str, asked: Iterable[Question], now: datetime, seed: int | None = None) -> Round:
    """A new round; what is asked twice is asked once."""
    once = {each.id: each for each in asked}
    return Round(one_line(name, 200), now, tuple(once.values()), seed=seed)


def again(name: str, asked: Iterable[Question], now: datetime) -> Round:
    """A new round of old questions, their choices in another order: a place is soon known."""
    seed = int(now.timestamp())
    return begun(name, (forms.reordered(each, seed) for each in asked), now)


# -- kept and gone on with ---------------------------------------------------------------------


def as_json(of: Round) -> str:
    """A round as it is kept; the answers are in the history."""
    return json.dumps(
        {
            "name": of.name, "begun": of.begun.isoformat(), "seed": of.seed,
            "questions": forms.as_jsonl(of.questions, full=True),
        },
        ensure_ascii=False,
    )  # fmt: skip


def from_json(text: str) -> Round:
    """A round as as_json wrote it, nothing answered; raises Damaged for anything else."""
    try:
        if len(text) > _MOST_JSON_CHARS:
            raise ValueError("it is too long")
        said = json.loads(text)
        when = datetime.fromisoformat(said["begun"])
        if when.tzinfo is None:
            raise ValueError("its time has no zone")
        seed = said["seed"]
        asked = forms.from_jsonl(said["questions"], "the questions of the round")
        if not asked or not (seed is None or type(seed) is int):
            raise ValueError("it asks nothing")
        return begun(str(said["name"]), asked, when, seed)
    except (Damaged, ValueError, TypeError, KeyError, AttributeError, RecursionError) as broken:
        raise Damaged(
            f"the round that was left cannot be read ({one_line(str(broken), 100)}); "
            "its answers are kept, begin another"
        ) from broken


def resumed(of: Round, answers: Iterable[Answer]) -> Round:
    """A round with what the history says was answered since it began."""
    since: dict[str, Answer] = {}
    for each in answers:
        if each.at >= of.begun:
            since.setdefault(each.question_id, each)
    given = []
    for question in of.questions:
        answer = since.get(one_line(question.id))
        if answer is None:
            break
        given.append(Given(_choice(question, answer.chosen), answer.right))
    return replace(of, given=tuple(given))


def _choice(question: Question, chosen: str | None) -> int | None:
    """The choice that the history knows by a character's name."""
    said = [
        one_line(question.name(at) or each) for at, each in enumerate(question.choices)
    ]  # fmt: skip
    return said.index(chosen) if chosen in said else None


# -- where somebody stands ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """What can be asked and what was: the books with those of the shelf first, the cards by
    when they are due, the figures, the round that was begun last. refusals are lines that say
    what could not be read."""

    books: tuple[Quizzed, ...]
    shelf: Mapping[str, tuple[str, str]]
    cards: tuple[Card, ...] = ()
    stats: Stats | None = None
    last: Round | None = None
    refusals: tuple[str, ...] = ()

    def titled(self, book_id: str) -> tuple[str, str]:
        """The title and the author of a book."""
        known = {each.book_id: (each.title, each.author) for each in self.books}
        return self.shelf.get(book_id) or known.get(book_id) or (book_id, "")

    def due(self, now: datetime, book_id: str | None = None) -> int:
        """How many cards are due, of a book or of all."""
        return sum(
            each.due <= now and (book_id is None or each.book_id == book_id) for each in self.cards
        )


def standing(
    quiz: Quiz, shelf: Mapping[str, tuple[str, str]], kept: str | None, now: datetime
) -> Standing:
    """Where somebody stands; shelf are the titles and authors of the shelf by id, kept is the
    round as as_json wrote it. What cannot be read leaves the rest as it is."""
    refusals, books, cards, figures, last = [], list["Quizzed"](), list["Card"](), None, None
    try:
        books = quiz.books()
    except ScholarError as refusal:
        refusals.append(str(refusal))
    try:
        cards, figures = quiz.history.cards(), quiz.history.stats(now)
        if kept:
            last = resumed(from_json(kept), quiz.history.answers())
    except ScholarError as refusal:
        refusals.append(str(refusal))
    books.sort(key=lambda each: each.book_id not in shelf)
    return Standing(tuple(books), shelf, tuple(cards), figures, last, tuple(refusals))


def coming(cards: Iterable[Card], now: datetime, days: int) -> list[int]:
    """How many cards come back on each of so many days, today first with all that are overdue;
    days are those of now's zone."""
    found = [0] * days
    for each in cards:
        day = max(_days(each.due, now), 0)
        if day < days:
            found[day] += 1
    return found


def when(due: datetime, now: datetime) -> str:
    """When a card comes back, in words; days are those of now's zone."""
    days = _days(due, now)
    if due <= now:
        return "now"
    if days <= 1:
        return ("today", "tomorrow")[days]
    return f"in {days} days" if days < 60 else f"in {round(days / 30.4)} months"


def dues(of: Round, cards: Iterable[Card]) -> list[datetime | None]:
    """When each question of a round comes back, None for what has no card."""
    known = {(each.book_id, each.character, each.description): each.due for each in cards}
    return [
        known.get((one_line(each.book_id), one_line(each.character), one_line(each.description)))
        for each in of.questions
    ]


def weakest(figures: Stats, n: int = 5) -> list[tuple[tuple[str, str], int, int]]:
    """Who was missed most often: (book, character), how often, of how many times."""
    missed = [
        (who, score.asked - score.right, score.asked)
        for who, score in figures.by_character.items()
        if score.asked > score.right
    ]
    return sorted(missed, key=lambda each: (-each[1], each[2], each[0]))[:n]


def _days(due: datetime, now: datetime) -> int:
    gone: timedelta = due.astimezone(now.tzinfo).date() - now.date()
    return gone.days


def levels(said: str) -> tuple[int, ...]:
    """Read "2", "1-3" or "1,3"; raises UsageError for what is no level."""
    found: set[int] = set()
    for part in said.split(","):
        form = re.fullmatch(r"\s*([1-4])(?:\s*-\s*([1-4]))?\s*", part, re.ASCII)
        if not form or int(form[2] or form[1]) < int(form[1]):
            raise UsageError(f"{said[:40]!r} is no level; write 1, 2, 3, 4 or a range such as 1-2")
        found.update(range(int(form[1]), int(form[2] or form[1]) + 1))
    return tuple(sorted(found))


def levels_said(wanted: Collection[int]) -> str:
    """Levels as levels reads them."""
    ordered = sorted(wanted)
    if len(ordered) > 1 and ordered[-1] - ordered[0] == len(ordered) - 1:
        return f"{ordered[0]}-{ordered[-1]}"
    return ",".join(map(str, ordered))


# -- out ---------------------------------------------------------------------------------------


def as_records(of: Round) -> list[dict[str, Any]]:
    """The questions of a round with names and evidence, and what was answered, as data."""
    lines = forms.as_jsonl(of.questions, full=True).split("\n")[:-1]
    found = [json.loads(line) for line in lines]
    for record, given in zip(found, of.given, strict=False):
        record |= {"chosen": given.chosen, "right": given.right}
    return found


def as_markdown(of: Round, titles: Mapping[str, tuple[str, str]]) -> str:
    """A round to read: its questions, what was answered, what is right and where that stands;
    titles are the titles and authors of its books by id."""
    escaped = records.markdown_escaped
    parts = [f"# {escaped(of.name)}\n\n{of.right} of {of.at} right, {len(of.questions)} asked\n"]
    for at, each in enumerate(of.questions):
        given = of.given[at] if at < of.at else None
        lines = [f"## {at + 1}. {escaped(asks(each))}\n"]
        for number, choice in enumerate(each.choices):
            text = escaped(one_line(choice))
            mark = " ✓" if number == each.answer else ""
            mark += " ← answered" if given and given.chosen == number else ""
            lines.append(f"{number + 1}. {f'**{text}**' if number == each.answer else text}{mark}")
        if given and given.chosen is None:
            lines.append("\nNot answered.")
        parts.append("\n".join(lines) + "\n")
        title, author = titles.get(each.book_id, (each.book_id, ""))
        source = ", ".join(part for part in (author, title) if part)
        parts += [records.as_markdown(f"“{one_line(proof.quote)}”", source, proof.locator)
                  for proof in each.evidence]  # fmt: skip
    return "\n".join(parts)


def asks(question: Question) -> str:
    """A question as a sentence."""
    text = one_line(question.text)
    return f"Who is {text}?" if question.kind == "desc2name" else f"Which is said of {text}?"


def share(score_right: int, asked: int) -> str:
    """A share of right answers in words, empty where nothing was asked."""
    return f"{round(100 * score_right / asked)} %" if asked else ""


def numbered(count: int, one: str, many: str = "") -> str:
    """A count and what is counted: "1 card", "2 cards"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def names(titles: Sequence[str], most: int = 3) -> str:
    """Some titles as one line."""
    shown = ", ".join(titles[:most])
    return shown if len(titles) <= most else f"{shown} and {len(titles) - most} more"
