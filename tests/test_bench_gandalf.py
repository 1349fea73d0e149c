"""`scholar bench gandalf`: questions made of a bank, systems that answer them, what is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scholar_cli.bench import gandalf, gandalf_form, gandalf_systems
from scholar_indexes.characters import bank, solve
from scholar_indexes.characters.bank import Described
from scholar_indexes.errors import Damaged, NotThere, UsageError

PEOPLE = {
    "Anna Hartwell": ("female", "the woman who keeps bees behind the mill", "hives of bees"),
    "Clara Dunmore": ("female", "the woman who teaches children to sing", "taught a choir"),
    "Peter Holcroft": ("male", "the man who forges a signature", "forged the signature"),
    "George Tansley": ("male", "the man who is drowned at the weir", "drowned at the weir"),
}


@pytest.fixture
def people() -> list[Described]:
    lines = [
        json.dumps({"name": name, "gender": gender, "descriptions": [{"level": 1, "text": text}]})
        for name, (gender, text, _) in PEOPLE.items()
    ]
    return list(bank.parsed("\n".join(lines), "people"))


@pytest.fixture
def novel() -> str:
    told = [f"That year {name} {deed}, and the village spoke of {name} for weeks. The rain fell."
            for name, (_, _, deed) in PEOPLE.items()]  # fmt: skip
    return "\n\n".join(["CHAPTER I", *told, "The river went down to the sea as it always had."])


@pytest.fixture
def data(people: list[Described], novel: str, tmp_path: Path) -> Path:
    gandalf_form.generate({"village": people}, {"village": novel}, tmp_path / "data", seed=7)
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        pytest.param(lambda it: (it / "questions.jsonl").unlink(), NotThere, id="no questions"),
        pytest.param(lambda it: (it / "village.txt").unlink(), NotThere, id="no text"),
        pytest.param(
            lambda it: (it / "questions.jsonl").write_text("{"), Damaged, id="no JSON"
        ),
        pytest.param(
            lambda it: (it / "questions.jsonl").write_text(
                (it / "questions.jsonl").read_text().replace('"village"', '"../village"')
            ),
            UsageError, id="a path for a name",
        ),
    ],
)  # fmt: skip
def test_a_broken_folder_is_refused(data: Path, spoil, error) -> None:
    spoil(data)
    with pytest.raises(error):
        gandalf_form.read(data)


def test_a_bank_without_its_text_is_refused(people: list[Described], tmp_path: Path) -> None:
    with pytest.raises(NotThere):
        gandalf_form.generate({"village": people}, {}, tmp_path / "data")


def test_renamed_questions_are_the_same_ones_without_the_old_names(
    people: list[Described], novel: str, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "renamed"
    gandalf_form.generate({"village": people}, {"village": novel}, out, seed=7, renamed=True)
    before, after = gandalf_form.read(data), gandalf_form.read(out)
    assert [(each.id, each.answer) for each in before.questions] == [
        (each.id, each.answer) for each in after.questions
    ]
    written = "".join(path.read_text() for path in out.iterdir())
    assert not [word for name in PEOPLE for word in name.split() if word in written]


def test_tfidf_answers_what_the_words_of_a_paragraph_tell(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    systems = gandalf_systems.chosen(("tfidf-named", "tfidf", "random"), _never, _never)
    reports = gandalf.run(data, systems, out=out)
    figures = {(each.system, each.split): each.metrics for each in reports}
    assert figures["tfidf-named", "desc2name"]["accuracy"] >= 0.75
    assert figures["tfidf", "name2desc"]["chance"] == pytest.approx(0.25)
    questions = {each.id: each for each in gandalf_form.read(data).questions}
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["question_id"] for each in answers] == list(questions)
    assert all(0 <= each["answer"] < 4 for each in answers)


def test_an_unknown_system_is_refused() -> None:
    with pytest.raises(NotThere, match="tfidf"):
        gandalf_systems.chosen(("tf",), _never, _never)


@pytest.mark.parametrize(
    ("text", "outer", "inner"),
    [
        pytest.param("the man who sings", "the man who sings", (), id="nobody else"),
        pytest.param(
            "the sister of the man who elopes", "the sister of someone", ("the man who elopes",),
            id="somebody else",
        ),
        pytest.param(
            "the aunt of the girl whom the boy who sings loves", "the aunt of someone",
            ("the girl whom", "the boy who sings loves"), id="two others",
        ),
    ],
)  # fmt: skip
def test_others_are_taken_out_of_a_description(
    text: str, outer: str, inner: tuple[str, ...]
) -> None:
    assert solve.taken_apart(text) == solve.Told(text, outer, inner)


def _never():
    raise AssertionError("no model is needed for this")
