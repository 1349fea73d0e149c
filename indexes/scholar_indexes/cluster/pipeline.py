"""The functions of `work` as pipelines of Ray Data.

Ray Data keeps the blocks in progress within the memory of the object store (back-pressure), gives
the work of a lost node to another, and returns results in the order of the books. The input of a
pipeline is in the object store as a whole, so callers pass a batch of books at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from scholar_indexes.cluster import work
from scholar_indexes.errors import ScholarError

if TYPE_CHECKING:
    from scholar_indexes.books.adding.ingest import BookDraft
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.cluster.work import EncoderChoice, PeopleRequest, PeopleResult, ReadRequest
    from scholar_indexes.storage.passages import PassageTable

FRAGMENT_ROWS = 16_384
"""Sentences in a fragment of the index, about twelve megabytes."""

WRITERS = 2
"""The number of fragments written at a time."""

Request = TypeVar("Request")
Result = TypeVar("Result")


def read_drafts(requests: Sequence[ReadRequest]) -> Iterator[BookDraft | ScholarError]:
    """Yield what work.read_draft returns for each request, in their order."""
    yield from _run(work.read_draft, requests)


def find_people(requests: Sequence[PeopleRequest]) -> Iterator[PeopleResult | ScholarError]:
    """Yield what work.find_people returns for each request, in their order."""
    yield from _run(work.find_people, requests)


def _run(function: Callable[[Request], Result], requests: Sequence[Request]) -> Iterator[Result]:
    import ray.data

    if not requests:
        return
    rows = ray.data.from_items(
        [{"request": request} for request in requests], override_num_blocks=len(requests)
    )
    results = rows.map(lambda row: {"result": function(row["request"])}, num_cpus=1)
    for row in results.iter_rows():
        yield row["result"]


@dataclass(frozen=True, slots=True)
class Fragments:
    """Rows of the index that were written but not committed: lance-ray's description of each
    fragment; `rows` is the number of rows."""

    written: Sequence[tuple[bytes, bytes]]
    rows: int


def write_fragments(
    books: Iterable[OpenBook],
    table: PassageTable,
    choice: EncoderChoice,
    report: Callable[[int], None],
) -> Fragments:
    """Encode books and write their rows to the files of a table, whose version stays the same.

    `report` is called with the number of rows written so far.
    """
    import ray.data

    cpus, gpus, actors = _resources(choice, ray.cluster_resources())
    references = []
    total = 0
    for chunk in _chunks(books):
        total += len(chunk["texts"][0])
        references.append(ray.put(chunk))
    if not total:
        return Fragments([], 0)
    chunks = ray.data.from_arrow_refs(references)
    encoded = chunks.map_batches(
        work.ChunkEncoder,
        fn_constructor_args=(choice,),
        batch_size=1,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=actors, initial_size=actors),
        num_cpus=cpus,
        num_gpus=gpus or None,
    )
    written = encoded.map_batches(
        _FragmentWriter(table),
        batch_size=FRAGMENT_ROWS,
        batch_format="pyarrow",
        compute=ray.data.TaskPoolStrategy(size=WRITERS),
        num_cpus=0,  # they write while the encoders have the processors
        label_selector=_writing_nodes(table),
    )
    fragments: list[tuple[bytes, bytes]] = []
    rows = 0
    for batch in written.iter_batches(batch_size=None, batch_format="pyarrow"):
        for record in batch.to_pylist():
            fragments.append((record["fragment"], record["schema"]))
            rows += record["rows"]
        report(rows)
    if rows != total:
        raise ScholarError(
            f"the cluster wrote {rows:,} of {total:,} sentences; nothing was committed. Run the "
            "same command again"
        )
    return Fragments(fragments, rows)


def commit_fragments(table: PassageTable, fragments: Fragments) -> None:
    """Add fragments to a table in one commit."""
    from lance_ray import LanceFragmentCommitter

    options = dict(table.location.options)
    with table.committing():
        committer = LanceFragmentCommitter(table.uri, mode="append", storage_options=options)
        committer.on_write_start()
        committer.on_write_complete([list(fragments.written)])


def _writing_nodes(table: PassageTable) -> dict[str, str] | None:
    """Return the label of the nodes that may write fragments of a table, None for every node: a
    local index is only on this node."""
    import ray

    if table.location.is_remote:
        return None
    return {"ray.io/node-id": ray.get_runtime_context().get_node_id()}


def _resources(choice: EncoderChoice, cluster: dict[str, float]) -> tuple[int, int, int]:
    """Return the numbers of CPUs and GPUs of an encoder, and the maximum number of encoders."""
    cards = int(cluster.get("GPU", 0))
    if cards and choice.device == "cuda":
        return 1, 1, cards
    return choice.threads, 0, max(1, int(cluster.get("CPU", 1)) // choice.threads)


def _chunks(books: Iterable[OpenBook]) -> Iterator[Any]:
    """Yield the sentences of books as Arrow tables of one row, the input of ChunkEncoder."""
    import pyarrow

    from scholar_indexes.books.adding.ingest import sentence_chunks

    schema = pyarrow.schema(
        [
            ("edition", pyarrow.int32()),
            ("first", pyarrow.int32()),
            ("chapters", pyarrow.list_(pyarrow.int32())),
            ("texts", pyarrow.list_(pyarrow.string())),
        ]
    )
    for book in books:
        for chunk in sentence_chunks(book.text, book.places):
            row = {
                "edition": book.stored.edition,
                "first": chunk.first,
                "chapters": chunk.chapters,
                "texts": chunk.texts,
            }
            yield pyarrow.Table.from_pylist([row], schema)


class _FragmentWriter:
    """Writes batches of rows as fragments of a table with lance-ray, and counts them; lance-ray's
    write_lance reports neither progress nor rows."""

    def __init__(self, table: PassageTable) -> None:
        import lance
        from lance_ray import LanceFragmentWriter

        options = dict(table.location.options)
        dataset = lance.dataset(table.uri, storage_options=options)
        self._write = LanceFragmentWriter(
            table.uri,
            schema=dataset.schema,
            data_storage_version=dataset.data_storage_version,
            use_legacy_format=None,
            storage_options=options,
        )

    def __call__(self, batch: Any) -> Any:
        import pyarrow

        fragments = self._write(batch)
        counts = [len(batch), *[0] * (len(fragments) - 1)]
        return fragments.append_column("rows", pyarrow.array(counts, pyarrow.int64()))
