"""Quality of a cast detected in a novel, compared with the annotated one.

The casts are compared in the text, at the mentions that mentions.find_mentions finds for each. A
detected character is matched one to one to the annotated one with which it shares most mentions.
Aliases are measured by B-cubed (Bagga and Baldwin 1998): of the mentions with the same detected
character as a mention, the share that also have its annotated character (purity, over the mentions
that both casts have), and the other way round (completeness, over all mentions of the annotated
cast; mentions that the detected cast does not have count 0).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.coreference import mentions
from scholar_indexes.types import Character, Gender

MANY = 20
"""The number of mentions that makes a detected character frequent."""

OVERLAP = 0.1
"""The minimum share of its mentions that a real character shares with annotated ones."""


@dataclass(frozen=True, slots=True)
class CastScore:
    """Scores of a cast: shares in [0, 1], and counts of detected characters.

    speakers is the share of annotated characters with 10 quotations or more that were found; said
    is the share of their quotations whose speaker was found; gender is over matched speakers with
    an annotated gender; strangers counts the frequent characters, detected MANY times or more,
    that share less than OVERLAP of their mentions with annotated ones.
    """

    speakers: float
    said: float
    purity: float
    completeness: float
    gender: float
    narrator: float
    strangers: int
    frequent: int
    found: int


def measure(novel: AnnotatedNovel, cast: Sequence[Character]) -> CastScore:
    """Return the scores of a detected cast against the annotated one."""
    shared, gold, detected = _count_shared_places(novel, cast)
    match = _match(shared, novel, cast)
    often = sorted(novel.often)
    matched = [index for index in often if index in match]
    quotations = Counter(speaker for speaker in novel.speakers if speaker in novel.often)
    with_gender = [index for index in matched if novel.cast[index].gender is not Gender.UNKNOWN]
    purity, completeness = b_cubed(shared, Counter(gold.values()))
    places = Counter(detected.values())
    shared_places = _count_detected(shared)
    frequent = [index for index, count in places.items() if count >= MANY]
    return CastScore(
        speakers=_share(len(matched), len(often)),
        said=_share(sum(quotations[index] for index in matched), quotations.total()),
        purity=purity,
        completeness=completeness,
        gender=_share(
            sum(cast[match[index]].gender is novel.cast[index].gender for index in with_gender),
            len(with_gender),
        ),
        narrator=float(_is_narrator_right(match, novel.cast, cast)),
        strangers=sum(shared_places[index] < OVERLAP * places[index] for index in frequent),
        frequent=len(frequent),
        found=len(cast),
    )


def _is_narrator_right(
    match: Mapping[int, int], gold: Sequence[Character], cast: Sequence[Character]
) -> bool:
    """Return True if the detected narrator is the annotated one, or both casts have none."""
    true, detected = _narrator(gold), _narrator(cast)
    return detected is None if true is None else match.get(true, -1) == detected


def _count_detected(shared: Mapping[tuple[int, int], int]) -> Counter[int]:
    """Return the number of shared mentions of each detected character."""
    counts = Counter[int]()
    for (_, detected), count in shared.items():
        counts[detected] += count
    return counts


def match(novel: AnnotatedNovel, cast: Sequence[Character]) -> dict[int, int]:
    """Return the detected character that matches each annotated one; some have none."""
    return _match(_count_shared_places(novel, cast)[0], novel, cast)


def match_greedily(shared: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Return a detected character for each annotated one, pairing by most shared mentions first."""
    match: dict[int, int] = {}
    used: set[int] = set()
    for (gold, detected), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if gold not in match and detected not in used:
            match[gold] = detected
            used.add(detected)
    return match


def b_cubed(shared: Mapping[tuple[int, int], int], gold: Mapping[int, int]) -> tuple[float, float]:
    """Return purity and completeness.

    shared counts the mentions of each pair of annotated and detected character, gold all
    mentions of each annotated one.
    """
    detected = _count_detected(shared)
    purity = sum(count * count / detected[index] for (_, index), count in shared.items())
    completeness = sum(count * count / gold[index] for (index, _), count in shared.items())
    return _share(purity, sum(shared.values())), _share(completeness, sum(gold.values()))


def average(measures: Sequence[CastScore]) -> dict[str, float]:
    """Return the mean of each figure over the novels."""
    return {
        field.name: _share(sum(getattr(score, field.name) for score in measures), len(measures))
        for field in fields(CastScore)
    }


def _places(text: str, cast: Sequence[Character]) -> dict[int, int]:
    """Return the character of each mention by its end in the text.

    Ends are compared because one cast may have "Mr. Darcy" where the other has "Darcy".
    """
    return {mention.span.end: mention.character for mention in mentions.find_mentions(text, cast)}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


Places = Mapping[int, int]


def _count_shared_places(
    novel: AnnotatedNovel, cast: Sequence[Character]
) -> tuple[Counter[tuple[int, int]], Places, Places]:
    """Return the number of mentions that each annotated and detected character share, and the
    mentions of both casts."""
    gold, detected = _places(novel.text, novel.cast), _places(novel.text, cast)
    ends = gold.keys() & detected.keys()
    return Counter((gold[end], detected[end]) for end in ends), gold, detected


def _match(
    shared: Mapping[tuple[int, int], int], novel: AnnotatedNovel, cast: Sequence[Character]
) -> dict[int, int]:
    match = match_greedily(shared)
    true, detected = _narrator(novel.cast), _narrator(cast)
    if true is not None and detected is not None and detected not in match.values():
        match.setdefault(true, detected)  # a narrator who is never named
    return match


def _narrator(cast: Sequence[Character]) -> int | None:
    return next((index for index, character in enumerate(cast) if character.narrator), None)
