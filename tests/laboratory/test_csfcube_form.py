"""Collections in CSFCube's format: invalid files, then reading."""

from __future__ import annotations

import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from csfcube_papers import DATA, FILES, OTHER, PAIR, PAPER, SENTENCE, Line, folder, lines
from scholar_cli.laboratory.csfcube import csfcube_data, csfcube_systems
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.types import Facet


@pytest.mark.parametrize("missing", FILES)
def test_a_file_that_is_not_there_is_named(tmp_path: Path, missing: str) -> None:
    folder(tmp_path, [PAPER, OTHER], [PAIR])
    (tmp_path / missing).unlink()
    with pytest.raises(NotThere, match=missing):
        csfcube_data.load_collection(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("{", "line 3: this is not JSON", id="not JSON"),
        pytest.param("[" * 100_000, "line 3: this is not JSON", id="nested without an end"),
        pytest.param("[]", "line 3: this is not an object", id="a list"),
        pytest.param({**PAPER, "paper_id": ""}, 'there is no "paper_id"', id="no id"),
        pytest.param({**PAPER, "paper_id": True}, 'there is no "paper_id"', id="an id of yes"),
        pytest.param(PAPER, "duplicate paper '1'", id="a second of one id"),
        pytest.param({**PAPER, "paper_id": 3, "title": None}, 'no "title"', id="no title"),
        pytest.param(
            {**PAPER, "paper_id": 3, "abstract": "We sort."},
            "not a list of sentences",
            id="an abstract of one text",
        ),
        pytest.param(
            {**PAPER, "paper_id": 3, "abstract": ["We sort."]},
            "not a list of sentences",
            id="sentences without facets",
        ),
        pytest.param(
            {**PAPER, "paper_id": 3, "abstract": [{**SENTENCE, "facet": "aim"}]},
            "'aim' is not a sentence facet; choose from background",
            id="unknown facet",
        ),
        pytest.param(
            {**PAPER, "paper_id": 3, "abstract": [{**SENTENCE, "facet": []}]},
            "is not a sentence facet",
            id="a facet that is a list",
        ),
        pytest.param(
            {**PAPER, "paper_id": 3, "abstract": [{"facet": "method"}]},
            'no "text"',
            id="a sentence without text",
        ),
    ],
)
def test_a_broken_paper_is_one_line(tmp_path: Path, line: str | Line, message: str) -> None:
    folder(tmp_path, [PAPER, OTHER], [PAIR])
    with (tmp_path / "papers.jsonl").open("a", encoding="utf-8") as file:
        file.write(line if isinstance(line, str) else json.dumps(line))
    with pytest.raises(UsageError) as refusal:
        csfcube_data.load_collection(tmp_path)
    assert message in str(refusal.value)
    assert "papers.jsonl, line 3: " in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("null", "this is not an object", id="nothing"),
        pytest.param({**PAIR, "query_id": None}, 'there is no "query_id"', id="no query"),
        pytest.param({**PAIR, "query_id": "9"}, "no paper '9' in papers.jsonl", id="query of none"),
        pytest.param({**PAIR, "candidate_id": "9"}, "no paper '9'", id="candidate of none"),
        pytest.param(
            {**PAIR, "facet": "other"},
            "'other' is not a query facet; choose from background, method, result",
            id="a facet nobody asks for",
        ),
        pytest.param({**PAIR, "facet": 1}, "1 is not a query facet", id="facet of a number"),
        pytest.param(PAIR, "'2' is judged twice", id="twice"),
        pytest.param({**PAIR, "facet": "result", "relevance": 4}, "from 0 to 3", id="above 3"),
        pytest.param({**PAIR, "facet": "result", "relevance": -1}, "from 0 to 3", id="below 0"),
        pytest.param({**PAIR, "facet": "result", "relevance": 1.5}, "not an integer", id="between"),
        pytest.param({**PAIR, "facet": "result", "relevance": True}, "not an integer", id="yes"),
        pytest.param({**PAIR, "facet": "result", "relevance": "2"}, "not an integer", id="a text"),
    ],
)
def test_a_broken_judgement_is_one_line(tmp_path: Path, line: str | Line, message: str) -> None:
    folder(tmp_path, [PAPER, OTHER], [PAIR])
    with (tmp_path / "annotations.jsonl").open("a", encoding="utf-8") as file:
        file.write(line if isinstance(line, str) else json.dumps(line))
    with pytest.raises(UsageError) as refusal:
        csfcube_data.load_collection(tmp_path)
    assert message in str(refusal.value)
    assert "annotations.jsonl, line 2: " in str(refusal.value)


def test_a_folder_that_judges_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="judges nothing"):
        csfcube_data.load_collection(folder(tmp_path, [PAPER], []))


def test_a_query_that_has_itself_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'1' \(method\) has no candidate but itself"):
        csfcube_data.load_collection(folder(tmp_path, [PAPER], [{**PAIR, "candidate_id": "1"}]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"no archive", "cannot be unpacked", id="not packed"),
        pytest.param(lzma.compress(b"{}\n" * 500)[:-20], "cannot be unpacked", id="cut short"),
        pytest.param(lzma.compress(b"\xff\xfe"), "it is not UTF-8 text", id="not UTF-8"),
    ],
)
def test_a_damaged_archive_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    folder(tmp_path, [PAPER], [PAIR])
    (tmp_path / "papers.jsonl").unlink()
    (tmp_path / "papers.jsonl.xz").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        csfcube_data.load_collection(tmp_path)


def test_an_archive_is_not_unpacked_without_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csfcube_data, "MAX_BYTES", 1024**2)
    folder(tmp_path, [PAPER], [PAIR])
    (tmp_path / "papers.jsonl").unlink()
    (tmp_path / "papers.jsonl.xz").write_bytes(lzma.compress(bytes(2 * 1024**2)))
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        csfcube_data.load_collection(tmp_path)


NAMES = st.sampled_from(["paper_id", "title", "abstract", "facet", "text", "query_id"])

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(NAMES | st.text(), inner),
    max_leaves=10,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANYTHING)
def test_no_line_whatever_raises_anything_but_our_own(tmp_path: Path, value: Any) -> None:
    for papers, pairs in (([value], [PAIR]), ([PAPER, OTHER], [PAIR, value])):
        with pytest.raises(UsageError):
            csfcube_data.load_collection(folder(tmp_path, papers, pairs))


def test_objective_sentences_count_as_background() -> None:
    first = csfcube_data.load_collection(DATA).papers["1001"]
    assert first.facets == (
        Facet.BACKGROUND,
        Facet.BACKGROUND,
        Facet.BACKGROUND,
        Facet.METHOD,
        Facet.METHOD,
        Facet.RESULT,
    )
    asked = csfcube_systems.ask_facet(first, Facet.BACKGROUND)
    assert asked.of(first) == first.sentences[:3]


def test_papers_carry_no_id_and_no_year() -> None:
    papers = csfcube_data.load_collection(DATA).papers.values()
    assert {(paper.id, paper.year, paper.ids) for paper in papers} == {("", None, ())}


def test_the_query_is_not_in_its_own_pool() -> None:
    assert {"query_id": "1002", "facet": "result", "candidate_id": "1002", "relevance": 0} in lines(
        "annotations.jsonl"
    )
    for query in csfcube_data.load_collection(DATA).queries:
        assert len(query.grades) == 11
        assert query.paper_id not in query.grades


def test_a_packed_file_is_the_same_collection(tmp_path: Path) -> None:
    shutil.copy(DATA / "annotations.jsonl", tmp_path)
    packed = lzma.compress((DATA / "papers.jsonl").read_bytes())
    (tmp_path / "papers.jsonl.xz").write_bytes(packed)
    assert csfcube_data.load_collection(tmp_path) == csfcube_data.load_collection(DATA)


@pytest.mark.parametrize("name", FILES)
def test_the_hash_is_of_both_files(tmp_path: Path, name: str) -> None:
    for file in FILES:
        shutil.copy(DATA / file, tmp_path)
    text = (tmp_path / name).read_text("utf-8")
    (tmp_path / name).write_text(text.replace("1012", "1013"), "utf-8")
    if name == FILES[1]:
        changed = [{**line, "relevance": 3 - line["relevance"]} for line in lines(name)]
        folder(tmp_path, lines(FILES[0]), changed)
    else:
        changed = [{**line, "title": line["title"] + "!"} for line in lines(name)]
        folder(tmp_path, changed, lines(FILES[1]))
    assert (
        csfcube_data.load_collection(tmp_path).sha256 != csfcube_data.load_collection(DATA).sha256
    )


def test_half_a_character_and_a_number_for_an_id_are_read(tmp_path: Path) -> None:
    papers = [{**PAPER, "paper_id": 1, "title": "\ud800 Sorting"}, OTHER]
    collection = csfcube_data.load_collection(folder(tmp_path, papers, [{**PAIR, "query_id": 1}]))
    assert collection.papers["1"].title == "? Sorting"


def test_predicted_facets_take_the_place_of_the_data_s_own() -> None:
    collection = csfcube_data.load_collection(DATA)
    relabelled = csfcube_data.relabel(
        collection, lambda texts: [Facet.RESULT] * len(texts), ["1001", "1012"]
    )
    for name, paper in relabelled.papers.items():
        own = set(collection.papers[name].facets)
        assert set(paper.facets) == ({Facet.RESULT} if name in ("1001", "1012") else own)
    assert relabelled.queries == collection.queries


def test_a_facet_too_few_is_named() -> None:
    with pytest.raises(
        ScholarError, match="5 facets were predicted for the 6 sentences of paper '1001'"
    ):
        csfcube_data.relabel(
            csfcube_data.load_collection(DATA),
            lambda texts: [Facet.OTHER] * (len(texts) - 1),
            ["1001"],
        )
