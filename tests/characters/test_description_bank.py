"""The description bank: what is valid in it, that its passages exist, and composition."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books import samples
from scholar_indexes.books.adding import ingest
from scholar_indexes.books.citation import locators
from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.errors import Damaged, NotThere
from scholar_indexes.types import Gender

BUNDLED = {f"pg{sample.gutenberg_id}": sample for sample in samples.bundled()}
TITLES = frozenset(
    "mr mrs ms miss dr sir lady lord captain the of de von van and a an old young little aunt "
    "uncle father mother reverend professor doctor madame mademoiselle monsieur colonel master "
    "saint st widow squire man woman boy girl judge king queen brother sister cousin cook "
    "nurse".split()
)


def line(**fields: Any) -> str:
    """Return a described character as a line of JSON; `fields` replace its values."""
    entry = {
        "name": "Ann Dean",
        "aliases": ["Ann"],
        "gender": "female",
        "descriptions": [
            {
                "level": 1,
                "text": "the one who keeps the inn",
                "evidence": [{"locator": "pg1:1.1:0-5", "quote": "words"}],
            }
        ],
    }
    return json.dumps({**entry, **fields})


def described(level: int, text: str) -> dict[str, Any]:
    return {"level": level, "text": text}


ANN = line(
    descriptions=[
        described(1, "the one who keeps the inn"),
        described(2, "the aunt of {Ben Hale}"),
        described(2, "the landlady who hides a letter of {Cat Moore}"),
    ]
)
BEN = line(
    name="Ben Hale",
    gender="male",
    descriptions=[
        described(1, "the man who lost a boat"),
        described(2, "the guest whom {Ann Dean} turns out"),
    ],
)
CAT = line(
    name="Cat Moore",
    descriptions=[
        described(1, "the cousin who writes"),
        described(2, "the cousin whom {Ben Hale} fears"),
    ],
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "line 1", id="no JSON"),
        pytest.param("[]", "line 1", id="a list"),
        pytest.param("3", "line 1", id="a number"),
        pytest.param("[" * 99_999, "nested too deeply", id="nested without end"),
        pytest.param('{"name": "Ann"}', "'descriptions' is missing", id="no descriptions"),
        pytest.param(line(descriptions=[]), "no descriptions", id="nothing said"),
        pytest.param(line(name=" "), "expected text, got", id="no name"),
        pytest.param(line(gender="green"), "green", id="no gender"),
        pytest.param(f"{ANN}\n{ANN}", "line 2: Ann Dean appears twice", id="twice"),
        pytest.param(line(descriptions=[described(3, "one")]), "are composed", id="level 3"),
        pytest.param(line(descriptions=[described(1, "of {Ben}")]), "with 1 names", id="level 1"),
        pytest.param(line(descriptions=[described(2, "a man")]), "with 0 names", id="level 2"),
        pytest.param(
            line(descriptions=[described(2, "the aunt of {Zoe}")]),
            "'Zoe' is not another character",
            id="a stranger",
        ),
        pytest.param(
            line(descriptions=[described(2, "the aunt of {Ann Dean}")]),
            "is not another character",
            id="herself",
        ),
    ],
)
def test_a_line_that_is_no_character_is_named(text: str, message: str) -> None:
    with pytest.raises(Damaged, match=re.escape(message)):
        list(bank.parse(text, "mine.jsonl"))


def test_a_file_that_is_not_there_or_no_text_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="there is no file"):
        bank.load_file(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes("{é}".encode("latin-1"))
    with pytest.raises(Damaged, match="UTF-8"):
        bank.load_file(tmp_path / "latin.jsonl")


def test_a_book_without_descriptions_says_which_have_some() -> None:
    with pytest.raises(NotThere, match="pg1342"):
        bank.load_packaged("pg1")


@given(st.text())
def test_any_text_is_a_bank_or_refused(text: str) -> None:
    with suppress(Damaged):
        assert all(character.descriptions for character in bank.parse(text, "x"))


def everyone() -> list[DescribedCharacter]:
    return list(bank.parse("\n".join([ANN, BEN, CAT]), "x"))


def composed(level: int) -> dict[str, set[str]]:
    texts: dict[str, set[str]] = {}
    for seed in range(9):
        for character, description in bank.compose(everyone(), level, Random(seed)):
            assert description.level == level
            texts.setdefault(character.name, set()).add(description.text)
    return texts


def test_a_name_gives_way_to_a_description_of_its_bearer() -> None:
    assert composed(3) == {
        "Ann Dean": {
            "the aunt of the man who lost a boat",
            "the landlady who hides a letter of the cousin who writes",
        },
        "Ben Hale": {"the guest whom the one who keeps the inn turns out"},
        "Cat Moore": {"the cousin whom the man who lost a boat fears"},
    }


def test_no_description_has_the_name_of_its_character() -> None:
    """Ben's only description with a name in it names Ann, so it is not used to describe Ann."""
    texts = composed(4)
    assert texts["Ann Dean"] == {
        "the landlady who hides a letter of the cousin whom {Ben Hale} fears"
    }
    assert texts["Cat Moore"] == {"the cousin whom the guest whom {Ann Dean} turns out fears"}
    assert all("Ben Hale" not in text for text in texts["Ben Hale"])


def test_a_reader_sees_no_braces() -> None:
    (_, ben, _) = everyone()
    assert ben.descriptions[1].plain == "the guest whom Ann Dean turns out"


def test_the_bank_is_as_large_as_promised() -> None:
    books = bank.packaged_ids()
    everybody = [character for book in books for character in bank.load_packaged(book)]
    assert len(books) >= 61
    assert set(BUNDLED) <= set(books)
    assert len(everybody) >= 900
    assert sum(len(character.descriptions) for character in everybody) >= 3_100


@pytest.mark.parametrize("book", bank.packaged_ids())
def test_descriptions_are_distinct_phrases_with_evidence(book: str) -> None:
    everybody = bank.load_packaged(book)
    texts = Counter(
        description.text for character in everybody for description in character.descriptions
    )
    assert max(texts.values()) == 1
    for character in everybody:
        assert any(description.level == 1 for description in character.descriptions), character.name
        for description in character.descriptions:
            assert description.text[0].islower(), description.text
            assert not description.text.endswith("."), description.text
            assert description.evidence, description.text


@pytest.mark.parametrize("book", bank.packaged_ids())
def test_descriptions_name_characters_only_in_slots(book: str) -> None:
    everybody = bank.load_packaged(book)
    all_terms = {term for character in everybody for term in terms(character)}
    for character in everybody:
        for description in character.descriptions:
            outside = bank.SLOT.sub("", description.text)
            folded = {word.lower() for word in re.findall(r"[^\W\d_]+", outside)}
            capital = {word.lower() for word in re.findall(r"\b[A-Z][^\W\d_]+", outside)}
            assert not folded & terms(character), (character.name, description.text)
            assert not capital & all_terms, (character.name, description.text)


@pytest.mark.parametrize("book", sorted(BUNDLED))
def test_passages_of_the_bundled_books_are_there_and_name_the_character(book: str) -> None:
    sample = BUNDLED[book]
    proved(book, samples.read(sample), sample.title, sample.author)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("book", sorted(set(bank.packaged_ids()) - set(BUNDLED)))
def test_passages_of_the_other_books_are_there_too(book: str, shared_texts: Path) -> None:
    proved(book, (shared_texts / "primary" / f"{book[2:]}.txt").read_bytes(), None, None)


def proved(book: str, data: bytes, title: str | None, author: str | None) -> None:
    """Check that every passage is in its place, in a paragraph that names the character."""
    draft = ingest.parse_draft(
        ingest.BookSource(data, "a test", int(book[2:])), title=title, author=author, language="en"
    )
    spans = {
        (chapter.number, number): span
        for chapter in draft.chapters
        for number, span in enumerate(paragraph_spans(draft.text, chapter.body), 1)
    }
    for character in bank.load_packaged(book):
        called = [
            re.escape(name).replace(r"\ ", r"\s+") for name in (character.name, *character.aliases)
        ]
        naming = re.compile(rf"\b(?:{'|'.join(called)})\b")
        for proof in (
            proof for description in character.descriptions for proof in description.evidence
        ):
            place = locators.parse(proof.locator)
            assert place.book_id == book
            span = spans[place.chapter, place.paragraph]  # type: ignore[index]
            text = draft.text[span.start : span.end]
            assert place.span
            assert " ".join(text[place.span.start : place.span.end].split()) == proof.quote
            assert naming.search(text), (character.name, proof.locator)


def terms(character: DescribedCharacter) -> set[str]:
    """Return the words of a character's names, without titles."""
    return {
        word.lower()
        for name in (character.name, *character.aliases)
        for word in re.findall(r"[^\W\d_]+", name)
    } - TITLES


def test_every_packaged_bank_has_a_title_and_an_author() -> None:
    titles = bank.packaged_titles()
    assert set(titles) >= set(bank.packaged_ids())
    assert titles["pg1342"] == ("Pride and Prejudice", "Jane Austen")
    assert all(title and author for title, author in titles.values())


def test_a_character_without_a_gender_or_other_names_has_none() -> None:
    description = {"level": 1, "text": "the keeper of bees"}
    record = json.dumps({"name": "Ann Dean", "descriptions": [description]})
    (character,) = bank.parse(record, "a file")
    assert (character.gender, character.aliases) == (Gender.UNKNOWN, ())
