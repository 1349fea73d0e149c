"""Write the command references docs/commands.md and docs/laboratory.md, and the manual page
docs/scholar.1.

.venv/bin/python docs/commands.py
"""

from __future__ import annotations

from pathlib import Path

from scholar_cli import command_reference, man_page
from scholar_cli.laboratory.main import LaboratoryGroup

PAGES = {
    "commands.md": lambda: command_reference.reference("Commands"),
    "laboratory.md": lambda: command_reference.reference(
        "Commands of the laboratory", LaboratoryGroup
    ),
    "scholar.1": man_page.page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), "utf-8")
