"""Speakers without a name, each a character of one scene: "a young lady", "the turnkey".

    phrases of a scene -> people -> a named character who turns out to be one, or a new character

A phrase with "a" introduces somebody, and later phrases with the same noun, or with a general one
("the girl"), mean the last person whom they fit. A calling ("the turnkey") needs no introduction.
In PDNC's novels a general noun ("the old man") mostly means somebody named, so it counts only
until the narration names somebody of that gender.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scholar_indexes.attribution import scenes
from scholar_indexes.attribution.cues.cue_detection import Cue, find_cues
from scholar_indexes.attribution.cues.surroundings import split_paragraphs
from scholar_indexes.attribution.features import RARELY_DESCRIBED
from scholar_indexes.attribution.unnamed_people import (
    CALLINGS,
    SOON,
    ScenePerson,
    group_phrases,
)
from scholar_indexes.attribution.unnamed_phrases import (
    VOICE,
    PersonPhrase,
    find_person_phrases,
)
from scholar_indexes.coreference.character_ids import new_id
from scholar_indexes.coreference.mentions import Mention, find_mentions_and_titles
from scholar_indexes.coreference.quoted_text import QuotedText
from scholar_indexes.lexicon import person_nouns
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

LATER = 2_000
"""The most characters from a description to the name that shows who it is."""

NEXT = 80
"""The most characters from such a name to a description: "bawling Estella to a young lady"."""

_NAMED_SO = re.compile(
    r",?\s+(?:whose\s+name\s+was|named|called|by\s+name|by\s+the\s+name\s+of|who\s+was)\s+"
)
_APPOSED = re.compile(r",?\s+")
_AFTER_APPOSITION = frozenset(",.;:!?—-)")


def add_unnamed(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> list[Character]:
    """Return the cast with a character for each unnamed person who may speak in a scene, and with
    the descriptions of those who turn out to be one of the named.

    Characters who are only described, rarely and in several scenes, are replaced by those of each
    scene. Takes time linear in the text.
    """
    places = _Places(text, quotations)
    mentions = find_mentions_and_titles(text, cast)
    named = _without_rarely_described(cast, mentions, places)
    if len(named) < len(cast):
        mentions = find_mentions_and_titles(text, named)
    cues = find_cues(text, quotations, named, mentions)
    return _SceneCasts(text, named, mentions, cues, places).characters()


def without_silent(
    cast: Sequence[Character], attributions: Sequence[Attribution]
) -> list[Character]:
    """Return the cast without the unnamed who get no quotation."""
    speakers = {attribution.speaker.id for attribution in attributions if attribution.speaker}
    return [character for character in cast if character.aliases or character.id in speakers]


class _Places:
    """The scenes of a text by position, and the narration of each."""

    def __init__(self, text: str, quotations: Sequence[Quotation]) -> None:
        self._quoted = QuotedText(quotations)
        paragraphs = split_paragraphs(text)
        self._starts = [paragraph.start for paragraph in paragraphs]
        self._scenes = scenes.number_scenes(text, paragraphs)
        self.narration: defaultdict[int, list[Span]] = defaultdict(list)
        self.first: dict[int, int] = {}
        for paragraph, scene in zip(paragraphs, self._scenes, strict=True):
            self.narration[scene] += self._quoted.find_narration(paragraph)
            self.first.setdefault(scene, paragraph.start)

    def is_narrated(self, position: int) -> bool:
        """Return True for a position outside quotations."""
        return not self._quoted.covers(position)

    def scene(self, position: int) -> int:
        """Return the number of the scene of a position."""
        return self._scenes[max(0, bisect_right(self._starts, position) - 1)]


def _without_rarely_described(
    cast: Sequence[Character], mentions: Sequence[Mention], places: _Places
) -> list[Character]:
    """Return the cast without those who are only described, rarely, and in several scenes."""
    scenes_of: defaultdict[int, list[int]] = defaultdict(list)
    for mention in mentions:
        if places.is_narrated(mention.span.start):
            scenes_of[mention.character].append(places.scene(mention.span.start))
    return [
        character
        for number, character in enumerate(cast)
        if not _is_described(character)
        or len(scenes_of[number]) >= RARELY_DESCRIBED
        or len(set(scenes_of[number])) == 1
    ]


def _is_described(character: Character) -> bool:
    """Return True for a character known only by a noun for a person: "the watchman"."""
    return not character.narrator and all(
        alias.startswith("the ") and alias.islower() and _is_person(alias.split()[-1])
        for alias in character.aliases
    )


def _is_person(noun: str) -> bool:
    return noun in person_nouns.PERSONS or noun in CALLINGS


class _NamedInNarration:
    """The places at which the narration names the characters of a cast, except narrators."""

    def __init__(
        self, cast: Sequence[Character], mentions: Sequence[Mention], places: _Places
    ) -> None:
        self._places = places
        self.mentions = [
            mention
            for mention in mentions
            if not cast[mention.character].narrator and places.is_narrated(mention.span.start)
        ]
        self.starts = [mention.span.start for mention in self.mentions]
        self._first: dict[tuple[int, int], int] = {}
        self._by_gender: Mapping[Gender, list[int]] = {gender: [] for gender in Gender}
        for mention in self.mentions:
            start = mention.span.start
            self._first.setdefault((places.scene(start), mention.character), start)
            for gender in Gender:
                if _fits(gender, cast[mention.character].gender):
                    self._by_gender[gender].append(start)

    def next(self, position: int, gender: Gender) -> int | None:
        """Return the next position in the scene at which somebody of a gender is named."""
        starts = self._by_gender[gender]
        at = bisect_left(starts, position)
        if at == len(starts) or self._places.scene(starts[at]) != self._places.scene(position):
            return None
        return starts[at]

    def between(self, start: int, end: int) -> Sequence[Mention]:
        """Return the mentions that begin in a stretch of the text."""
        return self.mentions[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

    def is_first(self, mention: Mention) -> bool:
        """Return True for the first mention of a character in a scene."""
        scene = self._places.scene(mention.span.start)
        return self._first[scene, mention.character] == mention.span.start


class _SceneCasts:
    """The people of all scenes of a book."""

    def __init__(
        self,
        text: str,
        cast: Sequence[Character],
        mentions: Sequence[Mention],
        cues: Sequence[Cue],
        places: _Places,
    ) -> None:
        self._text, self._cast, self._mentions, self._places = text, cast, mentions, places
        self._starts = [mention.span.start for mention in mentions]
        self._named = _NamedInNarration(cast, mentions, places)
        self._subjects = {
            cue.subject.start for cue in cues if cue.subject is not None and cue.character is None
        }
        self._speaking = {
            (places.scene(cue.span.start), cue.character)
            for cue in cues
            if cue.kind is QuoteKind.EXPLICIT and cue.span is not None
        }

    def characters(self) -> list[Character]:
        """Return the cast with the unnamed people of all scenes."""
        described: defaultdict[int, list[Span]] = defaultdict(list)
        unnamed: list[Character] = []
        taken = {character.id for character in self._cast}
        for stretches in self._places.narration.values():
            phrases = find_person_phrases(self._text, stretches, self._mentions)
            for person in group_phrases(self._text, phrases):
                bearer = self._find_bearer(person)
                spans = self._find_spans(person, bearer)
                if bearer is not None:
                    described[bearer] += spans
                elif self._may_speak(person, spans):
                    unnamed.append(_to_character(self._text, person, spans, taken))
                    taken.add(unnamed[-1].id)
        known = [
            replace(character, described=tuple(sorted(described[number])))
            if number in described
            else character
            for number, character in enumerate(self._cast)
        ]
        return known + unnamed

    def _find_bearer(self, person: ScenePerson) -> int | None:
        """Return the character who turns out to be a person: named next to a phrase, or a speaker
        of the gender whom the narration of the scene first names soon after one."""
        for phrase in person.phrases:
            bearer = self._find_apposed(phrase)
            if bearer is not None:
                return bearer
        if person.has_calling or not person.is_introduced:
            return None
        reach = SOON if person.is_voice else LATER
        newly_named = (
            mention
            for phrase in person.phrases
            for mention in self._named.between(
                max(person.start, phrase.span.start - NEXT), phrase.span.start + reach
            )
            if self._may_be_bearer(person, mention)
        )
        first = min(newly_named, key=lambda mention: mention.span, default=None)
        return first.character if first else None

    def _may_be_bearer(self, person: ScenePerson, mention: Mention) -> bool:
        scene = self._places.scene(mention.span.start)
        return (
            scene == self._places.scene(person.start)
            and (scene, mention.character) in self._speaking
            and _fits(person.gender, self._cast[mention.character].gender)
            and self._named.is_first(mention)
        )

    def _find_apposed(self, phrase: PersonPhrase) -> int | None:
        """Return the character named next to a phrase: "a girl named Ann", "a girl, Ann, came"."""
        following = bisect_left(self._starts, phrase.span.end)
        if following == len(self._mentions):
            return None
        mention = self._mentions[following]
        if not _fits(phrase.gender, self._cast[mention.character].gender):
            return None
        between = self._text[phrase.span.end : min(mention.span.start, phrase.span.end + NEXT)]
        behind = self._text[mention.span.end : mention.span.end + 1]
        is_apposed = _APPOSED.fullmatch(between) and behind in _AFTER_APPOSITION
        return mention.character if is_apposed or _NAMED_SO.fullmatch(between) else None

    def _find_spans(self, person: ScenePerson, bearer: int | None) -> list[Span]:
        """Return the places of a person's phrases; of general nouns only those before the
        narration names somebody of the gender, unless the name is the person's."""
        spans = [phrase.span for phrase in person.phrases]
        if bearer is not None or person.has_calling:
            return spans
        named = self._named.next(person.start, person.gender)
        return [span for span in spans if named is None or span.start < named]

    def _is_introduced(self, person: ScenePerson) -> bool:
        """Return True if an indefinite phrase introduces a person, or "the girl who" before the
        narration of the scene names somebody of her gender."""
        if person.is_introduced:
            return True
        first = self._places.first[self._places.scene(person.start)]
        named = self._named.next(first, person.gender)
        return bool(person.phrases[0].restriction) and (named is None or named > person.start)

    def _may_speak(self, person: ScenePerson, spans: Sequence[Span]) -> bool:
        """Return True if a verb of speech has one of the spans as its subject, and the person has a
        calling or is introduced."""
        is_heard = any(span.start in self._subjects for span in spans)
        return is_heard and (person.has_calling or self._is_introduced(person))


def _fits(one: Gender, other: Gender) -> bool:
    return one is other or Gender.UNKNOWN in (one, other)


def _to_character(
    text: str, person: ScenePerson, spans: Sequence[Span], taken: set[str]
) -> Character:
    """Return a person as a character, with a number behind the name if it is taken."""
    phrase = max(person.phrases, key=lambda one: (one.noun != VOICE, one.introduces))
    name = " ".join(["the", *phrase.span.of(text).split()[1:]])
    identifier = new_id(name, taken)
    number = identifier.rpartition("-")[2]
    shown = f"{name} ({number})" if number.isdigit() else name
    return Character(identifier, shown, (), person.gender, described=tuple(spans))
