"""Tell the quotations of an essay from what is only in quotation marks: titles, and words that are
mentioned or meant otherwise."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.results import CheckedQuotation, EssayQuotation, QuotationStatus

SURE = 4
"""Words from which on what is in quotation marks is taken for a quotation; what has fewer is one if
it stands in a book word for word."""

LONGEST_TITLE = 9
"""Words of a title, at most."""

_SMALL = words_of("stop_word")


def may_be_quotation(quotation: EssayQuotation, words: int) -> bool:
    """Return True for two words or more that are no title."""
    return words > 1 and (quotation.is_block or not _is_title(quotation.text, words))


def is_quotation(checked: CheckedQuotation, words: int) -> bool:
    """Return True for what is long enough to be meant as a quotation, and for what stands in a book
    word for word, or may do so in one that cannot be read."""
    return words >= SURE or checked.status in (QuotationStatus.VERBATIM, QuotationStatus.UNKNOWN)


def _is_title(text: str, count: int) -> bool:
    """Return True if all words but small ones begin with a capital."""
    telling = [word for word in text.split() if word.strip(".,;:!?’'").casefold() not in _SMALL]
    return (
        count <= LONGEST_TITLE
        and bool(telling)
        and all(not word.lstrip("“‘'\"(")[:1].islower() for word in telling)
    )
