"""Papers and what is like them as data and as text, the same for every front end.

Text stands here as it is stored: whoever prints it makes it safe. Bibliographies are files of
their own, and are safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import UsageError
from scholar_indexes.records import markdown_escaped
from scholar_indexes.untrusted import one_line, safe

if TYPE_CHECKING:
    from scholar_indexes.papers.library import Alike, Asked, Matched, Report, Years
    from scholar_indexes.papers.shelf import Kept
    from scholar_indexes.types import Hit, Paper

MOST_COMPLAINTS = 10
"""Records that could not be read of which each has a line."""

LEAST_SHARE, MOST_PAIRS = 0.05, 20
"""Pairs of sentences that weigh less than this share of the weightiest are not worth a line,
nor are more pairs than this."""


# -- as data -----------------------------------------------------------------------------------


def paper(kept: Kept) -> dict[str, Any]:
    """A paper as data, without its abstract."""
    said = kept.paper
    return {
        "id": said.id, "title": said.title, "authors": list(said.authors), "year": said.year,
        "venue": said.venue, "ids": list(said.ids), "number": kept.number,
        "collections": list(kept.collections),
    }  # fmt: skip


def alike(rank: int, hit: Hit[Alike], asked: Asked | None) -> dict[str, Any]:
    """A hit as data, with the sentences that say why; asked is None for a free question."""
    found = hit.item
    return {
        "schema_version": 1,
        "rank": rank,
        "score": round(hit.score, 4),
        "facet": str(asked.facet) if asked and asked.facet else None,
        "paper": paper(found.kept),
        "matched": [_pair(each, found.kept.paper, asked) for each in telling(found.matched)],
        "explain": {name: round(value, 4) for name, value in found.parts.items()},
    }


def telling(matched: Sequence[Matched]) -> list[Matched]:
    """The pairs of sentences that are worth being shown."""
    least = LEAST_SHARE * max((each.weight for each in matched), default=0)
    return [each for each in matched if each.weight >= least][:MOST_PAIRS]


def _pair(pair: Matched, found: Paper, asked: Asked | None) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if asked is not None and pair.asked is not None:
        record["asked"] = _sentence(asked.paper, pair.asked)
    record["found"] = (
        {"sentence": 0, "facet": "title", "text": found.title}
        if pair.found is None
        else _sentence(found, pair.found)
    )
    return {**record, "weight": round(pair.weight, 4), "cosine": round(pair.cosine, 4)}


def _sentence(of: Paper, at: int) -> dict[str, Any]:
    return {"sentence": at + 1, "facet": str(of.facets[at]), "text": of.sentences[at]}


# -- as text -----------------------------------------------------------------------------------


def people(authors: Sequence[str], most: int = 3) -> str:
    """The first authors by name."""
    return ", ".join(authors[:most]) + (" and others" if len(authors) > most else "")


def citation(said: Paper) -> str:
    """Who, when, what and where, as a list of references would say it."""
    title = one_line(said.title)
    parts = [
        f"{one_line(people(said.authors))} ({said.year or 'no year'})." if said.authors
        else f"({said.year or 'no year'}).",
        title if title.endswith(("?", "!", ".")) else f"{title}.",
        f"{one_line(said.venue)}." if said.venue else "",
        one_line(said.id),
    ]  # fmt: skip
    return " ".join(each for each in parts if each)


def bibtex(listed: Iterable[Kept]) -> str:
    """A .bib file with an entry for each paper."""
    from scholar_indexes.papers import export
    from scholar_indexes.papers.shelf import exported

    return safe(export.bibtex([exported(each) for each in listed]))


def papers_markdown(heading: str, listed: Iterable[Kept]) -> str:
    """A list of papers as Markdown."""
    lines = [f"- {markdown_escaped(citation(each.paper))}" for each in listed]
    return f"# {_plain(heading)}\n\n" + "\n".join(lines) + "\n"


def alike_markdown(heading: str, hits: Iterable[Hit[Alike]], asked: Asked | None) -> str:
    """Ranked papers as Markdown, each with the sentences that say why it is here."""
    lines = [f"# {_plain(heading)}", ""]
    for rank, hit in enumerate(hits, 1):
        record = alike(rank, hit, asked)
        cited = markdown_escaped(citation(hit.item.kept.paper))
        lines += [f"{rank}. {cited} (score {record['score']:.3f})", ""]
        for pair in record["matched"]:
            if "asked" in pair:
                lines.append(f"   - {_told(pair['asked'])}")
            lines.append(f"   > {_told(pair['found'])} — cosine {pair['cosine']:.2f}")
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _told(sentence: dict[str, Any]) -> str:
    place = f"{sentence['sentence']}, {sentence['facet']}" if sentence["sentence"] else "title"
    return f"({place}) {_plain(sentence['text'])}"


def _plain(text: str) -> str:
    return markdown_escaped(one_line(text))


def told(report: Report, source: str) -> list[str]:
    """What became of a source: a line for each record that could not be read, then the sum."""
    lines = [
        f"{f'{source}:{each.line}' if each.line else source}: {each.reason}"
        for each in report.broken[:MOST_COMPLAINTS]
    ]
    if len(report.broken) > MOST_COMPLAINTS:
        lines.append(f"{source}: {len(report.broken) - MOST_COMPLAINTS} more could not be read")
    parts = [f"{report.added} added"]
    parts += [f"{count} {what}" for count, what in (
        (report.merged, "merged"), (report.unchanged, "already there"),
        (report.without_abstract, "without an abstract"), (len(report.broken), "not readable"),
    ) if count]  # fmt: skip
    return [*lines, f"{source}: {', '.join(parts)}"]


def years(said: str) -> Years:
    """2015, 2015-, -2015 or 2010-2014 as an inclusive range."""
    found = re.fullmatch(r"\s*(\d{4})?\s*(-)?\s*(\d{4})?\s*", said)
    first, dash, last = found.groups() if found else (None, None, None)
    if (not first and not last) or (first and last and (not dash or int(first) > int(last))):
        raise UsageError(f"{said!r} is no range of years; write 2015, 2015-, -2015 or 2010-2014")
    if not dash:
        return int(first or last or 0), int(first or last or 0)
    return int(first) if first else None, int(last) if last else None
