"""The settings, in order of precedence: flags, environment variables, file, defaults.

The file is config.toml in the configuration folder (see paths); the variable of a
setting is SCHOLAR_ and its name in capitals, such as SCHOLAR_MIRRORS, with commas
between several values.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from scholar_indexes import guarded
from scholar_indexes.errors import ConfigError

DEFAULT_MIRRORS = ("https://gutenberg.pglaf.org/", "https://aleph.pglaf.org/")
"""Mirrors in Gutenberg's standard layout; its own site asks programs to use these."""

DEFAULT_MODEL = "relic-minilm"
DEFAULT_RERANKER = "claims-minilm"
"""The packaged small model of the second stage."""

AUTO, THOROUGH, NO_RERANKER, LANGUAGE_MODEL = "auto", "thorough", "none", "llm"
"""The names of second stages that are not models (retrieval.rerankers.by_name)."""

DEFAULT_PAPERS_MODEL = "all-MiniLM-L6-v2"
DEFAULT_FACET_MODEL = "csfcube-facets"
OWN_FACET_MODEL = "own-facets"
"""The facet model of a build without the default one."""

DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. The type of a field is the type that its value must have.

    mirrors are base URLs in Gutenberg's standard layout; hub is where models are
    pulled from; model encodes books, and rerank re-ranks the best of their passages: the name of a
    model, "thorough" for the large one, "auto" for the large one if it is installed and fast on
    this machine, otherwise the small one, "none" for none, "llm" for the language model llm, on
    this machine or on llm_server; index is an S3 address for the passages of books, which are
    otherwise in the data folder; papers_model encodes papers, and facet_model labels their
    sentences; mailto is an email address, if given, that the services of papers may write to;
    pause_s is the least time between two files from one server; threads 0 means one per core;
    lock_wait_s is how long a writer waits for another process. The last four limit the load of
    `serve` and `mcp`: the requests computed at once (0 means one more than the number of cores) and
    waiting, the seconds that a request may wait and then be computed, and the bytes of its body.
    """

    mirrors: tuple[str, ...] = DEFAULT_MIRRORS
    hub: str = "https://huggingface.co"
    model: str = DEFAULT_MODEL
    rerank: str = AUTO
    llm: str = ""
    llm_server: str = ""
    index: str = ""
    papers_model: str = DEFAULT_PAPERS_MODEL
    facet_model: str = DEFAULT_FACET_MODEL
    device: str = "auto"
    offline: bool = False
    threads: int = 0
    pause_s: float = 2.0
    timeout_s: float = 30.0
    lock_wait_s: float = 600.0
    mailto: str = ""
    requests_at_once: int = 0
    requests_waiting: int = 64
    request_time_s: float = 300.0
    request_bytes: int = 4 << 20


def load(
    config: Path, environment: Mapping[str, str] | None = None, **flags: Any
) -> tuple[Settings, dict[str, str]]:
    """Return the settings in force, and for each the file, variable or flag that set it.

    flags that are None were not given. Raises ConfigError naming the file, variable or
    flag with an invalid value.
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
                raise ConfigError(
                    f"{where}: there is no setting {guarded.shown(name)}; choose from {names}"
                )
            settings = replace(settings, **{name: _as_type(name, value, where)})
            origin[name] = where
    if settings.device not in DEVICES:
        raise ConfigError(
            f"{origin['device']}: device is {settings.device!r}; choose one of {', '.join(DEVICES)}"
        )
    return settings, origin


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = guarded.read_text(path, guarded.MAX_SETTINGS_BYTES)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}; fix or remove it") from error
    try:
        return guarded.parse_toml(text)
    except ValueError as error:
        raise ConfigError(f"{path} cannot be read as TOML: {error}; fix or remove it") from error


def _as_type(name: str, value: Any, where: str) -> Any:
    """Return a value as the type of its setting; raises ConfigError naming `where` it was set."""
    kind = type(getattr(Settings(), name))
    parse, description = _TYPES[kind]
    try:
        return parse(value)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        shown = guarded.shown(value)
        raise ConfigError(f"{where}: {name} must be {description}, not {shown}") from None


def _parse_texts(value: Any) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise TypeError
    texts = tuple(item.strip() for item in items if item.strip())
    if not texts:
        raise ValueError
    return texts


def _parse_bool(value: Any) -> bool:
    return value if isinstance(value, bool) else _BOOLS[str(value).strip().lower()]


def _parse_number(kind: type[int] | type[float], value: Any) -> float:
    number = kind(value)
    is_exact = isinstance(value, str) or number == value
    if not is_exact or isinstance(value, bool) or not 0 <= number < math.inf:
        raise ValueError
    return number


def _parse_text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value.strip()


_BOOLS = {
    "1": True,
    "true": True,
    "yes": True,
    "0": False,
    "false": False,
    "no": False,
    "": False,
}

_TYPES: dict[type, tuple[Callable[[Any], Any], str]] = {
    tuple: (_parse_texts, "a list of strings"),
    bool: (_parse_bool, "true or false"),
    int: (partial(_parse_number, int), "a whole number, 0 or more"),
    float: (partial(_parse_number, float), "a number, 0 or more"),
    str: (_parse_text, "a string"),
}
"""The parser of each type of setting, and its description in messages."""
