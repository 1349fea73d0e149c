"""What a person may set, and in which order it counts: flags, environment, file, defaults.

The file is config.toml in the configuration folder (see places); the variable of a
setting is its name in capitals behind SCHOLAR_, so mirrors is SCHOLAR_MIRRORS, with
commas between several values.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from scholar_indexes.errors import ConfigError

DEFAULT_MIRRORS = ("https://gutenberg.pglaf.org/", "https://aleph.pglaf.org/")
"""Mirrors in Gutenberg's standard layout; its own site asks programs to use these."""

DEFAULT_MODEL = "relic-minilm"
DEFAULT_PAPERS_MODEL = "all-MiniLM-L6-v2"
DEFAULT_FACET_MODEL = "csfcube-facets"
DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. A field's type is what its value must be.

    mirrors are base URLs in Gutenberg's standard layout; hub is where models are
    pulled from; model encodes books, papers_model papers, and facet_model labels their
    sentences; mailto is an address that the services papers come from may write to, if one is
    given; pause_s is the least time between two files from one server; threads 0 means one per
    core; lock_wait_s is how long a writer waits for another.
    """

    mirrors: tuple[str, ...] = DEFAULT_MIRRORS
    hub: str = "https://huggingface.co"
    model: str = DEFAULT_MODEL
    papers_model: str = DEFAULT_PAPERS_MODEL
    facet_model: str = DEFAULT_FACET_MODEL
    device: str = "auto"
    offline: bool = False
    threads: int = 0
    pause_s: float = 2.0
    timeout_s: float = 30.0
    lock_wait_s: float = 600.0
    mailto: str = ""


def load(
    config: Path, environment: Mapping[str, str] | None = None, **flags: Any
) -> tuple[Settings, dict[str, str]]:
    """The settings in force, and for each the place it was set.

    flags that are None were not given. Raises ConfigError naming the file, variable or
    flag whose value cannot be used.
    """
    environment = os.environ if environment is None else environment
    settings = Settings()
    origin = dict.fromkeys(asdict(settings), "default")

    layers: list[tuple[str, Mapping[str, Any]]] = [(str(config), _from_file(config))]
    known = {field.name for field in fields(Settings)}
    variables = {name: f"SCHOLAR_{name.upper()}" for name in known}
    for name, variable in variables.items():
        if variable in environment:
            layers.append((variable, {name: environment[variable]}))
    layers.append(("flag", {name: value for name, value in flags.items() if value is not None}))

    for where, values in layers:
        for name, value in values.items():
            if name not in known:
                names = ", ".join(sorted(known))
                raise ConfigError(f"{where}: there is no setting {name!r}; there are {names}")
            settings = replace(settings, **{name: _as_type(name, value, where)})
            origin[name] = where
    if settings.device not in DEVICES:
        raise ConfigError(
            f"{origin['device']}: device is {settings.device!r}; choose one of {', '.join(DEVICES)}"
        )
    return settings, origin


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8-sig")  # some editors begin a file with a byte order mark
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as broken:
        raise ConfigError(f"{path} cannot be read: {broken}; mend or remove it") from broken
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as broken:
        raise ConfigError(f"{path} cannot be read as TOML: {broken}; mend or remove it") from broken


def _as_type(name: str, value: Any, where: str) -> Any:
    default = getattr(Settings(), name)
    try:
        if isinstance(default, tuple):
            items = value.split(",") if isinstance(value, str) else value
            if not isinstance(items, (list, tuple)):
                raise ValueError
            if texts := tuple(item.strip() for item in items if item.strip()):
                return texts
            raise ValueError
        if isinstance(default, bool):
            if isinstance(value, bool):
                return value
            return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False,
                    "": False}[str(value).strip().lower()]  # fmt: skip
        if isinstance(default, (int, float)):
            number = type(default)(value)
            exact = isinstance(value, str) or number == value
            if not exact or isinstance(value, bool) or not 0 <= number < math.inf:
                raise ValueError
            return number
        if not isinstance(value, str) or not value.strip():
            raise ValueError
        return value.strip()
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        kind = {tuple: "a list of texts", bool: "true or false", int: "a whole number, 0 or more",
                float: "a number, 0 or more", str: "a text"}[type(default)]  # fmt: skip
        raise ConfigError(f"{where}: {name} must be {kind}, not {value!r}") from None
