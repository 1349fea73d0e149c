"""The telemetry, usage statistics and update checks of dependencies, all switched off.

`import scholar_indexes` calls `switch_off`, and the packages of the command line and of the screen
import it first. So it runs before any dependency is imported, in every process: commands, screens,
servers, programs that use the library, the processes that these start, and the nodes of a Ray
cluster.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Switch(NamedTuple):
    """An environment variable that switches off a feature of a package, and the reason."""

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
        "them 8 s after the import. Once it is imported, none of its functions stops that.",
    ),
    Switch(
        "ORT_TELEMETRY_DISABLED",
        "1",
        "onnxruntime",
        "The same, under the name that the variable had in development.",
    ),
    Switch(
        "HF_HUB_DISABLE_TELEMETRY",
        "1",
        "huggingface_hub, transformers, hf_xet",
        "Requests to the hub state the versions on the machine, and transfers are reported.",
    ),
    Switch(
        "HF_XET_TELEMETRY_ENABLED", "0", "hf_xet", "The same for transfers, by its own variable."
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
        "It asks a service to convert models on the hub that have no safetensors.",
    ),
    Switch(
        "FASTAPI_OTEL_AUTO_CONFIGURE",
        "false",
        "fastapi",
        "If this is set, it exports traces of all requests.",
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
        "If this is set, it exports traces, and ignores OTEL_SDK_DISABLED.",
    ),
    Switch("ARROW_LOGGING_BACKEND", "", "pyarrow", "The same for its log."),
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
        "A later version or another package may respect it; huggingface_hub and hf_xet do.",
    ),
)
"""The switches, each with what its dependency does by default, or with another value.

Checked and found to do nothing of the kind: aiohttp, bibtexparser, filelock, fsrs, genanki,
lance_ray, pylance, pypdfium2, python-docx, sentence-transformers (except its trainer, which is not
used), spacy, textual, textual-serve, tokenizers, torch, typer, urllib3, uvicorn, watchfiles.
"""


def switch_off() -> None:
    """Set the variables of all switches, whatever value they had: nothing leaves the machine
    because a variable was set for another program."""
    for switch in SWITCHES:
        os.environ[switch.variable] = switch.value


def disable_events(onnxruntime: Any) -> None:
    """Switch off the events of an imported ONNX Runtime, whose Windows build ignores the
    variables."""
    if disable := getattr(onnxruntime, "disable_telemetry_events", None):
        disable()
