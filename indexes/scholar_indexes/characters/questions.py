"""Multiple-choice questions made of a description bank.

    desc2name   which of ten characters is "the sister whom a false friend does not call on"?
    name2desc   which of ten descriptions is that of Jane Bennet?

as GANDALF asks them (section 4.6), but that wrong choices are drawn so that the wording alone
does not tell the right one: from the same book, of the same gender as far as they go, of the
same level. Every draw is a lot made of the seed and of what is drawn, so that the same
questions come whatever the order of a bank, on any machine.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice, product
from random import Random
from typing import Any

from scholar_indexes.books import locators
from scholar_indexes.characters.bank import SLOT, Described, Description, Proof, composed
from scholar_indexes.characters.wording import gendered, name_terms, words
from scholar_indexes.errors import Damaged, NoMatch, UsageError
from scholar_indexes.types import Gender
from scholar_indexes.untrusted import one_line

KINDS = ("desc2name", "name2desc")
LEVELS = (1, 2, 3, 4)
CHOICES = 10

MAX_CHOICES = 100
MAX_LINE_CHARS = 1_000_000

_COMPOSITIONS = 10_000
"""At most so many ways to tell a description without its names are looked through."""

Known = Callable[[str], bool] | Mapping[str, int] | Collection[str]
"""Whom a reader has met: told by name, the chapter where each is first named, or the names."""

Tell = Callable[[str], None]
"""Called with one line that a person should know."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question: choices[answer] is right.

    kind is "desc2name" or "name2desc", level 1 to 4. id is made of what is asked and offered,
    and so the same wherever that is. names are the bank's names behind the choices, in their
    order, and evidence are the passages that bear the right answer out; both may be empty in
    questions of others. automatic says that a program read the descriptions from the book.
    """

    id: str
    book_id: str
    kind: str
    level: int
    text: str
    choices: tuple[str, ...]
    answer: int
    evidence: tuple[Proof, ...] = ()
    names: tuple[str, ...] = ()
    automatic: bool = False

    @property
    def character(self) -> str:
        """Whom it is about."""
        return self.name(self.answer) or self.text

    @property
    def description(self) -> str:
        """The description asked about, whichever way round."""
        return self.text if self.kind == "desc2name" else self.choices[self.answer]

    def name(self, choice: int) -> str:
        """The character behind a choice; empty where the question does not say."""
        if self.names:
            return self.names[choice]
        return self.choices[choice] if self.kind == "desc2name" else ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A description of a character as it is put to people."""

    of: Described
    level: int
    text: str
    evidence: tuple[Proof, ...]


def make(
    bank: Sequence[Described],
    book_id: str,
    n: int | None,
    seed: int = 0,
    kind: str = "mixed",
    levels: Collection[int] = LEVELS,
    *,
    upto: int | None = None,
    known: Known | None = None,
    choices: int = CHOICES,
    tell: Tell,
) -> list[Question]:
    """n questions about the characters of a bank, or all there are for None, in the order to
    ask them in: every character comes before any comes again.

    With upto nothing is said of later chapters: a description is asked or offered only when
    all its passages stand in chapters up to that one, and a character only who is known by
    then, which known says, or else the passages. Where a book has fewer characters than
    choices, or fewer questions than n, there are fewer, and tell gets a line that says so.

    Raises NoMatch when there is nothing to ask, and UsageError for a kind, a level or a number
    that is none.
    """
    kinds, wanted = _kinds(kind), _levels(levels)
    if n is not None and n < 1:
        raise UsageError(f"{n} questions are none; ask for 1 or more")
    _check_choices(choices)
    cast = _Cast(bank, book_id, upto, known)
    if len(cast.bank) < 2:
        raise NoMatch(
            f"{cast.whence} has {len(cast.bank)} described characters, and a question needs two; "
            "describe others, or read on"
        )
    pools = {level: cast.asked(level, seed) for level in LEVELS}
    cases = [(way, each) for level in wanted for each in pools[level] for way in kinds]
    draw = _Draw(cast, pools, choices, seed, cases)
    asked = (question for case in _rotated(cases, seed) if (question := draw.question(*case)))
    made = list(islice(asked, n))
    if not made:
        raise NoMatch(
            f"{cast.whence} has nothing to ask about at level {', '.join(map(str, wanted))}; "
            "ask for other levels"
        )
    if n is not None and len(made) < n:
        tell(f"{cast.whence} has {len(made)} different questions of this kind, not {n}")
    _tell_of_few_choices(cast, made, choices, tell)
    return made


def again(
    bank: Sequence[Described],
    book_id: str,
    cards: Iterable[tuple[str, str, int]],
    seed: int = 0,
    kind: str = "mixed",
    *,
    upto: int | None = None,
    known: Known | None = None,
    choices: int = CHOICES,
    tell: Tell,
) -> list[Question]:
    """Questions about (character, description, level) that were asked before, in that order.

    What the bank no longer says, or says of chapters after upto, is left out, and there may be
    nothing left. Everything else is as for make.
    """
    kinds = _kinds(kind)
    _check_choices(choices)
    cast = _Cast(bank, book_id, upto, known)
    cases = [
        (min(kinds, key=lambda way: _lot(seed, way, who, text)), found)
        for who, text, level in cards
        if (found := cast.find(who, text, level))
    ]
    pools = {level: cast.asked(level, seed) for level in LEVELS}
    draw = _Draw(cast, pools, choices, seed, cases)
    made = [question for case in cases if (question := draw.question(*case))]
    _tell_of_few_choices(cast, made, choices, tell)
    return made


def first_chapters(bank: Sequence[Described]) -> dict[str, int]:
    """The first chapter from which the bank has a passage about each character; who has none
    is not in it."""
    found: dict[str, int] = {}
    for each in bank:
        places = [_chapter(proof) for told in each.descriptions for proof in told.evidence]
        if there := [place for place in places if place is not None]:
            found[each.name] = min(there)
    return found


def _kinds(kind: str) -> tuple[str, ...]:
    if kind not in (*KINDS, "mixed"):
        raise UsageError(f"{kind[:40]!r} is no kind; write desc2name, name2desc or mixed")
    return KINDS if kind == "mixed" else (kind,)


def _levels(levels: Collection[int]) -> list[int]:
    wanted = sorted(set(levels))
    if not wanted or not set(wanted) <= set(LEVELS):
        raise UsageError("the levels of descriptions are 1, 2, 3 and 4; name one of them or more")
    return wanted


def _check_choices(choices: int) -> None:
    if not 2 <= choices <= MAX_CHOICES:
        raise UsageError(f"a question has 2 to {MAX_CHOICES} choices; {choices} are not possible")


def _tell_of_few_choices(cast: _Cast, made: Sequence[Question], choices: int, tell: Tell) -> None:
    fewest = min((len(each.choices) for each in made), default=choices)
    if fewest < choices:
        tell(
            f"{cast.whence} has descriptions of {len(cast.bank)} characters, so there are "
            f"questions with {fewest} choices instead of {choices}"
        )


def _lot(*parts: object) -> bytes:
    """A draw that depends on its parts alone."""
    return sha256("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()


def _rotated(cases: Iterable[tuple[str, Asked]], seed: int) -> list[tuple[str, Asked]]:
    """Cases by lot, but every character's first before any one's second."""
    drawn = sorted(cases, key=lambda case: _lot(seed, case[0], case[1].of.name, case[1].text))
    times: Counter[str] = Counter()
    turns = []
    for at, (_, each) in enumerate(drawn):
        turns.append((times[each.of.name], at))
        times[each.of.name] += 1
    return [drawn[at] for _, at in sorted(turns)]


# -- who and what may be spoken of -------------------------------------------------------------


class _Cast:
    """The characters and descriptions of a bank that may be shown to a reader."""

    def __init__(
        self, bank: Sequence[Described], book_id: str, upto: int | None, known: Known | None
    ) -> None:
        met = _met(bank, upto, known)
        self.book_id = book_id
        self.whence = book_id if upto is None else f"{book_id} up to chapter {upto}"
        there = {each.name for each in bank if met(each.name)}
        self.bank = [
            Described(each.name, each.aliases, each.gender, tuple(_open(each, upto, there)))
            for each in sorted(bank, key=lambda each: each.name)
            if each.name in there
        ]
        self.by_name = {each.name: each for each in self.bank}
        self.terms = {each.name: name_terms([each.name, *each.aliases]) for each in self.bank}
        self._names = {
            each.name: {tuple(words(name)) for name in (each.name, *each.aliases)}
            for each in self.bank
        }
        self._sparing = upto is not None or known is not None

    def asked(self, level: int, seed: int) -> list[Asked]:
        """Every description of a level that can be told without its character's name, but
        those that two characters share."""
        if level <= 2:
            told: Iterable[tuple[Described, Description]] = (
                (each, one) for each in self.bank for one in each.descriptions if one.level == level
            )
        else:
            told = composed(self.bank, level, Random(f"{seed}:{self.book_id}:{level}"))
        found = {}
        owners: dict[tuple[str, ...], set[str]] = {}
        for of, description in told:
            text = self.wording(description.text, self.terms[of.name])
            if text is not None:
                found[of.name, text] = Asked(of, level, text, description.evidence)
                owners.setdefault(tuple(words(text)), set()).add(of.name)
        return [each for each in found.values() if len(owners[tuple(words(each.text))]) == 1]

    def wording(self, text: str, unsaid: frozenset[str]) -> str | None:
        """A description as it is shown, saying none of some words; None when it must. Others
        go by the first of their names that has none of them."""
        if not unsaid.isdisjoint(words(SLOT.sub(" ", text))):
            return None
        shown = {name: self._called(name, unsaid) for name in SLOT.findall(text)}
        if None in shown.values():
            return None
        return SLOT.sub(lambda slot: shown[slot[1]] or "", text)

    def _called(self, name: str, unsaid: frozenset[str]) -> str | None:
        aliases = self.by_name[name].aliases
        if self._sparing:
            # what else somebody comes to be called may tell whom she marries
            own = {*words(name), "mr", "mrs", "miss"}
            aliases = tuple(each for each in aliases if own.issuperset(words(each)))
        called = (each for each in (name, *aliases) if unsaid.isdisjoint(words(each)))
        return next(called, None)

    def find(self, who: str, text: str, level: int) -> Asked | None:
        """The description of a character that is shown as a text."""
        of = self.by_name.get(who)
        for each in of.descriptions if of else ():
            for one in [each] if level == each.level else self._composed(who, each, level):
                if of and self.wording(one.text, self.terms[who]) == text:
                    return Asked(of, level, text, one.evidence)
        return None

    def _composed(self, who: str, base: Description, level: int) -> Iterator[Description]:
        """All that a description of level 2 can be at level 3 or 4."""
        if base.level != 2 or level not in (3, 4):
            return
        names = list(dict.fromkeys(base.names))
        ways = [
            [each for each in self.by_name[name].descriptions
             if each.level == level - 2 and who not in each.names]
            for name in names
        ]  # fmt: skip
        for chosen in islice(product(*ways), _COMPOSITIONS):
            text = base.text
            for name, each in zip(names, chosen, strict=True):
                text = text.replace(f"{{{name}}}", each.text)
            proofs = [*base.evidence, *(proof for each in chosen for proof in each.evidence)]
            yield Description(level, text, tuple(proofs))

    def wrong(self, each: Described, right: Described) -> bool:
        """Whether somebody is not the one meant, and has no name of theirs."""
        return self._names[each.name].isdisjoint(self._names[right.name])


def _met(bank: Sequence[Described], upto: int | None, known: Known | None) -> Callable[[str], bool]:
    if known is None:
        if upto is None:
            return lambda name: True
        known = first_chapters(bank)
    if isinstance(known, Mapping):
        first: Mapping[str, int] = known
        return lambda name: name in first and (upto is None or first[name] <= upto)
    if isinstance(known, Collection):
        names = frozenset(known)
        return lambda name: name in names
    return known


def _open(each: Described, upto: int | None, there: Collection[str]) -> Iterator[Description]:
    """The descriptions that tell of nothing later, in an order of their own."""
    for told in sorted(each.descriptions, key=lambda told: (told.level, told.text)):
        places = [_chapter(proof) for proof in told.evidence]
        early = upto is None or (
            bool(places) and all(place is not None and place <= upto for place in places)
        )
        if early and all(name in there for name in told.names):
            yield told


def _chapter(proof: Proof) -> int | None:
    try:
        return locators.parse(proof.locator).chapter
    except UsageError:
        return None


# -- one question ------------------------------------------------------------------------------

Ticket = tuple[tuple[int, ...], str, str]
"""A wrong choice: how ill it fits (the less the better), whose it is, how it is shown."""


class _Draw:
    """Draws wrong choices, so that over all questions everything is offered about as often for
    each time that it is right: else what is seldom offered would be likelier to be right."""

    def __init__(
        self,
        cast: _Cast,
        pools: Mapping[int, Sequence[Asked]],
        choices: int,
        seed: int,
        cases: Iterable[tuple[str, Asked]],
    ) -> None:
        self._cast, self._pools, self._choices, self._seed = cast, pools, choices, seed
        self._right = Counter((way, _shown(way, each)) for way, each in cases)
        self._offers: Counter[tuple[str, str]] = Counter()

    def question(self, kind: str, right: Asked) -> Question | None:
        """A question about a description; None where there is no wrong choice."""
        lot = (self._seed, kind, right.of.name, right.text)

        def order(ticket: Ticket) -> tuple[tuple[int, ...], float, bytes]:
            fit, name, shown = ticket
            often = self._offers[kind, shown] / (self._right[kind, shown] or 0.5)
            return fit, often, _lot(*lot, name, shown)

        offered = {right.of.name: _shown(kind, right)}
        said = {tuple(words(offered[right.of.name]))}
        fitting = _others if kind == "desc2name" else _descriptions
        for _, name, shown in sorted(fitting(self._cast, self._pools, right), key=order):
            if len(offered) == self._choices:
                break
            if name not in offered and tuple(words(shown)) not in said:
                offered[name] = shown
                said.add(tuple(words(shown)))
                self._offers[kind, shown] += 1
        if len(offered) < 2:
            return None
        names = sorted(offered, key=lambda name: _lot(*lot, "place", name))
        choices = tuple(offered[name] for name in names)
        text = right.text if kind == "desc2name" else right.of.name
        book_id = self._cast.book_id
        return Question(
            _id(book_id, kind, right.level, text, choices), book_id, kind, right.level, text,
            choices, names.index(right.of.name), tuple(dict.fromkeys(right.evidence)), tuple(names),
        )  # fmt: skip


def reordered(question: Question, seed: int) -> Question:
    """The same question with its choices in another order, and so with another id."""
    order = sorted(range(len(question.choices)), key=lambda at: _lot(seed, question.id, at))
    choices = tuple(question.choices[at] for at in order)
    return replace(
        question,
        id=_id(question.book_id, question.kind, question.level, question.text, choices),
        choices=choices,
        answer=order.index(question.answer),
        names=tuple(question.names[at] for at in order) if question.names else (),
    )


def _shown(kind: str, each: Asked) -> str:
    return each.of.name if kind == "desc2name" else each.text


def _id(book_id: str, kind: str, level: int, text: str, choices: Sequence[str]) -> str:
    said = json.dumps([book_id, kind, level, text, list(choices)])
    return f"{book_id}-{sha256(said.encode()).hexdigest()[:16]}"


def _others(cast: _Cast, pools: Mapping[int, Sequence[Asked]], right: Asked) -> Iterator[Ticket]:
    """Names to offer: first of those whom the description does not name, since it could not
    mean them, then of one gender."""
    said = set(words(right.text))
    for each in cast.bank:
        if cast.wrong(each, right.of):
            named = not said.isdisjoint(cast.terms[each.name])
            yield (named, _of_other_gender(each, right.of)), each.name, each.name


def _descriptions(
    cast: _Cast, pools: Mapping[int, Sequence[Asked]], right: Asked
) -> Iterator[Ticket]:
    """Descriptions to offer: first of the level asked for, then of one gender, then those that
    tell no gender. None has a name of the one asked about."""
    unsaid = cast.terms[right.of.name]
    for level, pool in pools.items():
        for each in pool:
            if cast.wrong(each.of, right.of) and unsaid.isdisjoint(words(each.text)):
                other = _of_other_gender(each.of, right.of)
                fit = (abs(level - right.level), other, other and gendered(each.text))
                yield fit, each.of.name, each.text


def _of_other_gender(one: Described, other: Described) -> bool:
    return Gender.UNKNOWN not in (one.gender, other.gender) and one.gender is not other.gender


# -- questions as files ------------------------------------------------------------------------


def as_jsonl(questions: Iterable[Question], *, full: bool = False) -> str:
    """Questions as JSON lines in the form of `scholar bench gandalf`: question_id, book, kind,
    level, text, choices, answer. full adds the names behind the choices and the evidence."""
    lines = []
    for each in questions:
        record: dict[str, Any] = {
            "question_id": each.id, "book": each.book_id, "kind": each.kind, "level": each.level,
            "text": each.text, "choices": list(each.choices), "answer": each.answer,
        }  # fmt: skip
        if full:
            record["names"] = list(each.names)
            record["evidence"] = [
                {"locator": proof.locator, "quote": proof.quote} for proof in each.evidence
            ]
            if each.automatic:
                record["automatic"] = True
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


def from_jsonl(text: str, name: str = "questions.jsonl") -> list[Question]:
    """The questions of JSON lines, as as_jsonl writes them; name is for complaints.

    Every text is folded to one line without control characters. Raises Damaged naming the
    first line that is no question, or has an id that was there before.
    """
    found: dict[str, Question] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            if len(line) > MAX_LINE_CHARS:
                raise ValueError(f"it is longer than {MAX_LINE_CHARS} characters")
            each = _question(json.loads(line))
            if each.id in found:
                raise ValueError(f"question_id {each.id!r} is there twice")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as broken:
            raise Damaged(f"{name}, line {number}: {_why(broken)}; mend that line") from broken
        found[each.id] = each
    return list(found.values())


def _question(record: Any) -> Question:
    choices = _texts(record["choices"])
    if not 2 <= len(choices) <= MAX_CHOICES:
        raise ValueError(f"{len(choices)} choices; give 2 to {MAX_CHOICES}")
    kind = record["kind"]
    if kind not in KINDS:
        raise ValueError(f"kind {str(kind)[:20]!r}; write desc2name or name2desc")
    names = _texts(record.get("names") or [])
    if names and len(names) != len(choices):
        raise ValueError(f"{len(names)} names behind {len(choices)} choices")
    evidence = tuple(
        Proof(_text(each["locator"]), _text(each["quote"])) for each in record.get("evidence") or []
    )
    return Question(
        _text(record["question_id"]), _text(record["book"]), kind,
        _number(record, "level", LEVELS[0], LEVELS[-1]), _text(record["text"]), choices,
        _number(record, "answer", 0, len(choices) - 1), evidence, names,
        record.get("automatic") is True,
    )  # fmt: skip


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise ValueError(f"{str(values)[:40]!r} where a list should be")
    return tuple(map(_text, values))


def _text(value: Any) -> str:
    text = one_line(value) if isinstance(value, str) else ""
    if not text:
        raise ValueError(f"{str(value)[:40]!r} where a text should be")
    return text


def _number(record: Mapping[str, Any], field: str, least: int, most: int) -> int:
    value = record[field]
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{field} {str(value)[:20]!r}; write {least} to {most}")
    return value


def _why(broken: Exception) -> str:
    if isinstance(broken, KeyError):
        return f"{broken.args[0]!r} is missing"
    if isinstance(broken, (TypeError, AttributeError, RecursionError)):
        return "it is no JSON object of this form"
    return one_line(str(broken), 200)
