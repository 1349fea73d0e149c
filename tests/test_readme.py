"""Every command of the README works with what `pip install .` installs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import readme_tour
from command_line import CommandResult, invoke, succeeded
from mirror_server import MirrorServer

ROOT = Path(__file__).parents[1]

NEEDS_EXTRA = {
    "scholar models pull BAAI/bge-small-en-v1.5": "gpu",
    "scholar index rebuild --model BAAI/bge-small-en-v1.5": "gpu",
}
"""Commands in paragraphs of the README that need an extra, which the paragraph must name."""

NOT_RUN = {
    "scholar serve": "it does not end by itself; tests/server and tests/observed run it",
    "scholar tui": "the same; tests/tui run it",
    "scholar tui --serve": "the same",
}
"""Other commands in paragraphs that are not run here, and why."""


@pytest.fixture
def laid_out(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Return a folder with the files that the commands read, and the variables to run them with."""
    folder = tmp_path / "tour"
    folder.mkdir()
    variables = readme_tour.lay_out(folder)
    with MirrorServer(folder / "mirror") as mirror:
        yield folder, {**variables, "SCHOLAR_MIRRORS": mirror.url()}


@pytest.fixture
def tour(laid_out: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to that folder, and make a library of the bundled novels."""
    folder, variables = laid_out
    monkeypatch.chdir(folder)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    succeeded(invoke("add", *map(str, readme_tour.TITLES)))
    return folder


def run_line(line: str) -> str:
    """Run a line of shell and return what it prints: `scholar` in this process, other programs in
    theirs. Supported are pipes, &&, > and >> to a file, and comments."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    printed, words = b"", []
    target: tuple[str, str] | None = None
    tokens = [*lexer, "&&"]
    while tokens:
        token = tokens.pop(0)
        if token in (">", ">>"):
            target = (token, tokens.pop(0))
        elif token in ("|", "&&"):
            printed = _run(words, printed)
            words = []
            if target:
                with open(target[1], "ab" if target[0] == ">>" else "wb") as file:
                    file.write(printed)
                target, printed = None, b""
        else:
            words.append(os.path.expanduser(token))
    return printed.decode()


def _run(words: list[str], stdin: bytes) -> bytes:
    if words[0] == "scholar":
        result = invoke(*words[1:], stdin=stdin)
        assert result.exit_code == 0, (words, result.stderr)
        return result.stdout.encode()
    if shutil.which(words[0]) is None:  # jq does not come with scholar
        return stdin
    return subprocess.run(words, input=stdin, capture_output=True, check=True).stdout


def test_a_command_that_is_not_run_or_is_replaced_is_still_in_the_readme() -> None:
    shown = {command.partition("#")[0].strip() for command in readme_tour.commands()}
    assert shown >= {*readme_tour.NOT_RUN, *readme_tour.SUBSTITUTES}
    assert readme_tour.inline_commands().keys() >= {*NOT_RUN, *NEEDS_EXTRA}
    assert len(shown) > 40


def test_every_command_of_the_tour_succeeds(tour: Path) -> None:
    printed = {}
    for command in readme_tour.runnable():
        loop = re.fullmatch(r"while read -r claim; do (.+); done < (\S+)", command)
        if loop:
            for claim in (tour / loop[2]).read_text("utf-8").splitlines():
                printed[command] = run_line(loop[1].replace("$claim", claim))
        else:
            printed[command] = run_line(command)
    silent = {command for command, text in printed.items() if not text}
    assert not [one for one in silent if not re.search(r"--out |>|\badd |--edit|--wrong", one)]
    assert (tour / "hope.docx").read_bytes().startswith(b"PK")
    assert (tour / "library.parquet").read_bytes().startswith(b"PAR1")
    assert any((tour / "user" / "vault").rglob("*.md"))
    for name in ("answers.jsonl", "evidence.csv", "notes.md", "pride.graphml", "pride.xml"):
        assert (tour / name).stat().st_size > 100, name


def test_every_command_in_a_paragraph_succeeds_or_says_what_it_needs(
    two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, paragraph in readme_tour.inline_commands().items():
        if command in NEEDS_EXTRA:
            needed = f"pip install 'scholar-cli[{NEEDS_EXTRA[command]}]'"
            assert needed in " ".join(paragraph.split()), command
        elif command not in NOT_RUN:
            _run_in_paragraph(command, monkeypatch, tmp_path)


def _run_in_paragraph(command: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Run a command that a paragraph names; of a group of commands, or of one whose arguments the
    paragraph omits, show the help."""
    _, name, *rest = command.split()
    if command.startswith("scholar restore"):
        monkeypatch.setenv("SCHOLAR_HOME", str(folder / "another"))
    if "|" in rest or (not rest and name not in ("doctor", "mcp")):
        for subcommand in [word for word in rest if word != "|"] or [""]:
            succeeded(invoke(name, *filter(None, [subcommand]), "--help"))
    else:
        succeeded(invoke(name, *rest, stdin="walked to the harbour on day\n"))


@pytest.fixture
def as_the_readme_says(tmp_path: Path) -> Iterator[Path]:
    """Return a new virtual environment after `pip install .`."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([venv / "bin" / "pip", "install", "-q", str(ROOT)], check=True)
    yield venv
    shutil.rmtree(venv)  # 800 MB, which pytest would keep for three runs


@pytest.mark.slow
def test_the_tour_runs_in_an_environment_that_is_made_as_the_readme_says(
    as_the_readme_says: Path, laid_out: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """The commands are run by a shell, each in a process of its own."""
    venv, (folder, variables) = as_the_readme_says, laid_out
    kept = {name: os.environ[name] for name in ("LANG", "OMP_NUM_THREADS") if name in os.environ}
    environment = {
        **kept,
        **variables,
        "PATH": f"{venv / 'bin'}:/usr/bin:/bin",
        "SCHOLAR_HOME": str(tmp_path / "home"),
    }
    lines = ["scholar add 64317 1342 84", *readme_tour.runnable(), "scholar mcp < /dev/null"]
    if shutil.which("jq", path=environment["PATH"]) is None:
        lines = [line.partition("| jq ")[0] for line in lines]
    for line in lines:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", line],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        succeeded(CommandResult(done.returncode, done.stdout, f"{line}\n{done.stderr}"))
    assert (folder / "hope.docx").read_bytes().startswith(b"PK")
