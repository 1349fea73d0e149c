"""The facets of the sentences of an abstract: the chain against its definition, and limits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats2d
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.models import engines, registry
from scholar_indexes.papers import facets
from scholar_indexes.papers.facets import WEIGHTS_FILE, WORDS_FILE, FacetModel
from scholar_indexes.types import FACETS, Facet

WIDTH, MIXED, STATES = 6, 5, 3
SPACE = "tiny_12345678"
PHRASES = [
    "we",
    "we propose",
    "^ however",
    "0",
    "0 %",
    "results show that",
    "the",
    "of",
    "lamp",
    "a",
    "and",
    "keepers",
    "lamps",
    "that",
    "show",
    "with",
    "in",
    "is",
    "it",
]

B, M, R, OTHER = FACETS

LANTERNS = (
    ("Lighthouses guide ships along dark coasts, and their lamps fail without warning.", B),
    ("However, little is known about how keepers notice a failing lamp.", B),
    ("We propose a method that listens to the hum of the lamp with a cheap microphone.", M),
    ("We train a small network on the sounds of forty lamps and compare it with keepers.", M),
    ("Results show that it finds 93% of the failures, significantly more than keepers do.", R),
)
TIDES = (
    ("Predicting tides in narrow harbours remains a challenging problem.", B),
    ("We train a recurrent neural network on the pressure readings of three gauges.", M),
    ("Experiments show that the error falls by 12% compared with the best earlier method.", R),
)


def tensors(seed: int = 0) -> dict[str, NDArray[np.float32]]:
    draw = np.random.default_rng(seed)
    four = len(FACETS)
    shapes: dict[str, tuple[int, ...]] = {
        "phrases": (len(PHRASES), MIXED),
        "vectors": (MIXED, WIDTH),
        "places": (MIXED, facets.POSITION_FEATURES),
        "bias": (MIXED,),
        "scores": (four, MIXED + 2 * STATES),
        "score_bias": (four,),
        "first": (four,),
        "follows": (four, four),
        "last": (four,),
    }
    for way in ("onward", "backward"):
        shapes |= {
            f"{way}.inputs": (3 * STATES, MIXED),
            f"{way}.states": (3 * STATES, STATES),
            f"{way}.input_bias": (3 * STATES,),
            f"{way}.state_bias": (3 * STATES,),
        }
    return {key: draw.normal(0, 0.4, shape).astype(np.float32) for key, shape in shapes.items()}


def unit(n: int, seed: int = 1) -> Floats2d:
    rows = np.random.default_rng(seed).normal(size=(n, WIDTH)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


MODEL: FacetModel = facets.build_model("tiny", SPACE, PHRASES, tensors())


def folder(at: Path, **changed: object) -> Path:
    """Return a model folder; `changed` are entries of its card."""
    from safetensors.numpy import save_file

    at.mkdir()
    save_file(tensors(), at / WEIGHTS_FILE)
    (at / WORDS_FILE).write_text(json.dumps(PHRASES), "utf-8")
    card = {
        "name": "tiny",
        "task": facets.TASK,
        "reads": SPACE,
        "dimensions": len(FACETS),
        "max_tokens": 0,
        "pooling": "none",
        "space": "tiny-1",
        "weights_sha256": "",
        "files": {name: registry.file_sha256(at / name) for name in (WEIGHTS_FILE, WORDS_FILE)},
        **changed,
    }
    (at / "card.json").write_text(json.dumps(card), "utf-8")
    return at


def find_model(at: Path) -> registry.ModelFiles:
    return registry.find(str(at), at)


def without_a_tensor(at: Path) -> None:
    from safetensors.numpy import save_file

    save_file(
        {key: tensor for key, tensor in tensors().items() if key != "follows"}, at / WEIGHTS_FILE
    )


def with_infinite_weights(at: Path) -> None:
    from safetensors.numpy import save_file

    save_file({**tensors(), "bias": np.full(MIXED, np.inf, np.float32)}, at / WEIGHTS_FILE)


def of_another_shape(at: Path) -> None:
    from safetensors.numpy import save_file

    save_file({**tensors(), "places": np.zeros((MIXED, 3), np.float32)}, at / WEIGHTS_FILE)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda at: (at / WEIGHTS_FILE).unlink(), id="no weights"),
        pytest.param(lambda at: (at / WORDS_FILE).unlink(), id="no words"),
        pytest.param(lambda at: (at / WEIGHTS_FILE).write_bytes(b""), id="empty weights"),
        pytest.param(
            lambda at: (at / WEIGHTS_FILE).write_bytes(b"\xff" * 64), id="noise for weights"
        ),
        pytest.param(
            lambda at: (at / WORDS_FILE).write_text("[1, 2]"), id="words that are numbers"
        ),
        pytest.param(lambda at: (at / WORDS_FILE).write_text('["one"]'), id="too few words"),
        pytest.param(
            lambda at: (at / WORDS_FILE).write_text("[" * 100_000), id="words nested deep"
        ),
        pytest.param(without_a_tensor, id="a tensor missing"),
        pytest.param(with_infinite_weights, id="weights that are no numbers"),
        pytest.param(of_another_shape, id="another shape"),
    ],
)
def test_a_damaged_model_says_so_in_one_line(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    at = folder(tmp_path / "tiny")
    damage(at)
    with pytest.raises(Damaged, match="run: scholar models verify tiny") as error:
        facets.load(find_model(at))
    assert "\n" not in str(error.value)


def test_a_model_that_names_no_encoder_is_damaged(tmp_path: Path) -> None:
    at = folder(tmp_path / "tiny")
    card = json.loads((at / "card.json").read_text("utf-8"))
    del card["reads"]
    (at / "card.json").write_text(json.dumps(card), "utf-8")
    with pytest.raises(Damaged, match="reads"):
        facets.load(find_model(at))


def test_a_model_for_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is for speakers, not for facets"):
        facets.load(find_model(folder(tmp_path / "tiny", task="speakers")))


def test_a_model_of_another_encoder_is_refused(tmp_path: Path) -> None:
    at = folder(tmp_path / "tiny")
    assert facets.load(find_model(at), SPACE).space == SPACE
    with pytest.raises(ConfigError, match=r"not of other_1;.*scholar-lab train facets"):
        facets.load(find_model(at), "other_1")


def test_a_loaded_model_answers_as_the_one_written(tmp_path: Path) -> None:
    texts = [text for text, _ in LANTERNS]
    vectors = unit(len(texts))
    loaded = facets.load(find_model(folder(tmp_path / "tiny")))
    assert np.array_equal(
        facets.label_abstract(vectors, texts, loaded)[1],
        facets.label_abstract(vectors, texts, MODEL)[1],
    )


@pytest.mark.parametrize(
    ("vectors", "texts", "known"),
    [
        pytest.param(unit(2), ["One."], (), id="more vectors than sentences"),
        pytest.param(unit(1)[:, :3], ["One."], (), id="vectors of another width"),
        pytest.param(unit(1), ["One."], (None, None), id="more labels than sentences"),
    ],
)
def test_vectors_and_sentences_that_do_not_match_are_refused(
    vectors: Floats2d, texts: list[str], known: Sequence[Facet | None]
) -> None:
    with pytest.raises(ValueError, match="do not match"):
        facets.label_abstract(vectors, texts, MODEL, known)


def by_enumeration(scores: NDArray[np.float64], model: FacetModel) -> NDArray[np.float64]:
    """Return the likelihoods of facets, summed over every path."""
    shares = np.zeros_like(scores)
    for path in product(range(len(FACETS)), repeat=len(scores)):
        exponent = model.first[path[0]] + model.last[path[-1]]
        exponent += sum(model.follows[pair] for pair in pairwise(path))
        exponent += sum(scores[at, facet] for at, facet in enumerate(path))
        for at, facet in enumerate(path):
            shares[at, facet] += np.exp(exponent)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_likelihoods_are_sums_over_all_paths(n: int) -> None:
    scores = np.random.default_rng(n).normal(size=(n, len(FACETS)))
    shares = facets.marginals(scores, MODEL.first, MODEL.follows, MODEL.last)
    assert np.allclose(shares, by_enumeration(scores, MODEL), atol=1e-5)


def test_facets_given_by_the_source_are_kept_and_condition_their_neighbours() -> None:
    texts = [text for text, _ in LANTERNS[:4]]
    vectors = unit(4)
    free, shares = facets.label_abstract(vectors, texts, MODEL)
    forced = next(facet for facet in FACETS if facet is not free[1])
    named, conditioned = facets.label_abstract(vectors, texts, MODEL, [None, forced, None, None])
    scores = facets.score_sentences(vectors, texts, MODEL).astype(np.float64)
    scores[1, [facet is not forced for facet in FACETS]] -= 1e3
    assert named[1] is forced
    assert conditioned[1].tolist() == [float(facet is forced) for facet in FACETS]
    assert np.allclose(conditioned, by_enumeration(scores, MODEL), atol=1e-5)
    assert not np.allclose(conditioned[[0, 2]], shares[[0, 2]], atol=1e-3)


def test_labels_of_the_source_for_every_sentence_are_the_answer() -> None:
    labels = [facet for _, facet in LANTERNS]
    named, shares = facets.label_abstract(unit(5), [text for text, _ in LANTERNS], MODEL, labels)
    assert named == labels
    assert shares.max(axis=1).tolist() == [1.0] * 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", {"^"}, id="nothing"),
        pytest.param("...", {"^"}, id="no word"),
        pytest.param(
            "We propose",
            {"^", "we", "propose", "^ we", "we propose", "^ we propose"},
            id="runs of words",
        ),
        pytest.param(
            "93.5%",
            {"^", "0", "%", "^ 0", "0 0", "0 %", "^ 0 0", "0 0 %"},
            id="numbers are normalised",
        ),
        pytest.param("Wir!", {"^", "wir", "^ wir"}, id="another language"),
    ],
)
def test_cues_are_words_and_their_runs(text: str, expected: set[str]) -> None:
    assert facets.extract_cues(text) == expected


def test_only_the_beginning_of_a_huge_sentence_is_searched_for_cues() -> None:
    assert facets.extract_cues("word " * 400 + "late " * 100_000) == facets.extract_cues(
        "word " * 400
    )


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(["We propose we propose"], True, id="known words"),
        pytest.param(["We propose a new way.", "$x + y = z$"], True, id="a formula among them"),
        pytest.param(["Wir schlagen ein Verfahren vor.", "We."], False, id="hardly any known"),
        pytest.param(["12 %", "3 %"], False, id="numbers are no language"),
        pytest.param([""], False, id="no words"),
    ],
)
def test_an_abstract_is_read_where_its_words_are_known(texts: list[str], expected: bool) -> None:
    assert (
        facets.is_known_language(
            [facets.extract_cues(text) for text in texts], [*PHRASES, "propose"]
        )
        is expected
    )


def test_an_abstract_in_an_unknown_language_is_labelled_by_its_places() -> None:
    texts = ["Lampen versagen.", "Niemand merkt es.", "Wir hören zu.", "Es hilft sehr."]
    one, other = (facets.label_abstract(unit(4, seed), texts, MODEL)[1] for seed in (1, 2))
    assert np.array_equal(one, other)
    assert not np.allclose(one[0], one[3], atol=1e-3)


def test_the_order_of_sentences_matters() -> None:
    texts = [text for text, _ in LANTERNS]
    vectors = unit(5)
    forth = facets.label_abstract(vectors, texts, MODEL)[1]
    back = facets.label_abstract(vectors[::-1], texts[::-1], MODEL)[1][::-1]
    assert not np.allclose(forth, back, atol=1e-3)


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([], id="empty"),
        pytest.param([""], id="one empty sentence"),
        pytest.param(["One sentence says it all."], id="one sentence"),
        pytest.param(["We see it again."] * 300, id="three hundred sentences"),
        pytest.param(
            ["Wir schlagen ein Verfahren vor.", "Die Fehler sinken um 12 %."], id="German"
        ),
        pytest.param(["我们提出一种新方法。", "结果表明误差下降了百分之十二。"], id="Chinese"),
        pytest.param(["نقترح طريقة جديدة.", "انخفض الخطأ."], id="Arabic"),
        pytest.param(["\x00\u202e", "\ud800", "İ" * 5_000], id="not text at all"),
    ],
)
def test_any_abstract_gets_a_facet_for_each_sentence(texts: list[str]) -> None:
    named, shares = facets.label_abstract(unit(len(texts)), texts, MODEL)
    assert shares.shape == (len(texts), len(FACETS))
    assert named == [FACETS[best] for best in shares.argmax(axis=1)]
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-5)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.text(max_size=60), st.none() | st.sampled_from(FACETS)), max_size=12),
    st.integers(0, 99),
)
def test_facets_are_the_likeliest_and_the_facets_of_the_source_are_kept(
    sentences: list[tuple[str, Facet | None]], seed: int
) -> None:
    texts, known = [text for text, _ in sentences], [facet for _, facet in sentences]
    named, shares = facets.label_abstract(unit(len(sentences), seed), texts, MODEL, known)
    assert np.isfinite(shares).all()
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-5)
    for (_, label), facet, row in zip(sentences, named, shares, strict=True):
        assert facet is FACETS[int(row.argmax())]
        assert label is None or facet is label


@pytest.fixture(scope="module")
def packaged() -> registry.ModelFiles:
    if not (registry.PACKAGED / "csfcube-facets").is_dir():
        pytest.skip("no facet model is packaged")
    return registry.find("csfcube-facets", Path("nowhere"))


def test_the_packaged_model_is_whole_and_small(packaged: registry.ModelFiles) -> None:
    registry.verify(packaged)
    assert packaged.size_bytes < 1_000_000
    model = facets.load(packaged)
    assert len(model.words) > 1_000


@pytest.mark.parametrize(
    "abstract",
    [
        pytest.param(LANTERNS, id="lanterns"),
        pytest.param(TIDES, id="tides"),
        pytest.param(
            (("We weigh apples with a spring balance.", M), ("Error falls to 4 %.", R)),
            id="a method and a result",
        ),
        pytest.param((("Error falls to 4 %.", R),), id="a result alone"),
        pytest.param(
            (
                ("Hot drinks are thought to calm patients before surgery.", B),
                ("We gave tea or water to 90 patients at random.", M),
                ("Pulse and blood pressure did not differ between the groups.", R),
                ("Those with tea were more satisfied.", R),
            ),
            id="two results in medicine",
        ),
        pytest.param(
            (
                ("Otters were counted along twelve rivers by their tracks.", M),
                ("Numbers had doubled since the last count.", R),
                ("Most otters lived near weirs.", R),
            ),
            id="no background in ecology",
        ),
    ],
)
def test_the_packaged_model_labels_abstracts_it_has_not_seen(
    packaged: registry.ModelFiles, abstract: Sequence[tuple[str, Facet]], tmp_path: Path
) -> None:
    model = facets.load(packaged)
    encoders = [encoder for encoder in registry.installed(tmp_path) if encoder.space == model.space]
    if not encoders:
        pytest.skip("the encoder it reads is not packaged")
    texts = [text for text, _ in abstract]
    vectors = engines.load(encoders[0], "cpu").encode(texts)
    assert facets.label_abstract(vectors, texts, model)[0] == [facet for _, facet in abstract]


def test_a_copied_model_needs_nothing_but_its_folder(tmp_path: Path) -> None:
    at = folder(tmp_path / "tiny")
    shutil.copytree(at, tmp_path / "elsewhere")
    shutil.rmtree(at)
    assert facets.load(find_model(tmp_path / "elsewhere")).dimensions == WIDTH
