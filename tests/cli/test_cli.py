"""The command line: usage errors, help, the first query, settings and pipes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from command_line import (
    SCHOLAR,
    CommandResult,
    Scholar,
    environment,
    error_line,
    run_process,
    succeeded,
)
from sample_books import CLAIM, SAMPLE
from scholar_indexes.attribution.pipeline import DEFAULT_MODEL as SPEAKER_MODEL
from scholar_indexes.coreference.resolver.model import DEFAULT_MODEL as PEOPLE_MODEL
from scholar_indexes.papers.method_map import PACKAGED_MAP
from scholar_indexes.settings import (
    DEFAULT_FACET_MODEL,
    DEFAULT_MODEL,
    DEFAULT_PAPERS_MODEL,
    DEFAULT_RERANKER,
    OWN_FACET_MODEL,
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(["find"], "there is no claim", id="find without a claim"),
        pytest.param(["fnd", "x"], "no such command", id="no such command"),
        pytest.param(["--nope"], "no such option", id="no such option of scholar"),
        pytest.param(["find", "x", "--nope"], "no such option", id="no such option of find"),
        pytest.param(["find", "x", "--mode", "psychic"], "not one of", id="no such mode"),
        pytest.param(["find", "x", "--format", "xml"], "not one of", id="no such format"),
        pytest.param(["find", "x", "-n", "0"], "not in the range", id="no places at all"),
        pytest.param(["find", "x", "-n", "many"], "not a valid int", id="not a number"),
        pytest.param(["find", "x", "--sentences", "0-9"], "1 to 5 sentences", id="no such lengths"),
        pytest.param(
            ["find", "x", "--sentences", "5-2"], "1 to 5 sentences", id="lengths backwards"
        ),
        pytest.param(["find", "x", "--chapter", "9-3"], "run backwards", id="chapters backwards"),
        pytest.param(
            ["find", "x", "--chapter", "nine-x-y"], "write 3, III or 3-9", id="no chapter"
        ),
        pytest.param(["show", "nowhere at all"], "is not a locator", id="not a locator"),
        pytest.param(["show", "pg1:1.1:9-3"], "smaller number first", id="span backwards"),
        pytest.param(["books", "list", "all"], "unexpected extra", id="too many arguments"),
        pytest.param(["models", "pull", "../etc"], "is not a model's name", id="not a model"),
        pytest.param(["add", "."], "is a folder", id="a folder"),
        pytest.param(["add", "https://example.org/a.txt"], "not the address of a", id="address"),
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
def test_missing_books_models_and_passages_are_not_found(
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
    ("benchmark", "message"),
    [
        ("relic", "To score a sentence-transformers model of your own, use --model FOLDER."),
        ("csfcube", "To score a sentence-transformers model of your own, use --model FOLDER."),
        ("pdnc", 'JSON lines of {"novel", "quote_id", "speaker"}'),
    ],
)
def test_the_help_of_benchmarks_says_what_of_ones_own_is_scored(
    lab: Scholar, benchmark: str, message: str
) -> None:
    assert message in " ".join(lab("bench", benchmark, "--help").stdout.split())


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


def test_the_version_is_printed() -> None:
    done = subprocess.run([SCHOLAR, "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"scholar \d+\.\d+\.\d+\S*\n", done.stdout)


def test_the_version_as_json_has_what_a_report_of_a_fault_needs() -> None:
    done = subprocess.run(
        [SCHOLAR, "--version", "--json"], capture_output=True, text=True, check=True
    )
    record = json.loads(done.stdout)
    assert set(record) == {"schema_version", "version", "python", "system", "models"}
    assert record["models"]["relic-minilm"].startswith("relic_minilm_")


@pytest.mark.parametrize(
    ("line", "format"),
    [
        pytest.param("books list --json --format csv", "csv", id="JSON first"),
        pytest.param("books list --format csv --json", "csv", id="JSON last"),
        pytest.param("books list --json --format table", "table", id="what is printed without"),
        pytest.param("find x --json --format md", "md", id="find"),
        pytest.param("papers list --json --format ris", "ris", id="a bibliography"),
        pytest.param("characters emma --json --format graphml", "graphml", id="a graph"),
        pytest.param("speakers emma --json --format csv", "csv", id="speakers"),
        pytest.param("check essay.md --json --format sarif", "sarif", id="a report"),
    ],
)
def test_two_formats_are_refused(scholar: Scholar, home: Path, line: str, format: str) -> None:
    message = error_line(scholar(*line.split()), 2)
    assert message == f"--json and --format {format} are two formats; leave out one"


def test_json_may_be_asked_for_twice(scholar: Scholar, home: Path) -> None:
    assert succeeded(scholar("books", "list", "--json", "--format", "json")).json == []


@pytest.mark.parametrize(
    ("line", "message"),
    [(("--json",), "comes after the command"), (("--vers",), "no such option")],
)
def test_an_option_without_a_command_is_a_usage_error(
    scholar: Scholar, line: tuple[str, ...], message: str
) -> None:
    assert message in error_line(scholar(*line), 2)


def test_only_the_program_itself_has_the_options_of_completion(scholar: Scholar) -> None:
    assert "--install-completion" in scholar("--help").stdout
    for group in ("config", "books", "papers"):
        assert "--install-completion" not in succeeded(scholar(group, "--help")).stdout


def test_the_first_find_adds_the_sample_and_answers(first_find: tuple[Path, CommandResult]) -> None:
    result = succeeded(first_find[1])
    assert result.stderr.splitlines() == [
        "the library is empty, so the bundled sample of three books is added (once)",
        "who is in each sentence of The Great Gatsby is not known yet, so names are matched as "
        "words there; to match people, run: scholar index people -b pg64317; or add --wait",
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


def test_the_folders_are_printed(scholar: Scholar, home: Path) -> None:
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
        PEOPLE_MODEL: "people",
        DEFAULT_RERANKER: "second stage",
        DEFAULT_FACET_MODEL: "facets",
        OWN_FACET_MODEL: "",
        PACKAGED_MAP: "methods",
    }
    assert {len(model["weights_sha256"]) for model in listed} == {64}
    assert "match their hashes" in succeeded(scholar("models", "verify")).stderr


def test_the_doctor_finds_a_sound_library_sound(scholar: Scholar, two_books: Path) -> None:
    assert {check["result"] for check in succeeded(scholar("doctor", "--json")).json} == {"ok"}


def test_the_doctor_reports_faults_and_how_to_fix_them(scholar: Scholar, two_books: Path) -> None:
    next((two_books / "data" / "books").glob("own-the-lamplighter.*/text.txt")).unlink()
    result = scholar("doctor", "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    [finding] = [check for check in result.json if check["result"] != "ok"]
    assert finding["check"] == "books"
    assert "own-the-lamplighter is damaged" in finding["detail"]
    assert "scholar add FILE --refresh" in finding["detail"]


def test_the_demo_answers_on_the_bundled_books(scholar: Scholar, sample: Path) -> None:
    result = succeeded(scholar("demo"))
    assert "Gatsby" in result.stdout
    assert "now try: scholar find CLAIM" in result.stderr


@pytest.mark.parametrize(
    "line",
    [
        ["books", "list"],
        pytest.param(["find", "the clock", "--json"], marks=pytest.mark.slow),
        ["show", "own-the-lamplighter:1"],
    ],
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


@pytest.mark.parametrize(
    ("closed", "line", "code", "last_error"),
    [
        pytest.param(">&-", "books list", 0, "", id="output"),
        pytest.param(">&-", "books info none", 4, "scholar: no book is called", id="a failure"),
        pytest.param("2>&-", "books info none", 4, "", id="errors"),
        pytest.param("<&-", "find -", 2, "scholar: the claim is empty", id="input"),
        pytest.param("<&- >&- 2>&-", "books list", 0, "", id="all three"),
    ],
)
def test_a_stream_that_the_caller_closed_is_no_failure(
    two_books: Path, closed: str, line: str, code: int, last_error: str
) -> None:
    shell = ["sh", "-c", f'exec "$0" {line} {closed}', str(SCHOLAR)]
    done = subprocess.run(
        shell, env=environment(two_books), capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stderr.startswith(last_error)
    assert done.stderr.count("\n") <= 1


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


@pytest.mark.parametrize(
    "encoding",
    ["ascii", *(pytest.param(name, marks=pytest.mark.slow) for name in ("latin-1", "cp1252"))],
)
def test_a_narrow_output_encoding_is_no_failure(two_books: Path, encoding: str) -> None:
    result = run_process(
        two_books,
        "show",
        "own-the-lamplighter:1.1",
        env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        encoding=encoding,
    )
    assert "What is it?" in succeeded(result).stdout
