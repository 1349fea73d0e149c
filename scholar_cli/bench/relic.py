"""RELiC's Table 3: which of all the passages of a work is the missing quotation?

Thai et al. (2022), section 3. A claim is a critic's sentences around [MASK]; its
candidates are all passages of the work with as many sentences as the quotation. Every
system scores all of them, higher is better; systems are put together from the
product's own pieces, so a figure here is about them.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scholar_cli.bench import metrics, relic_form
from scholar_cli.bench.relic_form import CONTEXT, LONGEST, Window, Work
from scholar_cli.bench.report import Report, Value, commit
from scholar_indexes.encoder import MASK, Encoder
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.ranking import (
    NEIGHBOUR_SHARE,
    REACH,
    Floats,
    Floats1d,
    Floats2d,
    Ints1d,
    blend,
)
from scholar_indexes.types import Progress, silent

CUTS = (1, 3, 5, 10, 50, 100)
"""Table 3 has recall at these ranks."""

Context = tuple[int, int]
"""Sentences before and after the quotation that make a claim."""

CONTEXTS: tuple[Context, ...] = ((0, 1), (0, 4), (1, 0), (4, 0), (1, 1), (4, 4))

SYSTEMS = ("random", "bm25", "dense", "hybrid")
ENCODING = ("dense", "hybrid")
"""Systems that there are one of for every model, as dense:<model>."""

K1, B, EPSILON = 0.5, 0.9, 0.25
"""BM25 as RELiC tuned it; epsilon is rank_bm25's own."""

RIVALS = 2
"""Wrong answers in the proxy task."""

BATCH = 128
"""Claims scored at a time: bounds memory whatever the number of quotations."""

Scores = Floats


class Okapi:
    """BM25 of passages, in the ATIRE variant of rank_bm25 (BM25Okapi), whose scores these are.

    A passage is size texts that follow one another, from each of starts. Passages of
    equal words have equal scores, to the last bit.
    """

    def __init__(
        self, texts: Sequence[str], starts: Ints1d, size: int = 1, *, k1: float = K1, b: float = B
    ) -> None:
        self._terms: dict[str, int] = {}
        read = [[self._terms.setdefault(word, len(self._terms)) for word in bag(text)]
                for text in texts]  # fmt: skip
        edges = np.cumsum([0, *map(len, read)])
        words = np.array([word for text in read for word in text], np.int64)
        lengths = edges[starts + size] - edges[starts]
        passage = np.repeat(np.arange(len(starts)), lengths)
        within = np.arange(len(passage)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        term = words[np.repeat(edges[starts], lengths) + within]
        both, times = np.unique(term * len(starts) + passage, return_counts=True)
        term, self._passage = np.divmod(both, max(len(starts), 1))
        having = np.bincount(term, minlength=len(self._terms))
        self._edges = np.concatenate(([0], np.cumsum(having)))
        share = lengths[self._passage] / max(float(lengths.mean()) if len(starts) else 0.0, 1e-9)
        worth = _idf(having, len(starts))[term]
        self._gains = worth * times * (k1 + 1) / (times + k1 * (1 - b + b * share))
        self._passages = len(starts)

    def scores(self, claim: str) -> NDArray[np.float64]:
        """The score of each passage for a claim, a word counting as often as it is there."""
        total = np.zeros(self._passages)
        for word, times in Counter(bag(MASK.sub(" ", claim))).items():
            if (term := self._terms.get(word)) is not None:
                those = slice(self._edges[term], self._edges[term + 1])
                total[self._passage[those]] += times * self._gains[those]
        return total


def _idf(having: Ints1d, passages: int) -> NDArray[np.float64]:
    """log((N - n + 0.5) / (n + 0.5)); where that is negative, a quarter of the mean of all."""
    idf: NDArray[np.float64] = np.log(passages - having + 0.5) - np.log(having + 0.5)
    known = having > 0
    if known.any():
        idf[idf < 0] = EPSILON * idf[known].mean()
    return idf


def bag(text: str) -> list[str]:
    """The words of a text in lower case."""
    return re.findall(r"[^\W_]+", text.lower())


class Rank(NamedTuple):
    """How many candidates score better than the quotation, and how many just as well, with
    itself. What scores the same is in no order, so all figures are what to expect of chance."""

    better: int
    equal: int

    @property
    def mean(self) -> float:
        """Halfway between the best and the worst rank there could be."""
        return self.better + (self.equal + 1) / 2

    def recall(self, k: int) -> float:
        """How likely the quotation is to be among the first k."""
        return min(max((k - self.better) / self.equal, 0.0), 1.0)


def ranked(scores: Scores, gold: int) -> Rank:
    """Where the candidate numbered gold stands."""
    return Rank(int((scores > scores[gold]).sum()), int((scores == scores[gold]).sum()))


def rivals(scores: Scores, gold: int, text: Callable[[int], str]) -> list[int]:
    """The best other candidates; of those that score the same, the hash of their text chooses."""
    others = np.delete(np.arange(len(scores)), gold)
    if len(others) > RIVALS:
        least = np.partition(scores[others], -RIVALS)[-RIVALS]
        others = others[scores[others] >= least]

    def place(candidate: int) -> tuple[float, bytes, int]:
        return -scores[candidate], sha256(text(candidate).encode()).digest(), candidate

    return sorted(map(int, others), key=place)[:RIVALS]


class Searched:
    """A work that is being searched; what was made of it is kept, but of one length only."""

    def __init__(self, work: Work, encoders: Mapping[str, Encoder]) -> None:
        self.work = work
        self.encoders = encoders
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.size = 0
        self._sentences: dict[str, tuple[Floats2d, Floats1d]] = {}
        self._passages: dict[str, Floats2d] = {}
        self._neighbourhoods: dict[str, Floats2d] = {}
        self._okapi: Okapi | None = None

    def turn_to(self, size: int) -> None:
        """Make passages of so many sentences the candidates."""
        self.size = size
        self._passages.clear()
        self._okapi = None

    @property
    def starts(self) -> Ints1d:
        return np.array(self.work.candidates[self.size], np.int64)

    def okapi(self) -> Okapi:
        if self._okapi is None:
            start = time.perf_counter()
            self._okapi = Okapi(self.work.sentences, self.starts, self.size)
            self.seconds["bm25"] += time.perf_counter() - start
        return self._okapi

    def passages(self, model: str) -> Floats2d:
        """A unit vector per candidate, put together from its sentences."""
        if model not in self._passages:
            start = time.perf_counter()
            ends = self.starts + self.size
            self._passages[model] = pooled(*self._encoded(model), self.starts, ends)
            self.seconds[f"dense:{model}"] += time.perf_counter() - start
        return self._passages[model]

    def neighbourhoods(self, model: str) -> Floats2d:
        """A unit vector per sentence, of what stands around it."""
        if model not in self._neighbourhoods:
            rows = np.arange(len(self.work.sentences))
            first, end = np.maximum(rows - REACH, 0), np.minimum(rows + REACH + 1, len(rows))
            self._neighbourhoods[model] = pooled(*self._encoded(model), first, end)
        return self._neighbourhoods[model]

    def _encoded(self, model: str) -> tuple[Floats2d, Floats1d]:
        if model not in self._sentences:
            texts = self.work.sentences
            self._sentences[model] = self.encoders[model].encode_sentences(texts, [0] * len(texts))
        return self._sentences[model]


def pooled(vectors: Floats2d, weights: Floats1d, starts: Ints1d, ends: Ints1d) -> Floats2d:
    """The unit vectors of which ranking takes the cosines, for many claims."""
    total = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum(vectors * weights[:, None], axis=0, dtype=np.float64, out=total[1:])
    sums = total[ends] - total[starts]
    units: Floats2d = sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)[:, None]
    return units.astype(np.float32)


@dataclass(slots=True)
class Asked:
    """Claims about quotations of one length, and what systems make of the candidates."""

    searched: Searched
    claims: Sequence[str]
    systems: Mapping[str, System]
    seconds: dict[str, float] = field(default_factory=dict)
    _kept: dict[str, Scores] = field(default_factory=dict)
    _vectors: dict[str, Floats2d] = field(default_factory=dict)

    def vectors(self, model: str) -> Floats2d:
        """The claims are encoded as `find` does it, one at a time: what an int8 model makes of
        a text depends a little on what stands beside it."""
        if model not in self._vectors:
            encode = self.searched.encoders[model].encode_claims
            self._vectors[model] = np.concatenate([encode([claim]) for claim in self.claims])
        return self._vectors[model]

    def scores(self, name: str) -> Scores:
        """(claims, candidates). A system's seconds count what it is put together from."""
        if name not in self._kept:
            system = self.systems[name]
            for part in system.parts:
                self.scores(part)
            start = time.perf_counter()
            self._kept[name] = system.score(self)
            spent = time.perf_counter() - start
            self.seconds[name] = spent + sum(self.seconds[part] for part in system.parts)
        return self._kept[name]


@dataclass(frozen=True, slots=True)
class System:
    """How candidates are scored, from the scores of which others, and what it must prepare."""

    score: Callable[[Asked], Scores]
    parts: tuple[str, ...] = ()
    prepare: Callable[[Searched], object] = lambda searched: None
    model: str = ""


def chance(asked: Asked) -> Scores:
    """All the same, so that every figure is the one to expect of a random order."""
    return np.zeros((len(asked.claims), len(asked.searched.starts)))


def bm25(asked: Asked) -> Scores:
    """RELiC's baseline over all candidates of a length."""
    return np.stack([asked.searched.okapi().scores(claim) for claim in asked.claims])


def dense(asked: Asked, *, model: str) -> Scores:
    """Cosines with the passages alone, as the paper ranks."""
    return finite(asked.vectors(model) @ asked.searched.passages(model).T)


def finite(scores: Scores) -> Scores:
    """Scores that can be ranked; raises ScholarError where a model gives no numbers."""
    if not np.isfinite(scores).all():
        raise ScholarError("the model's vectors are not numbers; train it again, or choose another")
    return scores


def hybrid(asked: Asked, *, model: str) -> Scores:
    """What `find` ranks by: passages, what stands around them, and their words."""
    searched = asked.searched
    around = asked.vectors(model) @ searched.neighbourhoods(model).T
    total = np.concatenate([np.zeros((len(around), 1)), np.cumsum(around, axis=1)], axis=1)
    mean = (total[:, searched.starts + searched.size] - total[:, searched.starts]) / searched.size
    near = (1 - NEIGHBOUR_SHARE) * asked.scores(f"dense:{model}") + NEIGHBOUR_SHARE * mean
    return blend(near, asked.scores("bm25"))


def _systems(wanted: Sequence[str], models: Sequence[str]) -> tuple[list[str], dict[str, System]]:
    """The names to report, and all the systems these are put together from."""
    names = []
    for each in wanted:
        kind, _, model = each.partition(":")
        if kind not in SYSTEMS or (model and kind not in ENCODING):
            raise UsageError(f"there is no system {each!r}; choose from: {', '.join(SYSTEMS)}")
        its = ([model] if model else models) if kind in ENCODING else [""]
        names += [f"{kind}:{one}" if one else kind for one in its]
    names = list(dict.fromkeys(names))
    systems = {
        "random": System(chance),
        "bm25": System(bm25, prepare=Searched.okapi),
    }
    for model in dict.fromkeys(name.partition(":")[2] for name in names if ":" in name):
        systems[f"dense:{model}"] = System(
            partial(dense, model=model), (), partial(Searched.passages, model=model), model
        )
        systems[f"hybrid:{model}"] = System(
            partial(hybrid, model=model), (f"dense:{model}", "bm25"), model=model
        )
    return names, systems


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a system did on one quotation."""

    size: int
    candidates: int
    rank: Rank
    proxy: float


def run(
    data: Path,
    *,
    split: str = "val",
    systems: Sequence[str] = SYSTEMS,
    models: Sequence[str] = (),
    load: Callable[[str], Encoder],
    contexts: Sequence[Context] = CONTEXTS,
    by_length: bool = False,
    paired_with: str = "",
    progress: Progress = silent,
) -> list[Report]:
    """A report per context and system, and with by_length one per length of quotation too.

    systems are of SYSTEMS; those that encode stand for one of each of models, and may
    name theirs (dense:model). load finds a model. paired_with is the name of a system
    of this run that the others are compared with, quotation by quotation. Raises
    UsageError for a system, split or context that is none, NoMatch for a split without
    quotations, and what relic_form.read and load raise.
    """
    names, known = _systems(systems, models)
    against = _named(paired_with, names) if paired_with else ""
    for left, right in contexts:
        if not (0 <= left <= CONTEXT and 0 <= right <= CONTEXT and left + right):
            raise UsageError(f"{left}/{right} is no context; give two numbers of 0 to {CONTEXT}")
    works = relic_form.read(data, split)
    if not any(work.windows for work in works):
        raise NoMatch(f"{data / split}.json quotes nothing; choose another split or mine more")
    encoders = {model: load(model) for model in dict.fromkeys(known[name].model for name in names)
                if model}  # fmt: skip
    measured = _Measured(names, known)
    for done, work in enumerate(works):
        progress(work.title, done, len(works))
        measured.add(work, encoders, contexts)
    return measured.reports(split, relic_form.sha256(works), by_length, against)


def context(text: str) -> Context:
    """The context that 4/4 means; raises UsageError for what means none."""
    if not (found := re.fullmatch(r"(\d)/(\d)", text.strip())):
        raise UsageError(f"{text!r} is no context; write LEFT/RIGHT sentences, such as 4/4")
    return int(found[1]), int(found[2])


class _Measured:
    """Outcomes by context and system, the quotations always in the same order."""

    def __init__(self, names: Sequence[str], systems: Mapping[str, System]) -> None:
        self._names = names
        self._systems = systems
        self._outcomes: dict[tuple[Context, str], list[Outcome]] = {}
        self._seconds: defaultdict[tuple[Context, str, int], float] = defaultdict(float)
        self._prepared: defaultdict[str, float] = defaultdict(float)

    def add(self, work: Work, encoders: Mapping[str, Encoder], contexts: Sequence[Context]) -> None:
        searched = Searched(work, encoders)
        for size in sorted({each.size for each in work.windows}):
            windows = [each for each in work.windows if each.size == size]
            searched.turn_to(size)
            for name in self._names:
                for part in (name, *self._systems[name].parts):
                    self._systems[part].prepare(searched)  # its time is a cost of its own
            gold = [work.candidates[size].index(each.start) for each in windows]
            for first in range(0, len(windows), BATCH):
                some = slice(first, first + BATCH)
                choices = _choices(searched, windows[some], gold[some])
                for edges in contexts:
                    claims = [each.claim(*edges) for each in windows[some]]
                    asked = Asked(searched, claims, self._systems)
                    for name in self._names:
                        self._note(edges, name, asked, gold[some], choices)
        for name in self._names:
            parts = self._systems[name].parts or (name,)
            self._prepared[name] += sum(searched.seconds[part] for part in parts)

    def _note(
        self,
        edges: Context,
        name: str,
        asked: Asked,
        gold: Sequence[int],
        choices: Sequence[Sequence[int]],
    ) -> None:
        outcomes = self._outcomes.setdefault((edges, name), [])
        for scores, right, offered in zip(asked.scores(name), gold, choices, strict=True):
            proxy = ranked(scores[[right, *offered]], 0).recall(1)
            rank = ranked(scores, right)
            outcomes.append(Outcome(asked.searched.size, len(scores), rank, proxy))
        for size in (0, asked.searched.size):
            self._seconds[edges, name, size] += asked.seconds[name]

    def reports(self, split: str, data_sha256: str, by_length: bool, against: str) -> list[Report]:
        reports = []
        for (edges, name), outcomes in self._outcomes.items():
            others = self._outcomes[edges, against] if against not in ("", name) else None
            for size in range(LONGEST + 1) if by_length else (0,):  # 0 stands for all
                those = [at for at, each in enumerate(outcomes) if size in (0, each.size)]
                if not those:
                    continue
                chosen = [outcomes[at] for at in those]
                figures = measures(chosen, proxy=name != "bm25")
                if others is not None:
                    figures |= compared(chosen, [others[at] for at in those])
                if not size:
                    figures["prepare_s"] = self._prepared[name]
                reports.append(
                    Report(
                        f"relic {edges[0]}/{edges[1]}" + (f" n={size}" if size else ""),
                        split, name, figures, len(chosen), self._seconds[edges, name, size],
                        self._systems[name].model, data_sha256, commit(),
                    )
                )  # fmt: skip
        return reports


def _choices(searched: Searched, windows: Sequence[Window], gold: Sequence[int]) -> list[list[int]]:
    """The wrong answers of the proxy task: BM25's first, given all of the context.

    They are the same for every system and context, as people were given them.
    """
    starts = searched.work.candidates[searched.size]

    def text(candidate: int) -> str:
        return searched.work.text(starts[candidate], searched.size)

    return [
        rivals(searched.okapi().scores(each.claim(CONTEXT, CONTEXT)), right, text)
        for each, right in zip(windows, gold, strict=True)
    ]


def measures(outcomes: Sequence[Outcome], *, proxy: bool = True) -> dict[str, float]:
    """The columns of Table 3, shares from 0 to 1. Without proxy for BM25, whose own first
    answers are the wrong ones there."""
    figures: dict[str, float] = {}
    for k in CUTS:
        figures |= _bounded(f"recall@{k}", metrics.bootstrap(_recalls(outcomes, k)))
    figures["mean_rank"] = metrics.mean([each.rank.mean for each in outcomes])
    figures["candidates"] = metrics.mean([each.candidates for each in outcomes])
    if proxy:
        figures |= _bounded("proxy", metrics.bootstrap([each.proxy for each in outcomes]))
    return figures


def compared(outcomes: Sequence[Outcome], others: Sequence[Outcome]) -> dict[str, float]:
    """gain@k over the others with its interval, and touch@k: 1 where the two intervals of
    recall@k themselves touch."""
    figures: dict[str, float] = {}
    for k in CUTS:
        mine, theirs = _recalls(outcomes, k), _recalls(others, k)
        own, other = metrics.bootstrap(mine), metrics.bootstrap(theirs)
        figures |= _bounded(f"gain@{k}", metrics.difference(mine, theirs))
        figures[f"touch@{k}"] = float(own.low <= other.high and other.low <= own.high)
    return figures


def row(report: Report) -> dict[str, Value]:
    """A report as Table 3 has it: percent, bounds in brackets, a gain marked where the
    intervals are apart."""
    had = report.metrics

    def percent(name: str, sign: str = "") -> str:
        low, high = (f"{100 * had[f'{name}_{end}']:.1f}" for end in ("low", "high"))
        return f"{100 * had[name]:{sign}.1f} ({low} to {high})"

    cells: dict[str, Value] = {
        "L/R": report.bench.removeprefix("relic "), "system": report.system,
        **{f"R@{k}": percent(f"recall@{k}") for k in CUTS},
        "rank": round(had["mean_rank"], 1), "of": round(had["candidates"], 1),
        "proxy": percent("proxy") if "proxy" in had else "",
        "n": report.n, "seconds": round(report.seconds, 1),
    }  # fmt: skip
    for k in CUTS:
        if f"gain@{k}" in had:
            apart = "touch" if had[f"touch@{k}"] else "apart"
            cells[f"gain@{k}"] = f"{percent(f'gain@{k}', '+')}, {apart}"
    return cells


def _named(name: str, names: Sequence[str]) -> str:
    """The system of a run that is meant by its name or, where there is but one, its kind."""
    meant = [each for each in names if name in (each, each.partition(":")[0])]
    if name in names:
        return name
    if len(meant) != 1:
        raise UsageError(f"{name!r} is not one system of this run; choose from: {', '.join(names)}")
    return meant[0]


def _recalls(outcomes: Sequence[Outcome], k: int) -> list[float]:
    return [each.rank.recall(k) for each in outcomes]


def _bounded(name: str, interval: metrics.Interval) -> dict[str, float]:
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
