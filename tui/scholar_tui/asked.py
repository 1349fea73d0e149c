"""What is asked on the screen: a claim and its filters, as errands and the desk write them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

MODES = {
    "hybrid": "by meaning and by words",
    "dense": "by meaning alone",
    "lexical": "by words alone",
}

MOST = 1000
"""Places that one search may list."""

MORE = 20
"""Places that a search lists at first, and that are added when more are wanted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim with what Library.find is to leave out; an empty filter leaves nothing out."""

    claim: str = ""
    books: tuple[str, ...] = ()
    author: str = ""
    chapters: str = ""
    speaker: str = ""
    mode: str = "hybrid"
    n: int = MORE
    sentences: tuple[int, int] = (1, 5)
    context: int = 1

    @property
    def blank(self) -> bool:
        return not self.claim.strip()

    @property
    def plain(self) -> Asked:
        """The same claim without a filter."""
        return Asked(self.claim)

    def filters(self) -> Iterator[tuple[str, str]]:
        """The name and the value of each filter that is set."""
        if self.books:
            yield ("book" if len(self.books) == 1 else "books"), ", ".join(self.books)
        for name in ("author", "chapters", "speaker"):
            if value := getattr(self, name).strip():
                yield name, value
        if self.mode != "hybrid":
            yield "ranking", self.mode
        if self.sentences != (1, 5):
            shortest, longest = self.sentences
            yield (
                "sentences", str(shortest) if shortest == longest else f"{shortest}-{longest}"
            )  # fmt: skip

    def more(self) -> Asked:
        return replace(self, n=min(self.n + MORE, MOST))

    def written(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def of(errand: Mapping[str, Any]) -> Asked:
    """What an errand asks; "book" is one more of "books", and what is None is not set."""
    given = {name: value for name, value in errand.items() if value is not None}
    books = [*given.get("books", ()), *([given["book"]] if given.get("book") else [])]
    given["books"] = tuple(dict.fromkeys(books))
    if "sentences" in given:
        shortest, longest = given["sentences"]
        given["sentences"] = (shortest, longest)
    known = {each.name for each in fields(Asked)}
    return Asked(**{name: value for name, value in given.items() if name in known})


def read(written: str | None) -> Asked:
    """What was asked last, as the desk has it; nothing when that cannot be read."""
    try:
        asked = of(json.loads(written or "{}"))
    except (ValueError, TypeError, AttributeError):
        return Asked()
    return asked if _sound(asked) else Asked()


def _sound(asked: Asked) -> bool:
    texts = (asked.claim, asked.author, asked.chapters, asked.speaker, *asked.books)
    numbers = (asked.n, asked.context, *asked.sentences)
    return (
        all(isinstance(each, str) for each in texts)
        and all(isinstance(each, int) for each in numbers)
        and asked.mode in MODES
        and 1 <= asked.n <= MOST
    )
