"""The tables of claims and missing quotations: ranking.md, retriever.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import run_files
from benchmarks import JUDGED
from figure_tables import (
    Block,
    Card,
    Cell,
    Form,
    Phrase,
    Row,
    Sentences,
    Source,
    Table,
    bold,
    gain,
    percent,
    share,
    source,
)

from scholar_cli.laboratory.claims import graded, judged
from scholar_cli.laboratory.relic.relic_systems import WITHOUT_PROXY

MODEL = "relic-minilm"
CLAIMS = ("", "nDCG@10", "success@3", "recall@50", "of the first ten judged, %")
HYBRID = f"hybrid:{MODEL}"
UNKNOWN, JUDGED_UNKNOWN = (source(run, system=HYBRID) for run in ("claims-texts", "judged-texts"))
FIRST, JUDGED_FIRST = (source(run, system=HYBRID) for run in ("claims-first", "judged-first"))
FIND, JUDGED_FIND = (source(run, system=HYBRID) for run in ("claims", "judged"))
TEST = frozenset(claim.id for claim in judged.read(run_files.ROOT / JUDGED, "test"))


def claims(
    label: str, report: Source, *, best: bool = False, only: frozenset[str] = frozenset()
) -> Row:
    """Return the row of a system over all judged claims, or over the claims in `only`."""

    def cell(figure: str, form: Form) -> Cell:
        return Cell(report, figure, bold(form) if best else form, only=only)

    shares = [cell("ndcg@10", share()), cell("success@3", share(2)), cell("recall@50", share(2))]
    return [label, *shares, Cell(report, "judged@10", percent(0, None), only=only)]


def claim_gains(name: str, report: Source, over: Source) -> dict[str, Cell]:
    """Return the values of a sentence: the paired gains of a system over another."""
    return {
        f"{name}_{figure.partition('@')[0]}": Cell(report, figure, gain(digits), over)
        for figure, digits in (("ndcg@10", 3), ("success@3", 2), ("recall@50", 3))
    }


def graded_row(part: str) -> Row:
    """Return the numbers of works, claims and passages of a part of the graded claims."""
    chosen = [claim for claim in graded.load() if claim.part == part]
    grades = [passage.grade for claim in chosen for passage in claim.passages]
    works = {claim.gutenberg_id for claim in chosen}
    numbers = (len(works), len(chosen), len(grades), *(grades.count(at) for at in (3, 2, 1, 0)))
    return [f"`{part}`", *(f"{number:,}" for number in numbers)]


FUSION, SUPPORT = "retrieval/weights.json", "retrieval/support.json"
SHORT = share(2, bounds=False)
RANKING: list[Block] = [
    Table(
        "ranking.md",
        "fusion",
        ("fitted on the other works of `dev`", "nDCG@10"),
        [
            [
                "ten features",
                Card(FUSION, ("held_out_works_without_shares_of_words", "ndcg@10"), share()),
            ],
            ["with the share of words", Card(FUSION, ("held_out_works", "ndcg@10"), bold(share()))],
        ],
    ),
    Table(
        "ranking.md",
        "claims",
        CLAIMS,
        [
            claims("BM25", source("claims-texts", system="lexical")),
            claims("meaning only", source("claims-texts", system=f"dense:{MODEL}")),
            claims("meaning, surroundings and words; people unknown", UNKNOWN),
            claims("people matched, fusion", FIRST),
            claims("and the second stage, as `find` ranks", FIND, best=True),
        ],
    ),
    Table(
        "ranking.md",
        "famous",
        ("", "success@3", "recall@50"),
        [
            [
                "as `find` ranks",
                source("famous", system=HYBRID).cell("success@3", bold(share(2))),
                source("famous", system=HYBRID).cell("recall@50", share(2)),
            ]
        ],
    ),
    Sentences(
        "ranking.md",
        "claims-gains",
        Phrase(
            "People and the fusion gain {first_ndcg} of nDCG@10 and {first_success} of\n"
            "success@3 over the row before (paired, 95 %), the second stage {second_ndcg}\n"
            "and {second_success} more.",
            claim_gains("first", FIRST, UNKNOWN) | claim_gains("second", FIND, FIRST),
        ),
    ),
    Table(
        "ranking.md",
        "folding",
        ("", "scenes@10", "nDCG@10"),
        [
            [
                label,
                source("claims", system=system).cell("scenes@10", share()),
                source("claims", system=system).cell("ndcg@10", share()),
            ]
            for label, system in (("not folded", HYBRID), ("folded", f"folded:{MODEL}"))
        ],
    ),
    Table(
        "ranking.md",
        "feedback",
        ("remaining passages", "nDCG@10", "nDCG@10, graded only"),
        [
            [
                system,
                source("feedback", system=system).cell("ndcg@10", form),
                source("feedback", system=system).cell("ndcg@10 of judged", form),
            ]
            for system, form in (
                ("without marks", share()),
                ("with marks", share()),
                ("gain", gain()),
            )
        ],
    ),
    Sentences(
        "ranking.md",
        "support",
        Phrase(
            "By fifths of the works, fitted on the others, the estimate is off by {error} on\n"
            "average (expected calibration error). If no passage reaches the support that the\n"
            "best passage of 95 % of the claims of dev has, `find` calls all of them weak: for\n"
            "{one} % of that noise in one novel, and for {all} % over the whole library.",
            {
                "error": Card(SUPPORT, ("two stages", "expected_calibration_error"), SHORT),
                "one": Card(
                    SUPPORT, ("two stages", "notices", "noise, one book"), percent(0, None)
                ),
                "all": Card(
                    SUPPORT, ("two stages", "notices", "noise, all books"), percent(0, None)
                ),
            },
        ),
    ),
    Table(
        "ranking.md",
        "graded",
        ("part", "works", "claims", "passages", "grade 3", "2", "1", "0"),
        [graded_row(part) for part in graded.PARTS],
    ),
]

JUDGED_CLAIMS: list[Block] = [
    Table(
        "retriever.md",
        "judged",
        CLAIMS,
        [
            claims("BM25", source("judged-texts", system="lexical")),
            claims("untrained, dense", source("judged-texts", system="dense:untrained")),
            claims("untrained, hybrid", source("judged-texts", system="hybrid:untrained")),
            claims("trained, dense", source("judged-texts", system=f"dense:{MODEL}")),
            claims("trained, hybrid; people unknown", JUDGED_UNKNOWN),
            claims("people matched, fusion", JUDGED_FIRST),
            claims("and the second stage, as `find` ranks", JUDGED_FIND, best=True),
            claims("the same, the 20 claims of `test`", JUDGED_FIND, only=TEST),
        ],
    ),
    Sentences(
        "retriever.md",
        "judged-gains",
        Phrase(
            "The encoder's training gains {trained_ndcg} of nDCG@10 (paired, 95 %); people,\n"
            "fusion and second stage {find_ndcg}, of success@3\n"
            "{find_success}, of recall@50 {find_recall}.",
            claim_gains(
                "trained", JUDGED_UNKNOWN, source("judged-texts", system="hybrid:untrained")
            )
            | claim_gains("find", JUDGED_FIND, JUDGED_UNKNOWN),
        ),
    ),
    Table(
        "retriever.md",
        "remembered",
        ("", "n", "first, % (95 %)", "among the first three, %"),
        [
            [
                label,
                source("remembered", split=split).n(),
                source("remembered", split=split).cell("success@1", bold(percent())),
                source("remembered", split=split).cell("success@3", percent(1, None)),
            ]
            for label, split in (("all words right", "exact"), ("one word wrong", "one word wrong"))
        ],
    ),
]


def second_readings() -> Table:
    """Return the agreement of two readers on the passages that both graded."""

    def row(label: str, part: str, supports: int) -> Row:
        rows = run_files.read_sample("second-readings").rows
        pairs = [row["grades"] for row in rows if row["part"] == part]
        numbers = (
            len(pairs),
            sum(first == second for first, second in pairs),
            sum(abs(first - second) == 1 for first, second in pairs),
            sum((first >= supports) == (second >= supports) for first, second in pairs),
        )
        return [label, *map(str, numbers)]

    return Table(
        "ranking.md",
        "second-readings",
        ("", "read twice", "same grade", "one apart", "agree on support"),
        [
            row("graded, `dev` (support: grade 2)", "graded dev", graded.SUPPORTS),
            row("[judged](retriever.md#short-claims) (support: grade 1)", "judged", graded.TOUCHES),
        ],
    )


def questions() -> Table:
    """Return the answers to the paper's own claims, with the grades of their readers."""
    by_claim: dict[str, list[Mapping[str, Any]]] = {}
    for row in run_files.read_sample("paper-questions").rows:
        by_claim.setdefault(row["claim"], []).append(row)
    return Table(
        "retriever.md",
        "paper-questions",
        ("claim", "grades", "passages"),
        [
            [
                claim,
                " ".join(map(grades, answers)),
                "; ".join(f"{answer['gist']} [{answer['locator']}]" for answer in answers),
            ]
            for claim, answers in by_claim.items()
        ],
    )


def grades(answer: Mapping[str, Any]) -> str:
    """Return the grades of an answer: one if its readers agree, bold if it supports the claim."""
    text = "–".join(map(str, sorted(set(answer["grades"]))))
    return f"**{text}**" if min(answer["grades"]) >= graded.SUPPORTS else text


# Missing quotations: docs/retriever.md

RELIC_SYSTEMS = {
    "BM25": "bm25",
    "untrained, dense": "dense:untrained",
    "trained, dense": f"dense:{MODEL}",
    "**trained, hybrid**": HYBRID,
}


SHOWN_CUTS = (1, 10, 50, 100)
"""The ranks with a column; reproduced.md has all ranks of the paper for the test works."""
RELIC_CONTEXTS = ("4/4", "4/0", "1/1", "1/0", "0/4", "0/1")
RELIC_OTHERS = {
    "averaged word vectors": "words",
    "trained, late interaction": f"late:{MODEL}",
    "trained, hybrid and second stage": f"cross:{MODEL}",
}


def relic_row(run: str, bench: str, label: str, system: str) -> Row:
    """Return the row of a system in the form of RELiC's Table 3."""
    report = source(run, bench=bench, system=system)
    has_proxy = system not in WITHOUT_PROXY
    return [
        label,
        *(report.cell(f"recall@{k}", percent(1, 1)) for k in SHOWN_CUTS),
        report.cell("mean_rank", lambda interval: f"{interval.mean:.0f}"),
        report.cell("proxy", percent(1, None)) if has_proxy else "–",
    ]


def relic(run: str, contexts: Sequence[str], systems: Mapping[str, str]) -> Table:
    """Return rows of a run in the form of RELiC's Table 3, by context and system."""
    return Table(
        "retriever.md",
        run,
        ("L/R", "system", *(f"R@{k}" for k in SHOWN_CUTS), "mean rank", "proxy"),
        [
            [context, *relic_row(run_of(run, system), f"relic {context}", label, system)]
            for context in contexts
            for label, system in systems.items()
        ],
    )


def run_of(run: str, system: str) -> str:
    """Return the run that has a system: both stages have one of their own."""
    return run.replace("-others", "-cross") if system.startswith("cross:") else run


RELIC = [
    relic("relic-val", RELIC_CONTEXTS, RELIC_SYSTEMS),
    relic("relic-test", RELIC_CONTEXTS, RELIC_SYSTEMS),
    relic("relic-test-others", ("4/4", "1/1"), RELIC_OTHERS),
    relic("relic-val-others", ("4/4", "1/1"), RELIC_OTHERS),
    Sentences(
        "retriever.md",
        "relic-cross-gain",
        Phrase(
            "Over the hybrid alone the second stage is {four} points of recall@10 at 4/4 (paired, "
            "95 %) and {one} at 1/1.",
            {
                name: Cell(
                    source("relic-test-cross", bench=f"relic {context}", system=f"cross:{MODEL}"),
                    "recall@10",
                    gain(1, in_percent=True),
                    source("relic-test", bench=f"relic {context}", system=HYBRID),
                )
                for name, context in (("four", "4/4"), ("one", "1/1"))
            },
        ),
    ),
]
