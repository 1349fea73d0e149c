"""Answers of arXiv, OpenAlex, Semantic Scholar, Crossref and DataCite, saved as files."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import atom, crossref, openalex, semantic_scholar

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?id_list=2105.01234" rel="self" type="text/xml"/>
  <title type="html">ArXiv Query: search_query=&amp;id_list=2105.01234,cs/0105012</title>
  <id>http://arxiv.org/api/abc</id>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">2</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2105.01234v2</id>
    <updated>2021-06-01T10:00:00Z</updated>
    <published>2021-05-03T09:30:00Z</published>
    <title>Counting Tides by Ear:
  Hydrophones as Cheap Gauges</title>
    <summary>  We hang a microphone under a pier. The error is $\\leq 9$ cm, at 5% of
the cost &amp; in three harbours.
    </summary>
    <author><name>Ada Example</name><arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Town</arxiv:affiliation></author>
    <author><name>Laurens van der Other</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1234/Tides.21</arxiv:doi>
    <journal_ref xmlns="http://arxiv.org/schemas/atom">J. Tides 3 (2021) 1-9</journal_ref>
    <link href="http://arxiv.org/abs/2105.01234v2" rel="alternate" type="text/html"/>
    <category term="cs.SD" scheme="http://arxiv.org/schemas/atom"/>
  </entry>
  <entry>
    <id>http://arxiv.org/abs/cs/0105012v1</id>
    <published>2001-05-03T09:30:00Z</published>
    <title>An Older Paper About Tides</title>
    <summary>It says little.</summary>
    <author><name>Plato</name></author>
  </entry>
</feed>
"""

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

WORK: dict[str, Any] = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.1234/Tides.21",
    "title": "Counting <i>Tides</i> by Ear",
    "display_name": "Counting Tides by Ear",
    "publication_year": 2021,
    "publication_date": "2021-05-03",
    "ids": {
        "openalex": "https://openalex.org/W2741809807",
        "doi": "https://doi.org/10.1234/tides.21",
        "mag": "2741809807",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/29456894",
    },
    "language": "en",
    "primary_location": {
        "landing_page_url": "https://doi.org/10.1234/tides.21",
        "source": {
            "id": "https://openalex.org/S1",
            "display_name": "Journal of Tides",
            "type": "journal",
            "host_organization_name": "Harbour Press",
        },
    },
    "locations": [
        {"landing_page_url": "https://doi.org/10.1234/tides.21"},
        {"landing_page_url": "https://arxiv.org/abs/2105.01234", "source": None},
    ],
    "type": "article",
    "biblio": {"volume": "3", "issue": None, "first_page": "1", "last_page": "9"},
    "authorships": [
        {"author_position": "first", "author": {"id": "A1", "display_name": "Ada Example"}},
        {"author": {"display_name": None}, "raw_author_name": "Ben Other"},
    ],
    "referenced_works": ["https://openalex.org/W1000001", "https://openalex.org/W1000002"],
    "abstract_inverted_index": {
        "We": [0],
        "hang": [1],
        "a": [2, 8],
        "microphone.": [3],
        "The": [4, 7],
        "tide": [5],
        "hums.": [6],
        "pier": [9],
        "listens.": [10],
    },
}

S2_PAPER: dict[str, Any] = {
    "paperId": "649def34f8be52c8b66281af98ae884c09aef38b",
    "externalIds": {
        "DOI": "10.1234/TIDES.21",
        "ArXiv": "2105.01234",
        "CorpusId": 215416146,
        "MAG": "3015453090",
        "PubMed": "29456894",
        "DBLP": "conf/tides/ExampleO21",
    },
    "title": "Counting Tides by Ear",
    "abstract": "We hang a microphone. The tide hums.",
    "venue": "Conference on Tides",
    "year": 2021,
    "publicationDate": "2021-05-03",
    "publicationTypes": ["Conference", "Review"],
    "journal": {"name": "ArXiv", "volume": "abs/2105.01234", "pages": "1-9"},
    "authors": [{"authorId": "17411", "name": "Ada Example"}, {"authorId": None, "name": "Plato"}],
}

CROSSREF: dict[str, Any] = {
    "DOI": "10.1234/tides.21",
    "type": "journal-article",
    "title": ["Counting <i>Tides</i> by Ear &amp; Eye"],
    "subtitle": ["Hydrophones as Cheap Gauges"],
    "container-title": ["Journal of Tides"],
    "publisher": "Harbour Press",
    "volume": "3",
    "page": "1-9",
    "URL": "https://doi.org/10.1234/tides.21",
    "language": "en",
    "issued": {"date-parts": [[2021, 5]]},
    "author": [
        {"given": "Ada", "family": "Example", "sequence": "first", "affiliation": []},
        {"given": "Ben", "family": "Other", "suffix": "Jr."},
        {"name": "The Harbour Consortium", "sequence": "additional"},
    ],
    "abstract": (
        "<jats:title>Abstract</jats:title>"
        "<jats:sec><jats:title>Background</jats:title><jats:p>Gauges are dear.</jats:p></jats:sec>"
        "<jats:sec><jats:title>Methods</jats:title>"
        "<jats:p>We hang a microphone.</jats:p></jats:sec>"
        "<jats:sec><jats:title>Results</jats:title><jats:p><jats:italic>p</jats:italic> &lt; 0.05."
        "</jats:p></jats:sec>"
    ),
    "reference": [
        {"key": "1", "DOI": "10.1234/FLOATS.1", "doi-asserted-by": "crossref"},
        {"key": "2", "unstructured": "A. Nobody, Wells, 1801."},
    ],
}

DATACITE: dict[str, Any] = {
    "id": "10.5072/tides",
    "type": "dois",
    "attributes": {
        "doi": "10.5072/TIDES",
        "titles": [{"title": "Counting Tides by Ear"}, {"title": "Gehör", "titleType": "Subtitle"}],
        "creators": [
            {
                "name": "Example, Ada",
                "nameType": "Personal",
                "givenName": "Ada",
                "familyName": "Example",
            },
            {"name": "Harbour Consortium", "nameType": "Organizational"},
        ],
        "publisher": "Zenodo",
        "publicationYear": 2021,
        "types": {"resourceTypeGeneral": "Preprint", "ris": "GEN"},
        "container": {"type": "Series", "title": "Tide Papers", "firstPage": "7"},
        "descriptions": [
            {"description": "12 pages", "descriptionType": "Other"},
            {
                "description": "<p>We hang a microphone. The tide hums.</p>",
                "descriptionType": "Abstract",
            },
        ],
        "relatedIdentifiers": [
            {
                "relationType": "References",
                "relatedIdentifierType": "DOI",
                "relatedIdentifier": "10.1234/floats.1",
            },
            {
                "relationType": "Cites",
                "relatedIdentifierType": "URL",
                "relatedIdentifier": "https://example.org",
            },
            {
                "relationType": "IsVersionOf",
                "relatedIdentifierType": "DOI",
                "relatedIdentifier": "10.5072/other",
            },
        ],
        "url": "https://example.org/tides",
        "language": "en",
    },
}


def read(module: ModuleType, answer: Any) -> list[Entry | UnreadableEntry]:
    if isinstance(answer, str):
        data = answer.encode()
    else:
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return list(module.read(data, "answer.json"))


def one(module: ModuleType, answer: Any) -> Entry:
    (entry,) = read(module, answer)
    assert isinstance(entry, Entry)
    return entry


def abstract(entry: Entry) -> list[str]:
    return [sentence for sentence, _ in entry.sentences]


MICROPHONE = ["We hang a microphone.", "The tide hums."]


# Refusals


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
def test_what_is_no_answer_of_a_service_is_refused(module: ModuleType, data: bytes) -> None:
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
def test_what_is_no_atom_is_refused(data: bytes) -> None:
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
        pytest.param(atom, ARXIV_ERROR, "arXiv says: incorrect id format", id="arXiv: an error"),
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


# What is read


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


# Whatever the services send

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


@pytest.mark.parametrize(("module", "sample"), SAMPLES)
@settings(max_examples=150, deadline=None)
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
            continue  # the place is in what was replaced before
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


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=30), st.integers(0, len(FEED)), st.integers(0, 200))
def test_a_feed_with_anything_in_it_breaks_nothing(text: str, at: int, length: int) -> None:
    feed = FEED[:at] + text + FEED[at + length :]
    try:
        records = read(atom, feed.encode("utf-8", "surrogatepass"))
    except NoPapers:
        return
    for record in records:
        repr(record).encode()
