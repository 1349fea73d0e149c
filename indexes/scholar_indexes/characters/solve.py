"""Which character a description means, found in the book.

    description -> (passages that answer it) -> whose passages they are -> ranked characters

What is retrieved is weighed by who is there: named, meant by a pronoun, speaking, or near.
Whoever a description names, or describes in its turn ("the sister of the man who elopes"),
is looked for first, and then has to be there too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.characters.wording import name_gender, told_gender
from scholar_indexes.speakers import given_names, mentions
from scholar_indexes.types import Character, Gender, Sentence, Span

if TYPE_CHECKING:
    from scholar_indexes.encoder import Encoder
    from scholar_indexes.speakers.record import Dialogue

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

RULES = 1
"""Counts up when something of Groundwork is found in another way: what was kept by older rules
is then made anew."""

NEAR = 2
"""Sentences on either side of a mention in which its bearer is still near."""

CARRIED = 6
"""Sentences through which a pronoun may mean who was named last."""

SIZES = (1, 3, 7, 17)
"""Sentences of the windows that a description is compared with."""

_PRONOUNS = {
    "he": Gender.MALE, "him": Gender.MALE, "his": Gender.MALE, "himself": Gender.MALE,
    "she": Gender.FEMALE, "her": Gender.FEMALE, "hers": Gender.FEMALE, "herself": Gender.FEMALE,
}  # fmt: skip
_FIRST = frozenset("i me my mine myself".split())
_WORD = re.compile(r"[^\W\d_]+")
_EMBEDDED = re.compile(
    r"(?<=\s)(?:the|an?)\s(?:[^\W\d_][\w'’-]*,?\s){1,7}?"
    r"(?:(?:of|for|by|with|to|from|on|in|about|after|under|through)\s)?(?:who|whom|whose)\b"
)
_GENERIC = frozenset(
    "one person man woman boy girl who whom whose that the a an of to for and in is with by on "
    "his her him she he it at from as has be not are but they their them so only when which "
    "into being after was been having will whether until out up than".split()
)
_ENDINGS = ("ingly", "edly", "ness", "ment", "ings", "ing", "ies", "ied", "ers", "est", "ed",
            "er", "es", "ly", "s", "e", "y")  # fmt: skip


def stem(word: str) -> str:
    """A word without its ending, roughly."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@dataclass(frozen=True, slots=True)
class Reading:
    """A book as it is searched: sentences in order with their chapters and paragraphs (m,),
    unit vectors (m, d), and the lengths these had (m,)."""

    text: str
    spans: Sequence[Span]
    chapters: Ints
    paragraphs: Ints
    vectors: Floats
    weights: Floats

    def __len__(self) -> int:
        return len(self.spans)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody a description may mean, by all names known."""

    name: str
    aliases: tuple[str, ...] = ()
    gender: Gender = Gender.UNKNOWN
    narrator: bool = False


def candidates(names: Sequence[str], cast: Sequence[Character]) -> list[Candidate]:
    """What a book's cast adds to bare names: other names, gender, who tells the story.

    Each of the cast belongs to the name it shares most with, if there is just one and none
    of their words contradict.
    """
    found: dict[int, list[Character]] = {}
    for each in cast:
        fits = [_fit(name, each) for name in names]
        best = max(fits, default=0)
        if best and fits.count(best) == 1:
            found.setdefault(fits.index(best), []).append(each)
    result = []
    for at, name in enumerate(names):
        own, figures = name_gender(name), found.get(at, [])
        known = next((of.gender for of in figures if of.gender is not Gender.UNKNOWN), own)
        aliases = [alias for of in figures for alias in (of.name, *of.aliases)]
        result.append(
            Candidate(
                name, tuple(dict.fromkeys((name, *aliases))),
                known if own is Gender.UNKNOWN else own, any(of.narrator for of in figures),
            )
        )  # fmt: skip
    return result


def _fit(name: str, of: Character) -> int:
    genders = {name_gender(name), of.gender} - {Gender.UNKNOWN}
    if len(genders) > 1:
        return 0
    bare = _bare(name)
    best = 0
    for alias in (of.name, *of.aliases):
        if mentions.words(alias) == mentions.words(name):
            return 6
        other = _bare(alias)
        if not bare or not other:
            continue
        if bare == other:
            best = max(best, 5)
        elif len(bare) > 1 and len(other) > 1:
            if bare[0] == other[0] and bare[-1] == other[-1]:
                best = max(best, 4)
        elif bare[0] == other[0] or given_names.alike(bare[0], other[0]):
            best = max(best, 3)
        elif bare[-1] == other[-1]:
            best = max(best, 2)
    return best


def _bare(name: str) -> tuple[str, ...]:
    return tuple(word for word in mentions.words(name) if word not in mentions.TITLES)


# -- who is where --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Presence:
    """How much each candidate is in each sentence, (c, m) in [0, 1]: named there; meant by
    name or pronoun; saying it; near, in any of these ways."""

    named: Floats
    meant: Floats
    says: Floats
    near: Floats


def presence(reading: Reading, who: Sequence[Candidate], dialogue: Dialogue | None) -> Presence:
    """Where each candidate is in a book; who speaks is known from its dialogue, if there is
    one. Pronouns mean the last one of their gender named within CARRIED sentences."""
    cast = [
        Character(str(at), each.name, tuple(dict.fromkeys((each.name, *each.aliases))), each.gender)
        for at, each in enumerate(who)
    ]
    m, starts = len(reading), np.array([each.start for each in reading.spans], np.int64)
    named = np.zeros((len(who), m), np.float32)
    for mention in mentions.find(reading.text, cast):
        at = int(np.searchsorted(starts, mention.span.start, "right")) - 1
        if at >= 0 and mention.span.start < reading.spans[at].end:
            named[mention.who, at] = 1
    says = np.zeros_like(named)
    spoken = np.zeros(m, np.float32)
    if dialogue is not None:
        _speech(reading, who, dialogue, starts, says, spoken)
    meant = _meant(reading, who, named, spoken)
    around = np.maximum(meant, 0.7 * says)
    near = around.copy()
    for step in range(1, NEAR + 1):
        same = reading.chapters[step:] == reading.chapters[:-step]
        share = np.float32(1 - step / (NEAR + 2)) * same
        near[:, step:] = np.maximum(near[:, step:], around[:, :-step] * share)
        near[:, :-step] = np.maximum(near[:, :-step], around[:, step:] * share)
    return Presence(named, meant, says, near)


def _speech(
    reading: Reading, who: Sequence[Candidate], dialogue: Dialogue, starts: Ints,
    says: Floats, spoken: Floats,
) -> None:  # fmt: skip
    places = {}
    for at, each in enumerate(who):
        known = set(each.aliases)
        for character in dialogue.cast:
            if known.issuperset(character.aliases) or each.name in character.aliases:
                places[character.id] = at
    for quotation, said in zip(dialogue.quotations, dialogue.attributions, strict=True):
        at = places.get(said.speaker.id, -1) if said.speaker else -1
        for piece in quotation.pieces:
            first = max(int(np.searchsorted(starts, piece.start, "right")) - 1, 0)
            end = int(np.searchsorted(starts, piece.end, "left"))
            for row in range(first, end):
                span = reading.spans[row]
                shared = min(span.end, piece.end) - max(span.start, piece.start)
                share = shared / max(span.end - span.start, 1)
                if share > 0:
                    spoken[row] = min(1, spoken[row] + share)
                    if at >= 0:
                        says[at, row] = min(1, says[at, row] + share)


def _meant(reading: Reading, who: Sequence[Candidate], named: Floats, spoken: Floats) -> Floats:
    meant = named.copy()
    last: dict[Gender, tuple[int, int]] = {}
    narrators = [at for at, each in enumerate(who) if each.narrator]
    for row, span in enumerate(reading.spans):
        if row and reading.chapters[row] != reading.chapters[row - 1]:
            last.clear()
        there = np.flatnonzero(named[:, row])
        found = {word.lower() for word in _WORD.findall(span.of(reading.text))}
        if spoken[row] < 0.6:
            for gender in {_PRONOUNS[word] for word in found if word in _PRONOUNS}:
                if gender in last and row - last[gender][1] <= CARRIED:
                    at = last[gender][0]
                    meant[at, row] = max(meant[at, row], 0.6)
                    last[gender] = (at, row) if not len(there) else last[gender]
            if narrators and found & _FIRST:
                meant[narrators, row] = np.maximum(meant[narrators, row], 0.6)
        if spoken[row] < 0.6:
            for at in there:
                genders = (
                    [who[at].gender]
                    if who[at].gender is not Gender.UNKNOWN
                    else [Gender.MALE, Gender.FEMALE]
                )
                for gender in genders:
                    last[gender] = (int(at), row)
    return meant


# -- what answers a description ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """BM25 over windows of three sentences, in stems.

    A term's sentences are rows[edges[t] : edges[t + 1]], one as often as it has the term;
    lengths (m,) are those of the windows, chapters (m,) the sentences' own.
    """

    terms: Mapping[str, int]
    rows: Ints
    edges: Ints
    lengths: Floats
    chapters: Ints

    def scores(self, text: str) -> Floats:
        """A score of each sentence's window, (m,)."""
        m = len(self.lengths)
        mean = float(self.lengths.mean()) if m else 1.0
        total = np.zeros(m, np.float32)
        for each in set(stems(text)):
            if (term := self.terms.get(each)) is None:
                continue
            times = np.zeros(m, np.float32)
            np.add.at(times, self.rows[self.edges[term] : self.edges[term + 1]], 1)
            times = _summed(times, self.chapters)
            having = int((times > 0).sum())
            worth = np.log(1 + (m - having + 0.5) / (having + 0.5))
            size = 0.6 + 0.4 * self.lengths / mean
            total += worth * times / (times + 1.2 * size)
        return total


def counted(reading: Reading) -> Words:
    """The words of a book."""
    terms: dict[str, int] = {}
    rows, cols = [], []
    lengths = np.zeros(len(reading), np.float32)
    for row, span in enumerate(reading.spans):
        found = stems(span.of(reading.text))
        lengths[row] = len(found)
        for each in found:
            cols.append(terms.setdefault(each, len(terms)))
            rows.append(row)
    column = np.array(cols, np.int64)
    return Words(
        terms,
        np.array(rows, np.int64)[np.argsort(column, kind="stable")],
        np.concatenate(([0], np.cumsum(np.bincount(column, minlength=len(terms))))),
        _summed(lengths, reading.chapters),
        reading.chapters,
    )


def stems(text: str) -> list[str]:
    """The stems of the words that say something."""
    found = (each.lower() for each in _WORD.findall(text))
    return [stem(each) for each in found if each not in _GENERIC and len(each) > 2]


def _summed(values: Floats, chapters: Ints) -> Floats:
    total = values.copy()
    same = chapters[1:] == chapters[:-1]
    total[1:] += values[:-1] * same
    total[:-1] += values[1:] * same
    return total


def pooled(reading: Reading, size: int) -> Floats:
    """The unit vector of the window of size sentences around each, (m, d)."""
    total = np.zeros((len(reading) + 1, reading.vectors.shape[1]))
    np.cumsum(reading.vectors * reading.weights[:, None], axis=0, dtype=np.float64, out=total[1:])
    rows = np.arange(len(reading))
    first = np.maximum(rows - size // 2, np.searchsorted(reading.chapters, reading.chapters))
    end = np.minimum(
        rows + size // 2 + 1, np.searchsorted(reading.chapters, reading.chapters, "right")
    )
    sums = total[end] - total[first]
    return (sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)[:, None]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Groundwork:
    """What a solver makes of a book and its candidates before anything is asked; windows are
    unit vectors (m, d) for each of SIZES."""

    presence: Presence
    words: Words
    windows: Mapping[int, Floats]


def groundwork(reading: Reading, who: Sequence[Candidate], dialogue: Dialogue | None) -> Groundwork:
    """Where everybody is, and the words and windows of a book; seconds for a long one."""
    return Groundwork(
        presence(reading, who, dialogue),
        counted(reading),
        {size: pooled(reading, size) for size in SIZES},
    )


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


# -- whom it means -------------------------------------------------------------------------------

FEATURES = (
    "mix near", "mix meant", "mix says", "dense near", "profile meant", "profile says", "gender",
    "together", "not the other", "mix with others", "sharp mix with others", "outer near",
    "outer profile",
)  # fmt: skip

WEIGHTS: tuple[float, ...] = (
    0.210,
    0.332,
    0.176,
    0.223,
    -0.126,
    0.070,
    0.429,
    0.129,
    0.132,
    -0.106,
    0.207,
    0.374,
    0.299,
)

ALONE = 7
"""The first so many features need no others, and resolve the descriptions within one."""

WEIGHTS_ALONE: tuple[float, ...] = (0.605, 0.464, 0.289, 0.283, 0.154, 0.042, 0.580)

LEXICAL_SHARE = 0.8
LEAST = 1e-4
OFTEN = 0.5
"""How much it counts, among everybody in a book, that somebody is named often: the features
are against that, and ten that are offered are not."""

NAMED = -20.0
"""The score of whom a description names: it means somebody else."""

_ANYBODY = (
    "the man who is in the story", "the woman who is in the story", "the person who does this",
    "the friend who comes to the house", "the one whose father is dead",
    "the guest who speaks to somebody",
)  # fmt: skip
"""What descriptions have in common, to be taken from them."""


def read(text: str, sentences: Sequence[Sentence], encoder: Encoder) -> Reading:
    """A book's text and sentences, encoded now; a library has the vectors in its store."""
    from scholar_indexes.ingest import plain

    chapters = [each.chapter for each in sentences]
    vectors, weights = encoder.encode_sentences(
        [plain(each.span.of(text)) for each in sentences], chapters
    )
    return Reading(
        text, [each.span for each in sentences], np.array(chapters, np.int64),
        np.array([each.paragraph for each in sentences], np.int64), vectors, weights,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answers:
    """How well each sentence answers some descriptions, (d, m): by vectors, and with words;
    and the descriptions' own vectors (d, n)."""

    dense: Floats
    mix: Floats
    vectors: Floats


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
        made = kept or groundwork(reading, who, dialogue)
        self.presence, self._words, self._windows = made.presence, made.words, made.windows
        self._cast = [
            Character(str(at), each.name, tuple(dict.fromkeys((each.name, *each.aliases))))
            for at, each in enumerate(who)
        ]
        there = self.presence
        self._base = {
            name: np.log(of.mean(axis=1) + LEAST)
            for name, of in (("near", there.near), ("meant", there.meant), ("says", there.says))
        }

    def scores(self, descriptions: Sequence[str]) -> Floats:
        """The logarithm of how likely each description means each candidate, (d, c)."""
        if not descriptions or not self.who:
            return np.zeros((len(descriptions), len(self.who)), np.float32)
        table = self.features(descriptions) @ np.array(WEIGHTS, np.float32)
        return _log_odds(np.where(self.named(descriptions) > 0, NAMED, table))

    def features(self, descriptions: Sequence[str]) -> Floats:
        """FEATURES of descriptions and candidates, (d, c, f)."""
        told = [taken_apart(each) for each in descriptions]
        answers = self.answers([each.text for each in told])
        outer = self.answers([each.outer for each in told])
        others = self.others(told)
        near, base = self.presence.near, self._base["near"]
        present = others @ near
        has = (others.sum(axis=1) > 0.3)[:, None]
        twice = (near * near).sum(axis=1)
        both = np.maximum(present @ near.T - others * twice, 0) / len(self.reading)
        together = np.log(both + 1e-5) - np.log(present.mean(axis=1, keepdims=True) + 1e-5) - base
        joint = []
        for sharp in (1, 2):
            weights = _shares(sharp * answers.mix)
            with_others = weights * (0.05 + present)
            theirs = np.maximum(with_others @ near.T - others * (weights @ (near * near).T), 0)
            share = theirs / with_others.sum(axis=1, keepdims=True)
            joint.append(np.where(has, np.log(share + LEAST) - base, 0))
        columns = [
            *self._alone(descriptions, answers),
            np.where(has, together, 0),
            np.log(1.02 - np.minimum(others, 1)),
            *joint,
            self._mass(outer.mix, "near", near),
            self._likeness(outer.vectors, self.presence.meant),
        ]
        return np.stack(columns, axis=2).astype(np.float32)

    def features_alone(self, descriptions: Sequence[str]) -> Floats:
        """The first ALONE of FEATURES, (d, c, ALONE)."""
        columns = self._alone(descriptions, self.answers(descriptions))
        return np.stack(columns, axis=2).astype(np.float32)

    def answers(self, descriptions: Sequence[str]) -> Answers:
        """What in the book answers descriptions."""
        as_claims = self._encoder.encode_claims(descriptions)
        plain = self._encoder.encode(descriptions)
        windows = self._windows
        cosines = {size: _standard(as_claims @ windows[size].T) for size in SIZES}
        dense = cosines[1] + cosines[3] + _standard(plain @ windows[3].T)
        dense = _standard(dense + 0.7 * (cosines[7] + cosines[17]))
        lexical = _standard(np.array([self._words.scores(each) for each in descriptions]))
        return Answers(dense, _standard(dense + LEXICAL_SHARE * lexical), as_claims)

    def named(self, descriptions: Sequence[str]) -> Floats:
        """Whom descriptions name, (d, c) of nought and one."""
        found = np.zeros((len(descriptions), len(self.who)), np.float32)
        for row, each in enumerate(descriptions):
            for mention in mentions.find(each, self._cast):
                found[row, mention.who] = 1
        return found

    def others(self, told: Sequence[Told]) -> Floats:
        """How likely each candidate is somebody else in a description, (d, c): named there, or
        described in their turn."""
        found = self.named([each.text for each in told])
        within = list(dict.fromkeys(inner for each in told for inner in each.inner))
        if within:
            table = self.features_alone(within) @ np.array(WEIGHTS_ALONE, np.float32)
            likely = _shares(np.where(self.named(within) > 0, NAMED, table))
            place = {each: at for at, each in enumerate(within)}
            for row, each in enumerate(told):
                for inner in each.inner:
                    found[row] = np.maximum(found[row], likely[place[inner]])
        return found

    def _alone(self, descriptions: Sequence[str], answers: Answers) -> list[Floats]:
        there = self.presence
        told = [told_gender(each) for each in descriptions]
        agree = [[_agreement(one, each.gender) for each in self.who] for one in told]
        return [
            self._mass(answers.mix, "near", there.near),
            self._mass(answers.mix, "meant", there.meant),
            self._mass(answers.mix, "says", there.says),
            self._mass(answers.dense, "near", there.near),
            self._likeness(answers.vectors, there.meant),
            self._likeness(answers.vectors, there.says),
            np.array(agree, np.float32),
        ]

    def _mass(self, scores: Floats, name: str, there: Floats) -> Floats:
        """The share of what answers that is where each candidate is, against the candidate's
        share of the book, as a logarithm (d, c)."""
        found: Floats = np.log(_shares(scores) @ there.T + LEAST) - self._base[name]
        return found

    def _likeness(self, vectors: Floats, there: Floats) -> Floats:
        """Ten cosines of descriptions and what is typical of where each candidate is, (d, c)."""
        windows = self._windows[3]
        profile = there @ windows / (there.sum(axis=1, keepdims=True) + 1) - windows.mean(axis=0)
        profile /= np.linalg.norm(profile, axis=1, keepdims=True) + 1e-6
        found: Floats = 10 * (vectors - self._anybody) @ profile.T
        return found

    @cached_property
    def _anybody(self) -> Floats:
        mean: Floats = self._encoder.encode_claims(_ANYBODY).mean(axis=0)
        return mean


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


def _shares(scores: Floats) -> Floats:
    """The softmax of each row."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = odds / odds.sum(axis=1, keepdims=True)
    return found


def _log_odds(scores: Floats) -> Floats:
    middle = scores - scores.max(axis=1, keepdims=True)
    found: Floats = middle - np.log(np.exp(middle).sum(axis=1, keepdims=True))
    return found
