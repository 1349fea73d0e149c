"""The text of a claim: its mark for a missing quotation, its length, one line."""

from __future__ import annotations

import re

from scholar_indexes.errors import UsageError

MASK = re.compile(r"\[\s*mask(?:ed[^\]]{0,40})?\s*\]", re.IGNORECASE)
"""RELiC's mark for the missing quotation."""

CLAIM_CHARS = 8_000
"""The longest part of a claim that is read; some 1,500 words."""


def normalize_claim(claim: str) -> str:
    """Return a claim as one line; raises UsageError if it has no words apart from a mask."""
    words = " ".join(claim[: 2 * CLAIM_CHARS].split())[:CLAIM_CHARS]
    if not re.search(r"\w", MASK.sub(" ", words)):
        raise UsageError(
            'the claim is empty; write one, such as: scholar find "pride and prejudice"'
        )
    return words
