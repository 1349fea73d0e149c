"""scholar speakers: who says each quotation of a book."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes import records as records_of

if TYPE_CHECKING:
    pass

app = typer.Typer(rich_markup_mode=None)


class Method(StrEnum):
    TRAINED = "trained"
    LLM = "llm"
    SIEVE = "sieve"
    NEAREST = "nearest"


class Target(StrEnum):
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
        Method | None, typer.Option(help="How speakers are found.", show_default=False)
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
    to: Annotated[Target | None, typer.Option(help="Write the book as TEI instead.")] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Say who speaks each quotation of a book, and how sure that is."""
    library = common.library(device=device)
    backend = None
    if method is Method.LLM:
        from scholar_indexes.speakers import llm_backends

        backend = llm_backends.chosen(
            llm, server, api_key=api_key, device=library.settings.device, eight_bit=eight_bit
        )
    with common.progress() as progress:
        quotes = library.speakers(
            book, method=method and method.value, model=model, chapters=chapter,
            speaker=speaker, min_confidence=min_confidence, backend=backend, progress=progress,
        )  # fmt: skip
    if not quotes:
        common.say("no quotation passes; try fewer filters")
    if to is Target.TEI:
        from scholar_indexes.speakers import tei

        shelved = library.book(book)
        document = tei.document(
            shelved.book, library.text(shelved), library.chapters(shelved), quotes
        )
        render.write(document.decode("utf-8") + "\n")
        return
    chosen = common.chosen_format(format, json)
    records = [records_of.quotation(each) for each in quotes]
    if chosen not in (Format.JSON, Format.JSONL):
        records = [_flat(each) for each in records]
    render.rows(records, chosen, ("speaker", "confidence", "kind", "quote", "locator"))


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    speaker = record["speaker"]
    return {
        **record,
        "speaker": speaker["name"] if speaker else "?",
        "confidence": f"{record['confidence']:.2f}",
    }
