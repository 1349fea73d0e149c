"""A model hub with one tiny model, which may send false data or fail."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mirror_server import MirrorServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "example/tiny"
POOLING = {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True}

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]

FILES = {
    "config.json": json.dumps({"hidden_size": 8, "max_position_embeddings": 128}).encode(),
    "modules.json": json.dumps(MODULES).encode(),
    "1_Pooling/config.json": json.dumps(POOLING).encode(),
    "tokenizer.json": b"{}",
    "model.safetensors": b"these are eight weights " * 100,
}

WEIGHTS = hashlib.sha256(FILES["model.safetensors"]).hexdigest()


@dataclass
class Hub:
    """A server with the two addresses of a hub, and one model."""

    server: MirrorServer
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))

    def listing(self, revision: str = "main") -> str:
        return f"/api/models/{NAME}/revision/{revision}?blobs=true"

    def address(self, file: str) -> str:
        return f"/{NAME}/resolve/{COMMIT}/{file}"

    def siblings(self) -> list[dict[str, Any]]:
        return [described(name, content) for name, content in self.files.items()]

    def publish(self, revision: str = "main", **changed: Any) -> None:
        """Serve the files and their description, with changed values."""
        for name, content in self.files.items():
            self.server.put(self.address(name), content)
        described = {"sha": COMMIT, "siblings": self.siblings(), **changed}
        self.server.put(self.listing(revision), json.dumps(described).encode())


def described(name: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    described: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": blob}
    if name.endswith((".safetensors", ".bin")):
        sha256 = hashlib.sha256(content).hexdigest()
        described["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 130}
    return described


def left_in(pulled: Path) -> list[str]:
    return [path.name for path in pulled.iterdir()] if pulled.exists() else []
