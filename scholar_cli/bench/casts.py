"""How good a cast is that was found in a novel, against the annotated one.

Both casts are compared where they meet in the text: at the places that mentions.find finds
for each. A found character answers for the annotated one with whom it shares most places, one
to one. Aliases are measured by B-cubed (Bagga and Baldwin 1998): of the places that share a
found character with one, the share that also share its annotated character (purity, over the
places that both casts name), and the other way round (completeness, over every place that the
annotated cast names; one that the found cast does not name counts as nothing).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from scholar_cli.bench.pdnc_form import Novel
from scholar_indexes.speakers import mentions
from scholar_indexes.types import Character, Gender

MANY = 20
"""Places that make a found character one of many mentions."""

OVERLAP = 0.1
"""The least share of its places, with any annotated character, of one that is a character."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Shares in [0, 1], and how many things each is a share of.

    speakers are the annotated characters with 10 quotations or more; said is the share of
    their quotations whose speaker was found; gender is over matched speakers whose gender is
    annotated; strangers counts found characters named MANY times or more that no annotated
    one answers for, among frequent ones.
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


def measure(novel: Novel, cast: Sequence[Character]) -> Measured:
    """How well a found cast stands for the annotated one."""
    shared, gold, mine = _met(novel, cast)
    match = _match(shared, novel, cast)
    told, teller = _narrator(novel.cast), _narrator(cast)
    often = sorted(novel.often)
    said = Counter(each for each in novel.speakers if each in novel.often)
    known = [
        who for who in often if who in match and novel.cast[who].gender is not Gender.UNKNOWN
    ]  # fmt: skip
    purity, completeness = b_cubed(shared, Counter(gold.values()))
    named = Counter(mine.values())
    met = Counter[int]()
    for (_, who), count in shared.items():
        met[who] += count
    frequent = [who for who, count in named.items() if count >= MANY]
    right = match.get(told, -1) == teller if told is not None else teller is None
    return Measured(
        speakers=_share(sum(who in match for who in often), len(often)),
        said=_share(sum(said[who] for who in often if who in match), said.total()),
        purity=purity,
        completeness=completeness,
        gender=_share(
            sum(cast[match[who]].gender is novel.cast[who].gender for who in known), len(known)
        ),
        narrator=float(right),
        strangers=sum(met[who] < OVERLAP * named[who] for who in frequent),
        frequent=len(frequent),
        found=len(cast),
    )


def match(novel: Novel, cast: Sequence[Character]) -> dict[int, int]:
    """The found character that stands for each annotated one; some have none."""
    return _match(_met(novel, cast)[0], novel, cast)


def matched(shared: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """One found character for each annotated one: the pairs of most shared places first."""
    match: dict[int, int] = {}
    used: set[int] = set()
    for (gold, mine), _ in sorted(shared.items(), key=lambda each: (-each[1], each[0])):
        if gold not in match and mine not in used:
            match[gold] = mine
            used.add(mine)
    return match


def b_cubed(shared: Mapping[tuple[int, int], int], gold: Mapping[int, int]) -> tuple[float, float]:
    """Purity and completeness.

    shared holds the places of each pair of annotated and found character, gold all the
    places of each annotated one.
    """
    mine = Counter[int]()
    for (_, other), count in shared.items():
        mine[other] += count
    purity = sum(count * count / mine[other] for (_, other), count in shared.items())
    completeness = sum(count * count / gold[one] for (one, _), count in shared.items())
    return _share(purity, sum(shared.values())), _share(completeness, sum(gold.values()))


def overall(measures: Sequence[Measured]) -> dict[str, float]:
    """The mean of each figure over the novels."""
    return {
        each.name: _share(sum(getattr(one, each.name) for one in measures), len(measures))
        for each in fields(Measured)
    }


def _places(text: str, cast: Sequence[Character]) -> dict[int, int]:
    """Where each name ends in the text, and whom it means.

    The end, since one cast may say "Mr. Darcy" where the other says "Darcy".
    """
    return {each.span.end: each.who for each in mentions.find(text, cast)}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


Places = Mapping[int, int]


def _met(
    novel: Novel, cast: Sequence[Character]
) -> tuple[Counter[tuple[int, int]], Places, Places]:
    """How often an annotated and a found character share a place, and the places of each."""
    gold, mine = _places(novel.text, novel.cast), _places(novel.text, cast)
    return Counter((gold[at], mine[at]) for at in gold.keys() & mine.keys()), gold, mine


def _match(
    shared: Mapping[tuple[int, int], int], novel: Novel, cast: Sequence[Character]
) -> dict[int, int]:
    match = matched(shared)
    told, teller = _narrator(novel.cast), _narrator(cast)
    if told is not None and teller is not None and teller not in match.values():
        match.setdefault(told, teller)  # nobody names this narrator
    return match


def _narrator(cast: Sequence[Character]) -> int | None:
    return next((who for who, each in enumerate(cast) if each.narrator), None)
