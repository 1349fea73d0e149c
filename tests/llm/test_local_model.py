"""Language models in this process: constrained decoding, limits, damaged files."""

from __future__ import annotations

import importlib.util
import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny_causal
from chat_server import ASK
from scholar_indexes.errors import ConfigError, Damaged, NotThere
from scholar_indexes.llm.backend import Completion, parse_answer
from scholar_indexes.llm.loading import load
from scholar_indexes.llm.local_model import LocalModel


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_causal.make(tmp_path_factory.mktemp("causal") / "tiny")


@pytest.fixture(scope="module")
def tiny(folder: Path) -> LocalModel:
    return load(str(folder), "cpu")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    """Return a model without a chat template."""
    folder = tiny_causal.make(tmp_path_factory.mktemp("causal") / "bare", template=False, seed=3)
    return load(str(folder), "cpu")


LISTED = ["Jane", "Jane Bennet", "Mr. Darcy", 'O"} \\ ‹x›', "Łucja", "Mr. D"]


@pytest.mark.slow
def test_nothing_but_listed_names_comes_from_a_model_of_random_weights(tiny: LocalModel) -> None:
    ids = [str(n) for n in range(1, 40)]
    answer = tiny.complete(ASK[0], ids, LISTED)
    spoken = json.loads(answer.text)
    assert list(spoken) == ids
    assert set(spoken.values()) <= set(LISTED)
    assert answer.finished
    assert set(answer.probabilities) == set(ids)
    assert all(0 < probability < 1 for probability in answer.probabilities.values())


@pytest.mark.parametrize("prompt", ["Who?", "Jane", "<|end|>", "", "é" * 50])
def test_the_likeliest_token_is_taken_wherever_names_part(tiny: LocalModel, prompt: str) -> None:
    """Compared with rereading the whole sequence for every token, without a cache."""
    import torch

    answer = tiny.complete([{"role": "user", "content": prompt}], ["1", "2"], LISTED)
    spoken = json.loads(answer.text)
    tokens = tiny.tokenize_prompt([{"role": "user", "content": prompt}])
    tokens += tiny.tokenize('{\n"1": "')
    for number, end, following in (("1", '",\n', '"2": "'), ("2", '"\n}', "")):
        paths = {
            name: tiny.tokenize(json.dumps(name, ensure_ascii=False)[1:-1] + end) for name in LISTED
        }
        taken: list[int] = []
        logs = []
        while taken not in paths.values():
            with torch.inference_mode():
                row = tiny.model(torch.tensor([tokens + taken])).logits[0, -1].log_softmax(-1)
            options = {
                path[len(taken)]
                for path in paths.values()
                if path[: len(taken)] == taken and len(path) > len(taken)
            }
            taken.append(max(options, key=lambda token: float(row[token])))
            logs.append(float(row[taken[-1]]))
        assert paths[spoken[number]] == taken
        assert answer.probabilities[number] == pytest.approx(
            math.exp(sum(logs) / len(logs)), rel=1e-3
        )
        tokens += taken + tiny.tokenize(following)


def test_a_model_gives_the_same_answer_every_time_and_another_to_another_question(
    tiny: LocalModel,
) -> None:
    ids = [str(n) for n in range(1, 15)]

    def ask(text: str) -> Completion:
        return tiny.complete([{"role": "user", "content": text}], ids, LISTED)

    assert ask("Who?") == ask("Who?")
    assert len({ask(f"Who is {n}?").text for n in range(3)}) > 1


def test_a_model_answers_without_warnings_of_its_library(tiny: LocalModel) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tiny.complete(*ASK).text


@pytest.mark.parametrize("limit", [1, 7, 40])
def test_a_model_may_think_aloud_for_so_long_and_no_longer(tiny: LocalModel, limit: int) -> None:
    answer = tiny.complete(ASK[0], ["1", "2"], LISTED, thought_tokens=limit)
    spoken = json.loads(answer.text)
    assert list(spoken) == ["reasoning", "1", "2"]
    assert len(tiny.tokenize(spoken["reasoning"])) <= 3 * limit + 3
    assert {spoken["1"], spoken["2"]} <= set(LISTED)
    assert set(parse_answer(answer, ["1", "2"])) == {"1", "2"}


def test_special_tokens_of_a_book_are_letters_to_the_model(
    tiny: LocalModel, bare: LocalModel
) -> None:
    marks = {4, 1}
    for text in ("<|end|>", "a<|finish|>b"):
        inside = tiny.tokenize_prompt([{"role": "user", "content": text}])
        empty = tiny.tokenize_prompt([{"role": "user", "content": ""}])
        assert (
            sum(token in marks for token in inside) == sum(token in marks for token in empty) == 1
        )
        assert not marks & set(bare.tokenize_prompt([{"role": "user", "content": text}]))
        assert not marks & set(bare.tokenize(text))


def test_a_model_without_a_chat_template_is_asked_plainly(bare: LocalModel) -> None:
    prompt = bare.tokenize_prompt([{"role": "user", "content": "Who?"}])
    assert bare.tokenizer.decode(prompt) == "<|begin|>Who?\n\nAnswer:\n"
    assert json.loads(bare.complete(*ASK).text) == {"1": "Jane"}


@pytest.mark.parametrize("names_", [["A", "A"], ["\n", "\\n"], ["", "A"], ["é", "e\u0301"]])
def test_names_that_are_hardly_names_are_written_as_they_are(
    tiny: LocalModel, names_: list[str]
) -> None:
    assert json.loads(tiny.complete(ASK[0], ["1"], names_).text)["1"] in names_


@given(
    names_=st.lists(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
        min_size=1,
        max_size=6,
        unique=True,
    )
)
def test_any_names_at_all_are_chosen_from(tiny: LocalModel, names_: list[str]) -> None:
    spoken = json.loads(tiny.complete(ASK[0], ["1", "2"], names_).text)
    assert list(spoken) == ["1", "2"]
    assert set(spoken.values()) <= set(names_)


def test_a_question_longer_than_the_model_reads_is_refused(tmp_path: Path) -> None:
    small = load(str(tiny_causal.make(tmp_path / "small", positions=128)), "cpu")
    with pytest.raises(ConfigError, match=r"a context of 128 tokens and .* use smaller chunks"):
        small.complete([{"role": "user", "content": "word " * 100}], ["1"], ["Jane"])


def test_a_model_that_can_read_no_more_ends_early(tmp_path: Path, tiny: LocalModel) -> None:
    small = load(str(tiny_causal.make(tmp_path / "small", positions=160)), "cpu")
    ids = [str(n) for n in range(1, 40)]
    answer = small.complete(ASK[0], ids, LISTED)
    spoken = json.loads(answer.text)
    assert not answer.finished
    assert 1 < len(spoken) < len(ids)
    assert list(spoken) == ids[: len(spoken)]
    assert spoken.items() <= json.loads(tiny.complete(ASK[0], ids, LISTED).text).items()


@pytest.mark.parametrize(
    "name", ["meta-llama/Meta-Llama-3-8B-Instruct", "no where", "", "/nowhere"]
)
def test_a_model_that_is_not_here_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(NotThere, match="hf download") as caught:
        load(name, "cpu")
    assert "\n" not in str(caught.value)


def test_a_folder_without_weights_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="safetensors"):
        load(str(tmp_path), "cpu")


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("content", [b"", b"{}", b"\x80\x04pickle"], ids=["empty", "{}", "pickle"])
def test_a_damaged_model_is_reported(
    folder: Path, tmp_path: Path, file: str, content: bytes
) -> None:
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / file).write_bytes(content)
    with pytest.raises(Damaged, match="cannot be loaded"):
        load(str(broken), "cpu")


def test_a_model_that_lacks_weights_is_not_filled_with_random_ones(
    folder: Path, tmp_path: Path
) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    weights = load_file(broken / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, broken / "model.safetensors", {"format": "pt"})
    with pytest.raises(Damaged, match=r"it lacks model\.layers\.1\.mlp\.up_proj\.weight"):
        load(str(broken), "cpu")


def test_a_model_with_code_of_its_own_never_runs_it(folder: Path, tmp_path: Path) -> None:
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    config = json.loads((broken / "config.json").read_text())
    config |= {
        "model_type": "mine",
        "auto_map": {"AutoConfig": "mine.Mine", "AutoModelForCausalLM": "mine.Mine"},
    }
    (broken / "config.json").write_text(json.dumps(config))
    (broken / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(Damaged):
        load(str(broken), "cpu")
    assert not (tmp_path / "ran").exists()


def test_a_device_or_a_precision_that_is_not_there_is_a_configuration_error(folder: Path) -> None:
    import torch

    with pytest.raises(ConfigError, match="8-bit precision"):
        load(str(folder), "cpu", eight_bit=True)
    if not torch.cuda.is_available():
        with pytest.raises(ConfigError, match="no cuda device"):
            load(str(folder), "cuda")


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")
def test_a_memory_that_does_not_suffice_is_one_clear_error(tiny: LocalModel) -> None:
    import copy

    model = copy.copy(tiny.model)

    def forward(self: Any, input_ids: Any, logits_to_keep: int = 0, **_: Any) -> Any:
        import torch

        return torch.empty(1 << 60)  # more than any machine has

    model.__class__ = type("Huge", (type(model),), {"forward": forward})
    with pytest.raises(ConfigError, match="needs more memory than cpu has free"):
        LocalModel(model, tiny.tokenizer, "huge").complete(*ASK)
