"""Characters: who is in a book, where, with whom they speak, and what is said of them.

errand -> (in a thread) Library.company -> Cast -> (in a thread) Library.descriptions -> Items
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import DataTable, Footer, Input, OptionList, Static

from scholar_indexes import records
from scholar_indexes.characters import company as cast_of
from scholar_indexes.errors import ScholarError
from scholar_indexes.types import Gender
from scholar_indexes.untrusted import one_line, safe
from scholar_tui.screens.choosing import Choice, ChooseScreen
from scholar_tui.screens.journey import Journey, Listing
from scholar_tui.screens.who import WhoScreen
from scholar_tui.widgets import telling
from scholar_tui.widgets.accounts import Item, Items, Sections
from scholar_tui.widgets.cast import Cast, Row
from scholar_tui.widgets.masthead import Masthead
from scholar_tui.widgets.plot import Plot

if TYPE_CHECKING:
    from scholar_indexes.answers import Portrait, Said
    from scholar_indexes.catalog import Shelved
    from scholar_indexes.characters.company import Company
    from scholar_indexes.types import Character

SECTIONS = ("Told", "Speaks with", "Chapters", "Says")
TOLD, WITH, CHAPTERS, SAYS = range(len(SECTIONS))

EMPTY = """The shelf is empty.

Press F2 to put books on it: a number or a title of Project Gutenberg, a file of your own, or the
sample of three novels that comes with scholar."""

_ORDERED = {
    "says": "by how much they say", "named": "by how often they are named", "name": "by name",
    "first": "as they come in",
}  # fmt: skip


class Filter(Input):
    """In the box that narrows the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,enter", "screen.to_cast", "To the list",
                tooltip="To the characters that match"),
        Binding("escape", "screen.back", "Everybody", tooltip="Show everybody again"),
    ]  # fmt: skip


class CharactersScreen(Journey):
    NAME = "characters"
    ABOUT = """
    The characters of a book: how much each says, how often they are named, where they come in,
    and how that goes on over the chapters. Below is what is known of the one under the cursor:
    what is told of them with the passages that say so, with whom they speak, the chapters they
    are in, and all they say. What is marked automatic was read from the book by a program and
    may be wrong. Two speak with each other where one's words follow the other's in a chapter,
    at most three paragraphs on. Enter opens any of it in the book.
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", show=False,
                tooltip="Read the first place where they are named"),
        Binding("1", "section(0)", "Told", show=False,
                tooltip="What the book tells of them, and the passages that say so"),
        Binding("2", "section(1)", "Speaks with", show=False, tooltip="With whom they speak"),
        Binding("3", "section(2)", "Chapters", show=False, tooltip="The chapters they are in"),
        Binding("4", "section(3)", "Says", show=False, tooltip="Everything they say"),
        Binding("right,l", "turn(1)", "Section on", show=False, tooltip="The next section"),
        Binding("left,h", "turn(-1)", "Section back", show=False, tooltip="The section before"),
        Binding("slash", "filter", "Filter", key_display="/",
                tooltip="Show only those who have some words in their names"),
        Binding("w", "who", "Who?", tooltip="Ask who a description means"),
        Binding("f", "find", "Find", tooltip="Find passages in what this character says"),
        Binding("b", "book", "Book", tooltip="See the characters of another book"),
        Binding("o", "order", "Order", show=False,
                tooltip="Order by how much they say, how often they are named, name or entrance"),
        Binding("y", "copy", "Copy", show=False,
                tooltip="Copy what is marked below, with its source"),
        Binding("q", "quiz", "Quiz", show=False, tooltip="Be quizzed on this book"),
        Binding("m", "plots", "Plots", show=False,
                tooltip="Plot how often they are named, or how often they speak"),
        Binding("t", "partner", "To them", show=False,
                tooltip="To the character with whom they speak here"),
        Binding("r", "refresh", "Refresh", show=False, tooltip="Read it again"),
        Binding("escape", "back", "Back", show=False,
                tooltip="Back to the list, and then to everybody"),
    ]  # fmt: skip
    DEFAULT_CSS = """
    CharactersScreen {
        & > #running { height: 1; background: $surface; color: $foreground-muted; padding: 0 1; }
        & #where { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        & #count { width: auto; padding-left: 1; color: $accent; }
        & Filter { display: none; padding: 0 1; background: $panel; }
        & Filter.-some { display: block; }
        & > #empty { height: 1fr; display: none; }
        & #none { height: 1fr; display: none; }
        &.-none #none { display: block; }
        &.-none Cast { height: 1; }
        & > #about { height: 12; border-top: solid $panel; padding: 0 1; }
        & > #about:focus-within { height: 15; border-top: solid $primary; }
        & #person { height: auto; }
        & #name { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & #plot { display: none; }
        & #known { height: 1fr; }
        &.-high {
            & > #about { height: 48%; }
            & > #about:focus-within { height: 62%; }
            & #plot { display: block; height: 6; }
        }
        &.-high.-wide {
            & > #about { layout: horizontal; }
            & #person { width: 2fr; height: 1fr; padding-right: 2; }
            & #name { height: auto; text-wrap: wrap; margin-bottom: 1; }
            & #plot { height: 1fr; max-height: 12; }
            & #known { width: 3fr; }
        }
        &.-empty {
            & > #empty { display: block; }
            & > #running, & Cast, & > #about, & Filter { display: none; }
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._company: Company | None = None
        self._told: dict[str, list[Said]] | None = None
        self._silence = ""
        """Why there are no descriptions; empty while they may still come."""
        self._loading: str | None = None
        """The book that is being read."""
        self._order = cast_of.ORDERS[0]
        self._spoken = False
        self._section = TOLD
        self._shown: tuple[str, int] | None = None

    def compose(self) -> ComposeResult:
        yield Masthead(self.NAME)
        with Horizontal(id="running"):
            yield Static("", id="where", markup=False)
            yield Static("", id="count", markup=False)
        yield Static("", id="empty", classes="empty", markup=False)
        yield Filter(placeholder="words of a name", id="filter", compact=True)
        yield Cast(id="cast")
        yield Static("nobody has all these words in a name; Escape shows everybody",
                     id="none", classes="empty", markup=False)  # fmt: skip
        with Vertical(id="about"):
            with Vertical(id="person"):
                yield Static("", id="name", markup=False)
                yield Plot(id="plot")
            with Vertical(id="known"):
                yield Sections(SECTIONS, id="sections")
                yield Items(id="items")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Cast).focus()
        self.watch(self.app, "app_focus", self._came_back, init=False)

    # -- coming and going --------------------------------------------------------------------

    def arrive(self, errand: Any) -> None:
        wanted = errand.partition(":")[0] if isinstance(errand, str) else ""
        listed = self._listed()
        if listed is None:
            return
        if wanted and wanted not in listed:
            self._open(errand)  # a number or a title, perhaps
            return
        company = self._company
        kept = [company.shelved.book.id] if company else []
        if company and not wanted and self.scholar.book in (None, *kept) and kept[0] not in listed:
            self._gone(company.shelved)
            return
        for book_id in (wanted, self.scholar.book, *kept, self._last(), *listed):
            if book_id in listed:
                self._stay_or_open(listed[book_id])
                return
        self._empty(EMPTY)

    def on_screen_suspend(self) -> None:
        self._loading = None  # leaving has ended it

    def _came_back(self, focused: bool) -> None:
        """The terminal has the focus again: another program may have changed the shelf."""
        if focused and self.is_current and self._company is not None:
            self.arrive(None)

    def _listed(self) -> dict[str, Shelved] | None:
        try:
            return {each.book.id: each for each in self.library.books()}
        except ScholarError as refusal:
            self._refuse(refusal)
            return None

    def _last(self) -> str | None:
        try:
            place = self.desk.last_place()
        except ScholarError:
            return None  # the reader tells it
        return place.book_id if place else None

    def _stay_or_open(self, shelved: Shelved) -> None:
        company = self._company
        if self._loading == shelved.book.id:
            return
        if company is None or company.shelved.edition != shelved.edition:
            if company and company.shelved.book.id == shelved.book.id:
                title = one_line(shelved.book.title, 80)
                self.tell(f"the text of {title} was replaced; it is read anew")
            self._open(shelved.book.id)
        else:
            self.scholar.book = shelved.book.id
            if self._told is None:
                self._describe(company)

    def _gone(self, shelved: Shelved) -> None:
        self._company = None
        self._empty(
            f"“{one_line(shelved.book.title, 80)}” was taken off the shelf.\n\n"
            "Press b to see the characters of another book, or F2 to add this one again."
        )

    # -- reading -----------------------------------------------------------------------------

    def _open(self, reference: str) -> None:
        """Read who is in a book."""
        self.cancel("descriptions")
        self._company, self._told, self._silence = None, None, ""
        title = self._loading = reference
        try:
            book = self.library.book(reference).book
        except ScholarError:
            pass  # the work below says why
        else:
            self.scholar.book = self._loading = book.id
            title = book.title
        self._empty(
            f"Reading who is in “{one_line(title, 80)}” …\n\n"
            "The first time this takes some seconds, and longer for a long book. You can go on "
            "elsewhere; b chooses another book."
        )
        self.ask(
            lambda progress: self.library.company(reference, progress), self._read,
            refused=self._refuse, group="company",
        )  # fmt: skip

    def _read(self, company: Company) -> None:
        if not self.is_attached:
            return
        self._loading, self._company, self._shown = None, company, None
        book = company.shelved.book
        self.scholar.book = book.id
        if not company.portraits:
            self._empty(
                f"No characters were found in “{one_line(book.title, 80)}”, though somebody "
                "speaks.\n\nPress b for another book, or F4 to read this one: who speaks is "
                "shown there."
            )
            return
        self.remove_class("-empty")
        with self.prevent(Input.Changed):
            self.query_one(Filter).value = ""
        self.query_one(Filter).set_class(False, "-some")
        self._show(company.portraits[0].character.id)
        self.query_one(Cast).focus()
        self._describe(company)

    def _describe(self, company: Company) -> None:
        """Read what is told of everybody, and show it when it is there."""
        self._silence = ""
        self.ask(
            lambda progress: self.library.descriptions(company, progress),
            lambda answer: self._described(company, *answer),
            refused=lambda refusal: self._undescribed(company, refusal), group="descriptions",
        )  # fmt: skip

    def _described(self, asked: Company, joined: Company, told: dict[str, list[Said]]) -> None:
        if not self.is_attached or asked is not self._company:
            return
        self._company, self._told = joined, told
        if len(joined.portraits) != len(asked.portraits):
            self._show(self.query_one(Cast).here)
        if self._section == TOLD:
            self._shown = None
        self._look()

    def _undescribed(self, asked: Company, refusal: ScholarError) -> None:
        if not self.is_attached or asked is not self._company:
            return
        self._silence, self._shown = str(refusal), None
        self._look()

    def _refuse(self, refusal: ScholarError) -> None:
        if not self.is_attached:
            return
        self._loading = self._company = None
        line = str(refusal)
        self._empty(
            f"{line[:1].upper()}{line[1:]}.\n\n"
            "Press b to see the characters of another book, F2 for the shelf, r to try again."
        )

    def _empty(self, line: str) -> None:
        """Nobody is shown, and this is why."""
        self.add_class("-empty")
        self.query_one("#empty", Static).update(safe(line))
        self.set_focus(None)
        self.refresh_bindings()

    # -- the list ----------------------------------------------------------------------------

    def _listed_now(self) -> list[Portrait]:
        if self._company is None:
            return []
        found = cast_of.narrowed(self._company.portraits, self.query_one(Filter).value)
        return cast_of.ordered(found, self._order)

    def _show(self, here: str | None) -> None:
        """Show those who are not filtered out."""
        company = self._company
        if company is None:
            return
        shown = self._listed_now()
        count, book = len(company.portraits), company.shelved.book
        self.query_one(Cast).show(
            (self._row(company, each) for each in shown), here, self._order, self._plotted
        )
        titled = " · ".join(filter(None, (one_line(book.title), one_line(book.author))))
        self.query_one("#where", Static).update(Content(titled))
        narrowed = f"{len(shown):,} of " if self.query_one(Filter).value.strip() else ""
        people = f"{count:,} character{'s' * (count != 1)}"
        self.query_one("#count", Static).update(f"{narrowed}{people}, {_ORDERED[self._order]}")
        self.set_class(not shown, "-none")
        self._shown = None
        self._look()
        self.refresh_bindings()

    def _row(self, company: Company, each: Portrait) -> Row:
        who = each.character
        return Row(
            who.id, who.name, "–" if who.gender is Gender.UNKNOWN else str(who.gender),
            each.quotations, each.mentions, telling.place(each.first),
            company.over(each, spoken=self._spoken),
        )  # fmt: skip

    @property
    def _plotted(self) -> str:
        return "Says, by chapter" if self._spoken else "Named, by chapter"

    @on(DataTable.RowHighlighted)
    def _moved(self) -> None:
        self._look()

    @property
    def _here(self) -> Portrait | None:
        here = self.query_one(Cast).here
        return self._company.portrait(here) if self._company and here else None

    def action_filter(self) -> None:
        box = self.query_one(Filter)
        box.set_class(True, "-some")
        box.focus()

    @on(Input.Changed, "#filter")
    def _filtered(self) -> None:
        self._show(self.query_one(Cast).here)

    def action_to_cast(self) -> None:
        box = self.query_one(Filter)
        box.set_class(bool(box.value), "-some")
        self.query_one(Cast).focus()

    def action_back(self) -> None:
        """From below to the list, and from there to everybody."""
        if self._company is None:
            return
        if not self.query_one(Items).has_focus:
            self.query_one(Filter).value = ""
        self.call_after_refresh(self.action_to_cast)

    def action_order(self) -> None:
        orders = cast_of.ORDERS
        self._order_by(orders[(orders.index(self._order) + 1) % len(orders)])

    @on(Cast.Ordered)
    def _head_clicked(self, event: Cast.Ordered) -> None:
        if event.order in cast_of.ORDERS:
            self._order_by(event.order)

    def _order_by(self, order: str) -> None:
        self._order = order
        self._show(self.query_one(Cast).here)

    def action_plots(self) -> None:
        self._spoken = not self._spoken
        self._show(self.query_one(Cast).here)

    # -- the one under the cursor ------------------------------------------------------------

    def _look(self) -> None:
        """Show what is known of the character under the cursor, in the section chosen."""
        company, portrait = self._company, self._here
        if company is None:
            return
        if portrait is None:
            self._shown = None
            self.query_one("#name", Static).update("")
            self.query_one(Plot).show((), (), "")
            self.query_one(Sections).show(self._section, [None] * len(SECTIONS))
            self.query_one(Items).show([])
            return
        who = portrait.character.id
        if self._shown == (who, self._section):
            return
        self._shown = who, self._section
        self.query_one("#name", Static).update(telling.summary(company, portrait))
        what = "says" if self._spoken else "named"
        numbers = [each.number for each in company.chapters]
        self.query_one(Plot).show(company.over(portrait, spoken=self._spoken), numbers, what)
        told = None if self._told is None else len(self._told.get(who, ()))
        self.query_one(Sections).show(
            self._section,
            (told, len(company.partners(who)), len(portrait.presences), portrait.quotations),
        )
        items = self._items(company, portrait)
        below = 1 if self._section == TOLD and len(items) > 1 and not items[1].idle else 0
        self.query_one(Items).show(items, below)

    def _items(self, company: Company, portrait: Portrait) -> list[Item]:
        who = portrait.character.id
        if self._section == WITH:
            return telling.conversations(company, portrait) or [_note("speaks with nobody")]
        if self._section == CHAPTERS:
            return telling.chapters(company, portrait) or [_note("is in no chapter by name")]
        if self._section == SAYS:
            return telling.quotations(company.said_by(who)) or [_note("says nothing under a name")]
        said = (self._told or {}).get(who, ())
        items = telling.descriptions(portrait, said)
        if self._silence:
            items.append(_note(self._silence))
        elif self._told is None:
            items.append(_note("reading what the book tells of its characters …"))
        elif not said:
            items.append(
                _note("nothing is told of them that a program can read; / in the reader (F4) "
                      "looks for their name")
            )  # fmt: skip
        return items

    def action_section(self, number: int) -> None:
        """Show a section, and go into it."""
        self._section = number
        self._look()
        self.query_one(Items).focus()
        self.refresh_bindings()

    def action_turn(self, by: int) -> None:
        """Show the next section; the focus stays where it is."""
        self._section = (self._section + by) % len(SECTIONS)
        self._look()
        self.refresh_bindings()

    @on(Sections.Chosen)
    def _section_clicked(self, event: Sections.Chosen) -> None:
        if self._company is not None:
            self.action_section(event.number)

    # -- elsewhere ---------------------------------------------------------------------------

    async def action_open(self) -> None:
        """Open where the character comes in."""
        portrait = self._here
        if portrait is None:
            return
        first = portrait.first or next((each.first for each in portrait.presences), "")
        await self.scholar.go("reader", first or portrait.book.id)

    @on(DataTable.RowSelected)
    async def _row_clicked(self) -> None:
        await self.action_open()

    @on(OptionList.OptionSelected)
    async def _item_opened(self) -> None:
        here = self.query_one(Items).here
        if here is not None and here.locator:
            await self.scholar.go("reader", here.locator)

    async def action_find(self) -> None:
        """Find something in what the character says."""
        if (portrait := self._here) is None:
            return
        if not portrait.quotations:
            self.tell(f"{one_line(portrait.character.name, 60)} says nothing under a name")
            return
        await self.scholar.go(
            "find",
            {"claim": "", "book": portrait.book.id, "speaker": one_line(portrait.character.name)},
        )

    async def action_quiz(self) -> None:
        if self._company is not None:
            await self.scholar.go("quiz", self._company.shelved.book.id)

    def action_copy(self) -> None:
        here = self.query_one(Items).here
        if here is not None and here.copied:
            self.scholar.copy(here.copied, here.named)
        else:
            self.tell("nothing is marked below that can be copied")

    def action_partner(self) -> None:
        """Go to the character with whom this one speaks."""
        here = self.query_one(Items).here
        if here is None or not here.who:
            self.tell("2 shows with whom they speak; t goes to one of them")
        else:
            self._go_to(here.who)

    def _go_to(self, who: str) -> None:
        """Bring the cursor to a character, even one who is filtered out."""
        if not self.query_one(Cast).go_to(who):
            with self.prevent(Input.Changed):
                self.query_one(Filter).value = ""
            self._show(who)
            self.action_to_cast()

    def action_who(self) -> None:
        if self._company is not None:
            self.app.push_screen(WhoScreen(self, self._company.shelved.book), self._who_answered)

    async def _who_answered(self, answer: Character | str | None) -> None:
        if isinstance(answer, str):
            await self.scholar.go("reader", answer)
        elif answer is not None and self._company is not None:
            portrait = self._company.meant(answer)
            if portrait is None:
                self.tell(f"{one_line(answer.name, 60)} is not in this list")
            else:
                self._go_to(portrait.character.id)
                self.query_one(Cast).focus()

    def action_book(self) -> None:
        """Choose another book."""
        listed = self._listed()
        if listed is None:
            return
        if not listed:
            self._empty(EMPTY)
            return
        here = self._company.shelved.book.id if self._company else self._loading
        choices = [
            Choice(book_id, each.book.title,
                   f"{each.book.author}{'  (this one)' if book_id == here else ''}")
            for book_id, each in listed.items()
        ]  # fmt: skip
        choices.sort(key=lambda choice: choice.value != here)
        self.app.push_screen(ChooseScreen("Whose characters", choices), self._book_chosen)

    def _book_chosen(self, chosen: list[str] | None) -> None:
        if chosen and not (self._company and self._company.shelved.book.id == chosen[0]):
            self._open(chosen[0])

    def action_refresh(self) -> None:
        book_id = self._company.shelved.book.id if self._company else self.scholar.book
        listed = self._listed()
        if listed is None:
            return
        if book_id in listed:
            self._open(book_id)
        else:
            self.arrive(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("open", "section", "turn", "filter", "order", "who", "find", "copy", "quiz",
                      "plots", "partner"):  # fmt: skip
            return self._company is not None and bool(self._company.portraits)
        return True

    # -- export ------------------------------------------------------------------------------

    def listing(self) -> Listing | None:
        """Those who are listed, with what is told of them."""
        company, shown = self._company, self._listed_now()
        if company is None or not shown:
            return None
        if self._told is None and not self._silence:
            self.tell("what is told of them is still being read, and not exported yet")
        data = cast_of.as_records(company, shown, self._told)
        book = company.shelved.book
        return Listing(
            f"{book.id}-characters",
            {
                "md": safe(cast_of.as_markdown(company, shown, self._told)),
                "json": safe(json.dumps(data, ensure_ascii=False, indent=2)) + "\n",
                "bib": records.bibtex([book]),
            },
        )


def _note(line: str) -> Item:
    return Item(Content(one_line(line, 400)))
