"""Draw the wrong choices of a question, deterministically."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.folded_words import tokenize
from scholar_indexes.characters.gender import is_gendered
from scholar_indexes.characters.quiz.visible_bank import PosedDescription, VisibleBank
from scholar_indexes.types import Gender

CHOICES = 10
MAX_CHOICES = 100

MIN_UNCERTAIN_CHOICES = 4
"""The fewest choices of a question about a description that may fit others as well."""

NEVER_RIGHT = 0.5
"""The assumed number of right answers of a choice that is never right."""


@dataclass(frozen=True, slots=True)
class WrongChoice:
    """A wrong choice: how badly it suits the question (the smaller the better), its character,
    and its text."""

    misfit: tuple[int, ...]
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class DrawnChoices:
    """The choices of a question in the order to show them, and the character of each."""

    names: tuple[str, ...]
    choices: tuple[str, ...]


class ChoiceDraw:
    """Draws the choices of a series of questions.

    Over all questions a choice is offered in proportion to how often it is right; otherwise a
    choice that is offered rarely would be more likely to be right.
    """

    def __init__(
        self,
        visible: VisibleBank,
        pools: Mapping[int, Sequence[PosedDescription]],
        choices: int,
        seed: int,
        cases: Iterable[tuple[str, PosedDescription]],
    ) -> None:
        self._visible, self._pools, self._choices, self._seed = visible, pools, choices, seed
        self._right = Counter((kind, _choice_text(kind, right)) for kind, right in cases)
        self._offers: Counter[tuple[str, str]] = Counter()

    def draw(self, kind: str, right: PosedDescription) -> DrawnChoices | None:
        """Return the choices of a question; None if too few of them are surely wrong."""
        parts = (self._seed, kind, right.character.name, right.text)

        def order(wrong: WrongChoice) -> tuple[tuple[int, ...], float, bytes]:
            right_count = self._right[kind, wrong.text] or NEVER_RIGHT
            frequency = self._offers[kind, wrong.text] / right_count
            return wrong.misfit, frequency, draw_key(*parts, wrong.name, wrong.text)

        offered = {right.character.name: _choice_text(kind, right)}
        texts = {tuple(tokenize(text)) for text in offered.values()}
        candidates = self._names(right) if kind == "desc2name" else self._descriptions(right)
        for wrong in sorted(candidates, key=order):
            if len(offered) == self._choices:
                break
            tokens = tuple(tokenize(wrong.text))
            if wrong.name not in offered and tokens not in texts:
                offered[wrong.name] = wrong.text
                texts.add(tokens)
                self._offers[kind, wrong.text] += 1
        if len(offered) < min(self._choices, MIN_UNCERTAIN_CHOICES if right.rivals else 2):
            return None
        names = tuple(sorted(offered, key=lambda name: draw_key(*parts, "place", name)))
        return DrawnChoices(names, tuple(offered[name] for name in names))

    def _names(self, right: PosedDescription) -> Iterator[WrongChoice]:
        """Yield names: the best are not in the description, which cannot mean a name in it; the
        next best have the same gender."""
        tokens = set(tokenize(right.text))
        for character in self._visible.characters:
            if self._are_distinct(character, right):
                named = not tokens.isdisjoint(self._visible.terms[character.name])
                misfit = (named, _genders_differ(character, right.character))
                yield WrongChoice(misfit, character.name, character.name)

    def _descriptions(self, right: PosedDescription) -> Iterator[WrongChoice]:
        """Yield descriptions without a name of the right character: the best have the same level,
        the next best the same gender, the next best reveal no gender."""
        hidden = self._visible.terms[right.character.name]
        for level, pool in self._pools.items():
            for description in pool:
                character = description.character
                if (
                    self._are_distinct(character, right)
                    and not description.may_fit(right.character)
                    and hidden.isdisjoint(tokenize(description.text))
                ):
                    differ = _genders_differ(character, right.character)
                    reveals = differ and is_gendered(description.text)
                    misfit = (abs(level - right.level), differ, reveals)
                    yield WrongChoice(misfit, character.name, description.text)

    def _are_distinct(self, character: DescribedCharacter, right: PosedDescription) -> bool:
        """Return True for a character that the right description does not fit."""
        return not right.may_fit(character) and self._visible.share_no_name(
            character, right.character
        )


def draw_key(*parts: object) -> bytes:
    """Return a hash of the parts, to sort by instead of a random number."""
    return sha256("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()


def question_id(book_id: str, kind: str, level: int, text: str, choices: Sequence[str]) -> str:
    """Return the id of a question: the id of the book and a hash of everything shown."""
    content = json.dumps([book_id, kind, level, text, list(choices)])
    return f"{book_id}-{sha256(content.encode()).hexdigest()[:16]}"


def _choice_text(kind: str, description: PosedDescription) -> str:
    return description.character.name if kind == "desc2name" else description.text


def _genders_differ(character: DescribedCharacter, other: DescribedCharacter) -> bool:
    """Return True if both genders are known and different."""
    genders = {character.gender, other.gender}
    return Gender.UNKNOWN not in genders and len(genders) == 2
