"""The cast of an English novel from its text alone.

Forms of name are gathered with their surroundings (evidence.py), judged to be a person's or
not, and joined into characters in order of how much they tell: full names, then a title with
a surname, given names, surnames alone, descriptions. What could mean several is left to the
one it clearly means or to none (after Vala et al. 2015, "Mr. Bennet, his coachman, and the
Archbishop walk into a bar", section 4).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from statistics import median

from scholar_indexes.speakers import evidence, given_names, mentions
from scholar_indexes.speakers.evidence import (
    FEMALE_TITLES,
    MALE_TITLES,
    PLACE_BEGINNINGS,
    PLACES,
    SUSPECT,
    Form,
    Seen,
)
from scholar_indexes.types import Character, Gender, Quotation

NARRATOR = "the narrator"
"""The name of a narrator whom nobody names."""

NARRATOR_WORDS = 0.01
"""The least share of "I", "me" and "my" among the words outside quotations of a novel told by
one of its characters; in the median twentieth, since letters and prefaces say "I" too."""

CLEARLY = 3.0
"""How many times more often than any other a character is named to whom a name that fits
several clearly belongs."""

MOST_FORMS = 1_000
"""Forms of name that are joined, the most frequent ones; no novel known has so many, and
joining takes the square of them in time."""

SURE, CERTAIN = 2.0, 12.0
"""The log odds from which on pronouns tell the gender, and tell people apart by it."""

_GIVEN_NAMES = given_names.FEMALE | given_names.MALE

_WITH_GIVEN = frozenset(
    "sir uncle aunt auntie cousin king queen prince princess brother sister dame don donna "
    "master nurse".split()
)
_WITH_SURNAME = frozenset(
    "mr mrs dr colonel captain general major admiral professor lieutenant sergeant inspector "
    "reverend judge squire".split()
)
_WEIGHTS = {
    "bias": -1.1, "speaks": 1.2, "acts": 4.4, "called": 1.1, "owns": 4.7, "inside": -3.3,
    "towards": -0.7, "article": -0.8, "pronoun": 0.0, "given": 1.4, "place": -2.0,
    "suspect": -1.1, "titled": 1.3, "several": 0.6,
}  # fmt: skip
"""A logistic regression on forms of name of 22 novels labelled from LitBank's entities
(Bamman et al. 2019); none of them is among the novels the casts are measured on."""

_SAME_TITLE = {
    "mister": "mr", "messrs": "mr", "mistress": "mrs", "missis": "mrs", "misses": "miss",
    "capt": "captain", "col": "colonel", "gen": "general", "lieut": "lieutenant",
    "lt": "lieutenant", "maj": "major", "sergt": "sergeant", "sgt": "sergeant",
    "doctor": "dr", "prof": "professor", "rev": "reverend", "revd": "reverend",
    "mme": "madame", "madam": "madame",
    "mlle": "mademoiselle", "mons": "monsieur", "auntie": "aunt", "marchioness": "marquise",
    "mistah": "mr", "m": "monsieur",
}  # fmt: skip
_WIVES = frozenset("mrs madame signora frau lady senora countess duchess".split())
_MAIDS = frozenset("miss mademoiselle signorina fraulein".split())
_LEARNED = frozenset({"dr", "professor"})
"""Titles that only men bear in novels of before 1930, as good as always."""

_SAINTS = frozenset({"st", "saint"})
_KINDRED = frozenset("aunt uncle cousin".split())
_NOBLE = frozenset("sir lord lady duke duchess count countess earl baron baroness marquis".split())
_PRINCELY = _NOBLE | {"prince", "princess"}
_RANKED = _WITH_SURNAME - {"mr", "mrs"}
_MILITARY = frozenset("lieutenant captain major colonel".split())
"""Titles of which one who is promoted has several."""

_WEAK = frozenset("mr monsieur signor herr master comrade".split())
_FEMALE_NOUNS = frozenset(
    "woman lady girl wife widow maid housemaid chambermaid mother sister aunt grandmother "
    "daughter queen duchess countess princess hostess landlady governess actress nun nurse "
    "housekeeper waitress matron witch marchioness baroness marquise empress dowager spinster "
    "stewardess schoolmistress parlourmaid charwoman maiden hen cow mare bride".split()
)
_MALE_NOUNS = frozenset(
    "man gentleman boy lad husband father brother uncle grandfather son king duke count prince "
    "lord landlord host butler footman groom coachman vicar curate parson rector priest "
    "clergyman bishop policeman constable inspector detective sergeant officer soldier sailor "
    "captain colonel general major admiral mariner squire baronet marquis baron emperor waiter "
    "porter postman cabman schoolmaster monk friar abbe knave knight fellow clerk coroner "
    "barrister".split()
)
_PERSONS = _FEMALE_NOUNS | _MALE_NOUNS | evidence.RANKS | frozenset(
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


@dataclass(slots=True, eq=False)
class Figure:
    """A character in the making: its forms of name and what they say; all folded."""

    forms: dict[Form, Seen] = field(default_factory=dict)
    titles: Counter[str] = field(default_factory=Counter)
    given: str = ""
    surname: str = ""
    short: Counter[str] = field(default_factory=Counter)  # given names as they occur

    @property
    def count(self) -> int:
        return sum(each.count for each in self.forms.values())

    @property
    def seen(self) -> Seen:
        whole = Seen("")
        for each in self.forms.values():
            whole.add(each)
        return whole

    @property
    def gender(self) -> Gender:
        return _gender(self)


def find(text: str, quotations: Sequence[Quotation]) -> list[Character]:
    """The characters of a novel, the most named first.

    quotations say what is dialogue. Names are the aliases by which mentions.find finds a
    character again; no two characters share one. At most one is the narrator, and only
    where the novel is told in the first person. Takes time linear in the text.
    """
    book = evidence.Text(text, quotations)
    forms = _persons(_with_monsieur(evidence.gather(book, _GIVEN_NAMES)))
    figures = _joined(forms, len(book))
    figures += _described(book, forms, figures)
    figures = [each for each in figures if _counts(each)]
    figures.sort(key=lambda each: -each.count)
    narrator = _narrator(figures, len(quotations)) if _told_by_someone(book) else None
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
    alone = {" ".join(form.words).lower() for form in persons if not _given(form)}
    families = {_surname(form) for form in persons if form.title not in ("", "the") or _given(form)}
    persons |= {
        form: seen for form, seen in forms.items()
        if _given(form) in alone and _surname(form) in families
    }  # fmt: skip
    ranked = sorted(persons.items(), key=lambda each: -each[1].count)
    return dict(ranked[:MOST_FORMS])


def _is_family(form: Form, seen: Seen, ends: Mapping[str, int]) -> bool:
    """Whether a name means several of a surname: the Musgroves, the Miss Steeles."""
    last = form.words[-1]
    if not last.endswith("s") or last.lower() in _GIVEN_NAMES:
        return False
    stems = [last[:-1], last[:-2]] if last.endswith("es") else [last[:-1]]
    if any(each.lower() in _GIVEN_NAMES for each in stems) and seen.article <= seen.count / 2:
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
        "given": float(folded[0] in _GIVEN_NAMES),
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


# Joining forms of name into characters.


@dataclass(frozen=True, slots=True)
class _Parts:
    """A form of name in its parts, folded; husbands says that the given name is the
    husband's: Mrs. John Dashwood."""

    title: str
    given: str
    surname: str
    husbands: bool = False


def _joined(forms: Mapping[Form, Seen], length: int) -> list[Figure]:
    """The characters that the forms name, descriptions aside, in a book of so many words."""
    surnames, givens = _families(forms)
    men = _men(forms)
    after = _patronymics(forms)
    parted = [
        (form, _parts(_full(form, after), surnames, givens, men), seen)
        for form, seen in forms.items() if form.title != "the"
    ]  # fmt: skip
    parted.sort(key=lambda each: -each[2].count)
    alone = {
        parts.given: seen for _, parts, seen in parted if not (parts.title or parts.surname)
    }  # fmt: skip

    def apart(figure: Figure, seen: Seen) -> bool:
        """Whether a figure, by full or given name, stands beside a name so often that it
        is someone else: "Mr. Wilcox and Charles"."""
        theirs = [each.places for each in figure.forms.values()]
        theirs += [alone[each].places for each in figure.short if each in alone]
        return _beside(sorted(chain(*theirs)), seen.places, length)

    families: dict[str, list[Figure]] = {}
    for form, parts, seen in parted:
        if parts.given and parts.surname:
            family = families.setdefault(parts.surname, [])
            _join(family, form, parts, seen, _same_person(family, parts, seen))
    _marry(families, alone, {form.words for form in forms if form.title == "mrs"})
    # The daughters first: whose "Miss Thorpe" is known can no longer be "Mrs. Thorpe".
    for form, parts, seen in sorted(parted, key=lambda each: each[1].title in _WIVES):
        if parts.title and not parts.given:
            family = families.setdefault(parts.surname, [])
            others = [each for each in family if not apart(each, seen)]
            _join(family, form, parts, seen, _of_title(others, parts, seen, alone))
    figures = list(dict.fromkeys(chain(*families.values())))
    for form, parts, seen in parted:
        if parts.given and not parts.surname:
            _join(figures, form, parts, seen, _of_given(figures, parts, seen, apart))
    for form, parts, seen in parted:
        if not parts.title and not parts.given:
            owners = _owners(figures, parts.surname)
            if abs(seen.lean) >= CERTAIN:
                fitting = (_pronouns(seen), Gender.UNKNOWN)
                owners = [each for each in owners if each.gender in fitting]
            whose = _of_surname(owners, seen)
            if whose is not None and _side_by_side(_alone(whose, alone), seen):
                others = [each for each in owners if not _goes_by_given(each, alone)]
                _join(figures, form, parts, seen, _of_surname(others, seen))
            elif whose is not None or not owners:
                _join(figures, form, parts, seen, whose)
    return figures


def _marry(
    families: Mapping[str, list[Figure]], alone: Mapping[str, Seen], wives: Set[tuple[str, ...]]
) -> None:
    """Joins the full names of a woman who marries: Grace Melbury is Grace Fitzpiers later on,
    where the narration is about a Grace and has a Mrs. Fitzpiers."""
    married = {words[-1].lower() for words in wives}
    women: dict[str, list[Figure]] = {}
    for figure in chain(*families.values()):
        if figure.given and figure.gender is Gender.FEMALE:
            women.setdefault(figure.given, []).append(figure)
    for given, several in women.items():
        if given not in alone or len(alone[given].places) < _NAMED_SO:
            continue
        maid, *others = sorted(several, key=_begins)
        for wife in others:
            if maid.count > 2 and _MAIDS.isdisjoint(wife.titles) and wife.surname in married:
                maid.forms.update(wife.forms)
                maid.titles += wife.titles
                maid.short += wife.short
                family = families[wife.surname]
                family[family.index(wife)] = maid


def _begins(figure: Figure) -> float:
    """The number of the word where a figure's names begin in the narration."""
    return min(chain(*(each.places for each in figure.forms.values())), default=math.inf)


def _owners(figures: Sequence[Figure], name: str) -> list[Figure]:
    """Whose surname a name is; else whose it is half of, or whose given name it is."""
    owners = [each for each in figures if each.surname == name]
    return owners or [
        each for each in figures if each.surname.endswith("-" + name) or name in each.short
    ]


def _join(
    figures: list[Figure], form: Form, parts: _Parts, seen: Seen, whose: Figure | None
) -> None:
    """Gives a form to the figure it means, or to a new one."""
    if whose is None:
        whose = Figure()
        figures.append(whose)
    whose.forms[form] = seen
    if parts.title:
        whose.titles[parts.title] += seen.count
    if parts.given:
        whose.short[parts.given] += seen.count
        if not parts.husbands:
            whose.given = whose.given or parts.given
    whose.surname = whose.surname or parts.surname


def _beside(these: Sequence[int], those: Sequence[int], length: int) -> bool:
    """Whether two names stand near each other more often than chance has it.

    these and those are the numbers of words, ascending. Two names of one person hardly ever
    do, since a pronoun comes instead.
    """
    few, many = sorted((these, those), key=len)
    near = _close(few, many, _NEAR)
    chance = len(few) * min(1.0, len(many) * (2 * _NEAR + 1) / length)
    return near >= 4 and near > 1.2 * chance


def _side_by_side(given: Sequence[Seen], surname: Seen) -> bool:
    """Whether a given name and a surname are two people's, Paul and Morel, and not one's who
    goes by either, Gabriel and Oak: these too stand in one scene, but not in one sentence."""
    these = sorted(chain(*(each.places for each in given)))
    few, many = sorted((these, surname.places), key=len)
    near = _close(few, many, _NEAR)
    return near >= 10 and near >= 0.25 * _close(few, many, 5 * _NEAR)


def _close(few: Sequence[int], many: Sequence[int], words: int) -> int:
    """How many of some places have one of others, ascending, within so many words."""
    close = 0
    for at in few:
        next_one = bisect_left(many, at - words)
        close += next_one < len(many) and many[next_one] <= at + words
    return close


_NEAR = 12
"""Words between two names that stand beside each other."""


def _families(forms: Mapping[Form, Seen]) -> tuple[Counter[str], Counter[str]]:
    """How often each folded word is a surname, and how often a given name."""
    surnames, givens = Counter[str](), Counter[str]()
    nicknamed, titled = Counter[str](), Counter[str]()
    for form, seen in forms.items():
        if form.title == "the":
            continue
        given, surname = _given(form), _surname(form)
        if given:
            givens[given] += seen.count
            strange = surname in _GIVEN_NAMES and not _listed(given)
            (nicknamed if strange else surnames)[surname] += seen.count
        elif _SAME_TITLE.get(form.title, form.title) in _RANKED or (
            form.title and form.title not in _WITH_GIVEN and not _listed(surname)
        ):
            titled[surname] += seen.count
    # Where there is a Joe Harper, Injun Joe is no Mr. Joe; nor has Mrs. Rawdon her surname of
    # Rawdon Crawley.
    surnames.update({name: count for name, count in nicknamed.items() if not givens[name]})
    surnames.update({name: count for name, count in titled.items() if count >= givens[name]})
    for form, seen in forms.items():
        title = _SAME_TITLE.get(form.title, form.title)
        if title in _WITH_SURNAME and not _given(form) and not givens[_surname(form)]:
            surnames[_surname(form)] += seen.count
    return surnames, givens


def _surname(form: Form) -> str:
    """The last word with the particles before it, folded: "de bourgh"."""
    first = len(form.words) - 1
    while first > 0 and form.words[first - 1].lower() in evidence.PARTICLES:
        first -= 1
    return " ".join(form.words[first:]).lower()


def _given(form: Form) -> str:
    """The first word, folded, with the one after it where it is "St."; none of a surname alone."""
    if len(form.words) == len(_surname(form).split()):
        return ""
    size = 2 if form.words[0].lower() in _SAINTS else 1
    return " ".join(form.words[:size]).lower()


def _patronymics(forms: Mapping[Form, Seen]) -> dict[tuple[str, ...], str]:
    """The surnames of Russian names, by what stands before them: Lef Nicolaievitch Muishkin."""
    return {
        form.words[:2]: form.words[2]
        for form in sorted(forms, key=lambda each: forms[each].count)
        if len(form.words) == 3 and _PATRONYMIC.search(form.words[1])
    }


_PATRONYMIC = re.compile(r"(?:vi(?:t)?ch|[oe]vna|[iy](?:t)?ch|inichna)$")


def _full(form: Form, surnames: Mapping[tuple[str, ...], str]) -> Form:
    """A form with the surname that a given name and a patronymic have elsewhere."""
    surname = surnames.get(form.words)
    return form if surname is None else Form(form.title, (*form.words, surname))


def _listed(name: str) -> bool:
    """Whether a folded name is a given one by itself: John, St. John."""
    first, _, second = name.partition(" ")
    return name in _GIVEN_NAMES or (first in _SAINTS and second in _GIVEN_NAMES)


def _men(forms: Mapping[Form, Seen]) -> set[str]:
    """The folded first words of names that are men's, by list or by pronouns."""
    lean: dict[str, float] = {}
    for form, seen in forms.items():
        if _SAME_TITLE.get(form.title, form.title) not in _WIVES:
            first = form.words[0].lower()
            lean[first] = lean.get(first, 0.0) + seen.lean
    return {
        name for name, value in lean.items()
        if given_names.gender(name) is Gender.MALE
        or (given_names.gender(name) is Gender.UNKNOWN and value >= SURE)
    }  # fmt: skip


def _parts(
    form: Form, surnames: Mapping[str, int], givens: Mapping[str, int], men: Set[str]
) -> _Parts:
    title = _SAME_TITLE.get(form.title, form.title)
    given, surname = _given(form), _surname(form)

    def husbands(given: str) -> bool:
        listed = given_names.gender(given) is Gender.MALE
        return title in _WIVES and (given in men or listed)

    if given:
        return _Parts(title, given, surname, husbands(given))
    as_surname, as_given = surnames.get(surname, 0), givens.get(surname, 0)
    listed = _listed(surname)
    if title in _RANKED:
        is_given = as_given > 0 and not as_surname
    elif title in _WITH_GIVEN:
        is_given = listed or not as_surname
    elif title:
        is_given = as_given > as_surname or (listed and not as_surname)
    else:
        is_given = as_given >= as_surname and (listed or as_given > 0)
    if is_given:
        return _Parts(title, surname, "", husbands(surname))
    return _Parts(title, "", surname)


def _clear(
    candidates: Sequence[Figure],
    ratio: float = CLEARLY,
    weight: Callable[[Figure], int] = lambda figure: figure.count,
) -> Figure | None:
    """The only candidate, or the one that is named, or weighs, far more than the others."""
    ranked = sorted(candidates, key=weight, reverse=True)
    if len(ranked) > 1 and weight(ranked[0]) < ratio * max(1, weight(ranked[1])):
        return None
    return ranked[0] if ranked else None


def _same_person(family: Sequence[Figure], parts: _Parts, seen: Seen) -> Figure | None:
    """Whom a full name means among those of the surname: one of a given name alike."""
    same = [
        each for each in family
        if _husbands_figure(each) == parts.husbands
        and any(_given_alike(parts.given, other) for other in each.short)
        and (parts.given in each.short or _agree(each, parts, seen))
    ]  # fmt: skip
    exact = [each for each in same if parts.given in each.short]
    # Sir Thomas Bertram's son is Tom Bertram.
    return _clear(exact or [e for e in same if _NOBLE.isdisjoint({parts.title, *e.titles})])


def _husbands_figure(figure: Figure) -> bool:
    return bool(figure.short) and not figure.given


def _given_alike(one: str, other: str) -> bool:
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    known = one in _GIVEN_NAMES and other in _GIVEN_NAMES
    return given_names.alike(one, other) or (not known and given_names.shortened(one, other))


def _of_title(
    family: Sequence[Figure], parts: _Parts, seen: Seen, alone: Mapping[str, Seen]
) -> Figure | None:
    """Whom a title and a surname mean among those of the surname: Mr. Darcy, Miss Bennet."""
    mine = [each for each in family if parts.title in each.titles and not each.short]
    if mine:
        return mine[0]
    if parts.title in _WIVES:
        wives = [each for each in family if _husbands_figure(each) and parts.title in each.titles]
        if wives:
            best = max(wives, key=lambda each: each.count)
            return best if len(wives) == 1 and best.count >= 0.3 * seen.count else None
        born = [each for each in family if each.surname == parts.surname]
        maids = any(not _MAIDS.isdisjoint(each.titles) for each in born)
        candidates = [
            each for each in family
            if each.given and _agree(each, parts, seen) and each.gender is Gender.FEMALE
            and not (maids and each in born and _WIVES.isdisjoint(each.titles))
        ]  # fmt: skip
        return candidates[0] if len(candidates) == 1 else None
    candidates = [
        each for each in family
        if each.given and _agree(each, parts, seen) and not _told_apart(each, parts, seen, alone)
        and parts.title not in _KINDRED  # Aunt Norris is Mrs. Norris, whom her nieces would name
    ]  # fmt: skip
    candidates = [each for each in candidates if len(each.given) > 1] or candidates
    if not candidates:
        others = [each for each in family if not each.short and _agree(each, parts, seen)]
        return _clear([each for each in others if each.count > 5 * seen.count])

    def weight(figure: Figure) -> int:
        return figure.count + sum(each.count for each in _alone(figure, alone))

    return _clear(candidates, weight=weight)


def _alone(figure: Figure, alone: Mapping[str, Seen]) -> list[Seen]:
    """What given names without a surname, while they are not yet anyone's, that a figure may go
    by are seen doing."""
    return [
        seen for given, seen in alone.items()
        if any(given_names.stands_for(given, each) for each in figure.short)
    ]  # fmt: skip


def _goes_by_given(figure: Figure, alone: Mapping[str, Seen]) -> bool:
    """Whether the narration calls somebody by the given name."""
    return sum(len(each.places) for each in _alone(figure, alone)) >= _NAMED_SO


_GENERATION = 4
"""How often "young" or "old" stands before a name that tells father and son apart."""


_NAMED_SO, _RANKED_SO = 20, 5
"""How often the narration has a given name alone, and a rank with the surname, that are two
people's."""


def _told_apart(figure: Figure, parts: _Parts, seen: Seen, alone: Mapping[str, Seen]) -> bool:
    """Whether a figure's given name is said because the title and surname are another's.

    There is Mr. Knightley, so his brother is Mr. John Knightley, and John; and young Tom is not
    Mr. Gradgrind, nor George one of old Mr. Emerson and young Mr. Emerson. Nor is he who goes by
    his given name in the narration Judge Pyncheon, of whom it tells as well.
    """
    lone = _alone(figure, alone)
    young = sum(each.young for each in (*lone, *figure.forms.values()))
    if young >= _GENERATION > seen.young or (seen.old >= _GENERATION and seen.young):
        return True
    if _side_by_side(lone, seen):
        return True
    if parts.title in _RANKED and parts.title not in figure.titles:
        return _goes_by_given(figure, alone) and len(seen.places) >= _RANKED_SO
    return (
        figure.titles[parts.title] >= 5
        and sum(len(each.places) for each in lone) >= 5
        and 2 * (figure.count + sum(each.count for each in lone)) < seen.count
    )


def _agree(figure: Figure, parts: _Parts, seen: Seen) -> bool:
    """Whether a figure's gender and titles let it bear a title."""
    wanted = _title_gender(parts.title)
    if wanted is Gender.UNKNOWN and parts.given:
        wanted = given_names.gender(parts.given)
    if wanted is Gender.UNKNOWN:
        wanted = _pronouns(seen)
    if wanted is Gender.UNKNOWN and parts.title in _LEARNED:
        wanted = Gender.MALE
    gender = figure.gender
    if Gender.UNKNOWN not in (wanted, gender) and wanted is not gender:
        return False
    if not parts.title or not figure.titles or parts.title in figure.titles:
        return True
    ranks = {each for each in figure.titles if each not in _WEAK}
    if parts.title in _WEAK or not ranks:
        return _NOBLE.isdisjoint({parts.title, *ranks})  # nobody is Sir Walter and Mr. Elliot
    if parts.title in _WIVES and ranks <= _WIVES | _MAIDS:
        return True
    if {parts.title, *ranks} <= _LEARNED or {parts.title, *ranks} <= _MILITARY:
        return True
    return bool(parts.given) and _title_gender(parts.title) is not Gender.MALE


def _of_given(
    figures: Sequence[Figure], parts: _Parts, seen: Seen, apart: Callable[[Figure, Seen], bool]
) -> Figure | None:
    """Whom a given name means: the one who has it, or one whose name it is short for.

    Only in speech is Lord Henry called Harry.
    """
    alike = [
        each for each in figures
        if each.short and _husbands_figure(each) == parts.husbands
        and any(given_names.stands_for(parts.given, other) for other in each.short)
        and _agree(each, parts, seen)
    ]  # fmt: skip
    exact = [each for each in alike if parts.given in each.short]
    if exact:
        titled = [each for each in exact if parts.title in each.titles]
        if parts.title in _PRINCELY and titled:
            return _clear(titled, 2.0)
        # Beside Prince Nicholas Bolkonski, Nicholas is Nicholas Rostov.
        plain = [each for each in exact if _PRINCELY.isdisjoint(each.titles)] or exact
        return _clear(exact, 2.0) or (None if parts.title else _clear(plain, 2.0))
    spoken = seen.quoted > seen.count / 2
    return _clear([
        each for each in alike
        if not apart(each, seen) and (spoken or _NOBLE.isdisjoint(each.titles))
    ])  # fmt: skip


def _of_surname(owners: Sequence[Figure], seen: Seen) -> Figure | None:
    """Whom a surname alone means: Darcy is Mr. Darcy, not his sister."""
    men = [each for each in owners if each.gender is Gender.MALE]
    fitting = men or [each for each in owners if each.gender is _pronouns(seen)] or list(owners)
    most = max(fitting, key=lambda each: each.count, default=None)
    if most is not None and seen.count > most.count:
        return most  # the name by which the book goes, so it is its bearer's
    return _clear(fitting, 1.5)


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
            whose = _clear(longer.get(head, ())) or _by_title(figures, head) or lone.get(head)
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
    title = _HOLDS.get(noun, _SAME_TITLE.get(noun, noun))

    def bears(figure: Figure) -> int:
        """How often a figure is named with the noun before the name: Dairyman Crick."""
        return figure.titles[title] + sum(
            seen.count for form, seen in figure.forms.items()
            if form.title != "the" and len(form.words) > 1 and form.words[0].lower() == noun
        )  # fmt: skip

    several = [each for each in figures if bears(each) >= max(1.0, _BORNE * each.count)]
    mostly = [each for each in several if bears(each) * 2 > sum(each.titles.values())]
    return _clear(several, weight=bears) or _clear(mostly)


_HOLDS = {"baronet": "sir"}
_BORNE = 0.02
"""The share of a character's names that have a title, for the title alone to be a name too."""


# Gender.


def _title_gender(title: str) -> Gender:
    if title in MALE_TITLES:
        return Gender.MALE
    return Gender.FEMALE if title in FEMALE_TITLES else Gender.UNKNOWN


def _pronouns(seen: Seen) -> Gender:
    """What the pronouns after a name say, where they say it clearly."""
    if abs(seen.lean) < SURE:
        return Gender.UNKNOWN
    return Gender.MALE if seen.lean > 0 else Gender.FEMALE


def _gender(figure: Figure) -> Gender:
    """By title, by given name, by the noun of a description, by pronouns, in that order."""
    votes = Counter[Gender]()
    for title, count in figure.titles.items():
        votes[_title_gender(title)] += count
    del votes[Gender.UNKNOWN]
    if votes:
        return votes.most_common(1)[0][0]
    listed = given_names.gender(figure.given)
    if listed is not Gender.UNKNOWN:
        return listed
    for form in figure.forms:
        if form.title != "the" and any(map(_PATRONYMIC.search, form.words)):
            return Gender.FEMALE if any(each.endswith("na") for each in form.words) else Gender.MALE
    for form in figure.forms:
        if form.title == "the":
            noun = form.words[-1].lower()
            if noun in _FEMALE_NOUNS or noun in FEMALE_TITLES:
                return Gender.FEMALE
            if noun in _MALE_NOUNS or noun in MALE_TITLES:
                return Gender.MALE
    spoken = _pronouns(figure.seen)
    if spoken is Gender.UNKNOWN and not _LEARNED.isdisjoint(figure.titles):
        return Gender.MALE
    return spoken


# The narrator.


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

    One who is called so rarely that it may be anybody is left without a name.
    """
    best, most = None, max(4, quotations // 150)
    for figure in figures:
        seen = figure.seen
        outside = seen.count - seen.quoted
        unnamed = outside <= 0.2 * seen.count and seen.narrated <= 0.02 * seen.count
        if unnamed and seen.called > most:
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
        full &= not _PATRONYMIC.search(alias)
        plain = full and form.title in ("", "mrs", *_NOBLE)  # Elizabeth, not Miss Elizabeth Bennet
        return full, plain, bool(form.title) and count >= 0.3 * most, count

    return max(aliases, key=worth)
