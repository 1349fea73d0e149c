"""The tables of located quotations: docs/quotations.md."""

from __future__ import annotations

from figure_tables import (
    Block,
    Phrase,
    Sentences,
    Table,
    percent,
    source,
)

from scholar_cli.laboratory.quotations.damage import WAYS

DAMAGE = {
    "other marks": "other marks: straight quotes, dashes, commas, no italics",
    "hyphens": "hyphens left out, words divided at the end of a line",
    "spelling": "American spelling",
    "misread letters": "misread letters in every seventh word",
    "ellipsis": "an ellipsis for two to twelve words",
    "brackets": "a name in brackets for a pronoun, or [sic]",
    "clause left out": "two to twelve words left out without a mark",
    "one word wrong": "one word replaced",
}
LOCATE: list[Block] = [
    Table(
        "quotations.md",
        "locate",
        ("damage", "found, %", "with its exact span, %"),
        [
            [
                DAMAGE.get(way, way),
                source("locate", split=way).cell("recall", percent(0)),
                source("locate", split=way).cell("exact span", percent(0)),
            ]
            for way in WAYS
        ],
    ),
    Sentences(
        "quotations.md",
        "located",
        Phrase(
            "Of the same number of quotations from the other novels, {located} % are located,\n"
            "most of them phrases that occur in both.",
            {"located": source("locate", split="of other books").cell("located", percent(1, 1))},
        ),
    ),
]
