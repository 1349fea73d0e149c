"""The title, people and language of an EPUB, from the metadata of its package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from scholar_indexes.books.formats.gutenberg_header import language_code
from scholar_indexes.books.formats.html import natural_name
from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon import given_names
from scholar_indexes.types import Imprint

_DUBLIN_CORE = re.compile(r"(?:\{http://purl\.org/dc/(?:elements/1\.[01]|terms)/\}|dc:)(\w+)")
"""A tag of Dublin Core, also with a prefix that is not declared."""

_OPF = "{http://www.idpf.org/2007/opf}"
_GUTENBERG = re.compile(r"gutenberg\.org/(?:ebooks/)?(\d{1,6})", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_BY = re.compile(r"by\s+(?=\w)", re.IGNORECASE)

_ROLES = {
    "": "author",
    "aut": "author",
    "author": "author",
    "cre": "author",
    "creator": "author",
    "trl": "translator",
    "translator": "translator",
    "edt": "editor",
    "edc": "editor",
    "editor": "editor",
}
"""Roles of people, as codes of MARC or as words; people with other roles are not named."""

_ROLE_IN_NAME = re.compile(
    r"\s*[(\[](author|translator|editor|illustrator|foreword|introduction|narrator)[)\]]$",
    re.IGNORECASE,
)
_UNKNOWN = frozenset({"unknown", "[unknown]", "unbekannt", "inconnu", "n/a"})
"""The texts of fields that have none."""

_OTHER_TITLES = frozenset({"short", "collection", "edition", "expanded", "extended", "subtitle"})


@dataclass(frozen=True, slots=True)
class _Entry:
    """The text of a Dublin Core element, and what the package says about it."""

    text: str
    role: str
    kind: str
    order: int

    @property
    def is_known(self) -> bool:
        return bool(self.text) and self.text.lower() not in _UNKNOWN


class Metadata:
    """The metadata of a package document of EPUB 2, EPUB 3 or the older OEB."""

    def __init__(self, package: etree._Element) -> None:
        self._elements: dict[str, list[etree._Element]] = {}
        for element in package.iter():
            tag = element.tag if isinstance(element.tag, str) else ""
            if match := _DUBLIN_CORE.fullmatch(tag):
                self._elements.setdefault(match[1].lower(), []).append(element)
        self._refinements: dict[tuple[str, str], list[str]] = {}
        for meta in package.iter("{*}meta"):
            key = (meta.get("refines") or "").lstrip("#"), meta.get("property") or ""
            self._refinements.setdefault(key, []).append(_text(meta))

    def title(self) -> str:
        """Return the main title, followed by the subtitle if the package marks one."""
        titles = self._entries("title")
        mains = [entry for entry in titles if entry.kind == "main"] or [
            entry for entry in titles if entry.kind not in _OTHER_TITLES
        ]
        if not mains:
            return titles[0].text if titles else ""
        main = mains[0].text
        subtitle = next((entry.text for entry in titles if entry.kind == "subtitle"), "")
        is_new = subtitle and fold_text(subtitle) not in fold_text(main)
        return f"{main.rstrip(' :')}: {subtitle}" if is_new else main

    def author(self) -> str:
        """Return the authors, joined as in a sentence; empty if nobody has that role."""
        names = self._people("author", "creator")
        joiner = " and " if len(names) == 2 and not any(map(_is_list, names)) else "; "
        return joiner.join(names)

    def imprint(self) -> Imprint:
        """Return the translators and editors."""
        return Imprint(
            translators=tuple(self._people("translator", "creator", "contributor")),
            editors=tuple(self._people("editor", "creator", "contributor")),
        )

    def language(self) -> str:
        """Return the ISO 639-1 code of the language, empty if the package names none or several."""
        codes = {language_code(entry.text) for entry in self._entries("language")}
        return codes.pop() if len(codes) == 1 else ""

    def gutenberg_id(self) -> int | None:
        """Return the number of the book in Project Gutenberg, None if the package has none."""
        for entry in (*self._entries("identifier"), *self._entries("source")):
            if match := _GUTENBERG.search(entry.text):
                return int(match[1])
        return None

    def _people(self, part: str, *names: str) -> list[str]:
        """Return the people who have a part in a book, each once, in order."""
        people: dict[str, None] = {}
        for name in names:
            for entry in self._entries(name):
                # a contributor without a role may be anyone
                if _ROLES.get(entry.role) == part and (entry.role or name == "creator"):
                    people.update(dict.fromkeys(_divide(entry.text)))
        return list(people)

    def _entries(self, name: str) -> list[_Entry]:
        """Return the non-empty Dublin Core elements of a name, in the order of display."""
        elements = self._elements.get(name, [])
        entries = [entry for entry in map(self._entry, elements) if entry.is_known]
        return sorted(entries, key=lambda entry: entry.order)

    def _entry(self, element: etree._Element) -> _Entry:
        order = self._refined(element, "display-seq")[0]
        text = _text(element) or element.get(f"{_OPF}file-as") or ""
        is_person = element.tag.lower().endswith(("creator", "contributor"))
        in_name = _ROLE_IN_NAME.search(text) if is_person else None
        return _Entry(
            text[: in_name.start()] if in_name else text,
            self._role(element, in_name[1] if in_name else ""),
            _last_word(self._refined(element, "title-type")[0]),
            int(order) if order.isascii() and order.isdigit() and len(order) < 6 else 99_999,
        )

    def _role(self, element: etree._Element, in_name: str) -> str:
        """Return the first known role of a person, else the first, empty if none is given."""
        marked = element.get(f"{_OPF}role") or element.get("role") or ""
        given = map(_last_word, (marked, *self._refined(element, "role"), in_name))
        roles = [role for role in given if role]
        return next((role for role in roles if role in _ROLES), "".join(roles[:1]))

    def _refined(self, element: etree._Element, name: str) -> list[str]:
        """Return the refinements of an element that have a name, at least an empty one."""
        return self._refinements.get((element.get("id") or "\0", name), [""])


def _text(element: etree._Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _last_word(text: str) -> str:
    """Return a role or a kind without its vocabulary: "aut" for "marc:aut"."""
    words: Sequence[str] = _WORD.findall(text.lower())
    return words[-1] if words else ""


def _is_list(name: str) -> bool:
    return " and " in name or "," in name or "&" in name


def _divide(name: str) -> Iterator[str]:
    """Yield the names in one element, which may be "Ann Pool, Ben Ford" or "Pool, Ann"."""
    name = _BY.sub("", name, count=1) if _BY.match(name) else name
    parts = re.split(r";| & ", name)
    if not all(" " in part.strip() for part in parts):  # Mill & Co
        parts = name.split(";")
    for part in filter(None, (part.strip() for part in parts)):
        listed = part.split(", ")
        if len(listed) > 1 and all(map(_begins_with_given_name, listed)):
            yield from listed
        else:
            yield natural_name(part)


def _begins_with_given_name(name: str) -> bool:
    first, *others = name.split() or [""]
    return bool(others) and fold_text(first) in given_names.ALL
