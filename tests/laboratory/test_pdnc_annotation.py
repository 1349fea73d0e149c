"""Annotation by the user: the tables to complete, and the agreement of two annotators."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

import pdnc_novels
from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.pdnc import pdnc_data
from scholar_cli.laboratory.pdnc.annotation import Agreement, agree
from scholar_indexes.errors import NoMatch, UsageError

TEXT = """Chapter 1

“The boat is late,” said Anna Hartwell. Anna Hartwell looked at the water.

“It is always late,” said Peter Holcroft. Peter Holcroft was the clerk of the harbour.

“Then why do you wait?” she asked.

“I am paid for it,” said I, and Mr. Holcroft laughed. I went home before the rain.
"""


@pytest.fixture
def form(scholar: Scholar, lab: Scholar, tmp_path: Path) -> Path:
    """Return the tables of a small novel of the library."""
    book = tmp_path / "boats.txt"
    book.write_text(TEXT + "\n" + "It rained on the harbour. " * 40, "utf-8")
    succeeded(scholar("add", str(book), "--title", "Boats", "--language", "en"))
    result = succeeded(lab("bench", "annotate", "boats", "--out", str(tmp_path / "mine")))
    assert "write the speakers into" in result.stderr
    return tmp_path / "mine"


def complete(folder: Path, speak: Callable[[dict[str, str]], str]) -> None:
    """Fill in the speakers of a form as in a spreadsheet."""
    path = folder / "quotation_info.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["speaker"] = speak(row)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def speakers(text: str) -> str:
    return "Peter Holcroft" if "always" in text or "paid" in text else "Anna Hartwell"


def test_no_annotation_is_overwritten(lab: Scholar, form: Path) -> None:
    complete(form, lambda row: "Anna Hartwell")
    before = (form / "quotation_info.csv").read_bytes()
    refused = lab("bench", "annotate", "boats", "--out", str(form))
    assert "already exists; give a new" in error_line(refused, 2)
    assert (form / "quotation_info.csv").read_bytes() == before


def test_a_form_without_any_speaker_cannot_be_measured(lab: Scholar, form: Path) -> None:
    refused = lab("bench", "pdnc", "--data", str(form))
    assert "has no quotation with a speaker; fill in speakers" in error_line(refused, 2)


def test_a_speaker_who_is_nobody_is_named_with_the_row(form: Path) -> None:
    complete(form, lambda row: "Ana Hartwell" if row["quoteID"] == "Q1" else "Anna Hartwell")
    with pytest.raises(UsageError, match=r"row 2: nobody in character_info\.csv is called 'Ana Ha"):
        pdnc_data.read_novel(form)


def test_a_completed_form_measures_systems_from_end_to_end(lab: Scholar, form: Path) -> None:
    complete(form, lambda row: speakers(row["quoteText"]))
    command = ("bench", "pdnc", "--data", str(form), "--system", "sieve", "--json")
    report = succeeded(lab(*command)).json[0]
    assert (report["split"], report["n"]) == ("mine", 4)
    assert report["metrics"]["everyone"] >= 0.5


def test_quotations_without_annotation_are_not_measured(form: Path) -> None:
    complete(form, lambda row: "" if row["quoteID"] == "Q2" else "_unknowable")
    novel = pdnc_data.read_novel(form)
    assert novel.ids == ("Q0", "Q1", "Q3")
    assert novel.speakers == (-1, -1, -1)


def test_the_answers_to_correct_are_by_scholar(lab: Scholar, form: Path) -> None:
    out = form.with_name("answers")
    succeeded(lab("bench", "annotate", "boats", "--out", str(out), "--with-answers"))
    novel = pdnc_data.read_novel(out)
    assert novel.cast[novel.speakers[0]].name == "Anna Hartwell"
    assert novel.kinds[0] == "Explicit"
    assert [quotation.of(novel.text) for quotation in novel.quotations][1] == "It is always late,"


def write_readers(folder: Path, *answers: tuple[str, ...]) -> list[pdnc_data.AnnotatedNovel]:
    quotes = [(pieces, kind) for pieces, _, kind in pdnc_novels.QUOTES]
    novels = []
    for number, names in enumerate(answers):
        rows = [(pieces, name, kind) for (pieces, kind), name in zip(quotes, names, strict=True)]
        novels.append(
            pdnc_data.read_novel(pdnc_novels.write(folder / f"reader{number}", quotes=rows))
        )
    return novels


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param(
            ("Ann", "Ben", "Ann", "Ben"),
            ("Miss Marsh", "Mr. Hale", "Ann Marsh", "Ben"),
            Agreement(4, 1.0, 1.0),
            id="other names of the same",
        ),
        pytest.param(
            ("Ann", "Ben", "Ann", "Ben"),
            ("Ann", "Ben", "Ben", "Ann"),
            Agreement(4, 0.5, 0.0),
            id="as often as chance",
        ),
        pytest.param(
            ("Ann", "Ann", "Ann", "Ann"),
            ("Ann", "Ann", "Ann", "Ann"),
            Agreement(4, 1.0, 1.0),
            id="one speaker",
        ),
        pytest.param(
            ("Ann", "Ben", "Ann", "_group"),
            ("Ann", "Ben", "", "_group"),
            Agreement(3, 1.0, 1.0),
            id="what one has not read is left out",
        ),
    ],
)
def test_agreement_is_without_what_chance_would_have(
    one: tuple[str, ...], other: tuple[str, ...], expected: Agreement, tmp_path: Path
) -> None:
    assert agree(*write_readers(tmp_path, one, other)) == expected


def test_annotations_of_two_novels_do_not_compare(tmp_path: Path) -> None:
    pdnc_novels.talk(tmp_path / "talk", seed=1)
    novel = pdnc_data.read_novel(pdnc_novels.write(tmp_path / "novel"))
    with pytest.raises(NoMatch, match="no annotated quotation in common"):
        agree(novel, pdnc_data.read_novel(tmp_path / "talk"))


def test_the_command_says_how_far_two_readers_agree(lab: Scholar, tmp_path: Path) -> None:
    write_readers(tmp_path, ("Ann", "Ben", "Ann", "Cora"), ("Ann", "Ben", "Ben", "Cora"))
    folders = (str(tmp_path / "reader0"), str(tmp_path / "reader1"))
    (row,) = succeeded(lab("bench", "agreement", *folders, "--json")).json
    assert row == {"quotations": 4, "same": 0.75, "kappa": pytest.approx(0.6364)}
