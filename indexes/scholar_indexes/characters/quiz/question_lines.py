"""Questions as JSON lines, in the form of `scholar-lab bench gandalf`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from scholar_indexes.characters.descriptions.bank import DescriptionEvidence
from scholar_indexes.characters.quiz.choices import MAX_CHOICES
from scholar_indexes.characters.quiz.questions import KINDS, LEVELS, QuizQuestion
from scholar_indexes.errors import Damaged
from scholar_indexes.guarded import parse_json
from scholar_indexes.sanitize import one_line

MAX_LINE_CHARS = 1_000_000


def to_jsonl(questions: Iterable[QuizQuestion], *, full: bool = False) -> str:
    """Return questions as JSON lines: question_id, book, kind, level, text, choices, answer; full
    adds the names of the choices and the evidence."""
    records = (_to_record(question, full) for question in questions)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _to_record(question: QuizQuestion, full: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "question_id": question.id,
        "book": question.book_id,
        "kind": question.kind,
        "level": question.level,
        "text": question.text,
        "choices": list(question.choices),
        "answer": question.answer,
    }
    if full:
        record["names"] = list(question.names)
        record["evidence"] = [
            {"locator": proof.locator, "quote": proof.quote} for proof in question.evidence
        ]
        if question.automatic:
            record["automatic"] = True
        if question.bank_text:
            record["bank_text"] = question.bank_text
    return record


def from_jsonl(text: str, name: str = "questions.jsonl") -> list[QuizQuestion]:
    """Return the questions of JSON lines as to_jsonl writes them; name is the name of the file.

    Every text is folded to one line without control characters. Raises Damaged with the first
    line that is not a question, or repeats an id.
    """
    questions: dict[str, QuizQuestion] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            if len(line) > MAX_LINE_CHARS:
                raise ValueError(f"it is longer than {MAX_LINE_CHARS} characters")
            question = _from_record(parse_json(line))
            if question.id in questions:
                raise ValueError(f"question_id {question.id!r} appears twice")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Damaged(f"{name}, line {number}: {_explain(error)}; fix that line") from error
        questions[question.id] = question
    return list(questions.values())


def from_json(text: str, name: str) -> list[QuizQuestion]:
    """Return the questions of JSON lines or of one JSON array; raises as from_jsonl does, and
    Damaged for text that is not JSON."""
    if not text.lstrip().startswith(("[", "{")):
        raise Damaged(
            f"{name} has no questions in JSON lines; make them with: "
            "scholar quiz --format jsonl > questions.jsonl"
        )
    if text.lstrip().startswith("["):
        try:
            text = "\n".join(json.dumps(record) for record in parse_json(text))
        except (ValueError, TypeError, RecursionError) as error:
            reason = one_line(str(error), 80)
            raise Damaged(
                f"{name} cannot be read ({reason}); recreate it with: scholar quiz --json"
            ) from error
    return from_jsonl(text, name)


def _from_record(record: Any) -> QuizQuestion:
    choices = _parse_texts(record["choices"])
    if not 2 <= len(choices) <= MAX_CHOICES:
        raise ValueError(f"{len(choices)} choices; give 2 to {MAX_CHOICES}")
    kind = record["kind"]
    if kind not in KINDS:
        raise ValueError(f"kind {str(kind)[:20]!r}; write desc2name or name2desc")
    names = _parse_texts(record.get("names") or [])
    if names and len(names) != len(choices):
        raise ValueError(f"{len(names)} names for {len(choices)} choices")
    evidence = tuple(
        DescriptionEvidence(_parse_text(proof["locator"]), _parse_text(proof["quote"]))
        for proof in record.get("evidence") or []
    )
    return QuizQuestion(
        _parse_text(record["question_id"]),
        _parse_text(record["book"]),
        kind,
        _parse_number(record, "level", LEVELS[0], LEVELS[-1]),
        _parse_text(record["text"]),
        choices,
        _parse_number(record, "answer", 0, len(choices) - 1),
        evidence,
        names,
        record.get("automatic") is True,
        _parse_text(record["bank_text"]) if record.get("bank_text") else "",
    )


def _parse_texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise ValueError(f"expected a list, got {str(values)[:40]!r}")
    return tuple(map(_parse_text, values))


def _parse_text(value: Any) -> str:
    text = one_line(value) if isinstance(value, str) else ""
    if not text:
        raise ValueError(f"expected text, got {str(value)[:40]!r}")
    return text


def _parse_number(record: Mapping[str, Any], field: str, least: int, most: int) -> int:
    value = record[field]
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{field} {str(value)[:20]!r}; write {least} to {most}")
    return value


def _explain(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    if isinstance(error, (TypeError, AttributeError, RecursionError)):
        return "it is not a JSON object of this form"
    return one_line(str(error), 200)
