"""Add the papers of a file, a folder or Zotero's library, and count the outcomes.

    source -> entries with their origins -> catalog.add -> encode -> table.write -> listed

The papers of a source are stored by origin, so that only changed records are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from scholar_indexes.errors import NoPapers, ScholarError
from scholar_indexes.papers import folder as folders
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import EntryOutcome, EntryOutcomeKind
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.folder import PaperFile
from scholar_indexes.papers.paper_results import AddPapersReport, PaperSourceKind
from scholar_indexes.papers.source import STANDARD_INPUT, read_source
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress, silent

FILES_AT_ONCE = 64
"""Files of a folder that are read before their papers are added: bounds the work that an
interruption loses, and the time between writes of the index."""

AddEntries = Callable[[Iterator[Entry], str, Progress], list[EntryOutcome]]
"""Adds entries to a collection, and returns their outcomes, in order."""


class PaperAdder:
    """Adds papers to a catalogue with `add_entries`."""

    def __init__(self, catalog: PaperCatalog, add_entries: AddEntries) -> None:
        self._catalog = catalog
        self._add_entries = add_entries

    def add(self, source: str, collection: str, progress: Progress) -> AddPapersReport:
        """Add the papers of a source, see PaperLibrary.add."""
        from scholar_indexes.papers import formats, zotero

        if library := zotero.find_library(source):
            return self.add_zotero(library, collection, progress)
        if source != STANDARD_INPUT and (folder := Path(source).expanduser()).is_dir():
            return self.add_files(folder, folders.find_files(folder), collection, progress)
        data, name = read_source(source)
        records = formats.read(data, name)
        if source != STANDARD_INPUT:
            records = folders.with_origins(records, folders.origin_of(Path(source)))
        report = self.add_records(records, collection, progress)
        if not report.papers:
            raise NoPapers(f"{one_line(name)} has no paper that can be read{_first_reason(report)}")
        return report

    def add_records(
        self,
        records: Iterable[Entry | UnreadableEntry],
        collection: str,
        progress: Progress,
        tally: Tally | None = None,
    ) -> AddPapersReport:
        """Add the entries among records."""
        tally = tally or Tally()
        tally.record(self._add_entries(tally.readable(records), collection, progress))
        return tally.report()

    def add_zotero(self, path: Path, collection: str, progress: Progress) -> AddPapersReport:
        """Add the papers of a Zotero library, to its collections as well."""
        from scholar_indexes.papers import zotero

        progress("reading Zotero's library", 0, 0)
        library = zotero.read(path)
        tally = Tally(PaperSourceKind.ZOTERO, library.others)
        report = self.add_records(library.records, collection, progress, tally)
        if not report.papers:
            raise NoPapers(f"{path} has no papers; add some in Zotero{_first_reason(report)}")
        return report

    def add_files(
        self,
        folder: Path,
        files: Sequence[Path],
        collection: str,
        progress: Progress = silent,
    ) -> AddPapersReport:
        """Add the papers of the given files of a folder; only changed files are read.

        Unreadable files and records are in the report. Raises NoPapers if no file has a paper.
        """
        tally = Tally(PaperSourceKind.FOLDER)
        group: list[tuple[PaperFile, list[Entry | UnreadableEntry]]] = []
        for number, path in enumerate(files):
            progress("reading files", number, len(files))
            try:
                file = folders.describe_file(path, folder)
                known = self._catalog.papers_of_file(file.origin, file.digest, collection)
                if known:
                    tally.record_unchanged(known)
                else:
                    group.append((file, folders.read_file(file)))
            except ScholarError as refusal:
                name = str(path.relative_to(folder))
                reason = str(refusal).removeprefix(f"{one_line(path.name, 200)} ")
                tally.unreadable.append(UnreadableEntry(0, reason, name))
            if len(group) == FILES_AT_ONCE:
                self._add_group(group, collection, tally, progress)
                group = []
        self._add_group(group, collection, tally, progress)
        report = tally.report()
        if not report.papers:
            raise NoPapers(
                f"no paper could be read from {folder} (files: {len(files)}){_first_reason(report)}"
                if files
                else f"{folder} has no file of papers (PDF, BibTeX, RIS or CSL-JSON); name another"
            )
        return report

    def _add_group(
        self,
        group: Sequence[tuple[PaperFile, list[Entry | UnreadableEntry]]],
        collection: str,
        tally: Tally,
        progress: Progress,
    ) -> None:
        """Add the records of files, and remember the papers of each completely readable file."""
        entries = tally.readable(record for _, records in group for record in records)
        outcomes = self._add_entries(entries, collection, progress)
        tally.record(outcomes)
        start = 0
        for file, records in group:
            readable = sum(isinstance(record, Entry) for record in records)
            numbers = [outcome.number for outcome in outcomes[start : start + readable]]
            start += readable
            if numbers and readable == len(records):
                self._catalog.remember_file(file.origin, file.digest, numbers)


class Tally:
    """Counts of the added, changed and unchanged papers of a source, each counted once."""

    def __init__(
        self,
        source: PaperSourceKind = PaperSourceKind.FILE,
        others: Mapping[str, int] | None = None,
    ) -> None:
        self.unreadable: list[UnreadableEntry] = []
        self._source = source
        self._others = dict(others or {})
        self._kinds: dict[int, EntryOutcomeKind] = {}
        self._has_abstract: dict[int, bool] = {}

    def readable(self, records: Iterable[Entry | UnreadableEntry]) -> Iterator[Entry]:
        """Yield the entries among records, and collect the unreadable ones."""
        for record in records:
            if isinstance(record, Entry):
                yield record
            else:
                self.unreadable.append(record)

    def record(self, outcomes: Iterable[EntryOutcome]) -> None:
        """Count the papers of outcomes."""
        for outcome in outcomes:
            self._has_abstract[outcome.number] = outcome.has_abstract
            if self._kinds.get(outcome.number) in (None, EntryOutcomeKind.UNCHANGED):
                self._kinds[outcome.number] = outcome.kind

    def record_unchanged(self, numbers: Iterable[int]) -> None:
        """Count papers that were not read again."""
        for number in numbers:
            self._kinds.setdefault(number, EntryOutcomeKind.UNCHANGED)

    def report(self) -> AddPapersReport:
        """Return the counts."""
        kinds = list(self._kinds.values())
        return AddPapersReport(
            kinds.count(EntryOutcomeKind.ADDED),
            kinds.count(EntryOutcomeKind.MERGED),
            kinds.count(EntryOutcomeKind.UNCHANGED),
            list(self._has_abstract.values()).count(False),
            tuple(self.unreadable),
            self._source,
            self._others,
        )


def _first_reason(report: AddPapersReport) -> str:
    """Return the reason of the first unreadable record, after a semicolon; empty without one."""
    if not report.unreadable:
        return ""
    first = report.unreadable[0]
    place = f"line {first.line}" if first.line else first.file
    return f"; {f'{place}: ' if place else ''}{first.reason}"
