"""Identifiers of papers in canonical form, however they are written.

An identifier is scheme:value. The schemes are, the best known first, doi, arxiv, s2
(Semantic Scholar, 40 hexadecimal digits or CorpusID:<number>), openalex and pmid; key (the
citation key of a bibliography) and title (the hash of a title) identify papers without these.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

from scholar_indexes.folding import fold_text

SCHEMES = ("doi", "arxiv", "s2", "openalex", "pmid", "key", "title")
"""All schemes, the best known first."""

MAX_REFERENCE_CHARS = 2_048
MAX_KEY_CHARS = 200
MIN_TITLE_LETTERS = 18
"""Shorter titles ("Introduction", "Deep learning") may be shared by several papers."""

_WEB = re.compile(r"(?i)(?:https?:)?//(?:www\.|dx\.|m\.|export\.|api\.)?([a-z0-9.-]+)(?::\d+)?/")
_DOI = re.compile(r"10\.[0-9]{1,9}(?:\.[0-9]{1,9})*/[!-~\u00a1-\u1fff\u2030-\ud7ff\uf900-\ufffd]+")
_ARXIV = re.compile(
    r"(?i)([0-9]{4}\.[0-9]{4,5}|[a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?"
)
_S2 = re.compile(r"(?i)[0-9a-f]{40}")
_CORPUS = re.compile(r"(?i)(?:s2\s*:\s*)?corpusid\s*:\s*([0-9]{1,18})")
_OPENALEX = re.compile(r"(?i)W([0-9]{1,18})")
_PMID = re.compile(r"[0-9]{1,9}")
_AFTER_A_DOI = ".,;<>"
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)")
_QUERY = re.compile(r"[?#].*", re.DOTALL)
_SLUG = re.compile(r"[^\w.+-]+")
_TITLE_HASH = re.compile(r"[0-9a-f]{16}")
_WORDS = re.compile(r"[^\W_]+")
_PREFIXES = {
    "doi": "doi",
    "arxiv": "arxiv",
    "s2": "s2",
    "semanticscholar": "s2",
    "openalex": "openalex",
    "pmid": "pmid",
    "pubmed": "pmid",
    "key": "key",
    "title": "title",
}


def canonical_id(reference: str) -> str | None:
    """Return the canonical identifier of a reference, or None if it has none.

    Accepts scheme:value, a bare DOI or arXiv id, a Semantic Scholar hash, an OpenAlex
    "W..." and the URLs of these services. DOIs are returned in lower case, arXiv ids
    without their version, and DOIs registered by arXiv as arXiv ids.

    >>> canonical_id("https://arxiv.org/abs/1810.04805v2")
    'arxiv:1810.04805'
    """
    if len(reference) > MAX_REFERENCE_CHARS:
        return None
    reference = reference.strip().strip("<>").strip()
    web = _WEB.match(reference)
    if web:
        return _of_address(web[1].lower(), reference[web.end() :])
    bare = _of_address(*_host_and_path(reference))
    if bare:
        return bare
    corpus = _CORPUS.fullmatch(reference)
    if corpus:
        return f"s2:CorpusID:{int(corpus[1])}"
    prefix, colon, rest = reference.partition(":")
    scheme = _PREFIXES.get(prefix.strip().lower()) if colon else None
    if scheme:
        rest = rest.strip()
        if _WEB.match(rest):  # "doi: https://doi.org/10.1/X"
            paper_id = canonical_id(rest)
            return paper_id if paper_id and paper_id.startswith(f"{scheme}:") else None
        return _of_scheme(scheme, rest)
    return _of_bare_value(reference)


def _of_bare_value(value: str) -> str | None:
    """Return the identifier of a value without a scheme."""
    schemes = ("doi", "arxiv", "s2", "openalex") if len(value) > 4 else ("doi", "arxiv", "s2")
    return next(filter(None, (_of_scheme(scheme, value) for scheme in schemes)), None)


def sort_ids(references: Iterable[str]) -> tuple[str, ...]:
    """Return the canonical identifiers of references in the order of SCHEMES, each once."""
    paper_ids = dict.fromkeys(filter(None, map(canonical_id, references)))
    return tuple(sorted(paper_ids, key=lambda name: SCHEMES.index(name.partition(":")[0])))


def key_id(label: str) -> str | None:
    """Return the identifier of a citation key, or of another local name.

    >>> key_id("Devlin et al. 2019")
    'key:Devlin-et-al.-2019'
    """
    slug = _SLUG.sub("-", unicodedata.normalize("NFC", label[:MAX_REFERENCE_CHARS]))
    slug = slug.strip("-")[:MAX_KEY_CHARS].strip("-")
    return f"key:{slug}" if slug else None


def title_key(title: str) -> str:
    """Return a title for comparison: letters and digits, accents and case folded.

    Empty if the title is too short to identify a paper.

    >>> title_key("BERT: Pre-training of Deep Models")
    'bert pretraining of deep models'
    """
    folded = fold_text(title[:MAX_REFERENCE_CHARS])
    bare = "".join(c for c in folded if c not in "-‐‑’'­")
    words = " ".join(_WORDS.findall(bare))
    # A Chinese or Japanese character counts as two letters.
    weight = sum(2 if c > "\u2e7f" else 1 for c in words if c != " ")
    return words if weight >= MIN_TITLE_LETTERS else ""


def title_id(title: str) -> str:
    """Return the identifier of a paper of which only the title is known."""
    text = title_key(title) or " ".join(title.casefold().split())
    return f"title:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"


def plain_letters(text: str) -> str:
    """Return the ASCII letters and digits of a text in lower case, without accents.

    >>> plain_letters("Gödel, K.")
    'godelk'
    """
    folded = fold_text(text[:MAX_REFERENCE_CHARS])
    return "".join(c for c in folded if c.isascii() and c.isalnum())


def _host_and_path(reference: str) -> tuple[str, str]:
    """Return host and path of a URL without its "https://", such as "doi.org/10.1/x"."""
    host, slash, path = reference.partition("/")
    return (host.lower().removeprefix("www.").removeprefix("dx."), path) if slash else ("", "")


def _of_address(host: str, path: str) -> str | None:
    """Return the identifier in a URL of one of the known services."""
    path = unquote(_QUERY.sub("", path)).rstrip("/")
    if host == "doi.org":
        return _of_scheme("doi", path)
    parts = path.split("/")
    if host == "arxiv.org" and parts[0] in ("abs", "pdf", "html", "format", "src", "e-print"):
        return _of_scheme("arxiv", "/".join(parts[1:]).removesuffix(".pdf"))
    if host == "semanticscholar.org":
        corpus = _CORPUS.fullmatch(parts[-1])
        return f"s2:CorpusID:{int(corpus[1])}" if corpus else _of_scheme("s2", parts[-1])
    if host == "openalex.org":
        return _of_scheme("openalex", parts[-1])
    if host == "pubmed.ncbi.nlm.nih.gov":
        return _of_scheme("pmid", parts[0])
    if host == "ncbi.nlm.nih.gov" and parts[0] == "pubmed":
        return _of_scheme("pmid", parts[-1])
    return None


def _of_scheme(scheme: str, value: str) -> str | None:
    value = value.strip()
    match scheme:
        case "doi":
            return _doi(value)
        case "arxiv":
            value = value.split(" ", 1)[0]  # "1810.04805 [cs.CL]"
            arxiv = _ARXIV.fullmatch(value.removesuffix(".pdf"))
            return f"arxiv:{_old_arxiv(arxiv[1])}" if arxiv else None
        case "s2":
            return f"s2:{value.lower()}" if _S2.fullmatch(value) else None
        case "openalex":
            work = _OPENALEX.fullmatch(value)
            return f"openalex:W{work[1]}" if work else None
        case "pmid":
            value = value.removeprefix("MEDLINE:")
            return f"pmid:{int(value)}" if _PMID.fullmatch(value) else None
        case "key":
            return key_id(value)
    return f"title:{value}" if _TITLE_HASH.fullmatch(value) else None


def _doi(value: str) -> str | None:
    value = value.lower()
    if value.startswith("doi:"):  # "https://doi.org/doi:10.1/x" and "doi:DOI: 10.1/x"
        value = value[4:].strip()
    value = value.rstrip(_AFTER_A_DOI)
    while value.endswith(")") and value.count("(") < value.count(")"):
        value = value[:-1].rstrip(_AFTER_A_DOI)  # it closes a parenthesis around the DOI
    if not _DOI.fullmatch(value):
        return None
    arxiv = _ARXIV_DOI.fullmatch(value)
    return (_of_scheme("arxiv", arxiv[1]) if arxiv else None) or f"doi:{value}"


def _old_arxiv(value: str) -> str:
    """Return an arXiv id in lower case and, if it is old-style, without its subject class."""
    archive, slash, number = value.lower().partition("/")
    return f"{archive.partition('.')[0]}/{number}" if slash else archive
