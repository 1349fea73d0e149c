"""Find the capitalised names of a novel: sequences of titles, given names and surnames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from scholar_indexes.coreference.name_variants import DEFINITE, NameVariant
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel, has_capital
from scholar_indexes.lexicon import capitalised, titles
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.stopping import checked

LONGEST_NAME = 4
"""The maximum number of words of a name without titles; longer runs of capitals are headings."""

POSSESSIVE_ENDING = re.compile(r"['’]s?$")
_EPITHETS = words_of("name_epithet")
_TITLES = titles.PERSONAL | titles.OFFICES
_SUBJECTS = words_of("clause_subject")
_LONGEST_PARTICLES = 3


class NameSpan(NamedTuple):
    """A name and its words [first, end)."""

    variant: NameVariant
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rule that rejects a run of capitalised words as a name."""

    name: str
    applies: Callable[[Sequence[str]], bool]


def find_name_spans(novel: TokenizedNovel, known: Set[str] = frozenset()) -> Iterator[NameSpan]:
    """Yield the capitalised names of a novel in text order, without overlap.

    `known` are folded given names, treated as names even if they occur only at the beginning of
    sentences.
    """
    end = 0
    for at in checked(novel.capital_positions, 100):
        if at < end:
            continue
        variant, first, end = _read_name(novel, at, known)
        if variant is not None:
            yield NameSpan(variant, first, end)


def _read_name(
    novel: TokenizedNovel, at: int, known: Set[str]
) -> tuple[NameVariant | None, int, int]:
    """Return the name that begins at a capital, or None, and the words [first, end) read."""
    prefixes, first, here = _read_prefixes(novel, at)
    after_of = _skip_of(novel, prefixes, here)
    if after_of is None:
        return None, at, max(here, at + 1)
    words, end = _read_words(novel, after_of, bool(prefixes))
    ranks = [prefix for prefix in prefixes if prefix in _TITLES]
    if words and not ranks:
        # "Then Emma": the first word of a sentence has a capital without being a name.
        words = _drop_openers(novel, words, end, known)
        first = end - len(words)
    if not words:
        return None, at, max(end, at + 1)
    if any(rejection.applies(words) for rejection in REJECTIONS):
        return None, at, end
    if ranks or len(words) > 1:
        return NameVariant(ranks[-1] if ranks else "", tuple(words)), first, end
    return _read_single_word(words[0], known), first, end


def _read_single_word(word: str, known: Set[str]) -> NameVariant | None:
    """Return the name of a single capitalised word, or None; a title alone is a description."""
    folded = word.lower()
    if folded in titles.PERSONAL:
        return NameVariant(DEFINITE, (word,))
    if folded in capitalised.NEVER_NAMES and folded not in known:
        return None
    return NameVariant("", (word,))


def _read_prefixes(novel: TokenizedNovel, at: int) -> tuple[list[str], int, int]:
    """Return the titles before a name, its start without epithets, and the next word's index."""
    prefixes: list[str] = []
    first = here = at
    while _is_prefix(novel, here):
        prefix = _without_compound(novel.lower[here])
        if prefix in _EPITHETS and not prefixes:
            first += 1
        else:
            prefixes.append(prefix)
        here += 1
    return prefixes, first, here


def _skip_of(novel: TokenizedNovel, prefixes: Sequence[str], at: int) -> int | None:
    """Return the index after the "of" of the Duke of Wellington; None if no name follows."""
    of_place = prefixes and prefixes[-1] in titles.TERRITORIAL
    if not of_place or at >= len(novel) or novel.lower[at] != "of":
        return at
    followed = at + 1 < len(novel) and _is_name_word(novel, at + 1) and novel.is_joined_to_next(at)
    return at + 1 if followed else None


def _read_words(novel: TokenizedNovel, at: int, has_prefix: bool) -> tuple[list[str], int]:
    """Return the consecutive words of the name from a position, and the index at which they end."""
    words: list[str] = []
    while at < len(novel) and (not words or novel.is_joined_to_next(at - 1)):
        if _is_name_word(novel, at):
            if words and _begins_another(novel, at, words[-1]):
                break
            words.append(POSSESSIVE_ENDING.sub("", novel.words[at]))
            at += 1
            if POSSESSIVE_ENDING.search(novel.words[at - 1]):
                break
        elif (words or has_prefix) and _is_particle(novel, at):
            words.append(novel.words[at])
            at += 1
        else:
            break
    return words, at


def _begins_another(novel: TokenizedNovel, at: int, before: str) -> bool:
    """Return True if a capitalised word after part of a name is a title or begins a sentence."""
    if novel.lower[at] in _TITLES and _is_prefix(novel, at):
        return True
    return len(before) == 1 and novel.lower[at] in capitalised.NEVER_NAMES  # Prince S. They


def _drop_openers(novel: TokenizedNovel, words: list[str], end: int, known: Set[str]) -> list[str]:
    """Return the words of a name without leading words that only begin its sentence."""
    while words and _is_opener(novel, end - len(words), words[0], known):
        words = words[1:]
    if len(words) > 1 and words[0].lower() in capitalised.DOUBTFUL_NAMES:
        return words[1:]  # "On Saturday Ralph Denham" without a comma
    return words


def _is_opener(novel: TokenizedNovel, at: int, word: str, known: Set[str]) -> bool:
    """Return True if a first word is not part of the name: "But Emma", "Said Emma", "Old Emma"."""
    folded = word.lower()
    if folded in _EPITHETS or (folded in capitalised.NEVER_NAMES and folded not in known):
        return True
    if not (novel.starts_sentence(at) and novel.is_common_word(at)):
        return False
    return folded not in known or bool(novel.counts[folded])


def _without_compound(word: str) -> str:
    """Return a title without a hyphenated prefix: detective-inspector, ex-king."""
    last = word.rpartition("-")[2]
    return last if last in _TITLES else word


def _is_prefix(novel: TokenizedNovel, at: int) -> bool:
    """Return True if a word is a capitalised title or epithet followed by a name or "of"."""
    if at + 1 >= len(novel) or not novel.words[at][0].isupper():
        return False
    word, after = novel.lower[at], novel.lower[at + 1]
    if _without_compound(word) not in _TITLES and word not in _EPITHETS:
        return False
    if not novel.is_joined_to_next(at):
        return False
    return (
        _is_name_word(novel, at + 1)
        or after in capitalised.SURNAME_PARTICLES
        or (after == "of" and word in titles.TERRITORIAL)
    )


def _is_name_word(novel: TokenizedNovel, at: int) -> bool:
    """Return True if a word looks like part of a name: capitalised, and not in all capitals."""
    word = novel.words[at]
    if not has_capital(word):
        return False
    if len(word) == 1:
        return word != "I" and novel.gap(at)[:1] == "."
    return not word.isupper() and not word.startswith(("I'", "I’"))


def _is_particle(novel: TokenizedNovel, at: int) -> bool:
    """Return True if a word is a particle of a surname, followed by the surname."""
    if novel.lower[at] not in capitalised.SURNAME_PARTICLES:
        return False
    for here in range(at, min(at + _LONGEST_PARTICLES, len(novel)) - 1):
        if not novel.is_joined_to_next(here):
            return False
        if novel.lower[here + 1] not in capitalised.SURNAME_PARTICLES:
            return _is_name_word(novel, here + 1)
    return False


def _is_made_up(word: str) -> bool:
    """Return True if a word is a hyphenated phrase and not a name: What's-her-name."""
    parts = re.split(r"[-'’]", word.lower())
    return len(parts) > 1 and parts[0] in capitalised.NEVER_NAMES and len(parts[0]) > 1


REJECTIONS = (
    Rejection("a pronoun: Sir, You", lambda words: words[0].lower() in _SUBJECTS),
    Rejection("a heading in capitals", lambda words: len(words) > LONGEST_NAME),
    Rejection("initials without a name", lambda words: all(len(word) == 1 for word in words)),
    Rejection("a phrase in hyphens", lambda words: any(map(_is_made_up, words))),
)
"""The rules that reject the words of a name."""
