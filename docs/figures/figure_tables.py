"""Tables and sentences with figures, written from run files and model cards."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import benchmarks
import run_files

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.litbank import litbank_bench as bench_litbank
from scholar_cli.laboratory.metrics import Interval
from scholar_cli.laboratory.pdnc import pdnc_bench as bench_pdnc

Form = Callable[[Interval], str]
"""A format: a function from a mean with its bounds to the text of a cell."""


def share(digits: int = 3, *, bounds: bool = True) -> Form:
    """Return the format of shares from 0 to 1: ".588 (.563–.614)"."""

    def text(value: float) -> str:
        return _without_zero(f"{value:.{digits}f}")

    def form(interval: Interval) -> str:
        if not bounds:
            return text(interval.mean)
        return f"{text(interval.mean)} ({text(interval.low)}–{text(interval.high)})"

    return form


def percent(digits: int = 1, bounds: int | None = 0) -> Form:
    """Return the format of shares in percent: "79.8 (73–86)"; `bounds` is the number of digits of
    the bounds, or None to omit them."""

    def form(interval: Interval) -> str:
        text = f"{100 * interval.mean:.{digits}f}"
        if bounds is None:
            return text
        return f"{text} ({100 * interval.low:.{bounds}f}–{100 * interval.high:.{bounds}f})"

    return form


def gain(digits: int = 3, *, in_percent: bool = False) -> Form:
    """Return the format of signed differences: "+.026 (+.013 to +.040)", or in percent."""

    def text(value: float) -> str:
        if in_percent:
            return f"{100 * value:+.{digits}f}"
        return _without_zero(f"{value:+.{digits}f}")

    def form(interval: Interval) -> str:
        return f"{text(interval.mean)} ({text(interval.low)} to {text(interval.high)})"

    return form


def _without_zero(number: str) -> str:
    """Return a number below one without its leading zero: .588, +.026."""
    return re.sub(r"^([+-]?)0\.", r"\1.", number)


def count(interval: Interval) -> str:
    """Return a whole number."""
    return f"{interval.mean:,.0f}"


def bold(form: Form) -> Form:
    """Return a format with the mean, not its bounds, in bold."""

    def bolder(interval: Interval) -> str:
        mean, blank, bounds = form(interval).partition(" ")
        return f"**{mean}**{blank}{bounds}"

    return bolder


@dataclass(frozen=True)
class Source:
    """A report of a run, by its fields."""

    run: str
    fields: tuple[tuple[str, str], ...]

    def report(self) -> Mapping[str, Any]:
        """Return the report."""
        return run_files.read(self.run).report(**dict(self.fields))

    def cell(self, figure: str, form: Form) -> Cell:
        """Return the cell of a figure of the report."""
        return Cell(self, figure, form)

    def n(self) -> Cell:
        """Return the cell of the number of queries."""
        return Cell(self, "n", count)


def source(run: str, **fields: str) -> Source:
    """Return the report of a run that has these fields."""
    return Source(run, tuple(fields.items()))


@dataclass(frozen=True)
class Cell:
    """A figure of a report; with `over`, the gain over another report of the same queries; with
    `only`, over only the queries with these ids."""

    source: Source
    figure: str
    form: Form
    over: Source | None = None
    only: frozenset[str] = frozenset()

    def text(self) -> str:
        """Return the figure as it is printed."""
        if self.over is None:
            return self.form(_interval(self.source, self.figure, self.only))
        first, second = (
            _values(source.report(), self.figure, self.only) for source in (self.source, self.over)
        )
        return self.form(metrics.difference(first, second))

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that the figure is from."""
        return (self.source.run, *([self.over.run] if self.over else []))

    files = ()


@dataclass(frozen=True)
class Card:
    """A figure among the scores of a model card or another file of weights: a mean, a mean with
    its bounds, or a mean with its bounds in the fields NAME_low and NAME_high."""

    file: str
    keys: tuple[str, ...]
    form: Form

    runs = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files of weights that the figure is from."""
        return (self.file,)

    def text(self) -> str:
        """Return the figure as it is printed."""
        *groups, name = self.keys
        scores = _scores(self.file)
        for key in groups:
            scores = scores[key]
        if isinstance(scores[name], list):
            return self.form(Interval(*scores[name]))
        bounds = (scores.get(f"{name}_{end}", 0.0) for end in ("low", "high"))
        return self.form(Interval(scores[name], *bounds))


@dataclass(frozen=True)
class Phrase:
    """A text with figures: each {name} of the template is replaced by one."""

    template: str
    values: Mapping[str, Cell | Card]

    def text(self) -> str:
        """Return the text with its formatted figures."""
        return self.template.format(**{name: value.text() for name, value in self.values.items()})

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that the figures are from."""
        return tuple(run for value in self.values.values() for run in value.runs)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of weights that the figures are from."""
        return tuple(file for value in self.values.values() for file in value.files)


Figure = Cell | Card | Phrase
Row = Sequence[str | Figure]


@dataclass(frozen=True)
class Table:
    """A table of a page: headings, and rows of text and figures."""

    page: str
    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str | Figure]]

    def figures(self) -> list[Figure]:
        """Return the figures of the table."""
        return [cell for row in self.rows for cell in row if not isinstance(cell, str)]

    def body(self) -> str:
        """Return the table as Markdown."""
        cells = [
            [cell if isinstance(cell, str) else cell.text() for cell in row] for row in self.rows
        ]
        rows = [self.headings, ["---"] * len(self.headings), *cells]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)


@dataclass(frozen=True)
class Sentences:
    """A paragraph with figures."""

    page: str
    name: str
    phrase: Phrase

    def figures(self) -> list[Figure]:
        """Return the figures of the paragraph."""
        return [self.phrase]

    def body(self) -> str:
        """Return the paragraph."""
        return self.phrase.text()


@dataclass(frozen=True)
class Output:
    """A command and the first lines of its output, cut to `width` if given."""

    page: str
    name: str
    run: str
    lines: int
    width: int | None = None

    def figures(self) -> list[Figure]:
        """Return no figures."""
        return []

    def body(self) -> str:
        """Return the lines as a block of code."""
        run = run_files.read(self.run)
        lines = [line[: self.width] for line in run.output.splitlines()]
        command = run.command + (f" | cut -c 1-{self.width}" if self.width else "")
        shown = [f"$ {command}", *lines[: self.lines], *(["…"] if lines[self.lines :] else [])]
        return "\n".join(f"    {line}".rstrip() for line in shown)


Block = Table | Sentences | Output


def runs_of(block: Block) -> list[str]:
    """Return the names of the runs behind a block."""
    if isinstance(block, Output):
        return [block.run]
    return list(dict.fromkeys(run for figure in block.figures() for run in figure.runs))


def render(block: Block) -> str:
    """Return a block with the sources of its figures."""
    if isinstance(block, Output):
        return block.body()
    sources = _sources(block)
    if isinstance(block, Sentences) or not sources:
        return block.body()
    return f"{block.body()}\n\n<small>{sources}</small>"


def _sources(block: Table | Sentences) -> str:
    """Return the runs and the files of weights behind a block, in a sentence for each; a run that
    is older than its weights or rules is marked."""
    runs = [f"`{run}` ({run_files.read(run).date}{_mark_of_age(run)})" for run in runs_of(block)]
    files = [f"`{file}`" for file in _files_of(block)]
    named = {"Runs" if len(runs) > 1 else "Run": runs, "Weights": files}
    return " ".join(f"{label}: {', '.join(names)}." for label, names in named.items() if names)


def _mark_of_age(run: str) -> str:
    return ", with earlier weights or rules" if benchmarks.is_old(run) else ""


def _files_of(block: Table | Sentences) -> list[str]:
    return list(dict.fromkeys(file for figure in block.figures() for file in figure.files))


@cache
def _scores(file: str) -> Any:
    return json.loads((run_files.INDEXES / file).read_text("utf-8"))["scores"]


@cache
def _interval(source: Source, figure: str, only: frozenset[str]) -> Interval:
    """Return a figure with its interval, recomputed from the scores of the queries.

    Figures that are not means over queries (counts, seconds) are copied from the report.
    """
    report = source.report()
    queries = report.get("queries", {})
    if figure == "n":
        return Interval(report["n"], 0, 0)
    if report["bench"] == "litbank":
        figures = _litbank_figures(source)
    elif report["bench"] in ("pdnc", "evidence") and queries and figure != "loss":
        return _pdnc_interval(source, figure)
    elif figure in queries:
        values = _values(report, figure, only)
        if "group" not in queries:
            return metrics.bootstrap(values)
        groups: dict[Any, list[float]] = {}
        for group, value in zip(queries["group"], values, strict=True):
            groups.setdefault(group, []).append(value)
        return metrics.bootstrap_groups(list(groups.values()))
    else:
        figures = report["metrics"]
    return Interval(*(figures.get(f"{figure}{bound}", 0.0) for bound in ("", "_low", "_high")))


def _values(report: Mapping[str, Any], figure: str, only: frozenset[str]) -> list[float]:
    queries = report["queries"]
    if not only:
        return list(queries[figure])
    return [
        value for query, value in zip(queries["id"], queries[figure], strict=True) if query in only
    ]


@cache
def _litbank_figures(source: Source) -> dict[str, float]:
    return bench_litbank.summarize(bench_litbank.read_columns(source.report()["queries"]))


@cache
def _pdnc_answers(source: Source) -> dict[str, list[bench_pdnc.AttributedQuotation]]:
    return bench_pdnc.read_columns(source.report()["queries"])


def _pdnc_interval(source: Source, figure: str) -> Interval:
    """Return an accuracy with its interval over novels, or the calibration error.

    A figure is "all", "everyone" (also of rare speakers), "other", "ece" or the name of a kind,
    optionally followed by a blank and the novels to include.
    """
    name, _, chosen = figure.partition(" ")
    novels = [
        answers
        for novel, answers in _pdnc_answers(source).items()
        if not chosen or novel in chosen.split()
    ]
    if name == "ece":
        error = bench_pdnc.calibration_error([one for answers in novels for one in answers])
        return Interval(error, 0, 0)
    return metrics.bootstrap_groups(
        [
            [
                float(answer.right)
                for answer in answers
                if (answer.often or name == "everyone") and _is_of_kind(answer.kind.lower(), name)
            ]
            for answers in novels
        ]
    )


def _is_of_kind(kind: str, name: str) -> bool:
    return name in ("all", "everyone", kind) or (name == "other" and kind != "explicit")
