"""Forms for RELiC's study of how critics quote (Thai et al. 2022, section 2.3, Table 2).

An item is a quotation with four sentences of the critic on either side; a reader writes its kind. A
form is CSV for a spreadsheet program.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.relic_bench import select_works
from scholar_cli.laboratory.relic.relic_data import CONTEXT
from scholar_cli.laboratory.relic.sheet_scores import (
    check_exist,
    krippendorff_alpha,
    names_of,
    read_answers,
)
from scholar_cli.laboratory.relic.sheets import check_new, form_name, write_files
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.guarded import shown
from scholar_indexes.serialize.rows import to_csv

KINDS = ("claim", "paraphrase", "other")
"""Evidence for a claim; support for a paraphrase of the plot; no literary criticism, or garbled."""

COLUMNS = ("item", "work", "before", "quotation", "after", "kind", "comment")
"""The columns of a form; `kind` takes one of KINDS."""

BENCH = "relic kinds"


def write(
    form: Path, data: Path, *, split: str, work: str = "", count: int, seed: int = 0
) -> list[str]:
    """Write a form of at most count published quotations, drawn at random; return their items.

    Raises UsageError if the form exists or cannot be written, NoMatch if nothing was published,
    and the errors of relic_data.read and select_works.
    """
    check_new(form)
    works = select_works(relic_data.read(data, split), split, work)
    published = [
        (quoted, window) for quoted in works for window in quoted.windows if window.is_published
    ]
    if not published:
        raise NoMatch(f"{split} has only written claims; choose another split")
    name = form_name(relic_data.sha256(works), split, work, count, seed)
    drawn = random.Random(seed).sample(published, min(count, len(published)))
    rows = [
        {
            "item": f"{name}-{number:03}",
            "work": quoted.title,
            "before": window.sides(CONTEXT, CONTEXT)[0],
            "quotation": quoted.text(window.start, window.size),
            "after": window.sides(CONTEXT, CONTEXT)[1],
        }
        for number, (quoted, window) in enumerate(drawn, 1)
    ]
    write_files({form: to_csv(rows, COLUMNS).encode("utf-8-sig")})
    return [row["item"] for row in rows]


def score(forms: Sequence[Path]) -> list[Report]:
    """Return the share of each kind in each filled-in form and, for several, their agreement: the
    share of items of one kind for all readers, and Krippendorff's alpha.

    Raises NotThere or UsageError naming the file and item that are wrong, and NoMatch if nothing
    was answered.
    """
    check_exist(forms)
    answered = {name: read_kinds(form) for name, form in names_of(forms).items()}
    if not any(answered.values()):
        raise NoMatch(f"no item is answered; write {', '.join(KINDS)} as a kind")
    reports = [_report(name, kinds) for name, kinds in answered.items() if kinds]
    of_items: dict[str, list[str]] = {}
    for kinds in answered.values():
        for item, kind in kinds.items():
            of_items.setdefault(item, []).append(kind)
    shared = [kinds for kinds in of_items.values() if len(kinds) > 1]
    return [*reports, _agreement(shared)] if shared else reports


def read_kinds(form: Path) -> dict[str, str]:
    """Return the kinds in a form by item; raises NotThere, or UsageError naming the item."""
    kinds = {item: answer.lower() for item, answer in read_answers(form, "kind") if answer}
    for item, kind in kinds.items():
        if kind not in KINDS:
            raise UsageError(
                f"{form}, {shown(item)}: {shown(kind)} is not a kind; write {', '.join(KINDS)}, or "
                "nothing"
            )
    return kinds


def _report(name: str, kinds: Mapping[str, str]) -> Report:
    columns = {kind: [float(answer == kind) for answer in kinds.values()] for kind in KINDS}
    figures: dict[str, float] = {}
    for kind, values in columns.items():
        figures |= metrics.bootstrap(values).figures(kind)
    return Report(
        BENCH, "", name, figures, len(kinds), 0.0, "", "", commit(), {"id": list(kinds), **columns}
    )


def _agreement(shared: Sequence[Sequence[str]]) -> Report:
    figures = metrics.bootstrap([float(len(set(kinds)) == 1) for kinds in shared]).figures("agreed")
    alpha = krippendorff_alpha(shared)
    more = {} if alpha is None else {"alpha": alpha}
    return Report(BENCH, "", "all", {**figures, **more}, len(shared), 0.0, "", "", commit())
