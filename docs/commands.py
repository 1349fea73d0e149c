"""Write the reference of the commands, docs/commands.md.

.venv/bin/python docs/commands.py
"""

from __future__ import annotations

from pathlib import Path

from scholar_cli import command_reference

if __name__ == "__main__":
    Path(__file__).with_name("commands.md").write_text(command_reference.reference(), "utf-8")
