"""The predictions of other programs, mainly BookNLP, scored on PDNC's novels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import pdnc_novels
from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.pdnc import pdnc_data, predictions
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.pdnc.predictions import AlignedPredictions
from scholar_indexes.errors import NotThere, UsageError

QUOTES = """quote_start\tquote_end\tmention_start\tmention_end\tmention_phrase\tchar_id\tquote
2\t7\t9\t9\tAnn\t40\t" It was rain , "
11\t16\t9\t9\tAnn\t40\t" and the sea . "
17\t20\t22\t22\tBen\t41\t" Why ? "
24\t29\t31\t31\tAnn\t40\t" The ship left , "
38\t41\tNone\tNone\tNone\tNone\t" Yes , "
"""
ENTITIES = """COREF\tstart_token\tend_token\tprop\tcat\ttext
40\t9\t9\tPROP\tPER\tAnn
40\t31\t31\tPROP\tPER\tpoor Ann
41\t22\t22\tPROP\tPER\tBen
42\t33\t33\tPROP\tPER\tCora
43\t13\t14\tNOM\tLOC\tthe sea
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pdnc_novels.write(tmp_path / "pdnc" / "Novel")
    return tmp_path / "pdnc"


@pytest.fixture
def novel(data: Path) -> AnnotatedNovel:
    return pdnc_data.read(data)[0]


def tokens(text: str, to_place: Callable[[int], int] = lambda place: place) -> str:
    """Return a table of tokens as BookNLP writes it."""
    rows = ["paragraph_ID\ttoken_ID_within_document\tword\tbyte_onset\tbyte_offset"]
    for number, match in enumerate(re.finditer(r"\w+|[^\w\s]", text)):
        start, end = map(to_place, match.span())
        rows.append(f"0\t{number}\t{match.group()}\t{start}\t{end}")
    return "\n".join(rows) + "\n"


def write_booknlp(folder: Path, text: str, name: str = "Novel") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.tokens").write_text(tokens(text), "utf-8")
    (folder / f"{name}.quotes").write_text(QUOTES, "utf-8")
    (folder / f"{name}.entities").write_text(ENTITIES, "utf-8")
    return folder


def read(path: Path, novel: AnnotatedNovel) -> AlignedPredictions:
    return predictions.read(path, [novel], lambda line: None)["Novel"]


def write_lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param('{"novel": "Novel"', "this is not JSON", id="half a line"),
        pytest.param('["Novel"]', "not an object", id="a list"),
        pytest.param('{"quote_id": "Q1", "speaker": "Ben"}', 'no "novel"', id="no novel"),
        pytest.param('{"novel": "Novel", "speaker": "Ben"}', 'no "quote_id"', id="no place"),
        pytest.param('{"novel": "Novel", "quote_id": "Q1"}', 'no "speaker"', id="no speaker"),
        pytest.param(
            '{"novel": "Novel", "quote_id": "Q1", "speaker": 7}', "is not text", id="a number"
        ),
        pytest.param(
            '{"novel": "Novel", "start": 9, "end": 2, "speaker": "Ben"}', "a span", id="backwards"
        ),
    ],
)
def test_a_malformed_line_is_one_error_with_its_place(
    line: str, message: str, novel: AnnotatedNovel, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"novel": "Novel", "quote_id": "Q1", "speaker": null}\n' + line, "utf-8")
    with pytest.raises(UsageError, match=rf"answers\.jsonl, line 2: .*{message}"):
        read(path, novel)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        pytest.param("quotes", "17\t20", "17", r"line 4: 6 cells", id="a cell is missing"),
        pytest.param("quotes", "17\t20", "x\t20", r"line 4: 'x' is not a token", id="no number"),
        pytest.param("quotes", "17\t20", "20\t17", r"line 4: .* ends before", id="backwards"),
        pytest.param("quotes", "char_id", "who", "no column char_id", id="another table"),
        pytest.param("tokens", "0\t3\t", "0\t4\t", "line 5: token '4' where 3", id="a token lost"),
        pytest.param("entities", "PROP\tPER\tBen", "PROP", "line 4: 4 cells", id="half a mention"),
    ],
)
def test_a_malformed_table_of_booknlp_is_one_error_with_its_place(
    file: str, old: str, new: str, message: str, novel: AnnotatedNovel, tmp_path: Path
) -> None:
    path = write_booknlp(tmp_path / "out", novel.text) / f"Novel.{file}"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(UsageError, match=rf"Novel\.{file}, {message}|Novel\.{file}, .*{message}"):
        read(path.parent, novel)


@pytest.mark.parametrize(
    ("missing", "message"),
    [("tokens", r"Novel\.tokens is missing"), ("entities", r"neither Novel\.entities nor")],
)
def test_a_missing_file_of_booknlp_is_named(
    missing: str, message: str, novel: AnnotatedNovel, tmp_path: Path
) -> None:
    folder = write_booknlp(tmp_path / "out", novel.text)
    (folder / f"Novel.{missing}").unlink()
    with pytest.raises(UsageError, match=message):
        read(folder, novel)


def test_files_of_another_text_are_refused(novel: AnnotatedNovel, tmp_path: Path) -> None:
    folder = write_booknlp(tmp_path / "out", novel.text)
    (folder / "Novel.tokens").write_text(tokens(novel.text, lambda place: place + 7), "utf-8")
    with pytest.raises(UsageError, match=r"only .* positions in novel_text\.txt"):
        read(folder, novel)


def test_answers_for_no_novel_that_is_measured_are_not_there(
    novel: AnnotatedNovel, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    for path in (
        tmp_path / "out",
        write_lines(tmp_path / "a.jsonl", {"novel": "X", "quote_id": "Q1", "speaker": "Ben"}),
    ):
        with pytest.raises(NotThere, match="no answers for Novel"):
            read(path, novel)


@pytest.mark.parametrize("nested", [False, True], ids=["one folder", "a folder each"])
def test_booknlps_clusters_answer_for_who_has_their_names(
    nested: bool, novel: AnnotatedNovel, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    write_booknlp(folder / "Novel" if nested else folder, novel.text)
    assert read(folder, novel) == AlignedPredictions((0, 1, 0, None), 5, 0, 0)


def test_the_characters_of_a_book_file_do_without_entities(
    novel: AnnotatedNovel, tmp_path: Path
) -> None:
    folder = write_booknlp(tmp_path / "out", novel.text)
    (folder / "Novel.entities").unlink()
    mentions = {
        40: [{"c": 2, "n": "Ben"}, {"c": 9, "n": "dear Miss Marsh"}],
        41: [{"c": 1, "n": "Nobody"}],
    }
    characters = [
        {"id": cluster, "mentions": {"proper": proper, "common": [], "pronoun": []}}
        for cluster, proper in mentions.items()
    ]
    (folder / "Novel.book").write_text(json.dumps({"characters": characters}), "utf-8")
    aligned = read(folder, novel)
    assert aligned.speakers == (0, -1, 0, None)
    assert aligned.unnamed == 1


def test_offsets_may_count_bytes(tmp_path: Path) -> None:
    text = pdnc_novels.TEXT.replace("Chapter 1", "Chapître 1")
    pdnc_novels.write(tmp_path / "pdnc" / "Novel", text)
    (novel,) = pdnc_data.read(tmp_path / "pdnc")
    folder = write_booknlp(tmp_path / "out", text)
    (folder / "Novel.tokens").write_text(
        tokens(text, lambda place: len(text[:place].encode())), "utf-8"
    )
    assert read(folder, novel).speakers == (0, 1, 0, None)


def test_a_cluster_without_a_name_that_says_i_is_the_narrator(tmp_path: Path) -> None:
    cast = (*pdnc_novels.CAST, ("_narr", ("Narrator",), "X", "minor"))
    pdnc_novels.write(tmp_path / "pdnc" / "Novel", cast=cast)
    (novel,) = pdnc_data.read(tmp_path / "pdnc")
    folder = write_booknlp(tmp_path / "out", novel.text)
    lines = "41\t1\t1\tPRON\tPER\tI\n41\t2\t2\tPRON\tPER\tme\n41\t2\t2\tPRON\tPER\the\n"
    table = ENTITIES.replace("41\t22\t22\tPROP\tPER\tBen\n", lines)
    (folder / "Novel.entities").write_text(table, "utf-8")
    assert read(folder, novel).speakers == (0, 3, 0, None)


def test_lines_without_a_quotation_are_counted_and_reported(
    novel: AnnotatedNovel, tmp_path: Path
) -> None:
    start = novel.text.index("Why?")
    path = write_lines(
        tmp_path / "answers.jsonl",
        {"novel": "Novel", "start": start - 1, "end": start + 5, "speaker": "MR. HALE"},
        {"novel": "Novel", "start": 0, "end": 7, "speaker": "Ben"},
        {"novel": "Novel", "quote_id": "Q99", "speaker": "Ben"},
        {"novel": "Novel", "quote_id": "Q0", "speaker": "Dora"},
        {"novel": "Novel", "quote_id": "Q2", "speaker": None},
        {"novel": "Other", "quote_id": "Q2", "speaker": None},
    )
    said: list[str] = []
    aligned = predictions.read(path, [novel], said.append)["Novel"]
    assert aligned == AlignedPredictions((-1, 1, None, None), 5, 2, 1)
    assert said == [
        "1 lines are about novels that are not measured: Other",
        "Novel: 2 of 4 quotations answered; 2 of 5 lines match no annotated quotation; "
        "1 of 5 lines name nobody in the annotated cast",
    ]


def test_a_quotation_gets_the_speaker_of_most_of_its_text_if_half_of_it_is_given(
    novel: AnnotatedNovel, tmp_path: Path
) -> None:
    first, second = novel.quotations[0].pieces
    ship = novel.quotations[2].span
    path = write_lines(
        tmp_path / "answers.jsonl",
        {"novel": "Novel", "start": first.start, "end": first.end - 4, "speaker": "Ben"},
        {"novel": "Novel", "start": second.start, "end": second.end, "speaker": "Ann"},
        {"novel": "Novel", "start": ship.start, "end": ship.start + 6, "speaker": "Ann"},
    )
    assert read(path, novel).speakers == (0, None, None, None)


def test_answers_that_the_benchmark_wrote_score_what_they_scored(data: Path, lab: Scholar) -> None:
    answers = data.parent / "answers.jsonl"
    shared = ("bench", "pdnc", "--data", str(data), "--json")
    once = succeeded(lab(*shared, "--system", "sieve", "--run", str(answers)))
    again = succeeded(lab(*shared, "--predictions", str(answers)))
    first, second = (
        {report["split"]: report["metrics"] for report in result.json} for result in (once, again)
    )
    for split in ("Novel", "micro", "macro"):
        assert "ece" not in second[split]
        assert first[split] == {**second[split], "ece": first[split]["ece"]}
    assert "Novel: 4 of 4 quotations answered" in again.stderr


def test_predictions_and_systems_exclude_each_other(data: Path, lab: Scholar) -> None:
    for option in (["--raw"], ["--run", "answers.jsonl"], ["--strategy", "first"]):
        refused = lab("bench", "pdnc", "--data", str(data), "--predictions", "x", *option)
        assert option[0] in error_line(refused, 2)
