"""Recognition of torch's different out-of-memory errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scholar_indexes.errors import ConfigError
from scholar_indexes.net.responses import plain

_MEMORY_ERRORS = ("out of memory", "can't allocate memory", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error of torch or Python means that memory ran out."""
    import torch

    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(part in str(error) for part in _MEMORY_ERRORS)


@contextmanager
def report_lack_of_memory(model: str, device: str) -> Iterator[None]:
    """Raise ConfigError if a device has too little memory for a model."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise ConfigError(
            f"{plain(model)} needs more memory than {device} has free; close other programs, "
            "load it in 8-bit precision, use smaller chunks or choose a smaller model"
        ) from error
