"""Passages of texts that mark speech in various ways: complete, in one scene, and no longer than
necessary."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np
import pytest

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.books.segmentation.scene_breaks import ornament
from scholar_indexes.books.segmentation.sentences import chapter_sentences
from scholar_indexes.retrieval.edges import MOVE, BookEdges
from scholar_indexes.retrieval.places import Place
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book, Chapter, ChapterKind, SceneBreak, Span

LENGTHS = (1, 5)

NESTED = """“You heard,” said Ann. “She told me, ‘Go home. Go home at once!’ and I went.” It rained.

He laughed. “And the song? ‘The Minstrel Boy.’ It was sung. Twice!” Then he sat down.

Nobody spoke (the clock had stopped. It always did.) until the boat came in.

“Why did you stay?” Fred asked, almost with awe. “I never could.” She looked at the sea."""

BRITISH = """‘I shan’t go,’ said Tom. ‘It’s the boys’ boat, not ours. They won’t like it.’ He wept.

‘’Tis late,’ his aunt replied. ‘Don’t you cry. We’ll see what can’t be cured.’ The lamps were lit.

She remembered the words: ‘Never trust a tide.’ It was the ’forties, and nobody’s fault.

‘He said “stay here. Stay till morning” to me,’ said Tom. The house was dark. Nobody came."""

DASHES = """—I am going out, said Stephen. It is late. You need not wait.

The old man looked at the fire. It was low.

—Are you? asked the old man. So soon?

—I am.

He took his hat. The door was open. The street was wet and empty.

—Good night, then. Mind the step.

Nobody answered. The lamp went out."""

LONG_SPEECH = """The captain began.

“We sailed at dawn. The wind was fair. There was no sign of what would come.

“On the third day it turned. The mast went first. Then the boats were gone.

“I alone was saved.” He stopped. The fire had burned low.

Nobody in the room stirred. The tale was done."""

POETRY = """She read the poem aloud:

  The sea is calm to-night.
  The tide is full, the moon lies fair
  Upon the straits;

He said that he had never heard it. It was by a poet whom nobody read. They went down to the beach.

  Come to the window!
  Sweet is the night-air!

The window stayed shut."""

LETTERS = """_London, 3 May._

My dear Sir,--I have received your letter. It gave me pain. You write, “I shall not
come. I never will.” That was unkind.

I am, Sir, your obedient servant,

J. HARTLEY.

She folded the letter; then she opened it again; and at last she burned it. No reply was sent."""

STRAIGHT = """"Is it you?" said she. "I thought so. I knew the step." The door closed.

"It is," he answered, "and I am cold. Let me in!" She did. "There is soup. Sit down."

They ate without a word. The wind rose."""

TEXTS = {
    "nested quotation marks": NESTED,
    "single marks and apostrophes": BRITISH,
    "dashes": DASHES,
    "a speech over several paragraphs": LONG_SPEECH,
    "poetry": POETRY,
    "letters": LETTERS,
    "straight marks": STRAIGHT,
}


def book_of(*chapters: str) -> OpenBook:
    """Return a book of the chapters; paragraphs "* * *" are removed and kept as scene breaks."""
    text, divisions = "", []
    for number, chapter in enumerate(chapters, 1):
        start, breaks = len(text), []
        for paragraph in chapter.split("\n\n"):
            if paragraph == "* * *":
                breaks.append(SceneBreak(Span(len(text), len(text)), paragraph))
            else:
                text += paragraph + "\n\n"
        body = Span(start, len(text) - 2)
        divisions.append(
            Chapter(number, "", (), ChapterKind.CHAPTER, body, body, breaks=tuple(breaks))
        )
    stored = StoredBook(
        Book("own-a", "A", "B", "en", "", ""),
        **{field.name: 0 for field in dataclasses.fields(StoredBook) if field.name != "book"},
    )
    book = OpenBook.from_text(stored, text, divisions)
    book.sentences = np.array(
        [
            (sentence.chapter, sentence.paragraph, sentence.span.start, sentence.span.end)
            for sentence in chapter_sentences(text, divisions)
        ],
        np.int32,
    )
    return book


def text_of(book: OpenBook, place: Place) -> str:
    rows = book.sentences
    return book.text[int(rows[place.first][2]) : int(rows[place.end - 1][3])]


def windows(book: OpenBook) -> Iterator[tuple[Place, Place, Place]]:
    """Yield windows of one, three and five sentences of a chapter, with each focus and core."""
    chapters = book.sentences[:, 0]
    for first in range(len(chapters)):
        for end in (first + 1, first + 3, first + 5):
            if end > len(chapters) or chapters[first] != chapters[end - 1]:
                break
            for focus in range(first, end):
                for core_end in {focus + 1, end}:
                    window = Place(1, first, end)
                    yield window, Place(1, focus, core_end), Place(1, focus, focus + 1)


APOSTROPHES = re.compile(r"(?<=\w)’(?=\w)|(?<=boys)’|’(?=Tis|forties)")
CLOSING = {"”": "“", "’": "‘", ")": "("}


def is_paired(passage: str) -> bool:
    """Return True if every opening mark of a passage has a closing mark, and vice versa."""
    opened: list[str] = []
    for sign in APOSTROPHES.sub("", passage):
        if sign in CLOSING.values():
            opened.append(sign)
        elif sign in CLOSING and (not opened or opened.pop() != CLOSING[sign]):
            return False
    return not opened and passage.count('"') % 2 == 0


def is_whole(book: OpenBook, place: Place) -> bool:
    """Return True if a passage visibly neither begins nor ends inside a sentence or quotation."""
    passage = text_of(book, place)
    begins = not re.match(r"[\W_]*[a-z]", passage)
    ends = not re.search(r"(?:[,:;]|--)[”’\"]?$", passage)
    rest = book.text[int(book.sentences[place.end - 1][3]) :]
    return is_paired(passage) and begins and ends and not re.match(" (?:[a-z]|Fred asked)", rest)


@pytest.mark.parametrize("name", [name for name in TEXTS if "paragraphs" not in name])
def test_a_passage_is_whole_wherever_it_can_be(name: str) -> None:
    book = book_of(TEXTS[name])
    edges = BookEdges(book)
    count = len(book.sentences)
    kept = 0
    for window, core, focus in windows(book):
        passage = edges.adjust(window, core, focus, LENGTHS)
        low, high = max(window.first - MOVE, 0), min(window.end + MOVE, count)
        around = [
            Place(1, first, end)
            for first in range(low, core.first + 1)
            for end in range(core.end, min(first + 5, high) + 1)
        ]
        if any(is_whole(book, place) for place in around):
            assert is_whole(book, passage), (text_of(book, focus), text_of(book, passage))
            kept += 1
    assert kept > count  # some passages can be complete


@pytest.mark.parametrize("name", TEXTS)
def test_a_passage_has_its_focus_and_can_be_found_again(name: str) -> None:
    book = book_of(TEXTS[name], TEXTS[name])
    edges = BookEdges(book)
    for window, core, focus in windows(book):
        passage = edges.adjust(window, core, focus, LENGTHS)
        assert passage.first <= focus.first < passage.end
        assert passage.size <= 5
        chapters = book.sentences[passage.first : passage.end, 0]
        assert len(set(chapters.tolist())) == 1
        span = Span(int(book.sentences[passage.first][2]), int(book.sentences[passage.end - 1][3]))
        cited = book.cite(span)
        assert cited is not None
        assert cited.text == text_of(book, passage)


def test_a_speech_over_several_paragraphs_is_cut_between_them_or_within_one() -> None:
    book = book_of(LONG_SPEECH)
    paragraphs = book.sentences[:, 1]
    count = len(paragraphs)
    for at in range(count):
        focus = Place(1, at, at + 1)
        window = Place(1, max(at - 2, 0), min(at + 3, count))
        passage = BookEdges(book).adjust(window, focus, focus, LENGTHS)
        begins_one = (
            passage.first == 0 or paragraphs[passage.first - 1] != paragraphs[passage.first]
        )
        assert begins_one or not set("“”") & set(text_of(book, passage))


def test_a_passage_inside_a_long_speech_shows_no_mark_of_it() -> None:
    speech = " ".join(f"I saw the {thing}." for thing in ("sea", "sky", "sun", "rain", "mill") * 3)
    book = book_of(f"He rose. “{speech}” He sat down.")
    count = len(book.sentences)
    for at in range(1, count - 1):
        focus = Place(1, at, at + 1)
        window = Place(1, max(at - 2, 1), min(at + 3, count - 1))
        passage = text_of(book, BookEdges(book).adjust(window, focus, focus, LENGTHS))
        assert at in (1, count - 2) or not set("“”") & set(passage)


SCENES = "It rained. He left. She stayed.\n\n* * *\n\nA year went by. He came back. She was gone."


def test_no_passage_crosses_a_scene_break() -> None:
    for text in (SCENES, SCENES.replace("* * *", "⁂")):
        book = book_of(text)
        edges = BookEdges(book)
        ornaments = [
            ornament(text_of(book, Place(1, at, at + 1))) for at in range(len(book.sentences))
        ]
        for window, core, focus in windows(book):
            for lengths in (LENGTHS, (3, 5), (window.size, window.size)):
                passage = edges.adjust(window, core, focus, lengths)
                shown = text_of(book, passage)
                assert ("It" in shown or "He left" in shown or "She stayed" in shown) != (
                    "A year" in shown or "He came" in shown or "She was gone" in shown
                ) or any(ornaments[focus.first : focus.end])
                assert passage.first <= focus.first < passage.end


def test_remembered_words_stay_up_to_the_end_of_their_scene() -> None:
    book = book_of(SCENES)
    whole, over = Place(1, 0, 3), Place(1, 1, 5)
    assert BookEdges(book).adjust(whole, whole, whole, LENGTHS) == whole
    assert BookEdges(book).adjust(over, over, over, LENGTHS) == Place(1, 1, 3)


def test_a_scene_of_one_sentence_is_a_passage_of_one() -> None:
    book = book_of("Night fell.\n\n* * *\n\nIt rained.\n\n* * *\n\nThe sun rose. They went out.")
    passage = BookEdges(book).adjust(Place(1, 0, 3), Place(1, 0, 3), Place(1, 1, 2), (3, 5))
    assert text_of(book, passage) == "It rained."


def test_irrelevant_sentences_are_left_out() -> None:
    book = book_of("It rained all day. The mill was shut. He loved her. The cat slept. Night fell.")
    window, focus = Place(1, 0, 5), Place(1, 2, 3)
    assert BookEdges(book).adjust(window, focus, focus, LENGTHS) == focus
    assert BookEdges(book).adjust(window, Place(1, 1, 4), focus, LENGTHS) == Place(1, 1, 4)
    assert BookEdges(book).adjust(window, focus, focus, (3, 5)).size == 3


def test_a_speaker_is_quoted_with_what_she_says() -> None:
    book = book_of(NESTED)
    sentences = [text_of(book, Place(1, at, at + 1)) for at in range(len(book.sentences))]
    said = next(at for at, text in enumerate(sentences) if text.startswith("“Why did you stay"))
    speech = Place(1, said, said + 1)
    window = Place(1, said - 1, said + 3)
    for focus in (speech, Place(1, said + 1, said + 2)):
        passage = text_of(book, BookEdges(book).adjust(window, focus, focus, LENGTHS))
        assert passage.startswith("“Why did you stay?” Fred asked, almost with awe.")


def test_a_speech_is_quoted_with_its_announcement() -> None:
    book = book_of("The day was long. He turned round and asked: “Where is she?” Nobody knew.")
    asked = Place(1, 2, 3)
    passage = BookEdges(book).adjust(Place(1, 1, 4), asked, asked, LENGTHS)
    assert text_of(book, passage) == "He turned round and asked: “Where is she?”"
