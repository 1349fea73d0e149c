"""Papers fetched from arXiv, Crossref, DataCite, OpenAlex and Semantic Scholar."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from mirror_server import Answer, MirrorServer, body, redirect, status
from scholar_indexes.errors import RetryLater
from scholar_indexes.papers import web_services
from service_pages import (
    ABSTRACT,
    HASH,
    PLACES,
    abstract,
    as_json,
    atom,
    registered,
    s2,
    s2_path,
    work,
)


def requests(server: MirrorServer) -> list[tuple[str, dict[str, str]]]:
    """Return the requests as the service reads them: decoded path and query."""
    split = [urlsplit(path) for path in server.requested_paths]
    return [
        (unquote(url.path), {key: value[0] for key, value in parse_qs(url.query).items()})
        for url in split
    ]


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
        "the registry of doi:10.1234/tides has no abstract of it; trying OpenAlex"
    ]


@pytest.mark.parametrize("answer", [status(404), status(503), status(403), body(b"nonsense")])
def test_an_abstract_that_nobody_has_costs_only_the_abstract(
    fetch, server: MirrorServer, announcements: list[str], answer: Answer
) -> None:
    server.script("/crossref/works/10.1234%2Ftides", as_json(registered("10.1234/tides", None)))
    server.script("/openalex/works/doi:10.1234/tides", answer)
    (entry,) = fetch("doi:10.1234/tides")
    assert entry.sentences == ()
    assert announcements[-1].startswith("doi:10.1234/tides is added without an abstract. OpenAlex")


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


def test_fetched_papers_are_available_offline(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    online = fetch("arxiv:2105.01234")
    assert fetch("arxiv:2105.01234", offline=True) == online
    assert len(server.requested_paths) == 1


def test_the_real_services_are_asked_over_https() -> None:
    assert web_services.BASES.keys() == PLACES.keys()
    assert all(base.startswith("https://") for base in web_services.BASES.values())
