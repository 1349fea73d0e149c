"""A window of the index in a ranking, with all that a search finds out about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scholar_indexes.results import MatchKind, RankerScore
from scholar_indexes.retrieval.places import Place


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive sentences as an answer to a claim. Every step of a search adds its findings.

    `score` orders the windows of one claim. `comparable` are the scores of the first stage and of
    both without what does not compare across claims (feedback, and fusion.SHARES), and `parts` are
    the contributions to the score minus their means over all windows; both are None if the stages
    did not rank the window. `read_by` is the model of the second stage, None if it did not read the
    window; `match` is set if the window has the exact words of the claim.

    `nearby` are the windows that are folded into this one, best first. `focus` is the sentence
    nearest to the claim, and `core` are the sentences that are relevant to it; each is None if it
    was not measured. `dense` and `lexical` are the ranks by each retriever. `meant` are the phrases
    of the claim that the book resolves to characters, with their numbers in its cast.
    """

    place: Place
    score: float
    comparable: tuple[float, float] | None = None
    parts: Mapping[str, float] | None = None
    read_by: str | None = None
    match: MatchKind | None = None
    nearby: tuple[Place, ...] = ()
    focus: Place | None = None
    core: Place | None = None
    dense: RankerScore | None = None
    lexical: RankerScore | None = None
    meant: tuple[tuple[str, int], ...] = ()
