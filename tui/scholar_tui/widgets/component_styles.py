"""Styles of the parts that a widget draws itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

if TYPE_CHECKING:
    from textual.widget import Widget


def component_style(widget: Widget, name: str) -> Style:
    """Return the style of a component class, without what it inherits.

    A transparent colour, such as $foreground-muted, is blended with the background; in Textual's
    partial styles it is opaque.
    """
    partial = widget.get_component_rich_style(name, partial=True)
    blended = widget.get_component_rich_style(name).color
    return partial + Style(color=blended) if partial.color else partial
