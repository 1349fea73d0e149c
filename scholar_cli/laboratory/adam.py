"""The state of torch's Adam as tensors of a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def moments(
    optimizer: torch.optim.Optimizer, parameters: Sequence[torch.Tensor]
) -> dict[str, torch.Tensor]:
    """Return the two moments of each parameter by name; every parameter must have them."""
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
    """Restore the moments, which are popped from the tensors of `moments`, and the step.

    Raises KeyError if the moments of a parameter are missing.
    """
    for at, parameter in enumerate(parameters):
        optimizer.state[parameter] = {
            "step": torch.tensor(float(step)),
            "exp_avg": tensors.pop(f"adam.{at}.mean").to(parameter.device),
            "exp_avg_sq": tensors.pop(f"adam.{at}.square").to(parameter.device),
        }
