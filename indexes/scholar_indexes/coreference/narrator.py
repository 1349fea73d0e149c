"""Find the narrators of a novel and the parts that each of them narrates.

For each section told in the first person, the evidence for a character is that the heading names
him or her, and that others address the character by a name that the narration does not use. The
narrator rarely changes, so the narrators of all sections are found together, as the best-scoring
path through the sections (Viterbi 1967).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.character_ids import new_id
from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.coreference.quoted_text import QuotedText
from scholar_indexes.coreference.sections import Section
from scholar_indexes.coreference.vocatives import find_vocatives
from scholar_indexes.lexicon import titles
from scholar_indexes.stopping import checked
from scholar_indexes.types import Character, Gender, Quotation, Span

NARRATOR = "the narrator"
"""The name of an unnamed narrator."""

FIRST_PERSON_SHARE = 0.01
"""The minimum share of "I", "me" and "my" among the words outside quotations of a section told in
the first person."""

FIRST_PERSON_PART = 0.3
"""The minimum share of such sections in a novel told in the first person; letters and prefaces say
"I" too. In other novels only sections with a narrator's heading have a narrator."""

CALLED, SPOKEN_OF, NARRATED, HEADED = 1.0, -0.15, -2.0, 40.0
"""The evidence for a character as the narrator of a section: a quotation addresses the character by
name; it names the character otherwise; the narration does; the heading names the narrator so."""

FULLY_COUNTED = 8
"""The number of mentions in the narration of a section that count in full; further ones count half.
If a tale begins within a chapter of another, its narrator is named before it."""

NAMED, CHANGED, CHANGED_AT_HEADING = 3.0, 6.0, 2.0
"""The evidence required for a narrator with a name, for a change of narrator, and for a change
where a heading names a narrator."""

LEAST_NARRATED = 0.25
"""The maximum ratio of narrated to spoken mentions of another name of the narrator."""

OFTEN_ADDRESSED = 5
"""The minimum number of times that others say "miss" or "sir" to show a narrator's gender."""

_UNNAMED = -1
_CANDIDATES = 24
_FEWEST_WORDS = 60
_SHORTEST_TALE = 400  # characters

_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y)\b")
_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"(?<=[,.!?—-] )(?i:sir|miss|ma['’]am|madam)(?=[,.!?;—-]|$)")


class Narrators:
    """The narrators of a cast, by position in the text."""

    def __init__(self, cast: Sequence[Character]) -> None:
        stretches = sorted(
            (stretch.start, stretch.end, index)
            for index, character in enumerate(cast)
            for stretch in character.narrates
        )
        self._starts = [start for start, _, _ in stretches]
        self._stretches = stretches
        self._everywhere = next(
            (
                index
                for index, character in enumerate(cast)
                if character.narrator and not character.narrates
            ),
            None,
        )

    def at(self, position: int) -> int | None:
        """Return the index of the character who narrates at a position, or None."""
        index = bisect_right(self._starts, position) - 1
        if index >= 0 and position < self._stretches[index][1]:
            return self._stretches[index][2]
        return self._everywhere


def is_first_person(
    text: str, sections: Sequence[Section], quotations: Sequence[Quotation]
) -> bool:
    """Return True if a novel is told in the first person."""
    return bool(_Novel(text, sections, quotations, ()).told_without_heading)


def _find_stretches(novel: _Novel) -> dict[int, list[Span]]:
    """Return the stretches of the text that each character narrates, by index in the cast.

    The stretches of an unnamed narrator are under _UNNAMED. A novel in the third person has none.
    Takes time linear in the text.
    """
    told_sections = novel.told_sections
    narrators = {
        section.span: narrator
        for section, narrator in zip(told_sections, _find_best_path(told_sections), strict=True)
    }
    stretches: dict[int, list[Span]] = defaultdict(list)
    previous = None
    for section in novel.sections:
        narrator = narrators.get(section.span)
        if narrator is not None:
            own = stretches[narrator]
            start = own.pop().start if narrator == previous else section.span.start
            own.append(Span(start, section.span.end))
        previous = narrator
    return dict(stretches)


def add_narrators(
    text: str,
    sections: Sequence[Section],
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
) -> list[Character]:
    """Return a cast with its narrators and the stretches they narrate.

    Two names of one narrator are joined ("David Copperfield", "Mas'r Davy"). An unnamed narrator is
    added at the end as NARRATOR.
    """
    novel = _Novel(text, sections, quotations, cast)
    stretches = _find_stretches(novel)
    unnamed = stretches.pop(_UNNAMED, [])
    joined = _find_other_names(novel, stretches)
    narrated: dict[int, list[Span]] = defaultdict(list)
    for index, own in stretches.items():
        narrated[joined.get(index, index)] += own
    if len(narrated) == 1 and _total_size(unnamed) < _total_size(*narrated.values()):
        # Stretches without evidence belong to the only narrator with a name.
        for own in narrated.values():
            own += unnamed
        unnamed = []
    narrators = [
        _as_narrator(cast, index, joined, narrated.get(index, []))
        for index in range(len(cast))
        if index not in joined
    ]
    if unnamed:
        unused = new_id(NARRATOR, [character.id for character in cast])
        gender = _find_addressed_gender(text, quotations, unnamed)
        narrators.append(Character(unused, NARRATOR, (NARRATOR,), gender, True, tuple(unnamed)))
    return narrators


def _as_narrator(
    cast: Sequence[Character], index: int, joined: Mapping[int, int], narrated: Sequence[Span]
) -> Character:
    """Return a character with the names of the characters joined to it and its stretches."""
    others = [cast[other] for other, owner in joined.items() if owner == index]
    aliases = chain(cast[index].aliases, *(other.aliases for other in others))
    genders = [character.gender for character in (cast[index], *others)]
    known = (gender for gender in genders if gender is not Gender.UNKNOWN)
    return replace(
        cast[index],
        aliases=tuple(aliases),
        gender=next(known, Gender.UNKNOWN),
        narrator=bool(narrated),
        narrates=tuple(sorted(narrated)),
    )


def _find_other_names(novel: _Novel, stretches: Mapping[int, Sequence[Span]]) -> dict[int, int]:
    """Return the narrators that are another narrator under a different name, mapped to that one.

    Each is named where the other narrates, but nearly always in speech; their genders and full
    names agree.
    """
    cast = novel.cast
    tellers = Narrators(
        [
            replace(character, narrates=tuple(stretches.get(index, ())))
            for index, character in enumerate(cast)
        ]
    )
    spoken, narrated = Counter[tuple[int | None, int]](), Counter[tuple[int | None, int]]()
    for mention in novel.mentions:
        counts = spoken if novel.quoted.covers(mention.span.start) else narrated
        counts[tellers.at(mention.span.start), mention.character] += 1

    def is_one(one: int, other: int) -> bool:
        pairs = ((one, other), (other, one))
        in_speech = sum(spoken[pair] for pair in pairs)
        return (
            in_speech > 0
            and sum(narrated[pair] for pair in pairs) <= LEAST_NARRATED * in_speech
            and _may_be_one(cast[one], cast[other])
        )

    joined: dict[int, int] = {}
    for other in sorted(stretches):
        owner = next((one for one in sorted(stretches) if one < other and is_one(one, other)), None)
        if owner is not None:
            joined[other] = joined.get(owner, owner)
    return joined


def _may_be_one(one: Character, other: Character) -> bool:
    """Return True if two characters share a name without its title, or if their genders agree and
    at most one has a full name."""
    names = [set(map(_untitled, character.aliases)) for character in (one, other)]
    if names[0] & names[1]:
        return True
    have_full_names = all(any(len(name) > 1 for name in own) for own in names)
    genders = {one.gender, other.gender} - {Gender.UNKNOWN}
    return not have_full_names and len(genders) < 2


def _find_addressed_gender(
    text: str, quotations: Sequence[Quotation], stretches: Sequence[Span]
) -> Gender:
    """Return the gender of the forms of address in quotations within stretches: "sir", "miss"."""
    counts: Counter[Gender] = Counter()
    for quotation in quotations:
        if any(stretch.start <= quotation.span.start < stretch.end for stretch in stretches):
            for match in _ADDRESS.finditer(quotation.of(text)):
                male = match.group().lower() == "sir"
                counts[Gender.MALE if male else Gender.FEMALE] += 1
    if not counts:
        return Gender.UNKNOWN
    (gender, most), *others = counts.most_common()
    enough = most >= OFTEN_ADDRESSED and all(count * 4 <= most for _, count in others)
    return gender if enough else Gender.UNKNOWN


@dataclass(frozen=True, slots=True)
class _ToldSection:
    """A section told in the first person, and the evidence for each character as its narrator."""

    span: Span
    has_heading: bool
    scores: Mapping[int, float]


class _Novel:
    """The sections and cast of a novel, and the mentions in its quotations and narration."""

    def __init__(
        self,
        text: str,
        sections: Sequence[Section],
        quotations: Sequence[Quotation],
        cast: Sequence[Character],
    ) -> None:
        self._text, self._quotations = text, quotations
        self.sections, self.cast = sections, cast
        self.quoted = QuotedText(quotations)

    @cached_property
    def _first_person(self) -> list[Section]:
        return [
            section for section in checked(self.sections) if self._is_first_person(section.span)
        ]

    @cached_property
    def told_without_heading(self) -> list[Section]:
        """The first-person sections, if the novel is told in the first person; else none."""
        size = sum(_size(section.span) for section in self.sections)
        part = sum(_size(section.span) for section in self._first_person)
        is_enough = part > max(FIRST_PERSON_PART * size, _SHORTEST_TALE)
        return self._first_person if is_enough else []

    @cached_property
    def told_sections(self) -> list[_ToldSection]:
        """The sections that have a narrator."""
        resolve = _NameResolver(self.cast, self.mentions).resolve
        headed = {section: resolve(section.narrator_name) for section in self._first_person}
        chosen = self.told_without_heading or [
            section for section in self._first_person if headed[section] is not None
        ]
        return [
            _ToldSection(section.span, bool(section.narrator_name), self._score(section, headed))
            for section in checked(chosen)
        ]

    @cached_property
    def mentions(self) -> list[Mention]:
        """The mentions of the cast by name, in narration and quotations."""
        return mentions.find_mentions(self._text, self.cast)

    @cached_property
    def _vocatives(self) -> list[tuple[int, int]]:
        """The start of each quotation that addresses a character by name, with the character."""
        return sorted(
            (quotation.span.start, character)
            for quotation in checked(self._quotations)
            for character in find_vocatives(self._text, quotation, self.mentions)
        )

    def _is_first_person(self, span: Span) -> bool:
        words = first_person = 0
        for stretch in self.quoted.find_narration(span):
            words += len(_WORD.findall(self._text, stretch.start, stretch.end))
            first_person += len(_FIRST_PERSON.findall(self._text, stretch.start, stretch.end))
        return first_person > FIRST_PERSON_SHARE * max(words, _FEWEST_WORDS)

    def _score(self, section: Section, headed: Mapping[Section, int | None]) -> dict[int, float]:
        span = section.span
        first, end = (bisect_left(self._vocatives, (edge, -1)) for edge in (span.start, span.end))
        called = Counter(character for _, character in self._vocatives[first:end])
        first, end = (
            bisect_left(self.mentions, edge, key=lambda mention: mention.span.start)
            for edge in (span.start, span.end)
        )
        spoken, narrated = Counter[int](), Counter[int]()
        for mention in self.mentions[first:end]:
            is_spoken = self.quoted.covers(mention.span.start)
            (spoken if is_spoken else narrated)[mention.character] += 1
        scores = {
            character: CALLED * called[character]
            + SPOKEN_OF * max(0, spoken[character] - called[character])
            + NARRATED * (narrated[character] + min(narrated[character], FULLY_COUNTED)) / 2
            for character in spoken.keys() | narrated.keys()
        }
        narrator = headed[section]
        if narrator is not None:
            scores[narrator] = scores.get(narrator, 0.0) + HEADED
        return scores


class _NameResolver:
    """Finds the character that a heading names."""

    def __init__(self, cast: Sequence[Character], places: Sequence[Mention]) -> None:
        counts = Counter(mention.character for mention in places)
        self._bearers: dict[tuple[str, ...], int] = {}
        by_count = sorted(range(len(cast)), key=lambda index: -counts[index])
        names = [(index, _untitled(alias)) for index in by_count for alias in cast[index].aliases]
        for index, words in names:
            self._bearers.setdefault(words, index)
        for index, words in names:
            self._bearers.setdefault(words[-1:], index)

    def resolve(self, name: str) -> int | None:
        """Return the character with a name, else the most frequent one with its last word."""
        words = tuple(word for word in _untitled(name) if len(word) > 1)
        return self._bearers.get(words, self._bearers.get(words[-1:])) if words else None


def _untitled(name: str) -> tuple[str, ...]:
    words = tuple(mentions.name_words(name))
    return tuple(word for word in words if word not in titles.BEFORE_NAMES) or words


def _size(span: Span) -> int:
    return span.end - span.start


def _total_size(*spans: Sequence[Span]) -> int:
    return sum(map(_size, chain(*spans)))


def _find_best_path(sections: Sequence[_ToldSection]) -> list[int]:
    """Return the narrators of all sections with the most evidence minus the cost of changes."""
    if not sections:
        return []
    narrators = [_UNNAMED, *_find_candidates(sections)]
    totals = [
        (0.0 if narrator == _UNNAMED else -NAMED) + sections[0].scores.get(narrator, 0.0)
        for narrator in narrators
    ]
    previous: list[list[int]] = []
    for section in sections[1:]:
        # A change costs the same from anyone, so one best predecessor serves all narrators.
        best = max(range(len(narrators)), key=totals.__getitem__)
        after_change = totals[best] - (CHANGED_AT_HEADING if section.has_heading else CHANGED)
        stays = [total >= after_change for total in totals]
        previous.append([index if stays[index] else best for index in range(len(narrators))])
        totals = [
            max(total, after_change) + section.scores.get(narrator, 0.0)
            for total, narrator in zip(totals, narrators, strict=True)
        ]
    path = [max(range(len(narrators)), key=totals.__getitem__)]
    for step in reversed(previous):
        path.append(step[path[-1]])
    return [narrators[index] for index in reversed(path)]


def _find_candidates(sections: Sequence[_ToldSection]) -> list[int]:
    """Return the characters with the most positive evidence, summed over the sections."""
    totals: defaultdict[int, float] = defaultdict(float)
    for section in sections:
        for character, score in section.scores.items():
            totals[character] += max(0.0, score)
    likely = sorted(totals, key=lambda character: -totals[character])[:_CANDIDATES]
    return [character for character in likely if totals[character] > 0]
