"""scholar describe: descriptions of a character, each with its passages."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.book_command import BookCommand
from scholar_indexes.sanitize import one_line, visible_line
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import quotation_to_markdown
from scholar_indexes.serialize.people import description_record
from scholar_indexes.serialize.result_formats import RECORDS, Format

if TYPE_CHECKING:
    from scholar_indexes.results import DescriptionResult

app = typer.Typer(rich_markup_mode=None)

KIND_LABELS = {
    "description": "written for this book",
    "relation": "relation",
    "calling": "calling",
    "motif": "motif",
    "trait": "trait",
    "deed": "deed",
}
"""The labels of the kinds of descriptions."""

MAX_SHOWN_PASSAGES = 2
"""Passages shown with one description; JSON has all of them."""


@app.command(cls=BookCommand)
def describe(
    character: Annotated[str, typer.Argument(metavar="CHARACTER", help="A name in the book.")],
    book: common.OptionalBookArgument = None,
    n: Annotated[
        int, typer.Option("-n", min=1, max=100, help="Maximum number of descriptions.")
    ] = 12,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Describe a character of a book: traits, relations and deeds, with the supporting passages.

    Descriptions that a program extracted from the text are marked automatic, and may be wrong.
    """
    library = common.open_library()
    with common.progress() as progress:
        if not library.books.all():
            library.books.add_sample_once(progress)
        book_id = book or common.only_book(library)
        descriptions = library.characters.describe(character, book_id, n=n, progress=progress)
    if not descriptions:
        stored = library.books.get(book_id)
        common.say(
            f"{stored.book.title} has no descriptions of {character} that can be extracted; "
            f'to search for passages: scholar find "{character}" -b {stored.book.id}'
        )
    output_format = common.choose_format(format, json)
    records = list(map(description_record, descriptions))
    if output_format is Format.MD:
        render.write("\n".join(map(_markdown, records)))
        return
    machine = output_format.writes(RECORDS)
    render.print_rows(
        records if machine else list(map(_flat, records)),
        output_format,
        ("kind", "automatic", "text", "quote", "locator"),
        table=_table(descriptions, records),
    )
    if any(description.automatic for description in descriptions):
        common.say("automatic descriptions were extracted by a program and may be wrong")


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return a description with its first passage, as one row."""
    first = next(iter(record["passages"]), {"quote": "", "locator": ""})
    return {
        **record,
        "automatic": "automatic" if record["automatic"] else "",
        "quote": first["quote"],
        "locator": first["locator"],
    }


def _table(descriptions: list[DescriptionResult], records: list[dict[str, Any]]) -> str:
    """Return the name of a character, then each description with its first passages."""
    if not descriptions:
        return ""
    lines = [render.bold(one_line(descriptions[0].character.name)), ""]
    for description, record in zip(descriptions, records, strict=True):
        kind = KIND_LABELS[description.kind] + (", automatic" if description.automatic else "")
        lines.append(render.wrap(f"{record['text']}  ({kind})"))
        for passage, cited in islice(
            zip(record["passages"], description.passages, strict=True), MAX_SHOWN_PASSAGES
        ):
            lines.append(render.wrap_quotation(visible_line(cited.text), "    "))
            place = f"{passage['citation']}  [{passage['locator']}]"
            lines.append(render.dim(render.wrap(place, "    ")))
        lines.append("")
    return "\n".join(lines)


def _markdown(record: dict[str, Any]) -> str:
    kind = KIND_LABELS[record["kind"]] + (", automatic" if record["automatic"] else "")
    quotes = [
        quotation_to_markdown(passage["quote"], passage["citation"], passage["locator"])
        for passage in record["passages"][:MAX_SHOWN_PASSAGES]
    ]
    text = escape_markdown(record["text"])
    return "\n".join([f"- **{text}** ({kind})\n", *quotes])
