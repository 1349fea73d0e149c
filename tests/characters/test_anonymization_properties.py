"""Properties of renaming that hold for any text, and for the bundled books."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renamed_casts import DARCY, F, M, names_of, who
from scholar_indexes.books import samples
from scholar_indexes.characters.anonymization.pseudonyms import (
    GENDERS,
    map_names,
)
from scholar_indexes.characters.anonymization.unambiguous_terms import NamePart, Term, find_terms
from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
)
from scholar_indexes.types import Gender, Span

TERM = re.compile(
    r"(?<![^\W_])(Lizzy|LIZZY|Darcys?|DARCYS?|Jim|JIM|Marsh(?:es)?|MARSH(?:ES)?)"
    r"(?![^\W_])"
)

TEXTS = st.lists(
    st.sampled_from(
        [
            "Lizzy",
            "Darcy",
            "Darcys",
            "DARCY",
            "Jim",
            "Marsh",
            "'s",
            "’s",
            " ",
            ", ",
            "--",
            "-",
            "_",
            "the",
            "said",
            "é",
            "\n",
            "O'",
            "'",
            "’",
            "2",
            "{",
            "}",
            "darcy",
            "S",
        ]
    )
    | st.characters(),
    max_size=40,
).map("".join)


@given(TEXTS)
def test_every_word_that_is_no_term_stays_where_it_was(text: str) -> None:
    renamed = DARCY.apply_with_map(text)
    assert renamed.text == DARCY.apply(text)
    kept_old, kept_new, at_old, at_new = [], [], 0, 0
    for change in renamed.changes:
        old = change.old.of(text)
        assert TERM.match(old), old
        kept_old.append(text[at_old : change.old.start])
        kept_new.append(renamed.text[at_new : change.new.start])
        at_old, at_new = change.old.end, change.new.end
    assert [*kept_old, text[at_old:]] == [*kept_new, renamed.text[at_new:]]


@given(TEXTS)
def test_applying_a_table_twice_is_applying_it_once(text: str) -> None:
    assert DARCY.apply(DARCY.apply(text)) == DARCY.apply(text)


@given(TEXTS, st.data())
def test_a_span_of_unchanged_text_reads_the_same_on_both_sides(
    text: str, data: st.DataObject
) -> None:
    renamed = DARCY.apply_with_map(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    new = renamed.new(Span(start, end))
    inside = [
        change for change in renamed.changes if change.old.start < end and start < change.old.end
    ]
    if not inside:
        assert new.of(renamed.text) == text[start:end]
        assert renamed.old(new) == Span(start, end)
    else:
        whole = renamed.old(new)
        assert whole.start == min(start, inside[0].old.start)
        assert whole.end == max(end, inside[-1].old.end)


NAMES = st.lists(
    st.sampled_from(
        "Emma Ingrid Sven Lindqvist Lindgren Tom Sawyer Mr. Mrs. Miss of the Grace O'Brien ÉMILE "
        "Aiko Tanaka Kenji Rose Jo'e Em'ly Ham X".split()
    )
    | st.text(max_size=6),
    max_size=4,
).map(" ".join)

CASTS = st.lists(
    st.builds(
        lambda name, aliases, gender: DescribedCharacter(name, tuple(aliases), gender, ()),
        NAMES,
        st.lists(NAMES, max_size=2),
        st.sampled_from(Gender),
    ),
    max_size=6,
)


@settings(max_examples=25)
@given(CASTS, TEXTS | NAMES, st.integers(), st.sampled_from(GENDERS))
def test_no_name_of_a_book_is_ever_given_and_none_twice(
    cast: list[DescribedCharacter], text: str, seed: int, gender: str
) -> None:
    table = map_names(cast, text, seed, gender)
    new = [name.casefold() for name in table.terms.values()]
    of_book = {word.casefold() for word in re.findall(r"[^\W\d_]+", text)}
    for character in cast:
        for name in (character.name, *character.aliases):
            of_book |= {word.casefold() for word in re.findall(r"[^\W\d_]+", name)}
    assert not of_book & set(new)
    assert len(set(new)) == len(new)
    assert not set(names_of(table)) & set(table.left)
    for term in table.terms:
        assert table.name(term.text) == table.terms[term]
    assert table.apply(table.apply(text)) == table.apply(text)


CASTS_OF = {
    64317: [
        who("Nick Carraway", M, "Mr. Carraway"),
        who("Jay Gatsby", M, "Gatsby", "James Gatz"),
        who("Daisy Buchanan", F, "Daisy", "Mrs. Buchanan"),
        who("Tom Buchanan", M, "Tom"),
        who("Jordan Baker", F, "Miss Baker"),
        who("Owl Eyes", M),
        who("Chester McKee", M),
    ],
    1342: [
        who("Elizabeth Bennet", F, "Lizzy"),
        who("Jane Bennet", F, "Jane"),
        who("Mr. Bennet", M),
        who("Fitzwilliam Darcy", M, "Mr. Darcy"),
        who("Charlotte Lucas", F, "Mrs. Collins"),
        who("Mr. Collins", M),
        who("Lady Catherine de Bourgh", F, "Lady Catherine"),
        who("Charles Bingley", M),
        who("Mrs. Gardiner", F),
    ],
    84: [
        who("Victor Frankenstein", M),
        who("Henry Clerval", M, "Clerval"),
        who("Robert Walton", M),
        who("Elizabeth Lavenza", F, "Elizabeth"),
        who("Justine Moritz", F),
        who("The Monster", M),
    ],
}


@cache
def book(number: int) -> str:
    sample = next(candidate for candidate in samples.bundled() if candidate.gutenberg_id == number)
    return samples.read(sample).decode("utf-8-sig")


@pytest.mark.parametrize("number", CASTS_OF)
def test_a_bundled_book_is_renamed_word_by_word(number: int) -> None:
    text = book(number)
    table = map_names(CASTS_OF[number], text, 7)
    renamed = table.apply_with_map(text)
    words, new = (re.findall(r"[^\W\d_]+", version) for version in (text, renamed.text))
    assert len(words) == len(new)
    old_names = {word for term in table.terms for word in re.findall(r"[^\W\d_]+", term.text)}
    folded = {name.casefold() for name in old_names}
    changed = {(a, b) for a, b in zip(words, new, strict=True) if a != b}
    assert {a.casefold() for a, _ in changed} <= {
        *folded,
        *(f"{name}s" for name in folded),
        *(f"{name}es" for name in folded),
    }
    assert not old_names & set(new)
    assert not {b for _, b in changed} & set(words)
    assert len({b for _, b in changed}) == len(changed)
    assert table.apply(renamed.text) == renamed.text
    for change in renamed.changes[:: max(1, len(renamed.changes) // 200)]:
        assert renamed.new(change.old) == change.new
        assert table.apply(change.old.of(text)) == change.new.of(renamed.text)


def test_the_bundled_books_leave_alone_what_is_a_word() -> None:
    left = {number: set(find_terms(cast, book(number))[1]) for number, cast in CASTS_OF.items()}
    assert left == {64317: {"Owl", "Eyes"}, 1342: set(), 84: {"Monster"}}


def test_a_surname_borne_by_another_in_most_places_is_a_surname() -> None:
    terms, _ = find_terms(CASTS_OF[1342], book(1342))
    assert Term("Fitzwilliam", NamePart.LAST) in terms


def test_headings_in_capitals_are_renamed_in_capitals() -> None:
    table = map_names(CASTS_OF[84], book(84), 7, nationality="swedish")
    new = names_of(table)["Frankenstein"].upper()
    assert table.apply("FRANKENSTEIN'S LETTER") == f"{new}'S LETTER"
