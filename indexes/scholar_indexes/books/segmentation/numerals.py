"""Parse numbers as written in headings: XIV, 14, Fourteen, the Fourteenth."""

from __future__ import annotations

import re

_ROMAN = re.compile(
    r"M{0,3}(CM|CD|D?C{0,4})(XC|XL|L?X{0,4})(IX|IV|V?I{0,4})", re.IGNORECASE | re.ASCII
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

_UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_UNIT_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

_CARDINAL_VALUES = (
    {word: n for n, word in enumerate(_UNITS.split(), 1)}
    | {word: 10 * n for n, word in enumerate(_TENS.split(), 2)}
    | {"hundred": 100}
)
_ORDINAL_VALUES = (
    {word: n for n, word in enumerate(_UNIT_ORDINALS.split(), 1)}
    | {word[:-1] + "ieth": 10 * n for n, word in enumerate(_TENS.split(), 2)}
    | {"hundredth": 100}
)
_WORD_VALUES = _CARDINAL_VALUES | _ORDINAL_VALUES
ORDINALS = frozenset(_ORDINAL_VALUES)
_MAX_WORDS = 5  # of a spelled number
_END_OF_NUMBER = ".,:;"


def parse_roman(word: str) -> int | None:
    """Return the value of a roman numeral in either case (IIII as well as IV), or None."""
    if not 0 < len(word) < 16 or not _ROMAN.fullmatch(word):
        return None
    values = [_ROMAN_VALUES[letter] for letter in word.upper()]
    following = [*values[1:], 0]
    return sum(
        -value if value < after else value for value, after in zip(values, following, strict=True)
    )


def is_ordinal(number: str) -> bool:
    """Return True for a spelled number that ends in an ordinal: "third", "twenty-first"."""
    return re.split(r"[\s-]", number.lower())[-1] in ORDINALS


def parse_arabic(word: str) -> int | None:
    """Return the value of one to three digits, or None: longer numbers are years or pages."""
    return int(word) if len(word) <= 3 and word.isascii() and word.isdigit() else None


def parse_spelled(words: list[str]) -> tuple[int, int] | None:
    """Return the number spelled at the start of words, and its length in words, or None.

    Covers one to one hundred and ninety-nine, cardinal and ordinal, hyphenated or not.
    """
    total = used = 0
    last = 1000
    for word in words[:_MAX_WORDS]:
        if word.lower() == "and" and last == 100:
            used += 1
            continue
        values = _word_values(word)
        if values is None:
            break
        for value in values:
            if not _can_follow(value, last):
                return (total, used) if used else None
            total = max(total, 1) * 100 if value == 100 else total + value
            last = value
        used += 1
        if word[-1] in _END_OF_NUMBER:
            break
    return (total, used) if total else None


def _word_values(word: str) -> list[int] | None:
    """Return the values of the hyphenated parts of a word, or None if one is not a number."""
    values = [_WORD_VALUES.get(part) for part in word.lower().rstrip(_END_OF_NUMBER).split("-")]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def _can_follow(value: int, last: int) -> bool:
    """Return True if value can follow last in a number: "twenty" "one", "one" "hundred"."""
    if value == 100 and last < 20:
        return True
    if value >= last:
        return False
    return last >= 100 or (last >= 20 and value < 10)
