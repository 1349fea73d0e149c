"""Everybody of a book: where they are, who answers whom, and how that is plotted."""

from __future__ import annotations

import json

import pytest

from scholar_indexes import answers
from scholar_indexes.answers import Cited, Presence, Said
from scholar_indexes.catalog import Shelved
from scholar_indexes.characters import company, conversations
from scholar_indexes.characters.company import Company
from scholar_indexes.speakers.record import Dialogue
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    Character,
    Gender,
    Kind,
    Quotation,
    QuoteKind,
    Span,
)
from scholar_tui.widgets import plot

BOOK = Book("own-talk", "Talk | of [it]", "Ann Example", "en", "", "0")
ANN = Character("ann", "Ann Marsh", ("Ann Marsh", "Ann"), Gender.FEMALE)
BEN = Character("ben", "Ben Ōtaki", ("Ben Ōtaki", "Ben"), Gender.MALE)
CLEO = Character("cleo", "Cleo", ("Cleo",))
CAST = {"A": ANN, "B": BEN, "C": CLEO, "?": None}


def spoken(*written: str) -> tuple[str, list[Chapter], Dialogue]:
    """Chapters whose paragraphs are "A: words" where somebody speaks, or words; one that begins
    with "+" goes on in the paragraph before."""
    text, chapters, quotations, attributions = "", [], [], []
    for number, chapter in enumerate(written, 1):
        start = len(text)
        for line in chapter.strip().split("\n"):
            joined = line.startswith("+")
            if text:
                text = text.removesuffix("\n\n") + " " if joined and len(text) > start else text
            who, colon, words = line.lstrip("+").strip().partition(": ")
            if colon:
                quotations.append(Quotation((Span(len(text) + 1, len(text) + 1 + len(words)),)))
                attributions.append(Attribution(CAST[who], QuoteKind.IMPLICIT, None, 0.9))
                text += f"“{words}”\n\n"
            else:
                text += f"{line.lstrip('+').strip()}\n\n"
        span = Span(start, len(text))
        chapters.append(Chapter(number, f"Chapter {number}", (), Kind.CHAPTER, span, span))
    cast = tuple(each for each in CAST.values() if each)
    return text, chapters, Dialogue(cast, tuple(quotations), tuple(attributions))


def exchanged(*written: str) -> dict[tuple[str, str], tuple[int, tuple[int, ...], str]]:
    text, chapters, dialogue = spoken(*written)
    found = conversations.exchanges(text, answers.quotes(BOOK, text, chapters, dialogue))
    return {each.between: (each.turns, each.chapters, each.first) for each in found}


@pytest.mark.parametrize(
    ("written", "turns"),
    [
        pytest.param("A: Go.\nB: Why?", 1, id="an answer"),
        pytest.param("A: Go.\nB: Why?\nA: Because.", 2, id="and an answer to it"),
        pytest.param("A: Go.\n+ A: Now.\nB: Why?", 1, id="two quotations are one turn"),
        pytest.param("A: Go.\nHe went.\nIt rained.\nB: Why?", 1, id="narration between"),
        pytest.param("A: Go.\nHe went.\nIt rained.\nIt cleared.\nB: Why?", 0, id="too late"),
        pytest.param("A: Go.\n?: What?\nB: Why?", 0, id="somebody unknown comes between"),
        pytest.param("A: Go.\nC: No.\nB: Why?", 0, id="somebody else comes between"),
        pytest.param("A: Go.\nA: Now.", 0, id="nobody answers herself"),
    ],
)
def test_who_answers_soon_speaks_with_whom_they_answer(written: str, turns: int) -> None:
    assert exchanged(written).get(("ann", "ben"), (0,))[0] == turns


def test_nobody_is_answered_in_another_chapter() -> None:
    assert exchanged("A: Go.", "B: Why?") == {}


def test_exchanges_say_in_which_chapters_and_where_first() -> None:
    found = exchanged("It rained.\nA: Go.\nB: Why?", "C: So.", "B: Come.\nA: No.\nB: Yes.")
    assert found == {("ann", "ben"): (3, (1, 3), "own-talk:1.3:1-5")}


def test_a_speech_of_many_paragraphs_is_answered_after_its_end() -> None:
    text = "“One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.”\n\n“Why?”"
    long = Quotation((Span(1, text.index("”")),))
    short = Quotation((Span(text.index("Why"), len(text) - 1),))
    span = Span(0, len(text))
    said = [Attribution(who, QuoteKind.IMPLICIT, None, 1.0) for who in (ANN, BEN)]
    dialogue = Dialogue((ANN, BEN), (long, short), tuple(said))
    chapters = [Chapter(1, "I", (), Kind.CHAPTER, span, span)]
    quotes = answers.quotes(BOOK, text, chapters, dialogue)
    (found,) = conversations.exchanges(text, quotes)
    assert (found.turns, found.partner("ann"), found.partner("ben")) == (1, "ben", "ann")


def made(*written: str) -> tuple[str, Company]:
    text, chapters, dialogue = spoken(*written)
    quotes = tuple(answers.quotes(BOOK, text, chapters, dialogue))
    return text, Company(
        Shelved(BOOK, 1, len(text), len(chapters), 1, ""), tuple(chapters),
        tuple(answers.portraits(BOOK, text, chapters, dialogue)), quotes,
        tuple(conversations.exchanges(text, quotes)),
    )  # fmt: skip


PAGES = (
    "A: Come here.\nB: Why, Ann?\nA: So.\nCleo saw Ann and Ben.",
    "Nobody came.",
    "Ann wept.\nB: Hush.\nDan Cody slept. Dan woke.",
)


def test_presences_count_names_and_words_by_chapter() -> None:
    _, found = made(*PAGES)
    ann, ben, cleo = found.portraits
    assert ann.presences == (
        Presence(1, 2, 2, "own-talk:1.1:1-11"), Presence(3, 1, 0, "own-talk:3.1:0-3"),
    )  # fmt: skip
    assert ben.presences == (
        Presence(1, 1, 1, "own-talk:1.2:1-10"), Presence(3, 0, 1, "own-talk:3.2:1-6"),
    )  # fmt: skip
    assert (found.over(ann), found.over(ann, spoken=True)) == ([2, 0, 1], [2, 0, 0])
    assert (cleo.mentions, cleo.quotations) == (1, 0)


def test_counts_by_chapter_add_up_to_those_in_all() -> None:
    for each in made(*PAGES)[1].portraits:
        assert sum(one.mentions for one in each.presences) == each.mentions
        assert sum(one.quotations for one in each.presences) == each.quotations


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("says", ["ann", "ben", "cleo"]),
        ("named", ["ann", "ben", "cleo"]),
        ("name", ["ann", "ben", "cleo"]),
        ("first", ["ann", "cleo", "ben"]),
    ],
)
def test_characters_come_in_an_order(order: str, names: list[str]) -> None:
    found = company.ordered(reversed(made(*PAGES)[1].portraits), order)
    assert [each.character.id for each in found] == names


def test_places_are_ordered_by_number_and_nowhere_comes_last() -> None:
    portraits = [
        answers.Portrait(BOOK, ANN, 1, 0, "own-talk:10.1:0-3"),
        answers.Portrait(BOOK, BEN, 1, 0, ""),
        answers.Portrait(BOOK, CLEO, 1, 0, "own-talk:9.12:0-3"),
    ]
    found = company.ordered(portraits, "first")
    assert [each.character.id for each in found] == ["cleo", "ann", "ben"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", ["ann", "ben", "cleo"]),
        ("MARSH", ["ann"]),
        ("otaki ben", ["ben"]),
        ("ann ben", []),
    ],
)
def test_a_filter_leaves_those_with_all_words_in_one_name(words: str, names: list[str]) -> None:
    found = company.narrowed(made(*PAGES)[1].portraits, words)
    assert [each.character.id for each in found] == names


def test_who_is_described_joins_the_company_with_their_own_counts() -> None:
    text, found = made(*PAGES)
    dan = Character("dan-cody", "Dan Cody", ("Dan Cody", "Dan"), Gender.MALE)
    married = Character("ann-hale", "Ann Hale", ("Ann Hale", "Ann"))
    joined = found.joined(text, [dan, married, dan])
    assert [each.character.id for each in joined.portraits] == ["ann", "ben", "cleo", "dan-cody"]
    assert joined.portraits[-1].presences == (Presence(3, 2, 0, "own-talk:3.3:0-8"),)
    assert found.joined(text, [married]) is found


def described(found: Company, who: Character) -> Said:
    passage = Cited(found.chapters[0], 1, Span(1, 6), "Come\x1b here.", "own-talk:1.1:1-6")
    return Said(BOOK, who, "deed", "the one who\ncalled", True, (passage,))


def test_what_is_told_goes_to_whom_it_means_under_another_name() -> None:
    _, found = made(*PAGES)
    one = described(found, Character("someone", "Ann Hale", ("Ann Hale", "Ann")))
    nobody = described(found, Character("zoe", "Zoe", ("Zoe",)))
    assert found.told([one, nobody]) == {"ann": [one]}


def test_characters_are_taken_along_as_data() -> None:
    _, found = made(*PAGES)
    told = {"ann": [described(found, ANN)]}
    ann, ben, _ = json.loads(json.dumps(company.as_records(found, found.portraits, told)))
    assert (ann["name"], ann["quotations"], ann["aliases"]) == (
        "Ann Marsh", 2, ["Ann Marsh", "Ann"],
    )  # fmt: skip
    assert ann["speaks_with"][0]["name"] == "Ben Ōtaki"
    assert [each["mentions"] for each in ann["chapters"]] == [2, 1]
    (said,) = ann["descriptions"]
    assert (said["automatic"], said["passages"][0]["quote"]) == (True, "Come here.")
    assert ben["descriptions"] == []
    assert company.as_records(found, found.portraits, None)[0]["descriptions"] is None


def test_characters_are_taken_along_as_a_table_and_their_descriptions() -> None:
    _, found = made(*PAGES)
    written = company.as_markdown(found, found.portraits, {"ann": [described(found, ANN)]})
    assert "# The characters of Ann Example, Talk \\| of \\[it\\]" in written
    assert "| Ann Marsh | female | 2 | 3 | `own-talk:1.2:6-9` | Ann | Ben Ōtaki (2) |" in written
    assert "- **the one who called** (deed, automatic)" in written
    assert "> Come here." in written
    assert "\x1b" not in written


# -- plots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "width", "shown"),
    [
        pytest.param([0, 1, 2, 4], 4, " ▂▄█", id="a cell each"),
        pytest.param([1, 1000], 2, "▁█", id="what is more than nothing is seen"),
        pytest.param([0, 4], 4, "  ██", id="two cells each"),
        pytest.param([2, 4], 9, "▄▄ ██", id="with gaps where there is room"),
        pytest.param([4, 4, 1, 1], 2, "█▂", id="chapters share a cell"),
        pytest.param([0, 0], 2, "  ", id="nowhere"),
        pytest.param([], 5, "", id="no chapters"),
        pytest.param([1, 2], 0, "", id="no room"),
    ],
)
def test_counts_are_blocks(counts: list[int], width: int, shown: str) -> None:
    assert plot.sparkline(counts, width) == shown


def test_a_higher_plot_stands_on_its_lowest_line() -> None:
    assert plot.chart([1, 2, 4], 3, 2) == ["  █", "▄██"]


@pytest.mark.parametrize("width", range(1, 90, 7))
def test_a_plot_and_its_axis_keep_to_their_width(width: int) -> None:
    numbers = range(1, 62)
    assert len(plot.sparkline(list(numbers), width)) <= width
    assert len(plot.axis(numbers, width)) <= width


def test_an_axis_has_round_numbers_under_their_bars() -> None:
    assert plot.axis(range(1, 13), 12) == "1   5    10"
    assert plot.axis(range(1, 4), 18) == "1     2     3"


@pytest.mark.parametrize(("count", "shown"), [(8, "████"), (4, "██  "), (1, "▌   "), (0, "    ")])
def test_a_bar_lies_in_its_width(count: int, shown: str) -> None:
    assert plot.bar(count, 8, 4) == shown
