"""Training checkpoints: weights and the optimizer's state, from which a run resumes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from scholar_cli.laboratory import adam
from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import read_json
from scholar_indexes.storage import atomic


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The folder of a run's last checkpoint; `identity`, such as the settings, must be the same in
    the run that resumes from it."""

    folder: Path
    identity: Mapping[str, Any]

    def save(
        self,
        step: int,
        weights: Mapping[str, torch.Tensor],
        optimizer: torch.optim.Optimizer,
        parameters: Sequence[torch.Tensor],
        state: Mapping[str, Any],
    ) -> None:
        """Write the weights and Adam's two moments, then the state, which names the step."""
        tensors = {name: value.detach().cpu().contiguous() for name, value in weights.items()}
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic.atomic_file(self._weights(step)) as temporary:
            safetensors.torch.save_file(
                {**tensors, **adam.moments(optimizer, parameters)}, temporary
            )
        content = {**self.identity, "step": step, "state": dict(state)}
        atomic.write_text(self.folder / "state.json", json.dumps(content, indent=1) + "\n")
        for path in self.folder.glob("step*.safetensors"):
            if path != self._weights(step):
                path.unlink()

    def load(
        self, optimizer: torch.optim.Optimizer, parameters: Sequence[torch.Tensor]
    ) -> tuple[int, dict[str, torch.Tensor], dict[str, Any]] | None:
        """Return the step, the weights and the state of the last checkpoint, and load the moments
        into the optimizer; return None if there is no checkpoint.

        Raises UsageError if it is broken or belongs to a run with another identity.
        """
        path = self.folder / "state.json"
        if not path.exists():
            return None
        try:
            content = read_json(path)
            step, state = int(content.pop("step")), dict(content.pop("state"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(f"{path} is broken; delete {self.folder} to begin again") from None
        for name, value in self.identity.items():
            if content.get(name) != value:
                raise UsageError(
                    f"{self.folder} contains a run with another {name.replace('_', ' ')}; choose "
                    "a new --out, or delete that folder"
                )
        try:
            tensors = safetensors.torch.load_file(self._weights(step))
            adam.restore(optimizer, parameters, tensors, step)
        except (OSError, KeyError, safetensors.SafetensorError):
            raise UsageError(
                f"{self._weights(step)} is broken; delete {self.folder} to begin again"
            ) from None
        return step, tensors, state

    def _weights(self, step: int) -> Path:
        return self.folder / f"step{step}.safetensors"
