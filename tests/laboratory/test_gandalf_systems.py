"""The systems that answer GANDALF's questions: TF-IDF and language models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import chat_server
from chat_server import ChatServer
from gandalf_village import never
from scholar_cli.laboratory.gandalf import gandalf_bench as gandalf
from scholar_cli.laboratory.gandalf import gandalf_data, gandalf_systems, language_models
from scholar_cli.laboratory.gandalf.paragraphs import choice_pairs
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.characters.solver.parsing import ParsedDescription, parse_description
from scholar_indexes.errors import ConfigError, NotThere, UsageError
from scholar_indexes.llm.loading import load
from scholar_indexes.llm.local_model import LocalModel
from scholar_indexes.llm.remote_model import RemoteModel


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
    systems = gandalf_systems.load_systems(("tfidf-named", "tfidf", "random"), never, never)
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
        gandalf_systems.load_systems(("tf",), never, never)


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


@pytest.fixture(scope="module")
def model(tiny: Path) -> LocalModel:
    return load(str(tiny), "cpu")


def in_one_pass(model: LocalModel, folder: Path, context: str, lead: str, text: str) -> list[float]:
    """Return the log-probability of each token of a text, read in one pass without a cache."""
    import torch
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    parts = [
        tokenizer(piece, add_special_tokens=False)["input_ids"] for piece in (context, lead, text)
    ]
    ids = torch.tensor([[tokenizer.bos_token_id, *parts[0], *parts[1], *parts[2]]])
    with torch.inference_mode():
        logs = model.model(input_ids=ids).logits[0].float().log_softmax(-1)
    return [float(logs[at - 1, ids[0, at]]) for at in range(ids.shape[1])][-len(parts[2]) :]


@pytest.mark.parametrize("context", ["", "Anna kept hives of bees."], ids=["nothing", "a text"])
def test_the_probabilities_of_tokens_are_what_one_pass_over_everything_gives(
    tiny: Path, model: LocalModel, context: str
) -> None:
    pairs = [("\n\nAnna is", " the woman who sings"), ("\n\nPeter Holcroft is", " a man")]
    logs_of_pairs = model.continuation_log_probabilities(context, pairs)
    for logs, pair in zip(logs_of_pairs, pairs, strict=True):
        assert logs == pytest.approx(in_one_pass(model, tiny, context, *pair), abs=1e-4)


def test_a_context_that_is_too_long_loses_its_beginning(tiny: Path, model: LocalModel) -> None:
    pair = ("\n\nAnna is", " the woman who sings")
    long, longer = "bees " * 2_000, "The end of it all came. " * 20 + "bees " * 2_000
    read = model.continuation_log_probabilities
    assert read(long, [pair]) == read(longer, [pair])
    with pytest.raises(ConfigError, match="longer context"):
        read("", [("Anna is", " the woman" * 1_100)])


@pytest.mark.parametrize("name", ["lm", "lm-total", "lm-book", "chat", "chat-book"])
def test_a_language_model_answers_every_question_the_same_way_twice(
    data: Path, model: LocalModel, name: str
) -> None:
    systems = gandalf_systems.load_systems((name,), never, never, lambda: model)
    first, second = (gandalf.run(data, systems, wording_too=False) for _ in range(2))
    assert [report.metrics for report in first] == [report.metrics for report in second]
    assert sum(report.n for report in first if report.split in ("desc2name", "name2desc")) == 8


def test_the_model_is_loaded_once_for_all_that_need_it(model: LocalModel) -> None:
    loaded = []
    gandalf_systems.load_systems(
        ("lm", "lm-book", "chat"), never, never, lambda: loaded.append(1) or model
    )
    assert loaded == [1]


def test_a_language_model_must_be_named() -> None:
    with pytest.raises(UsageError, match="--llm"):
        gandalf_systems.load_systems(("lm",), never, never)
    with pytest.raises(UsageError, match="--system chat"):
        gandalf_systems.load_systems(
            ("lm",), never, never, lambda: RemoteModel("http://127.0.0.1:1", "m")
        )


def read_questions(data: Path, name: str) -> tuple[gandalf.QuestionedNovel, list[QuizQuestion]]:
    read = gandalf_data.read(data)
    those = [question for question in read.questions if question.kind == name]
    return gandalf.QuestionedNovel("village", read.texts["village"]), those


def test_a_description_is_scored_by_the_mean_or_the_total_of_its_tokens(
    data: Path, model: LocalModel
) -> None:
    novel, questions = read_questions(data, "name2desc")
    systems = gandalf_systems.load_systems(("lm", "lm-total"), never, never, lambda: model)
    means, totals = (system(novel, questions[:1])[0] for system in systems.values())
    texts = [(f"\n\n{name} is", f" {text}") for name, text in choice_pairs(questions[0])]
    logs = model.continuation_log_probabilities("", texts)
    assert totals == pytest.approx([sum(tokens) for tokens in logs])
    assert means == pytest.approx([sum(tokens) / len(tokens) for tokens in logs])
    assert len({len(tokens) for tokens in logs}) > 1


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
