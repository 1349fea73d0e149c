"""The network of the coreference model in torch: resolver.model's computation with gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from scholar_indexes.arrays import Ints1d
from scholar_indexes.coreference.resolver.mention_table import (
    ENTITY_CLASSES,
    FEATURE_SIZES,
    MentionTable,
    pair_features,
)
from scholar_indexes.coreference.resolver.model import (
    BILINEAR_SCALE,
    BLOCK_TOKENS,
    MAX_MENTION_WORDS,
    block_tokens,
    split_blocks,
)
from scholar_indexes.coreference.resolver.words import TYPES, TokenizedText


@dataclass(frozen=True, slots=True)
class CoreferenceSettings:
    """The hyperparameters of training.

    Each epoch has every book once, whole with the probability `whole`, else in `parts`, one step
    each. `mention` is the width of mention vectors, `hidden` of the networks over spans and `pair`
    of the network over pairs. Learning rates rise over `warmup` steps and then fall linearly. In
    each epoch `novel_parts` are drawn from the novels.
    """

    epochs: int = 10
    whole: float = 0.25
    parts: int = 4
    novel_parts: int = 60
    mention: int = 256
    hidden: int = 128
    pair: int = 64
    dropout: float = 0.3
    encoder_rate: float = 2e-4
    head_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup: int = 60
    seed: int = 0

    def card_fields(self) -> dict[str, Any]:
        """Return the hyperparameters for the card of a model."""
        return asdict(self)


class CoreferenceNetwork(nn.Module):  # type: ignore[misc]
    """An encoder, whose token types encode word shapes and speech, and the heads."""

    def __init__(self, base: Path, settings: CoreferenceSettings) -> None:
        """Load the BERT encoder in the folder `base`, in safetensors; initialize the heads."""
        super().__init__()
        from transformers import AutoModel

        self.encoder = AutoModel.from_pretrained(
            base,
            attn_implementation="eager",
            use_safetensors=True,
            local_files_only=True,
            attention_probs_dropout_prob=0.0,
        )
        embeddings = self.encoder.embeddings
        embeddings.word_embeddings.weight.requires_grad = False  # 50 books would overfit them
        width = self.encoder.config.hidden_size
        types = nn.Embedding(TYPES, width)
        plain = embeddings.token_type_embeddings.weight.data[0]
        types.weight.data = plain + 0.01 * torch.randn(TYPES, width)
        embeddings.token_type_embeddings = types
        self.encoder.config.type_vocab_size = TYPES
        self.dropout = nn.Dropout(settings.dropout)
        hidden, mention, pair = settings.hidden, settings.mention, settings.pair
        self.heads = nn.ModuleDict(
            {
                "start": nn.Linear(width, hidden),
                "start2": nn.Linear(hidden, 1),
                "span_first": nn.Linear(width, hidden),
                "span_last": nn.Linear(width, hidden),
                "span_length": nn.Embedding(MAX_MENTION_WORDS + 1, hidden),
                "span_class": nn.Linear(hidden, len(ENTITY_CLASSES)),
                "mention": nn.Linear(3 * width, mention),
                "mention2": nn.Linear(mention, mention),
                "bilinear": nn.Linear(mention, mention, bias=False),
                "later": nn.Linear(mention, pair),
                "earlier": nn.Linear(mention, pair),
                "features": nn.Embedding(sum(FEATURE_SIZES.values()), pair),
                "pair": nn.Linear(pair, 1),
            }
        )
        # Initial biases: most words begin no mention, and most spans are not mentions.
        self.heads["start2"].bias.data.fill_(-2.0)
        self.heads["span_class"].bias.data[0] = 4.0
        for name in ("features", "span_length"):
            self.heads[name].weight.data.mul_(0.1)

    def word_vectors(
        self, words: TokenizedText, ids: Sequence[Sequence[int]], marks: tuple[int, int]
    ) -> torch.Tensor:
        """Return the vectors (n, width) of the words of whole sentences."""
        limit = min(BLOCK_TOKENS, self.encoder.config.max_position_embeddings - 2)
        blocks = list(split_blocks(words, ids, limit))
        tokens, mask, token_types, firsts, lasts = block_tokens(blocks, ids, words.types, marks)
        vectors = self.encoder(
            input_ids=torch.from_numpy(tokens),
            attention_mask=torch.from_numpy(mask),
            token_type_ids=torch.from_numpy(token_types),
        ).last_hidden_state.float()
        flat = vectors.reshape(-1, vectors.shape[-1])
        both: torch.Tensor = (flat[torch.from_numpy(firsts)] + flat[torch.from_numpy(lasts)]) / 2
        return self.dropout(both)

    def start_scores(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return the log odds (n,) that a mention begins at each word."""
        hidden = torch.relu(self.heads["start"](vectors))
        scores: torch.Tensor = self.heads["start2"](hidden).squeeze(-1)
        return scores.float()

    def class_scores(
        self, vectors: torch.Tensor, first: torch.Tensor, last: torch.Tensor
    ) -> torch.Tensor:
        """Return the scores (spans, classes) of ENTITY_CLASSES for spans."""
        hidden = self.heads["span_first"](vectors)[first] + self.heads["span_last"](vectors)[last]
        hidden = torch.relu(hidden + self.heads["span_length"](last - first))
        scores: torch.Tensor = self.heads["span_class"](self._drop_columns(hidden))
        return scores.float()

    def mention_vectors(
        self, vectors: torch.Tensor, first: torch.Tensor, last: torch.Tensor
    ) -> torch.Tensor:
        """Return the vectors (spans, mention) of spans."""
        sums = torch.cat([torch.zeros(1, vectors.shape[1]), vectors.float().cumsum(0)])
        means = (sums[last + 1] - sums[first]) / (last - first + 1)[:, None]
        joined = torch.cat([vectors[first], vectors[last], means], dim=1)
        hidden = torch.relu(self.heads["mention"](self.dropout(joined)))
        both: torch.Tensor = torch.relu(self.heads["mention2"](self.dropout(hidden)))
        return both

    def antecedent_scores(self, mentions: torch.Tensor, table: MentionTable) -> torch.Tensor:
        """Return the scores (n, n) of all pairs of mentions; scores are undefined if the second
        mention does not precede the first."""
        count = len(mentions)
        bilinear = self.heads["bilinear"](self.dropout(mentions)) @ self.dropout(mentions).T
        later, earlier = np.tril_indices(count, -1)
        rows = torch.from_numpy(pair_features(table, later, earlier))
        of_later, of_earlier = torch.from_numpy(later), torch.from_numpy(earlier)
        hidden = functional.embedding_bag(rows, self.heads["features"].weight, mode="sum")
        hidden = hidden + self.heads["later"](mentions).float()[of_later]
        hidden = hidden + self.heads["earlier"](mentions).float()[of_earlier]
        scores = self.heads["pair"](self._drop_columns(torch.relu(hidden))).squeeze(-1).float()
        pairs = torch.zeros(count * count).index_put((of_later * count + of_earlier,), scores)
        return bilinear.float() / BILINEAR_SCALE + pairs.view(count, count)

    def head_tensors(self) -> dict[str, NDArray[np.float32]]:
        """Return the tensors of the heads under the names that resolver.model reads."""
        return {
            name: tensor.detach().float().numpy().copy()
            for name, tensor in self.heads.state_dict().items()
        }

    def _drop_columns(self, values: torch.Tensor) -> torch.Tensor:
        """Drop the same columns of all rows, which is much faster than dropping single values."""
        return values * self.dropout(torch.ones(values.shape[-1]))


def to_tensor(indices: Sequence[int] | Ints1d) -> torch.Tensor:
    return torch.from_numpy(np.asarray(indices, np.int64))
