"""scholar collection import: annotations of other programs, and exported ones again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import MAX_NOTE_CHARS, Bookmarks

LIGHT, FUTURE = "pg64317:9.162:0-152", "pg64317:9.163:0-92"
WORDS = "Gatsby believed in the green light, the orgastic future that year by year recedes"
TRUTH = "It is a truth universally acknowledged"


def kept(name: str = "hope") -> list[tuple[str, str, str]]:
    """Return the locator, the note and the colour of each passage of a collection."""
    saved = Bookmarks(user_paths().bookmarks).quotations(name)
    return [(quotation.locator, quotation.note, quotation.colour) for quotation in saved]


def hypothesis(*notes: dict[str, Any]) -> str:
    """Return an export of Hypothes.is with these annotations, each of a selector and more."""
    rows = [
        {
            "uri": "https://example.org/gatsby.html",
            "document": {"title": ["The Great Gatsby"]},
            "target": [{"source": "https://example.org/", "selector": [selector]}],
            "text": text,
            "tags": tags,
        }
        for selector, text, tags in (
            (note.get("selector", {}), note.get("text", ""), note.get("tags", [])) for note in notes
        )
    ]
    return json.dumps({"total": len(rows), "rows": rows})


def quoted(exact: str, prefix: str = "", suffix: str = "") -> dict[str, str]:
    return {"type": "TextQuoteSelector", "exact": exact, "prefix": prefix, "suffix": suffix}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it is text without passages"),
        ("Just some notes.\n\n> quoted, without a place", "it is text without passages"),
        ("\x00\x01\x02", "it is text without passages"),
        ('{"@context": "http://www.w3.org/ns/anno.jsonld", "first": {"ite', "not complete JSON"),
        ('{"first": {"items": []}}', "it is JSON without annotations"),
        ('[{"text": "of something else"}]', "it is JSON without annotations"),
        ("[" * 100_000, "not complete JSON"),
        ("==========\n==========\n", "it has clippings without highlights"),
        ("Quote,Note,Location\na,b,12\n", "it is text without passages"),
    ],
    ids=[
        "empty",
        "no places",
        "binary",
        "half a file",
        "no items",
        "other JSON",
        "nested",
        "no highlights",
        "CSV of Readwise",
    ],
)
def test_a_file_of_another_kind_is_refused_and_changes_nothing(
    scholar: Scholar, own_sample: Path, content: str, reason: str
) -> None:
    line = error_line(scholar("collection", "import", "hope", "-", stdin=content), 2)
    assert reason in line
    assert "Hypothes.is" in line
    assert kept() == []


def test_a_file_that_cannot_be_read_is_an_error(scholar: Scholar, own_sample: Path) -> None:
    assert "there is no" in error_line(scholar("collection", "import", "hope", "no.json"), 4)
    assert "cannot be read" in error_line(scholar("collection", "import", "hope", "/"), 2)


def test_annotations_without_a_passage_are_named_and_the_others_kept(
    scholar: Scholar, own_sample: Path
) -> None:
    notes = hypothesis(
        {"text": "a note on the page"},
        {"selector": quoted("Words that no book has, whatever it may be about"), "text": "lost"},
        {"selector": quoted("\x1b[31mlight")},
        {"selector": quoted("x" * 30_000)},
        {"selector": quoted("said Mr. Bennet"), "text": "where?"},
        {"selector": quoted(WORDS), "text": "hope\x1b[2J", "tags": ["The Dream", "hope"]},
    )
    result = scholar("collection", "import", "hope", "-", stdin=notes)
    assert result.exit_code == 5
    for line in (
        "annotation 1 (The Great Gatsby) is left out: it has no words of a passage",
        "annotation 2 (The Great Gatsby): “Words that no book has, whatever it may be about” is "
        "left out: no book has its words",
        "is left out: one word is too little to search for",
        "is left out: it is too long",
        "annotation 5 (The Great Gatsby): “said Mr. Bennet” is left out: its words are at several",
        "1 added to 'hope', 0 changed, 0 already there",
        "5 of 6 have no passage in the library",
    ):
        assert line in result.stderr
    assert "\x1b" not in result.stderr
    [(locator, note, _)] = kept()
    assert locator.startswith("pg64317:9.163:")
    assert note.endswith("#The-Dream #hope")


def test_notes_that_are_too_long_together_leave_the_collection_as_it_was(
    scholar: Scholar, own_sample: Path
) -> None:
    succeeded(scholar("collection", "add", "hope", LIGHT, "--note", "a" * (MAX_NOTE_CHARS - 5)))
    before = kept()
    exported = json.loads(succeeded(scholar("export", "-c", "hope", "--to", "w3c")).stdout)
    (item,) = exported["first"]["items"]
    item["body"][0]["value"] = "another note"
    new = {"target": {"selector": [quoted(TRUTH)]}}
    stdin = json.dumps([new, item])
    line = error_line(scholar("collection", "import", "hope", "-", stdin=stdin), 2)
    assert f"the notes on {LIGHT} exceed" in line
    assert kept() == before


@pytest.fixture
def noted(scholar: Scholar, own_sample: Path) -> list[tuple[str, str, str]]:
    """Return a collection with a note, a claim and a colour, as `kept` does."""
    note = "Cite #this, with *stars* & `ticks`.\n\n1. A list > a [link](x)_"
    succeeded(scholar("collection", "add", "hope", FUTURE, "--note", note, "--claim", "he hopes"))
    succeeded(scholar("collection", "add", "hope", LIGHT, "pg1342:1.1:0-116"))
    bookmarks = Bookmarks(user_paths().bookmarks)
    future, light, _ = bookmarks.quotations("hope")
    bookmarks.set_colour(light.number, "blue")
    bookmarks.reorder(light.number, future.number, after=False)
    return kept()


def on_one_line(passage: tuple[str, str, str]) -> tuple[str, str, str]:
    locator, note, colour = passage
    return locator, " ".join(note.split()), colour


@pytest.mark.parametrize("format", ["w3c", "md", "obsidian"])
@pytest.mark.parametrize("context", [False, True], ids=["", "with context"])
def test_an_export_is_imported_again_without_doubles(
    scholar: Scholar, noted: list[tuple[str, str, str]], format: str, context: bool
) -> None:
    options = ["--context"] if context else []
    exported = succeeded(scholar("export", "-c", "hope", "--to", format, *options)).stdout
    again = succeeded(scholar("collection", "import", "hope", "-", stdin=exported))
    assert again.stderr.endswith("0 added to 'hope', 0 changed, 3 already there\n")
    assert kept() == noted

    # Into another collection, the same notes come with their colours and claims.
    new = succeeded(scholar("collection", "import", "copy", "-", stdin=exported))
    assert new.stderr.endswith("3 added to 'copy', 0 changed, 0 already there\n")
    assert sorted(map(on_one_line, kept("copy"))) == sorted(map(on_one_line, noted))
    records = succeeded(scholar("collection", "show", "copy", "--json")).json
    assert [record["claim"] for record in records if record["claim"]] == ["he hopes"]


def test_a_restored_collection_gets_only_the_passages_that_are_missing_each_in_its_place(
    scholar: Scholar,
    noted: list[tuple[str, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exported = succeeded(scholar("export", "-c", "hope", "--to", "w3c")).stdout
    succeeded(scholar("backup", str(tmp_path / "library.tar.gz"), "--no-index"))
    monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / "elsewhere"))
    succeeded(scholar("restore", str(tmp_path / "library.tar.gz")))
    again = succeeded(scholar("collection", "import", "hope", "-", stdin=exported))
    assert again.stderr.endswith("0 added to 'hope', 0 changed, 3 already there\n")
    assert kept() == noted
    for locator, *_ in noted:
        succeeded(scholar("collection", "remove", "hope", locator))
        again = succeeded(scholar("collection", "import", "hope", "-", stdin=exported))
        assert again.stderr.endswith("1 added to 'hope', 0 changed, 2 already there\n")
        assert kept() == noted


def test_printed_passages_are_added_with_their_colours(
    scholar: Scholar, noted: list[tuple[str, str, str]]
) -> None:
    printed = succeeded(scholar("collection", "show", "hope", "--format", "jsonl")).stdout
    succeeded(scholar("collection", "add", "copy", "-", stdin=printed))
    assert kept("copy") == noted


def test_a_note_that_was_edited_elsewhere_is_added_once(
    scholar: Scholar, noted: list[tuple[str, str, str]]
) -> None:
    exported = succeeded(scholar("export", "-c", "hope", "--to", "obsidian")).stdout
    edited = exported.replace("Cite \\#this", "Written in Obsidian, \\#this")
    assert edited != exported
    first = succeeded(scholar("collection", "import", "hope", "-", stdin=edited))
    assert "0 added to 'hope', 1 changed, 2 already there" in first.stderr
    second = succeeded(scholar("collection", "import", "hope", "-", stdin=edited))
    assert "0 added to 'hope', 0 changed, 3 already there" in second.stderr
    note = next(note for locator, note, _ in kept() if locator == FUTURE)
    assert note.count("Written in Obsidian") == 1
    assert note.startswith("Cite #this")


def test_a_note_with_lists_headings_and_callouts_of_its_own_is_imported_whole(
    scholar: Scholar, noted: list[tuple[str, str, str]]
) -> None:
    exported = succeeded(scholar("export", "-c", "hope", "--to", "obsidian")).stdout
    identifier = f"^{FUTURE.replace(':', '-').replace('.', '-')}\n"
    own = "- one\n- two\n\n### Mine\n\n> [!note] aside\n\n```\na \\* b\n```\n\nlast words"
    assert identifier in exported
    edited = exported.replace(identifier, f"{identifier}{own}\n")
    succeeded(scholar("collection", "import", "copy", "-", stdin=edited))
    note = next(note for locator, note, _ in kept("copy") if locator == FUTURE)
    assert note.startswith(own)
    assert len(kept("copy")) == len(noted)


def test_a_note_that_is_too_long_is_refused_whether_or_not_its_passage_is_there(
    scholar: Scholar, own_sample: Path
) -> None:
    notes = hypothesis({"selector": quoted(WORDS), "text": "a" * (MAX_NOTE_CHARS + 1)})
    line = error_line(scholar("collection", "import", "hope", "-", stdin=notes), 2)
    assert "shorten" in line
    assert kept() == []


def test_a_passage_of_another_edition_is_found_by_its_words_and_those_around_them(
    scholar: Scholar, own_sample: Path, noted: list[tuple[str, str, str]]
) -> None:
    exported = json.loads(succeeded(scholar("export", "-c", "hope", "--to", "w3c")).stdout)
    for item in exported["first"]["items"]:
        item["target"]["source"] = "https://example.org/another-edition"
        item["target"]["selector"] = [
            {**selector, "value": "gone:1.1", "start": 17}
            for selector in item["target"]["selector"]
        ]
    stdin = json.dumps(exported).replace("\\u2019", "'")
    succeeded(scholar("collection", "import", "copy", "-", stdin=stdin))
    assert [place for place, *_ in kept("copy")] == [place for place, *_ in noted]

    # Of several places with the words, the one with the words around them.
    text = succeeded(scholar("locate", "said Mr. Bennet", "-n", "2", "--json")).json
    for place in text:
        selector = quoted(place["exact"], place["selector"]["prefix"], place["selector"]["suffix"])
        stdin = hypothesis({"selector": selector})
        succeeded(scholar("collection", "import", "bennet", "-", stdin=stdin))
    assert [place for place, *_ in kept("bennet")] == [place["locator"] for place in text]


CLIPPINGS = f"""\ufeffThe Great Gatsby (F. Scott Fitzgerald)
- Your Highlight on page 180 | Location 2700-2702 | Added on Monday, 1 January 2024 10:00:00

{WORDS}
==========
The Great Gatsby (F. Scott Fitzgerald)
- Your Note on page 180 | Location 2702 | Added on Monday, 1 January 2024 10:00:05

the end of the dream
==========
The Great Gatsby (F. Scott Fitzgerald)
- Your Bookmark on page 3 | Location 50 | Added on Monday, 1 January 2024 10:00:09


==========
Pride and Prejudice (Jane Austen)
- Ihre Markierung bei Position 12-14 | Hinzugefügt am Montag, 1. Januar 2024 10:00:00

{TRUTH}
==========
Pride and Prejudice (Jane Austen)
- Ihre Notiz bei Position 99 | Hinzugefügt am Montag, 1. Januar 2024 10:00:00

on nothing
=========="""


def test_the_clippings_of_a_kindle_are_imported_with_their_notes(
    scholar: Scholar, own_sample: Path, tmp_path: Path
) -> None:
    path = tmp_path / "My Clippings.txt"
    path.write_bytes(CLIPPINGS.replace("\n", "\r\n").encode())
    result = scholar("collection", "import", "hope", str(path))
    assert result.exit_code == 5
    assert "the note “on nothing” (Pride and Prejudice) is left out" in result.stderr
    (gatsby, note, _), (austen, *_) = kept()
    assert gatsby.startswith("pg64317:9.163:")
    assert note == "the end of the dream"
    assert austen.startswith("pg1342:1.1:")


@pytest.mark.slow
def test_ten_thousand_notes_are_imported_at_once(scholar: Scholar, own_sample: Path) -> None:
    text = succeeded(scholar("show", "pg1342:1.1", "--json")).json
    words = text["exact"][:120]
    items = [
        {
            "target": {
                "selector": [
                    {"type": "FragmentSelector", "value": f"pg1342:1.1:0-{50 + number % 60}"},
                    quoted(words[: 50 + number % 60]),
                ]
            },
            "body": {"type": "TextualBody", "value": f"note {number}"},
        }
        for number in range(10_000)
    ]
    stdin = json.dumps(items)
    scholar("collection", "import", "hope", "-", stdin=stdin)
    once = kept()
    scholar("collection", "import", "hope", "-", stdin=stdin)
    assert kept() == once
