"""A library with data of every stored kind: two books that are nearly the same, and the data of
a user."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from command_line import DIALOGUE_BOOK, invoke, succeeded
from libraries import add_book

CORRECTION = '[[rename]]\nname = "Mr. Hale"\nto = "Edward Hale"\nnote = "his letters"\n'
ANOTHER = '[[gender]]\nname = "Elizabeth Marsh"\ngender = "female"\n'

DESCRIPTIONS = "character,level,description\nMr. Hale,1,He burnt a letter and does not repent.\n"

ASHORE = "Because nobody had told me to go home, Mr. Hale, and I had nowhere else to be"
"""Words of the first book; the second one has "no friend" for "nobody"."""

PIER_BOOK = DIALOGUE_BOOK.replace("quay", "pier").replace("nobody had told", "no friend had told")


def fill(home: Path, papers: Path, folder: Path) -> None:
    """Add to a home that has the first book: the second, papers of another home, corrections, a
    note, an answer, descriptions, and the people of each sentence; `folder` is for input files."""
    for path in (papers / "data").glob("papers.*"):
        copy = shutil.copytree if path.is_dir() else shutil.copyfile
        copy(path, home / "data" / path.name)
    add_book(home, folder / "pier.txt", PIER_BOOK, "The Pier")
    for corrections in (CORRECTION, CORRECTION + ANOTHER):
        succeeded(invoke("characters", "quay", "--import", "-", stdin=corrections))
    for book in ("quay", "pier"):
        note = ("--note", "for the conclusion")
        succeeded(invoke("collection", "add", "hope", f"own-the-{book}:1.1", *note))
    (folder / "described.csv").write_text(DESCRIPTIONS, "utf-8")
    succeeded(invoke("quiz", "import", str(folder / "described.csv"), "-b", "quay"))
    asked = succeeded(invoke("quiz", "-b", "pride", "-n", "1", "--seed", "1", "--json"))
    (folder / "asked.json").write_text(asked.stdout, "utf-8")
    wrong = json.dumps({"question_id": asked.json[0]["question_id"], "answer": None})
    succeeded(invoke("quiz", "grade", str(folder / "asked.json"), stdin=wrong))
    succeeded(invoke("index", "people"))
