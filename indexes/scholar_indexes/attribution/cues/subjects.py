"""The subject of a verb: an ordered table of rules, and the subject of the whole clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scholar_indexes.attribution.cues.noun_phrases import (
    Subject,
    name_subject,
    parse_noun_phrase,
    pronoun_subject,
    shared_name_subject,
)
from scholar_indexes.attribution.cues.tokens import CueToken, NarrationReader
from scholar_indexes.attribution.cues.vocabulary import (
    DETERMINERS,
    NOMINATIVE,
    OPENERS,
    PREPOSITIONS,
    SUBORDINATORS,
)
from scholar_indexes.lexicon import verbs
from scholar_indexes.types import Gender

_LONGEST_DESCRIPTION = 6
_NOMINATIVE_OF = {"him": "he", "her": "she"}


class VerbClause(NamedTuple):
    """A verb, the tokens of its sentence from `start`, and the last one before the verb that is
    not an adverb or auxiliary."""

    reader: NarrationReader
    tokens: Sequence[CueToken]
    verb: int
    start: int
    last: int

    @property
    def last_token(self) -> CueToken:
        """The last token before the verb that is not an adverb or auxiliary."""
        return self.tokens[self.last]


class SubjectRule(NamedTuple):
    """A way to find the subject before a verb."""

    name: str
    find: Callable[[VerbClause], Subject | None]


def find_subject(
    reader: NarrationReader, tokens: Sequence[CueToken], verb: int, start: int
) -> Subject | None:
    """Return the subject before a verb, among `tokens[start:verb]`."""
    last = _skip_adverbials(tokens, verb - 1, start - 1)
    if last < start:
        return None
    clause = VerbClause(reader, tokens, verb, start, last)
    for rule in SUBJECT_RULES:
        subject = rule.find(clause)
        if subject is not None:
            return subject
    return None


def _skip_adverbials(tokens: Sequence[CueToken], index: int, limit: int) -> int:
    """Return the index of the last token up to `index` that is not an adverb or auxiliary."""
    while index > limit and tokens[index].is_word and tokens[index].is_adverbial:
        index -= 1
    return index


def _find_antecedent(clause: VerbClause) -> Subject | None:
    """Return the name before a relative clause: "Jane, who was smiling, said"."""
    tokens, start = clause.tokens, clause.start
    for index in range(clause.verb - 1, start, -1):
        if tokens[index].is_mark:
            return None
        if tokens[index].word == "who":
            has_comma = tokens[index - 1].word == ","
            name = tokens[max(start, index - 2) if has_comma else index - 1]
            return name_subject(name) if name.is_name else None
    return None


def _find_object(clause: VerbClause) -> Subject | None:
    """Return the object of perception before a base form: "I heard him say"."""
    token = clause.last_token
    if (
        clause.tokens[clause.verb].word not in verbs.SPEECH_LEMMAS
        or token.word not in _NOMINATIVE_OF
    ):
        return None
    return pronoun_subject(clause.reader, token, _NOMINATIVE_OF[token.word])


def _find_adjacent_name(clause: VerbClause) -> Subject | None:
    """Return the name directly before the verb, unless a preposition governs it."""
    if not clause.last_token.is_name:
        return None
    is_first = clause.last == clause.start
    if not is_first and clause.tokens[clause.last - 1].word in PREPOSITIONS:
        return None
    return name_subject(clause.last_token)


def _find_adjacent_pronoun(clause: VerbClause) -> Subject | None:
    token = clause.last_token
    return pronoun_subject(clause.reader, token, token.word) if token.word in NOMINATIVE else None


def _find_shared_name(clause: VerbClause) -> Subject | None:
    return shared_name_subject(clause.reader, clause.last_token)


def _find_adjacent_description(clause: VerbClause) -> Subject | None:
    """Return the description that ends directly before the verb: "the old man said"."""
    tokens = clause.tokens
    first = _find_description_start(clause)
    if first is None or (first > clause.start and _is_governed(tokens, first, clause.start)):
        return None
    phrase = parse_noun_phrase(clause.reader, tokens, first)
    if phrase is None or not phrase.is_person or phrase.end < clause.last_token.end:
        return None
    return phrase


def _find_description_start(clause: VerbClause) -> int | None:
    """Return the index of the determiner or possessor nearest before the verb."""
    tokens, start, last = clause.tokens, clause.start, clause.last
    if not tokens[last].is_word:
        return None
    for index in range(last, max(start - 1, last - _LONGEST_DESCRIPTION), -1):
        token = tokens[index]
        if token.is_mark:
            return None
        if token.is_possessive and index > start:
            return index - 1
        if token.is_possessive or token.word in DETERMINERS:
            return index
    return None


def _is_governed(tokens: Sequence[CueToken], index: int, start: int) -> bool:
    """Return True if the word before a token rules out a subject there: "with the old man"."""
    before = tokens[index - 1]
    if before.word in PREPOSITIONS or before.word == "and":
        return True
    return before.is_word and not may_begin_subject(tokens, index, start)


def _find_remote_subject(clause: VerbClause) -> Subject | None:
    return find_clause_subject(clause.reader, clause.tokens, clause.start, clause.verb)


SUBJECT_RULES = (
    SubjectRule("antecedent of a relative clause", _find_antecedent),
    SubjectRule("object of perception", _find_object),
    SubjectRule("adjacent name", _find_adjacent_name),
    SubjectRule("adjacent pronoun", _find_adjacent_pronoun),
    SubjectRule("name that several have", _find_shared_name),
    SubjectRule("adjacent description", _find_adjacent_description),
    SubjectRule("subject of the clause", _find_remote_subject),
)
"""Tried in this order for the subject before a verb."""


class _Candidate(NamedTuple):
    subject: Subject
    is_subordinate: bool  # in another clause: "as he spoke"
    has_comma: bool  # between it and its verb: "Elizabeth, smiling, cried"


def find_clause_subject(
    reader: NarrationReader, tokens: Sequence[CueToken], start: int, verb: int
) -> Subject | None:
    """Return the subject of a verb, not adjacent to it, among `tokens[start:verb]`."""
    candidates = list(_find_candidates(reader, tokens, start, verb))
    if not candidates:
        return None
    if verb < len(tokens) and tokens[verb].word.endswith("ing"):
        return candidates[-1].subject
    if tokens[_skip_adverbials(tokens, verb - 1, start)].word == ",":
        interrupted = _find_interrupted(candidates)
        if interrupted is not None:
            return interrupted
    return _choose_candidate(candidates)


def _find_interrupted(candidates: Sequence[_Candidate]) -> Subject | None:
    """Return the last subject of the main clause if a comma separates it from its verb."""
    for candidate in reversed(candidates):
        if candidate.has_comma:
            return candidate.subject
        if not candidate.is_subordinate:
            return None
    return None


def _choose_candidate(candidates: Sequence[_Candidate]) -> Subject:
    """Return the last subject of a main clause, or of a subordinate clause if that is vague."""
    main = [candidate.subject for candidate in candidates if not candidate.is_subordinate]
    subordinate = [candidate.subject for candidate in candidates if candidate.is_subordinate]
    if main and subordinate and not _is_single_person(main[-1]):
        return subordinate[-1]
    return main[-1] if main else subordinate[0]


def _find_candidates(
    reader: NarrationReader, tokens: Sequence[CueToken], start: int, end: int
) -> Iterator[_Candidate]:
    for index in range(start, end):
        token = tokens[index]
        if _is_conjunct(tokens, index, start):
            continue
        is_subordinate = index > start and tokens[index - 1].word in SUBORDINATORS
        is_free = may_begin_subject(tokens, index, start)
        if token.word in NOMINATIVE and token.is_word:
            subject: Subject | None = pronoun_subject(reader, token, token.word)
            is_subordinate = is_subordinate or not is_free
        elif is_free or is_subordinate:
            subject = parse_noun_phrase(reader, tokens, index)
        else:
            continue
        if subject is not None and subject.is_person:
            has_comma = _is_followed_by_comma(subject, tokens[index:end])
            yield _Candidate(subject, is_subordinate, has_comma)


def _is_conjunct(tokens: Sequence[CueToken], index: int, start: int) -> bool:
    """Return True for the second of two subjects: "where she and Eleanor were sitting"."""
    if index <= start + 1 or tokens[index - 1].word != "and":
        return False
    return tokens[index - 2].is_name or tokens[index - 2].word in NOMINATIVE


def _is_followed_by_comma(subject: Subject, tokens: Sequence[CueToken]) -> bool:
    following = next((token for token in tokens if token.start >= subject.end), None)
    return following is not None and following.word == ","


def _is_single_person(subject: Subject) -> bool:
    return subject.is_named or subject.character is not None or subject.gender is not Gender.UNKNOWN


def may_begin_subject(tokens: Sequence[CueToken], index: int, start: int) -> bool:
    """Return True if nothing before a token governs it, so that a subject may begin there."""
    if index == start:
        return True
    before = tokens[index - 1]
    if before.is_mark:
        return before.word not in "()[]"
    return before.is_word and (before.word in OPENERS or before.word.endswith("ly"))
