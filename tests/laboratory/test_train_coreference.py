"""`scholar-lab train coreference`: a coreference model from a tiny encoder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tiny_models
from command_line import Scholar, error_line, succeeded
from litbank_books import write_books

torch = pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="an export needs onnx")

from scholar_cli.laboratory.litbank import litbank_data, people_training, samples  # noqa: E402
from scholar_cli.laboratory.litbank.network import (  # noqa: E402
    CoreferenceNetwork,
    CoreferenceSettings,
    to_tensor,
)
from scholar_indexes.coreference.resolver.mention_table import build_table  # noqa: E402
from scholar_indexes.coreference.resolver.model import (  # noqa: E402
    CoreferenceModel,
    Tokenize,
    load,
)
from scholar_indexes.coreference.resolver.words import split_words  # noqa: E402
from scholar_indexes.errors import ConfigError, Damaged, UsageError  # noqa: E402
from scholar_indexes.models import registry  # noqa: E402
from scholar_indexes.types import Span  # noqa: E402

pytestmark = pytest.mark.slow

SETTINGS = CoreferenceSettings(epochs=2, warmup=1, mention=8, hidden=8, pair=8)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.make_bert(tmp_path_factory.mktemp("tiny") / "encoder")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_books(tmp_path_factory.mktemp("books"), ("first", "second"))


@pytest.fixture(scope="module")
def trained(base: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a model trained and cross-validated on two books."""
    out = tmp_path_factory.mktemp("model") / "tiny-coreference"
    people_training.train(people_training.TrainingData(data), out, SETTINGS, folds=2, base=base)
    return out


def test_a_finished_model_is_not_trained_over(trained: Path, base: Path, data: Path) -> None:
    with pytest.raises(UsageError, match="contains a finished model"):
        people_training.train(people_training.TrainingData(data), trained, SETTINGS, base=base)


def test_books_without_annotation_teach_nothing(lab: Scholar, data: Path, tmp_path: Path) -> None:
    write_books(tmp_path / "plain", ("plain",), annotated=False)
    options = ["--data", str(tmp_path / "plain"), "--out", str(tmp_path / "model")]
    result = lab("train", "coreference", *options)
    assert "has no annotated books for training" in error_line(result, 5)


def test_the_card_gives_the_training_data_and_the_scores_on_unseen_books(
    trained: Path,
) -> None:
    card = json.loads((trained / "card.json").read_text("utf-8"))
    assert card["task"] == registry.COREFERENCE
    assert card["training"]["books"] == 2
    assert card["training"]["recipe"]["epochs"] == 2
    assert set(card["scores"]) == {"persons", "all"}
    folds = sorted((trained.parent / f"{trained.name}-folds").iterdir())
    held_out = [json.loads((fold / "card.json").read_text("utf-8")) for fold in folds]
    names = [name for fold in held_out for name in fold["training"]["held_out"]]
    assert sorted(names) == ["first", "second"]
    registry.verify(registry.find(str(trained), trained))


def test_a_trained_model_is_measured_like_the_packaged_one(
    lab: Scholar, trained: Path, data: Path
) -> None:
    options = ["--data", str(data), "--system", "model", "--model", str(trained), "--json"]
    first = succeeded(lab("bench", "litbank", *options)).json
    again = succeeded(lab("bench", "litbank", *options)).json
    assert {report["split"] for report in first} == {"persons", "all"}
    assert [report["metrics"] for report in first] == [report["metrics"] for report in again]


def test_a_model_of_other_features_is_refused(trained: Path, tmp_path: Path) -> None:
    for path in trained.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    tiny_models.rewrite(tmp_path / "card.json", features={"distance": 3})
    with pytest.raises(Damaged, match="features do not match"):
        load(registry.find(str(tmp_path), tmp_path))


def test_a_model_for_something_else_is_refused() -> None:
    with pytest.raises(ConfigError, match="is for passages, not for coreference"):
        load(registry.find("relic-minilm", registry.PACKAGED))


@pytest.fixture
def untrained(base: Path) -> CoreferenceNetwork:
    """Return an untrained network that classifies many spans as mentions."""
    torch.manual_seed(0)
    network = CoreferenceNetwork(base, SETTINGS).eval()
    network.heads["start2"].bias.data.fill_(1.0)
    network.heads["span_class"].bias.data.zero_()
    return network


def to_model(network: CoreferenceNetwork, tokenize: Tokenize) -> CoreferenceModel:
    """Return a model that runs the heads of a network in numpy and its encoder in torch."""

    def encode(tokens: np.ndarray, mask: np.ndarray, types: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            vectors = network.encoder(
                input_ids=torch.from_numpy(tokens),
                attention_mask=torch.from_numpy(mask),
                token_type_ids=torch.from_numpy(types),
            ).last_hidden_state
        return vectors.numpy()

    return CoreferenceModel(encode, tokenize, network.head_tensors(), marks=(2, 3), max_tokens=64)


def test_the_model_computes_what_the_network_learned(
    untrained: CoreferenceNetwork, base: Path, data: Path
) -> None:
    text = samples.annotate_book(litbank_data.read_book(data / "first"))
    words = text.text.words
    ids = people_training.tokenize(people_training.open_tokenizer(base), text, (2, 3))
    model = to_model(untrained, lambda texts: ids)
    detected = model.find_mentions(words)
    assert detected.spans
    first, last = (np.array(column) for column in zip(*detected.spans, strict=True))
    with torch.no_grad():
        vectors = untrained.word_vectors(words, ids, (2, 3))
        start = torch.sigmoid(untrained.start_scores(vectors)[first])
        classes = untrained.class_scores(vectors, to_tensor(first), to_tensor(last)).softmax(1)
        mention_vectors = untrained.mention_vectors(vectors, to_tensor(first), to_tensor(last))
        table = build_table(words, detected.spans, detected.classes.tolist())
        scores = untrained.antecedent_scores(mention_vectors, table).numpy()
    probabilities = (start * (1 - classes[:, 0])).numpy()
    np.testing.assert_allclose(detected.probabilities, probabilities, atol=1e-4)
    np.testing.assert_allclose(detected.vectors, mention_vectors.numpy(), atol=1e-4)
    later, earlier = np.tril_indices(len(table), -1)
    pairs = model.pair_scorer(table, detected.vectors)(later, earlier)
    np.testing.assert_allclose(pairs, scores[later, earlier], atol=1e-3)


def test_a_sentence_longer_than_a_batch_is_read_in_parts(untrained: CoreferenceNetwork) -> None:
    text = "the old lady and " * 400
    words = split_words(text, [Span(0, len(text))], [])
    spans = to_model(untrained, lambda texts: [[5] for _ in texts]).find_mentions(words).spans
    assert spans
    assert all(0 <= first <= last < len(words) for first, last in spans)
