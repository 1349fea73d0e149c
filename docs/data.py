"""Write docs/data.md, the data of each part and their licences, and docs/works.tsv, the works of
each collection.

.venv/bin/python docs/data.py

Works are identified by their Gutenberg numbers. Counts and lists are read from the cards of models
and the data files; collections that are not in the repository are listed here.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from scholar_cli.laboratory.claims.support_training import load_noise

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("data.md")
WORKS = Path(__file__).with_name("works.tsv")
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
"""The works of the shared collection that are in neither RELiC's validation nor its test set. The
encoder learned from their texts and from criticism of them, and from 43 texts of Shakespeare's,
which have no number there."""

RELIC_VALIDATION = "36 44 98 120 121 158 514 543 767 786 917 969 1156 1399 4517"
RELIC_TEST = "105 219 1342 64317"
"""RELiC's validation and test works that are in the shared collection."""

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
"""The novels of PDNC and their Gutenberg numbers; one is only in Gutenberg Canada."""

LATER = ("HardTimes", "MansfieldPark", "WinnieThePooh")
"""The novels added in PDNC's second release, which the speaker model was not trained on."""

LITBANK = """
11 24 27 33 36 41 44 60 74 95 113 120 155 158 219 233 238 271 345 351 367 432 502 514 541 550 599
711 768 805 829 876 940 969 1155 1206 1260 1400 1695 2005 2084 2095 2641 2814 2852 5230 5348 11231
12677 15265
"""

BANK_TESTED = "33 98 145 1260 2701"
"""The books of the first bank that the solver of `who` was not fitted on."""

BANK_LATER = "74 121 122 141 153 507 786 863 883 967 1023 2600 2946 4276 6688 9182 28054"
"""The books that were described next, on which the solver was tested once."""

DISJOINT_GROUPS = (
    ("RELiC test", "RELiC validation", "encoder texts"),
    ("RELiC test", "graded dev", "written windows"),
    ("judged test", "judged dev", "graded dev", "graded train"),
    ("judged test", "judged dev", "encoder texts"),
    ("PDNC trained", "PDNC later", "texts without annotation"),
    ("chapters test", "chapters dev", "PDNC"),
    ("chapters test", "casts dev", "PDNC"),
    ("casts test", "chapters dev", "PDNC"),
    ("casts test", "casts dev", "PDNC"),
    ("bank tested", "bank later", "bank fitted", "who"),
    ("bank tested", "bank later", "who dev", "who"),
    ("bank tested", "graded train"),
    ("bank tested", "PDNC"),
)
"""Groups of collections of which no two share a work; a test checks every pair."""

DISJOINT = list(
    dict.fromkeys(
        pair
        for group in (
            *DISJOINT_GROUPS,
            ("RELiC test", "RELiC validation", "written windows"),
            ("RELiC test", "RELiC validation", "graded train"),
            ("judged test", "RELiC validation"),
        )
        for pair in combinations(group, 2)
    )
)
"""The pairs of these groups, and pairs that follow because one collection contains another."""

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
"""The collections for measuring figures, and the collections for learning or choosing."""

MOST_NUMBERS = 6
"""The largest number of shared works that are listed one by one."""

DESCRIPTIONS = {
    "encoder texts": "learning from texts",
    "RELiC validation": "choosing by [critics' quotations](retriever.md#how-it-is-trained)",
    "RELiC test": "testing",
    "written windows": "learning from {written} claims and pieces of criticism",
    "graded train": "learning from {graded_train} [graded claims](ranking.md#graded-claims)",
    "graded dev": "choosing by {graded_dev}",
    "judged dev": "choosing by {judged_dev} [short claims](retriever.md#short-claims)",
    "judged test": "testing with {judged_test}",
    "PDNC trained": "learning from [speakers](speakers.md#measured-on-pdnc)",
    "PDNC later": "testing",
    "texts without annotation": "learning from cues",
    "LitBank": "learning from [mentions](coreference.md)",
    "chapters dev": "choosing by [annotated chapters](speakers.md#annotated-chapters)",
    "chapters test": "testing",
    "casts dev": "choosing by [main characters](speakers.md#main-characters-of-whole-novels)",
    "casts test": "testing",
    "bank fitted": "learning from [descriptions](characters.md#format)",
    "bank tested": "testing",
    "bank later": "testing",
    "bank for quizzes": "nothing was learned from it or measured with it",
    "who": "testing with {who} [typed descriptions]"
    "(characters.md#who-200-descriptions-as-people-type-them)",
    "who dev": "choosing by {who_dev}",
}
"""The collections on the page, and what each is used for."""


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a JSON Lines file, which may be xz-compressed."""
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
    """Return Gutenberg numbers as strings without "pg"; empty ones are omitted."""
    return frozenset(text for work in works if (text := str(work).removeprefix("pg")))


def by_part(path: Path, key: str) -> dict[str, frozenset[str]]:
    """Return the numbers of the works in each part of a JSON Lines file."""
    rows = records(path)
    return {
        part: numbers(row[key] for row in rows if row["part"] == part)
        for part in sorted({row["part"] for row in rows})
    }


@cache
def collections() -> Mapping[str, frozenset[str]]:
    """Return the works of each collection, by the name of the collection on the page."""
    training = card("pdnc-turns")["training"]
    solver = json.loads((INDEXES / "characters/solver/weights.json").read_text("utf-8"))
    bank = numbers(
        path.stem for path in (INDEXES / "characters/descriptions/bank").glob("pg*.jsonl")
    )
    fitted = numbers(solver["training"]["books"])
    tested, later = numbers(BANK_TESTED.split()), numbers(BANK_LATER.split())
    claims = LABORATORY / "claims"
    named = {
        "encoder texts": numbers(ENCODER_WORKS.split()),
        "RELiC validation": numbers(RELIC_VALIDATION.split()),
        "RELiC test": numbers(RELIC_TEST.split()),
        "written windows": numbers(
            row["gutenberg_id"] for row in records(claims / "written.jsonl.xz")
        ),
        "PDNC": numbers(PDNC.values()),
        "PDNC trained": numbers(PDNC[novel] for novel in training["novels"]),
        "PDNC later": numbers(PDNC[novel] for novel in LATER),
        "texts without annotation": numbers(training["without_annotation"]["texts"]),
        "LitBank": numbers(LITBANK.split()),
        "bank fitted": fitted,
        "bank tested": tested,
        "bank later": later,
        "bank for quizzes": bank - fitted - tested - later,
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
    """Return numbers in ascending order, separated by blanks."""
    return " ".join(sorted(works, key=int))


def seen_list() -> str:
    """Return, for each test, how many of its works are in each source of learning, and which."""
    named = collections()
    lines = []
    for test in TESTS:
        shared = {source: named[test] & named[source] for source in LEARNED}
        seen = "; ".join(
            f"{source} {'all' if works == named[test] else _shared(works)}"
            for source, works in shared.items()
            if works
        )
        lines.append(f"- {test} ({len(named[test])}): {seen}")
    return "\n".join(lines)


def _shared(works: frozenset[str]) -> str:
    return f"{len(works)}" + (f" ({listed(works)})" if len(works) <= MOST_NUMBERS else "")


def collections_list() -> str:
    """Return the number of works and the use of each collection."""
    values = counts()
    return "\n".join(
        f"- **{name}** ({len(collections()[name])}): {text.format(**values)}"
        for name, text in DESCRIPTIONS.items()
    )


def works_table() -> str:
    """Return the collections of each work, as tab-separated lines."""
    named = {name: collections()[name] for name in DESCRIPTIONS}
    lines = ["gutenberg number\tcollections"]
    for work in sorted(frozenset().union(*named.values()), key=int):
        lines.append(f"{work}\t{', '.join(name for name in named if work in named[name])}")
    return "\n".join(lines) + "\n"


def counts() -> dict[str, str]:
    """Return the counts on the page, by their placeholders in its text."""
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
        "graded_train": sum(claim["part"] == "train" for claim in graded),
        "graded_dev": sum(claim["part"] == "dev" for claim in graded),
        "judged_dev": sum(claim["part"] == "dev" for claim in judged),
        "judged_test": sum(claim["part"] == "test" for claim in judged),
        "who": len(records(LABORATORY / "who/descriptions.jsonl")),
        "who_dev": len(records(LABORATORY / "who/development.jsonl")),
        "sets": len(records(LABORATORY / "contrast/sets.jsonl")),
        "encoder_texts": len(works["encoder texts"]),
    }
    return {name: f"{value:,}" for name, value in values.items()}


def disjoint_list() -> str:
    """Return the groups of collections that share no work."""
    return "\n".join(f"- {', '.join(group)}" for group in DISJOINT_GROUPS)


def figures_block() -> str:
    """Return the table of the page that docs/figures writes, between its markers."""
    block = re.search(
        r"<!-- figures: licences -->\n.*?<!-- end of licences -->",
        PAGE.read_text("utf-8"),
        re.DOTALL,
    )
    if block is None:
        raise LookupError(f"{PAGE} needs the markers of the figures licences once")
    return block[0]


def page() -> str:
    """Return the page: the text of data_page.txt with its counts, lists and tables."""
    text = Path(__file__).with_name("data_page.txt").read_text("utf-8")
    parts = {
        "seen": seen_list(),
        "disjoint": disjoint_list(),
        "licences": figures_block(),
        "collections": collections_list(),
    }
    return text.format(**counts(), **parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    WORKS.write_text(works_table(), "utf-8")
