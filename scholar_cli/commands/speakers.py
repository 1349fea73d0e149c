"""scholar speakers: the quotations of a book with their speakers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.serialize import results as records_of

app = typer.Typer(rich_markup_mode=None)


class AttributionMethod(StrEnum):
    TRAINED = "trained"
    LLM = "llm"
    SIEVE = "sieve"
    NEAREST = "nearest"


class SpeakersExportFormat(StrEnum):
    TEI = "tei"


@app.command()
def speakers(
    book: common.BookArgument,
    chapter: Annotated[str | None, typer.Option(help="Only these chapters: 3 or 3-9.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Only what this character says.")] = None,
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="Only speakers at least this sure.")
    ] = 0.0,
    method: Annotated[
        AttributionMethod | None, typer.Option(help="How speakers are found.", show_default=False)
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The speaker model of trained: a name or a folder.")
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The language model of llm: a folder, or a server's name.")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server, such as http://localhost:8080.")
    ] = None,
    api_key: Annotated[
        str | None, typer.Option(envvar="SCHOLAR_API_KEY", help="The key of that server.")
    ] = None,
    eight_bit: Annotated[
        bool, typer.Option("--8bit", help="Load a language model in 8 bits.")
    ] = False,
    device: common.DeviceOption = None,
    to: Annotated[
        SpeakersExportFormat | None, typer.Option(help="Write the book as TEI instead.")
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Say who speaks each quotation of a book, and how sure that is."""
    library = common.open_library(device=device)
    backend = None
    if method is AttributionMethod.LLM:
        from scholar_indexes.attribution.llm import backends

        backend = backends.choose_backend(
            llm, server, api_key=api_key, device=library.settings.device, eight_bit=eight_bit
        )
    with common.progress() as progress:
        quotes = library.speakers(
            book,
            method=method and method.value,
            model=model,
            chapters=chapter,
            speaker=speaker,
            min_confidence=min_confidence,
            backend=backend,
            progress=progress,
        )
    if not quotes:
        common.say("no quotation passes; try fewer filters")
    if to is SpeakersExportFormat.TEI:
        from scholar_indexes.serialize import tei

        stored = library.book(book)
        document = tei.to_tei(stored.book, library.text(stored), library.chapters(stored), quotes)
        render.write(document.decode("utf-8") + "\n")
        return
    output_format = common.choose_format(format, json)
    records = [records_of.quotation_record(quote) for quote in quotes]
    if output_format not in (Format.JSON, Format.JSONL):
        records = [_flat(record) for record in records]
    render.print_rows(records, output_format, ("speaker", "confidence", "kind", "quote", "locator"))


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    speaker = record["speaker"]
    return {
        **record,
        "speaker": speaker["name"] if speaker else "?",
        "confidence": f"{record['confidence']:.2f}",
    }
