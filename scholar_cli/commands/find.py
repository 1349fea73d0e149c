"""scholar find: the passages that bear out a claim."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common, evidence_cards
from scholar_cli.render import Format
from scholar_indexes.serialize import results as records_of
from scholar_indexes.settings import LANGUAGE_MODEL
from scholar_indexes.verse import slashed_passage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scholar_indexes.results import FoundEvidence
    from scholar_indexes.retrieval.service import FindOptions

app = typer.Typer(rich_markup_mode=None)


MAX_STDIN_BYTES = 1_000_000

MOST_READ = 10_000
"""Passages that the second stage may be told to read."""

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

WEAK = "weak: no passage clearly bears this out; these are the nearest"


class ModeOption(StrEnum):
    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


class OrderOption(StrEnum):
    SCORE = "score"
    TEXT = "text"


@app.command()
def find(
    claim: Annotated[
        str | None, typer.Argument(metavar="CLAIM", help="A claim, or - for stdin.")
    ] = None,
    books: common.BooksOption = None,
    author: Annotated[
        str | None, typer.Option(help="Only books whose author's name has this.")
    ] = None,
    chapter: common.ChapterOption = None,
    section: common.SectionOption = None,
    speaker: common.SpeakerOption = None,
    about: common.AboutOption = None,
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="How many passages.")] = 10,
    mode: Annotated[ModeOption, typer.Option(help="Which ranking.")] = ModeOption.HYBRID,
    sentences: Annotated[str, typer.Option(help="Sentences of a passage: 2 or 1-5.")] = "1-5",
    order: Annotated[
        OrderOption, typer.Option(help="Best first, or as they stand in the books.")
    ] = OrderOption.SCORE,
    like: Annotated[
        list[str] | None,
        typer.Option(metavar="LOCATOR", help="More like this passage; may be repeated."),
    ] = None,
    unlike: Annotated[
        list[str] | None,
        typer.Option(metavar="LOCATOR", help="Less like this passage; may be repeated."),
    ] = None,
    min_support: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", min=0, max=1, help="Only what is so likely to bear the claim out."
        ),
    ] = None,
    claims: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Answer every line of a file, or of stdin for -, as JSON lines.",
        ),
    ] = None,
    context: Annotated[
        int | None,
        typer.Option(min=0, max=50, help="Sentences to show either side; JSON has 1 anyway."),
    ] = None,
    no_fold: Annotated[
        bool,
        typer.Option("--no-fold", help="List every passage, also those beside a better one."),
    ] = False,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="Find who is in each sentence first; may take minutes."),
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show each ranker's rank.")] = False,
    screen: Annotated[bool, typer.Option("--tui", help="Show the answers on a screen.")] = False,
    model: common.ModelOption = None,
    rerank: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="What reads the best again: auto, thorough, none, llm, or a model.",
        ),
    ] = None,
    depth: Annotated[
        str | None,
        typer.Option(metavar="N|all", help="How many passages it reads, or all of one book."),
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The language model of llm: a folder, or a server's name.")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server, such as http://localhost:8080.")
    ] = None,
    device: common.DeviceOption = None,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="How to print results; else as a table.",
            show_default=False,
            callback=common.refuse_two_formats,
        ),
    ] = None,
    json: common.JsonOption = False,
) -> None:
    """Find the passages that bear out a claim, best first.

    A claim with [MASK] in it is prose around a missing quotation, as in RELiC. Where it is not
    known yet who is in the sentences of a book, names are matched as words; "scholar index people"
    finds that, and so does --wait. With --claims, each
    line is a claim or {"claim": "...", "book": "...", "n": 10}; one that cannot be answered has an
    "error" in place of hits, and the exit code is that of such lines, 1 if they have several.
    """
    lengths = _parse_lengths(sentences)
    chapters = common.choose_chapters(chapter, section)
    format = Format.JSON if json else format
    claim = _read_claim(claim, claims, screen, format)
    read = _parse_depth(depth)
    if screen:
        _refuse_on_screen(
            {
                "--depth": depth is not None,
                "--order text": order is OrderOption.TEXT,
                "--no-fold": no_fold,
                "--min-support": min_support is not None,
                "--wait": wait,
                "second --about": len(about or ()) > 1,
            }
        )
    library = common.open_library(
        model=model, rerank=rerank, device=device, llm=llm, llm_server=server
    )
    if (llm or server) and library.settings.rerank != LANGUAGE_MODEL:
        from scholar_indexes.errors import UsageError

        raise UsageError("--llm and --server are for --rerank llm; add it, or leave them out")
    if claims is None:
        library.check_claim(claim, chapters)
    if not library.books():
        with common.progress() as progress:
            library.add_sample_once(progress)
    options: FindOptions = {
        "books": books or [],
        "author": author,
        "chapters": chapters,
        "n": n,
        "mode": mode.value,
        "sentences": lengths,
        "speaker": speaker,
        "about": about or (),
        "fold": not no_fold,
        "like": like or [],
        "unlike": unlike or [],
        "min_support": min_support,
        "context": 1 if context is None else context,
        "read_people": wait,
        "depth": read,
    }
    if screen:
        from scholar_tui import run

        request = {"claim": claim, **options, "about": about[0] if about else None}
        del request["read_people"], request["depth"]
        raise typer.Exit(run.in_terminal(library.places, library.settings, "find", request))
    if claims is not None:
        from scholar_cli.commands import claims_file

        def find_all(line: claims_file.ClaimLine) -> FoundEvidence:
            given = options.copy()
            if line.books is not None:
                given["books"] = line.books
            given["n"] = line.n or n
            return _in_order(library.find(line.claim, **given), order)

        raise typer.Exit(claims_file.answer(claims, find_all, explain=explain))
    with common.progress() as progress:
        options["progress"] = progress
        hits = _in_order(library.find(claim, **options), order)
    common.name_unread(hits.not_searched)
    name_unknown_people(hits)
    if not hits and min_support is not None and not hits.not_searched:
        from scholar_indexes.errors import NoMatch

        raise NoMatch(f"no passage bears the claim out by {min_support}; ask for less support")
    if not hits:
        common.say("nothing was found; try other words, fewer filters, or: --mode dense")
    elif records_of.are_weak(hits):
        common.say(WEAK)
    _print_hits(hits, format or Format.TABLE, bool(context), explain)
    common.check_complete(hits.not_searched)


def _read_claim(claim: str | None, claims: str | None, screen: bool, format: Format | None) -> str:
    """Return the claim to look for, from stdin for "-"; "" where a file has the claims.

    Raises UsageError for options that do not go with the claims of a file, and without a claim.
    """
    from scholar_indexes.errors import UsageError

    if claims is not None:
        if claim is not None or screen:
            raise UsageError("--claims takes no other claim and no --tui; leave one out")
        if format not in (None, Format.JSON, Format.JSONL):
            raise UsageError("--claims answers in JSON lines; leave --format out")
        return ""
    if claim is None:
        raise UsageError('say what to look for, such as: scholar find "pride and prejudice"')
    if claim != "-":
        return claim
    text = sys.stdin.buffer.read(MAX_STDIN_BYTES).decode("utf-8", "replace")
    lines = sum(bool(line.strip()) for line in text.splitlines())
    if lines > 1:
        raise UsageError(f"standard input has {lines} lines; for a claim a line: --claims -")
    return text


def _refuse_on_screen(given: Mapping[str, object]) -> None:
    """Raise UsageError for options that are given and that the screen does not have."""
    from scholar_indexes.errors import UsageError

    refused = [name for name, value in given.items() if value]
    if refused:
        raise UsageError(f"the screen has no {', '.join(refused)}; leave out these or --tui")


def name_unknown_people(hits: FoundEvidence) -> None:
    """Say on stderr in which books names were matched as words, and what to run."""
    if hits.people_unknown:
        waits = "" if hits.people_wanted is None else "; or ask with --wait"
        common.say(f"{records_of.people_notice(hits.people_unknown)}{waits}")


def _in_order(hits: FoundEvidence, order: OrderOption) -> FoundEvidence:
    """Return hits best first, or book by book as they stand in the text."""
    return hits if order is OrderOption.SCORE else hits.in_reading_order()


def _print_hits(hits: FoundEvidence, format: Format, with_context: bool, explain: bool) -> None:
    records = records_of.evidence_records(hits, explain=explain)
    if format is Format.MD:
        render.write("\n".join(records_of.evidence_to_markdown(hit.item) for hit in hits))
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


def _parse_lengths(option: str) -> tuple[int, int]:
    """Return the least and the most sentences of a passage that `--sentences` names."""
    from scholar_indexes.errors import UsageError

    low, _, high = option.partition("-")
    try:
        shortest, longest = int(low), int(high or low)
    except ValueError:
        shortest = longest = 0
    if not 1 <= shortest <= longest <= 5:
        raise UsageError(f"--sentences {option} is not a length from 1 to 5; write 2 or 1-5")
    return shortest, longest


def _parse_depth(option: str | None) -> int | None:
    """Return the number of passages that `--depth` names; None without it."""
    from scholar_indexes.errors import UsageError
    from scholar_indexes.retrieval.service import ALL

    if option is None:
        return None
    if option == "all":
        return ALL
    if not option.isdecimal() or not 1 <= int(option) <= MOST_READ:
        raise UsageError(f"--depth {option} is no number from 1 to {MOST_READ}; or write all")
    return int(option)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    explain = record.get("explain", {})
    ranks = {name: explain[name] for name in ("dense", "lexical") if name in explain}
    return {
        **records_of.place_columns(record),
        "title": record["book"]["title"],
        "author": record["book"]["author"],
        **{name: ranked and ranked["rank"] for name, ranked in ranks.items()},
    }
