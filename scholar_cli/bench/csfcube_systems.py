"""The systems that rank papers alike in one respect, by name, as bench csfcube compares them.

The baselines are those of Mysore et al. (2021), Table 3 and appendix C, as far as they can
be built here; theirs are named beside them:

    random
    words          fabs_cbow200        averaged word vectors of the facet and of the abstract
    words-tfidf    fabs_tfidfcbow200   the same, weighted by tf-idf
    tfidf          fabs_tfidf          words of the facet against those of the abstract
    tfidf-abstract abs_tfidf           words of both abstracts (it made their pools)
    bm25           fabs_bm25           rank_bm25's, words of the facet against the abstract
    sentence       SentBERT, SimCSE    the best cosine of any sentence of the facet with any
    matches        -                   the mean over the facet's sentences of their best one
    abstract       SPECTER             title and abstract of both, as one text each
    fused          -                   matches and abstract by reciprocal rank
    scholar        -                   what `scholar papers similar` scores by (papers.match)

Those from sentence down are of a model. A system is given texts and facets and nothing
else; all it knows of other papers is how often words are in them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256

import numpy as np

from scholar_cli.bench import word_vectors
from scholar_cli.bench.relic import Okapi, Scores, bag, finite
from scholar_indexes.encoder import Encoder
from scholar_indexes.errors import UsageError
from scholar_indexes.papers import match
from scholar_indexes.ranking import Floats1d, Floats2d
from scholar_indexes.types import Facet, Paper, Progress, silent

K1, B = 1.5, 0.75
"""BM25 as rank_bm25 has it by default, which the paper took."""

DAMPING = 60
"""Reciprocal rank fusion's constant (Cormack et al. 2009)."""

Score = Callable[[Paper, Facet, Sequence[Paper]], Scores]
"""A query, what is meant of it and candidates to one number each, (candidates,); higher is
better."""


@dataclass(frozen=True, slots=True)
class System:
    """How candidates are scored, and what it has to make of papers before that."""

    score: Score
    encode: Callable[[Sequence[Paper], Progress], object] = lambda papers, progress: None
    model: str = ""

    def prepare(self, papers: Sequence[Paper], progress: Progress = silent) -> None:
        """Make what scoring these papers needs, so that its time is not the scoring's."""
        self.encode(papers, progress)
        self.score(papers[0], Facet.METHOD, papers[:1])  # what is made of the collection, once


def abstract(paper: Paper) -> str:
    """The abstract as one text; the title where there is none."""
    return " ".join(sentences(paper))


def titled(paper: Paper) -> str:
    """Title and abstract as one text."""
    return " ".join((paper.title, *paper.sentences))


def sentences(paper: Paper) -> tuple[str, ...]:
    """The sentences of the abstract; the title where there is none."""
    return paper.sentences or (paper.title,)


def asked_rows(paper: Paper, facet: Facet) -> list[int]:
    """The places of a facet's sentences in the abstract; of all where none has it."""
    rows = [row for row, its in enumerate(paper.facets) if its == facet]
    return rows or [*range(len(paper.sentences))]


def asked(paper: Paper, facet: Facet) -> tuple[str, ...]:
    """The sentences of a facet, as asked_rows has them; the title where there is no abstract."""
    return tuple(paper.sentences[row] for row in asked_rows(paper, facet)) or sentences(paper)


def digest(text: str) -> bytes:
    """What puts texts in an order that says nothing."""
    return sha256(text.encode()).digest()


class Words:
    """What words are worth in a collection, of whose papers text gives what is read."""

    def __init__(self, papers: Sequence[Paper], text: Callable[[Paper], str] = abstract) -> None:
        self._text = text
        # Sums of floats depend on their order: it follows from the texts and not from the file.
        self._texts = sorted({text(each) for each in papers})
        self._counts: dict[str, Counter[str]] = {}
        self._weights: dict[str, Mapping[str, float]] = {}

    def counted(self, text: str) -> Counter[str]:
        """How often each word is in a text, in the order of the alphabet."""
        if text not in self._counts:
            self._counts[text] = Counter(sorted(bag(text)))
        return self._counts[text]

    @cached_property
    def worth(self) -> Mapping[str, float]:
        """The inverse document frequency, ln((1 + n) / (1 + n of the word)) + 1."""
        having = Counter(word for text in self._texts for word in self.counted(text))
        return {word: math.log((1 + len(self._texts)) / (1 + n)) + 1 for word, n in having.items()}

    def weighed(self, text: str) -> Mapping[str, float]:
        """The tf-idf of each word that the collection knows, of unit length."""
        if text not in self._weights:
            counts = self.counted(text)
            found = {word: n * self.worth[word] for word, n in counts.items() if word in self.worth}
            length = math.sqrt(math.fsum(each * each for each in found.values())) or 1.0
            self._weights[text] = {word: each / length for word, each in found.items()}
        return self._weights[text]

    def bm25(self, wanted: str, papers: Sequence[Paper]) -> Scores:
        """What papers of the collection score for some words, (papers,)."""
        return self._okapi.scores(wanted)[[self._places[self._text(each)] for each in papers]]

    @cached_property
    def _okapi(self) -> Okapi:
        return Okapi(self._texts, np.arange(len(self._texts)), k1=K1, b=B)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {text: place for place, text in enumerate(self._texts)}

    @cached_property
    def vectors(self) -> tuple[Mapping[str, int], Floats2d]:
        return word_vectors.learnt([bag(text) for text in self._texts])

    def average(self, text: str, *, weighed: bool) -> Floats1d:
        """The mean of the vectors of a text's words, of unit length."""
        rows, vectors = self.vectors
        total = np.zeros(vectors.shape[1])
        for word, n in (self.weighed(text) if weighed else self.counted(text)).items():
            if word in rows:
                total += n * vectors[rows[word]]
        unit: Floats1d = (total / max(float(np.linalg.norm(total)), 1e-9)).astype(np.float32)
        return unit


class Vectors:
    """A model's vectors of texts, each encoded by itself and once: what an int8 model makes of
    a text depends a little on what stands beside it."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._kept: dict[str, Floats1d] = {}

    def of(self, texts: Sequence[str]) -> Floats2d:
        """(texts, d). Raises ScholarError where the model gives no numbers."""
        for each in texts:
            if each not in self._kept:
                self._kept[each] = finite(self._encoder.encode([each])[0])
        found = np.array([self._kept[each] for each in texts], np.float32)
        return found.reshape(-1, self._encoder.dimensions)

    def prepare(self, texts: Sequence[str], progress: Progress) -> None:
        missing = [each for each in dict.fromkeys(texts) if each not in self._kept]
        for done, each in enumerate(missing):
            if not done % 100:
                progress("encoding", done, len(missing))
            self.of([each])


def chance(query: Paper, facet: Facet, candidates: Sequence[Paper]) -> Scores:
    """An order that says nothing, the same every time."""
    hashes = [digest(f"{titled(query)}\n{facet}\n{titled(each)}") for each in candidates]
    return np.array([int.from_bytes(each[:6], "big") for each in hashes], np.float64)


def tfidf(
    query: Paper, facet: Facet, candidates: Sequence[Paper], *, words: Words, faceted: bool = True
) -> Scores:
    """Cosines of tf-idf, of the facet's sentences or the query's whole abstract."""
    wanted = words.weighed(" ".join(asked(query, facet)) if faceted else abstract(query))
    return np.array([_dot(wanted, words.weighed(abstract(each))) for each in candidates])


def _dot(some: Mapping[str, float], others: Mapping[str, float]) -> float:
    return math.fsum(some.get(word, 0.0) * value for word, value in others.items())


def bm25(query: Paper, facet: Facet, candidates: Sequence[Paper], *, words: Words) -> Scores:
    """BM25 of the facet's sentences, over the abstracts of the collection."""
    return words.bm25(" ".join(asked(query, facet)), candidates)


def averaged(
    query: Paper, facet: Facet, candidates: Sequence[Paper], *, words: Words, weighed: bool = False
) -> Scores:
    """Cosines of averaged word vectors, of the facet's sentences with abstracts."""
    wanted = words.average(" ".join(asked(query, facet)), weighed=weighed)
    return (
        np.stack([words.average(abstract(each), weighed=weighed) for each in candidates]) @ wanted
    )


def sentence(
    query: Paper, facet: Facet, candidates: Sequence[Paper], *, vectors: Vectors
) -> Scores:
    """The highest cosine of a sentence of the facet with a sentence of the abstract."""
    best: Scores = _best(query, facet, candidates, vectors).max(axis=1)
    return best


def matches(query: Paper, facet: Facet, candidates: Sequence[Paper], *, vectors: Vectors) -> Scores:
    """The highest cosine that each sentence of the facet has in the abstract, averaged."""
    mean: Scores = _best(query, facet, candidates, vectors).mean(axis=1)
    return mean


def alike(query: Paper, facet: Facet, candidates: Sequence[Paper], *, vectors: Vectors) -> Scores:
    """Cosines of title and abstract, whatever the facet."""
    scores: Scores = (
        vectors.of([titled(each) for each in candidates]) @ vectors.of([titled(query)])[0]
    )
    return scores


def fused(query: Paper, facet: Facet, candidates: Sequence[Paper], *, vectors: Vectors) -> Scores:
    """What matches and alike agree on."""
    both = (matches, alike)
    return reciprocal([each(query, facet, candidates, vectors=vectors) for each in both])


def scholar(
    query: Paper, facet: Facet, candidates: Sequence[Paper], *, vectors: Vectors, words: Words
) -> Scores:
    """The product's scores; words are those of titles and abstracts."""
    if not query.sentences:  # something must be asked for, and the title is all there is
        query = replace(query, sentences=sentences(query), facets=(Facet.OTHER,))
    wanted = " ".join((query.title, *asked(query, facet)))
    lexical = words.bm25(wanted, candidates).astype(np.float32)
    documents = [document(each, vectors) for each in candidates]
    return match.scores(
        document(query, vectors), asked_rows(query, facet), facet, documents, lexical
    )


def document(paper: Paper, vectors: Vectors) -> match.Document:
    """A paper as the product scores it."""
    facets = np.array([match.FACETS.index(each) for each in paper.facets], np.int64)
    title = vectors.of([paper.title])[0] if paper.title else None
    whole = vectors.of([titled(paper)])[0]
    return match.Document(vectors.of(paper.sentences), facets, whole, title)


def reciprocal(rankings: Sequence[Scores]) -> Scores:
    """The sum over rankings of 1 / (DAMPING + rank): reciprocal rank fusion (Cormack et al.
    2009). Equal scores have ranks in the order given."""
    total = np.zeros(len(rankings[0]))
    for scores in rankings:
        ranks = np.empty(len(scores), np.int64)
        ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
        total += 1 / (DAMPING + ranks)
    return total


def _best(query: Paper, facet: Facet, candidates: Sequence[Paper], vectors: Vectors) -> Floats2d:
    """The highest cosine of each sentence of the facet in each abstract: (candidates, those)."""
    listed = [sentences(each) for each in candidates]
    starts = np.cumsum([0, *map(len, listed[:-1])])
    cosines = (
        vectors.of([text for each in listed for text in each]) @ vectors.of(asked(query, facet)).T
    )
    best: Floats2d = np.maximum.reduceat(cosines, starts, axis=0)
    return best


def ranked(score: Score, query: Paper, facet: Facet, candidates: Mapping[str, Paper]) -> list[str]:
    """The ids of the candidates, best first, by their texts alone.

    Equal scores are ordered by a hash of the text, and equal texts by a hash of the id.
    Raises ScholarError where a score is no number.
    """
    order = sorted(candidates, key=lambda each: (digest(titled(candidates[each])), digest(each)))
    scores = finite(score(query, facet, [candidates[each] for each in order]))
    return [order[place] for place in np.argsort(-scores, kind="stable")]


LEXICAL: Mapping[str, Callable[[Words], Score]] = {
    "bm25": lambda words: partial(bm25, words=words),
    "tfidf": lambda words: partial(tfidf, words=words),
    "tfidf-abstract": lambda words: partial(tfidf, words=words, faceted=False),
    "words-tfidf": lambda words: partial(averaged, words=words, weighed=True),
    "words": lambda words: partial(averaged, words=words),
    "random": lambda words: chance,
}

ENCODING: Mapping[str, Callable[[Vectors, Words], Score]] = {
    "scholar": lambda vectors, words: partial(scholar, vectors=vectors, words=words),
    "fused": lambda vectors, words: partial(fused, vectors=vectors),
    "abstract": lambda vectors, words: partial(alike, vectors=vectors),
    "matches": lambda vectors, words: partial(matches, vectors=vectors),
    "sentence": lambda vectors, words: partial(sentence, vectors=vectors),
}
"""Systems that there are one of for every model, as fused:<model>, with the words of titles and
abstracts."""

SYSTEMS = (*ENCODING, *LEXICAL)


def named(wanted: Sequence[str], models: Sequence[str]) -> list[str]:
    """The systems of a run: those that encode stand for one of each of models, and may name
    theirs (fused:model). Raises UsageError for one that is none or has no model."""
    names = []
    for each in wanted:
        kind, _, model = each.partition(":")
        if kind not in SYSTEMS or (model and kind not in ENCODING):
            raise UsageError(f"there is no system {each!r}; choose from: {', '.join(SYSTEMS)}")
        its = ([model] if model else models) if kind in ENCODING else [""]
        if not its:
            raise UsageError(f"the system {kind!r} needs a model; name one: {kind}:MODEL")
        names += [f"{kind}:{one}" if one else kind for one in its]
    return list(dict.fromkeys(names))


def meant(name: str, names: Sequence[str]) -> str:
    """The one system of a run that is meant by its name or its kind; raises UsageError."""
    found = [each for each in names if name in (each, each.partition(":")[0])]
    if name in names:
        return name
    if len(found) != 1:
        raise UsageError(f"{name!r} is not one system of this run; choose from: {', '.join(names)}")
    return found[0]


def built(
    names: Sequence[str], papers: Sequence[Paper], load: Callable[[str], Encoder]
) -> dict[str, System]:
    """The systems of names as named gives them, over a collection's papers. load finds each
    model once; systems of one model share its vectors."""
    of_abstracts, of_both = Words(papers), Words(papers, titled)
    by_model: dict[str, Vectors] = {}
    systems = {}
    for name in names:
        kind, _, model = name.partition(":")
        if kind in LEXICAL:
            systems[name] = System(LEXICAL[kind](of_abstracts))
            continue
        if model not in by_model:
            by_model[model] = Vectors(load(model))
        vectors = by_model[model]
        score = ENCODING[kind](vectors, of_both)
        systems[name] = System(score, partial(_encoded, vectors, kind), model)
    return systems


def _encoded(
    vectors: Vectors, kind: str, papers: Sequence[Paper], progress: Progress = silent
) -> None:
    texts = [] if kind == "abstract" else [text for each in papers for text in sentences(each)]
    if kind in ("abstract", "fused", "scholar"):
        texts += [titled(each) for each in papers]
    if kind == "scholar":
        texts += [each.title for each in papers if each.title]
    vectors.prepare(texts, progress)
