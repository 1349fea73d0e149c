"""`bench litbank`: the format of the data, the coreference scores, the baselines."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import Scholar, error_line, succeeded
from litbank_books import ANNOTATION, SENTENCES, write_books
from scholar_cli.laboratory.litbank import litbank_bench as bench_litbank
from scholar_cli.laboratory.litbank import litbank_data, scores
from scholar_cli.laboratory.litbank.litbank_data import TokenizedBook, TokenSpan
from scholar_cli.laboratory.litbank.litbank_systems import BASELINES, resolve_by_sieve
from scholar_cli.laboratory.litbank.plain_text import join_tokens
from scholar_indexes.types import Span


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one annotated book and one without annotation."""
    write_books(tmp_path / "books", ("annotated",))
    write_books(tmp_path / "books", ("plain",), annotated=False)
    return tmp_path / "books"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("MENTION\tT9\t0\t0", "line 11 is not a", id="fields are missing"),
        pytest.param("LINK\tT1\tT2", "line 11 is not a", id="another record"),
        pytest.param("MENTION\tT9\t7\t0\t7\t1\tx\tPER\tNOM", "about a sentence", id="sentence"),
        pytest.param("MENTION\tT9\t0\t3\t0\t99\tx\tPER\tNOM", "about tokens", id="tokens"),
        pytest.param("MENTION\tT9\t0\tx\t0\t2\tx\tPER\tNOM", "that is not a number", id="a letter"),
        pytest.param("MENTION\tT9\t0\t0\t0\t1\tx\tPER\tNOM", "T9 has no chain", id="no chain"),
    ],
)
def test_a_broken_annotation_is_named_with_its_line(
    lab: Scholar, folder: Path, line: str, message: str
) -> None:
    path = folder / "annotated" / litbank_data.ANNOTATION
    path.write_text(f"{ANNOTATION}{line}\n", "utf-8")
    result = lab("bench", "litbank", "--data", str(folder))
    assert message in error_line(result, 2)
    assert litbank_data.ANNOTATION in result.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        pytest.param(["--data", "nowhere"], 4, "there is no folder nowhere", id="no folder"),
        pytest.param(["--data", "."], 4, "contains no books", id="no books"),
        pytest.param(["--system", "oracle"], 2, "choose from model, sieve, names", id="no system"),
        pytest.param(["--system", "model"], 2, "give its folder: --model", id="no model"),
        pytest.param(["--book", "other"], 2, "choose from annotated, plain", id="no such book"),
    ],
)
def test_missing_data_are_named(
    lab: Scholar,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(folder.parent)
    if "--data" not in options:
        options = [*options, "--data", str(folder)]
    assert message in error_line(lab("bench", "litbank", *options), code)


def test_a_book_has_the_chains_of_its_annotation(folder: Path) -> None:
    book = litbank_data.read_book(folder / "annotated")
    assert sorted(map(sorted, book.chains())) == [
        [TokenSpan(0, 0, 3), TokenSpan(0, 6, 7)],
        [TokenSpan(0, 8, 11)],
        [TokenSpan(1, 5, 7)],
        [TokenSpan(2, 8, 10)],
    ]
    assert TokenSpan(1, 5, 7) not in set().union(*book.chains("PER"))
    assert litbank_data.read_book(folder / "plain").mentions is None


@given(
    st.lists(
        st.sets(
            st.tuples(st.integers(0, 2), st.integers(0, 8), st.integers(1, 5)).map(
                lambda place: TokenSpan(place[0], place[1], min(9, place[1] + place[2]))
            ),
            min_size=1,
        )
    )
)
def test_chains_written_as_conll_are_read_again(chains: list[set[TokenSpan]]) -> None:
    """Spans of one chain may nest, but not cross; no span is in two chains."""
    taken: list[TokenSpan] = []
    nested: list[set[TokenSpan]] = []
    for chain in chains:
        spans = set()
        for span in sorted(chain):
            if not any(span == other or crosses(span, other) for other in taken):
                taken.append(span)
                spans.add(span)
        nested += [spans] if spans else []
    book = TokenizedBook("a_book", (("token",) * 9,) * 3, None)
    written = litbank_data.format_conll(book, nested)
    assert sorted(map(sorted, chains_of_conll(written))) == sorted(map(sorted, nested))


def crosses(span: TokenSpan, other: TokenSpan) -> bool:
    """Return True if two spans overlap and each has a token outside the other."""
    if span.sentence != other.sentence:
        return False
    first, second = sorted([span, other])
    return first.start < second.start < first.end < second.end


def chains_of_conll(text: str) -> list[set[TokenSpan]]:
    """Return the chains of a coref.conll."""
    chains: dict[str, set[TokenSpan]] = defaultdict(set)
    opened: dict[str, list[int]] = defaultdict(list)
    sentences = re.sub(r"(?m)^#.*\n?", "", text).split("\n\n")
    for number, sentence in enumerate(sentences):
        for position, line in enumerate(sentence.splitlines()):
            for mark in filter(None, line.split("\t")[-1].split("|")):
                chain = mark.strip("()")
                if mark.startswith("("):
                    opened[chain].append(position)
                if mark.endswith(")"):
                    chains[chain].add(TokenSpan(number, opened[chain].pop(), position + 1))
    return list(chains.values())


@pytest.mark.parametrize(
    ("name", "recall", "precision"),
    [
        pytest.param("mention", 6 / 7, 6 / 8),
        pytest.param("muc", 2 / 5, 2 / 5),
        pytest.param("b3", 35 / 12 / 7, 4 / 8),
        pytest.param("ceafe", 1.3 / 2, 1.3 / 3),
        pytest.param("lea", 5 / 3 / 7, 8 / 3 / 8),
    ],
)
def test_scores_equal_the_worked_example(name: str, recall: float, precision: float) -> None:
    """The example of the reference scorer's paper (Pradhan et al. 2014, section 4)."""
    key = [set("abc"), set("defg")]
    response = [set("ab"), set("cd"), set("fghi")]
    score = scores.SCORES[name](key, response)
    assert score.recall.value == pytest.approx(recall)
    assert score.precision.value == pytest.approx(precision)


PARTITIONS = st.lists(st.integers(0, 4), min_size=1, max_size=12).map(
    lambda numbers: [
        {index for index, number in enumerate(numbers) if number == chain}
        for chain in sorted(set(numbers))
    ]
)


@given(PARTITIONS)
def test_the_annotation_itself_is_right(key: list[set[int]]) -> None:
    for name, score in scores.score_all(key, key).items():
        links = sum(len(chain) - 1 for chain in key)
        assert score.f1 == pytest.approx(1.0 if links or name != "muc" else 0.0), name


@given(PARTITIONS, PARTITIONS)
def test_recall_of_one_side_is_precision_of_the_other(
    key: list[set[int]], response: list[set[int]]
) -> None:
    forwards, backwards = scores.score_all(key, response), scores.score_all(response, key)
    for name in scores.SCORES:
        assert forwards[name].recall.value == pytest.approx(backwards[name].precision.value)
        assert 0 <= forwards[name].f1 <= 1 + 1e-9


def test_scores_that_were_kept_in_columns_are_read_again_and_give_the_same_figures() -> None:
    key, response = [{1, 2, 3}, {4}], [{1, 2}, {3, 4}]
    documents = [scores.score_all(key, response), scores.score_all(key, key)]
    columns = bench_litbank.query_columns(documents)
    assert bench_litbank.read_columns(columns) == documents
    assert columns["mention recall right"] == [4, 4]
    figures = bench_litbank.summarize(documents)
    assert figures["conll_f1_low"] <= figures["conll_f1"] <= figures["conll_f1_high"]
    assert figures["conll_f1_high"] == pytest.approx(1)


def test_nothing_answered_scores_nothing() -> None:
    assert all(score.f1 == 0 for score in scores.score_all([{1, 2}], []).values())
    assert all(score.f1 == 0 for score in scores.score_all([], [{1, 2}]).values())


def test_tokens_are_joined_as_they_are_printed_and_found_again() -> None:
    sentences = [line.split() for line in SENTENCES]
    plain = join_tokens(sentences)
    assert plain.text == (
        "Mrs. Elizabeth Marsh laughed, for she knew the captain's dog. “I don't like the sea,” "
        "said Elizabeth Marsh, and she shut her book. “Then stay at home,” said Mr. Hale."
    )
    for start, end, place in zip(plain.starts, plain.ends, plain.places, strict=True):
        assert plain.text[start:end] == sentences[place[0]][place[1]]
    start = plain.text.index("the captain's")
    assert plain.tokens_of(Span(start, start + len("the captain's"))) == TokenSpan(0, 8, 11)
    assert plain.tokens_of(Span(start + 1, start + 5)) is None
    assert plain.tokens_of(Span(0, len(plain.text))) is None


def test_rules_find_that_a_name_and_a_pronoun_mean_one(folder: Path) -> None:
    mentions = resolve_by_sieve(litbank_data.read_book(folder / "plain").sentences)
    chains = {mention.span: mention.chain for mention in mentions}
    elizabeth = chains[TokenSpan(0, 0, 3)]
    assert chains[TokenSpan(0, 6, 7)] == elizabeth  # she
    assert chains[TokenSpan(1, 1, 2)] == elizabeth  # I, in her quotation
    assert chains[TokenSpan(1, 16, 17)] == elizabeth  # her
    assert chains[TokenSpan(2, 8, 10)] != elizabeth  # Mr. Hale


def test_the_benchmark_scores_what_is_annotated_and_writes_all_chains(
    lab: Scholar, folder: Path, tmp_path: Path
) -> None:
    result = succeeded(
        lab("bench", "litbank", "--data", str(folder), "--run", str(tmp_path / "run"), "--json")
    )
    reports = {(report["system"], report["split"]): report for report in result.json}
    assert set(reports) == {(system, split) for system in BASELINES for split in ("persons", "all")}
    persons = reports["sieve", "persons"]
    assert persons["n"] == 1
    assert persons["metrics"]["conll_f1_low"] <= persons["metrics"]["conll_f1"]
    recall = "mention_recall"
    assert persons["metrics"][recall] > reports["names", "persons"]["metrics"][recall]
    for name in ("annotated", "plain"):
        written = (tmp_path / "run" / name / litbank_data.CHAINS).read_text("utf-8")
        assert written.startswith(f"#begin document ({name}); part 0\n")
        assert chains_of_conll(written)
    assert json.dumps(result.json)
