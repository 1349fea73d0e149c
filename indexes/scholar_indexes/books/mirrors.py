"""Gutenberg numbers, and the address of the book of a number on a mirror.

Project Gutenberg asks programs to leave its own site to people and to use its mirrors, so
only mirrors are asked unless a person names another address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scholar_indexes.errors import NotThere, Offline, RetryLater, ScholarError
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.net.client import Announce, Fetched, Fetcher


MAX_BOOK_BYTES = 64 * 2**20

_NUMBER = r"([1-9][0-9]{0,5})"
_REFERENCE = re.compile(rf"(?:pg)?{_NUMBER}", re.IGNORECASE)
_MAIN_SITE = re.compile(r"(?:www\.|m\.)?gutenberg\.org", re.IGNORECASE)
_MAIN_SITE_PATH = re.compile(rf"/(?:ebooks|files)/{_NUMBER}(?:[/.].*)?")
_CACHE_PATH = re.compile(rf"(?:/.*)?/cache/epub/{_NUMBER}(?:/.*)?")
_MIRROR_PATH = re.compile(rf"(?:/.*)?/{_NUMBER}/\1[.-].*")


def gutenberg_id(reference: str) -> int | None:
    """Return the number that "1342", "pg1342" or an address of that book stands for.

    None for anything else: numbers run from 1 to 999999, and an address counts when it is
    on the main site or when its folders and its file spell the number as a mirror's do.
    """
    reference = reference.strip()
    if bare := _REFERENCE.fullmatch(reference):
        return int(bare[1])
    try:
        parts = urlsplit(reference if "://" in reference else f"https://{reference}")
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    on_main_site = _MAIN_SITE.fullmatch(parts.netloc) and _MAIN_SITE_PATH.fullmatch(parts.path)
    if match := on_main_site or _CACHE_PATH.fullmatch(parts.path):
        return int(match[1])
    mirrored = _MIRROR_PATH.fullmatch(parts.path)
    if mirrored and f"/{folder(int(mirrored[1]))}/" in parts.path:
        return int(mirrored[1])
    return None


def folder(pgid: int) -> str:
    """Return the folder of a book on a mirror: every digit but the last, then the number."""
    digits = str(pgid)
    return "/".join([*(digits[:-1] or "0"), digits])


def candidates(pgid: int, mirror: str) -> list[str]:
    """Return the addresses that a book's plain text may have on a mirror, the best first.

    As released in UTF-8, Latin-1 and ASCII, then the UTF-8 text the main site generates.
    """
    base = mirror.rstrip("/")
    released = [f"{base}/{folder(pgid)}/{pgid}{kind}.txt" for kind in ("-0", "-8", "")]
    return [*released, f"{base}/cache/epub/{pgid}/pg{pgid}.txt"]


def mirror_folder(mirror: str) -> Path | None:
    """Return the folder that a mirror is, None for an address; raises NotThere for a folder that
    is not there."""
    if "://" in mirror:
        return None
    path = Path(mirror).expanduser()
    if not path.is_dir():
        raise NotThere(
            f"there is no folder {path}; name the folder of a Gutenberg mirror, or its address "
            "with https://"
        )
    return path


def find_in_folder(pgid: int, mirror: Path) -> Path:
    """Return the file of a book's plain text in the folder of a mirror; raises NotThere."""
    for candidate in candidates(pgid, str(mirror)):
        if Path(candidate).is_file():
            return Path(candidate)
    raise NotThere(
        f"no text of Gutenberg book {pgid} in {mirror}; looked for {folder(pgid)}/{pgid}-0.txt, "
        f"-8.txt and .txt, and for cache/epub/{pgid}/pg{pgid}.txt; put it there, or leave out "
        "--mirror"
    )


def find_feed(mirror: Path) -> Path:
    """Return the catalogue in the folder of a mirror; raises NotThere."""
    for place in ("cache/epub/feeds/", ""):
        for name in ("pg_catalog.csv", "pg_catalog.csv.gz"):
            if (mirror / place / name).is_file():
                return mirror / place / name
    raise NotThere(
        f"no catalogue in {mirror}; put pg_catalog.csv there, or run: scholar catalog update"
    )


def download(
    fetcher: Fetcher,
    pgid: int,
    mirrors: Iterable[str],
    *,
    refresh: bool = False,
    announce: Announce,
    progress: Progress = silent,
) -> Fetched:
    """Return the plain text of a Gutenberg book, from the first mirror that has it.

    A download that is on this machine is used without a request, whichever address it came
    from, unless refresh. A mirror that cannot be reached, or refuses, gives way to the next.

    Raises NotThere when no mirror has the book, RetryLater when one could not be asked and no
    other had it, Offline, and the ScholarError of a mirror that refused.
    """
    mirrors = tuple(mirrors)
    cached = _find_cached(fetcher, pgid, mirrors)
    if cached is not None and (fetcher.offline or not refresh):
        return cached
    if fetcher.offline:
        raise Offline(
            f"Gutenberg book {pgid} is not on this machine and --offline forbids downloading "
            "it; run the same command without --offline"
        )
    failures: list[ScholarError] = []
    for mirror in mirrors:
        try:
            fetched = _from_mirror(fetcher, pgid, mirror, refresh, announce, progress)
        except ScholarError as error:
            failures.append(error)
            if mirror != mirrors[-1]:
                announce(f"{error}; trying the next mirror")
        else:
            if fetched is not None:
                return fetched
    raise _explain_failures(failures, pgid, mirrors)


def _find_cached(fetcher: Fetcher, pgid: int, mirrors: Iterable[str]) -> Fetched | None:
    """Return the book as it was downloaded from any address of any mirror."""
    urls = (url for mirror in mirrors for url in candidates(pgid, mirror))
    return next((cached for url in urls if (cached := fetcher.cached(url))), None)


def _explain_failures(
    failures: Sequence[ScholarError], pgid: int, mirrors: Sequence[str]
) -> ScholarError:
    """Return the error of a book that no mirror gave: the one that may pass comes first."""
    if failures:
        return next((error for error in failures if isinstance(error, RetryLater)), failures[0])
    return NotThere(
        f"no text of Gutenberg book {pgid} on {', '.join(mirrors) or 'any mirror'}; "
        "check the number with: scholar catalog search"
    )


def _from_mirror(
    fetcher: Fetcher,
    pgid: int,
    mirror: str,
    refresh: bool,
    announce: Announce,
    progress: Progress,
) -> Fetched | None:
    for url in candidates(pgid, mirror):
        try:
            return fetcher.get(
                url,
                max_bytes=MAX_BOOK_BYTES,
                refresh=refresh,
                announce=announce,
                progress=progress,
            )
        except NotThere:
            continue
    return None
