"""Questions in GANDALF's format: invalid files, and the variants of questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Scholar, succeeded
from gandalf_village import PEOPLE, never
from scholar_cli.laboratory.gandalf import gandalf_bench as gandalf
from scholar_cli.laboratory.gandalf import gandalf_data, gandalf_systems, paragraphs
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.errors import Damaged, NoMatch, NotThere, ScholarError, UsageError


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        pytest.param(lambda it: (it / "questions.jsonl").unlink(), NotThere, id="no questions"),
        pytest.param(lambda it: (it / "village.txt").unlink(), NotThere, id="no text"),
        pytest.param(lambda it: (it / "questions.jsonl").write_text("{"), Damaged, id="no JSON"),
        pytest.param(
            lambda it: (it / "questions.jsonl").write_text(
                (it / "questions.jsonl").read_text().replace('"village"', '"../village"')
            ),
            UsageError,
            id="a path for a name",
        ),
    ],
)
def test_a_broken_folder_is_refused(data: Path, spoil, error) -> None:
    spoil(data)
    with pytest.raises(error):
        gandalf_data.read(data)


def test_a_bank_without_its_text_is_refused(
    people: list[DescribedCharacter], tmp_path: Path
) -> None:
    with pytest.raises(NotThere):
        gandalf_data.generate({"village": people}, {}, tmp_path / "data")


def changed(data: Path, **changes: object) -> None:
    """Rewrite the first question with other fields; None removes a field."""
    path = data / "questions.jsonl"
    first, *others = path.read_text("utf-8").splitlines()
    record = {**json.loads(first), **changes}
    fields = {name: value for name, value in record.items() if value is not None}
    path.write_text("\n".join([json.dumps(fields), *others]), "utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"question_id": None}, "question_id", id="no id"),
        pytest.param({"question_id": ["a"]}, "expected text", id="a list for an id"),
        pytest.param({"book": None}, "book", id="no book"),
        pytest.param({"kind": "who"}, "desc2name", id="no such kind"),
        pytest.param({"kind": None}, "kind", id="no kind"),
        pytest.param({"level": None}, "level", id="no level"),
        pytest.param({"level": 7}, "level", id="no such level"),
        pytest.param({"text": ""}, "expected text", id="an empty text"),
        pytest.param({"text": {"a": 1}}, "expected text", id="an object for a text"),
        pytest.param({"choices": None}, "choices", id="no choices"),
        pytest.param({"choices": "abc"}, "expected a list", id="a text for choices"),
        pytest.param({"choices": ["a"]}, "1 choices", id="one choice"),
        pytest.param({"choices": ["a", 2]}, "expected text", id="a number for a choice"),
        pytest.param({"answer": 4}, "answer", id="an answer outside"),
        pytest.param({"answer": -1}, "answer", id="an answer before"),
        pytest.param({"answer": "1"}, "answer", id="a text for an answer"),
        pytest.param({"answer": True}, "answer", id="yes for an answer"),
    ],
)
def test_a_question_with_wrong_fields_is_reported_with_its_line(
    data: Path, changes: dict[str, object], message: str
) -> None:
    changed(data, **changes)
    with pytest.raises(Damaged, match=rf"line 1: .*{message}"):
        gandalf_data.read(data)


@pytest.mark.parametrize(
    "line",
    ["[]", "7", "null", '"a"', "{" * 50_000, "[" * 50_000, "NaN"],
    ids=["a list", "a number", "null", "a text", "deep objects", "deep lists", "no number"],
)
def test_a_line_that_is_no_question_is_reported(data: Path, line: str) -> None:
    path = data / "questions.jsonl"
    path.write_text(f"{line}\n{path.read_text('utf-8')}", "utf-8")
    with pytest.raises(Damaged, match="line 1"):
        gandalf_data.read(data)


def test_questions_without_an_answer_are_answered_and_not_counted(
    data: Path, tmp_path: Path
) -> None:
    changed(data, answer=None)
    out, all_of_them = tmp_path / "run.jsonl", len(gandalf_data.read(data).questions)
    systems = gandalf_systems.load_systems(("random",), never, never)
    reports = gandalf.run(data, systems, out=out, wording_too=False)
    counted = sum(report.n for report in reports if report.split in ("desc2name", "name2desc"))
    assert counted == all_of_them - 1
    assert len(out.read_text("utf-8").splitlines()) == all_of_them


def test_questions_without_answers_need_a_file_to_write(data: Path, tmp_path: Path) -> None:
    path = data / "questions.jsonl"
    bare = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text(
        "\n".join(json.dumps({**question, "answer": None}) for question in bare), "utf-8"
    )
    systems = gandalf_systems.load_systems(("random",), never, never)
    with pytest.raises(UsageError, match="--run"):
        gandalf.run(data, systems)
    assert gandalf.run(data, systems, out=tmp_path / "run.jsonl") == []
    assert (tmp_path / "run.jsonl").is_file()


def test_ids_and_books_may_be_numbers_and_titles(data: Path, tmp_path: Path) -> None:
    (data / "The Weir, or Bees.txt").write_bytes((data / "village.txt").read_bytes())
    (data / "1342.txt").write_bytes((data / "village.txt").read_bytes())
    path = data / "questions.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()][:2]
    lines = [
        {**lines[0], "question_id": 17, "book": 1342},
        {**lines[1], "book": "The Weir, or Bees"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    out = tmp_path / "run.jsonl"
    gandalf.run(data, gandalf_systems.load_systems(("random",), never, never), out=out)
    written = [json.loads(line)["question_id"] for line in out.read_text("utf-8").splitlines()]
    assert written == [17, lines[1]["question_id"]]


@pytest.mark.parametrize("name", ["a folder", "a missing folder"])
def test_answers_go_into_a_file_only(data: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path if name == "a folder" else tmp_path / "none" / "run.jsonl"
    with pytest.raises(UsageError, match="give a file"):
        gandalf.run(data, gandalf_systems.load_systems(("random",), never, never), out=out)


def test_rename_questions_are_the_same_ones_without_the_old_names(
    people: list[DescribedCharacter], novel: str, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "again"
    gandalf_data.generate({"village": people}, {"village": novel}, out, seed=7, variants=["rep"])
    out = tmp_path / "again-rep"
    before, after = gandalf_data.read(data), gandalf_data.read(out)
    assert [(question.id, question.answer) for question in before.questions] == [
        (question.id, question.answer) for question in after.questions
    ]
    written = "".join(path.read_text() for path in out.iterdir())
    assert not [word for name in PEOPLE for word in name.split() if word in written]


@pytest.mark.parametrize(
    "variant", [variant for variant in gandalf_data.VARIANTS if variant != gandalf_data.SHUFFLED]
)
def test_every_variant_asks_the_same_questions(
    people: list[DescribedCharacter], novel: str, tmp_path: Path, variant: str
) -> None:
    out = tmp_path / "set"
    banks, texts = {"village": people}, {"village": novel}
    written = gandalf_data.generate(banks, texts, out, seed=3, variants=[variant])
    other = tmp_path / f"set-{variant}"
    assert written == {out: 8, other: 8}
    before, after = gandalf_data.read(out), gandalf_data.read(other)
    for one, same in zip(before.questions, after.questions, strict=True):
        assert (one.id, one.kind, one.level, one.answer) == (
            same.id,
            same.kind,
            same.level,
            same.answer,
        )
        assert (one.text, one.choices) != (same.text, same.choices)
    assert (before.texts == after.texts) == (variant == "negated")


def test_names_are_shuffled_among_books_and_never_within_one(
    people: list[DescribedCharacter], novel: str, tmp_path: Path
) -> None:
    others = {
        "Anna Hartwell": "Edith Marlow",
        "Clara Dunmore": "Rosamund Vyne",
        "Peter Holcroft": "Hugh Castell",
        "George Tansley": "Ralph Ingram",
    }
    lines = json.dumps(
        [
            {
                "name": person.name,
                "gender": person.gender,
                "descriptions": [{"level": 1, "text": person.descriptions[0].text}],
            }
            for person in people
        ]
    )
    town = novel
    for old, new in others.items():
        lines, town = lines.replace(old, new), town.replace(old, new)
    banks = {
        "village": people,
        "town": list(bank.parse("\n".join(map(json.dumps, json.loads(lines))), "town")),
    }
    texts = {"village": novel, "town": town}
    gandalf_data.generate(banks, texts, tmp_path / "set", variants=["shuffled"])
    village = (tmp_path / "set-shuffled" / "village.txt").read_text("utf-8")
    assert not [word for name in others for word in name.split() if word in village]
    assert [word for name in others.values() for word in name.split() if word in village]
    with pytest.raises(UsageError, match="several books"):
        gandalf_data.generate({"village": people}, texts, tmp_path / "one", variants=["shuffled"])


def test_a_denied_description_belongs_to_another_character(
    people: list[DescribedCharacter], novel: str, tmp_path: Path
) -> None:
    own = {
        person.name: {description.text for description in person.descriptions} for person in people
    }
    texts = {"village": novel}
    gandalf_data.generate({"village": people}, texts, tmp_path / "set", variants=["negated"])
    for question in gandalf_data.read(tmp_path / "set-negated").questions:
        for name, description in paragraphs.choice_pairs(question):
            if question.kind == "desc2name" and name != question.choices[question.answer]:
                continue
            affirmed, _, denied = description.partition(", and not ")
            others = {text for who, texts in own.items() if affirmed not in texts for text in texts}
            assert denied in others


def test_a_variant_that_is_none_is_refused(
    people: list[DescribedCharacter], novel: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="switched"):
        gandalf_data.generate(
            {"village": people}, {"village": novel}, tmp_path / "set", variants=["martian"]
        )
    assert not (tmp_path / "set").exists()


def test_a_place_that_cannot_be_written_is_reported(
    people: list[DescribedCharacter], novel: str, tmp_path: Path
) -> None:
    (tmp_path / "set").write_text("in the way")
    with pytest.raises(ScholarError, match="cannot be written"):
        gandalf_data.generate({"village": people}, {"village": novel}, tmp_path / "set")


def test_a_bank_without_questions_is_skipped_and_reported(
    people: list[DescribedCharacter], novel: str, tmp_path: Path
) -> None:
    banks, texts = {"village": people, "few": people[:1]}, {"village": novel, "few": novel}
    told: list[str] = []
    gandalf_data.generate(banks, texts, tmp_path / "all", named=False, tell=told.append)
    assert {question.book_id for question in gandalf_data.read(tmp_path / "all").questions} == {
        "village"
    }
    assert any(line.startswith("skipped: few has 1 described characters") for line in told)
    with pytest.raises(NoMatch, match="few has 1 described characters"):
        gandalf_data.generate(banks, texts, tmp_path / "named", named=True)
    with pytest.raises(NoMatch, match="few has 1 described characters"):
        gandalf_data.generate({"few": people[:1]}, texts, tmp_path / "one", named=False)


def test_all_banks_are_asked_about_and_ones_own_too(
    scholar: Scholar, lab: Scholar, novel: str, tmp_path: Path
) -> None:
    own = tmp_path / "mine.jsonl"
    (tmp_path / "own-village.txt").write_text(novel, "utf-8")
    lines = [
        {"name": name, "gender": gender, "descriptions": [{"level": 1, "text": text}]}
        for name, (gender, text, _) in PEOPLE.items()
    ]
    own.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    succeeded(scholar("quiz", "import", str(own), "-b", "own-village"))
    command = ("bench", "gandalf", "--make", str(tmp_path / "all"), "--texts", str(tmp_path))
    made = succeeded(lab(*command, "-n", "1"))
    asked = {question.book_id for question in gandalf_data.read(tmp_path / "all").questions}
    assert {"own-village", "pg1342", "pg84", "pg64317"} <= asked  # bundled novels need no folder
    assert "skipped, because they have no text: pg" in made.stderr
