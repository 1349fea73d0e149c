"""The user's own corrections and descriptions, as a backup counts them."""

from __future__ import annotations

from scholar_indexes.attribution.corrections.store import CorrectionStore
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.errors import Damaged
from scholar_indexes.paths import Paths


def inspect(places: Paths) -> tuple[dict[str, int], list[str]]:
    """Return the numbers of corrections and of descriptions, and a line for each damaged file,
    which is not counted."""
    store = CorrectionStore(places.corrections)
    counts = {"corrections": 0, "descriptions": 0}
    damaged = []
    for book_id in store.book_ids():
        try:
            counts["corrections"] += len(store.load(book_id))
        except Damaged as damage:
            damaged.append(str(damage))
    for path in sorted(places.descriptions.glob("*.jsonl")):
        try:
            counts["descriptions"] += sum(len(who.descriptions) for who in bank.load_file(path))
        except Damaged as damage:
            damaged.append(str(damage))
    return counts, damaged
