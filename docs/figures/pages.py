"""The blocks of figures in the pages, between markers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import figure_tables
import run_files
from figure_list import BLOCKS
from figure_tables import Block

from scholar_indexes.storage import atomic

TAKEN_OVER = "taken over"
"""Marks figures from before runs were kept, until there is a run of them."""


def path_of(page: str) -> Path:
    """Return the path of a page: README.md, or a page of docs."""
    return run_files.ROOT / page if page == "README.md" else run_files.ROOT / "docs" / page


def replace(text: str, block: Block) -> str:
    """Return the text of a page with a rewritten block; raises LookupError without markers.

    A block marked as taken over stays as long as its runs have not been made.
    """
    begin, end = f"<!-- figures: {block.name} -->\n", f"<!-- end of {block.name} -->"
    contents = re.findall(f"{re.escape(begin)}(.*?){re.escape(end)}", text, re.DOTALL)
    if len(contents) != 1:
        raise LookupError(f"{block.page} needs the markers {begin.strip()} and {end} once")
    is_made = all(run_files.path_of(run).exists() for run in figure_tables.runs_of(block))
    if not is_made and TAKEN_OVER in contents[0].lower():
        return text
    return text.replace(
        f"{begin}{contents[0]}{end}", f"{begin}\n{figure_tables.render(block)}\n\n{end}"
    )


def pages() -> dict[str, str]:
    """Return the text of every page with figures, with all blocks rewritten."""
    texts: dict[str, str] = {}
    for block in BLOCKS:
        text = texts.get(block.page) or path_of(block.page).read_text("utf-8")
        texts[block.page] = replace(text, block)
    return texts


def write() -> None:
    """Write the figures of all pages."""
    for page, text in pages().items():
        atomic.write_text(path_of(page), text)


def old_pages() -> Iterator[str]:
    """Yield what to do about each page that differs from its run files."""
    for page, text in pages().items():
        if path_of(page).read_text("utf-8") != text:
            yield f"{page} differs from its run files; run: make figures"
