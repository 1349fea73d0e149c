"""Pronoun resolution, where the antecedent is clear without a parser.

"He" refers to the subject of an earlier sentence as long as no other man came up since; "her" in
"her aunt" to the only woman named before in the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scholar_indexes.characters.descriptions.patterns.sentences import NovelText, TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import (
    UNRESOLVED,
    Token,
    is_person_noun,
    is_title,
    is_verbal,
)
from scholar_indexes.lexicon import adjectives, closed_classes, person_nouns, verbs
from scholar_indexes.types import Gender

_INTERRUPTIONS = closed_classes.PREPOSITIONS | (closed_classes.BOUNDS - {"and"})

Topics = Mapping[Gender, tuple[int, int]]
"""The antecedents of "he" and "she": a character and the position of the mention."""


class _Resolver:
    """Resolves the pronouns of one sentence from left to right."""

    def __init__(self, sentence: TokenizedSentence, topics: Topics) -> None:
        self.novel = sentence.novel
        self.tokens = list(sentence.tokens)
        self.topics = topics
        self.start = sentence.start
        self._lasting: set[Gender] = set()

    def read(self, index: int) -> None:
        """Update the topics with the token at an index, or resolve it."""
        token = self.tokens[index]
        if token.kind == "name":
            self._read_name(index)
        elif not self.topics or token.kind != "word":
            return
        elif token.word in closed_classes.PRONOUNS:
            self._resolve(index)
        elif is_person_noun(token) and not _is_predicate_noun(self.tokens, index):
            self.topics = _without_rivals(self.topics, person_nouns.gender(token.word))

    def lasting_topics(self) -> Topics:
        """Return the topics with which the next sentence begins."""
        return {gender: topic for gender, topic in self.topics.items() if gender in self._lasting}

    def _read_name(self, index: int) -> None:
        token = self.tokens[index]
        if _is_opening_subject(self.tokens, index):
            self.topics = _topic_of(self.novel, self.tokens, index)
            self._lasting.update(self.topics)
        else:
            gender = self.novel.cast[token.character].gender
            self.topics = _without_rivals(self.topics, gender, token.character)

    def _resolve(self, index: int) -> None:
        token = self.tokens[index]
        gender = closed_classes.PRONOUNS[token.word]
        if gender in self.topics and _begins_clause(self.tokens, index):
            character, position = self.topics[gender]
            self.tokens[index] = token._replace(character=character)
            self.start = min(self.start, position)
            if index == 0:
                self._lasting.add(gender)


def resolve_pronouns(
    sentence: TokenizedSentence, topics: Topics
) -> tuple[TokenizedSentence, Topics, int]:
    """Return a sentence with its clear pronouns resolved, the topics behind it, and the position
    where a passage has to begin to include the antecedents."""
    resolver = _Resolver(sentence, topics)
    for index in range(len(sentence.tokens)):
        resolver.read(index)
    resolved = TokenizedSentence(sentence.novel, resolver.tokens, sentence.is_question)
    return resolved, resolver.lasting_topics(), resolver.start


def find_possessor(sentence: TokenizedSentence, index: int, described: int) -> int | None:
    """Return the antecedent of "his", "her" or "my" at an index, said of the character described;
    None where it is not clear."""
    word = sentence.tokens[index].word
    if word == "my":
        return sentence.speaker if sentence.quoted else sentence.narrator
    gender = closed_classes.OWNED[word]
    before = sentence.tokens[:index]
    others = [token for token in before if _refers_to_other(token, described)]
    if any(_may_be_unnamed(token, gender) for token in before if token not in others):
        return None
    cast = sentence.novel.cast
    candidates = {
        token.character
        for token in others
        if cast[token.character].gender in (gender, Gender.UNKNOWN)
    }
    if len(candidates) != 1:
        return None
    (possessor,) = candidates
    return possessor if cast[possessor].gender is gender else None


def has_rival(sentence: TokenizedSentence, end: int, character: int) -> bool:
    """Return True if another of the same gender comes up in a sentence before an index."""
    cast = sentence.novel.cast
    gender = cast[character].gender
    return any(
        cast[token.character].gender in (gender, Gender.UNKNOWN)
        if token.character not in (UNRESOLVED, character)
        else token.character == UNRESOLVED and closed_classes.PRONOUNS.get(token.word) is gender
        for token in sentence.tokens[:end]
    )


def _refers_to_other(token: Token, described: int) -> bool:
    return token.character >= 0 and token.character != described


def _may_be_unnamed(token: Token, gender: Gender) -> bool:
    """Return True if a word may mean somebody of a gender who is not known."""
    if token.kind != "word":
        return False
    if token.character == UNRESOLVED and closed_classes.PRONOUNS.get(token.word) is gender:
        return True
    if token.word in person_nouns.PERSONS:
        return person_nouns.gender(token.word) in (gender, Gender.UNKNOWN) or is_title(token)
    return is_title(token)


def _is_opening_subject(tokens: Sequence[Token], index: int) -> bool:
    """Return True if a name is the subject with which a sentence begins."""
    begins = index == 0 or (index == 1 and tokens[0].word in adjectives.EPITHETS)
    return begins and index + 1 < len(tokens) and is_verbal(tokens[index + 1])


def _topic_of(novel: NovelText, tokens: Sequence[Token], index: int) -> Topics:
    """Return the topic that a subject sets; none in "Jane believed he", who may be anybody."""
    token = tokens[index]
    gender = novel.cast[token.character].gender
    reports = any(following.word in verbs.REPORTS for following in tokens[index + 1 : index + 4])
    if gender is Gender.UNKNOWN or reports:
        return {}
    return {gender: (token.character, token.start)}


def _without_rivals(topics: Topics, gender: Gender, character: int = UNRESOLVED) -> Topics:
    """Return the topics when somebody comes up: of that gender only that very character."""
    if not topics:
        return topics
    return {
        topic_gender: topic
        for topic_gender, topic in topics.items()
        if topic[0] == character or gender not in (topic_gender, Gender.UNKNOWN)
    }


def _begins_clause(tokens: Sequence[Token], index: int) -> bool:
    """Return True if a clause begins at an index: behind nothing, a semicolon or ", and"."""
    if index == 0 or tokens[index - 1].word in (";", ":"):
        return True
    return (
        index > 1
        and tokens[index - 1].word in ("and", "but")
        and tokens[index - 2].word in (",", ";")
    )


def _is_predicate_noun(tokens: Sequence[Token], index: int) -> bool:
    """Return True if a noun is what the subject is said to be: "Jane was a tall woman"."""
    for before in range(index - 1, max(0, index - 6), -1):
        if tokens[before].word in ("a", "an"):
            return before == 2 and tokens[1].word in ("was", "is")
        if tokens[before].word in _INTERRUPTIONS:
            return False
    return False
