"""The description bank: who somebody is in a novel, in other words than the novel's.

A bank is JSON lines, one character each (docs/characters.md). Descriptions are noun phrases
that could stand for the name, of a level of referential complexity (GANDALF, section 3.2): at
level 1 they name nobody else, at level 2 they name another character of the bank, in braces.
Levels 3 and 4 are composed: for the name stands a level 1 or a level 2 description of its
bearer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

from scholar_indexes.errors import Damaged, NotThere
from scholar_indexes.types import Gender

SLOT = re.compile(r"\{([^{}]+)\}")
"""Another character's name in a description."""

MAX_BYTES = 16 * 1024**2


@dataclass(frozen=True, slots=True)
class Proof:
    """A passage that bears a description out: its locator, and how it reads."""

    locator: str
    quote: str


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of a character; names of others stand in braces."""

    level: int
    text: str
    evidence: tuple[Proof, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The other characters it names."""
        return tuple(SLOT.findall(self.text))

    @property
    def plain(self) -> str:
        """As a reader sees it."""
        return SLOT.sub(r"\1", self.text)


@dataclass(frozen=True, slots=True)
class Described:
    """A character of a bank: name, what else the book calls them, gender, descriptions."""

    name: str
    aliases: tuple[str, ...]
    gender: Gender
    descriptions: tuple[Description, ...]


def packaged() -> list[str]:
    """The ids of the books that scholar has a bank of."""
    folder = resources.files(__package__) / "bank"
    return sorted(each.name[:-6] for each in folder.iterdir() if each.name.endswith(".jsonl"))


def of_book(book_id: str) -> list[Described]:
    """The packaged bank of a book; raises NotThere where there is none."""
    if book_id not in packaged():
        raise NotThere(f"there are no written descriptions of {book_id}; there are of: "
                       + ", ".join(packaged()))  # fmt: skip
    file = resources.files(__package__) / "bank" / f"{book_id}.jsonl"
    return list(parsed(file.read_text("utf-8"), book_id))


def read(path: Path) -> list[Described]:
    """A person's own bank; raises NotThere without the file, Damaged naming the first line
    that is not a described character."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Damaged(f"{path} is larger than {MAX_BYTES >> 20} MiB; split it by book")
        return list(parsed(path.read_text("utf-8-sig"), str(path)))
    except FileNotFoundError:
        raise NotThere(f"there is no file {path}; check its name") from None
    except (OSError, UnicodeDecodeError) as broken:
        raise Damaged(f"{path} cannot be read ({broken}); save it as UTF-8 text") from broken


def parsed(text: str, name: str) -> Iterator[Described]:
    """The characters of a bank's text, in its order; name is for complaints.

    Raises Damaged for a line that is none, for a character who is there twice, and for a
    description that names nobody of this bank, or its own character.
    """
    found: dict[str, Described] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            each = _described(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as broken:
            raise Damaged(f"{name}, line {number}: {_why(broken)}; mend that line") from broken
        if each.name in found:
            raise Damaged(f"{name}, line {number}: {each.name} is there twice; join the two")
        found[each.name], lines[each.name] = each, number
    for each in found.values():
        for description in each.descriptions:
            unknown = [who for who in description.names if who not in found or who == each.name]
            if unknown:
                raise Damaged(
                    f"{name}, line {lines[each.name]}: {unknown[0]!r} is no other character of "
                    "this bank; write names in braces as they are listed"
                )
    yield from found.values()


def composed(
    bank: Sequence[Described], level: int, random: Random
) -> Iterator[tuple[Described, Description]]:
    """The descriptions of level 3 or 4 that a bank gives, one for each of level 2 that can be
    told without its names (GANDALF, section 4.5); which are drawn is random's to say.

    None names the character it describes. Their evidence is that of all their parts.
    """
    by_name = {each.name: each for each in bank}
    for each in bank:
        for description in each.descriptions:
            if description.level == 2 and (
                told := _told(each, description, by_name, level, random)
            ):
                yield each, told


def _told(
    of: Described,
    description: Description,
    by_name: Mapping[str, Described],
    level: int,
    random: Random,
) -> Description | None:
    text, evidence = description.text, list(description.evidence)
    for name in dict.fromkeys(description.names):
        known = [
            each for each in by_name[name].descriptions
            if each.level == level - 2 and of.name not in each.names
        ]  # fmt: skip
        if not known:
            return None
        chosen = random.choice(known)
        text = text.replace(f"{{{name}}}", chosen.text)
        evidence += chosen.evidence
    return Description(level, text, tuple(evidence))


def _described(record: Any) -> Described:
    name = _text(record["name"])
    descriptions = tuple(
        Description(
            _level(each["level"]),
            _text(each["text"]),
            tuple(Proof(_text(proof["locator"]), _text(proof["quote"]))
                  for proof in each.get("evidence", ())),
        )
        for each in record["descriptions"]
    )  # fmt: skip
    if not descriptions:
        raise ValueError(f"{name} has no descriptions")
    for each in descriptions:
        if bool(each.names) != (each.level == 2):
            raise ValueError(f"a description of level {each.level} with {len(each.names)} names")
    aliases = tuple(_text(each) for each in record.get("aliases", ()))
    return Described(name, aliases, Gender(record.get("gender", "unknown")), descriptions)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{str(value)[:40]!r} where a text should be")
    return " ".join(value.split())


def _level(value: Any) -> int:
    if value not in (1, 2):
        raise ValueError(f"level {str(value)[:20]!r}; write 1 or 2, the others are composed")
    return int(value)


def _why(broken: Exception) -> str:
    if isinstance(broken, KeyError):
        return f"{broken.args[0]!r} is missing"
    return "it is no JSON object" if isinstance(broken, RecursionError) else str(broken)
