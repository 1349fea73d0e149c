"""The characters and descriptions of a bank that can be shown to a reader without spoilers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from random import Random

from scholar_indexes.books.citation import locators
from scholar_indexes.characters.descriptions.bank import (
    SLOT,
    DescribedCharacter,
    Description,
    DescriptionEvidence,
    compose,
)
from scholar_indexes.characters.folded_words import name_terms, tokenize
from scholar_indexes.characters.quiz.bad_questions import bad_question_id
from scholar_indexes.characters.quiz.readability import (
    compose_readable,
    is_short,
    readable_compositions,
)
from scholar_indexes.errors import UsageError

MAX_COMPOSITIONS = 10_000
"""The most compositions of a description that are compared with the text of a card."""

KnownCharacters = Callable[[str], bool] | Mapping[str, int] | Collection[str]
"""The characters that a reader has met: a predicate of the name, the first chapter of each, or
the names."""


@dataclass(frozen=True, slots=True)
class PosedDescription:
    """A description of a character as a question shows it; `rivals` are the names of others that
    it may fit as well."""

    character: DescribedCharacter
    level: int
    text: str
    evidence: tuple[DescriptionEvidence, ...]
    rivals: frozenset[str] = frozenset()

    def may_fit(self, other: DescribedCharacter) -> bool:
        """Return True if the description may fit another character as well."""
        return other.name in self.rivals


class VisibleBank:
    """The part of a bank up to a chapter, with the characters that are known by then."""

    def __init__(
        self,
        bank: Sequence[DescribedCharacter],
        book_id: str,
        upto: int | None,
        known: KnownCharacters | None,
        bad: Collection[str] = (),
        *,
        readable: bool = False,
    ) -> None:
        is_known = _known_predicate(bank, upto, known)
        visible = [entry for entry in bank if is_known(entry.name)]
        names = {entry.name for entry in visible}
        self.book_id, self._bad, self._readable = book_id, frozenset(bad), readable
        self.label = book_id if upto is None else f"{book_id} up to section {upto}"
        self.characters = [
            DescribedCharacter(
                entry.name,
                entry.aliases,
                entry.gender,
                tuple(_visible_descriptions(entry, upto, names)),
            )
            for entry in sorted(visible, key=lambda entry: entry.name)
        ]
        self.terms = {
            entry.name: name_terms([entry.name, *entry.aliases]) for entry in self.characters
        }
        self._by_name = {entry.name: entry for entry in self.characters}
        self._names = {
            entry.name: {tuple(tokenize(name)) for name in (entry.name, *entry.aliases)}
            for entry in self.characters
        }
        self._avoids_spoilers = upto is not None or known is not None

    def descriptions(self, level: int, seed: int) -> list[PosedDescription]:
        """Return the descriptions of a level that can be shown without the name of their
        character, except descriptions shared by two characters or marked as bad questions."""
        posed = {}
        owners: dict[tuple[str, ...], set[str]] = {}
        for character, description in self._of_level(level, seed):
            text = self._show(description.text, self.terms[character.name])
            if text is not None and (level < 3 or not self._readable or is_short(text)):
                posed[character.name, text] = PosedDescription(
                    character, level, text, description.evidence, description.rivals
                )
                owners.setdefault(tuple(tokenize(text)), set()).add(character.name)
        return [
            description
            for description in posed.values()
            if len(owners[tuple(tokenize(description.text))]) == 1
            and not self._is_bad(description.character.name, description.text)
        ]

    def find(self, name: str, text: str, level: int) -> PosedDescription | None:
        """Return the description of a character that is shown as the given text."""
        character = self._by_name.get(name)
        if character is None:
            return None
        for base in character.descriptions:
            same_level = [base] if level == base.level else self._compositions(name, base, level)
            for description in same_level:
                if self._show(description.text, self.terms[name]) == text:
                    return PosedDescription(
                        character, level, text, description.evidence, description.rivals
                    )
        return None

    def share_no_name(self, character: DescribedCharacter, other: DescribedCharacter) -> bool:
        """Return True if two characters have no name in common, and so are not the same."""
        return self._names[character.name].isdisjoint(self._names[other.name])

    def _is_bad(self, name: str, text: str) -> bool:
        return bool(self._bad) and bad_question_id(self.book_id, name, text) in self._bad

    def _of_level(self, level: int, seed: int) -> Iterable[tuple[DescribedCharacter, Description]]:
        if level > 2:
            random = Random(f"{seed}:{self.book_id}:{level}")
            composed = (
                compose_readable(self.characters, level)
                if self._readable
                else compose(self.characters, level, random)
            )
            return (
                (character, replace(description, rivals=_rivals(character)))
                for character, description in composed
            )
        return (
            (character, description)
            for character in self.characters
            for description in character.descriptions
            if description.level == level
        )

    def _show(self, text: str, hidden: frozenset[str]) -> str | None:
        """Return a description with names for its slots; None if it cannot be shown without a
        hidden word."""
        if not hidden.isdisjoint(tokenize(SLOT.sub(" ", text))):
            return None
        shown = {name: self._show_name(name, hidden) for name in SLOT.findall(text)}
        if None in shown.values():
            return None
        return SLOT.sub(lambda slot: shown[slot[1]] or "", text)

    def _show_name(self, name: str, hidden: frozenset[str]) -> str | None:
        """Return the first name variant of a character without a hidden word."""
        aliases = self._by_name[name].aliases
        if self._avoids_spoilers:
            # a later name may reveal whom a character marries
            own = {*tokenize(name), "mr", "mrs", "miss"}
            aliases = tuple(alias for alias in aliases if own.issuperset(tokenize(alias)))
        shown = (alias for alias in (name, *aliases) if hidden.isdisjoint(tokenize(alias)))
        return next(shown, None)

    def _compositions(self, name: str, base: Description, level: int) -> Iterator[Description]:
        """Yield the compositions of a level 2 description at level 3 or 4."""
        if base.level != 2 or level not in (3, 4):
            return
        for composed in readable_compositions(self._by_name[name], base, self._by_name, level):
            yield replace(composed, rivals=base.rivals)
        others = list(dict.fromkeys(base.names))
        options = [
            [
                description
                for description in self._by_name[other].descriptions
                if description.level == level - 2 and name not in description.names
            ]
            for other in others
        ]
        for chosen in islice(product(*options), MAX_COMPOSITIONS):
            text = base.text
            for other, description in zip(others, chosen, strict=True):
                text = text.replace(f"{{{other}}}", description.text)
            proofs = [proof for description in chosen for proof in description.evidence]
            yield Description(level, text, (*base.evidence, *proofs), base.rivals)


def _rivals(character: DescribedCharacter) -> frozenset[str]:
    """Return the rivals of all descriptions of a character that name others."""
    return frozenset[str]().union(
        *(description.rivals for description in character.descriptions if description.level == 2)
    )


def first_chapters(bank: Sequence[DescribedCharacter]) -> dict[str, int]:
    """Return the first chapter with a passage about each character that has one."""
    first: dict[str, int] = {}
    for entry in bank:
        chapters = [
            chapter
            for description in entry.descriptions
            for proof in description.evidence
            if (chapter := _chapter(proof)) is not None
        ]
        if chapters:
            first[entry.name] = min(chapters)
    return first


def _known_predicate(
    bank: Sequence[DescribedCharacter], upto: int | None, known: KnownCharacters | None
) -> Callable[[str], bool]:
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


def _visible_descriptions(
    entry: DescribedCharacter, upto: int | None, names: Collection[str]
) -> Iterator[Description]:
    """Yield the descriptions of visible characters up to a chapter, sorted by level and text."""
    ordered = sorted(
        entry.descriptions, key=lambda description: (description.level, description.text)
    )
    for description in ordered:
        known = all(name in names for name in description.names)
        if known and _is_proved_by(description, upto):
            yield description


def _is_proved_by(description: Description, upto: int | None) -> bool:
    """Return True if a description has passages, all of them up to a chapter, or if the chapter
    is None."""
    if upto is None:
        return True
    chapters = [_chapter(proof) for proof in description.evidence]
    return bool(chapters) and all(chapter is not None and chapter <= upto for chapter in chapters)


def _chapter(proof: DescriptionEvidence) -> int | None:
    try:
        return locators.parse(proof.locator).chapter
    except UsageError:
        return None
