"""Keys that are pressed faster than boxes open: each waits for the effect of the previous key.

    key -> TypeAhead.admits -> the focused widget, its parents, the app -> the next key

Textual passes a key to the widget that has the focus when it arrives. The key after the one that
opens a box would go to the list below the box, and could delete a book there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any

from textual import events
from textual.dom import DOMNode
from textual.message_pump import MessagePump
from textual.timer import Timer
from textual.worker import Worker

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp

MAX_HOLD_S = 2.0
"""Seconds after which a key is passed on even if the previous one has not been handled, as when
the widget that had it was removed."""

MAX_CHANGE_S = 0.5
"""Seconds that a key waits until the change made by the previous key is saved."""

STOP = "ctrl+g"
PASSING = frozenset({"escape", STOP, "ctrl+q", "f1", "f2", "f3", "f4", "f5", "f6", "f7"})
"""Keys that do not wait for a box that is being prepared, but give it up."""


class TypeAhead:
    """Decides when keys and pastes are passed on."""

    def __init__(self, app: ScholarApp) -> None:
        self._app = app
        self._held: deque[events.Key | events.Paste] = deque()
        self._is_busy = False
        self._expected_boxes: dict[Worker[Any], bool] = {}
        """The workers that prepare a box, which opens when they are done, or a list, which then
        gets the focus; True if they are cancelled when the user gives up waiting."""
        self._turn = 0
        """The number of the key that is being handled."""
        self._changes_before = 0
        """The number of changes made before the key that is being handled."""
        self._timer: Timer | None = None

    def admits(self, event: events.Key | events.Paste) -> bool:
        """Return True if a key is to be passed on now; otherwise it is held and passed on later."""
        if self._expected_boxes and _has_key(event, PASSING):
            self._held.clear()
            self._give_up_boxes(event)
            return True
        if self._is_busy or self._held or self._expected_boxes:
            self._held.append(event)
            if self._timer is None and not self._expected_boxes:
                self._timer = self._app.set_timer(MAX_HOLD_S, self._release)
            return False
        return True

    def follow(self, event: events.Key | events.Paste) -> None:
        """Hold the next keys until a key that was passed on has been handled."""
        focused = self._app.focused
        if focused is not None and isinstance(event, events.Key):
            character = event.character if event.is_printable else None
            if character and focused.check_consume_key(event.key, character):
                return  # it is typed into a box that has the focus
        self._is_busy = True
        self._turn += 1
        self._changes_before = self._app.changes.made
        turn = self._turn
        start = focused or self._app.screen
        # A key that causes a message, as Enter causes Input.Submitted, has been handled once that
        # message has gone the same way.
        self._pass_up(start, lambda: self._pass_up(start, lambda: self._settle(turn)))

    def expect_box(self, worker: Worker[Any], *, cancels: bool = True) -> None:
        """Hold keys until `box_opened`, for a box that a worker prepares; give it up at once if a
        key that does so is already held. That cancels the worker if `cancels`."""
        self._expected_boxes[worker] = cancels
        if any(_has_key(event, PASSING) for event in self._held):
            while not _has_key(self._held[0], PASSING):
                self._held.popleft()
            self._give_up_boxes(self._held[0])

    def box_opened(self, worker: Worker[Any]) -> None:
        """Pass held keys on after the box that the worker prepared was opened or refused."""
        if self._expected_boxes.pop(worker, None) is not None:
            self._is_busy = True
            self._turn += 1
            self._settle(self._turn)

    def forget(self) -> None:
        """Forget held keys: what they were meant for does not come."""
        self._held.clear()

    def _give_up_boxes(self, event: events.Key | events.Paste) -> None:
        """Expect no box any more, and cancel the workers unless the key stops them itself."""
        if not _has_key(event, {STOP}):
            for worker, cancels in self._expected_boxes.items():
                if cancels:
                    worker.cancel()
        self._expected_boxes.clear()

    def _pass_up(self, node: DOMNode, then: Callable[[], None]) -> None:
        """Call `then` after a key has gone from a node to the app, behind it in every queue."""
        if node is self._app:
            self._hop(node, then)
        else:
            self._hop(node, lambda: self._pass_up(node.parent or self._app, then))

    def _settle(self, turn: int) -> None:
        """Pass on the next key once the front screen is mounted and has set its focus."""

        def refreshed() -> None:
            self._hop(self._app, done)

        def mounted() -> None:
            if not self._app.screen.call_after_refresh(refreshed):
                refreshed()

        async def done() -> None:
            if turn != self._turn:
                return
            if self._app.changes.made == self._changes_before:
                await self._release()
            else:  # the next key may depend on what it changes
                self._changes_before = self._app.changes.made
                self._app.run_worker(kept(), group="type-ahead")

        async def kept() -> None:
            await asyncio.to_thread(self._app.changes.wait, MAX_CHANGE_S)
            self._hop(self._app, done)

        self._hop(self._app, lambda: self._hop(self._app.screen, mounted))

    @staticmethod
    def _hop(pump: MessagePump, callback: Callable[[], object]) -> None:
        if not pump.call_later(callback):
            pump.app.call_later(callback)

    async def _release(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._is_busy = False
        while self._held and not self._is_busy and not self._expected_boxes:
            await self._app.hand_on(self._held.popleft())


def _has_key(event: events.Key | events.Paste, keys: Set[str]) -> bool:
    return isinstance(event, events.Key) and event.key in keys
