"""scholar export: hits and collections as files for writing programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.collection import complete_collections
from scholar_cli.commands.lines import open_lines, read_lines
from scholar_cli.commands.passage_records import MAX_RECORD_BYTES, read_passages
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.results import CitationStyle
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.exports import Export
from scholar_indexes.serialize.result_formats import PASSAGES, REFERENCES, Format, in_words

if TYPE_CHECKING:
    from scholar_indexes.books.collections.collection_service import PlacedQuotation
    from scholar_indexes.storage.bookmarks import SavedQuotation

app = typer.Typer(rich_markup_mode=None)

LONGEST_FILE_NAME = 120

_NO_FILE_NAME = re.compile(r"[\\/:*?\"<>|#^\[\]\x00-\x1f]+")


@app.command()
def export(
    source: Annotated[
        str | None,
        typer.Argument(metavar="[FILE|-]", help="Hits or passages that scholar printed as JSON."),
    ] = None,
    to: Annotated[
        Format,
        common.to_option(
            PASSAGES, REFERENCES, help=f"The output format: {in_words(PASSAGES, REFERENCES)}."
        ),
    ] = Format.MD,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            "-c",
            metavar="NAME",
            help="A collection; may be repeated.",
            autocompletion=complete_collections,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="A file; or a folder, such as a vault, for a file per collection. A path that "
            "ends in a slash is a folder, created if needed; with --to obsidian, also a path "
            "without a suffix.",
        ),
    ] = None,
    style: Annotated[CitationStyle, typer.Option(help="The citation style.")] = CitationStyle.MLA,
    context: Annotated[
        bool, typer.Option("--context", help="Include the text around each passage.")
    ] = False,
    tei_pointers: Annotated[
        bool,
        typer.Option(
            "--tei-pointers", help="In JSON: pointers into `scholar speakers -b BOOK --to tei`."
        ),
    ] = False,
    title: Annotated[str | None, typer.Option(help="The heading of the document.")] = None,
    force: common.ForceOption = False,
) -> None:
    """Export passages, with citations and notes, to Markdown, Obsidian, Word, Zotero and others.

    The input is the output of find, locate, kwic or show with --json or --format jsonl, or a
    collection (-c). BibTeX, CSL-JSON and RIS are for reference managers.
    """
    if (source is None) == (not collection):
        raise UsageError("give a file, - for standard input, or a --collection; see: --help")
    if tei_pointers and to is not Format.JSON:
        raise UsageError("--tei-pointers is for JSON; add --to json, or leave it out")
    library = common.open_library()
    groups = {name: library.collections.quotations(name) for name in collection or ()}
    if source is not None:
        groups["Passages" if source == "-" else Path(source).stem] = _read(source)
    if not any(groups.values()):
        raise NoMatch("there are no passages to export")
    path = None if out is None else Path(out)
    is_folder = out is not None and _is_folder(out, to)
    documents = _documents(groups, title, is_folder=is_folder)
    files = _targets(list(documents), to, path, is_folder=is_folder, force=force)
    for name, quotations in documents.items():
        placed = list(library.collections.place(quotations))
        _warn(placed)
        made = Export(name, placed, style, _today(), context, tei_pointers)
        _write(made, to, files[name])


def _documents(
    groups: Mapping[str, list[SavedQuotation]], title: str | None, *, is_folder: bool
) -> Mapping[str, list[SavedQuotation]]:
    """Return the passages of each document by its heading: in a folder there is one for each group
    of passages, otherwise one for all. The title is the heading of a single document."""
    if is_folder and not (title and len(groups) == 1):
        return groups
    joined = [saved for quotations in groups.values() for saved in quotations]
    return {title or ", ".join(groups): joined}


def _is_folder(out: str, to: Format) -> bool:
    """Return True for a folder, and for a path that is to become one."""
    path = Path(out)
    is_vault = to is Format.OBSIDIAN and not path.suffix and not path.is_file()
    return common.ends_as_folder(out) or path.is_dir() or is_vault


def _targets(
    names: list[str], to: Format, out: Path | None, *, is_folder: bool, force: bool
) -> dict[str, Path | None]:
    """Return the file of each export, None for standard output; creates a folder for them.

    Raises UsageError for a file that exists, unless `force` is given, for a folder that cannot be
    created, and for two names of the same file.
    """
    if out is None:
        if to.is_binary and sys.stdout.isatty():
            raise common.not_printed(to, f"passages{to.suffix}")
        return dict.fromkeys(names)
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent}; create it, or choose another --out")
    files = {name: out / _file_name(name, to) if is_folder else out for name in names}
    if len({str(file).casefold() for file in files.values()}) < len(files):
        raise UsageError("two of the collections have the same file name; export them separately")
    common.check_output_files(files.values(), force=force)
    if is_folder:
        try:
            out.mkdir(exist_ok=True)
        except OSError as failure:
            raise UsageError(
                f"the folder {out} cannot be created ({failure.strerror}); choose another --out"
            ) from failure
    return dict(files)


def _file_name(title: str, to: Format) -> str:
    name = " ".join(_NO_FILE_NAME.sub(" ", one_line(title, LONGEST_FILE_NAME)).split())
    return f"{name.strip('. ') or 'passages'}{to.suffix}"


def _read(source: str) -> list[SavedQuotation]:
    with open_lines(source, "passages") as file:
        return list(read_passages(read_lines(file, MAX_RECORD_BYTES)))


def _today() -> str:
    return datetime.now(UTC).astimezone().date().isoformat()


def _warn(placed: list[PlacedQuotation]) -> None:
    missing = {quotation.saved.book_id for quotation in placed if not quotation.is_in_library}
    for book in sorted(missing):
        common.say(f"{one_line(book)} is not in the library; it is cited as it was saved")
    for quotation in placed:
        if quotation.is_changed:
            common.say(
                f"{quotation.saved.locator} has different text now; the saved text is exported: "
                f"scholar show {quotation.saved.locator}"
            )


def _write(export: Export, format: Format, out: Path | None) -> None:
    from scholar_indexes.serialize import export_files
    from scholar_indexes.storage import atomic

    data = export_files.write(export, format)
    if out is not None:
        atomic.write_bytes(out, data)
        common.say(f"{len(export.quotations)} passages in {out.resolve()}")
    elif format.is_binary:
        sys.stdout.buffer.write(data)
    else:
        render.write(data.decode("utf-8"))
