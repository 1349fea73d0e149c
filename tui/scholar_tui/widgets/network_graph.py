"""A network of characters: their names around an ellipse, and lines as wide as their ties."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from scholar_indexes.characters.network import Network, main_network
from scholar_indexes.sanitize import one_line
from scholar_tui.keys import bind
from scholar_tui.widgets.braille import DOTS_ACROSS, DOTS_DOWN, BrailleCanvas
from scholar_tui.widgets.component_styles import component_style
from scholar_tui.widgets.line_breaking import truncate_to_width

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast

MOST_CHARACTERS = 20
"""The most characters that are drawn; more lines could not be told apart."""

LABEL = 24
"""The greatest width of a name in cells; names take at most a third of the width."""

WIDEST_LINE = 4
"""The width in dots of the strongest tie; the weakest ones are dotted."""

DOTTED = 0.05
"""The share of the strongest tie below which a tie is dotted."""


class NodePlace(NamedTuple):
    """The cell at which the lines of a character end, and the side of it that has the name."""

    x: int
    y: int
    is_right: bool

    @property
    def dot(self) -> tuple[int, int]:
        """The dot in the middle of the cell."""
        return DOTS_ACROSS * self.x + 1, DOTS_DOWN * self.y + 2


def places_around(count: int, width: int, height: int, margin: int) -> list[NodePlace]:
    """Return the places of characters around an ellipse, from the top, alternately on the left and
    on the right, with `margin` cells for names on either side."""
    rows = max((count + 1) // 2, 1)
    center, radius = width / 2, max(width / 2 - margin - 1, 1)
    places = []
    for number in range(count):
        y = min(int((number // 2 + 0.5) * height / rows), height - 1)
        across = radius * sqrt(max(1 - ((y + 0.5) / height * 2 - 1) ** 2, 0))
        is_right = number % 2 == 1
        places.append(NodePlace(int(center + across if is_right else center - across), y, is_right))
    return places


class NetworkGraph(Widget, can_focus=True):
    """A drawing of the ties of conversation or of company in a book; one character is marked."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Go to", tooltip="Go to this character in the list"),
        bind("view", "together", "Together", "Draw who is together, or who speaks with whom"),
        bind("down", "step(1)", "Down", "The next character, by strength of ties", show=False),
        bind("up", "step(-1)", "Up", "The previous one", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "network--tie",
        "network--other",
        "network--marked",
        "network--partner",
    }
    DEFAULT_CSS = """
    NetworkGraph {
        height: 1fr; display: none;
        & > .network--tie { color: $primary; text-style: bold; }
        & > .network--other { color: $foreground-muted; }
        & > .network--marked { background: $primary; color: $background; text-style: bold; }
        & > .network--partner { text-style: bold; }
    }
    """

    class CharacterChosen(Message):
        """A character of the graph was chosen."""

        def __init__(self, character_id: str) -> None:
            super().__init__()
            self.character_id = character_id

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cast: BookCast | None = None
        self._names: dict[str, str] = {}
        self._together = False
        self._selected = self._marked = ""

    def show(self, cast: BookCast, selected: str) -> None:
        """Show the characters of a book, with a mark on the selected one, which is always shown if
        it has any tie."""
        self._cast, self._selected, self._marked = cast, selected, selected
        self._names = {
            profile.character.id: one_line(profile.character.name) for profile in cast.profiles
        }
        self.refresh()

    def watch_has_focus(self, focused: bool) -> None:
        """Let the screen make room for the graph while it has the focus."""
        super().watch_has_focus(focused)
        self.screen.set_class(focused, "-drawing")

    @property
    def network(self) -> Network:
        """The network that is drawn; as many characters as there is room for."""
        if self._cast is None:
            return Network()
        most = min(MOST_CHARACTERS, max(self.size.height - 1, 2))
        return main_network(self._cast.ties(together=self._together), most, self._selected)

    def action_together(self) -> None:
        """Draw who is together, or who speaks with whom; the marked character stays."""
        self._together, self._selected = not self._together, self._marked
        self.refresh()

    def action_step(self, by: int) -> None:
        """Mark the next character, or the previous one; the first one if none is marked."""
        characters = self.network.characters
        at = characters.index(self._marked) + by if self._marked in characters else 0
        if 0 <= at < len(characters):
            self._marked = characters[at]
            self.refresh()

    def action_choose(self) -> None:
        if self._marked:
            self.post_message(self.CharacterChosen(self._marked))

    def on_click(self, event: Click) -> None:
        """Mark the character of the row that is clicked, on its side of the middle."""
        is_right = event.x >= self.size.width / 2
        places = self._places(self.network)
        for character_id, place in places.items():
            if place.y == event.y and place.is_right == is_right:
                self._marked = character_id
                self.refresh()

    def _places(self, network: Network) -> dict[str, NodePlace]:
        width, height = self.size.width, max(self.size.height - 1, 1)
        longest = max(map(cell_len, map(self._label, network.characters)), default=0)
        margin = min(longest, LABEL, width // 3)
        places = places_around(len(network.characters), width, height, margin)
        return dict(zip(network.characters, places, strict=True))

    def _label(self, character_id: str) -> str:
        return self._names.get(character_id, character_id)

    def render(self) -> Text:
        network = self.network
        if not network.ties:
            return Text(self._nobody, "dim")
        partners = network.partners(self._marked)
        places = self._places(network)
        canvas = self._draw(network, places)
        lines = [Text(no_wrap=True) for _ in range(max(self.size.height - 1, 1))]
        for row, line in enumerate(lines):
            for piece, style in canvas.pieces(row):
                line.append(piece, self._style(style) if style else "")
        for character_id, place in places.items():
            weight, style = "", ""
            if character_id == self._marked:
                style = "marked"
            elif character_id in partners:
                weight, style = f" {partners[character_id]:,}", "partner"
            label = self._label(character_id)
            lines[place.y] = self._write(lines[place.y], place, label, weight, style)
        return Text("\n").join([*lines, self._caption(partners)])

    def _draw(self, network: Network, places: Mapping[str, NodePlace]) -> BrailleCanvas:
        """Draw the ties; the ones of the marked character lie over the others."""
        canvas = BrailleCanvas(self.size.width, max(self.size.height - 1, 1))
        strongest = network.ties[0].weight
        for tie in sorted(network.ties, key=lambda tie: (self._marked in tie.between, tie.weight)):
            start, end = (places[character_id].dot for character_id in tie.between)
            share = tie.weight / strongest
            width = 0 if share < DOTTED else 1 + round(share * (WIDEST_LINE - 1))
            canvas.draw_line(start, end, width, "tie" if self._marked in tie.between else "other")
        return canvas

    def _write(self, line: Text, place: NodePlace, label: str, weight: str, style: str) -> Text:
        """Return a line with a label and a weight written next to a place."""
        room = self.size.width - place.x - 1 if place.is_right else place.x
        shown = truncate_to_width(label, max(room - cell_len(weight), 0)) + weight
        start = place.x + 1 if place.is_right else place.x - cell_len(shown)
        name = Text(shown, self._style(style) if style else "")
        return Text.assemble(line[:start], name, line[start + cell_len(shown) :], no_wrap=True)

    def _style(self, name: str) -> Style:
        return component_style(self, f"network--{name}")

    @property
    def _nobody(self) -> str:
        return "nobody is together" if self._together else "nobody speaks with anybody"

    def _caption(self, partners: Mapping[str, int]) -> Text:
        """Return the line below the graph: the ties of the marked character, and the meaning of
        v."""
        does, other = (
            ("is with", "who speaks with whom")
            if self._together
            else ("speaks with", "who is together")
        )
        hint = f"  ·  v: {other}"
        named = ", ".join(f"{self._label(key)} {weight:,}" for key, weight in partners.items())
        said = f"{self._label(self._marked)} {does} {named or 'nobody here'}"
        return Text(truncate_to_width(said, self.size.width - cell_len(hint)) + hint, "dim")
