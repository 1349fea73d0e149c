"""The solver of `who`: the character that a description means, and its evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_cli.laboratory.who import solver_training as training
from scholar_indexes.arrays import Floats
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.adding import ingest
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.solver import weights as weights_module
from scholar_indexes.characters.solver.book_index import index_book
from scholar_indexes.characters.solver.character_candidates import Candidate, candidates_from_names
from scholar_indexes.characters.solver.content_words import content_stems
from scholar_indexes.characters.solver.parsing import head_noun_phrase
from scholar_indexes.characters.solver.presence import find_presence
from scholar_indexes.characters.solver.quantization import SCALE, dequantize, quantize
from scholar_indexes.characters.solver.ranking import rank_characters
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex, encode_book
from scholar_indexes.characters.solver.solver import Solver
from scholar_indexes.characters.solver.token_vectors import index_tokens, principal_axes
from scholar_indexes.characters.solver.weights import (
    BASE_FEATURES,
    BASE_WEIGHTS,
    FEATURES,
    WEIGHTS,
)
from scholar_indexes.characters.solver.window_bm25 import index_similar_words
from scholar_indexes.characters.solver.window_vectors import SIZES, WindowVectors, window_lengths
from scholar_indexes.coreference.people import People
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.models import engines, registry
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.types import Character, Gender, Span

NOVEL = (
    """CHAPTER I

That year Anna Hartwell kept hives of bees behind the mill. She wore a veil of black net. The rain
fell upon the roofs of the village.

Clara Dunmore taught a choir of children to sing. Clara Dunmore was patient with them.

Peter Holcroft forged the signature of the old squire upon a cheque. He traced each letter by the
lamp.

CHAPTER II

George Tansley slipped in the dark, and was drowned at the weir. The miller found George Tansley in
the morning. Anna Hartwell wept for him at the grave.

The doctor, Henry Vane, came too late. Henry Vane closed the dead man's eyes.
"""
    + "\n\nThe river went down to the sea as it always had, and the mill stood idle.\n" * 6
)

NAMES = ("Anna Hartwell", "Clara Dunmore", "Peter Holcroft", "George Tansley", "Henry Vane")


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return engines.load(registry.find("relic-minilm", Path("nowhere")), "cpu", 1)


@pytest.fixture(scope="module")
def draft() -> BookDraft:
    return ingest.parse_draft(ingest.BookSource(NOVEL.encode(), "village.txt", None), language="en")


@pytest.fixture(scope="module")
def reading(draft: BookDraft, encoder: Encoder) -> SentenceIndex:
    return encode_book(draft.text, draft.sentences, encoder)


@pytest.fixture(scope="module")
def solver(reading: SentenceIndex, encoder: Encoder) -> Solver:
    return Solver(reading, candidates_from_names(NAMES, ()), None, encoder)


@pytest.mark.parametrize(
    ("description", "character"),
    [
        pytest.param("the woman who looks after honeycombs", "Anna Hartwell", id="other words"),
        pytest.param("the criminal who fakes a document", "Peter Holcroft", id="a deed"),
        pytest.param("the one who loses his life in the water", "George Tansley", id="a death"),
        pytest.param("the teacher of a chorus of pupils", "Clara Dunmore", id="a calling"),
        pytest.param("the physician who arrives after a death", "Henry Vane", id="a synonym"),
        pytest.param(
            "the man whose grave is visited by Anna Hartwell in tears",
            "George Tansley",
            id="another named",
        ),
    ],
)
def test_a_description_finds_its_character(
    solver: Solver, description: str, character: str
) -> None:
    assert NAMES[rank_characters(description, solver)[0].row] == character


def test_a_character_whom_a_description_names_is_not_its_answer(solver: Solver) -> None:
    scores = solver.scores(["the man mourned by Anna Hartwell"])[0]
    assert np.exp(scores[NAMES.index("Anna Hartwell")]) < 1e-6


@pytest.mark.parametrize(
    ("description", "names"),
    [
        pytest.param("the doctor who came too late", False, id="the head"),
        pytest.param("The Doctor, who came too late", False, id="with capitals"),
        pytest.param("the doctor", False, id="alone"),
        pytest.param("the doctor's patient", True, id="a possessive"),
        pytest.param("the doctor’s patient", True, id="with another apostrophe"),
        pytest.param("the man whom the doctor found dead", True, id="within"),
        pytest.param("Henry Vane who came too late", True, id="no article"),
    ],
)
def test_a_description_that_begins_as_an_alias_does_names_nobody_by_it(
    reading: SentenceIndex, encoder: Encoder, description: str, names: bool
) -> None:
    vane = Candidate("Henry Vane", ("Henry Vane", "the doctor"))
    solver = Solver(reading, [Candidate("Anna Hartwell"), vane], None, encoder)
    assert solver.named([description])[0].tolist() == [0, names]


def test_a_name_is_likelier_meant_than_a_noun_phrase_of_the_same_passages(
    reading: SentenceIndex, encoder: Encoder
) -> None:
    description = "the miller who finds a drowned man"
    candidates = [Candidate(name, (name,)) for name in ("George Tansley", "the miller")]
    solver = Solver(reading, candidates, None, encoder)
    named, unnamed = rank_characters(description, solver)
    assert (named.row, unnamed.row) == (0, 1)
    assert unnamed.probability < np.exp(solver.scores([description])[0][1])


def test_a_noun_phrase_is_the_answer_if_it_fits_far_better(
    reading: SentenceIndex, encoder: Encoder
) -> None:
    candidates = [Candidate(name, (name,)) for name in ("Peter Holcroft", "the doctor")]
    solver = Solver(reading, candidates, None, encoder)
    best = rank_characters("the physician who arrives after a death", solver)[0]
    assert candidates[best.row].name == "the doctor"


def test_a_name_within_another_word_is_nobody(encoder: Encoder) -> None:
    text = "He dried his hands on the jack-towel. The Jack slept."
    spans = [Span(0, 37), Span(38, len(text))]
    sentences = SentenceIndex(
        text, spans, np.ones(2, np.int64), np.ones(2, np.int64), np.zeros((2, 1)), np.ones(2)
    )
    presence = find_presence(sentences, [Candidate("the Jack", ("the Jack",))], None)
    assert presence.named.tolist() == [[0, 1]]


def test_the_passages_of_an_answer_say_so(solver: Solver, draft: BookDraft) -> None:
    best = rank_characters("the woman who looks after honeycombs", solver)[0]
    assert "hives of bees" in best.passages[0].of(draft.text)


def test_whoever_is_described_within_a_description_is_found(solver: Solver) -> None:
    analyzed = solver.analyze(["the mourner of the man who is drowned at a weir"])
    others = analyzed.others[0]
    assert NAMES[int(others.argmax())] == "George Tansley"


def test_descriptions_do_not_affect_one_another(solver: Solver) -> None:
    together = solver.scores(["the beekeeper", "the forger of the squire's name"])
    alone = np.concatenate(
        [solver.scores(["the beekeeper"]), solver.scores(["the forger of the squire's name"])]
    )
    np.testing.assert_allclose(np.exp(together), np.exp(alone), atol=0.05)


def test_scores_are_logarithms_of_shares(solver: Solver) -> None:
    scores = solver.scores(["the beekeeper", "the doctor of the man who is drowned"])
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, atol=1e-4)


def test_nothing_asked_and_nobody_to_find_are_no_scores(
    solver: Solver, reading: SentenceIndex, encoder: Encoder
) -> None:
    assert solver.scores([]).shape == (0, len(NAMES))
    assert Solver(reading, [], None, encoder).scores(["the beekeeper"]).shape == (1, 0)


def test_a_solver_of_cached_data_is_the_same(
    reading: SentenceIndex, encoder: Encoder, solver: Solver
) -> None:
    who = candidates_from_names(NAMES, ())
    made = index_book(reading, who, None, encoder)
    again = Solver(reading, who, None, encoder, made)
    np.testing.assert_array_equal(again.scores(["the beekeeper"]), solver.scores(["the beekeeper"]))


def test_every_feature_has_its_weight_and_its_name(solver: Solver) -> None:
    features = solver.features(["the beekeeper of the man who sings"])
    assert features.shape == (1, len(NAMES), len(FEATURES))
    assert len(WEIGHTS) == len(FEATURES) == len(set(FEATURES))
    assert len(BASE_WEIGHTS) == len(BASE_FEATURES)
    assert np.isfinite(features).all()


@pytest.mark.parametrize(
    ("text", "head"),
    [
        pytest.param("the person who sings", "", id="anybody"),
        pytest.param("the old man of the sea", "old man", id="a man of some kind"),
        pytest.param("the maiden aunt whose parrot dies", "maiden aunt", id="a calling"),
        pytest.param("one who sings", "", id="no noun"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_head_noun_phrase_of_a_description_is_found(text: str, head: str) -> None:
    assert head_noun_phrase(text) == head


def test_the_tokens_of_sentences_are_the_tokens_of_their_vectors(encoder: Encoder) -> None:
    sentences = ["The bees came home.", "", "Nobody saw them, for it rained."]
    ids, vectors, edges = encoder.encode_tokens(sentences, [1, 1, 2])
    assert len(ids) == len(vectors) == edges[-1]
    assert edges[1] == edges[2]
    whole, lengths = encoder.encode_sentences(sentences, [1, 1, 2])
    for row in (0, 2):
        summed = vectors[edges[row] : edges[row + 1]].sum(axis=0)
        np.testing.assert_allclose(summed, whole[row] * lengths[row], atol=1e-3)


def test_a_token_is_sought_near_a_sentence_but_not_in_another_chapter(
    reading: SentenceIndex, encoder: Encoder
) -> None:
    scores = index_tokens(reading, encoder).scores(["hives of bees"], encoder)[:, 0]
    hives = int(scores[0].argmax())
    assert "hives" in reading.spans[hives].of(reading.text)
    neighbour = hives + 1
    assert scores[1][neighbour] > scores[0][neighbour]
    other = int(np.flatnonzero(reading.chapters != reading.chapters[hives])[0])
    assert scores[3][hives + 2] > scores[3][other]


def test_a_book_without_sentences_answers_nothing(encoder: Encoder) -> None:
    empty = SentenceIndex(
        "",
        [],
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
        np.zeros((0, encoder.dimensions), np.float32),
        np.zeros(0, np.float32),
    )
    assert index_tokens(empty, encoder).scores(["bees"], encoder).shape == (4, 1, 0)


class OneVector:
    """An encoder that has no tokens: a text's vector counts its letters."""

    space, dimensions = "letters", 26

    def encode(self, texts: Sequence[str]) -> Floats:
        counts = [[text.lower().count(chr(97 + at)) + 0.01 for at in range(26)] for text in texts]
        vectors = np.array(counts, np.float32).reshape(len(texts), 26)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    encode_claims = encode

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[Floats, Floats]:
        return self.encode(sentences), np.ones(len(sentences), np.float32)


def test_an_encoder_without_tokens_compares_whole_sentences(draft: BookDraft) -> None:
    letters = OneVector()
    reading = encode_book(draft.text, draft.sentences, letters)
    solver = Solver(reading, candidates_from_names(NAMES, ()), None, letters)
    assert np.isfinite(solver.scores(["the beekeeper", "the man who was drowned"])).all()


def test_words_of_like_meaning_count(reading: SentenceIndex, encoder: Encoder) -> None:
    like = index_similar_words(reading, encoder)
    doctor = next(at for at, span in enumerate(reading.spans) if "doctor" in span.of(reading.text))
    scores = like.scores(["physician", "doctor", "trigonometry"], encoder)[:, doctor]
    assert min(scores[0], scores[1]) > scores[2] == 0


def test_windows_have_the_cosines_of_the_sums_they_are(reading: SentenceIndex) -> None:
    lots = np.random.default_rng(7)
    queries = lots.normal(size=(3, reading.vectors.shape[1])).astype(np.float32)
    shares = lots.random((2, len(reading))).astype(np.float32)
    windows = WindowVectors(reading, window_lengths(reading))
    scores = windows.scores(queries)
    assert list(scores) == list(SIZES)
    whole = reading.vectors * reading.weights[:, None]
    for size in SIZES:
        sums = np.zeros_like(whole)
        for row in range(len(reading)):
            there = np.abs(np.arange(len(reading)) - row) <= size // 2
            sums[row] = whole[there & (reading.chapters == reading.chapters[row])].sum(axis=0)
        units = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        np.testing.assert_allclose(scores[size], queries @ units.T, atol=1e-4)
        np.testing.assert_allclose(windows.weighted_sums(shares, size), shares @ units, atol=1e-4)


def test_principal_axes_hold_vectors_that_lie_along_few() -> None:
    lots = np.random.default_rng(7)
    vectors = (lots.normal(size=(40, 3)) @ lots.normal(size=(3, 12))).astype(np.float32)
    axes = principal_axes(vectors, 3)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-5)
    apart = vectors - vectors.mean(axis=0)
    np.testing.assert_allclose(apart @ axes @ axes.T, apart, atol=1e-3)
    assert principal_axes(vectors, 99).shape == (12, 12)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=40))
def test_whole_numbers_are_nearly_what_they_were(parts: list[float]) -> None:
    vectors = np.array([parts], np.float32)
    again = dequantize(quantize(vectors))
    np.testing.assert_allclose(again, vectors, atol=0.51 / SCALE)
    np.testing.assert_array_equal(quantize(again), quantize(vectors))


def test_encoding_a_book_says_how_far_it_is(reading: SentenceIndex, encoder: Encoder) -> None:
    steps: list[tuple[str, int, int]] = []
    index_tokens(reading, encoder, "reading", lambda *step: steps.append(step))
    assert steps == [("reading", 0, len(reading)), ("reading", len(reading), len(reading))]


@given(st.text(max_size=60))
@settings(max_examples=25)
def test_any_text_has_stems(text: str) -> None:
    assert all(stem and stem == stem.lower() for stem in content_stems(text))


def test_a_pronoun_mentions_whom_the_people_of_the_book_have_for_it(
    reading: SentenceIndex,
) -> None:
    anna = Character("a", "Anna Hartwell", ("Anna Hartwell",), Gender.FEMALE)
    who = candidates_from_names(NAMES, [anna])
    veil = next(at for at, span in enumerate(reading.spans) if "veil" in span.of(reading.text))
    start = reading.spans[veil].start
    people = People(np.array([start]), np.array([start + 3]), np.array([0]))
    there = find_presence(reading, who, Dialogue((anna,), (), ()), people)
    row = NAMES.index("Anna Hartwell")
    assert there.named[row, veil] == 0
    assert there.mentioned[row, veil] == pytest.approx(0.6)
    assert there.mentioned[row].sum() == pytest.approx(there.named[row].sum() + 0.6)
    without = find_presence(reading, who, Dialogue((anna,), (), ()))
    assert (without.mentioned == without.named).all()


def test_nearness_ends_with_the_chapter(reading: SentenceIndex) -> None:
    there = find_presence(reading, candidates_from_names(NAMES, ()), None)
    tansley = there.near[NAMES.index("George Tansley")]
    assert not tansley[reading.chapters == reading.chapters[0]].any()


VILLAGE = {
    "Anna Hartwell": "the woman who looks after honeycombs",
    "Clara Dunmore": "the teacher of a chorus of pupils",
    "Peter Holcroft": "the criminal who fakes a document",
    "George Tansley": "the one who loses his life in the water",
}


def village() -> list[bank.DescribedCharacter]:
    lines = [
        json.dumps({"name": name, "descriptions": [{"level": 1, "text": text}]})
        for name, text in VILLAGE.items()
    ]
    return list(bank.parse("\n".join(lines), "village"))


@pytest.mark.parametrize(
    ("banks", "out", "error", "message"),
    [
        pytest.param(1, "new.json", NoMatch, "two books", id="one book"),
        pytest.param(2, "there.json", UsageError, "already exists", id="a file that is there"),
        pytest.param(2, "no/new.json", UsageError, "does not exist", id="no folder"),
    ],
)
def test_weights_need_two_books_and_a_new_file(
    encoder: Encoder, tmp_path: Path, banks: int, out: str, error: type[ScholarError], message: str
) -> None:
    (tmp_path / "there.json").write_text("{}")
    people = dict.fromkeys(["village", "hamlet"][:banks], village())
    texts = dict.fromkeys(people, NOVEL.encode())
    with pytest.raises(error, match=message):
        training.run(people, texts, encoder, None, tmp_path / out)
    assert (tmp_path / "there.json").read_text() == "{}"


@pytest.mark.slow
def test_a_book_is_scored_by_what_others_taught(encoder: Encoder, tmp_path: Path) -> None:
    books = dict.fromkeys(["village", "hamlet"], village())
    texts = dict.fromkeys(books, NOVEL.encode())
    out = tmp_path / "weights.json"
    made = training.run(books, texts, encoder, None, out, training.SolverSettings(steps=5))
    assert json.loads(out.read_text("utf-8")) == made
    assert set(made["weights"]) == set(FEATURES)
    assert set(made["weights alone"]) == set(BASE_FEATURES)
    assert made["scores"]["left out one by one"]["desc2name 1"] == 1
    assert made["scores"]["hamlet"]["desc2name"] == 1
    assert set(made["training"]["books"]) == {"village", "hamlet"}


def test_the_weights_that_scholar_has_are_as_training_writes_them() -> None:
    file = Path(weights_module.__file__).with_name("weights.json")
    fitted = json.loads(file.read_text("utf-8"))
    assert list(fitted["weights"]) == list(FEATURES)
    assert list(fitted["weights alone"]) == list(BASE_FEATURES)
    assert fitted["training"]["encoder"] == registry.find("relic-minilm", Path("nowhere")).space
    assert len(fitted["training"]["books"]) == 8


def test_the_fit_finds_the_informative_feature() -> None:
    lots = np.random.default_rng(0)
    features = lots.normal(size=(60, 5, 3)).astype(np.float32)
    right = lots.integers(0, 5, 60)
    features[np.arange(60), right, 1] += 3
    barred = np.zeros((60, 5), bool)
    examples = training.SolverTrainingSet(features, right, barred, lots.integers(1, 5, 60))
    weights = training.fit([examples], training.SolverSettings())
    assert weights[1] > 5 * max(abs(weights[0]), abs(weights[2]))
