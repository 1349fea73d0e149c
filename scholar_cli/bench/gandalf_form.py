"""Questions about characters in GANDALF's form, as files.

    questions.jsonl   {question_id, book, kind: desc2name|name2desc, level, text, choices, answer}
    <book>.txt        the raw text, from Project Gutenberg, of each book named

The data set of Carlsson et al. (2022) is not to be had; sets of its form are made of the
description bank, under the novels' own names or under others.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from scholar_indexes import samples
from scholar_indexes.books.decoding import decode
from scholar_indexes.characters import questions as asking
from scholar_indexes.characters import rename
from scholar_indexes.characters.bank import Described
from scholar_indexes.characters.questions import Question, Tell
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError

QUESTIONS = "questions.jsonl"

MAX_BYTES = 256 * 1024**2

_BOOK = re.compile(r"\w[^/\\:\x00-\x1f]{0,200}")

ORIGINAL, REP, SHUFFLED, NEGATED = "original", "rep", "shuffled", "negated"

GENDERS = {"switched": "switched", "female": "female", "male": "male"}

VARIANTS = (REP, SHUFFLED, *GENDERS, NEGATED, *rename.nationalities())
"""The same questions in other ways: rep gives every name another of its gender and of one
nationality; shuffled has the names of all books change places (section 4.7); the others probe
(section 7.1): first names of the other gender, of women or of men only, names of one
nationality, and descriptions that also deny another's."""


@dataclass(frozen=True, slots=True)
class Data:
    """The questions of a folder, and the raw text of each of their books, by its name.

    open are the questions that came without an answer, ids those whose question_id was
    written as a number.
    """

    questions: tuple[Question, ...]
    texts: Mapping[str, bytes]
    open: frozenset[str] = frozenset()
    ids: Mapping[str, str | int] = field(default_factory=dict)

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
        written = _bytes(data / QUESTIONS).decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        raise Damaged(f"{data / QUESTIONS} is not UTF-8 ({broken}); save it again") from broken
    unanswered: set[str] = set()
    ids: dict[str, str | int] = {}
    lines = [_usual(line, unanswered, ids) for line in written.split("\n")]
    questions = asking.from_jsonl("\n".join(lines), QUESTIONS)
    if not questions:
        raise NotThere(f"{data / QUESTIONS} has no questions; write one a line")
    texts = {}
    for name in dict.fromkeys(each.book_id for each in questions):
        if not _BOOK.fullmatch(name):
            raise UsageError(f"{name[:60]!r} cannot be a book's file; use letters, digits, - and _")
        texts[name] = _bytes(data / f"{name}.txt")
    return Data(tuple(questions), texts, frozenset(unanswered), ids)


def _usual(line: str, unanswered: set[str], ids: dict[str, str | int]) -> str:
    """A line of questions as from_jsonl takes it: numbers that name a question or a book become
    texts, and a missing answer the first choice; what is noted is what was there."""
    if len(line) > asking.MAX_LINE_CHARS:
        return line
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(record, dict):
        return line
    number = record.get("question_id")
    if type(number) is int:
        record["question_id"] = str(number)
        ids[str(number)] = number
    if type(record.get("book")) is int:
        record["book"] = str(record["book"])
    if record.get("answer") is None:
        record["answer"] = 0
        unanswered.add(str(record.get("question_id")))
    return json.dumps(record)


def generate(
    banks: Mapping[str, Sequence[Described]],
    texts: Mapping[str, str],
    out: Path,
    *,
    seed: int = 0,
    n: int | None = None,
    variants: Iterable[str] = (),
    tell: Tell = lambda line: None,
) -> dict[Path, int]:
    """Write a folder of questions made of descriptions, n for each book or all there are, and
    one beside it for each of some VARIANTS ("out-rep"); how many questions are in each.

    banks and texts (raw) are by the same names. As in the paper (section 4.2) a character
    whose names have no term that can be replaced is left out. A variant has the same
    questions, with the same ids and choices in the same order, so that answers compare in
    pairs. Raises NotThere for a bank without a text, NoMatch for one that gives no
    question, UsageError for a variant that is none and ScholarError where nothing can be
    written.
    """
    wanted = list(dict.fromkeys(variants))
    if unknown := [each for each in wanted if each not in VARIANTS]:
        raise UsageError(f"{unknown[0]!r} is no variant; choose from {', '.join(VARIANTS)}")
    if SHUFFLED in wanted and len(banks) < 2:
        raise UsageError("names are shuffled among several books; name others too")
    missing = [name for name in banks if name not in texts]
    if missing:
        raise NotThere(f"there is no text of {missing[0]}; give one with its bank")
    tables = {name: rename.table(bank, texts[name], seed) for name, bank in banks.items()}
    made: dict[str, list[Question]] = {}
    for name, bank in banks.items():
        made[name] = asking.make(replaceable(bank, tables[name]), name, n, seed, tell=tell)
    written = {out: _write(out, made, texts)}
    pool = rename.pooled((bank, texts[name]) for name, bank in banks.items())
    for variant in wanted:
        folder = out.with_name(f"{out.name}-{variant}")
        if variant == NEGATED:
            denied = {name: _denied(made[name], bank, seed) for name, bank in banks.items()}
            written[folder] = _write(folder, denied, texts)
            continue
        renamed, other = {}, {}
        for name, bank in banks.items():
            table = tables[name]
            if variant != REP:
                table = _table(variant, bank, texts[name], seed, pool)
            renamed[name] = [renamed_question(each, table) for each in made[name]]
            other[name] = table.apply(texts[name])
        written[folder] = _write(folder, renamed, other)
    return written


def _table(
    variant: str, bank: Sequence[Described], text: str, seed: int, pool: rename.Names
) -> rename.Table:
    if variant == SHUFFLED:
        return rename.table(bank, text, seed, "any", pool)
    if variant in GENDERS:
        return rename.table(bank, text, seed, GENDERS[variant])
    return rename.table(bank, text, seed, nationality=variant)


def _denied(questions: Sequence[Question], bank: Sequence[Described], seed: int) -> list[Question]:
    """Questions whose descriptions also deny one of another character, each its own."""
    denials: defaultdict[str, list[str]] = defaultdict(list)
    plain = {of.name: iter(of.descriptions) for of in bank}
    for of, told in rename.negated(bank, Random(f"{seed} negated")):
        denials[of.name].append(told.text.removeprefix(next(plain[of.name]).text))

    def with_denial(question: Question, name: str, text: str) -> str:
        known = denials[name] or [""]
        return text + Random(f"{seed} {question.id} {name}").choice(known)

    found = []
    for each in questions:
        if each.kind == "desc2name":
            found.append(replace(each, text=with_denial(each, each.character, each.text)))
        else:
            pairs = zip(each.names, each.choices, strict=True)
            choices = tuple(with_denial(each, name, text) for name, text in pairs)
            found.append(replace(each, choices=choices))
    return found


def _write(out: Path, made: Mapping[str, Sequence[Question]], texts: Mapping[str, str]) -> int:
    questions = [each for those in made.values() for each in those]
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in made:
            (out / f"{name}.txt").write_text(texts[name], "utf-8")
        (out / QUESTIONS).write_text(asking.as_jsonl(questions), "utf-8")
    except OSError as refusal:
        raise ScholarError(
            f"{out} cannot be written ({refusal.strerror}); name another folder"
        ) from refusal
    return len(questions)


def texts_of(
    books: Iterable[str], folder: Path | None, shelved: Callable[[str], str]
) -> dict[str, str]:
    """The texts that can be found of some books, by their ids: of a folder's files
    (<id>.txt, <number>.txt, primary/<number>.txt), else of the shelf, else of the bundled
    sample. shelved gives the text of a book on the shelf and raises NotThere."""
    if folder is not None and not folder.is_dir():
        raise NotThere(f"there is no folder {folder}; name one with texts as <number>.txt")
    bundled = {f"pg{each.gutenberg_id}": each for each in samples.bundled()}
    found = {}
    for book in books:
        names = [book, f"primary/{book[2:]}", book[2:]] if book.startswith("pg") else [book]
        paths = [folder / f"{name}.txt" for name in names] if folder else []
        path = next((each for each in paths if each.is_file()), None)
        if path is not None:
            found[book] = decode(_bytes(path))[0]
            continue
        try:
            found[book] = shelved(book)
        except NotThere:
            if book in bundled:
                found[book] = decode(samples.read(bundled[book]))[0]
    return found


def with_texts(
    banks: Mapping[str, Sequence[Described]],
    texts: Mapping[str, str],
    *,
    named: bool,
    tell: Tell = lambda line: None,
) -> dict[str, Sequence[Described]]:
    """The banks that there are texts of; tell is told of the others. Raises NotThere where one
    is missing that was named, or all are."""
    missing = [name for name in banks if name not in texts]
    if missing and (named or len(missing) == len(banks)):
        raise NotThere(
            f"there is no text of {missing[0]}; run: scholar add {missing[0].removeprefix('pg')}, "
            "or name a folder with it: --texts FOLDER"
        )
    if missing:
        tell(f"left out, because there is no text of them: {', '.join(missing)}")
    return {name: bank for name, bank in banks.items() if name in texts}


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
