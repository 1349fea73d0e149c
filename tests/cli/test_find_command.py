"""scholar find: hits, filters, contexts and formats."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from command_line import Scholar, error_line, succeeded
from sample_books import CLAIM, SAMPLE
from scholar_indexes.requests import Order
from scholar_indexes.retrieval.fusion import PARTS
from scholar_indexes.retrieval.stages import MARKED, SECOND_STAGE
from scholar_indexes.serialize.evidence import NOTATION
from scholar_tui import terminal_session
from scholar_tui.claim_query import ClaimQuery, parse_request


def stored_text(home: Path, book_id: str) -> str:
    [folder] = (home / "data" / "books").glob(f"{book_id}.*")
    return (folder / "text.txt").read_bytes().decode("utf-8")


MODES = pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])


@MODES
@pytest.mark.parametrize("fold", [(), ("--no-fold",)], ids=["folded", "not folded"])
def test_hits_are_numbered_and_no_two_overlap(
    scholar: Scholar, sample: Path, mode: str, fold: tuple[str, ...]
) -> None:
    hits = succeeded(scholar("find", CLAIM, "--mode", mode, *fold, "--json")).json
    assert [hit["rank"] for hit in hits] == list(range(1, 11))
    places = sorted((hit["book"]["id"], hit["start"], hit["end"]) for hit in hits)
    assert {book_id for book_id, _, _ in places} <= SAMPLE
    for (book_id, _, end), (next_id, next_start, _) in pairwise(places):
        assert book_id != next_id or end <= next_start


@MODES
def test_every_hit_is_exactly_the_stored_text(scholar: Scholar, sample: Path, mode: str) -> None:
    texts = {book_id: stored_text(sample, book_id) for book_id in SAMPLE}
    for hit in succeeded(scholar("find", CLAIM, "--mode", mode, "--json")).json:
        text, selector = texts[hit["book"]["id"]], hit["selector"]
        assert 0 <= hit["start"] < hit["end"] <= len(text)
        assert text[hit["start"] : hit["end"]] == selector["exact"]
        assert text[: hit["start"]].endswith(selector["prefix"])
        assert text[hit["end"] :].startswith(selector["suffix"])
        assert hit["quote"] == " ".join(selector["exact"].split())


@MODES
def test_hits_that_are_not_folded_are_ranked_by_score(
    scholar: Scholar, sample: Path, mode: str
) -> None:
    hits = succeeded(scholar("find", CLAIM, "--mode", mode, "--no-fold", "--json")).json
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert [hit["nearby"] for hit in hits] == [[]] * len(hits)


def test_a_passage_next_to_a_better_one_is_folded_into_it(scholar: Scholar, quay: Path) -> None:
    line = ("find", "who keeps the lamp lit at night", "-n", "5")
    hits = succeeded(scholar(*line, "--json")).json
    first = next(hit for hit in hits if hit["nearby"])
    shown = succeeded(scholar(*line)).stdout
    assert f"[{first['locator']}] +{len(first['nearby'])} nearby" in " ".join(shown.split())
    for locator in first["nearby"]:
        nearby = succeeded(scholar("show", locator, "--json")).json
        assert nearby["book"]["id"] == first["book"]["id"]
        assert nearby["chapter"] == first["chapter"]


@MODES
def test_the_focus_is_a_sentence_of_the_hit(scholar: Scholar, sample: Path, mode: str) -> None:
    for hit in succeeded(scholar("find", CLAIM, "--mode", mode, "--json")).json:
        assert hit["start"] <= hit["focus"]["start"] < hit["focus"]["end"] <= hit["end"]


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


@pytest.mark.slow
def test_ten_thousand_hits_are_not_promised_but_a_thousand_are(
    scholar: Scholar, sample: Path
) -> None:
    hits = succeeded(scholar("find", "love", "-n", "1000", "--format", "jsonl")).lines
    assert 500 < len(hits) <= 1000


def test_every_line_of_json_lines_is_a_hit(scholar: Scholar, sample: Path) -> None:
    result = succeeded(scholar("find", "-", "--format", "jsonl", stdin=CLAIM))
    two = scholar("find", "-", stdin=b"pride\n\nprejudice\n")
    assert "has 2 lines; for one claim per line: --claims -" in error_line(two, 2)
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
    line = ("find", "a guilty conscience", "--rerank", "none", "-n", "60", "--json")
    hits = succeeded(scholar(*line, *filters)).json
    assert len(hits) == 60
    assert {hit["book"]["id"] for hit in hits} == books


@pytest.mark.parametrize(
    ("written", "low", "high"), [("3-9", 3, 9), ("4", 4, 4), ("60-", 60, 99), ("-2", 0, 2)]
)
def test_only_the_chapters_that_were_named_answer(
    scholar: Scholar, sample: Path, written: str, low: int, high: int
) -> None:
    line = ("find", "a proposal of marriage", "--rerank", "none", "--json")
    hits = succeeded(scholar(*line, f"--section={written}")).json
    assert hits
    assert all(low <= hit["chapter"]["number"] <= high for hit in hits)


def test_a_chapter_is_that_of_its_printed_number_in_every_book(
    scholar: Scholar, sample: Path
) -> None:
    line = (
        "find",
        "a word at the house in town",
        "--mode",
        "lexical",
        "-n",
        "300",
        "--format",
        "jsonl",
    )
    hits = succeeded(scholar(*line, "--chapter", "4-5")).lines
    numbers = {
        (hit["book"]["id"], hit["chapter"]["number"], hit["chapter"]["printed"])
        for hit in map(json.loads, hits)
    }
    assert numbers <= {
        *(("pg84", 8, "4"), ("pg84", 9, "5"), ("pg1342", 4, "4"), ("pg1342", 5, "5")),
        *(("pg64317", 4, "4"), ("pg64317", 5, "5")),
    }
    assert {book for book, _, _ in numbers} == {"pg84", "pg1342", "pg64317"}


@pytest.mark.parametrize("written", ["xx", "XX", "Chapter XX", "chapter twenty", "XX-xx", "ch. XX"])
def test_a_chapter_may_be_written_as_the_book_prints_it(
    scholar: Scholar, sample: Path, written: str
) -> None:
    line = ("find", "the creature", "--rerank", "none", "-b", "84", "--json")
    hits = succeeded(scholar(*line, "--chapter", written)).json
    assert {hit["chapter"]["printed"] for hit in hits} == {"20"}


def test_books_without_the_chapters_are_skipped_and_named(scholar: Scholar, sample: Path) -> None:
    result = succeeded(
        scholar("find", "pride", "--chapter", "20-24", "-n", "50", "--format", "jsonl")
    )
    assert {json.loads(hit)["book"]["id"] for hit in result.lines} == {"pg84", "pg1342"}
    assert "skipped 1 of 3 books" in result.stderr
    assert "The Great Gatsby has no chapter 20-24; it has 1-9" in result.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        pytest.param(
            ["-b", "84", "--chapter", "25"], 4, "it has letter 1-4 and 1-24", id="a chapter"
        ),
        pytest.param(["-b", "84", "--section", "99"], 4, "it has sections 0-28", id="a section"),
        pytest.param(["--chapter", "77"], 4, "none of 3 books has these chapters", id="in none"),
        pytest.param(["--section", "2.5"], 2, "write 3 or 3-9", id="no section"),
        pytest.param(["--chapter", "3", "--section", "3"], 2, "leave out one", id="both"),
    ],
)
def test_chapters_that_cannot_be_searched_are_an_error(
    scholar: Scholar, sample: Path, options: list[str], code: int, message: str
) -> None:
    assert message in error_line(scholar("find", "x", *options), code)


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


def test_explain_says_where_each_ranker_had_a_place(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "the lamplighter buried the key", "--explain", "-n", "3")
    first = succeeded(scholar(*line, "--json")).json[0]["explain"]
    assert set(first) == {"dense", "lexical", "parts"}
    assert set(first["parts"]) == {*PARTS, SECOND_STAGE}
    assert any(rank and rank["rank"] >= 1 for rank in (first["dense"], first["lexical"]))
    assert "by words    rank" in succeeded(scholar(*line)).stdout
    [header, *rows] = csv.reader(io.StringIO(succeeded(scholar(*line, "--format", "csv")).stdout))
    assert header[-2:] == ["dense", "lexical"]
    assert all(row[-1] == "" or int(row[-1]) >= 1 for row in rows)


def test_the_figures_of_explain_are_explained_once_in_text_alone(
    scholar: Scholar, two_books: Path
) -> None:
    line = ("find", "the lamplighter buried the key", "-n", "3")
    text = " ".join(succeeded(scholar(*line, "--explain")).stdout.split())
    assert text.count(NOTATION) == 1
    assert text.endswith(NOTATION)
    assert NOTATION not in " ".join(succeeded(scholar(*line)).stdout.split())
    for format in ("json", "jsonl", "csv", "md", "plain"):
        assert "BM25" not in succeeded(scholar(*line, "--explain", "--format", format)).stdout


def test_context_is_shown_when_asked_for(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "the lamplighter buried the key", "-n", "1", "--sentences", "1")
    assert "…" not in succeeded(scholar(*line)).stdout
    assert "…" in succeeded(scholar(*line, "--context", "2")).stdout
    [hit] = succeeded(scholar(*line, "--context", "0", "--json")).json
    assert (hit["before"], hit["after"]) == ("", "")


def test_a_masked_claim_is_a_query(scholar: Scholar, two_books: Path) -> None:
    masked = "When the key is buried [MASK] the reader understands what silence costs."
    assert len(succeeded(scholar("find", masked, "--json")).json) == 10


def without_slashes(line: str) -> str:
    """Return a line without the slashes between lines of verse."""
    return re.sub(" //? ", " ", line)


def test_find_prints_one_answer_in_every_format(scholar: Scholar, two_books: Path) -> None:
    line = ("find", "who mended the clock?", "-n", "4")
    hits = succeeded(scholar(*line, "--json")).json
    locators, quotes = [hit["locator"] for hit in hits], [hit["quote"] for hit in hits]
    outputs = {
        name: succeeded(scholar(*line, "--format", name)).stdout
        for name in ("table", "plain", "jsonl", "csv", "md")
    }
    assert re.findall(r"\[(own-\S+)\]", outputs["table"]) == locators
    assert [without_slashes(row).split("\t") for row in outputs["plain"].splitlines()] == [
        list(pair) for pair in zip(locators, quotes, strict=True)
    ]
    assert [json.loads(row) for row in outputs["jsonl"].splitlines()] == hits
    table = list(csv.DictReader(io.StringIO(outputs["csv"])))
    assert [without_slashes(row["quote"]) for row in table] == quotes
    assert re.findall(r"`(own-\S+)`", outputs["md"]) == locators
    assert "\x1b" not in "".join(outputs.values())


def test_remembered_words_come_first_and_are_marked(scholar: Scholar, quay: Path) -> None:
    claim = "nobody had told me to go home"
    first, *others = succeeded(scholar("find", claim, "-b", "quay", "--json")).json
    assert first["match"] == "verbatim"
    assert claim in first["quote"]
    assert {hit["match"] for hit in others} == {None}
    assert first["score"] >= max(hit["score"] for hit in others)
    shown = succeeded(scholar("find", claim, "-b", "quay", "-n", "1")).stdout
    assert f"[{first['locator']}]  verbatim" in shown


def test_a_wrong_word_does_not_hide_remembered_words(scholar: Scholar, quay: Path) -> None:
    hits = succeeded(scholar("find", "the ship was burnt, and I do not repent", "--json")).json
    assert hits[0]["match"] == "partly"
    hits = succeeded(scholar("find", "the house is full of persons who listen", "--json")).json
    assert "full of people who listen" in hits[0]["quote"]
    assert hits[0]["match"] is not None


def test_other_rankings_know_no_remembered_words(scholar: Scholar, quay: Path) -> None:
    for mode in ("dense", "lexical"):
        hits = succeeded(scholar("find", "the lamp is always lit", "--mode", mode, "--json")).json
        assert {hit["match"] for hit in hits} == {None}


def test_noise_is_answered_with_the_notice(scholar: Scholar, sample: Path) -> None:
    for claim in ("x", "asdf qwer zxcv", "airline baggage allowance for carry-on"):
        result = succeeded(scholar("find", claim, "--json"))
        assert result.stderr.endswith("these are the closest\n")
        assert all(hit["weak"] for hit in result.json)


def test_a_name_that_no_book_has_is_reported(scholar: Scholar, sample: Path) -> None:
    result = succeeded(scholar("find", "Miss Havisham stopped time", "--json"))
    assert result.stderr.startswith("no book searched has the word 'Havisham'\n")
    assert all(hit["weak"] for hit in result.json)


def test_a_name_is_read_as_the_books_spell_it(scholar: Scholar, sample: Path) -> None:
    hits = succeeded(scholar("find", "symbols of Gatsby's wealth", "--json")).json
    result = succeeded(scholar("find", "symbols of Gatzby's wealth", "--json"))
    assert result.stderr.startswith("no book searched has the word 'Gatzby'; read as 'Gatsby'\n")
    assert [hit["locator"] for hit in result.json] == [hit["locator"] for hit in hits]


def test_a_good_claim_has_support_and_no_notice(scholar: Scholar, sample: Path) -> None:
    result = succeeded(scholar("find", CLAIM, "--json"))
    assert "weak" not in result.stderr
    assert all(0 < hit["support"] <= 1 for hit in result.json)
    assert not result.json[0]["weak"]


def test_little_support_is_left_out_and_none_is_exit_5(scholar: Scholar, sample: Path) -> None:
    hits = succeeded(scholar("find", CLAIM, "--no-fold", "--json")).json
    supports = sorted(hit["support"] for hit in hits)
    bar = str((supports[4] + supports[5]) / 2)
    left = succeeded(scholar("find", CLAIM, "--no-fold", "--min-support", bar, "--json")).json
    assert sorted(hit["support"] for hit in left) == supports[5:]
    result = scholar("find", "airline baggage allowance for carry-on", "--min-support", "0.9")
    assert "lower --min-support" in error_line(result, 5)


def test_support_of_every_hit_is_unknown_in_other_rankings(scholar: Scholar, sample: Path) -> None:
    hits = succeeded(scholar("find", CLAIM, "--mode", "dense", "--json")).json
    assert {(hit["support"], hit["weak"]) for hit in hits} == {(None, None)}
    result = scholar("find", CLAIM, "--mode", "dense", "--min-support", "0.1")
    assert "leave out --mode" in error_line(result, 2)


def test_marked_passages_are_left_out_and_others_move_toward_them(
    scholar: Scholar, sample: Path
) -> None:
    hits = succeeded(scholar("find", CLAIM, "--no-fold", "-n", "40", "--json")).json
    liked, unliked = hits[8], hits[0]
    line = ("find", CLAIM, "--no-fold", "-n", "40", "--explain", "--json")
    marks = ("--like", liked["locator"], "--unlike", unliked["locator"])
    moved = succeeded(scholar(*line, *marks)).json
    for marked in (liked, unliked):
        assert not [
            hit
            for hit in moved
            if hit["book"]["id"] == marked["book"]["id"]
            and hit["start"] < marked["end"]
            and marked["start"] < hit["end"]
        ]
    places = [(hit["book"]["id"], hit["start"]) for hit in hits]
    ranks = [
        (places.index(place), rank)
        for rank, hit in enumerate(moved)
        if (place := (hit["book"]["id"], hit["start"])) in places
    ]
    assert ranks != sorted(ranks)
    assert MARKED in moved[0]["explain"]["parts"]


@pytest.mark.parametrize(
    ("locator", "code", "says"),
    [
        pytest.param("pg1342", 2, "is more than a passage", id="a book"),
        pytest.param("pg1342:1", 2, "is more than a passage", id="a chapter"),
        pytest.param("pg1342:one", 2, "is not a locator", id="no locator"),
        pytest.param("pg99999:1.1", 4, "is not in the library", id="a book that is not there"),
        pytest.param(
            "pg1342:1.9999", 4, "has no paragraph 9999", id="a paragraph that is not there"
        ),
    ],
)
def test_marks_that_name_no_passage_are_errors(
    scholar: Scholar, sample: Path, locator: str, code: int, says: str
) -> None:
    result = scholar("find", CLAIM, "--like", locator)
    assert says in error_line(result, code)


def test_the_screen_is_asked_what_the_prompt_is_asked(
    scholar: Scholar, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(
        terminal_session, "in_terminal", lambda *words: asked.append(words[-1]) or 0
    )
    options = ("--order", "text", "--no-fold", "--min-support", ".5", "--wait", "--depth", "20")
    succeeded(scholar("find", CLAIM, "--about", "Nick", "--about", "Daisy", "--tui", *options))
    assert parse_request(asked[0]) == ClaimQuery(
        CLAIM,
        about=("Nick", "Daisy"),
        order=Order.TEXT,
        fold=False,
        min_support=0.5,
        wait=True,
        depth=20,
        n=10,
    )
