"""The readers of untrusted input as functions of bytes, for the fuzzer and the test of its corpus.

A target may raise only ScholarError, with a message of one line. Its result is checked against
the contract of the reader: an AssertionError is a finding too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import answer_readers
import book_readers
import essay_readers
import file_readers
import paper_readers
from checks import check_line, of_text
from scholar_indexes.errors import ScholarError
from test_bad_files import READERS

IN_OTHER_TARGETS = {
    "bench speakers": "xz in front of lines of JSON, as the other benchmarks have them",
}
"""The readers of test_bad_files without a target, with the reason."""


@dataclass(frozen=True)
class Target:
    """A reader, and the test files whose literals are its first inputs.

    weight is its share of the fuzzer's time: more for parsers written by hand.
    """

    read: Callable[[bytes], object]
    tests: tuple[str, ...] = ()
    weight: int = 1


def run(target: Target, data: bytes) -> None:
    """Run a target on an input; raises an exception if the input is a finding."""
    try:
        target.read(data)
    except ScholarError as error:
        check_line(str(error))


BROKEN_BIBLIOGRAPHIES = ("papers/test_broken_bibliographies.py", "papers/test_paper_formats.py")
SERVICE_ANSWERS = ("papers/service_answers.py", "papers/test_broken_service_answers.py")
FILES = ("test_bad_files.py", "characters/test_quiz_files.py")
DIALOGUES = ("attribution/test_quotes.py", "attribution/test_forms.py", "short_novels.py")

TARGETS = {
    "gutenberg": Target(
        book_readers.read_gutenberg,
        (
            "books/test_gutenberg.py",
            "books/test_sources.py",
            "books/test_line_hyphens.py",
            "books/test_page_edges.py",
        ),
        weight=8,
    ),
    "html": Target(book_readers.read_html, ("books/test_sources.py",), weight=4),
    "epub": Target(book_readers.read_epub, ("books/test_sources.py",)),
    "epub files": Target(book_readers.read_epub_files, ("books/test_sources.py",), weight=3),
    "chapters": Target(
        of_text(book_readers.divide_book),
        ("books/test_chapters.py", "books/test_headings.py", "books/test_sentences.py"),
        weight=10,
    ),
    "dialogue": Target(
        of_text(book_readers.read_dialogue),
        (*DIALOGUES, "attribution/test_plays_and_verse.py"),
        weight=5,
    ),
    "people": Target(
        of_text(book_readers.find_people),
        (*DIALOGUES, "attribution/*.py", "coreference/*.py", "characters/test_automatic*.py"),
        weight=6,
    ),
    "emphasis": Target(
        of_text(book_readers.read_emphasis), ("test_emphasis.py", "test_sanitize.py"), weight=3
    ),
    "locator": Target(of_text(book_readers.read_locator), ("books/test_locators.py",)),
    "chapter range": Target(
        of_text(book_readers.read_range),
        ("books/test_chapter_numbers.py", "books/test_locators.py"),
        weight=4,
    ),
    "line of a source": Target(of_text(book_readers.read_source_line), ("books/test_sources.py",)),
    "catalogue filter": Target(
        of_text(book_readers.read_catalog_filter), ("books/test_catalog_filter.py",)
    ),
    "catalogue": Target(
        book_readers.read_catalog, ("books/test_gutenberg_catalog.py", "gutenberg_feed.py")
    ),
    "names of authors": Target(
        of_text(book_readers.read_contributors),
        ("books/test_cited_titles.py", "books/test_gutenberg.py"),
    ),
    "essay in Markdown": Target(
        essay_readers.read_essay("markdown"), ("quotations/*.py",), weight=2
    ),
    "essay in LaTeX": Target(essay_readers.read_essay("latex"), ("quotations/*.py",), weight=4),
    "essay in HTML": Target(essay_readers.read_essay("html"), ("quotations/*.py",), weight=4),
    "plain essay": Target(essay_readers.read_essay("plain"), ("quotations/*.py",), weight=2),
    "Word document": Target(essay_readers.read_word_document, ("quotations/*.py",)),
    "quoted words": Target(
        of_text(essay_readers.read_quoted_words), ("quotations/*.py",), weight=2
    ),
    "bibtex": Target(
        paper_readers.read_papers("bibtex"),
        (*BROKEN_BIBLIOGRAPHIES, "papers/better_bibtex.py"),
        weight=10,
    ),
    "ris": Target(paper_readers.read_papers("ris"), BROKEN_BIBLIOGRAPHIES, weight=4),
    "csl": Target(paper_readers.read_papers("csl"), BROKEN_BIBLIOGRAPHIES, weight=3),
    "tagged": Target(
        paper_readers.read_papers("tagged"), ("papers/database_exports.py",), weight=3
    ),
    "tables": Target(paper_readers.read_papers("tables"), BROKEN_BIBLIOGRAPHIES, weight=4),
    "zotero_json": Target(
        paper_readers.read_papers("zotero_json"),
        (*BROKEN_BIBLIOGRAPHIES, "papers/better_bibtex.py"),
    ),
    "atom": Target(paper_readers.read_papers("atom"), SERVICE_ANSWERS),
    "openalex": Target(paper_readers.read_papers("openalex"), SERVICE_ANSWERS),
    "semantic_scholar": Target(paper_readers.read_papers("semantic_scholar"), SERVICE_ANSWERS),
    "crossref": Target(paper_readers.read_papers("crossref"), SERVICE_ANSWERS),
    "papers of any format": Target(
        paper_readers.read_any_papers, (*BROKEN_BIBLIOGRAPHIES, *SERVICE_ANSWERS), weight=2
    ),
    "pdf": Target(paper_readers.read_pdf_pages),
    "pdf layout": Target(
        of_text(paper_readers.read_pdf_layout),
        ("papers/test_pdf_layouts.py", "papers/pdf_pages.py"),
        weight=3,
    ),
    "latex": Target(of_text(paper_readers.read_latex), ("papers/test_paper_text.py",), weight=6),
    "abstract": Target(
        paper_readers.read_abstract,
        ("papers/test_paper_text.py", "papers/test_paper_facets.py"),
        weight=4,
    ),
    "paper id": Target(
        of_text(paper_readers.read_paper_id), ("papers/test_paper_references.py",), weight=2
    ),
    "zotero": Target(paper_readers.read_zotero),
    "answer": Target(
        of_text(answer_readers.read_answer),
        ("llm/test_parsed_answers.py", "attribution/test_llm_answers.py"),
        weight=6,
    ),
    "completion": Target(
        answer_readers.read_completion,
        ("llm/test_remote_model.py", "attribution/test_llm_answers.py"),
    ),
    "listing of a hub": Target(answer_readers.read_listing, ("models/test_pulling.py",)),
    "HTTP headers": Target(answer_readers.read_http_headers, ("net/*.py",), weight=2),
    "corrections": Target(
        of_text(file_readers.read_corrections), ("attribution/test_corrections*.py",), weight=6
    ),
    "backup": Target(file_readers.read_backup),
    "tar of a backup": Target(file_readers.read_backup_tar, weight=6),
    "manifest of a backup": Target(
        file_readers.read_backup_manifest, ("backup/test_archive.py",), weight=2
    ),
    "table of a bank": Target(
        file_readers.read_bank_table, ("characters/test_quiz_import.py",), weight=3
    ),
    **{
        f"file: {name}": Target(
            file_readers.of_file(reader), (*FILES, f"laboratory/*{name.split()[-1]}*.py")
        )
        for name, reader in READERS.items()
        if name not in IN_OTHER_TARGETS
    },
}
"""Every reader of untrusted input, by name."""
