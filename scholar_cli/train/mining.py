"""Mining what critics quote of literary works, in RELiC's own form.

As Thai et al. 2022 do it (section 2.1 and appendix A), from a folder of Gutenberg texts
(scholar_cli.train.texts): what each critic quotes (scholar_cli.train.miner), each quotation
once, and not too many of one critic.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

from scholar_cli.bench import relic_form
from scholar_cli.bench.relic_form import LONGEST, Window, folded
from scholar_cli.train import texts as folder_of_texts
from scholar_cli.train import written
from scholar_cli.train.miner import RULES, SHORTEST, Matches, Miner, Quotation
from scholar_cli.train.texts import Work
from scholar_indexes.errors import NoMatch, NotThere
from scholar_indexes.types import Progress

PER_PAIR = 60
"""Quotations of one work by one critic: no critic shall outweigh all others."""

SEED = 0


@dataclass(frozen=True, slots=True)
class Mined:
    """What was mined: windows by split, those that were written for works that may train
    beside them, and what was left out by reason."""

    folder: Path
    critics: int
    works: int
    windows: Mapping[str, int]
    dropped: Mapping[str, int]


def mine(texts: Path, out: Path, *, progress: Progress, say: Callable[[str], None]) -> Mined:
    """Write train.json, val.json and test.json of what the critics in a folder quote.

    Matches are kept in out/matched, one file a critic, so that a run that was interrupted
    goes on where it stopped; the same texts give the same files. say hears in one line of
    every work that is left out. Raises UsageError for a file that cannot be read, NotThere
    for texts that are missing, and NoMatch where nothing is quoted.
    """
    rows = folder_of_texts.catalogue(texts)
    works = folder_of_texts.works(texts, rows, progress=progress, say=say)
    miner = Miner(works, say)
    found, dropped, critics = _matched(texts, out, miner, rows, progress)
    kept = _drawn(_once(found, dropped), dropped)
    if not kept:
        raise NoMatch(
            f"no critic in {texts} quotes a work in it; add criticism of these works, or these "
            "critics' works"
        )
    first_editions = [work for at, work in enumerate(works) if at not in miner.copies]
    windows = _write(out, first_editions, kept, progress)
    quoted_works = len({each.work for each in kept})
    return Mined(out, critics, quoted_works, windows, dict(dropped.most_common()))


def _matched(
    texts: Path,
    out: Path,
    miner: Miner,
    rows: folder_of_texts.Catalogue,
    progress: Progress,
) -> tuple[list[Quotation], Counter[str], int]:
    """What every critic quotes, stored or found; what was dropped; how many critics."""
    total, critics = folder_of_texts.count(texts, "criticism"), 0
    found: list[Quotation] = []
    dropped: Counter[str] = Counter()
    for id, raw in folder_of_texts.files(texts, "criticism"):
        progress("critics", critics, total)
        title = rows.get(("criticism", id), {}).get("title") or ""
        key = hashlib.sha256(f"{RULES} {miner.sha256} {title} ".encode() + raw).hexdigest()
        path = out / "matched" / f"{id}-{key[:16]}.json"
        matches = _stored(path)
        if matches is None:
            matches = miner.matches(id, raw, title)
            _store(path, matches)
        found += matches.quotations
        dropped.update(matches.dropped)
        critics += 1
    progress("critics", critics, total)
    if not critics:
        raise NotThere(f"{texts / 'criticism'} holds no criticism; put texts <id>.txt there")
    return found, dropped, critics


def _once(quotations: Iterable[Quotation], dropped: Counter[str]) -> list[Quotation]:
    """Each quotation, and what is said about it, once."""
    seen: set[tuple[str, ...]] = set()
    kept: list[Quotation] = []
    for each in sorted(quotations, key=lambda each: (each.critic, each.at, each.work)):
        nearest = (folded(" ".join(each.left[-1:])), folded(" ".join(each.right[:1])))
        keys = {(each.work, str(each.start), str(each.size), *nearest)}
        if sum(len(side.split()) for side in nearest) >= SHORTEST:
            keys.add(("", "", "", *nearest))  # fewer words are said twice without a reprint
        if seen & keys:
            dropped["duplicate"] += 1
        else:
            seen |= keys
            kept.append(each)
    return kept


def _drawn(quotations: Iterable[Quotation], dropped: Counter[str]) -> list[Quotation]:
    """At most PER_PAIR quotations of one work by one critic."""
    pairs: dict[tuple[str, str], list[Quotation]] = defaultdict(list)
    for each in quotations:
        pairs[each.work, each.critic].append(each)
    kept: list[Quotation] = []
    for (work, critic), several in sorted(pairs.items()):
        if len(several) > PER_PAIR:
            dropped["more than enough by one critic"] += len(several) - PER_PAIR
            several = random.Random(f"{SEED} {work} {critic}").sample(several, PER_PAIR)
        kept += sorted(several, key=lambda each: each.at)
    return kept


def _write(
    out: Path, works: Sequence[Work], quotations: Iterable[Quotation], progress: Progress
) -> dict[str, int]:
    """Write the three files; how many windows each of them has, and how many were written.

    Works that may train stand there without being quoted too: a retriever learns from
    the works themselves, and from what was written about their passages.
    """
    by_work: dict[str, list[Quotation]] = defaultdict(list)
    for each in quotations:
        by_work[each.work].append(each)
    by_split: dict[str, list[relic_form.Work]] = {split: [] for split in relic_form.SPLITS}
    counted = Counter(f"{work.title} ({work.author})" for work in works)
    windows = dict.fromkeys((*relic_form.SPLITS, "written"), 0)
    for done, work in enumerate(works):
        progress("writing", done, len(works))
        split = relic_form.split_of(work.author, work.title)
        if work.id not in by_work and split != "train":
            continue
        title = f"{work.title} ({work.author})"
        title = f"{title} [{work.id}]" if counted[title] > 1 else title
        formed = _formed(work, title, by_work[work.id])
        windows[split] += len(formed.windows)
        if split == "train" and work.id.isdigit():
            found = written.windows(int(work.id), formed.sentences)
            windows["written"] += len(found)
            formed = replace(formed, windows=formed.windows + found)
        by_split[split].append(formed)
    for split, several in by_split.items():
        relic_form.write(out, split, several)
    progress("writing", len(works), len(works))
    return windows


def _formed(work: Work, title: str, quotations: Iterable[Quotation]) -> relic_form.Work:
    chapters = work.sentences[:, 0]
    numbers = list(range(len(chapters)))
    candidates = {
        size: tuple(compress(numbers, chapters[: len(chapters) - size + 1] == chapters[size - 1 :]))
        for size in range(1, LONGEST + 1)
    }
    return relic_form.Work(
        title,
        tuple(" ".join(work.text[start:end].split()) for _, start, end in work.sentences.tolist()),
        tuple(Window(each.id, each.left, each.start, each.size, each.right) for each in quotations),
        candidates,
    )


def _stored(path: Path) -> Matches | None:
    """A critic's matches of an earlier run; None where there are none that can be read."""
    try:
        form = json.loads(path.read_text("utf-8"))
        quotations = tuple(
            Quotation(work, critic, at, start, size, tuple(left), tuple(right))
            for work, critic, at, start, size, left, right in form["quotations"]
        )
        return Matches(quotations, form["dropped"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store(path: Path, matches: Matches) -> None:
    """Write a critic's matches, whole or not at all."""
    quotations = [
        [each.work, each.critic, each.at, each.start, each.size, each.left, each.right]
        for each in matches.quotations
    ]
    form = {"quotations": quotations, "dropped": dict(matches.dropped)}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(form, ensure_ascii=False), "utf-8")
    os.replace(unfinished, path)
