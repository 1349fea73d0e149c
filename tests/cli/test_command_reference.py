"""The reference of the commands, and the commands that the documentation shows."""

from __future__ import annotations

import importlib
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from scholar_cli import man_page, model_cards
from scholar_cli.laboratory.main import LaboratoryGroup
from scholar_cli.main import CommandGroup
from scholar_indexes.models import registry

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

_SHOWN = re.compile(r"(?:^ {4}(?:\$ )?|[|] )(scholar|scholar-lab) (\S.*)$", re.MULTILINE)
_GROUPS = {group.program: group for group in (CommandGroup, LaboratoryGroup)}
_END = re.compile(r"\s{3,}|\s[|>&;#]|\s…|\s\.\.\.|\)|`")


COMPANION = Path(__file__).parents[2] / "indexes/scholar_thorough/scholar_thorough/weights"


COMMAND_PAGES = runpy.run_path(str(ROOT / "docs" / "commands.py"))["PAGES"]


@pytest.mark.parametrize("name", COMMAND_PAGES)
def test_the_references_match_the_commands(name: str) -> None:
    written = (ROOT / "docs" / name).read_text("utf-8")
    assert written == COMMAND_PAGES[name](), "run: .venv/bin/python docs/commands.py"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_formatted_without_a_warning() -> None:
    page = man_page.page().encode()
    result = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True)
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"scholar papers similar" in re.sub(rb".\x08", b"", result.stdout)  # without bold


def test_a_manual_page_escapes_what_roff_would_read() -> None:
    assert man_page._escape(".SH it's -x \\f") == "\\&.SH it\\(aqs \\-x \\ef"


def test_the_page_of_the_models_is_that_of_their_cards() -> None:
    written = (ROOT / "docs" / "models.md").read_text("utf-8")
    assert written == model_cards.page(registry.PACKAGED, COMPANION), (
        "run: .venv/bin/python docs/model_cards.py"
    )


def test_the_site_is_built_without_the_network_and_without_a_broken_link(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path / "s")]
    result = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "s" / "index.html").read_text("utf-8")
    assert "The first ten minutes" in page
    assert not re.findall(r'<(?:link|script)[^>]+(?:href|src)="https?://', page)
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages == set(re.findall(r"([\w-]+)\.md$", (ROOT / "mkdocs.yml").read_text(), re.M))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in COMMAND_PAGES], ids=lambda page: page.name
)
def test_a_command_that_is_shown_has_its_options(page: Path) -> None:
    for match in _SHOWN.finditer(page.read_text("utf-8")):
        check_options(_GROUPS[match[1]], _END.split(match[2])[0])


def check_options(group: type[CommandGroup], line: str) -> None:
    """Assert that a command line of a program names a command and options that exist."""
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation that continues on the next line
        words = line.split()
    name, *rest = words
    if name.startswith("-"):
        return
    assert any(name in section for section in group.sections.values()), line
    command: Any = typer.main.get_command(importlib.import_module(f"{group.package}.{name}").app)
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    options = {"--help", "-h"}
    for parameter in command.params:
        options.update((*parameter.opts, *parameter.secondary_opts))
    for word in rest:
        if re.match(r"--?[a-z]", word):
            assert word.partition("=")[0] in options, line
