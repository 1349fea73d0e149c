"""A Llama with a few thousand random weights, made on the spot, in the files of a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|start|>{{ message['role'] }}<|middle|>"
    "{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant<|middle|>{% endif %}"
)
SPECIAL = ("<|begin|>", "<|finish|>", "<|start|>", "<|middle|>", "<|end|>", "[PAD]")


def make(folder: Path, *, template: bool = True, positions: int = 8_192, seed: int = 7) -> Path:
    """Write a two-layer model with a byte-level tokenizer, with or without a chat template."""
    torch = pytest.importorskip("torch", reason="making a model needs torch")
    pytest.importorskip("transformers", reason="making a model needs torch")
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.set_num_threads(1)  # with so few weights, more threads only wait for each other
    vocabulary = _tokenizer(folder, template)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        initializer_range=0.5,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=5,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def _tokenizer(folder: Path, template: bool) -> int:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        ['"1": "Jane Bennet",\n"2": "Mr. Darcy"\n}', "the quotations of a novel, he said"] * 3,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=list(SPECIAL),
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=SPECIAL[0],
        eos_token=SPECIAL[1],
        pad_token="[PAD]",
        additional_special_tokens=list(SPECIAL[2:5]),
    )
    if template:
        fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    return len(fast)
