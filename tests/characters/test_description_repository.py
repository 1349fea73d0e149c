"""The repository of descriptions: banks of users, packaged banks, automatic descriptions."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.characters.descriptions.repository import DescriptionRepository
from scholar_indexes.characters.quiz.quiz_service import Quiz
from scholar_indexes.coreference.people import BookPeople, People
from scholar_indexes.errors import Damaged, NoMatch, NotThere
from scholar_indexes.paths import Paths
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.catalog import Catalog
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    ChapterKind,
    Character,
    Gender,
    Progress,
    QuoteKind,
    Span,
)

TEXT = (
    "“I am Jane,” said Jane Marsh.\n\n"
    "Jane Marsh laughed. She had a wooden leg. Mr. Hale married Jane."
)
JANE = Character("jane-marsh", "Jane Marsh", ("Jane Marsh", "Jane"), Gender.FEMALE)
HALE = Character("mr.-hale", "Mr. Hale", ("Mr. Hale",), Gender.MALE)
WRITTEN = {
    "name": "Jane Marsh",
    "gender": "female",
    "descriptions": [
        {
            "level": 1,
            "text": "the one with a limp",
            "evidence": [{"locator": "own-x:1.2:0-28", "quote": "Jane Marsh laughed. She had"}],
        }
    ],
}


class Dialogues:
    """Dialogues that count how often they are read."""

    def __init__(self) -> None:
        self.readings = 0

    def cache_key(self, book: OpenBook) -> str:
        return "test"

    def dialogue(self, book: OpenBook, *, progress: Progress) -> Dialogue:
        self.readings += 1
        quotations = find_quotations(TEXT, [Span(0, len(TEXT))])
        attributions = [Attribution(JANE, QuoteKind.IMPLICIT, None, 1.0) for _ in quotations]
        return Dialogue((JANE, HALE), tuple(quotations), tuple(attributions))

    def people(self, book: OpenBook, progress: Progress) -> BookPeople:
        start = TEXT.index("She")
        mentions = People(np.array([start]), np.array([start + len("She")]), np.array([0]))
        return BookPeople((JANE, HALE), mentions, People(*np.zeros((3, 0), np.int64)))

    def readable_corrections(self, book_id: str) -> tuple[()]:
        return ()


@pytest.fixture
def dialogues() -> Dialogues:
    return Dialogues()


@pytest.fixture
def announced() -> list[str]:
    return []


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "data", tmp_path / "cache", tmp_path / "config.toml")


@pytest.fixture
def opened(paths: Paths) -> OpenBook:
    """Return a book of the library with one chapter."""
    whole = Span(0, len(TEXT))
    book = Book("own-x", "X", "A. B.", "en", "x.txt", hashlib.sha256(TEXT.encode()).hexdigest())
    paths.data.mkdir(parents=True)
    catalog = Catalog(paths.catalog)
    stored = catalog.begin(book, len(TEXT), 1, 0)
    chapter = Chapter(1, "I", (), ChapterKind.CHAPTER, whole, whole)
    book_folder.save(paths.books / stored.folder, stored.book, TEXT, [chapter], [])
    catalog.list_edition(stored.edition, "test")
    return OpenBook(stored, paths.books / stored.folder)


@pytest.fixture
def repository(
    paths: Paths, opened: OpenBook, dialogues: Dialogues, announced: list[str]
) -> DescriptionRepository:
    return DescriptionRepository(paths, Catalog(paths.catalog).books, dialogues, announced.append)


def write_bank(paths: Paths, text: str) -> None:
    paths.descriptions.mkdir(parents=True, exist_ok=True)
    (paths.descriptions / "own-x.jsonl").write_text(text, "utf-8")


def test_automatic_descriptions_are_extracted_once(
    repository: DescriptionRepository, opened: OpenBook, dialogues: Dialogues
) -> None:
    book = repository.automatic(opened)
    assert {item.text for item in book.descriptions} == {
        "the one who had a wooden leg",
        "the one who married {Jane Marsh}",
    }
    assert repository.automatic(opened) == book
    assert dialogues.readings == 1


def test_automatic_descriptions_replace_a_missing_bank(repository: DescriptionRepository) -> None:
    assert not repository.has_written("own-x")
    assert repository.written("own-x") == []
    (jane, hale) = repository.descriptions("own-x")
    assert (jane.name, hale.name) == ("Jane Marsh", "Mr. Hale")
    assert jane.descriptions == hale.descriptions == ()  # the text has only one fact about each


def test_a_book_with_too_few_descriptions_gets_no_questions(
    repository: DescriptionRepository, paths: Paths, announced: list[str]
) -> None:
    quiz = Quiz(paths, repository, str, announced.append)
    with pytest.raises(NoMatch, match="scholar quiz import FILE own-x"):
        quiz.questions(["own-x"])


def test_bank_of_the_user_counts_before_automatic_descriptions(
    repository: DescriptionRepository, paths: Paths, opened: OpenBook
) -> None:
    write_bank(paths, json.dumps(WRITTEN))
    assert "own-x" in repository.written_ids()
    (jane,) = repository.descriptions("own-x")
    assert [item.text for item in jane.descriptions] == ["the one with a limp"]
    book = repository.automatic(opened)
    described = repository.describe(opened, book, book.characters)
    assert [(item.text, item.automatic) for item in described][:2] == [
        ("the one with a limp", False),
        ("the one who had a wooden leg", True),
    ]
    assert described[0].passages[0].locator == "own-x:1.2:0-28"


def test_packaged_bank_needs_no_book_of_the_library(repository: DescriptionRepository) -> None:
    assert repository.has_written("pg1342")
    assert repository.descriptions("pg1342") == repository.written("pg1342")
    assert repository.titles()["pg1342"][0] == "Pride and Prejudice"
    assert repository.library_titles() == {"own-x": ("X", "A. B.")}


def test_unknown_book_has_no_descriptions(repository: DescriptionRepository) -> None:
    with pytest.raises(NotThere, match="no written descriptions of own-y"):
        repository.descriptions("own-y")


def test_damaged_bank_is_announced_and_left_out(
    repository: DescriptionRepository, paths: Paths, announced: list[str]
) -> None:
    write_bank(paths, "{")
    with pytest.raises(Damaged):
        repository.descriptions("own-x")
    assert repository.readable("own-x") == []
    assert len(announced) == 1
    assert announced[0].endswith("; continuing without it")
