"""The kept inputs of the fuzzer and its past findings, replayed without the fuzzer."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus import CORPUS, FINDINGS, FOLDER, findings, kept_inputs, slug
from targets import IN_OTHER_TARGETS, TARGETS, run
from test_bad_files import READERS

MAX_CORPUS_BYTES = 500_000

FOUND = [
    pytest.param(name, path, id=f"{name}: {path.name}")
    for name in TARGETS
    for path in findings(name)
]


@pytest.mark.parametrize(("name", "path"), FOUND)
def test_inputs_that_once_failed_are_handled(name: str, path: Path) -> None:
    run(TARGETS[name], path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs_are_read_or_refused_with_one_line(name: str) -> None:
    inputs = kept_inputs(name)
    assert inputs, f"no inputs of it are kept; run: make fuzz TARGETS='\"{name}\"'"
    for data in inputs:
        run(TARGETS[name], data)


@settings(derandomize=True, max_examples=25)
@given(st.data())
def test_inputs_that_are_cut_and_joined_break_nothing(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(TARGETS)))
    one, other = (data.draw(st.sampled_from(kept_inputs(name))) for _ in range(2))
    end, start = (data.draw(st.integers(0, len(part))) for part in (one, other))
    run(TARGETS[name], one[:end] + data.draw(st.binary(max_size=3)) + other[start:])


@pytest.mark.skipif(find_spec("atheris") is not None, reason="atheris is installed")
def test_without_the_fuzzer_a_message_says_how_to_install_it() -> None:
    command = [sys.executable, str(FOLDER / "fuzz.py"), "locator"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "atheris is not installed; run: pip install" in done.stderr


def test_every_reader_of_files_has_a_target_or_a_reason_why_not() -> None:
    with_target = {name for name in READERS if f"file: {name}" in TARGETS}
    assert with_target | set(IN_OTHER_TARGETS) == set(READERS)
    assert all(IN_OTHER_TARGETS.values())


def test_nothing_is_kept_of_targets_that_are_gone() -> None:
    folders = {path.name for top in (CORPUS, FINDINGS) for path in top.glob("*")}
    assert folders <= {slug(name) for name in TARGETS}


def test_the_corpus_stays_small() -> None:
    assert sum(path.stat().st_size for path in CORPUS.rglob("*.*")) < MAX_CORPUS_BYTES
