"""The bundled books: complete, divided as in print, and free of anything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scholar_indexes.books import samples
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.books.samples import Sample
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.settings import load
from scholar_indexes.types import ChapterKind

CHAPTERS = {64317: 9, 1342: 61, 84: 28}
"""As printed; Frankenstein has four letters and twenty-four chapters."""

each_sample = pytest.mark.parametrize("sample", samples.bundled(), ids=lambda sample: sample.title)


@each_sample
def test_a_bundled_book_holds_nothing_of_a_licence(sample: Sample) -> None:
    text = samples.read(sample).decode("utf-8")
    for phrase in (
        r"\*\*\* ?(START|END) OF",
        "gutenberg",
        "(full|terms of the?) licen[cs]e",
        "trademark",
        "small print",
        "donat(e|ions) to",
    ):
        assert not re.search(phrase, text, re.IGNORECASE), phrase


@each_sample
def test_a_bundled_book_is_clean_text(sample: Sample) -> None:
    text = samples.read(sample).decode("utf-8")
    assert "\r" not in text
    assert "\ufffd" not in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert text.endswith("\n")


@each_sample
def test_a_bundled_book_has_its_chapters_in_order(
    sample: Sample, sample_draft: Callable[[int], BookDraft]
) -> None:
    chapters = sample_draft(sample.gutenberg_id).chapters
    work = [chapter for chapter in chapters if chapter.kind is ChapterKind.CHAPTER]
    assert len(work) == CHAPTERS[sample.gutenberg_id]
    assert [chapter.number for chapter in chapters] == list(range(len(chapters)))
    assert chapters[0].kind is ChapterKind.FRONT
    assert all(chapter.body.end > chapter.body.start for chapter in work)
    assert len({chapter.title for chapter in work}) == len(work)


@each_sample
def test_a_bundled_book_names_its_source_and_its_author(
    sample: Sample, sample_draft: Callable[[int], BookDraft]
) -> None:
    book = sample_draft(sample.gutenberg_id).book
    assert book.id == f"pg{sample.gutenberg_id}"
    assert book.source == f"bundled sample, Project Gutenberg {sample.gutenberg_id}"
    assert book.language == "en"
    assert sample.author


@pytest.mark.parametrize(
    ("number", "quotation"),
    [
        (64317, "So we beat on, boats against the current, borne back ceaselessly into the past."),
        (1342, "a single man in possession\nof a good fortune, must be in want of a wife."),
        (84, "I am by birth a Genevese, and my family is one of the most distinguished\nof that"),
    ],
)
def test_a_bundled_book_says_what_it_is_known_for(
    number: int, quotation: str, sample_draft: Callable[[int], BookDraft]
) -> None:
    assert " ".join(quotation.split()) in " ".join(sample_draft(number).text.split())
    sentences = sample_draft(number).sentences
    assert len(sentences) > 3_000
    assert {sentence.chapter for sentence in sentences} == set(range(1, CHAPTERS[number] + 1))


def test_the_bundled_books_are_small() -> None:
    assert sum(samples.path(sample).stat().st_size for sample in samples.bundled()) < 1_000_000


def test_a_newer_text_of_a_bundled_book_stays_when_the_sample_is_added(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = tmp_path / "newer.txt"
    paragraph = "It is a truth universally acknowledged that a newer text is another text. "
    newer.write_text(
        "The Project Gutenberg EBook of Pride and Prejudice, by Jane Austen\n\n"
        "Title: Pride and Prejudice\n\nAuthor: Jane Austen\n\n"
        "Release Date: June, 1998 [EBook #1342]\n\nLanguage: English\n\n"
        "*** START OF THIS PROJECT GUTENBERG EBOOK PRIDE AND PREJUDICE ***\n\n"
        + f"CHAPTER I\n\n{paragraph * 10}\n\n"
        "*** END OF THIS PROJECT GUTENBERG EBOOK PRIDE AND PREJUDICE ***\n",
        "utf-8",
    )
    here = user_paths()
    library = Library(here, load(here.config)[0])
    own = library.add(str(newer))
    pride = [sample for sample in samples.bundled() if sample.gutenberg_id == 1342]
    monkeypatch.setattr(samples, "bundled", lambda: tuple(pride))
    assert [added.outcome for added in library.books.adder.add_sample()] == ["already here"]
    assert [book.book for book in library.books.all()] == [own.book]
