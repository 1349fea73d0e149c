"""Who says each quotation, by the trained model: small networks that weigh the evidence.

    sieve -> guesses -> (features -> judges -> chain of turns -> guesses) x rounds -> calibrate

The judges say how well each candidate suits and how turns follow one another; the chain
decides all turns of the book together. Each round looks at the book again with better guesses
at who says what else (auto-context, Tu and Bai 2010).
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scholar_indexes.errors import Damaged
from scholar_indexes.models import SPEAKERS, ModelFiles, expect
from scholar_indexes.speakers import features, speeches, turns
from scholar_indexes.speakers.sieve import Sieve
from scholar_indexes.speakers.turns import SHAPES, Floats, Judge, Network
from scholar_indexes.types import (
    Attribution,
    Character,
    Progress,
    Quotation,
    QuoteKind,
    Span,
    silent,
)

Ensemble = Sequence[Judge]
"""Judges that were trained on different novels; what they say is averaged."""

WEIGHTS = "model.safetensors"

NEAR = 6
"""Quotations back in which a speaker is looked for who is not named beside one."""

Curve = Sequence[tuple[float, float]]
"""Likelihoods of the model, rising, and how often such an answer is right."""


@dataclass(frozen=True, slots=True)
class Attributor:
    """A model that can be asked: judges for each round, and how sure it is by kind."""

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
        return speeches.answered(
            text, quotations, lambda whole: self._of(text, whole, cast, progress)
        )

    def _of(
        self,
        text: str,
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
        progress: Progress,
    ) -> list[Attribution]:
        sieve = Sieve(text, quotations, cast)
        sieve.run()
        book = features.Book(sieve)
        guesses = features.first_guesses(sieve)
        for done, judges in enumerate(self.rounds):
            progress("attributing", done, len(self.rounds))
            guesses = turns.guessed(features.rows(book, guesses), judges)
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
        while judges := _ensemble(tensors, len(rounds)):
            rounds.append(judges)
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
    """The tensors of a model by the names that load() knows: round.member.network.layer."""
    return {
        f"{number}.{member}.{name}.{layer}.{part}": np.ascontiguousarray(values, np.float32)
        for number, judges in enumerate(rounds)
        for member, judge in enumerate(judges)
        for name in SHAPES
        for layer, pair in enumerate(getattr(judge, name))
        for part, values in zip(("weight", "bias"), pair, strict=True)
    }


def _ensemble(tensors: Mapping[str, Floats], number: int) -> list[Judge]:
    judges: list[Judge] = []
    while any(each.startswith(f"{number}.{len(judges)}.") for each in tensors):
        member = f"{number}.{len(judges)}"
        judges.append(
            Judge(**{name: _network(tensors, f"{member}.{name}", *SHAPES[name]) for name in SHAPES})
        )
    return judges


def _network(tensors: Mapping[str, Floats], name: str, width: int, out: int) -> Network:
    layers: list[tuple[Floats, Floats]] = []
    while f"{name}.{len(layers)}.weight" in tensors:
        layer = f"{name}.{len(layers)}"
        weight, bias = tensors[f"{layer}.weight"], tensors[f"{layer}.bias"]
        if weight.shape != (width, len(bias)):
            raise ValueError(f"layer {layer} has another shape")
        layers.append((weight, bias))
        width = len(bias)
    if not layers or width != out:
        raise ValueError(f"network {name} gives no score")
    return layers


def calibrated(likelihood: float, curve: Curve) -> float:
    """How often an answer of this likelihood is right, by straight lines between points."""
    if not curve:
        return likelihood
    xs, ys = zip(*curve, strict=True)
    return float(np.interp(likelihood, xs, ys))


def _evidence(sieve: Sieve, who: Sequence[int]) -> list[Span | None]:
    """What says who speaks: the words beside a quotation, or else where the speaker is called
    by name in the turn before or after, or is said to speak within NEAR before."""
    called = [_called(sieve, number) for number in range(len(who))]
    found: list[Span | None] = []
    for at, cue in enumerate(sieve.cues):
        span = cue.span
        for near in (at - 1, at + 1):
            if span is None and 0 <= near < len(who):
                span = called[near].get(who[at])
        for before in range(at - 1, max(-1, at - 1 - NEAR), -1):
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
