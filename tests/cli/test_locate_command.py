"""scholar locate: the sources of quotations, and how the quotations differ from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded

FIRST = "It is a truth universally acknowledged"


def located(scholar: Scholar, quotation: str, *options: str) -> dict:  # type: ignore[type-arg]
    [record] = succeeded(scholar("locate", quotation, *options, "--json")).json
    return record  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("quotation", "message"),
    [
        ("truth", "a single word cannot be located"),
        ("[added words] truth", "a single word cannot be located"),
        ("…", "the quotation has no words"),
        ("", "the quotation has no words"),
    ],
)
def test_a_short_quotation_is_refused(
    scholar: Scholar, sample: Path, quotation: str, message: str
) -> None:
    assert message in error_line(scholar("locate", quotation), 2)


def test_a_quotation_from_no_book_is_absent(scholar: Scholar, sample: Path) -> None:
    result = scholar("locate", "Call me Ishmael, some years ago", "--json")
    assert "in none of the books searched" in error_line(result, 5)
    [record] = result.json
    assert (record["status"], record["locator"], record["changes"]) == ("absent", None, [])


def test_words_that_are_common_by_chance_are_absent(scholar: Scholar, sample: Path) -> None:
    result = scholar("locate", "and he said that he would never go to the bazaar", "--json")
    assert result.exit_code == 5
    assert result.json[0]["status"] == "absent"


def test_a_verbatim_quotation_has_its_exact_place(scholar: Scholar, sample: Path) -> None:
    record = located(scholar, FIRST.lower())
    assert (record["status"], record["similarity"]) == ("verbatim", 1.0)
    assert record["exact"] == FIRST
    assert record["book"]["id"] == "pg1342"
    shown = succeeded(scholar("show", record["locator"], "--json")).json
    assert shown["exact"] == FIRST
    assert record["selector"]["suffix"].startswith(", that a single man")


def test_changes_are_named_where_they_are(scholar: Scholar, sample: Path) -> None:
    quotation = "It is a truth universaly acknowledged, that a single woman"
    record = located(scholar, quotation)
    assert record["status"] == "altered"
    assert [(change["kind"], change["original"]) for change in record["changes"]] == [
        ("letters", "universally"),
        ("letters", "man"),
    ]
    for change in record["changes"]:
        assert quotation[change["start"] : change["end"]] == change["quoted"]


def test_words_of_the_front_matter_have_a_place_that_every_command_takes(
    scholar: Scholar, own_sample: Path
) -> None:
    epigraph = "Then wear the gold hat, if that will move her"
    record = located(scholar, epigraph)
    assert (record["locator"], record["chapter"]["number"]) == ("pg64317:0.5:0-45", 0)
    assert record["citation"] == "F. Scott Fitzgerald, The Great Gatsby, front matter"
    shown = succeeded(scholar("show", record["locator"], "--json")).json
    assert (shown["exact"], shown["chapter"]) == (epigraph, record["chapter"])
    assert shown["start"] == record["start"]
    assert "front matter" in succeeded(scholar("show", record["locator"])).lines[0]
    assert succeeded(scholar("cite", record["locator"])).lines[0] == "(Fitzgerald)"
    essay = f"He chose “{epigraph}” for his book.\n"
    [checked] = succeeded(scholar("check", "-", "--json", stdin=essay)).json
    assert checked["locator"] == record["locator"]
    succeeded(scholar("collection", "add", "hope", "-", stdin=json.dumps(record)))
    [kept] = succeeded(scholar("collection", "show", "hope", "--json")).json
    assert (kept["locator"], kept["citation"]) == (record["locator"], record["citation"])


@pytest.mark.parametrize(
    ("quotation", "locator"),
    [
        pytest.param("Chapter 23 It was eight o’clock when we", "pg84:27", id="from a heading"),
        pytest.param(
            "clasp me and cling to me for ever. Chapter 23", "pg84:26.41", id="over a chapter's end"
        ),
    ],
)
def test_words_that_no_paragraph_has_alone_have_the_place_where_they_begin(
    scholar: Scholar, sample: Path, quotation: str, locator: str
) -> None:
    record = located(scholar, quotation, "-b", "pg84")
    assert record["locator"] == locator
    assert record["chapter"]["number"] == int(locator.partition(":")[2].partition(".")[0])


def test_the_words_replaced_by_an_ellipsis_are_shown(scholar: Scholar, sample: Path) -> None:
    answer = succeeded(scholar("locate", "So we beat on … borne back ceaselessly")).stdout
    assert answer.startswith("elided")
    assert "[-…-]{+boats against the current+}" in answer
    assert "pg64317:9." in answer


def test_every_place_is_listed_up_to_the_number_asked_for(scholar: Scholar, sample: Path) -> None:
    record = located(scholar, "old sport", "-n", "100")
    statuses = [place["status"] for place in record["others"]]
    assert record["status"] == "verbatim"
    assert statuses.count("verbatim") >= 40
    assert len(located(scholar, "old sport", "-n", "3")["others"]) == 2


@pytest.mark.parametrize(
    ("format", "headings"), [("plain", 0), ("csv", 1), ("md", 2)], ids=["plain", "csv", "md"]
)
def test_rows_have_every_place_of_every_quotation(
    scholar: Scholar, sample: Path, format: str, headings: int
) -> None:
    record = located(scholar, "old sport", "-n", "3")
    locators = [place["locator"] for place in (record, *record["others"])]
    lines = "old sport\nCall me Ishmael, he said\n"
    result = scholar("locate", "-", "-n", "3", "--format", format, stdin=lines)
    assert "1 of the quotations" in error_line(result, 5)
    *rows, absent = result.lines[headings:]
    assert len(rows) == len(locators) == 3
    assert all(locator in row for locator, row in zip(locators, rows, strict=True))
    assert "absent" in absent


def test_a_poem_comes_before_what_names_it(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    line = "My heart leaps up when I behold"
    stanza = f"{line}\nA rainbow in the sky:\nSo was it when my life began;\nSo is it now;"
    path = tmp_path / "poems.txt"
    text = (
        f"POEMS\n\n{line} 12\n\nCHAPTER I\n\n{'A poem. ' * 100}\n\nCHAPTER II. {line}\n\n{stanza}\n"
    )
    path.write_text(text, "utf-8")
    succeeded(scholar("add", str(path), "--title", "Poems"))
    record = located(scholar, line)
    assert record["locator"] == "own-poems:2.1:0-31"
    others = [place["locator"] for place in record["others"]]
    assert others == ["own-poems:2", "own-poems:0.2:0-31"]


def test_only_the_books_that_are_named_are_asked(scholar: Scholar, sample: Path) -> None:
    assert "in none of the books searched" in error_line(
        scholar("locate", FIRST, "-b", "pg84", "--json"), 5
    )
    assert located(scholar, FIRST, "-b", "pg1342")["book"]["id"] == "pg1342"


def test_lines_of_stdin_are_answered_in_their_order(scholar: Scholar, sample: Path) -> None:
    lines = [FIRST, json.dumps({"quote": "old sport"}), "Call me Ishmael, he said", "one"]
    result = scholar("locate", "-", "--format", "jsonl", stdin="\n\n".join(lines))
    assert "2 of the quotations" in error_line(result, 5)
    records = [json.loads(line) for line in result.lines]
    assert [record["quote"] for record in records] == [FIRST, "old sport", lines[2], "one"]
    assert [record["status"] for record in records] == ["verbatim"] * 2 + ["absent"] * 2


@pytest.mark.parametrize("line", ['{"claim": "x"}', '{"quote": 3}', "{", "{" * 5000])
def test_a_line_that_is_no_quotation_has_an_error_and_the_others_are_answered(
    scholar: Scholar, sample: Path, line: str
) -> None:
    lines = f"{FIRST}\n\n{line}\nCall me Ishmael, he said\n"
    result = scholar("locate", "-", "--format", "jsonl", stdin=lines)
    assert "1 of 3 lines could not be answered" in error_line(result, 2)
    right, wrong, absent = (json.loads(line) for line in result.lines)
    assert (right["status"], absent["status"]) == ("verbatim", "absent")
    assert (wrong["status"], wrong["quote"], wrong["locator"]) == ("error", line, None)
    assert wrong["error"].startswith("line 3 is not a quotation")
    assert "error" not in right


@pytest.mark.parametrize("format", ["table", "plain", "csv", "md"])
def test_every_format_names_a_line_that_is_no_quotation(
    scholar: Scholar, sample: Path, format: str
) -> None:
    result = scholar("locate", "-", "--format", format, stdin=f'{{"claim": 3}}\n{FIRST}\n')
    assert "1 of 2 lines could not be answered" in error_line(result, 2)
    assert result.stdout.index("error") < result.stdout.index("claim")
    assert result.stdout.index("claim") < result.stdout.index("verbatim")


def test_bytes_that_are_no_text_are_absent(scholar: Scholar, sample: Path) -> None:
    result = scholar("locate", "-", "--json", stdin="\x00\x01 \ufffd\ufffd\n")
    assert result.exit_code == 5


def test_a_damaged_file_of_words_is_rebuilt(scholar: Scholar, own_sample: Path) -> None:
    located(scholar, FIRST)
    for path in (own_sample / "data" / "books").glob("*/words.npz"):
        path.write_bytes(b"garbage")
    assert located(scholar, FIRST)["status"] == "verbatim"


def test_a_damaged_book_is_named_and_the_others_are_looked_through(
    scholar: Scholar, own_sample: Path
) -> None:
    [folder] = (own_sample / "data" / "books").glob("pg84.*")
    (folder / "text.txt").write_bytes(b"garbage")
    (folder / "words.npz").unlink(missing_ok=True)
    result = succeeded(scholar("locate", FIRST, "--json"))
    assert result.json[0]["book"]["id"] == "pg1342"
    assert "not searched: pg84" in result.stderr


def test_a_quotation_that_may_be_from_a_damaged_book_is_not_called_absent(
    scholar: Scholar, own_sample: Path, tmp_path: Path
) -> None:
    [folder] = (own_sample / "data" / "books").glob("pg84.*")
    (folder / "text.txt").write_bytes(b"garbage")
    (folder / "words.npz").unlink(missing_ok=True)
    essay = tmp_path / "essay.md"
    essay.write_text("“the wretch, the miserable monster whom I had created” is there.\n", "utf-8")
    for command in (("locate", "the miserable monster whom I had created"), ("check", str(essay))):
        result = scholar(*command, "--json")
        message = error_line(result, 1, after_progress=True)
        assert "may be from a book that cannot be read: pg84" in message
        assert [record["status"] for record in result.json] == ["unknown"]


def test_an_empty_library_says_what_to_do(scholar: Scholar) -> None:
    assert "scholar add" in error_line(scholar("locate", FIRST), 4)
