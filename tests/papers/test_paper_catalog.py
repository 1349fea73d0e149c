"""The list of papers: complete or not listed, every paper once, whoever writes at the time."""

from __future__ import annotations

import itertools
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.errors import Busy, Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.papers import ids
from scholar_indexes.papers.catalog.schema import SCHEMA_VERSION
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import EntryOutcomeKind, StoredPaper
from scholar_indexes.papers.duplicates import fuller_abstract, merge_items
from scholar_indexes.papers.entry import Entry
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Facet

SPACE = "tiny_0123"
TEXT = ("Tides are hard to foretell.", "We count the barnacles.", "They were late.")


def entry(
    title: str = "Counting barnacles by moonlight",
    *names: str,
    year: int | None = 2019,
    author: str = "Ada Byrne",
    text: tuple[str, ...] = TEXT,
    **csl: Any,
) -> Entry:
    given, _, family = author.rpartition(" ")
    item: dict[str, Any] = {"id": "x", "type": "article-journal", "title": title, **csl}
    if author:
        item["author"] = [{"family": family, "given": given}]
    if year:
        item["issued"] = {"date-parts": [[year]]}
    return Entry(
        item, names or (ids.title_id(title),), tuple((sentence, None) for sentence in text)
    )


def many(count: int, first: int = 0, year: int = 2000) -> list[Entry]:
    return [
        entry(f"The barnacles of island {at}", f"doi:10.5555/{at}", year=year + at % 10)
        for at in range(first, first + count)
    ]


def put(
    papers: PaperCatalog, *entries: Entry, collection: str = "papers"
) -> list[tuple[int, EntryOutcomeKind]]:
    """Add entries and list them; return the number of each paper, and the outcome of its entry."""
    added = papers.add(entries, collection)
    papers.mark_indexed(SPACE, added.revision)
    return [(outcome.number, outcome.kind) for outcome in added.outcomes]


def numbers(papers: PaperCatalog, *args: Any, **more: Any) -> list[int]:
    return [paper.number for paper in papers.papers(*args, **more)]


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


@pytest.mark.parametrize(
    "content",
    [b"this is not a database, " * 100, b"SQLite format 3\x00" + b"\xff" * 4096],
    ids=["prose", "a broken header"],
)
def test_a_damaged_file_says_what_to_do(papers: PaperCatalog, path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(Damaged, match="move it away"):
        numbers(papers)
    with pytest.raises(Damaged, match="move it away"):
        put(papers, entry())
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("UPDATE records SET csl = '{'", id="an item that is no JSON"),
        pytest.param("UPDATE records SET csl = '[]'", id="an item that is a list"),
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
    with pytest.raises(Damaged, match="move it away"):
        numbers(papers)


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


def test_what_was_added_is_not_listed_before_it_is_recorded(
    papers: PaperCatalog, path: Path
) -> None:
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
from test_paper_catalog import many, put

def entries(kill):
    for each in many(30):
        yield each
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


def test_a_number_is_never_used_again(papers: PaperCatalog) -> None:
    ((first, _),) = put(papers, entry())
    papers.purge([first])
    assert numbers(papers) == [first], "a listed paper is forgotten only after it was unlisted"
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


LONG = "Counting barnacles by moonlight"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(
            entry(LONG, "doi:10.1/a"),
            entry("Other words", "doi:10.1/a", year=1990),
            True,
            id="one DOI",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a", "arxiv:1901.00001"),
            entry("Other words", "arxiv:1901.00001"),
            True,
            id="one arXiv id of two ids",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a"),
            entry("COUNTING Bárnacles, by moonlight!"),
            True,
            id="one title but for case, accents and marks",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a", year=2018),
            entry(LONG, "doi:10.2/b", year=2019),
            True,
            id="a preprint of the year before",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a", year=2017),
            entry(LONG, "doi:10.2/b", year=2019),
            False,
            id="one title two years apart",
        ),
        pytest.param(
            entry(LONG, year=2001),
            entry(LONG, year=2010),
            False,
            id="one title nine years apart, no other id",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a"), entry(LONG, year=None), True, id="a year that is not known"
        ),
        pytest.param(
            entry(LONG, author="Ada Byrne"),
            entry(LONG, author="A. Byrne"),
            True,
            id="a given name in short",
        ),
        pytest.param(
            entry(LONG, author="Ada Byrne"),
            entry(LONG, author="Max Oro"),
            False,
            id="one title by others",
        ),
        pytest.param(
            entry(LONG, author="Ada Byrne"),
            entry(LONG, author=""),
            True,
            id="authors that are not known",
        ),
        pytest.param(
            entry("Editorial", "doi:10.1/a"),
            entry("Editorial", "doi:10.1/b"),
            False,
            id="a title too short to tell",
        ),
        pytest.param(
            entry(LONG, "key:byrne2019"),
            entry("Barnacles", "key:byrne2019"),
            False,
            id="a citation key of two bibliographies",
        ),
        pytest.param(
            entry(LONG, "key:byrne2019"),
            entry(LONG + ": a diary", "key:byrne2019"),
            True,
            id="a citation key, and a subtitle",
        ),
        pytest.param(
            entry("Editorial", "key:a1"),
            entry("Editorial", "key:a1"),
            True,
            id="a short title under one key",
        ),
        pytest.param(
            entry("Editorial"),
            entry("Editorial", year=2011),
            False,
            id="two short titles of different years",
        ),
        pytest.param(
            entry("", "key:a", author="", year=None),
            entry("", "key:b", author="", year=None),
            False,
            id="two entries that say nothing",
        ),
    ],
)
def test_two_entries_are_one_paper_or_two(
    tmp_path: Path, one: Entry, other: Entry, same: bool
) -> None:
    for at, (first, second) in enumerate([(one, other), (other, one)]):
        papers = PaperCatalog(tmp_path / f"{at}.sqlite")
        outcomes = put(papers, first, second)
        assert (outcomes[0][0] == outcomes[1][0]) is same
        assert papers.count() == (1 if same else 2)
        assert [what for _, what in put(papers, first, second)] == [EntryOutcomeKind.UNCHANGED] * 2
        assert papers.count() == (1 if same else 2)


def test_the_same_twice_is_unchanged_and_waits_for_nothing(papers: PaperCatalog) -> None:
    first = put(papers, *many(4))
    assert put(papers, *many(4)) == [(number, EntryOutcomeKind.UNCHANGED) for number, _ in first]
    assert papers.pending(SPACE) == []


def test_what_two_entries_say_of_a_paper_is_kept_together(papers: PaperCatalog) -> None:
    preprint = entry(LONG, "arxiv:1901.00001", year=2018, type="article", text=(), URL="https://a")
    printed = entry(
        LONG + ": a diary",
        "doi:10.1/a",
        "arxiv:1901.00001",
        author="Ada Byrne",
        **{"container-title": "Shore Letters", "volume": "3"},
    )
    ((number, _),) = put(papers, preprint, collection="read")
    ((again, what),) = put(papers, printed, collection="cited")
    stored = papers.paper("doi:10.1/a")
    assert (again, what) == (number, EntryOutcomeKind.MERGED)
    assert stored == papers.paper("arxiv:1901.00001") == papers.paper(LONG)
    assert stored.paper.id == "doi:10.1/a"
    assert stored.paper.ids == ("doi:10.1/a", "arxiv:1901.00001")
    assert (stored.paper.title, stored.paper.year) == (LONG + ": a diary", 2019)
    assert (stored.paper.venue, stored.paper.sentences) == ("Shore Letters", TEXT)
    assert (stored.csl["URL"], stored.csl["type"]) == ("https://a", "article-journal")
    assert stored.collections == ("cited", "read")


def test_an_entry_that_knows_less_takes_nothing_away(papers: PaperCatalog) -> None:
    put(papers, entry(LONG, "doi:10.1/a", volume="3"))
    before = papers.paper("doi:10.1/a")
    bare = Entry({"id": "y", "title": LONG}, ("doi:10.1/a",), ())
    assert put(papers, bare) == [(before.number, EntryOutcomeKind.UNCHANGED)]
    assert papers.paper("doi:10.1/a") == before


def test_an_abstract_that_comes_later_is_new_text_and_waits_for_vectors(
    papers: PaperCatalog,
) -> None:
    ((number, _),) = put(papers, entry(LONG, "doi:10.1/a", text=()))
    added = papers.add([entry(LONG, "doi:10.1/a")])
    assert [(outcome.kind, outcome.has_abstract) for outcome in added.outcomes] == [
        (EntryOutcomeKind.MERGED, True)
    ]
    (waiting,) = papers.pending(SPACE)
    assert (waiting.number, waiting.revision, waiting.text_revision) == (number, 2, 2)
    papers.mark_indexed(
        SPACE, added.revision, {number: [Facet.BACKGROUND, Facet.METHOD, Facet.RESULT]}
    )
    assert papers.pending(SPACE) == []
    assert papers.paper("#1").paper.facets == (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT)


def test_a_third_entry_may_show_that_two_papers_are_one(papers: PaperCatalog) -> None:
    ((first, _),) = put(papers, entry("Barnacles: a count", "doi:10.1/a", text=()), collection="a")
    ((second, _),) = put(
        papers, entry("On the counting of shells", "arxiv:1901.00001"), collection="b"
    )
    assert first != second
    ((third, what),) = put(papers, entry(LONG, "doi:10.1/a", "arxiv:1901.00001", text=()))
    assert (third, what) == (first, EntryOutcomeKind.MERGED)
    assert papers.unfinished() == [second]
    stored = papers.paper("arxiv:1901.00001")
    assert (stored.number, stored.paper.sentences) == (first, TEXT)
    assert stored.collections == ("a", "b", "papers")
    for title in ("Barnacles: a count", "On the counting of shells", LONG):
        assert papers.paper(title).number == first
    papers.purge(papers.unfinished())
    assert numbers(papers) == [first]


def test_the_report_counts_papers_without_an_abstract_once(papers: PaperCatalog) -> None:
    bare = entry(LONG, "doi:10.1/a", text=())
    added = papers.add([bare, bare, *many(2)])
    assert [added.count(what) for what in EntryOutcomeKind] == [3, 0, 1]
    assert added.without_abstract == 1


_WORD = st.sampled_from(["tide", "shell", "kelp", ""])
_ITEM = st.fixed_dictionaries(
    {"title": st.sampled_from([LONG, LONG + ": a diary", "Kelp", ""])},
    optional={
        "container-title": _WORD,
        "type": st.sampled_from(["article", "book"]),
        "volume": _WORD,
        "author": st.lists(st.fixed_dictionaries({"family": _WORD}), max_size=3),
        "issued": st.builds(lambda year: {"date-parts": [[year]]}, st.integers(2000, 2002)),
        "custom": st.dictionaries(st.sampled_from(["s2", "openalex"]), _WORD),
    },
)
_SENTENCES = st.lists(
    st.tuples(st.sampled_from(TEXT), st.sampled_from([None, Facet.METHOD])), max_size=3
).map(tuple)
_NAMES = st.lists(
    st.sampled_from(["doi:10.1/a", "doi:10.1/b", "arxiv:1901.00001", "key:k", "pmid:1"]),
    min_size=1,
    max_size=3,
    unique=True,
)


@given(_ITEM, _ITEM)
def test_merging_again_what_was_merged_changes_nothing(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    both = merge_items(one, other)
    assert merge_items(both, one) == both
    assert merge_items(both, other) == both
    assert {name for item in (one, other) for name, value in item.items() if value} == set(both)


@given(_SENTENCES, _SENTENCES)
def test_the_richer_abstract_stays_the_richer(one: Any, other: Any) -> None:
    assert (
        fuller_abstract(fuller_abstract(one, other), one)
        == fuller_abstract(fuller_abstract(one, other), other)
        == fuller_abstract(one, other)
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda item, names, text: Entry(item, tuple(names), text), _ITEM, _NAMES, _SENTENCES
        ),
        max_size=6,
    )
)
def test_whatever_comes_every_entry_is_found_again_by_its_ids(entries: list[Entry]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        papers = PaperCatalog(Path(folder) / "papers.sqlite")
        put(papers, *entries)
        for entry in entries:
            strong = [name for name in entry.ids if not name.startswith("key:")]
            assert len({papers.paper(name).number for name in strong}) <= 1
        listed = list(papers.papers())
        assert len({name for stored in listed for name in stored.paper.ids}) == sum(
            len(stored.paper.ids) for stored in listed
        )
        assert all(stored.paper.id == stored.paper.ids[0] for stored in listed)
        assert papers.pending(SPACE) == []


@pytest.fixture
def catalog(papers: PaperCatalog) -> PaperCatalog:
    put(
        papers,
        entry("Counting barnacles by moonlight", "doi:10.5555/moon", "arxiv:1901.00001"),
        entry("Counting limpets at noon", "doi:10.5555/noon"),
        entry("Über die Gezeiten von Ä-Insel", "key:gezeiten"),
        entry("A tide table for nobody", "key:77"),
        entry("潮の満ち引きについての長い考察", "pmid:9"),
    )
    return papers


@pytest.mark.parametrize(
    ("reference", "number"),
    [
        pytest.param("doi:10.5555/moon", 1, id="its id"),
        pytest.param("https://doi.org/10.5555/MOON", 1, id="an address"),
        pytest.param("arXiv:1901.00001v3", 1, id="another of its ids"),
        pytest.param("3", 3, id="its number"),
        pytest.param("#3", 3, id="its number, marked"),
        pytest.param("77", 4, id="a key of digits"),
        pytest.param("gezeiten", 3, id="a citation key"),
        pytest.param("counting barnacles by moonlight", 1, id="its title"),
        pytest.param("limpets at no", 2, id="a piece of its title"),
        pytest.param("uber die GEZEITEN", 3, id="a piece without its accents"),
        pytest.param("潮の満ち引き", 5, id="the beginning of a Japanese title"),
        pytest.param("  table -- for\nnobody ", 4, id="white space and marks"),
    ],
)
def test_a_paper_is_found_by(catalog: PaperCatalog, reference: str, number: int) -> None:
    assert catalog.paper(reference).number == number


@pytest.mark.parametrize(
    ("reference", "near"),
    [
        pytest.param("doi:10.5555/mon", "doi:10.5555/moon", id="a letter missing in an id"),
        pytest.param("arxiv:1901.00002", "doi:10.5555/moon", id="a digit wrong in an id"),
        pytest.param(
            "Counting limpetts at nooon", "Counting limpets at noon", id="a title misspelt"
        ),
        pytest.param("gezeitn", "key:gezeiten", id="a key misspelt"),
    ],
)
def test_an_unknown_paper_is_answered_with_near_ones(
    catalog: PaperCatalog, reference: str, near: str
) -> None:
    with pytest.raises(NotThere) as raised:
        catalog.paper(reference)
    assert near in str(raised.value).partition("near ones are: ")[2].partition(")")[0]
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "reference",
    [
        "",
        " ",
        "-",
        '"',
        "' OR 1=1",
        "titles:x",
        "NEAR(a b)",
        "a AND",
        "*",
        "\x00",
        "\ud800",
        "½ ²",
        "99",
        "#",
        "9" * 30,
        "x" * 10_000,
        "a " * 5_000,
        "zzzz qqqq",
    ],
    ids=lambda reference: repr(reference)[:12],
)
def test_whatever_is_asked_is_one_clear_line(catalog: PaperCatalog, reference: str) -> None:
    with pytest.raises(NotThere, match=r"\Athere is no paper [^\n]*\Z"):
        catalog.paper(reference)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=40))
def test_no_reference_does_harm(reference: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        papers = PaperCatalog(Path(folder) / "papers.sqlite")
        put(papers, entry("Counting barnacles"), entry(reference, "doi:10.1/x"))
        with suppress(NotThere, UsageError):
            assert isinstance(papers.paper(reference), StoredPaper)


def test_a_piece_of_several_titles_names_them(catalog: PaperCatalog) -> None:
    with pytest.raises(UsageError, match=r"10\.5555/moon .*, doi:10\.5555/noon"):
        catalog.paper("counting")


def test_papers_come_in_the_order_of_their_adding_page_by_page(papers: PaperCatalog) -> None:
    put(papers, *many(1_200))
    assert numbers(papers) == [*range(1, 1_201)]
    assert numbers(papers, offset=1_000, limit=150) == [*range(1_001, 1_151)]
    assert numbers(papers, limit=600) == [*range(1, 601)]
    assert numbers(papers, limit=0) == numbers(papers, offset=1_200) == []


def test_a_list_may_change_while_it_is_read(papers: PaperCatalog) -> None:
    put(papers, *many(600))
    reading = papers.papers()
    seen = [next(reading).number]
    papers.unlist([1, 600])
    put(papers, *many(1, first=900))
    seen += [stored.number for stored in reading]
    assert (600 in seen, 601 in seen, len(seen)) == (False, True, 600)


@pytest.mark.parametrize(
    ("collection", "years", "expected"),
    [
        pytest.param(None, (None, None), [1, 2, 3, 4], id="all"),
        pytest.param("a", (None, None), [1, 2, 3], id="a collection"),
        pytest.param("b", (None, None), [3, 4], id="another, sharing one"),
        pytest.param(None, (2001, None), [2, 3], id="since a year"),
        pytest.param(None, (None, 2001), [1, 2], id="until a year"),
        pytest.param("b", (2002, 2002), [3], id="a collection and a year"),
        pytest.param(None, (2003, 1990), [], id="a range of nothing"),
    ],
)
def test_papers_are_listed_by_collection_and_years(
    papers: PaperCatalog,
    collection: str | None,
    years: tuple[int | None, int | None],
    expected: list[int],
) -> None:
    put(papers, *many(3), collection="a")
    put(papers, many(3)[2], entry("Undated shells of the shore", year=None), collection="b")
    assert numbers(papers, collection, years) == expected
    assert papers.count(collection, years) == len(expected)
    assert [(collection.name, collection.papers) for collection in papers.collections()] == [
        ("a", 3),
        ("b", 2),
    ]


def test_an_unknown_collection_names_those_there_are(papers: PaperCatalog) -> None:
    put(papers, entry(), collection="thesis")
    for ask in (
        lambda: numbers(papers, "theses"),
        lambda: papers.collection_numbers(["theses"]),
        lambda: papers.remove_from_collection([1], "theses"),
    ):
        with pytest.raises(NotThere, match="no collection 'theses'; there are: thesis"):
            ask()


@pytest.mark.parametrize("name", ["", " ", "a\nb", " a", "\x1b[31m", "x" * 101], ids=repr)
def test_a_name_that_cannot_be_shown_is_no_collection(papers: PaperCatalog, name: str) -> None:
    with pytest.raises(UsageError, match="one line of 1 to 100"):
        papers.add([entry()], name)
    assert papers.collections() == []


def test_leaving_the_last_collection_is_leaving_the_list(papers: PaperCatalog) -> None:
    put(papers, *many(2), collection="a")
    put(papers, many(1)[0], collection="b")
    assert papers.remove_from_collection([1, 2, 99], "a") == [2]
    assert (numbers(papers), papers.unfinished()) == ([1], [2])
    assert [stored.number for stored in papers.pending(SPACE)] == [1], (
        "its row names its collections"
    )


def test_an_export_has_abstracts_and_keeps_the_order_requested(catalog: PaperCatalog) -> None:
    items = catalog.csl_items([2, 99, 1])
    assert [item["title"] for item in items] == ["Counting limpets at noon", LONG]
    assert items[0]["abstract"] == " ".join(TEXT)
    assert "abstract" not in catalog.csl_items([])


def test_facets_are_the_sources_own_until_others_are_known(papers: PaperCatalog) -> None:
    labelled = Entry(entry().csl, ("doi:10.1/a",), ((TEXT[0], Facet.METHOD), (TEXT[1], None)))
    put(papers, labelled)
    stored = papers.paper("doi:10.1/a")
    assert stored.given == (Facet.METHOD, None)
    assert stored.paper.facets == (Facet.METHOD, Facet.OTHER)


def test_a_new_space_waits_for_every_paper_and_an_old_one_for_none(papers: PaperCatalog) -> None:
    for first in (0, 3, 6):
        put(papers, *many(3, first))
    assert papers.pending(SPACE) == []
    stored = []
    while batch := papers.pending("another", limit=4):
        stored.append([paper.number for paper in batch])
        papers.mark_indexed("another", batch[-1].revision)
    assert stored == [[1, 2, 3], [4, 5, 6], [7, 8, 9]], "whole revisions, one at least"
    papers.forget_space("another")
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
