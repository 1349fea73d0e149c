"""Write the tables of the dependencies and their licences, in THIRD_PARTY.md, as installed.

.venv/bin/python docs/third_party.py
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "THIRD_PARTY.md"
EXTRAS = ("gpu", "lab")
"""The extras for users; dev contains the tools for developers."""

BEGIN, END = "<!-- written by docs/third_party.py -->\n", "<!-- end -->\n"

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LICENCE_CLASSIFIER = "License :: OSI Approved :: "
_LONGEST_NAME = 60


def dependencies() -> dict[str, list[str]]:
    """Return the names of the packages that scholar needs, by extra; required packages have
    the extra ""."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"": project["dependencies"]}
    groups |= {extra: project["optional-dependencies"][extra] for extra in EXTRAS}
    return {extra: _names(lines) for extra, lines in groups.items()}


def _names(requirements: Sequence[str]) -> list[str]:
    names = (match[0] for line in requirements if (match := _NAME.match(line)))
    return sorted((name for name in names if name != "scholar-cli"), key=str.lower)


def licence(name: str) -> str:
    """Return the licence of an installed package as its metadata state it: an SPDX expression,
    else its classifiers, else the name in its field License; "" if there is none.

    Raises PackageNotFoundError for a package that is not installed.
    """
    about = metadata.metadata(name)
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = [
        classifier.removeprefix(_LICENCE_CLASSIFIER)
        for classifier in about.get_all("Classifier") or ()
        if classifier.startswith(_LICENCE_CLASSIFIER)
    ]
    if classifiers:
        return ", ".join(classifiers)
    lines = str(about.get("License") or "").strip().splitlines()
    return lines[0][:_LONGEST_NAME] if lines else ""


def tables() -> str:
    """Return a table with a row for each package: required packages first, then the extras."""
    rows = [
        f"| {name} | {licence(name)} | {f'`{extra}`' if extra else ''} |"
        for extra, names in dependencies().items()
        for name in names
    ]
    return "\n".join(("| package | licence | extra |", "|---|---|---|", *rows, ""))


if __name__ == "__main__":
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + tables() + "\n" + END + rest.partition(END)[2], "utf-8")
