"""What a book says of its characters, kept in the book's folder, and as a description bank.

    described.json      the characters, and what automatic.find tells of each

A file belongs to one version of the rules, one dialogue and one set of banked names; another
one's is made anew, as is a damaged one.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.books import locators
from scholar_indexes.books.passages import paragraphs
from scholar_indexes.characters import automatic
from scholar_indexes.characters.automatic import Told
from scholar_indexes.characters.bank import SLOT, Described, Description, Proof
from scholar_indexes.characters.wording import name_terms, words
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.places import writing
from scholar_indexes.types import Chapter, Character, Kind, Span

if TYPE_CHECKING:
    from scholar_indexes.answers import Cited
    from scholar_indexes.speakers.record import Dialogue

SCHEMA_VERSION = 1

RULES = 2
"""Counts up when automatic descriptions are read in another way: what was kept by older rules
is then made anew."""

FILE = "described.json"

SURE_SPEAKER = 0.9
"""The least confidence of an attribution by which "my aunt" is the speaker's."""

MOST_ASKED = 8
"""Automatic descriptions of one character that a quiz asks about."""

LEAST_ASKED = 1.5
"""The least score of those: what everybody might have done is no question."""

FIRST = 5
"""Names listed where nobody has the one asked for, nor one like it."""


@dataclass(frozen=True, slots=True)
class Account:
    """The characters of a book and what it tells of them; who of a Told is a place in them."""

    people: tuple[Character, ...]
    told: tuple[Told, ...]


def made_by(dialogue: str, bank: Sequence[Described]) -> str:
    """What is kept depends on beside the text, in one line: the rules, how the dialogue was
    made, and the names of a bank."""
    names = json.dumps([[each.name, each.aliases, each.gender] for each in bank])
    digest = sha256(names.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{RULES} {digest} {dialogue}"


def make(
    text: str, chapters: Sequence[Chapter], dialogue: Dialogue, bank: Sequence[Described]
) -> Account:
    """Read a book for what it tells of its characters; takes a second or two."""
    everybody = people(text, dialogue, bank)
    places = {alias: at for at, each in enumerate(everybody) for alias in each.aliases}
    speakers = [
        places.get(said.speaker.name)
        if said.speaker and said.confidence >= SURE_SPEAKER else None
        for said in dialogue.attributions
    ]  # fmt: skip
    bodies = [each.body for each in chapters if each.kind is Kind.CHAPTER]
    told = automatic.find(text, bodies, dialogue.quotations, everybody, speakers)
    return Account(everybody, tuple(told))


def people(text: str, dialogue: Dialogue, bank: Sequence[Described]) -> tuple[Character, ...]:
    """Everybody of a book: those of its bank under all their names, then the rest of the cast,
    however rarely they are named."""
    from scholar_indexes.characters import people

    known = people.of_book(text, dialogue, bank)
    names = {alias for each in known for alias in (each.name, *each.aliases)}
    ids = {each.id for each in known}
    rest = [
        each for each in dialogue.cast
        if each.id not in ids and names.isdisjoint((each.name, *each.aliases))
    ]  # fmt: skip
    return (*known, *rest)


def save(folder: Path, made_by: str, kept: Account) -> None:
    """Write it whole, or not at all."""
    record = {
        "schema_version": SCHEMA_VERSION,
        "made_by": made_by,
        "people": [
            [each.id, each.name, list(each.aliases), each.gender, each.narrator]
            for each in kept.people
        ],
        "told": [
            [each.who, each.kind, each.text,
             [[span.start, span.end] for span in each.passages], each.score]
            for each in kept.told
        ],
    }  # fmt: skip
    with writing(folder):
        handle, unfinished = tempfile.mkstemp(prefix=".described-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(record, file, ensure_ascii=False)
            os.replace(unfinished, folder / FILE)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise


def load(folder: Path, made_by: str, size: int) -> Account | None:
    """What was kept; None where there is nothing of this making, or it is broken.

    size is that of the book's text: what lies outside it is broken too.
    """
    try:
        record = json.loads((folder / FILE).read_text("utf-8"))
        if (record["schema_version"], record["made_by"]) != (SCHEMA_VERSION, made_by):
            return None
        everybody = tuple(_character(*each) for each in record["people"])
        told = tuple(_told(each, len(everybody), size) for each in record["told"])
        return Account(everybody, told)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None


def as_bank(kept: Account, cited: Callable[[Span], Cited | None]) -> list[Described]:
    """Automatic descriptions as a bank: of level 2 where they name others, else of level 1.

    Who is neither described nor named in a description is left out.
    """
    found: list[list[Description]] = [[] for _ in kept.people]
    for each in kept.told:
        if len(found[each.who]) == MOST_ASKED or each.score < LEAST_ASKED:
            continue
        place = cited(each.passages[0])
        if place is not None:
            quote = " ".join(place.text.split())
            level = 2 if SLOT.search(each.text) else 1
            proof = Proof(place.locator, quote)
            found[each.who].append(Description(level, each.text, (proof,)))
    named = {name for several in found for each in several for name in each.names}
    return [
        Described(of.name, of.aliases, of.gender, tuple(several))
        for of, several in zip(kept.people, found, strict=True)
        if several or of.name in named
    ]


def whom(people: Sequence[Character], name: str, book_id: str) -> Character:
    """Whom a name means; raises NotThere naming the nearest or the first of the book, and
    UsageError naming all whom it could mean."""
    from scholar_indexes.speakers import dialogue

    try:
        return dialogue.named(people, name)
    except UsageError as several:
        raise UsageError(f"{several}; write one of these names") from None
    except NotThere as nobody:
        said = str(nobody).rpartition(";")[0]
        if ";" not in said:
            said += "; there are " + ", ".join(each.name for each in people[:FIRST])
        raise NotThere(f"{said}; all of them: scholar characters {book_id}") from None


def shown(text: str, of: Character, people: Sequence[Character]) -> str:
    """A description as a reader sees it: for braces stand names, and of somebody's names the
    first that has no word of those of the one described, where there is such a one."""
    own = name_terms((of.name, *of.aliases))
    aliases = {each.name: (each.name, *each.aliases) for each in people}

    def called(name: str) -> str:
        known = aliases.get(name, (name,))
        fitting = (each for each in known if own.isdisjoint(words(each)) and each[0].isupper())
        return next(fitting, name)

    return SLOT.sub(lambda slot: called(slot[1]), text)


def proved(proof: Proof, text: str, chapters: Sequence[Chapter]) -> Span | None:
    """Where a bank's passage stands: at its locator, or in another edition wherever its words
    do; None where they do not."""
    quote = " ".join(proof.quote.split())
    try:
        place = locators.parse(proof.locator)
    except ScholarError:
        place = locators.Locator("")
    chapter = next((each for each in chapters if each.number == place.chapter), None)
    if chapter and place.paragraph and place.span:
        blocks = list(paragraphs(text, chapter.body))
        if place.paragraph <= len(blocks):
            start = blocks[place.paragraph - 1].start
            span = Span(start + place.span.start, start + place.span.end)
            if " ".join(span.of(text).split()) == quote:
                return span
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text) if quote else None
    return Span(*found.span()) if found else None


def _character(id: Any, name: Any, aliases: Any, gender: Any, narrator: Any) -> Character:
    from scholar_indexes.types import Gender

    return Character(
        str(id), str(name), tuple(map(str, aliases)), Gender(gender), bool(narrator)
    )  # fmt: skip


def _told(written: Sequence[Any], people: int, size: int) -> Told:
    who, kind, text, passages, score = written
    if kind not in automatic.KINDS or not 0 <= int(who) < people or not passages:
        raise ValueError("what cannot be told")
    spans = tuple(Span(int(start), int(end)) for start, end in passages)
    if not all(0 <= each.start < each.end <= size for each in spans):
        raise ValueError("a span outside the text")
    return Told(int(who), str(kind), str(text), spans, float(score))
