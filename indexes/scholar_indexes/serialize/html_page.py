"""A page of HTML that needs no other file."""

from __future__ import annotations

import html


def html_page(title: str, style: str, body: str) -> str:
    """Return a page of HTML that needs no other file; body is HTML already."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )
