"""Read CSL-JSON, and normalize the items that every format is read into.

An item follows the schema csl-data.json (1.0.2) of citationstyles.org. In normal form its texts
are clean, its dates are date-parts, its DOI is in lower case, its URL is not the URL of one
of its identifiers, and fields unknown to the schema are dropped.
Identifiers without a CSL variable are in "archive" and "archive_location" (arXiv) and
in "custom" (Semantic Scholar, OpenAlex).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.decoding import decode
from scholar_indexes.guarded import parse_json_at
from scholar_indexes.papers import clean, ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl_dates, csl_names
from scholar_indexes.types import Facet

MAX_FAILURES = 1_000
"""After this many invalid items in a row, the rest of a file is not read."""

TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter "
    "classic collection dataset document entry entry-dictionary entry-encyclopedia event "
    "figure graphic hearing interview legal_case legislation manuscript map motion_picture "
    "musical_score pamphlet paper-conference patent performance periodical "
    "personal_communication post post-weblog regulation report review review-book software "
    "song speech standard thesis treaty webpage".split()
)
_TYPE_NAMES = {  # of other services and of older CSL
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "posted-content": "article",
    "preprint": "article",
    "monograph": "book",
    "dissertation": "thesis",
    "legal-case": "legal_case",
}
_TEXTS = (
    "title",
    "title-short",
    "container-title",
    "container-title-short",
    "collection-title",
    "chapter-number",
    "event-title",
    "event-place",
    "publisher",
    "publisher-place",
    "genre",
    "medium",
    "volume",
    "issue",
    "number",
    "number-of-pages",
    "page",
    "edition",
    "version",
    "language",
    "keyword",
    "note",
    "status",
    "PMID",
    "PMCID",
    "ISBN",
    "ISSN",
    "source",
)
_NAMES = ("author", "editor", "translator", "container-author", "collection-editor", "recipient")
_DATES = ("issued", "original-date", "event-date", "submitted")
_CUSTOM = ("s2", "openalex")
_ID_VARIABLES = {"doi": "DOI", "pmid": "PMID"}

_DASHES = re.compile(r"\s*[-‐‑‒–—−]+\s*")
_PAGE_WORD = re.compile(r"\A(?:pp?|pgs?|pages?)\b[.:]?\s*(?=[0-9])", re.IGNORECASE)
_NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{)")
_BLANKS = re.compile(r"\s*")
_BETWEEN_TAGS = re.compile(r"\s*[,;]\s*")


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the items of a CSL-JSON file: an array, {"items": [...]} or a single item.

    An item that cannot be read is an UnreadableEntry, and reading continues at the next one.
    """
    for line, value in parse_objects(decode(data)[0]):
        if isinstance(value, str):
            yield UnreadableEntry(line, value)
        else:
            yield build_entry(value, value.get("abstract"), line=line)


def parse_objects(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """Yield the objects of a JSON array, each with its line.

    An object that cannot be read is a string with the error. {"items": [...]} is read as its
    array, any other value as an array of one.
    """
    wrapper = re.match(r'\s*(?:\{\s*"items"\s*:\s*)?\[', text)
    position = wrapper.end() if wrapper else 0
    line, counted, failures = 1, 0, 0
    while failures <= MAX_FAILURES:
        position = _skip(text, position, " \t\r\n,")
        if position >= len(text) or (text[position] == "]" and not failures):
            return
        line += text.count("\n", counted, position)
        counted = position
        try:
            value, position = parse_json_at(text, position)
        except ValueError as error:
            failures += 1
            reached = max(getattr(error, "pos", position), position)
            # The next failures are probably in the rest of the same record.
            if failures == 1:
                yield line, _describe_error(error, line + text.count("\n", counted, reached))
            position = _find_next_item(text, position, reached)
            continue
        # The search for the next record may have stopped inside the broken one.
        if failures and _is_fragment(value):
            continue
        if isinstance(value, dict):
            failures = 0
            yield line, value
        else:
            yield line, "it is a plain value, not a record"
        if not wrapper:
            return


def _find_next_item(text: str, start: int, reached: int) -> int:
    """Return the position of the item after an invalid one, or the end of the text.

    Decoding of the invalid item began at `start` and failed at `reached`.
    """
    # an unclosed string includes the end of its item: "B},
    gap = _NEXT_ITEM.search(text, max(start, reached - len("},  ")))
    return gap.end() if gap else len(text)


def _is_fragment(value: object) -> bool:
    """Return True for an object that may be part of an item, such as one of its authors."""
    return isinstance(value, dict) and not {"title", "type", "id"} & value.keys()


def _describe_error(error: ValueError, line: int) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON: {error.msg} in line {line}"
    return str(error)


def _skip(text: str, position: int, signs: str) -> int:
    while position < len(text) and text[position] in signs:
        position += 1
    return position


def build_entry(
    item: Mapping[str, Any],
    abstract: object = None,
    *,
    key: str = "",
    references: Iterable[str] = (),
    line: int = 0,
    tex: bool | None = None,
) -> Entry | UnreadableEntry:
    """Return the Entry of a raw CSL-JSON item and an abstract; all formats use this.

    abstract is text (with markup or without) or a list of sentences, each a string or a
    mapping {"text", "facet"}; key is the citation key, references are identifiers that are not
    in the item; tex is as in clean.to_text. Returns an UnreadableEntry if there is neither a
    title nor an abstract.
    """
    csl = normalize(item, references, tex=tex)
    sentences = _sentences(abstract, tex)
    title = csl.get("title", "")
    if not title and not sentences:
        return UnreadableEntry(line, "it has neither a title nor an abstract")
    label = key or clean.plain_text(item.get("id"))
    label_id = ids.canonical_id(label) or ids.key_id(label)
    known = ids.sort_ids([*item_ids(csl), *([label_id] if label_id else [])])
    if key and "id" not in csl:
        csl["id"] = key
    return Entry(csl, known or (ids.title_id(title or sentences[0][0]),), sentences, line)


def normalize(
    item: Mapping[str, Any], references: Iterable[str] = (), *, tex: bool | None = None
) -> dict[str, Any]:
    """Return the normal form of a CSL-JSON item, with further identifiers in their variables.

    The abstract is not part of it. Never raises, whatever the values are.
    """
    result: dict[str, Any] = {}
    item_id = clean.plain_text(item.get("id"))
    if item_id:
        result["id"] = item_id
    kind = clean.plain_text(item.get("type")).lower()
    kind = _TYPE_NAMES.get(kind, kind)
    result["type"] = kind if kind in TYPES else "document"
    for variable in _TEXTS:
        value = _text_of(item.get(variable), tex)
        if value:
            result[variable] = _pages(value) if variable == "page" else value
    for variable in _NAMES:
        names = csl_names.normalize_names(item.get(variable), tex)
        if names:
            result[variable] = names
    for variable in _DATES:
        date = csl_dates.normalize_date(item.get(variable))
        if date:
            result[variable] = date
    _place_ids(result, item, references)
    return result


def item_ids(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identifiers in a normalized item, the best first; its "id" is not one."""
    custom = item.get("custom")
    references = [f"doi:{item.get('DOI', '')}", f"pmid:{item.get('PMID', '')}"]
    if item.get("archive") == "arXiv":
        references.append(f"arxiv:{item.get('archive_location', '')}")
    if isinstance(custom, Mapping):
        references += [f"{scheme}:{custom.get(scheme, '')}" for scheme in _CUSTOM]
    return ids.sort_ids(references)


def item_year(item: Mapping[str, Any]) -> int | None:
    """Return the year of publication of an item, if it has one."""
    date = csl_dates.normalize_date(item.get("issued"))
    return int(date["date-parts"][0][0]) if date else None


def item_tags(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keywords of an item, in order, once each."""
    keyword = item.get("keyword")
    text = keyword if isinstance(keyword, str) else ""
    return tuple(dict.fromkeys(tag for tag in _BETWEEN_TAGS.split(text.strip()) if tag))


def item_authors(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the authors of an item as "Given Family", in order, without "others"."""
    names = csl_names.normalize_names(item.get("author"))
    return tuple(csl_names.as_read(name) for name in names if not csl_names.is_others(name))


def listed_authors(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the authors of an item, with "others" if the source omits some."""
    return tuple(map(csl_names.as_read, csl_names.normalize_names(item.get("author"))))


def item_venue(item: Mapping[str, Any]) -> str:
    """Return the journal, conference or publisher of an item."""
    for variable in ("container-title", "event-title", "collection-title", "publisher"):
        value = _text_of(item.get(variable), None)
        if value:
            return value
    return ""


def _pages(text: str) -> str:
    """Return pages with hyphens, and without a word before them: "pp. 12–20" is "12-20"."""
    return _PAGE_WORD.sub("", _DASHES.sub("-", text))


def _text_of(value: object, tex: bool | None) -> str:
    if isinstance(value, list):  # Crossref has lists of one title
        value = next(iter(value), "")
    return clean.to_text(value, tex) if isinstance(value, str) else clean.plain_text(value)


def _place_ids(result: dict[str, Any], item: Mapping[str, Any], references: Iterable[str]) -> None:
    """Put every identifier of an item or of its source into its variable."""
    url = clean.plain_text(item.get("URL"))
    candidates = [*_take_references(result, item), *references]
    known: dict[str, str] = {}
    for paper_id in ids.sort_ids(candidates):
        scheme, _, value = paper_id.partition(":")
        known.setdefault(scheme, value)
    result |= {name: known[scheme] for scheme, name in _ID_VARIABLES.items() if scheme in known}
    if "arxiv" in known:
        result["archive"], result["archive_location"] = "arXiv", known["arxiv"]
    custom = {scheme: known[scheme] for scheme in _CUSTOM if scheme in known}
    if custom:
        result["custom"] = custom
    if url and not ids.canonical_id(url):
        result["URL"] = url


def _take_references(result: dict[str, Any], item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the possible identifiers in an item's variables and remove them from the result; add an
    archive that is not arXiv to it."""
    yield f"doi:{clean.plain_text(item.get('DOI'))}"
    yield f"pmid:{result.pop('PMID', '')}"
    yield clean.plain_text(item.get("URL"))
    number = result.get("number", "")
    if number.lower().startswith("arxiv:"):  # as in Zotero
        yield number
        if ids.canonical_id(number):
            del result["number"]
    location = clean.plain_text(item.get("archive_location") or item.get("archive-location"))
    if clean.plain_text(item.get("archive")).lower() == "arxiv":
        yield f"arxiv:{location.lower().removeprefix('arxiv:')}"
    elif location:
        result["archive"] = clean.plain_text(item.get("archive"))
        result["archive_location"] = location
    custom = item.get("custom")
    if isinstance(custom, Mapping):
        yield from (f"{scheme}:{clean.plain_text(custom.get(scheme))}" for scheme in _CUSTOM)


def _sentences(abstract: object, tex: bool | None) -> tuple[tuple[str, Facet | None], ...]:
    """Return the sentences of an abstract, which is text or a list of sentences."""
    from scholar_indexes.papers import abstracts  # deferred: not needed to read stored papers

    if isinstance(abstract, str):
        return abstracts.split_abstract(abstract, tex)
    if not isinstance(abstract, list):
        return ()
    sentences: list[tuple[str, Facet | None]] = []
    for sentence in abstract[: abstracts.MAX_SENTENCES]:
        fields = sentence if isinstance(sentence, Mapping) else {"text": sentence}
        raw = fields.get("text")
        if isinstance(raw, str) and (text := clean.to_text(raw, tex)):
            sentences.append((text, parse_facet(fields.get("facet"))))
    return tuple(sentences)


def parse_facet(value: object) -> Facet | None:
    """Return the facet of a label in a file; an objective is background (Mysore et al. 2021)."""
    if not isinstance(value, str):
        return None
    label = value.strip().casefold()
    if label in {"objective", "aim", "purpose"}:
        return Facet.BACKGROUND
    return next((facet for facet in Facet if label in (facet, f"{facet}s")), None)
