"""Description banks, quiz histories and rounds as files for other programs.

CSV has a row for every passage of every description (a description with two has two rows), JSON
has everything, and .apkg has an Anki deck for each book. quiz.bank_import reads the CSV and JSON
of a bank back as the same bank.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.quiz import question_lines
from scholar_indexes.characters.quiz.bank_format import (
    ALIAS_SEPARATOR,
    COLUMNS,
    Banks,
    bank_record,
)
from scholar_indexes.characters.quiz.quiz_records import BadQuestion, Card, QuizAnswer
from scholar_indexes.emphasis import styled_line
from scholar_indexes.errors import UsageError
from scholar_indexes.sanitize import escape_formula, one_line
from scholar_indexes.serialize import quiz_text
from scholar_indexes.serialize.html_page import html_line
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import quotation_to_markdown

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.grading import GradedAnswer
    from scholar_indexes.characters.quiz.history import History
    from scholar_indexes.characters.quiz.questions import QuizQuestion
    from scholar_indexes.characters.quiz.quiz_service import QuizBook
    from scholar_indexes.characters.quiz.rounds import Round
    from scholar_indexes.characters.quiz.statistics import AnswerCount, Stats

SCHEMA = "scholar-quiz"
SCHEMA_VERSION = 1

ANSWER_COLUMNS = ("at", "book", "character", "description", "level", "kind", "chosen", "right")

ANKI_MODEL_ID = 1_607_392_319
"""Anki's id of this kind of card, drawn once at random."""

CardKey = tuple[str, str, str]
"""Book id, character and description of a card."""


@dataclass(frozen=True, slots=True)
class QuizExport:
    """Banks and the history of their questions, the titles of their books by id, and the time of
    the export; `has_answers` makes a table of the history instead of the descriptions."""

    banks: Banks
    history: History
    titles: Mapping[str, str]
    at: datetime
    has_answers: bool = False


def to_csv(export: QuizExport) -> str:
    """Return descriptions or the history as CSV."""
    if export.has_answers:
        return answers_to_csv(export.history.answers(export.banks))
    return banks_to_csv(export.banks)


def to_json(export: QuizExport) -> str:
    """Return descriptions and the history as a JSON object."""
    return banks_to_json(export.banks, export.history.answers(export.banks))


def to_apkg(export: QuizExport) -> bytes:
    """Return descriptions as a file for Anki, with tags from the history."""
    cards = export.history.cards(export.banks)
    return banks_to_apkg(export.banks, export.at, export.titles, cards)


def count_cards(export: QuizExport) -> int:
    """Return the number of notes in the file for Anki."""
    return len(_notes(export.banks, _by_key(export.history.cards(export.banks))))


def banks_to_csv(books: Banks) -> str:
    """Return banks as CSV with COLUMNS: names of others in braces, aliases joined by semicolons.

    A cell that a spreadsheet would read as a formula has an apostrophe before it, which the import
    removes.
    """
    rows = (row for book_id, bank in books.items() for row in _bank_rows(book_id, bank))
    return _csv(COLUMNS, rows)


def answers_to_csv(answers: Iterable[QuizAnswer]) -> str:
    """Return a history as CSV with ANSWER_COLUMNS; times in UTC, right is yes or no."""
    rows = (
        (
            answer.at.isoformat(),
            answer.book_id,
            answer.character,
            answer.description,
            str(answer.level),
            answer.kind,
            answer.chosen or "",
            "yes" if answer.right else "no",
        )
        for answer in answers
    )
    return _csv(ANSWER_COLUMNS, rows)


def banks_to_json(books: Banks, answers: Iterable[QuizAnswer] = ()) -> str:
    """Return banks and a history as a JSON object: schema, version, books (the records of each
    bank by book) and history."""
    content = {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "books": {book_id: [*map(bank_record, bank)] for book_id, bank in books.items()},
        "history": [
            {
                "at": answer.at.isoformat(),
                "book": answer.book_id,
                "character": answer.character,
                "description": answer.description,
                "level": answer.level,
                "kind": answer.kind,
                "question_id": answer.question_id,
                "chosen": answer.chosen,
                "right": answer.right,
            }
            for answer in answers
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def banks_to_apkg(
    books: Banks,
    now: datetime,
    titles: Mapping[str, str] | None = None,
    cards: Iterable[Card] = (),
) -> bytes:
    """Return a file for Anki: a deck for each book, a note for each description of its bank.

    cards are the cards of a history: descriptions that are no longer in the banks have notes too,
    and the ones last answered wrong are tagged. Notes keep their identity, so that Anki updates the
    notes of an earlier file. Raises UsageError if there are no notes.
    """
    import genanki

    history = _by_key(cards)
    notes = _notes(books, history)
    if not notes:
        raise UsageError("nothing to export; choose a book with descriptions")
    model = _anki_model()
    decks: dict[str, Any] = {}
    for key, (level, evidence) in notes.items():
        book_id, character, text = key
        title = one_line((titles or {}).get(book_id, book_id), 200)
        if book_id not in decks:
            decks[book_id] = genanki.Deck(_deck_id(book_id), f"scholar::{title}")
        decks[book_id].add_note(
            genanki.Note(
                model,
                [*map(_escape_field, (text, character)), evidence, _escape_field(title)],
                tags=_tags(book_id, level, history.get(key)),
                guid=genanki.guid_for("scholar", book_id, character, text),
            )
        )
    package = genanki.Package([*decks.values()])
    return _zip_package(package, now.timestamp())


def _by_key(cards: Iterable[Card]) -> dict[CardKey, Card]:
    return {(card.book_id, card.character, card.description): card for card in cards}


def _anki_model() -> Any:
    import genanki

    return genanki.Model(
        ANKI_MODEL_ID,
        "scholar: who is it?",
        fields=[{"name": name} for name in ("Description", "Character", "Evidence", "Book")],
        templates=[
            {
                "name": "Who is it?",
                "qfmt": "<p><i>{{Book}}</i></p><p>{{Description}}</p>",
                "afmt": "{{FrontSide}}<hr id=answer><p><b>{{Character}}</b></p>{{Evidence}}",
            }
        ],
    )


def _deck_id(book_id: str) -> int:
    number = int.from_bytes(sha256(f"scholar:{book_id}".encode()).digest()[:4], "big")
    return (1 << 30) + number % (1 << 30)


def _tags(book_id: str, level: int, card: Card | None) -> list[str]:
    tags = ["scholar", f"level-{level}", re.sub(r"\s+", "_", one_line(book_id)) or "book"]
    if card is not None:
        tags.append("known" if card.last_right else "missed")
    return tags


def _zip_package(package: Any, seconds: float) -> bytes:
    """Return the file that genanki's write_to_file writes, without the database that it leaves in
    /tmp and without the time of day in the archive."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "collection.anki2"
        with closing(sqlite3.connect(file)) as db, db:
            package.write_to_db(db.cursor(), seconds, count(int(seconds * 1000)))
        collection = file.read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (("collection.anki2", collection), ("media", b"{}")):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _notes(books: Banks, history: Mapping[CardKey, Card]) -> dict[CardKey, tuple[int, str]]:
    """Return the level and the evidence as HTML of each note."""
    notes = {
        (book_id, one_line(character.name), one_line(description.plain)): (
            description.level,
            "".join(
                f"<blockquote>{_escape_anki(html_line(styled_line(proof.quote)))}"
                f"<br><small>{_escape_field(proof.locator)}</small></blockquote>"
                for proof in description.evidence
            ),
        )
        for book_id, bank in books.items()
        for character in bank
        for description in character.descriptions
    }
    for key, card in history.items():
        notes.setdefault(key, (card.level, ""))
    return notes


def _escape_field(text: str) -> str:
    """Return a text as HTML for a field."""
    return _escape_anki(html.escape(one_line(text)))


def _escape_anki(markup: str) -> str:
    """Return HTML with Anki's markup escaped, such as [latex] and [sound:]."""
    return markup.replace("[", "&#91;").replace("{", "&#123;")


def _bank_rows(book_id: str, bank: Iterable[DescribedCharacter]) -> Iterator[tuple[str, ...]]:
    for character in bank:
        aliases = ALIAS_SEPARATOR.join(character.aliases)
        head = (book_id, character.name, aliases, character.gender.value)
        for description in character.descriptions:
            row = (*head, str(description.level), description.text)
            if not description.evidence:
                yield (*row, "", "")
            for proof in description.evidence:
                yield (*row, proof.locator, proof.quote)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([escape_formula(one_line(cell)) for cell in row] for row in rows)
    return out.getvalue()


def question_records(questions: Iterable[QuizQuestion]) -> list[dict[str, Any]]:
    """Return questions with names and evidence as records."""
    lines = question_lines.to_jsonl(questions, full=True).split("\n")[:-1]
    return [json.loads(line) for line in lines]


def graded_answer_record(graded: GradedAnswer) -> dict[str, Any]:
    """Return a graded answer as a record."""
    question = graded.question
    return {
        "question_id": question.id,
        "right": graded.outcome.right,
        "chosen": graded.chosen,
        "answer": question.answer,
        "is": question.choices[question.answer],
        "due": graded.outcome.due.isoformat(timespec="seconds"),
    }


def stats_record(stats: Stats, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return statistics as a record; its scores are rows by book, level and kind."""
    rows = [_score_row("all", stats.overall)]
    rows += [_score_row(titles.get(book, book), score) for book, score in stats.by_book.items()]
    rows += [_score_row(f"level {level}", score) for level, score in stats.by_level.items()]
    rows += [_score_row(kind, score) for kind, score in stats.by_kind.items()]
    return {
        "cards": stats.cards,
        "due": stats.due,
        "streak": stats.streak,
        "longest": stats.longest_streak,
        "days": stats.days_in_a_row,
        "retention": stats.retention,
        "recall": stats.recall,
        "scores": rows,
    }


def _score_row(label: str, score: AnswerCount) -> dict[str, Any]:
    return {
        "what": label,
        "asked": score.count,
        "right": score.right,
        "share": round(score.share, 3),
    }


def bad_question_record(bad: BadQuestion) -> dict[str, Any]:
    """Return a bad question as a row; the time in UTC."""
    return {
        "id": bad.id,
        "book": bad.book_id,
        "character": bad.character,
        "description": bad.description,
        "level": bad.level,
        "at": bad.at.isoformat(),
    }


def quiz_book_record(book: QuizBook) -> dict[str, Any]:
    """Return a book with descriptions as a row."""
    return {
        "id": book.book_id,
        "title": book.title,
        "author": book.author,
        "characters": book.characters,
        "descriptions": book.descriptions,
        "own": "yes" if book.own else "",
        "automatic": "yes" if book.automatic else "",
    }


def round_to_records(quiz_round: Round) -> list[dict[str, Any]]:
    """Return the questions of a round with names and evidence, and their answers, as records."""
    records = question_records(quiz_round.questions)
    for record, answer in zip(records, quiz_round.answers, strict=False):
        record |= {"chosen": answer.chosen, "right": answer.right}
    return records


def round_to_markdown(quiz_round: Round, titles: Mapping[str, tuple[str, str]]) -> str:
    """Return a round as Markdown: its questions, answers and evidence; titles are the titles and
    authors of its books by id."""
    right, total = quiz_round.right_count, len(quiz_round.questions)
    summary = f"{right} of {quiz_round.position} right, {total} asked"
    parts = [f"# {escape_markdown(quiz_round.name)}\n\n{summary}\n"]
    for index, question in enumerate(quiz_round.questions):
        parts.append(_question_to_markdown(quiz_round, index))
        title, author = titles.get(question.book_id, (question.book_id, ""))
        source = ", ".join(part for part in (author, title) if part)
        parts += [
            quotation_to_markdown(f"“{one_line(proof.quote)}”", source, proof.locator)
            for proof in question.evidence
        ]
    return "\n".join(parts)


def _question_to_markdown(quiz_round: Round, index: int) -> str:
    question = quiz_round.questions[index]
    answer = quiz_round.answers[index] if index < quiz_round.position else None
    chosen = answer.chosen if answer else None
    lines = [f"## {index + 1}. {escape_markdown(quiz_text.question_sentence(question))}\n"]
    lines += [
        _choice_to_markdown(question, choice, choice == chosen)
        for choice in range(len(question.choices))
    ]
    if answer and chosen is None:
        lines.append("\nNot answered.")
    return "\n".join(lines) + "\n"


def _choice_to_markdown(question: QuizQuestion, choice: int, is_chosen: bool) -> str:
    text = escape_markdown(one_line(question.choices[choice]))
    if choice == question.answer:
        text = f"**{text}** ✓"
    return f"{choice + 1}. {text}{' ← answered' if is_chosen else ''}"
