"""Statistics of data in RELiC's form (Thai et al. 2022): Tables 1, A5, A6 and A10, Figure 2.

Written claims, which nobody published, are left out. The critic is the part of a quotation's id
before its last hyphen, as `scholar-lab train mine` writes it; ids in another form name none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.relic_data import (
    LONGEST,
    SPLITS,
    QuotationWindow,
    QuotedWork,
)
from scholar_cli.laboratory.report import Report, commit

BENCH = "relic statistics"
ALL = "all"

MOST = 3
"""The number of the most quoting critics, and of the most quoted sentences, that are listed."""

LEAST_WORDS = 10
"""The minimum length of a sentence in the list of the most quoted ones (section 2.1)."""

_CRITIC = re.compile(r"(.+)-\d+")


def describe(folder: Path) -> list[Report]:
    """Return a report for each split in a folder and, if there are several, for all of them; the
    last report lists the most quoting critics and the most quoted sentences.

    Lengths are in words between blanks. Raises as relic_data.read.
    """
    there = [split for split in SPLITS if (folder / f"{split}.json").exists()]
    works = {split: relic_data.read(folder, split) for split in there or SPLITS[:1]}
    if len(works) > 1:
        works[ALL] = tuple(chain.from_iterable(works.values()))
    *_, last = works
    return [_report(split, of_split, split == last) for split, of_split in works.items()]


def _report(split: str, works: Sequence[QuotedWork], lists_most: bool) -> Report:
    published = [
        replace(work, windows=tuple(window for window in work.windows if window.is_published))
        for work in works
    ]
    windows = [window for work in published for window in work.windows]
    critics = Counter(filter(None, map(_critic, windows)))
    quoted = Counter(chain.from_iterable(map(_quoted_sentences, published)))
    most = MOST if lists_most else 0
    listed = [
        *((f"critic {critic}", count) for critic, count in critics.most_common(most)),
        *((f"{title}: {text}", count) for (title, text), count in quoted.most_common(most)),
    ]
    return Report(
        BENCH,
        split,
        "",
        _figures(published, windows, critics, quoted),
        len(windows),
        0.0,
        "",
        relic_data.sha256(works),
        commit(),
        {"id": [name for name, _ in listed], "count": [count for _, count in listed]},
    )


def _figures(
    works: Sequence[QuotedWork],
    windows: Sequence[QuotationWindow],
    critics: Mapping[str, int],
    quoted: Mapping[tuple[str, str], int],
) -> dict[str, float]:
    candidates = [candidates for work in works for candidates in _candidates(work)]
    sizes = Counter(window.size for window in windows)
    quoted_works = [work for work in works if work.windows]
    figures: dict[str, float] = {
        "quotations": len(windows),
        "works": len(quoted_works),
        "context_words": metrics.mean([_words(*window.left, *window.right) for window in windows]),
        "candidate_words": metrics.mean([words for _, words in candidates]),
        "candidates": metrics.mean([count for count, _ in candidates]),
        "quotations_of_a_work": len(windows) / max(1, len(quoted_works)),
        "quoted_sentences_of_a_work": metrics.mean(
            [len(_quoted_places(work)) / len(work.sentences) for work in quoted_works]
        ),
        "times_of_the_most_quoted_sentence": max(quoted.values(), default=0),
    }
    if critics:
        figures |= _figures_of_critics(quoted_works, critics)
    return figures | {f"of_{size}_sentences": sizes[size] for size in range(1, LONGEST + 1)}


def _figures_of_critics(
    works: Sequence[QuotedWork], critics: Mapping[str, int]
) -> dict[str, float]:
    return {
        "critics": len(critics),
        "critics_of_a_work": metrics.mean(
            [len(set(filter(None, map(_critic, work.windows)))) for work in works]
        ),
        "quotations_of_a_critic": metrics.mean(list(critics.values())),
    }


def _critic(window: QuotationWindow) -> str:
    """Return the critic that the id of a quotation names, or ""."""
    match = _CRITIC.fullmatch(window.id)
    return match[1] if match else ""


def _words(*texts: str) -> int:
    """Return the number of words between blanks in texts."""
    return sum(len(text.split()) for text in texts)


def _candidates(work: QuotedWork) -> Iterator[tuple[int, float]]:
    """Yield the number of candidates of each quotation, and their mean length in words."""
    ends = [0, *accumulate(map(_words, work.sentences))]
    lengths = {
        size: metrics.mean([ends[start + size] - ends[start] for start in starts])
        for size, starts in work.candidates.items()
    }
    for window in work.windows:
        yield len(work.candidates[window.size]), lengths[window.size]


def _quoted_places(work: QuotedWork) -> set[int]:
    """Return the numbers of the sentences of a work that are quoted."""
    return {
        place
        for window in work.windows
        for place in range(window.start, window.start + window.size)
    }


def _quoted_sentences(work: QuotedWork) -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each quoted sentence of at least LEAST_WORDS, as often as it
    is quoted."""
    for window in work.windows:
        for sentence in work.sentences[window.start : window.start + window.size]:
            if _words(sentence) >= LEAST_WORDS:
                yield work.title, sentence
