"""The architecture: what is installed, which imports are allowed, and what a command loads."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path, PurePosixPath
from textwrap import dedent

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scholar_indexes.settings import DEFAULT_MODEL

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "scholar_cli": ROOT / "scholar_cli",
    "scholar_tui": ROOT / "tui" / "scholar_tui",
    "scholar_indexes": ROOT / "indexes" / "scholar_indexes",
}
HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "lancedb",
    "numpy",
    "pyarrow",
    "pandas",
    "textual",
    "rich",
    "spacy",
    "onnxruntime",
    "tokenizers",
    "lxml",
    "urllib3",
    "ray",
    "lance",
    "lance_ray",
}
ENCODING = {"numpy", "lancedb", "pyarrow", "onnxruntime", "tokenizers"}

OF_EXTRAS = {
    "gpu": {"onnx", "sentence_transformers", "torch", "transformers"},
    "cluster": {"lance", "lance_ray", "ray"},
}
"""Imports of the product that `pip install .` does not install, by the extra that does."""

_LOADED = """
import json, sys
sys.argv[0] = "scholar"
try:
    {code}
finally:
    sys.stdout.flush()
    names = sorted({{name.partition(".")[0] for name in sys.modules}} | set(sys.modules))
    open({report!r}, "w").write(json.dumps(names))
"""


def loaded(folder: Path, code: str, *args: str, **environment: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after some code."""
    report = folder / "loaded.json"
    done = subprocess.run(
        [sys.executable, "-c", _LOADED.format(code=code, report=str(report)), *args],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(report.read_text("utf-8")))


def scholar(folder: Path, *args: str, **environment: str) -> set[str]:
    """Return the modules that a command line loads."""
    return loaded(folder, "from scholar_cli.main import run; run()", *args, **environment)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Return the files of the built wheel and their sizes."""
    pytest.importorskip("hatchling", reason="building a wheel needs the extra [dev]")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=300,
    )
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return {member.filename: member.file_size for member in archive.infolist()}


@pytest.mark.slow
def test_a_wheel_installs_three_unmistakable_names(wheel: dict[str, int]) -> None:
    top = {PurePosixPath(name).parts[0] for name in wheel}
    assert {name for name in top if not name.endswith((".dist-info", ".data"))} == set(PACKAGES)
    assert len(top) == 5
    assert any(name.endswith(".data/data/share/man/man1/scholar.1") for name in wheel)


@pytest.mark.slow
def test_a_wheel_carries_types_weights_and_the_bundled_books(wheel: dict[str, int]) -> None:
    for name in PACKAGES:
        assert f"{name}/py.typed" in wheel
    models = {path.name for path in (PACKAGES["scholar_indexes"] / "weights").iterdir()}
    assert {f"scholar_indexes/weights/{model}/card.json" for model in models} <= set(wheel)
    weights = f"scholar_indexes/weights/{DEFAULT_MODEL}"
    for name in ("model.onnx", "tokenizer.json", "card.json"):
        assert wheel[f"{weights}/{name}"] > 0
    assert len([name for name in wheel if name.endswith(".txt.xz")]) == 3
    assert wheel["scholar_indexes/serialize/tei.rng"] > 0


def test_a_wheel_has_a_licence_and_no_tests_or_tools(wheel: dict[str, int]) -> None:
    for licence in ("LICENSE", "NOTICE", "THIRD_PARTY.md"):
        assert any(name.endswith(f"licenses/{licence}") for name in wheel)
    strange = [
        name
        for name in wheel
        if "__pycache__" in name
        or "test" in PurePosixPath(name).name
        or PurePosixPath(name).name.startswith(".")
    ]
    assert strange == []


def test_the_packaged_weights_are_under_95_megabytes() -> None:
    folder = PACKAGES["scholar_indexes"] / "weights"
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 95_000_000


def sources() -> list[Path]:
    return [path for folder in PACKAGES.values() for path in sorted(folder.rglob("*.py"))]


@cache
def imported(path: Path) -> frozenset[str]:
    """Return every module a file imports by name, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names |= {f"{node.module}.{name.name}" for name in node.names}
    return frozenset(names)


def test_the_import_contracts_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    if not command.exists():
        pytest.skip("import-linter comes with the extra [dev]")
    done = subprocess.run(
        [str(command), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_nothing_reads_or_writes_pickles() -> None:
    for path in sources():
        tops = {name.partition(".")[0] for name in imported(path)}
        assert not tops & {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal"}, path


LABORATORY = ROOT / "scholar_cli" / "laboratory"


def of_the_product() -> Iterator[Path]:
    """Yield the source files that are installed by default."""
    return (path for path in sources() if not path.is_relative_to(LABORATORY))


def test_the_product_does_not_import_the_laboratory() -> None:
    for path in of_the_product():
        names = {name for name in imported(path) if name.startswith("scholar_cli.laboratory")}
        assert not names or path.name == "lab_command.py", path


def test_only_one_room_opens_lancedb_one_the_network_and_one_ray() -> None:
    tops = ("lancedb", "urllib3", "onnxruntime", "ray", "lance_ray", "lance")
    users: dict[str, set[str]] = {top: set() for top in tops}
    for path in of_the_product():
        for top in {name.partition(".")[0] for name in imported(path)} & set(users):
            users[top].add(str(path.relative_to(PACKAGES["scholar_indexes"])))
    assert users["lancedb"] == {"storage/lancedb_import.py"}
    assert users["onnxruntime"] == {"models/onnx_encoder.py"}
    assert all(name.startswith("net/") for name in users["urllib3"])
    for top in ("ray", "lance_ray", "lance"):
        assert all(name.startswith("cluster/") for name in users[top])


def installed_by_default() -> set[str]:
    """Return the names of all packages that `pip install .` installs, as installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    waiting = [Requirement(line) for line in project["dependencies"]]
    names: set[str] = set()
    while waiting:
        required = waiting.pop()
        name = canonicalize_name(required.name)
        if name in names or (required.marker and not required.marker.evaluate({"extra": ""})):
            continue
        with suppress(PackageNotFoundError):  # one that only other systems need
            waiting += map(Requirement, requires(name) or ())
            names.add(name)
    return names


def test_imports_of_the_product_are_installed_by_default_or_by_an_extra() -> None:
    """Otherwise the examples of the README would fail after `pip install .`."""
    owners, default = packages_distributions(), installed_by_default()
    known = set(sys.stdlib_module_names) | set(PACKAGES) | set().union(*OF_EXTRAS.values())
    for path in of_the_product():
        for top in {name.partition(".")[0] for name in imported(path)} - known:
            names = {canonicalize_name(name) for name in owners.get(top, ())}
            assert names & default, f"{path} imports {top}, which is no dependency"


@pytest.mark.parametrize(
    "module", ["scholar_indexes", "scholar_indexes.types", "scholar_indexes.errors"]
)
def test_the_nouns_load_nothing_beyond_the_standard_library(tmp_path: Path, module: str) -> None:
    bare = loaded(tmp_path, "pass")
    more = {name.partition(".")[0] for name in loaded(tmp_path, f"import {module}") - bare}
    assert more - set(sys.stdlib_module_names) == {"scholar_indexes"}


LIGHT = (
    "--help",
    "--version",
    "find --help",
    "add --help",
    "books list",
    "books list --json",
    "papers list",
    "papers similar --help",
    "config path",
    "models --help",
)


def test_the_prompt_answers_without_anything_heavy(tmp_path: Path) -> None:
    """All in one process, since a module that any of them loads would stay loaded."""
    code = """
    from scholar_cli.main import run
    for line in sys.argv[1:]:
        sys.argv = ["scholar", *line.split()]
        try:
            run()
        except SystemExit as end:
            assert not end.code, line
    """
    assert loaded(tmp_path, dedent(code).replace("\n", "\n    "), *LIGHT) & HEAVY == set()


def test_a_list_of_books_loads_nothing_heavy_either(tmp_path: Path, two_books: Path) -> None:
    assert scholar(tmp_path, "books", "list") & HEAVY == set()


@pytest.mark.parametrize(
    ("shell", "environment"),
    [
        ("bash", {"COMP_WORDS": "scholar fi", "COMP_CWORD": "1"}),
        ("bash", {"COMP_WORDS": "scholar books info ", "COMP_CWORD": "3"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "scholar books info "}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "scholar fi", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
    ids=["bash, a command", "bash, a book", "zsh, a book", "fish, a command"],
)
def test_completion_loads_nothing_heavy(
    tmp_path: Path, shell: str, environment: dict[str, str]
) -> None:
    result = scholar(tmp_path, _SCHOLAR_COMPLETE=f"complete_{shell}", **environment)
    assert "scholar_cli.main" in result
    heavy = HEAVY - {"rich"} if shell == "fish" else HEAVY  # typer colours fish's help with it
    assert result & heavy == set()


@pytest.mark.slow
def test_papers_are_listed_without_anything_heavy_and_compared_without_an_encoder(
    tmp_path: Path,
) -> None:
    """The vectors of a stored paper are stored with it."""
    papers = str(ROOT / "tests" / "data" / "papers.jsonl")
    assert "onnxruntime" in scholar(tmp_path, "papers", "add", papers)
    assert scholar(tmp_path, "papers", "list") & HEAVY == set()
    result = scholar(tmp_path, "papers", "similar", "key:1001", "--facet", "method")
    assert "lancedb" in result
    # LanceDB imports pandas if it is installed, as it is with the extra [cluster].
    assert result & (HEAVY - {"lancedb", "numpy", "pyarrow", "pandas"}) == set()


def test_a_lexical_question_loads_no_encoder(tmp_path: Path, two_books: Path) -> None:
    result = scholar(tmp_path, "find", "the lamplighter walked", "--mode", "lexical")
    assert "lancedb" in result
    assert result & {"torch", "transformers", "spacy", "onnxruntime", "textual"} == set()


def test_a_question_loads_the_small_encoder_and_never_torch(
    tmp_path: Path, two_books: Path
) -> None:
    result = scholar(tmp_path, "find", "the lamplighter walked")
    assert result >= ENCODING
    assert result & {"torch", "transformers", "sentence_transformers", "spacy", "textual"} == set()


def test_one_machine_adds_books_and_rebuilds_the_index_without_ray(
    tmp_path: Path, source: Path
) -> None:
    journeys = "library.add(sys.argv[1]); library.index.rebuild(afresh=True)"
    code = f"from scholar_indexes.library import Library; library = Library.of_user(); {journeys}"
    result = loaded(tmp_path, code, str(source))
    assert result >= ENCODING
    assert result & {"ray", "lance_ray", "lance", "scholar_indexes.cluster"} == set()


def test_large_files_of_the_repository_are_listed_with_their_reasons() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout of git")
    command = ["git", "ls-files", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = page.partition("## Large files")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`([\w-]+/[\w.-]+)`", section.partition("|---|")[2]))
    tracked = map(PurePosixPath, filter(None, names.split("\0")))
    large = [path for path in tracked if (ROOT / path).stat().st_size > 1_000_000]
    assert {"/".join(path.parts[-2:]) for path in large} == listed
