"""Scene breaks: found when a book is read, stored with its chapters, and shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import Scholar, succeeded
from scholar_indexes.books.formats import gutenberg, html
from scholar_indexes.books.segmentation import scene_breaks
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.storage import book_folder
from scholar_indexes.types import Span

ORNAMENTS = (
    "* * *",
    "*",
    "***",
    "#",
    "# # #",
    "-----",
    "- - -",
    "_________",
    "—————",
    "– – –",
    "~ ~ ~",
    "• • •",
    ". . . . .",
    "⁂",
    "❦",
    "--❦--",
    "---o---",
    "—*—",
)
NOT_ORNAMENTS = (
    "",
    "“...”",
    "...",
    "--",
    "?",
    "!!!",
    "3",
    "I.",
    "* * * THE END * * *",
    "“—————”",
    "* 1",
    "$ $ $ $",
    "_",
    "-" * 201,
)

BEFORE = "The boat went down the river in the rain, and nobody on the bank looked up."
AFTER = "In the morning the street was dry, and all the shutters were open again."


@pytest.mark.parametrize("ornament", ORNAMENTS)
def test_a_paragraph_of_nothing_but_an_ornament_is_a_break(ornament: str) -> None:
    assert scene_breaks.ornament(f"   {ornament}\n") == ornament


@pytest.mark.parametrize("paragraph", NOT_ORNAMENTS)
def test_words_numbers_and_speech_are_no_ornament(paragraph: str) -> None:
    assert scene_breaks.ornament(paragraph) == ""


@given(st.text(max_size=210))
def test_no_paragraph_with_a_word_or_a_quotation_mark_is_an_ornament(paragraph: str) -> None:
    has_word = any(sign.isalnum() and sign not in "oO" for sign in paragraph)
    if has_word or set(paragraph) & set("\"'“”‘’«»?!,;:"):
        assert scene_breaks.ornament(paragraph) == ""


@given(st.lists(st.sampled_from(["", *ORNAMENTS]), min_size=1, max_size=6))
def test_a_text_keeps_where_its_ornaments_stood(ornaments: list[str]) -> None:
    source, expected = BEFORE, []
    for number, ornament in enumerate(ornaments):
        source += f"\n\n    {ornament}\n\n{number} {AFTER}" if ornament else f"\n\n{number} {AFTER}"
        expected += [(number, ornament)] if ornament else []
    manuscript = gutenberg.read(source.encode())
    [_, chapter] = scene_breaks.assign(divide(manuscript.text), manuscript.breaks)
    paragraphs = tuple(paragraph_spans(manuscript.text, chapter.body))
    breaks = scene_breaks.find_breaks(manuscript.text, chapter, paragraphs)
    following = []
    for scene_break in breaks:
        start = manuscript.text[scene_break.span.end :].lstrip()
        following.append((int(start.split(maxsplit=1)[0]), scene_break.ornament))
    assert following == expected


def test_an_ornament_next_to_a_heading_separates_no_scenes() -> None:
    source = f"CHAPTER I\n\n* * *\n\n{BEFORE}\n\n* * *\n\nCHAPTER II\n\n{AFTER}\n\n* * *\n"
    manuscript = gutenberg.read(source.encode())
    chapters = scene_breaks.assign(divide(manuscript.text), manuscript.breaks)
    assert [chapter.title for chapter in chapters][1:] == ["Chapter I", "Chapter II"]
    assert not any(chapter.breaks for chapter in chapters)


@pytest.mark.parametrize(
    ("between", "ornament"),
    [
        pytest.param("<hr class='tb'/>", scene_breaks.RULE, id="a rule"),
        pytest.param("<p class='center'>* &nbsp; * &nbsp; *</p>", "* * *", id="an ornament"),
        pytest.param("<hr/><p>⁂</p><hr/>", "⁂", id="an ornament that is kept as a paragraph"),
        pytest.param("<p></p>", None, id="nothing"),
    ],
)
def test_a_page_keeps_its_rules(between: str, ornament: str | None) -> None:
    page = f"<html><body><p>{BEFORE}</p>{between}<p>{AFTER}</p></body></html>"
    manuscript = html.read(page.encode())
    [_, chapter] = scene_breaks.assign(divide(manuscript.text), manuscript.breaks)
    paragraphs = tuple(paragraph_spans(manuscript.text, chapter.body))
    breaks = scene_breaks.find_breaks(manuscript.text, chapter, paragraphs)
    assert ornament in [scene_break.ornament for scene_break in breaks] or (ornament, breaks) == (
        None,
        (),
    )
    assert all(
        paragraphs[0].end < scene_break.span.start <= paragraphs[-1].start for scene_break in breaks
    )


@pytest.fixture
def two_scenes(scholar: Scholar, tmp_path: Path) -> None:
    path = tmp_path / "two scenes.txt"
    end = " ".join([BEFORE, AFTER] * 8)
    path.write_text(f"{BEFORE}\n\n       *       *       *\n\n{AFTER}\n\n⁂\n\n{end}\n", "utf-8")
    succeeded(scholar("add", str(path), "--title", "Two Scenes"))


def test_show_prints_a_break_as_the_book_does(scholar: Scholar, two_scenes: None) -> None:
    shown = succeeded(scholar("show", "own-two-scenes:1")).stdout
    assert "looked up.\n\n    * * *\n\n  2 In the morning" in shown
    assert "open again.\n\n  3 ⁂\n\n  4 The boat" in shown
    alone = succeeded(scholar("show", "own-two-scenes:1.2", "--context", "0")).stdout
    assert "*" not in alone


def test_other_formats_of_show_have_the_break_too(scholar: Scholar, two_scenes: None) -> None:
    record = succeeded(scholar("show", "own-two-scenes:1", "--json")).json
    assert [part["break_before"] for part in record["paragraphs"]] == [None, "* * *", None, None]
    rows = succeeded(scholar("show", "own-two-scenes:1", "--format", "plain")).stdout.splitlines()
    assert rows[1] == "\t* * *"
    assert [row.partition("\t")[0][-4:] for row in rows] == [":1.1", "", ":1.2", ":1.3", ":1.4"]


def folder_of(home: Path) -> Path:
    [folder] = [path for path in (home / "data" / "books").iterdir() if "two-scenes" in path.name]
    return folder


def test_a_book_stored_before_breaks_were_kept_has_the_breaks_of_its_text(
    scholar: Scholar, home: Path, two_scenes: None, tmp_path: Path
) -> None:
    folder = folder_of(home)
    chapters = json.loads((folder / "chapters.json").read_text("utf-8"))
    for chapter in chapters:
        del chapter["breaks"]
    (folder / "chapters.json").write_text(json.dumps(chapters), "utf-8")
    (folder / "book.json").unlink()
    shown = succeeded(scholar("show", "own-two-scenes:1")).stdout
    assert ("* * *" in shown, "⁂" in shown) == (False, True)
    source = str(tmp_path / "two scenes.txt")
    again = succeeded(scholar("add", source, "--title", "Two Scenes", "--refresh", "--json"))
    assert again.json[0]["outcome"] == "replaced"
    assert "* * *" in succeeded(scholar("show", "own-two-scenes:1")).stdout


def test_a_repair_keeps_the_breaks_that_can_be_read(
    scholar: Scholar, home: Path, two_scenes: None
) -> None:
    folder = folder_of(home)
    kept = book_folder.chapters(folder)
    (folder / "sentences.npy").unlink()
    succeeded(scholar("doctor", "--repair"))
    assert book_folder.chapters(folder) == kept
    assert kept[1].breaks[0].span == Span(len(BEFORE) + 2, len(BEFORE) + 2)
