"""Questions about characters in GANDALF's form, as files.

    questions.jsonl   {question_id, book, kind: desc2name|name2desc, level, text, choices, answer}
    <book>.txt        the raw text, from Project Gutenberg, of each book named

The data set of Carlsson et al. (2022) is not to be had; sets of its form are made of the
description bank, under the novels' own names or under others.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scholar_indexes.characters import questions as asking
from scholar_indexes.characters import rename
from scholar_indexes.characters.bank import Described
from scholar_indexes.characters.questions import Question, Tell
from scholar_indexes.errors import Damaged, NotThere, UsageError

QUESTIONS = "questions.jsonl"

MAX_BYTES = 256 * 1024**2

_BOOK = re.compile(r"\w[\w.-]{0,100}")


@dataclass(frozen=True, slots=True)
class Data:
    """The questions of a folder, and the raw text of each of their books, by its name."""

    questions: tuple[Question, ...]
    texts: Mapping[str, bytes]

    @property
    def sha256(self) -> str:
        """One hash of the questions and the texts."""
        digest = hashlib.sha256(asking.as_jsonl(self.questions).encode("utf-8", "replace"))
        for name in sorted(self.texts):
            digest.update(name.encode() + b"\0" + hashlib.sha256(self.texts[name]).digest())
        return digest.hexdigest()

    def of_book(self, name: str) -> list[Question]:
        """The questions about one book, in their order."""
        return [each for each in self.questions if each.book_id == name]


def read(data: Path) -> Data:
    """The questions and texts of a folder.

    Raises NotThere without the folder, its questions or a text, Damaged naming the line
    that is no question, and UsageError for a book's name that is none.
    """
    if not data.is_dir():
        raise NotThere(f"there is no folder {data}; name one with {QUESTIONS} and the books' texts")
    try:
        questions = asking.from_jsonl(_bytes(data / QUESTIONS).decode("utf-8-sig"), QUESTIONS)
    except UnicodeDecodeError as broken:
        raise Damaged(f"{data / QUESTIONS} is not UTF-8 ({broken}); save it again") from broken
    if not questions:
        raise NotThere(f"{data / QUESTIONS} has no questions; write one a line")
    texts = {}
    for name in dict.fromkeys(each.book_id for each in questions):
        if not _BOOK.fullmatch(name) or ".." in name:
            raise UsageError(f"{name[:60]!r} cannot be a book's file; use letters, digits, - and _")
        texts[name] = _bytes(data / f"{name}.txt")
    return Data(tuple(questions), texts)


def generate(
    banks: Mapping[str, Sequence[Described]],
    texts: Mapping[str, str],
    out: Path,
    *,
    seed: int = 0,
    n: int | None = None,
    renamed: bool = False,
    tell: Tell = lambda line: None,
) -> int:
    """Write a folder of questions made of descriptions, n for each book or all there are, and
    return how many.

    banks and texts (raw) are by the same names. As in the paper (section 4.2) a character
    whose names have no term that can be replaced is left out. With renamed the same
    questions and texts stand under other names (section 4.7), with the same ids, so that
    answers to both compare in pairs. Raises NotThere for a bank without a text, NoMatch
    for one that gives no question.
    """
    made: list[Question] = []
    out.mkdir(parents=True, exist_ok=True)
    for name, bank in banks.items():
        if name not in texts:
            raise NotThere(f"there is no text of {name}; give one with its bank")
        table = rename.table(bank, texts[name], seed)
        those = asking.make(replaceable(bank, table), name, n, seed, tell=tell)
        made += [renamed_question(each, table) for each in those] if renamed else those
        text = table.apply(texts[name]) if renamed else texts[name]
        (out / f"{name}.txt").write_text(text, "utf-8")
    (out / QUESTIONS).write_text(asking.as_jsonl(made), "utf-8")
    return len(made)


def replaceable(bank: Sequence[Described], table: rename.Table) -> list[Described]:
    """The characters whose name a table changes, with the descriptions that name only these."""
    kept = {each.name for each in bank if table.name(each.name) != each.name}
    found = []
    for each in bank:
        told = tuple(one for one in each.descriptions if kept.issuperset(one.names))
        if each.name in kept and told:
            found.append(replace(each, descriptions=told))
    return found


def renamed_question(question: Question, table: rename.Table) -> Question:
    """The same question, with the same id, under other names."""
    return replace(
        question,
        text=table.apply(question.text),
        choices=tuple(map(table.apply, question.choices)),
        names=tuple(map(table.name, question.names)),
    )


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is larger than {MAX_BYTES >> 20} MiB; split it")
        return path.read_bytes()
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; the folder needs {QUESTIONS} and the books' texts"
                       ) from None  # fmt: skip
    except OSError as refusal:
        raise Damaged(f"{path} cannot be read ({refusal.strerror}); check it") from refusal
