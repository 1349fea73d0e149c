"""Does a language model know a novel by heart? Two probes.

Corrupted-speaker guessing (Michel et al., "Evaluating LLMs for Quotation Attribution in
Literary Texts", section 5 and appendix B): around a quotation its speaker gets another name
throughout. A model that reads says the new name, one that remembers says the old one, which
the passage no longer holds.

Name cloze (Chang, Cramer, Soni and Bamman 2023, "Speak, Memory"): who is the one named
character of a short passage, now masked?

In the papers a model answers freely. Here it chooses among names, which it is not shown: all
of the cast that matters and those of the stand-in. So every answer can be read, and guessing
is rewarded a little more; a server that takes no schema answers freely here too.
"""

from __future__ import annotations

import csv
import random
import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_cli.bench import pdnc, pdnc_form
from scholar_cli.bench.pdnc_form import Novel
from scholar_cli.bench.report import Report, commit
from scholar_indexes.books.passages import paragraphs, split
from scholar_indexes.errors import NoMatch
from scholar_indexes.speakers import mentions
from scholar_indexes.speakers.llm import neutral, read
from scholar_indexes.speakers.llm_backends import Backend
from scholar_indexes.speakers.mentions import Mention
from scholar_indexes.types import Character, Gender, Progress, Quotation, Span, silent
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from spacy.language import Language

KINDS = ("Explicit", "Anaphoric", "Implicit")
SENTENCES = 10
MOST = 100
CLOZE_WORDS = (40, 60)

GIVEN = {Gender.FEMALE: ("Emma", "Elizabeth"), Gender.MALE: ("Henry", "Joseph")}
"""The paper's; where a novel uses both, MORE_GIVEN stands in."""

FAMILY = ("Stone", "Walker", "Smith")
MORE_GIVEN = {Gender.FEMALE: ("Harriet", "Rosalind"), Gender.MALE: ("Walter", "Leonard")}
MORE_FAMILY = ("Fielding", "Marlow", "Thornton")
FAMOUS = frozenset({("Emma", "Stone")})

_BEFORE_FAMILY = frozenset("mr mrs ms messrs dr doctor captain capt colonel col".split())
_BEFORE_NAMES = mentions.TITLES | {"my", "our", "dearest", "ms"}
_WORD = re.compile(r"[^\W\d_]+")
_REACH_CHARS = 8_000
_CLOZE_MARK = "[MASK]"


class Meant(StrEnum):
    """What an answer names."""

    TRUE = "true"  # who it is in the novel
    STAND_IN = "stand-in"  # who it is in the passage as it reads here
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Item:
    """A question about a passage, and what each possible answer means."""

    question: str
    names: Mapping[str, Meant]


@dataclass(frozen=True, slots=True)
class Score:
    """Of so many passages the shares answered with the true name and the stand-in's."""

    asked: int
    memorised: float
    reasoned: float


@dataclass(frozen=True, slots=True)
class Guessing:
    """Corrupted-speaker guessing, by kind of quotation; kinds without a passage are left out."""

    kinds: Mapping[str, Score]

    @property
    def memorisation(self) -> float:
        """The mean over the kinds (CSG-Memorization)."""
        return sum(each.memorised for each in self.kinds.values()) / len(self.kinds)

    @property
    def reasoning(self) -> float:
        """The mean over the kinds (CSG-Reasoning)."""
        return sum(each.reasoned for each in self.kinds.values()) / len(self.kinds)


@dataclass(frozen=True, slots=True)
class Cloze:
    """The share of so many names that was known, and the share that blind guessing knows."""

    asked: int
    known: float
    by_chance: float


def run(
    data: Path,
    backend: Backend,
    *,
    only: Sequence[str] = (),
    seed: int = 0,
    most: int = MOST,
    progress: Progress = silent,
) -> list[Report]:
    """A report for each novel of a folder in PDNC's form that such passages can be drawn from.

    Titles and authors are those of index.csv beside the novels or above them, else the
    names of the folders. Raises what pdnc_form.read raises, and NoMatch where no novel has
    such a passage.
    """
    novels = pdnc.chosen(pdnc_form.read(data), only)
    listed = _listed(data)
    sha256, reports = pdnc_form.sha256(novels), []
    for novel in novels:
        title, author = listed.get(novel.name) or (_spaced(novel.name), "an unnamed author")
        start = time.perf_counter()
        figures: dict[str, float] = {}
        with suppress(NoMatch):
            guessed = guess_speakers(
                novel, backend, title=title, author=author, seed=seed, most=most, progress=progress
            )
            figures |= {"csg_memorised": guessed.memorisation, "csg_reasoned": guessed.reasoning}
            if explicit := guessed.kinds.get("Explicit"):
                figures["csg_memorised_cloze"] = explicit.memorised
        with suppress(NoMatch):
            cloze = fill_names(novel, backend, seed=seed, most=most, progress=progress)
            figures |= {"name_cloze": cloze.known, "name_cloze_by_chance": cloze.by_chance}
        if figures:
            reports.append(
                Report("memorisation", novel.name, "llm", figures, len(novel.quotations),
                       time.perf_counter() - start, backend.name, sha256, commit())
            )  # fmt: skip
    if not reports:
        raise NoMatch(f"no novel of {data} names its speakers near a quotation; take others")
    return reports


def _listed(data: Path) -> dict[str, tuple[str, str]]:
    """Titles and authors by folder, from index.csv (folder, title, author) where there is one."""
    for path in (data / "index.csv", data.parent / "index.csv"):
        with (
            suppress(OSError, ValueError, csv.Error, KeyError),
            path.open(encoding="utf-8", newline="") as file,
        ):
            return {row["folder"]: (row["title"], row["author"]) for row in csv.DictReader(file)}
    return {}


def _spaced(name: str) -> str:
    """A folder's name in words: "HardTimes" is Hard Times."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


def guess_speakers(
    novel: Novel,
    backend: Backend,
    *,
    title: str,
    author: str,
    seed: int = 0,
    most: int = MOST,
    progress: Progress = silent,
) -> Guessing:
    """Corrupted-speaker guessing on at most so many quotations of each kind.

    Raises NoMatch where no quotation has its speaker named near it, and what
    backend.complete raises.
    """
    items = corrupted(novel, title=title, author=author, seed=seed, most=most)
    total = sum(map(len, items.values()))
    if not total:
        raise NoMatch(f"{novel.name} names no speaker near a quotation; take another novel")
    kinds = {}
    done = 0
    for kind, several in items.items():
        said = []
        for item in several:
            progress("guessing speakers", done, total)
            said.append(ask(item, backend))
            done += 1
        if said:
            count = len(said)
            kinds[kind] = Score(
                count, said.count(Meant.TRUE) / count, said.count(Meant.STAND_IN) / count
            )
    progress("guessing speakers", total, total)
    return Guessing(kinds)


def fill_names(
    novel: Novel,
    backend: Backend,
    *,
    seed: int = 0,
    most: int = MOST,
    progress: Progress = silent,
) -> Cloze:
    """Name cloze on at most so many passages; any name of the right character counts.

    Raises NoMatch where the novel has no such passage, and what backend.complete raises.
    """
    items = clozes(novel, seed=seed, most=most)
    if not items:
        raise NoMatch(f"{novel.name} has no passage with one name in it; take another novel")
    known = 0
    for done, item in enumerate(items):
        progress("filling in names", done, len(items))
        known += ask(item, backend) is Meant.TRUE
    progress("filling in names", len(items), len(items))
    chances = [
        sum(each is Meant.TRUE for each in item.names.values()) / len(item.names) for item in items
    ]
    return Cloze(len(items), known / len(items), sum(chances) / len(items))


def ask(item: Item, backend: Backend) -> Meant | None:
    """What a model's answer means, None for one that cannot be read or is no name."""
    names = list(item.names)
    answer = backend.complete([{"role": "user", "content": item.question}], ["1"], names)
    said = read(answer, ["1"]).get("1")
    if said is None:
        return None
    folded = {mentions.words(name): meant for name, meant in item.names.items()}
    return item.names.get(said) or folded.get(mentions.words(said))


# -- corrupted-speaker guessing ------------------------------------------------------------


def corrupted(
    novel: Novel, *, title: str, author: str, seed: int = 0, most: int = MOST
) -> dict[str, list[Item]]:
    """The questions of corrupted-speaker guessing by kind of quotation, drawn by the seed.

    A quotation is left out when its passage, with the name that is masked aside, does not
    name its speaker.
    """
    reading = _Reading(novel)
    found = {}
    for kind in KINDS:
        draw = random.Random(f"{seed} {novel.name} {kind}")
        order = [at for at, each in enumerate(novel.kinds)
                 if each == kind and novel.speakers[at] >= 0]  # fmt: skip
        draw.shuffle(order)
        items: list[Item] = []
        for at in order:
            if len(items) == most:
                break
            item = reading.item(at, kind == "Explicit", draw, title, author)
            if item is not None:
                items.append(item)
        found[kind] = items
    return found


class _Reading:
    """A novel and where it names whom."""

    def __init__(self, novel: Novel) -> None:
        self.novel = novel
        self.mentions = mentions.find(novel.text, novel.cast)
        self._starts = [each.span.start for each in self.mentions]
        self._used = set(_WORD.findall(novel.text))
        for each in novel.cast:
            self._used.update(*map(_WORD.findall, each.aliases))
        self._families = families(novel.cast)
        self._pieces = sorted(piece for each in novel.quotations for piece in each.pieces)

    def item(
        self, at: int, masked: bool, draw: random.Random, title: str, author: str
    ) -> Item | None:
        """The question about quotation number at; None where its passage will not do."""
        novel, who = self.novel, self.novel.speakers[at]
        quotation = novel.quotations[at]
        stand_in = self.stand_in(novel.cast[who], draw)
        passage = around(novel.text, quotation.span)
        named = self.within(passage)
        tag = self.tag(quotation, who) if masked else None
        if stand_in is None or (masked and tag is None):
            return None
        rename = self._renamer(*stand_in)
        changes: list[tuple[Span, str]] = []
        forms = {" ".join(stand_in)}
        for each in named:
            new = rename(each.span.of(novel.text)) if each.who == who else None
            if each == tag:
                changes.append((each.span, _CLOZE_MARK))
            elif new is not None:
                changes.append((each.span, new))
                forms.add(new)
        if all(new == _CLOZE_MARK for _, new in changes):
            return None
        speaker = novel.cast[who]
        forms.update(filter(None, map(rename, _proper(speaker))))
        names = dict.fromkeys(_proper(speaker), Meant.TRUE)
        for form in forms:
            names.setdefault(form, Meant.STAND_IN)
        for other in sorted({each.who for each in named} | novel.often):
            for name in _proper(novel.cast[other]) if other != who else ():
                names.setdefault(name, Meant.OTHER)
        shown = _changed(novel.text, passage, changes)
        speech = one_line(
            " ".join(_changed(novel.text, piece, changes) for piece in quotation.pieces)
        )
        asked = (
            f"One name in it is hidden behind {_CLOZE_MARK}. Whose name is it?"
            if masked
            else f"Who speaks these words in it: {speech}"
        )
        question = (
            f"This passage is from {title} by {author}.\n\n<text>\n{shown}\n</text>\n\n{asked}\n\n"
            'Answer with one JSON object and nothing else: {"1": "the name of that character"}.'
        )
        return Item(question, dict(sorted(names.items())))

    def within(self, passage: Span) -> list[Mention]:
        """The names that stand wholly in a passage."""
        first = bisect_left(self._starts, passage.start)
        last = bisect_left(self._starts, passage.end)
        return [each for each in self.mentions[first:last] if each.span.end <= passage.end]

    def tag(self, quotation: Quotation, who: int) -> Mention | None:
        """The speaker's name nearest to the quotation, in narration of the same paragraph."""
        text = self.novel.text
        begin = text.rfind("\n\n", 0, quotation.span.start) + 1
        end = text.find("\n\n", quotation.span.end)
        near = self.within(Span(begin, len(text) if end < 0 else end))
        told = [each for each in near if each.who == who and not self._spoken(each.span.start)
                and self._renamer("A", "B")(each.span.of(text))]  # fmt: skip

        def distance(each: Mention) -> int:
            return min(
                max(piece.start - each.span.end, each.span.start - piece.end)
                for piece in quotation.pieces
            )

        return min(told, key=distance, default=None)

    def _spoken(self, at: int) -> bool:
        before = bisect_right(self._pieces, at, key=lambda piece: piece.start) - 1
        return before >= 0 and at < self._pieces[before].end

    def stand_in(self, character: Character, draw: random.Random) -> tuple[str, str] | None:
        """A given and a family name of the character's gender that the novel does not use."""
        gender = character.gender
        if gender is Gender.UNKNOWN:
            gender = draw.choice((Gender.FEMALE, Gender.MALE))
        for given, family in ((GIVEN, FAMILY), (MORE_GIVEN, FAMILY), (MORE_GIVEN, MORE_FAMILY)):
            free = [
                (first, last)
                for first in given[gender]
                for last in family
                if not {first, last} & self._used and (first, last) not in FAMOUS
            ]
            if free:
                return draw.choice(free)
        return None

    def _renamer(self, given: str, family: str) -> Callable[[str], str | None]:
        return lambda name: renamed(name, given, family, self._families)


def families(cast: Sequence[Character]) -> frozenset[str]:
    """The family names among a cast's names, folded: what ends a name of two words, or
    follows Mr., or follows Miss and never stands alone."""
    alone = {mentions.words(alias) for each in cast for alias in each.aliases}
    found: set[str] = set()
    for each in cast:
        for alias in each.aliases:
            titles, bare = _parted(alias)
            if len(bare) > 1:
                found.update(mentions.words(bare[-1])[-1:])
            elif titles and bare:
                title, word = mentions.words(titles[-1]), mentions.words(bare[0])
                if _BEFORE_FAMILY.intersection(title) or ("miss" in title and word not in alone):
                    found.update(word[-1:])
    return frozenset(found)


def renamed(name: str, given: str, family: str, known: frozenset[str]) -> str | None:
    """A name with its bearer's names exchanged and honorifics kept; None for no proper name.

    known holds folded family names: "Miss Bates" becomes "Miss Smith" where it holds
    "bates", and "Miss Emma" otherwise.
    """
    titles, bare = _parted(name)
    if not bare or not any(word[0].isupper() for word in bare):
        return None
    if len(bare) > 1:
        new = [given, family]
    else:
        new = [family if known.intersection(mentions.words(bare[0])) else given]
    return " ".join([*titles, *new])


def around(text: str, span: Span, count: int = SENTENCES) -> Span:
    """A stretch with so many of spaCy's sentences before it and after it."""
    start = max(0, span.start - _REACH_CHARS)
    before = [each.start_char for each in _sentencizer()(text[start : span.start]).sents]
    after = [each.end_char for each in _sentencizer()(
        text[span.end : span.end + _REACH_CHARS]).sents]  # fmt: skip
    return Span(
        start + before[-count:][0] if before else span.start,
        span.end + after[:count][-1] if after else span.end,
    )


@cache
def _sentencizer() -> Language:
    from spacy.lang.en import English

    english = English()
    english.add_pipe("sentencizer")
    return english


def _parted(name: str) -> tuple[list[str], list[str]]:
    """The honorifics and articles a name begins with, and the rest of its words."""
    parts = name.split()
    count = 0
    while count < len(parts) and _BEFORE_NAMES.intersection(mentions.words(parts[count])):
        count += 1
    return parts[:count], [each for each in parts[count:] if any(map(str.isalpha, each))]


def _proper(character: Character) -> list[str]:
    """The names of a character that name it, and do not only say what it is."""
    names = dict.fromkeys(one_line(each.partition(" - ")[0], 80) for each in character.aliases)
    return [each for each in names if renamed(each, "A", "B", frozenset())]


def _changed(text: str, within: Span, changes: Sequence[tuple[Span, str]]) -> str:
    """A stretch of text, neutral, with other words for some spans of it, in order."""
    parts = []
    at = within.start
    for span, new in changes:
        if at <= span.start and span.end <= within.end:
            parts += [neutral(text[at : span.start]), new]
            at = span.end
    return "".join([*parts, neutral(text[at : within.end])]).strip()


# -- name cloze ----------------------------------------------------------------------------


def clozes(novel: Novel, *, seed: int = 0, most: int = MOST) -> list[Item]:
    """Passages of 40 to 60 words that name one character once, masked, drawn by the seed.

    A passage is a run of sentences of one paragraph. Names of people who are not in the
    cast are not noticed.
    """
    reading = _Reading(novel)
    names: dict[str, int] = {}
    for who in sorted({each.who for each in reading.mentions}):
        for name in _proper(novel.cast[who]):
            names.setdefault(name, who)
    found = []
    for passage in _runs(novel.text):
        named = reading.within(passage)
        if len(named) == 1 and named[0].who in names.values():
            found.append((passage, named[0]))
    random.Random(f"{seed} {novel.name} cloze").shuffle(found)
    return [
        Item(
            "In this passage of a novel one name is hidden behind [MASK].\n\n<text>\n"
            f"{_changed(novel.text, passage, [(only.span, _CLOZE_MARK)])}\n</text>\n\n"
            "Which name is it? You may have to guess. "
            'Answer with one JSON object and nothing else: {"1": "the name"}.',
            {name: Meant.TRUE if who == only.who else Meant.OTHER
             for name, who in sorted(names.items())},
        )
        for passage, only in found[:most]
    ]  # fmt: skip


def _runs(text: str) -> list[Span]:
    fewest, most = CLOZE_WORDS
    found = []
    for paragraph in paragraphs(text, Span(0, len(text))):
        start, words = paragraph.start, 0
        for sentence in split(text, paragraph):
            if not words:
                start = sentence.start
            words += len(sentence.of(text).split())
            if words >= fewest:
                if words <= most:
                    found.append(Span(start, sentence.end))
                words = 0
    return found
