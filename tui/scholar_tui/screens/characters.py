"""Characters: the cast of a book, its conversations, and the descriptions of each character.

request -> (in a worker) library.characters.cast -> BookCast
        -> (in a worker) library.characters.descriptions -> items
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.dom import DOMNode
from textual.widgets import DataTable, Input, OptionList, Static

from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.serialize.listings import ExportListing
from scholar_tui.controllers.cast_loading import CastLoader
from scholar_tui.controllers.character_corrections import CharacterCorrectionController
from scholar_tui.controllers.character_details import SECTIONS, CharacterDetailsController
from scholar_tui.controllers.character_list import CharacterListController
from scholar_tui.controllers.character_visits import CharacterVisits
from scholar_tui.screens import characters_layout
from scholar_tui.screens.description_search import DescriptionSearchScreen
from scholar_tui.screens.dialogs import ChooseScreen
from scholar_tui.screens.mode_screen import BROAD, ModeScreen
from scholar_tui.widgets.character_table import CharacterTable
from scholar_tui.widgets.description_list import DescriptionList, SectionTabs
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.network_graph import NetworkGraph
from scholar_tui.widgets.plot import Plot
from scholar_tui.widgets.screen_header import ScreenHeader, describe_progress

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.results import CharacterProfile
    from scholar_indexes.types import Character
    from scholar_tui.navigation import NavigationRequest

CHARACTER_ACTIONS = frozenset(
    {
        *("open", "section", "turn", "filter", "order", "who", "find", "copy", "quiz", "plots"),
        *("partner", "correct"),
    }
)
"""Actions that need a cast."""


class CharacterFilter(Input):
    """The box for words of a name."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "down,enter", "screen.to_cast", "To the list", tooltip="To the characters that match"
        ),
        Binding("escape", "screen.back", "Everybody", tooltip="Show everybody again"),
    ]


class CharactersScreen(ModeScreen):
    """People."""

    NAME = "characters"
    ABOUT = """
    The characters of a book: how much each says, how often they are named, where they first appear,
    and how that changes over the chapters. Below are the details of the one under the cursor:
    descriptions with their passages, the characters they speak with, the chapters they are in,
    everything they say, and who else speaks with whom, as a list with bars and as a graph, in
    which wider lines mean more turns. What is marked automatic was detected by a program and
    may be wrong. Two characters speak with each other if the words of one follow the words of the
    other in a chapter, within three paragraphs; they are together in each paragraph in which both
    are named or speak. Enter opens an item in the book. What was detected can be corrected: c
    corrects, u takes a correction back. Corrections are saved with your data, and apply to
    searches, quizzes and the reader too.
    """
    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {
        "In the list of characters": CharacterTable,
        "In a list to choose from": ChooseScreen,
        "In the box that narrows the list": CharacterFilter,
        "In the details of a character": DescriptionList,
        "In the graph": NetworkGraph,
        "In the dialog that finds a character, or a passage, by description": (
            DescriptionSearchScreen
        ),
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (BROAD, "-broad")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]  # noqa: RUF012
    AUTO_FOCUS = ""  # it would also go to the hidden filter
    BINDINGS: ClassVar[list[BindingType]] = characters_layout.BINDINGS
    DEFAULT_CSS = characters_layout.CSS

    def __init__(self) -> None:
        super().__init__()
        self.loader = CastLoader(self)
        self._list = CharacterListController(self)
        self._details = CharacterDetailsController(self)
        self._corrections = CharacterCorrectionController(self)
        self._visits = CharacterVisits(
            self._list, self._details, self.navigate, self.copy, self.show_message
        )
        self._delegate_actions()

    def _delegate_actions(self) -> None:
        """Leave to the controllers what they do alone."""
        self.action_book = self.loader.choose_book
        self.action_refresh = self.loader.reload
        self.action_filter = self._list.open_filter
        self.action_to_cast = self._list.focus
        self.action_order = self._list.sort_by_next
        self.action_plots = self._list.toggle_plots
        self.action_turn = self._details.turn
        self.action_find = self._visits.find_passages
        self.action_copy = self._visits.copy_item
        self.action_partner = self._visits.go_to_partner
        self.action_correct = self._corrections.choose
        self.action_undo = self._corrections.undo

    def compose(self) -> ComposeResult:
        yield ScreenHeader(self.NAME)
        with Horizontal(id="running"):
            yield Static("", id="where", markup=False)
            yield Static("", id="count", markup=False)
        yield Static("", id="empty", classes="empty", markup=False)
        with Container(id="middle"):
            with Vertical(id="list"):
                yield CharacterFilter(placeholder="words of a name", id="filter", compact=True)
                yield CharacterTable(id="cast")
                yield Static(
                    "no name has all these words; Escape shows everybody",
                    id="none",
                    classes="empty",
                    markup=False,
                )
            with Vertical(id="about"):
                with Vertical(id="person"):
                    yield Static("", id="name", markup=False)
                    yield Plot(id="plot")
                with Vertical(id="known"):
                    yield SectionTabs(SECTIONS, id="sections")
                    yield DescriptionList(id="items")
                    yield NetworkGraph(id="graph")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(CharacterTable).focus()
        self.watch(self.app, "app_focus", self._check_for_changes, init=False)
        self.watch(self.app, "progress", self._show_progress, init=False)

    @property
    def is_complete(self) -> bool:
        return super().is_complete and self.is_attached

    @property
    def cast(self) -> BookCast | None:
        """The cast that is shown."""
        return self.loader.cast

    @property
    def selected(self) -> CharacterProfile | None:
        """The character under the cursor."""
        return self._list.selected

    @property
    def plots_speech(self) -> bool:
        """Return True if the plots count quotations, False if they count mentions."""
        return self._list.plots_speech

    def activate(self, request: NavigationRequest | None) -> None:
        self.loader.open_request(request if isinstance(request, str) else "")

    def on_screen_suspend(self) -> None:
        self.loader.interrupt()

    def _check_for_changes(self, focused: bool) -> None:
        """Reload when the terminal gets the focus: another program may have changed books."""
        if focused and self.is_current and self.cast is not None:
            self.activate(None)

    def show_empty(self, line: str) -> None:
        """Show why there are no characters."""
        self.add_class("-empty")
        self.query_one("#empty", Static).update(safe(line))
        self.set_focus(None)
        self.refresh_bindings()

    def _show_progress(self, progress: tuple[str, int, int]) -> None:
        self.loader.show_progress(describe_progress(*progress, self.scholar.remaining))

    def show_cast(self) -> None:
        """Show the characters of a book that was just loaded."""
        assert self.cast is not None
        self.remove_class("-empty")
        self._list.clear_filter()
        self._list.show(self.cast.profiles[0].character.id)
        self._list.focus()

    def update_cast(self, select: str) -> None:
        """Show corrected characters, with the cursor on the named one, or else unmoved."""
        if self.has_class("-empty"):
            self.show_cast()
        self._list.update(select)

    def show_descriptions(self, *, has_more_characters: bool) -> None:
        """Show descriptions that were just loaded."""
        if has_more_characters:
            self._list.refresh()
        self._details.update_descriptions(self._list.selected)

    @on(DataTable.RowHighlighted)
    def _show_highlighted(self) -> None:
        self.show_details()

    def show_details(self, *, refresh: bool = False) -> None:
        """Show the details of the character under the cursor."""
        self._details.show(self._list.selected, refresh=refresh)

    @on(Input.Changed, "#filter")
    def _apply_filter(self) -> None:
        self._list.refresh()
        self.refresh_bindings()

    def action_back(self) -> None:
        """Go from the details to the table, and from there to all characters."""
        if self.cast is None:
            return
        if not self.query_one("#about").has_focus_within:
            self.query_one(CharacterFilter).value = ""
        self.call_after_refresh(self.action_to_cast)

    def action_clear_filters(self) -> None:
        self.query_one(CharacterFilter).value = ""
        self.call_after_refresh(self.action_to_cast)

    @on(CharacterTable.OrderRequested)
    def _sort(self, event: CharacterTable.OrderRequested) -> None:
        self._list.sort_by(event.order)

    def action_section(self, number: int) -> None:
        """Show a section, and focus it."""
        self._details.select_section(number)
        self._details.focus()

    @on(SectionTabs.SectionChosen)
    def _show_section(self, event: SectionTabs.SectionChosen) -> None:
        if self.cast is not None:
            self.action_section(event.number)

    @on(NetworkGraph.CharacterChosen)
    def _go_to_chosen(self, event: NetworkGraph.CharacterChosen) -> None:
        self._list.go_to(event.character_id)
        self._list.focus()

    @on(DataTable.RowSelected)
    async def action_open(self) -> None:
        await self._visits.open_character()

    @on(OptionList.OptionSelected)
    async def _open_item(self) -> None:
        await self._visits.open_item()

    async def action_quiz(self) -> None:
        if self.cast is not None:
            await self.scholar.navigate("quiz", self.cast.stored.book.id)

    def action_who(self) -> None:
        if self.cast is not None:
            dialog = DescriptionSearchScreen(self, self.cast.stored.book)
            self.app.push_screen(dialog, self._go_to_answer)

    async def _go_to_answer(self, answer: Character | str | None) -> None:
        """Go to a character, or to the passage of a locator."""
        if isinstance(answer, str):
            await self.scholar.navigate("reader", answer)
        elif answer is not None and self.cast is not None:
            profile = self.cast.find_profile(answer)
            if profile is None:
                self.show_message(f"{one_line(answer.name, 60)} is not in this list")
            else:
                self._list.go_to(profile.character.id)
                self.query_one(CharacterTable).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "clear_filters":
            return self.is_mounted and bool(self.query_one(CharacterFilter).value)
        if action in CHARACTER_ACTIONS:
            return self.cast is not None and bool(self.cast.profiles)
        return True

    def exports(self) -> list[ExportListing]:
        from scholar_tui import exporting

        profiles = self._list.profiles
        if self.cast is None or not profiles:
            return []
        if self.loader.descriptions is None and not self.loader.failure:
            self.show_message("the descriptions are still being read, and not exported yet")
        descriptions = self.loader.descriptions
        return exporting.export_characters(self.library, self.cast, profiles, descriptions)
