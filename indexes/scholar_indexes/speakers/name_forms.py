"""A form of name in its parts: title, given name, surname, as the book as a whole has them.

Which word is which shows in other forms: who is Rawdon Crawley somewhere is Rawdon by his given
name, and Mrs. Rawdon by his.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

from scholar_indexes.speakers import evidence, given_names
from scholar_indexes.speakers.evidence import Form, Seen
from scholar_indexes.types import Gender

SURE = 2.0
"""The log odds from which on pronouns tell the gender."""

GIVEN_NAMES = given_names.FEMALE | given_names.MALE
_WITH_GIVEN = frozenset(
    "sir uncle aunt auntie cousin king queen prince princess brother sister dame don donna "
    "master nurse".split()
)
_WITH_SURNAME = frozenset(
    "mr mrs dr colonel captain general major admiral professor lieutenant sergeant inspector "
    "reverend judge squire".split()
)
SAME_TITLE = {
    "mister": "mr", "messrs": "mr", "mistress": "mrs", "missis": "mrs", "misses": "miss",
    "capt": "captain", "col": "colonel", "gen": "general", "lieut": "lieutenant",
    "lt": "lieutenant", "maj": "major", "sergt": "sergeant", "sgt": "sergeant",
    "doctor": "dr", "prof": "professor", "rev": "reverend", "revd": "reverend",
    "mme": "madame", "madam": "madame",
    "mlle": "mademoiselle", "mons": "monsieur", "auntie": "aunt", "marchioness": "marquise",
    "mistah": "mr", "m": "monsieur",
}  # fmt: skip
WIVES = frozenset("mrs madame signora frau lady senora countess duchess".split())
_SAINTS = frozenset({"st", "saint"})
RANKED = _WITH_SURNAME - {"mr", "mrs"}


@dataclass(frozen=True, slots=True)
class Parts:
    """A form of name in its parts, folded; husbands says that the given name is the
    husband's: Mrs. John Dashwood."""

    title: str
    given: str
    surname: str
    husbands: bool = False


def parted(forms: Mapping[Form, Seen]) -> list[tuple[Form, Parts, Seen]]:
    """The forms, descriptions aside, with their parts, the most frequent first."""
    surnames, givens = _families(forms)
    men = _men(forms)
    after = _patronymics(forms)
    found = [
        (form, _parts(_full(form, after), surnames, givens, men), seen)
        for form, seen in forms.items() if form.title != "the"
    ]  # fmt: skip
    found.sort(key=lambda each: -each[2].count)
    return found


def _families(forms: Mapping[Form, Seen]) -> tuple[Counter[str], Counter[str]]:
    """How often each folded word is a surname, and how often a given name."""
    surnames, givens = Counter[str](), Counter[str]()
    nicknamed, titled = Counter[str](), Counter[str]()
    for form, seen in forms.items():
        if form.title == "the":
            continue
        given, surname = given_of(form), surname_of(form)
        if given:
            givens[given] += seen.count
            strange = surname in GIVEN_NAMES and not _listed(given)
            (nicknamed if strange else surnames)[surname] += seen.count
        elif SAME_TITLE.get(form.title, form.title) in RANKED or (
            form.title and form.title not in _WITH_GIVEN and not _listed(surname)
        ):
            titled[surname] += seen.count
    # Where there is a Joe Harper, Injun Joe is no Mr. Joe; nor has Mrs. Rawdon her surname of
    # Rawdon Crawley.
    surnames.update({name: count for name, count in nicknamed.items() if not givens[name]})
    surnames.update({name: count for name, count in titled.items() if count >= givens[name]})
    for form, seen in forms.items():
        title = SAME_TITLE.get(form.title, form.title)
        if title in _WITH_SURNAME and not given_of(form) and not givens[surname_of(form)]:
            surnames[surname_of(form)] += seen.count
    return surnames, givens


def surname_of(form: Form) -> str:
    """The last word with the particles before it, folded: "de bourgh"."""
    first = len(form.words) - 1
    while first > 0 and form.words[first - 1].lower() in evidence.PARTICLES:
        first -= 1
    return " ".join(form.words[first:]).lower()


def given_of(form: Form) -> str:
    """The first word, folded, with the one after it where it is "St."; none of a surname alone."""
    if len(form.words) == len(surname_of(form).split()):
        return ""
    size = 2 if form.words[0].lower() in _SAINTS else 1
    return " ".join(form.words[:size]).lower()


def _patronymics(forms: Mapping[Form, Seen]) -> dict[tuple[str, ...], str]:
    """The surnames of Russian names, by what stands before them: Lef Nicolaievitch Muishkin."""
    return {
        form.words[:2]: form.words[2]
        for form in sorted(forms, key=lambda each: forms[each].count)
        if len(form.words) == 3 and PATRONYMIC.search(form.words[1])
    }


PATRONYMIC = re.compile(r"(?:[oe]vit?ch|[oe]vna|it?chna|[fmy]itch|nych)$")
"""How a patronymic ends: Ivanovitch, Petrovna, Ilyitch; but not Friedrich or Fitch."""


def _full(form: Form, surnames: Mapping[tuple[str, ...], str]) -> Form:
    """A form with the surname that a given name and a patronymic have elsewhere."""
    surname = surnames.get(form.words)
    return form if surname is None else Form(form.title, (*form.words, surname))


def _listed(name: str) -> bool:
    """Whether a folded name is a given one by itself: John, St. John."""
    first, _, second = name.partition(" ")
    return name in GIVEN_NAMES or (first in _SAINTS and second in GIVEN_NAMES)


def _men(forms: Mapping[Form, Seen]) -> set[str]:
    """The folded first words of names that are men's, by list or by pronouns."""
    lean: dict[str, float] = {}
    for form, seen in forms.items():
        if SAME_TITLE.get(form.title, form.title) not in WIVES:
            first = form.words[0].lower()
            lean[first] = lean.get(first, 0.0) + seen.lean
    return {
        name for name, value in lean.items()
        if given_names.gender(name) is Gender.MALE
        or (given_names.gender(name) is Gender.UNKNOWN and value >= SURE)
    }  # fmt: skip


def _parts(
    form: Form, surnames: Mapping[str, int], givens: Mapping[str, int], men: Set[str]
) -> Parts:
    title = SAME_TITLE.get(form.title, form.title)
    given, surname = given_of(form), surname_of(form)

    def husbands(given: str) -> bool:
        listed = given_names.gender(given) is Gender.MALE
        return title in WIVES and (given in men or listed)

    if given:
        return Parts(title, given, surname, husbands(given))
    as_surname, as_given = surnames.get(surname, 0), givens.get(surname, 0)
    listed = _listed(surname)
    if title in RANKED:
        is_given = as_given > 0 and not as_surname
    elif title in _WITH_GIVEN:
        is_given = listed or not as_surname
    elif title:
        is_given = as_given > as_surname or (listed and not as_surname)
    else:
        is_given = as_given >= as_surname and (listed or as_given > 0)
    if is_given:
        return Parts(title, surname, "", husbands(surname))
    return Parts(title, "", surname)
