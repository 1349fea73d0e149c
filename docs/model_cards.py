"""Write the page of the packaged models, docs/models.md, from their cards.

.venv/bin/python docs/model_cards.py
"""

from __future__ import annotations

from pathlib import Path

from scholar_cli import model_cards

if __name__ == "__main__":
    Path(__file__).with_name("models.md").write_text(model_cards.page(), "utf-8")
