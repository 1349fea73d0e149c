"""Names of people and institutions in CSL-JSON: parsed, normalized, and as readers write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape

from scholar_indexes.papers import clean

MAX_NAMES = 5_000
MAX_NAME_CHARS = 500

_NAME_PARTS = ("family", "given", "suffix", "non-dropping-particle", "dropping-particle", "literal")
SUFFIX = re.compile(r"(?:[JjSs]r\.?|II|III|IV)")
_INITIALS_MARKS = str.maketrans("", "", ".-’'")
_MOST_INITIALS = 3

_INSTITUTION = re.compile(
    r"(?i)\b(?:organi[sz]ation|society|universit\w+|committee|consorti\w+|association|institut\w*|"
    r"ministry|department|council|collaboration|commission|foundation|agency|federation|network|"
    r"investigators|academy|museum|nations|parliament|(?:study|working|research|expert) group|"
    r"(?:centre|center|bureau|office|board|group|bank|library|school|college) (?:of|for|on)"
    r"|task force|inc\.|ltd\.?|gmbh|llc)(?!\w)"
)

_UNDIVIDED = re.compile(r"\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\Z|.*=", re.DOTALL)
"""A name in braces, or one with named parts."""

_LIVED = re.compile(
    r"(?:,| \()\s?(?:(?:ca?|[bd])\. ?)?[0-9]{3,4}\??(?: ?[-–] ?(?:[0-9]{3,4}\??)?)?\)?\.?"
    r"(?=\s*(?:[;|]|\band\b|\Z))"
)
"""The years of a life behind a name: ", 1775-1817.", " (1888-1965)", ", b. 1950"."""

_FULL_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?:\s[\w.'’-]+)+")
_ET_AL = re.compile(r"[\s,;]+et al(?:ii|\.)?\s*$", re.IGNORECASE)
_MAX_ET_AL_CHARS = 30
_AROUND = " ,\t\n"
_JOINS = re.compile(r"\A(?:and|&)\s")
"""A word that joins names, with no name before it."""

OTHERS = "others"
"""The literal name at the end of a list of names for the people that a source omits."""

_AND_OTHERS = re.compile(r"(?:and )?others|et al(?:ii|\.)?", re.IGNORECASE)


def divide(text: str) -> list[str]:
    """Return the names of several people in a field for one.

    >>> divide("Lovelace, Ada; Babbage, Charles")
    ['Lovelace, Ada', 'Babbage, Charles']
    >>> divide("Ada Lovelace, Charles Babbage, Luigi Menabrea and")
    ['Ada Lovelace', 'Charles Babbage', 'Luigi Menabrea']
    >>> divide("Lovelace, A., Babbage, C., et al.")
    ['Lovelace, A.', 'Babbage, C.', 'others']
    """
    if _UNDIVIDED.match(text) or len(text) > 20 * MAX_NAME_CHARS:
        return [text]
    text = without_dates(unescape(text))
    others = _ET_AL.search(text, max(0, len(text) - _MAX_ET_AL_CHARS))
    written = text[: others.start()] if others and others.start() else text
    parts = (_without_joint(part) for part in written.split(";"))
    names = [name for part in parts if part for name in _divide_part(part)]
    return [*names, OTHERS] if written != text else names or [text]


def without_dates(text: str) -> str:
    """Return names without the years in which people lived, as libraries write them.

    >>> without_dates("Austen, Jane, 1775-1817; Eliot, T. S. (1888-1965)")
    'Austen, Jane; Eliot, T. S.'
    """
    return _LIVED.sub("", text)


def _without_joint(text: str) -> str:
    """Return a text without commas at its ends, and without a word that joins names there."""
    text = text.strip(_AROUND)
    for joint in (" and", " &"):
        if text.lower().endswith(joint):
            text = text[: -len(joint)].rstrip(_AROUND)
    return _JOINS.sub("", text)


def _divide_part(text: str) -> list[str]:
    return [text] if is_institution(text) else _divide_at_commas(text)


def _divide_at_commas(text: str) -> list[str]:
    """Return the names between commas and before an ampersand: whole names, families with their
    initials ("Lovelace A, Babbage C"), or families that are followed by theirs."""
    joined = [part.strip() for part in re.split(r"\s&\s", text)]
    if len(joined) > 1 and all(part.count(",") == 1 for part in joined):
        return joined
    parts = [_JOINS.sub("", part.strip()) for part in text.split(",")]
    inverted = [with_comma(part) for part in parts]
    if len(parts) > 1 and all("," in name for name in inverted):
        return inverted
    return _whole_names(text, parts) or _pairs(parts) or [text]


def _whole_names(text: str, parts: Sequence[str]) -> list[str]:
    """Return the names between commas and ampersands if all are whole, else none."""
    whole = [part.strip() for part in re.split(r",|\s&\s", text)]
    is_list = len(whole) > 2 or len(whole) > len(parts)
    return whole if is_list and all(map(_FULL_NAME.fullmatch, whole)) else []


def _pairs(parts: Sequence[str]) -> list[str]:
    """Return the names of two parts each, a family and given names; none for other parts."""
    if len(parts) not in range(4, MAX_NAMES, 2) or any(map(SUFFIX.fullmatch, parts)):
        return []
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [f"{family}, {given}" for family, given in pairs if family and given]


def parse_name(text: str) -> dict[str, str]:
    """Return the CSL name of a written name.

    >>> parse_name("Ada Lovelace") == parse_name("Lovelace, Ada")
    True
    >>> parse_name("Lovelace AK")
    {'family': 'Lovelace', 'given': 'AK'}
    """
    text = clean.to_text(text[:MAX_NAME_CHARS])
    if is_institution(text):
        return _filled(literal=text.strip(", "))
    text = with_comma(text)
    return _parse_inverted_name(text) if "," in text else _parse_direct_name(text)


def with_comma(name: str) -> str:
    """Return a name that ends in initials, as PubMed writes it, with a comma before these.

    >>> with_comma("van Gogh V"), with_comma("Eliot T. S."), with_comma("T. S. Eliot")
    ('van Gogh, V', 'Eliot, T. S.', 'T. S. Eliot')
    """
    words = [] if "," in name else name.split()
    most = _MOST_INITIALS if any(map(str.islower, name)) else _MOST_INITIALS - 1  # JOHN LEE
    at = len(words)
    while at > 0 and _is_initials(words[at - 1], most):
        at -= 1
    is_inverted = 0 < at < len(words) and not _is_initials(words[0], most)
    return f"{' '.join(words[:at])}, {' '.join(words[at:])}" if is_inverted else name


def _is_initials(word: str, most: int) -> bool:
    """Return True for at most that many capitals: "AK", "A.-K."; not for "Jr." and "III"."""
    letters = word.translate(_INITIALS_MARKS)
    is_short = letters.isalpha() and letters.isupper() and len(letters) <= most
    return is_short and not SUFFIX.fullmatch(word)


def _parse_inverted_name(text: str) -> dict[str, str]:
    """Return the CSL name of a text with a comma, usually "Family, Given"."""
    family, _, given = (part.strip() for part in text.partition(","))
    first, _, last = (part.strip() for part in given.partition(","))
    if SUFFIX.fullmatch(last):  # "King, Martin Luther, Jr."
        return _filled(family=family, suffix=last, given=first)
    if last:  # "King, Jr., Martin Luther"
        return _filled(family=family, suffix=first, given=last)
    if SUFFIX.fullmatch(given):  # "Alexandre Dumas, Jr."
        return _with_suffix(parse_name(family), given)
    return _filled(family=family, given=first) if family else _filled(literal=text.strip(", "))


def _parse_direct_name(text: str) -> dict[str, str]:
    """Return the CSL name of "Given Family"."""
    words = text.split()
    if len(words) > 2 and SUFFIX.fullmatch(words[-1]):
        return _with_suffix(parse_name(" ".join(words[:-1])), words[-1])
    if len(words) < 2:
        return _filled(literal=text)
    lowered = [at for at, word in enumerate(words[1:-1], 1) if word[0].islower()]
    start = min(lowered, default=len(words) - 1)  # Ludwig van Beethoven
    return _filled(family=" ".join(words[start:]), given=" ".join(words[:start]))


def _with_suffix(name: dict[str, str], suffix: str) -> dict[str, str]:
    if "family" not in name:
        name = _filled(family=name.get("literal", ""))
    return {**name, "suffix": suffix}


def is_institution(name: str) -> bool:
    """Return True for a name with a word such as "Society", which no person's name has.

    >>> is_institution("World Health Organization"), is_institution("Ada Lovelace")
    (True, False)
    """
    return _INSTITUTION.search(name[:MAX_NAME_CHARS].partition(",")[0]) is not None


def is_others(name: object) -> bool:
    """Return True for the name of omitted people."""
    return isinstance(name, Mapping) and name.get("literal") == OTHERS


def as_read(person: Mapping[str, str]) -> str:
    """Return a name as "Given Family"."""
    if "literal" in person:
        return person["literal"]
    order = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return " ".join(person[part] for part in order if part in person)


def normalize_names(value: object, tex: bool | None = None) -> list[dict[str, str]]:
    """Return the valid names among any values; `tex` is as in clean.to_text."""
    if isinstance(value, str | Mapping):
        value = [value]
    if not isinstance(value, Sequence):
        return []
    names = [person for name in value[:MAX_NAMES] if (person := _name(name, tex))]
    if len(names) > 1 and _AND_OTHERS.fullmatch(as_read(names[-1])):
        names[-1] = {"literal": OTHERS}
    return names


def _name(value: object, tex: bool | None) -> dict[str, str]:
    if isinstance(value, str):
        return parse_name(value)
    if not isinstance(value, Mapping):
        return {}
    texts = {part: value.get(part) for part in _NAME_PARTS}
    person = {
        part: clean.to_text(text[:MAX_NAME_CHARS], tex)
        for part, text in texts.items()
        if isinstance(text, str)
    }
    person = {part: text for part, text in person.items() if text}
    if "family" not in person:
        whole = person.get("literal") or person.get("given") or value.get("name")
        return (
            _filled(literal=clean.to_text(whole[:MAX_NAME_CHARS])) if isinstance(whole, str) else {}
        )
    person.pop("literal", None)
    return person


def _filled(**parts: str) -> dict[str, str]:
    return {part.replace("_", "-"): value for part, value in parts.items() if value}
