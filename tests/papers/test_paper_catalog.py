"""The catalogue of papers: complete or not listed, also with concurrent writers."""

from __future__ import annotations

import itertools
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from catalog_entries import LONG, SPACE, TEXT, entry, many, numbers, put
from scholar_indexes.errors import Busy, Damaged, NotThere, ScholarError
from scholar_indexes.papers.catalog.schema import SCHEMA_VERSION
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import EntryOutcomeKind
from scholar_indexes.papers.entry import Entry
from scholar_indexes.sanitize import one_line


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "papers.sqlite"


@pytest.fixture
def papers(path: Path) -> PaperCatalog:
    return PaperCatalog(path, timeout_s=0.1)


def test_reading_a_list_that_is_not_there_makes_none(papers: PaperCatalog, path: Path) -> None:
    assert (numbers(papers), papers.count(), papers.collections()) == ([], 0, [])
    assert (papers.pending(SPACE), papers.unfinished(), papers.by_number([1])) == ([], [], {})
    with pytest.raises(NotThere, match="scholar papers add"):
        papers.paper("doi:10.5555/1")
    with pytest.raises(NotThere, match="scholar papers add"):
        papers.collection_numbers(["mine"])
    assert not path.exists()


def test_a_catalogue_of_an_older_scholar_is_brought_up_to_date(
    papers: PaperCatalog, path: Path
) -> None:
    put(papers, entry())
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE origins")
        db.execute("PRAGMA user_version = 1")
    assert numbers(papers) == [1]
    papers.remember_file("/a.bib", "digest", [1])
    assert papers.papers_of_file("/a.bib", "digest", "papers") == [1]


@pytest.mark.parametrize(
    "content",
    [b"this is not a database, " * 100, b"SQLite format 3\x00" + b"\xff" * 4096],
    ids=["prose", "a broken header"],
)
def test_a_damaged_file_says_what_to_do(papers: PaperCatalog, path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(Damaged, match="doctor --repair"):
        numbers(papers)
    with pytest.raises(Damaged, match="doctor --repair"):
        put(papers, entry())
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("UPDATE records SET csl = '{'", id="an item that is no JSON"),
        pytest.param("UPDATE records SET csl = '[]'", id="an item that is a list"),
        pytest.param(f"UPDATE records SET csl = '{'[' * 99_999}'", id="an item nested without end"),
        pytest.param("UPDATE records SET sentences = '[1]'", id="sentences that are numbers"),
        pytest.param('UPDATE records SET sentences = \'[["a", "b"]]\'', id="an unknown facet"),
        pytest.param("UPDATE records SET facets = 'b'", id="too few facets"),
        pytest.param("UPDATE records SET facets = 'xyz'", id="facets of another scholar"),
        pytest.param("DROP TABLE ids", id="a table that is gone"),
    ],
)
def test_a_record_that_makes_no_sense_is_damage(
    papers: PaperCatalog, path: Path, change: str
) -> None:
    put(papers, entry())
    with sqlite3.connect(path) as db:
        db.execute(change)
    db.close()
    with pytest.raises(Damaged, match="doctor --repair"):
        numbers(papers)


@pytest.mark.parametrize(
    ("damaged", "use"),
    [
        pytest.param(
            "records SET csl",
            lambda papers: put(papers, entry(text=("Barnacles were counted again.",))),
            id="a paper that is merged",
        ),
        pytest.param(
            "origins SET papers",
            lambda papers: papers.papers_of_file("/a.bib", "digest", "papers"),
            id="the papers of a file",
        ),
    ],
)
def test_a_column_nested_without_end_is_damage(
    papers: PaperCatalog, path: Path, damaged: str, use: Callable[[PaperCatalog], object]
) -> None:
    put(papers, entry())
    papers.remember_file("/a.bib", "digest", [1])
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE {damaged} = ?", ("[" * 99_999,))
    db.close()
    with pytest.raises(Damaged, match="doctor --repair"):
        use(papers)


def test_the_database_of_another_program_is_left_as_it_is(papers: PaperCatalog, path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE papers (something TEXT)")
    db.close()
    with pytest.raises(Damaged):
        numbers(papers)
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (0,)
    db.close()


def test_a_list_of_a_newer_scholar_is_left_as_it_is(papers: PaperCatalog, path: Path) -> None:
    put(papers, entry())
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(ScholarError, match="newer scholar; upgrade"):
        numbers(papers)


def test_a_folder_in_place_of_the_file_is_one_clear_line(papers: PaperCatalog, path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ScholarError, match="cannot be opened"):
        numbers(papers)


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_list_that_may_not_be_written_can_still_be_read(papers: PaperCatalog, path: Path) -> None:
    put(papers, entry())
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert papers.count() == 1
        with pytest.raises(ScholarError, match="no permission to write"):
            put(papers, entry())
    finally:
        path.parent.chmod(0o755)


def test_a_list_that_another_program_holds_is_busy(papers: PaperCatalog, path: Path) -> None:
    put(papers, entry())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Busy, match="run the same command again"):
        put(papers, *many(1))
    other.execute("ROLLBACK")
    other.close()
    assert put(papers, *many(1))[0][1] is EntryOutcomeKind.ADDED


def test_papers_are_not_listed_before_they_are_recorded(papers: PaperCatalog, path: Path) -> None:
    added = papers.add(many(3))
    again = PaperCatalog(path)
    assert (numbers(again), again.count(), again.by_number([1, 2, 3])) == ([], 0, {})
    assert [collection.papers for collection in again.collections()] == [0]
    with pytest.raises(NotThere):
        again.paper("doi:10.5555/1")
    assert again.unfinished() == [outcome.number for outcome in added.outcomes]
    again.mark_indexed(SPACE, added.revision)
    assert len(numbers(again)) == again.collections()[0].papers == 3
    assert again.unfinished() == []


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), ScholarError("a bad file")], ids=repr)
def test_an_add_that_fails_halfway_keeps_nothing_of_itself(
    papers: PaperCatalog, failure: BaseException
) -> None:
    put(papers, entry())

    def broken() -> Iterator[Entry]:
        yield from many(5)
        raise failure

    with pytest.raises(type(failure)):
        papers.add(broken(), "another")
    assert (papers.count(), papers.unfinished()) == (1, [])
    assert [collection.name for collection in papers.collections()] == ["papers"]
    assert [what for _, what in put(papers, *many(5))] == [EntryOutcomeKind.ADDED] * 5


_WRITE = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from scholar_indexes.papers.catalog.store import PaperCatalog
from catalog_entries import many, put

def entries(kill):
    yield from many(30)
    if kill:
        os._exit(9)

papers = PaperCatalog(Path(sys.argv[1]))
if sys.argv[3] == "killed":
    papers.add(entries(True))
for first in range(0, 30, 3):
    put(papers, *many(3, first))
"""


def _writer(path: Path, how: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITE, str(path), str(Path(__file__).parent), how]
    )


def test_a_process_that_is_killed_while_it_adds_leaves_a_list_that_can_be_used(
    papers: PaperCatalog, path: Path
) -> None:
    put(papers, entry())
    assert _writer(path, "killed").wait() == 9
    assert (papers.count(), papers.unfinished()) == (1, [])
    assert [what for _, what in put(papers, *many(3))] == [EntryOutcomeKind.ADDED] * 3


def test_two_processes_that_add_the_same_papers_keep_each_once(path: Path) -> None:
    papers = PaperCatalog(path)
    put(papers, entry())
    writers = [_writer(path, "whole") for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert papers.count() == 31
    assert len({papers.paper(f"doi:10.5555/{at}").number for at in range(30)}) == 30


def test_a_dry_run_shows_the_new_papers_and_adds_nothing(papers: PaperCatalog, path: Path) -> None:
    put(papers, entry())
    before = path.read_bytes()
    new = entry("Owls", "doi:10.5555/2")
    foreseen = papers.foresee([entry(), new], "owls")
    assert [stored.paper.title for stored in foreseen] == ["Owls"]
    assert (path.read_bytes(), numbers(papers)) == (before, [1])
    assert [collection.name for collection in papers.collections()] == ["papers"]
    papers.add([entry(), new], "owls")
    assert [stored.paper for stored in papers.pending(SPACE)][-1] == foreseen[0].paper


def test_a_number_is_never_used_again(papers: PaperCatalog) -> None:
    ((first, _),) = put(papers, entry())
    papers.purge([first])
    assert numbers(papers) == [first], "a listed paper is purged only after it was unlisted"
    papers.unlist([first])
    assert (numbers(papers), papers.unfinished()) == ([], [first])
    papers.purge([first])
    assert papers.unfinished() == []
    assert put(papers, entry()) == [(first + 1, EntryOutcomeKind.ADDED)]


def test_a_paper_may_come_back_while_its_removal_is_unfinished(papers: PaperCatalog) -> None:
    ((first, _),) = put(papers, *many(1))
    papers.unlist([first])
    ((second, what),) = put(papers, *many(1))
    assert (second > first, what) == (True, EntryOutcomeKind.ADDED)
    papers.purge(papers.unfinished())
    assert papers.paper("doi:10.5555/0").number == second


def test_a_new_space_waits_for_every_paper_and_an_old_one_for_none(papers: PaperCatalog) -> None:
    for first in (0, 3, 6):
        put(papers, *many(3, first))
    assert papers.pending(SPACE) == []
    stored = []
    while batch := papers.pending("another", limit=4):
        stored.append([paper.number for paper in batch])
        papers.mark_indexed("another", batch[-1].revision)
    assert stored == [[1, 2, 3], [4, 5, 6], [7, 8, 9]], "complete revisions, at least one"
    papers.forget_spaces()
    assert len(papers.pending("another", limit=100)) == 9


def test_a_paper_that_joins_a_collection_waits_but_its_text_is_old(papers: PaperCatalog) -> None:
    put(papers, *many(1))
    papers.add(many(1), "b")
    (waiting,) = papers.pending(SPACE)
    assert (waiting.text_revision, waiting.revision, waiting.collections) == (1, 2, ("b", "papers"))


@pytest.mark.parametrize("title", ["'; DROP TABLE papers; --", "%", "🌧", "a\x00b", "\ud800x"])
def test_a_title_is_only_text(papers: PaperCatalog, title: str) -> None:
    put(papers, entry(title, "doi:10.1/a"), entry("Another title altogether", "doi:10.1/b"))
    assert papers.paper("doi:10.1/a").paper.title == one_line(title)
    assert papers.count() == 2


def test_entries_in_any_order_make_the_same_papers(tmp_path: Path) -> None:
    three = [
        entry("Barnacles: a count", "doi:10.1/a", text=()),
        entry(LONG, "doi:10.1/a", "arxiv:1901.00001"),
        entry(LONG, "pmid:7", volume="3"),
    ]
    for at, order in enumerate(itertools.permutations(three)):
        papers = PaperCatalog(tmp_path / f"{at}.sqlite")
        put(papers, *order)
        (stored,) = papers.papers()
        assert stored.paper.ids == ("doi:10.1/a", "arxiv:1901.00001", "pmid:7")
        assert (stored.csl["volume"], stored.paper.sentences) == ("3", TEXT)
