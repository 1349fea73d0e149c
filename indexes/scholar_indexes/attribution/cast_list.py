"""The list of persons of a play, which gives abbreviated headings their full names."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from scholar_indexes.coreference.mentions import name_words
from scholar_indexes.lexicon import person_nouns
from scholar_indexes.types import Span

LONGEST_LIST = 10_000
"""The maximum length of a list of persons, in characters."""

MOST_NAMES = 300
"""The maximum number of names read from a list."""

_LIST = re.compile(
    r"^[ \t_*]*(?:DRAMATIS PERSON(?:AE|Æ)|(?:THE )?PERSONS (?:REPRESENTED|(?:OF|IN) THE \w+)"
    r"|(?:THE )?CHARACTERS(?: (?:OF|IN) THE \w+)?)[ \t.:_*]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LIST_END = re.compile(r"^[ \t_]*(?:ACT|SCENE|PROLOGUE|INDUCTION)\b", re.IGNORECASE | re.MULTILINE)
_WORD = r"[A-Z][\w'’-]*+(?<!['’]s)"
_NAME = re.compile(
    r"^[ \t_]*(?:(?:An?|AN|The|THE) )?"
    rf"({_WORD}(?: (?:(?:of|the|of the|de|du|and) )?{_WORD})*)",
    re.MULTILINE,
)
_AFTER_ALL = chr(sys.maxunicode)
_CAPITALISED = re.compile(r"\b[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class CastList:
    """The names in a play's list of persons, and the folded words for other people in it."""

    names: Sequence[str] = ()
    other_words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FullName:
    """A name in the list of persons ("Duke of Cornwall"), and the words of it that a heading
    abbreviates ("Cornwall")."""

    name: str
    short_name: str


def read_cast_list(text: str, bodies: Sequence[Span] = ()) -> CastList:
    """Return the list of persons of a play, empty if there is none. Groups such as "Servants" are
    not among its names. It ends at the first act or scene, or where the next body begins."""
    start = _LIST.search(text)
    if start is None:
        return CastList()
    limit = min(
        start.end() + LONGEST_LIST,
        *(body.start for body in bodies if body.start >= start.end()),
        len(text),
    )
    end = _LIST_END.search(text, start.end(), limit)
    lines = text[start.end() : end.start() if end else limit]
    listed = islice(dict.fromkeys(_listed_names(lines)), MOST_NAMES)
    names = [name for name in listed if not _is_group(name)]
    words = {word for name in names for word in name_words(name)}
    plurals = {f"{word}s" for word in words}
    others = {word for word in name_words(lines) if word in person_nouns.PERSONS}
    others.update(*map(name_words, _CAPITALISED.findall(lines)))
    return CastList(names, frozenset(others - words - plurals))


def _listed_names(lines: str) -> Iterator[str]:
    """Yield the names that begin the lines of a list; words in capitals are capitalized."""
    for match in _NAME.finditer(lines):
        for name in re.split(" and ", match[1], flags=re.IGNORECASE):
            yield " ".join(word.capitalize() if word.isupper() else word for word in name.split())


def _is_group(name: str) -> bool:
    return any(
        word.endswith("s") and word[:-1] in person_nouns.PERSONS for word in name_words(name)
    )


def expand_headings(headings: Sequence[str], cast_list: CastList) -> Mapping[str, FullName]:
    """Return the full names of the headings that abbreviate exactly one name of a list.

    If the longer of two headings abbreviates one of two names, the shorter means the other:
    "Cor." is Cordelia next to "Corn.", the Duke of Cornwall. A heading with the words in full has
    the name of the heading that abbreviates them.
    """
    words = _places_of_words(cast_list)
    matches = {heading: _find_names(heading, cast_list, words) for heading in headings}
    full_names = {heading: names[0] for heading, names in matches.items() if len(names) == 1}
    cut_short = defaultdict(list)
    for heading, full_name in full_names.items():
        cut_short[full_name.name].append(heading)
    for heading, names in matches.items():
        others = [
            full_name
            for full_name in names
            if not any(longer.startswith(heading) for longer in cut_short[full_name.name])
        ]
        if len(names) > 1 and len(others) == 1:
            full_names[heading] = others[0]
    in_full = {full_name.short_name: full_name for full_name in full_names.values()}
    return full_names | {heading: in_full[heading] for heading in headings if heading in in_full}


def _places_of_words(cast_list: CastList) -> list[tuple[str, int, int]]:
    """Return the words of the names, sorted, each with its name's number and its position there."""
    return sorted(
        (word, number, place)
        for number, name in enumerate(cast_list.names)
        for place, word in enumerate(name.split())
    )


def _find_names(
    heading: str, cast_list: CastList, sorted_words: Sequence[tuple[str, int, int]]
) -> list[FullName]:
    """Return the names that a heading abbreviates; none if it has words of a name in full, or may
    abbreviate another word of the list: "Arch" next to an archbishop."""
    *whole, last = heading.split()
    full_names: dict[str, FullName] = {}
    first = bisect_left(sorted_words, (last,))
    end = bisect_left(sorted_words, (f"{last}{_AFTER_ALL}",))
    for word, number, place in sorted_words[first:end]:
        name = cast_list.names[number]
        words = name.split()[max(0, place - len(whole)) : place + 1]
        if words[:-1] != whole:
            continue
        if word in (last, f"{last}s"):
            return []
        full_names.setdefault(name, FullName(name, " ".join(words)))
    if not full_names or whole:
        return list(full_names.values())
    is_other = any(word.startswith(last.lower()) for word in cast_list.other_words)
    return [] if is_other else list(full_names.values())
