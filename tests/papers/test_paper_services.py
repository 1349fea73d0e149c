"""Fetching papers from arXiv, Crossref, DataCite, OpenAlex and Semantic Scholar.

Each service is a real server on the loopback interface that answers as the real one does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from http_server import closed_port
from mirror_server import Answer, MirrorServer, body, raw, redirect, status
from scholar_indexes.errors import NoPapers, NotThere, Offline, RetryLater, ScholarError, UsageError
from scholar_indexes.net.client import Fetcher
from scholar_indexes.papers import services
from scholar_indexes.papers.entry import Entry, UnreadableEntry

PLACES = {
    "arxiv": "/api/query",
    "crossref": "/crossref/works/",
    "datacite": "/dois/",
    "openalex": "/openalex/works/",
    "semanticscholar": "/graph/v1/paper/",
}
ABSTRACT = "We hang a microphone. The tide hums."
FIELDS = services.semantic_scholar.FIELDS
HASH = "649def34f8be52c8b66281af98ae884c09aef38b"


def atom(arxiv_id: str = "2105.01234v2") -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><entry>
<id>http://arxiv.org/abs/{arxiv_id}</id><published>2021-05-03T09:30:00Z</published>
<title>Counting Tides by Ear</title><summary>{ABSTRACT}</summary>
<author><name>Ada Example</name></author></entry></feed>""".encode()


EMPTY_FEED = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title></feed>'
ERROR_FEED = atom("x").replace(b"http://arxiv.org/abs/x", b"http://arxiv.org/api/errors#bad")


def s2(title: str, **more: Any) -> dict[str, Any]:
    return {"paperId": HASH, "externalIds": {}, "title": title, "abstract": ABSTRACT, **more}


def work(number: int, doi: str | None = None, **more: Any) -> dict[str, Any]:
    index: dict[str, list[int]] = {}
    for place, word in enumerate(ABSTRACT.split()):
        index.setdefault(word, []).append(place)
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/{doi}" if doi else None,
        "title": f"Work {number} on Tides",
        "abstract_inverted_index": index,
        "referenced_works": [],
        **more,
    }


def registered(doi: str, abstract: str | None = ABSTRACT, **more: Any) -> dict[str, Any]:
    message = {"DOI": doi, "title": ["Counting Tides by Ear"], "type": "journal-article", **more}
    if abstract:
        message["abstract"] = f"<jats:p>{abstract}</jats:p>"
    return {"status": "ok", "message-type": "work", "message": message}


def as_json(value: Any) -> Answer:
    return body(json.dumps(value).encode())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "nothing") as server:
        yield server


@pytest.fixture
def announcements() -> list[str]:
    """Return the list that collects announcements, but for those of downloads."""
    return []


@pytest.fixture
def fetch(
    server: MirrorServer, tmp_path: Path, announcements: list[str]
) -> Callable[..., list[Any]]:
    """Return services.fetch from the server, without pauses and long waits."""

    def announce(line: str) -> None:
        if not line.startswith("downloading"):
            announcements.append(line)

    def fetch(
        reference: str, *, offline: bool = False, **more: Any
    ) -> list[Entry | UnreadableEntry]:
        fetcher = Fetcher(
            tmp_path / "cache", offline=offline, pause_s=0, timeout_s=5, retries=1, max_wait_s=1
        )
        more.setdefault("bases", {name: server.url(place) for name, place in PLACES.items()})
        return list(services.fetch(reference, fetcher, announce=announce, **more))

    return fetch


def requests(server: MirrorServer) -> list[tuple[str, dict[str, str]]]:
    """Return the requests as the service reads them: decoded path and query."""
    split = [urlsplit(path) for path in server.requested_paths]
    return [
        (unquote(url.path), {key: value[0] for key, value in parse_qs(url.query).items()})
        for url in split
    ]


def abstract(entry: Entry | UnreadableEntry) -> str:
    assert isinstance(entry, Entry)
    return " ".join(sentence for sentence, _ in entry.sentences)


def s2_path(paper: str, **query: Any) -> str:
    rest = "".join(f"&{key}={value}" for key, value in query.items())
    return f"/graph/v1/paper/{paper}?fields={FIELDS}{rest}"


def references_path(paper: str, offset: int = 0) -> str:
    return s2_path(f"{paper}/references", offset=offset, limit=500)


# Refusals


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param("", id="nothing"),
        pytest.param("attention is all you need", id="a title"),
        pytest.param("title:0123456789abcdef", id="a title's hash"),
        pytest.param("key:devlin2019", id="a citation key"),
        pytest.param("https://example.org/10", id="another address"),
        pytest.param("arxiv:\x1b[2J", id="control characters"),
        pytest.param("isbn:9780141439518", id="a book"),
    ],
)
def test_what_no_service_knows_is_refused_unasked(
    fetch, server: MirrorServer, reference: str
) -> None:
    with pytest.raises(UsageError, match=r"write it as arxiv:") as refused:
        fetch(reference)
    assert str(refused.value).isprintable()
    assert server.requested_paths == []


def test_an_address_for_a_service_that_is_none_is_refused(fetch) -> None:
    with pytest.raises(UsageError, match="no service 'scopus'; there are arxiv, crossref"):
        fetch("arxiv:2105.01234", bases={"scopus": "https://example.org"})


def test_an_address_that_is_none_is_refused_with_the_name_of_the_service(fetch) -> None:
    with pytest.raises(UsageError, match=r"^arXiv: file:///etc/passwd\?.* is not a web address"):
        fetch("arxiv:2105.01234", bases={"arxiv": "file:///etc/passwd"})


ONE_OF_EACH = [
    pytest.param("arxiv:2105.01234", "/api/query?id_list=2105.01234", "arXiv", id="arXiv"),
    pytest.param("doi:10.1/x", "/crossref/works/10.1%2Fx", "Crossref", id="Crossref"),
    pytest.param(f"s2:{HASH}", s2_path(HASH), "Semantic Scholar", id="Semantic Scholar"),
    pytest.param("openalex:W12345", "/openalex/works/W12345", "OpenAlex", id="OpenAlex"),
]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        pytest.param("arxiv:2105.01234", "^arXiv does not know arxiv:2105.01234; ", id="arXiv"),
        pytest.param(f"s2:{HASH}", "^Semantic Scholar does not know s2:649", id="S2"),
        pytest.param("openalex:W12345", "^OpenAlex does not know openalex:W12345; ", id="OpenAlex"),
        pytest.param("pmid:123", "^OpenAlex does not know pmid:123; ", id="PubMed"),
        pytest.param(
            "doi:10.1234/x", "^neither Crossref nor DataCite knows doi:10.1234/x; ", id="DOI"
        ),
    ],
)
def test_an_unknown_id_is_not_there(fetch, reference: str, message: str) -> None:
    with pytest.raises(NotThere, match=message):
        fetch(reference)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(body(EMPTY_FEED), id="an empty feed"),
        pytest.param(body(ERROR_FEED), id="an entry named Error"),
        pytest.param(body(atom("2105.99999v1")), id="another paper"),
    ],
)
def test_an_unknown_id_of_arxiv_with_status_200_is_recognised(
    fetch, server: MirrorServer, answer: Answer
) -> None:
    server.script("/api/query?id_list=2105.01234", answer, body(atom()))
    with pytest.raises(NotThere, match=r"arXiv does not know arxiv:2105.01234"):
        fetch("arxiv:2105.01234")
    assert fetch("arxiv:2105.01234")  # it is asked again: the paper may have come


def test_a_rate_limit_of_arxiv_with_status_200_is_recognised(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(b"Rate exceeded."), body(atom()))
    with pytest.raises(RetryLater, match="arXiv wants fewer requests"):
        fetch("arxiv:2105.01234")
    assert fetch("arxiv:2105.01234")


@pytest.mark.parametrize(("reference", "path", "name"), ONE_OF_EACH)
def test_a_service_that_is_down_means_retry_later(
    fetch, server: MirrorServer, reference: str, path: str, name: str
) -> None:
    server.script(path, status(503))
    with pytest.raises(RetryLater, match=f"^{name}: 127.* is busy .503.; run the same") as error:
        fetch(reference)
    assert error.value.exit_code == 3


@pytest.mark.parametrize(("reference", "path", "name"), ONE_OF_EACH)
def test_a_rate_limit_says_when_to_try_again(
    fetch, server: MirrorServer, reference: str, path: str, name: str
) -> None:
    server.script(path, status(429, Retry_After="120"))
    with pytest.raises(RetryLater, match=f"^{name}: .*asks to be left alone until 2"):
        fetch(reference)
    assert len(server.requested_paths) == 1


def test_a_service_that_limits_for_a_moment_is_waited_for(fetch, server: MirrorServer) -> None:
    server.script("/openalex/works/W12345", status(429, Retry_After="1"), as_json(work(12345)))
    assert abstract(fetch("openalex:W12345")[0]) == ABSTRACT


def test_a_service_that_cannot_be_reached_means_retry_later(fetch) -> None:
    bases = {"openalex": f"http://127.0.0.1:{closed_port()}/works"}
    with pytest.raises(RetryLater, match=r"^OpenAlex: .*check the connection"):
        fetch("openalex:W12345", bases=bases)


@pytest.mark.parametrize(("reference", "path", "name"), ONE_OF_EACH)
def test_offline_names_the_service(
    fetch, server: MirrorServer, reference: str, path: str, name: str
) -> None:
    with pytest.raises(Offline, match=f"^{name}: .*--offline"):
        fetch(reference, offline=True)
    assert server.requested_paths == []


@pytest.mark.parametrize(("reference", "path", "name"), ONE_OF_EACH)
def test_a_refusal_names_the_service(
    fetch, server: MirrorServer, reference: str, path: str, name: str
) -> None:
    server.script(path, status(403))
    with pytest.raises(ScholarError, match=f"^{name}: .* refused .*403"):
        fetch(reference)


@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param(b"<html>Just a moment...</html>", id="HTML"),
        pytest.param(b"null", id="null"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{}", id="an empty object"),
        pytest.param(b'{"message": "Internal", "data": 3}', id="an error as an answer"),
        pytest.param(b'{"message": {}, "data": {}}', id="an empty record"),
        pytest.param(b"[" * 10**5, id="nested without end"),
        pytest.param(b"\xff\x00\x1b[2J", id="bytes"),
        pytest.param(atom()[:300], id="cut off"),
    ],
)
@pytest.mark.parametrize(("reference", "path", "name"), ONE_OF_EACH)
def test_nonsense_is_reported_and_not_cached(
    fetch, server: MirrorServer, reference: str, path: str, name: str, nonsense: bytes
) -> None:
    server.script(path, body(nonsense))
    for _ in range(2):
        with pytest.raises(
            (NoPapers, NotThere), match=f"^{name} (answered with|does not)"
        ) as error:
            fetch(reference)
        assert str(error.value).isprintable()
    assert len(server.requested_paths) == 2


def test_an_endless_answer_is_cut_off(fetch, server: MirrorServer) -> None:
    endless = raw(200, {"Content-Length": str(10**9)}, b"x")
    server.script("/openalex/works/W12345", endless)
    with pytest.raises(ScholarError, match=r"^OpenAlex: .*larger than 8.4 MB"):
        fetch("openalex:W12345")


# One paper


def test_a_paper_of_arxiv(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    (entry,) = fetch("https://arxiv.org/pdf/2105.01234v3.pdf")
    assert entry.ids == ("arxiv:2105.01234",)
    assert abstract(entry) == ABSTRACT


def test_an_old_id_of_arxiv_keeps_its_slash(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=cs/0105012", body(atom("cs/0105012v1")))
    assert fetch("arxiv:cs/0105012")[0].ids == ("arxiv:cs/0105012",)


def test_a_doi_of_crossref(fetch, server: MirrorServer) -> None:
    doi = "10.1234/(sici)17:15<161::aid-t?#>3.0.co;2-2"
    path = "10.1234%2F%28sici%2917%3A15%3C161%3A%3Aaid-t%3F%23%3E3.0.co%3B2-2"
    server.script(f"/crossref/works/{path}", as_json(registered(doi.upper())))
    (entry,) = fetch(f"doi:{doi}")
    assert entry.ids == (f"doi:{doi}",)
    assert abstract(entry) == ABSTRACT
    assert len(server.requested_paths) == 1


def test_a_doi_unknown_to_crossref_is_requested_from_datacite(fetch, server: MirrorServer) -> None:
    attributes = {
        "doi": "10.5072/TIDES",
        "titles": [{"title": "Counting Tides by Ear"}],
        "descriptions": [{"description": ABSTRACT, "descriptionType": "Abstract"}],
    }
    server.script("/dois/10.5072%2Ftides", as_json({"data": {"attributes": attributes}}))
    (entry,) = fetch("10.5072/tides")
    assert entry.ids == ("doi:10.5072/tides",)
    assert abstract(entry) == ABSTRACT
    assert [path for path, _ in requests(server)] == [
        "/crossref/works/10.5072/tides",
        "/dois/10.5072/tides",
    ]


def test_datacite_gets_no_request_when_crossref_is_down(fetch, server: MirrorServer) -> None:
    server.script("/crossref/works/10.5072%2Ftides", status(503))
    with pytest.raises(RetryLater, match=r"^Crossref: "):
        fetch("10.5072/tides")
    assert not any("/dois/" in path for path in server.requested_paths)


def test_an_abstract_that_crossref_lacks_comes_from_openalex(
    fetch, server: MirrorServer, announcements: list[str]
) -> None:
    server.script("/crossref/works/10.1234%2Ftides", as_json(registered("10.1234/tides", None)))
    server.script("/openalex/works/doi:10.1234/tides", as_json(work(12345, "10.1234/tides")))
    (entry,) = fetch("doi:10.1234/tides")
    assert abstract(entry) == ABSTRACT
    assert entry.ids == ("doi:10.1234/tides", "openalex:W12345")
    assert entry.csl["title"] == "Counting Tides by Ear"
    assert announcements == [
        "the registry of doi:10.1234/tides has no abstract of it; asking OpenAlex"
    ]


@pytest.mark.parametrize("answer", [status(404), status(503), status(403), body(b"nonsense")])
def test_an_abstract_that_nobody_has_costs_only_the_abstract(
    fetch, server: MirrorServer, announcements: list[str], answer: Answer
) -> None:
    server.script("/crossref/works/10.1234%2Ftides", as_json(registered("10.1234/tides", None)))
    server.script("/openalex/works/doi:10.1234/tides", answer)
    (entry,) = fetch("doi:10.1234/tides")
    assert entry.sentences == ()
    assert announcements[-1].startswith("doi:10.1234/tides stays without an abstract. OpenAlex")


def test_a_doi_of_arxiv_is_requested_from_arxiv(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    assert fetch("https://doi.org/10.48550/arXiv.2105.01234")[0].ids == ("arxiv:2105.01234",)


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        pytest.param(f"s2:{HASH}", HASH, id="a hash"),
        pytest.param("s2:CorpusID:215416146", "CorpusId:215416146", id="a corpus id"),
    ],
)
def test_a_paper_of_semantic_scholar(
    fetch, server: MirrorServer, reference: str, path: str
) -> None:
    server.script(s2_path(path), as_json(s2("Counting Tides by Ear")))
    (entry,) = fetch(reference)
    assert reference in entry.ids
    assert f"s2:{HASH}" in entry.ids
    assert abstract(entry) == ABSTRACT


def test_a_work_of_openalex_that_was_merged_keeps_both_names(fetch, server: MirrorServer) -> None:
    server.script("/openalex/works/W12345", redirect("/openalex/works/W77777", 301))
    server.script("/openalex/works/W77777", as_json(work(77777, "10.1234/tides")))
    (entry,) = fetch("https://openalex.org/W12345")
    assert set(entry.ids) == {"doi:10.1234/tides", "openalex:W77777", "openalex:W12345"}


def test_a_paper_of_pubmed_comes_from_openalex(fetch, server: MirrorServer) -> None:
    server.script("/openalex/works/pmid:29456894", as_json(work(12345)))
    assert fetch("pmid:29456894")[0].ids == ("openalex:W12345", "pmid:29456894")


def test_an_address_to_write_to_goes_out_only_when_it_is_given(fetch, server: MirrorServer) -> None:
    path = "/openalex/works/W12345"
    server.script(path, as_json(work(12345)))
    server.script(f"{path}?mailto=ada%2Btides%40example.org", as_json(work(12345)))
    server.script("/api/query?id_list=2105.01234", body(atom()))
    fetch("openalex:W12345")
    fetch("openalex:W12345", mailto="ada+tides@example.org")
    fetch("arxiv:2105.01234", mailto="ada+tides@example.org")
    assert [query.get("mailto") for _, query in requests(server)] == [
        None,
        "ada+tides@example.org",
        None,
    ]


def test_what_was_fetched_is_here_offline(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    online = fetch("arxiv:2105.01234")
    assert fetch("arxiv:2105.01234", offline=True) == online
    assert len(server.requested_paths) == 1


# What it cites


def test_the_references_of_an_arxiv_paper_come_page_after_page(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    first = {"offset": 0, "next": 500, "data": [{"citedPaper": s2("One Work on Tides")}]}
    second = {
        "offset": 500,
        "data": [{"citedPaper": s2("Two Works on Tides")}, {"citedPaper": None}],
    }
    server.script(references_path("ARXIV:2105.01234"), as_json(first))
    server.script(references_path("ARXIV:2105.01234", 500), as_json(second))
    paper, one, two, broken = fetch("arxiv:2105.01234", references=True)
    assert paper.ids == ("arxiv:2105.01234",)
    assert [one.csl["title"], two.csl["title"]] == ["One Work on Tides", "Two Works on Tides"]
    assert isinstance(broken, UnreadableEntry)


def test_references_are_asked_for_only_when_they_are_wanted(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    fetch("arxiv:2105.01234")
    assert len(server.requested_paths) == 1


def test_the_references_of_a_paper_of_semantic_scholar(fetch, server: MirrorServer) -> None:
    server.script(s2_path(HASH), as_json(s2("Counting Tides by Ear")))
    server.script(references_path(HASH), as_json({"data": [{"citedPaper": s2("A Work Cited")}]}))
    assert [entry.csl["title"] for entry in fetch(f"s2:{HASH}", references=True)] == [
        "Counting Tides by Ear",
        "A Work Cited",
    ]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        pytest.param(
            as_json({"offset": 0, "data": None}), "the publisher forbids it", id="withheld"
        ),
        pytest.param(status(404), "does not know the references of arxiv:2105", id="not known"),
    ],
)
def test_references_that_cannot_be_had_are_named_and_the_paper_stays(
    fetch, server: MirrorServer, announcements: list[str], answer: Answer, line: str
) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    server.script(references_path("ARXIV:2105.01234"), answer)
    assert len(fetch("arxiv:2105.01234", references=True)) == 1
    assert line in announcements[-1]


@pytest.mark.parametrize(
    "following",
    [
        pytest.param(0, id="the same page"),
        pytest.param(-500, id="before the first"),
        pytest.param("500", id="a text"),
        pytest.param(None, id="null"),
        pytest.param(10**30, id="beyond all"),
    ],
)
def test_paging_that_leads_nowhere_ends(fetch, server: MirrorServer, following: Any) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    page = {"next": following, "data": [{"citedPaper": s2("One Work on Tides")}]}
    server.script(references_path("ARXIV:2105.01234"), as_json(page))
    assert len(fetch("arxiv:2105.01234", references=True)) == 2


def test_no_more_references_are_taken_than_the_limit(
    fetch, server: MirrorServer, announcements: list[str]
) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    for offset in range(0, services.MAX_REFERENCES + 1000, 500):
        cited = [{"citedPaper": s2(f"Work {offset + n} on Tides")} for n in range(500)]
        server.script(
            references_path("ARXIV:2105.01234", offset),
            as_json({"offset": offset, "next": offset + 500, "data": cited}),
        )
    entries = fetch("arxiv:2105.01234", references=True)
    assert len(entries) == 1 + services.MAX_REFERENCES
    assert len(server.requested_paths) == 1 + services.MAX_REFERENCES / 500
    assert announcements[-1] == "arxiv:2105.01234 cites more than 2,000 works; the first are taken"


def test_the_references_of_an_openalex_work_come_in_batches(
    fetch, server: MirrorServer, announcements: list[str]
) -> None:
    cited = [f"https://openalex.org/W{n}" for n in range(10001, 10061)]
    server.script("/openalex/works/W12345", as_json(work(12345, referenced_works=cited)))
    ten, fifty = range(10051, 10061), range(10001, 10051)
    for batch in (fifty, ten):
        values = "%7C".join(f"W{n}" for n in batch)
        path = f"/openalex/works?filter=openalex:{values}&per-page={len(batch)}"
        known = [work(n) for n in batch if n != 10007]
        server.script(path, as_json({"meta": {"count": len(known)}, "results": known}))
    entries = fetch("openalex:W12345", references=True)
    assert len(entries) == 60
    assert len(server.requested_paths) == 3
    assert announcements == ["1 works that openalex:W12345 cites are not known and are left out"]


CITING = registered(
    "10.1234/tides",
    reference=[
        {"key": "1", "DOI": "10.1234/FLOATS"},
        {"key": "2", "unstructured": "A. Nobody, Wells, 1801."},
        {"key": "3", "DOI": "10.1234/wells"},
        {"key": "4", "DOI": "10.1234/floats"},
        {"key": "5", "DOI": "10.48550/arXiv.2105.09999"},
        {"key": "6", "DOI": "10.1234/a|b,c"},
        {"key": "7", "DOI": "no DOI"},
    ],
)
DOIS = ("10.1234/floats", "10.1234/wells", "10.48550/arxiv.2105.09999")
BATCH = "/openalex/works?filter=doi:" + "%7C".join(DOIS) + "&per-page=3"


def test_the_references_of_a_doi_come_from_openalex_by_their_dois(
    fetch, server: MirrorServer, announcements: list[str]
) -> None:
    server.script("/crossref/works/10.1234%2Ftides", as_json(CITING))
    works = [work(20001 + n, doi) for n, doi in enumerate(DOIS)]
    server.script(BATCH, as_json({"results": works}))
    _, *cited = fetch("doi:10.1234/tides", references=True)
    assert [entry.ids[0] for entry in cited] == [
        "doi:10.1234/floats",
        "doi:10.1234/wells",
        "arxiv:2105.09999",
    ]
    assert announcements == [
        "1 references of doi:10.1234/tides have no DOI and are left out",
        "1 works that doi:10.1234/tides cites are not known and are left out",
    ]


@pytest.mark.parametrize("answer", [status(503), status(403), body(b"nonsense")])
def test_crossref_is_asked_for_references_when_openalex_cannot_answer(
    fetch, server: MirrorServer, announcements: list[str], answer: Answer
) -> None:
    server.script("/crossref/works/10.1234%2Ftides", as_json(CITING))
    server.script(BATCH, answer)
    items = [registered(doi)["message"] for doi in DOIS]
    path = "/crossref/works?filter=" + ",".join(f"doi:{doi}" for doi in DOIS) + "&rows=3"
    server.script(path, as_json({"status": "ok", "message": {"items": items}}))
    assert len(fetch("doi:10.1234/tides", references=True)) == 4
    assert any(line.endswith("; asking Crossref instead") for line in announcements)


def test_without_a_list_of_references_openalex_says_what_a_doi_cites(
    fetch, server: MirrorServer, announcements: list[str]
) -> None:
    server.script("/crossref/works/10.1234%2Ftides", as_json(registered("10.1234/tides")))
    cited = ["https://openalex.org/W20001"]
    server.script(
        "/openalex/works/doi:10.1234/tides",
        as_json(work(1, "10.1234/tides", referenced_works=cited)),
    )
    server.script(
        "/openalex/works?filter=openalex:W20001&per-page=1", as_json({"results": [work(20001)]})
    )
    assert fetch("doi:10.1234/tides", references=True)[1].ids == ("openalex:W20001",)
    assert "does not say what it cites; asking OpenAlex" in announcements[0]


def test_a_service_that_fails_half_way_leaves_what_came_before(
    fetch, server: MirrorServer, tmp_path: Path
) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    page = {"offset": 0, "next": 500, "data": [{"citedPaper": s2("One Work on Tides")}]}
    server.script(references_path("ARXIV:2105.01234"), as_json(page))
    server.script(references_path("ARXIV:2105.01234", 500), status(503))
    fetcher = Fetcher(tmp_path / "cache", pause_s=0, retries=0)
    bases = {name: server.url(place) for name, place in PLACES.items()}
    coming = services.fetch("arxiv:2105.01234", fetcher, references=True, bases=bases, announce=str)
    assert isinstance(next(coming), Entry)
    assert isinstance(next(coming), Entry)
    with pytest.raises(RetryLater, match=r"^Semantic Scholar: "):
        next(coming)


@pytest.mark.parametrize(
    "nonsense", [b"{}", b'{"data": [1]', b'{"error": "x"}', b'{"results": 3}', b'{"message": []}']
)
def test_references_that_are_nonsense_are_reported(
    fetch, server: MirrorServer, nonsense: bytes
) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    server.script(references_path("ARXIV:2105.01234"), body(nonsense))
    with pytest.raises(NoPapers, match=r"^Semantic Scholar answered with something else"):
        fetch("arxiv:2105.01234", references=True)


def test_the_real_services_are_asked_over_https() -> None:
    assert services.BASES.keys() == PLACES.keys()
    assert all(base.startswith("https://") for base in services.BASES.values())
