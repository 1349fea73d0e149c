"""Encoding texts: the packaged encoder against its original, and sentences packed in blocks."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books import samples
from scholar_indexes.books.adding.ingest import normalize_sentence
from scholar_indexes.errors import ConfigError, Damaged, ScholarError
from scholar_indexes.models import engines, registry
from scholar_indexes.models.encoder import BATCH_TOKENS, BLOCK_TOKENS, Encoder, MeanPooled, marks
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.settings import DEFAULT_MODEL
from tiny_models import make, rewrite

TORCH = importlib.util.find_spec("sentence_transformers") is not None

needs_torch = pytest.mark.skipif(not TORCH, reason="needs the extra [gpu]")

RAIN = "the rain fell on the sea and the house"
SENTENCES = [RAIN, "she wept.", "why, said he", "the ship left", "he went and she left"]


@pytest.fixture(scope="module")
def packaged() -> ModelFiles:
    return registry.find(DEFAULT_MODEL, Path("nowhere"))


@pytest.fixture(scope="module")
def minilm(packaged: ModelFiles) -> Encoder:
    return engines.load(packaged, "cpu")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    folder = make(tmp_path_factory.mktemp("tiny") / "mean")
    return registry.find(str(folder), Path("nowhere"))


@pytest.fixture(scope="module")
def real_sentences() -> list[str]:
    """Return sixty sentences of The Great Gatsby, as the index reads them."""
    text = samples.read(samples.bundled()[0]).decode("utf-8")
    sentences = [normalize_sentence(word) for word in text.replace("\n", " ").split(". ")]
    return [sentence for sentence in sentences if 30 < len(sentence) < 300][200:260]


class Recording:
    """A context-free token model: each id has its own vector. Records its inputs."""

    def __init__(self, dimensions: int = 4, vocabulary: int = 1_000) -> None:
        random = np.random.default_rng(0)
        self.table = random.normal(size=(vocabulary, dimensions)).astype(np.float32)
        self.batches: list[tuple[Any, Any]] = []

    def __call__(self, ids: Any, mask: Any) -> Any:
        self.batches.append((ids.copy(), mask.copy()))
        return self.table[ids]


def numbers(texts: Sequence[str]) -> list[list[int]]:
    """Return the token ids of texts that are written as numbers."""
    return [[int(word) for word in text.split()] for text in texts]


def recorded(max_tokens: int = 256, workers: int = 1) -> tuple[MeanPooled, Recording]:
    run = Recording()
    pooled = MeanPooled(
        run,
        numbers,
        space="test",
        dimensions=4,
        marks=(1, 2),
        max_tokens=max_tokens,
        workers=workers,
    )
    return pooled, run


def unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_a_damaged_model_says_how_to_check_it(
    packaged: ModelFiles, tmp_path: Path, broken: str
) -> None:
    for name in ("card.json", "model.onnx", "tokenizer.json"):
        os.link(packaged.folder / name, tmp_path / name)
    (tmp_path / broken).unlink()
    (tmp_path / broken).write_bytes(b"not this")
    with pytest.raises(Damaged, match=f"scholar models verify {DEFAULT_MODEL}"):
        engines.load(registry.find(str(tmp_path), tmp_path), "cpu")


@needs_torch
@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_named(tiny: ModelFiles, device: str) -> None:
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if there[device]:
        pytest.skip(f"this machine has {device}")
    with pytest.raises(ConfigError, match=f"no {device} device; use --device cpu"):
        engines.load(tiny, device)


def test_without_torch_a_model_says_what_to_install(
    tmp_path: Path, packaged: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'scholar-cli\[gpu\]'"):
        engines.load(packaged, "cuda")


@needs_torch
def test_a_model_whose_weights_are_none_is_damaged(tiny: ModelFiles, tmp_path: Path) -> None:
    folder = copied(tiny.folder, tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(Damaged, match="scholar models verify broken"):
        engines.load(registry.find(str(folder), tmp_path), "cpu")


@needs_torch
@pytest.mark.parametrize("why", ["pickle", "code", "module"])
def test_pickles_and_foreign_code_are_never_loaded(
    tiny: ModelFiles, tmp_path: Path, why: str
) -> None:
    folder = copied(tiny.folder, tmp_path / "hostile")
    mine = folder / "modeling.py"
    mine.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Own: pass\n", "utf-8")
    if why == "pickle":
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    elif why == "code":
        rewrite(folder / "config.json", auto_map={"AutoModel": "modeling.Own"})
    else:
        (folder / "modules.json").write_text('[{"type": "modeling.Own", "path": ""}]', "utf-8")
    with pytest.raises(ScholarError, match=r"safetensors|code of its own"):
        engines.load(registry.find(str(folder), tmp_path), "cpu")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("vocabulary", "expected"),
    [
        pytest.param({"[CLS]": 101, "[SEP]": 102}, (101, 102), id="as BERT has them"),
        pytest.param({"<s>": 0, "</s>": 2}, (0, 2), id="as RoBERTa has them"),
        pytest.param({"[CLS]": 0, "[SEP]": 1, "<s>": 2, "</s>": 3}, (0, 1), id="both"),
    ],
)
def test_marks_are_at_both_ends(vocabulary: dict[str, int], expected: tuple[int, int]) -> None:
    assert marks(vocabulary.get, "test") == expected


@pytest.mark.parametrize("vocabulary", [{}, {"[CLS]": 1}, {"</s>": 1}])
def test_a_tokenizer_without_marks_is_refused(vocabulary: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="choose another model"):
        marks(vocabulary.get, "test")


TEXTS = st.lists(
    st.lists(st.integers(3, 999), max_size=90).map(lambda ids: " ".join(map(str, ids))), max_size=30
)


@given(TEXTS, st.sampled_from([16, 64, 256]))
def test_the_vector_of_a_sentence_is_the_sum_of_its_tokens(
    texts: list[str], max_tokens: int
) -> None:
    pooled, run = recorded(max_tokens)
    vectors, lengths = pooled.encode_sentences(texts, [0] * len(texts))
    assert vectors.shape == (len(texts), 4)
    expected = [run.table[ids].sum(axis=0) if ids else np.zeros(4) for ids in numbers(texts)]
    np.testing.assert_allclose(vectors * lengths[:, None], np.reshape(expected, (-1, 4)), atol=1e-3)


def test_batches_in_several_threads_give_the_same_vectors() -> None:
    random = np.random.default_rng(3)
    texts = [
        " ".join(map(str, random.integers(3, 999, size))) for size in random.integers(1, 90, 900)
    ]
    (alone, run), (together, runs) = recorded(), recorded(workers=3)
    for one, several in zip(
        alone.encode_sentences(texts, [0] * 900),
        together.encode_sentences(texts, [0] * 900),
        strict=True,
    ):
        np.testing.assert_array_equal(one, several)
    assert len(runs.batches) == len(run.batches) > 3


def test_an_error_in_one_of_several_threads_is_raised() -> None:
    def fail(ids: Any, mask: Any) -> Any:
        raise MemoryError

    pooled = MeanPooled(
        fail, numbers, space="test", dimensions=4, marks=(1, 2), max_tokens=64, workers=2
    )
    with pytest.raises(MemoryError):
        pooled.encode_sentences(["5 6 7"] * 900, [0] * 900)


@given(TEXTS, st.lists(st.booleans(), min_size=30, max_size=30), st.sampled_from([16, 64, 256]))
def test_blocks_and_batches_keep_their_limits_and_lose_nothing(
    texts: list[str], breaks: list[bool], max_tokens: int
) -> None:
    pooled, run = recorded(max_tokens)
    chapters = np.cumsum(breaks[: len(texts)]).tolist()
    pooled.encode_sentences(texts, chapters)
    seen = []
    for ids, mask in run.batches:
        assert ids.shape[1] <= max_tokens
        assert ids.size <= max(BATCH_TOKENS, ids.shape[1])
        for row, there in zip(ids, mask, strict=True):
            length = int(there.sum())
            assert there[:length].all()
            assert (row[0], row[length - 1]) == (1, 2)
            assert not row[length:].any()
            seen.extend(row[1 : length - 1].tolist())
    assert sorted(seen) == sorted(chain.from_iterable(numbers(texts)))


@pytest.mark.parametrize(
    ("lengths", "chapters", "expected"),
    [
        pytest.param([20, 20, 20, 20], [1, 1, 1, 1], [60, 20], id="whole sentences"),
        pytest.param([20, 20, 20], [1, 1, 2], [40, 20], id="a new chapter"),
        pytest.param([20, 100, 20], [1, 1, 1], [20, 100, 20], id="a long one alone"),
        pytest.param([300], [1], [254, 46], id="a very long one is cut"),
        pytest.param([BLOCK_TOKENS, 1], [1, 1], [BLOCK_TOKENS, 1], id="exactly full"),
    ],
)
def test_sentences_share_blocks(
    lengths: list[int], chapters: list[int], expected: list[int]
) -> None:
    pooled, run = recorded(256)
    pooled.encode_sentences([" ".join(["7"] * length) for length in lengths], chapters)
    lengths_read = [int(row.sum()) - 2 for _, mask in run.batches for row in mask]
    assert sorted(lengths_read) == sorted(expected)


def test_a_thousand_texts_go_through_in_batches_of_bounded_size() -> None:
    pooled, run = recorded()
    pooled.encode([" ".join(["7"] * (1 + number % 250)) for number in range(1_000)])
    assert max(ids.size for ids, _ in run.batches) <= BATCH_TOKENS
    assert sum(len(ids) for ids, _ in run.batches) == 1_000


def test_a_text_longer_than_the_model_reads_is_the_average_of_its_pieces_by_length() -> None:
    pooled, run = recorded(max_tokens=12)
    ids = list(range(3, 28))
    pieces = [ids[:10], ids[10:20], ids[20:]]
    means = [run.table[[1, *piece, 2]].mean(axis=0) for piece in pieces]
    expected = unit(sum(len(piece) * unit(mean) for piece, mean in zip(pieces, means, strict=True)))
    vector = pooled.encode([" ".join(map(str, ids))])[0]
    np.testing.assert_allclose(vector, expected, atol=1e-6)


@pytest.mark.parametrize("texts", [[], [""], ["", "3 4"], ["   "]])
def test_nothing_is_encoded_without_trouble(texts: list[str]) -> None:
    pooled, _ = recorded()
    vectors = pooled.encode(texts)
    sentences, lengths = pooled.encode_sentences(texts, [1] * len(texts))
    assert vectors.shape == sentences.shape == (len(texts), 4)
    assert np.isfinite(vectors).all()
    assert np.isfinite(sentences).all()
    assert lengths.shape == (len(texts),)


def test_the_packaged_encoder_gives_unit_vectors(minilm: Encoder) -> None:
    texts = [
        "a",
        "Victor does not consider the consequences of his actions.",
        "Ünïcödé 🌧 ﷽",
        "😀",
        "word " * 2_000,
        "\x00\x1b[31m",
        "“”",
    ]
    vectors = minilm.encode(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_vector_hardly_depends_on_what_else_is_encoded(
    minilm: Encoder, real_sentences: list[str]
) -> None:
    """Activations are quantised per batch, so vectors are not equal to the last digit."""
    alone = np.concatenate([minilm.encode([sentence]) for sentence in real_sentences[:10]])
    together = minilm.encode([*real_sentences[:10], "word " * 200])[:10]
    assert (alone * together).sum(axis=1).min() > 0.98


def test_a_claim_is_nearer_to_its_evidence_than_to_others(minilm: Encoder) -> None:
    (claim,) = minilm.encode_claims(["Gatsby is very rich."])
    (near, far), _ = minilm.encode_sentences(
        ["He owned a mansion with forty acres.", "It rained on Tuesday."], [1, 2]
    )
    assert claim @ near > claim @ far + 0.1


def test_a_mask_says_where_the_quotation_stood(minilm: Encoder) -> None:
    before, at_the_end, after, again = minilm.encode_claims(
        [
            "He owned a house",
            "He owned a house [MASK]",
            "[MASK] He owned a house",
            "[masked sentence(s)] He owned a house",
        ]
    )
    assert before @ at_the_end > 0.999
    assert after @ again > 0.999
    assert before @ after < 0.99


def test_the_text_nearest_to_the_mask_of_a_long_claim_is_read(minilm: Encoder) -> None:
    far = " ".join(["He went to the market and bought a horse."] * 100)
    near = " ".join(["She wept for the drowned sailor."] * 60)
    whole, alone = minilm.encode_claims([f"{far} {near} [MASK]", f"{near} [MASK]"])
    assert whole @ alone > 0.999


def test_a_block_of_sentences_has_nearly_the_vector_of_their_text(minilm: Encoder) -> None:
    sentences = ["He lit a cigarette.", "His hands were trembling.", "Nobody came."]
    vectors, lengths = minilm.encode_sentences(sentences, [1, 1, 1])
    window = unit((vectors * lengths[:, None]).sum(axis=0))
    assert window @ minilm.encode([" ".join(sentences)])[0] > 0.95


@needs_torch
@pytest.mark.slow
def test_the_packaged_encoder_agrees_with_exact_arithmetic(
    minilm: Encoder, packaged: ModelFiles, real_sentences: list[str]
) -> None:
    from scholar_indexes.models import torch_encoder

    expected = torch_encoder.load(packaged, "cpu").encode(real_sentences)
    vectors = minilm.encode(real_sentences)
    cosines = (expected * vectors).sum(axis=1)
    assert cosines.mean() > 0.98
    assert cosines.min() > 0.93

    def nearest(vectors: Any) -> Any:
        cosines = vectors @ vectors.T
        np.fill_diagonal(cosines, -1)
        return np.argsort(-cosines, axis=1)[:, :10]

    shares = [
        len({*one} & {*other}) / 10
        for one, other in zip(nearest(expected), nearest(vectors), strict=True)
    ]
    assert np.mean(shares) > 0.75


@needs_torch
def test_the_packaged_encoder_runs_on_torch_in_the_same_space(
    minilm: Encoder, packaged: ModelFiles
) -> None:
    from scholar_indexes.models import torch_encoder

    there = torch_encoder.load(packaged, "cpu")
    assert isinstance(there, MeanPooled)
    assert (there.space, there.dimensions) == (minilm.space, minilm.dimensions)
    cosines = (there.encode(SENTENCES) * minilm.encode(SENTENCES)).sum(axis=1)
    assert cosines.mean() > 0.97
    (one, _), (other, _) = (
        encoder.encode_sentences(SENTENCES, [1] * 5) for encoder in (there, minilm)
    )
    assert (one * other).sum(axis=1).mean() > 0.97


@needs_torch
def test_a_mean_pooled_model_gives_what_sentence_transformers_gives(tiny: ModelFiles) -> None:
    import sentence_transformers

    reference = sentence_transformers.SentenceTransformer(
        str(tiny.folder), device="cpu", local_files_only=True
    )
    expected = reference.encode(SENTENCES, normalize_embeddings=True, show_progress_bar=False)
    mine = engines.load(tiny, "cpu")
    assert isinstance(mine, MeanPooled)
    np.testing.assert_allclose(mine.encode(SENTENCES), expected, atol=1e-5)


@needs_torch
def test_a_window_that_fills_its_block_has_exactly_the_vector_of_its_tokens(
    tiny: ModelFiles,
) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny.folder, local_files_only=True)
    model = AutoModel.from_pretrained(tiny.folder, local_files_only=True).eval()
    sentences = SENTENCES[1:4]
    ids = tokenizer(sentences, add_special_tokens=False)["input_ids"]
    marked = [tokenizer.cls_token_id, *chain.from_iterable(ids), tokenizer.sep_token_id]
    with torch.inference_mode():
        expected = model(torch.tensor([marked])).last_hidden_state[0, 1:-1].sum(dim=0).numpy()
    vectors, lengths = engines.load(tiny, "cpu").encode_sentences(sentences, [1, 1, 1])
    np.testing.assert_allclose((vectors * lengths[:, None]).sum(axis=0), expected, atol=1e-4)


@needs_torch
def test_context_reaches_neighbours_and_never_another_chapter(tiny: ModelFiles) -> None:
    mine = engines.load(tiny, "cpu")

    def first_two(*others: str, chapters: list[int]) -> Any:
        return mine.encode_sentences([*SENTENCES[1:3], *others], chapters)[0][:2]

    before = first_two("the ship left", "it was", chapters=[1, 1, 2, 2])
    other_chapter = first_two("it fell in", "the sea", chapters=[1, 1, 2, 2])
    other_neighbour = first_two("it fell in", "the sea", chapters=[1, 1, 1, 1])
    np.testing.assert_allclose(before, other_chapter, atol=1e-6)
    assert np.abs(before - other_neighbour).max() > 1e-4


@needs_torch
def test_no_texts_are_no_vectors(tiny: ModelFiles) -> None:
    mine = engines.load(tiny, "cpu")
    assert mine.encode([]).shape == (0, 32)
    assert mine.encode_sentences([], [])[0].shape == (0, 32)


@needs_torch
def test_a_long_text_is_read_to_its_end(tiny: ModelFiles) -> None:
    mine = engines.load(tiny, "cpu")
    long = "the rain fell " * 200
    one, other = mine.encode([f"{long} he wept", f"{long} the sea"])
    assert not np.allclose(one, other)
    vectors, _ = mine.encode_sentences([long, "she wept"] * 3, [1] * 6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@needs_torch
@pytest.mark.parametrize("how", ["cls", "prompts"])
def test_a_model_that_pools_otherwise_encodes_each_sentence_by_itself(
    tiny: ModelFiles, tmp_path: Path, how: str
) -> None:
    from scholar_indexes.models.torch_encoder import SentencePooled

    if how == "cls":
        folder = make(tmp_path / "cls", pooling="cls")
    else:
        folder = copied(tiny.folder, tmp_path / "prompted")
        rewrite(
            folder / "config_sentence_transformers.json",
            prompts={"query": "why ", "document": "said "},
        )
    mine = engines.load(registry.find(str(folder), tmp_path), "cpu")
    assert isinstance(mine, SentencePooled)
    assert mine.space != tiny.space
    together, lengths = mine.encode_sentences(SENTENCES, [1] * 5)
    alone = np.concatenate([mine.encode_sentences([sentence], [1])[0] for sentence in SENTENCES])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(mine.encode(SENTENCES), axis=1), 1, atol=1e-5)
    assert lengths.tolist() == [len(sentence.split()) for sentence in SENTENCES]
    assert (mine.dimensions, mine.encode([]).shape) == (32, (0, 32))
    same = np.allclose(mine.encode([RAIN]), together[:1], atol=1e-5)
    assert same == (how == "cls")


@needs_torch
def test_loading_a_model_draws_no_progress_bar(
    tiny: ModelFiles, capfd: pytest.CaptureFixture[str]
) -> None:
    engines.load(tiny, "cpu").encode([RAIN])
    captured = capfd.readouterr()
    assert (captured.out, "%|" in captured.err) == ("", False)


def copied(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to)
    return to
