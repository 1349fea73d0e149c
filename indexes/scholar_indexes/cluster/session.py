"""The connection to a Ray cluster: one on this machine for a single command, or a running one.

Ray is imported here and in `pipeline`, and only if a command is given --ray. It starts no
dashboard, and a cluster on this machine listens only on the loopback interface.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from scholar_indexes.errors import ConfigError, RetryLater, ScholarError, UsageError
from scholar_indexes.sanitize import one_line

LOCAL = "local"
"""The address of a cluster that is started on this machine and ends with the command."""

_ENVIRONMENT = {
    "RAY_BACKEND_LOG_LEVEL": "fatal",  # failures of nodes are expected and handled
    "RAY_DEDUP_LOGS": "0",
}
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""The setting that makes Ray use the loopback address for this machine on any system."""

_RAISED = re.compile(r"^(?!ray\.)(?P<name>[A-Za-z_][\w.]*): (?P<message>.+)", re.MULTILINE)
"""An exception at the end of a traceback, other than Ray's own."""

_TIMEOUT_S = 10.0
_PACKAGES = ("ray", "lance_ray", "lance", "pandas")


def check(address: str) -> None:
    """Raise UsageError for an invalid address, and ConfigError if the extra is missing."""
    host, _, port = address.rpartition(":")
    if address != LOCAL and not (host and port.isdigit() and "/" not in host):
        raise UsageError(
            f"--ray takes {LOCAL}, or HOST:PORT of a running cluster, not {one_line(address, 80)!r}"
        )
    if any(importlib.util.find_spec(name) is None for name in _PACKAGES):
        raise ConfigError("--ray needs Ray; run: pip install 'scholar-cli[cluster]'")


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Hold a connection to a cluster; for LOCAL, one is started, and stopped after the block.

    Raises what `check` raises, RetryLater if no cluster answers, and ScholarError for a failure on
    the cluster within the block.
    """
    check(address)
    disabled = logging.root.manager.disable
    before = dict(os.environ)
    os.environ.update(_ENVIRONMENT)
    if address == LOCAL:
        os.environ.update(_LOOPBACK)
    logging.disable()
    try:
        import ray

        with _standard_output_kept(ray):
            _connect(ray, address)
            try:
                yield
            except ray.exceptions.RayError as error:
                raise _explained(error) from error
            finally:
                ray.shutdown()
    finally:
        logging.disable(disabled)
        _restore_environment(before)


def _connect(ray: Any, address: str) -> None:
    if address != LOCAL:
        _check_answers(address)
    options: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        with _standard_error_closed():
            ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError, OSError) as error:
        if address == LOCAL:
            raise ScholarError(
                f"no cluster could be started here ({one_line(str(error), 160)}); run the same "
                "command without --ray"
            ) from error
        raise _no_answer(address) from error
    from ray.data import DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True


def _check_answers(address: str) -> None:
    """Raise RetryLater if nothing listens, which Ray itself notices only after minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _TIMEOUT_S).close()
    except (OSError, OverflowError) as error:
        raise _no_answer(address) from error


def _no_answer(address: str) -> RetryLater:
    return RetryLater(
        f"no Ray cluster answers at {address}; start it: ray start --head --port PORT, and add "
        "this machine as a node: ray start --address HOST:PORT. If the cluster requires a token, "
        "set RAY_AUTH_MODE=token"
    )


def _explained(error: BaseException) -> ScholarError:
    """Return an error of a node, or of Ray itself, as one line.

    Ray passes on only the text of a traceback, whose first exception led to the others.
    """
    raised = _RAISED.search(str(error))
    if raised and raised["name"].startswith(f"{ScholarError.__module__}."):
        return ScholarError(one_line(raised["message"], 400))
    lines = [line for line in str(error).splitlines() if line.strip()]
    reason = raised[0] if raised else lines[-1] if lines else type(error).__name__
    return ScholarError(
        f"the work on the cluster failed ({one_line(reason, 200)}); run the same command again, or "
        "without --ray"
    )


@contextmanager
def _standard_output_kept(ray: Any) -> Iterator[None]:
    """Keep Ray's messages about failing nodes from the standard output, where it prints them
    whatever log_to_driver is."""
    worker = ray._private.worker
    printing = worker.print_to_stdstream
    worker.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        worker.print_to_stdstream = printing


@contextmanager
def _standard_error_closed() -> Iterator[None]:
    """Keep from the terminal what Ray's libraries write to the standard error of this process as
    they start."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _restore_environment(before: Mapping[str, str]) -> None:
    """Restore the values of the variables of Ray, some of which it sets itself."""
    for name in [name for name in os.environ if name.startswith("RAY_")]:
        del os.environ[name]
    os.environ.update({name: before[name] for name in before if name.startswith("RAY_")})
