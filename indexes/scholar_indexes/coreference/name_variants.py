"""Name variants: the written forms of a name, and how often each occurs in which contexts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

DEFINITE = "the"
"""The title of a name variant that is a description: "the Hatter"."""

NARRATORS = "my"
"""The title of a name variant that the narrator uses for a relative: "my aunt"."""


@dataclass(frozen=True, slots=True)
class NameVariant:
    """One written form of a name: the title folded, the other words as written."""

    title: str
    words: tuple[str, ...]

    @property
    def is_description(self) -> bool:
        """True for "the Hatter"."""
        return self.title == DEFINITE

    @property
    def folded(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(word.lower() for word in self.words)


@dataclass(slots=True)
class VariantStats:
    """The counts of a name variant by context.

    `surface` is its written form, `male_log_odds` the log odds, from the pronouns after it, that
    its bearer is male, and `positions` the word indices at which it begins in the narration.
    `opening` counts the times it is addressed as the first word of a sentence, `cued` those behind
    a quotation and a verb of speech: "said Emma".
    """

    surface: str
    count: int = 0
    quoted: int = 0
    speaking: int = 0
    acting: int = 0
    addressed: int = 0
    opening: int = 0
    cued: int = 0
    owning: int = 0
    after_locative: int = 0
    after_directional: int = 0
    after_article: int = 0
    after_old: int = 0
    after_young: int = 0
    male_log_odds: float = 0.0
    positions: list[int] = field(default_factory=list)

    def add(self, other: VariantStats) -> None:
        """Add the counts of another variant; positions are not merged."""
        for counter in fields(self):
            if counter.name not in ("surface", "positions"):
                total = getattr(self, counter.name) + getattr(other, counter.name)
                setattr(self, counter.name, total)
