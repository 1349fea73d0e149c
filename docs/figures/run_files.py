"""Run files: the output of benchmarks, kept so that the figures of the pages can be recomputed.

A run file, docs/runs/NAME.json.xz, contains the command, the commit, the machine and the day, the
hashes of the weights and rules that the figures depend on, and the reports with the scores of each
query.
"""

from __future__ import annotations

import ast
import hashlib
import json
import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scholar_indexes.storage import atomic

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "docs" / "runs"
INDEXES = ROOT / "indexes" / "scholar_indexes"


@dataclass(frozen=True, slots=True)
class RunFile:
    """The content of a run file; `reports` are from `scholar-lab bench --per-query`, and `output`
    is the output of another command."""

    name: str
    command: str
    commit: str
    machine: str
    date: str
    minutes: float
    depends: Mapping[str, str]
    reports: Sequence[Mapping[str, Any]]
    output: str = ""

    def report(self, **fields: str) -> Mapping[str, Any]:
        """Return the only report with these fields; raises LookupError if it is not unique."""
        matches = [
            report
            for report in self.reports
            if all(report[name] == value for name, value in fields.items())
        ]
        if len(matches) != 1:
            raise LookupError(f"{len(matches)} reports of the run {self.name} have {fields}")
        return matches[0]

    @property
    def data(self) -> list[str]:
        """The prefixes of the hashes of the measured data."""
        return list(dict.fromkeys(report["data_sha256"][:8] for report in self.reports))


def path_of(name: str) -> Path:
    """Return the path of a run file."""
    return RUNS / f"{name}.json.xz"


@cache
def read(name: str) -> RunFile:
    """Return a run file; raises FileNotFoundError with the command that makes it."""
    try:
        fields = json.loads(lzma.decompress(path_of(name).read_bytes()))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no run {name}; run: make figures RUN={name}") from None
    return RunFile(name, **fields)


def write(run: RunFile) -> None:
    """Write a run file atomically."""
    fields = {name: getattr(run, name) for name in RunFile.__slots__ if name != "name"}
    content = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    RUNS.mkdir(exist_ok=True)
    atomic.write_bytes(path_of(run.name), lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))


@dataclass(frozen=True, slots=True)
class ReadSample:
    """The passages that readers judged and their decisions, kept in docs/runs/NAME.jsonl, or in
    NAME.jsonl.xz if they are many."""

    name: str
    depends: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]


@cache
def read_sample(name: str) -> ReadSample:
    """Return a sample that readers judged."""
    packed = RUNS / f"{name}.jsonl.xz"
    if packed.exists():
        text = lzma.decompress(packed.read_bytes()).decode()
    else:
        text = (RUNS / f"{name}.jsonl").read_text("utf-8")
    head, *rows = (json.loads(line) for line in text.splitlines())
    return ReadSample(name, head["depends"], rows)


def hashes(dependencies: Iterable[str]) -> dict[str, str]:
    """Return the prefix of the hash of each dependency, a path in scholar_indexes.

    For a model it is the hash of the weights in its card; for code it is the hash of the syntax
    tree without docstrings, so that comments and layout do not make a run outdated.
    """
    return {dependency: _hash(INDEXES / dependency)[:16] for dependency in sorted(dependencies)}


@cache
def _hash(path: Path) -> str:
    if path.is_dir():
        digest: str = json.loads((path / "card.json").read_text("utf-8"))["weights_sha256"]
        return digest
    if path.suffix == ".json":
        fields = json.loads(path.read_text("utf-8"))
        weights = {name: fields[name] for name in fields if name.startswith(("weights", "scales"))}
        return hashlib.sha256(json.dumps(weights or fields, sort_keys=True).encode()).hexdigest()
    if path.suffix == ".py":
        return hashlib.sha256(_syntax(path.read_text("utf-8")).encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _syntax(code: str) -> str:
    """Return the syntax tree of a module as text, without its docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
