"""Networks of a book's main characters, tied by conversation or by company."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scholar_indexes.characters.profiles import Appearance


@dataclass(frozen=True, slots=True)
class Tie:
    """Two characters by their ids, in alphabetical order, and the strength of their tie."""

    between: tuple[str, str]
    weight: int

    def partner(self, character_id: str) -> str:
        """Return the id of the other character."""
        first, second = self.between
        return second if character_id == first else first


@dataclass(frozen=True, slots=True)
class Network:
    """Characters by their ids, and the ties between them; the strongest come first."""

    characters: tuple[str, ...] = ()
    ties: tuple[Tie, ...] = ()

    def partners(self, character_id: str) -> dict[str, int]:
        """Return the characters tied to one, by id, with the weights of their ties."""
        return {
            tie.partner(character_id): tie.weight
            for tie in self.ties
            if character_id in tie.between
        }


def find_company(appearances: Iterable[Appearance]) -> list[Tie]:
    """Return the ties of company, strongest first: the weight of a tie is the number of paragraphs
    in which both characters are named or speak."""
    present: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for appearance in appearances:
        present[appearance.chapter, appearance.paragraph].add(appearance.character.id)
    counts = Counter(pair for ids in present.values() for pair in combinations(sorted(ids), 2))
    return [Tie(pair, count) for pair, count in counts.most_common()]


def count_strength(ties: Iterable[Tie]) -> Counter[str]:
    """Return the sum of the weights of each character's ties, by id."""
    strength: Counter[str] = Counter()
    for tie in ties:
        strength.update(dict.fromkeys(tie.between, tie.weight))
    return strength


def main_network(ties: Sequence[Tie], most: int, also: str | None = None) -> Network:
    """Return the network of at most `most` characters, the ones with the strongest ties; `also` is
    a character that is always among them if it has any tie."""
    strength = count_strength(ties)
    chosen = [character_id for character_id, _ in strength.most_common(most)]
    if also is not None and also in strength and also not in chosen:
        chosen[-1:] = [also]
    among = (tie for tie in ties if set(tie.between) <= set(chosen))
    return Network(tuple(chosen), tuple(among))
