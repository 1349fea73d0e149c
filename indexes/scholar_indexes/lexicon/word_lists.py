"""Load the word lists in lexicon/data.

Each file is a table of tab-separated columns with a header: `word` (folded), `classes` (names of
word classes, separated by spaces) and `gender` (of the person a word means; empty if unknown), and
one more column if a part of speech needs it. A word occurs once in a file. A class may have words
in several files; a new word is one row, a new class one more name in `classes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path

from scholar_indexes.types import Gender

_FOLDER = Path(__file__).parent / "data"
_TABLES = (
    "adjectives",
    "capitalised",
    "function_words",
    "nouns",
    "person_nouns",
    "speech_verbs",
    "titles",
    "verbs",
)


def words_of(*classes: str, gender: Gender | None = None) -> frozenset[str]:
    """Return the words in any of the classes, optionally of one gender only.

    Raises KeyError for a class that no word has.
    """
    by_class, by_gender = _lexicon()
    members = frozenset().union(*(by_class[name] for name in classes))
    return members if gender is None else members & by_gender[gender]


def rows(table: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a file of lexicon/data by column."""
    header, *lines = (_FOLDER / f"{table}.tsv").read_text("utf-8").splitlines()
    columns = header.split("\t")
    for line in lines:
        yield dict(zip(columns, line.split("\t"), strict=True))


@cache
def column(table: str, name: str) -> Mapping[str, str]:
    """Return the non-empty values of a column of a table, by word."""
    return {row["word"]: row[name] for row in rows(table) if row[name]}


@cache
def _lexicon() -> tuple[Mapping[str, frozenset[str]], Mapping[Gender, frozenset[str]]]:
    """Return the words of all tables by class and by gender."""
    by_class: dict[str, set[str]] = {}
    by_gender: dict[Gender, set[str]] = {}
    for row in chain.from_iterable(map(rows, _TABLES)):
        for name in row["classes"].split():
            by_class.setdefault(name, set()).add(row["word"])
        if row["gender"]:
            by_gender.setdefault(Gender(row["gender"]), set()).add(row["word"])
    return (
        {name: frozenset(words) for name, words in by_class.items()},
        {gender: frozenset(words) for gender, words in by_gender.items()},
    )
