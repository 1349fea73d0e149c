"""The ranking systems that bench csfcube compares, by name.

The baselines come from Mysore et al. (2021), Table 3 and appendix C, as far as they can
be rebuilt; the second column has their names:

    random
    words          fabs_cbow200        averaged word vectors of the facet and of the abstract
    words-tfidf    fabs_tfidfcbow200   the same, weighted by tf-idf
    tfidf          fabs_tfidf          words of the facet against words of the abstract
    tfidf-abstract abs_tfidf           words of both abstracts (used to build their pools)
    bm25           fabs_bm25           rank_bm25's, words of the facet against the abstract
    sentence       SentBERT, SimCSE    the best cosine of a sentence of the facet with any
    matches        -                   the mean of the best cosine of each sentence of the facet
    abstract       SPECTER             title and abstract of both, as one text each
    fused          -                   matches and abstract by reciprocal rank
    scholar        -                   the score of `scholar papers similar` (papers.match)

The last five need a model. A system is given texts, the query's sentences, and their facet unless
the query is unlabelled; all it knows of other papers is word frequencies.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from scholar_cli.laboratory import word_vectors
from scholar_cli.laboratory.relic.relic_bm25 import Okapi, tokenize
from scholar_cli.laboratory.relic.relic_systems import Scores, check_finite
from scholar_cli.laboratory.word_vectors import WordVectors
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.errors import UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.papers import match, method_map
from scholar_indexes.papers.method_map import MethodMap
from scholar_indexes.types import FACETS, Facet, Paper, Progress, silent

K1, B = 1.5, 0.75
"""rank_bm25's defaults, which the paper used."""

DAMPING = 60
"""The constant of reciprocal rank fusion (Cormack et al. 2009)."""


@dataclass(frozen=True, slots=True)
class AskedSentences:
    """The sentences of a query that candidates should resemble, as rows of its abstract.

    facet is their label (Definition 1 of the paper), or None if they are given without one
    (Definition 2). For a paper without an abstract there are no rows, and its title is used.
    """

    rows: tuple[int, ...]
    facet: Facet | None

    def of(self, query: Paper) -> tuple[str, ...]:
        """Return the texts of the sentences."""
        return tuple(query.sentences[row] for row in self.rows) or sentences_or_title(query)


Score = Callable[[Paper, AskedSentences, Sequence[Paper]], Scores]
"""A function from a query, its asked sentences and candidates to scores (candidates,); higher is
better."""


@dataclass(frozen=True, slots=True)
class FacetSystem:
    """A scoring function, and the function that encodes papers before it."""

    score: Score
    encode: Callable[[Sequence[Paper], Progress], object] = lambda papers, progress: None
    model: str = ""

    def prepare(self, papers: Sequence[Paper], progress: Progress = silent) -> None:
        """Encode and index the papers, so that the scoring time excludes this."""
        self.encode(papers, progress)
        asked = ask_facet(papers[0], Facet.METHOD)
        self.score(papers[0], asked, papers[:1])  # fills the caches of the collection


def abstract_text(paper: Paper) -> str:
    """Return the abstract as one text, or the title if there is none."""
    return " ".join(sentences_or_title(paper))


def full_text(paper: Paper) -> str:
    """Return title and abstract as one text."""
    return " ".join((paper.title, *paper.sentences))


def sentences_or_title(paper: Paper) -> tuple[str, ...]:
    """Return the sentences of the abstract, or the title if there is none."""
    return paper.sentences or (paper.title,)


def ask_facet(query: Paper, facet: Facet, *, labelled: bool = True) -> AskedSentences:
    """Return the sentences of a facet, or all if none has it, with the facet only if labelled."""
    rows = [row for row, label in enumerate(query.facets) if label == facet]
    asked = tuple(rows or range(len(query.sentences)))
    return AskedSentences(asked, facet if labelled else None)


def text_digest(text: str) -> bytes:
    """Return a hash that orders texts independently of their content."""
    return sha256(text.encode()).digest()


class WordWeights:
    """The tf-idf weights, BM25 scores and word vectors of a collection.

    `text` returns the text of a paper to index.
    """

    def __init__(
        self, papers: Sequence[Paper], text: Callable[[Paper], str] = abstract_text
    ) -> None:
        self._text = text
        # Float sums depend on the order: sort the texts, so that it does not depend on the file.
        self._texts = sorted({text(paper) for paper in papers})
        self._counts: dict[str, Counter[str]] = {}
        self._weights: dict[str, Mapping[str, float]] = {}

    def count_words(self, text: str) -> Counter[str]:
        """Return the number of times each word is in a text, in alphabetical order."""
        if text not in self._counts:
            self._counts[text] = Counter(sorted(tokenize(text)))
        return self._counts[text]

    @cached_property
    def idf(self) -> Mapping[str, float]:
        """The inverse document frequencies of the words of the collection."""
        return word_vectors.inverse_document_frequencies(
            [self.count_words(text) for text in self._texts]
        )

    def tfidf(self, text: str) -> Mapping[str, float]:
        """Return the tf-idf vector of a text, of unit length, over the words of the collection."""
        if text not in self._weights:
            counts = self.count_words(text)
            weights = {word: n * self.idf[word] for word, n in counts.items() if word in self.idf}
            length = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
            self._weights[text] = {word: weight / length for word, weight in weights.items()}
        return self._weights[text]

    def bm25(self, query: str, papers: Sequence[Paper]) -> Scores:
        """Return the BM25 scores (papers,) of papers of the collection for a query."""
        return self._okapi.scores(query)[[self._rows[self._text(paper)] for paper in papers]]

    @cached_property
    def _okapi(self) -> Okapi:
        return Okapi(self._texts, np.arange(len(self._texts)), k1=K1, b=B)

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {text: row for row, text in enumerate(self._texts)}

    @cached_property
    def vectors(self) -> WordVectors:
        """The word vectors trained on the texts of the collection."""
        return WordVectors([tokenize(text) for text in self._texts])

    def average(self, text: str, *, weighted: bool) -> Floats1d:
        """Return the mean of the vectors of a text's words, of unit length."""
        total = self.vectors.add_up(self.tfidf(text) if weighted else self.count_words(text))
        unit: Floats1d = (total / max(float(np.linalg.norm(total)), 1e-9)).astype(np.float32)
        return unit


class EncodedTexts:
    """The vectors of a model, each text encoded once."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Floats1d] = {}

    def of(self, texts: Sequence[str]) -> Floats2d:
        """Return the vectors (texts, d). Raises ScholarError if they are not finite."""
        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = check_finite(self._encoder.encode([text])[0])
        vectors = np.array([self._vectors[text] for text in texts], np.float32)
        return vectors.reshape(-1, self._encoder.dimensions)

    @cached_property
    def method_map(self) -> MethodMap | None:
        """The packaged method map, if it is for this encoder."""
        return method_map.load_packaged(self._encoder.space)

    def prepare(self, texts: Sequence[str], progress: Progress) -> None:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for done, text in enumerate(missing):
            if not done % 100:
                progress("encoding", done, len(missing))
            self.of([text])


def score_random(query: Paper, asked: AskedSentences, candidates: Sequence[Paper]) -> Scores:
    """Return random scores, the same on every run."""
    hashes = [
        text_digest(f"{full_text(query)}\n{asked.facet or asked.rows}\n{full_text(candidate)}")
        for candidate in candidates
    ]
    return np.array([int.from_bytes(digest[:6], "big") for digest in hashes], np.float64)


def score_tfidf(
    query: Paper,
    asked: AskedSentences,
    candidates: Sequence[Paper],
    *,
    words: WordWeights,
    faceted: bool = True,
) -> Scores:
    """Return the cosines of tf-idf vectors, of the facet's sentences or of the query's abstract."""
    query_weights = words.tfidf(" ".join(asked.of(query)) if faceted else abstract_text(query))
    return np.array(
        [_dot(query_weights, words.tfidf(abstract_text(candidate))) for candidate in candidates]
    )


def _dot(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    return math.fsum(left.get(word, 0.0) * value for word, value in right.items())


def score_bm25(
    query: Paper, asked: AskedSentences, candidates: Sequence[Paper], *, words: WordWeights
) -> Scores:
    """Return the BM25 scores of the abstracts for the facet's sentences."""
    return words.bm25(" ".join(asked.of(query)), candidates)


def score_word_vectors(
    query: Paper,
    asked: AskedSentences,
    candidates: Sequence[Paper],
    *,
    words: WordWeights,
    weighted: bool = False,
) -> Scores:
    """Return the cosines of averaged word vectors, of the facet's sentences with abstracts."""
    query_vector = words.average(" ".join(asked.of(query)), weighted=weighted)
    return (
        np.stack(
            [words.average(abstract_text(candidate), weighted=weighted) for candidate in candidates]
        )
        @ query_vector
    )


def score_best_sentence(
    query: Paper, asked: AskedSentences, candidates: Sequence[Paper], *, vectors: EncodedTexts
) -> Scores:
    """Return the highest cosine of a sentence of the facet with a sentence of the abstract."""
    best: Scores = _best_cosines(query, asked, candidates, vectors).max(axis=1)
    return best


def score_mean_best(
    query: Paper, asked: AskedSentences, candidates: Sequence[Paper], *, vectors: EncodedTexts
) -> Scores:
    """Return the mean, over the sentences of the facet, of the highest cosine in the abstract."""
    mean: Scores = _best_cosines(query, asked, candidates, vectors).mean(axis=1)
    return mean


def score_abstract(
    query: Paper, asked: AskedSentences, candidates: Sequence[Paper], *, vectors: EncodedTexts
) -> Scores:
    """Return the cosines of title and abstract, regardless of the facet."""
    scores: Scores = (
        vectors.of([full_text(candidate) for candidate in candidates])
        @ vectors.of([full_text(query)])[0]
    )
    return scores


def score_fused(
    query: Paper, asked: AskedSentences, candidates: Sequence[Paper], *, vectors: EncodedTexts
) -> Scores:
    """Return score_mean_best and score_abstract, combined by reciprocal rank fusion."""
    scorers = (score_mean_best, score_abstract)
    return reciprocal_rank_fusion(
        [scorer(query, asked, candidates, vectors=vectors) for scorer in scorers]
    )


def score_scholar(
    query: Paper,
    asked: AskedSentences,
    candidates: Sequence[Paper],
    *,
    vectors: EncodedTexts,
    words: WordWeights,
) -> Scores:
    """Return the scores of `scholar papers similar`; words index titles and abstracts."""
    query_text = " ".join((query.title, *asked.of(query)))
    rows = asked.rows
    if not query.sentences:
        query = replace(query, sentences=sentences_or_title(query), facets=(Facet.OTHER,))
        rows = (0,)
    lexical = words.bm25(query_text, candidates).astype(np.float32)
    documents = [paper_vectors(candidate, vectors) for candidate in candidates]
    return match.score_candidates(
        paper_vectors(query, vectors),
        rows,
        asked.facet,
        documents,
        lexical,
        vectors.method_map,
    )


def paper_vectors(paper: Paper, vectors: EncodedTexts) -> match.PaperVectors:
    """Return the vectors of a paper for match.score_candidates; without labels, all facets of a
    sentence are equally likely."""
    facets: NDArray[np.integer] | Floats2d
    if paper.sentences and not paper.facets:
        facets = np.full((len(paper.sentences), len(FACETS)), 1 / len(FACETS), np.float32)
    else:
        facets = np.array([FACETS.index(facet) for facet in paper.facets], np.int64)
    title = vectors.of([paper.title])[0] if paper.title else None
    whole = vectors.of([full_text(paper)])[0]
    return match.PaperVectors(vectors.of(paper.sentences), facets, whole, title)


def reciprocal_rank_fusion(rankings: Sequence[Scores]) -> Scores:
    """Return the sum over rankings of 1 / (DAMPING + rank), reciprocal rank fusion (Cormack et
    al. 2009). Ties are ranked in the given order."""
    total = np.zeros(len(rankings[0]))
    for scores in rankings:
        ranks = np.empty(len(scores), np.int64)
        ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
        total += 1 / (DAMPING + ranks)
    return total


def _best_cosines(
    query: Paper, asked: AskedSentences, candidates: Sequence[Paper], vectors: EncodedTexts
) -> Floats2d:
    """Return the highest cosine of each sentence of the facet in each abstract, (candidates,
    sentences)."""
    abstracts = [sentences_or_title(candidate) for candidate in candidates]
    starts = np.cumsum([0, *map(len, abstracts[:-1])])
    cosines = (
        vectors.of([text for sentences in abstracts for text in sentences])
        @ vectors.of(asked.of(query)).T
    )
    best: Floats2d = np.maximum.reduceat(cosines, starts, axis=0)
    return best


def rank_candidates(
    score: Score, query: Paper, asked: AskedSentences, candidates: Mapping[str, Paper]
) -> list[str]:
    """Return the ids of the candidates ranked by their texts only, best first.

    Ties are ordered by a hash of the text, and equal texts by a hash of the id. Raises
    ScholarError if a score is not finite.
    """
    order = sorted(
        candidates,
        key=lambda paper_id: (text_digest(full_text(candidates[paper_id])), text_digest(paper_id)),
    )
    scores = check_finite(score(query, asked, [candidates[paper_id] for paper_id in order]))
    return [order[row] for row in np.argsort(-scores, kind="stable")]


LEXICAL: Mapping[str, Callable[[WordWeights], Score]] = {
    "bm25": lambda words: partial(score_bm25, words=words),
    "tfidf": lambda words: partial(score_tfidf, words=words),
    "tfidf-abstract": lambda words: partial(score_tfidf, words=words, faceted=False),
    "words-tfidf": lambda words: partial(score_word_vectors, words=words, weighted=True),
    "words": lambda words: partial(score_word_vectors, words=words),
    "random": lambda words: score_random,
}

ENCODING: Mapping[str, Callable[[EncodedTexts, WordWeights], Score]] = {
    "scholar": lambda vectors, words: partial(score_scholar, vectors=vectors, words=words),
    "fused": lambda vectors, words: partial(score_fused, vectors=vectors),
    "abstract": lambda vectors, words: partial(score_abstract, vectors=vectors),
    "matches": lambda vectors, words: partial(score_mean_best, vectors=vectors),
    "sentence": lambda vectors, words: partial(score_best_sentence, vectors=vectors),
}
"""Systems that need a model, named fused:<model>; their words are from titles and abstracts."""

SYSTEMS = (*ENCODING, *LEXICAL)


def expand_names(names: Sequence[str], models: Sequence[str]) -> list[str]:
    """Return the names of the systems of a run. A system that needs a model is expanded to one for
    each of models, unless it names its own (fused:model). Raises UsageError for an unknown system
    and for a missing model."""
    expanded = []
    for name in names:
        kind, _, model = name.partition(":")
        if kind not in SYSTEMS or (model and kind not in ENCODING):
            raise UsageError(f"{name!r} is not a system; choose from: {', '.join(SYSTEMS)}")
        own_models = ([model] if model else models) if kind in ENCODING else [""]
        if not own_models:
            raise UsageError(f"the system {kind!r} needs a model; give one: {kind}:MODEL")
        expanded += [f"{kind}:{model}" if model else kind for model in own_models]
    return list(dict.fromkeys(expanded))


def resolve_name(name: str, names: Sequence[str]) -> str:
    """Return the system of a run with a name or of a kind; raise UsageError for none or several."""
    matching = [system for system in names if name in (system, system.partition(":")[0])]
    if name in names:
        return name
    if len(matching) != 1:
        raise UsageError(f"{name!r} is not one system of this run; choose from: {', '.join(names)}")
    return matching[0]


def build_systems(
    names: Sequence[str], papers: Sequence[Paper], load: Callable[[str], Encoder]
) -> dict[str, FacetSystem]:
    """Return the systems of expanded names over the papers of a collection. Each model is loaded
    once; its systems share its vectors."""
    abstract_words, full_words = WordWeights(papers), WordWeights(papers, full_text)
    by_model: dict[str, EncodedTexts] = {}
    systems = {}
    for name in names:
        kind, _, model = name.partition(":")
        if kind in LEXICAL:
            systems[name] = FacetSystem(LEXICAL[kind](abstract_words))
            continue
        if model not in by_model:
            by_model[model] = EncodedTexts(load(model))
        vectors = by_model[model]
        score = ENCODING[kind](vectors, full_words)
        systems[name] = FacetSystem(score, partial(_encode_texts, vectors, kind), model)
    return systems


def _encode_texts(
    vectors: EncodedTexts, kind: str, papers: Sequence[Paper], progress: Progress = silent
) -> None:
    texts = (
        []
        if kind == "abstract"
        else [text for paper in papers for text in sentences_or_title(paper)]
    )
    if kind in ("abstract", "fused", "scholar"):
        texts += [full_text(paper) for paper in papers]
    if kind == "scholar":
        texts += [paper.title for paper in papers if paper.title]
    vectors.prepare(texts, progress)
