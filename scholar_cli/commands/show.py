"""scholar show: a passage where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format

if TYPE_CHECKING:
    from scholar_indexes.answers import Extract
    from scholar_indexes.types import Span

app = typer.Typer(rich_markup_mode=None)


@app.command()
def show(
    locator: Annotated[str, typer.Argument(metavar="LOCATOR", help="As find prints it.")],
    context: Annotated[int, typer.Option(min=0, max=1000, help="Paragraphs either side.")] = 1,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show the passage at a locator where it stands."""
    found = common.library().show(locator, context)
    chosen = common.chosen_format(format, json)
    paragraphs = [
        {
            "locator": f"{found.book.id}:{found.chapter.number}.{number}",
            "start": span.start,
            "end": span.end,
            "text": span.of(found.text),
        }
        for number, span in found.paragraphs
    ]
    if chosen in (Format.JSON, Format.JSONL):
        book, chapter = found.book, found.chapter
        fields = {
            "schema_version": 1, "locator": found.locator,
            "book": {"id": book.id, "title": book.title, "author": book.author},
            "chapter": {
                "number": chapter.number, "title": chapter.title, "part": list(chapter.part),
            },
            "start": found.marked.start, "end": found.marked.end,
            "exact": found.marked.of(found.text).strip(), "paragraphs": paragraphs,
        }  # fmt: skip
        render.record(fields, chosen)
        return
    if chosen is not Format.TABLE:
        render.rows(paragraphs, chosen, ("locator", "text"))
        return
    heading = (found.book.author, found.book.title, *found.chapter.part, found.chapter.title)
    render.write(render.wrapped(", ".join(filter(None, heading))) + "\n\n")
    for number, span in found.paragraphs:
        text = render.wrapped(_with_mark(found, span), "    ")
        render.write(f"{number:>3} {text[4:]}\n\n")


def _with_mark(found: Extract, paragraph: Span) -> str:
    """A paragraph with its marked part between » and «, unless all that is shown is marked."""
    whole = all(
        found.marked.start <= span.start and span.end <= found.marked.end
        for _, span in found.paragraphs
    )
    start = max(paragraph.start, found.marked.start)
    end = min(paragraph.end, found.marked.end)
    text = found.text
    if whole or start >= end:
        return text[paragraph.start : paragraph.end]
    opening = "»" if start == found.marked.start else ""
    closing = "«" if end == found.marked.end else ""
    return (
        text[paragraph.start : start]
        + opening
        + text[start:end]
        + closing
        + text[end : paragraph.end]
    )
