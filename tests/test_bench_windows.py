"""The benchmark of windows: its figures by hand, its miner on made-up books, one run."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from scholar_cli.bench import metrics, windows
from scholar_cli.bench.quotations import Collection, Quotation, collect, split_of
from scholar_cli.bench.report import Report
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.types import Span

WORDS = (
    "lamp harbour widow letter orchard candle brother winter garden silver promise window captain"
    " river mother stranger evening carriage sorrow bridge market shadow cousin thunder ribbon"
    " parlour village doctor mirror secret morning forest soldier kitchen music anchor bread"
    " colour patience danger meadow chimney sister journey feather honour whisper marriage"
).split()


def prose(seed: str, sentences: int) -> list[str]:
    """Sentences that no other seed makes."""
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=12)).capitalize() + "." for _ in range(sentences)]


def book(*paragraphs: str) -> str:
    return "\n\n".join(("CHAPTER I", *paragraphs, "CHAPTER II", *prose("ending", 3))) + "\n"


NOVEL = prose("novel", 160)
QUOTED = NOVEL[40]
LEAK = f"As she says, {' '.join(NOVEL[120].lower().split()[:9])} and so on."
REMARK = "We learn here that Ann Example thought little of the comforts of a settled home."
SEQUEL = "Nothing else in her book comes as near to plain anger as these few words do."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A novel, a critic that quotes it, and a critic that reprints it."""
    texts = {
        ("primary", "1", "Ann Example", "The Lamplighter", "novel"): book(
            *(" ".join(NOVEL[at : at + 8]) for at in range(0, len(NOVEL), 8))
        ),
        ("primary", "2", "Jane Austen", "Pride and Prejudice", "novel"): book(*prose("austen", 90)),
        ("criticism", "11", "A Critic", "On Novels", ""): book(
            " ".join([*prose("critic", 6), LEAK, REMARK]),
            f"“{QUOTED}”",
            " ".join([SEQUEL, *prose("more", 6)]),
        ),
        ("criticism", "12", "An Editor", "The Lamplighter", ""): book(
            "Ann Example wrote this book in a winter and a spring, and never spoke of it.",
            *(" ".join(NOVEL[at : at + 3]) for at in range(0, len(NOVEL), 4)),
        ),
    }  # fmt: skip
    with (tmp_path / "catalog.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("pgid", "group", "author", "title", "genre"))
        for (group, pgid, author, title, genre), text in texts.items():
            writer.writerow((pgid, group, author, title, genre))
            (tmp_path / group).mkdir(exist_ok=True)
            (tmp_path / group / f"{pgid}.txt").write_text(text, "utf-8")
    return tmp_path


def mined(data: Path, **changes: object) -> Collection:
    return collect(data, **{"books": 2, "queries": 5, **changes})  # type: ignore[arg-type]


def test_a_folder_without_a_catalogue_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"catalog\.csv"):
        mined(tmp_path)


def test_a_catalogue_without_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "catalog.csv").write_text("pgid,title\n1,Emma\n", "utf-8")
    with pytest.raises(UsageError, match="lacks columns"):
        mined(tmp_path)


def test_missing_criticism_is_named(data: Path) -> None:
    (data / "criticism").rename(data / "elsewhere")
    with pytest.raises(NotThere, match="neither criticism/ nor"):
        mined(data)


def test_a_broken_archive_is_named(data: Path) -> None:
    (data / "criticism").rename(data / "elsewhere")
    (data / "criticism.tar.xz").write_bytes(b"not an archive")
    with pytest.raises(UsageError, match="cannot be unpacked"):
        mined(data)


def test_an_unknown_split_is_refused(data: Path) -> None:
    with pytest.raises(UsageError, match="train or held"):
        mined(data, split="test")


def test_a_split_that_nobody_quotes_is_no_match(data: Path) -> None:
    with pytest.raises(NoMatch, match="nothing in"):
        mined(data, split="held")


def test_an_unknown_system_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no system 'guess'"):
        windows.run(tmp_path, systems=["guess"])


def test_the_miner_finds_the_quotation_and_drops_the_edition(data: Path) -> None:
    collection = mined(data)
    assert [work.title for work in collection.works] == ["The Lamplighter"]
    found = [(each.critic_id, each.span.of(collection.works[0].text))
             for each in collection.quotations]  # fmt: skip
    assert found == [("11", QUOTED.removesuffix("."))]


def test_context_is_whole_sentences_that_repeat_nothing_of_the_work(data: Path) -> None:
    quotation = mined(data).quotations[0]
    assert quotation.left[-1] == REMARK
    assert LEAK not in quotation.left
    assert quotation.left[-2] == prose("critic", 6)[-1]
    assert quotation.right[0] == SEQUEL


def test_a_critic_who_never_names_the_author_quotes_somebody_else(data: Path) -> None:
    path = data / "criticism" / "11.txt"
    path.write_text(path.read_text("utf-8").replace("Ann Example", "nobody at all"), "utf-8")
    with pytest.raises(NoMatch):
        mined(data)


def test_the_same_folder_gives_the_same_collection(data: Path) -> None:
    assert mined(data).sha256 == mined(data).sha256


@pytest.mark.parametrize(
    ("author", "title", "split"),
    [
        pytest.param("Jane Austen", "Pride and Prejudice", "test", id="a test work"),
        pytest.param("Jane Austen", "Emma", "held", id="a validation work"),
        pytest.param("Anne Brontë", "The Tenant of Wildfell Hall", "held", id="an accent"),
        pytest.param("Charles Dickens", "A Tale of Two Cities A Story", "held", id="a subtitle"),
        pytest.param("Charles Dickens", "Bleak House", "train", id="any other"),
        pytest.param("Someone Else", "Emma", "train", id="another author's"),
    ],
)  # fmt: skip
def test_splits_are_relics(author: str, title: str, split: str) -> None:
    assert split_of(author, title) == split


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        pytest.param(1, 0, "b", id="the sentence before"),
        pytest.param(1, 1, "b c", id="one on either side"),
        pytest.param(4, 4, "a b c", id="all there is"),
        pytest.param(0, 1, "c", id="the sentence after"),
    ],
)
def test_a_query_is_the_nearest_sentences(left: int, right: int, expected: str) -> None:
    assert Quotation("1", "2", Span(0, 1), ("a", "b"), ("c",)).context(left, right) == expected


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        pytest.param([], 0, id="nothing ranked"),
        pytest.param([0, 0], 0, id="nothing found"),
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
    # gains 0, 2, 1: 2/log2(3) + 1/2; the best order 2, 1: 2 + 1/log2(3)
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
    found = metrics.difference([3, 2, 1], [2, 1, 0])
    assert found == metrics.Interval(1, 1, 1)
    with pytest.raises(ValueError, match="zip"):
        metrics.difference([1], [1, 2])


@pytest.mark.parametrize(
    ("found", "quoted", "expected"),
    [
        pytest.param((0, 10), (0, 10), True, id="the same"),
        pytest.param((0, 10), (5, 100), True, id="half of the shorter"),
        pytest.param((0, 10), (6, 100), False, id="less than half"),
        pytest.param((0, 100), (40, 44), True, id="within"),
        pytest.param((0, 10), (10, 20), False, id="beside it"),
    ],
)
def test_a_hit_shares_half_of_the_shorter(
    found: tuple[int, int], quoted: tuple[int, int], expected: bool
) -> None:
    assert windows.is_it(Span(*found), Span(*quoted)) is expected


def test_a_report_is_one_line_and_one_row() -> None:
    report = Report("windows 1/0", "held", "random", {"mrr": 0.12345678}, 3, 0.5, "m", "ab", "")
    assert json.loads(report.line())["metrics"] == {"mrr": 0.12345678}
    assert "\n" not in report.line()
    assert report.row()["mrr"] == 0.1235


def test_systems_are_compared_with_systems() -> None:
    others = {system.against for system in windows.SYSTEMS.values()} - {""}
    assert others <= windows.SYSTEMS.keys()
    assert set(windows.MAIN) <= windows.SYSTEMS.keys()


def test_a_run_reports_every_system_in_both_contexts(data: Path) -> None:
    systems = [name for name in windows.SYSTEMS if not name.startswith("float32")]
    reports = windows.run(data, books=1, queries=5, systems=systems, threads=1)
    contexts = ("windows 1/0", "windows 1/1")
    asked = [(bench, name) for bench in contexts for name in systems]
    assert [(each.bench, each.system) for each in reports] == asked
    assert {(each.split, each.n, len(each.data_sha256)) for each in reports} == {("train", 1, 64)}
    by_name = {each.system: each.metrics for each in reports[: len(systems)]}
    assert all(0 <= figures["mrr"] <= 1 for figures in by_name.values())
    assert by_name["blocks64"]["rows_per_1000"] == 1000
    assert by_name["blocks64"]["bytes_per_1000"] == 1000 * (2 * 384 + 4)
    assert by_name["whole"]["passes"] > 2.5
    assert by_name["whole-stride2"]["rows_per_1000"] < 510
    assert by_name["hybrid-t16"].keys() >= {"gain", "gain_low", "gain_high"}


def test_the_pieces_rank_as_the_product_does(data: Path) -> None:
    systems = ["blocks64-t16", "product-dense", "lexical-t16", "product-lexical"]
    reports = windows.run(data, books=1, queries=5, systems=systems, threads=1)
    mrr = [each.metrics["mrr"] for each in reports]
    assert mrr[0::2] == mrr[1::2]
