"""From a claim to ranked places: the steps of `find`, in order.

    claim -> (nearest sentences, matching sentences) -> windows around them -> blend

Sentences find the neighbourhoods; the windows of one to five sentences there are what
is ranked, as in RELiC, and none of the places handed out overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from scholar_indexes import ranking
from scholar_indexes.encoder import MASK, Encoder
from scholar_indexes.errors import UsageError
from scholar_indexes.ranking import Floats, Floats1d, Fused, Ints1d, Place
from scholar_indexes.store import EDITION_BITS, EVERYTHING, Scope, Store

CANDIDATES = 300
"""Sentences each ranker puts forward; more did not change a ranking (docs/index-design.md)."""

CLAIM_CHARS = 8_000
"""More of a claim than this is not read; it is some 1,500 words."""

FUNCTION_WORDS = frozenset(
    "a an and are as at be but by for from had has have he her him his i if in into is it its "
    "not of on or our she so such that the their them then there these they this to us was we "
    "were which who will with would you your".split()
)
"""Left out of a lexical question, where they would outweigh what it is about."""


class Mode(StrEnum):
    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of an index: a claim, which rows may answer, and windows of what size."""

    claim: str
    mode: Mode = Mode.HYBRID
    scope: Scope = EVERYTHING
    shortest: int = 1
    longest: int = 5
    n: int = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """A place in the index: sentences [first, end) of an edition, and its ranks."""

    edition: int
    first: int
    end: int
    score: float
    dense: Place | None
    lexical: Place | None


def readable(claim: str) -> str:
    """A claim as one line; raises UsageError when it has nothing but a mask to ask."""
    words = " ".join(claim[: 2 * CLAIM_CHARS].split())[:CLAIM_CHARS]
    if not re.search(r"\w", MASK.sub(" ", words)):
        raise UsageError(
            'the claim is empty; write one, such as: scholar find "pride and prejudice"'
        )
    return words


def keywords(claim: str) -> str:
    """The words of a claim to match, each once; the claim as it is when it has none but
    function words, as in "to be or not to be"."""
    plain = MASK.sub(" ", claim)
    words = dict.fromkeys(re.findall(r"[^\W_]+", plain.lower()))
    return " ".join(word for word in words if word not in FUNCTION_WORDS) or plain


def shared(claim: str, text: str) -> list[str]:
    """The words of a text that a claim has too, but for their endings; each once, as they
    stand in the text."""
    wanted = {_stem(word) for word in keywords(claim).split()}
    found: dict[str, str] = {}
    for word in re.findall(r"[^\W_]+", text):
        if _stem(word.lower()) in wanted:
            found.setdefault(word.lower(), word)
    return list(found.values())


def _stem(word: str) -> str:
    """A word without the ending that its grammar gave it, roughly."""
    return re.sub(r"(?<=\w{3})(?:ies|ied|ing|ed|es|s|ly|y|e)$", "", word)


def search(store: Store, encoder: Callable[[], Encoder] | None, asked: Question) -> list[Answer]:
    """The best places for a claim, best first, at most n of them.

    encoder is called only when the mode needs vectors.
    """
    claim = readable(asked.claim)
    reach = asked.longest - 1
    k = max(CANDIDATES, 4 * asked.n)
    query: Floats1d | None = None
    keys: list[Ints1d] = []
    if asked.mode is not Mode.LEXICAL:
        assert encoder is not None
        query = encoder().encode_claims([claim])[0]
        keys.append(store.nearest(query, k, asked.scope)[0])
    if asked.mode is not Mode.DENSE:
        matched, bm25 = store.matching(keywords(claim), k, asked.scope)
        keys.append(matched)
    found = np.concatenate(keys)
    near = store.around(found, reach + ranking.REACH, asked.scope)
    run = ranking.runs(near.keys, near.chapters)
    candidates = np.isin(near.keys, (found[:, None] + np.arange(-reach, reach + 1)).ravel())
    of = ranking.within(ranking.windows(run, asked.shortest, asked.longest), candidates)

    scores: dict[str, Floats1d] = {}
    if query is not None:
        around = ranking.neighbourhoods(query, near.vectors, near.weights, run)
        scores["dense"] = ranking.dense_scores(query, near.vectors, near.weights, of, around)
    if asked.mode is not Mode.DENSE:
        bm25_of = np.zeros(len(near), np.float32)
        order = np.argsort(matched)
        there = np.isin(near.keys, matched)
        bm25_of[there] = bm25[order][np.searchsorted(matched[order], near.keys[there])]
        scores["lexical"] = ranking.lexical_scores(bm25_of, of)

    def ranked(of_windows: Floats, limit: int) -> list[Place]:
        return ranking.places(ranking.tempered(of_windows, near.words, of), of, len(near), limit)

    rankings = {name: ranked(each, k) for name, each in scores.items()}
    if "lexical" in rankings:
        rankings["lexical"] = [place for place in rankings["lexical"] if place.score > 0]
    if len(scores) > 1:
        common = ranked(ranking.blend(scores["dense"], scores["lexical"]), asked.n)
    else:
        (common,) = rankings.values()
    places = ranking.agreed(common[: asked.n], rankings, len(near))
    return [_answer(each, near.keys) for each in places]


def _answer(found: Fused, keys: Ints1d) -> Answer:
    first = int(keys[found.start])
    edition, number = first >> EDITION_BITS, first & ((1 << EDITION_BITS) - 1)
    return Answer(
        edition,
        number,
        number + found.end - found.start,
        found.score,
        found.by.get("dense"),
        found.by.get("lexical"),
    )
