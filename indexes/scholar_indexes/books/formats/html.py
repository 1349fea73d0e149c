"""Read HTML pages and the chapters of an EPUB as text, with their marked headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from lxml import etree
from lxml import html as lxml_html

from scholar_indexes.books.formats import (
    drop_capitals,
    entities,
    gutenberg,
    gutenberg_header,
    note_signs,
    style_sheets,
    styled_elements,
)
from scholar_indexes.books.manuscript import Heading, Manuscript
from scholar_indexes.books.segmentation import scene_breaks
from scholar_indexes.decoding import decode, plain
from scholar_indexes.types import NO_IMPRINT, Imprint, SourcePage, Span

_NO_TEXT = (
    "head script style iframe object math template noscript button select textarea datalist audio "
    "video canvas rt rp rtc linenum desc metadata defs"
)
_SKIPPED = frozenset(_NO_TEXT.split())
_BLOCK_ELEMENTS = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre "
    "section summary table td th tr ul "
    "bridgehead docauthor doctitle hd level level1 level2 level3 level4 level5 level6 line "
    "linegroup list note poem prodnote sidebar "  # of DTBook
    "svg text foreignobject"
)
BLOCKS = frozenset(_BLOCK_ELEMENTS.split())
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4}
_BOILERPLATE_IDS = frozenset({"pg-header", "pg-footer", "pg-machine-header", "pg-end-separator"})
_BOILERPLATE = frozenset({"pg-boilerplate", "pgheader", "pgmonospaced"})
_TABLES_OF_CONTENTS = frozenset({"toc", "landmarks", "page-list", "lot", "loi", "doc-toc"})
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([\w-]{2,30})""", re.IGNORECASE)
_GUTENBERG_TITLE = re.compile(r"^The Project Gutenberg e-?Book of\s+", re.IGNORECASE)
_GUTENBERG_SUFFIX = re.compile(
    r"(?<=\S)[\W_]*\b(?:A|The) Project Gutenberg e-?Book.*", re.IGNORECASE
)
_MARKED = re.compile(r"\s*[\"“”„«‘'’]")
_BROKEN_HEADING = re.compile(
    r"\A\s*(chapter|book|part|volume|canto|letter|act|scene|stave|section)\s*\n\s*", re.IGNORECASE
)
"""A heading that is broken between its word and its number."""

_TITLE_NAMES = frozenset({"dc.title", "dcterms.title", "og:title"})
_AUTHOR_NAMES = frozenset({"dc.creator", "dcterms.creator", "author", "dc.author"})
_SUFFIXES = frozenset(("Jr", "Sr", "Esq", "M.D"))
_PROSE = 12  # words; a longer run of text outside of links is prose, not an entry of contents
_END = re.compile(r"</(?:body|html)\s*>(?=\s*[^\s<]|\s*<(?!/))", re.IGNORECASE)
"""The end of a page that goes on: what follows is shown as well, but libxml2 drops it."""

_SPACE = re.compile(r"[ \t\n\r\f]+")
_BEFORE = 24  # characters of a block that are examined before a sign
_MAX_DEPTH = 300  # of nested elements; anything deeper is dropped


@dataclass(slots=True)
class HtmlPage:
    """Blocks of text in order, the levels of headings, and the numbers of blocks below a rule;
    whether some text outside of links reads as prose, and whether there are pictures."""

    blocks: list[str] = field(default_factory=list)
    levels: dict[int, int] = field(default_factory=dict)
    ruled: set[int] = field(default_factory=set)
    title: str = ""
    author: str = ""
    language: str = ""
    imprint: Imprint = NO_IMPRINT
    has_prose: bool = False
    has_pictures: bool = False

    def count_words(self) -> int:
        """Return the number of words in all blocks."""
        return sum(len(block.split()) for block in self.blocks)

    def add(self, other: HtmlPage) -> None:
        """Append the blocks of another page."""
        self.levels.update({n + len(self.blocks): lv for n, lv in other.levels.items()})
        self.ruled.update(n + len(self.blocks) for n in other.ruled)
        self.blocks.extend(other.blocks)


def read(data: bytes) -> Manuscript:
    """Return the book in the bytes of one HTML page."""
    text, encoding = _decode(data)
    return make_manuscript(parse_page(text), encoding)


def parse_page(markup: str, sheet_at: Callable[[str], str] = lambda address: "") -> HtmlPage:
    """Return the text of a page, empty if the markup cannot be parsed at all; `sheet_at` returns
    the style sheet at an address."""
    parser = lxml_html.HTMLParser(
        no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    markup = _END.sub(" ", markup)
    try:
        # libxml2 ignores a declared encoding if it is passed one explicitly
        root = etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except (etree.ParseError, ValueError):
        root = None
    page = HtmlPage()
    if root is not None:
        _read_metadata(root, page)
        _read_blocks(root, page, list(_sheets(root, sheet_at)))
    return page


def parse_xhtml(markup: str, sheet_at: Callable[[str], str] = lambda address: "") -> HtmlPage:
    """Return the text of a page of an EPUB, which is XML, or else is read as HTML; `sheet_at`
    returns the style sheet at an address."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    markup = entities.with_declared(markup)
    if "<!ENTITY" in markup:
        return parse_page(markup, sheet_at)
    try:
        root = etree.fromstring(entities.with_characters(markup).encode("utf-8", "replace"), parser)
    except (etree.ParseError, ValueError):
        return parse_page(markup, sheet_at)
    for element in root.iter("*"):
        element.tag = etree.QName(element).localname.lower()
    page = HtmlPage()
    _read_blocks(root, page, list(_sheets(root, sheet_at)))
    return page


def _sheets(root: etree._Element, sheet_at: Callable[[str], str]) -> Iterator[str]:
    """Yield the style sheets of a page: its own, and the linked ones."""
    for element in root.iter("style", "link"):
        if element.tag == "style":
            yield "".join(element.itertext())
        elif "stylesheet" in (element.get("rel") or "").lower().split():
            yield sheet_at(element.get("href") or "")


def _read_blocks(root: etree._Element, page: HtmlPage, sheets: Sequence[str]) -> None:
    """Add the blocks of a tree to a page."""
    styled_elements.mark(root, sheets)
    page.has_prose = has_prose(root)
    page.has_pictures = any(True for _ in root.iter("img", "image", "svg"))
    _move_footnotes(root)
    for text, level in _BlockReader().read(root):
        if not text:
            page.ruled.add(len(page.blocks))
            continue
        if level:
            page.levels[len(page.blocks)] = level
            text = _BROKEN_HEADING.sub(r"\1 ", text)
        page.blocks.append(text)


def make_manuscript(
    book: HtmlPage,
    encoding: str,
    gutenberg_id: int | None = None,
    pages: tuple[SourcePage, ...] = (),
) -> Manuscript:
    """Return a manuscript of the blocks, without Gutenberg's boilerplate and with headings."""
    header, start, end = gutenberg_header.find_body(book.blocks)
    text: list[str] = []
    headings: list[Heading] = []
    ornaments: dict[int, str] = {}
    length = 0
    for n in range(start, end):
        if n in book.ruled:
            ornaments.setdefault(len(text), scene_breaks.RULE)
        block = "\n".join(gutenberg.strip_notes(book.blocks[n].split("\n"))).strip("\n")
        if gutenberg.is_boilerplate(block, n - start, end - 1 - n):
            if printed := scene_breaks.ornament(block):
                ornaments[len(text)] = printed
            continue
        if n in book.levels:
            headings.append(Heading(Span(length, length + len(block)), book.levels[n]))
        text.append(block)
        length += len(block) + 2
    return Manuscript(
        text="\n\n".join(text),
        title=book.title or header.title,
        author=book.author or header.author,
        language=book.language or header.language,
        gutenberg_id=gutenberg_id or header.gutenberg_id,
        encoding=encoding,
        headings=tuple(headings),
        imprint=book.imprint if book.imprint != NO_IMPRINT else header.imprint,
        breaks=scene_breaks.between_blocks(text, ornaments),
        pages=pages,
    )


def decode_markup(data: bytes) -> str:
    """Return the decoded markup of a page, by its declared encoding if the bytes are ambiguous."""
    return _decode(data)[0]


def _decode(data: bytes) -> tuple[str, str]:
    declared = _CHARSET.search(data[:2048]) or re.search(
        rb"""encoding\s*=\s*["']([\w-]{2,30})""", data[:200]
    )
    text, encoding = decode(data)
    if declared and not encoding.startswith(("ascii", "utf-")):
        try:
            name = declared[1].decode("ascii")
            return data.decode(name), name.lower()
        except (LookupError, UnicodeDecodeError):
            pass
    return text, encoding


def _read_metadata(root: etree._Element, page: HtmlPage) -> None:
    """Set title, author and language from the head of a page."""
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    page.language = gutenberg_header.language_code(language)
    metadata = [
        (
            (meta.get("name") or meta.get("property") or "").lower(),
            " ".join(plain(meta.get("content") or "").split()),
        )
        for meta in root.iter("meta")
    ]
    page.title = _first_content(metadata, _TITLE_NAMES)
    names = [(name, natural_name(content)) for name, content in metadata]
    page.author = _first_content(names, _AUTHOR_NAMES)
    if not page.title:
        title, author = _read_title_element(root)
        page.title = title
        page.author = page.author or author


def _first_content(metadata: Sequence[tuple[str, str]], names: frozenset[str]) -> str:
    """Return the first non-empty content with one of the names."""
    return next((content for name, content in metadata if name in names and content), "")


def _read_title_element(root: etree._Element) -> tuple[str, str]:
    """Return title and author from the title element: "Emma, by Jane Austen | Site"."""
    element = next(root.iter("title"), None)
    if element is None:
        return "", ""
    line = " ".join(plain("".join(element.itertext())).split())
    line = _GUTENBERG_SUFFIX.sub("", _GUTENBERG_TITLE.sub("", line))
    title, _, author = line.partition(", by ")
    return title.split(" | ")[0].strip(), author.strip(" .")


def natural_name(name: str) -> str:
    """Return a catalogued name in natural order: "Austen, Jane, 1775-1817" as Jane Austen."""
    parts = [part.strip() for part in name.split(",") if part.strip()]
    parts = [part for part in parts if not any(char.isdigit() for char in part)]
    suffix = f", {parts.pop()}" if parts and parts[-1].rstrip(".") in _SUFFIXES else ""
    if len(parts) == 2:
        return f"{parts[1]} {parts[0]}{suffix}"
    return ", ".join(parts) + suffix


def has_prose(element: etree._Element) -> bool:
    """Return True if the text of an element outside of links reads as prose."""
    runs = _TEXT_OUTSIDE_LINKS(element)
    return any(len(str(run).split()) >= _PROSE for run in runs)


_TEXT_OUTSIDE_LINKS = etree.XPath(
    ".//text()[not(ancestor::a[@href] or ancestor::head or ancestor::script or ancestor::style)]",
    smart_strings=False,
)


def _is_skipped(element: etree._Element) -> bool:
    if element.tag in _SKIPPED or element.get("hidden") is not None:
        return True
    if element.tag in ("case", "epub:case"):  # another form of the default
        return True
    if element.tag == "title":  # of a drawing; DTBook has titles of books in sentences
        return next(element.iterancestors("cite"), None) is None
    if element.get("id") in _BOILERPLATE_IDS or note_signs.classes(element) & _BOILERPLATE:
        return True
    if element.tag == "nav" or note_signs.kinds(element) & _TABLES_OF_CONTENTS:
        return not has_prose(element)
    if style_sheets.HIDING.search((element.get("style") or "")[:500]):
        return True
    return note_signs.is_page_number(element)


def _move_footnotes(root: etree._Element) -> None:
    """Move notes inside of a paragraph behind it, so that they do not interrupt its sentences."""
    for note in reversed(list(root.iter("aside", "span", "div", "small", "note"))):
        paragraph = next(note.iterancestors("p"), None)
        if paragraph is None or not note_signs.is_note(note):
            continue
        before, tail = note.getprevious(), note.tail or ""
        parent = note.getparent()
        note.tail = None
        if before is not None:
            before.tail = (before.tail or "") + tail
        elif parent is not None:
            parent.text = (parent.text or "") + tail
        note.tag = "aside"
        paragraph.addnext(note)


class _BlockReader:
    """A reader that walks the elements of a page and collects their text into blocks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._level = 0
        self._depth = 0
        self._preformatted = 0  # the number of open pre elements
        self._quotations = 0  # the number of open q elements whose marks are not written
        self._ends_line = False  # True after an inline element with lines of its own
        self._joins = False  # True after a large first letter
        self._is_block_between = False  # True if a block began or ended since that letter
        self._skipped: etree._Element | None = None

    def read(self, root: etree._Element) -> Iterator[tuple[str, int]]:
        """Yield the blocks in reading order, each with its heading level or 0; an empty block is
        a rule."""
        for event, element in etree.iterwalk(root, events=("start", "end")):
            tag = element.tag if isinstance(element.tag, str) else ""
            yield from self._open(element, tag) if event == "start" else self._close(element, tag)
        self._joins = False
        yield from self._flush()

    def _open(self, element: etree._Element, tag: str) -> Iterator[tuple[str, int]]:
        self._depth += 1
        if self._skipped is None and (
            self._depth > _MAX_DEPTH
            or _is_skipped(element)
            or note_signs.is_note_sign(element, self._before())
        ):
            self._skipped = element
        if self._skipped is not None:
            return
        if tag in BLOCKS:
            self._joins = self._joins and tag == "p"
            yield from self._flush()
            if tag == "hr":
                yield "", 0
            self._level = _HEADINGS.get(tag, self._level)
            self._preformatted += tag == "pre"
        else:
            self._open_inline(element, tag)
        self._add(element.text)

    def _open_inline(self, element: etree._Element, tag: str) -> None:
        self._ends_line = self._ends_line or element.get(styled_elements.ON_LINES) is not None
        if tag == "br":
            self._pieces.append("\n")
            self._ends_line = False
        elif tag == "img":
            self._add(drop_capitals.read_picture(element))
        elif tag == "q" and not self._is_marked(element):
            element.set("marked", "")
            self._add("‘" if self._quotations % 2 else "“")
            self._quotations += 1

    def _close(self, element: etree._Element, tag: str) -> Iterator[tuple[str, int]]:
        self._depth -= 1
        if self._skipped is not None:
            if self._skipped is not element:
                return
            self._skipped = None
        elif tag not in _HEADINGS and drop_capitals.is_capital(element):  # not of an index
            self._joins = True
        elif tag in BLOCKS:
            yield from self._flush()
            self._level = 0 if tag in _HEADINGS else self._level
            self._preformatted -= tag == "pre"
        else:
            self._close_inline(element, tag)
        if self._depth:
            self._add(element.tail)

    def _close_inline(self, element: etree._Element, tag: str) -> None:
        self._ends_line = self._ends_line or element.get(styled_elements.ON_LINES) is not None
        if tag == "q" and element.get("marked") is not None:
            self._quotations -= 1
            self._add("’" if self._quotations % 2 else "”")
        elif (
            tag == "sup"
            and self._before().isdigit()
            and (element.tail or "")[:1] not in note_signs.FRACTION_BARS
        ):
            self._add(" ")  # the number of a verse or a note

    def _is_marked(self, quotation: etree._Element) -> bool:
        """Return True for a quotation whose text has its marks."""
        text = next((piece for piece in quotation.itertext() if piece.strip()), "")
        return _MARKED.match(text) is not None or _MARKED.match(self._before()[-1:]) is not None

    def _before(self) -> str:
        """Return the end of the text since the last block."""
        end = ""
        for piece in reversed(self._pieces):
            end = piece[-_BEFORE:] + end
            if len(end) >= _BEFORE:
                break
        return end

    def _add(self, text: str | None) -> None:
        if text and self._joins:
            text = self._joined(text)
        if text and text.strip() and self._ends_line:
            self._ends_line = False
            if self._before().rstrip(" ")[-1:] not in ("", "\n"):
                self._pieces.append("\n")
        if text:
            text = plain(text)
            self._pieces.append(text if self._preformatted else _SPACE.sub(" ", text))

    def _joined(self, text: str) -> str:
        """Return a text as it follows a large first letter, perhaps in another block."""
        rest = text.lstrip()
        if not rest:
            return ""
        is_apart, self._joins, self._is_block_between = self._is_block_between, False, False
        if drop_capitals.is_rest_of_word(rest):
            return rest
        if is_apart:
            self._pieces.append("\n\n")
        return text

    def _flush(self) -> Iterator[tuple[str, int]]:
        """Yield the text since the last block, split into blocks at blank lines."""
        if self._joins:
            self._is_block_between = True
            return
        self._ends_line = False
        lines = [line.rstrip() for line in "".join(self._pieces).split("\n")]
        self._pieces.clear()
        for has_text, group in groupby(lines, key=bool):
            if has_text:
                block = list(group)
                margin = min(len(line) - len(line.lstrip()) for line in block)
                yield "\n".join(_squeeze(line, margin) for line in block), self._level


def _squeeze(line: str, margin: int) -> str:
    """Return a line with single spaces, indented relative to the margin of its block."""
    indent = len(line) - len(line.lstrip()) - margin
    return " " * (indent if indent > 1 else 0) + " ".join(line.split())
