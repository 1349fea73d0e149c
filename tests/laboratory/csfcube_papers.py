"""Small collections in CSFCube's form, and runs of the benchmark on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scholar_cli.laboratory.csfcube import csfcube_bench as csfcube
from scholar_cli.laboratory.csfcube import csfcube_systems
from scholar_cli.laboratory.relic.relic_bm25 import tokenize
from scholar_cli.laboratory.report import Report
from scholar_indexes.arrays import Floats2d
from scholar_indexes.types import Facet, Paper
from sentence_encoders import SentenceEncoder

DATA = Path(__file__).parents[1] / "data"
"""Twelve abstracts; seven queries each have judgements of all the others."""


FILES = ("papers.jsonl", "annotations.jsonl")
Line = dict[str, Any]


class CountingHashes(SentenceEncoder):
    """An encoder whose cosines grow with the number of shared words."""

    space = "hashing"
    dimensions = 256

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Floats2d:
        self.texts += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in tokenize(text):
                row[
                    int.from_bytes(csfcube_systems.text_digest(word)[:2], "big") % self.dimensions
                ] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def lines(name: str) -> list[Line]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def folder(at: Path, papers: Iterable[Line], annotations: Iterable[Line]) -> Path:
    at.mkdir(parents=True, exist_ok=True)
    for name, listed in zip(FILES, (papers, annotations), strict=True):
        text = "".join(json.dumps(line) + "\n" for line in listed)
        (at / name).write_text(text, "utf-8")
    return at


def measured(data: Path = DATA, **changes: Any) -> Mapping[str, Report]:
    """Return the reports of a run by split and system."""
    options: dict[str, Any] = {
        "models": ["hashing"],
        "load": lambda name: CountingHashes(),
        **changes,
    }
    return {
        f"{report.split} {report.system}": report
        for report in csfcube.run_benchmark(data, **options)
    }


def rankings(out: Path, data: Path = DATA, **changes: Any) -> dict[tuple[str, str], list[str]]:
    measured(data, out=out, **changes)
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert all(record.keys() == {"query_id", "facet", "ranking"} for record in records)
    return {(record["query_id"], record["facet"]): record["ranking"] for record in records}


SENTENCE = {"facet": "method", "text": "We sort."}
PAPER = {"paper_id": "1", "title": "Sorting", "year": 1962, "abstract": [SENTENCE]}
OTHER = {**PAPER, "paper_id": "2", "title": "Merging"}
PAIR = {"query_id": "1", "facet": "method", "candidate_id": "2", "relevance": 3}


def paper(*sentences: str, title: str = "", facets: str = "") -> Paper:
    """Return a paper of method sentences, or of the facets given by their first letters."""
    by_letter = {facet.value[0]: facet for facet in Facet}
    labels = tuple(by_letter[letter] for letter in facets) or (Facet.METHOD,) * len(sentences)
    return Paper("", title, sentences, labels)
