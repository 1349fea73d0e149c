"""`bench speakers`: speakers of annotated chapters, and the packaged annotation."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import DIALOGUE_BOOK, Scholar, error_line
from scholar_cli.laboratory import gutenberg_texts
from scholar_cli.laboratory.speakers import speakers_bench, speakers_data
from scholar_cli.laboratory.speakers.speakers_data import (
    AnnotatedChapter,
    AnnotatedCharacter,
    AnnotatedQuotation,
)
from scholar_cli.laboratory.speakers.speakers_systems import select_system
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.books.adding.ingest import BookSource, parse_draft
from scholar_indexes.errors import Damaged, NotThere, UsageError
from scholar_indexes.types import ChapterKind, Gender, QuoteKind

ELIZABETH = AnnotatedCharacter("e", ("Elizabeth Marsh",), "", Gender.FEMALE, False, False)
HALE = AnnotatedCharacter("h", ("Mr. Hale",), "", Gender.MALE, False, False)
SPEAKERS = ("e", "h", "e", "h", "h", "e", "h", "e")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Return a folder of texts with one book."""
    (tmp_path / "primary").mkdir()
    (tmp_path / "primary" / "7.txt").write_text(DIALOGUE_BOOK, "utf-8")
    return tmp_path


@pytest.fixture
def chapter(texts: Path) -> AnnotatedChapter:
    """Return the annotation of that book, as one chapter."""
    path = texts / "primary" / "7.txt"
    draft = parse_draft(BookSource(path.read_bytes(), str(path), 7))
    bodies = [one.body for one in draft.chapters if one.kind is ChapterKind.CHAPTER]
    quotations = find_quotations(draft.text, bodies)
    return AnnotatedChapter(
        book="pg7",
        title="The Quay",
        part="dev",
        chapter=0,
        span=draft.chapters[0].span,
        text_sha256=draft.book.sha256,
        characters=(ELIZABETH, HALE),
        quotations=tuple(
            AnnotatedQuotation(quotation, speaker, "", ())
            for quotation, speaker in zip(quotations, SPEAKERS, strict=True)
        ),
    )


def test_a_book_that_is_not_there_is_named(tmp_path: Path, chapter: AnnotatedChapter) -> None:
    with pytest.raises(NotThere, match="the text of The Quay is missing"):
        list(speakers_data.open_books(tmp_path / "other", [chapter]))


def test_another_text_than_the_annotated_one_is_refused(
    texts: Path, chapter: AnnotatedChapter
) -> None:
    with pytest.raises(UsageError, match="not the annotated text of The Quay"):
        list(speakers_data.open_books(texts, [replace(chapter, text_sha256="0" * 64)]))


@pytest.mark.parametrize("content", [b"no archive", lzma.compress(b"{}\n"), lzma.compress(b"[")])
def test_a_damaged_annotation_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "chapters.jsonl.xz"
    path.write_bytes(content)
    with pytest.raises(Damaged, match=r"chapters\.jsonl\.xz cannot be read"):
        speakers_data.read(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--part", "train"], "choose from dev, test", id="part"),
        pytest.param(["-b", "pg1"], "no chapter of 'pg1' is annotated", id="book"),
        pytest.param(["--method", "llm"], "choose from trained, sieve, nearest", id="method"),
    ],
)
def test_an_unknown_choice_of_chapters_is_named(
    lab: Scholar, texts: Path, options: list[str], message: str
) -> None:
    assert message in error_line(lab("bench", "speakers", "--texts", str(texts), *options), 2)


def test_speakers_are_right_by_whatever_name_the_program_has_for_them(
    texts: Path, chapter: AnnotatedChapter
) -> None:
    reports = speakers_bench.run(texts, [chapter], select_system("sieve"), "sieve")
    everything, named, unnamed, *_ = reports
    assert [report.split for report in reports] == list(speakers_bench.SPLITS)
    assert everything.metrics["right"] == named.metrics["right"] >= 6 / 8
    assert everything.metrics["detected"] == 1
    assert (everything.n, unnamed.n) == (8, 0)


def test_sure_answers_are_counted_by_kind(texts: Path, chapter: AnnotatedChapter) -> None:
    reports = speakers_bench.run(texts, [chapter], select_system("sieve"), "sieve")
    by_split = {report.split: report for report in reports}
    assert sum(by_split[kind].n for kind in QuoteKind) == by_split["all"].n
    explicit, implicit = by_split[QuoteKind.EXPLICIT], by_split[QuoteKind.IMPLICIT]
    assert (explicit.metrics["sure"], explicit.metrics["sure_right"]) == (1, 1)
    assert implicit.metrics["sure"] == 0


def test_words_that_nobody_speaks_are_not_counted_as_wrong_but_apart(
    texts: Path, chapter: AnnotatedChapter
) -> None:
    first, *others = chapter.quotations
    letter = replace(first, speaker=None, reason="letter")
    [everything, *_] = speakers_bench.run(
        texts,
        [replace(chapter, quotations=(letter, *others))],
        select_system("sieve"),
        "sieve",
    )
    assert everything.n == 7
    assert everything.metrics["attributed_non_speech"] == 1


def test_an_unnamed_speaker_is_the_character_with_most_of_the_quotations(
    texts: Path, chapter: AnnotatedChapter
) -> None:
    stranger = AnnotatedCharacter("h", (), "the man with the lamp", Gender.MALE, False, False)
    chapter = replace(chapter, characters=(ELIZABETH, stranger))
    reports = speakers_bench.run(texts, [chapter], select_system("sieve"), "sieve")
    counts = {report.split: report.n for report in reports}
    assert (counts["all"], counts["named"], counts["unnamed"]) == (8, 4, 4)
    assert reports[2].metrics["right"] >= 3 / 4


def test_every_packaged_chapter_is_whole() -> None:
    chapters = speakers_data.read()
    assert len(chapters) >= 60
    assert sum(len(chapter.quotations) for chapter in chapters) >= 3_000
    for chapter in chapters:
        ids = {character.id for character in chapter.characters}
        assert all(character.names or character.description for character in chapter.characters)
        for annotated in chapter.quotations:
            assert annotated.speaker in ids or (annotated.speaker is None and annotated.reason)
            assert ids.issuperset(annotated.addressees)
            assert chapter.span.start <= annotated.quotation.span.start
            assert annotated.quotation.span.end <= chapter.span.end


def test_no_novel_is_in_both_parts_and_a_third_is_for_testing() -> None:
    parts: dict[str, set[str]] = {part: set() for part in gutenberg_texts.PARTS}
    for chapter in speakers_data.read():
        parts[chapter.part].add(chapter.book)
    assert not parts[gutenberg_texts.DEVELOPMENT] & parts[gutenberg_texts.TEST]
    assert 0.3 <= len(parts[gutenberg_texts.TEST]) / sum(map(len, parts.values())) <= 0.4


@pytest.mark.shared
def test_packaged_positions_match_the_texts(shared_texts: Path) -> None:
    chapters = speakers_data.select(speakers_data.read(), (), ("pg242", "pg73"))
    for draft, annotated in speakers_data.open_books(shared_texts, chapters):
        for chapter in annotated:
            assert chapter.span == draft.chapters[chapter.chapter].body
            for quotation in chapter.quotations:
                first = quotation.quotation.span
                assert draft.text[first.start - 1] in "“\"'‘—"


def test_the_reports_are_lines_of_json(texts: Path, chapter: AnnotatedChapter) -> None:
    for report in speakers_bench.run(texts, [chapter], select_system("nearest"), "nearest"):
        assert json.loads(report.line())["bench"] == "speakers (dev)"
