"""The cast of a book: profiles, exchanges, sort orders, filters and serialized forms."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import networkx
import pytest
from lxml import etree

from scholar_indexes import results
from scholar_indexes.attribution.attributed_quotes import attributed_quotes
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.characters import book_cast, conversations, statistics
from scholar_indexes.characters.book_cast import BookCast
from scholar_indexes.characters.network import Tie, find_company, main_network
from scholar_indexes.characters.profiles import appearances, character_profiles
from scholar_indexes.results import ChapterPresence, CitedPassage, DescriptionResult
from scholar_indexes.serialize import character_sheet, network_picture
from scholar_indexes.serialize import characters as character_records
from scholar_indexes.serialize import conversations as serialize
from scholar_indexes.serialize.people import profile_record
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    ChapterKind,
    Character,
    Gender,
    Quotation,
    QuotationForm,
    QuoteKind,
    Span,
)

BOOK = Book("own-talk", "Talk | of [it]", "Ann Example", "en", "", "0")
ANN = Character("ann", "Ann Marsh", ("Ann Marsh", "Ann"), Gender.FEMALE)
BEN = Character("ben", "Ben Ōtaki", ("Ben Ōtaki", "Ben"), Gender.MALE)
CLEO = Character("cleo", "Cleo", ("Cleo",))
CAST = {"A": ANN, "B": BEN, "C": CLEO, "?": None}


def dialogue_of(*written: str) -> tuple[str, list[Chapter], Dialogue]:
    """Return a text, its chapters and its dialogue: in a paragraph "A: words" A speaks, others are
    narration, and one that begins with "+" continues the previous paragraph."""
    text, chapters, quotations, attributions = "", [], [], []
    for number, chapter in enumerate(written, 1):
        start = len(text)
        for line in chapter.strip().split("\n"):
            joined = line.startswith("+")
            if text:
                text = text.removesuffix("\n\n") + " " if joined and len(text) > start else text
            speaker, colon, words = line.lstrip("+").strip().partition(": ")
            if colon:
                quotations.append(Quotation((Span(len(text) + 1, len(text) + 1 + len(words)),)))
                attributions.append(Attribution(CAST[speaker], QuoteKind.IMPLICIT, None, 0.9))
                text += f"“{words}”\n\n"
            else:
                text += f"{line.lstrip('+').strip()}\n\n"
        span = Span(start, len(text))
        chapters.append(Chapter(number, f"Chapter {number}", (), ChapterKind.CHAPTER, span, span))
    cast = tuple(character for character in CAST.values() if character)
    return text, chapters, Dialogue(cast, tuple(quotations), tuple(attributions))


def open_book(text: str, chapters: list[Chapter]) -> OpenBook:
    """Return a book with this text."""
    stored = StoredBook(BOOK, 1, len(text), len(chapters), 1, "")
    return OpenBook.from_text(stored, text, chapters)


def exchange_turns(*written: str) -> dict[tuple[str, str], tuple[int, tuple[int, ...], str]]:
    text, chapters, dialogue = dialogue_of(*written)
    exchanges = conversations.find_exchanges(
        text, attributed_quotes(open_book(text, chapters), dialogue)
    )
    return {
        exchange.between: (exchange.turns, exchange.chapters, exchange.first)
        for exchange in exchanges
    }


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
def test_a_soon_answer_is_an_exchange(written: str, turns: int) -> None:
    assert exchange_turns(written).get(("ann", "ben"), (0,))[0] == turns


def test_an_answer_in_another_chapter_is_no_exchange() -> None:
    assert exchange_turns("A: Go.", "B: Why?") == {}


def test_exchanges_have_chapters_and_the_first_locator() -> None:
    turns = exchange_turns("It rained.\nA: Go.\nB: Why?", "C: So.", "B: Come.\nA: No.\nB: Yes.")
    assert turns == {("ann", "ben"): (3, (1, 3), "own-talk:1.3:1-5")}


def test_a_speech_of_many_paragraphs_is_answered_after_its_end() -> None:
    text = "“One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.”\n\n“Why?”"
    long = Quotation((Span(1, text.index("”")),))
    short = Quotation((Span(text.index("Why"), len(text) - 1),))
    span = Span(0, len(text))
    attributions = [Attribution(speaker, QuoteKind.IMPLICIT, None, 1.0) for speaker in (ANN, BEN)]
    dialogue = Dialogue((ANN, BEN), (long, short), tuple(attributions))
    chapters = [Chapter(1, "I", (), ChapterKind.CHAPTER, span, span)]
    quotes = attributed_quotes(open_book(text, chapters), dialogue)
    (exchange,) = conversations.find_exchanges(text, quotes)
    assert (exchange.turns, exchange.partner("ann"), exchange.partner("ben")) == (1, "ben", "ann")


def build_cast(*written: str) -> tuple[OpenBook, BookCast]:
    text, chapters, dialogue = dialogue_of(*written)
    quotes = tuple(attributed_quotes(open_book(text, chapters), dialogue))
    book = open_book(text, chapters)
    return book, BookCast(
        book.stored,
        tuple(chapters),
        tuple(character_profiles(book, dialogue)),
        quotes,
        tuple(conversations.find_exchanges(text, quotes)),
    )


PAGES = (
    "A: Come here.\nB: Why, Ann?\nA: So.\nCleo saw Ann and Ben.",
    "Nobody came.",
    "Ann wept.\nB: Hush.\nDan Cody slept. Dan woke.",
)


def test_company_is_counted_by_paragraphs_in_which_both_are_named_or_speak() -> None:
    book, _ = build_cast(*PAGES)
    present = appearances(book, dialogue_of(*PAGES)[2])
    assert {tie.between: tie.weight for tie in find_company(present)} == {
        ("ann", "ben"): 2,
        ("ann", "cleo"): 1,
        ("ben", "cleo"): 1,
    }


TIES = [Tie(("ann", "ben"), 9), Tie(("ann", "cleo"), 5), Tie(("cleo", "dan"), 1)]


@pytest.mark.parametrize(
    ("most", "also", "characters", "weights"),
    [
        pytest.param(2, None, ("ann", "ben"), [9], id="the strongest"),
        pytest.param(9, None, ("ann", "ben", "cleo", "dan"), [9, 5, 1], id="all"),
        pytest.param(3, "dan", ("ann", "ben", "dan"), [9], id="and one who is wanted"),
        pytest.param(2, "eve", ("ann", "ben"), [9], id="but nobody without ties"),
    ],
)
def test_a_network_has_the_characters_with_the_strongest_ties(
    most: int, also: str | None, characters: tuple[str, ...], weights: list[int]
) -> None:
    network = main_network(TIES, most, also)
    assert network.characters == characters
    assert [tie.weight for tie in network.ties] == weights


def test_presences_count_names_and_words_by_chapter() -> None:
    _, cast = build_cast(*PAGES)
    ann, ben, cleo = cast.profiles
    assert ann.presences == (
        ChapterPresence(1, 2, 2, "own-talk:1.1:1-11"),
        ChapterPresence(3, 1, 0, "own-talk:3.1:0-3"),
    )
    assert ben.presences == (
        ChapterPresence(1, 1, 1, "own-talk:1.2:1-10"),
        ChapterPresence(3, 0, 1, "own-talk:3.2:1-6"),
    )
    assert (cast.counts_by_chapter(ann), cast.counts_by_chapter(ann, spoken=True)) == (
        [2, 0, 1],
        [2, 0, 0],
    )
    assert (cleo.mentions, cleo.quotations) == (1, 0)


def test_counts_by_chapter_add_up_to_the_totals() -> None:
    for profile in build_cast(*PAGES)[1].profiles:
        assert sum(presence.mentions for presence in profile.presences) == profile.mentions
        assert sum(presence.quotations for presence in profile.presences) == profile.quotations


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("says", ["ann", "ben", "cleo"]),
        ("named", ["ann", "ben", "cleo"]),
        ("name", ["ann", "ben", "cleo"]),
        ("first", ["ann", "cleo", "ben"]),
    ],
)
def test_profiles_are_sorted(order: str, names: list[str]) -> None:
    ordered = book_cast.sort_profiles(reversed(build_cast(*PAGES)[1].profiles), order)
    assert [profile.character.id for profile in ordered] == names


def test_first_mentions_are_sorted_by_number_and_unmentioned_come_last() -> None:
    portraits = [
        results.CharacterProfile(BOOK, ANN, 1, 0, "own-talk:10.1:0-3"),
        results.CharacterProfile(BOOK, BEN, 1, 0, ""),
        results.CharacterProfile(BOOK, CLEO, 1, 0, "own-talk:9.12:0-3"),
    ]
    ordered = book_cast.sort_profiles(portraits, "first")
    assert [profile.character.id for profile in ordered] == ["cleo", "ann", "ben"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", ["ann", "ben", "cleo"]),
        ("MARSH", ["ann"]),
        ("otaki ben", ["ben"]),
        ("ann ben", []),
    ],
)
def test_filter_keeps_characters_with_all_words_in_one_name(words: str, names: list[str]) -> None:
    matching = book_cast.filter_profiles(build_cast(*PAGES)[1].profiles, words)
    assert [profile.character.id for profile in matching] == names


def test_a_title_that_is_written_out_is_not_the_beginning_of_another() -> None:
    _, cast = build_cast(*PAGES)
    couple = [
        replace(cast.profiles[0], character=Character(id, name, (name,)))
        for id, name in (("mr", "Mr. Bennet"), ("mrs", "Mrs. Bennet"), ("eliza", "Eliza Bennet"))
    ]
    for query, ids in (
        ("mr ben", ["mr"]),
        ("mr", ["mr", "mrs"]),
        ("eli ben", ["eliza"]),
        ("ben mr", ["mr", "mrs"]),
    ):
        passing = book_cast.filter_profiles(couple, query)
        assert [profile.character.id for profile in passing] == ids, query


def test_missing_characters_are_added_with_their_counts() -> None:
    book, cast = build_cast(*PAGES)
    dan = Character("dan-cody", "Dan Cody", ("Dan Cody", "Dan"), Gender.MALE)
    married = Character("ann-hale", "Ann Hale", ("Ann Hale", "Ann"))
    joined = cast.with_characters(book, [dan, married, dan])
    assert [profile.character.id for profile in joined.profiles] == [
        "ann",
        "ben",
        "cleo",
        "dan-cody",
    ]
    assert joined.profiles[-1].presences == (ChapterPresence(3, 2, 0, "own-talk:3.3:0-8"),)
    assert cast.with_characters(book, [married]) is cast


def description_of(cast: BookCast, character: Character) -> DescriptionResult:
    passage = CitedPassage(cast.chapters[0], 1, Span(1, 6), "Come\x1b here.", "own-talk:1.1:1-6")
    return DescriptionResult(BOOK, character, "deed", "the one who\ncalled", True, (passage,))


def test_descriptions_are_grouped_by_profile_under_other_names_too() -> None:
    _, cast = build_cast(*PAGES)
    description = description_of(cast, Character("someone", "Ann Hale", ("Ann Hale", "Ann")))
    nobody = description_of(cast, Character("zoe", "Zoe", ("Zoe",)))
    assert cast.group_descriptions([description, nobody]) == {"ann": [description]}


def test_cast_is_serialized_as_records() -> None:
    _, cast = build_cast(*PAGES)
    descriptions = {"ann": [description_of(cast, ANN)]}
    ann, ben, _ = json.loads(
        json.dumps(character_records.as_records(cast, cast.profiles, descriptions))
    )
    assert (ann["name"], ann["quotations"], ann["aliases"]) == (
        "Ann Marsh",
        2,
        ["Ann Marsh", "Ann"],
    )
    assert ann["speaks_with"][0]["name"] == "Ben Ōtaki"
    assert [chapter["mentions"] for chapter in ann["chapters"]] == [2, 1]
    (description,) = ann["descriptions"]
    assert (description["automatic"], description["passages"][0]["quote"]) == (True, "Come� here.")
    assert ben["descriptions"] == []
    assert character_records.as_records(cast, cast.profiles, None)[0]["descriptions"] is None


@pytest.mark.parametrize(("told", "chapters"), [((), [1, 2, 3]), ((1,), [2]), ((0, 1), [1, 2])])
def test_a_record_lists_the_chapters_of_a_narrator(
    told: tuple[int, ...], chapters: list[int]
) -> None:
    text, sections, dialogue = dialogue_of(*PAGES)
    stretches = tuple(sections[index].body for index in told)
    narrator = replace(ANN, narrator=True, narrates=stretches)
    cast = tuple(narrator if one == ANN else one for one in dialogue.cast)
    attributions = tuple(
        replace(one, speaker=narrator) if one.speaker == ANN else one
        for one in dialogue.attributions
    )
    profiles = character_profiles(
        open_book(text, sections), Dialogue(cast, dialogue.quotations, attributions)
    )
    records = {record["name"]: record for record in map(profile_record, profiles)}
    assert records["Ann Marsh"]["narrates"] == chapters
    assert records["Cleo"]["narrates"] == []


def test_cast_is_serialized_as_a_table_with_descriptions() -> None:
    _, cast = build_cast(*PAGES)
    written = character_records.as_markdown(
        cast, cast.profiles, {"ann": [description_of(cast, ANN)]}
    )
    assert "# The characters of Ann Example, Talk \\| of \\[it\\]" in written
    assert "| Ann Marsh | female | 2 | 3 | `own-talk:1.2:6-9` | Ann | Ben Ōtaki (2) |" in written
    assert "- **the one who called** (deed, automatic)" in written
    assert "> Come� here." in written
    assert "\x1b" not in written


def test_a_sheet_of_characters_escapes_what_the_book_says() -> None:
    _, cast = build_cast(*PAGES)
    hostile = replace(description_of(cast, ANN), text="<script>x</script> *y*\x1b[31m")
    sheet = character_sheet.make_sheet(cast, {"ann": [hostile]}, 5)
    page = character_sheet.sheet_to_html(sheet)
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert "<script" not in page
    written = character_sheet.sheet_to_markdown(sheet)
    assert "\\<script\\>" in written
    assert "\x1b" not in page + written


def test_a_sheet_has_the_italics_of_the_passages() -> None:
    _, cast = build_cast(*PAGES)
    described = description_of(cast, ANN)
    passage = replace(described.passages[0], text="Come _here_.")
    sheet = character_sheet.make_sheet(cast, {"ann": [replace(described, passages=(passage,))]}, 5)
    assert "Come <em>here</em>." in character_sheet.sheet_to_html(sheet)
    assert "> Come *here*." in character_sheet.sheet_to_markdown(sheet)


def test_a_sheet_prefers_written_descriptions_and_main_characters() -> None:
    _, cast = build_cast(*PAGES)
    automatic = description_of(cast, ANN)
    written = replace(automatic, automatic=False, kind="description", text="the one who wrote")
    sheet = character_sheet.make_sheet(cast, {"ann": [automatic, written]}, 5)
    assert sheet.profiles[0].character == ANN
    assert sheet.described(sheet.profiles[0]) == [written]
    assert not sheet.has_automatic
    assert [profile.character for profile in character_sheet.make_sheet(cast, {}, 1).profiles] == [
        ANN
    ]


def test_a_book_in_which_nobody_speaks_has_no_counts_and_an_empty_graph() -> None:
    _, cast = build_cast("It rained.")
    assert statistics.count_speech(cast.quotes) == []
    graph = networkx.read_graphml(io.BytesIO(serialize.to_graphml(cast)))
    assert (len(graph.nodes), len(graph.edges)) == (0, 0)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("— ! …", 0, id="marks"),
        pytest.param("Good-bye, Mr. O’Hara; it's 12 o'clock.", 6, id="hyphens and apostrophes"),
        pytest.param("_And_ that—no!", 3, id="emphasis and a dash"),
        pytest.param("Où est-il? 你好", 3, id="other alphabets"),
    ],
)
def test_words_are_counted_as_a_reader_counts_them(text: str, count: int) -> None:
    assert statistics.count_words(text) == count


def test_speech_is_counted_by_speaker_and_chapter() -> None:
    _, cast = build_cast("A: Go on.\nB: Why?\n?: Hush now, all of you.", "B: So.\nB: Well, I will.")
    assert [
        (count.speaker and count.speaker.name, count.chapter.number, count.quotations, count.words)
        for count in statistics.count_speech(cast.quotes)
    ] == [("Ben Ōtaki", 1, 1, 1), ("Ben Ōtaki", 2, 2, 4), ("Ann Marsh", 1, 1, 2), (None, 1, 1, 5)]


def test_a_graph_has_speakers_as_nodes_and_their_turns_as_weights() -> None:
    _, cast = build_cast("A: Go.\nB: Why <&>?\nA: Because.", "A: Come.\nB: No.\n?: Hush.")
    graph = networkx.read_graphml(io.BytesIO(serialize.to_graphml(cast)))
    assert not graph.is_directed()
    assert dict(graph.nodes(data=True)) == {
        "ann": {"name": "Ann Marsh", "gender": "female", "quotations": 3, "words": 3},
        "ben": {"name": "Ben Ōtaki", "gender": "male", "quotations": 2, "words": 2},
    }
    assert [edge for *pair, edge in graph.edges(data=True) if set(pair) == {"ann", "ben"}] == [
        {"weight": 3, "chapters": "1 2", "first": "own-talk:1.2:1-9"}
    ]


def test_a_graph_of_hostile_names_is_still_xml() -> None:
    _, cast = build_cast("A: Go.")
    (ann, *others) = cast.profiles
    hostile = replace(ann.character, name="]]>\x00<b>\ufffe\x1b[2J&amp;")
    profiles = (replace(ann, character=hostile), *others)
    document = serialize.to_graphml(replace(cast, profiles=profiles))
    names = [data["name"] for _, data in networkx.read_graphml(io.BytesIO(document)).nodes.data()]
    assert names == ["]]><b>[2J&amp;"]


def test_a_picture_has_the_speakers_and_a_line_for_each_pair_even_with_hostile_names() -> None:
    _, cast = build_cast("A: Go.\nB: Why?\nA: Because.")
    (ann, *others) = cast.profiles
    hostile = replace(ann.character, name="]]>\x00<b>&amp;")
    profiles = (replace(ann, character=hostile), *others)
    root = etree.fromstring(network_picture.conversations_to_svg(replace(cast, profiles=profiles)))
    labels = [text.text for text in root.iter("{*}text")]
    assert sorted(labels) == ["Ben Ōtaki", "]]><b>&amp;"]
    assert [line.findtext("{*}title") for line in root.iter("{*}line")] == [
        "]]><b>&amp; and Ben Ōtaki: 2"
    ]
    _, silent = build_cast("It rained.")
    assert (
        list(etree.fromstring(network_picture.conversations_to_svg(silent)).iter("{*}circle")) == []
    )


def test_a_graph_and_a_picture_of_company_have_its_paragraphs_as_weights() -> None:
    _, cast = build_cast("A: Go.\nB: Why?")
    cast = replace(cast, company=(Tie(("ann", "ben"), 4),))
    graph = networkx.read_graphml(io.BytesIO(serialize.company_to_graphml(cast)))
    assert list(graph.edges.data("weight")) == [("ann", "ben", 4)]
    root = etree.fromstring(network_picture.company_to_svg(cast))
    assert root.findtext("{*}title", "").startswith("Who is together in ")
    assert [line.findtext("{*}title") for line in root.iter("{*}line")] == [
        "Ann Marsh and Ben Ōtaki: 4"
    ]


def test_thoughts_and_letters_are_neither_counted_nor_turns() -> None:
    text, chapters, dialogue = dialogue_of("A: one two\nB: three\nA: four\nB: five\n?: six")
    forms = (
        QuotationForm.SPEECH,
        QuotationForm.THOUGHT,
        QuotationForm.SPEECH,
        QuotationForm.SPEECH,
        QuotationForm.LETTER,
    )
    attributions = tuple(
        replace(attribution, form=form)
        for attribution, form in zip(dialogue.attributions, forms, strict=True)
    )
    dialogue = replace(dialogue, attributions=attributions)
    quotes = list(attributed_quotes(open_book(text, chapters), dialogue))
    counts = [
        (count.speaker and count.speaker.id, count.quotations, count.words)
        for count in statistics.count_speech(quotes)
    ]
    assert counts == [("ann", 2, 3), ("ben", 1, 1)]
    (exchange,) = conversations.find_exchanges(text, quotes)
    assert (exchange.between, exchange.turns) == (("ann", "ben"), 1)
