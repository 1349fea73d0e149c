"""The tables of speakers, casts, chains and descriptions, and an answer of `who` in the README."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import run_files
from figure_tables import (
    Block,
    Card,
    Cell,
    Form,
    Output,
    Phrase,
    Row,
    Table,
    bold,
    gain,
    percent,
    share,
    source,
)

from scholar_cli.laboratory.gandalf.gandalf_statistics import describe_texts
from scholar_indexes.characters.descriptions import bank

KINDS = ("all", "explicit", "anaphoric", "implicit", "other")
LATER = {
    "HardTimes": "Hard Times",
    "MansfieldPark": "Mansfield Park",
    "WinnieThePooh": "Winnie-the-Pooh",
}


def pdnc(label: str, system: str, novels: str = "", *, with_error: bool = False) -> Row:
    """Return the row of a system over the quotations of all novels, or of the given ones."""
    report = source("pdnc", split="micro", system=system)

    def cell(kind: str) -> Cell:
        form = percent() if kind == "all" and " " in novels else percent(1, None)
        return report.cell(f"{kind} {novels}".strip(), form)

    error = [report.cell(f"ece {novels}".strip(), share(bounds=False))] if with_error else []
    return [label, *map(cell, KINDS), *error]


EVIDENCE = {
    "nothing": "nothing",
    "turns": "neighbouring turns (`turns`: the chain)",
    "voices": "similarity of words and topics (`voices`)",
    "names": "names in the narration (`names`)",
    "calls": "who is addressed by name (`calls`)",
    "focus": "the subject of the narration (`focus`)",
    "gender": "gender (`gender`)",
    "quotation": "the quotation and its surroundings (`quotation`)",
    "cues": "the words next to the quotation (`cues`)",
    "book": "who is named and speaks most in the book (`book`)",
}


def evidence(kind: str, label: str) -> Row:
    """Return the row of a kind of evidence that was removed."""

    def cell(split: str, figure: str, form: Form) -> Cell:
        return source("speakers-evidence", split=split, system=kind).cell(figure, form)

    lost = cell("all", "loss", gain(1, in_percent=True)) if kind != "nothing" else ""
    folds = [cell(f"fold {fold}", "all", percent(1, None)) for fold in (1, 3)]
    return [label, lost, *folds, cell("all", "explicit", percent(1, None))]


PIECES = ("piece_precision", "piece_recall", "piece_f1")
FOLDS = "weights/pdnc-turns/card.json"
SPEAKERS: list[Block] = [
    Table(
        "speakers.md",
        "pdnc-folds",
        ("", *KINDS, "calibration error"),
        [
            [
                "**trained**",
                *(Card(FOLDS, ("cross-validated", kind), percent(1, None)) for kind in KINDS),
                Card(FOLDS, ("cross-validated", "ece"), share(bounds=False)),
            ],
            ["BookNLP+ as published", "78.5", "98.6", "", "", "68.9", ""],
            ["Llama-3-8b as published", "90.6", "94.7", "", "", "89.1", ""],
            ["ModernBERT-large as published", "94.5", "99.3", "95.5", "89.3", "", ""],
        ],
    ),
    Table(
        "speakers.md",
        "pdnc-later",
        ("", *KINDS, "calibration error"),
        [
            pdnc("**trained**", "trained", " ".join(LATER), with_error=True),
            *([*pdnc(f"*{title}*", "trained", novel), ""] for novel, title in LATER.items()),
            [*pdnc("sieve", "sieve", " ".join(LATER)), ""],
            [*pdnc("nearest name", "nearest", " ".join(LATER)), ""],
        ],
    ),
    Table(
        "speakers.md",
        "speakers-evidence",
        ("removed", "loss, points (95 %)", "fold 1", "fold 3", "explicit, both"),
        [evidence(kind, label) for kind, label in EVIDENCE.items()],
    ),
    Table(
        "speakers.md",
        "pdnc-rules",
        ("", *KINDS),
        [pdnc("nearest name", "nearest"), pdnc("sieve", "sieve")],
    ),
    Table(
        "speakers.md",
        "pdnc-raw",
        (
            "",
            "everything given",
            "quotations found",
            "and characters found",
            "pieces: precision",
            "recall",
            "F1",
        ),
        [
            [
                label,
                *(
                    source("pdnc-raw", split=split).cell(name, percent(1, None))
                    for name in ("given", "spans", "raw", *PIECES)
                ),
            ]
            for label, split in (
                *((f"*{title}*", novel) for novel, title in LATER.items()),
                ("*Pride and Prejudice* (learned from)", "PrideAndPrejudice"),
                ("all 25 novels (22 learned from)", "micro"),
            )
        ],
    ),
    Table(
        "speakers.md",
        "chapters",
        (
            "part",
            "quotations",
            "right, % (95 %)",
            "named",
            "unnamed",
            "non-speech with a speaker, %",
        ),
        [
            [
                f"`{part}`",
                source(f"speakers-{part}", split="all").n(),
                source(f"speakers-{part}", split="all").cell("right", bold(percent())),
                source(f"speakers-{part}", split="named").cell("right", percent()),
                source(f"speakers-{part}", split="unnamed").cell("right", percent()),
                source(f"speakers-{part}", split="all").cell(
                    "attributed_non_speech", percent(0, None)
                ),
            ]
            for part in ("dev", "test")
        ],
    ),
    Table(
        "speakers.md",
        "casts",
        (
            "part",
            "characters",
            "whole and alone, % (95 %)",
            "completeness",
            "purity",
            "split",
            "merged",
        ),
        [
            [
                label,
                source("casts", split=part).n(),
                source("casts", split=part).cell("whole_and_alone", bold(percent())),
                source("casts", split=part).cell("completeness", share(bounds=False)),
                source("casts", split=part).cell("purity", share(bounds=False)),
                *(
                    source("casts", split=part).cell(name, lambda one: f"{one.mean:.0f}")
                    for name in ("characters_split", "characters_merged")
                ),
            ]
            for label, part in (("`dev`", "dev"), ("`test`", "test"), ("PDNC's novels", "pdnc"))
        ],
    ),
]


def litbank(label: str, system: str, split: str, mentions: str) -> Row:
    """Return the row of a system on LitBank, for the mentions of a split."""
    report = source("litbank", system=system, split=split)
    names = (
        "mention_recall",
        "mention_precision",
        "mention_f1",
        "muc_f1",
        "b3_f1",
        "ceafe_f1",
        "lea_f1",
    )
    return [
        label,
        mentions,
        *(report.cell(name, percent(1, None)) for name in names),
        report.cell("conll_f1", bold(percent(1, 1))),
    ]


LITBANK = Table(
    "coreference.md",
    "litbank",
    ("system", "mentions of", "mention R", "P", "F1", "MUC", "B³", "CEAF-e", "LEA", "mean (95 %)"),
    [
        litbank(
            "`sieve`: the cast, titles, pronouns of one person by rules",
            "sieve",
            "persons",
            "people",
        ),
        litbank("", "sieve", "all", "all"),
        litbank("`names`: names of people, equal words are one", "names", "persons", "people"),
        litbank("", "names", "all", "all"),
    ],
)


# Characters: docs/characters.md

QUESTIONS = ("desc2name", "name2desc")
SOLVER = "characters/solver/weights.json"


def gandalf(label: str, run: str, system: str, kind: str) -> Row:
    """Return the row of a system for a kind of questions."""
    mean = source(run, system=system, split=kind)
    if system == "wording":
        return [label, kind, mean.cell("accuracy", percent(1, None)), "", "", "", ""]
    form = bold(percent()) if system == "solver" else percent()
    return [
        label,
        kind,
        mean.cell("accuracy", form),
        *(
            source(run, system=system, split=f"{kind} {level}").cell("accuracy", percent(1, None))
            for level in (1, 2, 3, 4)
        ),
    ]


def left_out(kind: str) -> Row:
    """Return the row of the solver on its training books, each by weights fitted on the others."""
    names = (kind, *(f"{kind} {level}" for level in (1, 2, 3, 4)))
    cells = [Card(SOLVER, ("left out one by one", name), percent(1, None)) for name in names]
    return ["`solver`, fitted on the seven others", kind, *cells]


GANDALF = ("system", "kind", "right, % (95 %)", "level 1", "2", "3", "4")
OTHERS = ("tfidf", "tfidf-named", "frequency", "random", "wording")
CHARACTERS: list[Block] = [
    Table(
        "characters.md",
        "gandalf",
        GANDALF,
        [
            *(gandalf("`solver`", "gandalf", "solver", kind) for kind in QUESTIONS),
            *(
                gandalf(f"`{system}`", "gandalf", system, kind)
                for system in OTHERS
                for kind in QUESTIONS
            ),
            *(
                gandalf(label, run, system, kind)
                for label, run, system in (
                    ("`solver`, other names", "gandalf-rep", "solver"),
                    ("`solver`, novels described later", "gandalf-later", "solver"),
                    ("`tfidf-named`, the same", "gandalf-later", "tfidf-named"),
                )
                for kind in QUESTIONS
            ),
            *(left_out(kind) for kind in QUESTIONS),
        ],
    ),
]


def compositions() -> Table:
    """Return the numbers of composed descriptions that were read and that read as English."""

    def row(label: str, part: str) -> Row:
        rows = run_files.read_sample("compositions").rows
        reads = [composed["reads"] for composed in rows if composed["part"] == part]
        return [label, str(len(reads)), str(sum(reads))]

    return Table(
        "characters.md",
        "compositions",
        ("composed descriptions", "read", "read as English"),
        [
            row("for every name, drawn at random (the benchmark)", "benchmark"),
            row("as a quiz asks them", "quiz"),
        ],
    )


def described() -> Table:
    """Return the numbers of books and characters in the packaged banks, and for the descriptions of
    each level their number, mean length in words and distinct words."""
    banks = [bank.load_packaged(book) for book in bank.packaged_titles()]
    everybody = list(chain.from_iterable(banks))

    def row(level: int) -> Row:
        figures = describe_texts(
            [
                description.text
                for character in everybody
                for description in character.descriptions
                if description.level == level
            ]
        )
        sizes = [f"{len(banks)}", f"{len(everybody):,}"] if level == 1 else ["", ""]
        counts = [f"{figures[name]:,}" for name in ("descriptions", "distinct_words")]
        return [*sizes, f"{level}", counts[0], f"{figures['words']:.1f}", counts[1]]

    headings = ("novels", "characters", "level", "descriptions", "mean words", "distinct words")
    return Table("characters.md", "bank", headings, [row(1), row(2)])


def bank_readings() -> Table:
    """Return the faults that a second reader found in the banks written later: number, percent."""
    rows = run_files.read_sample("bank-readings").rows
    faults = [
        ("not true", {"true": "no"}),
        ("also true of another character", {"unique": "no"}),
        ("not supported by its passage", {"proved": "no"}),
        ("in the book's words, or unclear", {"good": "no"}),
        ("only partly supported, kept", {"proved": "part"}),
    ]

    def count(answers: Mapping[str, str]) -> int:
        return sum(answers.items() <= row.items() for row in rows)

    counts = [(label, count(answers)) for label, answers in faults]
    return Table(
        "characters.md",
        "bank-readings",
        ("descriptions read twice", "", "%"),
        [
            ["all", f"{len(rows):,}", ""],
            *([label, str(number), f"{100 * number / len(rows):.1f}"] for label, number in counts),
        ],
    )


WHO: list[Block] = [
    Table(
        "characters.md",
        "who",
        ("", "descriptions", "first, % (95 %)", "among the first three, % (95 %)"),
        [
            [
                label,
                source("who", split=split).n(),
                source("who", split=split).cell("top1", percent()),
                source("who", split=split).cell("top3", percent()),
            ]
            for label, split in (
                ("all", "all"),
                ("main characters", "main"),
                ("minor ones", "minor"),
                ("without a name", "unnamed"),
            )
        ],
    ),
]
EXAMPLE: list[Block] = [
    Output("README.md", "speakers-example", "speakers-example", 9, 100),
    Output("index.md", "who-example", "who-example", 9),
]


def csfcube(run: str) -> Cell:
    """Return the NDCG%20 of `papers similar` with the labels of a facet model."""
    report = source(run, split="all", system="scholar:all-MiniLM-L6-v2")
    return report.cell("NDCG%20", percent(1, None))


def later(system: str) -> Cell:
    """Return the accuracy of a system on PDNC's three later novels."""
    report = source("pdnc", split="micro", system=system)
    return report.cell(f"all {' '.join(LATER)}", percent(1, None))


OWN_FACETS, FACETS = (f"weights/{model}/card.json" for model in ("own-facets", "csfcube-facets"))
LICENCES = Table(
    "data.md",
    "licences",
    ("task", "replacement", "cost"),
    [
        [
            "facets of sentences without a label or a heading",
            "`own-facets`, which learned from abstracts written for it",
            Phrase(
                "right on {own} of CSFCube's sentences instead of {facets} "
                "([papers](papers.md#facets)); {own_ndcg} of NDCG%20 instead of {ndcg}, about what "
                "whole abstracts give ([papers](papers.md#csfcube))",
                {
                    "own": Card(OWN_FACETS, ("test", "accuracy"), share(2, bounds=False)),
                    "facets": Card(FACETS, ("test", "accuracy"), share(2, bounds=False)),
                    "own_ndcg": csfcube("csfcube-own"),
                    "ndcg": csfcube("csfcube-labels"),
                },
            ),
        ],
        [
            "speakers, and who is in a passage, when requested",
            "rules (`--method sieve`)",
            Phrase(
                "right on {sieve} % of the quotations of PDNC's three later novels instead of "
                "{trained} % ([speakers](speakers.md#speakers))",
                {system: later(system) for system in ("sieve", "trained")},
            ),
        ],
    ],
)
