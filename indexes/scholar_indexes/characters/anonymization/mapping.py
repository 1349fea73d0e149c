"""Apply the new names of a book's characters to texts, with a map of the changed spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from scholar_indexes.characters.anonymization.unambiguous_terms import Term, split_suffix
from scholar_indexes.characters.descriptions.bank import DescribedCharacter, Description
from scholar_indexes.types import Character, Span

_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?:['’][^\W\d_]+)*(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Change:
    """A span of the old text, and the span of the new text that replaces it."""

    old: Span
    new: Span


@dataclass(frozen=True, slots=True)
class AnonymizedText:
    """A text with new names, and its changes in order."""

    text: str
    changes: tuple[Change, ...]

    def new(self, old: Span) -> Span:
        """Return the span in the new text of a span in the old one; names are never cut."""
        return _map_span(old, self.changes, attrgetter("old"), attrgetter("new"))

    def old(self, new: Span) -> Span:
        """Return the span in the old text of a span in the new one; names are never cut."""
        return _map_span(new, self.changes, attrgetter("new"), attrgetter("old"))


@dataclass(frozen=True, slots=True)
class NameMapping:
    """The new names of one book.

    terms maps replaced terms to their new names, left maps the other terms to the reason; both are
    written as in the names of the characters.
    """

    nationality: str
    terms: Mapping[Term, str]
    left: Mapping[str, str]
    _forms: Mapping[str, str] = field(repr=False, compare=False)

    def apply(self, text: str) -> str:
        """Return a text of the book, or about it, with the new names.

        A term is replaced if it is a whole word or is followed by an apostrophe and a suffix, in
        its own case or in capitals; a last name also in the plural ("the Bennets"). Takes time
        linear in the text, regardless of the number of terms.
        """
        return _WORD.sub(lambda match: self._replace_word(match.group()), text)

    name = apply

    def apply_with_map(self, text: str) -> AnonymizedText:
        """Return the text that apply returns, with the changed spans."""
        pieces, changes, end, shift = list[str](), list[Change](), 0, 0
        for match in _WORD.finditer(text):
            old = match.group()
            new = self._replace_word(old)
            if new == old:
                continue
            pieces += text[end : match.start()], new
            end = match.end()
            start = match.start() + shift
            changes.append(Change(Span(*match.span()), Span(start, start + len(new))))
            shift += len(new) - len(old)
        return AnonymizedText("".join([*pieces, text[end:]]), tuple(changes))

    def character(self, character: Character) -> Character:
        """Return a character of a cast with the new names; its id stays."""
        aliases = tuple(map(self.name, character.aliases))
        return replace(character, name=self.name(character.name), aliases=aliases)

    def described(self, character: DescribedCharacter) -> DescribedCharacter:
        """Return a character of a bank with the new names; locators still refer to the old text."""
        return DescribedCharacter(
            self.name(character.name),
            tuple(map(self.name, character.aliases)),
            character.gender,
            tuple(map(self.description, character.descriptions)),
        )

    def description(self, description: Description) -> Description:
        """Return a description and its quotes with the new names; locators stay."""
        evidence = tuple(
            replace(proof, quote=self.apply(proof.quote)) for proof in description.evidence
        )
        return replace(description, text=self.apply(description.text), evidence=evidence)

    def _replace_word(self, word: str) -> str:
        known = self._forms.get(word)
        if known is not None:
            return known
        head, suffix = split_suffix(word)
        return self._forms.get(head, head) + suffix


def _map_span(
    span: Span,
    changes: Sequence[Change],
    source: Callable[[Change], Span],
    target: Callable[[Change], Span],
) -> Span:
    """Return a span of one text in the other; if it cuts a name, it grows to the whole name."""

    def map_offset(offset: int, end: bool) -> int:
        index = bisect_right(changes, offset, key=lambda change: source(change).start) - 1
        if index < 0:
            return offset
        old, new = source(changes[index]), target(changes[index])
        if offset == old.start:
            return new.start
        if offset < old.end:
            return new.end if end else new.start
        return offset + new.end - old.end

    return Span(map_offset(span.start, False), map_offset(span.end, True))
