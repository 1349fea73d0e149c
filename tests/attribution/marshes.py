"""A small book with its dialogue, and helpers that apply corrections to it."""

from __future__ import annotations

from hypothesis import strategies as st

from scholar_indexes.attribution.corrections.application import (
    CorrectedDialogue,
    apply,
)
from scholar_indexes.attribution.corrections.kinds import (
    Correction,
    GenderOf,
    Merge,
    NarratorOf,
    NewCharacter,
    NotAPerson,
    Rename,
    SpeakerOf,
    Split,
)
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    ChapterKind,
    Character,
    Gender,
    Quotation,
    QuoteKind,
    Span,
)

FIRST = (
    "“Go on,” said Ann Marsh.\n\n“Why?” asked Miss Marsh.\n\n"
    "“Hush,” I said.\n\n“Ho!” cried Ben.\n\n"
)
SECOND = "“The Dolphin sails,” said Ben.\n\n“At last,” I said.\n\n“Aye,” said the Dolphin.\n\n"
TEXT = FIRST + SECOND
ANN = Character("ann-marsh", "Ann Marsh", ("Ann Marsh", "Miss Marsh"), Gender.FEMALE)
BEN = Character("ben", "Ben", ("Ben",))
CLEO = Character("cleo-lamb", "Cleo Lamb", ("Cleo Lamb",), Gender.FEMALE, narrator=True)
SHIP = Character("the-dolphin", "the Dolphin", ("the Dolphin",))
BOOK = Book("own-marsh", "The Marshes", "Ann Example", "en", "a test", "0" * 64)


def at(words: str) -> Span:
    start = TEXT.index(words)
    return Span(start, start + len(words))


def chapter(number: int, text: str) -> Chapter:
    span = at(text)
    return Chapter(number, f"Chapter {number}", (), ChapterKind.CHAPTER, span, span)


def said(words: str, speaker: Character | None, cue: str) -> tuple[Quotation, Attribution]:
    confidence = 0.9 if speaker else 0.0
    attribution = Attribution(speaker, QuoteKind.EXPLICIT, at(cue), confidence)
    return Quotation((at(words),)), attribution


SAID = (
    said("Go on,", ANN, "said Ann Marsh"),
    said("Why?", ANN, "asked Miss Marsh"),
    said("Hush,", CLEO, "I said"),
    said("Ho!", BEN, "cried Ben"),
    said("The Dolphin sails,", BEN, "said Ben"),
    (
        Quotation((at("At last,"),)),
        Attribution(
            None, QuoteKind.ANAPHORIC, Span(at("At last,").end + 2, at("At last,").end + 8), 0.0
        ),
    ),
    said("Aye,", SHIP, "said the Dolphin"),
)
DETECTED = Dialogue(
    (ANN, BEN, CLEO, SHIP),
    tuple(quotation for quotation, _ in SAID),
    tuple(attribution for _, attribution in SAID),
)
EMPTY = Chapter(0, "", (), ChapterKind.FRONT, Span(0, 0), Span(0, 0))
MARSHES = OpenBook.from_text(
    StoredBook(BOOK, 1, len(TEXT), 2, 7, "2026-01-01"),
    TEXT,
    (EMPTY, chapter(1, FIRST), chapter(2, SECOND)),
)
WHY = "own-marsh:1.2:1-5"


def correct(*corrections: Correction) -> CorrectedDialogue:
    return apply(MARSHES, DETECTED, corrections)


def applied(*corrections: Correction) -> Dialogue:
    """Assert that all corrections apply, and return the corrected dialogue."""
    corrected = correct(*corrections)
    assert corrected.problems == {}
    return corrected.dialogue


def problem(*corrections: Correction) -> str:
    """Assert that only the last correction fails to apply, and return its problem."""
    corrected = correct(*corrections)
    assert list(corrected.problems) == [corrections[-1]]
    assert corrected.dialogue == applied(*corrections[:-1])
    return corrected.problems[corrections[-1]]


def speakers(dialogue: Dialogue) -> list[str]:
    return [
        attribution.speaker.name if attribution.speaker else "?"
        for attribution in dialogue.attributions
    ]


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(
    lambda text: one_line(f"A{text}")
)
notes = st.just("") | names
any_correction = st.one_of(
    st.builds(
        NewCharacter,
        names,
        aliases=st.lists(names, max_size=2, unique=True).map(tuple),
        gender=st.sampled_from([str(gender) for gender in Gender]),
        note=notes,
    ),
    st.builds(NewCharacter, description=names),
    st.builds(Split, names, st.just("") | names, notes),
    st.builds(Rename, names, names, notes),
    st.builds(Merge, st.lists(names, min_size=2, max_size=4, unique=True).map(tuple), notes),
    st.builds(NotAPerson, names, notes),
    st.builds(GenderOf, names, st.sampled_from([str(gender) for gender in Gender]), notes),
    st.builds(NarratorOf, names, st.sampled_from(["", "3", "3-9", "-4"]), notes),
    st.builds(SpeakerOf, st.sampled_from([WHY, "pg1:2.3:4-5"]), names, notes),
)
