"""The windows that may answer a claim, scored with each book's reading of the claim."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scholar_indexes.coreference.people import SentencePeople
from scholar_indexes.retrieval import fusion, ranking
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.readings import Reading
from scholar_indexes.retrieval.window_candidates import (
    MOST_READ,
    BookQuery,
    Candidates,
    IndexQuery,
    LexicalScores,
    Mode,
    Retrieved,
    find_candidates,
    measure,
    read_books,
)
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    Neighbourhood,
    PassageFilter,
    PassageTable,
    SentenceRows,
)
from scholar_indexes.types import Character
from sentence_encoders import SentenceEncoder

EDITIONS = (3, 5, 9)
SENTENCES = 6
"""The number of sentences of each edition; their numbers start at 2."""

PEOPLE = SentencePeople(
    (Character("ann", "Ann", ("Ann",)), Character("ben", "Ben", ("Ben",))),
    np.array([2, 3, 3, 6]),
    np.array([0, 0, 1, 1]),
)


def keys_of(edition: int) -> np.ndarray:
    return (edition << EDITION_BITS) + np.arange(2, 2 + SENTENCES)


@pytest.fixture
def candidates() -> Candidates:
    """Return all windows of one to three sentences of three editions."""
    random = np.random.default_rng(5)
    keys = np.concatenate([keys_of(edition) for edition in EDITIONS])
    vectors = random.normal(size=(len(keys), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = Neighbourhood(
        keys,
        np.ones(len(keys), np.int64),
        random.integers(3, 40, len(keys)),
        vectors,
        random.uniform(1, 9, len(keys)).astype(np.float32),
    )
    runs = ranking.number_runs(rows.keys, rows.chapters)
    return Candidates(rows, runs, ranking.build_windows(runs, 1, 3))


def retrieved(seed: int, edition: int) -> Retrieved:
    """Return a claim whose words occur in three sentences of an edition, out of order."""
    random = np.random.default_rng(seed)
    vector = random.normal(size=8).astype(np.float32)
    keys = keys_of(edition)[[4, 1, 2]]
    scores = LexicalScores(keys, np.array([2.0, 9.0, 4.0], np.float32))
    return Retrieved("lamp moth", vector / np.linalg.norm(vector), scores, (keys,))


def test_the_scores_of_sentences_belong_to_their_keys_in_any_order() -> None:
    scores = LexicalScores(np.array([9, 4, 7]), np.array([0.9, 0.4, 0.7], np.float32))
    assert scores.of_rows(np.array([4, 5, 9, 7])).tolist() == pytest.approx([0.4, 0, 0.9, 0.7])
    assert scores.of_rows(np.array([], np.int64)).tolist() == []


def test_every_window_is_of_one_part_which_has_the_rows_of_its_edition(
    candidates: Candidates,
) -> None:
    parts = list(candidates.parts([5, 9]))
    assert [edition for edition, _, _ in parts] == [None, 5, 9]
    numbers = np.concatenate([windows for _, _, windows in parts])
    assert sorted(numbers.tolist()) == list(range(len(candidates.windows.start)))
    others = parts[0][2]
    assert {place.edition for place in candidates.places(others)} == {3}
    for edition, rows, windows in parts[1:]:
        assert candidates.rows.keys[rows].tolist() == keys_of(edition).tolist()
        assert {place.edition for place in candidates.places(windows)} == {edition}


def test_a_window_is_a_place_of_its_edition(candidates: Candidates) -> None:
    last = len(candidates.windows) - 1
    assert candidates.places(np.array([last])) == [Place(9, 5, 8)]


def test_a_place_has_the_rows_of_its_window(candidates: Candidates) -> None:
    numbers = np.array([40, 3, 17])
    rows = candidates.rows_of(candidates.places(numbers))
    expected = candidates.windows.take(numbers)
    assert (rows.start.tolist(), rows.size.tolist()) == (
        expected.start.tolist(),
        expected.size.tolist(),
    )


def test_the_best_windows_do_not_overlap_and_brief_ones_count_less(
    candidates: Candidates,
) -> None:
    scores = np.ones(len(candidates.windows.start), np.float32)
    chosen, totals = candidates.rank(scores, 4)
    places = candidates.places(chosen)
    rows = [(place.edition, row) for place in places for row in range(place.first, place.end)]
    assert len(chosen) == 4
    assert len(rows) == len(set(rows))
    # With equal scores, the longest windows, in words, are penalised least.
    words = ranking.sum_of_rows(candidates.rows.words, candidates.windows)
    assert words[chosen[0]] == words.max()
    assert totals.tolist() == sorted(totals.tolist(), reverse=True)


def test_windows_are_measured_by_meaning_and_words(candidates: Candidates) -> None:
    plain = retrieved(1, 3)
    scores = measure(candidates, plain, {})
    rows, windows = candidates.rows, candidates.windows
    assert plain.vector is not None
    assert plain.bm25 is not None
    around = ranking.neighbourhood_scores(plain.vector, rows.vectors, rows.weights, candidates.runs)
    dense = ranking.dense_scores(plain.vector, rows.vectors, rows.weights, windows, around)
    np.testing.assert_allclose(scores.dense, dense, atol=1e-5)
    expected = ranking.lexical_scores(plain.bm25.of_rows(rows.keys), windows)
    np.testing.assert_allclose(scores.bm25, expected)
    np.testing.assert_allclose(scores.best_bm25, expected.max())
    assert scores.words.tolist() == ranking.sum_of_rows(rows.words, windows).tolist()
    assert not scores.presence.any()
    assert not scores.feedback.any()


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_windows_of_a_book_that_reads_the_claim_are_measured_by_its_reading(
    candidates: Candidates, edition: int
) -> None:
    plain, own = retrieved(1, 3), retrieved(2, edition)
    reading = Reading((1, 0), "she likes him", "likes")
    scores = measure(candidates, plain, {edition: BookQuery(reading, own, PEOPLE)})
    by_plain, by_own = measure(candidates, plain, {}), measure(candidates, own, {})
    of_windows = candidates.rows.keys[candidates.windows.start] >> EDITION_BITS
    for name in ("cosines", "surroundings", "bm25"):
        is_own = of_windows == edition
        measured = getattr(scores, name)
        np.testing.assert_allclose(measured[is_own], getattr(by_own, name)[is_own], atol=1e-5)
        np.testing.assert_allclose(measured[~is_own], getattr(by_plain, name)[~is_own], atol=1e-5)
    # The best among the windows that share a reading of the claim.
    assert set(scores.best_bm25[of_windows == edition]) == {by_own.best_bm25.max()}
    assert scores.best_bm25[of_windows != edition].max() == scores.bm25[of_windows != edition].max()


def test_people_are_present_in_the_windows_of_the_book_that_knows_them(
    candidates: Candidates,
) -> None:
    reading = Reading((1, 0), "she likes him", "likes")
    query = BookQuery(reading, retrieved(2, 5), PEOPLE)
    presence = measure(candidates, retrieved(1, 3), {5: query}).presence
    of_windows = candidates.rows.keys[candidates.windows.start] >> EDITION_BITS
    assert not presence[of_windows != 5].any()
    # Sentences 2 to 7: Ann in 2 and 3, Ben in 3 and 6.
    present = np.array([[0, 1], [1, 1], [0, 0], [0, 0], [1, 0], [0, 0]], bool)
    own = ranking.Windows(
        candidates.windows.start[of_windows == 5] - SENTENCES,
        candidates.windows.size[of_windows == 5],
    )
    np.testing.assert_allclose(presence[of_windows == 5], fusion.presence(own, present))


def test_without_vectors_only_words_are_measured(candidates: Candidates) -> None:
    words = retrieved(1, 3)
    scores = measure(candidates, Retrieved(words.words, None, words.bm25, words.keys), {})
    assert not scores.cosines.any()
    assert scores.bm25.any()
    meaning = Retrieved(words.words, words.vector, None, words.keys)
    assert not measure(candidates, meaning, {}).bm25.any()


class Letters(SentenceEncoder):
    """Counts of letters, of unit length."""

    space, dimensions = "letters_1", 8

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        counts = [[text.count(letter) + 0.01 for letter in "abdeghlm"] for text in texts]
        vectors = np.array(counts, np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


BOOKS = {
    3: ["A lamp fell.", "Ann came.", "He had a bad leg.", "Ann left him."],
    5: ["The moth made a hole.", "Ben laughed.", "Ann begged.", "Moths meddle."],
}


@pytest.fixture
def table(tmp_path: Path) -> PassageTable:
    table = PassageTable(tmp_path / "index.lance", Letters.space, Letters.dimensions)
    for edition, texts in BOOKS.items():
        vectors, weights = Letters().encode_sentences(texts, [1] * len(texts))
        rows = SentenceRows(range(len(texts)), [1] * len(texts), texts, vectors, weights)
        table.write(edition, [rows])
    table.optimize()
    return table


def key(edition: int, number: int) -> int:
    return (edition << EDITION_BITS) + number


def test_windows_reach_no_further_than_their_length_and_leave_out_what_is_marked(
    table: PassageTable,
) -> None:
    def windows(longest: int, *left_out: int) -> list[tuple[int, int]]:
        chosen = find_candidates(
            table,
            np.array([key(3, 1)]),
            (1, longest),
            PassageFilter(),
            np.array(left_out, np.int64),
        )
        places = chosen.places(np.arange(len(chosen.windows)))
        assert {place.edition for place in places} <= {3}
        return sorted((place.first, place.end) for place in places)

    assert windows(1) == [(1, 2)]
    assert windows(2) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    assert windows(2, key(3, 2)) == [(0, 1), (0, 2), (1, 2)]
    assert windows(1, key(3, 1)) == []


@pytest.mark.parametrize(
    ("mode", "has_vector", "has_words"),
    [
        pytest.param(Mode.HYBRID, True, True, id="hybrid"),
        pytest.param(Mode.DENSE, True, False, id="dense"),
        pytest.param(Mode.LEXICAL, False, True, id="lexical"),
    ],
)
def test_an_index_is_asked_by_meaning_and_by_words_as_the_mode_says(
    table: PassageTable, mode: Mode, has_vector: bool, has_words: bool
) -> None:
    query = IndexQuery(table, Letters, mode, PassageFilter(), 2)
    retrieved_rows = query.retrieve("A lamp fell.", "moth")
    assert (retrieved_rows.vector is not None, retrieved_rows.bm25 is not None) == (
        has_vector,
        has_words,
    )
    assert len(retrieved_rows.keys) == has_vector + has_words
    if has_vector:
        assert retrieved_rows.keys[0][0] == key(3, 0)
    if has_words:
        assert key(5, 0) in retrieved_rows.keys[-1]
    within = query.within([5]).retrieve("A lamp fell.", "moth")
    assert {int(row) >> EDITION_BITS for keys in within.keys for row in keys} == {5}


def people_of(edition: int) -> SentencePeople | None:
    """Return the people of one book; the other book has no known people."""
    return PEOPLE if edition == 5 else None


def test_a_book_that_knows_who_is_named_is_asked_in_its_own_words(table: PassageTable) -> None:
    query = IndexQuery(table, Letters, Mode.HYBRID, PassageFilter(), 4)
    plain = query.retrieve("Ann begged", "ann begged")
    asked: list[str] = []

    def keywords(words: str) -> str:
        asked.append(words)
        return "moth"

    books = read_books(query, "Ann begged", plain, people_of, keywords)
    assert list(books) == [5]
    assert books[5].reading.people == (0,)
    assert books[5].people is PEOPLE
    assert asked == [books[5].reading.words]
    assert books[5].retrieved.words == "moth"
    assert {int(row) >> EDITION_BITS for row in books[5].retrieved.keys[0]} == {5}
    assert read_books(query, "a moth", plain, people_of, keywords) == {}
    assert read_books(query, "Ann begged", plain, lambda edition: None, keywords) == {}


def test_only_the_books_with_most_sentences_read_a_claim_and_only_one_with_names(
    table: PassageTable,
) -> None:
    query = IndexQuery(table, Letters, Mode.HYBRID, PassageFilter(), 4)
    frequent = [key(edition, number) for edition in range(20, 20 + MOST_READ) for number in (0, 1)]
    rare = [key(edition, 0) for edition in range(5, 9)]
    plain = Retrieved("", None, None, (np.array([*rare, *frequent]),))
    asked: list[int] = []

    def people_of_all(edition: int) -> SentencePeople | None:
        asked.append(edition)
        return None

    assert read_books(query, "Ann begged", plain, people_of_all, str) == {}
    assert sorted(asked) == list(range(20, 20 + MOST_READ))
    asked.clear()
    assert read_books(query, "a moth", plain, people_of_all, str) == {}
    assert asked == []
