"""scholar show: a passage in its context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.books.citation.chapter_names import chapter_title
from scholar_indexes.serialize.passages import extract_record, paragraph_records
from scholar_indexes.serialize.result_formats import RECORDS, Format

if TYPE_CHECKING:
    from scholar_indexes.results import Extract
    from scholar_indexes.types import Span

app = typer.Typer(rich_markup_mode=None)


@app.command()
def show(
    locator: Annotated[
        str, typer.Argument(metavar="LOCATOR", help="A locator, as printed by find.")
    ],
    context: Annotated[int, typer.Option(min=0, max=1000, help="Paragraphs on each side.")] = 1,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show the passage at a locator in its context."""
    extract = common.open_library().show(locator, context)
    output_format = common.choose_format(format, json)
    if output_format.writes(RECORDS):
        render.print_record(extract_record(extract), output_format)
        return
    if output_format is not Format.TABLE:
        paragraphs = [*_rows(extract)]
        rows = render.with_quotations(paragraphs, ("text",), output_format)
        render.print_rows(rows, output_format, ("locator", "text"))
        return
    heading = (
        extract.book.author,
        extract.book.title,
        *extract.chapter.part,
        chapter_title(extract.chapter),
    )
    render.write(render.wrap(", ".join(filter(None, heading))) + "\n\n")
    for number, span in extract.paragraphs:
        if number > extract.paragraphs[0][0] and (ornament := extract.break_before(span)):
            render.write(render.wrap(ornament, "    ") + "\n\n")
        text = render.wrap_quotation(_mark_passage(extract, span), "    ")
        render.write(f"{number:>3} {text[4:]}\n\n")


def _rows(extract: Extract) -> Iterator[dict[str, Any]]:
    """Yield the paragraphs of an extract as records, and between them the ornaments of scene
    breaks, which have no locator."""
    for at, record in enumerate(paragraph_records(extract)):
        if at and record["break_before"]:
            yield {"locator": "", "text": record["break_before"]}
        yield record


def _mark_passage(extract: Extract, paragraph: Span) -> str:
    """Return a paragraph with its marked part between » and «, unless all paragraphs are marked."""
    all_marked = all(
        extract.marked.start <= span.start and span.end <= extract.marked.end
        for _, span in extract.paragraphs
    )
    start = max(paragraph.start, extract.marked.start)
    end = min(paragraph.end, extract.marked.end)
    text = extract.text
    if all_marked or start >= end:
        return text[paragraph.start : paragraph.end]
    opening = "»" if start == extract.marked.start else ""
    closing = "«" if end == extract.marked.end else ""
    return (
        text[paragraph.start : start]
        + opening
        + text[start:end]
        + closing
        + text[end : paragraph.end]
    )
