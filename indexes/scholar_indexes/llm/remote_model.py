"""A language model on a server with the chat interface of OpenAI."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from scholar_indexes.errors import ConfigError, RetryLater, ScholarError
from scholar_indexes.guarded import parse_json
from scholar_indexes.llm.backend import (
    REASONING,
    Completion,
    Messages,
    parse_answers,
)
from scholar_indexes.net import chat
from scholar_indexes.net.responses import RetryableFailure, is_web_address, plain
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Span

MAX_ANSWER_BYTES = 8 * 1024**2


class RemoteModel:
    """A model on an OpenAI-compatible server: llama.cpp, Ollama, vLLM and others.

    `url` is its address with or without /v1; nothing is sent anywhere else. `timeout_s`
    limits one whole answer. A request that fails temporarily is repeated up to `retries`
    times, after a pause of `pause_s` that doubles each time, up to `max_wait_s`. The key is
    sent as a bearer token. Raises ConfigError for an invalid address or key.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = 600.0,
        retries: int = 3,
        pause_s: float = 1.0,
        max_wait_s: float = 60.0,
        max_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        if not is_web_address(url) or urlsplit(url).query or urlsplit(url).fragment:
            raise ConfigError(
                f"{plain(url)} is not the address of a server; give one such as "
                "http://localhost:8080, without a user name"
            )
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise ConfigError("the API key contains characters that no key has; copy it again")
        base = url.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")
        self._url = f"{base}/v1/chat/completions"
        self._host = plain(urlsplit(url).netloc)
        self._model = model
        self._headers = {"Content-Type": "application/json", "User-Agent": "scholar-cli"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._timeout_s = timeout_s
        self._retries = retries
        self._pause_s = pause_s
        self._max_wait_s = max_wait_s
        self._max_bytes = max_bytes
        self._first_format = 0

    @property
    def name(self) -> str:
        return self._model

    def count_tokens(self, text: str) -> int:
        """Return an estimate at four bytes per token, since not every server counts tokens."""
        return (len(text.encode("utf-8", "replace")) + 3) // 4

    def complete(
        self,
        messages: Messages,
        ids: Sequence[str],
        names: Sequence[str],
        *,
        thought_tokens: int = 0,
    ) -> Completion:
        """Return the answer as Backend does; one too long to be read is empty and not finished.

        Asks for a schema; if the server refuses, for any JSON, and finally for text. Raises
        RetryLater (down, slow or busy), ConfigError (the key, the model, the address or the
        length of the prompt) and ScholarError (other refusals).
        """
        longest = max((len(name.encode("utf-8", "replace")) for name in names), default=0)
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [dict(message) for message in messages],
            "temperature": 0,
            "max_tokens": 64 + 2 * thought_tokens + len(ids) * (12 + longest // 2),
            "stream": False,
        }
        formats = _answer_formats(_schema(ids, names, thought_tokens > 0))
        refusal = ""
        for number in range(self._first_format, len(formats)):
            reply = self._send({**request, **formats[number]})
            if reply.status not in (400, 422):
                self._first_format = number
                return self._read_completion(reply)
            refusal = _error_message(reply)
        raise ConfigError(
            f"{self._host} refuses the request{refusal}; "
            "use smaller chunks, or check the server's context and model"
        )

    def _send(self, request: Mapping[str, Any]) -> chat.Reply:
        """Return the reply to a request, which is repeated after temporary failures."""
        body = json.dumps(request).encode()
        for attempt in range(self._retries + 1):
            wait_s = 0.0
            try:
                reply = self._post(body)
                failure = self._passing_failure(reply)
                if not failure:
                    return reply
                wait_s = reply.wait_s if reply.status != 200 else 0.0
            except RetryableFailure as error:
                failure = str(error)
            if attempt == self._retries or wait_s > self._max_wait_s:
                break
            time.sleep(min(max(wait_s, self._pause_s * 2**attempt), self._max_wait_s))
        raise RetryLater(f"{failure}; check that the server runs, then run the same command again")

    def _post(self, body: bytes) -> chat.Reply:
        return chat.post(
            self._url,
            body,
            self._headers,
            timeout_s=self._timeout_s,
            max_bytes=self._max_bytes,
        )

    def _passing_failure(self, reply: chat.Reply) -> str:
        """Return the problem with a reply if a repeated request may succeed, or ""."""
        if reply.status == 429 or reply.status >= 500:
            return f"{self._host} reports an error ({reply.status}){_error_message(reply)}"
        if reply.status == 200 and reply.whole and _parse_json(reply.body) is None:
            return f"{self._host} sent an answer that is not JSON"
        return ""

    def _read_completion(self, reply: chat.Reply) -> Completion:
        self._check_status(reply)
        if not reply.whole:
            return Completion("", finished=False)
        try:
            choice = _parse_json(reply.body)["choices"][0]
            content = choice["message"].get("content") or ""
            if not isinstance(content, str):
                raise TypeError("its content is not text")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"{self._host} does not answer like an OpenAI-compatible server; check the address"
            ) from error
        finished = choice.get("finish_reason") != "length"
        return Completion(content, finished, _name_probabilities(content, choice.get("logprobs")))

    def _check_status(self, reply: chat.Reply) -> None:
        status = reply.status
        if status in (401, 403):
            raise ConfigError(f"{self._host} refuses the API key ({status}); give the right one")
        if status == 404:
            raise ConfigError(
                f"{self._host} has no model {plain(self._model)} or no /v1/chat/completions "
                f"(404){_error_message(reply)}; check the model's name and the address"
            )
        if 300 <= status < 400:
            raise ConfigError(
                f"{self._host} redirects to another address ({status}), which is not followed; "
                "give the server's own address"
            )
        if status != 200:
            raise ScholarError(
                f"{self._host} refuses the request ({status}){_error_message(reply)}; "
                "check the server's settings"
            )


def _answer_formats(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the options of a request that constrain the answer, the strictest first."""
    json_schema = {
        "type": "json_schema",
        "json_schema": {"name": "speakers", "strict": True, "schema": schema},
    }
    return [
        {"response_format": json_schema, "logprobs": True, "top_logprobs": 1},
        {"response_format": json_schema},
        {"response_format": {"type": "json_object"}},
        {},
    ]


def _schema(ids: Sequence[str], names: Sequence[str], with_reasoning: bool) -> dict[str, Any]:
    """Return a JSON schema: exactly these keys in this order, each with one of the names."""
    properties: dict[str, Any] = {REASONING: {"type": "string"}} if with_reasoning else {}
    properties |= {item_id: {"$ref": "#/$defs/name"} for item_id in ids}
    return {
        "$defs": {"name": {"type": "string", "enum": list(names)}},
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _error_message(reply: chat.Reply) -> str:
    """Return the error message of a server, as ": ..." in one line, or nothing."""
    body = _parse_json(reply.body)
    error = body.get("error") if isinstance(body, dict) else None
    text = error.get("message") if isinstance(error, dict) else error
    return f": {plain(one_line(str(text), 150))}" if text else ""


def _parse_json(body: bytes) -> Any:
    """Return the value of a body, None if it is not JSON."""
    try:
        return parse_json(body, lenient=True)
    except ValueError:
        return None


def _name_probabilities(content: str, logprobs: Any) -> dict[str, float]:
    """Return for each id the geometric mean of the probabilities of its name's tokens.

    Empty if a server gives none, or tokens that do not make up the text. White space at its ends
    may differ: llama.cpp strips the text, but not the tokens.
    """
    try:
        tokens = [
            (str(token["token"]), min(0.0, float(token["logprob"])))
            for token in logprobs["content"]
        ]
    except (KeyError, TypeError, ValueError):
        return {}
    text = "".join(token for token, _ in tokens)
    if text.strip() != content.strip():
        return {}
    answers = [(key, span) for key, name, span in parse_answers(text) if name is not None]
    logs_of_names = _align_tokens(tokens, [span for _, span in answers])
    return {
        key: math.exp(math.fsum(logs) / len(logs))
        for (key, _), logs in zip(answers, logs_of_names, strict=True)
        if logs
    }


def _align_tokens(
    tokens: Sequence[tuple[str, float]], spans: Sequence[Span]
) -> Iterator[list[float]]:
    """Yield for each span, in text order, the log-probabilities of the tokens that overlap it.

    A token that overlaps several spans belongs to the first.
    """
    number = start = 0
    for span in spans:
        logs = []
        while number < len(tokens) and start < span.end:
            token, log = tokens[number]
            if start + len(token) > span.start:
                logs.append(log)
            start, number = start + len(token), number + 1
        yield logs
