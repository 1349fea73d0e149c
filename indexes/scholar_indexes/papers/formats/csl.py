"""CSL-JSON, and the normal form of the items that every format is read into.

An item is what citationstyles.org's csl-data.json (1.0.2) describes. In normal form its texts
are clean, its dates are date-parts, its DOI is in lower case, its URL is not merely another
way to write one of its identifiers, and everything the schema does not know is left out.
Identifiers that CSL has no variable for stand in "archive" and "archive_location" (arXiv) and
in "custom" (Semantic Scholar, OpenAlex).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scholar_indexes.books.decoding import decode
from scholar_indexes.papers import clean, ids
from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.types import Facet

MAX_NAMES = 5_000
MAX_NAME_CHARS = 500
MAX_FAILURES = 1_000
"""So many broken items in a row are a broken file; the rest of it is not tried."""

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
    "title", "title-short", "container-title", "container-title-short", "collection-title",
    "event-title", "event-place", "publisher", "publisher-place", "genre", "medium", "volume",
    "issue", "number", "number-of-pages", "page", "edition", "version", "language", "keyword",
    "note", "status", "PMID", "PMCID", "ISBN", "ISSN", "source",
)  # fmt: skip
_NAMES = ("author", "editor", "translator", "container-author", "collection-editor", "recipient")
_DATES = ("issued", "original-date", "event-date", "submitted")
_NAME_PARTS = ("family", "given", "suffix", "non-dropping-particle", "dropping-particle", "literal")
_CUSTOM = ("s2", "openalex")
_LATEST_YEAR = 2_999

_DATE = re.compile(r"(-?[0-9]{1,4})(?:[-/]([0-9]{1,2}))?(?:[-/]([0-9]{1,2}))?(?![0-9])")
_YEAR = re.compile(r"(?<![0-9])(1[4-9][0-9]{2}|20[0-9]{2})(?![0-9])")
_DASHES = re.compile(r"\s*[-‐‑‒–—−]+\s*")
_NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{)")
_BLANKS = re.compile(r"\s*")
_INITIALS = re.compile(r"[A-Z](?:\.?[ -]?[A-Z]){0,3}\.?")


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The items of a CSL-JSON file: an array, {"items": [...]} or a single item.

    An item that cannot be read is Broken, and the next one is found again.
    """
    for line, value in objects(decode(data)[0]):
        if isinstance(value, str):
            yield Broken(line, value)
        else:
            yield entry(value, value.get("abstract"), line=line)


def objects(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The objects of a JSON array, one at a time, each with its line.

    A string stands in for an object that cannot be read and says why. {"items": [...]}
    is its array; what is no array is read as an array of one.
    """
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    wrapper = re.match(r'\s*(?:\{\s*"items"\s*:\s*)?\[', text)
    position = wrapper.end() if wrapper else 0
    line, counted, failures = 1, 0, 0
    while True:
        position = _skip(text, position, " \t\r\n,")
        if position >= len(text) or (text[position] == "]" and not failures):
            return
        line += text.count("\n", counted, position)
        counted = position
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:  # ValueError: also an endless number
            failures += 1
            reason = "it is nested too deeply"
            reached = position
            if isinstance(error, json.JSONDecodeError):
                reason, reached = f"it is not JSON: {error.msg}", max(error.pos, position)
                reason += f" in line {line + text.count(chr(10), counted, reached)}"
            elif isinstance(error, ValueError):
                reason = "it has a number that is too long"
            if failures == 1:
                yield line, reason
            # a string that is not closed has taken the end of its item: "B},
            following = _NEXT_ITEM.search(text, max(position, reached - len("},  ")))
            if following is None or failures > MAX_FAILURES:
                return
            position = following.end()
            continue
        if not isinstance(value, dict):
            yield line, "it is not a record but a mere value"
        elif failures and not {"title", "type", "id"} & value.keys():
            continue  # a piece of the broken item: one of its authors
        else:
            failures = 0
            yield line, value
        if not wrapper:
            return


def _skip(text: str, position: int, signs: str) -> int:
    while position < len(text) and text[position] in signs:
        position += 1
    return position


def entry(
    item: Mapping[str, Any],
    abstract: object = None,
    *,
    key: str = "",
    references: Iterable[str] = (),
    line: int = 0,
    tex: bool | None = None,
) -> Entry | Broken:
    """An Entry of a raw CSL-JSON item and an abstract; what all formats end with.

    abstract is text (with markup or without) or a list of sentences, each a string or a
    mapping {"text", "facet"}; key is the citation key, references are identifiers that
    the item itself does not hold; tex is as in clean.text. Broken when there is neither
    a title nor an abstract.
    """
    csl = normal(item, references, tex=tex)
    sentences = _sentences(abstract, tex)
    title = csl.get("title", "")
    if not title and not sentences:
        return Broken(line, "it has neither a title nor an abstract")
    label = key or _plain_text(item.get("id"))
    named = ids.canonical(label) or ids.key(label)
    known = ids.best([*item_ids(csl), *([named] if named else [])])
    if key and "id" not in csl:
        csl["id"] = key
    return Entry(csl, known or (ids.title_id(title or sentences[0][0]),), sentences, line)


def normal(
    item: Mapping[str, Any], references: Iterable[str] = (), *, tex: bool | None = None
) -> dict[str, Any]:
    """The normal form of a CSL-JSON item, with further identifiers put in their places.

    The abstract is not part of it. Never raises, whatever the values are.
    """
    result: dict[str, Any] = {}
    given = _plain_text(item.get("id"))
    if given:
        result["id"] = given
    kind = _plain_text(item.get("type")).lower()
    kind = _TYPE_NAMES.get(kind, kind)
    result["type"] = kind if kind in TYPES else "document"
    for variable in _TEXTS:
        value = _text_of(item.get(variable), tex)
        if value:
            result[variable] = _DASHES.sub("-", value) if variable == "page" else value
    for variable in _NAMES:
        names = _names(item.get(variable), tex)
        if names:
            result[variable] = names
    for variable in _DATES:
        date = _date(item.get(variable))
        if date:
            result[variable] = date
    _place_ids(result, item, references)
    return result


def item_ids(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The identifiers in an item of the normal form, the best first; its "id" is not one."""
    custom = item.get("custom")
    found = [f"doi:{item.get('DOI', '')}", f"pmid:{item.get('PMID', '')}"]
    if item.get("archive") == "arXiv":
        found.append(f"arxiv:{item.get('archive_location', '')}")
    if isinstance(custom, Mapping):
        found += [f"{scheme}:{custom.get(scheme, '')}" for scheme in _CUSTOM]
    return ids.best(found)


def item_year(item: Mapping[str, Any]) -> int | None:
    """The year an item was published in, if it says."""
    date = _date(item.get("issued"))
    return int(date["date-parts"][0][0]) if date else None


def item_authors(item: Mapping[str, Any]) -> tuple[str, ...]:
    """An item's authors as "Given Family", in order."""
    return tuple(_as_read(each) for each in _names(item.get("author"), None))


def item_venue(item: Mapping[str, Any]) -> str:
    """Where an item was published: its journal, its conference or its publisher."""
    for variable in ("container-title", "event-title", "collection-title", "publisher"):
        value = _text_of(item.get(variable), None)
        if value:
            return value
    return ""


def name(text: str) -> dict[str, str]:
    """A CSL name of a name as people write it.

    >>> name("Ada Lovelace") == name("Lovelace, Ada") == {"family": "Lovelace", "given": "Ada"}
    True
    >>> name("Lovelace AK")
    {'family': 'Lovelace', 'given': 'AK'}
    """
    text = clean.text(text[:MAX_NAME_CHARS])
    family, comma, given = (each.strip() for each in text.partition(","))
    if comma:
        first, comma, last = (each.strip() for each in given.partition(","))
        if comma and last:  # "King, Jr., Martin Luther"
            return _filled(family=family, suffix=first, given=last)
        return _filled(family=family, given=first) if family else _filled(literal=text.strip(", "))
    words = text.split()
    if len(words) < 2:
        return _filled(literal=text)
    if _INITIALS.fullmatch(words[-1]) and not _INITIALS.fullmatch(words[0]):
        return _filled(family=" ".join(words[:-1]), given=words[-1])
    start = len(words) - 1
    lowered = [at for at, word in enumerate(words[1:-1], 1) if word[0].islower()]
    start = min(lowered, default=start)  # Ludwig van Beethoven
    return _filled(family=" ".join(words[start:]), given=" ".join(words[:start]))


def _filled(**parts: str) -> dict[str, str]:
    return {part.replace("_", "-"): value for part, value in parts.items() if value}


def _as_read(person: Mapping[str, str]) -> str:
    if "literal" in person:
        return person["literal"]
    order = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return " ".join(person[part] for part in order if part in person)


def _plain_text(value: object) -> str:
    """A string or a number as text; nothing else is."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, int) and abs(value) > 10**18:
        return ""
    return clean.text(str(value), tex=False)


def _text_of(value: object, tex: bool | None) -> str:
    if isinstance(value, list):  # Crossref has lists of one title
        value = next(iter(value), "")
    return clean.text(value, tex) if isinstance(value, str) else _plain_text(value)


def _names(value: object, tex: bool | None) -> list[dict[str, str]]:
    if isinstance(value, str | Mapping):
        value = [value]
    if not isinstance(value, Sequence):
        return []
    people = (_name(each, tex) for each in value[:MAX_NAMES])
    return [person for person in people if person]


def _name(value: object, tex: bool | None) -> dict[str, str]:
    if isinstance(value, str):
        return name(value)
    if not isinstance(value, Mapping):
        return {}
    texts = {part: value.get(part) for part in _NAME_PARTS}
    person = {
        part: clean.text(text[:MAX_NAME_CHARS], tex)
        for part, text in texts.items()
        if isinstance(text, str)
    }
    person = {part: text for part, text in person.items() if text}
    if "family" not in person:
        whole = person.get("literal") or person.get("given") or value.get("name")
        return _filled(literal=clean.text(whole[:MAX_NAME_CHARS])) if isinstance(whole, str) else {}
    person.pop("literal", None)
    return person


def _date(value: object) -> dict[str, list[list[int]]]:
    """A CSL date as date-parts, of date-parts, a string or a year; empty when it is none."""
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        if isinstance(parts, list) and parts and isinstance(parts[0], list):
            found = _date_parts(parts[0])
            if found:
                return {"date-parts": [found]}
        value = value.get("raw") or value.get("literal") or value.get("year")
    text = _plain_text(value)
    if not text:
        return {}
    whole = _DATE.match(text)
    found = _date_parts([part for part in whole.groups() if part]) if whole else []
    if not found or abs(found[0]) < 100:  # "12 March 1999"
        year = _YEAR.search(text)
        found = [int(year[1])] if year else found
    return {"date-parts": [found]} if found else {}


def _date_parts(parts: Sequence[object]) -> list[int]:
    """Year, month and day as far as they make sense."""
    found: list[int] = []
    for part, latest in zip(parts, (_LATEST_YEAR, 12, 31), strict=False):
        digits = _plain_text(part)
        if not re.fullmatch(r"-?[0-9]{1,4}", digits):
            break
        number = int(digits)
        if not (1 <= number <= latest or (not found and -latest <= number < 0)):
            break
        found.append(number)
    return found


def _place_ids(result: dict[str, Any], item: Mapping[str, Any], references: Iterable[str]) -> None:
    """Put every identifier that an item or its source names into the item."""
    custom = item.get("custom")
    url = _plain_text(item.get("URL"))
    number = result.get("number", "")
    location = _plain_text(item.get("archive_location") or item.get("archive-location"))
    candidates = [f"doi:{_plain_text(item.get('DOI'))}", f"pmid:{result.pop('PMID', '')}", url]
    if number.lower().startswith("arxiv:"):  # as Zotero has it
        candidates.append(number)
        if ids.canonical(number):
            del result["number"]
    if _plain_text(item.get("archive")).lower() == "arxiv":
        candidates.append(f"arxiv:{location.lower().removeprefix('arxiv:')}")
    elif location:
        result["archive"] = _plain_text(item.get("archive"))
        result["archive_location"] = location
    if isinstance(custom, Mapping):
        candidates += [f"{scheme}:{_plain_text(custom.get(scheme))}" for scheme in _CUSTOM]
    known: dict[str, str] = {}
    for each in ids.best([*candidates, *references]):
        scheme, _, value = each.partition(":")
        known.setdefault(scheme, value)
    if "doi" in known:
        result["DOI"] = known["doi"]
    if "pmid" in known:
        result["PMID"] = known["pmid"]
    if "arxiv" in known:
        result["archive"], result["archive_location"] = "arXiv", known["arxiv"]
    own = {scheme: known[scheme] for scheme in _CUSTOM if scheme in known}
    if own:
        result["custom"] = own
    if url and not ids.canonical(url):
        result["URL"] = url


def _sentences(abstract: object, tex: bool | None) -> tuple[tuple[str, Facet | None], ...]:
    """The sentences of an abstract that is text, or a list of its sentences."""
    from scholar_indexes.papers import abstracts  # not for those who only read what is kept

    if isinstance(abstract, str):
        return abstracts.sentences(abstract, tex)
    if not isinstance(abstract, list):
        return ()
    found: list[tuple[str, Facet | None]] = []
    for each in abstract[: abstracts.MAX_SENTENCES]:
        raw = each.get("text") if isinstance(each, Mapping) else each
        text = clean.text(raw, tex) if isinstance(raw, str) else ""
        if text:
            facet = each.get("facet") if isinstance(each, Mapping) else None
            found.append((text, facet_named(facet)))
    return tuple(found)


def facet_named(value: object) -> Facet | None:
    """The facet of a label in a file; an objective is background (Mysore et al. 2021)."""
    if not isinstance(value, str):
        return None
    label = value.strip().casefold()
    if label in {"objective", "aim", "purpose"}:
        return Facet.BACKGROUND
    return next((facet for facet in Facet if label in (facet, f"{facet}s")), None)
