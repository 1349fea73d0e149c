"""Papers looked up by reference, and listed by collection and year."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog_entries import LONG, SPACE, TEXT, entry, many, numbers, put
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import StoredPaper
from scholar_indexes.papers.entry import Entry
from scholar_indexes.types import Facet


@pytest.fixture
def papers(tmp_path: Path) -> PaperCatalog:
    return PaperCatalog(tmp_path / "papers.sqlite")


@pytest.fixture
def catalog(papers: PaperCatalog) -> PaperCatalog:
    put(
        papers,
        entry("Counting barnacles by moonlight", "doi:10.5555/moon", "arxiv:1901.00001"),
        entry("Counting limpets at noon", "doi:10.5555/noon"),
        entry("Über die Gezeiten von Ä-Insel", "key:gezeiten"),
        entry("A tide table for nobody", "key:77"),
        entry("潮の満ち引きについての長い考察", "pmid:9"),
    )
    return papers


@pytest.mark.parametrize(
    ("reference", "number"),
    [
        pytest.param("doi:10.5555/moon", 1, id="its id"),
        pytest.param("https://doi.org/10.5555/MOON", 1, id="an address"),
        pytest.param("arXiv:1901.00001v3", 1, id="another of its ids"),
        pytest.param("3", 3, id="its number"),
        pytest.param("#3", 3, id="its number, marked"),
        pytest.param("77", 4, id="a key of digits"),
        pytest.param("gezeiten", 3, id="a citation key"),
        pytest.param("counting barnacles by moonlight", 1, id="its title"),
        pytest.param("limpets at no", 2, id="a piece of its title"),
        pytest.param("uber die GEZEITEN", 3, id="a piece without its accents"),
        pytest.param("潮の満ち引き", 5, id="the beginning of a Japanese title"),
        pytest.param("  table -- for\nnobody ", 4, id="white space and marks"),
    ],
)
def test_a_paper_is_found_by(catalog: PaperCatalog, reference: str, number: int) -> None:
    assert catalog.paper(reference).number == number


@pytest.mark.parametrize(
    ("reference", "near"),
    [
        pytest.param("doi:10.5555/mon", "doi:10.5555/moon", id="a letter missing in an id"),
        pytest.param("arxiv:1901.00002", "doi:10.5555/moon", id="a digit wrong in an id"),
        pytest.param(
            "Counting limpetts at nooon", "Counting limpets at noon", id="a title misspelt"
        ),
        pytest.param(
            "moonlight, barnacles", "Counting barnacles by moonlight", id="words out of order"
        ),
        pytest.param("gezeitn", "key:gezeiten", id="a key misspelt"),
    ],
)
def test_an_unknown_paper_is_answered_with_near_ones(
    catalog: PaperCatalog, reference: str, near: str
) -> None:
    with pytest.raises(NotThere) as raised:
        catalog.paper(reference)
    assert near in str(raised.value).partition("similar ones: ")[2].partition(")")[0]
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "reference",
    [
        "",
        " ",
        "-",
        '"',
        "' OR 1=1",
        "titles:x",
        "NEAR(a b)",
        "a AND",
        "*",
        "\x00",
        "\ud800",
        "½ ²",
        "99",
        "#",
        "9" * 30,
        "x" * 10_000,
        "a " * 5_000,
        "zzzz qqqq",
    ],
    ids=lambda reference: repr(reference)[:12],
)
def test_whatever_is_asked_is_one_clear_line(catalog: PaperCatalog, reference: str) -> None:
    with pytest.raises(NotThere, match=r"\Athere is no paper [^\n]*\Z"):
        catalog.paper(reference)


@settings(max_examples=25)
@given(st.text(max_size=40))
def test_no_reference_does_harm(reference: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        papers = PaperCatalog(Path(folder) / "papers.sqlite")
        put(papers, entry("Counting barnacles"), entry(reference, "doi:10.1/x"))
        with suppress(NotThere, UsageError):
            assert isinstance(papers.paper(reference), StoredPaper)


def test_a_piece_of_several_titles_names_them(catalog: PaperCatalog) -> None:
    with pytest.raises(UsageError, match=r"10\.5555/moon .*, doi:10\.5555/noon"):
        catalog.paper("counting")


def test_papers_come_in_the_order_of_their_adding_page_by_page(papers: PaperCatalog) -> None:
    put(papers, *many(1_200))
    assert numbers(papers) == [*range(1, 1_201)]
    assert numbers(papers, offset=1_000, limit=150) == [*range(1_001, 1_151)]
    assert numbers(papers, limit=600) == [*range(1, 601)]
    assert numbers(papers, limit=0) == numbers(papers, offset=1_200) == []


def test_a_list_may_change_while_it_is_read(papers: PaperCatalog) -> None:
    put(papers, *many(600))
    reading = papers.papers()
    seen = [next(reading).number]
    papers.unlist([1, 600])
    put(papers, *many(1, first=900))
    seen += [stored.number for stored in reading]
    assert (600 in seen, 601 in seen, len(seen)) == (False, True, 600)


@pytest.mark.parametrize(
    ("collection", "years", "expected"),
    [
        pytest.param(None, (None, None), [1, 2, 3, 4], id="all"),
        pytest.param("a", (None, None), [1, 2, 3], id="a collection"),
        pytest.param("b", (None, None), [3, 4], id="another, sharing one"),
        pytest.param(None, (2001, None), [2, 3], id="since a year"),
        pytest.param(None, (None, 2001), [1, 2], id="until a year"),
        pytest.param("b", (2002, 2002), [3], id="a collection and a year"),
        pytest.param(None, (2003, 1990), [], id="a range of nothing"),
    ],
)
def test_papers_are_listed_by_collection_and_years(
    papers: PaperCatalog,
    collection: str | None,
    years: tuple[int | None, int | None],
    expected: list[int],
) -> None:
    put(papers, *many(3), collection="a")
    put(papers, many(3)[2], entry("Undated shells of the shore", year=None), collection="b")
    assert numbers(papers, collection, years) == expected
    assert papers.count(collection, years) == len(expected)
    assert [(collection.name, collection.papers) for collection in papers.collections()] == [
        ("a", 3),
        ("b", 2),
    ]


def test_an_unknown_collection_is_refused_with_a_list_of_the_collections(
    papers: PaperCatalog,
) -> None:
    put(papers, entry(), collection="thesis")
    for ask in (
        lambda: numbers(papers, "theses"),
        lambda: papers.collection_numbers(["theses"]),
        lambda: papers.remove_from_collection([1], "theses"),
    ):
        with pytest.raises(NotThere, match="no collection 'theses'; existing ones: thesis"):
            ask()


@pytest.mark.parametrize("name", ["", " ", "a\nb", " a", "\x1b[31m", "x" * 101], ids=repr)
def test_a_name_that_cannot_be_shown_is_no_collection(papers: PaperCatalog, name: str) -> None:
    with pytest.raises(UsageError, match="one line of 1 to 100"):
        papers.add([entry()], name)
    assert papers.collections() == []


def test_leaving_the_last_collection_is_leaving_the_list(papers: PaperCatalog) -> None:
    put(papers, *many(2), collection="a")
    put(papers, many(1)[0], collection="b")
    assert papers.remove_from_collection([1, 2, 99], "a") == [2]
    assert (numbers(papers), papers.unfinished()) == ([1], [2])
    assert [stored.number for stored in papers.pending(SPACE)] == [1], (
        "its row names its collections"
    )


def test_an_export_has_abstracts_and_keeps_the_order_requested(catalog: PaperCatalog) -> None:
    items = catalog.csl_items([2, 99, 1])
    assert [item["title"] for item in items] == ["Counting limpets at noon", LONG]
    assert items[0]["abstract"] == " ".join(TEXT)
    assert "abstract" not in catalog.csl_items([])


def test_facets_are_the_sources_own_until_others_are_known(papers: PaperCatalog) -> None:
    labelled = Entry(entry().csl, ("doi:10.1/a",), ((TEXT[0], Facet.METHOD), (TEXT[1], None)))
    put(papers, labelled)
    stored = papers.paper("doi:10.1/a")
    assert stored.given == (Facet.METHOD, None)
    assert stored.paper.facets == (Facet.METHOD, Facet.OTHER)
