"""Papers: a shelf to look through, an abstract by its facets, and papers alike in one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Footer, Input, Static

from scholar_indexes.errors import NotIndexed, NotThere, ScholarError, UsageError
from scholar_indexes.papers import records
from scholar_indexes.papers.shelf import folded
from scholar_indexes.types import Facet, Progress
from scholar_indexes.untrusted import one_line
from scholar_tui.screens.journey import Journey, Listing
from scholar_tui.widgets.masthead import Masthead
from scholar_tui.widgets.papers import (
    LETTERS,
    Abstract,
    Items,
    Pairs,
    PaperList,
    Row,
    cut,
    pairs,
)  # fmt: skip

if TYPE_CHECKING:
    from scholar_indexes.papers.library import Alike, Asked, Matched, PaperLibrary, Report, Years
    from scholar_indexes.papers.shelf import Kept
    from scholar_indexes.types import Hit, Paper
    from scholar_tui.screens.papers_asking import Source

HITS = 50
"""Papers that are found at a time."""

PAGE = 500
"""Papers of the shelf that are listed at a time; the next come when the last is reached."""

_ALIKE = Binding.Group("Alike", compact=True)
_ADVICE = {
    "add some: scholar papers add FILE": "press a to add some",
    "run: scholar papers rebuild": "press R to make it anew here (scholar papers rebuild)",
    "ask by its words: scholar papers find TITLE": "press f to ask by its words",
}
"""What a command line advises, as what to do here."""


@dataclass(slots=True, eq=False)
class Step:
    """A list on the trail: what was asked (a claim, or a paper in some respect), what came of
    it, and where the reader was in it."""

    claim: str = ""
    reference: str = ""
    title: str = ""
    facet: Facet | None = None
    sentences: tuple[int, ...] = ()
    asked: Asked | None = None
    hits: list[Hit[Alike]] = field(default_factory=list)
    scope: tuple[str | None, Years] | None = None
    """The collection and the years that the hits are of."""
    at: int = 0
    filter: str = ""

    @property
    def respect(self) -> str:
        """In what the hits are alike."""
        if self.claim:
            return "found"
        if self.sentences:
            many = "sentences" if len(self.sentences) > 1 else "sentence"
            return f"alike in {many} {', '.join(map(str, self.sentences))}"
        return f"alike in {self.facet}" if self.facet else "alike altogether"


class Claim(Input):
    """The box for a claim; up and down bring back what was asked before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(1)", "Asked before", show=False, tooltip="What was asked before"),
        Binding(
            "down", "recall(-1)", "Asked later", show=False, tooltip="What was asked after that"
        ),
    ]

    def __init__(self, claims: Callable[[], list[str]], **more: Any) -> None:
        super().__init__(**more)
        self._claims = claims
        self._back = 0
        self._draft = ""

    def action_recall(self, by: int) -> None:
        claims = self._claims()
        if not self._back:
            self._draft = self.value
        self._back = max(0, min(self._back + by, len(claims)))
        self.value = claims[self._back - 1] if self._back else self._draft
        self.cursor_position = len(self.value)

    def on_input_submitted(self) -> None:
        self._back = 0


class PapersScreen(Journey):
    NAME = "papers"
    ABOUT = (
        "Your papers are on the left, and beside them the abstract of one: the letter and the "
        "colour of a sentence say whether it is background (B), method (M), result (R) or other "
        "(O). b, m and r find the papers that are alike in that respect, w those alike "
        "altogether; in the abstract, space chooses sentences and enter finds what is like them. "
        "In a list of such papers the sentences that matched stand side by side below; enter "
        "follows a paper, backspace goes back. f asks all papers freely, or with a file that has "
        "one paper in it."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/",
                tooltip="Show the papers that have some words in title, authors, year or venue"),
        Binding("f", "claim", "Find", tooltip="Find papers that answer a claim or a question"),
        Binding("b", "alike('background')", "Background", group=_ALIKE,
                tooltip="Papers alike in background"),
        Binding("m", "alike('method')", "Method", group=_ALIKE, tooltip="Papers alike in method"),
        Binding("r", "alike('result')", "Result", group=_ALIKE, tooltip="Papers alike in result"),
        Binding("w", "alike('')", "Whole", group=_ALIKE, tooltip="Papers alike altogether"),
        Binding("enter", "follow", "Follow", show=False,
                tooltip="Papers like this one, or like the chosen sentences of its abstract"),
        Binding("space", "choose", "Sentence", show=False,
                tooltip="Choose sentences of the abstract to ask with; enter asks"),
        Binding("backspace", "back", "Back", tooltip="Back to the list before"),
        Binding("escape", "leave", "Out", show=False,
                tooltip="Out of a box or the abstract, then back to the list before"),
        Binding("a", "add", "Add", show=False,
                tooltip="Add papers from a file, or fetch one by its id"),
        Binding("c", "collection", "Collection", show=False, tooltip="Choose a collection"),
        Binding("t", "years", "Years", show=False,
                tooltip="Only papers of some years: 2015, 2015- or 2010-2014"),
        Binding("n", "step(1)", "Next", show=False, tooltip="The next paper of the list"),
        Binding("p", "step(-1)", "Previous", show=False, tooltip="The paper before in the list"),
        Binding("y", "copy", "Copy", show=False,
                tooltip="Copy the citation; in the abstract, the sentence with it"),
        Binding("Y", "copy_bibtex", "Copy BibTeX", show=False, tooltip="Copy the BibTeX entry"),
        Binding("delete,d", "remove", "Remove", show=False,
                tooltip="Remove the paper, after asking"),
        Binding("R", "rebuild", "Rebuild", show=False,
                tooltip="Make the index of papers anew, after damage or for another model"),
    ]  # fmt: skip
    CSS = """
    PapersScreen {
        .pane { padding: 0; }
        #filter { height: 1; border: none; padding: 0 1; }
        &.-short #top Input { height: 1; border: none; padding: 0 1; background: $panel; }
        &.-short #top Input:focus { background: $surface; }
    }
    """
    DEFAULT_CSS = """
    PapersScreen {
        #top { height: 3; }
        .label { display: none; width: auto; padding: 0 0 0 1; color: $foreground-muted; }
        #top Input, .pane { border-title-color: $foreground-muted; }
        .pane:focus, .pane:focus-within { border-title-color: $primary; }
        #claim { width: 1fr; }
        #years { width: 20; }
        #years.-invalid { color: $error; }
        #trail { height: 1; padding: 0 1; color: $foreground-muted; display: none;
                 text-wrap: nowrap; text-overflow: ellipsis; }
        #middle { height: 1fr; }
        #left { width: 9fr; min-width: 30; border-subtitle-color: $accent; }
        #abstract { width: 11fr; border-subtitle-color: $foreground; }
        #filter { display: none; background: $panel; }
        #filter:focus, #filter.-used { display: block; }
        #papers { height: 1fr; }
        #pairs { display: none; height: 34%; min-height: 7;
                 border-subtitle-color: $foreground-muted; }
        &.-found #pairs, &.-found #trail { display: block; }
        &.-narrow {
            #left { width: 2fr; }
            #abstract { width: 3fr; }
        }
        &.-short {
            #top { height: 1; background: $panel; }
            .label { display: block; }
            #years { width: 14; }
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._trail: list[Step] = []
        self._pending: Step | None = None
        self._shelf: list[Kept] = []
        self._shelf_filter = ""
        self._shelf_number = 0
        self._limit = PAGE
        self._collection: str | None = None
        self._years: Years = (None, None)
        self._hits: list[Hit[Alike]] = []
        self._adding = ""
        self._came = False

    def compose(self) -> ComposeResult:
        yield Masthead(self.NAME)
        with Horizontal(id="top"):
            yield Static("Find", classes="label")
            yield Claim(
                self._claims, id="claim",
                placeholder="a claim, a question, or a file with one paper",
            )  # fmt: skip
            yield Static("Years", classes="label")
            yield Input(id="years", placeholder="2010-2014", max_length=20)
        yield Static("", id="trail", markup=False)
        with Horizontal(id="middle"):
            with Vertical(id="left", classes="pane"):
                yield Input(
                    id="filter", placeholder="words of title, authors, year, venue",
                )  # fmt: skip
                yield PaperList(id="papers")
            yield Abstract(id="abstract", classes="pane")
        yield Pairs(id="pairs", classes="pane")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#claim").border_title = "find"
        self.query_one("#years").border_title = "years"
        self.query_one("#abstract").border_title = "abstract"
        self.query_one("#abstract").border_subtitle = Content.assemble(
            (LETTERS[Facet.BACKGROUND], "bold $speaker-0"), " background  ",
            (LETTERS[Facet.METHOD], "bold $speaker-1"), " method  ",
            (LETTERS[Facet.RESULT], "bold $speaker-2"), " result  ",
            (LETTERS[Facet.OTHER], "bold"), " other",
        )  # fmt: skip
        self.query_one("#papers").focus()

    # -- parts -------------------------------------------------------------------------------

    @property
    def papers(self) -> PaperLibrary:
        return self.library.papers

    @property
    def step(self) -> Step | None:
        """The list that is shown, or None for the shelf."""
        return self._trail[-1] if self._trail else None

    @property
    def rows(self) -> PaperList:
        return self.query_one("#papers", PaperList)

    @property
    def abstract(self) -> Abstract:
        return self.query_one("#abstract", Abstract)

    @property
    def shown(self) -> Kept | None:
        """The paper whose abstract is shown."""
        return self.rows.row.kept if self.rows.row else None

    @property
    def _scope(self) -> tuple[str | None, Years]:
        return self._collection, self._years

    # -- coming ------------------------------------------------------------------------------

    def arrive(self, errand: Any) -> None:
        if not self._came:
            self._came = True
            self._remember()
        if isinstance(errand, dict) and errand.get("claim"):
            self.query_one("#claim", Input).value = one_line(str(errand["claim"]), 2_000)
            self._ask(Step(claim=str(errand["claim"])))
        elif self._pending and not self._working("asking"):
            self._ask(self._pending)
        self._load()

    def _remember(self) -> None:
        """Take up the collection and the years of last time."""
        try:
            self._collection = self.desk.choice("papers.collection") or None
            years = self.desk.choice("papers.years") or ""
            self._years = records.years(years) if years else (None, None)
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            return
        with self.query_one("#years", Input).prevent(Input.Changed):
            self.query_one("#years", Input).value = years

    def _choose(self, name: str, value: str) -> None:
        try:
            self.desk.choose(name, value)
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")

    def _claims(self) -> list[str]:
        try:
            return self.desk.claims()
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            return []

    def _working(self, group: str) -> bool:
        return any(
            each.group == group and each.node is self and not each.is_finished
            for each in self.app.workers
        )

    # -- the shelf ---------------------------------------------------------------------------

    def _load(self) -> None:
        """List the papers of the shelf anew."""
        words, (collection, years), limit = self._shelf_filter, self._scope, self._limit

        def work(progress: Progress) -> tuple[list[Kept], int]:
            shelf = self.papers.shelf
            found = shelf.matching(words, collection, years, limit, progress)
            return found, shelf.count(collection, years)

        self.ask(work, self._loaded, refused=self._not_loaded, group="listing")

    def _loaded(self, answer: tuple[list[Kept], int]) -> None:
        self._shelf, self._count = answer
        if not self._trail:
            self._show_shelf()

    def _not_loaded(self, refusal: ScholarError) -> None:
        if isinstance(refusal, NotThere) and self._collection:
            self.tell(str(refusal), severity="warning")
            self._set_collection(None)
            return
        self._shelf, self._count = [], 0
        if not self._trail:
            self.rows.show_rows([], instead=_here(refusal))
            self._title("papers")

    _count = 0

    def _show_shelf(self) -> None:
        self._set_found(False)
        self._set_filter(self._shelf_filter)
        numbers = [each.number for each in self._shelf]
        at = numbers.index(self._shelf_number) if self._shelf_number in numbers else 0
        self.rows.show_rows([Row(each) for each in self._shelf], at, self._nothing())
        name = one_line(self._collection, 30) if self._collection else "papers"
        listed = f"{len(self._shelf):,} of " if len(self._shelf) < self._count else ""
        self._title(f"{name} {listed}{self._count:,}" if self._count else name)
        self.query_one("#left").border_subtitle = "c collection  a add"

    def _nothing(self) -> str:
        """What to say where no paper is listed."""
        if self._shelf_filter or self._years != (None, None):
            return "No paper has that. Escape clears the filter; t changes the years."
        if self._collection:
            return "This collection is empty. a adds papers to it; c chooses another."
        return (
            "No papers yet. a adds them: from a file of your reference manager (BibTeX, RIS, "
            "CSL-JSON ...), from a PDF, or by an id such as arxiv:1810.04805."
        )

    def _set_found(self, found: bool) -> None:
        if found != self.has_class("-found"):
            self.set_class(found, "-found")
            self.refresh_bindings()

    def _title(self, title: str) -> None:
        self.query_one("#left").border_title = Content(title)

    # -- asking ------------------------------------------------------------------------------

    def _ask(self, step: Step) -> None:
        """Find what a step asks for; only when it is there is it put on the trail."""
        collection, years = self._scope

        def work(progress: Progress) -> tuple[Asked | None, list[Hit[Alike]]]:
            if step.claim:
                hits = self.papers.find(step.claim, n=HITS, collection=collection, years=years)
                return None, hits
            return self.papers.similar(
                step.reference, facet=step.facet, sentences=step.sentences, n=HITS,
                collection=collection, years=years, progress=progress,
            )  # fmt: skip

        def answered(answer: tuple[Asked | None, list[Hit[Alike]]]) -> None:
            step.asked, step.hits = answer
            step.scope = (collection, years)
            if step.asked:
                step.title = step.asked.paper.title or step.reference
            self._pending = None
            if step not in self._trail:
                self._note_place()
                self._trail.append(step)
                if not isinstance(self.focused, Input):
                    self.rows.focus()
            if step is self.step:
                self._show_hits()

        self._pending = step
        self.query_one("#left").border_subtitle = "asking…"
        self.ask(work, answered, refused=lambda refusal: self._refused(step, refusal))

    def _refused(self, step: Step, refusal: ScholarError) -> None:
        from scholar_indexes.papers.library import NoFacet

        self._pending = None
        self.query_one("#left").border_subtitle = None
        if step in self._trail:  # its hits are of other years or another collection
            step.hits, step.scope = [], self._scope
            self._show_hits(_here(refusal))
        shown = self.shown
        if isinstance(refusal, NoFacet):
            said = f"no sentence of “{one_line(step.title, 60)}” is labelled {step.facet}"
            if shown and shown.paper.id == step.reference:
                self.abstract.focus()
                self.abstract.move_to(refusal.nearest)
                here = f"sentence {refusal.nearest} comes nearest: enter asks with it"
            else:
                here = f"its sentence {refusal.nearest} comes nearest; backspace leads to it"
            self.tell(f"{said}; {here}", severity="warning")
        else:
            self.tell(_here(refusal), severity="error")

    def _show_hits(self, instead: str = "") -> None:
        step = self.step
        assert step
        self._set_found(True)
        self.query_one("#left").border_subtitle = None
        self._set_filter(step.filter)
        words = folded(step.filter).split()
        self._hits = [hit for hit in step.hits if _has(hit.item.kept.paper, words)]
        rows = [Row(hit.item.kept, hit.score) for hit in self._hits]
        self.rows.show_rows(rows, step.at, instead or (
            "No hit has these words. Escape clears the filter." if words else
            "No other paper passes. t changes the years, c the collection; a adds papers."
        ))  # fmt: skip
        self._title(f"{step.respect} {len(rows)}")
        self.query_one("#trail", Static).update(Content(self._path()))

    def _path(self) -> str:
        """The trail in one line: long names are cut shorter, then the first ones left out."""
        width = max(self.size.width - 2, 20)
        for room in (60, 40, 28, 20):
            path = ["Papers"]
            for each in self._trail:
                what = f"“{each.claim}”" if each.claim else each.title
                path.append(f"{cut(what, room)} ({each.respect.removeprefix('alike ')})")
            if cell_len(" › ".join(path)) <= width:
                break
        while len(path) > 2 and cell_len(" › ".join(path)) > width:
            path[:2] = ["…"]
        return " › ".join(path)

    def _note_place(self) -> None:
        """Remember where the reader is in the list that is shown."""
        if self.step:
            self.step.at = self.rows.at
        elif self.shown:
            self._shelf_number = self.shown.number

    @on(Items.Moved, "#papers")
    def _show_paper(self) -> None:
        row = self.rows.row
        step = self.step
        self._note_place()
        if step and self.rows.at < len(self._hits):
            hit = self._hits[self.rows.at]
            matched = hit.item.matched
            self.abstract.show_paper(hit.item.kept, matched)
            self._show_pairs(step, hit, matched)
        else:
            self.abstract.show_paper(row.kept if row else None)
            self.query_one("#pairs", Pairs).show_pairs([])
            self.query_one("#pairs").border_subtitle = None
        if not step and row and self.rows.at + 1 == self._limit <= len(self._shelf):
            self._limit += PAGE
            self._load()

    def _show_pairs(self, step: Step, hit: Hit[Alike], matched: tuple[Matched, ...]) -> None:
        asked = step.asked.paper if step.asked else None
        pane = self.query_one("#pairs", Pairs)
        pane.show_pairs(pairs(asked, step.claim, hit.item.kept.paper, matched))
        pane.border_title = Content(f"what matched in {one_line(hit.item.kept.paper.title)}")
        parts = ", ".join(f"{name} {value:.2f}" for name, value in hit.item.parts.items())
        pane.border_subtitle = Content(f"score {hit.score:.3f}: {parts}")

    @on(Items.Moved, "#pairs")
    def _point_at_sentence(self) -> None:
        pair = self.query_one("#pairs", Pairs).pair
        if pair and pair.found.number and self.focused is self.query_one("#pairs"):
            self.abstract.move_to(pair.found.number)

    @on(Items.Chosen)
    async def _clicked_twice(self) -> None:
        await self.run_action("follow")

    # -- keys --------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back":
            return bool(self._trail)
        return True

    def action_alike(self, facet: str) -> None:
        """Papers alike in a facet: to the paper that the hits are alike to, or, in the abstract
        and on the shelf, to the one that is shown."""
        step = self.step
        asked = Facet(facet) if facet else None
        if step and step.asked and not isinstance(self.focused, Abstract):
            self._ask(Step(reference=step.reference, title=step.title, facet=asked))
        elif shown := self.shown:
            self._ask(Step(reference=shown.paper.id, title=shown.paper.title, facet=asked))

    def action_follow(self) -> None:
        shown = self.shown
        if not shown:
            return
        step = self.step
        if isinstance(self.focused, Abstract):
            here = self.abstract.sentence
            if here is None:
                self.tell("no abstract of it is known; f finds others by words")
                return
            sentences = tuple(at + 1 for at in sorted(self.abstract.chosen or {here}))
            title = shown.paper.title
            self._ask(Step(reference=shown.paper.id, title=title, sentences=sentences))
        else:
            facet = step.facet if step else None
            self._ask(Step(reference=shown.paper.id, title=shown.paper.title, facet=facet))

    def action_choose(self) -> None:
        if self.focused is self.abstract:
            self.abstract.toggle()
            self.abstract.action_move(1)
        elif self.shown:
            self.abstract.focus()

    def action_step(self, by: int) -> None:
        self.rows.action_move(by)

    def action_back(self) -> None:
        """Back along the trail."""
        if self._trail:
            self._trail.pop()
            self._show_top()

    def _show_top(self) -> None:
        self._pending = None
        self.cancel("asking")
        self.query_one("#left").border_subtitle = None
        step = self.step
        if step is None:
            self._show_shelf()
        elif step.scope != self._scope:
            self._ask(step)
        else:
            self._show_hits()

    def action_leave(self) -> None:
        """Out of a box, then out of the abstract, then out of what was chosen."""
        if self.focused is not self.rows:
            self.rows.focus()
        elif self._pending and self.cancel("asking"):
            self._pending = None
            self.query_one("#left").border_subtitle = None
        elif self.query_one("#filter", Input).value:
            self.query_one("#filter", Input).value = ""
        else:
            self.action_back()

    def action_claim(self) -> None:
        self.query_one("#claim").focus()

    def action_years(self) -> None:
        self.query_one("#years").focus()

    def action_filter(self) -> None:
        self.query_one("#filter").add_class("-used")
        self.query_one("#filter").focus()

    def on_key(self, event: Any) -> None:
        if event.key == "down" and isinstance(self.focused, Input) and self.focused.id == "filter":
            event.stop()
            self.rows.focus()

    # -- boxes -------------------------------------------------------------------------------

    @on(Input.Submitted, "#claim")
    def _claimed(self, event: Input.Submitted) -> None:
        claim = event.value.strip()
        if not claim:
            self.tell("write a claim or a question to find papers for")
            return

        def looked(path: str) -> None:
            if path:
                self._ask(Step(reference=path, title=claim))
                return
            try:
                self.desk.note_claim(claim)
            except ScholarError as refusal:
                self.tell(str(refusal), severity="error")
            self._ask(Step(claim=claim))

        self.rows.focus()
        self.ask(lambda _: _file(claim), looked)

    @on(Input.Changed, "#years")
    def _years_typed(self, event: Input.Changed) -> None:
        said = event.value.strip()
        try:
            years = records.years(said) if said else (None, None)
        except UsageError:
            event.input.add_class("-invalid")
            return
        event.input.remove_class("-invalid")
        if years != self._years:
            self._years = years
            self._choose("papers.years", said)
            self._rescope()

    @on(Input.Submitted, "#years")
    def _years_given(self, event: Input.Submitted) -> None:
        try:
            if event.value.strip():
                records.years(event.value)
        except UsageError as refusal:
            self.tell(str(refusal), severity="error")
        else:
            self.rows.focus()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        event.input.set_class(bool(event.value), "-used")
        if self.step:
            self.step.filter, self.step.at = event.value, 0
            self._show_hits()
        else:
            self._shelf_filter, self._limit = event.value, PAGE
            self._load()

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self.rows.focus()

    def _set_filter(self, value: str) -> None:
        box = self.query_one("#filter", Input)
        if box.value != value:
            with box.prevent(Input.Changed):
                box.value = value
        box.set_class(bool(value), "-used")

    def _rescope(self) -> None:
        """Other years or another collection: ask again for what is shown."""
        self._limit = PAGE
        self._load()
        if self.step:
            self.step.at = 0
            self._ask(self.step)

    # -- collections -------------------------------------------------------------------------

    def action_collection(self) -> None:
        from scholar_tui.screens.papers_asking import ChooseCollection

        def choose(answer: tuple[list[Any], int]) -> None:
            collections, count = answer
            if not collections:
                self.tell("there are no collections yet; a adds papers to one")
            elif self.scholar.screen is self:
                self.app.push_screen(
                    ChooseCollection(collections, count, self._collection), self._chosen
                )

        shelf = self.papers.shelf
        self.ask(lambda _: (shelf.collections(), shelf.count()), choose, group="collections")

    def _chosen(self, name: str | None) -> None:
        if name is not None and (name or None) != self._collection:
            self._set_collection(name or None)

    def _set_collection(self, name: str | None) -> None:
        self._collection = name
        self._choose("papers.collection", name or "")
        self._rescope()

    # -- adding and removing -----------------------------------------------------------------

    def action_add(self) -> None:
        from scholar_tui.screens.papers_asking import AddPapers

        offline = self.library.settings.offline
        self.app.push_screen(AddPapers(self._collection, offline, self._add))

    def _add(self, source: Source) -> str | None:
        """Begin to add a source; returns why not, if not."""
        if self._adding:
            return f"{one_line(self._adding, 60)} is still being worked on; wait for it"
        name = source.name
        self._adding = name

        def work(progress: Progress) -> Report:
            return _added(self.papers, source, progress)

        def added(report: Report) -> None:
            self._adding = ""
            self._say(records.told(report, name), warn=bool(report.broken))
            self._load()

        def refused(refusal: ScholarError) -> None:
            self._adding = ""
            self._say([_here(refusal)], error=True)
            self._load()

        self.ask(work, added, refused=refused, group="adding papers", lasting=True)
        return None

    def _say(self, lines: list[str], *, warn: bool = False, error: bool = False) -> None:
        """Tell what became of a source where it was asked for, or in passing."""
        from scholar_tui.screens.papers_asking import AddPapers

        if isinstance(self.app.screen, AddPapers):
            self.app.screen.say(lines)
        severity = "error" if error else "warning" if warn else "information"
        shown = [*lines[-1:], *lines[:-1][:3]]
        self.tell("; ".join(shown), severity=severity)

    def action_remove(self) -> None:
        from scholar_tui.screens.papers_asking import RemovePaper

        shown = self.shown
        if shown is None:
            self.tell("there is no paper to remove here")
            return

        def decided(where: str | None) -> None:
            if where is None:
                return
            collection = self._collection if where == "here" else None
            self.ask(
                lambda _: self.papers.remove(shown.paper.id, collection),
                lambda kept: self._removed(kept, collection),
                group="removing papers", lasting=True,
            )  # fmt: skip

        self.app.push_screen(RemovePaper(shown.paper.title, self._collection), decided)

    def _removed(self, kept: Kept, collection: str | None) -> None:
        where = f" from {collection}" if collection else ""
        self.tell(f"removed{where}: {kept.paper.title}")
        for step in self._trail:
            step.hits = [hit for hit in step.hits if hit.item.kept.number != kept.number]
        self._load()
        if self.step:
            self.step.at = self.rows.at
            self._show_hits()

    def action_rebuild(self) -> None:
        if self._adding:
            self.tell(f"wait until {self._adding} is done")
            return

        def rebuilt(said: str, severity: str = "information") -> None:
            self._adding = ""
            self.tell(said, severity=severity)

        self._adding = "the index of papers"
        self.tell("making the index of papers anew")
        self.ask(
            self.papers.rebuild,
            lambda count: rebuilt(f"the index has {count:,} papers"),
            refused=lambda refusal: rebuilt(_here(refusal), "error"),
            group="adding papers", lasting=True,
        )  # fmt: skip

    # -- leaving with something --------------------------------------------------------------

    def action_copy(self) -> None:
        shown = self.shown
        if shown is None:
            self.tell("there is no paper to copy here")
            return
        cited = records.citation(shown.paper)
        if self.focused is self.abstract and self.abstract.sentence is not None:
            chosen = sorted(self.abstract.chosen) or [self.abstract.sentence]
            said = " […] ".join(one_line(shown.paper.sentences[at]) for at in chosen)
            self.scholar.copy(f"“{said}” — {cited}", "the sentence with its citation")
        else:
            self.scholar.copy(cited, "the citation")

    def action_copy_bibtex(self) -> None:
        if shown := self.shown:
            self.scholar.copy(records.bibtex([shown]), "the BibTeX entry")
        else:
            self.tell("there is no paper to copy here")

    def listing(self) -> Listing | None:
        """The list that is shown."""
        import json

        listed = [row.kept for row in self.rows.rows]
        if not listed:
            return None
        step = self.step
        if step is None:
            name = one_line(self._collection or "papers")
            data = [records.paper(each) for each in listed]
            markdown = records.papers_markdown(name, listed)
        else:
            what = step.claim or step.title
            name = f"papers {step.respect}"
            data = [records.alike(rank, hit, step.asked) for rank, hit in enumerate(self._hits, 1)]
            markdown = records.alike_markdown(f"{step.respect}: {what}", self._hits, step.asked)
        return Listing(name, {
            "md": markdown,
            "json": json.dumps(data, ensure_ascii=False, indent=2) + "\n",
            "bib": records.bibtex(listed),
        })  # fmt: skip


def _here(refusal: ScholarError) -> str:
    """A refusal with its advice as what to do on this screen."""
    line = str(refusal)
    for there, here in _ADVICE.items():
        line = line.replace(there, here)
    if isinstance(refusal, NotIndexed) and line == str(refusal):
        line += " (press R)"
    return line


def _has(paper: Paper, words: list[str]) -> bool:
    said = folded(" ".join([paper.title, *paper.authors, str(paper.year or ""), paper.venue]))
    return all(each in said for each in words)


def _file(name: str) -> str:
    """A file of that name, if there is one."""
    from pathlib import Path

    try:
        path = Path(name).expanduser()
        return str(path.absolute()) if path.is_file() else ""
    except (OSError, RuntimeError, ValueError):
        return ""


def _added(papers: PaperLibrary, source: Source, progress: Progress) -> Report:
    """Add a file where there is one of that name, else what is known by that id."""
    from pathlib import Path

    from scholar_indexes.papers import ids

    try:
        path = Path(source.name).expanduser().absolute()
        there = path.exists()
    except (RuntimeError, ValueError):
        raise NotThere(f"there is no file {one_line(source.name)}; check its name") from None
    known = ids.canonical(source.name) or ""
    if not there and known and not known.startswith(("key:", "title:")):
        return papers.fetch(
            source.name, references=source.references, collection=source.collection,
            progress=progress,
        )  # fmt: skip
    if there and not path.is_file() and not path.is_dir():
        raise UsageError(f"{one_line(source.name)} is no file; name one with papers in it")
    return papers.add(str(path), collection=source.collection, progress=progress)
