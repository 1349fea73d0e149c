"""Convert items of Zotero, from its library or from an export with its own names, to entries.

Types and fields are Zotero's (zotero.org/support/kb/item_types_and_fields), and become CSL as in
Zotero's own export.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scholar_indexes.papers import clean, ids
from scholar_indexes.papers.editing import MAX_NOTE_CHARS, MAX_TAG_CHARS
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl
from scholar_indexes.sanitize import one_line

TYPES = {
    "journalArticle": "article-journal",
    "conferencePaper": "paper-conference",
    "preprint": "article",
    "book": "book",
    "bookSection": "chapter",
    "thesis": "thesis",
    "report": "report",
    "manuscript": "manuscript",
    "dataset": "dataset",
    "document": "document",
    "presentation": "speech",
    "standard": "standard",
    "encyclopediaArticle": "entry-encyclopedia",
    "dictionaryEntry": "entry-dictionary",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
}
"""The CSL type of each type of item that is a paper; the others (web pages, letters, films, parts
of other items) are not."""

PARTS = frozenset(["attachment", "note", "annotation"])
"""The types of items that are parts of other items; if standalone, they are not works either."""

FIELDS = {
    "title": ("title",),
    "title-short": ("shortTitle",),
    "container-title": (
        "publicationTitle",
        "bookTitle",
        "proceedingsTitle",
        "encyclopediaTitle",
        "dictionaryTitle",
    ),
    "container-title-short": ("journalAbbreviation",),
    "collection-title": ("seriesTitle", "series"),
    "event-title": ("conferenceName", "meetingName"),
    "publisher": ("publisher", "university", "institution", "organization", "repository"),
    "publisher-place": ("place", "repositoryLocation"),
    "genre": ("thesisType", "reportType", "manuscriptType", "genre"),
    "medium": ("medium",),
    "volume": ("volume",),
    "issue": ("issue",),
    "number": ("archiveID", "reportNumber", "number", "identifier"),
    "number-of-pages": ("numPages",),
    "page": ("pages",),
    "edition": ("edition",),
    "version": ("versionNumber",),
    "language": ("language",),
    "status": ("status",),
    "PMID": ("PMID",),
    "PMCID": ("PMCID",),
    "ISBN": ("ISBN",),
    "ISSN": ("ISSN",),
    "source": ("libraryCatalog",),
    "DOI": ("DOI",),
    "URL": ("url",),
    "archive": ("archive",),
    "archive_location": ("archiveLocation",),
    "issued": ("date",),
}
"""Each CSL variable and the fields it is read from."""

CREATORS = {
    "author": "author",
    "presenter": "author",
    "editor": "editor",
    "translator": "translator",
    "seriesEditor": "collection-editor",
    "bookAuthor": "container-author",
    "recipient": "recipient",
}
"""The CSL variable of each kind of creator; contributors are omitted."""

BETWEEN_NOTES = " | "

_EXTRA = re.compile(r"(?m)^\s*(?:tex\.)?([A-Za-z][\w .-]{0,30}?)\s*[:=]\s*(\S.*?)\s*$")
_EXTRA_IDS = {"doi": "doi", "pmid": "pmid", "arxiv": "arxiv", "eprint": "arxiv", "s2id": "s2"}
_CITATION_KEYS = ("citation key", "citationkey", "bibtex", "bibtexkey", "citekey")


@dataclass(frozen=True, slots=True)
class ZoteroItem:
    """An item: its type and fields by Zotero's names, its creators in their order (each with its
    kind, first and last name; the first is empty for an institution), its tags, its notes in HTML,
    and its line, origin and collections as in Entry."""

    type: str
    fields: Mapping[str, str]
    creators: Sequence[tuple[str, str, str]] = ()
    tags: Sequence[str] = ()
    notes: Sequence[str] = ()
    citation_key: str = ""
    line: int = 0
    origin: str = ""
    collections: tuple[str, ...] = ()


def build_entry(item: ZoteroItem) -> Entry | UnreadableEntry:
    """Return the entry of an item; its citation key, which may be in Extra, is its id.

    Only identifiers and the citation key are read from Extra.
    """
    extra = _parse_extra(item.fields.get("extra", ""))
    record: dict[str, object] = {"type": TYPES.get(item.type, "document")}
    for variable, names in FIELDS.items():
        value = next((item.fields[name] for name in names if item.fields.get(name)), "")
        if value:
            record[variable] = value
    record |= _names_by_role(item.creators)
    record["keyword"] = _join_tags(item.tags)
    record["note"] = BETWEEN_NOTES.join(filter(None, map(_note_text, item.notes)))[:MAX_NOTE_CHARS]
    key = item.citation_key or item.fields.get("citationKey", "") or _extra_key(extra)
    entry = csl.build_entry(
        record,
        item.fields.get("abstractNote"),
        key=clean.to_text(key[: ids.MAX_KEY_CHARS], tex=False),
        references=_extra_ids(extra),
        line=item.line,
    )
    if isinstance(entry, UnreadableEntry):
        return entry
    return replace(entry, origin=item.origin, collections=item.collections)


def _names_by_role(creators: Iterable[tuple[str, str, str]]) -> dict[str, list[dict[str, str]]]:
    """Return the CSL names of creators, by CSL variable."""
    names: dict[str, list[dict[str, str]]] = {}
    for kind, first, last in creators:
        if role := CREATORS.get(kind):
            name = {"family": last, "given": first} if first else {"literal": last}
            names.setdefault(role, []).append(name)
    return names


def _parse_extra(extra: str) -> list[tuple[str, str]]:
    """Return the lines "name: value" of the field Extra, names in lower case."""
    return [(match[1].lower(), match[2]) for match in _EXTRA.finditer(extra[:20_000])]


def _extra_ids(extra: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{_EXTRA_IDS[name]}:{value}" for name, value in extra if name in _EXTRA_IDS]


def _extra_key(extra: Iterable[tuple[str, str]]) -> str:
    return next((value for name, value in extra if name in _CITATION_KEYS), "")


def _join_tags(tags: Iterable[str]) -> str:
    """Return tags as keywords; a comma or semicolon, which would split a tag, is removed."""
    lines = (one_line(re.sub(r"[,;]", " ", tag), MAX_TAG_CHARS).strip() for tag in tags)
    return ", ".join(dict.fromkeys(line for line in lines if line))


def _note_text(note: str) -> str:
    return clean.to_text(note[: 10 * MAX_NOTE_CHARS], tex=False)
