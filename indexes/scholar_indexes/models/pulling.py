"""Download models from a hub, each pinned to one commit and verified file by file."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import Damaged, ScholarError, UsageError
from scholar_indexes.guarded import parse_json
from scholar_indexes.models.registry import (
    MAX_CONFIG_BYTES,
    MODEL_FILE,
    NAME,
    ModelFiles,
    file_sha256,
    from_card,
    from_weights,
)
from scholar_indexes.storage.atomic import atomic_folder
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.net.client import Announce, Fetcher

MAX_MODEL_BYTES = 8 * 1024**3

_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,95}")


def pull(
    name: str,
    pulled: Path,
    fetcher: Fetcher,
    hub: str,
    *,
    revision: str = "main",
    announce: Announce,
    progress: Progress = silent,
) -> ModelFiles:
    """Download a sentence-transformers model or cross-encoder, pinned to one commit and verified.

    Every file is checked against the hash the hub lists for that commit. Raises
    UsageError for an invalid name, ScholarError for a model that would need pickle
    or code of its own, and the errors of Fetcher.get.
    """
    if not NAME.fullmatch(name):
        raise UsageError(f"{name[:80]!r} is not a model's name; give one such as owner/name")
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise UsageError(f"{revision[:80]!r} is not a revision; give a branch, a tag or a commit")
    hub = hub.rstrip("/")
    listing = fetcher.get(
        f"{hub}/api/models/{name}/revision/{revision}?blobs=true",
        max_bytes=MAX_CONFIG_BYTES,
        # A branch moves, so a cached listing may be of an older commit.
        refresh=True,
        announce=announce,
        progress=progress,
    )
    commit, files = _parse_listing(name, listing.path.read_bytes())
    final = pulled / name.replace("/", "--")
    with atomic_folder(final, ".pull-") as folder:
        for file in files:
            download = fetcher.get(
                f"{hub}/{name}/resolve/{commit}/{file.name}",
                max_bytes=MAX_MODEL_BYTES if file.sha256 else MAX_CONFIG_BYTES,
                sha256=file.sha256,
                announce=announce,
                progress=progress,
            )
            target = folder / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(download.path, target)
            # The model has a copy of its own, and weights are large.
            fetcher.forget(download.url)
            if file.git_sha1 and _git_sha1(target) != file.git_sha1:
                raise Damaged(f"{file.name} of {name} arrived damaged; pull it again")
        model = from_weights(folder, name.rpartition("/")[2])
        card = {
            "name": name,
            "source": f"{hub}/{name}",
            "revision": commit,
            "dimensions": model.dimensions,
            "max_tokens": model.max_tokens,
            "pooling": model.pooling,
            "task": model.task,
            "space": model.space,
            "weights_sha256": model.weights_sha256,
            "files": {file.name: file_sha256(folder / file.name) for file in files},
        }
        (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", "utf-8")
    return from_card(final / "card.json", "pulled")


@dataclass(frozen=True, slots=True)
class _ListedFile:
    """A file of a model at the hub, with the hash that verifies it."""

    name: str
    sha256: str | None
    git_sha1: str | None


def _parse_listing(name: str, response: bytes) -> tuple[str, list[_ListedFile]]:
    """Return the commit and the files to fetch, from the hub's description of a model."""
    try:
        description = parse_json(response, MAX_CONFIG_BYTES, lenient=True)
        commit = description["sha"]
        files = [
            _parse_file(entry)
            for entry in description["siblings"]
            if MODEL_FILE.fullmatch(entry["rfilename"])
        ]
        hashes = [commit, *(file.sha256 or file.git_sha1 or commit for file in files)]
        if not all(re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", digest) for digest in hashes):
            raise ValueError("invalid hashes")
    except (ValueError, KeyError, TypeError, AttributeError) as broken:
        raise ScholarError(
            f"the hub's description of {name} cannot be read; see hub in: scholar config show"
        ) from broken
    _check_listing(name, files)
    return commit, files


def _parse_file(entry: Mapping[str, Any]) -> _ListedFile:
    # Weights are in Git LFS, with a SHA-256; for other files there is only the hash of git.
    large_file = entry.get("lfs")
    if large_file:
        return _ListedFile(entry["rfilename"], large_file.get("sha256"), None)
    return _ListedFile(entry["rfilename"], None, entry.get("blobId"))


def _check_listing(name: str, files: Sequence[_ListedFile]) -> None:
    """Raise ScholarError for a model that cannot be loaded or verified."""
    if not any(file.name.endswith(".safetensors") for file in files):
        raise ScholarError(
            f"{name} has no safetensors weights, and no others are loaded; choose another model"
        )
    if not any(file.name == "config.json" for file in files):
        raise ScholarError(f"{name} has no config.json; choose a sentence-transformers model")
    if any(not (file.sha256 or file.git_sha1) for file in files):
        raise ScholarError(f"the hub gives no hashes for {name}, so it cannot be verified")


def _git_sha1(path: Path) -> str:
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
