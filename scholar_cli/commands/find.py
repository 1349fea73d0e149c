"""scholar find: the passages that bear out a claim."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes import records as records_of
from scholar_indexes.types import silent
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.answers import Evidence

app = typer.Typer(rich_markup_mode=None)


class Mode(StrEnum):
    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


@app.command()
def find(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="A claim, or - for stdin.")],
    books: common.BooksOption = None,
    author: Annotated[
        str | None, typer.Option(help="Only books whose author's name has this.")
    ] = None,
    chapter: Annotated[str | None, typer.Option(help="Only these chapters: 3 or 3-9.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Only what this character says.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="How many places.")] = 10,
    mode: Annotated[Mode, typer.Option(help="Which ranking.")] = Mode.HYBRID,
    sentences: Annotated[str, typer.Option(help="How long a place may be: 2 or 1-5.")] = "1-5",
    context: Annotated[
        int | None,
        typer.Option(min=0, max=50, help="Sentences to show either side; JSON has 1 anyway."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show each ranker's rank.")] = False,
    screen: Annotated[bool, typer.Option("--tui", help="Show the answers on a screen.")] = False,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find the passages that bear out a claim, best first.

    A claim with [MASK] in it is prose around a missing quotation, as in RELiC.
    """
    if claim == "-":
        claim = sys.stdin.buffer.read(1_000_000).decode("utf-8", "replace")
    library = common.library(model=model, device=device)
    lengths = _lengths(sentences)
    library.check_question(claim, chapter)
    if not library.books():
        with common.progress() as progress:
            library.add_sample_once(progress)
    if screen:
        from scholar_tui import run

        errand = {
            "claim": claim, "books": books or [], "author": author, "chapters": chapter, "n": n,
            "mode": mode.value, "sentences": lengths, "speaker": speaker,
            "context": 1 if context is None else context,
        }  # fmt: skip
        raise typer.Exit(run.in_terminal(library.places, library.settings, "find", errand))
    with common.progress() if speaker else nullcontext(silent) as progress:
        hits = library.find(
            claim, books=books or (), author=author, chapters=chapter, n=n, mode=mode.value,
            sentences=lengths, context=1 if context is None else context,
            speaker=speaker, progress=progress,
        )  # fmt: skip
    if not hits:
        common.say("nothing was found; try other words, fewer filters, or: --mode dense")
    chosen = common.chosen_format(format, json)
    records = [records_of.evidence(rank, hit, explain=explain) for rank, hit in enumerate(hits, 1)]
    if chosen is Format.MD:
        render.write("\n".join(
            records_of.as_markdown(each["quote"], each["citation"], each["locator"])
            for each in records
        ))  # fmt: skip
        return
    if chosen is Format.PLAIN:
        render.rows(records, chosen, ("locator", "quote"))
        return
    columns = ["rank", "score", "quote", "title", "author", "chapter", "locator"]
    shown = context is not None and context > 0
    table = "\n".join(_card(each, hit.item, shown) for each, hit in zip(records, hits, strict=True))
    render.rows(
        [{**each, **_flat(each)} for each in records] if chosen is Format.CSV else records,
        chosen, columns + (["dense", "lexical"] if explain else []), table=table,
    )  # fmt: skip


def _lengths(written: str) -> tuple[int, int]:
    from scholar_indexes.errors import UsageError

    low, _, high = written.partition("-")
    try:
        shortest, longest = int(low), int(high or low)
    except ValueError:
        shortest = longest = 0
    if not 1 <= shortest <= longest <= 5:
        raise UsageError(f"--sentences {written} is not a length from 1 to 5; write 2 or 1-5")
    return shortest, longest


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    ranks = record.get("explain", {})
    return {
        "title": record["book"]["title"],
        "author": record["book"]["author"],
        "chapter": record["chapter"]["title"],
        **{name: ranked and ranked["rank"] for name, ranked in ranks.items()},
    }


def _card(record: dict[str, Any], found: Evidence, context: bool) -> str:
    """A hit for reading: the quotation, where it stands, and why it is here."""
    quote = render.bold(render.wrapped(found.passage.text, "    "))
    if context:
        before, after = one_line(found.before), one_line(found.after)
        quote = "\n".join(
            part for part in (
                before and render.dim(render.wrapped(f"… {before}", "    ")), quote,
                after and render.dim(render.wrapped(f"{after} …", "    ")),
            ) if part
        )  # fmt: skip
    lines = [f"{record['rank']:>2}  {quote.replace('    ', '', 1)}"]
    lines.append(render.dim(render.wrapped(f"{record['citation']}  [{record['locator']}]", "    ")))
    for name, ranked in record.get("explain", {}).items():
        said = (
            f"rank {ranked['rank']}, score {ranked['score']}" if ranked else "not among its places"
        )
        lines.append(f"    {name:<8} {said}")
    return "\n".join(lines) + "\n"
