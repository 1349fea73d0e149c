"""Scores of filled-in forms (sheets.py), by their key."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from scholar_cli.laboratory import json_lines, metrics
from scholar_cli.laboratory.relic.sheets import (
    CANDIDATES,
    QUOTATION,
    SheetKey,
    key_path,
    read_key_record,
)
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.decoding import decode
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.guarded import read_bytes, read_json, shown
from scholar_indexes.sanitize import one_line

MAX_BYTES = 64 << 20
"""The largest form that is read."""

DELIMITERS = (",", ";", "\t")
"""The delimiters that spreadsheet programs write, which differ by country."""

Choices = Mapping[str, str]
"""The answered items of a form, with the kind of the chosen candidate."""


def score(forms: Sequence[Path], key_file: Path | None = None) -> list[Report]:
    """Return a report for each filled-in form and, for several, one of the majority.

    A form is right on an item if its choice is the quotation; accuracy is over the answered items.
    The majority is right if more than half of the answers are, over items with several answers;
    alpha is their agreement, and all_chose_one_wrong the number of items for which everybody
    preferred the same passage to the quotation (Table A4). key_file is by default the key next to
    the first form. Raises NotThere or UsageError naming the file and item that are wrong, and
    NoMatch if nothing was answered.
    """
    check_exist(forms)
    key = read_key(key_file or key_path(forms[0]), named=key_file is not None)
    chosen = {name: read_choices(form, key) for name, form in names_of(forms).items()}
    if not any(chosen.values()):
        raise NoMatch(f"no item is answered; write 1 to {len(CANDIDATES)} as a choice")
    reports = [_report(key, name, choices) for name, choices in chosen.items() if choices]
    answers = {
        item: [choices[item] for choices in chosen.values() if item in choices]
        for item in key.items
    }
    shared = {item: kinds for item, kinds in answers.items() if len(kinds) > 1}
    return [*reports, _majority(key, shared)] if shared else reports


def check_exist(forms: Sequence[Path]) -> None:
    """Raise NotThere for the first form that does not exist."""
    missing = next((form for form in forms if not form.exists()), None)
    if missing is not None:
        raise NotThere(f"there is no {missing}; check its name")


def read_key(path: Path, *, named: bool = True) -> SheetKey:
    """Return the key in a file; raises NotThere, or UsageError if it is not a key."""
    try:
        return read_key_record(read_json(path))
    except FileNotFoundError:
        why = "check its name" if named else "name the key of the form with --key"
        raise NotThere(f"there is no {path}; {why}") from None
    except OSError as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    except (ValueError, KeyError, TypeError, AttributeError) as broken:
        raise UsageError(
            f"{path} is not the key of a form ({one_line(str(broken), 200)}); name the file "
            "that was written next to it"
        ) from None


def read_choices(path: Path, key: SheetKey) -> Choices:
    """Return the choices in a form; raises NotThere, or UsageError naming the item."""
    choices: dict[str, str] = {}
    for item, choice in read_answers(path, "choice"):
        if item not in key.items:
            raise UsageError(
                f"{path}: the item {shown(item)} is not in the key; name the key of this form "
                "with --key"
            )
        if choice:
            if not (match := re.fullmatch(rf"([1-{len(CANDIDATES)}])(?:[.,]0+)?", choice)):
                raise UsageError(
                    f"{path}, {shown(item)}: {shown(choice)} is not a choice; "
                    f"write 1 to {len(CANDIDATES)}, or nothing"
                )
            choices[item] = key.items[item][int(match[1]) - 1]
    return choices


def read_answers(path: Path, column: str) -> Iterator[tuple[str, str]]:
    """Yield each item of a form with the answer in a column, empty if nothing was written; raises
    NotThere, or UsageError for a form that cannot be read or has an item twice."""
    seen: set[str] = set()
    for row in _rows(path, ("item", column)):
        item, answer = _cell(row, "item"), _cell(row, column)
        if not item and not answer:
            continue
        if item in seen:
            raise UsageError(f"{path}: the item {shown(item)} occurs twice; keep one of its rows")
        seen.add(item)
        yield item, answer


def krippendorff_alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Return Krippendorff's alpha of nominal values, a sequence for each unit (Krippendorff 2011,
    "Computing Krippendorff's alpha-reliability", section C).

    Units with one value do not count. Returns None if only one value occurs.
    """
    counts = [Counter(values) for values in units if len(values) > 1]
    totals: Counter[str] = Counter()
    disagreements = 0.0
    for count in counts:
        totals.update(count)
        size = count.total()
        disagreements += (size**2 - sum(n * n for n in count.values())) / (size - 1)
    n = totals.total()
    expected = n * n - sum(total * total for total in totals.values())
    if not expected:
        return None
    return 1 - (n - 1) * disagreements / expected


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        text, _ = decode(read_bytes(path, MAX_BYTES))
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; check its name") from None
    except (OSError, ValueError) as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    heading = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=heading.count)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as broken:
        raise UsageError(f"{path} cannot be read as CSV ({broken}); save it again") from None
    missing = [name for name in columns if not rows or name not in rows[0]]
    if missing:
        raise UsageError(
            f"{path} has no column {missing[0]}, or no rows; save the form as CSV with all of its "
            "columns"
        )
    return rows


def _cell(row: Mapping[str, str | None], column: str) -> str:
    return (row.get(column) or "").strip()


def names_of(forms: Sequence[Path]) -> dict[str, Path]:
    """Return the forms by the names of their files, or by their paths if these names are equal."""
    stems = Counter(form.stem for form in forms)
    return {form.stem if stems[form.stem] == 1 else str(form): form for form in forms}


def _report(key: SheetKey, name: str, choices: Choices) -> Report:
    right = {item: float(kind == QUOTATION) for item, kind in choices.items()}
    return _of_items(key, one_line(name, 1_000), right, {})


def _majority(key: SheetKey, answers: Mapping[str, Sequence[str]]) -> Report:
    """Return the report of the majority, given the choices for the items with several answers."""
    right = {
        item: float(2 * kinds.count(QUOTATION) > len(kinds)) for item, kinds in answers.items()
    }
    alpha = krippendorff_alpha(answers.values())
    agreed = [kinds[0] for kinds in answers.values() if len(set(kinds)) == 1]
    more = {"all_chose_one_wrong": len(agreed) - agreed.count(QUOTATION)}
    return _of_items(key, "majority", right, more if alpha is None else more | {"alpha": alpha})


def _of_items(
    key: SheetKey, name: str, right: Mapping[str, float], more: Mapping[str, float]
) -> Report:
    values = list(right.values())
    figures = metrics.bootstrap(values).figures("accuracy")
    figures["unanswered"] = len(key.items) - len(values)
    return Report(
        "relic sheet",
        key.split,
        name,
        {**figures, **more},
        len(values),
        0.0,
        "",
        key.data_sha256,
        commit(),
        {"id": list(right), "accuracy": values},
    )
