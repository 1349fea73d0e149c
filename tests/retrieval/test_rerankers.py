"""The choice of the model that re-ranks the best passages."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tiny_models
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.paths import Paths, user_paths
from scholar_indexes.retrieval.rerankers.automatic import FEWEST, SAMPLES
from scholar_indexes.retrieval.rerankers.by_name import Rerankers
from scholar_indexes.retrieval.rerankers.cross_encoders import THOROUGH_MODEL
from scholar_indexes.retrieval.rerankers.resources import Clocks, Resources
from scholar_indexes.retrieval.second_stage import PassageInContext
from scholar_indexes.settings import AUTO, DEFAULT_RERANKER, NO_RERANKER, THOROUGH, Settings

LONG = PassageInContext("", "He wept at the grave every evening, and nobody could comfort him.", "")
SHORT = PassageInContext("", "It rained.", "")

Make = Callable[..., Rerankers]


@pytest.fixture
def paths(home: Path) -> Paths:
    return user_paths()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def make(paths: Paths, said: list[str]) -> Make:
    """Return second stages on a machine where the thorough model takes `seconds` per passage, in
    `threads` threads, to which other programs leave a `share` of their cores."""

    def stages(
        name: str, seconds: float | None = None, *, share: float = 1.0, threads: int = 1
    ) -> Rerankers:
        settings = replace(Settings(), rerank=name, threads=threads)
        passed = (seconds or 0.0) * SAMPLES
        cores = SAMPLES / math.ceil(SAMPLES / threads)
        after = Clocks(7.0 + passed, 1.0 + passed * cores * share)
        times = iter([] if seconds is None else [Clocks(7.0, 1.0), after])
        return Rerankers(Resources(paths, settings, said.append, lambda: next(times)))

    return stages


@pytest.fixture
def companion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of the thorough model, with a tiny one in it."""
    folder = tiny_models.make_companion(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return folder


def name_of(stages: Rerankers, name: str | None = None) -> str:
    reranker = stages.get(name)
    assert reranker is not None
    return reranker.name


def test_without_the_package_thorough_says_how_to_get_it(make: Make) -> None:
    with pytest.raises(ConfigError, match=r"pip install \./indexes/scholar_thorough"):
        make(THOROUGH).get()


def test_without_the_package_the_small_model_ranks(make: Make) -> None:
    stages = make(AUTO)
    assert stages.model_name() == DEFAULT_RERANKER
    assert name_of(stages) == DEFAULT_RERANKER


def test_thorough_reads_with_the_model_of_the_package(make: Make, companion: Path) -> None:
    stages = make(THOROUGH)
    assert stages.model_name() == THOROUGH_MODEL
    reranker = stages.get()
    assert reranker is not None
    assert (reranker.name, reranker.depth, reranker.is_slow) == (THOROUGH_MODEL, 24, True)
    long, short = reranker.score("grief", [LONG, SHORT]).tolist()
    assert long > short > 0


def test_a_slow_model_reports_each_passage(make: Make, companion: Path) -> None:
    reranker = make(THOROUGH).get()
    assert reranker is not None
    reported: list[tuple[int, int]] = []
    reranker.score("grief", [LONG, SHORT], lambda label, done, of: reported.append((done, of)))
    assert reported == [(1, 2), (2, 2)]


def test_auto_takes_the_thorough_model_where_it_is_quick(make: Make, companion: Path) -> None:
    assert name_of(make(AUTO, seconds=0.1)) == THOROUGH_MODEL
    assert make(AUTO).model_name() == THOROUGH_MODEL


@pytest.mark.parametrize(
    ("seconds", "depth"), [(0.001, 24), (0.06, 24), (0.075, 20), (0.12, FEWEST), (0.13, None)]
)
def test_auto_reads_as_many_passages_as_the_machine_is_quick_for(
    make: Make, companion: Path, seconds: float, depth: int | None
) -> None:
    for stages in (make(AUTO, seconds=seconds), make(AUTO)):
        reranker = stages.get()
        assert reranker is not None
        assert (reranker.depth if reranker.name == THOROUGH_MODEL else None) == depth
        assert stages.model_name() == (THOROUGH_MODEL if depth else DEFAULT_RERANKER)


def test_auto_takes_the_small_model_where_the_thorough_one_is_slow(
    make: Make, companion: Path
) -> None:
    stages = make(AUTO, seconds=60.0)
    assert name_of(stages) == DEFAULT_RERANKER
    assert name_of(stages, THOROUGH) == THOROUGH_MODEL  # still available on request


def test_the_speed_is_measured_once(make: Make, companion: Path, paths: Paths) -> None:
    make(AUTO, seconds=0.1).get()
    assert name_of(make(AUTO)) == THOROUGH_MODEL  # this clock fails if it is read
    assert list(json.loads(paths.speeds.read_text("utf-8")).values()) == [0.1]


@pytest.mark.parametrize("threads", [1, 2, 3, SAMPLES, 16])
def test_a_busy_machine_decides_only_for_this_process(
    make: Make, companion: Path, paths: Paths, threads: int
) -> None:
    assert name_of(make(AUTO, seconds=0.2, share=0.6, threads=threads)) == DEFAULT_RERANKER
    assert not paths.speeds.exists()
    assert name_of(make(AUTO, seconds=0.1, share=0.9, threads=threads)) == THOROUGH_MODEL
    assert name_of(make(AUTO, threads=threads)) == THOROUGH_MODEL


def test_a_machine_that_is_quick_though_busy_reads_with_the_thorough_model(
    make: Make, companion: Path, paths: Paths
) -> None:
    assert name_of(make(AUTO, seconds=0.1, share=0.6)) == THOROUGH_MODEL
    assert not paths.speeds.exists()


@pytest.mark.parametrize("content", ["", "[]", '{"a": []}', "\0"])
def test_a_broken_file_of_speeds_is_measured_again(
    make: Make, companion: Path, paths: Paths, content: str
) -> None:
    paths.speeds.parent.mkdir(parents=True, exist_ok=True)
    paths.speeds.write_text(content, "utf-8")
    assert name_of(make(AUTO, seconds=0.1)) == THOROUGH_MODEL


def test_if_the_thorough_model_is_damaged_the_small_one_ranks(
    make: Make, companion: Path, said: list[str]
) -> None:
    (companion / "model.onnx").write_bytes(b"garbage")
    assert name_of(make(AUTO)) == DEFAULT_RERANKER
    assert "using the small model instead" in said[0]
    with pytest.raises(Damaged):
        make(THOROUGH).get()


@pytest.mark.parametrize("change", [{"layout": "other"}, {"weight": "heavy"}, {"depth": []}])
def test_a_card_that_makes_no_sense_is_damaged(
    make: Make, companion: Path, change: dict[str, object]
) -> None:
    card = json.loads((companion / "card.json").read_text("utf-8"))
    (companion / "card.json").write_text(json.dumps(card | change), "utf-8")
    with pytest.raises(Damaged, match="scholar models verify"):
        make(THOROUGH).get()


def test_none_is_no_second_stage(make: Make) -> None:
    assert make(NO_RERANKER).get() is None
