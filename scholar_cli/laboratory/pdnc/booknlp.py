"""Reading of BookNLP's output files (Bamman et al., github.com/booknlp/booknlp).

    NAME.quotes    quote_start, quote_end, mention_phrase, char_id ...: one quotation per line, its
                   first and last token, and the cluster of the speaker
    NAME.tokens    word, byte_onset, byte_offset ...: one token per line, with its position
    NAME.entities  COREF, prop, cat, text ...: one mention per line, with its cluster
    NAME.book      the clusters with their mentions, as JSON; read if there is no NAME.entities

All but the last are tab-separated tables with a header line. The columns of bytes contain
characters, as spaCy counts them; if these do not fit the text, bytes of UTF-8 are tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scholar_cli.laboratory.json_lines import unreadable
from scholar_cli.laboratory.pdnc.cast_names import UNKNOWN, CastNames
from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import read_json, read_text, shown
from scholar_indexes.types import Span

MAX_BYTES = 512 * 1024**2

LEAST_ALIGNED = 0.5
"""The minimum share of tokens at their stated positions for the text to be the same."""

_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})


@dataclass(frozen=True, slots=True)
class BookNlpQuote:
    """The span of a quotation in the text, None if its tokens are not there, and the cluster of
    its speaker, None for no speaker."""

    place: Span | None
    cluster: str | None


@dataclass(frozen=True, slots=True)
class ClusterPhrases:
    """Counts of a cluster's mentions by phrase: names, noun phrases and pronouns."""

    proper: Counter[str] = field(default_factory=Counter)
    common: Counter[str] = field(default_factory=Counter)
    pronouns: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class BookNlpOutput:
    """The quotations of a book, and the phrases of each cluster by its id."""

    quotes: tuple[BookNlpQuote, ...]
    clusters: dict[str, ClusterPhrases]


def read(folder: Path, name: str, text: str) -> BookNlpOutput:
    """Return BookNLP's output for a book under a name; `text` is its input.

    Raises UsageError with the file and the line that cannot be read, and for files of another
    text.
    """
    places = _read_tokens(folder / f"{name}.tokens", text)
    return BookNlpOutput(
        tuple(_read_quotes(folder / f"{name}.quotes", places)), read_clusters(folder, name)
    )


def find_character(phrases: ClusterPhrases, names: CastNames) -> int:
    """Return the index of the annotated character of a cluster: the one that most of its names,
    else most of its noun phrases denote; the narrator if it is mostly "I"; else UNKNOWN."""
    for kind in (phrases.proper, phrases.common):
        if (index := names.most_named(kind)) is not None:
            return index
    first = sum(count for word, count in phrases.pronouns.items() if word in _FIRST_PERSON)
    if names.narrator is not None and 2 * first > phrases.pronouns.total():
        return names.narrator
    return UNKNOWN


def _read_tokens(path: Path, text: str) -> list[Span | None]:
    """Return the span of each token by its number, None for a token that is not there."""
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    columns = ("token_ID_within_document", "word", "byte_onset", "byte_offset")
    for where, (number, word, start, end) in _read_table(path, columns):
        if _whole(where, number) != len(words):
            raise UsageError(
                f"{where}: token {shown(number, 20)} where {len(words)} is expected; "
                "recreate the file with BookNLP"
            )
        words.append(word)
        spans.append((_whole(where, start), _whole(where, end)))
    places = _places(text, words, spans)
    if _count_known(places) < LEAST_ALIGNED * len(words) and not text.isascii():
        places = _places(text, words, _bytes_to_characters(text, spans))
    if _count_known(places) < LEAST_ALIGNED * len(words):
        share = _count_known(places) / len(words)
        raise UsageError(
            f"{path}: only {share:.0%} of its words are at the stated positions in "
            "novel_text.txt; run BookNLP on that file"
        )
    return places


def _places(text: str, words: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[Span | None]:
    return [
        Span(start, end) if start < end and text[start:end] == word else None
        for word, (start, end) in zip(words, spans, strict=True)
    ]


def _count_known(places: Sequence[Span | None]) -> int:
    return sum(place is not None for place in places)


def _bytes_to_characters(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans of bytes of UTF-8 as spans of characters; (0, 0) outside the text."""
    characters: dict[int, int] = {}
    offset = 0
    for index, character in enumerate(text):
        characters[offset] = index
        offset += len(character.encode("utf-8", "replace"))
    characters[offset] = len(text)
    return [(characters.get(start, 0), characters.get(end, 0)) for start, end in spans]


def _read_quotes(path: Path, places: Sequence[Span | None]) -> Iterator[BookNlpQuote]:
    """Yield the quotations of a file."""
    columns = ("quote_start", "quote_end", "char_id")
    for where, (start, end, cluster) in _read_table(path, columns):
        first, last = _whole(where, start), _whole(where, end)
        if last < first:
            raise UsageError(f"{where}: a quotation ends before it begins; fix the line")
        ends = [places[token] if token < len(places) else None for token in (first, last)]
        place = Span(ends[0].start, ends[1].end) if ends[0] and ends[1] else None
        yield BookNlpQuote(place, None if cluster in ("None", "") else cluster)


def read_clusters(folder: Path, name: str) -> dict[str, ClusterPhrases]:
    """Return the phrases of each cluster of people in NAME.entities, else in NAME.book."""
    entities, book = folder / f"{name}.entities", folder / f"{name}.book"
    if not entities.is_file() and not book.is_file():
        raise UsageError(
            f"{folder / f'{name}.quotes'} names clusters, but neither {entities.name} nor "
            f"{book.name}, which describe them, is next to it; put one of them there"
        )
    if not entities.is_file():
        return _read_book(book)
    clusters: defaultdict[str, ClusterPhrases] = defaultdict(ClusterPhrases)
    for _, (cluster, form, category, text) in _read_table(
        entities, ("COREF", "prop", "cat", "text")
    ):
        if category == "PER":
            _add(clusters[cluster], form, text, 1)
    return dict(clusters)


def _read_book(path: Path) -> dict[str, ClusterPhrases]:
    """Return the phrases of each cluster of a .book file."""
    clusters: dict[str, ClusterPhrases] = {}
    forms = {"proper": "PROP", "common": "NOM", "pronoun": "PRON"}
    try:
        for character in read_json(path, MAX_BYTES)["characters"]:
            phrases = clusters.setdefault(str(character["id"]), ClusterPhrases())
            for kind, form in forms.items():
                for mention in character["mentions"][kind]:
                    _add(phrases, form, str(mention["n"]), int(mention["c"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} cannot be read as BookNLP's characters ({shown(str(error), 80)}); "
            "recreate it with BookNLP"
        ) from error
    return clusters


def _add(phrases: ClusterPhrases, form: str, text: str, count: int) -> None:
    if form == "PROP":
        phrases.proper[text] += count
    elif form == "NOM":
        phrases.common[text] += count
    else:
        phrases.pronouns[text.lower()] += count


def _read_table(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the location of each line of a table and its cells in the given columns."""
    try:
        lines = read_text(path, MAX_BYTES).split("\n")
    except FileNotFoundError:
        raise UsageError(f"{path} is missing; put all files of BookNLP in one folder") from None
    except (OSError, ValueError) as refusal:
        raise unreadable(path, refusal) from refusal
    header = lines[0].rstrip("\r").split("\t")
    if missing := [column for column in columns if column not in header]:
        raise UsageError(f"{path}, line 1: no column {missing[0]}; use BookNLP's columns")
    numbers = [header.index(column) for column in columns]
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("\t")
        if len(cells) < len(header):
            raise UsageError(
                f"{path}, line {number}: {len(cells)} cells instead of {len(header)}; "
                "fix the line, or recreate the file"
            )
        yield f"{path}, line {number}", [cells[column] for column in numbers]


def _whole(where: str, cell: Any) -> int:
    """Return the number in a cell; raise UsageError for anything else."""
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 12):
        raise UsageError(f"{where}: {shown(cell, 30)} is not a token number; fix the line")
    return int(cell)
