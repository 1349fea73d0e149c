"""Collect the descriptions that speak in a novel's narration: "the hatter", "my aunt"."""

from __future__ import annotations

from collections import Counter

from scholar_indexes.coreference.name_evidence import SPEECH_VERBS, count_occurrence
from scholar_indexes.coreference.name_variants import VariantStats
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel
from scholar_indexes.lexicon import person_nouns
from scholar_indexes.lexicon.word_lists import words_of

LONGEST_DESCRIPTION = 3
"""The maximum number of words after "the" in a description that acts as a name."""

Description = tuple[str, ...]
"""The folded words of a description without its article."""

_NEVER_SPEAKING = words_of("no_speaker")
_NEVER_IN_DESCRIPTIONS = words_of("no_description") | {"i"}


def collect_descriptions(novel: TokenizedNovel) -> dict[Description, VariantStats]:
    """Return the words after "the" next to a verb of speech in the narration: the hatter.

    The surface includes the article and has the most frequent capitalisation.
    """
    articles = [at for at, word in enumerate(novel.lower) if word == "the" and at + 1 < len(novel)]
    speaking = _count_speaking(novel, articles)
    stats_of: dict[Description, VariantStats] = {}
    spellings: dict[Description, Counter[str]] = {}
    for at in articles:
        description = _longest_known(novel, at, speaking)
        if description:
            end = at + 1 + len(description)
            count_occurrence(novel, stats_of.setdefault(description, VariantStats("")), at, end)
            spelling = " ".join(novel.words[at + 1 : end])
            spellings.setdefault(description, Counter())[spelling] += 1
    for description, stats in stats_of.items():
        stats.surface = "the " + spellings[description].most_common(1)[0][0]
        stats.speaking = max(stats.speaking, speaking[description])
    return stats_of


def collect_narrator_kin(novel: TokenizedNovel) -> dict[str, VariantStats]:
    """Return the relatives that the narrator calls "my aunt" and similar, by noun."""
    kin: dict[str, VariantStats] = {}
    for at, (word, noun) in enumerate(zip(novel.lower, novel.lower[1:], strict=False)):
        if word != "my" or noun not in person_nouns.NARRATOR_KIN:
            continue
        if not novel.quoted[at] and novel.gap(at).isspace():
            stats = kin.setdefault(noun, VariantStats(f"my {noun}"))
            count_occurrence(novel, stats, at, at + 2)
    return kin


def _count_speaking(novel: TokenizedNovel, articles: list[int]) -> Counter[Description]:
    """Return how often each description speaks in the narration."""
    speaking: Counter[Description] = Counter()
    for at in articles:
        if not novel.quoted[at]:
            description = _speaker(novel, at)
            if (
                description
                and description[-1] not in _NEVER_SPEAKING
                and not description[-1].endswith("ly")
            ):
                speaking[description] += 1
    return speaking


def _longest_known(novel: TokenizedNovel, article: int, known: Counter[Description]) -> Description:
    """Return the longest known description after an article, or ()."""
    for size in range(LONGEST_DESCRIPTION, 0, -1):
        description = tuple(novel.lower[article + 1 : article + 1 + size])
        if description in known and all(
            novel.gap(article + place).isspace() for place in range(len(description))
        ):
            return description
    return ()


def _speaker(novel: TokenizedNovel, article: int) -> Description:
    """Return the words after "the" if they describe a speaker: said the X, or the X said."""
    words: list[str] = []
    for at in range(article + 1, min(article + 2 + LONGEST_DESCRIPTION, len(novel))):
        if not novel.gap(at - 1).isspace():
            return ()
        word = novel.lower[at]
        if word in SPEECH_VERBS:
            return tuple(words)
        if word in _NEVER_IN_DESCRIPTIONS or len(words) == LONGEST_DESCRIPTION:
            break
        words.append(word)
        if not novel.gap(at).isspace():
            break
    return tuple(words) if _follows_speech_verb(novel, article, words) else ()


def _follows_speech_verb(novel: TokenizedNovel, article: int, words: list[str]) -> bool:
    """Return True if a verb of speech precedes an article; strip final adverbs from the words."""
    if not article or novel.lower[article - 1] not in SPEECH_VERBS:
        return False
    if not novel.gap(article - 1).isspace():
        return False
    while words and words[-1].endswith(("ly", "ing")):
        words.pop()
    return True
