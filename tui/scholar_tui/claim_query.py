"""A claim with its filters, as navigation requests and bookmarks write it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import parse_json
from scholar_indexes.requests import MOST_SENTENCES, FindRequest, Mode, Order, describe
from scholar_indexes.serialize.quiz_text import count_phrase

RANKING_MODES = {
    Mode.HYBRID: "by meaning and by words",
    Mode.DENSE: "by meaning alone",
    Mode.LEXICAL: "by words alone",
}

PAGE_SIZE = 20
"""The number of hits that a search lists at first, and adds when more are wanted."""

TEXT_FILTERS = ("author", "chapters", "speaker", "about")
"""The filters that are written as text; several names of `about` are separated by commas."""


@dataclass(frozen=True, slots=True)
class ClaimQuery(FindRequest):
    """A request of the screen, whose passages can be marked."""

    n: int = PAGE_SIZE

    @property
    def is_blank(self) -> bool:
        return not self.claim.strip()

    @property
    def takes_marks(self) -> bool:
        """Return True for a claim whose passages can be marked: one without a mask, ranked by
        meaning and words."""
        from scholar_indexes.claims import MASK

        return self.mode is Mode.HYBRID and not MASK.search(self.claim)

    def text(self, name: str) -> str:
        """Return one of TEXT_FILTERS as it is written."""
        value = getattr(self, name) or ""
        return value if isinstance(value, str) else ", ".join(value)

    def with_texts(self, claim: str, texts: Mapping[str, str]) -> ClaimQuery:
        """Return the query with another claim and other TEXT_FILTERS, as they are written."""
        names = [name.strip() for name in texts["about"].split(",")]
        values: dict[str, Any] = {**texts, "about": tuple(filter(None, names))}
        return replace(self, claim=claim, **values)

    def without_filters(self) -> ClaimQuery:
        """Return a query for the same claim without any filter."""
        return ClaimQuery(self.claim)

    def active_filters(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the value of each filter that is set."""
        values = (
            ("book" if len(self.books) == 1 else "books", ", ".join(self.books)),
            *((name, self.text(name)) for name in TEXT_FILTERS),
            ("ranking", "" if self.mode is Mode.HYBRID else self.mode),
            ("sentences", _length(*self.sentences)),
            ("order", "as in the text" if self.order is Order.TEXT else ""),
            ("folding", "" if self.fold else "off"),
            ("support", "" if self.min_support is None else f"from {self.min_support:g}"),
            ("reading", self.rerank),
            ("more like", _passages(self.like)),
            ("less like", _passages(self.unlike)),
        )
        for name, value in values:
            if value:
                yield name, value

    def for_another_claim(self) -> ClaimQuery:
        """Return the same query without the settings for one claim: the marks, the model that reads
        the best passages, and waiting for the people of a book."""
        return replace(self, like=(), unlike=(), rerank=None, depth=None, wait=False)

    def with_mark(self, locator: str, *, approved: bool) -> ClaimQuery:
        """Return the query with a passage approved or rejected; repeating a mark removes it."""
        like = tuple(other for other in self.like if other != locator)
        unlike = tuple(other for other in self.unlike if other != locator)
        if approved and locator not in self.like:
            like += (locator,)
        if not approved and locator not in self.unlike:
            unlike += (locator,)
        return replace(self, like=like, unlike=unlike)

    def with_more_hits(self) -> ClaimQuery:
        """Return a query for one more page of hits, up to the maximum."""
        return replace(self, n=min(self.n + PAGE_SIZE, int(describe(FindRequest, "n").most or 0)))

    def to_json(self) -> str:
        """Return the query as JSON, without the settings for one claim."""
        return json.dumps(asdict(self.for_another_claim()), ensure_ascii=False)


def _length(shortest: int, longest: int) -> str:
    """Return the length of passages in sentences; empty if any is wanted."""
    if (shortest, longest) == (1, MOST_SENTENCES):
        return ""
    return str(shortest) if shortest == longest else f"{shortest}-{longest}"


def _passages(marked: Sequence[str]) -> str:
    """Return the number of marked passages; empty if there are none."""
    return count_phrase(len(marked), "passage") if marked else ""


def parse_request(request: Mapping[str, Any]) -> ClaimQuery:
    """Return the query of a navigation request; "book" is added to "books"; None and "" mean
    not set."""
    values = {name: value for name, value in request.items() if value not in (None, "")}
    books = [*values.get("books", ()), *([values["book"]] if values.get("book") else [])]
    values["books"] = tuple(dict.fromkeys(books))
    known = {field.name for field in fields(ClaimQuery)}
    return ClaimQuery(**{name: value for name, value in values.items() if name in known})


def parse_saved(saved: str | None) -> ClaimQuery:
    """Return the query saved as JSON; an empty one if it cannot be read."""
    try:
        query = parse_request(parse_json(saved or "{}"))
    except (ValueError, TypeError, AttributeError, UsageError):
        return ClaimQuery()
    return query if _is_valid(query) else ClaimQuery()


def _is_valid(query: ClaimQuery) -> bool:
    """Return True if the fields have the types of FindRequest, which checks their values."""
    texts = (query.claim, *query.books, *query.about, *query.like, *query.unlike)
    numbers = (query.n, query.context, *query.sentences)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int) for number in numbers)
        and isinstance(query.fold, bool)
        and isinstance(query.wait, bool)
        and isinstance(query.rerank, str | None)
        and isinstance(query.depth, int | None)
    )
