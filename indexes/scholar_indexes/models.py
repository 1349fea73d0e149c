"""Model names to verified files: packaged, pulled from a hub, or a folder of one's own.

A model is a folder with a card.json that names every file and its SHA-256. Weights are
read from safetensors or ONNX only, and no code that comes with a model is ever run.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import ConfigError, Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.fetch import Announce, Fetcher

PACKAGED = Path(__file__).parent / "weights"
MAX_MODEL_BYTES = 8 * 1024**3
MAX_CONFIG_BYTES = 32 * 1024**2

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,95})?")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,95}")
_WANTED = re.compile(
    r"(?:[0-9]_[A-Za-z]+/)?(?:config|modules|tokenizer|tokenizer_config|special_tokens_map"
    r"|added_tokens|config_sentence_transformers|sentence_bert_config|model\.safetensors\.index)\.json"
    r"|vocab\.(?:txt|json)|merges\.txt|(?:tokenizer|sentencepiece\.bpe|spiece)\.model"
    r"|(?:[0-9]_[A-Za-z]+/)?model(?:-[0-9]+-of-[0-9]+)?\.safetensors"
)


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on this machine.

    space names its vectors (a slug and the start of its weights' hash): whatever engine
    or precision runs the model, the space is the same. onnx is None when only the
    original weights are here. origin is "packaged", "pulled" or "folder".
    """

    name: str
    folder: Path
    origin: str
    space: str
    dimensions: int
    max_tokens: int
    pooling: str
    onnx: Path | None
    files: Mapping[str, str]
    weights_sha256: str

    @property
    def size_bytes(self) -> int:
        return sum((self.folder / name).stat().st_size for name in self.files)


def installed(pulled: Path) -> list[ModelFiles]:
    """Every packaged and pulled model, by name; a folder without a readable card is left out."""
    found = []
    for origin, root in (("packaged", PACKAGED), ("pulled", pulled)):
        for card in sorted(root.glob("*/card.json")):
            try:
                found.append(_from_card(card, origin))
            except Damaged:
                continue
    return found


def find(name: str, pulled: Path) -> ModelFiles:
    """The files of a model by its name or folder; raises NotThere saying how to get it."""
    for model in installed(pulled):
        if name in (model.name, f"sentence-transformers/{model.name}"):
            return model
    folder = Path(name).expanduser()
    if folder.is_dir():
        card = folder / "card.json"
        return _from_card(card, "folder") if card.is_file() else _from_weights(folder)
    if not _NAME.fullmatch(name):
        raise NotThere(f"there is no model or folder {name!r}; see: scholar models list")
    raise NotThere(f"the model {name} is not here; run: scholar models pull {name}")


def verify(model: ModelFiles) -> None:
    """Compare every file with its hash; raises Damaged naming the first that differs."""
    for name, sha256 in model.files.items():
        path = model.folder / name
        if not path.is_file():
            what = "is missing"
        elif file_sha256(path) != sha256:
            what = "is not what the card says"
        else:
            continue
        mend = {
            "packaged": "pip install --force-reinstall scholar-cli",
            "pulled": f"scholar models remove {model.name}, then scholar models pull {model.name}",
        }.get(model.origin, "copy the folder again")
        raise Damaged(f"{path} {what}; run: {mend}")


def remove(name: str, pulled: Path) -> ModelFiles:
    """Delete a pulled model; raises UsageError for one that was not pulled."""
    model = find(name, pulled)
    if model.origin != "pulled":
        raise UsageError(f"{name} is {model.origin}, not pulled; there is nothing to remove")
    shutil.rmtree(model.folder)
    return model


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
    """Download a sentence-transformers model, pinned to one commit and verified.

    Every file is checked against the hash the hub lists for that commit. Raises
    UsageError for a name that is none, ScholarError for a model that would need pickle
    or code of its own, and what Fetcher.get raises.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name[:80]!r} is not a model's name; it looks like owner/name")
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise UsageError(f"{revision[:80]!r} is not a revision; give a branch, a tag or a commit")
    hub = hub.rstrip("/")
    listing = fetcher.get(
        f"{hub}/api/models/{name}/revision/{revision}?blobs=true",
        max_bytes=MAX_CONFIG_BYTES, refresh=True, announce=announce, progress=progress,
    )  # fmt: skip
    commit, files = _listed(name, listing.path.read_bytes())
    pulled.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".pull-", dir=pulled) as working:
        folder = Path(working) / "model"
        for listed in files:
            got = fetcher.get(
                f"{hub}/{name}/resolve/{commit}/{listed.name}",
                max_bytes=MAX_MODEL_BYTES if listed.sha256 else MAX_CONFIG_BYTES,
                sha256=listed.sha256, announce=announce, progress=progress,
            )  # fmt: skip
            target = folder / listed.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(got.path, target)
            if listed.git_sha1 and _git_sha1(target) != listed.git_sha1:
                raise Damaged(f"{listed.name} of {name} arrived damaged; pull it again")
            fetcher.forget(got.url)
        model = _from_weights(folder)
        card = {
            "name": name, "source": f"{hub}/{name}", "revision": commit,
            "dimensions": model.dimensions, "max_tokens": model.max_tokens,
            "pooling": model.pooling, "space": model.space,
            "weights_sha256": model.weights_sha256,
            "files": {listed.name: file_sha256(folder / listed.name) for listed in files},
        }  # fmt: skip
        (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", "utf-8")
        final = pulled / name.replace("/", "--")
        if final.exists():
            shutil.rmtree(final)
        folder.replace(final)
    return _from_card(final / "card.json", "pulled")


@dataclass(frozen=True, slots=True)
class _Listed:
    name: str
    sha256: str | None
    git_sha1: str | None


def _listed(name: str, answer: bytes) -> tuple[str, list[_Listed]]:
    """The commit and the files to fetch, from the hub's description of a model."""
    try:
        described = json.loads(answer)
        commit = described["sha"]
        siblings = [
            _Listed(each["rfilename"], (each.get("lfs") or {}).get("sha256"),
                    None if each.get("lfs") else each.get("blobId"))
            for each in described["siblings"]
            if _WANTED.fullmatch(each["rfilename"])
        ]  # fmt: skip
        if not re.fullmatch(r"[0-9a-f]{40}", commit):
            raise ValueError(commit)
    except (ValueError, KeyError, TypeError, AttributeError) as broken:
        raise ScholarError(
            f"the hub's description of {name} cannot be read; see hub in: scholar config show"
        ) from broken
    if not any(each.name.endswith(".safetensors") for each in siblings):
        raise ScholarError(
            f"{name} has no weights as safetensors, and no others are loaded; choose another model"
        )
    if not any(each.name == "config.json" for each in siblings):
        raise ScholarError(f"{name} has no config.json; choose a sentence-transformers model")
    if any(not (each.sha256 or each.git_sha1) for each in siblings):
        raise ScholarError(f"the hub gives no hashes for {name}, so it cannot be verified")
    return commit, siblings


def _from_card(path: Path, origin: str) -> ModelFiles:
    try:
        card = json.loads(path.read_text("utf-8"))
        folder = path.parent
        onnx = folder / "model.onnx"
        files = {str(name): str(sha256) for name, sha256 in card["files"].items()}
        return ModelFiles(
            name=str(card["name"]),
            folder=folder,
            origin=origin,
            space=_slug(card["space"]),
            dimensions=int(card["dimensions"]),
            max_tokens=int(card["max_tokens"]),
            pooling=str(card["pooling"]),
            onnx=onnx if "model.onnx" in files else None,
            files=files,
            weights_sha256=str(card["weights_sha256"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as broken:
        raise Damaged(
            f"{path} cannot be read ({broken}); remove its folder and pull the model again"
        ) from broken


def _from_weights(folder: Path) -> ModelFiles:
    """Describe a sentence-transformers folder that has no card."""
    config = _json(folder / "config.json")
    if "auto_map" in config:
        raise ScholarError(
            f"{folder.name} needs code of its own, which is never run; choose another model"
        )
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        raise ConfigError(
            f"{folder} has no *.safetensors; name the folder of a sentence-transformers model"
        )
    digest = hashlib.sha256()
    for path in weights:
        digest.update(bytes.fromhex(file_sha256(path)))
    sha256 = file_sha256(weights[0]) if len(weights) == 1 else digest.hexdigest()
    pooling = "mean"
    for path in sorted(folder.glob("*_Pooling/config.json")):
        modes = _json(path)
        if (
            modes.get("pooling_mode_mean_tokens") is False
            or modes.get("pooling_mode", "mean") != "mean"
        ):
            pooling = "other"
    limits = _json(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    length = limits or min(int(config.get("max_position_embeddings", 512)), 512)
    names = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _WANTED.fullmatch(path.relative_to(folder).as_posix())
    ]
    return ModelFiles(
        folder.name, folder, "folder", _slug(f"{folder.name}-{sha256[:8]}"),
        int(config.get("hidden_size", 0)), int(length), pooling, None,
        {path.relative_to(folder).as_posix(): "" for path in names}, sha256,
    )  # fmt: skip


def _json(path: Path, missing: dict[str, Any] | None = None) -> dict[str, Any]:
    if missing is not None and not path.is_file():
        return missing
    try:
        read = json.loads(path.read_text("utf-8"))
        if isinstance(read, dict):
            return read
        raise ValueError("not an object")
    except (OSError, ValueError) as broken:
        raise ConfigError(
            f"{path} cannot be read ({broken}); name the folder of a model"
        ) from broken


def _slug(space: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(space).lower()).strip("_")[:80]


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _git_sha1(path: Path) -> str:
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
