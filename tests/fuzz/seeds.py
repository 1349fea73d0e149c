"""The first inputs of the targets: literals of the tests of their readers, and generated files."""

from __future__ import annotations

import ast
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from book_readers import EPUB_FILES
from checks import BETWEEN_FILES, pack
from targets import TARGETS

TESTS = Path(__file__).parents[1]
MIN_CHARS, MAX_CHARS = 8, 8_000


def seeds(name: str) -> set[bytes]:
    """Return the first inputs of a target."""
    literals = {
        literal
        for pattern in TARGETS[name].tests
        for path in TESTS.glob(pattern)
        for literal in _literals(path)
    }
    return {b"", *literals, *_MADE.get(name, list)()}


def _literals(path: Path) -> Iterator[bytes]:
    """Yield the string literals of a module, and its dictionaries as JSON."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            text = node.value
            data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        elif isinstance(node, ast.Dict):
            try:
                data = json.dumps(ast.literal_eval(node)).encode()
            except (ValueError, TypeError):
                continue
        else:
            continue
        if MIN_CHARS <= len(data) <= MAX_CHARS:
            yield data


def _pdfs() -> Iterator[bytes]:
    sys.path.insert(0, str(TESTS / "papers"))
    from pdf_pages import acl

    yield acl()


def _zotero_libraries() -> Iterator[bytes]:
    sys.path.insert(0, str(TESTS / "papers"))
    from zotero_library import write_library

    with tempfile.TemporaryDirectory() as folder:
        yield write_library(Path(folder)).read_bytes()


def _archives() -> Iterator[bytes]:
    sys.path.insert(0, str(TESTS / "backup"))
    from hostile_archives import TEXT, member, write_archive

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.tar.gz"
        files = [("catalog.sqlite", TEXT), ("books/pg1/text.txt", TEXT)]
        yield write_archive(path, files).read_bytes()
        yield write_archive(path, files, members=[member("catalog.sqlite", TEXT)]).read_bytes()
        yield write_archive(path, [], after=b"after").read_bytes()


def _tars() -> Iterator[bytes]:
    import gzip

    for archive in _archives():
        yield gzip.decompress(archive)


def _manifests() -> Iterator[bytes]:
    import tarfile

    for archive in _archives():
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            content = tar.extractfile("manifest.json")
            assert content is not None
            record = json.loads(content.read())
        del record["sha256"]
        yield json.dumps(record).encode()


def _epub_files() -> Iterator[bytes]:
    pages = [
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
        b"<h2>Chapter %d</h2><p>It was late.</p></body></html>" % number
        for number in (1, 2)
    ]
    items = b"".join(
        b'<item id="i%d" href="%s" media-type="%s"/>' % (n, name.encode(), kind)
        for n, (name, kind) in enumerate(
            zip(
                EPUB_FILES[2:],
                (b"application/x-dtbncx+xml", *2 * [b"application/xhtml+xml"]),
                strict=True,
            )
        )
    )
    yield BETWEEN_FILES.join(
        [
            b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            b'<rootfile full-path="content.opf"/></rootfiles></container>',
            b'<package xmlns="http://www.idpf.org/2007/opf"><metadata '
            b'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tides</dc:title>'
            b"<dc:creator>Ann Example</dc:creator><dc:language>en</dc:language></metadata>"
            b"<manifest>" + items + b'</manifest><spine toc="i0"><itemref idref="i1"/>'
            b'<itemref idref="i2"/></spine></package>',
            b'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel>'
            b'<text>Chapter 1</text></navLabel><content src="1.xhtml"/></navPoint></navMap></ncx>',
            *pages,
        ]
    )


def _epubs() -> Iterator[bytes]:
    for files in _epub_files():
        yield pack(EPUB_FILES, files.split(BETWEEN_FILES))


def _word_documents() -> Iterator[bytes]:
    text = (
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        b'<w:body><w:p><w:pPr><w:pStyle w:val="Quote"/></w:pPr><w:r><w:t>It was late.</w:t><w:br/>'
        b"<w:tab/></w:r></w:p></w:body></w:document>"
    )
    yield BETWEEN_FILES.join([text, text.replace(b"document", b"footnotes")])


_MADE: dict[str, Callable[[], Iterator[bytes]]] = {
    "pdf": _pdfs,
    "zotero": _zotero_libraries,
    "backup": _archives,
    "tar of a backup": _tars,
    "manifest of a backup": _manifests,
    "epub": _epubs,
    "epub files": _epub_files,
    "Word document": _word_documents,
}
