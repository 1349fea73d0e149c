"""Papers and similar papers as data, Markdown and text, for every front end.

Texts are returned as stored: a front end sanitizes them. Bibliographies are already sanitized.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import UsageError
from scholar_indexes.papers.duplicates import said_by_sources
from scholar_indexes.papers.editing import note_of
from scholar_indexes.papers.formats.csl import item_tags
from scholar_indexes.papers.formats.csl_names import OTHERS
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.result_formats import PAPERS, Format

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.lookup import YearRange
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.entry import UnreadableEntry
    from scholar_indexes.papers.paper_results import (
        AddPapersReport,
        PaperQuery,
        SentencePair,
        SimilarPaper,
    )
    from scholar_indexes.types import Hit, Paper

MAX_REPORTED = 10
"""The most unreadable records that are reported with a line each."""

MIN_PAIR_SHARE, MAX_PAIRS = 0.05, 20
"""Sentence pairs are shown if they have this share of the largest weight; at most this many."""

PAPER_COLUMNS = ("id", "year", "authors", "title")
SIMILAR_COLUMNS = ("rank", "score", "id", "year", "title", "sentence")


def paper_record(stored: StoredPaper) -> dict[str, Any]:
    """Return a paper as data, without its abstract."""
    paper = stored.paper
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "ids": list(paper.ids),
        "number": stored.number,
        "collections": list(stored.collections),
        "tags": list(item_tags(stored.csl)),
        "note": note_of(stored.csl),
    }


def paper_row(stored: StoredPaper) -> dict[str, Any]:
    """Return a paper as a table row: as paper_record, with the authors as a string."""
    authors = stored.paper.authors
    return {**paper_record(stored), "authors": format_authors(authors, len(authors))}


def abstract_records(stored: StoredPaper) -> list[dict[str, Any]]:
    """Return the sentences of a paper's abstract as data."""
    return [_sentence_record(stored.paper, row) for row in range(len(stored.paper.sentences))]


def info_record(stored: StoredPaper) -> dict[str, Any]:
    """Return a paper as data, with its abstract and its sources' data as a CSL-JSON item."""
    return {
        **paper_record(stored),
        "abstract": abstract_records(stored),
        "added": stored.added,
        "csl": said_by_sources(stored.csl),
    }


def similar_row(record: dict[str, Any]) -> dict[str, Any]:
    """Return a similar_record as a row for tables: with the fields of the paper, and the text of
    the best matching sentence."""
    sentence = record["matched"][0]["found"]["text"] if record["matched"] else ""
    return {**record, **record["paper"], "sentence": sentence}


def similar_record(rank: int, hit: Hit[SimilarPaper], query: PaperQuery | None) -> dict[str, Any]:
    """Return a hit as data, with its aligned sentences; query is None for a free question."""
    similar = hit.item
    return {
        "schema_version": 1,
        "rank": rank,
        "score": round(hit.score, 4),
        "facet": str(query.facet) if query and query.facet else None,
        "paper": paper_record(similar.stored),
        "matched": [
            _pair_record(pair, similar.stored.paper, query) for pair in shown_pairs(similar.matched)
        ],
        "explain": {name: round(value, 4) for name, value in similar.parts.items()},
    }


def shown_pairs(matched: Sequence[SentencePair]) -> list[SentencePair]:
    """Return the sentence pairs with enough weight to be shown."""
    least = MIN_PAIR_SHARE * max((pair.weight for pair in matched), default=0)
    return [pair for pair in matched if pair.weight >= least][:MAX_PAIRS]


def _pair_record(pair: SentencePair, candidate: Paper, query: PaperQuery | None) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if query is not None and pair.query_row is not None:
        record["asked"] = _sentence_record(query.paper, pair.query_row)
    record["found"] = (
        {"sentence": 0, "facet": "title", "text": candidate.title}
        if pair.candidate_row is None
        else _sentence_record(candidate, pair.candidate_row)
    )
    return {**record, "weight": round(pair.weight, 4), "cosine": round(pair.cosine, 4)}


def _sentence_record(paper: Paper, row: int) -> dict[str, Any]:
    return {"sentence": row + 1, "facet": str(paper.facets[row]), "text": paper.sentences[row]}


def format_authors(authors: Sequence[str], most: int = 3) -> str:
    """Return the names of the first authors, and "et al." if there are more."""
    named = [author for author in authors if author != OTHERS]
    more = len(named) > most or len(named) < len(authors)
    return ", ".join(named[:most]) + (" et al." if more else "")


def format_citation(paper: Paper) -> str:
    """Return authors, year, title, venue and id, as in a list of references."""
    authors, title = one_line(format_authors(paper.authors)), one_line(paper.title)
    year = f"({paper.year or 'no year'})."
    parts = [
        f"{authors} {year}" if paper.authors else year,
        title if title.endswith(("?", "!", ".")) else f"{title}.",
        f"{one_line(paper.venue)}." if paper.venue else "",
        one_line(paper.id),
    ]
    return " ".join(part for part in parts if part)


def format_bibliography(papers: Iterable[StoredPaper], format: Format = Format.BIBTEX) -> str:
    """Return papers as a bibliography."""
    from scholar_indexes.papers.catalog.stored import csl_item

    return safe(format.writer(PAPERS)(map(csl_item, papers)))


def papers_markdown(heading: str, papers: Iterable[StoredPaper]) -> str:
    """Return a list of papers as Markdown."""
    lines = [f"- {escape_markdown(format_citation(stored.paper))}" for stored in papers]
    return f"# {_escape_line(heading)}\n\n" + "\n".join(lines) + "\n"


def similar_markdown(
    heading: str, hits: Iterable[Hit[SimilarPaper]], query: PaperQuery | None
) -> str:
    """Return ranked papers as Markdown, each with its aligned sentences."""
    lines = [f"# {_escape_line(heading)}", ""]
    for rank, hit in enumerate(hits, 1):
        record = similar_record(rank, hit, query)
        citation = escape_markdown(format_citation(hit.item.stored.paper))
        lines += [f"{rank}. {citation} (score {record['score']:.3f})", ""]
        for pair in record["matched"]:
            if "asked" in pair:
                lines.append(f"   - {_format_sentence(pair['asked'])}")
            lines.append(f"   > {_format_sentence(pair['found'])} — cosine {pair['cosine']:.2f}")
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _format_sentence(record: dict[str, Any]) -> str:
    label = f"{record['sentence']}, {record['facet']}" if record["sentence"] else "title"
    return f"({label}) {_escape_line(record['text'])}"


def _escape_line(text: str) -> str:
    return escape_markdown(one_line(text))


def report_lines(report: AddPapersReport, source: str) -> list[str]:
    """Return a line for each unreadable record of a source, then the counts of its papers."""
    from scholar_indexes.papers.paper_results import PaperSourceKind

    lines = [_unreadable_line(record, source) for record in report.unreadable[:MAX_REPORTED]]
    if len(report.unreadable) > MAX_REPORTED:
        lines.append(f"{source}: {len(report.unreadable) - MAX_REPORTED} more could not be read")
    again = report.source is not PaperSourceKind.FILE
    added, merged, unchanged = (
        ("new", "changed", "unchanged") if again else ("added", "merged", "already there")
    )
    counts = (
        (report.merged, merged),
        (report.unchanged, unchanged),
        (report.without_abstract, "without an abstract"),
        (sum(record.is_lost for record in report.unreadable), "not readable"),
        (sum(report.others.values()), f"skipped as not papers ({', '.join(report.others)})"),
    )
    parts = [f"{report.added} {added}", *(f"{count} {label}" for count, label in counts if count)]
    return [*lines, f"{source}: {', '.join(parts)}"]


def _unreadable_line(record: UnreadableEntry, source: str) -> str:
    """Return the location of an unreadable record, and the reason."""
    place = f"{source.rstrip('/')}/{record.file}" if record.file else source
    return f"{f'{place}:{record.line}' if record.line else place}: {record.reason}"


def edit_lines(before: StoredPaper, after: StoredPaper) -> list[str]:
    """Return a line on each field that an edit changed."""
    old, new = paper_record(before), paper_record(after)
    count = len(after.paper.sentences)
    changes = [
        f"{name}: {', '.join(new[name]) if name == 'tags' else new[name] or 'none'}"
        for name in ("title", "year", "tags", "note")
        if old[name] != new[name]
    ]
    if before.paper.sentences != after.paper.sentences:
        changes.append(f"sentences of the abstract: {count}")
    return [one_line(f"{after.paper.id} {change}") for change in changes or ["is unchanged"]]


def parse_years(text: str) -> YearRange:
    """Return the inclusive range of years of a text such as 2015, 2015-, -2015 or 2010-2014."""
    parsed = re.fullmatch(r"\s*(\d{4})?\s*(-)?\s*(\d{4})?\s*", text)
    first, dash, last = parsed.groups() if parsed else (None, None, None)
    years = int(first) if first else None, int(last) if last else None
    if not _is_range(years, dash is not None):
        raise UsageError(f"{text!r} is not a range of years; write 2015, 2015-, -2015 or 2010-2014")
    if dash:
        return years
    year = years[0] if years[0] is not None else years[1]
    return year, year


def parse_sentence_numbers(text: str) -> list[int]:
    """Return the sentence numbers of a text such as 2,3 or 2-4."""
    numbers: list[int] = []
    for part in text.split(","):
        parsed = re.fullmatch(r"\s*(\d{1,4})(?:-(\d{1,4}))?\s*", part)
        if not parsed:
            raise UsageError(f"{text!r} is not a list of sentence numbers; write 2,3 or 2-4")
        first, last = parsed.groups()
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _is_range(years: YearRange, has_dash: bool) -> bool:
    """Return True for one year, or two years in order with a dash between them."""
    first, last = years
    if first is None or last is None:
        return first is not last
    return has_dash and first <= last
