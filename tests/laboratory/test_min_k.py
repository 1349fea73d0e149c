"""Min-K%: the probability of a novel's annotation under a language model."""

from __future__ import annotations

from pathlib import Path

import pytest

import pdnc_novels
import tiny_causal
from chat_server import ChatServer, answer_well
from scholar_cli.laboratory.pdnc import memorisation, pdnc_data
from scholar_cli.laboratory.pdnc.min_k import draw_instances, min_k, verbalize
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.llm.loading import load
from scholar_indexes.llm.local_model import LocalModel
from scholar_indexes.llm.remote_model import RemoteModel


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    folder = tiny_causal.make(tmp_path_factory.mktemp("causal") / "tiny", positions=2_048)
    return load(str(folder), "cpu")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pdnc_novels.talk(tmp_path / "pdnc" / "Novel", seed=1, quotations=40)
    return tmp_path / "pdnc"


@pytest.fixture
def novel(data: Path) -> AnnotatedNovel:
    return pdnc_data.read(data)[0]


def test_a_text_without_tokens_has_no_likelihood() -> None:
    with pytest.raises(ValueError, match="without tokens"):
        min_k([], 20)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        pytest.param(1, -9, id="one token at least"),
        pytest.param(20, -9, id="one of five"),
        pytest.param(50, -8, id="two of five, rounded down"),
        pytest.param(100, -5, id="all"),
    ],
)
def test_the_least_likely_tokens_are_averaged(k: float, expected: float) -> None:
    assert min_k([-1, -9, -3, -7, -5], k) == expected


def test_an_instance_says_all_that_is_annotated(tmp_path: Path) -> None:
    folder = pdnc_novels.write(tmp_path / "Novel")
    table = folder / "quotation_info.csv"
    lines = table.read_text("utf-8").splitlines()
    rows = [f"{lines[0]},addressees", *(f"{line},\"['Cora']\"" for line in lines[1:])]
    table.write_text("\n".join(rows) + "\n", "utf-8")
    novel = pdnc_data.read_novel(folder)
    assert verbalize(novel, 2, "A Novel", "Ann Example") == (
        "In A Novel by Ann Example, quotation Q2 reads: “The ship left,” Its speaker is Ann Marsh. "
        "It is addressed to Cora Finch. Its type is Explicit."
    )


def test_a_fifth_of_the_annotation_is_drawn_by_the_seed(novel: AnnotatedNovel) -> None:
    def drawn(seed: int, most: int = 99) -> list[str]:
        return draw_instances(novel, title="T", author="A", seed=seed, most=most)

    assert len(drawn(1)) == len(set(drawn(1))) == 8
    assert drawn(1) == drawn(1) != drawn(2)
    assert len(drawn(1, most=3)) == 3


def test_the_likelihood_of_a_token_is_conditional_on_earlier_tokens(model: LocalModel) -> None:
    lead, text = "the quotations", " of a novel, he said"
    logs = model.token_log_probabilities(lead + text)
    assert len(logs) == model.count_tokens(lead + text)
    assert all(log < 0 for log in logs)
    (after,) = model.continuation_log_probabilities("", [(lead, text)])
    assert logs[model.count_tokens(lead) :] == pytest.approx(after, abs=1e-4)


def test_text_longer_than_the_context_loses_its_end(model: LocalModel) -> None:
    logs = model.token_log_probabilities("he said " * 2_000)
    assert len(logs) == 2_047


def test_a_model_of_this_machine_has_all_three_probes_and_a_server_two(
    data: Path, model: LocalModel
) -> None:
    (report,) = memorisation.run(data, model, most=2)
    assert report.metrics["min_k"] < 0
    assert {"csg_memorised", "csg_reasoned"} <= report.metrics.keys()
    with ChatServer(answer_well) as server:
        (asked,) = memorisation.run(data, RemoteModel(server.url, "x"), most=2)
    assert report.metrics.keys() - asked.metrics.keys() == {"min_k"}


def test_more_of_the_tokens_are_likelier(data: Path, model: LocalModel) -> None:
    values = [
        memorisation.run(data, model, most=1, k=k)[0].metrics["min_k"] for k in (5, 20, 60, 100)
    ]
    assert values == sorted(values)
    assert values[0] < values[-1]
