"""Questions about characters in GANDALF's format.

    questions.jsonl   {question_id, book, kind: desc2name|name2desc, level, text, choices, answer}
    <book>.txt        the raw text of each book, from Project Gutenberg

The data set of Carlsson et al. (2022) is not available; data sets in its format are generated from
the description bank, with the novels' own names or with others.
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

from scholar_indexes.books import samples
from scholar_indexes.characters.anonymization.mapping import NameMapping
from scholar_indexes.characters.anonymization.negation import negate_descriptions
from scholar_indexes.characters.anonymization.pseudonyms import (
    Names,
    map_names,
    nationalities,
    pool_names,
)
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.quiz import question_lines
from scholar_indexes.characters.quiz.questions import QuizQuestion, Tell, generate_questions
from scholar_indexes.decoding import decode
from scholar_indexes.errors import Damaged, NoMatch, NotThere, ScholarError, UsageError
from scholar_indexes.guarded import parse_json, read_bytes

QUESTIONS = "questions.jsonl"

MAX_BYTES = 256 * 1024**2

_BOOK = re.compile(r"\w[^/\\:\x00-\x1f]{0,200}")

ORIGINAL, REP, SHUFFLED, NEGATED = "original", "rep", "shuffled", "negated"

GENDERS = {"switched": "switched", "female": "female", "male": "male"}

VARIANTS = (REP, SHUFFLED, *GENDERS, NEGATED, *nationalities())
"""Variants of the same questions: rep replaces every name by another of its gender and of one
nationality; shuffled exchanges the names of all books (section 4.7); the others are probes
(section 7.1): first names of the other gender, of women or of men only, names of one
nationality, and descriptions that also deny another character's."""


@dataclass(frozen=True, slots=True)
class GandalfData:
    """The questions of a folder, and the raw text of each of their books, by name.

    open has the ids of questions without an answer, ids the original of each numeric question_id.
    """

    questions: tuple[QuizQuestion, ...]
    texts: Mapping[str, bytes]
    open: frozenset[str] = frozenset()
    ids: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """A hash of the questions and the texts."""
        digest = hashlib.sha256(question_lines.to_jsonl(self.questions).encode("utf-8", "replace"))
        for name in sorted(self.texts):
            digest.update(name.encode() + b"\0" + hashlib.sha256(self.texts[name]).digest())
        return digest.hexdigest()

    def of_book(self, name: str) -> list[QuizQuestion]:
        """Return the questions about one book, in order."""
        return [question for question in self.questions if question.book_id == name]


def read(data: Path) -> GandalfData:
    """Return the questions and texts of a folder.

    Raises NotThere if the folder, its questions or a text is missing, Damaged with the line that is
    not a question, and UsageError for an invalid name of a book.
    """
    if not data.is_dir():
        raise NotThere(f"there is no folder {data}; give one with {QUESTIONS} and the books' texts")
    try:
        content = _read_bytes(data / QUESTIONS).decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        raise Damaged(f"{data / QUESTIONS} is not UTF-8 ({broken}); save it again") from broken
    unanswered: set[str] = set()
    ids: dict[str, str | int] = {}
    lines = [_normalize_line(line, unanswered, ids) for line in content.split("\n")]
    questions = question_lines.from_jsonl("\n".join(lines), QUESTIONS)
    if not questions:
        raise NotThere(f"{data / QUESTIONS} has no questions; write one per line")
    texts = {}
    for name in dict.fromkeys(question.book_id for question in questions):
        if not _BOOK.fullmatch(name):
            raise UsageError(
                f"{name[:60]!r} is not a valid file name; use letters, digits, - and _"
            )
        texts[name] = _read_bytes(data / f"{name}.txt")
    return GandalfData(tuple(questions), texts, frozenset(unanswered), ids)


def _normalize_line(line: str, unanswered: set[str], ids: dict[str, str | int]) -> str:
    """Return a line in the form that from_jsonl accepts: numeric ids of questions and books become
    strings, a missing answer the first choice. The changes are recorded in unanswered and ids."""
    if len(line) > question_lines.MAX_LINE_CHARS:
        return line
    try:
        record = parse_json(line)
    except ValueError:
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
    banks: Mapping[str, Sequence[DescribedCharacter]],
    texts: Mapping[str, str],
    out: Path,
    *,
    seed: int = 0,
    n: int | None = None,
    variants: Iterable[str] = (),
    named: bool = True,
    tell: Tell = lambda line: None,
) -> dict[Path, int]:
    """Write a folder of questions generated from descriptions, n per book or all, and one next to
    it for each of the given VARIANTS ("out-rep"); return the number of questions in each.

    banks and texts (raw) have the same keys. As in the paper (section 4.2), a character whose names
    have no replaceable term is excluded. A variant has the same questions, with the same ids and
    choices in the same order, so that answers can be compared in pairs. Unless named, banks that
    give no question are skipped and reported with tell. Raises NotThere for a bank without a text,
    NoMatch for a named bank that gives no question, or if none does, UsageError for an unknown
    variant, and ScholarError if the folders cannot be written.
    """
    chosen = list(dict.fromkeys(variants))
    _check_variants(chosen, banks, texts)
    mappings = {name: map_names(bank, texts[name], seed) for name, bank in banks.items()}
    replaceable_banks = {name: replaceable(bank, mappings[name]) for name, bank in banks.items()}
    questions = _ask(replaceable_banks, seed, n, must_all=named, tell=tell)
    if not questions:
        raise NoMatch("no bank gives a question; describe more characters")
    banks = {name: banks[name] for name in questions}
    counts = {out: _write(out, questions, texts)}
    pool = pool_names((bank, texts[name]) for name, bank in banks.items())
    for variant in chosen:
        folder = out.with_name(f"{out.name}-{variant}")
        if variant == NEGATED:
            negated = {name: _negate(questions[name], bank, seed) for name, bank in banks.items()}
            counts[folder] = _write(folder, negated, texts)
            continue
        renamed = {
            name: mappings[name]
            if variant == REP
            else _map_variant(variant, bank, texts[name], seed, pool)
            for name, bank in banks.items()
        }
        counts[folder] = _write_renamed(folder, questions, texts, renamed)
    return counts


def _ask(
    banks: Mapping[str, Sequence[DescribedCharacter]],
    seed: int,
    n: int | None,
    *,
    must_all: bool,
    tell: Tell,
) -> dict[str, list[QuizQuestion]]:
    """Return the questions of each bank; one that gives none is skipped, unless all must."""
    questions: dict[str, list[QuizQuestion]] = {}
    for name, bank in banks.items():
        try:
            questions[name] = generate_questions(bank, name, n, seed, tell=tell)
        except NoMatch as reason:
            if must_all or len(banks) == 1:
                raise
            tell(f"skipped: {reason}")
    return questions


def _check_variants(
    variants: Sequence[str], banks: Mapping[str, object], texts: Mapping[str, str]
) -> None:
    if unknown := [variant for variant in variants if variant not in VARIANTS]:
        raise UsageError(f"{unknown[0]!r} is not a variant; choose from {', '.join(VARIANTS)}")
    if SHUFFLED in variants and len(banks) < 2:
        raise UsageError("names are shuffled among several books; choose more books")
    if missing := [name for name in banks if name not in texts]:
        raise NotThere(f"there is no text of {missing[0]}; add one to its bank")


def _write_renamed(
    folder: Path,
    questions: Mapping[str, Sequence[QuizQuestion]],
    texts: Mapping[str, str],
    mappings: Mapping[str, NameMapping],
) -> int:
    """Write the questions and texts of books with other names; return the number of questions."""
    renamed = {
        name: [rename_question(question, mapping) for question in questions[name]]
        for name, mapping in mappings.items()
    }
    new_texts = {name: mapping.apply(texts[name]) for name, mapping in mappings.items()}
    return _write(folder, renamed, new_texts)


def _map_variant(
    variant: str, bank: Sequence[DescribedCharacter], text: str, seed: int, pool: Names
) -> NameMapping:
    if variant == SHUFFLED:
        return map_names(bank, text, seed, "any", pool)
    if variant in GENDERS:
        return map_names(bank, text, seed, GENDERS[variant])
    return map_names(bank, text, seed, nationality=variant)


def _negate(
    questions: Sequence[QuizQuestion], bank: Sequence[DescribedCharacter], seed: int
) -> list[QuizQuestion]:
    """Return questions whose descriptions also deny another character's."""
    denials = _denials(bank, seed)

    def negate(question: QuizQuestion, name: str, text: str) -> str:
        options = denials[name] or [""]
        return text + Random(f"{seed} {question.id} {name}").choice(options)

    negated = []
    for question in questions:
        if question.kind == "desc2name":
            text = negate(question, question.character, question.text)
            negated.append(replace(question, text=text))
        else:
            pairs = zip(question.names, question.choices, strict=True)
            choices = tuple(negate(question, name, text) for name, text in pairs)
            negated.append(replace(question, choices=choices))
    return negated


def _denials(bank: Sequence[DescribedCharacter], seed: int) -> defaultdict[str, list[str]]:
    """Return the texts that negation adds to the descriptions of each character."""
    denials: defaultdict[str, list[str]] = defaultdict(list)
    plain = {character.name: iter(character.descriptions) for character in bank}
    for character, negated in negate_descriptions(bank, Random(f"{seed} negated")):
        text = next(plain[character.name]).text
        denials[character.name].append(negated.text.removeprefix(text))
    return denials


def _write(
    out: Path, questions_by_book: Mapping[str, Sequence[QuizQuestion]], texts: Mapping[str, str]
) -> int:
    questions = [question for of_book in questions_by_book.values() for question in of_book]
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in questions_by_book:
            (out / f"{name}.txt").write_text(texts[name], "utf-8")
        (out / QUESTIONS).write_text(question_lines.to_jsonl(questions), "utf-8")
    except OSError as refusal:
        raise ScholarError(
            f"{out} cannot be written ({refusal.strerror}); give another folder"
        ) from refusal
    return len(questions)


def find_texts(
    books: Iterable[str], folder: Path | None, read_stored: Callable[[str], str]
) -> dict[str, str]:
    """Return the available texts of books by id: from a folder's files (<id>.txt, <number>.txt,
    primary/<number>.txt), the library or the bundled sample.

    read_stored returns the text of a book of the library, or raises NotThere.
    """
    if folder is not None and not folder.is_dir():
        raise NotThere(f"there is no folder {folder}; give one with texts as <number>.txt")
    texts = {}
    for book in books:
        text = _find_text(book, folder, read_stored)
        if text is not None:
            texts[book] = text
    return texts


def _find_text(book: str, folder: Path | None, read_stored: Callable[[str], str]) -> str | None:
    """Return the text of a book from a folder, the library or the sample; None without one."""
    if folder is not None:
        is_gutenberg = book.startswith("pg")
        names = [book, f"primary/{book[2:]}", book[2:]] if is_gutenberg else [book]
        for path in (folder / f"{name}.txt" for name in names):
            if path.is_file():
                return decode(_read_bytes(path))[0]
    try:
        return read_stored(book)
    except NotThere:
        bundled = {f"pg{sample.gutenberg_id}": sample for sample in samples.bundled()}
        return decode(samples.read(bundled[book]))[0] if book in bundled else None


def select_with_texts(
    banks: Mapping[str, Sequence[DescribedCharacter]],
    texts: Mapping[str, str],
    *,
    named: bool,
    tell: Tell = lambda line: None,
) -> dict[str, Sequence[DescribedCharacter]]:
    """Return the banks that have a text, and report the others with tell. Raises NotThere if a
    named bank has none, or if all have none."""
    missing = [name for name in banks if name not in texts]
    if missing and (named or len(missing) == len(banks)):
        raise NotThere(
            f"there is no text of {missing[0]}; run: scholar add {missing[0].removeprefix('pg')}, "
            "or give a folder with it: --texts FOLDER"
        )
    if missing:
        tell(f"skipped, because they have no text: {', '.join(missing)}")
    return {name: bank for name, bank in banks.items() if name in texts}


def replaceable(bank: Sequence[DescribedCharacter], table: NameMapping) -> list[DescribedCharacter]:
    """Return the characters whose name a mapping changes, with the descriptions that mention no
    other characters."""
    names = {character.name for character in bank if table.name(character.name) != character.name}
    characters = []
    for character in bank:
        descriptions = tuple(
            description
            for description in character.descriptions
            if names.issuperset(description.names)
        )
        if character.name in names and descriptions:
            characters.append(replace(character, descriptions=descriptions))
    return characters


def rename_question(question: QuizQuestion, table: NameMapping) -> QuizQuestion:
    """Return a question with the same id and replaced names."""
    return replace(
        question,
        text=table.apply(question.text),
        choices=tuple(map(table.apply, question.choices)),
        names=tuple(map(table.name, question.names)),
    )


def _read_bytes(path: Path) -> bytes:
    try:
        return read_bytes(path, MAX_BYTES)
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; the folder needs {QUESTIONS} and the books' texts"
        ) from None
    except OSError as refusal:
        raise Damaged(f"{path} cannot be read ({refusal.strerror}); check it") from refusal
    except ValueError as refusal:
        raise UsageError(f"{path} cannot be read ({refusal}); split it") from refusal
