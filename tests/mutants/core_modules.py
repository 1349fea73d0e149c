"""The modules that mutation testing changes, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Area:
    """Modules, as patterns under scholar_indexes/, and the test files that run for them.

    The files are fast, and few of them open LanceDB, whose threads do not survive the fork that
    each mutant runs in.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]


AREAS = {
    "retrieval": Area(
        (
            "blending.py",
            "retrieval/ranking.py",
            "retrieval/fusion.py",
            "retrieval/window_candidates.py",
            "retrieval/coverage.py",
            "retrieval/bm25.py",
            "retrieval/verbatim.py",
            "retrieval/edges.py",
            "retrieval/readings.py",
            "retrieval/stages.py",
            "retrieval/answers.py",
        ),
        (
            "test_blending.py",
            "retrieval/test_answers.py",
            "retrieval/test_bm25.py",
            "retrieval/test_window_candidates.py",
            "retrieval/test_coverage.py",
            "retrieval/test_edges.py",
            "retrieval/test_fusion.py",
            "retrieval/test_quoted_passages.py",
            "retrieval/test_ranking.py",
            "retrieval/test_readings.py",
            "retrieval/test_second_stage.py",
            "retrieval/test_stages.py",
            "retrieval/test_verbatim.py",
        ),
    ),
    "sieve": Area(
        ("attribution/sieve.py", "attribution/features.py", "attribution/linear_chain.py"),
        (
            "attribution/test_features.py",
            "attribution/test_linear_chain.py",
            "attribution/test_plays_and_verse.py",
            "attribution/test_sieve.py",
            "golden/test_golden_casts.py",
        ),
    ),
    "cues": Area(
        ("attribution/cues/*.py", "attribution/quotes/*.py"),
        (
            "attribution/test_cues.py",
            "attribution/test_quotes.py",
            "attribution/test_speech_pieces.py",
            "golden/test_golden_casts.py",
            "golden/test_golden_texts.py",
        ),
    ),
    "segmentation": Area(
        (
            "books/segmentation/chapters.py",
            "books/segmentation/sentences.py",
            "books/formats/gutenberg.py",
            "books/formats/gutenberg_header.py",
        ),
        (
            "books/test_chapter_edges.py",
            "books/test_chapters.py",
            "books/test_gutenberg.py",
            "books/test_gutenberg_header.py",
            "books/test_headings.py",
            "books/test_sentences.py",
            "golden/test_golden_texts.py",
        ),
    ),
    "solver": Area(
        ("characters/solver/*.py",),
        (
            "characters/test_book_characters.py",
            "characters/test_solver.py",
            "characters/test_solver_parts.py",
            "characters/test_folded_words.py",
            "golden/test_golden_people.py",
        ),
    ),
    "bank": Area(
        ("characters/descriptions/bank.py",),
        (
            "characters/test_bank_corrections.py",
            "characters/test_description_bank.py",
            "characters/test_solver_parts.py",
        ),
    ),
    "match": Area(("papers/match.py",), ("papers/test_paper_match.py",)),
    "cast": Area(
        (
            "coreference/merge_rules.py",
            "coreference/separation_rules.py",
            "coreference/merge_case.py",
            "coreference/alias_merging.py",
        ),
        (
            "coreference/test_alias_merging.py",
            "coreference/test_cast.py",
            "coreference/test_described_identity.py",
            "coreference/test_separation.py",
            "golden/test_golden_casts.py",
        ),
    ),
}
