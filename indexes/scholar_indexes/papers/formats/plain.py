"""Read a plain-text abstract to search with; no paper is added from one."""

from __future__ import annotations

import re
from hashlib import sha256

from scholar_indexes.decoding import decode
from scholar_indexes.papers.abstracts import split_abstract
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.formats.service_records import MAX_ABSTRACT_CHARS
from scholar_indexes.sanitize import one_line

FEWEST_WORDS = 5
"""The minimum number of words in an abstract."""

LONGEST_TITLE = 200

_TITLE = re.compile(r"([^\n]+)\n[ \t]*\n\s*(?=\S)")


def read_abstract(data: bytes) -> Entry | None:
    """Return an abstract as an entry, or None if it is not text or too short.

    A first line followed by a blank line is its title, unless it is long or ends a sentence.
    """
    if b"\0" in data:
        return None
    text = decode(data)[0].strip()[:MAX_ABSTRACT_CHARS]
    title = ""
    if (above := _TITLE.match(text)) and _is_title(above[1]):
        title, text = one_line(above[1]), text[above.end() :]
    if len(re.findall(r"[^\W\d_]+", text)) < FEWEST_WORDS:
        return None
    id = f"text:{sha256(text.encode()).hexdigest()[:12]}"
    return Entry({"title": title}, (id,), split_abstract(text, tex=False))


def _is_title(line: str) -> bool:
    return len(line) <= LONGEST_TITLE and line.rstrip()[-1:] not in (".", ":")
