"""The answers to claims and contrast sets, and some figures, compared with stored ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from golden_answers import CheckFigure, CheckGolden
from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.claims import claims_bench, judged
from scholar_cli.laboratory.contrast import contrast_bench as contrast
from scholar_cli.laboratory.contrast import contrast_data
from scholar_cli.laboratory.contrast.contrast_data import ContrastSet
from scholar_indexes.coreference.people import FILE
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.settings import load
from scholar_indexes.types import Facet

ROOT = Path(__file__).parents[2]
JUDGED = ROOT / "tests" / "data" / "claims_judged.jsonl"
CLAIMS = {
    "a green light across the water": [],
    "the creature learns to speak by listening to a family": [],
    "“a single man in possession of a good fortune”": [],
    "the eyes of an advertisement watch over the valley of ashes": ["pg64317"],
    "drunkenness": ["pg84"],
}
"""Claims and the books to search; an empty list means all."""

FIRST = 3


@pytest.fixture
def library(own_sample: Path) -> Library:
    """Return the library of the bundled books, with the people of only one of them: other tests may
    have found the people of others."""
    folders = [path for path in (own_sample / "data" / "books").iterdir() if path.is_dir()]
    with_people = {path.name.partition(".")[0] for path in folders if (path / FILE).exists()}
    assert "pg64317" in with_people
    for path in folders:
        if not path.name.startswith("pg64317"):
            (path / FILE).unlink(missing_ok=True)
    here = user_paths()
    return Library(here, load(here.config)[0])


def test_claims_are_answered_as_they_were(library: Library, golden: CheckGolden) -> None:
    answers = {}
    for claim, books in CLAIMS.items():
        hits = library.find(claim, books=books, n=FIRST)
        answers[claim] = [[hit.item.locator, round(hit.score, 3)] for hit in hits]
    golden("claims", answers)


def test_judged_claims_about_a_novel_are_answered_as_well_as_they_were(
    library: Library, golden: CheckGolden, figure: CheckFigure
) -> None:
    (stored,) = library.books.select(["pg1342"]).books
    finder = judged.PassageFinder(library.books.open(stored).text)
    answers, ranks = {}, []
    for claim in judged.read(JUDGED):
        if claim.gutenberg_id != "1342":
            continue
        hits = library.find(claim.claim, books=["pg1342"], n=10)
        grades = finder.grades(claim.passages)
        gains = [float(claims_bench.best_grade(hit.item.passage.span, grades) or 0) for hit in hits]
        ranks.append([metrics.reciprocal_rank(gains)])
        answers[claim.claim] = [[hit.item.locator, round(hit.score, 3)] for hit in hits[:FIRST]]
    golden("judged_claims", answers)
    figure("mean reciprocal rank of judged claims", ranks)


def test_contrast_sets_are_ranked_as_they_were(
    home: Path, tmp_path: Path, golden: CheckGolden, figure: CheckFigure
) -> None:
    sets = [
        contrast_set
        for contrast_set in contrast_data.read()
        if (contrast_set.part, contrast_set.facet) == ("dev", Facet.METHOD)
    ]
    here = user_paths()
    papers = Library(here, load(here.config)[0]).papers
    source = tmp_path / "papers.jsonl"
    source.write_text("".join(map(paper_lines, sets)), "utf-8")
    added = papers.add(str(source)).added
    answers, scored = {}, []
    for contrast_set in sets:
        titles = {paper.title for paper in contrast_set.papers}
        _, hits = papers.similar(
            f"key:{contrast_set.name}-0", facet=Facet.METHOD, n=added, or_nearest=True
        )
        ranking = [(hit.item.stored.paper.title, round(hit.score, 3)) for hit in hits]
        # Only the papers of the set are judged, but papers of other sets are ranked among them.
        answers[contrast_set.name] = [list(entry) for entry in ranking if entry[0] in titles]
        scored.append(contrast.score(contrast_set, [title for title, _ in ranking]))
    golden("contrast_sets", answers)
    figure(
        "pairs of contrast sets in order by method",
        [[float(pair) for pair in row.ordered] for row in scored],
    )


def paper_lines(contrast_set: ContrastSet) -> str:
    """Return the papers of a set as JSON lines that `scholar papers add` reads."""
    return "".join(
        json.dumps(
            {
                "paper_id": f"{contrast_set.name}-{number}",
                "title": paper.title,
                "abstract": paper.abstract,
            }
        )
        + "\n"
        for number, paper in enumerate(contrast_set.papers)
    )
