"""scholar characters --edit, --export, --import, --corrections and --undo, as a user runs them."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest
from lxml import etree

from command_line import CommandResult, Scholar, error_line, succeeded

MERGED = '[[merge]]\nnames = ["Mr. Hale", "Elizabeth Marsh"]\n'
RENAMED = '[[rename]]\nname = "Mr. Hale"\nto = "Edward Hale"\nnote = "his letters"\n'
HUSH = "own-the-quay:2.3:1-66"
HERS = f'[[quotation]]\nlocator = "{HUSH}"\nspeaker = "Elizabeth"\n'
NOWHERE = '[[quotation]]\nlocator = "own-the-quay:2.3:1-67"\nspeaker = "Elizabeth"\n'


def put(scholar: Scholar, text: str | bytes) -> CommandResult:
    return scholar("characters", "quay", "--import", "-", stdin=text)


def listed(scholar: Scholar) -> list[tuple[int, str, str]]:
    """Return the number, the words and the problem of each correction."""
    records = succeeded(scholar("characters", "quay", "--corrections", "--json")).json
    return [(record["number"], record["correction"], record["problem"]) for record in records]


def names(scholar: Scholar) -> list[str]:
    return [record["name"] for record in succeeded(scholar("characters", "quay", "--json")).json]


def stored(home: Path) -> Path:
    return home / "data" / "corrections" / "own-the-quay.toml"


def write_stored(home: Path, text: str) -> None:
    """Write corrections as stored before other rules detected another cast."""
    stored(home).parent.mkdir(exist_ok=True)
    stored(home).write_text(text, "utf-8")


def set_editor(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Make a shell script the editor; it edits the file $2."""
    editor = folder / "editor"
    editor.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{editor} --wait")


# -- what is refused -----------------------------------------------------------------------------


def test_corrections_of_a_missing_book_are_an_error(scholar: Scholar, quay: Path) -> None:
    for option in (["--corrections"], ["--export", "-"], ["--undo", "1"], ["--import", "-"]):
        assert "no book is called" in error_line(scholar("characters", "emma", *option), 4)


def test_only_one_action_is_done_at_a_time(scholar: Scholar, quay: Path) -> None:
    result = scholar("characters", "quay", "--edit", "--undo", "1")
    assert "--edit and --undo cannot be combined" in error_line(result, 2)


def test_a_file_that_is_not_there_is_an_error(scholar: Scholar, quay: Path, tmp_path: Path) -> None:
    result = scholar("characters", "quay", "--import", str(tmp_path / "none.toml"))
    assert "cannot be read" in error_line(result, 4)
    result = scholar("characters", "quay", "--export", str(tmp_path / "none" / "a.toml"))
    assert "there is no folder" in error_line(result, 4)
    result = scholar("characters", "quay", "--export", str(tmp_path))
    assert "is a folder" in error_line(result, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MERGED + "[[rename]\n", "(at line 3, column"),
        (b"note = '\xff'", "is not UTF-8 at byte 8"),
        (RENAMED + '[[gender]]\nname = "Elisabeth"\ngender = "female"', "perhaps Elizabeth"),
        (RENAMED + NOWHERE, "there is no quotation at own-the-quay:2.3:1-67"),
        (MERGED + '[[not_a_person]]\nname = "Mr. Hale"', "also merged or renamed"),
    ],
    ids=["no TOML", "no UTF-8", "an unknown name", "an unknown quotation", "a clash"],
)
def test_an_import_with_one_mistake_changes_nothing(
    scholar: Scholar, quay: Path, text: str | bytes, message: str
) -> None:
    succeeded(put(scholar, HERS))
    before = stored(quay).read_bytes()
    assert message in error_line(put(scholar, text), 2)
    assert stored(quay).read_bytes() == before
    assert listed(scholar) == [(1, f"{HUSH} is said by Elizabeth", "")]


def test_a_number_that_no_correction_has_is_an_error(scholar: Scholar, quay: Path) -> None:
    succeeded(put(scholar, RENAMED))
    for number in ("0", "2", "-1"):
        message = error_line(scholar("characters", "quay", "--undo", number), 2)
        assert f"correction {number} does not exist, the book has 1" in message


def test_an_editor_must_be_set_and_end_well(
    scholar: Scholar, quay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    assert "no editor is set" in error_line(scholar("characters", "quay", "--edit"), 2)
    monkeypatch.setenv("EDITOR", str(tmp_path / "none"))
    assert "cannot be started" in error_line(scholar("characters", "quay", "--edit"), 2)
    set_editor(monkeypatch, tmp_path, f"echo '{RENAMED}' > $2; exit 3")
    assert "exited with 3" in error_line(scholar("characters", "quay", "--edit"), 2)
    assert not stored(quay).exists()


def test_a_text_that_is_refused_is_left_for_its_writer(
    scholar: Scholar, quay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_editor(monkeypatch, tmp_path, f"echo '{NOWHERE}' > $2")
    message = error_line(scholar("characters", "quay", "--edit"), 2)
    path = Path(message.rpartition(" --import ")[2])
    assert path.read_text("utf-8").strip() == NOWHERE.strip()
    shutil.rmtree(path.parent)


def test_corrections_made_while_the_editor_is_open_are_kept_and_so_is_the_edited_text(
    scholar: Scholar, quay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_stored(quay, "")
    meanwhile = f"echo '{MERGED}' > {stored(quay)}"
    set_editor(monkeypatch, tmp_path, f"{meanwhile}; echo '{RENAMED}' >> $2")
    message = error_line(scholar("characters", "quay", "--edit"), 2)
    assert "changed while you edited them" in message
    assert [text for _, text, _ in listed(scholar)] == ["Mr. Hale and Elizabeth Marsh are one"]
    path = Path(message.rpartition(" --import ")[2])
    assert RENAMED.strip() in path.read_text("utf-8")
    shutil.rmtree(path.parent)


def test_a_correction_that_no_longer_fits_is_skipped_and_reported_once(
    scholar: Scholar, quay: Path
) -> None:
    write_stored(quay, RENAMED + NOWHERE + '[[not_a_person]]\nname = "the Kraken"\n')
    result = succeeded(scholar("characters", "quay"))
    assert result.stderr.splitlines() == [
        "corrections of The Quay that do not fit it are not applied (2); "
        "see: scholar characters own-the-quay --corrections"
    ]
    assert "Edward Hale" in result.stdout
    problems = [problem for _, _, problem in listed(scholar)]
    assert problems[0] == ""
    assert "there is no quotation at" in problems[1]
    assert "no character is called 'the Kraken'" in problems[2]
    table = succeeded(scholar("characters", "quay", "--corrections")).lines
    assert [line.split()[0] for line in table] == ["number", "1", "2", "3"]


def test_a_correction_that_no_longer_fits_may_stay_with_new_ones(
    scholar: Scholar, quay: Path
) -> None:
    write_stored(quay, NOWHERE)
    succeeded(put(scholar, NOWHERE + RENAMED))
    assert [words for _, words, _ in listed(scholar)] == [
        "own-the-quay:2.3:1-67 is said by Elizabeth",
        "Mr. Hale is called Edward Hale",
    ]


def test_a_broken_file_is_reported_and_ignored_and_can_be_replaced(
    scholar: Scholar, quay: Path
) -> None:
    write_stored(quay, "[[merge")
    result = succeeded(scholar("characters", "quay"))
    assert "cannot be read" in result.stderr
    assert "continuing without it" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    for option in ("--corrections", "--undo=1", "--export=-"):
        assert "cannot be read" in error_line(scholar("characters", "quay", option), 1)
    succeeded(put(scholar, RENAMED))
    assert "Edward Hale" in names(scholar)


# -- what succeeds -------------------------------------------------------------------------------


def test_without_corrections_a_message_explains_how_to_make_some(
    scholar: Scholar, quay: Path
) -> None:
    result = succeeded(scholar("characters", "quay", "--corrections"))
    assert result.stdout == ""
    assert "scholar characters quay --edit" in result.stderr


def test_an_export_can_be_imported_and_exported_as_it_was(
    scholar: Scholar, quay: Path, tmp_path: Path
) -> None:
    succeeded(put(scholar, RENAMED + HERS))
    path = tmp_path / "quay.toml"
    succeeded(scholar("characters", "quay", "--export", str(path)))
    exported = path.read_text("utf-8")
    assert "#   Edward Hale (male); also Mr. Hale\n" in exported
    again = ("characters", "quay", "--export", str(path))
    assert "quay.toml already exists" in error_line(scholar(*again), 2)
    succeeded(scholar(*again, "--force"))
    succeeded(put(scholar, ""))
    succeeded(scholar("characters", "quay", "--import", str(path)))
    assert succeeded(scholar("characters", "quay", "--export", "-")).stdout == exported


def test_an_empty_file_removes_all_and_says_how_to_bring_them_back(
    scholar: Scholar, quay: Path
) -> None:
    detected = names(scholar)
    succeeded(put(scholar, RENAMED))
    assert names(scholar) != detected
    result = succeeded(put(scholar, ""))
    assert "corrections in force: 0, before: 1" in result.stderr
    assert names(scholar) == detected
    before = result.stderr.strip().rpartition(" --import ")[2]
    succeeded(scholar("characters", "quay", "--import", before))
    assert listed(scholar) == [(1, "Mr. Hale is called Edward Hale", "")]


def test_one_correction_is_undone_by_its_number(scholar: Scholar, quay: Path) -> None:
    succeeded(put(scholar, RENAMED + HERS))
    succeeded(scholar("characters", "quay", "--undo", "1"))
    assert listed(scholar) == [(1, f"{HUSH} is said by Elizabeth", "")]
    assert "Mr. Hale" in names(scholar)


def test_an_editor_is_given_the_corrections_and_the_characters(
    scholar: Scholar, quay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_editor(monkeypatch, tmp_path, f"cp $2 {tmp_path}/given; echo '{RENAMED}' >> $2")
    result = succeeded(scholar("characters", "quay", "--edit"))
    assert "corrections in force: 1" in result.stderr
    assert "#   Mr. Hale (male)" in (tmp_path / "given").read_text("utf-8")
    assert "Edward Hale" in names(scholar)
    set_editor(monkeypatch, tmp_path, "true")
    assert "nothing was changed" in succeeded(scholar("characters", "quay", "--edit")).stderr
    set_editor(monkeypatch, tmp_path, "true > $2")
    assert "in force: 0" in succeeded(scholar("characters", "quay", "--edit")).stderr


def test_corrections_outlive_their_book(scholar: Scholar, quay: Path) -> None:
    succeeded(put(scholar, RENAMED))
    (text,) = (quay / "data" / "books").glob("*/text.txt")
    source = quay / "quay.txt"
    shutil.copy(text, source)
    succeeded(scholar("books", "remove", "quay"))
    succeeded(scholar("add", str(source), "--title", "The Quay", "--language", "en"))
    assert "Edward Hale" in names(scholar)


def test_in_another_edition_what_fits_is_kept_and_the_rest_is_listed(
    scholar: Scholar, quay: Path
) -> None:
    first, *_, last = succeeded(scholar("speakers", "quay", "--json")).json
    gone = f'[[quotation]]\nlocator = "{last["locator"]}"\nspeaker = "Mr. Hale"\n'
    succeeded(
        put(scholar, RENAMED + HERS + gone + '[[gender]]\nname = "Elizabeth"\ngender = "male"')
    )
    text = next((quay / "data" / "books").glob("*/text.txt")).read_text("utf-8")
    hers = next(
        record["quote"]
        for record in succeeded(scholar("speakers", "quay", "--json")).json
        if record["locator"] == HUSH
    )
    opening = first["quote"]
    assert last["quote"] in text
    changed = text.replace(last["quote"], "Something else.").replace(
        f"“{opening}", f"“Once more,” said Mr. Hale.\n\n“{opening}", 1
    )
    changed = changed.replace("Chapter 2\n", "Chapter 2\n\nIt rained all day on the quay.\n")
    source = quay / "quay.txt"
    source.write_text(changed, "utf-8")
    succeeded(scholar("books", "remove", "quay"))
    succeeded(scholar("add", str(source), "--title", "The Quay", "--language", "en"))
    problems = {words: problem for _, words, problem in listed(scholar)}
    assert problems["Mr. Hale is called Edward Hale"] == ""
    assert problems[f"{HUSH} is said by Elizabeth"] == ""
    assert "and no other does" in problems[f"{last['locator']} is said by Mr. Hale"]
    spoken = succeeded(scholar("speakers", "quay", "--json"))
    assert "not applied (1)" in spoken.stderr
    moved = next(record for record in spoken.json if record["quote"] == hers)
    assert moved["locator"] != HUSH
    assert (moved["speaker"]["name"], moved["confidence"]) == ("Elizabeth Marsh", 1)


def test_speakers_and_tei_are_corrected(scholar: Scholar, quay: Path) -> None:
    succeeded(put(scholar, RENAMED + HERS))
    for method in ("trained", "sieve"):
        quotations = succeeded(scholar("speakers", "quay", "--method", method, "--json")).json
        by_locator = {record["locator"]: record for record in quotations}
        assert by_locator[HUSH]["speaker"]["name"] == "Elizabeth Marsh"
        assert by_locator[HUSH]["confidence"] == 1
        assert by_locator[HUSH]["evidence"] is None
        assert {record["speaker"]["name"] for record in quotations} == {
            "Elizabeth Marsh",
            "Edward Hale",
        }
    tei = etree.fromstring(succeeded(scholar("speakers", "quay", "--to", "tei")).stdout.encode())
    people = {
        person.findtext("{*}persName"): person.get("{http://www.w3.org/XML/1998/namespace}id")
        for person in tei.iterfind(".//{*}person")
    }
    assert tei.find(f".//{{*}}said[@who='#{people['Edward Hale']}']") is not None
    assert "Mr. Hale" not in people


def test_find_speaker_knows_corrected_names(scholar: Scholar, quay: Path) -> None:
    options = ("find", "people who listen", "-b", "quay", "--json", "--speaker")
    assert "listen at doors" in succeeded(scholar(*options, "Mr. Hale")).stdout
    succeeded(put(scholar, RENAMED + HERS))
    assert "listen at doors" not in succeeded(scholar(*options, "Edward Hale")).stdout
    assert "listen at doors" in succeeded(scholar(*options, "Elizabeth")).stdout


def test_answers_of_who_describe_and_quiz_are_recomputed(scholar: Scholar, quay: Path) -> None:
    question = ("who", "the one who burnt the letter", "-b", "quay", "--json")
    describe = ("describe", "Mr. Hale", "-b", "quay", "--json")
    assert succeeded(scholar(*question)).json[0]["name"] == "Mr. Hale"
    succeeded(scholar(*describe))
    succeeded(put(scholar, RENAMED))
    assert succeeded(scholar(*question)).json[0]["name"] == "Edward Hale"
    descriptions = succeeded(scholar(*describe)).json
    assert "Mr. Hale" not in {record["character"]["name"] for record in descriptions}
    (described,) = quay.rglob("described.json")
    assert '"Edward Hale"' in described.read_text("utf-8")
    succeeded(put(scholar, ""))
    assert succeeded(scholar(*question)).json[0]["name"] == "Mr. Hale"


def test_descriptions_of_a_bank_follow_corrections(scholar: Scholar, quay: Path) -> None:
    bank = quay / "data" / "descriptions" / "own-the-quay.jsonl"
    bank.parent.mkdir(exist_ok=True)
    names = ("Mr. Hale", "Elizabeth Marsh", "Zoe Quill")
    bank.write_text(
        "\n".join(
            json.dumps(
                {"name": name, "descriptions": [{"level": 1, "text": f"the {number}th of all"}]}
            )
            for number, name in enumerate(names, 4)
        ),
        "utf-8",
    )
    succeeded(put(scholar, RENAMED))
    described = succeeded(scholar("describe", "Edward Hale", "-b", "quay", "--json")).json
    assert described[0]["text"] == "the 4th of all"
    assert described[0]["character"]["name"] == "Edward Hale"
    ranked = succeeded(scholar("who", "the one who burnt the letter", "-b", "quay", "--json")).json
    assert "Edward Hale" in {record["name"] for record in ranked}


def test_quizzes_of_a_packaged_bank_follow_corrections(scholar: Scholar, quay: Path) -> None:
    quiz = ("quiz", "-b", "pg64317", "-n", "40", "--format", "jsonl", "--seed", "7")
    assert "Jordan Baker" in succeeded(scholar(*quiz)).stdout
    corrections = stored(quay).with_name("pg64317.toml")
    corrections.parent.mkdir(exist_ok=True)
    corrections.write_text('[[rename]]\nname = "Jordan Baker"\nto = "Joan Carter"\n', "utf-8")
    questions = succeeded(scholar(*quiz)).stdout
    assert "Joan Carter" in questions
    assert "Jordan Baker" not in {
        name for line in questions.splitlines() for name in json.loads(line)["choices"]
    }


def test_corrections_leave_the_speeches_of_a_play_to_its_headings(
    scholar: Scholar, home: Path
) -> None:
    source = home.parent / "play.txt"
    scene = "ANNA.\nYou are late.\n\nMRS. WREN.\nThe boat was late.\n\nVOICES.\nLate!\n\n"
    source.write_text(scene * 20, "utf-8")
    succeeded(scholar("add", str(source), "--title", "The Boat", "--language", "en"))
    removed = '[[not_a_person]]\nname = "Voices"\n[[gender]]\nname = "Anna"\ngender = "female"\n'
    succeeded(scholar("characters", "boat", "--import", "-", stdin=removed))
    records = succeeded(scholar("speakers", "boat", "--json")).json
    speakers = [record["speaker"] and record["speaker"]["name"] for record in records]
    assert speakers == ["Anna", "Mrs. Wren", None] * 20
