"""The details of the character under the cursor, in sections below the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from scholar_indexes.sanitize import one_line
from scholar_tui.widgets import character_items
from scholar_tui.widgets.description_list import DescriptionItem, DescriptionList, SectionTabs
from scholar_tui.widgets.network_graph import NetworkGraph
from scholar_tui.widgets.plot import Plot

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.results import CharacterProfile
    from scholar_tui.screens.characters import CharactersScreen

SECTIONS = ("About", "With", "Chapters", "Says", "Pairs", "Graph")
DESCRIPTIONS, CONVERSATIONS, CHAPTERS, QUOTATIONS, ALL_CONVERSATIONS, GRAPH = range(len(SECTIONS))

NO_DESCRIPTION = "no description was found; / in the reader (F4) searches for the name"


class CharacterDetailsController:
    """Shows one section of the details of a character."""

    def __init__(self, screen: CharactersScreen) -> None:
        self._screen = screen
        self._section = DESCRIPTIONS
        self._shown: tuple[str, int] | None = None
        """The character and the section that are shown."""

    @property
    def item(self) -> DescriptionItem | None:
        """The item under the cursor; None in the graph."""
        if self._section == GRAPH:
            return None
        return self._screen.query_one(DescriptionList).cursor_item

    def show(self, profile: CharacterProfile | None, *, refresh: bool = False) -> None:
        """Show the details of a character; if they are already shown, only with `refresh`."""
        cast = self._screen.cast
        if refresh:
            self._shown = None
        if cast is None:
            return
        if profile is None:
            self._clear()
            return
        shown = profile.character.id, self._section
        if self._shown != shown:
            self._shown = shown
            self._draw(cast, profile)

    def update_descriptions(self, profile: CharacterProfile | None) -> None:
        """Show descriptions that were just loaded."""
        is_section_shown = self._section == DESCRIPTIONS
        self.show(profile, refresh=is_section_shown or bool(self._screen.loader.failure))

    def select_section(self, number: int) -> None:
        """Show a section, wrapping around at the ends."""
        self._section = number % len(SECTIONS)
        self._screen.show_details()
        self._screen.refresh_bindings()

    def turn(self, by: int) -> None:
        """Show the next section or the previous one, and focus it if this one has the focus."""
        has_focus = self._screen.query_one("#known").has_focus_within
        self.select_section(self._section + by)
        if has_focus:
            self.focus()

    def focus(self) -> None:
        """Focus the section that is shown."""
        shown = NetworkGraph if self._section == GRAPH else DescriptionList
        self._screen.query_one(shown).focus()

    def _clear(self) -> None:
        self._shown = None
        self._screen.remove_class("-graph")
        self._screen.query_one("#name", Static).update("")
        self._screen.query_one(Plot).show((), (), "")
        self._screen.query_one(SectionTabs).show(self._section, [None] * len(SECTIONS))
        self._screen.query_one(DescriptionList).show([])

    def _draw(self, cast: BookCast, profile: CharacterProfile) -> None:
        summary = character_items.summary(cast, profile)
        self._screen.query_one("#name", Static).update(summary)
        spoken = self._screen.plots_speech
        counts = cast.counts_by_chapter(profile, spoken=spoken)
        numbers = [chapter.number for chapter in cast.chapters]
        self._screen.query_one(Plot).show(counts, numbers, "says" if spoken else "named")
        self._screen.query_one(SectionTabs).show(self._section, self._counts(cast, profile))
        self._screen.set_class(self._section == GRAPH, "-graph")
        if self._section == GRAPH:
            self._screen.query_one(NetworkGraph).show(cast, profile.character.id)
            return
        items = self._items(cast, profile)
        # The names come first, but the cursor starts on the first description.
        has_description = len(items) > 1 and not items[1].is_plain
        start = 1 if self._section == DESCRIPTIONS and has_description else 0
        self._screen.query_one(DescriptionList).show(items, start)

    def _counts(self, cast: BookCast, profile: CharacterProfile) -> Sequence[int | None]:
        """Return the number of items of each section; None while unknown."""
        character_id = profile.character.id
        descriptions = self._screen.loader.descriptions
        return (
            None if descriptions is None else len(descriptions.get(character_id, ())),
            len(cast.partners(character_id)),
            len(profile.presences),
            profile.quotations,
            len(cast.exchanges),
            None,
        )

    def _items(self, cast: BookCast, profile: CharacterProfile) -> list[DescriptionItem]:
        if self._section == DESCRIPTIONS:
            return self._description_items(profile)
        if self._section == CONVERSATIONS:
            items = character_items.conversations(cast, profile)
            return items or [_plain_item("speaks with nobody")]
        if self._section == CHAPTERS:
            items = character_items.chapters(cast, profile)
            return items or [_plain_item("is named in no chapter")]
        if self._section == ALL_CONVERSATIONS:
            items = character_items.all_conversations(cast, profile)
            return items or [_plain_item("nobody speaks with anybody")]
        items = character_items.quotations(cast.quotes_by(profile.character.id))
        return items or [_plain_item("no quotations")]

    def _description_items(self, profile: CharacterProfile) -> list[DescriptionItem]:
        loader = self._screen.loader
        descriptions = (loader.descriptions or {}).get(profile.character.id, ())
        items = character_items.descriptions(profile, descriptions)
        if loader.failure:
            items.append(_plain_item(loader.failure))
        elif loader.descriptions is None:
            items.append(_plain_item("reading the descriptions of the characters …"))
        elif not descriptions:
            items.append(_plain_item(NO_DESCRIPTION))
        return items


def _plain_item(line: str) -> DescriptionItem:
    """Return a line without a link."""
    return DescriptionItem(Content(one_line(line, 400)))
