"""scholar characters --stats and --conversations, as a user runs them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--stats", "--conversations"], id="two lists"),
        pytest.param(["--stats", "--sheet"], id="a list on a sheet"),
        pytest.param(["--format", "graphml", "--sheet"], id="a graph on a sheet"),
    ],
)
def test_lists_that_do_not_go_together_are_refused(
    scholar: Scholar, quay: Path, arguments: list[str]
) -> None:
    assert "cannot be combined; choose one" in error_line(
        scholar("characters", "quay", *arguments), 2
    )


def test_statistics_add_up_to_what_is_spoken(scholar: Scholar, quay: Path) -> None:
    rows = succeeded(scholar("characters", "quay", "--stats", "--json")).json
    spoken = succeeded(scholar("speakers", "quay", "--json")).json
    assert sum(row["quotations"] for row in rows) == len(spoken) == 8
    for row in rows:
        assert row["quotations"] == len(
            [
                quotation
                for quotation in spoken
                if quotation["speaker"] == row["speaker"] and quotation["chapter"] == row["chapter"]
            ]
        )
        assert row["words"] > row["quotations"]


def test_statistics_are_a_table_and_csv(scholar: Scholar, quay: Path) -> None:
    lines = succeeded(scholar("characters", "quay", "--stats")).lines
    columns = ["speaker", "chapter_printed", "chapter_title", "quotations", "words"]
    assert lines[0].split() == columns
    text = succeeded(scholar("characters", "quay", "--stats", "--format", "csv")).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(lines) - 1
    assert {(row["speaker"], row["speaker_id"], row["book"]) for row in rows} == {
        ("Elizabeth Marsh", "elizabeth-marsh", "own-the-quay"),
        ("Mr. Hale", "mr-hale", "own-the-quay"),
    }
    assert {row["chapter_title"] for row in rows} == {"Chapter 1", "Chapter 2"}


def test_conversations_are_the_edges_of_the_graph(scholar: Scholar, quay: Path) -> None:
    import networkx

    text = succeeded(scholar("characters", "quay", "--conversations", "--format", "csv")).stdout
    (edge,) = csv.DictReader(io.StringIO(text))
    assert {edge["source"], edge["target"]} == {"Elizabeth Marsh", "Mr. Hale"}
    assert edge["chapters"] == "1, 2"
    (record,) = succeeded(scholar("characters", "quay", "--conversations", "--json")).json
    assert (record["turns"], record["chapters"]) == (int(edge["turns"]), [1, 2])
    document = succeeded(scholar("characters", "quay", "--format", "graphml")).stdout
    graph = networkx.parse_graphml(document)
    weights = graph.get_edge_data(edge["source_id"], edge["target_id"])
    assert weights["weight"] == record["turns"]
    assert "Elizabeth" in succeeded(scholar("show", weights["first"], "--context", "2")).stdout
