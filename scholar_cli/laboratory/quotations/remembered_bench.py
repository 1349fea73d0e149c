"""Draw fragments of the books of a library, as a reader remembers them, and find them again.

A fragment is three to twelve words in a row of one sentence, in lower case and without punctuation;
in every third, one word is replaced by another of the same book. It is found if the first passage,
or one of the first three, contains the words of the fragment as in the book.
"""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.retrieval.verbatim import fold_words
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Progress, silent

EXACT, ALTERED = "exact", "one word wrong"
SPLITS = (EXACT, ALTERED)

SHORTEST, LONGEST = 3, 12
"""Words of a fragment."""

LEAST_CONTENT = 2
"""The minimum number of words of four letters or more in a fragment: others could be anywhere."""

TRIES = 10_000
"""The maximum number of draws of a fragment from a book."""

CUTOFFS = (1, 3)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A fragment: the claim to search for, its folded words as in the book, and its split."""

    asked: str
    words: tuple[str, ...]
    split: str


def draw_fragments(library: Library, count: int, books: int, seed: int) -> list[Fragment]:
    """Return `count` fragments of the given number of books of a library, the same for the same
    seed and library.

    Raises NotThere for a library with too few books.
    """
    shelf = sorted(library.books.all(), key=lambda stored: stored.book.id)
    if len(shelf) < books:
        raise NotThere(f"the library has {len(shelf)} books; add more, or ask for fewer: --books")
    rng = random.Random(seed)
    chosen = rng.sample(shelf, books)
    sentences = [_sentences(library, stored) for stored in chosen]
    return [
        _draw(chosen[number % books], sentences[number % books], rng, is_altered=number % 3 == 2)
        for number in range(count)
    ]


def run(
    library: Library, fragments: Sequence[Fragment], progress: Progress = silent
) -> list[Report]:
    """Return a report for the exact fragments and one for the altered ones, each searched for in
    the whole library."""
    scores: dict[str, list[dict[str, float]]] = {split: [] for split in SPLITS}
    seconds = dict.fromkeys(SPLITS, 0.0)
    for number, fragment in enumerate(fragments):
        progress("finding remembered words", number, len(fragments))
        start = time.perf_counter()
        hits = library.find(fragment.asked, n=max(CUTOFFS))
        seconds[fragment.split] += time.perf_counter() - start
        scores[fragment.split].append(
            _score([_contains(fold_words(hit.item.passage.text), fragment.words) for hit in hits])
        )
    digest = hashlib.sha256(repr(fragments).encode()).hexdigest()
    return [
        Report(
            "remembered",
            split,
            "find",
            metrics.average(rows),
            len(rows),
            seconds[split],
            library.settings.model,
            digest,
            commit(),
            metrics.columns(rows),
        )
        for split, rows in scores.items()
    ]


def _score(is_right: Sequence[bool]) -> dict[str, float]:
    return {f"success@{cutoff}": float(any(is_right[:cutoff])) for cutoff in CUTOFFS}


def _sentences(library: Library, stored: StoredBook) -> list[list[str]]:
    """Return the words of the sentences of a book, in lower case and without punctuation."""
    from scholar_indexes.books.segmentation.sentences import chapter_sentences

    text = library.books.open(stored).text
    return [
        re.findall(r"[^\W_]+(?:['’][^\W_]+)*", sentence.span.of(text).lower())
        for sentence in chapter_sentences(text, library.books.open(stored).chapters)
    ]


def _draw(
    stored: StoredBook, sentences: Sequence[list[str]], rng: random.Random, *, is_altered: bool
) -> Fragment:
    """Return a fragment of the sentences of a book; raises NotThere for a book that has none."""
    for _ in range(TRIES):
        words = rng.choice(sentences)
        size = rng.randint(4 if is_altered else SHORTEST, LONGEST)
        if len(words) < size:
            continue
        first = rng.randrange(len(words) - size + 1)
        fragment = words[first : first + size]
        if sum(len(word) > 3 for word in fragment) < LEAST_CONTENT:
            continue
        asked = list(fragment)
        if is_altered:
            asked[rng.randrange(size)] = rng.choice(rng.choice([s for s in sentences if s]))
        folded = tuple(fold_words(" ".join(fragment)))
        return Fragment(" ".join(asked), folded, ALTERED if is_altered else EXACT)
    raise NotThere(
        f"{stored.book.title} has no fragments of {LONGEST} words; remove it from the library, or "
        "draw with another --seed"
    )


def _contains(words: Sequence[str], fragment: Sequence[str]) -> bool:
    size = len(fragment)
    return any(tuple(words[at : at + size]) == tuple(fragment) for at in range(len(words)))
