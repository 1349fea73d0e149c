"""Write the reference of the commands, docs/commands.md, and the manual page, docs/scholar.1.

.venv/bin/python docs/commands.py
"""

from __future__ import annotations

from pathlib import Path

from scholar_cli import command_reference, man_page

if __name__ == "__main__":
    here = Path(__file__)
    here.with_name("commands.md").write_text(command_reference.reference(), "utf-8")
    here.with_name("scholar.1").write_text(man_page.page(), "utf-8")
