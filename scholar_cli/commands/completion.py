"""scholar completion: shell completion of commands, options, books and characters."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

# Typer has no public name for these; pyproject.toml bounds its version.
from typer._completion_shared import get_completion_script
from typer._completion_shared import install as install_script

from scholar_cli import render
from scholar_cli.commands import common

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)

PROGRAM, VARIABLE = "scholar", "_SCHOLAR_COMPLETE"

_RETURN = "    return 0\n"
_QUOTE_IN_BASH = r"""
    # bash does not quote names of several words, nor characters with a meaning inside an open
    # quotation mark, such as those of a command in a title
    if [[ ${#COMPREPLY[@]} -gt 0 ]]; then
        local escape=
        case ${COMP_WORDS[COMP_CWORD]} in
            \"*) escape='s/[\\"$`]/\\&/g' ;;
            \'*) escape="s/'/'\\\\''/g" ;;
        esac
        if [[ $escape ]]; then
            mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | sed "$escape")
        else
            mapfile -t COMPREPLY < <(printf '%q\n' "${COMPREPLY[@]}")
        fi
    fi
"""


_ZSH = r"""#compdef scholar

# Typer's own script has zsh evaluate the completions, which loses quotation marks in names and
# runs commands in titles; here each is a line, with a tab before its description.
_scholar_completion() {
    local line
    local -a typed names lines
    typed=("${(@qq)${(@Q)words[1,CURRENT-1]}}" "${(qq)${(Q)PREFIX}}")
    for line in "${(@f)$(env _TYPER_COMPLETE_ARGS="${typed[*]}" \
            _TYPER_COMPLETE_FISH_ACTION=get-args _SCHOLAR_COMPLETE=complete_fish scholar)}"; do
        [[ -n $line ]] || continue
        names+=("${line%%$'\t'*}")
        lines+=("${line/$'\t'/  -- }")
    done
    if (( ! ${#names} )); then
        _files
    elif [[ "${lines[*]}" == "${names[*]}" ]]; then
        compadd -a names
    else
        compadd -l -d lines -a names
    fi
}

if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _scholar_completion "$@"
else
    compdef _scholar_completion scholar
fi"""


class Shell(StrEnum):
    """The supported shells."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


ShellArgument = Annotated[Shell, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")]


@app.callback()
def completion() -> None:
    """Set up shell completion of commands, options, books and characters.

    Books are completed by id or title; --speaker and --about from the books named before them on
    the line, if the speakers of these are already known."""


@app.command()
def show(shell: ShellArgument) -> None:
    """Print the script, to save where your shell looks for completions."""
    render.write(_script(shell) + "\n")


@app.command()
def install(shell: ShellArgument) -> None:
    """Install the script for your shell.

    It is written to your home folder, and loaded in your shell's startup file.
    """
    _, path = install_script(shell, PROGRAM, VARIABLE)
    path.write_text(_script(shell), "utf-8")
    common.say(f"wrote {path}; it takes effect in the next {shell} that you open")


def _script(shell: Shell) -> str:
    """Return the script for a shell: Typer's, except for zsh; for bash it also quotes names of
    several words."""
    if shell is Shell.ZSH:
        return _ZSH
    script = get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell)
    if shell is Shell.BASH:
        return script.replace(_RETURN, _QUOTE_IN_BASH.lstrip("\n") + _RETURN)
    return script
