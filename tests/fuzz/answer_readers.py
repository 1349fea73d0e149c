"""Fuzz targets: the readers of answers of language models, servers and model hubs."""

from __future__ import annotations

import io
from http.client import HTTPMessage, parse_headers
from pathlib import Path

from checks import check_line
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line

IDS = ("1", "2", "12")


def read_answer(text: str) -> None:
    """Read the output of a language model, and look its names up in a cast."""
    from scholar_indexes.attribution.by_language_model.cast_labels import CastLabels
    from scholar_indexes.llm.backend import Completion, parse_answer, parse_answers
    from scholar_indexes.types import Character, Gender

    cast = CastLabels([Character("a", "Ann Reed", ("Ann", "Mrs. Reed"), Gender.FEMALE, 3, False)])
    for number, name, span in parse_answers(text):
        assert number.isdecimal()
        if name is not None:
            assert 0 <= span.start <= span.end <= len(text)
            assert cast.find(name) in (None, 0)
    assert set(parse_answer(Completion(text, True), IDS)) <= set(IDS)


def read_completion(data: bytes) -> None:
    """Read the body that a server of language models sends, whatever its status."""
    from scholar_indexes.llm.remote_model import RemoteModel
    from scholar_indexes.net.chat import Reply

    model = RemoteModel("http://localhost:1", "a model")
    for status in (200, 400, 500):
        reply = Reply(status, data, True, 0.0)
        check_line(model._passing_failure(reply))
        try:
            completion = model._read_completion(reply)
        except ScholarError as error:
            check_line(str(error))
            continue
        assert all(0 <= chance <= 1 for chance in completion.probabilities.values())


def read_listing(data: bytes) -> None:
    from scholar_indexes.models import pulling

    _, files = pulling._parse_listing("a/model", data)
    for file in files:
        assert not Path(file.name).is_absolute()
        assert ".." not in Path(file.name).parts


def read_http_headers(data: bytes) -> None:
    """Check the headers of an answer, the address it redirects to and the wait it requests."""
    from urllib3 import HTTPHeaderDict, HTTPResponse

    from scholar_indexes.net import responses
    from scholar_indexes.net.cache import PartialDownload

    lines = b"\n".join(data.split(b"\n")[:90])  # http.client refuses more than 100 headers
    message: HTTPMessage = parse_headers(io.BytesIO(lines + b"\r\n\r\n"))
    response = HTTPResponse(b"", HTTPHeaderDict(message.items()), status=206, preload_content=False)
    part = PartialDownload(Path("part"), 9, 0, '"1"')
    assert 0 <= responses.retry_after(response) <= 6 * 3600
    assert (responses.whole_size(response, part) or 0) >= 0
    validator = responses.validator(response)
    assert validator is None or validator.isprintable()
    target = responses.next_address("https://example.org/a/b", response.headers.get("Location", ""))
    assert target.startswith("https://")
    assert target == one_line(target)
