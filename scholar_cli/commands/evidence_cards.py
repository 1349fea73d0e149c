"""Hits for reading: the quotation with what carries the claim in bold, its place, what counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scholar_cli import render
from scholar_indexes.sanitize import visible_line
from scholar_indexes.serialize import results as records_of

if TYPE_CHECKING:
    from scholar_indexes.results import Evidence

NOT_RANKED = "not among its places"
"""Shown for a retriever that did not rank a passage."""

INDENT = "    "


def card(record: dict[str, Any], evidence: Evidence, *, context: bool) -> str:
    """Return a hit for reading; its ranks and who is in it are there if the record has them."""
    quote = render.wrap_with_bold(evidence.passage.text, INDENT, *_focus_in_passage(evidence))
    if context:
        before, after = visible_line(evidence.before), visible_line(evidence.after)
        quote = "\n".join(
            part
            for part in (
                before and render.dim(render.wrap(f"… {before}", INDENT)),
                quote,
                after and render.dim(render.wrap(f"{after} …", INDENT)),
            )
            if part
        )
    lines = [f"{record['rank']:>2}  {quote.replace(INDENT, '', 1)}"]
    source = (f"{record['citation']}  [{record['locator']}]", *records_of.remarks(evidence))
    lines.append(render.dim(render.wrap("  ".join(source), INDENT)))
    if "explain" in record and record["characters"]:
        names = ", ".join(character["name"] for character in record["characters"])
        lines.append(render.wrap(f"who is in it: {names}", INDENT))
    if "explain" in record:
        lines += _explanation(record["explain"])
    return "\n".join(lines) + "\n"


def _focus_in_passage(evidence: Evidence) -> tuple[int, int]:
    """Return the start and the end of the focus in the text of the passage."""
    start = evidence.passage.span.start
    return max(evidence.focus.start - start, 0), evidence.focus.end - start


def _explanation(explain: dict[str, Any]) -> list[str]:
    """Return what counted for a hit, and its rank by each retriever, as lines."""
    lines = []
    if explain["parts"]:
        counted = records_of.describe_parts(explain["parts"])
        lines.append(render.wrap(f"what counted: {counted}", INDENT))
    for name in ("dense", "lexical"):
        ranked = explain[name]
        explanation = f"rank {ranked['rank']}, score {ranked['score']}" if ranked else NOT_RANKED
        lines.append(f"{INDENT}{name:<8} {explanation}")
    return lines
