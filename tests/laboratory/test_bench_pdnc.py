"""The metrics of attribution, and the calibration of its confidence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import pdnc_novels
from chat_server import ChatServer, reply_with
from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc import pdnc_data
from scholar_cli.laboratory.pdnc.pdnc_bench import AttributedQuotation, System
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Attribution, Character, Quotation, QuoteKind


def always(place: int | None, confidence: float = 1.0) -> System:
    """Return a system that gives the same answer for every quotation."""

    def system(
        text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
    ) -> list[Attribution]:
        who = None if place is None else cast[place]
        return [Attribution(who, QuoteKind.IMPLICIT, None, confidence) for _ in quotations]

    return system


def systems(novel: str) -> Mapping[str, System]:
    return {"ann": always(0), "nobody": always(None)}


def attributed(
    right: bool, kind: str = "Explicit", often: bool = True, pieces: int = 1
) -> AttributedQuotation:
    return AttributedQuotation(right, kind, often, pieces, 0.75)


def test_accuracy_by_kind_is_of_frequent_speakers() -> None:
    figures = pdnc.compute_metrics(
        [
            attributed(True),
            attributed(False),
            attributed(True, "Anaphoric"),
            attributed(False, "Implicit"),
            attributed(False, "Implicit"),
            attributed(True, "Implicit", often=False),
        ]
    )
    assert figures["all"] == 2 / 5
    assert figures["explicit"] == 1 / 2
    assert figures["anaphoric"] == 1
    assert figures["implicit"] == 0
    assert figures["other"] == 1 / 3
    assert figures["everyone"] == 3 / 6


def test_pieces_weigh_quotations_by_their_parts() -> None:
    assert pdnc.compute_metrics([attributed(True, pieces=3), attributed(False)])["pieces"] == 3 / 4


def test_calibration_error_is_zero_where_confidence_means_what_it_says() -> None:
    fair = [AttributedQuotation(at < 3, "", True, 1, 0.75) for at in range(4)]
    assert pdnc.calibration_error(fair) == pytest.approx(0)
    assert pdnc.calibration_error([AttributedQuotation(False, "", True, 1, 0.9)]) == pytest.approx(
        0.9
    )
    assert pdnc.calibration_error([]) == 0


def test_answers_that_were_kept_in_columns_are_read_again() -> None:
    answers = {
        "Harts": [attributed(True, pieces=3), attributed(False)],
        "Moths": [attributed(True)],
    }
    assert pdnc.read_columns(pdnc.query_columns(answers)) == answers


def test_a_report_for_each_novel_then_micro_and_macro(tmp_path: Path) -> None:
    pdnc_novels.talk(tmp_path / "One", seed=1, quotations=40)
    pdnc_novels.talk(tmp_path / "Two", seed=2, quotations=20)
    reports = pdnc.run(tmp_path, systems, out=tmp_path / "answers.jsonl")
    by_name = {(report.system, report.split): report for report in reports}
    assert [report.split for report in reports[:4]] == ["One", "Two", "micro", "macro"]
    one, two = (by_name["ann", name].metrics["everyone"] for name in ("One", "Two"))
    assert by_name["ann", "macro"].metrics["everyone"] == pytest.approx((one + two) / 2)
    assert by_name["ann", "micro"].metrics["everyone"] == pytest.approx((2 * one + two) / 3)
    assert by_name["nobody", "micro"].metrics["everyone"] == 0
    assert by_name["ann", "micro"].n == 60


def test_answers_are_written_as_json_lines(tmp_path: Path) -> None:
    pdnc_novels.write(tmp_path / "Novel")
    pdnc.run(tmp_path, systems, out=tmp_path / "answers.jsonl")
    lines = (tmp_path / "answers.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"novel": "Novel", "quote_id": f"Q{number}", "speaker": "Ann Marsh"} for number in range(4)
    ]


def test_only_some_novels_are_measured_when_they_are_named(tmp_path: Path) -> None:
    pdnc_novels.write(tmp_path / "One")
    pdnc_novels.write(tmp_path / "Two")
    reports = pdnc.run(tmp_path, systems, only=["Two"])
    assert {report.split for report in reports} == {"Two", "micro", "macro"}
    with pytest.raises(NotThere, match="choose from One, Two"):
        pdnc.run(tmp_path, systems, only=["Three"])


def test_no_answer_is_right_if_the_speaker_is_a_group(tmp_path: Path) -> None:
    pdnc_novels.write(tmp_path / "Novel", quotes=((("Why?",), "_group", ""),))
    (novel,) = pdnc_data.read(tmp_path)
    nobody = always(None)(novel.text, novel.quotations, novel.cast)
    assert not pdnc.compare_with_annotation(novel, nobody)[0].right


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("", id="nothing"),
        pytest.param("{", id="no JSON"),
        pytest.param('{"folds": []}', id="no folds"),
        pytest.param('{"folds": [{"test": ["A"]}]}', id="a fold without training"),
        pytest.param('{"folds": [{"test": ["A"], "train_dev": ["A"]}]}', id="a leak"),
    ],
)
def test_folds_that_are_none_are_refused(tmp_path: Path, written: str) -> None:
    (tmp_path / "splits.json").write_text(written)
    with pytest.raises(UsageError, match=r"splits\.json"):
        pdnc.read_folds(tmp_path / "splits.json")


@pytest.mark.parametrize(
    ("strategy", "is_shown_again"), [("first", False), ("incremental", True)], ids=str
)
def test_a_language_model_is_shown_its_answers_again_or_its_first_one_counts(
    strategy: str, is_shown_again: bool, tmp_path: Path, lab: Scholar
) -> None:
    pdnc_novels.talk(tmp_path / "pdnc" / "Novel", seed=1, quotations=400)
    always_ann = json.dumps({str(number): "Ann Marsh" for number in range(1, 401)})
    with ChatServer(reply_with(always_ann)) as server:
        command = ("bench", "pdnc", "--data", str(tmp_path / "pdnc"), "--system", "llm")
        succeeded(lab(*command, "--server", server.url, "--strategy", strategy))
        assert len(server.prompts) > 1
        shown_again = any("Some of these quotations also ended" in text for text in server.prompts)
    assert shown_again == is_shown_again


def test_smaller_chunks_are_more_questions(tmp_path: Path, lab: Scholar) -> None:
    pdnc_novels.talk(tmp_path / "pdnc" / "Novel", seed=1, quotations=100)
    always_ann = json.dumps({str(number): "Ann Marsh" for number in range(1, 101)})
    command = ("bench", "pdnc", "--data", str(tmp_path / "pdnc"), "--system", "llm")
    asked = []
    for tokens in ("4096", "512"):
        with ChatServer(reply_with(always_ann)) as server:
            succeeded(lab(*command, "--server", server.url, "--chunk-tokens", tokens))
            asked.append(len(server.prompts))
    assert asked[1] > 2 * asked[0]


def test_each_quotation_may_be_a_question_of_its_own_with_the_text_around_it(
    tmp_path: Path, lab: Scholar
) -> None:
    pdnc_novels.talk(tmp_path / "pdnc" / "Novel", seed=1, quotations=60)
    [novel] = pdnc_data.read(tmp_path / "pdnc")
    command = ("bench", "pdnc", "--data", str(tmp_path / "pdnc"), "--system", "llm")
    with ChatServer(reply_with('{"1": "Ann Marsh"}')) as server:
        options = ("--strategy", "single", "--chunk-tokens", "256", "--json")
        reports = json.loads(succeeded(lab(*command, "--server", server.url, *options)).stdout)
        prompts = server.prompts
    assert len(prompts) == len(novel.quotations)
    shown = [prompt.split("<text>\n")[1].split("\n</text>")[0] for prompt in prompts]
    assert not any("<2>" in text for text in shown)
    for quotation, text in zip(novel.quotations, shown, strict=True):
        words = quotation.pieces[0].of(novel.text)
        assert text.split("<1>")[1].lstrip('“"').startswith(words)
        assert len(text) < 256 * 4 + len(quotation.of(novel.text)) + 10
    by_ann = [novel.cast[speaker].name == "Ann Marsh" for speaker in novel.speakers]
    assert reports[0]["metrics"]["everyone"] == pytest.approx(sum(by_ann) / len(by_ann))


def test_a_strategy_that_is_none_is_refused(tmp_path: Path, lab: Scholar) -> None:
    pdnc_novels.write(tmp_path / "Novel")
    refused = lab("bench", "pdnc", "--data", str(tmp_path), "--strategy", "last")
    assert "choose from first, incremental, single" in error_line(refused, 2)
