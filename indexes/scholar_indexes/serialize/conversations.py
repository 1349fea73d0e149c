"""The words of speakers and their conversations as JSON records, and their networks as GraphML."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from scholar_indexes.characters.statistics import count_speech
from scholar_indexes.sanitize import one_line, xml_text
from scholar_indexes.serialize.passages import chapter_reference, place_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lxml import etree

    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.conversations import Exchange
    from scholar_indexes.characters.statistics import SpeechCount
    from scholar_indexes.types import Character

EXCHANGE_COLUMNS = ("source", "target", "turns", "chapters", "first")
EXCHANGE_ID_COLUMNS = ("source_id", "target_id", "book")

GRAPHML = "http://graphml.graphdrawing.org/xmlns"

_KEYS = {
    "node": {"name": "string", "gender": "string", "quotations": "int", "words": "int"},
    "edge": {"weight": "int", "chapters": "string", "first": "string"},
}
"""The data of nodes and edges, and their types; programs read `weight` as an edge's strength."""


def speech_records(cast: BookCast) -> list[dict[str, Any]]:
    """Return quotations and words by speaker and chapter as records; an unknown speaker is None."""
    return [
        {
            "schema_version": 1,
            "speaker": count.speaker and _reference(count.speaker),
            "book": _book_reference(cast),
            "chapter": chapter_reference(count.chapter),
            "quotations": count.quotations,
            "words": count.words,
        }
        for count in count_speech(cast.quotes)
    ]


def exchange_records(cast: BookCast) -> list[dict[str, Any]]:
    """Return the pairs who converse as records, most turns first; a pair has no order."""
    characters = _characters(cast)
    return [
        {
            "schema_version": 1,
            "source": _reference(characters[exchange.between[0]]),
            "target": _reference(characters[exchange.between[1]]),
            "book": _book_reference(cast),
            "turns": exchange.turns,
            "chapters": list(exchange.chapters),
            "first": exchange.first,
        }
        for exchange in cast.exchanges
    ]


def flat_record(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with names, ids and numbers in place of the objects in it."""
    row = {**record, **place_columns(record)}
    for part in ("speaker", "source", "target"):
        if part in record:
            character = record[part] or {"id": "", "name": "?"}
            row |= {part: character["name"], f"{part}_id": character["id"]}
    return row


def to_graphml(cast: BookCast) -> bytes:
    """Return the conversations as an undirected graph: every character who speaks is a node with
    counts of quotations and words, and every pair who converse an edge weighted by turns."""

    def data(exchange: Exchange) -> dict[str, str | int]:
        chapters = " ".join(map(str, exchange.chapters))
        return {"weight": exchange.turns, "chapters": chapters, "first": exchange.first}

    return _graph(cast, [(exchange.between, data(exchange)) for exchange in cast.exchanges])


def company_to_graphml(cast: BookCast) -> bytes:
    """Return who is together as an undirected graph: every pair is an edge weighted by the number
    of paragraphs that both are in."""
    edges = [(tie.between, {"weight": tie.weight}) for tie in cast.ties(together=True)]
    return _graph(cast, edges)


def _graph(
    cast: BookCast, edges: Sequence[tuple[tuple[str, str], Mapping[str, str | int]]]
) -> bytes:
    """Return a graph of all characters who speak or have an edge."""
    from lxml import etree

    root = etree.Element(f"{{{GRAPHML}}}graphml", nsmap={None: GRAPHML})
    for owner, keys in _KEYS.items():
        for name, kind in keys.items():
            key = {"id": name, "for": owner, "attr.name": name, "attr.type": kind}
            etree.SubElement(root, f"{{{GRAPHML}}}key", key)
    graph = etree.SubElement(
        root, f"{{{GRAPHML}}}graph", {"id": cast.stored.book.id, "edgedefault": "undirected"}
    )
    _add_nodes(graph, cast, {character_id for between, _ in edges for character_id in between})
    for (source, target), values in edges:
        edge = etree.SubElement(graph, f"{{{GRAPHML}}}edge", {"source": source, "target": target})
        _add_data(edge, values)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_nodes(graph: etree._Element, cast: BookCast, tied: Collection[str]) -> None:
    from lxml import etree

    quotations, words = _totals(count_speech(cast.quotes))
    for character in _characters(cast).values():
        if not quotations[character.id] and character.id not in tied:
            continue
        node = etree.SubElement(graph, f"{{{GRAPHML}}}node", {"id": character.id})
        _add_data(
            node,
            {
                "name": one_line(character.name),
                "gender": str(character.gender),
                "quotations": quotations[character.id],
                "words": words[character.id],
            },
        )


def _add_data(element: etree._Element, values: Mapping[str, str | int]) -> None:
    from lxml import etree

    for key, value in values.items():
        etree.SubElement(element, f"{{{GRAPHML}}}data", {"key": key}).text = xml_text(str(value))


def _totals(counts: list[SpeechCount]) -> tuple[Counter[str], Counter[str]]:
    """Return the quotations and the words of each speaker in the whole book, by id."""
    quotations: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for count in counts:
        if count.speaker:
            quotations[count.speaker.id] += count.quotations
            words[count.speaker.id] += count.words
    return quotations, words


def _characters(cast: BookCast) -> dict[str, Character]:
    return {profile.character.id: profile.character for profile in cast.profiles}


def _book_reference(cast: BookCast) -> dict[str, str]:
    book = cast.stored.book
    return {"id": book.id, "title": one_line(book.title), "author": one_line(book.author)}


def _reference(character: Character) -> dict[str, str]:
    return {"id": character.id, "name": one_line(character.name)}
