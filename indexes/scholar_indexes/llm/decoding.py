"""Constrained decoding: a causal language model that chooses between names in a trie."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class TrieNode:
    """A node in the trie of names: the tokens that may follow, or the name that ends here."""

    children: dict[int, TrieNode] = field(default_factory=dict)
    name: str | None = None

    def add(self, name: str, tokens: Sequence[int]) -> None:
        """Add a name below this node, unless another has the same tokens."""
        node = self
        for token in tokens:
            if node.name is not None:
                break
            node = node.children.setdefault(token, TrieNode())
        if node.name is None and not node.children:
            node.name = name

    def depth(self) -> int:
        """Return the number of tokens of the longest name below this node."""
        level, depth = [self], 0
        while level := [child for node in level for child in node.children.values()]:
            depth += 1
        return depth


class TokenReader:
    """A causal model with the cache of the tokens it has read.

    `log_probabilities` are for the next token, `count` is the number of tokens read. `options` are
    the names of the parameters of the model's forward, which differ between models and versions
    of transformers.
    """

    def __init__(self, model: Any, options: Collection[str]) -> None:
        self._model = model
        self._options = options
        self._cache_name = "cache" if "cache" in options else "past_key_values"
        self._cache: Any = None
        self.log_probabilities: Any = None
        self.count = 0

    def fork(self) -> TokenReader:
        """Return an independent reader that has read the same tokens."""
        copy = TokenReader(self._model, self._options)
        copy._cache, copy.count = deepcopy(self._cache), self.count
        copy.log_probabilities = self.log_probabilities
        return copy

    def read(self, tokens: Sequence[int], known: int = 0) -> list[float]:
        """Read tokens; return the log-probabilities of the 2nd to the known-th of them."""
        import torch

        if not tokens:
            return []
        with torch.inference_mode():
            ids = torch.tensor([list(tokens)], device=self._model.device)
            count = len(tokens) if known > 1 else 1
            # The logits of a whole prompt would take gigabytes.
            options: dict[str, Any] = {self._cache_name: self._cache}
            if "logits_to_keep" in self._options:
                options["logits_to_keep"] = count
            output = self._model(input_ids=ids, use_cache=True, **options)
            self._cache = output[self._cache_name]
            self.count += len(tokens)
            rows = output.logits[0, -count:].float().log_softmax(-1)
            self.log_probabilities = rows[-1]
            if known < 2:
                return []
            logs: list[float] = rows[: known - 1].gather(1, ids[0, 1:known, None])[:, 0].tolist()
            return logs


def choose_name(
    reader: TokenReader, root: TrieNode, following: Sequence[int]
) -> tuple[str, list[float]]:
    """Return the name found by greedy search in a trie, and its tokens' log-probabilities.

    The reader then also reads the tokens that follow the name. The model is run only if more
    than one token is possible.
    """
    node = root
    logs: list[float] = []
    unread: list[int] = []
    while node.name is None:
        options = list(node.children)
        if len(options) > 1 and unread:
            logs += reader.read(unread, known=len(unread))
            unread = []
        token = options[0]
        if len(options) > 1:
            token = options[int(reader.log_probabilities[options].argmax())]
        if not unread:
            logs.append(float(reader.log_probabilities[token]))
        unread.append(token)
        node = node.children[token]
    logs += reader.read([*unread, *following], known=len(unread))
    return node.name, logs
