"""Check boxes and radio buttons whose state is visible without colour.

Textual draws the same sign in both states, in two colours.
"""

from __future__ import annotations

from textual import widgets
from textual.content import Content


class Checkbox(widgets.Checkbox):
    """A check box that is empty while it is off."""

    def render(self) -> Content:
        self.BUTTON_INNER = "X" if self.value else " "
        return super().render()


class RadioButton(widgets.RadioButton):
    """A radio button whose circle is open while it is off."""

    def render(self) -> Content:
        self.BUTTON_INNER = "●" if self.value else "○"
        return super().render()
