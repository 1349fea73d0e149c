"""The figures in the pages equal those in the run files, which are of the current weights."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "figures"))

import benchmark_data  # noqa: E402
import benchmarks  # noqa: E402
import figure_list  # noqa: E402
import figure_tables  # noqa: E402
import pages  # noqa: E402
import run_files  # noqa: E402

from scholar_cli.laboratory.metrics import Interval  # noqa: E402

RUNS = sorted(path.name.removesuffix(".json.xz") for path in run_files.RUNS.glob("*.json.xz"))


def test_every_page_has_the_figures_of_its_run_files() -> None:
    assert list(pages.old_pages()) == []


def test_a_page_marks_a_run_that_is_older_than_its_weights_or_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block = next(block for block in figure_list.BLOCKS if block.name == "contrast")
    now = figure_tables.render(block)
    assert "with earlier weights or rules" not in now
    runs = {run: run_files.read(run) for run in figure_tables.runs_of(block)}
    runs["contrast-test"] = dataclasses.replace(runs["contrast-test"], depends={})
    monkeypatch.setattr(run_files, "read", runs.__getitem__)
    assert figure_tables.render(block) == now.replace(
        f"`contrast-test` ({runs['contrast-test'].date}",
        f"`contrast-test` ({runs['contrast-test'].date}, with earlier weights or rules",
    )


def test_all_run_files_together_are_small_and_each_is_of_a_benchmark() -> None:
    assert sum(path.stat().st_size for path in run_files.RUNS.iterdir()) < 1_000_000
    assert set(RUNS) <= set(benchmarks.BENCHMARKS)


def test_every_run_was_made_by_committed_code() -> None:
    assert {name: run_files.read(name).commit for name in RUNS if not is_clean(name)} == {}


FLOORS = [
    ("csfcube", "all", "NDCG%20", 0.650),
    ("csfcube", "background", "NDCG%20", 0.735),
    ("csfcube", "method", "NDCG%20", 0.500),
    ("csfcube", "result", "NDCG%20", 0.710),
    ("contrast-test", "test method", "ordered", 0.650),
    ("contrast-test", "test background", "ordered", 0.990),
]
"""The minimum of each figure of ranking papers (run, split, figure), at or just below its value."""


@pytest.mark.parametrize(("run", "split", "figure", "floor"), FLOORS)
def test_papers_are_ranked_as_well_as_before_the_weights_or_rules_changed(
    run: str, split: str, figure: str, floor: float
) -> None:
    assert not benchmarks.is_old(run), f"run: make figures RUN={run}"
    [report] = [
        report
        for report in run_files.read(run).reports
        if report["split"] == split and report["system"].startswith("scholar")
    ]
    assert report["metrics"][figure] >= floor


def is_clean(name: str) -> bool:
    run = run_files.read(name)
    commits = {run.commit, *(report["commit"] for report in run.reports)}
    return "" not in commits and not any("dirty" in commit for commit in commits)


@pytest.mark.parametrize("name", RUNS)
def test_means_of_the_scores_of_queries_are_the_figures_that_the_benchmark_printed(
    name: str,
) -> None:
    for report in run_files.read(name).reports:
        for figure, values in report["queries"].items():
            if figure in report["metrics"] and report["bench"] not in ("pdnc", "evidence"):
                mean = sum(values) / len(values)
                assert mean == pytest.approx(report["metrics"][figure], abs=2e-5), figure


def test_a_page_that_was_typed_over_is_named_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = figure_tables.Table("page.md", "example", ("figure",), [["12"]])
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- figures: example -->\n| 13 |\n<!-- end of example -->\n")
    monkeypatch.setattr(pages, "BLOCKS", [block])
    monkeypatch.setattr(pages, "path_of", lambda name: tmp_path / name)
    assert list(pages.old_pages()) == ["page.md differs from its run files; run: make figures"]
    pages.write()
    assert list(pages.old_pages()) == []
    assert "| 12 |" in page.read_text()


def test_an_adopted_figure_stays_until_its_run_is_made() -> None:
    cell = figure_tables.source("never").n()
    block = figure_tables.Table("page.md", "example", ("figure",), [[cell]])
    page = "<!-- figures: example -->\n| 13 |\n{}<!-- end of example -->\n"
    taken_over = page.format("\nTaken over from 2026-11-25.\n")
    assert pages.replace(taken_over, block) == taken_over
    with pytest.raises(FileNotFoundError, match="run: make figures RUN=never"):
        pages.replace(page.format(""), block)


def test_a_page_without_markers_is_an_error_that_shows_them(tmp_path: Path) -> None:
    block = figure_tables.Table("page.md", "example", ("figure",), [["12"]])
    with pytest.raises(LookupError, match="<!-- figures: example --> and <!-- end of example -->"):
        pages.replace("# Page\n", block)


def test_a_run_with_other_weights_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = dataclasses.replace(
        run_files.read("contrast-test"), depends={"weights/method-map": "0" * 16}
    )
    monkeypatch.setattr(run_files, "read", lambda name: run)
    monkeypatch.setattr(
        benchmarks, "BENCHMARKS", {"contrast-test": benchmarks.BENCHMARKS["contrast-test"]}
    )
    monkeypatch.setattr(benchmarks, "SAMPLES", {})
    [problem] = benchmarks.old_runs()
    assert "the run contrast-test is older than weights/method-map" in problem
    assert problem.endswith("run: make figures RUN=contrast-test")


def test_a_run_that_was_never_made_is_an_error_with_the_command() -> None:
    with pytest.raises(FileNotFoundError, match="run: make figures RUN=never"):
        run_files.read("never")


def test_an_unknown_benchmark_is_refused_with_a_list_of_the_benchmarks() -> None:
    with pytest.raises(SystemExit, match="there is no run never; choose from: contrast-test, "):
        benchmarks.run("never")


@pytest.mark.parametrize("name", benchmarks.BENCHMARKS)
def test_a_benchmark_names_data_that_can_be_made_and_files_that_are_there(name: str) -> None:
    benchmark = benchmarks.BENCHMARKS[name]
    data = set(re.findall(r"\b[A-Z]{4,}\b", benchmark.command))
    assert data <= set(benchmark_data.MAKERS)
    assert all((run_files.INDEXES / path).exists() for path in benchmark.depends)


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        pytest.param("X = 1\n", "# a comment\nX  =  1\n", True, id="comments and layout"),
        pytest.param('"""Old."""\nX = 1\n', '"""New."""\nX = 1\n', True, id="docstrings"),
        pytest.param("X = 1\n", "X = 2\n", False, id="another number"),
        pytest.param("X = ('a',)\n", "X = ('b',)\n", False, id="another word"),
    ],
)
def test_a_table_of_rules_is_another_one_only_if_its_code_is(
    before: str, after: str, is_same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_files, "INDEXES", tmp_path)
    hashes: list[str] = []
    for name, code in (("before.py", before), ("after.py", after)):
        (tmp_path / name).write_text(code)
        hashes += run_files.hashes([name]).values()
    assert (hashes[0] == hashes[1]) is is_same


@pytest.mark.parametrize(
    ("form", "interval", "text"),
    [
        pytest.param(
            figure_tables.share(), (0.5883, 0.563, 0.6141), ".588 (.563–.614)", id="share"
        ),
        pytest.param(figure_tables.share(2), (1.0, 1.0, 1.0), "1.00 (1.00–1.00)", id="all"),
        pytest.param(figure_tables.percent(), (0.7981, 0.73, 0.86), "79.8 (73–86)", id="percent"),
        pytest.param(figure_tables.percent(1, None), (0.1, 0, 0), "10.0", id="without bounds"),
        pytest.param(
            figure_tables.gain(), (-0.018, -0.04, 0.103), "-.018 (-.040 to +.103)", id="gain"
        ),
        pytest.param(
            figure_tables.gain(1, in_percent=True),
            (0.0695, -0.003, 0.103),
            "+7.0 (-0.3 to +10.3)",
            id="gain in percent",
        ),
        pytest.param(
            figure_tables.bold(figure_tables.percent()),
            (0.5, 0.4, 0.6),
            "**50.0** (40–60)",
            id="bold",
        ),
    ],
)
def test_figures_are_printed_as_the_pages_have_them(
    form: figure_tables.Form, interval: tuple[float, float, float], text: str
) -> None:
    assert form(Interval(*interval)) == text


def test_every_block_has_a_name_of_its_own() -> None:
    names = [(block.page, block.name) for block in figure_list.BLOCKS]
    assert len(set(names)) == len(names)
