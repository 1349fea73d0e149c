"""Papers that the services do not know, and services that fail."""

from __future__ import annotations

import pytest

from http_server import closed_port
from mirror_server import Answer, MirrorServer, body, raw, status
from scholar_indexes.errors import NoPapers, NotThere, Offline, RetryLater, ScholarError, UsageError
from service_pages import ABSTRACT, HASH, abstract, as_json, atom, s2_path, work

EMPTY_FEED = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title></feed>'
ERROR_FEED = atom("x").replace(b"http://arxiv.org/abs/x", b"http://arxiv.org/api/errors#bad")


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
def test_an_unsupported_reference_is_refused_without_a_request(
    fetch, server: MirrorServer, reference: str
) -> None:
    with pytest.raises(UsageError, match=r"write it as arxiv:") as refused:
        fetch(reference)
    assert str(refused.value).isprintable()
    assert server.requested_paths == []


def test_an_address_for_a_service_that_is_none_is_refused(fetch) -> None:
    with pytest.raises(UsageError, match="no service 'scopus'; choose one of arxiv, crossref"):
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
    assert fetch("arxiv:2105.01234")  # requested again: the paper may have been added since


def test_a_rate_limit_of_arxiv_with_status_200_is_recognised(fetch, server: MirrorServer) -> None:
    server.script("/api/query?id_list=2105.01234", body(b"Rate exceeded."), body(atom()))
    with pytest.raises(RetryLater, match="arXiv got too many requests"):
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
    with pytest.raises(RetryLater, match=f"^{name}: .*accepts no requests until 2"):
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
