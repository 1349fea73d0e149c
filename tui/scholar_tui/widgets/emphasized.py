"""Text of books, with its emphasis as styles of the screen."""

from __future__ import annotations

from textual.content import Content

from scholar_indexes.emphasis import Run, styled_line

OPENING_MARKS = ("“", '"', "‘")


def emphasized(text: str, before: str = "", after: str = "", limit: int | None = None) -> Content:
    """Return text of a book on one line, with its emphasis as styles, cut to at most `limit`
    characters. `before` and `after` are as in emphasis.styled_line."""
    runs = styled_line(text, before, after)
    content = Content.assemble(*((run.text, _style(run)) for run in runs))
    if limit is None or len(content) <= limit:
        return content
    return content[: limit - 1].rstrip() + "…"


def quotation_marks(text: str) -> tuple[str, str]:
    """Return the marks to put around text of a book; empty if it begins with one itself."""
    return ("", "") if text.lstrip("_=").startswith(OPENING_MARKS) else ("“", "”")


def _style(run: Run) -> str:
    styles = (("bold", run.bold), ("italic", run.italic))
    return " ".join(style for style, is_given in styles if is_given)
