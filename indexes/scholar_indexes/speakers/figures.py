"""Joins forms of name into characters in the making.

In order of how much they tell: full names, then a title with a surname, given names, surnames
alone. What could mean several is left to the one it clearly means or to none (after Vala et
al. 2015, "Mr. Bennet, his coachman, and the Archbishop walk into a bar", section 4).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain

from scholar_indexes.speakers import given_names
from scholar_indexes.speakers.evidence import FEMALE_TITLES, MALE_TITLES, Form, Seen
from scholar_indexes.speakers.name_forms import (
    GIVEN_NAMES,
    PATRONYMIC,
    RANKED,
    SURE,
    WIVES,
    Parts,
    parted,
)
from scholar_indexes.types import Gender

CLEARLY = 3.0
"""How many times more often than any other a character is named to whom a name that fits
several clearly belongs."""

CERTAIN = 12.0
"""The log odds from which on pronouns tell people of one surname apart."""

_MAIDS = frozenset("miss mademoiselle signorina fraulein".split())
_LEARNED = frozenset({"dr", "professor"})
"""Titles that only men bear in novels of before 1930, as good as always."""

KINDRED = frozenset("aunt uncle cousin".split())
NOBLE = frozenset("sir lord lady duke duchess count countess earl baron baroness marquis".split())
_PRINCELY = NOBLE | {"prince", "princess"}
_MILITARY = frozenset("lieutenant captain major colonel".split())
"""Titles of which one who is promoted has several."""

_WEAK = frozenset("mr monsieur signor herr master comrade".split())
FEMALE_NOUNS = frozenset(
    "woman lady girl wife widow maid housemaid chambermaid mother sister aunt grandmother "
    "daughter queen duchess countess princess hostess landlady governess actress nun nurse "
    "housekeeper waitress matron witch marchioness baroness marquise empress dowager spinster "
    "stewardess schoolmistress parlourmaid charwoman maiden hen cow mare bride mistress".split()
)
MALE_NOUNS = frozenset(
    "man gentleman boy lad husband father brother uncle grandfather son king duke count prince "
    "lord landlord host butler footman groom coachman vicar curate parson rector priest "
    "clergyman bishop policeman constable inspector detective sergeant officer soldier sailor "
    "captain colonel general major admiral mariner squire baronet marquis baron emperor waiter "
    "porter postman cabman master schoolmaster monk friar abbe knave knight fellow clerk coroner "
    "barrister".split()
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


def joined(forms: Mapping[Form, Seen], length: int) -> list[Figure]:
    """The characters that the forms name, descriptions aside, in a book of so many words."""
    parts_of = parted(forms)
    alone = {
        parts.given: seen for _, parts, seen in parts_of if not (parts.title or parts.surname)
    }  # fmt: skip

    def apart(figure: Figure, seen: Seen) -> bool:
        """Whether a figure, by full or given name, stands beside a name so often that it
        is someone else: "Mr. Wilcox and Charles"."""
        theirs = [each.places for each in figure.forms.values()]
        theirs += [alone[each].places for each in figure.short if each in alone]
        return _beside(sorted(chain(*theirs)), seen.places, length)

    families: dict[str, list[Figure]] = {}
    for form, parts, seen in parts_of:
        if parts.given and parts.surname:
            family = families.setdefault(parts.surname, [])
            _join(family, form, parts, seen, _same_person(family, parts, seen))
    _marry(families, alone, {form.words for form in forms if form.title == "mrs"})
    # The daughters first: whose "Miss Thorpe" is known can no longer be "Mrs. Thorpe".
    for form, parts, seen in sorted(parts_of, key=lambda each: each[1].title in WIVES):
        if parts.title and not parts.given:
            family = families.setdefault(parts.surname, [])
            others = [each for each in family if not apart(each, seen)]
            _join(family, form, parts, seen, _of_title(others, parts, seen, alone))
    figures = list(dict.fromkeys(chain(*families.values())))
    for form, parts, seen in parts_of:
        if parts.given and not parts.surname:
            _join(figures, form, parts, seen, _of_given(figures, parts, seen, apart))
    for form, parts, seen in parts_of:
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
    figures: list[Figure], form: Form, parts: Parts, seen: Seen, whose: Figure | None
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
    near = _in_one_scene(given, surname, _NEAR)
    return near >= 10 and near >= 0.25 * _in_one_scene(given, surname, 5 * _NEAR)


def _in_one_scene(given: Sequence[Seen], name: Seen, words: int) -> int:
    """How often some given names and another name stand within so many words."""
    few, many = sorted((sorted(chain(*(each.places for each in given))), name.places), key=len)
    return _close(few, many, words)


def _close(few: Sequence[int], many: Sequence[int], words: int) -> int:
    """How many of some places have one of others, ascending, within so many words."""
    close = 0
    for at in few:
        next_one = bisect_left(many, at - words)
        close += next_one < len(many) and many[next_one] <= at + words
    return close


_NEAR = 12
"""Words between two names that stand beside each other."""


def clear(
    candidates: Sequence[Figure],
    ratio: float = CLEARLY,
    weight: Callable[[Figure], int] = lambda figure: figure.count,
) -> Figure | None:
    """The only candidate, or the one that is named, or weighs, far more than the others."""
    ranked = sorted(candidates, key=weight, reverse=True)
    if len(ranked) > 1 and weight(ranked[0]) < ratio * max(1, weight(ranked[1])):
        return None
    return ranked[0] if ranked else None


def _same_person(family: Sequence[Figure], parts: Parts, seen: Seen) -> Figure | None:
    """Whom a full name means among those of the surname: one of a given name alike."""
    same = [
        each for each in family
        if _husbands_figure(each) == parts.husbands
        and any(_given_alike(parts.given, other) for other in each.short)
        and (parts.given in each.short or _agree(each, parts, seen))
    ]  # fmt: skip
    exact = [each for each in same if parts.given in each.short]
    # Sir Thomas Bertram's son is Tom Bertram.
    return clear(exact or [e for e in same if NOBLE.isdisjoint({parts.title, *e.titles})])


def _husbands_figure(figure: Figure) -> bool:
    return bool(figure.short) and not figure.given


def _given_alike(one: str, other: str) -> bool:
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    known = one in GIVEN_NAMES and other in GIVEN_NAMES
    return given_names.alike(one, other) or (not known and given_names.shortened(one, other))


def _of_title(
    family: Sequence[Figure], parts: Parts, seen: Seen, alone: Mapping[str, Seen]
) -> Figure | None:
    """Whom a title and a surname mean among those of the surname: Mr. Darcy, Miss Bennet."""
    mine = [each for each in family if parts.title in each.titles and not each.short]
    if mine:
        return mine[0]
    if parts.title in WIVES:
        wives = [each for each in family if _husbands_figure(each) and parts.title in each.titles]
        if wives:
            best = max(wives, key=lambda each: each.count)
            return best if len(wives) == 1 and best.count >= 0.3 * seen.count else None
        born = [each for each in family if each.surname == parts.surname]
        maids = any(not _MAIDS.isdisjoint(each.titles) for each in born)
        candidates = [
            each for each in family
            if each.given and _agree(each, parts, seen) and each.gender is Gender.FEMALE
            and not (maids and each in born and WIVES.isdisjoint(each.titles))
        ]  # fmt: skip
        return candidates[0] if len(candidates) == 1 else None
    candidates = [
        each for each in family
        if each.given and _agree(each, parts, seen) and not _told_apart(each, parts, seen, alone)
        and parts.title not in KINDRED  # Aunt Norris is Mrs. Norris, whom her nieces would name
    ]  # fmt: skip
    candidates = [each for each in candidates if len(each.given) > 1] or candidates
    if not candidates:
        others = [each for each in family if not each.short and _agree(each, parts, seen)]
        return clear([each for each in others if each.count > 5 * seen.count])

    def weight(figure: Figure) -> int:
        return figure.count + sum(each.count for each in _alone(figure, alone))

    return clear(candidates, weight=weight)


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


def _told_apart(figure: Figure, parts: Parts, seen: Seen, alone: Mapping[str, Seen]) -> bool:
    """Whether a figure's given name is said because the title and surname are another's.

    There is Mr. Knightley, so his brother is Mr. John Knightley, and John; and young Tom is not
    Mr. Gradgrind, nor George one of old Mr. Emerson and young Mr. Emerson. Nor is Frederick Mr.
    Hale, with whom he stands in one scene after another, nor he who goes by his given name in the
    narration Judge Pyncheon, of whom it tells as well.
    """
    lone = _alone(figure, alone)
    young = sum(each.young for each in (*lone, *figure.forms.values()))
    if young >= _GENERATION > seen.young or (seen.old >= _GENERATION and seen.young):
        return True
    lean, wanted = sum(each.lean for each in lone), _title_gender(parts.title)
    if abs(lean) >= CERTAIN and wanted is (Gender.FEMALE if lean > 0 else Gender.MALE):
        return True  # Gudrun is not Mr. Brangwen
    if parts.title not in _MAIDS and _in_one_scene(lone, seen, 5 * _NEAR) >= _NAMED_SO:
        return True
    if parts.title in RANKED and parts.title not in figure.titles:
        return _goes_by_given(figure, alone) and len(seen.places) >= _RANKED_SO
    return (
        figure.titles[parts.title] >= 5
        and sum(len(each.places) for each in lone) >= 5
        and 2 * (figure.count + sum(each.count for each in lone)) < seen.count
    )


def _agree(figure: Figure, parts: Parts, seen: Seen) -> bool:
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
        return NOBLE.isdisjoint({parts.title, *ranks})  # nobody is Sir Walter and Mr. Elliot
    if parts.title in WIVES and ranks <= WIVES | _MAIDS:
        return True
    if {parts.title, *ranks} <= _LEARNED or {parts.title, *ranks} <= _MILITARY:
        return True
    return bool(parts.given) and _title_gender(parts.title) is not Gender.MALE


def _of_given(
    figures: Sequence[Figure], parts: Parts, seen: Seen, apart: Callable[[Figure, Seen], bool]
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
            return clear(titled, 2.0)
        # Beside Prince Nicholas Bolkonski, Nicholas is Nicholas Rostov.
        plain = [each for each in exact if _PRINCELY.isdisjoint(each.titles)] or exact
        return clear(exact, 2.0) or (None if parts.title else clear(plain, 2.0))
    spoken = seen.quoted > seen.count / 2
    return clear([
        each for each in alike
        if not apart(each, seen) and (spoken or NOBLE.isdisjoint(each.titles))
    ])  # fmt: skip


def _of_surname(owners: Sequence[Figure], seen: Seen) -> Figure | None:
    """Whom a surname alone means: Darcy is Mr. Darcy, not his sister."""
    men = [each for each in owners if each.gender is Gender.MALE]
    fitting = men or [each for each in owners if each.gender is _pronouns(seen)] or list(owners)
    most = max(fitting, key=lambda each: each.count, default=None)
    if most is not None and seen.count > most.count:
        return most  # the name by which the book goes, so it is its bearer's
    return clear(fitting, 1.5)


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
        if form.title != "the" and any(map(PATRONYMIC.search, form.words)):
            return Gender.FEMALE if any(each.endswith("na") for each in form.words) else Gender.MALE
    for form in figure.forms:
        if form.title in ("the", "my"):
            noun = form.words[-1].lower()
            if noun in FEMALE_NOUNS or noun in FEMALE_TITLES:
                return Gender.FEMALE
            if noun in MALE_NOUNS or noun in MALE_TITLES:
                return Gender.MALE
    spoken = _pronouns(figure.seen)
    if spoken is Gender.UNKNOWN and not _LEARNED.isdisjoint(figure.titles):
        return Gender.MALE
    return spoken
