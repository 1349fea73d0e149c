"""`scholar bench gandalf`: questions made of a bank, systems that answer them, what is counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import chat_server
import tiny_causal
from chat_server import ChatServer
from command_line import CommandResult, error_line, succeeded
from scholar_cli.bench.gandalf import data as gandalf_data
from scholar_cli.bench.gandalf import language_models, paragraphs
from scholar_cli.bench.gandalf import run as gandalf
from scholar_cli.bench.gandalf import systems as gandalf_systems
from scholar_indexes.attribution.llm.loading import load
from scholar_indexes.attribution.llm.local_model import LocalModel
from scholar_indexes.attribution.llm.remote_model import RemoteModel
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.characters.solver.parsing import ParsedDescription, parse_description
from scholar_indexes.errors import ConfigError, Damaged, NotThere, ScholarError, UsageError

Scholar = Callable[..., CommandResult]

PEOPLE = {
    "Anna Hartwell": ("female", "the woman who keeps bees behind the mill", "hives of bees"),
    "Clara Dunmore": ("female", "the woman who teaches children to sing", "taught a choir"),
    "Peter Holcroft": ("male", "the man who forges a signature", "forged the signature"),
    "George Tansley": ("male", "the man who is drowned at the weir", "drowned at the weir"),
}


@pytest.fixture
def people() -> list[DescribedCharacter]:
    lines = [
        json.dumps({"name": name, "gender": gender, "descriptions": [{"level": 1, "text": text}]})
        for name, (gender, text, _) in PEOPLE.items()
    ]
    return list(bank.parse("\n".join(lines), "people"))


@pytest.fixture
def novel() -> str:
    paragraphs = [
        f"That year {name} {deed}, and the village spoke of {name} for weeks. The rain fell."
        for name, (_, _, deed) in PEOPLE.items()
    ]
    return "\n\n".join(
        ["CHAPTER I", *paragraphs, "The river went down to the sea as it always had."]
    )


@pytest.fixture
def data(people: list[DescribedCharacter], novel: str, tmp_path: Path) -> Path:
    gandalf_data.generate({"village": people}, {"village": novel}, tmp_path / "data", seed=7)
    return tmp_path / "data"


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
        pytest.param({"question_id": ["a"]}, "text should be", id="a list for an id"),
        pytest.param({"book": None}, "book", id="no book"),
        pytest.param({"kind": "who"}, "desc2name", id="no such kind"),
        pytest.param({"kind": None}, "kind", id="no kind"),
        pytest.param({"level": None}, "level", id="no level"),
        pytest.param({"level": 7}, "level", id="no such level"),
        pytest.param({"text": ""}, "text should be", id="an empty text"),
        pytest.param({"text": {"a": 1}}, "text should be", id="an object for a text"),
        pytest.param({"choices": None}, "choices", id="no choices"),
        pytest.param({"choices": "abc"}, "list should be", id="a text for choices"),
        pytest.param({"choices": ["a"]}, "1 choices", id="one choice"),
        pytest.param({"choices": ["a", 2]}, "text should be", id="a number for a choice"),
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
    systems = gandalf_systems.load_systems(("random",), _never, _never)
    reports = gandalf.run(data, systems, out=out, wording_too=False)
    counted = sum(report.n for report in reports if report.split in ("desc2name", "name2desc"))
    assert counted == all_of_them - 1
    assert len(out.read_text("utf-8").splitlines()) == all_of_them


def test_where_no_question_has_an_answer_a_file_must_be_named(data: Path, tmp_path: Path) -> None:
    path = data / "questions.jsonl"
    bare = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text(
        "\n".join(json.dumps({**question, "answer": None}) for question in bare), "utf-8"
    )
    systems = gandalf_systems.load_systems(("random",), _never, _never)
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
    gandalf.run(data, gandalf_systems.load_systems(("random",), _never, _never), out=out)
    written = [json.loads(line)["question_id"] for line in out.read_text("utf-8").splitlines()]
    assert written == [17, lines[1]["question_id"]]


@pytest.mark.parametrize("name", ["a folder", "a missing folder"])
def test_answers_go_into_a_file_only(data: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path if name == "a folder" else tmp_path / "none" / "run.jsonl"
    with pytest.raises(UsageError, match="name a file"):
        gandalf.run(data, gandalf_systems.load_systems(("random",), _never, _never), out=out)


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


@pytest.mark.parametrize("name", ["pg9999.txt", "9999.txt", "primary/9999.txt"])
def test_a_text_is_found_by_its_number(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes("caf\xe9".encode("latin-1"))

    def none(book: str) -> str:
        raise NotThere(book)

    texts = gandalf_data.find_texts(["pg9999", "pg84", "own-diary"], tmp_path, none)
    assert texts["pg9999"] == "caf\xe9"
    assert sorted(texts) == ["pg84", "pg9999"]
    with pytest.raises(NotThere):
        gandalf_data.find_texts(["pg9999"], tmp_path / "none", none)


def test_tfidf_answers_from_the_words_of_a_paragraph(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    systems = gandalf_systems.load_systems(("tfidf-named", "tfidf", "random"), _never, _never)
    reports = gandalf.run(data, systems, out=out)
    figures = {(report.system, report.split): report.metrics for report in reports}
    assert figures["tfidf-named", "desc2name"]["accuracy"] >= 0.75
    assert figures["tfidf", "name2desc"]["chance"] == pytest.approx(0.25)
    questions = {question.id: question for question in gandalf_data.read(data).questions}
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [answer["question_id"] for answer in answers] == list(questions)
    assert all(0 <= answer["answer"] < 4 for answer in answers)


def test_an_unknown_system_is_refused() -> None:
    with pytest.raises(NotThere, match="tfidf"):
        gandalf_systems.load_systems(("tf",), _never, _never)


@pytest.mark.parametrize(
    ("text", "outer", "inner"),
    [
        pytest.param("the man who sings", "the man who sings", (), id="nobody else"),
        pytest.param(
            "the sister of the man who elopes",
            "the sister of someone",
            ("the man who elopes",),
            id="somebody else",
        ),
        pytest.param(
            "the aunt of the girl whom the boy who sings loves",
            "the aunt of someone",
            ("the girl whom", "the boy who sings loves"),
            id="two others",
        ),
    ],
)
def test_others_are_taken_out_of_a_description(
    text: str, outer: str, inner: tuple[str, ...]
) -> None:
    assert parse_description(text) == ParsedDescription(text, outer, inner)


def _never():
    raise AssertionError("no model is needed for this")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_causal.make(tmp_path_factory.mktemp("causal") / "tiny", positions=1_024)


@pytest.fixture(scope="module")
def model(tiny: Path) -> LocalModel:
    return load(str(tiny), "cpu")


def in_one_pass(model: LocalModel, folder: Path, context: str, lead: str, text: str) -> float:
    """Return the mean log-probability of a text, read in one go without any cache."""
    import torch
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    parts = [
        tokenizer(piece, add_special_tokens=False)["input_ids"] for piece in (context, lead, text)
    ]
    ids = torch.tensor([[tokenizer.bos_token_id, *parts[0], *parts[1], *parts[2]]])
    with torch.inference_mode():
        logs = model.model(input_ids=ids).logits[0].float().log_softmax(-1)
    own = [float(logs[at - 1, ids[0, at]]) for at in range(ids.shape[1])][-len(parts[2]) :]
    return sum(own) / len(own)


@pytest.mark.parametrize("context", ["", "Anna kept hives of bees."], ids=["nothing", "a text"])
def test_a_likelihood_is_what_one_pass_over_everything_gives(
    tiny: Path, model: LocalModel, context: str
) -> None:
    pairs = [("\n\nAnna is", " the woman who sings"), ("\n\nPeter Holcroft is", " a man")]
    assert model.likelihoods(context, pairs) == pytest.approx(
        [in_one_pass(model, tiny, context, *pair) for pair in pairs], abs=1e-4
    )


def test_a_context_that_is_too_long_loses_its_beginning(tiny: Path, model: LocalModel) -> None:
    pair = ("\n\nAnna is", " the woman who sings")
    long, longer = "bees " * 2_000, "The end of it all came. " * 20 + "bees " * 2_000
    assert model.likelihoods(long, [pair]) == model.likelihoods(longer, [pair])
    with pytest.raises(ConfigError, match="reads more"):
        model.likelihoods("", [("Anna is", " the woman" * 1_100)])


@pytest.mark.parametrize("name", ["lm", "lm-book", "chat", "chat-book"])
def test_a_language_model_answers_every_question_the_same_way_twice(
    data: Path, model: LocalModel, name: str
) -> None:
    systems = gandalf_systems.load_systems((name,), _never, _never, lambda: model)
    first, second = (gandalf.run(data, systems, wording_too=False) for _ in range(2))
    assert [report.metrics for report in first] == [report.metrics for report in second]
    assert sum(report.n for report in first if report.split in ("desc2name", "name2desc")) == 8


def test_the_model_is_loaded_once_for_all_that_need_it(model: LocalModel) -> None:
    loaded = []
    gandalf_systems.load_systems(
        ("lm", "lm-book", "chat"), _never, _never, lambda: loaded.append(1) or model
    )
    assert loaded == [1]


def test_a_language_model_must_be_named() -> None:
    with pytest.raises(UsageError, match="--llm"):
        gandalf_systems.load_systems(("lm",), _never, _never)
    with pytest.raises(UsageError, match="--system chat"):
        gandalf_systems.load_systems(
            ("lm",), _never, _never, lambda: RemoteModel("http://127.0.0.1:1", "m")
        )


def read_questions(data: Path, name: str) -> tuple[gandalf.QuestionedNovel, list[QuizQuestion]]:
    read = gandalf_data.read(data)
    those = [question for question in read.questions if question.kind == name]
    return gandalf.QuestionedNovel("village", read.texts["village"]), those


@pytest.mark.parametrize("kind", ["desc2name", "name2desc"])
def test_an_excerpt_has_what_is_asked_about_and_fits(data: Path, kind: str) -> None:
    novel, questions = read_questions(data, kind)
    excerpt = language_models.ExcerptBuilder(novel, lambda text: len(text.split())).build
    for question in questions:
        name = question.choices[question.answer] if kind == "desc2name" else question.text
        assert name in excerpt(question, 90)
        for room in (0, 16, 25, 40, 10_000):
            assert len(excerpt(question, room).split()) <= room
        assert "The river went down" in excerpt(question, 10_000)


def test_a_server_is_shown_the_book_and_believed_in_its_numbers(data: Path) -> None:
    novel, questions = read_questions(data, "desc2name")
    with ChatServer(
        chat_server.reply_with('{"1": "2"}'),
        chat_server.reply_with("I think it is 3."),
        chat_server.reply_with('{"1": "9"}'),
        chat_server.reply_with('{"1": "²"}'),
    ) as server:
        system = language_models.chat(RemoteModel(server.url, "m", pause_s=0), with_book=True)
        scores = system(novel, questions)
    assert scores[0] == [0, 1, 0, 0]
    assert [sum(score) for score in scores] == [1] * len(questions)
    for question, prompt in zip(questions, server.prompts, strict=True):
        assert question.text in prompt
        assert "the village spoke of" in prompt
        assert all(choice in prompt for choice in question.choices)


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
            "not here",
            id="no such model",
        ),
        pytest.param(["--make", "{new}", "-b", "ulysses"], 4, "there are of:", id="no bank"),
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
def test_what_cannot_be_measured_ends_in_one_line(
    scholar: Scholar, data: Path, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    given = [argument.format(data=data, new=tmp_path / "new") for argument in arguments]
    assert message in error_line(scholar("bench", "gandalf", *given), code)


def test_questions_are_made_of_a_bundled_book_and_answered(
    scholar: Scholar, tmp_path: Path
) -> None:
    out, answers = tmp_path / "set", tmp_path / "run.jsonl"
    made = succeeded(
        scholar(
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
        scholar(
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
    scholar: Scholar, data: Path, tmp_path: Path
) -> None:
    result = succeeded(
        scholar("bench", "gandalf", "--data", str(data), "--system", "solver", "--json")
    )
    accuracy = {
        (report["system"], report["split"]): report["metrics"]["accuracy"] for report in result.json
    }
    assert accuracy["solver", "desc2name"] >= 0.75


def test_a_language_model_is_measured_where_it_is_named(
    scholar: Scholar, data: Path, tiny: Path
) -> None:
    result = succeeded(
        scholar(
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
