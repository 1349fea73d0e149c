"""Remembered words: the places of a book where the words of a claim occur in a row.

Case, accents, quotation marks, hyphens and italics are folded. A place is verbatim if it has the
whole claim; altered if it has most words of the claim in order, as if one were remembered wrongly;
and a partial match if it has three or more words in a row that are not most of the claim: half of
it, with two words that are not function words, or any five words, with three such. Only the whole
claim is verbatim: a reader who sees that mark may quote the claim as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from scholar_indexes import note_anchors
from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.results import MatchKind

SHORTEST = 3
"""The fewest words in a row that count as remembered."""

LONG_RUN = 5
"""Words in a row that are not a coincidence, however long the claim is."""

LONGEST = 120
"""The most words of a claim that are compared."""

LEAST_SHARE = 0.7
"""The least share of a claim's words that an altered place has."""

SPREAD = 1.5
"""The most words of an altered place for each word of the claim."""

MOST_PLACES = 3
"""A part of a claim that occurs in more places is a turn of speech or a name."""

FUNCTION_WORDS = words_of("stop_word")
"""Words that say nothing about the subject of a claim."""

_APOSTROPHES = re.compile(r"['’‘ʼ]")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class WordMatch:
    """The folded words of a claim that a place has, and their share of the claim, at most 1."""

    kind: MatchKind
    share: float
    words: tuple[str, ...]


def fold_words(text: str) -> list[str]:
    """Return the words of a text without case, accents, apostrophes, marks around them and anchors
    of notes."""
    return _WORD.findall(fold_text(_APOSTROPHES.sub("", note_anchors.blank(text))))


def match_words(claim: Sequence[str], passage: Sequence[str]) -> WordMatch | None:
    """Return the words of a claim that a passage has in a row, or nearly, both as folded words;
    None for too few."""
    # A cut claim is never verbatim: its rest was not compared.
    is_cut, claim = len(claim) > LONGEST, claim[:LONGEST]
    wanted = frozenset(claim)
    # This cheap test spares most sentences the comparison: what _is_telling and _most_words want.
    shared = [word for word in passage if word in wanted]
    if len(shared) < max(SHORTEST, min(LONG_RUN, len(claim) / 2)):
        return None
    if len(shared) < len(claim) and _count_content(shared) < 2:
        return None
    # Unlike rapidfuzz, difflib finds the longest run, and aligns other words only around it.
    matcher = SequenceMatcher(None, claim, passage, autojunk=False)
    run = matcher.find_longest_match()
    words = tuple(claim[run.a : run.a + run.size])
    if not is_cut and SHORTEST <= run.size == len(claim):
        return WordMatch(MatchKind.VERBATIM, 1.0, words)
    most = _most_words(claim, matcher)
    if _is_telling(words, len(claim)):
        kind = MatchKind.ALTERED if most else MatchKind.PARTLY
        return WordMatch(kind, run.size / len(claim), words)
    return WordMatch(MatchKind.ALTERED, len(most) / len(claim), most) if most else None


def _is_telling(words: Sequence[str], claim_size: int) -> bool:
    """Return True for words in a row that a claim of this many words has by no coincidence."""
    content = _count_content(words)
    is_long = len(words) >= LONG_RUN and content >= 3
    is_half = 2 * len(words) >= claim_size and content >= 2
    return len(words) >= SHORTEST and (is_long or is_half)


def _most_words(claim: Sequence[str], matcher: SequenceMatcher[str]) -> tuple[str, ...]:
    """Return the words of a claim that a passage has in order and near one another, if they are
    most of its words; otherwise none."""
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    matched = [word for block in blocks for word in claim[block.a : block.a + block.size]]
    is_most = len(matched) >= max(SHORTEST, LEAST_SHARE * len(claim))
    if len(claim) <= SHORTEST or not is_most or _count_content(matched) < 2:
        return ()
    extent = blocks[-1].b + blocks[-1].size - blocks[0].b
    return tuple(matched) if extent <= SPREAD * len(claim) else ()


def match_sentences(claim: str, sentences: Mapping[int, str]) -> list[tuple[int, int, WordMatch]]:
    """Return the places that have remembered words, best first: the key of the first sentence,
    the number of sentences, and the match.

    `sentences` are texts by their keys; consecutive keys are consecutive sentences. A match across
    two sentences is a place of both. A part of a claim that occurs in more than MOST_PLACES is
    skipped.
    """
    wanted = fold_words(claim)
    if len(wanted) < SHORTEST:
        return []
    folded = {key: fold_words(text) for key, text in sentences.items()}
    places = list(_match_places(wanted, folded))
    counts = Counter(match.words for _, _, match in places)
    kept = [
        place for place in places if place[2].share == 1 or counts[place[2].words] <= MOST_PLACES
    ]
    return sorted(
        kept,
        key=lambda place: (-place[2].share, place[2].kind is not MatchKind.VERBATIM, place[0]),
    )


def _match_places(
    wanted: Sequence[str], folded: Mapping[int, list[str]]
) -> Iterator[tuple[int, int, WordMatch]]:
    """Yield the matches of single sentences, and of two that match better together."""
    single = {key: match_words(wanted, words) for key, words in folded.items()}
    for key, alone in single.items():
        joined = match_words(wanted, folded[key] + folded[key + 1]) if key + 1 in folded else None
        if joined and (alone is None or joined.share > alone.share):
            following = single[key + 1]
            # Otherwise the next sentence has the match by itself, and is listed in its turn.
            if following is None or following.share < joined.share:
                yield key, 2, joined
        elif alone:
            yield key, 1, alone


def _count_content(words: Sequence[str]) -> int:
    return sum(word not in FUNCTION_WORDS for word in words)
