"""Measure search with short claims, as people type them at a prompt, by judged passages.

A file of judgements has one claim per line of JSON:

    {"claim_id", "gutenberg_id", "work", "claim", "kind", "judged": [{"text", "grade"}, ...]}

with grades 2 (quotable), 1 (supports the claim somewhat) and 0. The packaged graded claims
(claims.graded) have grades 3 (quotable) to 0. `scholar find` ranks the places of the work. A
place matches a judged passage if they share half of the shorter of the two; each passage counts
once. Places that were not judged count as irrelevant; judged@10 is the share that was judged.
scenes@10 is the share of the scenes with relevant passages that the first ten places overlap; a
claim with more than ten scenes counts as one with ten.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.claims.judged import Judged, PassageFinder
from scholar_cli.laboratory.relic import texts as folder_of_texts
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.books.adding.ingest import normalize_sentence
from scholar_indexes.books.formats import sources
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.books.segmentation.sentences import chapter_sentences
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.requests import Mode
from scholar_indexes.retrieval.search import Query, search
from scholar_indexes.storage.passages import PassageTable, SentenceRows
from scholar_indexes.types import Progress, Span, silent

LIMIT = 50
"""The number of places requested for each claim."""

SCENE_GAP = 1_500
"""Characters between relevant passages that separate two scenes."""


@dataclass(frozen=True, slots=True)
class Work:
    """The text of a work, its sentences, and the finder of passages in it."""

    text: str
    spans: tuple[Span, ...]
    chapters: tuple[int, ...]
    finder: PassageFinder


def run(
    claims: Sequence[Judged],
    texts: Path,
    *,
    models: Sequence[str],
    load: Callable[[str], Encoder],
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for lexical search, and for each model in dense and hybrid mode.

    texts is a folder with primary/<gutenberg_id>.txt. Claims about works that are not in it are
    skipped, and say is called with their number. Raises NotThere if none is left, and the errors of
    load.
    """
    by_work: dict[str, list[Judged]] = defaultdict(list)
    for claim in claims:
        by_work[claim.gutenberg_id].append(claim)
    encoders = {model: load(model) for model in models}
    benchmark = _Benchmark(encoders)
    digest = hashlib.sha256(repr(claims).encode())
    for number, raw in folder_of_texts.files(texts, "primary"):
        if number not in by_work:
            continue
        work = read_work(raw, number)
        digest.update(work.text.encode())
        for model in encoders:
            progress(f"{number}, {model}", len(benchmark.figures), len(by_work))
            benchmark.add(work, by_work[number], model)
    measured = len(next(iter(benchmark.figures.values()), {}))
    if not measured:
        raise NotThere(
            f"{texts / 'primary'} contains none of the works; put <gutenberg_id>.txt there"
        )
    if measured < len(claims):
        say(f"{len(claims) - measured} claims are skipped: their works are not in {texts}")
    return benchmark.reports(digest.hexdigest())


def run_library(
    claims: Sequence[Judged],
    library: Library,
    *,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for each mode of search in the library, one work at a time, and one with
    neighbouring answers folded into the better one.

    Unlike `run`, this is what `scholar find` does: people match if they are known in the book.
    Claims about works that are not in the library are skipped, and say is called with their number.
    Raises NotThere if none is left.
    """
    shelf = {stored.book.id: stored for stored in library.books.all()}
    there = [claim for claim in claims if f"pg{claim.gutenberg_id}" in shelf]
    if not there:
        raise NotThere("the library has none of the works; add them: scholar add NUMBER")
    if len(there) < len(claims):
        say(f"{len(claims) - len(there)} claims are skipped: their works are not in the library")
    benchmark = _Benchmark({})
    digest = hashlib.sha256(repr(there).encode())
    finders: dict[str, PassageFinder] = {}
    for done, claim in enumerate(there):
        progress("searching for claims", done, len(there))
        stored = shelf[f"pg{claim.gutenberg_id}"]
        if stored.book.id not in finders:
            finders = {stored.book.id: PassageFinder(library.books.open(stored).text)}
            digest.update(stored.book.sha256.encode())
        benchmark.ask(library, claim, stored.book.id, finders[stored.book.id])
    return benchmark.reports(digest.hexdigest())


class _Benchmark:
    """The figures of every claim by system, and the seconds of every system."""

    def __init__(self, encoders: Mapping[str, Encoder]) -> None:
        self._encoders = encoders
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.figures: defaultdict[str, dict[str, Mapping[str, float]]] = defaultdict(dict)

    def add(self, work: Work, claims: Sequence[Judged], model: str) -> None:
        """Measure the claims about a work in every mode of search."""
        encoder = self._encoders[model]
        with tempfile.TemporaryDirectory(prefix="scholar-bench-") as folder:
            table = _index(work, encoder, Path(folder))
            for mode in Mode:
                name = mode.value if mode is Mode.LEXICAL else f"{mode.value}:{model}"
                start = time.perf_counter()
                for claim in claims:
                    query = Query(claim.claim, mode, n=LIMIT)
                    hits = search(table, lambda: encoder, query)
                    places = [
                        Span(work.spans[hit.place.first].start, work.spans[hit.place.end - 1].end)
                        for hit in hits
                    ]
                    self.figures[name][claim.id] = _measure(places, claim, work.finder)
                self.seconds[name] += time.perf_counter() - start

    def ask(self, library: Library, claim: Judged, book: str, finder: PassageFinder) -> None:
        """Measure a claim about a book of the library in every mode of search."""
        model = library.settings.model
        systems = [
            (mode.value if mode is Mode.LEXICAL else f"{mode.value}:{model}", mode, False)
            for mode in Mode
        ]
        for name, mode, fold in (*systems, (f"folded:{model}", Mode.HYBRID, True)):
            start = time.perf_counter()
            hits = library.find(claim.claim, books=[book], mode=mode.value, n=LIMIT, fold=fold)
            self.seconds[name] += time.perf_counter() - start
            places = [hit.item.passage.span for hit in hits]
            self.figures[name][claim.id] = _measure(places, claim, finder)

    def reports(self, data_sha256: str) -> list[Report]:
        """Return a report per system."""
        return [
            Report(
                "claims",
                "",
                name,
                metrics.average(list(by_claim.values())),
                len(by_claim),
                self.seconds[name],
                name.partition(":")[2],
                data_sha256,
                commit(),
                {"id": list(by_claim), **metrics.columns(list(by_claim.values()))},
            )
            for name, by_claim in self.figures.items()
        ]


def read_work(raw: bytes, number: str) -> Work:
    """Return a work, given its raw text and its number at Project Gutenberg."""
    text = sources.read(raw, number).text
    work_sentences = list(chapter_sentences(text, divide(text)))
    return Work(
        text,
        tuple(sentence.span for sentence in work_sentences),
        tuple(sentence.chapter for sentence in work_sentences),
        PassageFinder(text),
    )


def _index(work: Work, encoder: Encoder, folder: Path) -> PassageTable:
    texts = [span.of(work.text) for span in work.spans]
    vectors, weights = encoder.encode_sentences(
        [normalize_sentence(text) for text in texts], work.chapters
    )
    table = PassageTable(folder / "index", encoder.space, encoder.dimensions)
    table.write(0, [SentenceRows(range(len(texts)), work.chapters, texts, vectors, weights)])
    table.optimize()
    return table


def _measure(places: Sequence[Span], claim: Judged, finder: PassageFinder) -> Mapping[str, float]:
    """Return the figures of the places that a system returns for one claim."""
    judged = finder.grades(claim.passages)
    gains, missed = _match(places, judged)
    relevant = [float(grade) for _, grade in judged if grade]
    retrieved = len(relevant) - sum(grade > 0 for grade in missed)
    is_judged = [float(any(is_match(place, span) for span, _ in judged)) for place in places[:10]]
    return {
        "ndcg@10": metrics.ndcg(gains, 10, relevant),
        "success@3": metrics.success([gain >= claim.best for gain in gains], 3),
        "recall@50": retrieved / len(relevant) if relevant else 0.0,
        "mrr": metrics.reciprocal_rank(gains),
        "judged@10": metrics.mean(is_judged),
        "scenes@10": _scene_share(places[:10], [span for span, grade in judged if grade]),
    }


def _scene_share(places: Sequence[Span], relevant: Sequence[Span]) -> float:
    """Return the share of the scenes with relevant passages that places overlap (scenes@10)."""
    scenes: list[Span] = []
    for span in sorted(relevant):
        if scenes and span.start - scenes[-1].end < SCENE_GAP:
            scenes[-1] = Span(scenes[-1].start, max(span.end, scenes[-1].end))
        else:
            scenes.append(span)
    reached = [
        any(place.start < scene.end and scene.start < place.end for place in places)
        for scene in scenes
    ]
    return sum(reached) / min(len(scenes), 10) if scenes else 0.0


def _match(
    places: Sequence[Span], judged: Sequence[tuple[Span, int]]
) -> tuple[list[float], list[int]]:
    """Return the gain of every place, and the grades of the passages that no place matches.

    A passage counts for the first place that matches it; a place gains the best of its grades.
    """
    unmatched = dict(enumerate(judged))
    gains = []
    for place in places:
        matches = [at for at, (span, _) in unmatched.items() if is_match(place, span)]
        gains.append(float(max((unmatched.pop(at)[1] for at in matches), default=0)))
    return gains, [grade for _, grade in unmatched.values()]


def best_grade(place: Span, judged: Sequence[tuple[Span, int]]) -> int | None:
    """Return the best grade of the judged passages that a place matches; None if there is none."""
    return max((grade for span, grade in judged if is_match(place, span)), default=None)


def is_match(place: Span, passage: Span) -> bool:
    """Return True if a place and a passage share half of the shorter of the two."""
    shared = min(place.end, passage.end) - max(place.start, passage.start)
    return shared >= min(place.end - place.start, passage.end - passage.start) / 2
