"""The kept inputs of each target: an archive of inputs of the fuzzer, and past findings.

corpus/TARGET/inputs.tar.xz    inputs that together cover every line that any input covered
findings/TARGET/NAME           inputs that exposed faults since fixed, named after the fault
"""

from __future__ import annotations

import io
import re
import sys
import tarfile
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from targets import Target, run

FOLDER = Path(__file__).parent
CORPUS, FINDINGS = FOLDER / "corpus", FOLDER / "findings"
INPUTS = "inputs.tar.xz"
PACKAGES = ("scholar_indexes", "scholar_cli")

Line = tuple[CodeType, int, int]


def slug(name: str) -> str:
    """Return the folder name of a target."""
    return re.sub(r"\W+", "-", name)


def kept_inputs(name: str) -> list[bytes]:
    """Return the kept inputs of a target; none if it was never run."""
    path = CORPUS / slug(name) / INPUTS
    if not path.exists():
        return []
    with tarfile.open(path) as archive:
        files = [archive.extractfile(member) for member in archive]
        return [file.read() for file in files if file is not None]


def findings(name: str) -> list[Path]:
    """Return the files of the past findings of a target."""
    return sorted((FINDINGS / slug(name)).glob("*"))


def keep(name: str, inputs: Iterable[bytes], max_bytes: int) -> int:
    """Keep the first inputs of a target that fit into `max_bytes`; return their number."""
    path = CORPUS / slug(name) / INPUTS
    chosen = list(inputs)
    while len(packed := _pack(chosen)) > max_bytes and len(chosen) > 1:
        del chosen[int(len(chosen) * 0.9) :]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed)
    return len(chosen)


def _pack(inputs: Iterable[bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz", preset=9, format=tarfile.USTAR_FORMAT) as tar:
        for data in inputs:
            member = tarfile.TarInfo(sha256(data).hexdigest()[:8])
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def smallest_cover(target: Target, inputs: Collection[bytes]) -> Iterator[bytes]:
    """Yield, shortest first, the inputs that run a line-to-line step that no earlier one ran.

    Inputs that are findings are skipped.
    """
    known: set[Line] = set()
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        try:
            steps = _run_traced(target, data)
        except Exception:
            continue
        if not steps <= known:
            known |= steps
            yield data


def _run_traced(target: Target, data: bytes) -> set[Line]:
    """Return the line-to-line steps in the packages of scholar that an input runs."""
    steps: set[Line] = set()
    last: dict[FrameType, int] = {}

    def trace_lines(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            steps.add((frame.f_code, last.get(frame, 0), frame.f_lineno))
            last[frame] = frame.f_lineno
        elif event == "return":
            last.pop(frame, None)
        return trace_lines

    def trace_calls(frame: FrameType, event: str, _: Any) -> Any:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        return trace_lines if package in PACKAGES else None

    sys.settrace(trace_calls)
    try:
        run(target, data)
    finally:
        sys.settrace(None)
    return steps
