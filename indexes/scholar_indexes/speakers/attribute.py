"""Who says each quotation, by the trained model: a pointer from quotations to names.

mentions -> script -> windows -> pointer -> decode -> calibrate -> [Attribution]
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scholar_indexes import onnx_encoder
from scholar_indexes.errors import Damaged
from scholar_indexes.models import SPEAKERS, ModelFiles, expect
from scholar_indexes.speakers import cues, decode, mentions
from scholar_indexes.speakers.cues import Cue
from scholar_indexes.speakers.decode import Floats, Run
from scholar_indexes.speakers.mentions import Mention
from scholar_indexes.speakers.script import STEPS, Script, Tokenize, Vocabulary
from scholar_indexes.types import (
    Attribution,
    Character,
    Progress,
    Quotation,
    QuoteKind,
    Span,
    silent,
)

TURNS = 6
"""Quotations back in which a speaker is looked for who is not named beside one."""

Curve = Sequence[tuple[float, float]]
"""Likelihoods of the model, rising, and how often such an answer is right."""


@dataclass(frozen=True, slots=True)
class Attributor:
    """A model that can be asked: what runs it, what a name gains by where it stands, what reads
    for it, and how sure it is."""

    run: Run
    near: Floats
    tokenize: Tokenize
    vocabulary: Vocabulary
    curves: Mapping[QuoteKind, Curve]

    def likelihoods(
        self,
        text: str,
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
        named: Sequence[Mention],
        progress: Progress = silent,
    ) -> Floats:
        """How likely each character says each quotation, (quotations, characters)."""
        script = Script(text, quotations, cast, named, self.tokenize, self.vocabulary)
        return decode.speakers(script, len(quotations), self.run, self.near, progress=progress)

    def __call__(
        self,
        text: str,
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
        progress: Progress = silent,
    ) -> list[Attribution]:
        """One attribution for each quotation; the speaker is None where nobody is near."""
        named = mentions.find(text, cast)
        chances = self.likelihoods(text, quotations, cast, named, progress)
        said_by = cues.find(text, quotations, cast, named)
        who = [int(row.argmax()) if row.any() else -1 for row in chances]
        evidence = _evidence(text, quotations, named, said_by, who)
        return [
            Attribution(cast[best], cue.kind, span, self._confidence(cue.kind, float(row[best])))
            if best >= 0
            else Attribution(None, cue.kind, cue.span, 0.0)
            for best, cue, span, row in zip(who, said_by, evidence, chances, strict=True)
        ]

    def _confidence(self, kind: QuoteKind, likelihood: float) -> float:
        return calibrated(likelihood, self.curves.get(kind, ()))


def _evidence(
    text: str,
    quotations: Sequence[Quotation],
    named: Sequence[Mention],
    said_by: Sequence[Cue],
    who: Sequence[int],
) -> list[Span | None]:
    """What says who speaks: the words beside a quotation, or else where the speaker is called
    by name in the turn before or after, or is said to speak within TURNS before."""
    called = [_called(text, each, named) for each in quotations]
    found: list[Span | None] = []
    for at, cue in enumerate(said_by):
        span = cue.span
        for near in (at - 1, at + 1):
            if span is None and 0 <= near < len(quotations):
                span = called[near].get(who[at])
        for before in range(at - 1, max(-1, at - 1 - TURNS), -1):
            if span is None and who[before] == who[at]:
                span = said_by[before].span
        found.append(span)
    return found


def _called(text: str, quotation: Quotation, named: Sequence[Mention]) -> dict[int, Span]:
    """Who is addressed by name in a quotation, and where."""
    first = bisect_left(named, quotation.span.start, key=lambda each: each.span.start)
    end = bisect_left(named, quotation.span.end, key=lambda each: each.span.start)
    inside = named[first:end]
    addressed = set(cues.vocatives(text, quotation, inside)) if inside else set()
    return {each.who: each.span for each in reversed(inside) if each.who in addressed}


def load(model: ModelFiles, threads: int = 0) -> Attributor:
    """The attributor of an exported model.

    Raises ConfigError for a model that is for something else, Damaged when its files
    cannot be loaded.
    """
    expect(model, SPEAKERS)
    session, tokenizer = onnx_encoder.opened(model, threads)

    def run(ids: Any, mask: Any) -> tuple[Floats, Floats]:
        asks, offers = session.run(None, {"input_ids": ids, "attention_mask": mask})
        return asks, offers

    def tokenize(texts: Sequence[str]) -> list[list[int]]:
        found = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [each.ids for each in found]

    try:
        card = json.loads((model.folder / "card.json").read_text("utf-8"))
        curves = {
            QuoteKind(kind): [(float(x), float(y)) for x, y in curve]
            for kind, curve in card.get("calibration", {}).items()
        }
        config = json.loads((model.folder / "config.json").read_text("utf-8"))
        near = np.array(config["near"], np.float32)
        if near.shape != (STEPS,):
            raise ValueError("its distances are others")
        first, last = (int(tokenizer.token_to_id(mark)) for mark in ("[CLS]", "[SEP]"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as broken:
        raise Damaged(
            f"the model {model.name} is not as its training writes it ({broken}); "
            f"run: scholar models verify {model.name}"
        ) from broken
    return Attributor(
        run, near, tokenize, Vocabulary(first, last, tokenizer.get_vocab_size()), curves
    )


def calibrated(likelihood: float, curve: Curve) -> float:
    """How often an answer of this likelihood is right, by straight lines between points."""
    if not curve:
        return likelihood
    xs, ys = zip(*curve, strict=True)
    return float(np.interp(likelihood, xs, ys))
