"""scholar train, as a person runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import relic_works
from front_door import Said, complaint, prose

Scholar = Callable[..., Said]


def test_a_folder_without_texts_says_what_it_should_hold(scholar: Scholar, tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz", reason="mining needs the extra [train]")
    said = scholar("train", "mine", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (said.code, said.stdout) == (4, "")
    assert "primary" in said.stderr
    assert not (tmp_path / "out").exists()


def test_mining_says_what_was_found_and_what_comes_next(scholar: Scholar, tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz", reason="mining needs the extra [train]")
    work = prose("lamplighter")
    sentence = max(work.replace("\n", " ").split(". "), key=len)
    (tmp_path / "primary").mkdir()
    (tmp_path / "criticism").mkdir()
    (tmp_path / "primary" / "n1.txt").write_text(work, "utf-8")
    (tmp_path / "criticism" / "c1.txt").write_text(
        "Example is never more himself than in the book before us, as his readers know.\n\n"
        f"He tells us of the evening in a manner all his own: “{sentence}.”\n\n"
        "Nothing shows better how Example thinks of loneliness, or how little he says.\n\n"
        + "The critics of his day cared for none of this, and said so at some length in print.\n\n"
        * 9,
        "utf-8",
    )
    (tmp_path / "catalog.csv").write_text(
        "pgid,group,author,title,genre\nn1,primary,Ann Example,The Lamplighter,novel\n"
        "c1,criticism,A. Critic,On Example,\n"
    )
    said = scholar("train", "mine", str(tmp_path), "--out", str(tmp_path / "out"))
    assert said.code == 0, said.stderr
    assert "1 critics, 1 quoted works; windows: train 1" in said.stderr
    assert f"next: scholar train retriever --data {tmp_path / 'out'}" in said.stderr
    (mined,) = json.loads((tmp_path / "out" / "train.json").read_text("utf-8")).values()
    assert len(mined["quotes"]) == 1


def test_training_without_data_says_how_to_get_some(scholar: Scholar, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra [train]")
    out = tmp_path / "out"
    said = scholar("train", "retriever", "--data", str(tmp_path), "--out", str(out))
    assert said.code == 4
    assert "scholar train mine" in said.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("books", "code", "said"),
    [
        pytest.param(["pg1342"], 5, "two books", id="one book"),
        pytest.param(["pg158", "pg1342"], 4, "scholar add 158", id="a book without its text"),
        pytest.param(["nobody"], 4, "nobody", id="no book"),
    ],
)
def test_weights_of_the_solver_need_books_with_their_banks(
    scholar: Scholar, tmp_path: Path, books: list[str], code: int, said: str
) -> None:
    pytest.importorskip("torch", reason="training needs the extra [train]")
    out = tmp_path / "weights.json"
    named = [word for each in books for word in ("-b", each)]
    assert said in complaint(scholar("train", "characters", "--out", str(out), *named), code)
    assert not out.exists()


def test_a_model_is_trained_made_small_and_asked(
    scholar: Scholar, shelf: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs the extra [train]")
    import tiny_models

    base = tiny_models.make(tmp_path / "tiny")
    data = relic_works.folder(tmp_path / "data")
    model, small = tmp_path / "model", tmp_path / "small"
    said = scholar(
        "train", "retriever", "--data", str(data), "--out", str(model), "--base", str(base),
        "--device", "cpu", "--steps", "2", "--batch", "8",
    )  # fmt: skip
    assert said.code == 0, said.stderr
    assert f"scholar train export {model}" in said.stderr
    assert scholar("train", "export", str(model), "--out", str(small)).code == 0
    before = scholar("find", "the rain", "--model", str(small))
    assert "run: scholar index rebuild" in before.stderr
    assert scholar("index", "rebuild", "--model", str(small)).code == 0
    found = scholar("find", "the rain", "--model", str(small), "--mode", "dense", "--json")
    assert found.code == 0, found.stderr
    assert found.json
