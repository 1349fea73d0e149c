"""End-to-end tests of the command line, typed by a user or written in a pipeline."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from command_line import (
    SCHOLAR,
    CommandResult,
    Scholar,
    environment,
    error_line,
    make_book_text,
    run_process,
    succeeded,
)
from http_server import closed_port
from mirror_server import MirrorServer, status
from scholar_indexes.attribution.pipeline import DEFAULT_MODEL as SPEAKER_MODEL
from scholar_indexes.settings import DEFAULT_FACET_MODEL, DEFAULT_MODEL, DEFAULT_PAPERS_MODEL

CLAIM = "symbols of Gatsby's wealth"
SAMPLE = {"pg64317", "pg1342", "pg84"}
BOOK_1342 = "Title: The Curate\nAuthor: Eve Third\n\n\n" + make_book_text("curate")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "the_ferryman.txt"
    path.write_text(make_book_text("ferryman"), "utf-8")
    return path


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        monkeypatch.setenv("SCHOLAR_MIRRORS", server.url())
        monkeypatch.setenv("SCHOLAR_PAUSE_S", "0")
        yield server


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(["find"], "missing argument", id="find without a claim"),
        pytest.param(["fnd", "x"], "no such command", id="no such command"),
        pytest.param(["--nope"], "no such option", id="no such option of scholar"),
        pytest.param(["find", "x", "--nope"], "no such option", id="no such option of find"),
        pytest.param(["find", "x", "--mode", "psychic"], "not one of", id="no such mode"),
        pytest.param(["find", "x", "--format", "xml"], "not one of", id="no such format"),
        pytest.param(["find", "x", "-n", "0"], "not in the range", id="no places at all"),
        pytest.param(["find", "x", "-n", "many"], "not a valid int", id="not a number"),
        pytest.param(["find", "x", "--sentences", "0-9"], "from 1 to 5", id="no such lengths"),
        pytest.param(["find", "x", "--sentences", "5-2"], "from 1 to 5", id="lengths backwards"),
        pytest.param(["find", "x", "--chapter", "9-3"], "run backwards", id="chapters backwards"),
        pytest.param(["find", "x", "--chapter", "ix"], "write 3 or 3-9", id="chapter in words"),
        pytest.param(["show", "nowhere at all"], "is not a locator", id="not a locator"),
        pytest.param(["show", "pg1:1.1:9-3"], "smaller number first", id="span backwards"),
        pytest.param(["books", "list", "all"], "unexpected extra", id="too many arguments"),
        pytest.param(["models", "pull", "../etc"], "is not a model's name", id="not a model"),
        pytest.param(["add", "."], "is a folder", id="a folder"),
        pytest.param(["add", "https://example.org/a.txt"], "not an address of a", id="address"),
        pytest.param(["add", "a", "b", "--title", "T"], "one by one", id="one title for two"),
    ],
)
def test_a_wrong_command_line_ends_in_one_line(
    scholar: Scholar, line: list[str], message: str
) -> None:
    assert message in error_line(scholar(*line), 2)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param(["books", "info", "pg1"], 4, id="info"),
        pytest.param(["books", "remove", "emma"], 4, id="remove"),
        pytest.param(["show", "pg1:1.1"], 4, id="show"),
        pytest.param(["find", "a claim", "-b", "pg1"], 4, id="find in it"),
        pytest.param(["find", "a claim", "--author", "Nobody"], 4, id="find by nobody"),
        pytest.param(["models", "verify", "owner/unheard-of"], 4, id="model"),
        pytest.param(["models", "remove", DEFAULT_MODEL], 2, id="packaged model"),
        pytest.param(["find", "a claim", "--model", "owner/unheard-of"], 4, id="find with a model"),
        pytest.param(["find", "a claim", "-b", "the"], 2, id="piece of both titles"),
    ],
)
def test_what_is_not_there_is_said_to_be_not_there(
    scholar: Scholar, two_books: Path, line: list[str], code: int
) -> None:
    assert error_line(scholar(*line), code)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("SCHOLAR_DEVICE", "abacus", id="device"),
        pytest.param("SCHOLAR_OFFLINE", "perhaps", id="switch"),
        pytest.param("SCHOLAR_TIMEOUT_S", "-1", id="number"),
        pytest.param("SCHOLAR_MODEL", " ", id="empty"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(
    scholar: Scholar, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert name in error_line(scholar("books", "list"), 2)


def test_a_home_that_is_a_file_is_named(
    scholar: Scholar, monkeypatch: pytest.MonkeyPatch, book: Path
) -> None:
    monkeypatch.setenv("SCHOLAR_HOME", str(book))
    assert "not a folder" in error_line(scholar("books", "list"), 2)


@pytest.mark.parametrize(
    "line",
    [[], ["find"], ["add"], ["books"], ["books", "list"], ["index", "rebuild"], ["demo"]],
    ids=" ".join,
)
def test_help_is_given_and_is_no_failure(scholar: Scholar, line: list[str]) -> None:
    result = succeeded(scholar(*line, "--help"))
    assert result.stdout.startswith("Usage: scholar")
    assert result.stderr == ""


@pytest.mark.parametrize("line", [[], ["books"], ["config"]], ids=" ".join)
def test_a_command_that_lacks_its_verb_shows_the_choice(scholar: Scholar, line: list[str]) -> None:
    result = scholar(*line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: scholar")


def test_the_version_is_told() -> None:
    done = subprocess.run([SCHOLAR, "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"scholar \d+\.\d+\.\d+\S*\n", done.stdout)


def test_the_first_find_adds_the_sample_and_answers(first_find: tuple[Path, CommandResult]) -> None:
    result = succeeded(first_find[1])
    assert result.stderr.splitlines() == [
        "the library is empty, so the bundled sample of three books is added (once)"
    ]
    assert len(result.json) == 10
    assert "pg64317" in {hit["book"]["id"] for hit in result.json[:3]}


def test_the_second_find_adds_nothing(scholar: Scholar, sample: Path) -> None:
    assert succeeded(scholar("find", CLAIM, "-n", "1")).stderr == ""


def test_a_question_that_makes_no_sense_adds_no_sample(scholar: Scholar, home: Path) -> None:
    error_line(scholar("find", "?!"), 2)
    assert not home.exists()


def test_after_everything_was_removed_the_sample_does_not_come_back(
    scholar: Scholar, first_find: tuple[Path, CommandResult], home: Path
) -> None:
    shutil.copytree(first_find[0], home)
    for book_id in SAMPLE:
        succeeded(scholar("books", "remove", book_id))
    assert "scholar add" in error_line(scholar("find", CLAIM), 4)


def test_an_empty_library_says_what_to_do(scholar: Scholar) -> None:
    result = succeeded(scholar("books", "list", "--json"))
    assert result.json == []
    assert "scholar add" in result.stderr


def stored_text(home: Path, book_id: str) -> str:
    [folder] = (home / "data" / "books").glob(f"{book_id}.*")
    return (folder / "text.txt").read_bytes().decode("utf-8")


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_every_hit_is_exactly_what_is_stored_and_no_two_overlap(
    scholar: Scholar, sample: Path, mode: str
) -> None:
    hits = succeeded(scholar("find", CLAIM, "--mode", mode, "--json")).json
    assert [hit["rank"] for hit in hits] == list(range(1, 11))
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    texts = {book_id: stored_text(sample, book_id) for book_id in SAMPLE}
    places = sorted((hit["book"]["id"], hit["start"], hit["end"]) for hit in hits)
    for book_id, start, end in places:
        assert 0 <= start < end <= len(texts[book_id])
    assert all(first[0] != second[0] or first[2] <= second[1] for first, second in pairwise(places))
    for hit in hits:
        text, selector = texts[hit["book"]["id"]], hit["selector"]
        assert text[hit["start"] : hit["end"]] == selector["exact"]
        assert text[: hit["start"]].endswith(selector["prefix"])
        assert text[hit["end"] :].startswith(selector["suffix"])
        assert hit["quote"] == " ".join(selector["exact"].split())


def test_show_marks_exactly_the_text_of_a_hit(scholar: Scholar, sample: Path) -> None:
    for hit in succeeded(scholar("find", CLAIM, "--json")).json:
        shown = succeeded(scholar("show", hit["locator"], "--json")).json
        assert shown["exact"] == hit["selector"]["exact"]
        assert (shown["start"], shown["end"]) == (hit["start"], hit["end"])
        assert shown["locator"] == hit["locator"]
        marked = succeeded(scholar("show", hit["locator"])).stdout
        marked = marked[marked.index("»") + 1 : marked.rindex("«")]
        words = re.sub(r"^ *[0-9]+ ", "", marked, flags=re.MULTILINE)
        assert words.split() == hit["selector"]["exact"].split()


def test_ten_thousand_hits_are_not_promised_but_a_thousand_are(
    scholar: Scholar, sample: Path
) -> None:
    hits = succeeded(scholar("find", "love", "-n", "1000", "--format", "jsonl")).lines
    assert 500 < len(hits) <= 1000


def test_every_line_of_json_lines_is_a_hit(sample: Path) -> None:
    result = succeeded(run_process(sample, "find", "-", "--format", "jsonl", stdin=CLAIM.encode()))
    hits = [json.loads(line) for line in result.lines]
    assert len(hits) == 10
    assert all(hit["quote"] and hit["schema_version"] == 1 for hit in hits)


@pytest.mark.parametrize(
    ("filters", "books"),
    [
        pytest.param(["-b", "pg84"], {"pg84"}, id="by id"),
        pytest.param(["-b", "84"], {"pg84"}, id="by number"),
        pytest.param(["-b", "frankenstein"], {"pg84"}, id="by a piece of a title"),
        pytest.param(["-b", "PG84:3.1"], {"pg84"}, id="by a locator"),
        pytest.param(["-b", "pg84", "-b", "pg1342", "-b", "84"], {"pg84", "pg1342"}, id="by two"),
        pytest.param(["--author", "austen"], {"pg1342"}, id="by author"),
        pytest.param(["--author", "austen", "-b", "1342"], {"pg1342"}, id="by author and id"),
    ],
)
def test_filters_choose_the_books_that_may_answer(
    scholar: Scholar, sample: Path, filters: list[str], books: set[str]
) -> None:
    hits = succeeded(scholar("find", "a guilty conscience", "-n", "60", "--json", *filters)).json
    assert len(hits) == 60
    assert {hit["book"]["id"] for hit in hits} == books


@pytest.mark.parametrize(
    ("written", "low", "high"), [("3-9", 3, 9), ("4", 4, 4), ("60-", 60, 99), ("-2", 0, 2)]
)
def test_only_the_chapters_that_were_named_answer(
    scholar: Scholar, sample: Path, written: str, low: int, high: int
) -> None:
    hits = succeeded(
        scholar("find", "a proposal of marriage", f"--chapter={written}", "--json")
    ).json
    assert hits
    assert all(low <= hit["chapter"]["number"] <= high for hit in hits)


@pytest.mark.parametrize(("written", "longest"), [("1", 1), ("2", 2), ("1-3", 3)])
def test_a_place_is_as_long_as_was_asked(
    scholar: Scholar, two_books: Path, written: str, longest: int
) -> None:
    line = ("find", "a letter about the orchard", "--sentences", written, "--json")
    for hit in succeeded(scholar(*line)).json:
        quote = hit["quote"]
        assert 1 <= len(re.findall(r"[.?;]”?(?= |$)", quote)) <= longest + quote.count("?”")


def test_as_many_places_as_were_asked_for(scholar: Scholar, two_books: Path) -> None:
    assert [
        len(succeeded(scholar("find", "the clock", "-n", str(n), "--json")).json) for n in (1, 3, 7)
    ] == [1, 3, 7]


def test_a_search_without_a_match_is_no_failure(scholar: Scholar, two_books: Path) -> None:
    result = succeeded(scholar("find", "zygomorphic", "--mode", "lexical", "--json"))
    assert result.json == []
    assert result.stderr.startswith("nothing was found")
    assert succeeded(scholar("find", "x", "--chapter", "77", "--format", "jsonl")).stdout == ""


def test_explain_says_where_each_ranker_had_a_place(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "the lamplighter buried the key", "--explain", "-n", "3")
    first = succeeded(scholar(*line, "--json")).json[0]["explain"]
    assert set(first) == {"dense", "lexical"}
    assert any(rank and rank["rank"] >= 1 for rank in first.values())
    assert "lexical  rank" in succeeded(scholar(*line)).stdout
    [header, *rows] = csv.reader(io.StringIO(succeeded(scholar(*line, "--format", "csv")).stdout))
    assert header[-2:] == ["dense", "lexical"]
    assert all(row[-1] == "" or int(row[-1]) >= 1 for row in rows)


def test_context_is_shown_when_asked_for(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "the lamplighter buried the key", "-n", "1", "--sentences", "1")
    assert "…" not in succeeded(scholar(*line)).stdout
    assert "…" in succeeded(scholar(*line, "--context", "2")).stdout
    [hit] = succeeded(scholar(*line, "--context", "0", "--json")).json
    assert (hit["before"], hit["after"]) == ("", "")


def test_a_masked_claim_is_a_query(scholar: Scholar, two_books: Path) -> None:
    masked = "When the key is buried [MASK] the reader understands what silence costs."
    assert len(succeeded(scholar("find", masked, "--json")).json) == 10


def test_find_prints_one_answer_in_every_format(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "who mended the clock?", "-n", "4")
    hits = succeeded(scholar(*line, "--json")).json
    locators, quotes = [hit["locator"] for hit in hits], [hit["quote"] for hit in hits]
    outputs = {
        name: succeeded(scholar(*line, "--format", name)).stdout
        for name in ("table", "plain", "jsonl", "csv", "md")
    }
    assert re.findall(r"\[(own-\S+)\]", outputs["table"]) == locators
    assert [row.split("\t") for row in outputs["plain"].splitlines()] == [
        list(pair) for pair in zip(locators, quotes, strict=True)
    ]
    assert [json.loads(row) for row in outputs["jsonl"].splitlines()] == hits
    table = list(csv.DictReader(io.StringIO(outputs["csv"])))
    assert [row["quote"] for row in table] == quotes
    assert re.findall(r"`(own-\S+)`", outputs["md"]) == locators
    assert "\x1b" not in "".join(outputs.values())


def test_a_file_is_added_once(scholar: Scholar, two_books: Path, book: Path) -> None:
    [added] = succeeded(scholar("add", str(book), "--json")).json
    assert (added["id"], added["outcome"]) == ("own-the-ferryman", "added")
    assert added["title"] == "the ferryman"
    [again] = succeeded(scholar("add", str(book), "--json")).json
    assert (again["id"], again["outcome"]) == ("own-the-ferryman", "already here")
    assert succeeded(scholar("books", "list", "--json")).ids.count("own-the-ferryman") == 1


def test_the_same_text_under_another_name_is_the_same_book(
    scholar: Scholar, two_books: Path, book: Path, tmp_path: Path
) -> None:
    succeeded(scholar("add", str(book)))
    copy = shutil.copy(book, tmp_path / "another name.txt")
    [again] = succeeded(scholar("add", str(copy), "--title", "Another", "--json")).json
    assert (again["id"], again["outcome"]) == ("own-the-ferryman", "already here")


def test_another_text_of_that_name_is_refused_until_it_may_replace(
    scholar: Scholar, two_books: Path, book: Path
) -> None:
    succeeded(scholar("add", str(book)))
    book.write_text(make_book_text("smuggler"), "utf-8")
    assert "--refresh" in error_line(scholar("add", str(book)), 2)
    assert not succeeded(scholar("find", "smuggler", "--mode", "lexical", "--json")).json
    [replaced] = succeeded(scholar("add", str(book), "--refresh", "--json")).json
    assert replaced["outcome"] == "replaced"
    assert not succeeded(scholar("find", "ferryman", "--mode", "lexical", "--json")).json
    assert succeeded(scholar("find", "smuggler", "--mode", "lexical", "--json")).json
    assert len(list((two_books / "data" / "books").iterdir())) == 3


def test_standard_input_is_a_source(home: Path) -> None:
    text = make_book_text("postman").encode()
    result = succeeded(
        run_process(home, "add", "-", "--title", "The Postman", "--json", stdin=text)
    )
    assert result.ids == ["own-the-postman"]
    assert result.stderr == ""


def test_a_dry_run_stores_nothing(scholar: Scholar, home: Path, book: Path) -> None:
    [planned] = succeeded(scholar("add", str(book), "--dry-run", "--json")).json
    assert planned["outcome"] == "would be added"
    assert (planned["chapters"], planned["sentences"]) == (3, 120)
    assert not home.exists()


def test_what_a_person_says_of_a_book_counts(scholar: Scholar, book: Path) -> None:
    options = (
        "--title",
        "Ferry, [bold]and[/] Back",
        "--author",
        "Zoë Ångström",
        "--language",
        "en",
    )
    [added] = succeeded(scholar("add", str(book), *options, "--json")).json
    assert added["id"] == "own-ferry-bold-and-back"
    assert (added["title"], added["author"]) == ("Ferry, [bold]and[/] Back", "Zoë Ångström")
    assert "[bold]and[/]" in succeeded(scholar("books", "list")).stdout


def test_books_that_were_added_before_one_failed_are_told(
    scholar: Scholar, home: Path, book: Path
) -> None:
    result = scholar("add", str(book), "no-such-file.txt", "--format", "plain")
    assert "no-such-file.txt" in error_line(result, 4)
    assert result.stdout.startswith("own-the-ferryman\t")


def test_the_shelf_is_listed_with_ids(scholar: Scholar, two_books: Path) -> None:
    listed = succeeded(scholar("books", "list", "--json")).json
    assert [(book["id"], book["author"]) for book in listed] == [
        ("own-the-lamplighter", "Ann Example"),
        ("own-the-clockmaker", "Ben Other"),
    ]
    assert all(len(book["sha256"]) == 64 and book["sentences"] == 120 for book in listed)
    for name in ("table", "plain", "csv", "md"):
        assert "own-the-clockmaker" in succeeded(scholar("books", "list", "--format", name)).stdout


def test_a_book_is_described_with_the_locators_of_its_chapters(
    scholar: Scholar, two_books: Path
) -> None:
    info = succeeded(scholar("books", "info", "lamplighter", "--json")).json
    assert [division["locator"] for division in info["divisions"]] == [
        f"own-the-lamplighter:{chapter}" for chapter in (1, 2, 3)
    ]
    assert "own-the-lamplighter:2" in succeeded(scholar("books", "info", "lamplighter")).stdout
    for division in info["divisions"]:
        succeeded(scholar("show", division["locator"]))


def test_a_removed_book_is_gone_from_the_disk_too(scholar: Scholar, two_books: Path) -> None:
    result = succeeded(scholar("books", "remove", "own-the-lamplighter"))
    assert result.stderr == "removed own-the-lamplighter The Lamplighter\n"
    assert succeeded(scholar("books", "list", "--json")).ids == ["own-the-clockmaker"]
    assert succeeded(scholar("find", "lamplighter", "--mode", "lexical", "--json")).json == []
    assert [path.name for path in (two_books / "data" / "books").iterdir()] == [
        "own-the-clockmaker.2"
    ]
    assert succeeded(scholar("index", "status", "--json")).json["sentences"] == 120


def test_show_gives_what_a_locator_names(scholar: Scholar, two_books: Path) -> None:
    chapter = succeeded(scholar("show", "own-the-lamplighter:2", "--json")).json
    assert len(chapter["paragraphs"]) == 10
    paragraph = succeeded(
        scholar("show", "own-the-lamplighter:2.4", "--context", "0", "--json")
    ).json
    assert [part["locator"] for part in paragraph["paragraphs"]] == ["own-the-lamplighter:2.4"]
    assert paragraph["exact"] == paragraph["paragraphs"][0]["text"]
    near = succeeded(scholar("show", "own-the-lamplighter:2.4", "--context", "2", "--json")).json
    assert [part["locator"][-3:] for part in near["paragraphs"]] == [f"2.{n}" for n in range(2, 7)]
    span = succeeded(scholar("show", "own-the-lamplighter:2.4:4-15", "--json")).json
    assert span["exact"] == "lamplighter"
    read = succeeded(scholar("show", "own-the-lamplighter:2.4:4-15")).stdout
    assert "The »lamplighter« walked" in read


@pytest.mark.parametrize(
    ("place", "code"),
    [
        pytest.param("", 2, id="a whole book"),
        pytest.param(":4", 4, id="no such chapter"),
        pytest.param(":1.0", 4, id="paragraph nought"),
        pytest.param(":1.11", 4, id="no such paragraph"),
        pytest.param(":3.10:0-9999", 4, id="past the end of the chapter"),
        pytest.param(":3.10:999990-999999", 4, id="far past the end"),
        pytest.param(":1.1:5-5", 2, id="nothing"),
        pytest.param(":999999.9999999:999999998-999999999", 4, id="the largest numbers"),
    ],
)
def test_a_place_the_book_does_not_have_is_refused(
    scholar: Scholar, two_books: Path, place: str, code: int
) -> None:
    assert error_line(scholar("show", f"own-the-lamplighter{place}"), code)


def test_the_index_is_described_rebuilt_and_tidied(scholar: Scholar, two_books: Path) -> None:
    state = succeeded(scholar("index", "status", "--json")).json
    assert (state["books"], state["sentences"], state["not_in_the_index"]) == (2, 240, [])
    assert "0 were encoded" in succeeded(scholar("index", "rebuild")).stderr
    assert "2 were encoded" in succeeded(scholar("index", "rebuild", "--afresh")).stderr
    assert succeeded(scholar("index", "optimize")).stderr.startswith("240 sentences")
    assert succeeded(scholar("index", "status", "--json")).json["sentences"] == 240
    assert succeeded(scholar("find", "lamplighter", "--json")).json


def test_settings_count_in_the_order_flag_environment_file_default(
    scholar: Scholar, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "config.toml").write_text('threads = 3\ntimeout_s = 5\nmodel = "from/file"\n', "utf-8")
    monkeypatch.setenv("SCHOLAR_TIMEOUT_S", "7")
    shown = {
        setting["setting"]: (setting["value"], setting["set_by"])
        for setting in succeeded(scholar("config", "show", "--json")).json
    }
    assert shown["threads"] == (3, str(home / "config.toml"))
    assert shown["timeout_s"] == (7.0, "SCHOLAR_TIMEOUT_S")
    assert shown["offline"] == (False, "default")
    assert "from/flag" in error_line(scholar("index", "status", "--model", "from/flag"), 4)


def test_the_folders_are_told(scholar: Scholar, home: Path) -> None:
    folders = succeeded(scholar("config", "path", "--json")).json
    assert folders == {
        "config": str(home / "config.toml"),
        "data": str(home / "data"),
        "cache": str(home / "cache"),
    }


def test_the_packaged_models_are_listed_and_whole(scholar: Scholar) -> None:
    listed = succeeded(scholar("models", "list", "--json")).json
    assert {model["name"]: model["in_use"] for model in listed} == {
        DEFAULT_MODEL: "books",
        DEFAULT_PAPERS_MODEL: "papers",
        SPEAKER_MODEL: "speakers",
        DEFAULT_FACET_MODEL: "facets",
    }
    assert {len(model["weights_sha256"]) for model in listed} == {64}
    assert "as they should be" in succeeded(scholar("models", "verify")).stderr


def test_the_doctor_finds_a_sound_library_sound(scholar: Scholar, two_books: Path) -> None:
    assert {check["result"] for check in succeeded(scholar("doctor", "--json")).json} == {"ok"}


def test_the_doctor_says_what_is_wrong_and_how_to_mend_it(
    scholar: Scholar, two_books: Path
) -> None:
    next((two_books / "data" / "books").glob("own-the-lamplighter.*/text.txt")).unlink()
    result = scholar("doctor", "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    [finding] = [check for check in result.json if check["result"] != "ok"]
    assert finding["check"] == "books"
    assert "scholar books remove own-the-lamplighter" in finding["detail"]


def test_the_demo_answers_on_the_bundled_books(sample: Path) -> None:
    result = succeeded(run_process(sample, "demo"))
    assert "Gatsby" in result.stdout
    assert "yours" in result.stderr


def test_a_gutenberg_number_is_fetched_from_the_mirror_once(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    mirror.put("/1/3/4/1342/1342-0.txt", BOOK_1342.encode())
    result = succeeded(scholar("add", "1342", "--json"))
    assert (result.ids, result.json[0]["title"]) == (["pg1342"], "The Curate")
    assert mirror.url() in result.stderr
    requested = len(mirror.requests)
    for again in ("pg1342", "https://www.gutenberg.org/ebooks/1342"):
        assert succeeded(scholar("add", again, "--json")).json[0]["outcome"] == "already here"
    assert len(mirror.requests) == requested


def test_another_mirror_can_be_named(scholar: Scholar, mirror: MirrorServer) -> None:
    mirror.put("/other/1/3/4/1342/1342-0.txt", BOOK_1342.encode())
    line = ("add", "1342", "--mirror", mirror.url("/other"), "--json")
    assert succeeded(scholar(*line)).ids == ["pg1342"]


def test_a_refresh_fetches_and_replaces(scholar: Scholar, mirror: MirrorServer) -> None:
    mirror.put("/1/3/4/1342/1342-0.txt", BOOK_1342.encode())
    succeeded(scholar("add", "1342"))
    mirror.put("/1/3/4/1342/1342-0.txt", BOOK_1342.replace("curate", "verger").encode())
    [replaced] = succeeded(scholar("add", "1342", "--refresh", "--json")).json
    assert replaced["outcome"] == "replaced"
    assert succeeded(scholar("find", "verger", "--mode", "lexical", "-n", "1", "--json")).json


def test_a_number_no_mirror_has_is_not_there(scholar: Scholar, mirror: MirrorServer) -> None:
    assert "999998" in error_line(scholar("add", "999998"), 4, after_progress=True)
    assert succeeded(scholar("books", "list", "--json")).json == []


def test_a_mirror_that_asks_to_wait_long_is_not_waited_for(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    for name in ("-0", "-8", ""):
        mirror.script(f"/1/3/4/1342/1342{name}.txt", status(503, Retry_After="7200"))
    mirror.script("/cache/epub/1342/pg1342.txt", status(503, Retry_After="7200"))
    assert error_line(scholar("add", "1342"), 3, after_progress=True)


def test_offline_forbids_fetching(scholar: Scholar, mirror: MirrorServer) -> None:
    assert "without --offline" in error_line(scholar("add", "1342", "--offline"), 3)
    error_line(scholar("catalog", "update", "--offline"), 3)
    error_line(scholar("models", "pull", "owner/name", "--offline"), 3)
    assert mirror.requests == []


def test_a_mirror_that_is_not_there_can_be_tried_again_later(
    scholar: Scholar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_MIRRORS", f"http://127.0.0.1:{closed_port()}/")
    monkeypatch.setenv("SCHOLAR_PAUSE_S", "0")
    monkeypatch.setenv("SCHOLAR_TIMEOUT_S", "1")
    assert error_line(scholar("add", "1342"), 3, after_progress=True)


def test_the_catalogue_is_fetched_and_then_searched_without_the_network(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    assert "scholar catalog update" in error_line(scholar("catalog", "search", "austen"), 4)
    catalog = (
        "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
        '1342,Text,1998-06-01,Pride and Prejudice,en,"Austen, Jane, 1775-1817",England,PR,Best\n'
        '84,Text,1993-10-01,"Frankenstein; Or, The Modern\nPrometheus",en,"Shelley, Mary",H,PR,G\n'
    )
    mirror.put("/cache/epub/feeds/pg_catalog.csv.gz", gzip.compress(catalog.encode()))
    assert "lists 2 books" in succeeded(scholar("catalog", "update")).stderr
    requested = len(mirror.requests)
    [row] = succeeded(scholar("catalog", "search", "austen prid", "--json")).json
    assert (row["id"], row["author"]) == (1342, "Jane Austen")
    result = succeeded(scholar("catalog", "search", "nobody wrote this", "--json"))
    assert result.json == []
    assert len(mirror.requests) == requested


@pytest.mark.parametrize(
    "line",
    [["books", "list"], ["find", "the clock", "--json"], ["show", "own-the-lamplighter:1"]],
    ids=lambda line: line[0],
)
def test_a_pipe_that_closes_early_ends_the_command_silently(
    two_books: Path, line: list[str]
) -> None:
    process = subprocess.Popen(
        [SCHOLAR, *line], env=environment(two_books), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as errors:
        assert (errors.read(), process.wait()) == (b"", 0)


def test_output_that_has_nowhere_to_go_is_a_failure(two_books: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("wb") as nowhere:
        process = subprocess.run(
            [SCHOLAR, "books", "list"],
            env=environment(two_books),
            stdout=nowhere,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "space" in error_line(CommandResult(process.returncode, "", process.stderr), 1)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_narrow_output_encoding_is_no_failure(two_books: Path, encoding: str) -> None:
    result = run_process(
        two_books,
        "show",
        "own-the-lamplighter:1.1",
        env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        encoding=encoding,
    )
    assert "What is it?" in succeeded(result).stdout
