"""scholar cite: the citation of a passage, in three styles or for a reference manager."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.errors import UsageError
from scholar_indexes.results import CitationStyle, PrintedEdition
from scholar_indexes.serialize.result_formats import REFERENCES, Format, in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholar_indexes.results import CitedPlace

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("locator", "in_text", "entry")

_EDITION = re.compile(r"(?:(?P<city>[^:]+):\s*)?(?P<publisher>.+?),?\s+(?P<year>\d{4})")


@app.command()
def cite(
    locators: Annotated[
        list[str],
        typer.Argument(metavar="LOCATOR...", help="Locators as printed by find, or book ids."),
    ],
    style: Annotated[CitationStyle, typer.Option(help="The citation style.")] = CitationStyle.MLA,
    edition: Annotated[
        str | None,
        typer.Option(
            metavar="EDITION",
            help='A print edition to cite instead: "Scribner, 2004", "London: Penguin, 2003".',
        ),
    ] = None,
    page: Annotated[str | None, typer.Option(help="Its page or pages: 180, 12-15.")] = None,
    to: Annotated[
        Format | None,
        common.to_option(
            REFERENCES, help=f"Print entries for a reference manager: {in_words(REFERENCES)}."
        ),
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Cite passages: the in-text citation or note, and the bibliography entry."""
    from scholar_indexes.serialize import citations

    printed = _parse_edition(edition)
    places = common.open_library().cite(locators, page=page or "", edition=printed)
    if to is not None:
        render.write(to.writer(REFERENCES)(citations.csl_items(places)))
    else:
        _print(places, style, common.choose_format(format, json))


def _print(places: Sequence[CitedPlace], style: CitationStyle, format: Format) -> None:
    from scholar_indexes.serialize import citations

    italics = "*" if format is Format.MD else ""
    records = [citations.cited_record(place, style, italics=italics) for place in places]
    if format is Format.MD:
        cards = (f"{record['in_text']}\n\n{record['entry']}\n" for record in records)
        render.write("\n".join(cards))
        return
    cards = (
        f"{render.wrap(record['in_text'])}\n{render.wrap(record['entry'])}\n" for record in records
    )
    render.print_rows(records, format, COLUMNS, table="\n".join(cards))


def _parse_edition(written: str | None) -> PrintedEdition | None:
    """Return the print edition given by an option; raises UsageError for one without a year."""
    if written is None:
        return None
    match = _EDITION.fullmatch(written.strip())
    if match is None:
        raise UsageError(
            f'--edition {written!r} has no publisher and year; write "Scribner, 2004" or '
            '"London: Penguin, 2003"'
        )
    return PrintedEdition((match["city"] or "").strip(), match["publisher"], int(match["year"]))
