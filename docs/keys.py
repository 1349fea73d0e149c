"""Write the keyboard reference, docs/keys.md, from the bindings of the screen.

.venv/bin/python docs/keys.py
"""

from __future__ import annotations

from pathlib import Path

from scholar_tui import keys

if __name__ == "__main__":
    Path(__file__).with_name("keys.md").write_text(keys.reference(), "utf-8")
