"""scholar who: which character of a book a description means."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes import records as records_of
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.answers import Cited, Likely
    from scholar_indexes.types import Hit

app = typer.Typer(rich_markup_mode=None)

REASONS = 5
"""How many reasons are shown for reading; data has all of them."""


@app.command()
def who(
    description: Annotated[
        str, typer.Argument(metavar="DESCRIPTION", help="What they are or do, or - for stdin.")
    ],
    book: common.BookOption = None,
    n: Annotated[int, typer.Option("-n", min=1, max=100, help="How many characters.")] = 5,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what speaks for each, and against.")
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Say which character of a book a description means, with the passages that say so.

    The first question about a book reads it, which takes a while; later ones do not wait.
    """
    if description == "-":
        description = sys.stdin.buffer.read(1_000_000).decode("utf-8", "replace")
    library = common.library()
    library.check_description(description)
    with common.progress() as progress:
        if not library.books():
            library.add_sample_once(progress)
        meant = book or common.only_book(library)
        hits = library.who(description, meant, n=n, explain=explain, progress=progress)
    chosen = common.chosen_format(format, json)
    records = [_record(rank, hit, explain) for rank, hit in enumerate(hits, 1)]
    if chosen is Format.MD:
        render.write("\n".join(map(_markdown, records)))
        return
    table = "\n".join(_card(each, hit.item) for each, hit in zip(records, hits, strict=True))
    machine = chosen in (Format.JSON, Format.JSONL)
    columns = ("rank", "probability", "name", "quote", "locator")
    render.rows(
        records if machine else [_flat(each) for each in records], chosen,
        columns[2:] if chosen is Format.PLAIN else columns, table=table,
    )  # fmt: skip


def _record(rank: int, hit: Hit[Likely], explain: bool) -> dict[str, Any]:
    """A character as data; texts are as stored, quotes read as one line."""
    found = hit.item
    record: dict[str, Any] = {
        "schema_version": 1,
        "rank": rank,
        "probability": round(hit.score, 4),
        "id": found.character.id,
        "name": found.character.name,
        "aliases": list(found.character.aliases),
        "gender": str(found.character.gender),
        "book": {"id": found.book.id, "title": found.book.title, "author": found.book.author},
        "passages": [_passage(found, each) for each in found.passages],
    }
    if explain:
        record["explain"] = [
            {"why": each.why, "weight": round(each.weight, 3)} for each in found.reasons
        ]
    return record


def _passage(found: Likely, cited: Cited) -> dict[str, Any]:
    return {
        "quote": one_line(cited.text),
        "chapter": {
            "number": cited.chapter.number,
            "title": cited.chapter.title,
            "part": list(cited.chapter.part),
        },
        "paragraph": cited.paragraph,
        "start": cited.span.start,
        "end": cited.span.end,
        "locator": cited.locator,
        "citation": records_of.citation(found.book, cited.chapter),
    }


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A character with the best passage, in one row."""
    best = next(iter(record["passages"]), {"quote": "", "locator": ""})
    return {**record, "quote": best["quote"], "locator": best["locator"]}


def _card(record: dict[str, Any], found: Likely) -> str:
    """A character for reading: who, how likely, and the passages."""
    name = render.bold(one_line(record["name"]))
    lines = [f"{record['rank']:>2}  {name}  {_percent(record['probability'])}"]
    for each in sorted(record.get("explain", ()), key=_weightiest)[:REASONS]:
        lines.append(f"    {each['weight']:>+6.2f}  {each['why']}")
    for passage, cited in zip(record["passages"], found.passages, strict=True):
        lines += ["", render.wrapped(cited.text, "    ")]
        place = f"{passage['citation']}  [{passage['locator']}]"
        lines.append(render.dim(render.wrapped(place, "    ")))
    return "\n".join(lines) + "\n"


def _weightiest(reason: dict[str, Any]) -> float:
    return -abs(float(reason["weight"]))


def _percent(probability: float) -> str:
    return "<1 %" if probability < 0.01 else f"{probability:.0%}".replace("%", " %")


def _markdown(record: dict[str, Any]) -> str:
    name = records_of.markdown_escaped(one_line(record["name"]))
    quotes = [
        records_of.as_markdown(each["quote"], each["citation"], each["locator"])
        for each in record["passages"]
    ]
    return "\n".join(
        [f"{record['rank']}. **{name}**, {_percent(record['probability'])}\n", *quotes]
    )
