"""scholar-lab bench: measure waiting times."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.result_formats import RECORDS, Format

app = typer.Typer(rich_markup_mode=None)

SIZES = "30,100,300,1000"
"""Numbers of books in the libraries that `scale` measures."""

COLUMNS = ("what", "measured", "unit", "wanted", "kept")


@app.command()
def speed(
    books: Annotated[int, typer.Option(min=3, max=1000, help="Number of books to add.")] = 20,
    runs: Annotated[int, typer.Option(min=1, max=50, help="Runs of each short command.")] = 5,
    texts: Annotated[Path | None, typer.Option(help="A folder of *.txt to add as books.")] = None,
    papers: Annotated[
        int, typer.Option(min=8, max=10_000_000, help="Number of made-up papers to search.")
    ] = 4_205,
    only_papers: Annotated[bool, typer.Option("--only-papers", help="Skip the books.")] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Time start-up, the screen, cold queries and adding, as ratios within one run."""
    from itertools import chain

    from scholar_cli.laboratory.speed import command_speed, paper_speed
    from scholar_cli.laboratory.speed import screen as screen_speed

    measures = [paper_speed.run(papers, runs=runs)]
    if not only_papers:
        measures = [command_speed.run(books, runs, texts), screen_speed.run(runs), *measures]
    figures = []
    for figure in chain.from_iterable(measures):
        common.say(f"{figure.what}: {figure.measured:.2f} {figure.unit}")
        figures.append(figure.row())
    render.print_rows(figures, common.choose_format(format, json), COLUMNS)


@app.command()
def scale(
    sizes: Annotated[
        str, typer.Option("--books", help="Sizes of the libraries to measure in books, ascending.")
    ] = SIZES,
    folder: Annotated[
        Path | None, typer.Option(help="A folder to keep the libraries; default: a temporary one.")
    ] = None,
    kinds: Annotated[
        bool, typer.Option("--kinds", help="Compare kinds of vector index on the last library.")
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Measure `find` as the library grows, with altered copies of its books."""
    from contextlib import nullcontext
    from tempfile import TemporaryDirectory

    from scholar_cli.laboratory.speed import scale

    counts = _parse_sizes(sizes)
    source = common.open_library()
    if not all(source.search.knows_people(stored.book.id) for stored in source.books.all()):
        common.say(
            "some books have no known people, and find takes less time without them; "
            "first run: scholar index people"
        )
    kept = nullcontext(folder) if folder else TemporaryDirectory(prefix="scholar-scale-")
    with kept as place, common.progress() as progress:
        by_size = []
        for figures in scale.measure_sizes(source, Path(place), counts, progress):
            by_size.append(figures.row())
            common.say(
                f"{figures.books} books: find {figures.find_median_ms:.0f} ms, "
                f"95th percentile {figures.find_p95_ms:.0f} ms"
            )
        by_kind = []
        if kinds:
            by_kind = [figures.row() for figures in scale.measure_kinds(source, Path(place))]
    chosen = common.choose_format(format, json)
    if chosen.writes(RECORDS):
        render.print_record({"sizes": by_size, "kinds": by_kind}, chosen)
        return
    for rows in (by_size, by_kind):
        if rows:
            render.print_rows(rows, chosen, tuple(rows[0]))


def _parse_sizes(sizes: str) -> list[int]:
    """Return the numbers of a list with commas; raises UsageError for anything else, and for 0."""
    counts = [int(size) for size in sizes.split(",") if size.strip().isdecimal()]
    if len(counts) != len(sizes.split(",")) or not all(counts):
        raise UsageError(f"--books {sizes} is not a list of numbers; write one such as {SIZES}")
    return counts


@app.command()
def server(
    requests: Annotated[int, typer.Option(min=20, max=1000, help="Requests of each kind.")] = 100,
    clients: Annotated[int, typer.Option(min=1, max=64, help="Number of concurrent clients.")] = 4,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Time a warm `scholar serve` on the books of the library."""
    from scholar_cli.laboratory.speed import server as server_speed

    figures = []
    for figure in server_speed.run(common.open_library(), requests, clients):
        common.say(f"{figure.what}: {figure.measured:.0f} {figure.unit}")
        figures.append(figure.row())
    render.print_rows(figures, common.choose_format(format, json), COLUMNS)


@app.command()
def hostile(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """Time texts that are designed to be slow to read."""
    from scholar_cli.laboratory.speed import hostile as hostile_speed

    figures = []
    for figure in hostile_speed.run():
        common.say(f"{figure.what}: {figure.measured:.2f} {figure.unit}")
        figures.append(figure.row())
    render.print_rows(figures, common.choose_format(format, json), COLUMNS)
