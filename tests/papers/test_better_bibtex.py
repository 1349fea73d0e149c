"""Better BibTeX exports are read completely, with unchanged citation keys, names and tags."""

from __future__ import annotations

from better_bibtex import BIBLATEX, JSON
from bibliographies import entries, good
from scholar_indexes.papers import formats
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats.csl import item_tags, item_venue, item_year, listed_authors


def test_every_entry_is_read_under_its_citation_key() -> None:
    read = entries(BIBLATEX)
    assert all(isinstance(entry, Entry) for entry in read)
    assert [entry.ids[-1] for entry in good(BIBLATEX)] == [
        "key:exampleLampsThatCount2020",
        "key:beethovenFens2021",
        "key:goghMotten1999",
        "key:oneilWeight2010",
    ]


def test_an_article_has_all_its_fields() -> None:
    lamps = good(BIBLATEX)[0]
    assert lamps.csl["title"] == "Lamps That Count Moths: A Study of LED Lamps"
    assert listed_authors(lamps.csl) == (
        "Ann Example",
        "Jörg Müller",
        "Society for Moths",
        "others",
    )
    assert (item_year(lamps.csl), item_venue(lamps.csl)) == (2020, "Journal of Lamps & Weights")
    assert (lamps.csl["issue"], lamps.csl["page"]) == ("2", "1-12")
    assert lamps.csl["URL"] == "https://example.org/lamps?a=1&b=2"
    assert lamps.ids[0] == "doi:10.5555/lamp_2020"
    assert item_tags(lamps.csl) == ("insects", "to-read", "lamps electric")
    assert lamps.csl["note"] == "Comment: 16 pages"
    assert [text for text, _ in lamps.sentences] == [
        "Moths are counted by hand.",
        "We count 7.7% more of them with a lamp; n=5 lamps.",
        "The lamp is right for nine moths in ten.",
    ]


def test_a_prefix_belongs_to_the_family_name_or_is_dropped_as_the_export_says() -> None:
    _, fens, motten, _ = good(BIBLATEX)
    assert fens.csl["author"] == [
        {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"},
        {"family": "Other", "given": "Ben"},
    ]
    assert motten.csl["author"] == [
        {"family": "Gogh", "given": "Vincent", "dropping-particle": "van"}
    ]
    assert fens.ids[0] == "arxiv:2105.01234"
    assert item_year(fens.csl) == 2021


def test_a_name_of_many_parts_that_fits_no_format_is_read_at_once() -> None:
    name = ",".join(['a=" "  '] * 80) + ",!"
    (entry,) = good(f"@book{{a, title={{Moths}}, author={{{name}}}}}")
    assert entry.csl["title"] == "Moths"


def test_its_json_is_read_with_tags_notes_and_keys() -> None:
    assert formats.detect_format(JSON.encode(), "library.json") == "zotero_json"
    lamps, fens = good(JSON)
    assert lamps.csl["title"] == "Lamps That Count Moths"
    assert lamps.ids == ("doi:10.5555/lamp", "key:exampleLamps2020")
    assert listed_authors(lamps.csl) == ("Ann Example", "Society for Moths")
    assert item_tags(lamps.csl) == ("insects", "to read")
    assert lamps.csl["note"] == "Ask Ben."
    assert len(lamps.sentences) == 2
    assert fens.ids[0] == "arxiv:2105.01234"


def test_a_long_json_is_recognised_by_its_beginning() -> None:
    padded = JSON.replace('"items": [', '"items": [' + '{"itemType": "note", "note": "x"},' * 9_000)
    assert formats.detect_format(padded.encode(), "library.json") == "zotero_json"
    assert len(good(padded)) == 2
