"""Training the facet model: from a few made-up papers to a model that is asked like any other."""

from __future__ import annotations

import json
import lzma
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scholar_indexes import models
from scholar_indexes.encoder import Floats1d, Floats2d
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.papers import facets
from scholar_indexes.papers.facets import LABELS
from scholar_indexes.types import Facet, silent

pytest.importorskip("torch", reason="training needs the extra [train]")

import torch

from scholar_cli.train import facets as training
from scholar_cli.train.facets import CORRECTED, TEST, TRAIN, VALIDATION, Labelled, Recipe

RECIPE = Recipe(least=3, mixed=8, states=4, epochs=8, batch=8, learning_rate=2e-2)
THINGS = ("tides", "lamps", "harbours", "gulls", "ropes", "sails", "charts", "bells")


@cache
def of_word(word: str) -> Floats1d:
    draw = np.random.default_rng(zlib.crc32(word.encode()))
    return draw.normal(size=Hashing.dimensions).astype(np.float32)


class Hashing:
    """Sums of vectors of words that never change: enough to tell sentences apart."""

    space = "hashing_1"
    dimensions = 16

    def encode(self, texts: Sequence[str]) -> Floats2d:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                rows[row] += of_word(word)
        return np.asarray(
            rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32
        )

    def encode_claims(self, claims: Sequence[str]) -> Floats2d:
        return self.encode(claims)

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[Floats2d, Floats1d]:
        return self.encode(sentences), np.ones(len(sentences), np.float32)


def paper(number: int, title: str = "") -> dict[str, Any]:
    thing, other = THINGS[number % 8], THINGS[number // 8 % 8]
    said = [
        ("background", f"Little is known about {thing} and {other}."),
        ("objective", f"We want to understand {thing}."),
        ("method", f"We measure {thing} with a gauge for {other}."),
        ("result", f"The error falls by {number} % for {thing}."),
    ]
    if number % 3 == 0:
        said.append(("other", f"Copies of {thing} are sold at the door."))
    return {
        "paper_id": str(number), "title": title or f"On {thing} and {other}, part {number}",
        "year": None, "abstract": [{"facet": facet, "text": text} for facet, text in said],
    }  # fmt: skip


def write(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    return path


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("papers")
    write(at / "annotations.jsonl", [{"query_id": "3"}, {"query_id": "4"}])
    return write(at / "papers.jsonl", [paper(number) for number in range(90)])


@pytest.fixture(scope="module")
def made(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "tiny-facets"
    training.train(papers, Hashing(), out, RECIPE, said={"licence": "none"})
    return out


# -- what cannot be trained on -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "line 1", id="no JSON"),
        pytest.param("[1]", "it needs paper_id", id="no paper"),
        pytest.param('{"paper_id": 1, "title": "", "abstract": 3}', "line 1", id="no abstract"),
        pytest.param('{"paper_id": 1, "title": "", "abstract": [{"facet": "aim", "text": "x"}]}',
                     "'aim' is not a valid Facet", id="no such facet"),
        pytest.param("[" * 100_000, "line 1", id="nested deep"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_labelled_paper_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "papers.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message):
        training.read(path)


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.jsonl.xz"])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(UsageError, match="cannot be read"):
        training.read(tmp_path / name)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="labelled papers"):
        training.read(tmp_path / "papers.jsonl")


def test_papers_without_sentences_teach_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [{"paper_id": "1", "title": "A", "abstract": []}])
    with pytest.raises(NoMatch, match="labelled papers"):
        training.train(path, Hashing(), tmp_path / "out", RECIPE)
    assert not (tmp_path / "out").exists()


def test_a_finished_model_is_not_trained_over(made: Path, papers: Path) -> None:
    with pytest.raises(UsageError, match="finished model"):
        training.train(papers, Hashing(), made, RECIPE)


def test_a_recipe_without_an_unknown_part_is_refused(papers: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'soul' is no part"):
        training.train(papers, Hashing(), tmp_path / "out", replace(RECIPE, without=("soul",)))


# -- the parts -----------------------------------------------------------------------------


def test_papers_fall_into_parts_by_their_title_and_not_by_their_order(
    papers: Path, tmp_path: Path
) -> None:
    forth = {each.id: each.part for each in training.read(papers)}
    rows = [json.loads(line) for line in papers.read_text("utf-8").splitlines()]
    back = write(tmp_path / "papers.jsonl", rows[::-1])
    assert {each.id: each.part for each in training.read(back, papers.parent / "annotations.jsonl")
            } == forth  # fmt: skip
    assert set(forth.values()) == {TRAIN, VALIDATION, TEST, CORRECTED}
    assert list(forth.values()).count(TRAIN) > 50


def test_copies_of_a_paper_meet_in_one_part(tmp_path: Path) -> None:
    rows = [paper(number, "The Bell: a Study" if number % 2 else "The bell, a study")
            for number in range(20)]  # fmt: skip
    assert len({each.part for each in training.read(write(tmp_path / "p.jsonl", rows))}) == 1


def test_hand_corrected_papers_and_their_copies_are_not_trained_on(
    papers: Path, tmp_path: Path
) -> None:
    copy = paper(3)
    rows = [paper(3), {**copy, "paper_id": "300"}, paper(5)]
    path = write(tmp_path / "papers.jsonl", rows)
    found = training.read(path, papers.parent / "annotations.jsonl")
    assert [each.part for each in found][:2] == [CORRECTED, ""]


def test_packed_papers_read_like_plain_ones(papers: Path, tmp_path: Path) -> None:
    packed = tmp_path / "papers.jsonl.xz"
    packed.write_bytes(lzma.compress(papers.read_bytes()))
    beside = papers.parent / "annotations.jsonl"
    assert training.read(packed, beside) == training.read(papers)


def test_objectives_are_background(papers: Path) -> None:
    assert training.read(papers)[0].facets[:3] == (
        Facet.BACKGROUND, Facet.BACKGROUND, Facet.METHOD,
    )  # fmt: skip


# -- the network ---------------------------------------------------------------------------


def abstracts(*sizes: int) -> list[Labelled]:
    rows = []
    for number, size in enumerate(sizes):
        said = paper(3 * number)["abstract"][:size]
        texts = tuple(each["text"] for each in said)
        rows.append(Labelled(str(number), texts, (Facet.METHOD,) * size, TRAIN))
    return rows


def network_and_batch(*sizes: int) -> tuple[Any, Any, Any, list[Labelled], list[str]]:
    papers = abstracts(*sizes)
    words = training.vocabulary(papers, 1)
    torch.manual_seed(3)
    recipe = replace(RECIPE, forgotten=(0.0, 0.0, 0.0))
    network = training.Network(Hashing.dimensions, len(words), recipe)
    for each in network.parameters():
        torch.nn.init.normal_(each, std=0.3)
    with torch.no_grad():
        network.phrases.weight[network.nothing] = 0.0
    rows = {word: row for row, word in enumerate(words)}
    known = [
        [sorted(rows[cue] for cue in facets.cues(text)) for text in each.texts] for each in papers
    ]
    vectors = training.encoded(papers, Hashing(), silent)
    given, there, answers = training._padded(
        list(zip(papers, vectors, known, strict=True)), network.nothing
    )
    return network, (given, there), answers, papers, words


def test_the_product_computes_what_was_trained() -> None:
    """numpy without padding and in halves gives what torch gives, in a batch of three."""
    network, (given, there), _, papers, words = network_and_batch(5, 1, 3)
    with torch.no_grad():
        trained = network(*given, there).numpy()
    model = facets.assembled("tiny", Hashing.space, words, network.tensors())
    for row, each in enumerate(papers):
        scores = facets.scored(Hashing().encode(each.texts), each.texts, model)
        assert np.allclose(scores, trained[row, : len(each.texts)], atol=0.03)


def test_the_loss_is_the_likelihood_of_the_answers_among_all_paths() -> None:
    network, (given, there), answers, papers, _ = network_and_batch(4, 2)
    with torch.no_grad():
        scores = network(*given, there)
        loss = float(network.loss(scores, there, answers))
        first, follows, last = (
            each.numpy() for each in (network.first, network.follows, network.last)
        )
    total = 0.0
    for row, each in enumerate(papers):
        n = len(each.texts)

        def exponent(path: Sequence[int], row: int = row) -> float:
            steps = sum(follows[pair] for pair in pairwise(path))
            own = sum(float(scores[row, at, facet]) for at, facet in enumerate(path))
            return float(first[path[0]] + last[path[-1]] + steps + own)

        everything = [exponent(path) for path in product(range(len(LABELS)), repeat=n)]
        total += float(np.log(np.exp(everything).sum())) - exponent(each.answers)
    assert loss == pytest.approx(total / 6, rel=1e-4)


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("vectors", ["vectors"]),
        ("words", ["phrases"]),
        ("places", ["places"]),
        ("chain", ["first", "follows", "last"]),
    ],
)
def test_a_part_that_is_left_out_is_nought(part: str, names: list[str]) -> None:
    network = training.Network(4, 3, replace(RECIPE, without=(part,)))
    assert not any(network.tensors()[name].any() for name in names)


def test_without_neighbours_and_chain_a_sentence_is_known_by_itself(papers: Path) -> None:
    found = training.read(papers)[:40]
    vectors = training.encoded(found, Hashing(), silent)
    alone = replace(RECIPE, epochs=1, without=("neighbours", "chain", "places"))
    words, tensors = training.fit(found, vectors, alone)
    model = facets.assembled("alone", Hashing.space, words, tensors)
    texts = found[0].texts
    _, together = facets.label(vectors[0], texts, model)
    _, single = facets.label(vectors[0][:1], texts[:1], model)
    assert np.allclose(together[0], single[0], atol=1e-5)


def test_learning_meets_stretches_of_papers_and_papers_it_cannot_read() -> None:
    (whole,) = abstracts(5)
    vectors, known = Hashing().encode(whole.texts), [[at] for at in range(5)]
    draw = np.random.default_rng(0)
    often = replace(RECIPE, cut=0.5, unread=0.5)
    sizes, unread = set(), set()
    for _ in range(200):
        paper, own, phrases = training._varied(whole, vectors, known, often, draw)
        n = len(paper.texts)
        assert len(paper.facets) == len(own) == len(phrases) == n
        start = whole.texts.index(paper.texts[0])
        assert paper.texts == whole.texts[start : start + n]
        unread.add(not own.any())
        if own.any():
            assert np.array_equal(own, vectors[start : start + n])
            assert phrases == known[start : start + n]
        else:
            assert not any(phrases)
        sizes.add(n)
    assert sizes == {1, 2, 3, 4, 5}
    assert unread == {True, False}


# -- what comes out ------------------------------------------------------------------------


def test_a_trained_model_tells_the_facets_apart(made: Path) -> None:
    card = json.loads((made / "card.json").read_text("utf-8"))
    for part in (TEST, CORRECTED):
        value, low, high = card["scores"][part]["accuracy"]
        assert 0.9 < value <= 1
        assert low <= value <= high
    assert card["scores"][CORRECTED]["papers"] == 2
    assert card["licence"] == "none"
    assert TRAIN not in card["scores"]


def test_a_trained_model_is_verified_and_loads_for_its_encoder(made: Path) -> None:
    files = models.find(str(made), made)
    models.verify(files)
    model = facets.load(files, Hashing.space)
    texts = ["Little is known about kelp.", "We measure kelp with a gauge for foam.",
             "The error falls by 7 % for kelp."]  # fmt: skip
    named, _ = facets.label(Hashing().encode(texts), texts, model)
    assert named == [Facet.BACKGROUND, Facet.METHOD, Facet.RESULT]


def test_to_choose_a_recipe_the_test_is_not_looked_at(papers: Path, tmp_path: Path) -> None:
    short = replace(RECIPE, epochs=1)
    card = training.train(papers, Hashing(), tmp_path / "tried", short, choose=True)
    assert set(card["scores"]) == {VALIDATION}
    parts = [each.part for each in training.read(papers)]
    assert card["training"]["papers"] == parts.count(TRAIN)


def test_the_same_seed_gives_the_same_model(made: Path, papers: Path, tmp_path: Path) -> None:
    again = training.train(papers, Hashing(), tmp_path / "tiny-facets", RECIPE)
    card = json.loads((made / "card.json").read_text("utf-8"))
    assert again["files"] == card["files"]


def test_figures_are_what_their_names_say() -> None:
    # Answers and guesses of two papers: background right twice, a method taken for a result.
    found = training.figures([[0, 0], [1, 2]], [[0, 0], [2, 2]])
    assert found["papers"] == 2
    assert found["sentences"] == 4
    assert found["accuracy"][0] == 0.75
    assert found["f1_background"] == [1.0, 0.0, 1.0]  # a resample may hold no background
    assert found["f1_method"][0] == 0.0
    assert found["f1_result"][0] == pytest.approx(2 / 3, abs=1e-4)
    assert found["macro_f1"][0] == pytest.approx((1 + 2 / 3) / 4, abs=1e-4)
