"""The telemetry, usage statistics and update checks of dependencies, all switched off.

`import scholar_indexes` calls `switch_off`, and the packages of the command line and of the screen
import it first. So it comes before any dependency, in every process: commands, screens, servers,
programs that use the library, the processes that these start, and the nodes of a Ray cluster.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Switch(NamedTuple):
    """An environment variable that switches something off, and what that is."""

    variable: str
    value: str
    package: str
    reason: str


SWITCHES = (
    Switch(
        "ORT_DISABLE_TELEMETRY",
        "1",
        "onnxruntime",
        "Since 1.29 it keeps an id of the machine and a queue of events in ~/.cache, and sends "
        "them 8 s after the import. Once it is imported, no function of its own stops it.",
    ),
    Switch(
        "ORT_TELEMETRY_DISABLED",
        "1",
        "onnxruntime",
        "The same, by the name that the variable had in development.",
    ),
    Switch(
        "HF_HUB_DISABLE_TELEMETRY",
        "1",
        "huggingface_hub, transformers, hf_xet",
        "Requests to the hub name the versions of the machine, and transfers are reported.",
    ),
    Switch(
        "HF_XET_TELEMETRY_ENABLED", "0", "hf_xet", "The same of transfers, by its own variable."
    ),
    Switch(
        "HF_HUB_DISABLE_UPDATE_CHECK",
        "1",
        "huggingface_hub",
        "It asks the package index for newer versions.",
    ),
    Switch(
        "DISABLE_SAFETENSORS_CONVERSION",
        "1",
        "transformers",
        "It asks a service to convert models of the hub that have no safetensors.",
    ),
    Switch(
        "FASTAPI_OTEL_AUTO_CONFIGURE",
        "false",
        "fastapi",
        "Where this is set, it exports traces of all requests.",
    ),
    Switch(
        "OTEL_SDK_DISABLED",
        "true",
        "fastapi, starlette, mcp, lancedb",
        "They record traces or metrics for an OpenTelemetry SDK, which exports them.",
    ),
    Switch(
        "ARROW_TRACING_BACKEND",
        "",
        "pyarrow",
        "Where this is set, it exports traces, and does not heed OTEL_SDK_DISABLED.",
    ),
    Switch("ARROW_LOGGING_BACKEND", "", "pyarrow", "The same of its log."),
    Switch(
        "RAY_USAGE_STATS_ENABLED",
        "0",
        "ray",
        "The clusters that it starts send usage statistics every hour.",
    ),
    Switch(
        "DO_NOT_TRACK",
        "1",
        "any",
        "What a later version or another package may heed; huggingface_hub and hf_xet do.",
    ),
)
"""The switches, each with what its dependency does by itself or if the variable is set otherwise.

Looked through and found to do nothing of the kind: aiohttp, bibtexparser, filelock, fsrs, genanki,
lance_ray, pylance, pypdfium2, python-docx, sentence-transformers (its trainer aside, which is not
used), spacy, textual, textual-serve, tokenizers, torch, typer, urllib3, uvicorn, watchfiles.
"""


def switch_off() -> None:
    """Set the variables of all switches, whatever value they had: nothing leaves the machine
    because a variable was set for another program."""
    for switch in SWITCHES:
        os.environ[switch.variable] = switch.value


def disable_events(onnxruntime: Any) -> None:
    """Switch off the events of an imported ONNX Runtime, whose build for Windows heeds no
    variable."""
    if disable := getattr(onnxruntime, "disable_telemetry_events", None):
        disable()
