"""An index in an object store: a real server of the S3 protocol, on the loopback."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from urllib.request import urlopen

import numpy as np
import pytest

from cluster_rows import index_rows, write_books
from command_line import Scholar, error_line, invoke_in_home, run_process, succeeded
from scholar_indexes.library import Library
from scholar_indexes.storage import table_location
from scholar_indexes.storage.passages import PassageTable, SentenceRows
from scholar_indexes.storage.table_location import S3Location, s3_options

moto = pytest.importorskip(
    "moto.server", reason="needs the extra [cluster-test]: make test-cluster"
)

ADDRESS = "s3://books/scholar"
VARIABLES = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Serve an empty bucket, set the index to an address in it, and yield boto3's view of it."""
    import boto3

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    urlopen(f"http://{host}:{port}/moto-api/reset", data=b"").close()  # all servers share a store
    for name, value in {**VARIABLES, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
        monkeypatch.setenv(name, value)
    store = boto3.resource("s3", region_name="us-east-1").create_bucket(Bucket="books")
    monkeypatch.setenv("SCHOLAR_INDEX", ADDRESS)
    yield store
    server.stop()


def keys(bucket: Any) -> list[str]:
    return [item.key for item in bucket.objects.all()]


def test_books_are_added_to_an_index_in_s3_and_found_there(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path
) -> None:
    succeeded(scholar("add", *write_books(tmp_path)[:2]))
    assert not (home / "data" / "index.lance").exists()
    assert {key.split("/")[0] for key in keys(bucket)} == {"scholar"}
    hits = succeeded(scholar("find", "the lamplighter walked", "--json")).json
    assert hits[0]["book"]["id"] == "own-lamplighter"
    status = succeeded(scholar("index", "status", "--json")).json
    assert status["sentences"] == 240
    assert status["megabytes"] > 0.1


def test_the_rows_equal_the_rows_of_a_folder(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = write_books(tmp_path)[:2]
    libraries = []
    for home in (tmp_path / "store", tmp_path / "folder"):
        succeeded(invoke_in_home(home, "add", *sources))
        monkeypatch.setenv("SCHOLAR_HOME", str(home))
        libraries.append(Library.of_user())
        monkeypatch.delenv("SCHOLAR_INDEX", raising=False)
    assert index_rows(libraries[0]) == index_rows(libraries[1])


def test_a_rebuild_afresh_and_a_removal_leave_nothing_old_behind(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path
) -> None:
    succeeded(scholar("add", *write_books(tmp_path)[:2]))
    succeeded(scholar("index", "rebuild", "--afresh"))
    succeeded(scholar("index", "rebuild", "--afresh"))
    assert succeeded(scholar("find", "the clockmaker walked", "--json")).json
    tables = {key.split("/")[2] for key in keys(bucket)}
    assert len([table for table in tables if table.startswith("passages")]) == 2
    succeeded(scholar("books", "remove", "own-lamplighter"))
    books = {hit["book"]["id"] for hit in scholar("find", "walked", "--json").json}
    assert books == {"own-clockmaker"}


def test_a_copy_of_the_library_searches_the_same_index(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeeded(scholar("add", *write_books(tmp_path)[:2]))
    shutil.copytree(home, tmp_path / "copy")
    monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / "copy"))
    hits = succeeded(scholar("find", "the lamplighter walked", "--json")).json
    assert hits[0]["book"]["id"] == "own-lamplighter"


def test_a_copy_that_is_behind_may_not_write_over_what_it_does_not_know(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = write_books(tmp_path)
    succeeded(scholar("add", sources[0]))
    shutil.copytree(home, tmp_path / "copy")
    succeeded(scholar("add", sources[1]))
    before = index_rows(Library.of_user())
    with monkeypatch.context() as patch:
        patch.setenv("SCHOLAR_HOME", str(tmp_path / "copy"))
        assert "only one may" in error_line(scholar("add", sources[2]), 1)
        assert "only one may" in error_line(scholar("books", "remove", "own-lamplighter"), 1)
    assert index_rows(Library.of_user()) == before


def test_a_copy_whose_table_was_replaced_elsewhere_may_not_take_its_place(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeeded(scholar("add", *write_books(tmp_path)[:1]))
    shutil.copytree(home, tmp_path / "copy")
    for _ in range(2):  # the second removes the table that the copy knows
        succeeded(scholar("index", "rebuild", "--afresh"))
    before = index_rows(Library.of_user())
    with monkeypatch.context() as patch:
        patch.setenv("SCHOLAR_HOME", str(tmp_path / "copy"))
        refusal = error_line(scholar("index", "rebuild"), 1, after_progress=True)
        assert "was rebuilt elsewhere" in refusal
        (tmp_path / "copy" / "data" / "library-id").unlink()
        succeeded(scholar("index", "rebuild"))
        assert index_rows(Library.of_user()) == before
    assert index_rows(Library.of_user()) == before


def test_books_added_to_the_store_are_missing_in_the_folder(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = write_books(tmp_path)
    with monkeypatch.context() as patch:
        patch.delenv("SCHOLAR_INDEX")
        succeeded(scholar("add", sources[0]))
    succeeded(scholar("index", "rebuild"))
    succeeded(scholar("add", sources[1]))
    monkeypatch.delenv("SCHOLAR_INDEX")
    assert "scholar index rebuild" in error_line(scholar("find", "the clockmaker walked"), 4)
    assert "1 were encoded" in succeeded(scholar("index", "rebuild")).stderr
    hits = succeeded(scholar("find", "the clockmaker walked", "--json")).json
    assert hits[0]["book"]["id"] == "own-clockmaker"


def test_a_restored_library_leaves_the_passages_of_the_other_machine_alone(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = write_books(tmp_path)
    succeeded(scholar("add", *sources[:2]))
    before = index_rows(Library.of_user())
    archive = str(tmp_path / "library.tar.gz")
    succeeded(scholar("backup", archive))
    with monkeypatch.context() as patch:
        patch.setenv("SCHOLAR_HOME", str(tmp_path / "restored"))
        succeeded(scholar("restore", archive))
        succeeded(scholar("index", "rebuild"))
        assert index_rows(Library.of_user()) == before
        succeeded(scholar("books", "remove", "own-lamplighter"))
        succeeded(scholar("add", sources[2]))
    assert index_rows(Library.of_user()) == before
    assert len({key.split("/")[1] for key in keys(bucket)}) == 2


def test_another_library_has_a_place_of_its_own_in_the_bucket(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = write_books(tmp_path)
    succeeded(scholar("add", sources[0]))
    before = index_rows(Library.of_user())
    with monkeypatch.context() as patch:
        patch.setenv("SCHOLAR_HOME", str(tmp_path / "other"))
        succeeded(scholar("add", sources[1]))
    assert len({key.split("/")[1] for key in keys(bucket)}) == 2
    assert index_rows(Library.of_user()) == before


def test_writers_who_commit_at_once_all_keep_their_rows(bucket: Any) -> None:
    """The server refuses to overwrite an existing object: otherwise one of two commits of the same
    version would be lost."""
    bucket.put_object(Key="version", Body=b"", IfNoneMatch="*")
    with pytest.raises(Exception, match="PreconditionFailed"):
        bucket.put_object(Key="version", Body=b"", IfNoneMatch="*")
    location = S3Location("s3://books/race", s3_options(os.environ))
    PassageTable(location, "tiny", 4).make_room([0])

    def write(edition: int) -> int:
        unit = np.tile(np.float32([1, 0, 0, 0]), (10, 1))
        rows = SentenceRows(range(10), [1] * 10, ["a word"] * 10, unit, np.ones(10, np.float32))
        return PassageTable(location, "tiny", 4).write(edition, [rows])

    editions = range(1, 9)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(write, editions)) == [10] * 8
    assert PassageTable(location, "tiny", 4).editions() == set(editions)
    assert PassageTable(location, "tiny", 4).state().rows == 80


def test_a_store_that_does_not_answer_is_told_from_a_damaged_index(
    scholar: Scholar, two_books: Path, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    assert "cannot be reached" in error_line(scholar("index", "rebuild"), 3)


def test_a_bucket_that_is_not_there_is_told_from_a_damaged_index(
    scholar: Scholar, two_books: Path, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_INDEX", "s3://no-such-bucket/scholar")
    assert "cannot be reached" in error_line(scholar("index", "rebuild"), 3)


class RefusingStore(BaseHTTPRequestHandler):
    """A store that answers every request with one status and the error that S3 has for it."""

    status: ClassVar[HTTPStatus]
    code: ClassVar[str]

    def answer(self) -> None:
        body = f"<Error><Code>{self.code}</Code><Message>no</Message></Error>".encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer

    def log_message(self, format: str, *args: Any) -> None:
        """Keep standard error for the command under test."""


@pytest.mark.parametrize(
    ("status", "code"),
    [
        pytest.param(HTTPStatus.FORBIDDEN, "AccessDenied", id="no right to the bucket"),
        pytest.param(HTTPStatus.FORBIDDEN, "InvalidAccessKeyId", id="a key that is unknown"),
        pytest.param(HTTPStatus.NOT_FOUND, "NoSuchBucket", id="no such bucket"),
        pytest.param(HTTPStatus.SERVICE_UNAVAILABLE, "SlowDown", id="too busy"),
        pytest.param(HTTPStatus.INTERNAL_SERVER_ERROR, "InternalError", id="broken"),
    ],
)
def test_a_store_that_refuses_is_told_from_a_damaged_index(
    scholar: Scholar,
    two_books: Path,
    bucket: Any,
    monkeypatch: pytest.MonkeyPatch,
    status: HTTPStatus,
    code: str,
) -> None:
    handler = type("Store", (RefusingStore,), {"status": status, "code": code})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        assert "cannot be reached" in error_line(scholar("index", "rebuild"), 3)
        server.shutdown()


def test_a_store_that_takes_connections_and_never_answers_is_given_up(
    scholar: Scholar, two_books: Path, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(table_location._LISTING, "timeout", "1s")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert "cannot be reached" in error_line(scholar("index", "rebuild"), 3)


def test_a_cluster_writes_the_index_in_s3_in_one_commit(
    scholar: Scholar, home: Path, bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lance_ray", reason="the cluster needs the extra [cluster]")
    sources = write_books(tmp_path)
    succeeded(run_process(home, "add", *sources, "--ray", "local", env={"SCHOLAR_INDEX": ADDRESS}))
    shared = Library.of_user()
    succeeded(invoke_in_home(tmp_path / "one", "add", *sources))
    monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / "one"))
    assert index_rows(shared) == index_rows(Library.of_user())
    hits = succeeded(scholar("find", "the miller walked", "--json")).json
    assert hits[0]["book"]["id"] == "own-miller"
