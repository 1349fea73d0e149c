"""The files of an EPUB: found under the names by which its package calls them, and unpacked
within limits."""

from __future__ import annotations

import posixpath
import re
import unicodedata
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from urllib.parse import unquote

from lxml import etree

from scholar_indexes.books.formats import entities, html
from scholar_indexes.errors import NotABook
from scholar_indexes.sanitize import one_line

MAX_BYTES = 64 * 1024 * 1024  # all pages together, unpacked
MAX_RATIO = 200  # unpacked to packed bytes of one file
MAX_MEMBERS = 10_000
_SMALL = 1024 * 1024  # unpacked files up to this size may have any ratio

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_RIGHTS = ("META-INF/rights.xml", "META-INF/sinf.xml", "META-INF/license.lcpl")
_FONTS = ("idpf.org/2008/embedding", "ns.adobe.com/pdf/enc#RC")
_DOCUMENTS = {
    "word/document.xml": "a Word document",
    "content.xml": "an OpenDocument file",
    "Index/Document.iwa": "a Pages document",
}
"""Archives that are no EPUBs, by a file in them."""

_PACKAGE_TYPE = "application/oebps-package+xml"
_AMPERSAND = re.compile(r"&(?!#?\w{1,31};)")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")

UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    etree.LxmlError,
)
"""The errors of a file that is damaged or packed by an unknown method."""


class EpubArchive:
    """The files of an EPUB; `names` are the names of all files as the archive spells them.

    Raises NotABook for an archive that is no EPUB, is encrypted, or has too many files.
    """

    def __init__(self, archive: zipfile.ZipFile, label: str) -> None:
        self._archive = archive
        self._label = label
        self._bytes_left = MAX_BYTES
        self._files = {info.filename: info for info in archive.infolist() if not info.is_dir()}
        self.names = tuple(self._files)
        if len(self._files) > MAX_MEMBERS:
            raise NotABook(f"{label} has more than {MAX_MEMBERS} files; choose an ordinary EPUB")
        self._indexes = [_index(self.names, spelling) for spelling in _SPELLINGS]
        self._root = self._find_root()
        self._refuse_encryption()

    def packages(self) -> list[str]:
        """Return the names of the package documents, the one to read first.

        Raises NotABook if there is none.
        """
        declared: list[str] = []
        if container := self.find([self._root + _CONTAINER]):
            roots = list(self.xml(container).iter("{*}rootfile"))
            roots.sort(key=lambda root: root.get("media-type") != _PACKAGE_TYPE)
            paths = (root.get("full-path") or "" for root in roots if _may_be_package(root))
            listed = (self.find([self._root + unquote(path), self._root + path]) for path in paths)
            declared = [name for name in listed if name is not None]
        named = [name for name in self.names if _is_package(name)]
        named.sort(key=lambda name: name.count("/"))
        packages = list(dict.fromkeys(declared or named[:1]))
        if not packages:
            raise NotABook(
                f"{self._label} is a broken EPUB: its package is missing; download it again"
            )
        return packages

    def find(self, paths: Sequence[str], taken: Set[str] = frozenset()) -> str | None:
        """Return the name of the file at the first of several paths that is in the archive.

        A path that differs from a name in case, normal form, encoding, slashes or folder is
        matched if only one file fits that is not `taken`.
        """
        for spelling, index in zip(_SPELLINGS, self._indexes, strict=True):
            for path in paths:
                fitting = index.get(spelling(path), set())
                if spelling is not _plain_path:
                    fitting = fitting - taken
                if path in fitting:
                    return path
                if len(fitting) == 1:
                    return next(iter(fitting))
        return None

    def find_exactly(self, paths: Iterable[str]) -> str | None:
        """Return the name of the file that is spelled as one of several paths."""
        return next((path for path in paths if path in self._files), None)

    def read(self, name: str) -> bytes:
        """Return the unpacked bytes of a file.

        Raises NotABook if they exceed the limits, and one of UNREADABLE for a damaged file.
        """
        info = self._files[name]
        limit = min(self._bytes_left, max(_SMALL, MAX_RATIO * info.compress_size))
        with self._archive.open(info) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise NotABook(f"{self._label} unpacks to an unreasonable size; choose another copy")
        self._bytes_left -= len(data)
        return data

    def xml(self, name: str) -> etree._Element:
        """Return the root of an XML file in any encoding, with its bare ampersands; entities of its
        own are not expanded."""
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, recover=True, encoding="utf-8"
        )
        markup = entities.with_characters(html.decode_markup(self.read(name)))
        root = etree.fromstring(_AMPERSAND.sub("&amp;", markup).encode("utf-8", "replace"), parser)
        if root is None:
            raise ValueError(f"{name} is not XML")
        for element in root.iter("*"):
            if element.tag.startswith("opf:"):  # a prefix that is not declared
                element.tag = element.tag[4:]
        return root

    def _find_root(self) -> str:
        """Return the folder of the EPUB in the archive, "" or "NAME/"; raises NotABook if the
        archive is something else."""
        ending = _CONTAINER.lower()
        containers = [name for name in self.names if _plain_path(name).lower().endswith(ending)]
        roots = sorted({name[: -len(_CONTAINER)] for name in containers}, key=len)
        if not roots:
            return self._root_without_container()
        if roots[0] and len(roots) > 1:
            raise NotABook(
                f"{self._label} is an archive of {len(roots)} EPUBs; unpack it and add each"
            )
        return roots[0]

    def _root_without_container(self) -> str:
        """Return "" for an EPUB without a container, whose package is found by its name."""
        if any(_is_package(name) for name in self.names):
            return ""
        inner = [name for name in self.names if name.lower().endswith(".epub")]
        if inner:
            held = one_line(inner[0], 80) if len(inner) == 1 else f"{len(inner)} EPUBs"
            raise NotABook(f"{self._label} is an archive with {held} in it; unpack it first")
        for part, name in _DOCUMENTS.items():
            if part in self.names:
                raise NotABook(f"{self._label} is {name}; save it as HTML or text first")
        raise NotABook(f"{self._label} is an archive, not an EPUB; unpack it and add its text")

    def _refuse_encryption(self) -> None:
        """Raise NotABook if anything other than fonts is encrypted."""
        locked = any(info.flag_bits & 0x1 for info in self._files.values())
        if encryption := self.find_exactly([self._root + _ENCRYPTION]):
            methods = self.xml(encryption).iter("{*}EncryptionMethod")
            locked |= any(
                not any(font in (method.get("Algorithm") or "") for font in _FONTS)
                for method in methods
            )
        if locked or any(self._root + name in self._files for name in _RIGHTS):
            raise NotABook(
                f"{self._label} is encrypted (DRM); choose an edition without copy protection"
            )


def _is_package(name: str) -> bool:
    return name.lower().endswith(".opf") and not posixpath.basename(name).startswith("._")


def _may_be_package(root: etree._Element) -> bool:
    return root.get("media-type") in (None, "", _PACKAGE_TYPE) or _is_package(
        root.get("full-path") or ""
    )


def _plain_path(path: str) -> str:
    """Return a path with slashes, without "." and "..", relative to the archive."""
    return posixpath.normpath("/" + path.replace("\\", "/")).lstrip("/")


def _folded_path(path: str) -> str:
    return unicodedata.normalize("NFC", _plain_path(path)).casefold()


def _ascii_path(path: str) -> str:
    """Return a path with a mark for characters outside ASCII, which any encoding keeps apart."""
    composed = unicodedata.normalize("NFKC", _plain_path(path)).casefold()
    return _NOT_ASCII.sub("\0", composed)


def _base_name(path: str) -> str:
    return posixpath.basename(_folded_path(path))


_SPELLINGS: tuple[Callable[[str], str], ...] = (_plain_path, _folded_path, _ascii_path, _base_name)
"""The spellings of a path that are compared, from the most to the least exact."""


def _index(names: Iterable[str], spelling: Callable[[str], str]) -> dict[str, set[str]]:
    """Return the names of files by the spellings of their variants."""
    index: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for variant in _variants(name):
            index[spelling(variant)].add(name)
    return index


def _variants(name: str) -> Iterator[str]:
    """Yield a name as the archive gives it, as UTF-8 without its flag, and without percents."""
    yield name
    with suppress(UnicodeError):
        yield name.encode("cp437").decode("utf-8")
    if "%" in name:
        yield unquote(name)
