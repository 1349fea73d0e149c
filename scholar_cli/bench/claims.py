"""Short claims, as people type them at a prompt, and passages that were judged for them.

A file of judgements has one claim in a line of JSON:

    {"claim_id", "gutenberg_id", "work", "claim", "kind", "judged": [{"text", "grade"}, ...]}

with grades 2 (one would quote it), 1 (it supports the claim somewhat) and 0. Places are
those `scholar find` itself hands out for the work. One counts as a judged passage with
which it shares half of the shorter of the two, and each passage counts once; a place
that was not judged counts as irrelevant, and judged@10 says how many were.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.bench import metrics
from scholar_cli.bench.report import Report, commit
from scholar_cli.train import texts as folder_of_texts
from scholar_indexes.books import sources
from scholar_indexes.books.chapters import divide
from scholar_indexes.books.passages import sentences
from scholar_indexes.encoder import Encoder
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.ingest import plain
from scholar_indexes.search import Mode, Question, search
from scholar_indexes.store import Rows, Store
from scholar_indexes.types import Progress, Span, silent

LIMIT = 50
"""Places that are looked at."""

BEST = 2
"""The best grade."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim about a work, and passages of it with their grades."""

    id: str
    gutenberg_id: str
    claim: str
    passages: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """A work's text, where its sentences are, and where a passage stands in it."""

    text: str
    spans: tuple[Span, ...]
    chapters: tuple[int, ...]
    letters: str
    places: tuple[int, ...]

    def find(self, passage: str) -> Span | None:
        """Where a passage stands, letters and digits alone compared."""
        wanted = "".join(each.lower() for each in passage if each.isalnum())
        at = self.letters.find(wanted)
        if at < 0 or not wanted:
            return None
        return Span(self.places[at], self.places[at + len(wanted) - 1] + 1)


def read(path: Path) -> list[Judged]:
    """The claims of a file; raises NotThere, or UsageError naming the line that is wrong."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; name a file of judged claims") from None
    except (OSError, ValueError) as refusal:
        raise UsageError(f"{path} cannot be read as UTF-8 text; save it anew") from refusal
    found = []
    for number, line in enumerate(lines, 1):
        try:
            each = json.loads(line)
            passages = tuple((str(one["text"]), int(one["grade"])) for one in each["judged"])
            found.append(
                Judged(
                    str(each["claim_id"]), str(each["gutenberg_id"]), str(each["claim"]), passages
                )
            )
        except (ValueError, KeyError, TypeError) as broken:
            raise UsageError(
                f"{path}, line {number}: no judged claim ({broken}); mend it"
            ) from None
    if not found:
        raise UsageError(f"{path} has no claims; write at least one")
    return found


def run(
    data: Path,
    texts: Path,
    *,
    models: Sequence[str],
    load: Callable[[str], Encoder],
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> list[Report]:
    """A report for the words alone, and for each model by meaning and by both.

    texts is a folder with primary/<gutenberg_id>.txt. Claims about works that are not in
    it are left out, and say is told. Raises NotThere where that leaves none, and what
    read and load raise.
    """
    judged = read(data)
    by_work: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        by_work[each.gutenberg_id].append(each)
    encoders = {model: load(model) for model in models}
    gains: dict[str, dict[str, Mapping[str, float]]] = defaultdict(dict)
    seconds: dict[str, float] = defaultdict(float)
    digest = hashlib.sha256(data.read_bytes())
    for number, raw in folder_of_texts.files(texts, "primary"):
        if number not in by_work:
            continue
        work = _work(raw, number)
        digest.update(work.text.encode())
        for model, encoder in encoders.items():
            progress(f"{number}, {model}", len(gains), len(by_work))
            with tempfile.TemporaryDirectory(prefix="scholar-bench-") as folder:
                store = _stored(work, encoder, Path(folder))
                for mode in Mode:
                    name = mode.value if mode is Mode.LEXICAL else f"{mode.value}:{model}"
                    start = time.perf_counter()
                    for each in by_work[number]:
                        gains[name][each.id] = _measured(work, store, encoder, mode, each)
                    seconds[name] += time.perf_counter() - start
    there = next(iter(gains.values()), {})
    if not there:
        raise NotThere(f"{texts / 'primary'} holds none of the works; put <gutenberg_id>.txt there")
    if len(there) < len(judged):
        say(f"{len(judged) - len(there)} claims are left out: their works are not in {texts}")
    return [
        Report("claims", "", name, _figures(list(each.values())), len(each), seconds[name],
               name.partition(":")[2], digest.hexdigest(), commit())
        for name, each in gains.items()
    ]  # fmt: skip


def _work(raw: bytes, number: str) -> _Work:
    text = sources.read(raw, number).text
    found = list(sentences(text, divide(text)))
    places = tuple(at for at, each in enumerate(text) if each.isalnum())
    return _Work(
        text, tuple(each.span for each in found), tuple(each.chapter for each in found),
        "".join(text[at].lower()[:1] for at in places), places,
    )  # fmt: skip


def _stored(work: _Work, encoder: Encoder, folder: Path) -> Store:
    texts = [span.of(work.text) for span in work.spans]
    vectors, weights = encoder.encode_sentences([plain(each) for each in texts], work.chapters)
    store = Store(folder / "index", encoder.space, encoder.dimensions)
    store.write(0, [Rows(range(len(texts)), work.chapters, texts, vectors, weights)])
    store.tend()
    return store


def _measured(
    work: _Work, store: Store, encoder: Encoder, mode: Mode, judged: Judged
) -> Mapping[str, float]:
    """The figures of one claim in one system."""
    answers = search(store, lambda: encoder, Question(judged.claim, mode, n=LIMIT))
    places = [Span(work.spans[each.first].start, work.spans[each.end - 1].end) for each in answers]
    spans = [(span, grade) for text, grade in judged.passages if (span := work.find(text))]
    left = dict(enumerate(spans))
    gains, known = [], []
    for place in places:
        meant = [at for at, (span, _) in left.items() if is_it(place, span)]
        gains.append(float(max((left[at][1] for at in meant), default=0)))
        known.append(float(any(is_it(place, span) for span, _ in spans)))
        for at in meant:
            del left[at]
    relevant = [float(grade) for _, grade in spans if grade]
    found = len(relevant) - sum(grade > 0 for _, grade in left.values())
    return {
        "ndcg@10": metrics.ndcg(gains, 10, relevant),
        "success@3": metrics.success([gain >= BEST for gain in gains], 3),
        "recall@50": found / len(relevant) if relevant else 0.0,
        "mrr": metrics.reciprocal_rank(gains),
        "judged@10": metrics.mean(known[:10]),
    }


def is_it(place: Span, passage: Span) -> bool:
    """Whether a place is a passage: they share half of the shorter of the two."""
    shared = min(place.end, passage.end) - max(place.start, passage.start)
    return shared >= min(place.end - place.start, passage.end - passage.start) / 2


def _figures(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name in rows[0]:
        interval = metrics.bootstrap([row[name] for row in rows])
        figures |= {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
    return figures
