"""Training the facet model on invented papers, and loading the trained model."""

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

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.models import registry
from scholar_indexes.papers import facets
from scholar_indexes.types import FACETS, QUERY_FACETS, Facet, silent
from sentence_encoders import SentenceEncoder

pytest.importorskip("torch", reason="training needs the extra [lab]")

import torch

from scholar_cli.laboratory.facets import facet_data, facet_training, scoring
from scholar_cli.laboratory.facets.facet_data import (
    CORRECTED,
    TEST,
    TRAIN,
    VALIDATION,
    LabelledAbstract,
)
from scholar_cli.laboratory.facets.model import FacetModelSettings, FacetNetwork

SETTINGS = FacetModelSettings(
    min_papers=3, hidden=8, states=4, epochs=8, batch_size=8, learning_rate=2e-2
)
BACKGROUND, METHOD, RESULT = QUERY_FACETS
THINGS = ("tides", "lamps", "harbours", "gulls", "ropes", "sails", "charts", "bells")


@cache
def word_vector(word: str) -> Floats1d:
    draw = np.random.default_rng(zlib.crc32(word.encode()))
    return draw.normal(size=FixedWordVectors.dimensions).astype(np.float32)


class FixedWordVectors(SentenceEncoder):
    """Sums of fixed word vectors: enough to distinguish sentences."""

    space = "hashing_1"
    dimensions = 16

    def encode(self, texts: Sequence[str]) -> Floats2d:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                rows[row] += word_vector(word)
        return np.asarray(
            rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32
        )


def paper(number: int, title: str = "") -> dict[str, Any]:
    thing, other = THINGS[number % 8], THINGS[number // 8 % 8]
    sentences = [
        ("background", f"Little is known about {thing} and {other}."),
        ("objective", f"We want to understand {thing}."),
        ("method", f"We measure {thing} with a gauge for {other}."),
        ("result", f"The error falls by {number} % for {thing}."),
    ]
    if number % 3 == 0:
        sentences.append(("other", f"Copies of {thing} are sold at the door."))
    return {
        "paper_id": str(number),
        "title": title or f"On {thing} and {other}, part {number}",
        "year": None,
        "abstract": [{"facet": facet, "text": text} for facet, text in sentences],
    }


def write(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    write(folder / "annotations.jsonl", [{"query_id": "3"}, {"query_id": "4"}])
    return write(folder / "papers.jsonl", [paper(number) for number in range(90)])


@pytest.fixture(scope="module")
def trained_model(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "tiny-facets"
    facet_training.train(papers, FixedWordVectors(), out, SETTINGS, card_fields={"licence": "none"})
    return out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "line 1", id="no JSON"),
        pytest.param("[1]", "it needs paper_id", id="no paper"),
        pytest.param('{"paper_id": 1, "title": "", "abstract": 3}', "line 1", id="no abstract"),
        pytest.param(
            '{"paper_id": 1, "title": "", "abstract": [{"facet": "aim", "text": "x"}]}',
            "'aim' is not a valid Facet",
            id="no such facet",
        ),
        pytest.param("[" * 100_000, "line 1", id="nested deep"),
    ],
)
def test_a_line_that_is_no_labelled_paper_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "papers.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message):
        facet_data.read_papers(path)


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.jsonl.xz"])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(UsageError, match="cannot be read"):
        facet_data.read_papers(tmp_path / name)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="labelled papers"):
        facet_data.read_papers(tmp_path / "papers.jsonl")


def test_papers_without_sentences_teach_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [{"paper_id": "1", "title": "A", "abstract": []}])
    with pytest.raises(NoMatch, match="labelled papers"):
        facet_training.train(path, FixedWordVectors(), tmp_path / "out", SETTINGS)
    assert not (tmp_path / "out").exists()


def test_a_finished_model_is_not_trained_over(trained_model: Path, papers: Path) -> None:
    with pytest.raises(UsageError, match="finished model"):
        facet_training.train(papers, FixedWordVectors(), trained_model, SETTINGS)


def test_settings_without_an_unknown_component_are_refused(papers: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'soul' is not a component"):
        facet_training.train(
            papers, FixedWordVectors(), tmp_path / "out", replace(SETTINGS, without=("soul",))
        )


def test_papers_fall_into_parts_by_their_title_and_not_by_their_order(
    papers: Path, tmp_path: Path
) -> None:
    parts = {paper.id: paper.part for paper in facet_data.read_papers(papers)}
    rows = [json.loads(line) for line in papers.read_text("utf-8").splitlines()]
    reversed_papers = write(tmp_path / "papers.jsonl", rows[::-1])
    assert {
        paper.id: paper.part
        for paper in facet_data.read_papers(reversed_papers, papers.parent / "annotations.jsonl")
    } == parts
    assert set(parts.values()) == {TRAIN, VALIDATION, TEST, CORRECTED}
    assert list(parts.values()).count(TRAIN) > 50


def test_copies_of_a_paper_meet_in_one_part(tmp_path: Path) -> None:
    rows = [
        paper(number, "The Bell: a Study" if number % 2 else "The bell, a study")
        for number in range(20)
    ]
    abstracts = facet_data.read_papers(write(tmp_path / "p.jsonl", rows))
    assert len({abstract.part for abstract in abstracts}) == 1


def test_hand_corrected_papers_and_their_copies_are_not_trained_on(
    papers: Path, tmp_path: Path
) -> None:
    copy = paper(3)
    rows = [paper(3), {**copy, "paper_id": "300"}, paper(5)]
    path = write(tmp_path / "papers.jsonl", rows)
    abstracts = facet_data.read_papers(path, papers.parent / "annotations.jsonl")
    assert [abstract.part for abstract in abstracts][:2] == [CORRECTED, ""]


def test_compressed_papers_read_like_plain_ones(papers: Path, tmp_path: Path) -> None:
    compressed = tmp_path / "papers.jsonl.xz"
    compressed.write_bytes(lzma.compress(papers.read_bytes()))
    annotations = papers.parent / "annotations.jsonl"
    assert facet_data.read_papers(compressed, annotations) == facet_data.read_papers(papers)


def test_objectives_are_background(papers: Path) -> None:
    assert facet_data.read_papers(papers)[0].facets[:3] == (
        Facet.BACKGROUND,
        Facet.BACKGROUND,
        Facet.METHOD,
    )


def build_abstracts(*sizes: int) -> list[LabelledAbstract]:
    rows = []
    for number, size in enumerate(sizes):
        sentences = paper(3 * number)["abstract"][:size]
        texts = tuple(sentence["text"] for sentence in sentences)
        rows.append(LabelledAbstract(str(number), texts, (Facet.METHOD,) * size, TRAIN))
    return rows


def network_and_batch(*sizes: int) -> tuple[Any, Any, Any, list[LabelledAbstract], list[str]]:
    papers = build_abstracts(*sizes)
    words = facet_training.build_vocabulary(papers, 1)
    torch.manual_seed(3)
    settings = replace(SETTINGS, dropout=(0.0, 0.0, 0.0))
    network = FacetNetwork(FixedWordVectors.dimensions, len(words), settings)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    with torch.no_grad():
        network.phrases.weight[network.padding_row] = 0.0
    rows = {word: row for row, word in enumerate(words)}
    cues = [
        [sorted(rows[cue] for cue in facets.extract_cues(text)) for text in paper.texts]
        for paper in papers
    ]
    vectors = facet_data.encode_sentences(papers, FixedWordVectors(), silent)
    inputs, mask, labels = facet_training.build_batch(
        list(zip(papers, vectors, cues, strict=True)), network.padding_row
    )
    return network, (inputs, mask), labels, papers, words


def test_the_product_computes_what_was_trained() -> None:
    """numpy without padding, in float16, gives the same as torch in a batch of three."""
    network, (inputs, mask), _, papers, words = network_and_batch(5, 1, 3)
    with torch.no_grad():
        trained = network(*inputs, mask).numpy()
    model = facets.build_model("tiny", FixedWordVectors.space, words, network.tensors())
    for row, paper in enumerate(papers):
        scores = facets.score_sentences(FixedWordVectors().encode(paper.texts), paper.texts, model)
        assert np.allclose(scores, trained[row, : len(paper.texts)], atol=0.03)


def test_the_loss_is_the_likelihood_of_the_labels_among_all_paths() -> None:
    network, (inputs, mask), labels, papers, _ = network_and_batch(4, 2)
    with torch.no_grad():
        scores = network(*inputs, mask)
        loss = float(network.loss(scores, mask, labels))
        first, transitions, last = (
            parameter.numpy() for parameter in (network.first, network.transitions, network.last)
        )
    total = 0.0
    for row, paper in enumerate(papers):
        n = len(paper.texts)

        def exponent(path: Sequence[int], row: int = row) -> float:
            steps = sum(transitions[pair] for pair in pairwise(path))
            own = sum(float(scores[row, at, facet]) for at, facet in enumerate(path))
            return float(first[path[0]] + last[path[-1]] + steps + own)

        exponents = [exponent(path) for path in product(range(len(FACETS)), repeat=n)]
        total += float(np.log(np.exp(exponents).sum())) - exponent(paper.labels)
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
def test_a_component_that_is_left_out_is_zero(part: str, names: list[str]) -> None:
    network = FacetNetwork(4, 3, replace(SETTINGS, without=(part,)))
    assert not any(network.tensors()[name].any() for name in names)


def test_without_neighbours_and_chain_a_sentence_is_known_by_itself(papers: Path) -> None:
    abstracts = facet_data.read_papers(papers)[:40]
    vectors = facet_data.encode_sentences(abstracts, FixedWordVectors(), silent)
    alone = replace(SETTINGS, epochs=1, without=("neighbours", "chain", "places"))
    words, tensors = facet_training.fit_model(abstracts, vectors, alone)
    model = facets.build_model("alone", FixedWordVectors.space, words, tensors)
    texts = abstracts[0].texts
    _, together = facets.label_abstract(vectors[0], texts, model)
    _, single = facets.label_abstract(vectors[0][:1], texts[:1], model)
    assert np.allclose(together[0], single[0], atol=1e-5)


def test_training_crops_abstracts_and_hides_their_words() -> None:
    (whole,) = build_abstracts(5)
    vectors, cues = FixedWordVectors().encode(whole.texts), [[row] for row in range(5)]
    rng = np.random.default_rng(0)
    often = replace(SETTINGS, crop=0.5, unknown_language=0.5)
    sizes, hidden = set(), set()
    for _ in range(200):
        abstract, own, phrases = facet_training.augment(whole, vectors, cues, often, rng)
        n = len(abstract.texts)
        assert len(abstract.facets) == len(own) == len(phrases) == n
        start = whole.texts.index(abstract.texts[0])
        assert abstract.texts == whole.texts[start : start + n]
        hidden.add(not own.any())
        if own.any():
            assert np.array_equal(own, vectors[start : start + n])
            assert phrases == cues[start : start + n]
        else:
            assert not any(phrases)
        sizes.add(n)
    assert sizes == {1, 2, 3, 4, 5}
    assert hidden == {True, False}


def test_without_labelled_papers_a_model_learns_from_short_abstracts_alone(tmp_path: Path) -> None:
    out = tmp_path / "own"
    with pytest.raises(NoMatch, match="no training paper"):
        facet_training.train(None, FixedWordVectors(), out, SETTINGS)
    short = [
        LabelledAbstract(str(number), texts, facets, TRAIN)
        for number, (texts, facets) in enumerate(
            [
                (("Little is known about tides.", "The error falls."), (BACKGROUND, RESULT)),
                (("We measure ropes.", "The error falls by 3 %."), (METHOD, RESULT)),
            ]
        )
    ]
    settings = replace(SETTINGS, epochs=1)
    card = facet_training.train(None, FixedWordVectors(), out, settings, short=short)
    assert (card["training"]["papers"], card["training"]["composed"]) == (2, facet_data.COMPOSED)
    assert card["scores"] == {}
    assert facets.load(registry.find(str(out), tmp_path)).space == "hashing_1"


def test_composed_abstracts_have_each_facet_in_order_with_the_vectors_of_their_sentences() -> None:
    short = facet_data.read_short_abstracts()
    encoder = FixedWordVectors()
    vectors = facet_data.encode_sentences(short, encoder, silent)
    composed, composed_vectors = facet_data.compose_abstracts(short, vectors, seed=0)
    assert len(composed) == len(composed_vectors) == facet_data.COMPOSED
    for abstract, rows in zip(composed[:20], composed_vectors, strict=False):
        assert list(abstract.facets) == sorted(abstract.facets, key=QUERY_FACETS.index)
        assert set(abstract.facets) == set(QUERY_FACETS)
        assert np.allclose(rows, encoder.encode(abstract.texts))
    assert {len(abstract.texts) for abstract in composed} == set(range(3, 13))


def test_a_trained_model_distinguishes_the_facets(trained_model: Path) -> None:
    card = json.loads((trained_model / "card.json").read_text("utf-8"))
    for part in (TEST, CORRECTED):
        value, low, high = card["scores"][part]["accuracy"]
        assert 0.9 < value <= 1
        assert low <= value <= high
    assert card["scores"][CORRECTED]["papers"] == 2
    assert card["licence"] == "none"
    assert card["training"]["recipe"]["least"] == SETTINGS.min_papers
    assert card["training"]["recipe"]["forgotten"] == list(SETTINGS.dropout)
    assert TRAIN not in card["scores"]


def test_a_trained_model_is_verified_and_loads_for_its_encoder(trained_model: Path) -> None:
    files = registry.find(str(trained_model), trained_model)
    registry.verify(files)
    model = facets.load(files, FixedWordVectors.space)
    texts = [
        "Little is known about kelp.",
        "We measure kelp with a gauge for foam.",
        "The error falls by 7 % for kelp.",
    ]
    labels, _ = facets.label_abstract(FixedWordVectors().encode(texts), texts, model)
    assert labels == [Facet.BACKGROUND, Facet.METHOD, Facet.RESULT]


def test_choosing_hyperparameters_does_not_use_the_test_papers(
    papers: Path, tmp_path: Path
) -> None:
    short = replace(SETTINGS, epochs=1)
    card = facet_training.train(papers, FixedWordVectors(), tmp_path / "tried", short, choose=True)
    assert set(card["scores"]) == {VALIDATION}
    parts = [paper.part for paper in facet_data.read_papers(papers)]
    assert card["training"]["papers"] == parts.count(TRAIN)


def test_the_same_seed_gives_the_same_model(
    trained_model: Path, papers: Path, tmp_path: Path
) -> None:
    again = facet_training.train(papers, FixedWordVectors(), tmp_path / "tiny-facets", SETTINGS)
    card = json.loads((trained_model / "card.json").read_text("utf-8"))
    assert again["files"] == card["files"]


def test_metrics_are_what_their_names_say() -> None:
    # Two papers: background is right twice, a method is labelled as a result.
    measured = scoring.compute_metrics([[0, 0], [1, 2]], [[0, 0], [2, 2]])
    assert measured["papers"] == 2
    assert measured["sentences"] == 4
    assert measured["accuracy"][0] == 0.75
    assert measured["f1_background"] == [1.0, 0.0, 1.0]  # a resample may contain no background
    assert measured["f1_method"][0] == 0.0
    assert measured["f1_result"][0] == pytest.approx(2 / 3, abs=1e-4)
    assert measured["macro_f1"][0] == pytest.approx((1 + 2 / 3) / 4, abs=1e-4)
