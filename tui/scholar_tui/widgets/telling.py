"""What is known of somebody, written out: each thing with its place and with what is copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from scholar_indexes import records
from scholar_indexes.characters.company import Company, also_called
from scholar_indexes.untrusted import one_line
from scholar_tui.widgets.accounts import Item
from scholar_tui.widgets.plot import bar

if TYPE_CHECKING:
    from scholar_indexes.answers import Cited, Likely, Portrait, Quote, Said
    from scholar_indexes.types import Book, Chapter, Hit

KINDS = {
    "description": "written for this book",
    "relation": "relation",
    "calling": "calling",
    "trait": "trait",
    "deed": "deed",
}
"""The kinds of what is said, as they are shown."""

SHOWN = 320
"""Characters of a passage that are shown; the book has the rest."""

NAME, BAR = 24, 12

SURE = 0.5
"""An attribution less likely right than this is shown as a guess."""


def summary(company: Company, portrait: Portrait) -> Content:
    """Who somebody is and how much there is of them."""
    who = portrait.character
    speakers = [each for each in company.portraits if each.quotations]
    rank = speakers.index(portrait) + 1 if portrait in speakers else 0
    says = "says nothing under a name"
    if rank:
        says = f"says {portrait.quotations:,} ({_th(rank)} of {len(speakers):,})"
    parts = [
        "the narrator" if who.narrator else "", says,
        f"named {_times(portrait.mentions)}",
        f"in {len(portrait.presences):,} of {_several(len(company.chapters), 'chapter')}",
    ]  # fmt: skip
    return Content.assemble(
        (one_line(who.name, 100), "bold $primary"), "  ", " · ".join(filter(None, parts))
    )


def descriptions(portrait: Portrait, said: Sequence[Said]) -> list[Item]:
    """Names first, and then what the book tells, each with its passages."""
    who, book = portrait.character, portrait.book
    first = portrait.first or next((each.first for each in portrait.presences), "")
    names = ", ".join([one_line(who.name), *also_called(who)])
    items = [
        Item(
            Content.assemble(("called ", "$foreground-muted"), names,
                             (f"  first at {place(first)}" if first else "", "$foreground-muted")),
            first, f"{names} — {_titled(book)}", "the names",
        )
    ]  # fmt: skip
    for each in said:
        kind = KINDS.get(each.kind, each.kind) + (", automatic" if each.automatic else "")
        cited = [_cited(book, one) for one in each.passages]
        items.append(
            Item(
                Content.assemble((one_line(each.text), "bold"), (f"  {kind}", "$foreground-muted")),
                each.passages[0].locator if each.passages else "",
                "\n".join([f"{one_line(who.name)}: {one_line(each.text)} ({kind})", *cited]),
                "the description with its passages",
            )
        )
        items += [passage(book, one) for one in each.passages]
    return items


def passage(book: Book, cited: Cited) -> Item:
    """A passage with where it stands."""
    return Item(
        Content.assemble(
            f"  “{_clipped(cited.text)}” ",
            (f"{records.chapter_name(cited.chapter)}, {place(cited.locator)}", "$foreground-muted"),
        ),
        cited.locator, _cited(book, cited), "the passage with its source",
    )  # fmt: skip


def conversations(company: Company, portrait: Portrait) -> list[Item]:
    """With whom somebody speaks."""
    found = company.partners(portrait.character.id)
    most = max((each.turns for _, each in found), default=0)
    name = one_line(portrait.character.name)
    items = []
    for partner, exchange in found:
        other = one_line(partner.character.name)
        where, turns = _several(len(exchange.chapters), "chapter"), _several(exchange.turns, "turn")
        items.append(
            Item(
                Content.assemble(
                    _fitted(other, NAME), " ", bar(exchange.turns, most, BAR),
                    f" {turns}", (f" in {len(exchange.chapters)} ch., from {place(exchange.first)}",
                                  "$foreground-muted"),
                ),
                exchange.first,
                f"{name} and {other}: {turns} in {where}, first at [{exchange.first}] — "
                f"{_titled(portrait.book)}",
                "who speaks with whom", partner.character.id,
            )
        )  # fmt: skip
    return items


def chapters(company: Company, portrait: Portrait) -> list[Item]:
    """The chapters that somebody is in."""
    titles = {each.number: each for each in company.chapters}
    most = max((each.mentions + each.quotations for each in portrait.presences), default=0)
    name = one_line(portrait.character.name)
    items = []
    for each in portrait.presences:
        chapter = titles[each.chapter]
        counts = f"named {each.mentions:,}, says {each.quotations:,}"
        items.append(
            Item(
                Content.assemble(
                    (f"{each.chapter:>3} ", "$foreground-muted"),
                    _fitted(_called(chapter), NAME), " ",
                    bar(each.mentions + each.quotations, most, BAR), f" {counts}",
                ),
                each.first,
                f"{name}: {counts} — {records.citation(portrait.book, chapter)} [{each.first}]",
                "the chapter's numbers",
            )
        )  # fmt: skip
    return items


def quotations(quotes: Sequence[Quote]) -> list[Item]:
    """What somebody says, in reading order."""
    items = []
    for each in quotes:
        said = each.attribution
        guess = f", a guess ({100 * said.confidence:.0f} %)" if said.confidence < SURE else ""
        speaker = one_line(said.speaker.name) if said.speaker else ""
        source = records.citation(each.book, each.chapter)
        items.append(
            Item(
                Content.assemble(
                    f"“{_clipped(each.text)}” ", (f"{place(each.locator)}{guess}",
                                                  "$foreground-muted"),
                ),
                each.locator,
                f"“{one_line(each.text)}”\n— {speaker}, in {source} [{each.locator}]",
                "the quotation with its source",
            )
        )  # fmt: skip
    return items


def likely(hits: Sequence[Hit[Likely]]) -> list[Item]:
    """Whom a description may mean, with the passages that say so."""
    items = []
    for rank, hit in enumerate(hits, 1):
        found = hit.item
        percent = "<1 %" if hit.score < 0.01 else f"{100 * hit.score:.0f} %"
        items.append(
            Item(
                Content.assemble(
                    (f"{rank}. {one_line(found.character.name)}", "bold"), f"  {percent}"
                ),
                who=found.character.id,
            )
        )
        items += [passage(found.book, each) for each in found.passages]
    return items


def place(locator: str) -> str:
    """A locator as chapter and paragraph."""
    return ".".join(locator.partition(":")[2].partition(":")[0].split(".")[:2])


def _cited(book: Book, cited: Cited) -> str:
    source = records.citation(book, cited.chapter)
    return f"“{one_line(cited.text)}”\n— {source} [{cited.locator}]"


def _titled(book: Book) -> str:
    return ", ".join(filter(None, (one_line(book.author), one_line(book.title))))


def _called(chapter: Chapter) -> str:
    return one_line(" · ".join((*chapter.part, records.chapter_name(chapter))))


def _clipped(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1].rstrip()}…"


def _fitted(text: str, width: int) -> str:
    """A text in just as many cells."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) > width:
        return f"{set_cell_size(text, width - 1).rstrip()}…".ljust(width)
    return set_cell_size(text, width)


def _several(count: int, one: str) -> str:
    return f"{count:,} {one}{'s' * (count != 1)}"


def _times(count: int) -> str:
    return _several(count, "time")


def _th(rank: int) -> str:
    ending = (
        "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    )
    return f"{rank:,}{ending}"
