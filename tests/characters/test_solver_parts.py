"""The parts of the solver of `who`: its cache, presence, passages, reasons and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.adding import ingest
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.solver import cache as solver_cache
from scholar_indexes.characters.solver.book_characters import (
    MAX_CHARACTERS,
    MIN_OCCURRENCES,
    select_characters,
)
from scholar_indexes.characters.solver.cache import FILE, SolverCache
from scholar_indexes.characters.solver.character_candidates import (
    Candidate,
    candidates_from_names,
    name_match,
)
from scholar_indexes.characters.solver.content_words import content_words
from scholar_indexes.characters.solver.parsing import check_not_a_name, normalize_description
from scholar_indexes.characters.solver.presence import (
    PRONOUN_WEIGHT,
    SPEAKER_WEIGHT,
    find_presence,
)
from scholar_indexes.characters.solver.ranking import rank_characters
from scholar_indexes.characters.solver.reasons import SENTENCES, explain_features
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.characters.solver.solver import Solver
from scholar_indexes.characters.solver.weights import FEATURES
from scholar_indexes.claims import CLAIM_CHARS
from scholar_indexes.coreference.people import People
from scholar_indexes.errors import UsageError
from scholar_indexes.models import engines, registry
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.storage.passages import Neighbourhood
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

NOVEL = (
    """CHAPTER I

Anna Hartwell kept hives of bees behind the mill. “They sleep,” said Anna Hartwell. The rain fell.

Peter Holcroft forged a signature upon a cheque. He traced each letter by the lamp.

CHAPTER II

George Tansley slipped in the dark, and was drowned at the weir. Anna Hartwell wept for him.

“Nobody saw it,” said Peter Holcroft. “I was at home that night. So was she.”
"""
    + "\n\nThe river went down to the sea, and the mill stood idle.\n" * 4
)

NAMES = ("Anna Hartwell", "Peter Holcroft", "George Tansley")
CAST = tuple(Character(name.split()[0].lower(), name, (name,)) for name in NAMES)
BANK = [DescribedCharacter(name, (name,), Gender.UNKNOWN, ()) for name in NAMES]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return engines.load(registry.find("relic-minilm", Path("nowhere")), "cpu", 1)


@pytest.fixture(scope="module")
def draft() -> BookDraft:
    return ingest.parse_draft(ingest.BookSource(NOVEL.encode(), "village.txt", None), language="en")


@pytest.fixture(scope="module")
def dialogue(draft: BookDraft) -> Dialogue:
    def quotation_of(words: str, *more: str) -> Quotation:
        starts = [draft.text.index(piece) for piece in (words, *more)]
        pieces = zip(starts, (words, *more), strict=True)
        return Quotation(tuple(Span(start, start + len(piece)) for start, piece in pieces))

    quotations = (
        quotation_of("They sleep,"),
        quotation_of("Nobody saw it,", "I was at home that night. So was she."),
    )
    speakers = (CAST[0], CAST[1])
    attributions = tuple(
        Attribution(speaker, QuoteKind.EXPLICIT, None, 1.0) for speaker in speakers
    )
    return Dialogue(CAST, quotations, attributions)


@pytest.fixture(scope="module")
def rows(draft: BookDraft) -> np.ndarray:
    return np.array(
        [
            (sentence.chapter, sentence.paragraph, sentence.span.start, sentence.span.end)
            for sentence in draft.sentences
        ],
        np.int32,
    )


@pytest.fixture(scope="module")
def people(draft: BookDraft) -> People:
    """Return people in which "He" in the first chapter is Peter Holcroft, unnamed there."""
    start = draft.text.index("He traced")
    return People(np.array([start]), np.array([start + 2]), np.array([1]))


@pytest.fixture(scope="module")
def built(
    draft: BookDraft, dialogue: Dialogue, rows: np.ndarray, encoder: Encoder, people: People
) -> SolverCache:
    chapters = [sentence.chapter for sentence in draft.sentences]
    texts = [sentence.span.of(draft.text) for sentence in draft.sentences]
    vectors, weights = encoder.encode_sentences(texts, chapters)
    stored = Neighbourhood(
        np.arange(len(texts)), rows[:, 0], np.ones(len(texts), np.int64), vectors, weights
    )
    return solver_cache.build(draft.text, rows, stored, dialogue, BANK, encoder, people=people)


def test_a_cached_book_is_solved_as_the_one_that_was_built(
    built: SolverCache,
    draft: BookDraft,
    dialogue: Dialogue,
    rows: np.ndarray,
    encoder: Encoder,
    tmp_path: Path,
) -> None:
    assert [character.name for character in built.characters] == list(NAMES)
    solver_cache.save(tmp_path, "a key", built)
    loaded = solver_cache.load(tmp_path, "a key", draft.text, rows)
    assert loaded is not None
    assert loaded.characters == built.characters
    assert list(loaded.sentences.spans) == list(built.sentences.spans)
    assert loaded.sentences.spans[1:3] == built.sentences.spans[1:3]
    answers = [
        Solver(
            book.sentences,
            list(map(Candidate.from_character, book.characters)),
            dialogue,
            encoder,
            book.index,
        ).scores(["the woman who looks after honeycombs", "the criminal who fakes a document"])
        for book in (built, loaded)
    ]
    np.testing.assert_array_equal(*answers)
    assert answers[0].argmax(axis=1).tolist() == [0, 1]
    for name in ("named", "mentioned", "speaking", "near"):
        np.testing.assert_array_equal(
            getattr(loaded.index.presence, name), getattr(built.index.presence, name)
        )


def test_the_cache_of_another_version_or_text_and_a_damaged_one_are_made_again(
    built: SolverCache, draft: BookDraft, rows: np.ndarray, tmp_path: Path
) -> None:
    assert solver_cache.load(tmp_path, "a key", draft.text, rows) is None
    solver_cache.save(tmp_path, "a key", built)
    assert solver_cache.load(tmp_path, "another key", draft.text, rows) is None
    assert solver_cache.load(tmp_path, "a key", draft.text, rows[:-1]) is None
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[:-200])
    assert solver_cache.load(tmp_path, "a key", draft.text, rows) is None


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param({"vectors": np.zeros((3, 8), np.int8)}, id="too few vectors"),
        pytest.param({"weights": np.ones(3, np.float32)}, id="too few weights"),
        pytest.param({"windows 3": np.zeros(99, np.float32)}, id="no lengths"),
        pytest.param({"edges": np.array([0, 1])}, id="terms without postings"),
        pytest.param({"passages": np.array([9_999])}, id="a posting beyond the book"),
        pytest.param({"like vectors": np.zeros((1, 1), np.int8)}, id="a word without a vector"),
        pytest.param({"like stems": np.frombuffer(b"one", np.uint8)}, id="too few stems"),
        pytest.param({"token counts": np.array([-1])}, id="fewer than no tokens"),
        pytest.param({"tokens": np.zeros((1, 2), np.float32)}, id="tokens of another kind"),
        pytest.param({"token axes": np.zeros((2, 2), np.float32)}, id="axes of another width"),
        pytest.param({"token rarity": np.zeros(0, np.float32)}, id="no rarity"),
    ],
)
def test_arrays_that_do_not_fit_together_are_made_again(
    built: SolverCache,
    draft: BookDraft,
    rows: np.ndarray,
    tmp_path: Path,
    harm: dict[str, np.ndarray],
) -> None:
    solver_cache.save(tmp_path, "a key", built)
    path = tmp_path / FILE
    with np.load(path) as file:
        arrays = dict(file)
    (name,) = harm
    assert name in arrays
    np.savez(path, **{**arrays, **harm})
    assert solver_cache.load(tmp_path, "a key", draft.text, rows) is None


def sentence_of(built: SolverCache, words: str) -> int:
    return next(
        row
        for row, span in enumerate(built.sentences.spans)
        if words in span.of(built.sentences.text)
    )


def test_characters_are_present_where_they_are_named_meant_or_speak(built: SolverCache) -> None:
    presence = built.index.presence
    anna, peter = 0, 1
    hives, traced = sentence_of(built, "hives"), sentence_of(built, "traced")
    at_home = sentence_of(built, "at home")
    assert presence.named[anna, hives] == 1
    assert presence.named[peter, hives] == presence.named[peter, traced] == 0
    assert presence.mentioned[peter, traced] == pytest.approx(PRONOUN_WEIGHT)
    assert presence.speaking[peter, at_home] > 0.9  # all except the quotation mark
    assert presence.speaking[anna, at_home] == 0
    assert presence.near[peter, at_home] >= SPEAKER_WEIGHT * presence.speaking[peter, at_home]


def test_a_quotation_is_spoken_in_the_sentences_that_it_covers_and_in_no_other(
    built: SolverCache,
) -> None:
    speaking = built.index.presence.speaking[0]
    asleep = sentence_of(built, "They sleep")
    span = built.sentences.spans[asleep]
    assert speaking[asleep] == pytest.approx(len("They sleep,") / (span.end - span.start))
    assert speaking.nonzero()[0].tolist() == [asleep]


def test_presence_fades_with_distance_and_ends_with_the_chapter(built: SolverCache) -> None:
    tansley = built.index.presence.near[2]
    slipped = sentence_of(built, "slipped")
    assert tansley[slipped] == 1
    assert tansley[slipped + 1] == pytest.approx(0.75)
    assert tansley[slipped + 2] == pytest.approx(0.5)
    assert tansley[slipped + 3] == 0
    assert tansley[slipped - 1] == 0  # in the previous chapter


def test_without_people_or_dialogue_only_names_and_words_count(
    built: SolverCache, dialogue: Dialogue
) -> None:
    candidates = list(map(Candidate.from_character, built.characters))
    with_dialogue = find_presence(built.sentences, candidates, dialogue)
    np.testing.assert_array_equal(with_dialogue.mentioned, with_dialogue.named)
    assert with_dialogue.speaking.any()
    assert not find_presence(built.sentences, candidates, None).speaking.any()


@pytest.fixture(scope="module")
def solver(built: SolverCache, dialogue: Dialogue, encoder: Encoder) -> Solver:
    candidates = list(map(Candidate.from_character, built.characters))
    return Solver(built.sentences, candidates, dialogue, encoder, built.index)


def test_passages_are_three_sentences_of_one_chapter_and_apart(
    solver: Solver, built: SolverCache
) -> None:
    best = rank_characters("the woman who weeps for a drowned man", solver, passages=5)[0]
    assert NAMES[best.row] == "Anna Hartwell"
    spans = list(built.sentences.spans)
    covered = [
        [row for row, span in enumerate(spans) if passage.start <= span.start < passage.end]
        for passage in best.passages
    ]
    assert len(covered) > 1
    for rows in covered:
        assert 1 <= len(rows) <= 3
        assert len(set(built.sentences.chapters[rows].tolist())) == 1
        passage = Span(spans[rows[0]].start, spans[rows[-1]].end)
        assert passage in best.passages
    assert max(map(len, covered)) == 3
    middles = sorted(np.mean(rows) for rows in covered)
    assert min(np.diff(middles)) >= 2


def test_no_more_characters_and_passages_are_returned_than_asked_for(solver: Solver) -> None:
    results = rank_characters("the beekeeper", solver, n=2, passages=1)
    assert len(results) == 2
    assert all(len(result.passages) <= 1 and result.reasons == () for result in results)
    everybody = rank_characters("the beekeeper", solver, n=9)
    assert sum(result.probability for result in everybody) == pytest.approx(1, abs=1e-4)
    probabilities = [result.probability for result in everybody]
    assert probabilities == sorted(probabilities, reverse=True)


def test_reasons_are_sentences_and_the_weightiest_come_first(solver: Solver) -> None:
    best = rank_characters("the beekeeper", solver, explain=True)[0]
    weights = [abs(reason.weight) for reason in best.reasons]
    assert len(weights) == len(FEATURES) + 2
    assert weights == sorted(weights, reverse=True)
    assert best.reasons[0].weight > 0


def test_a_reason_weighs_its_part_less_the_mean_of_all_candidates() -> None:
    parts = np.zeros((2, len(FEATURES) + 2), np.float32)
    of_gender = FEATURES.index("gender")
    parts[0, of_gender], parts[1, len(FEATURES)] = 3, 1
    first, second = explain_features(parts)
    weights = {reason.why: reason.weight for reason in first}
    assert first[0].why == "the gender fits"
    assert (weights["the gender fits"], weights["they are named often"]) == (1.5, -0.5)
    assert second[0].weight == -1.5


def test_every_feature_is_explained_in_a_sentence_of_its_own() -> None:
    assert {feature.partition(",")[0] for feature in FEATURES} == set(SENTENCES)
    (reasons,) = explain_features(np.zeros((1, len(FEATURES) + 2), np.float32))
    texts = [reason.why for reason in reasons]
    assert len(set(texts)) == len(texts)
    with_suffix = [feature for feature in FEATURES if "," in feature]
    assert with_suffix
    for feature in with_suffix:
        name, comma, suffix = feature.partition(",")
        assert f"{SENTENCES[name]}{comma}{suffix}" in texts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("The Old Squire's horse", ["old", "squire", "horse"], id="small letters"),
        pytest.param("an ox is at it", [], id="two letters are too few"),
        pytest.param("the ape and 12 cats", ["ape", "cats"], id="three are enough, numbers none"),
    ],
)
def test_content_words_are_long_and_informative(text: str, words: list[str]) -> None:
    assert content_words(text) == words


def test_a_description_is_one_line_of_bounded_length() -> None:
    assert normalize_description("  the sister\n who\telopes ") == "the sister who elopes"
    assert len(normalize_description("the drowned man " * 9_999)) == CLAIM_CHARS


@pytest.mark.parametrize("description", ["", "   ", "the one who is", "him or her"])
def test_a_description_of_nobody_is_refused_with_an_example(description: str) -> None:
    with pytest.raises(UsageError, match="describes nobody; say what they are or do"):
        normalize_description(description)


def test_a_name_is_no_description() -> None:
    with pytest.raises(
        UsageError, match=r"'Peter Holcroft' is a name.* scholar describe 'Peter Holcroft' pg7"
    ):
        check_not_a_name("Peter Holcroft", CAST, "pg7")
    check_not_a_name("the forger who envies Peter Holcroft", CAST, "pg7")
    check_not_a_name("the forger", CAST, "pg7")
    with pytest.raises(UsageError, match="is a name"):
        check_not_a_name("Anna Hartwell and George Tansley", CAST, "pg7")


@pytest.mark.parametrize(
    ("name", "character", "score"),
    [
        pytest.param("Mr. Darcy", Character("d", "Darcy", ("Mr. Darcy",)), 6, id="the same words"),
        pytest.param("Mr. Darcy", Character("d", "Darcy", ("Darcy",)), 5, id="without its title"),
        pytest.param(
            "Fitzwilliam Darcy",
            Character("d", "", ("Fitzwilliam George Darcy",)),
            4,
            id="first and last",
        ),
        pytest.param("Lizzy", Character("e", "", ("Elizabeth Bennet",)), 3, id="a short form"),
        pytest.param("Bennet", Character("e", "", ("Elizabeth Bennet",)), 2, id="the last name"),
        pytest.param(
            "Mrs. Bennet",
            Character("b", "Mr. Bennet", ("Mr. Bennet",), Gender.MALE),
            0,
            id="another gender",
        ),
        pytest.param("Mary Bennet", Character("e", "", ("Jane Bennet",)), 0, id="a sister"),
        pytest.param("Mary Bennet", Character("k", "", ("Mary King",)), 0, id="a title's surname"),
        pytest.param("Old King", Character("k", "", ("the old king",)), 0, id="titles alone"),
        pytest.param(
            "Miss King", Character("k", "", ("Mary King",)), 2, id="the last name a title"
        ),
        pytest.param("Charlotte", Character("e", "", ("Jane Bennet",)), 0, id="somebody else"),
    ],
)
def test_names_match_so_well(name: str, character: Character, score: int) -> None:
    assert name_match(name, character) == score


def test_a_narrator_stays_one_as_a_candidate() -> None:
    pip = Character("pip", "Pip", ("Pip", "Philip"), Gender.MALE, True, (Span(0, 9),))
    assert Candidate.from_character(pip).to_character("pip") == pip
    other = Character("p", "Philip Pip", ("Philip Pip",), Gender.UNKNOWN, True, (Span(20, 30),))
    (candidate,) = candidates_from_names(["Pip"], [other, pip])
    assert (candidate.narrator, candidate.narrates) == (True, (Span(0, 9), Span(20, 30)))
    assert candidate.aliases == ("Pip", "Philip Pip", "Philip")


def spoken_by(character: Character, times: int, cast: tuple[Character, ...]) -> Dialogue:
    quotations = tuple(Quotation((Span(0, 1),)) for _ in range(times))
    attribution = Attribution(character, QuoteKind.EXPLICIT, None, 1.0)
    return Dialogue(cast, quotations, (attribution,) * times)


def test_a_character_without_descriptions_needs_mentions_or_quotations() -> None:
    anna, ben = (Character(name.lower(), name, (name,)) for name in ("Anna", "Ben"))
    enough = spoken_by(ben, MIN_OCCURRENCES, (anna, ben))
    assert select_characters("Anna came.", enough) == (ben,)
    too_few = spoken_by(ben, MIN_OCCURRENCES - 1, (anna, ben))
    assert select_characters("Anna came.", too_few) == ()
    assert select_characters("Anna came. " * MIN_OCCURRENCES, too_few) == (anna,)
    assert select_characters("Anna came. Ben went. ", too_few) == (ben,)
    assert select_characters("Anna came. " * 9, None) == ()


def test_the_most_frequent_characters_come_first_and_not_endlessly_many() -> None:
    names = [f"{first}{second}stone" for first in "BCDFGHKLMNPRST" for second in "aeiouyaeio"]
    names = list(dict.fromkeys(name.capitalize() for name in names))
    names += [f"{name}by" for name in names]
    cast = tuple(Character(name.lower(), name, (name,)) for name in names)
    text = " ".join(f"So {name} came." for name in names) * MIN_OCCURRENCES
    chosen = select_characters(text + f" So {names[-1]} came.", Dialogue(cast, (), ()))
    assert len(chosen) == MAX_CHARACTERS < len(names)
    assert chosen[0].name == names[-1]


def described(*names: str, gender: Gender = Gender.UNKNOWN) -> DescribedCharacter:
    return DescribedCharacter(names[0], names, gender, ())


def test_the_title_separates_a_mother_from_her_daughter() -> None:
    mother = Character("mrs", "Mrs. Bennet", ("Mrs. Bennet",))
    daughter = Character("mary", "Mary Bennet", ("Mary Bennet",))
    chosen = select_characters(
        "Mary Bennet sang. " * 9, Dialogue((mother, daughter), (), ()), [described("Mrs. Bennet")]
    )
    assert {character.id for character in chosen} == {"mrs", "mary"}
    miss = Character("miss", "Miss Bennet", ("Miss Bennet",))
    chosen = select_characters(
        "Miss Bennet sang. " * 9, Dialogue((miss,), (), ()), [described("Mrs. Bennet")]
    )
    assert len(chosen) == 2


def test_a_namesake_whose_surname_is_a_title_is_another_character() -> None:
    mary = Character("mary", "Mary Bennet", ("Mary Bennet", "Mary"))
    king = Character("king", "Miss King", ("Miss King", "Mary King"))
    chosen = select_characters(
        "Miss King went. " * 9, Dialogue((mary, king), (), ()), [described("Mary Bennet", "Mary")]
    )
    assert {character.id: character.aliases for character in chosen} == {
        "mary": ("Mary Bennet", "Mary"),
        "king": ("Miss King", "Mary King"),
    }


def test_members_of_the_cast_who_are_one_of_the_bank_are_joined() -> None:
    young, old = Character("pip", "Pip", ("Pip",)), Character("philip", "Philip", ("Philip",))
    dialogue = spoken_by(old, 3, (young, old))
    (pip,) = select_characters("", dialogue, [described("Pip", "Philip", gender=Gender.MALE)])
    assert pip == Character("philip", "Pip", ("Pip", "Philip"), Gender.MALE)


def test_a_name_that_two_characters_of_the_bank_share_is_added_to_neither() -> None:
    bank_ = [described("Jane Eyre", "the governess"), described("Miss Temple", "the governess")]
    characters = select_characters("", None, bank_)
    assert [character.aliases for character in characters] == [("Jane Eyre",), ("Miss Temple",)]
    assert len({character.id for character in characters}) == 2


def test_a_name_of_one_character_of_the_bank_is_added_even_if_the_book_lacks_it() -> None:
    dialogue = Dialogue((Character("jane", "Jane", ("Jane Eyre",)),), (), ())
    (jane,) = select_characters("", dialogue, [described("Jane Eyre", "Janet", "Jane Eyre")])
    assert jane.aliases == ("Jane Eyre", "Jane", "Janet")


def test_the_hash_of_a_bank_is_that_of_its_names_and_genders() -> None:
    one = described("Pip", "Philip")
    assert bank.names_hash([one]) == bank.names_hash([described("Pip", "Philip")])
    assert len(bank.names_hash([one])) == 16
    others = [
        described("Pip"),
        described("Philip", "Pip"),
        described("Pip", "Philip", gender=Gender.MALE),
    ]
    hashes = {bank.names_hash([other]) for other in (one, *others)}
    assert len(hashes) == 4
    assert bank.names_hash([one, others[0]]) != bank.names_hash([others[0], one])
    assert bank.names_hash([replace(one, name="P\ud800p")])  # half a surrogate pair is not an error


def test_the_sentences_of_an_encoded_book_have_their_chapters_and_paragraphs(
    draft: BookDraft, encoder: Encoder
) -> None:
    from scholar_indexes.characters.solver.sentence_vectors import encode_book

    index: SentenceIndex = encode_book(draft.text, draft.sentences, encoder)
    assert index.paragraphs.tolist() == [sentence.paragraph for sentence in draft.sentences]
    assert index.chapters.tolist() == [sentence.chapter for sentence in draft.sentences]
