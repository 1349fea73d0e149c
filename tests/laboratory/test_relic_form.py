"""RELiC's own format: invalid files, then reading, writing and the splits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.relic_data import QuotationWindow, QuotedWork
from scholar_indexes.errors import NotThere, UsageError

FORM: dict[str, Any] = {
    "quotes": {
        "070789": [["Before.", "Nearer."], 1, 2, ["After."]],
        "070790": [[], 3, 1, []],
    },
    "sentences": ["One.", "Two.", "Three.", "Four."],
    "candidates": {
        "1_sentence": [0, 1, 2, 3],
        "2_sentence": [0, 1, 2],
        "3_sentence": [0, 1],
        "4_sentence": [0],
        "5_sentence": [],
    },
}
"""A work in the form that RELiC released."""


def read(folder: Path, **changes: Any) -> QuotedWork:
    """Return the one work of a file with changed parts; None removes a part."""
    form = {name: part for name, part in (FORM | changes).items() if part is not None}
    (folder / "val.json").write_text(json.dumps({"The Lamplighter": form}), "utf-8")
    (work,) = relic_data.read(folder, "val")
    return work


def test_a_split_that_is_none_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose one of train, val, test"):
        relic_data.read(tmp_path, "held")


def test_a_split_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"there is no .*train\.json"):
        relic_data.read(tmp_path, "train")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        pytest.param(b"", "cannot be read as JSON", id="empty"),
        pytest.param(b'{"A": ', "cannot be read as JSON", id="cut off"),
        pytest.param(b'{"A\xff": {}}', "cannot be read as JSON", id="not UTF-8"),
        pytest.param(b"[]", "must map works", id="a list"),
        pytest.param(b'"works"', "must map works", id="a text"),
        pytest.param(b'{"A": []}', "of 'A'", id="a work that is a list"),
        pytest.param(b'{"A": null}', "of 'A'", id="a work that is nothing"),
    ],
)
def test_a_file_that_is_not_in_the_form_is_refused(
    tmp_path: Path, content: bytes, match: str
) -> None:
    (tmp_path / "val.json").write_bytes(content)
    with pytest.raises(UsageError, match=rf"val\.json.*{match}"):
        relic_data.read(tmp_path, "val")


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "val.json").mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        relic_data.read(tmp_path, "val")


@pytest.mark.parametrize("part", ["quotes", "sentences", "candidates"])
@pytest.mark.parametrize("value", [None, 7, "a text"], ids=["missing", "a number", "a text"])
def test_a_work_without_one_of_its_parts_is_named(tmp_path: Path, part: str, value: object) -> None:
    with pytest.raises(UsageError, match="of 'The Lamplighter'"):
        read(tmp_path, **{part: value})


@pytest.mark.parametrize(
    ("quote", "match"),
    [
        pytest.param([[], 9, 1, []], r"'q' \(1 sentences from 9\)", id="beyond the last sentence"),
        pytest.param([[], -1, 1, []], r"'q' \(1 sentences from -1\)", id="before the first"),
        pytest.param([[], 2, 3, []], r"'q' \(3 sentences from 2\)", id="ends too late"),
        pytest.param([[], 0, 5, []], r"'q' \(5 sentences from 0\)", id="too long"),
        pytest.param([[], 0, 6, []], r"'q' \(6 sentences from 0\)", id="longer than any"),
        pytest.param([[], 0, 0, []], r"'q' \(0 sentences from 0\)", id="no sentence"),
        pytest.param([[], 0, 1], "cannot read the quotes", id="no right side"),
        pytest.param([[], None, 1, []], "cannot read the quotes", id="an answer that is hidden"),
        pytest.param([[], "one", 1, []], "cannot read the quotes", id="a start that is a word"),
        pytest.param(["Before.", 0, 1, []], "cannot read the quotes", id="a side that is a text"),
        pytest.param({"start": 0}, "cannot read the quotes", id="an object"),
        pytest.param(3, "cannot read the quotes", id="a number"),
    ],
)
def test_a_quotation_that_cannot_be_asked_for_is_refused(
    tmp_path: Path, quote: object, match: str
) -> None:
    with pytest.raises(UsageError, match=match):
        read(tmp_path, quotes={"q": quote})


def test_a_quotation_that_is_not_among_the_candidates_is_refused(tmp_path: Path) -> None:
    candidates = {**FORM["candidates"], "2_sentence": [0, 2]}
    with pytest.raises(UsageError, match=r"'070789' .* is not among the candidates"):
        read(tmp_path, candidates=candidates)
    candidates.pop("2_sentence")
    with pytest.raises(UsageError, match=r"'070789' .* is not among the candidates"):
        read(tmp_path, candidates=candidates)


@pytest.mark.parametrize("starts", [[0, 1, 2, 3, 4], [-1], [0, 9]])
def test_candidates_outside_the_work_are_refused(tmp_path: Path, starts: list[int]) -> None:
    with pytest.raises(UsageError, match="candidates of 1 sentences are outside"):
        read(tmp_path, candidates={**FORM["candidates"], "1_sentence": starts}, quotes={})


def test_a_work_is_read(tmp_path: Path) -> None:
    work = read(tmp_path)
    assert work.title == "The Lamplighter"
    assert work.windows[0] == QuotationWindow("070789", ("Before.", "Nearer."), 1, 2, ("After.",))
    assert work.candidates == {1: (0, 1, 2, 3), 2: (0, 1, 2), 3: (0, 1), 4: (0,), 5: ()}
    assert work.text(1, 2) == "Two. Three."


def test_more_than_the_form_needs_is_left_out(tmp_path: Path) -> None:
    quote = [["Before."], 0, 1, [], "the quotation", 17]
    candidates = {**FORM["candidates"], "6_sentence": [99]}
    work = read(tmp_path, quotes={"q": quote}, candidates=candidates)
    assert work.windows == (QuotationWindow("q", ("Before.",), 0, 1, ()),)
    assert max(work.candidates) == relic_data.LONGEST


def test_a_work_nobody_quotes_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, quotes={}).windows == ()


@pytest.mark.parametrize(
    ("left", "right", "claim"),
    [
        pytest.param(1, 0, "b [MASK]", id="the sentence before"),
        pytest.param(0, 1, "[MASK] c", id="the sentence after"),
        pytest.param(1, 1, "b [MASK] c", id="one on either side"),
        pytest.param(4, 4, "a b [MASK] c d e", id="all there is"),
        pytest.param(0, 0, "[MASK]", id="nothing"),
    ],
)
def test_a_claim_is_the_nearest_sentences_around_the_mask(
    left: int, right: int, claim: str
) -> None:
    assert QuotationWindow("q", ("a", "b"), 0, 1, ("c", "d", "e")).claim(left, right) == claim


def test_written_works_are_read_back(tmp_path: Path) -> None:
    work = read(tmp_path)
    relic_data.write(tmp_path / "new", "train", [work])
    assert relic_data.read(tmp_path / "new", "train") == (work,)
    written = json.loads((tmp_path / "new" / "train.json").read_text("utf-8"))
    assert written == {"The Lamplighter": FORM}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["train.json"]


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    work = read(tmp_path)
    before = (tmp_path / "val.json").read_bytes()
    broken = QuotedWork("Broken", ("One.",), (), {1: (object(),)})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        relic_data.write(tmp_path, "val", [work, broken])
    assert (tmp_path / "val.json").read_bytes() == before


def test_a_hash_names_texts_and_queries(tmp_path: Path) -> None:
    work = read(tmp_path)
    same = relic_data.sha256([work])
    assert same == relic_data.sha256([read(tmp_path)])
    for changes in (
        {"sentences": ["One.", "Two.", "Three.", "Five."]},
        {"quotes": {"070789": FORM["quotes"]["070789"]}},
        {"quotes": {**FORM["quotes"], "070790": [["New."], 3, 1, []]}},
    ):
        assert relic_data.sha256([read(tmp_path, **changes)]) != same


@pytest.mark.parametrize(
    ("author", "title", "split"),
    [
        pytest.param("Jane Austen", "Pride and Prejudice", "test", id="a test work"),
        pytest.param("F. Scott Fitzgerald", "The Great Gatsby", "test", id="an article"),
        pytest.param("Jane Austen", "Emma", "val", id="a validation work"),
        pytest.param("Anne Brontë", "The Tenant of Wildfell Hall", "val", id="an accent"),
        pytest.param("Charles Dickens", "A Tale of Two Cities: A Story", "val", id="a subtitle"),
        pytest.param("Charles Dickens", "Bleak House", "train", id="any other"),
        pytest.param("Someone Else", "Emma", "train", id="another author's"),
        pytest.param("", "Emma", "train", id="nobody's"),
    ],
)
def test_splits_are_relics(author: str, title: str, split: str) -> None:
    assert relic_data.split_of(author, title) == split
