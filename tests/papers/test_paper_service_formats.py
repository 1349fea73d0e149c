"""Answers of arXiv, OpenAlex, Semantic Scholar, Crossref and DataCite, saved as files."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats import atom, crossref, openalex, semantic_scholar
from service_answers import CROSSREF, DATACITE, FEED, S2_PAPER, WORK, read


def one(module: ModuleType, answer: Any) -> Entry:
    (entry,) = read(module, answer)
    assert isinstance(entry, Entry)
    return entry


def abstract(entry: Entry) -> list[str]:
    return [sentence for sentence, _ in entry.sentences]


MICROPHONE = ["We hang a microphone.", "The tide hums."]


def test_an_arxiv_entry() -> None:
    first, second = read(atom, FEED)
    assert isinstance(first, Entry)
    assert isinstance(second, Entry)
    assert first.line == 7
    assert first.ids == ("doi:10.1234/tides.21", "arxiv:2105.01234")
    assert abstract(first) == [
        "We hang a microphone under a pier.",
        "The error is ≤ 9 cm, at 5% of the cost & in three harbours.",
    ]
    assert first.csl == {
        "type": "article",
        "title": "Counting Tides by Ear: Hydrophones as Cheap Gauges",
        "author": [
            {"family": "Example", "given": "Ada"},
            {"family": "van der Other", "given": "Laurens"},
        ],
        "issued": {"date-parts": [[2021, 5, 3]]},
        "publisher": "arXiv",
        "DOI": "10.1234/tides.21",
        "archive": "arXiv",
        "archive_location": "2105.01234",
        "note": "J. Tides 3 (2021) 1-9",
    }
    assert second.csl["author"] == [{"literal": "Plato"}]


def test_an_arxiv_entry_alone_is_a_file_too() -> None:
    start, end = FEED.index("<entry>"), FEED.index("</entry>")
    alone = FEED[start:end].replace("<entry>", '<entry xmlns="http://www.w3.org/2005/Atom">')
    assert one(atom, alone + "</entry>").ids[1] == "arxiv:2105.01234"


def test_an_openalex_work() -> None:
    entry = one(openalex, WORK)
    assert entry.ids == (
        "doi:10.1234/tides.21",
        "arxiv:2105.01234",
        "openalex:W2741809807",
        "pmid:29456894",
    )
    assert abstract(entry) == [*MICROPHONE, "The a pier listens."]
    assert entry.csl == {
        "type": "article-journal",
        "title": "Counting Tides by Ear",
        "author": [
            {"family": "Example", "given": "Ada"},
            {"family": "Other", "given": "Ben"},
        ],
        "issued": {"date-parts": [[2021, 5, 3]]},
        "container-title": "Journal of Tides",
        "publisher": "Harbour Press",
        "volume": "3",
        "page": "1-9",
        "DOI": "10.1234/tides.21",
        "PMID": "29456894",
        "archive": "arXiv",
        "archive_location": "2105.01234",
        "custom": {"openalex": "W2741809807"},
        "language": "en",
    }
    assert openalex.cited_ids(WORK) == WORK["referenced_works"]


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda work: {"meta": {"count": 1}, "results": [work]}, id="results"),
        pytest.param(lambda work: [work], id="an array"),
        pytest.param(lambda work: json.dumps(work) + "\n", id="a line"),
        pytest.param(lambda work: b"\xef\xbb\xbf" + json.dumps(work, indent=1).encode(), id="BOM"),
        pytest.param(lambda work: json.dumps(work).encode("utf-16"), id="UTF-16"),
    ],
)
def test_works_come_in_many_wrappings(wrap: Callable[[Any], Any]) -> None:
    assert one(openalex, wrap(WORK)).ids == one(openalex, WORK).ids


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        pytest.param(None, "", id="none"),
        pytest.param({}, "", id="empty"),
        pytest.param({"b": [1], "a": [0], "c": [5]}, "a b c", id="gaps"),
        pytest.param({"b": [2**70], "a": [0]}, "a b", id="a place beyond all text"),
        pytest.param({"a": [0, -1, "1", None, 2.5, True], "b": 3, "c": None}, "a", id="no places"),
        pytest.param(
            '{"IndexLength": 2, "InvertedIndex": {"b": [1], "a": [0]}}', "a b", id="older snapshots"
        ),
        pytest.param('{"b": [1], "a": [0]}', "a b", id="as a text"),
        pytest.param("[" * 10_000, "", id="a text nested without end"),
        pytest.param(
            {"ha": list(range(10**5))},
            " ".join(["ha"] * openalex.MAX_WORDS),
            id="longer than any abstract",
        ),
    ],
)
def test_an_inverted_index_is_turned_into_text(index: Any, expected: str) -> None:
    assert openalex.restore_abstract({"abstract_inverted_index": index}) == expected


@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1), max_size=60))
def test_an_inverted_index_gives_back_its_text(words: list[str]) -> None:
    index: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        index.setdefault(word, []).append(place)
    shuffled = dict(sorted(index.items()))
    assert openalex.restore_abstract({"abstract_inverted_index": shuffled}) == " ".join(words)


def test_a_paper_of_semantic_scholar() -> None:
    entry = one(semantic_scholar, S2_PAPER)
    assert entry.ids == (
        "doi:10.1234/tides.21",
        "arxiv:2105.01234",
        "s2:649def34f8be52c8b66281af98ae884c09aef38b",
        "s2:CorpusID:215416146",
        "pmid:29456894",
    )
    assert abstract(entry) == MICROPHONE
    assert entry.csl["type"] == "paper-conference"
    assert entry.csl["container-title"] == "Conference on Tides"
    assert entry.csl["author"] == [{"family": "Example", "given": "Ada"}, {"literal": "Plato"}]
    assert entry.csl["issued"] == {"date-parts": [[2021, 5, 3]]}


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda paper: [paper], id="a batch"),
        pytest.param(lambda paper: {"total": 1, "offset": 0, "data": [paper]}, id="a search"),
        pytest.param(
            lambda paper: {"offset": 0, "data": [{"isInfluential": False, "citedPaper": paper}]},
            id="references",
        ),
        pytest.param(
            lambda paper: {"offset": 0, "next": 1, "data": [{"citingPaper": paper}]}, id="citations"
        ),
        pytest.param(lambda paper: {"citedPaper": paper}, id="a reference alone"),
    ],
)
def test_papers_come_in_many_wrappings(wrap: Callable[[Any], Any]) -> None:
    assert one(semantic_scholar, wrap(S2_PAPER)) == one(semantic_scholar, S2_PAPER)


def test_a_paper_that_has_only_a_title_is_known_by_it() -> None:
    entry = one(
        semantic_scholar, {"paperId": None, "title": "Counting Tides by Ear", "abstract": None}
    )
    assert entry.ids[0].startswith("title:")
    assert entry.sentences == ()
    assert set(entry.csl) == {"type", "title"}


def test_a_work_of_crossref() -> None:
    entry = one(crossref, {"status": "ok", "message-type": "work", "message": CROSSREF})
    assert entry.ids == ("doi:10.1234/tides.21",)
    assert entry.sentences == (
        ("Gauges are dear.", "background"),
        ("We hang a microphone.", "method"),
        ("p < 0.05.", "result"),
    )
    assert entry.csl == {
        "type": "article-journal",
        "title": "Counting Tides by Ear & Eye: Hydrophones as Cheap Gauges",
        "author": [
            {"family": "Example", "given": "Ada"},
            {"family": "Other", "given": "Ben", "suffix": "Jr."},
            {"literal": "The Harbour Consortium"},
        ],
        "issued": {"date-parts": [[2021, 5]]},
        "container-title": "Journal of Tides",
        "publisher": "Harbour Press",
        "volume": "3",
        "page": "1-9",
        "DOI": "10.1234/tides.21",
        "language": "en",
    }
    assert crossref.cited_dois(CROSSREF) == (["10.1234/FLOATS.1"], 1)


def test_a_work_of_datacite() -> None:
    entry = one(crossref, {"data": DATACITE})
    assert entry == one(crossref, DATACITE["attributes"]) == one(crossref, {"data": [DATACITE]})
    assert entry.ids == ("doi:10.5072/tides",)
    assert abstract(entry) == MICROPHONE
    assert entry.csl["type"] == "article"
    assert entry.csl["title"] == "Counting Tides by Ear"
    assert entry.csl["author"] == [
        {"family": "Example", "given": "Ada"},
        {"literal": "Harbour Consortium"},
    ]
    assert entry.csl["issued"] == {"date-parts": [[2021]]}
    assert entry.csl["publisher"] == "Zenodo"
    assert crossref.cited_dois(DATACITE) == (["10.1234/floats.1"], 1)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"message": {"items": [CROSSREF]}}, id="a list"),
        pytest.param([CROSSREF], id="an array"),
        pytest.param(CROSSREF, id="a work alone"),
    ],
)
def test_crossref_works_come_in_many_wrappings(message: Any) -> None:
    assert one(crossref, message).ids == ("doi:10.1234/tides.21",)
