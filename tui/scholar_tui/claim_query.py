"""A claim with its filters, as navigation requests and bookmarks write it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from scholar_indexes.guarded import parse_json

RANKING_MODES = {
    "hybrid": "by meaning and by words",
    "dense": "by meaning alone",
    "lexical": "by words alone",
}

MAX_HITS = 1000
"""Hits that one search may list."""

PAGE_SIZE = 20
"""Hits that a search lists at first, and that are added when more are wanted."""

ANY_SENTENCES = (1, 5)
"""The shortest and the longest passage, in sentences."""


@dataclass(frozen=True, slots=True)
class ClaimQuery:
    """A claim with the filters of Library.find; an empty filter excludes nothing. `like` and
    `unlike` are the locators of passages that the reader approved of or rejected; `thorough` lets
    the large model read the best passages."""

    claim: str = ""
    books: tuple[str, ...] = ()
    author: str = ""
    chapters: str = ""
    speaker: str = ""
    about: str = ""
    mode: str = "hybrid"
    n: int = PAGE_SIZE
    sentences: tuple[int, int] = ANY_SENTENCES
    context: int = 1
    like: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    thorough: bool = False

    @property
    def is_blank(self) -> bool:
        return not self.claim.strip()

    @property
    def takes_marks(self) -> bool:
        """Return True for a claim whose passages can be marked: one without a mask, ranked by
        meaning and words."""
        from scholar_indexes.models.encoder import MASK

        return self.mode == "hybrid" and not MASK.search(self.claim)

    def without_filters(self) -> ClaimQuery:
        """Return a query for the same claim without any filter."""
        return ClaimQuery(self.claim)

    def active_filters(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the value of each filter that is set."""
        if self.books:
            yield ("book" if len(self.books) == 1 else "books"), ", ".join(self.books)
        for name in ("author", "chapters", "speaker", "about"):
            if value := getattr(self, name).strip():
                yield name, value
        if self.mode != "hybrid":
            yield "ranking", self.mode
        if self.sentences != ANY_SENTENCES:
            shortest, longest = self.sentences
            yield ("sentences", str(shortest) if shortest == longest else f"{shortest}-{longest}")
        if self.thorough:
            yield "reading", "thorough"
        if self.like or self.unlike:
            yield "marked", f"+{len(self.like)} −{len(self.unlike)}"

    def for_another_claim(self) -> ClaimQuery:
        """Return the same query without what is meant for one claim: the marks, and reading
        thoroughly."""
        return replace(self, like=(), unlike=(), thorough=False)

    def with_mark(self, locator: str, *, approved: bool) -> ClaimQuery:
        """Return the query with a passage approved of or rejected; one that was already approved
        of, or rejected, is marked no more."""
        like = tuple(other for other in self.like if other != locator)
        unlike = tuple(other for other in self.unlike if other != locator)
        if approved and locator not in self.like:
            like += (locator,)
        if not approved and locator not in self.unlike:
            unlike += (locator,)
        return replace(self, like=like, unlike=unlike)

    def with_more_hits(self) -> ClaimQuery:
        """Return a query for a page of hits more, up to MAX_HITS."""
        return replace(self, n=min(self.n + PAGE_SIZE, MAX_HITS))

    def to_json(self) -> str:
        """Return the query as JSON, without what is meant for one claim."""
        return json.dumps(asdict(self.for_another_claim()), ensure_ascii=False)


def parse_request(request: Mapping[str, Any]) -> ClaimQuery:
    """Return the query of a navigation request; "book" is one more of "books", None is not set."""
    values = {name: value for name, value in request.items() if value is not None}
    books = [*values.get("books", ()), *([values["book"]] if values.get("book") else [])]
    values["books"] = tuple(dict.fromkeys(books))
    values |= {name: tuple(values.get(name, ())) for name in ("like", "unlike")}
    if "sentences" in values:
        shortest, longest = values["sentences"]
        values["sentences"] = (shortest, longest)
    known = {field.name for field in fields(ClaimQuery)}
    return ClaimQuery(**{name: value for name, value in values.items() if name in known})


def parse_saved(saved: str | None) -> ClaimQuery:
    """Return the query saved as JSON; an empty one if it cannot be read."""
    try:
        query = parse_request(parse_json(saved or "{}"))
    except (ValueError, TypeError, AttributeError):
        return ClaimQuery()
    return query if _is_valid(query) else ClaimQuery()


def _is_valid(query: ClaimQuery) -> bool:
    texts = (
        query.claim,
        query.author,
        query.chapters,
        query.speaker,
        query.about,
        *query.books,
        *query.like,
        *query.unlike,
    )
    numbers = (query.n, query.context, *query.sentences)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int) for number in numbers)
        and isinstance(query.thorough, bool)
        and query.mode in RANKING_MODES
        and 1 <= query.n <= MAX_HITS
    )
