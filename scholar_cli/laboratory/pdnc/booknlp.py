"""The files that BookNLP writes of a book (Bamman et al., github.com/booknlp/booknlp).

    NAME.quotes    quote_start, quote_end, mention_phrase, char_id ...: a quotation in a line, its
                   first and last token, and the cluster of who speaks
    NAME.tokens    word, byte_onset, byte_offset ...: a token in a line, with its place
    NAME.entities  COREF, prop, cat, text ...: a mention in a line, with its cluster
    NAME.book      the clusters with their mentions, as JSON; read where there is no NAME.entities

All but the last are tables with tabs and a line of column names. The columns of bytes hold
characters, as spaCy counts them; where these do not fit the text, bytes of UTF-8 are tried.
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
"""The least share of tokens that must stand where the file says for the text to be the same."""

_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})


@dataclass(frozen=True, slots=True)
class BookNlpQuote:
    """The place of a quotation in the text, None where its tokens do not stand there, and the
    cluster of its speaker, None for no speaker."""

    place: Span | None
    cluster: str | None


@dataclass(frozen=True, slots=True)
class ClusterPhrases:
    """The number of mentions of a cluster by each phrase: names, noun phrases and pronouns."""

    proper: Counter[str] = field(default_factory=Counter)
    common: Counter[str] = field(default_factory=Counter)
    pronouns: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class BookNlpOutput:
    """The quotations of a book, and the phrases of each cluster by its id."""

    quotes: tuple[BookNlpQuote, ...]
    clusters: dict[str, ClusterPhrases]


def read(folder: Path, name: str, text: str) -> BookNlpOutput:
    """Return what BookNLP wrote of a book under a name, for the text that it read.

    Raises UsageError naming the file and the line that cannot be read, and for files that are of
    another text.
    """
    places = _read_tokens(folder / f"{name}.tokens", text)
    return BookNlpOutput(
        tuple(_read_quotes(folder / f"{name}.quotes", places)), read_clusters(folder, name)
    )


def find_character(phrases: ClusterPhrases, names: CastNames) -> int:
    """Return the index of the annotated character that a cluster means: the one whom most of its
    names, else most of its noun phrases have; the narrator for one that is "I"; else UNKNOWN."""
    for kind in (phrases.proper, phrases.common):
        if (index := names.most_named(kind)) is not None:
            return index
    first = sum(count for word, count in phrases.pronouns.items() if word in _FIRST_PERSON)
    if names.narrator is not None and 2 * first > phrases.pronouns.total():
        return names.narrator
    return UNKNOWN


def _read_tokens(path: Path, text: str) -> list[Span | None]:
    """Return the place of each token by its number, None for one that does not stand there."""
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    columns = ("token_ID_within_document", "word", "byte_onset", "byte_offset")
    for where, (number, word, start, end) in _read_table(path, columns):
        if _whole(where, number) != len(words):
            raise UsageError(
                f"{where}: token {shown(number, 20)} where {len(words)} follows; "
                "write the file anew with BookNLP"
            )
        words.append(word)
        spans.append((_whole(where, start), _whole(where, end)))
    places = _places(text, words, spans)
    if _count_known(places) < LEAST_ALIGNED * len(words) and not text.isascii():
        places = _places(text, words, _bytes_to_characters(text, spans))
    if _count_known(places) < LEAST_ALIGNED * len(words):
        share = _count_known(places) / len(words)
        raise UsageError(
            f"{path}: only {share:.0%} of its words stand in novel_text.txt where it says; "
            "run BookNLP on that file"
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
            raise UsageError(f"{where}: a quotation ends before it begins; mend the line")
        ends = [places[token] if token < len(places) else None for token in (first, last)]
        place = Span(ends[0].start, ends[1].end) if ends[0] and ends[1] else None
        yield BookNlpQuote(place, None if cluster in ("None", "") else cluster)


def read_clusters(folder: Path, name: str) -> dict[str, ClusterPhrases]:
    """Return the phrases of each cluster of people in NAME.entities, else in NAME.book."""
    entities, book = folder / f"{name}.entities", folder / f"{name}.book"
    if not entities.is_file() and not book.is_file():
        raise UsageError(
            f"{folder / f'{name}.quotes'} names clusters, and neither {entities.name} nor "
            f"{book.name} is beside it to say whom they mean; put one of them there"
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
            "write it anew with BookNLP"
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
    """Yield for each line of a table where it stands and its cells of some columns."""
    try:
        lines = read_text(path, MAX_BYTES).split("\n")
    except FileNotFoundError:
        raise UsageError(f"{path} is missing; put all files of BookNLP in one folder") from None
    except (OSError, ValueError) as refusal:
        raise unreadable(path, refusal) from refusal
    header = lines[0].rstrip("\r").split("\t")
    if missing := [column for column in columns if column not in header]:
        raise UsageError(f"{path}, line 1: there is no column {missing[0]}; it has BookNLP's")
    numbers = [header.index(column) for column in columns]
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("\t")
        if len(cells) < len(header):
            raise UsageError(
                f"{path}, line {number}: {len(cells)} cells where {len(header)} belong; "
                "mend the line, or write the file anew"
            )
        yield f"{path}, line {number}", [cells[column] for column in numbers]


def _whole(where: str, cell: Any) -> int:
    """Return the number in a cell; raises UsageError for anything else."""
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 12):
        raise UsageError(f"{where}: {shown(cell, 30)} is no number of a token; mend the line")
    return int(cell)
