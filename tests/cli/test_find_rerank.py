"""The second stage of find: another model, none, or one that cannot be loaded."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tiny_causal
import tiny_models
from chat_server import ChatHandler, ChatServer, completion, status
from command_line import Scholar, error_line, succeeded
from scholar_indexes.models.cross_encoder import PairReader

LINE = ("find", "the lamplighter buried the key", "--no-fold", "--explain", "--json")


@pytest.fixture
def cross_encoder(tmp_path: Path) -> Path:
    return tiny_models.make_cross_encoder(tmp_path / "cross")


def test_another_cross_encoder_takes_the_place_of_the_second_stage(
    scholar: Scholar, two_books: Path, cross_encoder: Path
) -> None:
    own = succeeded(scholar(*LINE)).json
    hits = succeeded(scholar(*LINE, "--rerank", str(cross_encoder), "--device", "cpu")).json
    assert [hit["locator"] for hit in hits] != [hit["locator"] for hit in own]
    parts = [hit["explain"]["parts"]["second stage"] for hit in hits]
    assert len(set(parts)) > 1
    assert all(0 < hit["support"] < 1 for hit in hits)


def test_a_model_that_support_was_not_fitted_on_raises_it_nowhere(
    scholar: Scholar, two_books: Path, cross_encoder: Path
) -> None:
    none = succeeded(scholar(*LINE, "--rerank", "none")).json
    hits = succeeded(scholar(*LINE, "--rerank", str(cross_encoder), "--device", "cpu")).json
    support = {hit["locator"]: hit["support"] for hit in none}
    shared = [hit for hit in hits if hit["locator"] in support]
    assert shared
    assert all(hit["support"] <= support[hit["locator"]] + 0.001 for hit in shared)


def test_a_model_that_is_not_here_says_how_to_get_it(scholar: Scholar, two_books: Path) -> None:
    result = scholar(*LINE, "--rerank", "cross-encoder/ms-marco-MiniLM-L6-v2")
    assert "scholar models pull cross-encoder/ms-marco-MiniLM-L6-v2" in error_line(result, 4)


def test_an_encoder_is_no_second_stage(scholar: Scholar, two_books: Path) -> None:
    result = scholar(*LINE, "--rerank", "relic-minilm")
    assert "is for passages, not for reranking" in error_line(result, 2)


def test_a_damaged_model_is_reported_and_the_first_stage_answers(
    scholar: Scholar, two_books: Path, cross_encoder: Path
) -> None:
    none = succeeded(scholar(*LINE, "--rerank", "none")).json
    (cross_encoder / "model.safetensors").write_bytes(b"garbage")
    result = succeeded(scholar(*LINE, "--rerank", str(cross_encoder), "--device", "cpu"))
    assert "using only the first stage" in result.stderr
    assert [hit["locator"] for hit in result.json] == [hit["locator"] for hit in none]


def put_last_first(handler: ChatHandler) -> None:
    """Rank the numbered passages of a prompt from the last to the first."""
    prompt = handler.request_body["messages"][-1]["content"]
    numbers = re.findall(r"^\[(\d+)\]", prompt, re.MULTILINE)
    answer = {str(rank): number for rank, number in enumerate(reversed(numbers), 1)}
    handler.reply_whole(200, completion(json.dumps(answer)), {})


def test_a_language_model_on_a_server_puts_passages_in_its_order(
    scholar: Scholar, two_books: Path
) -> None:
    none = succeeded(scholar(*LINE, "--rerank", "none")).json
    with ChatServer(put_last_first) as server:
        line = (*LINE, "--rerank", "llm", "--llm", "tiny", "--server", server.url)
        result = succeeded(scholar(*line))
        asked = len(server.requests)
        again = succeeded(scholar(*line))
        assert len(server.requests) == asked
    assert "re-ranked by tiny" in result.stderr
    assert "the lamplighter buried the key" in server.prompts[0]
    assert [hit["locator"] for hit in result.json] != [hit["locator"] for hit in none]
    assert again.json == result.json


def test_a_server_that_is_not_there_leaves_the_order_of_the_first_stage(
    scholar: Scholar, two_books: Path
) -> None:
    none = succeeded(scholar(*LINE, "--rerank", "none")).json
    with ChatServer(status(401)) as server:
        line = (*LINE, "--rerank", "llm", "--llm", "tiny", "--server", server.url)
        result = succeeded(scholar(*line))
    assert "keeping the order of the first stage" in result.stderr
    assert [hit["locator"] for hit in result.json] == [hit["locator"] for hit in none]


def test_a_language_model_on_this_machine_puts_passages_in_its_order(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    folder = tiny_causal.make(tmp_path / "causal")
    line = (*LINE, "-n", "3", "--rerank", "llm", "--llm", str(folder), "--device", "cpu")
    result = succeeded(scholar(*line))
    assert "re-ranked by" in result.stderr
    assert len(result.json) == 3


def test_a_server_without_its_method_is_an_error(scholar: Scholar, two_books: Path) -> None:
    result = scholar(*LINE, "--server", "http://localhost:1")
    assert "are for --rerank llm" in error_line(result, 2)


def test_thorough_without_its_package_says_how_to_get_it(scholar: Scholar, two_books: Path) -> None:
    result = scholar(*LINE, "--rerank", "thorough")
    assert "scholar: pip install ./indexes/scholar_thorough" in error_line(result, 2)


def test_thorough_orders_the_best_passages_by_the_large_model(
    scholar: Scholar, two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = succeeded(scholar(*LINE)).json
    tiny_models.make_companion(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    hits = succeeded(scholar(*LINE, "--rerank", "thorough")).json
    assert {hit["read_by"] for hit in small} == {"claims-minilm"}
    assert {hit["read_by"] for hit in hits} == {"thorough-mpnet"}
    lengths = [len(hit["quote"]) for hit in hits]  # this model prefers long passages
    assert lengths[0] > sum(lengths) / len(lengths)


def test_ctrl_c_while_passages_are_read_shows_the_order_of_the_first_stage(
    scholar: Scholar, two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = succeeded(scholar(*LINE, "--rerank", "none")).json
    tiny_models.make_companion(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    def stop(reader: PairReader, claim: str, passages: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PairReader, "read", stop)
    result = succeeded(scholar(*LINE, "--rerank", "thorough"))
    assert "reading was stopped; the passages are in the order of the first stage" in result.stderr
    assert [hit["locator"] for hit in result.json] == [hit["locator"] for hit in none]
    assert {hit["read_by"] for hit in result.json} == {None}


def test_depth_says_how_many_passages_are_read(scholar: Scholar, two_books: Path) -> None:
    few = succeeded(scholar(*LINE, "--depth", "3")).json
    assert sum(hit["read_by"] is not None for hit in few) == 3
    whole = succeeded(
        scholar(*LINE, "-n", "200", "--depth", "all", "-b", "own-the-lamplighter")
    ).json
    assert {hit["read_by"] for hit in whole} == {"claims-minilm"}
    assert len(whole) > 16  # the small model's usual depth


@pytest.mark.parametrize("depth", ["0", "-1", "many", "1e3", "99999"])
def test_a_depth_that_makes_no_sense_is_refused(
    scholar: Scholar, two_books: Path, depth: str
) -> None:
    assert "or all" in error_line(scholar(*LINE, f"--depth={depth}"), 2)


def test_a_whole_book_is_read_of_one_book_alone(scholar: Scholar, two_books: Path) -> None:
    assert "choose one with -b" in error_line(scholar(*LINE, "--depth", "all"), 2)
