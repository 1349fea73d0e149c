"""Narration as tokens in which each name of the cast is one token."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from scholar_indexes.attribution.cues.vocabulary import DETERMINERS, SKIPPED
from scholar_indexes.coreference.mentions import Mention, name_words
from scholar_indexes.coreference.narrator import Narrators
from scholar_indexes.lexicon import titles
from scholar_indexes.types import Character, Gender, Span

SENTENCE_ENDS = frozenset(".!?…")

_TOKEN = re.compile(
    r"(?P<poss>['’]s?(?![^\W_]))|(?P<word>[^\W_]+(?:['’-][^\W_]+)*)|(?P<mark>-{2,}|[.,;:!?…—–()\[\]])"
)

_SINGLE_MARKS = frozenset("'’")


class TokenKind(StrEnum):
    """The kind of a token."""

    WORD = "word"
    NAME = "name"
    POSSESSIVE = "poss"  # the 's after a noun
    MARK = "mark"


_KINDS = {str(kind): kind for kind in TokenKind}


class CueToken(NamedTuple):
    """A word, name or mark of the narration.

    `word` is folded to lower case, except in a name. `character` is the index in the cast of the
    character named, -1 for other tokens.
    """

    word: str
    kind: TokenKind
    start: int
    end: int
    character: int
    is_capitalized: bool

    @property
    def is_word(self) -> bool:
        """True for a word that is not a name of the cast."""
        return self.kind is TokenKind.WORD

    @property
    def is_name(self) -> bool:
        """True for a name of the cast."""
        return self.kind is TokenKind.NAME

    @property
    def is_possessive(self) -> bool:
        """True for the 's of a possessive."""
        return self.kind is TokenKind.POSSESSIVE

    @property
    def is_mark(self) -> bool:
        """True for a punctuation mark."""
        return self.kind is TokenKind.MARK

    @property
    def is_adverbial(self) -> bool:
        """True for a word that may come between a subject and its verb."""
        return self.word in SKIPPED or (self.word.endswith("ly") and not self.is_capitalized)


@dataclass(frozen=True, slots=True)
class NarrationReader:
    """A text, its cast and the mentions of their names, in text order.

    `bearers` holds for each word of a name the characters who bear it, the most often named first.
    """

    text: str
    mentions: Sequence[Mention]
    cast: Sequence[Character]
    narrators: Narrators
    bearers: Mapping[str, Sequence[int]]

    @classmethod
    def of(
        cls, text: str, mentions: Sequence[Mention], cast: Sequence[Character]
    ) -> NarrationReader:
        """Return the reader of a text."""
        return cls(text, mentions, cast, Narrators(cast), _find_bearers(cast, mentions))

    def resolve_name(self, word: str, gender: Gender) -> int | None:
        """Return the character of this gender that a part of a name most often means."""
        for character in self.bearers.get(word, ()):
            known = self.cast[character].gender
            if gender is known or Gender.UNKNOWN in (gender, known):
                return character
        return None

    def tokenize(self, span: Span) -> list[CueToken]:
        """Return the tokens of a stretch of the text."""
        tokens: list[CueToken] = []
        position = span.start
        index = bisect_left(self.mentions, span.start, key=_start)
        while position < span.end:
            mention = self.mentions[index] if index < len(self.mentions) else None
            if mention is None or mention.span.end > span.end:
                tokens += self._tokenize_words(position, span.end)
                break
            tokens += self._tokenize_words(position, mention.span.start)
            tokens.append(self._name_token(mention))
            position = max(position, mention.span.end)
            index += 1
        return [token for token in tokens if not self._is_quotation_mark(token, span)]

    def _is_quotation_mark(self, token: CueToken, span: Span) -> bool:
        """Return True for an apostrophe that is a single quotation mark at an edge of narration."""
        if token.word not in _SINGLE_MARKS:
            return False
        return token.start == span.start or not self.text[token.start - 1].isalnum()

    def _name_token(self, mention: Mention) -> CueToken:
        name = mention.span.of(self.text)
        first, _, rest = name.partition(" ")
        is_proper = not (rest if first.lower() in DETERMINERS else name).islower()
        return CueToken(
            name, TokenKind.NAME, mention.span.start, mention.span.end, mention.character, is_proper
        )

    def _tokenize_words(self, start: int, end: int) -> Iterator[CueToken]:
        for match in _TOKEN.finditer(self.text, start, end):
            word = match.group()
            # The apostrophe of a possessive may be missing.
            kind = TokenKind.POSSESSIVE if word == "s" else _KINDS[match.lastgroup or ""]
            yield CueToken(word.lower(), kind, match.start(), match.end(), -1, word[0].isupper())


def _start(mention: Mention) -> int:
    return mention.span.start


def _find_bearers(
    cast: Sequence[Character], mentions: Sequence[Mention]
) -> Mapping[str, Sequence[int]]:
    counts = Counter(mention.character for mention in mentions)
    bearers: dict[str, dict[int, None]] = defaultdict(dict)
    for character in sorted(range(len(cast)), key=lambda index: -counts[index]):
        for alias in cast[character].aliases:
            for word in _proper_words(alias):
                bearers[word].setdefault(character)
    return {word: tuple(characters) for word, characters in bearers.items()}


def _proper_words(alias: str) -> list[str]:
    """Return the words of a name except titles; none of a description ("the old man")."""
    name = name_words(alias)
    if not name or name[0] in DETERMINERS:
        return []
    return [word for word in name if word not in titles.BEFORE_NAMES and len(word) > 2]


def find_sentence_end(tokens: Sequence[CueToken], start: int) -> int:
    """Return the index of the mark that ends the sentence, or the number of tokens."""
    for index in range(start, len(tokens)):
        token = tokens[index]
        is_end = token.is_mark and token.word in SENTENCE_ENDS
        if is_end and not _is_abbreviation(tokens, index):
            return index
    return len(tokens)


def _is_abbreviation(tokens: Sequence[CueToken], mark: int) -> bool:
    """Return True for the full stop of an abbreviated title or an initial."""
    if tokens[mark].word != "." or not mark:
        return False
    word = tokens[mark - 1].word
    return word in titles.ABBREVIATED or (len(word) == 1 and word != "i")


def find_last_sentence(tokens: Sequence[CueToken]) -> int:
    """Return the index of the token that begins the last sentence."""
    start = 0
    while (end := find_sentence_end(tokens, start)) < len(tokens):
        start = end + 1
    return start


def find_clause_end(tokens: Sequence[CueToken]) -> int:
    """Return the index of the first semicolon or colon, or the number of tokens."""
    for index, token in enumerate(tokens):
        if token.is_mark and token.word in (";", ":") and index:
            return index
    return len(tokens)
