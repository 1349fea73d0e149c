"""Quotation attribution with the trained model: an ensemble of small networks and a CRF.

    sieve -> guesses -> (features -> scorers -> linear-chain CRF -> guesses) x rounds -> calibrate

The scorers give unary and transition scores; the chain decides all turns of the book together.
Each round extracts features again from better guesses at the speakers of other quotations
(auto-context, Tu and Bai 2010).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scholar_indexes.arrays import Floats
from scholar_indexes.attribution import features, linear_chain, speeches
from scholar_indexes.attribution.linear_chain import NETWORKS, Network, TurnScorer
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.errors import Damaged
from scholar_indexes.models.registry import SPEAKERS, ModelFiles, expect
from scholar_indexes.types import (
    Attribution,
    Character,
    Progress,
    Quotation,
    QuoteKind,
    Span,
    silent,
)

Ensemble = Sequence[TurnScorer]
"""Scorers that were trained on different novels; their scores are averaged."""

WEIGHTS = "model.safetensors"

TENSOR_NAMES = {"unary": "suits", "transition": "follows"}
"""The names of a scorer's networks in a file of weights."""

NEAR = 6
"""The number of previous quotations searched for evidence of a speaker not named next to one."""

UNNAMED = "unnamed"
"""The kind of answers that are characters without a name, whatever the cue."""

Curve = Sequence[tuple[float, float]]
"""Probabilities of the model, ascending, with the share of such answers that are right."""


@dataclass(frozen=True, slots=True)
class Attributor:
    """A model: the ensemble of each round, and a calibration curve by kind of answer
    (calibration_kind)."""

    rounds: Sequence[Ensemble]
    curves: Mapping[str, Curve]

    def __call__(
        self,
        text: str,
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
        progress: Progress = silent,
    ) -> list[Attribution]:
        """Return one attribution for each quotation, with no speaker if it has no candidates."""
        return speeches.attribute_speeches(
            text,
            quotations,
            lambda whole_speeches: self._attribute(text, whole_speeches, cast, progress),
        )

    def _attribute(
        self,
        text: str,
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
        progress: Progress,
    ) -> list[Attribution]:
        sieve = Sieve(text, quotations, cast)
        sieve.run()
        book = features.BookFeatures(sieve)
        guesses = features.guess_by_rules(sieve)
        for number, scorers in enumerate(self.rounds):
            progress("attributing", number, len(self.rounds))
            guesses = linear_chain.decode(features.extract_features(book, guesses), scorers)
        progress("attributing", len(self.rounds), len(self.rounds))
        evidence = _find_evidence(sieve, guesses.speakers)
        attributions = []
        for number, (speaker, cue) in enumerate(zip(guesses.speakers, sieve.cues, strict=True)):
            if speaker < 0:
                attributions.append(Attribution(None, cue.kind, cue.span, 0.0))
                continue
            curve = self.curves.get(calibration_kind(cast[speaker], cue.kind), ())
            confidence = min(
                calibrate(guesses.probabilities[number], curve),
                book.presence.limit(number, speaker),
            )
            attributions.append(Attribution(cast[speaker], cue.kind, evidence[number], confidence))
        return attributions


def load(model: ModelFiles) -> Attributor:
    """Return the attributor of a model's files.

    Raises ConfigError for a model with another task, Damaged if its files cannot be loaded.
    """
    from safetensors.numpy import load_file

    expect(model, SPEAKERS)
    try:
        card = model.card()
        tensors = load_file(model.folder / WEIGHTS)
        rounds: list[Ensemble] = []
        while scorers := _load_ensemble(tensors, len(rounds)):
            rounds.append(scorers)
        if not rounds:
            raise ValueError("no networks")
        curves = {
            str(kind): [(float(x), float(y)) for x, y in curve]
            for kind, curve in card.get("calibration", {}).items()
        }
    except Exception as broken:
        raise Damaged(
            f"the model {model.name} cannot be loaded ({str(broken)[:120]}); "
            f"run: scholar models verify {model.name}"
        ) from broken
    return Attributor(rounds, curves)


def to_tensors(rounds: Sequence[Ensemble]) -> dict[str, Floats]:
    """Return the tensors of a model by the names that load() reads: round.member.network.layer."""
    return {
        f"{number}.{member}.{TENSOR_NAMES[name]}.{layer}.{part}": np.ascontiguousarray(
            values, np.float32
        )
        for number, scorers in enumerate(rounds)
        for member, scorer in enumerate(scorers)
        for name in NETWORKS
        for layer, pair in enumerate(getattr(scorer, name))
        for part, values in zip(("weight", "bias"), pair, strict=True)
    }


def _load_ensemble(tensors: Mapping[str, Floats], number: int) -> list[TurnScorer]:
    """Return the scorers of a round, none if the model has no such round."""
    scorers: list[TurnScorer] = []
    while any(name.startswith(f"{number}.{len(scorers)}.") for name in tensors):
        member = f"{number}.{len(scorers)}"
        networks = {
            name: _load_network(tensors, f"{member}.{TENSOR_NAMES[name]}", *sizes)
            for name, sizes in NETWORKS.items()
        }
        scorers.append(TurnScorer(**networks))
    return scorers


def _load_network(tensors: Mapping[str, Floats], name: str, width: int, out: int) -> Network:
    layers: list[tuple[Floats, Floats]] = []
    while f"{name}.{len(layers)}.weight" in tensors:
        layer = f"{name}.{len(layers)}"
        weight, bias = tensors[f"{layer}.weight"], tensors[f"{layer}.bias"]
        if weight.shape != (width, len(bias)):
            raise ValueError(f"layer {layer} has the wrong shape")
        layers.append((weight, bias))
        width = len(bias)
    if not layers or width != out:
        raise ValueError(f"network {name} has the wrong outputs")
    return layers


def calibration_kind(speaker: Character, kind: QuoteKind) -> str:
    """Return the name of the curve for an answer: the kind of its quotation, or UNNAMED."""
    return kind if speaker.aliases else UNNAMED


def calibrate(probability: float, curve: Curve) -> float:
    """Return the share of answers of this probability that are right, interpolated linearly."""
    if not curve:
        return probability
    xs, ys = zip(*curve, strict=True)
    return float(np.interp(probability, xs, ys))


def _find_evidence(sieve: Sieve, speakers: Sequence[int]) -> list[Span | None]:
    """Return for each quotation the words that show who speaks.

    These are its cue; or else the speaker's name in the quotation before or after, if addressed
    there; or else the nearest cue among the speaker's quotations in the NEAR before it.
    """
    vocatives = [_locate_vocatives(sieve, number) for number in range(len(speakers))]
    evidence: list[Span | None] = []
    for number, cue in enumerate(sieve.cues):
        span = cue.span
        for neighbour in (number - 1, number + 1):
            if span is None and 0 <= neighbour < len(speakers):
                span = vocatives[neighbour].get(speakers[number])
        for before in range(number - 1, max(-1, number - 1 - NEAR), -1):
            if span is None and speakers[before] == speakers[number]:
                span = sieve.cues[before].span
        evidence.append(span)
    return evidence


def _locate_vocatives(sieve: Sieve, number: int) -> dict[int, Span]:
    """Return the characters addressed by name in a quotation, with the spans of their names."""
    addressees = set(sieve.vocatives[number])
    if not addressees:
        return {}
    span = sieve.quotations[number].span
    first, end = (
        bisect_left(sieve.mentions, edge, key=lambda mention: mention.span.start)
        for edge in (span.start, span.end)
    )
    inside = reversed(sieve.mentions[first:end])
    return {
        mention.character: mention.span for mention in inside if mention.character in addressees
    }
