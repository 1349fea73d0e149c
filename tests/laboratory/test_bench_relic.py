"""RELiC's Table 3: refused input, ranks by hand, its BM25 against the library's, the command."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import CommandResult, error_line, succeeded
from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.relic import outcomes, relic_bm25
from scholar_cli.laboratory.relic import relic_bench as relic
from scholar_cli.laboratory.relic.outcomes import QuotationOutcome, TiedRank
from scholar_cli.laboratory.relic.relic_bm25 import Okapi
from scholar_cli.laboratory.relic.searched_work import pool_sentences
from scholar_cli.laboratory.report import Report
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.blending import blend_scores
from scholar_indexes.claims import MASK
from scholar_indexes.errors import NoMatch, NotThere, ScholarError, UsageError
from scholar_indexes.retrieval import ranking
from scholar_indexes.settings import DEFAULT_MODEL

WORDS = ("lamp", "harbour", "widow", "letter", "orchard")


class Counting:
    """An encoder whose vectors count WORDS, so that cosines can be computed by hand."""

    space = "counting"
    dimensions = len(WORDS)

    def __init__(self) -> None:
        self.claims: list[str] = []
        self.batches: list[int] = []

    def encode(self, texts: Sequence[str]) -> Floats2d:
        return self.encode_sentences(texts, [0] * len(texts))[0]

    def encode_claims(self, claims: Sequence[str]) -> Floats2d:
        self.claims += claims
        self.batches.append(len(claims))
        return self.encode([MASK.sub(" ", claim) for claim in claims])

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[Floats2d, Floats1d]:
        counts = np.array(
            [[sentence.split().count(word) for word in WORDS] for sentence in sentences]
        )
        lengths = np.linalg.norm(counts, axis=1).astype(np.float32)
        return (counts / np.maximum(lengths, 1e-9)[:, None]).astype(np.float32), lengths


SENTENCES = ["lamp lamp", "harbour", "lamp harbour", "widow", "letter", "orchard orchard"]
QUOTES: dict[str, list[Any]] = {
    "second of six": [["orchard", "lamp"], 2, 1, ["widow"]],
    "one of four that tie": [["lamp"], 1, 1, []],
    "third of five": [["lamp"], 1, 2, []],
}
"""The claim lamp [MASK] has these cosines with single sentences: 1, 0, 1/√2, 0, 0, 0, and
with pairs: 2/√5, 1/√5, 1/√3, 0, 0."""


def data(folder: Path, **changes: Any) -> Path:
    """Return one small work in RELiC's format; the changes replace parts of the work."""
    work: dict[str, Any] = {
        "quotes": QUOTES,
        "sentences": SENTENCES,
        "candidates": {"1_sentence": [*range(6)], "2_sentence": [*range(5)]},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "val.json").write_text(json.dumps({"The Lamplighter": work | changes}), "utf-8")
    return folder


def measured(folder: Path, encoder: Counting | None = None, **changes: Any) -> Mapping[str, Report]:
    """Return the reports of a run by bench and system."""
    options: dict[str, Any] = {"models": ["counting"], "contexts": [(1, 0)], **changes}
    reports = relic.run(folder, load=lambda name: encoder or Counting(), **options)
    return {f"{report.bench} {report.system}": report for report in reports}


@pytest.mark.parametrize("name", ["guess", "bm25:counting", "random:counting", ""])
def test_an_unknown_system_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="choose from: random, bm25, rank_bm25, words"):
        measured(tmp_path, systems=[name])


@pytest.mark.parametrize("edges", [(0, 0), (5, 0), (0, 5), (-1, 1)])
def test_a_context_the_form_does_not_have_is_refused(
    tmp_path: Path, edges: tuple[int, int]
) -> None:
    with pytest.raises(UsageError, match="is not a context"):
        measured(tmp_path, contexts=[edges])


@pytest.mark.parametrize("text", ["4", "4/", "a/b", "-1/0", "4/4/4", "10/0", ""])
def test_a_context_that_is_no_pair_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"such as 4/4"):
        relic.parse_context(text)


def test_a_missing_split_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"test\.json"):
        measured(data(tmp_path), split="test")


def test_a_split_that_quotes_nothing_is_no_match(tmp_path: Path) -> None:
    with pytest.raises(NoMatch, match="have quotations"):
        measured(data(tmp_path, quotes={}))


def test_a_comparison_needs_a_system_of_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose from: random"):
        measured(data(tmp_path), systems=["random"], paired_with="bm25")


def test_a_comparison_with_one_of_two_models_must_say_which(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose from: dense:one, dense:two"):
        measured(data(tmp_path), systems=["dense"], models=["one", "two"], paired_with="dense")


def test_a_model_is_not_loaded_for_systems_without_one(tmp_path: Path) -> None:
    def load(name: str) -> Counting:
        raise AssertionError(name)

    systems = ["random", "bm25"]
    reports = relic.run(data(tmp_path), systems=systems, models=["counting"], load=load)
    assert {report.model for report in reports} == {""}


def test_a_model_that_gives_no_numbers_is_refused(tmp_path: Path) -> None:
    class DivergedCounting(Counting):
        def encode(self, texts: Sequence[str]) -> Floats2d:
            return np.full((len(texts), self.dimensions), np.nan, np.float32)

    with pytest.raises(ScholarError, match="not numbers"):
        measured(data(tmp_path), DivergedCounting())


@pytest.mark.parametrize(
    ("scores", "better", "equal", "mean"),
    [
        pytest.param([3, 1, 2], 0, 1, 1, id="first"),
        pytest.param([1, 2, 3], 2, 1, 3, id="last"),
        pytest.param([2, 2, 3], 1, 2, 2.5, id="as good as another"),
        pytest.param([1, 1, 1], 0, 3, 2, id="all the same"),
    ],
)
def test_the_first_candidate_is_ranked(
    scores: list[float], better: int, equal: int, mean: float
) -> None:
    rank = outcomes.rank_candidate(np.array(scores), 0)
    assert rank == (better, equal)
    assert rank.mean == mean


def test_equal_scores_count_as_every_order_of_them_would_on_average() -> None:
    rank = TiedRank(better=1, equal=3)
    places = [1 + order.index("gold") + 1 for order in permutations(["gold", "b", "c"])]
    assert rank.mean == metrics.mean(places)
    for k in range(1, 6):
        assert rank.recall(k) == pytest.approx(metrics.mean([place <= k for place in places]))


def test_rivals_are_the_best_others() -> None:
    texts = "abcde"
    assert outcomes.rivals(np.array([1.0, 5, 4, 9, 0]), 3, texts.__getitem__) == [1, 2]
    assert outcomes.rivals(np.array([9.0, 5, 4, 1, 0]), 0, texts.__getitem__) == [1, 2]
    assert outcomes.rivals(np.array([1.0, 5]), 0, texts.__getitem__) == [1]
    assert outcomes.rivals(np.array([1.0]), 0, texts.__getitem__) == []


def test_rivals_with_equal_scores_do_not_follow_their_order() -> None:
    texts = [f"text {number}" for number in range(9)]
    chosen = [texts[rival] for rival in outcomes.rivals(np.zeros(9), 0, texts.__getitem__)]
    turned = [texts[0], *texts[:0:-1]]
    again = [turned[rival] for rival in outcomes.rivals(np.zeros(9), 0, turned.__getitem__)]
    assert chosen == again
    assert len(set(chosen)) == 2


def test_passages_are_the_windows_of_the_product() -> None:
    chance = np.random.default_rng(0)
    vectors = chance.normal(size=(40, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    weights = chance.uniform(0.1, 9, 40).astype(np.float32)
    for size in range(1, 6):
        starts = np.arange(41 - size)
        of = ranking.Windows(starts, np.full(len(starts), size))
        nothing = np.zeros(40, np.float32)
        expected = ranking.dense_scores(vectors[7], vectors, weights, of, nothing, share=0)
        ours = pool_sentences(vectors, weights, starts, starts + size) @ vectors[7]
        assert ours == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("vocabulary", [3, 40, 400], ids="{} words".format)
def test_bm25_gives_the_scores_of_rank_bm25(size: int, vocabulary: int) -> None:
    rank_bm25 = pytest.importorskip("rank_bm25", reason="it comes with the extra [lab]")
    chance = random.Random(vocabulary)
    words = [f"w{number}" for number in range(vocabulary)]
    texts = [" ".join(chance.choices(words, k=chance.randint(0, 12))) + "!" for _ in range(60)]
    starts = np.array(sorted(chance.sample(range(61 - size), 40)))
    ours = Okapi(texts, starts, size)
    bags = [relic_bm25.tokenize(" ".join(texts[start : start + size])) for start in starts]
    theirs = rank_bm25.BM25Okapi(bags, k1=relic_bm25.K1, b=relic_bm25.B)
    for _ in range(5):
        claim = " ".join(chance.choices([*words, "unheard"], k=30))  # words occur several times
        expected = theirs.get_scores(relic_bm25.tokenize(claim))
        assert ours.scores(f"{claim} [MASK]") == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_bm25_of_nothing_is_nothing() -> None:
    assert Okapi([], np.array([], np.int64)).scores("lamp").tolist() == []
    assert Okapi(["", "..."], np.arange(2)).scores("lamp").tolist() == [0, 0]
    assert Okapi(["lamp", "widow"], np.arange(2)).scores("[masked sentence(s)]").tolist() == [0, 0]


def test_ranks_by_hand(tmp_path: Path) -> None:
    report = measured(data(tmp_path))["relic 1/0 dense:counting"]
    # Rank 2 of 6, a tie for 3 to 6 of 6, rank 3 of 5.
    assert report.metrics["mean_rank"] == pytest.approx((2 + 4.5 + 3) / 3)
    assert report.metrics["candidates"] == pytest.approx((6 + 6 + 5) / 3)
    recalls = {k: report.metrics[f"recall@{k}"] for k in outcomes.CUTS}
    assert recalls == pytest.approx({1: 0, 3: 2.25 / 3, 5: 2.75 / 3, 10: 1, 50: 1, 100: 1})
    assert report.metrics["recall@3_low"] <= recalls[3] <= report.metrics["recall@3_high"]
    assert (report.n, report.split, report.model) == (3, "val", "counting")
    assert len(report.data_sha256) == 64


def test_chance_is_what_to_expect_of_it(tmp_path: Path) -> None:
    figures = measured(data(tmp_path))["relic 1/0 random"].metrics
    assert figures["mean_rank"] == pytest.approx((3.5 + 3.5 + 3) / 3)
    assert figures["recall@1"] == pytest.approx((1 / 6 + 1 / 6 + 1 / 5) / 3)
    assert figures["proxy"] == pytest.approx(1 / 3)


def test_bm25_ranks_the_word_that_few_candidates_have(tmp_path: Path) -> None:
    quotes = {"rare": [["orchard"], 5, 1, []], "nowhere": [["unheard"], 0, 1, []]}
    figures = measured(data(tmp_path, quotes=quotes))["relic 1/0 bm25"].metrics
    assert figures["mean_rank"] == pytest.approx((1 + 3.5) / 2)
    assert figures["recall@1"] == pytest.approx((1 + 1 / 6) / 2)
    assert "proxy" not in figures  # the distractors of that task are its own answers


def test_the_hybrid_ranks_as_the_product_does(tmp_path: Path) -> None:
    sentences = [
        "lamp lamp",
        "lamp harbour",
        "lamps",
        "harbour",
        "widow",
        "letter",
        "lamp widow letter",
    ]
    quotes = {"both": [["lamp lamps"], 1, 1, []]}
    reports = measured(data(tmp_path, sentences=sentences, quotes=quotes))
    encoder = Counting()
    query = encoder.encode_claims(["lamp lamps [MASK]"])[0]
    vectors, weights = encoder.encode_sentences(sentences, [0] * 7)
    run, of = np.zeros(7, np.int64), ranking.build_windows(np.zeros(7, np.int64), 1, 1)
    around = ranking.neighbourhood_scores(query, vectors, weights, run)
    near = ranking.dense_scores(query, vectors, weights, of, around)
    both = blend_scores(near, Okapi(sentences, np.arange(7)).scores("lamp lamps"))
    mean_rank = reports["relic 1/0 hybrid:counting"].metrics["mean_rank"]
    assert mean_rank == outcomes.rank_candidate(both, 1).mean


def test_the_proxy_task_has_the_gold_and_the_first_two_others_of_bm25(tmp_path: Path) -> None:
    # The full context names the letter and the orchard, so these are the wrong answers
    # for every claim; with harbour before the mask, the gold is the nearest of three.
    quotes = {"q": [["letter orchard", "harbour"], 1, 1, ["letter", "orchard"]]}
    folder = data(tmp_path, quotes=quotes)
    reports = measured(folder, contexts=[(1, 0), (0, 1), (4, 4)])
    proxy = {
        name: report.metrics.get("proxy") for name, report in reports.items() if "dense" in name
    }
    assert proxy == {
        "relic 1/0 dense:counting": 1,
        "relic 0/1 dense:counting": 0,
        "relic 4/4 dense:counting": 0,
    }


def test_quotations_are_reported_by_their_length(tmp_path: Path) -> None:
    reports = measured(data(tmp_path), systems=["dense"], by_length=True)
    assert list(reports) == [
        "relic 1/0 dense:counting",
        "relic 1/0 n=1 dense:counting",
        "relic 1/0 n=2 dense:counting",
    ]
    both, short, long = reports.values()
    assert [report.n for report in (both, short, long)] == [3, 2, 1]
    assert short.metrics["mean_rank"] == pytest.approx((2 + 4.5) / 2)
    assert (long.metrics["mean_rank"], long.metrics["candidates"]) == (3, 5)
    assert both.seconds == pytest.approx(short.seconds + long.seconds)


def test_every_context_and_system_has_its_report(tmp_path: Path) -> None:
    reports = measured(data(tmp_path), models=["one", "two"], contexts=relic.CONTEXTS)
    systems = ("random", "bm25", "dense:one", "dense:two", "hybrid:one", "hybrid:two")
    assert list(reports) == [
        f"relic {left}/{right} {system}" for left, right in relic.CONTEXTS for system in systems
    ]


def test_a_claim_is_encoded_by_itself_with_its_mask(tmp_path: Path) -> None:
    encoder = Counting()
    measured(data(tmp_path), encoder, contexts=[(4, 4)])
    assert sorted(encoder.claims) == ["lamp [MASK]", "lamp [MASK]", "orchard lamp [MASK] widow"]
    assert set(encoder.batches) == {1}


def test_neither_ids_nor_the_order_of_a_file_change_a_figure(tmp_path: Path) -> None:
    turned = {name[::-1]: quote for name, quote in reversed(QUOTES.items())}
    candidates = {"2_sentence": [*reversed(range(5))], "1_sentence": [*reversed(range(6))]}
    one = measured(data(tmp_path / "one"), contexts=relic.CONTEXTS)
    other = measured(
        data(tmp_path / "other", quotes=turned, candidates=candidates), contexts=relic.CONTEXTS
    )
    for name, report in one.items():
        means = {
            key: value
            for key, value in report.metrics.items()
            if not key.endswith(("_low", "_high", "_s"))
        }
        assert {key: other[name].metrics[key] for key in means} == pytest.approx(means), name


def test_works_are_ranked_one_by_one(tmp_path: Path) -> None:
    folder = data(tmp_path)
    works = json.loads((folder / "val.json").read_text("utf-8"))
    alone = measured(folder)["relic 1/0 dense:counting"].metrics
    works["The Clockmaker"] = {"quotes": {}, "sentences": ["lamp"] * 50, "candidates": {}}
    works["The Lamplighter again"] = works["The Lamplighter"]
    (folder / "val.json").write_text(json.dumps(works), "utf-8")
    report = measured(folder)["relic 1/0 dense:counting"]
    assert report.n == 6
    assert report.metrics["mean_rank"] == pytest.approx(alone["mean_rank"])


def test_systems_are_compared_quotation_by_quotation(tmp_path: Path) -> None:
    reports = measured(data(tmp_path), paired_with="dense")
    assert "gain@1" not in reports["relic 1/0 dense:counting"].metrics
    figures = reports["relic 1/0 random"].metrics
    # At 3: chance has 3/6, 3/6 and 3/5; dense has 1, 1/4 and 1.
    assert figures["gain@3"] == pytest.approx((0.5 + 0.5 + 0.6 - 1 - 0.25 - 1) / 3)
    assert figures["gain@3_low"] < figures["gain@3"] < figures["gain@3_high"]
    assert (figures["gain@100"], figures["touch@100"]) == (0, 1)


def test_intervals_touch_or_are_apart() -> None:
    sure = [QuotationOutcome(1, 9, TiedRank(0, 1), 1)] * 20
    never = [QuotationOutcome(1, 9, TiedRank(8, 1), 0)] * 20
    mixed = [*sure[:10], *never[:10]]
    assert outcomes.compare(sure, never)["touch@1"] == 0
    assert outcomes.compare(sure, sure)["touch@1"] == 1
    assert outcomes.compare(mixed, [*never[:10], *sure[:10]])["touch@1"] == 1
    assert outcomes.compare(sure, never)["gain@1_low"] == 1


def relic_command(lab: Callable[..., CommandResult], folder: Path, *more: str) -> CommandResult:
    return lab("bench", "relic", "--data", str(folder), "--threads", "1", *more)


@pytest.mark.parametrize(
    ("written", "code", "expected"),
    [
        pytest.param(None, 4, "there is no", id="missing"),
        pytest.param("{", 2, "cannot be read as JSON", id="not JSON"),
        pytest.param("[]", 2, "must map works", id="no works"),
        pytest.param('{"A": {"quotes": {}}}', 2, "cannot read the quotes", id="no sentences"),
    ],
)
def test_a_broken_file_is_one_line(
    lab: Callable[..., CommandResult],
    tmp_path: Path,
    written: str | None,
    code: int,
    expected: str,
) -> None:
    if written is not None:
        (tmp_path / "val.json").write_text(written, "utf-8")
    assert expected in error_line(relic_command(lab, tmp_path), code)


def test_a_model_that_is_not_here_is_one_line(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    result = relic_command(lab, data(tmp_path), "--model", "nobody/nothing")
    assert "scholar models pull nobody/nothing" in error_line(result, 4)


def test_a_context_of_the_command_line_is_checked(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    assert "such as 4/4" in error_line(relic_command(lab, tmp_path, "--context", "four"), 2)


def test_the_command_prints_every_figure_as_json(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    result = succeeded(
        relic_command(
            lab,
            data(tmp_path),
            "--context",
            "1/0",
            "--context",
            "4/4",
            "--paired-with",
            "bm25",
            "--by-length",
            "--json",
        )
    )
    model = DEFAULT_MODEL
    assert [report["system"] for report in result.json[::3]] == 2 * [
        "random",
        "bm25",
        f"dense:{model}",
        f"hybrid:{model}",
    ]
    assert result.json[0]["bench"] == "relic 1/0"
    assert {report["model"] for report in result.json if ":" in report["system"]} == {model}
    wanted = {
        f"{name}@{k}{end}"
        for name in ("recall", "gain")
        for k in outcomes.CUTS
        for end in ("", "_low", "_high")
    }
    assert wanted <= result.json[0]["metrics"].keys()
    assert result.json[6]["metrics"]["prepare_s"] > 0


def test_the_command_prints_percent_with_bounds_as_a_table(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    line = ("--system", "random", "--system", "bm25", "--context", "1/0", "--paired-with", "bm25")
    result = succeeded(relic_command(lab, data(tmp_path), *line))
    heading, chance, _ = result.lines
    assert heading.split()[:4] == ["L/R", "system", "R@1", "R@3"]
    assert "17.8 (16.7 to 20.0)" in chance
    assert chance.rstrip().endswith("touch")


def test_the_command_prints_bare_figures_as_csv(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    result = succeeded(relic_command(lab, data(tmp_path), "--system", "random", "--format", "csv"))
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert len(rows) == len(relic.CONTEXTS)
    assert float(rows[0]["recall@1"]) == 0.1778
