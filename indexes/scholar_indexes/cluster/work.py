"""The work of the nodes of a cluster, each on a book or a part of one: functions without Ray.

An error in a book is returned, not raised: it is the same on every node, so a retry would not help.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import Damaged, ScholarError
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.books.adding.ingest import BookDraft, BookSource
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.storage.catalog import StoredBook


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A source to be read and divided: a file that every node can read, or the bytes of a
    download; `title`, `author` and `language` override its own."""

    source: Path | BookSource
    title: str | None = None
    author: str | None = None
    language: str | None = None


def read_draft(request: ReadRequest) -> BookDraft | ScholarError:
    """Return a source as a book with chapters and sentences, or its error."""
    from scholar_indexes.books.adding import ingest
    from scholar_indexes.books.adding.ingest import BookSource

    source = request.source
    try:
        if isinstance(source, Path):
            source = ingest.read_file(source)
        return ingest.parse_draft(
            source, title=request.title, author=request.author, language=request.language
        )
    except ScholarError as error:
        return error
    except Exception as error:  # an unexpected error in one file must not stop the others
        origin = source.origin if isinstance(source, BookSource) else str(source)
        return _unexpected(origin, error)


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """The encoder that every node loads: its name or folder, the folder of pulled models, the space
    of its vectors, and the device and threads it runs with."""

    model: str
    models: Path
    space: str
    device: str
    threads: int

    def load(self) -> Encoder:
        """Return the encoder; raises Damaged if this node has other weights under its name."""
        from scholar_indexes.models import engines, registry

        files = registry.find(self.model, self.models)
        if files.space != self.space:
            raise Damaged(
                f"a node of the cluster has a different {self.model}; install the same scholar "
                "and the same models on every node"
            )
        return engines.load(files, self.device, self.threads)


class ChunkEncoder:
    """Encodes chunks of sentences with an encoder that is loaded for the first one."""

    def __init__(self, choice: EncoderChoice) -> None:
        self._choice = choice

    @cached_property
    def _encoder(self) -> Encoder:
        return self._choice.load()

    def __call__(self, chunk: Any) -> Any:
        """Return the rows of the index for a chunk, an Arrow table of one row with its edition,
        the number of its first sentence, and the chapter and the text of each."""
        import pyarrow

        from scholar_indexes.books.adding.ingest import SentenceChunk, encode_chunk
        from scholar_indexes.storage.passages import passage_batch

        [row] = chunk.to_pylist()
        sentences = SentenceChunk(row["first"], row["chapters"], row["texts"])
        rows = encode_chunk(sentences, self._encoder)
        return pyarrow.Table.from_batches([passage_batch(row["edition"], rows)])


@dataclass(frozen=True, slots=True)
class PeopleRequest:
    """A book whose people are to be found: the files of its folder, the user's corrections to its
    characters, if any, and the cache with pulled models."""

    stored: StoredBook
    files: Mapping[str, bytes]
    corrections: Mapping[str, bytes]
    models_cache: Path


@dataclass(frozen=True, slots=True)
class PeopleResult:
    """The files that the analysis of a book adds to its folder, and the lines to announce."""

    files: Mapping[str, bytes]
    announced: tuple[str, ...]


def find_people(request: PeopleRequest) -> PeopleResult | ScholarError:
    """Return the results of the analysis of the characters of a book, or its error."""
    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.paths import Paths

    announced: list[str] = []
    with tempfile.TemporaryDirectory(prefix="scholar-") as temporary:
        paths = Paths(Path(temporary), request.models_cache, Path(temporary, "config.toml"))
        folder = paths.books / request.stored.folder
        for target, files in ((folder, request.files), (paths.corrections, request.corrections)):
            target.mkdir(parents=True)
            for name, content in files.items():
                (target / name).write_bytes(content)
        try:
            AttributionService(paths, announced.append).people(OpenBook(request.stored, folder))
        except ScholarError as error:
            return error
        except Exception as error:  # an unexpected error in one book must not stop the others
            return _unexpected(request.stored.book.title, error)
        written = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    added = {
        name: content for name, content in written.items() if request.files.get(name) != content
    }
    return PeopleResult(added, tuple(announced))


def _unexpected(name: str, error: Exception) -> ScholarError:
    return ScholarError(
        one_line(f"{name}: {type(error).__name__}: {error}; this should not happen")
    )
