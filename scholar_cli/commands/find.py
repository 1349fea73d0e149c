"""scholar find: the passages that support a claim."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common, evidence_cards
from scholar_indexes.requests import (
    FindRequest,
    Mode,
    Order,
    describe,
    parse_depth,
    parse_sentences,
)
from scholar_indexes.serialize.evidence import (
    are_weak,
    evidence_records,
    evidence_to_markdown,
    people_notice,
)
from scholar_indexes.serialize.passages import place_columns
from scholar_indexes.serialize.result_formats import RECORDS, Format
from scholar_indexes.settings import LANGUAGE_MODEL
from scholar_indexes.verse import slashed_passage

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.results import FoundEvidence

app = typer.Typer(rich_markup_mode=None)


MAX_STDIN_BYTES = 1_000_000

CSV_COLUMNS = (
    "rank",
    "score",
    "quote",
    "book",
    "title",
    "author",
    "chapter",
    "chapter_title",
    "chapter_printed",
    "locator",
)

WEAK = "weak: no passage clearly supports this; these are the closest"


@app.command()
def find(
    claim: Annotated[
        str | None, typer.Argument(metavar="CLAIM", help="A claim, or - for stdin.")
    ] = None,
    books: common.BooksOption = None,
    author: Annotated[str | None, common.request_option(FindRequest, "author")] = None,
    chapter: common.ChapterOption = None,
    section: common.SectionOption = None,
    speaker: common.SpeakerOption = None,
    about: common.AboutOption = None,
    n: Annotated[int, common.request_option(FindRequest, "n", "-n")] = 10,
    mode: Annotated[Mode, common.request_option(FindRequest, "mode")] = Mode.HYBRID,
    sentences: Annotated[str, common.request_option(FindRequest, "sentences")] = "1-5",
    order: Annotated[Order, common.request_option(FindRequest, "order")] = Order.SCORE,
    like: Annotated[
        list[str] | None,
        common.request_option(FindRequest, "like", metavar="LOCATOR", is_repeated=True),
    ] = None,
    unlike: Annotated[
        list[str] | None,
        common.request_option(FindRequest, "unlike", metavar="LOCATOR", is_repeated=True),
    ] = None,
    min_support: Annotated[
        float | None, common.request_option(FindRequest, "min_support", metavar="SHARE")
    ] = None,
    claims: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Answer every line of a file (- for stdin) as JSON lines.",
        ),
    ] = None,
    context: Annotated[int | None, common.request_option(FindRequest, "context")] = None,
    no_fold: Annotated[
        bool, typer.Option("--no-fold", help="List every passage, also next to a better one.")
    ] = False,
    wait: Annotated[bool, common.request_option(FindRequest, "wait", "--wait")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the score parts and ranks of each hit.")
    ] = False,
    screen: Annotated[
        bool, typer.Option("--tui", help="Show the results in the terminal interface.")
    ] = False,
    model: common.ModelOption = None,
    rerank: Annotated[
        str | None, common.request_option(FindRequest, "rerank", metavar="MODEL")
    ] = None,
    depth: Annotated[
        str | None, typer.Option(metavar="N|all", help=describe(FindRequest, "depth").help)
    ] = None,
    llm: Annotated[
        str | None,
        typer.Option(help="For --rerank llm: a model folder, or a model name on the server."),
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server, such as http://localhost:8080.")
    ] = None,
    device: common.DeviceOption = None,
    format: Annotated[Format | None, common.format_option(is_optional=True)] = None,
    json: common.JsonOption = False,
) -> None:
    """Find the passages that support a claim, best first.

    In a claim, [MASK] marks a missing quotation in prose about a book, as in RELiC. In a book whose
    people have not been found yet, names are matched as words; "scholar index people" or --wait
    finds them. With --claims, each line is a claim or {"claim": "...", "book": "...", "n": 10}; a
    line that cannot be answered has an "error" instead of hits, and the exit code is the one that
    such lines share, 1 if they differ.
    """
    from scholar_indexes.books.reading import chapter_ranges

    request = FindRequest(
        claim=_read_claim(claim, claims, screen, format),
        books=books or (),
        author=author,
        chapters=chapter_ranges.choose(chapter, section),
        speaker=speaker,
        about=about or (),
        n=n,
        mode=mode,
        sentences=parse_sentences(sentences),
        order=order,
        context=1 if context is None else context,
        fold=not no_fold,
        like=like or (),
        unlike=unlike or (),
        min_support=min_support,
        wait=wait,
        rerank=rerank,
        depth=None if depth is None else parse_depth(depth),
    )
    library = common.open_library(
        model=model, rerank=rerank, device=device, llm=llm, llm_server=server
    )
    _check_model(library, llm or server)
    if claims is None:
        from scholar_indexes.retrieval.search_service import check_claim

        check_claim(request.claim, request.chapters)
    _add_sample(library)
    if screen:
        from scholar_tui import terminal_session

        raise typer.Exit(
            terminal_session.in_terminal(library.places, library.settings, "find", asdict(request))
        )
    if claims is not None:
        from scholar_cli.commands import claims_file

        raise typer.Exit(claims_file.answer(claims, request, library.find, explain=explain))
    with common.progress() as progress:
        hits = library.find(request, progress=progress)
    _report(hits, min_support)
    output_format = common.choose_format(format or Format.TABLE, json)
    _print_hits(hits, output_format, bool(context), explain)
    common.check_complete(hits.not_searched)


def _read_claim(claim: str | None, claims: str | None, screen: bool, format: Format | None) -> str:
    """Return the claim to search for, from stdin for "-"; "" if a file has the claims.

    Raises UsageError for options that cannot be combined with --claims, and without a claim.
    """
    from scholar_indexes.errors import UsageError

    if claims is not None:
        if claim is not None or screen:
            raise UsageError("--claims takes no other claim and no --tui; leave one out")
        if format is not None and not format.writes(RECORDS):
            raise UsageError("--claims answers in JSON lines; leave out --format")
        return ""
    if claim is None:
        raise UsageError('there is no claim; give one, such as: scholar find "pride and prejudice"')
    if claim != "-":
        return claim
    text = sys.stdin.buffer.read(MAX_STDIN_BYTES).decode("utf-8", "replace")
    lines = sum(bool(line.strip()) for line in text.splitlines())
    if lines > 1:
        raise UsageError(f"standard input has {lines} lines; for one claim per line: --claims -")
    return text


def _check_model(library: Library, model: str | None) -> None:
    """Raise UsageError for a language model or a server that the re-ranker does not use."""
    if model and library.settings.rerank != LANGUAGE_MODEL:
        from scholar_indexes.errors import UsageError

        raise UsageError("--llm and --server are for --rerank llm; add it or leave them out")


def _add_sample(library: Library) -> None:
    """Add the bundled books to an empty library."""
    if not library.books.all():
        with common.progress() as progress:
            library.books.add_sample_once(progress)


def _report(hits: FoundEvidence, min_support: float | None) -> None:
    """Report on stderr what is missing from the hits, or from the evidence that they give.

    Raises NoMatch if no passage has the least support.
    """
    common.name_unread(hits.not_searched)
    name_unknown_people(hits)
    if not hits and min_support is not None and not hits.not_searched:
        from scholar_indexes.errors import NoMatch

        raise NoMatch(f"no passage reaches a support of {min_support}; lower --min-support")
    if not hits:
        common.say("nothing was found; try other words, fewer filters, or: --mode dense")
    elif are_weak(hits):
        common.say(WEAK)


def name_unknown_people(hits: FoundEvidence) -> None:
    """Report on stderr the books in which names were matched as words, and what to run."""
    if hits.people_unknown:
        waits = "" if hits.people_wanted is None else "; or add --wait"
        common.say(f"{people_notice(hits.people_unknown)}{waits}")


def _print_hits(hits: FoundEvidence, format: Format, with_context: bool, explain: bool) -> None:
    records = evidence_records(hits, explain=explain)
    if format is Format.MD:
        render.write("\n".join(evidence_to_markdown(hit.item) for hit in hits))
        return
    if format in (Format.PLAIN, Format.CSV):
        for record, hit in zip(records, hits, strict=True):
            evidence = hit.item
            record["quote"] = slashed_passage(
                evidence.passage.text, evidence.before, evidence.after
            )
    if format is Format.PLAIN:
        render.print_rows(records, format, ("locator", "quote"))
        return
    table = "\n".join(
        evidence_cards.card(record, hit.item, context=with_context)
        for record, hit in zip(records, hits, strict=True)
    )
    if explain and hits:
        table += f"\n{evidence_cards.legend()}"
    render.print_rows(
        [{**record, **_flat(record)} for record in records] if format is Format.CSV else records,
        format,
        (*CSV_COLUMNS, "dense", "lexical") if explain else CSV_COLUMNS,
        table=table,
    )


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    explain = record.get("explain", {})
    ranks = {name: explain[name] for name in ("dense", "lexical") if name in explain}
    return {
        **place_columns(record),
        "title": record["book"]["title"],
        "author": record["book"]["author"],
        **{name: ranked and ranked["rank"] for name, ranked in ranks.items()},
    }
