"""scholar speakers, characters and find --speaker, as a person runs them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lxml import etree

import chat_server
from chat_server import ChatServer
from front_door import Said, complaint, well

Scholar = Callable[..., Said]


def sieve(scholar: Scholar, *more: str) -> Said:
    return scholar("speakers", "quay", "--method", "sieve", *more)


def test_a_book_that_is_not_there_is_said_so(scholar: Scholar, quay: Path) -> None:
    assert "no book is called" in complaint(scholar("speakers", "emma"), 4)


def test_a_book_in_which_nobody_speaks_says_so(scholar: Scholar, tmp_path: Path) -> None:
    (tmp_path / "silence.txt").write_text("Chapter 1\n\n" + "It rained on the sea. " * 40)
    well(scholar("add", str(tmp_path / "silence.txt"), "--language", "en"))
    said = scholar("speakers", "silence", "--method", "sieve")
    assert "nobody speaks in this book" in complaint(said, 5)


def test_a_language_model_must_be_there(scholar: Scholar, quay: Path, tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    said = scholar("speakers", "quay", "--method", "llm", "--llm", missing)
    assert said.code in (2, 4)
    assert "Traceback" not in said.stderr


def test_a_server_that_is_down_can_be_asked_later(scholar: Scholar, quay: Path) -> None:
    said = scholar("speakers", "quay", "--method", "llm", "--server", "http://127.0.0.1:9")
    assert said.code == 3
    assert "127.0.0.1:9" in said.stderr


def test_speakers_are_said_with_kind_cue_and_place(scholar: Scholar, quay: Path) -> None:
    said = well(sieve(scholar, "--json")).json
    first = said[0]
    assert first["speaker"]["name"] == "Elizabeth Marsh"
    assert first["kind"] == "explicit"
    assert first["cue"] == "said Elizabeth Marsh"
    assert first["quote"] == "It was raining when the ship left, I stood on the quay all night."
    assert len(first["pieces"]) == 2
    shown = well(scholar("show", first["locator"]))
    assert "It was raining when the ship left" in shown.stdout
    assert [each["speaker"]["name"] for each in said if each["kind"] == "explicit"] == [
        "Elizabeth Marsh", "Mr. Hale", "Elizabeth Marsh", "Mr. Hale", "Mr. Hale",
        "Elizabeth Marsh", "Elizabeth Marsh",
    ]  # fmt: skip


def test_speakers_are_narrowed_by_chapter_name_and_confidence(scholar: Scholar, quay: Path) -> None:
    everything = well(sieve(scholar, "--json")).json
    second = well(sieve(scholar, "--chapter", "2", "--json")).json
    assert 0 < len(second) < len(everything)
    assert {each["chapter"]["number"] for each in second} == {2}
    hers = well(sieve(scholar, "--speaker", "elizabeth", "--json")).json
    assert {each["speaker"]["name"] for each in hers} == {"Elizabeth Marsh"}
    sure = well(sieve(scholar, "--min-confidence", "0.9", "--json")).json
    assert 0 < len(sure) < len(everything)
    assert "no character is called" in complaint(sieve(scholar, "--speaker", "Darcy"), 4)


def test_filters_that_leave_nothing_say_so_and_print_nothing(scholar: Scholar, quay: Path) -> None:
    said = sieve(scholar, "--chapter", "9", "--format", "jsonl")
    assert (said.code, said.stdout) == (0, "")
    assert "fewer filters" in said.stderr


def test_what_was_found_is_kept_and_used_again(scholar: Scholar, quay: Path) -> None:
    first = well(sieve(scholar, "--json")).stdout
    (kept,) = quay.rglob("dialogue-sieve.json")
    before = kept.stat().st_mtime_ns
    assert well(sieve(scholar, "--json")).stdout == first
    assert kept.stat().st_mtime_ns == before
    kept.write_text("{", "utf-8")
    assert well(sieve(scholar, "--json")).stdout == first


def test_what_was_found_goes_with_its_book(scholar: Scholar, quay: Path) -> None:
    well(sieve(scholar, "--json"))
    well(scholar("books", "remove", "quay"))
    assert not list(quay.rglob("dialogue-*.json"))


def test_tables_have_a_line_for_each_quotation(scholar: Scholar, quay: Path) -> None:
    lines = well(sieve(scholar)).lines
    assert lines[0].split() == ["speaker", "confidence", "kind", "quote", "locator"]
    assert lines[1].startswith("Elizabeth Marsh")
    assert len(lines) == 1 + len(well(sieve(scholar, "--json")).json)


def test_tei_is_written_for_editions(scholar: Scholar, quay: Path) -> None:
    root = etree.fromstring(well(sieve(scholar, "--to", "tei")).stdout.encode())
    names = {"t": "http://www.tei-c.org/ns/1.0"}
    people = {
        each.get("{http://www.w3.org/XML/1998/namespace}id"): each.findtext(
            "t:persName", None, names
        )
        for each in root.iterfind(".//t:person", names)
    }
    said = root.find(".//t:said", names)
    assert people[said.get("who").removeprefix("#")] == "Elizabeth Marsh"


def test_a_language_model_on_this_machine_is_asked_over_http(scholar: Scholar, quay: Path) -> None:
    with ChatServer(chat_server.well) as server:
        said = well(
            scholar("speakers", "quay", "--method", "llm", "--server", server.url, "--json")
        ).json
        asked = len(server.requests)
        well(scholar("speakers", "quay", "--method", "llm", "--server", server.url, "--json"))
        assert len(server.requests) == asked > 0
    assert (said[0]["kind"], said[0]["cue"]) == ("explicit", "said Elizabeth Marsh")
    assert {each["speaker"]["name"] for each in said if each["speaker"]} == {
        "Elizabeth Marsh", "Mr. Hale",
    }  # fmt: skip


def test_characters_are_listed_with_their_names_and_first_places(
    scholar: Scholar, quay: Path
) -> None:
    said = well(scholar("characters", "quay", "--json")).json
    by_name = {each["name"]: each for each in said}
    assert set(by_name) >= {"Elizabeth Marsh", "Mr. Hale"}
    elizabeth = by_name["Elizabeth Marsh"]
    assert "Elizabeth" in elizabeth["aliases"]
    assert elizabeth["gender"] == "female"
    assert elizabeth["first"].startswith("own-the-quay:1.1:")
    assert sum(each["quotations"] for each in said) == 8
    assert "Elizabeth Marsh" in well(scholar("show", elizabeth["first"])).stdout
    assert well(scholar("characters", "quay")).lines[0].split()[:3] == [
        "name", "gender", "quotations",
    ]  # fmt: skip


def test_evidence_is_found_among_one_characters_words(scholar: Scholar, quay: Path) -> None:
    said = well(
        scholar("find", "the house and the lamp", "-b", "quay", "--speaker", "Hale", "--json")
    ).json
    spoken = " ".join(
        each["quote"] for each in well(sieve(scholar, "--speaker", "Hale", "--json")).json
    )
    assert said
    for hit in said:
        words = hit["quote"].replace("“", "").replace("”", "").split(" said ")[0]
        assert words.rstrip(".,?")[:20] in spoken


def test_a_speaker_whom_no_book_has_is_said_so(scholar: Scholar, quay: Path) -> None:
    said = scholar("find", "the house", "-b", "quay", "--speaker", "Darcy")
    assert "no character is called 'Darcy'" in complaint(said, 4)
