"""ONNX Runtime restricted to AVX2 on a processor that has AVX-512 and VNNI.

`build` copies the package, and replaces each cpuid instruction of the copy with a breakpoint that
older_processor.c handles. The copy then chooses the kernels of an older processor.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import struct
import subprocess
from pathlib import Path

CPUID, BREAKPOINT = b"\x0f\xa2", b"\xcc\x90"
_CPUID_LINE = re.compile(r"^\s*([0-9a-f]+):\s+cpuid", re.MULTILINE)
_LOADED = 1
"""The type of loadable segments in an ELF file (PT_LOAD)."""


def build(folder: Path) -> dict[str, str]:
    """Build it in a folder; return the environment variables that make Python use it.

    Needs a C compiler, objdump, and Linux on x86-64.
    """
    spec = importlib.util.find_spec("onnxruntime")
    assert spec is not None
    assert spec.origin is not None
    package = folder / "onnxruntime"
    shutil.copytree(Path(spec.origin).parent, package)
    (library,) = (package / "capi").glob("onnxruntime_pybind11_state*.so")
    _replace_cpuid(library)
    answering = folder / "older_processor.so"
    source = Path(__file__).with_suffix(".c")
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(answering), str(source)]
    subprocess.run(command, check=True)
    return {"PYTHONPATH": str(folder), "LD_PRELOAD": str(answering)}


def _replace_cpuid(library: Path) -> None:
    code = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", str(library)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    content = bytearray(library.read_bytes())
    segments = _segments(content)
    for match in _CPUID_LINE.finditer(code):
        address = int(match[1], 16)
        offset = next(
            offset + address - start
            for start, offset, size in segments
            if start <= address < start + size
        )
        assert content[offset : offset + 2] == CPUID
        content[offset : offset + 2] = BREAKPOINT
    library.write_bytes(content)


def _segments(content: bytes | bytearray) -> list[tuple[int, int, int]]:
    """Return the address, the offset and the size of each loadable segment of an ELF file."""
    (table,) = struct.unpack_from("<Q", content, 32)
    (count,) = struct.unpack_from("<H", content, 56)
    headers = (struct.unpack_from("<IIQQQQ", content, table + 56 * row) for row in range(count))
    return [
        (address, offset, size) for kind, _, offset, address, _, size in headers if kind == _LOADED
    ]
