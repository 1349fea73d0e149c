"""Fuzz targets: the readers of essays, and of quotations in them."""

from __future__ import annotations

from collections.abc import Callable

from checks import BETWEEN_FILES, of_text, pack


def read_essay(format_name: str) -> Callable[[bytes], object]:
    def read(text: str) -> None:
        from scholar_indexes.quotations.essays.reading import EssayFormat, quotations_of_text

        for quotation in quotations_of_text(text, EssayFormat(format_name)):
            assert quotation.line > 0

    return of_text(read)


WORD_FILES = ("word/document.xml", "word/footnotes.xml")


def read_word_document(data: bytes) -> None:
    from scholar_indexes.quotations.essays import word

    word.read(pack(WORD_FILES, data.split(BETWEEN_FILES)), "essay.docx")


def read_quoted_words(text: str) -> None:
    from scholar_indexes.quotations import quoted_words

    words = quoted_words.read(text)
    assert len(words.is_added) == len(words.numbers)
