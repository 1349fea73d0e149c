"""Passages in the list of a character's details, as shown and as copied."""

from __future__ import annotations

from scholar_indexes.results import CitedPassage
from scholar_indexes.types import Book, Chapter, ChapterKind, Span
from scholar_tui.widgets.character_items import passage_item

HAMLET = Book("pg1524", "Hamlet", "William Shakespeare", "en", "hamlet.txt", "0" * 64)
SPAN = Span(0, 20)


def test_a_passage_of_a_play_names_its_act_and_its_scene() -> None:
    scene = Chapter(9, "Scene II", ("Act III",), ChapterKind.CHAPTER, SPAN, SPAN)
    passage = CitedPassage(scene, 4, SPAN, "Give me that man", "pg1524:9.4:0-16")
    item = passage_item(HAMLET, passage)
    assert "Act III, Scene II, 9.4" in item.content.plain
    assert "[pg1524:9.4:0-16]" in item.copied_text
