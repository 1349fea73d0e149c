"""Quotations reattributed to a corrected cast: what changes, what stays, what is cached."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.corrections.application import apply
from scholar_indexes.attribution.corrections.kinds import (
    Correction,
    GenderOf,
    Merge,
    NarratorOf,
    NewCharacter,
    NotAPerson,
    Rename,
    SpeakerOf,
)
from scholar_indexes.attribution.corrections.reattribution import CastAttributor
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book, Chapter, ChapterKind, Character, Gender, Span

FIRST = (
    "“Go on,” said Ann Marsh.\n\n“Why?” asked Ben Lamb.\n\n"
    "“Hush,” I said.\n\n“Ho!” cried Ben Lamb.\n\n"
)
SECOND = "“Aye,” said Dora, and Ben Lamb laughed.\n\n“At last,” I said to Ann Marsh.\n\n"
TEXT = FIRST + SECOND
ANN = Character("ann-marsh", "Ann Marsh", ("Ann Marsh",), Gender.FEMALE)
BEN = Character("ben-lamb", "Ben Lamb", ("Ben Lamb",), Gender.MALE)
DORA = Character("dora", "Dora", ("Dora",))
CHAPTERS = (
    Chapter(0, "", (), ChapterKind.FRONT, Span(0, 0), Span(0, 0)),
    *(
        Chapter(number, f"Chapter {number}", (), ChapterKind.CHAPTER, span, span)
        for number, span in ((1, Span(0, len(FIRST))), (2, Span(len(FIRST), len(TEXT))))
    ),
)
BOOK = OpenBook.from_text(
    StoredBook(
        Book("own-marsh", "The Marshes", "A", "en", "a test", "0" * 64), 1, len(TEXT), 2, 6, "2026"
    ),
    TEXT,
    CHAPTERS,
)
KEY = "sieve 1 weights"


class Corrected:
    """A book whose quotations are reattributed, with a count of how often."""

    def __init__(self, folder: Path, method: str = pipeline.SIEVE) -> None:
        self.method, self.folder, self.computed = method, folder, 0
        quotations = pipeline.attribute_book(TEXT, CHAPTERS, pipeline.SIEVE)
        self.detected = self.attribute((ANN, BEN, DORA), quotations)
        self.computed = 0

    def attribute(self, cast: Sequence[Character], quotations: Dialogue) -> Dialogue:
        self.computed += 1
        return pipeline.attribute_to_cast(TEXT, CHAPTERS, quotations, cast, self.method)

    def dialogue(self, *corrections: Correction, cached_only: bool = False) -> Dialogue:
        """Assert that all corrections apply, and return the corrected dialogue."""
        attribute = None if cached_only else lambda cast: self.attribute(cast, self.detected)
        attributor = CastAttributor(self.folder, len(TEXT), KEY, self.detected, attribute)
        corrected = apply(BOOK, self.detected, corrections, attributor)
        assert corrected.problems == {}
        return corrected.dialogue

    def speakers(self, *corrections: Correction, cached_only: bool = False) -> list[str]:
        dialogue = self.dialogue(*corrections, cached_only=cached_only)
        assert all(
            attribution.speaker is None or attribution.speaker in dialogue.cast
            for attribution in dialogue.attributions
        )
        return [
            attribution.speaker.name if attribution.speaker else "?"
            for attribution in dialogue.attributions
        ]


@pytest.fixture
def book(tmp_path: Path) -> Corrected:
    return Corrected(tmp_path)


# -- what is recomputed, and how often -----------------------------------------------------------


@pytest.mark.parametrize("method", [pipeline.SIEVE, pipeline.NEAREST])
def test_a_book_in_which_nobody_is_a_person_has_no_speakers(tmp_path: Path, method: str) -> None:
    nobody = [NotAPerson(character.name) for character in (ANN, BEN, DORA)]
    assert Corrected(tmp_path, method).speakers(*nobody) == ["?"] * 6


@pytest.mark.parametrize(
    "corrections",
    [
        pytest.param((), id="nothing"),
        pytest.param((SpeakerOf("own-marsh:1.2:1-5", "Dora"),), id="the speaker of a quotation"),
        pytest.param((GenderOf("Ben Lamb", "male"),), id="a gender that was known"),
    ],
)
def test_corrections_that_change_no_candidate_recompute_nothing(
    book: Corrected, corrections: tuple[Correction, ...]
) -> None:
    book.dialogue(*corrections)
    assert book.computed == 0
    assert list(book.folder.iterdir()) == []


def test_the_same_candidates_are_computed_once(book: Corrected) -> None:
    merge = Merge(("Ann Marsh", "Dora"))
    first = book.speakers(merge)
    assert book.speakers(merge) == book.speakers(merge, cached_only=True) == first
    assert book.computed == 1
    book.dialogue(NotAPerson("Dora"))
    assert book.computed == 2


def test_a_choice_of_first_name_is_taken_from_the_cache(book: Corrected) -> None:
    merge = Merge(("Ann Marsh", "Dora"))
    book.dialogue(merge)
    assert book.speakers(Rename("Ann Marsh", "Dora"), merge)[0] == "Dora"
    assert book.computed == 1


def test_a_damaged_cache_is_computed_again(book: Corrected) -> None:
    first = book.speakers(NotAPerson("Dora"))
    (path,) = book.folder.iterdir()
    path.write_text("{", "utf-8")
    assert book.speakers(NotAPerson("Dora")) == first
    assert book.computed == 2


def test_from_the_cache_alone_quotations_go_with_their_characters(book: Corrected) -> None:
    merged = book.speakers(Merge(("Ann Marsh", "Dora")), cached_only=True)
    assert merged == ["Ann Marsh" if name == "Dora" else name for name in book.speakers()]
    assert "Dora" in book.speakers()
    assert book.computed == 0


# -- the results ---------------------------------------------------------------------------------


def test_quotations_of_a_removed_character_go_to_another(tmp_path: Path) -> None:
    nearest = Corrected(tmp_path, pipeline.NEAREST)
    assert nearest.speakers()[1] == "Ann Marsh"
    assert nearest.speakers(NotAPerson("Ann Marsh"))[1] == "Ben Lamb"


def test_a_new_character_is_found_where_the_text_names_it(tmp_path: Path) -> None:
    book = Corrected(tmp_path)
    book.detected = book.attribute((ANN, DORA), book.detected)
    assert "Ben Lamb" not in book.speakers()
    speakers = book.speakers(NewCharacter("Ben Lamb", gender="male"))
    assert speakers[1] == speakers[3] == "Ben Lamb"


def test_a_corrected_speaker_outlives_other_corrections(book: Corrected) -> None:
    hers = SpeakerOf("own-marsh:1.2:1-5", "Ann Marsh")
    dialogue = book.dialogue(hers, NotAPerson("Dora"), NarratorOf("Ann Marsh"))
    assert dialogue.attributions[1].speaker is not None
    assert dialogue.attributions[1].speaker.name == "Ann Marsh"
    assert dialogue.attributions[1].confidence == 1


def test_the_narrators_of_chapters_say_what_i_say_in_them(book: Corrected) -> None:
    dialogue = book.dialogue(NarratorOf("Dora", "1"), NarratorOf("Ann Marsh", "2"))
    assert [character.narrates for character in dialogue.cast] == [
        (CHAPTERS[2].body,),
        (),
        (CHAPTERS[1].body,),
    ]
    speakers = book.speakers(NarratorOf("Dora", "1"), NarratorOf("Ann Marsh", "2"))
    assert (speakers[2], speakers[5]) == ("Dora", "Ann Marsh")


def test_a_narrator_of_a_chapter_takes_it_from_the_detected_one(book: Corrected) -> None:
    tells = Character("dora", "Dora", ("Dora",), narrator=True, narrates=(Span(0, len(TEXT)),))
    book.detected = book.attribute((ANN, BEN, tells), book.detected)
    dialogue = book.dialogue(NarratorOf("Ann Marsh", "2"))
    assert dialogue.cast[0].narrates == (CHAPTERS[2].body,)
    assert dialogue.cast[2].narrates == (CHAPTERS[1].body,)
    whole = book.dialogue(NarratorOf("Ann Marsh"))
    assert [character.narrator for character in whole.cast] == [True, False, False]
    assert whole.cast[2].narrates == ()
