"""scholar describe: who somebody is in a book, with the passages that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes import records as records_of
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.answers import Cited, Said

app = typer.Typer(rich_markup_mode=None)

KINDS = {
    "description": "written for this book",
    "relation": "relation",
    "calling": "calling",
    "trait": "trait",
    "deed": "deed",
}
"""The kinds of what is said, as they are shown."""

SHOWN = 2
"""Passages of one description that are shown for reading; data has all of them."""


@app.command()
def describe(
    character: Annotated[str, typer.Argument(metavar="CHARACTER", help="A name in that book.")],
    book: common.BookOption = None,
    n: Annotated[int, typer.Option("-n", min=1, max=100, help="How many descriptions.")] = 12,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Tell who a character is: traits, relations and deeds, each with its passage.

    What a program read from the text by itself is marked as automatic, and may be wrong.
    """
    library = common.library()
    with common.progress() as progress:
        if not library.books():
            library.add_sample_once(progress)
        meant = book or common.only_book(library)
        found = library.describe(character, meant, n=n, progress=progress)
    if not found:
        shelved = library.book(meant)
        common.say(
            f"{shelved.book.title} says nothing of {character} that a program can read; "
            f'to look for them: scholar find "{character}" -b {shelved.book.id}'
        )
    chosen = common.chosen_format(format, json)
    records = [_record(each) for each in found]
    if chosen is Format.MD:
        render.write("\n".join(map(_markdown, records)))
        return
    machine = chosen in (Format.JSON, Format.JSONL)
    render.rows(
        records if machine else list(map(_flat, records)), chosen,
        ("kind", "automatic", "text", "quote", "locator"), table=_table(found, records),
    )  # fmt: skip
    if any(each.automatic for each in found):
        common.say("what is automatic was read from the book by a program and may be wrong")


def _record(said: Said) -> dict[str, Any]:
    """What is said of a character as data; quotes read as one line."""
    return {
        "schema_version": 1,
        "character": {
            "id": said.character.id,
            "name": said.character.name,
            "aliases": list(said.character.aliases),
            "gender": str(said.character.gender),
        },
        "kind": said.kind,
        "text": one_line(said.text),
        "automatic": said.automatic,
        "book": {"id": said.book.id, "title": said.book.title, "author": said.book.author},
        "passages": [_passage(said, each) for each in said.passages],
    }


def _passage(said: Said, cited: Cited) -> dict[str, Any]:
    return {
        "quote": one_line(cited.text),
        "locator": cited.locator,
        "chapter": {
            "number": cited.chapter.number,
            "title": cited.chapter.title,
            "part": list(cited.chapter.part),
        },
        "paragraph": cited.paragraph,
        "start": cited.span.start,
        "end": cited.span.end,
        "citation": records_of.citation(said.book, cited.chapter),
    }


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """What is said with its first passage, in one row."""
    first = next(iter(record["passages"]), {"quote": "", "locator": ""})
    return {
        **record,
        "automatic": "automatic" if record["automatic"] else "",
        "quote": first["quote"],
        "locator": first["locator"],
    }


def _table(found: list[Said], records: list[dict[str, Any]]) -> str:
    """What is said, for reading: the name, then each description with its passages."""
    if not found:
        return ""
    lines = [render.bold(one_line(found[0].character.name)), ""]
    for said, record in zip(found, records, strict=True):
        kind = KINDS[said.kind] + (", automatic" if said.automatic else "")
        lines.append(render.wrapped(f"{record['text']}  ({kind})"))
        for passage, cited in list(zip(record["passages"], said.passages, strict=True))[:SHOWN]:
            lines.append(render.wrapped(one_line(cited.text), "    "))
            place = f"{passage['citation']}  [{passage['locator']}]"
            lines.append(render.dim(render.wrapped(place, "    ")))
        lines.append("")
    return "\n".join(lines)


def _markdown(record: dict[str, Any]) -> str:
    kind = KINDS[record["kind"]] + (", automatic" if record["automatic"] else "")
    quotes = [
        records_of.as_markdown(each["quote"], each["citation"], each["locator"])
        for each in record["passages"][:SHOWN]
    ]
    text = records_of.markdown_escaped(record["text"])
    return "\n".join([f"- **{text}** ({kind})\n", *quotes])
