"""The state of torch's Adam as tensors of a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def moments(
    optimizer: torch.optim.Optimizer, parameters: Sequence[torch.Tensor]
) -> dict[str, torch.Tensor]:
    """Return the two moments of each parameter, which every one of them must have, by name."""
    tensors = {}
    for at, parameter in enumerate(parameters):
        state = optimizer.state[parameter]
        tensors[f"adam.{at}.mean"] = state["exp_avg"].cpu()
        tensors[f"adam.{at}.square"] = state["exp_avg_sq"].cpu()
    return tensors


def restore(
    optimizer: torch.optim.Optimizer,
    parameters: Sequence[torch.Tensor],
    tensors: dict[str, torch.Tensor],
    step: int,
) -> None:
    """Take what `moments` returned out of some tensors, and go on from a step.

    Raises KeyError for tensors that lack a parameter's moments.
    """
    for at, parameter in enumerate(parameters):
        optimizer.state[parameter] = {
            "step": torch.tensor(float(step)),
            "exp_avg": tensors.pop(f"adam.{at}.mean").to(parameter.device),
            "exp_avg_sq": tensors.pop(f"adam.{at}.square").to(parameter.device),
        }
