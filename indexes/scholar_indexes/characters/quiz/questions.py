"""Multiple-choice questions made from a description bank.

    desc2name   which of ten characters is "the sister whom a false friend does not call on"?
    name2desc   which of ten descriptions is of Jane Bennet?

as in GANDALF (Carlsson et al. 2022, section 4.6), except that wrong choices are drawn so that the
wording alone does not give the right one away: from the same book, of the same gender and of the
same level if possible. Every draw is a hash of the seed and of the item drawn, so that questions
depend neither on the order of a bank nor on the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from scholar_indexes.characters.descriptions.bank import DescribedCharacter, DescriptionEvidence
from scholar_indexes.characters.quiz import choices as quiz_choices
from scholar_indexes.characters.quiz.choices import CHOICES, MAX_CHOICES, ChoiceDraw, draw_key
from scholar_indexes.characters.quiz.visible_bank import (
    KnownCharacters,
    PosedDescription,
    VisibleBank,
)
from scholar_indexes.errors import NoMatch, UsageError

KINDS = ("desc2name", "name2desc")
LEVELS = (1, 2, 3, 4)

Tell = Callable[[str], None]
"""Called with one line for the user."""

Case = tuple[str, PosedDescription]
"""The kind of a question, and its right description."""


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """A question, of which choices[answer] is right.

    kind is "desc2name" or "name2desc", level 1 to 4. id is a hash of the question and its choices.
    names are the characters of the choices in the bank, in the same order, and evidence the
    passages that prove the answer; both may be empty in questions from a file. automatic is True
    for descriptions that were extracted from the book by a program. bank_text is the description
    with the book's own names, if the question shows other names.
    """

    id: str
    book_id: str
    kind: str
    level: int
    text: str
    choices: tuple[str, ...]
    answer: int
    evidence: tuple[DescriptionEvidence, ...] = ()
    names: tuple[str, ...] = ()
    automatic: bool = False
    bank_text: str = ""

    @property
    def character(self) -> str:
        """The character that the question is about."""
        return self.name(self.answer) or self.text

    @property
    def description(self) -> str:
        """The description that the question is about, with the book's own names."""
        return self.bank_text or self.shown_description

    @property
    def shown_description(self) -> str:
        """The description as the question shows it."""
        return self.text if self.kind == "desc2name" else self.choices[self.answer]

    def name(self, choice: int) -> str:
        """Return the character of a choice; empty if the question does not give it."""
        if self.names:
            return self.names[choice]
        return self.choices[choice] if self.kind == "desc2name" else ""


def generate_questions(
    bank: Sequence[DescribedCharacter],
    book_id: str,
    n: int | None,
    seed: int = 0,
    kind: str = "mixed",
    levels: Collection[int] = LEVELS,
    *,
    upto: int | None = None,
    known: KnownCharacters | None = None,
    choices: int = CHOICES,
    bad: Collection[str] = (),
    readable: bool = False,
    tell: Tell,
) -> list[QuizQuestion]:
    """Return n questions about the characters of a bank (None: all), in the order to ask them:
    every character once before any twice.

    With upto, nothing of later chapters is revealed: a description is used only if all its passages
    are in chapters up to that one, and a character only if it is known by then, according to known
    or else to the passages. bad are the ids of bad questions, which are excluded. If a book has
    fewer characters than choices, or fewer questions than n, there are fewer, and tell is called
    with a line about it. readable excludes composed descriptions that are long or hard to read,
    which the benchmark keeps.

    Raises NoMatch if there is nothing to ask, and UsageError for a wrong kind, level or number.
    """
    kinds, wanted_levels = _parse_kind(kind), _check_levels(levels)
    _check_number(n)
    _check_choices(choices)
    visible = VisibleBank(bank, book_id, upto, known, bad, readable=readable)
    if len(visible.characters) < 2:
        raise NoMatch(
            f"{visible.label} has {len(visible.characters)} described characters, and a question "
            "needs two; describe more characters, or read on"
        )
    pools = {level: visible.descriptions(level, seed) for level in LEVELS}
    cases = [
        (way, description)
        for level in wanted_levels
        for description in pools[level]
        for way in kinds
    ]
    draw = ChoiceDraw(visible, pools, choices, seed, cases)
    drawn = (
        _question(book_id, case, choice)
        for case in _alternate_characters(cases, seed)
        if (choice := draw.draw(*case))
    )
    questions = list(islice(drawn, n))
    if not questions:
        listed = ", ".join(map(str, wanted_levels))
        raise NoMatch(f"{visible.label} has no questions at level {listed}; choose other levels")
    if n is not None and len(questions) < n:
        tell(f"{visible.label} has {len(questions)} different questions of this kind, not {n}")
    _tell_of_few_choices(visible, questions, choices, tell)
    return questions


def repeat_questions(
    bank: Sequence[DescribedCharacter],
    book_id: str,
    cards: Iterable[tuple[str, str, int]],
    seed: int = 0,
    kind: str = "mixed",
    *,
    upto: int | None = None,
    known: KnownCharacters | None = None,
    choices: int = CHOICES,
    bad: Collection[str] = (),
    readable: bool = False,
    tell: Tell,
) -> list[QuizQuestion]:
    """Return questions about (character, description, level) of earlier questions, in that order.

    Descriptions that the bank no longer has, or that reveal chapters after upto, are skipped; none
    may remain. Everything else is as in generate_questions.
    """
    kinds = _parse_kind(kind)
    _check_choices(choices)
    visible = VisibleBank(bank, book_id, upto, known, bad, readable=readable)
    cases = [
        (min(kinds, key=lambda way: draw_key(seed, way, name, text)), description)
        for name, text, level in cards
        if (description := visible.find(name, text, level))
    ]
    pools = {level: visible.descriptions(level, seed) for level in LEVELS}
    draw = ChoiceDraw(visible, pools, choices, seed, cases)
    questions = [_question(book_id, case, choice) for case in cases if (choice := draw.draw(*case))]
    _tell_of_few_choices(visible, questions, choices, tell)
    return questions


def shuffle_choices(question: QuizQuestion, seed: int) -> QuizQuestion:
    """Return the question with its choices in another order, and so with another id."""
    order = sorted(
        range(len(question.choices)), key=lambda choice: draw_key(seed, question.id, choice)
    )
    choices = tuple(question.choices[choice] for choice in order)
    return replace(
        question,
        id=quiz_choices.question_id(
            question.book_id, question.kind, question.level, question.text, choices
        ),
        choices=choices,
        answer=order.index(question.answer),
        names=tuple(question.names[choice] for choice in order) if question.names else (),
    )


def _question(book_id: str, case: Case, drawn: quiz_choices.DrawnChoices) -> QuizQuestion:
    kind, right = case
    text = right.text if kind == "desc2name" else right.character.name
    return QuizQuestion(
        quiz_choices.question_id(book_id, kind, right.level, text, drawn.choices),
        book_id,
        kind,
        right.level,
        text,
        drawn.choices,
        drawn.names.index(right.character.name),
        tuple(dict.fromkeys(right.evidence)),
        drawn.names,
    )


def _parse_kind(kind: str) -> tuple[str, ...]:
    if kind not in (*KINDS, "mixed"):
        raise UsageError(
            f"{kind[:40]!r} is not a kind of question; write desc2name, name2desc or mixed"
        )
    return KINDS if kind == "mixed" else (kind,)


def _check_levels(levels: Collection[int]) -> list[int]:
    distinct = sorted(set(levels))
    if not distinct or not set(distinct) <= set(LEVELS):
        raise UsageError("the levels of descriptions are 1, 2, 3 and 4; choose one or more")
    return distinct


def _check_number(n: int | None) -> None:
    if n is not None and n < 1:
        raise UsageError(f"a quiz cannot have {n} questions; ask for 1 or more")


def _check_choices(choices: int) -> None:
    if not 2 <= choices <= MAX_CHOICES:
        raise UsageError(f"a question has 2 to {MAX_CHOICES} choices; {choices} is out of range")


def _tell_of_few_choices(
    visible: VisibleBank, questions: Sequence[QuizQuestion], choices: int, tell: Tell
) -> None:
    fewest = min((len(question.choices) for question in questions), default=choices)
    described = len(visible.characters)
    if fewest < min(choices, described):
        tell(
            f"some questions about {visible.label} have {fewest} choices instead of {choices}, "
            "since others might be right too"
        )
    elif fewest < choices:
        tell(
            f"{visible.label} has descriptions of {described} characters, so some "
            f"questions have {fewest} choices instead of {choices}"
        )


def _alternate_characters(cases: Iterable[Case], seed: int) -> list[Case]:
    """Return cases in a random order, but the first of every character before any second."""

    def key(case: Case) -> bytes:
        kind, description = case
        return draw_key(seed, kind, description.character.name, description.text)

    drawn = sorted(cases, key=key)
    counts: Counter[str] = Counter()
    turns = []
    for position, (_, description) in enumerate(drawn):
        turns.append((counts[description.character.name], position))
        counts[description.character.name] += 1
    return [drawn[position] for _, position in sorted(turns)]
