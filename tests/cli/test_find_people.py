"""scholar find in books whose people are known, its second stage, and many claims at once."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from libraries import add_book
from scholar_cli.commands import common
from scholar_indexes.attribution import people
from scholar_indexes.errors import Damaged
from scholar_indexes.models import registry
from scholar_indexes.settings import DEFAULT_RERANKER

PEOPLE = "finding who is in each sentence"
AS_WORDS = "names are matched as words"
QUAY = {"id": "own-the-quay", "title": "The Quay", "author": "Ann Example"}


def test_a_claim_is_answered_without_people_where_they_are_not_known(
    scholar: Scholar, quay: Path
) -> None:
    answer = succeeded(scholar("find", "Elizabeth is angry", "-b", "quay", "--json"))
    assert answer.stderr.splitlines() == [
        "who is in each sentence of The Quay is not known yet, so names are matched as words "
        "there; to match people, run: scholar index people -b own-the-quay; or add --wait"
    ]
    assert answer.json
    assert all(hit["people_unknown"] == [QUAY] for hit in answer.json)
    assert all(hit["characters"] is None for hit in answer.json)


def test_an_answer_without_people_is_not_kept_as_the_answer_with_them(
    scholar: Scholar, quay: Path
) -> None:
    line = ("find", "Elizabeth is angry", "-b", "quay", "--json")
    without = succeeded(scholar(*line)).json
    succeeded(scholar("index", "people", "-b", "own-the-quay"))
    known = succeeded(scholar(*line))
    assert known.stderr == ""
    assert all(hit["characters"] is not None for hit in known.json)
    assert not any("people_unknown" in hit for hit in known.json)
    assert [hit["score"] for hit in known.json] != [hit["score"] for hit in without]


def test_people_that_cannot_be_found_leave_the_answer_without_them(
    scholar: Scholar, quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(*_: object, **__: object) -> None:
        raise Damaged("the model of people is damaged; run: scholar doctor")

    line = ("find", "Elizabeth is angry", "-b", "quay", "--json")
    monkeypatch.setattr(people, "find_people", find)
    assert "model of people is damaged" in error_line(
        scholar(*line, "--wait"), 1, after_progress=True
    )
    answer = succeeded(scholar(*line))
    assert answer.json
    assert answer.stderr.count(AS_WORDS) == 1


def test_the_people_of_one_book_are_found_once_where_that_is_waited_for(
    scholar: Scholar, quay: Path
) -> None:
    line = ("find", "Elizabeth is angry", "-b", "quay", "--json", "--wait")
    first = succeeded(scholar(*line))
    assert PEOPLE in first.stderr
    assert AS_WORDS not in first.stderr
    assert all(hit["characters"] is not None for hit in first.json)
    again = succeeded(scholar(*line))
    assert again.stderr == ""
    assert again.json == first.json


def test_a_name_that_only_follows_a_title_is_a_name(scholar: Scholar, quay: Path) -> None:
    assert AS_WORDS in succeeded(scholar("find", "Hale burns a letter", "--json")).stderr


def test_progress_is_shown_where_people_are_found_for_a_claim_alone(
    scholar: Scholar, quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels: list[str] = []
    monkeypatch.setattr(
        common, "progress", lambda: nullcontext(lambda label, done, total: labels.append(label))
    )
    assert PEOPLE in succeeded(scholar("find", "Elizabeth is angry", "--wait")).stderr
    assert labels


def test_a_claim_without_a_name_needs_no_people(scholar: Scholar, quay: Path) -> None:
    result = succeeded(scholar("find", "the lamp is lit", "-b", "quay", "--json", "--wait"))
    assert result.stderr == ""
    assert {hit["characters"] is None for hit in result.json} == {True}


@pytest.mark.parametrize("claim", ["Peregrine is cold", "Because nobody had told her to go"])
def test_no_book_is_read_for_a_capital_that_is_nobodys_name(
    scholar: Scholar, quay: Path, tmp_path: Path, claim: str
) -> None:
    sentences = (f"A coat of the tailor's has {number} buttons of brass." for number in range(9))
    add_book(quay, tmp_path / "coats.txt", " ".join(sentences), "On Coats")
    answer = succeeded(scholar("find", claim, "--json", "--wait"))
    assert PEOPLE not in answer.stderr
    assert AS_WORDS not in answer.stderr


def test_books_without_known_people_are_searched_as_they_are(
    scholar: Scholar, home: Path, tmp_path: Path
) -> None:
    for thing in ("boat", "net", "sail"):
        text = " ".join(f"On the pier Elizabeth mended {thing} {number}." for number in range(40))
        add_book(home, tmp_path / f"{thing}.txt", text, f"On a {thing}")
    claim = ("find", "Elizabeth works on the pier", "-n", "9", "--no-fold", "--json")
    answer = succeeded(scholar(*claim))
    assert answer.stderr.count(AS_WORDS) == 1
    in_hits = {hit["book"]["id"] for hit in answer.json}
    assert f" and {len(in_hits) - 1} other book" in answer.stderr
    assert {book["id"] for book in answer.json[0]["people_unknown"]} == in_hits
    result = succeeded(scholar(*claim, "--wait"))
    assert result.stderr.count(PEOPLE) == 1
    assert result.stderr.count(AS_WORDS) == 1
    assert "scholar index people" in result.stderr
    assert "weak" not in result.stderr


def test_names_that_no_book_has_cause_no_message(scholar: Scholar, two_books: Path) -> None:
    result = succeeded(scholar("find", "Anna is angry"))
    assert "names are matched as words" not in result.stderr


def test_people_are_found_only_in_the_book_with_the_named_character(
    scholar: Scholar, quay: Path, tmp_path: Path
) -> None:
    sentences = (f"A coat of the tailor's has {number} buttons of brass." for number in range(40))
    add_book(quay, tmp_path / "coats.txt", " ".join(sentences), "On Coats")
    claim = ("find", "Elizabeth has nowhere to go in the rain", "-n", "3", "--json", "--wait")
    first = succeeded(scholar(*claim))
    assert f"{PEOPLE} of The Quay" in first.stderr
    assert PEOPLE not in succeeded(scholar(*claim)).stderr


def test_people_are_found_ahead_of_time(scholar: Scholar, quay: Path) -> None:
    assert "found in 1 books" in succeeded(scholar("index", "people")).stderr
    assert "found in 0 books" in succeeded(scholar("index", "people", "-b", "quay")).stderr
    result = succeeded(scholar("find", "Elizabeth is angry", "--json"))
    assert result.stderr == ""
    assert all(hit["characters"] is not None for hit in result.json)


def test_a_book_in_which_nobody_speaks_is_read_once(
    scholar: Scholar, home: Path, tmp_path: Path
) -> None:
    sentences = (
        f"The rain of the month of number {number} fell on stones." for number in range(40)
    )
    add_book(home, tmp_path / "rain.txt", " ".join(sentences), "On Rain")
    assert "found in 1 books" in succeeded(scholar("index", "people")).stderr
    result = succeeded(scholar("find", "Anna is angry", "--json"))
    assert "names are matched as words" not in result.stderr
    assert all(hit["characters"] == [] for hit in result.json)


def test_passages_with_the_named_character_come_first(scholar: Scholar, quay: Path) -> None:
    succeeded(scholar("index", "people"))
    hits = succeeded(scholar("find", "Elizabeth", "-b", "quay", "--no-fold", "--json")).json
    names = [[character["name"] for character in hit["characters"]] for hit in hits[:3]]
    assert all(any("Elizabeth" in name for name in of_hit) for of_hit in names)


def test_the_second_stage_can_be_left_out(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "grief over what was lost", "--json")
    both = succeeded(scholar(*line)).json
    first = succeeded(scholar(*line, "--rerank", "none")).json
    assert [hit["score"] for hit in both] != [hit["score"] for hit in first]


@pytest.mark.parametrize(
    ("model", "code", "message"),
    [
        pytest.param("nowhere", 4, "scholar models pull nowhere", id="not here"),
        pytest.param("relic-minilm", 2, "is for passages, not for reranking", id="another task"),
    ],
)
def test_a_model_that_cannot_rank_is_refused(
    scholar: Scholar, two_books: Path, model: str, code: int, message: str
) -> None:
    result = scholar("find", "the sea", "--rerank", model)
    assert message in error_line(result, code)


def test_with_a_damaged_second_stage_the_first_answers(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(registry.find(DEFAULT_RERANKER, tmp_path).folder, folder)
    (folder / "model.onnx").write_bytes(b"garbage")
    line = ("find", "the sea", "--json")
    result = succeeded(scholar(*line, "--rerank", str(folder)))
    assert "using only the first stage" in result.stderr
    assert result.json == succeeded(scholar(*line, "--rerank", "none")).json


def test_hits_can_be_read_in_the_order_of_the_text(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "who mended the clock?", "--json")
    best = succeeded(scholar(*line)).json
    in_text = succeeded(scholar(*line, "--order", "text")).json
    places = [(hit["book"]["id"], hit["start"]) for hit in in_text]
    assert places == sorted(places)
    assert {hit["locator"] for hit in in_text} == {hit["locator"] for hit in best}


def test_many_claims_are_answered_in_order(scholar: Scholar, two_books: Path) -> None:
    lines = [
        "who mended the clock?",
        "",
        json.dumps({"claim": "burned the map", "book": "lamplighter", "n": 2}),
        "a letter about the orchard",
    ]
    result = succeeded(scholar("find", "--claims", "-", "-n", "3", stdin="\n".join(lines)))
    answers = [json.loads(line) for line in result.lines]
    assert [answer["claim"] for answer in answers] == [
        "who mended the clock?",
        "burned the map",
        "a letter about the orchard",
    ]
    assert [len(answer["hits"]) for answer in answers] == [3, 2, 3]
    assert {hit["book"]["title"] for hit in answers[1]["hits"]} == {"The Lamplighter"}
    assert [hit["rank"] for hit in answers[0]["hits"]] == [1, 2, 3]


def test_a_claim_of_a_file_says_whose_people_are_not_known(scholar: Scholar, quay: Path) -> None:
    lines = "Elizabeth is angry\nthe lamp is lit\nElizabeth laughs\n"
    result = succeeded(scholar("find", "--claims", "-", stdin=lines))
    named, unnamed, again = map(json.loads, result.lines)
    assert named["people_unknown"] == again["people_unknown"] == [QUAY]
    assert "people_unknown" not in unnamed
    assert result.stderr.count(AS_WORDS) == 1
    waited = succeeded(scholar("find", "--claims", "-", "--wait", stdin=lines))
    assert "people_unknown" not in waited.stdout
    assert AS_WORDS not in waited.stderr


def test_a_claim_of_a_file_is_answered_as_it_is_alone(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    (tmp_path / "claims.txt").write_text("\ufeffburned the map\r\n", "utf-8")
    [answer] = map(
        json.loads, succeeded(scholar("find", "--claims", str(tmp_path / "claims.txt"))).lines
    )
    assert answer["hits"] == succeeded(scholar("find", "burned the map", "--json")).json


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("{", id="no JSON"),
        pytest.param('{"book": "lamplighter"}', id="no claim"),
        pytest.param('{"claim": 7}', id="a number for a claim"),
        pytest.param('{"claim": "x", "n": 0}', id="no passages"),
        pytest.param('{"claim": "x", "colour": "red"}', id="an unknown field"),
        pytest.param("?!", id="no words"),
        pytest.param('{"claim": "x", "book": "nowhere"}', id="no such book"),
        pytest.param("[" * 90_000, id="deeply nested"),
    ],
)
def test_a_line_that_is_no_claim_does_not_stop_the_others(
    scholar: Scholar, two_books: Path, tmp_path: Path, line: str
) -> None:
    (tmp_path / "claims.txt").write_text(f"{line}\nburned the map\n", "utf-8")
    result = scholar("find", "--claims", str(tmp_path / "claims.txt"))
    broken, whole = map(json.loads, result.lines)
    assert broken["error"].startswith("line 1: ")
    assert len(whole["hits"]) == 10
    assert "1 of 2 lines could not be answered" in error_line(result, result.exit_code)
    assert result.exit_code != 0


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        pytest.param(["?!", "{"], 2, id="lines that make no sense"),
        pytest.param(['{"claim": "x", "book": "nowhere"}'] * 2, 4, id="no such book"),
        pytest.param(["?!", '{"claim": "x", "book": "nowhere"}'], 1, id="one of each"),
        pytest.param(['{"claim": "x", "book": "nowhere"}', "?!"], 1, id="the same, turned round"),
    ],
)
def test_the_exit_code_of_claims_does_not_depend_on_their_order(
    scholar: Scholar, two_books: Path, lines: list[str], code: int
) -> None:
    result = scholar("find", "--claims", "-", stdin="\n".join(lines))
    assert "2 of 2 lines could not be answered" in error_line(result, code)


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        pytest.param(("find",), 2, "there is no claim", id="nothing"),
        pytest.param(("find", "x", "--claims", "-"), 2, "leave one out", id="two ways"),
        pytest.param(
            ("find", "--claims", "-", "--format", "csv"), 2, "in JSON lines", id="claims as CSV"
        ),
        pytest.param(
            ("find", "--claims", "-", "--format", "table"), 2, "in JSON lines", id="claims as table"
        ),
        pytest.param(("find", "--claims", "nowhere.txt"), 4, "name a file of claims", id="no file"),
    ],
)
def test_an_invalid_search_is_refused(
    scholar: Scholar, two_books: Path, line: tuple[str, ...], code: int, message: str
) -> None:
    result = scholar(*line)
    assert message in error_line(result, code)
