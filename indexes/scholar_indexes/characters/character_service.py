"""The characters of the library's books: their profiles, descriptions and conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

from scholar_indexes.errors import Damaged, NoMatch
from scholar_indexes.paths import Paths
from scholar_indexes.progress import divide_progress
from scholar_indexes.types import Hit, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.descriptions.bank import DescribedCharacter
    from scholar_indexes.characters.descriptions.repository import DescriptionRepository
    from scholar_indexes.characters.quiz.quiz_service import Quiz
    from scholar_indexes.characters.solver.cache import SolverCache
    from scholar_indexes.results import CharacterProfile, DescriptionResult, LikelyCharacter


class WhoOptions(TypedDict, total=False):
    """The options of CharacterService.who."""

    n: int
    passages: int
    explain: bool
    progress: Progress


class CharacterService:
    """The characters of books.

    Methods that take a reference accept what BookService.get does, and read a book again if another
    program changed it meanwhile. They raise NoMatch for a book in which nobody speaks.
    """

    def __init__(
        self,
        paths: Paths,
        books: BookService,
        index: PassageIndex,
        attribution: AttributionService,
        announce: Callable[[str], None],
    ) -> None:
        self._paths = paths
        self._books = books
        self._index = index
        self._attribution = attribution
        self._announce = announce

    def profiles(self, reference: str, progress: Progress = silent) -> list[CharacterProfile]:
        """Return the profiles of a book's characters, most quotations first."""
        from scholar_indexes.characters.profiles import character_profiles

        def read(book: OpenBook) -> list[CharacterProfile]:
            return character_profiles(book, self._attribution.dialogue(book, progress=progress))

        return self._books.read(reference, read)

    def cast(
        self, reference: str, progress: Progress = silent, *, attribute_again: bool = True
    ) -> BookCast:
        """Return the characters of a book, where they appear, what they say, and who speaks with
        whom; see AttributionService.dialogue for `attribute_again`."""
        return self._books.read(
            reference, lambda book: self._cast(book, progress, attribute_again=attribute_again)
        )

    def _cast(self, book: OpenBook, progress: Progress, *, attribute_again: bool) -> BookCast:
        from scholar_indexes.attribution.attributed_quotes import attributed_quotes
        from scholar_indexes.characters.book_cast import BookCast
        from scholar_indexes.characters.conversations import find_exchanges
        from scholar_indexes.characters.network import find_company
        from scholar_indexes.characters.profiles import appearances, character_profiles

        dialogue = self._attribution.dialogue(
            book, progress=progress, attribute_again=attribute_again
        )
        quotes = tuple(attributed_quotes(book, dialogue))
        progress("counting mentions of characters", 0, 0)
        known = list(appearances(book, dialogue))
        return BookCast(
            book.stored,
            tuple(chapter for chapter in book.chapters if chapter.number),
            tuple(character_profiles(book, dialogue, known)),
            quotes,
            tuple(find_exchanges(book.text, quotes)),
            tuple(find_company(known)),
        )

    def who(
        self,
        description: str,
        reference: str,
        *,
        n: int = 5,
        passages: int = 3,
        explain: bool = False,
        progress: Progress = silent,
    ) -> list[Hit[LikelyCharacter]]:
        """Return the characters that a description may mean, most probable first, each with
        supporting passages; a score is a probability. `explain` adds the reasons.

        Raises UsageError for a description that describes nobody or is only a name, NoMatch for
        a book without characters, and NotIndexed for one without passages for the model in use.
        """
        return self._books.read(
            reference,
            lambda book: self._who(description, book, n, passages, progress, explain=explain),
        )

    def _who(
        self,
        description: str,
        book: OpenBook,
        n: int,
        passages: int,
        progress: Progress,
        *,
        explain: bool,
    ) -> list[Hit[LikelyCharacter]]:
        from scholar_indexes.characters.solver import parsing, ranking
        from scholar_indexes.characters.solver.character_candidates import Candidate
        from scholar_indexes.characters.solver.content_words import content_stems
        from scholar_indexes.characters.solver.solver import Solver
        from scholar_indexes.results import LikelyCharacter

        description = parsing.normalize_description(description)
        cached = self._solver_cache(book, progress)
        parsing.check_not_a_name(description, cached.characters, book.book.id)
        if not set(content_stems(description)) & set(cached.index.similar_words.stems.tolist()):
            self._announce(
                f"no word of the description occurs in {book.book.title}; the ranking uses "
                "meaning alone and may be a guess"
            )
        candidates = list(map(Candidate.from_character, cached.characters))
        solver = Solver(cached.sentences, candidates, None, self._index.encoder, cached.index)
        return [
            Hit(
                LikelyCharacter(
                    book.book,
                    cached.characters[result.row],
                    tuple(filter(None, map(book.cite, result.passages))),
                    result.reasons,
                ),
                result.probability,
            )
            for result in ranking.rank_characters(description, solver, n, passages, explain=explain)
        ]

    def describe(
        self, character: str, reference: str, *, n: int = 12, progress: Progress = silent
    ) -> list[DescriptionResult]:
        """Return at most n descriptions of a character, best first: from a description bank, then
        extracted from the text and marked automatic.

        Raises NotThere for a character that is not in the book, and UsageError for an ambiguous
        name.
        """
        return self._books.read(
            reference, lambda book: self._describe(character, book, progress)[:n]
        )

    def _describe(
        self, character: str, book: OpenBook, progress: Progress
    ) -> list[DescriptionResult]:
        from scholar_indexes.characters.descriptions import presentation

        described = self.repository.automatic(book, progress)
        if not described.characters:
            raise NoMatch(
                f"no characters were found in {book.book.title}; to search its text for one: "
                f'scholar find "{character[:40]}" -b {book.book.id}'
            )
        wanted = presentation.find_character(described.characters, character, book.book.id)
        return self.repository.describe(book, described, [wanted])

    def descriptions(
        self, cast: BookCast, progress: Progress = silent
    ) -> tuple[BookCast, dict[str, list[DescriptionResult]]]:
        """Return the cast with all described characters of its book, and the descriptions of
        its characters by profile id."""
        book = self._books.open(cast.stored)
        described = self.repository.automatic(book, progress)
        descriptions = self.repository.describe(book, described, described.characters)
        joined = cast.with_characters(book, [result.character for result in descriptions])
        return joined, joined.group_descriptions(descriptions)

    @cached_property
    def quiz(self) -> Quiz:
        """Questions about characters, and the history of answers."""
        from scholar_indexes.characters.quiz.quiz_service import Quiz

        return Quiz(self._paths, self.repository, self._books.get_open, self._announce)

    @cached_property
    def repository(self) -> DescriptionRepository:
        """The descriptions of the library's books, both written and automatic."""
        from scholar_indexes.characters.descriptions.repository import DescriptionRepository

        return DescriptionRepository(
            self._paths, self._books.all, self._attribution, self._announce
        )

    def _solver_cache(self, book: OpenBook, progress: Progress) -> SolverCache:
        """Return the characters and index that descriptions are compared with, from the book's
        cache or newly built.

        Raises NoMatch for a book without characters.
        """
        from scholar_indexes.characters.solver import cache

        bank = self.repository.readable(book.book.id)
        key = cache.cache_key(self._index.model.space, self._attribution.cache_key(book), bank)
        prepared = cache.load(book.folder, key, book.text, book.sentences)
        if prepared is None:
            prepared = self._prepare_solver(book, bank, progress)
            cache.save(book.folder, key, prepared)
        if not prepared.characters:
            raise NoMatch(
                f"no characters were found in {book.book.title}; "
                f"search its passages instead: scholar find DESCRIPTION -b {book.book.id}"
            )
        return prepared

    def _prepare_solver(
        self, book: OpenBook, bank: Sequence[DescribedCharacter], progress: Progress
    ) -> SolverCache:
        from scholar_indexes.characters.solver import cache

        self._index.check_has([book.stored])
        rows = self._index.table.edition(book.stored.edition)
        if len(rows) != len(book.sentences):
            raise Damaged("the index has lost passages; run: scholar index rebuild")
        dialogue = people = None
        speaking, meaning, reading = divide_progress(progress, (4, 10, 6))
        try:
            dialogue = self._attribution.dialogue(book, progress=speaking)
            people = self._attribution.people(book, meaning).mentions
        except NoMatch:
            if not bank:
                raise
        label = f"indexing the characters of {book.book.title}"
        return cache.build(
            book.text,
            book.sentences,
            rows,
            dialogue,
            bank,
            self._index.encoder,
            label,
            reading,
            people,
        )
