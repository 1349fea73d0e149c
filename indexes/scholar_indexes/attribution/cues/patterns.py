"""Patterns of narration that identify the speaker of an adjacent quotation, as tables of rules.

"...," said Emma        "...." He smiled. "..."        Emma, rising, cried: "..."
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scholar_indexes.attribution.cues.noun_phrases import (
    Subject,
    name_subject,
    parse_noun_phrase,
    pronoun_subject,
)
from scholar_indexes.attribution.cues.subjects import (
    find_clause_subject,
    find_subject,
    may_begin_subject,
)
from scholar_indexes.attribution.cues.tokens import (
    SENTENCE_ENDS,
    CueToken,
    NarrationReader,
    find_clause_end,
    find_last_sentence,
    find_sentence_end,
)
from scholar_indexes.attribution.cues.verbs import VerbStrength, rate_verb, stands_alone
from scholar_indexes.attribution.cues.vocabulary import (
    CLAUSE_CUTS,
    COPULAS,
    INDIRECT_SPEECH,
    POSTVERBAL,
    SPEECH_NOUNS,
)
from scholar_indexes.lexicon import verbs
from scholar_indexes.types import Span

_LEADING_MARKS = frozenset((",", ":", "--", "—", "–", ";"))
"""Marks at the end of narration that lead up to speech."""

_OWNER_NOMINATIVE = {"his": "he", "her": "she", "my": "i"}


class CueMatch(NamedTuple):
    """A speaker found in the narration; `is_sure` if there is more evidence than punctuation."""

    subject: Subject
    span: Span
    is_sure: bool


class NarrationBehind(NamedTuple):
    """The first clause after a piece of a quotation.

    `is_open` is True unless the quotation ends its sentence; `last_character` ends the piece.
    """

    reader: NarrationReader
    tokens: Sequence[CueToken]
    is_open: bool
    last_character: str


class NarrationAhead(NamedTuple):
    """The narration before a quotation; its last sentence begins at `start`, and `mark` ends it."""

    reader: NarrationReader
    tokens: Sequence[CueToken]
    start: int
    mark: str

    @property
    def leads(self) -> bool:
        """True if the punctuation leads up to speech."""
        return self.mark in _LEADING_MARKS


class BehindRule(NamedTuple):
    """A pattern of the narration after a piece of a quotation."""

    name: str
    match: Callable[[NarrationBehind], CueMatch | None]


class AheadRule(NamedTuple):
    """A pattern of the narration before a quotation."""

    name: str
    match: Callable[[NarrationAhead], CueMatch | None]


def match_behind(reader: NarrationReader, span: Span, last_character: str) -> CueMatch | None:
    """Return the speaker that the narration after a piece of a quotation identifies."""
    tokens = reader.tokenize(span)
    while tokens and tokens[0].is_mark and tokens[0].word not in SENTENCE_ENDS:
        del tokens[0]
    tokens = tokens[: find_sentence_end(tokens, 0)]
    if not tokens:
        return None
    clause = tokens[: find_clause_end(tokens)]
    # After a full stop, a capitalized word that is not a name begins a new sentence.
    continues = clause[0].is_word and not clause[0].is_capitalized
    is_open = last_character not in SENTENCE_ENDS or continues
    narration = NarrationBehind(reader, clause, is_open, last_character)
    for rule in BEHIND_RULES:
        match = rule.match(narration)
        if match is not None:
            return match
    return None


def _match_inversion(narration: NarrationBehind) -> CueMatch | None:
    """Match "said Emma" at the beginning of the narration."""
    tokens = narration.tokens
    verb = next(
        (index for index, token in enumerate(tokens) if not (token.is_word and token.is_adverbial)),
        None,
    )
    if verb is None or not _may_be_inverted(tokens[verb], narration.is_open):
        return None
    strength = rate_verb(tokens, verb)
    if not strength and not (narration.is_open and tokens[verb].word.endswith("ed")):
        return None
    subject = parse_noun_phrase(
        narration.reader,
        tokens,
        _skip_particles(tokens, verb + 1),
        behind_verb=strength > VerbStrength.NONE,
    )
    if subject is None or not (strength or subject.is_person):
        return None
    return CueMatch(subject, subject.cover(tokens[verb]), True)


def _may_be_inverted(verb: CueToken, is_open: bool) -> bool:
    if not verb.is_word or (verb.is_capitalized and not is_open):
        return False
    return not verb.word.endswith("ing")


def _skip_particles(tokens: Sequence[CueToken], index: int) -> int:
    """Return the index of the first token after particles and adverbs: "cried out angrily"."""
    while (
        index < len(tokens)
        and tokens[index].is_word
        and (tokens[index].word in POSTVERBAL or tokens[index].word.endswith("ly"))
    ):
        index += 1
    return index


def _match_subject_and_verb(narration: NarrationBehind) -> CueMatch | None:
    """Match "Emma said" up to a word that begins another clause."""
    tokens = narration.tokens
    for index, token in enumerate(tokens):
        if index and token.is_word and token.word in CLAUSE_CUTS:
            return None
        strength = rate_verb(tokens, index)
        if strength is VerbStrength.STRONG or (
            strength is VerbStrength.WEAK and (narration.is_open or stands_alone(tokens, index))
        ):
            subject = find_subject(narration.reader, tokens, index, 0)
            if subject is not None:
                return CueMatch(subject, subject.cover(token), True)
    return None


def _match_speech_noun_behind(narration: NarrationBehind) -> CueMatch | None:
    return _match_speech_noun(narration.reader, narration.tokens)


def _match_opening_phrase(narration: NarrationBehind) -> CueMatch | None:
    """Match a person who begins the narration after a comma, without a verb of speech."""
    if narration.last_character not in (",", ""):
        return None
    subject = parse_noun_phrase(narration.reader, narration.tokens, 0)
    if subject is None or not subject.is_person:
        return None
    return CueMatch(subject, subject.span, False)


BEHIND_RULES = (
    BehindRule("verb before subject", _match_inversion),
    BehindRule("subject before verb", _match_subject_and_verb),
    BehindRule("noun of speech", _match_speech_noun_behind),
    BehindRule("person behind a comma", _match_opening_phrase),
)
"""Tried in this order after a piece of a quotation."""


def match_ahead(reader: NarrationReader, span: Span) -> CueMatch | None:
    """Return the speaker that the narration before a quotation identifies."""
    tokens = reader.tokenize(span)
    if not tokens:
        return None
    mark = tokens[-1].word if tokens[-1].is_mark else ""
    is_finished = mark in SENTENCE_ENDS
    if is_finished:
        tokens = tokens[:-1]
    narration = NarrationAhead(reader, tokens, find_last_sentence(tokens), mark)
    for rule in FINISHED_AHEAD_RULES if is_finished else AHEAD_RULES:
        match = rule.match(narration)
        if match is not None:
            return match
    return None


def _match_last_verb(narration: NarrationAhead) -> CueMatch | None:
    """Match the verb of speech nearest to the quotation: "Elizabeth, smiling, cried:"."""
    tokens = narration.tokens
    for index in range(len(tokens) - 1, narration.start - 1, -1):
        strength = rate_verb(tokens, index)
        if strength is VerbStrength.STRONG or (strength and narration.leads):
            subject = find_subject(narration.reader, tokens, index, narration.start)
            if subject is None:
                subject = _find_person_behind(narration, index + 1)
            if subject is not None:
                return CueMatch(subject, subject.cover(tokens[index]), True)
    return None


def _find_person_behind(narration: NarrationAhead, index: int) -> Subject | None:
    """Return the person at a token after the verb: "Then said the old man:"."""
    subject = parse_noun_phrase(narration.reader, narration.tokens, index)
    return subject if subject is not None and subject.is_person else None


def _match_speech_noun_ahead(narration: NarrationAhead) -> CueMatch | None:
    if not narration.leads or narration.mark == ";":
        return None
    return _match_speech_noun(narration.reader, narration.tokens[narration.start :])


def _match_clause_subject(narration: NarrationAhead) -> CueMatch | None:
    """Match the subject of narration that leads up to speech without a verb of speech."""
    if not narration.leads or narration.mark == ";":
        return None
    tokens = narration.tokens
    subject = find_clause_subject(narration.reader, tokens, narration.start, len(tokens))
    return None if subject is None else CueMatch(subject, subject.span, False)


def _match_finished_sentence(narration: NarrationAhead) -> CueMatch | None:
    """Match a sentence that only says that someone speaks: "Tony protested."."""
    tokens = narration.tokens
    for index in range(narration.start, len(tokens)):
        token = tokens[index]
        if not rate_verb(tokens, index) or _is_weak(token):
            continue
        if index + 1 < len(tokens) and tokens[index + 1].word in INDIRECT_SPEECH:
            return None
        subject = find_subject(narration.reader, tokens, index, narration.start)
        return None if subject is None else CueMatch(subject, subject.cover(token), False)
    return None


def _is_weak(token: CueToken) -> bool:
    """Return True for a verb that means speech only with the support of punctuation."""
    return token.word in verbs.WEAK_SPEECH and token.word not in verbs.SPEECH_GOING_ON


AHEAD_RULES = (
    AheadRule("verb of speech", _match_last_verb),
    AheadRule("noun of speech", _match_speech_noun_ahead),
    AheadRule("subject before a leading mark", _match_clause_subject),
)
"""Tried in this order before a quotation, if the last sentence is not finished."""

FINISHED_AHEAD_RULES = (AheadRule("sentence that says someone speaks", _match_finished_sentence),)
"""Tried before a quotation if the narration ends with a full stop."""


def _match_speech_noun(reader: NarrationReader, tokens: Sequence[CueToken]) -> CueMatch | None:
    """Match "was his answer" and "came Emma's voice"."""
    for index, token in enumerate(tokens):
        if token.is_word and token.word in SPEECH_NOUNS:
            for owner in _find_owners(tokens, index):
                subject = _find_owner_subject(reader, tokens, owner)
                if subject is not None:
                    return CueMatch(subject, Span(subject.start, token.end), True)
    return None


def _find_owners(tokens: Sequence[CueToken], noun: int) -> Iterator[int]:
    """Yield the tokens before a noun that may name its owner, the nearest first."""
    for index in range(noun - 1, max(-1, noun - 5), -1):
        token = tokens[index]
        if token.is_mark:
            return
        first = index - 1 if token.is_possessive and index else index
        if may_begin_subject(tokens, first, 0) or tokens[first - 1].word in COPULAS:
            yield index


def _find_owner_subject(
    reader: NarrationReader, tokens: Sequence[CueToken], index: int
) -> Subject | None:
    token = tokens[index]
    if token.is_possessive and index and tokens[index - 1].is_name:
        return name_subject(tokens[index - 1])._replace(is_named=True)
    if token.word in _OWNER_NOMINATIVE:
        return pronoun_subject(reader, token, _OWNER_NOMINATIVE[token.word])
    return None
