"""The page of the packaged models, as Markdown, generated from their cards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HEADING = """# Models

The models that come with scholar, from their cards (`card.json` next to the weights; written by
`docs/model_cards.py`). `scholar models list` shows the models on your machine, `scholar models
show` the whole card: also how a model was trained, its scores and the hash of its weights.
`scholar models verify` compares the files with their hashes.
"""

_FIELDS = {
    "summary": "what it does",
    "limits": "limits",
    "licence": "licence",
    "use": "commercial use",
    "source": "source",
    "trained_on": "trained on",
    "made_by": "made by",
    "precision": "precision",
    "scores": "scores",
    "weights_sha256": "SHA-256 of the weights",
}
_ON_PAGE = {"summary", "limits", "licence", "use", "source", "trained_on"}


def page(*folders: Path) -> str:
    """Return the page of the models in the given folders."""
    cards = (card for folder in folders for card in sorted(folder.glob("*/card.json")))
    return "\n".join((HEADING, *(_entry(json.loads(card.read_text("utf-8"))) for card in cards)))


def fields(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a card that readers see, by their labels."""
    return {words: card[name] for name, words in _FIELDS.items() if name in card}


def _entry(card: Mapping[str, Any]) -> str:
    shown = ((words, card[name]) for name, words in _FIELDS.items() if name in _ON_PAGE & set(card))
    rows = [f"- **{words}**: {' '.join(text.split())}" for words, text in shown]
    return "\n".join((f"## {card['name']}", "", *rows, ""))
