"""Novels without annotation: removing the words that name the speaker."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdnc_novels
from command_line import CommandResult
from scholar_cli.laboratory.pdnc import pdnc_data, uncued
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.attribution.cues.cue_detection import find_cues
from scholar_indexes.coreference import mentions
from scholar_indexes.types import Character, Gender, Quotation, Span, silent

ANN = Character("ann", "Ann", ("Ann",), Gender.FEMALE)
BEN = Character("ben", "Ben", ("Ben", "Mr. Hale"), Gender.MALE)
TEAL = Character("teal", "Teal", ("Teal",))
CAST = (ANN, BEN, TEAL)
FRONT = "*** START OF THE PROJECT GUTENBERG EBOOK A TALE ***\n\n"


def without(text: str, share: float = 1.0, seed: int = 0) -> AnnotatedNovel:
    quotations = [Quotation((Span(*match.span(1)),)) for match in re.finditer('"([^"]+)"', text)]
    cues = find_cues(text, quotations, CAST, mentions.find_mentions(text, CAST))
    draw = np.random.default_rng(seed)
    return uncued.remove_cues("Tale", text, quotations, CAST, cues, share, draw)


@pytest.mark.parametrize(
    ("text", "left", "speaker"),
    [
        pytest.param('"Go," said Ann.', ('"Go,"', '"Go," said she.'), 0, id="whole or by name"),
        pytest.param(
            f'"Go," said Mr. Hale, {"and looked at the sea " * 4}again.',
            (f'"Go," said he, {"and looked at the sea " * 4}again.',),
            1,
            id="more is told",
        ),
        pytest.param('"Go," said he.', ('"Go," said he.',), -1, id="nobody is named"),
        pytest.param(
            f'"Go," said Teal, {"and looked at the sea " * 4}again.',
            (f'"Go," said Teal, {"and looked at the sea " * 4}again.',),
            -1,
            id="no pronoun fits",
        ),
    ],
)
def test_a_cue_gives_way_and_its_speaker_is_the_answer(
    text: str, left: tuple[str, ...], speaker: int
) -> None:
    for seed in range(12):
        novel = without(text, seed=seed)
        assert novel.text.strip() in left
        assert novel.speakers == (speaker,)
    assert {without(text, seed=seed).text.strip() for seed in range(30)} == set(left)


def test_a_quotation_in_two_pieces_stays_together() -> None:
    text = '"It was rain," said Ann, "and the sea."'
    quotation = Quotation((Span(1, 13), Span(26, 38)))
    cues = find_cues(text, [quotation], CAST, mentions.find_mentions(text, CAST))
    novel = uncued.remove_cues("Tale", text, [quotation], CAST, cues, 1.0, np.random.default_rng(0))
    (moved,) = novel.quotations
    assert [piece.of(novel.text) for piece in moved.pieces] == ["It was rain,", "and the sea."]
    assert "Ann" not in novel.text


def test_only_a_share_of_the_cues_goes() -> None:
    novel = without('"Go," said Ann.\n\n"No," said Ben.\n\n' * 200, share=0.35)
    gone = sum(who >= 0 for who in novel.speakers)
    assert 100 < gone < 180
    assert all(
        name not in novel.text[quotation.pieces[0].end : quotation.pieces[0].end + 12]
        for quotation, who in zip(novel.quotations, novel.speakers, strict=True)
        if who >= 0
        for name in ("Ann", "Ben")
    )


TALK = st.lists(
    st.sampled_from(
        ['"Go, Ann,"', "said Ann.", "cried Mr. Hale,", "Ben wept.", "\n\n", '"', '"No."', "(he)"]
    ),
    max_size=50,
).map(" ".join)


@given(TALK, st.integers(0, 99))
def test_removing_cues_never_changes_a_quotation(text: str, seed: int) -> None:
    quotations = [Quotation((Span(*match.span(1)),)) for match in re.finditer('"([^"]+)"', text)]
    novel = without(text, seed=seed)
    assert [quotation.of(novel.text) for quotation in novel.quotations] == [
        quotation.of(text) for quotation in quotations
    ]


def write_texts(folder: Path, texts: dict[str, str]) -> Path:
    (folder / "primary").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "primary" / f"{name}.txt").write_text(FRONT + text, "utf-8")
    return folder


def a_novel(seed: int) -> str:
    draw = random.Random(seed)
    speeches = []
    for _ in range(uncued.FEWEST_QUOTATIONS + 20):
        words = " ".join(draw.choices(pdnc_novels.WORDS, k=12))
        speeches.append(f'"{words.capitalize()}," said {draw.choice(("Ann", "Ben", "Cora"))}.')
    return "\n\n".join(speeches)


def test_novels_are_read_and_others_left_out(tmp_path: Path) -> None:
    known = a_novel(7)
    quotations = tuple(
        ((quotation,), "Ann Marsh", "Explicit") for quotation in re.findall('"([^"]+)"', known)
    )
    pdnc_novels.write(tmp_path / "pdnc" / "One", known, quotations)
    annotated = pdnc_data.read(tmp_path / "pdnc")
    same = known.replace("\n\n", "\n\n\n").replace(",", " ,") + "\n\n" + a_novel(3)
    texts = write_texts(
        tmp_path / "texts",
        {"1": a_novel(1), "2": "It rained. " * 900, "3": same, "4": "", "5": a_novel(5)},
    )
    novels = uncued.read(texts, annotated, silent)
    assert [novel.name for novel in novels] == ["1", "5"]
    assert all(who < len(novel.cast) for novel in novels for who in novel.speakers)
    assert sum(who >= 0 for who in novels[0].speakers) > 20


def test_reading_again_gives_the_same(tmp_path: Path) -> None:
    texts = write_texts(tmp_path, {"1": a_novel(1)})
    assert uncued.read(texts, (), silent) == uncued.read(texts, (), silent)


def test_a_folder_without_texts_says_so(tmp_path: Path, lab: Callable[..., CommandResult]) -> None:
    pytest.importorskip("torch", reason="training needs the extra [lab]")
    novels = pdnc_novels.talk(tmp_path / "pdnc" / "One", 1).parent
    out = tmp_path / "out"
    result = lab(
        "train", "speakers", "--data", str(novels), "--out", str(out), "--texts", str(tmp_path)
    )
    assert result.exit_code == 4
    assert "primary" in result.stderr
    assert not out.exists()
