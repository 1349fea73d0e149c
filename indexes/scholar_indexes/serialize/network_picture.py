"""The networks of a book's characters as SVG: conversations, and company in paragraphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING

from scholar_indexes.characters.network import count_strength
from scholar_indexes.sanitize import one_line, xml_text

if TYPE_CHECKING:
    from lxml import etree

    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.network import Tie

SVG = "http://www.w3.org/2000/svg"

MOST_CHARACTERS = 24
"""The most characters in a picture, the ones with the strongest ties; more names would overlap."""

_SIZE, _RADIUS, _LABEL_GAP = 900, 280, 8
_LARGEST_DOT, _SMALLEST_DOT, _WIDEST_LINE, _NARROWEST_LINE = 20.0, 4.0, 14.0, 0.75
_LONGEST_NAME = 24


def conversations_to_svg(cast: BookCast) -> bytes:
    """Return a picture of the network of conversations, weighted by turns."""
    return _draw(cast, cast.ties(), "Who speaks with whom in")


def company_to_svg(cast: BookCast) -> bytes:
    """Return a picture of the network of company, weighted by paragraphs."""
    return _draw(cast, cast.ties(together=True), "Who is together in")


def _draw(cast: BookCast, ties: Sequence[Tie], title: str) -> bytes:
    """Return a picture of the characters with the strongest ties, on a circle.

    The area of a dot is proportional to the strength of all ties of a character, and the width of a
    line to the strength of a tie; the strongest comes first. Titles give the numbers.
    """
    from lxml import etree

    strength = count_strength(ties)
    shown = [character_id for character_id, _ in strength.most_common(MOST_CHARACTERS)]
    angles = {
        character_id: 2 * pi * place / len(shown) - pi / 2
        for place, character_id in enumerate(shown)
    }
    names = {
        profile.character.id: one_line(profile.character.name, _LONGEST_NAME)
        for profile in cast.profiles
    }
    root = etree.Element(
        f"{{{SVG}}}svg",
        {"viewBox": f"0 0 {_SIZE} {_SIZE}", "font-family": "Georgia, serif", "font-size": "16"},
        nsmap={None: SVG},
    )
    _add(root, "title").text = xml_text(f"{title} {one_line(cast.stored.book.title)}")
    for tie in reversed(ties):  # wide lines over narrow ones
        if set(tie.between) <= angles.keys():
            width = max(_WIDEST_LINE * tie.weight / ties[0].weight, _NARROWEST_LINE)
            _add_line(root, tie, angles, names, width)
    for character_id in shown:
        share = strength[character_id] / strength[shown[0]]
        radius = max(_LARGEST_DOT * sqrt(share), _SMALLEST_DOT)
        _add_dot(root, names[character_id], angles[character_id], radius, strength[character_id])
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_line(
    root: etree._Element,
    tie: Tie,
    angles: Mapping[str, float],
    names: Mapping[str, str],
    width: float,
) -> None:
    one, other = tie.between
    (x1, y1), (x2, y2) = _point(angles[one], _RADIUS), _point(angles[other], _RADIUS)
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    stroke = {"stroke": "#4c6a92", "stroke-opacity": "0.45", "stroke-width": f"{width:.2f}"}
    title = f"{names[one]} and {names[other]}: {tie.weight}"
    _add(_add(root, "line", ends | stroke), "title").text = xml_text(title)


def _add_dot(root: etree._Element, name: str, angle: float, radius: float, ties: int) -> None:
    x, y = _point(angle, _RADIUS)
    dot = _add(root, "circle", {"cx": x, "cy": y, "r": f"{radius:.1f}", "fill": "#22395b"})
    _add(dot, "title").text = xml_text(f"{name}: {ties}")
    x, y = _point(angle, _RADIUS + radius + _LABEL_GAP)
    anchor = "middle" if abs(cos(angle)) < 0.2 else "start" if cos(angle) > 0 else "end"
    label = {"x": x, "y": y, "text-anchor": anchor, "dominant-baseline": "middle"}
    _add(root, "text", label).text = xml_text(name)


def _add(
    parent: etree._Element, name: str, attributes: Mapping[str, str] | None = None
) -> etree._Element:
    from lxml import etree

    return etree.SubElement(parent, f"{{{SVG}}}{name}", attributes)


def _point(angle: float, radius: float) -> tuple[str, str]:
    """Return the coordinates of a point around the middle of the picture."""
    x, y = (_SIZE / 2 + radius * part for part in (cos(angle), sin(angle)))
    return f"{x:.1f}", f"{y:.1f}"
