"""The libraries of the torture, the commands that change them, and the commands that show them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_line import DIALOGUE_BOOK, make_book_text
from forked_commands import ForkedCommands, Outcome

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"

BOOKS = ("books", "list", "--json")
FIND = ("find", "the widow asked", "--mode", "lexical", "-n", "30", "--json")
DOCTOR = ("doctor", "--json")
SPEAKERS = ("speakers", "quay", "--json")
SHOW = ("show", "own-the-lamp:1.2", "--json")
COLLECTION = ("collection", "show", "hope", "--json")
CORRECTIONS = ("characters", "quay", "--corrections", "--json")
STATS = ("quiz", "stats", "--json")
QUIZ_BOOKS = ("quiz", "books", "--json")
PAPERS_LIST = ("papers", "list", "--json")
PAPERS_FIND = ("papers", "find", "networks that compare signatures", "--json")
CONFIG = ("config", "show", "--json")

RENAMED = '[[rename]]\nname = "Mr. Hale"\nto = "Edward Hale"\nnote = "his letters"\n'
MERGED = '[[merge]]\nnames = ["Mr. Hale", "Elizabeth Marsh"]\n'
CONFIGURATION = 'threads = 1\noffline = true\nrerank = "none"\n'
AUTHOR = ("--author", "Ann Example", "--language", "en")
DESCRIPTIONS = "character,level,description\nMr. Hale,1,the one who burns a letter\n"

Line = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that changes a library.

    `base` is the library it runs in; `probes` are command lines that show its changes; `changes`
    are the prefixes of the paths, under the home, that it may change. A command that is not
    repeatable is refused, or does more, when it runs a second time; the work of a stepwise
    command may be left half done.
    """

    name: str
    base: str
    line: Line
    probes: tuple[Line, ...]
    changes: tuple[str, ...]
    repeatable: bool = True
    stepwise: bool = False


BOOK_FILES = ("data/catalog.sqlite", "data/books", "data/index.lance", "data/write.lock")
PAPER_FILES = ("data/papers",)


class Libraries:
    """Homes by name, built once in a folder, and the sources that commands read."""

    def __init__(self, folder: Path, forked: ForkedCommands) -> None:
        self.folder, self.forked = folder, forked
        self.homes: dict[str, Path] = {}
        self.sources = folder / "sources"
        self.sources.mkdir(parents=True)
        texts = {
            "quay.txt": DIALOGUE_BOOK,
            "lamp.txt": make_book_text("lamp", 1, 4),
            "changed.txt": make_book_text("lantern", 1, 4),
            "ferry.txt": make_book_text("ferryman", 1, 4),
            "renamed.toml": RENAMED,
            "merged.toml": MERGED,
            "descriptions.csv": DESCRIPTIONS,
        }
        for name, text in texts.items():
            (self.sources / name).write_text(text, "utf-8")
        papers = PAPERS.read_text("utf-8").splitlines(keepends=True)
        (self.sources / "papers.jsonl").write_text("".join(papers[:3]), "utf-8")
        (self.sources / "more.jsonl").write_text("".join(papers[3:5]), "utf-8")

    def home(self, name: str) -> Path:
        """Return a home, which must not be written to."""
        if name not in self.homes:
            makers: Mapping[str, Callable[[Path], None]] = {
                "empty": self._make_empty,
                "one book": self._make_one_book,
                "filled": self._make_filled,
                "without index": self._make_without_index,
                "without list": self._make_without_list,
                "empty, with a backup": self._make_backup,
                "one book, with a backup": self._make_backup_of_more,
            }
            made = self.folder / "libraries" / name.replace(" ", "-")
            makers[name](made)
            self.homes[name] = made
        return self.homes[name]

    def copy(self, name: str, target: Path) -> Path:
        """Copy a home to a folder, which is replaced, and return it."""
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.home(name), target)
        return target

    def commands(self) -> list[Command]:
        """Return the commands to torture."""
        source = self.sources
        lamp = ("--title", "The Lamp", "--author", "Ann Example")
        books = (BOOKS, FIND)
        return [
            Command(
                "add",
                "filled",
                ("add", str(source / "ferry.txt"), "--title", "The Ferryman", "--json"),
                books,
                BOOK_FILES,
            ),
            Command(
                "add to an empty library",
                "empty",
                ("add", str(source / "ferry.txt"), "--title", "The Ferryman", "--json"),
                books,
                ("data",),
            ),
            Command(
                "add --refresh",
                "filled",
                ("add", str(source / "changed.txt"), *lamp, "--refresh", "--json"),
                books,
                BOOK_FILES,
            ),
            Command(
                "books remove",
                "filled",
                ("books", "remove", "own-the-lamp"),
                books,
                BOOK_FILES,
                repeatable=False,
            ),
            Command(
                "index rebuild",
                "without index",
                ("index", "rebuild"),
                books,
                BOOK_FILES,
            ),
            Command(
                "index rebuild --afresh",
                "filled",
                ("index", "rebuild", "--afresh"),
                books,
                BOOK_FILES,
            ),
            Command("index optimize", "filled", ("index", "optimize"), books, BOOK_FILES),
            Command(
                "doctor --repair",
                "without list",
                ("doctor", "--repair"),
                books,
                (*BOOK_FILES, *PAPER_FILES),
                stepwise=True,
            ),
            Command(
                "speakers",
                "filled",
                ("speakers", "lamp", "--json"),
                (("speakers", "lamp", "--json"),),
                ("data/books",),
            ),
            Command(
                "corrections",
                "filled",
                ("characters", "quay", "--import", str(source / "merged.toml")),
                (CORRECTIONS,),
                ("data/corrections", "data/books", "data/write.lock"),
            ),
            Command(
                "corrections undone",
                "filled",
                ("characters", "quay", "--undo", "1"),
                (CORRECTIONS,),
                ("data/corrections", "data/books", "data/write.lock"),
                repeatable=False,
            ),
            Command(
                "quiz grade",
                "filled",
                ("quiz", "grade", str(source / "questions.json"), str(source / "second.jsonl")),
                (STATS,),
                ("data/quiz.sqlite",),
                repeatable=False,
            ),
            Command(
                "quiz import",
                "one book",
                (
                    "quiz",
                    "import",
                    str(source / "descriptions.csv"),
                    "-b",
                    "own-the-lamp",
                    "--replace",
                ),
                (QUIZ_BOOKS,),
                ("data/descriptions",),
            ),
            Command(
                "collection add",
                "one book",
                ("collection", "add", "hope", "own-the-lamp:1.2:0-40", "--note", "second"),
                (COLLECTION,),
                ("data/desk.sqlite",),
            ),
            Command(
                "collection remove",
                "one book",
                ("collection", "remove", "hope", "own-the-lamp:1.1:0-30"),
                (COLLECTION,),
                ("data/desk.sqlite",),
                repeatable=False,
            ),
            Command(
                "papers add",
                "filled",
                ("papers", "add", str(source / "more.jsonl")),
                (PAPERS_LIST, PAPERS_FIND),
                PAPER_FILES,
            ),
            Command(
                "papers remove",
                "filled",
                ("papers", "remove", "key:1001"),
                (PAPERS_LIST, PAPERS_FIND),
                PAPER_FILES,
                repeatable=False,
            ),
            Command(
                "backup",
                "filled",
                ("backup", str(source / "library.tar.gz")),
                (("backup", "--check", str(source / "library.tar.gz"), "--json"), *books),
                ("data/backup.lock", "data/write.lock", "data/papers"),
            ),
            Command(
                "restore",
                "empty, with a backup",
                ("restore", str(source / "filled.tar.gz")),
                (*books, COLLECTION, PAPERS_LIST),
                ("data",),
                repeatable=False,
            ),
            Command(
                "restore --replace",
                "one book, with a backup",
                ("restore", str(source / "filled.tar.gz"), "--replace"),
                (*books, COLLECTION, PAPERS_LIST),
                ("data", "config.toml"),
            ),
        ]

    def _make_empty(self, home: Path) -> None:
        (home / "data").mkdir(parents=True)
        (home / "data" / "sample-added").touch()

    def _make_one_book(self, home: Path) -> None:
        self._make_empty(home)
        (home / "config.toml").write_text(CONFIGURATION, "utf-8")
        self._run(
            home,
            ("add", str(self.sources / "lamp.txt"), "--title", "The Lamp", *AUTHOR),
            ("collection", "add", "hope", "own-the-lamp:1.1:0-30", "--note", "first"),
        )

    def _make_filled(self, home: Path) -> None:
        self.copy("one book", home)
        source = self.sources
        [asked] = self._run(home, ("quiz", "-b", "pg1342", "-n", "2", "--seed", "7", "--json"))
        (source / "questions.json").write_text(asked.stdout, "utf-8")
        for name, question in zip(("first", "second"), asked.json, strict=True):
            answer = {"question_id": question["question_id"], "answer": question["answer"]}
            (source / f"{name}.jsonl").write_text(json.dumps(answer) + "\n", "utf-8")
        self._run(
            home,
            ("add", str(source / "quay.txt"), "--title", "The Quay", *AUTHOR),
            ("speakers", "quay"),
            ("characters", "quay", "--import", str(source / "renamed.toml")),
            ("quiz", "import", str(source / "descriptions.csv"), "-b", "own-the-quay"),
            ("quiz", "grade", str(source / "questions.json"), str(source / "first.jsonl")),
            ("papers", "add", str(source / "papers.jsonl")),
            FIND,
        )

    def _make_without_index(self, home: Path) -> None:
        self.copy("filled", home)
        shutil.rmtree(home / "data" / "index.lance")

    def _make_without_list(self, home: Path) -> None:
        self.copy("filled", home)
        for path in (home / "data").glob("catalog.sqlite*"):
            path.unlink()

    def _make_backup(self, home: Path) -> None:
        backed_up = self.copy("filled", self.folder / "backed-up")
        self._run(backed_up, ("backup", str(self.sources / "filled.tar.gz")))
        self._make_empty(home)

    def _make_backup_of_more(self, home: Path) -> None:
        self.home("empty, with a backup")
        self.copy("one book", home)

    def _run(self, home: Path, *lines: Sequence[str]) -> list[Outcome]:
        outcomes = self.forked.run(home, *lines)
        for outcome in outcomes:
            assert outcome.exit_code == 0, outcome.describe()
        return outcomes


def answer_of(outcome: Outcome) -> object:
    """Return the answer of a command, without the parts that differ between runs.

    For passages of `find` these are locator and text: scores depend on rows that an interrupted
    command has left.
    """
    if outcome.exit_code:
        return outcome.exit_code
    if outcome.line == FIND:
        return sorted((hit["locator"], hit["selector"]["exact"]) for hit in outcome.json)
    if outcome.line == PAPERS_FIND:
        return sorted(hit["paper"]["id"] for hit in outcome.json)
    return _timeless(outcome.json)


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        times = ("added", "kept", "made", "archive_bytes", "retention", "source", "number", "score")
        return {name: _timeless(part) for name, part in value.items() if name not in times}
    return [_timeless(part) for part in value] if isinstance(value, list) else value
