"""What a model knows by heart: passages under other names, and names left out."""

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
from scholar_cli.bench import memorisation
from scholar_cli.bench.memorisation import (
    KINDS,
    Item,
    Meant,
    around,
    ask,
    clozes,
    corrupted,
    families,
    fill_names,
    guess_speakers,
    renamed,
)
from scholar_cli.bench.pdnc_form import Novel
from scholar_indexes import samples
from scholar_indexes.books import sources
from scholar_indexes.errors import NoMatch
from scholar_indexes.speakers import mentions
from scholar_indexes.speakers.llm_backends import Local, Server, load
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
def pride_and_prejudice() -> Novel:
    """The bundled sample, and those of its quotations whose speaker is easily told."""
    sample = next(each for each in samples.bundled() if each.gutenberg_id == 1342)
    text = sources.read(samples.read(sample), "sample").text
    quotations, speakers, kinds = [], [], []
    tag = r"“([^“”]+)”\s+(?:said|cried|replied)\s+(?:Mr\.\s+)?(Elizabeth|Darcy|Jane|Bingley|she)\b"
    last = 0
    for number, found in enumerate(re.finditer(tag, text)):
        last = BY_NAME.get(found[2], last)
        kinds.append("Anaphoric" if found[2] == "she" else KINDS[2 * (number % 4 == 0)])
        quotations.append(Quotation((Span(*found.span(1)),)))
        speakers.append(last)
    ids = tuple(map(str, range(len(quotations))))
    return Novel("Pride", text, CAST, ids, tuple(quotations), tuple(speakers), tuple(kinds))


def novel(text: str, cast: tuple[Character, ...], *speakers: int, kind: str = "Implicit") -> Novel:
    quotations = tuple(Quotation((Span(*each.span(1)),)) for each in re.finditer("“(.*?)”", text))
    ids = tuple(map(str, speakers))
    return Novel("Small", text, cast, ids, quotations, speakers, (kind,) * len(speakers))


def questions(seed: int = 0, most: int = 30) -> dict[str, list[Item]]:
    return corrupted(
        pride_and_prejudice(), title="Pride and Prejudice", author="Jane Austen", seed=seed,
        most=most,
    )  # fmt: skip


def passage(item: Item) -> str:
    return item.question.partition("<text>\n")[2].partition("\n</text>")[0]


def named(item: Item, meant: Meant) -> list[str]:
    return [name for name, each in item.names.items() if each is meant]


def answering(choose: Callable[[Item], str], items: list[Item]) -> chat.Respond:
    """A server that finds the item of a question and answers so."""
    known = {each.question: each for each in items}

    def answer(handler: chat._Handler) -> None:
        item = known[handler.asked["messages"][0]["content"]]
        chat.says(json.dumps({"1": choose(item)}))(handler)

    return answer


# -- names ---------------------------------------------------------------------------------


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
    assert renamed(name, "Emma", "Smith", frozenset({"bates"})) == expected


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
def test_family_names_are_told_from_given_ones(
    aliases: tuple[str, ...], expected: set[str]
) -> None:
    assert families([Character("x", "x", aliases)]) == expected


@pytest.mark.parametrize("who", range(len(CAST)))
def test_a_stand_in_has_the_gender_of_the_speaker_and_a_name_the_novel_never_uses(who: int) -> None:
    reading = memorisation._Reading(pride_and_prejudice())
    draws = {reading.stand_in(CAST[who], random.Random(seed)) for seed in range(30)}
    used = set(re.findall(r"\w+", pride_and_prejudice().text))
    assert len(draws) > 1
    for each in draws:
        assert each is not None
        gender = CAST[who].gender
        assert each[0] in memorisation.GIVEN[gender] + memorisation.MORE_GIVEN[gender]
        assert not used & set(each)
        assert each != ("Emma", "Stone")


def test_a_novel_that_uses_every_name_has_no_stand_in() -> None:
    every = [*memorisation.FAMILY, *memorisation.MORE_FAMILY]
    text = " ".join(every) + "\n\n“Go,” said Jane to Jane."
    assert corrupted(novel(text, CAST, 2), title="T", author="A")["Implicit"] == []


# -- corrupted-speaker guessing ------------------------------------------------------------


def test_a_passage_has_ten_sentences_on_either_side() -> None:
    text = " ".join(f"Mr. A went to {n}." for n in range(40))
    at = text.index("Mr. A went to 20.")
    found = around(text, Span(at, at + 17)).of(text)
    assert found.startswith("Mr. A went to 10.")
    assert found.endswith("Mr. A went to 30.")


@pytest.mark.parametrize("text", ["“Go.”", "", "x" * 50_000, "\n" * 100])
def test_a_passage_at_the_ends_of_a_text_is_what_there_is(text: str) -> None:
    found = around(text, Span(0, len(text)))
    assert found == Span(0, len(text))


@pytest.mark.parametrize("kind", KINDS)
def test_a_passage_never_names_its_speaker_and_always_the_stand_in(kind: str) -> None:
    items = questions()[kind]
    assert len(items) >= 20
    for item in items:
        shown = passage(item)
        true, new = named(item, Meant.TRUE), named(item, Meant.STAND_IN)
        who = next(each for each in CAST if each.aliases and set(true) <= set(each.aliases))
        assert not [each for each in mentions.find(shown, CAST) if CAST[each.who] is who]
        assert any(name in shown for name in new)
        assert not set(true) & set(new)
        assert shown.count("[MASK]") == (kind == "Explicit")
        assert "by Jane Austen" in item.question


def test_the_mask_of_an_explicit_quotation_is_its_tag() -> None:
    masks = [passage(each) for each in questions()["Explicit"]]
    assert all(re.search(r"(?:said|cried|replied)\s+(?:Mr\.\s+)?\[MASK\]", each) for each in masks)


def test_other_people_of_the_passage_keep_their_names() -> None:
    text = "Jane saw Mr. Darcy. “Go,” said Jane to Lizzy. Jane’s sister left with Miss\nBennet."
    (item,) = corrupted(novel(text, CAST, 2, kind="Explicit"), title="T", author="A")["Explicit"]
    shown = passage(item)
    given, last = next(name for name in named(item, Meant.STAND_IN) if " " in name
                       and not name.startswith("Miss")).split()  # fmt: skip
    assert shown == (
        f"{given} saw Mr. Darcy. “Go,” said [MASK] to Lizzy. "
        f"{given}’s sister left with Miss {last}."
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
    found = corrupted(novel(text, CAST, speaker, kind=kind), title="T", author="A")
    assert found == {each: [] for each in KINDS}
    with pytest.raises(NoMatch, match="take another novel"), ChatServer(chat.well) as one:
        guess_speakers(novel(text, CAST, speaker, kind=kind), Server(one.url, "x"),
                       title="T", author="A")  # fmt: skip


def test_a_seed_draws_the_same_questions_and_another_draws_others() -> None:
    assert questions(1, 5) == questions(1, 5)
    assert questions(1, 5) != questions(2, 5)
    assert {len(each) for each in questions(1, 5).values()} == {5}


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
def test_remembering_and_reading_are_told_apart(
    choose: Callable[[Item], str], memorisation_: float, reasoning: float
) -> None:
    items = [each for several in questions(0, 4).values() for each in several]
    with ChatServer(answering(choose, items)) as one:
        found = guess_speakers(pride_and_prejudice(), Server(one.url, "x"), most=4,
                               title="Pride and Prejudice", author="Jane Austen")  # fmt: skip
        assert len(one.requests) == 12
    assert (found.memorisation, found.reasoning) == (memorisation_, reasoning)
    assert {kind: each.asked for kind, each in found.kinds.items()} == dict.fromkeys(KINDS, 4)


def test_figures_are_means_over_kinds_and_not_over_quotations() -> None:
    score = memorisation.Score
    found = memorisation.Guessing({"Explicit": score(1, 1.0, 0.0), "Implicit": score(9, 0.0, 1.0)})
    assert (found.memorisation, found.reasoning) == (0.5, 0.5)


@pytest.mark.parametrize("said", ["", "[]", '{"1": null}', '{"2": "Jane"}', '{"1": ""}'])
def test_an_answer_that_cannot_be_read_means_nothing(said: str) -> None:
    item = Item("Who?", {"Jane": Meant.TRUE})
    with ChatServer(chat.says(said)) as one:
        assert ask(item, Server(one.url, "x")) is None


# -- name cloze ----------------------------------------------------------------------------


def test_a_cloze_has_forty_to_sixty_words_and_one_name_which_is_masked() -> None:
    items = clozes(pride_and_prejudice())
    assert len(items) == 100
    for item in items:
        shown = passage(item)
        assert shown.count("[MASK]") == 1
        assert mentions.find(shown, CAST) == []
        assert 38 <= len(shown.split()) <= 62
        assert named(item, Meant.TRUE)


def test_a_cloze_draws_by_its_seed() -> None:
    assert clozes(pride_and_prejudice(), seed=1) == clozes(pride_and_prejudice(), seed=1)
    assert clozes(pride_and_prejudice(), seed=1) != clozes(pride_and_prejudice(), seed=2)


@pytest.mark.parametrize(("right", "known"), [(True, 1.0), (False, 0.0)])
def test_a_name_of_the_right_character_is_known(right: bool, known: float) -> None:
    def choose(item: Item) -> str:
        return named(item, Meant.TRUE if right else Meant.OTHER)[-1]

    with ChatServer(answering(choose, clozes(pride_and_prejudice(), most=6))) as one:
        found = fill_names(pride_and_prejudice(), Server(one.url, "x"), most=6)
    assert (found.asked, found.known) == (6, known)
    assert 0.0 < found.by_chance < 0.5


@pytest.mark.parametrize("text", ["", "Jane left.", "Jane saw Lizzy. " * 20])
def test_a_novel_without_such_a_passage_is_no_match(text: str) -> None:
    with pytest.raises(NoMatch, match="take another novel"), ChatServer(chat.well) as one:
        fill_names(novel(text, CAST), Server(one.url, "x"))


# -- a real model --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Local:
    return load(str(tiny_causal.make(tmp_path_factory.mktemp("causal") / "tiny")), "cpu")


def test_a_model_of_random_weights_neither_knows_nor_reads_much(tiny: Local) -> None:
    seen: list[tuple[int, int]] = []

    def run() -> memorisation.Guessing:
        return guess_speakers(
            pride_and_prejudice(), tiny, title="Pride", author="Austen", most=4,
            progress=lambda _, done, total: seen.append((done, total)),
        )  # fmt: skip

    found = run()
    assert found == run()
    assert seen[:13] == [(done, 12) for done in range(13)]
    assert set(found.kinds) == set(KINDS)
    assert 0 <= found.memorisation + found.reasoning < 1
    cloze = fill_names(pride_and_prejudice(), tiny, most=8)
    assert cloze.asked == 8
    assert cloze.known < 1


def test_every_answer_of_a_local_model_can_be_read(tiny: Local) -> None:
    for item in questions(3, 3)["Implicit"]:
        assert ask(item, tiny) in set(Meant)


def test_novels_of_a_folder_are_probed_over_http(tmp_path: Path) -> None:
    pdnc_novels.talk(tmp_path / "TheQuay", seed=1)
    (tmp_path / "index.csv").write_text("folder,title,author\nTheQuay,The Quay,Ann Example\n")
    with ChatServer(chat.says('{"1": "Ann Marsh"}')) as server:
        (report,) = memorisation.run(tmp_path, Server(server.url, "tiny"), most=3)
        assert any("The Quay" in prompt and "Ann Example" in prompt for prompt in server.prompts)
    assert (report.bench, report.split, report.model) == ("memorisation", "TheQuay", "tiny")
    assert 0 < report.metrics["csg_memorised"] < 1


def test_a_folder_without_such_passages_is_no_match(tmp_path: Path) -> None:
    pdnc_novels.write(tmp_path / "Novel", text='"Why?"\n', quotes=((("Why?",), "Ben", ""),))
    with (
        ChatServer(chat.says("{}")) as server,
        pytest.raises(NoMatch, match="names its speakers"),
    ):
        memorisation.run(tmp_path, Server(server.url, "tiny"))
