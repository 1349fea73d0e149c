"""scholar collection: passages gathered for an argument, with notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.lines import open_lines, read_lines
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.guarded import MAX_BYTES
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.passages import cite_saved_quotation, saved_quotation_record
from scholar_indexes.serialize.result_formats import RECORDS, Format
from scholar_indexes.verse import passage_lines

if TYPE_CHECKING:
    from scholar_indexes.books.collections.collection_service import NewPassage
    from scholar_indexes.storage.bookmarks import SavedQuotation

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)

COLUMNS = ("locator", "quote", "citation", "note")


def complete_collections(incomplete: str) -> list[str]:
    """Return the names of collections that the shell offers."""
    try:
        names = common.open_library().collections.names()
    except Exception:  # a completion must never print a failure into the prompt
        return []
    return [name for name, _ in names if name.startswith(incomplete)]


NameArgument = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A collection.", autocompletion=complete_collections),
]


@app.callback()
def collection() -> None:
    """Gather passages for an argument, with notes; `scholar tui` shows the same collections."""


@app.command("list")
def list_collections(
    format: common.FormatOption = Format.TABLE, json: common.JsonOption = False
) -> None:
    """List the collections and the number of passages in each."""
    names = common.open_library().collections.names()
    records = [{"name": name, "passages": count} for name, count in names]
    render.print_rows(records, common.choose_format(format, json), ("name", "passages"))
    if not names:
        common.say("there are no collections; create one: scholar collection new NAME")


@app.command()
def new(name: NameArgument) -> None:
    """Create an empty collection."""
    made = common.open_library().collections.make(name)
    common.say(f"add to it: scholar collection add {made!r} LOCATOR")


@app.command()
def add(
    name: NameArgument,
    locators: Annotated[
        list[str],
        typer.Argument(
            metavar="LOCATOR...",
            help="Locators as printed by find; - for stdin: locators or JSON lines.",
        ),
    ],
    claim: Annotated[
        str, typer.Option(help="The claim that they support; replaces an old one.")
    ] = "",
    note: Annotated[str, typer.Option(help="A note on them; replaces an old one.")] = "",
) -> None:
    """Add passages to a collection, creating it if needed.

    JSON lines are the output of `find --format jsonl` or `locate --format jsonl`; the claim of a
    hit is kept with it.
    """
    from scholar_indexes.books.collections.collection_service import NewPassage

    library = common.open_library()
    wanted = _read_passages() if locators == ["-"] else map(NewPassage, locators)
    passages = [
        passage._replace(claim=claim or passage.claim, note=note or passage.note)
        for passage in wanted
    ]
    added = library.collections.add(
        name, passages, replace_notes=bool(note), replace_claims=bool(claim)
    )
    for passage in added:
        if passage.was_there and not passage.is_changed:
            common.say(f"{passage.saved.locator} is already in it")
    new_ones = sum(not passage.was_there for passage in added)
    changed = sum(passage.is_changed for passage in added)
    outcome = f"{new_ones} added to {one_line(name)!r}"
    common.say(f"{outcome}, {changed} changed" if changed else outcome)


def _read_passages() -> list[NewPassage]:
    """Return the passages on standard input: one locator per line, or records."""
    from scholar_cli.commands.passage_records import MAX_RECORD_BYTES, read_passages
    from scholar_indexes.books.collections.collection_service import NewPassage

    with open_lines("-", "passages") as file:
        lines = [line for line in read_lines(file, MAX_RECORD_BYTES) if line.strip()]
    if lines and lines[0].lstrip()[:1] in "[{":
        saved = read_passages(lines)
        return [
            NewPassage(passage.locator, passage.claim, passage.note, passage.colour)
            for passage in saved
        ]
    return [NewPassage(line.strip()) for line in lines]


@app.command("import")
def import_annotations(
    name: NameArgument,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|-",
            help="W3C annotations or Markdown from `scholar export`, JSON from Hypothes.is, or a "
            "Kindle's My Clippings.txt; - for stdin.",
        ),
    ],
) -> None:
    """Add the passages and notes of a file to a collection, creating it if needed.

    The passages are found by their words in the books of the library, which may be other editions.
    A second import adds nothing; a note that differs is added to the one in the collection.
    """
    from scholar_indexes.quotations.annotations.reading import read

    notes = read(_read_file(source), source)
    with common.progress() as progress:
        outcome = common.open_library().annotations.add(name, notes, progress)
    for note, reason in outcome.not_found:
        common.say(f"{note} is left out: {reason}")
    counts = f"{outcome.changed} changed, {outcome.unchanged} already there"
    common.say(f"{outcome.added} added to {one_line(name)!r}, {counts}")
    common.check_complete(outcome.not_searched)
    if outcome.not_found:
        raise NoMatch(
            f"{len(outcome.not_found)} of {len(notes)} have no passage in the library; "
            "add their books and import the file again"
        )


def _read_file(source: str) -> bytes:
    with open_lines(source, "annotations") as file:
        try:
            data: bytes = file.read(MAX_BYTES + 1)
        except OSError as refusal:
            raise UsageError(f"{source} cannot be read ({refusal}); name a file") from refusal
    if len(data) > MAX_BYTES:
        raise UsageError(f"{source} is larger than {MAX_BYTES >> 20} MiB; split it")
    return data


@app.command()
def show(
    name: NameArgument,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show the passages of a collection with their notes."""
    collections = common.open_library().collections
    quotations = collections.name_chapters(collections.quotations(name))
    records = [saved_quotation_record(quotation) for quotation in quotations]
    table = "\n".join(map(_card, quotations))
    output_format = common.choose_format(format, json)
    if not output_format.writes(RECORDS):
        stored = zip(records, quotations, strict=True)
        records = [{**record, "quote": quotation.quote} for record, quotation in stored]
    rows = render.with_quotations(records, ("quote",), output_format)
    render.print_rows(rows, output_format, COLUMNS, table=table)
    if not quotations:
        raise NoMatch("the collection is empty; see: scholar collection add --help")


def _card(saved: SavedQuotation) -> str:
    place = f"{one_line(saved.locator)}  {cite_saved_quotation(saved)}"
    lines = [render.wrap_quotation(passage_lines(saved.quote)), render.dim(place)]
    if saved.claim:
        lines.append(render.dim(f"for: {one_line(saved.claim)}"))
    if saved.note:
        lines.append(render.wrap(f"note: {one_line(saved.note)}", "  "))
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"


@app.command()
def remove(
    name: NameArgument,
    locators: Annotated[
        list[str] | None, typer.Argument(metavar="[LOCATOR]...", help="Passages to remove.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Remove the whole collection, with its notes.")
    ] = False,
) -> None:
    """Remove passages from a collection, or the collection itself."""
    if bool(locators) == everything:
        raise UsageError("name the passages to remove, or --all to remove the collection")
    collections = common.open_library().collections
    if locators:
        common.say(f"{collections.remove(name, locators)} removed from {one_line(name)!r}")
    else:
        count = collections.delete(name)
        common.say(f"removed {one_line(name)!r}, which had {count} passages")
