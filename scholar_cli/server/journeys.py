"""The operations of a library for other programs, with the answers of the commands' --json.

Both servers are built from these methods: their names are the names of the tools and the paths,
their parameters and docstrings are the descriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from scholar_indexes.background.people_queue import PeopleNews, PeopleQueue, Stage
from scholar_indexes.books.collections.collection_service import NewPassage
from scholar_indexes.books.reading import chapter_ranges
from scholar_indexes.books.unread import incomplete
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.library import Library, quiet
from scholar_indexes.requests import (
    FindRequest,
    Mode,
    Order,
    SpeakerMethod,
    SpeakersRequest,
    describe,
    parse_depth,
    parse_sentences,
)
from scholar_indexes.results import (
    CitationStyle,
    EssayFormat,
    PrintedEdition,
    QuotationStatus,
    UnreadBook,
)
from scholar_indexes.serialize import citations, quotations
from scholar_indexes.serialize import papers as papers_serializer
from scholar_indexes.serialize.books import book_record
from scholar_indexes.serialize.evidence import are_weak, evidence_records, people_failure
from scholar_indexes.serialize.passages import (
    book_reference,
    extract_record,
    saved_quotation_record,
    unread_record,
)
from scholar_indexes.serialize.people import likely_character_record, quotation_record
from scholar_indexes.stopping import check_progress
from scholar_indexes.types import Facet

LONGEST_TEXT = 1_000_000
"""The maximum length of an essay, in characters."""

Answer = dict[str, Any]


def _field(request: type, name: str) -> Any:
    """Return what a parameter takes from a field of a request: its help and its bounds."""
    described = describe(request, name)
    return Field(description=described.help, ge=described.least, le=described.most)


def _text(request: type, name: str) -> Any:
    """Return what a text takes from a field of a request: its help and its maximum length."""
    described = describe(request, name)
    return Field(description=described.help, max_length=described.max_chars)


Claim = Annotated[
    str,
    Field(
        min_length=1,
        max_length=describe(FindRequest, "claim").max_chars,
        description=describe(FindRequest, "claim").help,
    ),
]
BookReference = Annotated[
    str, Field(min_length=1, max_length=200, description="A book: its id, or part of its title.")
]
BookReferences = Annotated[
    list[BookReference], Field(max_length=1_000, description="Books to search; default: all.")
]
LocatorText = Annotated[
    str, Field(min_length=1, max_length=200, description="A locator, such as pg64317:9.164:0-78.")
]
Locators = Annotated[
    list[LocatorText],
    Field(min_length=1, max_length=100, description="Locators, as find returns them."),
]
SectionRange = Annotated[
    str, Field(max_length=100, description="Only these sections, counted as in locators: 3-9.")
]
Names = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=20)]
Quotation = Annotated[str, Field(max_length=20_000)]
Count = Annotated[int, Field(ge=1, le=100, description="Maximum number of results.")]


class Incomplete(Damaged):
    """The error for an answer without books that cannot be read; `answer` is from the others."""

    def __init__(self, message: str, answer: Answer) -> None:
        super().__init__(message)
        self.answer = answer


def _whole(answer: Answer, not_searched: Sequence[UnreadBook], *, is_answered: bool) -> Answer:
    """Return an answer with the books that could not be read; raises Incomplete if they may change
    the answer."""
    answer["not_searched"] = list(map(unread_record, not_searched))
    if is_answered or not not_searched:
        return answer
    raise Incomplete(str(incomplete(not_searched, "the answer is without")), answer)


class Journeys:
    """The operations of one library in one warm process; several threads may use them at once.

    The people of the books that claims are about are found in the background, until `close`; `say`
    gets a line if that fails.
    """

    def __init__(self, library: Library, say: Callable[[str], None] = quiet) -> None:
        self._library = library
        self._say = say
        self._people = PeopleQueue(library, self._tell)

    def close(self) -> None:
        """Stop the background work."""
        self._people.close()

    def _tell(self, news: PeopleNews) -> None:
        if news.stage is Stage.FAILED:
            self._say(people_failure(news.book, news.reason))

    @property
    def readers(self) -> list[Callable[..., Answer]]:
        """The methods that only read."""
        return [
            self.books,
            self.find,
            self.show,
            self.locate,
            self.check,
            self.cite,
            self.speakers,
            self.who,
            self.similar_papers,
            self.collection,
        ]

    @property
    def writers(self) -> list[Callable[..., Answer]]:
        """The methods that change the user's data."""
        return [self.keep]

    def books(self) -> Answer:
        """List the books of the library with their ids."""
        return {"books": list(map(book_record, self._library.books.all()))}

    def find(
        self,
        claim: Claim,
        books: BookReferences | None = None,
        n: Count = 10,
        author: Annotated[str | None, _text(FindRequest, "author")] = None,
        chapter: Annotated[str | None, _text(FindRequest, "chapters")] = None,
        section: SectionRange | None = None,
        speaker: Annotated[str | None, _text(FindRequest, "speaker")] = None,
        about: Annotated[str | Names | None, _field(FindRequest, "about")] = None,
        mode: Annotated[Mode, _field(FindRequest, "mode")] = Mode.HYBRID,
        sentences: Annotated[str, _text(FindRequest, "sentences")] = "1-5",
        order: Annotated[Order, _field(FindRequest, "order")] = Order.SCORE,
        context: Annotated[int, _field(FindRequest, "context")] = 1,
        fold: Annotated[bool, _field(FindRequest, "fold")] = True,
        like: Annotated[Locators | None, _field(FindRequest, "like")] = None,
        unlike: Annotated[Locators | None, _field(FindRequest, "unlike")] = None,
        min_support: Annotated[float | None, _field(FindRequest, "min_support")] = None,
        wait: Annotated[bool, _field(FindRequest, "wait")] = False,
        rerank: Annotated[
            Literal["auto", "thorough", "none"] | None, _field(FindRequest, "rerank")
        ] = None,
        depth: Annotated[str | None, _text(FindRequest, "depth")] = None,
    ) -> Answer:
        """Find the passages of books that support a claim, best first.

        Each hit has its verbatim quote, its citation and its locator. `weak` is true if no passage
        clearly supports the claim. `people_unknown` lists the books in whose sentences people have
        not been identified yet: names are matched as words there. The book with the most hits is
        being processed, which takes minutes; then the same claim gets a better answer. If a book
        cannot be read, the answer is an error that includes the hits from the others.
        """
        request = FindRequest(
            claim=claim,
            books=books or (),
            author=author,
            chapters=chapter_ranges.choose(chapter, section, "chapter and section"),
            speaker=speaker,
            about=about or (),
            n=n,
            mode=mode,
            sentences=parse_sentences(sentences),
            order=order,
            context=context,
            fold=fold,
            like=like or (),
            unlike=unlike or (),
            min_support=min_support,
            wait=wait,
            rerank=rerank,
            depth=None if depth is None else parse_depth(depth),
        )
        hits = self._library.find(request, progress=check_progress)
        if hits.people_wanted is not None:
            self._people.find(hits.people_wanted)
        answer = {
            "claim": claim,
            "weak": are_weak(hits),
            "people_unknown": list(map(book_reference, hits.people_unknown)),
            "hits": evidence_records(hits),
        }
        return _whole(answer, hits.not_searched, is_answered=not hits.not_searched)

    def show(
        self,
        locator: LocatorText,
        context: Annotated[int, Field(ge=0, le=100, description="Paragraphs on each side.")] = 1,
    ) -> Answer:
        """Show the passage at a locator in its paragraphs."""
        return extract_record(self._library.show(locator, context))

    def locate(
        self,
        quotes: Annotated[
            list[Quotation], Field(min_length=1, max_length=100, description="Quotations.")
        ],
        books: BookReferences | None = None,
    ) -> Answer:
        """Find the sources of quotations, and show how they differ.

        The status of each is verbatim, elided, altered or absent; `exact` is the text of the book.
        If a book cannot be read, a quotation that is verbatim in no other is unknown, which is an
        error; `not_searched` names such books.
        """
        from scholar_indexes.quotations.quotation_service import check_quotation

        for quote in quotes:
            check_quotation(quote)
        located = self._library.locate(quotes, books=books or (), progress=check_progress)
        absence = quotations.absence(located.not_searched)
        answer = {
            "quotations": [
                quotations.located_record(quote, places, absence)
                for quote, places in zip(quotes, located, strict=True)
            ]
        }
        return _whole(answer, located.not_searched, is_answered=all(located))

    def check(
        self,
        essay: Annotated[str, Field(max_length=LONGEST_TEXT, description="The text of an essay.")],
        format: Annotated[
            Literal["markdown", "latex", "html", "plain"],
            Field(description="The format of the essay."),
        ] = "markdown",
        books: BookReferences | None = None,
    ) -> Answer:
        """Check every quotation in an essay: its source, what was changed, what is wrong.

        If a book cannot be read, a quotation that is verbatim in no other is unknown, which is an
        error; `not_searched` names such books.
        """
        checked = self._library.check_text(
            essay, EssayFormat(format), books=books or (), progress=check_progress
        )
        answer = {
            "wrong": sum(not quotation.is_right for quotation in checked),
            "quotations": list(map(quotations.checked_record, checked)),
        }
        are_known = all(quotation.status is not QuotationStatus.UNKNOWN for quotation in checked)
        return _whole(answer, checked.not_searched, is_answered=are_known)

    def cite(
        self,
        locators: Locators,
        style: Annotated[
            Literal["mla", "chicago", "apa"], Field(description="The style of the citations.")
        ] = "mla",
        publisher: Annotated[
            str, Field(max_length=200, description="Publisher of a print edition to cite instead.")
        ] = "",
        year: Annotated[int | None, Field(ge=1400, le=2999, description="Its year.")] = None,
        page: Annotated[str, Field(max_length=40, description="Its page or pages.")] = "",
    ) -> Answer:
        """Cite passages in a style, with their bibliography entries."""
        if bool(publisher) != (year is not None):
            raise UsageError("a print edition has a publisher and a year; give both")
        edition = PrintedEdition("", publisher, year) if year is not None else None
        places = self._library.cite(locators, page=page, edition=edition)
        chosen = CitationStyle(style)
        return {"citations": [citations.cited_record(place, chosen) for place in places]}

    def speakers(
        self,
        book: BookReference,
        chapter: Annotated[str | None, _text(SpeakersRequest, "chapters")] = None,
        section: SectionRange | None = None,
        speaker: Annotated[str | None, _text(SpeakersRequest, "speaker")] = None,
        min_confidence: Annotated[float, _field(SpeakersRequest, "min_confidence")] = 0.0,
        method: Annotated[
            Literal["trained", "sieve", "nearest"] | None, _field(SpeakersRequest, "method")
        ] = None,
        n: Annotated[
            int, Field(ge=1, le=10_000, description="Maximum number of quotations.")
        ] = 200,
    ) -> Answer:
        """Identify the speaker of each quotation in a book, with a confidence; the first request
        for a book can take minutes."""
        request = SpeakersRequest(
            book=book,
            chapters=chapter_ranges.choose(chapter, section, "chapter and section"),
            speaker=speaker,
            min_confidence=min_confidence,
            method=None if method is None else SpeakerMethod(method),
        )
        spoken = self._library.speakers(request, progress=check_progress)
        return {
            "total": len(spoken),
            "quotations": list(map(quotation_record, spoken[:n])),
        }

    def who(
        self,
        description: Annotated[
            str, Field(min_length=1, max_length=2_000, description="A description of a character.")
        ],
        book: BookReference,
        n: Count = 5,
    ) -> Answer:
        """Find the character of a book that a description refers to, with supporting passages."""
        hits = self._library.who(description, book, n=n, progress=check_progress)
        return {
            "characters": [likely_character_record(rank, hit) for rank, hit in enumerate(hits, 1)]
        }

    def similar_papers(
        self,
        paper: Annotated[
            str, Field(min_length=1, max_length=500, description="A stored paper: id or title.")
        ],
        facet: Annotated[
            Literal["background", "method", "result"] | None,
            Field(description="What to compare; default: everything."),
        ] = None,
        n: Count = 20,
    ) -> Answer:
        """Find the stored papers similar to one of them, in background, method or result."""
        papers = self._library.papers
        stored = papers.catalog.paper(paper)  # a client must not read the user's files
        query, hits = papers.similar(stored.paper.id, facet=Facet(facet) if facet else None, n=n)
        return {
            "papers": [
                papers_serializer.similar_record(rank, hit, query)
                for rank, hit in enumerate(hits, 1)
            ]
        }

    def collection(
        self,
        name: Annotated[
            str, Field(max_length=80, description="A collection; empty: list the collections.")
        ] = "",
    ) -> Answer:
        """Show the passages in one of the user's collections, with notes; or list the
        collections."""
        collections = self._library.collections
        if not name:
            return {"names": [known for known, _ in collections.names()], "passages": []}
        quotations = collections.name_chapters(collections.quotations(name))
        passages = map(saved_quotation_record, quotations)
        return {"names": [name], "passages": list(passages)}

    def keep(
        self,
        name: Annotated[str, Field(min_length=1, max_length=80, description="The collection.")],
        locators: Locators,
        claim: Annotated[
            str, Field(max_length=2_000, description="The claim that they support.")
        ] = "",
        note: Annotated[str, Field(max_length=10_000, description="A note on them.")] = "",
    ) -> Answer:
        """Add passages to one of the user's collections, creating it if needed.

        A passage that is already in it keeps its note.
        """
        passages = [NewPassage(locator, claim, note) for locator in locators]
        kept = self._library.collections.add(name, passages, replace_notes=False)
        return {"passages": [saved_quotation_record(saved) for saved, *_ in kept]}
