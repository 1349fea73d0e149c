"""Language models of speakers: the words and names in the quotations known to be theirs.

"Mamma" is said by her children, "Hercules, he say" by one man, and each character mentions some
people and not others. The quotations that cues attribute suffice to tell speakers apart
(content features go back to O'Keefe et al. 2012; Michel et al. 2024 learn such features).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import chain

OWN_WORDS, OWN_QUOTATIONS = 300, 10
"""Weight of the whole book's dialogue relative to a speaker's own, in words and in quotations."""

LIMIT = 3.0
"""The largest absolute value of a log likelihood ratio."""

_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*|[!?—;]")


def count_words(text: str) -> Counter[str]:
    """Count the words of a quotation and its expressive marks."""
    return Counter(_WORD.findall(text.lower()))


class SpeakerLanguage:
    """The words and names that each speaker of a book uses.

    For each quotation, `words` holds its word counts, `named` the characters that it names, and
    `speakers` its speaker, -1 if unknown.
    """

    def __init__(
        self,
        words: Sequence[Counter[str]],
        named: Sequence[Collection[int]],
        speakers: Sequence[int],
    ) -> None:
        self._quotation_words, self._named_in, self._speakers = words, named, speakers
        self._lengths = [sum(counts.values()) for counts in words]
        self._all_words: Counter[str] = Counter()
        for counts in words:
            self._all_words.update(counts)
        self._total_words = sum(self._lengths)
        self._mean_log_length = sum(map(math.log1p, self._lengths)) / max(1, len(words))
        self._all_named = Counter(chain.from_iterable(named))
        self._words_of: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._names_by: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self._word_counts: Counter[int] = Counter()
        self._quotation_counts: Counter[int] = Counter()
        self._log_lengths: defaultdict[int, float] = defaultdict(float)
        self._cached_number = -1
        self._cached_rarity: list[tuple[str, int, float]] = []
        for number, speaker in enumerate(speakers):
            if speaker >= 0:
                self._words_of[speaker].update(words[number])
                self._names_by[speaker].update(named[number])
                self._word_counts[speaker] += self._lengths[number]
                self._quotation_counts[speaker] += 1
                self._log_lengths[speaker] += math.log1p(self._lengths[number])

    def likeness(self, number: int, speaker: int) -> tuple[float, ...]:
        """Return the similarity of a quotation to a character's other quotations.

        The LIKENESS values are log likelihood ratios against the whole book's dialogue, by words
        (per root of the length, and by a constant) and by names; the amount known about the
        speaker; the fit to their usual length; and whether the quotation names them. The quotation
        itself never counts.
        """
        length = self._lengths[number]
        is_own = self._speakers[number] == speaker
        word_ratio = self._word_ratio(number, speaker, is_own)
        known = self._quotation_counts[speaker] - is_own
        log_lengths = self._log_lengths.get(speaker, 0.0) - is_own * math.log1p(length)
        usual = (log_lengths + 3 * self._mean_log_length) / (known + 3)
        return (
            _clip(word_ratio / math.sqrt(length + 1)),
            _clip(word_ratio / 3),
            math.log1p(known) / 5,
            _clip(self._name_ratio(number, speaker, is_own)),
            (math.log1p(length) - self._mean_log_length) * (usual - self._mean_log_length),
            float(speaker in self._named_in[number]),
        )

    def _word_ratio(self, number: int, speaker: int, is_own: bool) -> float:
        """Return the log likelihood ratio of the words of a quotation."""
        own_words = self._words_of.get(speaker, Counter[str]())
        total = self._word_counts[speaker] - is_own * self._lengths[number] + OWN_WORDS
        ratio = 0.0
        never = math.log(OWN_WORDS / total)
        for word, count, background in self._rarity(number):
            if uses := own_words.get(word, 0) - is_own * count:
                ratio += count * math.log((uses / background + OWN_WORDS) / total)
            else:
                ratio += count * never
        return ratio

    def _name_ratio(self, number: int, speaker: int, is_own: bool) -> float:
        """Return the log likelihood ratio of the names in a quotation."""
        own_names = self._names_by.get(speaker, Counter[int]())
        known = self._quotation_counts[speaker] - is_own
        ratio = 0.0
        for name in self._named_in[number]:
            background = (self._all_named[name] - 0.5) / (len(self._quotation_words) + 5)
            count = own_names[name] - is_own + OWN_QUOTATIONS * background
            ratio += math.log(count / (known + OWN_QUOTATIONS) / background)
        return ratio

    def _rarity(self, number: int) -> list[tuple[str, int, float]]:
        """Return the words of a quotation with their counts and probabilities elsewhere."""
        if number != self._cached_number:
            others = self._total_words - self._lengths[number] + 0.5 * len(self._all_words)
            self._cached_number = number
            self._cached_rarity = [
                (word, count, (self._all_words[word] - count + 0.5) / others)
                for word, count in self._quotation_words[number].items()
            ]
        return self._cached_rarity


LIKENESS = 6
"""The number of values of a likeness."""


def _clip(value: float) -> float:
    return max(-LIMIT, min(LIMIT, value))
