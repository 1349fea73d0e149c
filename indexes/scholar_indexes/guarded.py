"""Reading of untrusted files, and of JSON, TOML and YAML, within limits.

The parsers of the standard library accept text of any size, NaN, numbers without bounds and
repeated names, and raise RecursionError for deep nesting. The functions here raise ValueError for
unusable input, with a one-line reason that completes "the file cannot be read (...)".
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import select
import stat
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, TypeVar

MAX_BYTES = 64 << 20
"""The largest file or text that is parsed, unless the caller sets another limit."""

MAX_SETTINGS_BYTES = 1 << 20
"""The largest settings file, and the largest model card."""

MAX_DIGITS = 300
"""The most digits of an integer; a float can hold it."""

MAX_KEY_PARTS = 16
"""The most parts of a dotted TOML key."""

TOO_DEEP = "it is nested too deeply"
TOO_LONG = "it has a number that is too long"
NOT_TEXT = "it is not UTF-8 text"

MAX_SILENCE_S = 60.0
"""Seconds to wait for more data from a pipe."""

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags of open that do not wait for a process to write to a pipe."""

_MARK = "\ufeff"
_TOML_KEY = re.compile(r"(?m)^[ \t]*(?:\[[^\n]*|[^\n=]*(?==))")
_CONTROLS = re.compile(r"[^\x20-\x7e]")

T = TypeVar("T")


class TooLarge(ValueError):
    """A file or text that is too large to read."""


class NotAFile(OSError):
    """A folder, a device, a socket, or a pipe that delivers no data."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(errno.EINVAL, why, str(path))

    def __str__(self) -> str:
        return str(self.strerror)


def remedy(error: OSError) -> str:
    """Return the advice for a file that cannot be read, as the end of a message."""
    return "name a file" if isinstance(error, NotAFile) else "check its permissions"


def check_folder(folder: Path) -> None:
    """Raise NotAFile if a folder contains a device, a socket or a pipe that might be read."""
    for path in folder.rglob("*"):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise NotAFile(path, f"{path.name} in it is a device, a socket or a pipe, not a file")


def open_file(path: Path) -> BufferedReader:
    """Return a file opened for reading, or a pipe that a process writes to, such as `<(command)`
    in a shell.

    Raises NotAFile for a folder, a device or a socket, and, also while it is read, for a pipe
    without a writer or without data for MAX_SILENCE_S; and OSError as `open` does.
    """
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        if error.errno == errno.ENXIO:
            kind = "socket" if path.is_socket() else "device"
            raise NotAFile(path, f"it is a {kind}, not a file") from None
        raise
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise NotAFile(path, "it is a folder, not a file")
        if stat.S_ISFIFO(mode):
            return BufferedReader(_Pipe(path, descriptor))
        if not stat.S_ISREG(mode):
            raise NotAFile(path, "it is a device, not a file")
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


class _Pipe(RawIOBase):
    """A pipe that is read while a process writes to it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._content = os.fdopen(descriptor, "rb", buffering=0)
        self._was_written = False

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes; raises NotAFile if none come in time, or at all."""
        while (count := self._content.readinto(buffer)) is None:
            if not select.select([self._descriptor], [], [], MAX_SILENCE_S)[0]:
                raise NotAFile(self._path, f"nothing came through it for {MAX_SILENCE_S:g} s")
        if not count and not self._was_written:
            raise NotAFile(self._path, "it is a pipe that nobody writes to")
        self._was_written = True
        return count

    def close(self) -> None:
        self._content.close()
        super().close()


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file.

    Raises TooLarge for a file of more than max_bytes, without reading it, and OSError as open_file
    does.
    """
    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise _too_large(max_bytes)
        return _read_all(file, max_bytes)


def read_unpacked(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file, unpacked if its name ends with .xz; raises as read_bytes
    does, and ValueError for a broken archive. No more than max_bytes are unpacked."""
    import lzma

    if path.suffix != ".xz":
        return read_bytes(path, max_bytes)
    try:
        with open_file(path) as packed, lzma.open(packed) as file:
            return _read_all(file, max_bytes)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"it cannot be unpacked: {error}") from error


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the text of a file in UTF-8, without a byte order mark; raises as read_bytes does,
    and ValueError for a file that is not UTF-8."""
    return decode(read_bytes(path, max_bytes))


def read_json(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return the value in a JSON file; raises as read_bytes and parse_json do."""
    return parse_json(read_bytes(path, max_bytes), max_bytes)


def decode(content: bytes, encoding: str = "utf-8-sig") -> str:
    """Return bytes as text, without a byte order mark; raises ValueError for another encoding."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(f"{NOT_TEXT} (byte {error.start + 1:,})") from None


def parse_json(text: str | bytes, max_bytes: int = MAX_BYTES, *, lenient: bool = False) -> Any:
    """Return the value of a JSON text; bytes are UTF-8, UTF-16 or UTF-32 (RFC 4627).

    Raises ValueError for text that is not JSON, is larger than max_bytes or is nested too deeply,
    for NaN, Infinity and numbers too large for a float, and for an object that repeats a name. With
    `lenient`, for third-party records that are read as far as possible, NaN, Infinity and 1e999
    are None, and the last value of a name counts.
    """
    encoding = json.detect_encoding(text) if isinstance(text, bytes) else ""
    text = _bounded(text, max_bytes, encoding)
    return _guard(lambda: _decoder(lenient).decode(text))


def parse_json_at(text: str, position: int) -> tuple[Any, int]:
    """Return the JSON value that begins at a position, read leniently, and its end; raises
    ValueError as parse_json does."""
    return _guard(lambda: _decoder(True).raw_decode(text, position))


def parse_toml(text: str | bytes, max_bytes: int = MAX_SETTINGS_BYTES) -> dict[str, Any]:
    """Return the table of a TOML text; bytes are UTF-8.

    Raises ValueError for text that is not TOML (a TOMLDecodeError with the line), is larger than
    max_bytes or is nested too deeply, and for integers of thousands of digits. A number may be NaN
    or infinite, as TOML allows.
    """
    import tomllib

    text = _bounded(text, max_bytes)
    # tomllib keeps every prefix of a dotted key, so its memory is quadratic in the parts
    if any(key.count(".") >= MAX_KEY_PARTS for key in _TOML_KEY.findall(text)):
        raise ValueError(TOO_DEEP)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except ValueError:  # from int(), which rejects long numbers
        raise ValueError(TOO_LONG) from None


def parse_yaml(text: str, max_bytes: int = MAX_SETTINGS_BYTES) -> Any:
    """Return the value of a YAML text, with all scalars as strings; raises ValueError for text that
    is not YAML, is larger than max_bytes or is nested too deeply."""
    import yaml

    text = _bounded(text, max_bytes)
    try:
        return _guard(lambda: yaml.load(text, Loader=yaml.BaseLoader))
    except yaml.YAMLError as error:
        raise ValueError(shown(str(error))) from None


def shown(value: Any, limit: int = 60) -> str:
    """Return a value for a message: one line of at most `limit` ASCII characters."""
    import reprlib

    return _CONTROLS.sub("?", reprlib.repr(value))[:limit]


def _bounded(text: str | bytes, max_bytes: int, encoding: str = "utf-8-sig") -> str:
    if len(text) > max_bytes:
        raise _too_large(max_bytes)
    return decode(text, encoding) if isinstance(text, bytes) else text.removeprefix(_MARK)


def _read_all(file: IO[bytes], max_bytes: int) -> bytes:
    """Return the rest of a file whose size may be unknown, such as a pipe."""
    content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise _too_large(max_bytes)
    return content


def _too_large(max_bytes: int) -> TooLarge:
    mib, rest = divmod(max_bytes, 1 << 20)
    return TooLarge(
        f"it is larger than {max_bytes:,} bytes" if rest else f"it is larger than {mib} MiB"
    )


def _guard(parse: Callable[[], T]) -> T:
    try:
        return parse()
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


@lru_cache
def _decoder(lenient: bool) -> json.JSONDecoder:
    if lenient:
        return json.JSONDecoder(
            parse_float=_finite_or_none, parse_int=_whole, parse_constant=lambda _: None
        )
    return json.JSONDecoder(
        parse_float=_finite,
        parse_int=_whole,
        parse_constant=_refuse_constant,
        object_pairs_hook=_unique_names,
    )


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(TOO_LONG)
    return number


def _finite_or_none(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(TOO_LONG)
    return int(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {shown(name)} occurs twice")
    return record
