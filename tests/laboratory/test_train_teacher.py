"""Training the teacher, and the second stage and the encoder from its scores."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import Whitespace

import tiny_models
from command_line import Scholar, error_line, succeeded
from libraries import build_once
from scholar_cli.laboratory.claims import graded, written
from scholar_cli.laboratory.claims.graded import GradedClaim, GradedPassage
from scholar_cli.laboratory.claims.written import WrittenClaim

torch = pytest.importorskip("torch", reason="training needs the extra [lab]")

from scholar_cli.laboratory.claims import (  # noqa: E402
    reranker,
    soft_lists,
    soft_training,
)
from scholar_cli.laboratory.claims.pronoun_claims import PronounReader  # noqa: E402
from scholar_cli.laboratory.claims.reranker import distillation, reranker_export, scored  # noqa: E402
from scholar_cli.laboratory.claims.reranker.listwise import ListwiseRun  # noqa: E402
from scholar_cli.laboratory.claims.teacher import teacher_training, weights  # noqa: E402
from scholar_indexes.errors import NoMatch, UsageError  # noqa: E402

NUMBERS = (1, 2)
SENTENCES = [
    f"The {who} {what} on day {day} of the month."
    for day in range(4)
    for who in ("keeper", "widow", "captain")
    for what in ("wept at the grave", "sang in the garden", "counted the coins")
]
GRIEF = [row for row, sentence in enumerate(SENTENCES) if "wept" in sentence]


def grade(row: int) -> int:
    return 3 if row in GRIEF else 0


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the texts of two works, one for each part, with written and graded claims about
    grief."""
    folder = tmp_path / "texts"
    (folder / "primary").mkdir(parents=True)
    for number in NUMBERS:
        text = f"CHAPTER {number}\n\n" + "\n\n".join(SENTENCES)
        (folder / "primary" / f"{number}.txt").write_text(text, "utf-8")
    passages = tuple(
        GradedPassage(sentence, sentence, grade(row)) for row, sentence in enumerate(SENTENCES)
    )
    claims = tuple(
        GradedClaim(f"{number}-1", number, part, "theme", "their grief", (), "", passages)
        for number, part in zip(NUMBERS, graded.PARTS, strict=True)
    )
    monkeypatch.setattr(graded, "load", lambda: claims)
    about = [WrittenClaim(1, SENTENCES[row], ["they mourn"], []) for row in GRIEF[:3]]
    about.append(WrittenClaim(1, SENTENCES[1], ["One reads"], ["and so on."]))
    monkeypatch.setattr(written, "load", lambda: {1: about})
    return folder


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Return a file of scores; passages about grief score high."""
    windows = [[row, 1, float(grade(row))] for row in range(len(SENTENCES))]
    lines: list[dict[str, object]] = [
        {"gutenberg_id": 1, "source": "written", "number": number, "windows": windows}
        for number in range(4)
    ]
    lines.append({"gutenberg_id": 1, "source": "graded", "id": "1-1", "windows": windows})
    path = tmp_path / "scores.jsonl.xz"
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return a folder with a tiny model in the format of all-mpnet-base-v2."""
    from transformers import MPNetConfig, MPNetModel

    torch.manual_seed(3)
    config = MPNetConfig(
        vocab_size=weights.TOKENS + weights.MOVED + 1,
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=514,
    )
    MPNetModel(config).save_pretrained(tmp_path / "base", safe_serialization=True)
    return tmp_path / "base"


def line(base: Path, scores: Path, texts: Path, out: Path) -> tuple[str, ...]:
    command = ("train", "teacher", "--base", str(base), "--scores", str(scores))
    return (*command, "--texts", str(texts), "--out", str(out), "--device", "cpu")


def test_lists_have_the_passage_that_each_claim_was_written_for(texts: Path, scores: Path) -> None:
    lists = scored.read(scores, texts)
    assert [one.claim for one in lists.scored] == ["they mourn"] * 3 + ["their grief"]
    assert [int(one.windows[row][0]) for one, row in lists.written] == GRIEF[:3]
    assert {part: len(own) for part, own in lists.graded.items()} == {"train": 1, "dev": 1}
    passage = lists.scored[0].passages([1])[0]
    assert (passage.text, passage.before) == (SENTENCES[1], SENTENCES[0])


def test_a_sample_has_the_best_of_a_list(texts: Path, scores: Path) -> None:
    one = scored.read(scores, texts).scored[0]
    rows = one.sample(9, 4, np.random.default_rng(1))
    assert len(set(rows)) == 9
    assert set(rows[:4]) <= set(GRIEF)


@pytest.mark.parametrize("content", [b"", b"garbage", lzma.compress(b"{}\n")])
def test_a_file_that_has_no_scores_is_refused(texts: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.xz"
    path.write_bytes(content)
    with pytest.raises((UsageError, NoMatch)):
        scored.read(path, texts)


def test_the_second_stage_learns_the_order_of_the_scores(
    texts: Path, scores: Path, base: Path, tmp_path: Path
) -> None:
    lists = scored.read(scores, texts)
    module, reader = tiny_module(base)
    settings = distillation.DistillationSettings(
        steps=30, lists=2, learning_rate=3e-3, frozen_layers=0, validate_every=30
    )
    run = distillation.DistillationRun(module, reader, lists, tmp_path / "out", settings, {})
    before = run.measure()["ndcg@10"]
    run.train()
    assert run.history[-1]["ndcg@10"] > before
    again = distillation.DistillationRun(module, reader, lists, tmp_path / "out", settings, {})
    assert again.step == 30


def sentence_encoder() -> soft_training.SentenceEncoder:
    """Return the packaged encoder in float32."""
    from scholar_indexes.models import registry, torch_encoder
    from scholar_indexes.models.tokenizer_file import open_tokenizer
    from scholar_indexes.settings import DEFAULT_MODEL

    packaged = registry.find(DEFAULT_MODEL, registry.PACKAGED)
    encoder = torch_encoder.unpack(packaged, attn_implementation="eager")
    module = soft_training.SentenceEncoder(encoder.eval(), open_tokenizer(packaged.folder))
    module.is_exact = True
    return module


@torch.inference_mode()
@pytest.mark.slow
def test_training_reads_windows_and_claims_as_a_search_does(texts: Path, scores: Path) -> None:
    from scholar_indexes.models import engines, registry
    from scholar_indexes.settings import DEFAULT_MODEL

    lists, module = scored.read(scores, texts), sentence_encoder()
    (work,) = soft_lists.group(lists, module.tokenizer)
    part = soft_lists.part_lists(work.lists, work.blocks)
    assert part is not None
    vectors = module.encode_windows(part.blocks, part.first, part.end, part.windows).numpy()
    searching = engines.load(registry.find(DEFAULT_MODEL, registry.PACKAGED), "cpu")
    sentences, _ = searching.encode_sentences(SENTENCES, [0] * len(SENTENCES))
    assert (vectors * sentences[part.windows[:, 0]]).sum(1).min() > 0.99
    claims = module.encode_claims(["their grief", "a"], 62).numpy()
    assert (claims * searching.encode_claims(["their grief", "a"])).sum(1).min() > 0.99


def test_a_part_has_the_scores_of_its_own_windows(texts: Path, scores: Path) -> None:
    lists, module = scored.read(scores, texts), sentence_encoder()
    (work,) = soft_lists.group(lists, module.tokenizer)
    parts = [work.part(start / 4, (start + 1) / 4, below=1.0) for start in range(4)]
    assert sum(len(part.blocks) for part in parts if part) == len(work.blocks)
    assert len(work.lists) == 5
    for part in parts:
        assert part is not None
        assert part.first <= part.windows.min() < part.windows.max() <= part.end
        assert part.scores.shape == part.hidden.shape == (5, len(part.windows))
        written = part.scores[0].tolist()
        assert written == [float(grade(int(first))) for first, _ in part.windows]
    assert sum(part.shares[0] for part in parts if part) == pytest.approx(1, abs=0.1)


@pytest.mark.slow
def test_a_window_that_was_scored_for_others_alone_is_worse_than_all_of_a_claims_own(
    texts: Path, scores: Path
) -> None:
    module = sentence_encoder()
    lists = scored.read(scores, texts)
    first, second = lists.scored[0], lists.scored[1]
    few = replace(first, windows=first.windows[:4], scores=first.scores[:4])
    (work,) = soft_lists.group(replace(lists, scored=[second]), module.tokenizer)
    part = soft_lists.part_lists([few, second], work.blocks, below=1.0)
    assert part is not None
    assert part.scores[0, 4:].max() == few.scores.min() - 1
    assert part.hidden[0].nonzero()[0].tolist() == [4]
    assert not part.hidden[1].any()


@pytest.mark.slow
def test_the_encoder_learns_the_order_of_the_scores(
    lab: Scholar, texts: Path, scores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = soft_training.SoftSettings(
        steps=30, sentences=40, least_windows=1, learning_rate=3e-3, validate_every=15, save_every=1
    )
    monkeypatch.setattr(soft_training, "SoftSettings", lambda **options: settings)
    tiny_models.make_packaged(tmp_path)
    out = tmp_path / "taught"
    command = ("train", "claims", "--scores", str(scores), "--texts", str(texts))
    line = (*command, "--out", str(out), "--model", str(tmp_path / "packaged"))
    step = soft_training.SoftRun.train_step

    def stop(run: soft_training.SoftRun) -> float:
        if run.step == 2:
            raise KeyboardInterrupt
        return step(run)

    monkeypatch.setattr(soft_training.SoftRun, "train_step", stop)
    assert lab(*line).exit_code == 130
    monkeypatch.setattr(soft_training.SoftRun, "train_step", step)
    assert "resuming from step 2" in succeeded(lab(*line)).stderr
    history = json.loads((out / "card.json").read_text("utf-8"))["training"]["scores"]["history"]
    assert [entry["step"] for entry in history] == [15, 30]
    assert history[1]["loss"] < history[0]["loss"]
    assert "finished model" in error_line(lab(*line), 2)
    nothing = ("train", "claims", "--out", str(tmp_path / "other"))
    assert "no training data" in error_line(lab(*nothing), 2)
    half = (*nothing, "--data", str(texts), "--scores", str(scores))
    assert "--scores and --texts go together" in error_line(lab(*half), 2)


@pytest.mark.parametrize(
    ("claim", "reading"),
    [
        ("why does Emma refuse Mr. Elton", "why does she refuse him"),
        ("Emma's pride", "her pride"),
        ("Emma's pride in Highbury", "her pride in Highbury"),
        ("the charity of Miss Bates", "the charity of her"),
        ("Gothic architecture", "Gothic architecture"),
    ],
)
def test_training_reads_pronouns_for_names(claim: str, reading: str) -> None:
    text = "when Emma saw that Mr. Elton, with Miss Bates, had left Highbury, " * 3
    assert PronounReader(text).read(claim) == reading


def tiny_module(base: Path) -> tuple[object, object]:
    from scholar_indexes.models import registry
    from scholar_indexes.models.cross_encoder import LAYOUTS, PairReader
    from scholar_indexes.models.tokenizer_file import open_tokenizer
    from scholar_indexes.settings import DEFAULT_MODEL

    packaged = registry.find(DEFAULT_MODEL, registry.PACKAGED)
    tokenizer = open_tokenizer(packaged.folder)
    marks = {mark: tokenizer.token_to_id(mark) or 0 for mark in weights.MARKS}
    module = weights.read_base(base, marks)
    module.is_exact = True
    return module, PairReader(tokenizer, packaged.name, LAYOUTS["enclosed"])


@contextmanager
def stopped_at_step(kind: type[ListwiseRun], number: int) -> Iterator[None]:
    """Interrupt a kind of training at a step, as Ctrl-C does."""
    step = kind.train_step

    def stop(run: ListwiseRun) -> float:
        if run.step == number:
            raise KeyboardInterrupt
        return step(run)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "train_step", stop)
        yield


@pytest.mark.slow
def test_the_second_stage_is_trained_from_an_encoder_or_another_and_ranks(
    scholar: Scholar,
    lab: Scholar,
    two_books: Path,
    texts: Path,
    scores: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoder = build_once(tmp_path_factory, "tiny", tiny_models.make_packaged) / "packaged"
    short = {"steps": 2, "lists": 1, "size": 6, "frozen_layers": 0, "save_every": 1}
    settings = distillation.DistillationSettings(**short, measured=1)
    monkeypatch.setattr(distillation, "DistillationSettings", lambda **options: settings)
    monkeypatch.setattr(reranker_export, "CALIBRATION_PAIRS", 2)
    monkeypatch.setattr(reranker, "complete_words", lambda: encoder_words(encoder))
    out, again = tmp_path / "small", tmp_path / "again"
    command = ("train", "reranker", "--scores", str(scores), "--texts", str(texts))
    with stopped_at_step(distillation.DistillationRun, 1):
        assert lab(*command, "--base", str(encoder), "--out", str(out)).exit_code == 130
    shown = succeeded(lab(*command, "--base", str(encoder), "--out", str(out)))
    assert "resuming from step 1" in shown.stderr
    card = json.loads((out / "card.json").read_text("utf-8"))
    assert (card["training"]["steps"], card["training"]["works"]) == (2, [1])
    hits = succeeded(scholar("find", "their grief", "--rerank", str(out), "--json")).json
    assert {hit["read_by"] for hit in hits} >= {"small"}
    refused = lab(*command, "--base", str(encoder), "--out", str(out))
    assert "finished model" in error_line(refused, 2)
    succeeded(lab(*command, "--base", str(out), "--out", str(again)))
    taught = json.loads((again / "card.json").read_text("utf-8"))
    assert taught["training"]["base"] == card["space"]


def test_a_small_vocabulary_spells_words_that_it_lacks() -> None:
    words = ["the", "keeper", "wept", "martian"]
    pieces = [f"{start}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" for start in ("", "##")]
    vocabulary = ["[UNK]", "[CLS]", "[SEP]", *words, *pieces]
    tokenizer = Tokenizer(WordPiece({token: at for at, token in enumerate(vocabulary)}))
    tokenizer.pre_tokenizer = Whitespace()
    kept = reranker_export.frequent_tokens(
        tokenizer, ["the keeper wept\n\nthe keeper"], ["the keeper"], size=len(vocabulary) - 1
    )
    small = Tokenizer.from_str(
        json.dumps(reranker_export.without_tokens(json.loads(tokenizer.to_str()), set(kept)))
    )
    read = small.encode("the martian wept")
    assert read.tokens == ["the", "m", *(f"##{letter}" for letter in "artian"), "wept"]
    assert read.ids[0] == tokenizer.token_to_id("the")


def encoder_words(folder: Path) -> object:
    """Return the word vectors of a packaged encoder."""
    from scholar_indexes.models import registry, torch_encoder

    encoder = torch_encoder.unpack(registry.find(str(folder), registry.PACKAGED))
    return encoder.embeddings.word_embeddings.weight.detach()


@pytest.mark.slow
def test_the_teacher_is_trained_goes_on_and_ranks(
    scholar: Scholar,
    lab: Scholar,
    two_books: Path,
    texts: Path,
    scores: Path,
    base: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = teacher_training.WrittenSettings(
        steps=2, lists=1, others=4, validate_every=2, save_every=1
    )
    second = teacher_training.GradedTeacherSettings(
        steps=2, lists=1, size=6, validate_every=2, save_every=1
    )
    monkeypatch.setattr(teacher_training, "WrittenSettings", lambda **options: first)
    monkeypatch.setattr(teacher_training, "GradedTeacherSettings", lambda **options: second)
    monkeypatch.setattr(reranker_export, "CALIBRATION_PAIRS", 2)
    out = tmp_path / "large"
    with stopped_at_step(teacher_training.GradedTeacherRun, 1):
        assert lab(*line(base, scores, texts, out)).exit_code == 130
    shown = succeeded(lab(*line(base, scores, texts, out)))
    assert "resuming from step 1" in shown.stderr
    card = json.loads((out / "card.json").read_text("utf-8"))
    assert card["training"]["written"]["steps"] == card["training"]["graded"]["steps"] == 2
    hits = succeeded(scholar("find", "their grief", "--rerank", str(out), "--json")).json
    assert {hit["read_by"] for hit in hits} >= {"large"}
    assert "finished model" in error_line(lab(*line(base, scores, texts, out)), 2)


def test_a_base_of_another_form_is_refused(
    lab: Scholar, texts: Path, scores: Path, base: Path, tmp_path: Path
) -> None:
    out = tmp_path / "large"
    (base / "model.safetensors").write_bytes(b"garbage")
    assert "no all-mpnet-base-v2" in error_line(lab(*line(base, scores, texts, out)), 2)
    file = tmp_path / "weights.npz"
    np.savez(file, cos=np.zeros(1))
    assert "no weights of the large model" in error_line(lab(*line(file, scores, texts, out)), 2)
    assert not out.exists()


@pytest.mark.slow
def test_windows_are_scored_and_a_stopped_run_goes_on(
    lab: Scholar, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_models.make_companion(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    out = tmp_path / "made.jsonl"
    command = ("train", "scores", "--texts", str(texts), "--out", str(out))
    assert "has the scores of 4 claims" in succeeded(lab(*command)).stderr
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:2]) + lines[2][:9])
    succeeded(lab(*command))
    assert out.read_bytes() == whole
    lists = scored.read(out, texts)
    assert len(lists.scored) == 4
    assert [int(one.windows[row][0]) for one, row in lists.written] == GRIEF[:3]
    out.write_text("garbage\n", "utf-8")
    assert "no file of scores" in error_line(lab(*command), 2)
