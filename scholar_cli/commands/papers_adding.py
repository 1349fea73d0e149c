"""Adding papers for `scholar papers add`: from several sources, or from one that is watched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_cli.commands import common
from scholar_indexes.errors import NoPapers, ScholarError, UsageError
from scholar_indexes.serialize import papers as records

if TYPE_CHECKING:
    from scholar_indexes.papers.paper_results import AddPapersReport
    from scholar_indexes.papers.paper_service import PaperLibrary
    from scholar_indexes.papers.watching import WatchedSource


def add_all(papers: PaperLibrary, sources: Sequence[str], collection: str) -> None:
    """Add sources and report the outcome of each; one that fails does not stop the others."""
    failure: ScholarError | None = None
    for source in sources:
        try:
            report = _add(papers, source, collection)
        except ScholarError as refusal:
            if len(sources) == 1:
                raise
            common.say(f"scholar: {refusal}")
            failure = refusal
            continue
        print_report(report, source)
    if failure:
        raise type(failure)("some files could not be added; see above")


def watch(papers: PaperLibrary, sources: Sequence[str], collection: str) -> None:
    """Add a source, then what is added or changed in it, until Ctrl-C."""
    from scholar_indexes.papers.watching import WatchedSource, changes

    if len(sources) != 1:
        raise UsageError("--watch takes one file, folder or library; name one")
    source = sources[0]
    watched = WatchedSource.of(source)
    told: set[str] = set()
    try:
        report = _add(papers, source, collection)
    except NoPapers as refusal:  # none yet
        common.say(str(refusal))
        told.add(str(refusal))
    else:
        lines = records.report_lines(report, source)
        told.update(lines)
        for line in lines:
            common.say(line)
    is_adding = False
    try:
        for number, files in enumerate(changes(watched)):
            is_adding = True
            news = _add_changed(papers, source, watched, files, collection, told)
            is_adding = False
            for line in news if number else [*news, f"watching {source}; stop with Ctrl-C"]:
                common.say(line)
    except KeyboardInterrupt:
        if is_adding:
            raise


def print_report(report: AddPapersReport, source: str) -> None:
    """Report the outcome of a source."""
    for line in records.report_lines(report, source):
        common.say(line)


def _add(papers: PaperLibrary, source: str, collection: str) -> AddPapersReport:
    with common.progress() as progress:
        return papers.add(source, collection=collection, progress=progress)


def _add_changed(
    papers: PaperLibrary,
    source: str,
    watched: WatchedSource,
    files: Sequence[Path],
    collection: str,
    told: set[str],
) -> list[str]:
    """Add the changed files of a folder; without any, or for another source, add all of it.

    Returns the lines to report: none if nothing was added or merged, and every file that cannot be
    read was reported before.
    """
    try:
        if watched.names or not files:
            report = _add(papers, source, collection)
        else:
            with common.progress() as progress:
                report = papers.add_files(
                    watched.root, files, collection=collection, progress=progress
                )
    except ScholarError as refusal:
        return _untold([str(refusal)], told)
    *unreadable, counts = records.report_lines(report, source)
    news = _untold(unreadable, told)
    return [*news, counts] if news or report.added or report.merged else []


def _untold(lines: Sequence[str], told: set[str]) -> list[str]:
    """Return the lines that were not reported yet, and add them to `told`."""
    new = [line for line in lines if line not in told]
    told.update(new)
    return new
