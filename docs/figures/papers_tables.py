"""The tables of papers: docs/papers.md."""

from __future__ import annotations

from figure_tables import (
    Block,
    Card,
    Cell,
    Phrase,
    Row,
    Sentences,
    Source,
    Table,
    gain,
    percent,
    share,
    source,
)

FACETS = ("background", "method", "result")
PAPERS_MODEL = "all-MiniLM-L6-v2"


def csfcube(label: str, run: str, system: str) -> Row:
    """Return the row of a system on CSFCube."""

    def report(split: str) -> Source:
        return source(run, split=split, system=system)

    return [
        label,
        report("all").cell("NDCG%20", percent()),
        *(report(facet).cell("NDCG%20", percent(1, None)) for facet in FACETS),
        report("all").cell("RP", percent(1, None)),
        report("all").cell("MAP", percent(1, None)),
    ]


def facets(label: str, model: str, part: str) -> Row:
    """Return the row of a facet model, from its card."""
    file = f"weights/{model}/card.json"
    return [
        label,
        Card(file, (part, "accuracy"), share()),
        *(Card(file, (part, f"f1_{facet}"), share(bounds=False)) for facet in (*FACETS, "other")),
    ]


CSFCUBE_SYSTEMS = {
    "MiniLM: whole abstract and mean best match, rank fusion": f"fused:{PAPERS_MODEL}",
    "MiniLM: title and abstract": f"abstract:{PAPERS_MODEL}",
    "MiniLM: mean best match of the facet’s sentences": f"matches:{PAPERS_MODEL}",
    "MiniLM: best pair of sentences": f"sentence:{PAPERS_MODEL}",
    "BM25, facet's sentences": "bm25",
    "tf-idf, facet's sentences": "tfidf",
    "tf-idf, whole abstract": "tfidf-abstract",
    "averaged word vectors, weighted by tf-idf": "words-tfidf",
    "averaged word vectors": "words",
    "random": "random",
}
SIMILAR = f"scholar:{PAPERS_MODEL}"
CSFCUBE_VARIANTS = {
    "**scholar papers similar**": "csfcube",
    "the same, facets by our own labels": "csfcube-labels",
    "the same, facets by `own-facets`": "csfcube-own",
    "the same, by sentences without labels": "csfcube-sentences",
    "the same, by sentences, our own labels": "csfcube-sentences-labels",
}
"""The runs of the score of `papers similar`, by the facet labels it uses."""
PAPERS: list[Block] = [
    Table(
        "papers.md",
        "facets",
        ("", "accuracy", "F1 background", "method", "result", "other"),
        [
            facets("**csfcube-facets**", "csfcube-facets", "test"),
            facets("the same, hand-corrected papers", "csfcube-facets", "hand-corrected"),
            facets("own-facets", "own-facets", "test"),
            facets("the same, hand-corrected papers", "own-facets", "hand-corrected"),
        ],
    ),
    Table(
        "papers.md",
        "contrast",
        ("", "method", "result", "background"),
        [
            [
                f"{part} half",
                *(
                    source(f"contrast-{part}", split=f"{part} {facet}").cell("ordered", share(2))
                    for facet in ("method", "result", "background")
                ),
            ]
            for part in ("test", "dev")
        ],
    ),
    Table(
        "papers.md",
        "csfcube",
        ("", "all", *FACETS, "all: R-Precision", "MAP"),
        [
            *(csfcube(label, run, SIMILAR) for label, run in CSFCUBE_VARIANTS.items()),
            *(csfcube(label, "csfcube", system) for label, system in CSFCUBE_SYSTEMS.items()),
        ],
    ),
    Sentences(
        "papers.md",
        "csfcube-gains",
        Phrase(
            "The gain over the fused baseline is {all} points overall (paired, 95 %), {background} "
            "on background, {method} on method and\n{result} on result.",
            {
                split: Cell(
                    source("csfcube", split=split, system=SIMILAR),
                    "NDCG%20",
                    gain(1, in_percent=True),
                    source("csfcube", split=split, system=f"fused:{PAPERS_MODEL}"),
                )
                for split in ("all", *FACETS)
            },
        ),
    ),
]
