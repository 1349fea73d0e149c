"""Bibliographies: every format is recognised and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibliographies import good, titles
from scholar_indexes.errors import NoPapers
from scholar_indexes.papers import formats, ids
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats import csl, csl_names, tables
from scholar_indexes.types import Facet

BIB = r"""% kept by hand
@string{acl = "Meeting of the " # {Tree Society}}
@article{oak2019,
  author = {Oak, Anna and van der Linde, Jan and {Tree Society} and Erd{\"o}s, P.},
  title = {{BERCH}: Counting $n^2$ trees -- 5\% faster},
  journal = acl, year = 2019, month = jun, pages = {1--10}, volume = 3, number = 4,
  doi = {10.1000/TREES\_1}, url = {https://doi.org/10.1000/trees_1},
  abstract = {Trees die. We count them.},
}
@misc{elm, title = "An {E}lm", eprint = {1810.04805v2}, archivePrefix = {arXiv}, date = {2018-10}}
"""

RIS = """TY  - JOUR
ID  - oak2019
AU  - Oak, Anna
AU  - Tree Society,
TI  - Counting trees
T2  - Journal of Trees
PY  - 2019///
DA  - 2019/06/02/
SP  - 1
EP  - 10
DO  - 10.1000/trees_1
UR  - https://arxiv.org/abs/1810.04805v2
AB  - Background: Trees
die.
Methods: We count them.
ER  -\x20
"""

CSL = [
    {
        "id": "oak2019",
        "type": "article-journal",
        "title": "Counting <i>all</i> trees",
        "author": [{"family": "Oak", "given": "Anna"}],
        "issued": {"date-parts": [["2019", 6]]},
        "container-title": "Journal of Trees",
        "DOI": "https://doi.org/10.1000/TREES_1",
        "abstract": "<jats:p>Trees die. We count them.</jats:p>",
    },
    {"id": "elm", "type": "article", "title": "An elm", "URL": "https://arxiv.org/abs/1810.04805"},
]

LINES = """{"paper_id": "7", "title": "Oaks", "year": 2019, "abstract": "Trees die. We count."}
{"paper_id": "8", "title": "Elms", "year": null, "abstract": ["They die.", "We count."]}
{"paper_id": "9", "title": "Ashes", "abstract": [{"facet": "objective", "text": "To see."},
"""

LINES = LINES.rstrip(",\n") + ', {"facet": "method", "text": "We look."}]}\n'

TABLE = (
    '"Key","Title","Author","Publication Year","DOI","Abstract Note"\r\n'
    '"K1","Counting trees, twice","Oak, Anna; Elm, Bo",2019,10.1000/trees_1,"Trees die.\r\nSo."\r\n'
    '"K2","Ashes","Oak A, Elm B, Ash C",,,\r\n'
)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(b"", "empty.bib", id="nothing"),
        pytest.param(b" \n\t ", "blank.ris", id="blank"),
        pytest.param(b"Dear friend,\nhow are you?", "letter.txt", id="prose"),
        pytest.param(b"Dear friend", "letter.csv", id="prose that is named .csv"),
        pytest.param(b"<html><body>No</body></html>", "page.html", id="a web page"),
        pytest.param(b"name,age\nAnna,7\n", "people.csv", id="a table of something else"),
        pytest.param(b"\x00\x01\x02\xff" * 100, "x.bin", id="bytes"),
        pytest.param(b"[1, 2, 3]", "numbers.txt", id="numbers"),
    ],
)
def test_a_file_without_papers_is_refused_at_once(data: bytes, name: str) -> None:
    with pytest.raises(NoPapers, match=r"give .*BibTeX"):
        formats.read(data, name)


@pytest.mark.parametrize(
    "opening", ["<?xml version='1.0'?><xml><records>", "\ufeff\n<rdf:RDF xmlns:z='x'>", "<xml>"]
)
def test_xml_of_other_programs_is_refused_with_what_to_do(opening: str) -> None:
    with pytest.raises(NoPapers, match=r"^a\.xml is XML; export its papers as BibTeX, RIS or"):
        formats.read(opening.encode(), "a.xml")


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        pytest.param(BIB, "x.txt", "bibtex", id="BibTeX"),
        pytest.param("{comment}\n" + BIB, "x.bib", "bibtex", id="BibTeX after a brace"),
        pytest.param(RIS, "x.txt", "ris", id="RIS"),
        pytest.param(json.dumps(CSL), "x", "csl", id="CSL array"),
        pytest.param(json.dumps({"items": CSL}), "x", "csl", id="CSL items"),
        pytest.param(json.dumps(CSL[0], indent=1), "x", "csl", id="one CSL item"),
        pytest.param("[]", "x.json", "csl", id="an empty array"),
        pytest.param(LINES, "x", "tables", id="JSON lines"),
        pytest.param(
            '{"paper_id": "1", "title": \n' + LINES, "x", "tables", id="broken first line"
        ),
        pytest.param(TABLE, "x", "tables", id="CSV"),
        pytest.param("Title\tYear\nOaks\t2019\n", "x", "tables", id="TSV"),
        pytest.param("junk\n%PDF-1.4\n", "x.bib", "pdf", id="PDF"),
        pytest.param(
            '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"/>',
            "x",
            "atom",
            id="Atom",
        ),
        pytest.param(
            '{"meta": {}, "results": [{"id": "https://openalex.org/W1", "title": "x"}]}',
            "x",
            "openalex",
            id="OpenAlex",
        ),
        pytest.param(
            '{"status": "ok", "message-type": "work", "message": {"DOI": "10.1/x"}}',
            "x",
            "crossref",
            id="Crossref",
        ),
        pytest.param(
            '{"data": [{"paperId": "a", "externalIds": {}, "title": "x"}]}',
            "x",
            "semantic_scholar",
            id="Semantic Scholar",
        ),
        pytest.param("", "x.ris", None, id="nothing"),
    ],
)
def test_a_format_is_recognised_by_its_content(data: str, name: str, expected: str | None) -> None:
    assert formats.detect_format(data.encode(), name) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
@pytest.mark.parametrize(
    "source",
    [
        "@article{a, title = {Über die Ähnlichkeit der Bäume}}",
        "TY  - JOUR\nTI  - Über die Ähnlichkeit der Bäume\nER  - \n",
        '[{"id": "a", "title": "Über die Ähnlichkeit der Bäume"}]',
        '{"paper_id": "a", "title": "Über die Ähnlichkeit der Bäume"}',
        "title,year\nÜber die Ähnlichkeit der Bäume,2019\n",
    ],
    ids=["bibtex", "ris", "csl", "json lines", "csv"],
)
def test_any_encoding_is_read(source: str, encoding: str) -> None:
    assert titles(source.encode(encoding)) == ["Über die Ähnlichkeit der Bäume"]


def test_a_bibtex_entry_becomes_a_csl_item_and_its_sentences() -> None:
    oak, elm = good(BIB)
    assert oak.csl == {
        "id": "oak2019",
        "type": "article-journal",
        "title": "BERCH: Counting n² trees – 5% faster",
        "author": [
            {"family": "Oak", "given": "Anna"},
            {"family": "Linde", "given": "Jan", "non-dropping-particle": "van der"},
            {"literal": "Tree Society"},
            {"family": "Erdös", "given": "P."},
        ],
        "container-title": "Meeting of the Tree Society",
        "issued": {"date-parts": [[2019, 6]]},
        "page": "1-10",
        "volume": "3",
        "issue": "4",
        "DOI": "10.1000/trees_1",
    }
    assert oak.ids == ("doi:10.1000/trees_1", "key:oak2019")
    assert oak.sentences == (("Trees die.", None), ("We count them.", None))
    assert (oak.line, elm.line) == (3, 10)
    assert elm.ids == ("arxiv:1810.04805", "key:elm")
    assert (elm.csl["type"], csl.item_year(elm.csl)) == ("article", 2018)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("journal = {arXiv preprint arXiv:1810.04805}", "arxiv:1810.04805"),
        ("journal = {CoRR}, volume = {abs/1810.04805}", "arxiv:1810.04805"),
        ("howpublished = {\\url{https://arxiv.org/abs/1810.04805}}", "arxiv:1810.04805"),
        ("doi = {https://doi.org/10.1000/a\\_b}", "doi:10.1000/a_b"),
        ("pmid = {123}", "pmid:123"),
        ("openalex = {W123}", "openalex:W123"),
        ("year = 2019", "key:k"),
    ],
)
def test_identifiers_are_found_wherever_bibliographies_put_them(fields: str, expected: str) -> None:
    assert good(f"@article{{k, title = {{Oaks}}, {fields}}}")[0].ids[0] == expected


def test_a_ris_record_becomes_a_csl_item_and_its_sentences() -> None:
    (oak,) = good(RIS)
    assert oak.csl == {
        "id": "oak2019",
        "type": "article-journal",
        "title": "Counting trees",
        "author": [{"family": "Oak", "given": "Anna"}, {"literal": "Tree Society"}],
        "container-title": "Journal of Trees",
        "issued": {"date-parts": [[2019, 6, 2]]},
        "page": "1-10",
        "DOI": "10.1000/trees_1",
        "archive": "arXiv",
        "archive_location": "1810.04805",
    }
    assert oak.ids == ("doi:10.1000/trees_1", "arxiv:1810.04805", "key:oak2019")
    assert oak.sentences == (
        ("Trees die.", Facet.BACKGROUND),
        ("We count them.", Facet.METHOD),
    )


@pytest.mark.parametrize("source", [json.dumps(CSL), json.dumps({"items": CSL}, indent=2)])
def test_csl_items_are_cleaned_and_normal(source: str) -> None:
    oak, elm = good(source)
    assert oak.csl["title"] == "Counting all trees"
    assert oak.csl["issued"] == {"date-parts": [[2019, 6]]}
    assert "abstract" not in oak.csl
    assert [text for text, _ in oak.sentences] == ["Trees die.", "We count them."]
    assert (oak.ids[0], elm.ids[0]) == ("doi:10.1000/trees_1", "arxiv:1810.04805")


def test_our_own_json_lines_keep_ids_sentences_and_facets() -> None:
    oaks, elms, ashes = good(LINES)
    assert [entry.ids for entry in (oaks, elms, ashes)] == [("key:7",), ("key:8",), ("key:9",)]
    assert [text for text, _ in oaks.sentences] == ["Trees die.", "We count."]
    assert [text for text, _ in elms.sentences] == ["They die.", "We count."]
    assert ashes.sentences == (("To see.", Facet.BACKGROUND), ("We look.", Facet.METHOD))
    assert [csl.item_year(entry.csl) for entry in (oaks, elms)] == [2019, None]
    assert [entry.line for entry in (oaks, elms, ashes)] == [1, 2, 3]


def test_a_table_is_read_by_its_headings() -> None:
    oak, ash = good(TABLE)
    assert oak.csl["title"] == "Counting trees, twice"
    assert csl.item_authors(oak.csl) == ("Anna Oak", "Bo Elm")
    assert csl.item_authors(ash.csl) == ("A Oak", "B Elm", "C Ash")
    assert oak.ids == ("doi:10.1000/trees_1", "key:K1")
    assert [text for text, _ in oak.sentences] == ["Trees die.", "So."]
    assert (oak.line, ash.line) == (2, 4)


def test_a_paper_of_which_only_the_title_is_known_is_named_by_it() -> None:
    (entry,) = good("title,year\nOn the Counting of Very Old Trees,2019\n")
    assert entry.ids == (ids.title_id("on the counting of very-old trees"),) or entry.ids == (
        ids.title_id("On the Counting of Very Old Trees"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada Lovelace", {"family": "Lovelace", "given": "Ada"}),
        ("Lovelace, Ada", {"family": "Lovelace", "given": "Ada"}),
        ("Lovelace AK", {"family": "Lovelace", "given": "AK"}),
        ("A. K. Lovelace", {"family": "Lovelace", "given": "A. K."}),
        ("Ludwig van Beethoven", {"family": "van Beethoven", "given": "Ludwig"}),
        ("King, Jr., Martin", {"family": "King", "suffix": "Jr.", "given": "Martin"}),
        ("Plato", {"literal": "Plato"}),
        ("", {}),
    ],
)
def test_names_are_read_as_people_write_them(text: str, expected: dict[str, str]) -> None:
    assert csl_names.parse_name(text) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"issued": {"date-parts": [["2019", "6"]]}}, 2019),
        ({"issued": {"raw": "2019-06-02"}}, 2019),
        ({"issued": {"literal": "Spring 2019"}}, 2019),
        ({"issued": {"raw": "12 March 1999"}}, 1999),
        ({"issued": 2019}, 2019),
        ({"issued": {"date-parts": [[99999]]}}, None),
        ({"issued": {"date-parts": []}}, None),
        ({"issued": {"date-parts": [[float("inf")]]}}, None),
        ({"issued": None}, None),
        ({}, None),
    ],
)
def test_a_year_is_found_or_is_none(item: dict[str, object], expected: int | None) -> None:
    assert csl.item_year(item) == expected


def test_a_venue_is_the_journal_or_else_the_publisher() -> None:
    assert csl.item_venue({"container-title": ["Trees"], "publisher": "P"}) == "Trees"
    assert csl.item_venue({"publisher": "P"}) == "P"
    assert csl.item_venue({}) == ""


def _brace(parts: list[str]) -> str:
    return f"{{{''.join(parts)}}}"


WORDS = st.text("abcde", min_size=1, max_size=4)
NESTED = st.recursive(WORDS, lambda inner: st.lists(inner, min_size=1, max_size=3).map(_brace))
VALUES = st.one_of(
    NESTED.map(lambda text: (f"{{{text}}}", text)),
    NESTED.map(lambda text: (f'"{text}"', text)),
    WORDS.map(lambda text: (f'{{"{text}#}}', f'"{text}#')),
    WORDS.map(lambda text: (f"unknown{text}", f"unknown{text}")),
    st.just(("name", "value of name")),
)
"""Values of a field as they are written, with their text."""


@given(st.lists(VALUES, min_size=1, max_size=4), st.sampled_from(["#", " # ", "\n#\t"]))
def test_the_parts_of_a_bibtex_value_are_joined(values: list[tuple[str, str]], joint: str) -> None:
    written = joint.join(value for value, _ in values)
    source = f"@string{{name = {{value of name}}}}\n@book{{key, title = {written}}}\n"
    text = "".join(text for _, text in values)
    assert titles(source) == [text.translate(str.maketrans("", "", "{}"))]


def authors_of(field: str, value: str) -> list[str]:
    record = f"TY  - JOUR\nTI  - A\n{field}  - {value}\nER  - \n"
    bibliography = (
        f"@article{{a, title={{A}}, author={{{value}}}}}" if field == "bibtex" else record
    )
    [entry] = [
        entry for entry in formats.read(bibliography.encode(), "x") if isinstance(entry, Entry)
    ]
    return [csl_names.as_read(name) for name in entry.csl["author"]]


@pytest.mark.parametrize(
    ("family", "shown"),
    [
        ("\\v{C}apek", "Čapek"),
        ("\\'Eluard", "Éluard"),
        ("{\\v C}apek", "Čapek"),
        ("{\\O}rsted", "Ørsted"),
        ("\\L{}ukasz", "Łukasz"),
        ('\\"Osterling', "Österling"),
    ],
)
@pytest.mark.parametrize(
    "place", ["{}, Ann and Oak, Ben", "Oak, Ben and {}, Ann", "Ben Oak AND\n{}"]
)
def test_a_name_that_begins_with_an_accent_keeps_it(family: str, shown: str, place: str) -> None:
    assert any(name.endswith(shown) for name in authors_of("bibtex", place.format(family)))


@pytest.mark.parametrize("field", ["bibtex", "AU"])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Ash, Ann; Oak, Ben", ["Ann Ash", "Ben Oak"]),
        ("Ann Ash, Ben Oak, Cy Elm", ["Ann Ash", "Ben Oak", "Cy Elm"]),
        ("Ash A, Oak B", ["A Ash", "B Oak"]),
        ("Ash, A., Oak, B.", ["A. Ash", "B. Oak"]),
        ("Ann Ash & Ben Oak", ["Ann Ash", "Ben Oak"]),
        ("Ash Elm, Ann May & Oak Fir, Ben Lee", ["Ann May Ash Elm", "Ben Lee Oak Fir"]),
        ("Ash, Ann and Oak, Ben", ["Ann Ash", "Ben Oak"]),
        ("Ash, Ann et al.", ["Ann Ash", "others"]),
        ("M&uuml;ller, Ann", ["Ann Müller"]),
        ("King, Martin, Jr.", ["Martin King Jr."]),
        ("Ash A, Oak B, Elm C", ["A Ash", "B Oak", "C Elm"]),
        ("Ash, Ann J., Oak, Ben-Lee", ["Ann J. Ash", "Ben-Lee Oak"]),
        ("Ash A, Oak B, and van der Elm C", ["A Ash", "B Oak", "C van der Elm"]),
        ("Ash A-B", ["A-B Ash"]),
        ("Ash Oak AB", ["AB Ash Oak"]),
        ("Çınar Ö", ["Ö Çınar"]),
        ("Ash A B", ["A B Ash"]),
        ("ASH AB", ["AB ASH"]),
        ("ANN ASH", ["ANN ASH"]),
        ("A. B. Ash", ["A. B. Ash"]),
        ("Elizabeth II", ["Elizabeth II"]),
        ("Society of Ash, Oak and Elm", ["Society of Ash, Oak and Elm"]),
    ],
)
def test_several_people_in_a_field_for_one_are_several(
    field: str, value: str, expected: list[str]
) -> None:
    if field == "bibtex":  # its institutions are in braces
        value = value.replace("Society of", "{Society of")
        value = f"{value}}}" if "{" in value else value
    assert authors_of(field, value) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("author={Ash, Ann and}, author={Oak, Ben}", {"author": "Ann Ash, Ben Oak"}),
        ("year={forthcoming}", {"status": "forthcoming"}),
        ("year={in press}, pubstate={accepted}", {"status": "accepted"}),
        ("year={n.d.}", {"status": ""}),
        ('month=mar # "~12", year=1999', {"issued": [[1999, 3, 12]]}),
        ('month=mar # "--" # apr, year=1999', {"issued": [[1999, 3], [1999, 4]]}),
        ("month={Mar.}, day=12, year=1999", {"issued": [[1999, 3, 12]]}),
        ("month=mar, year=850", {"issued": [[850, 3]]}),
        ("month={Spring}, year=1999", {"issued": [[1999]]}),
    ],
)
def test_fields_of_bibtex_as_people_fill_them_are_read(
    fields: str, expected: Mapping[str, object]
) -> None:
    [entry] = formats.read(f"@article{{a, title={{A}}, {fields}}}".encode(), "x.bib")
    assert isinstance(entry, Entry)
    names = ", ".join(csl.item_authors(entry.csl))
    dates = entry.csl.get("issued", {}).get("date-parts")
    fields_read = {"author": names, "issued": dates, "status": entry.csl.get("status", "")}
    assert fields_read.items() >= expected.items()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("collection", "book"),
        ("mvbook", "book"),
        ("manual", "book"),
        ("suppbook", "chapter"),
        ("inreference", "entry"),
        ("periodical", "periodical"),
        ("letter", "personal_communication"),
        ("movie", "motion_picture"),
        ("unheardof", "document"),
    ],
)
def test_the_types_of_biblatex_have_types_of_csl(kind: str, expected: str) -> None:
    [entry] = formats.read(f"@{kind}{{a, title={{A}}}}".encode(), "x.bib")
    assert isinstance(entry, Entry)
    assert entry.csl["type"] == expected


@pytest.mark.parametrize(
    "record",
    [
        "AU  - Ash, Ann\nTI  - A\nTY  - BOOK\nPY  - 2019\nER  - \n",
        "ty  - BOOK\nau  - Ash, Ann\nti  - A\npy  - 2019\ner  - \n",
        "  TY  - BOOK\n  AU  - Ash, Ann\n  TI  - A\n  PY  - 2019\n  ER  - \n",
        "TY\t- BOOK\nAU\t- Ash, Ann\nTI\t- A\nPY\t- 2019\nER\t- \n",
        "TY – BOOK\nAU – Ash, Ann\nTI – A\nPY – 2019\nER – \n",
        "Provider: X\n\n1.\nTY  - BOOK\n\nAU  - Ash, Ann\n\nTI  - A\nPY  - 2019\n",
    ],
    ids=["TY later", "small letters", "indented", "tabs", "dashes", "a preamble"],
)
def test_ris_of_other_spellings_is_read(record: str) -> None:
    entries = list(formats.read((record * 2).encode(), "x.ris"))
    for entry in entries:
        assert isinstance(entry, Entry), entry
        assert (entry.csl["title"], entry.csl["type"]) == ("A", "book")
        assert csl.item_authors(entry.csl) == ("Ann Ash",)
        assert csl.item_year(entry.csl) == 2019
    assert len(entries) == 2


@pytest.mark.parametrize("line", ["US – China relations", "UK - based geese", "EU – wide"])
def test_a_line_of_an_abstract_is_no_tag(line: str) -> None:
    source = f"TY  - JOUR\nTI  - A\nAB  - Of the\n{line}\nER  - \n"
    (entry,) = formats.read(source.encode(), "x.ris")
    assert isinstance(entry, Entry)
    assert entry.sentences[0][0].endswith(line)


@pytest.mark.parametrize(
    "table",
    [
        "title,isPartOf,publicationYear,issueNumber,volumeNumber,creator,pageStart,pageEnd,pageCount",
        "title,primary_location.source.display_name,publication_year,biblio.issue,biblio.volume,"
        "authorships.author.display_name,biblio.first_page,biblio.last_page,Page Count",
    ],
    ids=["Constellate", "OpenAlex"],
)
def test_tables_of_services_lose_no_column(table: str) -> None:
    row = "A,B,1999,2,14,Ann Ash|Ben Oak,11,20,10"
    [entry] = formats.read(f"{table}\n{row}\n".encode(), "x.csv")
    assert isinstance(entry, Entry)
    assert csl.item_authors(entry.csl) == ("Ann Ash", "Ben Oak")
    read = [
        entry.csl[name]
        for name in ("container-title", "volume", "issue", "page", "number-of-pages")
    ]
    assert read == ["B", "14", "2", "11-20", "10"]


@pytest.mark.parametrize("split", [csl_names.divide, tables.split_authors])
def test_names_of_others_without_end_are_read_at_once(split: Callable[[str], list[str]]) -> None:
    assert split("Ash, Ann" + " et al" * 1_500)[-1] == "others"
