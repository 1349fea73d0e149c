"""The second stages that a search can use, by name; each is loaded once.

`thorough` is the model of the distribution scholar-thorough. `auto` is that model if it is
installed, with as many passages as it reads quickly on this machine, and the packaged small model
if these are too few.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.guarded import read_json
from scholar_indexes.paths import Paths
from scholar_indexes.retrieval.second_stage import PassageInContext, Reranker
from scholar_indexes.settings import (
    AUTO,
    DEFAULT_RERANKER,
    LANGUAGE_MODEL,
    NO_RERANKER,
    THOROUGH,
    Settings,
)

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles

THOROUGH_MODEL = "thorough-mpnet"
"""The model that `thorough` names."""

MOST_SECONDS = 1.5
"""The time that `auto` allows the thorough model for the passages of a claim."""

FEWEST = 12
"""The fewest passages for which `auto` uses the thorough model: docs/ranking.md."""

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


class Rerankers:
    """The second stages of a library."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        announce: Callable[[str], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`clock` returns seconds, to measure the speed of this machine."""
        self._paths = paths
        self._settings = settings
        self._announce = announce
        self._clock = clock
        self._loaded: dict[str, Reranker | None] = {}

    def get(self, name: str | None = None) -> Reranker | None:
        """Return the second stage of a name (default: from the settings); None for "none".

        Raises NotThere for a model that is not on this machine, ConfigError for a model with
        another purpose and for `thorough` if it is not installed, and Damaged.
        """
        name = name or self._settings.rerank
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def model_name(self) -> str:
        """Return the name of the model that ranks by the settings, as far as it is known without
        loading one."""
        name = self._settings.rerank
        if name == THOROUGH:
            return THOROUGH_MODEL
        if name == AUTO:
            model = self._thorough()
            seconds = self._known_seconds(model) if model else None
            is_quick = seconds is not None and _readable(seconds) >= FEWEST
            return THOROUGH_MODEL if is_quick else DEFAULT_RERANKER
        return name

    def _load(self, name: str) -> Reranker | None:
        if name == NO_RERANKER:
            return None
        if name == LANGUAGE_MODEL:
            return self._language_model()
        if name == AUTO:
            return self._quickest_best()
        if name == THOROUGH:
            model = self._thorough()
            if model is None:
                raise ConfigError(
                    "thorough is in a separate package; run: pip install scholar-thorough "
                    "(in a checkout: pip install ./indexes/scholar_thorough)"
                )
            return self._open(model)
        from scholar_indexes.models import registry

        return self._open(registry.find(name, self._paths.models))

    def _open(self, model: ModelFiles) -> Reranker:
        from scholar_indexes.models import engines

        return engines.load_reranker(model, self._settings.device, self._settings.threads)

    def _thorough(self) -> ModelFiles | None:
        """Return the model of `thorough`; None if it is not installed."""
        from scholar_indexes.models import registry

        models = registry.installed(self._paths.models)
        return next((model for model in models if model.name == THOROUGH_MODEL), None)

    def _quickest_best(self) -> Reranker | None:
        model = self._thorough()
        seconds = self._known_seconds(model) if model else None
        if model and (seconds is None or _readable(seconds) >= FEWEST):
            try:
                reranker = self._open(model)
                if seconds is None:
                    seconds = self._measure(model, reranker)
                if _readable(seconds) >= FEWEST:
                    reranker.depth = min(reranker.depth, _readable(seconds))
                    return reranker
            except Damaged as damage:
                self._announce(f"{damage}; using the small model instead")
        return self.get(DEFAULT_RERANKER)

    def _known_seconds(self, model: ModelFiles) -> float | None:
        """Return the seconds that a model takes for a passage on this machine; None if that was not
        measured."""
        return self._kept_speeds().get(self._key(model))

    def _measure(self, model: ModelFiles, reranker: Reranker) -> float:
        """Return the seconds that a model takes for a passage, and keep them."""
        from scholar_indexes.storage import atomic

        reranker.score(SAMPLE_CLAIM, [SAMPLE])  # the first pair takes longer
        start = self._clock()
        reranker.score(SAMPLE_CLAIM, [SAMPLE] * SAMPLES)
        seconds = (self._clock() - start) / SAMPLES
        speeds = {**self._kept_speeds(), self._key(model): round(seconds, 4)}
        self._paths.speeds.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(self._paths.speeds, json.dumps(speeds, indent=1) + "\n")
        return seconds

    def _kept_speeds(self) -> dict[str, float]:
        try:
            speeds = read_json(self._paths.speeds)
            return {str(key): float(seconds) for key, seconds in speeds.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _key(self, model: ModelFiles) -> str:
        """Return the key for the seconds that a model takes for a passage on this machine with its
        current settings."""
        from scholar_indexes.models.processor import count_cores

        threads = self._settings.threads or count_cores()
        machine = f"{platform.machine()} {platform.node()}"
        return f"{model.space} {self._settings.device} {threads} threads {machine}, a passage"

    def _language_model(self) -> Reranker:
        from scholar_indexes.llm.answer_cache import AnswerCache
        from scholar_indexes.llm.backends import choose_backend
        from scholar_indexes.retrieval.listwise import ListwiseReranker

        backend = choose_backend(
            self._settings.llm or None,
            self._settings.llm_server or None,
            api_key=os.environ.get("SCHOLAR_API_KEY"),
            device=self._settings.device,
        )
        return ListwiseReranker(backend, AnswerCache(self._paths.rankings), self._announce)


def _readable(seconds: float) -> int:
    """Return how many passages can be read if each takes this many seconds."""
    return int(MOST_SECONDS / max(seconds, 1e-6))
