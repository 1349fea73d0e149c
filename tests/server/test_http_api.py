"""`scholar serve`: the HTTP API, called as by a client."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi import checks as openapi_checks

from command_line import Scholar, succeeded
from libraries import overwrite
from scholar_cli.commands import common
from scholar_cli.server.bounds import Bounds, Workers
from scholar_cli.server.http_api import create_app
from scholar_cli.server.journeys import Journeys

TOKEN = "a-token"
CHECKED = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
    openapi_checks.negative_data_rejection,
]


def app(*, allow_writes: bool = False) -> FastAPI:
    library = common.open_library()
    workers = Workers(Bounds.of(library.settings))
    return create_app(Journeys(library), workers, TOKEN, allow_writes=allow_writes)


@pytest.fixture
def client(sample: Path) -> Iterator[TestClient]:
    with client_of(app()) as opened:
        yield opened


def client_of(application: FastAPI) -> TestClient:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return TestClient(application, "http://127.0.0.1", headers=headers)


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}"])
def test_a_request_without_the_token_gets_no_information(client: TestClient, token: str) -> None:
    answer = client.post("/books", headers={"Authorization": token})
    assert answer.status_code == 401
    assert set(answer.json()) == {"error"}
    assert client.get("/anything", headers={"Authorization": token}).status_code == 401


def test_a_page_that_was_bound_to_this_machine_is_refused(client: TestClient) -> None:
    answer = client.post("/books", headers={"Host": "evil.example"})
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert client.get("/openapi.json", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(
    ("path", "request_body", "status", "message"),
    [
        ("/find", {}, 422, "claim: Field required"),
        ("/find", {"claim": "x", "colour": 1}, 422, "colour: Extra inputs"),
        ("/find", {"claim": "x", "n": 0}, 422, "n: Input should be greater"),
        ("/find", {"claim": "..."}, 400, "the claim is empty"),
        ("/find", {"claim": "x", "books": ["no such book"]}, 404, "no such book"),
        ("/show", {"locator": "nonsense here"}, 400, "is not a locator"),
        ("/show", {"locator": "pg9:1"}, 404, "scholar add 9"),
        ("/locate", {"quotes": ["one"]}, 400, "a single word"),
        ("/cite", {"locators": ["pg84"], "page": "3"}, 400, "print edition"),
        ("/cite", {"locators": ["pg84"], "publisher": "Penguin"}, 400, "give both"),
        ("/cite", {"locators": ["pg84", "pg1342"], "publisher": "P", "year": 2}, 422, "year: "),
        (
            "/cite",
            {"locators": ["pg84", "pg1342"], "publisher": "P", "year": 2003},
            400,
            "one book",
        ),
        ("/nothing", {}, 404, "Not Found"),
        ("/similar_papers", {"paper": "/etc/passwd"}, 404, "/etc/passwd"),
        ("/collection", {"name": "none"}, 404, "no collection"),
    ],
)
def test_an_invalid_request_is_an_error_in_words(
    client: TestClient, path: str, request_body: dict[str, Any], status: int, message: str
) -> None:
    answer = client.post(path, json=request_body)
    assert (answer.status_code, set(answer.json())) == (status, {"error"})
    assert message in answer.json()["error"]


def test_the_answers_equal_the_answers_of_the_commands(
    client: TestClient, scholar: Scholar
) -> None:
    def printed(*arguments: str) -> Any:
        return succeeded(scholar(*arguments, "--json")).json

    def answer(path: str, **request: Any) -> Any:
        response = client.post(path, json=request)
        assert response.status_code == 200, response.text
        return response.json()

    claim = "the green light"
    assert answer("/find", claim=claim, n=3)["hits"] == printed("find", claim, "-n", "3")
    assert answer("/books")["books"] == printed("books", "list")
    locator = "pg64317:9.164:0-78"
    assert answer("/show", locator=locator) == printed("show", locator)
    quote = "so we beat on, boats against the stream"
    assert answer("/locate", quotes=[quote])["quotations"] == printed("locate", quote)
    cited = answer("/cite", locators=[locator], style="apa")["citations"]
    assert cited == printed("cite", locator, "--style", "apa")
    essay = 'He ends: "So we beat on, boats against the stream" and "so on and so forth".'
    checked = answer("/check", essay=essay)
    assert checked["wrong"] == 2
    assert [quotation["status"] for quotation in checked["quotations"]] == ["altered", "absent"]


def test_an_answer_that_an_unreadable_book_may_change_is_an_error(two_books: Path) -> None:
    overwrite(next((two_books / "data" / "books").glob("own-the-lamplighter.*")) / "text.txt")
    with client_of(app()) as client:

        def answer(path: str, status: int, **request: Any) -> Any:
            response = client.post(path, json=request)
            assert response.status_code == status, response.text
            [unread] = response.json()["not_searched"]
            assert (unread["id"], unread["title"]) == ("own-the-lamplighter", "The Lamplighter")
            assert "damaged" in unread["reason"]
            assert ("error" in response.json()) == (status != 200)
            return response.json()

        quote = "The lamplighter walked to the quarry on day 3 of month 1"
        for path, request in (
            ("/locate", {"quotes": [quote]}),
            ("/check", {"essay": f'"{quote}"'}),
        ):
            [record] = answer(path, 500, **request)["quotations"]
            assert (record["status"], record["book"]) == ("unknown", None)
        verbatim = "and the clockmaker said nothing about the clock"
        [record] = answer("/locate", 200, quotes=[verbatim])["quotations"]
        assert record["status"] == "verbatim"
        hits = answer("/find", 500, claim="the lamplighter walked to the quarry")["hits"]
        assert {hit["book"]["id"] for hit in hits} == {"own-the-clockmaker"}


def test_nothing_is_written_unless_that_is_allowed(
    client: TestClient, own_sample: Path, scholar: Scholar
) -> None:
    passages = {"name": "hope", "locators": ["pg64317:9.163:0-92"], "note": "Cite."}
    assert client.post("/keep", json=passages).status_code == 404
    with client_of(app(allow_writes=True)) as writer:
        assert writer.post("/keep", json=passages).status_code == 200
        [passage] = writer.post("/collection", json={"name": "hope"}).json()["passages"]
        assert writer.post("/collection").json()["names"] == ["hope"]
        assert passage["note"] == "Cite."
        assert writer.post("/keep", json={**passages, "note": "Mine."}).status_code == 200
        bad = {"name": "new", "locators": ["pg84:1.1", "pg84:99.1"]}
        assert writer.post("/keep", json=bad).status_code == 404
        assert writer.post("/collection").json()["names"] == ["hope"]
    assert succeeded(scholar("collection", "show", "hope", "--json")).json == [passage]


def test_answers_match_the_description_of_the_api(two_books: Path) -> None:
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", app(allow_writes=True), headers={"Host": "127.0.0.1"}
    )
    # The default does not accept 413 for a body that is too large.
    schema.config.checks.negative_data_rejection.expected_statuses = ["4xx", "5xx"]
    for result in schema.get_all_operations():
        operation = result.ok()

        @given(case=st.one_of(*map(operation.as_strategy, GenerationMode)))
        @settings(
            max_examples=settings().max_examples // 6, suppress_health_check=list(HealthCheck)
        )
        def answers_as_described(case: Any) -> None:
            headers = {"Authorization": f"Bearer {TOKEN}", "Host": "127.0.0.1"}
            case.call_and_validate(headers=headers, checks=CHECKED)

        answers_as_described()


@pytest.mark.slow
@pytest.mark.usefixtures("no_remembered_answers")
def test_many_who_ask_at_once_get_what_one_gets(client: TestClient) -> None:
    claims = ["the green light", "the monster is lonely"]

    def hits(claim: str) -> list[str]:
        answer = client.post("/find", json={"claim": claim, "n": 5}).json()
        return [hit["locator"] for hit in answer["hits"]]

    expected = {claim: hits(claim) for claim in claims}
    answers: dict[tuple[int, str], list[str]] = {}

    def ask_in_turn(number: int) -> None:
        for claim in claims[number % 2 :]:
            answers[number, claim] = hits(claim)

    threads = [threading.Thread(target=ask_in_turn, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6
    assert all(locators == expected[claim] for (_, claim), locators in answers.items())
