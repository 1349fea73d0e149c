"""The choice of `auto`: the large model if it is installed, with as many passages as it reads
quickly on this machine; the small model if these are too few."""

from __future__ import annotations

import json
import platform
from typing import TYPE_CHECKING

from scholar_indexes.errors import Damaged
from scholar_indexes.guarded import read_json
from scholar_indexes.retrieval.rerankers import cross_encoders
from scholar_indexes.retrieval.rerankers.resources import Clocks, Resources
from scholar_indexes.retrieval.second_stage import PassageInContext, Reranker
from scholar_indexes.settings import DEFAULT_RERANKER

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles

MOST_SECONDS = 1.5
"""The time that the large model may take for the passages of a claim."""

FEWEST = 12
"""The fewest passages for which the large model is used: docs/ranking.md."""

SAMPLE_CLAIM = "she is ashamed of the house that she grew up in"
SAMPLE = PassageInContext(
    "It was a small brown house at the end of the lane, and the rain came in at two places. ",
    "When the carriage stopped before the door she looked the other way, and said to her friends "
    "that somebody who used to work for her father lived there, and that they had better drive on "
    "before the horses took cold. Nobody answered her.",
    "Her mother stood at the window with the candle in her hand until they had gone.",
)
"""A pair of the usual length, with which the speed of a machine is measured."""

SAMPLES = 4

LEAST_SHARE = 0.7
"""The least share of its cores that a process uses on a machine that does nothing else: at the
start and the end of the samples not every thread has work."""


def load(resources: Resources) -> Reranker:
    """Return the model that ranks; a large model that is damaged is announced."""
    model = cross_encoders.find_thorough(resources)
    seconds = _kept_seconds(resources, model) if model else None
    if model and (seconds is None or _readable(seconds) >= FEWEST):
        try:
            reranker = cross_encoders.load_files(resources, model)
            if seconds is None:
                seconds = _measure(resources, model, reranker)
            if _readable(seconds) >= FEWEST:
                reranker.depth = min(reranker.depth, _readable(seconds))
                return reranker
        except Damaged as damage:
            resources.announce(f"{damage}; using the small model instead")
    return cross_encoders.load(resources, DEFAULT_RERANKER)


def model_name(resources: Resources) -> str:
    """Return the name of the model that ranks, the small one before the large one is measured."""
    model = cross_encoders.find_thorough(resources)
    seconds = _kept_seconds(resources, model) if model else None
    is_quick = seconds is not None and _readable(seconds) >= FEWEST
    return cross_encoders.THOROUGH_MODEL if is_quick else DEFAULT_RERANKER


def _kept_seconds(resources: Resources, model: ModelFiles) -> float | None:
    """Return the seconds that a model takes for a passage on this machine; None if that was not
    measured."""
    return _kept_speeds(resources).get(_key(resources, model))


def _measure(resources: Resources, model: ModelFiles, reranker: Reranker) -> float:
    """Return the seconds that a model takes for a passage; keep them unless other programs used the
    processor meanwhile, so that a busy moment does not decide for good."""
    reranker.score(SAMPLE_CLAIM, [SAMPLE])  # the first pair takes longer
    before = resources.clocks()
    reranker.score(SAMPLE_CLAIM, [SAMPLE] * SAMPLES)
    after = resources.clocks()
    taken = Clocks(after.passed - before.passed, after.worked - before.worked)
    seconds = taken.passed / SAMPLES
    if _is_undisturbed(resources, taken):
        _keep(resources, model, seconds)
    return seconds


def _is_undisturbed(resources: Resources, taken: Clocks) -> bool:
    """Return True if the samples had their cores to themselves; on a graphics card, always."""
    if resources.settings.device not in ("auto", "cpu"):
        return True
    rounds = -(-SAMPLES // _count_threads(resources))
    return taken.worked >= LEAST_SHARE * taken.passed * SAMPLES / rounds


def _keep(resources: Resources, model: ModelFiles, seconds: float) -> None:
    from scholar_indexes.storage import atomic

    path = resources.paths.speeds
    speeds = {**_kept_speeds(resources), _key(resources, model): round(seconds, 4)}
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_text(path, json.dumps(speeds, indent=1) + "\n")


def _kept_speeds(resources: Resources) -> dict[str, float]:
    try:
        speeds = read_json(resources.paths.speeds)
        return {str(key): float(seconds) for key, seconds in speeds.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _key(resources: Resources, model: ModelFiles) -> str:
    """Return the key for the seconds that a model takes for a passage on this machine with its
    current settings."""
    threads = _count_threads(resources)
    machine = f"{platform.machine()} {platform.node()}"
    # Earlier versions also kept measurements of busy machines, under ", a passage".
    return f"{model.space} {resources.settings.device} {threads} threads {machine}, undisturbed"


def _count_threads(resources: Resources) -> int:
    from scholar_indexes.models.processor import count_cores

    return resources.settings.threads or count_cores()


def _readable(seconds: float) -> int:
    """Return how many passages can be read if each takes this many seconds."""
    return int(MOST_SECONDS / max(seconds, 1e-6))
