"""Write the keyboard reference, docs/keys.md, from the bindings of the screen.

.venv/bin/python docs/keys.py
"""

from __future__ import annotations

from pathlib import Path

from scholar_tui import key_reference

if __name__ == "__main__":
    Path(__file__).with_name("keys.md").write_text(key_reference.reference(), "utf-8")
