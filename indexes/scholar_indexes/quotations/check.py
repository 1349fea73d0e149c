"""Separate the quotations of an essay from other text in quotation marks: titles, words that are
mentioned, and scare quotes."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.results import CheckedQuotation, EssayQuotation, QuotationStatus

SURE = 4
"""The minimum number of words of a quotation in quotation marks; shorter text counts if a book
contains it verbatim."""

LONGEST_TITLE = 9
"""The maximum number of words of a title."""

_SMALL = words_of("stop_word")


def may_be_quotation(quotation: EssayQuotation, words: int) -> bool:
    """Return True for two or more words, unless they are a title outside a block quotation."""
    return words > 1 and (quotation.is_block or not _is_title(quotation.text, words))


def is_quotation(checked: CheckedQuotation, words: int) -> bool:
    """Return True for text that is long enough to be meant as a quotation, and for text that is
    verbatim in a book, or may be in one that cannot be read."""
    return words >= SURE or checked.status in (QuotationStatus.VERBATIM, QuotationStatus.UNKNOWN)


def _is_title(text: str, count: int) -> bool:
    """Return True for a short text in which all words except small ones begin with a capital."""
    telling = [word for word in text.split() if word.strip(".,;:!?’'").casefold() not in _SMALL]
    return (
        count <= LONGEST_TITLE
        and bool(telling)
        and all(not word.lstrip("“‘'\"(")[:1].islower() for word in telling)
    )
