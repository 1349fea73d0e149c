"""Mine quotations of literary works by critics, in RELiC's format.

Follows Thai et al. 2022 (section 2.1 and appendix A), on a folder of Gutenberg texts (texts.py):
the quotations by each critic (miner.py), each quotation once, and not too many by one critic.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

from scholar_cli.laboratory.claims import written
from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic import texts as folder_of_texts
from scholar_cli.laboratory.relic.miner import (
    CACHE_VERSION,
    SHORTEST,
    Matches,
    MinedQuotation,
    Miner,
)
from scholar_cli.laboratory.relic.relic_data import LONGEST, QuotationWindow, fold
from scholar_cli.laboratory.relic.texts import LiteraryWork
from scholar_indexes.errors import NoMatch, NotThere
from scholar_indexes.guarded import read_json
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress

PER_PAIR = 60
"""Quotations of one work by one critic, at most: no critic should outweigh all others."""

SEED = 0


@dataclass(frozen=True, slots=True)
class Mined:
    """The result of mining: the numbers of windows by split, with "written" for the windows written
    for training works, and of dropped quotations by reason."""

    folder: Path
    critics: int
    works: int
    windows: Mapping[str, int]
    dropped: Mapping[str, int]


def mine(texts: Path, out: Path, *, progress: Progress, say: Callable[[str], None]) -> Mined:
    """Write train.json, val.json and test.json with the quotations by the critics in a folder.

    Matches are cached in out/matched, one file per critic, so that an interrupted run continues
    where it stopped; the same texts give the same files. say is called with a line for every
    skipped work. Raises UsageError for a file that cannot be read, NotThere for missing texts, and
    NoMatch if nothing is quoted.
    """
    rows = folder_of_texts.catalogue(texts)
    works = folder_of_texts.works(texts, rows, progress=progress, say=say)
    miner = Miner(works, say)
    matched, dropped, critics = _match_critics(texts, out, miner, rows, progress)
    quotations = _limit_pairs(_deduplicate(matched, dropped), dropped)
    if not quotations:
        raise NoMatch(
            f"no critic in {texts} quotes a work in it; add criticism of these works, or the works "
            "that these critics quote"
        )
    first_editions = [work for at, work in enumerate(works) if at not in miner.copies]
    windows = _write(out, first_editions, quotations, progress)
    quoted_works = len({quotation.work for quotation in quotations})
    return Mined(out, critics, quoted_works, windows, dict(dropped.most_common()))


def _match_critics(
    texts: Path,
    out: Path,
    miner: Miner,
    rows: folder_of_texts.Catalogue,
    progress: Progress,
) -> tuple[list[MinedQuotation], Counter[str], int]:
    """Return the quotations of all critics, the numbers of dropped ones, and the number of
    critics."""
    total, critics = folder_of_texts.count(texts, "criticism"), 0
    quotations: list[MinedQuotation] = []
    dropped: Counter[str] = Counter()
    for id, raw in folder_of_texts.files(texts, "criticism"):
        progress("critics", critics, total)
        title = rows.get(("criticism", id), {}).get("title") or ""
        key = hashlib.sha256(f"{CACHE_VERSION} {miner.sha256} {title} ".encode() + raw).hexdigest()
        path = out / "matched" / f"{id}-{key[:16]}.json"
        matches = _load(path)
        if matches is None:
            matches = miner.matches(id, raw, title)
            _store(path, matches)
        quotations += matches.quotations
        dropped.update(matches.dropped)
        critics += 1
    progress("critics", critics, total)
    if not critics:
        raise NotThere(f"{texts / 'criticism'} contains no criticism; put texts <id>.txt there")
    return quotations, dropped, critics


def _deduplicate(
    quotations: Iterable[MinedQuotation], dropped: Counter[str]
) -> list[MinedQuotation]:
    """Return the quotations that do not repeat an earlier one or its context."""
    seen: set[tuple[str, ...]] = set()
    unique: list[MinedQuotation] = []
    for quotation in sorted(
        quotations, key=lambda quotation: (quotation.critic, quotation.at, quotation.work)
    ):
        nearest = (fold(" ".join(quotation.left[-1:])), fold(" ".join(quotation.right[:1])))
        keys = {(quotation.work, str(quotation.start), str(quotation.size), *nearest)}
        if sum(len(side.split()) for side in nearest) >= SHORTEST:
            keys.add(("", "", "", *nearest))  # fewer words recur without a reprint
        if seen & keys:
            dropped["duplicate"] += 1
        else:
            seen |= keys
            unique.append(quotation)
    return unique


def _limit_pairs(
    quotations: Iterable[MinedQuotation], dropped: Counter[str]
) -> list[MinedQuotation]:
    """Return a sample of at most PER_PAIR quotations of one work by one critic."""
    pairs: dict[tuple[str, str], list[MinedQuotation]] = defaultdict(list)
    for quotation in quotations:
        pairs[quotation.work, quotation.critic].append(quotation)
    sampled: list[MinedQuotation] = []
    for (work, critic), of_pair in sorted(pairs.items()):
        if len(of_pair) > PER_PAIR:
            dropped["more than enough by one critic"] += len(of_pair) - PER_PAIR
            of_pair = random.Random(f"{SEED} {work} {critic}").sample(of_pair, PER_PAIR)
        sampled += sorted(of_pair, key=lambda quotation: quotation.at)
    return sampled


def _write(
    out: Path,
    works: Sequence[LiteraryWork],
    quotations: Iterable[MinedQuotation],
    progress: Progress,
) -> dict[str, int]:
    """Write the three files; return the number of windows by split, and of written ones.

    Training works without quotations are included too: a retriever learns from the works
    themselves, and from what was written about their passages.
    """
    by_work: dict[str, list[MinedQuotation]] = defaultdict(list)
    for quotation in quotations:
        by_work[quotation.work].append(quotation)
    by_split: dict[str, list[relic_data.QuotedWork]] = {split: [] for split in relic_data.SPLITS}
    title_counts = Counter(f"{work.title} ({work.author})" for work in works)
    windows = dict.fromkeys((*relic_data.SPLITS, "written"), 0)
    for done, work in enumerate(works):
        progress("writing", done, len(works))
        split = relic_data.split_of(work.author, work.title)
        if work.id not in by_work and split != "train":
            continue
        title = f"{work.title} ({work.author})"
        title = f"{title} [{work.id}]" if title_counts[title] > 1 else title
        quoted_work = _quoted_work(work, title, by_work[work.id])
        windows[split] += len(quoted_work.windows)
        if split == "train" and work.id.isdigit():
            written_windows = written.windows(int(work.id), quoted_work.sentences)
            windows["written"] += len(written_windows)
            quoted_work = replace(quoted_work, windows=quoted_work.windows + written_windows)
        by_split[split].append(quoted_work)
    for split, split_works in by_split.items():
        relic_data.write(out, split, split_works)
    progress("writing", len(works), len(works))
    return windows


def _quoted_work(
    work: LiteraryWork, title: str, quotations: Iterable[MinedQuotation]
) -> relic_data.QuotedWork:
    chapters = work.sentences[:, 0]
    numbers = list(range(len(chapters)))
    candidates = {
        size: tuple(compress(numbers, chapters[: len(chapters) - size + 1] == chapters[size - 1 :]))
        for size in range(1, LONGEST + 1)
    }
    return relic_data.QuotedWork(
        title,
        tuple(" ".join(work.text[start:end].split()) for _, start, end in work.sentences.tolist()),
        tuple(
            QuotationWindow(
                quotation.id, quotation.left, quotation.start, quotation.size, quotation.right
            )
            for quotation in quotations
        ),
        candidates,
    )


def _load(path: Path) -> Matches | None:
    """Return the cached matches of a critic; None if they are missing or unreadable."""
    try:
        record = read_json(path)
        quotations = tuple(
            MinedQuotation(work, critic, at, start, size, tuple(left), tuple(right))
            for work, critic, at, start, size, left, right in record["quotations"]
        )
        return Matches(quotations, record["dropped"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store(path: Path, matches: Matches) -> None:
    """Write a critic's matches atomically."""
    quotations = [
        [
            quotation.work,
            quotation.critic,
            quotation.at,
            quotation.start,
            quotation.size,
            quotation.left,
            quotation.right,
        ]
        for quotation in matches.quotations
    ]
    record = {"quotations": quotations, "dropped": dict(matches.dropped)}
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_text(path, json.dumps(record, ensure_ascii=False))
