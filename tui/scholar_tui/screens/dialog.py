"""The base class of dialogs."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Dialog(ModalScreen[ScreenResultType]):
    """A dialog that can be closed only while it is in front: a key of the app may have left it."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close the dialog with a result, if it is in front."""
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)

    async def keep_writing(self) -> bool:
        """Save what the user wrote before the app closes the dialog; if that fails and the dialog
        has to stay open, show why and return False."""
        return True
