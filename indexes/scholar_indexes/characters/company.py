"""Everybody of a book, as one looks through them: in an order, narrowed, and taken along."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scholar_indexes import records
from scholar_indexes.characters import conversations
from scholar_indexes.characters.conversations import Exchange
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.answers import Cited, Portrait, Quote, Said
    from scholar_indexes.catalog import Shelved
    from scholar_indexes.types import Chapter, Character

Told = Mapping[str, Sequence["Said"]]
"""What is said of the characters, by the ids of their portraits."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Company:
    """The characters of a book, those who say most first; its chapters without the front matter;
    what is said, in reading order; and who answers whom."""

    shelved: Shelved
    chapters: tuple[Chapter, ...]
    portraits: tuple[Portrait, ...]
    quotes: tuple[Quote, ...]
    exchanges: tuple[Exchange, ...]

    def portrait(self, who: str) -> Portrait | None:
        return next((each for each in self.portraits if each.character.id == who), None)

    def meant(self, character: Character) -> Portrait | None:
        """The portrait of somebody whom a description bank may call otherwise: by id, by name,
        or else whoever of those that share a name with them says most."""
        names = {character.name, *character.aliases}
        tests: tuple[Callable[[Character], bool], ...] = (
            lambda each: each.id == character.id,
            lambda each: each.name == character.name,
            lambda each: not names.isdisjoint((each.name, *each.aliases)),
        )
        for fits in tests:
            for portrait in self.portraits:
                if fits(portrait.character):
                    return portrait
        return None

    def joined(self, text: str, people: Iterable[Character]) -> Company:
        """The company with those of some people who are not in it: nobody hears them speak
        under a name. text is the book's."""
        from scholar_indexes import answers
        from scholar_indexes.speakers.record import Dialogue

        new = tuple(
            who for who in {each.id: each for each in people}.values() if self.meant(who) is None
        )
        if not new:
            return self
        cast = (*(each.character for each in self.portraits), *new)
        found = answers.portraits(self.shelved.book, text, self.chapters, Dialogue(cast, (), ()))
        more = tuple(each for each in found if each.character in new)
        return replace(self, portraits=(*self.portraits, *more))

    def said_by(self, who: str) -> list[Quote]:
        """Everything that somebody says."""
        return [
            each for each in self.quotes
            if each.attribution.speaker and each.attribution.speaker.id == who
        ]  # fmt: skip

    def partners(self, who: str) -> list[tuple[Portrait, Exchange]]:
        """With whom somebody speaks, most turns first."""
        cast = {each.character.id: each for each in self.portraits}
        found = conversations.of(who, self.exchanges)
        return [(cast[each.partner(who)], each) for each in found]

    def over(self, portrait: Portrait, *, spoken: bool = False) -> list[int]:
        """How often somebody is named in each chapter, or speaks there."""
        counts = {
            each.chapter: each.quotations if spoken else each.mentions
            for each in portrait.presences
        }
        return [counts.get(each.number, 0) for each in self.chapters]

    def told(self, said: Iterable[Said]) -> dict[str, list[Said]]:
        """Descriptions by the ids of those of whom they are; of nobody of the company none."""
        found: dict[str, list[Said]] = {}
        meant: dict[str, str | None] = {}
        for each in said:
            who = each.character
            if who.id not in meant:
                portrait = self.meant(who)
                meant[who.id] = portrait.character.id if portrait else None
            if (owner := meant[who.id]) is not None:
                found.setdefault(owner, []).append(each)
        return found


_KEYS: Mapping[str, Callable[[Portrait], Any]] = {
    "says": lambda each: (-each.quotations, -each.mentions),
    "named": lambda each: (-each.mentions, -each.quotations),
    "name": lambda each: _folded(each.character.name),
    "first": lambda each: (not each.first, *map(int, _DIGITS.findall(_within(each.first)))),
}

ORDERS = ("says", "named", "name", "first")
"""Those who say most first, or are named most; by name; or as they come in."""


def ordered(portraits: Iterable[Portrait], order: str) -> list[Portrait]:
    """Characters in one of ORDERS."""
    return sorted(portraits, key=_KEYS[order])


def narrowed(portraits: Iterable[Portrait], words: str) -> list[Portrait]:
    """The characters with every word somewhere in one of their names; case and accents do not
    matter."""
    wanted = _folded(words).split()
    return [
        each for each in portraits
        if any(
            all(word in _folded(name) for word in wanted)
            for name in (each.character.name, *each.character.aliases)
        )
    ]  # fmt: skip


def as_records(
    company: Company, portraits: Iterable[Portrait], told: Told | None
) -> list[dict[str, Any]]:
    """Characters as data; told is None, and so are the descriptions, while they are not known."""
    titles = {each.number: one_line(each.title) for each in company.chapters}
    return [
        {
            "schema_version": 1,
            "id": each.character.id,
            "name": one_line(each.character.name),
            "aliases": [one_line(alias) for alias in each.character.aliases],
            "gender": str(each.character.gender),
            "narrator": each.character.narrator,
            "book": {"id": each.book.id, "title": one_line(each.book.title),
                     "author": one_line(each.book.author)},
            "quotations": each.quotations,
            "mentions": each.mentions,
            "first": each.first,
            "chapters": [
                {"number": one.chapter, "title": titles.get(one.chapter, ""),
                 "mentions": one.mentions, "quotations": one.quotations, "first": one.first}
                for one in each.presences
            ],
            "speaks_with": [
                {"id": partner.character.id, "name": one_line(partner.character.name),
                 "turns": exchange.turns, "chapters": list(exchange.chapters),
                 "first": exchange.first}
                for partner, exchange in company.partners(each.character.id)
            ],
            "descriptions": None if told is None else [
                _description(one) for one in told.get(each.character.id, ())
            ],
        }
        for each in portraits
    ]  # fmt: skip


def as_markdown(company: Company, portraits: Sequence[Portrait], told: Told | None) -> str:
    """A table of characters, and then what is said of each."""
    book = company.shelved.book
    title = ", ".join(filter(None, map(one_line, (book.author, book.title))))
    lines = [
        f"# The characters of {records.markdown_escaped(title)}", "",
        "| Name | Gender | Says | Named | First | Also called | Speaks with |",
        "|---|---|---:|---:|---|---|---|",
    ]  # fmt: skip
    for each in portraits:
        who = each.character
        names = ", ".join(also_called(who))
        partners = ", ".join(
            f"{one_line(partner.character.name)} ({exchange.turns:,})"
            for partner, exchange in company.partners(who.id)[:5]
        )
        lines.append(
            f"| {_escaped(who.name)} | {who.gender} | {each.quotations:,} | {each.mentions:,} "
            f"| `{each.first}` | {_escaped(names)} | {_escaped(partners)} |"
        )
    for each in portraits:
        if told and (said := told.get(each.character.id)):
            lines += ["", f"## {_escaped(each.character.name)}", ""]
            for one in said:
                automatic = ", automatic" if one.automatic else ""
                lines += [f"- **{_escaped(one.text)}** ({one.kind}{automatic})", ""]
                lines += [
                    records.as_markdown(
                        place.text, records.citation(one.book, place.chapter), place.locator
                    )
                    for place in one.passages
                ]
    return "\n".join(lines).rstrip("\n") + "\n"


def also_called(character: Character) -> list[str]:
    """The other names of somebody, as they can be shown."""
    names = dict.fromkeys(one_line(each) for each in character.aliases)
    names.pop(one_line(character.name), None)
    return list(names)


def _description(said: Said) -> dict[str, Any]:
    return {
        "kind": said.kind,
        "text": one_line(said.text),
        "automatic": said.automatic,
        "passages": [_passage(said, each) for each in said.passages],
    }


def _passage(said: Said, cited: Cited) -> dict[str, Any]:
    return {
        "quote": one_line(cited.text),
        "locator": cited.locator,
        "citation": records.citation(said.book, cited.chapter),
    }


def _escaped(text: str) -> str:
    return records.markdown_escaped(one_line(text))


def _within(locator: str) -> str:
    return locator.partition(":")[2]


def _folded(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parts if not unicodedata.combining(each))
