"""Paragraphs of Word documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scholar_indexes.emphasis import Run
from scholar_indexes.sanitize import xml_text


def add_runs(paragraph: Any, runs: Iterable[Run], *, is_italic: bool = False) -> None:
    """Add the runs of a line to a paragraph; with `is_italic` the line is in italics, and emphasis
    is upright."""
    for run in runs:
        added = paragraph.add_run(xml_text(run.text))
        added.italic = run.italic != is_italic
        added.bold = run.bold or None
