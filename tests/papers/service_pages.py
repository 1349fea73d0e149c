"""Small answers of the paper services."""

from __future__ import annotations

import json
from typing import Any

from mirror_server import Answer, body
from scholar_indexes.papers import web_services
from scholar_indexes.papers.entry import Entry, UnreadableEntry

PLACES = {
    "arxiv": "/api/query",
    "crossref": "/crossref/works/",
    "datacite": "/dois/",
    "openalex": "/openalex/works/",
    "semanticscholar": "/graph/v1/paper/",
}

ABSTRACT = "We hang a microphone. The tide hums."
FIELDS = web_services.semantic_scholar.FIELDS
HASH = "649def34f8be52c8b66281af98ae884c09aef38b"


def atom(arxiv_id: str = "2105.01234v2") -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><entry>
<id>http://arxiv.org/abs/{arxiv_id}</id><published>2021-05-03T09:30:00Z</published>
<title>Counting Tides by Ear</title><summary>{ABSTRACT}</summary>
<author><name>Ada Example</name></author></entry></feed>""".encode()


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


def abstract(entry: Entry | UnreadableEntry) -> str:
    assert isinstance(entry, Entry)
    return " ".join(sentence for sentence, _ in entry.sentences)


def s2_path(paper: str, **query: Any) -> str:
    rest = "".join(f"&{key}={value}" for key, value in query.items())
    return f"/graph/v1/paper/{paper}?fields={FIELDS}{rest}"
