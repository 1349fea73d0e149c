"""Automatic descriptions of characters, extracted from the text of a novel.

    text -> sentences with mentions -> drafts by patterns -> selected descriptions

There is no parser. Four kinds of descriptions that novels state outright are extracted, mostly
from the narration: relations ("her aunt, Mrs. Gardiner"), callings ("Mr. Collins, the
clergyman"), traits ("Lydia was a stout, well-grown girl of fifteen") and deeds ("Mr. Collins
married Charlotte"). A pattern matches only phrases that it can interpret to the end, and nothing
negated, hedged, asked or about several characters. The patterns are in the package patterns, their
words in scholar_indexes.lexicon.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholar_indexes.characters.descriptions.patterns import (
    appositions,
    kinship,
    motifs,
    predicates,
    pronoun_antecedents,
    selection,
    subjects,
    tokenized_sentences,
)
from scholar_indexes.characters.descriptions.patterns.drafts import (
    CALLING,
    DEED,
    MOTIF,
    RELATION,
    TRAIT,
    DraftDescription,
    reveals_name,
)
from scholar_indexes.characters.descriptions.patterns.kinship import KinshipVote
from scholar_indexes.characters.descriptions.patterns.mentioning_sentences import (
    MentioningSentences,
)
from scholar_indexes.characters.descriptions.patterns.rivals import RivalFinder
from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import (
    NovelText,
    TokenizedSentence,
)
from scholar_indexes.characters.folded_words import name_terms
from scholar_indexes.types import Character, Quotation, Span

KINDS = (RELATION, CALLING, MOTIF, TRAIT, DEED)

MAX_PASSAGE_CHARS = 700
"""A longer passage, from an antecedent to the end of a sentence, is skipped."""

MAX_SPOKEN_TOKENS = 120
"""A longer sentence of quoted speech is skipped."""

MAX_PASSAGES = 5
"""The most passages returned with one description."""

MAX_PER_CHARACTER = 40
"""The most descriptions returned of one character."""

SPOKEN_APPOSITION_FACTOR, SPOKEN_CLAUSE_FACTOR = 0.7, 0.6
"""Factors of the weights in quoted speech, relative to the weights in the narration."""

_WORDS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class AutomaticDescription:
    """A description of a character, extracted from the text of a novel.

    `character` is an index in the cast; `kind` is one of KINDS; `text` is a noun phrase that
    could replace the name, with the names of others in braces, as in a description bank;
    `passages` are its evidence, in text order; `score` is how well it singles the character out,
    higher is better; `rivals` are the indices of other characters that it may fit as well.
    """

    character: int
    kind: str
    text: str
    passages: tuple[Span, ...]
    score: float
    rivals: tuple[int, ...] = ()


def find_descriptions(
    text: str,
    bodies: Sequence[Span],
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    speakers: Sequence[int | None] = (),
    antecedents: Mapping[int, int] | None = None,
    limit: int = MAX_PER_CHARACTER,
) -> list[AutomaticDescription]:
    """Return the best `limit` descriptions of each character of a novel, best first.

    `bodies` are the chapters; `quotations` are its dialogue, and `speakers` the cast index of the
    speaker of each, if known; `antecedents` are the cast indices of the characters that pronouns
    refer to, by the position of the pronoun. No description has a word of the names of its
    character. Takes time linear in the text.
    """
    novel = tokenized_sentences.read_novel(text, cast, antecedents or {})
    mentioning = MentioningSentences(bodies)
    extracted = list(_extract(novel, bodies, quotations, speakers, mentioning))
    votes = [item for item in extracted if isinstance(item, KinshipVote)]
    drafts = [item for item in extracted if isinstance(item, DraftDescription)]
    drafts += kinship.count_votes(votes, cast)
    drafts += motifs.find_motifs(mentioning.sentences, text, cast)
    own_terms = [name_terms([character.name, *character.aliases]) for character in cast]
    drafts = [draft for draft in drafts if not reveals_name(draft, own_terms[draft.character])]
    finder = RivalFinder(mentioning.sentences, cast)
    counts = Counter(_WORDS.findall(text.casefold()))
    return [
        AutomaticDescription(
            draft.character,
            draft.kind,
            draft.text,
            tuple(sorted(draft.passages)[:MAX_PASSAGES]),
            score,
            finder.find(draft),
        )
        for draft, score in selection.rank(selection.merge_duplicates(drafts), counts, limit)
    ]


def _extract(
    novel: NovelText,
    bodies: Sequence[Span],
    quotations: Sequence[Quotation],
    speakers: Sequence[int | None],
    mentioning: MentioningSentences,
) -> Iterator[DraftDescription | KinshipVote]:
    """Yield the drafts and votes of each sentence, in text order, and add it to `mentioning`."""
    for beginning, paragraph in tokenized_sentences.split_paragraphs(
        novel, bodies, quotations, speakers
    ):
        for sentence in paragraph:
            mentioning.add(sentence, beginning)
            if sentence.quoted:
                yield from _extract_spoken(sentence)
                continue
            resolved, start = pronoun_antecedents.resolve_pronouns(sentence, beginning)
            if not resolved.is_question and resolved.end - start <= MAX_PASSAGE_CHARS:
                yield from _extract_narrated(resolved, start)


def _extract_narrated(sentence: TokenizedSentence, start: int) -> Iterator[DraftDescription]:
    """Yield the drafts of a sentence of the narration; a passage with a pronoun begins at `start`,
    where its antecedent is named."""
    own_passage, passage = sentence.passage(sentence.start), sentence.passage(start)
    for index, token in enumerate(sentence.tokens):
        if token.character < 0:
            continue
        drafts: list[DraftDescription] = []
        if token.kind == "name" and not subjects.may_be_common_word(sentence, index):
            drafts += appositions.find_appositions(sentence, index)
            drafts += _extract_relative_clause(sentence, index)
        drafts += _extract_main_clause(sentence, index)
        evidence = own_passage if token.kind == "name" else passage
        for draft in drafts:
            yield replace(draft, passages=(evidence,))


def _extract_relative_clause(sentence: TokenizedSentence, name: int) -> Iterator[DraftDescription]:
    verb = subjects.find_relative_verb(sentence.tokens, name)
    if verb is not None:
        character = sentence.tokens[name].character
        yield from predicates.extract_from_clause(sentence, character, verb)


def _extract_main_clause(sentence: TokenizedSentence, index: int) -> Iterator[DraftDescription]:
    if not subjects.is_subject(sentence, index):
        return
    verb = subjects.find_main_verb(sentence.tokens, index)
    if verb is not None:
        character = sentence.tokens[index].character
        yield from predicates.extract_from_clause(sentence, character, verb)


def _extract_spoken(
    sentence: TokenizedSentence,
) -> Iterator[DraftDescription | KinshipVote]:
    """Yield the relations and callings, and the votes, of a sentence of quoted speech."""
    if sentence.is_question or len(sentence.tokens) >= MAX_SPOKEN_TOKENS:
        return
    passage = sentence.passage(sentence.start)
    for index, token in enumerate(sentence.tokens):
        if token.kind != "name" or subjects.may_be_common_word(sentence, index):
            continue
        if vote := kinship.find_vote(sentence, index, passage):
            yield vote
        for draft, factor in _spoken_drafts(sentence, index):
            if draft.kind in (RELATION, CALLING):
                yield replace(draft, weight=draft.weight * factor, passages=(passage,))


def _spoken_drafts(
    sentence: TokenizedSentence, name: int
) -> Iterator[tuple[DraftDescription, float]]:
    """Yield the drafts of appositions to a name and of "is" after it, with their factors."""
    for draft in appositions.find_appositions(sentence, name):
        yield draft, SPOKEN_APPOSITION_FACTOR
    verb = name + 1
    if subjects.find_main_verb(sentence.tokens, name) != verb:
        return
    if sentence.tokens[verb].word == "is" and subjects.is_subject(sentence, name):
        character = sentence.tokens[name].character
        for draft in predicates.extract_from_clause(sentence, character, verb):
            yield draft, SPOKEN_CLAUSE_FACTOR
