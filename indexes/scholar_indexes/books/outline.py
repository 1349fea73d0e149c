"""Which of a book's many lines that look like headings are its headings.

Two judgements over the whole book: bare numerals count only where they count up, and a
heading of the kind every book has must stand where such headings stand. Which marks
belong to a table of contents is told in scholar_indexes.books.contents.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scholar_indexes.books.headings import Mark, Rank, is_contents, is_ending, is_title_like, read

GAP = 400  # characters: less than this between two headings is not a chapter
SPARSE = 1500  # a division with less text than this before its first chapter has none of its own
_TABLE = 6000  # characters of short lines that an entry of a table of contents may list below it
_PROSE = 200  # characters of a line that is surely prose
_SENTENCE_ENDS = ".!?:;—-\"'”’)_]"
_LONGEST = 320  # characters of a heading's first line
_BARE = 60  # characters: even a stanza is longer than this, an entry of a table is not
LIST = 3  # headings in one block, or near together, that make a list of them
_CHAIN = 3  # numerals that count up from one before they are believed
_NEAR = 5  # blocks from an outer heading within which its first chapter begins
_WORTH = 1200  # characters: numerals less far apart than this are more likely stanzas or items


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or another stretch without blank lines, and its first line."""

    start: int
    end: int
    first: str
    lines: int


@dataclass(frozen=True, slots=True)
class Place:
    """A mark and the block it stands in; gap is the text between it and the next mark."""

    block: int
    mark: Mark
    gap: int = 0


def blocks_of(text: str) -> list[Block]:
    """The blocks of a text, in order; runs of blank lines part them."""
    out: list[Block] = []
    at = 0
    for piece in text.split("\n\n"):
        bare = piece.strip("\n")
        if bare.strip():
            start = at + piece.index(bare[0])
            first = bare.split("\n", 1)[0]
            out.append(Block(start, start + len(bare), first, bare.count("\n") + 1))
        at += len(piece) + 2
    return out


def places(text: str, blocks: Sequence[Block]) -> list[Place]:
    """Every block that could be a heading, with the text that follows it measured."""
    found: list[Place] = []
    for number, block in enumerate(blocks):
        if len(block.first) > _LONGEST:
            continue
        mark = read(block.first)
        if mark is not None and not _is_list(text, block, mark):
            found.append(Place(number, mark))
    return _measured(found, blocks)


def _is_list(text: str, block: Block, mark: Mark) -> bool:
    if block.lines < LIST:
        words = block.first.lower().split()
        return mark.word != "" and words.count(mark.word) >= LIST
    lines = text[block.start : block.end].split("\n")
    return sum(read(line) is not None for line in lines[1:200]) >= LIST - 1


def is_prose(block: Block) -> bool:
    if block.lines > 1 or len(block.first) < _PROSE or block.first[-1] not in _SENTENCE_ENDS:
        return False
    mark = read(block.first[: _LONGEST // 2])
    return mark is None or (mark.rank == Rank.NUMERAL and len(block.first) > _LONGEST)


def _measured(found: Sequence[Place], blocks: Sequence[Block]) -> list[Place]:
    """The places with their gaps, as nothing where short lines alone fill a short gap."""
    listing = False  # within a table of contents that says it is one
    out: list[Place] = []
    for place, after in zip(found, [*found[1:], None], strict=False):
        stop = after.block if after else len(blocks)
        here = blocks[place.block]
        gap = (blocks[stop].start if after else blocks[-1].end) - here.start - len(here.first)
        prose = any(is_prose(blocks[n]) for n in range(place.block, stop))
        listing = (listing or is_contents(here.first)) and not prose
        bare = place.mark.rank == Rank.NUMERAL and not place.mark.title  # perhaps a stanza's
        if not prose and not bare and gap < (_TABLE if listing else SPARSE):
            gap = 0
        elif bare and _BARE <= gap < GAP:
            gap = GAP
        out.append(replace(place, gap=gap))
    return out


def numerals(found: Sequence[Place], outer: Sequence[Place]) -> list[Place]:
    """The bare numerals that count up from one, of the kind that divides the most text."""
    best: list[Place] = []
    best_worth = 0.0
    for form in ("roman", "arabic"):
        here = _dominant([p for p in found if p.mark.form.split()[0] == form], form)
        chosen = _chains(here, {n for p in outer for n in range(p.block, p.block + _NEAR)})
        if not chosen:
            continue
        gaps = sorted(p.gap for p in chosen)
        if gaps[len(gaps) // 2] < GAP:
            continue  # the items of a list
        worth = (chosen[-1].block - chosen[0].block) * (
            1.0 if gaps[len(gaps) // 2] >= _WORTH else 0.25
        )
        if worth > best_worth:
            best, best_worth = chosen, worth
    return best


def _dominant(found: Sequence[Place], form: str) -> list[Place]:
    """Numerals with titles or those without, where a book clearly uses one kind."""
    counts = Counter(p.mark.form for p in found if p.mark.number != 1)
    for kind, other in ((form, f"{form} titled"), (f"{form} titled", form)):
        if counts[kind] > 3 * counts[other]:
            return [p for p in found if p.mark.form == kind]
    return list(found)


def _chains(found: Sequence[Place], headed: Container[int]) -> list[Place]:
    """The numerals that stand in a chain 1, 2, 3 …, each after the nearest one before.

    A chain of two will do where it begins in a headed block, under an outer division.
    """
    latest: dict[int, int] = {}
    before: dict[int, int] = {}
    length: dict[int, int] = {}
    for n, place in enumerate(found):
        number = place.mark.number or 0
        length[n] = 1
        previous = latest.get(number - 1)
        if previous is None and number > 2:
            previous = latest.get(number - 2)
        if number == 1:
            latest = {}
        elif previous is not None:
            before[n] = previous
            length[n] = length[previous] + 1
        elif number != 2:
            continue
        latest[number] = n
    keep: set[int] = set()
    for n in sorted(length, key=lambda n: -length[n]):
        if length[n] < 2 or n in keep:
            continue
        chain: list[int] = []
        link: int | None = n
        while link is not None and link not in keep:
            chain.append(link)
            link = before.get(link)
        first = found[chain[-1]]
        enough = len(chain) >= (2 if first.block in headed else _CHAIN)
        if (first.mark.number == 1 and enough) or len(chain) > 2 * _CHAIN:
            keep.update(chain)
    for n in sorted(keep):
        skipped = range(before.get(n, n) + 1, n)  # where a number is missing, a misprint may stand
        if len(skipped) == 1 and found[n].mark.number == (found[before[n]].mark.number or 0) + 2:
            keep.update(skipped)
    return [found[n] for n in sorted(keep)]


def counted(found: Sequence[Place]) -> list[Place]:
    """The counted headings of a book, outer divisions and chapters, in order.

    The chapters are the headings of its commonest keyword; those of another are taken
    where they come in a row of their own (the four letters before Frankenstein's first
    chapter); bare numerals divide what no keyword divides.
    """
    outer = [p for p in found if p.mark.rank < Rank.CHAPTER and p.mark.number is not None]
    by_word: dict[str, list[Place]] = defaultdict(list)
    for place in found:
        if place.mark.rank == Rank.CHAPTER and place.mark.number is not None:
            by_word[place.mark.word].append(place)
    chapters: list[Place] = []
    if by_word:
        main = max(by_word, key=lambda word: len(by_word[word]))
        chapters = _whole_runs(_from_first(_single(by_word.pop(main))))
        for others in by_word.values():
            chapters += _rows_between(others, chapters)
        chapters.sort(key=lambda p: p.block)
        chapters += _going_on(found, chapters[-1])
    heads = sorted([*outer, *_epilogues(found)], key=lambda p: p.block)
    bare = numerals([p for p in found if p.mark.rank == Rank.NUMERAL], heads)
    taken = {place.block for place in chapters}
    bare = _undivided([p for p in bare if p.block not in taken], heads, chapters)
    inner = sorted([*chapters, *bare], key=lambda p: p.block)
    return sorted([*_outside(outer, inner), *inner], key=lambda p: p.block)


def _epilogues(found: Sequence[Place]) -> list[Place]:
    """The epilogues and the like that are divided by numerals of their own."""
    return [p for p, after in pairwise(found) if p.mark.word == "close" and is_divided(p, after)]


def _outside(outer: Sequence[Place], chapters: Sequence[Place]) -> list[Place]:
    """The outer headings that do not stand within a chapter.

    Within one stand those that come several together, or with text of their own, between
    a chapter and the next by number.
    """
    starts = [chapter.block for chapter in chapters]
    between: dict[tuple[int, str], list[Place]] = defaultdict(list)
    for place in outer:
        between[bisect_right(starts, place.block), place.mark.word].append(place)
    out: list[Place] = []
    for (n, _), group in between.items():
        follow = 0 < n < len(chapters) and chapters[n].mark.number == (
            (chapters[n - 1].mark.number or 0) + 1
        )
        if not follow or (len(group) == 1 and group[0].gap < SPARSE):
            out.extend(group)
    return out


def _from_first(chapters: list[Place]) -> list[Place]:
    """Chapters without the strays, such as scraps of a table, that stand before a first one."""
    first = next((n for n, place in enumerate(chapters) if place.mark.number == 1), 0)
    return chapters[first:] if first <= len(chapters) // 10 else chapters


def _whole_runs(chapters: list[Place]) -> list[Place]:
    """Chapters without the few and scattered ones of another work quoted in an appendix."""
    starts = [n for n, place in enumerate(chapters) if n == 0 or place.mark.number == 1]
    runs = [chapters[a:b] for a, b in zip(starts, [*starts[1:], len(chapters)], strict=True)]
    longest = max(map(len, runs), default=0)
    return [place for run in runs if len(run) * 5 > longest or not _is_broken(run) for place in run]


def _is_broken(run: Sequence[Place]) -> bool:
    numbers = [place.mark.number or 0 for place in run]
    steps = sum(b == a + 1 for a, b in pairwise(numbers))
    return len(run) > 1 and steps * 2 <= len(run) - 1


def _single(chapters: Sequence[Place]) -> list[Place]:
    """Chapters without the half-title that says the same number just before."""
    out: list[Place] = []
    for place in chapters:
        if out and out[-1].mark.number == place.mark.number and out[-1].gap < GAP:
            out.pop()
        out.append(place)
    return out


def _rows_between(others: Sequence[Place], chapters: Sequence[Place]) -> list[Place]:
    """Of headings with another keyword, the rows that stand before a first chapter or after all."""
    starts = [chapter.block for chapter in chapters]
    out: list[Place] = []
    for place in others:
        n = bisect_right(starts, place.block)
        if n == len(chapters) or chapters[n].mark.number == 1:
            out.append(place)
    return out if len(out) >= 2 else []


def _going_on(found: Sequence[Place], last: Place) -> list[Place]:
    """The titled numerals that go on counting where a book drops its keyword."""
    out: list[Place] = []
    for place in found:
        if place.block <= last.block or place.mark.rank != Rank.NUMERAL or not place.mark.title:
            continue
        if place.mark.number == (last.mark.number or 0) + 1:
            out.append(place)
            last = place
    return out if len(out) >= _CHAIN else []


def _undivided(
    bare: Sequence[Place], outer: Sequence[Place], chapters: Sequence[Place]
) -> list[Place]:
    """The numerals in divisions that have no chapters with a keyword."""
    bounds = [-1, *(p.block for p in outer), 1 << 60]
    starts = [chapter.block for chapter in chapters]
    out: list[Place] = []
    for place in bare:
        n = bisect_right(bounds, place.block)
        first = bisect_right(starts, bounds[n - 1])
        if first == len(starts) or starts[first] >= bounds[n]:
            out.append(place)
    return out


def uncounted(found: Sequence[Place], chosen: Sequence[Place]) -> list[Place]:
    """Prefaces, epilogues, notes and the like, where they stand as such headings do."""
    starts = [c.block for c in chosen]
    out: list[Place] = []
    for place in found:
        if not place.mark.uncounted or place.mark.word == "front":
            continue
        n = bisect_left(starts, place.block)
        before = chosen[n - 1] if n else None
        if before and before.block == place.block - 1 and _takes_title(before.mark):
            continue
        after = next((c for c in chosen[n : n + 2] if c.block > place.block), None)
        opens = after is not None and (after.mark.number == 1 or after.mark.rank < Rank.CHAPTER)
        word = place.mark.word
        if (
            is_divided(place, after)
            or (word == "preface" and place.gap >= GAP and (before is None or opens))
            or (word == "close" and before is not None and (after is None or opens))
            or (word == "back" and _is_back(place, after, opens))
        ):
            out.append(place)
    return out


def _takes_title(mark: Mark) -> bool:
    return mark.rank >= Rank.CHAPTER and not mark.title


def is_divided(place: Place, after: Place | None) -> bool:
    """Whether a prologue or an epilogue has numerals, or even chapters, of its own."""
    if after is None or after.mark.number != 1:
        return False
    return (
        (
            (after.mark.rank == Rank.NUMERAL and place.mark.word in ("preface", "close"))
            or (after.mark.rank == Rank.CHAPTER and place.mark.word == "close")
        )
        and place.gap < GAP
        and after.block - place.block < 5
    )


def _is_back(place: Place, after: Place | None, opens: bool) -> bool:
    notes = "note" in place.mark.label.lower()
    return after is None or ((opens or notes) and place.gap >= GAP)


def is_childless(place: Place, after: Place | None) -> bool:
    """Whether an outer division has text of its own, and so is a chapter itself."""
    if after is None or place.gap >= SPARSE:
        return True
    return after.mark.rank <= place.mark.rank and place.gap > 0


def restarts(everything: Sequence[Place]) -> list[Place]:
    """The first chapters of divisions that no heading counts, such as the tales of a volume."""
    groups: dict[tuple[int, str], list[Place]] = defaultdict(list)
    outer = -1
    for place in everything:
        if place.mark.rank < Rank.CHAPTER:
            outer = place.block
        elif place.mark.number is not None and place.mark.form != "compound":
            groups[outer, place.mark.word].append(place)
    out: list[Place] = []
    for (above, _), group in groups.items():
        again = [place for place in group[1:] if place.mark.number == 1]
        out += again
        if again and above < 0 and group[0].mark.number == 1:
            out.append(group[0])
    return out


def names_above(blocks: Sequence[Block], block: int, floor: int) -> int:
    """The first of up to three title-like blocks that stand right above a block.

    The title of the book itself, on its first page, is not one of them.
    """
    first = block
    titles = {above.first.strip().lower() for above in blocks[:3]}
    while first - 1 > floor and block - first < 3:
        above = blocks[first - 1]
        if (
            above.lines > 3
            or above.end - above.start > 160
            or not is_title_like(above.first)
            or is_ending(above.first)
            or is_contents(above.first)
            or above.first.strip().lower() in titles
            or ((mark := read(above.first)) is not None and mark.number is not None)
        ):
            break
        first -= 1
    return first
