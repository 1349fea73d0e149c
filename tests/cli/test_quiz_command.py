"""scholar quiz, run by a user at a terminal and by another program."""

from __future__ import annotations

import csv
import io
import json
import shlex
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from pseudo_terminal import Terminal


@pytest.fixture
def terminal(home: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*args: str) -> Terminal:
        opened.append(Terminal(home, *args))
        return opened[-1]

    yield start
    for terminal in opened:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.close()


def draw_questions(scholar: Scholar, *args: str) -> list[dict[str, object]]:
    return list(succeeded(scholar("quiz", *args, "--json")).json)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["-b", "ulysses"], 4, "choose one of:", id="a book without descriptions"),
        pytest.param(["-b", "the"], 2, "several books", id="a piece of several titles"),
        pytest.param(["--level", "5"], 2, "1, 2, 3, 4", id="no level"),
        pytest.param(["--upto", "3"], 2, "-b BOOK", id="a chapter of which book"),
        pytest.param(["--upto", "3", "--upto-section", "3"], 2, "leave out one", id="both ends"),
        pytest.param(
            ["-b", "emma", "--anonymize"], 4, "scholar add 158", id="no text to rename by"
        ),
        pytest.param(["grade", "none.jsonl"], 4, "there is no file", id="no questions to grade"),
        pytest.param(
            ["export", "emma", "--to", "md", "--out", "."],
            2,
            "is a folder",
            id="a sheet to a folder",
        ),
        pytest.param(["import", "none.csv"], 4, "there is no file", id="nothing to import"),
        pytest.param(["export", "--to", "apkg"], 2, "--out", id="an apkg to nowhere"),
        pytest.param(["export", "--to", "md"], 2, "about one book", id="a worksheet of no book"),
        pytest.param(["export", "emma", "--to", "docx"], 2, "--out", id="a docx to nowhere"),
        pytest.param(
            ["export", "emma", "--to", "html", "--answers"], 2, "--out", id="a key to nowhere"
        ),
        pytest.param(
            ["export", "--to", "json", "--answers"],
            2,
            "json always has the history; leave out --answers, which is for csv and worksheets",
            id="answers of json",
        ),
        pytest.param(
            ["export", "--to", "apkg", "--answers"], 2, "apkg has no history", id="answers of apkg"
        ),
        pytest.param(
            ["export", "emma", "--to", "csv", "-n", "10"],
            2,
            "-n is for a worksheet: --to md, html or docx",
            id="how many of csv",
        ),
        pytest.param(
            ["export", "--to", "json", *"--kind mixed --level 2 --upto 3 --upto-section 3".split()],
            2,
            "--kind, --level, --upto, --upto-section are for a worksheet",
            id="what is asked of json",
        ),
        pytest.param(
            ["export", "--to", "apkg", "--seed", "7"], 2, "--seed is for", id="a seed of apkg"
        ),
        pytest.param(["bad", "--undo", "0a"], 4, "b when it is asked", id="nothing bad to undo"),
    ],
)
def test_an_impossible_quiz_is_one_clear_line(
    scholar: Scholar, arguments: list[str], code: int, message: str
) -> None:
    assert message in error_line(scholar("quiz", *arguments), code)


def test_answers_that_do_not_parse_are_reported_and_the_others_count(
    scholar: Scholar, tmp_path: Path
) -> None:
    questions_asked = draw_questions(scholar, "-b", "pride", "-n", "2", "--seed", "1")
    (tmp_path / "q.json").write_text(json.dumps(questions_asked), "utf-8")
    lines = [
        "what?",
        json.dumps({"question_id": "x", "answer": 1}),
        json.dumps({"question_id": questions_asked[0]["question_id"], "answer": 99}),
        json.dumps(
            {
                "question_id": questions_asked[0]["question_id"],
                "answer": questions_asked[0]["answer"],
            }
        ),
        json.dumps({"question_id": questions_asked[1]["question_id"], "answer": None}),
    ]
    graded = scholar("quiz", "grade", str(tmp_path / "q.json"), "--json", stdin="\n".join(lines))
    assert [grade["right"] for grade in succeeded(graded).json] == [True, False]
    messages = graded.stderr.splitlines()
    assert [line[:6] for line in messages] == ["line 1", "line 2", "line 3", "1 of 2"]
    nothing = scholar("quiz", "grade", str(tmp_path / "q.json"), stdin="what?")
    assert "no answer to grade" in error_line(nothing, 5, after_progress=True)


def test_a_damaged_history_is_kept_aside(home: Path, scholar: Scholar) -> None:
    (home / "data").mkdir(parents=True)
    (home / "data" / "quiz.sqlite").write_bytes(b"not a history" * 99)
    result = succeeded(scholar("quiz", "stats", "--json"))
    assert result.json["cards"] == 0
    assert result.stderr.strip()
    copies = [path for path in (home / "data").iterdir() if b"not a history" in path.read_bytes()]
    assert len(copies) == 1


def test_a_user_answers_questions_and_gets_a_score(
    home: Path, scholar: Scholar, terminal: Callable[..., Terminal]
) -> None:
    questions_asked = draw_questions(scholar, "-b", "pride", "-n", "2", "--seed", "7")
    at = terminal("quiz", "-b", "pride", "-n", "2", "--seed", "7")
    at.until("q to quit: ")
    at.type("eleven\n")
    at.until("not a choice")
    at.type(f"{int(str(questions_asked[0]['answer'])) + 1}\n")
    at.until("Right.")
    at.until("[pg1342:")
    at.until("q to quit: ", times=3)
    at.type("\n")
    at.until("Not answered: ")
    at.until("1 of 2 right, 1 not answered; missed questions come back")
    assert at.close() == 0
    assert scholar("quiz", "stats", "--json").json["scores"][0]["asked"] == 2


def test_a_question_called_bad_is_not_asked_again_until_that_is_undone(
    scholar: Scholar, terminal: Callable[..., Terminal]
) -> None:
    drawn = draw_questions(scholar, "-b", "pride", "-n", "2", "--seed", "7", "--level", "1")
    at = terminal("quiz", "-b", "pride", "-n", "2", "--seed", "7", "--level", "1")
    at.until("q to quit: ")
    at.type("bb\n")
    at.until("no previous question")
    at.type("b\n")
    at.until("to undo: scholar quiz bad --undo")
    at.until("q to quit: ", times=3)
    at.type("q\n")
    at.close()
    [bad] = succeeded(scholar("quiz", "bad", "--json")).json
    assert bad["description"] in (drawn[0]["text"], *drawn[0]["choices"])  # type: ignore[misc]
    assert "scholar quiz bad" in error_line(scholar("quiz", "bad", "--undo", "none"), 4)
    every = ("-b", "pride", "-n", "200", "--seed", "7", "--level", "1-2")
    assert bad["description"] not in json.dumps(draw_questions(scholar, *every))
    undone = succeeded(scholar("quiz", "bad", "--undo", bad["id"]))
    assert "1 question may be asked again" in undone.stderr
    assert bad["description"] in json.dumps(draw_questions(scholar, *every))
    assert "no question is marked as bad" in succeeded(scholar("quiz", "bad")).stderr


def test_answers_survive_a_kill(
    home: Path, scholar: Scholar, terminal: Callable[..., Terminal]
) -> None:
    at = terminal("quiz", "-b", "pride", "-n", "5", "--seed", "7")
    at.until("q to quit: ")
    at.type("1\n")
    at.until("q to quit: ", times=2)
    at.process.kill()
    at.close()
    assert scholar("quiz", "stats", "--json").json["scores"][0]["asked"] == 1


@pytest.mark.parametrize(
    ("keys", "last"),
    [
        pytest.param("q\n", "of 1 right", id="q"),
        pytest.param("\x04", "of 1 right", id="ctrl-d"),
        pytest.param("\x03", "interrupted; your answers are kept", id="ctrl-c"),
    ],
)
def test_a_quiz_can_be_left_at_any_time(
    home: Path, scholar: Scholar, terminal: Callable[..., Terminal], keys: str, last: str
) -> None:
    at = terminal("quiz", "-b", "gatsby", "-n", "5", "--seed", "7")
    at.until("q to quit: ")
    at.type("1\n")
    at.until("q to quit: ", times=2)
    at.leave(keys, last)
    assert at.close() in (0, 130)
    assert "of 1 right; missed questions come back when due: scholar quiz --due" in at.shown
    assert "Traceback" not in at.shown
    assert scholar("quiz", "stats", "--json").json["scores"][0]["asked"] == 1


def test_ctrl_c_before_the_first_answer_says_that_nothing_was_answered(
    terminal: Callable[..., Terminal],
) -> None:
    at = terminal("quiz", "-b", "gatsby", "-n", "5", "--seed", "7")
    at.until("q to quit: ")
    at.leave("\x03", "interrupted; nothing was answered", seconds=1)
    assert at.close() == 130


def test_the_same_seed_asks_the_same_and_another_asks_something_else(scholar: Scholar) -> None:
    first = draw_questions(scholar, "-n", "9", "--seed", "3")
    assert first == draw_questions(scholar, "-n", "9", "--seed", "3")
    assert first != draw_questions(scholar, "-n", "9", "--seed", "4")
    assert {question["book"] for question in first} == {"pg64317", "pg1342", "pg84"}
    assert {len(question["choices"]) for question in first} == {10}  # type: ignore[arg-type]


@pytest.mark.parametrize("upto", [["--upto-section", "20"], ["--upto", "section 20"]])
def test_no_evidence_is_of_later_sections(scholar: Scholar, upto: list[str]) -> None:
    questions_asked = draw_questions(scholar, "-b", "pride", *upto, "-n", "50", "--seed", "1")
    chapters = {
        int(proof["locator"].partition(":")[2].partition(".")[0])
        for question in questions_asked
        for proof in question["evidence"]  # type: ignore[attr-defined]
    }
    assert chapters
    assert max(chapters) <= 20


def test_the_last_chapter_is_that_of_its_printed_number(scholar: Scholar, sample: Path) -> None:
    options = ("-b", "frankenstein", "-n", "50", "--seed", "1")
    by_number = draw_questions(scholar, *options, "--upto", "20")
    assert by_number == draw_questions(scholar, *options, "--upto-section", "24")
    assert by_number != draw_questions(scholar, *options, "--upto-section", "20")


def test_a_last_chapter_of_a_book_that_is_not_there_says_what_to_do(scholar: Scholar) -> None:
    line = error_line(scholar("quiz", "-b", "pride", "--upto", "20", "--json"), 4)
    assert "scholar add 1342, or give the section as in locators: section 20" in line


def test_missed_questions_are_asked_again_when_due(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    assert "nothing is due" in succeeded(scholar("quiz", "--due")).stderr
    questions_asked = draw_questions(scholar, "-b", "pride", "-n", "1", "--seed", "1")
    (tmp_path / "q.json").write_text(json.dumps(questions_asked), "utf-8")
    wrong = {"question_id": questions_asked[0]["question_id"], "answer": None}
    succeeded(scholar("quiz", "grade", str(tmp_path / "q.json"), stdin=json.dumps(wrong)))
    with sqlite3.connect(home / "data" / "quiz.sqlite") as db:
        db.execute("UPDATE cards SET due = '2000-01-01T00:00:00.000000+00:00'")
    db.close()
    again = draw_questions(scholar, "--due")
    assert len(again) == 1


def test_names_can_be_changed_where_the_text_is_there(
    sample: Path, home: Path, scholar: Scholar, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(sample, home)
    monkeypatch.setenv("SCHOLAR_HOME", str(home))
    plain = draw_questions(scholar, "-b", "pride", "-n", "8", "--seed", "5")
    other = draw_questions(scholar, "-b", "pride", "-n", "8", "--seed", "5", "--anonymize")
    assert [question["answer"] for question in plain] == [question["answer"] for question in other]
    anonymous = json.dumps([[question["text"], question["choices"]] for question in other])
    assert "Elizabeth" in json.dumps(
        [[question["text"], question["choices"]] for question in plain]
    )
    assert "Elizabeth" not in anonymous
    assert "Bennet" not in anonymous


def test_imported_descriptions_make_questions_too(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    habits = zip("ABCDE", ("bees", "goats", "silence", "accounts", "watch"), strict=True)
    rows = [f"Person {name},1,the one who keeps {thing}" for name, thing in habits]
    rows.insert(0, "character,level,description")
    (tmp_path / "mine.csv").write_text("\n".join(rows), "utf-8")
    result = succeeded(scholar("quiz", "import", str(tmp_path / "mine.csv"), "-b", "own-diary"))
    assert "5 descriptions of 5 characters" in result.stderr
    result_of_quiz = scholar("quiz", "-b", "own-diary", "-n", "3", "--json")
    assert len(succeeded(result_of_quiz).json) == 3
    assert "5" in result_of_quiz.stderr  # the number of choices is reported
    assert "already" in error_line(
        scholar("quiz", "import", str(tmp_path / "mine.csv"), "-b", "own-diary"), 2
    )


@pytest.fixture
def mine(sample: Path, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Return a file of descriptions, and set up a separate library with the sample's books."""
    shutil.copytree(sample, home)
    monkeypatch.setenv("SCHOLAR_HOME", str(home))
    path = tmp_path / "mine.csv"
    path.write_text("character,level,description\nNick,1,the one who tells it\n", "utf-8")
    return str(path)


def own_books(scholar: Scholar) -> list[object]:
    return [
        book["id"] for book in succeeded(scholar("quiz", "books", "--json")).json if book["own"]
    ]


@pytest.mark.parametrize("name", ["silas", "own", "../up", "-"])
def test_descriptions_of_no_known_book_are_refused(scholar: Scholar, mine: str, name: str) -> None:
    refusal = error_line(scholar("quiz", "import", mine, "-b", name), 4)
    assert "begin its id with own-: own-diary" in refusal
    assert own_books(scholar) == []


def test_a_book_that_a_row_names_is_a_known_one_too(scholar: Scholar, mine: str) -> None:
    Path(mine).write_text("book,character,level,description\nsilas,Eppie,1,the child\n", "utf-8")
    assert "no book is called 'silas'" in error_line(scholar("quiz", "import", mine), 4)
    assert own_books(scholar) == []


def test_a_part_of_several_titles_names_none_of_them(scholar: Scholar, mine: str) -> None:
    refusal = error_line(scholar("quiz", "import", mine, "-b", "the"), 2)
    assert "'the' could be several books; give an id: " in refusal


@pytest.mark.parametrize("name", ["gatsby", "64317", "PG64317", "pg64317:1.2"])
def test_own_descriptions_are_of_the_book_that_is_named_and_can_be_removed(
    scholar: Scholar, mine: str, name: str
) -> None:
    result = succeeded(scholar("quiz", "import", mine, "-b", name))
    assert "pg64317: 1 descriptions of 1 characters" in result.stderr
    assert own_books(scholar) == ["pg64317"]
    removed = succeeded(scholar("quiz", "remove", name)).stderr
    assert own_books(scholar) == []
    assert len(succeeded(scholar("quiz", "export", "gatsby", "--to", "csv")).lines) > 30
    again = shlex.split(removed.partition("to restore them: scholar ")[2])
    succeeded(scholar(*again))
    assert own_books(scholar) == ["pg64317"]


def test_descriptions_of_a_book_that_is_not_there_have_a_new_id(
    scholar: Scholar, mine: str
) -> None:
    succeeded(scholar("quiz", "import", mine, "-b", "own-diary"))
    succeeded(scholar("quiz", "import", mine, "-b", "99999"))
    assert own_books(scholar) == ["own-diary", "pg99999"]
    succeeded(scholar("quiz", "remove", "diary"))
    assert own_books(scholar) == ["pg99999"]


def test_only_own_descriptions_are_removed(scholar: Scholar, mine: str) -> None:
    refusal = error_line(scholar("quiz", "remove", "gatsby"), 4)
    assert "no descriptions of your own for 'gatsby'; you have none" in refusal
    succeeded(scholar("quiz", "import", mine, "-b", "own-diary"))
    assert "you have some for: own-diary" in error_line(scholar("quiz", "remove", "gatsby"), 4)


def test_descriptions_go_to_other_programs(scholar: Scholar, tmp_path: Path) -> None:
    succeeded(
        scholar("quiz", "export", "--to", "apkg", "--out", str(tmp_path / "x.apkg"), "-b", "emma")
    )
    with zipfile.ZipFile(tmp_path / "x.apkg") as package:
        assert "collection.anki2" in package.namelist()
    assert len(succeeded(scholar("quiz", "export", "--to", "csv", "-b", "emma")).lines) > 50
    whole = succeeded(scholar("quiz", "export", "--to", "json", "-b", "emma")).json
    assert len(whole["books"]["pg158"]) == 18


@pytest.mark.parametrize("format", ["csv", "plain", "md"])
def test_rows_have_a_column_for_each_choice_and_the_answer(scholar: Scholar, format: str) -> None:
    asked = ("-b", "emma", "-n", "2", "--seed", "5", "--kind", "name2desc")
    drawn = draw_questions(scholar, *asked)
    assert any("," in choice for question in drawn for choice in question["choices"])  # type: ignore[attr-defined]
    printed = succeeded(scholar("quiz", *asked, "--format", format)).stdout
    rows = {
        "csv": list(csv.reader(io.StringIO(printed))),
        "plain": [line.split("\t") for line in printed.splitlines()],
        "md": [line.strip("| ").split(" | ") for line in printed.splitlines()],
    }[format]
    for question, row in zip(drawn, rows[-2:], strict=True):
        answer, *choices = row[5:]
        assert choices == question["choices"]
        assert int(answer) == question["answer"]
    if format != "plain":
        assert rows[0][5:7] == ["answer", "choice_0"]


@pytest.mark.parametrize("format", ["csv", "md", "table"])
def test_only_questions_in_json_lines_are_graded_as_the_error_says(
    scholar: Scholar, tmp_path: Path, format: str
) -> None:
    file = tmp_path / "questions.txt"
    file.write_text(scholar("quiz", "-b", "emma", "-n", "2", "--format", format).stdout, "utf-8")
    line = error_line(scholar("quiz", "grade", str(file), stdin="{}"), 1)
    assert "has no questions in JSON lines; make them with: scholar quiz --format jsonl" in line


@pytest.mark.parametrize("name", ["emma.md", "emma-answers.md"])
@pytest.mark.parametrize("options", [(), ("--answers",)], ids=["one file", "a key next to it"])
def test_a_worksheet_is_not_written_over_another_or_its_key(
    scholar: Scholar, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    (tmp_path / name).write_text("my own text")
    export = ("quiz", "export", "emma", "--to", "md", "--out", str(tmp_path / "emma.md"), *options)
    line = error_line(scholar(*export), 2)
    assert f"{name} already exists" in line
    assert "--force" in line
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "my own text"


def test_a_worksheet_is_never_written_next_to_the_key_of_another(
    scholar: Scholar, tmp_path: Path
) -> None:
    out, key = tmp_path / "emma.md", tmp_path / "emma-answers.md"
    export = ("quiz", "export", "emma", "--to", "md", "--out", str(out), "-n", "3")
    succeeded(scholar(*export, "--seed", "4", "--answers"))
    before = out.read_text("utf-8"), key.read_text("utf-8")
    assert "write both: --answers --force" in error_line(
        scholar(*export, "--seed", "8", "--force"), 2
    )
    assert (out.read_text("utf-8"), key.read_text("utf-8")) == before
    succeeded(scholar(*export, "--seed", "8", "--answers", "--force"))
    assert "seed 8" in key.read_text("utf-8")


@pytest.mark.parametrize("format", ["apkg", "csv", "json"])
def test_descriptions_are_written_over_a_file_only_when_asked(
    scholar: Scholar, tmp_path: Path, format: str
) -> None:
    out = tmp_path / f"x.{format}"
    out.write_text("mine")
    export = ("quiz", "export", "--to", format, "--out", str(out), "-b", "emma")
    assert f"x.{format} already exists" in error_line(scholar(*export), 2)
    assert out.read_text() == "mine"
    succeeded(scholar(*export, "--force"))
    assert out.stat().st_size > 1000


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(("--to", "csv"), id="csv"),
        pytest.param(("--to", "csv", "--answers"), id="the history as csv"),
        pytest.param(("--to", "json"), id="json"),
    ],
)
def test_a_named_file_has_what_would_be_printed(
    scholar: Scholar, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    out = tmp_path / "emma.txt"
    printed = succeeded(scholar("quiz", "export", "emma", *asked)).stdout
    written = succeeded(scholar("quiz", "export", "emma", *asked, "--out", str(out)))
    assert written.stdout == ""
    assert "1 book in " in written.stderr
    assert out.read_text("utf-8") == printed


def test_a_worksheet_is_printed_or_written_next_to_its_key(
    scholar: Scholar, tmp_path: Path
) -> None:
    asked = ("quiz", "export", "emma", "--questions", "3", "--level", "1", "--seed", "5")
    printed = succeeded(scholar(*asked, "--to", "md"))
    assert sum(line[:3] in ("1. ", "2. ", "3. ") for line in printed.lines) == 6
    assert printed.stdout == succeeded(scholar(*asked, "--to", "md")).stdout
    out = tmp_path / "emma.html"
    written = scholar(*asked, "--to", "html", "--out", str(out), "--answers")
    assert "to repeat: --seed 5" in succeeded(written).stderr
    sheet, key = (path.read_text("utf-8") for path in (out, tmp_path / "emma-answers.html"))
    assert "Answers" not in sheet
    assert sheet.count("<ol><li>") == 3
    assert "[pg158:" not in sheet
    assert "[pg158:" in key


def test_a_damaged_file_of_descriptions_is_reported_and_the_others_are_used(
    home: Path, scholar: Scholar
) -> None:
    own = home / "data" / "descriptions"
    own.mkdir(parents=True)
    (own / "own-diary.jsonl").write_text("no json", "utf-8")
    result = scholar("quiz", "-b", "gatsby", "-n", "1", "--format", "jsonl")
    assert result.exit_code == 0, result
    assert "own-diary.jsonl, line 1" in result.stderr
    assert len(result.lines) == 1
    assert (own / "own-diary.jsonl").read_text("utf-8") == "no json"


def test_books_with_descriptions_are_listed(scholar: Scholar) -> None:
    listed = succeeded(scholar("quiz", "books", "--json")).json
    assert len(listed) >= 13
    assert all(bank["characters"] >= 10 for bank in listed)
