"""Read Word documents (docx): their paragraphs and notes as they are shown with all changes
accepted; paragraphs with a quotation style, and indented ones, are block quotations."""

from __future__ import annotations

import io
import lzma
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from lxml import etree

from scholar_indexes.errors import UsageError
from scholar_indexes.quotations.essays.stretches import Stretch, raised, with_indented_blocks
from scholar_indexes.stopping import checked

MAX_BYTES = 64 * 1024 * 1024
MAX_RATIO = 200
SMALL = 1024 * 1024
"""The maximum bytes of an unpacked part, its maximum ratio to the packed size, and the size in
bytes up to which the ratio is ignored."""

DOCUMENT = "word/document.xml"
"""The main part of a document that does not name it."""

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    etree.LxmlError,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
_NAMESPACES = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",  # Strict Open XML
)
QUOTE_STYLE = re.compile(
    r"quot|zitat|cit[aá]t|\bcita|citaz|cytat|sitat|lainaus|idézet|цитат|引用|block[\s_-]?text|extract"
    r"|epigraph|\bverse|\bpoe(?:m|try)|\bbq\b",
    re.IGNORECASE,
)
OTHER_STYLE = re.compile(
    r"list|toc|head|titl|bibliogr|reference|works|caption|abstract|code|index|sign|address|date"
    r"|author|note",
    re.IGNORECASE,
)
"""Styles of indented paragraphs that are no quotations."""

_TEXTS = {"tab": "\t", "ptab": "\t", "br": "\n", "noBreakHyphen": "-", "cr": "\n"}
_SYMBOL_FONT = {"F0B2": "″", "F0A2": "′", "F0BC": "…", "F0BE": "—", "F02D": "−"}
"""Characters of the font Symbol, by their codes."""

_LEFT_OUT = frozenset(("del", "moveFrom", "p", "pPr", "rPr", "rt", "instrText", "delText"))
"""Elements of a paragraph whose text is not read: deletions, pronunciations, and the
paragraphs of a text box, which are read as paragraphs of their own."""

_HIDING = ("vanish", "strike", "dstrike")
"""Properties of text that is not read: hidden, or struck out."""

_OFF = frozenset(("0", "false", "off"))
_UNITS = {"pt": 20.0, "pc": 240.0, "pi": 240.0, "in": 1440.0, "cm": 566.9, "mm": 56.69}
_LENGTH = re.compile(r"\s*(-?\d{1,6}(?:\.\d{1,6})?)(pt|pc|pi|in|cm|mm)?\s*")
MOST_BASES = 20
"""The maximum number of styles in a chain, each based on the next."""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """The text of a paragraph, whether it has a quotation style, and its indent in twentieths of a
    point, None for an item of a list, a heading and the like; `joins` is True if the mark at its
    end is deleted."""

    text: str
    is_quote: bool
    indent: float | None
    joins: bool


def read(data: bytes, label: str) -> tuple[list[Stretch], list[int]]:
    """Return the paragraphs of a document, which are counted as lines, and the offset of each.

    python-docx does not open Strict Open XML, and leaves out notes, text boxes and insertions, so
    the parts are read as XML. Raises UsageError, with `label` as its name, if the document is
    broken or too large when unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            package = _Package(archive, label)
            styles = _Styles(package.related("styles"))
            parts = [package.document, *package.related("footnotes"), *package.related("endnotes")]
            paragraphs = [
                paragraph for root in parts for paragraph in _joined(_Part(root, styles).read())
            ]
    except _DAMAGE as error:
        raise UsageError(f"{label} is a damaged Word document; save it again") from error
    starts = [0, *accumulate(len(paragraph.text) + 1 for paragraph in paragraphs)]
    stretches = [
        Stretch(
            paragraph.text,
            range(start, start + len(paragraph.text)),
            paragraph.is_quote,
            paragraph.indent,
        )
        for paragraph, start in zip(paragraphs, starts, strict=False)
    ]
    return with_indented_blocks(stretches), starts


def _joined(paragraphs: Iterable[_Paragraph]) -> Iterator[_Paragraph]:
    """Yield the paragraphs, each with the next one if the mark between them is deleted."""
    before = ""
    for paragraph in paragraphs:
        if paragraph.joins:
            before += paragraph.text
        else:
            yield replace(paragraph, text=before + paragraph.text)
            before = ""
    if before:
        yield _Paragraph(before, False, None, False)


class _Package:
    """The parts of a document, found by their relations: the main part has any name."""

    def __init__(self, archive: zipfile.ZipFile, label: str) -> None:
        self._archive, self._label = archive, label
        self._names = {name.lower(): name for name in archive.namelist()}
        self._document = next(iter(self._targets("", "officeDocument")), DOCUMENT)
        if self._document.lower() not in self._names:
            raise UsageError(f"{label} is not a Word document; save it as docx")
        self.document = self._root(self._document)
        if etree.QName(self.document).namespace not in _NAMESPACES:
            raise UsageError(f"{label} is not a Word document; save it as docx")
        if any(True for _ in self.document.iter("{*}altChunk", "{*}subDoc")):
            raise UsageError(
                f"{label} includes other files, which are not read; save it as one document"
            )

    def related(self, kind: str) -> list[etree._Element]:
        """Return the parts of a kind that belong to the main part."""
        folder = self._document.rpartition("/")[0]
        targets = list(self._targets(self._document, kind)) or [f"{folder}/{kind}.xml"]
        return [self._root(name) for name in targets if name.lower() in self._names]

    def _targets(self, part: str, kind: str) -> Iterator[str]:
        """Yield the names of the parts to which a part, or the package itself, is related."""
        folder, _, name = part.rpartition("/")
        relations = f"{folder}/_rels/{name}.rels".lstrip("/")
        if relations.lower() not in self._names:
            return
        for relation in self._root(relations):
            is_inside = relation.get("TargetMode") != "External"
            if is_inside and relation.get("Type", "").endswith(f"/{kind}"):
                path = posixpath.join("/", folder, relation.get("Target", ""))
                yield posixpath.normpath(path).lstrip("/")

    def _root(self, name: str) -> etree._Element:
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            remove_comments=True,
            remove_pis=True,
        )
        return etree.fromstring(
            _part(self._archive, self._names[name.lower()], self._label), parser
        )


class _Styles:
    """The styles of a document, each with the styles that it is based on."""

    def __init__(self, parts: Iterable[etree._Element]) -> None:
        self._styles = {
            _value(style, "styleId"): style for root in parts for style in root.iter("{*}style")
        }
        self._normal = next(filter(self._is_default, self._styles), "")

    def _is_default(self, name: str) -> bool:
        """Return True for the style of paragraphs without one."""
        style = self._styles[name]
        return _value(style, "default") == "1" and _value(style, "type") == "paragraph"

    def chain(self, name: str) -> list[etree._Element]:
        """Return a style and its bases; for "" the default style and its bases."""
        chain: list[etree._Element] = []
        name = name or self._normal
        while name in self._styles and len(chain) < MOST_BASES:
            chain.append(self._styles[name])
            name = _value(chain[-1].find("{*}basedOn"))
        return chain

    @staticmethod
    def names(name: str, chain: Sequence[etree._Element]) -> list[str]:
        """Return the names of a style and its bases, in any language."""
        shown = (_value(style.find("{*}name")) for style in chain)
        return [name, *(_value(style, "styleId") for style in chain), *shown]


class _Part:
    """A part of a document that has paragraphs."""

    def __init__(self, root: etree._Element, styles: _Styles) -> None:
        self._root, self._styles = root, styles

    def read(self) -> Iterator[_Paragraph]:
        """Yield the paragraphs, those in a text box after the one that contains it."""
        for paragraph in checked(self._root.iter("{*}p")):
            if etree.QName(paragraph).namespace in _NAMESPACES and not _is_in_deletion(paragraph):
                yield self._paragraph(paragraph)

    def _paragraph(self, paragraph: etree._Element) -> _Paragraph:
        properties = paragraph.find("{*}pPr")
        style = "" if properties is None else _value(properties.find("{*}pStyle"))
        chain = self._styles.chain(style)
        names = self._styles.names(style, chain)
        sources = [
            one for one in (properties, *(s.find("{*}pPr") for s in chain)) if one is not None
        ]
        text = "".join(self._texts(paragraph, is_hidden=self._hides(chain)))
        is_quote = any(map(QUOTE_STYLE.search, names))
        is_other = not is_quote and any(map(OTHER_STYLE.search, names))
        return _Paragraph(
            text,
            is_quote,
            None if is_other else _indent(sources),
            _joins_next(sources[:1]),
        )

    def _hides(self, chain: Sequence[etree._Element]) -> bool:
        """Return True if the first of some styles that says so hides its text, or strikes it."""
        return any(_is_on(_first(chain, f"rPr/{{*}}{name}")) for name in _HIDING)

    def _texts(self, node: etree._Element, *, is_hidden: bool) -> Iterator[str]:
        """Yield the texts of the runs in a paragraph, without hidden ones."""
        for child in node:
            name = etree.QName(child).localname
            if name == "r":
                if not self._is_hidden_run(child, is_hidden=is_hidden):
                    yield from self._texts(child, is_hidden=is_hidden)
            elif name == "t" and etree.QName(child).namespace in _NAMESPACES:
                yield self._shown(child)
            elif name in _TEXTS:
                yield _TEXTS[name]
            elif name == "sym":
                yield _symbol(_value(child, "char"))
            elif name not in _LEFT_OUT and not _is_fallback(child):
                yield from self._texts(child, is_hidden=is_hidden)

    def _shown(self, text: etree._Element) -> str:
        """Return a text, with superscript digits if it is raised."""
        run = text.find("../{*}rPr")
        style = self._styles.chain(_value(text.find("../{*}rPr/{*}rStyle")) or "-")
        own = () if run is None else (run,)
        sources = [*own, *(node for one in style if (node := one.find("{*}rPr")) is not None)]
        position = _attribute(sources, "position", "val")
        is_raised = (
            _attribute(sources, "vertAlign", "val") == "superscript" or _length(position) > 0
        )
        return raised(text.text or "") if is_raised else text.text or ""

    def _is_hidden_run(self, run: etree._Element, *, is_hidden: bool) -> bool:
        style = self._styles.chain(_value(run.find("{*}rPr/{*}rStyle")) or "-")
        properties = [_first((run, *style), f"rPr/{{*}}{name}") for name in _HIDING]
        known = [node for node in properties if node is not None]
        return any(map(_is_on, known)) if known else is_hidden


def _joins_next(properties: Sequence[etree._Element]) -> bool:
    """Return True for a paragraph whose end is deleted, and for a large first letter."""
    marks = (_first(properties, f"rPr/{{*}}{name}") for name in ("del", "moveFrom"))
    is_letter = _attribute(properties, "framePr", "dropCap") in ("drop", "margin")
    return is_letter or any(mark is not None for mark in marks)


def _symbol(code: str) -> str:
    """Return the character of a code, which is in a private area for fonts such as Symbol."""
    try:
        letter = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return _SYMBOL_FONT.get(code.upper(), "" if "\ue000" <= letter <= "\uf8ff" else letter)


def _is_in_deletion(paragraph: etree._Element) -> bool:
    """Return True for a paragraph in deleted text, or in a copy of a text box for old programs."""
    return any(
        etree.QName(parent).localname in ("del", "moveFrom") or _is_fallback(parent)
        for parent in paragraph.iterancestors()
    )


def _is_fallback(node: etree._Element) -> bool:
    """Return True for the copy of something for programs that cannot show it."""
    return etree.QName(node).localname == "Fallback" and node.find("../{*}Choice") is not None


def _indent(sources: Sequence[etree._Element]) -> float | None:
    """Return the left indent of a paragraph by its properties and its styles; None for an
    item of a list, a hanging indent, a heading, and what is centred or on the right."""
    hangs = _length(_attribute(sources, "ind", "hanging")) > 0
    numbering = _first(sources, "numPr/{*}numId")
    is_item = numbering is not None and _value(numbering) != "0"
    level = _first(sources, "outlineLvl")
    is_heading = level is not None and _value(level) != "9"
    aligned = _attribute(sources, "jc", "val")
    if hangs or is_item or is_heading or aligned in ("center", "right", "end"):
        return None
    return _length(_attribute(sources, "ind", "left") or _attribute(sources, "ind", "start"))


def _first(sources: Iterable[etree._Element], path: str) -> etree._Element | None:
    """Return the first element of a path, in the order of some elements."""
    nodes = (source.find(f"{{*}}{path}") for source in sources)
    return next((node for node in nodes if node is not None), None)


def _attribute(sources: Iterable[etree._Element], name: str, attribute: str) -> str:
    """Return the first value of an attribute of the elements of a name."""
    values = (_value(source.find(f"{{*}}{name}"), attribute) for source in sources)
    return next(filter(None, values), "")


def _value(node: etree._Element | None, name: str = "val") -> str:
    """Return an attribute of Word, "" without one."""
    if node is None:
        return ""
    values = (node.get(f"{{{namespace}}}{name}") for namespace in _NAMESPACES)
    return next((str(value) for value in values if value is not None), "")


def _is_on(node: etree._Element | None) -> bool:
    return node is not None and _value(node) not in _OFF


def _length(written: str) -> float:
    """Return a length in twentieths of a point, in which it is written if it has no unit."""
    match = _LENGTH.fullmatch(written)
    return float(match[1]) * _UNITS.get(match[2] or "", 1.0) if match else 0.0


def _part(archive: zipfile.ZipFile, name: str, label: str) -> bytes:
    info = archive.getinfo(name)
    limit = min(MAX_BYTES, max(SMALL, MAX_RATIO * info.compress_size))
    with archive.open(info) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"{label} is unreasonably large when unpacked; save it again")
    return data
