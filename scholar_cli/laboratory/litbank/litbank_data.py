"""Books in LitBank's format: tokenized text with mentions and coreference chains.

    <book>/text.txt     one sentence per line, tokens separated by single spaces
    <book>/coref.ann    MENTION, COREF, COP and APPOS records; may be absent
    <book>/coref.conll  chains as in CoNLL 2012, 13 tab-separated columns

Bamman, Lewke and Mansoor 2020 ("An Annotated Dataset of Coreference in English Literature").
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_text

TEXT, ANNOTATION, CHAINS = "text.txt", "coref.ann", "coref.conll"

PERSON = "PER"
"""The class of mentions of people."""

_UNUSED = ["_"] * 8
"""The columns of coref.conll between the token (after the book, part 0 and the number of the token
in its sentence) and the chains that begin or end there."""

_RECORD_FIELDS = {"MENTION": 9, "COREF": 3, "COP": 3, "APPOS": 3}


@dataclass(frozen=True, slots=True, order=True)
class TokenSpan:
    """The tokens [start, end) of a sentence, counted from 0."""

    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TokenMention:
    """A mention, its class (PER, LOC ...) and form (PROP, NOM or PRON), and its chain."""

    span: TokenSpan
    entity_class: str
    form: str
    chain: str


@dataclass(frozen=True)
class TokenizedBook:
    """The sentences of a book as tokens; mentions are None without annotation."""

    name: str
    sentences: tuple[tuple[str, ...], ...]
    mentions: tuple[TokenMention, ...] | None

    def chains(self, entity_class: str | None = None) -> list[set[TokenSpan]]:
        """Return the annotated chains, or only the mentions of one class in them."""
        return group_chains(self.mentions or (), entity_class)


def group_chains(
    mentions: Iterable[TokenMention], entity_class: str | None = None
) -> list[set[TokenSpan]]:
    """Return the chains of mentions, or only the mentions of one class in them."""
    chains: dict[str, set[TokenSpan]] = defaultdict(set)
    for mention in mentions:
        if entity_class in (None, mention.entity_class):
            chains[mention.chain].add(mention.span)
    return list(chains.values())


def read(data: Path) -> list[TokenizedBook]:
    """Return the books in the subfolders of a folder, by name.

    Raises NotThere if there is none, and UsageError with the file and line if one is broken.
    """
    if not data.is_dir():
        raise NotThere(f"there is no folder {data}; give a folder of books in LitBank's format")
    folders = [path for path in sorted(data.iterdir()) if (path / TEXT).is_file()]
    if not folders:
        raise NotThere(f"{data} contains no books; each is a folder with {TEXT}")
    return [read_book(folder) for folder in folders]


def read_book(folder: Path) -> TokenizedBook:
    """Return one book; raise UsageError for a broken file."""
    sentences = tuple(tuple(line.split(" ")) for line in _lines(folder / TEXT) if line)
    annotation = folder / ANNOTATION
    mentions = _read_mentions(annotation, sentences) if annotation.is_file() else None
    return TokenizedBook(folder.name, sentences, mentions)


def sha256(books: Sequence[TokenizedBook]) -> str:
    """Return a hash of the names, texts and annotations of books."""
    digest = hashlib.sha256()
    for book in books:
        digest.update(repr((book.name, book.sentences, book.mentions)).encode())
    return digest.hexdigest()


def format_conll(book: TokenizedBook, chains: Iterable[Iterable[TokenSpan]]) -> str:
    """Return the text of coref.conll for chains, numbered in order."""
    opening: dict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
    closing: dict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
    for number, chain in enumerate(chains):
        for span in chain:
            first, last = (span.sentence, span.start), (span.sentence, span.end - 1)
            if first == last:
                opening[first].append((0, f"({number})"))
            else:
                opening[first].append((-span.end, f"({number}"))
                closing[last].append((-span.start, f"{number})"))
    lines = [f"#begin document ({book.name}); part 0"]
    for sentence, tokens in enumerate(book.sentences):
        for position, token in enumerate(tokens):
            at = sentence, position
            marks = [mark for _, mark in (*sorted(opening[at]), *sorted(closing[at]))]
            lines.append(
                "\t".join([book.name, "0", str(position), token, *_UNUSED, "|".join(marks)])
            )
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def _read_mentions(path: Path, sentences: Sequence[Sequence[str]]) -> tuple[TokenMention, ...]:
    """Return the mentions of coref.ann; attributes and appositions are separate chains."""
    spans: dict[str, tuple[TokenSpan, str, str]] = {}
    chains: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != _RECORD_FIELDS.get(fields[0]):
            raise UsageError(f"{path}: line {number} is not a coreference record")
        if fields[0] == "MENTION":
            spans[fields[1]] = _read_span(path, number, fields, sentences), fields[7], fields[8]
        else:
            chains[fields[1]] = fields[2] if fields[0] == "COREF" else f"{fields[0]}-{fields[1]}"
    return tuple(_annotated(path, spans, chains))


def _annotated(
    path: Path, spans: Mapping[str, tuple[TokenSpan, str, str]], chains: Mapping[str, str]
) -> Iterable[TokenMention]:
    for mention, (span, entity_class, form) in spans.items():
        if mention not in chains:
            raise UsageError(f"{path}: mention {mention} has no chain")
        yield TokenMention(span, entity_class, form, chains[mention])


def _read_span(
    path: Path, number: int, fields: Sequence[str], sentences: Sequence[Sequence[str]]
) -> TokenSpan:
    try:
        sentence, first, same, last = map(int, fields[2:6])
    except ValueError:
        raise UsageError(f"{path}: line {number} has a position that is not a number") from None
    if same != sentence or not 0 <= sentence < len(sentences):
        raise UsageError(f"{path}: line {number} is about a sentence that is not in the text")
    if not 0 <= first <= last < len(sentences[sentence]):
        raise UsageError(f"{path}: line {number} is about tokens that are not in its sentence")
    return TokenSpan(sentence, first, last + 1)


def _lines(path: Path) -> list[str]:
    try:
        return read_text(path).split("\n")
    except (OSError, ValueError) as failure:
        raise UsageError(f"{path} cannot be read: {failure}") from None
