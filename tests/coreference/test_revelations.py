"""Names that the text says are one person's."""

from __future__ import annotations

import pytest

from cast_texts import detect_aliases

FIRST = "“No,” said Mr. Campbell. Mr. Campbell rose, and he smiled. “So,” said Campbell. "
SECOND = (
    "“Ah,” said Magwitch. Magwitch knew that he was ill. “Yes,” said Magwitch, and he wept. " * 3
)


@pytest.mark.parametrize(
    "revelation",
    [
        pytest.param(
            "“I took the name of Campbell on board ship.” “And what is your real name?” I asked "
            "him. “Magwitch,” he answered.",
            id="an assumed name and the real one",
        ),
        pytest.param("It was Mr. Campbell, alias Magwitch.", id="an alias"),
        pytest.param("It was Mr. Campbell, whose real name was Magwitch.", id="a real name"),
    ],
)
def test_names_that_are_said_to_be_one_persons_are_joined(revelation: str) -> None:
    casts = detect_aliases(FIRST + SECOND + revelation)
    assert any({"Mr. Campbell", "Magwitch"} <= names for names in casts)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("“I took the name of Campbell.” He left. Magwitch left.", id="only assumed"),
        pytest.param("“It is my real name,” said Magwitch.", id="only real"),
        pytest.param("It was Mr. Campbell, or else Magwitch.", id="a choice"),
    ],
)
def test_other_names_stay_two(text: str) -> None:
    assert len(detect_aliases(FIRST + SECOND + text)) == 2


def test_a_woman_and_a_man_are_never_one() -> None:
    woman = FIRST.replace("Mr.", "Miss").replace(" he ", " she ")
    text = woman + SECOND + "It was Miss Campbell, alias Magwitch."
    assert len(detect_aliases(text)) == 2
