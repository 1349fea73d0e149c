"""Score windows of works for claims by a large reader, for small models to learn from.

    claims about a work -> the windows nearest to each by an encoder -> scores -> scores.jsonl

A line is written as soon as a claim is done, and a run that was stopped continues after the last.
scored.py has the form.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_cli.laboratory.claims import graded, written
from scholar_cli.laboratory.claims.reranker.scored import ScoredWork
from scholar_cli.laboratory.relic.texts import LiteraryWork
from scholar_indexes.books.adding.ingest import normalize_sentence
from scholar_indexes.books.formats import sources
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.guarded import parse_json
from scholar_indexes.models.cross_encoder import CrossEncoder
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.requests import Mode
from scholar_indexes.retrieval.search import Query, search
from scholar_indexes.storage.passages import PassageTable, SentenceRows
from scholar_indexes.types import Progress, silent

POOL = 48
"""Windows of a work that are scored for each claim."""


@dataclass(frozen=True, slots=True)
class ClaimToScore:
    """A claim about a work, with its key in a file of scores; `own` is the window that it was
    written for, sentences [first, end)."""

    key: tuple[str, str | int]
    claim: str
    own: tuple[int, int] | None

    @property
    def record(self) -> dict[str, Any]:
        """The beginning of its line."""
        source, name = self.key
        return {"source": source, "number" if source == "written" else "id": name}


def run(
    texts: Path,
    out: Path,
    encoder: Encoder,
    reader: CrossEncoder,
    progress: Progress = silent,
) -> int:
    """Score the windows of the works in texts/primary for claims of train; return how many claims
    the file has.

    Raises UsageError for an out that is no file of scores, and NoMatch without works.
    """
    done = _done(out)
    claims = {claim.gutenberg_id for claim in graded.load() if claim.part == graded.TRAIN}
    numbers = [
        number
        for number in sorted({*claims, *written.load()})
        if (texts / "primary" / f"{number}.txt").is_file()
    ]
    if not numbers:
        raise NoMatch(f"{texts}/primary has no works that claims were written about")
    with out.open("a", encoding="utf-8") as file:
        for at, number in enumerate(numbers):
            progress("scoring works", at, len(numbers))
            path = texts / "primary" / f"{number}.txt"
            source = sources.read(path.read_bytes(), str(number))
            work = LiteraryWork(str(number), source.title, source.author, "", source.text)
            left = [one for one in _claims(number, work) if (number, *one.key) not in done]
            for claim, windows in _score(work, left, encoder, reader):
                line = {"gutenberg_id": number, **claim.record, "windows": windows}
                file.write(json.dumps(line) + "\n")
                file.flush()
                done.add((number, *claim.key))
    return len(done)


def _done(out: Path) -> set[tuple[int, str, str | int]]:
    """Return the claims that a file has; a line that was cut off by a stop is taken out of it."""
    done: set[tuple[int, str, str | int]] = set()
    whole = 0
    with suppress(FileNotFoundError), out.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                record = parse_json(line.decode("utf-8"))
                name = record["number" if record["source"] == "written" else "id"]
                done.add((record["gutenberg_id"], record["source"], name))
            except (ValueError, KeyError, TypeError) as broken:
                raise UsageError(f"{out} is no file of scores ({broken}); give another") from None
            whole += len(line)
    if done:
        with out.open("rb+") as file:
            file.truncate(whole)
    return done


def _claims(number: int, work: LiteraryWork) -> Iterator[ClaimToScore]:
    """Yield the claims about a work: claims of written passages, and graded claims of train."""
    texts = [work.text[start:end] for _, start, end in work.sentences.tolist()]
    for at, window in enumerate(written.windows(number, texts)):
        if not window.right:
            own = (window.start, window.start + window.size)
            yield ClaimToScore(("written", at), " ".join(window.left), own)
    for claim in graded.load():
        if claim.gutenberg_id == number and claim.part == graded.TRAIN:
            yield ClaimToScore(("graded", claim.id), claim.claim, None)


def _score(
    work: LiteraryWork, claims: Sequence[ClaimToScore], encoder: Encoder, reader: CrossEncoder
) -> Iterator[tuple[ClaimToScore, list[tuple[int, int, float]]]]:
    """Yield claims with windows: the first sentence, the size and the score of each."""
    if not claims:
        return
    sentences = work.sentences
    texts = [normalize_sentence(work.text[start:end]) for _, start, end in sentences.tolist()]
    chapters = sentences[:, 0].tolist()
    in_context = ScoredWork(work.text, sentences, reader.context)
    with tempfile.TemporaryDirectory(prefix="scholar-scores-") as folder:
        vectors, weights = encoder.encode_sentences(texts, chapters)
        table = PassageTable(Path(folder) / "index", encoder.space, encoder.dimensions)
        table.write(0, [SentenceRows(range(len(texts)), chapters, texts, vectors, weights)])
        table.optimize()
        for claim in claims:
            hits = search(table, lambda: encoder, Query(claim.claim, Mode.DENSE, n=POOL))
            places = [(hit.place.first, hit.place.end) for hit in hits]
            if claim.own and claim.own not in places:
                places.append(claim.own)
            passages = [in_context.passage(*place) for place in places]
            scores = (reader.score(claim.claim, passages) / reader.weight).tolist()
            yield (
                claim,
                [
                    (first, end - first, round(score, 2))
                    for (first, end), score in zip(places, scores, strict=True)
                ],
            )
