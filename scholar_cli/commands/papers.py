"""scholar papers: keep papers, and find those alike in one respect."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.papers import records
from scholar_indexes.types import Facet, Hit
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.papers.library import Alike, Asked, Report, Years
    from scholar_indexes.papers.shelf import Kept

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


class PaperFormat(StrEnum):
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MD = "md"
    BIBTEX = "bibtex"
    CSL = "csl"
    RIS = "ris"


class AskedFacet(StrEnum):
    BACKGROUND = "background"
    METHOD = "method"
    RESULT = "result"


FormatOption = Annotated[PaperFormat, typer.Option("--format", help="How to print results.")]
CollectionOption = Annotated[
    str | None, typer.Option("--collection", "-c", help="Only papers of this collection.")
]
IntoOption = Annotated[
    str, typer.Option("--collection", "-c", help="The collection they belong to.")
]
YearOption = Annotated[
    str | None, typer.Option(metavar="YEARS", help="Only of these years: 2015, 2015- or 2010-2014.")
]
PaperArgument = Annotated[
    str, typer.Argument(metavar="PAPER", help="An id, a number or part of a title.")
]
NOption = Annotated[int, typer.Option("-n", min=1, max=1000, help="How many papers.")]
DEFAULT = "papers"


@app.callback()
def papers() -> None:
    """Keep papers, and find those alike in one respect: background, method or result."""


@app.command()
def add(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files, or - for stdin.")],
    collection: IntoOption = DEFAULT,
    device: common.DeviceOption = None,
) -> None:
    """Add papers: BibTeX, RIS, CSL-JSON, JSON lines, CSV, arXiv Atom, OpenAlex or PDF.

    A paper that is there already, by DOI, arXiv id or title, is merged and not doubled.
    """
    kept = common.library(device=device).papers
    failure: ScholarError | None = None
    for file in files:
        try:
            with common.progress() as progress:
                report = kept.add(file, collection=collection, progress=progress)
        except ScholarError as refusal:
            if len(files) == 1:
                raise
            common.say(f"scholar: {refusal}")
            failure = refusal
            continue
        _say(report, file)
    if failure:
        raise type(failure)("some files could not be added; see above")


@app.command()
def fetch(
    ids: Annotated[
        list[str], typer.Argument(metavar="ID...", help="arxiv:, doi:, s2:, openalex: or pmid:.")
    ],
    references: Annotated[
        bool, typer.Option("--references", help="Add what it cites too.")
    ] = False,
    collection: IntoOption = DEFAULT,
    device: common.DeviceOption = None,
    offline: common.OfflineOption = None,
) -> None:
    """Fetch papers from arXiv, Crossref, Semantic Scholar or OpenAlex, and add them."""
    kept = common.library(device=device, offline=offline).papers
    for each in ids:
        with common.progress() as progress:
            report = kept.fetch(
                each, references=references, collection=collection, progress=progress
            )
        _say(report, each)


@app.command("list")
def list_papers(
    collection: CollectionOption = None,
    year: YearOption = None,
    n: Annotated[int | None, typer.Option("-n", min=1, help="At most so many.")] = None,
    format: FormatOption = PaperFormat.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List papers in the order they were added."""
    shelf = common.library().papers.shelf
    listed = list(shelf.papers(collection, _years(year), limit=n))
    if not listed:
        common.say("there are no such papers; run: scholar papers add FILE")
    chosen = _chosen(format, json)
    if _exported(listed, chosen):
        return
    render.rows(
        [records.paper(each) for each in listed], render.Format(chosen.value),
        ("id", "year", "authors", "title"),
    )  # fmt: skip


@app.command()
def collections(
    format: common.FormatOption = render.Format.TABLE, json: common.JsonOption = False
) -> None:
    """List collections and how many papers each has."""
    there = common.library().papers.shelf.collections()
    render.rows(
        [{"name": each.name, "papers": each.papers} for each in there],
        common.chosen_format(format, json), ("name", "papers"),
    )  # fmt: skip


@app.command()
def info(
    paper: PaperArgument,
    format: FormatOption = PaperFormat.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show a paper: its ids, and its abstract sentence by sentence with facets."""
    kept = common.library().papers.shelf.paper(paper)
    chosen = _chosen(format, json)
    if _exported([kept], chosen):
        return
    sentences = [
        {"sentence": at, "facet": str(facet), "text": text}
        for at, (text, facet) in enumerate(
            zip(kept.paper.sentences, kept.paper.facets, strict=True), 1
        )
    ]
    if chosen in (PaperFormat.JSON, PaperFormat.JSONL):
        fields = {
            **records.paper(kept),
            "abstract": sentences,
            "added": kept.added,
            "csl": kept.csl,
        }
        render.record(fields, render.Format(chosen.value))
        return
    if chosen is not PaperFormat.TABLE:
        render.rows(sentences, render.Format(chosen.value), ("sentence", "facet", "text"))
        return
    head = {name: value for name, value in records.paper(kept).items() if value}
    render.record({**head, "added": kept.added}, render.Format.TABLE)
    lines = []
    for each in sentences:
        text = render.wrapped(one_line(str(each["text"])), " " * 15)
        lines.append(f"{each['sentence']:>2}  {each['facet']:<10} {text[15:]}")
    render.write("\n" + "\n".join(lines) + "\n" if lines else "")


@app.command()
def remove(paper: PaperArgument, collection: CollectionOption = None) -> None:
    """Forget a paper; with --collection only take it out of that one."""
    kept = common.library().papers.remove(paper, collection)
    common.say(f"removed {kept.paper.id} {kept.paper.title}")


@app.command()
def rebuild(device: common.DeviceOption = None) -> None:
    """Make the index of papers anew, for another model or after damage."""
    with common.progress() as progress:
        count = common.library(device=device).papers.rebuild(progress)
    common.say(f"the index has {count} papers")


@app.command()
def similar(
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER|FILE|-", help="An id, a title, or a file with one paper."),
    ],
    facet: Annotated[
        AskedFacet | None, typer.Option(help="Alike in what.", show_default=False)
    ] = None,
    sentences: Annotated[
        str | None, typer.Option(metavar="2,3", help="Alike in these sentences of the abstract.")
    ] = None,
    n: NOption = 20,
    collection: CollectionOption = None,
    year: YearOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which sentences matched which.")
    ] = False,
    device: common.DeviceOption = None,
    format: FormatOption = PaperFormat.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find papers like this one, in one facet, in some sentences, or altogether."""
    with common.progress() as progress:
        asked, hits = common.library(device=device).papers.similar(
            paper, facet=Facet(facet.value) if facet else None, sentences=_numbers(sentences),
            n=n, collection=collection, years=_years(year), progress=progress,
        )  # fmt: skip
    _show(asked, hits, _chosen(format, json), explain)


@app.command()
def find(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="A claim or question, or -.")],
    n: NOption = 20,
    collection: CollectionOption = None,
    year: YearOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each score is.")] = False,
    device: common.DeviceOption = None,
    format: FormatOption = PaperFormat.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find the papers that best answer a claim or a question."""
    if claim == "-":
        claim = sys.stdin.buffer.read(1_000_000).decode("utf-8", "replace")
    hits = common.library(device=device).papers.find(
        claim, n=n, collection=collection, years=_years(year)
    )
    _show(None, hits, _chosen(format, json), explain)


def _show(
    asked: Asked | None, hits: Sequence[Hit[Alike]], chosen: PaperFormat, explain: bool
) -> None:
    if not hits:
        common.say("no other paper passes; try fewer filters, or add papers")
    if _exported([hit.item.kept for hit in hits], chosen):
        return
    found = [records.alike(rank, hit, asked) for rank, hit in enumerate(hits, 1)]
    if chosen is PaperFormat.TABLE:
        render.write("\n".join(_card(each, explain) for each in found))
        return
    if chosen not in (PaperFormat.JSON, PaperFormat.JSONL):
        found = [{**each, **each["paper"], "sentence": _telling(each)} for each in found]
    render.rows(
        found, render.Format(chosen.value),
        ("rank", "score", "id", "year", "title", "sentence"),
    )  # fmt: skip


def _card(record: dict[str, Any], explain: bool) -> str:
    """A hit for reading: the paper, and the sentences that say why it is here."""
    paper = record["paper"]
    title = render.wrapped(f"{one_line(paper['title'])}", "    ")
    lines = [f"{record['rank']:>2}  {render.bold(title[4:])}"]
    people = records.people(paper["authors"])
    told = ", ".join(str(each) for each in (people, paper["venue"], paper["year"]) if each)
    told = f"{told}  [{paper['id']}]  {record['score']:.3f}".strip()
    lines.append(render.dim(render.wrapped(one_line(told), "    ")))
    for pair in record["matched"] if explain else record["matched"][:1]:
        found = pair["found"]
        if explain and "asked" in pair:
            asked = pair["asked"]
            said = f"{asked['sentence']}. {one_line(asked['text'])}"
            lines.append(render.dim(render.wrapped(said, "      ? ")))
        said = f"{found['sentence']}. {one_line(found['text'])}" if found["sentence"] else "title"
        if explain:
            said += f"  ({found['facet']}, cosine {pair['cosine']:.2f}, {pair['weight']:.0%})"
        lines.append(render.wrapped(said, "      = " if explain else "      "))
    if explain:
        parts = ", ".join(f"{name} {value:.3f}" for name, value in record["explain"].items())
        lines.append(render.dim(f"    {parts}"))
    return "\n".join(lines) + "\n"


def _telling(record: dict[str, Any]) -> str:
    return record["matched"][0]["found"]["text"] if record["matched"] else ""


def _exported(kept: Sequence[Kept], chosen: PaperFormat) -> bool:
    """Write papers as a bibliography where that is what was asked for."""
    if chosen not in (PaperFormat.BIBTEX, PaperFormat.CSL, PaperFormat.RIS):
        return False
    from scholar_indexes.papers import export
    from scholar_indexes.papers.shelf import exported
    from scholar_indexes.untrusted import safe

    written = getattr(export, chosen.value)([exported(each) for each in kept])
    render.write(safe(written))
    return True


def _say(report: Report, source: str) -> None:
    for line in records.told(report, source):
        common.say(line)


def _chosen(format: PaperFormat, json: bool) -> PaperFormat:
    return PaperFormat.JSON if json else format


def _years(said: str | None) -> Years:
    return (None, None) if said is None else records.years(said)


def _numbers(said: str | None) -> list[int]:
    """Numbers of sentences: 2,3 or 2-4."""
    numbers: list[int] = []
    for part in (said or "").split(",") if said is not None else ():
        found = re.fullmatch(r"\s*(\d{1,4})(?:-(\d{1,4}))?\s*", part)
        if not found:
            raise UsageError(f"{said!r} are no sentences; write their numbers, such as 2,3 or 2-4")
        first = int(found[1])
        numbers += range(first, int(found[2] or first) + 1)
    return numbers
