"""Small novels in PDNC's form, written for the tests."""

from __future__ import annotations

import csv
import random
from pathlib import Path

CAST = (
    ("Ann Marsh", ("Ann", "Miss Marsh"), "F", "major"),
    ("Ben Hale", ("Ben", "Mr. Hale"), "M", "major"),
    ("Cora Finch", ("Cora", "Mrs. Finch"), "F", "minor"),
)
WORDS = ("the", "ship", "left", "and", "it", "was", "rain", "on", "house", "sea", "fell", "why")

TEXT = """Chapter 1

"It was rain," said Ann, "and the sea."

"Why?" said Ben.

"The ship left," said Ann to Cora. Cora wept.

"Yes," said she.
"""
QUOTES = (
    (("It was rain,", "and the sea."), "Ann Marsh", "Explicit"),
    (("Why?",), "Ben", "Explicit"),
    (("The ship left,",), "Miss Marsh", "Explicit"),
    (("Yes,",), "Cora Finch", "Anaphoric"),
)


def write(folder: Path, text: str = TEXT, quotes: object = QUOTES, cast: object = CAST) -> Path:
    """Write a novel's folder; each piece is its first occurrence after the previous piece."""
    folder.mkdir(parents=True)
    (folder / "novel_text.txt").write_text(text, "utf-8")
    with (folder / "quotation_info.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["quoteID", "quoteText", "quoteByteSpans", "speaker", "quoteType"])
        at = 0
        for number, (pieces, speaker, kind) in enumerate(quotes):  # type: ignore[arg-type,var-annotated]
            spans = []
            for piece in pieces:
                start = text.index(f'"{piece}"', at) + 1
                at = start + len(piece) + 1
                spans.append([start, start + len(piece)])
            rows.writerow([f"Q{number}", " ".join(pieces), str(spans), speaker, kind])
    with (folder / "character_info.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Character ID", "Main Name", "Aliases", "Gender", "Category"])
        for number, (name, aliases, gender, category) in enumerate(cast):  # type: ignore[arg-type,var-annotated]
            rows.writerow([number, name, repr({name, *aliases}), gender, category])
        rows.writerow([99, "_group", "['_group']", "X", "minor"])
    return folder


def talk(folder: Path, seed: int, quotations: int = 30) -> Path:
    """Write a novel of many short quotations, spoken by the characters in random turns."""
    draw = random.Random(seed)
    paragraphs, quotes = [], []
    for _ in range(quotations):
        name, aliases, *_ = draw.choice(CAST)
        words = " ".join(draw.choices(WORDS, k=4)) + ","
        paragraphs.append(f'"{words}" said {draw.choice(aliases)}. It fell on the house.')
        quotes.append(((words,), name, "Explicit"))
    return write(folder, "\n\n".join(paragraphs) + "\n", quotes)


def talks(folder: Path) -> Path:
    """Write three novels of short quotations, One, Two and Three; return the folder."""
    for seed, name in enumerate(("One", "Two", "Three")):
        talk(folder / name, seed)
    return folder
