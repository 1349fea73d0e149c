"""Select the bare numerals that count up from one, which are headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from scholar_indexes.books.segmentation.heading_candidates import GAP, NEAR_BLOCKS, HeadingCandidate

MIN_CHAIN = 3  # numerals that must count up from one to be accepted
_CHAPTER_GAP = 1200  # characters: numerals closer together likely number stanzas or items


def select_numerals(
    candidates: Sequence[HeadingCandidate], outer: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the bare numerals that count up from one, in the form that covers the most text."""
    near_outer = {
        block for heading in outer for block in range(heading.block, heading.block + NEAR_BLOCKS)
    }
    best: list[HeadingCandidate] = []
    best_extent = 0.0
    for form in ("roman", "arabic"):
        of_form = [c for c in candidates if c.mark.form.split()[0] == form]
        chosen = _select_chains(_keep_dominant_form(of_form, form), near_outer)
        if not chosen:
            continue
        gaps = sorted(candidate.gap for candidate in chosen)
        median = gaps[len(gaps) // 2]
        if median < GAP:
            continue  # the items of a list
        extent = (chosen[-1].block - chosen[0].block) * (1.0 if median >= _CHAPTER_GAP else 0.25)
        if extent > best_extent:
            best, best_extent = chosen, extent
    return best


def _keep_dominant_form(
    candidates: Sequence[HeadingCandidate], form: str
) -> list[HeadingCandidate]:
    """Return only the numerals with or without titles if a book clearly uses one kind."""
    counts = Counter(c.mark.form for c in candidates if c.mark.number != 1)
    for kind, other in ((form, f"{form} titled"), (f"{form} titled", form)):
        if counts[kind] > 3 * counts[other]:
            return [candidate for candidate in candidates if candidate.mark.form == kind]
    return list(candidates)


def _select_chains(
    candidates: Sequence[HeadingCandidate], near_outer: Container[int]
) -> list[HeadingCandidate]:
    """Return the numerals in chains 1, 2, 3 …, each linked to the nearest one before.

    A chain of two is enough if it begins near an outer heading, in a block of near_outer.
    """
    previous, lengths = _link_numerals(candidates)
    chosen: set[int] = set()
    for end in sorted(range(len(candidates)), key=lambda index: -lengths[index]):
        if lengths[end] < 2 or end in chosen:
            continue
        chain = _follow_chain(end, previous, chosen)
        first = candidates[chain[-1]]
        needed = 2 if first.block in near_outer else MIN_CHAIN
        counts_from_one = first.mark.number == 1 and len(chain) >= needed
        if counts_from_one or len(chain) > 2 * MIN_CHAIN:
            chosen.update(chain)
    chosen |= _find_misprints(candidates, previous, chosen)
    return [candidates[index] for index in sorted(chosen)]


def _link_numerals(candidates: Sequence[HeadingCandidate]) -> tuple[dict[int, int], list[int]]:
    """Return the index of each numeral's predecessor, and the length of the chain up to it.

    One missing number is bridged; every numeral one starts a new chain.
    """
    latest: dict[int, int] = {}  # the index of the latest numeral of each number
    previous: dict[int, int] = {}
    lengths: list[int] = []
    for index, candidate in enumerate(candidates):
        number = candidate.mark.number or 0
        lengths.append(1)
        before = latest.get(number - 1)
        if before is None and number > 2:
            before = latest.get(number - 2)
        if number == 1:
            latest = {}
        elif before is not None:
            previous[index] = before
            lengths[index] = lengths[before] + 1
        elif number != 2:
            continue
        latest[number] = index
    return previous, lengths


def _follow_chain(end: int, previous: dict[int, int], chosen: Container[int]) -> list[int]:
    """Return the indices of a chain, last first, back to its first or to a chosen one."""
    chain: list[int] = []
    link: int | None = end
    while link is not None and link not in chosen:
        chain.append(link)
        link = previous.get(link)
    return chain


def _find_misprints(
    candidates: Sequence[HeadingCandidate], previous: dict[int, int], chosen: set[int]
) -> set[int]:
    """Return the lone numerals in places where a chain is missing exactly one number."""
    misprints: set[int] = set()
    for index in chosen:
        before = previous.get(index, index)
        number, number_before = candidates[index].mark.number, candidates[before].mark.number or 0
        if index - before == 2 and number == number_before + 2:
            misprints.add(index - 1)
    return misprints
