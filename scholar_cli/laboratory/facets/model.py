"""The network of a facet model in torch: the computation of papers.facets with gradients."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from scholar_indexes.papers import facets
from scholar_indexes.types import FACETS

COMPONENTS = ("vectors", "words", "places", "neighbours", "chain")
"""The components that an ablation can omit."""

CARD_KEYS = {
    "min_papers": "least",
    "hidden": "mixed",
    "batch_size": "batch",
    "dropout": "forgotten",
    "unknown_language": "unread",
    "crop": "cut",
}
"""The keys of hyperparameters in a model card that differ from their names here."""


@dataclass(frozen=True, slots=True)
class FacetModelSettings:
    """The hyperparameters of training.

    A cue is a phrase in at least min_papers papers. hidden and states are the widths of the
    hidden layer and of each GRU. dropout has the rates for hidden values, vector values and cues.
    In a share unknown_language of the abstracts only positions are visible, as in a language that
    the model does not know; a share crop is cut to a few consecutive sentences, because no abstract
    in the data is shorter than three. without names COMPONENTS to omit.
    """

    min_papers: int = 20
    hidden: int = 48
    states: int = 32
    epochs: int = 9
    batch_size: int = 32
    learning_rate: float = 2e-3
    weight_decay: float = 1e-2
    dropout: tuple[float, float, float] = (0.3, 0.2, 0.2)
    unknown_language: float = 0.1
    crop: float = 0.2
    seed: int = 0
    without: tuple[str, ...] = ()

    def card_fields(self) -> dict[str, Any]:
        """Return the hyperparameters for the card of a model."""
        names = [field.name for field in fields(self)]
        return {CARD_KEYS.get(name, name): getattr(self, name) for name in names}


OWN_SETTINGS = FacetModelSettings(
    min_papers=60, hidden=24, states=16, dropout=(0.3, 0.8, 0.2), unknown_language=0.3
)
"""The hyperparameters for short abstracts only: with so few sentences, the model learns their
topics instead of their facets unless vectors and rare words are suppressed."""


class FacetNetwork(nn.Module):  # type: ignore[misc]
    """A bidirectional GRU with a linear-chain CRF over batches of abstracts.

    Components that the settings omit always contribute 0. The tensors of a batch have the shapes
    (b, t, ...) for b abstracts of at most t sentences.
    """

    def __init__(self, dimensions: int, phrases: int, settings: FacetModelSettings) -> None:
        super().__init__()
        self.settings = settings
        self.enabled = {name: float(name not in settings.without) for name in COMPONENTS}
        self.vectors = nn.Linear(dimensions, settings.hidden)
        self.positions = nn.Linear(facets.POSITION_FEATURES, settings.hidden, bias=False)
        self.padding_row = phrases
        self.phrases = nn.EmbeddingBag(
            phrases + 1, settings.hidden, mode="sum", padding_idx=self.padding_row
        )
        nn.init.normal_(self.phrases.weight, std=0.02)
        with torch.no_grad():
            self.phrases.weight[self.padding_row] = 0.0
        self.gru = nn.GRU(settings.hidden, settings.states, bidirectional=True, batch_first=True)
        self.unary = nn.Linear(settings.hidden + 2 * settings.states, len(FACETS))
        self.first = nn.Parameter(torch.zeros(len(FACETS)))
        self.transitions = nn.Parameter(torch.zeros(len(FACETS), len(FACETS)))
        self.last = nn.Parameter(torch.zeros(len(FACETS)))

    def forward(
        self,
        vectors: torch.Tensor,
        phrases: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
    ) -> torch.Tensor:
        """Return the unary scores (b, t, 4) of vectors (b, t, d), rows of phrases (b, t, p) and
        positions (b, t, POSITION_FEATURES); mask (b, t) is True for sentences, False for padding.
        """
        hidden_dropout, vector_dropout, phrase_dropout = self.settings.dropout
        drop, texts = nn.functional.dropout, mask.shape[0] * mask.shape[1]
        retained = torch.rand(phrases.shape) >= phrase_dropout
        phrases = torch.where(retained, phrases, self.padding_row)
        summed = self.phrases(phrases.view(texts, -1)).view(*mask.shape, -1) / (1 - phrase_dropout)
        hidden = (
            self.vectors(
                self.enabled["vectors"] * facets.VECTOR_SCALE * drop(vectors, vector_dropout)
            )
            + self.enabled["words"] * summed
            + self.enabled["places"] * self.positions(positions)
        )
        hidden = drop(torch.relu(hidden), hidden_dropout) * mask[..., None]
        packed = nn.utils.rnn.pack_padded_sequence(
            hidden, mask.sum(1), batch_first=True, enforce_sorted=False
        )
        context, _ = nn.utils.rnn.pad_packed_sequence(
            self.gru(packed)[0], batch_first=True, total_length=mask.shape[1]
        )
        context = self.enabled["neighbours"] * drop(context, hidden_dropout)
        scores: torch.Tensor = self.unary(torch.cat((hidden, context), -1))
        return scores

    def loss(self, scores: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Return the negative log-likelihood of the labels (b, t) under the CRF, per sentence."""
        first, transitions, last = (
            self.enabled["chain"] * parameter
            for parameter in (self.first, self.transitions, self.last)
        )
        lengths = mask.sum(1)
        unary = scores.gather(2, labels[..., None])[..., 0] * mask
        steps = transitions[labels[:, :-1], labels[:, 1:]] * mask[:, 1:]
        final = labels[torch.arange(len(labels)), lengths - 1]
        path = first[labels[:, 0]] + unary.sum(1) + steps.sum(1) + last[final]
        total = first + scores[:, 0]
        for position in range(1, scores.shape[1]):
            following = torch.logsumexp(total[:, :, None] + transitions, 1) + scores[:, position]
            total = torch.where(mask[:, position, None], following, total)
        return (torch.logsumexp(total + last, 1) - path).sum() / mask.sum()

    def tensors(self) -> dict[str, NDArray[np.float16]]:
        """Return the weights by their names in a model file, with 0 for omitted components."""
        enabled, hidden = self.enabled, self.settings.hidden
        unary = self.unary.weight
        weights = {
            "phrases": enabled["words"] * self.phrases.weight[:-1],
            "vectors": enabled["vectors"] * self.vectors.weight,
            "places": enabled["places"] * self.positions.weight,
            "bias": self.vectors.bias,
            "scores": torch.cat((unary[:, :hidden], enabled["neighbours"] * unary[:, hidden:]), 1),
            "score_bias": self.unary.bias,
            "first": enabled["chain"] * self.first,
            "follows": enabled["chain"] * self.transitions,
            "last": enabled["chain"] * self.last,
        }
        for direction, suffix in (("onward", ""), ("backward", "_reverse")):
            weights |= {
                f"{direction}.inputs": getattr(self.gru, f"weight_ih_l0{suffix}"),
                f"{direction}.states": getattr(self.gru, f"weight_hh_l0{suffix}"),
                f"{direction}.input_bias": getattr(self.gru, f"bias_ih_l0{suffix}"),
                f"{direction}.state_bias": getattr(self.gru, f"bias_hh_l0{suffix}"),
            }
        return {
            name: weight.detach().numpy().astype(np.float16) for name, weight in weights.items()
        }
