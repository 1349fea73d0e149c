"""Libraries for the tests, each built once a run and shared by all worker processes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from command_line import invoke_in_home, succeeded

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles


def build_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """Return a folder of this name, filled by the first worker that needs it.

    The workers of pytest-xdist have sibling folders. All of them read what is built: copy it
    before writing to it.
    """
    base = factory.getbasetemp()
    run = base.parent if base.name.startswith("popen-") else base
    folder = run / "built" / name
    folder.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / ".whole").exists():
            shutil.rmtree(folder, ignore_errors=True)  # left by a worker that failed
            folder.mkdir()
            build(folder)
            (folder / ".whole").touch()
    return folder


def add_book(home: Path, path: Path, text: str, title: str, author: str = "Ann Example") -> None:
    """Write a text in English to a file and add it to the library of a home."""
    path.write_text(text, "utf-8")
    names = ("--title", title, "--author", author, "--language", "en")
    succeeded(invoke_in_home(home, "add", str(path), *names))


def overwrite(path: Path) -> None:
    """Replace the content of a file with about as many meaningless bytes."""
    path.write_bytes(b"\0garbage" * (path.stat().st_size // 8 + 1))


def load_models_once(patch: Callable[[object, str, object], None]) -> None:
    """Share models among all libraries of a process, as long as the model files are the same.

    `patch` sets an attribute of a module, as setattr does.
    """
    from scholar_indexes.models import cross_encoder, onnx_encoder

    for module in (onnx_encoder, cross_encoder):
        patch(module, "load", _load_once(module.load))


def read_unchanged_files_once(patch: Callable[[object, str, object], None]) -> None:
    """Compute the hash of a file once until it is written to, and make the parsers of the commands
    once: `doctor` reads 100 MB of models, and every command line makes its parser.

    `patch` sets an attribute of a module, as setattr does.
    """
    import typer

    from scholar_indexes.models import registry

    hash_of = registry.file_sha256
    known: dict[tuple[object, ...], str] = {}

    def hash_once(path: Path) -> str:
        stat = path.stat()
        key = (path, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
        if key not in known:
            known[key] = hash_of(path)
        return known[key]

    patch(registry, "file_sha256", hash_once)
    patch(typer.main, "get_command", cache(typer.main.get_command))


def _load_once(load: Callable[[ModelFiles, int], Any]) -> Callable[[ModelFiles, int], Any]:
    loaded: dict[tuple[object, ...], Any] = {}

    def load_once(model: ModelFiles, threads: int) -> Any:
        key = (files_key(model), threads)
        if key not in loaded:
            loaded[key] = load(model, threads)
        return loaded[key]

    return load_once


def files_key(model: ModelFiles) -> tuple[object, ...]:
    """Return a key that is equal for models loaded from the same files."""
    stat = model.onnx.stat() if model.onnx and model.onnx.is_file() else None
    return repr(model), stat and (stat.st_mtime_ns, stat.st_size, stat.st_ino)
