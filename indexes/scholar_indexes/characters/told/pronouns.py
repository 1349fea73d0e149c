"""Whom a pronoun means, where that is clear without a parser.

"He" is whoever began a sentence before, as long as no other man came up since; "her" in "her
aunt" is the one woman named before in the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scholar_indexes.characters.lexicon import adjectives, closed, nouns, verbs
from scholar_indexes.characters.told.sentences import Novel, Sentence
from scholar_indexes.characters.told.tokens import Token, is_person, is_verbal
from scholar_indexes.speakers.mentions import TITLES
from scholar_indexes.types import Gender

_LEADS_AWAY = closed.PREPOSITIONS | (closed.BOUNDS - {"and"})

Topics = Mapping[Gender, tuple[int, int]]
"""Who "he" and "she" are, and where that one was named."""


def resolved(sentence: Sentence, topics: Topics) -> tuple[Sentence, Topics, int]:
    """A sentence whose clear pronouns are given who they mean, the topics behind it, and where
    a passage has to begin to say so."""
    tokens = list(sentence.tokens)
    start, meant = sentence.start, topics
    kept: set[Gender] = set()
    for at, token in enumerate(tokens):
        if token.kind == "name":
            if _opens(tokens, at):
                meant = _topic(sentence.novel, tokens, at)
                kept.update(meant)
            else:
                meant = _without(meant, sentence.novel.cast[token.who].gender, token.who)
        elif not meant or token.kind != "word":
            continue
        elif token.word in closed.PRONOUNS:
            gender = closed.PRONOUNS[token.word]
            if gender in meant and _begins_clause(tokens, at):
                who, named = meant[gender]
                tokens[at] = token._replace(who=who)
                start = min(start, named)
                kept.update([gender] if at == 0 else [])
        elif is_person(token) and not _is_of_subject(tokens, at):
            meant = _without(meant, nouns.gender(token.word))
    left = {gender: topic for gender, topic in meant.items() if gender in kept}
    return Sentence(sentence.novel, tokens, sentence.asks), left, start


def owner(sentence: Sentence, at: int, who: int) -> int | None:
    """Whom "his", "her" or "my" at a place means in what is said of somebody, where only one
    can be."""
    word = sentence.tokens[at].word
    if word == "my":
        return sentence.speaker if sentence.quoted else sentence.novel.narrator
    gender = closed.OWNED[word]
    cast = sentence.novel.cast
    found: set[int] = set()
    for each in sentence.tokens[:at]:
        if each.who >= 0 and each.who != who:
            if cast[each.who].gender in (gender, Gender.UNKNOWN):
                found.add(each.who)
        elif each.kind == "word" and _may_be_another(each, gender):
            return None
    if len(found) != 1:
        return None
    (one,) = found
    return one if cast[one].gender is gender else None


def is_rivalled(sentence: Sentence, before: int, who: int) -> bool:
    """Whether somebody else of the same gender comes up before a place in the sentence."""
    cast = sentence.novel.cast
    gender = cast[who].gender
    return any(
        (each.who not in (-1, who) and cast[each.who].gender in (gender, Gender.UNKNOWN))
        or (each.who < 0 and closed.PRONOUNS.get(each.word) is gender)
        for each in sentence.tokens[:before]
    )


def _may_be_another(token: Token, gender: Gender) -> bool:
    """Whether a word means somebody of a gender who is not known."""
    if token.who < 0 and closed.PRONOUNS.get(token.word) is gender:
        return True
    if token.word in nouns.PERSONS and nouns.gender(token.word) in (gender, Gender.UNKNOWN):
        return True
    return token.capital and token.word in TITLES


def _opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name is the subject with which a sentence begins."""
    begins = at == 0 or (at == 1 and tokens[0].word in adjectives.EPITHETS)
    return begins and at + 1 < len(tokens) and is_verbal(tokens[at + 1])


def _topic(of: Novel, tokens: Sequence[Token], at: int) -> Topics:
    """What a subject at a place is talked of as; in "Jane believed he" he may be anybody."""
    token = tokens[at]
    gender = of.cast[token.who].gender
    reports = any(each.word in verbs.REPORTS for each in tokens[at + 1 : at + 4])
    return {} if gender is Gender.UNKNOWN or reports else {gender: (token.who, token.start)}


def _without(topics: Topics, gender: Gender, who: int = -1) -> Topics:
    """The topics when somebody comes up: none of that gender is left but that very one."""
    if not topics:
        return topics
    return {
        each: topic
        for each, topic in topics.items()
        if topic[0] == who or gender not in (each, Gender.UNKNOWN)
    }


def _begins_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether a clause begins at a place, behind nothing, a semicolon or ", and"."""
    if at == 0 or tokens[at - 1].word in (";", ":"):
        return True
    return at > 1 and tokens[at - 1].word in ("and", "but") and tokens[at - 2].word in (",", ";")


def _is_of_subject(tokens: Sequence[Token], at: int) -> bool:
    """Whether a noun is what the subject of the sentence is said to be: "was a tall woman"."""
    for back in range(at - 1, max(0, at - 6), -1):
        if tokens[back].word in ("a", "an"):
            return back == 2 and tokens[1].word in ("was", "is")
        if tokens[back].word in _LEADS_AWAY:
            return False
    return False
