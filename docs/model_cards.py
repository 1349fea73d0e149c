"""Write the page of the packaged models, docs/models.md, from their cards.

.venv/bin/python docs/model_cards.py
"""

from __future__ import annotations

from pathlib import Path

from scholar_cli import model_cards
from scholar_indexes.models import registry

ROOT = Path(__file__).parents[1]
FOLDERS = (registry.PACKAGED, ROOT / "indexes/scholar_thorough/scholar_thorough/weights")

if __name__ == "__main__":
    Path(__file__).with_name("models.md").write_text(model_cards.page(*FOLDERS), "utf-8")
