"""Remove what databases add to an abstract: copyright lines, credits, and words for "none"."""

from __future__ import annotations

import re

_MAX_NOTICE_CHARS = 1_200
"""EBSCO's notice, the longest known, has 700."""

_MAX_PLACEHOLDER_CHARS = 300

_GIVEN = r"(?:available|provided|supplied|given|present|found|included|recorded)"
_PLACEHOLDERS = (
    rf"(?:there is )?no (?:abstract|summary)(?: (?:is |was |has been )?{_GIVEN})?"
    r"(?: (?:for|from|in|at|by|on) [^.]{1,80})?",
    rf"(?:an |the )?(?:abstract|summary) (?:is |was |has )?(?:not|un)[ -]?(?:been )?{_GIVEN}"
    r"(?: (?:for|from|in|at|by|on) .{1,250})?",
    r"not (?:available|applicable|provided)|unavailable|n\W?a|none|null|nil|nan",
    r"abstract|first page preview|extract",
    r"(?:pas de|aucun|sans) résumé(?: disponible)?|résumé (?:non|in)\W?disponible",
    r"keine? (?:abstract|zusammenfassung)(?: (?:verfügbar|vorhanden))?",
    r"(?:sin|ningún) resumen(?: disponible)?|resumen no disponible",
    r"nessun (?:abstract|riassunto)(?: disponibile)?|abstract non disponibile",
    r"sem resumo|resumo (?:não|in)\W?disponível",
)
"""Placeholders of databases for a missing abstract, such as "[No abstract available]"."""

_PLACEHOLDER = re.compile(rf"(?i)\W*(?:{'|'.join(_PLACEHOLDERS)})?\W*", re.DOTALL)

_PUBLISHERS = (
    r"(?:Ltd|Inc\b|Press|Elsevier|Wiley|Springer|B\.V|S(?:age|AGE)|Oxford|Taylor|APA|IEEE|ACM)"
)
_MARK = (
    r"(?:Crown )?(?:Copyright:? *)?(?:© *(?=[0-9A-Z])|\([cC]\) *(?=[0-9]{4}|The |Copyright))"
    rf"|Copyright *(?=[0-9]{{4}}\b[^.]*(?:reserved|Societ|Associat|Publish|Author|{_PUBLISHERS}))"
)
"""The beginning of a copyright line. "(c)" alone may number a clause."""

_LAST = re.compile(
    r"(?:(?<=[.!?…\])”\"])|(?<=\n))\s*(?:"
    rf"{_MARK}"
    r"|Copyright of .{1,400}? is the property of "
    r"|All rights reserved\b"
    r"|This (?:article|abstract) is (?:protected by copyright|an open access article)"
    rf"|Published by (?=[^.]*{_PUBLISHERS})"
    r"|[(\[]?PsycINFO Database Record"
    r"|[(\[]?ABSTRACT (?:FROM (?:AUTHOR|PUBLISHER)|TRUNCATED)"
    r"|(?:Reprinted|Reproduced|Adapted) (?:by permission of|from the source document)"
    r")",
)
"""The beginning of a notice that ends an abstract, after a sentence."""
_LAST_ANY_CASE = re.compile(r"(?i)[(\[]psycinfo database record|[(\[]abstract (?:from|by) \w+[)\]]")

_FIRST = re.compile(
    rf"\s*(?:{_MARK})[^\n]{{0,300}}?"
    r"(?:\b(?:Ltd|Inc|Co|Corp|GmbH|B\.V|S\.A|N\.V|A\.G|LLC)\.(?= *(?:All rights|[A-Z“\"]))"
    r"|(?<![A-Z ][A-Z])(?<!\bSt)\.(?= *[A-Z“\"])|\n|\.?\s*\Z)"
    r"(?:\s*All rights reserved\.?| *Published by [^.\n]{1,100}\.)*\s*"
)
"""A copyright line at the beginning of an abstract, as Scopus had them until 2018."""


def without_notices(abstract: str) -> str:
    """Return an abstract in plain text without notices, empty if it only reports that none exists.

    >>> without_notices("[No abstract available]")
    ''
    >>> without_notices("We count. © 2020 Elsevier Ltd. All rights reserved.")
    'We count.'
    """
    if len(abstract) <= _MAX_PLACEHOLDER_CHARS and _PLACEHOLDER.fullmatch(abstract):
        return ""
    first = _FIRST.match(abstract)
    text = abstract[first.end() :] if first else abstract
    start = max(0, len(text) - _MAX_NOTICE_CHARS)
    ends = [
        notice.start()
        for pattern in (_LAST, _LAST_ANY_CASE)
        if (notice := pattern.search(text, start))
    ]
    text = text[: min(ends)].rstrip() if ends else text
    return "" if len(text) <= _MAX_PLACEHOLDER_CHARS and _PLACEHOLDER.fullmatch(text) else text
