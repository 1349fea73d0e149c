"""The names of the solver's features and their weights.

`scholar-lab train characters` fitted the weights on the description banks of eight novels;
weights.json contains them with the settings, data and scores of that training.
"""

from __future__ import annotations

import json
from importlib import resources

BASE_FEATURES = (
    "mix near",
    "mix meant",
    "mix says",
    "words near",
    "words meant",
    "words says",
    "late named",
    "share of mix",
    "late sum",
    "best place",
    "profile meant",
    "profile says",
    "gender",
)
"""Features of a description by itself, which are also used to resolve embedded descriptions."""

PAIR_FEATURES = ("mix with others", "late with others", "mix beyond chance", "late beyond chance")

FEATURES = (
    *BASE_FEATURES,
    *PAIR_FEATURES,
    "together",
    "not the other",
    "outer mix near",
    "outer late named",
    "outer profile",
    "outer mix with others",
    "outer mix beyond chance",
    *(f"{name}, described" for name in BASE_FEATURES),
    "called so",
    "called so by tokens",
)
"""All features; features of other characters in the description are 0 if there are none."""

_FITTED = json.loads((resources.files(__package__) / "weights.json").read_text("utf-8"))

BASE_WEIGHTS: tuple[float, ...] = tuple(_FITTED["weights alone"][name] for name in BASE_FEATURES)
WEIGHTS: tuple[float, ...] = tuple(_FITTED["weights"][name] for name in FEATURES)
