"""The people on a title page: their names, without ranks and degrees, and their roles.

Names are as written in a source: "The Rev. E. Cobham Brewer, LL.D.", "Louise and Aylmer Maude",
"Alfred, Lord Tennyson", "Percy Bysshe Shelley; Edited by Thomas Hutchinson, M. A.".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from scholar_indexes.books.segmentation.headings import parse_heading, recase
from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon import given_names

OTHERS = "et al."
"""The last entry of a list of names that omits people."""

MOST_NAMED = 3
"""A note names all people up to this number, and otherwise only the first."""

_NOBODY = frozenset(("anonymous", "anon", "various", "various authors", "unknown"))
_SEPARATOR = re.compile(r"\s*;\s*|,?\s+and\s+|\s+&\s+", re.IGNORECASE)
_LISTED = re.compile(r",\s+")
_ET_AL = re.compile(r",?\s+(?:et\.? al(?:ii|\.|\b)|and others\b).*$", re.IGNORECASE)
_PART = re.compile(
    r"(?:(?P<editor>edited)|(?P<translator>translated)|illustrated|with an? \w+)\b[\w, ]*\bby\b\s*",
    re.IGNORECASE,
)
_NEXT_PART = re.compile(
    r"\s*;\s*|,?\s+(?=(?:edited|translated|illustrated|with an? \w+)\b[\w, ]*\bby\b)", re.IGNORECASE
)
_ASIDE = re.compile(r"\s*\([^)]*\)\s*")
_BRACKETS = re.compile(r"[\[\]]")
_BY = re.compile(r"^\W*by\s+", re.IGNORECASE)
_RANK = re.compile(
    r"^(?:The\s+)?(?:Rev(?:erend|d)?|Right Hon(?:ou?rable)?|Hon(?:ou?rable)?|Sir|Dame|Lord|Lady|Dr|"
    r"Doctor|Prof(?:essor)?|Capt(?:ain)?|Col(?:onel)?|Major|Gen(?:eral)?|Lieut(?:enant)?)\b\.?\s+"
    r"(?=\S+\s+\S)",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r",\s*(?:Esq(?:uire)?|Bart|(?:[BM]\s?\.?\s?A|LL\.?\s?[BDM]|[BDM]\.?\s?D|Ph\.?\s?D|Litt\.?\s?D|"
    r"D\.?\s?C\.?\s?L|D\.?\s?Litt|F\.?\s?[RSA.\s]*S(?:\.?\s?[A-Z])?|[KQ]\.?\s?C|M\.?\s?P|O\.?\s?M|"
    r"K\.?\s?C\.?\s?B))\b\.?",
)
_SUFFIX = re.compile(
    r"(?:,\s+(?:(?P<jun>Jun)|Sen)|,?\s+(?:(?P<junior>Jun(?:io)?r)|Sen(?:io)?r))\b\.?$",
    re.IGNORECASE,
)
_PEER = re.compile(r"(?P<name>.+?),?\s+(?:Lord|Baron|Baroness|Viscount)\s+(?P<title>[\w'’-]+)$")
_JOINED_INITIALS = re.compile(r"\b([A-Z]\.)(?=[A-Z])")
_PARTICLES = r"(?:Van(?: [Dd]e[rn]?)?|Von|D[ue]|De la|De La|La|Le|St\.?|Della|Di|Ten)"
_PARTICLE = re.compile(rf"(?P<given>.+?) (?P<family>{_PARTICLES} [^\s,]+)")

TITLE_PAGE = 3_000
"""The number of characters at the start of a text that are searched for its title page."""

_NAME = r"[A-Z][\w.'’-]{0,40}"
_TRANSLATED = re.compile(
    r"^[ \t_*]*(?i:translated(?:[ \t]+(?:from[ \t]+(?:the[ \t]+)?\w+|into[ \t]+english))*)\s+"
    rf"(?:(?i:of)\s+(?:{_NAME}\s+){{1,4}})?(?i:by)\s+"
    r"(?!(?i:various|several|different|eminent|the author|the same)\b)"
    rf"(?P<names>{_NAME}(?:[ \t]+(?:{_NAME}|and|&|de|du|van|von|der))+)[ \t_*]*(?:[,;(]|$)",
    re.MULTILINE,
)
_FOREWORD = re.compile(
    r"\b(?:preface|introduction|foreword|memoir|notes?|and|with)\W*$", re.IGNORECASE
)


class Contributors(NamedTuple):
    """The names of the people on a title page, by role."""

    authors: tuple[str, ...] = ()
    translators: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()


def divide_contributors(names: str) -> Contributors:
    """Return the people in a line with authors, and possibly "edited by" others."""
    people: dict[str, list[str]] = {"author": [], "translator": [], "editor": []}
    part = "author"
    for name in _NEXT_PART.split(names):
        if match := _PART.match(name):
            part = match.lastgroup or ""
            name = name[match.end() :]
        if part in people:
            people[part] += split_names(name)
    return Contributors(*map(tuple, people.values()))


def title_page_translators(text: str) -> tuple[str, ...]:
    """Return the translators named on a line of the title page of a text.

    Empty if that line may concern only a part of the book: below the heading of a chapter or a
    preface, after "with a preface", or if such lines in the text name different people.
    """
    first = _TRANSLATED.search(text, 0, TITLE_PAGE)
    if first is None:
        return ()
    above = text[: first.start()]
    headings = filter(None, map(parse_heading, above.split("\n")))
    if _FOREWORD.search(above) or any(not heading.is_outer for heading in headings):
        return ()
    named = {fold_text(line["names"]) for line in _TRANSLATED.finditer(text)}
    if len(named) > 1:
        return ()
    return tuple(recase(_without_full_stop(name)) for name in split_names(first["names"]))


def _without_full_stop(name: str) -> str:
    """Return a name without a full stop that ends its line."""
    last = name.split()[-1]
    return name.rstrip(".") if last.count(".") == 1 and len(last) > 3 else name


def split_names(names: str) -> list[str]:
    """Return the names of several people, with OTHERS last for "et al."; empty for "Various".

    >>> split_names("Louise and Aylmer Maude; Voltaire")
    ['Louise Maude', 'Aylmer Maude', 'Voltaire']
    """
    named = _ET_AL.sub("", names)
    people = [name for part in _SEPARATOR.split(named) if (name := part.strip(" ,"))]
    if len(people) > 1 and ";" not in named:  # "Ann Ash, Bo Birch and Cy Cole"
        people = [name for part in people for name in _split_listed(part)]
    people = [_with_surname(name, people[at + 1 :]) for at, name in enumerate(people)]
    people = [name for name in people if name.strip(" .[]()").lower() not in _NOBODY]
    return [*people, OTHERS] if people and named != names else people


def _split_listed(names: str) -> list[str]:
    """Return comma-separated names if all are full names, else the text as one name."""
    parts = _LISTED.split(names)
    is_list = all(len(part.split()) > 1 for part in parts) and not _DEGREE.search(names)
    return parts if is_list else [names]


def _with_surname(name: str, following: Sequence[str]) -> str:
    """Return a given name with the surname of the next person: "Louise" before "Aylmer Maude"."""
    surname = following[0].split()[1:] if following else []
    is_given = fold_text(name) in given_names.ALL
    return f"{name} {surname[-1]}" if is_given and surname and "," not in following[0] else name


def natural_names(names: str) -> str:
    """Return people in the form of a note: "Ann Ash, Bo Birch, and Cy Cole".

    More than three become the first and OTHERS.
    """
    people = [name if name == OTHERS else plain_name(name) for name in split_names(names)]
    return series(people if len(people) <= MOST_NAMED else [people[0], OTHERS], "and")


def series(names: Sequence[str], conjunction: str, *, before_last: bool = False) -> str:
    """Return "a", "a and b" or "a, b, and c"; with `before_last`, two have a comma as well."""
    if len(names) < 2:
        return "".join(names)
    comma = "," if len(names) > 2 or before_last else ""
    joined = "" if names[-1] == OTHERS else f"{conjunction} "
    return f"{', '.join(names[:-1])}{comma} {joined}{names[-1]}"


def plain_name(name: str) -> str:
    """Return a person's name without ranks, degrees and parentheses, as in bibliographies.

    It is "Walter Scott" for "Sir Walter Scott", but "Lord Byron" is unchanged.

    >>> plain_name("The Rev. E. Cobham Brewer, LL.D.")
    'E. Cobham Brewer'
    """
    plain = _BRACKETS.sub("", _ASIDE.sub(" ", name)).strip() or name
    plain = _JOINED_INITIALS.sub(r"\1 ", _BY.sub("", plain))
    if plain.isupper() and " " in plain:
        plain = " ".join(map(_uncapitalized, plain.split()))
    # In "Ash, M. A." the letters are initials, not a degree.
    while len(plain.partition(",")[0].split()) > 1 and _DEGREE.search(plain):
        plain = _DEGREE.sub("", plain)
    previous = ""
    # Ranks follow one another: "The Rev. Dr. John Brown".
    while previous != plain:
        previous, plain = plain, _RANK.sub("", plain)
    plain = _SUFFIX.sub(
        lambda suffix: f", {'Jr.' if suffix['jun'] or suffix['junior'] else 'Sr.'}", plain
    )
    if peer := _PEER.fullmatch(plain):
        plain = _of_peer(peer["name"], peer["title"])
    words = plain.split()
    if len(words) > 2 and words[-1] == words[-2]:  # "Alfred Tennyson Tennyson"
        words.pop()
    return " ".join(words).strip(" ,")


def _of_peer(name: str, title: str) -> str:
    """Return the plain name of a peer: "Alfred Tennyson" from "Alfred, Lord Tennyson".

    The title is not repeated, as in "Edward Bulwer-Lytton, Baron Lytton".
    """
    return name if name.endswith(title) else f"{name} {title}"


def _uncapitalized(word: str) -> str:
    """Return a word of a name with only initial capitals; initials are unchanged."""
    if "." in word or len(word) == 1 or word in ("II", "III", "IV"):
        return word
    return re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), word)


def particle_surname(name: str) -> tuple[str, str] | None:
    """Return the given names and the surname of a name with a particle, or None.

    The particle belongs to the surname, as in Van Doren, Du Bois and St. John.
    """
    match = _PARTICLE.fullmatch(name)
    return (match["given"], match["family"]) if match else None
