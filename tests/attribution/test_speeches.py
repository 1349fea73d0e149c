"""One speech over several paragraphs, given as several quotations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution import sieve, speeches
from scholar_indexes.attribution import trained as model
from scholar_indexes.attribution.pipeline import DEFAULT_MODEL as SPEAKER_MODEL
from scholar_indexes.models import registry
from scholar_indexes.types import Character, Gender, Quotation, Span

JANE = Character("jane", "Jane", ("Jane",), Gender.FEMALE)
TOM = Character("tom", "Tom", ("Tom",), Gender.MALE)


def read(text: str) -> tuple[str, list[Quotation]]:
    """Return a text without its braces, and the quotations inside them."""
    spans = []
    for shift, match in enumerate(re.finditer(r"\{([^}]*)\}", text)):
        spans.append(Quotation((Span(match.start() - 2 * shift, match.end() - 2 * shift - 2),)))
    return re.sub("[{}]", "", text), spans


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param('"{Rain.}\n\n"{Snow.}"', 1, id="never closed"),
        pytest.param("‘{Rain.}\n\n‘{Snow.}’", 1, id="in single marks"),
        pytest.param('"{Rain.}\n\n_"{Snow._}"', 1, id="in italics"),
        pytest.param("\"{She said,} 'Rain,' {and went.}\"", 1, id="words quoted within"),
        pytest.param('"{So I said,}\n\n"\'Rain.\' {And went.}"', 1, id="both"),
        pytest.param('"{Rain.}"\n\n"{Snow.}"', 2, id="closed"),
        pytest.param('"{Rain,}" said Jane. "{Snow.}"', 2, id="narration"),
        pytest.param('"{Rain.}\n\nIt fell.\n\n"{Snow.}"', 2, id="a paragraph of narration"),
        pytest.param('"{Rain--}\n\n"{Snow.}"', 2, id="broken off"),
        pytest.param("—{Rain.}\n\n—{Snow.}", 2, id="dashes"),
        pytest.param("‘{Rain,}’ said Jane. ‘{Snow.}’", 2, id="narration between single marks"),
    ],
)
def test_speech_goes_on_until_it_is_closed(text: str, parts: int) -> None:
    assert len(speeches.group_by_speech(*read(text))) == parts


@pytest.mark.parametrize("method", ["sieve", "trained"])
def test_the_paragraphs_of_a_speech_have_one_speaker(method: str, tmp_path: Path) -> None:
    trained = model.load(registry.find(SPEAKER_MODEL, tmp_path))
    ask = trained if method == "trained" else sieve.attribute
    text, quotations = read(
        '"{Who slept?}" asked Tom.\n\n"{I slept.}\n\n"{I woke.}\n\n"{I rose,}" said Jane.'
    )
    assert [attribution.speaker for attribution in ask(text, quotations, (JANE, TOM))] == [
        TOM,
        JANE,
        JANE,
        JANE,
    ]


TEXTS = st.lists(st.sampled_from(['"', "'", "{Yes.}", "{No,}", "\n\n", " he said "]), max_size=12)


@given(TEXTS.map("".join))
def test_every_quotation_is_answered_by_its_speech(text: str) -> None:
    text, quotations = read(text)
    speeches_seen: list[Quotation] = []

    def answer(whole: list[Quotation]) -> list[int]:
        speeches_seen.extend(whole)
        return list(range(len(whole)))

    attributions = speeches.attribute_speeches(text, quotations, answer)
    assert len(attributions) == len(quotations)
    for number, quotation in zip(attributions, quotations, strict=True):
        assert speeches_seen[number].span.start <= quotation.span.start
        assert quotation.span.end <= speeches_seen[number].span.end
