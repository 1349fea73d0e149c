"""Draw the README's picture: a real question to the bundled books, as a terminal shows it.

.venv/bin/python docs/picture.py        writes docs/find.svg
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

CLAIM = "the green light stands for a longing that cannot be fulfilled"
COLUMNS = 100


def on_a_terminal(*command: str, home: str) -> str:
    """Return the output of a command on a terminal of COLUMNS columns."""
    scholar = str(Path(sys.executable).with_name("scholar"))
    size = {"COLUMNS": str(COLUMNS), "LINES": "40", "TERM": "xterm-256color"}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [scholar, *command], stdout=theirs, env={**os.environ, **size, "SCHOLAR_HOME": home}
    )
    os.close(theirs)
    shown = bytearray()
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # a pty ends this way on Linux
        pass
    process.wait()
    return shown.decode().replace("\r\n", "\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        on_a_terminal("demo", home=home)
        command = ["find", CLAIM, "-b", "gatsby", "-n", "2", "--context", "1"]
        answer = on_a_terminal(*command, home=home)
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(Text(f'$ scholar find "{CLAIM}" -b gatsby -n 2\n', style="bold"), soft_wrap=True)
    console.print(Text.from_ansi(answer), soft_wrap=True)
    console.save_svg(str(Path(__file__).with_name("find.svg")), title="scholar")
