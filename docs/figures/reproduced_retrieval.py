"""The tables of reproduced.md: every experiment of RELiC and CSFCube, and our figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from claims_tables import HYBRID, MODEL
from figure_tables import Block, Cell, Figure, Phrase, Row, Table, gain, percent, source
from papers_tables import FACETS, PAPERS_MODEL, SIMILAR

from scholar_cli.laboratory.metrics import Interval
from scholar_cli.laboratory.relic.outcomes import CUTS
from scholar_cli.laboratory.relic.relic_data import SPLITS

RECALLS = ", ".join(f"{{recall{k}}}" for k in CUTS)
ONE_DIGIT = percent(1, None)

RELIC_RANDOM = ("0.0, 0.1, 0.1, 0.2, 1.0, 2.0", "2520.5", "33.3")
RELIC_PAPER: Mapping[tuple[str, str], tuple[str, str, str]] = {
    ("BM25", "1/1"): ("1.4, 3.5, 4.6, 6.4, 12.7, 17.2", "1602.2", "–"),
    ("BM25", "4/4"): ("1.2, 2.7, 4.1, 6.7, 14.6, 19.6", "1435.6", "–"),
    ("SIM", "1/1"): ("1.3, 3.1, 4.1, 6.0, 13.4, 18.9", "1397.6", "23.0"),
    ("SIM", "4/4"): ("0.9, 2.1, 3.1, 4.7, 12.1, 17.5", "1405.1", "11.0"),
    ("DPR", "1/1"): ("1.4, 3.2, 4.5, 6.7, 15.6, 22.3", "1253.1", "25.5"),
    ("DPR", "4/4"): ("1.1, 2.2, 3.2, 5.2, 13.5, 20.4", "1254.7", "22.5"),
    ("c-REALM", "1/1"): ("1.6, 3.5, 4.8, 7.1, 15.4, 21.3", "1383.4", "23.0"),
    ("c-REALM", "4/4"): ("1.0, 2.2, 3.3, 5.1, 12.7, 18.6", "1382.5", "17.5"),
    ("ColBERT", "1/1"): ("2.9, 5.8, 7.8, 11.0, 21.2, 27.7", "–", "38.8"),
    ("ColBERT", "4/4"): ("1.8, 3.9, 5.4, 8.2, 18.4, 25.1", "–", "18.9"),
    ("dense-RELiC", "0/1"): ("2.9, 6.2, 8.5, 11.7, 22.5, 29.2", "1189.1", "42.5"),
    ("dense-RELiC", "0/4"): ("5.4, 10.1, 13.2, 18.1, 32.5, 40.5", "849.4", "46.5"),
    ("dense-RELiC", "1/0"): ("4.8, 9.8, 13.0, 18.0, 33.4, 41.4", "793.1", "67.5"),
    ("dense-RELiC", "4/0"): ("7.2, 14.9, 19.4, 26.2, 45.0, 54.0", "529.8", "65.5"),
    ("dense-RELiC", "1/1"): ("7.0, 14.1, 18.2, 24.3, 41.2, 50.0", "616.4", "67.0"),
    ("dense-RELiC", "4/4"): ("9.6, 19.8, 25.5, 33.5, 52.9, 61.9", "370.9", "65.0"),
}
"""Table 3 of Thai et al. (2022): recall at CUTS, mean rank, accuracy of the three-way task."""

RELIC_LENGTHS: Mapping[int, tuple[str, str]] = {
    1: ("9.4, 17.4, 22.1, 29.0, 47.5, 56.5", "456.6; 5057.5; 3,682"),
    2: ("10.9, 22.6, 28.4, 36.6, 56.5, 65.9", "315.7; 5145.1; 2,478"),
    3: ("10.2, 22.3, 28.8, 38.6, 56.3, 64.0", "310.6; 5011.7; 1,408"),
    4: ("7.7, 19.8, 26.7, 35.0, 58.6, 66.8", "301.6; 4944.0; 894"),
    5: ("7.0, 17.5, 25.0, 34.4, 54.9, 65.9", "314.9; 4712.2; 572"),
}
"""Table A9: recall at CUTS; mean rank, candidates and quotations."""

CSFCUBE_PAPER: Mapping[str, Mapping[str, str]] = {
    "fabs_tfidf": {
        "background": "23.35, 27.19, 45.80, 57.97, 78.14",
        "method": "9.30, 9.83, 34.75, 31.20, 57.87",
        "result": "11.35, 16.28, 38.57, 41.24, 66.12",
        "all": "14.59, 17.64, 39.69, 43.19, 67.17",
    },
    "fabs_bm25": {
        "background": "20.12, 27.81, 49.85, 59.39, 79.02",
        "method": "9.37, 11.63, 38.29, 34.59, 60.68",
        "result": "11.31, 20.00, 40.40, 45.07, 67.87",
        "all": "13.50, 19.69, 42.73, 46.06, 68.97",
    },
    "fabs_cbow200": {
        "background": "19.61, 15.94, 27.97, 36.56, 67.68",
        "method": "8.65, 8.33, 15.69, 21.14, 51.58",
        "result": "11.16, 10.42, 23.44, 30.93, 60.22",
        "all": "13.08, 11.47, 22.23, 29.36, 59.64",
    },
    "fabs_tfidfcbow200": {
        "background": "15.92, 16.87, 27.76, 40.51, 69.77",
        "method": "7.99, 6.01, 17.71, 21.70, 51.87",
        "result": "10.43, 10.69, 24.39, 32.79, 60.30",
        "all": "11.38, 11.09, 23.13, 31.42, 60.42",
    },
    "SentBERT-PP": {
        "background": "21.24, 28.75, 46.67, 60.80, 79.14",
        "method": "10.00, 10.83, 36.30, 33.40, 59.50",
        "result": "13.60, 19.83, 41.73, 52.35, 71.90",
        "all": "14.83, 19.62, 41.41, 48.57, 69.98",
    },
    "SPECTER": {
        "background": "24.81, 35.31, 57.45, 66.70, 82.24",
        "method": "11.72, 13.58, 40.81, 37.41, 62.77",
        "result": "18.62, 23.78, 52.72, 56.67, 75.47",
        "all": "18.29, 23.97, 50.14, 53.28, 73.30",
    },
}
"""Tables 3 and 4 of Mysore et al. (2021), over both folds: CSFCUBE_MEASURES in percent."""

CSFCUBE_SPLITS = (*FACETS, "all")
CSFCUBE_MEASURES = ("RP", "P@20", "R@20", "NDCG%20", "NDCG")
CSFCUBE_OURS = {
    "fabs_tfidf": "tfidf",
    "fabs_bm25": "bm25",
    "fabs_cbow200": "words",
    "fabs_tfidfcbow200": "words-tfidf",
    "SentBERT-PP": f"sentence:{PAPERS_MODEL}",
    "SPECTER": f"abstract:{PAPERS_MODEL}",
}
"""Our counterpart of each of the paper's systems."""


TWO_FACETS = {
    "1791179": ("background", "method"),
    "52194540": ("background", "method"),
    "3264891": ("background", "result"),
    "11844559": ("background", "result"),
    "2468783": ("method", "result"),
}
"""The abstracts that are queried in two facets in the available half."""

TABLE_1 = "queries, papers, pool, pairs, rated 1, rated 2 or 3"

NDCG_OF = {
    (name, split): float(figures.split(", ")[CSFCUBE_MEASURES.index("NDCG%20")])
    for name, of_split in CSFCUBE_PAPER.items()
    for split, figures in of_split.items()
}
"""NDCG%20 of the paper's systems, by name and facet."""

PHENOMENA = {
    "1791179_background": "salient aspects",
    "1936997_background": "salient aspects",
    "3264891_result": "domain-specific similarities",
    "5052952_result": "context of a facet",
}
"""The phenomena of section 6 by the paper's examples of them in the available half."""


def rank(interval: Interval) -> str:
    """Format a mean rank, or a mean number of candidates."""
    return f"{interval.mean:.1f}"


def recalls(run: str, bench: str, system: str, *more: str) -> Phrase:
    """Return recall at CUTS and the mean rank of a system, then more figures: "candidates", "n",
    or "proxy of" another run."""
    report = source(run, bench=bench, system=system)
    values = {f"recall{k}": report.cell(f"recall@{k}", ONE_DIGIT) for k in CUTS}
    values["rank"] = report.cell("mean_rank", rank)
    template = f"{RECALLS}; {{rank}}"
    for figure in more:
        name, _, other = figure.partition(" of ")
        template += f"; {{{name}}}"
        if name == "n":
            values[name] = report.n()
        elif name == "candidates":
            values[name] = report.cell(name, rank)
        else:
            of_other = source(other, bench=bench, system=system)
            values[name] = of_other.cell(name, ONE_DIGIT)
    return Phrase(template, values)


def table_3(
    name: str, context: str, system: str, run: str = "relic-test", proxy: str = "relic-pride"
) -> Row:
    """Return the row of RELiC's Table 3 for one of our systems; `proxy` is the run of the
    three-way task, which is about one novel."""
    kind, _, model = system.partition(":")
    options = f"--system {kind}{f' --model {model}' if model else ''}"
    more = [f"proxy of {proxy}"] if proxy else []
    return [
        f"{name}, {context}",
        "; ".join(RELIC_PAPER[name, context]) if (name, context) in RELIC_PAPER else "–",
        recalls(run, f"relic {context}", system, *more),
        f"`{options}`",
    ]


def table_a9(size: int) -> Row:
    """Return the row of RELiC's Table A9 for a length of quotation."""
    figures, rest = RELIC_LENGTHS[size]
    return [
        f"Table A9, 4/4, {size} sentence{'s' if size > 1 else ''}",
        f"{figures}; {rest}",
        recalls("relic-test", f"relic 4/4 n={size}", f"dense:{MODEL}", "candidates", "n"),
        f"`--system dense --model {MODEL} --by-length`",
    ]


def same_command(rows: Iterable[Row]) -> list[Row]:
    """Return rows of one command, which only the first one shows."""
    first, *others = rows
    return [first, *([*row[:-1], "the same"] for row in others)]


def named(row: Row, name: str) -> Row:
    """Return a row under another name."""
    return [name, *row[1:]]


STATISTICS = (
    (
        "Tables 1, A10: quotations; mean words of contexts, candidates; candidates",
        "71,395 / 9,036 / 9,034; 154.1, 45.5; 10,648.8",
        ("quotations", "context_words", "candidate_words", "candidates"),
    ),
    (
        "appendix A.3, Table A6: critics, quotations of a work; quotations of a critic, of the "
        "most quoted sentence",
        "157, 673; 6; 49",
        (
            "critics_of_a_work",
            "quotations_of_a_work",
            "quotations_of_a_critic",
            "times_of_the_most_quoted_sentence",
        ),
    ),
    (
        "Figure 2: quotations of 1 to 5 sentences",
        "test: 3,682; 2,478; 1,408; 894; 572",
        tuple(f"of_{size}_sentences" for size in RELIC_LENGTHS),
    ),
)
"""Statistics of RELiC's data: the experiment, the paper's figures, the names of ours."""

EVERY = ("0/1", "0/4", "1/0", "4/0", "1/1", "4/4")
PAPER_MODELS = {
    "SIM": ("words", "relic-test-others", "relic-pride", "averaged word vectors"),
    "DPR": ("dense:untrained", "relic-test", "relic-pride-untrained", "all-MiniLM-L6-v2"),
    "ColBERT": (f"late:{MODEL}", "relic-test-others", "relic-pride", "our late interaction"),
}
"""Pretrained models of the paper that are not available here: our substitute, its runs, its
description."""


def statistic(interval: Interval) -> str:
    """Format a count, or a mean that is not one with a decimal."""
    return f"{interval.mean:,.{0 if interval.mean == int(interval.mean) else 1}f}"


def statistics_rows() -> list[Row]:
    """Return the rows of the statistics of the data: training, validation and test works."""
    rows: list[Row] = []
    for label, paper, names in STATISTICS:
        cells = {
            f"{split}_{name}": source("relic-statistics", split=split).cell(name, statistic)
            for split in SPLITS
            for name in names
        }
        template = " / ".join(
            "; ".join(f"{{{split}_{name}}}" for name in names) for split in SPLITS
        )
        rows.append([label, paper, Phrase(template, cells), "`scholar-lab bench statistics DATA`"])
    return same_command(rows)


def relic_rows() -> list[Row]:
    """Return the rows of RELiC's experiments that we have figures of."""
    chance = recalls("relic-test", "relic 4/4", "random", "proxy of relic-pride")
    rows: list[Row] = [
        *statistics_rows(),
        ["random, 4/4", "; ".join(RELIC_RANDOM), chance, "`--system random`"],
        *(table_3("BM25", context, "bm25", proxy="") for context in ("1/1", "4/4")),
    ]
    rows += [
        named(table_3(name, context, system, run, proxy), f"{name} (ours: {substitute}), {context}")
        for name, (system, run, proxy, substitute) in PAPER_MODELS.items()
        for context in ("1/1", "4/4")
    ]
    rows += same_command(table_3("dense-RELiC", context, f"dense:{MODEL}") for context in EVERY)
    rows += [
        table_3(name, context, system, run)
        for context in ("1/1", "4/4")
        for name, system, run in (
            ("first stage of `find`", HYBRID, "relic-test"),
            ("both stages of `find`", f"cross:{MODEL}", "relic-test-cross"),
        )
    ]
    return [*rows, *same_command(table_a9(size) for size in RELIC_LENGTHS)]


def csfcube_measures(run: str, split: str, system: str) -> Phrase:
    """Return CSFCUBE_MEASURES of a system on one facet, or over all of them."""
    report = source(run, split=split, system=system)
    names = [f"m{number}" for number in range(len(CSFCUBE_MEASURES))]
    cells = [report.cell(measure, percent(2, None)) for measure in CSFCUBE_MEASURES]
    template = ", ".join(f"{{{name}}}" for name in names)
    return Phrase(template, dict(zip(names, cells, strict=True)))


def two_facets(paper: str, *facets: str) -> Row:
    """Return the row of an abstract that is queried in two facets, as in Figures 2 and 3."""
    counts = source("csfcube-statistics", split=paper)
    cells: dict[str, Phrase] = {
        facet: Phrase(
            "{relevant}; {ndcg}",
            {
                "relevant": counts.cell(f"relevant_{facet}", statistic),
                "ndcg": of_query("csfcube", facet, SIMILAR, f"{paper}_{facet}"),
            },
        )
        for facet in facets
    }
    cells["all"] = Phrase("{both}", {"both": counts.cell("relevant_in_both", statistic)})
    return [
        f"Figures 2, 3: {paper}",
        *(cells.get(split, "–") for split in CSFCUBE_SPLITS),
    ]


def of_query(run: str, facet: str, system: str, query: str) -> Cell:
    """Return the NDCG%20 of a system for one query."""
    report = source(run, split=facet, system=system)
    return Cell(report, "NDCG%20", ONE_DIGIT, only=frozenset({query}))


def collection_rows() -> list[Row]:
    """Return the rows of CSFCube's Table 1 and Figure 2."""
    names = ("queries", "query_papers", "pool", "graded_pairs", "rated_1", "rated_2_or_3")
    template = ", ".join(f"{{{name}}}" for name in names)
    ours = [
        Phrase(
            template,
            {
                name: source("csfcube-statistics", split=split).cell(name, statistic)
                for name in names
            },
        )
        for split in CSFCUBE_SPLITS
    ]
    rows: list[Row] = [
        [f"Table 1, paper: {TABLE_1}", "–", "–", "–", "50, 34, 124.9, 6,244, 36.9, 9.8"],
        ["ours, `scholar-lab bench statistics CSFCUBE`", *ours],
    ]
    return rows


def outside_pools() -> list[Row]:
    """Return the rows of section 5 on reusability: the gains of systems that did not construct the
    pools over one that did."""
    rows: list[Row] = []
    for name, other in (("fabs_bm25", "fabs_tfidf"), ("SentBERT-PP", "fabs_tfidf")):
        row: list[str | Figure] = [f"section 5, NDCG%20: {name} less {other}; ours"]
        for split in CSFCUBE_SPLITS:
            ours, theirs = (
                source("csfcube", split=split, system=CSFCUBE_OURS[system])
                for system in (name, other)
            )
            paper = NDCG_OF[name, split] - NDCG_OF[other, split]
            cell = Cell(ours, "NDCG%20", gain(1, in_percent=True), theirs)
            row.append(Phrase(f"{paper:+.1f}; {{ours}}", {"ours": cell}))
        rows.append(row)
    return rows


def phenomenon_rows() -> list[Row]:
    """Return our figures of the queries that show the paper's phenomena (section 6, appendix G)."""
    systems = {
        "scholar": SIMILAR,
        "sentence": f"sentence:{PAPERS_MODEL}",
        "abstract": "tfidf-abstract",
    }
    rows: list[Row] = []
    for query, phenomenon in PHENOMENA.items():
        paper, _, facet = query.partition("_")
        cell = Phrase(
            "{scholar}; {sentence}; {abstract}",
            {name: of_query("csfcube", facet, system, query) for name, system in systems.items()},
        )
        rows.append(
            [
                f"section 6, {phenomenon}: {paper}",
                *(cell if split == facet else "–" for split in CSFCUBE_SPLITS),
            ]
        )
    return rows


def csfcube_rows() -> list[Row]:
    """Return the rows of CSFCube's experiments that we have figures of."""
    rows: list[Row] = collection_rows()
    for name, system in CSFCUBE_OURS.items():
        kind, _, model = system.partition(":")
        substitute = f" ({model})" if model else ""
        rows.append([f"{name}, paper", *(CSFCUBE_PAPER[name][split] for split in CSFCUBE_SPLITS)])
        rows.append(csfcube_row(f"ours, `--system {kind}`{substitute}", "csfcube", system))
    rows += [two_facets(paper, *facets) for paper, facets in TWO_FACETS.items()]
    rows += [*outside_pools(), *phenomenon_rows()]
    for run, name in (
        ("csfcube", "Definition 1, `--system scholar` †"),
        ("csfcube-sentences", "Definition 2, no labels, `--by-sentences --system scholar` †"),
        (
            "csfcube-sentences-labels",
            "Definition 2, our own labels, `--by-sentences --predicted --system scholar` †",
        ),
    ):
        rows.append(csfcube_row(name, run, SIMILAR))
    return rows


def csfcube_row(name: str, run: str, system: str) -> Row:
    """Return the row of one of our systems: CSFCUBE_MEASURES by facet, and over all."""
    return [name, *(csfcube_measures(run, split, system) for split in CSFCUBE_SPLITS)]


REPRODUCED: list[Block] = [
    Table(
        "reproduced.md",
        "relic-rows",
        (
            "experiment, context",
            "paper",
            "ours",
            "after `scholar-lab bench relic --data DATA --split test --context CONTEXT`",
        ),
        relic_rows(),
    ),
    Table(
        "reproduced.md",
        "csfcube-rows",
        ("experiment", *CSFCUBE_SPLITS),
        csfcube_rows(),
    ),
]
