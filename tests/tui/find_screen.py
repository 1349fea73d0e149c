"""Helpers for the Find screen: its parts, and typing and searching for a claim."""

from __future__ import annotations

from textual.events import Paste
from textual.pilot import Pilot

from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks
from scholar_tui.screens.find import FindScreen
from scholar_tui.widgets.book_text import BookText
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.hit_list import HitList
from screens import scholar, settled, until

WIDOW = "the widow"
COINS = "the coins"


def screen(pilot: Pilot[None]) -> FindScreen:
    shown = scholar(pilot).mode_screen
    assert isinstance(shown, FindScreen)
    return shown


def hits(pilot: Pilot[None]) -> HitList:
    return screen(pilot).query_one(HitList)


def page(pilot: Pilot[None]) -> BookText:
    return screen(pilot).query_one(BookText)


def message(pilot: Pilot[None]) -> str:
    """Return the message shown in place of the hits."""
    assert screen(pilot).query_one("#nothing").display
    return str(screen(pilot).query_one("#message").render())


def marked_passage(pilot: Pilot[None]) -> str:
    """Return the text marked as the hit on its page."""
    (paint,) = page(pilot).styles_of("hit")
    return paint.span.of(page(pilot).text)


def explanation(pilot: Pilot[None]) -> str:
    return str(screen(pilot).query_one("#why").render())


def bookmarks() -> Bookmarks:
    return Bookmarks(user_paths().bookmarks)


async def type_text(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*("space" if sign == " " else sign for sign in text))


async def search_for(pilot: Pilot[None], claim: str = WIDOW) -> None:
    """Type a claim into the box, press Enter and wait until the list has the focus."""
    box = screen(pilot).query_one(ClaimBox)
    if pilot.app.focused is not box:
        await pilot.press("slash")
        box.value = ""
    pilot.app.post_message(Paste(claim))
    await pilot.press("enter")
    await until(pilot, lambda: pilot.app.focused is hits(pilot))
    await settled(pilot)
