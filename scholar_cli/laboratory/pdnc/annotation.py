"""Manual annotation of a novel: its form, in PDNC's tables, and the agreement of two annotators.

Michel et al. (section 3) annotate a novel that no model can have read: one annotator all of it, a
second one five chapters. Here the quotations and characters that scholar detects are written as
PDNC's tables; the annotator fills in the speakers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_cli.laboratory.pdnc.pdnc_data import FILES, INDEX, NARRATOR, NOBODY, AnnotatedNovel
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.serialize.rows import to_csv
from scholar_indexes.storage import atomic
from scholar_indexes.types import Character, Gender

if TYPE_CHECKING:
    from scholar_indexes.results import AttributedQuote
    from scholar_indexes.types import Book

QUOTATION_COLUMNS = (
    "quoteID",
    "chapter",
    "quoteText",
    "quoteByteSpans",
    "speaker",
    "addressees",
    "quoteType",
    "referringExpression",
)
CHARACTER_COLUMNS = ("Character ID", "Main Name", "Aliases", "Gender", "Category")
"""The columns of PDNC's two tables."""

_GENDERS = {Gender.FEMALE: "F", Gender.MALE: "M"}


def write_form(
    folder: Path,
    book: Book,
    text: str,
    cast: Sequence[Character],
    quotes: Sequence[AttributedQuote],
    *,
    with_answers: bool = False,
) -> int:
    """Write the tables of a novel for an annotator to complete; return the number of quotations.

    A quotation has the type that its cue indicates, and a speaker only if with_answers. Raises
    NoMatch if nobody speaks, UsageError for a folder that is not empty, so that no annotation is
    overwritten, and ScholarError if it cannot be written.
    """
    spoken = [quote for quote in quotes if quote.attribution.form.has_speaker]
    if not spoken:
        raise NoMatch(f"nobody speaks in {book.title}; choose another book")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists; give a new or empty folder")
    work = {"folder": folder.resolve().name, "title": book.title, "author": book.author}
    tables = {
        FILES[1]: to_csv(_quotation_rows(spoken, with_answers), QUOTATION_COLUMNS),
        FILES[2]: to_csv(_character_rows(cast), CHARACTER_COLUMNS),
        INDEX: to_csv([work], tuple(work)),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        contents = {FILES[0]: text, **tables}
        atomic.write_files({folder / name: value.encode() for name, value in contents.items()})
    except OSError as refusal:
        raise ScholarError(
            f"{folder} cannot be written ({refusal.strerror}); give another folder"
        ) from refusal
    return len(spoken)


def _quotation_rows(
    quotes: Sequence[AttributedQuote], with_answers: bool
) -> Iterable[Mapping[str, str]]:
    for number, quote in enumerate(quotes):
        speaker = quote.attribution.speaker
        yield {
            "quoteID": f"Q{number}",
            "chapter": str(quote.chapter.number),
            "quoteText": quote.text,
            "quoteByteSpans": repr([[piece.start, piece.end] for piece in quote.quotation.pieces]),
            "speaker": speaker.name if with_answers and speaker else "",
            "addressees": "[]",
            "quoteType": quote.attribution.kind.capitalize(),
            "referringExpression": quote.cue,
        }


def _character_rows(cast: Sequence[Character]) -> Iterable[Mapping[str, str]]:
    named = [
        (
            character.name,
            {*character.aliases, *([NARRATOR] if character.narrator else [])},
            _GENDERS.get(character.gender, "U"),
        )
        for character in cast
    ]
    nobody: list[tuple[str, set[str], str]] = [(name, set(), "X") for name in sorted(NOBODY)]
    for number, (name, aliases, gender) in enumerate([*named, *nobody]):
        yield {
            "Character ID": str(number),
            "Main Name": name,
            "Aliases": repr(sorted({name, *aliases})),
            "Gender": gender,
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two annotators: the number of quotations with a speaker in both, the share
    with the same speaker, and Cohen's kappa, which corrects for chance."""

    quotations: int
    same: float
    kappa: float


def agree(one: AnnotatedNovel, other: AnnotatedNovel) -> Agreement:
    """Return the agreement of two annotations of a novel (Cohen 1960) over the quotations with the
    same spans in both.

    Speakers that share a name are the same. Raises NoMatch if no quotation is in both.
    """
    speakers = dict(zip((item.pieces for item in other.quotations), other.speakers, strict=True))
    pairs = [
        (_names(one, speaker), _names(other, speakers[quotation.pieces]))
        for quotation, speaker in zip(one.quotations, one.speakers, strict=True)
        if quotation.pieces in speakers
    ]
    if not pairs:
        raise NoMatch(
            f"{one.name} and {other.name} have no annotated quotation in common; "
            "compare two annotations of one text"
        )
    labels = _label(names for pair in pairs for names in pair)
    answers = [(labels[first], labels[second]) for first, second in pairs]
    same = sum(first == second for first, second in answers) / len(answers)
    firsts, seconds = (Counter(side) for side in zip(*answers, strict=True))
    chance = sum(firsts[label] * seconds[label] for label in firsts) / len(answers) ** 2
    return Agreement(len(pairs), same, 1.0 if chance == 1 else (same - chance) / (1 - chance))


def _names(novel: AnnotatedNovel, speaker: int) -> frozenset[str]:
    """Return the names of a speaker, an empty set for -1."""
    if speaker < 0:
        return frozenset()
    character = novel.cast[speaker]
    return frozenset((character.name, *character.aliases))


def _label(speakers: Iterable[frozenset[str]]) -> dict[frozenset[str], int]:
    """Return a number for each set of names, the same for sets that share a name."""
    labels: dict[frozenset[str], int] = {}
    for names in speakers:
        if names not in labels:
            shared = (label for known, label in labels.items() if known & names)
            labels[names] = next(shared, len(labels))
    return labels
