"""Look up papers by a reference or by words, and suggest similar ones if none matches."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from scholar_indexes.folding import fold_text
from scholar_indexes.papers import ids
from scholar_indexes.papers.catalog.stored import parse_column
from scholar_indexes.papers.editing import note_of
from scholar_indexes.papers.formats.csl import item_authors, item_tags, item_venue

MAX_SUGGESTIONS = 5
"""Papers that are suggested if a reference matches none or several."""

YearRange = tuple[int | None, int | None]
"""An inclusive range of years, None for an open end."""

MAX_CANDIDATES = 200
"""Papers that are compared with a reference that matches none."""

_MIN_SIMILARITY = 60.0
_MAX_COMPARED_CHARS = 200
_MAX_LABEL_CHARS = 60
_PREFIX_WORDS, _PREFIX_CHARS = 3, 4


def listed_papers(collection: int | None, years: YearRange) -> tuple[str, str]:
    """Return the FROM clause and the WHERE condition for the listed papers that pass filters."""
    tables = "papers" if collection is None else "members JOIN papers USING (number)"
    conditions = ["state = 'listed'"]
    if collection is not None:
        conditions.append(f"collection = {collection}")
    first, last = years
    if first is not None:
        conditions.append(f"year >= {int(first)}")
    if last is not None:
        conditions.append(f"year <= {int(last)}")
    return tables, " AND ".join(conditions)


def find_numbers(db: sqlite3.Connection, reference: str) -> list[int]:
    """Return the listed papers that a reference may mean, at most MAX_SUGGESTIONS + 1.

    An id or a number identifies one paper; a title, or a phrase from it, may match several.
    """
    for lookup in (_by_id, _by_number, _by_title, _by_phrase):
        if numbers := lookup(db, reference):
            return numbers
    return []


def _by_id(db: sqlite3.Connection, reference: str) -> list[int]:
    for identifier in (ids.canonical_id(reference), ids.key_id(reference)):
        row = db.execute(
            "SELECT number FROM ids JOIN papers USING (number)"
            " WHERE ids.id = ? AND state = 'listed'",
            (identifier,),
        ).fetchone()
        if row:
            return [row[0]]
    return []


def _by_number(db: sqlite3.Connection, reference: str) -> list[int]:
    number = reference.removeprefix("#")
    if not re.fullmatch(r"[0-9]{1,18}", number):
        return []
    rows = db.execute(
        "SELECT number FROM papers WHERE number = ? AND state = 'listed'", (int(number),)
    )
    return [number for (number,) in rows]


def _by_title(db: sqlite3.Connection, reference: str) -> list[int]:
    rows = db.execute(
        "SELECT number FROM title_keys JOIN papers USING (number)"
        " WHERE key = ? AND state = 'listed' LIMIT ?",
        (ids.title_key(reference), MAX_SUGGESTIONS + 1),
    )
    return [number for (number,) in rows]


def _by_phrase(db: sqlite3.Connection, reference: str) -> list[int]:
    words = re.findall(r"[^\W_]+", reference)
    phrases = [f'"{" ".join(words)}" *'] if words else []
    return _match_titles(db, phrases, " ", MAX_SUGGESTIONS + 1)


def _match_titles(
    db: sqlite3.Connection, phrases: Sequence[str], operator: str, limit: int
) -> list[int]:
    """Return the first listed papers whose titles match phrases in FTS5's query language."""
    if not phrases:
        return []
    rows = db.execute(
        "SELECT number FROM titles JOIN papers ON papers.number = titles.rowid"
        " WHERE titles MATCH ? AND state = 'listed' LIMIT ?",
        (operator.join(phrases), limit),
    )
    return [number for (number,) in rows]


def contains_terms(row: Sequence[Any], terms: Sequence[str]) -> bool:
    """Return True if a row (id, title, year, csl) contains all folded terms.

    Authors, venue, tags and note come from the CSL-JSON item.
    """
    *columns, csl = row
    item = parse_column(csl)
    further = (*item_authors(item), item_venue(item), *item_tags(item), note_of(item))
    text = fold_text(" ".join(map(str, (*columns, *further))))
    return all(term in text for term in terms)


def suggest(db: sqlite3.Connection, reference: str) -> list[int]:
    """Return listed papers whose id or title is similar to a reference, the most similar first.

    Only a bounded number is compared: papers whose ids sort next to the reference, and papers
    whose titles contain words with the same first letters as its longest words.
    """
    target = ids.canonical_id(reference) or reference.casefold()
    candidates = _adjacent_ids(db, target)
    for number in _similarly_titled(db, reference):
        candidates.setdefault(number, [])
    similarities = _similarities(db, target, candidates)
    order = sorted(similarities, key=lambda number: (-similarities[number], number))
    likely = [number for number in order if similarities[number] > _MIN_SIMILARITY]
    return likely[:MAX_SUGGESTIONS]


def _adjacent_ids(db: sqlite3.Connection, target: str) -> dict[int, list[str]]:
    """Return the papers whose ids sort next to `target`, with these ids."""
    candidates: dict[int, list[str]] = {}
    targets = [target] if ":" in target else [target, f"key:{target}"]
    for start in targets:
        for condition in (">= ? ORDER BY id", "< ? ORDER BY id DESC"):
            for identifier, number in db.execute(
                f"SELECT id, number FROM ids WHERE id {condition} LIMIT ?",
                (start, MAX_CANDIDATES // 4),
            ):
                candidates.setdefault(number, []).append(identifier)
    return candidates


def _similarly_titled(db: sqlite3.Connection, reference: str) -> list[int]:
    words = sorted(set(re.findall(r"[^\W_]{3,}", reference)), key=len, reverse=True)
    prefixes = [f'"{word[:_PREFIX_CHARS]}" *' for word in words[:_PREFIX_WORDS]]
    return _match_titles(db, prefixes, " AND ", MAX_CANDIDATES) or _match_titles(
        db, prefixes, " OR ", MAX_CANDIDATES
    )


def _similarities(
    db: sqlite3.Connection, target: str, candidates: dict[int, list[str]]
) -> dict[int, float]:
    """Return the similarity, in percent, of the most similar id or title of each listed candidate;
    the order of words does not count, nor do words that only one of the two has."""
    from rapidfuzz import fuzz

    target = target[:_MAX_COMPARED_CHARS]
    similarities: dict[int, float] = {}
    for number, identifiers in candidates.items():
        row = db.execute(
            "SELECT title FROM papers WHERE number = ? AND state = 'listed'", (number,)
        ).fetchone()
        if row:
            names = (*identifiers, row[0].casefold())
            similarities[number] = max(
                fuzz.token_set_ratio(target, name[:_MAX_COMPARED_CHARS]) for name in names
            )
    return similarities


def describe(db: sqlite3.Connection, numbers: Sequence[int]) -> str:
    """Return one line with the id and the beginning of the title of each paper."""
    labels = []
    for number in numbers:
        identifier, title = db.execute(
            "SELECT id, title FROM papers WHERE number = ?", (number,)
        ).fetchone()
        if len(title) > _MAX_LABEL_CHARS:
            title = f"{title[: _MAX_LABEL_CHARS - 3]}..."
        labels.append(f"{identifier} ({title})")
    return ", ".join(labels)
