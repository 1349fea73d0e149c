"""A cache of widget styles, computed once per run for the same rules and the same place.

Textual looks up the rules of every widget of a screen whenever the focus moves, which took a
third of the time of these tests. A rule matches only by the types, ids, classes and
pseudo-classes of a widget and its ancestors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

OF_THE_APP = frozenset({"dark", "light", "inline", "ansi", "nocolor"})
"""Pseudo-classes that the app and all its widgets share."""

OPPOSITES = frozenset({"blur", "enabled"})
"""Pseudo-classes that a widget has unless it has their opposite."""

FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")


class RememberedStyles:
    """Applies style sheets as Textual does, but looks up the rules of a place once."""

    def __init__(self) -> None:
        self._whole = Stylesheet.apply
        self._replace = Stylesheet.replace_rules
        self._update = Stylesheet.update_nodes
        self._numbers: dict[object, int] = {}
        self._sheets: dict[int, tuple[object, int, list[str]]] = {}
        self._kept_alive: list[object] = []
        self._styles: dict[tuple[int, int], tuple[list[bool], Any]] = {}
        self._places: dict[int, int] | None = None
        """The places of widgets by object id, while many widgets are styled at once."""
        self._found: dict[int, Any] = {}

    def install(self, patch: Callable[[object, str, object], None]) -> None:
        """Replace Textual's functions; `patch` sets an attribute of a class."""
        patch(Stylesheet, "apply", lambda sheet, node, **how: self._apply(sheet, node, **how))
        patch(Stylesheet, "replace_rules", staticmethod(self._replace_rules))
        patch(Stylesheet, "update_nodes", lambda *given, **how: self._update_nodes(*given, **how))

    def _number(self, thing: object) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    def _sheet(self, sheet: Stylesheet) -> tuple[int, list[str]]:
        """Return the number that identifies a sheet's rules, and the pseudo-classes in them."""
        rules_map = sheet.rules_map
        known = self._sheets.get(id(sheet))
        if known is None or known[0] is not rules_map:
            self._kept_alive += [sheet, sheet.rules]  # so that no object id is reused
            used = set().union(*(rule.pseudo_classes for rule in sheet.rules))
            number = self._number(tuple(map(id, sheet.rules)))
            known = (rules_map, number, sorted(used - OPPOSITES))
            self._sheets[id(sheet)] = known
        return known[1:]

    def _place(self, node: DOMNode, used: list[str]) -> int:
        """Return the number of a place: all properties of a widget and its ancestors in rules."""
        places = self._places
        if places is not None and (place := places.get(id(node))) is not None:
            return place
        parent = node._parent
        around = self._place(parent, used) if isinstance(parent, DOMNode) else -1
        checks = node._PSEUDO_CLASSES
        pseudo = tuple(
            name
            for name in used
            if name in checks and (around == -1 or name not in OF_THE_APP) and checks[name](node)
        )
        place = self._number((around, type(node), node._id, node.classes, pseudo))
        if places is not None:
            places[id(node)] = place
        return place

    def _apply(
        self, sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: Any = None
    ) -> None:
        number, used = self._sheet(sheet)
        key = (number, self._place(node, used))
        if getattr(node, "_remembered_key", None) == key:
            node.notify_style_update()
            return
        known = self._styles.get(key)
        if known is None:
            self._found.pop(id(node), None)
            self._whole(sheet, node, animate=animate, cache=cache)
            flags = [getattr(node, flag) for flag in FLAGS]
            self._styles[key] = (flags, self._found.pop(id(node), None))
        else:
            for flag, value in zip(FLAGS, known[0], strict=True):
                setattr(node, flag, value)
            if known[1] is not None:
                self._replace(node, known[1], animate=animate)
            sheet._process_component_classes(node)
        node._remembered_key = key  # type: ignore[attr-defined]

    def _replace_rules(self, node: DOMNode, rules: Any, animate: bool = False) -> None:
        self._found[id(node)] = rules
        self._replace(node, rules, animate=animate)

    def _update_nodes(
        self, sheet: Stylesheet, nodes: Iterable[DOMNode], animate: bool = False
    ) -> None:
        self._places = {}
        try:
            self._update(sheet, nodes, animate=animate)
        finally:
            self._places = None
