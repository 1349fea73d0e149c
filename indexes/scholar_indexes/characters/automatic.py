"""Who somebody is in a novel, read from its text alone.

    text -> sentences with names -> what patterns say of one of them -> ranked descriptions

There is no parser here. Four kinds of things that novels say outright are looked for, in the
narration: what somebody is to another ("her aunt, Mrs. Gardiner"), what they are by calling
("Mr. Collins, the clergyman"), what they are like ("Lydia was a stout, well-grown girl of
fifteen") and what they did ("Mr. Collins married Charlotte"). A pattern holds on to what it can
read to the end, and leaves what is denied, doubted, asked or said of several.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scholar_indexes.characters import lexicon as lx
from scholar_indexes.characters.bank import SLOT
from scholar_indexes.characters.wording import name_terms, words
from scholar_indexes.speakers import mentions
from scholar_indexes.speakers.mentions import ABBREVIATED, Mention
from scholar_indexes.types import Character, Gender, Quotation, Span

RELATION, CALLING, TRAIT, DEED = KINDS = ("relation", "calling", "trait", "deed")

MAX_PASSAGE_CHARS = 700
"""What is said in a longer sentence, or so far behind a name, is left."""

MOST_PASSAGES = 5
"""Passages kept of one description."""

MOST_EACH = 40
"""Descriptions kept of one character."""

MAX_TOKENS = 400
"""A longer sentence is read in parts, for the time it takes."""

_LONGEST = 13  # words of what somebody did
AGREED = 2
"""Places that must agree on whose relative somebody is."""

_FARTHEST = 8  # words from an article to its noun

_TOKEN = re.compile(
    r"(?P<poss>['’]s?(?![^\W_]))|(?P<word>[^\W_]+(?:['’-][^\W_]+)*)|(?P<mark>-{2,}|[.,;:!?…—–()\[\]{}<>|*=])"
)
_ODD = re.compile(r"[\"“”«»_*\[\](){}<>|=\\/]|--|\d")
"""What a description cannot hold: quotations, emphasis, notes."""

_TRIMMED = " \t\r\n\"“”‘’«»'_*"
_STOPS = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Told:
    """What a novel says of a character.

    who is a place in the cast; kind is one of KINDS; text is a noun phrase that could stand for
    the name, in which others are named in braces, as in a description bank; passages are where
    it is said, in text order; score is how well it singles the character out, higher is better.
    """

    who: int
    kind: str
    text: str
    passages: tuple[Span, ...]
    score: float


class _Token(NamedTuple):
    kind: str  # word, name, poss or mark
    word: str  # folded
    start: int
    end: int
    who: int  # of a name, or of a pronoun that is clear; else -1
    capital: bool


@dataclass(slots=True)
class _Sentence:
    tokens: list[_Token]
    quoted: bool = False
    asks: bool = False
    speaker: int | None = None

    @property
    def span(self) -> Span:
        return Span(self.tokens[0].start, self.tokens[-1].end)


@dataclass(slots=True)
class _Said:
    """A description in the making."""

    who: int
    kind: str
    text: str
    weight: float
    passages: list[Span] = field(default_factory=list)


def find(
    text: str,
    bodies: Sequence[Span],
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    speakers: Sequence[int | None] = (),
    most: int = MOST_EACH,
) -> list[Told]:
    """What a novel says of its characters: each one's best descriptions, best first.

    bodies are the chapters; quotations say what is dialogue, and speakers, as places in the
    cast, who says each, where that is known. The text of a description has no word of the names
    of the one it describes. Takes time linear in the text.
    """
    reader = _Reader(text, cast)
    found: dict[tuple[int, str], _Said] = {}
    for said in (*reader.everything(bodies, quotations, speakers), *reader.agreed()):
        key = said.who, " ".join(words(said.text))
        if key in found:
            same = found[key]
            same.weight = max(same.weight, said.weight)
            same.passages += [each for each in said.passages if each not in same.passages]
        else:
            found[key] = said
    return _ranked(list(found.values()), reader.counts, cast, most)


class _Reader:
    """Reads sentences for what they say of a cast."""

    def __init__(self, text: str, cast: Sequence[Character]) -> None:
        self.text, self.cast = text, cast
        self.terms = [name_terms([each.name, *each.aliases]) for each in cast]
        self.mentions = mentions.find(text, cast)
        self.counts = Counter(_WORDS.findall(text.casefold()))
        self._starts = [each.span.start for each in self.mentions]
        self.narrator = next(
            (at for at, each in enumerate(cast) if each.narrator and each.name[:1].isupper()), None
        )
        self._lower = Counter(_LOWER.findall(text))
        self._recent: dict[Gender, int] = {}
        self._speaker: int | None = None
        self._here = Span(0, 0)
        self._votes: dict[tuple[int, str], dict[int, list[Span]]] = defaultdict(dict)

    def everything(
        self,
        bodies: Sequence[Span],
        quotations: Sequence[Quotation],
        speakers: Sequence[int | None],
    ) -> Iterator[_Said]:
        """What each sentence says; relations that need more than one are kept for agreed()."""
        from scholar_indexes.books.passages import paragraphs

        said = dict(zip(quotations, speakers, strict=False))
        self._speakers = {
            piece: who for each, who in said.items() if who is not None for piece in each.pieces
        }
        pieces = sorted(piece for each in quotations for piece in each.pieces)
        at = 0
        for body in bodies:
            for paragraph in paragraphs(self.text, body):
                while at < len(pieces) and pieces[at].end <= paragraph.start:
                    at += 1
                inside = at
                while inside < len(pieces) and pieces[inside].start < paragraph.end:
                    inside += 1
                first = bisect_left(self._starts, paragraph.start)
                if first < len(self._starts) and self._starts[first] < paragraph.end:
                    yield from self._paragraph(paragraph, pieces[at:inside])

    # -- sentences -----------------------------------------------------------------------

    def _paragraph(self, paragraph: Span, pieces: Sequence[Span]) -> Iterator[_Said]:
        topics: dict[Gender, tuple[int, int]] = {}  # who "he" is, and where that was said
        for sentence in self._sentences(paragraph, pieces):
            if sentence.quoted:
                topics.clear()
                if not sentence.asks and len(sentence.tokens) < 120:
                    yield from self._speech(sentence)
                continue
            start = self._with_pronouns(sentence, topics)
            if sentence.asks or sentence.span.end - start > MAX_PASSAGE_CHARS:
                continue
            yield from self._sentence(sentence, start)

    def _sentences(self, paragraph: Span, pieces: Sequence[Span]) -> Iterator[_Sentence]:
        at = paragraph.start
        for piece in (*pieces, None):
            end = max(at, min(paragraph.end, piece.start if piece else paragraph.end))
            yield from self._split(Span(at, end))
            if piece:
                at = max(at, min(paragraph.end, piece.end))
                spoken = Span(max(piece.start, paragraph.start), at)
                for sentence in self._split(spoken):
                    sentence.quoted, sentence.speaker = True, self._speakers.get(piece)
                    yield sentence

    def _split(self, within: Span) -> Iterator[_Sentence]:
        current: list[_Token] = []
        for token in self._tokens(within):
            if len(current) == MAX_TOKENS:
                yield _Sentence(current)
                current = []
            if token.kind == "mark" and token.word in _STOPS:
                short = current and (
                    current[-1].word in ABBREVIATED
                    or (len(current[-1].word) == 1 and current[-1].capital)
                )
                if token.word == "." and short and current[-1].word != "i":
                    current.append(token)
                    continue
                if current:
                    yield _Sentence(current, asks=token.word == "?")
                current = []
                continue
            current.append(token)
        if current:
            yield _Sentence(current)

    def _tokens(self, within: Span) -> Iterator[_Token]:
        at = within.start
        next_ = bisect_left(self._starts, within.start)
        while True:
            mention = self.mentions[next_] if next_ < len(self.mentions) else None
            stop = mention.span.start if mention and mention.span.end <= within.end else within.end
            for found in _TOKEN.finditer(self.text, at, stop):
                kind = found.lastgroup or "mark"
                raw = found.group()
                yield _Token(kind, raw.casefold(), found.start(), found.end(), -1,
                             raw[0].isupper())  # fmt: skip
            if mention is None or stop == within.end:
                return
            yield self._name(mention)
            at, next_ = mention.span.end, next_ + 1

    def _name(self, mention: Mention) -> _Token:
        raw = mention.span.of(self.text)
        start, end = mention.span.start, mention.span.end
        return _Token("name", raw.casefold(), start, end, mention.who, raw[0].isupper())

    def _with_pronouns(self, sentence: _Sentence, topics: dict[Gender, tuple[int, int]]) -> int:
        """Give pronouns that begin a clause the one they clearly mean; where the passage
        begins that says so. topics is kept up to date."""
        tokens = sentence.tokens
        start = sentence.span.start
        opened = set(topics)
        kept: set[Gender] = set()
        for at, token in enumerate(tokens):
            if token.kind == "name":
                gender = self.cast[token.who].gender
                if (at == 0 or (at == 1 and tokens[0].word in lx.EPITHETS)) and (
                    at + 1 < len(tokens) and _verbal(tokens[at + 1])
                ):
                    topics.clear()
                    if gender is not Gender.UNKNOWN and not any(
                        each.word in _REPORTS for each in tokens[at + 1 : at + 4]
                    ):
                        topics[gender] = token.who, token.start
                        kept.add(gender)
                else:
                    for each in [gender] if gender is not Gender.UNKNOWN else list(topics):
                        if each in topics and topics[each][0] != token.who:
                            del topics[each]
            elif token.kind == "word":
                said = _PRONOUNS.get(token.word)
                free = (
                    at == 0
                    or tokens[at - 1].word in (";", ":")
                    or (
                        tokens[at - 1].word in ("and", "but")
                        and at > 1
                        and tokens[at - 2].word in (",", ";")
                    )
                )
                if said and free and said in topics:
                    who, where = topics[said]
                    tokens[at] = token._replace(who=who)
                    if at == 0:
                        kept.add(said)
                    if said in opened:
                        start = min(start, where)
                elif token.word in lx.PERSONS or (token.word in mentions.TITLES and token.capital):
                    told = lx.gender(token.word)
                    for each in [told] if told is not Gender.UNKNOWN else list(topics):
                        if not _of_subject(tokens, at):
                            topics.pop(each, None)
        for gender in list(topics):
            if gender not in kept:
                del topics[gender]
        return start

    # -- what a sentence says ------------------------------------------------------------

    def _sentence(self, sentence: _Sentence, start: int) -> Iterator[_Said]:
        tokens = sentence.tokens
        passage = self._passage(Span(start, sentence.span.end))
        near = self._passage(sentence.span)
        for at, token in enumerate(tokens):
            if token.who < 0:
                continue
            here = near if token.kind == "name" else passage
            found: list[_Said] = []
            self._here = here
            if token.kind == "name" and not self._is_word(tokens, at):
                found += self._apposed_after(tokens, at)
                found += self._apposed_before(tokens, at)
                found += self._relative(tokens, at)
            if self._acts(tokens, at):
                found += self._clause(tokens, at, at + 1)
            for each in found:
                each.passages.append(here)
                yield each
        for token in tokens:
            if token.kind == "name":
                self._recent[self.cast[token.who].gender] = token.who

    def _speech(self, sentence: _Sentence) -> Iterator[_Said]:
        """What somebody says of another in passing: what they are to whom, and what by trade."""
        tokens = sentence.tokens
        here = self._passage(sentence.span)
        for at, token in enumerate(tokens):
            if token.kind != "name" or self._is_word(tokens, at):
                continue
            self._speaker = -1 if sentence.speaker is None else sentence.speaker
            self._here = here
            for each in (*self._apposed_after(tokens, at), *self._apposed_before(tokens, at)):
                if each.kind in (RELATION, CALLING):
                    each.weight *= 0.7
                    each.passages.append(here)
                    yield each
            if at + 1 < len(tokens) and tokens[at + 1].word == "is" and self._acts(tokens, at):
                for each in self._clause(tokens, at, at + 1):
                    if each.kind in (RELATION, CALLING):
                        each.weight *= 0.6
                        each.passages.append(here)
                        yield each
            self._speaker = None

    def agreed(self) -> Iterator[_Said]:
        """Relations of which it is clear only from several places whose they are."""
        for (who, noun), owners in self._votes.items():
            votes = sorted(owners.items(), key=lambda each: -len(each[1]))
            owner, passages = votes[0]
            total = sum(len(each) for each in owners.values())
            if len(passages) < AGREED or 2 * len(passages) <= total:
                continue
            text = f"the {noun} of {{{self.cast[owner].name}}}"
            for each in self._out(who, RELATION, text, 0.9):
                each.passages += passages
                yield each
            if noun in lx.KIN:
                text = f"the one whose {noun} is {{{self.cast[who].name}}}"
                for each in self._out(owner, RELATION, text, 0.6):
                    each.passages += passages
                    yield each

    def _vote(self, tokens: Sequence[_Token], at: int, who: int, noun: str) -> None:
        """Count whose relative somebody seems to be, by the last one named."""
        word = tokens[at].word
        owner: int | None
        if word == "my":
            owner = self._owner(tokens, at, who, at)
        elif self._speaker is not None:
            return  # of whom somebody talks is not to be seen from who was named last
        else:
            gender = Gender.MALE if word == "his" else Gender.FEMALE
            before = [
                each.who for each in tokens[:at]
                if each.who not in (-1, who) and self.cast[each.who].gender is gender
            ]  # fmt: skip
            owner = before[-1] if before else self._recent.get(gender)
        if owner is not None and owner != who and noun in lx.KIN | lx.TIES:
            self._votes[who, noun].setdefault(owner, []).append(self._here)

    def _passage(self, span: Span) -> Span:
        start, end = span.start, span.end
        while end < len(self.text) and self.text[end] in ".!…":
            end += 1
        return Span(start, end)

    def _is_word(self, tokens: Sequence[_Token], at: int) -> bool:
        """Whether a name may just be a word that begins a sentence: "Rose early"."""
        token = tokens[at]
        if at and tokens[at - 1].word not in (".", ":"):
            return False
        return " " not in token.word and self._lower[token.word] > 1

    def _apposed_after(self, tokens: Sequence[_Token], at: int) -> Iterator[_Said]:
        """ "Mr. Collins, the clergyman," """
        if at + 2 >= len(tokens) or tokens[at + 1].word != ",":
            return
        if at and tokens[at - 1].word in ("and", "or", ","):
            before = at - 2 if at > 1 else 0
            if tokens[at - 1].word != "," or tokens[before].kind == "name":
                return
        who = tokens[at].who
        said = self._person(tokens, at + 2, who, at)
        if said is None:
            return
        text, kind, end, inverse = said
        after = tokens[end].word if end < len(tokens) else "."
        if end < len(tokens) and after not in (",", ";", ":", "—", "--", ")"):
            return
        if after == "," and end + 1 < len(tokens) and tokens[end + 1].word in ("and", "or"):
            return
        if (
            after == ","
            and end + 2 < len(tokens)
            and (tokens[end + 1].word in lx.DETERMINERS and tokens[end + 2].word in lx.PERSONS)
        ):
            return  # a list of people
        if after == "," and any(each.kind == "name" for each in tokens[end + 1 : end + 3]):
            return
        yield from self._out(who, kind, text, 1.0)
        yield from inverse

    def _apposed_before(self, tokens: Sequence[_Token], at: int) -> Iterator[_Said]:
        """ "her aunt, Mrs. Gardiner," and "his sister Georgiana" """
        who = tokens[at].who
        comma = at > 0 and tokens[at - 1].word == ","
        head = at - 2 if comma else at - 1
        if head < 1 or tokens[head].kind != "word" or tokens[head].word not in lx.PERSONS:
            return
        if tokens[head].capital:
            return
        after = tokens[at + 1].word if at + 1 < len(tokens) else "."
        if comma and after not in (",", ".", ";", ":", "—", "--", ")", "who", "whose"):
            return
        if after in ("'s", "’s", "'", "’") or after in ("and", "or", "&"):
            return
        for first in range(head - 1, max(-1, head - 6), -1):
            token = tokens[first]
            if token.kind == "poss" or token.word in (*lx.ARTICLES, *lx.POSSESSIVE):
                break
            if (
                token.kind != "word"
                or token.word in lx.UNFIT
                or token.word in lx.BOUNDS
                or (token.word in lx.PREPOSITIONS or token.word in lx.UNRESOLVED)
            ):
                return
        else:
            return
        if tokens[first].kind == "poss":
            if not first or tokens[first - 1].kind != "name":
                return
            first -= 1
        before = tokens[first - 1].word if first else ""
        if before in ("and", "or", "as", "not", "no", "like") or tokens[first].word in ("a", "an"):
            return
        if not comma and tokens[first].word == "the":
            follower = tokens[at + 1] if at + 1 < len(tokens) else None
            if tokens[head].word not in lx.CALLINGS | lx.KIN or (follower and _verbal(follower)):
                return
        if not comma and before in _TELLING_SOMEBODY:
            return  # "told his sister Jane was ill"
        if comma and (not first or before in (",", "for")):
            return  # "To her aunt, Jane was" and lists
        said = self._person(tokens, first, who, at, stop=head + 1)
        if said:
            text, kind, _, inverse = said
            yield from self._out(who, kind, text, 1.0)
            yield from inverse

    def _relative(self, tokens: Sequence[_Token], at: int) -> Iterator[_Said]:
        """ "Wickham, who had eloped with Lydia," """
        if at + 3 >= len(tokens) or tokens[at + 1].word != "," or tokens[at + 2].word != "who":
            return
        if at and (tokens[at - 1].word in ("and", "or", "of", "to", "with") or
                   tokens[at - 1].kind == "poss"):  # fmt: skip
            return
        yield from self._clause(tokens, at, at + 3, relative=True)

    def _acts(self, tokens: Sequence[_Token], at: int) -> bool:
        """Whether a name or a clear pronoun is the whole subject of a clause that is told for
        a fact."""
        token = tokens[at]
        if token.kind == "name" and self._is_word(tokens, at):
            return False
        first = at
        while first and tokens[first - 1].word in lx.EPITHETS:
            first -= 1
        if any(each.word in lx.HEDGES for each in tokens[max(0, first - 25) : first]):
            return False
        if not first:
            return True
        before = tokens[first - 1]
        if before.kind == "mark":
            if before.word in (";", ":", "—", "--", "–"):
                return True
            if before.word != "," or first < 3:
                return before.word == "," and first >= 2 and tokens[first - 2].kind != "name"
            return not any(
                each.kind == "name" or each.word in ("of", "between")
                for each in tokens[max(0, first - 4) : first - 1]
            )
        if before.word in ("but", "when", "where", "because", "then", "though", "since", "until",
                           "till", "so", "now", "while"):  # fmt: skip
            return first == 1 or tokens[first - 2].kind != "name"
        if before.word == "and":
            return first == 1 or tokens[first - 2].kind == "mark"
        return False

    def _clause(
        self, tokens: Sequence[_Token], at: int, verb: int, relative: bool = False
    ) -> Iterator[_Said]:
        """What the clause says whose verb begins at a place."""
        who = tokens[at].who
        n = len(tokens)
        if verb < n and tokens[verb].word == "," and not relative:
            verb = self._past_comma(tokens, verb)
        while verb < n and _adverbial(tokens[verb]):
            verb += 1
        if verb >= n or tokens[verb].kind != "word" or tokens[verb].capital:
            return
        yield from self._predicate(tokens, who, verb)
        for more in _coordinated(tokens, verb):
            yield from self._predicate(tokens, who, more)

    def _past_comma(self, tokens: Sequence[_Token], comma: int) -> int:
        """Where the verb is after "Lydia, with perfect indifference," """
        for at in range(comma + 1, min(len(tokens) - 1, comma + 12)):
            token = tokens[at]
            listing = token.word == "and" and tokens[at - 1].word == ","
            if token.kind in ("name", "poss") or token.word in _NO_ASIDE or listing:
                break
            if token.word == ",":
                return at + 1 if _verbal(tokens[at + 1]) else len(tokens)
        return len(tokens)

    def _predicate(self, tokens: Sequence[_Token], who: int, verb: int) -> Iterator[_Said]:
        """What a verb and what follows it say."""
        n = len(tokens)
        if any(each.word in lx.DOUBTS for each in tokens[max(0, verb - 1) : verb + 3]):
            return
        end = verb
        while end < n and tokens[end].word not in (";", ":", "but", "—", "--"):
            end += 1
        if any(each.word in lx.NEGATIONS or each.word.endswith(("n't", "n’t"))
               for each in tokens[verb:end][:16]):  # fmt: skip
            return
        first = tokens[verb].word
        if tokens[verb].kind != "word":
            return
        if first in ("was", "is") or (first == "had" and verb + 1 < n
                                      and tokens[verb + 1].word == "been"):  # fmt: skip
            after = verb + (2 if first == "had" else 1)
            yield from self._being(tokens, who, verb, after)
            return
        if first == "had" and verb + 1 < n:
            past = verb + 1
            while past < n and _adverbial(tokens[past]):
                past += 1
            if past < n and lx.is_participle(tokens[past].word) and tokens[past].word != "had":
                yield from self._deed(tokens, who, verb, past)
            elif tokens[verb + 1].word in ("a", "an", "two", "three", "four", "five"):
                yield from self._having(tokens, who, verb)
            return
        if lx.is_past(first):
            yield from self._deed(tokens, who, verb, verb)

    def _being(self, tokens: Sequence[_Token], who: int, verb: int, at: int) -> Iterator[_Said]:
        """ "was a stout girl of fifteen", "was the eldest son of", "was very tall" """
        n = len(tokens)
        while at < n and tokens[at].word in lx.ADVERBS - {"too"}:
            at += 1
        if at >= n:
            return
        token = tokens[at]
        if token.word in lx.DETERMINERS or token.kind == "name":
            said = self._person(tokens, at, who, verb, predicate=True)
            if said:
                text, kind, end, inverse = said
                if end < n and tokens[end].word in ("as", "than", "when", "if", "to"):
                    return
                yield from self._out(who, kind, text, 0.9)
                yield from inverse
            return
        if token.word in lx.STATES and not token.word.endswith("ly"):
            state_end = self._complement(tokens, at + 1, who)
            if state_end is None or (state_end == at + 1 and token.word in _WANTING):
                return
            shown = self._shown(tokens, verb, state_end, who)
            if shown:
                yield from self._out(who, DEED, f"the one who {shown}", 1.0)
            return
        degree = at
        while at < n and tokens[at].word in lx.DEGREES:
            at += 1
        if at >= n or tokens[at].word not in lx.TRAITS:
            if (
                at < n
                and at == degree
                and tokens[at].word in lx.NUMBERS | {"about", "only", "just"}
            ):
                yield from self._age(tokens, who, verb, at)
            return
        end = at + 1
        while (
            end + 1 < n and tokens[end].word in (",", "and") and tokens[end + 1].word in lx.TRAITS
        ):
            end += 2
        if (
            end + 2 < n
            and tokens[end].word == ","
            and tokens[end + 1].word == "and"
            and (tokens[end + 2].word in lx.TRAITS)
        ):
            end += 3
        after = tokens[end].word if end < n else "."
        if end < n and tokens[end].kind != "mark" and after not in ("and", "with"):
            return
        weak = all(each.word in lx.WEAK_TRAITS or each.word in (",", "and")
                   for each in tokens[at:end])  # fmt: skip
        if weak and end == at + 1:
            return
        shown = self._shown(tokens, verb, end, who)
        if shown:
            yield from self._out(who, TRAIT, f"the one who {shown}", 0.5 if weak else 0.8)

    def _age(self, tokens: Sequence[_Token], who: int, verb: int, at: int) -> Iterator[_Said]:
        end = at
        while (
            end < len(tokens)
            and end < at + 7
            and tokens[end].kind == "word"
            and (
                tokens[end].word in lx.NUMBERS
                or tokens[end].word.partition("-")[0] in lx.NUMBERS
                or tokens[end].word in ("about", "only", "just", "years", "of", "age", "old", "and")
            )
        ):
            end += 1
        while end > at and tokens[end - 1].word in ("and", "of", "about", "only", "just"):
            end -= 1
        if not any(tokens[each].word.partition("-")[0] in lx.NUMBERS for each in range(at, end)):
            return
        if end < len(tokens) and tokens[end].kind != "mark" and tokens[end].word not in lx.BOUNDS:
            return
        shown = self._shown(tokens, verb, end, who)
        if shown:
            yield from self._out(who, TRAIT, f"the one who {shown}", 1.0)

    def _having(self, tokens: Sequence[_Token], who: int, verb: int) -> Iterator[_Said]:
        """ "had a wooden leg", "had two daughters" """
        end = self._complement(tokens, verb + 1, who)
        if end is None or end < verb + (3 if tokens[end - 1].word in _FAMILY else 4):
            return
        if not any(each.word in _HAD for each in tokens[verb + 2 : end]):
            return
        shown = self._shown(tokens, verb, end, who)
        if shown:
            yield from self._out(who, TRAIT, f"the one who {shown}", 0.9)

    def _deed(self, tokens: Sequence[_Token], who: int, verb: int, past: int) -> Iterator[_Said]:
        """ "married Charlotte", "had eloped with Lydia" """
        deed = tokens[past].word
        telling = deed in lx.TELLING
        if deed in ("been", "had") or (deed in lx.DULL and deed not in lx.WITH_OTHERS):
            return
        after = tokens[past + 1].word if past + 1 < len(tokens) else "."
        if past == verb and (
            after == "by" or (deed in lx.SUFFERED and after in lx.PREPOSITIONS | {",", "."})
        ):
            return  # "engrossed by her feelings, followed them"
        if deed in ("relied", "depended") and after not in ("on", "upon"):
            return  # "on her advice Lady Elliot relied"
        end = self._complement(tokens, past + 1, who)
        if end is None:
            return
        others = {each.who for each in tokens[past + 1 : end] if each.kind == "name"} - {who}
        if self.narrator is not None and any(
            each.word in ("me", "my") for each in tokens[past + 1 : end]
        ):
            others.add(self.narrator)
        told = [
            each.word
            for each in tokens[past + 1 : end]
            if each.kind == "word" and each.word not in _SMALL and not each.word.endswith("ly")
        ]
        if not others and deed not in _ALONE and all(each in _EVERYDAY for each in told):
            return
        if end == past + 1 and deed not in _ALONE:
            return
        if deed in lx.DULL and not others:
            return
        if deed in SPEAKING and not telling:
            return
        shown = self._shown(tokens, verb, end, who)
        if shown:
            weight = (1.0 if telling else 0.3) + (0.6 if others else 0.0)
            if deed in lx.DULL:
                weight -= 0.3
            yield from self._out(who, DEED, f"the one who {shown}", weight)

    # -- phrases ---------------------------------------------------------------------------

    def _person(
        self,
        tokens: Sequence[_Token],
        at: int,
        who: int,
        name: int,
        stop: int | None = None,
        predicate: bool = False,
    ) -> tuple[str, str, int, list[_Said]] | None:
        """What a noun phrase that begins at a place calls the one it is said of: the text, its
        kind, where it ends, and what it says of another. name is where that one is named."""
        n = len(tokens)
        first = tokens[at] if at < n else None
        if first is None:
            return None
        owner: int | None = None
        inner = at + 1
        if first.kind == "name":
            if at + 1 >= n or tokens[at + 1].kind != "poss" or first.who == who:
                return None
            owner, inner = first.who, at + 2
        elif first.word in lx.POSSESSIVE:
            said = first.word == "my" and self._speaker is not None  # perhaps read from a letter
            owner = None if said else self._owner(tokens, at, who, name)
            if owner is None or owner == who:
                if stop is not None and self._fits(tokens[stop - 1].word, who):
                    self._vote(tokens, at, who, tokens[stop - 1].word)
                return None
        elif first.word not in lx.ARTICLES:
            if (
                stop is None
                and first.word in lx.KIN | lx.TIES
                and at + 1 < n
                and (tokens[at + 1].word in ("of", "to"))
            ):
                inner = at  # "wife of"
            else:
                return None
        head = self._head(tokens, inner, n if stop is None else stop)
        if head is None or (stop is not None and head != stop - 1):
            return None
        noun = tokens[head].word
        if not self._fits(noun, who):
            return None
        kin = noun in lx.KIN or noun in lx.TIES
        end = head + 1
        if stop is None:
            tail = self._tail(tokens, end, who, only_of=not predicate)
            if tail is None:
                return None
            end = tail
            after = tokens[end] if end < n else None
            if after is not None and after.kind in ("name", "poss"):
                return None
            if (
                first.word == "the"
                and after is not None
                and (
                    after.word in ("who", "whom", "whose", "that", "which")
                    or (
                        after.word in lx.PREPOSITIONS
                        and end + 1 < n
                        and tokens[end + 1].word in ("whom", "which", "whose")
                    )
                )
            ):
                return None  # "the happy woman by whom he sat": it takes the rest to be one
            if (
                after is not None
                and after.kind == "word"
                and not (after.word in lx.BOUNDS or (predicate and after.word in lx.PREPOSITIONS))
            ):
                return None
        adjectives = [each.word for each in tokens[inner:head]]
        if (
            owner is None
            and end == head + 1
            and (
                noun in lx.PEOPLE | lx.TIES
                and all(each in lx.PETTY | {"and", ",", "very"} for each in adjectives)
            )
        ):
            return None  # "the man"
        if kin and owner is None and end == head + 1 and noun in lx.KIN and not adjectives:
            return None  # "a mother"
        phrase = self._shown(tokens, inner, end, who)
        if not phrase:
            return None
        inverse: list[_Said] = []
        if owner is None:
            others = [each.who for each in tokens[inner:end] if each.kind == "name"]
            owned = any(each.kind == "poss" for each in tokens[inner:end])
            kind = (
                RELATION
                if kin and (others or owned or end > head + 1)
                else (CALLING if noun in lx.CALLINGS | lx.TIES else TRAIT)
            )
            if (
                others
                and kin
                and tokens[head + 1].word == "of"
                and (
                    tokens[head + 2].kind == "name" and tokens[head + 2].end == tokens[end - 1].end
                )
            ):
                inverse = list(self._inverse(tokens, inner, head, others[0], who))
            return f"the {phrase}", kind, end, inverse
        if not kin or (first.word == "my" and self._speaker is not None and noun not in lx.KIN):
            return None
        if noun in lx.KIN:
            inverse = list(self._inverse(tokens, inner, head, owner, who))
        whose = f"{{{self.cast[owner].name}}}"
        if end > head + 1:
            return (
                None
                if tokens[head + 1].word == "of"
                else (f"{whose}’s {phrase}", RELATION, end, inverse)
            )
        return f"the {phrase} of {whose}", RELATION, end, inverse

    def _fits(self, noun: str, who: int) -> bool:
        genders = {self.cast[who].gender, lx.gender(noun)} - {Gender.UNKNOWN}
        return len(genders) < 2

    def _inverse(
        self, tokens: Sequence[_Token], inner: int, head: int, owner: int, who: int
    ) -> Iterator[_Said]:
        if tokens[head].word not in lx.KIN or "," in [each.word for each in tokens[inner:head]]:
            return
        phrase = self._shown(tokens, inner, head + 1, owner)
        if phrase:
            text = f"the one whose {phrase} is {{{self.cast[who].name}}}"
            yield from self._out(owner, RELATION, text, 0.6)

    def _owner(self, tokens: Sequence[_Token], at: int, who: int, name: int) -> int | None:
        """Whom "his", "her" or "my" means, where only one can be."""
        word = tokens[at].word
        if word == "my":
            me = self.narrator if self._speaker is None else self._speaker
            return None if me == -1 else me
        gender = Gender.MALE if word == "his" else Gender.FEMALE
        found: set[int] = set()
        for each in tokens[:at]:
            if each.who >= 0 and each.who != who:
                if self.cast[each.who].gender in (gender, Gender.UNKNOWN):
                    found.add(each.who)
            elif each.kind == "word":
                if _PRONOUNS.get(each.word) is gender and each.who < 0:
                    return None
                if each.word in lx.PERSONS and lx.gender(each.word) in (gender, Gender.UNKNOWN):
                    return None
                if each.capital and each.word in mentions.TITLES:
                    return None
        if len(found) != 1:
            return None
        (one,) = found
        return one if self.cast[one].gender is gender else None

    def _head(self, tokens: Sequence[_Token], at: int, stop: int) -> int | None:
        """The noun of the noun phrase that goes on at a place, if it means a person."""
        head = None
        for each in range(at, min(stop, at + _FARTHEST)):
            token = tokens[each]
            if token.kind == "poss":
                if head != each - 1:
                    return None
                head = None
            elif token.kind == "mark":
                if token.word != "," or head is not None or each == at:
                    break
            elif token.kind == "name" or token.word in lx.UNFIT:
                return None
            elif token.word in lx.PERSONS and not token.capital:
                head = each
            elif head is not None:
                break
            elif token.word in ("and", "very", "most", "rather"):
                continue
            elif token.word in lx.DETERMINERS | lx.PREPOSITIONS | lx.BOUNDS | lx.AUXILIARIES or (
                token.word in lx.UNRESOLVED or token.word in lx.NEGATIONS
            ):
                return None
        if head is None or (head + 1 < len(tokens) and tokens[head + 1].kind == "poss"):
            return None
        return head

    def _tail(self, tokens: Sequence[_Token], at: int, who: int, only_of: bool) -> int | None:
        """Where the "of" and "with" behind a noun end; None where they cannot be read."""
        if at >= len(tokens) or tokens[at].word not in _TAILS:
            return at
        if tokens[at].word != "of" and only_of:
            return None
        end = self._complement(tokens, at, who)
        if end is not None and any(each.word in lx.POSSESSIVE for each in tokens[at:end]):
            end = None  # "the child of his old age" is somebody else's
        if end is None:
            return None if tokens[at].word == "of" else at
        return end if end > at + 1 else None

    def _complement(self, tokens: Sequence[_Token], at: int, who: int) -> int | None:
        """Where what follows a verb ends; None where it cannot be told, or has words that mean
        nothing outside."""
        gender = self.cast[who].gender
        n, start, opened, named, mine = len(tokens), at, False, False, False
        others: set[Gender] = set()
        while at < n:
            token = tokens[at]
            word = token.word
            if at - start >= _LONGEST:
                return None
            if token.kind == "mark":
                if word in (",", ";", ":", "—", "--", "–"):
                    break
                return None
            if token.kind == "name":
                if token.who == who or named:
                    return None
                others.add(self.cast[token.who].gender)
                named = True
                at += 1
                continue
            if token.kind == "poss":
                if at == start or at + 1 >= n or not _nominal(tokens[at + 1]):
                    return None
                named, opened = False, True
                at += 1
                continue
            previous = tokens[at - 1]
            if word in ("and", "or") or word in lx.BOUNDS:
                if word in lx.BOUNDS and at == start:
                    return None
                if word in ("than", "so", "as", "whose") and not (
                    word == "as" and at + 1 < n and tokens[at + 1].word in lx.ARTICLES
                ):
                    return None
                if word in ("that", "whether", "if", "where", "who", "whom", "which") and (
                    not opened
                    or (word == "that" and previous.word in _CLAIMS)
                    or tokens[at - 2].word in lx.DETERMINERS
                ):
                    return None  # "with a fluency that": of which one, is behind it
                if word == "while" and previous.word in ("a", "little", "long", "short"):
                    at += 1
                    continue
                if word != "as":
                    break
                at += 1
                continue
            if word in ("his", "her"):
                meant = Gender.MALE if word == "his" else Gender.FEMALE
                if meant is not gender or meant in others or Gender.UNKNOWN in others:
                    return None
                if self._rivalled(tokens, start, who):
                    return None
                if word == "her" and (at + 1 >= n or not _nominal(tokens[at + 1])):
                    return None
            elif word in ("himself", "herself"):
                if (word == "himself") is not (gender is Gender.MALE) or gender is Gender.UNKNOWN:
                    return None
            elif word in ("me", "my"):
                if self.narrator in (None, who) or self._speaker is not None or mine:
                    return None
                mine = True
            elif (
                word in lx.UNRESOLVED
                or word in lx.AUXILIARIES
                or word in lx.NEGATIONS
                or (
                    named
                    and previous.kind == "name"
                    and not (
                        word in lx.PREPOSITIONS or word in lx.DETERMINERS or word.endswith("ly")
                    )
                )
                or (
                    lx.is_past(word)
                    and not (
                        previous.word in lx.DETERMINERS
                        or previous.kind == "poss"
                        or previous.word.endswith("ly")
                        or previous.word in lx.TRAITS
                    )
                )
            ):
                return None
            if word not in lx.PREPOSITIONS:
                named = False
            if word in lx.DETERMINERS:
                opened = True
            at += 1
        if at == start:
            return at
        last = tokens[at - 1]
        if (
            (at >= n or tokens[at].word == ":")
            and last.word.endswith("ing")
            and (tokens[at - 2].word in lx.PREPOSITIONS)
        ):
            return None  # "by saying:"
        after = tokens[at].word if at < n else "."
        if after == "and" and at + 1 < n and tokens[at + 1].word == last.word:
            return None  # "nearer and nearer"
        if (
            after in (",", "and", "or", "yet", "but")
            and tokens[at - 2].word in ("a", "an")
            and at + 1 < n
            and _bare(tokens[at + 1])
            and not lx.is_past(tokens[at + 1].word)
        ):
            return None  # "a high and comfortable house"
        if (
            after == ","
            and opened
            and at + 1 < n
            and lx.may_describe(tokens[at + 1].word)
            and not tokens[at + 1].word.endswith(("ing", "ly"))
        ):
            return None  # "her naughty, wicked conduct"
        if tokens[at - 2].word == "to" and last.word in _KNOWING:
            return None
        if tokens[at - 2].word in _KNOWING and last.word in ("himself", "herself"):
            return None  # "hated to hear himself, the doctor, spoken of"
        if last.word.endswith(("'s", "’s", "s'", "s’")):
            return None
        if (
            last.kind == "poss"
            or last.word in lx.DETERMINERS
            or last.word
            in lx.PREPOSITIONS - {"up", "down", "out", "off", "in", "away", "over", "by", "on"}
        ):
            return None
        if (
            last.word in lx.PREPOSITIONS
            and at - 1 > start
            and at < n
            and (tokens[at].word in lx.BOUNDS)
        ):
            return None
        if (
            at < n
            and tokens[at].word in (",", "and", "or", "yet", "but")
            and last.kind == "word"
            and (opened and lx.may_describe(last.word) and last.word not in _NOUNS_LIKE)
        ):
            return None  # "a tall, dark" and "a tall and dark"
        if last.word in lx.UNFIT or last.word in ("very", "most", "more", "as", "ever", "my"):
            return None
        return at

    def _rivalled(self, tokens: Sequence[_Token], before: int, who: int) -> bool:
        """Whether somebody else of the same gender is named earlier in the sentence."""
        gender = self.cast[who].gender
        return any(
            (each.who not in (-1, who) and self.cast[each.who].gender in (gender, Gender.UNKNOWN))
            or (each.who < 0 and _PRONOUNS.get(each.word) is gender)
            for each in tokens[:before]
        )

    # -- text ------------------------------------------------------------------------------

    def _shown(self, tokens: Sequence[_Token], first: int, end: int, who: int) -> str:
        """Tokens as they read, names in braces; empty where they cannot be shown."""
        parts = []
        at = tokens[first].start
        for token in tokens[first:end]:
            between = self.text[at : token.start]
            parts.append(between)
            if token.kind == "name":
                if token.who == who:
                    return ""
                parts.append(f"\x00{self.cast[token.who].name}\x01")
            elif token.word in ("me", "my") and self.narrator is not None:
                owned = "’s" if token.word == "my" else ""
                parts.append(f"\x00{self.cast[self.narrator].name}\x01{owned}")
            else:
                parts.append(self.text[token.start : token.end])
            at = token.end
        shown = " ".join("".join(parts).split())
        if _ODD.search(shown.replace("--", "[")):
            return ""
        return shown.replace("\x00", "{").replace("\x01", "}")

    def _out(self, who: int, kind: str, text: str, weight: float) -> Iterator[_Said]:
        """A description, unless it says the name of the one it describes."""
        outside = SLOT.sub(" ", text)
        if self.terms[who].isdisjoint(words(outside)) and not _NAMES_ODD.search(text):
            yield _Said(who, kind, text, weight)


_CLAIMS = frozenset(
    "persuasion opinion idea belief hope fear conviction impression fact thought suspicion "
    "assurance certainty feeling notion wish news intelligence understanding doubt "
    "conclusion reflection sense knowledge confession condition remark".split()
)
"""Nouns that say little without the clause behind them."""

_TELLING_SOMEBODY = frozenset("told thought knew believed saw heard called made".split())
_NO_ASIDE = frozenset({";", ":", "—", "--", "or", "who", "whom", "whose", "which"})
_KNOWING = frozenset("know hear say see ask think observe understand find tell learn".split())
"""Infinitives behind which what is known goes on in another clause."""

_REPORTS = frozenset("believed said thought told knew heard supposed hoped feared wrote".split())
"""Verbs behind which "he" may be the one who is spoken of."""

_SUBJECTS = frozenset("i he she it they we you there this these those such".split())
_PRONOUNS = {"he": Gender.MALE, "she": Gender.FEMALE}
_LOWER = re.compile(r"(?<![^\W_])[a-zà-þ][^\W_]*")
_WORDS = re.compile(r"[^\W\d_]+")
_NAMES_ODD = re.compile(r"\{[^{}]*[{<>|\\][^{}]*\}")
_TAILS = frozenset("of with from in without at by to".split())
_NOUNS_LIKE = frozenset(
    "wedding morning evening building dwelling living feeling meeting proposal general criminal "
    "minister farewell family estate house servant merchant president infant patient student "
    "accident moment parent agent regiment present animal hospital island admiral garden bed "
    "reading writing drawing painting singing dancing shooting hunting fishing stocking clothing "
    "ring king thing string wing spring being anything something nothing money city party lady "
    "country company baby duty study story library county army belly body bully diary navy jelly "
    "ally fly reply supply july music republic public public-house picnic attic fabric arithmetic "
    "metal medal canal capital journal funeral arrival rival trial burial cattle musical "
    "apartment department parliament argument engagement garment instrument monument "
    "document testament event tent cent scent rent accent talent client president ancient "
    "servant giant merchant tenant lieutenant sergeant infant elephant restaurant warrant plant "
    "grant want ant aunt chest west east rest forest guest harvest interest nest breast priest "
    "request test vest secretary library dictionary salary february january table stable "
    "vegetable constable seed bed shed hundred steed speed weed dish fish wish english parish "
    "polish native captive detective relative motive archive olive wife knife motive goal".split()
)
"""Nouns that look like adjectives."""

_HAD = frozenset(
    "hair eyes eye nose face leg legs arm hand hands beard moustache voice figure complexion "
    "countenance scar limp stammer squint mouth teeth forehead whiskers wig lisp cough "
    "daughter daughters son sons child children wife husband brother brothers sister sisters "
    "mother father aunt uncle nephew niece cousin house farm estate shop school fortune income "
    "temper mind heart habit dog horse cat parrot pounds acres".split()
)
"""What somebody has for long."""

_FAMILY = frozenset(
    "daughter daughters son sons child children wife husband brother brothers sister sisters "
    "scar limp stammer squint lisp beard moustache".split()
)
"""What is worth telling of somebody who has it, without more."""

_WANTING = frozenset(
    "related attached brought bred employed devoted addicted descended born engaged appointed "
    "acquainted tried".split()
)
"""States that say nothing without what they are in."""

_ALONE = frozenset(
    "eloped died drowned fainted enlisted emigrated married limped stammered lisped "
    "squinted".split()
)
"""Deeds that need no more words."""


_EVERYDAY = frozenset(
    "hand hands head eyes eye lips lip arm arms shoulder shoulders forehead brow face hair finger "
    "fingers chin cheek cheeks foot feet knee knees neck throat nose mouth teeth breath voice tone "
    "colour color tears tear smile laugh nod glance look step steps way place seat chair table "
    "door window bell room rooms house hat cap gloves bonnet coat shawl candle lamp light fire "
    "himself herself care notice nothing answer reply word words question questions attention "
    "subject matter conversation silence moment minute minutes time while hour day night morning "
    "evening afternoon side corner end opportunity head pace stairs upstairs downstairs hall "
    "parlour parlor kitchen air ground floor wall book letter paper pipe tea dinner breakfast "
    "supper glass cup plate horse carriage ear ears back front glances looks again away out up "
    "down off in on over round home indeed heartily saying hearing seeing other others".split()
)
"""What everybody has and does, and so tells nobody apart."""


def _speaking() -> frozenset[str]:
    from scholar_indexes.speakers import cues

    return cues.SPEECH


SPEAKING = _speaking()
"""Verbs that only say that somebody speaks."""


def _verbal(token: _Token) -> bool:
    """Whether a token may be the verb of the name before it."""
    return token.kind == "word" and (
        token.word in lx.AUXILIARIES
        or lx.is_past(token.word)
        or token.word.endswith("ly")
        or token.word in lx.ADVERBS
    )


def _of_subject(tokens: Sequence[_Token], at: int) -> bool:
    """Whether a noun is what the subject of the sentence is said to be: "was a tall woman"."""
    for back in range(at - 1, max(0, at - 6), -1):
        if tokens[back].word in ("a", "an"):
            return back == 2 and tokens[1].word in ("was", "is")
        if tokens[back].word in lx.PREPOSITIONS or tokens[back].word in lx.BOUNDS - {"and"}:
            return False
    return False


def _adverbial(token: _Token) -> bool:
    return token.kind == "word" and (
        token.word in lx.ADVERBS
        or (token.word.endswith("ly") and token.word not in ("family", "only", "early"))
    )


def _coordinated(tokens: Sequence[_Token], verb: int) -> Iterator[int]:
    """Further verbs of the same subject: "took her hat, and eloped"."""
    for at in range(verb + 1, min(len(tokens) - 2, verb + 30)):
        token = tokens[at]
        if (
            token.word in (";", ":", "—", "--", "but")
            or token.word in _SUBJECTS
            or (token.word in lx.BOUNDS and token.word not in ("and", "or", "nor"))
        ):
            return
        if (token.kind == "name" and _verbal(tokens[at + 1])) or (
            token.word in lx.AUXILIARIES and tokens[at - 1].word != "and"
        ):
            return
        if token.word == "and":
            more = at + 1
            while more < len(tokens) - 1 and _adverbial(tokens[more]):
                more += 1
            if (
                tokens[more].kind == "word"
                and (tokens[more].word in ("was", "had") or lx.is_past(tokens[more].word))
                and not lx.is_past(tokens[at - 1].word)
                and not (more + 1 < len(tokens) and _bare(tokens[more + 1]))
            ):
                yield more


def _bare(token: _Token) -> bool:
    """Whether a token may be a noun without an article: "and faded feathers" is no deed."""
    return (
        token.kind == "word"
        and token.word not in lx.DETERMINERS | lx.PREPOSITIONS | lx.BOUNDS | lx.UNRESOLVED
        and not _adverbial(token)
        and token.word not in ("himself", "herself", "me", "my", "been")
    )


def _nominal(token: _Token) -> bool:
    """Whether a token may go on a noun phrase."""
    return token.kind == "word" and not (
        token.word in lx.PREPOSITIONS
        or token.word in lx.BOUNDS
        or token.word in lx.DETERMINERS
        or token.word in lx.AUXILIARIES
        or token.word in lx.UNRESOLVED
        or token.word.endswith("ly")
        or token.word in lx.ADVERBS
    )


# -- which descriptions single a character out ------------------------------------------------

KIND_WEIGHTS = {RELATION: 2.2, CALLING: 2.0, TRAIT: 1.4, DEED: 1.0}
PRIOR = 0.5
"""What each word is counted beside what is seen of it."""

_SMALL = (
    lx.DETERMINERS | lx.PREPOSITIONS | lx.BOUNDS | lx.AUXILIARIES | lx.ADVERBS | lx.DEGREES
    | frozenset("one who whose".split())
)  # fmt: skip


def _ranked(
    said: Sequence[_Said], counts: Mapping[str, int], cast: Sequence[Character], most: int
) -> list[Told]:
    """Descriptions by what they are worth: their kind, and the log odds of their words among
    all that is said of the character against all that is said of the others (after Monroe,
    Colaresi and Quinn 2008, "Fightin' Words", section 3.3, with a flat prior)."""
    bags = [_content(each.text) for each in said]
    of: dict[int, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    for each, bag in zip(said, bags, strict=True):
        of[each.who].update(bag)
        total.update(bag)
    size = sum(total.values())
    sizes = {who: sum(bag.values()) for who, bag in of.items()}
    whole = sum(counts.values()) + 1
    texts: dict[str, set[int]] = defaultdict(set)
    for each in said:
        texts[each.text].add(each.who)
    shared = {text for text, owners in texts.items() if len(owners) > 1}
    kept: dict[int, list[Told]] = defaultdict(list)
    for each, bag in zip(said, bags, strict=True):
        if each.text in shared:
            continue
        mine, n = of[each.who], sizes[each.who]

        def odds(word: str, mine: Counter[str] = mine, n: int = n) -> float:
            here, there = mine[word], total[word] - mine[word]
            z = math.log((here + PRIOR) / (n + PRIOR * len(total))) - math.log(
                (there + PRIOR) / (size - n + PRIOR * len(total))
            )
            return z / math.sqrt(1 / (here + PRIOR) + 1 / (there + PRIOR))

        rare = [math.log(whole / (counts.get(word, 0) + 20)) / 10 for word in bag]
        best = sorted((odds(word) for word in bag), reverse=True)[:3]
        score = (
            KIND_WEIGHTS[each.kind] * each.weight
            + 0.5 * sum(best) / 3
            + sum(sorted(rare, reverse=True)[:3]) / 3
            + 0.4 * math.log(len(each.passages))
        )
        passages = tuple(sorted(each.passages)[:MOST_PASSAGES])
        kept[each.who].append(Told(each.who, each.kind, each.text, passages, round(score, 4)))
    found = []
    for who in sorted(kept):
        ordered = sorted(kept[who], key=lambda each: (-each.score, each.text))
        found += _various(ordered[: 4 * most])[:most]
    return found


def _various(told: Sequence[Told]) -> list[Told]:
    """Without those that only repeat a better one."""
    kept: list[Told] = []
    bags: list[set[str]] = []
    for each in told:
        bag = set(_content(each.text))
        if any(len(bag & other) >= 0.75 * min(len(bag), len(other)) for other in bags):
            continue
        kept.append(each)
        bags.append(bag)
    return kept


def _content(text: str) -> list[str]:
    return [each for each in dict.fromkeys(words(text)) if each not in _SMALL]
