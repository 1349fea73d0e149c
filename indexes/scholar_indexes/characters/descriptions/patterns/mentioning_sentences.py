"""The sentences of a novel that mention characters, with their words.

A character is mentioned by name, or by a pronoun whose antecedent is known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from sys import intern

from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import Token
from scholar_indexes.lexicon import closed_classes, titles, verbs
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.types import Span

_AFTER_NOUN = closed_classes.SMALL | closed_classes.AUXILIARIES
_BEFORE_NOUN = closed_classes.DETERMINERS | closed_classes.POSSESSIVE


@dataclass(frozen=True, slots=True)
class MentioningSentence:
    """A sentence that mentions characters.

    `paragraph` is the position where its paragraph begins, `chapter` the number of its chapter;
    `named` and `mentioned` are indices in the cast, the former of characters mentioned by name;
    `stems` are the stems of its words, and `nouns` the nouns with a determiner, folded, and the
    names of things and places, as printed.
    """

    span: Span
    paragraph: int
    chapter: int
    named: frozenset[int]
    mentioned: frozenset[int]
    stems: frozenset[str]
    nouns: frozenset[str]


class MentioningSentences:
    """Collects the sentences of a novel that mention characters, in text order."""

    def __init__(self, bodies: Sequence[Span]) -> None:
        """`bodies` are the chapters."""
        self._starts = [body.start for body in bodies]
        self.sentences: list[MentioningSentence] = []

    def add(self, sentence: TokenizedSentence, paragraph: int) -> None:
        """Add a sentence of the paragraph that begins at a position."""
        tokens = sentence.tokens
        named = frozenset(token.character for token in tokens if token.kind == "name")
        antecedents = sentence.novel.antecedents
        mentioned = named.union(
            antecedents[token.start] for token in tokens if token.start in antecedents
        )
        if mentioned:
            self.sentences.append(
                MentioningSentence(
                    sentence.passage(sentence.start),
                    paragraph,
                    bisect_right(self._starts, paragraph),
                    named,
                    mentioned,
                    frozenset(intern(stem(token.word)) for token in tokens if token.kind == "word"),
                    frozenset(
                        intern(noun)
                        for index in range(len(tokens))
                        if (noun := _read_noun(sentence, index))
                    ),
                )
            )


def _read_noun(sentence: TokenizedSentence, index: int) -> str:
    """Return the word at an index if it ends a noun phrase ("his old kite", "at Walworth"), else
    an empty string."""
    tokens = sentence.tokens
    token = tokens[index]
    if token.kind != "word" or not token.word.replace("-", "").isalpha():
        return ""
    if index + 1 < len(tokens) and not _may_follow_noun(tokens[index + 1]):
        return ""
    if token.capital and not sentence.novel.lowercase_counts[token.word]:
        return _read_proper_noun(sentence, index)
    before = {earlier.word for earlier in tokens[max(0, index - 2) : index]}
    return "" if before.isdisjoint(_BEFORE_NOUN) else token.word


def _read_proper_noun(sentence: TokenizedSentence, index: int) -> str:
    """Return the proper noun that ends at an index, "Little Britain"; an empty string if it begins
    the sentence, or is next to a person's name."""
    tokens, text = sentence.tokens, sentence.novel.text
    first = index
    while first > 1 and tokens[first - 1].kind == "word" and tokens[first - 1].capital:
        first -= 1
    before, after = tokens[max(0, first - 2) : first], tokens[index + 1 : index + 2]
    if not first or any(token.kind == "name" for token in (before[-1], *after)):
        return ""
    if before[-1].word == "." and before[0].word in titles.ABBREVIATED:
        return ""
    return " ".join(text[tokens[first].start : tokens[index].end].split())


def _may_follow_noun(token: Token) -> bool:
    return token.kind != "word" or token.word in _AFTER_NOUN or verbs.is_past(token.word)
