"""Corrupted-speaker guessing and name cloze: tests of what a model has memorised."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import chat_server as chat
import pdnc_novels
import tiny_causal
from chat_server import ChatServer
from scholar_cli.laboratory.pdnc import memorisation, stand_ins
from scholar_cli.laboratory.pdnc.memorisation import ask, fill_names, guess_speakers
from scholar_cli.laboratory.pdnc.memorisation_items import (
    ClozeItem,
    Meant,
    expand_to_sentences,
    make_cloze_items,
    make_corrupted_items,
)
from scholar_cli.laboratory.pdnc.pdnc_data import KINDS, AnnotatedNovel
from scholar_cli.laboratory.pdnc.stand_ins import choose_stand_in, find_family_names, rename
from scholar_indexes.books import samples
from scholar_indexes.books.formats import sources
from scholar_indexes.coreference import mentions
from scholar_indexes.errors import NoMatch
from scholar_indexes.llm.loading import load
from scholar_indexes.llm.local_model import LocalModel
from scholar_indexes.llm.remote_model import RemoteModel
from scholar_indexes.types import Character, Gender, Quotation, Span

F, M = Gender.FEMALE, Gender.MALE
CAST = (
    Character("e", "Elizabeth", ("Elizabeth", "Lizzy", "Miss Eliza", "Elizabeth Bennet"), F),
    Character("d", "Mr. Darcy", ("Mr. Darcy", "Darcy"), M),
    Character("j", "Jane", ("Jane", "Miss Bennet", "Jane Bennet"), F),
    Character("b", "Mr. Bingley", ("Mr. Bingley", "Bingley"), M),
    Character("m", "Mrs. Bennet", ("Mrs. Bennet",), F),
    Character("l", "Lydia", ("Lydia", "My Dear Lydia"), F),
)
BY_NAME = {"Elizabeth": 0, "Darcy": 1, "Jane": 2, "Bingley": 3}


@cache
def pride_and_prejudice() -> AnnotatedNovel:
    """Return 42 chapters of the bundled novel, with quotations followed by a name or "she"."""
    sample = next(book for book in samples.bundled() if book.gutenberg_id == 1342)
    text = sources.read(samples.read(sample), "sample").text
    text = text[: text.index("\nChapter 43")]
    quotations, speakers, kinds = [], [], []
    tag = r"“([^“”]+)”\s+(?:said|cried|replied)\s+(?:Mr\.\s+)?(Elizabeth|Darcy|Jane|Bingley|she)\b"
    last = 0
    for number, match in enumerate(re.finditer(tag, text)):
        last = BY_NAME.get(match[2], last)
        kinds.append("Anaphoric" if match[2] == "she" else KINDS[2 * (number % 4 == 0)])
        quotations.append(Quotation((Span(*match.span(1)),)))
        speakers.append(last)
    ids = tuple(map(str, range(len(quotations))))
    return AnnotatedNovel(
        "Pride", text, CAST, ids, tuple(quotations), tuple(speakers), tuple(kinds)
    )


def novel(
    text: str, cast: tuple[Character, ...], *speakers: int, kind: str = "Implicit"
) -> AnnotatedNovel:
    quotations = tuple(Quotation((Span(*match.span(1)),)) for match in re.finditer("“(.*?)”", text))
    ids = tuple(map(str, speakers))
    return AnnotatedNovel("Small", text, cast, ids, quotations, speakers, (kind,) * len(speakers))


@cache
def questions(seed: int = 0, most: int = 30) -> dict[str, list[ClozeItem]]:
    return make_corrupted_items(
        pride_and_prejudice(),
        title="Pride and Prejudice",
        author="Jane Austen",
        seed=seed,
        most=most,
    )


@cache
def clozes(seed: int = 0, most: int = 100) -> list[ClozeItem]:
    return make_cloze_items(pride_and_prejudice(), seed=seed, most=most)


def passage(item: ClozeItem) -> str:
    return item.question.partition("<text>\n")[2].partition("\n</text>")[0]


def named(item: ClozeItem, wanted: Meant) -> list[str]:
    return [name for name, role in item.names.items() if role is wanted]


def answering(choose: Callable[[ClozeItem], str], items: list[ClozeItem]) -> chat.Answer:
    """Return a server that finds the item of a question and answers with `choose`."""
    items_by_question = {item.question: item for item in items}

    def answer(handler: chat.ChatHandler) -> None:
        item = items_by_question[handler.request_body["messages"][0]["content"]]
        chat.reply_with(json.dumps({"1": choose(item)}))(handler)

    return answer


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("the General", None, id="what somebody is"),
        pytest.param("her mother", None, id="no capital"),
        pytest.param("Madam", None, id="an honorific alone"),
        pytest.param("", None, id="nothing"),
        pytest.param("...", None, id="no letters"),
        pytest.param("Miss Bates", "Miss Smith", id="the paper's example"),
        pytest.param("Mr. Bates", "Mr. Smith", id="an honorific with a stop"),
        pytest.param("Bates", "Smith", id="a family name"),
        pytest.param("Hetty", "Emma", id="a given name"),
        pytest.param("Miss Hetty", "Miss Emma", id="an honorific before a given name"),
        pytest.param("poor Hetty", "poor Emma", id="an adjective"),
        pytest.param("My dear Hetty", "My dear Emma", id="an address"),
        pytest.param("Hetty Bates", "Emma Smith", id="both names"),
        pytest.param("Miss  Hetty\nBates", "Miss Emma Smith", id="over a line break"),
        pytest.param("Lady Hetty de Bates", "Lady Emma Smith", id="particles"),
    ],
)
def test_honorifics_are_kept_and_names_exchanged(name: str, expected: str | None) -> None:
    assert rename(name, "Emma", "Smith", frozenset({"bates"})) == expected


@pytest.mark.parametrize(
    ("aliases", "expected"),
    [
        ((), set()),
        (("Emma",), set()),
        (("the old man", "Mother"), set()),
        (("Emma", "Miss Emma"), set()),
        (("Emma Woodhouse",), {"woodhouse"}),
        (("Mr. Knightley",), {"knightley"}),
        (("Darcy", "Mr. Darcy"), {"darcy"}),
        (("Miss Bates",), {"bates"}),
        (("My Dear Jane",), set()),
        (("Lady Catherine",), set()),
    ],
    ids=str,
)
def test_family_names_are_distinguished_from_given_ones(
    aliases: tuple[str, ...], expected: set[str]
) -> None:
    assert find_family_names([Character("x", "x", aliases)]) == expected


def test_stand_ins_have_the_gender_of_the_speaker_and_names_the_novel_never_uses() -> None:
    used = frozenset(re.findall(r"\w+", pride_and_prejudice().text))
    for character in CAST:
        draws = {choose_stand_in(character, used, random.Random(seed)) for seed in range(30)}
        assert len(draws) > 1
        for draw in draws:
            assert draw is not None
            gender = character.gender
            assert draw[0] in stand_ins.GIVEN[gender] + stand_ins.MORE_GIVEN[gender]
            assert not used & set(draw)
            assert draw != ("Emma", "Stone")


def test_a_novel_that_uses_every_name_has_no_stand_in() -> None:
    every = [*stand_ins.FAMILY, *stand_ins.MORE_FAMILY]
    text = " ".join(every) + "\n\n“Go,” said Jane to Jane."
    assert make_corrupted_items(novel(text, CAST, 2), title="T", author="A")["Implicit"] == []


def test_a_passage_has_ten_sentences_on_either_side() -> None:
    text = " ".join(f"Mr. A went to {n}." for n in range(40))
    at = text.index("Mr. A went to 20.")
    passage_text = expand_to_sentences(text, Span(at, at + 17)).of(text)
    assert passage_text.startswith("Mr. A went to 10.")
    assert passage_text.endswith("Mr. A went to 30.")


@pytest.mark.parametrize(
    "text",
    ["“Go.”", "", "x" * 50_000, "\n" * 100],
    ids=["a quotation", "nothing", "a word", "line breaks"],
)
def test_a_passage_at_the_ends_of_a_text_is_what_there_is(text: str) -> None:
    span = expand_to_sentences(text, Span(0, len(text)))
    assert span == Span(0, len(text))


@pytest.mark.parametrize("kind", KINDS)
def test_a_passage_never_names_its_speaker_and_always_the_stand_in(kind: str) -> None:
    items = questions()[kind]
    assert len(items) >= 20
    for item in items:
        shown = passage(item)
        true, new = named(item, Meant.TRUE), named(item, Meant.STAND_IN)
        speaker = next(character for character in CAST if set(true) <= set(character.aliases))
        assert not [
            mention
            for mention in mentions.find_mentions(shown, CAST)
            if CAST[mention.character] is speaker
        ]
        assert any(name in shown for name in new)
        assert not set(true) & set(new)
        assert shown.count("[MASK]") == (kind == "Explicit")
        assert "by Jane Austen" in item.question


def test_the_mask_of_an_explicit_quotation_is_its_tag() -> None:
    masks = [passage(item) for item in questions()["Explicit"]]
    assert all(re.search(r"(?:said|cried|replied)\s+(?:Mr\.\s+)?\[MASK\]", mask) for mask in masks)


def test_other_people_of_the_passage_keep_their_names() -> None:
    text = "Jane saw Mr. Darcy. “Go,” said Jane to Lizzy. Jane’s sister left with Miss\nBennet."
    (item,) = make_corrupted_items(novel(text, CAST, 2, kind="Explicit"), title="T", author="A")[
        "Explicit"
    ]
    shown = passage(item)
    given, family = next(
        name for name in named(item, Meant.STAND_IN) if " " in name and not name.startswith("Miss")
    ).split()
    assert shown == (
        f"{given} saw Mr. Darcy. “Go,” said [MASK] to Lizzy. "
        f"{given}’s sister left with Miss {family}."
    )
    assert {"Mr. Darcy", "Lizzy"} <= set(named(item, Meant.OTHER))


@pytest.mark.parametrize(
    ("text", "speaker", "kind"),
    [
        pytest.param("“Go.”", 2, "Implicit", id="nobody is named"),
        pytest.param("“Go,” said Lizzy.", 2, "Implicit", id="somebody else is named"),
        pytest.param("“Go,” said Jane.", 2, "Explicit", id="only the masked name"),
        pytest.param("“Go,” said she.\n\nJane left.", 2, "Explicit", id="nothing to mask"),
        pytest.param("“Jane, go. Jane!” she said.", 2, "Explicit", id="named in speech only"),
        pytest.param("“Go,” said Jane to Jane.", -1, "Explicit", id="nobody speaks"),
    ],
)
def test_a_quotation_whose_passage_will_not_do_is_left_out(
    text: str, speaker: int, kind: str
) -> None:
    items = make_corrupted_items(novel(text, CAST, speaker, kind=kind), title="T", author="A")
    assert not any(items.values())
    with pytest.raises(NoMatch, match="another novel"), ChatServer(chat.answer_well) as server:
        guess_speakers(
            novel(text, CAST, speaker, kind=kind),
            RemoteModel(server.url, "x"),
            title="T",
            author="A",
        )


def test_a_seed_draws_the_same_questions_and_another_draws_others() -> None:
    assert questions.__wrapped__(0, 4) == questions(0, 4)
    assert questions(0, 4) != questions(3, 4)
    assert {len(question) for question in questions(3, 4).values()} == {4}


@pytest.mark.parametrize(
    ("choose", "memorisation_", "reasoning"),
    [
        pytest.param(lambda item: named(item, Meant.TRUE)[0], 1.0, 0.0, id="remembers"),
        pytest.param(lambda item: named(item, Meant.STAND_IN)[-1], 0.0, 1.0, id="reads"),
        pytest.param(lambda item: named(item, Meant.OTHER)[0], 0.0, 0.0, id="is wrong"),
        pytest.param(lambda item: "Nobody", 0.0, 0.0, id="names nobody"),
        pytest.param(lambda item: named(item, Meant.TRUE)[0].upper(), 1.0, 0.0, id="shouts"),
        pytest.param(lambda item: "1", 0.0, 0.0, id="cannot be read"),
    ],
)
def test_remembering_and_reading_are_distinguished(
    choose: Callable[[ClozeItem], str], memorisation_: float, reasoning: float
) -> None:
    items = [item for kind_items in questions(0, 4).values() for item in kind_items]
    with ChatServer(answering(choose, items)) as server:
        result = guess_speakers(
            pride_and_prejudice(),
            RemoteModel(server.url, "x"),
            most=4,
            title="Pride and Prejudice",
            author="Jane Austen",
        )
        assert len(server.requests) == 12
    assert (result.memorisation, result.reasoning) == (memorisation_, reasoning)
    assert {kind: score.asked for kind, score in result.kinds.items()} == dict.fromkeys(KINDS, 4)


def test_figures_are_means_over_kinds_and_not_over_quotations() -> None:
    score = memorisation.ClozeScore
    result = memorisation.Guessing({"Explicit": score(1, 1.0, 0.0), "Implicit": score(9, 0.0, 1.0)})
    assert (result.memorisation, result.reasoning) == (0.5, 0.5)


@pytest.mark.parametrize("reply", ["", "[]", '{"1": null}', '{"2": "Jane"}', '{"1": ""}'])
def test_an_answer_that_cannot_be_read_means_nothing(reply: str) -> None:
    item = ClozeItem("Who?", {"Jane": Meant.TRUE})
    with ChatServer(chat.reply_with(reply)) as server:
        assert ask(item, RemoteModel(server.url, "x")) is None


def test_a_cloze_has_forty_to_sixty_words_and_one_name_which_is_masked() -> None:
    items = clozes()
    assert len(items) == 100
    for item in items:
        shown = passage(item)
        assert shown.count("[MASK]") == 1
        assert mentions.find_mentions(shown, CAST) == []
        assert 38 <= len(shown.split()) <= 62
        assert named(item, Meant.TRUE)


@pytest.mark.slow
def test_a_cloze_draws_by_its_seed() -> None:
    assert clozes.__wrapped__(0) == clozes(0)
    assert clozes(0) != clozes(1)


@pytest.mark.parametrize(("right", "known"), [(True, 1.0), (False, 0.0)])
def test_a_name_of_the_right_character_is_known(right: bool, known: float) -> None:
    def choose(item: ClozeItem) -> str:
        return named(item, Meant.TRUE if right else Meant.OTHER)[-1]

    with ChatServer(answering(choose, clozes(most=6))) as server:
        result = fill_names(pride_and_prejudice(), RemoteModel(server.url, "x"), most=6)
    assert (result.asked, result.known) == (6, known)
    assert 0.0 < result.by_chance < 0.5


@pytest.mark.parametrize("text", ["", "Jane left.", "Jane saw Lizzy. " * 20])
def test_a_novel_without_such_a_passage_is_no_match(text: str) -> None:
    with pytest.raises(NoMatch, match="another novel"), ChatServer(chat.answer_well) as server:
        fill_names(novel(text, CAST), RemoteModel(server.url, "x"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return load(str(tiny_causal.make(tmp_path_factory.mktemp("causal") / "tiny")), "cpu")


def test_a_model_of_random_weights_neither_knows_nor_reads_much(tiny: LocalModel) -> None:
    progress: list[tuple[int, int]] = []

    def run() -> memorisation.Guessing:
        return guess_speakers(
            pride_and_prejudice(),
            tiny,
            title="Pride",
            author="Austen",
            most=2,
            progress=lambda _, done, total: progress.append((done, total)),
        )

    result = run()
    assert result == run()
    assert progress[:7] == [(done, 6) for done in range(7)]
    assert set(result.kinds) == set(KINDS)
    assert 0 <= result.memorisation + result.reasoning < 1
    cloze = fill_names(pride_and_prejudice(), tiny, most=4)
    assert cloze.asked == 4
    assert cloze.known < 1


def test_every_answer_of_a_local_model_can_be_read(tiny: LocalModel) -> None:
    for item in questions(3, 4)["Implicit"]:
        assert ask(item, tiny) in set(Meant)


def test_novels_of_a_folder_are_probed_over_http(tmp_path: Path) -> None:
    pdnc_novels.talk(tmp_path / "TheQuay", seed=1)
    (tmp_path / "index.csv").write_text("folder,title,author\nTheQuay,The Quay,Ann Example\n")
    with ChatServer(chat.reply_with('{"1": "Ann Marsh"}')) as server:
        (report,) = memorisation.run(tmp_path, RemoteModel(server.url, "tiny"), most=3)
        assert any("The Quay" in prompt and "Ann Example" in prompt for prompt in server.prompts)
    assert (report.bench, report.split, report.model) == ("memorisation", "TheQuay", "tiny")
    assert 0 < report.metrics["csg_memorised"] < 1


def test_a_folder_without_such_passages_is_no_match(tmp_path: Path) -> None:
    pdnc_novels.write(tmp_path / "Novel", text='"Why?"\n', quotes=((("Why?",), "Ben", ""),))
    with (
        ChatServer(chat.reply_with("{}")) as server,
        pytest.raises(NoMatch, match="names its speakers"),
    ):
        memorisation.run(tmp_path, RemoteModel(server.url, "tiny"))
