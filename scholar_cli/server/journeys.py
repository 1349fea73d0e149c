"""The journeys of a library for other programs: the answers that the commands give with --json.

Both servers are made from these methods: their names are those of the tools and of the paths, their
parameters and docstrings the descriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from scholar_indexes.background.people_queue import PeopleNews, PeopleQueue, Stage
from scholar_indexes.books.collections import NewPassage
from scholar_indexes.books.unread import incomplete
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.library import Library, quiet
from scholar_indexes.results import (
    CitationStyle,
    EssayFormat,
    PrintedEdition,
    QuotationStatus,
    UnreadBook,
)
from scholar_indexes.serialize import citations, quotations
from scholar_indexes.serialize import papers as papers_serializer
from scholar_indexes.serialize import results as records_of
from scholar_indexes.stopping import check_progress
from scholar_indexes.types import Facet

LONGEST_TEXT = 1_000_000
"""Characters of an essay."""

Answer = dict[str, Any]
Claim = Annotated[
    str, Field(min_length=1, max_length=20_000, description="A claim about a book, or a question.")
]
BookReference = Annotated[
    str, Field(min_length=1, max_length=200, description="A book: its id, or part of its title.")
]
BookReferences = Annotated[
    list[BookReference], Field(max_length=1_000, description="Books to ask; none for all.")
]
LocatorText = Annotated[
    str, Field(min_length=1, max_length=200, description="A place, such as pg64317:9.164:0-78.")
]
Locators = Annotated[
    list[LocatorText], Field(min_length=1, max_length=100, description="Places, as find has them.")
]
Quotation = Annotated[str, Field(max_length=20_000)]
Count = Annotated[int, Field(ge=1, le=100, description="How many at most.")]


class Incomplete(Damaged):
    """The error that an answer lacks books that cannot be read; `answer` is what the others say."""

    def __init__(self, message: str, answer: Answer) -> None:
        super().__init__(message)
        self.answer = answer


def _whole(answer: Answer, not_searched: Sequence[UnreadBook], *, is_answered: bool) -> Answer:
    """Return an answer with the books that could not be read; raises Incomplete where they may have
    another answer."""
    answer["not_searched"] = list(map(records_of.unread_record, not_searched))
    if is_answered or not not_searched:
        return answer
    raise Incomplete(str(incomplete(not_searched, "the answer is without")), answer)


class Journeys:
    """The journeys of one library in one warm process; several threads may ask at once.

    The people of the books that claims are about are found in the background, until `close`; `say`
    gets a line where that fails.
    """

    def __init__(self, library: Library, say: Callable[[str], None] = quiet) -> None:
        self._library = library
        self._say = say
        self._people = PeopleQueue(library, self._tell)

    def close(self) -> None:
        """Stop what is done in the background."""
        self._people.close()

    def _tell(self, news: PeopleNews) -> None:
        if news.stage is Stage.FAILED:
            self._say(records_of.people_failure(news.book, news.reason))

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
        """The methods that change what the user keeps."""
        return [self.keep]

    def books(self) -> Answer:
        """List the books of the library with their ids."""
        return {"books": list(map(records_of.book_record, self._library.books()))}

    def find(
        self,
        claim: Claim,
        books: BookReferences | None = None,
        n: Count = 10,
        chapter: Annotated[
            str | None, Field(max_length=100, description='Chapters as printed: "3", "2-5".')
        ] = None,
        speaker: Annotated[
            str | None, Field(max_length=200, description="Only what this character says.")
        ] = None,
        about: Annotated[
            str | None,
            Field(
                max_length=200,
                description="Only where this character is, whom it can take minutes to find once.",
            ),
        ] = None,
        mode: Annotated[
            Literal["hybrid", "dense", "lexical"],
            Field(description="By words and meaning, by meaning alone, or by words alone."),
        ] = "hybrid",
        rerank: Annotated[
            Literal["auto", "thorough", "none"] | None,
            Field(description="What reads the best passages again; by default the setting."),
        ] = None,
    ) -> Answer:
        """Find the passages of books that bear out a claim, best first.

        Each hit has its verbatim quote, its citation and its locator. `weak` is true where nothing
        bears the claim out clearly. `people_unknown` has the books of which it is not known yet
        who is in their sentences: names are matched as words there. That is being found for the
        book of most hits, which takes minutes; the same question then has a better answer. An
        answer for which a book could not be read is an error that has the hits of the others.
        """
        hits = self._library.find(
            claim,
            books=books or (),
            n=n,
            chapters=chapter,
            speaker=speaker,
            about=about,
            mode=mode,
            rerank=rerank,
            progress=check_progress,
        )
        if hits.people_wanted is not None:
            self._people.find(hits.people_wanted)
        answer = {
            "claim": claim,
            "weak": records_of.are_weak(hits),
            "people_unknown": list(map(records_of.book_reference, hits.people_unknown)),
            "hits": records_of.evidence_records(hits),
        }
        return _whole(answer, hits.not_searched, is_answered=not hits.not_searched)

    def show(
        self,
        locator: LocatorText,
        context: Annotated[int, Field(ge=0, le=100, description="Paragraphs either side.")] = 1,
    ) -> Answer:
        """Show the passage at a locator in the paragraphs where it stands."""
        return records_of.extract_record(self._library.show(locator, context))

    def locate(
        self,
        quotes: Annotated[
            list[Quotation], Field(min_length=1, max_length=100, description="Quotations.")
        ],
        books: BookReferences | None = None,
    ) -> Answer:
        """Say where quotations are from and what was changed in them.

        The status of each is verbatim, elided, altered or absent; `exact` is what the book has.
        While a book cannot be read, a quotation that is verbatim in no other is unknown, which is
        an error; `not_searched` names such books.
        """
        for quote in quotes:
            self._library.check_quotation(quote)
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
            Field(description="What it is written in."),
        ] = "markdown",
        books: BookReferences | None = None,
    ) -> Answer:
        """Check every quotation of an essay: where it is from, what was changed, what is wrong.

        While a book cannot be read, a quotation that is verbatim in no other is unknown, which is
        an error; `not_searched` names such books.
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
            str, Field(max_length=200, description="Of an edition in print to cite instead.")
        ] = "",
        year: Annotated[int | None, Field(ge=1400, le=2999, description="Of that edition.")] = None,
        page: Annotated[str, Field(max_length=40, description="Its page or pages.")] = "",
    ) -> Answer:
        """Cite places of books in a style, with the entry of the bibliography."""
        if bool(publisher) != (year is not None):
            raise UsageError("an edition in print has a publisher and a year; give both")
        edition = PrintedEdition("", publisher, year) if year is not None else None
        places = self._library.cite(locators, page=page, edition=edition)
        chosen = CitationStyle(style)
        return {"citations": [citations.cited_record(place, chosen) for place in places]}

    def speakers(
        self,
        book: BookReference,
        chapter: Annotated[
            str | None, Field(max_length=100, description='Chapters as printed: "3", "2-5".')
        ] = None,
        speaker: Annotated[
            str | None, Field(max_length=200, description="Only what this character says.")
        ] = None,
        n: Annotated[int, Field(ge=1, le=10_000, description="How many at most.")] = 200,
    ) -> Answer:
        """Say who speaks each quotation of a book, and how sure that is; a first question about a
        book can take minutes."""
        spoken = self._library.speakers(
            book, chapters=chapter, speaker=speaker, progress=check_progress
        )
        return {
            "total": len(spoken),
            "quotations": list(map(records_of.quotation_record, spoken[:n])),
        }

    def who(
        self,
        description: Annotated[
            str, Field(min_length=1, max_length=2_000, description="Somebody, described.")
        ],
        book: BookReference,
        n: Count = 5,
    ) -> Answer:
        """Say which character of a book a description means, with the passages that say so."""
        hits = self._library.who(description, book, n=n, progress=check_progress)
        return {
            "characters": [
                records_of.likely_character_record(rank, hit) for rank, hit in enumerate(hits, 1)
            ]
        }

    def similar_papers(
        self,
        paper: Annotated[
            str, Field(min_length=1, max_length=500, description="A stored paper: id or title.")
        ],
        facet: Annotated[
            Literal["background", "method", "result"] | None,
            Field(description="Alike in what; in all where it is left out."),
        ] = None,
        n: Count = 20,
    ) -> Answer:
        """Find the stored papers like one of them, in background, method or result."""
        papers = self._library.papers
        stored = papers.catalog.paper(paper)  # a file of the user's is not read for a client
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
            str, Field(max_length=80, description="A collection; empty for their names.")
        ] = "",
    ) -> Answer:
        """Show the passages that the user gathered in a collection, with notes; or list the
        collections."""
        collections = self._library.collections
        if not name:
            return {"names": [known for known, _ in collections.names()], "passages": []}
        quotations = collections.name_chapters(collections.quotations(name))
        passages = map(records_of.saved_quotation_record, quotations)
        return {"names": [name], "passages": list(passages)}

    def keep(
        self,
        name: Annotated[str, Field(min_length=1, max_length=80, description="The collection.")],
        locators: Locators,
        claim: Annotated[str, Field(max_length=2_000, description="What they bear out.")] = "",
        note: Annotated[str, Field(max_length=10_000, description="A note on them.")] = "",
    ) -> Answer:
        """Add passages to a collection of the user, which is made where there is none.

        A passage that was there keeps its note.
        """
        passages = [NewPassage(locator, claim, note) for locator in locators]
        kept = self._library.collections.add(name, passages, replace_notes=False)
        return {"passages": [records_of.saved_quotation_record(saved) for saved, *_ in kept]}
