"""Corrections in TOML: files that are refused, and files that are written and read back."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marshes import (
    BOOK,
    DETECTED,
    any_correction,
)
from scholar_indexes.attribution.corrections import toml_form
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
from scholar_indexes.errors import UsageError
from scholar_indexes.types import (
    Character,
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('[[merge]]\nnames = ["A"', "(at line 2, column 13, the end)", id="no TOML"),
        pytest.param("[[merge]\n", "(at line 1, column", id="a bracket is missing"),
        pytest.param(
            '[[mege]]\nnames = ["A", "B"]',
            "'mege' is not a kind of correction; write merge",
            id="another kind",
        ),
        pytest.param(
            '[merge]\nnames = ["A", "B"]', "write [[merge]], with two brackets", id="one bracket"
        ),
        pytest.param("merge = 3", "write [[merge]], with two brackets", id="a number"),
        pytest.param(
            '\n[[merge]]\nnames = "A"', "line 2, [[merge]]: names must be a list", id="no list"
        ),
        pytest.param('[[merge]]\nnames = ["A"]', "two different names", id="one name"),
        pytest.param('[[merge]]\nnames = ["A", "A"]', "two different names", id="a name twice"),
        pytest.param('[[rename]]\nname = "A"', "to is missing", id="a key is missing"),
        pytest.param('[[rename]]\nname = "A"\nto = "?"', "'?' has no letters", id="no letters"),
        pytest.param(
            '[[character]]\ngender = "male"', "either name =", id="neither a name nor more"
        ),
        pytest.param('[[character]]\nname = "A"\ndescription = "B"', "either name =", id="both"),
        pytest.param(
            '[[character]]\nname = "A"\naliases = "B"', "aliases must be a list", id="an alias"
        ),
        pytest.param('[[character]]\nname = "A"\naliases = ["?"]', "has no letters", id="no alias"),
        pytest.param('[[split]]\nname = ""', "name is empty", id="an empty name"),
        pytest.param('[[split]]\nnam = "A"', "'nam' is unknown; write name, to, note", id="a key"),
        pytest.param("[[split]]\nname = true", "name must be a string", id="no text"),
        pytest.param(f'[[split]]\nname = "{"A" * 501}"', "longer than 500", id="a long name"),
        pytest.param(
            '[[gender]]\nname = "A"\ngender = "f"',
            "write one of female, male, unknown",
            id="a gender",
        ),
        pytest.param('[[narrator]]\nname = "A"\nsections = "9-3"', "run backwards", id="sections"),
        pytest.param('[[narrator]]\nname = "A"\nchapters = "9-3"', "run backwards", id="chapters"),
        pytest.param(
            '[[narrator]]\nname = "A"\nsections = "3"\nchapters = "3"', "given twice", id="both"
        ),
        pytest.param(
            '[[quotation]]\nlocator = "own-marsh:1"\nspeaker = "A"',
            "is not the locator of a quotation",
            id="a chapter",
        ),
        pytest.param(
            '[[quotation]]\nlocator = "1.2"\nspeaker = "A"', "is not a locator", id="no locator"
        ),
        pytest.param('book = "pg1"', "corrections of pg1, not of own-marsh", id="another book"),
        pytest.param("x = " + "[" * 5000, "this is not TOML", id="deep nesting"),
        pytest.param("#" * 1_000_001, "longer than 1,000,000", id="a long file"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_what_to_write(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        toml_form.loads(text, BOOK.id)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_error_gives_the_line_of_the_wrong_table() -> None:
    text = '[[split]]\nname = "A"\n\n[[split]]\nname = ""\n'
    with pytest.raises(UsageError, match=r"line 4, \[\[split\]\]"):
        toml_form.loads(text, BOOK.id)


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "\ufeff", 'book = "own-marsh"'])
def test_an_empty_file_has_no_corrections(text: str) -> None:
    assert toml_form.loads(text, BOOK.id) == ()


def test_a_correction_that_is_there_twice_counts_once() -> None:
    text = '[[not_a_person]]\nname = "A"\n' * 2
    assert toml_form.loads(text, BOOK.id) == (NotAPerson("A"),)


def test_corrections_are_in_the_order_of_their_file() -> None:
    corrections = (Rename("A", "B"), Split("A"), Rename("C", "D"), NewCharacter("E"))
    assert toml_form.loads(toml_form.dumps(BOOK, corrections), BOOK.id) == corrections


def test_every_example_of_the_explanation_can_be_written() -> None:
    lines = toml_form.dumps(BOOK, []).splitlines()
    examples = "\n".join(line[4:] for line in lines if line.startswith("#   "))
    kinds = [type(correction) for correction in toml_form.loads(examples, BOOK.id)]
    assert kinds == [
        Merge,
        Split,
        NewCharacter,
        Rename,
        NotAPerson,
        GenderOf,
        NarratorOf,
        SpeakerOf,
    ]


def test_characters_are_listed_in_comments_on_one_line_each() -> None:
    odd = Character("x", 'Ann "\n[[merge]]\x1b[31m', ("Ann",), narrator=True)
    text = toml_form.dumps(BOOK, [], [odd])
    assert '#   Ann " [[merge]][31m (unknown, narrator); also Ann\n' in text
    assert tomllib.loads(text) == {"book": "own-marsh"}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(any_correction, max_size=8))
def test_exported_corrections_are_imported_unchanged(corrections: list[Correction]) -> None:
    imported = toml_form.loads(toml_form.dumps(BOOK, corrections, DETECTED.cast), BOOK.id)
    assert set(imported) == set(corrections)
    exported = toml_form.dumps(BOOK, imported)
    assert toml_form.loads(exported, BOOK.id) == imported
    assert toml_form.dumps(BOOK, toml_form.loads(exported, BOOK.id)) == exported
