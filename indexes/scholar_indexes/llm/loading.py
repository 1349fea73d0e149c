"""Loading of transformers causal language models, from a folder or the hub's cache."""

from __future__ import annotations

import importlib.util
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from scholar_indexes import guarded
from scholar_indexes.errors import ConfigError, Damaged, NotThere
from scholar_indexes.llm.local_model import LocalModel
from scholar_indexes.llm.memory import is_out_of_memory, report_lack_of_memory
from scholar_indexes.net.responses import plain
from scholar_indexes.sanitize import one_line

DEFAULT_MODEL = "meta-llama/Meta-Llama-3-8B-Instruct"
"""The model of Michel et al., "Evaluating LLMs for Quotation Attribution in Literary
Texts", section 4."""


def load(
    model: str = DEFAULT_MODEL, device: str = "auto", *, eight_bit: bool = False
) -> LocalModel:
    """Return a transformers causal language model, from a folder or the hub's cache.

    `device` is one of settings.DEVICES; `eight_bit` halves the memory with bitsandbytes, as
    the paper does (appendix F). Nothing is downloaded, only safetensors are read and no
    code that comes with a model is run. Raises ConfigError (no torch, device or
    bitsandbytes; not enough memory), NotThere (no such model) and Damaged.
    """
    if _missing_packages("torch", "transformers"):
        raise ConfigError(f"{model} needs torch; run: pip install 'scholar-cli[gpu]'")

    from scholar_indexes.models.torch_encoder import chosen

    device = chosen(device)
    options = _eight_bit_options(device) if eight_bit else {}
    folder = _find_folder(model)
    with report_lack_of_memory(model, device):
        network, tokenizer = _read_model(model, folder, options)
        if not eight_bit:
            network = network.to(device)
    name = f"{model} {_fingerprint(folder)}{' 8-bit' if eight_bit else ''}"
    return LocalModel(network.eval(), tokenizer, name)


def _read_model(model: str, folder: Path, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the network and the tokenizer of a folder."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    safety: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **safety)
        network, report = transformers.AutoModelForCausalLM.from_pretrained(
            folder,
            use_safetensors=True,
            dtype="auto",
            output_loading_info=True,
            **safety,
            **options,
        )
        if report["missing_keys"]:  # would be filled with random numbers
            raise ValueError(f"it lacks {sorted(report['missing_keys'])[0]}")
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise Damaged(
            f"the model {plain(model)} cannot be loaded ({one_line(str(error), 120)}); "
            "download it again, or choose a transformers causal language model"
        ) from error
    return network, tokenizer


def _find_folder(model: str) -> Path:
    folder = Path(os.path.expanduser(model))
    if not model or not folder.is_dir():
        from transformers.utils import cached_file

        try:
            folder = Path(cached_file(model, "config.json", local_files_only=True)).parent
        except (OSError, ValueError) as error:
            raise NotThere(
                f"the model {plain(model)} was not found; run: hf download {plain(model)}, "
                "give the folder of a model, or give the address of a server"
            ) from error
    if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
        raise NotThere(
            f"{folder} does not contain config.json and *.safetensors; "
            "give the folder of a transformers causal language model"
        )
    try:
        guarded.check_folder(folder)
    except guarded.NotAFile as error:
        raise ConfigError(
            f"{folder} cannot be read ({error}); give the folder of a model"
        ) from error
    return folder


def _fingerprint(folder: Path) -> str:
    """Return a hash that changes when a file of the model does, without reading gigabytes."""
    digest = sha256(guarded.read_bytes(folder / "config.json"))
    for path in sorted(folder.glob("*.safetensors")):
        digest.update(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}".encode())
    return digest.hexdigest()[:12]


def _eight_bit_options(device: str) -> dict[str, Any]:
    missing = _missing_packages("bitsandbytes", "accelerate")
    if missing:
        packages = " and ".join(missing)
        raise ConfigError(
            f"8-bit precision needs {packages}; run: pip install {' '.join(missing)}, or "
            "load the model in full precision"
        )
    if device != "cuda":
        raise ConfigError(
            f"8-bit precision does not run on {device}; use a GPU, or "
            "load the model in full precision"
        )
    from transformers import BitsAndBytesConfig

    return {
        "quantization_config": BitsAndBytesConfig(load_in_8bit=True),
        "device_map": {"": device},
    }


def _missing_packages(*names: str) -> list[str]:
    return [name for name in names if importlib.util.find_spec(name) is None]
