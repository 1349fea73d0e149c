"""RELiC's other systems: the library's BM25, averaged words, late interaction, a cross-encoder."""

from __future__ import annotations

import lzma
import re
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scholar_cli.laboratory.relic import relic_bench as relic
from scholar_cli.laboratory.relic import relic_systems
from scholar_cli.laboratory.relic.late_interaction import TokenIndex, sum_of_best
from scholar_cli.laboratory.relic.relic_bm25 import LibraryOkapi, Okapi
from scholar_cli.laboratory.relic.relic_data import QuotationWindow, QuotedWork, write
from scholar_cli.laboratory.relic.relic_systems import ClaimBatch, nearest_words
from scholar_cli.laboratory.relic.searched_work import SearchedWork, WordAverages
from scholar_cli.laboratory.report import Report
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.errors import ConfigError, UsageError
from scholar_indexes.models.encoder import Encoder, MeanPooled
from scholar_indexes.retrieval.second_stage import PassageInContext, Reranker
from sentence_encoders import SentenceEncoder

SENTENCES = (
    "the ship left the harbour",
    "rain fell on the house",
    "the widow wept",
    "a ship went to sea",
    "the harbour was left behind",
    "she read the letter",
)
LETTER = 5


class LengthAngles(SentenceEncoder):
    """An encoder whose cosines depend only on the lengths of texts."""

    space, dimensions = "lengths", 2

    def encode(self, texts: Sequence[str]) -> Floats2d:
        angles = np.array([len(text) / 100 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


class Shortest:
    """Re-ranks the first two passages by brevity, regardless of the first stage."""

    depth = 2

    def __init__(self) -> None:
        self.read: list[tuple[str, Sequence[PassageInContext]]] = []

    def score(self, claim: str, passages: Sequence[PassageInContext]) -> Floats1d:
        self.read.append((claim, passages))
        return np.array([-100.0 * len(passage.text) for passage in passages], np.float32)


def one_hot_words() -> MeanPooled:
    """Return an encoder that gives each word its own direction, regardless of position."""
    numbers: dict[str, int] = {}

    def tokenize(texts: Sequence[str]) -> list[list[int]]:
        return [
            [numbers.setdefault(word, len(numbers) + 2) for word in text.split()] for text in texts
        ]

    def run(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        return np.eye(64, dtype=np.float32)[ids]

    return MeanPooled(run, tokenize, space="words", dimensions=64, marks=(0, 1), max_tokens=64)


def work(sentences: Sequence[str] = SENTENCES, size: int = 1) -> QuotedWork:
    return QuotedWork(
        "The Ship", tuple(sentences), (), {size: (*range(len(sentences) - size + 1),)}
    )


def scored(
    name: str,
    claim: str,
    encoder: Encoder | None = None,
    reranker: Reranker | None = None,
    size: int = 1,
) -> Floats1d:
    """Return the scores of the passages of SENTENCES for a claim."""
    searched = SearchedWork(
        work(size=size), {"m": encoder} if encoder else {}, WordAverages([work()] * 3)
    )
    searched.select_size(size)
    names, systems = relic_systems.select_systems([name], ["m"])
    scores: Floats1d = ClaimBatch(searched, [claim], systems, reranker).scores(names[0])[0]
    return scores


def folder(path: Path) -> Path:
    """Write a split of two works that quote one sentence each."""
    windows = (QuotationWindow("q", ("the widow and the letter",), LETTER, 1, ()),)
    candidates = {1: (*range(len(SENTENCES)),)}
    works = [QuotedWork(title, SENTENCES, windows, candidates) for title in ("The Ship", "Rain")]
    write(path, "test", works)
    return path


def measured(path: Path, *systems: str, **options: object) -> dict[str, Report]:
    reports = relic.run(
        path,
        split="test",
        systems=systems,
        models=["m"],
        load=lambda name: LengthAngles(),
        contexts=[(1, 0)],
        **options,  # type: ignore[arg-type]
    )
    return {report.system: report for report in reports}


def real_sentences(count: int) -> list[str]:
    """Return the first sentences of a bundled novel, roughly split."""
    packed = resources.files("scholar_indexes.books.samples").joinpath("pg1342.txt.xz")
    text = " ".join(lzma.decompress(packed.read_bytes()).decode().split())
    body = text[text.index("It is a truth universally acknowledged") :]
    return re.split(r"(?<=[.!?;])\s+", body[: 400 * count])[:count]


def test_without_the_package_its_system_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rank_bm25", None)
    with pytest.raises(ConfigError, match=r"pip install 'scholar-cli\[lab\]'"):
        scored("rank_bm25", "the letter")


def test_a_cross_encoder_is_needed_for_its_system(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name one with --rerank"):
        measured(folder(tmp_path), "cross")


def test_a_work_outside_the_split_is_refused_with_a_list_of_its_works(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="no work of test matches 'Emma'; choose from: The Ship; Rain"
    ):
        measured(folder(tmp_path), "bm25", work="Emma")


def test_a_run_may_be_of_some_works_alone(tmp_path: Path) -> None:
    assert measured(folder(tmp_path), "bm25")["bm25"].n == 2
    assert measured(folder(tmp_path), "bm25", work="the SHIP")["bm25"].n == 1


@pytest.mark.parametrize("size", [1, 3])
def test_our_bm25_ranks_real_passages_as_the_library_does(size: int) -> None:
    pytest.importorskip("rank_bm25", reason="it comes with the extra [lab]")
    sentences = real_sentences(300)
    starts = np.arange(len(sentences) - size + 1)
    ours, theirs = Okapi(sentences, starts, size), LibraryOkapi(sentences, starts, size)
    claims = [
        "Mrs. Bennet wants a rich husband for one of her daughters: [MASK] Her nerves suffer.",
        "Darcy's pride is first seen at the ball, where he declines to dance [MASK]",
        *(f"{sentences[row]} [MASK] {sentences[row + 2]}" for row in range(0, 280, 40)),
    ]
    for claim in claims:
        mine, library = ours.scores(claim), theirs.scores(claim)
        assert mine == pytest.approx(library, rel=1e-9, abs=1e-9)
        order, expected = (
            np.argsort(-scores.round(9), kind="stable").tolist() for scores in (mine, library)
        )
        assert order == expected
        assert mine.max() > 0


def test_the_library_is_a_system_without_a_proxy_task_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("rank_bm25", reason="it comes with the extra [lab]")
    reports = measured(folder(tmp_path), "bm25", "rank_bm25")
    figures, own = reports["rank_bm25"].metrics, reports["bm25"].metrics
    assert {name: figures[name] for name in ("mean_rank", "recall@1", "recall@3")} == {
        name: own[name] for name in ("mean_rank", "recall@1", "recall@3")
    }
    assert not any("proxy" in name for name in reports["rank_bm25"].metrics)


@pytest.mark.parametrize("name", ["words", "words-tfidf"])
def test_averaged_words_find_the_passage_with_the_words_of_the_claim(name: str) -> None:
    scores = scored(name, "read a letter [MASK]")
    assert int(scores.argmax()) == LETTER
    assert scores.max() <= 1 + 1e-6


def test_rarity_makes_the_common_words_of_a_claim_count_less() -> None:
    claim = "the the the letter"
    common = SENTENCES.index("the widow wept")
    plain, weighted = scored("words", claim), scored("words-tfidf", claim)
    assert plain[LETTER] - plain[common] < weighted[LETTER] - weighted[common]


def test_words_that_nobody_taught_are_like_nothing() -> None:
    assert scored("words", "[MASK] zeugma").tolist() == [0.0] * len(SENTENCES)


def test_late_interaction_counts_the_tokens_of_the_claim_that_a_passage_has() -> None:
    assert scored("late", "the harbour [MASK] was left", one_hot_words()).tolist() == pytest.approx(
        [3, 1, 1, 0, 4, 1]
    )
    both = scored("late", "widow ship", one_hot_words(), size=2)
    assert both.tolist() == pytest.approx([1, 1, 2, 1, 0])


def test_an_encoder_without_tokens_has_one_for_each_sentence() -> None:
    scores = scored("late", SENTENCES[LETTER], LengthAngles())
    assert scores[LETTER] == pytest.approx(1, abs=1e-3)


def test_a_sentence_without_tokens_is_like_nothing_and_stays_in_its_place() -> None:
    index = TokenIndex(["ship", "", "sea"], one_hot_words())
    (best,) = index.best_cosines(["ship sea"])
    assert best.tolist() == [[1, -1, 0], [0, -1, 1]]
    assert sum_of_best(best, np.array([0, 1]), 2).tolist() == [0 + 1, 0 + 1]


def test_a_cross_encoder_reranks_the_best_and_leaves_the_others_in_order() -> None:
    claim = "the widow [MASK] left the letter"
    first = np.argsort(-scored("hybrid", claim, LengthAngles())).tolist()
    reader = Shortest()
    then = np.argsort(-scored("cross", claim, LengthAngles(), reader)).tolist()
    assert then[:2] == sorted(first[:2], key=lambda row: len(SENTENCES[row]))
    assert then[2:] == first[2:]
    ((read, passages),) = reader.read
    assert read == "the widow left the letter"
    for passage in passages:
        row = SENTENCES.index(passage.text)
        assert passage.before == " ".join(SENTENCES[max(0, row - 2) : row])
        assert passage.after == " ".join(SENTENCES[row + 1 : row + 3])


@pytest.mark.parametrize(
    ("claim", "read"),
    [
        pytest.param("a b c [MASK] d e f", "b c d e", id="half of either side"),
        pytest.param("a b c d e [MASK] f", "c d e f", id="what the right leaves is the left's"),
        pytest.param("[MASK] a b c d e", "a b c d", id="nothing before it"),
        pytest.param("a b c d e", "b c d e", id="no mask at the end"),
        pytest.param("a [MASK]", "a", id="short"),
        pytest.param("[MASK]", "", id="nothing"),
    ],
)
def test_a_cross_encoder_reads_the_words_that_are_nearest(claim: str, read: str) -> None:
    assert nearest_words(claim, 4) == read
