"""Who says each quotation, by the trained model: a small network that weighs the evidence.

    sieve -> guesses -> (features -> network -> guesses) x rounds -> calibrate -> [Attribution]

Each round looks at the same book again with better guesses at who takes the turns around, so
that a conversation is decided as a whole (auto-context, Tu and Bai 2010).
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.errors import Damaged
from scholar_indexes.models import SPEAKERS, ModelFiles, expect
from scholar_indexes.speakers import features
from scholar_indexes.speakers.features import FEATURES, Guesses, Rows
from scholar_indexes.speakers.sieve import Sieve
from scholar_indexes.types import (
    Attribution,
    Character,
    Progress,
    Quotation,
    QuoteKind,
    Span,
    silent,
)

Floats = NDArray[np.float32]
Network = Sequence[tuple[Floats, Floats]]
"""Weights (in, out) and biases (out,) of each layer; the last one gives one score."""

Ensemble = Sequence[Network]
"""Networks that were trained on different novels; what they say is averaged."""

WEIGHTS = "model.safetensors"

TURNS = 6
"""Quotations back in which a speaker is looked for who is not named beside one."""

Curve = Sequence[tuple[float, float]]
"""Likelihoods of the model, rising, and how often such an answer is right."""


@dataclass(frozen=True, slots=True)
class Attributor:
    """A model that can be asked: networks for each round, and how sure it is by kind."""

    rounds: Sequence[Ensemble]
    curves: Mapping[QuoteKind, Curve]

    def __call__(
        self,
        text: str,
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
        progress: Progress = silent,
    ) -> list[Attribution]:
        """One attribution for each quotation; the speaker is None where nobody is near."""
        sieve = Sieve(text, quotations, cast)
        sieve.run()
        book = features.Book(sieve)
        guesses = features.first_guesses(sieve)
        for done, networks in enumerate(self.rounds):
            progress("attributing", done, len(self.rounds))
            guesses = guessed(features.rows(book, guesses), networks)
        progress("attributing", len(self.rounds), len(self.rounds))
        evidence = _evidence(sieve, guesses.who)
        return [
            Attribution(cast[who], cue.kind, span, self._confidence(cue.kind, sure))
            if who >= 0
            else Attribution(None, cue.kind, cue.span, 0.0)
            for who, sure, cue, span in zip(
                guesses.who, guesses.sure, sieve.cues, evidence, strict=True
            )
        ]

    def _confidence(self, kind: QuoteKind, likelihood: float) -> float:
        return calibrated(likelihood, self.curves.get(kind, ()))


def load(model: ModelFiles) -> Attributor:
    """The attributor of a model's files.

    Raises ConfigError for a model that is for something else, Damaged when its files
    cannot be loaded.
    """
    from safetensors.numpy import load_file

    expect(model, SPEAKERS)
    try:
        card = json.loads((model.folder / "card.json").read_text("utf-8"))
        tensors = load_file(model.folder / WEIGHTS)
        rounds: list[Ensemble] = []
        while networks := _ensemble(tensors, len(rounds)):
            rounds.append(networks)
        if not rounds:
            raise ValueError("no networks")
        curves = {
            QuoteKind(kind): [(float(x), float(y)) for x, y in curve]
            for kind, curve in card.get("calibration", {}).items()
        }
    except Exception as broken:
        raise Damaged(
            f"the model {model.name} cannot be loaded ({str(broken)[:120]}); "
            f"run: scholar models verify {model.name}"
        ) from broken
    return Attributor(rounds, curves)


def weights(rounds: Sequence[Ensemble]) -> dict[str, Floats]:
    """The tensors of a model by the names that load() knows: round.network.layer."""
    return {
        f"{number}.{member}.{layer}.{part}": np.ascontiguousarray(values, np.float32)
        for number, networks in enumerate(rounds)
        for member, network in enumerate(networks)
        for layer, pair in enumerate(network)
        for part, values in zip(("weight", "bias"), pair, strict=True)
    }


def _ensemble(tensors: Mapping[str, Floats], number: int) -> list[Network]:
    networks: list[Network] = []
    while f"{number}.{len(networks)}.0.weight" in tensors:
        networks.append(_network(tensors, f"{number}.{len(networks)}"))
    return networks


def _network(tensors: Mapping[str, Floats], name: str) -> Network:
    layers: list[tuple[Floats, Floats]] = []
    width = FEATURES
    while f"{name}.{len(layers)}.weight" in tensors:
        layer = f"{name}.{len(layers)}"
        weight, bias = tensors[f"{layer}.weight"], tensors[f"{layer}.bias"]
        if weight.shape != (width, len(bias)):
            raise ValueError(f"layer {layer} has another shape")
        layers.append((weight, bias))
        width = len(bias)
    if width != 1:
        raise ValueError(f"network {name} gives no score")
    return layers


def guessed(rows: Rows, networks: Ensemble) -> Guesses:
    """The best candidate of each quotation and its share of the likelihood, the mean of what
    the networks say; nobody (-1) where there is no candidate."""
    counts = np.diff(rows.edges)
    filled = np.flatnonzero(counts)
    firsts = rows.edges[filled]
    owner = np.repeat(np.arange(len(filled)), counts[filled])
    shares = np.zeros(len(rows.who), np.float32)
    for network in networks:
        scores = scored(rows.values, network)
        powers = np.exp(scores - np.maximum.reduceat(scores, firsts)[owner])
        shares += powers / np.add.reduceat(powers, firsts)[owner]
    shares /= len(networks)
    who, sure = [-1] * len(counts), [0.0] * len(counts)
    for number, first in zip(filled.tolist(), firsts.tolist(), strict=True):
        best = first + int(shares[first : first + counts[number]].argmax())
        who[number], sure[number] = int(rows.who[best]), float(shares[best])
    return Guesses(who, sure)


def scored(values: Floats, network: Network) -> Floats:
    """Scores (r,) of rows (r, FEATURES): layers with rectifiers between them."""
    for weight, bias in network[:-1]:
        values = np.maximum(values @ weight + bias, 0)
    weight, bias = network[-1]
    result: Floats = (values @ weight + bias)[:, 0]
    return result


def calibrated(likelihood: float, curve: Curve) -> float:
    """How often an answer of this likelihood is right, by straight lines between points."""
    if not curve:
        return likelihood
    xs, ys = zip(*curve, strict=True)
    return float(np.interp(likelihood, xs, ys))


def _evidence(sieve: Sieve, who: Sequence[int]) -> list[Span | None]:
    """What says who speaks: the words beside a quotation, or else where the speaker is called
    by name in the turn before or after, or is said to speak within TURNS before."""
    called = [_called(sieve, number) for number in range(len(who))]
    found: list[Span | None] = []
    for at, cue in enumerate(sieve.cues):
        span = cue.span
        for near in (at - 1, at + 1):
            if span is None and 0 <= near < len(who):
                span = called[near].get(who[at])
        for before in range(at - 1, max(-1, at - 1 - TURNS), -1):
            if span is None and who[before] == who[at]:
                span = sieve.cues[before].span
        found.append(span)
    return found


def _called(sieve: Sieve, number: int) -> dict[int, Span]:
    """Who is addressed by name in a quotation, and where."""
    addressed = set(sieve.vocatives[number])
    if not addressed:
        return {}
    span = sieve.quotations[number].span
    first, end = (
        bisect_left(sieve.named_at, edge, key=lambda each: each.span.start)
        for edge in (span.start, span.end)
    )
    inside = reversed(sieve.named_at[first:end])
    return {each.who: each.span for each in inside if each.who in addressed}
