"""The dialogue of a book: cached as a whole, retrieved by its key, and queried by name."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from scholar_indexes.attribution import dialogue as record
from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.attributed_quotes import attributed_quotes
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.characters.profiles import character_profiles
from scholar_indexes.errors import NoMatch, NotThere, ScholarError, UsageError
from scholar_indexes.serialize import tei
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    ChapterKind,
    Character,
    Gender,
    Quotation,
    QuotationForm,
    QuoteKind,
    Span,
)

TEXT = "“Go on,” said Ann, “now.”\n\n“Why?” Ben <wept> & left.\n\n“Hush.”"
ANN = Character("ann-marsh", "Ann Marsh", ("Ann Marsh", "Ann", "Miss Marsh"), Gender.FEMALE)
BEN = Character("ben-marsh", "Ben Marsh", ("Ben Marsh", "Ben"), Gender.MALE)
BOOK = Book("pg1", "A <Novel>", "Ann Example", "en", "a test", "0" * 64)
CHAPTERS = (
    Chapter(0, "", (), ChapterKind.FRONT, Span(0, 0), Span(0, 0)),
    Chapter(1, "Chapter 1", (), ChapterKind.CHAPTER, Span(0, len(TEXT)), Span(0, len(TEXT))),
)


def opened(text: str, chapters: Sequence[Chapter]) -> OpenBook:
    """Return a book with this text."""
    return OpenBook.from_text(StoredBook(BOOK, 1, len(text), 1, 1, "2026-01-01"), text, chapters)


def at(piece: str) -> Span:
    start = TEXT.index(piece)
    return Span(start, start + len(piece))


SPOKEN = Dialogue(
    (ANN, BEN),
    (
        Quotation((at("Go on,"), at("now."))),
        Quotation((at("Why?"),)),
        Quotation((at("Hush."),)),
    ),
    (
        Attribution(ANN, QuoteKind.EXPLICIT, at("said Ann"), 0.99),
        Attribution(BEN, QuoteKind.IMPLICIT, None, 0.7),
        Attribution(None, QuoteKind.IMPLICIT, None, 0.0),
    ),
)


THOUGHT_AND_READ = replace(
    SPOKEN,
    attributions=(
        SPOKEN.attributions[0],
        replace(SPOKEN.attributions[1], form=QuotationForm.THOUGHT),
        replace(SPOKEN.attributions[2], form=QuotationForm.LETTER),
    ),
)
"""The same, but Ben's words are a thought and the last ones are in a letter."""


@pytest.mark.parametrize("dialogue", [SPOKEN, THOUGHT_AND_READ], ids=["speech", "other forms"])
def test_a_dialogue_that_is_kept_is_what_was_found(tmp_path: Path, dialogue: Dialogue) -> None:
    record.save(tmp_path, "trained 1 abc", dialogue)
    assert record.load(tmp_path, "trained 1 abc", len(TEXT)) == dialogue


def test_a_dialogue_of_another_making_is_not_taken(tmp_path: Path) -> None:
    record.save(tmp_path, "trained 1 abc", SPOKEN)
    assert record.load(tmp_path, "trained 2 abc", len(TEXT)) is None
    assert record.load(tmp_path, "sieve 1", len(TEXT)) is None


def test_results_of_several_methods_are_kept_together(tmp_path: Path) -> None:
    record.save(tmp_path, "trained 1 abc", SPOKEN)
    record.save(tmp_path, "sieve 1", Dialogue((), (), ()))
    assert record.load(tmp_path, "trained 1 abc", len(TEXT)) == SPOKEN


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda record: "", id="empty"),
        pytest.param(lambda record: json.dumps(record)[:-40], id="cut off"),
        pytest.param(lambda record: json.dumps([record]), id="a list"),
        pytest.param(lambda record: json.dumps({**record, "cast": []}), id="characters gone"),
        pytest.param(lambda record: json.dumps({**record, "schema_version": 9}), id="a newer form"),
    ],
)
def test_a_broken_record_counts_as_none(tmp_path: Path, broken: object) -> None:
    record.save(tmp_path, "sieve 1", SPOKEN)
    (path,) = tmp_path.glob("dialogue-*.json")
    path.write_text(broken(json.loads(path.read_text("utf-8"))), "utf-8")  # type: ignore[operator]
    assert record.load(tmp_path, "sieve 1", len(TEXT)) is None


def test_a_record_for_a_longer_text_counts_as_none(tmp_path: Path) -> None:
    record.save(tmp_path, "sieve 1", SPOKEN)
    assert record.load(tmp_path, "sieve 1", 20) is None


def test_a_full_disk_keeps_the_older_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.save(tmp_path, "sieve 1", SPOKEN)

    def full(source: object, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ScholarError, match="full"):
        record.save(tmp_path, "sieve 1", Dialogue((), (), ()))
    monkeypatch.undo()
    assert record.load(tmp_path, "sieve 1", len(TEXT)) == SPOKEN
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("Ann Marsh", ANN, id="the name"),
        pytest.param("miss marsh", ANN, id="an alias, whatever its case"),
        pytest.param("ben", BEN, id="a given name"),
        pytest.param("ben-marsh", BEN, id="an id"),
        pytest.param("Miss Mar", ANN, id="a name cut short"),
    ],
)
def test_characters_are_asked_for_by_name(name: str, expected: Character) -> None:
    assert pipeline.find_character((ANN, BEN), name) == expected


def test_a_name_of_several_lists_them() -> None:
    with pytest.raises(UsageError, match="Ann Marsh; Ben Marsh"):
        pipeline.find_character((ANN, BEN), "Marsh")


@pytest.mark.parametrize("name", ["Anne", "", "?", "Zachary"])
def test_a_name_of_nobody_says_where_names_are(name: str) -> None:
    with pytest.raises(NotThere, match="scholar characters"):
        pipeline.find_character((ANN, BEN), name)


@pytest.mark.parametrize("name", ["Bem", "BEM"])
def test_a_name_nearly_right_is_offered(name: str) -> None:
    with pytest.raises(NotThere, match="perhaps Ben"):
        pipeline.find_character((ANN, BEN), name)


def test_a_sentence_belongs_to_the_speaker_of_at_least_half_of_it() -> None:
    rows = np.array(
        [
            [1, 1, at("“Go on,” said Ann, “now.”").start, at("“now.”").end],
            [1, 2, at("“Why?”").start, at("“Why?”").end],
            [1, 2, at("Ben <wept>").start, at("left.").end],
        ],
        np.int32,
    )
    assert list(pipeline.find_sentences_of(SPOKEN, BEN, rows)) == [1]
    assert list(pipeline.find_sentences_of(SPOKEN, ANN, rows)) == []


@pytest.mark.parametrize("method", ["sieve", "nearest"])
def test_a_book_in_which_nobody_speaks_says_so(method: str) -> None:
    with pytest.raises(NoMatch, match="nobody speaks"):
        pipeline.attribute_book("It rained.\n\nIt fell on the house.", CHAPTERS[:1], method)


def test_an_unknown_method_is_refused_with_a_list_of_the_methods() -> None:
    with pytest.raises(UsageError, match="trained, sieve, nearest, llm"):
        pipeline.cache_key("oracle", None, None)


def test_text_outside_the_chapters_is_not_read() -> None:
    text = f"“Who wrote this?” said Zachary.\n\n{TEXT}"
    start = text.index(TEXT)
    chapters = (
        Chapter(0, "", (), ChapterKind.FRONT, Span(0, start), Span(0, start)),
        Chapter(1, "", (), ChapterKind.CHAPTER, Span(start, len(text)), Span(start, len(text))),
    )
    dialogue = pipeline.attribute_book(text, chapters, "sieve")
    assert [quotation.of(text) for quotation in dialogue.quotations] == [
        "Go on, now.",
        "Why?",
        "Hush.",
    ]
    assert not any("Zachary" in character.aliases for character in dialogue.cast)


def test_quotations_are_inside_their_paragraphs() -> None:
    quotes = list(attributed_quotes(opened(TEXT, CHAPTERS), SPOKEN))
    assert [(quote.paragraph, quote.text, quote.cue) for quote in quotes] == [
        (1, "Go on, now.", "said Ann"),
        (2, "Why?", ""),
        (3, "Hush.", ""),
    ]
    assert quotes[0].locator == "pg1:1.1:1-24"


def test_portraits_count_names_and_quotations_and_say_where_they_begin() -> None:
    ann, ben = character_profiles(opened(TEXT, CHAPTERS), SPOKEN)
    assert (ann.character, ann.mentions, ann.quotations) == (ANN, 1, 1)
    assert (ben.character, ben.mentions, ben.quotations, ben.first) == (BEN, 1, 1, "pg1:1.2:7-10")


def test_thoughts_are_no_quotations_in_a_profile() -> None:
    ann, ben = character_profiles(opened(TEXT, CHAPTERS), THOUGHT_AND_READ)
    assert (ann.quotations, ben.quotations, ben.mentions) == (1, 0, 1)


NAMES = {"tei": tei.TEI}


def written(
    text: str = TEXT, chapters: tuple[Chapter, ...] = CHAPTERS, dialogue: Dialogue = SPOKEN
) -> etree._Element:
    quotes = list(attributed_quotes(opened(text, chapters), dialogue))
    return etree.fromstring(tei.to_tei(BOOK, text, chapters, quotes))


def test_tei_has_the_whole_text_and_who_says_what() -> None:
    root = written()
    assert ["".join(element.itertext()) for element in root.iterfind(".//tei:p[@n]", NAMES)] == (
        TEXT.split("\n\n")
    )
    speeches = [
        (element.get("who"), element.text) for element in root.iterfind(".//tei:said", NAMES)
    ]
    assert speeches == [
        ("#person-ann-marsh", "Go on,"),
        ("#person-ann-marsh", "now."),
        ("#person-ben-marsh", "Why?"),
        (None, "Hush."),
    ]


def test_tei_says_what_is_thought_and_what_is_written() -> None:
    root = valid(written(dialogue=THOUGHT_AND_READ))
    thought = root.find(".//tei:said[@aloud]", NAMES)
    assert (thought.get("aloud"), thought.get("who"), thought.text) == (
        "false",
        "#person-ben-marsh",
        "Why?",
    )
    letter = root.find(".//tei:q", NAMES)
    assert (letter.get("type"), letter.get("who"), letter.text) == ("written", None, "Hush.")


def test_tei_points_to_ids_that_are_there() -> None:
    root = written()
    ids = set(root.xpath("//@xml:id"))
    pointers = root.xpath("//@who | //@next | //@prev")
    assert pointers
    assert {pointer.removeprefix("#") for pointer in pointers} <= ids
    assert [person.get("sex") for person in root.iterfind(".//tei:person", NAMES)] == ["F", "M"]


def test_tei_links_the_pieces_of_a_quotation_and_says_how_sure_it_is() -> None:
    first, second, third, fourth = written().iterfind(".//tei:said", NAMES)
    assert first.get("next") == "#q1.2"
    assert second.get("prev") == "#q1.1"
    assert [piece.get("cert") for piece in (first, third, fourth)] == ["high", "medium", "low"]


def valid(root: etree._Element) -> etree._Element:
    """Assert that a document is valid against the schema, and return it."""
    schema = etree.RelaxNG(file=str(tei.SCHEMA))
    assert schema.validate(root), schema.error_log
    return root


@pytest.mark.parametrize(
    ("path", "change"),
    [
        pytest.param(".//tei:said", lambda tag: tag.attrib.pop("cert"), id="no certainty"),
        pytest.param(".//tei:said", lambda tag: tag.set("who", "Ann"), id="a speaker by name"),
        pytest.param(".//tei:said", lambda tag: tag.set("toWhom", "#x"), id="another attribute"),
        pytest.param(".//tei:person", lambda person: person.clear(), id="a nameless person"),
        pytest.param(".//tei:div", lambda division: division.clear(), id="an empty chapter"),
        pytest.param(".//tei:p[@n]", lambda paragraph: paragraph.set("n", "0"), id="paragraph 0"),
        pytest.param(".//tei:body", lambda body: body.clear(), id="an empty body"),
        pytest.param(".", lambda root: root.remove(root[0]), id="no header"),
    ],
)
def test_the_schema_refuses_what_tei_is_never_written_with(
    path: str, change: Callable[[etree._Element], object]
) -> None:
    root = valid(written())
    change(root.find(path, NAMES))
    assert not etree.RelaxNG(file=str(tei.SCHEMA)).validate(root)


@pytest.mark.parametrize(
    ("chapters", "spoken"),
    [
        pytest.param(CHAPTERS, SPOKEN, id="a chapter"),
        pytest.param(CHAPTERS, THOUGHT_AND_READ, id="a thought and a letter"),
        pytest.param(CHAPTERS, Dialogue((), (), ()), id="nobody speaks"),
        pytest.param(CHAPTERS[:1], Dialogue((), (), ()), id="no chapter"),
        pytest.param(
            (Chapter(1, "", (), ChapterKind.PREFACE, Span(0, len(TEXT)), Span(0, len(TEXT))),),
            SPOKEN,
            id="a preface without a heading",
        ),
        pytest.param(
            (Chapter(1, "A", (), ChapterKind.CHAPTER, Span(0, 1), Span(1, 1)),),
            Dialogue((), (), ()),
            id="a heading alone",
        ),
    ],
)
def test_tei_is_valid_by_its_schema(chapters: tuple[Chapter, ...], spoken: Dialogue) -> None:
    quotes = list(attributed_quotes(opened(TEXT, chapters), spoken))
    for book in (BOOK, Book("own-x", "", "", "en", "", "")):
        valid(etree.fromstring(tei.to_tei(book, TEXT, chapters, quotes)))


def test_tei_of_hostile_text_is_still_xml() -> None:
    text = TEXT.replace("Ben <wept>", "\x00]]>\ufffe\x1b")
    assert "]]>" in "".join(valid(written(text)).itertext())
