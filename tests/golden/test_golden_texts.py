"""The divisions of whole books, and the text removed around them, compared with stored answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from golden_answers import CheckGolden, digest, first_words, last_words
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.books.formats import gutenberg
from scholar_indexes.types import Chapter, ChapterKind, Sentence

BUNDLED = (84, 1342, 64317)

EVERY = 400
"""One in this many sentences or quotations is stored by its words; the others as a hash."""

TITLE = "The Project Gutenberg EBook of The Moths, by Ann Example\n\n"
FIELDS = TITLE + "Title: The Moths\n\nAuthor: Ann Example\n\nLanguage: English\n\n"
STAR_START = "*** START OF THE PROJECT GUTENBERG EBOOK THE MOTHS ***\n\n"
STAR_END = "\n\n*** END OF THE PROJECT GUTENBERG EBOOK THE MOTHS ***\n\nThe licence follows.\n"
BODY = "\n\n".join(
    f"The lamp of the {place} was lit before the moths came, and nobody had asked who lit it."
    for place in ("harbour", "orchard", "attic", "market", "chapel", "quarry")
)

WRAPPINGS = {
    "fields and stars": (FIELDS + STAR_START, STAR_END),
    "no stars": (FIELDS, ""),
    "no header": ("", "\n\nEnd of the Project Gutenberg EBook of The Moths, by Ann Example\n"),
    "older stars": (
        TITLE + "***START OF THE PROJECT GUTENBERG EBOOK THE MOTHS***\n\n",
        "\n\n***END OF THE PROJECT GUTENBERG EBOOK THE MOTHS***\n\n***** This file is 1.txt *****",
    ),
    "a marker that is broken": (
        FIELDS + "*** START OF THIS PROJECT GUTENBERG EBOOK THE MOTHS OF THE\nHARBOUR ***\n\n",
        "\n\nEnd of The Project Gutenberg Etext of The Moths\n\n" + STAR_END,
    ),
    "the small print before": (
        TITLE + "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nLaw.\n"
        "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n",
        "\n\nEnd of this Etext of The Moths, by Ann Example\n",
    ),
    "the small print behind": (
        FIELDS,
        "\n\nEnd of Project Gutenberg Etext of The Moths\n\n"
        "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nLaw.\n",
    ),
    "credits at both ends": (
        FIELDS + STAR_START + "E-text prepared by A. Person\n\n[Illustration: a lamp]\n\n",
        "\n\nTranscriber's Notes: spelling was kept.\n\nProduced by A. Person.\n" + STAR_END,
    ),
    "an end that the story names": (
        FIELDS + STAR_START + "THE END OF THE PROJECT\n\n",
        "\n\nTHE END" + STAR_END,
    ),
    "people of many kinds": (
        TITLE + "Title: The Moths,\n       or, A Lamp\n\nAuthor: Ann Example\n        Ben Other\n\n"
        "Translator: Cy Third\n\nRelease Date: May 3, 1998 [EBook #4711]\n\nLanguage: French\n\n"
        + STAR_START,
        STAR_END,
    ),
}


def test_whole_books_are_divided_as_they_were(
    sample_draft: Callable[[int], BookDraft], golden: CheckGolden
) -> None:
    answers: dict[str, Any] = {}
    for number in BUNDLED:
        draft = sample_draft(number)
        body = [sentence for sentence in draft.sentences if sentence.chapter]
        answers |= {
            f"pg{number}: numbers": [
                len(draft.text),
                len(draft.chapters),
                len({(sentence.chapter, sentence.paragraph) for sentence in body}),
                len(draft.sentences),
            ],
            f"pg{number}: chapters": [
                _describe_chapter(draft, chapter) for chapter in draft.chapters
            ],
            f"pg{number}: sentences": [
                _describe_sentences(draft, first) for first in range(0, len(body), EVERY)
            ],
        }
    golden("divisions", answers)


def _describe_chapter(draft: BookDraft, chapter: Chapter) -> list[Any]:
    return [
        chapter.number,
        chapter.kind.value,
        " / ".join((*chapter.part, chapter.title)),
        first_words(chapter.body.of(draft.text)),
        digest(chapter.span, chapter.body),
    ]


def _describe_sentences(draft: BookDraft, first: int) -> list[Any]:
    """Return the first words of a sentence, and a hash of the spans of it and those after it."""
    sentences = draft.sentences[first : first + EVERY]
    sentence = sentences[0]
    return [
        f"{sentence.chapter}.{sentence.paragraph}",
        first_words(sentence.span.of(draft.text)),
        digest([_place(sentence) for sentence in sentences]),
    ]


def _place(sentence: Sentence) -> tuple[int, ...]:
    return sentence.chapter, sentence.paragraph, sentence.span.start, sentence.span.end


def test_quotations_are_at_the_same_positions(
    sample_draft: Callable[[int], BookDraft], golden: CheckGolden
) -> None:
    answers: dict[str, Any] = {}
    for number in BUNDLED:
        draft = sample_draft(number)
        bodies = [chap.body for chap in draft.chapters if chap.kind is ChapterKind.CHAPTER]
        quotations = find_quotations(draft.text, bodies)
        answers[f"pg{number}"] = [len(quotations)] + [
            [
                first_words(quotations[first].of(draft.text)),
                len(quotations[first].pieces),
                digest([quotation.pieces for quotation in quotations[first : first + EVERY // 4]]),
            ]
            for first in range(0, len(quotations), EVERY // 4)
        ]
    golden("quotation_marks", answers)


def test_headers_and_licences_are_removed_as_before(golden: CheckGolden) -> None:
    answers: dict[str, Any] = {}
    for name, (before, after) in WRAPPINGS.items():
        manuscript = gutenberg.read((before + BODY + after).encode())
        answers[name] = [
            first_words(manuscript.text, 5),
            last_words(manuscript.text, 5),
            digest(manuscript.text),
            manuscript.title,
            manuscript.author,
            manuscript.language,
            manuscript.gutenberg_id,
            list(manuscript.imprint.translators),
            manuscript.imprint.year,
        ]
    golden("boundaries", answers)


@pytest.mark.parametrize("wrapping", ["fields and stars", "older stars", "the small print before"])
def test_a_book_in_the_usual_wrappings_is_the_book_alone(wrapping: str) -> None:
    before, after = WRAPPINGS[wrapping]
    assert gutenberg.read((before + BODY + after).encode()).text == BODY
