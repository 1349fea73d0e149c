"""scholar completion: the scripts for shells, and completion with them in bash and zsh."""

from __future__ import annotations

import os
import pty
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import DIALOGUE_BOOK, Scholar, error_line, succeeded
from libraries import add_book, build_once


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(scholar: Scholar, shell: str) -> None:
    script = succeeded(scholar("completion", "show", shell)).stdout
    assert "_SCHOLAR_COMPLETE" in script
    assert shell in script or "compdef" in script or "complete -o" in script


def test_another_shell_is_a_usage_error(scholar: Scholar) -> None:
    assert "tcsh" in error_line(scholar("completion", "show", "tcsh"), 2)


def completed(scholar: Scholar, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """Return the completions of the last word of a line."""
    with monkeypatch.context() as context:
        context.setenv("_SCHOLAR_COMPLETE", "complete_bash")
        context.setenv("COMP_WORDS", "\n".join(("scholar", *words)))
        context.setenv("COMP_CWORD", str(len(words)))
        result = scholar()
    assert (result.exit_code, result.stderr) == (0, "")
    return [line for line in result.stdout.splitlines() if line]


@pytest.mark.parametrize(
    "words",
    [
        ("find", "x", "-b", "nowhere", "--speaker", ""),
        ("find", "x", "--speaker", ""),
        ("find", "quay", "--speaker", ""),
        ("find", "x", "-b", "quay", "--speaker", "Zo"),
        ("speakers", "nowhere", "--speaker", ""),
        ("find", "x", "-b", "Zo"),
    ],
    ids=["no such book", "no book", "a claim", "no such speaker", "no such argument", "no title"],
)
def test_nothing_is_completed_without_a_known_cast(
    scholar: Scholar, quay: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    succeeded(scholar("speakers", "quay"))
    assert completed(scholar, monkeypatch, *words) == []


def test_speakers_are_completed_once_they_are_known(
    scholar: Scholar, quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("find", "x", "-b", "quay", "--speaker")
    assert completed(scholar, monkeypatch, *line, "") == []
    attributed = succeeded(scholar("speakers", "quay", "--json")).json
    names = {quotation["speaker"]["name"] for quotation in attributed if quotation["speaker"]}
    assert set(completed(scholar, monkeypatch, *line, "")) == names
    assert completed(scholar, monkeypatch, *line, "Mr. H") == ["Mr. Hale"]
    assert completed(scholar, monkeypatch, *line, "mr. h") == ["mr. Hale"]
    assert completed(scholar, monkeypatch, *line[:-1], "--about", "Eliz") == ["Elizabeth Marsh"]
    assert completed(scholar, monkeypatch, "speakers", "quay", "--speaker", "El") == [
        "Elizabeth Marsh"
    ]


def test_books_are_completed_by_id_and_by_title(
    scholar: Scholar, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completed(scholar, monkeypatch, "find", "x", "-b", "") == ["pg64317", "pg1342", "pg84"]
    assert completed(scholar, monkeypatch, "find", "x", "-b", "pg13") == ["pg1342"]
    assert completed(scholar, monkeypatch, "books", "info", "Pri") == ["Pride and Prejudice"]
    [title] = completed(scholar, monkeypatch, "find", "x", "-b", "pri")
    assert title == "pride and Prejudice"
    assert succeeded(scholar("books", "info", title, "--json")).json


TITLE = "O'Brien's \"Own\": \\$(touch ran) `touch ran`"


@pytest.fixture(scope="session")
def oddly_titled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with a book whose title contains shell metacharacters."""

    def build(folder: Path) -> None:
        add_book(folder / "home", folder / "book.txt", DIALOGUE_BOOK, TITLE)

    return build_once(tmp_path_factory, "oddly titled", build) / "home"


def bash_completes(source: str, home: Path, *words: str) -> list[str]:
    """Return bash's completions of the last word of a line, with a script."""
    asking = f"""
        {source}
        COMP_WORDS=({" ".join(map(shlex.quote, words))}) COMP_CWORD={len(words) - 1}
        _scholar_completion scholar
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home), "PATH": path}
    result = subprocess.run(
        ["bash", "--norc", "-c", asking], env=environment, capture_output=True, text=True
    )
    assert result.stderr == ""
    return result.stdout.splitlines()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "completion"),
    [
        ("pri", r"pride\ and\ Prejudice"),
        (r"Pride\ a", r"Pride\ and\ Prejudice"),
        ('"Pri', "Pride and Prejudice"),
    ],
    ids=["a word", "a quoted space", "an open quotation mark"],
)
def test_bash_takes_a_title_as_one_word(
    sample: Path, tmp_path: Path, typed: str, completion: str
) -> None:
    script = 'eval "$(scholar completion show bash)"'
    assert bash_completes(script, tmp_path, "scholar", "find", "-b", typed) == [completion]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("quote", ['"', "'", ""], ids=["double", "single", "no quotation mark"])
def test_bash_runs_no_command_that_a_title_contains(
    oddly_titled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quote: str
) -> None:
    monkeypatch.setenv("SCHOLAR_HOME", str(oddly_titled))
    script = 'eval "$(scholar completion show bash)"'
    [word] = bash_completes(script, tmp_path, "scholar", "find", "-b", f"{quote}O")
    echo = f"printf '%s' {quote}{word}{quote}"
    result = subprocess.run(["bash", "-c", echo], cwd=tmp_path, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == (TITLE, "")
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_once_the_script_is_installed(
    scholar: Scholar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("# my own\n")
    shown = succeeded(scholar("completion", "install", "bash"))
    assert "the next bash that you open" in shown.stderr
    assert (tmp_path / ".bashrc").read_text().startswith("# my own\n")
    assert bash_completes("source ~/.bashrc", tmp_path, "scholar", "col") == ["collection"]


ZSH_SETTINGS = """
write_words() { print -rl -- "${(@Q)${(@z)BUFFER}}" > words; exit }
zle -N write_words
bindkey '^X' write_words
"""


def zsh_completes(settings: str, home: Path, typed: str) -> list[str]:
    """Return the words of the command line of an interactive zsh after some typing and Tab;
    `settings` are the lines of its .zshrc, and `home` is its home and working folder."""
    (home / ".zshrc").write_text(f"{settings}\n{ZSH_SETTINGS}", "utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home), "ZDOTDIR": str(home), "PATH": path}
    controller, terminal = pty.openpty()
    try:
        os.write(controller, f"{typed}\t\x18".encode())
        subprocess.run(
            ["zsh", "-d", "-i"],
            cwd=home,
            env={**environment, "TERM": "dumb"},
            stdin=terminal,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    finally:
        os.close(controller)
        os.close(terminal)
    return (home / "words").read_text("utf-8").splitlines()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(
    "typed",
    ["O", r"O\'", r"O\'Brien\'s\ ", '"O', "'O"],
    ids=["a letter", "an apostrophe", "a blank", "an open quotation mark", "an open apostrophe"],
)
def test_zsh_takes_every_title_as_one_word_and_runs_none_of_it(
    oddly_titled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.setenv("SCHOLAR_HOME", str(oddly_titled))
    settings = 'autoload -Uz compinit; compinit -u -D; eval "$(scholar completion show zsh)"'
    words = zsh_completes(settings, tmp_path, f"scholar find 'a claim' -b {typed}")
    assert words == ["scholar", "find", "a claim", "-b", TITLE]
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_from_the_first_tab_once_the_script_is_installed(
    scholar: Scholar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".zshrc").write_text("# my own\n")
    succeeded(scholar("completion", "install", "zsh"))
    settings = (tmp_path / ".zshrc").read_text("utf-8")
    assert settings.startswith("# my own\n")
    settings = settings.replace("; compinit", "; compinit -u")
    assert zsh_completes(settings, tmp_path, "scholar col") == ["scholar", "collection"]
