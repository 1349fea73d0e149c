"""The commands of the README and of the tour, and a small library and files to run them with.

The tour is the first page of the documentation. The books are the bundled novels, abridged to all
headings, the beginning of most chapters, and the beginning of each paragraph of the chapters that
the tour quotes. So every locator in the pages is valid in them, at a twentieth of the time.
"""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from pathlib import Path

from command_line import make_book_text
from gutenberg_feed import BOOKS, FEED, catalog
from scholar_indexes.books import samples

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "index.md")

FIRST_WORDS = ("scholar", "make", "echo", "while")
"""The first words of the lines of a block that are commands; other lines are output."""

NOT_RUN = {
    "make demo": "it installs; tests/test_makefile.py has what it does",
    "make test": "it runs these tests",
    'scholar find "pride before a fall" --format plain'
    " | fzf --delimiter '\\t' --preview 'scholar show {1}' | cut -f1 | xargs scholar cite": (
        "it waits for a choice"
    ),
}
"""Commands that no test runs, and why."""

SUBSTITUTES = {
    "scholar papers fetch arxiv:1810.04805 --references": "scholar papers add fetched.jsonl",
}
"""The substitutes of commands that need a network service. The books and the catalogue come from a
mirror on the loopback, so their commands are run unchanged."""

TITLES = {
    64317: ("The Great Gatsby", "F. Scott Fitzgerald"),
    1342: ("Pride and Prejudice", "Jane Austen"),
    84: ("Frankenstein; Or, The Modern Prometheus", "Mary Wollstonecraft Shelley"),
}
_HEADING = re.compile(r"\s*(?:(?:Chapter|Letter) \d+|[IVX]+)\s*", re.IGNORECASE)
_SENTENCE = re.compile(r"(.{40,}?[.!?;][”’_]*)(?:\s.*)?", re.DOTALL)
_QUOTED = {
    64317: (
        {"IX"},
        ("beautiful little fool", "So we beat on", "green light", "a good deal, old sport"),
    ),
    1342: ({"CHAPTER 1", "CHAPTER 56"}, ("elopement with her",)),
    84: ({"CHAPTER 5", "CHAPTER 9", "CHAPTER 11"}, ("Remorse extinguished", "the monster")),
}
"""The chapters that the tour quotes, and words of the paragraphs that it quotes whole."""


def abridged(number: int, text: str) -> str:
    """Return a bundled novel with its headings and the beginnings of its paragraphs."""
    chapters, whole = _QUOTED[number]
    kept: list[str] = []
    heading, since = "", 0
    for block in re.split(r"\n\n+", text):
        if _HEADING.fullmatch(block):
            heading, since = block.strip().upper(), 0
        elif any(words in " ".join(block.split()) for words in whole):
            pass
        elif heading in chapters or since < 2:
            block = _SENTENCE.sub(r"\1", block, count=1)
        else:
            continue
        kept.append(block)
        since += 1
    return "\n\n".join(kept) + "\n"


def commands() -> list[str]:
    """Return the commands in the blocks of code of the pages, each once and on one line."""
    shown_commands: list[str] = []
    lines = iter(_text().splitlines())
    for line in lines:
        shown = re.match(r"    (\$ )?(?=(\S+))", line)
        if not shown or not (shown[1] or shown[2] in FIRST_WORDS):
            continue
        command = line[shown.end() :]
        while command.endswith("\\"):
            command = command[:-1] + next(lines).strip()
        shown_commands.append(command)
    return list(dict.fromkeys(shown_commands))


def _text() -> str:
    return "\n\n".join(page.read_text("utf-8") for page in PAGES)


def runnable() -> list[str]:
    """Return the commands that are run, with their substitutes."""
    whole = [SUBSTITUTES.get(command, command) for command in commands()]
    return [one for one in whole if one.partition("#")[0].strip() not in NOT_RUN]


def inline_commands() -> dict[str, str]:
    """Return the commands within paragraphs of the pages, each with its paragraph."""
    paragraphs = re.split(r"\n\s*\n", _text())
    return {
        command: paragraph
        for paragraph in paragraphs
        if not paragraph.startswith("    ")
        for command in re.findall(r"`(scholar [^`]+)`", paragraph)
    }


def lay_out(folder: Path) -> dict[str, str]:
    """Write the files that the commands read into the folder in which they are run, and return the
    environment variables for them; its folder `mirror` is laid out as a mirror."""
    mirror, user = folder / "mirror", folder / "user"
    for sample in samples.bundled():
        title, author = TITLES[sample.gutenberg_id]
        text = abridged(sample.gutenberg_id, samples.read(sample).decode("utf-8"))
        _put_book(mirror, sample.gutenberg_id, f"Title: {title}\nAuthor: {author}\n\n\n{text}")
    for number, name in ((2701, "whaler"), (158, "matchmaker"), (1, "detective")):
        text = make_book_text(name, 1, 3)
        _put_book(mirror, number, f"Title: The {name.title()}\nAuthor: Eve Third\n\n\n{text}")
    feed = mirror / FEED.lstrip("/")
    feed.parent.mkdir(parents=True)
    wanted = (
        "1|Text|1999-01-01|The Detective|en|Third, Eve|Detective and mystery stories|PS",
        "541|Text|1996-06-01|The Age of Innocence|en|Wharton, Edith, 1862-1937|New York|PS",
    )
    feed.write_bytes(gzip.compress(catalog(*BOOKS, *wanted)))
    _put_epub(folder / "novel.epub")
    (folder / "claims.txt").write_text("the green light is hope\nmoney corrupts\n", "utf-8")
    (folder / "essay.md").write_text('It ends: "So we beat on, boats".\n', "utf-8")
    (folder / "fetched.jsonl").write_text(json.dumps(_FETCHED) + "\n", "utf-8")
    (folder / "tests").symlink_to(ROOT / "tests")
    (user / "Zotero").mkdir(parents=True)
    (user / "Zotero" / "mine.bib").write_text(_BIBTEX, "utf-8")
    return {
        "HOME": str(user),
        "SCHOLAR_PAUSE_S": "0",
        "VISUAL": "true",  # an editor that leaves the file unchanged
    }


def _put_book(mirror: Path, number: int, text: str) -> None:
    folders = "/".join(str(number)[:-1]) or "0"
    path = mirror / folders / str(number) / f"{number}-0.txt"
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")


def _put_epub(path: Path) -> None:
    paragraphs = (f"<p>{part}</p>" for part in make_book_text("weaver", 1, 3).split("\n\n")[1:])
    chapter = f"<h1>Chapter 1</h1>{''.join(paragraphs)}"
    page = f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{chapter}</body></html>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", _CONTAINER)
        archive.writestr("book.opf", _PACKAGE)
        archive.writestr("one.xhtml", page)


_CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>"""
_PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Weaver</dc:title>
<dc:language>en</dc:language></metadata>
<manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="one"/></spine></package>"""
_BIBTEX = """@article{lamps, title = {Lamps That Count Moths}, author = {Example, Ann},
year = {2018}, abstract = {Moths are counted by hand. We count them with a lamp.}}
"""
_FETCHED = {
    "paper_id": "arxiv:1810.04805",
    "title": "A Language Model That Reads in Both Directions",
    "year": 2018,
    "abstract": [
        "Language models read from left to right.",
        "We pretrain a model that reads both sides of a word.",
        "It needs one more layer for each task.",
        "It does better on eleven tasks.",
    ],
}
