"""Filters of Gutenberg's catalogue."""

from __future__ import annotations

import pytest

from scholar_indexes.books.gutenberg.catalog_filter import parse
from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
from scholar_indexes.errors import UsageError

EMMA = CatalogEntry(
    158,
    "Emma: A Novel of Brontë's Age",
    "Austen, Jane, 1775-1817; Thomson, Hugh, 1860-1920 [Illustrator]",
    "en; fr",
    "1994-08-01",
    ("Young women -- Fiction", "Political science"),
    ("Browsing: Literature", "Best Books Ever Listings"),
)
SOUND = CatalogEntry(9000, "Emma, read aloud", "Austen, Jane", "en", "", (), (), "Sound")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "needs field=value", id="nothing"),
        pytest.param("   ", "needs field=value", id="blanks"),
        pytest.param("austen", "'austen' is not a catalogue filter", id="a word"),
        pytest.param(
            "language=en austen", "'austen' is not a catalogue filter", id="a word behind a filter"
        ),
        pytest.param(
            "author=jane austen", "'austen' is not a catalogue filter", id="a value without quotes"
        ),
        pytest.param(
            'author="jane austen', "is not a catalogue filter", id="quotes that do not end"
        ),
        pytest.param("title=", "is not a catalogue filter", id="no value"),
        pytest.param('title=""', "no word", id="an empty value"),
        pytest.param("title=--", "no word", id="no word in a value"),
        pytest.param("=en", "is not a catalogue filter", id="no field"),
        pytest.param(
            "autor=austen",
            "no field 'autor'; fields: language, subject, author, title, bookshelf, type",
            id="another field",
        ),
    ],
)
def test_an_invalid_filter_is_refused_with_its_form(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("language=en", id="a language"),
        pytest.param("language=fr", id="the second language"),
        pytest.param("LANGUAGE=EN", id="case"),
        pytest.param("  language = en  ", id="blanks"),
        pytest.param('author="Jane Austen"', id="a name in natural order"),
        pytest.param("author='austen, jane'", id="single quotes"),
        pytest.param("title=Brontë's", id="an apostrophe"),
        pytest.param("title=bronte", id="an accent left out"),
        pytest.param('subject="young women"', id="two words of one subject"),
        pytest.param("bookshelf=browsing bookshelf=best", id="two shelves"),
        pytest.param("type=Text", id="a text"),
    ],
)
def test_an_entry_has_all_that_is_asked_for(text: str) -> None:
    assert parse(text).matches(EMMA)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("language=e", id="a part of a language"),
        pytest.param("subject=tion", id="a part of a word"),
        pytest.param('subject="political fiction"', id="words of two subjects"),
        pytest.param('author="jane thomson"', id="words of two people"),
        pytest.param("language=en language=de", id="one of two"),
        pytest.param("subject=fiction subject=politics", id="one of two subjects"),
        pytest.param("type=Sound", id="another type"),
    ],
)
def test_an_entry_lacks_something_that_is_asked_for(text: str) -> None:
    assert not parse(text).matches(EMMA)


def test_entries_other_than_texts_match_only_by_type() -> None:
    assert not parse("author=austen").matches(SOUND)
    assert parse("author=austen type=sound").matches(SOUND)
