"""Which character a description means: what answers it, and whose that is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_cli.train import characters as training
from scholar_indexes import engines, ingest, models
from scholar_indexes.characters import bank, presence, retrieval, solve
from scholar_indexes.encoder import Encoder
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.ingest import Draft
from scholar_indexes.types import Character, Gender

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
    return engines.load(models.find("relic-minilm", Path("nowhere")), "cpu", 1)


@pytest.fixture(scope="module")
def draft() -> Draft:
    return ingest.draft(ingest.Source(NOVEL.encode(), "village.txt", None), language="en")


@pytest.fixture(scope="module")
def reading(draft: Draft, encoder: Encoder) -> solve.Reading:
    return solve.read(draft.text, draft.sentences, encoder)


@pytest.fixture(scope="module")
def solver(reading: solve.Reading, encoder: Encoder) -> solve.Solver:
    return solve.Solver(reading, solve.candidates(NAMES, ()), None, encoder)


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
    solver: solve.Solver, description: str, character: str
) -> None:
    assert solve.who(description, solver)[0].who.name == character


def test_who_is_named_in_a_description_is_not_meant_by_it(solver: solve.Solver) -> None:
    scores = solver.scores(["the man mourned by Anna Hartwell"])[0]
    assert np.exp(scores[NAMES.index("Anna Hartwell")]) < 1e-6


def test_the_passages_of_an_answer_say_so(solver: solve.Solver, draft: Draft) -> None:
    found = solve.who("the woman who looks after honeycombs", solver)[0]
    assert "hives of bees" in found.passages[0].of(draft.text)


def test_whoever_is_described_within_a_description_is_found(solver: solve.Solver) -> None:
    told = solve.taken_apart("the mourner of the man who is drowned at a weir")
    others = solver.others([told])[0]
    assert NAMES[int(others.argmax())] == "George Tansley"


def test_descriptions_do_not_bear_upon_one_another(solver: solve.Solver) -> None:
    together = solver.scores(["the beekeeper", "the forger of the squire's name"])
    alone = np.concatenate([solver.scores(["the beekeeper"]),
                            solver.scores(["the forger of the squire's name"])])  # fmt: skip
    np.testing.assert_allclose(np.exp(together), np.exp(alone), atol=0.05)


def test_scores_are_logarithms_of_shares(solver: solve.Solver) -> None:
    scores = solver.scores(["the beekeeper", "the doctor of the man who is drowned"])
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, atol=1e-4)


def test_nothing_asked_and_nobody_to_find_are_no_scores(
    solver: solve.Solver, reading: solve.Reading, encoder: Encoder
) -> None:
    assert solver.scores([]).shape == (0, len(NAMES))
    assert solve.Solver(reading, [], None, encoder).scores(["the beekeeper"]).shape == (1, 0)


def test_a_solver_of_kept_groundwork_is_the_same(
    reading: solve.Reading, encoder: Encoder, solver: solve.Solver
) -> None:
    who = solve.candidates(NAMES, ())
    made = solve.groundwork(reading, who, None, encoder)
    again = solve.Solver(reading, who, None, encoder, made)
    np.testing.assert_array_equal(again.scores(["the beekeeper"]), solver.scores(["the beekeeper"]))


def test_every_feature_has_its_weight_and_its_name(solver: solve.Solver) -> None:
    features = solver.features(["the beekeeper of the man who sings"])
    assert features.shape == (1, len(NAMES), len(solve.FEATURES))
    assert len(solve.WEIGHTS) == len(solve.FEATURES) == len(set(solve.FEATURES))
    assert len(solve.WEIGHTS_ALONE) == len(solve.ALONE)
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
def test_what_a_description_calls_somebody(text: str, head: str) -> None:
    assert solve.called(text) == head


# -- tokens and words ----------------------------------------------------------------------------


def test_the_tokens_of_sentences_are_those_that_make_their_vectors(encoder: Encoder) -> None:
    sentences = ["The bees came home.", "", "Nobody saw them, for it rained."]
    ids, vectors, edges = encoder.encode_tokens(sentences, [1, 1, 2])
    assert len(ids) == len(vectors) == edges[-1]
    assert edges[1] == edges[2]
    whole, lengths = encoder.encode_sentences(sentences, [1, 1, 2])
    for row in (0, 2):
        summed = vectors[edges[row] : edges[row + 1]].sum(axis=0)
        np.testing.assert_allclose(summed, whole[row] * lengths[row], atol=1e-3)


def test_a_token_is_sought_near_a_sentence_but_not_in_another_chapter(
    reading: solve.Reading, encoder: Encoder
) -> None:
    scores = retrieval.tokens(reading, encoder).scores(["hives of bees"], encoder)[:, 0]
    hives = int(scores[0].argmax())
    assert "hives" in reading.spans[hives].of(reading.text)
    neighbour = hives + 1
    assert scores[1][neighbour] > scores[0][neighbour]
    other = int(np.flatnonzero(reading.chapters != reading.chapters[hives])[0])
    assert scores[3][hives + 2] > scores[3][other]


def test_a_book_without_sentences_answers_nothing(encoder: Encoder) -> None:
    empty = solve.Reading(
        "", [], np.zeros(0, np.int64), np.zeros(0, np.int64),
        np.zeros((0, encoder.dimensions), np.float32), np.zeros(0, np.float32),
    )  # fmt: skip
    assert retrieval.tokens(empty, encoder).scores(["bees"], encoder).shape == (4, 1, 0)


class OneVector:
    """An encoder that has no tokens: a text's vector counts its letters."""

    space, dimensions = "letters", 26

    def encode(self, texts: Sequence[str]) -> retrieval.Floats:
        counts = [[text.lower().count(chr(97 + at)) + 0.01 for at in range(26)] for text in texts]
        found = np.array(counts, np.float32).reshape(len(texts), 26)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    encode_claims = encode

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[retrieval.Floats, retrieval.Floats]:
        return self.encode(sentences), np.ones(len(sentences), np.float32)


def test_an_encoder_without_tokens_compares_whole_sentences(draft: Draft) -> None:
    letters = OneVector()
    reading = solve.read(draft.text, draft.sentences, letters)
    solver = solve.Solver(reading, solve.candidates(NAMES, ()), None, letters)
    assert np.isfinite(solver.scores(["the beekeeper", "the man who was drowned"])).all()


def test_words_of_like_meaning_count(reading: solve.Reading, encoder: Encoder) -> None:
    like = retrieval.like_words(reading, encoder)
    doctor = next(at for at, each in enumerate(reading.spans)
                  if "doctor" in each.of(reading.text))  # fmt: skip
    scores = like.scores(["physician", "doctor", "trigonometry"], encoder)[:, doctor]
    assert min(scores[0], scores[1]) > scores[2] == 0


def test_windows_have_the_cosines_of_the_sums_they_are(reading: solve.Reading) -> None:
    lots = np.random.default_rng(7)
    asked = lots.normal(size=(3, reading.vectors.shape[1])).astype(np.float32)
    shares = lots.random((2, len(reading))).astype(np.float32)
    windows = retrieval.Windows(reading, retrieval.lengths(reading))
    scores = windows.scores(asked)
    assert list(scores) == list(solve.SIZES)
    whole = reading.vectors * reading.weights[:, None]
    for size in solve.SIZES:
        sums = np.zeros_like(whole)
        for row in range(len(reading)):
            there = np.abs(np.arange(len(reading)) - row) <= size // 2
            sums[row] = whole[there & (reading.chapters == reading.chapters[row])].sum(axis=0)
        units = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        np.testing.assert_allclose(scores[size], asked @ units.T, atol=1e-4)
        np.testing.assert_allclose(windows.summed(shares, size), shares @ units, atol=1e-4)


def test_principal_axes_hold_vectors_that_lie_along_few() -> None:
    lots = np.random.default_rng(7)
    vectors = (lots.normal(size=(40, 3)) @ lots.normal(size=(3, 12))).astype(np.float32)
    axes = retrieval.principal(vectors, 3)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-5)
    apart = vectors - vectors.mean(axis=0)
    np.testing.assert_allclose(apart @ axes @ axes.T, apart, atol=1e-3)
    assert retrieval.principal(vectors, 99).shape == (12, 12)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=40))
def test_whole_numbers_are_nearly_what_they_were(parts: list[float]) -> None:
    vectors = np.array([parts], np.float32)
    again = retrieval.from_whole(retrieval.whole_numbers(vectors))
    np.testing.assert_allclose(again, vectors, atol=0.51 / retrieval.STEPS)
    np.testing.assert_array_equal(retrieval.whole_numbers(again), retrieval.whole_numbers(vectors))


def test_encoding_a_book_says_how_far_it_is(reading: solve.Reading, encoder: Encoder) -> None:
    said: list[tuple[str, int, int]] = []
    retrieval.tokens(reading, encoder, "reading", lambda *step: said.append(step))
    assert said == [("reading", 0, len(reading)), ("reading", len(reading), len(reading))]


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=60)
def test_any_text_has_stems(text: str) -> None:
    assert all(each and each == each.lower() for each in retrieval.stems(text))


# -- who is where --------------------------------------------------------------------------------


def test_a_pronoun_means_who_was_named_last_of_its_gender(reading: solve.Reading) -> None:
    who = solve.candidates(NAMES, [Character("a", "Anna Hartwell", (), Gender.FEMALE)])
    there = presence.presence(reading, who, None)
    veil = next(at for at, each in enumerate(reading.spans) if "veil" in each.of(reading.text))
    assert there.named[0, veil] == 0
    assert there.meant[0, veil] == pytest.approx(0.6)


def test_nobody_is_near_in_another_chapter(reading: solve.Reading) -> None:
    there = presence.presence(reading, solve.candidates(NAMES, ()), None)
    tansley = there.near[NAMES.index("George Tansley")]
    assert not tansley[reading.chapters == reading.chapters[0]].any()


# -- its weights ---------------------------------------------------------------------------------


VILLAGE = {
    "Anna Hartwell": "the woman who looks after honeycombs",
    "Clara Dunmore": "the teacher of a chorus of pupils",
    "Peter Holcroft": "the criminal who fakes a document",
    "George Tansley": "the one who loses his life in the water",
}


def village() -> list[bank.Described]:
    told = [
        json.dumps({"name": name, "descriptions": [{"level": 1, "text": text}]})
        for name, text in VILLAGE.items()
    ]
    return list(bank.parsed("\n".join(told), "village"))


@pytest.mark.parametrize(
    ("banks", "out", "error", "said"),
    [
        pytest.param(1, "new.json", NoMatch, "two books", id="one book"),
        pytest.param(2, "there.json", UsageError, "is there already", id="a file that is there"),
        pytest.param(2, "no/new.json", UsageError, "not there", id="no folder"),
    ],
)
def test_what_weights_cannot_be_made_of_or_written_to_is_refused(
    encoder: Encoder, tmp_path: Path, banks: int, out: str, error: type[ScholarError], said: str
) -> None:
    (tmp_path / "there.json").write_text("{}")
    people = dict.fromkeys(["village", "hamlet"][:banks], village())
    texts = dict.fromkeys(people, NOVEL.encode())
    with pytest.raises(error, match=said):
        training.run(people, texts, encoder, None, tmp_path / out)
    assert (tmp_path / "there.json").read_text() == "{}"


def test_a_book_is_scored_by_what_others_taught(encoder: Encoder, tmp_path: Path) -> None:
    books = dict.fromkeys(["village", "hamlet"], village())
    texts = dict.fromkeys(books, NOVEL.encode())
    out = tmp_path / "weights.json"
    made = training.run(books, texts, encoder, None, out, training.Recipe(steps=5))
    assert json.loads(out.read_text("utf-8")) == made
    assert set(made["weights"]) == set(solve.FEATURES)
    assert set(made["weights alone"]) == set(solve.ALONE)
    assert made["scores"]["left out one by one"]["desc2name 1"] == 1
    assert made["scores"]["hamlet"]["desc2name"] == 1
    assert set(made["training"]["books"]) == {"village", "hamlet"}


def test_the_weights_that_scholar_has_are_as_training_writes_them() -> None:
    file = Path(solve.__file__).with_name("weights.json")
    fitted = json.loads(file.read_text("utf-8"))
    assert list(fitted["weights"]) == list(solve.FEATURES)
    assert list(fitted["weights alone"]) == list(solve.ALONE)
    assert fitted["training"]["encoder"] == models.find("relic-minilm", Path("nowhere")).space
    assert len(fitted["training"]["books"]) == 8


def test_the_fit_finds_the_feature_that_tells() -> None:
    lots = np.random.default_rng(0)
    features = lots.normal(size=(60, 5, 3)).astype(np.float32)
    right = lots.integers(0, 5, 60)
    features[np.arange(60), right, 1] += 3
    barred = np.zeros((60, 5), bool)
    part = training.Part(features, right, barred, lots.integers(1, 5, 60))
    weights = training.fit([part], training.Recipe())
    assert weights[1] > 5 * max(abs(weights[0]), abs(weights[2]))
