"""scholar kwic: concordance, collocates, frequencies."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded


def test_places_are_listed_with_the_keyword_in_the_middle(scholar: Scholar, sample: Path) -> None:
    lines = succeeded(scholar("kwic", "green light", "-b", "gatsby")).lines
    assert len(lines) == 5
    assert len({line.index("green light") for line in lines}) == 1
    assert lines[0].endswith("pg64317:1.152:400-411")


def test_a_match_within_a_word_leaves_the_word_together(scholar: Scholar, sample: Path) -> None:
    lines = succeeded(scholar("kwic", "colou?r", "--regex", "-b", "gatsby")).lines
    assert any("rosy-coloured" in line for line in lines)


def test_json_lines_have_exact_places(scholar: Scholar, sample: Path) -> None:
    answer = succeeded(scholar("kwic", "old sport", "-n", "3", "--format", "jsonl"))
    records = [json.loads(line) for line in answer.lines]
    assert len(records) == 3
    for record in records:
        shown = succeeded(scholar("show", record["locator"], "--json")).json
        assert (shown["start"], shown["end"]) == (record["start"], record["end"])
        assert shown["exact"].lower().split() == ["old", "sport"]


def test_the_front_matter_is_looked_through(scholar: Scholar, sample: Path) -> None:
    [record] = succeeded(scholar("kwic", "gold hat", "--json")).json
    assert record["locator"] == "pg64317:0.5:14-22"
    assert record["chapter"] == {"number": 0, "title": "", "part": [], "printed": ""}


def test_the_licence_of_project_gutenberg_is_no_front_matter(
    scholar: Scholar, sample: Path
) -> None:
    assert scholar("kwic", "Project Gutenberg").exit_code == 5


@pytest.mark.parametrize("side", ["left", "right"])
def test_lines_are_sorted_from_the_keyword_outwards(
    scholar: Scholar, sample: Path, side: str
) -> None:
    records = succeeded(scholar("kwic", "monster", "--sort", side, "--json")).json
    words = [record[side].casefold().split() for record in records]
    keys = [row[::-1] if side == "left" else row for row in words]
    assert len(keys) > 20
    assert keys == sorted(keys)


def test_frequencies_have_a_row_for_each_chapter(scholar: Scholar, sample: Path) -> None:
    options = ("-b", "gatsby", "--frequency", "chapter")
    table = list(
        csv.DictReader(
            io.StringIO(succeeded(scholar("kwic", "old sport", *options, "--format", "csv")).stdout)
        )
    )
    assert [row["chapter"] for row in table] == list(map(str, range(10)))
    assert table[9] | {"count": ""} == table[9] | {
        "book": "pg64317",
        "title": "The Great Gatsby",
        "chapter_title": "IX",
        "chapter_printed": "9",
        "count": "",
    }
    assert sum(int(row["count"]) for row in table) == 45
    shown = succeeded(scholar("kwic", "old sport", *options)).stdout
    assert "█" in shown
    assert "front matter" in shown


def test_a_frequency_names_its_book_and_chapter_as_other_records_do(
    scholar: Scholar, sample: Path
) -> None:
    [line] = succeeded(scholar("kwic", "green breast", "--json")).json
    by_chapter, by_book = (
        succeeded(scholar("kwic", "green breast", "--frequency", part, "--json")).json
        for part in ("chapter", "book")
    )
    counted = [record for record in by_chapter if record["count"]]
    assert [(record["book"], record["chapter"]) for record in counted] == [
        (line["book"], line["chapter"])
    ]
    assert {record["chapter"] for record in by_book} == {None}


def test_collocates_come_with_their_counts(scholar: Scholar, sample: Path) -> None:
    records = succeeded(scholar("kwic", "green", "-b", "gatsby", "--collocates", "--json")).json
    scores = [record["score"] for record in records]
    assert records[0]["word"] == "light"
    assert scores == sorted(scores, reverse=True)
    assert all(record["near"] <= record["everywhere"] for record in records)


@pytest.mark.parametrize("options", [(), ("--collocates",), ("--frequency", "book")])
def test_words_that_occur_nowhere_are_reported(
    scholar: Scholar, sample: Path, options: tuple[str, ...]
) -> None:
    result = scholar("kwic", "zyzzyva", *options)
    assert result.exit_code == 5
    assert "there is no occurrence" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("…",), "no word to look for"),
        (("(", "--regex"), "is not a regular expression"),
        (("x", "--collocates", "--sort", "left"), "leave one out"),
        (("x", "--collocates", "--window", "0"), "one word or more"),
        (("x", "--collocates", "--frequency", "book"), "leave one out"),
    ],
)
def test_an_invalid_concordance_is_refused(
    scholar: Scholar, sample: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in error_line(scholar("kwic", *arguments), 2)
