"""How each character talks: the words and the names in what is known to be theirs.

"Mamma" is said by her children, "Hercules, he say" by one man, and a person is spoken of by
some and not by others. What a book's cues tell of its speakers is enough to know them by
(content features go back to O'Keefe et al. 2012; Michel et al. 2024 learn such voices).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

OWN_WORDS, OWN_QUOTATIONS = 300, 10
"""How much a character must have said before it counts as much as what everybody says."""

MOST = 3.0
"""No likeness is counted further from 0 than this."""

_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*|[!?—;]")


def words(text: str) -> Counter[str]:
    """The words of a quotation and the marks that give it its tone."""
    return Counter(_WORD.findall(text.lower()))


class Voices:
    """The voices of a book.

    said are the words of each quotation, named whom each names (places in the cast), who
    its speaker as far as known, -1 where not.
    """

    def __init__(
        self, said: Sequence[Counter[str]], named: Sequence[Collection[int]], who: Sequence[int]
    ) -> None:
        self._said, self._named, self._who = said, named, who
        self._lengths = [sum(each.values()) for each in said]
        self._all: Counter[str] = Counter()
        for each in said:
            self._all.update(each)
        self._total = sum(self._lengths)
        self._mean = sum(map(math.log1p, self._lengths)) / max(1, len(said))
        self._all_named = Counter(name for each in named for name in each)
        self._of: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._naming: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self._spoken: Counter[int] = Counter()
        self._quotations: Counter[int] = Counter()
        self._logs: defaultdict[int, float] = defaultdict(float)
        self._of_number = -1
        self._words: list[tuple[str, int, float]] = []
        for number, speaker in enumerate(who):
            if speaker >= 0:
                self._of[speaker].update(said[number])
                self._naming[speaker].update(named[number])
                self._spoken[speaker] += self._lengths[number]
                self._quotations[speaker] += 1
                self._logs[speaker] += math.log1p(self._lengths[number])

    def likeness(self, number: int, speaker: int) -> tuple[float, ...]:
        """How like a character a quotation is, by what else they say: LIKENESS values.

        Log likelihood ratios against the whole book's talk, by words (per root of the
        length, and as they are) and by whom they name; how much is known of them; their
        usual length; whether the quotation names them. The quotation itself never counts.
        """
        length = self._lengths[number]
        own = self._who[number] == speaker
        theirs = self._of[speaker] if speaker in self._of else Counter[str]()
        spoken = self._spoken[speaker] - own * length + OWN_WORDS
        ratio = 0.0
        for word, count, anyone in self._rarity(number):
            share = (theirs[word] - own * count) / anyone
            ratio += count * math.log((share + OWN_WORDS) / spoken)
        known = self._quotations[speaker] - own
        naming = self._naming[speaker] if speaker in self._naming else Counter[int]()
        by_names = 0.0
        for name in self._named[number]:
            anyone = (self._all_named[name] - 0.5) / (len(self._said) + 5)
            theirs_of = naming[name] - own + OWN_QUOTATIONS * anyone
            by_names += math.log(theirs_of / (known + OWN_QUOTATIONS) / anyone)
        logs = self._logs.get(speaker, 0.0) - own * math.log1p(length)
        usual = (logs + 3 * self._mean) / (known + 3)
        return (
            _bounded(ratio / math.sqrt(length + 1)),
            _bounded(ratio / 3),
            math.log1p(known) / 5,
            _bounded(by_names),
            (math.log1p(length) - self._mean) * (usual - self._mean),
            float(speaker in self._named[number]),
        )

    def _rarity(self, number: int) -> list[tuple[str, int, float]]:
        """The words of a quotation: how often, and how likely in anybody's mouth elsewhere."""
        if number != self._of_number:
            said = self._said[number]
            others = self._total - self._lengths[number] + 0.5 * len(self._all)
            self._of_number = number
            self._words = [
                (word, count, (self._all[word] - count + 0.5) / others)
                for word, count in said.items()
            ]
        return self._words


LIKENESS = 6
"""How many values a likeness has."""


def _bounded(value: float) -> float:
    return max(-MOST, min(MOST, value))
