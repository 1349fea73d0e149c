"""Adding, rebuilding and finding people on a real Ray cluster of two nodes on the loopback.

Whatever the cluster does, and whichever of its nodes dies, it must leave the same library as one
process, row for row.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cluster_rows import book_files, index_rows, write_books
from command_line import (
    DIALOGUE_BOOK,
    Scholar,
    error_line,
    invoke_in_home,
    make_book_text,
    run_process,
    succeeded,
)
from gutenberg_feed import BOOKS, catalog
from scholar_indexes.cluster import adding, pipeline, session
from scholar_indexes.cluster.cluster_service import ClusterService
from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library
from scholar_indexes.retrieval import index_service
from scholar_indexes.storage.catalog import StoredBook

# Read when Ray is imported: the nodes listen on the loopback alone, and report nothing.
os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}

for package in ("ray.data", "lance_ray"):
    pytest.importorskip(package, reason="the cluster needs the extra [cluster]: make test-cluster")

pytestmark = pytest.mark.slow


class TwoNodes:
    """A cluster with a head and a worker, each with one processor; the worker can be killed."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        self.worker = self._cluster.add_node(num_cpus=1)
        self.address = str(self._cluster.address)

    def is_encoding(self) -> bool:
        """Return True if the worker has an encoder that is alive."""
        import ray._private.state

        actors = ray._private.state.actors().values()
        return any(
            actor["State"] == "ALIVE" and actor["Address"]["NodeID"] == self.worker.node_id
            for actor in actors
        )

    def kill(self) -> None:
        """Kill the worker with all of its processes, as if its machine lost power."""
        self._cluster.remove_node(self.worker, allow_graceful=False)

    def stop(self) -> None:
        self._cluster.shutdown()


@pytest.fixture
def two_nodes() -> Iterator[TwoNodes]:
    nodes = TwoNodes()
    yield nodes
    nodes.stop()


@pytest.fixture
def one_process(tmp_path: Path) -> Library:
    """Return a library to which one process added six books."""
    return added(tmp_path / "one", write_books(tmp_path))


def added(home: Path, sources: list[str], *options: str) -> Library:
    """Return the library of a home after books were added to it."""
    succeeded(invoke_in_home(home, "add", *sources, *options))
    return library_of(home)


def library_of(home: Path) -> Library:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCHOLAR_HOME", str(home))
        return Library.of_user()


def test_two_nodes_add_and_rebuild_what_one_process_adds(
    one_process: Library, two_nodes: TwoNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six books in two batches."""
    monkeypatch.setattr(adding, "BATCH", 4)
    monkeypatch.setattr(index_service, "BATCH", 4)
    shared = added(tmp_path / "two", write_books(tmp_path), "--ray", two_nodes.address)
    assert list(map(untimed, shared.books.all())) == list(map(untimed, one_process.books.all()))
    assert index_rows(shared) == index_rows(one_process)
    assert book_files(shared) == book_files(one_process)
    assert len(shared.cluster(two_nodes.address).rebuild(afresh=True).encoded) == 6
    assert index_rows(shared) == index_rows(one_process)


def test_two_nodes_fill_a_library_from_the_catalogue_as_one_process_does(
    two_nodes: TwoNodes, tmp_path: Path
) -> None:
    """One of the three novels is not on the mirror; the others are added all the same."""
    mirror = tmp_path / "mirror" / "cache" / "epub"
    for place, content in (
        ("feeds/pg_catalog.csv", catalog(*BOOKS)),
        ("1342/pg1342.txt", make_book_text("curate").encode()),
        ("158/pg158.txt", make_book_text("matchmaker").encode()),
    ):
        (mirror / place).parent.mkdir(parents=True, exist_ok=True)
        (mirror / place).write_bytes(content)
    line = "add", "--from-catalog", "language=en", "--mirror", str(tmp_path / "mirror"), "--json"
    alone = invoke_in_home(tmp_path / "one", *line)
    together = invoke_in_home(tmp_path / "two", *line, "--ray", two_nodes.address)
    assert together.json == alone.json
    assert {book["outcome"] for book in together.json} == {"added", "failed"}
    assert together.exit_code == alone.exit_code
    one, two = library_of(tmp_path / "one"), library_of(tmp_path / "two")
    assert index_rows(two) == index_rows(one)
    assert book_files(two) == book_files(one)


def untimed(stored: StoredBook) -> StoredBook:
    """Return a stored book without the time at which it was added."""
    return replace(stored, added="")


def test_a_node_that_is_killed_midway_changes_nothing(
    own_sample: Path,
    two_nodes: TwoNodes,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Three novels, with fewer than half of their twelve thousand sentences written by then. Ray's
    messages about it do not reach the terminal."""
    library = Library.of_user()
    in_one_process = index_rows(library)
    monkeypatch.setattr(pipeline, "FRAGMENT_ROWS", 1_000)
    killed_at: list[float] = []

    def progress(label: str, done: int, total: int) -> None:
        if done and not killed_at and two_nodes.is_encoding():
            two_nodes.kill()
            killed_at.append(done / total)

    rebuilt = library.cluster(two_nodes.address).rebuild(progress, afresh=True)
    assert capfd.readouterr() == ("", "")
    assert killed_at
    assert killed_at[0] < 0.5
    assert len(rebuilt.encoded) == 3
    assert index_rows(library) == in_one_process
    library.index.check()


def test_a_node_with_other_weights_is_one_error_and_changes_nothing(
    one_process: Library,
    two_nodes: TwoNodes,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = index_rows(one_process)
    choose = ClusterService._encoder_choice
    monkeypatch.setattr(
        ClusterService, "_encoder_choice", lambda self: replace(choose(self), space="another")
    )
    with pytest.raises(ScholarError, match="a node of the cluster has a different relic-minilm"):
        one_process.cluster(two_nodes.address).rebuild(afresh=True)
    assert capfd.readouterr() == ("", "")
    assert index_rows(one_process) == before
    one_process.index.check()


def test_people_are_found_on_the_cluster_as_in_one_process(
    two_nodes: TwoNodes, tmp_path: Path
) -> None:
    texts = [tmp_path / "quay.txt", tmp_path / "pier.txt"]
    for path in texts:
        path.write_text(DIALOGUE_BOOK.replace("quay", path.stem), "utf-8")
    homes = tmp_path / "one", tmp_path / "two"
    one, two = (added(home, [*map(str, texts)], "--language", "en") for home in homes)
    one.index.read_people(())
    read = two.cluster(two_nodes.address).read_people(())
    assert len(read) == 2
    assert set(book_files(two)) == set(book_files(one)) > {"own-quay.1/people.npz"}
    for stored in one.books.all():
        alone, together = (
            library.attribution.kept_people(library.books.open(stored)) for library in (one, two)
        )
        assert alone is not None
        assert alone.cast
        assert repr(alone) == repr(together)


def test_fragments_of_a_folder_are_written_on_the_node_of_the_command_alone(
    one_process: Library, two_nodes: TwoNodes
) -> None:
    """Another machine would write them to a folder of its own."""
    table = one_process._index.table
    with session.connected(two_nodes.address):
        import ray

        node = ray.get_runtime_context().get_node_id()
        assert pipeline._writing_nodes(table) == {"ray.io/node-id": node}
        labels = {entry["NodeID"]: entry["Labels"]["ray.io/node-id"] for entry in ray.nodes()}
    assert labels[node] == node
    assert len(labels) == 2


def test_an_unreadable_file_does_not_keep_others_from_the_library(tmp_path: Path) -> None:
    """A cluster on this machine, started and stopped by the command."""
    sources = write_books(tmp_path)[:2]
    (tmp_path / "empty.txt").write_text("")
    again = tmp_path / "again.txt"
    again.write_bytes(Path(sources[0]).read_bytes())
    result = run_process(
        tmp_path / "home",
        *("add", sources[0], str(tmp_path / "empty.txt"), str(again), sources[1]),
        *("--ray", "local", "--json"),
    )
    assert result.exit_code == 1
    assert "empty.txt is empty" in result.stderr
    assert "1 of 4 books could not be added" in result.stderr
    assert [(book["id"], book["outcome"]) for book in result.json] == [
        ("own-lamplighter", "added"),
        ("own-lamplighter", "already here"),
        ("own-clockmaker", "added"),
    ]
    assert index_rows(library_of(tmp_path / "home")).num_rows == 240


def test_if_no_cluster_answers_one_line_says_how_to_start_it(
    scholar: Scholar, two_books: Path, source: Path
) -> None:
    result = scholar("add", str(source), "--ray", "127.0.0.1:1")
    assert "ray start --head" in error_line(result, 3)
    assert len(scholar("books", "list", "--json").ids) == 2
