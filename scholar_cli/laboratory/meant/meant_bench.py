"""Measure how noun phrases of claims are resolved to characters in the books of a library.

A phrase is resolved rightly or wrongly, or left alone. The system "names" uses names alone: "the
curate" is an alias of a character who has no other name.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scholar_cli.laboratory.meant.meant_data import PhraseClaim
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.coreference.people import SentencePeople
from scholar_indexes.coreference.roles import BookRoles
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.retrieval.phrases import PhraseCandidates, PhraseResolver, find_phrases
from scholar_indexes.retrieval.readings import NameIndex, name_index
from scholar_indexes.types import Progress, Span, silent

RIGHT, WRONG, LEFT = OUTCOMES = ("right", "wrong", "left")


@dataclass(frozen=True, slots=True)
class MeasuredBook:
    """The people of a book, the names of its cast, and the resolver of its phrases."""

    people: SentencePeople
    names: NameIndex
    resolver: PhraseResolver


def read_books(
    library: Library, claims: Sequence[PhraseClaim], progress: Progress = silent
) -> Iterator[tuple[MeasuredBook, list[PhraseClaim]]]:
    """Yield the books of a library whose people are known, with the claims about each.

    Raises NotThere if there are none.
    """
    shelf = {stored.book.id: stored for stored in library.books.all()}
    ids = [book for book in dict.fromkeys(claim.book_id for claim in claims) if book in shelf]
    is_any = False
    for done, book_id in enumerate(ids):
        book = library.books.open(shelf[book_id])
        people = library.search.people(book)
        if people is None:
            continue
        is_any = True
        progress(f"reading {book.book.title}", done, len(ids))
        present = people.in_sentences(book.sentences)
        resolver = PhraseResolver(present, BookRoles(book.text, people))
        own = [claim for claim in claims if claim.book_id == book_id]
        yield MeasuredBook(present, name_index(present), resolver), own
    if not is_any:
        raise NotThere("no novel has known people; run: scholar index people")


def candidates(book: MeasuredBook, claim: PhraseClaim) -> PhraseCandidates | None:
    """Return the candidates for the phrase of a claim, or None if the phrase is not found."""
    names = book.names.places(claim.claim)
    for phrase in find_phrases(claim.claim, list(names)):
        if phrase.span.end == claim.span.end:
            return book.resolver.candidates(phrase, names)
    return None


def taken_for(book: MeasuredBook, claim: PhraseClaim, *, by_roles: bool) -> int | None:
    """Return the number in the cast of the character that the phrase is resolved to, or None."""
    names = book.names.places(claim.claim)
    for place, character in names.items():
        if _is_phrase(place, claim.span):
            return character
    for meant in book.resolver.resolve(claim.claim, names) if by_roles else ():
        if meant.span.end == claim.span.end:
            return meant.character
    return None


def _is_phrase(place: Span, phrase: Span) -> bool:
    """Return True if a name covers a phrase: "the curate", or "curate" in it."""
    return phrase.start <= place.start and place.end >= phrase.end


def outcome(book: MeasuredBook, claim: PhraseClaim, *, by_roles: bool) -> str:
    """Return one of OUTCOMES."""
    number = taken_for(book, claim, by_roles=by_roles)
    if number is None:
        return LEFT
    return RIGHT if claim.means(book.people.cast[number]) else WRONG


def run(
    library: Library, claims: Sequence[PhraseClaim], progress: Progress = silent
) -> list[Report]:
    """Return a report of names alone, and one of names with roles."""
    systems = {"names": False, "names and roles": True}
    outcomes: dict[str, list[str]] = {system: [] for system in systems}
    asked: list[PhraseClaim] = []
    start = time.perf_counter()
    for book, own in read_books(library, claims, progress):
        asked += own
        for system, by_roles in systems.items():
            outcomes[system] += [outcome(book, claim, by_roles=by_roles) for claim in own]
    seconds = time.perf_counter() - start
    digest = hashlib.sha256(repr(asked).encode()).hexdigest()
    return [
        Report(
            "meant",
            "",
            system,
            {name: results.count(name) / len(results) for name in OUTCOMES},
            len(results),
            seconds,
            "",
            digest,
            commit(),
            {
                "id": [f"{claim.gutenberg_id} {claim.claim}" for claim in asked],
                **{name: [float(one == name) for one in results] for name in OUTCOMES},
            },
        )
        for system, results in outcomes.items()
    ]
