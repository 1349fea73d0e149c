"""The cast of an English novel from its text alone.

Forms of name are gathered with their surroundings (evidence.py), judged to be a person's or
not, and joined into characters (figures.py); descriptions that act as names come last.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from scholar_indexes.speakers import evidence, mentions
from scholar_indexes.speakers.evidence import PLACE_BEGINNINGS, PLACES, SUSPECT, Form, Seen
from scholar_indexes.speakers.figures import (
    FEMALE_NOUNS,
    KINDRED,
    MALE_NOUNS,
    NOBLE,
    Figure,
    clear,
    joined,
)
from scholar_indexes.speakers.name_forms import (
    GIVEN_NAMES,
    PATRONYMIC,
    SAME_TITLE,
    given_of,
    surname_of,
)
from scholar_indexes.types import Character, Gender, Quotation

NARRATOR = "the narrator"
"""The name of a narrator whom nobody names."""

NARRATOR_WORDS = 0.01
"""The least share of "I", "me" and "my" among the words outside quotations of a novel told by
one of its characters; in the median twentieth, since letters and prefaces say "I" too."""

MOST_FORMS = 1_000
"""Forms of name that are joined, the most frequent ones; no novel known has so many, and
joining takes the square of them in time."""

_WEIGHTS = {
    "bias": -1.1, "speaks": 1.2, "acts": 4.4, "called": 1.1, "owns": 4.7, "inside": -3.3,
    "towards": -0.7, "article": -0.8, "pronoun": 0.0, "given": 1.4, "place": -2.0,
    "suspect": -1.1, "titled": 1.3, "several": 0.6,
}  # fmt: skip
"""A logistic regression on forms of name of 22 novels labelled from LitBank's entities
(Bamman et al. 2019); none of them is among the novels the casts are measured on."""

_PERSONS = FEMALE_NOUNS | MALE_NOUNS | evidence.RANKS | frozenset(
    "doctor lawyer servant cook stranger child gaoler jailer banker teacher driver guard "
    "secretary chauffeur visitor passenger prisoner gardener tutor professor president "
    "magistrate judge surgeon physician solicitor editor poet artist painter conductor "
    "interpreter croupier dealer miller farmer shepherd baker butcher tailor barber blacksmith "
    "carpenter merchant gipsy gypsy pirate captive messenger attendant manager".split()
)  # fmt: skip
_KIN = frozenset("father mother husband wife son daughter brother sister uncle aunt".split())
_GENERIC = frozenset(
    "man woman boy girl lady gentleman fellow lad child person creature men old young".split()
)


def find(text: str, quotations: Sequence[Quotation]) -> list[Character]:
    """The characters of a novel, the most named first.

    quotations say what is dialogue. Names are the aliases by which mentions.find finds a
    character again; no two characters share one. At most one is the narrator, and only
    where the novel is told in the first person. Takes time linear in the text.
    """
    book = evidence.Text(text, quotations)
    forms = _persons(_with_monsieur(evidence.gather(book, GIVEN_NAMES)))
    figures = joined(forms, len(book))
    figures += _described(book, forms, figures)
    figures = [each for each in figures if _counts(each)]
    told_by_someone = _told_by_someone(book)
    if told_by_someone:
        _add_belongings(book, figures)
    figures.sort(key=lambda each: -each.count)
    narrator = _narrator(figures, len(quotations)) if told_by_someone else None
    if narrator is not None and narrator not in figures:
        figures.append(narrator)
    return _characters(figures, narrator)


# Who is a person.


def _with_monsieur(forms: Mapping[Form, Seen]) -> dict[Form, Seen]:
    """Forms in which "M." is a title, where so many have it that it is no initial."""
    french = {form for form in forms if not form.title and form.words[0] == "M"}
    enough = len(french) >= _FRENCH
    return {
        Form("m", form.words[1:]) if enough and form in french else form: seen
        for form, seen in forms.items()
    }


_FRENCH = 4
"""Names that begin with "M." in a book where it is a title."""


def _persons(forms: Mapping[Form, Seen]) -> dict[Form, Seen]:
    """The forms that name a person, the most frequent first."""
    titled = Counter[str]()
    for form, seen in forms.items():
        if form.title and form.title != "the":
            titled[form.words[-1]] += seen.count
    ends = Counter[str]()
    for form, seen in forms.items():
        ends[form.words[-1]] += seen.count
    persons = {
        form: seen for form, seen in forms.items()
        if not _is_family(form, seen, ends)
        and (form.title == "the" or _is_person(form, seen, titled[form.words[-1]]))
    }  # fmt: skip
    # Where there are Huckleberry and Huck Finn, Huckleberry Finn is nobody else.
    alone = {" ".join(form.words).lower() for form in persons if not given_of(form)}
    families = {
        surname_of(form) for form in persons if form.title not in ("", "the") or given_of(form)
    }
    persons |= {
        form: seen for form, seen in forms.items()
        if given_of(form) in alone and surname_of(form) in families
        and form.words[-1].lower() not in PLACES
    }  # fmt: skip
    ranked = sorted(persons.items(), key=lambda each: -each[1].count)
    return dict(ranked[:MOST_FORMS])


def _is_family(form: Form, seen: Seen, ends: Mapping[str, int]) -> bool:
    """Whether a name means several of a surname: the Musgroves, the Miss Steeles."""
    last = form.words[-1]
    if not last.endswith("s") or last.lower() in GIVEN_NAMES:
        return False
    stems = [last[:-1], last[:-2]] if last.endswith("es") else [last[:-1]]
    if any(each.lower() in GIVEN_NAMES for each in stems) and seen.article <= seen.count / 2:
        return False  # Mr. Williams
    return max(ends.get(each, 0) for each in stems) > 2 * ends[last] or (
        max(ends.get(each, 0) for each in stems) > 1 and seen.article > seen.count / 2
    )


def _is_person(form: Form, seen: Seen, titled: int) -> bool:
    last = form.words[-1].lower()
    alive = seen.speaks + seen.acts + seen.called
    if form.title in ("mr", "mrs", "miss"):
        return True
    if form.title:
        return last not in SUSPECT and (alive > 0 or last not in PLACES)
    if len(form.words) > 1 and last in PLACES and not alive:
        return False
    if seen.called >= max(5, 0.6 * seen.count) and last not in SUSPECT:
        return True  # who is only ever called is called by name: a narrator
    return odds(form, seen, titled) > (0 if seen.count > 1 or titled else 0.5)


def odds(form: Form, seen: Seen, titled: int) -> float:
    """The log odds that an untitled form names a person, from where it stands.

    titled is how often its last word follows a title.
    """
    folded = [each.lower() for each in form.words]
    several = len(folded) > 1
    value = {
        "bias": 1.0,
        "given": float(folded[0] in GIVEN_NAMES),
        "place": float(
            (folded[-1] in PLACES and not titled) or (several and folded[0] in PLACE_BEGINNINGS)
        ),
        "suspect": float(not SUSPECT.isdisjoint(folded)),
        "titled": float(titled > 0),
        "several": float(several),
    }
    for name, hits in (
        ("speaks", seen.speaks), ("acts", seen.acts), ("called", seen.called), ("owns", seen.owns),
        ("inside", seen.inside), ("towards", seen.towards), ("article", seen.article),
        ("pronoun", seen.pronouns),
    ):  # fmt: skip
        value[name] = math.sqrt(hits / (seen.count + 2))
    return sum(_WEIGHTS[name] * each for name, each in value.items())


def _counts(figure: Figure) -> bool:
    """Whether a figure is more than a name dropped once."""
    return figure.count > 1 or any(form.title not in ("", "the") for form in figure.forms)


# Descriptions that act as names.


def _described(
    book: evidence.Text, forms: Mapping[Form, Seen], figures: Sequence[Figure]
) -> list[Figure]:
    """The characters known by a description; those who have a name get it as another."""
    found = evidence.descriptions(book)
    leading = max((each.count for each in figures), default=0)
    named = {tuple(word.lower() for word in form.words) for form in forms if form.title == ""}
    longer: dict[str, list[Figure]] = {}
    fresh: list[Figure] = []
    lone = {
        form.words[-1].lower(): each for each in figures for form in each.forms
        if len(each.forms) == 1 and not form.title and len(form.words) == 1
    }  # fmt: skip
    for words in sorted(found, key=lambda each: (-len(each), -found[each].count)):
        seen = found[words]
        if not _acts_as_name(words, seen, words in named, leading):
            continue
        form = Form("the", tuple(seen.raw.split()[1:]))
        head = words[-1]
        if words not in named and (head,) in named and form.words[-1][0].isupper():
            continue  # the wretched Heathcliff
        whose = None
        if len(words) == 1:
            whose = clear(longer.get(head, ())) or _by_title(figures, head) or lone.get(head)
        elif words in named:
            whose = next((
                each for each in figures for form in each.forms
                if tuple(word.lower() for word in form.words) == words
            ), None)  # fmt: skip
        elif form.words[-1][0].isupper():
            whose = _by_title(figures, head)
        if whose is None:
            whose = Figure()
            fresh.append(whose)
        whose.forms[form] = seen
        if len(words) > 1 and head not in _GENERIC:
            longer.setdefault(head, []).append(whose)
    return fresh


def _acts_as_name(words: tuple[str, ...], seen: Seen, named: bool, leading: int) -> bool:
    """Whether a description means one and the same person throughout.

    leading is how often the leading character is named: "the old man" is a name only where
    it is one of the most used.
    """
    head = words[-1]
    if head in mentions.ABBREVIATED:
        return False
    capital = seen.raw.rpartition(" ")[2][0].isupper()
    if head.endswith("s") and not head.endswith(("ss", "us", "is")) and not named:
        return False
    if head in _GENERIC and not capital:
        return len(words) > 1 and seen.speaks > 3 and seen.count >= leading / 10
    if head in _KIN and not capital:
        return seen.speaks > 3
    if capital or named:
        return seen.speaks > 0
    if words[-1] in _PERSONS:
        return seen.speaks > 1
    return seen.speaks > 2


def _by_title(figures: Sequence[Figure], noun: str) -> Figure | None:
    """Whom "the Colonel" means: the one so called, if one is called so above all others."""
    title = _HOLDS.get(noun, SAME_TITLE.get(noun, noun))

    def bears(figure: Figure) -> int:
        """How often a figure is named with the noun before the name: Dairyman Crick."""
        return figure.titles[title] + sum(
            seen.count for form, seen in figure.forms.items()
            if form.title != "the" and len(form.words) > 1 and form.words[0].lower() == noun
        )  # fmt: skip

    several = [each for each in figures if bears(each) >= max(1.0, _BORNE * each.count)]
    mostly = [each for each in several if bears(each) * 2 > sum(each.titles.values())]
    return clear(several, weight=bears) or clear(mostly)


_HOLDS = {"baronet": "sir"}
"""The title of whom a noun describes, where it is another word."""

_BORNE = 0.02
"""The share of a character's names that have a title, for the title alone to be a name too."""


# The narrator.


def _add_belongings(book: evidence.Text, figures: list[Figure]) -> None:
    """Those who speak as "my aunt": by a name if the narration says it with that, "my sister,
    Mrs. Joe Gargery"."""
    for noun, seen in evidence.belongings(book).items():
        if seen.speaks < OFTEN_OWN:
            continue
        figure = Figure(forms={Form("my", (noun,)): seen})
        after = re.compile(rf"\b[Mm]y {noun}[,—\s]{{1,3}}((?:[A-Z][\w’']*\.? ?){{2,4}})")
        named = [" ".join(each[1].split()).rstrip(".’'") for each in after.finditer(book.text)]
        whose = [
            each for each in figures
            if each.gender in (figure.gender, Gender.UNKNOWN)
            and any(form.raw in named for form in each.forms.values())
        ]  # fmt: skip
        # Uncle Ebenezer; but Father Flynn is nobody's father.
        titled = [each for each in figures if noun in KINDRED and each.titles[noun]]
        if whose or len(titled) == 1:
            (whose or titled)[0].forms |= figure.forms
        else:
            figures.append(figure)


OFTEN_OWN = 5
"""How often one who is "my aunt" must speak by that name to be a character."""


def _told_by_someone(book: evidence.Text) -> bool:
    """Whether the novel is told in the first person."""
    outside = [word for word, inside in zip(book.words, book.quoted, strict=True) if not inside]
    size = max(1, len(outside) // 20)
    shares = [
        sum(word in _SELF for word in outside[at : at + size]) / size
        for at in range(0, len(outside) - size + 1, size)
    ]
    return bool(shares) and len(outside) >= 100 and median(shares) > NARRATOR_WORDS


_SELF = frozenset({"I", "me", "my"})


def _narrator(figures: Sequence[Figure], quotations: int) -> Figure:
    """The narrator: whom others call by a name that the narration does not use.

    One who is called so rarely that it may be anybody is left without a name; who is spoken of
    more than to, by one who tells a tale aloud, is no narrator.
    """
    best, most = None, max(4, quotations // 150)
    for figure in figures:
        seen = figure.seen
        outside = seen.count - seen.quoted
        unnamed = outside <= 0.2 * seen.count and seen.narrated <= 0.02 * seen.count
        if unnamed and seen.called > max(most, seen.count / 4):
            best, most = figure, seen.called
    return best or Figure()


# The nouns of scholar.


def _characters(figures: Sequence[Figure], narrator: Figure | None) -> list[Character]:
    taken: set[mentions.Name] = set()
    ids: Counter[str] = Counter()
    cast = []
    for figure in figures:
        aliases = []
        for form in sorted(figure.forms, key=lambda each: -figure.forms[each].count):
            alias = figure.forms[form].raw
            folded = mentions.words(alias)
            if folded and folded not in taken:
                taken.add(folded)
                aliases.append(alias)
        if not aliases:
            if figure is not narrator:
                continue
            aliases = [NARRATOR]
        name = _telling(figure, aliases)
        slug = re.sub(r"\W+", "-", " ".join(mentions.words(name))).strip("-") or "someone"
        ids[slug] += 1
        unique = slug if ids[slug] == 1 else f"{slug}-{ids[slug]}"
        cast.append(Character(unique, name, tuple(aliases), figure.gender, figure is narrator))
    return cast


def _telling(figure: Figure, aliases: Sequence[str]) -> str:
    """The alias that says most: a full name that is not rare, else the most frequent."""
    counts = {seen.raw: (form, seen.count) for form, seen in figure.forms.items()}
    most = max((counts[each][1] for each in aliases if each in counts), default=0)

    def worth(alias: str) -> tuple[bool, bool, bool, int]:
        form, count = counts.get(alias, (Form("", ()), 0))
        full = len(form.words) > 1 and form.title != "the" and count >= min(3, most)
        full &= not PATRONYMIC.search(alias)
        plain = full and form.title in ("", "mrs", *NOBLE)  # Elizabeth, not Miss Elizabeth Bennet
        return full, plain, bool(form.title) and count >= 0.3 * most, count

    return max(aliases, key=worth)
