"""HTML: self-contained pages, and lines with emphasis."""

from __future__ import annotations

import html
from collections.abc import Iterable

from scholar_indexes.emphasis import Run
from scholar_indexes.sanitize import safe


def html_page(title: str, style: str, body: str) -> str:
    """Return a self-contained HTML page; body is already HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def html_line(runs: Iterable[Run]) -> str:
    """Return the runs of a line as HTML: <em>italics</em>, <strong>bold</strong>, and a break
    at the end of each line of verse."""
    return "".join(map(_html_run, runs))


def _html_run(run: Run) -> str:
    markup = html.escape(safe(run.text)).replace("\n", "<br>\n")
    markup = f"<em>{markup}</em>" if run.italic else markup
    return f"<strong>{markup}</strong>" if run.bold else markup
