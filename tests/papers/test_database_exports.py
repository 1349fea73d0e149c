"""What databases export is read whole: every field, and no notice for a sentence of an abstract."""

from __future__ import annotations

import pytest

from bibliographies import entries, good
from database_exports import EXPORTS
from scholar_indexes.papers.entry import UnreadableEntry
from scholar_indexes.papers.formats import csl, csl_names
from scholar_indexes.papers.notices import without_notices

WITHOUT_ABSTRACT = ("PubMed CSV", "Google Scholar CSV")
WITHOUT_KEYWORDS = (
    *WITHOUT_ABSTRACT,
    "Dimensions CSV",
    "JSTOR RIS",
    "JSTOR BibTeX",
    "Project MUSE RIS",
)
WITHOUT_PUBLISHER = ("PubMed", "PubMed CSV", "Dimensions CSV")
WITHOUT_DOI = ("JSTOR RIS", "Google Scholar CSV")
FIRST_PAGE_ONLY = ("EBSCO CSV",)
WITH_INITIALS = ("Scopus RIS", "PubMed CSV", "IEEE Xplore CSV")


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_of_a_database_loses_no_field(name: str) -> None:
    (entry,) = good(EXPORTS[name])
    item = entry.csl
    assert (item["type"], item["title"]) == ("article-journal", "Chess in the Victorian novel")
    assert item["container-title"].lower() == "journal of board games"
    assert (item["volume"], item["issue"]) == ("14", "3")
    assert item["page"] == ("211" if name in FIRST_PAGE_ONLY else "211-230")
    assert csl.item_year(item) == 2019
    authors = csl.item_authors(item)
    if name in WITH_INITIALS:
        assert [author.split()[-1].strip(".") for author in authors][:1] == ["Rook"]
        assert "van der Pawn" in authors[1]
    else:
        assert [author.rstrip(".") for author in authors] == [
            "Ann Rook",
            "Ben C. van der Pawn",
        ] or (authors == ("Ann Rook", "Ben C van der Pawn"))
    if name not in WITHOUT_DOI:
        assert entry.ids[0] == "doi:10.5555/chess.1"
    if name not in WITHOUT_KEYWORDS:
        assert sorted(csl.item_tags(item)) == ["chess", "novel"]
    sentences = [text for text, _ in entry.sentences]
    assert sentences == (
        [] if name in WITHOUT_ABSTRACT else ["Novels play chess.", "We count 90 games."]
    )
    if name not in WITHOUT_PUBLISHER:
        assert item["publisher"].lower() == "board press"


@pytest.mark.parametrize(
    "placeholder",
    [
        "[No abstract available]",
        "No abstract available.",
        "[ABSTRACT NOT AVAILABLE]",
        "No Abstract",
        "Abstract unavailable",
        "There is no abstract available for this article.",
        "No abstract is available for this article.",
        "An abstract is not available for this content so a preview has been provided. As you "
        "have access to this content, a full PDF is available via the ‘Save PDF’ action button.",
        "Not available",
        "N/A",
        "-",
        "[Résumé non disponible]",
        "Kein Abstract verfügbar",
        "© 2015 Springer.",
        "Copyright © 2019 Elsevier Inc. All rights reserved.",
    ],
)
def test_words_for_no_abstract_are_no_abstract(placeholder: str) -> None:
    sources = (
        f'title,abstract\nOaks,"{placeholder}"\n',
        f"TY  - JOUR\nTI  - Oaks\nAB  - {placeholder}\nER  - \n",
        f"@article{{a, title={{Oaks}}, abstract={{{placeholder}}}}}",
        f"PMID- 1\nTI  - Oaks\nAB  - {placeholder}\n",
        f"PT J\nTI Oaks\nAB {placeholder}\nER\n",
    )
    for source in sources:
        assert [entry.sentences for entry in good(source)] == [()], source


@pytest.mark.parametrize(
    "notice",
    [
        "© 2020 Made Up Press. All rights reserved.",
        "Copyright © 2019 Elsevier Inc. All rights reserved.",
        "© The Author(s) 2020. Published by Oxford University Press on behalf of a society.",
        "This article is protected by copyright. All rights reserved.",
        "(PsycInfo Database Record (c) 2020 APA, all rights reserved).",
        "[ABSTRACT FROM AUTHOR] Copyright of Oaks is the property of Oak Ltd. Users may print.",
        "(c) 1999 Academic Press.",
        "Copyright 2010 APA, all rights reserved.",
        "Published by Elsevier Ltd.",
        "Reprinted by permission of the publisher.",
    ],
)
def test_copyright_lines_are_no_sentences_of_an_abstract(notice: str) -> None:
    assert without_notices(f"We count oaks. {notice}") == "We count oaks."


@pytest.mark.parametrize(
    "notice",
    [
        "© 2015, Springer Science+Business Media New York.",
        "© 2015 Elsevier Ltd. ",
        "© 2015 Elsevier B.V. All rights reserved. ",
        "© 2015 J. Wiley & Sons, Inc. All rights reserved. Published by Wiley. ",
    ],
)
def test_a_copyright_line_at_the_start_takes_no_sentence_with_it(notice: str) -> None:
    assert without_notices(f"{notice}Oaks are old. We count.") == "Oaks are old. We count."


@pytest.mark.parametrize(
    "abstract",
    [
        "No abstract art was seen before 1900. We count.",
        "We count (a) oaks, (b) elms, and (c) 3 ashes. We end.",
        "Copyright law is old. Copyright 1710 was the first statute. We read it.",
        "The © sign is studied here. © is old.",
        "The novel was not available. We waited.",
    ],
)
def test_sentences_about_copyright_or_abstracts_are_kept(abstract: str) -> None:
    assert without_notices(abstract) == abstract


@pytest.mark.parametrize(
    ("entry", "field", "line"),
    [
        pytest.param("@article{b,\n author = {B, C}\n title = {B}}", "author", 3, id="braces"),
        pytest.param('@article{b,\n author = "B, C"\n title = {B}}', "author", 3, id="quotes"),
        pytest.param("@article{b,\n title={B}, year = 2020\n pages={1}}", "year", 3, id="number"),
        pytest.param("@article{b,\n title={B}, month = jan year = 2020}", "month", 3, id="a name"),
        pytest.param("@article{b,\n author={B};\n title={B}}", "author", 3, id="semicolon"),
        pytest.param("@article{b,\n title={A\nB}\n\n year={2020}}", "title", 4, id="two lines"),
        pytest.param('@article{b,\n title="B" # { c}\n year=2020}', "title", 3, id="joined"),
        pytest.param("@article{b, author={B}title={B}}", "author", 2, id="no space"),
    ],
)
def test_a_bibtex_entry_without_a_comma_between_fields_is_named(
    entry: str, field: str, line: int
) -> None:
    before, broken, after = entries(f"@article{{a, title={{A}}}}\n{entry}\n@book{{c, title={{C}}}}")
    assert broken == UnreadableEntry(2, f"b has no comma after {field}; add one in line {line}")
    assert [before.csl["title"], after.csl["title"]] == ["A", "C"]  # type: ignore[union-attr]


@pytest.mark.parametrize("value", ["{a = b}", '"x = y"', "http://x.example/?a=b", "{A} # {b = c}"])
def test_an_equals_sign_in_a_bibtex_value_is_no_field(value: str) -> None:
    assert len(good(f"@article{{a, title={{A}}, note={value}, year=2020}}")) == 1


PROCEEDINGS = """@proceedings{p, title={Proc}, subtitle={of Oaks}, editor={Elm, Eve}, year=1991,
 publisher={P}, doi={10.1000/p}, abstract={All talks.}}
"""


@pytest.mark.parametrize("first", [True, False], ids=["parent first", "parent last"])
def test_a_crossref_gives_a_paper_its_volume(first: bool) -> None:
    child = "@inproceedings{c, title={C}, author={A, B}, crossref={P}, pages={1--2}}\n"
    read = good(PROCEEDINGS + child if first else child + PROCEEDINGS)
    (paper,) = (entry for entry in read if entry.csl["title"] == "C")
    assert paper.csl["container-title"] == "Proc: of Oaks"
    assert paper.csl["editor"] == [{"family": "Elm", "given": "Eve"}]
    assert (csl.item_year(paper.csl), paper.csl["publisher"]) == (1991, "P")
    assert (paper.ids, paper.sentences) == (("key:c",), ())


def test_xdata_gives_its_fields_and_is_no_paper_and_nor_is_a_set() -> None:
    read = entries(
        "@set{s, entryset={a,b}}\n@xdata{x, publisher={P}, xdata={y}}\n@xdata{y, location={Q}}\n"
        "@article{a, title={A}, xdata={x}}\n@book{b, title={B}, publisher={Own}, xdata={x, z}}\n"
    )
    items = [entry.csl for entry in read]  # type: ignore[union-attr]
    assert [item["title"] for item in items] == ["A", "B"]
    assert [item["publisher"] for item in items] == ["P", "Own"]
    assert [item["publisher-place"] for item in items] == ["Q", "Q"]


def test_a_key_that_is_a_doi_is_the_doi_of_the_paper() -> None:
    jstor, other = good(
        "@article{10.2307/2708343, title={Geese}}\n"
        "@article{10.2307/1, doi={10.1000/x}, title={Hens}}"
    )
    assert (jstor.csl["DOI"], other.csl["DOI"]) == ("10.2307/2708343", "10.1000/x")


def test_an_entry_without_a_key_gives_nothing_to_others() -> None:
    first, second = good("@book{, title={Fens}, year=1999}\n@book{moths, title={Moths}}", "x.bib")
    assert (first.csl["title"], second.csl["title"]) == ("Fens", "Moths")
    assert "issued" not in second.csl


def test_entries_that_refer_to_each_other_are_read_once() -> None:
    circle = "".join(
        f"@book{{b{n}, title={{B{n}}}, crossref={{b{(n + 1) % 3}}}}}\n" for n in range(3)
    )
    assert [entry.csl["title"] for entry in good(circle)] == ["B0", "B1", "B2"]


def test_crossrefs_to_a_long_entry_do_not_fill_the_memory() -> None:
    parent = f"@proceedings{{p, title={{{'long ' * 40_000}}}}}\n"
    children = "".join(
        f"@inproceedings{{c{n}, title={{C{n}}}, crossref={{p}}}}\n" for n in range(100)
    )
    read = entries(parent + children)
    assert any(isinstance(entry, UnreadableEntry) and "crossref" in entry.reason for entry in read)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("World Health Organization", {"literal": "World Health Organization"}),
        ("University of California, Berkeley", {"literal": "University of California, Berkeley"}),
        ("Chess Study Group", {"literal": "Chess Study Group"}),
        ("King, Martin Luther, Jr.", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}),
        ("de la Cruz, Maria", {"family": "de la Cruz", "given": "Maria"}),
        ("Ludwig van Beethoven", {"family": "van Beethoven", "given": "Ludwig"}),
    ],
)
def test_institutions_and_particles_stay_whole(name: str, expected: dict[str, str]) -> None:
    assert csl_names.parse_name(name) == expected


@pytest.mark.parametrize(
    "years",
    [", 1775-1817", ", 1775-1817.", ", 1775-", ", b. 1975", " (1775–1817)", ", ca. 1775-1817"],
)
def test_the_years_in_which_people_lived_are_no_part_of_their_names(years: str) -> None:
    for source in (
        f"@book{{a, title={{Oaks}}, author={{Ash, Ann{years} and Oak, Ben{years}}}}}",
        f"TY  - BOOK\nTI  - Oaks\nAU  - Ash, Ann{years}\nAU  - Oak, Ben{years}\nER  - \n",
        f'title,authors\nOaks,"Ash, Ann{years}; Oak, Ben{years}"\n',
    ):
        (entry,) = good(source)
        assert csl.item_authors(entry.csl) == ("Ann Ash", "Ben Oak"), source


@pytest.mark.parametrize("pages", ["pp. 12-20", "p. 12–20", "Pages 12--20", "pp.12 - 20"])
def test_pages_are_numbers_without_a_word(pages: str) -> None:
    (entry,) = good(f"TY  - JOUR\nTI  - Oaks\nSP  - {pages}\nER  - \n")
    assert entry.csl["page"] == "12-20"


@pytest.mark.parametrize(
    "source",
    [
        "@book{a, title={Oaks}, author={Oak, Ann and others}}",
        "TY  - BOOK\nTI  - Oaks\nAU  - Oak, Ann\nAU  - et al.\nER  - \n",
        'title,authors\nOaks,"Oak, Ann; et al."\n',
        'title,authors\nOaks,"Oak, Ann et al."\n',
        "PMID- 1\nTI  - Oaks\nFAU - Oak, Ann\nFAU - et al.\n",
    ],
)
def test_people_whom_a_source_omits_are_others(source: str) -> None:
    (entry,) = good(source)
    assert csl.listed_authors(entry.csl) == ("Ann Oak", csl_names.OTHERS)


def test_a_full_title_of_a_journal_comes_before_its_abbreviations() -> None:
    tags = ("JO  - J. Oaks", "JA  - J Oaks", "JF  - Journal of Oaks", "J2  - Jl. Oaks")
    for order in (tags, tags[::-1]):
        (entry,) = good("\n".join(("TY  - JOUR", "TI  - Oaks", *order, "ER  - ")))
        assert entry.csl["container-title"] == "Journal of Oaks"
        assert entry.csl["container-title-short"] == "Jl. Oaks"


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("20190602//", [[2019, 6, 2]]),
        ("2019/06/02/", [[2019, 6, 2]]),
        ("2019///", [[2019]]),
        ("2019 Jun 2", [[2019, 6, 2]]),
        ("2 June 2019", [[2019, 6, 2]]),
        ("2014-01-17", [[2014, 1, 17]]),
        ("2014/01/17", [[2014, 1, 17]]),
        ("2019-06-25T10:00:00Z", [[2019, 6, 25]]),
        ("17.01.2014", [[2014]]),
        ("10/28/2014", [[2014]]),
        ("June 2, 2019", [[2019, 6, 2]]),
        ("2019 Jun-Jul", [[2019, 6], [2019, 7]]),
        ("May/June 2019", [[2019, 5], [2019, 6]]),
        ("2001-2003", [[2001], [2003]]),
        ("2001--2003", [[2001], [2003]]),
        ("2001–2003", [[2001], [2003]]),
        ("2001/2003", [[2001], [2003]]),
        ("2001-06/2001-08", [[2001, 6], [2001, 8]]),
        ("2001-06-30/2001-07-02", [[2001, 6, 30], [2001, 7, 2]]),
        ("1998/99", [[1998], [1999]]),
        ("2001/02", [[2001, 2]]),
        ("2003-2001", [[2003]]),
        ("Winter 1999-2000", [[1999], [2000]]),
        ("c. 1850", [[1850]]),
        ("19th century", None),
    ],
)
def test_dates_are_read_as_databases_write_them(
    date: str, expected: list[list[int]] | None
) -> None:
    (record,) = good(f"TY  - JOUR\nTI  - Oaks\nY1  - {date}\nER  - \n")
    (entry,) = good(f"@article{{a, title={{Oaks}}, date={{{date}}}}}")
    for read in (record, entry):
        assert read.csl.get("issued") == (expected and {"date-parts": expected})


@pytest.mark.parametrize(
    ("date", "season"),
    [
        ("Spring 2019", 1),
        ("2019///Summer", 2),
        ("Fall 2019", 3),
        ("2019, Autumn issue", 3),
        ("2019-24", 4),
    ],
)
def test_a_season_is_kept(date: str, season: int) -> None:
    for source in (
        f"TY  - JOUR\nTI  - Oaks\nY1  - {date}\nER  - \n",
        f"@article{{a, title={{Oaks}}, date={{{date}}}}}",
        f'[{{"title": "Oaks", "issued": {{"raw": "{date}"}}}}]',
        f'[{{"title": "Oaks", "issued": {{"date-parts": [[2019]], "season": "{season}"}}}}]',
    ):
        (entry,) = good(source)
        assert entry.csl["issued"] == {"date-parts": [[2019]], "season": season}
