"""The readers of untrusted input as functions of bytes, for the fuzzer and the test of its corpus.

A target may raise ScholarError, with a message of one printable line, and nothing else. What it
returns is checked against what the reader promises: an AssertionError is a finding as well.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from http.client import HTTPMessage, parse_headers
from importlib import import_module
from pathlib import Path
from typing import Any

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.types import Span
from test_bad_files import READERS, Reader

MAX_LINE_CHARS = 1_000

BETWEEN_FILES = b"\n%%\n"
"""What stands between the files of an archive in the input of a target that packs them."""

IN_OTHER_TARGETS = {
    "bench speakers": "xz in front of lines of JSON, as the other benchmarks have them",
}
"""The readers of test_bad_files without a target, and why."""


@dataclass(frozen=True)
class Target:
    """A reader, and the test files whose literals are its first inputs.

    weight is its share of the fuzzer's time: more for parsers written by hand.
    """

    read: Callable[[bytes], object]
    tests: tuple[str, ...] = ()
    weight: int = 1


def run(target: Target, data: bytes) -> None:
    """Give an input to a target; raises what is a finding."""
    try:
        target.read(data)
    except ScholarError as error:
        check_line(str(error))


def check_line(text: str) -> None:
    """Check that a message or a name is one line, not endless, that is safe to show."""
    assert text == safe(text), "it is not safe to show"
    assert not set(text) & set("\t\n"), "it is more than one line"
    assert len(text) <= MAX_LINE_CHARS, "it is too long"


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def of_file(reader: Reader) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / reader.name
            path.write_bytes(data)
            return reader.read(path)

    return read


def check_spans(spans: Sequence[Span], size: int) -> None:
    """Check that spans are in order, without overlap, within a text of some size."""
    end = 0
    for span in spans:
        assert end <= span.start <= span.end <= size, f"{span} after {end} of {size}"
        end = span.end


# Books


def read_gutenberg(data: bytes) -> None:
    from scholar_indexes.books.formats import gutenberg

    check_manuscript(gutenberg.read(data))


def read_html(data: bytes) -> None:
    from scholar_indexes.books.formats import html

    check_manuscript(html.read(data))


def read_epub(data: bytes) -> None:
    from scholar_indexes.books.formats import epub

    check_manuscript(epub.read(data, "book.epub"))


EPUB_FILES = ("META-INF/container.xml", "content.opf", "toc.ncx", "1.xhtml", "2.xhtml")


def read_epub_files(data: bytes) -> None:
    """Read an EPUB that is packed of the container, the package, the contents and two pages."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in zip(EPUB_FILES, data.split(BETWEEN_FILES), strict=False):
            archive.writestr(name, content)
    read_epub(packed.getvalue())


def check_manuscript(manuscript: Any) -> None:
    manuscript.text.encode()
    json.dumps([manuscript.title, manuscript.author], ensure_ascii=False).encode()
    check_spans([heading.span for heading in manuscript.headings], len(manuscript.text))
    divide_book(manuscript.text, manuscript.headings)


def divide_book(text: str, headings: Sequence[Any] = ()) -> None:
    from scholar_indexes.books.chapter_numbers import print_numbers
    from scholar_indexes.books.chapter_ranges import find_sections
    from scholar_indexes.books.segmentation.chapters import divide
    from scholar_indexes.books.segmentation.sentences import chapter_sentences

    chapters = print_numbers(divide(text, headings))
    assert [chapter.number for chapter in chapters] == list(range(len(chapters)))
    assert "".join(chapter.span.of(text) for chapter in chapters) == text
    for chapter in chapters:
        body = chapter.body
        assert chapter.span.start <= body.start <= body.end <= chapter.span.end
    for chapter in [chapter for chapter in chapters if chapter.printed][-3:]:
        assert find_sections(chapters, chapter.printed, "a book") == 2 * (chapter.number,)
    sentences = list(chapter_sentences(text, chapters))
    check_spans([sentence.span for sentence in sentences], len(text))


def read_dialogue(text: str) -> None:
    from scholar_indexes.attribution.forms.detection import find_forms
    from scholar_indexes.attribution.plays import read_play
    from scholar_indexes.attribution.quotes.conventions import Convention
    from scholar_indexes.attribution.quotes.detection import find_quotations
    from scholar_indexes.attribution.verse import is_verse

    whole = [Span(0, len(text))]
    is_verse(text, whole)
    read_play(text, whole)
    for convention in (None, *Convention):
        quotations = find_quotations(text, whole, convention=convention)
        check_spans([span for quotation in quotations for span in quotation.pieces], len(text))
    find_forms(text, quotations, whole)


def find_people(text: str) -> None:
    """Find the characters of a book, who speaks, by rules, and what is said of them."""
    from scholar_indexes.attribution.pipeline import SIEVE, attribute_book
    from scholar_indexes.books.segmentation.chapters import divide
    from scholar_indexes.characters.descriptions import automatic

    chapters = divide(text)
    dialogue = attribute_book(text, chapters, SIEVE)
    assert len(dialogue.quotations) == len(dialogue.attributions)
    for character in dialogue.cast:
        assert character.name == one_line(character.name) != ""
    bodies = [chapter.body for chapter in chapters]
    automatic.find_descriptions(text, bodies, dialogue.quotations, dialogue.cast)


def read_emphasis(text: str) -> None:
    from scholar_indexes import emphasis, sanitize

    assert len(emphasis.plain_text(text)) <= len(text)
    line = "".join(run.text for run in emphasis.styled_line(text))
    assert line == one_line(line)
    assert safe(safe(text)) == safe(text)
    assert len(sanitize.visible(text)) == len(text)


def read_locator(text: str) -> None:
    from scholar_indexes.books import locators

    locator = locators.parse(text)
    assert locators.parse(str(locator)) == locator


@cache
def books_with_chapters() -> list[Sequence[Any]]:
    """Return the chapters of a book with parts, and of one whose chapters have titles only."""
    from scholar_indexes.books.segmentation.chapters import divide

    line = "It was a long evening, and nobody spoke of the sea.\n\n"
    numbered = "".join(f"CHAPTER {number}\n\n{line * 3}" for number in ("I", "II", "III"))
    titled = f"THE SEA\n\n{line}\n\nTHE SHORE\n\n{line}"
    return [divide(f"PART I\n\n{numbered}PART II\n\n{numbered}"), divide(titled)]


def read_range(text: str) -> None:
    from scholar_indexes.books.chapter_ranges import find_sections

    for chapters in books_with_chapters():
        low, high = find_sections(chapters, text, "a book")
        assert 0 <= low <= high  # which may go on beyond the book
        assert low < len(chapters)


def read_source_line(text: str) -> None:
    from scholar_indexes.books import source_parser

    source_parser.completions(text)
    request = source_parser.read(text)
    again = source_parser.read(source_parser.line(" ".join(request.sources), request.options))
    assert again.options == request.options


def read_catalog_filter(text: str) -> None:
    from scholar_indexes.books import catalog_filter

    assert catalog_filter.parse(text).terms


def read_catalog(data: bytes) -> None:
    from scholar_indexes.books import gutenberg_catalog

    for row in gutenberg_catalog._rows(io.BytesIO(data)):  # without the database of an update
        assert row == 1 or all(isinstance(text, str) for text in row[1:])


def read_contributors(text: str) -> None:
    from scholar_indexes.books import cited_titles, contributors
    from scholar_indexes.books.formats import html

    contributors.divide_contributors(text)
    contributors.natural_names(text)
    cited_titles.headline_case(cited_titles.main_title(text))
    html.natural_name(text)


# Essays


def read_essay(format_name: str) -> Callable[[bytes], object]:
    def read(text: str) -> None:
        from scholar_indexes.quotations.essays.reading import EssayFormat, quotations_of_text

        for quotation in quotations_of_text(text, EssayFormat(format_name)):
            assert quotation.line > 0

    return of_text(read)


def read_word_document(data: bytes) -> None:
    from scholar_indexes.quotations.essays import word

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in zip(
            ("word/document.xml", "word/footnotes.xml"), data.split(BETWEEN_FILES), strict=False
        ):
            archive.writestr(name, content)
    word.read(packed.getvalue(), "essay.docx")


def read_quoted_words(text: str) -> None:
    from scholar_indexes.quotations import quoted_words

    words = quoted_words.read(text)
    assert len(words.is_added) == len(words.numbers)


# Papers


def read_papers(format_name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        reader = import_module(f"scholar_indexes.papers.formats.{format_name}")
        check_entries(reader.read(data, "papers"))

    return read


def read_any_papers(data: bytes) -> None:
    """Read papers whose format has to be found out; the first line is the name of the file."""
    from scholar_indexes.papers import formats

    name, _, content = data.partition(b"\n")
    if formats.detect_format(content, "") != "pdf":  # which takes a process each
        check_entries(formats.read(content, name[:100].decode("utf-8", "replace")))


def check_entries(entries: Iterable[Any]) -> None:
    from scholar_indexes.papers import ids
    from scholar_indexes.papers.entry import UnreadableEntry

    for entry in entries:
        if isinstance(entry, UnreadableEntry):
            check_line(entry.reason)
            continue
        assert entry.ids
        assert all(ids.canonical_id(name) == name for name in entry.ids if ":" in name)
        title = entry.csl.get("title", "")
        assert title == " ".join(title.split())
        assert title or entry.sentences
        json.dumps([entry.csl, entry.sentences], ensure_ascii=False, allow_nan=False).encode()


def read_pdf_pages(data: bytes) -> None:
    """Read the pages of a PDF in this process, which a PDF of a user is not read in."""
    import pypdfium2

    from scholar_indexes.papers.formats import pdf_lines

    try:
        with pypdfium2.PdfDocument(data) as document:
            lines = list(pdf_lines._lines(document))
            find_parts(lines, pdf_lines._claimed_title(document))
    except pypdfium2.PdfiumError:
        return


def read_pdf_layout(text: str) -> None:
    """Find the parts of a paper whose lines are set as the first characters of each line say."""
    from scholar_indexes.papers.formats.pdf_lines import PdfLine

    lines = []
    for row, line in enumerate(text.split("\n")[:200]):
        height, left = (ord(line[n : n + 1] or "\0") % 16 for n in (0, 1))
        if line[2:]:
            x, y = 36.0 * left, 780.0 - 12 * (row % 60)
            right = x + 4 * len(line)
            lines.append(PdfLine(1 + row // 60, line[2:], 4.0 + height, x, right, y, y + height))
    find_parts(lines, text[:40])


def find_parts(lines: Sequence[Any], claimed: str) -> None:
    from scholar_indexes.papers.formats import pdf

    pdf.find_title(lines, claimed).encode()
    pdf.find_abstract(lines).encode()
    pdf.find_ids(lines)


def read_latex(text: str) -> None:
    from scholar_indexes.papers import clean, latex

    latex.to_text(text)
    for tex in (True, False, None):
        cleaned = clean.to_text(text, tex)
        assert cleaned == " ".join(cleaned.split())
        clean.to_lines(text, tex)


def read_abstract(data: bytes) -> None:
    from scholar_indexes.papers.abstracts import split_abstract
    from scholar_indexes.papers.formats import plain

    plain.read_abstract(data)
    for sentence, _ in split_abstract(data.decode("utf-8", "replace")):
        assert sentence.strip() == sentence != ""


def read_paper_id(text: str) -> None:
    from scholar_indexes.papers import ids

    name = ids.canonical_id(text)
    assert name is None or ids.canonical_id(name) == name
    ids.title_id(text)


def read_zotero(data: bytes) -> None:
    from scholar_indexes.papers import zotero

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / zotero.FILE_NAME
        path.write_bytes(data)
        check_entries(zotero.read(path).records)


# What a server answers

IDS = ("1", "2", "12")


def read_answer(text: str) -> None:
    """Read what a language model wrote, and look its names up in a cast."""
    from scholar_indexes.attribution.llm.attributor import parse_answer
    from scholar_indexes.attribution.llm.backend import Completion, parse_answers
    from scholar_indexes.attribution.llm.cast_labels import CastLabels
    from scholar_indexes.types import Character, Gender

    cast = CastLabels([Character("a", "Ann Reed", ("Ann", "Mrs. Reed"), Gender.FEMALE, 3, False)])
    for number, name, span in parse_answers(text):
        assert number.isdecimal()
        if name is not None:
            assert 0 <= span.start <= span.end <= len(text)
            assert cast.find(name) in (None, 0)
    assert set(parse_answer(Completion(text, True), IDS)) <= set(IDS)


def read_completion(data: bytes) -> None:
    """Read the body that a server of language models sends, whatever its status."""
    from scholar_indexes.attribution.llm.remote_model import RemoteModel
    from scholar_indexes.net.chat import Reply

    model = RemoteModel("http://localhost:1", "a model")
    for status in (200, 400, 500):
        reply = Reply(status, data, True, 0.0)
        check_line(model._passing_failure(reply))
        try:
            completion = model._read_completion(reply)
        except ScholarError as error:
            check_line(str(error))
            continue
        assert all(0 <= chance <= 1 for chance in completion.probabilities.values())


def read_listing(data: bytes) -> None:
    from scholar_indexes.models import registry

    _, files = registry._parse_listing("a/model", data)
    for file in files:
        assert not Path(file.name).is_absolute()
        assert ".." not in Path(file.name).parts


def read_http_headers(data: bytes) -> None:
    """Check the headers of an answer, the address it passes on to and the time it asks for."""
    from urllib3 import HTTPHeaderDict, HTTPResponse

    from scholar_indexes.net import responses
    from scholar_indexes.net.cache import PartialDownload

    lines = b"\n".join(data.split(b"\n")[:90])  # http.client refuses more than a hundred
    message: HTTPMessage = parse_headers(io.BytesIO(lines + b"\r\n\r\n"))
    response = HTTPResponse(b"", HTTPHeaderDict(message.items()), status=206, preload_content=False)
    part = PartialDownload(Path("part"), 9, 0, '"1"')
    assert 0 <= responses.retry_after(response) <= 6 * 3600
    assert (responses.whole_size(response, part) or 0) >= 0
    validator = responses.validator(response)
    assert validator is None or validator.isprintable()
    target = responses.next_address("https://example.org/a/b", response.headers.get("Location", ""))
    assert target.startswith("https://")
    assert target == one_line(target)


# Files that somebody gave


def read_corrections(text: str) -> None:
    from scholar_indexes.attribution.corrections import toml_form
    from scholar_indexes.types import Book

    corrections = toml_form.loads(text, "pg1")
    book = Book("pg1", "A Book", "Ann Example", "en", "", "")
    assert toml_form.loads(toml_form.dumps(book, corrections), "pg1") == corrections


def read_backup(data: bytes) -> None:
    """Read an archive as a restore does, without writing its files."""
    from scholar_indexes.backup import carried
    from scholar_indexes.backup.archive import Archive, is_archive
    from scholar_indexes.paths import Paths

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.tar.gz"
        path.write_bytes(data)
        is_archive(path)
        tops = carried.top_names(Paths(*3 * [Path(folder) / "home"]))
        with Archive.open(path, tops) as archive:
            for file, pieces in archive.files():
                assert ".." not in Path(file.name).parts
                assert sum(map(len, pieces)) == file.size


def read_backup_tar(data: bytes) -> None:
    """Read an archive that is damaged inside its compression, which has a checksum."""
    read_backup(gzip.compress(data, 0))


def read_backup_manifest(data: bytes) -> None:
    """Read an archive whose manifest, a text of JSON, has been given a hash that is right."""
    from scholar_indexes.guarded import parse_json
    from scholar_indexes.storage import sealed_json

    try:
        record = parse_json(data)
    except ValueError:
        return
    if not isinstance(record, dict) or not record or "sha256" in record:
        return
    try:
        head = sealed_json.dump(record)
    except UnicodeEncodeError:  # half a surrogate, which no file has
        return
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        member = tarfile.TarInfo("manifest.json")
        member.size = len(head)
        tar.addfile(member, io.BytesIO(head))
    read_backup_tar(packed.getvalue())


def read_bank_table(data: bytes) -> None:
    from scholar_indexes.characters.quiz.bank_import import read_banks

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bank.csv"
        path.write_bytes(data)
        for characters in read_banks(path, "pg1").values():
            assert all(character.name == one_line(character.name) for character in characters)


BROKEN_BIBLIOGRAPHIES = ("papers/test_broken_bibliographies.py", "papers/test_paper_formats.py")
SERVICE_ANSWERS = ("papers/service_answers.py", "papers/test_broken_service_answers.py")
FILES = ("test_bad_files.py", "characters/test_quiz_files.py")
DIALOGUES = ("attribution/test_quotes.py", "attribution/test_forms.py", "short_novels.py")

TARGETS = {
    "gutenberg": Target(
        read_gutenberg, ("books/test_gutenberg.py", "books/test_sources.py"), weight=8
    ),
    "html": Target(read_html, ("books/test_sources.py",), weight=4),
    "epub": Target(read_epub, ("books/test_sources.py",)),
    "epub files": Target(read_epub_files, ("books/test_sources.py",), weight=3),
    "chapters": Target(
        of_text(divide_book), ("books/test_chapters.py", "books/test_sentences.py"), weight=10
    ),
    "dialogue": Target(
        of_text(read_dialogue), (*DIALOGUES, "attribution/test_plays_and_verse.py"), weight=5
    ),
    "people": Target(
        of_text(find_people),
        (*DIALOGUES, "attribution/*.py", "coreference/*.py", "characters/test_automatic*.py"),
        weight=6,
    ),
    "emphasis": Target(of_text(read_emphasis), ("test_emphasis.py", "test_sanitize.py"), weight=3),
    "locator": Target(of_text(read_locator), ("books/test_locators.py",)),
    "chapter range": Target(
        of_text(read_range), ("books/test_chapter_numbers.py", "books/test_locators.py"), weight=4
    ),
    "line of a source": Target(of_text(read_source_line), ("books/test_sources.py",)),
    "catalogue filter": Target(of_text(read_catalog_filter), ("books/test_catalog_filter.py",)),
    "catalogue": Target(read_catalog, ("books/test_gutenberg_catalog.py", "gutenberg_feed.py")),
    "names of authors": Target(
        of_text(read_contributors), ("books/test_cited_titles.py", "books/test_gutenberg.py")
    ),
    "essay in Markdown": Target(read_essay("markdown"), ("quotations/*.py",), weight=2),
    "essay in LaTeX": Target(read_essay("latex"), ("quotations/*.py",), weight=4),
    "plain essay": Target(read_essay("plain"), ("quotations/*.py",), weight=2),
    "Word document": Target(read_word_document, ("quotations/*.py",)),
    "quoted words": Target(of_text(read_quoted_words), ("quotations/*.py",), weight=2),
    "bibtex": Target(
        read_papers("bibtex"), (*BROKEN_BIBLIOGRAPHIES, "papers/better_bibtex.py"), weight=10
    ),
    "ris": Target(read_papers("ris"), BROKEN_BIBLIOGRAPHIES, weight=4),
    "csl": Target(read_papers("csl"), BROKEN_BIBLIOGRAPHIES, weight=3),
    "tables": Target(read_papers("tables"), BROKEN_BIBLIOGRAPHIES, weight=4),
    "zotero_json": Target(
        read_papers("zotero_json"), (*BROKEN_BIBLIOGRAPHIES, "papers/better_bibtex.py")
    ),
    "atom": Target(read_papers("atom"), SERVICE_ANSWERS),
    "openalex": Target(read_papers("openalex"), SERVICE_ANSWERS),
    "semantic_scholar": Target(read_papers("semantic_scholar"), SERVICE_ANSWERS),
    "crossref": Target(read_papers("crossref"), SERVICE_ANSWERS),
    "papers of any format": Target(
        read_any_papers, (*BROKEN_BIBLIOGRAPHIES, *SERVICE_ANSWERS), weight=2
    ),
    "pdf": Target(read_pdf_pages),
    "pdf layout": Target(
        of_text(read_pdf_layout), ("papers/test_pdf_layouts.py", "papers/pdf_pages.py"), weight=3
    ),
    "latex": Target(of_text(read_latex), ("papers/test_paper_text.py",), weight=6),
    "abstract": Target(
        read_abstract, ("papers/test_paper_text.py", "papers/test_paper_facets.py"), weight=4
    ),
    "paper id": Target(of_text(read_paper_id), ("papers/test_paper_references.py",), weight=2),
    "zotero": Target(read_zotero),
    "answer": Target(of_text(read_answer), ("attribution/test_llm_answers.py",), weight=6),
    "completion": Target(
        read_completion, ("attribution/test_llm_server.py", "attribution/test_llm_answers.py")
    ),
    "listing of a hub": Target(read_listing, ("models/test_pulling.py",)),
    "HTTP headers": Target(read_http_headers, ("net/*.py",), weight=2),
    "corrections": Target(
        of_text(read_corrections), ("attribution/test_corrections*.py",), weight=6
    ),
    "backup": Target(read_backup),
    "tar of a backup": Target(read_backup_tar, weight=6),
    "manifest of a backup": Target(read_backup_manifest, ("backup/test_archive.py",), weight=2),
    "table of a bank": Target(read_bank_table, ("characters/test_quiz_import.py",), weight=3),
    **{
        f"file: {name}": Target(of_file(reader), (*FILES, f"bench/*{name.split()[-1]}*.py"))
        for name, reader in READERS.items()
        if name not in IN_OTHER_TARGETS
    },
}
"""Every reader of untrusted input, by its name."""
