"""scholar completion: commands, options, books and characters completed by the shell."""

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
    # bash quotes neither names of several words nor, where a quotation mark is open, what has a
    # meaning within it, such as a command that a title names
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

# Typer's own script has zsh evaluate the completions, which loses quotation marks of names and
# runs commands that a title names; here they are lines, a tab before what is said of each.
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
    """The shells that completion is written for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


ShellArgument = Annotated[Shell, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")]


@app.callback()
def completion() -> None:
    """Let the shell complete commands, options, books and characters.

    Books are completed by id or title; --speaker and --about from the books that the line names
    before them, where their speakers were found before."""


@app.command()
def show(shell: ShellArgument) -> None:
    """Print the script, to be kept where your shell looks for completions."""
    render.write(_script(shell) + "\n")


@app.command()
def install(shell: ShellArgument) -> None:
    """Write the script to your home folder, and a line that reads it to your shell's settings."""
    _, path = install_script(shell, PROGRAM, VARIABLE)
    path.write_text(_script(shell), "utf-8")
    common.say(f"{path} is written; it works in the next {shell} that you open")


def _script(shell: Shell) -> str:
    """Return the script for a shell: Typer's but for zsh; that for bash quotes names of several
    words."""
    if shell is Shell.ZSH:
        return _ZSH
    script = get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell)
    if shell is Shell.BASH:
        return script.replace(_RETURN, _QUOTE_IN_BASH.lstrip("\n") + _RETURN)
    return script
