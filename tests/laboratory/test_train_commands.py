"""`scholar-lab train`, run from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import relic_works
from command_line import Scholar, error_line, make_book_text


def test_a_folder_without_texts_says_what_it_should_hold(lab: Scholar, tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz", reason="mining needs the extra [lab]")
    result = lab("train", "mine", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (result.exit_code, result.stdout) == (4, "")
    assert "primary" in result.stderr
    assert not (tmp_path / "out").exists()


def test_mining_says_what_was_found_and_what_comes_next(lab: Scholar, tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz", reason="mining needs the extra [lab]")
    work = make_book_text("lamplighter")
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
    result = lab("train", "mine", str(tmp_path), "--out", str(tmp_path / "out"))
    assert result.exit_code == 0, result.stderr
    assert "1 critics, 1 quoted works; windows: train 1" in result.stderr
    assert f"next: scholar-lab train retriever --data {tmp_path / 'out'}" in result.stderr
    (mined,) = json.loads((tmp_path / "out" / "train.json").read_text("utf-8")).values()
    assert len(mined["quotes"]) == 1


def test_training_without_data_says_how_to_get_some(lab: Scholar, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra [lab]")
    out = tmp_path / "out"
    result = lab("train", "retriever", "--data", str(tmp_path), "--out", str(out))
    assert result.exit_code == 4
    assert "scholar-lab train mine" in result.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("books", "code", "message"),
    [
        pytest.param(["pg1342"], 5, "two books", id="one book"),
        pytest.param(["pg158", "pg1342"], 4, "scholar add 158", id="a book without its text"),
        pytest.param(["nobody"], 4, "nobody", id="no book"),
    ],
)
def test_weights_of_the_solver_need_books_with_their_banks(
    lab: Scholar, tmp_path: Path, books: list[str], code: int, message: str
) -> None:
    pytest.importorskip("torch", reason="training needs the extra [lab]")
    out = tmp_path / "weights.json"
    named = [word for book in books for word in ("-b", book)]
    assert message in error_line(lab("train", "characters", "--out", str(out), *named), code)
    assert not out.exists()


@pytest.mark.slow
def test_a_model_is_trained_made_small_and_asked(
    scholar: Scholar, lab: Scholar, two_books: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs the extra [lab]")
    import tiny_models

    base = tiny_models.make(tmp_path / "tiny")
    data = relic_works.folder(tmp_path / "data")
    model, small = tmp_path / "model", tmp_path / "small"
    result = lab(
        "train",
        "retriever",
        "--data",
        str(data),
        "--out",
        str(model),
        "--base",
        str(base),
        "--device",
        "cpu",
        "--steps",
        "2",
        "--batch",
        "8",
    )
    assert result.exit_code == 0, result.stderr
    assert f"scholar-lab train export {model}" in result.stderr
    assert lab("train", "export", str(model), "--out", str(small)).exit_code == 0
    before = scholar("find", "the rain", "--model", str(small))
    assert "run: scholar index rebuild" in before.stderr
    assert scholar("index", "rebuild", "--model", str(small)).exit_code == 0
    result = scholar("find", "the rain", "--model", str(small), "--mode", "dense", "--json")
    assert result.exit_code == 0, result.stderr
    assert result.json
