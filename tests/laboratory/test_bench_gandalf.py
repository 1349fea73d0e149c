"""`scholar-lab bench gandalf`: questions of a bank, answered and scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.gandalf import gandalf_data


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param([], 2, "--data", id="nothing"),
        pytest.param(["--data", "x", "--make", "y"], 2, "--make", id="both"),
        pytest.param(["--data", "none"], 4, "no folder", id="no folder"),
        pytest.param(["--data", "{data}", "--system", "tf"], 4, "tfidf", id="no such system"),
        pytest.param(
            ["--data", "{data}", "--system", "lm", "--llm", "none"],
            4,
            "was not found",
            id="no such model",
        ),
        pytest.param(["--make", "{new}", "-b", "ulysses"], 4, "choose one of:", id="no bank"),
        pytest.param(["--make", "{new}", "-b", "emma"], 4, "scholar add 158", id="no text"),
        pytest.param(
            ["--make", "{new}", "-b", "pg84", "--probe", "martian"],
            2,
            "shuffled",
            id="no such probe",
        ),
        pytest.param(
            ["--make", "{new}", "-b", "pg84", "--texts", "none"],
            4,
            "no folder",
            id="no folder of texts",
        ),
    ],
)
def test_an_impossible_measurement_is_one_error_line(
    lab: Scholar, data: Path, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    given = [argument.format(data=data, new=tmp_path / "new") for argument in arguments]
    assert message in error_line(lab("bench", "gandalf", *given), code)


def test_questions_are_made_of_a_bundled_book_and_answered(lab: Scholar, tmp_path: Path) -> None:
    out, answers = tmp_path / "set", tmp_path / "run.jsonl"
    made = succeeded(
        lab(
            "bench",
            "gandalf",
            "--make",
            str(out),
            "-b",
            "frankenstein",
            "-n",
            "24",
            "--seed",
            "5",
            "--rep",
            "--probe",
            "switched",
            "--json",
        )
    )
    assert [report["questions"] for report in made.json] == [24, 24, 24]
    assert (tmp_path / "set-rep" / "pg84.txt").is_file()
    result = succeeded(
        lab(
            "bench",
            "gandalf",
            "--data",
            str(out),
            "--system",
            "tfidf-named",
            "--system",
            "tfidf",
            "--run",
            str(answers),
        )
    )
    assert "level 4" in result.lines[0]
    assert [line.split()[:2] for line in result.lines[1:]] == [
        [system, kind]
        for system in ("tfidf-named", "tfidf", "wording")
        for kind in ("desc2name", "name2desc")
    ]
    written = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    ids = [question.id for question in gandalf_data.read(out).questions]
    assert [answer["question_id"] for answer in written] == ids
    assert {answer["answer"] for answer in written} <= set(range(10))


def test_the_solver_answers_a_village_from_its_text(
    lab: Scholar, data: Path, tmp_path: Path
) -> None:
    result = succeeded(lab("bench", "gandalf", "--data", str(data), "--system", "solver", "--json"))
    accuracy = {
        (report["system"], report["split"]): report["metrics"]["accuracy"] for report in result.json
    }
    assert accuracy["solver", "desc2name"] >= 0.75


def test_a_language_model_is_measured_where_it_is_named(
    lab: Scholar, data: Path, tiny: Path
) -> None:
    result = succeeded(
        lab(
            "bench",
            "gandalf",
            "--data",
            str(data),
            "--system",
            "lm",
            "--system",
            "lm-book",
            "--llm",
            str(tiny),
            "--device",
            "cpu",
            "--json",
        )
    )
    assert {report["system"] for report in result.json} == {"lm", "lm-book", "wording"}
