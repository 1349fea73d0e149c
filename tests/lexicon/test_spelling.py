"""Variant spellings of a word."""

from __future__ import annotations

import pytest

from scholar_indexes.lexicon.spelling import spelling_key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("colour", "color"),
        ("favourites", "favorites"),
        ("realise", "realize"),
        ("civilisation", "civilization"),
        ("theatre", "theater"),
        ("travelled", "traveled"),
        ("grey", "gray"),
        ("shew", "show"),
        ("defence", "defense"),
        ("judgement", "judgment"),
        ("connexion", "connection"),
        ("encyclopaedia", "encyclopedia"),
    ],
)
def test_spellings_of_a_word_have_one_key(first: str, second: str) -> None:
    assert spelling_key(first) == spelling_key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("four", "for"),
        ("rise", "size"),
        ("there", "three"),
        ("bell", "belle"),
        ("could", "cold"),
        ("filled", "filed"),
        ("would", "wold"),
        ("shoe", "she"),
        ("goes", "ges"),
    ],
)
def test_other_words_have_other_keys(first: str, second: str) -> None:
    assert spelling_key(first) != spelling_key(second)
