"""scholar papers: add, list and export papers, and find similar ones by facet."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common, papers_adding
from scholar_indexes.errors import NoMatch, NotThere
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize import papers as records
from scholar_indexes.serialize.result_formats import PAPERS, RECORDS, Format
from scholar_indexes.types import Facet, Hit

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.lookup import YearRange
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.paper_results import PaperQuery, SimilarPaper

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


class QueryFacet(StrEnum):
    BACKGROUND = "background"
    METHOD = "method"
    RESULT = "result"


FormatOption = Annotated[Format, common.format_option(PAPERS)]
CollectionOption = Annotated[
    str | None, typer.Option("--collection", "-c", help="Only papers in this collection.")
]
IntoOption = Annotated[
    str, typer.Option("--collection", "-c", help="The collection to add them to.")
]
YearOption = Annotated[
    str | None,
    typer.Option(metavar="YEARS", help="Only from these years: 2015, 2015- or 2010-2014."),
]
PaperArgument = Annotated[
    str, typer.Argument(metavar="PAPER", help="An id, a number or part of a title.")
]
NOption = Annotated[int, typer.Option("-n", min=1, max=1000, help="Maximum number of papers.")]
DEFAULT = "papers"


@app.callback()
def papers() -> None:
    """Keep papers, and find papers with a similar background, method or result."""


@app.command()
def add(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|FOLDER...", help="Files, folders, a Zotero library, or - for stdin."
        ),
    ],
    collection: IntoOption = DEFAULT,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running, and add changes, until Ctrl-C.")
    ] = False,
    device: common.DeviceOption = None,
) -> None:
    """Add papers from files, folders, Zotero or standard input.

    Formats: BibTeX, RIS, PubMed, Web of Science, EndNote (.enw), RefWorks, CSV, CSL-JSON, JSON
    lines, arXiv Atom, OpenAlex, PDF, Zotero. A folder adds its PDFs and bibliographies; when it is
    added again, only the changed ones. A paper with the DOI, arXiv id or title of a stored one is
    merged, not duplicated.
    """
    papers = common.open_library(device=device).papers
    if watch:
        papers_adding.watch(papers, files, collection)
    else:
        papers_adding.add_all(papers, files, collection)


@app.command()
def fetch(
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...", help="With a prefix: arxiv:, doi:, s2:, openalex: or pmid:."
        ),
    ],
    references: Annotated[
        bool, typer.Option("--references", help="Also add the papers that it cites.")
    ] = False,
    collection: IntoOption = DEFAULT,
    device: common.DeviceOption = None,
    offline: common.OfflineOption = None,
) -> None:
    """Fetch papers by their ids, and add them.

    They come from arXiv, Crossref, Semantic Scholar or OpenAlex.
    """
    papers = common.open_library(device=device, offline=offline).papers
    for paper_id in ids:
        with common.progress() as progress:
            report = papers.fetch(
                paper_id, references=references, collection=collection, progress=progress
            )
        papers_adding.print_report(report, paper_id)


@app.command("list")
def list_papers(
    collection: CollectionOption = None,
    year: YearOption = None,
    tag: Annotated[str | None, typer.Option(metavar="TAG", help="Only with this tag.")] = None,
    n: Annotated[int | None, typer.Option("-n", min=1, help="Maximum number of papers.")] = None,
    format: FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List papers in the order they were added."""
    catalog = common.open_library().papers.catalog
    is_filtered = (collection, year, tag) != (None, None, None)
    if is_filtered and catalog.is_empty():
        raise NotThere("there are no papers yet; add some: scholar papers add FILE")
    listed = catalog.papers(collection, _parse_years(year), limit=None if tag else n)
    if tag is None:
        papers = list(listed)
    else:
        papers = list(islice((paper for paper in listed if paper.has_tag(tag)), n))
        if not papers:
            catalog.check_tag(tag)
    _print_papers(papers, common.choose_format(format, json))
    if is_filtered and not papers:
        raise NoMatch("no paper passes all filters; leave one out")
    if not papers:
        common.say("there are no papers yet; run: scholar papers add FILE")


@app.command()
def collections(
    format: common.FormatOption = Format.TABLE, json: common.JsonOption = False
) -> None:
    """List collections and the number of papers in each."""
    catalog = common.open_library().papers.catalog
    render.print_rows(
        [
            {"name": collection.name, "papers": collection.papers}
            for collection in catalog.collections()
        ],
        common.choose_format(format, json),
        ("name", "papers"),
    )


@app.command()
def info(
    paper: PaperArgument,
    format: FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show a paper: its ids, and its abstract with facets.

    The facets are shown sentence by sentence.
    """
    stored = common.open_library().papers.catalog.paper(paper)
    chosen = common.choose_format(format, json)
    if _print_bibliography([stored], chosen):
        return
    if chosen.writes(RECORDS):
        render.print_record(records.info_record(stored), chosen)
    elif chosen is Format.TABLE:
        _print_info(stored)
    else:
        sentences = records.abstract_records(stored)
        render.print_rows(sentences, chosen, ("sentence", "facet", "text"))


@app.command()
def edit(
    paper: PaperArgument,
    abstract: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT|FILE|-",
            help="Its abstract: a text, a file, or - for stdin; '' removes it.",
        ),
    ] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="A note; '' removes it.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="Add a tag.")] = None,
    untag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="Remove a tag.")] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Its title.")] = None,
    year: Annotated[
        int | None, typer.Option(metavar="YEAR", min=1000, max=2999, help="Its year.")
    ] = None,
    device: common.DeviceOption = None,
) -> None:
    """Edit a paper: its abstract, note, tags, title or year.

    Changes are kept when its source is added again. --tag and --untag may be repeated.
    """
    from scholar_indexes.papers.editing import PaperEdit
    from scholar_indexes.papers.source import read_abstract_text

    change = PaperEdit(
        title=title,
        year=year,
        abstract=None if abstract is None else read_abstract_text(abstract),
        note=note,
        add_tags=tuple(tag or ()),
        remove_tags=tuple(untag or ()),
    )
    library = common.open_library(device=device)
    with common.progress() as progress:
        before, after = library.papers.edit(paper, change, progress)
    for line in records.edit_lines(before, after):
        common.say(line)


@app.command()
def remove(
    paper: PaperArgument,
    collection: Annotated[
        str | None, typer.Option("--collection", "-c", help="Remove it only from this collection.")
    ] = None,
) -> None:
    """Remove a paper; with --collection, only from that collection.

    A paper that is in no other collection is then removed too.
    """
    stored = common.open_library().papers.remove(paper, collection)
    what = "removed"
    if collection is not None:
        is_last = stored.collections == (collection,)
        what = f"removed from {collection}" + (
            ", its only collection, and deleted:" if is_last else ":"
        )
    common.say(f"{what} {stored.paper.id} {stored.paper.title}")


@app.command()
def rebuild(device: common.DeviceOption = None) -> None:
    """Rebuild the index of papers.

    This is for another model, or after damage.
    """
    with common.progress() as progress:
        count = common.open_library(device=device).papers.rebuild(progress)
    common.say(f"the index has {count} papers")


@app.command()
def similar(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER|FILE|-", help="An id, a title, or a file with one paper or one abstract."
        ),
    ],
    facet: Annotated[
        QueryFacet | None, typer.Option(help="The facet to compare.", show_default=False)
    ] = None,
    sentences: Annotated[
        str | None, typer.Option(metavar="2,3", help="Compare these sentences of the abstract.")
    ] = None,
    n: NOption = 20,
    collection: CollectionOption = None,
    year: YearOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which sentences matched.")
    ] = False,
    device: common.DeviceOption = None,
    format: FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find papers similar to this one.

    They are compared overall, in one facet, or in some sentences of the abstract.
    """
    with common.progress() as progress:
        query, hits = common.open_library(device=device).papers.similar(
            paper,
            facet=Facet(facet.value) if facet else None,
            sentences=[] if sentences is None else records.parse_sentence_numbers(sentences),
            n=n,
            collection=collection,
            years=_parse_years(year),
            or_nearest=True,
            progress=progress,
        )
    chosen = common.choose_format(format, json)
    is_filtered = not (collection is None and year is None)
    _print_hits(query, hits, chosen, explain=explain, is_filtered=is_filtered)


@app.command()
def find(
    claim: Annotated[
        str, typer.Argument(metavar="CLAIM", help="A claim or question, or - for stdin.")
    ],
    facet: Annotated[
        QueryFacet | None,
        typer.Option(help="Search only this facet of papers.", show_default=False),
    ] = None,
    n: NOption = 20,
    collection: CollectionOption = None,
    year: YearOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score.")
    ] = False,
    device: common.DeviceOption = None,
    format: FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find the papers that best answer a claim or a question.

    The search covers all facets, or one.
    """
    if claim == "-":
        claim = sys.stdin.buffer.read(1_000_000).decode("utf-8", "replace")
    papers = common.open_library(device=device).papers
    years, chosen = _parse_years(year), common.choose_format(format, json)
    query: PaperQuery | None = None
    if facet is None:
        hits = papers.find(claim, n=n, collection=collection, years=years)
    else:
        query, hits = papers.find_in_facet(
            claim, Facet(facet.value), n=n, collection=collection, years=years
        )
    is_filtered = not (collection is None and year is None)
    _print_hits(query, hits, chosen, explain=explain, is_filtered=is_filtered)


def _print_papers(papers: Sequence[StoredPaper], chosen: Format) -> None:
    """Print papers as a list or a bibliography."""
    if _print_bibliography(papers, chosen):
        return
    to_read = chosen in (Format.TABLE, Format.PLAIN, Format.MD)
    render.print_rows(
        [records.paper_row(paper) if to_read else records.paper_record(paper) for paper in papers],
        chosen,
        records.PAPER_COLUMNS,
    )


def _print_info(stored: StoredPaper) -> None:
    """Print the fields of a paper that are not empty, and its abstract in numbered sentences."""
    fields = {name: value for name, value in records.paper_row(stored).items() if value}
    render.print_record({**fields, "added": stored.added}, Format.TABLE)
    lines = []
    for sentence in records.abstract_records(stored):
        text = render.wrap(one_line(sentence["text"]), " " * 15)
        lines.append(f"{sentence['sentence']:>2}  {sentence['facet']:<10} {text[15:]}")
    render.write("\n" + "\n".join(lines) + "\n" if lines else "")


def _print_hits(
    query: PaperQuery | None,
    hits: Sequence[Hit[SimilarPaper]],
    chosen: Format,
    *,
    explain: bool,
    is_filtered: bool,
) -> None:
    """Print hits; raises NoMatch if there are none and filters may be the reason."""
    ranked = [records.similar_record(rank, hit, query) for rank, hit in enumerate(hits, 1)]
    if _print_bibliography([hit.item.stored for hit in hits], chosen):
        pass
    elif chosen is Format.TABLE:
        render.write("\n".join(_format_card(record, explain) for record in ranked))
    else:
        if not chosen.writes(RECORDS):
            ranked = [records.similar_row(record) for record in ranked]
        render.print_rows(ranked, chosen, records.SIMILAR_COLUMNS)
    if hits:
        return
    if is_filtered:
        raise NoMatch("no other paper passes all filters; leave one out")
    common.say("there is no other paper; run: scholar papers add FILE")


def _format_card(record: dict[str, Any], explain: bool) -> str:
    """Return a hit for the terminal: the paper, and the best-matching sentences."""
    paper = record["paper"]
    title = render.wrap(one_line(paper["title"]), "    ")
    authors = records.format_authors(paper["authors"])
    source = ", ".join(str(part) for part in (authors, paper["venue"], paper["year"]) if part)
    source = f"{source}  [{paper['id']}]  {record['score']:.3f}".strip()
    lines = [
        f"{record['rank']:>2}  {render.bold(title[4:])}",
        render.dim(render.wrap(one_line(source), "    ")),
    ]
    if explain:
        for pair in record["matched"]:
            lines += _explain_pair(pair)
        parts = ", ".join(f"{name} {value:.3f}" for name, value in record["explain"].items())
        lines.append(render.dim(f"    {parts}"))
    else:
        for pair in record["matched"][:1]:
            lines.append(render.wrap(_format_sentence(pair["found"]), "      "))
    return "\n".join(lines) + "\n"


def _explain_pair(pair: dict[str, Any]) -> list[str]:
    """Return the sentence of the query, if there is one, and the sentence aligned with it."""
    matched = pair["found"]
    detail = f"({matched['facet']}, cosine {pair['cosine']:.2f}, {pair['weight']:.0%})"
    line = render.wrap(f"{_format_sentence(matched)}  {detail}", "      = ")
    if "asked" not in pair:
        return [line]
    return [render.dim(render.wrap(_format_sentence(pair["asked"]), "      ? ")), line]


def _format_sentence(sentence: dict[str, Any]) -> str:
    number = sentence["sentence"]
    return f"{number}. {one_line(sentence['text'])}" if number else "title"


def _print_bibliography(papers: Sequence[StoredPaper], chosen: Format) -> bool:
    """Print papers as a bibliography if the format is one; return True if it is."""
    if not chosen.writes(PAPERS):
        return False
    render.write(records.format_bibliography(papers, chosen))
    return True


def _parse_years(text: str | None) -> YearRange:
    return (None, None) if text is None else records.parse_years(text)
