"""Which composed descriptions, of levels 3 and 4, read like English.

    the aunt of {A}             with "the cook who lies"      reads
    the aunt of {A} who steals  with "the cook who lies"      does not say who steals
    the aunt of {A} and {B}     with two descriptions         has two within one

Whatever does not read is dropped; nothing is cut short.
"""

from __future__ import annotations

import re

from scholar_indexes.characters.descriptions.bank import SLOT, Description

MAX_WORDS = 25
"""Words of a composed description."""

MAX_RELATIVE_CLAUSES = 2
"""Relative clauses of a composed description: one of the description itself, and one of the
description within it."""

MAX_COMMAS = 2
"""Commas of a composed description: one aside is read past, two are not."""

_RELATIVE = re.compile(r"\b(?:who|whom|whose|which|wherein|whereby)\b", re.IGNORECASE)

_NOUN_PHRASE = re.compile(r"(?:the|an?) ", re.IGNORECASE)

_OPENS_NOUN_PHRASE = re.compile(
    r"\b(?:the|an?|his|her|their|its|my|our|your|this|that|such|old|young|little|poor|dear|late|"
    r"good|great|mr|mrs|miss|ms|dr|sir|lady|lord|captain|uncle|aunt|cousin)\.? *$",
    re.IGNORECASE,
)
"""Words before a name that cannot stand before a noun phrase."""


def is_readable_composition(outer: Description, inner: Description) -> bool:
    """Return True if a description reads with another one in place of the name in it.

    It must have one name, and end with it: what follows a relative clause would be taken for a
    part of it.
    """
    slots = list(SLOT.finditer(outer.text))
    if len(slots) != 1 or outer.text[slots[0].end() :].strip(" ."):
        return False
    before = outer.text[: slots[0].start()]
    if _OPENS_NOUN_PHRASE.search(before) or not _NOUN_PHRASE.match(inner.text):
        return False
    if (before + inner.text).count(",") > MAX_COMMAS:
        return False
    clauses = len(_RELATIVE.findall(before)) + len(_RELATIVE.findall(inner.text))
    return clauses <= MAX_RELATIVE_CLAUSES and is_short(before + inner.plain)


def is_short(text: str) -> bool:
    """Return True if a composed description is not too long to be taken in at once."""
    return len(text.split()) <= MAX_WORDS
