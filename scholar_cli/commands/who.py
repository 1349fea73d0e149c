"""scholar who: the characters of a book that a description may refer to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.book_command import BookCommand
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import quotation_to_markdown
from scholar_indexes.serialize.people import likely_character_record
from scholar_indexes.serialize.result_formats import RECORDS, Format

if TYPE_CHECKING:
    from scholar_indexes.results import LikelyCharacter

app = typer.Typer(rich_markup_mode=None)

MAX_SHOWN_REASONS = 5
"""Reasons shown for a character; JSON has all of them."""


@app.command(cls=BookCommand)
def who(
    description: Annotated[
        str,
        typer.Argument(
            metavar="DESCRIPTION", help="What the character is or does, or - for stdin."
        ),
    ],
    book: common.OptionalBookArgument = None,
    n: Annotated[int, typer.Option("-n", min=1, max=100, help="Maximum number of characters.")] = 5,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the reasons for and against each.")
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find the character of a book that a description refers to, with supporting passages.

    The first query for a book reads it, which takes a while; later ones are fast.
    """
    from scholar_indexes.characters.solver.parsing import normalize_description

    if description == "-":
        description = sys.stdin.buffer.read(1_000_000).decode("utf-8", "replace")
    library = common.open_library()
    normalize_description(description)  # raise UsageError before the book is read
    with common.progress() as progress:
        if not library.books.all():
            library.books.add_sample_once(progress)
        book_id = book or common.only_book(library)
        hits = library.who(description, book_id, n=n, explain=explain, progress=progress)
    output_format = common.choose_format(format, json)
    records = [
        likely_character_record(rank, hit, explain=explain) for rank, hit in enumerate(hits, 1)
    ]
    if output_format is Format.MD:
        render.write("\n".join(map(_markdown, records)))
        return
    table = "\n".join(_card(record, hit.item) for record, hit in zip(records, hits, strict=True))
    machine = output_format.writes(RECORDS)
    columns = ("rank", "probability", "name", "quote", "locator")
    render.print_rows(
        records if machine else [_flat(record) for record in records],
        output_format,
        columns[2:] if output_format is Format.PLAIN else columns,
        table=table,
    )


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return a character with the best passage, as one row."""
    best = next(iter(record["passages"]), {"quote": "", "locator": ""})
    return {**record, "quote": best["quote"], "locator": best["locator"]}


def _card(record: dict[str, Any], likely: LikelyCharacter) -> str:
    """Return a character as text: name, probability, reasons and passages."""
    name = render.bold(one_line(record["name"]))
    lines = [f"{record['rank']:>2}  {name}  {_percent(record['probability'])}"]
    for reason in sorted(record.get("explain", ()), key=_descending_weight)[:MAX_SHOWN_REASONS]:
        lines.append(f"    {reason['weight']:>+6.2f}  {reason['why']}")
    for passage, cited in zip(record["passages"], likely.passages, strict=True):
        lines += ["", render.wrap_quotation(cited.text, "    ")]
        place = f"{passage['citation']}  [{passage['locator']}]"
        lines.append(render.dim(render.wrap(place, "    ")))
    return "\n".join(lines) + "\n"


def _descending_weight(reason: dict[str, Any]) -> float:
    return -abs(float(reason["weight"]))


def _percent(probability: float) -> str:
    return "<1 %" if probability < 0.01 else f"{probability:.0%}".replace("%", " %")


def _markdown(record: dict[str, Any]) -> str:
    name = escape_markdown(one_line(record["name"]))
    quotes = [
        quotation_to_markdown(passage["quote"], passage["citation"], passage["locator"])
        for passage in record["passages"]
    ]
    return "\n".join(
        [f"{record['rank']}. **{name}**, {_percent(record['probability'])}\n", *quotes]
    )
