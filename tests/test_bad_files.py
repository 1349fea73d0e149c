"""Files that are damaged or hostile: a one-line error that names the file, no traceback."""

from __future__ import annotations

import lzma
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from no_files import NO_FILES
from scholar_cli.commands import claims_file, passage_records
from scholar_cli.laboratory.casts import casts_data as casts
from scholar_cli.laboratory.claims import judged
from scholar_cli.laboratory.contrast import contrast_data as contrast
from scholar_cli.laboratory.csfcube import csfcube_data as csfcube
from scholar_cli.laboratory.csfcube import folds as csfcube_folds
from scholar_cli.laboratory.facets import facet_data
from scholar_cli.laboratory.gandalf import gandalf_data as gandalf
from scholar_cli.laboratory.pdnc import booknlp, impact, predictions
from scholar_cli.laboratory.pdnc.pdnc_bench import read_folds
from scholar_cli.laboratory.relic import pool_bench, sheet_scores
from scholar_cli.laboratory.relic import relic_data as relic
from scholar_cli.laboratory.relic.sheets import QUOTATION, WRONG, SheetKey
from scholar_cli.laboratory.speakers import speakers_data as speakers
from scholar_cli.laboratory.who import who_data as who
from scholar_indexes import guarded, settings
from scholar_indexes.attribution.corrections import store
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.quiz import bank_import, question_lines, rounds
from scholar_indexes.characters.quiz.preferences import QuizPreferences
from scholar_indexes.errors import NoPapers, ScholarError
from scholar_indexes.llm.answer_cache import AnswerCache
from scholar_indexes.models import registry
from scholar_indexes.net.cache import HttpCache
from scholar_indexes.net.throttle import turn
from scholar_indexes.papers import folder as paper_folder
from scholar_indexes.papers.entry import UnreadableEntry
from scholar_indexes.papers.folder import PaperFile
from scholar_indexes.quotations.annotations import reading as annotations
from scholar_indexes.requests import FindRequest
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.derived import DerivedFile
from scholar_tui.claim_query import ClaimQuery, parse_saved

URL = "https://example.org/book.txt"

CONTENTS = {
    "nothing": b"",
    "no JSON": b"{",
    "not UTF-8": b'{"title": "\xff\xfe\xe9"}',
    "opened 100,000 times": b"[" * 100_000,
    "nested 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "objects 100,000 deep": b'{"title":' * 100_000 + b"1" + b"}" * 100_000,
    "nested 300 deep": b'{"title":' * 300 + b"[]" + b"}" * 300,
    "a list nested 300 deep": b"[" * 300 + b"]" * 300,
    "TOML nested 100,000 deep": b"title = " + b"[" * 100_000 + b"]" * 100_000,
    "a TOML key of 2,000 parts": b"threads." + b"a." * 2_000 + b"a = 1",
    "a TOML table of 2,000 parts": b"[threads." + b"a." * 2_000 + b"a]\nb.c = 1",
    "a number of 5,000 digits": b'{"title": 1' + b"0" * 5_000 + b"}",
    "a TOML number of 5,000 digits": b"threads = 1" + b"0" * 5_000,
    "a number of 300 digits": b'{"title": 1' + b"0" * 299 + b"}",
    "1e999": b'{"title": 1e999, "relevance": 1e999}',
    "NaN": b'{"title": NaN, "threads": -Infinity}',
    "TOML nan": b"threads = nan\npause_s = inf",
    "the same name twice": b'{"title": "A", "title": "B"}',
    "a text that is a number": b'{"title": 7, "name": 7, "descriptions": 7, "quotes": 7}',
    "a number": b"7",
    "null": b"null",
    "a list of numbers": b"[7, 7]",
    "a list in a list": b"[[[]]]",
    "half a surrogate": b'{"title": "\\ud800", "name": "\\udfff"}',
    "control characters": b'{"\\u001b[31m": "\\u0000\\u202e"}',
}
"""The contents of bad files, by what is wrong with them."""


@dataclass(frozen=True)
class Reader:
    """A function that reads a file, the name of that file, and its size limit in bytes;
    `unread` is the value returned if an unreadable file counts as absent."""

    read: Callable[[Path], Any]
    name: str = "file.json"
    too_large: int | None = guarded.MAX_BYTES
    unread: Any = ...
    names_file: bool = True


SHEET_KEY = SheetKey("test", "bm25", 0, 0, "", {"kbdtwq-001": (QUOTATION, *WRONG)})


def read_card(path: Path) -> Any:
    return registry.find(str(path.parent), path.parent / "pulled")


def read_config(path: Path) -> Any:
    (path.parent / "model.safetensors").write_bytes(b"weights")
    return read_card(path)


def read_book_file(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    return lambda path: read(path.parent)


def read_cache_record(path: Path) -> Any:
    cache = HttpCache(path.parent)
    kept = cache._record_path(URL)
    kept.parent.mkdir()
    path.rename(kept)
    return cache.record(URL)


def read_cache_note(path: Path) -> Any:
    cache = HttpCache(path.parent)
    kept = cache.begin(URL, '"1"', 9)
    kept.write_bytes(b"half")
    path.rename(kept.with_name(kept.name + ".json"))
    return cache.partial(URL)


def read_pause(path: Path) -> Any:
    with turn(path.parent, path.name, 0.0, 60.0, lambda line: None):
        return None


def read_papers(path: Path) -> Any:
    file = PaperFile(path, str(path), "", path.name)
    try:
        records = paper_folder.read_file(file)
    except ScholarError as error:
        raise type(error)(f"{path.name}: {error}") from error  # as the command reports it
    for record in records:
        if isinstance(record, UnreadableEntry):
            raise NoPapers(f"{record.file}: {record.reason}")
    return records


def read_packed(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def read_xz(path: Path) -> Any:
        path.write_bytes(lzma.compress(path.read_bytes(), preset=0))
        return read(path)

    return read_xz


def as_text(read: Callable[[str, str], Any]) -> Callable[[Path], Any]:
    return lambda path: read(path.read_text("utf-8", "replace"), path.name)


READERS = {
    "settings": Reader(settings.load, "config.toml", guarded.MAX_SETTINGS_BYTES),
    "corrections": Reader(
        lambda path: store.CorrectionStore(path.parent).load(path.stem),
        "pg1.toml",
        store.MAX_BYTES,
    ),
    "answers of a language model": Reader(
        lambda path: AnswerCache(path).get("key"), "answers.jsonl", 1 << 30, unread=None
    ),
    "a model's card": Reader(read_card, "card.json", guarded.MAX_SETTINGS_BYTES),
    "a model's configuration": Reader(read_config, "config.json", registry.MAX_CONFIG_BYTES),
    "the record of a download": Reader(read_cache_record, unread=None),
    "the note of half a download": Reader(read_cache_note, unread=None),
    "the pause of a host": Reader(read_pause, "example.org", unread=None),
    "a book's chapters": Reader(
        read_book_file(book_folder.chapters), book_folder.CHAPTERS, book_folder.MAX_FILE_BYTES
    ),
    "a book's manifest": Reader(read_book_file(book_folder.manifest), book_folder.MANIFEST),
    "what is derived of a book": Reader(
        lambda path: DerivedFile(path, 1, "key").load_record(lambda record: record), unread=None
    ),
    "a bank": Reader(bank.load_file, "bank.jsonl", bank.MAX_BYTES),
    "an imported bank": Reader(
        lambda path: bank_import.read_banks(path, "pg1"), "bank.json", bank.MAX_BYTES
    ),
    "questions": Reader(as_text(question_lines.from_json), "questions.json", None),
    "a kept round of the quiz": Reader(
        as_text(lambda text, name: rounds.round_from_json(text)), too_large=None, names_file=False
    ),
    "preferences of the quiz": Reader(
        as_text(lambda text, name: QuizPreferences.from_json(text)),
        too_large=None,
        unread=QuizPreferences(),
    ),
    "the last claim": Reader(
        as_text(lambda text, name: parse_saved(text)), too_large=None, unread=ClaimQuery()
    ),
    "CSL-JSON or Zotero's JSON": Reader(read_papers, "papers.json", 1 << 30),
    "JSON lines of papers": Reader(read_papers, "papers.jsonl", 1 << 30),
    "BibTeX": Reader(read_papers, "papers.bib", 1 << 30),
    "a line of claims": Reader(
        as_text(lambda text, name: claims_file.parse_line(text, FindRequest())),
        too_large=None,
        names_file=False,
    ),
    "annotations": Reader(
        lambda path: annotations.read(path.read_bytes(), path.name), "notes.jsonld", None
    ),
    "printed passages": Reader(
        as_text(lambda text, name: list(passage_records.read_passages([text]))),
        too_large=None,
        names_file=False,
    ),
    "bench gandalf": Reader(
        lambda path: gandalf.read(path.parent), gandalf.QUESTIONS, gandalf.MAX_BYTES
    ),
    "bench pdnc": Reader(read_folds, "splits.json"),
    "answers for bench pdnc": Reader(
        lambda path: predictions.read(path, [], str), "answers.jsonl", predictions.MAX_BYTES
    ),
    "a run for bench impact": Reader(
        lambda path: impact.read_run(path, "pdnc"), "run.json", guarded.MAX_BYTES
    ),
    "entities of BookNLP": Reader(
        lambda path: booknlp.read_clusters(path.parent, path.stem),
        "Emma.entities",
        booknlp.MAX_BYTES,
    ),
    "characters of BookNLP": Reader(
        lambda path: booknlp.read_clusters(path.parent, path.stem), "Emma.book", booknlp.MAX_BYTES
    ),
    "bench relic": Reader(
        lambda path: relic.read(path.parent, "test"), "test.json", relic.MAX_BYTES
    ),
    "bench relic: a filled-in form": Reader(
        lambda path: sheet_scores.read_choices(path, SHEET_KEY), "form.csv", sheet_scores.MAX_BYTES
    ),
    "bench relic: the key of a form": Reader(sheet_scores.read_key, "form-key.json"),
    "bench claims": Reader(judged.read, "claims.jsonl"),
    "bench pool": Reader(lambda path: pool_bench.read(path.parent), "queries.jsonl"),
    "bench who": Reader(who.read, "who.jsonl"),
    "bench contrast": Reader(contrast.read, "sets.jsonl"),
    "bench casts": Reader(casts.read, "casts.jsonl"),
    "bench csfcube": Reader(
        lambda path: csfcube.load_collection(path.parent), csfcube.PAPERS, csfcube.MAX_BYTES
    ),
    "bench csfcube: folds": Reader(csfcube_folds.read_folds, "folds.json"),
    "bench speakers": Reader(read_packed(speakers.read), "chapters.jsonl.xz", None),
    "train facets": Reader(facet_data.read_papers, "papers.jsonl", facet_data.MAX_BYTES),
}
"""Every reader of files that may be damaged or come from others."""


def read(reader: Reader, path: Path) -> tuple[Any, str]:
    """Return the result of a reader for a file, and the message of its error."""
    try:
        return reader.read(path), ""
    except ScholarError as error:
        return None, str(error)


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_bad_file_is_one_line_that_names_it(reader: Reader, tmp_path: Path) -> None:
    for number, (name, content) in enumerate(CONTENTS.items()):
        path = tmp_path / str(number) / reader.name  # some readers look at its neighbours
        path.parent.mkdir()
        path.write_bytes(content)
        outcome, message = read(reader, path)
        if reader.unread is not ...:
            assert (outcome, message) == (reader.unread, ""), name
        assert message.isprintable(), name
        assert len(message) < 700, name
        if message and reader.names_file:
            assert path.name in message or str(path.parent) in message, name


STRICT = {name: reader for name, reader in READERS.items() if reader.unread is ...}


@pytest.mark.parametrize("reader", STRICT.values(), ids=STRICT)
def test_a_file_nested_without_end_is_refused(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / reader.name
    path.write_bytes(CONTENTS["objects 100,000 deep"])
    assert read(reader, path)[1]


CACHES = ("the record of a download", "the note of half a download", "the pause of a host")
"""The readers of files that the user does not name."""

FILES_ONLY = {
    name: reader for name, reader in READERS.items() if reader.too_large and name not in CACHES
}


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("reader", FILES_ONLY.values(), ids=FILES_ONLY)
def test_other_paths_than_files_are_refused_with_one_line(
    reader: Reader, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(guarded, "MAX_SILENCE_S", 0.01)
    path = tmp_path / reader.name
    with NO_FILES[kind](path):
        outcome, message = read(reader, path)
    assert message.isprintable()
    if message or reader.unread is ...:
        assert path.name in message or str(tmp_path) in message
    else:
        assert outcome == reader.unread


LIMITED = {name: reader for name, reader in READERS.items() if reader.too_large}


@pytest.mark.parametrize("reader", LIMITED.values(), ids=LIMITED)
def test_a_file_that_is_too_large_is_not_read(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / reader.name
    path.touch()
    assert reader.too_large is not None
    os.truncate(path, reader.too_large + 1)
    outcome, message = read(reader, path)
    assert outcome == reader.unread or re.search("larger than|was changed", message)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("[" * 100_000, "nested too deeply", id="nesting"),
        pytest.param("1" + "0" * 5_000, "a number that is too long", id="a long number"),
        pytest.param("1e999", "a number that is too long", id="1e999"),
        pytest.param("[NaN]", "NaN is not a number", id="NaN"),
        pytest.param('{"a": 1, "b": 2, "a": 3}', "the name 'a' occurs twice", id="a name twice"),
        pytest.param(b'"\xff"', "not UTF-8 text", id="another encoding"),
        pytest.param("[1, 2", "Expecting", id="no JSON"),
    ],
)
def test_json_that_cannot_be_used_says_why(text: str | bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        guarded.parse_json(text)


def test_lenient_json_has_nothing_for_what_is_no_number() -> None:
    text = '{"a": NaN, "b": -Infinity, "c": [1e999, 2.5], "d": 1, "d": 2}'
    assert guarded.parse_json(text, lenient=True) == {
        "a": None,
        "b": None,
        "c": [None, 2.5],
        "d": 2,
    }


def test_a_text_is_read_up_to_the_largest_size_and_without_its_byte_order_mark(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'\xef\xbb\xbf["\xc3\xa9"]')
    assert guarded.read_json(path, 9) == ["é"]
    with pytest.raises(guarded.TooLarge, match="larger than 8 bytes"):
        guarded.read_json(path, 8)


def test_an_archive_is_unpacked_no_further_than_the_largest_size(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.xz"
    path.write_bytes(lzma.compress(b"0" * (1 << 20)))
    with pytest.raises(guarded.TooLarge):
        guarded.read_unpacked(path, 1 << 10)
