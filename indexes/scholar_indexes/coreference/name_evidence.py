"""Collect the contexts of each name in a novel.

One pass over the words counts how often each name variant ("Mr. Darcy", "Darcy", "the Hatter")
speaks, is spoken to, owns something or follows "in" or "at", and which pronouns follow it. From
this person_names decides whether it is a person.
"""

from __future__ import annotations

from collections.abc import Set

from scholar_indexes.coreference.name_spans import POSSESSIVE_ENDING, find_name_spans
from scholar_indexes.coreference.name_variants import NameVariant, VariantStats
from scholar_indexes.coreference.pronouns import MALE_PRONOUNS, PRONOUNS
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel
from scholar_indexes.lexicon.word_lists import words_of

PRONOUN_WINDOW = 14
"""The number of words after a name in which a pronoun may refer to it."""

SPEECH_VERBS = words_of("speech_beside_name")
"""Verbs of speech, in the forms used next to a name."""

_HUMAN_ACTIONS = words_of("human_action")
"""Words that follow only the name of a person."""

_LOCATIVE = words_of("locative")
_DIRECTIONAL = words_of("directional")
_ARTICLES = words_of("demonstrative_article")
_OLD = words_of("elder")
_YOUNG = words_of("younger")
_BEFORE_VOCATIVE = words_of("before_vocative")
_BREAKS = frozenset(",.!?;—-")


def collect_variants(
    novel: TokenizedNovel, known: Set[str] = frozenset()
) -> dict[NameVariant, VariantStats]:
    """Return every name variant of a novel with its counts by context.

    `known` are folded given names, treated as names even if they occur only at the beginning of
    sentences.
    """
    variants: dict[NameVariant, VariantStats] = {}
    for variant, first, end in find_name_spans(novel, known):
        stats = variants.get(variant)
        if stats is None:
            surface = " ".join(novel.text[novel.starts[first] : novel.ends[end - 1]].split())
            surface = POSSESSIVE_ENDING.sub("", surface).replace("_", "")
            stats = variants[variant] = VariantStats(surface)
        count_occurrence(novel, stats, first, end)
    return variants


def count_occurrence(novel: TokenizedNovel, stats: VariantStats, first: int, end: int) -> None:
    """Add one occurrence of a name, words [first, end), to its counts."""
    quoted = bool(novel.quoted[first])
    stats.count += 1
    stats.quoted += quoted
    _count_actions(novel, stats, first, end)
    if novel.gap(first - 1).isspace():
        before = novel.lower[first - 1] if first else ""
        stats.after_locative += before in _LOCATIVE
        stats.after_directional += before in _DIRECTIONAL
        stats.after_article += before in _ARTICLES
        stats.after_old += before in _OLD
        stats.after_young += before in _YOUNG
    if quoted:
        is_addressed = _is_addressed(novel, first, end)
        stats.addressed += is_addressed
        stats.opening += is_addressed and novel.starts_sentence(first)
    else:
        stats.positions.append(first)
        _add_pronoun(novel, stats, end)


def _count_actions(novel: TokenizedNovel, stats: VariantStats, first: int, end: int) -> None:
    """Count whether a name speaks, acts like a person, or owns something."""
    before = novel.lower[first - 1] if first else ""
    after = novel.lower[end] if end < len(novel) else ""
    beside_before = novel.gap(first - 1).isspace()
    beside_after = novel.gap(end - 1).isspace()
    speaks = (before in SPEECH_VERBS and beside_before) or (after in SPEECH_VERBS and beside_after)
    acts = after in _HUMAN_ACTIONS and beside_after
    stats.speaking += speaks
    stats.cued += (
        before in SPEECH_VERBS and beside_before and _is_behind_quotation(novel, first - 1)
    )
    stats.acting += acts
    if POSSESSIVE_ENDING.search(novel.words[end - 1]):
        part_of_name = beside_after and end < len(novel) and novel.words[end][0].isupper()
        stats.owning += not part_of_name  # Lover's Lane


def _is_behind_quotation(novel: TokenizedNovel, at: int) -> bool:
    """Return True if a word of the narration is the first behind a quotation."""
    return at > 0 and bool(novel.quoted[at - 1]) and not novel.quoted[at]


def _is_addressed(novel: TokenizedNovel, first: int, end: int) -> bool:
    """Return True if a name in speech is set apart as a vocative: "No, my dear Emma,"."""
    if not _may_begin_vocative(novel, first):
        return False
    if end == len(novel) or not novel.quoted[end]:
        return True
    if novel.lower[end] == "and" or novel.is_name_like(end):
        return False
    return novel.gap(end - 1)[:1] in _BREAKS


def _may_begin_vocative(novel: TokenizedNovel, first: int) -> bool:
    """Return True if the text before a name in speech allows a vocative: "my dear Emma"."""
    if first == 0 or not novel.quoted[first - 1]:
        return True
    if novel.gap(first - 1).isspace():
        return novel.lower[first - 1] in _BEFORE_VOCATIVE
    return not novel.is_name_like(first - 1)  # Paris, London


def _add_pronoun(novel: TokenizedNovel, stats: VariantStats, end: int) -> None:
    """Add the log odds of the first pronoun after a name, unless another name comes before it."""
    for at in range(end, min(end + PRONOUN_WINDOW, len(novel))):
        word = novel.lower[at]
        if word in PRONOUNS:
            stats.male_log_odds += novel.pronoun_log_odds[word in MALE_PRONOUNS]
            return
        if novel.words[at][0].isupper() and not novel.is_common_word(at) and word != "i":
            return
        if novel.gap(at - 1).count("\n") > 1:
            return
