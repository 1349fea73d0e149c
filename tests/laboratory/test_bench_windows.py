"""The benchmark of windows: refused input, samples, figures computed by hand, one run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relic_works
import tiny_models
from command_line import CommandResult, error_line, succeeded
from libraries import build_once
from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.relic import relic_data, window_bench
from scholar_cli.laboratory.relic.relic_data import LONGEST, QuotationWindow, QuotedWork
from scholar_cli.laboratory.relic.window_systems import MAIN, SYSTEMS
from scholar_cli.laboratory.report import Report
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.settings import DEFAULT_MODEL


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return four small quoted works and an unquoted one in RELiC's format."""
    return relic_works.folder(tmp_path / "data")


def measured(data: Path, **changes: Any) -> list[Report]:
    options: dict[str, Any] = {"books": 1, "queries": 5, "threads": 1, "pulled": data, **changes}
    return window_bench.run(data, **options)


def in_chapters(work: QuotedWork, length: int) -> QuotedWork:
    """Return the same work in chapters of this many sentences, which no candidate crosses."""
    chapter = [at // length for at in range(len(work.sentences))]
    candidates = {
        size: tuple(
            at for at in range(len(chapter) - size + 1) if chapter[at] == chapter[at + size - 1]
        )
        for size in range(1, LONGEST + 1)
    }
    inside = [window for window in work.windows if window.start in candidates[window.size]]
    return replace(work, windows=tuple(inside), candidates=candidates)


def test_an_unknown_system_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no system 'guess'"):
        measured(tmp_path, systems=["guess"])


def test_an_unknown_split_is_refused(data: Path) -> None:
    with pytest.raises(UsageError, match="choose one of train, val, test"):
        measured(data, split="held")


def test_a_split_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"there is no .*train\.json"):
        measured(tmp_path)


def test_a_split_that_asks_nothing_is_no_match(tmp_path: Path) -> None:
    work = relic_works.work("Rain", 1)
    silent = [replace(window, left=(), right=("and why",)) for window in work.windows]
    relic_data.write(tmp_path, "train", [replace(work, windows=tuple(silent))])
    with pytest.raises(NoMatch, match=r"train\.json has no quotation"):
        measured(tmp_path)


def test_a_model_that_is_not_here_is_named(data: Path) -> None:
    with pytest.raises(NotThere, match="scholar models pull nobody/nothing"):
        measured(data, models=["nobody/nothing"])


def test_a_model_that_is_not_pooled_by_the_mean_is_refused(data: Path, tmp_path: Path) -> None:
    model = str(tiny_models.make(tmp_path / "tiny", "cls"))
    with pytest.raises(UsageError, match="no blocks; choose another"):
        measured(data, models=[model])


def titles(*named: str, books: int = 9, seed: int = 0) -> set[str]:
    """Return the titles sampled from works that are quoted equally often."""
    works = [relic_works.work(title, number) for number, title in enumerate(named)]
    return {work.title for work in window_bench.draw_works(works, books, 5, seed)}


def test_two_works_of_an_author_are_drawn() -> None:
    austen = ("Emma (Jane Austen)", "Persuasion (Jane Austen)", "Emma (Jane Austen) [158]")
    drawn = titles(*austen, "Ulysses (James Joyce)")
    assert "Ulysses (James Joyce)" in drawn
    assert len(drawn) == 3


def test_titles_that_name_no_author_are_all_drawn() -> None:
    named = {"Emma", "Persuasion", "Sanditon", "Emma (", "Sanditon ()"}
    assert titles(*named) == named


def test_another_seed_draws_other_works() -> None:
    named = [f"Work {number}" for number in range(20)]
    assert titles(*named, books=3) == titles(*named, books=3)
    assert len({frozenset(titles(*named, books=3, seed=seed)) for seed in range(5)}) > 1


def test_works_that_are_quoted_often_come_first() -> None:
    works = [relic_works.work(f"Seldom {number}", number, quoted=2) for number in range(20)]
    works.append(relic_works.work("Often", 20))
    (first, second) = window_bench.draw_works(works, 2, 5, 0)
    assert (first.title, len(first.windows)) == ("Often", 5)
    assert len(second.windows) == 2
    assert set(first.windows) < set(works[-1].windows)


@pytest.mark.parametrize(
    ("left", "right", "asks"),
    [
        pytest.param(("Before.",), ("After.",), True, id="both sides"),
        pytest.param(("Before.",), (), True, id="only before"),
        pytest.param((), ("After.",), False, id="only after"),
        pytest.param(("Before.", " — "), (), False, id="no words before"),
        pytest.param(("[masked sentence(s)]",), ("After.",), False, id="another mask before"),
    ],
)
def test_a_quotation_is_asked_for_with_words_before_it(
    left: tuple[str, ...], right: tuple[str, ...], asks: bool
) -> None:
    work = replace(relic_works.work("Rain", 1), windows=(QuotationWindow("q", left, 0, 1, right),))
    assert bool(window_bench.draw_works([work], 1, 1, 0)) is asks


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param((0, 1, 2), [0, 0, 0, 0], id="one chapter"),
        pytest.param((0, 2), [0, 0, 1, 1], id="two"),
        pytest.param((2, 0), [0, 0, 1, 1], id="in any order"),
        pytest.param((), [0, 1, 2, 3], id="each sentence alone"),
        pytest.param(None, [0, 0, 0, 0], id="not told"),
    ],
)
def test_chapters_end_where_no_candidate_of_two_begins(
    pairs: Sequence[int] | None, expected: list[int]
) -> None:
    candidates = {1: (0, 1, 2, 3)} | ({} if pairs is None else {2: tuple(pairs)})
    work = QuotedWork("Rain", ("One.", "Two.", "Three.", "Four."), (), candidates)
    assert window_bench.sentence_chapters(work).tolist() == expected


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        pytest.param([], 0, id="nothing ranked"),
        pytest.param([0, 0], 0, id="nothing relevant"),
        pytest.param([1, 1], 1, id="first"),
        pytest.param([0, 0, 0, 1], 0.25, id="fourth"),
    ],
)
def test_reciprocal_rank(gains: list[float], expected: float) -> None:
    assert metrics.reciprocal_rank(gains) == expected


def test_success_and_recall_at_k() -> None:
    gains = [0, 1, 0, 1]
    assert [metrics.success(gains, k) for k in (1, 2, 4)] == [0, 1, 1]
    assert [metrics.recall(gains, k, 4) for k in (1, 2, 4)] == [0, 0.25, 0.5]
    assert metrics.recall(gains, 4, 0) == 0


def test_ndcg_by_hand() -> None:
    # gains 0, 2, 1: 2/log2(3) + 1/2; ideal order 2, 1: 2 + 1/log2(3)
    assert metrics.ndcg([0, 2, 1], 3, [1, 2]) == pytest.approx(1.761860 / 2.630930, abs=1e-6)
    assert metrics.ndcg([2, 1], 10, [1, 2]) == 1
    assert metrics.ndcg([1], 10, []) == 0


def test_a_bootstrap_is_seeded_and_holds_the_mean() -> None:
    interval = metrics.bootstrap([0, 1] * 50, seed=3)
    assert interval == metrics.bootstrap([0, 1] * 50, seed=3)
    # The standard error of a fair coin tossed 100 times is 0.05.
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.4, abs=0.02)
    assert interval.high == pytest.approx(0.6, abs=0.02)
    assert metrics.bootstrap([]) == metrics.Interval(0, 0, 0)


def test_a_constant_difference_has_no_width() -> None:
    interval = metrics.difference([3, 2, 1], [2, 1, 0])
    assert interval == metrics.Interval(1, 1, 1)
    with pytest.raises(ValueError, match="zip"):
        metrics.difference([1], [1, 2])


@pytest.mark.parametrize(
    ("place", "quotation", "expected"),
    [
        pytest.param((0, 2), (0, 2), True, id="the same"),
        pytest.param((0, 2), (1, 5), True, id="half of the shorter"),
        pytest.param((4, 6), (5, 9), False, id="less than half"),
        pytest.param((0, 9), (4, 5), True, id="within"),
        pytest.param((0, 2), (2, 4), False, id="next to it"),
        pytest.param((0, 2), (6, 7), False, id="far from it"),
        pytest.param((9, 10), (0, 2), False, id="no words, elsewhere"),
    ],
)
def test_a_hit_shares_half_of_the_shorter(
    place: tuple[int, int], quotation: tuple[int, int], expected: bool
) -> None:
    words = np.array([4, 4, 4, 4, 6, 4, 4, 4, 4, 0])
    assert window_bench.is_match(place, quotation, words) is expected
    assert window_bench.is_match(quotation, place, words) is expected


def test_a_report_is_one_line_and_one_row() -> None:
    report = Report("windows 1/0", "val", "random", {"mrr": 0.12345678}, 3, 0.5, "m", "ab", "")
    assert json.loads(report.line())["metrics"] == {"mrr": 0.12345678}
    assert "\n" not in report.line()
    assert report.row()["mrr"] == 0.1235


def test_systems_are_compared_with_systems() -> None:
    others = {system.against for system in SYSTEMS.values()} - {""}
    assert others <= SYSTEMS.keys()
    assert set(MAIN) <= SYSTEMS.keys()


@pytest.mark.slow
def test_a_run_reports_every_system_in_both_contexts(data: Path) -> None:
    systems = [name for name in SYSTEMS if not name.startswith("float32")]
    reports = measured(data, systems=systems)
    contexts = ("windows 1/0", "windows 1/1")
    expected = [(bench, name) for bench in contexts for name in systems]
    assert [(report.bench, report.system) for report in reports] == expected
    provenance = {
        (report.split, report.n, report.model, len(report.data_sha256)) for report in reports
    }
    assert provenance == {("train", 5, DEFAULT_MODEL, 64)}
    by_name = {report.system: report.metrics for report in reports[: len(systems)]}
    assert all(0 <= figures["mrr"] <= 1 for figures in by_name.values())
    assert by_name["bm25-1"]["mrr"] > by_name["random"]["mrr"]  # critics repeat four words
    assert by_name["blocks64"]["rows_per_1000"] == 1000
    assert by_name["blocks64"]["bytes_per_1000"] == 1000 * (2 * 384 + 4)
    assert by_name["whole"]["passes"] > 2.5
    assert by_name["whole-stride2"]["rows_per_1000"] < 510
    assert by_name["hybrid-t16"].keys() >= {"gain", "gain_low", "gain_high"}


@pytest.mark.slow
def test_the_pieces_rank_as_the_product_does(data: Path) -> None:
    systems = [
        "blocks64-t16",
        "product-dense",
        "lexical-t16",
        "product-lexical",
        "hybrid-t16",
        "product-hybrid",
    ]
    reports = measured(data, books=2, queries=8, systems=systems)
    assert {report.n for report in reports} == {16}
    mrr = [report.metrics["mrr"] for report in reports]
    assert mrr[0::2] == mrr[1::2]


def test_windows_stay_inside_chapters(tmp_path: Path) -> None:
    relic_data.write(tmp_path, "val", [in_chapters(relic_works.work("Rain", 1), 20)])
    report, _ = measured(tmp_path, split="val", systems=["whole"])
    assert report.metrics["rows_per_1000"] == pytest.approx(1000 * 3 * 18 / 60)


def test_equal_data_and_seed_give_an_equal_run(data: Path) -> None:
    systems = ["random", "hybrid-t16"]
    one, again, other = (measured(data, systems=systems, seed=seed) for seed in (0, 0, 1))
    assert [report.metrics["mrr"] for report in one] == [report.metrics["mrr"] for report in again]
    assert one[0].data_sha256 == again[0].data_sha256 != other[0].data_sha256


@pytest.fixture
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tiny model in the packaged form, to be copied before it is changed."""
    return build_once(tmp_path_factory, "tiny", tiny_models.make_packaged) / "packaged"


@pytest.mark.slow
def test_float32_is_measured_of_a_packaged_model(data: Path, packaged: Path) -> None:
    messages: list[str] = []
    systems = ["blocks64-t16", "float32-t16", "float32-hybrid-t16"]
    options: dict[str, Any] = {"models": [str(packaged)], "say": messages.append}
    reports = measured(data, systems=systems, **options)
    assert [report.system for report in reports] == 2 * systems
    own, exact = reports[:2]
    assert exact.metrics["gain"] == pytest.approx(exact.metrics["mrr"] - own.metrics["mrr"])
    assert not messages


def test_float32_is_left_out_where_torch_cannot_load_the_model(
    data: Path, packaged: Path, tmp_path: Path
) -> None:
    model = shutil.copytree(packaged, tmp_path / "packaged")
    (model / "config.json").unlink()
    messages: list[str] = []
    systems = ["blocks64-t16", "float32-t16"]
    reports = measured(data, models=[str(model)], systems=systems, say=messages.append)
    assert [report.system for report in reports] == ["blocks64-t16"] * 2
    assert [message.partition(" tiny ")[0] for message in messages] == [
        "float32 is skipped: the model"
    ]


def test_a_torch_model_is_measured_with_another_without_float32(data: Path, tmp_path: Path) -> None:
    tiny = str(tiny_models.make(tmp_path / "tiny"))
    messages: list[str] = []
    systems = ["random", "hybrid-t16", "product-hybrid", "float32-t16"]
    reports = measured(data, models=[tiny], systems=systems, say=messages.append)
    assert [(report.model, report.system) for report in reports] == 2 * [
        (tiny, name) for name in systems[:3]
    ]
    assert messages == [f"float32 is skipped: {tiny} is not quantized"]
    assert reports[1].metrics["bytes_per_1000"] == 1000 * (2 * 32 + 4)
    both = measured(data, models=[DEFAULT_MODEL, tiny], systems=systems[:1])
    assert [report.model for report in both] == [DEFAULT_MODEL, DEFAULT_MODEL, tiny, tiny]


def windows_command(lab: Callable[..., CommandResult], folder: Path, *more: str) -> CommandResult:
    return lab("bench", "windows", "--data", str(folder), "--threads", "1", *more)


@pytest.mark.parametrize(
    ("more", "code", "expected"),
    [
        pytest.param(["--system", "guess"], 2, "no system 'guess'", id="system"),
        pytest.param(["--split", "held"], 2, "no split 'held'", id="split"),
        pytest.param(["--data", "nowhere"], 4, "there is no nowhere", id="folder"),
        pytest.param(["--model", "nobody/nothing"], 4, "scholar models pull", id="model"),
    ],
)
def test_a_failure_of_the_command_is_one_line(
    lab: Callable[..., CommandResult], data: Path, more: Sequence[str], code: int, expected: str
) -> None:
    assert expected in error_line(windows_command(lab, data, *more), code)


def test_the_command_measures_the_model_that_is_set(
    lab: Callable[..., CommandResult], data: Path
) -> None:
    line = ("--split", "test", "--queries", "3", "--system", "random", "--system", "dense-typo")
    assert "dense-typo" in error_line(windows_command(lab, data, *line), 2)
    result = succeeded(windows_command(lab, data, *line[:-2], "--json"))
    assert [
        (report["bench"], report["split"], report["n"], report["model"]) for report in result.json
    ] == [
        ("windows 1/0", "test", 3, DEFAULT_MODEL),
        ("windows 1/1", "test", 3, DEFAULT_MODEL),
    ]
