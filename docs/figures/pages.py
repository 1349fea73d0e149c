"""The blocks of figures in the pages, between markers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import benchmarks
import figure_tables
import run_files
from figure_list import BLOCKS
from figure_tables import Block

from scholar_indexes.storage import atomic


def path_of(page: str) -> Path:
    """Return the path of a page: README.md, or a page of docs."""
    return run_files.ROOT / page if page == "README.md" else run_files.ROOT / "docs" / page


def replace(text: str, block: Block) -> str:
    """Return the text of a page with a block written anew; raises LookupError without markers."""
    begin, end = f"<!-- figures: {block.name} -->\n", f"<!-- end of {block.name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise LookupError(f"{block.page} needs the markers {begin.strip()} and {end} once")
    content = f"{begin}\n{figure_tables.render(block)}\n\n{end}"
    return pattern.sub(lambda match: content, text)


def pages() -> dict[str, str]:
    """Return every page that has figures, with all of its blocks written anew."""
    texts: dict[str, str] = {}
    for block in filter(_is_made, BLOCKS):
        text = texts.get(block.page) or path_of(block.page).read_text("utf-8")
        texts[block.page] = replace(text, block)
    return texts


def _is_made(block: Block) -> bool:
    """Return False for what was taken over and never run since."""
    runs = [run for run in figure_tables.runs_of(block) if run in benchmarks.TAKEN_OVER]
    return all(run_files.path_of(run).exists() for run in runs)


def write() -> None:
    """Write the figures of all pages."""
    for page, text in pages().items():
        atomic.write_text(path_of(page), text)


def old_pages() -> Iterator[str]:
    """Yield what to do about each page that differs from its run files."""
    for page, text in pages().items():
        if path_of(page).read_text("utf-8") != text:
            yield f"{page} differs from its run files; run: make figures"
