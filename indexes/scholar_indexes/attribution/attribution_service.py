"""Quotation attribution in the books of the library, cached for each book and method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from scholar_indexes.announcing import AnnounceOnce
from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.attributed_quotes import attributed_quotes
from scholar_indexes.books.reading.chapter_ranges import find_sections, parse_range
from scholar_indexes.errors import Damaged, NoMatch, NotThere, ScholarError, UsageError
from scholar_indexes.models import registry
from scholar_indexes.paths import Paths
from scholar_indexes.progress import divide_progress
from scholar_indexes.requests import SpeakersRequest
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.corrections.kinds import Correction
    from scholar_indexes.attribution.corrections.reattribution import Reattribute
    from scholar_indexes.attribution.corrections.store import CorrectionStore
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.coreference.people import BookPeople, SentencePeople
    from scholar_indexes.coreference.roles import BookRoles
    from scholar_indexes.llm.backend import Backend
    from scholar_indexes.models.registry import ModelFiles
    from scholar_indexes.results import AttributedQuote
    from scholar_indexes.types import Character

MAX_CHARACTER_BOOKS = 8
"""The most books that a search for a character covers; each takes seconds the first time."""


_USUAL = SpeakersRequest()


@dataclass(frozen=True, slots=True)
class ChosenMethod:
    """One of pipeline.METHODS, with the files of the model of "trained", and with the language
    model of "llm"; `is_substitute` if the usual one is missing from this build."""

    name: str
    files: ModelFiles | None
    backend: Backend | None
    is_substitute: bool

    def cache_key(self) -> str:
        """Return a key of all that a dialogue depends on, except the text; raises UsageError for
        an unknown method, and for "llm" without a language model."""
        return pipeline.cache_key(self.name, self.files, self.backend)


class AttributionService:
    """The dialogue of books, cached in their folders and corrected by the user, and the
    quotations with their speakers."""

    def __init__(self, paths: Paths, announce: Callable[[str], None]) -> None:
        self._paths = paths
        self._announce = announce
        self._announce_once = AnnounceOnce(announce)

    @cached_property
    def corrections(self) -> CorrectionStore:
        """The files of the user's corrections."""
        from scholar_indexes.attribution.corrections.store import CorrectionStore

        return CorrectionStore(self._paths.corrections)

    def dialogue(
        self,
        book: OpenBook,
        chosen: ChosenMethod | None = None,
        progress: Progress = silent,
        *,
        attribute_again: bool = True,
    ) -> Dialogue:
        """Return the characters and attributed quotations of a book with the user's corrections;
        see detected(). Corrections that do not fit the book are announced.

        If corrections change the candidates, the quotations are attributed again to the corrected
        cast, from the cache or new, except by a language model or in a play. Without
        `attribute_again` only the cache is used, which takes no time.
        """
        from scholar_indexes.attribution.corrections.application import apply

        chosen = chosen or self.choose()
        detected = self.detected(book, chosen, progress)
        corrections = self.readable_corrections(book.book.id)
        if not corrections:
            return detected
        reattribute = self._reattribute(book, detected, chosen, progress, attribute_again)
        corrected = apply(book, detected, corrections, reattribute)
        if corrected.problems:
            self._announce_once(
                f"corrections of {book.book.title} that do not fit it are not applied "
                f"({len(corrected.problems)}); see: scholar characters {book.book.id} --corrections"
            )
        return corrected.dialogue

    def detected(
        self,
        book: OpenBook,
        chosen: ChosenMethod | None = None,
        progress: Progress = silent,
    ) -> Dialogue:
        """Return the characters and attributed quotations of a book without corrections, from
        its cache or new. Raises NoMatch for a book in which nobody speaks."""
        from scholar_indexes.attribution import dialogue as cache

        chosen = chosen or self.choose()
        key = chosen.cache_key()
        dialogue = cache.load(book.folder, key, book.stored.characters)
        if dialogue is None:
            if chosen.is_substitute:
                self._announce_once(
                    f"this build comes without {pipeline.DEFAULT_MODEL}: speakers are found by "
                    "rules, which are wrong more often"
                )
            dialogue = pipeline.attribute_book(
                book.text,
                book.chapters,
                chosen.name,
                chosen.files,
                chosen.backend,
                answers=book.folder / "answers.jsonl",
                say=self._announce,
                progress=progress,
            )
            cache.save(book.folder, key, dialogue)
        if dialogue.is_play:
            self._announce_once(
                f"{book.book.title} is a play: its speech headings name the speakers"
            )
        return dialogue

    def kept_dialogue(self, book: OpenBook) -> Dialogue | None:
        """Return the cached dialogue of the default method with the user's corrections; None if
        the speakers are not known yet."""
        from scholar_indexes.attribution import dialogue as cache

        key = self.choose().cache_key()
        if cache.load(book.folder, key, book.stored.characters) is None:
            return None
        return self.dialogue(book, attribute_again=False)

    def cache_key(self, book: OpenBook) -> str:
        """Return a key of all that the default method's dialogue depends on, except the text."""
        from scholar_indexes.attribution.corrections.application import fingerprint

        key = self.choose().cache_key()
        return f"{key} {fingerprint(self.readable_corrections(book.book.id))}".strip()

    def people(self, book: OpenBook, progress: Progress = silent) -> BookPeople:
        """Return the cast of dialogue() with all mentions of each character, from the cache or
        new; an empty cast for a book in which nobody speaks."""
        from scholar_indexes.coreference import people as cache

        people = self.kept_people(book)
        if people is None:
            people = self._find_people(book, progress)
            cache.save(book.folder, self._people_key(book), people)
        return people

    def _find_people(self, book: OpenBook, progress: Progress) -> BookPeople:
        from scholar_indexes.attribution.people import find_people
        from scholar_indexes.coreference import people
        from scholar_indexes.coreference.resolver import model as resolver

        speaking, meaning = divide_progress(progress, (2, 5))
        try:
            dialogue = self.dialogue(book, progress=speaking)
        except NoMatch:
            return people.NOBODY
        return find_people(book.text, dialogue, resolver.load(self._resolver()), meaning)

    def kept_people(self, book: OpenBook) -> BookPeople | None:
        """Return the people of a book from its cache; None if they are not known yet."""
        from scholar_indexes.coreference import people as cache

        return cache.recall(book.folder, self._people_key(book), book.stored.characters)

    def kept_presence(self, book: OpenBook) -> SentencePeople | None:
        """Return the people in each sentence of a book; None if they are not known yet."""
        from scholar_indexes.coreference import people as cache

        return cache.recall_presence(book.folder, self._people_key(book), book.stored.characters)

    def _people_key(self, book: OpenBook) -> str:
        from scholar_indexes.attribution.people import CACHE_VERSION

        return f"{CACHE_VERSION} {self._resolver().space} {self.cache_key(book)}"

    def _resolver(self) -> ModelFiles:
        from scholar_indexes.coreference.resolver import model as resolver

        return registry.find(resolver.DEFAULT_MODEL, self._paths.models)

    def kept_roles(self, book: OpenBook) -> BookRoles | None:
        """Return the roles that a book gives its people; None if they are not known yet."""
        from scholar_indexes.coreference.roles import recall_roles

        people = self.kept_people(book)
        return None if people is None else recall_roles(book.text, people)

    def check(self, request: SpeakersRequest, backend: Backend | None = None) -> None:
        """Raise the errors of `speakers` for requests that are invalid for every book: chapters
        that are not a range, a missing model."""
        if request.chapters:
            parse_range(request.chapters)
        self.choose(request, backend).cache_key()

    def speakers(
        self,
        book: OpenBook,
        request: SpeakersRequest,
        *,
        backend: Backend | None = None,
        progress: Progress = silent,
        attribute_again: bool = True,
    ) -> list[AttributedQuote]:
        """Return the quotations of a book with their speakers, in reading order.

        See chapter_ranges for the syntax of `chapters`, choose() for `backend`, and dialogue() for
        `attribute_again`. Raises NoMatch for a book in which nobody speaks, and
        NotThere for a speaker or chapters that it does not have.
        """
        title = book.book.title
        chapters = request.chapters
        between = find_sections(book.chapters, chapters, title) if chapters else None
        chosen = self.choose(request, backend)
        dialogue = self.dialogue(book, chosen, progress, attribute_again=attribute_again)
        character = (
            pipeline.find_character(dialogue.cast, request.speaker) if request.speaker else None
        )
        return [
            quote
            for quote in attributed_quotes(book, dialogue)
            if (character is None or quote.attribution.speaker == character)
            and quote.attribution.confidence >= request.min_confidence
            and (between is None or between[0] <= quote.chapter.number <= between[1])
        ]

    def sentences_said(
        self, books: Sequence[OpenBook], speaker: str, progress: Progress = silent
    ) -> dict[int, list[int]]:
        """Return the numbers of the sentences that a character says, by edition.

        Raises UsageError for more than MAX_CHARACTER_BOOKS books; if no sentence is found, raises
        the last NotThere or NoMatch of a book, if any.
        """

        def sentences_of(book: OpenBook) -> list[int]:
            dialogue = self.dialogue(book, progress=progress)
            character = pipeline.find_character(dialogue.cast, speaker)
            return list(pipeline.find_sentences_of(dialogue, character, book.sentences))

        return _sentences_by_edition(books, sentences_of)

    def sentences_about(
        self, books: Sequence[OpenBook], name: str, progress: Progress = silent
    ) -> dict[int, list[int]]:
        """Return the numbers of the sentences in which a character speaks, is named, or is meant
        by a pronoun or a noun phrase, by edition; a single sentence between two counts too.

        Raises the same errors as sentences_said.
        """
        from scholar_indexes.coreference.people import fill_gaps

        def sentences_of(book: OpenBook) -> list[int]:
            people = self.people(book, progress)
            character = people.cast.index(pipeline.find_character(people.cast, name))
            numbers = people.in_sentences(book.sentences).sentences_with(character)
            return fill_gaps(numbers, book.sentences[:, 0])

        return _sentences_by_edition(books, sentences_of)

    def _reattribute(
        self,
        book: OpenBook,
        detected: Dialogue,
        chosen: ChosenMethod,
        progress: Progress,
        attribute_again: bool,
    ) -> Reattribute:
        """Return the function that attributes the quotations of a book to a corrected cast."""
        from scholar_indexes.attribution.corrections.reattribution import (
            CastAttributor,
            keep_detected,
        )

        if chosen.name == pipeline.LLM or detected.is_play:
            return keep_detected

        def attribute(cast: Sequence[Character]) -> Dialogue:
            return pipeline.attribute_to_cast(
                book.text, book.chapters, detected, cast, chosen.name, chosen.files, progress
            )

        key = chosen.cache_key()
        again = attribute if attribute_again else None
        return CastAttributor(book.folder, book.stored.characters, key, detected, again)

    def readable_corrections(self, book_id: str) -> Sequence[Correction]:
        """Return the corrections of a book; a broken file is announced and skipped."""
        try:
            return self.corrections.load(book_id)
        except Damaged as damage:
            self._announce_once(f"{damage}; continuing without it")
            return ()

    def choose(
        self, request: SpeakersRequest = _USUAL, backend: Backend | None = None
    ) -> ChosenMethod:
        """Return the method of a request, by default "trained", or rules in a build without its
        model; `backend` is the language model of "llm"."""
        method, model, models = request.method, request.model, self._paths.models
        is_substitute = not (method or model) and registry.is_left_out(
            pipeline.DEFAULT_MODEL, models
        )
        name = pipeline.SIEVE if is_substitute else method or pipeline.DEFAULT
        is_trained = name == pipeline.TRAINED
        files = registry.find(model or pipeline.DEFAULT_MODEL, models) if is_trained else None
        return ChosenMethod(name, files, backend, is_substitute)


def _sentences_by_edition(
    books: Sequence[OpenBook], sentences_of: Callable[[OpenBook], list[int]]
) -> dict[int, list[int]]:
    """Return the sentences that a function finds in each book, by edition.

    Raises UsageError for more than MAX_CHARACTER_BOOKS books, and the function's last error if
    no book has any.
    """
    if len(books) > MAX_CHARACTER_BOOKS:
        raise UsageError(
            f"a character can be searched for in at most {MAX_CHARACTER_BOOKS} books at a time; "
            "choose them with -b BOOK"
        )
    sentences: dict[int, list[int]] = {}
    failure: ScholarError | None = None
    for book in books:
        try:
            if numbers := sentences_of(book):
                sentences[book.stored.edition] = numbers
        except (NoMatch, NotThere) as error:
            failure = error
    if not sentences and failure:
        raise failure
    return sentences
