"""Language models behind an HTTP server: requests, faults and their errors."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import chat_server as chat
from chat_server import ASK, ChatServer, remote_model
from scholar_indexes.errors import ConfigError, RetryLater, ScholarError
from scholar_indexes.llm.backend import parse_answer
from scholar_indexes.llm.remote_model import RemoteModel


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_a_server_is_found_with_and_without_its_path(suffix: str) -> None:
    with ChatServer(chat.answer_well) as chat_server:
        assert parse_answer(
            RemoteModel(chat_server.url + suffix, "tiny").complete(*ASK), ["1"]
        ) == {"1": "Jane"}
    assert chat_server.paths[0] == "/v1/chat/completions"


def test_a_server_is_asked_for_exactly_these_keys_and_names() -> None:
    with ChatServer(chat.answer_well) as chat_server:
        RemoteModel(chat_server.url, "tiny", api_key="secret").complete(
            ASK[0], ["1", "2"], ["Jane", "Tom"]
        )
    (request,) = chat_server.requests
    assert request["model"] == "tiny"
    assert request["temperature"] == 0
    schema = request["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"] == ["1", "2"]
    assert schema["additionalProperties"] is False
    assert chat_server.headers[0]["Authorization"] == "Bearer secret"


def test_a_server_that_thinks_aloud_does_so_first() -> None:
    with ChatServer(chat.answer_well) as chat_server:
        RemoteModel(chat_server.url, "tiny").complete(*ASK, thought_tokens=50)
    schema = chat_server.requests[0]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["reasoning", "1"]


@pytest.mark.parametrize(
    ("refused", "kinds_requested"),
    [
        ((), ["json_schema"]),
        (("logprobs",), ["json_schema", "json_schema"]),
        (("json_schema",), ["json_schema", "json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_schema", "json_object", None]),
    ],
    ids=["nothing", "probabilities", "schemas", "any format"],
)
def test_a_server_that_refuses_a_format_is_asked_for_less_and_never_again(
    refused: tuple[str, ...], kinds_requested: list[str | None]
) -> None:
    with ChatServer(chat.refuse_formats(*refused)) as chat_server:
        backend = remote_model(chat_server)
        for _ in range(2):
            assert parse_answer(backend.complete(*ASK), ["1"]) == {"1": "Jane"}
    kinds = [request.get("response_format", {}).get("type") for request in chat_server.requests]
    assert kinds == [*kinds_requested, kinds_requested[-1]]


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(chat.status(500), id="500"),
        pytest.param(chat.status(503, Retry_After="0"), id="503"),
        pytest.param(chat.status(429, Retry_After="x"), id="429"),
        pytest.param(chat.break_off(0), id="reset"),
        pytest.param(chat.break_off(30), id="reset in the middle"),
        pytest.param(chat.raw(b'{"choices": [{"mess'), id="half of the JSON"),
    ],
)
def test_trouble_that_passes_is_waited_for(trouble: chat.Answer) -> None:
    with ChatServer(trouble, trouble, chat.answer_well) as chat_server:
        assert parse_answer(remote_model(chat_server).complete(*ASK), ["1"]) == {"1": "Jane"}
    assert len(chat_server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "error", "message", "requests"),
    [
        (chat.status(500, "no\x1bmem"), RetryLater, r"an error \(500\): nomem", 3),
        (chat.status(429, Retry_After="7200"), RetryLater, "429", 1),
        (chat.break_off(30), RetryLater, "broke off", 3),
        (chat.raw(b"<html>"), RetryLater, "not JSON", 3),
        (chat.status(401), ConfigError, "API key", 1),
        (chat.status(403), ConfigError, "API key", 1),
        (chat.status(404, "model 'tiny' not found"), ConfigError, "no model tiny", 1),
        (chat.status(400, "too many tokens"), ConfigError, "too many tokens; use smaller", 4),
        (chat.status(307, Location="http://127.0.0.2/"), ConfigError, "redirects", 1),
        (chat.status(302, Location="/v1/elsewhere"), ConfigError, "redirects", 1),
        (chat.status(418), ScholarError, "refuses the request .418.", 1),
        (chat.raw(b"{}"), ConfigError, "OpenAI", 1),
        (chat.raw(b"[]"), ConfigError, "OpenAI", 1),
        (chat.raw(b'{"choices": []}'), ConfigError, "OpenAI", 1),
        (chat.raw(b'{"choices": [{"message": 7}]}'), ConfigError, "OpenAI", 1),
        (chat.reply_with(["a", "list"]), ConfigError, "OpenAI", 1),
        (chat.raw(b"[" * 200_000), RetryLater, "not JSON", 3),
    ],
    ids=[
        "500",
        "429 for hours",
        "dies",
        "a web page",
        "401",
        "403",
        "404",
        "400",
        "redirect",
        "redirect within",
        "418",
        "an empty object",
        "a list",
        "no choices",
        "no message",
        "no text",
        "brackets without end",
    ],
)
def test_trouble_that_stays_says_what_to_do(
    answer: chat.Answer, error: type[ScholarError], message: str, requests: int
) -> None:
    with ChatServer(answer) as chat_server, pytest.raises(error, match=message) as caught:
        remote_model(chat_server, api_key="hidden-key").complete(*ASK)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert "hidden-key" not in str(caught.value)
    assert len(chat_server.requests) == requests


@pytest.mark.parametrize(
    ("slow", "message"),
    [
        pytest.param(chat.hang, "stopped answering", id="silent"),
        pytest.param(chat.drip, "answers too slowly", id="a byte at a time"),
    ],
)
def test_a_slow_server_is_left_for_later(slow: Any, message: str) -> None:
    over = threading.Event()
    timer = threading.Timer(20, over.set)  # ends a failing test, too
    timer.start()
    with ChatServer(slow(over)) as chat_server:
        with pytest.raises(RetryLater, match=f"{message}.*; .* run the same command again"):
            remote_model(chat_server, timeout_s=0.5, retries=1).complete(*ASK)
        over.set()
        timer.cancel()
        assert len(chat_server.requests) == 2


def test_a_server_that_is_not_there_is_tried_again_later() -> None:
    from http_server import closed_port

    backend = RemoteModel(f"http://127.0.0.1:{closed_port()}", "tiny", retries=1, pause_s=0.0)
    with pytest.raises(RetryLater, match="check that the server runs"):
        backend.complete(*ASK)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://x",
        "http://user:pw@x",
        "http://x?y",
        "http://x y",
        "file:///etc/passwd",
        "http://x\n",
    ],
)
def test_an_address_that_is_none_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigError, match="not the address of a server"):
        RemoteModel(url, "tiny")


@pytest.mark.parametrize("key", ["a\r\nHost: x", "kéy"])
def test_a_key_that_cannot_be_sent_is_a_configuration_error(key: str) -> None:
    with pytest.raises(ConfigError, match="API key") as caught:
        RemoteModel("http://localhost", "tiny", api_key=key)
    assert key not in str(caught.value)


def test_no_proxy_is_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with ChatServer(chat.answer_well) as chat_server:
        assert parse_answer(remote_model(chat_server).complete(*ASK), ["1"]) == {"1": "Jane"}
