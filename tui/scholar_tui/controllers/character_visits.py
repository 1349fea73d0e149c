"""Going from a character to the book, to its passages, or to a character it speaks with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from scholar_indexes.sanitize import one_line
from scholar_tui.controllers.character_details import CharacterDetailsController
from scholar_tui.controllers.character_list import CharacterListController

if TYPE_CHECKING:
    from scholar_tui.navigation import NavigationRequest


class CharacterVisits:
    """Acts on the character, or on the item of its details, under the cursor."""

    def __init__(
        self,
        characters: CharacterListController,
        details: CharacterDetailsController,
        navigate: Callable[[str, NavigationRequest], Awaitable[None]],
        copy: Callable[[str, str], None],
        show_message: Callable[[str], None],
    ) -> None:
        """`navigate` takes the name of a screen and its request, `copy` a text and its name."""
        self._characters = characters
        self._details = details
        self._navigate = navigate
        self._copy = copy
        self._show_message = show_message

    async def open_character(self) -> None:
        """Open the first place where the character is named."""
        profile = self._characters.selected
        if profile is None:
            return
        first = profile.first or next((presence.first for presence in profile.presences), "")
        await self._navigate("reader", first or profile.book.id)

    async def open_item(self) -> None:
        """Open the place of the item."""
        item = self._details.item
        if item is not None and item.locator:
            await self._navigate("reader", item.locator)

    async def find_passages(self) -> None:
        """Find passages in the character's speech, or about them if they say nothing."""
        if (profile := self._characters.selected) is None:
            return
        filter_name = "speaker" if profile.quotations else "about"
        name = one_line(profile.character.name)
        await self._navigate("find", {"claim": "", "book": profile.book.id, filter_name: name})

    def copy_item(self) -> None:
        """Copy the item with its source."""
        item = self._details.item
        if item is not None and item.copied_text:
            self._copy(item.copied_text, item.copied_name)
        else:
            self._show_message("nothing that can be copied is marked below")

    def go_to_partner(self) -> None:
        """Go to the character of the item, with whom this one speaks."""
        item = self._details.item
        if item is None or not item.character_id:
            self._show_message("2 shows with whom they speak; g goes to one of them")
        else:
            self._characters.go_to(item.character_id)
