"""The references of a paper, fetched from the services."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mirror_server import Answer, MirrorServer, body, status
from scholar_indexes.errors import NoPapers, RetryLater
from scholar_indexes.net.client import Fetcher
from scholar_indexes.papers import web_services
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from service_pages import HASH, PLACES, as_json, atom, registered, s2, s2_path, work


def references_path(paper: str, offset: int = 0) -> str:
    return s2_path(f"{paper}/references", offset=offset, limit=500)


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
    for offset in range(0, web_services.MAX_REFERENCES + 1000, 500):
        cited = [{"citedPaper": s2(f"Work {offset + n} on Tides")} for n in range(500)]
        server.script(
            references_path("ARXIV:2105.01234", offset),
            as_json({"offset": offset, "next": offset + 500, "data": cited}),
        )
    entries = fetch("arxiv:2105.01234", references=True)
    assert len(entries) == 1 + web_services.MAX_REFERENCES
    assert len(server.requested_paths) == 1 + web_services.MAX_REFERENCES / 500
    assert announcements[-1] == "arxiv:2105.01234 cites more than 2,000 works; the rest are skipped"


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
    assert announcements == ["works cited by openalex:W12345 that are not known, skipped: 1"]


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
        "references of doi:10.1234/tides without a DOI, skipped: 1",
        "works cited by doi:10.1234/tides that are not known, skipped: 1",
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
    assert any(line.endswith("; trying Crossref instead") for line in announcements)


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
    assert "does not list its references; trying OpenAlex" in announcements[0]


def test_a_service_that_fails_half_way_leaves_what_came_before(
    fetch, server: MirrorServer, tmp_path: Path
) -> None:
    server.script("/api/query?id_list=2105.01234", body(atom()))
    page = {"offset": 0, "next": 500, "data": [{"citedPaper": s2("One Work on Tides")}]}
    server.script(references_path("ARXIV:2105.01234"), as_json(page))
    server.script(references_path("ARXIV:2105.01234", 500), status(503))
    fetcher = Fetcher(tmp_path / "cache", pause_s=0, retries=0)
    bases = {name: server.url(place) for name, place in PLACES.items()}
    coming = web_services.fetch(
        "arxiv:2105.01234", fetcher, references=True, bases=bases, announce=str
    )
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
    with pytest.raises(NoPapers, match=r"^Semantic Scholar answered with something other"):
        fetch("arxiv:2105.01234", references=True)
