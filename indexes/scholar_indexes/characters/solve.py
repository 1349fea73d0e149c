"""Which character a description means, found in the book.

    description -> (sentences that answer it) -> whose sentences they are -> ranked characters

What is retrieved (retrieval.py) is weighed by who is there (presence.py): named, meant by a
pronoun, speaking, or near. Whoever a description names, or describes in its turn ("the sister
of the man who elopes"), is looked for first, and then has to be there too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.characters.presence import Candidate, Presence, candidates, presence
from scholar_indexes.characters.retrieval import (
    SIZES,
    LikeWords,
    Reading,
    Tokens,
    Windows,
    Words,
    counted,
    from_whole,
    lengths,
    like_words,
    read,
    stem,
    stems,
    tokens,
    whole_numbers,
)
from scholar_indexes.characters.wording import told_gender
from scholar_indexes.speakers import mentions
from scholar_indexes.types import Character, Gender, Progress, Span, silent

if TYPE_CHECKING:
    from scholar_indexes.encoder import Encoder
    from scholar_indexes.speakers.record import Dialogue

__all__ = [
    "FEATURES",
    "OFTEN",
    "RULES",
    "SIZES",
    "WEIGHTS",
    "Answers",
    "Candidate",
    "Found",
    "Groundwork",
    "LikeWords",
    "Presence",
    "Reading",
    "Solver",
    "Tokens",
    "Told",
    "Windows",
    "Words",
    "candidates",
    "counted",
    "from_whole",
    "groundwork",
    "presence",
    "read",
    "stem",
    "stems",
    "taken_apart",
    "who",
    "whole_numbers",
]  # fmt: skip

Floats = NDArray[np.float32]

RULES = 3
"""Counts up when something of Groundwork is found in another way: what was kept by older rules
is then made anew."""

_EMBEDDED = re.compile(
    r"(?<=\s)(?:the|an?)\s(?:[^\W\d_][\w'’-]*,?\s){1,7}?"
    r"(?:(?:of|for|by|with|to|from|on|in|about|after|under|through)\s)?(?:who|whom|whose)\b"
)
_HEAD = re.compile(
    r"\b(?:who|whom|whose|that|which|of|in|with|to|for|from|at|on|by|about|and|is|has)\b|,"
)
_ARTICLE = re.compile(r"(?:the|a|an|one)\s+", re.IGNORECASE)
_ANYONE = frozenset(
    "person one man woman somebody someone character individual figure boy girl lady gentleman"
    .split()
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """A description taken apart: all of it, what is said of the one meant, and the
    descriptions of others in it, with the names of others."""

    text: str
    outer: str
    inner: tuple[str, ...]


def taken_apart(text: str) -> Told:
    """What a description says of others by describing them."""
    starts = []
    at = 4
    while (found := _EMBEDDED.search(text, at)) is not None:
        starts.append(found.start())
        at = found.end()
    if not starts:
        return Told(text, text, ())
    ends = [*starts[1:], len(text)]
    inner = tuple(text[start:end].strip(" ,") for start, end in zip(starts, ends, strict=True))
    return Told(text, text[: starts[0]] + "someone", inner)


def called(text: str) -> str:
    """What a description calls the one it means ("maiden aunt"); empty for "person" and the
    like."""
    head = _HEAD.split(_ARTICLE.sub("", text, count=1), maxsplit=1)[0].strip()
    return head if set(head.lower().split()) - _ANYONE else ""


# -- whom it means -------------------------------------------------------------------------------

ALONE = (
    "mix near", "mix meant", "mix says", "words near", "words meant", "words says", "late named",
    "share of mix", "late sum", "best place", "profile meant", "profile says", "gender",
)  # fmt: skip
"""Features that need no others, and resolve the descriptions within one."""

PAIRED = ("mix with others", "late with others", "mix beyond chance", "late beyond chance")

FEATURES = (
    *ALONE, *PAIRED, "together", "not the other",
    "outer mix near", "outer late named", "outer profile", "outer mix with others",
    "outer mix beyond chance", *(f"{each}, described" for each in ALONE), "called so",
    "called so by tokens",
)  # fmt: skip
"""What is known of a description and a candidate; those that need others are nought without."""

_FITTED = json.loads((resources.files(__package__) / "weights.json").read_text("utf-8"))
WEIGHTS_ALONE: tuple[float, ...] = tuple(_FITTED["weights alone"][each] for each in ALONE)
WEIGHTS: tuple[float, ...] = tuple(_FITTED["weights"][each] for each in FEATURES)
"""What scholar train characters learned from the banks of eight novels; the file says how."""

OFTEN = 0.5
"""How much it counts, among everybody in a book, that somebody is named often: the features
are against that, and ten that are offered are not."""

LEAST = 1e-4
FEWEST = 1e-5
NAMED = -30.0
"""The score of whom a description names: it means somebody else."""

MOST = 6.0
"""Standard deviations above the mean beyond which a sentence answers no better."""


@dataclass(frozen=True, slots=True)
class Groundwork:
    """What a solver makes of a book and its candidates before anything is asked; lengths are
    those that windows have (retrieval.lengths)."""

    presence: Presence
    words: Words
    lengths: Mapping[int, Floats]
    like: LikeWords
    tokens: Tokens


def groundwork(
    reading: Reading, who: Sequence[Candidate], dialogue: Dialogue | None, encoder: Encoder,
    label: str = "", progress: Progress = silent,
) -> Groundwork:  # fmt: skip
    """Where everybody is, and the words, windows and tokens of a book; as long as it takes to
    encode it."""
    return Groundwork(
        presence(reading, who, dialogue),
        counted(reading),
        lengths(reading),
        like_words(reading, encoder),
        tokens(reading, encoder, label, progress),
    )


@dataclass(frozen=True, slots=True)
class Answers:
    """How well each sentence answers some descriptions, (d, m), each standardised: by words and
    sentence vectors; by all there is; by tokens in the sentence, and in some eight around it;
    by words that are like its own. And the descriptions' own vectors (d, n)."""

    words: Floats
    mix: Floats
    here: Floats
    late: Floats
    like: Floats
    vectors: Floats

    def of(self, rows: Sequence[int]) -> Answers:
        """Those of some of the descriptions."""
        at = list(rows)
        return Answers(
            self.words[at], self.mix[at], self.here[at], self.late[at], self.like[at],
            self.vectors[at],
        )  # fmt: skip


class Solver:
    """Scores descriptions against the characters of one book.

    The scores are of a conditional logit (McFadden 1974) whose few weights were fitted on
    the banks of eight novels; what they weigh is how much of what answers a description is
    where a candidate is, against how often the candidate is anywhere.
    """

    def __init__(
        self, reading: Reading, who: Sequence[Candidate], dialogue: Dialogue | None,
        encoder: Encoder, kept: Groundwork | None = None,
    ) -> None:  # fmt: skip
        """who are the candidates, as candidates() makes them of names and a cast; kept is
        their groundwork, which is made where it is not given."""
        self.reading, self.who = reading, list(who)
        self._encoder = encoder
        self._made = kept or groundwork(reading, who, dialogue, encoder)
        self._windows = Windows(reading, self._made.lengths)
        self.presence = there = self._made.presence
        self._cast = [
            Character(str(at), each.name, tuple(dict.fromkeys((each.name, *each.aliases))))
            for at, each in enumerate(who)
        ]
        self._there = {
            "named": there.named, "meant": there.meant, "says": there.says, "near": there.near,
            "share": there.near / (there.near.sum(axis=0) + 0.3),
        }  # fmt: skip
        m = max(len(reading), 1)
        self._pairs = _apart(there.near @ there.near.T) / np.float32(m)
        self._profiles = {name: self._profile(name) for name in ("meant", "says")}
        self._base = {name: np.log(of.sum(axis=1) / m + LEAST) for name, of in self._there.items()}

    def scores(self, descriptions: Sequence[str]) -> Floats:
        """The logarithm of how likely each description means each candidate, (d, c)."""
        if not descriptions or not self.who:
            return np.zeros((len(descriptions), len(self.who)), np.float32)
        table = self.features(descriptions) @ np.array(WEIGHTS, np.float32)
        return _log_odds(np.where(self.named(descriptions) > 0, NAMED, table))

    def features(
        self, descriptions: Sequence[str], alone_by: Sequence[float] = WEIGHTS_ALONE
    ) -> Floats:
        """FEATURES of descriptions and candidates, (d, c, f); alone_by weighs ALONE for those
        who are described within."""
        told = [taken_apart(each) for each in descriptions]
        texts = list(dict.fromkeys([*(each.text for each in told), *(each.outer for each in told)]))
        place = {each: at for at, each in enumerate(texts)}
        both = self.answers(texts)
        answers = both.of([place[each.text] for each in told])
        outer = both.of([place[each.outer] for each in told])
        others = self.others(told, alone_by)
        described = np.array([[bool(each.inner)] for each in told])
        has = others.sum(axis=1, keepdims=True) > 0.3
        alone = self._alone([each.text for each in told], answers)
        outer_share, outer_beyond = self._paired(outer.mix, 1, "near", others)
        columns = [
            *alone,
            *(np.where(has, each, 0) for each in self._with_others(answers, others)),
            *(
                np.where(described, each, 0)
                for each in (
                    self._mass(outer.mix, 1, "near"),
                    self._mass(outer.late, 1, "named"),
                    0.3 * self._likeness(outer.vectors, "meant"),
                    np.where(has, outer_share, 0), np.where(has, outer_beyond, 0),
                    *(0.5 * each for each in alone),
                )
            ),
            *self._called([called(each.outer) for each in told]),
        ]  # fmt: skip
        return np.stack(columns, axis=2).astype(np.float32)

    def features_alone(self, descriptions: Sequence[str]) -> Floats:
        """ALONE of descriptions and candidates, (d, c, f)."""
        columns = self._alone(descriptions, self.answers(descriptions))
        return np.stack(columns, axis=2).astype(np.float32)

    def answers(self, descriptions: Sequence[str]) -> Answers:
        """What in the book answers descriptions."""
        made, encoder = self._made, self._encoder
        vectors = encoder.encode_claims(descriptions)
        plain = encoder.encode(descriptions)
        one, three, seven, many = map(_standard, self._windows.scores(vectors).values())
        three_plain = _standard(self._windows.scores(plain)[3])
        stems_ = _standard(np.array([made.words.scores(each) for each in descriptions]))
        like = _standard(made.like.scores(descriptions, encoder))
        here, close, late, wide = map(_standard, made.tokens.scores(descriptions, encoder))
        words = _standard(one + three + three_plain + 0.7 * (seven + many)) + 0.8 * stems_
        mix = (
            0.3 * one + 0.3 * three + 0.2 * three_plain + 0.2 * many + 0.1 * seven
            + 0.1 * stems_ + 0.3 * like + 0.4 * here + 0.7 * close + 0.6 * late + 0.3 * wide
        )  # fmt: skip
        return Answers(_standard(words), _standard(mix), here, late, like, vectors)

    def named(self, descriptions: Sequence[str]) -> Floats:
        """Whom descriptions name, (d, c) of nought and one."""
        found = np.zeros((len(descriptions), len(self.who)), np.float32)
        for row, each in enumerate(descriptions):
            for mention in mentions.find(each, self._cast):
                found[row, mention.who] = 1
        return found

    def others(self, told: Sequence[Told], alone_by: Sequence[float] = WEIGHTS_ALONE) -> Floats:
        """How likely each candidate is somebody else in a description, (d, c): named there, or
        described in their turn."""
        found = self.named([each.text for each in told])
        within = list(dict.fromkeys(inner for each in told for inner in each.inner))
        if within:
            table = self.features_alone(within) @ np.array(alone_by, np.float32)
            likely = _shares(np.where(self.named(within) > 0, NAMED, table))
            place = {each: at for at, each in enumerate(within)}
            for row, each in enumerate(told):
                for inner in each.inner:
                    found[row] = np.maximum(found[row], likely[place[inner]])
        return found

    def _alone(self, descriptions: Sequence[str], answers: Answers) -> list[Floats]:
        told = [told_gender(each) for each in descriptions]
        agree = [[_agreement(one, each.gender) for each in self.who] for one in told]
        named, near = self._there["named"], self._there["near"]
        much = np.log(np.exp(2 * answers.late) @ named.T + 1)
        best = [(answers.mix + np.log(each + 1e-3)).max(axis=1) for each in near]
        return [
            self._mass(answers.mix, 1, "near"),
            self._mass(answers.mix, 1.5, "meant"),
            self._mass(answers.mix, 1.5, "says"),
            self._mass(answers.words, 1, "near"),
            self._mass(answers.words, 1, "meant"),
            self._mass(answers.words, 1, "says"),
            self._mass(answers.late, 1, "named"),
            self._mass(answers.mix, 1.5, "share"),
            much - 0.6 * np.log(named.sum(axis=1) + 5),
            _centred(np.stack(best, axis=1)),
            0.3 * self._likeness(answers.vectors, "meant"),
            0.3 * self._likeness(answers.vectors, "says"),
            np.array(agree, np.float32),
        ]

    def _with_others(self, answers: Answers, others: Floats) -> list[Floats]:
        """PAIRED, together and not the other, (d, c) each."""
        near = self._there["near"]
        mean = near.mean(axis=1)
        shares = [
            self._paired(answers.mix, 1, "near", others),
            self._paired(answers.late, 2, "named", others),
        ]
        together = (
            np.log(others @ self._pairs + FEWEST)
            - np.log(others @ mean + FEWEST)[:, None] - np.log(mean + LEAST)
        )  # fmt: skip
        return [
            *(share for share, _ in shares), *(beyond for _, beyond in shares),
            together, np.log(1.02 - np.minimum(others, 1)),
        ]  # fmt: skip

    def _paired(
        self, scores: Floats, sharp: float, name: str, others: Floats
    ) -> tuple[Floats, Floats]:
        """How much of what answers has the others and each candidate, (d, c): as a share of
        all candidates', and against how often they are together anyway; logarithms."""
        there, weights = self._there[name], _weights(scores, sharp)
        both = (others @ there * weights) @ there.T - others * (weights @ (there**2).T)
        found, anyway = np.maximum(both, 0), others @ self._pairs
        share = np.log(found / (found.sum(axis=1, keepdims=True) + 1e-9) + 0.005)
        return share, np.log(found + FEWEST) - np.log(anyway + FEWEST)

    def _called(self, heads: Sequence[str]) -> list[Floats]:
        """Whether those of whom a word like the head is said are the candidates, twice (d, c)."""
        found = [np.zeros((len(heads), len(self.who)), np.float32) for _ in range(2)]
        asked = sorted({each for each in heads if each})
        if asked:
            like = _standard(self._made.like.scores(asked, self._encoder))
            here = _standard(self._made.tokens.scores(asked, self._encoder)[0])
            tables = self._mass(like, 1.5, "named"), self._mass(here, 2, "named")
            for row, head in enumerate(heads):
                for column, table in zip(found, tables, strict=True):
                    if head:
                        column[row] = 0.7 * table[asked.index(head)]
        return found

    def _mass(self, scores: Floats, sharp: float, name: str) -> Floats:
        """The share of what answers that is where each candidate is, against the candidate's
        share of the book, as a logarithm (d, c)."""
        share = np.log(_weights(scores, sharp) @ self._there[name].T + LEAST)
        found: Floats = share - self._base[name]
        return found

    def _likeness(self, vectors: Floats, name: str) -> Floats:
        """Ten cosines of descriptions and what is typical of where each candidate is, (d, c)."""
        return _centred(10 * vectors @ self._profiles[name].T)

    def _profile(self, name: str) -> Floats:
        """What is typical of where each candidate is, unit vectors (c, d)."""
        there = self._there[name]
        everywhere = np.full((1, there.shape[1]), 1 / max(there.shape[1], 1), np.float32)
        own = self._windows.summed(there, 3) / (there.sum(axis=1, keepdims=True) + 1)
        own = own - self._windows.summed(everywhere, 3)
        found: Floats = own / (np.linalg.norm(own, axis=1, keepdims=True) + np.float32(1e-6))
        return found


@dataclass(frozen=True, slots=True)
class Found:
    """Somebody a description may mean, how likely in [0, 1], and where that is told, best
    first."""

    who: Candidate
    likely: float
    passages: tuple[Span, ...]


def who(description: str, solver: Solver, n: int = 5, passages: int = 3) -> list[Found]:
    """Whom a description means, the likeliest first, with the passages that say so.

    A passage is three sentences around one that answers the description near the character,
    and near whoever else the description is about.
    """
    often = np.log1p(solver.presence.named.sum(axis=1))
    scores = np.exp(_log_odds(solver.scores([description]) + np.float32(OFTEN) * often)[0])
    mix = solver.answers([description]).mix[0]
    others = solver.others([taken_apart(description)])[0]
    near = solver.presence.near
    present = np.minimum((others[:, None] * near).sum(axis=0), 1)
    found = []
    for at in np.argsort(-scores, kind="stable")[:n]:
        worth = np.where(near[at] >= 0.5, mix + np.log(near[at] + LEAST) + present, -np.inf)
        places: list[int] = []
        for row in np.argsort(-worth, kind="stable"):
            if len(places) == passages or not np.isfinite(worth[row]):
                break
            if all(abs(int(row) - other) > 2 for other in places):
                places.append(int(row))
        spans = tuple(_around(solver.reading, row) for row in places)
        found.append(Found(solver.who[at], float(scores[at]), spans))
    return found


def _around(reading: Reading, row: int) -> Span:
    first, last = max(row - 1, 0), min(row + 1, len(reading) - 1)
    first += int(reading.chapters[first] != reading.chapters[row])
    last -= int(reading.chapters[last] != reading.chapters[row])
    return Span(reading.spans[first].start, reading.spans[last].end)


def _agreement(one: Gender, other: Gender) -> float:
    if Gender.UNKNOWN in (one, other):
        return 0.0
    return 1.0 if one is other else -1.0


def _standard(scores: Floats) -> Floats:
    """Each row with mean nought and spread one."""
    middle = scores - scores.mean(axis=1, keepdims=True)
    found: Floats = middle / (scores.std(axis=1, keepdims=True) + 1e-6)
    return found


def _weights(scores: Floats, sharp: float) -> Floats:
    """The softmax of each row, sharper or not, without outliers."""
    return _shares(np.float32(sharp) * np.minimum(scores, np.float32(MOST)))


def _apart(pairs: Floats) -> Floats:
    """A table of pairs (c, c) without those of somebody with themselves."""
    found: Floats = pairs * (1 - np.eye(len(pairs), dtype=np.float32))
    return found


def _centred(scores: Floats) -> Floats:
    found: Floats = scores - scores.mean(axis=1, keepdims=True)
    return found


def _shares(scores: Floats) -> Floats:
    """The softmax of each row."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = odds / odds.sum(axis=1, keepdims=True)
    return found


def _log_odds(scores: Floats) -> Floats:
    middle = scores - scores.max(axis=1, keepdims=True)
    found: Floats = middle - np.log(np.exp(middle).sum(axis=1, keepdims=True))
    return found
