"""Statistics of collections in the forms of three papers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import relic_works
from command_line import Scholar, error_line, succeeded
from csfcube_papers import DATA, PAIR, PAPER, folder
from scholar_cli.laboratory import collection_statistics
from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.relic_data import QuotationWindow, QuotedWork
from scholar_indexes.errors import NotThere, UsageError

LONG = "It is a truth universally acknowledged that a man wants a wife."
SHORT = "He did."


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="there is no folder"):
        collection_statistics.describe(tmp_path / "none")


def test_a_folder_in_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none of train\.json, .*questions\.jsonl"):
        collection_statistics.describe(tmp_path)


def quoted_work(*windows: QuotationWindow) -> QuotedWork:
    sentences = (LONG, SHORT, "And he said so.", "She smiled.")
    return QuotedWork("Emma", sentences, windows, {1: (0, 1, 2, 3), 2: (0, 1, 2)})


def test_published_quotations_critics_and_lengths_of_relic_are_counted(tmp_path: Path) -> None:
    windows = (
        QuotationWindow("c1-7", ("As Austen has it",), 0, 2, ("and so on",)),
        QuotationWindow("c1-9", ("We read",), 0, 1, ()),
        QuotationWindow("c2-3", ("We hear",), 1, 1, ()),
        QuotationWindow("written-158-0", ("He was sure",), 1, 1, ()),
    )
    relic_data.write(tmp_path, "test", [quoted_work(*windows)])
    [report] = collection_statistics.describe(tmp_path)
    expected = {
        "quotations": 3,
        "works": 1,
        "context_words": (7 + 2 + 2) / 3,
        "candidates": (3 + 4 + 4) / 3,
        "candidate_words": ((14 + 6 + 6) / 3 + 2 * 20 / 4) / 3,
        "quoted_sentences_of_a_work": 0.5,
        "critics": 2,
        "critics_of_a_work": 2,
        "quotations_of_a_critic": 1.5,
        "times_of_the_most_quoted_sentence": 2,
        "of_1_sentences": 2,
        "of_2_sentences": 1,
    }
    assert {name: report.metrics[name] for name in expected} == pytest.approx(expected)
    counts = dict(zip(report.queries["id"], report.queries["count"], strict=True))
    assert counts == {"critic c1": 2, "critic c2": 1, f"Emma: {LONG}": 2}


def test_data_without_critics_has_no_statistics_of_them(tmp_path: Path) -> None:
    relic_data.write(tmp_path, "val", [quoted_work(QuotationWindow("a91f", (), 0, 1, ()))])
    [report] = collection_statistics.describe(tmp_path)
    assert "critics" not in report.metrics


def test_several_splits_are_also_described_together(tmp_path: Path) -> None:
    reports = collection_statistics.describe(relic_works.folder(tmp_path))
    counts = {report.split: report.metrics["quotations"] for report in reports}
    assert counts == {"train": 24, "val": 12, "test": 12, "all": 48}


def test_graded_pairs_of_csfcube_are_counted_by_facet_and_by_pair_of_grades(tmp_path: Path) -> None:
    others = [{**PAPER, "paper_id": name, "title": name} for name in ("2", "3", "4")]
    judged = [
        {**PAIR, "candidate_id": "2", "relevance": 3},
        {**PAIR, "candidate_id": "3", "relevance": 1},
        {**PAIR, "candidate_id": "4", "relevance": 0},
        {**PAIR, "facet": "result", "candidate_id": "2", "relevance": 1},
        {**PAIR, "facet": "result", "candidate_id": "3", "relevance": 1},
    ]
    reports = collection_statistics.describe(folder(tmp_path, [PAPER, *others], judged))
    method, result, everything, paper = reports
    assert [report.split for report in reports] == ["method", "result", "all", "1"]
    assert (method.metrics["pool"], method.metrics["rated_2_or_3"]) == (3, 1)
    assert (result.metrics["rated_1_min"], result.metrics["rated_2_or_3_max"]) == (2, 0)
    assert (everything.metrics["queries"], everything.metrics["query_papers"]) == (2, 1)
    assert paper.metrics == {"relevant_method": 1, "relevant_result": 0, "relevant_in_both": 0}
    assert paper.queries == {"id": ["method 1, result 1", "method 3, result 1"], "count": [1, 1]}


def test_descriptions_of_gandalf_are_counted_by_level_and_books_by_words(data: Path) -> None:
    level, everything, books = collection_statistics.describe(data)
    assert (level.split, everything.split, books.split) == ("level 1", "all", "books")
    assert level.metrics == everything.metrics
    assert level.metrics["descriptions"] == 4
    assert level.metrics["words"] == pytest.approx((8 + 7 + 6 + 8) / 4)
    assert (books.metrics["characters"], books.metrics["characters_min"]) == (4, 4)
    assert books.queries["id"] == ["words of village"]
    assert books.queries["count"] == [books.metrics["words"]]


def test_the_command_prints_a_row_for_each_statistic(tmp_path: Path, lab: Scholar) -> None:
    command = ("bench", "statistics", str(DATA))
    printed = succeeded(lab(*command, "--format", "csv")).stdout.splitlines()
    assert printed[:2] == [
        "statistic,background,method,result,all,1001,1008",
        "queries,2,3,2,7,,",
    ]
    reports = json.loads(succeeded(lab(*command, "--json")).stdout)
    assert [report["metrics"]["queries"] for report in reports[:4]] == [2, 3, 2, 7]
    assert "none of train.json" in error_line(lab("bench", "statistics", str(tmp_path)), 2)
