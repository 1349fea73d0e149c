"""A novel as words: lower case, gaps between words, quotations, and the odds of its pronouns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log

from scholar_indexes.coreference.pronouns import FEMALE_PRONOUNS, MALE_PRONOUNS
from scholar_indexes.lexicon import titles
from scholar_indexes.stopping import WORDS, checked
from scholar_indexes.types import Quotation

OTHER_REFERENT_SHARE = 0.3
"""The share of pronouns after a name that mean someone else."""

_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑'’][^\W\d_]+)*")
_SENTENCE_ENDS = frozenset(".!?:;…*|[]")
_QUOTATION_MARKS = frozenset("\"“”‘'’«»`(")


def has_capital(word: str) -> bool:
    """Return True if a word is capitalised like a name; so is d'Urberville."""
    return word[0].isupper() or (word.startswith(("d'", "d’")) and word[2:3].isupper())


class TokenizedNovel:
    """The words of a novel with their positions, and whether each is inside a quotation.

    `capital_positions` are the indices of the capitalised words, `counts` is how often each word
    occurs as written, and `pronoun_log_odds` are the log odds that the bearer of a name is a man if
    "she" or "he" follows.
    """

    def __init__(self, text: str, quotations: Sequence[Quotation]) -> None:
        self.text = text
        matches = list(checked(_WORD.finditer(text), WORDS))
        self.words = [match.group() for match in matches]
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]
        self.lower = [word.lower() for word in self.words]
        self.quoted = self._mark_quoted(quotations)
        self.capital_positions = [
            at for at, word in enumerate(checked(self.words, WORDS)) if has_capital(word)
        ]
        self.counts = Counter(self.words)
        self._common = self._common_words()
        self.pronoun_log_odds = self._pronoun_log_odds()

    def __len__(self) -> int:
        return len(self.words)

    def _mark_quoted(self, quotations: Sequence[Quotation]) -> bytearray:
        """Return for each word 1 if it begins inside a quotation, else 0."""
        quoted = bytearray(len(self.words))
        pieces = sorted(
            (piece.start, piece.end) for quotation in quotations for piece in quotation.pieces
        )
        at = 0
        for start, end in pieces:
            while at < len(self.starts) and self.starts[at] < start:
                at += 1
            while at < len(self.starts) and self.starts[at] < end:
                quoted[at] = 1
                at += 1
        return quoted

    def _common_words(self) -> set[str]:
        """Return the folded words that are rarely capitalised except at the start of a sentence."""
        inside = Counter(
            self.lower[at]
            for at in checked(self.capital_positions, WORDS)
            if not self.starts_sentence(at)
        )
        capitalised = {self.lower[at] for at in self.capital_positions}
        return {word for word in capitalised if inside[word] <= self.counts[word] / 8}

    def _pronoun_log_odds(self) -> tuple[float, float]:
        """Return the log odds that the bearer of a name is a man if "she" follows, and if "he"
        does.

        A pronoun that means someone else is drawn from the book's own distribution, so "she" is
        weak evidence in a book about a woman.
        """
        narration = [
            word
            for word, quoted in checked(zip(self.lower, self.quoted, strict=True), WORDS)
            if not quoted
        ]
        male = sum(word in MALE_PRONOUNS for word in narration)
        female = sum(word in FEMALE_PRONOUNS for word in narration)
        share = (male + 2) / (male + female + 4)
        other = OTHER_REFERENT_SHARE
        she = log((1 - other + other * (1 - share)) / (other * (1 - share)))
        return -she, log((1 - other + other * share) / (other * share))

    def gap(self, at: int) -> str:
        """Return the text between a word and the next; at -1, the text before the first."""
        start = self.ends[at] if at >= 0 else 0
        return self.text[
            start : self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        ]

    def starts_sentence(self, at: int) -> bool:
        """Return True if a word begins a sentence, so that its capital is no evidence."""
        gap = self.gap(at - 1)
        if at == 0 or gap.count("\n") > 1 or not _SENTENCE_ENDS.isdisjoint(gap):
            return not (at and gap.strip() == "." and self.lower[at - 1] in titles.ABBREVIATED)
        return gap[-1:] in _QUOTATION_MARKS

    def is_name_like(self, at: int) -> bool:
        """Return True if a word is written like a name, and is neither a letter nor a common
        word."""
        return (
            self.words[at][0].isupper() and len(self.words[at]) > 1 and not self.is_common_word(at)
        )

    def is_common_word(self, at: int) -> bool:
        """Return True if a word is rarely capitalised except at the start of a sentence."""
        return self.lower[at] in self._common

    def is_joined_to_next(self, at: int) -> bool:
        """Return True if a word and the next can be in one name: only spaces separate them, or the
        full stop of an initial or abbreviation."""
        gap = self.gap(at)
        if gap == " ":
            return True
        if gap.isspace():
            return gap.count("\n") < 2
        return (
            (len(self.words[at]) == 1 or self.lower[at] in titles.ABBREVIATED)
            and gap[:1] == "."
            and (gap[1:] == "" or gap[1:].isspace())
            and gap.count("\n") < 2
        )
