"""Forms for RELiC's study with people: three candidates for each missing quotation.

Thai et al. (2022), section 4. An item has four sentences of a critic on either side and, in a
random order, the quotation and the two best other passages of a system: of BM25 (the study of human
performance), or of a model that ranks the quotation far below (the study of its errors). A form is
CSV for a spreadsheet program; its answers are in a JSON key next to it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.outcomes import RIVALS, rank_candidate, rivals
from scholar_cli.laboratory.relic.relic_bench import (
    load_second_stage,
    prepared_batches,
    select_works,
)
from scholar_cli.laboratory.relic.relic_data import CONTEXT, QuotedWork
from scholar_cli.laboratory.relic.relic_systems import ClaimBatch, RetrievalSystem, select_systems
from scholar_cli.laboratory.relic.searched_work import SearchedWork, WordAverages
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.retrieval.second_stage import Reranker
from scholar_indexes.serialize.rows import to_csv
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

SCHEMA, VERSION = "scholar-relic-sheet", 1

QUOTATION = "quotation"
WRONG = tuple(f"wrong {number}" for number in range(1, RIVALS + 1))
"""The kinds of candidates: the quotation, and the first and second wrong answer of the system."""

CANDIDATES = tuple(f"candidate {number}" for number in range(1, RIVALS + 2))
COLUMNS = ("item", "work", "before", *CANDIDATES, "after", "choice", "comment")
"""The columns of a form; `choice` takes the number of a candidate."""


@dataclass(frozen=True, slots=True)
class SheetItem:
    """A missing quotation with its candidates: the kind and the text of each."""

    work: str
    quotation: str
    before: str
    after: str
    kinds: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SheetKey:
    """The kinds of the candidates of each item of a form, and the settings of the draw."""

    split: str
    rivals: str
    beyond: int
    seed: int
    data_sha256: str
    items: Mapping[str, tuple[str, ...]]


def draw_items(
    data: Path,
    *,
    split: str,
    system: str = "bm25",
    models: Sequence[str] = (),
    load: Callable[[str], Encoder],
    load_reranker: Callable[[], Reranker | None] = lambda: None,
    work: str = "",
    count: int,
    beyond: int = 0,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[list[SheetItem], SheetKey]:
    """Return at most count items, drawn at random, and their key.

    system is a system of bench relic; its best other passages are the wrong candidates. With
    beyond, only quotations that it ranks below that rank are drawn. Raises UsageError for a name
    that is not one system, NoMatch if no quotation is suitable, and the errors of data.read and
    select_works.
    """
    names, known = select_systems([system], models)
    if len(names) != 1:
        raise UsageError(f"{system!r} means {len(names)} systems; name one, such as dense:MODEL")
    read = relic_data.read(data, split)
    works = select_works(read, split, work)
    encoders = {model: load(model)} if (model := known[names[0]].model) else {}
    reranker = load_second_stage(names, load_reranker)
    words = WordAverages(read)
    drawing = random.Random(seed)
    drawable: list[SheetItem] = []
    for done, quoted in enumerate(works):
        progress(quoted.title, done, len(works))
        searched = SearchedWork(quoted, encoders, words)
        drawable += _items(searched, names[0], known, reranker, beyond)
    if not drawable:
        raise NoMatch(
            f"no quotation of {split} has {RIVALS} other passages"
            + (f" and a rank beyond {beyond}; write a smaller --beyond" if beyond else "")
        )
    drawable.sort(key=lambda item: (item.work, item.quotation))
    items = [
        _shuffled(item, drawing) for item in drawing.sample(drawable, min(count, len(drawable)))
    ]
    digest = relic_data.sha256(works)
    form = form_name(digest, split, names[0], work, count, beyond, seed)
    kinds = {f"{form}-{number:03}": item.kinds for number, item in enumerate(items, 1)}
    return items, SheetKey(split, names[0], beyond, seed, digest, kinds)


def _items(
    searched: SearchedWork,
    name: str,
    systems: Mapping[str, RetrievalSystem],
    reranker: Reranker | None,
    beyond: int,
) -> Iterator[SheetItem]:
    """Yield the items of a work, the quotation first among the candidates of each."""
    work: QuotedWork = searched.work
    for batch in prepared_batches(searched, [name], systems):
        starts = work.candidates[searched.size]
        claims = [window.claim(CONTEXT, CONTEXT) for window in batch]
        scores = ClaimBatch(searched, claims, systems, reranker).scores(name)
        for window, row in zip(batch, scores, strict=True):
            gold = starts.index(window.start)
            texts = tuple(map(searched.text, (gold, *rivals(row, gold, searched.text))))
            # People cannot choose between passages with the same words.
            if len(set(texts)) == RIVALS + 1 and rank_candidate(row, gold).mean > beyond:
                before, after = window.sides(CONTEXT, CONTEXT)
                kinds = (QUOTATION, *WRONG)
                yield SheetItem(work.title, window.id, before, after, kinds, texts)


def _shuffled(item: SheetItem, drawing: random.Random) -> SheetItem:
    candidates = list(zip(item.kinds, item.texts, strict=True))
    drawing.shuffle(candidates)
    kinds, texts = zip(*candidates, strict=True)
    return SheetItem(item.work, item.quotation, item.before, item.after, kinds, texts)


def form_name(*settings: str | int) -> str:
    """Return six letters that name a form; spreadsheets do not read letters as a number."""
    digest = sha256(json.dumps(settings).encode()).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:6])


def key_path(form: Path) -> Path:
    """Return the path of the key of a form."""
    return form.with_name(f"{form.stem}-key.json")


def check_new(*files: Path) -> None:
    """Raise UsageError if one of the files of a form exists."""
    for path in files:
        if path.exists():
            raise UsageError(f"{path} already exists and may be filled in; name another file")


def write(form: Path, items: Sequence[SheetItem], key: SheetKey) -> None:
    """Write a form and its key, both or neither; raises UsageError if one exists or cannot be
    written."""
    rows = [
        {
            "item": name,
            "work": item.work,
            "before": item.before,
            "after": item.after,
            **dict(zip(CANDIDATES, item.texts, strict=True)),
        }
        for name, item in zip(key.items, items, strict=True)
    ]
    record = {"schema": SCHEMA, "version": VERSION, **asdict(key)}
    files = {
        form: to_csv(rows, COLUMNS).encode("utf-8-sig"),  # or Excel assumes another
        key_path(form): json.dumps(record, ensure_ascii=False, indent=1).encode(),
    }
    check_new(*files)
    write_files(files)


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write the files of a form, all or none; raises UsageError if they cannot be written."""
    form = next(iter(files))
    try:
        form.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_files(files)
    except (OSError, ValueError) as refusal:
        raise UsageError(f"{form} cannot be written ({refusal}); name another file") from refusal


def read_key_record(record: Any) -> SheetKey:
    """Return the key in a JSON record; raises ValueError, KeyError or TypeError if it is not
    one."""
    if record["schema"] != SCHEMA or record["version"] != VERSION:
        raise ValueError("another schema or version")
    items = {str(name): tuple(map(str, kinds)) for name, kinds in record["items"].items()}
    if not items or any(sorted(kinds) != sorted((QUOTATION, *WRONG)) for kinds in items.values()):
        raise ValueError("an item without one of its candidates, or no items")
    return SheetKey(
        str(record["split"]),
        str(record["rivals"]),
        int(record["beyond"]),
        int(record["seed"]),
        str(record["data_sha256"]),
        items,
    )
