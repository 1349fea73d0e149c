"""The passages found for a claim as records and Markdown, and remarks on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.sanitize import one_line, visible, visible_line
from scholar_indexes.serialize.passages import (
    SELECTOR_CHARS,
    book_reference,
    chapter_reference,
    citation,
    mark_incomplete,
    quotation_to_markdown,
)

if TYPE_CHECKING:
    from scholar_indexes.results import Evidence, FoundEvidence, RankerScore
    from scholar_indexes.types import Book, Character, Hit

NOTATION = "+ above, - below the mean passage; cosine by meaning, BM25 by words"
"""The legend for the figures of an explanation, in one line of a terminal."""


def evidence_records(hits: FoundEvidence, *, explain: bool = False) -> list[dict[str, Any]]:
    """Return hits as records, best first."""
    records = (evidence_record(rank, hit, explain=explain) for rank, hit in enumerate(hits, 1))
    return mark_people_unknown(mark_incomplete(records, hits.not_searched), hits.people_unknown)


def evidence_record(rank: int, hit: Hit[Evidence], *, explain: bool = False) -> dict[str, Any]:
    """Return a hit as a record: quote is one line, selector.exact is the stored text."""
    evidence = hit.item
    record = {
        "schema_version": 1,
        "rank": rank,
        "score": round(hit.score, 6),
        "quote": visible_line(evidence.passage.text),
        "before": visible_line(evidence.before),
        "after": visible_line(evidence.after),
        "book": book_reference(evidence.book),
        "chapter": chapter_reference(evidence.chapter),
        "paragraph": evidence.passage.paragraph,
        "start": evidence.passage.span.start,
        "end": evidence.passage.span.end,
        "focus": {"start": evidence.focus.start, "end": evidence.focus.end},
        "locator": evidence.locator,
        "nearby": list(evidence.nearby),
        "selector": {
            "type": "TextQuoteSelector",
            "exact": visible(evidence.passage.text),
            "prefix": visible(evidence.before[-SELECTOR_CHARS:]),
            "suffix": visible(evidence.after[:SELECTOR_CHARS]),
        },
        "citation": citation(evidence.book, evidence.chapter),
        "match": evidence.match and str(evidence.match),
        "support": evidence.support and round(evidence.support.probability, 3),
        "weak": evidence.support and evidence.support.is_weak,
        "read_by": evidence.read_by,
        "characters": _character_references(evidence.characters),
        "meant": [
            {"phrase": one_line(phrase), **reference}
            for phrase, character in evidence.meant
            for reference in _character_references([character]) or ()
        ],
    }
    if explain:
        record["explain"] = {
            "dense": _ranker_score(evidence.dense),
            "lexical": _ranker_score(evidence.lexical),
            "parts": evidence.parts
            and {name: round(value, 3) for name, value in evidence.parts.items()},
        }
    return record


def evidence_to_markdown(evidence: Evidence) -> str:
    """Return a hit with its source as Markdown, the sentence nearest to the claim in bold."""
    return quotation_to_markdown(
        evidence.passage.text,
        citation(evidence.book, evidence.chapter),
        evidence.locator,
        before=evidence.before,
        after=evidence.after,
        strong=focus_in_passage(evidence),
    )


def focus_in_passage(evidence: Evidence) -> tuple[int, int]:
    """Return the start and the end of the focus in the text of the passage."""
    start = evidence.passage.span.start
    return max(evidence.focus.start - start, 0), evidence.focus.end - start


def are_weak(hits: Sequence[Hit[Evidence]]) -> bool:
    """Return True if there are hits and none of them clearly supports its claim."""
    supports = [hit.item.support for hit in hits]
    return bool(hits) and all(support is not None and support.is_weak for support in supports)


def remarks(evidence: Evidence) -> list[str]:
    """Return short remarks on a hit: "verbatim", "+2 nearby"."""
    remarks = [str(evidence.match)] if evidence.match else []
    if evidence.nearby:
        remarks.append(f"+{len(evidence.nearby)} nearby")
    return remarks


def describe_parts(parts: Mapping[str, float]) -> str:
    """Return the parts of a score in words, the strongest first: "people +1.2, words -0.3"."""
    strongest = sorted(parts.items(), key=lambda part: -abs(part[1]))
    counted = (f"{name} {value:+.1f}" for name, value in strongest if abs(value) >= 0.05)
    return ", ".join(counted) or "nothing by itself"


def mark_people_unknown(
    records: Iterable[dict[str, Any]], books: Sequence[Book]
) -> list[dict[str, Any]]:
    """Return the records of an answer; if the people in the sentences of books are not known, each
    record lists these books."""
    if not books:
        return list(records)
    references = list(map(book_reference, books))
    return [{**record, "people_unknown": references} for record in records]


def people_notice(books: Sequence[Book]) -> str:
    """Return the line that reports in which books names are matched as words, with the command that
    finds their people."""
    others = len(books) - 1
    more = f" and {others} other book{'s' * (others > 1)}" if others else ""
    chosen = f" -b {books[0].id}" if not others else ""
    return (
        f"who is in each sentence of {books[0].title}{more} is not known yet, so names are matched "
        f"as words there; to match people, run: scholar index people{chosen}"
    )


def people_failure(book: Book, reason: str) -> str:
    """Return the line that reports why the people of a book were not found, and how to try
    again."""
    return (
        f"could not find who is in each sentence of {book.title}: {reason}; names are matched as "
        f"words there; to try again, run: scholar index people -b {book.id}"
    )


def _character_references(
    characters: Iterable[Character] | None,
) -> list[dict[str, str]] | None:
    """Return the characters in a passage as records; None if they are not known."""
    if characters is None:
        return None
    return [{"id": character.id, "name": one_line(character.name)} for character in characters]


def _ranker_score(ranked: RankerScore | None) -> dict[str, Any] | None:
    return None if ranked is None else {"rank": ranked.rank, "score": round(ranked.score, 4)}
