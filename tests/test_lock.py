"""The locked dependencies match pyproject.toml, each with hashes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

_HASHES = r"(?: \\\n    --hash=sha256:[0-9a-f]{64})*"
LOCKED = re.findall(rf"^([\w.-]+)==([\w.+!-]+)[^\\\n]*({_HASHES})$", LOCK, re.M)
"""The name, version and hashes of each locked package."""


@pytest.mark.parametrize("written", PROJECT["dependencies"])
def test_a_dependency_is_locked_at_a_version_that_is_allowed(written: str) -> None:
    required = Requirement(written)
    versions = [version for name, version, _ in LOCKED if name == canonicalize_name(required.name)]
    assert versions, f"{required.name} is not locked; run: make lock"
    assert all(required.specifier.contains(version) for version in versions), "run: make lock"


def test_every_locked_version_has_hashes() -> None:
    lines = [line for line in LOCK.splitlines() if not line.startswith(("#", " "))]
    assert len(LOCKED) == len(lines) > 100
    assert [name for name, _, hashes in LOCKED if not hashes] == []


def test_the_lock_names_no_index() -> None:
    assert "://" not in LOCK
