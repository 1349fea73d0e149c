"""A picture of who speaks with whom in a book, as SVG."""

from __future__ import annotations

from collections import Counter
from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING

from scholar_indexes.sanitize import one_line, xml_text

if TYPE_CHECKING:
    from lxml import etree

    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.conversations import Exchange

SVG = "http://www.w3.org/2000/svg"

MOST_CHARACTERS = 24
"""The most characters in a picture, the ones with most turns; more names would overlap."""

_SIZE, _RADIUS, _LABEL_GAP = 900, 280, 8
_LARGEST_DOT, _SMALLEST_DOT, _WIDEST_LINE, _NARROWEST_LINE = 20.0, 4.0, 14.0, 0.75
_LONGEST_NAME = 24


def to_svg(cast: BookCast) -> bytes:
    """Return the characters who converse most on a circle: the area of a dot is proportional to
    the turns of a character, the width of a line to the turns of a pair, which its title gives."""
    from lxml import etree

    turns: Counter[str] = Counter()
    for exchange in cast.exchanges:
        for character_id in exchange.between:
            turns[character_id] += exchange.turns
    shown = [character_id for character_id, _ in turns.most_common(MOST_CHARACTERS)]
    angles = {each: 2 * pi * at / len(shown) - pi / 2 for at, each in enumerate(shown)}
    names = {
        profile.character.id: one_line(profile.character.name, _LONGEST_NAME)
        for profile in cast.profiles
    }
    root = etree.Element(
        f"{{{SVG}}}svg",
        {"viewBox": f"0 0 {_SIZE} {_SIZE}", "font-family": "Georgia, serif", "font-size": "16"},
        nsmap={None: SVG},
    )
    _add_title(root, f"Who speaks with whom in {one_line(cast.stored.book.title)}")
    most = max((exchange.turns for exchange in cast.exchanges), default=1)
    for exchange in reversed(cast.exchanges):
        if set(exchange.between) <= angles.keys():
            _add_line(root, exchange, angles, names, most)
    for character_id in shown:
        share = turns[character_id] / turns[shown[0]]
        radius = max(_LARGEST_DOT * sqrt(share), _SMALLEST_DOT)
        _add_dot(root, names[character_id], angles[character_id], radius, turns[character_id])
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_line(
    root: etree._Element,
    exchange: Exchange,
    angles: dict[str, float],
    names: dict[str, str],
    most: int,
) -> None:
    from lxml import etree

    (x1, y1), (x2, y2) = (_point(angles[each], _RADIUS) for each in exchange.between)
    width = max(_WIDEST_LINE * exchange.turns / most, _NARROWEST_LINE)
    line = etree.SubElement(
        root,
        f"{{{SVG}}}line",
        {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": "#4c6a92", "stroke-opacity": "0.45"},
    )
    line.set("stroke-width", f"{width:.2f}")
    first, second = (names[each] for each in exchange.between)
    _add_title(line, f"{first} and {second}: {exchange.turns}")


def _add_dot(root: etree._Element, name: str, angle: float, radius: float, turns: int) -> None:
    from lxml import etree

    x, y = _point(angle, _RADIUS)
    dot = etree.SubElement(
        root, f"{{{SVG}}}circle", {"cx": x, "cy": y, "r": f"{radius:.1f}", "fill": "#22395b"}
    )
    _add_title(dot, f"{name}: {turns}")
    x, y = _point(angle, _RADIUS + radius + _LABEL_GAP)
    anchor = "middle" if abs(cos(angle)) < 0.2 else "start" if cos(angle) > 0 else "end"
    label = etree.SubElement(
        root,
        f"{{{SVG}}}text",
        {"x": x, "y": y, "text-anchor": anchor, "dominant-baseline": "middle"},
    )
    label.text = xml_text(name)


def _add_title(parent: etree._Element, text: str) -> None:
    from lxml import etree

    etree.SubElement(parent, f"{{{SVG}}}title").text = xml_text(text)


def _point(angle: float, radius: float) -> tuple[str, str]:
    """Return the coordinates of a point around the middle of the picture."""
    x, y = (_SIZE / 2 + radius * part for part in (cos(angle), sin(angle)))
    return f"{x:.1f}", f"{y:.1f}"
