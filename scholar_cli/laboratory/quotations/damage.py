"""Ten ways in which a quotation comes to differ from its source, each applied alone.

A way returns the damaged quotation, or None for one that it cannot be applied to (no hyphen, no
word with another spelling).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

VERBATIM = "verbatim"

_MISREADINGS = "rn>m m>rn cl>d h>li e>c o>0 l>1 i>l f>t u>n n>u b>h tt>it w>vv"
OCR = tuple(
    (printed, read) for printed, _, read in (pair.partition(">") for pair in _MISREADINGS.split())
)
"""Letters that OCR misreads, and what it reads instead."""

OCR_SHARE = 0.15
"""The share of the words that are misread; one at least."""

TO_AMERICAN = (
    (r"(?<=[a-z]{2}[bdlnpv])our(?=(?:s|ed|ing|able|ful|ite|ably)?\b)", "or"),
    (r"(?<=[a-z]{2})is(?=(?:e|ed|es|ing|ation)\b)(?<!rais)(?<!prais)(?<!pois)(?<!prom[i]s)", "iz"),
    (r"(?<=[a-z]{2}[bt])re\b(?<!there)(?<!where)(?<!acre)", "er"),
    (r"(?<=[a-z]{2})ell(?=ed|ing|er)", "el"),
    (r"\bgrey", "gray"),
    (r"\bdefence", "defense"),
)
NAMES = ("Elizabeth", "Holmes", "the narrator", "Jane", "his father", "Marlow")
"""Replacements of a pronoun, in square brackets."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PRONOUN = re.compile(r"\b(?:he|she|him|her|it|they|them)\b")


def leave(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return the quotation as it is."""
    return quotation


def change_marks(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation with straight marks for curly ones, other dashes and no italics."""
    changed = quotation.replace("_", "").replace("’", "'").replace("‘", "'")
    changed = re.sub(r"[“”]", '"', changed)
    changed = re.sub(r"\s*(?:—|--)\s*", rng.choice((" - ", " – ", "—")), changed)
    changed = re.sub(r"[;:](?=\s)", ",", changed)
    return changed if changed != quotation else None


def change_hyphens(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation without its hyphens, or with a word divided at the end of a line."""
    if re.search(r"\w-\w", quotation):
        return re.sub(r"(?<=\w)-(?=\w)", rng.choice(("", " ")), quotation)
    long = [match for match in _WORD.finditer(quotation) if len(match[0]) > 6]
    if not long:
        return None
    match = rng.choice(long)
    at = match.start() + rng.randint(3, len(match[0]) - 3)
    return f"{quotation[:at]}-\n{quotation[at:]}"


def change_spelling(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation in American spelling."""
    changed = quotation
    for pattern, plain in TO_AMERICAN:
        changed = re.sub(pattern, plain, changed)
    return changed if changed != quotation else None


def misread(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation in which some words have letters that a machine misread."""
    matches = [match for match in _WORD.finditer(quotation) if len(match[0]) > 2]
    count = max(1, round(OCR_SHARE * len(matches)))
    for match in sorted(rng.sample(matches, min(count, len(matches))), reverse=True, key=_start):
        possible = [(old, new) for old, new in OCR if old in match[0]]
        if possible:
            old, new = rng.choice(possible)
            word = match[0].replace(old, new, 1)
            quotation = quotation[: match.start()] + word + quotation[match.end() :]
    return quotation


def change_capital(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation whose first letter has another case, half of the time in brackets."""
    first = quotation[0].swapcase()
    if first == quotation[0]:
        return None
    return (f"[{first}]" if rng.random() < 0.5 else first) + quotation[1:]


def elide(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation with an ellipsis for some words of its middle."""
    return _leave_out(quotation, rng, rng.choice((" … ", " ... ", " . . . ", " [...] ")))


def omit(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation without some words of its middle, and no mark for them."""
    return _leave_out(quotation, rng, " ")


def insert(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation with a name in square brackets for a pronoun, or "[sic]"."""
    pronouns = list(_PRONOUN.finditer(quotation))
    if pronouns:
        match = rng.choice(pronouns)
        return f"{quotation[: match.start()]}[{rng.choice(NAMES)}]{quotation[match.end() :]}"
    matches = list(_WORD.finditer(quotation))
    at = rng.choice(matches).end()
    return f"{quotation[:at]} [sic]{quotation[at:]}"


def replace_word(quotation: str, rng: random.Random, words: Sequence[str]) -> str | None:
    """Return a quotation with one word replaced by another of the same book."""
    match = rng.choice(list(_WORD.finditer(quotation)))
    other = rng.choice(words)
    if other.casefold() == match[0].casefold():
        return None
    return quotation[: match.start()] + other + quotation[match.end() :]


def _leave_out(quotation: str, rng: random.Random, mark: str) -> str | None:
    """Return a quotation without two to twelve words, a third of it at most; two words stay on
    either side."""
    matches = list(_WORD.finditer(quotation))
    most = min(12, len(matches) // 3)
    if most < 2:
        return None
    count = rng.randint(2, most)
    first = rng.randint(2, len(matches) - count - 2)
    before = quotation[: matches[first - 1].end()]
    return before + mark + quotation[matches[first + count].start() :]


def _start(match: re.Match[str]) -> int:
    return match.start()


Damage = Callable[[str, random.Random, Sequence[str]], str | None]

WAYS: Mapping[str, Damage] = {
    VERBATIM: leave,
    "other marks": change_marks,
    "hyphens": change_hyphens,
    "spelling": change_spelling,
    "misread letters": misread,
    "first capital": change_capital,
    "ellipsis": elide,
    "brackets": insert,
    "clause left out": omit,
    "one word wrong": replace_word,
}
"""The ways by name."""
