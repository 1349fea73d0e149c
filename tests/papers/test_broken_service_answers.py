"""Answers of services that are damaged or in an undocumented form."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import atom, crossref, openalex, semantic_scholar
from service_answers import CROSSREF, DATACITE, FEED, S2_PAPER, WORK, read

ARXIV_ERROR = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <entry>
    <id>http://arxiv.org/api/errors#incorrect_id_format_for_1234</id>
    <title>Error</title>
    <summary>incorrect id format for 1234</summary>
    <author><name>arXiv api core</name></author>
  </entry>
</feed>
"""


@pytest.mark.parametrize("module", [openalex, semantic_scholar, crossref])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>Service unavailable</html>", id="HTML"),
        pytest.param(b'{"title": ', id="cut off"),
        pytest.param(b'"a text"', id="a text"),
        pytest.param(b"17", id="a number"),
        pytest.param(b'{"error": "Not found"}', id="an error"),
        pytest.param(b"[" * 100_000, id="nested without end"),
        pytest.param(b'{"a":' * 100_000, id="objects without end"),
        pytest.param(b"\xff\xfe\x00\x01", id="no text"),
    ],
)
def test_an_invalid_answer_of_a_service_is_refused(module: ModuleType, data: bytes) -> None:
    with pytest.raises(NoPapers, match=r"answer\.json") as refused:
        read(module, data)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"Rate exceeded.", id="a text"),
        pytest.param(b"<html><body>Busy</body></html>", id="HTML"),
        pytest.param(b"{}", id="JSON"),
        pytest.param(b"<a>" * 10_000, id="nested without end"),
    ],
)
def test_an_invalid_atom_feed_is_refused(data: bytes) -> None:
    with pytest.raises(NoPapers, match="is not an Atom feed"):
        read(atom, data)


@pytest.mark.parametrize(
    ("module", "answer", "reason"),
    [
        pytest.param(openalex, {"results": [None]}, "not a record", id="OpenAlex: null"),
        pytest.param(
            openalex,
            {"id": WORK["id"], "title": None, "abstract_inverted_index": None},
            "a title nor an abstract (openalex:W2741809807)",
            id="OpenAlex: empty",
        ),
        pytest.param(semantic_scholar, [None], "not a record", id="S2: unknown in a batch"),
        pytest.param(
            semantic_scholar,
            {"data": [{"citedPaper": {"paperId": None}}]},
            "neither a title",
            id="S2: a citation not resolved",
        ),
        pytest.param(
            crossref,
            {"message": {"DOI": "10.1234/x", "title": []}},
            "neither a title",
            id="Crossref: empty",
        ),
        pytest.param(atom, ARXIV_ERROR, "arXiv error: incorrect id format", id="arXiv: an error"),
    ],
)
def test_a_record_that_is_no_paper_is_reported(
    module: ModuleType, answer: Any, reason: str
) -> None:
    (broken,) = read(module, answer)
    assert isinstance(broken, UnreadableEntry)
    assert reason in broken.reason


def test_a_broken_line_among_good_ones_is_reported_with_its_number() -> None:
    lines = [json.dumps(WORK)] * 5
    lines[2] = lines[2][:90]
    records = read(openalex, "\n".join(["", *lines]) + "\r\n")
    assert [type(record) for record in records] == [Entry, Entry, UnreadableEntry, Entry, Entry]
    assert [record.line for record in records] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("cost &amp; in", "cost & in", id="a bare ampersand"),
        pytest.param("cost &amp; in", "cost \x01 in", id="a control character"),
        pytest.param(
            "    </summary>\n    <author><name>Ada",
            "    <author><name>Ada",
            id="an element not closed",
        ),
    ],
)
def test_damaged_xml_costs_only_the_entry_it_is_in(old: str, new: str) -> None:
    assert old in FEED
    first, second = read(atom, FEED.replace(old, new))
    assert isinstance(first, UnreadableEntry)
    assert first.line == 7
    assert isinstance(second, Entry)
    assert second.ids == ("arxiv:cs/0105012",)


def test_a_feed_cut_off_loses_only_its_last_entry() -> None:
    first, second = read(atom, FEED[: FEED.index("little")])
    assert isinstance(first, Entry)
    assert isinstance(second, UnreadableEntry)


def test_xml_reads_no_files_and_does_not_explode(tmp_path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    dtd = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    feed = FEED.replace(
        "<feed",
        f'<!DOCTYPE feed [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY e0 "ha">{dtd}]><feed',
    ).replace("It says little.", "It says &x; &e11;.")
    last = read(atom, feed)[-1]
    assert "secret" not in repr(last)
    assert len(repr(last)) < 2_000


WEIRD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)

SAMPLES = [
    pytest.param(openalex, WORK, id="OpenAlex"),
    pytest.param(semantic_scholar, S2_PAPER, id="Semantic Scholar"),
    pytest.param(crossref, CROSSREF, id="Crossref"),
    pytest.param(crossref, DATACITE, id="DataCite"),
]


def places(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the paths of all values in a record."""
    steps = record.items() if isinstance(record, dict) else enumerate(record)
    for step, value in steps:
        yield (*path, step)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, step))


@pytest.mark.slow
@pytest.mark.parametrize(("module", "sample"), SAMPLES)
@given(data=st.data())
def test_a_value_of_another_type_than_documented_breaks_nothing(
    module: ModuleType, sample: dict[str, Any], data: st.DataObject
) -> None:
    record = copy.deepcopy(sample)
    for _ in range(data.draw(st.integers(1, 3))):
        *path, last = data.draw(st.sampled_from(list(places(sample))))
        inner = record
        try:
            for step in path:
                inner = inner[step]
            inner[last] = data.draw(WEIRD)
        except (TypeError, KeyError, IndexError):
            continue  # the path is inside a value that was replaced before
    try:
        records = read(module, record)
    except NoPapers:
        return
    if hasattr(module, "cited"):
        module.cited(record)
    for entry in records:
        repr(entry).encode()
        if isinstance(entry, Entry):
            assert entry.ids
            assert entry.csl.get("title") or entry.sentences
            json.dumps(entry.csl, ensure_ascii=False).encode()
            assert all(sentence for sentence, _ in entry.sentences)


@given(st.text(max_size=30), st.integers(0, len(FEED)), st.integers(0, 200))
def test_a_feed_with_anything_in_it_breaks_nothing(text: str, at: int, length: int) -> None:
    feed = FEED[:at] + text + FEED[at + length :]
    try:
        records = read(atom, feed.encode("utf-8", "surrogatepass"))
    except NoPapers:
        return
    for record in records:
        repr(record).encode()
