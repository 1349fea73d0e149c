"""scholar speakers, characters and find --speaker, as a user runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

import chat_server
from chat_server import ChatServer
from command_line import CommandResult, Scholar, error_line, succeeded


def sieve(scholar: Scholar, *more: str) -> CommandResult:
    return scholar("speakers", "quay", "--method", "sieve", *more)


def test_a_missing_book_is_an_error(scholar: Scholar, quay: Path) -> None:
    assert "no book is called" in error_line(scholar("speakers", "emma"), 4)


def test_a_book_in_which_nobody_speaks_says_so(scholar: Scholar, tmp_path: Path) -> None:
    (tmp_path / "silence.txt").write_text("Chapter 1\n\n" + "It rained on the sea. " * 40)
    succeeded(scholar("add", str(tmp_path / "silence.txt"), "--language", "en"))
    result = scholar("speakers", "silence", "--method", "sieve")
    assert "nobody speaks in this book" in error_line(result, 5)


def test_a_language_model_must_be_there(scholar: Scholar, quay: Path, tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    result = scholar("speakers", "quay", "--method", "llm", "--llm", missing)
    assert result.exit_code in (2, 4)
    assert "Traceback" not in result.stderr


def test_a_server_that_is_down_is_a_temporary_error(scholar: Scholar, quay: Path) -> None:
    result = scholar("speakers", "quay", "--method", "llm", "--server", "http://127.0.0.1:9")
    assert result.exit_code == 3
    assert "127.0.0.1:9" in result.stderr


def test_speakers_are_printed_with_kind_cue_and_place(scholar: Scholar, quay: Path) -> None:
    quotations = succeeded(sieve(scholar, "--json")).json
    first = quotations[0]
    assert first["speaker"]["name"] == "Elizabeth Marsh"
    assert first["kind"] == "explicit"
    assert first["cue"] == "said Elizabeth Marsh"
    assert first["quote"] == "It was raining when the ship left, I stood on the quay all night."
    assert len(first["pieces"]) == 2
    shown = succeeded(scholar("show", first["locator"]))
    assert "It was raining when the ship left" in shown.stdout
    assert [
        quotation["speaker"]["name"] for quotation in quotations if quotation["kind"] == "explicit"
    ] == [
        "Elizabeth Marsh",
        "Mr. Hale",
        "Elizabeth Marsh",
        "Mr. Hale",
        "Mr. Hale",
        "Elizabeth Marsh",
        "Elizabeth Marsh",
    ]


def test_speakers_are_narrowed_by_chapter_name_and_confidence(scholar: Scholar, quay: Path) -> None:
    everything = succeeded(sieve(scholar, "--json")).json
    second = succeeded(sieve(scholar, "--chapter", "2", "--json")).json
    assert 0 < len(second) < len(everything)
    assert {quotation["chapter"]["number"] for quotation in second} == {2}
    assert succeeded(sieve(scholar, "--chapter", "Chapter II", "--json")).json == second
    hers = succeeded(sieve(scholar, "--speaker", "elizabeth", "--json")).json
    assert {her["speaker"]["name"] for her in hers} == {"Elizabeth Marsh"}
    sure = succeeded(sieve(scholar, "--min-confidence", "0.9", "--json")).json
    assert 0 < len(sure) < len(everything)
    assert "no character is called" in error_line(sieve(scholar, "--speaker", "Darcy"), 4)


@pytest.mark.parametrize("format", ["csv", "plain"])
def test_rows_for_programs_have_the_confidence_that_json_has(
    scholar: Scholar, quay: Path, format: str
) -> None:
    records = succeeded(scholar("speakers", "quay", "--json")).json
    expected = [record["confidence"] for record in records]
    assert any(round(confidence, 2) != confidence for confidence in expected)
    lines = succeeded(scholar("speakers", "quay", "--format", format)).lines
    cells = [line.split("\t" if format == "plain" else ",")[1] for line in lines]
    assert list(map(float, cells[format == "csv" :])) == expected


def test_filters_that_leave_nothing_say_so_and_print_nothing(scholar: Scholar, quay: Path) -> None:
    result = sieve(scholar, "--min-confidence", "1", "--format", "jsonl")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "fewer filters" in result.stderr


def test_speakers_are_stored_and_used_again(scholar: Scholar, quay: Path) -> None:
    first = succeeded(sieve(scholar, "--json")).stdout
    (cached,) = quay.rglob("dialogue-sieve.json")
    before = cached.stat().st_mtime_ns
    assert succeeded(sieve(scholar, "--json")).stdout == first
    assert cached.stat().st_mtime_ns == before
    cached.write_text("{", "utf-8")
    assert succeeded(sieve(scholar, "--json")).stdout == first


def test_stored_speakers_are_removed_with_their_book(scholar: Scholar, quay: Path) -> None:
    succeeded(sieve(scholar, "--json"))
    succeeded(scholar("books", "remove", "quay"))
    assert not list(quay.rglob("dialogue-*.json"))


def test_tables_have_a_line_for_each_quotation(scholar: Scholar, quay: Path) -> None:
    lines = succeeded(sieve(scholar)).lines
    assert lines[0].split() == ["speaker", "confidence", "kind", "form", "quote", "locator"]
    assert lines[1].startswith("Elizabeth Marsh")
    assert len(lines) == 1 + len(succeeded(sieve(scholar, "--json")).json)


def test_tei_is_written_for_editions(scholar: Scholar, quay: Path) -> None:
    root = etree.fromstring(succeeded(sieve(scholar, "--to", "tei")).stdout.encode())
    names = {"t": "http://www.tei-c.org/ns/1.0"}
    people = {
        person.get("{http://www.w3.org/XML/1998/namespace}id"): person.findtext(
            "t:persName", None, names
        )
        for person in root.iterfind(".//t:person", names)
    }
    quotations = root.find(".//t:said", names)
    assert people[quotations.get("who").removeprefix("#")] == "Elizabeth Marsh"


def test_a_language_model_on_this_machine_is_called_over_http(scholar: Scholar, quay: Path) -> None:
    with ChatServer(chat_server.answer_well) as server:
        quotations = succeeded(
            scholar("speakers", "quay", "--method", "llm", "--server", server.url, "--json")
        ).json
        requested = len(server.requests)
        succeeded(scholar("speakers", "quay", "--method", "llm", "--server", server.url, "--json"))
        assert len(server.requests) == requested > 0
    assert (quotations[0]["kind"], quotations[0]["cue"]) == ("explicit", "said Elizabeth Marsh")
    assert {quotation["speaker"]["name"] for quotation in quotations if quotation["speaker"]} == {
        "Elizabeth Marsh",
        "Mr. Hale",
    }


def test_characters_are_listed_with_their_names_and_first_places(
    scholar: Scholar, quay: Path
) -> None:
    characters = succeeded(scholar("characters", "quay", "--json")).json
    by_name = {character["name"]: character for character in characters}
    assert set(by_name) >= {"Elizabeth Marsh", "Mr. Hale"}
    elizabeth = by_name["Elizabeth Marsh"]
    assert "Elizabeth" in elizabeth["aliases"]
    assert elizabeth["gender"] == "female"
    assert elizabeth["first"].startswith("own-the-quay:1.1:")
    assert sum(character["quotations"] for character in characters) == 8
    assert "Elizabeth Marsh" in succeeded(scholar("show", elizabeth["first"])).stdout
    assert succeeded(scholar("characters", "quay")).lines[0].split()[:3] == [
        "name",
        "gender",
        "quotations",
    ]


def test_evidence_is_found_among_one_characters_words(scholar: Scholar, quay: Path) -> None:
    hits = succeeded(
        scholar("find", "the house and the lamp", "-b", "quay", "--speaker", "Hale", "--json")
    ).json
    spoken = " ".join(
        quotation["quote"]
        for quotation in succeeded(sieve(scholar, "--speaker", "Hale", "--json")).json
    )
    assert hits
    for hit in hits:
        words = hit["quote"].replace("“", "").replace("”", "").split(" said ")[0]
        assert words.rstrip(".,?")[:20] in spoken


def test_a_speaker_whom_no_book_has_is_an_error(scholar: Scholar, quay: Path) -> None:
    result = scholar("find", "the house", "-b", "quay", "--speaker", "Darcy")
    assert "no character is called 'Darcy'" in error_line(result, 4)


def test_evidence_is_found_where_a_character_is_by_any_word(scholar: Scholar, quay: Path) -> None:
    options = ("find", "the lamp and the hat", "-b", "quay", "-n", "50", "--json")
    options += ("--sentences", "1")
    unread = succeeded(scholar(*options)).json
    assert {hit["characters"] for hit in unread} == {None}
    hits = succeeded(scholar(*options, "--about", "Elizabeth")).json
    quotes = " ".join(hit["quote"] for hit in hits)
    assert "looked at her" in quotes  # a pronoun
    assert "Let them listen" in quotes  # her words
    assert "I burnt it" not in quotes
    for hit in hits:
        assert "Elizabeth Marsh" in [character["name"] for character in hit["characters"]]


def test_explained_evidence_says_who_is_in_it(scholar: Scholar, quay: Path) -> None:
    shown = scholar("find", "he took up his hat", "-b", "quay", "--about", "Hale", "--explain")
    assert "characters: Mr. Hale" in succeeded(shown).stdout


def test_quotations_of_one_character_about_another_are_found(scholar: Scholar, quay: Path) -> None:
    options = ("--speaker", "Elizabeth", "--about", "Hale", "--json")
    hits = succeeded(scholar("find", "home", "-b", "quay", *options)).json
    assert [hit["quote"][:24] for hit in hits] == ["“Because nobody had told"]


def test_an_unknown_character_is_an_error_in_about_too(scholar: Scholar, quay: Path) -> None:
    result = scholar("find", "the house", "-b", "quay", "--about", "Darcy")
    assert "no character is called 'Darcy'" in error_line(result, 4)
