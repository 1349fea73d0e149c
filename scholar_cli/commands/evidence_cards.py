"""Hits as text: the quotation with its focus in bold, its source, and its score parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scholar_cli import render
from scholar_indexes.sanitize import visible
from scholar_indexes.serialize.evidence import NOTATION, describe_parts, focus_in_passage, remarks
from scholar_indexes.verse import blank_numbers, passage_lines

if TYPE_CHECKING:
    from scholar_indexes.results import Evidence

NOT_RANKED = "not ranked"
"""Shown for a retriever that did not rank a passage."""

INDENT = "    "


def card(record: dict[str, Any], evidence: Evidence, *, context: bool) -> str:
    """Return a hit as text, with its ranks and characters if the record has them."""
    before, after = evidence.before, evidence.after
    passage = blank_numbers(evidence.passage.text, before, after)
    quote = render.wrap_quotation(
        passage, INDENT, before=before, after=after, strong=focus_in_passage(evidence)
    )
    if context:
        parts = (
            before.strip()
            and _context(
                f"… {passage_lines(visible(before), after=passage)}", after=passage + after
            ),
            quote,
            after.strip()
            and _context(f"{passage_lines(visible(after), passage)} …", before=before + passage),
        )
        quote = "\n".join(filter(None, parts))
    lines = [f"{record['rank']:>2}  {quote.replace(INDENT, '', 1)}"]
    source = (f"{record['citation']}  [{record['locator']}]", *remarks(evidence))
    lines.append(render.dim(render.wrap("  ".join(source), INDENT)))
    if "explain" in record and record["characters"]:
        names = ", ".join(character["name"] for character in record["characters"])
        lines.append(render.wrap(f"characters: {names}", INDENT))
    if "explain" in record:
        lines += _explanation(record["explain"])
    return "\n".join(lines) + "\n"


def _context(text: str, *, before: str = "", after: str = "") -> str:
    """Return the text on one side of a passage; `before` and `after` are the text around it."""
    return render.wrap_quotation(
        text, INDENT, before=f"{before} ", after=f" {after}", is_faint=True
    )


def legend() -> str:
    """Return the line that explains the figures of explanations."""
    return render.dim(render.wrap(NOTATION, INDENT)) + "\n"


def _explanation(explain: dict[str, Any]) -> list[str]:
    """Return the score parts of a hit, and its rank by each retriever, as lines."""
    lines = []
    if explain["parts"]:
        counted = describe_parts(explain["parts"])
        lines.append(render.wrap(f"score parts: {counted}", INDENT))
    for name, label in (("dense", "by meaning"), ("lexical", "by words")):
        ranked = explain[name]
        explanation = f"rank {ranked['rank']}, score {ranked['score']}" if ranked else NOT_RANKED
        lines.append(f"{INDENT}{label:<10}  {explanation}")
    return lines
