"""Write the page on which works each part learned from and was measured on, docs/data.md.

.venv/bin/python docs/data.py

Works are known by their Gutenberg numbers. What the cards and the data files say is read from
them; collections that are not in the checkout are listed here.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scholar_cli.laboratory.claims.support_training import load_noise

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("data.md")
INDEXES = ROOT / "indexes" / "scholar_indexes"
LABORATORY = ROOT / "scholar_cli" / "laboratory"

ENCODER_WORKS = """
11 24 33 35 43 45 46 73 74 76 77 82 84 107 110 122 135 141 143 144 145 153 155 160 161 174
177 203 205 208 209 215 217 224 233 242 245 284 345 394 408 416 421 432 447 471 482 507 512
521 525 541 550 564 580 583 599 610 700 730 766 768 804 805 821 829 863 882 883 963 967 968
974 1023 1028 1051 1079 1245 1260 1322 1400 1564 1661 1684 1695 1745 1900 2021 2081 2097
2148 2153 2160 2181 2182 2197 2226 2383 2413 2511 2554 2600 2638 2641 2667 2701 2814 2833
2834 2852 2944 2946 3268 3409 4217 4240 4276 4300 4412 4558 4800 5131 5230 5658 5670 5998
5999 6053 6124 6593 6688 6941 6944 7005 7025 7118 7178 7265 7467 7469 8601 9182 9413 9601
9609 9611 10343 12145 12352 12383 13707 15272 17780 17854 21700 23684 24020 28041 28054
28948 29091 30486 40882 70950
"""
"""The works of the shared collection that RELiC neither validates nor tests with: the encoder
learned from the works themselves and from what is written about them. Beside them are 43 texts of
Shakespeare's, which have no number there."""

RELIC_VALIDATION = "36 44 98 120 121 158 514 543 767 786 917 969 1156 1399 4517"
RELIC_TEST = "105 219 1342 64317"
"""RELiC's validation and test works, as far as the shared collection has them."""

PDNC = {
    "AHandfulOfDust": "",
    "ARoomWithAView": "2641",
    "AlicesAdventuresInWonderland": "928",
    "AnneOfGreenGables": "45",
    "DaisyMiller": "208",
    "Emma": "158",
    "HardTimes": "786",
    "HowardsEnd": "2946",
    "MansfieldPark": "141",
    "NightAndDay": "1245",
    "NorthangerAbbey": "121",
    "Persuasion": "105",
    "PrideAndPrejudice": "1342",
    "SenseAndSensibility": "161",
    "TheAgeOfInnocence": "541",
    "TheAwakening": "160",
    "TheGambler": "2197",
    "TheInvisibleMan": "5230",
    "TheManWhoWasThursday": "1695",
    "TheMysteriousAffairAtStyles": "863",
    "ThePictureOfDorianGray": "174",
    "TheSignOfTheFour": "2097",
    "TheSportOfTheGods": "17854",
    "TheSunAlsoRises": "67138",
    "WinnieThePooh": "67098",
}
"""The novels of PDNC and their Gutenberg numbers; one is in Gutenberg Canada alone."""

LATER = ("HardTimes", "MansfieldPark", "WinnieThePooh")
"""The novels of PDNC's second release, which the speaker model was not trained on."""

LITBANK = """
11 24 27 33 36 41 44 60 74 95 113 120 155 158 219 233 238 271 345 351 367 432 502 514 541 550 599
711 768 805 829 876 940 969 1155 1206 1260 1400 1695 2005 2084 2095 2641 2814 2852 5230 5348 11231
12677 15265
"""

JUDGED_TEST = ("105", "219", "1342")
"""The works of the judged claims that are for testing: RELiC's test works among them."""

BANK_TESTED = "33 98 145 1260 2701"
"""The books of the first bank that the solver of `who` was not fitted on."""

DISJOINT = [
    ("RELiC test", "encoder texts"),
    ("RELiC test", "RELiC validation"),
    ("RELiC validation", "encoder texts"),
    ("written windows", "RELiC test"),
    ("written windows", "RELiC validation"),
    ("graded train", "graded dev"),
    ("graded train", "RELiC test"),
    ("graded train", "RELiC validation"),
    ("graded dev", "written windows"),
    ("graded dev", "RELiC test"),
    ("judged dev", "judged test"),
    ("judged dev", "encoder texts"),
    ("judged test", "encoder texts"),
    ("judged dev", "graded train"),
    ("judged dev", "graded dev"),
    ("judged test", "graded train"),
    ("judged test", "graded dev"),
    ("judged test", "RELiC validation"),
    ("PDNC later", "PDNC trained"),
    ("PDNC later", "texts without annotation"),
    ("PDNC trained", "texts without annotation"),
    ("chapters dev", "chapters test"),
    ("chapters test", "casts dev"),
    ("casts dev", "casts test"),
    ("casts test", "chapters dev"),
    ("chapters dev", "PDNC"),
    ("chapters test", "PDNC"),
    ("casts dev", "PDNC"),
    ("casts test", "PDNC"),
    ("bank tested", "bank fitted"),
    ("bank tested", "graded train"),
    ("bank tested", "PDNC"),
    ("who", "bank fitted"),
    ("who", "bank tested"),
    ("who", "bank later"),
    ("who dev", "who"),
    ("who dev", "bank tested"),
    ("who dev", "bank later"),
    ("bank later", "bank fitted"),
    ("bank later", "bank tested"),
]
"""Pairs of collections that share no work; a test holds them to it."""

TESTS = (
    "RELiC test",
    "judged test",
    "judged dev",
    "graded dev",
    "PDNC later",
    "chapters test",
    "casts test",
    "bank tested",
    "bank later",
    "who",
)
LEARNED = (
    "encoder texts",
    "RELiC validation",
    "written windows",
    "graded train",
    "PDNC trained",
    "texts without annotation",
    "LitBank",
    "bank fitted",
    "chapters dev",
    "casts dev",
)
"""The data that figures are measured on, and the data that was learned or chosen from."""

MOST_NUMBERS = 6
"""Shared works that are named one by one in the table of what was seen."""


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of JSON lines, which may be compressed."""
    raw = path.read_bytes()
    text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def card(name: str) -> dict[str, Any]:
    """Return the card of a packaged model."""
    fields: dict[str, Any] = json.loads(
        (INDEXES / "weights" / name / "card.json").read_text("utf-8")
    )
    return fields


def numbers(works: Iterable[object]) -> frozenset[str]:
    """Return Gutenberg numbers as texts, without "pg"; those that are none are left out."""
    return frozenset(text for work in works if (text := str(work).removeprefix("pg")))


def by_part(path: Path, key: str) -> dict[str, frozenset[str]]:
    """Return the numbers of the works in each part of a file of JSON lines."""
    rows = records(path)
    return {
        part: numbers(row[key] for row in rows if row["part"] == part)
        for part in sorted({row["part"] for row in rows})
    }


@cache
def collections() -> Mapping[str, frozenset[str]]:
    """Return the works of each collection, by its name on the page."""
    training = card("pdnc-turns")["training"]
    solver = json.loads((INDEXES / "characters/solver/weights.json").read_text("utf-8"))
    bank = numbers(
        path.stem for path in (INDEXES / "characters/descriptions/bank").glob("pg*.jsonl")
    )
    fitted = numbers(solver["training"]["books"])
    tested = numbers(BANK_TESTED.split())
    claims = LABORATORY / "claims"
    named = {
        "encoder texts": numbers(ENCODER_WORKS.split()),
        "RELiC validation": numbers(RELIC_VALIDATION.split()),
        "RELiC test": numbers(RELIC_TEST.split()),
        "written windows": numbers(
            row["gutenberg_id"] for row in records(claims / "written.jsonl.xz")
        ),
        "fusion and second stage": numbers(card("claims-minilm")["training"]["works"]),
        "PDNC": numbers(PDNC.values()),
        "PDNC trained": numbers(PDNC[novel] for novel in training["novels"]),
        "PDNC later": numbers(PDNC[novel] for novel in LATER),
        "texts without annotation": numbers(training["without_annotation"]["texts"]),
        "LitBank": numbers(LITBANK.split()),
        "bank fitted": fitted,
        "bank tested": tested,
        "bank later": bank - fitted - tested,
        "who": numbers(row["book"] for row in records(LABORATORY / "who/descriptions.jsonl")),
        "who dev": numbers(row["book"] for row in records(LABORATORY / "who/development.jsonl")),
    }
    parts = {
        "graded": (claims / "graded.jsonl.xz", "gutenberg_id"),
        "judged": (ROOT / "tests/data/claims_judged.jsonl", "gutenberg_id"),
        "chapters": (LABORATORY / "speakers/chapters.jsonl.xz", "book"),
        "casts": (LABORATORY / "casts/novels.jsonl", "book"),
    }
    for name, (path, key) in parts.items():
        named |= {f"{name} {part}": works for part, works in by_part(path, key).items()}
    return named


def listed(works: Iterable[str]) -> str:
    """Return numbers in order, between blanks."""
    return " ".join(sorted(works, key=int))


def seen_table() -> str:
    """Return how many works of each test each source of learning shares with it, and which."""
    named = collections()
    columns = ("measured with", "works", *LEARNED)
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for test in TESTS:
        cells = [_shared(named[test] & named[source]) for source in LEARNED]
        rows.append(f"| {test} | {len(named[test])} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _shared(works: frozenset[str]) -> str:
    if not works:
        return "–"
    return f"{len(works)}" + (f": {listed(works)}" if len(works) <= MOST_NUMBERS else "")


def works_table() -> str:
    """Return the numbers of the works of each collection."""
    rows = [f"| {name} | {len(works)} | {listed(works)} |" for name, works in collections().items()]
    return "\n".join(("| collection | works | numbers |", "|---|---|---|", *rows))


def counts() -> dict[str, str]:
    """Return the counts that the page gives, by the names that stand for them in its text."""
    graded = records(LABORATORY / "claims/graded.jsonl.xz")
    judged = records(ROOT / "tests/data/claims_judged.jsonl")
    speakers, people = card("pdnc-turns")["training"], card("litbank-people")["training"]
    facets, own = card("csfcube-facets")["training"], card("own-facets")["training"]
    reranker, retriever = card("claims-minilm")["training"], card("relic-minilm")["training"]
    ranking = json.loads((INDEXES / "retrieval/weights.json").read_text("utf-8"))["training"]
    support = json.loads((INDEXES / "retrieval/support.json").read_text("utf-8"))["training"]
    solver = json.loads((INDEXES / "characters/solver/weights.json").read_text("utf-8"))["training"]
    method_map = card("method-map")["training"]
    works = collections()
    values = {
        "retriever_windows": retriever["windows"],
        "retriever_works": retriever["works"],
        "reranker_claims": reranker["claims"],
        "reranker_works": len(reranker["works"]),
        "ranking_claims": ranking["claims"],
        "ranking_works": len(ranking["works"]),
        "support_claims": support["claims"],
        "noise": len(load_noise()),
        "speaker_novels": len(speakers["novels"]),
        "speaker_quotations": speakers["quotations"],
        "uncued_texts": len(speakers["without_annotation"]["texts"]),
        "uncued_quotations": speakers["without_annotation"]["quotations"],
        "litbank_books": people["books"],
        "solver_books": len(solver["books"]),
        "solver_questions": sum(book["questions"] for book in solver["books"].values()),
        "facet_papers": facets["papers"],
        "own_abstracts": own["short_abstracts"],
        "own_composed": own["composed"],
        "methods": method_map["methods"],
        "method_sentences": method_map["sentences"],
        "written": len(records(LABORATORY / "claims/written.jsonl.xz")),
        "written_works": len(works["written windows"]),
        "graded_train": sum(claim["part"] == "train" for claim in graded),
        "graded_dev": sum(claim["part"] == "dev" for claim in graded),
        "graded_train_works": len(works["graded train"]),
        "graded_dev_works": len(works["graded dev"]),
        "judged_dev": sum(claim["part"] == "dev" for claim in judged),
        "judged_test": sum(claim["part"] == "test" for claim in judged),
        "who": len(records(LABORATORY / "who/descriptions.jsonl")),
        "who_dev": len(records(LABORATORY / "who/development.jsonl")),
        "bank_later": len(works["bank later"]),
        "sets": len(records(LABORATORY / "contrast/sets.jsonl")),
        "encoder_texts": len(works["encoder texts"]),
    }
    return {name: f"{value:,}" for name, value in values.items()}


def disjoint_list() -> str:
    """Return the pairs of collections that share no work, by the first of them."""
    pairs: dict[str, list[str]] = {}
    for first, second in DISJOINT:
        pairs.setdefault(first, []).append(second)
    return "\n".join(f"- {first}: {', '.join(others)}" for first, others in pairs.items())


def page() -> str:
    """Return the page: the text of data_page.txt with its counts and tables."""
    text = Path(__file__).with_name("data_page.txt").read_text("utf-8")
    tables = {"seen": seen_table(), "disjoint": disjoint_list(), "works": works_table()}
    return text.format(**counts(), **tables)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
