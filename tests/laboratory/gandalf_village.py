"""Questions about four villagers, for the tests of GANDALF."""

from __future__ import annotations

PEOPLE = {
    "Anna Hartwell": ("female", "the woman who keeps bees behind the mill", "hives of bees"),
    "Clara Dunmore": ("female", "the woman who teaches children to sing", "taught a choir"),
    "Peter Holcroft": ("male", "the man who forges a signature", "forged the signature"),
    "George Tansley": ("male", "the man who is drowned at the weir", "drowned at the weir"),
}


def never():
    raise AssertionError("no model is needed for this")
