"""A book as the speaker model reads it: who is who, who is asked for, and what is told."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.speakers import decode, mentions
from scholar_indexes.speakers.script import LONGEST, SLOTS, STEPS, Script, Vocabulary, Window
from scholar_indexes.types import Character, Gender, Quotation, Span

WORDS: dict[str, int] = {}
FLAT = np.zeros(STEPS, np.float32)
VOCABULARY = Vocabulary(first=0, last=1, words=5_000)

ANN = Character("ann", "Ann", ("Ann",), Gender.FEMALE)
BEN = Character("ben", "Ben", ("Ben",), Gender.MALE)


def tokenize(texts: Sequence[str]) -> list[list[int]]:
    """One token for each word, numbered as they come."""
    return [[WORDS.setdefault(word, len(WORDS) + 2) for word in text.split()] for text in texts]


def quoted(text: str) -> list[Quotation]:
    return [Quotation((Span(*each.span(1)),)) for each in re.finditer('"([^"]+)"', text)]


def script(text: str, cast: Sequence[Character] = (ANN, BEN)) -> Script:
    named = mentions.find(text, cast)
    return Script(text, quoted(text), cast, named, tokenize, VOCABULARY)


def whole(made: Script, known: dict[int, int] | None = None) -> Window:
    return made.window(0, len(made.lengths), known or {})


def read(window: Window) -> str:
    """The window in words: Q asks, S0 is said by the first character, C0f names her."""
    v, names = VOCABULARY, {number: word for word, number in WORDS.items()}
    out = []
    for token in window.ids.tolist():
        if token < v.words:
            out.append({v.first: "[", v.last: "|"}.get(token) or names[token])
        elif token < v.names:
            out.append({v.asked: "Q", v.close: "/Q", v.paragraph: "P", v.cut: "..."}[token])
        elif token < v.said:
            slot, gender = divmod(token - v.names, 3)
            out.append(f"C{slot}{'fmu'[gender]}")
        else:
            out.append(f"S{token - v.said}")
    return " ".join(out)


def test_names_become_numbers_and_quotations_ask() -> None:
    made = script('"Go on," said Ann to Ben.\n\n"No."')
    assert read(whole(made)) == "[ C0f C1m | | Q Go on, /Q said C0f to C1m . P Q No. /Q P |"


def test_a_speaker_who_is_known_is_told_and_not_asked_for() -> None:
    window = whole(script('"Go on," said Ann.\n\n"No," said Ben.'), {0: 0})
    assert "S0 Go on, /Q" in read(window)
    assert window.quoted.tolist() == [1]


def test_the_narrators_i_is_a_name_outside_quotations_alone() -> None:
    teller = Character("narrator", "the narrator", ("the narrator",), narrator=True)
    window = whole(script('"I see," I said to Ann.', (teller, ANN)))
    assert "Q I see, /Q C0u said to C1f" in read(window)


def test_long_speeches_and_narration_are_shortened() -> None:
    long = " ".join(f"w{number}" for number in range(200))
    made = script(f'"{long}" said Ann.\n\n{long}')
    assert "..." in read(whole(made))
    assert made.lengths.sum() < 160


def test_a_window_lists_those_who_were_named_before_it() -> None:
    silence = "\n\n".join(["It rained and rained."] * 40)
    made = script(f'"Go," said Ann to Ben.\n\n{silence}\n\n"Why?"')
    last = made.window(len(made.lengths) - 1, len(made.lengths), {})
    assert [last.characters[slot] for slot in last.slots.tolist()] == [0, 1, 1, 0]


def test_more_characters_than_there_are_numbers_for_are_no_trouble() -> None:
    several = ["Alma", "Bert", "Cora", "Dora"]
    cast = [
        Character(f"{n}", f"{name} Q{n}x", (f"{name} Q{n}x",))
        for n in range(SLOTS)
        for name in several
    ]
    text = '"Go," said ' + " and ".join(each.name for each in cast) + "."
    window = whole(script(text, cast))
    assert len(window.characters) == SLOTS
    assert window.slots.max() < SLOTS


@pytest.mark.parametrize("text", ["", "\n\n", "No one speaks here.", '"Who?"'])
def test_books_without_names_or_speech_have_windows_or_none(text: str) -> None:
    made = script(text, ())
    for first, end in made.cut(100):
        assert not made.window(first, end, {}).characters


SPEECH = st.lists(
    st.sampled_from(['"Go,"', "said Ann.", "Ben wept.", "\n\n", "\n", '"', "I", "It rained."]),
    max_size=60,
).map(" ".join)


@given(SPEECH, st.integers(20, 120))
@settings(max_examples=60, deadline=None)
def test_windows_ask_for_every_quotation_and_keep_their_size(text: str, most: int) -> None:
    made = script(text)
    asked: set[int] = set()
    for first, end in made.cut(most, stride=most // 2):
        window = made.window(first, end, {})
        longest = int(made.lengths[first:end].max())
        assert len(window.ids) <= max(most, longest) + decode.MARKS
        assert longest <= LONGEST
        asked |= set(window.quoted.tolist())
    assert asked == set(range(len(quoted(text))))


def certain(ids: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A model that answers with the name right behind a quotation, and with a speaker that
    was told for a quotation behind that one."""
    v = VOCABULARY
    asks = np.zeros((*ids.shape, 2 * SLOTS), np.float32)
    offers = np.zeros_like(asks)
    for row, line in enumerate(ids.tolist()):
        told = None
        for at, token in enumerate(line):
            if v.names <= token < v.said:
                offers[row, at, (token - v.names) // 3] = 1
            if token >= v.said:
                told = token - v.said
            if token == v.asked:
                close = line.index(v.close, at)
                after = [each for each in line[close + 1 : close + 4] if v.names <= each < v.said]
                if after:
                    asks[row, at, (after[0] - v.names) // 3] = 20
                elif told is not None:
                    asks[row, at, told] = 20
    return asks, offers


def test_what_is_sure_is_told_for_what_is_not() -> None:
    made = script('"Go on," said Ann.\n\n"No."\n\n"Yes," cried Ben.')
    first = decode.speakers(made, 3, certain, FLAT, certain=())
    assert first[1].max() < 0.6
    told = decode.speakers(made, 3, certain, FLAT)
    assert told.argmax(1).tolist() == [0, 0, 1]
    assert told[1, 0] > 0.9


def test_a_book_without_characters_has_no_speakers() -> None:
    assert decode.speakers(script('"Go on."', ()), 1, certain, FLAT).shape == (1, 0)


def test_chances_of_a_quotation_add_up_to_one() -> None:
    made = script('"Go on," said Ann.\n\n"No."')
    assert decode.speakers(made, 2, certain, FLAT).sum(1) == pytest.approx([1, 1], abs=1e-5)
