"""Papers exported for reference managers read back unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.papers import clean, formats
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats import csl
from scholar_indexes.serialize import references

OAK: dict[str, Any] = {
    "id": "oak2019",
    "type": "article-journal",
    "title": "Trees & {braces}: 5% of $10_000 -- a ~ b ^ c # d",
    "author": [
        {"family": "Oak", "given": "Anna Maria", "suffix": "Jr."},
        {"family": "Linde", "given": "Jan", "non-dropping-particle": "van der"},
        {"literal": "Society of Trees and Shrubs"},
        {"family": "Ærø Ash", "given": "Ö."},
    ],
    "container-title": "Journal of Trees",
    "publisher": "Wood Press",
    "volume": "3",
    "issue": "4",
    "page": "1-10",
    "issued": {"date-parts": [[2019, 6, 2]]},
    "DOI": "10.1000/trees_1",
    "archive": "arXiv",
    "archive_location": "1810.04805",
    "PMID": "123",
    "custom": {"openalex": "W99", "s2": "CorpusID:5"},
    "URL": "https://example.org/a_b?c=d&e=%20f;g~h#i",
    "language": "en",
    "keyword": "oak, elm",
}

WRITERS = {
    "bib": references.format_bibtex,
    "ris": references.format_ris,
    "json": references.format_csl,
}


def back(text: str) -> list[Entry]:
    read = list(formats.read(text.encode(), "papers"))
    assert all(isinstance(entry, Entry) for entry in read), read
    return [entry for entry in read if isinstance(entry, Entry)]


@pytest.mark.parametrize("end", ["bib", "json"])
def test_a_paper_with_everything_comes_back_the_same(end: str) -> None:
    (entry,) = back(WRITERS[end]([OAK]))
    assert entry.csl == OAK
    assert entry.ids == (
        "doi:10.1000/trees_1",
        "arxiv:1810.04805",
        "s2:CorpusID:5",
        "openalex:W99",
        "pmid:123",
        "key:oak2019",
    )


def test_ris_keeps_all_but_the_particles_of_names() -> None:
    (entry,) = back(references.format_ris([OAK]))
    names = [dict(name) for name in OAK["author"]]
    names[1] = {"family": "van der Linde", "given": "Jan"}
    assert entry.csl == OAK | {"author": names}


@pytest.mark.parametrize("end", list(WRITERS))
def test_an_abstract_is_written_where_there_is_one(end: str) -> None:
    abstract = "Trees die, 5% of them. We count {all} & more."
    (entry,) = back(WRITERS[end]([OAK | {"abstract": abstract}]))
    assert " ".join(text for text, _ in entry.sentences) == abstract


@pytest.mark.parametrize("end", list(WRITERS))
def test_every_type_of_paper_comes_back(end: str) -> None:
    for kind in sorted(csl.TYPES):
        item = {"id": "a", "type": kind, "title": "Oaks", "container-title": "Trees"}
        assert [entry.csl for entry in back(WRITERS[end]([item]))] == [item], kind


@pytest.mark.parametrize("end", list(WRITERS))
def test_no_papers_make_a_file_of_none(end: str) -> None:
    assert WRITERS[end]([]).strip() in ("", "[]")


def test_two_papers_never_share_a_citation_key() -> None:
    items = [
        {"id": "a b", "title": "One"},
        {"id": "a-b", "title": "Two"},
        {"title": "Three"},
        {"title": "Three"},
    ]
    assert [entry.csl["id"] for entry in back(references.format_bibtex(items))] == [
        "a-b",
        "a-b-2",
        "three",
        "three-2",
    ]


def test_a_citation_key_is_made_of_author_year_and_title() -> None:
    item = {key: value for key, value in OAK.items() if key != "id"} | {"title": "The Old Elms"}
    assert back(references.format_bibtex([item]))[0].csl["id"] == "oak2019elms"


@pytest.mark.parametrize("end", list(WRITERS))
def test_no_text_can_break_out_of_its_field(end: str) -> None:
    title = 'x}, note = {y\nER  - \nTY  - BOOK\n@article{z, title={w}} \\ "'
    (entry,) = back(WRITERS[end]([{"id": "a", "type": "book", "title": title}]))
    assert entry.csl["type"] == "book"
    assert "note" not in entry.csl


def test_csl_is_json_in_the_normal_form() -> None:
    (item,) = json.loads(
        references.format_csl([{"title": " <i>A</i> ", "DOI": "https://doi.org/10.1/X"}])
    )
    assert item == {"type": "document", "title": "A", "DOI": "10.1/x"}


ALPHABET = st.sampled_from("abcXYZ 019éßø文&%$#_~^-'`\",;:.()[]{}\\/=@+|<>*!?“–")


def _stable(text: str) -> bool:
    """Return True if cleaning leaves a title as it is, whether it is read as TeX or not."""
    return bool(text) and clean.to_text(text) == text == clean.to_text(text, tex=False)


TEXT = (
    st.text(ALPHABET, max_size=40).map(lambda text: clean.to_text(text, tex=False)).filter(_stable)
)
WORD = st.text(st.sampled_from("abcdeXYZéß"), min_size=1, max_size=8)
NAME = st.fixed_dictionaries({"family": WORD, "given": WORD}) | st.fixed_dictionaries(
    {"literal": WORD}
)
NUMBER = st.integers(1, 9_999).map(str)
PAGES = st.tuples(NUMBER, NUMBER).filter(lambda two: two[0] != two[1]).map("-".join) | NUMBER
YEAR = st.integers(1000, 2100)
DAY = st.one_of(
    st.tuples(YEAR),
    st.tuples(YEAR, st.integers(1, 12)),
    st.tuples(YEAR, st.integers(1, 12), st.integers(1, 28)),
).map(list)
DATE = st.one_of(
    DAY.map(lambda day: {"date-parts": [day]}),
    st.lists(DAY, min_size=2, max_size=2, unique_by=tuple).map(
        lambda days: {"date-parts": sorted(days)}
    ),
    st.builds(
        lambda year, season: {"date-parts": [[year]], "season": season}, YEAR, st.integers(1, 4)
    ),
)
ITEM = st.fixed_dictionaries(
    {
        "id": st.from_regex(r"[a-z][a-z0-9]{0,9}", fullmatch=True),
        "type": st.sampled_from(sorted(csl.TYPES)),
        "title": TEXT,
    },
    optional={
        "author": st.lists(NAME, min_size=1, max_size=4, unique_by=repr),
        "editor": st.lists(NAME, min_size=1, max_size=2, unique_by=repr),
        "container-title": TEXT,
        "collection-title": TEXT,
        "publisher": TEXT,
        "volume": NUMBER,
        "issue": NUMBER,
        "page": PAGES,
        "issued": DATE,
        "DOI": st.from_regex(r"10\.[1-9]000/[a-z0-9_()]{0,8}[a-z]", fullmatch=True),
        "PMID": NUMBER,
        "note": TEXT,
        "language": WORD,
    },
).filter(lambda item: csl.normalize(item, tex=False) == item)


@pytest.mark.slow
@pytest.mark.parametrize("end", list(WRITERS))
@settings(max_examples=25)
@given(items=st.lists(ITEM, min_size=1, max_size=3, unique_by=lambda item: item["id"]))
def test_exported_papers_are_read_back_unchanged(end: str, items: list[dict[str, Any]]) -> None:
    assert [entry.csl for entry in back(WRITERS[end](items))] == items
