"""Fetch papers by their identifiers from web services.

    arxiv:    arXiv; the works cited from Semantic Scholar
    doi:      Crossref, else DataCite; a missing abstract or missing references from OpenAlex
    s2:       Semantic Scholar
    openalex: OpenAlex, also for pmid:

Every request goes through a Fetcher: one at a time to each service, and none for answers in its
cache. No service receives more than the requested identifier, and mailto if it is set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from scholar_indexes.errors import (
    NoPapers,
    NotThere,
    Offline,
    RetryLater,
    ScholarError,
    UsageError,
)
from scholar_indexes.guarded import parse_json
from scholar_indexes.net.client import Announce, Fetcher
from scholar_indexes.papers import ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import (
    atom,
    crossref,
    openalex,
    semantic_scholar,
    service_records,
)
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress, silent

BASES: Mapping[str, str] = MappingProxyType(
    {
        "arxiv": "https://export.arxiv.org/api/query",
        "crossref": "https://api.crossref.org/works/",
        "datacite": "https://api.datacite.org/dois/",
        "openalex": "https://api.openalex.org/works/",
        "semanticscholar": "https://api.semanticscholar.org/graph/v1/paper/",
    }
)
"""The address of each service; each may be replaced by another address."""

PAUSE_S = 3.0
"""The pause that arXiv requires between requests, and the minimum for a Fetcher of papers."""

MAX_REFERENCES = 2_000
"""The maximum number of cited works that are taken from a paper."""

_NAMES = {
    "arxiv": "arXiv",
    "crossref": "Crossref",
    "datacite": "DataCite",
    "openalex": "OpenAlex",
    "semanticscholar": "Semantic Scholar",
}
_ONE_BYTES = 8 * 1024 * 1024
_MANY_BYTES = 64 * 1024 * 1024
_PAGE = 500  # references on a page; Semantic Scholar sends at most 10 MB
_BATCH = 50  # works per request; OpenAlex allows at most 100, and a URL of 4,000 characters


def fetch(
    reference: str,
    fetcher: Fetcher,
    *,
    references: bool = False,
    bases: Mapping[str, str] = BASES,
    mailto: str = "",
    announce: Announce,
    progress: Progress = silent,
) -> Iterator[Entry | UnreadableEntry]:
    """Yield the paper with an identifier and then, with references, the works it cites.

    reference is an identifier that ids.canonical_id recognizes, of arXiv, DOI, Semantic Scholar,
    OpenAlex or PubMed. bases replace addresses of BASES. mailto is an address where Crossref and
    OpenAlex may contact the user; it is sent only if given. At most MAX_REFERENCES of the works
    cited are taken; announce reports works that are not available.

    Raises UsageError (no such identifier), NotThere (no service knows it), Offline,
    RetryLater (a service is down or got too many requests), NoPapers (an invalid answer) and the
    other errors of Fetcher.get; each names the service.
    """
    name = ids.canonical_id(reference) or ""
    of_scheme = _BY_SCHEME.get(name.partition(":")[0])
    if of_scheme is None:
        raise UsageError(
            f"{one_line(reference, 100)} is not an identifier of a known service; write it as "
            "arxiv:1810.04805, doi:10.18653/v1/N19-1423, s2:..., openalex:W... or pmid:..."
        )
    unknown = sorted(set(bases) - set(BASES))
    if unknown:
        raise UsageError(f"there is no service {unknown[0]!r}; choose one of {', '.join(BASES)}")
    services = _Services(fetcher, {**BASES, **bases}, mailto, announce, progress)
    paper, cited = of_scheme(services, name)
    yield replace(paper, ids=ids.sort_ids([*paper.ids, name]))
    if references:
        yield from cited()


_Cited = Callable[[], Iterator[Entry | UnreadableEntry]]


@dataclass(frozen=True, slots=True)
class _Services:
    """The services, queried through one fetcher."""

    fetcher: Fetcher
    bases: Mapping[str, str]
    mailto: str
    announce: Announce
    progress: Progress

    def address(
        self, service: str, path: str = "", query: Mapping[str, str | int] = MappingProxyType({})
    ) -> str:
        """Return an address of a service; path is already quoted, the values of query are not."""
        if self.mailto and service in ("crossref", "openalex"):
            query = {**query, "mailto": self.mailto}
        base = self.bases[service]
        base = f"{base.rstrip('/')}/{path}" if path else base.rstrip("/")
        parameters = "&".join(
            f"{key}={quote(str(value), safe='/:,')}" for key, value in query.items()
        )
        return f"{base}?{parameters}" if parameters else base

    def get(self, service: str, address: str, what: str, max_bytes: int = _ONE_BYTES) -> bytes:
        """Return an answer. Raises the errors of Fetcher.get, which then name the service."""
        named = _NAMES[service]
        try:
            response = self.fetcher.get(
                address, max_bytes=max_bytes, announce=self.announce, progress=self.progress
            )
            return response.path.read_bytes()
        except NotThere as error:
            raise NotThere(
                f"{named} does not know {what}; check it, or look for the paper by another id"
            ) from error
        except ScholarError as error:
            raise type(error)(f"{named}: {error}") from error
        except OSError as error:
            raise ScholarError(
                f"the answer of {named} cannot be read ({error.strerror}); run the command again"
            ) from error

    def record(self, service: str, address: str, what: str, max_bytes: int = _ONE_BYTES) -> Any:
        """Return an answer that is a JSON object. Raises as get, and NoPapers for other answers."""
        data = self.get(service, address, what, max_bytes)
        try:
            value = parse_json(data, max_bytes, lenient=True)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise self.nonsense(service, address, what)
        return value

    def nonsense(self, service: str, address: str, what: str) -> NoPapers:
        """Forget an answer that does not have the documented form; return the error to raise."""
        self.fetcher.forget(address)
        return NoPapers(
            f"{_NAMES[service]} answered with something other than {what}; "
            "try again later, or save the paper's BibTeX entry and run: scholar papers add FILE"
        )

    def entry(self, service: str, address: str, what: str, paper: Entry | UnreadableEntry) -> Entry:
        """Return a paper that could be read. Raises NoPapers if it could not."""
        if isinstance(paper, Entry):
            return paper
        raise self.nonsense(service, address, what)


def _of_arxiv(services: _Services, name: str) -> tuple[Entry, _Cited]:
    value = name.partition(":")[2]
    address = services.address("arxiv", query={"id_list": value})
    data = services.get("arxiv", address, name)
    try:
        entries = list(atom.read(data, "the answer"))
    except NoPapers:
        services.fetcher.forget(address)
        if b"rate exceeded" in data[:1000].lower():
            raise RetryLater(
                "arXiv got too many requests; run the same command again in a few minutes"
            ) from None
        raise services.nonsense("arxiv", address, name) from None
    papers = [paper for paper in entries if isinstance(paper, Entry) and name in paper.ids]
    if not papers:  # arXiv answers 200 with an empty feed, or with an entry named Error
        services.fetcher.forget(address)
        raise NotThere(f"arXiv does not know {name}; check it, or look for the paper by another id")
    return papers[0], lambda: _cited_by_s2(services, f"ARXIV:{value}", name)


def _of_s2(services: _Services, name: str) -> tuple[Entry, _Cited]:
    value = name.partition(":")[2].replace("CorpusID:", "CorpusId:")
    address = services.address(
        "semanticscholar", quote(value, safe=":"), {"fields": semantic_scholar.FIELDS}
    )
    record = services.record("semanticscholar", address, name)
    entry = semantic_scholar.parse_paper(record)
    paper = services.entry("semanticscholar", address, name, entry)
    return paper, lambda: _cited_by_s2(services, value, name)


def _of_openalex(services: _Services, name: str) -> tuple[Entry, _Cited]:
    work, paper = _openalex_work(services, name)
    return paper, lambda: _cited_by_openalex(services, work, name)


def _openalex_work(services: _Services, name: str) -> tuple[Mapping[str, Any], Entry]:
    path = quote(name.removeprefix("openalex:"), safe="/:")
    address = services.address("openalex", path)
    work = services.record("openalex", address, name)
    return work, services.entry("openalex", address, name, openalex.parse_work(work))


def _of_doi(services: _Services, name: str) -> tuple[Entry, _Cited]:
    work, paper = _registered(services, name)
    if not paper.sentences:
        services.announce(f"the registry of {name} has no abstract of it; trying OpenAlex")
        try:
            _, other = _openalex_work(services, name)
        except ScholarError as error:
            services.announce(f"{name} is added without an abstract. {error}")
        else:
            known = ids.sort_ids([*paper.ids, *other.ids])
            paper = replace(paper, ids=known, sentences=other.sentences)
    return paper, lambda: _cited_by_registry(services, work, name)


def _registered(services: _Services, name: str) -> tuple[Mapping[str, Any], Entry]:
    """Return the record of a DOI at the agency that registered it, and the work as an entry."""
    path = quote(name.partition(":")[2], safe="")
    for service, inner in (("crossref", "message"), ("datacite", "data")):
        address = services.address(service, path)
        try:
            answer = services.record(service, address, name)
        except NotThere:
            continue
        work = service_records.value_at(answer, inner)
        if not isinstance(work, dict):
            raise services.nonsense(service, address, name)
        return work, services.entry(service, address, name, crossref.parse_work(work))
    raise NotThere(f"neither Crossref nor DataCite knows {name}; check it")


_BY_SCHEME: Mapping[str, Callable[[_Services, str], tuple[Entry, _Cited]]] = {
    "arxiv": _of_arxiv,
    "doi": _of_doi,
    "s2": _of_s2,
    "openalex": _of_openalex,
    "pmid": _of_openalex,
}


def _cited_by_s2(services: _Services, value: str, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the references of a paper, page by page."""
    offset = 0
    while True:
        what = f"the references of {name}"
        address = services.address(
            "semanticscholar",
            f"{quote(value, safe=':/')}/references",
            {"fields": semantic_scholar.FIELDS, "offset": offset, "limit": _PAGE},
        )
        try:
            page = services.record("semanticscholar", address, what, _MANY_BYTES)
        except NotThere as error:
            services.announce(str(error))
            return
        if "data" not in page:
            raise services.nonsense("semanticscholar", address, what)
        cited = service_records.list_at(page, "data")
        if page["data"] is None:
            services.announce(f"Semantic Scholar may not pass on {what}: the publisher forbids it")
        yield from _entries(cited[: MAX_REFERENCES - offset], semantic_scholar.parse_paper)
        following = page.get("next")
        if not isinstance(following, int) or following <= offset:
            return
        if following >= MAX_REFERENCES:
            _say_that_is_all(services, name)
            return
        offset = following
        services.progress("references", offset, 0)


def _cited_by_openalex(
    services: _Services, work: Mapping[str, Any], name: str
) -> Iterator[Entry | UnreadableEntry]:
    named = ids.sort_ids(openalex.cited_ids(work))
    values = [paper_id.partition(":")[2] for paper_id in named if paper_id.startswith("openalex:")]
    yield from _in_batches(
        services, values, name, lambda batch: _works(services, "openalex", batch)
    )


def _cited_by_registry(
    services: _Services, work: Mapping[str, Any], name: str
) -> Iterator[Entry | UnreadableEntry]:
    """Yield the works of the DOIs in a list of references, or without one the list of OpenAlex."""
    dois, without = crossref.cited_dois(work)
    named = ids.sort_ids(f"doi:{doi}" for doi in dois)
    if not named:
        services.announce(f"the registry of {name} does not list its references; trying OpenAlex")
        try:
            other, _ = _openalex_work(services, name)
        except NotThere as error:
            services.announce(str(error))
            return
        yield from _cited_by_openalex(services, other, name)
        return
    if without:
        services.announce(f"references of {name} without a DOI, skipped: {without}")
    values = [_as_doi(paper_id) for paper_id in named]
    yield from _in_batches(services, values, name, lambda batch: _of_dois(services, batch))


def _as_doi(name: str) -> str:
    """Return the DOI of doi:X, or the one that arXiv registered for arxiv:X."""
    scheme, _, value = name.partition(":")
    return f"10.48550/arxiv.{value}" if scheme == "arxiv" else value


def _of_dois(services: _Services, dois: Sequence[str]) -> Iterator[Entry | UnreadableEntry]:
    """Return works by their DOIs, from OpenAlex or, if it cannot answer, from Crossref."""
    try:
        return _works(services, "doi", dois)
    except Offline:
        raise
    except ScholarError as error:
        services.announce(f"{error}; trying Crossref instead")
    address = services.address(
        "crossref", query={"filter": ",".join(f"doi:{doi}" for doi in dois), "rows": len(dois)}
    )
    what = "the works cited"
    message = service_records.value_at(
        services.record("crossref", address, what, _MANY_BYTES), "message"
    )
    if not isinstance(service_records.value_at(message, "items"), list):
        raise services.nonsense("crossref", address, what)
    return _entries(message["items"], crossref.parse_work)


def _works(
    services: _Services, field: str, values: Sequence[str]
) -> Iterator[Entry | UnreadableEntry]:
    """Return works of OpenAlex by the values of a field, in one request."""
    address = services.address(
        "openalex", query={"filter": f"{field}:{'|'.join(values)}", "per-page": len(values)}
    )
    what = "the works cited"
    answer = services.record("openalex", address, what, _MANY_BYTES)
    if not isinstance(answer.get("results"), list):
        raise services.nonsense("openalex", address, what)
    return _entries(answer["results"], openalex.parse_work)


def _in_batches(
    services: _Services,
    values: Sequence[str],
    name: str,
    ask: Callable[[Sequence[str]], Iterator[Entry | UnreadableEntry]],
) -> Iterator[Entry | UnreadableEntry]:
    """Yield works, requesting a few at a time, and announce how many were not found."""
    # these separate values in a filter and cannot be escaped
    plain = [value for value in values if not set(value) & set("|,")]
    if len(plain) > MAX_REFERENCES:
        _say_that_is_all(services, name)
    taken = plain[:MAX_REFERENCES]
    missing = len(values) - len(plain)
    for start in range(0, len(taken), _BATCH):
        batch = taken[start : start + _BATCH]
        services.progress("references", start, len(taken))
        count = 0
        for work in ask(batch):
            count += 1
            yield work
        missing += max(0, len(batch) - count)
    if missing:
        services.announce(f"works cited by {name} that are not known, skipped: {missing}")


def _entries(
    records: Sequence[Any], entry: Callable[[Mapping[str, Any]], Entry | UnreadableEntry]
) -> Iterator[Entry | UnreadableEntry]:
    for record in records:
        if isinstance(record, dict):
            yield entry(record)
        else:
            yield UnreadableEntry(0, "expected a paper, but this is not a record")


def _say_that_is_all(services: _Services, name: str) -> None:
    services.announce(f"{name} cites more than {MAX_REFERENCES:,} works; the rest are skipped")
