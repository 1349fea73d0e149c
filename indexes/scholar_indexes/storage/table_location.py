"""The location of the tables of an index: a local folder, or an address of S3.

Operations on whole tables (listing, measuring and removing them) are here; LanceDB itself opens
either location in the same way.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from scholar_indexes.errors import ConfigError, RetryLater
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage.lancedb_import import load_lancedb
from scholar_indexes.storage.table_names import table_names

_ADDRESS = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[\w!.*'()/-]*)?")

_VARIABLES = {
    "AWS_ACCESS_KEY_ID": "aws_access_key_id",
    "AWS_SECRET_ACCESS_KEY": "aws_secret_access_key",
    "AWS_SESSION_TOKEN": "aws_session_token",
    "AWS_REGION": "aws_region",
    "AWS_DEFAULT_REGION": "aws_default_region",
    "AWS_ENDPOINT_URL": "aws_endpoint",
    "AWS_ENDPOINT_URL_S3": "aws_endpoint",
}
"""Environment variables and their names in Lance; later ones take precedence."""

_UNREACHABLE = re.compile(
    r"error sending request|timed out|dns error|kind: (?:Connect|Timeout)|status: 5\d\d"
    r"|NoSuchBucket|AccessDenied|PermissionDenied|InvalidAccessKeyId|SignatureDoesNotMatch"
    r"|(?i:forbidden|unauthenticated|no credentials|credentials? (?:provider|error|not))"
)
"""The errors of an object store that does not answer, or refuses this user."""

_LISTING = {"timeout": "5s", "client_max_retries": "0"}
"""Options of the first requests: LanceDB tries six times, so it gives up on a store that accepts
connections and never answers after half a minute. With the defaults of Lance, which leave time to
send large files, that takes more than six minutes."""

_PAGE = 1_000
"""The number of table names listed at a time."""


INDEX_CACHE_BYTES = 64 * 1024**2
METADATA_CACHE_BYTES = 32 * 1024**2
"""The memory in which LanceDB caches parts of indexes and of files. Its default limits are
gigabytes, which a large library fills; evicted parts are read again from the system's cache."""


def connect(uri: str, **options: Any) -> Any:
    """Return a connection of LanceDB with caches of its own, of the sizes above."""
    lancedb = load_lancedb()
    session = lancedb.Session(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES)
    return lancedb.connect(uri, session=session, **options)


class TableLocation(Protocol):
    """A location of tables. `options` are the options of Lance to open it, and `suffix` ends the
    names of its tables, to distinguish them in the catalogue from tables of other locations."""

    @property
    def uri(self) -> str: ...

    @property
    def options(self) -> Mapping[str, str]: ...

    @property
    def is_remote(self) -> bool: ...

    @property
    def suffix(self) -> str: ...

    def connect(self) -> Any:
        """Return the connection of LanceDB."""
        ...

    def explain_refusal(self) -> AbstractContextManager[None]:
        """Return a context that raises RetryLater for an error that shows that the location cannot
        be reached; other errors pass."""
        ...

    def names(self) -> list[str]:
        """Return the names of the tables."""
        ...

    def has(self, name: str) -> bool:
        """Return True if there is a table with a name."""
        ...

    def folder(self, name: str) -> Path | None:
        """Return the folder of a table, None if it is in no local folder."""
        ...

    def size_bytes(self, name: str) -> int | None:
        """Return the size of a table, None if only the table itself knows it."""
        ...

    def remove(self, name: str) -> None:
        """Remove a table, readable or not."""
        ...

    def note_in_use(self, name: str) -> None:
        """Record that a table has just replaced others."""
        ...

    def in_use_since(self, name: str) -> float:
        """Return the time that `note_in_use` recorded, in seconds since 1970."""
        ...


class FolderLocation:
    """A local folder, which is created on the first write."""

    options: Mapping[str, str] = {}
    is_remote = False
    suffix = ""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.uri = str(folder)

    def connect(self) -> Any:
        with explain_write_errors(self._folder):
            self._folder.parent.mkdir(parents=True, exist_ok=True)
        return connect(self.uri)

    def explain_refusal(self) -> AbstractContextManager[None]:
        return nullcontext()

    def names(self) -> list[str]:
        return table_names(self._folder)

    def has(self, name: str) -> bool:
        return self.folder(name).is_dir()

    def size_bytes(self, name: str) -> int | None:
        files = self.folder(name).rglob("*")
        return sum(path.stat().st_size for path in files if path.is_file())

    def remove(self, name: str) -> None:
        with explain_write_errors(self._folder):
            shutil.rmtree(self.folder(name), ignore_errors=True)

    def note_in_use(self, name: str) -> None:
        with explain_write_errors(self._folder):
            if self.has(name):
                os.utime(self.folder(name))

    def in_use_since(self, name: str) -> float:
        return self.folder(name).stat().st_mtime

    def folder(self, name: str) -> Path:
        return self._folder / f"{name}.lance"


class S3Location:
    """An address in an object store that supports the S3 protocol with conditional writes."""

    is_remote = True

    def __init__(self, uri: str, options: Mapping[str, str]) -> None:
        self.uri = uri
        self.options = options
        self.suffix = f"-{hashlib.sha256(uri.encode()).hexdigest()[:8]}"

    def connect(self) -> Any:
        _ = self._listing_connection
        return self._connection

    @contextmanager
    def explain_refusal(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # LanceDB reports everything as RuntimeError, or as OSError
            if reason := _UNREACHABLE.search(str(error)):
                raise RetryLater(
                    f"the index {self.uri} cannot be reached ({reason[0]}); check the network, the "
                    "bucket and the variables AWS_*, and run the same command again"
                ) from error
            raise

    def names(self) -> list[str]:
        # Its successor returns a class of the remote client, which load_lancedb skips.
        with (
            self.explain_refusal(),
            warnings.catch_warnings(action="ignore", category=DeprecationWarning),
        ):
            names: list[str] = []
            while page := self._listing_connection.table_names(names[-1] if names else None, _PAGE):
                names += page
        return names

    def has(self, name: str) -> bool:
        return name in self.names()

    def folder(self, name: str) -> None:
        return None

    def size_bytes(self, name: str) -> int | None:
        return None

    def remove(self, name: str) -> None:
        with self.explain_refusal():
            self._connection.drop_table(name, ignore_missing=True)

    def note_in_use(self, name: str) -> None:
        """Do nothing: the newest version of the table has that time."""

    def in_use_since(self, name: str) -> float:
        with self.explain_refusal():
            newest = self._connection.open_table(name).list_versions()[-1]
        return float(newest["timestamp"].timestamp())

    @cached_property
    def _connection(self) -> Any:
        return self._connect(self.options)

    @cached_property
    def _listing_connection(self) -> Any:
        return self._connect({**self.options, **_LISTING})

    def _connect(self, options: Mapping[str, str]) -> Any:
        return connect(self.uri, storage_options=dict(options))


def check_address(address: str) -> None:
    """Raise ConfigError for an address that is not an S3 address."""
    if not _ADDRESS.fullmatch(address):
        raise ConfigError(
            f"index is {address[:80]!r}; set it to an address such as s3://bucket/scholar, or "
            "remove it to use a local folder"
        )


def s3_options(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables AWS_* of an environment as options of Lance. Lance itself looks for
    missing ones, such as keys, in the files of AWS or on the machine."""
    options = {
        option: environment[variable]
        for variable, option in _VARIABLES.items()
        if environment.get(variable)
    }
    # Without this option Lance refuses a server that has no certificate.
    if options.get("aws_endpoint", "").startswith("http://"):
        options["allow_http"] = "true"
    return options
